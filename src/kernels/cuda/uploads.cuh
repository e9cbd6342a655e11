/* Copies to the device that the host does not wait for, from memory that may change at once: they pass through a buffer
 * in pinned memory, in two halves, each used again when its copies are done. From pageable memory CUDA would first wait
 * for the stream. */
#ifndef TAUT_CUDA_UPLOADS_CUH
#define TAUT_CUDA_UPLOADS_CUH

#include <cuda_runtime.h>

typedef struct taut_uploads {
    char* memory; /* two halves */
    size_t used;  /* of the half in use */
    int half;
    cudaEvent_t done[2];
    bool pending[2]; /* the half's event has been recorded */
} taut_uploads;

cudaError_t uploads_open(taut_uploads* uploads);
void uploads_close(taut_uploads* uploads);
/* Larger copies than a half go directly, and then wait. */
cudaError_t uploads_copy(taut_uploads* uploads, void* to, const void* from, size_t bytes, cudaStream_t stream);

#endif
