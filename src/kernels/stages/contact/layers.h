/* Parts of one surface that are nearer to each other than its thickness when the world is created. Two kinds of pairs
 * are so. Those that lie beside each other in the surface, as neighbours in a fine mesh do, never are contacts. Those
 * that lie over each other are layers, as linings, hems and doubled panels are: they keep no more than the distance of
 * the layers at the start. Text for a file that has defined TAUT_REAL as double. */
#ifndef TAUT_CONTACT_LAYERS_H
#define TAUT_CONTACT_LAYERS_H

#include "kernels/stages/contact/collide_pair.h"
#include "kernels/stages/contact/continuous.h"
#include "kernels/stages/contact/one_surface.h"
#include "kernels/stages/contact/surface_flags.h"

/* What joined parts lie over each other by: cosine of the angle of their distance with the normals of both. */
#define TAUT_LAYERS_OVER 0.5
/* In parts of the thickness: layers that start no farther apart than the first have no side, until they are that far
 * apart; then they keep the second. Layers whose planes are one keep that, too. */
#define TAUT_LAYERS_SIDELESS TAUT_LEFT_OF_THICKNESS
#define TAUT_LAYERS_KEEP     0.1
/* What is nearer than this has no direction. */
#define TAUT_LAYERS_ONE_PLACE 1e-6

/* How a pair has started. */
typedef enum taut_start {
    TAUT_STARTS_APART,   /* farther apart than its thickness, or as parts of surfaces that are none of each other's */
    TAUT_STARTS_BESIDE,  /* within one surface */
    TAUT_STARTS_LAYERED, /* over each other */
    TAUT_STARTS_SIDELESS /* likewise, but in one place */
} taut_start;

/* Normal of a triangle, of length 1; 0 of one without area. */
TAUT_FN void normal_at_start(const taut_fields* f, uint32_t a, uint32_t b, uint32_t c, double normal[3]) {
    const double* x = f->corner_start;
    double ab[3], ac[3];
    vec3_sub(x + 3 * (size_t)b, x + 3 * (size_t)a, ab);
    vec3_sub(x + 3 * (size_t)c, x + 3 * (size_t)a, ac);
    vec3_cross(ab, ac, normal);
    const double length = sqrt(vec3_dot(normal, normal));
    for (int i = 0; i < 3; i++) {
        normal[i] = length * length > TAUT_PARALLEL * vec3_dot(ab, ab) * vec3_dot(ac, ac) ? normal[i] / length : 0;
    }
}

/* The distance of a point and a face, or of two edges, at the start, and the difference of their closest points. */
TAUT_FN double distance_at_start(const taut_fields* f, const uint32_t* a, int na, const uint32_t* b, double d[3]) {
    moving_pair pair;
    double weight[4];
    pair.own = na;
    pair.segment = na == 1 && (b[3] & TAUT_FACE_SEGMENT) != 0;
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 3; k++) {
            pair.from[i][k] = f->corner_start[3 * (size_t)(i < na ? a[i] : b[i - na]) + (size_t)k];
            pair.way[i][k] = 0;
        }
    }
    return pair_at(&pair, 0, weight, d);
}

/* Normals of the triangles of a pair at the start: of the face, or of those beside both edges. */
TAUT_FN int normals_at_start(const taut_fields* f, const uint32_t* a, int na, const uint32_t* b, double normal[4][3]) {
    int count = 0;
    if (na == 1 && (b[3] & TAUT_FACE_SEGMENT) == 0) {
        normal_at_start(f, b[0], b[1], b[2], normal[count++]);
    }
    for (int i = 0; na == 2 && i < 4; i++) {
        const uint32_t *edge = i < 2 ? a : b, beside = edge[2 + i % 2];
        if (beside != TAUT_NO_NODE) {
            normal_at_start(f, edge[0], edge[1], beside, normal[count++]);
        }
    }
    return count;
}

