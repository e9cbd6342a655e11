/* Limits of joints, at which their motion stops, and motors, which keep up a speed. */
#include "phys_frames.h"
#include "refused.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define H (1.0 / 120)

static const double pi = 3.14159265358979323846;
static const double origin[3] = {0, 0, 0};

/* A scene of a body of 1 kg with the moments 0.01 kg m^2, on a joint with the world whose axis x is the world's z. */
typedef struct pivot {
    taut_scene* scene;
    taut_world* world;
    taut_body body;
    double axes[4];
    taut_body pair[2];
} pivot;

static pivot make_pivot(taut_joint_type type, const double v[3], const double w[3]) {
    pivot out = {.scene = phys_empty_scene()};
    phys_body body = {.mass = 1, .inertia = {0.01, 0.01, 0.01}, .q = {1, 0, 0, 0}};
    memcpy(body.v, v, sizeof body.v);
    memcpy(body.w, w, sizeof body.w);
    out.body = phys_add_body(out.scene, &body);
    out.pair[0] = TAUT_WORLD;
    out.pair[1] = out.body;
    phys_hinge_about_z(out.axes);
    phys_add_joint(out.scene, type, TAUT_WORLD, out.body, origin, out.axes);
    return out;
}

static taut_limits_def limits_of(const pivot* p, taut_joint_motion motion, const double* lower, const double* upper) {
    taut_limits_def def = taut_default_limits();
    def.motion = motion;
    def.count = 1;
    def.bodies = p->pair;
    def.orientations = p->axes;
    def.lower = lower;
    def.upper = upper;
    return def;
}

static taut_limit_batches limit(pivot* p, taut_joint_motion motion, double lower, double upper) {
    taut_limits_def def = limits_of(p, motion, motion == TAUT_MOTION_SWING ? NULL : &lower, &upper);
    taut_limit_batches out = {{0}, {0}};
    CHECK_OK(taut_scene_add_limits(p->scene, &def, &out));
    return out;
}

static void open_world(pivot* p, taut_backend_kind backend) {
    taut_world_def def = phys_world_def(backend, 1, 1);
    memset(def.gravity, 0, sizeof def.gravity);
    p->world = phys_world(p->scene, &def);
}

static phys_body now(const pivot* p) {
    phys_body body;
    phys_read_body(p->world, p->body, &body);
    return body;
}

