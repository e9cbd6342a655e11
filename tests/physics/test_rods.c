/* Cosserat rods against closed forms at rest: the elastica, circles, twist.
 *
 * A rod of n pieces of length l bends and twists between its pieces only, and behind a phys_clamp by half a piece: the
 * midpoint rule, with errors of order 1/n^2. */
#include "phys_data.h"
#include "phys_exact.h"
#include "phys_rods.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- bending ----------------------------------------------------------------------------------------------------- */

/* Tip of an inextensible cantilever of length 1 under the force (0, -load, 0). */
static void loaded_tip(taut_backend_kind backend, double load, size_t pieces, double x[3]) {
    taut_rods_def def = phys_unit_rod();
    taut_rod_ranges rod;
    def.inextensible = true;
    taut_world* world = phys_clamped_rod(backend, &def, phys_rod_along_x(pieces, 1), &phys_implicit_euler, &rod);
    CHECK_OK(taut_world_set_forces(world, phys_last_of(rod.points), 1, (const double[]){0, -load, 0}));
    x[0] = x[1] = x[2] = NAN;
    if (phys_settle(world, 0.02, 0.2, 1e-3, 300)) {
        phys_position(world, phys_last_of(rod.points), x);
    }
    taut_world_destroy(world);
}

static void check_elastica(taut_backend_kind backend, double load, double drop, double retreat) {
    double error[3], x[3];
    for (int k = 0; k < 3; k++) {
        test_note("a = %g, %d pieces", load, 8 << k);
        loaded_tip(backend, load, (size_t)8 << k, x);
        error[k] = hypot(-x[1] - drop, 1 - x[0] - retreat);
        CHECK_NEAR(x[2], 0, 1e-4);
    }
    test_note("a = %g: tip off by %.3g, %.3g and %.3g", load, error[0], error[1], error[2]);
    CHECK_NEAR(phys_order(error[0], error[1]), 2, 0.2);
    CHECK_NEAR(phys_order(error[1], error[2]), 2, 0.2);
    CHECK(error[2] < 1e-3);
}

/* The table has six digits, which is enough beside the errors of 32 pieces. */
TAUT_TEST(rods, cantilever_is_an_elastica) {
    char* text = phys_shared_text("reference/elastica_tip_load.json");
    if (text == NULL) {
        return;
    }
    const char* at = text;
    double load, drop, retreat;
    int checked = 0;
    while (phys_next_number(&at, "PL2_over_EI", &load) && phys_next_number(&at, "drop_over_L", &drop) &&
           phys_next_number(&at, "retreat_over_L", &retreat)) {
        if (load == 0.4 || load == 1.5 || load == 5) {
            check_elastica(backend, load, drop, retreat);
            checked++;
        }
    }
    CHECK_INT(checked, 3);
    free(text);
}

/* MoorDyn's beams (moordyn_beams.json): E I = 1e7 N m^2, E A = 1.5e9 N, 10 m, 980.665 N/m. */
#define BEAM_LENGTH  10.0
#define BEAM_BENDING 1e7
#define BEAM_AXIAL   1.5e9
#define BEAM_WEIGHT  980.665 /* N/m */

static taut_rods_def beam_rod(void) {
    taut_rods_def def = taut_default_rods();
    def.radius = 2 * sqrt(BEAM_BENDING / BEAM_AXIAL);
    def.young = BEAM_AXIAL / (PHYS_PI * def.radius * def.radius);
    def.shear = 0.4 * def.young;
    def.density = BEAM_WEIGHT / PHYS_GRAVITY / (PHYS_PI * def.radius * def.radius);
    def.straight = true;
    return def;
}

