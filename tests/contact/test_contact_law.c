/* The convex law of contact, the default: the errors that docs/mathematics.md states for it ("The convex law"), what it
 * keeps exactly, and steps that are cut short. */
#include "contact_scenes.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.141592653589793
/* R in parts of w, and the part of h in which overlaps are undone. */
#define SHARE   (0.25 / (4 * PI * PI))
#define DAMPING (0.5 / PI)

static taut_world_def convex_def(taut_backend_kind backend) {
    taut_world_def def = contact_world_def(backend);
    def.contact.law = TAUT_CONTACT_CONVEX;
    return def;
}

TAUT_PLAIN_TEST(contact_law, is_the_default) {
    CHECK_INT(taut_default_world().contact.law, TAUT_CONTACT_CONVEX);
}

TAUT_PLAIN_TEST(contact_law, refuses_others) {
    const double mass = 1;
    taut_scene* scene = phys_scene(1, (const double[]){0, 0, 0}, &mass);
    taut_world_def def = convex_def(TAUT_BACKEND_CPU);
    taut_world* world = NULL;
    def.contact.law = (taut_contact_law)2;
    CHECK_INT(taut_world_create(scene, &def, &world), TAUT_INVALID_ARGUMENT);
    taut_scene_destroy(scene);
}

/* What rests alone sinks in by R h (h + d) m g = SHARE (1 + DAMPING) g h^2, whatever its mass. */
TAUT_TEST(contact_law, rests_in_the_stated_depth) {
    for (int i = 0; i < 4; i++) {
        const double mass = i % 2 == 0 ? 0.01 : 50, h = i < 2 ? 1.0 / 60 : 1.0 / 240, origin[3] = {0, 0, 0};
        taut_scene* scene = phys_scene(1, origin, &mass);
        contact_ground(scene, 0);
        contact_touch(scene, 1, (const uint32_t[]){0}, 0, 0);
        const taut_world_def def = convex_def(backend);
        taut_world* world = phys_world(scene, &def);
        double x[3];
        contact_run(world, 40, h, NULL);
        phys_position(world, 0, x);
        CHECK_NEAR(-x[1] / (SHARE * (1 + DAMPING) * PHYS_GRAVITY * h * h), 1, 1e-3);
        taut_world_destroy(world);
    }
}

/* A box on a slope of 0.4 rad: it sticks without creeping, or slides with g (sin - mu cos) and does not hop. */
TAUT_TEST(contact_law, sticks_and_slides_on_a_slope) {
    static const double normal[3] = {0.38941834230865050, 0.92106099400288508, 0};
    static const double down[3] = {0.92106099400288508, -0.38941834230865050, 0}, half[3] = {0.2, 0.1, 0.3};
    static const double friction[] = {0.8, 0.2};
    for (int i = 0; i < 2; i++) {
        const int steps = 60;
        const double h = 0.01, pull = PHYS_GRAVITY * sin(0.4), press = PHYS_GRAVITY * cos(0.4);
        taut_scene* scene = phys_empty_scene();
        const uint32_t material = contact_material(scene, friction[i], 0);
        phys_body at = contact_at(0, 0, 0);
        phys_turn((const double[]){0, 0, 1}, -0.4, at.q);
        phys_add(half[1], normal, at.x);
        contact_plane(scene, normal, NULL, material);
        const uint32_t point = contact_box(scene, &at, 2.5, half, material).point;
        const taut_world_def def = convex_def(backend);
        taut_world* world = phys_world(scene, &def);
        double v[3], x[3];
        contact_run(world, steps, h, NULL);
        phys_velocity(world, point, v);
        phys_position(world, point, x);
        const double speed = fmax(0, pull - friction[i] * press) * steps * h;
        CHECK_NEAR(phys_dot(v, down), speed, 0.01 * speed + 1e-7);
        CHECK_NEAR(phys_dot(x, normal), half[1], 1e-4);
        taut_world_destroy(world);
    }
}

