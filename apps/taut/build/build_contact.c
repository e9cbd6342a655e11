/* Contact as a scene file asks for it: materials, contact points and surfaces, and colliders. */
#include "base/array.h"
#include "build/build_shapes.h"

#include <stdlib.h>
#include <string.h>

/* ---- materials ------------------------------------------------------------------------------------------------ */

static bool add_materials(scene_builder* b) {
    const scene_file* file = b->file;
    bool ok = true;
    b->list = "materials";
    for (b->index = 0; ok && b->index < file->material_count; b->index++) {
        uint32_t* number = &b->materials[1 + b->index];
        ok = build_check(b, "", taut_scene_add_material(b->built->scene, &file->materials[b->index].law, number));
    }
    return ok;
}

static bool set_pairs(scene_builder* b) {
    bool ok = true;
    b->list = "material_pairs";
    for (b->index = 0; ok && b->index < b->file->material_pair_count; b->index++) {
        const material_pair_spec* pair = &b->file->material_pairs[b->index];
        ok = build_check(b, "",
                         taut_scene_set_material_pair(b->built->scene, b->materials[pair->materials[0]],
                                                      b->materials[pair->materials[1]], &pair->law));
    }
    return ok;
}

bool build_materials(scene_builder* b) {
    b->materials = array_new(1 + b->file->material_count, sizeof *b->materials, b->r);
    return b->materials && add_materials(b) && set_pairs(b);
}

/* ---- contact points ------------------------------------------------------------------------------------------ */

static bool add_contact_points(scene_builder* b, const touching_spec* t, taut_contact_points_def* def) {
    def->material = b->materials[t->how.material];
    def->group = t->how.group;
    def->mask = t->how.mask;
    if (!build_check(b, ".contact", taut_scene_add_contact_points(b->built->scene, def, NULL))) {
        return false;
    }
    b->built->touching_count += def->count;
    return true;
}

/* Numbers of the vertices, of a soft body those on its surface. NULL after setting the report. */
static uint32_t* touching_vertices(scene_builder* b, bool outside_only, const built_object* built, size_t* count) {
    uint32_t* list = array_new(built->point_count, sizeof *list, b->r);
    bool* outside = array_new(built->point_count, sizeof *outside, b->r);
    *count = 0;
    for (size_t i = 0; outside && i < 3 * built->triangle_count; i++) {
        outside[built->triangles[i / 3][i % 3]] = true;
    }
    for (size_t i = 0; list && outside && i < built->point_count; i++) {
        if (!outside_only || outside[i]) {
            list[(*count)++] = (uint32_t)(built->first_point + i);
        }
    }
    if (!outside) {
        free(list);
        list = NULL;
    }
    free(outside);
    return list;
}

static bool touch_vertices(scene_builder* b, const touching_spec* t, bool outside_only, const built_object* built) {
    taut_contact_points_def def = taut_default_contact_points();
    uint32_t* vertices = touching_vertices(b, outside_only, built, &def.count);
    def.particles = vertices;
    def.radius = t->radius;
    const bool ok = vertices && add_contact_points(b, t, &def);
    free(vertices);
    return ok;
}

/* ---- surfaces ------------------------------------------------------------------------------------------------- */

static bool add_surface(scene_builder* b, const touching_spec* t, taut_contact_surface_def* def) {
    taut_range range;
    def->radius = t->radius;
    def->self = t->self;
    def->material = b->materials[t->how.material];
    def->group = t->how.group;
    def->mask = t->how.mask;
    if (!build_check(b, ".contact", taut_scene_add_contact_surface(b->built->scene, def, &range))) {
        return false;
    }
    b->built->touching_count += range.count;
    b->built->face_count += def->triangle_count + def->segment_count;
    return true;
}

static bool touch_triangles(scene_builder* b, const touching_spec* t, const built_object* built) {
    taut_contact_surface_def def = taut_default_contact_surface();
    uint32_t* triangles =
        build_indices(b, (uint32_t)built->first_point, 3 * built->triangle_count, built->triangles[0]);
    def.triangle_count = built->triangle_count;
    def.triangles = triangles;
    const bool ok = triangles && add_surface(b, t, &def);
    free(triangles);
    return ok;
}

