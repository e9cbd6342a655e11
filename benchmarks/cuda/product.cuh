/* The matrix-free product of the solver against the same matrix, assembled, in cuSPARSE. */
#ifndef BENCH_CUDA_PRODUCT_CUH
#define BENCH_CUDA_PRODUCT_CUH

#include "kernels/cuda/device.cuh"
#include "timing.cuh"

struct ProductTimes { // s
    Spread free, assembled;
    double nonzeros;
    double difference; // of the products of one vector, largest over largest
};

/* On the current linearisation. The assembled half is NaN where the matrix found no room, which is said on stderr. */
ProductTimes measure_product(const taut_view& view, cudaStream_t stream, int repeats);

#endif
