#include "mesh_files.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>
#include <vector>

namespace io {

namespace {

bool holds_tets(const std::string& path) {
    static const std::set<std::string> endings{"msh", "vtk", "node", "ele", "mesh", "MSH", "ELE"};
    return endings.count(path.substr(path.rfind('.') + 1)) > 0;
}

using Vec = std::array<long double, 3>;

Vec minus(const double* a, const double* b) {
    return {static_cast<long double>(a[0]) - b[0], static_cast<long double>(a[1]) - b[1],
            static_cast<long double>(a[2]) - b[2]};
}

Vec cross(const Vec& a, const Vec& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

long double dot(const Vec& a, const Vec& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

Vec normal(const mesh& m, const uint32_t* t) {
    return cross(minus(m.points[t[1]], m.points[t[0]]), minus(m.points[t[2]], m.points[t[0]]));
}

// Empty or what is wrong.
std::string check_indices(const mesh& m) {
    std::set<uint32_t> used;
    auto check = [&](const uint32_t* corners, size_t count) {
        const std::set<uint32_t> different(corners, corners + count);
        used.insert(different.begin(), different.end());
        return different.size() == count && *different.rbegin() < m.point_count;
    };
    for (size_t i = 0; i < m.triangle_count; i++) {
        if (!check(m.triangles[i], 3)) {
            return "triangle " + std::to_string(i) + " has bad corners";
        }
    }
    for (size_t i = 0; i < m.tet_count; i++) {
        if (!check(m.tets[i], 4)) {
            return "tetrahedron " + std::to_string(i) + " has bad corners";
        }
    }
    return used.size() == m.point_count ? "" : "there are unused points";
}

std::string check_geometry(const mesh& m) {
    for (size_t i = 0; i < m.point_count; i++) {
        if (!std::isfinite(m.points[i][0] + m.points[i][1] + m.points[i][2])) {
            return "a coordinate is not finite";
        }
    }
    for (size_t i = 0; i < m.triangle_count; i++) {
        const Vec n = normal(m, m.triangles[i]);
        if (!(dot(n, n) > 0)) {
            return "triangle " + std::to_string(i) + " has no area";
        }
    }
    for (size_t i = 0; i < m.tet_count; i++) {
        const uint32_t* t = m.tets[i];
        if (!(dot(normal(m, t), minus(m.points[t[3]], m.points[t[0]])) > 0)) {
            return "tetrahedron " + std::to_string(i) + " is not positive";
        }
    }
    return "";
}

using Face = std::array<uint32_t, 3>;

Face sorted(Face f) {
    std::sort(f.begin(), f.end());
    return f;
}

// Every face of one tetrahedron only is a triangle, whose normal points away from the fourth corner; no others are.
std::string check_boundary(const mesh& m) {
    std::map<Face, std::vector<uint32_t>> opposite;
    for (size_t i = 0; i < m.tet_count; i++) {
        for (int k = 0; k < 4; k++) {
            const uint32_t* t = m.tets[i];
            opposite[sorted({t[(k + 1) % 4], t[(k + 2) % 4], t[(k + 3) % 4]})].push_back(t[k]);
        }
    }
    size_t single = 0;
    for (const auto& face : opposite) {
        single += face.second.size() == 1;
        if (face.second.size() > 2) {
            return "a face has three tetrahedra";
        }
    }
    for (size_t i = 0; i < m.triangle_count; i++) {
        const uint32_t* t = m.triangles[i];
        const auto face = opposite.find(sorted({t[0], t[1], t[2]}));
        if (face == opposite.end() || face->second.size() != 1) {
            return "triangle " + std::to_string(i) + " is not on the boundary";
        }
        if (!(dot(normal(m, t), minus(m.points[face->second[0]], m.points[t[0]])) < 0)) {
            return "triangle " + std::to_string(i) + " faces inwards";
        }
    }
    return single == m.triangle_count ? "" : "the boundary is not complete";
}

std::string check_edges(const mesh& m) {
    std::set<std::array<uint32_t, 2>> edges;
    for (size_t i = 0; i < m.triangle_count; i++) {
        for (int k = 0; k < 3; k++) {
            const uint32_t a = m.triangles[i][k];
            const uint32_t b = m.triangles[i][(k + 1) % 3];
            edges.insert({std::min(a, b), std::max(a, b)});
        }
    }
    size_t i = 0;
    for (const auto& edge : edges) {
        if (i == m.edge_count || m.edges[i][0] != edge[0] || m.edges[i][1] != edge[1]) {
            return "edge " + std::to_string(i) + " is wrong";
        }
        i++;
    }
    return i == m.edge_count ? "" : "there are too many edges";
}

} // namespace

Read::Read(const std::string& path) : Read(path, holds_tets(path)) {}

Read::Read(const std::string& path, bool tets) {
    ok = tets ? mesh_read_tets(path.c_str(), &m, &r) : mesh_read_surface(path.c_str(), &m, &r);
    ok = ok && mesh_build_edges(&m, &r);
}

testing::AssertionResult keeps_promises(const mesh& m) {
    if (m.point_count == 0 || m.triangle_count == 0) {
        return testing::AssertionFailure() << "the mesh is empty";
    }
    std::string fault = check_indices(m);
    for (auto check : {check_geometry, check_edges}) {
        fault = fault.empty() ? check(m) : fault;
    }
    if (fault.empty() && m.tet_count > 0) {
        fault = check_boundary(m);
    }
    return fault.empty() ? testing::AssertionSuccess() : testing::AssertionFailure() << fault;
}

testing::AssertionResult is_refusal(const Read& read, const std::string& path) {
    const std::string text = read.r.text;
    // TetGen's files come in pairs: the one at fault is named.
    const std::string stem = path.substr(0, path.rfind('.'));
    const bool one_line = std::none_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
    if (read.ok || read.m.point_count || read.m.points) {
        return testing::AssertionFailure() << "accepted";
    }
    if (text.compare(0, stem.size(), stem) != 0 || text.size() < path.size() + 8 || !one_line) {
        return testing::AssertionFailure() << "no sentence: '" << text << "'";
    }
    return testing::AssertionSuccess();
}

std::string with(const std::string& text, const std::string& old, const std::string& replacement) {
    const size_t at = text.find(old);
    if (at == std::string::npos) {
        throw std::invalid_argument("no '" + old + "' in the text");
    }
    return text.substr(0, at) + replacement + text.substr(at + old.size());
}

const char* const obj_text = R"(# a square
mtllib none.mtl
o square
v 0 0 0
v 1 0 0
v 1 1 0 1.0
v 0 1 0
vt 0 0
vt 1 1
vn 0 0 1
usemtl cotton
s off
f 1/1/1 2/2/1 3/1/1
l 1 2
f 1//1 3//1 -1//1
)";

const char* const ply_text = R"(ply
format ascii 1.0
comment a square
element vertex 4
property float x
property float y
property float z
element face 2
property list uchar int vertex_indices
end_header
0 0 0
1 0 0
1 1 0
0 1 0
3 0 1 2
3 0 2 3
)";

const char* const off_text = R"(OFF
4 2 0
0 0 0
1 0 0
1 1 0
0 1 0
3 0 1 2
3 0 2 3
)";

