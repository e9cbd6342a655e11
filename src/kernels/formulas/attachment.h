/* Attachment of one point to another.
 *
 *   phi = x1 - x0 - offset                             3 rows, m
 *   J   = [ -I  I ],  G = 0 */
#ifndef TAUT_FORMULAS_ATTACHMENT_H
#define TAUT_FORMULAS_ATTACHMENT_H

#include "base/small_math.h"

#define attachment_NODES       2
#define attachment_ROWS        3
#define attachment_FACTOR_ROWS 0
#define attachment_REST        3 /* offset */
#define attachment_AUX         1
#define attachment_STATE       3 /* values per node that evaluate reads */
#define attachment_FRAMES      0 /* slots that are frames, as bits */
#define attachment_MOVES       0 /* leading rest values that may move by themselves */

typedef struct attachment_jacobian {
    real unused; /* J is constant; C has no empty structs */
} attachment_jacobian;

typedef struct attachment_stiffness {
    real unused;
} attachment_stiffness;

TAUT_FN void attachment_evaluate(const real x[2][3], const real* rest, real phi[3], attachment_jacobian* jac) {
    jac->unused = 0;
    vec3_sub(x[1], x[0], phi);
    vec3_sub(phi, rest, phi);
}

TAUT_FN void attachment_apply_jacobian(const attachment_jacobian* jac, const real dx[2][3], real dphi[3]) {
    (void)jac;
    vec3_sub(dx[1], dx[0], dphi);
}

TAUT_FN void attachment_apply_jacobian_transpose(const attachment_jacobian* jac, const real lam[3], int slot,
                                                 real f[3]) {
    (void)jac;
    vec3_axpy(slot == 0 ? -1 : 1, lam, f);
}

TAUT_FN void attachment_factor(const attachment_jacobian* jac, const real lam[3], attachment_stiffness* k) {
    (void)jac, (void)lam;
    k->unused = 0;
}

TAUT_FN void attachment_apply_factor(const attachment_jacobian* jac, const attachment_stiffness* k, const real dx[2][3],
                                     real* rows) {
    (void)jac, (void)k, (void)dx, (void)rows;
}

TAUT_FN void attachment_apply_factor_transpose(const attachment_jacobian* jac, const attachment_stiffness* k,
                                               const real* rows, int slot, real f[3]) {
    (void)jac, (void)k, (void)rows, (void)slot, (void)f;
}

TAUT_FN void attachment_curvature(const real x[2][3], const real* rest, const real lam[3], const real dx[2][3],
                                  real df[2][3]) {
    (void)x, (void)rest, (void)lam, (void)dx, (void)df;
}

#endif
