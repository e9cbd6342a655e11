/* What a simulation looks like: its objects as one shape, in which each vertex knows which point of the world it shows.
 */
#ifndef TAUT_VIEW_DISPLAY_H
#define TAUT_VIEW_DISPLAY_H

#include "shape.h"
#include "simulation.h"
#include "vertex_values.h"

// A collider of the scene that is a plane.
struct Floor {
    glm::vec3 point;
    glm::vec3 normal;
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

struct DisplayOptions {
    Quantity quantity = Quantity::none;
    float range = 0; // of colours; 0: of the values themselves
    bool contacts = false;
    bool colliders = true;
};

constexpr uint32_t no_point = UINT32_MAX;

class Display {
  public:
    explicit Display(const Simulation& s);

    // Of the frame that the simulation is at.
    bool update(Simulation& s, const DisplayOptions& options, report* r);

    const Shape& shape() const { return shape_; }
    // The point of the world that a vertex of the shape belongs to, or no_point.
    uint32_t point_of(uint32_t vertex) const { return vertex < sources_.size() ? sources_[vertex] : no_point; }
    // Where a point of the world was in this frame.
    glm::vec3 position_of(uint32_t point) const { return positions_[point]; }
    const std::vector<Floor>& floors() const { return floors_; }
    const Bounds& bounds() const { return bounds_; }
    float range() const { return range_; }

  private:
    // Vertices that share a place and a normal: corners of triangles that meet at less than the angle of a crease.
    struct Surface {
        size_t object;
        size_t first_point;              // of the frame
        std::vector<uint32_t> points;    // per vertex, from first_point
        std::vector<uint32_t> sources;   // per vertex
        std::vector<uint32_t> triangles; // of vertices
    };

    void add_surface(const Simulation& s, size_t object, size_t first_point);
    void find_floors(const Simulation& s);
    void show_surface(const Simulation& s, const Surface& surface);
    void show_curve(const Simulation& s, size_t object);
    void show_points(const Simulation& s, size_t object);
    void show_lines(const Simulation& s);
    bool show_contacts(Simulation& s, report* r);
    Colour colour_of(Colour plain, uint32_t point) const;

    VertexValues values_of_;
    std::vector<Surface> surfaces_;
    std::vector<Colour> colours_; // of objects
    std::vector<Look> looks_;
    std::vector<float> radii_; // of curves and points, m
    std::vector<Floor> floors_;
    Shape shape_;
    std::vector<uint32_t> sources_;
    std::vector<float> values_;
    std::vector<glm::vec3> positions_; // of the world
    DisplayOptions options_;
    float range_ = 1;
    Bounds bounds_;
};

#endif
