/* Linkages against closed forms and minimal coordinates: pendulums, drives, a heavy load on light bars. */
#include "phys_pendulums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const phys_scheme* const schemes[] = {&phys_implicit_euler, &phys_midpoint};

/* ---- a box that swings ------------------------------------------------------------------------------------------- */

#define SIDE_X 0.2
#define SIDE_Y 1.0
#define ARM    (SIDE_Y / 2) /* from the pivot, in the middle of one side, to the centre of mass */

/* (I + m a^2)/(m a): length of the simple pendulum that swings alike. */
static double reduced_length(void) {
    return ((SIDE_X * SIDE_X + SIDE_Y * SIDE_Y) / 12 + ARM * ARM) / ARM;
}

static void swing_rate(const void* length, const double* y, double* rate) {
    rate[0] = y[1];
    rate[1] = -PHYS_GRAVITY / *(const double*)length * sin(y[0]);
}

/* Hung at the origin at 90 degrees, at rest. */
static taut_world* make_box_pendulum(taut_backend_kind backend, const phys_scheme* scheme, taut_joint_type type,
                                     taut_body* handle) {
    phys_body box = {.mass = 3, .x = {ARM, 0, 0}};
    double axes[4];
    taut_inertia_of_box(box.mass, (const double[]){SIDE_X, SIDE_Y, 0.3}, box.inertia);
    phys_turn((const double[]){0, 0, 1}, PHYS_PI / 2, box.q);
    phys_hinge_about_z(axes);
    taut_scene* scene = phys_empty_scene();
    *handle = phys_add_body(scene, &box);
    phys_add_joint(scene, type, TAUT_WORLD, *handle, (const double[]){0, 0, 0}, axes);
    test_note("joint %d, alpha %g", (int)type, scheme->alpha);
    return phys_scheme_world(backend, scene, scheme, false);
}

/* Largest distance of the centre of mass from the exact motion in 1.2 s, over the arm. */
static double box_error(taut_backend_kind backend, const phys_scheme* scheme, taut_joint_type type, double h) {
    taut_body handle;
    phys_body box;
    const double length = reduced_length();
    double y[2] = {PHYS_PI / 2, 0}, worst = 0;
    taut_world* world = make_box_pendulum(backend, scheme, type, &handle);
    for (int i = 0; i < lround(1.2 / h) && phys_run(world, 1, h); i++) {
        phys_rk4(swing_rate, &length, 2, y, h, 4);
        phys_read_body(world, handle, &box);
        worst = phys_worse(worst, phys_apart(box.x, (const double[]){ARM * sin(y[0]), -ARM * cos(y[0]), 0}) / ARM);
    }
    /* The body turns with its centre. */
    CHECK_NEAR(phys_angle_difference(phys_angle_about_z(box.q), atan2(box.x[0], -box.x[1])), 0, worst);
    taut_world_destroy(world);
    return worst;
}

/* Time between the first and the third passage through the lowest point: one period. */
static double box_period(taut_backend_kind backend, const phys_scheme* scheme, taut_joint_type type, double h) {
    taut_body handle;
    taut_world* world = make_box_pendulum(backend, scheme, type, &handle);
    double last = ARM, crossings[3] = {0, 0, 0};
    int found = 0;
    for (int i = 1; found < 3 && i * h < 6 && phys_run(world, 1, h); i++) {
        double x[3];
        phys_position(world, handle.point, x);
        if ((x[0] < 0) != (last < 0)) {
            crossings[found++] = (i - x[0] / (x[0] - last)) * h;
        }
        last = x[0];
    }
    CHECK_INT(found, 3);
    taut_world_destroy(world);
    return crossings[2] - crossings[0];
}

