#define TAUT_REAL double
#include "host/compile/contacts.h"

#include "base/groups.h"
#include "base/status.h"
#include "host/compile/attached.h"
#include "host/compile/filled.h"
#include "host/compile/joined.h"
#include "host/compile/seams.h"
#include "host/compile/skins.h"
#include "kernels/stages/contact/manifold.h"
#include "kernels/stages/contact/shapes.h"
#include "kernels/stages/contact/tree.h"

#include <math.h>
#include <string.h>

/* Contacts per contact point, and per edge of surfaces, where the user does not say. */
#define CONTACTS_PER_POINT 4
#define CONTACTS_PER_EDGE  1
/* Of a skin few parts stick out. */
#define SKIN_POINTS_PER_CONTACT 8

/* Per solid collider on a body: half of what a box in a pile has. */
#define CONTACTS_PER_SOLID 24

/* Whether a collider has a shape that touches others. */
static bool is_solid(const taut_scene* scene, const scene_collider* c) {
    const taut_mesh* meshes = scene->contact.meshes.list.data;
    return c->solid && (c->shape != TAUT_SHAPE_MESH || meshes[c->mesh].hull != TAUT_NO_HULL);
}

/* Whether it is a mesh of which such shapes meet the parts. A grid of distances stands for its triangles. */
static bool has_facets(const taut_scene* scene, const scene_collider* c) {
    if (!c->solid || c->shape != TAUT_SHAPE_MESH) {
        return false;
    }
    const taut_mesh* mesh = (const taut_mesh*)scene->contact.meshes.list.data + c->mesh;
    return mesh->hull == TAUT_NO_HULL && mesh->vertices == 0 && !(mesh->spacing > 0);
}

/* Whether it has two sides. */
static bool is_sheet(const taut_scene* scene, const scene_collider* c) {
    return c->shape == TAUT_SHAPE_MESH && ((const taut_mesh*)scene->contact.meshes.list.data)[c->mesh].half > 0;
}

/* Colliders that touch each other, and those of them on bodies. */
typedef struct solids {
    size_t all, on_bodies;
} solids;

static solids count_solids(const taut_scene* scene) {
    const scene_collider* colliders = scene->contact.colliders.data;
    solids count = {0, 0};
    for (size_t i = 0; i < scene->contact.colliders.count; i++) {
        const bool solid = is_solid(scene, &colliders[i]) || has_facets(scene, &colliders[i]);
        count.all += solid;
        count.on_bodies += solid && colliders[i].frame != TAUT_NO_FRAME;
    }
    return count;
}

/* Whether any can touch each other. */
static bool solids_meet(solids count) {
    return count.on_bodies > 0 && count.all > 1;
}

bool contacts_possible(const taut_scene* scene) {
    return (scene->contact.touching.count > 0 && scene->contact.colliders.count + scene->contact.faces.count > 0) ||
           solids_meet(count_solids(scene));
}

static bool is_wide(const scene_collider* c) {
    return c->shape == TAUT_SHAPE_PLANE;
}

/* Of 1024 cells a way, 256 span the scene as it starts. */
static double cell_of(const taut_scene* scene) {
    const double* x = scene->positions.data;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, longest = 0;
    const size_t points = scene->contact.touching.count, all = points + scene->contact.colliders.count;
    for (size_t i = 0; i < all; i++) {
        const scene_touching* t = scene->contact.touching.data;
        const scene_collider* c = scene->contact.colliders.data;
        const uint32_t point = i < points ? t[i].point : c[i - points].point;
        const double* own = i < points ? t[i].offset : c[i - points].position;
        const double* place = point != TAUT_NO_POINT ? x + 3 * (size_t)point : own;
        for (size_t a = 0; a < 3 && (i < points || point != TAUT_NO_POINT); a++) {
            low[a] = fmin(low[a], place[a]);
            high[a] = fmax(high[a], place[a]);
            longest = fmax(longest, high[a] - low[a]);
        }
    }
    return longest > 0 ? longest / 256 : 0.01;
}

