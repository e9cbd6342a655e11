/* Heaps of loose bodies in scenes in which other things are held together: those that touch none of it are solved
 * beside it (src/host/cpu/heaps.c). */
#include "contact_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define H    (1.0 / 60)
#define SIDE 0.1
#define MASS 0.4

enum { ACROSS = 4, BOXES = ACROSS * ACROSS * ACROSS, STEPS = 60 };

/* What there is besides the heap: nothing, a chain far away, or one whose ball swings into it. */
typedef enum company { ALONE, FAR, SWINGING } company;

/* A chain of hard links with a heavy end, from this place on. */
static void add_chain(taut_scene* scene, const double from[3], const double way[3], uint32_t material) {
    enum { LINKS = 6 };
    taut_body last = {0, 0};
    for (int i = 0; i <= LINKS; i++) {
        phys_body body = contact_at(from[0] + way[0] * i, from[1] + way[1] * i, from[2]);
        const bool load = i == LINKS;
        const double moment = load ? 8e-3 : 1e-4;
        body.fixed = i == 0;
        body.mass = load ? 2 : 0.05;
        memcpy(body.inertia, (const double[6]){moment, moment, moment, 0, 0, 0}, sizeof body.inertia);
        const taut_body next = phys_add_body(scene, &body);
        if (load) {
            contact_shape(scene, TAUT_SHAPE_SPHERE, (const double[]){0.1, 1, 1}, next, NULL, NULL, material);
        }
        if (i > 0) {
            const double back = i - 0.5, at[3] = {from[0] + way[0] * back, from[1] + way[1] * back, from[2]};
            phys_add_joint(scene, TAUT_JOINT_BALL, last, next, at, NULL);
        }
        last = next;
    }
}

/* Boxes that fall a little, no two alike. Their numbers come first. */
static taut_world* make_heap(taut_backend_kind backend, company with) {
    const double half[3] = {SIDE / 2, SIDE / 2, SIDE / 2}, moment = MASS * SIDE * SIDE / 6;
    taut_scene* scene = phys_empty_scene();
    const uint32_t material = contact_material(scene, 0.5, 0);
    contact_ground(scene, material);
    for (int i = 0; i < BOXES; i++) {
        const int layer = i / (ACROSS * ACROSS), row = i / ACROSS % ACROSS;
        phys_body body = contact_at(0.13 * (i % ACROSS) + 0.004 * sin(7.0 * i), 0.055 + 0.112 * layer,
                                    0.13 * row + 0.004 * cos(5.0 * i));
        body.mass = MASS;
        memcpy(body.inertia, (const double[6]){moment, moment, moment, 0, 0, 0}, sizeof body.inertia);
        const taut_body box = phys_add_body(scene, &body);
        contact_shape(scene, TAUT_SHAPE_BOX, half, box, NULL, NULL, material);
    }
    if (with == FAR) {
        add_chain(scene, (const double[]){20, 2, 0}, (const double[]){0, -0.2, 0}, material);
    } else if (with == SWINGING) {
        add_chain(scene, (const double[]){0.8, 1.45, 0.2}, (const double[]){0.2, 0, 0}, material);
    }
    taut_world_def def = taut_default_world();
    def.backend = backend;
    def.contact.capacity = 16 * BOXES;
    def.solver.tolerance = 1e-8;
    return phys_world(scene, &def);
}

static double energy_of(taut_world* world) {
    taut_step_info info;
    CHECK_OK(taut_world_info(world, &info));
    return info.kinetic + info.potential;
}

/* A chain that hangs 20 m away changes nothing but the order in which impulses follow how boxes slide: positions are
 * those of the heap alone to 0.2 mm, and no step is made in parts. */
TAUT_TEST(contact_beside, heaps_move_as_alone) {
    const bool cuda = backend == TAUT_BACKEND_CUDA;
    taut_world *alone = make_heap(backend, ALONE), *far = make_heap(backend, FAR);
    for (int i = 0; alone != NULL && far != NULL && i < (cuda ? 5 : STEPS); i++) {
        taut_step_info info;
        test_note("step %d", i);
        CHECK_OK(taut_world_step(alone, H));
        CHECK_OK(taut_world_step(far, H));
        CHECK_OK(taut_world_info(far, &info));
        CHECK_INT(info.outcome, TAUT_SOLVE_CONVERGED);
        CHECK_INT(info.subdivided, 0);
        double *a = phys_field(alone, TAUT_FIELD_POSITIONS), *b = phys_field(far, TAUT_FIELD_POSITIONS);
        CHECK_NEAR(phys_farthest(a, b, (size_t)3 * BOXES), 0, 2e-4);
        free(a);
        free(b);
    }
    taut_world_destroy(alone);
    taut_world_destroy(far);
}

/* A heavy ball on a chain swings into the heap, which is one system with the chain while they touch. Nothing gains
 * energy. */
TAUT_TEST(contact_beside, heaps_are_hit) {
    const int steps = backend == TAUT_BACKEND_CUDA ? 0 : 90; /* minutes in the emulator */
    taut_world* world = make_heap(backend, SWINGING);
    const double start = world != NULL ? energy_of(world) : 0;
    uint32_t short_of = 0;
    bool hit = false;
    for (int i = 0; world != NULL && i < steps; i++) {
        contact_list list;
        taut_step_info info;
        CHECK_OK(taut_world_step(world, H));
        CHECK_OK(taut_world_info(world, &info));
        short_of += info.outcome != TAUT_SOLVE_CONVERGED;
        CHECK(info.kinetic + info.potential <= start + 0.01 * fabs(start));
        contact_read(world, &list);
        for (size_t c = 0; c < list.count; c++) {
            const taut_contact* contact = &list.contacts[c];
            hit = hit || (contact->first_collider != TAUT_NO_COLLIDER && contact->collider > BOXES);
        }
    }
    CHECK(steps == 0 || hit);
    CHECK(short_of <= 1);
    taut_world_destroy(world);
}
