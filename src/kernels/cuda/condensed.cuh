/* The condensed system on the device, in several files. */
#ifndef TAUT_CUDA_CONDENSED_CUH
#define TAUT_CUDA_CONDENSED_CUH

#include "kernels/cuda/solve.cuh"

/* Wh, between the diagonal of S and what overwrites it in `wide`. */
void cuda_condense_weigh(const taut_view& view, taut_launch* launch);
/* D, the diagonal blocks of H, and the numbers of the preconditioner. */
void cuda_condense_refresh(const taut_view& view, const taut_settings& settings, taut_launch* launch);
/* One iteration; arguments as of cuda_iterate. */
void cuda_condense_iterate(const taut_view& view, const taut_settings& settings, loop_handle inner,
                           taut_launch* launch);
/* out = H x, nodes x 4; x gets its mapped points. Overwrites the unknowns' q. */
void cuda_condense_multiply(const taut_view& view, float* x, float* out, taut_launch* launch);

/* What r.z is for: what external forces would do; the residual with gam; that with gam + Wh r_c, which decides of the
 * next outer iteration, or is but looked at; an iteration of an outer iteration. */
typedef enum condense_role { FOR_RESPONSE, FOR_BALANCE, FOR_START, FOR_LOOK, FOR_ITERATION } condense_role;

/* z = B r (node_r, node_z), B near the inverse of H, and what the role asks; `loop` is the one that it decides of. */
void cuda_condense_precondition(const taut_view& view, const taut_settings& settings, condense_role role,
                                loop_handle loop, taut_launch* launch);

/* Motions along the paths of the system, of stages/system.h. */
void cuda_system_paths(const taut_view& view, taut_launch* launch);
void cuda_multilevel_refresh(const taut_view& view, taut_launch* launch);
/* The matrix of level 0 alone. */
void cuda_multilevel_refresh_matrix(const taut_view& view, taut_launch* launch);
/* The interval of the smoothing of a level whose matrix and inverses are there. */
void cuda_multilevel_largest(const taut_view& view, uint32_t l, taut_launch* launch);
void cuda_multilevel_apply(const taut_view& view, const taut_settings& settings, condense_role role, loop_handle loop,
                           taut_launch* launch);

#endif
