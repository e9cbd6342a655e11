/* Joints against closed forms: loads, springs, and what spins on a joint. */
#include "phys_frames.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const phys_scheme* const schemes[] = {&phys_implicit_euler, &phys_midpoint};

/* ---- loads ------------------------------------------------------------------------------------------------------- */

typedef struct bracket {
    taut_body body;
    taut_joint_batches joint;
    double at[3], axes[4];
} bracket;

/* A body on a fixed joint with the world, with the joint's axes turned. */
static taut_world* make_bracket(taut_backend_kind backend, const taut_joints_def* like, const double centre[3],
                                bracket* b) {
    phys_body body = {.mass = 2, .inertia = {0.1, 0.2, 0.3, 0.02, 0.01, 0.03}};
    memcpy(body.x, centre, sizeof body.x);
    phys_turn((const double[]){3, 1, -2}, 0.9, body.q);
    phys_turn((const double[]){1, -2, 1}, 1.1, b->axes);
    memcpy(b->at, (const double[]){0.3, 0.4, -0.2}, sizeof b->at);
    taut_scene* scene = phys_empty_scene();
    b->body = phys_add_body(scene, &body);
    taut_joints_def def = *like;
    def.type = TAUT_JOINT_FIXED;
    def.count = 1;
    def.bodies = (const taut_body[]){TAUT_WORLD, b->body};
    def.positions = b->at;
    def.orientations = b->axes;
    CHECK_OK(taut_scene_add_joints(scene, &def, &b->joint));
    return phys_scheme_world(backend, scene, &phys_implicit_euler, true);
}

/* Multipliers of the rotations are those of a rotation vector that is 0: they are the torque's components. */
TAUT_TEST(joints, fixed_joint_carries_a_load) {
    const double force[3] = {10, -20, 5}, torque[3] = {1, 2, -3}, centre[3] = {1, 0.5, 0.2};
    const taut_joints_def def = taut_default_joints();
    bracket b;
    taut_world* world = make_bracket(backend, &def, centre, &b);
    CHECK_OK(taut_world_set_forces(world, b.body.point, 1, force));
    CHECK_OK(taut_world_set_torques(world, b.body.frame, 1, torque));
    phys_run(world, 3, 0.01);
    double lam[3], moment[3], arm[3], x[3];
    phys_multipliers(world, b.joint.prismatic, 3, lam);
    phys_rotate(b.axes, lam, lam);
    for (int i = 0; i < 3; i++) {
        arm[i] = centre[i] - b.at[i];
        CHECK_NEAR(lam[i], -force[i], 1e-5 * phys_length(force));
    }
    phys_cross(arm, force, moment);
    phys_add(1, torque, moment);
    phys_multipliers(world, b.joint.angular, 3, lam);
    phys_rotate(b.axes, lam, lam);
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(lam[i], -moment[i], 1e-5 * phys_length(moment));
    }
    phys_position(world, b.body.point, x);
    CHECK_NEAR(phys_apart(x, centre), 0, 1e-8);
    taut_world_destroy(world);
}

/* A compliance per axis: the joint gives way by C force and C torque, each along its own axis. The torque turns it by
 * some 2e-4 rad, so that the rotation vector is C torque to that part. */