static taut_world* make_beam(taut_backend_kind backend, size_t pieces, bool clamped, taut_rod_ranges* rod) {
    const taut_rods_def def = beam_rod();
    const phys_rod_shape shape = phys_rod_along_x(pieces, BEAM_LENGTH);
    if (clamped) {
        return phys_clamped_rod(backend, &def, shape, &phys_implicit_euler, rod);
    }
    taut_scene* scene = phys_empty_scene();
    *rod = phys_add_rod(scene, &def, shape);
    phys_fix(scene, 1, &rod->points.first);
    phys_hold(scene, 1, (const uint32_t[]){3 * phys_last_of(rod->points) + 1});
    phys_hold_in_plane(scene, rod);
    return phys_rod_world(backend, scene, &phys_implicit_euler);
}

/* Largest distance of a point from the closed form, over its largest value: bending, and q x (2 L - x)/(2 k G A) or
 * q x (L - x)/(2 k G A) of shear. */
static double beam_error(taut_backend_kind backend, size_t pieces, bool clamped) {
    taut_rod_ranges rod;
    double x[3], worst = 0, largest = 0;
    const double shear = 0.9 * 0.4 * BEAM_AXIAL, bending = BEAM_WEIGHT * pow(BEAM_LENGTH, 4) / BEAM_BENDING;
    taut_world* world = make_beam(backend, pieces, clamped, &rod);
    CHECK_OK(taut_world_set_gravity(world, (const double[]){0, -PHYS_GRAVITY, 0}));
    phys_settle(world, 0.1, 1, 1e-7, 200);
    for (uint32_t i = 0; i <= pieces; i++) {
        const double s = i / (double)pieces, far = clamped ? 2 - s : 1 - s;
        const double sag = bending * (clamped ? phys_cantilever_sag(s) : phys_simply_supported_sag(s)) +
                           BEAM_WEIGHT * BEAM_LENGTH * BEAM_LENGTH * s * far / (2 * shear);
        phys_position(world, rod.points.first + i, x);
        worst = phys_worse(worst, fabs(-x[1] - sag));
        largest = fmax(largest, sag);
    }
    taut_world_destroy(world);
    return worst / largest;
}

TAUT_TEST(rods, beams_under_their_weight) {
    for (int clamped = 0; clamped < 2; clamped++) {
        const double error[3] = {beam_error(backend, 8, clamped), beam_error(backend, 16, clamped),
                                 beam_error(backend, 32, clamped)};
        test_note("%s: off by %.4g, %.4g, %.4g of the sag", clamped ? "cantilever" : "simply supported", error[0],
                  error[1], error[2]);
        CHECK_NEAR(phys_order(error[0], error[1]), 2, 0.2);
        CHECK_NEAR(phys_order(error[1], error[2]), 2, 0.2);
        CHECK(error[2] < 2e-3);
    }
}

/* Pieces so short that their bending is stiff for their inertia, held in their plane too: more stiff rows than degrees
 * of freedom, but all of them with compliance. Elimination from end to end is exact. */
TAUT_TEST(rods, many_short_pieces_are_eliminated_at_once) {
    taut_rod_ranges rod;
    taut_step_info info = {0};
    taut_world* world = make_beam(backend, 128, false, &rod);
    CHECK_OK(taut_world_set_gravity(world, (const double[]){0, -PHYS_GRAVITY, 0}));
    for (int i = 0; i < 3; i++) {
        CHECK_OK(taut_world_step(world, 1.0 / 60));
        CHECK_OK(taut_world_info(world, &info));
        test_note("step %d: %u iterations to %.3g", i, info.iterations, info.residual);
        CHECK_INT(info.outcome, TAUT_SOLVE_CONVERGED);
        CHECK(info.iterations <= 8);
    }
    taut_world_destroy(world);
}

/* Middle of a beam that is clamped at the points of a list, over that of the closed form; q L^4/(384 E I) between
 * clamps that are L apart, and q L^2/(8 k G A) of shear. */
