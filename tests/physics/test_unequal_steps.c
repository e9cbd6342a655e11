/* Steps of different lengths: what a long one leaves violated, a short one undoes at the long one's pace, and its
 * forces count for no more than its part of that. */
#include "phys_scenes.h"

#include <math.h>
#include <stdlib.h>

#define LONG (1.0 / 60)

static taut_world* make_swing(taut_backend_kind backend, size_t links, double alpha) {
    static const double from[3] = {0, 0, 0}, to[3] = {1, 0, 0};
    taut_batch batch;
    taut_scene* scene = phys_chain(links, from, to, NULL, 0, &batch);
    taut_world_def def = phys_world_def(backend, alpha, alpha);
    def.integrator.hard_row_damping = 1;
    return phys_world(scene, &def);
}

static double energy_of(taut_world* world, double* kinetic) {
    taut_step_info info = {0};
    CHECK_OK(taut_world_info(world, &info));
    CHECK_INT(info.outcome, TAUT_SOLVE_CONVERGED);
    *kinetic = info.kinetic;
    return info.kinetic + info.potential;
}

/* A swing goes on as if a short step had not been: without a pace it left a hundredth of the energy, or less. */
TAUT_TEST(unequal_steps, one_that_is_short) {
    static const double lengths[] = {1e-3, 1e-5, 1e-8};
    const int cases = backend == TAUT_BACKEND_CUDA ? 1 : 3;
    for (int k = 0; k < cases; k++) {
        taut_world *plain = make_swing(backend, 3, 0.65), *world = make_swing(backend, 3, 0.65);
        const double length = cases == 1 ? 1e-5 : lengths[k];
        double swings, before, within, after;
        test_note("%g s", length);
        phys_run(plain, 25, LONG);
        phys_run(world, 24, LONG);
        energy_of(world, &before);
        phys_run(world, 1, length);
        energy_of(world, &within);
        phys_run(world, 1, LONG);
        energy_of(plain, &swings);
        energy_of(world, &after);
        CHECK_NEAR(within, before, 0.02 * before);
        CHECK_NEAR(after, swings, 0.03 * swings);
        taut_world_destroy(plain);
        taut_world_destroy(world);
    }
    test_note(NULL);
}

/* By implicit Euler, after a step that was longer than those before and has been linearised further. */
TAUT_TEST(unequal_steps, a_longer_one_before) {
    static const double steps[] = {0.03, 1e-8, 1e-4};
    taut_world* world = make_swing(backend, 2, 1);
    double kinetic, before = 0;
    phys_run(world, backend == TAUT_BACKEND_CUDA ? 12 : 25, LONG);
    for (int i = 0; i < 3; i++) {
        phys_run(world, 1, steps[i]);
        const double now = energy_of(world, &kinetic);
        test_note("%g s: %g J after %g", steps[i], now, before);
        CHECK(i == 0 || fabs(now - before) < 0.01);
        before = now;
    }
    test_note(NULL);
    taut_world_destroy(world);
}

/* What something compliant bears at rest it bears in shorter steps: a chain of links that h does not resolve. */
TAUT_TEST(unequal_steps, loads_stay) {
    static const double from[3] = {0, 0, 0}, to[3] = {0, -1, 0}, compliances[] = {1e-9, 1e-5, 1e-4};
    const bool cuda = backend == TAUT_BACKEND_CUDA;
    for (int k = cuda ? 1 : 0; k < (cuda ? 2 : 3); k++) {
        taut_batch batch;
        taut_scene* scene = phys_chain(4, from, to, NULL, compliances[k], &batch);
        taut_world_def def = phys_world_def(backend, 1, 1);
        taut_world* world = phys_world(scene, &def);
        double x[3], x_short[3], lam[4];
        test_note("%g m/N", compliances[k]);
        phys_run(world, cuda ? 30 : 400, LONG);
        phys_position(world, 4, x);
        for (int i = 0; i < (cuda ? 3 : 30); i++) {
            phys_run(world, 1, i % 3 == 0 ? LONG / 10 : LONG / 4);
            CHECK_OK(taut_world_read(world, TAUT_FIELD_MULTIPLIERS, 0, 4, lam));
            CHECK_NEAR(fabs(lam[0]), 4 * PHYS_GRAVITY, 0.01 * PHYS_GRAVITY);
        }
        phys_position(world, 4, x_short);
        CHECK_NEAR(x_short[1], x[1], 1e-5);
        taut_world_destroy(world);
    }
    test_note(NULL);
}

