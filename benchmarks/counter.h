/* An allocator that counts what it holds. */
#ifndef BENCH_COUNTER_H
#define BENCH_COUNTER_H

#include <taut/taut.h>

typedef struct bench_counter {
    size_t bytes; /* held now */
    size_t peak;
} bench_counter;

taut_allocator counting_allocator(bench_counter* counter);

#endif
