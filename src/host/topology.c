#include "host/topology.h"

#include <string.h>

/* Lays `count` arrays of uint32 behind one another in one allocation. */
static taut_status allocate_arrays(const taut_allocator* allocator, const size_t* lengths, uint32_t** const* arrays,
                                   size_t count, void** memory, size_t* bytes) {
    size_t total = 0;
    for (size_t i = 0; i < count; i++) {
        total += lengths[i];
    }
    *bytes = (total + 1) * sizeof(uint32_t);
    *memory = taut_allocate(allocator, *bytes);
    if (*memory == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    uint32_t* at = *memory;
    for (size_t i = 0; i < count; i++) {
        *arrays[i] = at;
        at += lengths[i];
    }
    return TAUT_OK;
}

static void fill_members(const taut_scene* scene, topology* t) {
    uint32_t member = 0, entry = 0;
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        const uint32_t* nodes = scene->kinds[k].nodes.data;
        const uint32_t* ends = scene->linear.ends.data;
        const uint32_t* coordinates = scene->linear.coordinates.data;
        const uint32_t arity = taut_kind_shapes[k].nodes;
        for (uint32_t c = 0; c < scene->kinds[k].count; c++, member++) {
            const uint32_t begin = k == TAUT_LINEAR ? (c > 0 ? ends[c - 1] : 0) : arity * c;
            const uint32_t end = k == TAUT_LINEAR ? ends[c] : arity * (c + 1);
            t->member_begin[member] = entry;
            for (uint32_t e = begin; e < end; e++, entry++) {
                t->member_node[entry] = k == TAUT_LINEAR ? coordinates[e] / 3 : nodes[e];
                t->entry_member[entry] = member;
            }
        }
    }
    t->member_begin[member] = entry;
}

/* Counting sort of the entries by node; stable, so the entries of a node ascend. */
static void fill_nodes(uint32_t nodes, topology* t) {
    for (uint32_t e = 0; e < t->entry_count; e++) {
        t->node_begin[t->member_node[e] + 1]++;
    }
    for (uint32_t n = 0; n < nodes; n++) {
        t->node_begin[n + 1] += t->node_begin[n];
    }
    for (uint32_t e = 0; e < t->entry_count; e++) {
        t->node_entry[t->node_begin[t->member_node[e]]++] = e;
    }
    memmove(t->node_begin + 1, t->node_begin, nodes * sizeof(uint32_t));
    t->node_begin[0] = 0;
}

taut_status topology_make(const taut_scene* scene, const taut_allocator* allocator, topology* out) {
    topology t = {.scene = scene};
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        t.kind_first[k + 1] = t.kind_first[k] + scene->kinds[k].count;
        t.entry_count += scene_entry_count(scene, (taut_kind)k);
    }
    t.member_count = t.kind_first[TAUT_KIND_COUNT];
    const size_t lengths[] = {t.member_count + (size_t)1, t.entry_count, scene->particle_count + (size_t)1,
                              t.entry_count, t.entry_count};
    uint32_t** const arrays[] = {&t.member_begin, &t.member_node, &t.node_begin, &t.node_entry, &t.entry_member};
    const taut_status status = allocate_arrays(allocator, lengths, arrays, 5, &t.memory, &t.bytes);
    if (status == TAUT_OK) {
        fill_members(scene, &t);
        fill_nodes(scene->particle_count, &t);
        *out = t;
    }
    return status;
}

void topology_free(const taut_allocator* allocator, topology* t) {
    taut_release(allocator, t->memory, t->bytes);
    *t = (topology){0};
}

taut_kind topology_kind(const topology* t, uint32_t member) {
    int k = 0;
    while (member >= t->kind_first[k + 1]) {
        k++;
    }
    return (taut_kind)k;
}

/* ---- components ----------------------------------------------------------------------------------------------- */