TAUT_TEST(joints, compliance_of_each_axis) {
    taut_joints_def def = taut_default_joints();
    double force[3] = {5, 3, -4}, torque[3] = {2, -1, 3}, offset[3], angle[3], x[3], phi[3];
    for (int i = 0; i < 3; i++) {
        def.translation_compliance[i] = 1e-3 * (i + 1);
        def.rotation_compliance[i] = 2e-5 * (3 - i);
        offset[i] = def.translation_compliance[i] * force[i];
        angle[i] = def.rotation_compliance[i] * torque[i];
    }
    bracket b;
    const double centre[3] = {0.3, 0.4, -0.2}; /* at the joint, so that the force turns nothing */
    taut_world* world = make_bracket(backend, &def, centre, &b);
    phys_body body;
    phys_read_body(world, b.body, &body);
    double turned[4], expected[4];
    phys_rotate(b.axes, force, force);
    phys_rotate(b.axes, torque, torque);
    CHECK_OK(taut_world_set_forces(world, b.body.point, 1, force));
    CHECK_OK(taut_world_set_torques(world, b.body.frame, 1, torque));
    phys_settle(world, 0.01, 1, 1e-7, 300);
    phys_violations(world, b.joint.prismatic, 3, phi);
    CHECK_NEAR(phys_apart(phi, offset), 0, 1e-5 * phys_length(offset));
    phys_violations(world, b.joint.angular, 3, phi);
    CHECK_NEAR(phys_apart(phi, angle), 0, 1e-3 * phys_length(angle));
    phys_position(world, b.body.point, x);
    phys_rotate(b.axes, offset, offset);
    phys_add(1, centre, offset);
    CHECK_NEAR(phys_apart(x, offset), 0, 1e-7);
    phys_rotate(b.axes, angle, angle);
    phys_turn(angle, phys_length(angle), turned);
    phys_multiply(turned, body.q, expected);
    phys_read_body(world, b.body, &body);
    CHECK_NEAR(phys_angle_between(body.q, expected), 0, 1e-3 * phys_length(angle));
    taut_world_destroy(world);
}

/* Rest values are offsets and a rotation vector in the joint's axes; they are reached from anywhere. */
TAUT_TEST(joints, rest_values_of_a_fixed_joint) {
    taut_joints_def def = taut_default_joints();
    const double centre[3] = {0.3, 0.4, -0.2};
    double offset[3] = {0.1, -0.2, 0.05}, angle[3] = {0.5, 0.3, -0.4}, turned[4], expected[4];
    memcpy(def.rest_offset, offset, sizeof offset);
    memcpy(def.rest_angle, angle, sizeof angle);
    bracket b;
    taut_world* world = make_bracket(backend, &def, centre, &b);
    phys_body body;
    phys_read_body(world, b.body, &body);
    phys_rotate(b.axes, offset, offset);
    phys_rotate(b.axes, angle, angle);
    phys_add(1, centre, offset);
    phys_turn(angle, phys_length(angle), turned);
    phys_multiply(turned, body.q, expected);
    phys_run(world, 30, 0.1);
    phys_read_body(world, b.body, &body);
    CHECK_NEAR(phys_apart(body.x, offset), 0, 1e-6);
    CHECK_NEAR(phys_angle_between(body.q, expected), 0, 1e-6);
    taut_world_destroy(world);
}

/* ---- springs ----------------------------------------------------------------------------------------------------- */

/* u'' + (d/(m c)) u' + u/(m c) = 0 from u = start at rest, with w^2 = 1/(m c) and zeta = d w/2 < 1. */
static double decayed(double mass, double compliance, double damping, double start, double t) {
    const double w = sqrt(1 / (mass * compliance)), zeta = damping * w / 2, s = w * sqrt(1 - zeta * zeta);
    return start * exp(-zeta * w * t) * (cos(s * t) + zeta * w / s * sin(s * t));
}

#define SPRING_START 0.3

