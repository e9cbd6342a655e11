/* The state of a world: its fields, views of them, copies in both directions, and reports about steps and solvers. */
#ifndef TAUT_STATE_H
#define TAUT_STATE_H

#include "taut/scene.h"
#include "taut/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- reports -------------------------------------------------------------------------------------------------- */

/* How a solve ended. */
typedef enum taut_outcome {
    TAUT_SOLVE_CONVERGED = 0,       /* the residual is at most the tolerance; with the guard, also
                                       `overstretch` at most 0.2 */
    TAUT_SOLVE_ITERATION_LIMIT = 1, /* the solver made max_iterations iterations, or used up its time in
                                       taut_world_step_for, without reaching the tolerance */
    TAUT_SOLVE_STAGNATED = 2,       /* the residual stopped decreasing: hard constraints contradict each other, or
                                       the limit of float arithmetic is reached */
    TAUT_SOLVE_DAMPED = 3,          /* no solution could be kept that gains no energy, and velocities were reduced
                                       until the step gained none */
    TAUT_SOLVE_OVERSTRETCHED = 4    /* the systems were solved, but a stiff edge, triangle, tetrahedron or joint is more
                                       than a fifth of its own length off its law (`overstretch`): the motion left what
                                       the systems were linearised about, or what is hard cannot be met */
} taut_outcome;

/* Stages of a step. With profiling, taut_step_info has the time of each. */
typedef enum taut_stage {
    TAUT_STAGE_EVALUATE = 0,  /* evaluates constraint functions, Jacobians and energies */
    TAUT_STAGE_ASSEMBLE = 1,  /* assembles the system of the step */
    TAUT_STAGE_SOLVE = 2,     /* solves the system */
    TAUT_STAGE_INTEGRATE = 3, /* computes the new state */
    TAUT_STAGE_COLLIDE = 4,   /* finds contacts at the start of each substep */
    TAUT_STAGE_COUNT
} taut_stage;

/* Length of arrays with a value per stage. */
#define TAUT_STAGE_ROOM 16

/* "evaluate", "assemble", ...; "unknown" outside the enumeration. */
TAUT_API const char* taut_stage_name(taut_stage stage);

/* Report on the last taut_world_step. Sums and maxima are over its substeps. */
typedef struct taut_step_info {
    uint64_t step;             /* number of successful taut_world_step calls */
    double time;               /* s, simulated time */
    taut_outcome outcome;      /* the worst outcome of the substeps */
    uint32_t subdivided;       /* how often a part of a substep was taken back, and tried again in half of the time: it
                                  gained energy, ended with a residual above 1, or was not finite; sum */
    uint32_t damped;           /* parts of substeps that were kept only with less velocity; sum */
    uint32_t iterations;       /* iterations of conjugate gradients, Gauss-Seidel sweeps, or solutions by the direct
                                  method's factors; sum. Of heaps of loose bodies that are solved each on its own, in
                                  each solve the most of any; likewise their outer iterations and residual */
    uint32_t outer_iterations; /* outer iterations, each with a new float64 residual and a new proximal shift; sum */
    double residual;           /* the largest true relative residual, computed in float64 at the end of the solve. Schur
                                  complement: |b - S gam| / |b| in the norm of the inverse diagonal of S. Condensed
                                  system: the larger of the residual of its hard rows and the residual of the force
                                  balance (docs/mathematics.md) */
    double complementarity;    /* the part of `residual` that belongs to rows with bounds, without the part that a bound
                                  balances; relative as `residual` is */
    uint32_t broken;           /* number of constraints that have broken since creation */
    uint32_t contacts;         /* number of contacts at the start of the last substep */
    double penetration;        /* m: the deepest penetration of a hard contact at the end, along the normal of the last
                                  substep: where things move past what they met, more than any overlap, which
                                  taut_world_read_overlaps finds. Of compliant contacts, only the penetration beyond
                                  the one that the contact force causes */
    uint32_t linearisations;   /* linearisations of Newton's method (integrator.newton > 1), sum; 0 without it */
    double newton_residual;    /* the largest final residual of the nonlinear step, relative to the motion of the step;
                                  0 without Newton's method */
    double max_violation[TAUT_KIND_ROOM]; /* per kind, the largest |phi + d phidot + C lam| of a row at the end, in the
                                              unit of the kind. For a hard undamped row this is |phi|; for contacts,
                                              `penetration`; for their rolling friction, 0 */
    double kinetic;                       /* kinetic energy, J */
    double potential;                     /* potential energy, J: -sum m g.x for gravity, plus that of attraction */
    double elastic; /* elastic energy, J: 1/2 phi.C^-1 phi of rows with compliance, plus that of force elements. Rows
                       that the step does not resolve count with -C lam in place of phi; hard rows with the work against
                       a bound that holds them */
    /* Energy ledger of the step, in J: kinetic + potential + elastic changes by
     *     work_forces + work_drives - dissipated - numerical */
    double work_forces; /* work of the user's forces, at the mean velocity of each substep, and of wind, pressure and
                           traction, whose power is integrated by the trapezoidal rule */
    double work_drives; /* work of targets, drives and moving fixed particles, at the mean constraint forces of the
                           step, and by the trapezoidal rule against force elements; where they cannot move so, as much
                           of it as the other terms show */
    double dissipated;  /* energy dissipated by damping times and mass damping, by the trapezoidal rule; by friction,
                           impacts, and velocity rows that are hard or slip, at the mean velocity of each substep */
    double numerical;   /* energy that the integrator dissipates; negative if the integrator adds energy. For the
                           midpoint rule on linear systems it consists of rounding errors and the solver tolerance;
                           docs/mathematics.md states bounds. It also has what the ledger cannot tell apart: the energy
                           of what breaks, projections, and what damped parts lose. What is added, removed or set
                           between steps changes the energies between them */
    double stage_seconds[TAUT_STAGE_ROOM]; /* s per stage, sum; 0 without profiling (taut_world_def.profile) */
    uint32_t resolved;  /* parts of substeps that were solved again with contacts of what would have passed through a
                           surface; sum. 0 where that is not looked for */
    uint32_t zones;     /* of them, those that ended with impact zones: what still would have passed through something
                           moved together. Their outcome is TAUT_SOLVE_DAMPED, and they count in `damped`; sum */
    uint32_t tangled;   /* edges that went through faces of surfaces at the start of the last substep, which drew them
                           back, those of colliders by more than the thickness; 0 where that is not looked for */
    double overstretch; /* the largest stretch, in lengths of their own, by which distances, membranes and strains of
                           tetrahedra were off their laws at the end of a part of a substep, and of joints, in quarters
                           of their arms; those that a step does not resolve (docs/mathematics.md, "Stiff rows"). Above
                           1 the step is subdivided; what ends above 0.2 is TAUT_SOLVE_OVERSTRETCHED */
    uint32_t substeps;  /* of the step: those of the integrator, or fewer in taut_world_step_for */
    uint32_t hurried;   /* solves of taut_world_step_for that ended above their tolerance, as their time was up; sum */
    uint32_t softened;  /* parts of substeps in which every hard row had a least compliance, since they were not solved
                           without, as where they contradict each other; sum */
    uint32_t inverted;  /* tetrahedra of TAUT_TET_STRAIN and TAUT_SOLID that are inside out at the end */
    uint32_t asleep;    /* particles and bodies that sleep at the end (taut_world_def.sleep), mapped points too */
    double momentum[3]; /* kg m/s: sum of m v at the end, of all that is not fixed */
} taut_step_info;

