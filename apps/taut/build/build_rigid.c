#include "base/array.h"
#include "base/quaternion.h"
#include "base/vector.h"
#include "build/build_shapes.h"
#include "build/scene_builder.h"

#include <stdlib.h>
#include <string.h>

/* One body, in its own axes. */
typedef struct body {
    mesh surface;     /* from the centre of mass */
    double centre[3]; /* of mass, from the origin of the shape */
    double mass;
    double inertia[6];
} body;

/* ---- shape ---------------------------------------------------------------------------------------------------- */

/* With all of its mass properties given, a mesh is there to be looked at only, and may be open. */
static bool make_mesh(scene_builder* b, const rigid_spec* rigid, const double scale[3], mesh* m, mass_properties* p) {
    placement place = placement_identity();
    report cause = {0};
    memcpy(place.scale, scale, sizeof place.scale);
    if (!mesh_read_surface(rigid->solid.mesh, m, &cause)) {
        return build_fail(b, ".mesh", "%s", cause.text);
    }
    build_place_mesh(&place, m);
    if (rigid->mass > 0 && rigid->centre_given) {
        for (int a = 0; a < 3; a++) {
            p->centre[a] = scale[a] * rigid->centre[a];
        }
        return true;
    }
    return mass_properties_find(m, p, &cause) || build_fail(b, ".mesh", "%s: %s", rigid->solid.mesh, cause.text);
}

static bool make_shape(scene_builder* b, const rigid_spec* rigid, const double scale[3], mesh* m, mass_properties* p) {
    solid_spec solid;
    if (rigid->solid.shape == SOLID_MESH) {
        return make_mesh(b, rigid, scale, m, p);
    }
    if (!build_solid(b, &rigid->solid, scale, &solid)) {
        return false;
    }
    *p = solid_spec_mass(&solid);
    return solid_spec_surface(&solid, m, b->r);
}

static bool body_make(scene_builder* b, const rigid_spec* rigid, const double scale[3], body* out) {
    mass_properties p = {0};
    if (!make_shape(b, rigid, scale, &out->surface, &p)) {
        return false;
    }
    out->mass = rigid->mass > 0 ? rigid->mass : rigid->density * p.volume;
    for (int i = 0; i < 6; i++) {
        out->inertia[i] = rigid->inertia_given ? rigid->inertia[i] : out->mass * (p.inertia[i] / p.volume);
    }
    for (int a = 0; a < 3; a++) {
        out->centre[a] = rigid->centre_given ? scale[a] * rigid->centre[a] : p.centre[a];
    }
    for (size_t i = 0; i < out->surface.point_count; i++) {
        vector_between(out->centre, out->surface.points[i], out->surface.points[i]);
    }
    return true;
}

/* ---- bodies --------------------------------------------------------------------------------------------------- */

void build_body_turn(const scene_object* o, size_t i, double out[4]) {
    const rigid_spec* rigid = &o->as.rigid;
    double place[4], own[4] = {1, 0, 0, 0};
    quaternion_of_degrees(o->place.degrees, place);
    if (rigid->orientations) {
        memcpy(own, rigid->orientations + 4 * i, sizeof own);
        quaternion_normalise(own);
    }
    quaternion_multiply(place, own, out);
}

/* NULL after setting the report. */
static double (*body_turns(scene_builder* b, const scene_object* o))[4] {
    double(*turns)[4] = array_new(o->as.rigid.count, sizeof *turns, b->r);
    for (size_t i = 0; turns && i < o->as.rigid.count; i++) {
        build_body_turn(o, i, turns[i]);
    }
    return turns;
}

/* From the origins of the shapes to the centres of mass. */
static void move_to_centres(size_t count, const double centre[3], double (*turns)[4], double (*positions)[3]) {
    for (size_t i = 0; i < count; i++) {
        double arm[3];
        quaternion_rotate(turns[i], centre, arm);
        for (int a = 0; a < 3; a++) {
            positions[i][a] += arm[a];
        }
    }
}

static bool add_bodies(scene_builder* b, const rigid_spec* rigid, const body* one, double (*turns)[4],
                       double (*positions)[3], built_object* out) {
    taut_bodies_def def = taut_default_bodies();
    taut_body_ranges ranges;
    def.count = rigid->count;
    def.positions = positions[0];
    def.orientations = turns[0];
    def.velocities = rigid->velocities;
    def.angular_velocities = rigid->angular_velocities;
    def.mass = one->mass;
    memcpy(def.inertia, one->inertia, sizeof def.inertia);
    if (!build_room(b, rigid->count) || !build_check(b, "", taut_scene_add_bodies(b->built->scene, &def, &ranges))) {
        return false;
    }
    out->first_point = ranges.points.first;
    out->point_count = ranges.points.count;
    out->first_frame = ranges.frames.first;
    out->frame_count = ranges.frames.count;
    return true;
}

/* The surface of one body is repeated for all, with the vertices of body i behind those of the bodies before. */
static bool show_bodies(scene_builder* b, const rigid_spec* rigid, mesh* surface, built_object* out) {
    const size_t triangles = surface->triangle_count;
    uint32_t(*all)[3] = array_new(rigid->count, triangles * sizeof *all, b->r);
    for (size_t i = 0; all && i < 3 * triangles * rigid->count; i++) {
        const size_t triangle = i / 3;
        all[triangle][i % 3] =
            (uint32_t)(triangle / triangles * surface->point_count) + surface->triangles[triangle % triangles][i % 3];
    }
    out->shape = EXPORT_SURFACE;
    out->triangles = (const uint32_t(*)[3])all;
    out->triangle_count = all ? triangles * rigid->count : 0;
    out->skin = surface->points;
    out->skin_count = surface->point_count;
    out->skin_copies = rigid->count;
    out->skin_point = out->first_point;
    out->skin_frame = out->first_frame;
    surface->points = NULL; /* the built object's from here on */
    return all != NULL;
}

/* A corner of a body is a point of a file as good as a vertex: they count together. */
static bool check_skin(scene_builder* b, const rigid_spec* rigid, const mesh* surface) {
    return surface->point_count <= SCENE_MAX_PARTICLES / rigid->count ||
           build_fail(b, "", "%zu bodies of %zu points each are more than %u to show", rigid->count,
                      surface->point_count, SCENE_MAX_PARTICLES);
}

static bool rigid_make(scene_builder* b, const scene_object* o, body* one, built_object* out) {
    const rigid_spec* rigid = &o->as.rigid;
    double(*turns)[4] = body_turns(b, o);
    double(*positions)[3] =
        turns ? build_placed(b, &o->place, rigid->count, (const double(*)[3])rigid->positions) : NULL;
    bool ok = positions != NULL;
    if (ok) {
        move_to_centres(rigid->count, one->centre, turns, positions);
        ok = add_bodies(b, rigid, one, turns, positions, out) && show_bodies(b, rigid, &one->surface, out);
    }
    free(turns);
    free(positions);
    return ok;
}

bool build_rigid(scene_builder* b, const scene_object* o, built_object* out) {
    body one = {0};
    out->rigid = true;
    const bool ok = body_make(b, &o->as.rigid, o->place.scale, &one) && check_skin(b, &o->as.rigid, &one.surface) &&
                    rigid_make(b, o, &one, out);
    mesh_free(&one.surface);
    return ok;
}
