#include "balance.h"

#include "bench_scenes.h"
#include "host/world/world_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void* copy(const void* from, size_t count, size_t element) {
    void* to = bench_allocate(count, element);
    memcpy(to, from, count * element);
    return to;
}

/* dv of the nodes (n x 3) */
static double* velocity_change(const balance* b, const saved_state* state, taut_world* world) {
    double* v = bench_allocate(3 * state->particles, sizeof *v);
    double* dv = bench_allocate(3 * b->nodes, sizeof *dv);
    bench_must(taut_world_read(world, TAUT_FIELD_VELOCITIES, 0, state->particles, v));
    for (size_t i = 0; i < 3 * state->particles; i++) {
        dv[3 * b->node[i / 3] + i % 3] = v[i] - state->velocities[i];
    }
    free(v);
    return dv;
}

/* Coordinate i of H dv. */
static double product(const balance* b, size_t i, const double* dv) {
    double sum = 0;
    for (uint32_t k = b->begin[i / 3]; k < b->begin[i / 3 + 1]; k++) {
        for (size_t a = 0; a < 3; a++) {
            sum += b->block[9 * (size_t)k + 3 * (i % 3) + a] * dv[3 * (size_t)b->column[k] + a];
        }
    }
    return sum;
}

static bool has_system(const taut_world* world) {
    const taut_plan* plan = &world->plan;
    bool soft = plan->hierarchy.count > 0 && plan->sizes.nodes == plan->sizes.simple;
    for (size_t i = 0; soft && i < plan->sizes.rows; i++) {
        soft = plan->fields.condensed[i] == TAUT_CONDENSED;
    }
    return soft;
}

/* The solver leaves its last residual b - H dv in float32, small by then: b = H dv + it is exact to far below that. */
balance balance_make(taut_world* world, const saved_state* state) {
    balance b = {.nodes = world->plan.sizes.nodes};
    if (!has_system(world)) {
        return b;
    }
    const taut_level* level = &world->plan.hierarchy.level[0];
    b.begin = copy(level->a_begin, level->s.nodes + (size_t)1, sizeof *b.begin);
    b.column = copy(level->a_column, level->s.blocks, sizeof *b.column);
    b.block = copy(level->a_value, level->s.blocks, 9 * sizeof *b.block);
    b.side = bench_allocate(3 * b.nodes, sizeof *b.side);
    b.node = bench_allocate(state->particles, sizeof *b.node);
    for (size_t n = 0; n < state->particles; n++) {
        b.node[n] = world_node(world, n);
    }
    double* dv = velocity_change(&b, state, world);
    for (size_t i = 0; i < 3 * b.nodes; i++) {
        b.side[i] = product(&b, i, dv) + (double)world->plan.fields.node_r[4 * (i / 3) + i % 3];
    }
    free(dv);
    return b;
}

void balance_free(balance* b) {
    free(b->begin);
    free(b->column);
    free(b->block);
    free(b->side);
    free(b->node);
    *b = (balance){0};
}

bool balance_exists(const balance* b) {
    return b->side != NULL;
}

double balance_residual(const balance* b, const saved_state* state, taut_world* world) {
    double* dv = velocity_change(b, state, world);
    double left = 0, side = 0;
    for (size_t i = 0; i < 3 * b->nodes; i++) {
        const double off = b->side[i] - product(b, i, dv);
        left += off * off;
        side += b->side[i] * b->side[i];
    }
    free(dv);
    return sqrt(left / side);
}