/* Whether an edge goes from one corner to the other. */
TAUT_FN bool is_beside(const taut_fields* f, size_t a, size_t b) {
    bool found = false;
    for (uint32_t i = f->ring_begin[a]; i < f->ring_begin[a + 1] && !found; i++) {
        found = f->ring[i] == b;
    }
    return found;
}

/* Whether edges join one of some corners to one of others. */
TAUT_FN bool rings_meet(const taut_fields* f, const uint32_t* a, int na, const uint32_t* b, int nb) {
    bool meet = false;
    for (int i = 0; i < na * nb && !meet; i++) {
        meet = is_beside(f, a[i / nb], b[i % nb]);
    }
    return meet;
}

/* Whether parts that edges join, and that are d apart at the start, lie over each other. */
TAUT_FN bool lie_over(const taut_fields* f, const uint32_t* a, int na, const uint32_t* b, const double d[3],
                      double thickness) {
    double normal[4][3];
    const double distance = sqrt(vec3_dot(d, d));
    int count = normals_at_start(f, a, na, b, normal);
    if (distance <= TAUT_LAYERS_ONE_PLACE * thickness) {
        return count > 0 && !rings_meet(f, a, na, b, 4 - na);
    }
    bool over = count > 0;
    for (int i = 0; i < count; i++) {
        over = over && fabs(vec3_dot(normal[i], d)) >= TAUT_LAYERS_OVER * distance;
    }
    if (over && na == 1) {
        const double* out = f->corner_out + 3 * (size_t)a[0];
        const double off = fabs(vec3_dot(out, d)), length = sqrt(vec3_dot(out, out));
        over = off > 0 && off >= TAUT_LAYERS_OVER * length * distance;
    }
    return over;
}

/* How far d goes across a direction; 0 where that is none. */
TAUT_FN double length_across(const double along[3], const double d[3]) {
    double across[3];
    const double length = sqrt(vec3_dot(along, along));
    vec3_cross(along, d, across);
    return length > 0 ? sqrt(vec3_dot(across, across)) / length : 0;
}

/* How far the layers of such a pair are apart at the start: along their normals, and across what has none. */
TAUT_FN double layers_apart(const taut_fields* f, const uint32_t* a, int na, const uint32_t* b, const double d[3]) {
    double normal[4][3], along[3], other[3], most = 0;
    const int count = normals_at_start(f, a, na, b, normal);
    for (int i = 0; i < count; i++) {
        most = fmax(most, fabs(vec3_dot(normal[i], d)));
    }
    if (count > 0) {
        return most;
    }
    const double* x = f->corner_start;
    vec3_sub(x + 3 * (size_t)b[1], x + 3 * (size_t)b[0], along);
    const double off = length_across(along, d);
    if (na == 1) {
        return off;
    }
    vec3_sub(x + 3 * (size_t)a[1], x + 3 * (size_t)a[0], other);
    return fmax(off, length_across(other, d));
}

/* In thicknesses: how far apart along a rope parts of it are at least where it turns back and they touch. */
#define TAUT_TURNS_BACK 1.5707963267948966
/* Pieces of a rope that are looked along. */
#define TAUT_TURN_PIECES 64

/* Whether corner b is near a along a rope, as it started, with no piece between them that is longer than `longest`.
 * Where there is a knot on the way it is `knotted`. */
TAUT_FN bool is_near_along(const taut_fields* f, uint32_t a, uint32_t b, double thickness, double longest,
                           bool knotted) {
    for (uint32_t i = f->ring_begin[a]; i < f->ring_begin[a + 1]; i++) {
        uint32_t before = a, at = f->ring[i];
        double way = 0;
        for (int piece = 0; piece < TAUT_TURN_PIECES; piece++) {
            double along[3];
            vec3_sub(f->corner_start + 3 * (size_t)at, f->corner_start + 3 * (size_t)before, along);
            const double length = sqrt(vec3_dot(along, along));
            const uint32_t first = f->ring_begin[at], ends = f->ring_begin[at + 1] - first;
            way += length;
            if (length > longest || way > TAUT_TURNS_BACK * thickness) {
                break;
            }
            if (at == b || (knotted && ends > 2)) {
                return true;
            }
            if (ends != 2) {
                break; /* an end, or a knot */
            }
            const uint32_t next = f->ring[first] == before ? f->ring[first + 1] : f->ring[first];
            before = at;
            at = next;
        }
    }
    return false;
}

