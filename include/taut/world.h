/* The world: a compiled scene with all memory in place, stepped on one backend.
 *
 * One step by default (docs/mathematics.md has the other formulations) solves, with W = C/(h l), l = alpha (h beta +
 * d), A = M - alpha beta h^2 G, the Schur complement     S gam = b,   S = J (P A P)^+ J^T + W, or the condensed system
 * H dv = ...,  H = A + J^T W^-1 J, which has the same solution, by preconditioned conjugate gradients (or by one of two
 * other ways, see taut_method), and then v += dv, x += h (v + beta dv). */
#ifndef TAUT_WORLD_H
#define TAUT_WORLD_H

#include "taut/contact.h"
#include "taut/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A compiled scene with all memory in place. */
typedef struct taut_world taut_world;

/* Where a world is stepped. */
typedef enum taut_backend_kind {
    TAUT_BACKEND_AUTO, /* CUDA where built in and present, else CPU */
    TAUT_BACKEND_CPU,  /* threads of OpenMP */
    TAUT_BACKEND_CUDA  /* a CUDA device */
} taut_backend_kind;

/* Unknowns of a step: constraint impulses or velocities. `auto` decides for each connected component of the scene;
 * where something can touch, for all of it: projected gradients where nothing but contact joins free bodies and
 * particles whose masses are within a factor of 100, else condensed. */
typedef enum taut_method {
    TAUT_METHOD_AUTO,         /* condensed where the rows are about as many as the degrees of freedom, else Schur */
    TAUT_METHOD_SCHUR,        /* ropes, rods, thread nets, mechanisms */
    TAUT_METHOD_CONDENSED,    /* cloth with shear or bending, soft bodies; hard rows by proximal iteration */
    TAUT_METHOD_GAUSS_SEIDEL, /* impulses, constraint by constraint in the place of conjugate gradients: for small or
                                 soft scenes; sweeps grow with the square of the length of a chain. Where something can
                                 touch: projected, contacts by their own blocks, whose colours follow them from step to
                                 step; not with mapped points: TAUT_INVALID_ARGUMENT */
    TAUT_METHOD_DIRECT,       /* impulses and velocities at once, by sparse factors in float64: the reference. CPU
                                 backend only, where the library was built with SuiteSparse's LDL and AMD; else
                                 TAUT_INVALID_DEFINITION, TAUT_BACKEND_UNAVAILABLE */
    TAUT_METHOD_PROJECTED_GRADIENT, /* impulses, by accelerated projected gradients: many loose bodies with contacts,
                                       bounds and short joints */
    TAUT_METHOD_NONSMOOTH_CG /* impulses, by nonsmooth conjugate gradients: likewise. Both look at all of the scene
                                and take no preconditioner; long chains and cloth need far more iterations than
                                by the others */
} taut_method;

/* The preconditioner of conjugate gradients. */
typedef enum taut_preconditioner {
    TAUT_PRECONDITIONER_AUTO,   /* Schur: multilevel on ropes, rods, thread nets and mechanisms, else Jacobi; condensed:
                                   multilevel */
    TAUT_PRECONDITIONER_NONE,   /* plain conjugate gradients */
    TAUT_PRECONDITIONER_JACOBI, /* Schur: the diagonal; condensed: 3 x 3 blocks */
    TAUT_PRECONDITIONER_BLOCK,  /* Schur: dense inverses of blocks grown along the strongest couplings */
    TAUT_PRECONDITIONER_CHEBYSHEV, /* Schur: polynomial in the Jacobi-scaled operator */
    TAUT_PRECONDITIONER_MULTILEVEL /* Schur: exact elimination along chains of constraints, half of each chain a level;
                                      condensed: aggregates with six rigid-body modes each, on several levels */
} taut_preconditioner;

/* How the multilevel preconditioner of the condensed system goes through its levels. */
typedef enum taut_cycle {
    TAUT_CYCLE_AUTO,     /* additive: the least time on the CPU (docs/lab-notes/2026-11-22.md) */
    TAUT_CYCLE_ADDITIVE, /* the unknowns and, beside them, a V-cycle on the coarser levels: the cheapest */
    TAUT_CYCLE_V,        /* Chebyshev smoothing before and after each coarser level */
    TAUT_CYCLE_K         /* two steps of conjugate gradients on each coarser level */
} taut_cycle;

