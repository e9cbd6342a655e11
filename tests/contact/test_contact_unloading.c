/* What something strong has pressed into the ground, and lets go: it comes out as what overlaps does, whatever the load
 * was. */
#include "contact_scenes.h"

#include <math.h>

#define HALF 0.1
#define H    (1.0 / 60)

typedef struct press {
    double depth;   /* m */
    double side;    /* of the body, in 2 HALF */
    double gravity; /* m/s^2 */
    uint32_t substeps;
} press;

static taut_body add_block(taut_scene* scene, double side) {
    const double half[3] = {side * HALF, side * HALF, side * HALF};
    phys_body at = contact_at(0, half[1], 0);
    taut_inertia_of_box(at.mass, (const double[]){2 * half[0], 2 * half[1], 2 * half[2]}, at.inertia);
    const taut_body block = phys_add_body(scene, &at);
    contact_shape(scene, TAUT_SHAPE_BOX, half, block, NULL, NULL, 0);
    return block;
}

/* A hard hand draws its middle down in so many steps, and lets go. */
static void draw_down(taut_world* world, taut_body block, const press* p, int steps) {
    taut_added hand = {0};
    double x[3], goal[3];
    phys_position(world, block.point, x);
    for (int i = 0; i <= steps; i++) {
        goal[0] = x[0];
        goal[1] = x[1] - p->depth * i / steps;
        goal[2] = x[2];
        CHECK_OK(taut_world_grab(world, block.point, goal, 0, &hand));
        CHECK_OK(taut_world_step(world, H));
    }
    CHECK_OK(taut_world_release(world, &hand));
}

/* No faster than the recovery of the material, 1 m/s, which an overlap ends with at the surface. */
static void check_release(taut_backend_kind backend, const press* p) {
    taut_scene* scene = phys_empty_scene();
    const taut_body block = add_block(scene, p->side);
    contact_ground(scene, 0);
    taut_world_def def = taut_default_world();
    def.backend = backend;
    def.gravity[0] = def.gravity[2] = 0;
    def.gravity[1] = -p->gravity;
    def.reserve.targets = 1;
    def.integrator.substeps = p->substeps;
    taut_world* world = phys_world(scene, &def);
    draw_down(world, block, p, 30);
    for (int i = 0; i < 30; i++) {
        double x[3], v[3];
        CHECK_OK(taut_world_step(world, H));
        phys_position(world, block.point, x);
        phys_velocity(world, block.point, v);
        test_note("from %g m, side %g, gravity %g, %u substeps, step %d: %g m/s at %g m", p->depth, p->side, p->gravity,
                  p->substeps, i, v[1], x[1]);
        CHECK(v[1] < 1.05);
        CHECK(x[1] < p->side * HALF + (p->gravity > 0 ? 0.1 * HALF : HALF));
    }
    test_note(NULL);
    taut_world_destroy(world);
}

TAUT_TEST(contact_unloading, what_is_let_go_comes_out_slowly) {
    static const press all[] = {{0.02, 1, PHYS_GRAVITY, 1},
                                {0.1, 1, PHYS_GRAVITY, 1},
                                {0.3, 1, PHYS_GRAVITY, 1},
                                {0.3, 1, PHYS_GRAVITY, 4},
                                {0.05, 3, PHYS_GRAVITY, 1}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        check_release(backend, &all[i]);
    }
}
