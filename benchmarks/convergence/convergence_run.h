/* One step of a scene from a prepared state, by one way of solving it after the other. */
#ifndef CONVERGENCE_RUN_H
#define CONVERGENCE_RUN_H

#include "balance.h"
#include "cases.h"
#include "convergence_solvers.h"
#include "measured_state.h"

/* How worlds are made, and how far a scene is brought before it is measured. */
typedef struct run_settings {
    taut_backend_kind backend;
    uint32_t threads;
    double step;                 /* s */
    uint32_t frames;             /* before the measured step */
    uint32_t prepare_iterations; /* limit of each of them, and of the step that errors are taken against */
    uint32_t max_iterations;     /* of the measured step */
    double repeat_seconds;       /* steps are repeated for the least time until this is spent, thrice at most */
    bool balance;                /* count the iterations to |b - H dv| <= tolerance |b| as well */
} run_settings;

/* A scene, and the state in which all of its measured steps begin. */
typedef struct prepared_case {
    const run_settings* settings;
    const taut_scene* scene;
    taut_geometric_stiffness geometric;
    saved_state state;
    balance balance;          /* of that state; nothing where it is not asked for or does not exist */
    double* reference;        /* particles x 3: velocities after the step; NULL where it did not converge */
    double prepared_residual; /* the worst of the frames before */
    double baseline[3],
        baseline_refresh[3]; /* by method: s per iteration and s of assembly, unpreconditioned; 0: unknown */
} prepared_case;

prepared_case case_prepare(const run_settings* settings, const taut_scene* scene, taut_geometric_stiffness geometric);
void case_free(prepared_case* c);

/* Values that do not exist are NaN. Times are the least of the repeats. */
typedef struct convergence_row {
    const char *scene, *geometric, *method, *preconditioner, *cycle, *outcome;
    char levels_text[160];
    const char* levels; /* nodes of each level of the multilevel preconditioner: points to levels_text */
    double size, vertices, rows, unknowns, compliance, threads;
    double tolerance, iterations, outer_iterations;
    double balance_iterations; /* to |b - H dv|_2 <= tolerance |b|_2, of the condensed method */
    double residual;           /* true, relative, in the norm of the method */
    double error;              /* of the velocity change of the step, relative, rms: comparable between methods */
    double solve_ms, iteration_ms, assemble_ms;
    double refresh_ms;            /* of the assembly, what the preconditioner adds */
    double work_per_iteration;    /* in unpreconditioned iterations of the same method */
    double refresh_in_iterations; /* likewise */
    double work;                  /* of the step: refresh and iterations, likewise */
    double reads;                 /* of matrices per iteration, H as assembled, by the floats of H */
} convergence_row;

typedef void run_receiver(void* user, const convergence_row* row);

/* A row for each of the tolerances, largest first, until one is not met. Fills in what `row` lacks. */
void case_run(prepared_case* c, const solver_way* way, const double* tolerances, size_t count,
              const convergence_row* row, run_receiver* receive, void* user);

#endif