const char* const stl_text = R"(solid square
facet normal 0 0 1
outer loop
vertex 0 0 0
vertex 1 0 0
vertex 1 1 0
endloop
endfacet
facet normal 0 0 1
outer loop
vertex 0 0 0
vertex 1 1 0
vertex 0 1 0
endloop
endfacet
endsolid square
)";

const char* const gmsh_2_text = R"($MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
1
3 1 "body"
$EndPhysicalNames
$Nodes
6
7 0 0 0
11 1 0 0
5 0 1 0
99 9 9 9
2 0 0 1
3 1 1 1
$EndNodes
$Elements
4
1 15 2 0 1 7
2 2 2 0 1 7 11 5
3 4 2 1 1 7 11 5 2
4 4 3 1 1 -1 11 5 2 3
$EndElements
)";

const char* const gmsh_4_text = R"($MeshFormat
4.1 0 8
$EndMeshFormat
$Entities
0 0 1 1
1 0 0 0 1 1 1 0 0
1 0 0 0 1 1 1 0 0
$EndEntities
$Nodes
2 6 2 99
2 1 1 2
7
11
0 0 0 0.5 0.5
1 0 0 0.5 0.25
3 1 0 4
5
99
2
3
0 1 0
9 9 9
0 0 1
1 1 1
$EndNodes
$Elements
2 3 1 3
2 1 2 1
1 7 11 5
3 1 4 2
2 7 11 5 2
3 11 5 2 3
$EndElements
)";

const char* const vtk_2_text = R"(# vtk DataFile Version 2.0
two tetrahedra
ASCII
DATASET UNSTRUCTURED_GRID
POINTS 5 double
0 0 0 1 0 0 0 1 0
0 0 1
1 1 1
CELLS 3 14
3 0 1 2
4 0 1 2 3
4 1 2 3 4
CELL_TYPES 3
5
10
10
CELL_DATA 3
SCALARS x float
LOOKUP_TABLE default
1 2 3
)";

const char* const vtk_5_text = R"(# vtk DataFile Version 5.1

ASCII
DATASET UNSTRUCTURED_GRID
FIELD FieldData 1
TIME 1 1 double
0.5
METADATA
INFORMATION 0

POINTS 5 float
0 0 0 1 0 0 0 1 0 
0 0 1 1 1 1 
METADATA
INFORMATION 0

CELLS 4 11
OFFSETS vtktypeint64
0 3 7 11
CONNECTIVITY vtktypeint64
0 1 2 0 1 2 3 1 2 3
4
CELL_TYPES 3
5
10
10
)";

const char* const node_text = R"(# points
5 3 1 1
1  0 0 0  0.5 1
2  1 0 0  0.5 1 # the second
3  0 1 0  0.5 1
4  0 0 1  0.5 1
5  1 1 1  0.5 1
)";

const char* const ele_text = R"(2 4 1
1  1 2 3 4  7
2  2 3 4 5  7
# end
)";

} // namespace io
