/* Bodies that joints hold together, in scenes with cloth: contacts give way under them as much as under free ones. */
#include "surface_scenes.h"

#include <string.h>

#define H     (1.0 / 60)
#define GAP   0.02 /* m: between boxes, */
#define ABOVE 1e-3 /* and below them */
#define MASS  2.0

static const double half[3] = {0.08, 0.05, 0.08};
enum { LIMBS = 3, STEPS = 10 };

typedef struct limbs {
    taut_world* world;
    taut_body box[LIMBS];
} limbs;

/* Boxes in a row just above the ground, free or in a chain of ball joints, and a sheet far above them. */
static limbs lay_limbs(taut_backend_kind backend, bool joined) {
    taut_scene* scene = phys_empty_scene();
    surface_sheet sheet = {.columns = 2,
                           .rows = 2,
                           .width = 0.8,
                           .height = 0.8,
                           .mass = 0.1,
                           .radius = 0.002,
                           .at = {0, 50, 0},
                           .diagonal = PHYS_ALTERNATING,
                           .link = 1e-4,
                           .material = contact_material(scene, 0.5, 0)};
    const double wide = MASS / 3 * (half[0] * half[0] + half[1] * half[1]), pitch = 2 * half[0] + GAP;
    limbs s;
    contact_ground(scene, sheet.material);
    for (int i = 0; i < LIMBS; i++) {
        phys_body body = contact_at(pitch * i, half[1] + ABOVE, 0);
        body.mass = MASS;
        memcpy(body.inertia, (const double[6]){wide, MASS * 2 / 3 * half[0] * half[0], wide, 0, 0, 0},
               sizeof body.inertia);
        s.box[i] = phys_add_body(scene, &body);
        contact_shape(scene, TAUT_SHAPE_BOX, half, s.box[i], NULL, NULL, sheet.material);
        if (joined && i > 0) {
            const double middle[3] = {pitch * (i - 0.5), body.x[1], 0};
            phys_add_joint(scene, TAUT_JOINT_BALL, s.box[i - 1], s.box[i], middle, NULL);
        }
    }
    surface_add_sheet(scene, &sheet);
    taut_world_def def = contact_world_def(backend);
    def.contact.law = TAUT_CONTACT_CONVEX;
    def.solver.tolerance = 1e-4;
    s.world = phys_world(scene, &def);
    return s;
}

/* How deep the boxes have sunk in, in the mean. */
static double depth_of(const limbs* s) {
    double sum = 0;
    for (size_t i = 0; i < LIMBS && s->world != NULL; i++) {
        phys_body body;
        phys_read_body(s->world, s->box[i], &body);
        sum += half[1] - body.x[1];
    }
    return sum / LIMBS;
}

/* A sheet that falls far above changes nothing for what stands below, once it has landed. */
TAUT_TEST(contact_limbs, sink_in_as_free_bodies_do) {
    limbs joined = lay_limbs(backend, true), loose = lay_limbs(backend, false);
    CHECK(contact_run(joined.world, STEPS, H, NULL));
    CHECK(contact_run(loose.world, STEPS, H, NULL));
    const double depth = depth_of(&loose);
    test_note("%g m deep, free %g m", depth_of(&joined), depth);
    CHECK(depth > 1e-6);
    CHECK_NEAR(depth_of(&joined), depth, 0.05 * depth);
    taut_world_destroy(joined.world);
    taut_world_destroy(loose.world);
}
