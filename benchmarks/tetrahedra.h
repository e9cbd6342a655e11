/* A soft block of tetrahedra. */
#ifndef BENCH_TETRAHEDRA_H
#define BENCH_TETRAHEDRA_H

#include "bench_scenes.h"

/* The six tetrahedra of cell (i, j, k) of a block of n x n cells across, of positive volume; its particle (i, j, k) has
 * number (i * (n + 1) + j) * (n + 1) + k. */
void block_split_cell(size_t n, size_t i, size_t j, size_t k, uint32_t out[24]);

taut_scene* make_block(size_t size, bench_counts* counts);

#endif
