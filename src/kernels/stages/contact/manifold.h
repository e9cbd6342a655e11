/* Where two convex shapes touch: places of the patch that the side of one, seen along the normal, has in common with
 * the side of the other.
 *
 * One shape's face across the normal is the reference; the side of the other one is clipped to what lies above it, and
 * each place left is a contact with its own height above the face. Where no face lies across the normal, edges cross
 * in one place, or lie along each other and have both ends of what is common. Text for a file that has defined
 * TAUT_REAL as double. */
#ifndef TAUT_CONTACT_MANIFOLD_H
#define TAUT_CONTACT_MANIFOLD_H

#include "kernels/stages/contact/gjk.h"

/* Contacts of a pair of convex shapes, and of any pair (collide_facets.h). */
#define MANIFOLD_MOST 12
#define MANIFOLD_ROOM 24

/* Of the size of a pair: places that differ by no more are as deep as each other. */
#define MANIFOLD_LEVEL 0.02

typedef struct manifold_point {
    double x[3]; /* half way between both surfaces, from the pair's origin, m */
    double gap;  /* m */
    uint32_t feature;
    double normal[3]; /* from B to A: that of the manifold, or of a corner */
    double curve;     /* m/s: contact_curve */
} manifold_point;

typedef struct contact_manifold {
    double normal[3];        /* from B to A */
    uint32_t count, corners; /* from which on places are further corners (add_corners) */
    manifold_point point[MANIFOLD_ROOM];
} contact_manifold;

/* A face is taken for the reference if its normal is that of the pair up to an angle with this cosine, and the gap
 * along it is less by no more than this part of the smaller shape's size: so what rests keeps its contacts. */
#define MANIFOLD_FLAT  0.99
#define MANIFOLD_SLACK 2e-4

/* A side is clipped so far beside an edge of a face, in parts of what is smaller across the edge; twice as far where it
 * was not in the last step. Edges of equal boxes on each other lie along each other, and a turn of 10^-9 makes them
 * cross somewhere. What is clipped at the edge itself has places there that come and go and wander, each as stiff as a
 * corner: stacks rocked. So places come only where a side has moved. */
#define MANIFOLD_BESIDE 5e-4
/* In the place of the edges that cut: all do, at themselves. What is no box has edges that do not lie along each other
 * for long: the stones of an arch slide. */
#define MANIFOLD_AT_EDGES 0xffffffffu

/* ---- clipping ---------------------------------------------------------------------------------------------------- */

#define CLIPPED_CORNERS (2 * CONVEX_SIDE_CORNERS)
/* Features of corners that a plane cut are so many for each plane, after those of the side. */
#define CLIPPED_CUT 64u

typedef struct clipped_corner {
    double x[3];
    uint32_t feature; /* corner of the side that is clipped, or where a plane cut it, on either of both sides */
} clipped_corner;

typedef struct clipped_side {
    uint32_t count;
    clipped_corner corner[CLIPPED_CORNERS];
} clipped_side;

/* Keeps what has n.x <= offset. `cut` numbers the plane. */
TAUT_FN void clip_plane(const clipped_side* from, const double n[3], double offset, uint32_t cut, clipped_side* to) {
    const bool closed = from->count > 2;
    to->count = 0;
    for (uint32_t i = 0; i < from->count; i++) {
        const clipped_corner* a = &from->corner[i];
        const clipped_corner* b = &from->corner[i + 1 < from->count ? i + 1 : 0];
        const double above = vec3_dot(n, a->x) - offset, next = vec3_dot(n, b->x) - offset;
        if (above <= 0 && to->count < CLIPPED_CORNERS) {
            to->corner[to->count++] = *a;
        }
        const bool edge = closed || i + 1 < from->count;
        if (edge && (above <= 0) != (next <= 0) && above != next && to->count < CLIPPED_CORNERS) {
            clipped_corner* cross = &to->corner[to->count++];
            const double part = above / (above - next);
            for (int k = 0; k < 3; k++) {
                cross->x[k] = a->x[k] + part * (b->x[k] - a->x[k]);
            }
            cross->feature = CLIPPED_CUT * (1 + cut) + (above <= 0);
        }
    }
}

/* How far a side reaches along n, of any length. */
TAUT_FN double extent_along(const convex_side* side, const double n[3]) {
    double least = INFINITY, most = -INFINITY;
    for (uint32_t i = 0; i < side->count; i++) {
        const double along = vec3_dot(n, side->x[i]);
        least = fmin(least, along);
        most = fmax(most, along);
    }
    return most - least;
}

/* How far beside edge i of a face a side is clipped. */
TAUT_FN double clipped_beside(const convex_side* face, const convex_side* other, const double outwards[3], uint32_t i,
                              uint32_t cuts) {
    if (cuts == MANIFOLD_AT_EDGES) {
        return 0;
    }
    const double across = fmin(extent_along(face, outwards), extent_along(other, outwards));
    return ((cuts >> i & 1u) != 0 ? 1 : 2) * MANIFOLD_BESIDE * across;
}

