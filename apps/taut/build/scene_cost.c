#include "build/scene_cost.h"

#include <math.h>

/* ---- memory --------------------------------------------------------------------------------------------------- */

/* Bytes per vertex on the CPU, rounded down, of grids of 160,000 vertices (cloth), 30,000 (soft) and lines of 100,000.
 */
enum { CLOTH = 5000, CLOTH_BEND = 3000, CLOTH_SURFACE = 6000, SOFT = 15000, LINE = 4000, BODY = 2500, POINT = 300 };
/* Bytes per body that may touch: 18,000 to 29,000, from boxes and balls apart to boxes in stacks; and room for contacts
 * that is made and stays unused, without a capacity of the scene's own. */
enum { BODY_CONTACT = 24000, BODY_ROOM = 42000 };
static const double bytes_of_contact = 900;

static double grid_vertices(const grid_spec* grid, int dimensions) {
    double count = 1;
    for (int a = 0; a < dimensions; a++) {
        count *= grid->cells[a] + 1.0;
    }
    return count;
}

/* Without those of mesh files. */
static double vertices_of(const scene_object* o) {
    switch (o->type) {
    case OBJECT_PARTICLES:
        return (double)o->as.particles.count;
    case OBJECT_CLOTH:
        return o->as.cloth.mesh ? 0 : grid_vertices(&o->as.cloth.grid, 2);
    case OBJECT_SOFT:
        return o->as.soft.mesh ? 0 : grid_vertices(&o->as.soft.grid, 3);
    case OBJECT_ROPE:
        return (double)o->as.rope.count + o->as.rope.segments;
    case OBJECT_ROD:
        return (double)o->as.rod.count + o->as.rod.segments;
    case OBJECT_RIGID:
        return (double)o->as.rigid.count;
    case OBJECT_COLLIDER:
        return 0;
    }
    return 0;
}

static double bytes_of_vertex(const scene_object* o) {
    const double surface = o->touching.given && o->touching.surface ? CLOTH_SURFACE : 0;
    switch (o->type) {
    case OBJECT_CLOTH:
        return CLOTH + (o->as.cloth.bend.given ? CLOTH_BEND : 0) + surface;
    case OBJECT_SOFT:
        return SOFT;
    case OBJECT_ROPE:
    case OBJECT_ROD:
        return LINE;
    case OBJECT_RIGID:
        return BODY + (o->touching.given ? BODY_CONTACT : 0);
    case OBJECT_PARTICLES:
    case OBJECT_COLLIDER:
        return POINT;
    }
    return 0;
}

double scene_memory(const scene_file* file, const built_scene* built) {
    double bytes = 0;
    for (size_t i = 0; i < file->object_count; i++) {
        const scene_object* o = &file->objects[i];
        bytes += bytes_of_vertex(o) * (built ? (double)built->objects[i].point_count : vertices_of(o));
    }
    return bytes;
}

double scene_room(const scene_file* file, const built_scene* built) {
    double bytes = 0;
    for (size_t i = 0; i < file->object_count && file->world.contact.capacity == 0; i++) {
        const scene_object* o = &file->objects[i];
        const bool touches = o->type == OBJECT_RIGID && o->touching.given;
        bytes += touches ? BODY_ROOM * (built ? (double)built->objects[i].point_count : vertices_of(o)) : 0;
    }
    return bytes;
}

double contact_memory(double contacts) {
    return bytes_of_contact * contacts;
}

/* ---- pairs ---------------------------------------------------------------------------------------------------- */

static const double sampled_pairs = 5e7;

typedef struct contact_surface {
    const built_object* object;
    double radius;
    bool self;
} contact_surface;

static bool surface_of(const scene_file* file, const built_scene* built, size_t i, contact_surface* out) {
    const touching_spec* t =
        i < file->object_count ? &file->objects[i].touching : &file->mappings[i - file->object_count].touching;
    *out = (contact_surface){&built->objects[i], t->radius, t->self};
    return t->given && t->surface && built->objects[i].point_count > 1;
}

static size_t face_count(const contact_surface* s) {
    return s->object->triangle_count > 0 ? s->object->triangle_count : s->object->point_count - 1;
}

/* Whether the box of a face, wider by `reach`, holds the point. */
static bool is_near(const double (*points)[3], const contact_surface* s, size_t face, const double x[3], double reach) {
    const bool triangle = s->object->triangle_count > 0;
    for (int a = 0; a < 3; a++) {
        double low = x[a] + 2 * reach, high = x[a] - 2 * reach;
        for (size_t k = 0; k < (triangle ? 3u : 2u); k++) {
            const double y = points[s->object->first_point + (triangle ? s->object->triangles[face][k] : face + k)][a];
            low = y < low ? y : low;
            high = y > high ? y : high;
        }
        if (x[a] < low - reach || x[a] > high + reach) {
            return false;
        }
    }
    return true;
}

static double near_faces(const scene_file* file, const built_scene* built, const contact_surface* of,
                         const double x[3]) {
    const double(*points)[3] = (const double(*)[3])taut_scene_positions(built->scene);
    size_t count = 0;
    for (size_t i = 0; i < built->object_count; i++) {
        contact_surface s;
        if (!surface_of(file, built, i, &s) || (s.object == of->object && !of->self)) {
            continue;
        }
        for (size_t face = 0; face < face_count(&s); face++) {
            count += is_near(points, &s, face, x, of->radius + s.radius);
        }
    }
    return (double)count;
}

static size_t stride_of(double points, double faces) {
    const double samples = fmin(256, fmax(16, sampled_pairs / faces));
    return points > samples ? (size_t)(points / samples) : 1;
}

/* Every stride-th point of all surfaces together. */
near_pairs scene_near_pairs(const scene_file* file, const built_scene* built, double few) {
    const double(*points)[3] = (const double(*)[3])taut_scene_positions(built->scene);
    contact_surface s;
    double all_points = 0, all_faces = 0, sum = 0;
    for (size_t i = 0; i < built->object_count; i++) {
        if (surface_of(file, built, i, &s)) {
            all_points += (double)s.object->point_count;
            all_faces += (double)face_count(&s);
        }
    }
    if (all_points * all_faces <= few) {
        return (near_pairs){all_points * all_faces, all_points};
    }
    const size_t stride = stride_of(all_points, all_faces);
    size_t next = 0; /* sample, counted from the first point of the surface at hand */
    for (size_t i = 0; i < built->object_count; i++) {
        if (surface_of(file, built, i, &s)) {
            for (; next < s.object->point_count; next += stride) {
                sum += (double)stride * near_faces(file, built, &s, points[s.object->first_point + next]);
            }
            next -= s.object->point_count;
        }
    }
    return (near_pairs){sum, all_points};
}
