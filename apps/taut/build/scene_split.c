/* Vertices of a cloth in one place: there the mesh is split, or has layers in one place. */
#include "base/array.h"
#include "build/scene_warnings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare_places(const void* first, const void* second) {
    const double *a = first, *b = second;
    int order = 0;
    for (int i = 0; i < 3 && order == 0; i++) {
        order = (a[i] > b[i]) - (a[i] < b[i]);
    }
    return order;
}

/* Vertices in the place of another one, and in how many places those are. */
typedef struct split_count {
    size_t vertices, places;
} split_count;

/* `places`: count x 3, sorted. */
static split_count count_split(const double* places, size_t count) {
    split_count split = {0, 0};
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && compare_places(places + 3 * first, places + 3 * end) == 0; end++) {
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
    double* places = array_new(o->point_count, 3 * sizeof *places, r);
    if (!places) {
        return false;
    }
    memcpy(places, taut_scene_positions(built->scene) + 3 * o->first_point, 3 * o->point_count * sizeof *places);
    qsort(places, o->point_count, 3 * sizeof *places, compare_places);
    const split_count split = count_split(places, o->point_count);
    if (split.vertices) {
        char sentence[512];
        (void)snprintf(
            sentence, sizeof sentence,
            "%zu vertices of '%.80s' are in %zu place%s, and separate: the mesh is split there, or has layers. Merge "
            "vertices in one place in the file, or move layers apart",
            split.vertices, file->objects[object].name, split.places, split.places == 1 ? "" : "s");
        warn(user, sentence);
    }
    free(places);
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
