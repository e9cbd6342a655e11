#include "host/compile/supports.h"

#include <string.h>

static taut_status push(const taut_allocator* allocator, taut_buffer* buffer, uint32_t value) {
    const taut_status status = taut_buffer_reserve(allocator, buffer, sizeof(uint32_t), 1);
    if (status == TAUT_OK) {
        ((uint32_t*)buffer->data)[buffer->count++] = value;
    }
    return status;
}

static uint32_t at(const taut_buffer* buffer, size_t i) {
    return ((const uint32_t*)buffer->data)[i];
}

/* ---- paths ------------------------------------------------------------------------------------------------------- */

static taut_status push_path(const taut_allocator* allocator, supports* s, uint32_t entry, uint32_t next,
                             uint32_t root) {
    taut_status status = push(allocator, &s->path_entry, entry);
    status = status == TAUT_OK ? push(allocator, &s->path_next, next) : status;
    return status == TAUT_OK ? push(allocator, &s->path_root, root) : status;
}

static taut_status make_entry_paths(const taut_scene* scene, const taut_allocator* allocator, uint32_t entry,
                                    const scene_entry* value, supports* s) {
    const bool arm = TAUT_MAP_TYPE(value->code) == TAUT_MAP_ARM;
    const uint32_t parent = (arm ? scene->particle_count : 0) + value->parent;
    const uint32_t mapped = arm ? UINT32_MAX : scene_mapped(scene, parent);
    if (mapped == UINT32_MAX) {
        return push_path(allocator, s, entry, TAUT_NO_PATH, parent);
    }
    taut_status status = TAUT_OK;
    for (uint32_t p = at(&s->path_begin, mapped); status == TAUT_OK && p < at(&s->path_begin, mapped + 1); p++) {
        status = push_path(allocator, s, entry, p, at(&s->path_root, p));
    }
    return status;
}

/* Parents come before their children. */
static taut_status make_paths(const taut_scene* scene, const taut_allocator* allocator, supports* s) {
    taut_status status = push(allocator, &s->path_begin, 0);
    uint32_t entry = 0;
    for (uint32_t m = 0; status == TAUT_OK && m < scene->mapping.count; m++) {
        uint32_t count;
        const scene_entry* entries = scene_entries(scene, m, &count);
        for (uint32_t i = 0; status == TAUT_OK && i < count; i++) {
            status = make_entry_paths(scene, allocator, entry++, entries + i, s);
        }
        status = status == TAUT_OK ? push(allocator, &s->path_begin, (uint32_t)s->path_entry.count) : status;
    }
    return status;
}

/* ---- supports ---------------------------------------------------------------------------------------------------- */

/* What a member does at one node, before equal nodes are put together. */
typedef struct term {
    uint32_t node, slot, path;
} term;

static taut_status push_term(const taut_allocator* allocator, taut_buffer* terms, uint32_t node, uint32_t slot,
                             uint32_t path) {
    const taut_status status = taut_buffer_reserve(allocator, terms, sizeof(term), 1);
    if (status == TAUT_OK) {
        ((term*)terms->data)[terms->count++] = (term){node, slot, path};
    }
    return status;
}

static taut_status collect_terms(const topology* t, uint32_t member, const taut_allocator* allocator, const supports* s,
                                 taut_buffer* terms) {
    const bool linear = topology_kind(t, member) == TAUT_LINEAR;
    const uint32_t begin = t->member_begin[member], end = t->member_begin[member + 1];
    const uint32_t first = linear ? t->member_begin[t->kind_first[TAUT_LINEAR]] : begin;
    taut_status status = TAUT_OK;
    terms->count = 0;
    for (uint32_t e = begin; status == TAUT_OK && e < end; e++) {
        const uint32_t node = t->member_node[e], slot = e - first;
        const uint32_t m = node < t->scene->particle_count ? scene_mapped(t->scene, node) : UINT32_MAX;
        if (m == UINT32_MAX) {
            status = push_term(allocator, terms, node, slot, TAUT_NO_PATH);
            continue;
        }
        for (uint32_t p = at(&s->path_begin, m); status == TAUT_OK && p < at(&s->path_begin, m + 1); p++) {
            status = push_term(allocator, terms, at(&s->path_root, p), slot, p);
        }
    }
    return status;
}

/* Stable, by node; `terms` are few, but for long linear rows, whose coordinates are mostly in order. */
static void sort_terms(term* terms, size_t count) {
    for (size_t i = 1; i < count; i++) {
        const term moved = terms[i];
        size_t to = i;
        for (; to > 0 && terms[to - 1].node > moved.node; to--) {
            terms[to] = terms[to - 1];
        }
        terms[to] = moved;
    }
}