/* Clips a side to what lies above a face. `cuts`: bit i, whether edge i of the face did so in the last step. The result
 * is in one of both; which one is returned. */
TAUT_FN const clipped_side* clip_to_face(const convex_side* face, const convex_side* other, uint32_t cuts,
                                         clipped_side both[2]) {
    int now = 0;
    both[0].count = other->count;
    for (uint32_t i = 0; i < other->count; i++) {
        for (int k = 0; k < 3; k++) {
            both[0].corner[i].x[k] = other->x[i][k];
        }
        both[0].corner[i].feature = i;
    }
    for (uint32_t i = 0; i < face->count && both[now].count > 0; i++) {
        double along[3], outwards[3];
        vec3_sub(face->x[i + 1 < face->count ? i + 1 : 0], face->x[i], along);
        vec3_cross(along, face->normal, outwards);
        const double beside = clipped_beside(face, other, outwards, i, cuts);
        clip_plane(&both[now], outwards, vec3_dot(outwards, face->x[i]) + beside, i, &both[1 - now]);
        now = 1 - now;
    }
    return &both[now];
}

/* ---- choosing ---------------------------------------------------------------------------------------------------- */

/* In the corner of a feature: two edges. */
#define MANIFOLD_EDGES 0x40000u

/* The number of a feature of a pair: of the sides, and of the place in them. */
TAUT_FN uint32_t feature_of(uint32_t reference, uint32_t face, uint32_t side, uint32_t corner) {
    return (reference << 31) | ((face & 63u) << 25) | ((side & 63u) << 19) | (corner & 0x7ffffu);
}

/* Which edge of a face cut a place with this feature, as a bit; 0: none. */
TAUT_FN uint32_t cut_of(uint32_t feature) {
    const uint32_t cut = (feature & 0x7ffffu) / CLIPPED_CUT;
    return cut > 0 && cut <= CONVEX_SIDE_CORNERS ? 1u << (cut - 1) : 0;
}

/* The place that is farthest in a direction of the plane across the normal. */
TAUT_FN uint32_t farthest_point(const manifold_point* all, uint32_t count, const double d[3]) {
    uint32_t best = 0;
    for (uint32_t i = 1; i < count; i++) {
        best = vec3_dot(all[i].x, d) > vec3_dot(all[best].x, d) ? i : best;
    }
    return best;
}

/* Places with the least gaps first. */
TAUT_FN void sort_places(manifold_point* all, uint32_t count) {
    for (uint32_t i = 1; i < count; i++) {
        const manifold_point point = all[i];
        uint32_t to = i;
        for (; to > 0 && all[to - 1].gap > point.gap; to--) {
            all[to] = all[to - 1];
        }
        all[to] = point;
    }
}

TAUT_FN void keep_places(const manifold_point* all, uint32_t count, contact_manifold* m) {
    for (uint32_t i = 0; i < count; i++) {
        m->point[m->count++] = all[i];
    }
}

/* Of at most 64 places those that are farthest out in so many directions all around m->normal. */
TAUT_FN void keep_farthest(const manifold_point* all, uint32_t count, uint32_t directions, contact_manifold* m) {
    uint64_t kept = 0;
    double tangent[3], second[3], d[3];
    epa_square(m->normal, tangent);
    vec3_cross(m->normal, tangent, second);
    for (uint32_t turn = 0; count > 0 && turn < directions; turn++) {
        const double angle = 6.283185307179586 * turn / directions;
        for (int a = 0; a < 3; a++) {
            d[a] = cos(angle) * tangent[a] + sin(angle) * second[a];
        }
        kept |= (uint64_t)1 << farthest_point(all, count, d);
    }
    for (uint32_t i = 0; i < count; i++) {
        if ((kept >> i & 1u) != 0) {
            m->point[m->count++] = all[i];
        }
    }
}

/* Of more places than a pair keeps the deepest ones, or, where more are as deep as the deepest one but for `level`,
 * that and those farthest out all around. */
TAUT_FN void choose_points(manifold_point* all, uint32_t count, double level, contact_manifold* m) {
    uint32_t deep = 1;
    m->count = 0;
    if (count <= MANIFOLD_MOST) {
        keep_places(all, count, m);
        return;
    }
    sort_places(all, count);
    while (deep < count && all[deep].gap <= all[0].gap + level) {
        deep++;
    }
    keep_places(all, deep > MANIFOLD_MOST ? 1 : MANIFOLD_MOST, m);
    if (deep > MANIFOLD_MOST) {
        keep_farthest(all + 1, deep - 1, MANIFOLD_MOST - 1, m);
    }
}

