/* What rolls without slip keeps its motion, under every formulation of the step and both laws of contact: the place in
 * which it touches stays below its centre, while the body turns. */
#include "contact_scenes.h"

#include <math.h>
#include <string.h>

#define RADIUS 0.2
#define MASS   1.7
#define SPEED  0.9
#define H      0.01

/* ---- formulations ------------------------------------------------------------------------------------------------ */

enum { NEWTON = TAUT_PRESET_SDIRK2, NEWTON_MIDPOINT, TWO_STAGE_MIDPOINT, TWO_STAGE_SYMPLECTIC, THETA, FORMULATIONS };

static const char* const names[] = {"Newton", "Newton, midpoint", "two stages, midpoint", "two stages, symplectic",
                                    "theta 0.7"};

static taut_integrator formulation_of(int which) {
    const bool midpoint = which == NEWTON_MIDPOINT || which == TWO_STAGE_MIDPOINT;
    const taut_preset preset = which < TAUT_PRESET_SDIRK2      ? (taut_preset)which
                               : midpoint                      ? TAUT_PRESET_MIDPOINT
                               : which == TWO_STAGE_SYMPLECTIC ? TAUT_PRESET_SYMPLECTIC_EULER
                                                               : TAUT_PRESET_IMPLICIT_EULER;
    taut_integrator out = phys_preset(preset);
    out.guard = true;
    out.newton = which == NEWTON || which == NEWTON_MIDPOINT ? 20 : 1;
    out.two_stage = which == TWO_STAGE_MIDPOINT || which == TWO_STAGE_SYMPLECTIC;
    if (which == THETA) {
        out.alpha = 0.7;
    }
    return out;
}

/* By all of them and both laws. */
static void by_every_formulation(taut_backend_kind backend, void (*check)(const taut_world_def* def)) {
    for (int which = 0; which < FORMULATIONS; which++) {
        for (int law = TAUT_CONTACT_CONVEX; law <= TAUT_CONTACT_EXACT; law++) {
            taut_world_def def = contact_world_def(backend);
            def.contact.law = (taut_contact_law)law;
            def.integrator = formulation_of(which);
            test_note("%s, %s law",
                      which < TAUT_PRESET_SDIRK2 ? taut_preset_name((taut_preset)which)
                                                 : names[which - TAUT_PRESET_SDIRK2],
                      law == TAUT_CONTACT_CONVEX ? "convex" : "exact");
            check(&def);
        }
    }
    test_note(NULL);
}

/* 10 s. */
static size_t steps_of(const taut_world_def* def) {
    return def->backend == TAUT_BACKEND_CUDA ? 30 : 1000;
}

static double energy_of(const phys_body* body) {
    return phys_kinetic(body) + body->mass * PHYS_GRAVITY * body->x[1];
}

/* Runs a body that rolls; its energy stays within 1 % of its kinetic energy in every step. */
static void roll(taut_world* world, taut_body handle, phys_body* body, size_t steps) {
    const double start = energy_of(body), most = 0.01 * phys_kinetic(body);
    double off = 0;
    for (size_t i = 0; i < steps && contact_run(world, 1, H, NULL); i++) {
        phys_read_body(world, handle, body);
        off = phys_worse(off, fabs(energy_of(body) - start));
    }
    CHECK_NEAR(off, 0, most);
}

/* ---- round bodies on a plane ------------------------------------------------------------------------------------- */

/* A body that lies along the world's z axis, and rolls towards x. */
static phys_body lying(const double inertia[6]) {
    phys_body body = contact_at(0, RADIUS, 0);
    body.mass = MASS;
    memcpy(body.inertia, inertia, sizeof body.inertia);
    body.v[0] = SPEED;
    body.w[2] = -SPEED / RADIUS;
    return body;
}

