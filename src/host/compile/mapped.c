#include "host/compile/mapped.h"

#include <string.h>

/* The mapped point that an entry depends on, or UINT32_MAX. */
static uint32_t mapped_parent(const taut_scene* scene, const scene_entry* e) {
    return TAUT_MAP_TYPE(e->code) != TAUT_MAP_ARM ? scene_mapped(scene, e->parent) : UINT32_MAX;
}

/* Flags of points that constraints, masses or contacts act on. */
static void mark_used(const taut_scene* scene, uint8_t* used) {
    const scene_touching* touching = scene->contact.touching.data;
    for (size_t i = 0; i < scene->contact.touching.count; i++) {
        if (touching[i].point != TAUT_NO_POINT) {
            used[touching[i].point] = 1;
        }
    }
    for (size_t i = 0; i < scene->contact.meshes.vertices.count; i++) {
        used[((const uint32_t*)scene->contact.meshes.vertices.data)[i]] = 1;
    }
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        for (uint32_t e = 0; e < scene_entry_count(scene, (taut_kind)k); e++) {
            const uint32_t node = scene_node(scene, (taut_kind)k, e);
            if (node < scene->particle_count) {
                used[node] = 1;
            }
        }
    }
}

/* Parents come before their children, so one way back suffices. */
static void mark_active(const taut_scene* scene, uint8_t* used) {
    const uint32_t* points = scene->mapping.points.data;
    for (uint32_t m = scene->mapping.count; m-- > 0;) {
        uint32_t count;
        const scene_entry* entries = scene_entries(scene, m, &count);
        for (uint32_t i = 0; used[points[m]] && i < count; i++) {
            const uint32_t parent = mapped_parent(scene, &entries[i]);
            if (parent != UINT32_MAX) {
                used[points[parent]] = 1;
            }
        }
    }
}

static uint32_t collect(const taut_scene* scene, const uint8_t* used, bool active, uint32_t level, uint32_t* list) {
    const uint32_t *points = scene->mapping.points.data, *levels = scene->mapping.levels.data;
    uint32_t found = 0;
    for (uint32_t m = 0; m < scene->mapping.count; m++) {
        if (levels[m] == level && (used[points[m]] != 0) == active) {
            list[found++] = m;
        }
    }
    return found;
}

taut_status mapped_order(const taut_scene* scene, bool all_active, const taut_allocator* allocator, uint32_t* list,
                         taut_sizes* sizes) {
    sizes->levels = sizes->active_levels = 0;
    sizes->level_begin[0] = (uint32_t)sizes->simple;
    if (scene->mapping.count == 0) {
        return TAUT_OK;
    }
    uint8_t* used = taut_allocate(allocator, scene->particle_count);
    if (used == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    memset(used, all_active, scene->particle_count);
    mark_used(scene, used);
    mark_active(scene, used);
    uint32_t next = 0;
    for (uint32_t round = 0; round < 2 * TAUT_MAX_LEVEL; round++) {
        const bool active = round < TAUT_MAX_LEVEL;
        const uint32_t found = collect(scene, used, active, round % TAUT_MAX_LEVEL + 1, list + next);
        if (found > 0) {
            next += found;
            sizes->level_begin[++sizes->levels] = (uint32_t)sizes->simple + next;
            sizes->active_levels += active;
        }
    }
    taut_release(allocator, used, scene->particle_count);
    return TAUT_OK;
}

/* Counting sort by parent; within one parent entries ascend, active children first because their numbers are lower. */
static void fill_children(const taut_sizes* s, const taut_fields* f) {
    const uint32_t passive = s->level_begin[s->active_levels];
    uint32_t* begin = f->child_begin;
    for (size_t e = 0; e < s->map_entries; e++) {
        begin[f->map_parent[e] + 1]++;
    }
    for (size_t n = 0; n < s->nodes; n++) {
        begin[n + 1] += begin[n];
    }
    memcpy(f->child_split, begin, s->nodes * sizeof(uint32_t));
    for (size_t e = 0; e < s->map_entries; e++) {
        f->child_entry[begin[f->map_parent[e]]++] = (uint32_t)e;
        f->child_split[f->map_parent[e]] += f->map_child[e] < passive;
    }
    memmove(begin + 1, begin, s->nodes * sizeof(uint32_t));
    begin[0] = 0;
}

void mapped_fill(const taut_scene* scene, const taut_sizes* s, const taut_fields* f) {
    if (s->map_entries == 0) {
        return;
    }
    const uint32_t* ends = scene->mapping.ends.data;
    const scene_entry* entries = scene->mapping.entries.data;
    for (uint32_t m = 0, e = 0; m < scene->mapping.count; m++) {
        f->map_begin[m] = e;
        for (; e < ends[m]; e++) {
            const bool arm = TAUT_MAP_TYPE(entries[e].code) == TAUT_MAP_ARM;
            f->map_parent[e] = arm ? (uint32_t)s->points + entries[e].parent : entries[e].parent;
            f->map_child[e] = (uint32_t)s->simple + m;
            f->map_code[e] = entries[e].code;
            memcpy(f->map_local + 3 * (size_t)e, entries[e].value, 3 * sizeof(double));
        }
        f->map_begin[m + 1] = e;
    }
    fill_children(s, f);
}