/* A hinge or slider with a soft drive, released away from its target of 0. */
static double spring_error(taut_backend_kind backend, const phys_scheme* scheme, taut_joint_type type, double h) {
    const bool hinge = type == TAUT_JOINT_HINGE;
    phys_body body = {.mass = 2, .inertia = {0.1, 0.2, 0.5}, .q = {1, 0, 0, 0}};
    double axes[4] = {1, 0, 0, 0}, worst = 0;
    if (hinge) {
        phys_hinge_about_z(axes);
    }
    taut_scene* scene = phys_empty_scene();
    const taut_body handle = phys_add_body(scene, &body);
    taut_joint_batches batches = {{0}, {0}, {0}};
    taut_joints_def def = taut_default_joints();
    def.type = type;
    def.count = 1;
    def.bodies = (const taut_body[]){TAUT_WORLD, handle};
    def.positions = body.x;
    def.orientations = axes;
    def.drive = true;
    def.targets = (const double[]){-SPRING_START};
    def.drive_compliance = 0.02;
    def.drive_damping = 0.03;
    CHECK_OK(taut_scene_add_joints(scene, &def, &batches));
    taut_world* world = phys_scheme_world(backend, scene, scheme, true);
    for (int i = 1; i <= lround(1 / h) && phys_run(world, 1, h); i++) {
        phys_read_body(world, handle, &body);
        const double found = (hinge ? phys_angle_about_z(body.q) : body.x[0]) + SPRING_START;
        worst = phys_worse(worst, fabs(found - decayed(hinge ? 0.5 : 2, 0.02, 0.03, SPRING_START, i * h)));
    }
    taut_world_destroy(world);
    return worst;
}

static void check_spring(taut_backend_kind backend, taut_joint_type type) {
    for (int i = 0; i < 2; i++) {
        const double coarse = spring_error(backend, schemes[i], type, 1.0 / 200);
        const double fine = spring_error(backend, schemes[i], type, 1.0 / 400);
        test_note("joint %d, alpha %g: errors %.3g and %.3g", (int)type, schemes[i]->alpha, coarse, fine);
        phys_check_order(coarse, fine, schemes[i]->order);
        CHECK(fine < (i == 0 ? 0.05 : 1e-3) * SPRING_START);
    }
}

TAUT_TEST(joints, damped_spring_of_a_hinge) {
    check_spring(backend, TAUT_JOINT_HINGE);
}

TAUT_TEST(joints, damped_spring_of_a_slider) {
    check_spring(backend, TAUT_JOINT_SLIDER);
}

/* A ball joint with another compliance and damping along each of its turned axes: three oscillators that do not see
 * one another. The centre is at the joint, so that nothing turns. */
static double ball_error(taut_backend_kind backend, const phys_scheme* scheme, double h) {
    const double start[3] = {0.1, 0.2, -0.1}, centre[3] = {0.5, 0, 0};
    phys_body body = {.mass = 2, .inertia = {0.1, 0.2, 0.5}, .q = {1, 0, 0, 0}};
    double axes[4], worst = 0;
    phys_turn((const double[]){1, 1, 3}, 0.8, axes);
    phys_rotate(axes, start, body.x);
    phys_add(1, centre, body.x);
    taut_scene* scene = phys_empty_scene();
    const taut_body handle = phys_add_body(scene, &body);
    taut_joints_def def = taut_default_joints();
    def.count = 1;
    def.bodies = (const taut_body[]){TAUT_WORLD, handle};
    def.anchors = (const double[]){0.5, 0, 0, 0, 0, 0};
    def.orientations = axes;
    for (int i = 0; i < 3; i++) {
        def.translation_compliance[i] = 0.005 * (i + 1);
        def.translation_damping[i] = 0.01 * i;
    }
    CHECK_OK(taut_scene_add_joints(scene, &def, NULL));
    taut_world* world = phys_scheme_world(backend, scene, scheme, true);
    for (int i = 1; i <= lround(0.5 / h) && phys_run(world, 1, h); i++) {
        double u[3];
        phys_position(world, handle.point, u);
        phys_add(-1, centre, u);
        phys_rotate_back(axes, u, u);
        for (int a = 0; a < 3; a++) {
            const double expected = decayed(2, 0.005 * (a + 1), 0.01 * a, start[a], i * h);
            worst = phys_worse(worst, fabs(u[a] - expected));
        }
    }
    taut_world_destroy(world);
    return worst;
}

TAUT_TEST(joints, ball_joint_of_three_springs) {
    for (int i = 0; i < 2; i++) {
        const double coarse = ball_error(backend, schemes[i], 1.0 / 200),
                     fine = ball_error(backend, schemes[i], 1.0 / 400);
        test_note("alpha %g: errors %.3g and %.3g m", schemes[i]->alpha, coarse, fine);
        phys_check_order(coarse, fine, schemes[i]->order);
        CHECK(fine < (i == 0 ? 0.02 : 2e-4));
    }
}