/* The speed of a box a third of a second after a force begins to act that is `part` of its static friction. */
static double push(taut_backend_kind backend, double half_width, double friction, double static_friction, double part,
                   double h) {
    const double mass = 10, half[3] = {half_width, 0.1, 0.5};
    double v[3];
    taut_scene* scene = phys_empty_scene();
    taut_material_def law = taut_default_material();
    law.friction = friction;
    law.static_friction = static_friction;
    const uint32_t material = contact_material_of(scene, law);
    contact_ground(scene, material);
    const phys_body at = contact_at(0, half[1], 0);
    const uint32_t point = contact_box(scene, &at, mass, half, material).point;
    const taut_world_def def = convex_def(backend);
    taut_world* world = phys_world(scene, &def);
    const double force[3] = {part * static_friction * mass * PHYS_GRAVITY, 0, 0};
    contact_run(world, 4, h, NULL);
    CHECK_OK(taut_world_set_forces(world, point, 1, force));
    contact_run(world, (size_t)(1 / (3 * h)), h, NULL);
    phys_velocity(world, point, v);
    taut_world_destroy(world);
    return v[0];
}

/* A contact's compliance gives way to a load that comes at once, in coarse steps faster than slip_speed. What is pushed
 * by more goes within some steps. */
TAUT_TEST(contact_law, static_friction_bears_what_comes_at_once) {
    const double steps[] = {1 / 24.0, 1 / 60.0}, laws[][2] = {{0.5, 1}, {0.3, 0.5}, {0.1, 0.8}};
    if (backend == TAUT_BACKEND_CUDA) {
        CHECK_NEAR(push(backend, 1, 0.5, 1, 0.98, 1 / 24.0), 0, 1e-4);
        return;
    }
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 3; k++) {
            const double gone = (1.02 * laws[k][1] - laws[k][0]) * PHYS_GRAVITY / 3;
            CHECK_NEAR(push(backend, 0.5, laws[k][0], laws[k][1], 0.85, steps[i]), 0, 1e-4);
            CHECK_NEAR(push(backend, 1, laws[k][0], laws[k][1], 0.98, steps[i]), 0, 1e-4);
            CHECK(push(backend, 1, laws[k][0], laws[k][1], 1.02, steps[i]) > 0.7 * gone);
        }
    }
}

/* A box or ball that touches the ground from the start, or meets it from above at an angle. */
typedef struct sliding {
    double v[3], height, h, friction; /* of the lowest point over the ground */
    bool round;
} sliding;

/* `least` and `most` height of its lowest point, and how far it slides in so many seconds. */
static double slide(taut_backend_kind backend, const sliding* s, double seconds, double* least, double* most) {
    const double half[3] = {0.3, 0.1, 0.3};
    taut_scene* scene = phys_empty_scene();
    const uint32_t material = contact_material(scene, s->friction, 0);
    phys_body body = contact_at(0, 0.1 + s->height, 0);
    contact_ground(scene, material);
    phys_add(1, s->v, body.v);
    const taut_body handle =
        s->round ? contact_ball(scene, &body, 2, 0.1, material) : contact_box(scene, &body, 2, half, material);
    const taut_world_def def = convex_def(backend);
    taut_world* world = phys_world(scene, &def);
    *least = *most = 0;
    for (int i = 0; i < seconds / s->h; i++) {
        contact_run(world, 1, s->h, NULL);
        phys_read_body(world, handle, &body);
        const double low = body.x[1] - 0.1, met = (i + 1) * s->h * -s->v[1] >= s->height ? 1 : 0;
        *least = fmin(*least, low);
        *most = fmax(*most, met * low);
    }
    taut_world_destroy(world);
    return body.x[0];
}

/* Below the angle of friction a cube stays where it is, though its upper contacts, which bear less, are at their
 * bounds: those that hold it must not have to move for what is left to them. Gravity is inclined. */
TAUT_TEST(contact_law, what_sticks_does_not_creep) {
    static const double mu[] = {0.3, 0.7, 0.7}, slope[] = {0.25, 0.65, 0.69}, half[3] = {0.1, 0.1, 0.1};
    for (int i = 0; i < 3; i++) {
        const double down = PHYS_GRAVITY / sqrt(1 + slope[i] * slope[i]);
        taut_scene* scene = phys_empty_scene();
        const uint32_t material = contact_material(scene, mu[i], 0);
        const phys_body at = contact_at(0, half[1], 0);
        contact_ground(scene, material);
        const uint32_t point = contact_box(scene, &at, 1, half, material).point;
        taut_world_def def = convex_def(backend);
        def.gravity[0] = slope[i] * down;
        def.gravity[1] = -down;
        taut_world* world = phys_world(scene, &def);
        double before[3], after[3];
        contact_run(world, 30, 1.0 / 60, NULL);
        phys_position(world, point, before);
        contact_run(world, 30, 1.0 / 60, NULL);
        phys_position(world, point, after);
        test_note("friction %.1f, slope %.2f: %.1e m", mu[i], slope[i], after[0] - before[0]);
        CHECK(fabs(after[0] - before[0]) < 1e-6);
        taut_world_destroy(world);
    }
    test_note(NULL);
}