static void check_box(taut_backend_kind backend, taut_joint_type type) {
    const double period = phys_swing_period(PHYS_PI / 2, reduced_length());
    for (int i = 0; i < 2; i++) {
        const double coarse = box_error(backend, schemes[i], type, 1.0 / 480);
        const double fine = box_error(backend, schemes[i], type, 1.0 / 960);
        test_note("joint %d, alpha %g: errors %.3g and %.3g", (int)type, schemes[i]->alpha, coarse, fine);
        phys_check_order(coarse, fine, schemes[i]->order);
        const double measured = box_period(backend, schemes[i], type, 1.0 / 960);
        test_note("joint %d, alpha %g", (int)type, schemes[i]->alpha);
        CHECK_NEAR(measured, period, i == 0 ? 2e-2 : 2e-4);
    }
}

TAUT_PLAIN_TEST(linkages, pendulum_period_formula) {
    double y[2] = {PHYS_PI / 2, 0};
    const double length = 1, period = phys_swing_period(PHYS_PI / 2, 1);
    CHECK_NEAR(period, 2.36784, 5e-6);
    phys_rk4(swing_rate, &length, 2, y, period, 4000);
    CHECK_NEAR(y[0], PHYS_PI / 2, 1e-10);
}

TAUT_TEST(linkages, box_on_a_hinge) {
    check_box(backend, TAUT_JOINT_HINGE);
}

TAUT_TEST(linkages, box_on_a_ball_joint) {
    check_box(backend, TAUT_JOINT_BALL);
}

/* ---- three bars in a plane --------------------------------------------------------------------------------------- */

#define BARS 3

/* Largest error of an angle after half a second, rad. */
static double bars_error(taut_backend_kind backend, const phys_scheme* scheme, double h) {
    const phys_links links = phys_bar_links();
    taut_body handles[BARS];
    double y[2 * BARS], worst = 0;
    phys_links_after(&links, phys_first_angles, 0.5, y);
    taut_scene* scene = phys_hang_bars(&links, TAUT_JOINT_HINGE, handles);
    taut_world* world = phys_scheme_world(backend, scene, scheme, false);
    phys_run(world, (size_t)lround(0.5 / h), h);
    for (int i = 0; i < BARS; i++) {
        phys_body bar;
        phys_read_body(world, handles[i], &bar);
        const double angle = phys_angle_about_z(bar.q) + PHYS_PI / 2; /* x of a bar is along it */
        worst = phys_worse(worst, fabs(phys_angle_difference(angle, y[i])));
    }
    taut_world_destroy(world);
    return worst;
}

TAUT_TEST(linkages, three_bars_on_hinges) {
    for (int i = 0; i < 2; i++) {
        const double coarse = bars_error(backend, schemes[i], 1.0 / 960),
                     fine = bars_error(backend, schemes[i], 1.0 / 1920);
        test_note("alpha %g: errors %.3g and %.3g rad", schemes[i]->alpha, coarse, fine);
        phys_check_order(coarse, fine, schemes[i]->order);
        CHECK(fine < 5 * pow(14.2 / 1920, schemes[i]->order)); /* (h w)^order, the fastest bar at w = 14.2 rad/s */
    }
}

/* ---- linkages ---------------------------------------------------------------------------------------------------- */

static taut_body add_bar(taut_scene* scene, const double from[3], const double to[3]) {
    const phys_body bar = phys_bar(from, to, 0.05, 1);
    return phys_add_body(scene, &bar);
}

static void add_hinge(taut_scene* scene, taut_body first, taut_body second, const double at[3]) {
    double axes[4];
    phys_hinge_about_z(axes);
    phys_add_joint(scene, TAUT_JOINT_HINGE, first, second, at, axes);
}

/* A hinge about z between the world and a body, driven; the target is the angle from now on. */
static taut_batch add_driven_hinge(taut_scene* scene, taut_body body, const double at[3], const double* axes) {
    taut_joint_batches batches = {{0}, {0}, {0}};
    taut_joints_def def = taut_default_joints();
    def.type = TAUT_JOINT_HINGE;
    def.count = 1;
    def.bodies = (const taut_body[]){TAUT_WORLD, body};
    def.positions = at;
    def.orientations = axes;
    def.drive = true;
    CHECK_OK(taut_scene_add_joints(scene, &def, &batches));
    return batches.drive;
}

/* Where the coupler of a four-bar linkage meets the follower: crank a at the origin, ground d along x, coupler b,
 * follower c; the meeting point above the line between them. */
