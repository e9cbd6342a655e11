/* Blocks of strongly coupled constraints, for the block preconditioner. */
#include "host/compile/explicit_rows.h"
#include "host/compile/topology.h"

#include <math.h>
#include <string.h>

#define MAX_JACOBIAN 32

typedef struct growth {
    const topology* t;
    uint32_t limit;
    const bool* has_factor_rows;
    double* diagonal;   /* sum of the diagonal of S over the rows of a member */
    double* weight;     /* coupling of a frontier member with the block being grown */
    uint32_t* frontier; /* members next to the block being grown */
    uint32_t frontier_count;
    uint32_t* queue; /* frontier members of earlier blocks, oldest first */
    uint32_t queue_head, queue_tail;
    uint8_t* state;    /* member_state */
    uint32_t unknowns; /* of the block being grown */
} growth;

/* Members that are in no block at all are taken from the first. */
typedef enum member_state { MEMBER_FREE, MEMBER_FRONTIER, MEMBER_TAKEN } member_state;

static double inverse_mass(const topology* t, uint32_t node) {
    return scene_node_inverse_mass(t->scene, node);
}

uint32_t topology_rows(const topology* t, uint32_t member, uint32_t entry, double rows[TAUT_MAX_ROWS][3]) {
    const taut_kind k = topology_kind(t, member);
    const uint32_t c = member - t->kind_first[k], slot = entry - t->member_begin[member];
    if (k == TAUT_LINEAR) {
        const uint32_t begin = t->member_begin[member] - t->member_begin[t->kind_first[TAUT_LINEAR]];
        const uint32_t coordinate = ((const uint32_t*)t->scene->linear.coordinates.data)[begin + slot];
        memset(rows, 0, 3 * sizeof(double));
        rows[0][coordinate % 3] = ((const double*)t->scene->linear.weights.data)[begin + slot];
        return 1;
    }
    double x[16];
    float jacobian[MAX_JACOBIAN], tangent[MAX_JACOBIAN];
    scene_gather(t->scene, k, c, x);
    const double* rest = t->scene->kinds[k].rest.data;
    rest += (size_t)taut_kind_shapes[k].rest * c;
    explicit_jacobian(k, x, rest, jacobian);
    return explicit_rows(k, jacobian, explicit_tangent(k, x, rest, tangent) ? tangent : NULL, slot, rows);
}

void topology_diagonals(const topology* t, double* diagonal) {
    for (uint32_t m = 0; m < t->member_count; m++) {
        for (uint32_t e = t->member_begin[m]; e < t->member_begin[m + 1]; e++) {
            double rows[TAUT_MAX_ROWS][3];
            const uint32_t count = topology_rows(t, m, e, rows);
            for (uint32_t i = 0; i < 3 * count; i++) {
                diagonal[m] += inverse_mass(t, t->member_node[e]) * rows[i / 3][i % 3] * rows[i / 3][i % 3];
            }
        }
    }
}

double topology_coupling(const topology* t, const double* diagonal, uint32_t a, uint32_t b) {
    double first[TAUT_MAX_ROWS][3], second[TAUT_MAX_ROWS][3], sum = 0;
    const uint32_t member_a = t->entry_member[a], member_b = t->entry_member[b];
    const uint32_t count_a = topology_rows(t, member_a, a, first), count_b = topology_rows(t, member_b, b, second);
    for (uint32_t i = 0; i < count_a * count_b; i++) {
        const double *u = first[i / count_b], *v = second[i % count_b];
        const double dot = u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
        sum += dot * dot;
    }
    const double scale = diagonal[member_a] * diagonal[member_b];
    return scale > 0 ? inverse_mass(t, t->member_node[a]) * sqrt(sum / scale) : 0;
}

static uint32_t member_unknowns(const growth* g, uint32_t member) {
    return taut_kind_unknowns(topology_kind(g->t, member), g->has_factor_rows);
}

/* Takes a member into the block and adds its couplings to the frontier. */
static void take(growth* g, uint32_t member, block_partition* p, uint32_t* taken) {
    const topology* t = g->t;
    g->state[member] = MEMBER_TAKEN;
    g->unknowns += member_unknowns(g, member);
    p->member[(*taken)++] = member;
    for (uint32_t e = t->member_begin[member]; e < t->member_begin[member + 1]; e++) {
        const uint32_t node = t->member_node[e];
        if (t->node_begin[node + 1] - t->node_begin[node] > TOPOLOGY_HUB || inverse_mass(t, node) == 0) {
            continue;
        }
        for (uint32_t i = t->node_begin[node]; i < t->node_begin[node + 1]; i++) {
            const uint32_t other = t->entry_member[t->node_entry[i]];
            if (g->state[other] == MEMBER_TAKEN) {
                continue;
            }
            if (g->state[other] == MEMBER_FREE) {
                g->state[other] = MEMBER_FRONTIER;
                g->frontier[g->frontier_count++] = other;
            }
            g->weight[other] += topology_coupling(t, g->diagonal, e, t->node_entry[i]);
        }
    }
}

