/* The methods that solve contacts: which one is chosen, that they find the same, and what is refused. */
#include "contact_scenes.h"
#include "refused.h"

#include <math.h>
#include <string.h>

#define H 0.01

static const taut_method methods[] = {TAUT_METHOD_CONDENSED, TAUT_METHOD_PROJECTED_GRADIENT};
enum { METHODS = sizeof methods / sizeof *methods };

/* Balls in a box without a lid, each of its own height, friction and mass. */
static taut_scene* make_balls(int count, double heaviest) {
    const double radius = 0.1, half = 0.25;
    taut_scene* scene = phys_empty_scene();
    const uint32_t material = contact_material(scene, 0.4, 0);
    contact_tray(scene, half, half, material);
    for (int i = 0; i < count; i++) {
        const phys_body at =
            contact_at(0.2 * (i % 2) - 0.1 + 0.01 * i, 0.11 + 0.21 * (i / 4), 0.2 * (i / 2 % 2) - 0.09);
        const taut_body ball = contact_ball(scene, &at, i == 0 ? heaviest : 1, radius, material);
        contact_shape(scene, TAUT_SHAPE_SPHERE, (const double[]){radius, 1, 1}, ball, NULL, NULL, material);
    }
    return scene;
}

static void check_choice(taut_backend_kind backend, taut_scene* scene, taut_world_def def, taut_method method) {
    def.backend = backend;
    taut_world* world = phys_world(scene, &def);
    taut_choice choice;
    CHECK_OK(taut_world_choice(world, &choice));
    CHECK_INT(choice.method, method);
    taut_world_destroy(world);
}

TAUT_TEST(contact_methods, auto_chooses_by_what_holds_things_together) {
    taut_world_def def = taut_default_world();
    check_choice(backend, make_balls(3, 99), def, TAUT_METHOD_PROJECTED_GRADIENT);
    const bool factors = backend == TAUT_BACKEND_CPU; /* those of the convex law, for any masses */
    check_choice(backend, make_balls(3, 101), def, factors ? TAUT_METHOD_PROJECTED_GRADIENT : TAUT_METHOD_CONDENSED);
    def.contact.law = TAUT_CONTACT_EXACT;
    check_choice(backend, make_balls(3, 101), def, TAUT_METHOD_CONDENSED);
    def.contact.law = TAUT_CONTACT_CONVEX;
    taut_scene* joined = make_balls(3, 1);
    phys_add_links(joined, &(phys_tuples){1, (uint32_t[]){0, 1}}, 0, 0);
    check_choice(backend, joined, def, TAUT_METHOD_CONDENSED);
    def.solver.preconditioner = TAUT_PRECONDITIONER_JACOBI;
    check_choice(backend, make_balls(3, 1), def, TAUT_METHOD_CONDENSED);
    def.solver.preconditioner = TAUT_PRECONDITIONER_AUTO;
    def.solver.method = TAUT_METHOD_PROJECTED_GRADIENT;
    check_choice(backend, make_balls(3, 1), def, TAUT_METHOD_PROJECTED_GRADIENT);
}

TAUT_PLAIN_TEST(contact_methods, refused) {
    const taut_method refused[] = {TAUT_METHOD_SCHUR, TAUT_METHOD_DIRECT, TAUT_METHOD_GAUSS_SEIDEL};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        taut_scene* scene = make_balls(2, 1);
        taut_world_def def = taut_default_world();
        taut_world* world = NULL;
        def.backend = TAUT_BACKEND_CPU;
        def.solver.method = refused[i];
        INVALID(taut_world_create(scene, &def, &world));
        def.solver.method = TAUT_METHOD_PROJECTED_GRADIENT;
        def.solver.preconditioner = TAUT_PRECONDITIONER_JACOBI;
        INVALID(taut_world_create(scene, &def, &world));
        taut_scene_destroy(scene);
    }
}

/* Positions, velocities and the largest force after so many steps by a method. */
typedef struct outcome {
    double x[3 * 16], v[3 * 16], force;
} outcome;

