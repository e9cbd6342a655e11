/* Closest points of a point and a triangle, of a point and a segment, and of two segments. Text for a file that has
 * defined TAUT_REAL as double. */
#ifndef TAUT_CONTACT_NEAR_H
#define TAUT_CONTACT_NEAR_H

#include "base/small_math.h"

#include <stdbool.h>

/* Where on a triangle or segment the closest point lies: EDGE + i between corners i and i + 1, CORNER + i. */
enum { TAUT_NEAR_FACE, TAUT_NEAR_EDGE, TAUT_NEAR_CORNER = 4 };

TAUT_FN int near_corner(int corner, double weight[3]) {
    weight[0] = weight[1] = weight[2] = 0;
    weight[corner] = 1;
    return TAUT_NEAR_CORNER + corner;
}

/* On the edge from corner i, at a part `along` of it. */
TAUT_FN int near_edge(int i, double along, double weight[3]) {
    weight[0] = weight[1] = weight[2] = 0;
    weight[i] = 1 - along;
    weight[(i + 1) % 3] = along;
    return TAUT_NEAR_EDGE + i;
}

TAUT_FN int near_on_segment(const double p[3], const double a[3], const double b[3], double weight[3]) {
    double ab[3], ap[3];
    vec3_sub(b, a, ab);
    vec3_sub(p, a, ap);
    const double along = vec3_dot(ap, ab), length2 = vec3_dot(ab, ab);
    if (!(along > 0)) {
        return near_corner(0, weight);
    }
    return along < length2 ? near_edge(0, along / length2, weight) : near_corner(1, weight);
}

/* Lines as parallel as this, sin^2 of their angle, have no closest points, and triangles as flat no area. */
#define TAUT_PARALLEL 1e-12

/* Of a triangle without area: the closest of its edges. */
TAUT_FN int near_on_edges(const double p[3], const double* const corner[3], double weight[3]) {
    double least = INFINITY;
    int found = near_corner(0, weight);
    for (int i = 0; i < 3; i++) {
        const double *from = corner[i], *to = corner[(i + 1) % 3];
        double on[3], d[3];
        const int feature = near_on_segment(p, from, to, on);
        for (int a = 0; a < 3; a++) {
            d[a] = p[a] - on[0] * from[a] - on[1] * to[a];
        }
        if (vec3_dot(d, d) < least) {
            least = vec3_dot(d, d);
            found = feature == TAUT_NEAR_EDGE ? near_edge(i, on[1], weight)
                                              : near_corner((i + feature - TAUT_NEAR_CORNER) % 3, weight);
        }
    }
    return found;
}

/* Of a triangle with an area, by the regions of corners, edges and the face: Ericson, Real-Time Collision Detection,
 * 5.1.5. */
TAUT_FN int near_by_regions(const double p[3], const double a[3], const double b[3], const double c[3],
                            double weight[3]) {
    double ab[3], ac[3], ap[3], bp[3], cp[3];
    vec3_sub(b, a, ab);
    vec3_sub(c, a, ac);
    vec3_sub(p, a, ap);
    vec3_sub(p, b, bp);
    vec3_sub(p, c, cp);
    const double d1 = vec3_dot(ab, ap), d2 = vec3_dot(ac, ap), d3 = vec3_dot(ab, bp), d4 = vec3_dot(ac, bp);
    const double d5 = vec3_dot(ab, cp), d6 = vec3_dot(ac, cp);
    if (d1 <= 0 && d2 <= 0) {
        return near_corner(0, weight);
    }
    if (d3 >= 0 && d4 <= d3) {
        return near_corner(1, weight);
    }
    const double vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0) {
        return near_edge(0, d1 / (d1 - d3), weight);
    }
    if (d6 >= 0 && d5 <= d6) {
        return near_corner(2, weight);
    }
    const double vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0) {
        return near_edge(2, 1 - d2 / (d2 - d6), weight);
    }
    const double va = d3 * d6 - d5 * d4;
    if (va <= 0 && d4 >= d3 && d5 >= d6) {
        return near_edge(1, (d4 - d3) / ((d4 - d3) + (d5 - d6)), weight);
    }
    const double sum = va + vb + vc;
    if (!(sum > 0)) { /* not finite */
        return near_corner(0, weight);
    }
    weight[0] = va / sum;
    weight[1] = vb / sum;
    weight[2] = vc / sum;
    return TAUT_NEAR_FACE;
}

