// VTK's XML files: every encoding gives the same mesh, and damage a sentence.
#include "folder.h"
#include "mesh_files.h"

#include <algorithm>
#include <cstring>
#include <vector>

using namespace io;

#ifdef TAUT_WITH_VTU

#include <zlib.h>

namespace {

std::string base64(const std::string& bytes) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (size_t i = 0; i < bytes.size(); i += 3) {
        uint32_t bits = 0;
        for (size_t k = 0; k < 3; k++) {
            bits = bits << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0);
        }
        for (size_t k = 0; k < 4; k++) {
            text += i + k > bytes.size() ? '=' : digits[bits >> (18 - 6 * k) & 63];
        }
    }
    return text;
}

struct Encoding {
    const char* format; // ascii, binary, appended
    bool raw, compressed, wide, big;
    size_t block; // bytes of a compressed block
};

// Writes a file array by array.
class Writer {
  public:
    explicit Writer(const Encoding& encoding) : e_(encoding) {}
    template <class T> std::string array(const char* type, const char* more, const std::vector<T>& values) {
        std::string text = std::string("<DataArray type=\"") + type + "\" " + more + " format=\"" + e_.format + "\"";
        if (!strcmp(e_.format, "appended")) {
            text += " offset=\"" + std::to_string(appended_.size()) + "\"/>\n";
            appended_ += encoded(bytes(values));
            return text;
        }
        text += ">\n";
        if (!strcmp(e_.format, "binary")) {
            text += "   " + encoded(bytes(values));
        } else {
            for (T value : values) {
                text += std::to_string(value) + (&value == &values.back() ? "" : "\n ");
            }
        }
        return text + "\n<InformationKey name=\"n\"><Value index=\"0\">17</Value></InformationKey></DataArray>\n";
    }
    std::string file(const std::string& pieces) const {
        return std::string(
                   "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"") +
               (e_.big ? "BigEndian" : "LittleEndian") + "\"" + (e_.wide ? " header_type=\"UInt64\"" : "") +
               (e_.compressed ? " compressor=\"vtkZLibDataCompressor\"" : "") + ">\n<UnstructuredGrid>\n" + pieces +
               "</UnstructuredGrid>\n" +
               (appended_.empty() ? ""
                                  : std::string("<AppendedData encoding=\"") + (e_.raw ? "raw" : "base64") + "\">\n _" +
                                        appended_ + "\n</AppendedData>\n") +
               "</VTKFile>\n";
    }

  private:
    template <class T> std::string one(T value) const {
        char raw[sizeof value];
        memcpy(raw, &value, sizeof value);
        if (e_.big) {
            std::reverse(raw, raw + sizeof raw);
        }
        return std::string(raw, sizeof raw);
    }
    template <class T> std::string bytes(const std::vector<T>& values) const {
        std::string all;
        for (T value : values) {
            all += one(value);
        }
        return all;
    }
    std::string number(size_t n) const { return e_.wide ? one(uint64_t{n}) : one(static_cast<uint32_t>(n)); }
    std::string encoded(const std::string& data) const {
        const bool plain = e_.raw && !strcmp(e_.format, "appended");
        if (!e_.compressed) {
            return plain ? number(data.size()) + data : base64(number(data.size()) + data);
        }
        std::vector<std::string> blocks;
        for (size_t i = 0; i < data.size(); i += e_.block) {
            const std::string part = data.substr(i, e_.block);
            uLongf size = compressBound(part.size());
            std::string packed(size, ' ');
            compress(reinterpret_cast<Bytef*>(&packed[0]), &size, reinterpret_cast<const Bytef*>(part.data()),
                     part.size());
            blocks.push_back(packed.substr(0, size));
        }
        std::string table = number(blocks.size()) + number(e_.block) + number(data.size() % e_.block), all;
        for (const std::string& block : blocks) {
            table += number(block.size());
            all += block;
        }
        return plain ? table + all : base64(table) + base64(all);
    }
    Encoding e_;
    std::string appended_;
};

// The mesh of mesh_files.h with a line, a triangle, a quadrilateral, a pixel and a strip beside the tetrahedra.
std::string good_file(const Encoding& encoding, bool large = false) {
    Writer w(encoding);
    std::string text = "<Piece NumberOfPoints=\"5\" NumberOfCells=\"7\">\n<PointData Scalars=\"s\">\n" +
                       w.array<float>("Float32", "Name=\"Points\"", {1, 2, 3, 4, 5}) + "</PointData>\n<Cells>\n";
    const std::vector<int64_t> corners = {0, 1, 0, 1, 2, 0, 1, 2, 3, 1, 2, 3, 4, 0, 1, 4, 2, 0, 1, 2, 4, 1, 3, 4, 2};
    const std::vector<int64_t> ends = {2, 5, 9, 13, 17, 21, 25};
    text += large ? w.array<int64_t>("Int64", "Name=\"connectivity\"", corners)
                  : w.array<int32_t>("Int32", "Name=\"connectivity\"", {corners.begin(), corners.end()});
    text += large ? w.array<int64_t>("Int64", "Name=\"offsets\"", ends)
                  : w.array<uint16_t>("UInt16", "Name=\"offsets\"", {ends.begin(), ends.end()});
    text += w.array<uint8_t>("UInt8", "Name=\"types\"", {3, 5, 10, 10, 9, 8, 6}) + "</Cells>\n<Points>\n";
    const std::vector<double> points = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
    text += large ? w.array<double>("Float64", "Name=\"Points\" NumberOfComponents=\"3\"", points)
                  : w.array<float>("Float32", "NumberOfComponents=\"3\"", {points.begin(), points.end()});
    return w.file(text + "</Points>\n</Piece>\n");
}

const std::vector<Encoding> encodings = {
    {"ascii", false, false, false, false, 0},    {"binary", false, false, false, false, 0},
    {"binary", false, false, true, true, 0},     {"binary", false, true, false, false, 32},
    {"binary", false, true, true, true, 4096},   {"appended", true, false, false, false, 0},
    {"appended", true, false, true, true, 0},    {"appended", false, false, false, false, 0},
    {"appended", false, false, true, false, 0},  {"appended", true, true, false, false, 16},
    {"appended", true, true, true, false, 4096}, {"appended", false, true, true, true, 24},
};

class Vtu : private InMemory, public app::Folder {
  protected:
    void expect_tets(const std::string& file) {
        Read read(file, true);
        ASSERT_TRUE(read.ok) << read.r.text;
        EXPECT_TRUE(keeps_promises(read.m));
        const double points[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
        const uint32_t tets[2][4] = {{0, 1, 2, 3}, {1, 2, 3, 4}};
        ASSERT_EQ(read.m.point_count, 5u);
        ASSERT_EQ(read.m.tet_count, 2u);
        EXPECT_EQ(memcmp(read.m.points, points, sizeof points), 0);
        EXPECT_EQ(memcmp(read.m.tets, tets, sizeof tets), 0);
    }
    // The quadrilateral 0 1 4 2 has the triangle 0 1 4; of the pixel, 0 1 4 2 too, none is new; of the strip two are.
    void expect_surface(const std::string& file) {
        testing::internal::CaptureStderr();
        Read read(file, false);
        testing::internal::GetCapturedStderr();
        ASSERT_TRUE(read.ok) << read.r.text;
        EXPECT_TRUE(keeps_promises(read.m));
        const uint32_t triangles[5][3] = {{0, 1, 2}, {0, 1, 4}, {0, 4, 2}, {1, 3, 4}, {3, 2, 4}};
        ASSERT_EQ(read.m.point_count, 5u);
        ASSERT_EQ(read.m.triangle_count, 5u);
        EXPECT_EQ(memcmp(read.m.triangles, triangles, sizeof triangles), 0);
    }
    void expect_refusal(const std::string& text, const char* cause, bool tets = true) {
        Read read(write("bad.vtu", text), tets);
        EXPECT_TRUE(is_refusal(read, path("bad.vtu"))) << cause;
        EXPECT_NE(std::string(read.r.text).find(cause), std::string::npos) << read.r.text;
    }
    void never_harms(const std::string& text) {
        testing::internal::CaptureStderr();
        for (bool tets : {true, false}) {
            Read read(write("bad.vtu", text), tets);
            ASSERT_TRUE(read.ok ? keeps_promises(read.m) : is_refusal(read, path("bad.vtu"))) << text;
        }
        testing::internal::GetCapturedStderr();
    }
};

TEST_F(Vtu, EveryEncodingGivesTheSameMesh) {
    for (const Encoding& e : encodings) {
        for (bool large : {false, true}) {
            const std::string file = write("good.vtu", good_file(e, large));
            expect_tets(file);
            expect_surface(file);
        }
    }
}

TEST_F(Vtu, PiecesAreOneMesh) {
    Writer w(encodings[3]);
    std::string text;
    for (int k = 0; k < 2; k++) {
        const double x = 10.0 * k;
        text += "<Piece NumberOfPoints=\"4\" NumberOfCells=\"1\"><Points>" +
                w.array<double>("Float64", "NumberOfComponents=\"3\"", {x, 0, 0, x + 1, 0, 0, x, 1, 0, x, 0, 1}) +
                "</Points><Cells>" + w.array<int32_t>("Int32", "Name=\"connectivity\"", {0, 1, 2, 3}) +
                w.array<int32_t>("Int32", "Name=\"offsets\"", {4}) + w.array<uint8_t>("UInt8", "Name=\"types\"", {10}) +
                "</Cells></Piece><Piece NumberOfPoints=\"0\" NumberOfCells=\"0\"/>";
    }
    Read read(write("two.vtu", w.file(text)), true);
    ASSERT_TRUE(read.ok) << read.r.text;
    ASSERT_EQ(read.m.tet_count, 2u);
    EXPECT_EQ(read.m.tets[1][3], 7u);
    EXPECT_EQ(read.m.points[7][0], 10);
}

TEST_F(Vtu, DamageIsRefused) {
    const std::string ascii = good_file(encodings[0]), raw = good_file(encodings[5]), packed = good_file(encodings[9]);
    expect_refusal("hello", "is no valid XML");
    expect_refusal("<html></html>", "the first element must be VTKFile, and is html");
    expect_refusal(with(ascii, "UnstructuredGrid", "PolyData"), "this one has the type PolyData");
    expect_refusal(with(raw, "byte_order", "header_type=\"Int8\" byte_order"), "header_type must be");
    expect_refusal(with(ascii, "</Points>", "</Pointz>"), "is no valid XML: mismatched tag");
    expect_refusal(with(ascii, "<?xml version=\"1.0\"?>", "<!DOCTYPE a [<!ENTITY b \"c\">]>"), "a document type");
    expect_refusal(with(ascii, "NumberOfPoints=\"5\"", "NumberOfPoints=\"x\""), "a Piece needs NumberOfPoints");
    expect_refusal(with(ascii, "NumberOfPoints=\"5\"", "NumberOfPoints=\"4\""), "has 15 numbers, and should have 12");
    expect_refusal(with(ascii, "NumberOfCells=\"7\"", "NumberOfCells=\"6\""), "array 'offsets': has 7 numbers");
    expect_refusal(with(ascii, "Name=\"types\"", "Name=\"kinds\""), "a Piece has no array 'types'");
    expect_refusal(with(ascii, "Name=\"types\"", "Name=\"offsets\""), "second array offsets");
    expect_refusal(with(ascii, "Float32\" NumberOf", "Int32\" NumberOf"), "where Float32 or Float64 are needed");
    expect_refusal(with(ascii, "Float32\" NumberOf", "Float16\" NumberOf"), "'Float16' is no type");
    expect_refusal(with(ascii, "NumberOfComponents=\"3\"", "NumberOfComponents=\"2\""), "points need 3 components");
    expect_refusal(with(ascii, "\"types\" format=\"ascii\"", "\"types\" format=\"hex\""),
                   "is wrong of the array types");
    expect_refusal(with(ascii, "1.000000\n 1.000000\n 1.000000\n", "1.000000\n nan\n 1.000000\n"), "'nan'");
    expect_refusal(with(ascii, "\n 10\n 10\n", "\n -10\n 10\n"), "'-10' stands where a whole number should");
    expect_refusal(with(ascii, "\n 25\n", "\n 26\n"), "cell 6 has an offset that is out of order");
    expect_refusal(with(ascii, "\n 13\n", "\n 14\n"), "cell 3 has a wrong number of corners");
    expect_refusal(with(ascii, "\n 10\n 10\n", "\n 10\n 12\n"), "cell 3 has the type 12 where only linear tetrahedra");
    expect_refusal(with(ascii, "\n 9\n 8\n", "\n 23\n 8\n"), "cell 4 has the type 23 where only linear faces", false);
    expect_refusal(
        with(raw, "\"types\" format=\"appended\" offset=\"", "\"types\" format=\"appended\" offset=\"999999"),
        "beyond the appended data");
    expect_refusal(with(raw, "<AppendedData encoding=\"raw\">\n _", "<AppendedData encoding=\"raw\">\n "),
                   "must begin with '_'");
    expect_refusal(with(raw, "encoding=\"raw\"", "encoding=\"hex\""), "must be raw or base64, and is hex");
    expect_refusal(raw.substr(0, raw.find("<AppendedData")) + "</VTKFile>", "there is no appended data");
    expect_refusal(with(packed, "vtkZLibDataCompressor", "vtkLZ4DataCompressor"), "save it with ZLib, or without");
}

TEST_F(Vtu, EveryTruncationAndByteIsWholeOrRefused) {
    for (size_t i : {size_t(0), size_t(1), size_t(3), size_t(6), size_t(9), size_t(11)}) {
        const std::string good = good_file(encodings[i]);
        for (size_t length = 0; length < good.size(); length += i ? 3 : 1) {
            never_harms(good.substr(0, length));
        }
        for (size_t at = 0; at < good.size(); at++) {
            std::string bad = good;
            bad[at] = static_cast<char>(bad[at] ^ (1 << (at % 8)));
            never_harms(bad);
            bad[at] = static_cast<char>(0xff);
            never_harms(bad);
        }
    }
}

// A small file must not ask for much memory.
TEST_F(Vtu, AnnouncedSizesAreCheckedBeforeTheyAreUsed) {
    for (size_t i : {size_t(5), size_t(9)}) {
        const std::string good = good_file(encodings[i]);
        const size_t data = good.find("\n _") + 3;
        for (size_t at = data; at < data + 12; at++) {
            std::string bad = good;
            bad[at] = static_cast<char>(0xf0);
            never_harms(bad);
        }
    }
}

} // namespace

#else

namespace {

class Vtu : public app::Folder {};

TEST_F(Vtu, NeedsExpatAndZlib) {
    Read read(write("a.vtu", "<VTKFile/>"), true);
    EXPECT_TRUE(is_refusal(read, path("a.vtu")));
    EXPECT_NE(std::string(read.r.text).find("was built without expat and zlib"), std::string::npos) << read.r.text;
}

} // namespace

#endif
