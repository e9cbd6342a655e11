/* Assemble: everything of one step that is fixed while the solver runs.
 *
 *   l  = alpha (h beta + d)
 *   W  = C/(h l)
 *   Lh = sqrt(alpha beta) h R(lam)             root rows, see layout.h
 *   b  = -(1/l)(phi + (d + alpha h) phidot) - J u      u = P M^-1 P h f
 *   b' = -Lh v/beta - Lh u                              right-hand side of the root rows
 * With beta = 0 the root rows vanish from A, and -alpha h^2 R^T R v goes into u. */
#ifndef TAUT_STAGE_ASSEMBLE_H
#define TAUT_STAGE_ASSEMBLE_H

#include "host/factors.h"
#include "kernels/stages/items.h"

/* Keeps C/(h l) inside float32; a row this soft carries no force. */
#define TAUT_SOFTEST 1e30
/* Regularisation of redundant hard rows, relative to the diagonal of S, where the solver's is automatic. */
#define TAUT_AUTOMATIC_PROXIMAL 1e-3
/* The same of links that span others in a straight line. */
#define TAUT_STRAIGHT_PROXIMAL 1e-5

/* Damping time in force: a hard row under alpha < 1 has a floor. */
TAUT_FN double damping_of(const taut_kind_fields* f, size_t c, size_t packed, const taut_factors* step) {
    const double least = f->compliance[packed * c] == 0 ? step->hard_row_damping * step->h : 0;
    return f->damping[c] > least ? f->damping[c] : least;
}

/* C/(h l) of a block with a diagonal value beyond float32, whose rows and columns are scaled until it is within: cutting
 * value by value would make the block indefinite. */
TAUT_FN void weigh_softest(const double* compliance, double scale, size_t packed, float* weight) {
    for (size_t r = 0, at = 0; at < packed; r++) {
        for (size_t c = 0; c <= r; c++, at++) {
            const double row = compliance[packed_index(r, r)] * scale, column = compliance[packed_index(c, c)] * scale;
            const double cut = (row > TAUT_SOFTEST ? sqrt(TAUT_SOFTEST / row) : 1) *
                               (column > TAUT_SOFTEST ? sqrt(TAUT_SOFTEST / column) : 1);
            weight[at] = (float)(compliance[at] * scale * cut);
        }
    }
}

TAUT_FN void weigh(const taut_kind_fields* f, size_t c, size_t packed, const taut_factors* step) {
    const double l = step->alpha * (step->h * step->beta + damping_of(f, c, packed, step));
    bool softest = false;
    for (size_t i = 0; i < packed; i++) {
        const double w = f->compliance[packed * c + i] / (step->h * l);
        f->weight[packed * c + i] = (float)(w > TAUT_SOFTEST ? TAUT_SOFTEST : w < -TAUT_SOFTEST ? -TAUT_SOFTEST : w);
        softest = softest || w > TAUT_SOFTEST;
    }
    if (softest && packed > 1) {
        weigh_softest(f->compliance + packed * c, 1 / (step->h * l), packed, f->weight + packed * c);
    }
}

/* shift *= scale; to = packed block + diagonal of shifts */
TAUT_FN void add_shift(const float* packed, float* shift, size_t rows, float scale, float* to) {
    size_t at = 0;
    for (size_t r = 0; r < rows; r++) {
        shift[r] *= scale;
        for (size_t c = 0; c <= r; c++, at++) {
            to[at] = packed[at] + (c == r ? shift[r] : 0);
        }
    }
}

#define TAUT_KIND_TEXT "kernels/stages/assemble_kind.h"
#include "kernels/formulas/for_each_kind.h"

TAUT_FN void coefficients_linear(const taut_fields* f, const taut_sizes* s, size_t c, const taut_factors* step) {
    (void)s;
    weigh(&f->kinds[TAUT_LINEAR], c, 1, step);
}

