/* Products in float32 for preconditioners that need some of their own; the solver's iteration fuses its own
 * (pcg_schur_iterate.cu). */
#define TAUT_REAL      float
#define SUFFIXED(name) name##_f32
#include "kernels/cuda/apply_kernels.cuh"

void cuda_multiply_f32(const taut_view& view, const float* p, float* q, taut_launch* launch) {
    cuda_apply_jacobian_transpose_f32(view, TAUT_ALL, true, p, view.f.g, launch);
    cuda_apply_jacobian_f32(view, TAUT_ALL, view.f.g, 4, p, true, q, launch);
}
