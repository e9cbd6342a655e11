/* Corners of surfaces beside those that are attached to corners of others, or of their own. */
#define TAUT_REAL double
#include "host/compile/seams.h"

#include "base/small_math.h"
#include "host/compile/attached.h"
#include "host/compile/pair_list.h"

#include <math.h>
#include <stdlib.h>

/* A corner, one that is attached to one of its surface, and how far it is from that, m. */
typedef struct seam {
    uint32_t corner, other;
    double way;
} seam;

/* A contact point without an arm, and where it is along the first axis. */
typedef struct placed {
    double along;
    uint32_t touching;
} placed;

typedef struct seam_search {
    const taut_scene* scene;
    const taut_allocator* allocator;
    pair_list by_point;
    taut_buffer by_place; /* placed, sorted */
    taut_buffer seams;
} seam_search;

static const scene_touching* touching_at(const seam_search* b, uint32_t i) {
    return (const scene_touching*)b->scene->contact.touching.data + i;
}

static const double* place_of(const seam_search* b, uint32_t i) {
    return (const double*)b->scene->positions.data + 3 * (size_t)touching_at(b, i)->point;
}

static int by_place(const void* left, const void* right) {
    const placed *a = left, *b = right;
    return a->along != b->along ? (a->along > b->along) - (a->along < b->along)
                                : (a->touching > b->touching) - (a->touching < b->touching);
}

static int by_corner(const void* left, const void* right) {
    const seam *a = left, *b = right;
    return a->corner != b->corner ? (a->corner > b->corner) - (a->corner < b->corner)
           : a->other != b->other ? (a->other > b->other) - (a->other < b->other)
                                  : (a->way > b->way) - (a->way < b->way);
}

static taut_status list_places(seam_search* b) {
    const uint32_t* pairs = b->by_point.pairs.data;
    const size_t count = b->by_point.pairs.count;
    const taut_status status = taut_buffer_reserve(b->allocator, &b->by_place, sizeof(placed), count);
    placed* all = b->by_place.data;
    for (size_t i = 0; status == TAUT_OK && i < count; i++) {
        all[b->by_place.count++] = (placed){place_of(b, pairs[2 * i + 1])[0], pairs[2 * i + 1]};
    }
    if (b->by_place.count > 0) {
        qsort(all, b->by_place.count, sizeof *all, by_place);
    }
    return status;
}

/* The first one that is not before. */
static size_t find_place(const seam_search* b, double along) {
    const placed* all = b->by_place.data;
    size_t low = 0, high = b->by_place.count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        low = all[middle].along < along ? middle + 1 : low;
        high = all[middle].along < along ? high : middle;
    }
    return low;
}

static taut_status add_seam(seam_search* b, uint32_t corner, uint32_t other, double way) {
    const taut_status status = taut_buffer_reserve(b->allocator, &b->seams, sizeof(seam), 1);
    if (status == TAUT_OK) {
        ((seam*)b->seams.data)[b->seams.count++] = (seam){corner, other, way};
    }
    return status;
}

/* Corners of the surface of `own` that are nearer to it than the thickness of both. */
static taut_status add_around(seam_search* b, uint32_t own, uint32_t other) {
    const scene_touching* t = touching_at(b, own);
    const double *x = place_of(b, own), reach = t->radius + touching_at(b, other)->radius;
    const placed* all = b->by_place.data;
    taut_status status = TAUT_OK;
    if (t->surface == TAUT_NO_SURFACE) {
        return add_seam(b, own, other, 0);
    }
    for (size_t i = find_place(b, x[0] - reach);
         status == TAUT_OK && i < b->by_place.count && all[i].along <= x[0] + reach; i++) {
        double apart[3];
        vec3_sub(place_of(b, all[i].touching), x, apart);
        const double way = sqrt(vec3_dot(apart, apart));
        if (touching_at(b, all[i].touching)->surface == t->surface && way <= reach) {
            status = add_seam(b, all[i].touching, other, way);
        }
    }
    return status;
}

static taut_status add_attached(seam_search* b, uint32_t point, uint32_t other) {
    const uint32_t* pairs = b->by_point.pairs.data;
    const size_t count = b->by_point.pairs.count;
    taut_status status = TAUT_OK;
    for (size_t i = pair_list_find(&b->by_point, point); i < count && pairs[2 * i] == point; i++) {
        for (size_t k = pair_list_find(&b->by_point, other); k < count && pairs[2 * k] == other; k++) {
            status = status == TAUT_OK ? add_around(b, pairs[2 * i + 1], pairs[2 * k + 1]) : status;
        }
    }
    return status;
}

/* Of each pair the least way. */
static void sort_seams(seam_search* b) {
    seam* all = b->seams.data;
    size_t kept = 0;
    if (b->seams.count > 0) {
        qsort(all, b->seams.count, sizeof *all, by_corner);
    }
    for (size_t i = 0; i < b->seams.count; i++) {
        if (kept == 0 || all[kept - 1].corner != all[i].corner || all[kept - 1].other != all[i].other) {
            all[kept++] = all[i];
        }
    }
    b->seams.count = kept;
}

static taut_status search(const taut_scene* scene, const taut_allocator* allocator, seam_search* b) {
    const size_t pairs = scene->contact.surfaces > 0 ? attached_pairs(scene) : 0;
    uint32_t ends[2];
    *b = (seam_search){scene, allocator, {allocator, {0}}, {0}, {0}};
    taut_status status = pairs > 0 ? pair_list_touching(scene, &b->by_point) : TAUT_OK;
    status = status == TAUT_OK ? list_places(b) : status;
    for (size_t i = 0; status == TAUT_OK && i < pairs; i++) {
        if (attached_pair(scene, i, ends)) {
            status = add_attached(b, ends[0], ends[1]);
            status = status == TAUT_OK ? add_attached(b, ends[1], ends[0]) : status;
        }
    }
    sort_seams(b);
    return status;
}

static void release(seam_search* b) {
    pair_list_release(&b->by_point);
    taut_buffer_release(b->allocator, &b->by_place);
    taut_buffer_release(b->allocator, &b->seams);
}

taut_status seams_count(const taut_scene* scene, const taut_allocator* allocator, taut_sizes* s) {
    seam_search b;
    const taut_status status = search(scene, allocator, &b);
    s->seams = (uint32_t)b.seams.count;
    release(&b);
    return status;
}

taut_status seams_fill(const taut_scene* scene, const taut_allocator* allocator, const taut_sizes* s, taut_fields* f) {
    seam_search b;
    const taut_status status = search(scene, allocator, &b);
    const seam* all = b.seams.data;
    for (size_t i = 0, next = 0; status == TAUT_OK && s->seams > 0 && i <= s->touching; i++) {
        f->seam_begin[i] = (uint32_t)next;
        for (; next < s->seams && all[next].corner == i; next++) {
            f->seam_corner[next] = all[next].other;
            f->seam_way[next] = all[next].way;
        }
    }
    release(&b);
    return status;
}
