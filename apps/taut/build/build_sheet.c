/* Colliders of the scene file that are two-sided surfaces: those with a thickness, and open meshes. */
#include "base/array.h"
#include "base/vector.h"
#include "build/scene_builder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- how thick ------------------------------------------------------------------------------------------------ */

static double mean_edge(const mesh* m) {
    double sum = 0;
    for (size_t t = 0; t < m->triangle_count; t++) {
        for (int k = 0; k < 3; k++) {
            sum += vector_distance(m->points[m->triangles[t][k]], m->points[m->triangles[t][(k + 1) % 3]]);
        }
    }
    return sum / (3 * (double)m->triangle_count);
}

static double largest_side(const mesh* m) {
    double largest = 0;
    for (int a = 0; a < 3; a++) {
        double low = m->points[0][a], high = low;
        for (size_t i = 1; i < m->point_count; i++) {
            low = fmin(low, m->points[i][a]);
            high = fmax(high, m->points[i][a]);
        }
        largest = fmax(largest, high - low);
    }
    return largest;
}

/* A tenth of an edge leaves the shape of the mesh as it is. Of coarse meshes that is too much to see, of fine ones too
 * little for contacts to tell the sides apart. */
static double thickness_of(const collider_spec* c, const mesh* m) {
    const double size = largest_side(m);
    return c->thickness > 0 ? c->thickness : fmin(fmax(0.1 * mean_edge(m), 1e-3 * size), 5e-3 * size);
}

/* ---- which they are ------------------------------------------------------------------------------------------- */

/* Whether an object has colliders that are convex, or none. */
static bool is_convex(const scene_object* o) {
    return o->type == OBJECT_RIGID ? o->as.rigid.solid.shape != SOLID_MESH
                                   : o->type == OBJECT_COLLIDER && o->as.collider.solid.shape != SOLID_MESH;
}

/* Whether an object can meet a surface that is not moved by what it meets. */
static bool meets(const scene_object* o) {
    return o->touching.given || (o->type == OBJECT_COLLIDER && o->as.collider.on_body);
}

/* Whether anything does; `solids` or something else. */
static bool is_met(const scene_file* file, bool solids) {
    bool met = false;
    for (size_t i = 0; i < file->object_count; i++) {
        met = met || (meets(&file->objects[i]) && is_convex(&file->objects[i]) == solids);
    }
    for (size_t i = 0; i < file->mapping_count && !solids; i++) {
        met = met || file->mappings[i].touching.given;
    }
    return met;
}

/* As a collider mesh; where the library takes none, as of edges with three triangles, all meet the surface. */
static bool add_mesh(scene_builder* b, const mesh* m, collider_sheet* sheet) {
    taut_collider_mesh_def def = taut_default_collider_mesh();
    def.vertex_count = m->point_count;
    def.positions = m->points[0];
    def.triangle_count = m->triangle_count;
    def.triangles = m->triangles[0];
    def.thickness = sheet->thickness;
    return taut_scene_add_collider_mesh(b->built->scene, &def, &sheet->mesh) == TAUT_OK;
}

/* An animated mesh is where its samples are, and a surface for all. */
static void read_sheet(scene_builder* b, const collider_spec* c, const mesh* m) {
    collider_sheet* sheet = &b->sheets[b->index];
    const bool solids = is_met(b->file, true);
    sheet->is = true;
    sheet->thickness = thickness_of(c, m);
    sheet->has_mesh = solids && !c->animation.file && add_mesh(b, m, sheet);
    sheet->has_surface = is_met(b->file, false) || (solids && !sheet->has_mesh);
}

/* With the scale of the object, but for animated ones. */
static bool read_collider(scene_builder* b, const scene_object* o) {
    const collider_spec* c = &o->as.collider;
    mesh* m = &b->meshes[b->index];
    report cause = {0};
    bool open = false;
    if (!mesh_read_surface(c->solid.mesh, m, &cause)) {
        return build_fail(b, ".mesh", "%s", cause.text);
    }
    if (!mesh_is_open(m, &open, b->r)) {
        return false;
    }
    if (open && c->spacing != 0) {
        return build_fail(b, ".spacing", "belongs to closed meshes, and '%s' is open", c->solid.mesh);
    }
    if (!c->animation.file) {
        placement place = placement_identity();
        memcpy(place.scale, o->place.scale, sizeof place.scale);
        build_place_mesh(&place, m);
    }
    if (open || c->thickness > 0) {
        read_sheet(b, c, m);
    }
    return true;
}

bool build_read_colliders(scene_builder* b) {
    b->list = "objects";
    b->meshes = array_new(b->file->object_count, sizeof *b->meshes, b->r);
    b->sheets = array_new(b->file->object_count, sizeof *b->sheets, b->r);
    bool ok = b->meshes && b->sheets;
    for (b->index = 0; ok && b->index < b->file->object_count; b->index++) {
        const scene_object* o = &b->file->objects[b->index];
        ok = o->type != OBJECT_COLLIDER || o->as.collider.solid.shape != SOLID_MESH || read_collider(b, o);
    }
    return ok;
}

mesh build_take_mesh(scene_builder* b) {
    const mesh taken = b->meshes[b->index];
    b->meshes[b->index] = (mesh){0};
    return taken;
}

void build_free_meshes(scene_builder* b) {
    for (size_t i = 0; b->meshes && i < b->file->object_count; i++) {
        mesh_free(&b->meshes[i]);
    }
    free(b->meshes);
    free(b->sheets);
}

/* ---- their points --------------------------------------------------------------------------------------------- */

bool build_sheet(scene_builder* b, const collider_spec* c, const mesh* m, size_t first) {
    taut_contact_surface_def def = taut_default_contact_surface();
    taut_range range = {0, 0};
    const collider_sheet* sheet = &b->sheets[b->index];
    if (!sheet->has_surface) {
        return true;
    }
    uint32_t* triangles = build_indices(b, (uint32_t)first, 3 * m->triangle_count, m->triangles[0]);
    def.triangle_count = m->triangle_count;
    def.triangles = triangles;
    def.radius = (c->animation.file ? thickness_of(c, m) : sheet->thickness) / 2;
    def.solids = !sheet->has_mesh;
    def.self = false;
    def.material = b->materials[c->how.material];
    def.group = c->how.group;
    def.mask = c->how.mask;
    const bool ok = triangles && build_check(b, "", taut_scene_add_contact_surface(b->built->scene, &def, &range));
    b->built->touching_count += range.count;
    b->built->face_count += ok ? m->triangle_count : 0;
    free(triangles);
    return ok;
}

static bool add_mapped(scene_builder* b, const mesh* m, taut_body body, taut_range* range) {
    taut_body_points_def def = taut_default_body_points();
    def.count = m->point_count;
    def.body = body;
    def.local = m->points[0];
    b->built->mapped_count += m->point_count;
    return build_check(b, "", taut_scene_add_body_points(b->built->scene, &def, range));
}

bool build_carried_sheet(scene_builder* b, const collider_spec* c, const mesh* m, taut_body body) {
    taut_range range;
    if (!(taut_body_is_world(body) ? build_fixed(b, m, &range)
                                   : build_room(b, m->point_count) && add_mapped(b, m, body, &range))) {
        return false;
    }
    const unnamed_nodes nodes = {.first_point = range.first, .point_count = range.count};
    return build_unnamed(b, ".mesh", nodes) && build_sheet(b, c, m, range.first);
}