/* The change of constraint forces with their directions. */
typedef enum taut_geometric_stiffness {
    TAUT_GEOMETRIC_NONE, /* left out */
    TAUT_GEOMETRIC_FULL  /* the stabilising part of G(lam) in A, and its term on the right-hand side */
} taut_geometric_stiffness;

/* What a step solves. Each is a choice of coefficients of one linear system (docs/mathematics.md, "Formulations"). */
typedef enum taut_formulation {
    TAUT_FORMULATION_THETA,  /* alpha, beta, force_theta_*: constraint forces at positions and velocities between the
                                ends of the step */
    TAUT_FORMULATION_PRIMAL, /* primal: a M v' + J^T (b D + c K) J v' = e p - g J^T K phi, in compliances */
    TAUT_FORMULATION_ACCELERATION /* J a = -Jdot v - ka J v - kb phi on hard rows; compliant rows act with the force
                                     that they have, explicitly */
} taut_formulation;

/* How accelerations are integrated. */
typedef enum taut_stepper {
    TAUT_STEPPER_SYMPLECTIC_EULER, /* v' = v + h a, x' = x + h v' */
    TAUT_STEPPER_RK4               /* the classical method of fourth order; frames by their rotation vectors */
} taut_stepper;

/* The general primal family, in units of the step: b h, c h^2 and g h are meant. The unknown is v', and x' = x +
 * h (beta v' + (1 - beta) v). {1, 1, 1, 1, 1} is implicit Euler. a, c > 0, b, e, g >= 0. */
typedef struct taut_primal {
    double a, b, c, e, g; /* coefficient of the formulation "primal" (docs/mathematics.md) */
} taut_primal;

/* What a step solves: the formulation and its coefficients. */
typedef struct taut_integrator {
    taut_formulation formulation;                 /* default theta */
    double alpha;                                 /* (0, 1]: implicitness of velocities; default 1 */
    double beta;                                  /* [0, 1]: implicitness of positions; default 1 */
    taut_geometric_stiffness geometric_stiffness; /* default full */
    double hard_row_damping; /* hard rows (compliance 0) get at least d = hard_row_damping * h; >= 0; default 0.
                                alpha < 1 needs 1: without it a hard row oscillates from step to step. beta = 0 means
                                at least 1 */
    uint32_t substeps;       /* >= 1; default 1: taut_world_step(dt) makes that many steps of dt / substeps */
    bool split_forces;       /* batches used as forces, and force elements, are not taken at alpha but at ...; default
                                false */
    double force_theta_q;    /* ... positions theta_q of the way from start to end of the step, in [0, 1], and ... */
    double force_theta_v;    /* ... velocities theta_v of it. Both 0: explicit */
    double mass_damping; /* 1/s, >= 0: force -mass_damping M v, the mass part of Rayleigh damping; the stiffness part
                            is the damping time of each batch. Default 0 */
    taut_primal primal;  /* default 1, 1, 1, 1, 1 */
    bool two_stage;      /* of theta: first the motion v* by forces alone, by Newton's method; then constraints
                            about it, A (v' - v*) = J^T gam. Default false */
    uint32_t newton;     /* of theta: linearisations of a step at most; 0 and 1: one. More solve the step exactly,
                            x and v as above in every force and constraint. Not with split_forces, but for two_stage.
                            Default 1 */
    double newton_tolerance;    /* on both residuals of the exact step, relative, in [0, 1); default 1e-6 */
    taut_stepper stepper;       /* of accelerations; default symplectic Euler */
    double baumgarte_velocity;  /* ka, 1/s, >= 0; default 0 */
    double baumgarte_position;  /* kb, 1/s^2, >= 0; default 0 */
    uint32_t project_positions; /* after each substep so many linearised projections of the positions onto phi = 0 of
                                   the hard rows, in the metric of A; 2 or 3 reach rounding. A scheme whose constraints
                                   hold between the ends of a step, alpha < 1, becomes one of first order by them. At
                                   most 100; default 0 */
    bool project_velocities;    /* then of the velocities onto ker J of the hard rows; default false */
} taut_integrator;

