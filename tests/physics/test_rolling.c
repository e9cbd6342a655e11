/* Rows of velocities: rolling without slip, gears, motors; against closed forms and a minimal coordinate. */
#include "phys_frames.h"
#include "refused.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RADIUS 0.3 /* m */
#define SLOPE  0.4 /* rad */

/* The plane falls towards +x by SLOPE about z; its normal, and the way down. */
static const double normal[3] = {0.38941834230865050, 0.92106099400288508, 0};
static const double down[3] = {0.92106099400288508, -0.38941834230865050, 0};
static const double along_z[3] = {0, 0, 1};

/* ---- scenes --------------------------------------------------------------------------------------------------------
 */

/* (v - radius omega x n).t = 0 of a point on the axle and a frame: the lowest point of the wheel does not move along t.
 */
static taut_batch add_rolling(taut_scene* scene, uint32_t axle, uint32_t frame, const double t[3], double radius) {
    double arm[3];
    uint32_t coordinates[6];
    double weights[6];
    phys_cross(normal, t, arm);
    for (uint32_t a = 0; a < 3; a++) {
        coordinates[a] = 3 * axle + a;
        weights[a] = t[a];
        coordinates[3 + a] = TAUT_ROTATION_OF(frame, a);
        weights[3 + a] = -radius * arm[a];
    }
    taut_linear_def def = taut_default_linear();
    taut_batch batch = {0};
    def.count = 1;
    def.offsets = (const size_t[]){0, 6};
    def.coordinates = coordinates;
    def.weights = weights;
    def.of_velocities = true;
    CHECK_OK(taut_scene_add_linear(scene, &def, &batch));
    return batch;
}

/* The point keeps its distance from the plane. */
static taut_batch add_plane(taut_scene* scene, uint32_t point) {
    taut_linear_def def = taut_default_linear();
    taut_batch batch = {0};
    def.count = 1;
    def.offsets = (const size_t[]){0, 3};
    def.coordinates = (const uint32_t[]){3 * point, 3 * point + 1, 3 * point + 2};
    def.weights = normal;
    CHECK_OK(taut_scene_add_linear(scene, &def, &batch));
    return batch;
}

/* A row for one angular velocity of a frame. */
static taut_batch add_motor(taut_scene* scene, uint32_t frame, double speed, double compliance, double damping) {
    taut_linear_def def = taut_default_linear();
    taut_batch batch = {0};
    def.count = 1;
    def.offsets = (const size_t[]){0, 1};
    def.coordinates = (const uint32_t[]){TAUT_ROTATION_OF(frame, 2)};
    def.weights = (const double[]){1};
    def.rest_values = &speed;
    def.of_velocities = true;
    def.compliance = compliance;
    def.damping = damping;
    CHECK_OK(taut_scene_add_linear(scene, &def, &batch));
    return batch;
}

/* Moments about the body's axes. */
static phys_body make_wheel(double mass, double across, double moment) {
    return (phys_body){.mass = mass, .inertia = {across, across, moment}, .q = {1, 0, 0, 0}};
}

typedef struct named_scheme {
    const char* name;
    taut_preset preset;
    uint32_t newton;
    bool two_stage;
    int order;
    bool conserves;
} named_scheme;

static const named_scheme schemes[] = {
    {"implicit Euler", TAUT_PRESET_IMPLICIT_EULER, 1, false, 1, false},
    {"implicit Euler, Newton", TAUT_PRESET_IMPLICIT_EULER, 20, false, 1, false},
    {"momentum", TAUT_PRESET_MOMENTUM, 1, false, 1, false},
    {"midpoint", TAUT_PRESET_MIDPOINT, 1, false, 2, true},
    {"midpoint, Newton", TAUT_PRESET_MIDPOINT, 20, false, 2, true},
    {"midpoint in two stages", TAUT_PRESET_MIDPOINT, 20, true, 2, true},
    {"accelerations", TAUT_PRESET_BAUMGARTE, 1, false, 1, false},
    {"accelerations, RK4", TAUT_PRESET_BAUMGARTE_RK4, 1, false, 4, true},
};
#define SCHEMES (sizeof schemes / sizeof schemes[0])

static taut_world* make_world(taut_backend_kind backend, taut_scene* scene, const named_scheme* scheme) {
    taut_world_def def = phys_world_def(backend, 1, 1);
    def.integrator = phys_preset(scheme->preset);
    def.integrator.newton = scheme->newton;
    def.integrator.newton_tolerance = 1e-11;
    def.integrator.two_stage = scheme->two_stage;
    return phys_world(scene, &def);
}

