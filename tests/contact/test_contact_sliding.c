/* Friction brakes: ways of sliding, and a ball that slides until it rolls. */
#include "contact_scenes.h"

#include <math.h>

/* ---- the way of something that slides ---------------------------------------------------------------------------- */

/* How far a particle of this speed slides, not along an axis. */
static double sliding_way(taut_backend_kind backend, double friction, double speed, double h) {
    const double along[3] = {0.6, 0, -0.8};
    double x[3], v[3] = {0, 0, 0};
    taut_scene* scene = phys_scene(1, v, NULL);
    const uint32_t material = contact_material(scene, friction, 0);
    contact_ground(scene, material);
    contact_touch(scene, 1, (const uint32_t[]){0}, 0, material);
    const taut_world_def def = contact_world_def(backend);
    taut_world* world = phys_world(scene, &def);
    phys_add(speed, along, v);
    CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, 0, 1, v));
    contact_run(world, (size_t)ceil(speed / (friction * PHYS_GRAVITY * h)) + 2, h, NULL);
    phys_position(world, 0, x);
    phys_velocity(world, 0, v);
    taut_world_destroy(world);
    const double way = phys_dot(x, along);
    phys_add(-way, along, x);
    CHECK_NEAR(phys_length(x), 0, CONTACT_CLOSE);
    CHECK_NEAR(phys_length(v), 0, CONTACT_CLOSE);
    return way;
}

/* v^2 / (2 mu g), of first order: implicit Euler adds up the speeds v - k mu g h at the ends of steps, a sum of
 *     v^2 / (2 mu g) - h v / 2 + mu g h^2 r (1 - r) / 2,   r the part of a step that v lasts beyond a whole number. */
TAUT_TEST(contact_sliding, way_until_rest) {
    const double friction = 0.4, speed = 0.5, brake = friction * PHYS_GRAVITY, exact = speed * speed / (2 * brake);
    double off[2];
    for (int fine = 0; fine < 2; fine++) {
        const double h = 0.01 / (1 << fine), lasts = speed / (brake * h), rest = lasts - floor(lasts);
        const double way = sliding_way(backend, friction, speed, h);
        CHECK_NEAR(way, exact - h * speed / 2 + brake * h * h * rest * (1 - rest) / 2, CONTACT_CLOSE);
        off[fine] = fabs(way - exact);
    }
    CHECK_NEAR(phys_order(off[0], off[1]), 1, 0.1);
}

/* ---- a ball that slides until it rolls --------------------------------------------------------------------------- */

/* Set down with the speed v and without spin, a ball slides with v - mu g t and r w = 5/2 mu g t until these meet at
 * 2 v / (7 mu g), and rolls on at 5/7 v: velocities are exact at the ends of steps, and so is the last one, in which
 * angular momentum about the line of contact is what it was. */
TAUT_TEST(contact_sliding, ball_slides_and_rolls) {
    const double friction = 0.3, speed = 1, radius = 0.1, h = 0.01, brake = friction * PHYS_GRAVITY;
    const int until = (int)ceil(2 * speed / (7 * brake * h));
    const double along[3] = {0.8, 0, 0.6}, axle[3] = {0.6, 0, -0.8}; /* n x along: turns about it go along */
    taut_scene* scene = phys_empty_scene();
    const uint32_t material = contact_material(scene, friction, 0);
    phys_body ball = contact_at(0, radius, 0);
    phys_add(speed, along, ball.v);
    contact_ground(scene, material);
    const taut_body handle = contact_ball(scene, &ball, 1.7, radius, material);
    const taut_world_def def = contact_world_def(backend);
    taut_world* world = phys_world(scene, &def);
    contact_effort effort = {0};
    for (int i = 1; i <= until + 30; i++) {
        contact_run(world, 1, h, &effort);
        phys_read_body(world, handle, &ball);
        test_note("step %d of %d", i, until);
        const double v = i < until ? speed - brake * i * h : speed * 5 / 7;
        const double spin = i < until ? 2.5 * brake * i * h : speed * 5 / 7;
        CHECK_NEAR(phys_dot(ball.v, along), v, CONTACT_CLOSE);
        CHECK_NEAR(radius * phys_dot(ball.w, axle), spin, CONTACT_CLOSE);
        CHECK_NEAR(ball.x[1], radius, CONTACT_CLOSE);
        CHECK_NEAR(phys_dot(ball.v, axle), 0, CONTACT_CLOSE);
    }
    contact_note("ball", &effort);
    test_note(NULL);
    taut_world_destroy(world);
}

/* ---- the relaxed law --------------------------------------------------------------------------------------------- */

/* Convex friction: what slides with v' ends its step at a gap of mu h |v'|, or flies above it. The first step throws it
 * up; when it has pressed for three steps its speed along the normal is -mu a', a' the last change of v, and a + mu (
 * -mu a + mu a' ) = mu g h,   (1 + mu^2) a = mu^2 a' + mu g h: soon it brakes by mu g. What sticks does so on the
 * surface. */
typedef struct convex_motion {
    double v, change; /* m/s, along z */
    int pressing;     /* steps */
} convex_motion;

static void check_convex_step(taut_world* world, double friction, double h, convex_motion* last) {
    double x[3], v[3], force[3];
    contact_run(world, 1, h, NULL);
    phys_position(world, 0, x);
    phys_velocity(world, 0, v);
    contact_sum(world, force);
    const double lift = x[1] - friction * h * v[2], change = last->v - v[2];
    const bool slides = v[2] > CONTACT_CLOSE;
    last->pressing = force[1] > 0 ? last->pressing + 1 : 0;
    CHECK(lift >= -CONTACT_CLOSE && v[2] >= -CONTACT_CLOSE && force[1] >= 0);
    CHECK_NEAR(force[1] > 0 ? lift : 0, 0, CONTACT_CLOSE);
    CHECK_NEAR(change, -h * force[2], CONTACT_CLOSE);
    CHECK_NEAR(slides ? force[2] + friction * force[1] : 0, 0, CONTACT_CLOSE / h);
    if (slides && last->pressing >= 3) {
        const double square = friction * friction;
        CHECK_NEAR((1 + square) * change, square * last->change + friction * PHYS_GRAVITY * h, CONTACT_CLOSE);
    }
    last->v = v[2];
    last->change = change;
}

TAUT_TEST(contact_sliding, convex_friction) {
    const double friction = 0.5, h = 0.01, brake = friction * PHYS_GRAVITY;
    convex_motion motion = {.v = 0.4};
    double v[3] = {0, 0, motion.v};
    taut_scene* scene = phys_scene(1, (const double[]){0, 0, 0}, NULL);
    const uint32_t material = contact_material(scene, friction, 0);
    contact_ground(scene, material);
    contact_touch(scene, 1, (const uint32_t[]){0}, 0, material);
    taut_world_def def = contact_world_def(backend);
    def.contact.friction = TAUT_FRICTION_CONVEX;
    taut_world* world = phys_world(scene, &def);
    CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, 0, 1, v));
    for (int i = 0; i < 15; i++) {
        test_note("step %d", i);
        check_convex_step(world, friction, h, &motion);
    }
    test_note(NULL);
    phys_velocity(world, 0, v);
    CHECK_NEAR(phys_length(v), 0, CONTACT_CLOSE);
    CHECK_OK(taut_world_set_forces(world, 0, 1, (const double[]){0.99 * brake, 0, 0}));
    contact_run(world, 3, h, NULL);
    phys_velocity(world, 0, v);
    CHECK_NEAR(phys_length(v), 0, CONTACT_CLOSE);
    taut_world_destroy(world);
}
