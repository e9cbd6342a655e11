/* Steps with a budget of time, on a backend that works where the host does. Without one these change nothing. */
#ifndef TAUT_WORLD_WORLD_BUDGET_H
#define TAUT_WORLD_WORLD_BUDGET_H

#include "host/world/world_data.h"

/* The substeps of the step that begins: those of the integrator, or as many of them as the budget has time for. */
uint32_t world_budget_begin(taut_world* world);
/* Before a substep of length h, with which `left` of them are left. */
void world_budget_open(taut_world* world, double h, uint32_t left);
/* Whether the time of the substep is up: there is none for shorter parts. */
bool world_budget_is_spent(const taut_world* world);
/* After it, with `left` to come: for how many of them there is time. */
uint32_t world_budget_close(taut_world* world, uint32_t left);

#endif