/* Removes and returns the frontier member with the largest weight (the lowest number among equals) that still fits;
 * UINT32_MAX if none. */
static uint32_t strongest(growth* g) {
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < g->frontier_count; i++) {
        const uint32_t m = g->frontier[i];
        if (g->unknowns + member_unknowns(g, m) > g->limit || g->weight[m] <= 1e-3) {
            continue;
        }
        if (best == UINT32_MAX || g->weight[m] > g->weight[g->frontier[best]] ||
            (g->weight[m] == g->weight[g->frontier[best]] && m < g->frontier[best])) {
            best = i;
        }
    }
    if (best == UINT32_MAX) {
        return UINT32_MAX;
    }
    const uint32_t member = g->frontier[best];
    memmove(g->frontier + best, g->frontier + best + 1, (--g->frontier_count - best) * sizeof(uint32_t));
    return member;
}

/* What is left of the frontier waits for later blocks; a member may wait several times, but is queued once per block
 * it touches, so the queue holds at most one place per entry pair and is cut where it is full. */
static void retire_frontier(growth* g) {
    for (uint32_t i = 0; i < g->frontier_count; i++) {
        const uint32_t m = g->frontier[i];
        g->state[m] = MEMBER_FREE;
        g->weight[m] = 0;
        if (g->queue_tail < 4 * g->t->member_count) {
            g->queue[g->queue_tail++] = m;
        }
    }
    g->frontier_count = 0;
}

static uint32_t next_seed(growth* g, uint32_t* lowest) {
    while (g->queue_head < g->queue_tail) {
        const uint32_t m = g->queue[g->queue_head++];
        if (g->state[m] == MEMBER_FREE) {
            return m;
        }
    }
    while (g->state[*lowest] == MEMBER_TAKEN) {
        (*lowest)++;
    }
    return *lowest;
}

static void grow_all(growth* g, uint32_t count, block_partition* p) {
    uint32_t taken = 0, lowest = 0;
    while (taken < count) {
        p->begin[p->block_count++] = taken;
        g->unknowns = 0;
        uint32_t member = next_seed(g, &lowest);
        while (member != UINT32_MAX) {
            take(g, member, p, &taken);
            member = strongest(g);
        }
        retire_frontier(g);
    }
    p->begin[p->block_count] = taken;
}

/* Returns the number of members that go into blocks. */
static uint32_t leave_out(growth* g, const method_map* methods) {
    uint32_t count = 0;
    for (uint32_t m = 0; m < g->t->member_count; m++) {
        g->state[m] = methods->member[m] ? MEMBER_TAKEN : MEMBER_FREE;
        count += !methods->member[m];
    }
    return count;
}

taut_status topology_blocks(const topology* t, const taut_allocator* allocator, uint32_t limit,
                            const bool* has_factor_rows, const method_map* methods, block_partition* out) {
    const size_t count = t->member_count;
    block_partition p = {.bytes = (2 * count + 2) * sizeof(uint32_t)};
    const size_t scratch_bytes = count * (2 * sizeof(double) + 5 * sizeof(uint32_t) + 1) + 1;
    p.memory = taut_allocate(allocator, p.bytes);
    double* scratch = p.memory != NULL ? taut_allocate(allocator, scratch_bytes) : NULL;
    if (scratch == NULL) {
        block_partition_free(allocator, &p);
        return TAUT_OUT_OF_MEMORY;
    }
    p.begin = p.memory;
    p.member = p.begin + count + 1;
    growth g = {
        .t = t, .limit = limit, .has_factor_rows = has_factor_rows, .diagonal = scratch, .weight = scratch + count};
    g.frontier = (uint32_t*)(scratch + 2 * count);
    g.queue = g.frontier + count;
    g.state = (uint8_t*)(g.queue + 4 * count);
    topology_diagonals(t, g.diagonal);
    grow_all(&g, leave_out(&g, methods), &p);
    taut_release(allocator, scratch, scratch_bytes);
    *out = p;
    return TAUT_OK;
}

void block_partition_free(const taut_allocator* allocator, block_partition* p) {
    taut_release(allocator, p->memory, p->bytes);
    *p = (block_partition){0};
}