static void four_bar(double crank, double pin[3], double meeting[3]) {
    const double a = 0.3, b = 0.9, c = 0.8, d = 1;
    const double from[3] = {a * cos(crank), a * sin(crank), 0}, ex = d - from[0], ey = -from[1], e = hypot(ex, ey);
    const double along = (b * b - c * c + e * e) / (2 * e), across = sqrt(b * b - along * along);
    memcpy(pin, from, sizeof from);
    meeting[0] = from[0] + (along * ex - across * ey) / e;
    meeting[1] = from[1] + (along * ey + across * ex) / e;
    meeting[2] = 0;
}

/* Largest error of the follower's angle in one turn of the crank, driven evenly; *crank_error: of the crank's. */
static double follower_error(taut_backend_kind backend, size_t steps, double* crank_error) {
    const double start = 0.5, origin[3] = {0, 0, 0}, pivot[3] = {1, 0, 0};
    double pin[3], meeting[3], axes[4], worst = 0;
    four_bar(start, pin, meeting);
    phys_hinge_about_z(axes);
    taut_scene* scene = phys_empty_scene();
    const taut_body crank = add_bar(scene, origin, pin), coupler = add_bar(scene, pin, meeting),
                    follower = add_bar(scene, pivot, meeting);
    const taut_batch drive = add_driven_hinge(scene, crank, origin, axes);
    add_hinge(scene, crank, coupler, pin);
    add_hinge(scene, coupler, follower, meeting);
    add_hinge(scene, TAUT_WORLD, follower, pivot);
    taut_world* world = phys_scheme_world(backend, scene, &phys_implicit_euler, false);
    *crank_error = 0;
    for (size_t i = 1; i <= steps; i++) {
        const double turned = 2 * PHYS_PI * (double)i / (double)steps;
        CHECK_OK(taut_world_move_targets(world, drive, 0, 1, &turned));
        if (!phys_run(world, 1, 1 / (double)steps)) {
            break;
        }
        phys_body bars[2];
        phys_read_body(world, crank, &bars[0]);
        phys_read_body(world, follower, &bars[1]);
        four_bar(start + turned, pin, meeting);
        *crank_error =
            phys_worse(*crank_error, fabs(phys_angle_difference(phys_angle_about_z(bars[0].q), start + turned)));
        const double expected = atan2(meeting[1], meeting[0] - 1);
        worst = phys_worse(worst, fabs(phys_angle_difference(phys_angle_about_z(bars[1].q), expected)));
    }
    taut_world_destroy(world);
    return worst;
}

/* The four hinges hold the plane three times over. A step moves the pins along tangents, so that they are off by half
 * the square of the angle that a bar turns in a step, and no error is carried over to the next. */
TAUT_TEST(linkages, four_bar_linkage) {
    double crank[2];
    const double coarse = follower_error(backend, 200, &crank[0]), fine = follower_error(backend, 400, &crank[1]);
    test_note("follower %.3g and %.3g rad, crank %.3g and %.3g rad", coarse, fine, crank[0], crank[1]);
    phys_check_order(coarse, fine, 2);
    CHECK(fine < pow(2 * PHYS_PI / 400, 2));
    CHECK(crank[0] < 1e-6 && crank[1] < 1e-6);
}

