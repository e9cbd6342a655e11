/* A cone over a wavy curve. In the flat sheet take polar coordinates (r, t) about a point A metres below the middle of
 * the upper edge, t = 0 upwards. The ruling t is laid along the unit vector
 *
 *     d(t) = (cos e sin p, cos e cos p, sin e),    e(t) = (SLOPE / w) sin(w t),    p' = sqrt(1 - e'^2) / cos e,
 *
 * so that |d'| = 1: the map r d(t) bends the sheet and stretches nothing. Folds run towards A. The waves take up part
 * of the angle, p < t, which brings the corners closer and leaves them higher than the middle: the edge sags. The
 * strain along rulings comes on top, as a function of the depth below the edge. */
#include "drape.h"

#include "bench_scenes.h"

#include <math.h>
#include <stdlib.h>

#define A        2.0  /* m */
#define FOLDS    1.5  /* waves across the edge */
#define SLOPE    0.45 /* greatest of the waves */
#define SAMPLES  4096
#define HALF     0.65                              /* rad: more than the lower corners' atan(0.5 / (A - 1)) */
#define WAVES    (FOLDS * 3.14159265358979 / 0.25) /* w: the edge is seen under about 0.5 rad */
#define INTERVAL (HALF / SAMPLES)

struct drape {
    double stretch;
    double angle[SAMPLES + 1]; /* p at multiples of INTERVAL */
};

static double height(double t) {
    return SLOPE / WAVES * sin(WAVES * t);
}

static double speed(double t) {
    const double slope = SLOPE * cos(WAVES * t);
    return sqrt(1 - slope * slope) / cos(height(t));
}

/* Simpson's rule. */
static double turn(double from, double to) {
    return (to - from) / 6 * (speed(from) + 4 * speed((from + to) / 2) + speed(to));
}

drape* drape_make(double stretch) {
    drape* d = bench_allocate(1, sizeof *d);
    d->stretch = stretch;
    for (int i = 0; i < SAMPLES; i++) {
        d->angle[i + 1] = d->angle[i] + turn(i * INTERVAL, (i + 1) * INTERVAL);
    }
    return d;
}

void drape_free(drape* d) {
    free(d);
}

/* p is odd, as e' is even. */
static double angle(const drape* d, double t) {
    const int i = (int)(fabs(t) / INTERVAL);
    return copysign(d->angle[i] + turn(i * INTERVAL, fabs(t)), t);
}

void drape_at(const drape* d, double u, double v, double out[3]) {
    const double across = u - 0.5, up = A - v;
    const double t = atan2(across, up), p = angle(d, t), e = height(t);
    const double r = hypot(across, up) - d->stretch * v * (1 - v / 2); /* strain stretch (1 - v) */
    out[0] = r * cos(e) * sin(p);
    out[1] = r * cos(e) * cos(p) - A;
    out[2] = r * sin(e);
}
