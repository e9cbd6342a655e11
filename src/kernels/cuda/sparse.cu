#include "kernels/cuda/sparse.cuh"

#include "kernels/cuda/device.cuh"

extern "C" {
#include "base/status.h"
}

#include <limits.h>

static taut_status check(cusparseStatus_t status, const char* what) {
    if (status == CUSPARSE_STATUS_SUCCESS) {
        return TAUT_OK;
    }
    const bool memory = status == CUSPARSE_STATUS_ALLOC_FAILED || status == CUSPARSE_STATUS_INSUFFICIENT_RESOURCES;
    return taut_fail(memory ? TAUT_OUT_OF_MEMORY : TAUT_DEVICE_FAULT, "cuSPARSE: %s failed: %s.", what,
                     cusparseGetErrorString(status));
}

/* Links of a chain of calls that ends with the first failure; `status` keeps it. */
static bool good(cusparseStatus_t returned, const char* what, taut_status* status) {
    *status = check(returned, what);
    return *status == TAUT_OK;
}

static bool reserve(size_t bytes, const char* what, void** memory, taut_status* status) {
    *status = taut_cuda_check(cudaMalloc(memory, bytes > 0 ? bytes : 1), what);
    return *status == TAUT_OK;
}

/* ---- handle and matrices ----------------------------------------------------------------------------------------- */

taut_status sparse_open(taut_sparse* sparse, cudaStream_t stream) {
    sparse->stream = stream;
    taut_status status = check(cusparseCreate(&sparse->handle), "creation");
    if (status == TAUT_OK) {
        status = check(cusparseSetStream(sparse->handle, stream), "choice of stream");
    }
    return status;
}

void sparse_close(taut_sparse* sparse) {
    if (sparse->handle != NULL) {
        cusparseDestroy(sparse->handle);
        sparse->handle = NULL;
    }
}

taut_status csr_allocate(int rows, int columns, int nonzeros, taut_csr* matrix) {
    static const char what[] = "allocating a sparse matrix";
    taut_csr made = {rows, columns, nonzeros, NULL, NULL, NULL};
    taut_status status = TAUT_OK;
    if (!reserve(((size_t)rows + 1) * sizeof(int), what, (void**)&made.offsets, &status) ||
        !reserve((size_t)nonzeros * sizeof(int), what, (void**)&made.indices, &status) ||
        !reserve((size_t)nonzeros * sizeof(float), what, (void**)&made.values, &status)) {
        csr_free(&made);
        return status;
    }
    *matrix = made;
    return TAUT_OK;
}

void csr_free(taut_csr* matrix) {
    cudaFree(matrix->offsets);
    cudaFree(matrix->indices);
    cudaFree(matrix->values);
    *matrix = {};
}

