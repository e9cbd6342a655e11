/* What a solve has left at the nodes: with dv = u + z and the impulses gam of the system that was solved, one sweep
 * over rows gives gam + D^-1 r_c with r_c = b - K z - W gam, and the motion that follows is A^-1 K^T of that. Its
 * difference from z is 0 where both the rows and the balance of forces are solved. */
#ifndef TAUT_STAGES_RESIDUALS_H
#define TAUT_STAGES_RESIDUALS_H

#include "kernels/stages/renew.h"

/* With K z + W gam in `wide`: unknown i after the sweep; factor unknowns as their rows say. */
TAUT_FN void sweep_unknown(const taut_fields* f, const taut_sizes* s, size_t i, const taut_factors* step) {
    const double left = f->b[i] - f->wide[i];
    if (i >= s->rows) {
        f->swept[i] = f->gam[i] + left;
        return;
    }
    const double acts = step->regularised && is_of_contact(s, i) ? residual_of_contact(f, s, i, step)
                                                                 : projected_residual(f, s, i, left, step);
    f->swept[i] = f->gam[i] + row_norm(f, s, i) * acts;
}

/* With A^-1 K^T of the swept unknowns in `residual`. */
TAUT_FN void leave_node(const taut_fields* f, size_t n) {
    for (size_t a = 0; a < 3; a++) {
        f->residual[4 * n + a] -= f->g_f64[4 * n + a];
    }
}

#endif
