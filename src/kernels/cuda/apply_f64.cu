/* The products of residuals, right-hand sides and public operators: float64 arithmetic. */
#define TAUT_REAL      double
#define SUFFIXED(name) name##_f64
#include "kernels/cuda/apply_kernels.cuh"
