/* What the memory of this machine gives: the STREAM triad a = b + s c. */
#ifndef BENCH_STREAM_H
#define BENCH_STREAM_H

#include <stddef.h>

/* GB/s over 24 bytes per element, the best of several sweeps by `threads` threads over arrays of `bytes` in total. */
double stream_triad(int threads, size_t bytes);

/* Bytes that no cache holds: four times the last level, but at most an eighth of the machine's memory. */
size_t stream_bytes(void);

#endif
