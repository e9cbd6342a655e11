// What the exporters write, read back.
#include "exports.h"
#include "mesh_files.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <sstream>

using namespace io;

namespace {

const unsigned all_formats = EXPORT_OBJ | EXPORT_PLY | EXPORT_USDA | EXPORT_PC2;

class Exporters : public Export {};

// ---- OBJ ------------------------------------------------------------------------------------------------------------

struct ObjFile {
    PointsF points;
    std::vector<std::string> elements; // "f 1 2 3", ...
};

ObjFile parse_obj(const std::string& text) {
    ObjFile out;
    for (const std::string& line : app::lines(text)) {
        std::istringstream words(line);
        std::string keyword;
        std::array<float, 3> p{};
        words >> keyword;
        if (keyword == "v") {
            words >> p[0] >> p[1] >> p[2];
            out.points.push_back(p);
        } else if (keyword != "o") {
            out.elements.push_back(line);
        }
    }
    return out;
}

TEST_F(Exporters, ObjFilePerObjectAndFrame) {
    const Scene scene;
    export_all(scene, EXPORT_OBJ, 2);
    EXPECT_EQ(list("out"), (std::vector<std::string>{"p.0000.obj", "p.0001.obj", "rope.0000.obj", "rope.0001.obj",
                                                     "sheet.0000.obj", "sheet.0001.obj"}));
    const std::vector<std::vector<std::string>> elements{{"f 1 2 3", "f 1 3 4"}, {"l 1 2", "l 2 3"}, {"p 1", "p 2"}};
    for (size_t i = 0; i < 3; i++) {
        for (size_t f = 0; f < 2; f++) {
            const ObjFile file = parse_obj(
                read(std::string("out/") + scene.objects[i].name + ".000" + static_cast<char>('0' + f) + ".obj"));
            EXPECT_EQ(file.points, scene.stored(f, i));
            EXPECT_EQ(file.elements, elements[i]);
        }
    }
}

TEST_F(Exporters, ObjComesBackThroughTheReader) {
    const Scene scene;
    export_all(scene, EXPORT_OBJ, 1);
    Read back(path("out/sheet.0000.obj"));
    ASSERT_TRUE(back.ok) << back.r.text;
    EXPECT_EQ(back.m.point_count, 4u);
    EXPECT_EQ(memcmp(back.m.triangles, scene.objects[0].triangles, 2 * sizeof(uint32_t[3])), 0);
}

// ---- PLY ------------------------------------------------------------------------------------------------------------

template <class T> T take(const std::string& bytes, size_t& at) {
    T value{};
    EXPECT_LE(at + sizeof value, bytes.size());
    if (at + sizeof value <= bytes.size()) {
        memcpy(&value, bytes.data() + at, sizeof value);
    }
    at += sizeof value;
    return value;
}

PointsF take_points(const std::string& bytes, size_t& at, size_t count) {
    PointsF points;
    for (size_t i = 0; i < count; i++) {
        points.push_back(take<std::array<float, 3>>(bytes, at));
    }
    return points;
}

TEST_F(Exporters, PlyBytes) {
    const Scene scene;
    export_all(scene, EXPORT_PLY, 2);
    const std::string sheet = read("out/sheet.0001.ply");
    size_t at = sheet.find("end_header\n") + 11;
    EXPECT_NE(sheet.find("ply\nformat binary_little_endian 1.0\nelement vertex 4\n"), std::string::npos);
    EXPECT_NE(sheet.find("element face 2\nproperty list uchar int vertex_indices\n"), std::string::npos);
    EXPECT_EQ(take_points(sheet, at, 4), scene.stored(1, 0));
    for (size_t i = 0; i < 2; i++) {
        EXPECT_EQ(take<unsigned char>(sheet, at), 3);
        for (uint32_t corner : scene.objects[0].triangles[i]) {
            EXPECT_EQ(take<uint32_t>(sheet, at), corner);
        }
    }
    EXPECT_EQ(at, sheet.size());

    const std::string rope = read("out/rope.0000.ply");
    at = rope.find("end_header\n") + 11;
    EXPECT_NE(rope.find("element edge 2\nproperty int vertex1\nproperty int vertex2\n"), std::string::npos);
    EXPECT_EQ(take_points(rope, at, 3), scene.stored(0, 1));
    for (uint32_t end : {0u, 1u, 1u, 2u}) {
        EXPECT_EQ(take<uint32_t>(rope, at), end);
    }
    EXPECT_EQ(at, rope.size());
}

TEST_F(Exporters, PlyComesBackThroughTheReader) {
    const Scene scene;
    export_all(scene, EXPORT_PLY, 1);
    Read back(path("out/sheet.0000.ply"));
    ASSERT_TRUE(back.ok) << back.r.text;
    const PointsF stored = scene.stored(0, 0);
    ASSERT_EQ(back.m.point_count, 4u);
    for (size_t i = 0; i < 4; i++) {
        EXPECT_EQ(static_cast<float>(back.m.points[i][1]), stored[i][1]);
    }
    EXPECT_EQ(memcmp(back.m.triangles, scene.objects[0].triangles, 2 * sizeof(uint32_t[3])), 0);
}

// ---- PC2 ------------------------------------------------------------------------------------------------------------

TEST_F(Exporters, Pc2Bytes) {
    const Scene scene;
    export_all(scene, EXPORT_PC2, 5);
    EXPECT_EQ(list("out"), (std::vector<std::string>{"p.pc2", "rope.pc2", "sheet.pc2"}));
    for (size_t i = 0; i < 3; i++) {
        const std::string bytes = read(std::string("out/") + scene.objects[i].name + ".pc2");
        size_t at = 12;
        EXPECT_EQ(bytes.substr(0, 12), std::string("POINTCACHE2\0", 12));
        EXPECT_EQ(take<int32_t>(bytes, at), 1);
        EXPECT_EQ(take<int32_t>(bytes, at), static_cast<int32_t>(scene.objects[i].point_count));
        EXPECT_EQ(take<float>(bytes, at), 0);
        EXPECT_EQ(take<float>(bytes, at), 1);
        EXPECT_EQ(take<int32_t>(bytes, at), 5);
        for (size_t f = 0; f < 5; f++) {
            EXPECT_EQ(take_points(bytes, at, scene.objects[i].point_count), scene.stored(f, i));
        }
        EXPECT_EQ(at, bytes.size());
    }
}

// Frames of more points than are packed at once.
TEST_F(Exporters, ManyPoints) {
    Scene scene;
    scene.objects = {scene.objects[2]};
    scene.objects[0].first_point = 0;
    scene.objects[0].point_count = 5000;
    export_all(scene, all_formats, 2);
    const std::string bytes = read("out/p.pc2");
    size_t at = 32 + 5000 * 12;
    EXPECT_EQ(take_points(bytes, at, 5000), scene.stored(1, 0));
    EXPECT_EQ(at, bytes.size());
    EXPECT_EQ(parse_obj(read("out/p.0001.obj")).points, scene.stored(1, 0));
}

// ---- USD ------------------------------------------------------------------------------------------------------------

// What stands between `begin` and the next `end`.
std::string between(const std::string& text, const std::string& begin, const std::string& end) {
    const size_t from = text.find(begin);
    const size_t to = text.find(end, from);
    EXPECT_NE(from, std::string::npos) << begin;
    EXPECT_NE(to, std::string::npos) << end;
    return to == std::string::npos ? "" : text.substr(from + begin.size(), to - from - begin.size());
}

// Every "(x, y, z)".
PointsF parse_tuples(const std::string& text) {
    PointsF points;
    for (size_t at = text.find('('); at != std::string::npos; at = text.find('(', at + 1)) {
        std::array<float, 3> p{};
        EXPECT_EQ(sscanf(text.c_str() + at, "(%f, %f, %f)", &p[0], &p[1], &p[2]), 3);
        points.push_back(p);
    }
    return points;
}

std::string prim(const std::string& usda, const std::string& head) {
    return between(usda, "    def " + head + "\n    {\n", "\n    }\n");
}

void expect_samples(const std::string& prim_text, const Scene& scene, size_t object, size_t frames) {
    const std::string samples = between(prim_text, "point3f[] points.timeSamples = {\n", "        }");
    const std::vector<std::string> rows = app::lines(samples);
    ASSERT_EQ(rows.size(), frames);
    for (size_t f = 0; f < frames; f++) {
        EXPECT_EQ(rows[f].find("            " + std::to_string(f) + ": [("), 0u) << rows[f];
        EXPECT_EQ(parse_tuples(rows[f]), scene.stored(f, object));
    }
}

TEST_F(Exporters, UsdaHoldsEveryPrimAndSample) {
    const Scene scene;
    export_all(scene, EXPORT_USDA, 3, 24);
    EXPECT_EQ(list("out"), (std::vector<std::string>{"scene.usda"}));
    const std::string text = read("out/scene.usda");
    EXPECT_EQ(text.find("#usda 1.0\n(\n"), 0u);
    for (const char* line :
         {"defaultPrim = \"scene\"", "metersPerUnit = 1", "upAxis = \"Y\"", "timeCodesPerSecond = 24",
          "startTimeCode = 0", "endTimeCode = 2", "def Xform \"scene\""}) {
        EXPECT_NE(text.find(line), std::string::npos) << line;
    }
    const std::string sheet = prim(text, "Mesh \"sheet\"");
    const std::string rope = prim(text, "BasisCurves \"rope\"");
    const std::string points = prim(text, "Points \"p\"");
    EXPECT_NE(sheet.find("int[] faceVertexCounts = [3, 3]\n"), std::string::npos);
    EXPECT_NE(sheet.find("int[] faceVertexIndices = [0, 1, 2, 0, 2, 3]\n"), std::string::npos);
    EXPECT_NE(rope.find("uniform token type = \"linear\"\n"), std::string::npos);
    EXPECT_NE(rope.find("int[] curveVertexCounts = [3]\n"), std::string::npos);
    EXPECT_NE(rope.find("float[] widths = [0.02"), std::string::npos);
    EXPECT_NE(points.find("float[] widths = [0.05"), std::string::npos);
    expect_samples(sheet, scene, 0, 3);
    expect_samples(rope, scene, 1, 3);
    expect_samples(points, scene, 2, 3);
}

TEST_F(Exporters, UsdaExtentBoundsThePoints) {
    const Scene scene;
    export_all(scene, EXPORT_USDA, 1);
    const std::string rope = prim(read("out/scene.usda"), "BasisCurves \"rope\"");
    const PointsF box = parse_tuples(between(rope, "float3[] extent.timeSamples = {\n", "        }"));
    const PointsF points = scene.stored(0, 1);
    ASSERT_EQ(box.size(), 2u);
    EXPECT_FLOAT_EQ(box[0][0], points[0][0] - 0.01f);
    EXPECT_FLOAT_EQ(box[1][0], points[2][0] + 0.01f);
}

TEST_F(Exporters, UsdaBracketsBalance) {
    export_all(Scene(), EXPORT_USDA, 2);
    std::string open;
    for (char c : read("out/scene.usda")) {
        if (c == '(' || c == '[' || c == '{') {
            open += c;
        } else if (c == ')' || c == ']' || c == '}') {
            ASSERT_FALSE(open.empty());
            EXPECT_EQ(open.back(), c == ')' ? '(' : c == ']' ? '[' : '{');
            open.pop_back();
        }
    }
    EXPECT_TRUE(open.empty());
}

// ---- names, formats, interruption -----------------------------------------------------------------------------------

TEST_F(Exporters, NamesAreMadeSafe) {
    Scene scene;
    const export_object point = scene.objects[2];
    const std::string longest(300, 'x');
    std::vector<std::string> names{"a/b", "a b", "a_b",         "../etc",  ".hidden",
                                   "",    "7up", "h\xc3\xa4nd", "two.5-x", longest};
    scene.objects.clear();
    for (size_t i = 0; i < names.size(); i++) {
        scene.objects.push_back(point);
        scene.objects.back().name = names[i].c_str();
        scene.objects.back().first_point = 2 * i;
    }
    export_all(scene, EXPORT_PC2 | EXPORT_USDA, 1);
    std::vector<std::string> expected{"a_b.pc2",
                                      "a_b_2.pc2",
                                      "a_b_3.pc2",
                                      "_._etc.pc2",
                                      "_hidden.pc2",
                                      "_.pc2",
                                      "7up.pc2",
                                      "h\xc3\xa4nd.pc2",
                                      "two.5-x.pc2",
                                      "scene.usda",
                                      std::string(200, 'x') + ".pc2"};
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(list("out"), expected);
    const std::string usda = read("out/scene.usda");
    for (const char* name : {"a_b", "a_b_2", "a_b_3", "___etc", "_hidden", "_", "_up", "h__nd", "two_5_x"}) {
        EXPECT_NE(usda.find("def Points \"" + std::string(name) + "\""), std::string::npos) << name;
    }
}

// By the names of objects that have no ASCII letter, or differ only in case, it is told which is which on any file
// system; a control character and what is cut off within a character are no letters.
TEST_F(Exporters, NamesKeepTheirLetters) {
    Scene scene;
    const export_object point = scene.objects[2];
    const std::string longest = std::string(199, 'x') + "\xc3\xa9";
    const std::vector<std::string> names{"\xc3\xa9", "\xe4\xb8\x8a", "\xe4\xb8\x8b", "a",
                                         "A",        "\xc3\x89",     "\xd0\xaf",     "\xd1\x8f\xf0\x9f\x98\x80",
                                         "\xd1\x8f", "\xc2\x85",     longest};
    scene.objects.clear();
    for (size_t i = 0; i < names.size(); i++) {
        scene.objects.push_back(point);
        scene.objects.back().name = names[i].c_str();
        scene.objects.back().first_point = 2 * i;
    }
    export_all(scene, EXPORT_PC2, 1);
    std::vector<std::string> expected{"\xc3\xa9.pc2",
                                      "\xe4\xb8\x8a.pc2",
                                      "\xe4\xb8\x8b.pc2",
                                      "a.pc2",
                                      "A_2.pc2",
                                      "\xc3\x89_2.pc2",
                                      "\xd0\xaf.pc2",
                                      "\xd1\x8f\xf0\x9f\x98\x80.pc2",
                                      "\xd1\x8f_2.pc2",
                                      "__.pc2",
                                      std::string(199, 'x') + ".pc2"};
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(list("out"), expected);
}

// Names sort as frames do where their numbers have the digits of the last one.
TEST_F(Exporters, NumbersHaveTheDigitsOfTheLastFrame) {
    const Scene scene;
    const std::vector<std::pair<size_t, std::string>> cases{
        {0, "p.0000.obj"}, {9999, "p.0000.obj"}, {10000, "p.00000.obj"}, {1234567, "p.0000000.obj"}};
    for (const auto& c : cases) {
        const std::string folder = "to" + std::to_string(c.first);
        exporter* e = nullptr;
        ASSERT_TRUE(export_open(path(folder).c_str(), EXPORT_OBJ, scene.objects.data(), 3, 60, 0, c.first, &e, &r));
        ASSERT_TRUE(put(e, 0, scene.frame(0))) << r.text;
        ASSERT_TRUE(export_close(e, &r));
        const std::vector<std::string> files = list(folder);
        EXPECT_NE(std::find(files.begin(), files.end(), c.second), files.end()) << c.first;
    }
}

TEST_F(Exporters, Formats) {
    unsigned formats = 0;
    EXPECT_TRUE(export_parse_formats("obj", &formats, &r));
    EXPECT_EQ(formats, unsigned{EXPORT_OBJ});
    EXPECT_TRUE(export_parse_formats("pc2,usda,ply,obj", &formats, &r));
    EXPECT_EQ(formats, all_formats);
    for (const char* bad : {"", "obj,", ",obj", "abc", "OBJ", "obj,obj", "obj;ply", "ob", "objx", "obj, ply"}) {
        r = {};
        formats = 99;
        EXPECT_FALSE(export_parse_formats(bad, &formats, &r)) << bad;
        EXPECT_STRNE(r.text, "") << bad;
        EXPECT_EQ(formats, 99u);
    }
}

TEST_F(Exporters, AnInterruptedExportIsComplete) {
    const Scene scene;
    exporter* e = open(scene, all_formats);
    for (size_t f = 0; f < 3; f++) {
        ASSERT_TRUE(put(e, f, scene.frame(f)));
    }
    for (const std::string& name : list("out")) {
        EXPECT_TRUE(name.find(".part") != std::string::npos || name.find(".000") != std::string::npos) << name;
    }
    ASSERT_TRUE(export_close(e, &r)) << r.text;
    for (const std::string& name : list("out")) {
        EXPECT_EQ(name.find(".part"), std::string::npos) << name;
    }
    EXPECT_EQ(list("out").size(), 3u * 3 * 2 + 3 + 1);
    const std::string usda = read("out/scene.usda");
    EXPECT_NE(usda.find("endTimeCode = 2\n"), std::string::npos);
    expect_samples(prim(usda, "Mesh \"sheet\""), scene, 0, 3);
    const std::string cache = read("out/sheet.pc2");
    size_t at = 28;
    EXPECT_EQ(take<int32_t>(cache, at), 3);
    EXPECT_EQ(cache.size(), 32u + 3 * 4 * 12);
}

TEST_F(Exporters, NothingIsLeftWithoutAFrame) {
    ASSERT_TRUE(export_close(open(Scene(), all_formats), &r)) << r.text;
    EXPECT_TRUE(list("out").empty());
    EXPECT_TRUE(export_close(nullptr, &r));
}

TEST_F(Exporters, FilesFromBeforeAreReplacedAndParentsCreated) {
    const Scene scene;
    for (size_t frames : {4u, 2u}) {
        exporter* e = nullptr;
        ASSERT_TRUE(export_open(path("a/b//c/").c_str(), EXPORT_PC2, scene.objects.data(), 3, 60, 0, 9, &e, &r))
            << r.text;
        for (size_t f = 0; f < frames; f++) {
            ASSERT_TRUE(put(e, f, scene.frame(f)));
        }
        ASSERT_TRUE(export_close(e, &r)) << r.text;
        EXPECT_EQ(read("a/b/c/rope.pc2").size(), 32 + frames * 3 * 12);
    }
}

} // namespace
