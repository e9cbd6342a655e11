/* Stacks, a pyramid and a pile at rest: what carries what is known. */
#include "contact_scenes.h"

#include <math.h>
#include <stdlib.h>

#define H 0.01

/* Many bodies on one another, with the collider that each is, and how heavy they are. */
#define MOST 10
typedef struct stack {
    taut_world* world;
    contact_effort effort;
    int count;
    taut_body bodies[MOST];
    uint32_t colliders[MOST + 1]; /* of the ground, and of each */
    double masses[MOST];
    double tolerance;
    bool both; /* what carries a collider is a force on it, too */
} stack;

/* At rest for so many steps: slow, complementary, and each collider carries what is above it. */
static void check_stack(stack* s, const char* what, int steps) {
    double above = 0, heaviest = 0, v[3], force[3];
    for (int i = 0; i < steps; i++) {
        const taut_step_info info = contact_step(s->world, H, &s->effort);
        CHECK(info.complementarity <= s->tolerance);
        CHECK(info.penetration <= CONTACT_CLOSE);
    }
    contact_note(what, &s->effort);
    for (int i = 0; i < s->count; i++) {
        heaviest = fmax(heaviest, s->masses[i]);
    }
    for (int i = s->count; i-- > 0;) {
        above += s->masses[i] * PHYS_GRAVITY;
        phys_velocity(s->world, s->bodies[i].point, v);
        contact_force_on(s->world, s->colliders[i], force);
        CHECK_NEAR(phys_length(v), 0, CONTACT_CLOSE);
        const double below = s->both && i > 0 ? above + s->masses[i - 1] * PHYS_GRAVITY : 0;
        CHECK_NEAR(force[1], below - above, heaviest * CONTACT_CLOSE / H);
        CHECK_NEAR(hypot(force[0], force[2]), 0, heaviest * CONTACT_CLOSE / H);
    }
    taut_world_destroy(s->world);
}

/* Balls touch the one below alone, by the groups of their colliders. */
static stack make_ball_stack(taut_backend_kind backend, int count, double radius) {
    stack s = {.count = count, .tolerance = CONTACT_TOLERANCE};
    taut_scene* scene = phys_empty_scene();
    s.colliders[0] = contact_ground(scene, 0);
    for (int i = 0; i < count; i++) {
        phys_body at = contact_at(0, radius * (2 * i + 1), 0);
        taut_contact_points_def touching = taut_default_contact_points();
        taut_colliders_def collider = taut_default_colliders();
        taut_range range;
        at.mass = s.masses[i] = 1 + 0.1 * i;
        taut_inertia_of_sphere(at.mass, radius, at.inertia);
        s.bodies[i] = phys_add_body(scene, &at);
        touching.count = collider.count = 1;
        touching.bodies = collider.bodies = &s.bodies[i];
        touching.radius = collider.size[0] = radius;
        touching.mask = 1u << i;
        collider.shape = TAUT_SHAPE_SPHERE;
        collider.solid = false;
        collider.group = 2u << i;
        CHECK_OK(taut_scene_add_contact_points(scene, &touching, NULL));
        CHECK_OK(taut_scene_add_colliders(scene, &collider, &range));
        s.colliders[i + 1] = range.first;
    }
    const taut_world_def def = contact_world_def(backend);
    s.world = phys_world(scene, &def);
    return s;
}

TAUT_TEST(contact_piles, stack_of_balls) {
    stack s = make_ball_stack(backend, 10, 0.1);
    check_stack(&s, "10 balls", 15);
}

/* Boxes of which each has its corners on the one below: smaller by 5 cm on every side. */
static stack make_box_stack(taut_backend_kind backend, int count, const double* masses, double tolerance) {
    stack s = {.count = count, .tolerance = tolerance, .both = true};
    taut_scene* scene = phys_empty_scene();
    s.colliders[0] = contact_ground(scene, 0);
    for (int i = 0; i < count; i++) {
        const double half[3] = {1 - 0.05 * i, 0.1, 0.8 - 0.05 * i};
        const phys_body at = contact_at(0, 0.1 * (2 * i + 1), 0);
        s.masses[i] = masses[i];
        s.bodies[i] = contact_box(scene, &at, masses[i], half, 0);
        s.colliders[i + 1] = contact_shape(scene, TAUT_SHAPE_BOX, half, s.bodies[i], NULL, NULL, 0);
    }
    taut_world_def def = contact_world_def(backend);
    def.solver.tolerance = tolerance;
    s.world = phys_world(scene, &def);
    return s;
}

TAUT_TEST(contact_piles, pyramid_of_boxes) {
    const double masses[10] = {10, 9, 8, 7, 6, 5, 4, 3, 2, 1};
    stack s = make_box_stack(backend, 10, masses, CONTACT_TOLERANCE);
    check_stack(&s, "10 boxes", 15);
}

/* On CUDA with a hundred times the mass: the first step with a thousand times, from a cold start, ends there at 4e-5.
 */
