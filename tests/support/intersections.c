#include "intersections.h"

#include <math.h>
#include <stdbool.h>

static void difference(const double a[3], const double b[3], double out[3]) {
    for (int i = 0; i < 3; i++) {
        out[i] = a[i] - b[i];
    }
}

static double product(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double determinant(const double a[3], const double b[3], const double c[3]) {
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/* p + t (q - p) = a + u (b - a) + v (c - a), by Cramer's rule. */
static bool pierces(const double* p, const double* q, const double* a, const double* b, const double* c) {
    double way[3], back[3], ab[3], ac[3], ap[3];
    difference(q, p, way);
    difference(p, q, back);
    difference(b, a, ab);
    difference(c, a, ac);
    difference(p, a, ap);
    const double det = determinant(back, ab, ac);
    const double size = sqrt(product(way, way) * product(ab, ab) * product(ac, ac));
    if (!(fabs(det) > 1e-12 * size)) {
        return false;
    }
    const double t = determinant(ap, ab, ac) / det;
    const double u = determinant(back, ap, ac) / det, v = determinant(back, ab, ap) / det;
    return t > 0 && t < 1 && u > 0 && v > 0 && u + v < 1;
}

size_t intersections_of(const double* x, size_t edges, const uint32_t* ends, size_t triangles,
                        const uint32_t* corners) {
    size_t count = 0;
    for (size_t e = 0; e < edges; e++) {
        for (size_t t = 0; t < triangles; t++) {
            const uint32_t *end = ends + 2 * e, *corner = corners + 3 * t;
            bool shares = false;
            for (int i = 0; i < 6; i++) {
                shares = shares || end[i / 3] == corner[i % 3];
            }
            count += !shares && pierces(x + 3 * (size_t)end[0], x + 3 * (size_t)end[1], x + 3 * (size_t)corner[0],
                                        x + 3 * (size_t)corner[1], x + 3 * (size_t)corner[2]);
        }
    }
    return count;
}

static double to_segment(const double p[3], const double* a, const double* b) {
    double ab[3], ap[3];
    difference(b, a, ab);
    difference(p, a, ap);
    const double along = fmin(1, fmax(0, product(ap, ab) / product(ab, ab)));
    for (int i = 0; i < 3; i++) {
        ap[i] -= along * ab[i];
    }
    return sqrt(product(ap, ap));
}

double distance_to_triangles(const double p[3], const double* x, size_t triangles, const uint32_t* corners) {
    double least = INFINITY;
    for (size_t t = 0; t < triangles; t++) {
        const double* at[3];
        double ab[3], ac[3], ap[3];
        for (size_t i = 0; i < 3; i++) {
            at[i] = x + 3 * (size_t)corners[3 * t + i];
        }
        difference(at[1], at[0], ab);
        difference(at[2], at[0], ac);
        difference(p, at[0], ap);
        const double n[3] = {ab[1] * ac[2] - ab[2] * ac[1], ab[2] * ac[0] - ab[0] * ac[2],
                             ab[0] * ac[1] - ab[1] * ac[0]};
        const double nn = product(n, n), u = determinant(n, ap, ac) / nn, v = determinant(n, ab, ap) / nn;
        for (int i = 0; i < 3; i++) {
            least = fmin(least, to_segment(p, at[i], at[(i + 1) % 3]));
        }
        if (u > 0 && v > 0 && u + v < 1) {
            least = fmin(least, fabs(product(ap, n)) / sqrt(nn));
        }
    }
    return least;
}
