/* Bounds of multipliers: the conditions that make a solution one, checked with the operators of the linearisation; and
 * motions that are known. */
#include "method_pairs.h"
#include "phys_frames.h"
#include "refused.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define H (1.0 / 60)

/* ---- the conditions of a solution ---------------------------------------------------------------------------------- *
 *
 * r = b - S gam of the step that follows: 0 within the bounds, at most 0 at the lower, at least 0 at the upper one. */

typedef struct bounded_rows {
    size_t count;
    const double *lower, *upper; /* N, of all rows of the world */
} bounded_rows;

/* How far the step that has been made after `b` and S were taken is from them, relative to the largest |b| among what is
 * not held, in the scale of S. */
static double worst_condition(const bounded_rows* rows, const double* gam, const double* r, const double* diagonal,
                              double h, size_t held[3]) {
    double worst = 0;
    memset(held, 0, 3 * sizeof(size_t));
    for (size_t i = 0; i < rows->count; i++) {
        const double lower = h * rows->lower[i], upper = h * rows->upper[i], slack = 1e-9 * (1 + fabs(gam[i]));
        const bool low = gam[i] <= lower + slack, high = gam[i] >= upper - slack;
        CHECK(gam[i] >= lower - slack && gam[i] <= upper + slack);
        const double left = low && r[i] < 0 ? 0 : high && r[i] > 0 ? 0 : fabs(r[i]);
        held[low ? 0 : high ? 2 : 1]++;
        worst = phys_worse(worst, left / sqrt(diagonal[i]));
    }
    return worst;
}

static void check_step(taut_world* world, const bounded_rows* rows, double tolerance) {
    const size_t m = rows->count;
    double *b = phys_array(m, sizeof(double)), *unit = phys_array(m, sizeof(double)),
           *column = phys_array(m, sizeof(double)), *s = phys_array(m * m, sizeof(double)),
           *diagonal = phys_array(m, sizeof(double)), *r = phys_array(m, sizeof(double));
    taut_step_info info;
    size_t held[3];
    double scale = 0;
    REQUIRE_OK(taut_world_linearise(world, H));
    REQUIRE_OK(taut_world_right_hand_side(world, b));
    for (size_t i = 0; i < m; i++) {
        unit[i] = 1;
        REQUIRE_OK(taut_world_apply(world, TAUT_OPERATOR_S, unit, column));
        unit[i] = 0;
        memcpy(s + m * i, column, m * sizeof(double));
        diagonal[i] = column[i];
    }
    REQUIRE_OK(taut_world_step(world, H));
    CHECK_OK(taut_world_info(world, &info));
    CHECK_INT(info.outcome, TAUT_SOLVE_CONVERGED);
    double* gam = phys_field(world, TAUT_FIELD_MULTIPLIERS);
    for (size_t i = 0; i < m; i++) {
        gam[i] *= H;
    }
    for (size_t i = 0; i < m; i++) {
        r[i] = b[i];
        for (size_t j = 0; j < m; j++) {
            r[i] -= s[m * i + j] * gam[j];
        }
        scale = phys_worse(scale, fabs(b[i]) / sqrt(diagonal[i]));
    }
    const double worst = worst_condition(rows, gam, r, diagonal, H, held);
    test_note("%zu lower, %zu within, %zu upper; worst %.2g of %.2g; %u iterations in %u passes, residual %.2g, "
              "complementarity %.2g",
              held[0], held[1], held[2], worst, scale, info.iterations, info.passes, info.residual, info.complementarity);
    CHECK(worst <= tolerance * scale);
    CHECK(info.complementarity <= 1e-9);
    free(b), free(unit), free(column), free(s), free(diagonal), free(r), free(gam);
}

/* A net of 6 x 6 points in all directions of its triangles, crumpled, whose threads only pull; some are too short, some
 * slack, some hard; the last ones take no more than 3 N either way. */
