#include "build/scene_builder.h"

#include "base/array.h"
#include "base/vector.h"

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

/* Room is doubled where the count is a power of two. */
static bool note_sources(scene_builder* b, const char* member) {
    built_scene* built = b->built;
    while (built->source_count < taut_scene_batch_count(built->scene)) {
        const size_t count = built->source_count;
        if ((count & (count - 1)) == 0) {
            batch_source* larger = realloc(built->sources, (count ? 2 * count : 1) * sizeof *larger);
            if (!larger) {
                return report_fail(b->r, "out of memory");
            }
            built->sources = larger;
        }
        batch_source* source = &built->sources[built->source_count++];
        (void)snprintf(source->place, sizeof source->place, "%s[%zu]%s", b->list, b->index, member);
    }
    return true;
}

bool build_check(scene_builder* b, const char* member, taut_status status) {
    return status == TAUT_OK ? note_sources(b, member) : build_fail(b, member, "%s", taut_last_error());
}

/* ---- shared parts of objects ---------------------------------------------------------------------------------- */

bool build_room(scene_builder* b, size_t more) {
    return taut_scene_particle_count(b->built->scene) + more <= SCENE_MAX_PARTICLES ||
           build_fail(b, "", "the scene grows to more than %u vertices", SCENE_MAX_PARTICLES);
}

double (*build_placed(scene_builder* b, const placement* place, size_t count, const double (*points)[3]))[3] {
    double(*copy)[3] = array_new(count, sizeof *copy, b->r);
    if (copy) {
        memcpy(copy, points, count * sizeof *copy);
        placement_apply(place, count, copy);
    }
    return copy;
}

static void swap(uint32_t* a, uint32_t* b) {
    const uint32_t kept = *a;
    *a = *b;
    *b = kept;
}

void build_place_mesh(const placement* place, mesh* m) {
    placement_apply(place, m->point_count, m->points);
    if (placement_mirrors(place)) {
        for (size_t i = 0; i < m->tet_count; i++) {
            swap(&m->tets[i][2], &m->tets[i][3]);
        }
        for (size_t i = 0; i < m->triangle_count; i++) {
            swap(&m->triangles[i][1], &m->triangles[i][2]);
        }
    }
}

bool build_body(scene_builder* b, const taut_particles_def* def, built_object* out) {
    taut_range range;
    for (size_t i = 0; def->masses && i < def->count; i++) {
        if (!(def->masses[i] > 0)) {
            return build_fail(b, "", "vertex %zu has no mass: no element of the mesh uses it", i);
        }
    }
    if (!build_room(b, def->count) || !build_check(b, "", taut_scene_add_particles(b->built->scene, def, &range))) {
        return false;
    }
    out->first_point = range.first;
    out->point_count = range.count;
    return true;
}

bool build_fixed(scene_builder* b, const mesh* m, taut_range* range) {
    taut_particles_def def = taut_default_particles();
    bool* fixed = build_room(b, m->point_count) ? array_new(m->point_count, sizeof *fixed, b->r) : NULL;
    if (!fixed) {
        return false;
    }
    memset(fixed, true, m->point_count * sizeof *fixed);
    def.count = m->point_count;
    def.positions = m->points[0];
    def.fixed = fixed;
    const bool ok = build_check(b, "", taut_scene_add_particles(b->built->scene, &def, range));
    free(fixed);
    return ok;
}

uint32_t* build_indices(scene_builder* b, uint32_t first, size_t count, const uint32_t* vertices) {
    uint32_t* shifted = array_new(count, sizeof *shifted, b->r);
    for (size_t i = 0; shifted && i < count; i++) {
        shifted[i] = first + vertices[i];
    }
    return shifted;
}

/* Energy per area, or length, of springs of one material under a strain e of their direction: 1/2 e^2 / compliance. */
static double* spring_compliances(scene_builder* b, const char* member, uint32_t first, size_t count,
                                  const uint32_t (*pairs)[2], const double* areas, double compliance) {
    const double* points = taut_scene_positions(b->built->scene) + 3 * (size_t)first;
    double* c = array_new(count, sizeof *c, b->r);
    for (size_t i = 0; c && i < count; i++) {
        const double length = vector_distance(points + 3 * (size_t)pairs[i][0], points + 3 * (size_t)pairs[i][1]);
        if (!(length > 0)) {
            build_fail(b, member, "vertices %u and %u are at the same place", pairs[i][0], pairs[i][1]);
            free(c);
            return NULL;
        }
        c[i] = compliance * (areas ? length * length / areas[i] : length);
    }
    return c;
}