/* Steps known by name, as values of those fields; the others are left as they are. */
typedef enum taut_preset {
    TAUT_PRESET_EXPLICIT_EULER,   /* forces at the start, x' = x + h v; hard rows are solved for the velocity */
    TAUT_PRESET_SYMPLECTIC_EULER, /* forces at the start, velocities at the end, x' = x + h v' */
    TAUT_PRESET_IMPLICIT_EULER,   /* all at the end */
    TAUT_PRESET_MIDPOINT,         /* all in the middle; hard rows damped by one step, without which they oscillate */
    TAUT_PRESET_MOMENTUM,         /* implicit Euler in momenta, M v' - J^T gam = M v + h f: the primal family */
    TAUT_PRESET_BAUMGARTE,     /* accelerations by symplectic Euler, critically stabilised within ten steps of 1/60 s */
    TAUT_PRESET_BAUMGARTE_RK4, /* the same by RK4 */
    TAUT_PRESET_COUNT
} taut_preset;

/* Sets the fields that the preset names. */
TAUT_API taut_status taut_integrator_preset(taut_preset preset, taut_integrator* integrator);
/* "explicit_euler", ...; "unknown" outside the enumeration. */
TAUT_API const char* taut_preset_name(taut_preset preset);
/* ka = 2 ratio / time_constant, kb = 1 / time_constant^2: ratio 1 is critical. time_constant > 0 s, ratio >= 0. */
TAUT_API taut_status taut_integrator_baumgarte(double time_constant, double ratio, taut_integrator* integrator);

#define TAUT_MAX_LEVELS 12 /* of the multilevel preconditioner of the condensed system */

/* How a step is solved. */
typedef struct taut_solver {
    taut_method method;                 /* default auto; fixed at creation. Block and Chebyshev want Schur: with method
                                           auto they decide it */
    taut_preconditioner preconditioner; /* default auto; fixed at creation */
    taut_cycle cycle;                   /* default auto; fixed at creation */
    bool smoothed_aggregates;           /* prolongators of that multilevel preconditioner are smoothed; default true.
                                           Without, its refresh is cheaper and needs the K-cycle; fixed at creation */
    double tolerance;                   /* on the relative residual as in taut_step_info, in (0, 1); default 1e-4 */
    uint32_t max_iterations;            /* per substep, >= 1; of Gauss-Seidel sweeps; default 1000 */
    bool warm_start;                    /* start from the last multipliers; default true */
    double proximal;           /* regularisation of hard rows within an iteration of the outer loop, relative to the
                                  diagonal of S: 0 none, > 0 for redundant hard rows, < 0 automatic. The condensed
                                  system needs some and takes 0 for automatic; the direct method has its own. The
                                  converged result does not depend on it. Default -1 */
    uint32_t block_size;       /* unknowns per dense block, 1..256; default 64; fixed at creation */
    uint32_t chebyshev_degree; /* 1..64; default 8 */
} taut_solver;

/* What taut_world_create takes. */
typedef struct taut_world_def {
    uint32_t cookie;
    taut_backend_kind backend;     /* default auto: CUDA where built in and present, else CPU (reported to `log`) */
    uint32_t threads;              /* CPU backend; 0: as many as OpenMP offers. Results do not depend on it */
    double gravity[3];             /* m/s^2; default 0, -9.81, 0 */
    taut_integrator integrator;    /* what a step solves */
    taut_solver solver;            /* how */
    taut_contact_settings contact; /* of contacts, see contact.h */
    double speed_limit;            /* m/s, > 0; a faster particle counts as divergence; default 1e6 */
    bool profile;      /* measure the time of each stage, on the device where it works there; default false */
    bool reorder;      /* renumber particles and constraints inside, for locality of memory; users see their own
                          numbers throughout. Default true */
    int cuda_device;   /* CUDA backend: number of the device; -1: the calling thread's current one. Default -1 */
    void* cuda_stream; /* CUDA backend: the cudaStream_t that all work of the world goes to, of that device; it must
                          outlive the world, and not be cudaStreamPerThread. NULL: a stream of the world's own.
                          Default NULL */
    taut_allocator allocator;
    taut_log_fn* log; /* may be NULL */
    void* log_user;   /* passed to `log` */
} taut_world_def;

TAUT_API taut_world_def taut_default_world(void);
/* TAUT_INVALID_ARGUMENT for a scene without particles. */
TAUT_API taut_status taut_world_create(const taut_scene* scene, const taut_world_def* def, taut_world** world);
TAUT_API void taut_world_destroy(taut_world* world); /* NULL is allowed */

/* ---- stepping ------------------------------------------------------------------------------------------------- */