/* Of two segments, or a corner and a segment, of one surface: whether they are so from one of their corners on. */
TAUT_FN bool lie_in_rope(const taut_fields* f, const uint32_t* a, int na, const uint32_t* b, double thickness) {
    bool near = false;
    for (int i = 0; i < 2 * na && !near; i++) {
        near = is_near_along(f, a[i / 2], b[i % 2], thickness, INFINITY, true);
    }
    return near;
}

/* Whether parts of one connected surface lie side by side in it. */
TAUT_FN bool lie_beside(const taut_fields* f, const uint32_t* a, int na, const uint32_t* b, const double d[3],
                        double thickness) {
    const bool segment = na == 1 ? (b[3] & TAUT_FACE_SEGMENT) != 0 : a[2] == TAUT_NO_NODE && b[2] == TAUT_NO_NODE;
    return segment ? lie_in_rope(f, a, na, b, thickness) : !lie_over(f, a, na, b, d, thickness);
}

/* How a pair of one surface has started, and what of its thickness it keeps, m. */
TAUT_FN taut_start start_in_surface(const taut_fields* f, const uint32_t* a, int na, const uint32_t* b,
                                    double thickness, double* keeps) {
    double d[3];
    const double distance = distance_at_start(f, a, na, b, d), least = TAUT_LAYERS_KEEP * thickness;
    *keeps = thickness;
    if (distance > thickness) {
        return TAUT_STARTS_APART;
    }
    if (f->corner_part[a[0]] == f->corner_part[b[0]] && lie_beside(f, a, na, b, d, thickness)) {
        return TAUT_STARTS_BESIDE;
    }
    if (distance <= TAUT_LAYERS_SIDELESS * thickness) {
        *keeps = least;
        return TAUT_STARTS_SIDELESS;
    }
    *keeps = fmin(distance, fmax(layers_apart(f, a, na, b, d), least));
    return TAUT_STARTS_LAYERED;
}

/* The sum of what is outwards at corners, at the start. */
TAUT_FN void outwards_at_start(const taut_fields* f, const uint32_t* corner, int count, double out[3]) {
    out[0] = out[1] = out[2] = 0;
    for (int i = 0; i < count; i++) {
        vec3_axpy(1, f->corner_out + 3 * (size_t)corner[i], out);
    }
}

/* Turns `across`, a normal of a face or of two edges, to where the first of a pair lies that has started in one place,
 * as far as that is known: outsides that look away from each other, as those of a bag do, are outside; of layers that
 * look the same way the one that is numbered first lies in front. Whether it is known. */
TAUT_FN bool turn_to_layer(const taut_fields* f, const uint32_t* a, int na, const uint32_t* b, double across[3]) {
    const uint32_t own = f->corner_part[a[0]], other = f->corner_part[b[0]];
    double first[3], second[3], start[3], ab[3], cd[3];
    outwards_at_start(f, a, na, first);
    outwards_at_start(f, b, na == 2 ? 2 : (b[3] & TAUT_FACE_SEGMENT) != 0 ? 2 : 3, second);
    const double* x = f->corner_start;
    vec3_sub(x + 3 * (size_t)(na == 2 ? a[1] : b[1]), x + 3 * (size_t)(na == 2 ? a[0] : b[0]), ab);
    vec3_sub(x + 3 * (size_t)(na == 2 ? b[1] : b[2]), x + 3 * (size_t)b[0], cd);
    vec3_cross(ab, cd, start);
    const double facing = vec3_dot(first, second), along = vec3_dot(start, second);
    const bool behind = facing < 0 || own > other;
    if (facing == 0 || along == 0 || (facing > 0 && own == other)) {
        return false;
    }
    for (int i = 0; i < 3; i++) {
        across[i] *= (along < 0) == behind ? 1 : -1;
    }
    return true;
}

#endif
