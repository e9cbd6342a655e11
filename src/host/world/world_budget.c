/* A step with a budget of time gives each of its substeps an equal part of what is left. When that is up, solves end
 * at TAUT_LATE_TOLERANCE. Where even that takes longer than the budget, a step has fewer substeps. */
#include "host/world/world_budget.h"

#include "base/clock.h"
#include "base/status.h"

#include <math.h>

/* The part of a budget into which substeps must fit, and how fast the least time of one that took longer is
 * forgotten. */
#define BUDGET_FILLED 0.9
#define BUDGET_FORGET 0.1
/* Of the time of a substep: for the search for contacts; how much farther ahead it looks than that before. */
#define BUDGET_SEARCHED 0.02
#define BUDGET_FARTHER  2

/* How many of `most` substeps there is time for, at least one. */
static uint32_t fitting(const world_budget* b, uint32_t most) {
    if (most == 0 || b->seconds == 0 || b->least == 0) {
        return most;
    }
    const double fit = floor(BUDGET_FILLED * (b->begun + b->seconds - taut_seconds()) / b->least);
    return fit < 1 ? 1 : fit < most ? (uint32_t)fit : most;
}

uint32_t world_budget_begin(taut_world* world) {
    world->plan.deadline = (taut_deadline){0};
    world->budget.substeps = 0;
    return fitting(&world->budget, world->plan.settings.integrator.substeps);
}

/* Contacts are looked for in a part of the time of a substep, and as far ahead as there was time for before, or a
 * little farther. */
static void open_search(taut_world* world, double h, double share) {
    taut_deadline* d = &world->plan.deadline;
    world->budget.sight *= BUDGET_FARTHER;
    world->plan.settings.sight = world->budget.sight < h ? world->budget.sight : 0;
    d->slice = BUDGET_SEARCHED * share;
    d->search = world->budget.opened + d->slice;
}

static void close_search(taut_world* world) {
    world->budget.sight = world->plan.settings.sight;
    world->plan.settings.sight = world->plan.deadline.search = 0;
}

void world_budget_open(taut_world* world, double h, uint32_t left) {
    world_budget* b = &world->budget;
    if (b->seconds > 0) {
        b->opened = taut_seconds();
        const double share = (b->begun + b->seconds - b->opened) / left - b->after;
        world->plan.deadline.at = b->opened + fmax(share, 0);
        world->plan.deadline.spare = 0;
        open_search(world, h, fmax(share, 0));
    }
}

bool world_budget_is_spent(const taut_world* world) {
    const double at = world->plan.deadline.at;
    return at > 0 && taut_seconds() >= at;
}

uint32_t world_budget_close(taut_world* world, uint32_t left) {
    world_budget* b = &world->budget;
    taut_deadline* d = &world->plan.deadline;
    if (b->seconds > 0) {
        const double now = taut_seconds(), least = now - b->opened - d->spare;
        b->least = least > b->least ? least : b->least + BUDGET_FORGET * (least - b->least);
        b->after = d->solved > b->opened ? now - d->solved : 0;
        d->at = 0;
        close_search(world);
    }
    b->substeps++;
    return fitting(b, left);
}

taut_status taut_world_step_for(taut_world* world, double dt, double seconds) {
    if (world == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "world must not be NULL.");
    }
    if (!(seconds > 0)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "the budget is %g s; it must be above 0.", seconds);
    }
    if (world->backend->step != NULL) {
        return taut_fail(TAUT_INVALID_DEFINITION,
                         "a step on %s does not look at the clock; a budget needs the CPU backend.",
                         world->backend->name);
    }
    world->budget.begun = taut_seconds();
    world->budget.seconds = seconds;
    const taut_status status = taut_world_step(world, dt);
    world->budget.seconds = 0;
    return status;
}
