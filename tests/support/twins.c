#include "twins.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "dense_matrix.h"
#include "harness.h"

bool twins_open(twins* t, const taut_scene* scene, taut_world_def def, double dt) {
    *t = (twins){.dt = dt, .group_count = 1, .free_count = 1};
    def.solver.max_iterations = 100000;
    def.backend = TAUT_BACKEND_CPU;
    bool good = CHECK_OK(taut_world_create(scene, &def, &t->cpu));
    def.backend = TAUT_BACKEND_CUDA;
    good = CHECK_OK(taut_world_create(scene, &def, &t->cuda)) && good;
    t->points = taut_world_particle_count(t->cpu);
    t->frames = taut_world_frame_count(t->cpu);
    t->n = 3 * (t->points + t->frames);
    t->m = taut_world_row_count(t->cpu);
    t->groups[0].count = (uint32_t)t->m;
    t->free[0].count = (uint32_t)t->points;
    t->a = calloc(t->n + t->m + t->frames, sizeof *t->a);
    t->b = calloc(t->n + t->m + t->frames, sizeof *t->b);
    return good;
}

void twins_close(twins* t) {
    taut_world_destroy(t->cpu);
    taut_world_destroy(t->cuda);
    free(t->a), free(t->b);
}

void twins_step(twins* t) {
    CHECK_OK(taut_world_step(t->cpu, t->dt));
    CHECK_OK(taut_world_step(t->cuda, t->dt));
}

void twins_check_close(const char* what, size_t count, const double* cpu, const double* cuda, double floor,
                       double tolerance) {
    const double size = fmax(dense_max(count, cpu), floor);
    test_note("%s, up to %g", what, size);
    CHECK_NEAR(dense_max_difference(count, cuda, cpu) / size, 0, tolerance);
    test_note(NULL);
}

static size_t rows_of(const twins* t, taut_field field, size_t* columns) {
    *columns = field == TAUT_FIELD_ORIENTATIONS ? 4 : 3;
    switch (field) {
    case TAUT_FIELD_VIOLATIONS:
    case TAUT_FIELD_MULTIPLIERS:
        *columns = 1;
        return t->m;
    case TAUT_FIELD_ORIENTATIONS:
    case TAUT_FIELD_ANGULAR_VELOCITIES:
        return t->frames;
    default:
        return t->points;
    }
}

void twins_check_field(twins* t, taut_field field, const char* what, double floor, double tolerance) {
    size_t columns;
    const size_t rows = rows_of(t, field, &columns);
    CHECK_OK(taut_world_read(t->cpu, field, 0, rows, t->a));
    CHECK_OK(taut_world_read(t->cuda, field, 0, rows, t->b));
    twins_check_close(what, columns * rows, t->a, t->b, floor, tolerance);
}

/* ---- stages ------------------------------------------------------------------------------------------------------ */

/* What a and b hold of the rows, group by group. */
static void check_rows(const twins* t, const char* what, double floor, double tolerance) {
    for (size_t i = 0; i < t->group_count; i++) {
        const taut_range rows = t->groups[i];
        twins_check_close(what, rows.count, t->a + rows.first, t->b + rows.first, floor, tolerance);
    }
}

/* Points and frames, whose numbers have other units. */
static void check_nodes(const twins* t, const char* what, double floor, double tolerance) {
    const size_t points = 3 * t->points;
    twins_check_close(what, points, t->a, t->b, floor, tolerance);
    twins_check_close(what, t->n - points, t->a + points, t->b + points, floor, tolerance);
}

void twins_check_evaluate(twins* t, double state, double forces) {
    taut_step_info a, b;
    CHECK_OK(taut_world_read(t->cpu, TAUT_FIELD_VIOLATIONS, 0, t->m, t->a));
    CHECK_OK(taut_world_read(t->cuda, TAUT_FIELD_VIOLATIONS, 0, t->m, t->b));
    check_rows(t, "evaluate: phi", 0.1, TWINS_FORMULA + state);
    CHECK_OK(taut_world_info(t->cpu, &a));
    CHECK_OK(taut_world_info(t->cuda, &b));
    const double of_cpu[3] = {a.kinetic, a.potential, a.elastic}, of_cuda[3] = {b.kinetic, b.potential, b.elastic};
    twins_check_close("evaluate: kinetic and potential energy", 2, of_cpu, of_cuda, 1e-3, TWINS_FORMULA + state);
    twins_check_close("evaluate: elastic energy", 1, of_cpu + 2, of_cuda + 2, 1e-3, TWINS_FORMULA + forces);
    twins_check_close("evaluate: worst violations", TAUT_KIND_COUNT, a.max_violation, b.max_violation, 0.1,
                      TWINS_FORMULA + forces);
}

