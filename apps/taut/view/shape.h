/* Triangles as they are drawn: vertices with a normal and a look, made anew for each frame. */
#ifndef TAUT_VIEW_SHAPE_H
#define TAUT_VIEW_SHAPE_H

#include <glm/glm.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

// How a surface takes light. Values from 0 to 255.
struct Look {
    uint8_t roughness = 110;
    uint8_t sheen = 0; // of fibres at grazing angles
    uint8_t back = 0;  // the back side is that much lighter
    uint8_t front = 0; // 255: drawn in front of all that has 0, and bright in shadows
};

struct Colour {
    uint8_t r = 0, g = 0, b = 0, a = 255; // sRGB
};

struct Vertex {
    glm::vec3 position;
    glm::vec3 normal;
    Colour colour;
    Look look;
};

struct Shape {
    std::vector<Vertex> vertices;
    std::vector<uint32_t> triangles; // three each

    void clear() {
        vertices.clear();
        triangles.clear();
    }
};

struct Bounds {
    glm::vec3 low{1e30f}, high{-1e30f};

    void add(const glm::vec3& p) {
        low = glm::min(low, p);
        high = glm::max(high, p);
    }
    void add(const Bounds& b) {
        add(b.low);
        add(b.high);
    }
    bool empty() const { return !(low.x <= high.x); }
    glm::vec3 centre() const { return empty() ? glm::vec3(0) : 0.5f * (low + high); }
    float radius() const { return empty() ? 1 : std::max(0.5f * glm::length(high - low), 1e-4f); }
};

std::vector<glm::vec3> places_of(const Shape& shape); // of its vertices

// A round tube along a smooth curve through the points, with half balls at its ends; `colours` has one for each point.
void append_tube(Shape& shape, const std::vector<glm::vec3>& points, float radius, const std::vector<Colour>& colours,
                 Look look, int sides = 10, int parts = 4);
// A ball; `detail` is the number of its rings.
void append_ball(Shape& shape, const glm::vec3& centre, float radius, Colour colour, Look look, int detail = 12);
// An arrow with a cone as its head.
void append_arrow(Shape& shape, const glm::vec3& from, const glm::vec3& to, float radius, Colour colour, Look look);

#endif
