/* Colliders of the scene file: shapes that stand in the world, follow a path, or belong to a body. */
#include "array.h"
#include "placement.h"
#include "quaternion.h"
#include "shapes.h"
#include "vector.h"

#include <stdlib.h>
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

/* The surface at its place on what carries it; it is `out`'s from here on. Planes have no end to show. */
static void show(mesh* surface, const pose* p, built_object* out) {
    out->shape = EXPORT_SURFACE;
    out->exported = surface->point_count > 0;
    for (size_t i = 0; i < surface->point_count; i++) {
        double turned[3];
        quaternion_rotate(p->turn, surface->points[i], turned);
        for (int a = 0; a < 3; a++) {
            surface->points[i][a] = p->place[a] + turned[a];
        }
    }
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
static bool find_carrier(scene_builder* b, const collider_spec* c, pose* p, uint32_t* frame, built_object* out) {
    static const pose none = {.turn = {1, 0, 0, 0}};
    if (c->path.count) {
        const bool ok = add_carrier(b, p, &c->path, out);
        *frame = (uint32_t)out->first_frame;
        *p = none;
        return ok;
    }
    if (c->on_body) {
        *frame = build_frame(b, &c->body);
        *p = c->local ? *p : pose_on_body(b, p, &c->body);
        carry(b->built->objects[c->body.object].first_point + c->body.vertex, *frame, out);
    }
    return true;
}

/* ---- its shape ------------------------------------------------------------------------------------------------ */

/* The mesh of a file, with its scale, for the library and to be shown. */
static bool make_mesh(scene_builder* b, const scene_object* o, mesh* surface, taut_colliders_def* def) {
    const collider_spec* c = &o->as.collider;
    placement place = placement_identity();
    report cause = {0};
    memcpy(place.scale, o->place.scale, sizeof place.scale);
    if (!mesh_read_surface(c->solid.mesh, surface, &cause)) {
        return build_fail(b, ".mesh", "%s", cause.text);
    }
    build_place_mesh(&place, surface);
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
        return make_mesh(b, o, surface, def);
    }
    return build_solid(b, given, o->place.scale, &solid) && solid_spec_collider(&solid, def) &&
           (solid.shape == SOLID_PLANE || solid_spec_surface(&solid, surface, b->r));
}

/* ---- its skin ------------------------------------------------------------------------------------------------- */

/* Whether anything is there that a skin could meet. */
static bool has_surfaces(const scene_file* file) {
    bool any = false;
    for (size_t i = 0; i < file->object_count; i++) {
        any = any || (file->objects[i].touching.given && file->objects[i].touching.surface);
    }
    for (size_t i = 0; i < file->mapping_count; i++) {
        any = any || (file->mappings[i].touching.given && file->mappings[i].touching.surface);
    }
    return any;
}

/* One that moves has mapped points, which Gauss-Seidel does not take where something touches: there it must be asked
 * for. */
static bool wants_skin(const scene_file* file, const collider_spec* c) {
    const bool moves = c->on_body || c->path.count > 0;
    const bool takes = !moves || file->world.solver.method != TAUT_METHOD_GAUSS_SEIDEL;
    return c->skin && has_surfaces(file) && (takes || c->skin_given);
}

/* A vertex that is shown, and its number. */
typedef struct placed_vertex {
    double at[3];
    size_t number;
} placed_vertex;

static int compare_places(const void* a, const void* b) {
    const placed_vertex *x = a, *y = b;
    for (int i = 0; i < 3; i++) {
        if (x->at[i] != y->at[i]) {
            return x->at[i] < y->at[i] ? -1 : 1;
        }
    }
    return (x->number > y->number) - (x->number < y->number);
}