/* Energy that a pendulum has lost in so long. */
static double lost_in_turn(taut_backend_kind backend, const double lengths[2], double seconds) {
    taut_world* world = make_swing(backend, 1, 0.65);
    double kinetic, t = 0;
    for (int i = 0; t < seconds && phys_run(world, 1, lengths[i % 2]); i++) {
        t += lengths[i % 2];
    }
    const double lost = -energy_of(world, &kinetic);
    taut_world_destroy(world);
    return lost;
}

/* Steps of two lengths in turn take no more from a pendulum than the longer ones alone. */
TAUT_TEST(unequal_steps, in_turn) {
    static const double others[] = {LONG / 2, LONG / 4, 1e-4, 1e-7};
    const bool cuda = backend == TAUT_BACKEND_CUDA;
    const double seconds = cuda ? 0.3 : 4, equal = lost_in_turn(backend, (const double[]){LONG, LONG}, seconds);
    for (int k = cuda ? 1 : 0; k < (cuda ? 2 : 4); k++) {
        test_note("%g s", others[k]);
        const double lost = lost_in_turn(backend, (const double[]){LONG, others[k]}, seconds);
        test_note("%g s: %g of %g", others[k], lost, equal);
        CHECK(lost > 0 && lost < 1.05 * equal);
    }
    test_note(NULL);
}

/* After shorter steps for a while a row is as hard as these make it. */
TAUT_PLAIN_TEST(unequal_steps, long_ones_are_forgotten) {
    taut_world *world = make_swing(TAUT_BACKEND_CPU, 1, 0.65), *fine = make_swing(TAUT_BACKEND_CPU, 1, 0.65);
    double x[3], x_fine[3];
    phys_run(world, 4, LONG);
    phys_run(world, 400, LONG / 10);
    phys_run(fine, 440, LONG / 10);
    phys_position(world, 1, x);
    phys_position(fine, 1, x_fine);
    CHECK_NEAR(hypot(x[0], x[1]), hypot(x_fine[0], x_fine[1]), 1e-6);
    taut_world_destroy(world);
    taut_world_destroy(fine);
}

#define CELLS 12

/* A sheet of 1 m hangs from two corners, which swing by 0.6 m, beside each other; of springs or a membrane. */
static taut_world* make_sheet(taut_backend_kind backend, double compliance, phys_mesh* mesh) {
    *mesh = phys_grid(CELLS, CELLS, 1, 1, PHYS_ALTERNATING);
    double* masses = phys_lumped_masses(mesh, 0.2);
    taut_scene* scene = phys_scene(mesh->point_count, mesh->points, masses);
    const uint32_t held[] = {0, CELLS};
    if (compliance > 0) {
        phys_tuples edges = phys_edges(mesh);
        phys_add_links(scene, &edges, compliance, 0);
        free(edges.items);
    } else {
        phys_add_strain(scene, mesh, 2e-3, 0.3, 0);
    }
    phys_fix(scene, 2, held);
    taut_world_def def = phys_world_def(backend, 1, 1);
    def.solver.tolerance = 1e-4;
    free(masses);
    return phys_world(scene, &def);
}

