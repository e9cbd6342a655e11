#include "convergence/reads.h"

#include "host/world.h"

#include <math.h>

static double matrix(const taut_level* level) {
    return (double)level->s.width * level->s.width * (double)level->s.blocks;
}

/* D^-1: lower triangles of dense blocks, on level 0 those of single nodes as well. */
static double diagonal(const taut_level* level) {
    double dense = 0;
    for (size_t b = 0; b < level->s.dense; b++) {
        const double n = (double)level->s.width * (level->dense_begin[b + 1] - level->dense_begin[b]);
        dense += n * (n + 1) / 2;
    }
    return dense + (level->s.width == 3 ? 6.0 * ((double)level->s.nodes - (double)level->s.dense_nodes) : 0);
}

/* P and P^T */
static double transfer(const taut_level* level) {
    return 2.0 * level->s.width * TAUT_RIGID * (double)level->s.prolong;
}

/* A cycle from level l on. The smoothing of degree d before what is coarser takes d products with the residual that it
 * hands on, the one after it as many with the residual that it starts from. */
static double cycle(const taut_hierarchy* h, bool krylov, uint32_t l) {
    const taut_level* level = &h->level[l];
    if (l + 1 == h->count) {
        return diagonal(level);
    }
    const bool steps = krylov && (l == 0 || l < h->tail) && l + 2 < h->count;
    const double coarse = cycle(h, krylov, l + 1);
    const double below = steps ? 2 * (coarse + matrix(&h->level[l + 1])) : coarse;
    return 2.0 * level->s.degree * (matrix(level) + diagonal(level)) + transfer(level) + below;
}

double reads_per_iteration(const taut_world* world) {
    const taut_hierarchy* h = &world->plan.hierarchy;
    if (h->count == 0) {
        return NAN;
    }
    const double once = matrix(&h->level[0]);
    if (world->plan.settings.cycle != TAUT_CYCLE_ADDITIVE) {
        return 1 + cycle(h, world->plan.settings.cycle == TAUT_CYCLE_K, 0) / once;
    }
    const double rest = h->count > 1 ? transfer(&h->level[0]) + cycle(h, false, 1) : 0;
    return 1 + (diagonal(&h->level[0]) + rest) / once;
}
