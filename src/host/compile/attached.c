/* Parts of what is attached to each other that overlap at the start, which do not touch. */
#define TAUT_REAL double
#include "host/compile/attached.h"

#include "base/status.h"
#include "host/compile/pair_list.h"
#include "host/scene/scene_frames.h"
#include "kernels/stages/contact/mesh_distance.h"

#include <math.h>
#include <stdlib.h>

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

uint32_t attached_by(const taut_scene* scene, size_t i) {
    const size_t given = scene->contact.attached.count;
    return i < given ? TAUT_NO_NODE : (uint32_t)(i - given);
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

/* A party, and what it is attached to at a point of its own. */
typedef struct tie {
    uint32_t own, met;
    uint32_t by; /* attached_by */
    uint32_t point;
} tie;

typedef struct tie_list {
    const taut_allocator* allocator;
    taut_buffer ties; /* sorted by these, what users said first */
} tie_list;

/* What is attached: parties with frames of bodies, and parties with parties, either way round. */
typedef struct attached_lists {
    pair_list by_point;
    tie_list bodies, parties;
} attached_lists;

static taut_status add_tie(tie_list* list, tie added) {
    const taut_status status = taut_buffer_reserve(list->allocator, &list->ties, sizeof added, 1);
    if (status == TAUT_OK) {
        ((tie*)list->ties.data)[list->ties.count++] = added;
    }
    return status;
}

static int compare_numbers(uint32_t a, uint32_t b) {
    return (a > b) - (a < b);
}

static int by_ends(const void* left, const void* right) {
    const tie *a = left, *b = right;
    return a->own != b->own   ? compare_numbers(a->own, b->own)
           : a->met != b->met ? compare_numbers(a->met, b->met)
           : a->by != b->by   ? compare_numbers(a->by + 1, b->by + 1)
                              : compare_numbers(a->point, b->point);
}

static void sort_ties(tie_list* list) {
    if (list->ties.count > 0) {
        qsort(list->ties.data, list->ties.count, sizeof(tie), by_ends);
    }
}

/* The first tie of a party, or of one behind it. */
static size_t find_ties(const tie_list* list, uint32_t own) {
    const tie* ties = list->ties.data;
    size_t low = 0, high = list->ties.count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        low = ties[middle].own < own ? middle + 1 : low;
        high = ties[middle].own < own ? high : middle;
    }
    return low;
}

/* Whether tie i is the first of those of its two. */
static bool is_first(const tie* ties, size_t i) {
    return i == 0 || ties[i - 1].own != ties[i].own || ties[i - 1].met != ties[i].met;
}

/* Of the parties on one point, with the body, or the parties, of the other one. */
static taut_status add_attached(const taut_scene* scene, attached_lists* lists, uint32_t by, uint32_t point,
                                uint32_t other) {
    const uint32_t *pairs = lists->by_point.pairs.data, frame = body_of_point(scene, other);
    const size_t count = lists->by_point.pairs.count;
    taut_status status = TAUT_OK;
    for (size_t i = pair_list_find(&lists->by_point, point); i < count && pairs[2 * i] == point; i++) {
        const uint32_t own = party_of(scene, pairs[2 * i + 1]);
        status = status == TAUT_OK && frame != TAUT_NO_FRAME ? add_tie(&lists->bodies, (tie){own, frame, by, point})
                                                             : status;
        for (size_t k = pair_list_find(&lists->by_point, other); k < count && pairs[2 * k] == other; k++) {
            const uint32_t met = party_of(scene, pairs[2 * k + 1]);
            status = status == TAUT_OK && own != met ? add_tie(&lists->parties, (tie){own, met, by, point}) : status;
        }
    }
    return status;
}