static double total_energy(taut_world* world) {
    taut_step_info info;
    CHECK_OK(taut_world_info(world, &info));
    return info.kinetic + info.potential;
}

/* ---- a wheel and a ball on a slope ---------------------------------------------------------------------------------
 */

/* Rolls from rest with the constant acceleration g sin(slope) / (1 + I / m r^2). */
static void check_wheel(taut_backend_kind backend, const named_scheme* scheme) {
    const double mass = 2, moment = 0.1, h = 0.01, duration = 0.5;
    taut_scene* scene = phys_empty_scene();
    const phys_body wheel = make_wheel(mass, 0.06, moment);
    const taut_body handle = phys_add_body(scene, &wheel);
    const taut_batch plane = add_plane(scene, handle.point);
    const taut_batch slip = add_rolling(scene, handle.point, handle.frame, down, RADIUS);
    add_rolling(scene, handle.point, handle.frame, along_z, RADIUS);
    taut_world* world = make_world(backend, scene, scheme);
    const double start = total_energy(world);
    phys_run(world, (size_t)lround(duration / h), h);

    const double a = PHYS_GRAVITY * sin(SLOPE) / (1 + moment / (mass * RADIUS * RADIUS));
    phys_body end;
    phys_read_body(world, handle, &end);
    const double way = phys_dot(end.x, down), exact = a * duration * duration / 2;
    const double change = (total_energy(world) - start) / (mass / 2 * a * a * duration * duration);
    test_note("%s: way %.12g of %.12g m, energy %+.2g", scheme->name, way, exact, change);
    CHECK_NEAR(phys_dot(end.v, down), a * duration, 1e-7);
    CHECK_NEAR(RADIUS * end.w[2], -a * duration, 1e-7);
    CHECK_NEAR(phys_dot(end.x, normal), 0, 1e-7);
    /* x' = x + h v' is ahead by a h t / 2. */
    CHECK_NEAR(way, exact + (scheme->order == 1 ? a * h * duration / 2 : 0), 1e-7);
    if (scheme->conserves) {
        CHECK_NEAR(change, 0, 1e-7);
    }
    CHECK_NEAR(phys_multiplier(world, plane, 0), mass * PHYS_GRAVITY * cos(SLOPE), 1e-5);
    CHECK_NEAR(phys_multiplier(world, slip, 0), -moment / (RADIUS * RADIUS) * a, 1e-5);
    taut_world_destroy(world);
}

TAUT_TEST(rolling, wheel_down_a_slope) {
    for (size_t i = 0; i < SCHEMES; i++) {
        check_wheel(backend, &schemes[i]);
    }
}

/* A ball that sets out across the slope rolls along a parabola; its spin about the normal does not matter. */
TAUT_TEST(rolling, ball_across_a_slope) {
    const double mass = 1.5, moment = 0.4 * mass * RADIUS * RADIUS, h = 0.01, duration = 0.5;
    phys_body ball = make_wheel(mass, moment, moment);
    taut_scene* scene = phys_empty_scene();
    ball.v[2] = 1.2;
    double spin[3];
    phys_cross(normal, ball.v, spin);
    phys_add(1 / RADIUS, spin, ball.w); /* omega = n x v / r */
    phys_add(5, normal, ball.w);
    const taut_body handle = phys_add_body(scene, &ball);
    add_plane(scene, handle.point);
    add_rolling(scene, handle.point, handle.frame, down, RADIUS);
    add_rolling(scene, handle.point, handle.frame, along_z, RADIUS);
    taut_world* world = make_world(backend, scene, &schemes[4]);
    phys_run(world, (size_t)lround(duration / h), h);
    phys_body end;
    phys_read_body(world, handle, &end);
    const double a = PHYS_GRAVITY * sin(SLOPE) * 5 / 7;
    CHECK_NEAR(phys_dot(end.x, down), a * duration * duration / 2, 1e-7);
    CHECK_NEAR(end.x[2], ball.v[2] * duration, 1e-7);
    CHECK_NEAR(phys_dot(end.w, normal), 5, 1e-7);
    taut_world_destroy(world);
}

/* ---- a wheel with its mass off the axle ----------------------------------------------------------------------------
 * *
 *
 * Turned by theta, clockwise as seen from +z; p is theta + the angle of the mass from the normal at the start:
 *     (I + m (r^2 + e^2 + 2 r e cos p)) theta'' - m r e sin p theta'^2 = m g (r sin a + e sin(p + a))
 * a the slope: the mass stands e cos p above the axle along n, and e sin p ahead of it along the way down. */
