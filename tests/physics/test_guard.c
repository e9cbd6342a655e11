/* Steps are safe: whatever the scheme and the budget, no part is kept that gains energy. */
#include "phys_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
            const sheet s = {compliances[c], false, true, 1, limit, TAUT_METHOD_SCHUR}; /* direct has no iterations */
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

/* ---- what was linearised too far away --------------------------------------------------------------------------- */

#define STRIP 40
#define WIDTH 0.005
#define CELL  (WIDTH / 2 / STRIP) /* m^2 */

/* The load hangs from both lower corners of a strip, in the middle between them. */
static void attach_load(taut_scene* scene, uint32_t load) {
    const uint32_t pairs[] = {load - 3, load, load - 1, load};
    const double offsets[] = {WIDTH / 2, 0, 0, -WIDTH / 2, 0, 0};
    taut_attachment_def def = taut_default_attachment();
    def.count = 2;
    def.particles = pairs;
    def.offsets = offsets;
    CHECK_OK(taut_scene_add_attachments(scene, &def, NULL));
}

/* Springs with the stiffness of so wide pieces of cloth; `compliance` that of a square metre. */
static void add_springs(taut_scene* scene, const phys_mesh* mesh, double compliance) {
    phys_tuples edges = phys_edges(mesh);
    double* compliances = phys_array(edges.count, sizeof *compliances);
    for (size_t e = 0; e < edges.count; e++) {
        const double *a = mesh->points + 3 * edges.items[2 * e], *b = mesh->points + 3 * edges.items[2 * e + 1];
        compliances[e] = compliance * ((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1])) / CELL;
    }
    taut_distance_def def = taut_default_distance();
    def.count = edges.count;
    def.particles = edges.items;
    def.compliances = compliances;
    CHECK_OK(taut_scene_add_distances(scene, &def, NULL));
    free(compliances);
    free(edges.items);
}

/* A light strip of springs, 5 mm wide, that hangs from its upper end and holds a load. */
static taut_world* make_strip(const phys_mesh* mesh, double compliance, double load, bool guard) {
    const uint32_t last = (uint32_t)mesh->point_count;
    double* light = phys_lumped_masses(mesh, 1e-3);
    double* points = phys_array(last + 1, 3 * sizeof *points);
    double* masses = phys_array(last + 1, sizeof *masses);
    memcpy(points, mesh->points, 3 * last * sizeof *points);
    memcpy(masses, light, last * sizeof *masses);
    points[3 * last] = WIDTH / 2;
    points[3 * last + 1] = 1;
    masses[last] = load;
    taut_scene* scene = phys_scene(last + 1, points, masses);
    add_springs(scene, mesh, compliance);
    attach_load(scene, last);
    phys_fix(scene, 3, (const uint32_t[]){0, 1, 2});
    taut_world_def def = phys_world_def(TAUT_BACKEND_CPU, 1, 1);
    def.gravity[1] = PHYS_GRAVITY; /* the lower end is where y is largest */
    def.integrator.guard = guard;
    def.integrator.newton = 3;
    def.integrator.newton_tolerance = 1e-3;
    def.solver.method = TAUT_METHOD_CONDENSED;
    def.solver.tolerance = 1e-4;
    free(light);
    free(points);
    free(masses);
    return phys_world(scene, &def);
}

/* The longest edge, in parts of its length. */
static double longest_edge(taut_world* world, const phys_mesh* mesh) {
    phys_tuples edges = phys_edges(mesh);
    double* x = phys_field(world, TAUT_FIELD_POSITIONS);
    double most = 0;
    for (size_t e = 0; e < edges.count; e++) {
        const size_t a = 3 * (size_t)edges.items[2 * e], b = 3 * (size_t)edges.items[2 * e + 1];
        const double now = hypot(hypot(x[a] - x[b], x[a + 1] - x[b + 1]), x[a + 2] - x[b + 2]);
        most = fmax(most, now / hypot(mesh->points[a] - mesh->points[b], mesh->points[a + 1] - mesh->points[b + 1]));
    }
    free(x);
    free(edges.items);
    return most;
}

typedef struct strip_run {
    double longest;         /* edge */
    double while_converged; /* likewise, where the outcome says that */
    double fallen;          /* m: the load */
    double subdivided;
} strip_run;

static strip_run run_strip(double compliance, double load, bool guard) {
    phys_mesh mesh = phys_grid(2, STRIP, WIDTH, 1, PHYS_FORWARD);
    taut_world* world = make_strip(&mesh, compliance, load, guard);
    strip_run run = {0};
    for (int i = 0; i < 30; i++) {
        taut_step_info info;
        double x[3];
        CHECK_OK(taut_world_step(world, H));
        CHECK_OK(taut_world_info(world, &info));
        phys_position(world, mesh.point_count, x);
        run.longest = fmax(run.longest, longest_edge(world, &mesh));
        run.fallen = fmax(run.fallen, x[1] - 1);
        run.subdivided += info.subdivided;
        CHECK(!guard || info.outcome != TAUT_SOLVE_CONVERGED || info.overstretch <= 0.2);
        CHECK(!guard || info.overstretch <= 1 + 1e-6 || info.outcome == TAUT_SOLVE_OVERSTRETCHED);
        if (info.outcome == TAUT_SOLVE_CONVERGED) {
            run.while_converged = fmax(run.while_converged, longest_edge(world, &mesh));
        }
    }
    test_note("compliance %g, %g kg: edges %.3g times as long, converged %.3g, fallen by %.3g m, subdivided %g",
              compliance, load, run.longest, run.while_converged, run.fallen, run.subdivided);
    taut_world_destroy(world);
    phys_mesh_free(&mesh);
    return run;
}

/* A solved system whose motion goes far beyond what it was linearised about is no solution of the step. */
TAUT_PLAIN_TEST(guard, what_is_overstretched_has_not_converged) {
    const strip_run loose = run_strip(1e-4, 1, false), kept = run_strip(1e-4, 1, true);
    CHECK(loose.while_converged > 10); /* what this is about */
    CHECK(kept.while_converged < 1.2);
    CHECK(kept.subdivided > 0);
    CHECK(kept.fallen < 0.5 * loose.fallen);
    test_note(NULL);
}