/* Friction parts nothing that begins to slide: v^2/(2 mu g) but for h v/2, at no height. While it sinks in to where the
 * ground bears it, friction is less by as much as the ground: it goes on by mu times that depth. */
TAUT_TEST(contact_law, sliding_begins_on_the_ground) {
    static const double speeds[] = {0.5, 2, 20}, steps[] = {1.0 / 60, 1.0 / 960};
    for (int i = 0; i < (backend == TAUT_BACKEND_CUDA ? 1 : 6); i++) {
        const sliding s = {.v = {speeds[i / 2]}, .h = steps[i % 2], .friction = 0.5};
        const double brake = s.friction * PHYS_GRAVITY, way = s.v[0] * (s.v[0] / brake - s.h) / 2;
        double least, most;
        test_note("%g m/s in steps of %g s", s.v[0], s.h);
        const double slid = slide(backend, &s, s.v[0] / brake + 0.1, &least, &most);
        CHECK_NEAR(slid, way, brake * s.h * s.h / 8 - s.friction * least + 1e-4 * way);
        CHECK(most < 1e-6 && least > -0.3 * PHYS_GRAVITY * s.h * s.h);
    }
    test_note(NULL);
}

/* What meets the ground at an angle neither hops nor sinks in, whether friction stops it or not. */
TAUT_TEST(contact_law, oblique_landings_stay_on_the_ground) {
    static const double angles[] = {10, 30, 60}, speeds[] = {3, 30};
    for (int i = 0; i < (backend == TAUT_BACKEND_CUDA ? 1 : 12); i++) {
        const double angle = angles[i / 4] * PI / 180, speed = speeds[i / 2 % 2];
        const sliding s = {{speed * cos(angle), -speed * sin(angle), 0}, 0.05, 1.0 / 240, 0.5, i % 2 == 1};
        double least, most;
        test_note("%s at %g degrees with %g m/s", s.round ? "ball" : "box", angles[i / 4], speed);
        slide(backend, &s, 0.3, &least, &most);
        CHECK(most < 1e-3 && least > -1e-3);
    }
    test_note(NULL);
}

/* How high the lowest point of a ball or box that starts in the ground comes in 0.4 s, and where it ends. */
static void leave_the_ground(taut_backend_kind backend, bool round, double depth, double h, double* most,
                             double* last) {
    const double half[3] = {0.05, 0.05, 0.05};
    taut_scene* scene = phys_empty_scene();
    const uint32_t material = contact_material(scene, 0.5, 0);
    phys_body body = contact_at(0, 0.05 - depth, 0);
    contact_ground(scene, material);
    const taut_body handle =
        round ? contact_ball(scene, &body, 2, 0.05, material) : contact_box(scene, &body, 2, half, material);
    const taut_world_def def = convex_def(backend);
    taut_world* world = phys_world(scene, &def);
    *most = -depth;
    for (int i = 0; i < 0.4 / h; i++) {
        contact_run(world, 1, h, NULL);
        phys_read_body(world, handle, &body);
        *last = body.x[1] - 0.05;
        *most = fmax(*most, *last);
    }
    taut_world_destroy(world);
}

/* What starts in the ground leaves it with the speed that gravity takes from it on that way: it stops where it touches
 * no longer, with steps of any length. */
