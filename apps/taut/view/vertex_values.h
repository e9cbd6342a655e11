/* Values at the points of a world that colours show. */
#ifndef TAUT_VIEW_VERTEX_VALUES_H
#define TAUT_VIEW_VERTEX_VALUES_H

#include "constraint_rows.h"

enum class Quantity { none, strain, speed, violation, multiplier, residual };

struct QuantityName {
    Quantity quantity;
    const char* name;
    const char* unit;
    const char* meaning;
};
extern const QuantityName quantity_names[];
extern const size_t quantity_count;

const QuantityName& name_of(Quantity q);

// Lengths of the edges of all objects at the start, which strains are measured against.
class VertexValues {
  public:
    explicit VertexValues(const Simulation& s);

    // One value for each point of the world; of no quantity none.
    bool compute(Simulation& s, Quantity q, std::vector<float>& out, report* r);

  private:
    struct Edge {
        uint32_t a, b;
        float length;
    };
    void add_edge(const frame_points& points, size_t a, size_t b);
    void strains(const Simulation& s, std::vector<float>& out) const;

    bool of_rows(Simulation& s, bool multipliers, std::vector<float>& out, report* r);

    std::vector<Edge> edges_;
    ConstraintRows rows_;
};

// The range of colours for these values: the 98th percentile of their sizes, so that single ones do not darken the
// rest.
float value_range(const std::vector<float>& values);

#endif
