/* Colliders of the scene file: shapes that stand in the world, follow a path, or belong to a body. */
#include "base/quaternion.h"
#include "base/vector.h"
#include "build/build_shapes.h"
#include "scene_json/placement.h"

#include <string.h>

/* Where the shape's own axes are: in the world, or in those of a body. */
typedef struct pose {
    double place[3];
    double turn[4];
} pose;

/* The library's planes are solid below z = 0. */
static pose pose_of(const scene_object* o) {
    const solid_spec* solid = &o->as.collider.solid;
    pose p;
    memcpy(p.place, o->place.translate, sizeof p.place);
    quaternion_of_degrees(o->place.degrees, p.turn);
    if (solid->shape == SOLID_PLANE) {
        double own[4], placed[4];
        quaternion_of_normal(solid->normal, own);
        quaternion_multiply(p.turn, own, placed);
        memcpy(p.turn, placed, sizeof placed);
    }
    return p;
}

/* The same in the axes of a body, from its centre of mass. */
static pose pose_on_body(const scene_builder* b, const pose* world, const point_reference* body) {
    const size_t point = b->built->objects[body->object].first_point + body->vertex;
    double turn[4], back[4], arm[3];
    pose p;
    build_body_turn(&b->file->objects[body->object], body->vertex, turn);
    quaternion_conjugate(turn, back);
    vector_between(taut_scene_positions(b->built->scene) + 3 * point, world->place, arm);
    quaternion_rotate(back, arm, p.place);
    quaternion_multiply(back, world->turn, p.turn);
    return p;
}

/* ---- what is shown -------------------------------------------------------------------------------------------- */

/* The surface in the axes of what carries it. */
static void place_surface(const pose* p, mesh* surface) {
    for (size_t i = 0; i < surface->point_count; i++) {
        double turned[3];
        quaternion_rotate(p->turn, surface->points[i], turned);
        for (int a = 0; a < 3; a++) {
            surface->points[i][a] = p->place[a] + turned[a];
        }
    }
}

/* It is `out`'s from here on. Planes have no end to show. */
static void show(mesh* surface, built_object* out) {
    out->shape = EXPORT_SURFACE;
    out->exported = surface->point_count > 0;
    out->skin = surface->points;
    out->skin_count = surface->point_count;
    out->triangles = (const uint32_t(*)[3])surface->triangles;
    out->triangle_count = surface->triangle_count;
    surface->points = NULL;
    surface->triangles = NULL;
}

static void carry(size_t point, size_t frame, built_object* out) {
    out->skin_copies = 1;
    out->skin_point = point;
    out->skin_frame = frame;
}

/* ---- what carries it ------------------------------------------------------------------------------------------ */

/* A collider of its own motion is a body that the file moves; its mass never matters. */
static bool add_carrier(scene_builder* b, const pose* p, const motion* path, built_object* out) {
    taut_bodies_def def = taut_default_bodies();
    taut_body_ranges ranges;
    def.count = 1;
    def.positions = p->place;
    def.orientations = p->turn;
    if (!build_room(b, 1) || !build_check(b, "", taut_scene_add_bodies(b->built->scene, &def, &ranges))) {
        return false;
    }
    out->rigid = true;
    out->first_point = ranges.points.first;
    out->first_frame = ranges.frames.first;
    out->point_count = out->frame_count = 1;
    carry(out->first_point, out->first_frame, out);
    return build_moving_body(b, path, ranges.points.first, ranges.frames.first);
}

/* Finds or makes the body that the collider is on, if any, and its pose there. */
static bool find_carrier(scene_builder* b, const collider_spec* c, pose* p, taut_body* body, built_object* out) {
    static const pose none = {.turn = {1, 0, 0, 0}};
    if (c->path.count) {
        const bool ok = add_carrier(b, p, &c->path, out);
        *body = body_of_object(out, 0);
        *p = none;
        return ok;
    }
    if (c->on_body) {
        *body = body_at(b, &c->body);
        *p = c->local ? *p : pose_on_body(b, p, &c->body);
        carry(body->point, body->frame, out);
    }
    return true;
}

/* ---- its shape ------------------------------------------------------------------------------------------------ */

/* The mesh of a file for the library and to be shown. */
static bool make_mesh(scene_builder* b, const collider_spec* c, mesh* surface, taut_colliders_def* def) {
    *surface = build_take_mesh(b);
    if (b->sheets[b->index].is) {
        def->shape = TAUT_SHAPE_MESH;
        def->mesh = b->sheets[b->index].mesh;
        return true;
    }
    taut_collider_mesh_def given = taut_default_collider_mesh();
    given.vertex_count = surface->point_count;
    given.positions = surface->points[0];
    given.triangle_count = surface->triangle_count;
    given.triangles = surface->triangles[0];
    given.spacing = c->spacing;
    def->shape = TAUT_SHAPE_MESH;
    return taut_scene_add_collider_mesh(b->built->scene, &given, &def->mesh) == TAUT_OK ||
           build_fail(b, ".mesh", "%s: %s", c->solid.mesh, taut_last_error());
}

static bool make_shape(scene_builder* b, const scene_object* o, mesh* surface, taut_colliders_def* def) {
    const solid_spec* given = &o->as.collider.solid;
    solid_spec solid;
    if (given->shape == SOLID_MESH) {
        return make_mesh(b, &o->as.collider, surface, def);
    }
    return build_solid(b, given, o->place.scale, &solid) && solid_spec_collider(&solid, def) &&
           (solid.shape == SOLID_PLANE || solid_spec_surface(&solid, surface, b->r));
}

static bool add_solid(scene_builder* b, const collider_spec* c, const pose* p, taut_body body, taut_colliders_def* def,
                      built_object* out) {
    def->count = 1;
    def->bodies = &body;
    def->positions = p->place;
    def->orientations = p->turn;
    out->collides = true;
    return build_colliders(b, &c->how, def, &out->collider) && (!c->skin || build_skins(b, out->collider, 1));
}

/* `surface`: where it stands, in the axes of what carries it. */
static bool add_sheet(scene_builder* b, const collider_spec* c, const mesh* surface, const pose* p, taut_body body,
                      taut_colliders_def* def) {
    const collider_sheet* sheet = &b->sheets[b->index];
    def->count = 1;
    def->bodies = &body;
    def->positions = p->place;
    def->orientations = p->turn;
    return (!sheet->has_mesh || build_colliders(b, &c->how, def, NULL)) &&
           (!sheet->has_surface || build_carried_sheet(b, c, surface, body));
}

bool build_collider(scene_builder* b, const scene_object* o, built_object* out) {
    const collider_spec* c = &o->as.collider;
    taut_colliders_def def = taut_default_colliders();
    taut_body body = TAUT_WORLD;
    mesh surface = {0};
    if (c->animation.file) {
        return build_animated(b, o, out);
    }
    pose p = pose_of(o);
    bool ok = make_shape(b, o, &surface, &def) && find_carrier(b, c, &p, &body, out);
    if (ok) {
        place_surface(&p, &surface);
        ok = b->sheets[b->index].is ? add_sheet(b, c, &surface, &p, body, &def) : add_solid(b, c, &p, body, &def, out);
    }
    if (ok) {
        show(&surface, out);
    }
    mesh_free(&surface);
    return ok;
}
