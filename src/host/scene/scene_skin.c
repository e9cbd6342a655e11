/* Skins: corners and edges of a collider as contact points and edges of a surface that has no faces. A sphere has its
 * centre for a corner, and a capsule both ends of its straight part and that for an edge, with its radius. */
#define TAUT_REAL double
#include "base/status.h"
#include "host/scene/scene_frames.h"
#include "kernels/formulas/rotation_math.h"

#include <math.h>
#include <string.h>

/* Sides of the prism or pyramid that stands for a cylinder or a cone. */
#define ROUND_SIDES 32
enum { ROUND_POSITIONS = 3 * (2 * ROUND_SIDES + 2) };

/* Triangles of a collider in its own axes, and what they say of each other. */
typedef struct draft {
    size_t vertices, triangles;
    const double* positions;
    double own[ROUND_POSITIONS]; /* positions of a box, or of what is round about z */
    uint32_t* corners;           /* 3 each: vertices */
    mesh_topology mesh;
    double *places, *normals;        /* as mesh_normals has them */
    uint32_t* number;                /* of each vertex among the corners of the skin */
    uint32_t count;                  /* of those */
    const taut_deforming* deforming; /* of a mesh that deforms, else NULL */
} draft;

/* ---- triangles -------------------------------------------------------------------------------------------------- */

/* Of the sides of a box, counterclockwise from outside; bit a of a vertex: where axis a is positive. */
static const uint8_t sides[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};

static void size_box(const double half[3], draft* d) {
    for (int i = 0; i < 24; i++) {
        d->own[i] = (i / 3 >> i % 3 & 1) != 0 ? half[i % 3] : -half[i % 3];
    }
    d->vertices = 8;
    d->triangles = 12;
    d->positions = d->own;
}

/* Two rings, or one below a tip, and the middles of the flat ends; the last vertices. */
static void size_round(bool cone, double radius, double half, draft* d) {
    const uint32_t rings = cone ? 1 : 2, middle = rings * ROUND_SIDES;
    for (uint32_t i = 0; i < middle; i++) {
        const double angle = 2 * 3.14159265358979323846 * (i % ROUND_SIDES) / ROUND_SIDES;
        d->own[3 * i] = radius * cos(angle);
        d->own[3 * i + 1] = radius * sin(angle);
        d->own[3 * i + 2] = i < ROUND_SIDES ? -half : half;
    }
    d->own[3 * middle + 2] = -half;
    d->own[3 * middle + 5] = half;
    d->vertices = middle + 2;
    d->triangles = (cone ? 2 : 4) * ROUND_SIDES;
    d->positions = d->own;
}

/* Triangles of those, four around each side: below, above, and two between, or one with the tip. */
static void fill_round(bool cone, uint32_t* corners) {
    const uint32_t low = (cone ? 1 : 2) * ROUND_SIDES, high = low + 1;
    for (uint32_t i = 0; i < ROUND_SIDES; i++) {
        const uint32_t a = i, b = (i + 1) % ROUND_SIDES, c = a + ROUND_SIDES, e = b + ROUND_SIDES;
        const uint32_t prism[12] = {low, b, a, c, e, high, a, b, e, a, e, c}, pyramid[6] = {low, b, a, a, b, high};
        memcpy(corners + (cone ? 6 : 12) * (size_t)i, cone ? pyramid : prism, (cone ? 6 : 12) * sizeof *corners);
    }
}

static void size_mesh(const scene_meshes* meshes, uint32_t number, draft* d) {
    const taut_mesh* mesh = (const taut_mesh*)meshes->list.data + number;
    d->triangles = mesh->triangles;
    d->vertices = 3 * d->triangles;
    d->positions = (const double*)meshes->corners.data + 9 * mesh->first_triangle;
    d->deforming = meshes_deforming(meshes, number);
}

static void fill_corners(taut_shape shape, draft* d) {
    static const int halves[2][3] = {{0, 1, 2}, {0, 2, 3}};
    const bool box = shape == TAUT_SHAPE_BOX;
    if (shape == TAUT_SHAPE_CYLINDER || shape == TAUT_SHAPE_CONE) {
        fill_round(shape == TAUT_SHAPE_CONE, d->corners);
        return;
    }
    for (size_t i = 0; i < 3 * d->triangles; i++) {
        d->corners[i] = box ? sides[i / 6][halves[i / 3 % 2][i % 3]] : (uint32_t)i;
    }
}

