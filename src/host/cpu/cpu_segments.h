/* Sums over the constraints of a kind, or over nodes, in segments that belong to one component each: of the whole, and
 * of each component. The order does not change with the number of threads. */
#ifndef TAUT_CPU_CPU_SEGMENTS_H
#define TAUT_CPU_CPU_SEGMENTS_H

#include "host/cpu/cpu_parallel.h"

#include <stddef.h>

typedef struct cpu_segment {
    size_t first, end;  /* items: constraints of the kind, points, or frames */
    uint32_t component; /* or TAUT_NO_NODE: of several, or of none */
} cpu_segment;

/* `set`: a kind, TAUT_SEGMENT_POINTS or TAUT_SEGMENT_FRAMES. Contacts are in chunks; constraints in reserved places are
 * segments each. */
size_t cpu_segment_count(const taut_plan* plan, int set);
cpu_segment cpu_segment_at(const taut_plan* plan, int set, size_t i);

/* The component of the free node that constraint c of a kind acts on first; TAUT_NO_NODE: none. */
uint32_t cpu_component_of(const taut_plan* plan, int k, size_t c);

/* sums += what `range`, over the segments of a set, has put into `partial`; of `values` doubles, which also add to
 * those at `offset` of the accounts of their components. */
void cpu_sum_segments(const taut_plan* plan, int set, size_t alone, cpu_range* range, const void* context,
                      size_t values, void* sums, size_t offset);

/* In a range of segments: `item` of `own` over the items i of each, of a struct of at most TAUT_PARTIALS doubles. */
#define CPU_SUM_SEGMENTS(type, plan, set, item)                                                                        \
    for (size_t at = first; at < last; at++) {                                                                         \
        const cpu_segment segment = cpu_segment_at(plan, set, at);                                                     \
        type own = {0};                                                                                                \
        _Static_assert(sizeof own <= TAUT_PARTIALS * sizeof(double), "of each segment");                               \
        for (size_t i = segment.first; i < segment.end; i++) {                                                         \
            item;                                                                                                      \
        }                                                                                                              \
        memcpy((plan)->fields.partial + TAUT_PARTIALS * at, &own, sizeof own);                                         \
    }

#endif