/* taut_world_info, for structs of `size` bytes. */
TAUT_API taut_status taut_world_info_sized(taut_world* world, taut_step_info* info, size_t size);
/* The report on the last step. Waits for the backend, as taut_world_sync does. */
static inline taut_status taut_world_info(taut_world* world, taut_step_info* info) {
    return taut_world_info_sized(world, info, sizeof *info);
}

/* taut_world_poll, for structs of `size` bytes. */
TAUT_API taut_status taut_world_poll_sized(taut_world* world, taut_step_info* info, size_t size);
/* The report on the newest finished step, without waiting. info->step is the number of that step, or 0 before the first
 * one. Errors remain pending until taut_world_sync. */
static inline taut_status taut_world_poll(taut_world* world, taut_step_info* info) {
    return taut_world_poll_sized(world, info, sizeof *info);
}

/* The methods and preconditioners of a world, as chosen at its creation. */
typedef struct taut_choice {
    size_t schur_rows;         /* rows of components solved by conjugate gradients on the Schur complement */
    size_t condensed_rows;     /* rows of components solved by the condensed system */
    size_t gauss_seidel_rows;  /* rows solved by Gauss-Seidel: all or none */
    size_t direct_rows;        /* rows solved by the direct method: all or none */
    size_t projected_rows;     /* rows, without those of contacts, solved by a projected method: all or none */
    taut_method method;        /* the method that solves contacts: condensed or a projected method. The method of the
                                  definition if no contacts are possible */
    taut_preconditioner schur; /* preconditioner of the Schur complement; none if schur_rows is 0 */
    taut_preconditioner condensed; /* preconditioner of the condensed system; none if condensed_rows is 0 */
    taut_cycle cycle;              /* cycle of the condensed system's multilevel preconditioner */
    uint32_t levels;               /* levels of that preconditioner, with the level of the unknowns; 0 without it */
    size_t level_nodes[TAUT_MAX_LEVELS]; /* nodes of the scene on the first level, aggregates on each other level */
    uint32_t colours;                    /* colours of constraints for Gauss-Seidel; 0 without it */
    size_t factor_values;      /* entries of the direct method's factor below its diagonal; 0 without the method */
    size_t contradicting_rows; /* rows that may contradict each other (taut_world_contradicting_rows) */
} taut_choice;

/* taut_world_choice, for structs of `size` bytes. */
TAUT_API taut_status taut_world_choice_sized(const taut_world* world, taut_choice* choice, size_t size);
/* Reports which methods and preconditioners the world uses. */
static inline taut_status taut_world_choice(const taut_world* world, taut_choice* choice) {
    return taut_world_choice_sized(world, choice, sizeof *choice);
}