TAUT_FN void weigh_inner_linear(const taut_fields* f, const taut_sizes* s, size_t c, float scale) {
    const taut_kind_fields* kind = &f->kinds[TAUT_LINEAR];
    add_shift(kind->weight + c, f->shift + s->first_row[TAUT_LINEAR] + c, 1, scale, kind->record + c);
}

TAUT_FN void diagonal_linear(const taut_fields* f, const taut_sizes* s, size_t c, double* out) {
    double sum = f->kinds[TAUT_LINEAR].weight[c];
    for (uint32_t e = f->linear_begin[c]; e < f->linear_begin[c + 1]; e++) {
        double row[3] = {0, 0, 0};
        add_to_axis(f->linear_coordinate[e] % 3, f->linear_weight[e], row);
        sum += node_product(f, s, f->linear_coordinate[e] / 3, row, row);
    }
    out[s->first_row[TAUT_LINEAR] + c] = sum;
}

/* u = P M^-1 P h f of unknown point n */
TAUT_FN void free_motion(const taut_fields* f, const taut_sizes* s, size_t n, const taut_factors* step) {
    double force[3] = {f->force[3 * n], f->force[3 * n + 1], f->force[3 * n + 2]};
    if (s->levels > 0) {
        collect_children(f, n, step->passive_forces, f->held, force);
    }
    for (size_t a = 0; a < 3; a++) {
        const double acceleration = step->gravity[a] + force[a] / f->mass[n];
        f->free_dv[4 * n + a] = f->inverse_mass[n] > 0 ? step->h * acceleration : 0;
    }
}

/* -(1/l)(phi + (d + alpha h) phidot) of constraint c; b holds J v on entry. */
TAUT_FN void constraint_side(const taut_fields* f, const taut_sizes* s, taut_kind k, size_t rows, size_t c,
                             const taut_factors* step) {
    const taut_kind_fields* kind = &f->kinds[k];
    const double d = damping_of(kind, c, TAUT_PACKED(rows), step);
    const double l = step->alpha * (step->h * step->beta + d);
    for (size_t r = 0; r < rows; r++) {
        const size_t row = s->first_row[k] + place_of(s->count[k], rows, c, r);
        const double phidot = f->b[row] - (kind->rate != NULL ? kind->rate[rows * c + r] : 0);
        f->b[row] = -(f->phi[row] + (d + step->alpha * step->h) * phidot) / l;
    }
}

/* b of unknown i from the constraint side (rows) or Lh v (root rows), less its product with u in `wide`. */
TAUT_FN void complete_side(const taut_fields* f, const taut_sizes* s, size_t i, const taut_factors* step) {
    const double scale = i < s->rows ? 1 : step->beta > 0 ? -1 / step->beta : 0;
    f->b[i] = scale * f->b[i] - f->wide[i];
}

/* Shift and inverse diagonals of unknown i from the diagonal in `wide`. Those of the Schur complement are 0 at condensed
 * unknowns, so that its sums pass over them. */
TAUT_FN void invert_diagonal(const taut_fields* f, const taut_sizes* s, size_t i, const taut_factors* step) {
    const bool condensed = is_condensed(f, s, i);
    const double automatic = f->redundant[i] == TAUT_REDUNDANT  ? TAUT_AUTOMATIC_PROXIMAL
                             : f->redundant[i] == TAUT_STRAIGHT ? TAUT_STRAIGHT_PROXIMAL
                                                                : 0;
    const double proximal = i >= s->rows || condensed ? 0 : step->proximal >= 0 ? step->proximal : automatic;
    const double diagonal = f->wide[i];
    const bool usable = diagonal > 1e-30 && !condensed;
    if (condensed) {
        f->condensed_norm[i] = diagonal > 1e-30 ? (float)(1 / diagonal) : 0;
    }
    f->shift[i] = (float)(proximal * diagonal);
    f->inverse_diagonal[i] = usable ? (float)(1 / diagonal) : 0;
    f->inverse_shifted[i] = usable ? (float)(1 / (diagonal + f->shift[i])) : 0;
}

#endif
