/* The world: a compiled scene with all memory allocated, which one backend steps.
 *
 * By default a substep of length h solves one linear system for the velocity change dv; docs/mathematics.md states the
 * other formulations and defines the symbols. With l = alpha (h beta + d), W = C/(h l), A = M + alpha beta h^2 Gamma
 * and Gamma the stabilising part of the geometric stiffness -G(lam), the system has two forms with the same solution:
 * the Schur complement
 *     S gam = b,    S = J (P A P)^+ J^T + W
 * and the condensed system
 *     H dv = ...,    H = A + J^T W^-1 J.
 * taut_method names the methods that solve them; preconditioned conjugate gradients are the default. The new
 * state is v' = v + dv and x' = x + h (v + beta dv).
 *
 * The integrator has the parameters of the equations (integrator.h), the solver those of the solution (solver.h).
 * state.h reads and writes the state of a world; operators.h applies the operators of the linear system. */
#ifndef TAUT_WORLD_H
#define TAUT_WORLD_H

#include "taut/bodies.h"
#include "taut/contact.h"
#include "taut/integrator.h"
#include "taut/scene.h"
#include "taut/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- creation ------------------------------------------------------------------------------------------------- */

/* The processor that steps a world. */
typedef enum taut_backend_kind {
    TAUT_BACKEND_AUTO = 0, /* CUDA if the library has it and a device is present, else CPU */
    TAUT_BACKEND_CPU = 1,  /* threads of its own, or the program's tasks */
    TAUT_BACKEND_CUDA = 2  /* a CUDA device */
} taut_backend_kind;

/* Runs `item` of a loop. The parts of a loop may run at the same time, on any threads. */
typedef void taut_task_fn(void* argument, uint32_t item);

/* A task system of the program, which runs the loops of the CPU backend in place of threads: the world then starts no
 * threads, and taut_world_step may be called on a thread of that system. */
typedef struct taut_tasks {
    /* Calls task(argument, i) once for every i < count, and returns when all have returned. It must not fail, and is
     * called on the thread that calls taut_world_step, or another function that computes. NULL: none */
    void (*run)(void* context, uint32_t count, taut_task_fn* task, void* argument);
    void* context;    /* passed to `run` */
    uint32_t workers; /* how many items may run at the same time, 1 to 4096, in place of `threads`; most loops are cut
                         into so many equal parts, those of uneven work into more. Results do not depend on it */
} taut_tasks;

/* Room for constraints that are added while the world runs (added.h), by kind; default 0. A world with room has one
 * system for all of the scene (method auto: the direct method as without room, up to 96 rows with factor rows, such as
 * 32 targets; else the condensed system, unless all of the scene is of the Schur complement), and not Gauss-Seidel.
 * Room that is not used costs a row each; of the direct method, an added row costs a solution a step. */
typedef struct taut_reserve {
    uint32_t distances;   /* taut_world_add_distances */
    uint32_t attachments; /* taut_world_add_attachments */
    uint32_t targets;     /* taut_world_add_targets, taut_world_grab */
    uint32_t welds;       /* taut_world_add_welds */
    uint64_t reserved[8]; /* 0 */
} taut_reserve;

/* Sleep: what has hardly moved for some time is not solved, and costs next to nothing, until something wakes it. CPU
 * backend; TAUT_INVALID_DEFINITION on CUDA.
 *
 * An island is what contacts, joints and other constraints hold together; supports that stand still belong to none. It
 * sleeps when all of its particles and bodies have been slower than `speed` for `time`, in the mean of about a quarter
 * of `time` and at no moment four times as fast, these means have not changed by more than a quarter of `speed` in this
 * time, and its steps were solved; it then stands still. It wakes whole: when
 * something that moves may touch it within two substeps, or a support of it moves; when forces on it, its state, drives
 * or targets change; when gravity, the integrator, compliances, moduli, rest values, bounds, pressure or wind change,
 * or constraints or fixed particles come or go; or by taut_world_wake. Contacts and forces of what sleeps are there as
 * before. What creeps more slowly than `speed` stops. */
