#include "display.h"

#include "creases.h"
#include "palette.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

/* ---- what stays ----------------------------------------------------------------------------------------------- */

static const scene_object* object_of(const Simulation& s, size_t i) {
    return i < s.file().object_count ? &s.file().objects[i] : nullptr; // mappings follow the objects
}

static bool is_collider(const Simulation& s, size_t i) {
    const scene_object* o = object_of(s, i);
    return o && o->type == OBJECT_COLLIDER;
}

static Look look_of(const Simulation& s, size_t i) {
    const scene_object* o = object_of(s, i);
    Look look;
    if (o && o->type == OBJECT_CLOTH) {
        look.roughness = 215;
        look.sheen = 150;
        look.back = 46;
    } else if (o && o->type == OBJECT_SOFT) {
        look.roughness = 90;
    } else if (o && (o->type == OBJECT_ROPE || o->type == OBJECT_ROD)) {
        look.roughness = 180;
    } else if (is_collider(s, i)) {
        look.roughness = 150;
    }
    return look;
}

// Ropes are as thick as what they touch with, where they touch.
static float radius_of(const Simulation& s, size_t i) {
    const scene_object* o = object_of(s, i);
    const bool touches = o && o->touching.given && o->touching.radius > 0 && o->type != OBJECT_ROD;
    return (float)(touches ? o->touching.radius : 0.5 * s.built().objects[i].width);
}

// pole1, pole2, ... look alike.
static std::string name_without_number(const char* name) {
    std::string kind = name ? name : "";
    kind.erase(kind.find_last_not_of("0123456789") + 1);
    return kind;
}

// Objects of one kind of name share a colour; each further kind takes the next one.
static std::vector<Colour> colours_of(const Simulation& s) {
    std::map<std::string, Colour> known;
    std::vector<Colour> colours;
    for (size_t i = 0; i < s.built().object_count; i++) {
        const built_object& o = s.built().objects[i];
        const scene_object* file = object_of(s, i);
        if (is_collider(s, i) || !o.exported) {
            colours.push_back(collider_colour);
        } else if (file && file->type == OBJECT_ROPE) {
            colours.push_back(rope_colour);
        } else {
            colours.push_back(known.emplace(name_without_number(o.name), object_colour(known.size())).first->second);
        }
    }
    return colours;
}

Display::Display(const Simulation& s) : values_of_(s), colours_(colours_of(s)) {
    size_t skins = s.points().point_count;
    for (size_t i = 0; i < s.built().object_count; i++) {
        const built_object& o = s.built().objects[i];
        looks_.push_back(look_of(s, i));
        radii_.push_back(radius_of(s, i));
        if (o.exported && o.shape == EXPORT_SURFACE) {
            add_surface(s, i, o.skin ? skins : o.first_point);
        }
        skins += o.exported && o.skin ? (o.skin_copies ? o.skin_copies : 1) * o.skin_count : 0;
    }
    positions_.resize(skins);
    find_floors(s);
    find_needed(s);
}

void Display::add_surface(const Simulation& s, size_t object, size_t first_point) {
    const built_object& o = s.built().objects[object];
    Surface surface;
    surface.object = object;
    surface.follows = !o.skin && !is_collider(s, object);
    surface.first_point = first_point;
    const float crease = o.skin ? 40 : 80; // degrees: what bends is smooth, what is stiff has edges
    split_at_creases(s.points().positions + first_point, o.triangles, o.triangle_count, crease, surface.points,
                     surface.triangles);
    for (uint32_t point : surface.points) {
        const bool on_body = o.skin && o.skin_copies;
        surface.sources.push_back(!o.skin   ? (uint32_t)(o.first_point + point)
                                  : on_body ? (uint32_t)(o.skin_point + point / o.skin_count)
                                            : no_point);
    }
    surfaces_.push_back(std::move(surface));
}

void Display::find_floors(const Simulation& s) {
    for (size_t i = 0; i < s.file().object_count; i++) {
        const scene_object& o = s.file().objects[i];
        if (o.type != OBJECT_COLLIDER || o.as.collider.solid.shape != SOLID_PLANE || o.as.collider.on_body) {
            continue;
        }
        double turn[3][3], normal[3];
        rotation_matrix(o.place.degrees, turn);
        rotate(turn, o.as.collider.solid.normal, normal);
        floors_.push_back({glm::vec3(o.place.translate[0], o.place.translate[1], o.place.translate[2]),
                           glm::normalize(glm::vec3(normal[0], normal[1], normal[2]))});
    }
}

/* ---- what is shared ------------------------------------------------------------------------------------------- */

