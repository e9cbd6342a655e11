/* Time of one iteration of conjugate gradients of either method, three ways: in the WHILE node of the step, in a
 * straight graph of the same kernels, and launched one by one; and of a refresh of the preconditioner. */
#ifndef BENCH_CUDA_ITERATION_CUH
#define BENCH_CUDA_ITERATION_CUH

#include "kernels/cuda/device.cuh"
#include "timing.cuh"

struct IterationTimes { // s
    Spread loop, straight, plain;
    Spread refresh; // of the preconditioner
    bool complete;  // every run did as many iterations as it was to
};

/* On the current linearisation. The time is the difference of a long and a short run over that of their iterations, so
 * that what both do once is not in it. Leaves the vectors of the solver changed, parameters as they were. */
IterationTimes measure_iteration(const taut_view& view, const taut_settings& settings, cudaStream_t stream, int repeats,
                                 bool smoke);

#endif
