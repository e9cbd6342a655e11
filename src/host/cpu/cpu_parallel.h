/* Loops of the CPU backend over threads: those of base/team.h, or the tasks of the program's own system. Nothing else
 * of the backend starts threads. A loop is cut into parts; which thread runs a part makes no difference to any bit. */
#ifndef TAUT_CPU_CPU_PARALLEL_H
#define TAUT_CPU_CPU_PARALLEL_H

#include "model/backend.h"

#include <stdbool.h>
#include <string.h>

/* Loops with no more items stay on the calling thread: some ten microseconds of most. To begin and end a loop takes one
 * while the other threads are awake. */
#define CPU_PARALLEL_FROM 1024

/* Items [first, last) of a loop, those of its part number `part`. */
typedef void cpu_range(const void* context, uint32_t part, size_t first, size_t last);

/* What most loops are about. */
typedef struct cpu_loop {
    const taut_plan* plan;
    const taut_factors* step;
    int kind;
    size_t rows; /* of the kind */
} cpu_loop;

/* Items [first, end) in equal parts; loops of no more than `alone` items in one part. */
void cpu_for(const taut_plan* plan, size_t first, size_t end, size_t alone, cpu_range* range, const void* context);
/* Unknowns, or rows alone, but for places for contacts that none takes: where there is nothing. */
void cpu_for_unknowns(const taut_plan* plan, bool rows, cpu_range* range, const void* context);
/* Items [0, count) likewise, in no more parts than threads: the number of a part may stand for what a thread has. */
void cpu_for_each_thread(const taut_plan* plan, size_t count, size_t alone, cpu_range* range, const void* context);
/* Items [0, count) that take unequal time: in short parts, which go to threads as these become free. */
void cpu_for_uneven(const taut_plan* plan, size_t count, size_t alone, cpu_range* range, const void* context);

/* Levels of mapped points over which what comes and goes is carried. */
static inline uint32_t cpu_carried_levels(const taut_sizes* s) {
    return s->carries ? s->active_levels : 0;
}

/* Their points, the deepest level first. */
static inline void cpu_for_carried(const taut_plan* plan, size_t alone, cpu_range* range, const void* context) {
    for (uint32_t level = cpu_carried_levels(&plan->sizes); level-- > 0;) {
        cpu_for(plan, plan->sizes.level_begin[level], plan->sizes.level_begin[level + 1], alone, range, context);
    }
}

/* Where rows of contacts end that there are; behind them are places for more, then couples. */
static inline size_t cpu_live_rows(const taut_sizes* s) {
    return s->touches ? s->first_row[TAUT_CONTACT] + taut_kind_shapes[TAUT_CONTACT].rows * s->count[TAUT_CONTACT]
                      : s->rows;
}

/* Unknowns, but for places at their end for contacts that none takes. */
static inline size_t cpu_used_unknowns(const taut_sizes* s) {
    return s->rolls || s->unknowns > s->rows ? s->unknowns : cpu_live_rows(s);
}

/* ---- sums in an order that the number of threads does not change ------------------------------------------------ */

static inline size_t cpu_chunk_count(size_t n) {
    return (n + TAUT_CHUNK - 1) / TAUT_CHUNK;
}

static inline size_t cpu_chunk_end(size_t chunk, size_t n) {
    return n < (chunk + 1) * TAUT_CHUNK ? n : (chunk + 1) * TAUT_CHUNK;
}

/* In a range of chunks of n items: `item` of `own` over the items i of each, of a struct of at most TAUT_PARTIALS
 * doubles. */
#define CPU_SUM_CHUNKS(type, fields, n, item)                                                                          \
    for (size_t chunk = first; chunk < last; chunk++) {                                                                \
        type own = {0};                                                                                                \
        for (size_t i = chunk * TAUT_CHUNK; i < cpu_chunk_end(chunk, (n)); i++) {                                      \
            item;                                                                                                      \
        }                                                                                                              \
        memcpy((fields)->partial + TAUT_PARTIALS * chunk, &own, sizeof own);                                           \
    }

/* sums += what `range`, over the chunks of n items, has put there; of `values` doubles. */
void cpu_sum(const taut_plan* plan, size_t n, cpu_range* range, const void* context, size_t values, void* sums);

static inline void cpu_add_doubles(const double* from, size_t count, void* sums) {
    for (size_t i = 0; i < count; i++) {
        ((double*)sums)[i] += from[i];
    }
}

#endif