/* ---- spinning on a joint ----------------------------------------------------------------------------------------- */

#define TOP_MASS   1.0
#define TOP_ARM    0.2
#define TOP_RADIUS 0.15
#define TOP_SPIN   100.0 /* rad/s, about its axis */
#define TOP_TILT   0.9   /* from the vertical, y */

/* Steady precession W of a heavy top with moments A (about the pivot) and C: A W^2 cos t - C w3 W + m g l = 0, the
 * slower root. */
static double precession_rate(void) {
    const double c = TOP_MASS * TOP_RADIUS * TOP_RADIUS / 2, a = c / 2 + TOP_MASS * TOP_ARM * TOP_ARM;
    const double p = c * TOP_SPIN, q = 4 * a * cos(TOP_TILT) * TOP_MASS * PHYS_GRAVITY * TOP_ARM;
    return (p - sqrt(p * p - q)) / (2 * a * cos(TOP_TILT));
}

/* Distance of the centre of mass from the circle's right place after half a second, over the arm. */
static double top_error(taut_backend_kind backend, const phys_scheme* scheme, double h) {
    const double rate = precession_rate(), axis[3] = {sin(TOP_TILT), cos(TOP_TILT), 0}, up[3] = {0, 1, 0};
    phys_body top = {.mass = TOP_MASS};
    double expected[3], turned[4];
    taut_inertia_of_cylinder(TOP_MASS, TOP_RADIUS, 1e-6, top.inertia);
    phys_turn((const double[]){0, 1, 0}, PHYS_PI / 2, top.q); /* z to x, then up by the rest */
    phys_turn((const double[]){0, 0, 1}, PHYS_PI / 2 - TOP_TILT, turned);
    phys_multiply(turned, top.q, top.q);
    phys_add(TOP_ARM, axis, top.x);
    /* w = W up + spin axis, with the whole spin about the axis TOP_SPIN */
    phys_add(rate, up, top.w);
    phys_add(TOP_SPIN - rate * cos(TOP_TILT), axis, top.w);
    phys_cross(top.w, top.x, top.v);
    phys_turn(up, rate * 0.5, turned);
    phys_rotate(turned, top.x, expected);
    taut_scene* scene = phys_empty_scene();
    const taut_body handle = phys_add_body(scene, &top);
    phys_add_joint(scene, TAUT_JOINT_BALL, TAUT_WORLD, handle, (const double[]){0, 0, 0}, NULL);
    taut_world* world = phys_scheme_world(backend, scene, scheme, false);
    phys_run(world, (size_t)lround(0.5 / h), h);
    phys_read_body(world, handle, &top);
    taut_world_destroy(world);
    return phys_apart(top.x, expected) / TOP_ARM;
}

/* First order, even with the midpoint: the free motion of a step, here 0.1 or 0.05 rad of nutation, does not know of
 * the joint's torque, and the torque not of that motion. Half the smaller angle is the bound. */
TAUT_TEST(joints, heavy_top_precesses) {
    for (int i = 0; i < 2; i++) {
        const double coarse = top_error(backend, schemes[i], 1.0 / 1000),
                     fine = top_error(backend, schemes[i], 1.0 / 2000);
        test_note("rate %.4f rad/s, alpha %g: errors %.3g and %.3g", precession_rate(), schemes[i]->alpha, coarse,
                  fine);
        phys_check_order(coarse, fine, 1);
        CHECK(fine < 0.05);
    }
}

