/* Masses and forces on mapped points. */
#include "phys_frames.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const phys_scheme* const schemes[] = {&phys_implicit_euler, &phys_midpoint};

static taut_range add_corner_masses(taut_scene* scene, taut_body body, const double* corners, const double* masses) {
    taut_range range = {0, 0};
    taut_body_points_def def = taut_default_body_points();
    def.count = 8;
    def.body = body;
    def.local = corners;
    def.masses = masses;
    CHECK_OK(taut_scene_add_body_points(scene, &def, &range));
    return range;
}

/* A light body with another mass at each corner of a box, and the rigid body that they make: its centre of mass in the
 * light one's axes. */
typedef struct loaded_body {
    phys_body light, whole;
    double corners[24], masses[8], centre[3];
} loaded_body;

static loaded_body make_loaded_body(void) {
    loaded_body b = {.light = {.mass = 0.2, .inertia = {0.002, 0.003, 0.004, 0.0005}, .q = {1, 0, 0, 0}}};
    b.whole = b.light;
    for (int k = 0; k < 8; k++) {
        const double corner[3] = {k & 1 ? 0.3 : -0.3, k & 2 ? 0.2 : -0.2, k & 4 ? 0.1 : -0.1};
        memcpy(b.corners + (size_t)(3 * k), corner, sizeof corner);
        b.masses[k] = 0.1 * (1 + k % 3);
        b.whole.mass += b.masses[k];
        phys_add(b.masses[k], corner, b.centre);
    }
    for (int a = 0; a < 3; a++) {
        b.centre[a] /= b.whole.mass;
    }
    phys_add_point_inertia(b.light.mass, b.centre, b.whole.inertia);
    for (int k = 0; k < 8; k++) {
        const double* c = b.corners + (size_t)(3 * k);
        const double arm[3] = {c[0] - b.centre[0], c[1] - b.centre[1], c[2] - b.centre[2]};
        phys_add_point_inertia(b.masses[k], arm, b.whole.inertia);
    }
    return b;
}

/* Errors of the orientation and of the centre of mass (which stays) after 1 s of free tumbling. */
static void loaded_body_errors(taut_backend_kind backend, const phys_scheme* scheme, double h, double* angle,
                               double* centre) {
    loaded_body b = make_loaded_body();
    const double w[3] = {0.5, 3, 0.4};
    memcpy(b.whole.w, w, sizeof w);
    memcpy(b.light.w, w, sizeof w);
    phys_cross(b.centre, w, b.light.v); /* -w x centre: the centre of mass is at rest */
    double start[3] = {b.centre[0], b.centre[1], b.centre[2]}, now[3];
    taut_scene* scene = phys_empty_scene();
    const taut_body handle = phys_add_body(scene, &b.light);
    add_corner_masses(scene, handle, b.corners, b.masses);
    taut_world* world = phys_scheme_world(backend, scene, scheme, true);
    phys_run(world, (size_t)lround(1 / h), h);
    phys_read_body(world, handle, &b.light);
    taut_world_destroy(world);
    phys_move_free_top(&b.whole, 1, 2000);
    phys_point_of(&b.light, b.centre, now);
    *angle = phys_angle_between(b.light.q, b.whole.q);
    *centre = phys_apart(now, start);
}

TAUT_TEST(mapped_masses, masses_at_corners_tumble_as_one_body) {
    for (int i = 0; i < 2; i++) {
        double angle[2], centre[2];
        loaded_body_errors(backend, schemes[i], 1.0 / 200, &angle[0], &centre[0]);
        loaded_body_errors(backend, schemes[i], 1.0 / 400, &angle[1], &centre[1]);
        test_note("alpha %g: %.3g and %.3g rad, %.3g and %.3g m", schemes[i]->alpha, angle[0], angle[1], centre[0],
                  centre[1]);
        phys_check_order(angle[0], angle[1], 1);
        CHECK(angle[1] < 3 * 3.0 / 400);         /* h w times the angle turned, 3 rad */
        CHECK(centre[1] < 0.05 * 3 * 3.0 / 400); /* the same times the centre's arm */
    }
}