/* Goes straight on at its speed, and turns as fast as it goes. */
static void check_straight(const taut_world_def* def, taut_scene* scene, taut_body handle, phys_body body) {
    taut_world* world = phys_world(scene, def);
    const size_t steps = steps_of(def);
    roll(world, handle, &body, steps);
    CHECK_NEAR(body.x[0], SPEED * H * (double)steps, 0.01 * SPEED * H * (double)steps);
    CHECK_NEAR(body.v[0], SPEED, 1e-3 * SPEED);
    CHECK_NEAR(body.w[2], -SPEED / RADIUS, 1e-3 * SPEED / RADIUS);
    CHECK_NEAR(body.x[1], RADIUS, 1e-3 * RADIUS);
    CHECK_NEAR(fmax(fabs(body.x[2]), hypot(body.w[0], body.w[1])), 0, 1e-3 * RADIUS);
    taut_world_destroy(world);
}

static void check_shape(const taut_world_def* def, taut_shape shape, const double size[3], const double inertia[6]) {
    taut_scene* scene = phys_empty_scene();
    const uint32_t material = contact_material(scene, 0.8, 0);
    const phys_body body = lying(inertia);
    const taut_body handle = phys_add_body(scene, &body);
    contact_ground(scene, material);
    contact_shape(scene, shape, size, handle, NULL, NULL, material);
    check_straight(def, scene, handle, body);
}

static void check_ball(const taut_world_def* def) {
    double inertia[6];
    taut_inertia_of_sphere(MASS, RADIUS, inertia);
    check_shape(def, TAUT_SHAPE_SPHERE, (const double[]){RADIUS, 0, 0}, inertia);
}

static void check_capsule(const taut_world_def* def) {
    double inertia[6];
    taut_inertia_of_cylinder(MASS, RADIUS, 3 * RADIUS, inertia);
    check_shape(def, TAUT_SHAPE_CAPSULE, (const double[]){RADIUS, RADIUS, 0}, inertia);
}

static void check_cylinder(const taut_world_def* def) {
    double inertia[6];
    taut_inertia_of_cylinder(MASS, RADIUS, 3 * RADIUS, inertia);
    check_shape(def, TAUT_SHAPE_CYLINDER, (const double[]){RADIUS, 1.5 * RADIUS, 0}, inertia);
}

TAUT_TEST(contact_wheels, ball) {
    by_every_formulation(backend, check_ball);
}
TAUT_TEST(contact_wheels, capsule) {
    by_every_formulation(backend, check_capsule);
}
TAUT_TEST(contact_wheels, cylinder) {
    by_every_formulation(backend, check_cylinder);
}

/* A ball that is a contact point of its body, on a plane and on the face of a box. */
static void check_point(const taut_world_def* def) {
    for (int on_box = 0; on_box < 2; on_box++) {
        taut_scene* scene = phys_empty_scene();
        const uint32_t material = contact_material(scene, 0.8, 0);
        double inertia[6];
        taut_inertia_of_sphere(MASS, RADIUS, inertia);
        const phys_body body = lying(inertia);
        const taut_body handle = contact_ball(scene, &body, MASS, RADIUS, material);
        if (on_box) {
            contact_shape(scene, TAUT_SHAPE_BOX, (const double[]){20, 0.5, 1}, TAUT_WORLD, (const double[]){0, -0.5, 0},
                          NULL, material);
        } else {
            contact_ground(scene, material);
        }
        check_straight(def, scene, handle, body);
    }
}

TAUT_TEST(contact_wheels, contact_point) {
    by_every_formulation(backend, check_point);
}

/* ---- about a tip ------------------------------------------------------------------------------------------------- */

/* A cone with the half angle a that lies on a plane goes round its tip at p, and turns about the line in which it
 * touches at p cos a / sin a. Its axis of rotation goes round with it, which leaves an error of the first order in h in
 * most formulations; implicit Euler keeps its energy. */
