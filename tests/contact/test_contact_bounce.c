/* Impacts: heights of a bouncing ball, slow ones that do not bounce, overlaps that are undone at a bounded speed. */
#include "contact_scenes.h"

#include <math.h>
#include <string.h>

/* A particle over the plane y = 0. */
static taut_world* make_drop(taut_backend_kind backend, double height, double restitution, double slow) {
    taut_scene* scene = phys_scene(1, (const double[]){0, height, 0}, NULL);
    const uint32_t material = contact_material(scene, 0, restitution);
    contact_ground(scene, material);
    contact_touch(scene, 1, (const uint32_t[]){0}, 0, material);
    taut_world_def def = contact_world_def(backend);
    def.contact.restitution_speed = slow;
    return phys_world(scene, &def);
}

/* Steps until the ball has touched and is at its next top; returns the height of that. */
static double next_top(taut_world* world, double h) {
    double x[3], v[3] = {0, -1, 0}, top = 0;
    bool rises = false;
    for (int i = 0; i < 2000 && !(rises && v[1] < 0) && contact_run(world, 1, h, NULL); i++) {
        phys_position(world, 0, x);
        phys_velocity(world, 0, v);
        CHECK(x[1] >= -CONTACT_CLOSE);
        rises = rises || v[1] > 0;
        top = rises ? fmax(top, x[1]) : 0;
    }
    return top;
}

/* From a height a implicit Euler arrives at 0 <= x < h V with V^2 / 2g = a - h V / 2 - x, leaves with e V and is at
 *     x + h e V + e^2 V^2 / 2g - h e V / 2 = e^2 a + (1 - e^2) x + h V e (1 - e) / 2
 * on top, up to g h^2: between the bounds of x, first order in h, and right for e = 1. */
static void check_bounces(taut_backend_kind backend, double restitution, int bounces, double h) {
    const double height = 0.3, e = restitution;
    taut_world* world = make_drop(backend, height, e, 0.05);
    double from = height;
    for (int i = 0; i < bounces; i++) {
        const double top = next_top(world, h), reach = h * sqrt(2 * PHYS_GRAVITY * from);
        const double off = top - e * e * from, least = reach * e * (1 - e) / 2;
        test_note("restitution %g, step %g, bounce %d: %.6g of %.6g m", e, h, i, top, e * e * from);
        CHECK(off >= least - 2 * PHYS_GRAVITY * h * h);
        CHECK(off <= least + (1 - e * e) * reach + 2 * PHYS_GRAVITY * h * h);
        from = top;
    }
    test_note(NULL);
    taut_world_destroy(world);
}

TAUT_TEST(contact_bounce, heights_of_bounces) {
    for (int fine = 0; fine < 2; fine++) {
        check_bounces(backend, 1, 3, 0.008 / (1 << fine));
        check_bounces(backend, 0.5, 2, 0.008 / (1 << fine));
    }
}

/* Without restitution, and with an impact that is slower than what bounces, it stays on the plane. */
TAUT_TEST(contact_bounce, lands_and_stays) {
    const double height = 0.05, h = 0.01; /* about 1 m/s */
    for (int i = 0; i < 2; i++) {
        taut_world* world = make_drop(backend, height, i == 0 ? 0 : 0.9, i == 0 ? 0.05 : 1.2);
        double x[3], v[3], force[3];
        contact_run(world, 20, h, NULL);
        phys_position(world, 0, x);
        phys_velocity(world, 0, v);
        contact_sum(world, force);
        CHECK_NEAR(x[1], 0, CONTACT_CLOSE);
        CHECK_NEAR(v[1], 0, CONTACT_CLOSE);
        CHECK_NEAR(force[1], PHYS_GRAVITY, CONTACT_CLOSE / h);
        taut_world_destroy(world);
    }
}

/* ---- overlaps -------------------------------------------------------------------------------------------------------
 */

#define RECOVERY 0.5 /* m/s */

