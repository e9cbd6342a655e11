/* Parts of the solver that live in files of their own. */
#ifndef TAUT_CUDA_SOLVE_CUH
#define TAUT_CUDA_SOLVE_CUH

#include "kernels/cuda/device.cuh"
#include "model/solvers.h"

/* Where the preconditioned residual z comes from within the fused iteration. */
typedef enum z_source { Z_IS_R, Z_IS_SCALED_R, Z_IS_STORED } z_source;

static inline z_source z_source_of(const taut_settings& settings) {
    if (taut_inner_solver_of(&settings) == TAUT_INNER_GAUSS_SEIDEL) {
        return Z_IS_STORED;
    }
    switch (settings.preconditioner) {
    case TAUT_PRECONDITIONER_NONE:
        return Z_IS_R;
    case TAUT_PRECONDITIONER_JACOBI:
        return Z_IS_SCALED_R;
    default:
        return Z_IS_STORED;
    }
}

/* Opens a WHILE node behind what `launch` has captured; until while_end, launches go into its body. The loop runs
 * while kernels set the handle to 1, first of all before it is reached. */
typedef struct taut_while {
    taut_launch outside;
    loop_handle handle;
} taut_while;

void while_handle(taut_launch* launch, taut_while* loop);
void while_begin(taut_launch* launch, taut_while* loop);
void while_end(taut_launch* launch, taut_while* loop);

/* Iterations per round of the loop around them. */
#define TAUT_ROUND 4

/* One iteration of conjugate gradients: with `inner` as the handle of the surrounding loop, or no_loop without one. */
void cuda_iterate(const taut_view& view, const taut_settings& settings, loop_handle inner, taut_launch* launch);

/* Starts gam of what is not condensed from the last step, or from zero; about an iterate from what belongs to that. */
void cuda_first_guess(const taut_view& view, taut_launch* launch);
/* Brings impulses within their bounds: of condensed rows, or of the others. */
void cuda_clamp(const taut_view& view, bool condensed, taut_launch* launch);
/* z = 0 where bounds hold a row. */
void cuda_leave_held(const taut_view& view, taut_launch* launch);
/* What residuals of systems with bounds are relative to. */
void cuda_bounded_scale(const taut_view& view, taut_launch* launch);

/* The solvers of model/solvers.h on the device; arguments as of cuda_solve. Each leaves impulses in gam and dv - u of
 * its nodes in g_f64. */
void cuda_projected_solve(const taut_view& view, const taut_settings& settings, taut_launch* launch);
void cuda_bounded_solve(const taut_view& view, const taut_settings& settings, taut_launch* launch);
void cuda_schur_solve(const taut_view& view, const taut_settings& settings, taut_launch* launch);
void cuda_condensed_solve(const taut_view& view, const taut_settings& settings, taut_launch* launch);

/* Contacts that slide otherwise than the start of a substep told (stages/contact/sliding.h): whether there may be any,
 * and the loop around a solve, which goes on while b of contacts follows. */
bool cuda_sliding_follows(const taut_view& view, const taut_settings& settings);
void cuda_begin_sliding(const taut_view& view, loop_handle rounds, taut_launch* launch);
void cuda_follow_sliding(const taut_view& view, loop_handle rounds, taut_launch* launch);

/* The multilevel preconditioner of the Schur complement (kernels/stages/line_elimination.h). */
void cuda_lines_refresh(const taut_view& view, taut_launch* launch);
void cuda_lines_apply(const taut_view& view, const float* r, float* z, taut_launch* launch);

#ifdef __CUDACC__

/* What is stored of a constraint, four values at a time. */
template <int COUNT> static __device__ void load_record(const float* stored, float record[COUNT]) {
    for (int i = 0; i < COUNT / 4; i++) {
        const float4 part = ((const float4*)stored)[i];
        record[4 * i] = part.x;
        record[4 * i + 1] = part.y;
        record[4 * i + 2] = part.z;
        record[4 * i + 3] = part.w;
    }
}

/* By one thread: beta = r.z / the last r.z. */
static __device__ inline void next_direction(taut_control* control, double rz) {
    control->beta = rz / control->rz;
    control->length = rz + control->beta * control->beta * control->length;
    control->rz = rz;
}

/* After an iteration, by one thread: whether the outer iteration goes on. */
static __device__ inline void conclude_iteration(taut_control* control, const taut_device_params* params,
                                                 double residual2, loop_handle inner) {
    control->iterations++;
    const bool done = sqrt(residual2) <= control->goal || control->iterations >= params->max_iterations;
    control->inner = !done;
    go_on(inner, !done);
}

#endif

#endif
