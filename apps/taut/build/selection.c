#include "base/array.h"
#include "build/scene_builder.h"

#include <stdio.h>
#include <stdlib.h>

bool build_inside(const double x[3], const double box[2][3]) {
    return x[0] >= box[0][0] && x[0] <= box[1][0] && x[1] >= box[0][1] && x[1] <= box[1][1] && x[2] >= box[0][2] &&
           x[2] <= box[1][2];
}

static bool select_box(scene_builder* b, const char* member, const selection_spec* spec, selection* out) {
    const built_object* o = &b->built->objects[spec->object];
    const double* points = taut_scene_positions(b->built->scene);
    out->particles = array_new(o->point_count, sizeof *out->particles, b->r);
    for (size_t i = o->first_point; out->particles && i < o->first_point + o->point_count; i++) {
        if (build_inside(points + 3 * i, spec->box)) {
            out->particles[out->count++] = (uint32_t)i;
        }
    }
    return out->particles && (out->count || build_fail(b, member, "holds no vertex of '%s'", o->name));
}

static bool select_vertices(scene_builder* b, const char* member, const selection_spec* spec, selection* out) {
    out->count = spec->count;
    out->particles = array_new(spec->count, sizeof *out->particles, b->r);
    bool ok = out->particles != NULL;
    for (size_t i = 0; ok && i < spec->count; i++) {
        ok = build_vertex(b, member, spec->object, spec->vertices[i], &out->particles[i]);
    }
    return ok;
}

bool build_selection(scene_builder* b, const char* member, const selection_spec* spec, selection* out) {
    char place[32];
    (void)snprintf(place, sizeof place, "%s.%s", member, spec->count ? "vertices" : "box");
    return spec->count ? select_vertices(b, place, spec, out) : select_box(b, place, spec, out);
}
