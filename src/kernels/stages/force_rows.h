/* Rows of batches that are used as forces, as the public operators see them. The solver keeps them as rows of the
 * system; eliminated like the factor rows of force elements, they stand in A:
 *
 *     J_f dv + W_f gam_f = c_f      gam_f = W_f^-1 ( c_f - J_f dv )
 *     A += J_f^T W_f^-1 J_f         A u += J_f^T W_f^-1 c_f                  W_f = C/(h l)
 *
 * A force that is explicit has W_f = TAUT_SOFTEST, and is in u already. */
#ifndef TAUT_STAGES_FORCE_ROWS_H
#define TAUT_STAGES_FORCE_ROWS_H

#include "kernels/stages/items.h"
#include "kernels/stages/packed.h"
#include "model/factors.h"

TAUT_FN bool is_used_as_force(const taut_kind_fields* f, size_t c) {
    return f->law != NULL && f->law[c] == TAUT_LAW_FORCE;
}

/* What becomes of a vector over the rows. */
typedef enum force_rows_use {
    FORCE_ROWS_LEFT_OUT, /* 0 at the rows of forces */
    FORCE_ROWS_CONDUCT   /* W_f^-1 of them; 0 at all other rows */
} force_rows_use;

TAUT_FN void conduct_block(const taut_kind_fields* f, size_t rows, size_t c, double* values) {
    double weight[TAUT_PACKED(TAUT_BLOCK_ROWS)], out[TAUT_BLOCK_ROWS];
    for (size_t i = 0; i < TAUT_PACKED(rows); i++) {
        weight[i] = f->weight[TAUT_PACKED(rows) * c + i];
    }
    packed_solve(weight, rows, values, out);
    for (size_t r = 0; r < rows; r++) {
        values[r] = out[r];
    }
}

/* Of constraint c of kind k. */
TAUT_FN void use_force_rows(const taut_fields* f, const taut_sizes* s, int k, size_t rows, size_t c, force_rows_use use,
                            double* vector) {
    const bool force = is_used_as_force(&f->kinds[k], c), conducts = use == FORCE_ROWS_CONDUCT;
    double values[TAUT_BLOCK_ROWS] = {0};
    if (!conducts && !force) {
        return;
    }
    if (conducts && force) {
        for (size_t r = 0; r < rows; r++) {
            values[r] = vector[s->first_row[k] + place_of(s->count[k], rows, c, r)];
        }
        conduct_block(&f->kinds[k], rows, c, values);
    }
    for (size_t r = 0; r < rows; r++) {
        vector[s->first_row[k] + place_of(s->count[k], rows, c, r)] = values[r];
    }
}

#endif
