/* One row of the table: a scene of one size, stepped with one method, and what that took. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "bench_scenes.h"

typedef struct bench_case {
    const bench_scene* scene;
    size_t size;
    taut_preconditioner preconditioner;
    taut_geometric_stiffness geometric;
    taut_backend_kind backend;
    uint32_t threads;
    uint32_t repeats;   /* measured steps */
    double max_seconds; /* for all steps of the row: the iteration limit is lowered where they would not fit */
    double stream_gb_s; /* 0: not measured */
} bench_case;

/* Values that do not exist are NaN. Times are medians over the measured steps where nothing else is said. */
typedef struct bench_row {
    const char *scene, *backend, *preconditioner, *geometric, *outcome;
    double threads;
    double constraints, rows, unknowns, particles;
    double bytes, peak_bytes; /* of host memory: held by the world; at most while it was made */
    double create_s;
    double steps; /* measured */
    double step_ms, step_ms_least, step_ms_most;
    double evaluate_ms, assemble_ms, solve_ms, integrate_ms, collide_ms; /* where the backend times its stages */
    double iterations, outer_iterations, iteration_limit;                /* per step */
    double residual;                                                     /* the worst */
    double step_us;                            /* whole step by iterations, of the best step */
    double iteration_us;                       /* solve stage by iterations, of the best step */
    double iteration_bytes;                    /* model.h */
    double gb_s, stream_gb_s, stream_fraction; /* of the best step; the triad is the CPU's */
    double against_jacobi; /* step time over that of Jacobi where both met the tolerance; filled in by the table */
    /* Time of the CPU's row of the same case over this one's, filled in by the table: steps where both met the
     * tolerance, and step_us. */
    double step_speed_up, iteration_speed_up;
} bench_row;

bench_row bench_measure(const bench_case* c);

/* The default world, but for steps of one linearisation and one system, whatever that leaves. */
taut_world_def bench_one_system(void);

const char* bench_preconditioner_name(taut_preconditioner preconditioner);
const char* bench_backend_name(taut_backend_kind backend);
const char* bench_geometric_name(taut_geometric_stiffness geometric);
/* Of a step, in a table. */
const char* bench_outcome_name(bool diverged, taut_outcome outcome);

#endif
