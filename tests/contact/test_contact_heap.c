/* A pile of 1,540 balls at rest in a tray: each lies on four others, as cannon balls do. */
#include "contact_scenes.h"

#include <math.h>
#include <stdlib.h>

#define H         (1.0 / 60)
#define RADIUS    0.05
#define MASS      0.5
#define TOLERANCE 1e-8

/* Balls of the lowest layer, which has 14 x 19 of them; the last one has 6. */
enum { ROWS = 14, LONGER = 5 };

typedef struct heap {
    taut_world* world;
    uint32_t count;
    uint32_t tray; /* the first of five colliders */
} heap;

static void add_ball(taut_scene* scene, double x, double y, double z, uint32_t material) {
    const phys_body at = contact_at(x, y, z);
    const taut_body ball = contact_ball(scene, &at, MASS, RADIUS, material);
    contact_shape(scene, TAUT_SHAPE_SPHERE, (const double[]){RADIUS, 1, 1}, ball, NULL, NULL, material);
}

/* Balls of a layer stand `pitch` apart; those of the next one lie in the hollows. */
static heap make_heap(taut_backend_kind backend, int rows, double pitch, double friction) {
    heap p = {.count = 0};
    const double rise = sqrt(4 * RADIUS * RADIUS - pitch * pitch / 2);
    taut_scene* scene = phys_empty_scene();
    const uint32_t material = contact_material(scene, friction, 0);
    p.tray =
        contact_tray(scene, 0.5 * pitch * (rows - 1) + RADIUS, 0.5 * pitch * (rows + LONGER - 1) + RADIUS, material);
    for (int layer = 0; layer < rows; layer++) {
        const int wide = rows - layer, deep = wide + LONGER;
        for (int i = 0; i < wide * deep; i++, p.count++) {
            add_ball(scene, pitch * (i % wide - 0.5 * (wide - 1)), RADIUS + rise * layer,
                     pitch * (i / wide - 0.5 * (deep - 1)), material);
        }
    }
    taut_world_def def = contact_world_def(backend);
    def.contact.capacity = 8 * p.count;
    def.solver.tolerance = TOLERANCE;
    p.world = phys_world(scene, &def);
    return p;
}

/* Of what the tray carries, upwards. */
static double carried(const heap* p) {
    double sum = 0, force[3];
    for (uint32_t i = 0; i < 5; i++) {
        contact_force_on(p->world, p->tray + i, force);
        sum -= force[1];
    }
    return sum;
}

/* Every step converges; nothing moves, no contact pulls or overlaps, and the tray carries the weight. */
static void check_heap(taut_backend_kind backend, const char* what, double pitch, double friction) {
    const bool cuda = backend == TAUT_BACKEND_CUDA;
    heap p = make_heap(backend, cuda ? 2 : ROWS, pitch, friction);
    const double weight = p.count * MASS * PHYS_GRAVITY;
    contact_effort effort = {0};
    uint32_t contacts = 0;
    for (int i = 0; i < (cuda ? 3 : 30); i++) {
        const taut_step_info info = contact_step(p.world, H, &effort);
        double* v = phys_field(p.world, TAUT_FIELD_VELOCITIES);
        CHECK_NEAR(phys_largest(v, 3 * (size_t)p.count), 0, CONTACT_CLOSE);
        CHECK(info.complementarity <= TOLERANCE);
        CHECK(info.penetration <= CONTACT_CLOSE * H);
        CHECK_NEAR(carried(&p), weight, 1e-6 * weight);
        contacts = info.contacts;
        free(v);
    }
    contact_note(what, &effort);
    CHECK_INT(p.count, cuda ? 20 : 1540);
    CHECK(contacts >= 4 * (p.count - (cuda ? 14 : 266)) + (cuda ? 14 : 266));
    taut_world_destroy(p.world);
}

/* By friction, where balls beside each other do not touch; walls carry some of the weight. */
TAUT_TEST(contact_heap, held_by_friction) {
    check_heap(backend, "with friction", 2.04 * RADIUS, 0.6);
}

/* Balls touch their neighbours: more contacts than equilibrium determines. */
TAUT_TEST(contact_heap, smooth) {
    check_heap(backend, "smooth", 2 * RADIUS, 0);
}
