/* Contact surfaces: their corners, which are contact points, faces and edges, and what lies beside what. */
#include "base/status.h"
#include "host/scene/defaults.h"
#include "host/scene/scene_frames.h"
#include "kernels/stages/contact/surface_flags.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a surface is made of, while it is made. */
typedef struct draft {
    const taut_allocator* allocator;
    uint32_t *points, count;  /* sorted */
    struct scene_side* sides; /* of triangles, then segments; sorted by the edge */
    size_t side_count;
    size_t sizes[2]; /* bytes of both */
} draft;

/* An edge of a face. */
typedef struct scene_side {
    uint32_t low, high; /* corners */
    uint32_t face, number;
    uint32_t across; /* the face's other corner, or TAUT_NO_POINT */
} scene_side;

/* ---- checks ----------------------------------------------------------------------------------------------------- */

static taut_status check_elements(const taut_scene* scene, const char* what, const uint32_t* elements, size_t count,
                                  size_t width) {
    if ((elements == NULL) != (count == 0) || count > TAUT_MAX_COUNT / 4) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "contact surface: %zu %ss are given at %s.", count, what,
                         elements == NULL ? "NULL" : "an address");
    }
    for (size_t i = 0; i < count; i++) {
        const uint32_t* at = elements + width * i;
        for (size_t j = 0; j < width; j++) {
            if (at[j] >= scene->particle_count) {
                return taut_fail(TAUT_INVALID_ARGUMENT, "contact surface: %s[%zu] has particle %u; there are %u.", what,
                                 i, at[j], scene->particle_count);
            }
            if (at[j] == at[(j + 1) % width]) {
                return taut_fail(TAUT_INVALID_ARGUMENT, "contact surface: %s[%zu] has particle %u twice.", what, i,
                                 at[j]);
            }
        }
    }
    return TAUT_OK;
}

static taut_status check_surface(const taut_scene* scene, const taut_contact_surface_def* def) {
    taut_status status =
        scene_check_def(scene, def, def != NULL ? def->cookie : 0, TAUT_DEFINITION_CONTACT_SURFACE, "contact surface");
    if (status != TAUT_OK) {
        return status;
    }
    if (def->triangle_count + def->segment_count == 0) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "contact surface: it has neither triangles nor segments.");
    }
    if (!(def->radius > 0 && def->radius <= TAUT_MAX_LENGTH)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "contact surface: radius is %g m; it must lie in (0, %g].", def->radius,
                         TAUT_MAX_LENGTH);
    }
    status = scene_check_material(scene, "contact surface", def->material);
    if (status == TAUT_OK) {
        status = check_elements(scene, "triangle", def->triangles, def->triangle_count, 3);
    }
    return status == TAUT_OK ? check_elements(scene, "segment", def->segments, def->segment_count, 2) : status;
}

/* ---- corners ---------------------------------------------------------------------------------------------------- */

static int compare_numbers(const void* a, const void* b) {
    const uint32_t x = *(const uint32_t*)a, y = *(const uint32_t*)b;
    return (x > y) - (x < y);
}

static void sort_points(const taut_contact_surface_def* def, draft* d) {
    const size_t all = 3 * def->triangle_count + 2 * def->segment_count;
    for (size_t i = 0; i < all; i++) {
        const size_t rest = i - (i < 3 * def->triangle_count ? 0 : 3 * def->triangle_count);
        d->points[i] = i < 3 * def->triangle_count ? def->triangles[rest] : def->segments[rest];
    }
    qsort(d->points, all, sizeof *d->points, compare_numbers);
    for (size_t i = 0; i < all; i++) {
        if (d->count == 0 || d->points[i] != d->points[d->count - 1]) {
            d->points[d->count++] = d->points[i];
        }
    }
}

static uint32_t corner_of(const draft* d, uint32_t point) {
    return (uint32_t)((const uint32_t*)bsearch(&point, d->points, d->count, sizeof point, compare_numbers) - d->points);
}

static void add_corners(taut_scene* scene, const taut_contact_surface_def* def, const draft* d) {
    scene_touching* corners = (scene_touching*)scene->contact.touching.data + scene->contact.touching.count;
    for (uint32_t i = 0; i < d->count; i++) {
        corners[i] = (scene_touching){.point = d->points[i],
                                      .frame = TAUT_NO_FRAME,
                                      .radius = def->radius,
                                      .material = def->material,
                                      .group = def->group,
                                      .mask = def->mask,
                                      .surface = scene->contact.surfaces,
                                      .self = def->self,
                                      .sheet = !def->solids,
                                      .skin_of = TAUT_NO_COLLIDER,
                                      .half = TAUT_NO_POINT};
    }
}