typedef struct net {
    taut_scene* scene;
    size_t rows;
    double lower[256], upper[256];
} net;

static net make_net(double softest) {
    net n = {.rows = 0};
    phys_mesh mesh = phys_grid(5, 5, 1, 1, PHYS_ALTERNATING);
    for (size_t i = 0; i < mesh.point_count; i++) {
        mesh.points[3 * i] += 0.04 * sin(7.0 * (double)i);
        mesh.points[3 * i + 2] += 0.1 * sin(3.0 * (double)i);
    }
    phys_tuples edges = phys_edges(&mesh);
    n.scene = phys_scene(mesh.point_count, mesh.points, NULL);
    phys_fix(n.scene, 2, (const uint32_t[]){0, 5});
    for (size_t e = 0; e < edges.count; e++) {
        const double *a = mesh.points + 3 * edges.items[2 * e], *b = mesh.points + 3 * edges.items[2 * e + 1];
        const double rest = phys_apart(a, b) * (e % 3 == 0 ? 1.02 : e % 3 == 1 ? 0.98 : 1);
        const bool strut = e + 12 > edges.count;
        taut_distance_def def = taut_default_distance();
        taut_batch batch;
        def.count = 1;
        def.particles = edges.items + 2 * e;
        def.rest_lengths = &rest;
        def.compliance = e % 4 == 0 ? 0 : softest;
        def.damping = e % 5 == 0 ? 0.01 : 0;
        CHECK_OK(taut_scene_add_distances(n.scene, &def, &batch));
        n.lower[n.rows] = strut ? -3 : -INFINITY;
        n.upper[n.rows] = strut ? 3 : 0;
        CHECK_OK(taut_scene_set_bounds(n.scene, batch, n.lower[n.rows], n.upper[n.rows], INFINITY));
        n.rows++;
    }
    phys_mesh_free(&mesh);
    free(edges.items);
    return n;
}

static void check_net(taut_world_def def, double softest, int steps, double tolerance) {
    net n = make_net(softest);
    const bounded_rows rows = {n.rows, n.lower, n.upper};
    taut_world* world = phys_world(n.scene, &def);
    for (int i = 0; world != NULL && i < steps; i++) {
        check_step(world, &rows, tolerance);
    }
    taut_world_destroy(world);
}

TAUT_TEST(bounds, schur) {
    const taut_preconditioner all[] = {TAUT_PRECONDITIONER_JACOBI, TAUT_PRECONDITIONER_BLOCK,
                                       TAUT_PRECONDITIONER_CHEBYSHEV, TAUT_PRECONDITIONER_MULTILEVEL,
                                       TAUT_PRECONDITIONER_NONE};
    for (int i = 0; i < 5; i++) {
        taut_world_def def = pair_def(backend, TAUT_METHOD_SCHUR);
        def.solver.preconditioner = all[i];
        def.solver.tolerance = 1e-10;
        check_net(def, 1e-4, 4, 1e-6);
    }
}

TAUT_TEST(bounds, condensed) {
    const taut_preconditioner all[] = {TAUT_PRECONDITIONER_JACOBI, TAUT_PRECONDITIONER_MULTILEVEL};
    for (int i = 0; i < 2; i++) {
        taut_world_def def = pair_def(backend, TAUT_METHOD_CONDENSED);
        def.solver.preconditioner = all[i];
        def.solver.tolerance = 1e-10;
        check_net(def, 1e-4, 4, 1e-6);
    }
}

TAUT_TEST(bounds, gauss_seidel) {
    taut_world_def def = pair_def(backend, TAUT_METHOD_GAUSS_SEIDEL);
    def.solver.max_iterations = 100000;
    check_net(def, 1e-3, 2, 1e-6);
}

TAUT_TEST(bounds, direct) {
    if (backend == TAUT_BACKEND_CPU && test_direct()) {
        check_net(pair_def(backend, TAUT_METHOD_DIRECT), 1e-4, 4, 1e-6);
    }
}