TAUT_TEST(contact_wheels, cone_about_its_tip) {
    const double height = 0.4, slope = hypot(height, RADIUS), sine = RADIUS / slope, cosine = height / slope;
    const double round = 1.2, far = 0.75 * height, tilt[3] = {0, 0, -1}, upright[3] = {0, 1, 0};
    const taut_world_def def = contact_world_def(backend);
    taut_scene* scene = phys_empty_scene();
    const uint32_t material = contact_material(scene, 0.8, 0);
    phys_body body = contact_at(-far * cosine, far * sine, 0);
    double along[4], down[4];
    taut_inertia_of_cone(MASS, RADIUS, height, body.inertia);
    body.mass = MASS;
    phys_turn(upright, PHYS_PI / 2, along); /* its tip towards +x */
    phys_turn(tilt, asin(sine), down);
    phys_multiply(down, along, body.q);
    body.w[0] = round * cosine / sine;
    phys_cross((const double[]){0, round, 0}, body.x, body.v);
    const taut_body handle = phys_add_body(scene, &body);
    contact_ground(scene, material);
    contact_shape(scene, TAUT_SHAPE_CONE, (const double[]){RADIUS, height / 2, 0}, handle,
                  (const double[]){0, 0, height / 4}, NULL, material);
    taut_world* world = phys_world(scene, &def);
    const size_t steps = steps_of(&def);
    const double angle = round * H * (double)steps;
    roll(world, handle, &body, steps);
    CHECK_NEAR(body.x[0], -far * cosine * cos(angle), 0.01 * far);
    CHECK_NEAR(body.x[1], far * sine, 0.001 * far);
    CHECK_NEAR(body.x[2], far * cosine * sin(angle), 0.01 * far);
    taut_world_destroy(world);
}

/* ---- on what moves ----------------------------------------------------------------------------------------------- */

/* A plank on four balls goes twice as fast as they do. None of them slips, and nothing holds them back. */
static void check_plank(const taut_world_def* def) {
    taut_scene* scene = phys_empty_scene();
    const uint32_t material = contact_material(scene, 0.8, 0);
    const double half[3] = {1, 0.05, 0.4};
    const size_t steps = steps_of(def) < 100 ? 10 : 60;
    contact_ground(scene, material);
    for (int i = 0; i < 4; i++) {
        phys_body wheel = contact_at(i % 2 ? 0.5 : -0.5, RADIUS, i / 2 ? 0.3 : -0.3);
        wheel.v[0] = SPEED / 2;
        wheel.w[2] = -SPEED / 2 / RADIUS;
        const taut_body at = contact_ball(scene, &wheel, MASS, RADIUS, material);
        contact_shape(scene, TAUT_SHAPE_SPHERE, (const double[]){RADIUS, 0, 0}, at, NULL, NULL, material);
    }
    phys_body plank = contact_at(0, 2 * RADIUS + half[1], 0);
    taut_inertia_of_box(MASS, (const double[]){2 * half[0], 2 * half[1], 2 * half[2]}, plank.inertia);
    plank.mass = MASS;
    plank.v[0] = SPEED;
    const taut_body handle = phys_add_body(scene, &plank);
    contact_shape(scene, TAUT_SHAPE_BOX, half, handle, NULL, NULL, material);
    taut_world* world = phys_world(scene, def);
    contact_run(world, steps, H, NULL);
    phys_read_body(world, handle, &plank);
    CHECK_NEAR(plank.x[0], SPEED * H * (double)steps, 0.01 * SPEED * H * (double)steps);
    CHECK_NEAR(plank.v[0], SPEED, 2e-3 * SPEED);
    CHECK_NEAR(plank.x[1], 2 * RADIUS + half[1], 2e-3 * RADIUS);
    CHECK_NEAR(phys_length(plank.w), 0, 2e-3);
    taut_world_destroy(world);
}

TAUT_TEST(contact_wheels, plank_on_balls) {
    by_every_formulation(backend, check_plank);
}