typedef struct taut_sleep {
    double speed;         /* m/s, >= 0; of bodies also that at the radius of gyration. Default 0: nothing sleeps */
    double time;          /* s, > 0; default 0.5 */
    uint64_t reserved[2]; /* 0 */
} taut_sleep;

/* Definition of a world, see taut_world_create. */
typedef struct taut_world_def {
    uint32_t cookie;
    uint32_t bytes;
    taut_backend_kind backend;     /* default auto: CUDA if the library has it and a device is present, else CPU; `log`
                                      receives a message about the choice */
    uint32_t threads;              /* CPU backend: number of threads; 0: as many as processors that the process may use;
                                      1: the calling thread alone, so that a program can step several worlds on threads
                                      of its own. Others belong to the thread that steps, sleep when it does not, and end
                                      with it. Results do not depend on the number of threads. Default 0 */
    double gravity[3];             /* m/s^2; default 0, -9.81, 0 */
    taut_integrator integrator;    /* formulation and coefficients of a step */
    taut_solver solver;            /* method, preconditioner and tolerances */
    taut_contact_settings contact; /* settings of contacts, see contact.h */
    double speed_limit;            /* m/s, > 0: a step in which a particle exceeds this speed fails with TAUT_DIVERGED;
                                      default 1e6 */
    bool profile;    /* true: the world measures the time of each stage (CUDA backend: on the device); default false */
    bool reorder;    /* true: the world renumbers particles and constraints internally for locality of memory. The
                        interface keeps the numbers of the scene. Default true */
    int cuda_device; /* CUDA backend: number of the device; -1: the current device of the calling thread. Default -1 */
    void* cuda_stream; /* CUDA backend: the cudaStream_t on which the world enqueues all work. The stream must belong to
                          the device and outlive the world, and must not be cudaStreamPerThread. NULL: the world creates
                          a stream. Default NULL */
    taut_allocator allocator;
    taut_log_fn* log;     /* receives messages; may be NULL */
    void* log_user;       /* passed to `log` */
    taut_reserve reserve; /* room for constraints that are added while the world runs */
    taut_tasks tasks;     /* CPU backend: the program's own task system; default none */
    bool residuals;       /* true: each solve ends with the residual of every node, at the cost of about two iterations
                             (taut_world_read_residuals); default false */
    taut_sleep sleep;     /* what rests is not solved; default: nothing rests */
} taut_world_def;

TAUT_DEFAULT(taut_world_def, taut_default_world, TAUT_DEFINITION_WORLD)
/* Creates a world from a scene. TAUT_INVALID_ARGUMENT for a scene without particles. */
TAUT_API taut_status taut_world_create(const taut_scene* scene, const taut_world_def* def, taut_world** world);
/* Destroys a world. NULL is allowed. */
TAUT_API void taut_world_destroy(taut_world* world);

/* Named pairs of accuracy and time; each changes what the settings say already. */
typedef enum taut_quality {
    TAUT_QUALITY_PREVIEW = 0, /* a tolerance of at least 1e-2, and half of the substeps, rounded up */
    TAUT_QUALITY_FINAL = 1,   /* a tolerance of at most 1e-5, and twice the substeps */
    TAUT_QUALITY_COUNT
} taut_quality;

/* Changes the substeps of `integrator` and the tolerance of `solver` as the quality says. */
TAUT_API taut_status taut_quality_preset(taut_quality quality, taut_integrator* integrator, taut_solver* solver);
/* "preview", "final"; "unknown" outside the enumeration. */
TAUT_API const char* taut_quality_name(taut_quality quality);

/* ---- stepping ------------------------------------------------------------------------------------------------- */