static bool same_place(const double a[3], const double b[3]) {
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* The surface that is shown, with vertices in exactly one place as one: only then is it known what bends at an edge. */
static bool weld(const built_object* shown, mesh* out, report* r) {
    const size_t count = shown->skin_count;
    placed_vertex* sorted = array_new(count, sizeof *sorted, r);
    uint32_t* of = array_new(count, sizeof *of, r);
    out->points = array_new(count, sizeof *out->points, r);
    out->triangles = array_new(shown->triangle_count, sizeof *out->triangles, r);
    const bool ok = sorted && of && out->points && out->triangles;
    for (size_t i = 0; ok && i < count; i++) {
        memcpy(sorted[i].at, shown->skin[i], sizeof sorted[i].at);
        sorted[i].number = i;
    }
    if (ok) {
        qsort(sorted, count, sizeof *sorted, compare_places);
    }
    for (size_t i = 0; ok && i < count; i++) {
        if (i == 0 || !same_place(sorted[i].at, sorted[i - 1].at)) {
            memcpy(out->points[out->point_count++], sorted[i].at, sizeof sorted[i].at);
        }
        of[sorted[i].number] = (uint32_t)(out->point_count - 1);
    }
    for (size_t i = 0; ok && i < shown->triangle_count; i++) {
        uint32_t* t = out->triangles[out->triangle_count];
        for (int a = 0; a < 3; a++) {
            t[a] = of[shown->triangles[i][a]];
        }
        out->triangle_count += t[0] != t[1] && t[1] != t[2] && t[2] != t[0];
    }
    free(of);
    free(sorted);
    return ok;
}

/* Points in the place of those of a mesh, which move with the collider. */
static bool add_points(scene_builder* b, uint32_t frame, const mesh* skin, taut_range* range) {
    if (frame != TAUT_WORLD) {
        taut_body_points_def def = taut_default_body_points();
        def.count = skin->point_count;
        def.body = frame;
        def.local = skin->points[0];
        b->built->mapped_count += def.count;
        return build_check(b, "", taut_scene_add_body_points(b->built->scene, &def, range));
    }
    taut_particles_def def = taut_default_particles();
    bool* fixed = array_new(skin->point_count, sizeof *fixed, b->r);
    for (size_t i = 0; fixed && i < skin->point_count; i++) {
        fixed[i] = true;
    }
    def.count = skin->point_count;
    def.positions = skin->points[0];
    def.fixed = fixed;
    b->built->fixed_count += def.count;
    const bool ok = fixed && build_check(b, "", taut_scene_add_particles(b->built->scene, &def, range));
    free(fixed);
    return ok;
}

static bool add_surface_of_skin(scene_builder* b, const contact_class* how, uint32_t frame, uint32_t collider,
                                const mesh* skin) {
    const touching_spec touching = {.how = *how};
    taut_touching_surface_def def = taut_default_touching_surface();
    taut_range range;
    if (!build_room(b, skin->point_count) || !add_points(b, frame, skin, &range)) {
        return false;
    }
    uint32_t* triangles = build_indices(b, range.first, 3 * skin->triangle_count, (const uint32_t*)skin->triangles);
    def.triangle_count = skin->triangle_count;
    def.triangles = triangles;
    def.skin_of = collider;
    const bool ok = triangles && build_touching_surface(b, &touching, &def) &&
                    build_unnamed(b, ".skin", (unnamed_nodes){.first_point = range.first, .point_count = range.count});
    free(triangles);
    return ok;
}

static bool add_skin(scene_builder* b, const contact_class* how, uint32_t frame, const built_object* shown) {
    mesh skin = {0};
    const bool ok = weld(shown, &skin, b->r) && add_surface_of_skin(b, how, frame, shown->collider, &skin);
    mesh_free(&skin);
    return ok;
}

bool build_collider(scene_builder* b, const scene_object* o, built_object* out) {
    const collider_spec* c = &o->as.collider;
    taut_colliders_def def = taut_default_colliders();
    uint32_t frame = TAUT_WORLD;
    mesh surface = {0};
    pose p = pose_of(o);
    bool ok = make_shape(b, o, &surface, &def) && find_carrier(b, c, &p, &frame, out);
    def.count = 1;
    def.bodies = &frame;
    def.positions = p.place;
    def.orientations = p.turn;
    out->collides = true;
    ok = ok && build_colliders(b, &c->how, &def, &out->collider);
    if (ok) {
        show(&surface, &p, out);
        ok = !wants_skin(b->file, c) || add_skin(b, &c->how, frame, out);
    }
    mesh_free(&surface);
    return ok;
}
