// Binary Gmsh files, which are written here number by number, and surfaces of either form.
#include "folder.h"
#include "mesh_files.h"

#include <algorithm>
#include <cstring>
#include <vector>

using namespace io;

namespace {

// Packed numbers, in the order of bytes of this machine or the other one.
struct Packed {
    std::string bytes;
    bool swapped = false;
    template <class T> Packed& put(T value) {
        char raw[sizeof value];
        memcpy(raw, &value, sizeof value);
        if (swapped) {
            std::reverse(raw, raw + sizeof raw);
        }
        bytes.append(raw, sizeof raw);
        return *this;
    }
    template <class T> Packed& put_all(const std::vector<T>& values) {
        for (T value : values) {
            put(value);
        }
        return *this;
    }
};

struct Node {
    int tag;
    double x, y, z;
};

// The points of mesh_files.h, numbered out of order, an unused one among them.
const std::vector<Node> nodes = {{7, 0, 0, 0}, {11, 1, 0, 0}, {5, 0, 1, 0}, {99, 9, 9, 9}, {2, 0, 0, 1}, {3, 1, 1, 1}};

std::string head(const char* version, bool swapped) {
    Packed one{"", swapped};
    return std::string("$MeshFormat\n") + version + " 1 8\n" + one.put(int32_t{1}).bytes +
           "\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 "
           "\"body\"\n$EndPhysicalNames\n$Other\n\x01$EndOth\xff\n$\n$EndOther\n";
}

// A point, a triangle and a quadrilateral beside the tetrahedra.
std::string version_2(bool swapped = false) {
    Packed n{"", swapped}, e{"", swapped};
    for (const Node& node : nodes) {
        n.put(int32_t{node.tag}).put(node.x).put(node.y).put(node.z);
    }
    e.put_all<int32_t>({15, 1, 2, 1, 0, 1, 7});
    e.put_all<int32_t>({2, 1, 2, 2, 0, -1, 7, 11, 5});
    e.put_all<int32_t>({4, 2, 1, 3, 1, 7, 11, 5, 2, 4, 1, 11, 5, 2, 3});
    e.put_all<int32_t>({3, 1, 0, 5, 7, 11, 3, 5});
    return head("2.2", swapped) + "$Nodes\n6\n" + n.bytes + "\n$EndNodes\n$Elements\n5\n" + e.bytes +
           "\n$EndElements\n";
}

std::string version_4(bool swapped = false) {
    Packed n{"", swapped}, e{"", swapped};
    n.put_all<uint64_t>({2, 6, 2, 99});
    n.put_all<int32_t>({2, -1, 1}).put(uint64_t{2}).put_all<uint64_t>({7, 11}); // a face, with parameters
    n.put_all<double>({0, 0, 0, 0.5, 0.5, 1, 0, 0, 0.5, 0.25});
    n.put_all<int32_t>({3, 1, 0}).put(uint64_t{4}).put_all<uint64_t>({5, 99, 2, 3});
    n.put_all<double>({0, 1, 0, 9, 9, 9, 0, 0, 1, 1, 1, 1});
    e.put_all<uint64_t>({3, 4, 1, 4});
    e.put_all<int32_t>({2, 1, 2}).put(uint64_t{1}).put_all<uint64_t>({1, 7, 11, 5});
    e.put_all<int32_t>({3, 1, 4}).put(uint64_t{2}).put_all<uint64_t>({2, 7, 11, 5, 2, 3, 11, 5, 2, 3});
    e.put_all<int32_t>({2, 1, 3}).put(uint64_t{1}).put_all<uint64_t>({4, 7, 11, 3, 5});
    return head("4.1", swapped) + "$Nodes\n" + n.bytes + "\n$EndNodes\n$Elements\n" + e.bytes + "\n$EndElements\n";
}

class GmshBinary : private InMemory, public app::Folder {
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
    void expect_surface(const std::string& file) {
        Read read(file, false);
        ASSERT_TRUE(read.ok) << read.r.text;
        EXPECT_TRUE(keeps_promises(read.m));
        const double points[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 1}};
        const uint32_t triangles[3][3] = {{0, 1, 2}, {0, 1, 3}, {0, 3, 2}};
        ASSERT_EQ(read.m.point_count, 4u);
        ASSERT_EQ(read.m.triangle_count, 3u);
        EXPECT_EQ(memcmp(read.m.points, points, sizeof points), 0);
        EXPECT_EQ(memcmp(read.m.triangles, triangles, sizeof triangles), 0);
    }
    void expect_refusal(const std::string& text, const char* cause, bool tets = true) {
        Read read(write("bad.msh", text), tets);
        EXPECT_TRUE(is_refusal(read, path("bad.msh"))) << cause;
        EXPECT_NE(std::string(read.r.text).find(cause), std::string::npos) << read.r.text;
    }
    void never_harms(const std::string& text) {
        for (bool tets : {true, false}) {
            Read read(write("bad.msh", text), tets);
            ASSERT_TRUE(read.ok ? keeps_promises(read.m) : is_refusal(read, path("bad.msh")));
        }
    }
};