/* ---- sides ------------------------------------------------------------------------------------------------------ */

/* By edge; triangles before segments, which come later in the list. */
static int compare_sides(const void* a, const void* b) {
    const scene_side *x = a, *y = b;
    const uint32_t left[4] = {x->low, x->high, x->face, x->number}, right[4] = {y->low, y->high, y->face, y->number};
    for (int i = 0; i < 4; i++) {
        if (left[i] != right[i]) {
            return left[i] < right[i] ? -1 : 1;
        }
    }
    return 0;
}

static scene_side side_of(uint32_t a, uint32_t b, size_t face, uint32_t number, uint32_t across) {
    return (scene_side){a < b ? a : b, a < b ? b : a, (uint32_t)face, number, across};
}

static void sort_sides(const taut_contact_surface_def* def, draft* d) {
    for (size_t t = 0; t < def->triangle_count; t++) {
        uint32_t corner[3];
        for (int i = 0; i < 3; i++) {
            corner[i] = corner_of(d, def->triangles[3 * t + (size_t)i]);
        }
        for (uint32_t i = 0; i < 3; i++) {
            d->sides[d->side_count++] = side_of(corner[i], corner[(i + 1) % 3], t, i, corner[(i + 2) % 3]);
        }
    }
    for (size_t i = 0; i < def->segment_count; i++) {
        d->sides[d->side_count++] = side_of(corner_of(d, def->segments[2 * i]), corner_of(d, def->segments[2 * i + 1]),
                                            def->triangle_count + i, 0, TAUT_NO_POINT);
    }
    qsort(d->sides, d->side_count, sizeof *d->sides, compare_sides);
}

static bool same_edge(const scene_side* a, const scene_side* b) {
    return a->low == b->low && a->high == b->high;
}

/* ---- faces and edges -------------------------------------------------------------------------------------------- */

/* All triangles, then segments that are no edge of one. */
static void add_faces(const taut_contact_surface_def* def, const draft* d, uint32_t first, scene_face* faces,
                      uint32_t* count) {
    for (size_t t = 0; t < def->triangle_count; t++) {
        scene_face* face = &faces[(*count)++];
        *face = (scene_face){.across = {TAUT_NO_POINT, TAUT_NO_POINT, TAUT_NO_POINT}};
        for (size_t i = 0; i < 3; i++) {
            face->corner[i] = first + corner_of(d, def->triangles[3 * t + i]);
        }
    }
    for (size_t i = 0; i < d->side_count; i++) {
        const bool other = i == 0 || !same_edge(&d->sides[i], &d->sides[i - 1]);
        if (other && d->sides[i].across == TAUT_NO_POINT) {
            const uint32_t low = first + d->sides[i].low, high = first + d->sides[i].high;
            faces[(*count)++] = (scene_face){.corner = {low, high, high},
                                             .across = {TAUT_NO_POINT, TAUT_NO_POINT, TAUT_NO_POINT},
                                             .owns = TAUT_FACE_SEGMENT | TAUT_FACE_EDGE};
        }
    }
}

/* Whether a triangle goes along an edge from its lower corner to its higher one. */
static bool goes_along(const scene_side* side, uint32_t first, const scene_face* faces) {
    return faces[side->face].corner[side->number] == first + side->low;
}

/* An edge, and what its triangles know of each other; one that goes along it comes first. */
static size_t add_edge(const draft* d, size_t begin, uint32_t first, scene_face* faces, scene_edge* edge) {
    size_t end = begin;
    uint32_t count = 0;
    *edge = (scene_edge){{first + d->sides[begin].low, first + d->sides[begin].high}, {TAUT_NO_POINT, TAUT_NO_POINT}};
    for (; end < d->side_count && same_edge(&d->sides[begin], &d->sides[end]); end++) {
        if (d->sides[end].across != TAUT_NO_POINT && count < 2) {
            edge->across[count++] = first + d->sides[end].across;
        }
    }
    if (count == 2 && !goes_along(&d->sides[begin], first, faces) && goes_along(&d->sides[begin + 1], first, faces)) {
        const uint32_t swapped = edge->across[0];
        edge->across[0] = edge->across[1];
        edge->across[1] = swapped;
    }
    for (size_t i = begin; i < end && d->sides[i].across != TAUT_NO_POINT; i++) {
        scene_face* face = &faces[d->sides[i].face];
        const uint32_t own = first + d->sides[i].across, number = d->sides[i].number;
        face->across[number] = edge->across[0] != own ? edge->across[0] : edge->across[1];
        face->owns |= i == begin ? TAUT_FACE_EDGE << number : 0;
    }
    return end;
}

