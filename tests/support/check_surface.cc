// Looks at meshes from outside: whether a mesh cuts itself or another one, how near its parts are, and which of its
// vertices are inside a closed mesh. Shares no code with taut: what it reads are exported OBJ files.
//
//     check_surface MESH.obj... [--inside CLOSED.obj] [--depth D] [--scale F] [--turn X Y Z] [--move X Y Z]
//                   [--thickness T] [--list]
//
// All meshes together count as one. A cut is an edge, of a triangle or a line, and a triangle that it goes through;
// they share no vertex. The closed mesh is scaled, turned about x, y and z (degrees) and moved before; what is deeper
// inside than D (m, default 0) is too deep. Lines of ropes must keep T apart, but for a tenth. --list tells each cut.
//
// Prints a line of counts. Exit status: 0, 1 where anything is wrong, 2 where nothing could be read.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using Point = std::array<double, 3>;

Point operator-(const Point& a, const Point& b) {
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
Point operator+(const Point& a, const Point& b) {
    return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
Point operator*(double s, const Point& a) {
    return {s * a[0], s * a[1], s * a[2]};
}
double dot(const Point& a, const Point& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Point cross(const Point& a, const Point& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double length(const Point& a) {
    return std::sqrt(dot(a, a));
}

// ---- meshes ---------------------------------------------------------------------------------------------------------

struct Mesh {
    std::vector<Point> points;
    std::vector<std::array<size_t, 3>> triangles;
    std::vector<std::array<size_t, 2>> lines;
};

size_t corner(const std::string& word, size_t points) {
    const long number = std::strtol(word.c_str(), nullptr, 10);
    const long place = number > 0 ? number - 1 : static_cast<long>(points) + number;
    if (place < 0 || static_cast<size_t>(place) >= points) {
        throw std::runtime_error("'" + word + "' is no vertex");
    }
    return static_cast<size_t>(place);
}

void read_line(const std::string& text, size_t first, Mesh& mesh) {
    std::istringstream words(text);
    std::string key, word;
    words >> key;
    std::vector<size_t> corners;
    if (key == "v") {
        Point p{};
        words >> p[0] >> p[1] >> p[2];
        mesh.points.push_back(p);
    }
    while ((key == "f" || key == "l") && words >> word) {
        corners.push_back(first + corner(word, mesh.points.size() - first));
    }
    for (size_t i = 2; key == "f" && i < corners.size(); i++) {
        mesh.triangles.push_back({corners[0], corners[i - 1], corners[i]});
    }
    for (size_t i = 1; key == "l" && i < corners.size(); i++) {
        mesh.lines.push_back({corners[i - 1], corners[i]});
    }
}

void read_mesh(const std::string& path, Mesh& mesh) {
    std::ifstream file(path);
    const size_t first = mesh.points.size();
    for (std::string line; std::getline(file, line);) {
        read_line(line, first, mesh);
    }
    if (mesh.points.size() == first) {
        throw std::runtime_error(path + " has no vertices");
    }
}

std::vector<std::array<size_t, 2>> edges_of(const Mesh& mesh) {
    std::set<std::array<size_t, 2>> all;
    const auto add = [&](size_t a, size_t b) { all.insert({std::min(a, b), std::max(a, b)}); };
    for (const auto& t : mesh.triangles) {
        add(t[0], t[1]);
        add(t[1], t[2]);
        add(t[2], t[0]);
    }
    for (const auto& l : mesh.lines) {
        add(l[0], l[1]);
    }
    return {all.begin(), all.end()};
}

// ---- pairs whose boxes meet -----------------------------------------------------------------------------------------

struct Box {
    Point low, high;
    size_t item;
};

template <size_t N> Box box_of(const Mesh& mesh, const std::array<size_t, N>& corners, size_t item, double grow) {
    Box box = {mesh.points[corners[0]], mesh.points[corners[0]], item};
    for (const size_t corner : corners) {
        for (size_t a = 0; a < 3; a++) {
            box.low[a] = std::min(box.low[a], mesh.points[corner][a]);
            box.high[a] = std::max(box.high[a], mesh.points[corner][a]);
        }
    }
    for (size_t a = 0; a < 3; a++) {
        box.low[a] -= grow;
        box.high[a] += grow;
    }
    return box;
}

bool meet(const Box& a, const Box& b) {
    bool all = true;
    for (size_t i = 0; i < 3; i++) {
        all = all && a.low[i] <= b.high[i] && b.low[i] <= a.high[i];
    }
    return all;
}

// Sweeps along x, and calls for each pair that is left.
template <class Call> void sweep(std::vector<Box> a, std::vector<Box> b, const Call& call) {
    const auto by_low = [](const Box& x, const Box& y) { return x.low[0] < y.low[0]; };
    std::sort(a.begin(), a.end(), by_low);
    std::sort(b.begin(), b.end(), by_low);
    double widest = 0;
    for (const Box& box : b) {
        widest = std::max(widest, box.high[0] - box.low[0]);
    }
    for (const Box& box : a) {
        const auto left = [](const Box& x, double at) { return x.low[0] < at; };
        auto at = std::lower_bound(b.begin(), b.end(), box.low[0] - widest, left);
        for (; at != b.end() && at->low[0] <= box.high[0]; ++at) {
            if (meet(box, *at)) {
                call(box.item, at->item);
            }
        }
    }
}

// ---- cuts -----------------------------------------------------------------------------------------------------------

// Six times the volume of a tetrahedron.
double volume(const Point& a, const Point& b, const Point& c, const Point& d) {
    return dot(b - a, cross(c - a, d - a));
}

bool cuts(const Point& p, const Point& q, const Point& a, const Point& b, const Point& c) {
    const double from = volume(a, b, c, p), to = volume(a, b, c, q);
    if ((from > 0) == (to > 0)) {
        return false;
    }
    const double x = volume(p, q, a, b), y = volume(p, q, b, c), z = volume(p, q, c, a);
    return (x > 0 && y > 0 && z > 0) || (x < 0 && y < 0 && z < 0);
}

using Pair = std::pair<size_t, size_t>;

// Edge and triangle.
std::vector<Pair> find_cuts(const Mesh& mesh, const std::vector<std::array<size_t, 2>>& edges) {
    std::vector<Box> lines, faces;
    std::vector<Pair> found;
    for (size_t i = 0; i < edges.size(); i++) {
        lines.push_back(box_of(mesh, edges[i], i, 0));
    }
    for (size_t i = 0; i < mesh.triangles.size(); i++) {
        faces.push_back(box_of(mesh, mesh.triangles[i], i, 0));
    }
    sweep(lines, faces, [&](size_t e, size_t t) {
        const auto& edge = edges[e];
        const auto& face = mesh.triangles[t];
        const bool shares = std::find(face.begin(), face.end(), edge[0]) != face.end() ||
                            std::find(face.begin(), face.end(), edge[1]) != face.end();
        const auto& x = mesh.points;
        if (!shares && cuts(x[edge[0]], x[edge[1]], x[face[0]], x[face[1]], x[face[2]])) {
            found.emplace_back(e, t);
        }
    });
    return found;
}

// ---- distances ------------------------------------------------------------------------------------------------------

double clamp(double x) {
    return std::min(1.0, std::max(0.0, x));
}

// Of two segments: minimises over one, then over the other, from the answer for lines.
double segment_distance(const Point& p, const Point& q, const Point& a, const Point& b) {
    const Point u = q - p, v = b - a, w = p - a;
    const double uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), uw = dot(u, w), vw = dot(v, w);
    const double det = uu * vv - uv * uv;
    double s = det > 0 ? clamp((uv * vw - vv * uw) / det) : 0;
    const double t = clamp((vw + s * uv) / vv);
    s = clamp((t * uv - uw) / uu);
    return length(w + s * u - t * v);
}

// The rope that each line belongs to: one goes on where the last one ended.
std::vector<size_t> ropes_of(const Mesh& mesh) {
    std::vector<size_t> ropes(mesh.lines.size());
    for (size_t i = 1; i < ropes.size(); i++) {
        ropes[i] = ropes[i - 1] + (mesh.lines[i][0] != mesh.lines[i - 1][1]);
    }
    return ropes;
}

// The least distance of two lines, but for `neighbours` of one rope; 1e30 where there are none within `reach`.
double line_distance(const Mesh& mesh, double reach, size_t neighbours) {
    const std::vector<size_t> ropes = ropes_of(mesh);
    std::vector<Box> boxes;
    double least = 1e30;
    for (size_t i = 0; i < mesh.lines.size(); i++) {
        boxes.push_back(box_of(mesh, mesh.lines[i], i, 0.5 * reach));
    }
    sweep(boxes, boxes, [&](size_t i, size_t j) {
        const auto &a = mesh.lines[i], &b = mesh.lines[j];
        if (i < j && (ropes[i] != ropes[j] || i + neighbours < j)) {
            const auto& x = mesh.points;
            least = std::min(least, segment_distance(x[a[0]], x[a[1]], x[b[0]], x[b[1]]));
        }
    });
    return least;
}

double triangle_distance(const Point& p, const Point& a, const Point& b, const Point& c) {
    const Point n = cross(b - a, c - a);
    const bool over =
        dot(cross(b - a, p - a), n) >= 0 && dot(cross(c - b, p - b), n) >= 0 && dot(cross(a - c, p - c), n) >= 0;
    if (over && dot(n, n) > 0) {
        return std::fabs(dot(p - a, n)) / length(n);
    }
    const auto to_side = [&](const Point& from, const Point& to) {
        const Point u = to - from;
        const double s = dot(u, u) > 0 ? clamp(dot(p - from, u) / dot(u, u)) : 0;
        return length(p - from - s * u);
    };
    return std::min({to_side(a, b), to_side(b, c), to_side(c, a)});
}

// How often a closed mesh winds about a point: the sum of the solid angles of its triangles (Van Oosterom and
// Strackee).
double winding(const Mesh& mesh, const Point& p) {
    double sum = 0;
    for (const auto& t : mesh.triangles) {
        const Point a = mesh.points[t[0]] - p, b = mesh.points[t[1]] - p, c = mesh.points[t[2]] - p;
        const double x = length(a), y = length(b), z = length(c);
        sum += 2 * std::atan2(dot(a, cross(b, c)), x * y * z + dot(a, b) * z + dot(b, c) * x + dot(c, a) * y);
    }
    return sum / (4 * std::acos(-1.0));
}

// ---- inside a closed mesh -------------------------------------------------------------------------------------------

struct Inside {
    size_t count = 0, deepest_vertex = 0;
    double depth = 0; // m
};

Inside find_inside(const Mesh& mesh, const Mesh& closed) {
    Inside found;
    Point low = closed.points[0], high = low;
    for (const Point& p : closed.points) {
        for (size_t a = 0; a < 3; a++) {
            low[a] = std::min(low[a], p[a]);
            high[a] = std::max(high[a], p[a]);
        }
    }
    for (size_t i = 0; i < mesh.points.size(); i++) {
        const Point& p = mesh.points[i];
        const Box box = {p, p, 0};
        if (!meet(box, {low, high, 0}) || std::fabs(winding(closed, p)) < 0.5) {
            continue;
        }
        double depth = 1e30;
        for (const auto& t : closed.triangles) {
            const auto& x = closed.points;
            depth = std::min(depth, triangle_distance(p, x[t[0]], x[t[1]], x[t[2]]));
        }
        found.count++;
        if (depth > found.depth) {
            found.depth = depth;
            found.deepest_vertex = i;
        }
    }
    return found;
}

// ---- the program ----------------------------------------------------------------------------------------------------

struct Options {
    std::vector<std::string> meshes;
    std::string inside;
    double scale = 1, depth = 0, thickness = 0;
    Point turn{}, move{};
    bool list = false;
};

Options parse(const std::vector<std::string>& words) {
    Options o;
    for (size_t i = 0; i < words.size(); i++) {
        const auto number = [&]() { return std::stod(words.at(++i)); };
        if (words[i] == "--inside") {
            o.inside = words.at(++i);
        } else if (words[i] == "--scale") {
            o.scale = number();
        } else if (words[i] == "--depth") {
            o.depth = number();
        } else if (words[i] == "--thickness") {
            o.thickness = number();
        } else if (words[i] == "--list") {
            o.list = true;
        } else if (words[i] == "--turn" || words[i] == "--move") {
            Point& to = words[i] == "--turn" ? o.turn : o.move;
            for (double& x : to) {
                x = number();
            }
        } else {
            o.meshes.push_back(words[i]);
        }
    }
    if (o.meshes.empty()) {
        throw std::runtime_error("no mesh is given");
    }
    return o;
}

// About x, then y, then z, in degrees.
Point turned(Point p, const Point& degrees) {
    for (size_t axis = 0; axis < 3; axis++) {
        const double angle = degrees[axis] * std::acos(-1.0) / 180, c = std::cos(angle), s = std::sin(angle);
        const size_t y = (axis + 1) % 3, z = (axis + 2) % 3;
        const double from_y = p[y], from_z = p[z];
        p[y] = c * from_y - s * from_z;
        p[z] = s * from_y + c * from_z;
    }
    return p;
}

Mesh closed_mesh(const Options& o) {
    Mesh closed;
    read_mesh(o.inside, closed);
    for (Point& p : closed.points) {
        p = turned(o.scale * p, o.turn) + o.move;
    }
    return closed;
}

int check(const Options& o) {
    Mesh mesh;
    for (const std::string& path : o.meshes) {
        read_mesh(path, mesh);
    }
    const auto edges = edges_of(mesh);
    const std::vector<Pair> found = find_cuts(mesh, edges);
    for (size_t i = 0; o.list && i < found.size(); i++) {
        const auto& e = edges[found[i].first];
        const auto& t = mesh.triangles[found[i].second];
        std::printf("edge %zu %zu cuts triangle %zu %zu %zu\n", e[0], e[1], t[0], t[1], t[2]);
    }
    bool good = found.empty();
    std::printf("cuts %zu", found.size());
    if (o.thickness > 0) {
        // Neighbours along a rope that are no longer apart than it is thick may be near.
        double shortest = 1e30;
        for (const auto& l : mesh.lines) {
            shortest = std::min(shortest, length(mesh.points[l[0]] - mesh.points[l[1]]));
        }
        const double nearest = line_distance(mesh, 2 * o.thickness, 1 + static_cast<size_t>(o.thickness / shortest));
        std::printf(", nearest lines %.4g m", nearest);
        good = good && nearest > 0.9 * o.thickness;
    }
    if (!o.inside.empty()) {
        const Inside inside = find_inside(mesh, closed_mesh(o));
        std::printf(", inside %zu, deepest %.3g m at vertex %zu", inside.count, inside.depth, inside.deepest_vertex);
        good = good && inside.depth <= o.depth;
    }
    std::printf("\n");
    return good ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    try {
        return check(parse({argv + 1, argv + argc}));
    } catch (const std::exception& e) {
        std::fprintf(stderr, "check_surface: %s\n", e.what());
        return 2;
    }
}