/* Two bodies on a fixed joint tumble like the one body that they make: to first order, as above. */
static double compound_error(taut_backend_kind backend, const phys_scheme* scheme, double h) {
    phys_body parts[2] = {{.mass = 1, .inertia = {0.02, 0.05, 0.06}, .x = {-0.2, 0, 0.1}, .q = {1, 0, 0, 0}},
                          {.mass = 2, .inertia = {0.04, 0.03, 0.05}, .x = {0.1, 0, -0.05}, .q = {1, 0, 0, 0}}};
    phys_body whole = {.mass = 3, .q = {1, 0, 0, 0}, .w = {0.5, 3, 0.4}}; /* its centre is the origin */
    taut_body handles[2];
    taut_scene* scene = phys_empty_scene();
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 6; k++) {
            whole.inertia[k] += parts[i].inertia[k];
        }
        phys_add_point_inertia(parts[i].mass, parts[i].x, whole.inertia);
        memcpy(parts[i].w, whole.w, sizeof whole.w);
        phys_cross(whole.w, parts[i].x, parts[i].v);
        handles[i] = phys_add_body(scene, &parts[i]);
    }
    phys_add_joint(scene, TAUT_JOINT_FIXED, handles[0], handles[1], (const double[]){0, 0.1, 0}, NULL);
    taut_world* world = phys_scheme_world(backend, scene, scheme, true);
    phys_run(world, (size_t)lround(1 / h), h);
    phys_move_free_top(&whole, 1, 2000);
    phys_read_body(world, handles[0], &parts[0]);
    phys_read_body(world, handles[1], &parts[1]);
    taut_world_destroy(world);
    /* No force from outside: the common centre stays. */
    for (int a = 0; a < 3; a++) {
        CHECK_NEAR(parts[0].x[a] + 2 * parts[1].x[a], 0, 1e-6);
    }
    return fmax(phys_angle_between(parts[0].q, whole.q), phys_angle_between(parts[1].q, whole.q));
}

TAUT_TEST(joints, two_bodies_fixed_together_are_one) {
    for (int i = 0; i < 2; i++) {
        const double coarse = compound_error(backend, schemes[i], 1.0 / 200);
        const double fine = compound_error(backend, schemes[i], 1.0 / 400);
        test_note("alpha %g: errors %.3g and %.3g rad", schemes[i]->alpha, coarse, fine);
        phys_check_order(coarse, fine, 1);
        CHECK(fine < 3 * 3.0 / 400); /* h w times the angle turned, 3 rad */
    }
}

/* ---- without a load ---------------------------------------------------------------------------------------------- */

/* What is left of two bodies of a centimetre that fall is rounding, and no residual: the joint bears nothing. */
TAUT_TEST(joints, small_bodies_fall_without_a_residual) {
    const double h = 1.0 / 60, mass = 1.5e-5;
    for (int turn = 0; turn < (backend == TAUT_BACKEND_CUDA ? 2 : 8); turn++) {
        taut_scene* scene = phys_empty_scene();
        taut_body handles[2];
        double axes[4], v[3];
        for (int i = 0; i < 2; i++) {
            phys_body body = {.mass = mass, .q = {1, 0, 0, 0}, .x = {0, 0.05, 0.01 * i}};
            taut_inertia_of_cylinder(mass, 0.001, 0.008, body.inertia);
            handles[i] = phys_add_body(scene, &body);
        }
        phys_turn((const double[]){1, turn, 2}, 0.3 + 0.4 * turn, axes);
        phys_add_joint(scene, TAUT_JOINT_HINGE, handles[0], handles[1], (const double[]){0, 0.05, 0.005}, axes);
        taut_world_def def = phys_world_def(backend, 1, 1);
        def.solver.tolerance = 1e-4;
        taut_world* world = phys_world(scene, &def);
        for (int i = 0; i < 5; i++) {
            taut_step_info info;
            CHECK_OK(taut_world_step(world, h));
            CHECK_OK(taut_world_info(world, &info));
            CHECK_INT(info.outcome, TAUT_SOLVE_CONVERGED);
        }
        phys_velocity(world, handles[1].point, v);
        CHECK_NEAR(v[1], -PHYS_GRAVITY * 5 * h, 1e-12);
        taut_world_destroy(world);
    }
}