#define WHEEL_MASS   1.0
#define WHEEL_MOMENT 0.02
#define OFFSET       0.15

static void eccentric_rate(const void* system, const double* y, double* rate) {
    (void)system;
    const double p = y[0], w = y[1];
    const double inertia =
        WHEEL_MOMENT + WHEEL_MASS * (RADIUS * RADIUS + OFFSET * OFFSET + 2 * RADIUS * OFFSET * cos(p));
    const double torque = WHEEL_MASS * PHYS_GRAVITY * (RADIUS * sin(SLOPE) + OFFSET * sin(p + SLOPE)) +
                          WHEEL_MASS * RADIUS * OFFSET * sin(p) * w * w;
    rate[0] = w;
    rate[1] = torque / inertia;
}

typedef struct eccentric_end {
    double angle_error, energy; /* rad; change relative to the kinetic energy at the end */
} eccentric_end;

static eccentric_end roll_eccentric(taut_backend_kind backend, const named_scheme* scheme, double h) {
    const double duration = 0.6, begin = 0.5;
    double y[2] = {begin, 0}, axle[3] = {0, 0, 0};
    taut_scene* scene = phys_empty_scene();
    phys_body wheel = make_wheel(WHEEL_MASS, WHEEL_MOMENT, WHEEL_MOMENT);
    phys_add(OFFSET * cos(begin), normal, wheel.x);
    phys_add(OFFSET * sin(begin), down, wheel.x);
    const taut_body handle = phys_add_body(scene, &wheel);
    const uint32_t centre = phys_add_body_point(scene, handle, axle);
    add_plane(scene, centre);
    add_rolling(scene, centre, handle.frame, down, RADIUS);
    /* It stays upright: no turn but about z, no motion along z. */
    const uint32_t held[3] = {3 * handle.point + 2, TAUT_ROTATION_OF(handle.frame, 0),
                              TAUT_ROTATION_OF(handle.frame, 1)};
    taut_linear_def def = taut_default_linear();
    def.count = 3;
    def.offsets = (const size_t[]){0, 1, 2, 3};
    def.coordinates = held;
    def.weights = (const double[]){1, 1, 1};
    def.of_velocities = true;
    CHECK_OK(taut_scene_add_linear(scene, &def, NULL));
    taut_world* world = make_world(backend, scene, scheme);
    const double start = total_energy(world);
    phys_run(world, (size_t)lround(duration / h), h);
    phys_rk4(eccentric_rate, NULL, 2, y, duration, 4000);

    phys_body end;
    taut_step_info info;
    phys_read_body(world, handle, &end);
    CHECK_OK(taut_world_info(world, &info));
    const double turned = phys_angle_about_z(end.q);
    const eccentric_end out = {phys_angle_difference(-turned, y[0] - begin),
                               (info.kinetic + info.potential - start) / info.kinetic};
    taut_world_destroy(world);
    return out;
}

static void check_eccentric(taut_backend_kind backend, const named_scheme* scheme) {
    const double h = 0.6 / 150;
    const eccentric_end coarse = roll_eccentric(backend, scheme, h), fine = roll_eccentric(backend, scheme, h / 2);
    const double order = phys_order(fabs(coarse.angle_error), fabs(fine.angle_error));
    test_note("%s: errors %.3g and %.3g rad, order %.2f, energy %+.2g and %+.2g", scheme->name, coarse.angle_error,
              fine.angle_error, order, coarse.energy, fine.energy);
    /* The row's arm turns with the wheel: one linearisation has that of the start, and is of first order. */
    const int expected = scheme->newton == 1 && scheme->order == 2 ? 1 : scheme->order;
    if (expected < 4) { /* that one ends at the rounding of the maps */
        CHECK_NEAR(order, expected, 0.2);
    }
    CHECK(fabs(fine.angle_error) < (expected == 1 ? 2e-2 : expected == 2 ? 2e-4 : 1e-7));
    CHECK(fabs(fine.energy) < (expected == 1 ? 5e-2 : expected == 2 ? 2e-4 : 1e-7));
}

TAUT_TEST(rolling, eccentric_wheel) {
    for (size_t i = 0; i < SCHEMES; i++) {
        check_eccentric(backend, &schemes[i]);
    }
}

/* ---- gears and motors ----------------------------------------------------------------------------------------------
 */