static void spin(const pivot* p, double wx, double wy, double wz) {
    CHECK_OK(taut_world_write(p->world, TAUT_FIELD_ANGULAR_VELOCITIES, p->body.frame, 1, (const double[]){wx, wy, wz}));
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

/* Free within, held at each end, and let go of. */
TAUT_TEST(limits, hinge_between_two_stops) {
    pivot p = make_pivot(TAUT_JOINT_HINGE, origin, (const double[]){0, 0, 5});
    const taut_limit_batches batches = limit(&p, TAUT_MOTION_TURN, -0.5, 1.2);
    open_world(&p, backend);
    double lam;
    CHECK(phys_run(p.world, 20, H));
    CHECK_NEAR(phys_angle_about_z(now(&p).q), 5 * 20 * H, 1e-6);
    CHECK(phys_run(p.world, 20, H));
    CHECK_NEAR(phys_angle_about_z(now(&p).q), 1.2, 1e-6);
    CHECK_NEAR(now(&p).w[2], 0, 1e-6);
    CHECK_OK(taut_world_set_torques(p.world, p.body.frame, 1, (const double[]){0, 0, 0.3}));
    CHECK(phys_run(p.world, 20, H));
    CHECK_NEAR(phys_angle_about_z(now(&p).q), 1.2, 1e-6);
    phys_multipliers(p.world, batches.upper, 1, &lam);
    CHECK_NEAR(lam, -0.3, 1e-6);
    CHECK_OK(taut_world_set_torques(p.world, p.body.frame, 1, (const double[]){0, 0, -0.3}));
    CHECK(phys_run(p.world, 120, H));
    CHECK_NEAR(phys_angle_about_z(now(&p).q), -0.5, 1e-6);
    phys_multipliers(p.world, batches.lower, 1, &lam);
    CHECK_NEAR(lam, 0.3, 1e-6);
    taut_world_destroy(p.world);
}

TAUT_TEST(limits, slider_between_two_stops) {
    pivot p = make_pivot(TAUT_JOINT_SLIDER, (const double[]){0, 0, 2}, origin);
    limit(&p, TAUT_MOTION_SLIDE, -0.1, 0.2);
    open_world(&p, backend);
    CHECK(phys_run(p.world, 60, H));
    CHECK_NEAR(now(&p).x[2], 0.2, 1e-6);
    CHECK_OK(taut_world_set_forces(p.world, p.body.point, 1, (const double[]){0, 0, -3}));
    CHECK(phys_run(p.world, 120, H));
    CHECK_NEAR(now(&p).x[2], -0.1, 1e-6);
    taut_world_destroy(p.world);
}

/* The angle between the world's z and that of the body. */
static double swing_of(const double q[4]) {
    double z[3];
    phys_rotate(q, (const double[]){0, 0, 1}, z);
    return atan2(hypot(z[0], z[1]), z[2]);
}

/* What is left of q about z once the shortest turn from z to where z goes is undone. */
static double twist_of(const double q[4]) {
    double z[3], axis[3], back[4], left[4];
    const double up[3] = {0, 0, 1};
    phys_rotate(q, up, z);
    phys_cross(z, up, axis);
    phys_turn(phys_length(axis) > 0 ? axis : up, phys_length(axis) > 0 ? swing_of(q) : 0, back);
    phys_multiply(back, q, left);
    return phys_angle_about_z(left);
}

/* In every direction the axes part by no more than the limit, along which they are free. */
TAUT_TEST(limits, swing_of_a_ball_joint) {
    for (int i = 0; i < 8; i++) {
        const double towards = 2 * pi * i / 8 + 0.1;
        pivot p = make_pivot(TAUT_JOINT_BALL, origin, (const double[]){4 * cos(towards), 4 * sin(towards), 0});
        const taut_limit_batches batches = limit(&p, TAUT_MOTION_SWING, 0, 0.7);
        double lam, worst = 0;
        test_note("direction %d", i);
        open_world(&p, backend);
        for (int k = 0; k < 60 && phys_run(p.world, 1, H); k++) {
            worst = fmax(worst, swing_of(now(&p).q));
        }
        CHECK_NEAR(worst, 0.7, 1e-3);
        CHECK_NEAR(swing_of(now(&p).q), 0.7, 1e-4);
        const double torque[3] = {0.2 * cos(towards), 0.2 * sin(towards), 0};
        CHECK_OK(taut_world_set_torques(p.world, p.body.frame, 1, torque));
        CHECK(phys_run(p.world, 30, H));
        phys_multipliers(p.world, batches.upper, 1, &lam); /* of the cosine, which falls by sin(0.7) a rad */
        CHECK_NEAR(lam * sin(0.7), 0.2, 1e-4);
        CHECK_OK(taut_world_set_torques(p.world, p.body.frame, 1, origin));
        spin(&p, -3 * sin(towards), 3 * cos(towards), 0);
        const phys_body before = now(&p);
        CHECK(phys_run(p.world, 30, H));
        CHECK_NEAR(swing_of(now(&p).q), 0.7, 1e-3);
        CHECK(phys_angle_between(before.q, now(&p).q) > 0.3);
        taut_world_destroy(p.world);
    }
    test_note(NULL);
}

/* A soft one gives by its compliance times the torque. */
TAUT_TEST(limits, compliance_of_a_swing) {
    pivot p = make_pivot(TAUT_JOINT_BALL, origin, origin);
    const double most = 0.5;
    taut_limits_def def = limits_of(&p, TAUT_MOTION_SWING, NULL, &most);
    def.compliance = 0.02;
    def.damping = 0.2;
    CHECK_OK(taut_scene_add_limits(p.scene, &def, NULL));
    open_world(&p, backend);
    CHECK_OK(taut_world_set_torques(p.world, p.body.frame, 1, (const double[]){1, 0, 0}));
    CHECK(phys_run(p.world, 600, H));
    const double angle = swing_of(now(&p).q);
    CHECK_NEAR(angle, 0.52, 1.1e-3); /* the law of the cosine is that of the angle at the limit */
    CHECK_NEAR(cos(0.5) - cos(angle), 0.02 * sin(0.5) * sin(0.5) / sin(angle), 1e-6);
    taut_world_destroy(p.world);
}

/* At any swing the body turns about itself as far as the twist allows, and no farther. */
TAUT_TEST(limits, twist_at_any_swing) {
    const double swings[] = {0, 0.4, 1.2};
    for (int i = 0; i < 3; i++) {
        for (int sign = -1; sign <= 1; sign += 2) {
            pivot p = make_pivot(TAUT_JOINT_BALL, origin, origin);
            limit(&p, TAUT_MOTION_TWIST, -0.6, 0.9);
            test_note("swing %g, sign %d", swings[i], sign);
            open_world(&p, backend);
            double q[4], axis[3];
            phys_turn((const double[]){1, 1, 0}, swings[i], q);
            CHECK_OK(taut_world_write(p.world, TAUT_FIELD_ORIENTATIONS, p.body.frame, 1, q));
            for (int k = 0; k < 120; k++) { /* about its own z */
                phys_rotate(now(&p).q, (const double[]){0, 0, 3.0 * sign}, axis);
                spin(&p, axis[0], axis[1], axis[2]);
                CHECK(phys_run(p.world, 1, H));
                const double twist = twist_of(now(&p).q);
                CHECK(twist > -0.6 - 1e-3 && twist < 0.9 + 1e-3);
            }
            CHECK_NEAR(twist_of(now(&p).q), sign > 0 ? 0.9 : -0.6, 1e-3);
            taut_world_destroy(p.world);
        }
    }
    test_note(NULL);
}

/* What starts beyond a limit comes back within the closing time, not at once. */
TAUT_TEST(limits, begin_beyond) {
    pivot p = make_pivot(TAUT_JOINT_HINGE, origin, origin);
    limit(&p, TAUT_MOTION_TURN, -2, -0.3);
    open_world(&p, backend);
    double fastest = 0;
    for (int i = 0; i < 240 && phys_run(p.world, 1, H); i++) {
        fastest = fmax(fastest, fabs(now(&p).w[2]));
    }
    CHECK(phys_angle_about_z(now(&p).q) < -0.3 + 1e-6);
    CHECK(fastest < 0.3 / (2 * H));
    taut_world_destroy(p.world);
}

TAUT_TEST(limits, moved) {
    pivot p = make_pivot(TAUT_JOINT_HINGE, origin, (const double[]){0, 0, 2});
    const taut_limit_batches batches = limit(&p, TAUT_MOTION_TURN, -2, 0.3);
    open_world(&p, backend);
    CHECK(phys_run(p.world, 60, H));
    CHECK_NEAR(phys_angle_about_z(now(&p).q), 0.3, 1e-6);
    CHECK_OK(taut_world_set_rest_values(p.world, batches.upper, 0, 1, (const double[]){0.8}));
    spin(&p, 0, 0, 2);
    CHECK(phys_run(p.world, 60, H));
    CHECK_NEAR(phys_angle_about_z(now(&p).q), 0.8, 1e-6);
    taut_world_destroy(p.world);
}

/* Limits that run keep what they are. */
TAUT_TEST(limits, changes_are_checked) {
    pivot p = make_pivot(TAUT_JOINT_BALL, origin, origin);
    const taut_limit_batches swing = limit(&p, TAUT_MOTION_SWING, 0, 1);
    const double most = 5, least = -5, none = 0;
    open_world(&p, backend);
    INVALID(taut_world_set_rest_values(p.world, swing.upper, 0, 1, (const double[]){2}));
    INVALID(taut_world_set_bounds(p.world, swing.upper, 0, 1, &least, &most, NULL));
    CHECK_OK(taut_world_set_bounds(p.world, swing.upper, 0, 1, &none, &most, NULL));
    CHECK_OK(taut_world_set_rest_values(p.world, swing.upper, 0, 1, (const double[]){0.5}));
    taut_world_destroy(p.world);
}

/* ---- motors ------------------------------------------------------------------------------------------------------ */

static taut_motors_def motor_of(const pivot* p, taut_joint_motion motion, const double* speed, double max_force) {
    taut_motors_def def = taut_default_motors();
    def.motion = motion;
    def.count = 1;
    def.bodies = p->pair;
    def.orientations = p->axes;
    def.speeds = speed;
    def.max_force = max_force;
    return def;
}

/* It speeds up with its largest torque, keeps the speed, and stops where a torque is greater. */
TAUT_TEST(motors, turn) {
    const double speed = 8;
    pivot p = make_pivot(TAUT_JOINT_HINGE, origin, origin);
    const taut_motors_def def = motor_of(&p, TAUT_MOTION_TURN, &speed, 0.05);
    taut_batch motor;
    double lam;
    CHECK_OK(taut_scene_add_motors(p.scene, &def, &motor));
    open_world(&p, backend);
    CHECK(phys_run(p.world, 60, H));
    CHECK_NEAR(now(&p).w[2], 5 * 60 * H, 1e-6);
    phys_multipliers(p.world, motor, 1, &lam);
    CHECK_NEAR(lam, 0.05, 1e-9);
    CHECK(phys_run(p.world, 240, H));
    CHECK_NEAR(now(&p).w[2], 8, 1e-6);
    phys_multipliers(p.world, motor, 1, &lam);
    CHECK_NEAR(lam, 0, 1e-6);
    CHECK_OK(taut_world_set_torques(p.world, p.body.frame, 1, (const double[]){0, 0, -0.03}));
    CHECK(phys_run(p.world, 60, H));
    CHECK_NEAR(now(&p).w[2], 8, 1e-6);
    phys_multipliers(p.world, motor, 1, &lam);
    CHECK_NEAR(lam, 0.03, 1e-6);
    CHECK_OK(taut_world_set_torques(p.world, p.body.frame, 1, (const double[]){0, 0, -0.07}));
    CHECK(phys_run(p.world, 60, H));
    CHECK_NEAR(now(&p).w[2], 8 - 2 * 60 * H, 1e-6);
    CHECK_OK(taut_world_set_torques(p.world, p.body.frame, 1, origin));
    CHECK_OK(taut_world_set_rest_values(p.world, motor, 0, 1, (const double[]){-1}));
    CHECK(phys_run(p.world, 240, H));
    CHECK_NEAR(now(&p).w[2], -1, 1e-6);
    taut_world_destroy(p.world);
}

/* One with slip loses speed by it times the torque. */
TAUT_TEST(motors, slip) {
    const double speed = 8;
    pivot p = make_pivot(TAUT_JOINT_HINGE, origin, origin);
    taut_motors_def def = motor_of(&p, TAUT_MOTION_TURN, &speed, INFINITY);
    def.slip = 50;
    CHECK_OK(taut_scene_add_motors(p.scene, &def, NULL));
    open_world(&p, backend);
    CHECK_OK(taut_world_set_torques(p.world, p.body.frame, 1, (const double[]){0, 0, -0.02}));
    CHECK(phys_run(p.world, 1200, H));
    CHECK_NEAR(now(&p).w[2], 7, 1e-4);
    taut_world_destroy(p.world);
}

/* The work of a motor is what it has made of motion and lost to its slipping. */
TAUT_TEST(motors, slide_and_its_work) {
    const double speed = 1.5;
    pivot p = make_pivot(TAUT_JOINT_SLIDER, origin, origin);
    const taut_motors_def def = motor_of(&p, TAUT_MOTION_SLIDE, &speed, 4);
    taut_step_info info;
    double work = 0, lost = 0;
    CHECK_OK(taut_scene_add_motors(p.scene, &def, NULL));
    open_world(&p, backend);
    for (int i = 0; i < 120 && phys_run(p.world, 1, H); i++) {
        CHECK_OK(taut_world_info(p.world, &info));
        work += info.work_drives;
        lost += info.dissipated;
    }
    CHECK_NEAR(now(&p).v[2], 1.5, 1e-6);
    CHECK_NEAR(now(&p).x[2], 1.5 - 1.5 * 1.5 / 8, 0.02);
    CHECK_NEAR(info.kinetic, 1.125, 1e-6);
    CHECK_NEAR(work, 2.25, 0.01); /* 4 N at 1.5 m/s for 0.375 s */
    CHECK_NEAR(work - lost, 1.125, 0.02);
    taut_world_destroy(p.world);
}

/* The axis of a motor goes with the bodies: a wheel on a carriage that turns about the world's x. */
TAUT_TEST(motors, on_what_turns) {
    taut_scene* scene = phys_empty_scene();
    const phys_body carriage = {.mass = 50, .inertia = {9, 9, 9}, .q = {1, 0, 0, 0}, .w = {2, 0, 0}};
    const phys_body wheel = {.mass = 1, .inertia = {0.01, 0.01, 0.01}, .q = {1, 0, 0, 0}, .w = {2, 0, 0}};
    const taut_body pair[2] = {phys_add_body(scene, &carriage), phys_add_body(scene, &wheel)};
    double axes[4];
    phys_hinge_about_z(axes);
    phys_add_joint(scene, TAUT_JOINT_HINGE, pair[0], pair[1], origin, axes);
    taut_motors_def def = taut_default_motors();
    def.count = 1;
    def.bodies = pair;
    def.orientations = axes;
    def.speeds = (const double[]){30};
    CHECK_OK(taut_scene_add_motors(scene, &def, NULL));
    taut_world_def world_def = phys_world_def(backend, 1, 1);
    memset(world_def.gravity, 0, sizeof world_def.gravity);
    taut_world* world = phys_world(scene, &world_def);
    for (int i = 0; i < 120 && phys_run(world, 1, H); i++) {
        phys_body a, b;
        double axis[3];
        phys_read_body(world, pair[0], &a);
        phys_read_body(world, pair[1], &b);
        phys_rotate(a.q, (const double[]){0, 0, 1}, axis);
        const double relative[3] = {b.w[0] - a.w[0], b.w[1] - a.w[1], b.w[2] - a.w[2]};
        CHECK_NEAR(phys_dot(axis, relative), 30, 0.3);
    }
    taut_world_destroy(world);
}

/* ---- what is refused --------------------------------------------------------------------------------------------- */

TAUT_PLAIN_TEST(limits, refused) {
    pivot p = make_pivot(TAUT_JOINT_BALL, origin, origin);
    const double low = -1, high = 1, wide = 4, none = NAN;
    const struct {
        taut_joint_motion motion;
        const double *lower, *upper;
        const char* says;
    } cases[] = {
        {TAUT_MOTION_TURN, NULL, NULL, "limits: lower and upper are NULL; give one of them or both."},
        {TAUT_MOTION_TURN, &high, &low, "limits: lower[0] is 1, above upper[0], which is -1."},
        {TAUT_MOTION_TURN, &none, NULL, "limits: lower[0] is nan rad; a turn is at most"},
        {TAUT_MOTION_SWING, &low, &high, "limits: a swing has an upper limit alone; lower must be NULL."},
        {TAUT_MOTION_SWING, NULL, &low, "limits: upper[0] is -1 rad; that of a swing must lie above 0 and below pi."},
        {TAUT_MOTION_TWIST, NULL, &wide, "limits: upper[0] is 4 rad; a twist is at most 3.14159."},
        {TAUT_MOTION_COUNT, NULL, &high, "limits: motion 4 does not exist."},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const taut_limits_def def = limits_of(&p, cases[i].motion, cases[i].lower, cases[i].upper);
        INVALID(taut_scene_add_limits(p.scene, &def, NULL));
        CHECK(strstr(taut_last_error(), cases[i].says) != NULL);
    }
    taut_limits_def same = limits_of(&p, TAUT_MOTION_TURN, &low, &high);
    const taut_body twice[2] = {p.body, p.body};
    same.bodies = twice;
    INVALID(taut_scene_add_limits(p.scene, &same, NULL));
    CHECK(strstr(taut_last_error(), "limits[0]: the two bodies are the same.") != NULL);
    taut_motors_def motor = motor_of(&p, TAUT_MOTION_TWIST, &high, 1);
    INVALID(taut_scene_add_motors(p.scene, &motor, NULL));
    CHECK(strstr(taut_last_error(), "motors: the motion must be a turn or a slide.") != NULL);
    motor = motor_of(&p, TAUT_MOTION_TURN, &high, 0);
    INVALID(taut_scene_add_motors(p.scene, &motor, NULL));
    CHECK(strstr(taut_last_error(), "motors: max_force is 0; it must be > 0.") != NULL);
    motor = motor_of(&p, TAUT_MOTION_TURN, &none, 1);
    INVALID(taut_scene_add_motors(p.scene, &motor, NULL));
    CHECK(strstr(taut_last_error(), "motors: speed[0] is nan; at most 1e+09 is allowed.") != NULL);
    taut_scene_destroy(p.scene);
}
