#include "compare.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dense_matrix.h"
#include "harness.h"

bool companion_open(companion* c, oracle_scene scene, const taut_world_def* def) {
    *c = (companion){.scene = scene, .def = *def};
    c->def.integrator.further = 0; /* the oracle linearises once */
    c->def.solver.tolerance = 1e-10;
    c->def.solver.max_iterations = 200000;
    if (!CHECK_OK(oracle_scene_world(&c->scene, &c->def, &c->world))) {
        companion_close(c);
        return false;
    }
    c->n = 3 * taut_world_particle_count(c->world);
    c->m = taut_world_row_count(c->world);
    c->smoothed = calloc(c->m + 1, sizeof *c->smoothed);
    return CHECK_INT(c->m, oracle_row_count(&c->scene));
}

void companion_close(companion* c) {
    taut_world_destroy(c->world);
    oracle_scene_free(&c->scene);
    free(c->smoothed);
    *c = (companion){0};
}

oracle_step_def companion_prepare(companion* c, double dt) {
    const taut_integrator* integrator = &c->def.integrator;
    /* Before the first step there are no multipliers; the mean of the first ten, then a running average. */
    const double mean = c->prepared > 0 ? 1.0 / c->prepared : 0;
    const double rate = integrator->alpha < 1 ? fmax(mean, c->prepared > 0 ? 0.1 : 0) : 1;
    c->prepared++;
    double* lam = calloc(c->m + 1, sizeof *lam);
    CHECK_OK(taut_world_read(c->world, TAUT_FIELD_MULTIPLIERS, 0, c->m, lam));
    for (size_t r = 0; r < c->m; r++) {
        c->smoothed[r] += rate * (lam[r] - c->smoothed[r]);
    }
    free(lam);
    oracle_step_def def = {.h = dt,
                           .alpha = integrator->alpha,
                           .beta = integrator->beta,
                           .geometric = integrator->geometric_stiffness == TAUT_GEOMETRIC_FULL,
                           .hard_row_damping = integrator->hard_row_damping,
                           .multipliers = c->smoothed,
                           .minimum_norm = c->minimum_norm};
    memcpy(def.gravity, c->def.gravity, sizeof def.gravity);
    return def;
}

static double relative(double a, double b) {
    return fabs(a - b) / (fabs(b) + 1e-3);
}

static void compare_multipliers(const companion* c, const oracle_step_def* def, const oracle_result* r,
                                step_difference* out) {
    double* gam = calloc(c->m + 1, sizeof *gam);
    double difference = 0, size = 0, side = 0;
    CHECK_OK(taut_world_read(c->world, TAUT_FIELD_MULTIPLIERS, 0, c->m, gam));
    for (size_t i = 0; i < c->m; i++) {
        const double s = r->scale[i];
        gam[i] *= def->h;
        difference += (gam[i] - r->gam[i]) * (gam[i] - r->gam[i]) * s * s;
        size += r->gam[i] * r->gam[i] * s * s;
        side += s > 0 ? r->b[i] * r->b[i] / (s * s) : 0;
    }
    out->rounding = size > 0 ? 4 * DBL_EPSILON * sqrt(size / side) : 0;
    out->gam = difference == 0 ? 0 : sqrt(difference / size);
    out->backward = oracle_backward_error(&c->scene, def, gam);
    const bool follows = c->def.solver.method == TAUT_METHOD_CONDENSED && out->backward > COMPARE_ROUNDING;
    out->part = follows ? oracle_backward_part(&c->scene, def, gam, r->dv) : 0;
    free(gam);
}

/* Violations are those of the state at the end, which the description holds by now. */
static void compare_violations(companion* c, step_difference* out) {
    double* phi = calloc(2 * c->m + 2, sizeof *phi);
    double* expected = phi + c->m + 1;
    CHECK_OK(taut_world_read(c->world, TAUT_FIELD_VIOLATIONS, 0, c->m, phi));
    oracle_phi(&c->scene, expected);
    out->phi = 0;
    size_t row = 0;
    for (size_t i = 0, end = 0; i < c->scene.constraint_count; i = end) {
        const taut_kind kind = c->scene.constraints[i].kind;
        size_t rows = 0;
        for (end = i; end < c->scene.constraint_count && c->scene.constraints[end].kind == kind; end++) {
            rows += (size_t)oracle_rows(kind);
        }
        const double size = fmax(dense_max(rows, expected + row), 1e-3);
        out->phi = fmax(out->phi, dense_max_difference(rows, phi + row, expected + row) / size);
        row += rows;
    }
    free(phi);
}

static void compare_states(companion* c, const oracle_step_def* def, const oracle_result* r, const double* before,
                           step_difference* out) {
    double* x = calloc(2 * c->n, sizeof *x);
    double *v = x + c->n, largest = def->h * dense_norm(3, def->gravity) + 1e-3 * def->h, fastest = 1e-3;
    CHECK_OK(taut_world_read(c->world, TAUT_FIELD_POSITIONS, 0, c->n / 3, x));
    CHECK_OK(taut_world_read(c->world, TAUT_FIELD_VELOCITIES, 0, c->n / 3, v));
    out->dv = out->position = 0;
    for (size_t i = 0; i < c->n; i++) {
        largest = fmax(largest, fabs(r->dv[i]));
        fastest = fmax(fastest, fabs(r->v[i]));
    }
    for (size_t i = 0; i < c->n; i++) {
        const bool fixed = c->scene.particles[i / 3].fixed;
        const double dv = fixed ? 0 : fabs(v[i] - before[i] - r->dv[i]) / largest;
        const double dx = fabs(x[i] - r->x[i]) / (def->h * fastest);
        out->dv = dv <= out->dv ? out->dv : dv; /* keeps a NaN */
        out->position = dx <= out->position ? out->position : dx;
    }
    free(x);
}

bool companion_step(companion* c, double dt, step_difference* out) {
    const oracle_step_def def = companion_prepare(c, dt);
    oracle_result r;
    taut_step_info info;
    if (!CHECK(oracle_step(&c->scene, &def, &r))) {
        return false;
    }
    double* before = calloc(c->n, sizeof *before);
    bool good = CHECK_OK(oracle_scene_drive(&c->scene, c->world, dt)) &&
                CHECK_OK(taut_world_read(c->world, TAUT_FIELD_VELOCITIES, 0, c->n / 3, before)) &&
                CHECK_OK(taut_world_step(c->world, dt)) && CHECK_OK(taut_world_info(c->world, &info));
    if (good) {
        compare_states(c, &def, &r, before, out);
        compare_multipliers(c, &def, &r, out);
        out->kinetic = relative(info.kinetic, r.kinetic);
        out->potential = relative(info.potential, r.potential);
        out->outcome = info.outcome;
        out->condition =
            info.outcome == TAUT_SOLVE_CONVERGED && out->dv <= 1e-5 ? 0 : oracle_condition(&c->scene, &def);
        out->iterations = info.iterations;
        out->residual = info.residual;
        good = CHECK_OK(oracle_scene_follow(&c->scene, c->world, dt));
        compare_violations(c, out);
    }
    free(before);
    oracle_result_free(&r);
    return good;
}
