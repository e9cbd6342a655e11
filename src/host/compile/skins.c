/* Skins of colliders: which way is out at their corners, and which of their corners and edges can come through a
 * surface at all: what stands out less than the surface is thick, between two places where that rests, does not. */
#define TAUT_REAL double
#include "host/compile/skins.h"

#include "kernels/formulas/rotation_math.h"

#include <math.h>
#include <string.h>

/* Part of a surface's radius that may stand out of its triangles, which are measured as they start. */
#define MAY_STAND_OUT 0.5

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

/* Longest side and least radius of what is no skin. */
typedef struct surfaces {
    double length, radius;
} surfaces;

static double length_of(const taut_fields* f, const uint32_t* edge) {
    double side[3];
    vec3_sub(f->corner_start + 3 * (size_t)edge[1], f->corner_start + 3 * (size_t)edge[0], side);
    return sqrt(vec3_dot(side, side));
}

static surfaces measure(const taut_sizes* s, const taut_fields* f) {
    surfaces all = {0, INFINITY};
    for (size_t e = 0; e < s->edges; e++) {
        const uint32_t* edge = f->edge_corner + 4 * e;
        if (f->touching_skin[edge[0]] == TAUT_NO_NODE) {
            all.length = fmax(all.length, length_of(f, edge));
            all.radius = fmin(all.radius, f->touching_place[edge[0]].radius);
        }
    }
    return all;
}

static double angle_between(const double a[3], const double b[3]) {
    double across[3];
    vec3_cross(a, b, across);
    return atan2(sqrt(vec3_dot(across, across)), vec3_dot(a, b));
}

/* How far a bend by `angle` stands out of a flat side of this length that lies across its middle: once, or as an arc
 * where the next bends are `apart`, nearer than the side is long. */
static double stands_out(const surfaces* all, double angle, double apart) {
    return angle * all->length / 4 * fmax(1, all->length / (2 * apart));
}

/* An edge, and its triangles. */
typedef struct bend {
    double length, normal[2][3]; /* outwards, twice the areas */
    double angle;                /* 0 where it is hollow */
} bend;

static bend bend_of(const taut_fields* f, const uint32_t* edge) {
    const double* a = f->corner_start + 3 * (size_t)edge[0];
    bend out = {.length = length_of(f, edge)};
    double along[3], to[3];
    vec3_sub(f->corner_start + 3 * (size_t)edge[1], a, along);
    for (int i = 0; i < 2; i++) {
        vec3_sub(f->corner_start + 3 * (size_t)edge[2 + i], a, to);
        vec3_cross(i == 0 ? along : to, i == 0 ? to : along, out.normal[i]);
    }
    out.angle = vec3_dot(out.normal[0], to) < 0 ? angle_between(out.normal[0], out.normal[1]) : 0;
    return out;
}

static bool edge_stands_out(const bend* b, const surfaces* all) {
    const double twice[2] = {sqrt(vec3_dot(b->normal[0], b->normal[0])), sqrt(vec3_dot(b->normal[1], b->normal[1]))};
    const double height = fmin(twice[0], twice[1]) / b->length;
    return stands_out(all, b->angle, height) > MAY_STAND_OUT * all->radius;
}

/* A ball, or a capsule, comes through a triangle whose corners lie on it by what the middle of the triangle is nearer;
 * the middle is at most L / sqrt(3) from a corner. */
static bool ball_stands_out(double radius, const surfaces* all) {
    const double half2 = all->length * all->length / 3;
    return !(half2 < radius * radius) || radius - sqrt(radius * radius - half2) > MAY_STAND_OUT * all->radius;
}

/* Of a corner: whether an edge of it stands out, or bends outwards; the steepest of its triangles; its shortest edge.
 */
typedef struct tip {
    bool out, bends;
    double steepest, shortest;
} tip;

static void add_to_tip(const bend* b, bool out, const double outwards[3], tip* t) {
    t->out = t->out || out;
    t->bends = t->bends || b->angle > 0;
    t->shortest = t->shortest > 0 ? fmin(t->shortest, b->length) : b->length;
    for (int i = 0; i < 2; i++) {
        t->steepest = fmax(t->steepest, angle_between(b->normal[i], outwards));
    }
}

static bool corner_stands_out(const tip* t, double radius, const surfaces* all) {
    if (radius > 0) {
        return ball_stands_out(radius, all);
    }
    return t->out || (t->bends && stands_out(all, 2 * t->steepest, t->shortest) > MAY_STAND_OUT * all->radius);
}

static void find_inactive(const taut_scene* scene, const taut_sizes* s, tip* tips, taut_fields* f) {
    const scene_touching* corners = scene->contact.touching.data;
    const surfaces all = measure(s, f);
    for (size_t e = 0; e < s->edges; e++) {
        const uint32_t* edge = f->edge_corner + 4 * e;
        if (f->touching_skin[edge[0]] == TAUT_NO_NODE) {
            continue;
        }
        if (edge[2] == TAUT_NO_NODE) {
            f->edge_inactive[e] = !ball_stands_out(corners[edge[0]].radius, &all);
            continue;
        }
        const bend b = bend_of(f, edge);
        const bool out = edge_stands_out(&b, &all);
        f->edge_inactive[e] = !out && corners[edge[0]].half == TAUT_NO_POINT; /* a mesh that deforms may bend there */
        for (int i = 0; i < 2; i++) {
            add_to_tip(&b, out, corners[edge[i]].outwards, &tips[f->touching_skin[edge[i]]]);
        }
    }
    for (uint32_t i = 0; i < s->skins; i++) {
        const scene_touching* corner = &corners[f->skin_corner[i]];
        f->skin_inactive[i] = corner->half == TAUT_NO_POINT && !corner_stands_out(&tips[i], corner->radius, &all);
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
    tip* tips = taut_allocate(allocator, s->skins * sizeof *tips);
    if (tips == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    find_inactive(scene, s, tips, f);
    taut_release(allocator, tips, s->skins * sizeof *tips);
    return fill_covered(scene, allocator, s, f);
}
