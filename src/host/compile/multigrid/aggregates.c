#include "host/compile/multigrid/aggregates.h"

#include <string.h>

#define NONE TAUT_NO_AGGREGATE

typedef struct growth {
    const weighted_graph* graph;
    const uint8_t* take;
    uint32_t target;
    uint32_t* aggregate;
    uint32_t count;
    uint32_t* size;     /* of each aggregate */
    uint32_t* frontier; /* neighbours of the aggregate being grown */
    uint32_t frontier_count;
    double* sum;     /* of a frontier node's weights towards it; of an aggregate's towards others later */
    uint32_t* queue; /* frontier nodes of earlier aggregates, oldest first */
    size_t queue_head, queue_tail, queue_room;
} growth;

static bool is_open(const growth* g, uint32_t node) {
    return g->take[node] && g->aggregate[node] == NONE;
}

/* Puts a node into the newest aggregate and its neighbours onto the frontier. */
static void add_node(growth* g, uint32_t node) {
    const weighted_graph* graph = g->graph;
    g->aggregate[node] = g->count - 1;
    g->size[g->count - 1]++;
    for (uint32_t e = graph->begin[node]; e < graph->begin[node + 1]; e++) {
        const uint32_t other = graph->column[e];
        if (!is_open(g, other)) {
            continue;
        }
        if (g->sum[other] == 0) {
            g->frontier[g->frontier_count++] = other;
        }
        g->sum[other] += graph->weight[e];
    }
}

/* Takes the frontier node with the largest sum, the lowest number among equals; NONE if there is none. */
static uint32_t strongest(growth* g) {
    uint32_t best = NONE;
    for (uint32_t i = 0; i < g->frontier_count; i++) {
        const uint32_t node = g->frontier[i], other = best != NONE ? g->frontier[best] : NONE;
        if (best == NONE || g->sum[node] > g->sum[other] || (g->sum[node] == g->sum[other] && node < other)) {
            best = i;
        }
    }
    if (best == NONE) {
        return NONE;
    }
    const uint32_t node = g->frontier[best];
    memmove(g->frontier + best, g->frontier + best + 1, (--g->frontier_count - best) * sizeof(uint32_t));
    g->sum[node] = 0;
    return node;
}

/* The queue is cut where it is full: what it misses is found by number. */
static void retire_frontier(growth* g) {
    for (uint32_t i = 0; i < g->frontier_count; i++) {
        g->sum[g->frontier[i]] = 0;
        if (g->queue_tail < g->queue_room) {
            g->queue[g->queue_tail++] = g->frontier[i];
        }
    }
    g->frontier_count = 0;
}

static uint32_t next_seed(growth* g, uint32_t* lowest) {
    while (g->queue_head < g->queue_tail) {
        const uint32_t node = g->queue[g->queue_head++];
        if (is_open(g, node)) {
            return node;
        }
    }
    while (*lowest < g->graph->nodes && !is_open(g, *lowest)) {
        (*lowest)++;
    }
    return *lowest < g->graph->nodes ? *lowest : NONE;
}

static void grow_all(growth* g) {
    uint32_t lowest = 0;
    for (uint32_t seed = next_seed(g, &lowest); seed != NONE; seed = next_seed(g, &lowest)) {
        g->count++;
        add_node(g, seed);
        while (g->size[g->count - 1] < g->target) {
            const uint32_t node = strongest(g);
            if (node == NONE) {
                break;
            }
            add_node(g, node);
        }
        retire_frontier(g);
    }
}

/* ---- small aggregates ------------------------------------------------------------------------------------------- */

/* Nodes by aggregate, as linked lists that can be joined. */
typedef struct members {
    uint32_t* first; /* of an aggregate; NONE: it has joined another */
    uint32_t* last;
    uint32_t* next; /* of a node */
} members;

static void list_members(const growth* g, members* m) {
    memset(m->first, 0xFF, g->count * sizeof(uint32_t));
    for (uint32_t node = 0; node < g->graph->nodes; node++) {
        const uint32_t a = g->aggregate[node];
        m->next[node] = NONE;
        if (a == NONE) {
            continue;
        }
        if (m->first[a] == NONE) {
            m->first[a] = node;
        } else {
            m->next[m->last[a]] = node;
        }
        m->last[a] = node;
    }
}

