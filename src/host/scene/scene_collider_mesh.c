/* Meshes for colliders, as users give them: checked, then as a tree of boxes over triangles, or as a grid of distances.
 */
#define TAUT_REAL double
#include "base/status.h"
#include "host/scene/defaults.h"
#include "host/scene/scene_frames.h"
#include "kernels/stages/contact/tree.h"
#include "model/backend.h"

#include <string.h>

void meshes_release(const taut_allocator* allocator, scene_meshes* meshes) {
    taut_buffer* all[] = {&meshes->list,        &meshes->corners,    &meshes->normals,    &meshes->boxes,
                          &meshes->vertices,    &meshes->deforming,  &meshes->hulls,      &meshes->hull_corners,
                          &meshes->hull_begins, &meshes->hull_links, &meshes->hull_faces, &meshes->salient};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        taut_buffer_release(allocator, all[i]);
    }
}

taut_status meshes_copy(const taut_allocator* allocator, const scene_meshes* from, scene_meshes* to) {
    const taut_buffer* given[] = {&from->list,        &from->corners,    &from->normals,    &from->boxes,
                                  &from->vertices,    &from->deforming,  &from->hulls,      &from->hull_corners,
                                  &from->hull_begins, &from->hull_links, &from->hull_faces, &from->salient};
    taut_buffer* made[] = {&to->list,        &to->corners,    &to->normals,    &to->boxes,
                           &to->vertices,    &to->deforming,  &to->hulls,      &to->hull_corners,
                           &to->hull_begins, &to->hull_links, &to->hull_faces, &to->salient};
    taut_status status = TAUT_OK;
    for (size_t i = 0; status == TAUT_OK && i < sizeof made / sizeof *made; i++) {
        if (given[i]->count > 0) {
            status = taut_buffer_reserve(allocator, made[i], given[i]->element, given[i]->count);
        }
        if (status == TAUT_OK) {
            taut_buffer_copy(made[i]->data, given[i]);
            made[i]->count = given[i]->count;
        }
    }
    return status;
}

const taut_deforming* meshes_deforming(const scene_meshes* meshes, uint32_t mesh) {
    const taut_mesh* m = (const taut_mesh*)meshes->list.data + mesh;
    return m->vertices > 0 ? (const taut_deforming*)meshes->deforming.data + m->first_deforming : NULL;
}

/* ---- checks ------------------------------------------------------------------------------------------------------ */

static taut_status check_points(const taut_scene* scene, const taut_collider_mesh_def* def) {
    if (def->spacing != 0) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "collider mesh: a mesh that deforms has no distance grid; spacing must "
                                                "be 0 where points are given.");
    }
    for (size_t i = 0; i < def->vertex_count; i++) {
        if (def->points[i] >= scene->particle_count) {
            return taut_fail(TAUT_INVALID_ARGUMENT, "collider mesh: vertex %zu is point %u of %zu.", i, def->points[i],
                             (size_t)scene->particle_count);
        }
    }
    return TAUT_OK;
}

