#include "shape.h"

#include <algorithm>
#include <cmath>

namespace {

constexpr float pi = 3.14159265f;

// One circle of a tube, cone or ball.
struct Ring {
    glm::vec3 centre, along;
    float radius;
    float slope; // of the normal, along the axis: the sine of its angle
    Colour colour;
};

glm::vec3 across(const glm::vec3& along) {
    const glm::vec3 other = std::fabs(along.y) < 0.9f ? glm::vec3(0, 1, 0) : glm::vec3(1, 0, 0);
    return glm::normalize(glm::cross(along, other));
}

// Rings joined by triangles. The frame is carried from ring to ring without turning about the axis.
void append_rings(Shape& shape, const std::vector<Ring>& rings, Look look, int sides) {
    const uint32_t first = (uint32_t)shape.vertices.size();
    glm::vec3 side = across(rings[0].along);
    for (const Ring& ring : rings) {
        const glm::vec3 flat = side - ring.along * glm::dot(side, ring.along);
        side = glm::length(flat) > 1e-6f ? glm::normalize(flat) : across(ring.along);
        const glm::vec3 other = glm::cross(ring.along, side);
        const float flare = std::sqrt(std::max(0.0f, 1 - ring.slope * ring.slope));
        for (int i = 0; i < sides; i++) {
            const float angle = 2 * pi * (float)i / (float)sides;
            const glm::vec3 out = std::cos(angle) * side + std::sin(angle) * other;
            shape.vertices.push_back(
                {ring.centre + ring.radius * out, flare * out + ring.slope * ring.along, ring.colour, look});
        }
    }
    const uint32_t n = (uint32_t)sides;
    for (uint32_t k = 0; k + 1 < rings.size(); k++) {
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t a = first + k * n + i, b = first + k * n + (i + 1) % n;
            for (uint32_t corner : {a, b, b + n, a, b + n, a + n}) {
                shape.triangles.push_back(corner);
            }
        }
    }
}

// A point of the Catmull-Rom spline between q and r.
glm::vec3 spline(const glm::vec3& p, const glm::vec3& q, const glm::vec3& r, const glm::vec3& s, float t) {
    return q + 0.5f * t * (r - p + t * (2.0f * p - 5.0f * q + 4.0f * r - s + t * (3.0f * (q - r) + s - p)));
}

Colour between(Colour a, Colour b, float t) {
    const auto mix = [t](uint8_t u, uint8_t v) { return (uint8_t)std::lround((1 - t) * (float)u + t * (float)v); };
    return {mix(a.r, b.r), mix(a.g, b.g), mix(a.b, b.b), mix(a.a, b.a)};
}

// A quarter of a circle of rings, from the tip (start) or towards it (end).
void append_cap(std::vector<Ring>& rings, const Ring& rim, bool start) {
    constexpr int steps = 4;
    for (int i = 0; i < steps; i++) {
        const float angle = 0.5f * pi * (float)(start ? steps - i : i + 1) / steps;
        const float sign = start ? -1.0f : 1.0f;
        rings.push_back({rim.centre + sign * rim.radius * std::sin(angle) * rim.along, rim.along,
                         rim.radius * std::cos(angle), sign * std::sin(angle), rim.colour});
    }
}

std::vector<Ring> rings_along(const std::vector<glm::vec3>& points, float radius, const std::vector<Colour>& colours,
                              int parts) {
    std::vector<Ring> rings;
    const size_t last = points.size() - 1;
    for (size_t i = 0; i < last; i++) {
        const glm::vec3 before = i > 0 ? points[i - 1] : 2.0f * points[0] - points[1];
        const glm::vec3 after = i + 2 <= last ? points[i + 2] : 2.0f * points[last] - points[last - 1];
        for (int k = 0; k < parts; k++) {
            const float t = (float)k / (float)parts;
            rings.push_back({spline(before, points[i], points[i + 1], after, t),
                             {},
                             radius,
                             0,
                             between(colours[i], colours[i + 1], t)});
        }
    }
    rings.push_back({points[last], {}, radius, 0, colours[last]});
    for (size_t i = 0; i < rings.size(); i++) {
        const glm::vec3 d = rings[std::min(i + 1, rings.size() - 1)].centre - rings[i > 0 ? i - 1 : 0].centre;
        rings[i].along = glm::length(d) > 0 ? glm::normalize(d) : i > 0 ? rings[i - 1].along : glm::vec3(0, 1, 0);
    }
    return rings;
}

} // namespace

std::vector<glm::vec3> places_of(const Shape& shape) {
    std::vector<glm::vec3> places;
    for (const Vertex& v : shape.vertices) {
        places.push_back(v.position);
    }
    return places;
}

void append_tube(Shape& shape, const std::vector<glm::vec3>& points, float radius, const std::vector<Colour>& colours,
                 Look look, int sides, int parts) {
    if (points.size() < 2) {
        return;
    }
    const std::vector<Ring> line = rings_along(points, radius, colours, parts);
    std::vector<Ring> rings;
    append_cap(rings, line.front(), true);
    rings.insert(rings.end(), line.begin(), line.end());
    append_cap(rings, line.back(), false);
    append_rings(shape, rings, look, sides);
}

void append_ball(Shape& shape, const glm::vec3& centre, float radius, Colour colour, Look look, int detail) {
    std::vector<Ring> rings;
    for (int i = 0; i <= detail; i++) {
        const float angle = pi * ((float)i / (float)detail - 0.5f);
        rings.push_back({centre + glm::vec3(0, radius * std::sin(angle), 0),
                         {0, 1, 0},
                         radius * std::cos(angle),
                         std::sin(angle),
                         colour});
    }
    append_rings(shape, rings, look, 2 * detail);
}

void append_arrow(Shape& shape, const glm::vec3& from, const glm::vec3& to, float radius, Colour colour, Look look) {
    const float length = glm::length(to - from);
    if (!(length > 0)) {
        return;
    }
    const glm::vec3 along = (to - from) / length;
    const glm::vec3 neck = to - std::min(4 * radius, 0.6f * length) * along;
    append_rings(shape,
                 {{from, along, 0, -1, colour}, {from, along, radius, 0, colour}, {neck, along, radius, 0, colour}},
                 look, 8);
    append_rings(shape, {{neck, along, 2.2f * radius, 0.4f, colour}, {to, along, 0, 0.4f, colour}}, look, 8);
}
