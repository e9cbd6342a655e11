/* The state of a world. */
#ifndef TAUT_STATE_H
#define TAUT_STATE_H

#include "taut/scene.h"
#include "taut/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a solve ended. */
typedef enum taut_outcome {
    TAUT_SOLVE_CONVERGED,       /* the residual is at most the tolerance */
    TAUT_SOLVE_ITERATION_LIMIT, /* max_iterations spent */
    TAUT_SOLVE_STAGNATED        /* the residual stopped falling: contradictory hard constraints, or float limits */
} taut_outcome;

/* Stages of a step, whose times are measured. */
typedef enum taut_stage {
    TAUT_STAGE_EVALUATE,  /* constraint functions, Jacobians, energies */
    TAUT_STAGE_ASSEMBLE,  /* the system of the step */
    TAUT_STAGE_SOLVE,     /* its solution */
    TAUT_STAGE_INTEGRATE, /* the new state */
    TAUT_STAGE_COLLIDE,   /* contacts, at the start of each substep */
    TAUT_STAGE_COUNT
} taut_stage;

/* "evaluate", "assemble", ...; "unknown" outside the enumeration. */
TAUT_API const char* taut_stage_name(taut_stage stage);

/* What the last taut_world_step did. Sums and maxima run over its substeps. */
typedef struct taut_step_info {
    uint64_t step;             /* taut_world_step calls that succeeded */
    double time;               /* s, simulated */
    taut_outcome outcome;      /* the worst of the substeps */
    uint32_t iterations;       /* of conjugate gradients, sweeps of Gauss-Seidel, solutions by the factors; summed */
    uint32_t outer_iterations; /* outer iterations (float64 residual and proximal shift renewed), summed */
    double residual;         /* worst relative residual, true (computed in float64 at the end): |b - S gam| / |b| in the
                                norm of the inverse diagonal of S; of the condensed system the larger one of that of its
                                hard rows and of how far forces are from balance (docs/mathematics.md) */
    double complementarity;  /* the part of it at rows with bounds: what a row leaves that no bound holds (relative
                                likewise) */
    uint32_t broken;         /* constraints that have broken since creation */
    uint32_t contacts;       /* near pairs at the start of the last substep */
    double penetration;      /* m: the deepest overlap of a hard contact at the end; of compliant ones that beyond what
                                their force explains */
    uint32_t linearisations; /* of Newton's method (integrator.newton > 1), summed; 0 without it */
    double
        newton_residual; /* worst residual of the exact step at its end, relative to the motion of the step; likewise */
    double max_violation[TAUT_KIND_COUNT]; /* worst |phi + d phidot + C lam| of a row at the end, unit of the kind;
                                              for a hard undamped row that is |phi|; of contacts `penetration`, of their
                                              rolling 0 */
    double kinetic;                        /* J */
    double potential;                      /* J, -sum m g.x (gravity only) */
    double elastic;                        /* J, 1/2 phi.C^-1 phi of rows with compliance, and of elements */
    /* The ledger of the step, J: kinetic + potential + elastic change by
     *     work_forces + work_drives - dissipated - numerical */
    double work_forces; /* of the user's forces, by the mean velocity of each substep, and of wind, pressure and
                           traction, whose power goes by the trapezoidal rule */
    double work_drives; /* of targets, drives and moving fixed particles, by the mean constraint forces of the step */
    double dissipated;  /* by damping times and mass damping, by the trapezoidal rule */
    double numerical; /* what the scheme itself takes, or gives where negative. For the midpoint rule on linear systems
                         it is rounding and solver tolerance; docs/mathematics.md has bounds */
    double stage_seconds[TAUT_STAGE_COUNT]; /* summed over substeps; 0 unless profiling */
} taut_step_info;

/* Waits like taut_world_sync. */
TAUT_API taut_status taut_world_info(taut_world* world, taut_step_info* info);

/* The same of the newest step that has finished, without waiting; info->step tells which one it is, 0 before the
 * first. Faults are left for taut_world_sync. */
TAUT_API taut_status taut_world_poll(taut_world* world, taut_step_info* info);

