/* Steps are safe: whatever the scheme and the budget, no part is kept that gains energy. */
#include "phys_scenes.h"

#include <math.h>
#include <stdlib.h>

#define CELLS   10
#define SIDE    0.5
#define DENSITY 0.2
#define H       (1.0 / 60)

/* J: of a fall by its side. */
static const double drop = DENSITY * SIDE * SIDE * PHYS_GRAVITY * SIDE;

typedef struct sheet {
    double compliance; /* of springs along the edges of its triangles; negative: it is a membrane */
    bool hinged;       /* along a side; else it hangs from two corners */
    bool guard;
    double alpha;
    uint32_t limit; /* of iterations */
    taut_method method;
} sheet;

/* A sheet that starts horizontal and falls about what holds it. */
static taut_world* make_sheet(const sheet* s, taut_backend_kind backend) {
    phys_mesh mesh = phys_grid(CELLS, CELLS, SIDE, SIDE, PHYS_ALTERNATING);
    double* masses = phys_lumped_masses(&mesh, DENSITY);
    taut_scene* scene = phys_scene(mesh.point_count, mesh.points, masses);
    uint32_t held[CELLS + 1];
    if (s->compliance < 0) {
        phys_add_strain(scene, &mesh, 1e-3, 0.3, 0);
    } else {
        phys_tuples edges = phys_edges(&mesh);
        phys_add_links(scene, &edges, s->compliance, 0);
        free(edges.items);
    }
    for (uint32_t i = 0; i <= CELLS; i++) {
        held[i] = i;
    }
    held[1] = s->hinged ? 1 : CELLS;
    phys_fix(scene, s->hinged ? CELLS + 1 : 2, held);
    taut_world_def def = phys_world_def(backend, s->alpha, s->alpha);
    def.gravity[1] = 0;
    def.gravity[2] = -PHYS_GRAVITY;
    def.integrator.guard = s->guard;
    def.integrator.hard_row_damping = s->guard && s->alpha < 1;
    def.solver.tolerance = 1e-4;
    def.solver.max_iterations = s->limit;
    def.solver.method = s->method;
    free(masses);
    phys_mesh_free(&mesh);
    return phys_world(scene, &def);
}

/* J: what the springs hold by their lengths, more than `elastic` says of stiff ones that a step has not solved. */
static double stored_in_springs(taut_world* world, double compliance) {
    phys_mesh mesh = phys_grid(CELLS, CELLS, SIDE, SIDE, PHYS_ALTERNATING);
    phys_tuples edges = phys_edges(&mesh);
    double* x = phys_field(world, TAUT_FIELD_POSITIONS);
    double sum = 0;
    for (size_t e = 0; e < edges.count; e++) {
        const double *a = x + 3 * edges.items[2 * e], *b = x + 3 * edges.items[2 * e + 1];
        const double *a0 = mesh.points + 3 * edges.items[2 * e], *b0 = mesh.points + 3 * edges.items[2 * e + 1];
        const double longer = hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]) -
                              hypot(hypot(a0[0] - b0[0], a0[1] - b0[1]), a0[2] - b0[2]);
        sum += longer * longer / (2 * compliance);
    }
    free(x);
    free(edges.items);
    phys_mesh_free(&mesh);
    return sum;
}

/* The largest energy within so many steps above that at the start, in parts of the drop; infinite where a step failed.
 */
static double largest_gain(const sheet* s, int steps) {
    taut_world* world = make_sheet(s, TAUT_BACKEND_CPU);
    taut_step_info info;
    double start = 0, most = 0;
    for (int i = 0; i <= steps; i++) {
        taut_status status = i > 0 ? taut_world_step(world, H) : TAUT_OK;
        status = status == TAUT_OK ? taut_world_info(world, &info) : status;
        const double elastic = s->compliance > 0 ? stored_in_springs(world, s->compliance) : info.elastic;
        const double energy = info.kinetic + info.potential + elastic;
        start = i == 0 ? energy : start;
        most = status == TAUT_OK ? fmax(most, energy - start) : INFINITY;
        if (s->guard) {
            CHECK(info.residual <= 1);
        }
    }
    taut_world_destroy(world);
    return most / drop;
}

TAUT_PLAIN_TEST(guard, any_iteration_limit_is_safe) {
    const double compliances[] = {0, 1e-4, 1e-3};
    for (int c = 0; c < 3; c++) {
        for (uint32_t limit = 1; limit <= 27; limit *= 3) {
            const sheet s = {compliances[c], false, true, 1, limit, TAUT_METHOD_AUTO};
            test_note("compliance %g, %u iterations", s.compliance, limit);
            CHECK(largest_gain(&s, 60) < 0.02);
        }
    }
    test_note(NULL);
}

/* What the last test is about: without the guard such steps explode. */
TAUT_PLAIN_TEST(guard, truncated_steps_gain_energy_without_it) {
    const sheet s = {1e-4, false, false, 1, 3, TAUT_METHOD_AUTO};
    CHECK(largest_gain(&s, 60) > 1);
}

TAUT_PLAIN_TEST(guard, theta_keeps_the_energy_of_a_swing) {
    const double alphas[] = {0.5, 0.6};
    for (int i = 0; i < 2; i++) {
        const sheet s = {-1, true, true, alphas[i], 1000, TAUT_METHOD_AUTO};
        test_note("alpha %g", s.alpha);
        CHECK(largest_gain(&s, 120) < 0.02);
    }
    test_note(NULL);
}

/* Nor does the damping of stiff rows then keep it. */
TAUT_PLAIN_TEST(guard, midpoint_gains_energy_without_it) {
    const sheet s = {-1, true, false, 0.5, 1000, TAUT_METHOD_AUTO};
    CHECK(largest_gain(&s, 120) > 1);
}

/* What the guard makes of steps that go wrong is the same on every backend: where they are cut, damped and end. */
static void check_same_outcomes(const sheet* s, taut_backend_kind backend, int steps) {
    taut_world *world = make_sheet(s, backend), *expected = make_sheet(s, TAUT_BACKEND_CPU);
    uint32_t subdivided = 0, damped = 0;
    for (int i = 0; i < steps; i++) {
        taut_step_info a, b;
        test_note("compliance %g, %u iterations, step %d", s->compliance, s->limit, i);
        CHECK_OK(taut_world_step(world, H));
        CHECK_OK(taut_world_step(expected, H));
        CHECK_OK(taut_world_info(world, &a));
        CHECK_OK(taut_world_info(expected, &b));
        CHECK_INT(a.outcome, b.outcome);
        CHECK_INT(a.subdivided, b.subdivided);
        CHECK_INT(a.damped, b.damped);
        CHECK_NEAR(a.time, b.time, 1e-12);
        CHECK_NEAR(a.kinetic, b.kinetic, 1e-3 * drop);
        CHECK_NEAR(a.elastic, b.elastic, 1e-3 * drop);
        subdivided += b.subdivided;
        damped += b.damped;
    }
    CHECK(subdivided + damped > 0);
    test_note(NULL);
    taut_world_destroy(world);
    taut_world_destroy(expected);
}

TAUT_TEST(guard, outcomes_are_those_of_the_cpu) {
    const sheet cut = {-1, true, true, 0.5, 1000, TAUT_METHOD_CONDENSED};
    const sheet short_of_iterations = {1e-4, false, true, 1, 3, TAUT_METHOD_CONDENSED};
    check_same_outcomes(&cut, backend, 8);
    check_same_outcomes(&short_of_iterations, backend, 8);
}
