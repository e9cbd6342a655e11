/* Rolling and spinning of two things that meet in one place: their relative angular velocity along the axes of their
 * contact, whose number its constraint has.
 *
 * Either thing may have a frame, with the weight 1 of the first and -1 of the second; a slot without use has the weight
 * 0 and any node, and both where a thing moves without a frame. J   : dphi = (n, t, n x t).( w0 theta0 + w1 theta1 )
 * rad phi = 0: rows of velocities, which is what rolling is. What has rolled so far has no part in the law. Multipliers
 * are couples, N m, about the normal and across it: J^T lam = w ( lam_n n + lam_t t + lam_b n x t ). The axes are those
 * in which the contact was found, so that J^T lam does not change with the frames. Root: none. */
#ifndef TAUT_FORMULAS_ROLLING_H
#define TAUT_FORMULAS_ROLLING_H

#include "kernels/formulas/contact_rows.h"

#define rolling_NODES       2
#define rolling_ROWS        3
#define rolling_FACTOR_ROWS 0
#define rolling_REST        8 /* normal, tangent, weights */
#define rolling_AUX         0
#define rolling_STATE       4
#define rolling_FRAMES      3
#define rolling_MOVES       0

/* Places of them in `rest`. */
enum { rolling_normal = 0, rolling_tangent = 3, rolling_weight = 6 };

typedef struct rolling_jacobian {
    real normal[3];
    real tangent[3];
    real weight[2];
} rolling_jacobian;

typedef struct rolling_stiffness {
    real unused;
} rolling_stiffness;

TAUT_FN void rolling_evaluate(const real x[2][4], const real* rest, real phi[3], rolling_jacobian* jac) {
    (void)x;
    for (int i = 0; i < 3; i++) {
        jac->normal[i] = rest[rolling_normal + i];
        jac->tangent[i] = rest[rolling_tangent + i];
        phi[i] = 0;
    }
    jac->weight[0] = rest[rolling_weight];
    jac->weight[1] = rest[rolling_weight + 1];
}

TAUT_FN void rolling_apply_jacobian(const rolling_jacobian* jac, const real dx[2][3], real dphi[3]) {
    real theta[3] = {0, 0, 0};
    vec3_axpy(jac->weight[0], dx[0], theta);
    vec3_axpy(jac->weight[1], dx[1], theta);
    contact_axes_split(jac->normal, jac->tangent, theta, dphi);
}

TAUT_FN void rolling_apply_jacobian_transpose(const rolling_jacobian* jac, const real lam[3], int slot, real f[3]) {
    real couple[3] = {0, 0, 0};
    contact_axes_join(jac->normal, jac->tangent, lam, couple);
    vec3_axpy(slot == 0 ? jac->weight[0] : jac->weight[1], couple, f);
}

TAUT_FN void rolling_factor(const rolling_jacobian* jac, const real lam[3], rolling_stiffness* k) {
    (void)jac, (void)lam;
    k->unused = 0;
}

TAUT_FN void rolling_apply_factor(const rolling_jacobian* jac, const rolling_stiffness* k, const real dx[2][3],
                                  real* rows) {
    (void)jac, (void)k, (void)dx, (void)rows;
}

TAUT_FN void rolling_apply_factor_transpose(const rolling_jacobian* jac, const rolling_stiffness* k, const real* rows,
                                            int slot, real f[3]) {
    (void)jac, (void)k, (void)rows, (void)slot, (void)f;
}

TAUT_FN void rolling_curvature(const real x[2][4], const real* rest, const real lam[3], const real dx[2][3],
                               real df[2][3]) {
    (void)x, (void)rest, (void)lam, (void)dx, (void)df;
}

#endif
