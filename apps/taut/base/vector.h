/* Small vectors of the tool: lengths, areas and volumes of mesh parts. */
#ifndef TAUT_APP_VECTOR_H
#define TAUT_APP_VECTOR_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

static inline void vector_between(const double from[3], const double to[3], double out[3]) {
    for (int a = 0; a < 3; a++) {
        out[a] = to[a] - from[a];
    }
}

static inline void vector_cross(const double a[3], const double b[3], double out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static inline double vector_dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double vector_distance(const double a[3], const double b[3]) {
    double d[3];
    vector_between(a, b, d);
    return sqrt(vector_dot(d, d));
}

/* The place of the segment from a to b that is nearest to p: its part of the way. `square`: of the distance. */
static inline double segment_nearest(const double a[3], const double b[3], const double p[3], double* square) {
    double edge[3], arm[3];
    vector_between(a, b, edge);
    vector_between(a, p, arm);
    const double length2 = vector_dot(edge, edge);
    const double along = length2 > 0 ? fmin(fmax(vector_dot(arm, edge) / length2, 0), 1) : 0;
    for (int i = 0; i < 3; i++) {
        arm[i] -= along * edge[i];
    }
    *square = vector_dot(arm, arm);
    return along;
}

static inline double triangle_area(const double a[3], const double b[3], const double c[3]) {
    double u[3], v[3], n[3];
    vector_between(a, b, u);
    vector_between(a, c, v);
    vector_cross(u, v, n);
    return 0.5 * sqrt(vector_dot(n, n));
}

/* Of all of `count` triangles. */
static inline double triangles_area(const double (*points)[3], const uint32_t (*triangles)[3], size_t count) {
    double area = 0;
    for (size_t i = 0; i < count; i++) {
        area += triangle_area(points[triangles[i][0]], points[triangles[i][1]], points[triangles[i][2]]);
    }
    return area;
}

/* Lower and upper corner; of no points, infinite and turned around. */
static inline void points_box(const double (*points)[3], size_t count, double box[2][3]) {
    for (int a = 0; a < 3; a++) {
        box[0][a] = INFINITY;
        box[1][a] = -INFINITY;
        for (size_t i = 0; i < count; i++) {
            box[0][a] = fmin(box[0][a], points[i][a]);
            box[1][a] = fmax(box[1][a], points[i][a]);
        }
    }
}

/* Positive where d lies on the side of the normal of a, b, c. */
static inline double tet_volume(const double a[3], const double b[3], const double c[3], const double d[3]) {
    double u[3], v[3], w[3], n[3];
    vector_between(a, b, u);
    vector_between(a, c, v);
    vector_between(a, d, w);
    vector_cross(u, v, n);
    return vector_dot(n, w) / 6;
}

#endif