static taut_status check_numbers(const taut_collider_mesh_def* def) {
    if (def->vertex_count == 0 || def->vertex_count > TAUT_MAX_COUNT ||
        (def->positions == NULL) == (def->points == NULL)) {
        return taut_fail(TAUT_INVALID_ARGUMENT,
                         "collider mesh: it needs 1 to %u vertices, with either positions or points.", TAUT_MAX_COUNT);
    }
    if (def->triangle_count == 0 || def->triangle_count > TAUT_MAX_COUNT || def->triangles == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "collider mesh: it needs 1 to %u triangles, with their vertices.",
                         TAUT_MAX_COUNT);
    }
    if (!(def->spacing >= 0 && def->spacing <= TAUT_MAX_LENGTH)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "collider mesh: spacing is %g m; it must lie in [0, %g].", def->spacing,
                         TAUT_MAX_LENGTH);
    }
    if (!(def->thickness >= 0 && def->thickness <= TAUT_MAX_LENGTH)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "collider mesh: thickness is %g m; it must lie in [0, %g].",
                         def->thickness, TAUT_MAX_LENGTH);
    }
    if (def->thickness > 0 && (def->spacing > 0 || def->points != NULL)) {
        return taut_fail(TAUT_INVALID_ARGUMENT,
                         "collider mesh: a mesh with a thickness has two sides; it takes neither spacing nor points.");
    }
    for (size_t i = 0; i < 3 * def->triangle_count; i++) {
        if (def->triangles[i] >= def->vertex_count) {
            return taut_fail(TAUT_INVALID_ARGUMENT, "collider mesh: triangle %zu has vertex %u of %zu.", i / 3,
                             def->triangles[i], def->vertex_count);
        }
    }
    return scene_check_vectors("collider mesh: position", def->positions, def->vertex_count);
}

static taut_status check_def(const taut_scene* scene, const taut_collider_mesh_def* def, const uint32_t* mesh) {
    taut_status status =
        scene_check_def(scene, def, def != NULL ? def->cookie : 0, TAUT_DEFINITION_COLLIDER_MESH, "collider mesh");
    if (status == TAUT_OK && mesh == NULL) {
        status = taut_fail(TAUT_INVALID_ARGUMENT, "mesh must not be NULL.");
    }
    if (status == TAUT_OK && scene->contact.meshes.list.count >= TAUT_MAX_COUNT) {
        status = taut_fail(TAUT_INVALID_ARGUMENT, "collider mesh: a scene holds at most %u.", TAUT_MAX_COUNT);
    }
    status = status == TAUT_OK ? check_numbers(def) : status;
    return status == TAUT_OK && def->points != NULL ? check_points(scene, def) : status;
}

/* ---- tree -------------------------------------------------------------------------------------------------------- */

static void box_of_triangles(const double* corners, size_t count, double half, float box[6]) {
    box_clear(box);
    for (size_t i = 0; i < 3 * count; i++) {
        box_add(corners + 3 * i, half, box);
    }
}

/* Along a curve of Morton through the box of all. */
static taut_status order_triangles(const taut_allocator* allocator, const double* corners, size_t count, uint64_t* keys,
                                   uint32_t* order) {
    float all[6];
    box_of_triangles(corners, count, 0, all);
    double longest = 0;
    for (int a = 0; a < 3; a++) {
        longest = fmax(longest, (double)all[3 + a] - (double)all[a]);
    }
    for (size_t i = 0; i < count; i++) {
        float box[6];
        box_of_triangles(corners + 9 * i, 1, 0, box);
        for (int a = 0; a < 6; a++) {
            box[a] -= all[a % 3];
        }
        keys[i] = morton_code(box, longest / 1023);
        order[i] = (uint32_t)i;
    }
    return taut_cpu_backend.sort(-1, keys, order, count, allocator);
}

static void build_boxes(const double* corners, size_t count, double half, uint32_t leaves, float* boxes) {
    box_clear(boxes);
    for (size_t i = 0; i < leaves; i++) {
        float* leaf = boxes + 6 * (leaves + i);
        box_clear(leaf);
        if (i < count) {
            box_of_triangles(corners + 9 * i, 1, half, leaf);
        }
    }
    for (size_t i = leaves; i-- > 1;) {
        box_join(boxes + 12 * i, boxes + 12 * i + 6, boxes + 6 * i);
    }
}

/* What is made of one mesh before it joins the others. */
typedef struct made_mesh {
    size_t triangles, leaves;
    double *corners, *normals; /* as given, then in the order of the leaves */
    double *placed_corners, *placed_normals;
    uint32_t *salient, *placed_salient;
    float* boxes;
    uint64_t* keys;
    uint32_t* order;
} made_mesh;