static double clamped_middle(taut_backend_kind backend, size_t pieces, size_t clamps, double* turn) {
    taut_rods_def def = beam_rod();
    double x[3], q[4], straight[4];
    bool* clamped = phys_array(pieces + 1, sizeof *clamped);
    for (size_t i = 0; i < clamps; i++) {
        clamped[i * pieces / (clamps - 1)] = true;
    }
    def.clamped = clamped;
    taut_scene* scene = phys_empty_scene();
    const taut_rod_ranges rod = phys_add_rod(scene, &def, phys_rod_along_x(pieces, BEAM_LENGTH));
    taut_world* world = phys_rod_world(backend, scene, &phys_implicit_euler);
    taut_range rows = {0, 0};
    CHECK_OK(taut_world_batch_rows(world, rod.bends, &rows));
    CHECK_INT(rows.count, 3 * (pieces - 1 + 2 + (clamps - 2)));
    CHECK_OK(taut_world_set_gravity(world, (const double[]){0, -PHYS_GRAVITY, 0}));
    phys_settle(world, 0.1, 1, 1e-7, 200);
    phys_position(world, rod.points.first + (uint32_t)(pieces / (2 * (clamps - 1))), x);
    phys_read_frame(world, rod.frames.first + pieces + clamps - 1, q);
    phys_along_x(straight);
    *turn = phys_angle_between(q, straight);
    taut_world_destroy(world);
    free(clamped);
    const double span = BEAM_LENGTH / (double)(clamps - 1);
    return -x[1] /
           (BEAM_WEIGHT * span * span * (span * span / (384 * BEAM_BENDING) + 1 / (8 * 0.9 * 0.4 * BEAM_AXIAL)));
}

TAUT_TEST(rods, clamps_at_both_ends_and_between) {
    for (size_t clamps = 2; clamps <= 3; clamps++) {
        double error[3], turn = 1;
        for (size_t k = 0; k < 3; k++) {
            error[k] = fabs(clamped_middle(backend, (size_t)16 * (clamps - 1) << k, clamps, &turn) - 1);
            CHECK_NEAR(turn, 0, 1e-12); /* the wall stays */
        }
        test_note("%zu clamps: off by %.3g, %.3g, %.3g of the sag", clamps, error[0], error[1], error[2]);
        CHECK_NEAR(phys_order(error[0], error[1]), 2, 0.2);
        CHECK_NEAR(phys_order(error[1], error[2]), 2, 0.2);
        CHECK(error[2] < 5e-3);
    }
}

/* A moment M at the end turns every piece against the one before by k l, k = M/(E I): pieces along a circle, the first
 * turned by k l/2. Tip of n pieces of length l. */
static void arc_tip(double turn, size_t pieces, double tip[2]) {
    const double step = turn / (double)pieces;
    tip[0] = tip[1] = 0;
    for (size_t i = 0; i < pieces; i++) {
        tip[0] += cos(((double)i + 0.5) * step) / (double)pieces;
        tip[1] += sin(((double)i + 0.5) * step) / (double)pieces;
    }
}

/* MuJoCo's cantilever into a circle: length 1, radius 5 mm, E = 1e9 Pa. The moment grows for two seconds. */
static void bend_by_moment(taut_world* world, const taut_rods_def* def, const taut_rod_ranges* rod, double turn) {
    for (int i = 1; i <= 120; i++) {
        const double moment[3] = {0, 0, phys_bending_stiffness(def) * turn * i / 120};
        CHECK_OK(taut_world_set_torques(world, phys_last_of(rod->frames), 1, moment));
        if (!phys_run(world, 1, 1.0 / 60)) {
            return;
        }
    }
}

static taut_rods_def mujoco_rod(void) {
    taut_rods_def def = taut_default_rods();
    def.radius = 0.005;
    def.young = 1e9;
    def.straight = true;
    return def;
}

/* A clamped rod that stays in its plane: a moment that keeps its direction while the end turns can do work without end,
 * and out of the plane it makes a slender rod flutter. */
static taut_scene* plane_rod(const taut_rods_def* def, size_t pieces, taut_rod_ranges* rod) {
    taut_scene* scene = phys_empty_scene();
    *rod = phys_add_rod(scene, def, phys_rod_along_x(pieces, 1));
    phys_clamp(scene, def, rod, 1 / (double)pieces);
    phys_hold_in_plane(scene, rod);
    return scene;
}