static uint32_t slow_recovery(taut_scene* scene, double damping) {
    taut_material_def law = taut_default_material();
    law.friction = 0;
    law.recovery = RECOVERY;
    law.damping = damping;
    return contact_material_of(scene, law);
}

/* Hard contacts undo an overlap a in the step, or in the time `damping` beside it, v = a / (h + d), at `recovery` at
 * most, unless what it has of speed is more. */
static void check_recovery(taut_backend_kind backend, double damping) {
    const double h = 0.01, start = -0.05;
    taut_scene* scene = phys_scene(1, (const double[]){0, start, 0}, NULL);
    const uint32_t material = slow_recovery(scene, damping);
    contact_ground(scene, material);
    contact_touch(scene, 1, (const uint32_t[]){0}, 0, material);
    const taut_world_def def = contact_world_def(backend);
    taut_world* world = phys_world(scene, &def);
    double expected = start, speed = 0;
    for (int i = 0; i < 20 && expected < -1e-6; i++) {
        double x[3], v[3];
        speed = fmax(speed - PHYS_GRAVITY * h, fmin(RECOVERY, -expected / (h + damping)));
        expected += h * speed;
        const taut_step_info info = contact_step(world, h, NULL);
        phys_position(world, 0, x);
        phys_velocity(world, 0, v);
        test_note("damping %g, step %d", damping, i);
        CHECK_NEAR(v[1], speed, CONTACT_CLOSE);
        CHECK_NEAR(x[1], expected, CONTACT_CLOSE);
        CHECK_NEAR(info.penetration, fmax(-expected, 0), CONTACT_CLOSE);
        CHECK_NEAR(info.kinetic, speed * speed / 2, CONTACT_CLOSE);
    }
    test_note(NULL);
    taut_world_destroy(world);
}

TAUT_TEST(contact_bounce, overlaps_are_undone_no_faster_than_allowed) {
    check_recovery(backend, 0);
    check_recovery(backend, 0.03);
}

/* Two free balls deep in one another: they part at that speed relative to each other, about their common centre, and
 * keep no more of it. */
TAUT_TEST(contact_bounce, overlapping_balls_part_slowly) {
    const double radius = 0.2, h = 0.01;
    taut_scene* scene = phys_empty_scene();
    const uint32_t material = slow_recovery(scene, 0);
    const phys_body left = contact_at(-0.05, 0, 0), right = contact_at(0.03, 0.02, 0);
    const taut_body a = contact_ball(scene, &left, 1, radius, material);
    const taut_body b = contact_ball(scene, &right, 3, radius, material);
    contact_shape(scene, TAUT_SHAPE_SPHERE, (const double[]){radius, 1, 1}, b, NULL, NULL, material);
    taut_world_def def = contact_world_def(backend);
    def.gravity[1] = 0;
    taut_world* world = phys_world(scene, &def);
    double apart = phys_apart(left.x, right.x);
    for (int i = 0; i < 80; i++) {
        phys_body x, y;
        contact_run(world, 1, h, NULL);
        phys_read_body(world, a, &x);
        phys_read_body(world, b, &y);
        const double now = phys_apart(x.x, y.x),
                     sums[3] = {x.v[0] + 3 * y.v[0], x.v[1] + 3 * y.v[1], x.v[2] + 3 * y.v[2]};
        CHECK_NEAR((now - apart) / h, RECOVERY, apart < 2 * radius - RECOVERY * h ? 1e-6 : RECOVERY);
        CHECK_NEAR(phys_length(sums), 0, CONTACT_CLOSE);
        apart = now;
    }
    CHECK(apart >= 2 * radius);
    taut_world_destroy(world);
}

/* A ball that bounces off the ground from afar, within one step: friction acts where it touches, and ends when it
 * rolls, v_x' = v_x - min( mu (1 + e) |v_y|, 2/7 v_x ),   omega' = -v_x'/r   if it rolls. */
