/* A soft block of tetrahedra. */
#ifndef BENCH_TETRAHEDRA_H
#define BENCH_TETRAHEDRA_H

#include "scenes.h"

taut_scene* make_block(size_t size, bench_counts* counts);

#endif