static void made_release(const taut_allocator* allocator, made_mesh* m) {
    const size_t t = m->triangles, n = (size_t)3 * TAUT_MESH_PARTS * t;
    taut_release(allocator, m->corners, 9 * t * sizeof *m->corners);
    taut_release(allocator, m->normals, n * sizeof *m->normals);
    taut_release(allocator, m->placed_corners, 9 * t * sizeof *m->corners);
    taut_release(allocator, m->placed_normals, n * sizeof *m->normals);
    taut_release(allocator, m->salient, t * sizeof *m->salient);
    taut_release(allocator, m->placed_salient, t * sizeof *m->salient);
    taut_release(allocator, m->boxes, 12 * m->leaves * sizeof *m->boxes);
    taut_release(allocator, m->keys, t * sizeof *m->keys);
    taut_release(allocator, m->order, t * sizeof *m->order);
}

/* Room for so many triangles; false, and what there is to be released, where memory ends. */
static bool made_room(const taut_allocator* allocator, size_t triangles, made_mesh* m) {
    const size_t n = (size_t)3 * TAUT_MESH_PARTS * triangles;
    m->triangles = triangles;
    m->leaves = tree_leaves((uint32_t)triangles);
    m->corners = taut_allocate(allocator, 9 * triangles * sizeof *m->corners);
    m->normals = taut_allocate(allocator, n * sizeof *m->normals);
    m->placed_corners = taut_allocate(allocator, 9 * triangles * sizeof *m->corners);
    m->placed_normals = taut_allocate(allocator, n * sizeof *m->normals);
    m->salient = taut_allocate(allocator, triangles * sizeof *m->salient);
    m->placed_salient = taut_allocate(allocator, triangles * sizeof *m->salient);
    m->boxes = taut_allocate(allocator, 12 * m->leaves * sizeof *m->boxes);
    m->keys = taut_allocate(allocator, triangles * sizeof *m->keys);
    m->order = taut_allocate(allocator, triangles * sizeof *m->order);
    return m->corners != NULL && m->normals != NULL && m->placed_corners != NULL && m->placed_normals != NULL &&
           m->salient != NULL && m->placed_salient != NULL && m->boxes != NULL && m->keys != NULL && m->order != NULL;
}

/* What triangles have, into the order of the leaves. */
static void place_triangles(made_mesh* m) {
    enum { PART = 3 * TAUT_MESH_PARTS };
    for (size_t i = 0; i < m->triangles; i++) {
        const size_t from = m->order[i];
        memcpy(m->placed_corners + 9 * i, m->corners + 9 * from, 9 * sizeof *m->corners);
        memcpy(m->placed_normals + PART * i, m->normals + PART * from, PART * sizeof *m->normals);
        m->placed_salient[i] = m->salient[from];
    }
}

static taut_status made_fill(const taut_allocator* allocator, const mesh_topology* t, const double* positions,
                             double half, made_mesh* m) {
    taut_status status = mesh_normals(allocator, t, positions, m->corners, m->normals);
    if (status == TAUT_OK) {
        status = order_triangles(allocator, m->corners, m->triangles, m->keys, m->order);
    }
    if (status == TAUT_OK) {
        mesh_salient(t, m->corners, m->normals, m->salient);
        place_triangles(m);
        build_boxes(m->placed_corners, m->triangles, half, (uint32_t)m->leaves, m->boxes);
    }
    return status;
}

/* ---- adding ------------------------------------------------------------------------------------------------------ */

static void append(taut_buffer* buffer, const void* values, size_t count) {
    memcpy((char*)buffer->data + buffer->count * buffer->element, values, count * buffer->element);
    buffer->count += count;
}