/* Crank a, rod b, piston along x; constant torque on the crank, no weight: the kinetic energy is torque times angle. */
static double work_error(taut_backend_kind backend, double h) {
    const double a = 0.3, b = 0.8, torque = 1, start = 1;
    const double origin[3] = {0, 0, 0}, pin[3] = {a * cos(start), a * sin(start), 0};
    const double piston_at[3] = {pin[0] + sqrt(b * b - pin[1] * pin[1]), 0, 0};
    phys_body body = {.mass = 2, .inertia = {1, 1, 1}, .q = {1, 0, 0, 0}};
    memcpy(body.x, piston_at, sizeof piston_at);
    taut_scene* scene = phys_empty_scene();
    const taut_body crank = add_bar(scene, origin, pin), rod = add_bar(scene, pin, piston_at),
                    piston = phys_add_body(scene, &body);
    add_hinge(scene, TAUT_WORLD, crank, origin);
    add_hinge(scene, crank, rod, pin);
    add_hinge(scene, rod, piston, piston_at);
    phys_add_joint(scene, TAUT_JOINT_SLIDER, TAUT_WORLD, piston, piston_at, NULL);
    taut_world* world = phys_scheme_world(backend, scene, &phys_implicit_euler, true);
    CHECK_OK(taut_world_set_torques(world, crank.frame, 1, (const double[]){0, 0, torque}));
    double worst = 0, angle = start, x[3];
    for (int i = 0; i < lround(1 / h) && phys_run(world, 1, h); i++) {
        taut_step_info info = {0};
        phys_read_body(world, crank, &body);
        phys_position(world, piston.point, x);
        angle += phys_angle_difference(phys_angle_about_z(body.q), angle);
        CHECK_OK(taut_world_info(world, &info));
        worst = phys_worse(worst, fabs(info.kinetic - torque * (angle - start)));
    }
    CHECK(angle > start + 1); /* it has moved, and the piston is where the angle says, to h^2 w^2 */
    CHECK_NEAR(x[0], a * cos(angle) + sqrt(b * b - a * a * sin(angle) * sin(angle)), 20 * h * h);
    taut_world_destroy(world);
    return worst;
}

TAUT_TEST(linkages, torque_drives_a_slider) {
    const double coarse = work_error(backend, 1.0 / 400), fine = work_error(backend, 1.0 / 800);
    test_note("work and energy differ by %.3g and %.3g J", coarse, fine);
    phys_check_order(coarse, fine, 1);
    CHECK(fine < 5 * 8.5 / 800 * 2.2); /* h w, the crank at 8.5 rad/s in the end, of 2.2 J */
}

/* Down a slope: g sin t along it, m g cos t across it. */
TAUT_TEST(linkages, slider_on_a_slope) {
    const double slope = 0.6, h = 0.01;
    phys_body body = {.mass = 2, .inertia = {0.1, 0.2, 0.3}, .q = {1, 0, 0, 0}};
    double axes[4], lam[2], turn[3], x[3];
    phys_turn((const double[]){0, 0, 1}, -slope, axes);
    taut_scene* scene = phys_empty_scene();
    const taut_body handle = phys_add_body(scene, &body);
    const taut_joint_batches joint = phys_add_joint(scene, TAUT_JOINT_SLIDER, TAUT_WORLD, handle, body.x, axes);
    taut_world* world = phys_scheme_world(backend, scene, &phys_implicit_euler, false);
    phys_run(world, 50, h);
    phys_position(world, handle.point, x);
    const double length = PHYS_GRAVITY * sin(slope) * h * h * 50 * 51 / 2; /* sum of n h (h g sin t) */
    CHECK_NEAR(phys_apart(x, (const double[]){length * cos(slope), -length * sin(slope), 0}), 0, 1e-6 * length);
    phys_multipliers(world, joint.prismatic, 2, lam);
    phys_multipliers(world, joint.angular, 3, turn);
    CHECK_NEAR(lam[0], 2 * PHYS_GRAVITY * cos(slope), 1e-5);
    CHECK_NEAR(lam[1], 0, 1e-5);
    CHECK_NEAR(phys_length(turn), 0, 1e-5);
    taut_world_destroy(world);
}

