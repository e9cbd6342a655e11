/* Corners of surfaces beside those that are attached to corners of others, or of their own, or with them to one place
 * of a body. */
#define TAUT_REAL double
#include "host/compile/seams.h"

#include "base/small_math.h"
#include "host/compile/attached.h"
#include "host/compile/pair_list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* A point with contact points, what it is attached to, a body by its centre or a point, and where on that. */
typedef struct held {
    uint32_t holder, point;
    double x[3];
} held;

typedef struct seam_search {
    const taut_scene* scene;
    const taut_allocator* allocator;
    pair_list by_point;
    taut_buffer by_place;  /* placed, sorted */
    taut_buffer by_holder; /* held, sorted */
    double thickest;       /* m: the largest radius of what is held */
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

static int by_holder(const void* left, const void* right) {
    const held *a = left, *b = right;
    return a->holder != b->holder ? (a->holder > b->holder) - (a->holder < b->holder)
           : a->x[0] != b->x[0]   ? (a->x[0] > b->x[0]) - (a->x[0] < b->x[0])
                                  : (a->point > b->point) - (a->point < b->point);
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

/* Corners of the surface of `own` that are nearer to it than the thickness of both, less `held_apart`, which is how far
 * apart both are held. */
static taut_status add_around(seam_search* b, uint32_t own, uint32_t other, double held_apart) {
    const scene_touching* t = touching_at(b, own);
    const double *x = place_of(b, own), reach = t->radius + touching_at(b, other)->radius - held_apart;
    const placed* all = b->by_place.data;
    taut_status status = TAUT_OK;
    if (!(reach >= 0)) {
        return TAUT_OK;
    }
    if (t->surface == TAUT_NO_SURFACE) {
        return add_seam(b, own, other, held_apart);
    }
    for (size_t i = find_place(b, x[0] - reach);
         status == TAUT_OK && i < b->by_place.count && all[i].along <= x[0] + reach; i++) {
        double apart[3];
        vec3_sub(place_of(b, all[i].touching), x, apart);
        const double way = sqrt(vec3_dot(apart, apart));
        if (touching_at(b, all[i].touching)->surface == t->surface && way <= reach) {
            status = add_seam(b, all[i].touching, other, way + held_apart);
        }
    }
    return status;
}

static taut_status add_attached(seam_search* b, uint32_t point, uint32_t other, double held_apart) {
    const uint32_t* pairs = b->by_point.pairs.data;
    const size_t count = b->by_point.pairs.count;
    taut_status status = TAUT_OK;
    for (size_t i = pair_list_find(&b->by_point, point); i < count && pairs[2 * i] == point; i++) {
        for (size_t k = pair_list_find(&b->by_point, other); k < count && pairs[2 * k] == other; k++) {
            status = status == TAUT_OK ? add_around(b, pairs[2 * i + 1], pairs[2 * k + 1], held_apart) : status;
        }
    }
    return status;
}

/* ---- what is attached to one place ------------------------------------------------------------------------------- */

static double radius_on(const seam_search* b, uint32_t point) {
    const uint32_t* pairs = b->by_point.pairs.data;
    double most = -1;
    for (size_t i = pair_list_find(&b->by_point, point); i < b->by_point.pairs.count && pairs[2 * i] == point; i++) {
        most = fmax(most, touching_at(b, pairs[2 * i + 1])->radius);
    }
    return most;
}

static taut_status add_held(seam_search* b, uint32_t point, uint32_t by) {
    const double radius = radius_on(b, point);
    uint32_t frame;
    if (radius < 0) {
        return TAUT_OK;
    }
    b->thickest = fmax(b->thickest, radius);
    const taut_status status = taut_buffer_reserve(b->allocator, &b->by_holder, sizeof(held), 1);
    if (status == TAUT_OK) {
        held* out = (held*)b->by_holder.data + b->by_holder.count++;
        out->holder = mapped_body(b->scene, by, &frame);
        out->point = point;
        memcpy(out->x, (const double*)b->scene->positions.data + 3 * (size_t)by, sizeof out->x);
    }
    return status;
}

/* Points that one body holds nearer to each other than their thickness are as if attached to each other: the lines of a
 * parachute, the legs of a sling. */
static taut_status add_held_together(seam_search* b) {
    const held* all = b->by_holder.data;
    const size_t count = b->by_holder.count;
    const double most = 2 * b->thickest;
    taut_status status = TAUT_OK;
    if (count > 0) {
        qsort(b->by_holder.data, count, sizeof *all, by_holder);
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t k = i + 1;
             status == TAUT_OK && k < count && all[k].holder == all[i].holder && all[k].x[0] <= all[i].x[0] + most;
             k++) {
            double apart[3];
            vec3_sub(all[k].x, all[i].x, apart);
            const double way = sqrt(vec3_dot(apart, apart));
            if (way <= most && all[k].point != all[i].point) {
                status = add_attached(b, all[i].point, all[k].point, way);
                status = status == TAUT_OK ? add_attached(b, all[k].point, all[i].point, way) : status;
            }
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
    *b = (seam_search){.scene = scene, .allocator = allocator, .by_point = {allocator, {0}}};
    taut_status status = pairs > 0 ? pair_list_touching(scene, &b->by_point) : TAUT_OK;
    status = status == TAUT_OK ? list_places(b) : status;
    for (size_t i = 0; status == TAUT_OK && i < pairs; i++) {
        if (attached_pair(scene, i, ends)) {
            status = add_attached(b, ends[0], ends[1], 0);
            status = status == TAUT_OK ? add_attached(b, ends[1], ends[0], 0) : status;
            status = status == TAUT_OK ? add_held(b, ends[0], ends[1]) : status;
            status = status == TAUT_OK ? add_held(b, ends[1], ends[0]) : status;
        }
    }
    status = status == TAUT_OK ? add_held_together(b) : status;
    sort_seams(b);
    return status;
}

static void release(seam_search* b) {
    pair_list_release(&b->by_point);
    taut_buffer_release(b->allocator, &b->by_place);
    taut_buffer_release(b->allocator, &b->by_holder);
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
