/* Vertices of a cloth in one place: there the mesh is split, or has layers in one place. */
#include "base/array.h"
#include "build/scene_warnings.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct split_points {
    const double* positions;
    uint32_t* order;
} split_points;

static int compare_places(const double* a, const double* b) {
    int order = 0;
    for (int i = 0; i < 3 && order == 0; i++) {
        order = (a[i] > b[i]) - (a[i] < b[i]);
    }
    return order;
}

/* Heap sort: the order needs the positions. */
static bool is_before(const split_points* p, uint32_t a, uint32_t b) {
    const int order = compare_places(p->positions + 3 * (size_t)a, p->positions + 3 * (size_t)b);
    return order != 0 ? order < 0 : a < b;
}

static void sift(const split_points* p, size_t at, size_t count) {
    const uint32_t own = p->order[at];
    size_t child;
    while ((child = 2 * at + 1) < count) {
        child += child + 1 < count && is_before(p, p->order[child], p->order[child + 1]);
        if (!is_before(p, own, p->order[child])) {
            break;
        }
        p->order[at] = p->order[child];
        at = child;
    }
    p->order[at] = own;
}

static void sort_places(const split_points* p, size_t count) {
    for (size_t i = count / 2; i-- > 0;) {
        sift(p, i, count);
    }
    for (size_t i = count; i-- > 1;) {
        const uint32_t last = p->order[i];
        p->order[i] = p->order[0];
        p->order[0] = last;
        sift(p, 0, i);
    }
}

/* Vertices in the place of another one, and in how many places those are. */
typedef struct split_count {
    size_t vertices, places;
} split_count;

static split_count count_split(const split_points* p, size_t count) {
    split_count split = {0, 0};
    for (size_t first = 0, end; first < count; first = end) {
        const double* place = p->positions + 3 * (size_t)p->order[first];
        for (end = first + 1; end < count; end++) {
            if (compare_places(place, p->positions + 3 * (size_t)p->order[end]) != 0) {
                break;
            }
        }
        split.vertices += end - first > 1 ? end - first : 0;
        split.places += end - first > 1;
    }
    return split;
}

/* What a constraint attaches within an object may be meant to be split. */
static bool is_sewn(const scene_file* file, size_t object) {
    bool is = false;
    for (size_t i = 0; i < file->constraint_count && !is; i++) {
        const scene_constraint* c = &file->constraints[i];
        is = c->type == CONSTRAINT_ATTACH && c->as.pair.ends[0].object == object && c->as.pair.ends[1].object == object;
    }
    return is;
}

static bool look_at(const scene_file* file, const built_scene* built, size_t object, scene_warn* warn, void* user,
                    report* r) {
    const built_object* o = &built->objects[object];
    const split_points p = {taut_scene_positions(built->scene) + 3 * o->first_point,
                            array_new(o->point_count, sizeof *p.order, r)};
    if (!p.order) {
        return false;
    }
    for (size_t i = 0; i < o->point_count; i++) {
        p.order[i] = (uint32_t)i;
    }
    sort_places(&p, o->point_count);
    const split_count split = count_split(&p, o->point_count);
    if (split.vertices) {
        char sentence[512];
        (void)snprintf(
            sentence, sizeof sentence,
            "%zu vertices of '%.80s' are in %zu place%s, and separate: the mesh is split there, or has layers. Merge "
            "vertices in one place in the file, or move layers apart",
            split.vertices, file->objects[object].name, split.places, split.places == 1 ? "" : "s");
        warn(user, sentence);
    }
    free(p.order);
    return true;
}

bool warn_of_split(const scene_file* file, const built_scene* built, scene_warn* warn, void* user, report* r) {
    bool ok = true;
    for (size_t i = 0; i < file->object_count && ok; i++) {
        const built_object* o = &built->objects[i];
        const bool looks = file->objects[i].type == OBJECT_CLOTH && o->triangle_count && !is_sewn(file, i);
        ok = !looks || look_at(file, built, i, warn, user, r);
    }
    return ok;
}
