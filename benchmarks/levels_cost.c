#include "levels_cost.h"

/* How often a level is used in one application. */
typedef struct level_use {
    double products, divisions, transfers;
} level_use;

/* A V-cycle from level l on. Smoothing of degree d before what is coarser takes d products with the residual that
 * it hands on, the one after it as many with the residual that it starts from. */
static void use_cycle(const taut_hierarchy* h, uint32_t l, level_use* use) {
    if (l + 1 == h->count) {
        use[l].divisions += 1;
        return;
    }
    use[l].products += 2 * h->level[l].s.degree;
    use[l].divisions += 2 * h->level[l].s.degree;
    use[l].transfers += 1;
    use_cycle(h, l + 1, use);
}

static void use_levels(const taut_hierarchy* h, taut_cycle cycle, level_use* use) {
    if (cycle != TAUT_CYCLE_ADDITIVE) {
        use_cycle(h, 0, use);
        return;
    }
    use[0].divisions = 1;
    if (h->count > 1) {
        use[0].transfers = 1;
        use_cycle(h, 1, use);
    }
}

static double square(const taut_level* level) {
    return (double)level->s.width * level->s.width * (double)level->s.blocks;
}

static double inverse(const taut_level* level) {
    const double width = level->s.width, single = (double)level->s.nodes - (double)level->s.dense_nodes;
    const double dense = ((double)level->s.dense_values + width * (double)level->s.dense_nodes) / 2;
    return dense + (level->s.width == 3 ? width * (width + 1) / 2 * single : 0);
}

static double prolongator(const taut_level* level) {
    return (double)level->s.width * TAUT_RIGID * (double)level->s.prolong;
}

double levels_floats(const taut_hierarchy* h, taut_cycle cycle) {
    level_use use[TAUT_MAX_LEVELS] = {{0}};
    double floats = 0;
    use_levels(h, cycle, use);
    for (uint32_t l = 0; l < h->count; l++) {
        const taut_level* level = &h->level[l];
        floats += use[l].products * square(level) + use[l].divisions * inverse(level) +
                  2 * use[l].transfers * prolongator(level);
    }
    return floats;
}

double levels_system_floats(const taut_hierarchy* h) {
    return h->count > 0 ? square(&h->level[0]) : 0;
}

double levels_additive_bytes(const taut_hierarchy* h) {
    level_use use[TAUT_MAX_LEVELS] = {{0}};
    double bytes = 4 * levels_floats(h, TAUT_CYCLE_ADDITIVE);
    use_levels(h, TAUT_CYCLE_ADDITIVE, use);
    for (uint32_t l = 0; l < h->count; l++) {
        const taut_level_sizes* s = &h->level[l].s;
        const double vector = 4.0 * s->stride * s->nodes, coarse = 4.0 * TAUT_RIGID * s->coarse;
        bytes += use[l].transfers * (12 * (double)s->prolong + vector + 2 * coarse + (l > 0 ? 2 * vector : 0));
        bytes += use[l].divisions * (4 * (double)s->dense_nodes + (l > 0 ? 5 : 2) * vector);
        bytes += use[l].products * (4 * (double)s->blocks + 4.0 * s->nodes + 3 * vector);
    }
    return bytes;
}
