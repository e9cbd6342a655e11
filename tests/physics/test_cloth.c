/* Sheets of distance rows along and across the threads, a diagonal in every cell, and hinges: balance of forces and
 * momentum, energy, and what hard rows keep. */
#include "phys_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CELLS   6
#define SIDE    0.6 /* m */
#define DENSITY 0.2 /* kg/m^2 */
#define STEP    (1.0 / 60)

typedef struct cloth {
    phys_mesh mesh;
    double* masses;
    double compliance; /* of the edges, m/N */
    bool threads_only; /* no diagonals, no hinges */
} cloth;

/* A level square, waved a little so that no direction is special. */
static cloth make_cloth(double compliance, bool threads_only) {
    cloth c = {.mesh = phys_grid(CELLS, CELLS, SIDE, SIDE, PHYS_ALTERNATING),
               .compliance = compliance,
               .threads_only = threads_only};
    c.masses = phys_lumped_masses(&c.mesh, DENSITY);
    for (size_t p = 0; p < c.mesh.point_count; p++) {
        double* x = c.mesh.points + 3 * p;
        const double level[3] = {x[0], 0.01 * sin(9 * x[0]) * cos(7 * x[1]), -x[1]};
        memcpy(x, level, sizeof level);
    }
    return c;
}

static void free_cloth(cloth* c) {
    phys_mesh_free(&c->mesh);
    free(c->masses);
}

/* Edges of the grid's rows and columns: their ends lie 1 or CELLS + 1 apart. */
static void keep_threads(phys_tuples* edges) {
    size_t kept = 0;
    for (size_t e = 0; e < edges->count; e++) {
        const uint32_t a = edges->items[2 * e], b = edges->items[2 * e + 1], apart = a < b ? b - a : a - b;
        if (apart == 1 || apart == CELLS + 1) {
            edges->items[2 * kept] = a;
            edges->items[2 * kept++ + 1] = b;
        }
    }
    edges->count = kept;
}

static taut_scene* cloth_scene(const cloth* c, bool pinned) {
    taut_scene* scene = phys_scene(c->mesh.point_count, c->mesh.points, c->masses);
    phys_tuples edges = phys_edges(&c->mesh);
    if (c->threads_only) {
        keep_threads(&edges);
    }
    phys_add_links(scene, &edges, c->compliance, 0);
    if (!c->threads_only) {
        const phys_tuples hinges = phys_hinges(&c->mesh);
        double* compliances = phys_array(hinges.count, sizeof *compliances);
        for (size_t i = 0; i < hinges.count; i++) {
            compliances[i] = 1e4;
        }
        phys_add_hinges(scene, &hinges, compliances, 0);
        free(compliances);
        free(hinges.items);
    }
    if (pinned) {
        phys_fix(scene, 2, (const uint32_t[]){0, CELLS});
    }
    free(edges.items);
    return scene;
}

/* ---- forces --------------------------------------------------------------------------------------------------- */

/* Force of all constraints on the two pins, N. */
static void pin_force(taut_world* world, double force[3]) {
    double* lam = phys_field(world, TAUT_FIELD_MULTIPLIERS);
    double* forces = phys_array(3 * taut_world_particle_count(world), sizeof *forces);
    CHECK_OK(taut_world_linearise(world, STEP));
    CHECK_OK(taut_world_apply(world, TAUT_OPERATOR_JT, lam, forces));
    for (int a = 0; a < 3; a++) {
        force[a] = forces[a] + forces[3 * CELLS + a];
    }
    free(lam);
    free(forces);
}

/* The free particles' weight. */
static double free_weight(const cloth* c) {
    double mass = 0;
    for (size_t p = 0; p < c->mesh.point_count; p++) {
        mass += p == 0 || p == CELLS ? 0 : c->masses[p];
    }
    return mass * PHYS_GRAVITY;
}

static void check_weight(taut_backend_kind backend, double compliance, bool threads_only) {
    cloth c = make_cloth(compliance, threads_only);
    const taut_world_def def = phys_world_def(backend, 1, 1);
    taut_world* world = phys_world(cloth_scene(&c, true), &def);
    test_note("compliance %g m/N, threads only %d", compliance, threads_only);
    if (phys_settle(world, STEP, 0.1, 1e-4, 600)) {
        double force[3];
        pin_force(world, force);
        const double weight = free_weight(&c);
        CHECK_NEAR(force[0], 0, 1e-3 * weight);
        CHECK_NEAR(force[1], -weight, 1e-3 * weight);
        CHECK_NEAR(force[2], 0, 1e-3 * weight);
    }
    taut_world_destroy(world);
    free_cloth(&c);
}

