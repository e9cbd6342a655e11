/* Rods that move and hang: vibrations, a rope, a heavy load. */
#include "phys_rods.h"

#include <math.h>
#include <stdlib.h>

/* ---- vibrations -------------------------------------------------------------------------------------------------- */

#define TWIST_PIECES 8

/* A clamped shaft of length 1 in its first mode, angle A sin(pi x/2) cos(w t) at the pieces' middles. With springs G
 * J/l between moments of inertia rho J l, and one twice as stiff at the clamp, that is an exact solution for w = 2/l
 * sqrt(G/rho) sin(pi/(4 n)), within (pi/(4 n))^2/6 = 0.0016 of pi/2 sqrt(G/rho), the shaft's. */
static double twist_error(taut_backend_kind backend, const phys_scheme* scheme, double h) {
    const double amplitude = 0.4;
    taut_rods_def def = taut_default_rods();
    def.young = 2.5e4;
    def.shear = 1e4; /* 5 rad/s */
    def.straight = true;
    phys_rod_shape shape = phys_rod_along_x(TWIST_PIECES, 1);
    for (int i = 0; i < TWIST_PIECES; i++) {
        const double angle = amplitude * sin(PHYS_PI / 2 * (i + 0.5) / TWIST_PIECES);
        phys_turned_piece((const double[]){1, 0, 0}, angle, shape.orientations + (size_t)(4 * i));
    }
    taut_rod_ranges rod;
    taut_world* world = phys_clamped_rod(backend, &def, shape, scheme, &rod);
    const double w = 2 * TWIST_PIECES * sqrt(def.shear / def.density) * sin(PHYS_PI / (4 * TWIST_PIECES));
    double worst = 0;
    for (int i = 1; i <= lround(1.2 / h) && phys_run(world, 1, h); i++) {
        for (int piece = 0; piece < TWIST_PIECES; piece += TWIST_PIECES - 1) {
            double q[4], expected[4];
            const double mode = sin(PHYS_PI / 2 * (piece + 0.5) / TWIST_PIECES);
            phys_turned_piece((const double[]){1, 0, 0}, amplitude * mode * cos(w * i * h), expected);
            phys_read_frame(world, rod.frames.first + (uint32_t)piece, q);
            worst = phys_worse(worst, phys_angle_between(q, expected) / amplitude);
        }
    }
    taut_world_destroy(world);
    return worst;
}

TAUT_TEST(rod_motion, shaft_twists_to_and_fro) {
    const phys_scheme* schemes[] = {&phys_implicit_euler, &phys_midpoint};
    for (int i = 0; i < 2; i++) {
        const double coarse = twist_error(backend, schemes[i], 1.0 / 200);
        const double fine = twist_error(backend, schemes[i], 1.0 / 400);
        test_note("alpha %g: errors %.3g and %.3g", schemes[i]->alpha, coarse, fine);
        phys_check_order(coarse, fine, schemes[i]->order);
        CHECK(fine < (i == 0 ? 0.05 : 1e-3));
    }
}

/* First mode of a clamped beam, cosh - cos - s (sinh - sin) of k x with k = 1.8751, and its slope. */
static void beam_mode(double x, double* height, double* slope) {
    const double k = 1.8751040687, s = (cosh(k) + cos(k)) / (sinh(k) + sin(k));
    *height = cosh(k * x) - cos(k * x) - s * (sinh(k * x) - sin(k * x));
    *slope = k * (sinh(k * x) + sin(k * x) - s * (cosh(k * x) - cos(k * x)));
}

/* Starts straight with the velocities of the mode, up to 2 cm/s at the tip; the time until the tip comes back the
 * second time is a period. */
