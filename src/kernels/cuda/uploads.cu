#include "kernels/cuda/uploads.cuh"

#include <string.h>

#define HALF ((size_t)1 << 19) /* bytes */

cudaError_t uploads_open(taut_uploads* u) {
    cudaError_t error = cudaHostAlloc((void**)&u->memory, 2 * HALF, cudaHostAllocPortable);
    for (int i = 0; error == cudaSuccess && i < 2; i++) {
        error = cudaEventCreateWithFlags(&u->done[i], cudaEventDisableTiming);
    }
    return error;
}

void uploads_close(taut_uploads* u) {
    for (int i = 0; i < 2; i++) {
        if (u->done[i] != NULL) {
            cudaEventDestroy(u->done[i]);
        }
    }
    cudaFreeHost(u->memory);
    *u = {};
}

/* Goes on in the other half, once its copies are done. */
static cudaError_t turn(taut_uploads* u, cudaStream_t stream) {
    cudaError_t error = cudaEventRecord(u->done[u->half], stream);
    u->pending[u->half] = error == cudaSuccess;
    u->half = 1 - u->half;
    u->used = 0;
    if (error == cudaSuccess && u->pending[u->half]) {
        error = cudaEventSynchronize(u->done[u->half]);
        u->pending[u->half] = false;
    }
    return error;
}

cudaError_t uploads_copy(taut_uploads* u, void* to, const void* from, size_t bytes, cudaStream_t stream) {
    if (bytes > HALF) {
        return cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream);
    }
    if (u->used + bytes > HALF) {
        const cudaError_t error = turn(u, stream);
        if (error != cudaSuccess) {
            return error;
        }
    }
    char* at = u->memory + (size_t)u->half * HALF + u->used;
    memcpy(at, from, bytes);
    u->used += (bytes + 15) / 16 * 16;
    return cudaMemcpyAsync(to, at, bytes, cudaMemcpyHostToDevice, stream);
}