TAUT_TEST(cloth, pins_carry_the_weight) {
    check_weight(backend, 1e-3, false);
    check_weight(backend, 1e-4, false);
    check_weight(backend, 0, true);
}

/* Positions after a third of a second of falling, with each preconditioner. */
TAUT_TEST(cloth, every_preconditioner_gives_the_same) {
    cloth c = make_cloth(1e-4, false);
    double* first = NULL;
    for (int p = TAUT_PRECONDITIONER_NONE; p <= TAUT_PRECONDITIONER_MULTILEVEL; p++) {
        taut_world_def def = phys_world_def(backend, 1, 1);
        def.solver.preconditioner = (taut_preconditioner)p;
        def.solver.tolerance = 1e-7;
        taut_world* world = phys_world(cloth_scene(&c, true), &def);
        phys_run(world, 20, STEP);
        double* x = phys_field(world, TAUT_FIELD_POSITIONS);
        double worst = 0;
        for (size_t i = 0; first != NULL && i < 3 * c.mesh.point_count; i++) {
            worst = fmax(worst, fabs(x[i] - first[i]));
        }
        test_note("preconditioner %d", p);
        CHECK_NEAR(worst, 0, 1e-6);
        taut_world_destroy(world);
        if (first == NULL) {
            first = x;
        } else {
            free(x);
        }
    }
    free(first);
    free_cloth(&c);
}

/* ---- momentum and energy -------------------------------------------------------------------------------------- */

typedef struct momenta {
    double linear[3], angular[3];
} momenta;

static momenta measure_momenta(taut_world* world, const cloth* c) {
    momenta sum = {{0, 0, 0}, {0, 0, 0}};
    double* x = phys_field(world, TAUT_FIELD_POSITIONS);
    double* v = phys_field(world, TAUT_FIELD_VELOCITIES);
    for (size_t p = 0; p < c->mesh.point_count; p++) {
        for (size_t a = 0; a < 3; a++) {
            const size_t b = 3 * p + (a + 1) % 3, d = 3 * p + (a + 2) % 3;
            sum.linear[a] += c->masses[p] * v[3 * p + a];
            sum.angular[a] += c->masses[p] * (x[b] * v[d] - x[d] * v[b]);
        }
    }
    free(x);
    free(v);
    return sum;
}

static taut_world* thrown_cloth(taut_backend_kind backend, const cloth* c, taut_geometric_stiffness geometric) {
    taut_world_def def = phys_world_def(backend, 1, 1);
    memset(def.gravity, 0, sizeof def.gravity);
    def.integrator.geometric_stiffness = geometric;
    taut_world* world = phys_world(cloth_scene(c, false), &def);
    for (size_t p = 0; p < c->mesh.point_count; p++) {
        const double* x = c->mesh.points + 3 * p;
        const double v[3] = {0.3 + sin(40 * x[0]), 0.5 * cos(31 * x[2]), -0.2 + x[1] + x[0]};
        CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, p, 1, v));
    }
    return world;
}

/* Constraint forces come in balance. Of implicit Euler's torques only those of G are not balanced at the step's start:
 * without G, x' x m v' - x x m v = x x J^T gam = 0 exactly; with G the linear momentum is. */
TAUT_TEST(cloth, free_cloth_keeps_its_momentum) {
    cloth c = make_cloth(1e-4, false);
    for (int g = TAUT_GEOMETRIC_NONE; g <= TAUT_GEOMETRIC_FULL; g++) {
        taut_world* world = thrown_cloth(backend, &c, (taut_geometric_stiffness)g);
        const momenta before = measure_momenta(world, &c);
        phys_run(world, 60, STEP);
        const momenta after = measure_momenta(world, &c);
        test_note("geometric stiffness %d", g);
        for (int a = 0; a < 3; a++) {
            CHECK_NEAR(after.linear[a], before.linear[a], 1e-6);
            if (g == TAUT_GEOMETRIC_NONE) {
                CHECK_NEAR(after.angular[a], before.angular[a], 1e-6);
            }
        }
        taut_world_destroy(world);
    }
    free_cloth(&c);
}

