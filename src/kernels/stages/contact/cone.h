/* Friction as projections of a contact's impulse z.
 *
 * Coulomb's law, |u_t| <= mu u_n and against the sliding, with the bound held at mu u_n as it was last, is that of
 * Tresca: u_n = max(z_n, 0) and u_t = z_t cut to a disc, the projection of a convex problem for each bound. The relaxed
 * law is the projection on the cone itself: there is no bound to be found, but what slides parts.
 *
 * Projections are in the metric of Wh^-1, diagonal with one value for both tangents, in which the disc is round and the
 * cone has the coefficient mu sqrt(Wh_n / Wh_t). `derivative`, packed, takes the place of Wh in H; it may be NULL.
 *
 * A contact's couple, with bounds in proportion to u_n, is held up to them likewise: on a segment about the normal, and
 * on a disc across it. The relaxed law leaves that as it is. */
#ifndef TAUT_CONTACT_CONE_H
#define TAUT_CONTACT_CONE_H

#include "base/small_math.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum taut_contact_state { TAUT_CONTACT_OPEN, TAUT_CONTACT_STICKS, TAUT_CONTACT_SLIDES } taut_contact_state;

/* u = P(z) with |u_t| <= limit. */
TAUT_FN taut_contact_state project_on_disc(double limit, double wn, double wt, const double z[3], double u[3],
                                           float derivative[6]) {
    const double across = sqrt(z[1] * z[1] + z[2] * z[2]);
    const bool open = z[0] <= 0, sticks = across <= limit;
    const double part = sticks ? 1 : limit / across, bend = sticks ? 0 : part / (across * across);
    u[0] = open ? 0 : z[0];
    u[1] = part * z[1];
    u[2] = part * z[2];
    if (derivative != NULL) {
        derivative[0] = (float)(open ? 0 : wn);
        derivative[1] = derivative[3] = 0;
        derivative[2] = (float)(wt * (part - bend * z[1] * z[1]));
        derivative[4] = (float)(-wt * bend * z[1] * z[2]);
        derivative[5] = (float)(wt * (part - bend * z[2] * z[2]));
    }
    return open ? TAUT_CONTACT_OPEN : sticks ? TAUT_CONTACT_STICKS : TAUT_CONTACT_SLIDES;
}

/* u = P(z) of a couple with |u_n| <= spinning and |u_t| <= rolling; nothing stands in H along a bound of 0. Which of
 * both are within, as bits. */
TAUT_FN unsigned project_couple(double spinning, double rolling, double wn, double wt, const double z[3], double u[3],
                                float derivative[6]) {
    const double z_across[3] = {1, z[1], z[2]}; /* of something that is pressed */
    const bool spins = !(fabs(z[0]) < spinning);
    const taut_contact_state across = project_on_disc(rolling, 0, rolling > 0 ? wt : 0, z_across, u, derivative);
    u[0] = spins ? copysign(spinning, z[0]) : z[0];
    if (derivative != NULL) {
        derivative[0] = (float)(spins ? 0 : wn);
    }
    return (spins ? 0u : 1u) | (across == TAUT_CONTACT_SLIDES ? 0u : 2u);
}

/* u = P(z) on the cone; its derivative is diag(w)^(1/2) P' diag(w)^(1/2) in the scaled metric. */
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