// In ascending order, without points twice. What lies close together is read in one piece.
static std::vector<taut_range> joined(std::vector<taut_range> ranges) {
    constexpr uint32_t close = 1024; // points
    std::vector<taut_range> out;
    std::sort(ranges.begin(), ranges.end(), [](taut_range a, taut_range b) { return a.first < b.first; });
    for (const taut_range& next : ranges) {
        if (out.empty() || next.first > out.back().first + out.back().count + close) {
            out.push_back(next);
        } else {
            taut_range& last = out.back();
            last.count = std::max(last.first + last.count, next.first + next.count) - last.first;
        }
    }
    return out;
}

void Display::find_needed(const Simulation& s) {
    std::vector<taut_range> ranges;
    const auto add = [&](size_t first, size_t count) { ranges.push_back({(uint32_t)first, (uint32_t)count}); };
    for (size_t i = 0; i < s.built().object_count; i++) {
        const built_object& o = s.built().objects[i];
        if (o.exported && o.skin_copies) {
            add(o.skin_point, o.skin_copies);
        } else if (o.exported && !o.skin && (o.shape != EXPORT_SURFACE || is_collider(s, i))) {
            add(o.first_point, o.point_count);
        }
    }
    for (const Line& line : s.lines()) {
        add(line.ends[0], 1);
        add(line.ends[1], 1);
    }
    needed_ = joined(std::move(ranges));
}

void Display::share(Simulation& s) {
    keep_points(s, 0, s.points().point_count);
    show_followers();
    shared_ = SharedSurfaces::make(s.world(), shape_, sources_);
    shape_.clear();
    sources_.clear();
    if (shared_) {
        s.need(needed_);
    }
}

const Shape& Display::whole() {
    if (!complete_ && shared_->read(positions_.data())) {
        show_followers();
        complete_ = true;
    }
    return shape_;
}

void Display::settle() {
    if (shares_ && !shared_->fill()) {
        whole();
        shares_ = false;
        complete_ = true;
        shared_.reset();
    }
}

/* ---- a frame -------------------------------------------------------------------------------------------------- */

static glm::vec3 position(const Simulation& s, size_t i) {
    const double* x = s.points().positions[i];
    return {(float)x[0], (float)x[1], (float)x[2]};
}

Colour Display::colour_of(Colour plain, uint32_t point) const {
    if (options_.quantity == Quantity::none) {
        return plain;
    }
    if (point == no_point || point >= values_.size()) {
        return collider_colour;
    }
    const float t = values_[point] / range_;
    return options_.quantity == Quantity::strain ? signed_colour(t) : value_colour(t);
}

// Normals are sums of those of the triangles, weighted by area.
void Display::show_surface(const Surface& surface) {
    const uint32_t first = (uint32_t)shape_.vertices.size();
    for (size_t i = 0; i < surface.points.size(); i++) {
        const uint32_t source = surface.sources[i];
        shape_.vertices.push_back({positions_[surface.first_point + surface.points[i]], glm::vec3(0),
                                   colour_of(colours_[surface.object], source), looks_[surface.object]});
        sources_.push_back(source);
    }
    for (size_t t = 0; t < surface.triangles.size(); t += 3) {
        Vertex* corner[3];
        for (int k = 0; k < 3; k++) {
            corner[k] = &shape_.vertices[first + surface.triangles[t + k]];
            shape_.triangles.push_back(first + surface.triangles[t + k]);
        }
        const glm::vec3 normal =
            glm::cross(corner[1]->position - corner[0]->position, corner[2]->position - corner[0]->position);
        for (Vertex* v : corner) {
            v->normal += normal;
        }
    }
    for (size_t i = first; i < shape_.vertices.size(); i++) {
        glm::vec3& n = shape_.vertices[i].normal;
        n = glm::length(n) > 0 ? glm::normalize(n) : glm::vec3(0, 1, 0);
    }
}

// Last of all, so that vertices have the same order where these surfaces are shared.
void Display::show_followers() {
    sources_.resize(shape_.vertices.size(), no_point); // contacts have none
    for (const Surface& surface : surfaces_) {
        if (surface.follows) {
            show_surface(surface);
        }
    }
}

void Display::show_curve(const Simulation& s, size_t object) {
    const built_object& o = s.built().objects[object];
    const int sides = o.point_count > 20000 ? 5 : 10, parts = o.point_count > 2000 ? 2 : 4;
    std::vector<glm::vec3> points;
    std::vector<Colour> colours;
    for (size_t i = 0; i < o.point_count; i++) {
        points.push_back(position(s, o.first_point + i));
        colours.push_back(colour_of(colours_[object], (uint32_t)(o.first_point + i)));
    }
    const size_t first = shape_.vertices.size();
    append_tube(shape_, points, radii_[object], colours, looks_[object], sides, parts);
    // A ring of the tube belongs to the nearer end of its piece; four rings of each cap to the ends.
    for (size_t v = first; v < shape_.vertices.size(); v++) {
        const long ring = (long)(v - first) / sides - 4;
        const long point = std::clamp((ring + parts / 2) / parts, 0L, (long)o.point_count - 1);
        sources_.push_back((uint32_t)(o.first_point + (size_t)point));
    }
}

