/* A hand that holds a body by a place beside its centre, and slowly pushes it against another one: nothing flies off.
 * The place is a mapped point, and the hand a hard constraint that was added, beside contacts with friction. */
#include "contact_scenes.h"

#include <math.h>

typedef struct push {
    double frames, speed, friction; /* a second; m/s of the hand */
    double half[2], mass[2];        /* of what it holds, and of the other one */
    double held[3], aside;          /* m: where it holds it, from the centre; of the first centre along z */
} push;

static taut_body add_cube(taut_scene* scene, double half, double mass, double x, double z, uint32_t material) {
    const double halves[3] = {half, half, half};
    phys_body at = contact_at(x, half, z);
    at.mass = mass;
    taut_inertia_of_box(mass, (const double[]){2 * half, 2 * half, 2 * half}, at.inertia);
    const taut_body body = phys_add_body(scene, &at);
    contact_shape(scene, TAUT_SHAPE_BOX, halves, body, NULL, NULL, material);
    return body;
}

/* m/s: the fastest that the other one ever is in two seconds (on CUDA in some steps). */
static double push_speed(taut_backend_kind backend, const push* p) {
    taut_scene* scene = phys_empty_scene();
    const uint32_t material = contact_material(scene, p->friction, 0);
    contact_ground(scene, material);
    const taut_body first = add_cube(scene, p->half[0], p->mass[0], 0, p->aside, material);
    const taut_body other = add_cube(scene, p->half[1], p->mass[1], p->half[0] + p->half[1] + 0.02, 0, material);
    const double from[3] = {p->held[0], p->half[0] + p->held[1], p->aside + p->held[2]};
    const uint32_t point = phys_add_body_point(scene, first, from);
    taut_world_def def = taut_default_world();
    def.backend = backend;
    def.threads = 1;
    def.reserve.targets = 1;
    taut_world* world = phys_world(scene, &def);
    taut_added hand = {0};
    double fastest = 0;
    const int steps = backend == TAUT_BACKEND_CUDA ? 5 : (int)(2 * p->frames);
    for (int i = 1; i <= steps; i++) {
        const double at[3] = {from[0] + p->speed * i / p->frames, from[1], from[2]};
        double v[3];
        CHECK_OK(taut_world_grab(world, point, at, 0, &hand));
        CHECK_OK(taut_world_step(world, 1 / p->frames));
        phys_velocity(world, other.point, v);
        fastest = fmax(fastest, phys_length(v));
    }
    taut_world_destroy(world);
    return fastest;
}

TAUT_TEST(contact_hand, what_is_pushed_slowly_does_not_fly_off) {
    static const push all[] = {
        {240, 0.2, 0.8, {0.05, 0.05}, {9.3393, 0.27528}, {0.03547, -0.03292, 0.03434}, 0.01116},
        {240, 0.1, 0.5, {0.05, 0.05}, {0.41206, 0.48473}, {0.0388, -0.0093, -0.01283}, 0.00479},
        {240, 0.2, 0.5, {0.05, 0.1}, {0.39308, 1.57063}, {-0.01917, -0.01447, -0.04115}, 0.04122},
        {60, 0.2, 0.5, {0.1, 0.1}, {1, 1}, {-0.1, -0.05, 0}, 0},
    };
    const size_t count = backend == TAUT_BACKEND_CUDA ? 1 : sizeof all / sizeof *all;
    for (size_t i = 0; i < count; i++) {
        const double fastest = push_speed(backend, &all[i]);
        test_note("push %zu: %g m/s", i, fastest);
        CHECK(fastest < 1.3);
    }
    test_note(NULL);
}