TAUT_TEST(contact_bounce, shot_balls_turn) {
    static const double r = 0.03, steps[] = {1.0 / 24, 1.0 / 240}, rough[] = {0.3, 0.02}, v[3] = {20, -45, 0};
    for (int i = 0; i < 4; i++) {
        const double h = steps[i / 2], mu = rough[i % 2], e = 0.5;
        taut_scene* scene = phys_empty_scene();
        phys_body body = contact_at(0, 0.734, 0);
        taut_inertia_of_sphere(body.mass, r, body.inertia);
        const uint32_t material = contact_material(scene, mu, e);
        const taut_body ball = phys_add_body(scene, &body);
        contact_shape(scene, TAUT_SHAPE_SPHERE, (const double[]){r, 0, 0}, ball, NULL, NULL, material);
        contact_ground(scene, material);
        taut_world_def def = contact_world_def(backend);
        memset(def.gravity, 0, sizeof def.gravity);
        taut_world* world = phys_world(scene, &def);
        double now[3], spin[3];
        CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, ball.point, 1, v));
        contact_run(world, (int)ceil(0.03 / h), h, NULL);
        phys_velocity(world, ball.point, now);
        CHECK_OK(taut_world_read(world, TAUT_FIELD_ANGULAR_VELOCITIES, ball.frame, 1, spin));
        const double sliding = mu * (1 + e) * -v[1], rolling = 2.0 / 7 * v[0], lost = fmin(sliding, rolling);
        test_note("friction %g, steps of %g s: %g %g m/s, %g rad/s", mu, h, now[0], now[1], spin[2]);
        CHECK_NEAR(now[1], -e * v[1], 0.01 * -v[1]);
        CHECK_NEAR(now[0], v[0] - lost, 0.01 * lost);
        CHECK_NEAR(spin[2], -2.5 * lost / r, 0.01 * 2.5 * lost / r);
        taut_world_destroy(world);
    }
    test_note(NULL);
}

/* ---- faces ------------------------------------------------------------------------------------------------------- */

/* A body that bounces on a face, with restitution 1. Implicit Euler keeps E + h g.P/2 in free flight and in bounces
 * (docs/mathematics.md, Energies), if all contacts of the face together leave as fast as they came: how fast they part
 * follows from all of their impulses. */
static void check_face(taut_backend_kind backend, taut_shape shape, const double size[3], double low, double h) {
    static const double up[4] = {0.70710678118654752, -0.70710678118654752, 0, 0}; /* z goes to y */
    const double fall = 0.3;
    taut_scene* scene = phys_empty_scene();
    phys_body body = contact_at(0, low + fall, 0);
    const uint32_t material = contact_material(scene, 0, 1);
    const double sides[3] = {2 * size[0], 2 * size[1], 2 * size[2]};
    if (shape == TAUT_SHAPE_BOX) {
        taut_inertia_of_box(body.mass, sides, body.inertia);
    } else {
        taut_inertia_of_cylinder(body.mass, size[0], sides[1], body.inertia);
    }
    if (shape == TAUT_SHAPE_CYLINDER) {
        memcpy(body.q, up, sizeof up);
    }
    const taut_body handle = phys_add_body(scene, &body);
    contact_shape(scene, shape, size, handle, NULL, NULL, material);
    contact_ground(scene, material);
    taut_world_def def = taut_default_world();
    def.backend = backend;
    taut_world* world = phys_world(scene, &def);
    const double all = body.mass * PHYS_GRAVITY * fall, lies = body.mass * PHYS_GRAVITY * low;
    for (int i = 0; i < 5 / h; i++) {
        const taut_step_info info = contact_step(world, h, NULL);
        const double energy = info.kinetic + info.potential - h * PHYS_GRAVITY * info.momentum[1] / 2 - lies;
        test_note("shape %d, steps of %g s: %g of %g J after %d", (int)shape, h, energy, all, i);
        CHECK_NEAR(energy, all, 4e-3 * all);
    }
    test_note(NULL);
    taut_world_destroy(world);
}

