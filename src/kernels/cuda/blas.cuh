/* The few cuBLAS calls of the project behind checked wrappers. Scalars are host values: the calls may wait.
 *
 * cuBLAS is loaded when it is first asked for: it costs every program that links it 0.15 s and more at its start. */
#ifndef TAUT_CUDA_BLAS_CUH
#define TAUT_CUDA_BLAS_CUH

#include "taut/base.h"

#include <cublas_v2.h>

typedef struct taut_blas {
    cublasHandle_t handle; /* NULL before blas_open */
} taut_blas;

/* Where it is not open yet. */
taut_status blas_open(taut_blas* blas, cudaStream_t stream);
void blas_close(taut_blas* blas);
/* *out = x.y */
taut_status blas_dot(taut_blas* blas, size_t n, const double* x, const double* y, double* out);
/* y += a x */
taut_status blas_axpy(taut_blas* blas, size_t n, double a, const double* x, double* y);
/* x *= a */
taut_status blas_scale(taut_blas* blas, size_t n, double a, double* x);

#endif