/* The same body on a hinge about z through a corner, and the whole one: two codes for one pendulum. */
static double hung_height(taut_backend_kind backend, const phys_scheme* scheme, bool mapped, double h) {
    loaded_body b = make_loaded_body();
    phys_body* body = mapped ? &b.light : &b.whole;
    double axes[4], x[3], local[3] = {0};
    phys_hinge_about_z(axes);
    if (mapped) {
        memcpy(local, b.centre, sizeof local);
    } else {
        memcpy(body->x, b.centre, sizeof body->x);
    }
    taut_scene* scene = phys_empty_scene();
    const taut_body handle = phys_add_body(scene, body);
    if (mapped) {
        add_corner_masses(scene, handle, b.corners, b.masses);
    }
    phys_add_joint(scene, TAUT_JOINT_HINGE, TAUT_WORLD, handle, b.corners, axes);
    taut_world* world = phys_scheme_world(backend, scene, scheme, false);
    phys_run(world, (size_t)lround(0.6 / h), h);
    phys_read_body(world, handle, body);
    taut_world_destroy(world);
    phys_point_of(body, local, x);
    return x[1];
}

/* A light body with two equal masses at (+-0.3, 0, 0), spinning at w for ten seconds at h = 1/60 without forces: its
 * kinetic energy, over the first. */
static double energy_kept(taut_backend_kind backend, const phys_scheme* scheme, const double w[3]) {
    phys_body body = {.mass = 0.2, .inertia = {0.002, 0.002, 0.002}, .q = {1, 0, 0, 0}};
    memcpy(body.w, w, sizeof body.w);
    taut_scene* scene = phys_empty_scene();
    const taut_body handle = phys_add_body(scene, &body);
    taut_body_points_def def = taut_default_body_points();
    def.count = 2;
    def.body = handle;
    def.local = (const double[]){0.3, 0, 0, -0.3, 0, 0};
    def.masses = (const double[]){0.5, 0.5};
    CHECK_OK(taut_scene_add_body_points(scene, &def, NULL));
    taut_world* world = phys_scheme_world(backend, scene, scheme, true);
    taut_step_info first = {0}, last = {0};
    phys_run(world, 1, 1.0 / 60);
    CHECK_OK(taut_world_info(world, &first));
    phys_run(world, 600, 1.0 / 60);
    CHECK_OK(taut_world_info(world, &last));
    taut_world_destroy(world);
    return last.kinetic / first.kinetic;
}

/* Centrifugal forces turn with the body and cancel: they must not brake its spin, as forces that stay in the world
 * would. About another axis they pull at the spin; an implicit scheme must not gain energy by that. */
TAUT_TEST(mapped_masses, spin_lasts) {
    for (int i = 0; i < 2; i++) {
        test_note("alpha %g", schemes[i]->alpha);
        CHECK_NEAR(energy_kept(backend, schemes[i], (const double[]){0, 0, 3}), 1, 1e-4);
        CHECK_NEAR(energy_kept(backend, schemes[i], (const double[]){1, 0, 3}), 1, 0.05);
        CHECK(energy_kept(backend, schemes[i], (const double[]){3, 0, 9}) < 1.05);
    }
}

TAUT_TEST(mapped_masses, masses_at_corners_swing_as_one_body) {
    for (int i = 0; i < 2; i++) {
        double apart[2];
        for (int k = 0; k < 2; k++) {
            const double h = 1.0 / (240 << k);
            apart[k] = fabs(hung_height(backend, schemes[i], true, h) - hung_height(backend, schemes[i], false, h));
        }
        test_note("alpha %g: %.3g and %.3g m apart", schemes[i]->alpha, apart[0], apart[1]);
        phys_check_order(apart[0], apart[1], 1);
        CHECK(apart[1] < 0.4 * 5.0 / 480); /* h w times the arm, at 5 rad/s */
    }
}