static taut_status reserve(const taut_allocator* allocator, scene_meshes* all, const made_mesh* m) {
    const size_t normals = (size_t)3 * TAUT_MESH_PARTS * m->triangles;
    taut_status status = taut_buffer_reserve(allocator, &all->list, sizeof(taut_mesh), 1);
    status =
        status == TAUT_OK ? taut_buffer_reserve(allocator, &all->corners, sizeof(double), 9 * m->triangles) : status;
    status = status == TAUT_OK ? taut_buffer_reserve(allocator, &all->normals, sizeof(double), normals) : status;
    status = status == TAUT_OK ? taut_buffer_reserve(allocator, &all->salient, sizeof(uint32_t), m->triangles) : status;
    return status == TAUT_OK ? taut_buffer_reserve(allocator, &all->boxes, sizeof(float), 12 * m->leaves) : status;
}

static taut_status reserve_deforming(const taut_allocator* allocator, scene_meshes* all, size_t vertices,
                                     size_t triangles) {
    const taut_status status = taut_buffer_reserve(allocator, &all->vertices, sizeof(uint32_t), vertices);
    return status == TAUT_OK ? taut_buffer_reserve(allocator, &all->deforming, sizeof(taut_deforming), triangles)
                             : status;
}

/* Into reserved room; not in the list yet. */
static taut_mesh append_mesh(scene_meshes* all, const made_mesh* m, double spacing, double half, uint32_t hull) {
    const taut_mesh mesh = {.first_triangle = all->corners.count / 9,
                            .first_box = all->boxes.count / 6,
                            .triangles = (uint32_t)m->triangles,
                            .leaves = (uint32_t)m->leaves,
                            .spacing = spacing,
                            .half = half,
                            .hull = hull};
    append(&all->corners, m->placed_corners, 9 * m->triangles);
    append(&all->normals, m->placed_normals, (size_t)3 * TAUT_MESH_PARTS * m->triangles);
    append(&all->salient, m->placed_salient, m->triangles);
    append(&all->boxes, m->boxes, 12 * m->leaves);
    return mesh;
}

/* A grid is made with the world, which knows how far it has to reach; one that is too large in any case is refused
 * here. */
static taut_status join(const taut_allocator* allocator, scene_meshes* all, const made_mesh* m, double spacing,
                        double half, uint32_t hull) {
    const scene_meshes before = *all;
    taut_status status = reserve(allocator, all, m);
    if (status != TAUT_OK) {
        return status;
    }
    const taut_mesh mesh = append_mesh(all, m, spacing, half, hull);
    taut_mesh grid = mesh;
    status = spacing > 0 ? mesh_grid_plan(all, 0, &grid) : TAUT_OK;
    if (status == TAUT_OK) {
        append(&all->list, &mesh, 1);
    } else {
        all->corners.count = before.corners.count;
        all->normals.count = before.normals.count;
        all->salient.count = before.salient.count;
        all->boxes.count = before.boxes.count;
    }
    return status;
}

/* Vertices and triangles of the mesh that was added last, into reserved room. `at`: where in the order of the leaves a
 * triangle is. */
static void append_deforming(scene_meshes* all, const taut_collider_mesh_def* def, const mesh_topology* t,
                             const made_mesh* made, uint32_t* at) {
    taut_mesh* mesh = (taut_mesh*)all->list.data + all->list.count - 1;
    taut_deforming* to = (taut_deforming*)all->deforming.data + all->deforming.count;
    mesh->vertices = (uint32_t)def->vertex_count;
    mesh->first_vertex = all->vertices.count;
    mesh->first_deforming = all->deforming.count;
    for (uint32_t i = 0; i < t->count; i++) {
        at[made->order[i]] = i;
    }
    for (size_t i = 0; i < t->count; i++) {
        const size_t from = made->order[i];
        to[i].triangle = mesh->first_triangle + i;
        to[i].box = mesh->first_box + mesh->leaves + i;
        for (size_t k = 0; k < 3; k++) {
            const uint32_t across = t->across[3 * from + k];
            to[i].vertex[k] = (uint32_t)mesh->first_vertex + t->corners[3 * from + k];
            to[i].across[k] = 3 * at[across / 3] + across % 3;
        }
    }
    append(&all->vertices, def->points, def->vertex_count);
    all->deforming.count += t->count;
}