static taut_status list_attached(const taut_scene* scene, const taut_allocator* allocator, attached_lists* lists) {
    const size_t pairs = attached_pairs(scene);
    uint32_t ends[2];
    *lists = (attached_lists){{allocator, {0}}, {allocator, {0}}, {allocator, {0}}};
    taut_status status = pairs > 0 ? pair_list_touching(scene, &lists->by_point) : TAUT_OK;
    for (size_t i = 0; status == TAUT_OK && i < pairs; i++) {
        if (attached_pair(scene, i, ends)) {
            status = add_attached(scene, lists, attached_by(scene, i), ends[0], ends[1]);
            status = status == TAUT_OK ? add_attached(scene, lists, attached_by(scene, i), ends[1], ends[0]) : status;
        }
    }
    sort_ties(&lists->bodies);
    sort_ties(&lists->parties);
    return status;
}

static void release_lists(attached_lists* lists) {
    pair_list_release(&lists->by_point);
    taut_buffer_release(lists->bodies.allocator, &lists->bodies.ties);
    taut_buffer_release(lists->parties.allocator, &lists->parties.ties);
}

/* ---- what overlaps ----------------------------------------------------------------------------------------------- */

/* Whether a contact point starts within a collider, or nearer than its radius. */
static bool starts_within(const taut_scene* scene, const scene_touching* t, const scene_collider* c) {
    const double* x = scene->positions.data;
    double arm[3], place[3], turned[4], inverse[4], local[3], normal[3], distance;
    const double* q = (const double*)scene->frames.orientations.data + 4 * (size_t)c->frame;
    quat_rotate(q, c->position, arm);
    vec3_sub(x + 3 * (size_t)t->point, x + 3 * (size_t)c->point, place);
    vec3_axpy(-1, arm, place);
    quat_multiply(q, c->orientation, turned);
    quat_conjugate(turned, inverse);
    quat_rotate(inverse, place, local);
    if (c->shape == TAUT_SHAPE_MESH) {
        const scene_meshes* meshes = &scene->contact.meshes;
        const mesh_triangles triangles =
            mesh_triangles_of(meshes->boxes.data, meshes->corners.data, meshes->normals.data,
                              (const taut_mesh*)meshes->list.data + c->mesh);
        distance = mesh_exact(&triangles, local, normal);
    } else {
        distance = shape_distance((uint32_t)c->shape, c->size, local, normal);
    }
    return distance < t->radius;
}

static bool starts_within_body(const taut_scene* scene, const scene_touching* t, uint32_t frame) {
    const scene_collider* colliders = scene->contact.colliders.data;
    bool within = false;
    for (size_t c = 0; !within && c < scene->contact.colliders.count; c++) {
        within = colliders[c].frame == frame && starts_within(scene, t, &colliders[c]);
    }
    return within;
}

/* The nearest of the ties of these two from `first` on: what is torn off at one end is free there. Those of users stay.
 */
static uint32_t nearest_tie(const taut_scene* scene, const tie_list* list, size_t first, uint32_t point) {
    const double* x = scene->positions.data;
    const tie* ties = list->ties.data;
    double least = INFINITY;
    uint32_t by = TAUT_NO_NODE;
    for (size_t i = first; ties[first].by != TAUT_NO_NODE && i < list->ties.count; i++) {
        double apart[3];
        if (ties[i].own != ties[first].own || ties[i].met != ties[first].met) {
            break;
        }
        vec3_sub(x + 3 * (size_t)ties[i].point, x + 3 * (size_t)point, apart);
        const double way = vec3_dot(apart, apart);
        by = way < least ? ties[i].by : by;
        least = fmin(least, way);
    }
    return by;
}

