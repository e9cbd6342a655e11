/* The matrix of the solver, assembled: what matrix-free products are compared with, in tests and benchmarks only. */
#ifndef TAUT_CUDA_ASSEMBLED_CUH
#define TAUT_CUDA_ASSEMBLED_CUH

#include "kernels/cuda/device.cuh"
#include "kernels/cuda/sparse.cuh"

/* S = [J; Lh] P M^-1 P [J; Lh]^T + diag(W + shift, I) over all unknowns (model/layout.h), of one linearisation. */
typedef struct taut_assembled {
    taut_sparse sparse;
    taut_csr matrix;
    taut_spmv plan;
} taut_assembled;

/* The view's world must be linearised. Waits; allocates. TAUT_OUT_OF_MEMORY also where 32-bit indices do not reach,
 * TAUT_INVALID_ARGUMENT for a world with frames or mapped points. On failure nothing stays allocated. */
taut_status assembled_open(const taut_view& view, cudaStream_t stream, taut_assembled* out);
void assembled_close(taut_assembled* assembled);
/* q = S p, device arrays over the unknowns; only enqueued. */
taut_status assembled_multiply(taut_assembled* assembled, const float* p, float* q);

#endif