static double distance(const double a[3], const double b[3]) {
    return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

/* Of the longest edge, over its length at the start. */
static double longest_edge(taut_world* world, const phys_mesh* mesh) {
    phys_tuples edges = phys_edges(mesh);
    double *x = phys_field(world, TAUT_FIELD_POSITIONS), most = 0;
    for (size_t e = 0; e < edges.count; e++) {
        const uint32_t* i = edges.items + 2 * e;
        most = fmax(most,
                    distance(x + 3 * i[0], x + 3 * i[1]) / distance(mesh->points + 3 * i[0], mesh->points + 3 * i[1]));
    }
    free(x);
    free(edges.items);
    return most;
}

/* Of 180 frames, by a length of each; the longest edge. */
static double swung(taut_backend_kind backend, double compliance, double (*length_of)(int)) {
    phys_mesh mesh;
    taut_world* world = make_sheet(backend, compliance, &mesh);
    const int frames = backend == TAUT_BACKEND_CUDA ? 24 : 180;
    double t = 0, most = 0;
    taut_step_info info;
    for (int i = 0; i < frames; i++) {
        const double h = length_of(i);
        t += h;
        const double to[2][3] = {{0.6 * sin(3 * t), 0, 0}, {1 + 0.6 * sin(3 * t), 0, 0}};
        CHECK_OK(taut_world_move_fixed(world, 2, (const uint32_t[]){0, CELLS}, to[0]));
        CHECK_OK(taut_world_step(world, h));
        CHECK_OK(taut_world_info(world, &info));
        test_note("%g m/N, frame %d", compliance, i);
        CHECK_INT(info.outcome, TAUT_SOLVE_CONVERGED);
        most = fmax(most, longest_edge(world, &mesh));
    }
    test_note(NULL);
    taut_world_destroy(world);
    phys_mesh_free(&mesh);
    return most;
}

static double steady(int i) {
    (void)i;
    return LONG;
}

static double hitch(int i) {
    return i == 16 || i == 60 ? 0.1 : LONG;
}

static double hitches(int i) {
    return i % 40 == 10 ? 0.1 : LONG;
}

static double jitter(int i) {
    return i % 2 == 0 ? 1.0 / 30 : 1.0 / 144;
}

/* Frames as a game has them. Rows that left J v to later steps as they left what is violated let a sheet be stretched
 * to four times its length in the seconds after a frame of 0.1 s. */
TAUT_TEST(unequal_steps, sheets_stay_sheets) {
    double (*const lengths[])(int) = {hitch, hitches, jitter};
    static const double compliances[] = {0, 1e-4};
    const bool cuda = backend == TAUT_BACKEND_CUDA;
    for (int k = 0; k < (cuda ? 1 : 2); k++) {
        const double usual = cuda ? 1.2 : swung(backend, compliances[k], steady);
        for (int i = 0; i < (cuda ? 1 : 3); i++) {
            const double most = swung(backend, compliances[k], lengths[i]);
            test_note("%g m/N, case %d: %g, else %g", compliances[k], i, most, usual);
            CHECK(most < usual + 0.1);
            test_note(NULL);
        }
    }
}

/* A light rope with a heavy load swings from the horizontal; frames halve again and again. Where violations and J v
 * waited, it was pulled up by up to 680 J, and stretched to twice its length. */
TAUT_PLAIN_TEST(unequal_steps, loads_are_not_pulled_up) {
    enum { LINKS = 20 };
    static const double from[3] = {0, 0, 0}, to[3] = {1, 0, 0}, first[] = {1.0 / 60, 1.0 / 30, 1.0 / 15};
    double masses[LINKS + 1];
    for (int i = 0; i <= LINKS; i++) {
        masses[i] = i < LINKS ? 0.1 / LINKS : 100;
    }
    for (int k = 0; k < 3; k++) {
        taut_batch batch;
        taut_scene* scene = phys_chain(LINKS, from, to, masses, 0, &batch);
        taut_world_def def = taut_default_world();
        def.backend = TAUT_BACKEND_CPU;
        taut_world* world = phys_world(scene, &def);
        double kinetic, t = 0;
        for (int i = 0; t < 2; i++) {
            const double h = first[k] / (1 << i % 5);
            phys_run(world, 1, h);
            t += h;
            const double energy = energy_of(world, &kinetic);
            test_note("from %g s, at %g s: %g J", first[k], t, energy);
            CHECK(energy < 1);
        }
        test_note(NULL);
        taut_world_destroy(world);
    }
}