static void add_topology(taut_scene* scene, const taut_contact_surface_def* def, const draft* d, uint8_t* owned) {
    const uint32_t first = (uint32_t)scene->contact.touching.count;
    scene_face* faces = (scene_face*)scene->contact.faces.data + scene->contact.faces.count;
    scene_edge* edges = (scene_edge*)scene->contact.edges.data + scene->contact.edges.count;
    uint32_t count = 0;
    add_faces(def, d, first, faces, &count);
    for (size_t i = 0; i < d->side_count; scene->contact.edges.count++, edges++) {
        i = add_edge(d, i, first, faces, edges);
    }
    for (uint32_t t = 0; t < count; t++) {
        for (int i = 0; i < ((faces[t].owns & TAUT_FACE_SEGMENT) != 0 ? 2 : 3); i++) {
            const uint32_t corner = faces[t].corner[i] - first;
            faces[t].owns |= owned[corner] ? 0 : TAUT_FACE_CORNER << i;
            owned[corner] = 1;
        }
    }
    scene->contact.faces.count += count;
}

/* ---- the call --------------------------------------------------------------------------------------------------- */

static taut_status reserve(taut_scene* scene, const taut_contact_surface_def* def, const draft* d) {
    scene_contact* c = &scene->contact;
    if (c->touching.count + d->count > TAUT_MAX_COUNT || c->edges.count + d->side_count > TAUT_MAX_COUNT) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "contact surface: a scene holds at most %u contact points and edges.",
                         TAUT_MAX_COUNT);
    }
    taut_status status = taut_buffer_reserve(&scene->allocator, &c->touching, sizeof(scene_touching), d->count);
    if (status == TAUT_OK) {
        status = taut_buffer_reserve(&scene->allocator, &c->faces, sizeof(scene_face),
                                     def->triangle_count + def->segment_count);
    }
    return status == TAUT_OK ? taut_buffer_reserve(&scene->allocator, &c->edges, sizeof(scene_edge), d->side_count)
                             : status;
}

static taut_status allocate_draft(const taut_contact_surface_def* def, draft* d) {
    const size_t sides = 3 * def->triangle_count + def->segment_count;
    d->sizes[0] = (sides + def->segment_count) * sizeof *d->points;
    d->sizes[1] = sides * sizeof *d->sides;
    d->points = taut_allocate(d->allocator, d->sizes[0]);
    d->sides = d->points != NULL ? taut_allocate(d->allocator, d->sizes[1]) : NULL;
    return d->sides != NULL ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

static taut_status add_surface(taut_scene* scene, const taut_contact_surface_def* def, draft* d, taut_range* range) {
    sort_points(def, d);
    sort_sides(def, d);
    taut_status status = reserve(scene, def, d);
    uint8_t* owned = status == TAUT_OK ? taut_allocate(d->allocator, d->count) : NULL;
    if (owned == NULL) {
        return status == TAUT_OK ? TAUT_OUT_OF_MEMORY : status;
    }
    const taut_range made = {(uint32_t)scene->contact.touching.count, d->count};
    add_topology(scene, def, d, owned);
    add_corners(scene, def, d);
    scene->contact.touching.count += d->count;
    scene->contact.surfaces++;
    taut_release(d->allocator, owned, d->count);
    if (range != NULL) {
        *range = made;
    }
    return TAUT_OK;
}

taut_status taut_scene_add_contact_surface(taut_scene* scene, const taut_contact_surface_def* def, taut_range* range) {
    SCENE_WHOLE_DEFINITION(taut_contact_surface_def, TAUT_DEFINITION_CONTACT_SURFACE);
    taut_status status = check_surface(scene, def);
    if (status != TAUT_OK) {
        return status;
    }
    draft d = {.allocator = &scene->allocator};
    status = allocate_draft(def, &d);
    if (status == TAUT_OK) {
        status = add_surface(scene, def, &d, range);
    }
    taut_release(&scene->allocator, d.sides, d.sizes[1]);
    taut_release(&scene->allocator, d.points, d.sizes[0]);
    return status;
}
