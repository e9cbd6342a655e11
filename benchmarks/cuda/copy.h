/* What the memory of the device gives: a copy, half reads and half writes. */
#ifndef BENCH_CUDA_COPY_H
#define BENCH_CUDA_COPY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct copy_speed {
    size_t cache_bytes; /* of the L2 cache */
    double cache_gb_s;  /* read and written, within the cache */
    double memory_gb_s; /* beyond it */
} copy_speed;

/* The best of several copies; `smoke`: a tiny one. */
copy_speed copy_measure(int smoke);

#ifdef __cplusplus
}
#endif

#endif