static taut_status allocate_draft(const taut_allocator* allocator, draft* d) {
    d->corners = taut_allocate(allocator, 3 * d->triangles * sizeof *d->corners);
    d->places = taut_allocate(allocator, 9 * d->triangles * sizeof *d->places);
    d->normals = taut_allocate(allocator, (size_t)3 * TAUT_MESH_PARTS * d->triangles * sizeof *d->normals);
    d->number = taut_allocate(allocator, d->vertices * sizeof *d->number);
    return d->corners && d->places && d->normals && d->number ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

static void release_draft(const taut_allocator* allocator, draft* d) {
    mesh_topology_release(allocator, d->triangles, &d->mesh);
    taut_release(allocator, d->number, d->vertices * sizeof *d->number);
    taut_release(allocator, d->normals, (size_t)3 * TAUT_MESH_PARTS * d->triangles * sizeof *d->normals);
    taut_release(allocator, d->places, 9 * d->triangles * sizeof *d->places);
    taut_release(allocator, d->corners, 3 * d->triangles * sizeof *d->corners);
}

static void number_corners(draft* d) {
    memset(d->number, 0xff, d->vertices * sizeof *d->number);
    for (size_t i = 0; i < 3 * d->mesh.count; i++) {
        uint32_t* number = &d->number[d->mesh.corners[i]];
        *number = *number == UINT32_MAX ? d->count++ : *number;
    }
}

static taut_status make_draft(const taut_allocator* allocator, taut_shape shape, draft* d) {
    taut_status status = allocate_draft(allocator, d);
    if (status == TAUT_OK) {
        fill_corners(shape, d);
        status = mesh_topology_make(allocator, false, d->vertices, d->positions, d->triangles, d->corners, &d->mesh);
    }
    if (status == TAUT_OK) {
        number_corners(d);
        status = mesh_normals(allocator, &d->mesh, d->positions, d->places, d->normals);
    }
    return status;
}

/* ---- the scene -------------------------------------------------------------------------------------------------- */

/* `place` and `outwards` in the collider's own axes. */
static scene_touching corner_at(const taut_scene* scene, uint32_t collider, const double place[3],
                                const double outwards[3]) {
    const scene_collider* c = (const scene_collider*)scene->contact.colliders.data + collider;
    scene_touching corner = {.point = c->point,
                             .frame = c->frame,
                             .material = c->material,
                             .group = c->group,
                             .mask = c->mask,
                             .surface = scene->contact.surfaces,
                             .skin_of = collider,
                             .half = TAUT_NO_POINT};
    quat_rotate(c->orientation, place, corner.offset);
    vec3_axpy(1, c->position, corner.offset);
    quat_rotate(c->orientation, outwards, corner.outwards);
    return corner;
}

/* Corners of a mesh that deforms are at its points. The draft has its triangles in their order. */
static void follow_point(const scene_meshes* meshes, const taut_deforming* deforming, uint32_t half,
                         scene_touching* corner) {
    const uint32_t* points = meshes->vertices.data;
    corner->point = points[deforming[half / 3].vertex[half % 3]];
    memset(corner->offset, 0, sizeof corner->offset);
    corner->half = half;
}

static void add_corners(const taut_scene* scene, uint32_t collider, const draft* d, scene_touching* corners) {
    for (size_t i = 0; i < 3 * d->mesh.count; i++) {
        const double* normal = d->normals + 3 * (TAUT_MESH_PARTS * (i / 3) + TAUT_MESH_CORNER + i % 3);
        scene_touching* corner = &corners[d->number[d->mesh.corners[i]]];
        *corner = corner_at(scene, collider, d->places + 3 * i, normal);
        if (d->deforming != NULL) {
            follow_point(&scene->contact.meshes, d->deforming, (uint32_t)i, corner);
        }
    }
}

/* Beside an edge stands first the triangle that goes along it, seen from outside. */
static void add_edges(uint32_t first, const draft* d, scene_edge* edges) {
    const uint32_t* across = d->mesh.across;
    for (size_t half = 0; half < 3 * d->mesh.count; half++) {
        if (half < across[half]) {
            const size_t place[4] = {half, across[half], half, across[half]};
            uint32_t corner[4];
            for (size_t i = 0; i < 4; i++) { /* where it begins, from either side; then the corner beyond it */
                const size_t own = i < 2 ? place[i] : place[i] / 3 * 3 + (place[i] + 2) % 3;
                corner[i] = first + d->number[d->mesh.corners[own]];
            }
            *edges++ = (scene_edge){{corner[0], corner[1]}, {corner[2], corner[3]}};
        }
    }
}

static taut_status reserve(taut_scene* scene, size_t corners, size_t edges) {
    scene_contact* to = &scene->contact;
    if (to->touching.count + corners > TAUT_MAX_COUNT || to->edges.count + edges > TAUT_MAX_COUNT) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "skin: a scene holds at most %u contact points and edges.",
                         TAUT_MAX_COUNT);
    }
    const taut_status status = taut_buffer_reserve(&scene->allocator, &to->touching, sizeof(scene_touching), corners);
    return status == TAUT_OK ? taut_buffer_reserve(&scene->allocator, &to->edges, sizeof(scene_edge), edges) : status;
}