static taut_status push_support(const taut_allocator* allocator, uint32_t member, const term* terms, size_t count,
                                supports* s) {
    taut_status status = push(allocator, &s->support_node, terms[0].node);
    status = status == TAUT_OK ? push(allocator, &s->support_member, member) : status;
    for (size_t i = 0; status == TAUT_OK && i < count; i++) {
        status = push(allocator, &s->term_slot, terms[i].slot);
        status = status == TAUT_OK ? push(allocator, &s->term_path, terms[i].path) : status;
    }
    return status == TAUT_OK ? push(allocator, &s->term_begin, (uint32_t)s->term_slot.count) : status;
}

static taut_status make_member(const topology* t, uint32_t member, const taut_allocator* allocator, taut_buffer* terms,
                               supports* s) {
    taut_status status = collect_terms(t, member, allocator, s, terms);
    term* all = terms->data;
    if (status == TAUT_OK) {
        sort_terms(all, terms->count);
    }
    for (size_t i = 0, end = 0; status == TAUT_OK && i < terms->count; i = end) {
        for (end = i + 1; end < terms->count && all[end].node == all[i].node; end++) {
        }
        status = push_support(allocator, member, all + i, end - i, s);
    }
    return status;
}

/* Counting sort by node, stable. */
static taut_status list_by_node(const topology* t, const taut_allocator* allocator, supports* s) {
    const size_t nodes = scene_node_count(t->scene), count = s->support_node.count;
    taut_status status = taut_buffer_reserve(allocator, &s->at_begin, sizeof(uint32_t), nodes + 2);
    status = status == TAUT_OK ? taut_buffer_reserve(allocator, &s->at_support, sizeof(uint32_t), count + 1) : status;
    if (status != TAUT_OK) {
        return status;
    }
    uint32_t *begin = s->at_begin.data, *list = s->at_support.data;
    for (size_t i = 0; i < count; i++) {
        begin[at(&s->support_node, i) + 2]++;
    }
    for (size_t n = 2; n < nodes + 2; n++) {
        begin[n] += begin[n - 1];
    }
    for (uint32_t i = 0; i < count; i++) {
        list[begin[at(&s->support_node, i) + 1]++] = i;
    }
    s->at_begin.count = nodes + 1;
    s->at_support.count = count;
    return TAUT_OK;
}

taut_status supports_make(const topology* t, const uint8_t* take, const taut_allocator* allocator, supports* out) {
    supports s = {.topology = t};
    taut_buffer terms = {0};
    taut_status status = make_paths(t->scene, allocator, &s);
    status = status == TAUT_OK ? push(allocator, &s.support_begin, 0) : status;
    status = status == TAUT_OK ? push(allocator, &s.term_begin, 0) : status;
    for (uint32_t m = 0; status == TAUT_OK && m < t->member_count; m++) {
        if (take[m]) {
            status = make_member(t, m, allocator, &terms, &s);
        }
        status = status == TAUT_OK ? push(allocator, &s.support_begin, (uint32_t)s.support_node.count) : status;
    }
    status = status == TAUT_OK ? list_by_node(t, allocator, &s) : status;
    taut_buffer_release(allocator, &terms);
    if (status != TAUT_OK) {
        supports_free(allocator, &s);
        return status;
    }
    *out = s;
    return TAUT_OK;
}

taut_system_sizes supports_sizes(const supports* s) {
    return (taut_system_sizes){.paths = s->path_entry.count,
                               .path_points = s->path_entry.count > 0 ? s->path_begin.count : 0,
                               .members = s->support_begin.count,
                               .supports = s->support_node.count,
                               .terms = s->term_slot.count,
                               .nodes = s->at_begin.count};
}

void supports_fill(const supports* s, taut_system* out) {
    if (out->s.paths > 0) {
        taut_buffer_copy(out->path_begin, &s->path_begin);
    }
    taut_buffer_copy(out->path_entry, &s->path_entry);
    taut_buffer_copy(out->path_next, &s->path_next);
    taut_buffer_copy(out->support_begin, &s->support_begin);
    taut_buffer_copy(out->support_node, &s->support_node);
    taut_buffer_copy(out->support_member, &s->support_member);
    taut_buffer_copy(out->term_begin, &s->term_begin);
    taut_buffer_copy(out->term_slot, &s->term_slot);
    taut_buffer_copy(out->term_path, &s->term_path);
    taut_buffer_copy(out->at_begin, &s->at_begin);
    taut_buffer_copy(out->at_support, &s->at_support);
}

void supports_free(const taut_allocator* allocator, supports* s) {
    taut_buffer* const buffers[] = {&s->path_begin,    &s->path_entry,   &s->path_next,      &s->path_root,
                                    &s->support_begin, &s->support_node, &s->support_member, &s->term_begin,
                                    &s->term_slot,     &s->term_path,    &s->at_begin,       &s->at_support};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) {
        taut_buffer_release(allocator, buffers[i]);
    }
}