/* Masses 1 and 2 with 4 in the middle: matrix ((2, 1), (1, 3)). A force f on the first gives 3f/5 and -f/5. */
TAUT_TEST(mapped_masses, mass_between_two_particles) {
    const double points[6] = {0, 0, 0, 1, 0, 0};
    taut_scene* scene = phys_scene(2, points, (const double[]){1, 2});
    taut_range middle = {0, 0};
    taut_combinations_def def = taut_default_combinations();
    def.count = 1;
    def.arity = 2;
    def.parents = (const uint32_t[]){0, 1};
    def.weights = (const double[]){0.5, 0.5};
    def.masses = (const double[]){4};
    CHECK_OK(taut_scene_add_combinations(scene, &def, &middle));
    taut_world* world = phys_scheme_world(backend, scene, schemes[0], false);
    CHECK_OK(taut_world_set_forces(world, 0, 1, (const double[]){10, 0, 5}));
    phys_run(world, 20, 0.01);
    double v[9];
    CHECK_OK(taut_world_read(world, TAUT_FIELD_VELOCITIES, 0, 3, v));
    const double t = 0.2, fall = -PHYS_GRAVITY * t;
    const double expected[9] = {6 * t, fall, 3 * t, -2 * t, fall, -1 * t, 2 * t, fall, 1 * t};
    CHECK_NEAR(phys_farthest(v, expected, 9), 0, 1e-6);

    /* A force on the middle is half on either: (3 f/2 - f/2)/5 and (2 f/2 - f/2)/5. */
    CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, 0, 2, (const double[6]){0}));
    CHECK_OK(taut_world_set_forces(world, 0, 1, (const double[]){0, 0, 0}));
    CHECK_OK(taut_world_set_forces(world, middle.first, 1, (const double[]){10, 0, 0}));
    phys_run(world, 20, 0.01);
    CHECK_OK(taut_world_read(world, TAUT_FIELD_VELOCITIES, 0, 3, v));
    CHECK_NEAR(v[0], 2 * t, 1e-6);
    CHECK_NEAR(v[3], 1 * t, 1e-6);
    CHECK_NEAR(v[6], 1.5 * t, 1e-6);
    taut_world_destroy(world);
}

/* The first particle held: the other falls with (m2 + M/2) g/(m2 + M/4) = 4 g/3, and the support feels 5 g/3. Held by
 * being fixed or by a hard target. */
TAUT_TEST(mapped_masses, mass_between_a_held_and_a_free_particle) {
    for (int held = 0; held < 2; held++) {
        const double points[6] = {0, 0, 0, 1, 0, 0};
        taut_scene* scene = phys_scene(2, points, (const double[]){1, 2});
        taut_batch target = {0};
        taut_combinations_def def = taut_default_combinations();
        def.count = 1;
        def.arity = 2;
        def.parents = (const uint32_t[]){0, 1};
        def.weights = (const double[]){0.5, 0.5};
        def.masses = (const double[]){4};
        CHECK_OK(taut_scene_add_combinations(scene, &def, NULL));
        if (held == 0) {
            phys_fix(scene, 1, (const uint32_t[]){0});
        } else {
            taut_target_def pin = taut_default_target();
            pin.count = 1;
            pin.particles = (const uint32_t[]){0};
            CHECK_OK(taut_scene_add_targets(scene, &pin, &target));
        }
        taut_world* world = phys_scheme_world(backend, scene, schemes[0], false);
        phys_run(world, 20, 0.01);
        double v[6], lam[3];
        CHECK_OK(taut_world_read(world, TAUT_FIELD_VELOCITIES, 0, 2, v));
        CHECK_NEAR(v[1], 0, 1e-7);
        CHECK_NEAR(v[4], -4 * PHYS_GRAVITY / 3 * 0.2, 1e-6);
        if (held == 1) {
            phys_multipliers(world, target, 3, lam);
            CHECK_NEAR(lam[1], 5 * PHYS_GRAVITY / 3, 1e-5);
        }
        taut_world_destroy(world);
    }
}

/* A force at a point of a body is the force and its moment, exactly so for a body without preferred axes. */
TAUT_TEST(mapped_masses, force_on_a_point_of_a_body) {
    phys_body body = {.mass = 2, .inertia = {0.5, 0.5, 0.5}, .x = {1, 2, 3}};
    const double local[3] = {0.3, -0.1, 0.2}, force[3] = {4, -2, 6};
    double arm[3], moment[3], at[3];
    phys_turn((const double[]){1, 1, -1}, 0.7, body.q);
    phys_rotate(body.q, local, arm);
    phys_cross(arm, force, moment);
    phys_point_of(&body, local, at);
    taut_scene* scene = phys_empty_scene();
    const taut_body handle = phys_add_body(scene, &body);
    const uint32_t point = phys_add_body_point(scene, handle, at);
    taut_world_def def = phys_world_def(backend, 1, 1);
    def.gravity[1] = 0;
    def.integrator.geometric_stiffness = TAUT_GEOMETRIC_NONE; /* it would resist the turn, by h^2 |arm| |force| */
    taut_world* world = phys_world(scene, &def);
    CHECK_OK(taut_world_set_forces(world, point, 1, force));
    phys_run(world, 1, 0.01);
    phys_read_body(world, handle, &body);
    for (int a = 0; a < 3; a++) {
        CHECK_NEAR(body.v[a], 0.01 * force[a] / 2, 1e-9);
        CHECK_NEAR(body.w[a], 0.01 * moment[a] / 0.5, 1e-7 * phys_length(moment));
    }
    taut_world_destroy(world);
}
