#include "drawn_objects.h"

extern "C" {
#include "base/quaternion.h"
#include "build/build_shapes.h"
}

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

namespace {

using Triangle = Shapes::Triangle;
using Place = Shapes::Place;

class Drawing {
  public:
    Drawing(const Shapes& shapes, const std::vector<Place>& positions, DrawnObjects& out)
        : shapes_(shapes), positions_(positions), out_(out), on_surface_(positions.size()), in_line_(positions.size()) {
    }

    bool draw(report* r) {
        draw_surfaces();
        draw_lines();
        for (const Shapes::Solid& solid : shapes_.solids) {
            if (!draw_solid(solid, r)) {
                return false;
            }
        }
        draw_balls();
        return true;
    }

  private:
    built_object& add(object_type type, const char* name, size_t number, export_shape shape);
    void draw_surfaces();
    void draw_lines();
    void draw_balls();
    bool draw_solid(const Shapes::Solid& solid, report* r);
    void draw_plane(const Shapes::Solid& solid);
    bool surface_of(const Shapes::Solid& solid, std::vector<Place>* points, std::vector<Triangle>* triangles,
                    report* r);
    double length_of(const Shapes::Edge& e) const;

    const Shapes& shapes_;
    const std::vector<Place>& positions_;
    DrawnObjects& out_;
    std::vector<bool> on_surface_, in_line_;
    std::set<uint32_t> shown_bodies_; /* centres */
    double link_radius_ = 0;
};

/* Names that differ by a letter have colours of their own. */
built_object& Drawing::add(object_type type, const char* name, size_t number, export_shape shape) {
    scene_object file = {};
    file.type = type;
    out_.of_file.push_back(file);
    out_.names.push_back(name + std::string(1, (char)('a' + number % 8)));
    built_object built = {};
    built.name = out_.names.back().c_str();
    built.exported = true;
    built.shape = shape;
    out_.built.push_back(built);
    return out_.built.back();
}

/* ---- surfaces ------------------------------------------------------------------------------------------------- */

/* Faces of one tetrahedron only, with the normal outwards where the tetrahedron is positive. */
std::vector<Triangle> boundary_of(const std::vector<Shapes::Tet>& tets) {
    std::map<Triangle, std::pair<int, Triangle>> faces;
    for (const Shapes::Tet& t : tets) {
        for (const Triangle& face :
             {Triangle{t[0], t[2], t[1]}, {t[0], t[1], t[3]}, {t[0], t[3], t[2]}, {t[1], t[2], t[3]}}) {
            Triangle key = face;
            std::sort(key.begin(), key.end());
            auto& entry = faces[key];
            entry.first++;
            entry.second = face;
        }
    }
    std::vector<Triangle> out;
    for (const auto& [key, entry] : faces) {
        if (entry.first == 1) {
            out.push_back(entry.second);
        }
    }
    return out;
}

/* All triangles, each once: surfaces can be said by membranes, hinges and contact. */
std::vector<Triangle> all_triangles(const Shapes& shapes) {
    std::vector<Triangle> given = shapes.triangles;
    const std::vector<Triangle> outside = boundary_of(shapes.tets);
    given.insert(given.end(), outside.begin(), outside.end());
    for (const Shapes::Mesh& mesh : shapes.meshes) {
        for (const Triangle& t : mesh.triangles) {
            if (!mesh.points.empty()) {
                given.push_back({mesh.points[t[0]], mesh.points[t[1]], mesh.points[t[2]]});
            }
        }
    }
    std::set<Triangle> known;
    std::vector<Triangle> out;
    for (const Triangle& t : given) {
        Triangle key = t;
        std::sort(key.begin(), key.end());
        if (known.insert(key).second) {
            out.push_back(t);
        }
    }
    return out;
}

/* The part that each point belongs to: the lowest of the points that triangles join. */
std::vector<uint32_t> parts_of(size_t points, const std::vector<Triangle>& triangles) {
    std::vector<uint32_t> above(points);
    std::iota(above.begin(), above.end(), 0u);
    const auto root = [&](uint32_t i) {
        while (above[i] != i) {
            i = above[i] = above[above[i]];
        }
        return i;
    };
    for (const Triangle& t : triangles) {
        for (int k = 1; k < 3; k++) {
            const uint32_t a = root(t[0]), b = root(t[k]);
            above[std::max(a, b)] = std::min(a, b);
        }
    }
    for (uint32_t i = 0; i < points; i++) {
        above[i] = root(i);
    }
    return above;
}

/* An object for each part. */
void Drawing::draw_surfaces() {
    const std::vector<Triangle> triangles = all_triangles(shapes_);
    const std::vector<uint32_t> part = parts_of(positions_.size(), triangles);
    std::map<uint32_t, std::vector<Triangle>> by_part;
    for (const Triangle& t : triangles) {
        by_part[part[t[0]]].push_back(t);
    }
    std::set<uint32_t> soft;
    for (const Shapes::Tet& t : shapes_.tets) {
        soft.insert(part[t[0]]);
        for (uint32_t point : t) {
            on_surface_[point] = true;
        }
    }
    for (auto& [first, some] : by_part) {
        for (const Triangle& t : some) {
            on_surface_[t[0]] = on_surface_[t[1]] = on_surface_[t[2]] = true;
        }
        built_object& o =
            add(soft.count(first) ? OBJECT_SOFT : OBJECT_CLOTH, "surface ", out_.built.size(), EXPORT_SURFACE);
        out_.triangles.push_back(std::move(some));
        o.point_count = positions_.size();
        o.triangles = reinterpret_cast<const uint32_t(*)[3]>(out_.triangles.back().data());
        o.triangle_count = out_.triangles.back().size();
    }
}

/* ---- lines and balls ------------------------------------------------------------------------------------------ */

double Drawing::length_of(const Shapes::Edge& e) const {
    const Place &a = positions_[e[0]], &b = positions_[e[1]];
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/* Links between two points of surfaces are threads, which are seen as the surface. */
void Drawing::draw_lines() {
    std::vector<Shapes::Edge> links;
    double length = 0;
    for (const Shapes::Edge& e : shapes_.links) {
        if (!on_surface_[e[0]] || !on_surface_[e[1]]) {
            links.push_back(e);
            length += length_of(e) / 20;
        }
    }
    link_radius_ = links.empty() ? 0 : length / (double)links.size();
    for (const Shapes::Edge& e : links) {
        out_.lines.push_back({{e[0], e[1]}, (float)link_radius_});
    }
    for (const Shapes::Edge& e : shapes_.lines) {
        const double radius = shapes_.line_radius > 0 ? shapes_.line_radius : length_of(e) / 20;
        out_.lines.push_back({{e[0], e[1]}, (float)radius});
        in_line_[e[0]] = in_line_[e[1]] = true;
    }
}

double extent_of(const std::vector<Place>& positions) {
    Place low{1e30, 1e30, 1e30}, high{-1e30, -1e30, -1e30};
    for (const Place& x : positions) {
        for (size_t a = 0; a < 3; a++) {
            low[a] = std::min(low[a], x[a]);
            high[a] = std::max(high[a], x[a]);
        }
    }
    return positions.empty() ? 1 : std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]});
}