/* Grids reach as far as any point's centre is while it touches. Places in arrays go to `list` unless that is NULL. */
static taut_status plan_grids(const taut_scene* scene, taut_mesh* list, size_t* values) {
    const scene_meshes* meshes = &scene->contact.meshes;
    const scene_touching* touching = scene->contact.touching.data;
    double reach = 0;
    for (size_t i = 0; i < scene->contact.touching.count; i++) {
        reach = fmax(reach, touching[i].skin_of == TAUT_NO_COLLIDER ? touching[i].radius : 0);
    }
    for (size_t i = 0; i < scene->contact.colliders.count; i++) {
        const scene_collider* c = (const scene_collider*)scene->contact.colliders.data + i;
        reach = fmax(reach, c->solid && c->shape == TAUT_SHAPE_SPHERE ? c->size[0] : 0);
    }
    taut_status status = TAUT_OK;
    *values = 0;
    for (size_t i = 0; status == TAUT_OK && i < meshes->list.count; i++) {
        taut_mesh mesh = ((const taut_mesh*)meshes->list.data)[i];
        status = mesh.spacing > 0 ? mesh_grid_plan(meshes, reach, &mesh) : TAUT_OK;
        mesh.first_value = *values;
        *values += mesh.spacing > 0 ? mesh_grid_values(&mesh) : 0;
        if (list != NULL) {
            list[i] = mesh;
        }
    }
    return status;
}

bool contacts_roll(const taut_scene* scene) {
    const taut_material_def* materials = scene->contact.materials.data;
    const scene_pair* pairs = scene->contact.pairs.data;
    bool any = false;
    for (size_t i = 0; i < scene->contact.materials.count; i++) {
        any = any || materials[i].rolling > 0 || materials[i].spinning > 0;
    }
    for (size_t i = 0; i < scene->contact.pairs.count; i++) {
        any = any || pairs[i].law.rolling > 0 || pairs[i].law.spinning > 0;
    }
    return any && scene->frames.count > 0;
}

static void count_kind(taut_kind k, taut_sizes* s) {
    s->count[k] = s->contact_capacity;
    s->entries[k] = s->contact_capacity * taut_kind_shapes[k].nodes;
}

void contacts_set_room(taut_sizes* s, uint32_t capacity) {
    if (s->touches) {
        s->contact_capacity = capacity;
        count_kind(TAUT_CONTACT, s);
    }
    if (s->touches && s->rolls) {
        count_kind(TAUT_ROLLING, s);
    }
}

/* Of pairs of what can touch; `pairs` of solids have manifolds. A collider that deforms may be met on two sides. */
static double most_contacts(double points, double edges, double colliders, bool deform, double faces, double pairs) {
    return points * ((deform ? 2 : 1) * colliders + faces) + edges * edges / 2 + MANIFOLD_ROOM * pairs;
}

uint32_t contacts_at_most(const taut_sizes* s) {
    const double most =
        most_contacts(s->touching, s->edges, s->colliders, s->deforming > 0, s->faces, (double)s->solids * s->solids);
    return most < TAUT_MAX_COUNT ? (uint32_t)most : TAUT_MAX_COUNT;
}

static uint32_t count_skins(const taut_scene* scene) {
    const scene_touching* touching = scene->contact.touching.data;
    uint32_t count = 0;
    for (size_t i = 0; i < scene->contact.touching.count; i++) {
        count += touching[i].skin_of != TAUT_NO_COLLIDER;
    }
    return count;
}

static double usual_contacts(const taut_scene* scene, double skins) {
    const scene_touching* touching = scene->contact.touching.data;
    const scene_edge* edges = scene->contact.edges.data;
    double usual =
        CONTACTS_PER_POINT * ((double)scene->contact.touching.count - skins) + ceil(skins / SKIN_POINTS_PER_CONTACT);
    for (size_t i = 0; i < scene->contact.edges.count; i++) {
        usual += touching[edges[i].corner[0]].skin_of == TAUT_NO_COLLIDER ? CONTACTS_PER_EDGE : 0;
    }
    return usual;
}

/* Whether a contact point belongs to no surface and no skin. */
static bool is_loose(const scene_touching* t) {
    return t->surface == TAUT_NO_SURFACE && t->skin_of == TAUT_NO_COLLIDER;
}

