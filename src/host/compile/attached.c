/* Parts of what is attached to each other that overlap at the start, which do not touch. */
#define TAUT_REAL double
#include "host/compile/attached.h"

#include "base/status.h"
#include "host/compile/pair_list.h"
#include "host/scene/scene_frames.h"
#include "kernels/stages/contact/mesh_distance.h"

#include <string.h>

/* Who meets surfaces: a contact surface, or, behind all of these, a contact point of none. */
static uint32_t party_of(const taut_scene* scene, uint32_t touching) {
    const scene_touching* t = (const scene_touching*)scene->contact.touching.data + touching;
    return t->surface != TAUT_NO_SURFACE ? t->surface : scene->contact.surfaces + touching;
}

uint32_t mapped_body(const taut_scene* scene, uint32_t point, uint32_t* frame) {
    const uint32_t m = scene_mapped(scene, point), *centres = scene->frames.centres.data;
    uint32_t count = 0, found = TAUT_NO_FRAME;
    const scene_entry* entries = m != UINT32_MAX ? scene_entries(scene, m, &count) : NULL;
    for (uint32_t e = 0; e < count; e++) {
        found = TAUT_MAP_TYPE(entries[e].code) == TAUT_MAP_ARM ? entries[e].parent : found;
    }
    for (uint32_t e = 0; found != TAUT_NO_FRAME && e < count; e++) {
        const bool arm = TAUT_MAP_TYPE(entries[e].code) == TAUT_MAP_ARM;
        if (entries[e].parent != (arm ? found : centres[found])) {
            return point;
        }
    }
    *frame = found;
    return found != TAUT_NO_FRAME ? centres[found] : point;
}

/* The frame of the body that a point is on, or TAUT_NO_FRAME. */
static uint32_t body_of_point(const taut_scene* scene, uint32_t point) {
    const uint32_t* centres = scene->frames.centres.data;
    uint32_t frame = TAUT_NO_FRAME;
    mapped_body(scene, point, &frame);
    for (uint32_t i = 0; frame == TAUT_NO_FRAME && i < scene->frames.count; i++) {
        frame = centres[i] == point ? i : frame;
    }
    return frame;
}

/* Vertices of meshes that deform, sorted, with the numbers of these. */
static taut_status list_vertices(const taut_scene* scene, pair_list* out) {
    const scene_meshes* meshes = &scene->contact.meshes;
    const taut_mesh* list = meshes->list.data;
    const uint32_t* points = meshes->vertices.data;
    taut_status status = TAUT_OK;
    for (uint32_t m = 0; m < meshes->list.count; m++) {
        for (size_t i = 0; status == TAUT_OK && i < list[m].vertices; i++) {
            status = pair_list_add(out, points[list[m].first_vertex + i], m);
        }
    }
    pair_list_sort(out);
    return status;
}

/* ---- pairs of points --------------------------------------------------------------------------------------------- */

size_t attached_pairs(const taut_scene* scene) {
    return scene->contact.attached.count + scene->contact.joined.count;
}

bool attached_pair(const taut_scene* scene, size_t i, uint32_t points[2]) {
    const size_t given = scene->contact.attached.count;
    const scene_joined* joined = i < given ? NULL : (const scene_joined*)scene->contact.joined.data + (i - given);
    const uint32_t* pair = joined != NULL ? joined->ends : (const uint32_t*)scene->contact.attached.data + 2 * i;
    points[0] = pair[0];
    points[1] = pair[1];
    return joined == NULL || joined->kind == TAUT_ATTACHMENT;
}

/* ---- pairs of bodies --------------------------------------------------------------------------------------------- */

size_t attached_bodies(const taut_scene* scene, uint32_t* bodies) {
    const uint32_t* points = scene->contact.attached.data;
    size_t count = 0;
    for (size_t i = 0; i < scene->contact.attached.count; i++) {
        const uint32_t a = body_of_point(scene, points[2 * i]), b = body_of_point(scene, points[2 * i + 1]);
        if (a != TAUT_NO_FRAME && b != TAUT_NO_FRAME && a != b) {
            if (bodies != NULL) {
                bodies[2 * count] = a;
                bodies[2 * count + 1] = b;
            }
            count++;
        }
    }
    return count;
}