/* Of a box, a mesh, a cylinder or a cone. */
static taut_status add_faceted(taut_scene* scene, uint32_t collider, const draft* d) {
    scene_contact* to = &scene->contact;
    const size_t edges = 3 * d->mesh.count / 2;
    const taut_status status = reserve(scene, d->count, edges);
    if (status == TAUT_OK) {
        add_corners(scene, collider, d, (scene_touching*)to->touching.data + to->touching.count);
        add_edges((uint32_t)to->touching.count, d, (scene_edge*)to->edges.data + to->edges.count);
        to->touching.count += d->count;
        to->edges.count += edges;
    }
    return status;
}

/* Of a sphere or a capsule, whose `half` is that of its straight part, along z. */
static taut_status add_round(taut_scene* scene, uint32_t collider, double radius, double half) {
    const double nowhere[3] = {0, 0, 0};
    scene_contact* to = &scene->contact;
    const uint32_t first = (uint32_t)to->touching.count, corners = half > 0 ? 2 : 1;
    const taut_status status = reserve(scene, corners, corners - 1);
    for (uint32_t i = 0; status == TAUT_OK && i < corners; i++) {
        scene_touching* corner = (scene_touching*)to->touching.data + to->touching.count++;
        *corner = corner_at(scene, collider, (const double[]){0, 0, i == 0 ? -half : half}, nowhere);
        corner->radius = radius;
    }
    if (status == TAUT_OK && corners == 2) {
        scene_edge* edge = (scene_edge*)to->edges.data + to->edges.count++;
        *edge = (scene_edge){{first, first + 1}, {TAUT_NO_POINT, TAUT_NO_POINT}};
    }
    return status;
}

static taut_status check_skin(const taut_scene* scene, uint32_t collider) {
    if (scene == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "scene must not be NULL.");
    }
    if (collider >= scene->contact.colliders.count) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "skin: collider %u does not exist (%zu colliders).", collider,
                         scene->contact.colliders.count);
    }
    const scene_collider* c = (const scene_collider*)scene->contact.colliders.data + collider;
    if (c->shape == TAUT_SHAPE_PLANE) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "skin: collider %u is a plane, which has neither corners nor edges.",
                         collider);
    }
    if (c->shape == TAUT_SHAPE_MESH && ((const taut_mesh*)scene->contact.meshes.list.data)[c->mesh].half > 0) {
        return taut_fail(TAUT_INVALID_ARGUMENT,
                         "skin: collider %u is a mesh with two sides, which surfaces do not meet; give it a contact "
                         "surface.",
                         collider);
    }
    return c->skin ? taut_fail(TAUT_INVALID_ARGUMENT, "skin: collider %u has one already.", collider) : TAUT_OK;
}

static taut_status add_skin_of_triangles(taut_scene* scene, uint32_t collider, const scene_collider* c) {
    draft d = {0};
    if (c->shape == TAUT_SHAPE_BOX) {
        size_box(c->size, &d);
    } else if (c->shape != TAUT_SHAPE_MESH) {
        size_round(c->shape == TAUT_SHAPE_CONE, c->size[0], c->size[1], &d);
    } else {
        size_mesh(&scene->contact.meshes, c->mesh, &d);
    }
    taut_status status = make_draft(&scene->allocator, c->shape, &d);
    status = status == TAUT_OK ? add_faceted(scene, collider, &d) : status;
    release_draft(&scene->allocator, &d);
    return status;
}

taut_status taut_scene_add_collider_features(taut_scene* scene, uint32_t collider, taut_range* range) {
    taut_status status = check_skin(scene, collider);
    if (status != TAUT_OK) {
        return status;
    }
    const uint32_t first = (uint32_t)scene->contact.touching.count;
    scene_collider* c = (scene_collider*)scene->contact.colliders.data + collider;
    const bool round = c->shape == TAUT_SHAPE_SPHERE || c->shape == TAUT_SHAPE_CAPSULE;
    status = round ? add_round(scene, collider, c->size[0], c->shape == TAUT_SHAPE_CAPSULE ? c->size[1] : 0)
                   : add_skin_of_triangles(scene, collider, c);
    if (status != TAUT_OK) {
        return status;
    }
    c->skin = true;
    scene->contact.surfaces++;
    if (range != NULL) {
        *range = (taut_range){first, (uint32_t)scene->contact.touching.count - first};
    }
    return TAUT_OK;
}