static cusparseStatus_t describe(const taut_csr* a, cusparseSpMatDescr_t* matrix) {
    return cusparseCreateCsr(matrix, a->rows, a->columns, a->nonzeros, a->offsets, a->indices, a->values,
                             CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
}

/* ---- y = A x ----------------------------------------------------------------------------------------------------- */

static const cusparseOperation_t as_it_is = CUSPARSE_OPERATION_NON_TRANSPOSE;
static const float one = 1, zero = 0;

taut_status spmv_open(taut_sparse* sparse, const taut_csr* a, taut_spmv* plan) {
    taut_status status = TAUT_OK;
    size_t bytes = 0;
    taut_spmv made = {};
    /* The vectors come with each product; their size is all that the buffer depends on. */
    const bool sound =
        good(describe(a, &made.matrix), "describing a matrix", &status) &&
        good(cusparseCreateDnVec(&made.x, a->columns, a->values, CUDA_R_32F), "describing a vector", &status) &&
        good(cusparseCreateDnVec(&made.y, a->rows, a->values, CUDA_R_32F), "describing a vector", &status) &&
        good(cusparseSpMV_bufferSize(sparse->handle, as_it_is, &one, made.matrix, made.x, &zero, made.y, CUDA_R_32F,
                                     CUSPARSE_SPMV_CSR_ALG2, &bytes),
             "sizing a product", &status) &&
        reserve(bytes, "allocating a product's buffer", &made.buffer, &status);
    if (!sound) {
        spmv_close(&made);
        return status;
    }
    *plan = made;
    return TAUT_OK;
}

void spmv_close(taut_spmv* plan) {
    if (plan->x != NULL) {
        cusparseDestroyDnVec(plan->x);
    }
    if (plan->y != NULL) {
        cusparseDestroyDnVec(plan->y);
    }
    if (plan->matrix != NULL) {
        cusparseDestroySpMat(plan->matrix);
    }
    cudaFree(plan->buffer);
    *plan = {};
}

taut_status spmv_multiply(taut_sparse* sparse, taut_spmv* plan, const float* x, float* y) {
    taut_status status = TAUT_OK;
    if (good(cusparseDnVecSetValues(plan->x, (void*)x), "choosing a vector", &status) &&
        good(cusparseDnVecSetValues(plan->y, y), "choosing a vector", &status)) {
        status = check(cusparseSpMV(sparse->handle, as_it_is, &one, plan->matrix, plan->x, &zero, plan->y, CUDA_R_32F,
                                    CUSPARSE_SPMV_CSR_ALG2, plan->buffer),
                       "a product with a vector");
    }
    return status;
}

/* ---- transpose --------------------------------------------------------------------------------------------------- */

static taut_status transpose_into(taut_sparse* sparse, const taut_csr* a, void** buffer, taut_csr* t) {
    taut_status status = TAUT_OK;
    size_t bytes = 0;
    if (good(cusparseCsr2cscEx2_bufferSize(sparse->handle, a->rows, a->columns, a->nonzeros, a->values, a->offsets,
                                           a->indices, t->values, t->offsets, t->indices, CUDA_R_32F,
                                           CUSPARSE_ACTION_NUMERIC, CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_CSR2CSC_ALG1,
                                           &bytes),
             "sizing a transpose", &status) &&
        reserve(bytes, "allocating a transpose's buffer", buffer, &status)) {
        status =
            check(cusparseCsr2cscEx2(sparse->handle, a->rows, a->columns, a->nonzeros, a->values, a->offsets,
                                     a->indices, t->values, t->offsets, t->indices, CUDA_R_32F, CUSPARSE_ACTION_NUMERIC,
                                     CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_CSR2CSC_ALG1, *buffer),
                  "a transpose");
    }
    return status;
}

taut_status sparse_transpose(taut_sparse* sparse, const taut_csr* a, taut_csr* transposed) {
    taut_csr t = {};
    void* buffer = NULL;
    taut_status status = csr_allocate(a->columns, a->rows, a->nonzeros, &t);
    if (status == TAUT_OK) {
        status = transpose_into(sparse, a, &buffer, &t);
    }
    if (status == TAUT_OK) {
        status = taut_cuda_check(cudaStreamSynchronize(sparse->stream), "a transpose");
    }
    cudaFree(buffer);
    if (status != TAUT_OK) {
        csr_free(&t);
        return status;
    }
    *transposed = t;
    return TAUT_OK;
}

/* ---- C = A B ----------------------------------------------------------------------------------------------------- */

typedef struct product_work {
    cusparseHandle_t handle;
    cusparseSpMatDescr_t a, b, c;
    cusparseSpGEMMDescr_t state;
    void *estimate, *compute; /* device */
} product_work;

static cusparseStatus_t estimate_product(const product_work* w, size_t* bytes, void* buffer) {
    return cusparseSpGEMM_workEstimation(w->handle, as_it_is, as_it_is, &one, w->a, w->b, &zero, w->c, CUDA_R_32F,
                                         CUSPARSE_SPGEMM_DEFAULT, w->state, bytes, buffer);
}

static cusparseStatus_t compute_product(const product_work* w, size_t* bytes, void* buffer) {
    return cusparseSpGEMM_compute(w->handle, as_it_is, as_it_is, &one, w->a, w->b, &zero, w->c, CUDA_R_32F,
                                  CUSPARSE_SPGEMM_DEFAULT, w->state, bytes, buffer);
}

/* Up to the number of nonzeros of C. */
static taut_status size_product(const taut_csr* a, const taut_csr* b, product_work* w, int64_t* nonzeros) {
    static const char what[] = "sizing a sparse product", room[] = "allocating a sparse product's buffers";
    taut_csr none = {a->rows, b->columns, 0, NULL, NULL, NULL};
    taut_status status = TAUT_OK;
    int64_t rows, columns;
    size_t first = 0, second = 0;
    (void)(good(describe(a, &w->a), what, &status) && good(describe(b, &w->b), what, &status) &&
           good(describe(&none, &w->c), what, &status) && good(cusparseSpGEMM_createDescr(&w->state), what, &status) &&
           good(estimate_product(w, &first, NULL), what, &status) && reserve(first, room, &w->estimate, &status) &&
           good(estimate_product(w, &first, w->estimate), what, &status) &&
           good(compute_product(w, &second, NULL), what, &status) && reserve(second, room, &w->compute, &status) &&
           good(compute_product(w, &second, w->compute), what, &status) &&
           good(cusparseSpMatGetSize(w->c, &rows, &columns, nonzeros), what, &status));
    return status;
}

static taut_status fill_product(const product_work* w, const taut_csr* c) {
    taut_status status = check(cusparseCsrSetPointers(w->c, c->offsets, c->indices, c->values), "a sparse product");
    if (status == TAUT_OK) {
        status = check(cusparseSpGEMM_copy(w->handle, as_it_is, as_it_is, &one, w->a, w->b, &zero, w->c, CUDA_R_32F,
                                           CUSPARSE_SPGEMM_DEFAULT, w->state),
                       "a sparse product");
    }
    return status;
}

static void close_product(product_work* w) {
    if (w->state != NULL) {
        cusparseSpGEMM_destroyDescr(w->state);
    }
    for (cusparseSpMatDescr_t matrix : {w->a, w->b, w->c}) {
        if (matrix != NULL) {
            cusparseDestroySpMat(matrix);
        }
    }
    cudaFree(w->estimate);
    cudaFree(w->compute);
}

taut_status sparse_product(taut_sparse* sparse, const taut_csr* a, const taut_csr* b, taut_csr* product) {
    product_work work = {};
    taut_csr c = {};
    int64_t nonzeros = 0;
    work.handle = sparse->handle;
    taut_status status = size_product(a, b, &work, &nonzeros);
    if (status == TAUT_OK && nonzeros > INT_MAX) {
        status = taut_fail(TAUT_OUT_OF_MEMORY, "cuSPARSE: a product of %lld nonzeros needs larger indices.",
                           (long long)nonzeros);
    }
    if (status == TAUT_OK) {
        status = csr_allocate(a->rows, b->columns, (int)nonzeros, &c);
    }
    if (status == TAUT_OK) {
        status = fill_product(&work, &c);
    }
    if (status == TAUT_OK) {
        status = taut_cuda_check(cudaStreamSynchronize(sparse->stream), "a sparse product");
    }
    close_product(&work);
    if (status != TAUT_OK) {
        csr_free(&c);
        return status;
    }
    *product = c;
    return TAUT_OK;
}
