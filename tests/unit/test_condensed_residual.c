/* Residuals of cloth in contact that are put together from parts, against the same found as a whole. */
#define TAUT_REAL double
#include "level_scenes.h"
#include "surface_scenes.h"

#include "host/cpu/cpu_condensed_residual.h"
#include "host/world/world_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A sheet of springs on the ground, and one above it. */
static taut_world* open_sheets(void) {
    taut_scene* scene = surface_two_sheets(8);
    taut_world* world = NULL;
    const taut_world_def def = level_world(TAUT_BACKEND_CPU, TAUT_CYCLE_ADDITIVE, true);
    CHECK_OK(taut_world_create(scene, &def, &world));
    taut_scene_destroy(scene);
    return world;
}

/* w = share of a wave of 1 cm/s */
static void set_motion(const taut_plan* plan, double share) {
    double* w = cpu_motion(plan);
    for (size_t i = 0; i < 4 * plan->sizes.nodes; i++) {
        w[i] = i % 4 < 3 && is_condensed_unknown(&plan->fields, i / 4) ? share * 0.01 * sin(0.7 * (double)i) : 0;
    }
}

/* A step from there along another wave, whose forces come from the matrix. */
static void take_step(cpu_residual* r, double length) {
    const taut_plan* plan = r->state->plan;
    float* delta = plan->fields.node_delta;
    for (size_t i = 0; i < 4 * plan->sizes.nodes; i++) {
        const bool moves = i % 4 < 3 && is_condensed_unknown(&plan->fields, i / 4);
        delta[i] = moves ? (float)(0.01 * sin(1.3 * (double)i)) : 0;
        cpu_motion(plan)[i] += length * delta[i];
    }
    cpu_residual_step(r, delta, length);
}

/* The residual as it is, and by one pass over all rows. */
static void check_whole(const cpu_residual* r) {
    const taut_plan* plan = r->state->plan;
    const size_t values = 4 * plan->sizes.nodes;
    float* parts = phys_array(values, sizeof *parts);
    cpu_residual whole = *r;
    double worst = 0, largest = 0;
    memcpy(parts, plan->fields.node_r, values * sizeof *parts);
    whole.splits = false;
    cpu_residual_look(&whole, cpu_still);
    for (size_t i = 0; i < values; i++) {
        worst = fmax(worst, fabs((double)parts[i] - plan->fields.node_r[i]));
        largest = fmax(largest, fabs(plan->fields.node_r[i]));
    }
    CHECK(largest > 0);
    CHECK_NEAR(worst / largest, 0, 2e-7);
    CHECK_NEAR(whole.rows2, r->rows2, 1e-12 * (1 + r->rows2));
    free(parts);
}

TAUT_PLAIN_TEST(condensed_residual, of_parts_is_that_of_the_whole) {
    const double h = 1.0 / 60;
    taut_world* world = open_sheets();
    REQUIRE(world != NULL);
    for (int i = 0; i < 3; i++) {
        CHECK_OK(taut_world_step(world, h));
        cpu_assemble(world->state, h, TAUT_PHASE_STEP);
        const taut_plan* plan = &world->plan;
        const taut_factors step = taut_phase_factors(&plan->settings, TAUT_PHASE_STEP, h);
        const condensed_scale scale = {1, 1, 0};
        CHECK(plan->sizes.count[TAUT_CONTACT] > 0);
        set_motion(plan, 0.2);
        cpu_residual r = cpu_residual_begin(world->state, &step, scale);
        CHECK(r.splits && r.whole);
        check_whole(&r);
        set_motion(plan, 1);
        cpu_residual_look(&r, cpu_still);
        check_whole(&r);
        set_motion(plan, 0.2 + 0.8 * 0.3);
        cpu_residual_cut(&r, 0.3);
        CHECK(!r.whole);
        check_whole(&r);
        cpu_residual_follow(&r, cpu_updating);
        check_whole(&r);
        set_motion(plan, 1);
        cpu_residual_look(&r, cpu_still);
        take_step(&r, 0.3);
        CHECK(!r.whole);
        check_whole(&r);
    }
    taut_world_destroy(world);
}