static double beam_period(taut_backend_kind backend, size_t pieces) {
    taut_rods_def def = phys_unit_rod();
    taut_rod_ranges rod;
    def.inextensible = true;
    taut_world* world = phys_clamped_rod(backend, &def, phys_rod_along_x(pieces, 1), &phys_midpoint, &rod);
    for (uint32_t i = 0; i < pieces; i++) {
        double v[3] = {0}, w[3] = {0}, unused;
        beam_mode((i + 1.0) / (double)pieces, &v[1], &unused);
        beam_mode((i + 0.5) / (double)pieces, &unused, &w[2]);
        v[1] *= 0.01;
        w[2] *= 0.01;
        CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, rod.points.first + i + 1, 1, v));
        CHECK_OK(taut_world_write(world, TAUT_FIELD_ANGULAR_VELOCITIES, rod.frames.first + i, 1, w));
    }
    const double h = 1.0 / 1000;
    double last = 0, time = 0;
    int returns = 0;
    for (int i = 1; returns < 2 && i < 1000 && phys_run(world, 1, h); i++) {
        double x[3];
        phys_position(world, phys_last_of(rod.points), x);
        if (i > 1 && (x[1] > 0) != (last > 0)) {
            returns++;
            time = (i - x[1] / (x[1] - last)) * h;
        }
        last = x[1];
    }
    CHECK_INT(returns, 2);
    taut_world_destroy(world);
    return time;
}

/* 2 pi/(1.8751^2 sqrt(E I/(rho A L^4))) */
TAUT_TEST(rod_motion, beam_vibrates) {
    const double exact = 2 * PHYS_PI / (1.8751040687 * 1.8751040687 * sqrt(10));
    const double coarse = fabs(beam_period(backend, 6) / exact - 1), fine = fabs(beam_period(backend, 12) / exact - 1);
    test_note("periods wrong by %.3g and %.3g", coarse, fine);
    CHECK_NEAR(phys_order(coarse, fine), 2, 0.3);
    CHECK(fine < 0.01);
}

/* ---- a rope ------------------------------------------------------------------------------------------------------ */

/* 1 kg, 1.5 m, pinned 1 m apart, started as a V. E I/(H L^2) = 1e-7: it bends like a chain. Error of the sag and of the
 * horizontal force on the pin, over the catenary's 0.502633 m and 2.01587 N. */
static void rope_errors(taut_backend_kind backend, size_t pieces, double* sag, double* tension) {
    taut_rods_def def = taut_default_rods();
    def.radius = 0.01;
    def.young = 50;
    def.shear = 20;
    def.density = 1 / (1.5 * PHYS_PI * 1e-4);
    def.inextensible = true;
    def.straight = true;
    phys_rod_shape shape = phys_rod_along_x(pieces, 1);
    for (size_t i = 0; i <= pieces; i++) {
        shape.positions[3 * i + 1] = -sqrt(1.25) / 2 * (1 - fabs(2 * (double)i / (double)pieces - 1));
    }
    free(shape.orientations);
    shape.orientations = NULL;
    taut_scene* scene = phys_empty_scene();
    const taut_rod_ranges rod = phys_add_rod(scene, &def, shape);
    phys_fix(scene, 2, (const uint32_t[]){rod.points.first, phys_last_of(rod.points)});
    taut_world* world = phys_scheme_world(backend, scene, &phys_implicit_euler, false);
    *sag = *tension = NAN;
    if (phys_settle(world, 0.02, 0.5, 1e-5, 3000)) {
        double low[3], q[4], lam[3];
        phys_position(world, rod.points.first + pieces / 2, low);
        phys_multipliers(world, rod.segments, 3, lam);
        phys_read_frame(world, rod.frames.first, q);
        phys_rotate(q, lam, lam);
        *sag = fabs(-low[1] / 0.502633 - 1);
        *tension = fabs(fabs(lam[0]) / 2.01587 - 1);
    }
    taut_world_destroy(world);
}

