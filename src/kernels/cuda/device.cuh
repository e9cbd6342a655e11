/* What all CUDA files share: the view that kernels get, the control block that replaces host decisions, fixed-order
 * sums, and checked launches. */
#ifndef TAUT_CUDA_DEVICE_CUH
#define TAUT_CUDA_DEVICE_CUH

#include "model/backend.h"

#include "kernels/stages/bound_sums.h"
#include "model/guard.h"
#include "model/newton.h"
#include "model/zone_rounds.h"

#include <cuda_runtime.h>
#include <string.h>

#define TAUT_THREADS  128 /* per block, every kernel */
#define TAUT_MAX_GRID 896 /* blocks of a kernel that sums: its partial sums are added by one block */
/* Of the kernel that judges, which sums the most. */
#define TAUT_MAX_SUMS ((int)((sizeof(taut_powers) + sizeof(taut_guard_sums)) / sizeof(double)))

/* Of a conditional node; absent where iterations are launched one by one. CUDA promises nothing of a handle's value. */
typedef struct loop_handle {
    bool present;
    cudaGraphConditionalHandle handle;
} loop_handle;

static const loop_handle no_loop = {false, 0};

/* What the structure of a step's graph depends on. */
typedef struct taut_scheme {
    uint32_t substeps;
    uint32_t chebyshev_degree;
    uint32_t project_positions;
    taut_formulation formulation;
    bool runge_kutta, two_stage, newton, looks, project_velocities;
    bool factor_rows;                         /* the geometric stiffness is taken into account */
    bool explicit_factor_rows, explicit_rows; /* as in taut_factors */
    bool weighed;                             /* as in taut_settings */
    bool guards;
} taut_scheme;

static inline taut_scheme scheme_of(const taut_settings& settings) {
    const taut_factors step = taut_step_factors(&settings, 1);
    const taut_integrator& integrator = settings.integrator;
    taut_scheme scheme;
    memset(&scheme, 0, sizeof scheme); /* compared byte by byte, padding included */
    scheme.substeps = integrator.substeps;
    scheme.chebyshev_degree = settings.solver.chebyshev_degree;
    scheme.project_positions = integrator.project_positions;
    scheme.formulation = integrator.formulation;
    scheme.runge_kutta = integrator.stepper == TAUT_STEPPER_RK4;
    scheme.two_stage = integrator.two_stage;
    scheme.newton = integrator.newton > 1;
    scheme.looks = newton_looks(&integrator);
    scheme.project_velocities = integrator.project_velocities;
    scheme.factor_rows = step.factor_scale[TAUT_LAW_CONSTRAINT] > 0;
    scheme.explicit_factor_rows = step.explicit_factor_rows;
    scheme.explicit_rows = step.explicit_rows;
    scheme.weighed = settings.weighed;
    scheme.guards = integrator.guard;
    return scheme;
}

