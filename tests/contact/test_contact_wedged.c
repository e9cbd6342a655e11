/* Bodies that joints hold flush with what they slide along, and what is wedged between walls: their friction is that of
 * their load, not of what would hold them (kernels/stages/contact/wedged.h). */
#include "contact_scenes.h"

#include <math.h>

static const double half[3] = {0.2, 0.1, 0.2};
/* Axes of a joint whose x is the world's y. */
static const double upright[4] = {0.70710678118654752, 0, 0, 0.70710678118654752};

static taut_world* world_of(taut_scene* scene, taut_backend_kind backend, double fall) {
    taut_world_def def = contact_world_def(backend);
    def.contact.law = TAUT_CONTACT_CONVEX;
    def.gravity[1] = -fall;
    def.solver.tolerance = 1e-6;
    return phys_world(scene, &def);
}

/* A box on a slider along the ground, or a fifth of a millimetre above it, drawn by 200 N; no gravity, so that there is
 * no load. It went 0.02 and 0.04 of the way. */
TAUT_TEST(contact_wedged, sliders_along_the_ground) {
    for (int i = 0; i < 2; i++) {
        const double mass = 10, h = i == 0 ? 1.0 / 24 : 1.0 / 120, gap = i == 0 ? 0 : 2e-4, pull[3] = {200, 0, 0};
        const double at[3] = {0, half[1] + gap, 0};
        const int steps = 4;
        taut_scene* scene = phys_empty_scene();
        const uint32_t material = contact_material(scene, 0.5, 0);
        const phys_body body = contact_at(at[0], at[1], at[2]);
        contact_ground(scene, material);
        const taut_body box = contact_box(scene, &body, mass, half, material);
        phys_add_joint(scene, TAUT_JOINT_SLIDER, TAUT_WORLD, box, at, NULL);
        taut_world* world = world_of(scene, backend, 0);
        double v[3], x[3];
        CHECK_OK(taut_world_set_forces(world, box.point, 1, pull));
        contact_run(world, steps, h, NULL);
        phys_velocity(world, box.point, v);
        phys_position(world, box.point, x);
        CHECK_NEAR(v[0], pull[0] / mass * steps * h, 1e-3 * v[0]);
        CHECK_NEAR(x[1], at[1], 1e-6);
        taut_world_destroy(world);
    }
}

/* Three boxes of different masses in a row, joined by ball joints, slide as one with the friction of their weight. */
TAUT_TEST(contact_wedged, trains_slide_by_their_weight) {
    const double h = 1.0 / 60, mu = 0.4;
    const int steps = 10;
    taut_body boxes[3];
    taut_scene* scene = phys_empty_scene();
    const uint32_t material = contact_material(scene, mu, 0);
    contact_ground(scene, material);
    for (int i = 0; i < 3; i++) {
        phys_body body = contact_at(0.5 * i, half[1], 0);
        body.v[0] = 6;
        boxes[i] = contact_box(scene, &body, 2 + 3 * i, half, material);
    }
    for (int i = 0; i < 2; i++) {
        const double at[3] = {0.5 * i + 0.25, half[1], 0};
        phys_add_joint(scene, TAUT_JOINT_BALL, boxes[i], boxes[i + 1], at, NULL);
    }
    taut_world* world = world_of(scene, backend, PHYS_GRAVITY);
    contact_run(world, steps, h, NULL);
    for (int i = 0; i < 3; i++) {
        double v[3], x[3];
        phys_velocity(world, boxes[i].point, v);
        phys_position(world, boxes[i].point, x);
        CHECK_NEAR(v[0], 6 - mu * PHYS_GRAVITY * steps * h, 0.01);
        CHECK_NEAR(x[1], half[1], 2e-4);
    }
    taut_world_destroy(world);
}

/* What a joint pushes against a wall has the friction of that push: a box on a slider across the wall, pressed by 50 N,
 * sticks with mu 0.5 below 25 N and slides with what is above. */
TAUT_TEST(contact_wedged, pushed_boxes_have_the_friction_of_their_push) {
    for (int i = 0; i < 2; i++) {
        const double mass = 3, h = 1.0 / 60, along = i == 0 ? 20 : 40, force[3] = {along, -50, 0};
        const double at[3] = {0, half[1], 0};
        const int steps = 4;
        taut_scene* scene = phys_empty_scene();
        const uint32_t material = contact_material(scene, 0.5, 0);
        const phys_body body = contact_at(at[0], at[1], at[2]), carriage_at = contact_at(0, 1, 0);
        contact_ground(scene, material);
        const taut_body box = contact_box(scene, &body, mass, half, material);
        phys_body heavy = carriage_at;
        heavy.mass = 2;
        taut_inertia_of_box(heavy.mass, (const double[]){0.2, 0.2, 0.2}, heavy.inertia);
        const taut_body carriage = phys_add_body(scene, &heavy);
        phys_add_joint(scene, TAUT_JOINT_SLIDER, TAUT_WORLD, carriage, carriage_at.x, NULL);
        phys_add_joint(scene, TAUT_JOINT_SLIDER, carriage, box, at, upright);
        taut_world* world = world_of(scene, backend, 0);
        double v[3];
        CHECK_OK(taut_world_set_forces(world, box.point, 1, force));
        contact_run(world, steps, h, NULL);
        phys_velocity(world, box.point, v);
        CHECK_NEAR(v[0], fmax(0, along - 25) / (mass + 2) * steps * h, 0.02);
        taut_world_destroy(world);
    }
}

