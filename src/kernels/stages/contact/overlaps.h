/* How far things reach into each other now, whatever the step has made of its contacts: they are searched anew, at the
 * places in which everything is. Text for a file that has defined TAUT_REAL as double. */
#ifndef TAUT_CONTACT_OVERLAPS_H
#define TAUT_CONTACT_OVERLAPS_H

#include "kernels/stages/contact/cuts.h"

/* Part of its radius by which a ball may be flat. */
#define BALL_CUT_SLACK 1e-3

/* Of one finder. */
typedef struct finder_overlap {
    double depth[TAUT_DEPTH_COUNT]; /* by taut_depth; m, and parts */
    bool inside;                    /* the centre of a contact point is within a collider */
    uint32_t cuts;                  /* faces that go through a ball */
} finder_overlap;

/* A step in which nothing moves: searches reach as far as things do. */
TAUT_FN taut_factors no_step(void) {
    taut_factors still;
    still.h = still.sight = still.near = 0;
    still.gravity[0] = still.gravity[1] = still.gravity[2] = 0;
    return still;
}

/* Of a leaf of the tree of colliders and faces, as things are now. */
TAUT_FN void box_of_face_now(const taut_fields* f, const taut_sizes* s, size_t item, const taut_factors* step,
                             float box[6]) {
    const taut_factors still = no_step();
    (void)step;
    box_of_face_item(f, s, item, &still, box);
}

TAUT_FN void deepen(finder_overlap* out, taut_depth which, double depth) {
    out->depth[which] = depth > out->depth[which] ? depth : out->depth[which];
}

/* Of a solid collider with others; relative to the least extent of the thinner one. */
TAUT_FN void overlap_of_solid(const taut_fields* f, const taut_sizes* s, size_t finder, finder_overlap* out) {
    const size_t own = finder - first_solid(s);
    const double thickness = shape_thickness(f->collider_shape[own], f->collider_size + 3 * own);
    const taut_factors still = no_step();
    taut_solid_contact contact;
    solid_search search;
    solid_begin(f, s, finder, &still, &search);
    while (next_on_solid(f, s, &search, &still, &contact)) {
        const size_t met = contact.other;
        const double other = shape_thickness(f->collider_shape[met], f->collider_size + 3 * met);
        deepen(out, TAUT_DEPTH_BODIES, -contact.gap);
        const double least = other > 0 && (other < thickness || !(thickness > 0)) ? other : thickness;
        deepen(out, TAUT_DEPTH_BODIES_RELATIVE, least > 0 ? -contact.gap / least : 0);
    }
}

/* Whether a ball or a capsule, whose skin is its middle with its radius, is cut by what is found `gap` away from both
 * surfaces: solid parts meet there. */
TAUT_FN bool ball_is_cut(const taut_fields* f, const taut_sizes* s, size_t point, uint32_t other, double gap) {
    const bool ball = is_skin(f, point) && f->touching_place[point].radius > 0 && other >= s->colliders;
    const uint32_t corner = f->face_corner[4 * (size_t)(ball ? other - s->colliders : 0)];
    return ball && gap < -f->touching_place[corner].radius - BALL_CUT_SLACK * f->touching_place[point].radius;
}

/* Twice the radius of a contact point, or that of what it meets where that is smaller and not 0: a ball that is pressed
 * into a sheet can take up no more than the sheet has. */
TAUT_FN double thinner_of(double radius, double other) {
    return 2 * (other > 0 && (other < radius || radius <= 0) ? other : radius);
}

/* Of a contact point with colliders and surfaces; relative to the thickness of the thinner one. What is no deeper than
 * `near` lies on a collider: contacts leave it there. */
TAUT_FN void overlap_of_point(const taut_fields* f, const taut_sizes* s, size_t point, double near,
                              finder_overlap* out) {
    const taut_factors still = no_step();
    const double radius = f->touching_place[point].radius;
    contact_search search = search_begin(f, s, point, &still);
    contact_found found;
    uint32_t other;
    while ((other = next_contact(f, s, &search, &still, &found)) != TAUT_NO_NODE) {
        const bool collider = other < s->colliders;
        const double far = collider ? 0 : f->touching_place[f->face_corner[4 * (size_t)(other - s->colliders)]].radius;
        const double thickness = thinner_of(radius, far);
        deepen(out, TAUT_DEPTH_POINTS, -found.gap);
        deepen(out, TAUT_DEPTH_POINTS_RELATIVE, thickness > 0 ? -found.gap / thickness : 0);
        out->cuts += ball_is_cut(f, s, point, other, found.gap);
        out->inside = out->inside || (collider && found.gap < -(radius > near ? radius : near));
    }
}

/* Of a contact point or a solid collider; edges meet where their ends do not, and are counted as cuts. */
TAUT_FN finder_overlap overlap_of(const taut_fields* f, const taut_sizes* s, size_t finder, double near) {
    finder_overlap out = {{0, 0, 0, 0}, false, 0};
    if (finder >= first_solid(s)) {
        overlap_of_solid(f, s, finder, &out);
    } else if (finder < s->touching) {
        overlap_of_point(f, s, finder, near, &out);
    }
    return out;
}

#endif