/* What has a shape, and the trees that queries walk. */
static void count_shapes(const taut_scene* scene, taut_sizes* s) {
    s->touching = (uint32_t)scene->contact.touching.count;
    s->colliders = (uint32_t)scene->contact.colliders.count;
    s->faces = (uint32_t)scene->contact.faces.count;
    s->edges = (uint32_t)scene->contact.edges.count;
    s->shapes = s->touching + s->colliders > 0;
    for (size_t i = 0; i < s->touching; i++) {
        s->bare += is_loose((const scene_touching*)scene->contact.touching.data + i);
    }
    for (size_t i = 0; i < s->colliders; i++) {
        s->wide += is_wide((const scene_collider*)scene->contact.colliders.data + i);
    }
    const uint32_t items = s->colliders + s->faces + s->bare;
    s->face_leaves = s->colliders + s->faces > 0 ? tree_leaves(s->colliders + s->faces) : 0;
    s->edge_leaves = s->edges > 0 ? tree_leaves(s->edges) : 0;
    s->loose_leaves = s->bare > 0 ? tree_leaves(s->bare) : 0;
    s->query_items = !s->shapes ? 0 : items > TAUT_QUERY_ITEMS ? items : TAUT_QUERY_ITEMS;
    s->cell = cell_of(scene);
    s->meshes = (uint32_t)scene->contact.meshes.list.count;
    s->mesh_triangles = scene->contact.meshes.corners.count / 9;
    s->mesh_boxes = scene->contact.meshes.boxes.count / 6;
    s->mesh_vertices = scene->contact.meshes.vertices.count;
    s->deforming = scene->contact.meshes.deforming.count;
    s->hulls = scene->contact.meshes.hulls.count;
    s->hull_corners = scene->contact.meshes.hull_corners.count;
    s->hull_begins = scene->contact.meshes.hull_begins.count;
    s->hull_links = scene->contact.meshes.hull_links.count;
    s->hull_faces = scene->contact.meshes.hull_faces.count;
}

taut_status contacts_count(const taut_scene* scene, const taut_allocator* allocator,
                           const taut_contact_settings* settings, taut_sizes* s) {
    const double points = (double)scene->contact.touching.count, edges = (double)scene->contact.edges.count;
    const double colliders = (double)scene->contact.colliders.count, faces = (double)scene->contact.faces.count;
    const double others = colliders + faces;
    const bool deform = scene->contact.meshes.deforming.count > 0;
    const solids solid = count_solids(scene);
    const double pairs = solids_meet(solid) ? (double)solid.on_bodies * (double)solid.all : 0;
    const double most = most_contacts(points, edges, colliders, deform, faces, pairs);
    const uint32_t skins = count_skins(scene);
    const double usual = fmin(usual_contacts(scene, skins) + CONTACTS_PER_SOLID * (double)solid.on_bodies, most);
    const double wanted = settings->capacity > 0 ? fmin(settings->capacity, most) : usual;
    if (wanted > TAUT_MAX_COUNT || points + edges + others > TAUT_MAX_COUNT) {
        return taut_fail(TAUT_INVALID_ARGUMENT,
                         "world: %g contacts of %g contact points and edges with %g colliders and faces; of none there "
                         "can be more than %u.",
                         wanted, points + edges, others, TAUT_MAX_COUNT);
    }
    count_shapes(scene, s);
    if (!contacts_possible(scene)) {
        return plan_grids(scene, NULL, &s->mesh_values);
    }
    s->touches = s->bounded = true;
    s->events = settings->events;
    s->skins = skins;
    s->solids = pairs > 0 ? s->colliders : 0;
    skins_measure(scene, s);
    s->materials = (uint32_t)scene->contact.materials.count + 1;
    s->rolls = contacts_roll(scene);
    contacts_set_room(s, (uint32_t)wanted);
    joined_count(scene, s);
    taut_status status = attached_count(scene, allocator, s);
    status = status == TAUT_OK ? seams_count(scene, allocator, s) : status;
    return status == TAUT_OK ? plan_grids(scene, NULL, &s->mesh_values) : status;
}

/* Number of a frame among the nodes. */
static uint32_t frame_node(const taut_sizes* s, uint32_t frame) {
    return frame == TAUT_NO_FRAME ? TAUT_NO_NODE : (uint32_t)s->points + frame;
}

static void fill_materials(const taut_scene* scene, const taut_sizes* s, taut_fields* f) {
    for (uint32_t a = 0; a < s->materials; a++) {
        for (uint32_t b = 0; b < s->materials; b++) {
            const taut_material_def law = scene_material_between(scene, a, b);
            double* to = f->material_law + TAUT_CONTACT_LAW * (size_t)(a * s->materials + b);
            to[TAUT_PAIR_FRICTION] = law.friction;
            to[TAUT_PAIR_STATIC] = scene_static_friction(&law);
            to[TAUT_PAIR_RESTITUTION] = law.restitution;
            to[TAUT_PAIR_COMPLIANCE] = law.compliance;
            to[TAUT_PAIR_DAMPING] = law.damping;
            to[TAUT_PAIR_RECOVERY] = law.recovery;
            to[TAUT_PAIR_ROLLING] = law.rolling;
            to[TAUT_PAIR_SPINNING] = law.spinning;
        }
    }
}