TAUT_TEST(rods, end_moment_bends_an_arc) {
    const taut_rods_def def = mujoco_rod();
    taut_rod_ranges rod;
    double tip[2], x[3], q[4], expected[4];
    taut_world* world = phys_rod_world(backend, plane_rod(&def, 10, &rod), &phys_implicit_euler);
    bend_by_moment(world, &def, &rod, 2);
    if (phys_settle(world, 0.02, 0.1, 1e-4, 300)) {
        arc_tip(2, 10, tip);
        phys_position(world, phys_last_of(rod.points), x);
        CHECK_NEAR(phys_apart(x, (const double[]){tip[0], tip[1], 0}), 0, 1e-5);
        phys_turned_piece((const double[]){0, 0, 1}, 2 * 0.95, expected); /* the last of ten: half a piece is missing */
        phys_read_frame(world, phys_last_of(rod.frames), q);
        CHECK_NEAR(phys_angle_between(q, expected), 0, 1e-5);
    }
    taut_world_destroy(world);
}

/* 2 pi E I/L closes the rod: largest distance of its points from the circle, and of its ends from each other. */
static void check_circle(taut_world* world, const taut_rods_def* def, const taut_rod_ranges* rod) {
    const size_t pieces = rod->frames.count;
    double x[3], off = 0;
    bend_by_moment(world, def, rod, 2 * PHYS_PI);
    phys_run(world, 240, 1.0 / 60);
    for (uint32_t i = 0; i <= pieces; i++) {
        phys_position(world, rod->points.first + i, x);
        off = phys_worse(off, fabs(hypot(x[0], x[1] - 1 / (2 * PHYS_PI)) * 2 * PHYS_PI - 1));
    }
    test_note("%zu pieces: gap %.3g of the length, off the circle by %.3g of its radius", pieces, phys_length(x), off);
    CHECK(phys_length(x) < 1e-3);
    CHECK(off < 2 * pow(PHYS_PI / (double)pieces, 2)); /* a polygon of n sides: (pi/n)^2/2, and as much at the clamp */
}

/* Damped, so that it comes to rest in four seconds. */
TAUT_TEST(rods, end_moment_closes_a_circle) {
    taut_rods_def def = mujoco_rod();
    taut_rod_ranges rod;
    def.damping = 0.02;
    taut_world* world = phys_rod_world(backend, plane_rod(&def, 20, &rod), &phys_implicit_euler);
    check_circle(world, &def, &rod);
    taut_world_destroy(world);
}

/* The solver as it is by default. Its tolerance of 1e-4 is one of forces, here of the moment: so large a part of the
 * turn of 2 pi may be missing, which opens the circle by as large a part of its length. */
TAUT_TEST(rods, end_moment_closes_a_circle_by_default) {
    taut_rods_def def = mujoco_rod();
    taut_rod_ranges rod;
    def.damping = 0.02;
    taut_scene* scene = plane_rod(&def, 10, &rod);
    taut_world_def world_def = taut_default_world();
    world_def.backend = backend;
    world_def.threads = 1;
    memset(world_def.gravity, 0, sizeof world_def.gravity);
    taut_world* world = phys_world(scene, &world_def);
    check_circle(world, &def, &rod);
    taut_world_destroy(world);
}

/* 14 pieces of 0.1 m, the first and the last moved by hand (newton_cable_bend_twist.json): piece i turns by i/13 of
 * what the last one does. Its tolerances are 3.5e-4 rad for angles, 2e-5 L for shapes and 1e-5 m across a twist. */
#define CABLE_PIECES 14
#define CABLE_PIECE  0.1

