/* Islands of a scene in an attempt at a part of a substep: components that contacts, added constraints and supports
 * that move join. Each is judged as if it was alone (model/guard.h). */
#ifndef TAUT_CPU_CPU_ISLANDS_H
#define TAUT_CPU_CPU_ISLANDS_H

#include "host/cpu/cpu_state.h"

static inline taut_island* cpu_island_of(const taut_plan* plan, uint32_t component) {
    return plan->fields.island + plan->fields.island_of[component];
}

/* island_of: components that touch, two more, and then the first one of each island. */
void cpu_join_touching(const taut_plan* plan);
void cpu_join_two(const taut_plan* plan, uint32_t a, uint32_t b);
void cpu_name_islands(const taut_plan* plan);
/* Whose hard rows stay hard while those of others are softer. */
void cpu_spare_components(const taut_plan* plan);
/* What the guard remembers of a part that is kept. */
void cpu_keep_islands(const taut_plan* plan);

#endif
