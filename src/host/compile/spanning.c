/* Chains of hard links between fixed points. Their rows contradict each other where they do not reach, now or when such
 * a point has been moved away: shortest ways along hard links from the fixed points, each node from its nearest one. */
#include "host/compile/topology.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Relative: chains that are longer than what they span by less are softer from the start; by how much what they span is
 * longer for them to be parted. */
#define SLACK    1e-3
#define ROUNDING 1e-9

#define NO_GROUND UINT32_MAX
#define NO_LINK   UINT32_MAX
#define NO_ROOT   UINT32_MAX

typedef struct ways {
    double* length; /* along hard links to the nearest fixed point */
    uint32_t *ground, *queue;
    uint32_t* root;     /* free points that hard links join have one, */
    uint32_t* tightest; /* and it has the hard link over which their tightest chain goes */
    uint8_t* queued;
    uint32_t nodes, first, waiting;
} ways;

static bool is_free_point(const taut_scene* scene, uint32_t node) {
    return node < scene->particle_count && scene_node_free(scene, node);
}

static bool is_ground(const taut_scene* scene, uint32_t node) {
    return node < scene->particle_count && ((const uint8_t*)scene->fixed.data)[node] &&
           scene_mapped(scene, node) == UINT32_MAX;
}

static void push(ways* w, uint32_t node) {
    if (!w->queued[node]) {
        w->queue[(w->first + w->waiting++) % w->nodes] = node;
        w->queued[node] = 1;
    }
}

static uint32_t pop(ways* w) {
    const uint32_t node = w->queue[w->first];
    w->first = (w->first + 1) % w->nodes;
    w->waiting--;
    w->queued[node] = 0;
    return node;
}

static void go_on(const topology* t, ways* w, uint32_t node) {
    for (uint32_t i = t->node_begin[node]; i < t->node_begin[node + 1]; i++) {
        const uint32_t entry = t->node_entry[i], member = t->entry_member[entry];
        if (!topology_hard_link(t, member)) {
            continue;
        }
        const uint32_t to = topology_other_end(t, entry);
        const double length = w->length[node] + topology_rest_length(t, member);
        if (is_free_point(t->scene, to) && length < w->length[to]) {
            w->length[to] = length;
            w->ground[to] = w->ground[node];
            push(w, to);
        }
    }
}

static void find_ways(const topology* t, ways* w) {
    for (uint32_t n = 0; n < w->nodes; n++) {
        const bool ground = is_ground(t->scene, n);
        w->length[n] = ground ? 0 : DBL_MAX;
        w->ground[n] = ground ? n : NO_GROUND;
        if (ground) {
            push(w, n);
        }
    }
    while (w->waiting > 0) {
        go_on(t, w, pop(w));
    }
}

/* The shortest chain over a hard link; of length 0 where that does not span two fixed points. */
static taut_span chain_over(const topology* t, const ways* w, uint32_t member) {
    const uint32_t* ends = t->member_node + t->member_begin[member];
    const uint32_t a = w->ground[ends[0]], b = w->ground[ends[1]];
    taut_span out = {{a, b}, 0};
    if (a != NO_GROUND && b != NO_GROUND && a != b && (a != ends[0] || b != ends[1])) {
        out.length = w->length[ends[0]] + topology_rest_length(t, member) + w->length[ends[1]];
    }
    return out;
}

/* How much of its length a chain spans at the start. */
static double spanned_part(const topology* t, const taut_span* chain) {
    const double* a = (const double*)t->scene->positions.data + 3 * (size_t)chain->end[0];
    const double* b = (const double*)t->scene->positions.data + 3 * (size_t)chain->end[1];
    return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]) / chain->length;
}

static void root_node(const topology* t, ways* w, uint32_t node, uint32_t root) {
    if (is_free_point(t->scene, node) && w->root[node] == NO_ROOT) {
        w->root[node] = root;
        push(w, node);
    }
}

/* The free points that hard links join to `start` get it for their root. */
static void root_joined(const topology* t, ways* w, uint32_t start) {
    root_node(t, w, start, start);
    while (w->waiting > 0) {
        const uint32_t node = pop(w);
        for (uint32_t i = t->node_begin[node]; i < t->node_begin[node + 1]; i++) {
            const uint32_t entry = t->node_entry[i];
            if (topology_hard_link(t, t->entry_member[entry])) {
                root_node(t, w, topology_other_end(t, entry), start);
            }
        }
    }
}

static uint32_t root_of(const topology* t, const ways* w, uint32_t member) {
    const uint32_t* ends = t->member_node + t->member_begin[member];
    return w->root[ends[0]] != NO_ROOT ? w->root[ends[0]] : w->root[ends[1]];
}

static void find_tightest(const topology* t, ways* w) {
    for (uint32_t n = 0; n < w->nodes; n++) {
        w->root[n] = NO_ROOT;
        w->tightest[n] = NO_LINK;
    }
    for (uint32_t n = 0; n < w->nodes; n++) {
        root_joined(t, w, n);
    }
    for (uint32_t m = 0; m < t->kind_first[TAUT_DISTANCE + 1]; m++) {
        const uint32_t root = topology_hard_link(t, m) ? root_of(t, w, m) : NO_ROOT;
        const taut_span chain = root != NO_ROOT ? chain_over(t, w, m) : (taut_span){{0, 0}, 0};
        if (chain.length > 0) {
            const uint32_t last = w->tightest[root];
            const taut_span tightest = last != NO_LINK ? chain_over(t, w, last) : chain;
            const bool first = last == NO_LINK;
            w->tightest[root] = first || spanned_part(t, &chain) > spanned_part(t, &tightest) ? m : last;
        }
    }
}

/* What a hard link is joined to. */
static void mark_link(const topology* t, const ways* w, uint32_t member, uint8_t* flag, taut_span* span) {
    const uint32_t root = root_of(t, w, member);
    if (root != NO_ROOT && w->tightest[root] != NO_LINK) {
        *span = chain_over(t, w, w->tightest[root]);
        const double part = spanned_part(t, span);
        const taut_redundancy spans = part > 1 + ROUNDING ? TAUT_PARTED : TAUT_SPANNING;
        *flag = *flag != TAUT_CONTRADICTING && (1 + SLACK) * part >= 1 ? (uint8_t)spans : *flag;
    }
}

taut_status topology_spanning(const topology* t, const taut_allocator* allocator, uint8_t* flags, taut_span* spans) {
    ways w = {.nodes = (uint32_t)scene_node_count(t->scene)};
    const size_t bytes = w.nodes * (sizeof(double) + 4 * sizeof(uint32_t) + 1) + 1;
    w.length = taut_allocate(allocator, bytes);
    if (w.length == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    memset(w.length, 0, bytes);
    w.ground = (uint32_t*)(w.length + w.nodes);
    w.queue = w.ground + w.nodes;
    w.root = w.queue + w.nodes;
    w.tightest = w.root + w.nodes;
    w.queued = (uint8_t*)(w.tightest + w.nodes);
    find_ways(t, &w);
    find_tightest(t, &w);
    for (uint32_t m = 0; m < t->kind_first[TAUT_DISTANCE + 1]; m++) {
        if (topology_hard_link(t, m)) {
            mark_link(t, &w, m, &flags[m], &spans[m]);
        }
    }
    taut_release(allocator, w.length, bytes);
    return TAUT_OK;
}
