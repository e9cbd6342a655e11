#include "linear_system.h"

#include "processor.h"

#include <Eigen/SparseCore>

extern "C" {
#include "bench_scenes.h"
}

#include <algorithm>
#include <cstdlib>

using rows_matrix = Eigen::SparseMatrix<double, Eigen::RowMajor, int>;

struct linear_source {
    step_problem problem;
    taut_world* world;
    rows_matrix kept;
    linear_system system;
};

linear_source* linear_source_make(const step_problem* p) {
    auto* s = new linear_source{};
    taut_world_def def = taut_default_world();
    def.backend = TAUT_BACKEND_CPU;
    def.threads = 1;
    def.gravity[1] = p->gravity;
    s->problem = *p;
    taut_scene* scene = springs_scene(p->model);
    bench_must(taut_world_create(scene, &def, &s->world));
    taut_scene_destroy(scene);
    s->system.rhs = static_cast<double*>(bench_allocate(problem_coordinates(p), sizeof(double)));
    return s;
}

void linear_source_free(linear_source* s) {
    taut_world_destroy(s->world);
    std::free(s->system.rhs);
    delete s;
}

namespace {

rows_matrix matrix_of(const taut_assembly* assembly, taut_matrix which) {
    taut_csr_view v;
    bench_must(taut_assembly_matrix(assembly, which, &v));
    rows_matrix m(static_cast<Eigen::Index>(v.rows), static_cast<Eigen::Index>(v.columns));
    m.resizeNonZeros(static_cast<Eigen::Index>(v.nonzeros));
    std::copy_n(v.offsets, v.rows + 1, m.outerIndexPtr());
    std::copy_n(v.indices, v.nonzeros, m.innerIndexPtr());
    std::copy_n(v.values, v.nonzeros, m.valuePtr());
    return m;
}

Eigen::VectorXd vector_of(const taut_assembly* assembly, taut_vector which) {
    taut_array a;
    bench_must(taut_assembly_vector(assembly, which, &a));
    Eigen::VectorXd out(static_cast<Eigen::Index>(a.rows));
    for (size_t i = 0; i < a.rows; i++) {
        out[static_cast<Eigen::Index>(i)] =
            *reinterpret_cast<const double*>(static_cast<const char*>(a.data) + i * a.stride);
    }
    return out;
}

void fix(const step_problem& p, rows_matrix& h, double* rhs) {
    for (Eigen::Index i = 0; i < h.rows(); i++) {
        const bool row = problem_fixed(&p, static_cast<size_t>(i));
        for (rows_matrix::InnerIterator e(h, i); e; ++e) {
            if (row || problem_fixed(&p, static_cast<size_t>(e.col()))) {
                e.valueRef() = row && e.col() == i ? 1 : 0;
            }
        }
        rhs[i] = row ? 0 : rhs[i];
    }
}

void assemble(linear_source& s, const motion* from, const taut_assembly* assembly) {
    const double h = s.problem.h;
    const auto n = static_cast<Eigen::Index>(problem_coordinates(&s.problem));
    const rows_matrix j = matrix_of(assembly, TAUT_MATRIX_J), mass = matrix_of(assembly, TAUT_MATRIX_M);
    const Eigen::VectorXd inverse_w =
        h * h * Eigen::VectorXd(matrix_of(assembly, TAUT_MATRIX_C).diagonal()).cwiseInverse();
    const Eigen::Map<const Eigen::VectorXd> v(from->v, n);
    const Eigen::VectorXd r = -vector_of(assembly, TAUT_VECTOR_PHI) / h - j * v;
    Eigen::Map<Eigen::VectorXd>(s.system.rhs, n) =
        h * vector_of(assembly, TAUT_VECTOR_F) + j.transpose() * inverse_w.cwiseProduct(r);
    const rows_matrix stiff = rows_matrix(j.transpose()) * rows_matrix(inverse_w.asDiagonal() * j);
    s.kept = stiff + mass;
    s.kept.makeCompressed();
    fix(s.problem, s.kept, s.system.rhs);
    s.system.h = {static_cast<size_t>(n), s.kept.outerIndexPtr(), s.kept.innerIndexPtr(), s.kept.valuePtr()};
}

} // namespace

const linear_system* linear_source_assemble(linear_source* s, const motion* from, double* seconds) {
    const size_t n = s->problem.model->particles;
    const double begin = processor_seconds();
    bench_must(taut_world_write(s->world, TAUT_FIELD_POSITIONS, 0, n, from->x));
    bench_must(taut_world_write(s->world, TAUT_FIELD_VELOCITIES, 0, n, from->v));
    taut_assembly* assembly = nullptr;
    bench_must(taut_assembly_create(s->world, &assembly));
    assemble(*s, from, assembly);
    taut_assembly_destroy(assembly);
    *seconds = processor_seconds() - begin;
    return &s->system;
}

void linear_finish(const step_problem* p, const motion* from, const double* dv, motion* to) {
    for (size_t i = 0; i < problem_coordinates(p); i++) {
        to->v[i] = problem_fixed(p, i) ? 0 : from->v[i] + dv[i];
        to->x[i] = from->x[i] + p->h * to->v[i];
    }
}