/* Of ropes and rods, from each vertex to the next. */
static bool touch_segments(scene_builder* b, const touching_spec* t, const built_object* built) {
    taut_contact_surface_def def = taut_default_contact_surface();
    uint32_t* segments = array_new(2 * built->point_count, sizeof *segments, b->r);
    def.segment_count = built->point_count - 1;
    for (size_t i = 0; segments && i < 2 * def.segment_count; i++) {
        segments[i] = (uint32_t)(built->first_point + i / 2 + i % 2);
    }
    def.segments = segments;
    const bool ok = segments && add_surface(b, t, &def);
    free(segments);
    return ok;
}

static bool touch_particles(scene_builder* b, const touching_spec* t, bool outside_only, const built_object* built) {
    if (!t->surface) {
        return touch_vertices(b, t, outside_only, built);
    }
    return built->triangle_count > 0 ? touch_triangles(b, t, built) : touch_segments(b, t, built);
}

/* ---- bodies --------------------------------------------------------------------------------------------------- */

/* Every point of one body, for each of them. */
static bool touch_bodies(scene_builder* b, const touching_spec* t, const built_object* built, size_t count,
                         const double (*points)[3], double radius) {
    taut_contact_points_def def = taut_default_contact_points();
    taut_body* bodies = array_new(count * built->frame_count, sizeof *bodies, b->r);
    double(*offsets)[3] = array_new(count * built->frame_count, sizeof *offsets, b->r);
    for (size_t i = 0; bodies && offsets && i < count * built->frame_count; i++) {
        bodies[i] = body_of_object(built, i / count);
        for (int a = 0; a < 3; a++) {
            offsets[i][a] = points[i % count][a];
        }
    }
    def.count = count * built->frame_count;
    def.bodies = bodies;
    def.offsets = offsets ? offsets[0] : NULL;
    def.radius = radius;
    const bool ok = bodies && offsets && add_contact_points(b, t, &def);
    free(bodies);
    free(offsets);
    return ok;
}

/* Round ends touch all around; of other shapes the vertices do. */
static bool touch_shape(scene_builder* b, const touching_spec* t, const built_object* built, const solid_spec* solid) {
    const double half = 0.5 * solid->height;
    const double ends[2][3] = {{0, 0, -half}, {0, 0, half}}, centre[1][3] = {{0, 0, 0}};
    switch (solid->shape) {
    case SOLID_SPHERE:
        return touch_bodies(b, t, built, 1, centre, solid->radius);
    case SOLID_CAPSULE:
        return touch_bodies(b, t, built, 2, ends, solid->radius);
    default:
        return touch_bodies(b, t, built, built->skin_count, (const double(*)[3])built->skin, 0);
    }
}

bool build_colliders(scene_builder* b, const contact_class* how, taut_colliders_def* def, uint32_t* first) {
    taut_range range;
    def->material = b->materials[how->material];
    def->group = how->group;
    def->mask = how->mask;
    if (!build_check(b, "", taut_scene_add_colliders(b->built->scene, def, &range))) {
        return false;
    }
    b->built->collider_count += def->count;
    if (first) {
        *first = range.first;
    }
    return true;
}

/* Whether anything is there that a skin could meet. */
static bool has_surfaces(const scene_builder* b) {
    const scene_file* file = b->file;
    bool any = false;
    for (size_t i = 0; i < file->object_count; i++) {
        const scene_object* o = &file->objects[i];
        any = any || (o->touching.given && o->touching.surface) || b->sheets[i].has_surface;
    }
    for (size_t i = 0; i < file->mapping_count; i++) {
        any = any || (file->mappings[i].touching.given && file->mappings[i].touching.surface);
    }
    return any;
}

bool build_skins(scene_builder* b, uint32_t first, size_t count) {
    const size_t skins = has_surfaces(b) ? count : 0;
    bool ok = true;
    for (size_t i = 0; ok && i < skins; i++) {
        taut_range range = {0, 0};
        ok = build_check(b, ".skin", taut_scene_add_collider_features(b->built->scene, first + (uint32_t)i, &range));
        b->built->touching_count += range.count;
    }
    return ok;
}

