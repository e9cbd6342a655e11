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
    const taut_world_def def = level_world(TAUT_BACKEND_CPU, TAUT_CYCLE_ADDITIVE);
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

/* A step after which nothing has changed that bounds hold, and whose length has come down to a tenth. */
static taut_step_end settled(double enough) {
    return (taut_step_end){.share = 1, .rows = 1e-5, .length = 0.1, .length_before = 1, .enough = enough};
}

/* Where rows are solved, multipliers wait for the nodes. */
TAUT_PLAIN_TEST(condensed_residual, multipliers_wait_for_nodes) {
    const taut_closeness fresh = taut_closeness_begin();
    const condensed_residual solved = {.rows = 1e-5, .scale = 10}, left = {.rows = 1e-3, .scale = 10};
    const taut_step_end early = settled(condensed_enough(solved, 1e-4)), late = settled(0.1);
    const taut_step_end others = settled(condensed_enough(left, 1e-4));
    CHECK(!taut_updates_multipliers(&early, &fresh));
    CHECK(taut_updates_multipliers(&late, &fresh));
    CHECK(taut_updates_multipliers(&others, &fresh));
}

/* Changes that go on in one direction are made at once, but not where the system is solved. */
TAUT_PLAIN_TEST(condensed_residual, what_is_solved_is_not_extrapolated) {
    const taut_impulse_change same = {.length2 = 0.81, .turned = 0.9, .impulse2 = 1};
    for (int solved = 0; solved < 2; solved++) {
        taut_closeness now = taut_closeness_begin();
        now.travelled2 = 1;
        const taut_residual_mode mode = taut_extrapolate(&same, solved, 1e-4, &now);
        CHECK_NEAR(mode.extrapolation, solved ? 0 : 9, 1e-9);
        CHECK_NEAR(now.travelled2, solved ? 0.81 : 0, 1e-12); /* of the next change */
    }
}

/* |r| in the norm of the preconditioner that there is. */
TAUT_PLAIN_TEST(condensed_residual, is_measured_anew) {
    const double h = 1.0 / 60;
    taut_world* world = open_sheets();
    REQUIRE(world != NULL);
    CHECK_OK(taut_world_step(world, h));
    cpu_assemble(world->state, h, TAUT_PHASE_STEP);
    const taut_plan* plan = &world->plan;
    const taut_factors step = taut_phase_factors(&plan->settings, TAUT_PHASE_STEP, h);
    set_motion(plan, 1);
    cpu_residual r = cpu_residual_begin(world->state, &step, (condensed_scale){1, 1, 0});
    const double before = r.now.length;
    CHECK(before > 0);
    r.now.length = 0;
    cpu_residual_renorm(&r);
    CHECK_NEAR(r.now.length, before, 1e-12 * before);
    taut_world_destroy(world);
}