static taut_world* make_cable(taut_backend_kind backend, taut_rod_ranges* rod) {
    taut_rods_def def = taut_default_rods();
    def.young = 1e8;
    def.shear = 4e7;
    def.straight = true;
    taut_scene* scene = phys_empty_scene();
    *rod = phys_add_rod(scene, &def, phys_rod_along_x(CABLE_PIECES, CABLE_PIECES * CABLE_PIECE));
    const uint32_t p = rod->points.first, f = rod->frames.first;
    phys_fix(scene, 4, (const uint32_t[]){p, p + 1, p + CABLE_PIECES - 1, p + CABLE_PIECES});
    CHECK_OK(taut_scene_set_frames_fixed(scene, 2, (const uint32_t[]){f, f + CABLE_PIECES - 1}, true));
    return phys_scheme_world(backend, scene, &phys_implicit_euler, true);
}

static void check_piece_angles(taut_world* world, const taut_rod_ranges* rod, const double axis[3], double last) {
    double worst = 0;
    for (uint32_t i = 0; i < CABLE_PIECES; i++) {
        double q[4], expected[4];
        phys_turned_piece(axis, last * i / (CABLE_PIECES - 1), expected);
        phys_read_frame(world, rod->frames.first + i, q);
        worst = phys_worse(worst, phys_angle_between(q, expected));
    }
    CHECK_NEAR(worst, 0, 1e-5);
}

TAUT_TEST(rods, twist_spreads_evenly) {
    const double x_axis[3] = {1, 0, 0};
    for (int degrees = 30; degrees <= 90; degrees += 30) {
        taut_rod_ranges rod;
        taut_world* world = make_cable(backend, &rod);
        const uint32_t last = phys_last_of(rod.frames);
        double goal[4], x[3];
        test_note("%d degrees", degrees);
        phys_turned_piece(x_axis, degrees * PHYS_PI / 180, goal);
        CHECK_OK(taut_world_move_fixed_frames(world, 1, &last, goal));
        if (phys_settle(world, 0.1, 1, 1e-6, 100)) {
            check_piece_angles(world, &rod, x_axis, degrees * PHYS_PI / 180);
            for (uint32_t i = 0; i <= CABLE_PIECES; i++) {
                phys_position(world, rod.points.first + i, x);
                CHECK_NEAR(phys_apart(x, (const double[]){CABLE_PIECE * i, 0, 0}), 0, 1e-6);
            }
        }
        taut_world_destroy(world);
    }
}

/* Point k of the polygon whose piece i is turned by i `step`. */
static void polygon_point(uint32_t k, double step, double x[3]) {
    x[0] = x[1] = x[2] = 0;
    for (uint32_t i = 0; i < k; i++) {
        x[0] += CABLE_PIECE * cos(i * step);
        x[1] += CABLE_PIECE * sin(i * step);
    }
}

/* The last piece moves along the polygons of constant curvature, in ten steps. */
static void bend_cable(taut_world* world, const taut_rod_ranges* rod, double angle) {
    const uint32_t ends[2] = {phys_last_of(rod->points) - 1, phys_last_of(rod->points)},
                   last = phys_last_of(rod->frames);
    for (int i = 1; i <= 10; i++) {
        double x[6], goal[4];
        const double now = angle * i / 10;
        polygon_point(CABLE_PIECES - 1, now / (CABLE_PIECES - 1), x);
        polygon_point(CABLE_PIECES, now / (CABLE_PIECES - 1), x + 3);
        phys_turned_piece((const double[]){0, 0, 1}, now, goal);
        CHECK_OK(taut_world_move_fixed(world, 2, ends, x));
        CHECK_OK(taut_world_move_fixed_frames(world, 1, &last, goal));
        phys_run(world, 1, 0.1);
    }
}

TAUT_TEST(rods, bend_spreads_evenly) {
    for (int degrees = 30; degrees <= 90; degrees += 30) {
        taut_rod_ranges rod;
        const double angle = degrees * PHYS_PI / 180;
        taut_world* world = make_cable(backend, &rod);
        test_note("%d degrees", degrees);
        bend_cable(world, &rod, angle);
        if (phys_settle(world, 0.1, 1, 1e-6, 100)) {
            check_piece_angles(world, &rod, (const double[]){0, 0, 1}, angle);
            for (uint32_t i = 0; i <= CABLE_PIECES; i++) {
                double x[3], expected[3];
                phys_position(world, rod.points.first + i, x);
                polygon_point(i, angle / (CABLE_PIECES - 1), expected);
                CHECK_NEAR(phys_apart(x, expected), 0, 1e-5);
            }
        }
        taut_world_destroy(world);
    }
}

