/* What a world tells of its start: surfaces that cross, and bodies that overlap. */
#include "base/array.h"
#include "build/scene_warnings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Of the thickness of the thinner body: more is no rounding of places. */
static const double wide_overlap = 0.02;
/* Of the shortest edge: how far objects are moved apart to see whether they cross. */
static const double small_shift = 1e-4;

static bool check_world(const scene_file* file, taut_status status, report* r) {
    return status == TAUT_OK || report_fail(r, "%s: %s", file->path, taut_last_error());
}

/* ---- surfaces that cross -------------------------------------------------------------------------------------- */

static bool moves(const scene_object* o, const built_object* built) {
    return o->touching.given && !built->rigid && o->type != OBJECT_COLLIDER && built->point_count > 0;
}

static double shortest_edge(const scene_file* file, const built_scene* built, const object_survey* surveys) {
    double least = INFINITY;
    for (size_t i = 0; i < file->object_count; i++) {
        const bool counts = moves(&file->objects[i], &built->objects[i]) && surveys[i].edges[0] > 0;
        least = counts ? fmin(least, surveys[i].edges[0]) : least;
    }
    return least;
}

/* Each object by another multiple of `by`, m, in a direction of no scene's axes. */
static bool shift_objects(const scene_file* file, const frame_points* points, taut_world* world, double by, report* r) {
    static const double direction[3] = {0.5403, 0.7385, 0.4035};
    bool ok = true;
    for (size_t i = 0; ok && i < file->object_count; i++) {
        const built_object* o = &points->built->objects[i];
        if (!moves(&file->objects[i], o)) {
            continue;
        }
        double* moved = array_new(3 * o->point_count, sizeof *moved, r);
        for (size_t p = 0; moved && p < 3 * o->point_count; p++) {
            const double* from = points->positions[o->first_point + p / 3];
            moved[p] = from[p % 3] + by * (double)i * direction[p % 3];
        }
        ok = moved &&
             check_world(file, taut_world_write(world, TAUT_FIELD_POSITIONS, o->first_point, o->point_count, moved), r);
        free(moved);
    }
    return ok;
}

/* Edges that lie in faces, as those of two grids that share a line, cut none. But what crosses goes on to do so
 * wherever it is moved by a little, and what only touches comes apart in one of two directions. */
static bool count_crossings(const scene_file* file, const frame_points* points, const object_survey* surveys,
                            taut_world* world, size_t* cuts, report* r) {
    bool ok = check_world(file, taut_world_count_intersections(world, cuts), r);
    const double by = small_shift * shortest_edge(file, points->built, surveys);
    if (!ok || *cuts > 0 || !isfinite(by)) {
        return ok;
    }
    size_t beside[2] = {0, 0};
    for (int i = 0; ok && i < 2; i++) {
        ok = shift_objects(file, points, world, i == 0 ? by : -by, r) &&
             check_world(file, taut_world_count_intersections(world, &beside[i]), r);
    }
    *cuts = beside[0] < beside[1] ? beside[0] : beside[1];
    return ok && shift_objects(file, points, world, 0, r);
}

bool warn_of_crossings(const scene_file* file, const frame_points* points, const object_survey* surveys,
                       taut_world* world, scene_warn* warn, void* user, report* r) {
    size_t cuts = 0;
    const bool ok = count_crossings(file, points, surveys, world, &cuts, r);
    if (ok && cuts > 0) {
        char sentence[128];
        (void)snprintf(sentence, sizeof sentence,
                       "surfaces intersect themselves or each other in %zu places at the start", cuts);
        warn(user, sentence);
    }
    return ok;
}

/* ---- bodies that overlap -------------------------------------------------------------------------------------- */

bool warn_of_overlaps(const scene_file* file, taut_world* world, scene_warn* warn, void* user, report* r) {
    taut_overlaps now;
    if (!check_world(file, taut_world_read_overlaps(world, &now), r)) {
        return false;
    }
    if (now.bodies_relative > wide_overlap) {
        char sentence[256];
        (void)snprintf(sentence, sizeof sentence,
                       "bodies overlap each other or colliders at the start, by up to %.2g m, and by up to %.0f %% of "
                       "the thickness of the thinner one: move them apart, or exclude their contact",
                       now.bodies, 100 * now.bodies_relative);
        warn(user, sentence);
    }
    return true;
}
