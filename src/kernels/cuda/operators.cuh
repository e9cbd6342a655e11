#ifndef TAUT_CUDA_OPERATORS_CUH
#define TAUT_CUDA_OPERATORS_CUH

#include "kernels/cuda/blas.cuh"
#include "kernels/cuda/device.cuh"

/* out = operator * in with host arrays, on the assembled linearisation; waits for the result. */
taut_status cuda_apply(const taut_view& view, taut_operator op, taut_blas* blas, const double* in, double* out,
                       taut_launch* launch);
/* r of A dv = r + J^T gam; waits for the result. */
taut_status cuda_velocity_side(const taut_view& view, double* out, taut_launch* launch);
/* b of S gam = b; waits for the result. */
taut_status cuda_right_hand_side(const taut_view& view, taut_blas* blas, double* out, taut_launch* launch);

#endif