/* What a world solves its steps by, decided at creation. */
typedef struct taut_choice {
    size_t schur_rows;        /* rows of components solved by conjugate gradients on their Schur complement */
    size_t condensed_rows;    /* of those solved by the condensed system */
    size_t gauss_seidel_rows; /* all or none */
    size_t direct_rows;       /* all or none */
    size_t projected_rows;    /* of constraints beside contacts; all or none */
    taut_method method; /* of contacts: condensed or a projected one; what was asked for where nothing can touch */
    taut_preconditioner schur;           /* none where there are no such rows */
    taut_preconditioner condensed;       /* likewise */
    taut_cycle cycle;                    /* of the condensed system's multilevel preconditioner */
    uint32_t levels;                     /* of it, the unknowns of the system included; 0 without it */
    size_t level_nodes[TAUT_MAX_LEVELS]; /* of the scene on the first level, then aggregates */
    uint32_t colours;                    /* of constraints, for Gauss-Seidel; 0 without it */
    size_t factor_values;                /* of the direct method's factor, below its diagonal; 0 without it */
} taut_choice;

/* What the world is solved by. */
TAUT_API taut_status taut_world_choice(const taut_world* world, taut_choice* choice);

/* ---- reading and writing the state ---------------------------------------------------------------------------- */

/* Type of the numbers of a view. */
typedef enum taut_type {
    TAUT_FLOAT32, /* float */
    TAUT_FLOAT64  /* double */
} taut_type;

/* A view of world memory: element (r, c) is at (char*)data + r * stride + c * size of the type. It stays where it is
 * for the life of the world; what it shows changes with each step. */
typedef struct taut_array {
    const void* data; /* element (0, 0) */
    taut_type type;   /* of the elements */
    size_t rows;      /* points, frames or rows of constraints */
    size_t columns;   /* numbers per row */
    size_t stride;    /* bytes */
    bool on_device;   /* true: `data` is device memory */
} taut_array;

/* What can be viewed, read and written. */
typedef enum taut_field {
    TAUT_FIELD_POSITIONS,          /* particles x 3, float64, m */
    TAUT_FIELD_POSITIONS_F32,      /* particles x 3, float32, m: for renderers */
    TAUT_FIELD_VELOCITIES,         /* particles x 3, float64, m/s */
    TAUT_FIELD_VIOLATIONS,         /* rows x 1, float64: phi, the constraint functions */
    TAUT_FIELD_MULTIPLIERS,        /* rows x 1, float64, lam: constraint forces of the last step */
    TAUT_FIELD_ORIENTATIONS,       /* frames x 4, float64: quaternions (w, x, y, z), own axes to world axes */
    TAUT_FIELD_ANGULAR_VELOCITIES, /* frames x 3, float64, rad/s, world axes */
    TAUT_FIELD_COUNT
} taut_field;

/* A view of a field. */
TAUT_API taut_status taut_world_view(taut_world* world, taut_field field, taut_array* view);

/* Copies rows [first, first + count) of a field into `out`, tightly packed, as float64 whatever the field's type. */
TAUT_API taut_status taut_world_read(taut_world* world, taut_field field, size_t first, size_t count, double* out);

/* Overwrites positions or velocities of particles [first, first + count), orientations (normalised on entry) or angular
 * velocities of frames; other fields, and mapped points, are refused. */
TAUT_API taut_status taut_world_write(taut_world* world, taut_field field, size_t first, size_t count,
                                      const double* values);

/* Points of the world: particles, centres of bodies, mapped points. */
TAUT_API size_t taut_world_particle_count(const taut_world* world);
/* Frames of the world: those of bodies and of pieces of rods. */
TAUT_API size_t taut_world_frame_count(const taut_world* world);
/* Rows of all constraints but contacts. */
TAUT_API size_t taut_world_row_count(const taut_world* world);
/* The rows of a batch in VIOLATIONS, MULTIPLIERS and the operators: its constraints in order of addition. */
TAUT_API taut_status taut_world_batch_rows(const taut_world* world, taut_batch batch, taut_range* rows);

#ifdef __cplusplus
}
#endif

#endif
