/* Threads: bundles of ropes, and chains under a heavy load. */
#ifndef BENCH_ROPES_H
#define BENCH_ROPES_H

#include "bench_scenes.h"

taut_scene* make_ropes(size_t size, bench_counts* counts);
taut_scene* make_load(size_t size, bench_counts* counts);

#endif