static uint32_t find_root(uint32_t* parent, uint32_t node) {
    while (parent[node] != node) {
        parent[node] = parent[parent[node]];
        node = parent[node];
    }
    return node;
}

/* The free node that stands for a member, or UINT32_MAX where all its nodes are fixed. */
static uint32_t join_member(const topology* t, uint32_t* parent, uint32_t member) {
    const uint8_t* fixed = t->scene->fixed.data;
    uint32_t first = UINT32_MAX;
    for (uint32_t e = t->member_begin[member]; e < t->member_begin[member + 1]; e++) {
        if (fixed[t->member_node[e]]) {
            continue;
        }
        const uint32_t root = find_root(parent, t->member_node[e]);
        if (first == UINT32_MAX) {
            first = root;
        } else if (root < first) {
            parent[first] = root;
            first = root;
        } else {
            parent[root] = first;
        }
    }
    return first;
}

/* Rows of a member that count as hard: compliance small against h^2 / m at an animation step, |J| taken as 1.
 * Attachments and targets hold what nothing else holds, so they are not counted. */
static uint32_t hard_rows(const topology* t, uint32_t member) {
    const taut_kind k = topology_kind(t, member);
    const scene_kind* kind = &t->scene->kinds[k];
    const double* mass = t->scene->masses.data;
    const uint8_t* fixed = t->scene->fixed.data;
    if (k == TAUT_ATTACHMENT || k == TAUT_TARGET) {
        return 0;
    }
    double inverse_mass = 0;
    for (uint32_t e = t->member_begin[member]; e < t->member_begin[member + 1]; e++) {
        const uint32_t node = t->member_node[e];
        inverse_mass += fixed[node] ? 0 : 1 / mass[node];
    }
    const size_t at = (size_t)taut_kind_shapes[k].packed * (member - t->kind_first[k]);
    const double compliance = ((const double*)kind->compliance.data)[at];
    return compliance <= 1e-8 * inverse_mass ? taut_kind_shapes[k].rows : 0;
}

taut_status topology_redundant(const topology* t, const taut_allocator* allocator, double rows_per_node,
                               uint8_t* flags) {
    const uint32_t nodes = t->scene->particle_count;
    const uint8_t* fixed = t->scene->fixed.data;
    const size_t bytes = 3 * (size_t)nodes * sizeof(uint32_t);
    uint32_t* parent = taut_allocate(allocator, bytes);
    if (parent == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    uint32_t *size = parent + nodes, *rows = size + nodes;
    for (uint32_t n = 0; n < nodes; n++) {
        parent[n] = n;
    }
    for (uint32_t m = 0; m < t->member_count; m++) {
        join_member(t, parent, m);
    }
    for (uint32_t n = 0; n < nodes; n++) {
        size[find_root(parent, n)] += !fixed[n];
    }
    for (uint32_t m = 0; m < t->member_count; m++) {
        const uint32_t root = join_member(t, parent, m);
        if (root != UINT32_MAX) {
            rows[root] += hard_rows(t, m);
        }
    }
    for (uint32_t m = 0; m < t->member_count; m++) {
        const uint32_t root = join_member(t, parent, m);
        flags[m] = root != UINT32_MAX && rows[root] > rows_per_node * size[root];
    }
    taut_release(allocator, parent, bytes);
    return TAUT_OK;
}

double topology_couplings_per_node(const topology* t) {
    const uint8_t* fixed = t->scene->fixed.data;
    double couplings = 0, nodes = 0;
    for (int k = 0; k < TAUT_LINEAR; k++) {
        const double weight = k == TAUT_BEND || k >= TAUT_MEMBRANE ? 2 : 1;
        couplings += weight * (taut_kind_shapes[k].nodes - 1.0) * t->scene->kinds[k].count;
    }
    for (uint32_t n = 0; n < t->scene->particle_count; n++) {
        nodes += !fixed[n];
    }
    return nodes > 0 ? couplings / nodes : 0;
}