/* Without area regions tell nothing but rounding. */
TAUT_FN int near_on_triangle(const double p[3], const double a[3], const double b[3], const double c[3],
                             double weight[3]) {
    const double* const corner[3] = {a, b, c};
    double ab[3], ac[3], area[3];
    vec3_sub(b, a, ab);
    vec3_sub(c, a, ac);
    vec3_cross(ab, ac, area);
    return vec3_dot(area, area) > TAUT_PARALLEL * vec3_dot(ab, ab) * vec3_dot(ac, ac)
               ? near_by_regions(p, a, b, c, weight)
               : near_on_edges(p, corner, weight);
}

/* Of the segments from a to b and from c to d: parts of them, and whether the closest points lie within both. Where
 * not, they are an end and a segment. */
TAUT_FN bool near_segments(const double a[3], const double b[3], const double c[3], const double d[3], double part[2]) {
    double ab[3], cd[3], ca[3];
    vec3_sub(b, a, ab);
    vec3_sub(d, c, cd);
    vec3_sub(a, c, ca);
    const double aa = vec3_dot(ab, ab), cc = vec3_dot(cd, cd), ac = vec3_dot(ab, cd);
    const double own = vec3_dot(ab, ca), other = vec3_dot(cd, ca), det = aa * cc - ac * ac;
    if (!(det > TAUT_PARALLEL * aa * cc)) {
        return false;
    }
    part[0] = (ac * other - cc * own) / det;
    part[1] = (other + part[0] * ac) / cc; /* of that place, so that rounding moves both alike along near parallels */
    return part[0] > 0 && part[0] < 1 && part[1] > 0 && part[1] < 1;
}

/* Six times the volume between the segment from p to q and that from a to b. */
TAUT_FN double volume_between(const double p[3], const double q[3], const double a[3], const double b[3]) {
    double pq[3], pa[3], pb[3], area[3];
    vec3_sub(q, p, pq);
    vec3_sub(a, p, pa);
    vec3_sub(b, p, pb);
    vec3_cross(pa, pb, area);
    return vec3_dot(pq, area);
}

/* Whether the line through p and q passes all edges of a triangle on one side. One through an edge of two triangles
 * does so for both: the same numbers tell. */
TAUT_FN bool passes_inside(const double p[3], const double q[3], const double a[3], const double b[3],
                           const double c[3]) {
    const double v[3] = {volume_between(p, q, a, b), volume_between(p, q, b, c), volume_between(p, q, c, a)};
    return (v[0] >= 0 && v[1] >= 0 && v[2] >= 0) || (v[0] <= 0 && v[1] <= 0 && v[2] <= 0);
}

/* Ends as near to a plane as this, in parts of their distance from a corner, are on it but for rounding. */
#define TAUT_FLAT 1e-10

/* Whether the segment from p to q goes through a triangle: its ends are on both sides, and it passes inside. */
TAUT_FN bool goes_through(const double p[3], const double q[3], const double a[3], const double b[3],
                          const double c[3]) {
    double ab[3], ac[3], ap[3], aq[3], normal[3];
    vec3_sub(b, a, ab);
    vec3_sub(c, a, ac);
    vec3_sub(p, a, ap);
    vec3_sub(q, a, aq);
    vec3_cross(ab, ac, normal);
    const double first = vec3_dot(normal, ap), second = vec3_dot(normal, aq);
    const double flat = TAUT_FLAT * sqrt(vec3_dot(normal, normal) * fmax(vec3_dot(ap, ap), vec3_dot(aq, aq)));
    if (!((first < -flat && second > flat) || (first > flat && second < -flat))) {
        return false;
    }
    return passes_inside(p, q, a, b, c);
}

#endif
