/* One row of the table of taut-bench-cuda: a scene of one size on one device. */
#ifndef BENCH_DEVICE_ROW_H
#define BENCH_DEVICE_ROW_H

#include "bench_scenes.h"
#include "copy.h"
#include "machine.h"

#include <stdio.h>

typedef struct device_case {
    const bench_scene* scene;
    size_t size;
    taut_geometric_stiffness geometric;
    taut_method method; /* schur with the scene's preconditioner, or condensed with the multilevel one */
    uint32_t repeats;
    bool smoke;
    copy_speed copy;
} device_case;

/* Values that do not exist are NaN. Times are medians, with their least and most. */
typedef struct device_row {
    const char *scene, *method, *preconditioner, *geometric, *outcome;
    double constraints, unknowns, particles;
    /* One iteration: in the WHILE node of the step, in a straight graph, launched one by one. */
    double loop_us, loop_us_least, loop_us_most;
    double straight_us, straight_us_least, straight_us_most;
    double plain_us, plain_us_least, plain_us_most;
    double refresh_us, refresh_us_least, refresh_us_most; /* of the preconditioner */
    double refresh_in_iterations;
    double loop_overhead;   /* loop over straight, less 1 */
    double iteration_bytes; /* model.h */
    double gb_s;            /* of the loop */
    double copy_gb_s;       /* of a copy where that many bytes lie: in the L2 cache or beyond it */
    double copy_fraction;
    double cache_gb_s, memory_gb_s; /* both copies */
    /* One product with S. */
    double product_us, product_us_least, product_us_most;
    double assembled_us, assembled_us_least, assembled_us_most;
    double assembled_ratio; /* assembled over matrix-free */
    double nonzeros;
    double difference; /* between both, relative */
    /* One frame: a step of the library and the wait for it. */
    double frame_ms, frame_ms_least, frame_ms_most;
    double iterations, outer_iterations, residual;
    double launches, graph_launches, synchronisations, copies, allocations; /* calls of the runtime by a step */
    double waits;                                /* host synchronisations of taut_world_sync after it */
    double step_nodes, outer_nodes, round_nodes; /* of the graph: outside its loops, in the outer, in the inner one */
} device_row;

#ifdef __cplusplus
extern "C" {
#endif

device_row device_measure(const device_case* c);

#ifdef __cplusplus
}
#endif

/* The row in three tables: iterations, products, frames. */
typedef enum device_table { DEVICE_ITERATIONS, DEVICE_PRODUCTS, DEVICE_FRAMES, DEVICE_TABLES } device_table;
void device_table_print(FILE* out, device_table table, const device_row* rows, size_t count);

void device_csv_heading(FILE* out);
/* `smoke`: the row is no measurement. */
void device_csv_row(FILE* out, const device_row* row, const bench_machine* machine, bool smoke);

#endif
