/* The world: a compiled scene with all memory in place, stepped on one backend.
 *
 * One step by default (docs/mathematics.md has the other formulations) solves, with W = C/(h l), l = alpha (h beta +
 * d), A = M - alpha beta h^2 G, the Schur complement     S gam = b,   S = J (P A P)^+ J^T + W, or the condensed system
 * H dv = ...,  H = A + J^T W^-1 J, which has the same solution, by preconditioned conjugate gradients (or by one of two
 * other ways, see taut_method), and then v += dv, x += h (v + beta dv). */
#ifndef TAUT_WORLD_H
#define TAUT_WORLD_H

#include "taut/contact.h"
#include "taut/integrator.h"
#include "taut/scene.h"
#include "taut/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where a world is stepped. */
typedef enum taut_backend_kind {
    TAUT_BACKEND_AUTO, /* CUDA where built in and present, else CPU */
    TAUT_BACKEND_CPU,  /* threads of OpenMP */
    TAUT_BACKEND_CUDA  /* a CUDA device */
} taut_backend_kind;


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