/* Farthest from the origin of a mesh's axes. */
static double mesh_reach(const scene_meshes* meshes, uint32_t number) {
    const taut_mesh* mesh = (const taut_mesh*)meshes->list.data + number;
    const double* corners = (const double*)meshes->corners.data + 9 * mesh->first_triangle;
    double reach = 0;
    for (size_t i = 0; i < 3 * (size_t)mesh->triangles; i++) {
        const double* x = corners + 3 * i;
        reach = fmax(reach, sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]));
    }
    return reach + mesh->half;
}

/* How far n.x goes over `count` points. */
static double width_along(const double n[3], const double* points, size_t count) {
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        const double at = vec3_dot(n, points + 3 * i);
        least = fmin(least, at);
        most = fmax(most, at);
    }
    return most - least;
}

/* Dot products that the thickness of a hull may take; one that has more is looked at across some of its faces. */
static const double most_widths = 1e6;

/* The least extent along the axes of a mesh and, of a hull, across its faces. */
static double mesh_thickness(const scene_meshes* meshes, uint32_t number) {
    const taut_mesh* mesh = (const taut_mesh*)meshes->list.data + number;
    const double* corners = (const double*)meshes->corners.data + 9 * mesh->first_triangle;
    double least = INFINITY;
    for (int a = 0; a < 3; a++) {
        const double n[3] = {a == 0, a == 1, a == 2};
        least = fmin(least, width_along(n, corners, 3 * (size_t)mesh->triangles));
    }
    if (mesh->hull == TAUT_NO_HULL) {
        return least;
    }
    const taut_hull* hull = (const taut_hull*)meshes->hulls.data + mesh->hull;
    const taut_hull_face* faces = (const taut_hull_face*)meshes->hull_faces.data + hull->first_face;
    const double* tips = (const double*)meshes->hull_corners.data + 3 * hull->first_corner;
    const uint32_t stride = 1 + (uint32_t)((double)hull->faces * hull->corners / most_widths);
    for (uint32_t i = 0; i < hull->faces; i += stride) {
        least = fmin(least, width_along(faces[i].normal, tips, hull->corners));
    }
    return least;
}

static taut_status fill_meshes(const taut_scene* scene, const taut_sizes* s, taut_fields* f) {
    const scene_meshes* meshes = &scene->contact.meshes;
    size_t values;
    const taut_status status = plan_grids(scene, f->mesh, &values);
    taut_buffer_copy(f->mesh_corner, &meshes->corners);
    taut_buffer_copy(f->mesh_normal, &meshes->normals);
    taut_buffer_copy(f->mesh_salient, &meshes->salient);
    taut_buffer_copy(f->mesh_box, &meshes->boxes);
    if (s->watches && s->deforming > 0) { /* leaves without a triangle stay empty */
        taut_buffer_copy(f->mesh_swept, &meshes->boxes);
    }
    taut_buffer_copy(f->mesh_vertex, &meshes->vertices);
    taut_buffer_copy(f->deforming, &meshes->deforming);
    taut_buffer_copy(f->hull, &meshes->hulls);
    taut_buffer_copy(f->hull_corner, &meshes->hull_corners);
    taut_buffer_copy(f->hull_begin, &meshes->hull_begins);
    taut_buffer_copy(f->hull_link, &meshes->hull_links);
    taut_buffer_copy(f->hull_face, &meshes->hull_faces);
    for (size_t i = 0; status == TAUT_OK && i < s->meshes; i++) {
        if (f->mesh[i].spacing > 0) {
            mesh_grid_fill(meshes, &f->mesh[i], f->mesh_value + f->mesh[i].first_value);
        }
    }
    return status;
}

static void fill_class(uint32_t material, uint32_t group, uint32_t mask, taut_contact_class* to) {
    to->material = material;
    to->group = group;
    to->mask = mask;
}

/* Whether a contact point and a collider are the same ball: it would meet others of its kind twice. */
static bool is_ball(const scene_touching* t, const scene_collider* c) {
    bool centred = true;
    for (int a = 0; a < 3; a++) {
        centred = centred && t->offset[a] == 0 && c->position[a] == 0;
    }
    return centred && t->frame != TAUT_NO_FRAME && t->frame == c->frame && c->shape == TAUT_SHAPE_SPHERE &&
           c->size[0] == t->radius && c->material == t->material && c->group == t->group && c->mask == t->mask;
}

/* Places of one body nearer than this part of how far they are from its centre are one. */
#define ONE_PLACE 1e-9