TAUT_TEST(contact_bounce, faces_leave_as_fast_as_they_came) {
    static const double steps[] = {1.0 / 60, 1.0 / 240};
    for (int i = 0; i < (backend == TAUT_BACKEND_CUDA ? 1 : 2); i++) {
        check_face(backend, TAUT_SHAPE_CAPSULE, (const double[]){0.1, 0.05, 0}, 0.1, steps[i]);
        check_face(backend, TAUT_SHAPE_CYLINDER, (const double[]){0.1, 0.1, 0}, 0.1, steps[i]);
        check_face(backend, TAUT_SHAPE_BOX, (const double[]){0.2, 0.05, 0.2}, 0.05, steps[i]);
    }
}

/* ---- friction ---------------------------------------------------------------------------------------------------- */

/* A plate that falls on one of its edges, slanted by `angle` and with v_x = `across`, without gravity. Friction can
 * turn what slides there around. However it does: what the plate keeps is at most what it would keep without friction,
 * all but m_n v_y^2 (1 - e^2)/2, with 1/m_n = 1/m + r_x^2/I at the edge r. */
static void check_friction(taut_backend_kind backend, double angle, double across, double h) {
    static const double half[3] = {0.1, 0.01, 0.1}, e = 0.95, fall = 4.5;
    const double sides[3] = {2 * half[0], 2 * half[1], 2 * half[2]}, v[3] = {across, -fall, 0};
    const double arm = half[0] * cos(angle) - half[1] * sin(angle), low = half[0] * sin(angle) + half[1] * cos(angle);
    taut_scene* scene = phys_empty_scene();
    phys_body body = contact_at(0, low + 0.05, 0);
    const uint32_t material = contact_material(scene, 0.5, e);
    taut_inertia_of_box(body.mass, sides, body.inertia);
    body.q[0] = cos(angle / 2);
    body.q[3] = sin(angle / 2);
    const taut_body handle = phys_add_body(scene, &body);
    contact_shape(scene, TAUT_SHAPE_BOX, half, handle, NULL, NULL, material);
    contact_ground(scene, material);
    taut_world_def def = taut_default_world();
    def.backend = backend;
    memset(def.gravity, 0, sizeof def.gravity);
    taut_world* world = phys_world(scene, &def);
    CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, handle.point, 1, v));
    const double inertia = body.mass * (sides[0] * sides[0] + sides[1] * sides[1]) / 12;
    const double heavy = 1 / (1 / body.mass + arm * arm / inertia);
    const double all = body.mass * (across * across + fall * fall) / 2, lost = heavy * fall * fall * (1 - e * e) / 2;
    double kept = 0;
    for (int i = 0; i * h < 0.04; i++) {
        const taut_step_info info = contact_step(world, h, NULL);
        test_note("slanted by %g, %g m/s across, steps of %g s: %g J, damped %u", angle, across, h, info.kinetic,
                  info.damped);
        CHECK(info.damped == 0);
        kept = info.kinetic;
    }
    CHECK(kept < 0.999 * all);
    CHECK(kept > 0.4 * all);
    CHECK(kept <= all - lost + 0.02 * heavy * fall * fall);
    test_note(NULL);
    taut_world_destroy(world);
}

TAUT_TEST(contact_bounce, friction_gives_no_energy) {
    static const double steps[] = {1.0 / 24, 1.0 / 240};
    for (int i = 0; i < (backend == TAUT_BACKEND_CUDA ? 1 : 2); i++) {
        for (int turn = 1; turn < (backend == TAUT_BACKEND_CUDA ? 3 : 7); turn++) {
            check_friction(backend, 0.2 * turn, -1.5, steps[i]);
            check_friction(backend, 0.2 * turn, 1.5, steps[i]);
        }
    }
}
