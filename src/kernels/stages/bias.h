/* Jdot v: what the second derivative of phi along the motion is while the velocities of the unknowns stay as they are,
 *     phi''(v, v) + J b
 * with b the acceleration of mapped points then (frames.h). Of frames, whose velocities turn them, v.G(e_r) v is the
 * change of row r of J along v, times v. */
#ifndef TAUT_STAGES_BIAS_H
#define TAUT_STAGES_BIAS_H

#include "kernels/stages/assemble.h"

#define TAUT_KIND_TEXT "kernels/stages/bias_kind.h"
#include "kernels/formulas/for_each_kind.h"

TAUT_FN void bias_linear(const taut_fields* f, const taut_sizes* s, size_t c, double* out) {
    out[0] = 0;
    for (uint32_t e = f->linear_begin[c]; e < f->linear_begin[c + 1]; e++) {
        const uint32_t coordinate = f->linear_coordinate[e], n = coordinate / 3;
        const bool mapped = taut_is_mapped(s, n);
        out[0] += mapped ? f->linear_weight[e] * f->map_bias[4 * (size_t)n + coordinate % 3] : 0;
    }
}

/* b -= its part of the right-hand side, of the rows of constraint c. */
TAUT_FN void add_bias(const taut_fields* f, const taut_sizes* s, taut_kind k, size_t rows, size_t c,
                      const taut_factors* step, const double* bias) {
    const taut_kind_fields* kind = &f->kinds[k];
    const taut_law* law = law_of(kind, c, step);
    const size_t packed = TAUT_PACKED(rows);
    const double scale = is_solved(kind, c, packed, law) ? law->bias / row_scale(kind, c, law) : 0;
    for (size_t r = 0; r < rows; r++) {
        f->b[s->first_row[k] + place_of(s->count[k], rows, c, r)] -= scale * bias[r];
    }
}

#endif
