/* Products with the condensed matrix H = P(M + K^T Wh K)P, K = [J; Lh] (condensed.h): y = Wh K p by constraints, then
 * q = P(M p + K^T y) by nodes. */
#ifndef TAUT_STAGES_CONDENSED_PRODUCT_H
#define TAUT_STAGES_CONDENSED_PRODUCT_H

#include "kernels/stages/apply.h"

#define TAUT_KIND_TEXT "kernels/stages/condensed_product_kind.h"
#include "kernels/formulas/for_each_kind.h"

/* y = Wh J p of linear row c; y begins with the first of them. */
TAUT_FN void conduct_linear(const taut_fields* f, size_t c, const real* p, real* y) {
    y[c] = (real)f->kinds[TAUT_LINEAR].conductance[c] * linear_row(f, c, p, 4);
}

/* q = P(M p + force) at node n, 0 at mapped points; all n x 4. */
TAUT_FN void condense_close(const taut_fields* f, const taut_sizes* s, size_t n, const real* p, const real* force,
                            real* q) {
    real own[3];
    node_mass(f, s, n, p + 4 * n, own);
    for (size_t a = 0; a < 3; a++) {
        q[4 * n + a] = f->inverse_mass[n] > 0 ? own[a] + force[4 * n + a] : 0;
    }
    q[4 * n + 3] = 0;
}

#endif