/* Particles that are on no surface and in no rope, and bodies without a solid. Neighbours of one radius are one object.
 */
void Drawing::draw_balls() {
    const double extent = extent_of(positions_), plain = link_radius_ > 0 ? 2 * link_radius_ : 0.01 * extent;
    std::map<uint32_t, double> radius;
    for (const std::vector<Shapes::Bodies>* list : {&shapes_.particles, &shapes_.bodies}) {
        for (const Shapes::Bodies& b : *list) {
            for (uint32_t i = b.point; i < b.point + b.count; i++) {
                if (!on_surface_[i] && !in_line_[i] && !shown_bodies_.count(i)) {
                    radius[i] = plain > 0 ? plain : 0.1;
                }
            }
        }
    }
    for (const auto& [point, given] : shapes_.ball_radii) {
        const auto at = radius.find((uint32_t)point);
        if (at != radius.end() && given > 0) {
            at->second = given;
        }
    }
    built_object* open = nullptr;
    for (const auto& [point, r] : radius) {
        if (!open || open->first_point + open->point_count != point || open->width != 2 * r) {
            open = &add(OBJECT_PARTICLES, "points ", 0, EXPORT_POINTS);
            open->first_point = point;
            open->width = 2 * r;
        }
        open->point_count++;
    }
}

