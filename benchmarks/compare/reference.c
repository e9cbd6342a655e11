#include "reference.h"

#include "bench_scenes.h"
#include "dense_newton.h"
#include "direct.h"
#include "linear_system.h"

#include <stdlib.h>

#define REFINEMENTS 3

static direct_kind fastest(void) {
    return direct_available(DIRECT_CHOLMOD) ? DIRECT_CHOLMOD : DIRECT_EIGEN;
}

motion* reference_frames(const step_problem* p, uint32_t substeps, const motion* from, size_t frames,
                         size_t iterations) {
    step_problem part = *p;
    part.h = p->h / substeps;
    newton* solver = newton_make(fastest(), &part);
    motion* out = bench_allocate(frames, sizeof *out);
    motion now = motion_make(p), next = motion_make(p);
    motion_copy(p, from, &now);
    for (size_t f = 0; f < frames; f++) {
        for (uint32_t i = 0; i < substeps; i++) {
            newton_step(solver, &now, iterations, &next, NULL);
            motion_copy(p, &next, &now);
        }
        out[f] = motion_make(p);
        motion_copy(p, &now, &out[f]);
    }
    motion_free(&now);
    motion_free(&next);
    newton_free(solver);
    return out;
}

void reference_linear(const step_problem* p, const motion* from, motion* to) {
    double seconds = 0;
    linear_source* source = linear_source_make(p);
    const linear_system* a = linear_source_assemble(source, from, &seconds);
    const size_t n = a->h.rows;
    double *dv = bench_allocate(n, sizeof *dv), *r = bench_allocate(n, sizeof *r), *d = bench_allocate(n, sizeof *d);
    direct* solver = direct_make(fastest(), &a->h);
    bench_must(direct_factorise(solver, &a->h) ? TAUT_OK : TAUT_INVALID_ARGUMENT);
    for (int i = 0; i < REFINEMENTS; i++) {
        sparse_multiply(&a->h, dv, r);
        for (size_t k = 0; k < n; k++) {
            r[k] = a->rhs[k] - r[k];
        }
        direct_solve(solver, r, d);
        for (size_t k = 0; k < n; k++) {
            dv[k] += d[k];
        }
    }
    linear_finish(p, from, dv, to);
    direct_free(solver);
    linear_source_free(source);
    free(dv);
    free(r);
    free(d);
}