/* ---- patches ----------------------------------------------------------------------------------------------------- */

/* Of the side of one shape above a face of the other. `first`: the face is A's; `cuts`: of the last step. */
TAUT_FN void patch_on_face(const convex_side* face, const convex_side* other, bool first, double radius,
                           double other_radius, uint32_t cuts, double level, double most, contact_manifold* m) {
    clipped_side both[2];
    manifold_point all[CLIPPED_CORNERS];
    uint32_t count = 0;
    const clipped_side* clipped = clip_to_face(face, other, cuts, both);
    for (int a = 0; a < 3; a++) {
        m->normal[a] = first ? -face->normal[a] : face->normal[a];
    }
    for (uint32_t i = 0; i < clipped->count; i++) {
        const clipped_corner* corner = &clipped->corner[i];
        double above[3];
        vec3_sub(corner->x, face->x[0], above);
        const double height = vec3_dot(above, face->normal), gap = height - radius - other_radius;
        if (gap <= most) {
            manifold_point* p = &all[count++];
            p->gap = gap;
            p->feature = feature_of(first, face->id, other->id, corner->feature);
            for (int a = 0; a < 3; a++) {
                p->x[a] = corner->x[a] - 0.5 * (height - radius + other_radius) * face->normal[a];
            }
        }
    }
    choose_points(all, count, level, m);
}

/* One contact of places p of A and q of B, both of the cores. */
TAUT_FN void add_point(const convex* a, const convex* b, const double p[3], const double q[3], double gap, double most,
                       uint32_t feature, contact_manifold* m) {
    if (gap <= most && m->count < MANIFOLD_MOST) {
        manifold_point* point = &m->point[m->count++];
        point->gap = gap;
        point->feature = feature;
        for (int k = 0; k < 3; k++) {
            point->x[k] = 0.5 * (p[k] + q[k] + (b->radius - a->radius) * m->normal[k]);
        }
    }
}

/* Of segments that lie along each other, from ends of A's on: the part of A's edge that B's is beside. */
TAUT_FN bool common_part(const convex_side* p, const convex_side* q, double part[2], double other[2]) {
    double along[3], u[3], v[3];
    vec3_sub(p->x[1], p->x[0], along);
    const double length2 = vec3_dot(along, along);
    vec3_sub(q->x[0], p->x[0], u);
    vec3_sub(q->x[1], p->x[0], v);
    const double first = vec3_dot(u, along) / length2, second = vec3_dot(v, along) / length2;
    part[0] = fmax(0.0, fmin(first, second));
    part[1] = fmin(1.0, fmax(first, second));
    for (int i = 0; i < 2; i++) {
        other[i] = (part[i] - first) / (second - first);
    }
    return part[1] - part[0] > 1e-3;
}

TAUT_FN void on_segment(const convex_side* s, double part, double x[3]) {
    for (int a = 0; a < 3; a++) {
        x[a] = s->x[0][a] + part * (s->x[1][a] - s->x[0][a]);
    }
}

/* Nearest points of edges or points. */
TAUT_FN void nearest_on_edges(const convex_side* p, const convex_side* q, double x[3], double y[3]) {
    double part[2] = {0, 0}, weight[3], least = INFINITY;
    if (p->count == 2 && q->count == 2 && near_segments(p->x[0], p->x[1], q->x[0], q->x[1], part)) {
        on_segment(p, part[0], x);
        on_segment(q, part[1], y);
        return;
    }
    for (uint32_t i = 0; i < p->count + q->count; i++) { /* ends of one and the other */
        const bool own = i < p->count;
        const convex_side* other = own ? q : p;
        const double* end = own ? p->x[i] : q->x[i - p->count];
        double at[3], apart[3];
        near_on_segment(end, other->x[0], other->x[1], weight);
        on_segment(other, weight[1], at);
        vec3_sub(end, at, apart);
        if (vec3_dot(apart, apart) < least) {
            least = vec3_dot(apart, apart);
            for (int a = 0; a < 3; a++) {
                x[a] = own ? end[a] : at[a];
                y[a] = own ? at[a] : end[a];
            }
        }
    }
}