/* Advances by dt > 0 seconds. Work is only enqueued where the backend is asynchronous. TAUT_DIVERGED: the state
 * before the failed substep is kept, and the same call may be tried again after a change.
 *
 * While the world's own `cuda_stream` is being captured, the step becomes part of the graph under capture instead of
 * running: each launch of that graph then advances the world by dt. The world must be idle (taut_world_sync) when the
 * capture begins. Keep the graph until its executable is destroyed, launch that on `cuda_stream`, never after the world
 * is gone, and not at all if this call failed during the capture. Gravity, tolerances, forces, targets and the like
 * reach such a graph; dt, substeps, the formulation and the Chebyshev degree are those of the last capture. Until the
 * capture has ended, calls that need the device are refused; taut_world_poll, taut_world_note_steps and questions of
 * size are not. */
TAUT_API taut_status taut_world_step(taut_world* world, double dt);

/* Tells the world that `steps` steps of it were enqueued by launching a graph that captured them: without this, goals
 * of taut_world_move_fixed and taut_world_move_targets would belong to a step that is over. */
TAUT_API taut_status taut_world_note_steps(taut_world* world, uint64_t steps);

/* Waits for the backend and returns what went wrong since the last call, if anything did. */
TAUT_API taut_status taut_world_sync(taut_world* world);

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
/* "cpu" or "cuda". */
TAUT_API const char* taut_world_backend(const taut_world* world);

/* ---- changing parameters; all take effect with the next step -------------------------------------------------- */

/* The acceleration of gravity, m/s^2. */
TAUT_API taut_status taut_world_set_gravity(taut_world* world, const double gravity[3]);
/* Another integrator. */
TAUT_API taut_status taut_world_set_integrator(taut_world* world, const taut_integrator* integrator);
/* preconditioner and block_size must be those of creation. */
TAUT_API taut_status taut_world_set_solver(taut_world* world, const taut_solver* solver);
/* External forces on particles [first, first + count), count x 3, N; they stay until changed. */
TAUT_API taut_status taut_world_set_forces(taut_world* world, size_t first, size_t count, const double* forces);
/* External torques on frames [first, first + count), count x 3, N m, world axes; they stay until changed. */
TAUT_API taut_status taut_world_set_torques(taut_world* world, size_t first, size_t count, const double* torques);
/* Fixes particles where they are, at rest, or frees them; not mapped points. */
TAUT_API taut_status taut_world_set_fixed(taut_world* world, size_t count, const uint32_t* particles, bool fixed);
/* Fixes frames where they are, at rest, or frees them. */
TAUT_API taut_status taut_world_set_frames_fixed(taut_world* world, size_t count, const uint32_t* frames, bool fixed);
/* Where fixed particles shall be at the end of the next step: they move there in a straight line and then rest. */
TAUT_API taut_status taut_world_move_fixed(taut_world* world, size_t count, const uint32_t* particles,
                                           const double* positions);
/* Likewise the orientations of fixed frames, count x 4: they turn there about a fixed axis, by at most half a turn. */
TAUT_API taut_status taut_world_move_fixed_frames(taut_world* world, size_t count, const uint32_t* frames,
                                                  const double* orientations);
/* Where the targets of constraints [first, first + count) of a TAUT_TARGET batch shall be at the end of the next
 * step, count x 3; they move there linearly and then rest. So do the rest values of TAUT_PRISMATIC and TAUT_ANGULAR
 * batches, count x 1, and of TAUT_ALIGNMENT batches, count x 3: the drives of joints and rods. */
TAUT_API taut_status taut_world_move_targets(taut_world* world, taut_batch batch, size_t first, size_t count,
                                             const double* targets);

/* Re-tunes constraints [first, first + count) of a batch. Compliances: one per constraint (of alignments and
 * segments three), in the unit of the kind; for membranes and tetrahedron strain 1/E, with the Poisson ratio of the
 * batch. Rest values: one per constraint: length, angle, volume or rest value; three for alignments; refused for the
 * other kinds. */
TAUT_API taut_status taut_world_set_compliances(taut_world* world, taut_batch batch, size_t first, size_t count,
                                                const double* compliances);
/* Damping times, one per constraint, s. */
TAUT_API taut_status taut_world_set_dampings(taut_world* world, taut_batch batch, size_t first, size_t count,
                                             const double* dampings);
