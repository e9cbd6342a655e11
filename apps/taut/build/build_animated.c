/* Colliders of the scene file whose meshes are animated: fixed vertices that follow samples of a file. */
#include "base/array.h"
#include "build/scene_builder.h"
#include "mesh/point_cache.h"

#include <stdlib.h>

/* Mesh and samples as the file has them, then where the placement puts them; the mesh at the start of the scene. */
static bool read_files(scene_builder* b, const scene_object* o, mesh* m, point_cache* samples) {
    const animation_spec* a = &o->as.collider.animation;
    report cause = {0};
    *m = build_take_mesh(b);
    if (!point_cache_read(a->file, m, a->first, a->fps, b->file->fps, samples, &cause)) {
        return build_fail(b, ".animation.file", "%s", cause.text);
    }
    placement_apply(&o->place, samples->sample_count * samples->point_count, samples->points);
    build_place_mesh(&o->place, m);
    point_cache_at(samples, -a->start, m->points);
    return true;
}

static bool add_vertices(scene_builder* b, const mesh* m, built_object* out) {
    taut_range range;
    if (!build_fixed(b, m, &range)) {
        return false;
    }
    out->first_point = range.first;
    out->point_count = range.count;
    return true;
}

static uint32_t* list_points(scene_builder* b, const built_object* out) {
    uint32_t* points = array_new(out->point_count, sizeof *points, b->r);
    for (size_t i = 0; points && i < out->point_count; i++) {
        points[i] = (uint32_t)(out->first_point + i);
    }
    return points;
}

/* Closed: solid inside. */
static bool add_solid(scene_builder* b, const collider_spec* c, const mesh* m, const uint32_t* points,
                      built_object* out) {
    taut_collider_mesh_def mesh_def = taut_default_collider_mesh();
    taut_colliders_def def = taut_default_colliders();
    mesh_def.vertex_count = m->point_count;
    mesh_def.points = points;
    mesh_def.triangle_count = m->triangle_count;
    mesh_def.triangles = m->triangles[0];
    def.count = 1;
    def.shape = TAUT_SHAPE_MESH;
    out->collides = true;
    if (taut_scene_add_collider_mesh(b->built->scene, &mesh_def, &def.mesh) != TAUT_OK) {
        return build_fail(b, ".mesh", "%s: %s", c->solid.mesh, taut_last_error());
    }
    return build_colliders(b, &c->how, &def, &out->collider) && (!c->skin || build_skins(b, out->collider, 1));
}

/* Takes points and samples over. */
static bool add_animation(scene_builder* b, const collider_spec* c, const built_object* out, uint32_t* points,
                          point_cache* samples) {
    moving_mesh* moving = &b->built->meshes[b->built->mesh_count++];
    *moving = (moving_mesh){.object = b->index,
                            .samples = *samples,
                            .start = c->animation.start,
                            .solid = out->collides,
                            .collider = out->collider,
                            .points = points};
    *samples = (point_cache){0};
    moving->now = array_new(out->point_count, sizeof *moving->now, b->r);
    return moving->now != NULL;
}

bool build_animated(scene_builder* b, const scene_object* o, built_object* out) {
    const collider_spec* c = &o->as.collider;
    mesh m = {0};
    point_cache samples = {0};
    uint32_t* points = NULL;
    bool ok = read_files(b, o, &m, &samples) && add_vertices(b, &m, out) && (points = list_points(b, out)) != NULL &&
              (b->sheets[b->index].is ? build_sheet(b, c, &m, out->first_point) : add_solid(b, c, &m, points, out));
    if (ok) {
        ok = add_animation(b, c, out, points, &samples);
        points = NULL;
    }
    out->shape = EXPORT_SURFACE;
    out->triangles = (const uint32_t(*)[3])m.triangles;
    out->triangle_count = m.triangle_count;
    m.triangles = NULL; /* the built object's from here on */
    free(points);
    point_cache_free(&samples);
    mesh_free(&m);
    return ok;
}