/* Whether a place is on a hull, or in it. */
static bool hull_holds(const scene_meshes* meshes, uint32_t number, const double x[3]) {
    const taut_hull* hull = (const taut_hull*)meshes->hulls.data + number;
    const taut_hull_face* face = (const taut_hull_face*)meshes->hull_faces.data + hull->first_face;
    bool in = number != TAUT_NO_HULL;
    for (uint32_t i = 0; in && i < hull->faces; i++) {
        in = vec3_dot(face[i].normal, x) <= face[i].offset + 1e-6 * (fabs(face[i].offset) + sqrt(vec3_dot(x, x)));
    }
    return in;
}

/* A place in the body's axes in those of a collider on it. */
static void in_axes_of(const scene_collider* c, const double place[3], double local[3]) {
    double apart[3], inverse[4];
    vec3_sub(place, c->position, apart);
    quat_conjugate(c->orientation, inverse);
    quat_rotate(inverse, apart, local);
}

/* Whether a ball at a place in the body's axes is within a collider, up to rounding. */
static bool is_ball_within(const scene_meshes* meshes, const scene_collider* c, const double place[3], double radius) {
    const bool is_mesh = c->shape == TAUT_SHAPE_MESH;
    double local[3];
    in_axes_of(c, place, local);
    if (is_mesh && ((const taut_mesh*)meshes->list.data)[c->mesh].half > 0) { /* it has no inside */
        return false;
    }
    return distance_in_axes(meshes, c, local) + radius <=
           1e-6 * (radius + sqrt(vec3_dot(local, local) + vec3_dot(c->size, c->size)));
}

/* Whether a collider has a corner, an end of its round core, or a place of its rim in the place of a contact point, in
 * the body's axes. */
static bool has_place(const scene_meshes* meshes, const scene_collider* c, const double place[3], double radius) {
    double local[3], off[3];
    in_axes_of(c, place, local);
    for (int a = 0; a < 3; a++) {
        const double core = c->shape == TAUT_SHAPE_BOX                 ? c->size[a]
                            : c->shape == TAUT_SHAPE_CAPSULE && a == 2 ? c->size[1]
                                                                       : 0;
        off[a] = fabs(local[a]) - core;
    }
    const bool round = c->shape == TAUT_SHAPE_SPHERE || c->shape == TAUT_SHAPE_CAPSULE;
    const double size = vec3_dot(place, place) + vec3_dot(c->size, c->size);
    if (c->shape == TAUT_SHAPE_MESH) {
        return radius == 0 && hull_holds(meshes, ((const taut_mesh*)meshes->list.data)[c->mesh].hull, local);
    }
    if (c->shape == TAUT_SHAPE_CYLINDER || c->shape == TAUT_SHAPE_CONE) {
        double normal[3];
        return radius == 0 && shape_distance(c->shape, c->size, local, normal) <= 1e-6 * sqrt(size);
    }
    return (round || c->shape == TAUT_SHAPE_BOX) && radius == (round ? c->size[0] : 0) &&
           vec3_dot(off, off) <= ONE_PLACE * ONE_PLACE * size;
}

/* Contact points that a collider of their body stands for: `of_frame` has the first collider of each frame, and `next`
 * the one after it. */
static void find_places(const taut_scene* scene, const taut_sizes* s, const uint32_t* of_frame, const uint32_t* next,
                        taut_fields* f) {
    const scene_collider* colliders = scene->contact.colliders.data;
    const scene_touching* touching = scene->contact.touching.data;
    for (size_t i = 0; i < s->touching; i++) {
        const scene_touching* t = &touching[i];
        const bool bare = t->frame != TAUT_NO_FRAME && t->surface == TAUT_NO_SURFACE;
        for (uint32_t c = bare ? of_frame[t->frame] : 0; c > 0; c = next[c - 1]) {
            const scene_collider* own = &colliders[c - 1];
            const bool same = own->material == t->material && own->group == t->group && own->mask == t->mask;
            const bool solid = (f->collider_class[c - 1].flags & TAUT_COLLIDER_SOLID) != 0;
            const scene_meshes* meshes = &scene->contact.meshes;
            uint32_t* flags = &f->touching_class[i].flags;
            *flags |= solid && same && has_place(meshes, own, t->offset, t->radius) ? TAUT_COLLIDER_SOLID : 0u;
            *flags |= is_ball_within(meshes, own, t->offset, t->radius) ? TAUT_TOUCHING_WITHIN : 0u;
        }
    }
}