TAUT_TEST(contact_piles, heavy_on_light) {
    const double heavy = backend == TAUT_BACKEND_CUDA ? 100 : 1000;
    const double pair[] = {1, heavy}, layers[] = {1, heavy, 1, heavy, 1};
    stack s = make_box_stack(backend, 2, pair, CONTACT_TOLERANCE);
    check_stack(&s, "heavy on 1", 15);
    s = make_box_stack(backend, 5, layers, CONTACT_TOLERANCE);
    check_stack(&s, "1, heavy, 1, heavy, 1", 15);
}

/* Ten of them, the light ones below a heavy one, above, and in turn. Not to 1e-10, where rounding of the heavy on nine
 * begins to show: one of 15 steps ended at 1.1e-10. */
TAUT_TEST(contact_piles, ten_boxes_light_and_heavy) {
    const bool cuda = backend == TAUT_BACKEND_CUDA;
    const double heavy = cuda ? 100 : 1000;
    for (int which = 0; which < (cuda ? 2 : 4); which++) {
        double masses[10];
        for (int i = 0; i < 10; i++) {
            const bool big[4] = {i == 9, i == 0, i % 2 == 1, i < 5};
            masses[i] = big[which] ? heavy : 1;
        }
        stack s = make_box_stack(backend, 10, masses, 1e-9);
        const char* const names[4] = {"heavy on nine", "nine on heavy", "in turn", "five on five heavy ones"};
        check_stack(&s, names[which], 15);
    }
}

/* Smooth balls that are let fall into a box, on one another: every step converges, and they end no deeper in one
 * another than the tolerance lets them. Nothing but contacts holds them. */
TAUT_TEST(contact_piles, smooth_balls_in_a_box) {
    enum { MOST_BALLS = 60, SIDE = 5 };
    const bool cuda = backend == TAUT_BACKEND_CUDA;
    const int count = cuda ? 4 : MOST_BALLS, steps = cuda ? 10 : 60;
    const double radius = 0.12, half = 0.75;
    taut_scene* scene = phys_empty_scene();
    const uint32_t smooth = contact_material(scene, 0, 0);
    contact_effort effort = {0};
    contact_tray(scene, half, half, smooth);
    for (int i = 0; i < count; i++) {
        const int layer = i / (SIDE * SIDE), x = i % SIDE, z = i / SIDE % SIDE;
        const double shake = 0.01 * sin(7.0 * i);
        phys_body at = contact_at(0.28 * (x - 2) + shake, 0.15 + 0.27 * layer, 0.28 * (z - 2) + 0.01 * cos(11.0 * i));
        at.mass = 1;
        taut_inertia_of_sphere(at.mass, radius, at.inertia);
        const taut_body ball = phys_add_body(scene, &at);
        taut_contact_points_def touching = taut_default_contact_points();
        touching.count = 1;
        touching.bodies = &ball;
        touching.radius = radius;
        touching.material = smooth;
        CHECK_OK(taut_scene_add_contact_points(scene, &touching, NULL));
        contact_shape(scene, TAUT_SHAPE_SPHERE, (const double[]){radius, 1, 1}, ball, NULL, NULL, smooth);
    }
    taut_world_def def = contact_world_def(backend);
    def.solver.tolerance = 1e-8;
    taut_world* world = phys_world(scene, &def);
    uint32_t most = 0;
    for (int i = 0; i < steps; i++) {
        const taut_step_info info = contact_step(world, 1.0 / 60, &effort);
        CHECK(info.penetration <= 1e-7);
        most = info.contacts > most ? info.contacts : most;
    }
    contact_note("smooth balls", &effort);
    CHECK(cuda || most > 100);
    taut_world_destroy(world);
}

/* A box on two grounds in one place but for a billionth of a metre rests on the upper one alone. Passes of the
 * condensed system move weight from one to the other in proportion to how far they are apart, and would end too early.
 */
TAUT_TEST(contact_piles, two_grounds_in_one_place) {
    const double apart[] = {1e-9, 1e-7, 1e-5};
    for (size_t k = 0; k < sizeof apart / sizeof *apart; k++) {
        contact_effort effort = {0};
        double lower[3], upper[3];
        taut_scene* scene = phys_empty_scene();
        const phys_body at = contact_at(0, 0.1, 0);
        contact_box(scene, &at, 2, (const double[]){0.3, 0.1, 0.2}, 0);
        const uint32_t under = contact_plane(scene, (const double[]){0, 1, 0}, (const double[]){0, -apart[k], 0}, 0);
        const uint32_t over = contact_plane(scene, (const double[]){0, 1, 0}, NULL, 0);
        taut_world_def def = contact_world_def(backend);
        def.solver.method = TAUT_METHOD_CONDENSED;
        def.solver.tolerance = 1e-9;
        taut_world* world = phys_world(scene, &def);
        CHECK(contact_run(world, 3, 0.01, &effort));
        contact_note("two grounds", &effort);
        contact_force_on(world, under, lower);
        contact_force_on(world, over, upper);
        CHECK_NEAR(lower[1], 0, 1e-6);
        CHECK_NEAR(upper[1], -2 * PHYS_GRAVITY, 1e-6);
        taut_world_destroy(world);
    }
}