/* ---- what surfaces are attached to ------------------------------------------------------------------------------- */

/* What is attached: parties with solids, and parties with parties, either way round. A solid is the frame of a body or,
 * behind all of these, a mesh that deforms. */
typedef struct attached_lists {
    pair_list by_point, vertices, solids, parties;
} attached_lists;

/* What solid a point is on, or TAUT_NO_FRAME. */
static uint32_t solid_of_point(const taut_scene* scene, const attached_lists* lists, uint32_t point) {
    const uint32_t* vertices = lists->vertices.pairs.data;
    const size_t i = pair_list_find(&lists->vertices, point);
    const bool on_mesh = i < lists->vertices.pairs.count && vertices[2 * i] == point;
    return on_mesh ? (uint32_t)scene->frames.count + vertices[2 * i + 1] : body_of_point(scene, point);
}

static uint32_t solid_of_collider(const taut_scene* scene, const scene_collider* c) {
    const bool deforms = c->shape == TAUT_SHAPE_MESH && meshes_deforming(&scene->contact.meshes, c->mesh) != NULL;
    return deforms ? (uint32_t)scene->frames.count + c->mesh : c->frame;
}

/* Of the parties on one point, with the solid, or the parties, of the other one. */
static taut_status add_attached(const taut_scene* scene, attached_lists* lists, uint32_t point, uint32_t other) {
    const uint32_t *pairs = lists->by_point.pairs.data, solid = solid_of_point(scene, lists, other);
    const size_t count = lists->by_point.pairs.count;
    taut_status status = TAUT_OK;
    for (size_t i = pair_list_find(&lists->by_point, point); i < count && pairs[2 * i] == point; i++) {
        const uint32_t own = party_of(scene, pairs[2 * i + 1]);
        status = status == TAUT_OK && solid != TAUT_NO_FRAME ? pair_list_add(&lists->solids, own, solid) : status;
        for (size_t k = pair_list_find(&lists->by_point, other); k < count && pairs[2 * k] == other; k++) {
            const uint32_t met = party_of(scene, pairs[2 * k + 1]);
            status = status == TAUT_OK && own != met ? pair_list_add(&lists->parties, own, met) : status;
        }
    }
    return status;
}

static taut_status list_attached(const taut_scene* scene, const taut_allocator* allocator, attached_lists* lists) {
    const size_t pairs = attached_pairs(scene);
    uint32_t ends[2];
    *lists = (attached_lists){{allocator, {0}}, {allocator, {0}}, {allocator, {0}}, {allocator, {0}}};
    taut_status status = pairs > 0 ? pair_list_touching(scene, &lists->by_point) : TAUT_OK;
    status = status == TAUT_OK && pairs > 0 ? list_vertices(scene, &lists->vertices) : status;
    for (size_t i = 0; status == TAUT_OK && i < pairs; i++) {
        if (attached_pair(scene, i, ends)) {
            status = add_attached(scene, lists, ends[0], ends[1]);
            status = status == TAUT_OK ? add_attached(scene, lists, ends[1], ends[0]) : status;
        }
    }
    pair_list_sort(&lists->solids);
    pair_list_sort(&lists->parties);
    return status;
}

static void release_lists(attached_lists* lists) {
    pair_list* all[] = {&lists->by_point, &lists->vertices, &lists->solids, &lists->parties};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        pair_list_release(all[i]);
    }
}

/* ---- what overlaps ----------------------------------------------------------------------------------------------- */

/* Where a point of the scene is in the axes of a collider. */
static void in_axes_of(const taut_scene* scene, const scene_collider* c, uint32_t point, double local[3]) {
    const double* x = scene->positions.data;
    double arm[3], place[3], turned[4], inverse[4];
    if (c->frame == TAUT_NO_FRAME) { /* a mesh that deforms */
        memcpy(local, x + 3 * (size_t)point, 3 * sizeof *local);
        return;
    }
    const double* q = (const double*)scene->frames.orientations.data + 4 * (size_t)c->frame;
    quat_rotate(q, c->position, arm);
    vec3_sub(x + 3 * (size_t)point, x + 3 * (size_t)c->point, place);
    vec3_axpy(-1, arm, place);
    quat_multiply(q, c->orientation, turned);
    quat_conjugate(turned, inverse);
    quat_rotate(inverse, place, local);
}

