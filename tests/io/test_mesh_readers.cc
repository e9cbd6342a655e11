// Good files: what they hold, in the order of the file.
#include "folder.h"
#include "mesh_files.h"

#include <cstring>
#include <filesystem>
#include <vector>

using namespace io;

namespace {

class MeshReaders : public app::Folder {
  protected:
    // The square of mesh_files.h.
    void expect_square(const std::string& path) {
        Read read(path);
        ASSERT_TRUE(read.ok) << read.r.text;
        EXPECT_STREQ(read.r.text, "");
        EXPECT_TRUE(keeps_promises(read.m));
        const double points[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
        const uint32_t triangles[2][3] = {{0, 1, 2}, {0, 2, 3}};
        ASSERT_EQ(read.m.point_count, 4u);
        ASSERT_EQ(read.m.triangle_count, 2u);
        EXPECT_EQ(read.m.edge_count, 5u);
        EXPECT_EQ(memcmp(read.m.points, points, sizeof points), 0);
        EXPECT_EQ(memcmp(read.m.triangles, triangles, sizeof triangles), 0);
    }

    // The two tetrahedra of mesh_files.h.
    void expect_tets(const std::string& path) {
        Read read(path);
        ASSERT_TRUE(read.ok) << read.r.text;
        EXPECT_TRUE(keeps_promises(read.m));
        const double points[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
        const uint32_t tets[2][4] = {{0, 1, 2, 3}, {1, 2, 3, 4}};
        ASSERT_EQ(read.m.point_count, 5u);
        ASSERT_EQ(read.m.tet_count, 2u);
        EXPECT_EQ(read.m.triangle_count, 6u);
        EXPECT_EQ(read.m.edge_count, 9u);
        EXPECT_EQ(memcmp(read.m.points, points, sizeof points), 0);
        EXPECT_EQ(memcmp(read.m.tets, tets, sizeof tets), 0);
    }
};

std::string with_crlf(const std::string& text) {
    std::string out;
    for (char c : text) {
        out += c == '\n' ? "\r\n" : std::string(1, c);
    }
    return out;
}

TEST_F(MeshReaders, ObjKeepsTheOrderOfItsPoints) {
    expect_square(write("square.obj", obj_text));
    Read turned(write("turned.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 3 4 2\nf 4 1 2\n"));
    ASSERT_TRUE(turned.ok) << turned.r.text;
    EXPECT_EQ(turned.m.points[0][0], 0);
    EXPECT_EQ(turned.m.triangles[0][0], 2u);
}

TEST_F(MeshReaders, ObjKeepsFloat64) {
    Read read(write("exact.obj", "v 0.1 0 0\nv 1 0 1e-300\nv 0 1 0\nf 1 2 3\n"));
    ASSERT_TRUE(read.ok) << read.r.text;
    EXPECT_EQ(read.m.points[0][0], 0.1);
    EXPECT_EQ(read.m.points[1][2], 1e-300);
}

TEST_F(MeshReaders, ObjKeepsPointsThatCoincideApart) {
    Read read(write("seam.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 4 6 5\n"));
    ASSERT_TRUE(read.ok) << read.r.text;
    EXPECT_EQ(read.m.point_count, 6u);
}

TEST_F(MeshReaders, PolygonsAreFanned) {
    Read read(write("pentagon.obj", "v 0 0 0\nv 2 0 0\nv 3 1 0\nv 2 2 0\nv 0 2 0\nf 1 2 3 4 5\n"));
    ASSERT_TRUE(read.ok) << read.r.text;
    const uint32_t fan[3][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}};
    ASSERT_EQ(read.m.triangle_count, 3u);
    EXPECT_EQ(memcmp(read.m.triangles, fan, sizeof fan), 0);
}

TEST_F(MeshReaders, UnusedPointsAreDropped) {
    Read read(write("loose.obj", "v 9 9 9\nv 0 0 0\nv 1 0 0\nv 8 8 8\nv 0 1 0\nf 2 3 5\n"));
    ASSERT_TRUE(read.ok) << read.r.text;
    ASSERT_EQ(read.m.point_count, 3u);
    EXPECT_EQ(read.m.points[2][1], 1);
    EXPECT_EQ(read.m.triangles[0][2], 2u);
}

TEST_F(MeshReaders, EndsOfLinesAndByteOrderMarksDoNotMatter) {
    expect_square(write("windows.obj", "\xef\xbb\xbf" + with_crlf(obj_text)));
    expect_tets(write("windows.msh", with_crlf(gmsh_2_text)));
    expect_tets(write("windows.vtk", with_crlf(vtk_5_text)));
    std::string open_end = gmsh_4_text;
    open_end.pop_back();
    expect_tets(write("open_end.msh", open_end));
}

TEST_F(MeshReaders, OtherSurfacesComeThroughAssimp) {
    expect_square(write("square.ply", ply_text));
    expect_square(write("square.off", off_text));
    expect_square(write("square.stl", stl_text));
    expect_square(write("SQUARE.STL", stl_text));
}

// A triangle that two nodes place, 10 m apart.
TEST_F(MeshReaders, NodesPlaceTheirMeshes) {
    Read read(write("two.gltf", R"({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0, 1]}],
        "nodes": [{"mesh": 0}, {"mesh": 0, "translation": [0, 10, 0]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "buffers": [{"byteLength": 36, "uri": "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}]})"));
    ASSERT_TRUE(read.ok) << read.r.text;
    EXPECT_TRUE(keeps_promises(read.m));
    ASSERT_EQ(read.m.point_count, 6u);
    ASSERT_EQ(read.m.triangle_count, 2u);
    EXPECT_EQ(read.m.points[4][0], 1);
    EXPECT_EQ(read.m.points[4][1], 10);
}

TEST_F(MeshReaders, Gmsh) {
    expect_tets(write("two.msh", gmsh_2_text));
    expect_tets(write("four.msh", gmsh_4_text));
    expect_tets(write("FOUR.MSH", gmsh_4_text));
}

TEST_F(MeshReaders, Vtk) {
    expect_tets(write("two.vtk", vtk_2_text));
    expect_tets(write("five.vtk", vtk_5_text));
}

TEST_F(MeshReaders, TetgenByEitherFile) {
    write("pair.1.ele", ele_text);
    const std::string node = write("pair.1.node", node_text);
    expect_tets(node);
    expect_tets(path("pair.1.ele"));
}

TEST_F(MeshReaders, TetgenFromZero) {
    write("zero.ele", "2 4 0\n0 0 1 2 3\n1 1 2 3 4\n");
    expect_tets(write("zero.node", "5 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n4 1 1 1\n"));
}

TEST_F(MeshReaders, TetgenInCapitals) {
    write("PAIR.NODE", node_text);
    expect_tets(write("PAIR.ELE", ele_text));
}

TEST_F(MeshReaders, BoundaryOfOneTetFacesOutwards) {
    Read read(write("one.vtk", with(with(with(vtk_2_text, "CELLS 3 14", "CELLS 1 5"), "3 0 1 2\n", ""),
                                    "4 1 2 3 4\nCELL_TYPES 3\n5\n10\n10", "CELL_TYPES 1\n10")));
    ASSERT_TRUE(read.ok) << read.r.text;
    EXPECT_TRUE(keeps_promises(read.m));
    EXPECT_EQ(read.m.triangle_count, 4u);
    EXPECT_EQ(read.m.point_count, 4u);
}

TEST_F(MeshReaders, EdgesOfTetrahedraWithoutTriangles) {
    uint32_t tets[2][4] = {{0, 1, 2, 3}, {1, 2, 3, 4}};
    mesh m{};
    report r{};
    m.point_count = 5;
    m.tet_count = 2;
    m.tets = tets;
    ASSERT_TRUE(mesh_build_edges(&m, &r));
    EXPECT_EQ(m.edge_count, 9u);
    m.tets = nullptr;
    mesh_free(&m);
}

TEST_F(MeshReaders, FreeLeavesAZeroedMesh) {
    Read read(write("two.msh", gmsh_2_text));
    mesh_free(&read.m);
    mesh_free(&read.m);
    EXPECT_EQ(read.m.points, nullptr);
    EXPECT_EQ(read.m.tet_count, 0u);
}

} // namespace
