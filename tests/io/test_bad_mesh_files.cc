// Bad files: each is refused with a sentence that names the file and the cause.
#include "folder.h"
#include "mesh_files.h"

#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

using namespace io;

namespace {

struct Bad {
    std::string name; // of the file
    std::string text;
    std::string cause; // part of the sentence; with the line where there is one
};

void PrintTo(const Bad& bad, std::ostream* stream) {
    *stream << bad.name << ": " << bad.cause;
}

class BadMeshFiles : public app::Folder, public testing::WithParamInterface<Bad> {
  protected:
    void expect_refusal(const std::string& path, const std::string& cause) {
        Read read(path);
        EXPECT_TRUE(is_refusal(read, path));
        EXPECT_NE(std::string(read.r.text).find(cause), std::string::npos) << read.r.text;
    }
};

TEST_P(BadMeshFiles, AreRefused) {
    const Bad& bad = GetParam();
    expect_refusal(write(bad.name, bad.text), bad.cause);
}

const std::string garbage = std::string("\x7f"
                                        "ELF\x02\x01\x01",
                                        7) +
                            std::string(9, '\0') + "\x03\xff\xfe\x80";
const std::string triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";

std::string cut(const std::string& text, const std::string& from) {
    return text.substr(0, text.find(from));
}

INSTANTIATE_TEST_SUITE_P(
    Obj, BadMeshFiles,
    testing::Values(Bad{"a.obj", "", "is empty"}, Bad{"a.obj", garbage, "zero bytes"},
                    Bad{"a.obj", triangle, "holds no triangle"}, Bad{"a.obj", "\n\n# nothing\n", "holds no triangle"},
                    Bad{"a.obj", "v 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", ":1: the line ends"},
                    Bad{"a.obj", "v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", ":1: 'nan'"},
                    Bad{"a.obj", "v 0 0 0\nv inf 0 0\nv 0 1 0\nf 1 2 3\n", ":2: 'inf'"},
                    Bad{"a.obj", "v 0 0 0\nv 1e999 0 0\nv 0 1 0\nf 1 2 3\n", ":2: '1e999' is beyond"},
                    Bad{"a.obj", "v 0 0 0\nv 1e200 0 0\nv 0 1 0\nf 1 2 3\n", "point 2 has the coordinate 1e+200"},
                    Bad{"a.obj", "v 0 0 0\nv 0x1p3 0 0\nv 0 1 0\nf 1 2 3\n", ":2: '0x1p3'"},
                    Bad{"a.obj", "v 0 0 0\nv 1,5 0 0\nv 0 1 0\nf 1 2 3\n", ":2: '1,5'"},
                    Bad{"a.obj", triangle + "f 1 2 4\n", ":4: triangle 1 has a corner that is none of the points"},
                    Bad{"a.obj", triangle + "f 0 1 2\n", ":4: '0' is no corner"},
                    Bad{"a.obj", triangle + "f -1 -2 -4\n", ":4: '-4' is no corner"},
                    Bad{"a.obj", triangle + "f 1 2 99999999999999999999\n", ":4: '99999999999999999999'"},
                    Bad{"a.obj", triangle + "f 1 2\n", ":4: triangle 1 has the same corner twice"},
                    Bad{"a.obj", triangle + "f 1\n", ":4: the line ends"},
                    Bad{"a.obj", triangle + "f 1 2 3x\n", ":4: '3x' is no corner"},
                    Bad{"a.obj", triangle + "f 1 2 2\n", ":4: triangle 1 has the same corner twice"},
                    Bad{"a.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n", ":4: triangle 1 has zero area"},
                    Bad{"a.obj", "v 1 1 1\nv 1 1 1\nv 1 1 1\nf 1 2 3\n", ":4: triangle 1 has zero area"},
                    Bad{"a.obj", triangle + "w 1 2 3\n", "holds no triangle"}));

INSTANTIATE_TEST_SUITE_P(Assimp, BadMeshFiles,
                         testing::Values(Bad{"a.ply", "", "is empty"}, Bad{"a.ply", garbage, "end_header"},
                                         Bad{"a.ply", cut(ply_text, "property list"), "end_header"},
                                         Bad{"a.ply", with(ply_text, "3 0 2 3", "3 0 2 7"), "7"},
                                         Bad{"a.ply", with(ply_text, "1 1 0\n", "nan 1 0\n"), "coordinate nan"},
                                         Bad{"a.ply", with(ply_text, "1 1 0\n", "2 0 0\n"), "triangle 1 has zero area"},
                                         Bad{"a.off", cut(off_text, "3 0 1 2"), "a.off"},
                                         Bad{"a.off", garbage, "cannot be read as a surface"},
                                         Bad{"a.stl", cut(stl_text, "facet"), "a.stl"}, Bad{"a.stl", garbage, "a.stl"},
                                         Bad{"a.xyz", "0 0 0\n", "files that end in 'xyz'"},
                                         Bad{"noending", "0 0 0\n", "files that end in ''"}));

INSTANTIATE_TEST_SUITE_P(
    Gmsh2, BadMeshFiles,
    testing::Values(
        Bad{"a.msh", "", "is empty"}, Bad{"a.msh", garbage, "zero bytes"}, Bad{"a.msh", " \n", "the file ends"},
        Bad{"a.msh", "hello\n", ":1: 'hello' stands where $MeshFormat"},
        Bad{"a.msh", "$NOD\n1\n1 0 0 0\n$ENDNOD\n", ":1: Gmsh version 1"},
        Bad{"a.msh", with(gmsh_2_text, "2.2 0 8", "2.2 1 8"), "the order of bytes"},
        Bad{"a.msh", with(gmsh_2_text, "2.2 0 8", "4.0 0 8"), ":2: Gmsh version 4 is not read"},
        Bad{"a.msh", with(gmsh_2_text, "2.2 0 8", "2.2 0"), ":2: the line ends"},
        Bad{"a.msh", cut(gmsh_2_text, "$Elements"), "ends without"},
        Bad{"a.msh", with(with(gmsh_2_text, "$Nodes", "$Other"), "$EndNodes", "$EndOther"), "$Elements without $Nodes"},
        Bad{"a.msh", cut(gmsh_2_text, "99 9"), ":9: 6 nodes are announced"},
        Bad{"a.msh", with(cut(gmsh_2_text, "3 1 1 1\n"), "99 9 9", "99 9.000 9.000"),
            ":15: the file ends where a node should stand"},
        Bad{"a.msh", cut(gmsh_2_text, "3 4 2 1"), "4 elements are announced"},
        Bad{"a.msh", cut(gmsh_2_text, "-1 11 5 2 3"), ":22: the file ends where a tag should stand"},
        Bad{"a.msh", with(gmsh_2_text, "$EndElements\n", ""), "the file ends where $EndElements"},
        Bad{"a.msh", with(gmsh_2_text, "\n6\n", "\n7\n"), "'$EndNodes' stands where a node number"},
        Bad{"a.msh", with(gmsh_2_text, "\n6\n", "\n5\n"), "'3' stands where $EndNodes"},
        Bad{"a.msh", with(gmsh_2_text, "\n6\n", "\n4000000000\n"), ":9: 4000000000 nodes are announced"},
        Bad{"a.msh", with(gmsh_2_text, "\n6\n", "\n-6\n"), ":9: '-6'"},
        Bad{"a.msh", with(gmsh_2_text, "\n6\n", "\n18446744073709551617\n"), ":9: '18446744073709551617'"},
        Bad{"a.msh", with(gmsh_2_text, "\n4\n1 15", "\n5000000\n1 15"), "5000000 elements are announced"},
        Bad{"a.msh", with(gmsh_2_text, "5 0 1 0", "7 0 1 0"), "node 7 is given twice"},
        Bad{"a.msh", with(gmsh_2_text, "5 0 1 0", "5 0 nan 0"), ":12: 'nan'"},
        Bad{"a.msh", with(gmsh_2_text, "5 0 1 0", "5 0 1e999 0"), ":12: '1e999'"},
        Bad{"a.msh", with(gmsh_2_text, "5 0 1 0", "5 0 1"), ":12: the line ends"},
        Bad{"a.msh", with(gmsh_2_text, "5 0 1 0", "5 0 1 0 0"), ":12: '0' is left over"},
        Bad{"a.msh", with(gmsh_2_text, "7 11 5 2\n", "7 11 5 4\n"), ":21: there is no node 4"},
        Bad{"a.msh", with(gmsh_2_text, "7 11 5 2\n", "7 11 5 -2\n"), ":21: '-2'"},
        Bad{"a.msh", with(gmsh_2_text, "7 11 5 2\n", "7 11 5 5\n"), ":21: tetrahedron 1 has the same corner twice"},
        Bad{"a.msh", with(gmsh_2_text, "7 11 5 2\n", "11 7 5 2\n"), ":21: tetrahedron 1 is inverted"},
        Bad{"a.msh", with(gmsh_2_text, "2 0 0 1\n", "2 1 1 0\n"), ":21: tetrahedron 1 is flat"},
        Bad{"a.msh", with(gmsh_2_text, "3 4 2 1 1", "3 5 2 1 1"), ":21: an element of type 5"},
        Bad{"a.msh", with(gmsh_2_text, "11 5 2 3\n", "7 11 5 2\n"), "lies on the same side of a face as tetrahedron 1"},
        Bad{"a.msh", with(gmsh_2_text, "$EndPhysicalNames", "$End"), "where $EndPhysicalNames should"},
        Bad{"a.msh",
            with(with(gmsh_2_text, "\n4\n1 15", "\n5\n1 15"), "$EndElements", "5 4 1 0 11 5 2 99\n$EndElements"),
            ":23: tetrahedron 3 lies on the same side of a face as tetrahedron 2"},
        Bad{"a.msh", std::string(gmsh_2_text) + "$Elements\n0\n$EndElements\n", "second section $Elements"},
        Bad{"a.msh", std::string(gmsh_2_text) + "$Nodes\n1\n1 0 0 0\n$EndNodes\n", "second section $Nodes"},
        Bad{"a.msh", std::string(gmsh_2_text) + "left over\n", ":24: 'left' stands where a section"}));

INSTANTIATE_TEST_SUITE_P(
    Gmsh4, BadMeshFiles,
    testing::Values(Bad{"a.msh", with(gmsh_4_text, "2 6 2 99", "2 7 2 99"), "7 nodes are announced"},
                    Bad{"a.msh", with(gmsh_4_text, "2 6 2 99", "2 5 2 99"), "the block has 4 nodes"},
                    Bad{"a.msh", with(gmsh_4_text, "2 6 2 99", "1 6 2 99"), "6 nodes are announced"},
                    Bad{"a.msh", with(gmsh_4_text, "2 6 2 99", "3 6 2 99"), "$EndNodes"},
                    Bad{"a.msh", with(gmsh_4_text, "2 6 2 99", "2 99999999999 2 99"),
                        "99999999999 nodes are announced"},
                    Bad{"a.msh", with(gmsh_4_text, "3 1 0 4", "3 1 0 18446744073709551615"), "the block has"},
                    Bad{"a.msh", with(gmsh_4_text, "3 1 0 4", "4 1 0 4"), "a dimension"},
                    Bad{"a.msh", with(gmsh_4_text, "0.5 0.25", "0.5"), "the line ends where a parametric"},
                    Bad{"a.msh", with(gmsh_4_text, "\n99\n2\n", "\n7\n2\n"), "node 7 is given twice"},
                    Bad{"a.msh", with(gmsh_4_text, "2 3 1 3", "2 4 1 4"), "4 elements are announced"},
                    Bad{"a.msh", with(gmsh_4_text, "3 1 4 2", "3 1 5 2"), "an element of type 5"},
                    Bad{"a.msh", with(gmsh_4_text, "3 11 5 2 3", "3 11 5 2 8"), "there is no node 8"},
                    Bad{"a.msh", with(gmsh_4_text, "3 11 5 2 3\n", ""), "$EndElements"},
                    Bad{"a.msh", cut(gmsh_4_text, "1 1 1\n$EndNodes"), "the file ends"}));

INSTANTIATE_TEST_SUITE_P(
    Vtk, BadMeshFiles,
    testing::Values(
        Bad{"a.vtk", "", "is empty"}, Bad{"a.vtk", garbage, "zero bytes"},
        Bad{"a.vtk", "<VTKFile>\n", ":1: is no legacy VTK file"},
        Bad{"a.vtk", with(vtk_2_text, "ASCII", "BINARY"), ":3: binary"},
        Bad{"a.vtk", with(vtk_2_text, "UNSTRUCTURED_GRID", "POLYDATA"), ":4: 'POLYDATA'"},
        Bad{"a.vtk", cut(vtk_2_text, "CELLS"), "ends without"},
        Bad{"a.vtk", cut(vtk_2_text, "CELL_TYPES"), "ends without"},
        Bad{"a.vtk", cut(vtk_2_text, "0 0 1\n1 1 1"), "5 points are announced"},
        Bad{"a.vtk", cut(vtk_2_text, "1 1\nCELLS"), ":8: the file ends where a coordinate"},
        Bad{"a.vtk", cut(vtk_2_text, "5\n10"), "cell types are announced"},
        Bad{"a.vtk", with(vtk_2_text, "POINTS 5", "POINTS 6"), "'CELLS' stands where a coordinate"},
        Bad{"a.vtk", with(vtk_2_text, "POINTS 5", "POINTS 4"), ":8: '1' stands where a section"},
        Bad{"a.vtk", with(vtk_2_text, "POINTS 5", "POINTS 2000000000"), "2000000000 points are announced"},
        Bad{"a.vtk", with(vtk_2_text, "POINTS 5", "POINTS -5"), ":5: '-5'"},
        Bad{"a.vtk", with(vtk_2_text, "0 0 1\n", "0 0 -nan\n"), ":7: '-nan'"},
        Bad{"a.vtk", with(vtk_2_text, "CELLS 3 14", "CELLS 3 13"), "the number of corners of a cell"},
        Bad{"a.vtk", with(vtk_2_text, "CELLS 3 14", "CELLS 3 15"), "15 numbers"},
        Bad{"a.vtk", with(vtk_2_text, "CELLS 3 14", "CELLS 3 2"), "do not fit"},
        Bad{"a.vtk", with(vtk_2_text, "CELLS 3 14", "CELLS 4000000000 14"), "4000000000 cells are announced"},
        Bad{"a.vtk", with(vtk_2_text, "4 1 2 3 4", "4 1 2 3 5"), ":12: there is no point 5"},
        Bad{"a.vtk", with(vtk_2_text, "4 1 2 3 4", "4 1 2 3 -1"), ":12: '-1'"},
        Bad{"a.vtk", with(vtk_2_text, "4 1 2 3 4", "4 1 2 3 3"), ":12: tetrahedron 2 has the same corner twice"},
        Bad{"a.vtk", with(vtk_2_text, "4 1 2 3 4", "4 2 1 3 4"), ":12: tetrahedron 2 is inverted"},
        Bad{"a.vtk", with(vtk_2_text, "1 1 1\n", "0.5 0.5 0\n"), ":12: tetrahedron 2 is flat"},
        Bad{"a.vtk", with(vtk_2_text, "5\n10\n10\n", "10\n10\n10\n"), "line 10 has 3 corners"},
        Bad{"a.vtk", with(vtk_2_text, "5\n10\n10\n", "5\n12\n10\n"), ":15: a cell of type 12"},
        Bad{"a.vtk", with(vtk_2_text, "CELL_TYPES 3", "CELL_TYPES 2"), "2 cell types for 3 cells"},
        Bad{"a.vtk", with(vtk_5_text, "0 3 7 11", "0 7 3 11"), "out of order"},
        Bad{"a.vtk", with(vtk_5_text, "0 3 7 11", "0 3 7 10"), "the offsets end with 10"},
        Bad{"a.vtk", with(vtk_5_text, "0 3 7 11", "1 3 7 11"), "out of order"},
        Bad{"a.vtk", with(vtk_5_text, "0 3 7 11", "0 3 7 12"), "'12'"},
        Bad{"a.vtk", with(vtk_5_text, "TIME 1 1", "TIME 1000000 1000000"), "announced"}));

struct BadPair {
    std::string node, ele, cause;
};

TEST_F(BadMeshFiles, TetgenPairs) {
    const std::vector<BadPair> pairs{
        {"", ele_text, ".node: is empty"},
        {node_text, "", ".ele: is empty"},
        {garbage, ele_text, ".node: holds zero bytes"},
        {with(node_text, "5 3 1 1", "6 3 1 1"), ele_text, ".node:8: the file ends"},
        {with(node_text, "5 3 1 1", "4 3 1 1"), ele_text, ".node:7: '5  1 1 1  0.5 1' is left over"},
        {with(node_text, "5 3 1 1", "5 2 1 1"), ele_text, ".node:2: points in 2"},
        {with(node_text, "5 3 1 1", "999999999 3 1 1"), ele_text, ".node:2: 999999999 points"},
        {with(node_text, "5 3 1 1", "5 3 2 1"), ele_text, ".node:3: the line ends"},
        {with(node_text, "3  0 1 0", "2  0 1 0"), ele_text, ".node:5: number 2 stands where 3"},
        {with(node_text, "3  0 1 0", "3  0 inf 0"), ele_text, ".node:5: 'inf'"},
        {node_text, with(ele_text, "2 4 1", "3 4 1"), ".ele:5: the file ends"},
        {node_text, with(ele_text, "2 4 1", "1 4 1"), ".ele:3: '2  2 3 4 5  7' is left over"},
        {node_text, with(ele_text, "2 4 1", "2 10 1"), ".ele:1: tetrahedra with 10 corners"},
        {node_text, with(ele_text, "1 2 3 4  7", "1 2 3 6  7"), ".ele:2: there is no point 6"},
        {node_text, with(ele_text, "1 2 3 4  7", "0 1 2 3  7"), ".ele:2: there is no point 0"},
        {node_text, with(ele_text, "1 2 3 4  7", "2 1 3 4  7"), "tetrahedron 1 is inverted"},
        {node_text, with(ele_text, "1 2 3 4  7", "1 2 3 3  7"), "tetrahedron 1 has the same corner twice"}};
    for (const BadPair& pair : pairs) {
        write("p.node", pair.node);
        write("p.ele", pair.ele);
        expect_refusal(path("p.node"), pair.cause);
        expect_refusal(path("p.ele"), pair.cause);
    }
}

TEST_F(BadMeshFiles, TetgenWithoutPartner) {
    expect_refusal(write("one.node", node_text), "one.ele: cannot be read: No such file");
    expect_refusal(write("two.ele", ele_text), "two.node: cannot be read: No such file");
}

TEST_F(BadMeshFiles, WhatIsNoFile) {
    for (const char* ending : {"obj", "ply", "msh", "vtk", "node"}) {
        expect_refusal(path("missing.") + ending, "No such file");
        std::filesystem::create_directory(path("folder.") + ending);
        expect_refusal(path("folder.") + ending, "is a directory");
        ASSERT_EQ(mkfifo((path("pipe.") + ending).c_str(), 0600), 0);
        expect_refusal(path("pipe.") + ending, "is a device or pipe");
    }
}

TEST_F(BadMeshFiles, TooLarge) {
    for (const char* ending : {"obj", "ply", "msh", "vtk", "node"}) {
        const std::string large = write(std::string("large.") + ending, "x");
        ASSERT_EQ(truncate(large.c_str(), off_t{3} << 30), 0);
        expect_refusal(large, "larger than 2 GiB");
    }
}

TEST_F(BadMeshFiles, Medit) {
    const std::string head = "MeshVersionFormatted 2\nDimension 3\n";
    const std::string vertices = "Vertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n";
    const auto refuse = [&](const std::string& text, const char* cause) {
        expect_refusal(write("a.mesh", text), cause);
    };
    refuse("MeshVersionFormatted 2\n", ":2: the file ends where Dimension should stand");
    refuse("MeshVersionFormatted 2\nDimension 2\n" + vertices, "points in 2 dimensions");
    refuse("solid x\n", "'solid' stands where MeshVersionFormatted should");
    refuse(head + vertices, "ends without Vertices and Tetrahedra");
    refuse(head + "Tetrahedra\n1\n1 2 3 4 0\n", "Tetrahedra without Vertices");
    refuse(head + vertices + vertices, "a second section Vertices");
    refuse(head + vertices + "Tetrahedra\n1\n1 2 3 5 0\n", "there is no vertex 5");
    refuse(head + vertices + "Tetrahedra\n1\n0 1 2 3 0\n", "there is no vertex 0");
    refuse(head + vertices + "Tetrahedra\n1\n2 1 3 4 0\n", "inverted");
    refuse(head + vertices + "Tetrahedra\n9\n1 2 3 4 0\n", "9 tetrahedra are announced");
    refuse(head + "Vertices\n99999999999\n0 0 0 0\n", "vertices are announced");
    refuse(head + vertices + "Hexahedra\n1\n1 2 3 4 1 2 3 4 0\n", "Hexahedra where only linear tetrahedra");
    const auto refuse_surface = [&](const std::string& text, const char* cause) {
        Read read(write("a.mesh", text), false);
        EXPECT_NE(std::string(read.r.text).find(cause), std::string::npos) << read.r.text;
    };
    refuse_surface(head + vertices + "Triangles\n1\n1 2 5 0\n", "there is no vertex 5");
    refuse_surface(head + vertices + "Tetrahedra\n1\n1 2 3 4 0\n", "ends without Vertices and Triangles");
    refuse(head + vertices + "7\n", "'7' stands where a section");
}

TEST_F(BadMeshFiles, EndingsThatAreNotTets) {
    report r{};
    mesh m{};
    const std::string obj = write("a.obj", obj_text);
    EXPECT_FALSE(mesh_read_tets(obj.c_str(), &m, &r));
    EXPECT_NE(std::string(r.text).find(".msh, .mesh, .vtk, .vtu, .node or .ele"), std::string::npos) << r.text;
}

TEST_F(BadMeshFiles, EveryTruncationOfTextIsRefusedOrWhole) {
    for (const auto& [name, text] : {std::pair<std::string, std::string>{"cut.msh", gmsh_2_text},
                                     {"cut.msh", gmsh_4_text},
                                     {"cut.vtk", vtk_2_text},
                                     {"cut.vtk", vtk_5_text}}) {
        for (size_t length = 0; length < text.size(); length++) {
            Read read(write(name, text.substr(0, length)));
            EXPECT_TRUE(read.ok ? keeps_promises(read.m) : is_refusal(read, path(name))) << length;
            /* A VTK file has no end mark: its last cell type can be cut from 10 to 1. */
            EXPECT_TRUE(!read.ok || read.m.tet_count == 2 || name == "cut.vtk") << length;
        }
    }
}

} // namespace
