/* Linearisations about an iterate dv of a step: the state is the one to look at, x0 and v0 are those of the start.
 *
 * The exact step of the theta method, with x_t = x0 + theta h (v0 + beta dv) and v_t = v0 + theta dv, is
 *     r_u = M dv - h f(x_t, v_t) - J(x_t)^T gam = 0
 *     r_c = C gam / h + phi(x_t) + d J(x_t) v_t = 0
 * and its linearisation about an iterate has the operators of the first one, about x_0. The system as it is assembled
 * about the iterate, applied to that iterate and its gam, leaves r_u and r_c: with e = dv - u and the factor unknowns
 * as their rows say, s = b_s - Lh e, r_c / D = b - J e - W gam,    A^-1 r_u = e - A^-1 [J^T Lh^T] (gam, s).
 *
 * Jacobians of the solver are in float32. So that iterates converge beyond, J^T gam of the iterate is formed from
 * positions in float64, and the difference is a force of the next system. */
#ifndef TAUT_STAGES_RENEW_H
#define TAUT_STAGES_RENEW_H

#include "kernels/stages/bounds.h"
#include "kernels/stages/items.h"
#include "kernels/stages/packed.h"
#include "model/backend.h"
#include "model/newton.h"

/* J^T gam at node n, exactly and as the solver has it (n x 4 each), during assemble. */
TAUT_FN const double* exact_jacobian_transpose_of(const taut_fields* f, size_t n) {
    return f->node_scratch + 4 * n;
}

TAUT_FN const double* rounded_jacobian_transpose_of(const taut_fields* f, const taut_sizes* s, size_t n) {
    return f->node_scratch + 4 * (s->nodes + n);
}

#define TAUT_KIND_TEXT "kernels/stages/renew_kind.h"
#include "kernels/formulas/for_each_kind.h"

/* J^T gam of the constraints at node n, without what its children pull. */
TAUT_FN void exact_jacobian_transpose_node(const taut_fields* f, const taut_sizes* s, size_t n, double sum[3]) {
    sum[0] = sum[1] = sum[2] = 0;
#define TAUT_EXACT_PULL(name, k)                                                                                       \
    if (s->count[k] > 0 && name##_ROWS > 0) {                                                                          \
        exact_jacobian_transpose_node_##name(f, s, n, sum);                                                            \
    }
    TAUT_FORMULA_KINDS(TAUT_EXACT_PULL)
#undef TAUT_EXACT_PULL
    const taut_kind_fields* linear = &f->kinds[TAUT_LINEAR];
    for (uint32_t i = s->count[TAUT_LINEAR] > 0 ? linear->offsets[n] : 0;
         s->count[TAUT_LINEAR] > 0 && i < linear->offsets[n + 1]; i++) {
        const uint32_t e = linear->incidence[i];
        const double impulse = f->gam[s->first_row[TAUT_LINEAR] + f->linear_row[e]];
        add_to_axis(f->linear_coordinate[e] % 3, f->linear_weight[e] * impulse, sum);
    }
}

/* With its children's, into node_scratch; deeper levels first. */
TAUT_FN void store_exact_jacobian_transpose(const taut_fields* f, const taut_sizes* s, size_t n) {
    double sum[3];
    exact_jacobian_transpose_node(f, s, n, sum);
    if (s->active_levels > 0) {
        collect_children(f, n, false, f->node_scratch, sum);
    }
    for (size_t a = 0; a < 3; a++) {
        f->node_scratch[4 * n + a] = sum[a];
    }
}

/* ---- the residuals of an iterate ----------------------------------------------------------------------------------
 */

/* e = dv - u of node n into node_scratch (n x 4). */
TAUT_FN void deviate_node(const taut_fields* f, size_t n) {
    for (size_t a = 0; a < 4; a++) {
        f->node_scratch[4 * n + a] = a < 3 ? f->iterate[3 * n + a] - f->free_dv[4 * n + a] : 0;
    }
}

/* Row i of R (P(y) - gam), y = gam + R^-1 r, with r what the rows of its contact leave: by the convex law gam = P(y).
 */
TAUT_FN double residual_of_contact(const taut_fields* f, const taut_sizes* s, size_t i, const taut_factors* step) {
    const size_t c = contact_number(s, i);
    const float* weight = f->kinds[TAUT_CONTACT].weight + TAUT_PACKED(contact_ROWS) * c;
    double wh[3], y[3], u[3], left = 0;
    for (size_t r = 0; r < 3; r++) {
        const size_t row = contact_row(s, i, r);
        const double softness = weight[packed_index(r, r)];
        wh[r] = softness > 0 ? 1 / softness : 0;
        y[r] = f->gam[row] + wh[r] * (f->b[row] - f->wide[row]);
    }
    project_contact(f, c, step, f->contact_limit[c], wh, y, u, NULL);
    for (size_t r = 0; r < 3; r++) {
        const size_t row = contact_row(s, i, r);
        left = row == i && wh[r] > 0 ? (u[r] - f->gam[row]) / wh[r] : left;
    }
    return left;
}

TAUT_FN bool is_of_contact(const taut_sizes* s, size_t i) {
    return s->touches && i >= s->first_row[TAUT_CONTACT] && i < s->first_row[TAUT_ROLLING];
}

/* With [J; Lh] e + W gam in `wide`, where factor unknowns take part with gam = 0: r_c^2 of row i in the norm of the
 * inverse diagonal of S, without what bounds hold; of a factor row its unknown, and 0. */
TAUT_FN double deviate_unknown(const taut_fields* f, const taut_sizes* s, size_t i, const taut_factors* step) {
    double left = f->b[i] - f->wide[i];
    if (i >= s->rows) {
        f->gam[i] = left;
        return 0;
    }
    left = step->regularised && is_of_contact(s, i) ? residual_of_contact(f, s, i, step)
                                                    : projected_residual(f, s, i, left, step);
    return left * left * row_norm(f, s, i);
}

/* The part of row i in |b|^2 of the first system. */
TAUT_FN double side_square(const taut_fields* f, const taut_sizes* s, size_t i, const taut_factors* step) {
    const double b = bounded_side(f, s, i, step);
    return b * b * row_norm(f, s, i);
}

/* With e in node_scratch and A^-1 K^T (gam, s) in g_f64. */
TAUT_FN void balance_node(const taut_fields* f, const taut_sizes* s, size_t n, const taut_factors* step,
                          newton_sums* sums) {
    const double* g = step->gravity;
    double e[3], held[3];
    vec3_sub(f->node_scratch + 4 * n, f->g_f64 + 4 * n, e);
    node_mass(f, s, n, e, held);
    sums->balance += vec3_dot(e, held);
    node_mass(f, s, n, f->iterate + 3 * n, held);
    sums->motion += vec3_dot(f->iterate + 3 * n, held);
    if (n < s->simple) {
        node_mass(f, s, n, g, held);
        sums->fall += step->h * step->h * vec3_dot(g, held);
    }
}

/* Adds a step to the report. A residual that is not a number counts as worst. */
TAUT_FN void newton_report(const newton_state* state, taut_report* report) {
    const double residual = newton_residual(state);
    report->linearisations += state->solves;
    report->newton_residual = residual <= report->newton_residual ? report->newton_residual : residual;
}

#endif