/* Two wheels on hinges whose rims meet: r1 w1 + r2 w2 = 0. */
TAUT_TEST(rolling, gears) {
    const double moments[2] = {0.02, 0.3}, radii[2] = {0.1, 0.25}, torque = 0.7, h = 0.01, duration = 0.4;
    taut_scene* scene = phys_empty_scene();
    taut_body wheels[2];
    double axes[4];
    phys_hinge_about_z(axes);
    for (int i = 0; i < 2; i++) {
        phys_body wheel = make_wheel(1, 0.1, moments[i]);
        wheel.x[0] = i == 0 ? 0 : radii[0] + radii[1];
        wheels[i] = phys_add_body(scene, &wheel);
        phys_add_joint(scene, TAUT_JOINT_HINGE, TAUT_WORLD, wheels[i], wheel.x, axes);
    }
    taut_linear_def def = taut_default_linear();
    taut_batch mesh;
    def.count = 1;
    def.offsets = (const size_t[]){0, 2};
    def.coordinates = (const uint32_t[]){TAUT_ROTATION_OF(wheels[0].frame, 2), TAUT_ROTATION_OF(wheels[1].frame, 2)};
    def.weights = radii;
    def.of_velocities = true;
    CHECK_OK(taut_scene_add_linear(scene, &def, &mesh));
    taut_world* world = make_world(backend, scene, &schemes[3]);
    CHECK_OK(taut_world_set_torques(world, wheels[0].frame, 1, (const double[]){0, 0, torque}));
    phys_run(world, (size_t)lround(duration / h), h);
    const double ratio = radii[0] / radii[1];
    const double rate = torque / (moments[0] + moments[1] * ratio * ratio);
    phys_body first, second;
    phys_read_body(world, wheels[0], &first);
    phys_read_body(world, wheels[1], &second);
    CHECK_NEAR(first.w[2], rate * duration, 1e-6);
    CHECK_NEAR(second.w[2], -rate * ratio * duration, 1e-6);
    CHECK_NEAR(phys_angle_about_z(first.q), rate * duration * duration / 2, 1e-6);
    /* The force between the teeth drives the second wheel. */
    CHECK_NEAR(phys_multiplier(world, mesh, 0), -moments[1] * rate * ratio / radii[1], 1e-5);
    taut_world_destroy(world);
}

static taut_world* make_flywheel(taut_backend_kind backend, const named_scheme* scheme, double speed, double compliance,
                                 double damping, taut_body* handle, taut_batch* motor) {
    taut_scene* scene = phys_empty_scene();
    const phys_body wheel = make_wheel(1, 0.1, 0.5);
    *handle = phys_add_body(scene, &wheel);
    *motor = add_motor(scene, handle->frame, speed, compliance, damping);
    taut_world_def def = phys_world_def(backend, 1, 1);
    def.gravity[0] = def.gravity[1] = def.gravity[2] = 0;
    def.integrator = phys_preset(scheme->preset);
    def.integrator.newton = scheme->newton;
    def.integrator.newton_tolerance = 1e-11;
    def.integrator.two_stage = scheme->two_stage;
    return phys_world(scene, &def);
}

/* A hard row has its speed after one step where the scheme is implicit, and takes a new one. */
TAUT_TEST(rolling, motor) {
    for (size_t i = 0; i < 3; i++) {
        taut_body handle;
        taut_batch motor;
        taut_step_info info;
        taut_world* world = make_flywheel(backend, &schemes[i], 3, 0, 0, &handle, &motor);
        const double speeds[2] = {3, -1};
        for (int k = 0; k < 2; k++) {
            phys_body wheel;
            CHECK_OK(taut_world_set_rest_values(world, motor, 0, 1, &speeds[k]));
            phys_run(world, 1, 0.01);
            phys_read_body(world, handle, &wheel);
            CHECK_NEAR(wheel.w[2], speeds[k], 1e-6);
            CHECK_NEAR(phys_multiplier(world, motor, 0), 0.5 * (speeds[k] - (k == 0 ? 0 : speeds[0])) / 0.01, 1e-4);
            CHECK_OK(taut_world_info(world, &info));
            CHECK_NEAR(info.max_violation[TAUT_LINEAR], 0, 1e-12);
        }
        /* It worked with its own speed against the force of the step. */
        CHECK_NEAR(info.work_drives, 0.5 * (-1 - 3) * -1, 1e-5);
        taut_world_destroy(world);
    }
}

