/* Newton's method for motion and impulses of contacts together, where factors solve for cloth in contact: semismooth on
 *
 *     A w = J^T gam + (all other rows),    gam = P( z ),    z = gam + Wh (b - J w - R gam)
 *
 * by the convex law, with P the projection on the cone of friction and Wh the inverse of R with its shift. Which
 * contacts press, stick and slide is told by z, in the scale of what surrounds them; motion alone would tell it by (b -
 * J w)/R, whose stiffness lets a step go no further than to the next contact that closes. With P' = S in the scale of
 * Wh, F = gam - P(z) and T = 1 - Wh R,
 *
 *     K = (1 - S T)^-1,    (A + J^T K S Wh J) dw = r( gam - K F ),    gam' = gam - K F - K S Wh J dw
 *
 * K S = (S^-1 - T)^-1 is symmetric: 1/R where a contact sticks, 0 where it is open. Hintermüller, Ito and Kunisch 2002
 * for bounds; Alart and Curnier 1991 for contact. Multipliers of hard rows, whose shift factors
 * leave next to nothing of, follow after each step. */
#ifndef TAUT_CPU_CPU_CONTACT_DUALS_H
#define TAUT_CPU_CPU_CONTACT_DUALS_H

#include "host/cpu/cpu_condensed_residual.h"

/* Whether impulses of contacts are all that does not follow w linearly: then steps may be made. */
bool contact_duals_serve(const cpu_residual* r);
/* A step with new factors, from a residual that has been looked at; of those after the first one as much as lowers what
 * contacts miss of their law. */
void contact_duals_step(taut_backend_state* state, cpu_residual* r, bool first);

#endif