TAUT_TEST(rod_motion, thin_rod_hangs_as_a_catenary) {
    double sag[2], tension[2];
    rope_errors(backend, 16, &sag[0], &tension[0]);
    rope_errors(backend, 32, &sag[1], &tension[1]);
    test_note("sag wrong by %.3g and %.3g, tension by %.3g and %.3g", sag[0], sag[1], tension[0], tension[1]);
    CHECK_NEAR(phys_order(sag[0], sag[1]), 2, 0.2);
    CHECK_NEAR(phys_order(tension[0], tension[1]), 2, 0.2);
    CHECK(sag[1] < 5e-3 && tension[1] < 1e-2);
}

/* 1000 kg on a rod of 1 kg: a particle that the last point is attached to. E I/(m g L^2) = 1e-6. */
static taut_world* make_loaded_rod(taut_backend_kind backend, double alpha, taut_geometric_stiffness geometric,
                                   taut_rod_ranges* rod, taut_range* load) {
    const double end[3] = {sin(PHYS_SWING), -cos(PHYS_SWING), 0};
    taut_rods_def def = taut_default_rods();
    def.young = 1e-2 / (PHYS_PI * 1e-8 / 4);
    def.shear = 0.4 * def.young;
    def.density = 1 / (PHYS_PI * 1e-4);
    def.inextensible = true;
    phys_rod_shape shape = phys_rod_along_x(10, 1);
    for (size_t i = 0; i <= 10; i++) {
        shape.positions[3 * i] = end[0] * (double)i / 10;
        shape.positions[3 * i + 1] = end[1] * (double)i / 10;
    }
    free(shape.orientations);
    shape.orientations = NULL;
    taut_scene* scene = phys_empty_scene();
    *rod = phys_add_rod(scene, &def, shape);
    phys_fix(scene, 1, &rod->points.first);
    taut_particles_def particle = taut_default_particles();
    particle.count = 1;
    particle.positions = end;
    particle.mass = 1000;
    CHECK_OK(taut_scene_add_particles(scene, &particle, load));
    taut_attachment_def tie = taut_default_attachment();
    tie.count = 1;
    tie.particles = (const uint32_t[]){phys_last_of(rod->points), load->first};
    CHECK_OK(taut_scene_add_attachments(scene, &tie, NULL));
    taut_world_def world_def = phys_world_def(backend, alpha, alpha);
    world_def.integrator.hard_row_damping = alpha < 1 ? 1 : 0;
    world_def.integrator.geometric_stiffness = geometric;
    world_def.solver.tolerance = 1e-7;
    return phys_world(scene, &world_def);
}

static double top_force(taut_world* world, const void* segments) {
    double lam[3];
    phys_multipliers(world, *(const taut_batch*)segments, 3, lam);
    return phys_length(lam);
}

static phys_swing swing_on_rod(taut_backend_kind backend, double alpha, taut_geometric_stiffness geometric) {
    taut_rod_ranges rod;
    taut_range load = {0, 0};
    taut_world* world = make_loaded_rod(backend, alpha, geometric, &rod, &load);
    const phys_swing result = phys_swing_load(world, load.first, 1000.5, top_force, &rod.segments);
    taut_world_destroy(world);
    test_note("alpha %g: lost %d, period %.5f s, tension error %.3g", alpha, result.lost, result.period,
              result.worst_tension);
    return result;
}

TAUT_TEST(rod_motion, light_rod_swings_a_heavy_load) {
    const double alphas[] = {1, 0.65};
    for (int i = 0; i < 2; i++) {
        const phys_swing r = swing_on_rod(backend, alphas[i], TAUT_GEOMETRIC_FULL);
        CHECK(phys_swings_right(&r));
    }
}

/* What the test above would see if the geometric stiffness of segments were lost. */
TAUT_TEST(rod_motion, heavy_load_needs_geometric_stiffness) {
    const phys_swing r = swing_on_rod(backend, 1, TAUT_GEOMETRIC_NONE);
    CHECK(!phys_swings_right(&r));
}