static inline bool same_scheme(const taut_scheme& a, const taut_scheme& b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

/* Whether a graph of structure `a` can take the parameters of one of structure `b`: all but what they repeat. */
static inline bool fits_scheme(const taut_scheme& a, taut_scheme b) {
    b.substeps = a.substeps;
    b.chebyshev_degree = a.chebyshev_degree;
    return same_scheme(a, b);
}

/* Numbers of a step that may change without building the graph anew; set by one small kernel when they do. */
typedef struct taut_device_params {
    taut_factors factors[TAUT_PHASE_COUNT]; /* of one substep */
    double newton_tolerance;
    double mass_damping;
    uint32_t newton;  /* linearisations at most, */
    uint32_t further; /* and beyond, while something is stretched */
    double dt;        /* s, the whole step */
    double speed_limit;
    double tolerance;
    double chebyshev_degree;
    uint32_t max_iterations;
    double whole;         /* s, of a substep */
    double part;          /* s, of an attempt at a part of it */
    double undamped;      /* of the guard: taut_guard_undamped */
    bool guards, watches; /* as in the integrator; likewise */
    bool mends;           /* likewise: taut_attempt */
    uint32_t number;      /* of joins into graphs of the user's, and of changes for those; else 0 */
    bool warm_start;
    bool proximal; /* redundant rows are damped when carried over */
} taut_device_params;

/* Scalars of the condensed solver beside those that it shares with the other one: as in stages/condensed.h. */
typedef struct taut_condensed_control {
    double rows_scale, nodes_scale, response; /* a condensed_scale */
    double balance[2], start[2];              /* condensed_motion with gam, and with gam + Wh r_c */
    double rows2;                             /* sum of r_c^2 */
    double rows, nodes, length, scale;        /* a condensed_residual */
    double rows_before, nodes_before;         /* of one before the outer iteration */
    double curvature;                         /* p.H p */
    int shifted;                              /* some row has a proximal shift */
    uint32_t extra_stalls;                    /* as of taut_outer_state */
} taut_condensed_control;

/* What is done about things that would pass through each other in a part. */
typedef struct taut_zone_state {
    int crosses;    /* the last search has found something */
    int solids;     /* solids are of it */
    int held;       /* zones were made */
    int apart;      /* of solids, which shorter parts may keep apart without */
    int grew;       /* the last round has changed them */
    uint32_t round; /* how often the part was solved again */
    taut_zone_rounds rounds;
    taut_guard before; /* the guard before the part was judged */
} taut_zone_state;

/* Scalars of the step and its solvers: written and read by kernels only. */
typedef struct taut_control {
    taut_report report;
    double impulse_step; /* s: the step that gam belongs to; 0: none */
    double scale;        /* |b| */
    double residual;     /* |b - S gam| at the last look */
    double goal;         /* of the outer iteration */
    double rz;
    double shape;        /* of the mapped points: their part of p.(S + E) p */
    double length;       /* p.B^-1 p */
    double beta;         /* of the direction: p = z + beta p; 0 restarts */
    double advance;      /* step length along p */
    double least;        /* Gauss-Seidel: the smallest residual of the outer iteration */
    double largest;      /* Chebyshev: estimate of the largest eigenvalue */
    uint32_t iterations; /* of this substep */
    uint32_t outer_iterations;
    uint32_t stalled;
    uint32_t lowerings;                                     /* of the proximal shift */
    uint32_t outer_start;                                   /* iterations before the outer iteration */
    uint32_t made;                                          /* iterations when the preconditioner was made */
    uint32_t least_at;                                      /* sweeps of the outer iteration to `least`; 0: none yet */
    uint32_t samples;                                       /* multipliers averaged so far */
    int lower;                                              /* the outer iteration lowers the shift */
    int undo;                                               /* the last outer iteration is taken back */
    int outer;                                              /* the outer loop goes on */
    int inner;                                              /* the outer iteration goes on */
    int shifted;                                            /* some row has a proximal shift */
    int unsound;                                            /* a node's new state is not finite or too fast */
    unsigned long long violation_bits[TAUT_KIND_COUNT + 1]; /* and taut_report.stretch */
    uint32_t tick;              /* of the step under way, TAUT_FIRST_TICK + steps completed */
    double done, rate;          /* of the motion to goals in it: what is made, and of that per second */
    uint32_t arrived;           /* blocks of the running sum that are done; 0 between kernels */
    unsigned long long letters; /* reports sent */
    unsigned long long mark;    /* ns: when the stage under way began, where stages are timed */
    taut_condensed_control condensed;
    newton_state newton;
    taut_energies energies;         /* as last evaluated */
    taut_energies before;           /* at the start of the substep */
    taut_bounded_state bounded;     /* of a solve with bounds */
    taut_bound_sums bound_sums;     /* at its last look */
    taut_projected_state projected; /* of projected gradients; length2 also of the power method, */
    uint32_t powers;                /* which has taken so many steps */
    double promise;                 /* of the condensed system: r.delta at the start of the outer iteration */
    double outer_length;            /* likewise: |r| then */
    double begun, begun_rows; /* likewise: |r| when multipliers of rows with a shift followed last, and that of rows */
    taut_residual_mode residual_mode;   /* likewise: how they do next */
    taut_closeness closeness;           /* likewise: what has become of the shift since the solve began */
    taut_impulse_change impulse_change; /* likewise: how impulses of contacts have changed where they followed last, */
    unsigned long long closing_bits;    /* and what of it is being found */
    double increment;                   /* likewise: of a step, what is to be added to the motion */
    taut_line_search line;              /* likewise: along a step that went too far */
    double line_changed;                /* holds that the whole of it changed */
    int active_set_changed;             /* the last outer iteration has changed what bounds hold */
    uint32_t sliding_round;             /* of a solve: how often it was made again for what slides, */
    int slides;                         /* whether b follows, */
    int bounces;                        /* likewise of what bounces, */
    int stalls;                         /* whether motors stall by other forces, */
    uint32_t bounce_round;              /* and how often for that; */
    taut_outcome sliding_before;        /* and what solves had ended with before it, */
    double residual_before, complementarity_before; /* likewise */
    double newton_rows2;                            /* of a judgement under way */
    taut_guard guard;                               /* of steps: */
    taut_report kept_report;                        /* as a part began, */
    double kept_impulse_step;                       /* likewise, */
    uint32_t kept_samples;                          /* likewise; */
    int retries;                                    /* the last attempt at a part was taken back */
    int rejected;                                   /* what an unsound substep did has been undone */
    taut_powers part_powers;                        /* of the part that was judged last */
    bool contradicts;                               /* likewise: taut_attempt.contradicts, */
    bool broken;                                    /* and not taut_attempt.finite */
    taut_zone_state zones;                          /* likewise */
} taut_control;

/* A slot of the mailbox (mailbox.cuh). */
typedef struct taut_letter {
    unsigned long long begun; /* 1 for the first report; 0: none yet */
    unsigned long long done;
    taut_report report;
} taut_letter;

/* The multilevel preconditioner: its arrays are in device memory, its description is in both. */
typedef struct taut_levels {
    taut_hierarchy host;
    const taut_hierarchy* device;
} taut_levels;

/* By value to every kernel: constant bank, no indirection. */
typedef struct taut_view {
    taut_fields f; /* device pointers */
    taut_sizes s;
    const taut_device_params* params;
    taut_control* control;
    double* partials;          /* TAUT_MAX_SUMS x TAUT_MAX_GRID */
    const taut_levels* levels; /* in host memory: for what launches kernels */
    taut_phase phase;          /* of the step */
    bool iterating; /* the kernel belongs to an iteration: it leaves at once when the outer iteration is over */
} taut_view;

/* The numbers of the step that a kernel belongs to. */
__host__ __device__ inline const taut_factors& view_factors(const taut_view& view) {
    return view.params->factors[view.phase];
}

static_assert(sizeof(taut_view) <= 8192, "kernels get it by value, and 32,764 bytes at most");

static inline unsigned taut_grid(size_t items) {
    const size_t blocks = (items + TAUT_THREADS - 1) / TAUT_THREADS;
    return (unsigned)(blocks > 0 ? blocks : 1);
}

/* Grid of a kernel that sums: items are strided over at most TAUT_MAX_GRID blocks. */
static inline unsigned taut_sum_grid(size_t items) {
    const unsigned blocks = taut_grid(items);
    return blocks < TAUT_MAX_GRID ? blocks : TAUT_MAX_GRID;
}

/* An error of CUDA as status and sentence. */
taut_status taut_cuda_check(cudaError_t error, const char* what);

#ifdef __CUDACC__

#define TAUT_WARPS (TAUT_THREADS / 32)

/* Sums `count` values per thread over the block, lanes by halving and then the warps in order; every thread must call,
 * and gets the totals. `warps` is free for another use after the next barrier. */
__device__ inline void block_sums(double warps[TAUT_MAX_SUMS][TAUT_WARPS], double* values, int count) {
    for (int i = 0; i < count; i++) {
        for (int distance = 16; distance > 0; distance /= 2) {
            values[i] += __shfl_down_sync(0xFFFFFFFFu, values[i], distance);
        }
        if (threadIdx.x % 32 == 0) {
            warps[i][threadIdx.x / 32] = values[i];
        }
    }
    __syncthreads();
    for (int i = 0; i < count; i++) {
        values[i] = warps[i][0];
        for (int w = 1; w < TAUT_WARPS; w++) {
            values[i] += warps[i][w];
        }
    }
}

/* Sums `count` values per thread over the grid, in a fixed order: the block that finishes last adds the blocks'
 * partial sums, whichever block that is. Returns true on thread 0 of that block, with the totals in `values`. Of a view
 * it needs the control block and the partial sums. */
template <class View> __device__ inline bool grid_sums(const View& view, double* values, int count) {
    __shared__ double warps[TAUT_MAX_SUMS][TAUT_WARPS];
    __shared__ bool last;
    block_sums(warps, values, count);
    if (threadIdx.x == 0) {
        for (int i = 0; i < count; i++) {
            view.partials[i * TAUT_MAX_GRID + blockIdx.x] = values[i];
        }
        __threadfence();
        last = atomicAdd(&view.control->arrived, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) {
        return false;
    }
    __threadfence();
    for (int i = 0; i < count; i++) { /* all loads are under way before the first sum */
        double parts[TAUT_MAX_GRID / TAUT_THREADS];
#pragma unroll
        for (unsigned k = 0; k < TAUT_MAX_GRID / TAUT_THREADS; k++) {
            const unsigned b = threadIdx.x + k * TAUT_THREADS;
            parts[k] = b < gridDim.x ? __ldcg(&view.partials[i * TAUT_MAX_GRID + b]) : 0;
        }
        values[i] = 0;
#pragma unroll
        for (unsigned k = 0; k < TAUT_MAX_GRID / TAUT_THREADS; k++) {
            values[i] += parts[k];
        }
    }
    block_sums(warps, values, count);
    if (threadIdx.x == 0) {
        view.control->arrived = 0;
    }
    return threadIdx.x == 0;
}

#ifdef __CUDACC__
/* The largest of non-negative numbers, by integer maximum of their bits: those order like the numbers, and a maximum
 * does not depend on its order. Most numbers are below what has been seen, and need no atomic operation. */
__device__ inline void keep_largest(unsigned long long* largest, double value) {
    const unsigned long long bits = (unsigned long long)__double_as_longlong(value);
    if (bits > *(volatile unsigned long long*)largest) {
        atomicMax(largest, bits);
    }
}

/* What it is, by one thread after all others; 0 from now on. */
__device__ inline double take_largest(unsigned long long* largest) {
    return __longlong_as_double((long long)atomicExch(largest, 0));
}
#endif

template <class View> __device__ inline bool inner_is_over(const View& view) {
    return view.iterating && !view.control->inner;
}

/* True on one thread, after everything that the grid's threads did before they called; every thread must call. */
__device__ inline bool grid_done(const taut_view& view) {
    double nothing[1];
    return grid_sums(view, nothing, 0);
}

__host__ __device__ inline size_t member_total(const taut_sizes& s) {
    size_t total = 0;
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        total += s.count[k];
    }
    return total;
}

/* Nodes that a kernel is for: some in a row, without the mapped points where these come between. */
typedef struct node_range {
    size_t first;
    size_t count;
} node_range;

static inline node_range level_range(const taut_sizes& s, uint32_t level) {
    const node_range range = {s.level_begin[level], s.level_begin[level + 1] - (size_t)s.level_begin[level]};
    return range;
}

/* All unknowns: the mapped points lie between points and frames. */
static inline node_range unknown_range(const taut_sizes& s) {
    const node_range range = {0, s.nodes - (s.points - s.simple)};
    return range;
}

#ifdef __CUDACC__
__device__ inline size_t node_of(const taut_view& view, const node_range& range, size_t i) {
    return range.first > 0 || i < view.s.simple ? range.first + i : i + (view.s.points - view.s.simple);
}
#endif

/* Index and stride of a grid-stride loop. */
__device__ inline size_t thread_index() {
    return blockIdx.x * (size_t)blockDim.x + threadIdx.x;
}
__device__ inline size_t thread_count() {
    return gridDim.x * (size_t)blockDim.x;
}

__device__ inline void go_on(loop_handle loop, bool on) {
    if (loop.present) {
        cudaGraphSetConditional(loop.handle, on);
    }
}

#endif

/* Launchers enqueue on `stream` and keep the first error. In the body of a conditional node they add nodes to its graph
 * by hand: a capture into a body could be invalidated, and ending it crashes the driver then (NVIDIA bug 6805256). */
typedef struct taut_launch {
    cudaStream_t stream;
    cudaError_t error;           /* the first one */
    cudaGraph_t body = NULL;     /* that nodes are added to; NULL: outside all bodies */
    cudaGraphNode_t last = NULL; /* of the body: what the next node depends on; NULL: nothing */
} taut_launch;

/* Of the body, behind all others. */
void body_add(taut_launch* launch, cudaGraphNodeParams* params);
void taut_clear(taut_launch* launch, void* at, size_t bytes);
void taut_copy(taut_launch* launch, void* to, const void* from, size_t bytes); /* on the device */
/* What a library enqueues on a stream: in a body as a graph within it, which is captured by itself. From taut_outside
 * on `outside` is to be enqueued on; taut_inside ends that. */
taut_launch taut_outside(taut_launch* launch);
void taut_inside(taut_launch* launch, taut_launch* outside);

#ifdef __CUDACC__

/* Nothing after an error: what follows a loop that could not be captured would run at once. Unlike <<<>>> the call
 * returns its own error, so that those of the program's own calls stay where they are. */
template <typename... Parameters, typename... Arguments>
inline void taut_launch_kernel(taut_launch* launch, void (*kernel)(Parameters...), unsigned grid, unsigned threads,
                               const Arguments&... arguments) {
    if (launch->error != cudaSuccess) {
        return;
    }
    const auto enqueue = [&](Parameters... own) { /* of the kernel's own types */
                                                  void* values[] = {&own...};
                                                  if (launch->body == NULL) {
                                                      cudaLaunchConfig_t config = {};
                                                      config.gridDim = grid;
                                                      config.blockDim = threads;
                                                      config.stream = launch->stream;
                                                      launch->error =
                                                          cudaLaunchKernelExC(&config, (const void*)kernel, values);
                                                  } else {
                                                      cudaGraphNodeParams params = {};
                                                      params.type = cudaGraphNodeTypeKernel;
                                                      params.kernel.func = (void*)kernel;
                                                      params.kernel.gridDim = grid;
                                                      params.kernel.blockDim = threads;
                                                      params.kernel.kernelParams = values;
                                                      body_add(launch, &params);
                                                  }
    };
    enqueue(arguments...);
}

#define TAUT_LAUNCH(launch, kernel, grid, ...) taut_launch_kernel(launch, kernel, grid, TAUT_THREADS, __VA_ARGS__)
#define TAUT_LAUNCH_ONE(launch, kernel, ...)   taut_launch_kernel(launch, kernel, 1, 1, __VA_ARGS__)

#endif

/* Stages; each file holds its kernels first and then these launchers. */
void cuda_reset(const taut_view& view, taut_launch* launch); /* a cleared control block gets its first tick */
void cuda_begin(const taut_view& view, taut_launch* launch);
void cuda_kinematic_targets(const taut_view& view, taut_launch* launch);
void cuda_turn_targets(const taut_view& view, taut_launch* launch);
void cuda_assemble(const taut_view& view, const taut_settings& settings, taut_launch* launch);
/* What the solver prepares from the system: preconditioners. */
void cuda_refresh(const taut_view& view, const taut_settings& settings, taut_launch* launch);
/* J^T gam of the iterate, exactly and rounded, for the next system (stages/renew.h). */
void cuda_renew_jacobian_transpose(const taut_view& view, taut_launch* launch);
/* Of Newton's method: the norm of the first right-hand side, and a judgement of the iterate, which sets both handles.
 */
void cuda_newton_scale(const taut_view& view, taut_launch* launch);
void cuda_check_residual(const taut_view& view, loop_handle loop, loop_handle solving, taut_launch* launch);
/* What a solve has left at the nodes, of worlds that keep it. */
void cuda_note_residuals(const taut_view& view, taut_launch* launch);
/* Sets the handle if the part begins about a guess of its end, or if not. */
void cuda_look_ahead(const taut_view& view, loop_handle once, bool ahead, taut_launch* launch);
/* Sets the handle if the state is stretched as model/newton.h has it. */
void cuda_look_stretched(const taut_view& view, loop_handle once, taut_launch* launch);
/* Sets a handle; with `sound` only while the step is sound, else to 0. */
void cuda_set_handle(const taut_view& view, loop_handle handle, bool on, taut_launch* launch);
/* Must be captured. */
void cuda_solve(const taut_view& view, const taut_settings& settings, taut_launch* launch);
void cuda_lower_shift(const taut_view& view, taut_launch* launch); /* if the outer iteration that begins does so */
void cuda_give_turns_back(const taut_view& view, taut_move move, taut_launch* launch);
void cuda_move(const taut_view& view, taut_move move, taut_launch* launch);
void cuda_end_substep(const taut_view& view, taut_launch* launch); /* a substep is over */
void cuda_evaluate(const taut_view& view, taut_launch* launch);
void cuda_evaluate_mapped(const taut_view& view, taut_launch* launch); /* mapped points as the unknowns are now */
/* Goals are stood upon, given_* of the layout follow, the report is sent. */
void cuda_end(const taut_view& view, taut_letter* slots, taut_launch* launch);
/* The last two of these. */
void cuda_publish(const taut_view& view, taut_letter* slots, taut_launch* launch);
void cuda_set_params(const taut_view& view, const taut_device_params& params, taut_launch* launch);
/* Those of `since` where these have a higher number. */
void cuda_set_joined_params(const taut_view& view, const taut_device_params* since, const taut_device_params& params,
                            taut_launch* launch);

/* What the backend works with, for tests and benchmarks of its inside. */
const taut_view* cuda_backend_view(const taut_backend_state* state);
cudaStream_t cuda_backend_stream(const taut_backend_state* state);

/* Products; arguments as in host/cpu/cpu_apply.h. */
void cuda_spread_f32(const taut_view& view, uint32_t levels, float* vectors, uint32_t stride, taut_launch* launch);
void cuda_spread_f64(const taut_view& view, uint32_t levels, double* vectors, uint32_t stride, taut_launch* launch);
void cuda_apply_jacobian_transpose_f32(const taut_view& view, int parts, bool weighted, const float* u, float* g,
                                       taut_launch* launch);
void cuda_apply_jacobian_transpose_f64(const taut_view& view, int parts, bool weighted, const double* u, double* g,
                                       taut_launch* launch);
void cuda_apply_jacobian_f32(const taut_view& view, int parts, const float* g, uint32_t stride, const float* u,
                             bool inner, float* out, taut_launch* launch);
void cuda_apply_jacobian_f64(const taut_view& view, int parts, const double* g, uint32_t stride, const double* u,
                             bool inner, double* out, taut_launch* launch);
void cuda_multiply_f32(const taut_view& view, const float* p, float* q, taut_launch* launch); /* q = (S + E) p */

/* z = B r; `refresh` computes its numbers for the assembled system. */
void cuda_precondition_refresh(const taut_view& view, const taut_settings& settings, taut_launch* launch);
void cuda_precondition_apply(const taut_view& view, const taut_settings& settings, const float* r, float* z,
                             taut_launch* launch);

#endif
