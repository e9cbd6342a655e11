/* Skins of colliders: which way is out at their corners, and which of their corners and edges can come through a
 * surface at all: what stands out less than the surface is thick, between two places where that rests, does not. */
#define TAUT_REAL double
#include "host/compile/skins.h"

#include "kernels/formulas/rotation_math.h"
#include "kernels/stages/contact/stands_out.h"

#include <math.h>
#include <string.h>

/* ---- corners ---------------------------------------------------------------------------------------------------- */

static void fill_corners(const taut_scene* scene, const taut_sizes* s, taut_fields* f) {
    const scene_touching* corners = scene->contact.touching.data;
    uint32_t skins = 0;
    for (uint32_t i = 0; i < s->touching; i++) {
        f->touching_skin[i] = TAUT_NO_NODE;
        if (corners[i].skin_of != TAUT_NO_COLLIDER) {
            memcpy(f->skin_normal + 3 * (size_t)skins, corners[i].outwards, sizeof corners[i].outwards);
            f->skin_collider[skins] = corners[i].skin_of;
            f->skin_corner[skins] = i;
            if (s->deforming > 0) {
                f->skin_half[skins] = corners[i].half == TAUT_NO_POINT ? TAUT_NO_NODE : corners[i].half;
            }
            f->touching_skin[i] = skins++;
        }
    }
}

/* ---- what stands out -------------------------------------------------------------------------------------------- */

static bool is_surface(const scene_touching* corner) {
    return corner->skin_of == TAUT_NO_COLLIDER;
}

void skins_measure(const taut_scene* scene, taut_sizes* s) {
    const scene_touching* corners = scene->contact.touching.data;
    const scene_edge* edges = scene->contact.edges.data;
    const double* x = scene->positions.data;
    s->surface_length = 0;
    s->surface_radius = INFINITY;
    for (size_t e = 0; e < scene->contact.edges.count; e++) {
        const scene_touching *a = &corners[edges[e].corner[0]], *b = &corners[edges[e].corner[1]];
        double side[3];
        if (is_surface(a)) {
            vec3_sub(x + 3 * (size_t)b->point, x + 3 * (size_t)a->point, side);
            s->surface_length = fmax(s->surface_length, sqrt(vec3_dot(side, side)));
            s->surface_radius = fmin(s->surface_radius, a->radius);
        }
    }
}

static skin_bend bend_at_start(const taut_fields* f, const uint32_t* edge) {
    const double* x = f->corner_start;
    return skin_bend_of(x + 3 * (size_t)edge[0], x + 3 * (size_t)edge[1], x + 3 * (size_t)edge[2],
                        x + 3 * (size_t)edge[3]);
}

/* Of meshes that deform, each substep tells anew. */
static void find_inactive(const taut_scene* scene, const taut_sizes* s, skin_tip* tips, taut_fields* f) {
    const scene_touching* corners = scene->contact.touching.data;
    for (size_t e = 0; e < s->edges; e++) {
        const uint32_t* edge = f->edge_corner + 4 * e;
        if (f->touching_skin[edge[0]] == TAUT_NO_NODE) {
            continue;
        }
        if (edge[2] == TAUT_NO_NODE) {
            f->edge_inactive[e] = !ball_stands_out(corners[edge[0]].radius, s);
            continue;
        }
        const skin_bend b = bend_at_start(f, edge);
        const bool out = edge_stands_out(&b, s);
        f->edge_inactive[e] = !out;
        for (int i = 0; i < 2; i++) {
            add_to_skin_tip(&b, out, corners[edge[i]].outwards, &tips[f->touching_skin[edge[i]]]);
        }
    }
    for (uint32_t i = 0; i < s->skins; i++) {
        const scene_touching* corner = &corners[f->skin_corner[i]];
        f->skin_inactive[i] = !corner_stands_out(&tips[i], corner->radius, s);
    }
}

/* ---- what skins meet for others ---------------------------------------------------------------------------------- */

/* Places of one body nearer than this part of how far they are from its centre are one. */
#define ONE_PLACE 1e-9

/* Whether a corner of a skin is in the place of a contact point of its body that meets others as it does. */
static bool covers(const scene_touching* corner, const scene_touching* t) {
    double apart[3];
    vec3_sub(corner->offset, t->offset, apart);
    return t->radius == corner->radius && t->material == corner->material && t->group == corner->group &&
           t->mask == corner->mask && vec3_dot(apart, apart) <= ONE_PLACE * ONE_PLACE * vec3_dot(t->offset, t->offset);
}

static bool is_of_body(const scene_touching* t) {
    return t->frame != TAUT_NO_FRAME && t->surface == TAUT_NO_SURFACE;
}

/* `begin`: of each frame into `points`, the contact points of bodies; one more than there are frames. */
static void find_covered(const taut_scene* scene, const taut_sizes* s, uint32_t* begin, uint32_t* points,
                         taut_fields* f) {
    const scene_touching* touching = scene->contact.touching.data;
    memset(begin, 0, (s->frames + 1) * sizeof *begin);
    for (size_t i = 0; i < s->touching; i++) {
        begin[is_of_body(&touching[i]) ? touching[i].frame : s->frames]++;
    }
    for (size_t n = 1; n < s->frames; n++) {
        begin[n] += begin[n - 1];
    }
    begin[s->frames] = s->frames > 0 ? begin[s->frames - 1] : 0;
    for (uint32_t i = s->touching; i-- > 0;) { /* from behind, so that begins end where they belong */
        if (is_of_body(&touching[i])) {
            points[--begin[touching[i].frame]] = i;
        }
    }
    for (uint32_t n = 0; n < s->skins; n++) {
        const scene_touching* corner = &touching[f->skin_corner[n]];
        const bool meets = corner->frame != TAUT_NO_FRAME && f->skin_inactive[n] == 0;
        const uint32_t first = meets ? begin[corner->frame] : 0, end = meets ? begin[corner->frame + 1] : 0;
        for (uint32_t i = first; i < end; i++) {
            f->touching_class[points[i]].flags |= covers(corner, &touching[points[i]]) ? TAUT_TOUCHING_COVERED : 0;
        }
    }
}

static taut_status fill_covered(const taut_scene* scene, const taut_allocator* allocator, const taut_sizes* s,
                                taut_fields* f) {
    const size_t count = (size_t)s->frames + 1 + s->touching;
    uint32_t* begin = taut_allocate(allocator, count * sizeof *begin);
    if (begin == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    find_covered(scene, s, begin, begin + s->frames + 1, f);
    taut_release(allocator, begin, count * sizeof *begin);
    return TAUT_OK;
}

taut_status skins_fill(const taut_scene* scene, const taut_allocator* allocator, const taut_sizes* s, taut_fields* f) {
    fill_corners(scene, s, f);
    if (s->skins == 0) {
        return TAUT_OK;
    }
    skin_tip* tips = taut_allocate(allocator, s->skins * sizeof *tips);
    if (tips == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    find_inactive(scene, s, tips, f);
    taut_release(allocator, tips, s->skins * sizeof *tips);
    return fill_covered(scene, allocator, s, f);
}