/* A ball on a hinge of a carriage that draws it over the ground: at the height c over the ground and the distance L
 * ahead of the ball, it bears W L/(L + mu c) by moments. With bounds that follow its load as it is, the load went to
 * and fro where mu c > L, or was none. */
TAUT_TEST(contact_wedged, friction_unloads_what_is_drawn_from_above) {
    static const double height[] = {2, 0.3, 1, 4};
    for (int i = 0; i < (backend == TAUT_BACKEND_CUDA ? 1 : 4); i++) {
        const double mass = 10, radius = 0.05, ahead = 0.5, mu = 1, at[3] = {ahead, height[i], 0};
        double about_z[4];
        phys_hinge_about_z(about_z);
        taut_scene* scene = phys_empty_scene();
        const uint32_t material = contact_material(scene, mu, 0), ground = contact_ground(scene, material);
        phys_body body = contact_at(0, radius, 0), heavy = contact_at(ahead, height[i], 0);
        body.v[0] = heavy.v[0] = 1;
        heavy.mass = 1e5;
        taut_inertia_of_box(heavy.mass, (const double[]){1, 1, 1}, heavy.inertia);
        const taut_body ball = contact_ball(scene, &body, mass, radius, material);
        const taut_body carriage = phys_add_body(scene, &heavy);
        phys_add_joint(scene, TAUT_JOINT_SLIDER, TAUT_WORLD, carriage, at, NULL);
        phys_add_joint(scene, TAUT_JOINT_HINGE, carriage, ball, at, about_z);
        taut_world* world = world_of(scene, backend, PHYS_GRAVITY);
        double force[3];
        contact_run(world, backend == TAUT_BACKEND_CUDA ? 12 : 24, 1.0 / 60, NULL);
        contact_force_on(world, ground, force);
        test_note("height %g", height[i]);
        const double load = mass * PHYS_GRAVITY * ahead / (ahead + mu * height[i]);
        CHECK_NEAR(-force[1], load, 0.12 * load);
        CHECK_NEAR(force[0], mu * load, 0.12 * load);
        taut_world_destroy(world);
    }
}

/* A ball that starts 3 cm within both walls of a groove, or falls in with 3 m/s, comes out of them, and no faster than
 * it would out of a floor. Friction that presses one wall against the other threw it up with 20 J. */
TAUT_TEST(contact_wedged, balls_in_grooves) {
    static const struct {
        double friction, angle, fall;
        uint32_t substeps;
    } cases[] = {{1, 45, 0, 1}, {0.5, 30, 0, 1}, {0.5, 30, 3, 1}, {0.5, 30, 0, 4}, {1, 45, 3, 1}};
    const double radius = 0.1, deep = 0.03, size[3] = {radius, 0, 0};
    for (int i = 0; i < (backend == TAUT_BACKEND_CUDA ? 1 : 5); i++) {
        const double a = 3.14159265358979 / 180 * cases[i].angle;
        taut_scene* scene = phys_empty_scene();
        taut_world_def def = taut_default_world();
        const uint32_t material = contact_material(scene, cases[i].friction, 0);
        phys_body body = contact_at(0, (radius - deep) / sin(a), 0);
        double most = 0;
        body.mass = 1;
        body.v[1] = -cases[i].fall;
        taut_inertia_of_sphere(1, radius, body.inertia);
        for (int side = -1; side <= 1; side += 2) {
            contact_plane(scene, (const double[]){0, sin(a), side * cos(a)}, NULL, material);
        }
        const taut_body ball = phys_add_body(scene, &body);
        contact_shape(scene, TAUT_SHAPE_SPHERE, size, ball, NULL, NULL, material);
        def.backend = backend;
        def.integrator.substeps = cases[i].substeps;
        taut_world* world = phys_world(scene, &def);
        for (int k = 0; k < (backend == TAUT_BACKEND_CUDA ? 4 : 30); k++) {
            taut_step_info info;
            CHECK_OK(taut_world_step(world, 1.0 / 60));
            CHECK_OK(taut_world_info(world, &info));
            most = fmax(most, info.kinetic + info.potential - PHYS_GRAVITY * body.x[1]);
        }
        test_note("friction %g, %g degrees, %g m/s, %u substeps: %.3f J", cases[i].friction, cases[i].angle,
                  cases[i].fall, cases[i].substeps, most);
        CHECK(most < 2.5 * PHYS_GRAVITY * deep / sin(a));
        taut_world_destroy(world);
    }
}