/* A driven slider is where its target is; the drive carries the weight. Its length is 0 at first. */
TAUT_TEST(linkages, driven_slider) {
    phys_body body = {.mass = 2, .inertia = {0.1, 0.2, 0.3}, .x = {1, 2, 3}, .q = {1, 0, 0, 0}};
    double axes[4], x[3], lam;
    phys_turn((const double[]){0, 0, 1}, PHYS_PI / 2, axes); /* x up */
    taut_scene* scene = phys_empty_scene();
    const taut_body handle = phys_add_body(scene, &body);
    taut_joint_batches batches = {{0}, {0}, {0}};
    taut_joints_def def = taut_default_joints();
    def.type = TAUT_JOINT_SLIDER;
    def.count = 1;
    def.bodies = (const taut_body[]){TAUT_WORLD, handle};
    def.positions = body.x;
    def.orientations = axes;
    def.drive = true;
    CHECK_OK(taut_scene_add_joints(scene, &def, &batches));
    taut_world* world = phys_scheme_world(backend, scene, &phys_implicit_euler, false);
    for (int i = 1; i <= 20; i++) {
        CHECK_OK(taut_world_move_targets(world, batches.drive, 0, 1, (const double[]){0.01 * i}));
        phys_run(world, 1, 0.01);
        phys_position(world, handle.point, x);
        CHECK_NEAR(phys_apart(x, (const double[]){1, 2 + 0.01 * i, 3}), 0, 1e-7);
    }
    phys_multipliers(world, batches.drive, 1, &lam);
    CHECK_NEAR(lam, 2 * PHYS_GRAVITY, 1e-4);
    taut_world_destroy(world);
}

/* Three turns of a driven hinge, to targets that grow without end. */
TAUT_TEST(linkages, driven_hinge_goes_round) {
    double axes[4];
    const double origin[3] = {0, 0, 0};
    phys_hinge_about_z(axes);
    taut_scene* scene = phys_empty_scene();
    const taut_body handle = add_bar(scene, origin, (const double[]){0.5, 0, 0});
    const taut_batch drive = add_driven_hinge(scene, handle, origin, axes);
    taut_world* world = phys_scheme_world(backend, scene, &phys_implicit_euler, false);
    for (int i = 1; i <= 60; i++) {
        phys_body bar;
        const double target = 6 * PHYS_PI * i / 60;
        CHECK_OK(taut_world_move_targets(world, drive, 0, 1, &target));
        phys_run(world, 1, 0.02);
        phys_read_body(world, handle, &bar);
        CHECK_NEAR(phys_angle_difference(phys_angle_about_z(bar.q), target), 0, 1e-6);
    }
    taut_world_destroy(world);
}

/* Shafts along z and along z turned by `bend` about y. The cross is along x on the first and along y on the second, so
 *   (cos a, sin a, 0).(-cos bend sin b, cos b, ..) = 0:   tan b = tan a / cos bend. */
static double universal_error(taut_backend_kind backend, double bend, size_t steps) {
    const double origin[3] = {0, 0, 0}, out[3] = {sin(bend), 0, cos(bend)};
    const double before[3] = {0, 0, -0.5}, after[3] = {0.5 * out[0], 0, 0.5 * out[2]};
    double axes[4], tilted[4], expected[4], worst = 0;
    phys_hinge_about_z(axes);
    phys_turn((const double[]){0, 1, 0}, bend, tilted);
    phys_multiply(tilted, axes, tilted);
    taut_scene* scene = phys_empty_scene();
    const phys_body input = phys_bar(before, origin, 0.1, 1), output = phys_bar(origin, after, 0.1, 1);
    const taut_body first = phys_add_body(scene, &input), second = phys_add_body(scene, &output);
    const taut_batch drive = add_driven_hinge(scene, first, before, axes);
    phys_add_joint(scene, TAUT_JOINT_UNIVERSAL, first, second, origin, NULL);
    phys_add_joint(scene, TAUT_JOINT_HINGE, TAUT_WORLD, second, after, tilted);
    taut_world* world = phys_scheme_world(backend, scene, &phys_implicit_euler, false);
    for (size_t i = 1; i <= steps; i++) {
        const double a = 2 * PHYS_PI * (double)i / (double)steps;
        CHECK_OK(taut_world_move_targets(world, drive, 0, 1, &a));
        if (!phys_run(world, 1, 1 / (double)steps)) {
            break;
        }
        phys_body shaft;
        phys_read_body(world, second, &shaft);
        phys_turn(out, atan2(sin(a) / cos(bend), cos(a)), expected);
        phys_multiply(expected, output.q, expected);
        worst = phys_worse(worst, phys_angle_between(shaft.q, expected));
    }
    taut_world_destroy(world);
    return worst;
}