void Display::show_points(const Simulation& s, size_t object) {
    const built_object& o = s.built().objects[object];
    const int detail = o.point_count > 20000 ? 3 : o.point_count > 1000 ? 6 : 14;
    for (size_t i = 0; i < o.point_count; i++) {
        const uint32_t point = (uint32_t)(o.first_point + i);
        append_ball(shape_, position(s, point), radii_[object], colour_of(colours_[object], point), looks_[object],
                    detail);
        sources_.resize(shape_.vertices.size(), point);
    }
}

void Display::show_lines(const Simulation& s) {
    const int sides = s.lines().size() > 5000 ? 4 : 8;
    Look look;
    look.roughness = 180;
    for (const Line& line : s.lines()) {
        const glm::vec3 from = position(s, line.ends[0]), to = position(s, line.ends[1]);
        append_tube(shape_, {from, to}, line.radius,
                    {colour_of(rope_colour, line.ends[0]), colour_of(rope_colour, line.ends[1])}, look, sides, 1);
        for (size_t v = sources_.size(); v < shape_.vertices.size(); v++) {
            const glm::vec3 at = shape_.vertices[v].position;
            sources_.push_back(line.ends[glm::distance(at, to) < glm::distance(at, from) ? 1 : 0]);
        }
    }
}

// A ball at each contact, and its force as an arrow, in front of all things; the largest force is a third of the radius
// of the scene.
bool Display::show_contacts(Simulation& s, report* r) {
    size_t count = 0;
    std::vector<taut_contact> contacts(s.info().contacts);
    if (taut_world_read_contacts(s.world(), contacts.size(), contacts.data(), &count) != TAUT_OK) {
        return report_fail(r, "%s: %s", s.file().path, taut_last_error());
    }
    contacts.resize(std::min(count, contacts.size()));
    double largest = 0;
    for (const taut_contact& c : contacts) {
        largest = std::max(largest, std::hypot(c.force[0], c.force[1], c.force[2]));
    }
    const float size = 0.009f * bounds_.radius();
    Look look;
    look.front = 255; // forces point into what they push
    for (const taut_contact& c : contacts) {
        const glm::vec3 at(c.position[0], c.position[1], c.position[2]), force(c.force[0], c.force[1], c.force[2]);
        append_ball(shape_, at, size, contact_colour, look, 4);
        const float length = largest > 0 ? bounds_.radius() / 3 * glm::length(force) / (float)largest : 0;
        if (length > size) {
            append_arrow(shape_, at, at + length * glm::normalize(force), 0.4f * size, force_colour, look);
        }
    }
    return true;
}

void Display::keep_points(const Simulation& s, size_t first, size_t count) {
    for (size_t i = first; i < first + count; i++) {
        positions_[i] = position(s, i);
    }
}

bool Display::take_points(Simulation& s, report* r) {
    shares_ = shared_ && options_.quantity == Quantity::none && shared_->take(s.world());
    complete_ = !shares_;
    const size_t points = s.points().point_count;
    if (shares_) {
        s.need(needed_);
        for (const taut_range& range : needed_) {
            keep_points(s, range.first, range.count);
        }
        bounds_.add(shared_->bounds());
    } else if (s.need_all(r)) {
        keep_points(s, 0, points);
    } else {
        return false;
    }
    keep_points(s, points, positions_.size() - points);
    return true;
}

bool Display::update(Simulation& s, const DisplayOptions& options, report* r) {
    options_ = options;
    shape_.clear();
    sources_.clear();
    bounds_ = {};
    if (!take_points(s, r) || !values_of_.compute(s, options.quantity, values_, r)) {
        return false;
    }
    range_ = options.range > 0 ? options.range : value_range(values_);
    for (const Surface& surface : surfaces_) {
        if (!surface.follows && (options.colliders || !is_collider(s, surface.object))) {
            show_surface(surface);
        }
    }
    for (size_t i = 0; i < s.built().object_count; i++) {
        const built_object& o = s.built().objects[i];
        if (o.exported && o.shape == EXPORT_CURVE) {
            show_curve(s, i);
        } else if (o.exported && o.shape == EXPORT_POINTS) {
            show_points(s, i);
        }
    }
    show_lines(s);
    if (!shares_) {
        show_followers();
    }
    for (const Vertex& v : shape_.vertices) {
        bounds_.add(v.position);
    }
    const bool good = !options.contacts || s.info().contacts == 0 || show_contacts(s, r);
    corners_ = shape_.triangles.size();
    return good;
}
