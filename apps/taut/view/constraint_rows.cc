#include "constraint_rows.h"

// The dense block of C that begins at a row.
static void append_block(const taut_csr_view& c, size_t first, uint32_t rows, std::vector<double>& out) {
    const size_t begin = out.size();
    out.resize(begin + (size_t)rows * rows);
    for (size_t row = 0; row < rows; row++) {
        for (size_t k = c.offsets[first + row]; k < c.offsets[first + row + 1]; k++) {
            const size_t column = c.indices[k] - first;
            if (column < rows) {
                out[begin + row * rows + column] = c.values[k];
            }
        }
    }
}

taut_status ConstraintRows::take(const taut_assembly* assembly) {
    taut_csr_view c;
    taut_status status = taut_assembly_matrix(assembly, TAUT_MATRIX_C, &c);
    const size_t count = status == TAUT_OK ? taut_assembly_block_count(assembly) : 0;
    for (size_t i = 0; i < count && status == TAUT_OK; i++) {
        taut_block b;
        status = taut_assembly_block(assembly, i, &b);
        if (status == TAUT_OK && b.batch.id != 0) { // contacts have no batch
            blocks_.push_back({b.kind,
                               b.batch,
                               b.constraint,
                               b.rows,
                               b.particle_count,
                               {b.particles[0], b.particles[1], b.particles[2], b.particles[3]},
                               compliances_.size()});
            append_block(c, b.first_row, b.rows, compliances_);
        }
    }
    return status;
}

bool ConstraintRows::read(const Simulation& s, report* r) {
    taut_world_def def = s.file().world;
    taut_world* plain = nullptr;
    taut_assembly* assembly = nullptr;
    if (known_) {
        return true;
    }
    def.backend = TAUT_BACKEND_CPU;
    def.reserve = {};
    const taut_scene* scene = s.built().scene;
    taut_status status = scene ? taut_world_create(scene, &def, &plain) : TAUT_OK;
    status = status == TAUT_OK ? taut_assembly_create(scene ? plain : s.world(), &assembly) : status;
    status = status == TAUT_OK ? take(assembly) : status;
    known_ = status == TAUT_OK;
    if (!known_) {
        report_fail(r, "%s: %s", s.file().path, taut_last_error());
    }
    taut_assembly_destroy(assembly);
    taut_world_destroy(plain);
    return known_;
}