TAUT_TEST(contact_law, overlaps_are_undone_without_a_hop) {
    static const double depths[] = {0.001, 0.005, 0.02}, steps[] = {1.0 / 60, 1.0 / 240, 1.0 / 960};
    for (int i = 0; i < (backend == TAUT_BACKEND_CUDA ? 1 : 18); i++) {
        const double depth = depths[i / 6], h = steps[i / 2 % 3];
        double most, last;
        test_note("%s in the ground by %g m, steps of %g s", i % 2 == 1 ? "ball" : "box", depth, h);
        leave_the_ground(backend, i % 2 == 1, depth, h, &most, &last);
        CHECK(most < 0.1 * depth);
        CHECK_NEAR(last, 0, 0.02 * PHYS_GRAVITY * h * h);
    }
    test_note(NULL);
}

/* Impacts keep their restitution. */
TAUT_TEST(contact_law, bounces_as_a_hard_contact) {
    const double mass = 0.3, at[3] = {0, 0.005, 0}, v[3] = {0, -2, 0};
    taut_scene* scene = phys_scene(1, at, &mass);
    const uint32_t material = contact_material(scene, 0.5, 0.5);
    contact_ground(scene, material);
    contact_touch(scene, 1, (const uint32_t[]){0}, 0, material);
    taut_world_def def = convex_def(backend);
    def.gravity[1] = 0;
    taut_world* world = phys_world(scene, &def);
    double after[3];
    CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, 0, 1, v));
    contact_run(world, 12, 0.001, NULL);
    phys_velocity(world, 0, after);
    CHECK_NEAR(after[1], 1, 1e-4);
    taut_world_destroy(world);
}

/* 100 kg on 0.1 kg on the ground: the load makes contacts stiffer, so that nothing sinks in by more than a millimetre.
 */
TAUT_TEST(contact_law, light_bears_heavy) {
    const double half[3] = {0.05, 0.05, 0.05}, h = 1.0 / 240;
    taut_scene* scene = phys_empty_scene();
    contact_ground(scene, 0);
    phys_body low = contact_at(0, 0.05, 0), high = contact_at(0, 0.15, 0);
    const taut_body light = contact_box(scene, &low, 0.1, half, 0), heavy = contact_box(scene, &high, 100, half, 0);
    contact_shape(scene, TAUT_SHAPE_BOX, half, light, NULL, NULL, 0);
    contact_shape(scene, TAUT_SHAPE_BOX, half, heavy, NULL, NULL, 0);
    const taut_world_def def = convex_def(backend);
    taut_world* world = phys_world(scene, &def);
    double x[3];
    phys_run(world, backend == TAUT_BACKEND_CUDA ? 4 : 120, h);
    phys_position(world, heavy.point, x);
    CHECK_NEAR(x[1], 0.15, 1e-3);
    taut_world_destroy(world);
}

/* 250 kg for each kilogram below: steps of 1/60 s, in the first of which no load is known yet. */
TAUT_PLAIN_TEST(contact_law, light_column_bears_heavy_at_sixty_steps_a_second) {
    const double half[3] = {0.05, 0.05, 0.05}, h = 1.0 / 60;
    taut_scene* scene = phys_empty_scene();
    taut_body box = {0};
    contact_ground(scene, 0);
    for (int i = 0; i < 5; i++) {
        const phys_body at = contact_at(0, 0.05 + 0.1 * i, 0);
        box = contact_box(scene, &at, i < 4 ? 0.1 : 100, half, 0);
        contact_shape(scene, TAUT_SHAPE_BOX, half, box, NULL, NULL, 0);
    }
    const taut_world_def def = convex_def(TAUT_BACKEND_CPU);
    taut_world* world = phys_world(scene, &def);
    taut_step_info info;
    double x[3];
    for (int i = 0; i < 120 && CHECK_OK(taut_world_step(world, h)); i++) {
        CHECK_OK(taut_world_info(world, &info));
        CHECK_INT(info.outcome, TAUT_SOLVE_CONVERGED);
        phys_position(world, box.point, x);
        CHECK_NEAR(x[1], 0.45, 1e-3);
        CHECK(fabs(x[0]) < 1e-3 && fabs(x[2]) < 1e-3);
    }
    taut_world_destroy(world);
}

