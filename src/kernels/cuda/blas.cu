#include "kernels/cuda/blas.cuh"

#include <dlfcn.h>

extern "C" {
#include "base/status.h"
}

#define TEXT_OF(x) #x
#define TEXT(x)    TEXT_OF(x)
#define LIBRARY    "libcublas.so." TEXT(CUBLAS_VER_MAJOR)

/* cuBLAS's header names the second version of each by a macro. */
struct functions {
    decltype(&cublasCreate) create;
    decltype(&cublasDestroy) destroy;
    decltype(&cublasSetStream) set_stream;
    decltype(&cublasDdot) dot;
    decltype(&cublasDaxpy) axpy;
    decltype(&cublasDscal) scale;
    bool complete;
};

template <typename function> static bool find(void* library, const char* name, function* out) {
    *out = reinterpret_cast<function>(dlsym(library, name));
    return *out != nullptr;
}

static functions find_all(void* library) {
    functions f = {};
    f.complete = find(library, TEXT(cublasCreate), &f.create) && find(library, TEXT(cublasDestroy), &f.destroy) &&
                 find(library, TEXT(cublasSetStream), &f.set_stream) && find(library, TEXT(cublasDdot), &f.dot) &&
                 find(library, TEXT(cublasDaxpy), &f.axpy) && find(library, TEXT(cublasDscal), &f.scale);
    return f;
}

/* A program that has cuBLAS keeps its own. */
static functions load() {
    const functions present = find_all(RTLD_DEFAULT);
    if (present.complete) {
        return present;
    }
    void* library = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);
    return library == nullptr ? present : find_all(library);
}

/* Once for all threads, and until the program ends. */
static const functions& cublas() {
    static const functions found = load();
    return found;
}

static taut_status check(cublasStatus_t status, const char* what) {
    return status == CUBLAS_STATUS_SUCCESS
               ? TAUT_OK
               : taut_fail(status == CUBLAS_STATUS_ALLOC_FAILED ? TAUT_OUT_OF_MEMORY : TAUT_DEVICE_FAULT,
                           "cuBLAS: %s failed with status %d.", what, (int)status);
}

taut_status blas_open(taut_blas* blas, cudaStream_t stream) {
    if (blas->handle != NULL) {
        return TAUT_OK;
    }
    if (!cublas().complete) {
        return taut_fail(TAUT_DEVICE_FAULT, "cuBLAS cannot be loaded: put " LIBRARY
                                            " of the CUDA Toolkit where the dynamic linker finds it.");
    }
    taut_status status = check(cublas().create(&blas->handle), "creation");
    if (status == TAUT_OK) {
        status = check(cublas().set_stream(blas->handle, stream), "choice of stream");
    }
    if (status != TAUT_OK) {
        blas_close(blas);
    }
    return status;
}

void blas_close(taut_blas* blas) {
    if (blas->handle != NULL) {
        cublas().destroy(blas->handle);
        blas->handle = NULL;
    }
}

taut_status blas_dot(taut_blas* blas, size_t n, const double* x, const double* y, double* out) {
    return check(cublas().dot(blas->handle, (int)n, x, 1, y, 1, out), "dot");
}

taut_status blas_axpy(taut_blas* blas, size_t n, double a, const double* x, double* y) {
    return check(cublas().axpy(blas->handle, (int)n, &a, x, 1, y, 1), "axpy");
}

taut_status blas_scale(taut_blas* blas, size_t n, double a, double* x) {
    return check(cublas().scale(blas->handle, (int)n, &a, x, 1), "scal");
}
