/* The convex law of contact: compliance that the step can resolve in the place of exact complementarity.
 *
 * With w the mean of the diagonal of J A^-1 J^T of a contact and y = (b - J dv)/R, the impulse is the projection of y on
 * the cone of friction in the metric of R,
 *     gam = P(y),   R = diag(Rn, Rt, Rt),   Rt = beta^2 w/(4 pi^2),   Rn = max( Rt, C/(h (h + d)) ),
 * the gradient of a convex function of dv with a continuous derivative (compare Castro, Permenter and Han 2022): Rt alone
 * is a spring of the period 2 pi h/(2 pi beta) under the mass 1/w, as stiff as the step can resolve. R stands as the
 * weight of the rows, so that every solver sees one law.
 *
 * Text for assemble.h, which has defined TAUT_REAL as double. */
#ifndef TAUT_CONTACT_REGULARISED_H
#define TAUT_CONTACT_REGULARISED_H

/* beta; less of it where one side is this many times lighter than the other, which would sink in under its load. */
#define TAUT_CONTACT_BETA        0.5
#define TAUT_CONTACT_BETA_UNLIKE 0.25
#define TAUT_CONTACT_UNLIKE      100
/* (2 pi)^2 */
#define TAUT_CONTACT_PERIOD2 39.47841760435743
/* A contact slid in the last step if its friction was this part of its bound. */
#define TAUT_CONTACT_SLID 0.999

/* R of a couple or contact from traces of J A^-1 J^T at either thing, in the place of its weight C/(h (h + d)). */
TAUT_FN void regularise(const double mobility[2], float* weight) {
    const double most = mobility[0] > mobility[1] ? mobility[0] : mobility[1], least = mobility[0] + mobility[1] - most;
    const double beta = most > TAUT_CONTACT_UNLIKE * least && least > 0 ? TAUT_CONTACT_BETA_UNLIKE : TAUT_CONTACT_BETA;
    const float softness = (float)(beta * beta * (most + least) / 3 / TAUT_CONTACT_PERIOD2);
    weight[packed_index(0, 0)] = weight[packed_index(0, 0)] > softness ? weight[packed_index(0, 0)] : softness;
    weight[packed_index(1, 1)] = weight[packed_index(2, 2)] = softness;
}

#endif
