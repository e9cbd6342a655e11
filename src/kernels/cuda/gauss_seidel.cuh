/* Gauss-Seidel in the place of conjugate gradients (stages/gauss_seidel.h). */
#ifndef TAUT_CUDA_GAUSS_SEIDEL_CUH
#define TAUT_CUDA_GAUSS_SEIDEL_CUH

#include "kernels/cuda/device.cuh"

/* Numbers of the constraints for the assembled system; in an outer iteration that is not the first, only if it lowers
 * the shift. */
void cuda_gauss_seidel_refresh(const taut_view& view, taut_launch* launch);
/* z from r by a sweep there and back; for systems without bounds. */
void cuda_gauss_seidel_apply(const taut_view& view, taut_launch* launch);
/* Of systems with bounds: TAUT_SWEEPS sweeps, and whether more follow. */
void cuda_gauss_seidel_round(const taut_view& view, loop_handle inner, taut_launch* launch);

#endif