/* Advances the world by dt > 0 seconds. On CUDA the call enqueues the work and does not wait (taut.h, "Waiting"). On
 * TAUT_DIVERGED the world keeps the state before the failed substep, and the caller may repeat the call after changing
 * parameters. Steps may differ in length: hard rows undo a violation in the time of the longest substep of late, which
 * shorter ones forget by halves. A step more than 1e5 times as long takes no constraint forces over.
 *
 * CUDA graphs. While the stream `cuda_stream` of the definition is being captured, the step becomes part of the
 * captured graph instead of running. Each launch of that graph then advances the world by dt. These rules apply:
 *
 * - The world must be idle when the capture begins (taut_world_sync).
 * - The graph must exist until its executable is destroyed.
 * - The executable must be launched on `cuda_stream`, and only while the world exists.
 * - If taut_world_step failed during the capture, the graph must not be launched.
 * - Launches use the current gravity, tolerances, forces, kinematic targets and similar parameters. dt, substeps, the
 *   formulation and the Chebyshev degree are those of the last capture.
 * - Until the capture ends, functions that need the device fail. taut_world_poll, taut_world_note_steps and functions
 *   that return counts are allowed. */
TAUT_API taut_status taut_world_step(taut_world* world, double dt);

/* Advances the world by dt > 0 seconds, as taut_world_step does, and aims at taking at most `seconds` of the clock. It
 * gives up accuracy, in this order: when the time of a substep is up its solves end at a relative residual of 0.01
 * instead of their tolerance, in fewer linearisations and outer iterations; and if that takes longer than the time of a
 * substep, as the steps before have told, the step has fewer substeps. In substeps of more than 0.02 s a search for
 * contacts that takes more than a fiftieth of their time looks less far ahead, so that a long one does not find nearly
 * all pairs; what it leaves out is found as a crossing, and where crossings are not looked for it leaves out nothing.
 * What is left, such as the guard, the check of crossings and the iterations to 0.01, is as in any other step, and may
 * take longer than the budget. taut_step_info reports `residual`, `hurried` and `substeps`; the outcome of a solve
 * above its tolerance is TAUT_SOLVE_ITERATION_LIMIT. After TAUT_OUT_OF_CAPACITY, step again with a budget, too.
 *
 * Results depend on the clock, and are not the same in another run; a step whose time was never up, after others whose
 * time was not, has the bits of taut_world_step. CPU backend; TAUT_INVALID_DEFINITION on CUDA, where a step does not
 * look at the clock. */
TAUT_API taut_status taut_world_step_for(taut_world* world, double dt, double seconds);

/* Ends the step under way, or the next one, where it has not come to its end before: solves end with the iteration at
 * hand, and nothing follows on them. The step fails with TAUT_STOPPED; the world has made a part of it, none or some of
 * its substeps and of their parts: to go on from a whole step, taut_world_save before it. May be called in a handler of
 * a signal. CPU backend; steps on CUDA do not look. */
TAUT_API void taut_world_stop(taut_world* world);

/* Tells the world that the caller has enqueued `steps` of its steps by launching a captured graph. The world needs this
 * number to apply the goals of taut_world_move_fixed and taut_world_move_targets to the right step. */
TAUT_API taut_status taut_world_note_steps(taut_world* world, uint64_t steps);

/* Waits for the backend, and returns the error of an earlier step, if one has failed since the last call. */
TAUT_API taut_status taut_world_sync(taut_world* world);

/* ---- changing parameters; all take effect with the next step -------------------------------------------------- */

/* Sets the acceleration of gravity, m/s^2. */
TAUT_API taut_status taut_world_set_gravity(taut_world* world, const double gravity[3]);
/* Replaces the integrator. */
TAUT_API taut_status taut_world_set_integrator(taut_world* world, const taut_integrator* integrator);
/* Replaces the solver. TAUT_INVALID_ARGUMENT if method, preconditioner, cycle or block_size differ from those at
 * creation. */
TAUT_API taut_status taut_world_set_solver(taut_world* world, const taut_solver* solver);
/* Sets the external forces on particles [first, first + count), count x 3, N. They act until they are changed. */
TAUT_API taut_status taut_world_set_forces(taut_world* world, size_t first, size_t count, const double* forces);
/* Sets the external torques on frames [first, first + count), count x 3, N m, in world axes. They act until they are
 * changed. */
TAUT_API taut_status taut_world_set_torques(taut_world* world, size_t first, size_t count, const double* torques);
/* Fixes particles (true) at rest at their current positions, or frees them (false). TAUT_INVALID_ARGUMENT for mapped
 * points. */