/* The surface of a body as a mesh for colliders; false, without a report, where the library takes none: it is not
 * closed. */
static bool mesh_collider(scene_builder* b, const built_object* built, taut_colliders_def* def) {
    taut_collider_mesh_def given = taut_default_collider_mesh();
    given.vertex_count = built->skin_count;
    given.positions = built->skin[0];
    given.triangle_count = built->triangle_count / built->skin_copies;
    given.triangles = built->triangles[0];
    def->shape = TAUT_SHAPE_MESH;
    return taut_scene_add_collider_mesh(b->built->scene, &given, &def->mesh) == TAUT_OK;
}

/* Whether a collider object says the same of a body. */
static bool has_collider(const scene_file* file, const scene_object* o) {
    bool has = false;
    for (size_t i = 0; i < file->object_count; i++) {
        const scene_object* c = &file->objects[i];
        has = has || (c->type == OBJECT_COLLIDER && c->as.collider.on_body &&
                      &file->objects[c->as.collider.body.object] == o && c->as.collider.solid.shape == SOLID_MESH &&
                      strcmp(c->as.collider.solid.mesh, o->as.rigid.solid.mesh) == 0);
    }
    return has;
}

/* Whether a file has meshes, of which those that are not convex meet points alone. */
static bool has_meshes(const scene_file* file) {
    bool any = false;
    for (size_t i = 0; i < file->object_count; i++) {
        const scene_object* o = &file->objects[i];
        any = any || (o->type == OBJECT_RIGID && o->as.rigid.solid.shape == SOLID_MESH) ||
              (o->type == OBJECT_COLLIDER && o->as.collider.solid.shape == SOLID_MESH);
    }
    return any;
}

/* Bodies touch each other by their colliders; surfaces, and meshes that are not convex, meet their points, too. What
 * has no collider has points alone. */
static bool collide_bodies(scene_builder* b, const scene_object* o, const built_object* built,
                           const solid_spec* solid) {
    const touching_spec* t = &o->touching;
    taut_colliders_def def = taut_default_colliders();
    const bool collides = solid->shape == SOLID_MESH ? !has_collider(b->file, o) && mesh_collider(b, built, &def)
                                                     : solid_spec_collider(solid, &def);
    if ((!collides || has_meshes(b->file) || has_surfaces(b)) && !touch_shape(b, t, built, solid)) {
        return false;
    }
    if (!collides) {
        return true;
    }
    const mass_properties p = solid_spec_mass(solid);
    taut_body* bodies = array_new(built->frame_count, sizeof *bodies, b->r);
    double(*places)[3] = array_new(built->frame_count, sizeof *places, b->r);
    for (size_t i = 0; bodies && places && i < built->frame_count; i++) {
        bodies[i] = body_of_object(built, i);
        for (int a = 0; a < 3; a++) { /* of the shape's origin, from the centre of mass */
            places[i][a] = -p.centre[a];
        }
    }
    def.count = built->frame_count;
    def.bodies = bodies;
    def.positions = places ? places[0] : NULL;
    uint32_t first = 0;
    const bool ok = bodies && places && build_colliders(b, &t->how, &def, &first) && build_skins(b, first, def.count);
    free(bodies);
    free(places);
    return ok;
}

static bool build_body_contact(scene_builder* b, const scene_object* o, const built_object* built) {
    solid_spec solid;
    return build_solid(b, &o->as.rigid.solid, o->place.scale, &solid) && collide_bodies(b, o, built, &solid);
}

bool build_contact(scene_builder* b, const scene_object* o, const built_object* out) {
    if (!o->touching.given) {
        return true;
    }
    return o->type == OBJECT_RIGID ? build_body_contact(b, o, out)
                                   : touch_particles(b, &o->touching, o->type == OBJECT_SOFT, out);
}

bool build_mapped_contact(scene_builder* b, const scene_mapping* m, const built_object* out) {
    return !m->touching.given || touch_particles(b, &m->touching, false, out);
}