double distance_in_axes(const scene_meshes* meshes, const scene_collider* c, const double local[3]) {
    double normal[3];
    if (c->shape == TAUT_SHAPE_MESH) {
        const mesh_triangles triangles =
            mesh_triangles_of(meshes->boxes.data, meshes->corners.data, meshes->normals.data,
                              (const taut_mesh*)meshes->list.data + c->mesh);
        return mesh_exact(&triangles, local, normal);
    }
    return shape_distance((uint32_t)c->shape, c->size, local, normal);
}

/* Whether a contact point starts within a collider, or nearer than its radius. */
static bool starts_within(const taut_scene* scene, const scene_touching* t, const scene_collider* c) {
    double local[3];
    in_axes_of(scene, c, t->point, local);
    return distance_in_axes(&scene->contact.meshes, c, local) < t->radius;
}

/* Contact points that do not meet a solid, with its number. */
static taut_status list_excluded(const taut_scene* scene, const attached_lists* lists, pair_list* out) {
    const scene_touching* touching = scene->contact.touching.data;
    const scene_collider* colliders = scene->contact.colliders.data;
    const uint32_t* solids = lists->solids.pairs.data;
    taut_status status = TAUT_OK;
    for (uint32_t i = 0; i < scene->contact.touching.count && lists->solids.pairs.count > 0; i++) {
        const uint32_t party = party_of(scene, i);
        const bool bare = touching[i].frame == TAUT_NO_FRAME && touching[i].point != TAUT_NO_POINT;
        size_t first = bare ? pair_list_find(&lists->solids, party) : lists->solids.pairs.count;
        for (; first < lists->solids.pairs.count && solids[2 * first] == party; first++) {
            bool within = false;
            for (size_t c = 0; !within && c < scene->contact.colliders.count; c++) {
                within = solid_of_collider(scene, &colliders[c]) == solids[2 * first + 1] &&
                         starts_within(scene, &touching[i], &colliders[c]);
            }
            status = status == TAUT_OK && within ? pair_list_add(out, i, solids[2 * first + 1]) : status;
        }
    }
    return status;
}

/* ---- sizes and arrays -------------------------------------------------------------------------------------------- */

taut_status attached_count(const taut_scene* scene, const taut_allocator* allocator, taut_sizes* s) {
    attached_lists lists;
    pair_list excluded = {allocator, {0}};
    taut_status status = list_attached(scene, allocator, &lists);
    status = status == TAUT_OK ? list_excluded(scene, &lists, &excluded) : status;
    s->excluded = (uint32_t)(scene->contact.excluded.count + attached_bodies(scene, NULL));
    s->excluded_points = (uint32_t)excluded.pairs.count;
    s->attached_parties = (uint32_t)lists.parties.pairs.count;
    s->surfaces = scene->contact.surfaces;
    pair_list_release(&excluded);
    release_lists(&lists);
    return status;
}

/* Second numbers of sorted pairs, and where those of each first number begin. */
static void fill_lists(const pair_list* list, size_t firsts, uint32_t add, uint32_t* begin, uint32_t* to) {
    const uint32_t* pairs = list->pairs.data;
    size_t next = 0;
    for (uint32_t i = 0; i <= firsts && list->pairs.count > 0; i++) {
        begin[i] = (uint32_t)next;
        for (; next < list->pairs.count && pairs[2 * next] == i; next++) {
            to[next] = pairs[2 * next + 1] + add;
        }
    }
}

taut_status attached_fill(const taut_scene* scene, const taut_allocator* allocator, const taut_sizes* s,
                          taut_fields* f) {
    attached_lists lists;
    pair_list excluded = {allocator, {0}};
    taut_status status = list_attached(scene, allocator, &lists);
    status = status == TAUT_OK ? list_excluded(scene, &lists, &excluded) : status;
    if (status == TAUT_OK) {
        fill_lists(&excluded, s->touching, (uint32_t)s->points, f->excluded_point_begin, f->excluded_point_solid);
        fill_lists(&lists.parties, (size_t)s->surfaces + s->touching, 0, f->attached_begin, f->attached_party);
    }
    pair_list_release(&excluded);
    release_lists(&lists);
    return status;
}
