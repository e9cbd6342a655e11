/* Force elements in assemble: the forces they add to nodes, and where their tangents stand.
 *
 * An element's force is f - d K v with K = R^T R, the positive semidefinite part of -df/dx at the current state, and d
 * its damping time; a viscous one's is f, and K the part of -df/dv. With rho and sigma of model/factors.h rho > 0 root
 * rows Lh = sqrt(rho) R of unit compliance:   Lh dv + s = -(sigma/rho) Lh v rho = 0   -sigma K v is among the forces
 * Eliminating s adds rho K to A and -sigma K v to the right-hand side. About an iterate dv of the step (renew.h), f is
 * that of the look ahead and v0 the velocity at the start: Lh dv' + s = -(rate_damped d/rho) Lh v0 + (plain/rho) Lh dv
 * viscous: + Lh dv so that dv' = dv leaves f and the damping force, d K (rate_damped v0 + damped dv). */
#ifndef TAUT_STAGES_LOADS_H
#define TAUT_STAGES_LOADS_H

#include "kernels/stages/items.h"
#include "model/factors.h"

/* Whether the tangent of a kind is a damping, not a stiffness. */
TAUT_FN bool is_viscous(int k) {
    switch (k) {
#define TAUT_VISCOUS(name, enumerator)                                                                                 \
    case enumerator:                                                                                                   \
        return name##_ORDER == 2;
        TAUT_LOAD_KINDS(TAUT_VISCOUS)
#undef TAUT_VISCOUS
    default:
        return false;
    }
}

/* rho of element c */
TAUT_FN double tangent_scale(const taut_kind_fields* f, size_t c, bool viscous, const taut_tangent* t) {
    return viscous ? t->damped : t->plain + t->damped * f->damping[c];
}

/* sigma of elastic element c: of K v on the right-hand side, about the current state or v0 */
TAUT_FN double tangent_rate(const taut_kind_fields* f, size_t c, const taut_factors* step) {
    return (taut_renews(step->phase) ? 0 : step->tangent.rate) + step->tangent.rate_damped * f->damping[c];
}

/* Of the tangent of element c as a force of the state, over what forces are multiplied by; 0 where it stands in A. */
TAUT_FN double resistance_of(const taut_kind_fields* f, size_t c, bool viscous, const taut_factors* step) {
    const bool acts = !viscous && step->pushed > 0 && !(tangent_scale(f, c, viscous, &step->tangent) > 0);
    return acts ? tangent_rate(f, c, step) / step->pushed : 0;
}

#define TAUT_LOAD_TEXT "kernels/stages/loads_kind.h"
#include "kernels/formulas/for_each_load.h"

/* force += loads at node n */
TAUT_FN void add_force_node(const taut_fields* f, const taut_sizes* s, size_t n, double force[3]) {
#define TAUT_PRESS(name, k)                                                                                            \
    if (s->count[k] > 0) {                                                                                             \
        add_force_node_##name(&f->kinds[k], n, force);                                                                 \
    }
    TAUT_LOAD_KINDS(TAUT_PRESS)
#undef TAUT_PRESS
}

/* The same with -sigma K v of elements whose tangent does not stand in A; v0 of mapped points must be there. */
TAUT_FN void add_force_with_resistance(const taut_fields* f, const taut_sizes* s, size_t n, const taut_factors* step,
                                       double force[3]) {
    add_force_node(f, s, n, force);
    if (step->explicit_tangents) {
        const double* v = taut_renews(step->phase) ? f->v0 : f->v;
#define TAUT_RESIST(name, k)                                                                                           \
    if (s->count[k] > 0 && name##_ORDER == 1) {                                                                        \
        resist_node_##name(&f->kinds[k], n, v, step, force);                                                           \
    }
        TAUT_LOAD_KINDS(TAUT_RESIST)
#undef TAUT_RESIST
    }
}

/* The right-hand side of element c's factor rows; b holds Lh v on entry, v that of the start, and `wide` Lh dv of an
 * iterate. Constraints about a motion by forces alone leave the tangent to that motion. */
TAUT_FN void tangent_side(const taut_fields* f, const taut_sizes* s, int k, size_t factor_rows, size_t c,
                          const taut_factors* step) {
    const taut_kind_fields* kind = &f->kinds[k];
    const taut_tangent* t = &step->tangent;
    const bool viscous = is_viscous(k), done = step->phase == TAUT_PHASE_CONSTRAIN;
    const double rho = tangent_scale(kind, c, viscous, t), inverse = rho > 0 ? 1 / rho : 0;
    const double sigma = viscous ? 0 : tangent_rate(kind, c, step);
    const double kept = done ? 1 : viscous ? t->damped * inverse : t->plain * inverse; /* of the iterate */
    for (size_t r = 0; r < factor_rows; r++) {
        const size_t i = s->first_factor_row[k] + place_of(s->count[k], factor_rows, c, r);
        f->b[i] = (taut_renews(step->phase) ? kept * f->wide[i] : 0) - (done ? 0 : sigma * inverse * f->b[i]);
    }
}

#endif
