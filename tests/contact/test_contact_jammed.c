/* Overlaps that nothing lets go: rows of bodies in slots that are too short, what lies across a narrow groove, and
 * presses, whose loads are real (kernels/stages/contact/kept_load.h, pushing.h). */
#include "contact_scenes.h"

#include <math.h>

#define H      (1.0 / 60)
#define RADIUS 0.25

static taut_world* world_of(taut_scene* scene, taut_backend_kind backend) {
    taut_world_def def = taut_default_world();
    def.backend = backend;
    return phys_world(scene, &def);
}

static void add_wall(taut_scene* scene, double x, double along, uint32_t material) {
    contact_plane(scene, (const double[]){along, 0, 0}, (const double[]){x, 0, 0}, material);
}

/* Of capsules or cylinders with their axes along z, each a little aside of the last. */
static void add_row(taut_scene* scene, taut_shape shape, int count, double apart, uint32_t material) {
    for (int i = 0; i < count; i++) {
        phys_body body = contact_at((i + 0.5) * apart, RADIUS, i % 2 == 0 ? 0.003 : -0.003);
        body.mass = 1;
        taut_inertia_of_cylinder(1, RADIUS, 0.25, body.inertia);
        contact_shape(scene, shape, (const double[]){RADIUS, 0.125, 0}, phys_add_body(scene, &body), NULL, NULL,
                      material);
    }
}

/* J: the most that the world moves with in so many steps. */
static double most_kinetic(taut_world* world, int steps) {
    double most = 0;
    for (int k = 0; k < steps; k++) {
        taut_step_info info;
        CHECK_OK(taut_world_step(world, H));
        CHECK_OK(taut_world_info(world, &info));
        most = fmax(most, info.kinetic);
    }
    return most;
}

/* Three capsules between walls that are 5 mm too near, three cylinders 20 mm. The forces between them grew until one
 * was thrown out, with 176 and 934 J. */
TAUT_TEST(contact_jammed, rows_between_walls) {
    static const taut_shape shapes[] = {TAUT_SHAPE_CAPSULE, TAUT_SHAPE_CYLINDER};
    static const double short_by[] = {0.005, 0.02};
    for (int i = 0; i < 2; i++) {
        const double length = 6 * RADIUS - short_by[i];
        taut_scene* scene = phys_empty_scene();
        const uint32_t material = contact_material(scene, 0.5, 0);
        contact_ground(scene, material);
        add_wall(scene, 0, 1, material);
        add_wall(scene, length, -1, material);
        add_row(scene, shapes[i], 3, length / 3, material);
        taut_world* world = world_of(scene, backend);
        const double most = most_kinetic(world, backend == TAUT_BACKEND_CUDA ? 12 : 240);
        test_note("%s: %.3g J", i == 0 ? "capsules" : "cylinders", most);
        CHECK(most < 0.1);
        taut_world_destroy(world);
    }
}

/* A wall that comes nearer by 2 cm in a second threw one of four cylinders up by 17 m: 283 J. */
TAUT_TEST(contact_jammed, walls_that_close_slowly) {
    const double length = 8 * RADIUS, size[3] = {0.5, 1.5, 1.5}, speed = 0.02;
    const int steps = backend == TAUT_BACKEND_CUDA ? 12 : 120;
    taut_scene* scene = phys_empty_scene();
    const uint32_t material = contact_material(scene, 0.5, 0);
    phys_body wall = contact_at(length + size[0], size[1], 0);
    double most = 0;
    wall.fixed = true;
    wall.mass = 1;
    taut_inertia_of_box(1, size, wall.inertia);
    const taut_body mover = phys_add_body(scene, &wall);
    contact_ground(scene, material);
    add_wall(scene, 0, 1, material);
    contact_shape(scene, TAUT_SHAPE_BOX, size, mover, NULL, NULL, material);
    add_row(scene, TAUT_SHAPE_CYLINDER, 4, length / 4, material);
    taut_world* world = world_of(scene, backend);
    for (int k = 1; k <= steps; k++) {
        const double at[3] = {wall.x[0] - speed * H * k, wall.x[1], 0};
        CHECK_OK(taut_world_move_fixed(world, 1, &mover.point, at));
        most = fmax(most, most_kinetic(world, 1));
    }
    test_note("%.3g J", most);
    CHECK(most < 0.1);
    taut_world_destroy(world);
}

/* A ball that starts 3 cm within both walls of a groove of 4 degrees comes out slowly, whatever the friction. Parted at
 * up to 0.8 m/s from both it left with 12 m/s: 68 J. */
TAUT_TEST(contact_jammed, narrow_grooves) {
    const double a = 0.035, radius = 0.2, deep = 0.03, size[3] = {radius, 0, 0};
    for (int i = 0; i < (backend == TAUT_BACKEND_CUDA ? 1 : 2); i++) {
        taut_scene* scene = phys_empty_scene();
        const uint32_t material = contact_material(scene, i == 0 ? 0 : 0.02, 0);
        phys_body body = contact_at((radius - deep) / sin(a), 0, 0);
        body.x[1] = body.x[0];
        body.x[0] = 0;
        body.mass = 1;
        taut_inertia_of_sphere(1, radius, body.inertia);
        for (int side = -1; side <= 1; side += 2) {
            contact_plane(scene, (const double[]){side * cos(a), sin(a), 0}, NULL, material);
        }
        const taut_body ball = phys_add_body(scene, &body);
        contact_shape(scene, TAUT_SHAPE_SPHERE, size, ball, NULL, NULL, material);
        taut_world* world = world_of(scene, backend);
        const double most = most_kinetic(world, backend == TAUT_BACKEND_CUDA ? 4 : 60);
        test_note("friction %g: %.3g J", i == 0 ? 0 : 0.02, most);
        CHECK(most < 3); /* 8 J lift it out */
        taut_world_destroy(world);
    }
}

/* A press with 500 times the weight of each of three boxes that it pushes against a wall: they bear it. */
TAUT_TEST(contact_jammed, presses_are_borne) {
    const double half[3] = {0.3, 0.3, 0.3}, mass = 0.2, force[3] = {981, 0, 0};
    const int steps = backend == TAUT_BACKEND_CUDA ? 12 : 120;
    taut_body box[4];
    taut_scene* scene = phys_empty_scene();
    const uint32_t material = contact_material(scene, 0.5, 0);
    contact_ground(scene, material);
    add_wall(scene, 8 * half[0] + 0.01, -1, material);
    for (int i = 0; i < 4; i++) {
        phys_body body = contact_at((2 * i + 1) * half[0], half[1], 0);
        body.mass = mass;
        taut_inertia_of_box(mass, (const double[]){0.6, 0.6, 0.6}, body.inertia);
        box[i] = phys_add_body(scene, &body);
        contact_shape(scene, TAUT_SHAPE_BOX, half, box[i], NULL, NULL, material);
    }
    phys_add_joint(scene, TAUT_JOINT_SLIDER, TAUT_WORLD, box[0], (const double[]){half[0], half[1], 0}, NULL);
    taut_world* world = world_of(scene, backend);
    CHECK_OK(taut_world_set_forces(world, box[0].point, 1, force));
    most_kinetic(world, steps);
    for (int i = 0; i < 4; i++) {
        double x[3];
        phys_position(world, box[i].point, x);
        test_note("box %d: %.4f m", i, x[0]);
        CHECK_NEAR(x[0], (2 * i + 1) * half[0] + 0.01, 0.025);
    }
    taut_world_destroy(world);
}
