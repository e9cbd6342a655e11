/* Chains of hard links between fixed points that they hardly reach. They contradict each other, or do so as soon as
 * such a point is moved away: shortest ways along hard links from the fixed points, each node from its nearest one. */
#include "host/compile/topology.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* By how much chains may be longer than what they span, relative. */
#define SLACK 1e-3

#define NO_GROUND UINT32_MAX

typedef struct ways {
    double* length; /* along hard links to the nearest fixed point */
    uint32_t *ground, *queue;
    uint8_t *queued, *spans; /* spans: the node is joined by hard links to a chain that hardly reaches */
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

/* Whether the shortest chain over a hard link spans two fixed points. */
static bool hardly_reaches(const topology* t, const ways* w, uint32_t member) {
    const uint32_t* ends = t->member_node + t->member_begin[member];
    const uint32_t a = w->ground[ends[0]], b = w->ground[ends[1]];
    if (a == NO_GROUND || b == NO_GROUND || a == b || (a == ends[0] && b == ends[1])) {
        return false;
    }
    const double* x = t->scene->positions.data;
    const double apart = hypot(hypot(x[3 * a] - x[3 * b], x[3 * a + 1] - x[3 * b + 1]), x[3 * a + 2] - x[3 * b + 2]);
    return w->length[ends[0]] + topology_rest_length(t, member) + w->length[ends[1]] <= (1 + SLACK) * apart;
}

static void mark_node(const topology* t, ways* w, uint32_t node) {
    if (is_free_point(t->scene, node) && !w->spans[node]) {
        w->spans[node] = 1;
        push(w, node);
    }
}

/* All that hard links join to such a chain. */
static void mark_joined(const topology* t, ways* w) {
    for (uint32_t m = 0; m < t->member_count; m++) {
        if (topology_hard_link(t, m) && hardly_reaches(t, w, m)) {
            mark_node(t, w, t->member_node[t->member_begin[m]]);
            mark_node(t, w, t->member_node[t->member_begin[m] + 1]);
        }
    }
    while (w->waiting > 0) {
        const uint32_t node = pop(w);
        for (uint32_t i = t->node_begin[node]; i < t->node_begin[node + 1]; i++) {
            const uint32_t entry = t->node_entry[i];
            if (topology_hard_link(t, t->entry_member[entry])) {
                mark_node(t, w, topology_other_end(t, entry));
            }
        }
    }
}

taut_status topology_spanning(const topology* t, const taut_allocator* allocator, uint8_t* flags) {
    ways w = {.nodes = (uint32_t)scene_node_count(t->scene)};
    const size_t bytes = w.nodes * (sizeof(double) + 2 * sizeof(uint32_t) + 2) + 1;
    w.length = taut_allocate(allocator, bytes);
    if (w.length == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    memset(w.length, 0, bytes);
    w.ground = (uint32_t*)(w.length + w.nodes);
    w.queue = w.ground + w.nodes;
    w.queued = (uint8_t*)(w.queue + w.nodes);
    w.spans = w.queued + w.nodes;
    find_ways(t, &w);
    mark_joined(t, &w);
    for (uint32_t m = 0; m < t->member_count; m++) {
        const uint32_t* ends = t->member_node + t->member_begin[m];
        if (flags[m] != TAUT_CONTRADICTING && topology_hard_link(t, m) && (w.spans[ends[0]] || w.spans[ends[1]])) {
            flags[m] = TAUT_SPANNING;
        }
    }
    taut_release(allocator, w.length, bytes);
    return TAUT_OK;
}