static outcome run_by(taut_scene* scene, const taut_world_def* given, taut_method method, int steps) {
    outcome out = {.force = 0};
    taut_world_def def = *given;
    def.solver.method = method;
    def.solver.max_iterations = 20000;
    taut_world* world = phys_world(scene, &def);
    contact_effort effort = {0};
    contact_run(world, (size_t)steps, H, &effort);
    contact_list list;
    contact_read(world, &list);
    for (size_t i = 0; i < list.count; i++) {
        out.force = fmax(out.force, phys_length(list.contacts[i].force));
    }
    const size_t count = taut_world_particle_count(world);
    CHECK(count <= 16);
    CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, 0, count, out.x));
    CHECK_OK(taut_world_read(world, TAUT_FIELD_VELOCITIES, 0, count, out.v));
    CHECK(out.force > 0);
    taut_world_destroy(world);
    return out;
}

/* Without friction, and by the convex law, a step has one solution. */
static void check_same(taut_backend_kind backend, taut_scene* (*make)(void), bool convex, int steps) {
    outcome first = {.force = 0};
    for (int m = 0; m < METHODS; m++) {
        taut_world_def def = contact_world_def(backend);
        def.contact.friction = convex ? TAUT_FRICTION_CONVEX : TAUT_FRICTION_COULOMB;
        const outcome now = run_by(make(), &def, methods[m], steps);
        first = m == 0 ? now : first;
        CHECK_NEAR(phys_farthest(now.x, first.x, 3 * 16), 0, 1e-7);
        CHECK_NEAR(phys_farthest(now.v, first.v, 3 * 16), 0, 1e-5);
        CHECK_NEAR(now.force, first.force, 1e-3 * first.force);
    }
}

static taut_scene* make_eight(void) {
    return make_balls(8, 2);
}

TAUT_TEST(contact_methods, same_pile_by_the_convex_law) {
    check_same(backend, make_eight, true, backend == TAUT_BACKEND_CUDA ? 8 : 40);
}

/* A chain of hard links whose end lies on a slope and on a one-sided rope: rows without bounds beside those with them.
 */
static taut_scene* make_chain(void) {
    double x[3 * 6];
    for (int i = 0; i < 6; i++) {
        memcpy(x + 3 * i, (const double[]){0.1 * i, 0.101, 0}, 3 * sizeof *x);
    }
    taut_scene* scene = phys_scene(6, x, NULL);
    const uint32_t smooth = contact_material(scene, 0, 0);
    phys_add_links(scene, &(phys_tuples){4, (uint32_t[]){0, 1, 1, 2, 2, 3, 3, 4}}, 0, 0);
    phys_fix(scene, 1, (const uint32_t[]){0});
    taut_distance_def rope = taut_default_distance();
    rope.count = 1;
    rope.particles = (const uint32_t[]){4, 5};
    taut_batch batch;
    CHECK_OK(taut_scene_add_distances(scene, &rope, &batch));
    CHECK_OK(taut_scene_set_bounds(scene, batch, -INFINITY, 0, INFINITY));
    contact_plane(scene, (const double[]){-0.6, 0.8, 0}, (const double[]){0.45, 0, 0}, smooth);
    contact_touch(scene, 6, (const uint32_t[]){0, 1, 2, 3, 4, 5}, 0.05, smooth);
    return scene;
}

TAUT_TEST(contact_methods, same_chain_on_a_slope) {
    check_same(backend, make_chain, false, backend == TAUT_BACKEND_CUDA ? 6 : 40);
}

/* The order in which threads add up makes no difference. */
TAUT_TEST(contact_methods, same_bits_by_any_number_of_threads) {
    for (int m = 1; m < METHODS; m++) {
        outcome runs[2];
        for (int i = 0; i < 2; i++) {
            taut_world_def def = contact_world_def(backend);
            def.threads = i == 0 ? 1 : 4;
            def.solver.tolerance = 1e-4;
            runs[i] = run_by(make_eight(), &def, methods[m], backend == TAUT_BACKEND_CUDA ? 8 : 20);
        }
        CHECK(memcmp(&runs[0], &runs[1], sizeof runs[0]) == 0);
    }
}