/* Ten cubes that stand and are hit from above by an eleventh: whatever the limit of iterations, no energy is gained. */
TAUT_TEST(contact_law, any_limit_is_safe) {
    static const uint32_t limits[] = {1, 2, 5, 10, 20};
    const double half[3] = {0.05, 0.05, 0.05}, h = 1.0 / 240;
    for (int l = 0; l < (backend == TAUT_BACKEND_CUDA ? 1 : 5); l++) {
        taut_scene* scene = phys_empty_scene();
        contact_ground(scene, 0);
        for (int i = 0; i < 5; i++) {
            phys_body at = contact_at(0.003 * (i % 3), 0.05 + 0.1 * i + (i == 4 ? 0.05 : 0), 0.002 * (i % 2));
            const taut_body body = contact_box(scene, &at, 1, half, 0);
            contact_shape(scene, TAUT_SHAPE_BOX, half, body, NULL, NULL, 0);
        }
        taut_world_def def = convex_def(backend);
        def.solver.max_iterations = limits[l];
        taut_world* world = phys_world(scene, &def);
        taut_step_info info;
        CHECK_OK(taut_world_info(world, &info));
        const double start = info.kinetic + info.potential;
        for (int i = 0; i < (backend == TAUT_BACKEND_CUDA ? 3 : 120) && CHECK_OK(taut_world_step(world, h)); i++) {
            CHECK_OK(taut_world_info(world, &info));
            CHECK(info.kinetic + info.potential < start + 0.02 * PHYS_GRAVITY * 0.1);
        }
        taut_world_destroy(world);
    }
}

/* Bricks in layers, the upper ones over the joints of the lower ones, each with its own mass. */
static taut_scene* make_bricks(int count) {
    const double half[3] = {0.05, 0.05, 0.05};
    taut_scene* scene = phys_empty_scene();
    const uint32_t rough = contact_material(scene, 0.5, 0);
    contact_ground(scene, rough);
    for (int i = 0; i < count; i++) {
        const phys_body at = contact_at(0.1 * (i % 3) + 0.03 * (i / 3), 0.05 + 0.1 * (i / 3), 0.004 * (i % 2));
        const taut_body body = contact_box(scene, &at, 0.5 + 0.1 * i, half, rough);
        contact_shape(scene, TAUT_SHAPE_BOX, half, body, NULL, NULL, rough);
    }
    return scene;
}

/* More bodies than factors have room for: sweeps end near the tolerance, and go on where that is not enough. */
TAUT_PLAIN_TEST(contact_law, more_than_factors_hold) {
    enum { SIDE = 11 };
    const double half[3] = {0.05, 0.05, 0.05};
    taut_scene* scene = phys_empty_scene();
    const uint32_t rough = contact_material(scene, 0.5, 0);
    contact_ground(scene, rough);
    for (uint32_t i = 0; i < SIDE * SIDE * SIDE; i++) {
        const double x = i % SIDE, y = i / SIDE % SIDE, z = i / SIDE / SIDE;
        const phys_body at = contact_at(0.0999 * x, 0.05 + 0.0999 * y, 0.0999 * z);
        const taut_body body = contact_box(scene, &at, 0.5, half, rough);
        contact_shape(scene, TAUT_SHAPE_BOX, half, body, NULL, NULL, rough);
    }
    taut_world_def def = convex_def(TAUT_BACKEND_CPU);
    def.solver.tolerance = 1e-3;
    taut_world* world = phys_world(scene, &def);
    for (uint32_t i = 0; i < SIDE * SIDE * SIDE; i++) {
        const double v[3] = {0.5 * sin(5.0 * i), -0.3 * sin(2.0 * i), 0.5 * cos(3.0 * i)};
        CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, i, 1, v));
    }
    CHECK(contact_run(world, 2, 1.0 / 120, NULL));
    taut_world_destroy(world);
}

/* Sweeps and Newton's method, and projected gradients, find the one minimum of every step: with tolerances that only
 * Newton's method comes to in so few iterations, and that sweeps come to. */
