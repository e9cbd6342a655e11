/* Planks that hang between two walls, joined at points beside their axis: the forces there, each across its arm, keep
 * planks from turning as those on the axis do. A step in which they act late explodes. */
#include "phys_frames.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PLANKS 30
#define PITCH  0.32
#define SAG    0.25
#define MASS   8.6
#define BESIDE 0.55 /* m: of joints from the axis */

/* On the parabola in which such a chain hangs, x from -1 to 1 of half its length. */
static void place_of(double x, double out[3]) {
    out[0] = x * PLANKS * PITCH / 2;
    out[1] = SAG * (x * x - 1);
    out[2] = 0;
}

/* Two balls between neighbours, at both sides. */
static taut_world* make_bridge(taut_backend_kind backend, taut_body planks[PLANKS]) {
    taut_scene* scene = phys_empty_scene();
    phys_body wall = {.fixed = true, .mass = 1, .inertia = {1, 1, 1, 0, 0, 0}, .q = {1, 0, 0, 0}};
    double from[3], to[3];
    place_of(-1, from);
    memcpy(wall.x, from, sizeof from);
    taut_body last = phys_add_body(scene, &wall);
    for (int i = 0; i <= PLANKS; i++) {
        place_of(2.0 * (i + 1) / PLANKS - 1, to);
        memcpy(wall.x, from, sizeof from);
        phys_body plank = phys_bar(from, to, 0.2, MASS);
        const taut_body next = phys_add_body(scene, i < PLANKS ? &plank : &wall);
        for (int side = -1; side <= 1; side += 2) {
            const double at[3] = {from[0], from[1], side * BESIDE};
            phys_add_joint(scene, TAUT_JOINT_BALL, last, next, at, NULL);
        }
        if (i < PLANKS) {
            planks[i] = next;
        }
        last = next;
        memcpy(from, to, sizeof from);
    }
    taut_world_def def = taut_default_world();
    def.backend = backend;
    return phys_world(scene, &def);
}

static double fastest(taut_world* world) {
    double* v = phys_field(world, TAUT_FIELD_VELOCITIES);
    double* w = phys_field(world, TAUT_FIELD_ANGULAR_VELOCITIES);
    const double most = fmax(phys_largest(v, 3 * taut_world_particle_count(world)),
                             BESIDE * phys_largest(w, 3 * taut_world_frame_count(world)));
    free(v);
    free(w);
    return most;
}

/* They hang as they begin, with steps of 1/60 and 1/24 s, by default; a polygon of planks is a parabola to 1e-4. */
TAUT_TEST(bridges, hang_still) {
    static const double steps[2] = {1.0 / 60, 1.0 / 24};
    for (int i = 0; i < 2; i++) {
        taut_body planks[PLANKS];
        taut_world* world = make_bridge(backend, planks);
        const int count = backend == TAUT_BACKEND_CUDA ? 30 : 120;
        taut_step_info info;
        test_note("h %g", steps[i]);
        for (int k = 0; world != NULL && k < count; k++) {
            CHECK_OK(taut_world_step(world, steps[i]));
            CHECK_OK(taut_world_info(world, &info));
            CHECK_INT(info.outcome, TAUT_SOLVE_CONVERGED);
            CHECK(fastest(world) < 0.02);
        }
        taut_world_destroy(world);
    }
}