/* Of edges or points that face each other along m->normal. */
TAUT_FN void patch_of_edges(const convex* a, const convex* b, double most, contact_manifold* m) {
    const double back[3] = {-m->normal[0], -m->normal[1], -m->normal[2]};
    convex_side p, q;
    double u[3], v[3], across[3], part[2], other[2], x[3], y[3], apart[3];
    convex_edge_facing(a, back, &p);
    convex_edge_facing(b, m->normal, &q);
    for (int k = 0; k < 3; k++) { /* a point is an edge without length */
        p.x[1][k] = p.count == 1 ? p.x[0][k] : p.x[1][k];
        q.x[1][k] = q.count == 1 ? q.x[0][k] : q.x[1][k];
    }
    m->count = 0;
    if (p.count == 2 && q.count == 2) {
        vec3_sub(p.x[1], p.x[0], u);
        vec3_sub(q.x[1], q.x[0], v);
        vec3_cross(u, v, across);
        const double sine2 = vec3_dot(across, across) / (vec3_dot(u, u) * vec3_dot(v, v));
        if (sine2 < CONVEX_ACROSS * CONVEX_ACROSS && common_part(&p, &q, part, other)) {
            for (int i = 0; i < 2; i++) {
                on_segment(&p, part[i], x);
                on_segment(&q, other[i], y);
                vec3_sub(x, y, apart);
                add_point(a, b, x, y, vec3_dot(apart, m->normal) - a->radius - b->radius, most,
                          feature_of(0, p.id, q.id, MANIFOLD_EDGES + 1 + (uint32_t)i), m);
            }
            return;
        }
    }
    const double gap = convex_gap(a, b, m->normal), shift = gap + a->radius + b->radius;
    for (int i = 0; i < 2; i++) { /* so that they touch: what is nearest across the normal counts */
        vec3_axpy(shift, m->normal, q.x[i]);
    }
    nearest_on_edges(&p, &q, x, y);
    vec3_axpy(-shift, m->normal, y);
    add_point(a, b, x, y, gap, most, feature_of(0, p.id, q.id, MANIFOLD_EDGES), m);
}

/* The deepest place, where clipping has lost it: faces that are round are clipped as polygons. It is where the shape
 * that is not the reference is farthest; `first`: that is B. */
TAUT_FN void add_deepest(const convex* a, const convex* b, bool first, double gap, double most, contact_manifold* m) {
    const double slack = 1e-3 * fmin(a->reach, b->reach);
    const double back[3] = {-m->normal[0], -m->normal[1], -m->normal[2]};
    double least = INFINITY, p[3], q[3];
    for (uint32_t i = 0; i < m->count; i++) {
        least = fmin(least, m->point[i].gap);
    }
    if (gap < least - slack && gap <= most) {
        m->count -= m->count == MANIFOLD_MOST;
        convex_farthest(first ? b : a, first ? m->normal : back, p);
        for (int k = 0; k < 3; k++) {
            q[k] = p[k] + (first ? 1 : -1) * (gap + a->radius + b->radius) * m->normal[k];
        }
        add_point(a, b, first ? q : p, first ? p : q, gap, most, feature_of(0, 63, 63, 0), m);
    }
}

/* How well a side of a shape, whose normal times `sign` goes from B to A, stands for the face across the normal: the
 * cosine between both, or -1 where it does not. */
TAUT_FN double face_fits(const convex* a, const convex* b, const convex_side* side, double sign, double gap,
                         const double normal[3]) {
    const double along[3] = {sign * side->normal[0], sign * side->normal[1], sign * side->normal[2]};
    const double cosine = vec3_dot(along, normal);
    const bool flat = side->count > 2 && cosine > MANIFOLD_FLAT;
    return flat && convex_gap(a, b, along) >= gap - MANIFOLD_SLACK * fmin(a->reach, b->reach) ? cosine : -1;
}

/* Contacts of two convex shapes along a normal, those with gaps up to `most`. */
TAUT_FN void manifold_along(const convex* a, const convex* b, uint32_t cuts, double most, contact_manifold* m) {
    const double back[3] = {-m->normal[0], -m->normal[1], -m->normal[2]};
    const double gap = convex_gap(a, b, m->normal), level = MANIFOLD_LEVEL * fmin(a->reach, b->reach);
    convex_side p, q;
    convex_side_facing(a, back, &p);
    convex_side_facing(b, m->normal, &q);
    const double on_a = face_fits(a, b, &p, -1, gap, m->normal), on_b = face_fits(a, b, &q, 1, gap, m->normal);
    m->count = 0;
    if (on_a > 0 && on_a > on_b - 1e-6) {
        patch_on_face(&p, &q, true, a->radius, b->radius, cuts, level, most, m);
    } else if (on_b > 0) {
        patch_on_face(&q, &p, false, b->radius, a->radius, cuts, level, most, m);
    } else {
        patch_of_edges(a, b, most, m);
    }
    add_deepest(a, b, on_a > 0 && on_a > on_b - 1e-6, convex_gap(a, b, m->normal), most, m);
}

/* Contacts of any two convex shapes. `cuts`: edges of a face that cut the other side in the last step. */
TAUT_FN void manifold_of(const convex* a, const convex* b, uint32_t cuts, double most, contact_manifold* m) {
    m->count = 0;
    if (convex_direction(a, b, most, m->normal)) {
        manifold_along(a, b, cuts, most, m);
    }
}

#endif
