#include "vertex_values.h"

#include <glm/glm.hpp>

#include <algorithm>
#include <cmath>

const QuantityName quantity_names[] = {
    {Quantity::none, "object", "", "the colours of the objects"},
    {Quantity::strain, "strain", "", "the largest change of length of an edge at the vertex, against frame 0"},
    {Quantity::speed, "speed", "m/s", "the speed of the vertex"},
    {Quantity::violation, "violation", "unit of the row", "the largest |phi + C lam| of a row at the vertex"},
    {Quantity::multiplier, "multiplier", "N", "the largest |lam| of a row at the vertex"},
    {Quantity::residual, "residual", "m/s", "the speed by which the last system of the step is not solved"},
};
const size_t quantity_count = sizeof quantity_names / sizeof *quantity_names;

const QuantityName& name_of(Quantity q) {
    return quantity_names[(size_t)q];
}

/* ---- strains -------------------------------------------------------------------------------------------------- */

static glm::dvec3 point_at(const frame_points& points, size_t i) {
    return {points.positions[i][0], points.positions[i][1], points.positions[i][2]};
}

void VertexValues::add_edge(const frame_points& points, size_t a, size_t b) {
    const float length = (float)glm::distance(point_at(points, a), point_at(points, b));
    if (length > 0) {
        edges_.push_back({(uint32_t)a, (uint32_t)b, length});
    }
}

VertexValues::VertexValues(const Simulation& s) {
    const frame_points& points = s.points();
    for (size_t k = 0; k < s.built().object_count; k++) {
        const built_object& o = s.built().objects[k];
        for (size_t t = 0; !o.skin && t < o.triangle_count; t++) {
            for (int i = 0; i < 3; i++) {
                add_edge(points, o.first_point + o.triangles[t][i], o.first_point + o.triangles[t][(i + 1) % 3]);
            }
        }
        for (size_t i = 1; o.shape == EXPORT_CURVE && i < o.point_count; i++) {
            add_edge(points, o.first_point + i - 1, o.first_point + i);
        }
    }
}

static void keep_larger(float& kept, float value) {
    if (std::fabs(value) > std::fabs(kept)) {
        kept = value;
    }
}

void VertexValues::strains(const Simulation& s, std::vector<float>& out) const {
    for (const Edge& e : edges_) {
        const double length = glm::distance(point_at(s.points(), e.a), point_at(s.points(), e.b));
        const float strain = (float)(length / e.length - 1);
        keep_larger(out[e.a], strain);
        keep_larger(out[e.b], strain);
    }
}

/* ---- what the world tells ------------------------------------------------------------------------------------- */

static taut_status speeds(Simulation& s, Quantity q, std::vector<float>& out) {
    std::vector<double> v(3 * out.size());
    const taut_status status = q == Quantity::residual
                                   ? taut_world_read_residuals(s.world(), 0, out.size(), v.data())
                                   : taut_world_read(s.world(), TAUT_FIELD_VELOCITIES, 0, out.size(), v.data());
    for (size_t i = 0; i < out.size(); i++) {
        out[i] = (float)std::hypot(v[3 * i], v[3 * i + 1], v[3 * i + 2]);
    }
    return status;
}

// phi + C lam of a row, with C of the file and what has become of it.
static double violation_of(const double* c, const Retuned& now, uint32_t rows, uint32_t row, const double* phi,
                           const double* lam) {
    double sum = phi[row] + now.added * lam[row];
    for (uint32_t k = 0; k < rows; k++) {
        sum += now.factor * c[row * rows + k] * lam[k];
    }
    return sum;
}

// Where the rows of each batch begin; the rows of a world with room for more are not those of the assembly.
static taut_status first_rows(Simulation& s, std::vector<size_t>& out) {
    taut_status status = TAUT_OK;
    out.assign(s.built().source_count + 1, 0);
    for (size_t id = 1; id < out.size() && status == TAUT_OK; id++) {
        taut_range rows = {};
        status = taut_world_batch_rows(s.world(), {(uint32_t)id}, &rows);
        out[id] = rows.first;
    }
    return status;
}

bool VertexValues::of_rows(Simulation& s, bool multipliers, std::vector<float>& out, report* r) {
    const size_t count = taut_world_row_count(s.world());
    std::vector<double> phi(count), lam(count);
    std::vector<size_t> first;
    if (!rows_.read(s, r)) {
        return false;
    }
    taut_status status = first_rows(s, first);
    status = status == TAUT_OK ? taut_world_read(s.world(), TAUT_FIELD_VIOLATIONS, 0, count, phi.data()) : status;
    status = status == TAUT_OK ? taut_world_read(s.world(), TAUT_FIELD_MULTIPLIERS, 0, count, lam.data()) : status;
    if (status != TAUT_OK) {
        return report_fail(r, "%s: %s", s.file().path, taut_last_error());
    }
    for (const ConstraintRows::Block& b : rows_.blocks()) {
        const size_t at = first[b.batch.id] + (size_t)b.constraint * b.rows;
        for (uint32_t row = 0; row < b.rows; row++) {
            const double value =
                multipliers ? lam[at + row]
                            : violation_of(rows_.compliances(b), s.retuned(b.batch), b.rows, row, &phi[at], &lam[at]);
            for (uint32_t k = 0; k < b.particle_count; k++) {
                keep_larger(out[b.particles[k]], (float)std::fabs(value));
            }
        }
    }
    return true;
}

bool VertexValues::compute(Simulation& s, Quantity q, std::vector<float>& out, report* r) {
    out.assign(q == Quantity::none ? 0 : s.points().point_count, 0);
    switch (q) {
    case Quantity::none:
        break;
    case Quantity::strain:
        strains(s, out);
        break;
    case Quantity::speed:
    case Quantity::residual:
        return speeds(s, q, out) == TAUT_OK || report_fail(r, "%s: %s", s.file().path, taut_last_error());
    case Quantity::violation:
    case Quantity::multiplier:
        return of_rows(s, q == Quantity::multiplier, out, r);
    }
    return true;
}

float value_range(const std::vector<float>& values) {
    std::vector<float> sizes;
    for (float v : values) {
        if (std::isfinite(v) && v != 0) {
            sizes.push_back(std::fabs(v));
        }
    }
    if (sizes.empty()) {
        return 1;
    }
    const auto at = sizes.begin() + (ptrdiff_t)(0.98 * (double)(sizes.size() - 1));
    std::nth_element(sizes.begin(), at, sizes.end());
    return *at;
}