/* Contact points that do not meet a body, with its frame, while the nearest of their attachments is there. */
static taut_status list_excluded(const taut_scene* scene, const attached_lists* lists, tie_list* out) {
    const scene_touching* touching = scene->contact.touching.data;
    const tie* bodies = lists->bodies.ties.data;
    taut_status status = TAUT_OK;
    for (uint32_t i = 0; i < scene->contact.touching.count && lists->bodies.ties.count > 0; i++) {
        const scene_touching* t = &touching[i];
        const uint32_t party = party_of(scene, i);
        const bool bare = t->frame == TAUT_NO_FRAME && t->point != TAUT_NO_POINT;
        size_t k = bare ? find_ties(&lists->bodies, party) : lists->bodies.ties.count;
        for (; k < lists->bodies.ties.count && bodies[k].own == party; k++) {
            if (status == TAUT_OK && is_first(bodies, k) && starts_within_body(scene, t, bodies[k].met)) {
                const uint32_t by = nearest_tie(scene, &lists->bodies, k, t->point);
                status = add_tie(out, (tie){i, bodies[k].met, by, t->point});
            }
        }
    }
    return status;
}

/* ---- sizes and arrays ------------------------------------------------------------------------------------------- */

static taut_status list_all(const taut_scene* scene, const taut_allocator* allocator, attached_lists* lists,
                            tie_list* excluded) {
    *excluded = (tie_list){allocator, {0}};
    const taut_status status = list_attached(scene, allocator, lists);
    return status == TAUT_OK ? list_excluded(scene, lists, excluded) : status;
}

static void release_all(attached_lists* lists, tie_list* excluded) {
    taut_buffer_release(excluded->allocator, &excluded->ties);
    release_lists(lists);
}

taut_status attached_count(const taut_scene* scene, const taut_allocator* allocator, taut_sizes* s) {
    attached_lists lists;
    tie_list excluded;
    const taut_status status = list_all(scene, allocator, &lists, &excluded);
    s->excluded = (uint32_t)(scene->contact.excluded.count + attached_bodies(scene, NULL));
    s->excluded_points = (uint32_t)excluded.ties.count;
    s->attached_ties = (uint32_t)lists.parties.ties.count;
    for (size_t i = 0; i < lists.parties.ties.count; i++) {
        s->attached_parties += is_first(lists.parties.ties.data, i);
    }
    s->surfaces = scene->contact.surfaces;
    release_all(&lists, &excluded);
    return status;
}

static void fill_excluded_points(const tie_list* excluded, const taut_sizes* s, taut_fields* f) {
    const tie* ties = excluded->ties.data;
    for (uint32_t i = 0; i <= s->touching && s->excluded_points > 0; i++) {
        f->excluded_point_begin[i] = (uint32_t)find_ties(excluded, i);
    }
    for (size_t i = 0; i < s->excluded_points; i++) {
        f->excluded_point_frame[i] = ties[i].met + (uint32_t)s->points;
        f->excluded_point_by[i] = ties[i].by;
    }
}

static void fill_parties(const tie_list* parties, const taut_sizes* s, taut_fields* f) {
    const tie* ties = parties->ties.data;
    const uint32_t owners = s->surfaces + s->touching;
    uint32_t next = 0, owner = 0;
    for (size_t i = 0; i < s->attached_ties; i++) {
        if (is_first(ties, i)) {
            for (; owner <= ties[i].own; owner++) {
                f->attached_begin[owner] = next;
            }
            f->attached_party[next] = ties[i].met;
            f->attached_tie_begin[next++] = (uint32_t)i;
        }
        f->attached_tie[i] = ties[i].by;
    }
    for (; s->attached_parties > 0 && owner <= owners; owner++) {
        f->attached_begin[owner] = next;
    }
    if (s->attached_parties > 0) {
        f->attached_tie_begin[next] = s->attached_ties;
    }
}

taut_status attached_fill(const taut_scene* scene, const taut_allocator* allocator, const taut_sizes* s,
                          taut_fields* f) {
    attached_lists lists;
    tie_list excluded;
    const taut_status status = list_all(scene, allocator, &lists, &excluded);
    if (status == TAUT_OK) {
        fill_excluded_points(&excluded, s, f);
        fill_parties(&lists.parties, s, f);
    }
    release_all(&lists, &excluded);
    return status;
}