static void join(growth* g, members* m, uint32_t from, uint32_t to) {
    for (uint32_t node = m->first[from]; node != NONE; node = m->next[node]) {
        g->aggregate[node] = to;
    }
    m->next[m->last[to]] = m->first[from];
    m->last[to] = m->last[from];
    m->first[from] = NONE;
    g->size[to] += g->size[from];
    g->size[from] = 0;
}

/* The neighbour of aggregate a with the largest weight per node, among those that have room for it if `room`; NONE
 * without any. `touched` lists the neighbours met. */
static uint32_t best_neighbour(growth* g, const members* m, uint32_t a, bool room, uint32_t* touched) {
    uint32_t count = 0, best = NONE;
    for (uint32_t node = m->first[a]; node != NONE; node = m->next[node]) {
        for (uint32_t e = g->graph->begin[node]; e < g->graph->begin[node + 1]; e++) {
            const uint32_t other = g->aggregate[g->graph->column[e]];
            if (other == NONE || other == a) {
                continue;
            }
            if (g->sum[other] == 0) {
                touched[count++] = other;
            }
            g->sum[other] += g->graph->weight[e];
        }
    }
    double highest = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t other = touched[i];
        const bool fits = 2 * (g->size[a] + g->size[other]) <= 3 * g->target;
        const double value = g->sum[other] / g->size[other];
        if ((fits || !room) && (value > highest || (value == highest && other < best))) {
            highest = value;
            best = other;
        }
        g->sum[other] = 0;
    }
    return best;
}

/* Leaves around one node, whose aggregate is full, have no other neighbour: they join each other. `open`: of each
 * aggregate, the one of its small neighbours that still has room. */
static void join_small(growth* g, members* m, uint32_t* touched, uint32_t* open) {
    memset(open, 0xFF, g->count * sizeof(uint32_t));
    for (uint32_t a = 0; a < g->count; a++) {
        if (g->size[a] == 0 || 3 * g->size[a] > g->target) {
            continue;
        }
        const uint32_t neighbour = best_neighbour(g, m, a, true, touched);
        if (neighbour != NONE) {
            join(g, m, a, neighbour);
        }
    }
    for (uint32_t a = 0; a < g->count; a++) {
        if (g->size[a] == 0 || 3 * g->size[a] > g->target) {
            continue;
        }
        const uint32_t neighbour = best_neighbour(g, m, a, false, touched);
        if (neighbour == NONE) {
            continue;
        }
        const uint32_t other = open[neighbour];
        if (other != NONE && other != a && g->size[other] > 0 && g->size[other] + g->size[a] <= g->target) {
            join(g, m, a, other);
        } else {
            open[neighbour] = a;
        }
    }
}

static void number_again(growth* g, uint32_t* number) {
    uint32_t count = 0;
    for (uint32_t a = 0; a < g->count; a++) {
        number[a] = count;
        count += g->size[a] > 0;
    }
    for (uint32_t node = 0; node < g->graph->nodes; node++) {
        g->aggregate[node] = g->aggregate[node] != NONE ? number[g->aggregate[node]] : NONE;
    }
    g->count = count;
}

taut_status aggregates_grow(const weighted_graph* graph, const uint8_t* take, uint32_t target,
                            const taut_allocator* allocator, uint32_t* aggregate, uint32_t* count) {
    const size_t n = graph->nodes, room = 4 * n;
    const size_t bytes = n * (sizeof(double) + 6 * sizeof(uint32_t)) + room * sizeof(uint32_t) + 1;
    double* sum = taut_allocate(allocator, bytes);
    if (sum == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    growth g = {.graph = graph, .take = take, .target = target, .aggregate = aggregate, .sum = sum, .queue_room = room};
    g.size = (uint32_t*)(sum + n);
    g.frontier = g.size + n;
    members m = {.first = g.frontier + n};
    m.last = m.first + n;
    m.next = m.last + n;
    uint32_t* open = m.next + n;
    g.queue = open + n;
    memset(aggregate, 0xFF, n * sizeof *aggregate);
    grow_all(&g);
    list_members(&g, &m);
    join_small(&g, &m, g.frontier, open);
    number_again(&g, m.first);
    *count = g.count;
    taut_release(allocator, sum, bytes);
    return TAUT_OK;
}