/* ---- solids --------------------------------------------------------------------------------------------------- */

solid_spec spec_of(const Shapes::Solid& solid) {
    static const solid_shape shapes[TAUT_SHAPE_COUNT] = {SOLID_PLANE, SOLID_SPHERE,   SOLID_CAPSULE, SOLID_BOX,
                                                         SOLID_MESH,  SOLID_CYLINDER, SOLID_CONE};
    solid_spec spec = {};
    spec.shape = shapes[solid.shape];
    spec.radius = solid.size[0];
    spec.height = 2 * solid.size[1];
    for (size_t a = 0; a < 3; a++) {
        spec.sides[a] = 2 * solid.size[a];
    }
    return spec;
}

/* In the axes of the body, or of the world. */
bool Drawing::surface_of(const Shapes::Solid& solid, std::vector<Place>* points, std::vector<Triangle>* triangles,
                         report* r) {
    if (solid.shape == TAUT_SHAPE_MESH) {
        *points = shapes_.meshes[solid.mesh].positions;
        *triangles = shapes_.meshes[solid.mesh].triangles;
    } else {
        mesh made = {};
        const solid_spec spec = spec_of(solid);
        if (!solid_spec_surface(&spec, &made, r)) {
            return false;
        }
        points->resize(made.point_count);
        triangles->resize(made.triangle_count);
        std::copy(&made.points[0][0], &made.points[0][0] + 3 * made.point_count, (*points)[0].data());
        std::copy(&made.triangles[0][0], &made.triangles[0][0] + 3 * made.triangle_count, (*triangles)[0].data());
        mesh_free(&made);
    }
    Shapes::Quaternion turn = solid.orientation;
    quaternion_normalise(turn.data());
    for (Place& x : *points) {
        Place turned;
        quaternion_rotate(turn.data(), x.data(), turned.data());
        for (size_t a = 0; a < 3; a++) {
            x[a] = turned[a] + solid.position[a];
        }
    }
    return true;
}

void Drawing::draw_plane(const Shapes::Solid& solid) {
    add(OBJECT_COLLIDER, "plane ", 0, EXPORT_SURFACE).exported = false;
    scene_object& o = out_.of_file.back();
    const double z[3] = {0, 0, 1};
    Shapes::Quaternion turn = solid.orientation;
    quaternion_normalise(turn.data());
    o.as.collider.solid.shape = SOLID_PLANE;
    quaternion_rotate(turn.data(), z, o.as.collider.solid.normal);
    std::copy(solid.position.begin(), solid.position.end(), o.place.translate);
}

bool Drawing::draw_solid(const Shapes::Solid& solid, report* r) {
    const bool still = taut_body_is_world(solid.body);
    if (still && solid.shape == TAUT_SHAPE_PLANE) {
        draw_plane(solid);
        return true;
    }
    std::vector<Place> points;
    std::vector<Triangle> triangles;
    if (solid.shape == TAUT_SHAPE_PLANE ||
        (solid.shape == TAUT_SHAPE_MESH && shapes_.meshes[solid.mesh].positions.empty())) {
        return true;
    }
    if (!surface_of(solid, &points, &triangles, r)) {
        return false;
    }
    built_object& o = add(still ? OBJECT_COLLIDER : OBJECT_RIGID, "solid ", out_.built.size(), EXPORT_SURFACE);
    out_.skins.push_back(std::move(points));
    out_.triangles.push_back(std::move(triangles));
    o.skin = reinterpret_cast<double(*)[3]>(out_.skins.back().data());
    o.skin_count = out_.skins.back().size();
    o.triangles = reinterpret_cast<const uint32_t(*)[3]>(out_.triangles.back().data());
    o.triangle_count = out_.triangles.back().size();
    if (!still) {
        o.skin_copies = 1;
        o.skin_frame = solid.body.frame;
        o.skin_point = solid.body.point;
        shown_bodies_.insert((uint32_t)o.skin_point);
    }
    return true;
}

} // namespace

bool draw_shapes(const Shapes& shapes, const std::vector<Place>& positions, DrawnObjects* out, report* r) {
    return Drawing(shapes, positions, *out).draw(r);
}