TAUT_API taut_status taut_world_set_fixed(taut_world* world, size_t count, const uint32_t* particles, bool fixed);
/* Fixes bodies (true) at rest in their current poses, or frees them (false). */
TAUT_API taut_status taut_world_set_bodies_fixed(taut_world* world, size_t count, const taut_body* bodies, bool fixed);
/* Fixes frames (true) at rest at their current orientations, or frees them (false): those of rods, or of bodies whose
 * points stay as they are. */
TAUT_API taut_status taut_world_set_frames_fixed(taut_world* world, size_t count, const uint32_t* frames, bool fixed);
/* Sets kinematic targets of fixed particles: their positions at the end of the next step, count x 3, m. The particles
 * move along straight lines during that step and then rest. */
TAUT_API taut_status taut_world_move_fixed(taut_world* world, size_t count, const uint32_t* particles,
                                           const double* positions);
/* Sets kinematic targets of fixed frames: their orientations at the end of the next step, count x 4. Each frame rotates
 * about a fixed axis by at most half a turn during that step and then rests. */
TAUT_API taut_status taut_world_move_fixed_frames(taut_world* world, size_t count, const uint32_t* frames,
                                                  const double* orientations);
/* Sets kinematic targets of fixed bodies, as taut_world_move_fixed and taut_world_move_fixed_frames: `positions` of
 * their points, count x 3, m, and `orientations`, count x 4. TAUT_INVALID_ARGUMENT, with the world unchanged, for a
 * body whose point or frame is free. */
TAUT_API taut_status taut_world_move_fixed_bodies(taut_world* world, size_t count, const taut_body* bodies,
                                                  const double* positions, const double* orientations);
/* As taut_world_move_fixed, of particles that turn together during the step: by `rotation`, a rotation vector in world
 * axes, rad, whose length is the angle, of any number of turns and at most 1e9; about an axis through `centre`, a point
 * of it at the end of the step, m. With the part l of the step left a particle with the target g is at
 *
 *     centre + R(-l rotation)(g - centre) + l e,
 *
 * where R is the rotation of a rotation vector and e is constant; R turns and l e is a straight way, minus the
 * displacement of the axis where the motion is that of a rigid body. At the ends of substeps, and of their parts,
 * particles are there; in between they go straight, with a constant velocity. A rotation of 0 is taut_world_move_fixed.
 *
 * A step that failed has made a part of the motion, and the next one goes on with what is left of it: targets that are
 * given again are those of the whole step, with its whole rotation. Copies its arguments; allocates nothing.
 * TAUT_INVALID_ARGUMENT, with the world unchanged, as of taut_world_move_fixed, and for a rotation or a centre that is
 * NULL or not finite. */
TAUT_API taut_status taut_world_turn_fixed(taut_world* world, size_t count, const uint32_t* particles,
                                           const double* positions, const double rotation[3], const double centre[3]);
/* As taut_world_move_fixed_frames, by `rotation` during the step, as of taut_world_turn_fixed: of half a turn or more,
 * too. A rotation that does not lead to the orientation, but for 1e-6 rad, is not followed: such a frame takes the
 * shortest way. */
TAUT_API taut_status taut_world_turn_fixed_frames(taut_world* world, size_t count, const uint32_t* frames,
                                                  const double* orientations, const double rotation[3]);
/* As taut_world_move_fixed_bodies, of bodies that turn together during the step: their points as by
 * taut_world_turn_fixed, their frames as by taut_world_turn_fixed_frames. */
TAUT_API taut_status taut_world_turn_fixed_bodies(taut_world* world, size_t count, const taut_body* bodies,
                                                  const double* positions, const double* orientations,
                                                  const double rotation[3], const double centre[3]);
/* Sets the values that the targets of constraints [first, first + count) of a batch have at the end of the next step.
 * They change linearly during that step and are then constant. For TAUT_TARGET batches: target positions, count x 3.
 * For drives of joints and rods: rest values, count x 1 of TAUT_PRISMATIC and TAUT_ANGULAR batches, count x 3 of
 * TAUT_ALIGNMENT batches. */