/* A free rod whose pieces want to be turned by 2 pi/n becomes a polygon that closes, where it was. */
TAUT_TEST(rods, rest_curvature_makes_a_ring) {
    const size_t n = 16;
    double rest[3 * 15] = {0}, first[3], last[3], centre[3] = {0}, weight = 0;
    for (size_t i = 0; i + 1 < n; i++) {
        rest[3 * i + 1] = 2 * PHYS_PI / (double)n;
    }
    taut_rods_def def = phys_unit_rod();
    def.straight = false;
    def.rest_rotations = rest;
    taut_scene* scene = phys_empty_scene();
    const taut_rod_ranges rod = phys_add_rod(scene, &def, phys_rod_along_x(n, 1));
    taut_world* world = phys_rod_world(backend, scene, &phys_implicit_euler);
    if (phys_settle(world, 0.02, 0.5, 1e-4, 300)) {
        phys_position(world, rod.points.first, first);
        phys_position(world, phys_last_of(rod.points), last);
        CHECK_NEAR(phys_apart(first, last), 0, 1e-5);
        CHECK(phys_worst_violation(world) < 1e-5);
        for (uint32_t i = 0; i <= n; i++) {
            double x[3];
            const double part = i == 0 || i == n ? 0.5 : 1;
            phys_position(world, rod.points.first + i, x);
            phys_add(part, x, centre);
            weight += part;
        }
        for (int a = 0; a < 3; a++) {
            CHECK_NEAR(centre[a] / weight, a == 0 ? 0.5 : 0, 1e-5);
        }
    }
    taut_world_destroy(world);
}

/* ---- what holds a rod together ----------------------------------------------------------------------------------- */

/* Stretch F L/(E A) and shear F L/(0.9 G A) of a short clamped piece: the rows' own compliances. Of one piece under a
 * small load across, the bending of half a piece at the phys_clamp comes in with F L/2 ... (L/(2 E I)) F L. */
TAUT_TEST(rods, stretch_and_shear) {
    taut_rods_def def = phys_unit_rod();
    def.radius = 0.1;
    def.young = 1e5;
    def.shear = 4e4;
    taut_rod_ranges rod;
    const double area = PHYS_PI * 0.01, force[3] = {20, -0.5, 0}, ei = phys_bending_stiffness(&def);
    taut_world* world = phys_clamped_rod(backend, &def, phys_rod_along_x(1, 1), &phys_implicit_euler, &rod);
    CHECK_OK(taut_world_set_forces(world, phys_last_of(rod.points), 1, force));
    if (phys_settle(world, 0.05, 1, 1e-8, 400)) {
        double x[3], q[4], axis[3], phi[3], own[3];
        phys_position(world, phys_last_of(rod.points), x);
        phys_read_frame(world, rod.frames.first, q);
        phys_violations(world, rod.segments, 3, phi);
        phys_rotate_back(q, force, own);
        CHECK_NEAR(phi[0], own[0] / (0.9 * def.shear * area), 1e-8);
        CHECK_NEAR(phi[1], own[1] / (0.9 * def.shear * area), 1e-8);
        CHECK_NEAR(phi[2], own[2] / (def.young * area), 1e-8);
        /* The phys_clamp turns by its compliance times the moment of the force. */
        phys_rotate(q, (const double[]){0, 0, 1}, axis);
        const double moment = x[0] * force[1] - x[1] * force[0];
        CHECK_NEAR(atan2(axis[1], axis[0]), moment / (2 * ei), 1e-6);
    }
    taut_world_destroy(world);
}
