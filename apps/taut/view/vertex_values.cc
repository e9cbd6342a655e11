#include "vertex_values.h"

#include <glm/glm.hpp>

#include <algorithm>
#include <cmath>

const QuantityName quantity_names[] = {
    {Quantity::none, "object", "", "the colours of the objects"},
    {Quantity::strain, "strain", "", "the largest change of length of an edge at the vertex, against frame 0"},
    {Quantity::speed, "speed", "m/s", "the speed of the vertex"},
    {Quantity::violation, "violation", "unit of the row", "the largest |phi + C lam| of a row at the vertex"},
    {Quantity::force, "force", "N", "the sum of the constraint forces at the vertex"},
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

static taut_status speeds(Simulation& s, std::vector<float>& out) {
    std::vector<double> v(3 * out.size());
    const taut_status status = taut_world_read(s.world(), TAUT_FIELD_VELOCITIES, 0, out.size(), v.data());
    for (size_t i = 0; i < out.size(); i++) {
        out[i] = (float)std::hypot(v[3 * i], v[3 * i + 1], v[3 * i + 2]);
    }
    return status;
}

// |phi + C lam| of a row; C is block diagonal.
static double violation_of(size_t row, const taut_csr_view& c, const double* phi, const double* lam) {
    double sum = phi[row];
    for (size_t k = c.offsets[row]; k < c.offsets[row + 1]; k++) {
        sum += c.values[k] * lam[c.indices[k]];
    }
    return std::fabs(sum);
}

static taut_status read_violations(const taut_assembly* assembly, std::vector<float>& out) {
    taut_csr_view c;
    taut_array phi, lam;
    taut_status status = taut_assembly_matrix(assembly, TAUT_MATRIX_C, &c);
    status = status == TAUT_OK ? taut_assembly_vector(assembly, TAUT_VECTOR_PHI, &phi) : status;
    status = status == TAUT_OK ? taut_assembly_vector(assembly, TAUT_VECTOR_LAM, &lam) : status;
    const size_t count = status == TAUT_OK ? taut_assembly_block_count(assembly) : 0;
    for (size_t i = 0; i < count; i++) {
        taut_block block;
        status = taut_assembly_block(assembly, i, &block);
        const bool contact = block.kind == TAUT_CONTACT || block.kind == TAUT_ROLLING; // its law is another one
        for (uint32_t row = 0; status == TAUT_OK && !contact && row < block.rows; row++) {
            const double value = violation_of(block.first_row + row, c, static_cast<const double*>(phi.data),
                                              static_cast<const double*>(lam.data));
            for (uint32_t k = 0; k < block.particle_count; k++) {
                keep_larger(out[block.particles[k]], (float)value);
            }
        }
    }
    return status;
}

// |J^T lam|.
static taut_status read_forces(const taut_assembly* assembly, std::vector<float>& out) {
    taut_csr_view j;
    taut_array lam;
    taut_status status = taut_assembly_matrix(assembly, TAUT_MATRIX_J, &j);
    status = status == TAUT_OK ? taut_assembly_vector(assembly, TAUT_VECTOR_LAM, &lam) : status;
    if (status != TAUT_OK) {
        return status;
    }
    std::vector<double> force(j.columns);
    for (size_t row = 0; row < j.rows; row++) {
        for (size_t k = j.offsets[row]; k < j.offsets[row + 1]; k++) {
            force[j.indices[k]] += j.values[k] * static_cast<const double*>(lam.data)[row];
        }
    }
    for (size_t i = 0; i < out.size(); i++) {
        out[i] = (float)std::hypot(force[3 * i], force[3 * i + 1], force[3 * i + 2]);
    }
    return status;
}

static taut_status assembled(Simulation& s, std::vector<float>& out,
                             taut_status (*read)(const taut_assembly*, std::vector<float>&)) {
    taut_assembly* assembly = nullptr;
    taut_status status = taut_assembly_create(s.world(), &assembly);
    if (status == TAUT_OK) {
        status = read(assembly, out);
    }
    taut_assembly_destroy(assembly);
    return status;
}

bool VertexValues::compute(Simulation& s, Quantity q, std::vector<float>& out, report* r) const {
    out.assign(s.points().point_count, 0);
    taut_status status = TAUT_OK;
    switch (q) {
    case Quantity::none:
        break;
    case Quantity::strain:
        strains(s, out);
        break;
    case Quantity::speed:
        status = speeds(s, out);
        break;
    case Quantity::violation:
        status = assembled(s, out, read_violations);
        break;
    case Quantity::force:
        status = assembled(s, out, read_forces);
        break;
    }
    return status == TAUT_OK || report_fail(r, "%s: %s", s.file().path, taut_last_error());
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
