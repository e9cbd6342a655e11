/* Sheets: cloth and net on a square grid of particles. */
#ifndef BENCH_SHEET_H
#define BENCH_SHEET_H

#include "bench_scenes.h"

taut_scene* make_cloth(size_t size, bench_counts* counts);
/* The same with particles and constraints in an order without meaning. */
taut_scene* make_shuffled_cloth(size_t size, bench_counts* counts);
taut_scene* make_net(size_t size, bench_counts* counts);

#endif