static taut_status add_deforming(taut_scene* scene, const taut_collider_mesh_def* def, const mesh_topology* t,
                                 const made_mesh* made) {
    const taut_allocator* allocator = &scene->allocator;
    scene_meshes* all = &scene->contact.meshes;
    uint32_t* at = taut_allocate(allocator, t->count * sizeof *at);
    taut_status status =
        at != NULL ? reserve_deforming(allocator, all, def->vertex_count, t->count) : TAUT_OUT_OF_MEMORY;
    status = status == TAUT_OK ? join(allocator, all, made, 0, 0, TAUT_NO_HULL) : status;
    if (status == TAUT_OK) {
        append_deforming(all, def, t, made, at);
    }
    taut_release(allocator, at, t->count * sizeof *at);
    return status;
}

static taut_status add_rigid(taut_scene* scene, const taut_collider_mesh_def* def, const mesh_topology* t,
                             const made_mesh* made) {
    scene_meshes* all = &scene->contact.meshes;
    uint32_t hull = TAUT_NO_HULL;
    const taut_status status = def->thickness > 0
                                   ? TAUT_OK
                                   : mesh_hull_add(&scene->allocator, all, t, def->vertex_count, def->positions, &hull);
    return status == TAUT_OK ? join(&scene->allocator, all, made, def->spacing, def->thickness / 2, hull) : status;
}

static taut_status add(taut_scene* scene, const taut_collider_mesh_def* def, const mesh_topology* t) {
    const taut_allocator* allocator = &scene->allocator;
    made_mesh made = {0};
    taut_status status = made_room(allocator, t->count, &made)
                             ? made_fill(allocator, t, def->positions, def->thickness / 2, &made)
                             : TAUT_OUT_OF_MEMORY;
    if (status == TAUT_OK) {
        status = def->points != NULL ? add_deforming(scene, def, t, &made) : add_rigid(scene, def, t, &made);
    }
    made_release(allocator, &made);
    return status;
}

/* Adds a definition that was checked, whose positions are given. */
static taut_status add_checked(taut_scene* scene, const taut_collider_mesh_def* def) {
    mesh_topology t = {0};
    taut_status status = mesh_topology_make(&scene->allocator, def->thickness > 0, def->vertex_count, def->positions,
                                            def->triangle_count, def->triangles, &t);
    if (status == TAUT_OK) {
        status = add(scene, def, &t);
        mesh_topology_release(&scene->allocator, def->triangle_count, &t);
    }
    return status;
}

/* The same with the positions of its points. */
static taut_status add_of_points(taut_scene* scene, const taut_collider_mesh_def* def) {
    const size_t bytes = 3 * def->vertex_count * sizeof(double);
    taut_collider_mesh_def placed = *def;
    double* positions = taut_allocate(&scene->allocator, bytes);
    if (positions == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < def->vertex_count; i++) {
        memcpy(positions + 3 * i, (const double*)scene->positions.data + 3 * (size_t)def->points[i],
               3 * sizeof *positions);
    }
    placed.positions = positions;
    const taut_status status = add_checked(scene, &placed);
    taut_release(&scene->allocator, positions, bytes);
    return status;
}

taut_status taut_scene_add_collider_mesh(taut_scene* scene, const taut_collider_mesh_def* def, uint32_t* mesh) {
    SCENE_WHOLE_DEFINITION(taut_collider_mesh_def, TAUT_DEFINITION_COLLIDER_MESH);
    taut_status status = check_def(scene, def, mesh);
    if (status == TAUT_OK) {
        status = def->points != NULL ? add_of_points(scene, def) : add_checked(scene, def);
    }
    if (status == TAUT_OK) {
        *mesh = (uint32_t)scene->contact.meshes.list.count - 1;
    }
    return status;
}
