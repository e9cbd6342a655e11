#include "scene_builder.h"

#include "array.h"
#include "vector.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- failure -------------------------------------------------------------------------------------------------- */

bool build_fail(scene_builder* b, const char* member, const char* format, ...) {
    char cause[800];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(cause, sizeof cause, format, arguments);
    va_end(arguments);
    return report_fail(b->r, "%s: %s[%zu]%s: %s", b->file->path, b->list, b->index, member, cause);
}

bool build_check(scene_builder* b, const char* member, taut_status status) {
    return status == TAUT_OK || build_fail(b, member, "%s", taut_last_error());
}

/* ---- shared parts of objects ---------------------------------------------------------------------------------- */

double (*build_placed(scene_builder* b, const scene_object* o, size_t count, const double (*points)[3]))[3] {
    double(*copy)[3] = array_new(count, sizeof *copy, b->r);
    if (copy) {
        memcpy(copy, points, count * sizeof *copy);
        placement_apply(&o->place, count, copy);
    }
    return copy;
}

bool build_body(scene_builder* b, const scene_object* o, const taut_particles_def* def, export_object* out) {
    const size_t before = taut_scene_particle_count(b->built->scene);
    taut_range range;
    if (before + def->count > SCENE_MAX_PARTICLES) {
        return build_fail(b, "", "the scene grows to more than %u vertices", SCENE_MAX_PARTICLES);
    }
    for (size_t i = 0; def->masses && i < def->count; i++) {
        if (!(def->masses[i] > 0)) {
            return build_fail(b, "", "vertex %zu has no mass: no element of the mesh uses it", i);
        }
    }
    if (!build_check(b, "", taut_scene_add_particles(b->built->scene, def, &range))) {
        return false;
    }
    out->name = o->name;
    out->first_point = range.first;
    out->point_count = range.count;
    return true;
}

uint32_t* build_indices(scene_builder* b, uint32_t first, size_t count, const uint32_t* vertices) {
    uint32_t* shifted = array_new(count, sizeof *shifted, b->r);
    for (size_t i = 0; shifted && i < count; i++) {
        shifted[i] = first + vertices[i];
    }
    return shifted;
}

/* Compliances of springs of one material: a spring twice as long gives twice as much. */
static double* spring_compliances(scene_builder* b, const char* member, uint32_t first, size_t count,
                                  const uint32_t (*pairs)[2], double compliance) {
    const double* points = taut_scene_positions(b->built->scene) + 3 * (size_t)first;
    double* c = array_new(count, sizeof *c, b->r);
    for (size_t i = 0; c && i < count; i++) {
        const double length = vector_distance(points + 3 * (size_t)pairs[i][0], points + 3 * (size_t)pairs[i][1]);
        if (!(length > 0)) {
            build_fail(b, member, "vertices %u and %u are at the same place", pairs[i][0], pairs[i][1]);
            free(c);
            return NULL;
        }
        c[i] = compliance * length;
    }
    return c;
}

bool build_springs(scene_builder* b, const char* member, uint32_t first, size_t count, const uint32_t (*pairs)[2],
                   const spring_law* law) {
    if (count == 0) {
        return true;
    }
    taut_distance_def def = taut_default_distance();
    double* compliances = spring_compliances(b, member, first, count, pairs, law->compliance);
    uint32_t* particles = compliances ? build_indices(b, first, 2 * count, pairs[0]) : NULL;
    def.count = count;
    def.particles = particles;
    def.compliances = compliances;
    def.damping = law->damping;
    bool ok = particles && build_check(b, member, taut_scene_add_distances(b->built->scene, &def, NULL));
    b->built->kinds[TAUT_DISTANCE] = true;
    free(particles);
    free(compliances);
    return ok;
}

bool build_vertex(scene_builder* b, const char* member, size_t object, uint32_t vertex, uint32_t* out) {
    const export_object* o = &b->built->objects[object];
    if (vertex >= o->point_count) {
        return build_fail(b, member, "vertex %u of '%s' does not exist: it has %zu vertices", vertex, o->name,
                          o->point_count);
    }
    *out = (uint32_t)o->first_point + vertex;
    return true;
}