TAUT_API taut_status taut_world_move_targets(taut_world* world, taut_batch batch, size_t first, size_t count,
                                             const double* targets);
/* As taut_world_move_targets, for a TAUT_TARGET batch whose targets turn together, as taut_world_turn_fixed does.
 * TAUT_INVALID_ARGUMENT for batches of other kinds. */
TAUT_API taut_status taut_world_turn_targets(taut_world* world, taut_batch batch, size_t first, size_t count,
                                             const double* targets, const double rotation[3], const double centre[3]);

/* Sets the compliances of constraints [first, first + count) of a batch, in the unit of the kind: one value per
 * constraint, three for alignments and segments. For membranes and tetrahedron strain the value is 1/E, and the Poisson
 * ratio of the batch remains. Solids have moduli (taut_world_set_moduli, forces.h). */
TAUT_API taut_status taut_world_set_compliances(taut_world* world, taut_batch batch, size_t first, size_t count,
                                                const double* compliances);
/* Sets the damping times of constraints [first, first + count), one per constraint, s. */
TAUT_API taut_status taut_world_set_dampings(taut_world* world, taut_batch batch, size_t first, size_t count,
                                             const double* dampings);
/* Sets the rest values of constraints [first, first + count): one length, angle, volume or rest value per constraint,
 * three for alignments. Values that they have, of what does not move by itself, wake nothing. TAUT_INVALID_ARGUMENT for
 * other kinds. */
TAUT_API taut_status taut_world_set_rest_values(taut_world* world, taut_batch batch, size_t first, size_t count,
                                                const double* values);
/* Sets the bounds of constraints [first, first + count) of a batch that has bounds (taut_scene_set_bounds), N. The
 * arrays have one value per constraint, which applies to all of its rows. Broken constraints among them act again.
 * `strengths` NULL: strengths stay unchanged. Waits for the backend. */
TAUT_API taut_status taut_world_set_bounds(taut_world* world, taut_batch batch, size_t first, size_t count,
                                           const double* lower, const double* upper, const double* strengths);
/* Tells which of constraints [first, first + count) have broken: count values. Waits for the backend, as
 * taut_world_sync does. */
TAUT_API taut_status taut_world_read_broken(taut_world* world, taut_batch batch, size_t first, size_t count,
                                            bool* broken);

/* Wakes all that sleeps (taut_sleep). */
TAUT_API taut_status taut_world_wake(taut_world* world);
/* Wakes the islands of particles: their numbers. */
TAUT_API taut_status taut_world_wake_particles(taut_world* world, size_t count, const uint32_t* particles);
/* Tells which of particles [first, first + count) sleep: count values. */
TAUT_API taut_status taut_world_read_asleep(taut_world* world, size_t first, size_t count, bool* asleep);

/* ---- backends ------------------------------------------------------------------------------------------------- */

/* The backend of a world: "cpu" or "cuda". */
TAUT_API const char* taut_world_backend(const taut_world* world);

/* TAUT_OK if a world can be created on the backend, in this build and on this machine. */
TAUT_API taut_status taut_backend_available(taut_backend_kind backend);

/* A CUDA device. */
typedef struct taut_device_info {
    char name[256];      /* the name that the driver reports */
    size_t memory;       /* bytes */
    int major, minor;    /* compute capability */
    int multiprocessors; /* number of multiprocessors */
} taut_device_info;

/* Number of CUDA devices; 0 if the library was built without CUDA or no driver is present. */
TAUT_API int taut_cuda_device_count(void);
/* taut_cuda_device_describe, for structs of `size` bytes. */
TAUT_API taut_status taut_cuda_device_describe_sized(int device, taut_device_info* info, size_t size);
/* Describes a CUDA device. TAUT_INVALID_ARGUMENT for a device that does not exist. */
static inline taut_status taut_cuda_device_describe(int device, taut_device_info* info) {
    return taut_cuda_device_describe_sized(device, info, sizeof *info);
}

#ifdef __cplusplus
}
#endif

#endif
