/* Every call of the CUDA runtime from this program and its libraries, counted and made to fail at will. The wrappers
 * take the place of the runtime's functions because the dynamic linker looks for names in the program first; until
 * cuda_calls_watch they only pass on.
 *
 * Calls that the runtime or cuBLAS makes to get a wrapped call done are not counted. */
#ifndef TAUT_TEST_CUDA_CALLS_H
#define TAUT_TEST_CUDA_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cuda_group {
    CUDA_LAUNCHES,       /* of kernels */
    CUDA_GRAPH_LAUNCHES, /* of graphs */
    CUDA_WAITS,          /* of the host; copies that wait are copies */
    CUDA_COPIES,         /* and clearing */
    CUDA_ALLOCATIONS,
    CUDA_RELEASES, /* of anything */
    CUDA_CREATIONS,
    CUDA_INSTANTIATIONS,
    CUDA_CAPTURES, /* what builds a graph */
    CUDA_QUERIES,  /* free of side effects */
    CUDA_GROUPS
} cuda_group;

/* Every wrapped function and its group. */
#define CUDA_FUNCTIONS(X)                                                                                              \
    X(__cudaLaunchKernel, CUDA_LAUNCHES)                                                                               \
    X(cudaLaunchKernel, CUDA_LAUNCHES)                                                                                 \
    X(cudaLaunchKernelExC, CUDA_LAUNCHES)                                                                              \
    X(cudaLaunchCooperativeKernel, CUDA_LAUNCHES)                                                                      \
    X(cudaGraphLaunch, CUDA_GRAPH_LAUNCHES)                                                                            \
    X(cudaGraphUpload, CUDA_INSTANTIATIONS)                                                                            \
    X(cudaGraphInstantiate, CUDA_INSTANTIATIONS)                                                                       \
    X(cudaGraphInstantiateWithFlags, CUDA_INSTANTIATIONS)                                                              \
    X(cudaGraphExecUpdate, CUDA_INSTANTIATIONS)                                                                        \
    X(cudaStreamSynchronize, CUDA_WAITS)                                                                               \
    X(cudaDeviceSynchronize, CUDA_WAITS)                                                                               \
    X(cudaEventSynchronize, CUDA_WAITS)                                                                                \
    X(cudaMemcpy, CUDA_COPIES)                                                                                         \
    X(cudaMemcpyAsync, CUDA_COPIES)                                                                                    \
    X(cudaMemcpy2D, CUDA_COPIES)                                                                                       \
    X(cudaMemcpy2DAsync, CUDA_COPIES)                                                                                  \
    X(cudaMemset, CUDA_COPIES)                                                                                         \
    X(cudaMemsetAsync, CUDA_COPIES)                                                                                    \
    X(cudaMalloc, CUDA_ALLOCATIONS)                                                                                    \
    X(cudaMallocAsync, CUDA_ALLOCATIONS)                                                                               \
    X(cudaMallocManaged, CUDA_ALLOCATIONS)                                                                             \
    X(cudaMallocHost, CUDA_ALLOCATIONS)                                                                                \
    X(cudaHostAlloc, CUDA_ALLOCATIONS)                                                                                 \
    X(cudaHostRegister, CUDA_ALLOCATIONS)                                                                              \
    X(cudaFree, CUDA_RELEASES)                                                                                         \
    X(cudaFreeAsync, CUDA_RELEASES)                                                                                    \
    X(cudaFreeHost, CUDA_RELEASES)                                                                                     \
    X(cudaStreamDestroy, CUDA_RELEASES)                                                                                \
    X(cudaEventDestroy, CUDA_RELEASES)                                                                                 \
    X(cudaGraphDestroy, CUDA_RELEASES)                                                                                 \
    X(cudaGraphExecDestroy, CUDA_RELEASES)                                                                             \
    X(cublasDestroy_v2, CUDA_RELEASES)                                                                                 \
    X(cudaStreamCreate, CUDA_CREATIONS)                                                                                \
    X(cudaStreamCreateWithFlags, CUDA_CREATIONS)                                                                       \
    X(cudaStreamCreateWithPriority, CUDA_CREATIONS)                                                                    \
    X(cudaEventCreate, CUDA_CREATIONS)                                                                                 \
    X(cudaEventCreateWithFlags, CUDA_CREATIONS)                                                                        \
    X(cublasCreate_v2, CUDA_CREATIONS)                                                                                 \
    X(cublasSetStream_v2, CUDA_CREATIONS)                                                                              \
    X(cudaStreamBeginCapture, CUDA_CAPTURES)                                                                           \
    X(cudaStreamBeginCaptureToGraph, CUDA_CAPTURES)                                                                    \
    X(cudaStreamEndCapture, CUDA_CAPTURES)                                                                             \
    X(cudaStreamUpdateCaptureDependencies, CUDA_CAPTURES)                                                              \
    X(cudaGraphCreate, CUDA_CAPTURES)                                                                                  \
    X(cudaGraphAddNode, CUDA_CAPTURES)                                                                                 \
    X(cudaGraphConditionalHandleCreate, CUDA_CAPTURES)                                                                 \
    X(cudaStreamGetCaptureInfo, CUDA_QUERIES)                                                                          \
    X(cudaStreamIsCapturing, CUDA_QUERIES)                                                                             \
    X(cudaHostGetDevicePointer, CUDA_QUERIES)                                                                          \
    X(cudaGetDeviceCount, CUDA_QUERIES)                                                                                \
    X(cudaGetDevice, CUDA_QUERIES)

typedef enum cuda_function {
#define CUDA_ENUMERATOR(name, group) CALL_##name,
    CUDA_FUNCTIONS(CUDA_ENUMERATOR)
#undef CUDA_ENUMERATOR
        CUDA_FUNCTION_COUNT
} cuda_function;

/* Counts from zero from here on, and forgets every order to fail. */
void cuda_calls_watch(void);
/* As before the first cuda_calls_watch. */
void cuda_calls_ignore(void);

const char* cuda_function_name(cuda_function function);
cuda_group cuda_function_group(cuda_function function);
size_t cuda_calls_of(cuda_function function);
size_t cuda_calls_in(cuda_group group);
/* Copied to, from or within the device. */
size_t cuda_calls_bytes(void);
/* Kernels that were launched on a stream that did not capture, and those of them that were while another did. */
size_t cuda_calls_at_once(void);
size_t cuda_calls_astray(void);

#define CUDA_EVERY_CALL SIZE_MAX

/* The n-th call of the function from now on (from 1) does nothing but return `error` (of cuBLAS: its status); n = 0:
 * none does. What a failing cudaStreamEndCapture captured is destroyed. */
void cuda_calls_fail(cuda_function function, size_t n, int error);
/* The same of the n-th call of any function of the group. */
void cuda_calls_fail_in(cuda_group group, size_t n, int error);
/* From now on cudaGetDeviceCount succeeds with this number; -1: the true one. */
void cuda_calls_devices(int count);

/* What exists now, of all that was made while watched. Graphs are those that belong to the caller. */
typedef struct cuda_live {
    size_t device, pinned; /* blocks of memory */
    size_t streams, events, graphs, executables, handles;
} cuda_live;

cuda_live cuda_calls_live(void);
size_t cuda_live_total(cuda_live live);

#ifdef __cplusplus
}
#endif

#endif