TEST_F(GmshBinary, TetrahedraInBothVersionsAndOrders) {
    for (bool swapped : {false, true}) {
        expect_tets(write("two.msh", version_2(swapped)));
        expect_tets(write("four.msh", version_4(swapped)));
    }
}

TEST_F(GmshBinary, SurfacesInBothVersionsAndForms) {
    expect_surface(write("two.msh", version_2()));
    expect_surface(write("four.msh", version_4(true)));
    const std::string quad_2 =
        with(with(gmsh_2_text, "\n4\n1 15", "\n5\n1 15"), "$EndElements", "5 3 0 7 11 3 5\n$EndElements");
    expect_surface(write("text.msh", quad_2));
    const std::string quad_4 =
        with(with(gmsh_4_text, "2 3 1 3\n", "3 4 1 4\n"), "$EndElements", "2 1 3 1\n4 7 11 3 5\n$EndElements");
    expect_surface(write("text.msh", quad_4));
}

TEST_F(GmshBinary, DamageIsRefusedWithItsPlace) {
    const std::string two = version_2(), four = version_4();
    expect_refusal(with(two, " 1 8\n", " 1 4\n"), "sizes of 4 bytes");
    expect_refusal(with(two, "2.2 1", "4.0 1"), "Gmsh version 4 is not read");
    expect_refusal(with(two, "$EndOther", "$EndOthex"), "the file ends where $EndOther should stand");
    expect_refusal(with(two, "$Nodes\n6", "$Nodes\n7"), "byte ");
    expect_refusal(with(two, "$Nodes\n6", "$Nodes\n600"), "600 nodes are announced");
    expect_refusal(with(two, "$Elements\n5", "$Elements\n3"), "the size of a block");
    expect_refusal(with(two, "$Elements\n5", "$Elements\n6"), "byte ");
    expect_refusal(with(two, "$Nodes\n6\n", "$ParametricNodes\n6\n"), "nodes with parameters");
    Packed hexahedron, unknown;
    hexahedron.put_all<int32_t>({5, 1, 0, 6, 7, 11, 5, 2, 3, 99, 7, 11});
    unknown.put_all<int32_t>({77, 1, 0, 6, 7, 11, 5, 2, 3, 99, 7, 11});
    const std::string six = with(two, "$Elements\n5", "$Elements\n6");
    expect_refusal(with(six, "\n$EndElements", hexahedron.bytes + "\n$EndElements"), "an element of type 5 where");
    expect_refusal(with(six, "\n$EndElements", unknown.bytes + "\n$EndElements"), "an element of type 77 where");
    expect_refusal(with(six, "\n$EndElements", unknown.bytes + "\n$EndElements"), "an element of type 77 where", false);
    expect_surface(write("six.msh", with(six, "\n$EndElements", hexahedron.bytes + "\n$EndElements")));
    Packed curved;
    curved.put_all<int32_t>({9, 1, 0, 6, 7, 11, 5, 2, 3, 99});
    expect_refusal(with(six, "\n$EndElements", curved.bytes + "\n$EndElements"), "an element of type 9 where", false);
    expect_tets(write("six.msh", with(six, "\n$EndElements", curved.bytes + "\n$EndElements")));
    Packed endless, nan;
    endless.put(uint64_t{1} << 60);
    std::string many = four;
    many.replace(many.find("$Nodes\n") + 15, 8, endless.bytes);
    expect_refusal(many, "nodes are announced, more than the");
    std::string bad = two;
    nan.put(0.0 / 0.0);
    bad.replace(bad.find("$Nodes\n6\n") + 13, 8, nan.bytes);
    expect_refusal(bad, "a coordinate is");
    std::string order = two;
    order.replace(order.find(" 1 8\n") + 5, 4, std::string("\2\0\0\0", 4));
    expect_refusal(order, "the order of bytes");
}

TEST_F(GmshBinary, EveryTruncationAndByteIsWholeOrRefused) {
    for (const std::string& good : {version_2(), version_4(), version_4(true)}) {
        for (size_t length = 0; length < good.size(); length++) {
            never_harms(good.substr(0, length));
        }
        for (size_t at = 0; at < good.size(); at++) {
            for (int bits : {1, 4, 32, 128, 255}) {
                std::string bad = good;
                bad[at] = static_cast<char>(bad[at] ^ bits);
                never_harms(bad);
            }
        }
    }
}

} // namespace