static void check_operator(twins* t, taut_operator op, bool from_rows, bool to_rows, double tolerance) {
    static const char* const names[] = {"J", "J^T", "A", "A^-1", "S", "W", "G"};
    const size_t size = t->n + t->m;
    double* in = calloc(size, sizeof *in);
    random_state random = {41 + (uint64_t)op};
    char what[64];
    random_fill(&random, -1, 1, from_rows ? t->m : t->n, in);
    CHECK_OK(taut_world_apply(t->cpu, op, in, t->a));
    CHECK_OK(taut_world_apply(t->cuda, op, in, t->b));
    snprintf(what, sizeof what, "assemble: %s", names[op]);
    (to_rows ? check_rows : check_nodes)(t, what, 1e-9, tolerance);
    free(in);
}

/* W has no rounding but that of its own numbers; the others have the Jacobians', and what depends on multipliers
 * those'. */
void twins_check_assemble(twins* t, double state, double forces) {
    CHECK_OK(taut_world_linearise(t->cpu, t->dt));
    CHECK_OK(taut_world_linearise(t->cuda, t->dt));
    CHECK_OK(taut_world_right_hand_side(t->cpu, t->a));
    CHECK_OK(taut_world_right_hand_side(t->cuda, t->b));
    check_rows(t, "assemble: right-hand side", 1e-3, TWINS_STORED + state + forces);
    check_operator(t, TAUT_OPERATOR_J, false, true, TWINS_STORED + state);
    check_operator(t, TAUT_OPERATOR_JT, true, false, TWINS_STORED + state);
    check_operator(t, TAUT_OPERATOR_A, false, false, TWINS_STORED + state + forces);
    check_operator(t, TAUT_OPERATOR_A_INVERSE, false, false, TWINS_STORED + state + forces);
    check_operator(t, TAUT_OPERATOR_S, true, true, TWINS_STORED + state + forces);
    check_operator(t, TAUT_OPERATOR_W, true, true, TWINS_FORMULA);
    check_operator(t, TAUT_OPERATOR_G, false, false, TWINS_STORED + state + forces);
}

void twins_check_solve(twins* t, double forces) {
    taut_step_info a, b;
    CHECK_OK(taut_world_info(t->cpu, &a));
    CHECK_OK(taut_world_info(t->cuda, &b));
    CHECK_INT(b.outcome, a.outcome);
    CHECK_NEAR(a.residual, 0, 1e-10);
    CHECK_NEAR(b.residual, 0, 1e-10);
    CHECK_NEAR(b.outer_iterations, a.outer_iterations, 1);
    CHECK_INT(b.step, a.step);
    CHECK_NEAR(b.time, a.time, 0);
    twins_check_field(t, TAUT_FIELD_MULTIPLIERS, "solve: multipliers", 1e-3, forces);
}

void twins_check_integrate(twins* t, double tolerance) {
    const double moved = t->dt * tolerance + TWINS_FORMULA;
    twins_check_field(t, TAUT_FIELD_VELOCITIES, "integrate: velocities", 0.1, tolerance);
    twins_check_field(t, TAUT_FIELD_POSITIONS, "integrate: positions", 1, moved);
    twins_check_field(t, TAUT_FIELD_POSITIONS_F32, "integrate: positions in float32", 1, t->dt * tolerance + 1.2e-7);
    twins_check_field(t, TAUT_FIELD_ANGULAR_VELOCITIES, "integrate: angular velocities", 0.1, tolerance);
    twins_check_field(t, TAUT_FIELD_ORIENTATIONS, "integrate: orientations", 1, moved);
}

void twins_check_iterations(twins* t) {
    taut_step_info a, b;
    CHECK_OK(taut_world_info(t->cpu, &a));
    CHECK_OK(taut_world_info(t->cuda, &b));
    CHECK(a.iterations > 0);
    CHECK_NEAR(b.iterations, a.iterations, 2 + 0.02 * a.iterations);
    CHECK_INT(b.outer_iterations, a.outer_iterations);
    CHECK_INT(b.outcome, a.outcome);
}

static void align_rows(twins* t, taut_field field, size_t first, size_t count) {
    if (count > 0) {
        CHECK_OK(taut_world_read(t->cpu, field, first, count, t->a));
        CHECK_OK(taut_world_write(t->cpu, field, first, count, t->a));
        CHECK_OK(taut_world_write(t->cuda, field, first, count, t->a));
    }
}

void twins_align(twins* t) {
    for (size_t i = 0; i < t->free_count; i++) {
        align_rows(t, TAUT_FIELD_POSITIONS, t->free[i].first, t->free[i].count);
        align_rows(t, TAUT_FIELD_VELOCITIES, t->free[i].first, t->free[i].count);
    }
    align_rows(t, TAUT_FIELD_ORIENTATIONS, 0, t->frames);
    align_rows(t, TAUT_FIELD_ANGULAR_VELOCITIES, 0, t->frames);
}
