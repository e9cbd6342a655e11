/* Which contact surfaces bound elastic tetrahedra. */
#define TAUT_REAL double
#include "host/compile/filled.h"

#include "base/memory.h"
#include "base/small_math.h"
#include "kernels/stages/contact/surface_flags.h"

#include <stdlib.h>

/* A triangle by the nodes of its corners in rising order. */
typedef struct triangle {
    uint32_t node[3], face;
} triangle;

static void sort_nodes(uint32_t node[3]) {
    for (int i = 0; i < 3; i++) { /* 0 1, 1 2, 0 1 */
        const int a = i % 2;
        if (node[a] > node[a + 1]) {
            const uint32_t swapped = node[a];
            node[a] = node[a + 1];
            node[a + 1] = swapped;
        }
    }
}

static int by_nodes(const void* left, const void* right) {
    const triangle *a = left, *b = right;
    for (int i = 0; i < 3; i++) {
        if (a->node[i] != b->node[i]) {
            return a->node[i] < b->node[i] ? -1 : 1;
        }
    }
    return 0;
}

static size_t first_of(const triangle* all, size_t count, const triangle* sought) {
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (by_nodes(&all[middle], sought) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static uint32_t surface_of(const taut_fields* f, uint32_t face) {
    return f->touching_surface[f->face_corner[4 * (size_t)face]] / 2;
}

/* Whether a node is behind a face. */
static bool is_behind(const taut_fields* f, uint32_t face, const double* x) {
    const uint32_t* corner = f->face_corner + 4 * (size_t)face;
    const double* a = f->corner_start + 3 * (size_t)corner[0];
    double ab[3], ac[3], ax[3], area[3];
    vec3_sub(f->corner_start + 3 * (size_t)corner[1], a, ab);
    vec3_sub(f->corner_start + 3 * (size_t)corner[2], a, ac);
    vec3_sub(x, a, ax);
    vec3_cross(ab, ac, area);
    return vec3_dot(area, ax) < 0;
}

static size_t list_triangles(const taut_sizes* s, const taut_fields* f, triangle* all) {
    size_t count = 0;
    for (uint32_t t = 0; t < s->faces; t++) {
        const uint32_t* corner = f->face_corner + 4 * (size_t)t;
        if ((corner[3] & TAUT_FACE_SEGMENT) == 0) {
            triangle* own = &all[count++];
            *own = (triangle){.face = t};
            for (int i = 0; i < 3; i++) {
                own->node[i] = f->touching_node[corner[i]].centre;
            }
            sort_nodes(own->node);
        }
    }
    qsort(all, count, sizeof *all, by_nodes);
    return count;
}

/* Of each face whether the tetrahedra of a kind are behind it. */
static void find_filled(const taut_scene* scene, const taut_sizes* s, const taut_fields* f, taut_kind k,
                        const triangle* all, size_t count, uint8_t* filled) {
    const double* x = scene->positions.data;
    for (size_t c = 0; c < s->count[k]; c++) {
        const uint32_t* node = f->kinds[k].nodes + 4 * c;
        for (int i = 0; i < 4; i++) {
            triangle sought = {{node[(i + 1) % 4], node[(i + 2) % 4], node[(i + 3) % 4]}, 0};
            sort_nodes(sought.node);
            for (size_t t = first_of(all, count, &sought); t < count && by_nodes(&all[t], &sought) == 0; t++) {
                filled[all[t].face] = is_behind(f, all[t].face, x + 3 * (size_t)node[i]);
            }
        }
    }
}

/* Of each surface whether all of its faces are so; segments are not. */
static void find_surfaces(const taut_sizes* s, const taut_fields* f, const uint8_t* filled, uint8_t* surface) {
    for (uint32_t t = 0; t < s->faces; t++) {
        surface[surface_of(f, t)] = 1;
    }
    for (uint32_t t = 0; t < s->faces; t++) {
        surface[surface_of(f, t)] &= filled[t];
    }
    for (size_t e = 0; e < s->edges; e++) { /* one with a border bounds nothing */
        const uint32_t* edge = f->edge_corner + 4 * e;
        if (edge[2] == TAUT_NO_NODE || edge[3] == TAUT_NO_NODE) {
            surface[f->touching_surface[edge[0]] / 2] = 0;
        }
    }
}

/* All corners of a surface, or none. */
static void mark_corners(const taut_sizes* s, taut_fields* f, const uint8_t* surface) {
    for (size_t i = 0; i < s->touching; i++) {
        const uint32_t own = f->touching_surface[i];
        if (own != TAUT_NO_NODE && surface[own / 2]) {
            f->touching_class[i].flags |= (uint32_t)TAUT_TOUCHING_FILLED;
        }
    }
}

taut_status filled_fill(const taut_scene* scene, const taut_allocator* allocator, const taut_sizes* s, taut_fields* f) {
    static const taut_kind kinds[] = {TAUT_SOLID, TAUT_TET_STRAIN};
    if (s->edges == 0 || s->faces == 0 || s->count[TAUT_SOLID] + s->count[TAUT_TET_STRAIN] == 0) {
        return TAUT_OK;
    }
    const size_t bytes = (size_t)s->faces + s->surfaces;
    triangle* all = taut_allocate(allocator, s->faces * sizeof *all);
    uint8_t* filled = all != NULL ? taut_allocate(allocator, bytes) : NULL;
    if (filled != NULL) {
        const size_t count = list_triangles(s, f, all);
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            find_filled(scene, s, f, kinds[k], all, count, filled);
        }
        find_surfaces(s, f, filled, filled + s->faces);
        mark_corners(s, f, filled + s->faces);
    }
    taut_release(allocator, all, s->faces * sizeof *all);
    taut_release(allocator, filled, bytes);
    return filled != NULL ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}