/* Kinetic, gravity and elastic energy 1/2 phi^2/c of the edges and hinges. */
static double total_energy(taut_world* world, const cloth* c, size_t edges) {
    taut_step_info info;
    CHECK_OK(taut_world_info(world, &info));
    double* phi = phys_field(world, TAUT_FIELD_VIOLATIONS);
    double elastic = 0;
    for (size_t r = 0; r < taut_world_row_count(world); r++) {
        elastic += phi[r] * phi[r] / (2 * (r < edges ? c->compliance : 1e4));
    }
    free(phi);
    return info.kinetic + info.potential + elastic;
}

/* Largest growth of the energy in one step of two seconds of falling, over the weight times the side. */
static double largest_growth(taut_backend_kind backend, double compliance, double h) {
    cloth c = make_cloth(compliance, false);
    const phys_tuples edges = phys_edges(&c.mesh);
    const taut_world_def def = phys_world_def(backend, 1, 1);
    taut_world* world = phys_world(cloth_scene(&c, true), &def);
    phys_run(world, 1, h);
    double last = total_energy(world, &c, edges.count), worst = -1;
    const int steps = (int)lround(2 / h);
    for (int i = 1; i < steps && phys_run(world, 1, h); i++) {
        const double energy = total_energy(world, &c, edges.count);
        worst = fmax(worst, (energy - last) / (free_weight(&c) * SIDE));
        last = energy;
    }
    test_note("compliance %g m/N, h %g s: largest growth %.3g", compliance, h, worst);
    taut_world_destroy(world);
    free(edges.items);
    free_cloth(&c);
    return worst;
}

/* Implicit Euler only loses energy as long as the linearised phi' is near phi(x'): the difference, h^2 v^2/(2 L) on an
 * edge, costs its square over 2 c. At c = 1e-3 m/N that shows at h = 1/60 and has gone at 1/240. */
TAUT_TEST(cloth, energy_never_grows) {
    CHECK(largest_growth(backend, 0.1, STEP) < 1e-6);
    CHECK(largest_growth(backend, 1e-3, STEP / 4) < 1e-6);
    const double coarse = largest_growth(backend, 1e-3, STEP), fine = largest_growth(backend, 1e-3, STEP / 2);
    test_note("growth %.3g at 1/60 s, %.3g at 1/120 s", coarse, fine);
    CHECK(coarse < 0.1);
    CHECK(fine < coarse / 8);
}

/* ---- hard cloth ----------------------------------------------------------------------------------------------- */

/* Worst |phi| of an edge after the last step, m. */
static double edge_violation(taut_world* world) {
    taut_step_info info = {0};
    CHECK_OK(taut_world_info(world, &info));
    return info.max_violation[TAUT_DISTANCE];
}

/* The same on the way down, over a second. */
static double falling_violation(taut_world* world) {
    double worst = 0;
    for (int i = 0; i < 60 && phys_run(world, 1, STEP); i++) {
        worst = fmax(worst, edge_violation(world));
    }
    return worst;
}

/* On the way down a step leaves h^2 v^2/(2 L) of each edge; as the swing dies away, so does that. A sheet with
 * diagonals has nearly as many edges as degrees of freedom: where it folds they contradict each other, and what they
 * then share follows the fold, not the square of the step. */
static void check_hard(taut_backend_kind backend, bool threads_only) {
    double falling[2];
    for (int i = 0; i < 2; i++) {
        cloth c = make_cloth(0, threads_only);
        taut_world_def def = phys_world_def(backend, 1, 1);
        def.solver.tolerance = 1e-6;
        def.integrator.substeps = i == 0 ? 1 : 4;
        taut_world* world = phys_world(cloth_scene(&c, true), &def);
        falling[i] = falling_violation(world);
        if (i == 0 && phys_run(world, 180, STEP)) {
            const double later = edge_violation(world);
            test_note("threads only %d: after four seconds %.3g m", threads_only, later);
            CHECK(later < 0.003 * SIDE / CELLS);
        }
        taut_world_destroy(world);
        free_cloth(&c);
    }
    test_note("threads only %d: falling %.3g m, with 4 substeps %.3g m", threads_only, falling[0], falling[1]);
    CHECK(falling[0] < (threads_only ? 0.1 : 0.02) * SIDE / CELLS);
    CHECK(falling[1] < falling[0] / (threads_only ? 6 : 1.9));
}

TAUT_TEST(cloth, hard_net_keeps_its_threads) {
    check_hard(backend, true);
}

TAUT_TEST(cloth, hard_sheared_cloth_keeps_its_edges) {
    check_hard(backend, false);
}
