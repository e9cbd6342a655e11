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

/* u = P(z) on the cone: with q = wn/wt and t = z_t/|z_t|, what slides has
 *     u_n = (z_n + mu q |z_t|)/(1 + mu^2 q),  u_t = mu u_n t
 * The derivative is that by z, times diag(w). */
TAUT_FN taut_contact_state project_on_cone(double mu, double wn, double wt, const double z[3], double u[3],
                                           float derivative[6]) {
    const double across = sqrt(z[1] * z[1] + z[2] * z[2]), q = wt > 0 ? wn / wt : 0, slope = wt > 0 ? mu : 0;
    const bool sticks = slope > 0 && wn > 0 && z[0] > 0 && across <= slope * z[0];
    const bool open = !sticks && (!(wn > 0) || z[0] <= -slope * q * across);
    const double e = open ? 0 : 1 / (1 + slope * slope * q), height = e * (z[0] + slope * q * across);
    const double shrink = across > 0 ? slope * height / across : 0;
    u[0] = sticks ? z[0] : open ? 0 : height;
    u[1] = sticks ? z[1] : open ? 0 : shrink * z[1];
    u[2] = sticks ? z[2] : open ? 0 : shrink * z[2];
    if (derivative != NULL) {
        const double x = across > 0 ? z[1] / across : 0, y = across > 0 ? z[2] / across : 0;
        const double along = slope * e * wn, bent = slope * along - wt * shrink;
        derivative[0] = (float)(sticks ? wn : e * wn);
        derivative[1] = (float)(sticks ? 0 : along * x);
        derivative[2] = (float)(sticks ? wt : open ? 0 : bent * x * x + wt * shrink);
        derivative[3] = (float)(sticks ? 0 : along * y);
        derivative[4] = (float)(sticks || open ? 0 : bent * x * y);
        derivative[5] = (float)(sticks ? wt : open ? 0 : bent * y * y + wt * shrink);
    }
    return sticks ? TAUT_CONTACT_STICKS : open ? TAUT_CONTACT_OPEN : TAUT_CONTACT_SLIDES;
}

#endif
