#include "kernels/cuda/blas.cuh"

extern "C" {
#include "base/status.h"
}

static taut_status check(cublasStatus_t status, const char* what) {
    return status == CUBLAS_STATUS_SUCCESS
               ? TAUT_OK
               : taut_fail(status == CUBLAS_STATUS_ALLOC_FAILED ? TAUT_OUT_OF_MEMORY : TAUT_DEVICE_FAULT,
                           "cuBLAS: %s failed with status %d.", what, (int)status);
}

taut_status blas_open(taut_blas* blas, cudaStream_t stream) {
    taut_status status = check(cublasCreate(&blas->handle), "creation");
    if (status == TAUT_OK) {
        status = check(cublasSetStream(blas->handle, stream), "choice of stream");
    }
    return status;
}

void blas_close(taut_blas* blas) {
    if (blas->handle != NULL) {
        cublasDestroy(blas->handle);
        blas->handle = NULL;
    }
}

taut_status blas_dot(taut_blas* blas, size_t n, const double* x, const double* y, double* out) {
    return check(cublasDdot(blas->handle, (int)n, x, 1, y, 1, out), "dot");
}

taut_status blas_axpy(taut_blas* blas, size_t n, double a, const double* x, double* y) {
    return check(cublasDaxpy(blas->handle, (int)n, &a, x, 1, y, 1), "axpy");
}

taut_status blas_scale(taut_blas* blas, size_t n, double a, double* x) {
    return check(cublasDscal(blas->handle, (int)n, &a, x, 1), "scal");
}
