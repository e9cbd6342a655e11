/* The few cuSPARSE calls of the project behind checked wrappers: generic interface, CSR, float32, 32-bit indices. */
#ifndef TAUT_CUDA_SPARSE_CUH
#define TAUT_CUDA_SPARSE_CUH

#include "taut/base.h"

#include <cusparse.h>

typedef struct taut_sparse {
    cusparseHandle_t handle; /* NULL before sparse_open */
    cudaStream_t stream;
} taut_sparse;

/* A matrix in device memory; counts from 0. Owned by whoever called csr_allocate. */
typedef struct taut_csr {
    int rows, columns, nonzeros;
    int* offsets; /* rows + 1 */
    int* indices; /* columns of the nonzeros */
    float* values;
} taut_csr;

/* What cuSPARSE needs to multiply with one matrix again and again. */
typedef struct taut_spmv {
    cusparseSpMatDescr_t matrix;
    cusparseDnVecDescr_t x, y;
    void* buffer; /* device */
} taut_spmv;

taut_status sparse_open(taut_sparse* sparse, cudaStream_t stream);
void sparse_close(taut_sparse* sparse);

/* On failure nothing stays allocated. */
taut_status csr_allocate(int rows, int columns, int nonzeros, taut_csr* matrix);
void csr_free(taut_csr* matrix);

/* y = A x by the algorithm whose result is the same in every run. `a` must stay as it is until spmv_close. */
taut_status spmv_open(taut_sparse* sparse, const taut_csr* a, taut_spmv* plan);
void spmv_close(taut_spmv* plan);
taut_status spmv_multiply(taut_sparse* sparse, taut_spmv* plan, const float* x, float* y);

/* Both allocate the result. */
taut_status sparse_transpose(taut_sparse* sparse, const taut_csr* a, taut_csr* transposed);
taut_status sparse_product(taut_sparse* sparse, const taut_csr* a, const taut_csr* b, taut_csr* product);

#endif