/* A soft one resists with the coefficient d / c: w = s (1 - exp(-t d / (c I))). */
static double motor_error(taut_backend_kind backend, const named_scheme* scheme, double h) {
    const double speed = 3, compliance = 0.4, damping = 0.8, duration = 0.4;
    taut_body handle;
    taut_batch motor;
    phys_body wheel;
    taut_world* world = make_flywheel(backend, scheme, speed, compliance, damping, &handle, &motor);
    phys_run(world, (size_t)lround(duration / h), h);
    phys_read_body(world, handle, &wheel);
    taut_world_destroy(world);
    return fabs(wheel.w[2] - speed * (1 - exp(-duration * damping / (compliance * 0.5))));
}

TAUT_TEST(rolling, soft_motor) {
    for (size_t i = 0; i < SCHEMES; i++) {
        const double coarse = motor_error(backend, &schemes[i], 0.02), fine = motor_error(backend, &schemes[i], 0.01);
        test_note("%s: errors %.3g and %.3g rad/s", schemes[i].name, coarse, fine);
        CHECK_NEAR(phys_order(coarse, fine), schemes[i].order, 0.15);
    }
}

/* Without a damping time there is no force in it. */
TAUT_TEST(rolling, soft_motor_without_damping) {
    taut_body handle;
    taut_batch motor;
    phys_body wheel;
    for (size_t i = 0; i < SCHEMES; i++) {
        taut_world* world = make_flywheel(backend, &schemes[i], 3, 0.4, 0, &handle, &motor);
        phys_run(world, 3, 0.01);
        phys_read_body(world, handle, &wheel);
        CHECK_NEAR(wheel.w[2], 0, 0);
        taut_world_destroy(world);
    }
}

/* Projections bring velocities onto the rows, and leave positions to the others. */
TAUT_TEST(rolling, projections) {
    const phys_body wheel = {
        .mass = 2, .inertia = {0.06, 0.06, 0.1}, .q = {1, 0, 0, 0}, .v = {1, 0.3, 0.2}, .w = {0, 0, 2}};
    taut_scene* scene = phys_empty_scene();
    const taut_body handle = phys_add_body(scene, &wheel);
    add_plane(scene, handle.point);
    add_rolling(scene, handle.point, handle.frame, down, RADIUS);
    taut_world* world = make_world(backend, scene, &schemes[0]);
    phys_body now;
    CHECK_OK(taut_world_project_velocities(world));
    phys_read_body(world, handle, &now);
    CHECK_NEAR(phys_dot(now.v, down) + RADIUS * now.w[2], 0, 1e-7);
    CHECK_NEAR(phys_dot(now.v, normal), 0, 1e-7);
    /* The momentum that has no part in the rows: I v / r - m ... along the way of rolling. */
    CHECK_NEAR(2 * phys_dot(now.v, down) - 0.1 / RADIUS * now.w[2],
               2 * phys_dot(wheel.v, down) - 0.1 / RADIUS * wheel.w[2], 1e-6);
    double worst = 1, place[3] = {0.2, 0.1, 0};
    CHECK_OK(taut_world_write(world, TAUT_FIELD_POSITIONS, handle.point, 1, place));
    CHECK_OK(taut_world_project_positions(world, 5, 1e-9, &worst));
    CHECK(worst <= 1e-9);
    phys_read_body(world, handle, &now);
    CHECK_NEAR(phys_dot(now.x, down), phys_dot(place, down), 1e-7);
    CHECK_NEAR(phys_angle_between(now.q, wheel.q), 0, 1e-12);
    taut_world_destroy(world);
}

TAUT_PLAIN_TEST(rolling, refused) {
    taut_scene* scene = phys_empty_scene();
    const phys_body wheel = make_wheel(1, 0.1, 0.1);
    const taut_body handle = phys_add_body(scene, &wheel);
    uint32_t coordinate = TAUT_ROTATION_OF(handle.frame, 1);
    taut_linear_def def = taut_default_linear();
    taut_batch batch;
    def.count = 1;
    def.offsets = (const size_t[]){0, 1};
    def.coordinates = &coordinate;
    def.weights = (const double[]){1};
    INVALID(taut_scene_add_linear(scene, &def, NULL));
    def.of_velocities = true;
    coordinate = TAUT_ROTATION_OF(handle.frame + 1, 1);
    INVALID(taut_scene_add_linear(scene, &def, NULL));
    coordinate = TAUT_ROTATION_OF(handle.frame, 1);
    def.compliance = 1;
    CHECK_OK(taut_scene_add_linear(scene, &def, &batch));
    INVALID(taut_scene_use_as_forces(scene, batch));
    taut_scene_destroy(scene);
}