/* Rest values; see taut_world_set_compliances. */
TAUT_API taut_status taut_world_set_rest_values(taut_world* world, taut_batch batch, size_t first, size_t count,
                                                const double* values);
/* Other bounds for a batch that has some (taut_scene_set_bounds): one of each per constraint, for all its rows, N.
 * Those that have broken are mended by it; `strengths` NULL: as they were. */
TAUT_API taut_status taut_world_set_bounds(taut_world* world, taut_batch batch, size_t first, size_t count,
                                           const double* lower, const double* upper, const double* strengths);
/* Which of them have broken: count values. Waits like taut_world_sync. */
TAUT_API taut_status taut_world_read_broken(taut_world* world, taut_batch batch, size_t first, size_t count,
                                            bool* broken);

/* ---- operators on the current linearisation ------------------------------------------------------------------- */
/* For users' own solvers, and to check ours. Host arrays, float64; n = 3 * (particles + frames), m = rows. Particle i
 * has the places 3 i to 3 i + 2, frame j those of particle number (particles + j), with rotations in world axes. Mapped
 * points have places, too: what is put in there is ignored, what comes out is 0. */

/* Operators of the current linearisation. */
typedef enum taut_operator {
    TAUT_OPERATOR_J,         /* n -> m: J v */
    TAUT_OPERATOR_JT,        /* m -> n: J^T lam */
    TAUT_OPERATOR_A,         /* n -> n: P A P v */
    TAUT_OPERATOR_A_INVERSE, /* n -> n: (P A P)^+ v, to a relative residual of 1e-12 */
    TAUT_OPERATOR_S,         /* m -> m: J (P A P)^+ J^T gam + C/(h l) gam */
    TAUT_OPERATOR_W,         /* m -> m: C/(h l) gam */
    TAUT_OPERATOR_G          /* n -> n: G(lam) dx, exact and unprojected, with the multipliers of the last step; not
                                symmetric where frames are turned: torques are in world axes */
} taut_operator;

/* Evaluates and assembles at the current state for a step of h seconds, without stepping. Must precede
 * taut_world_apply after every step or write. */
TAUT_API taut_status taut_world_linearise(taut_world* world, double h);

/* out = operator * in; `in` and `out` must not overlap. */
TAUT_API taut_status taut_world_apply(taut_world* world, taut_operator op, const double* in, double* out);

/* Splits a motion (n values) into what the constraints let pass and what they react to, in the metric of A on the
 * current linearisation: motion = admissible + reaction, reaction = A^-1 J^T mu, J admissible = 0 of all rows or,
 * `hard_only`, of those without compliance; A-orthogonal to each other, to a relative residual of 1e-12. */
TAUT_API taut_status taut_world_split(taut_world* world, bool hard_only, const double* motion, double* admissible,
                                      double* reaction);

/* Projects the velocities of the state onto J v = 0 of the hard rows, in the metric of M: what is left is admissible
 * while targets and drives rest. */
TAUT_API taut_status taut_world_project_velocities(taut_world* world);
/* Projects the positions of the state onto phi = 0 of the hard rows by Newton's method in the metric of M: at most
 * `most` times, until the largest |phi| is at most `tolerance` (unit of the kind). `worst` (may be NULL) receives it.
 */
TAUT_API taut_status taut_world_project_positions(taut_world* world, uint32_t most, double tolerance, double* worst);

/* Right-hand side b of S gam = b on the current linearisation, m values. */
TAUT_API taut_status taut_world_right_hand_side(taut_world* world, double* out);

/* ---- backends ------------------------------------------------------------------------------------------------- */

/* TAUT_OK if a world can be made on it here and now. */
TAUT_API taut_status taut_backend_available(taut_backend_kind backend);

/* A CUDA device. */
typedef struct taut_device_info {
    char name[256];      /* the name that the driver gives */
    size_t memory;       /* bytes */
    int major, minor;    /* compute capability */
    int multiprocessors; /* how many it has */
} taut_device_info;

/* Number of CUDA devices; 0 where the backend is not built in or there is no driver. */
TAUT_API int taut_cuda_device_count(void);
/* TAUT_INVALID_ARGUMENT for a device that does not exist. */
TAUT_API taut_status taut_cuda_device_describe(int device, taut_device_info* info);

#ifdef __cplusplus
}
#endif

#endif
