/* What a simulation looks like: its objects as one shape, in which each vertex knows which point of the world it shows.
 */
#ifndef TAUT_VIEW_DISPLAY_H
#define TAUT_VIEW_DISPLAY_H

#include "shared_surfaces.h"
#include "simulation.h"
#include "vertex_values.h"

// A collider of the scene that is a plane.
struct Floor {
    glm::vec3 point;
    glm::vec3 normal;
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

    // Surfaces that follow points of a world on CUDA are shared with OpenGL from now on, where it can reach them and
    // while colours show no values. Needs a current context, as all calls do then.
    void share(Simulation& s);

    // Of the frame that the simulation is at.
    bool update(Simulation& s, const DisplayOptions& options, report* r);
    // Before the frame is drawn: shared surfaces come to their buffer, or where that fails to the shape.
    void settle();

    // The shape without shared surfaces, which begins with so many corners of triangles.
    const Shape& shape() const { return shape_; }
    size_t corners() const { return shared() ? corners_ : shape_.triangles.size(); }
    // Null where there are none in this frame.
    const SharedSurfaces* shared() const { return shares_ ? shared_.get() : nullptr; }
    // All of the shape; shared surfaces are read from the device, once a frame.
    const Shape& whole();
    // The point of the world that a vertex of the whole shape belongs to, or no_point.
    uint32_t point_of(uint32_t vertex) const { return vertex < sources_.size() ? sources_[vertex] : no_point; }
    // Where a point of the whole shape was in this frame.
    glm::vec3 position_of(uint32_t point) const { return positions_[point]; }
    const std::vector<Floor>& floors() const { return floors_; }
    const Bounds& bounds() const { return bounds_; }
    float range() const { return range_; }

  private:
    // Vertices that share a place and a normal: corners of triangles that meet at less than the angle of a crease.
    struct Surface {
        size_t object;
        bool follows;                    // points of the world, not a body or collider: it may be shared
        size_t first_point;              // of the frame
        std::vector<uint32_t> points;    // per vertex, from first_point
        std::vector<uint32_t> sources;   // per vertex
        std::vector<uint32_t> triangles; // of vertices
    };

    void add_surface(const Simulation& s, size_t object, size_t first_point);
    void find_floors(const Simulation& s);
    void find_needed(const Simulation& s);
    bool take_points(Simulation& s, report* r);
    void keep_points(const Simulation& s, size_t first, size_t count);
    void show_surface(const Surface& surface);
    void show_followers();
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
    std::vector<glm::vec3> positions_; // of the frame: points of the world, and behind them of bodies and colliders
    std::unique_ptr<SharedSurfaces> shared_;
    std::vector<taut_range> needed_;        // points of the world that the host draws where surfaces are shared
    bool shares_ = false, complete_ = true; // in this frame; the shape has shared surfaces, too
    size_t corners_ = 0;
    DisplayOptions options_;
    float range_ = 1;
    Bounds bounds_;
};

#endif