/* ---- reading and writing the state ---------------------------------------------------------------------------- */

/* The type of the elements of a view. */
typedef enum taut_type {
    TAUT_FLOAT32 = 0, /* float */
    TAUT_FLOAT64 = 1  /* double */
} taut_type;

/* A view of memory that a world or an assembly owns. Element (r, c) is at (char*)data + r * stride + c * size of the
 * type. A view of a world stays valid until the world is destroyed or taut_world_grow_* moves its memory; each
 * step changes the values in the view. */
typedef struct taut_array {
    const void* data; /* element (0, 0) */
    taut_type type;   /* type of the elements */
    size_t rows;      /* number of points, frames or constraint rows */
    size_t columns;   /* elements per row */
    size_t stride;    /* bytes from one row to the next */
    bool on_device;   /* true: `data` points to device memory */
} taut_array;

/* Fields of the state. */
typedef enum taut_field {
    TAUT_FIELD_POSITIONS = 0,          /* particles x 3, float64, m */
    TAUT_FIELD_POSITIONS_F32 = 1,      /* particles x 3, float32, m: for renderers */
    TAUT_FIELD_VELOCITIES = 2,         /* particles x 3, float64, m/s */
    TAUT_FIELD_VIOLATIONS = 3,         /* rows x 1, float64: the constraint functions phi */
    TAUT_FIELD_MULTIPLIERS = 4,        /* rows x 1, float64: the constraint forces lam of the last step */
    TAUT_FIELD_ORIENTATIONS = 5,       /* frames x 4, float64: quaternions (w, x, y, z) that map frame axes to world
                                          axes */
    TAUT_FIELD_ANGULAR_VELOCITIES = 6, /* frames x 3, float64, rad/s, in world axes */
    TAUT_FIELD_COUNT
} taut_field;

/* Makes a view of a field. */
TAUT_API taut_status taut_world_view(taut_world* world, taut_field field, taut_array* view);

/* Copies rows [first, first + count) of a field to `out`, without gaps, as float64 for every field. Waits for
 * the backend. */
TAUT_API taut_status taut_world_read(taut_world* world, taut_field field, size_t first, size_t count, double* out);

/* Where the linear system that was solved last in a step has not been solved: how much motion one sweep over the
 * residuals of its rows and of its balance of forces would still add to each node, m/s of particles and rad/s of
 * frames, A^-1 (r + J^T (gam + D^-1 (b - S gam))) - dv,    D the diagonal of S, with rows that a bound or the law of
 * contact holds as they are. Copies nodes [first, first + count) of all particles and then frames to `out`, count x 3;
 * of mapped points the motion that follows. 0 before the first step. TAUT_INVALID_ARGUMENT in a world that was created
 * without taut_world_def.residuals. Waits for the backend. */
TAUT_API taut_status taut_world_read_residuals(taut_world* world, size_t first, size_t count, double* out);

/* Overwrites rows [first, first + count) of a field: positions or velocities of particles, orientations (which the
 * function normalises) or angular velocities of frames. TAUT_INVALID_ARGUMENT for other fields and for mapped
 * points.
 *
 * A motion that is written whole replaces the one before: if positions (orientations) and velocities of all particles
 * and frames that are free have been written since the last step, the next step starts as that of a new world, and
 * nothing remembers the motion before (multipliers, impulses, contacts, the guard). Otherwise what is there goes on.
 * save.h saves and restores a state with what it remembers. */
TAUT_API taut_status taut_world_write(taut_world* world, taut_field field, size_t first, size_t count,
                                      const double* values);

/* Number of points of the world: particles, centres of bodies and mapped points. */
TAUT_API size_t taut_world_particle_count(const taut_world* world);
/* Number of frames of the world: those of bodies and of rod pieces. */
TAUT_API size_t taut_world_frame_count(const taut_world* world);
/* Number of rows of all constraints and of the room for added ones (added.h), without contacts. */
TAUT_API size_t taut_world_row_count(const taut_world* world);
/* The rows of a batch in TAUT_FIELD_VIOLATIONS, TAUT_FIELD_MULTIPLIERS and the operators. The constraints of the batch
 * are in the order in which they were added. */
TAUT_API taut_status taut_world_batch_rows(const taut_world* world, taut_batch batch, taut_range* rows);
/* The rows of a batch that may contradict each other: hard distances, bends and elements where there are more of them
 * than points can meet, hard distances of two lengths between the same ends, and chains of hard distances that do
 * not reach from one fixed point to another at the start. They have a least compliance, so that a step is the motion of
 * a least-squares problem (docs/mathematics.md, "Law of a constraint"). `rows` receives the numbers of at most
 * `capacity` of them, ascending, as in the fields of rows; `count` receives how many there are. */
TAUT_API taut_status taut_world_contradicting_rows(const taut_world* world, taut_batch batch, size_t capacity,
                                                   uint32_t* rows, size_t* count);

#ifdef __cplusplus
}
#endif

#endif