TAUT_TEST(contact_law, minimum_of_a_wall) {
    static const double tolerances[] = {1e-6, 1e-3};
    enum { COUNT = 12 };
    for (int t = 0; t < 2; t++) {
        double x[2][3 * COUNT];
        contact_effort effort[2] = {{0}, {0}};
        for (int m = 0; m < 2; m++) {
            taut_world_def def = convex_def(backend);
            def.solver.method = m == 0 ? TAUT_METHOD_AUTO : TAUT_METHOD_PROJECTED_GRADIENT;
            def.solver.tolerance = m == 0 ? tolerances[t] : 1e-7;
            def.solver.max_iterations = 20000;
            taut_world* world = phys_world(make_bricks(COUNT), &def);
            for (uint32_t i = 0; i < COUNT; i++) { /* they part, press on each other, stick and slide */
                const double v[3] = {0.05 * sin(5.0 * i), -0.03, 0.05 * cos(3.0 * i)};
                CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, i, 1, v));
            }
            contact_run(world, 4, 1.0 / 240, &effort[m]);
            CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, 0, COUNT, x[m]));
            taut_world_destroy(world);
        }
        CHECK_NEAR(phys_farthest(x[0], x[1], 3 * COUNT), 0, 10 * tolerances[t] * 0.05);
        CHECK(backend == TAUT_BACKEND_CUDA || 4 * effort[0].iterations < effort[1].iterations);
    }
}

/* Newton's method on a contact that slides, and on one that bounces: the rows are linear, and the residual of their law
 * is that of one linearisation. */
TAUT_TEST(contact_law, newton_sees_what_slides_and_bounces_as_solved) {
    for (int bounces = 0; bounces < 2; bounces++) {
        const double mass = 0.2, start[3] = {0, 0.01, 0}, v[3] = {2, -1, 0.5};
        taut_scene* scene = phys_scene(1, start, &mass);
        const uint32_t material = contact_material(scene, 0.3, bounces ? 0.6 : 0);
        contact_ground(scene, material);
        contact_touch(scene, 1, (const uint32_t[]){0}, 0, material);
        taut_world_def def = convex_def(backend);
        def.solver.tolerance = 1e-7;
        def.integrator.newton = 10;
        def.integrator.newton_tolerance = 1e-6;
        taut_world* world = phys_world(scene, &def);
        CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, 0, 1, v));
        taut_step_info info;
        CHECK_OK(taut_world_step(world, 1.0 / 60));
        CHECK_OK(taut_world_info(world, &info));
        CHECK_INT(info.contacts, 1);
        CHECK_INT(info.linearisations, 1);
        CHECK(info.newton_residual < 1e-6);
        taut_world_destroy(world);
    }
}

static void* save(taut_world* world, size_t* bytes) {
    CHECK_OK(taut_world_state_size(world, bytes));
    void* block = malloc(*bytes);
    CHECK_OK(taut_world_save(world, *bytes, block, bytes));
    return block;
}

/* A step so much shorter than the one before undoes the overlap of that by a blow, which says nothing of what the next
 * one has to bear. */
TAUT_TEST(contact_law, a_tiny_step_throws_nothing_up) {
    static const double sides[3] = {0.2, 0.2, 0.2}, half[3] = {0.1, 0.1, 0.1}, steps[] = {1.0 / 60, 1};
    for (int i = 0; i < 2; i++) {
        taut_scene* scene = phys_empty_scene();
        const uint32_t material = contact_material(scene, 0.5, 0);
        phys_body body = contact_at(0, half[1], 0);
        taut_inertia_of_box(body.mass = 1, sides, body.inertia);
        contact_ground(scene, material);
        const taut_body box = phys_add_body(scene, &body);
        contact_shape(scene, TAUT_SHAPE_BOX, half, box, NULL, NULL, material);
        taut_world_def def = taut_default_world();
        def.backend = backend;
        taut_world* world = phys_world(scene, &def);
        double before[3], after[3];
        size_t bytes = 0;
        contact_run(world, 60, 1.0 / 60, NULL);
        CHECK_OK(taut_world_step(world, 1e-9));
        phys_position(world, box.point, before);
        void* block = save(world, &bytes);
        CHECK_OK(taut_world_step(world, steps[i]));
        phys_position(world, box.point, after);
        CHECK_NEAR(phys_farthest(before, after, 3), 0, 0.002 * PHYS_GRAVITY * steps[i] * steps[i]);
        CHECK_OK(taut_world_load(world, block, bytes)); /* a saved world knows how long its last step was */
        CHECK_OK(taut_world_step(world, steps[i]));
        phys_position(world, box.point, before);
        CHECK(phys_farthest(before, after, 3) == 0);
        free(block);
        taut_world_destroy(world);
    }
}
