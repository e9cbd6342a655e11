/* Corners of surfaces beside those that are attached to corners of others, or of their own. */
#define TAUT_REAL double
#include "host/compile/seams.h"

#include "base/small_math.h"

#include <math.h>
#include <stdlib.h>

/* A corner, one that is attached to one of its surface, and how far it is from that, m. */
typedef struct seam {
    uint32_t corner, other;
    double way;
} seam;

/* Contact points without an arm, by a number: that of their point, or a coordinate. */
typedef struct numbered {
    double number;
    uint32_t touching;
} numbered;

typedef struct seam_search {
    const taut_scene* scene;
    const taut_allocator* allocator;
    taut_buffer by_point, by_place; /* numbered, sorted */
    taut_buffer seams;
} seam_search;

static const scene_touching* touching_at(const seam_search* b, uint32_t i) {
    return (const scene_touching*)b->scene->contact.touching.data + i;
}

static const double* place_of(const seam_search* b, uint32_t i) {
    return (const double*)b->scene->positions.data + 3 * (size_t)touching_at(b, i)->point;
}

static int by_number(const void* left, const void* right) {
    const numbered *a = left, *b = right;
    return a->number != b->number ? (a->number > b->number) - (a->number < b->number)
                                  : (a->touching > b->touching) - (a->touching < b->touching);
}

static int by_corner(const void* left, const void* right) {
    const seam *a = left, *b = right;
    return a->corner != b->corner ? (a->corner > b->corner) - (a->corner < b->corner)
           : a->other != b->other ? (a->other > b->other) - (a->other < b->other)
                                  : (a->way > b->way) - (a->way < b->way);
}

static taut_status list_points(seam_search* b) {
    taut_status status = TAUT_OK;
    for (uint32_t i = 0; status == TAUT_OK && i < b->scene->contact.touching.count; i++) {
        const scene_touching* t = touching_at(b, i);
        if (t->frame == TAUT_NO_FRAME && t->point != TAUT_NO_POINT) {
            status = taut_buffer_reserve(b->allocator, &b->by_point, sizeof(numbered), 1);
            status = status == TAUT_OK ? taut_buffer_reserve(b->allocator, &b->by_place, sizeof(numbered), 1) : status;
            if (status == TAUT_OK) {
                ((numbered*)b->by_point.data)[b->by_point.count++] = (numbered){t->point, i};
                ((numbered*)b->by_place.data)[b->by_place.count++] = (numbered){place_of(b, i)[0], i};
            }
        }
    }
    if (b->by_point.count > 0) {
        qsort(b->by_point.data, b->by_point.count, sizeof(numbered), by_number);
        qsort(b->by_place.data, b->by_place.count, sizeof(numbered), by_number);
    }
    return status;
}

/* The first one that is not less. */
static size_t find_number(const taut_buffer* list, double number) {
    const numbered* all = list->data;
    size_t low = 0, high = list->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        low = all[middle].number < number ? middle + 1 : low;
        high = all[middle].number < number ? high : middle;
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
    const numbered* all = b->by_place.data;
    taut_status status = TAUT_OK;
    if (t->surface == TAUT_NO_SURFACE) {
        return add_seam(b, own, other, 0);
    }
    for (size_t i = find_number(&b->by_place, x[0] - reach);
         status == TAUT_OK && i < b->by_place.count && all[i].number <= x[0] + reach; i++) {
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
    const numbered* all = b->by_point.data;
    const size_t count = b->by_point.count;
    taut_status status = TAUT_OK;
    for (size_t i = find_number(&b->by_point, point); i < count && all[i].number == point; i++) {
        for (size_t k = find_number(&b->by_point, other); k < count && all[k].number == other; k++) {
            status = status == TAUT_OK ? add_around(b, all[i].touching, all[k].touching) : status;
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
    const uint32_t* points = scene->contact.attached.data;
    const size_t pairs = scene->contact.surfaces > 0 ? scene->contact.attached.count : 0;
    *b = (seam_search){scene, allocator, {0}, {0}, {0}};
    taut_status status = pairs > 0 ? list_points(b) : TAUT_OK;
    for (size_t i = 0; status == TAUT_OK && i < pairs; i++) {
        status = add_attached(b, points[2 * i], points[2 * i + 1]);
        status = status == TAUT_OK ? add_attached(b, points[2 * i + 1], points[2 * i]) : status;
    }
    sort_seams(b);
    return status;
}

static void release(seam_search* b) {
    taut_buffer_release(b->allocator, &b->by_point);
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