bool build_form(scene_builder* b, const char* member, const spring_law* law, taut_batch batch) {
    taut_scene* scene = b->built->scene;
    return (!law->force || build_check(b, member, taut_scene_use_as_forces(scene, batch))) &&
           (!law->bounded ||
            build_check(b, member, taut_scene_set_bounds(scene, batch, law->lower, law->upper, law->strength)));
}

bool build_springs(scene_builder* b, const char* member, uint32_t first, size_t count, const uint32_t (*pairs)[2],
                   const double* areas, const spring_law* law) {
    if (count == 0) {
        return true;
    }
    taut_distance_def def = taut_default_distance();
    double* compliances = spring_compliances(b, member, first, count, pairs, areas, law->compliance);
    uint32_t* particles = compliances ? build_indices(b, first, 2 * count, pairs[0]) : NULL;
    def.count = count;
    def.particles = particles;
    def.compliances = compliances;
    def.damping = law->damping;
    taut_batch batch;
    bool ok = particles && build_check(b, member, taut_scene_add_distances(b->built->scene, &def, &batch)) &&
              build_form(b, member, law, batch);
    b->built->kinds[TAUT_DISTANCE] = true;
    free(particles);
    free(compliances);
    return ok;
}

/* ---- points of objects ---------------------------------------------------------------------------------------- */

bool build_vertex(scene_builder* b, const char* member, size_t object, uint32_t vertex, uint32_t* out) {
    const built_object* o = &b->built->objects[object];
    if (vertex >= o->point_count) {
        return build_fail(b, member, "vertex %u of '%s' does not exist: it has %zu vert%s", vertex, o->name,
                          o->point_count, o->point_count == 1 ? "ex" : "ices");
    }
    *out = (uint32_t)o->first_point + vertex;
    return true;
}

taut_body body_of_object(const built_object* o, size_t i) {
    return (taut_body){(uint32_t)(o->first_point + i), (uint32_t)(o->first_frame + i)};
}

taut_body body_at(const scene_builder* b, const point_reference* at) {
    return body_of_object(&b->built->objects[at->object], at->vertex);
}

static bool build_body_point(scene_builder* b, const char* member, const point_reference* at, uint32_t* out) {
    taut_body_points_def def = taut_default_body_points();
    taut_range range;
    def.count = 1;
    def.body = body_at(b, at);
    def.positions = at->at;
    if (!build_room(b, 1) || !build_check(b, member, taut_scene_add_body_points(b->built->scene, &def, &range))) {
        return false;
    }
    *out = range.first;
    b->built->mapped_count++;
    return build_unnamed(b, member, (unnamed_nodes){.first_point = range.first, .point_count = 1});
}

bool build_point(scene_builder* b, const char* member, const point_reference* at, bool lengths, uint32_t* out) {
    const built_object* o = &b->built->objects[at->object];
    if (o->lengths && !lengths) {
        return build_fail(b, member, "'%s' is a length, not a place: use a linear constraint", o->name);
    }
    return at->at_given ? build_body_point(b, member, at, out) : build_vertex(b, member, at->object, at->vertex, out);
}

/* A body for the world where there is no place in the file. */
static void name_nodes(const scene_builder* b, const char* member, unnamed_nodes* nodes) {
    const built_scene* built = b->built;
    if (member) {
        (void)snprintf(nodes->place, sizeof nodes->place, "%s[%zu]%s", b->list, b->index, member);
        return;
    }
    (void)snprintf(nodes->place, sizeof nodes->place, "world");
    for (size_t i = 0; i < built->unnamed_count; i++) {
        nodes->number += strcmp(built->unnamed[i].place, "world") == 0 ? built->unnamed[i].frame_count : 0;
    }
}

/* Room is doubled where the count is a power of two. */
bool build_unnamed(scene_builder* b, const char* member, unnamed_nodes nodes) {
    built_scene* built = b->built;
    const size_t count = built->unnamed_count;
    if ((count & (count - 1)) == 0) {
        unnamed_nodes* larger = realloc(built->unnamed, (count ? 2 * count : 1) * sizeof *larger);
        if (!larger) {
            return report_fail(b->r, "out of memory");
        }
        built->unnamed = larger;
    }
    name_nodes(b, member, &nodes);
    built->unnamed[built->unnamed_count++] = nodes;
    return true;
}