TAUT_TEST(linkages, universal_joint_drives_a_bent_shaft) {
    const double coarse = universal_error(backend, 0.7, 200), fine = universal_error(backend, 0.7, 400);
    test_note("errors %.3g and %.3g rad", coarse, fine);
    phys_check_order(coarse, fine, 2);
    CHECK(fine < pow(2 * PHYS_PI / 400, 2));
}

/* ---- a heavy load on light bars ----------------------------------------------------------------------------- */

#define LOADED_BARS 10
#define LOAD        1000.0 /* times the bars together, 1 kg and 1 m */

typedef struct loaded_chain {
    taut_batch top;
    taut_body load;
} loaded_chain;

/* The load is a ball of 0.05 m about the lower end of the last bar, on a joint at its centre. */
static taut_world* make_loaded_chain(taut_backend_kind backend, taut_joint_type type, double alpha,
                                     taut_geometric_stiffness geometric, loaded_chain* chain) {
    taut_scene* scene = phys_empty_scene();
    taut_body above = TAUT_WORLD;
    double from[3] = {0, 0, 0}, axes[4];
    phys_hinge_about_z(axes);
    for (int i = 0; i < LOADED_BARS; i++) {
        const double l = (i + 1.0) / LOADED_BARS, to[3] = {l * sin(PHYS_SWING), -l * cos(PHYS_SWING), 0};
        const phys_body bar = phys_bar(from, to, 0.02, 1.0 / LOADED_BARS);
        const taut_body handle = phys_add_body(scene, &bar);
        const taut_joint_batches joint = phys_add_joint(scene, type, above, handle, from, axes);
        chain->top = i == 0 ? joint.prismatic : chain->top;
        above = handle;
        memcpy(from, to, sizeof from);
    }
    phys_body load = {.mass = LOAD, .q = {1, 0, 0, 0}};
    memcpy(load.x, from, sizeof from);
    taut_inertia_of_sphere(LOAD, 0.05, load.inertia);
    chain->load = phys_add_body(scene, &load);
    phys_add_joint(scene, type, above, chain->load, from, axes);
    taut_world_def def = phys_world_def(backend, alpha, alpha);
    def.integrator.hard_row_damping = alpha < 1 ? 1 : 0;
    def.integrator.geometric_stiffness = geometric;
    def.solver.tolerance = 1e-7;
    return phys_world(scene, &def);
}

static double top_force(taut_world* world, const void* top) {
    double lam[3];
    phys_multipliers(world, *(const taut_batch*)top, 3, lam);
    return phys_length(lam);
}

static phys_swing swing(taut_backend_kind backend, taut_joint_type type, double alpha,
                        taut_geometric_stiffness geometric) {
    loaded_chain chain;
    taut_world* world = make_loaded_chain(backend, type, alpha, geometric, &chain);
    const phys_swing result = phys_swing_load(world, chain.load.point, LOAD + 0.5, top_force, &chain.top);
    taut_world_destroy(world);
    test_note("joint %d, alpha %g: lost %d, period %.5f s, tension error %.3g", (int)type, alpha, result.lost,
              result.period, result.worst_tension);
    return result;
}

static void check_swing(taut_backend_kind backend, taut_joint_type type) {
    const double alphas[] = {1, 0.65};
    for (int i = 0; i < 2; i++) {
        const phys_swing r = swing(backend, type, alphas[i], TAUT_GEOMETRIC_FULL);
        CHECK(phys_swings_right(&r));
    }
}

TAUT_TEST(linkages, light_bars_on_ball_joints_swing_a_heavy_load) {
    check_swing(backend, TAUT_JOINT_BALL);
}

TAUT_TEST(linkages, light_bars_on_hinges_swing_a_heavy_load) {
    check_swing(backend, TAUT_JOINT_HINGE);
}

/* What the tests above would see if the geometric stiffness of joints were lost. */
TAUT_TEST(linkages, heavy_load_needs_geometric_stiffness) {
    const phys_swing r = swing(backend, TAUT_JOINT_BALL, 1, TAUT_GEOMETRIC_NONE);
    CHECK(!phys_swings_right(&r));
}
