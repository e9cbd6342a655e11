/* Small vectors of the tool: lengths, areas and volumes of mesh parts. */
#ifndef TAUT_APP_VECTOR_H
#define TAUT_APP_VECTOR_H

#include <math.h>

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

static inline double triangle_area(const double a[3], const double b[3], const double c[3]) {
    double u[3], v[3], n[3];
    vector_between(a, b, u);
    vector_between(a, c, v);
    vector_cross(u, v, n);
    return 0.5 * sqrt(vector_dot(n, n));
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
