/* Friction: the cone |u_t| <= mu u_n of a contact's impulse, and the law of Coulomb as a projection onto it.
 *
 * With the velocities y = J v' - ... = -r that the rows leave, Coulomb's law with sliding square to the normal is, after
 * De Saxce,
 *     cone  ni  u  _|_  (y_n + mu |y_t|, y_t)  in the dual cone,
 * so u = P( u - (y_n + mu |y_t|, y_t) ): with mu |y_t| held at its last value it is the projection of a convex problem,
 * and without it the relaxed law. P is in the metric of Wh^-1, diagonal with one value for both tangents, in which the
 * cone has the coefficient mu sqrt(Wh_n / Wh_t). */
#ifndef TAUT_STAGE_CONE_H
#define TAUT_STAGE_CONE_H

#include "kernels/small_math.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum taut_contact_state { TAUT_CONTACT_OPEN, TAUT_CONTACT_STICKS, TAUT_CONTACT_SLIDES } taut_contact_state;

/* u = P(z), in the metric of (1/wn, 1/wt, 1/wt), and if `derivative` is given diag(w)^(1/2) P' diag(w)^(1/2) in the scaled
 * metric, packed: what takes the place of Wh in H. */
TAUT_FN taut_contact_state project_on_cone(double mu, double wn, double wt, const double z[3], double u[3],
                                           float derivative[6]) {
    const double rn = sqrt(wn), rt = sqrt(wt), m = rt > 0 ? mu * rn / rt : 0;
    const double n = rn > 0 ? z[0] / rn : 0, x = rt > 0 ? z[1] / rt : 0, y = rt > 0 ? z[2] / rt : 0;
    const double across = sqrt(x * x + y * y);
    const bool inside = m > 0 && n > 0 && across <= m * n, beyond = n <= -m * across;
    const double tx = across > 0 ? x / across : 0, ty = across > 0 ? y / across : 0;
    const double height = (n + m * across) / (1 + m * m), shrink = across > 0 ? m * height / across : 0;
    double p[6] = {0, 0, 0, 0, 0, 0}; /* P', packed */
    if (inside) {
        u[0] = z[0];
        u[1] = z[1];
        u[2] = z[2];
        p[0] = p[2] = p[5] = 1;
    } else if (beyond) {
        u[0] = u[1] = u[2] = 0;
    } else {
        const double e = 1 / (1 + m * m);
        u[0] = rn * height;
        u[1] = rt * m * height * tx;
        u[2] = rt * m * height * ty;
        p[0] = e;
        p[1] = e * m * tx;
        p[3] = e * m * ty;
        p[2] = e * m * m * tx * tx + shrink * (1 - tx * tx);
        p[4] = (e * m * m - shrink) * tx * ty;
        p[5] = e * m * m * ty * ty + shrink * (1 - ty * ty);
    }
    if (derivative != NULL) {
        derivative[0] = (float)(wn * p[0]);
        derivative[1] = (float)(rn * rt * p[1]);
        derivative[2] = (float)(wt * p[2]);
        derivative[3] = (float)(rn * rt * p[3]);
        derivative[4] = (float)(wt * p[4]);
        derivative[5] = (float)(wt * p[5]);
    }
    return inside ? TAUT_CONTACT_STICKS : beyond ? TAUT_CONTACT_OPEN : TAUT_CONTACT_SLIDES;
}

#endif