/* Kinds of colliders, and contact points of bodies that these stand for. */
static taut_status fill_solids(const taut_scene* scene, const taut_allocator* allocator, const taut_sizes* s,
                               taut_fields* f) {
    const scene_collider* colliders = scene->contact.colliders.data;
    if (s->colliders == 0) {
        return TAUT_OK;
    }
    const size_t count = (size_t)s->frames + s->colliders;
    uint32_t *of_frame = taut_allocate(allocator, count * sizeof *of_frame), *next = of_frame + s->frames;
    if (of_frame == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    for (uint32_t i = s->colliders; i-- > 0;) {
        const bool solid = s->solids > 0 && is_solid(scene, &colliders[i]);
        f->collider_class[i].flags |= solid ? (uint32_t)TAUT_COLLIDER_SOLID
                                      : s->solids > 0 && has_facets(scene, &colliders[i])
                                          ? (uint32_t)TAUT_COLLIDER_FACETS
                                          : 0;
        if (colliders[i].frame != TAUT_NO_FRAME) {
            next[i] = of_frame[colliders[i].frame];
            of_frame[colliders[i].frame] = i + 1;
        }
    }
    find_places(scene, s, of_frame, next, f);
    taut_release(allocator, of_frame, count * sizeof *of_frame);
    return TAUT_OK;
}

/* Nodes of bodies that joints hold to something fixed: where contacts find arms, they turn whatever happens. */
static void mark_hung(const taut_sizes* s, taut_fields* f) {
    static const taut_kind joints[] = {TAUT_PRISMATIC, TAUT_ANGULAR};
    for (size_t j = 0; j < sizeof joints / sizeof *joints; j++) {
        const size_t nodes = taut_kind_shapes[joints[j]].nodes;
        for (size_t c = 0; c < s->count[joints[j]]; c++) {
            const uint32_t* node = f->kinds[joints[j]].nodes + nodes * c;
            bool fixed = false;
            for (size_t i = 0; i < nodes; i++) {
                fixed = fixed || f->inverse_mass[node[i]] == 0;
            }
            for (size_t i = 0; fixed && i < nodes; i++) {
                f->hung[node[i]] = f->inverse_mass[node[i]] > 0;
            }
        }
    }
}

/* Bodies have few of either, which stand near each other: `of_frame` is a collider of each frame. */
static taut_status fill_balls(const taut_scene* scene, const taut_allocator* allocator, const taut_sizes* s,
                              taut_fields* f) {
    const scene_collider* colliders = scene->contact.colliders.data;
    uint32_t* of_frame = taut_allocate(allocator, (s->frames + 1) * sizeof *of_frame);
    if (of_frame == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < s->colliders; i++) {
        if (colliders[i].frame != TAUT_NO_FRAME && colliders[i].shape == TAUT_SHAPE_SPHERE) {
            of_frame[colliders[i].frame] = i + 1;
        }
    }
    for (size_t i = 0; i < s->touching; i++) {
        const scene_touching* t = (const scene_touching*)scene->contact.touching.data + i;
        const uint32_t collider = t->frame != TAUT_NO_FRAME ? of_frame[t->frame] : 0;
        if (collider > 0 && is_ball(t, &colliders[collider - 1])) {
            f->touching_class[i].flags |= TAUT_TOUCHING_BALL;
            f->collider_class[collider - 1].flags |= TAUT_TOUCHING_BALL;
        }
    }
    taut_release(allocator, of_frame, (s->frames + 1) * sizeof *of_frame);
    return TAUT_OK;
}

/* Each pair twice, in the list of either body. */
static void list_excluded(const taut_sizes* s, const uint32_t* bodies, taut_fields* f) {
    for (size_t i = 0; i < 2 * (size_t)s->excluded; i++) {
        f->excluded_begin[bodies[i] + 1]++;
    }
    for (size_t i = 0; i < s->frames; i++) {
        f->excluded_begin[i + 1] += f->excluded_begin[i];
    }
    for (size_t i = 2 * (size_t)s->excluded; i-- > 0;) { /* from behind, so that begins end where they belong */
        f->excluded_frame[--f->excluded_begin[bodies[i] + 1]] = bodies[i ^ 1];
    }
    for (size_t i = 0; i < s->frames; i++) {
        f->excluded_begin[i] = f->excluded_begin[i + 1];
    }
    f->excluded_begin[s->frames] = 2 * s->excluded;
}

/* Those that users give, and attached ones. */
static taut_status fill_excluded(const taut_scene* scene, const taut_allocator* allocator, const taut_sizes* s,
                                 taut_fields* f) {
    const size_t given = scene->contact.excluded.count, bytes = 2 * (size_t)s->excluded * sizeof(uint32_t);
    if (s->excluded == 0) {
        return TAUT_OK;
    }
    uint32_t* bodies = taut_allocate(allocator, bytes);
    if (bodies == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    taut_buffer_copy(bodies, &scene->contact.excluded);
    attached_bodies(scene, bodies + 2 * given);
    list_excluded(s, bodies, f);
    taut_release(allocator, bodies, bytes);
    return TAUT_OK;
}

/* Parts of surfaces that edges join, each by its first corner. */
static void fill_parts(const taut_sizes* s, taut_fields* f) {
    const uint32_t corners = s->edges > 0 ? (uint32_t)s->touching : 0;
    for (uint32_t i = 0; i < corners; i++) {
        f->corner_part[i] = i;
    }
    for (size_t e = 0; e < s->edges; e++) {
        group_join(f->corner_part, f->edge_corner[4 * e], f->edge_corner[4 * e + 1]);
    }
    for (uint32_t i = 0; i < corners; i++) {
        f->corner_part[i] = group_root(f->corner_part, i);
    }
}

/* What is outwards at corners of triangles as they start. */
static void fill_outwards(const taut_sizes* s, taut_fields* f) {
    for (size_t t = 0; s->edges > 0 && t < s->faces; t++) {
        const uint32_t* corner = f->face_corner + 4 * t;
        double ab[3], ac[3], normal[3];
        vec3_sub(f->corner_start + 3 * (size_t)corner[1], f->corner_start + 3 * (size_t)corner[0], ab);
        vec3_sub(f->corner_start + 3 * (size_t)corner[2], f->corner_start + 3 * (size_t)corner[0], ac);
        vec3_cross(ab, ac, normal);
        for (int i = 0; i < 3; i++) {
            vec3_axpy(1, normal, f->corner_out + 3 * (size_t)corner[i]);
        }
    }
}

/* Faces and edges of surfaces; the ring of a corner has its neighbours in the order of edges. */
static void fill_surfaces(const taut_scene* scene, const taut_sizes* s, taut_fields* f) {
    const scene_touching* corners = scene->contact.touching.data;
    const scene_face* faces = scene->contact.faces.data;
    const scene_edge* edges = scene->contact.edges.data;
    for (size_t i = 0; i < s->touching; i++) {
        f->touching_surface[i] =
            corners[i].surface != TAUT_NO_SURFACE ? 2 * corners[i].surface + corners[i].self : TAUT_NO_NODE;
    }
    for (size_t t = 0; t < s->faces; t++) {
        memcpy(f->face_corner + 4 * t, faces[t].corner, sizeof faces[t].corner);
        f->face_corner[4 * t + 3] = faces[t].owns;
        memcpy(f->face_across + 3 * t, faces[t].across, sizeof faces[t].across);
    }
    for (size_t e = 0; e < s->edges; e++) {
        memcpy(f->edge_corner + 4 * e, edges[e].corner, sizeof edges[e].corner);
        memcpy(f->edge_corner + 4 * e + 2, edges[e].across, sizeof edges[e].across);
        f->ring_begin[edges[e].corner[0] + 1]++;
        f->ring_begin[edges[e].corner[1] + 1]++;
    }
    for (size_t i = 0; s->edges > 0 && i < s->touching; i++) {
        f->ring_begin[i + 1] += f->ring_begin[i];
        const bool skin = corners[i].skin_of != TAUT_NO_COLLIDER && corners[i].half == TAUT_NO_POINT;
        memcpy(f->corner_start + 3 * i,
               skin ? corners[i].offset : (const double*)scene->positions.data + 3 * (size_t)corners[i].point,
               3 * sizeof(double));
    }
    for (size_t e = s->edges; e-- > 0;) { /* from behind, so that begins end where they belong */
        for (int i = 0; i < 2; i++) {
            f->ring[--f->ring_begin[edges[e].corner[i] + 1]] = edges[e].corner[1 - i];
        }
    }
    for (size_t i = 0; s->edges > 0 && i < s->touching; i++) {
        f->ring_begin[i] = f->ring_begin[i + 1];
    }
    if (s->edges > 0) {
        f->ring_begin[s->touching] = 2 * s->edges;
    }
}

/* What is the same of all contacts, or of their rolling. */
static void fill_places(const taut_sizes* s, taut_kind k, taut_fields* f) {
    for (size_t i = 0; i < s->contact_capacity; i++) {
        f->kinds[k].law[i] = TAUT_LAW_CONTACT;
        f->kinds[k].measure[i] = 1;
        uint32_t rows[TAUT_MAX_ROWS];
        const uint32_t count = taut_list_unknowns(s, k, (uint32_t)i, rows);
        for (uint32_t r = 0; r < count; r++) {
            f->bound[2 * (size_t)rows[r]] = k == TAUT_CONTACT && r == 0 ? 0 : -INFINITY;
            if (s->condensed) {
                f->condensed[rows[r]] = TAUT_CONDENSED;
            }
        }
    }
}

void contacts_fill_places(const taut_sizes* s, taut_fields* f) {
    if (s->touches) {
        fill_places(s, TAUT_CONTACT, f);
    }
    if (s->touches && s->rolls) {
        fill_places(s, TAUT_ROLLING, f);
    }
}

taut_status contacts_fill(const taut_scene* scene, const taut_allocator* allocator, const taut_sizes* s,
                          taut_fields* f) {
    if (!s->shapes) {
        return TAUT_OK;
    }
    if (s->touches) {
        fill_materials(scene, s, f);
    }
    for (uint32_t i = 0, loose = 0; i < s->touching; i++) {
        if (is_loose((const scene_touching*)scene->contact.touching.data + i)) {
            f->loose_point[loose++] = i;
        }
    }
    for (size_t i = 0; i < s->touching; i++) {
        const scene_touching* t = (const scene_touching*)scene->contact.touching.data + i;
        uint32_t frame = t->frame;
        f->touching_node[i].centre = t->point;
        f->touching_node[i].frame = frame_node(s, frame);
        f->touching_body[i].centre =
            t->frame == TAUT_NO_FRAME && t->point != TAUT_NO_POINT ? mapped_body(scene, t->point, &frame) : t->point;
        f->touching_body[i].frame = frame_node(s, frame);
        memcpy(f->touching_place[i].offset, t->offset, sizeof t->offset);
        f->touching_place[i].radius = t->radius;
        fill_class(t->material, t->group, t->mask, &f->touching_class[i]);
        f->touching_class[i].flags |= t->sheet ? (uint32_t)TAUT_TOUCHING_SHEET : 0;
    }
    for (size_t i = 0, wide = 0; i < s->colliders; i++) {
        const scene_collider* c = (const scene_collider*)scene->contact.colliders.data + i;
        if (is_wide(c)) {
            f->wide_collider[wide++] = (uint32_t)i;
        }
        f->collider_shape[i] = (uint32_t)c->shape;
        f->collider_mesh[i] = c->mesh;
        memcpy(f->collider_size + 3 * i, c->size, sizeof c->size);
        if (c->shape == TAUT_SHAPE_MESH) {
            f->collider_size[3 * i] = mesh_reach(&scene->contact.meshes, c->mesh);
            const bool again = i > 0 && c[-1].shape == TAUT_SHAPE_MESH && c[-1].mesh == c->mesh;
            f->collider_size[3 * i + 1] =
                again ? f->collider_size[3 * i - 2] : mesh_thickness(&scene->contact.meshes, c->mesh);
        }
        f->collider_body[i].centre = c->point == TAUT_NO_POINT ? TAUT_NO_NODE : c->point;
        f->collider_body[i].frame = frame_node(s, c->frame);
        memcpy(f->collider_pose[i].position, c->position, sizeof c->position);
        memcpy(f->collider_pose[i].orientation, c->orientation, sizeof c->orientation);
        fill_class(c->material, c->group, c->mask, &f->collider_class[i]);
        f->collider_class[i].flags |= is_sheet(scene, c) ? (uint32_t)TAUT_COLLIDER_SHEET : 0;
    }
    fill_surfaces(scene, s, f);
    fill_parts(s, f);
    fill_outwards(s, f);
    contacts_fill_places(s, f);
    if (s->touches) {
        joined_fill(scene, s, f);
        mark_hung(s, f);
    }
    taut_status status = fill_excluded(scene, allocator, s, f);
    status = status == TAUT_OK ? attached_fill(scene, allocator, s, f) : status;
    status = status == TAUT_OK ? seams_fill(scene, allocator, s, f) : status;
    status = status == TAUT_OK ? skins_fill(scene, allocator, s, f) : status;
    status = status == TAUT_OK ? filled_fill(scene, allocator, s, f) : status;
    status = status == TAUT_OK ? fill_meshes(scene, s, f) : status;
    status = status == TAUT_OK ? fill_solids(scene, allocator, s, f) : status;
    return status == TAUT_OK ? fill_balls(scene, allocator, s, f) : status;
}
