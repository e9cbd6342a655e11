/* Fixed vertices of different objects that start nearer to each other than their thickness. */
#include "base/array.h"
#include "build/scene_warnings.h"

#include "base/vector.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct held_point {
    double along; /* of the axis that they are sorted by */
    const double* x;
    size_t object;
} held_point;

typedef struct held_points {
    const scene_file* file;
    held_point* all;
    size_t count;
    double most; /* m: the largest radius */
} held_points;

static bool touches(const scene_object* o) {
    return o->touching.given && o->type != OBJECT_RIGID && o->type != OBJECT_COLLIDER;
}

static void add_points(held_points* held, const built_scene* built, size_t object) {
    const built_object* o = &built->objects[object];
    const double* positions = taut_scene_positions(built->scene);
    for (size_t i = o->first_point; i < o->first_point + o->point_count; i++) {
        if (built->fixed[i]) {
            held->all[held->count++] = (held_point){0, positions + 3 * i, object};
            held->most = fmax(held->most, held->file->objects[object].touching.radius);
        }
    }
}

static int compare_along(const void* a, const void* b) {
    const double one = ((const held_point*)a)->along, other = ((const held_point*)b)->along;
    return (one > other) - (one < other);
}

/* Along the axis in which they lie farthest apart. */
static void sort_points(held_points* held) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < held->count; i++) {
        for (int a = 0; a < 3; a++) {
            low[a] = fmin(low[a], held->all[i].x[a]);
            high[a] = fmax(high[a], held->all[i].x[a]);
        }
    }
    int axis = 0;
    for (int a = 1; a < 3; a++) {
        axis = high[a] - low[a] > high[axis] - low[axis] ? a : axis;
    }
    for (size_t i = 0; i < held->count; i++) {
        held->all[i].along = held->all[i].x[axis];
    }
    qsort(held->all, held->count, sizeof *held->all, compare_along);
}

static bool are_attached(const scene_file* file, size_t a, size_t b) {
    bool are = false;
    for (size_t i = 0; i < file->constraint_count && !are; i++) {
        const scene_constraint* c = &file->constraints[i];
        const point_reference* end = c->as.pair.ends;
        are = c->type == CONSTRAINT_ATTACH && !c->as.pair.contact &&
              ((end[0].object == a && end[1].object == b) || (end[0].object == b && end[1].object == a));
    }
    return are;
}

static bool may_meet(const scene_file* file, size_t a, size_t b) {
    const touching_spec *one = &file->objects[a].touching, *other = &file->objects[b].touching;
    return a != b && (one->surface || other->surface) && (one->how.mask & other->how.group) &&
           (other->how.mask & one->how.group) && !are_attached(file, a, b);
}

/* The nearest pair of those that are too near, and how many vertices are the first in such pairs. */
typedef struct near_points {
    size_t count;
    const held_point *a, *b;
    double distance, thickness;
} near_points;

static void look_around(const held_points* held, size_t i, near_points* near) {
    const scene_object* objects = held->file->objects;
    const held_point* a = &held->all[i];
    const double radius = objects[a->object].touching.radius;
    bool any = false;
    for (size_t k = i + 1; k < held->count && held->all[k].along - a->along < radius + held->most; k++) {
        const held_point* b = &held->all[k];
        const double thickness = radius + objects[b->object].touching.radius, distance = vector_distance(a->x, b->x);
        if (distance < (1 - 1e-6) * thickness && may_meet(held->file, a->object, b->object)) {
            any = true;
            if (!near->a || distance < near->distance) {
                *near = (near_points){near->count, a, b, distance, thickness};
            }
        }
    }
    near->count += any;
}

static void tell_near(const scene_file* file, const near_points* near, scene_warn* warn, void* user) {
    char sentence[512];
    (void)snprintf(sentence, sizeof sentence,
                   "%zu pinned vert%s nearer to one of another object at the start than the thickness of both, those "
                   "of '%.80s' and '%.80s' %.3g of %.3g m: what hangs from them keeps no more there. Move them, or "
                   "give them a smaller thickness",
                   near->count, near->count == 1 ? "ex is" : "ices are", file->objects[near->a->object].name,
                   file->objects[near->b->object].name, near->distance, near->thickness);
    warn(user, sentence);
}

bool warn_of_held(const scene_file* file, const built_scene* built, scene_warn* warn, void* user, report* r) {
    held_points held = {file, array_new(built->fixed_count, sizeof *held.all, r), 0, 0};
    near_points near = {0};
    if (!held.all) {
        return false;
    }
    for (size_t i = 0; i < file->object_count; i++) {
        if (touches(&file->objects[i])) {
            add_points(&held, built, i);
        }
    }
    sort_points(&held);
    for (size_t i = 0; i < held.count; i++) {
        look_around(&held, i, &near);
    }
    if (near.count) {
        tell_near(file, &near, warn, user);
    }
    free(held.all);
    return true;
}
