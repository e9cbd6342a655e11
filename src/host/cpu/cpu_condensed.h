/* The condensed system on the CPU: its numbers, products and preconditioner. */
#ifndef TAUT_CPU_CPU_CONDENSED_H
#define TAUT_CPU_CPU_CONDENSED_H

#include "host/cpu/cpu_state.h"
#include "kernels/stages/packed.h"

/* Wh, after the diagonal of S and before anything overwrites it in `wide`. */
void condense_weights(taut_backend_state* state, const taut_factors* step);
/* Whether some row that lasts has a shift. */
bool condense_has_shift(const taut_plan* plan);
/* Within a solve: what lasts loses its shift, which factors do without, or has it again. Overwrites `wide`. */
void condense_weigh_again(taut_backend_state* state, bool exactly);
/* Whether contact c or its couple stands in H: its 3 x 3 conductance is not 0. Most contacts are there only because
 * they might close. */
static inline bool condense_conducts(const taut_kind_fields* kind, size_t c) {
    const float* g = kind->conductance + TAUT_PACKED(3) * c;
    return g[packed_index(0, 0)] != 0 || g[packed_index(1, 1)] != 0 || g[packed_index(2, 2)] != 0;
}
/* The matrix of the assembled system, its diagonal blocks D, and numbers of the preconditioner. These and D may wait:
 * taut_refresh_waits. */
void condense_refresh(taut_backend_state* state);
/* What has waited. */
void condense_refresh_due(taut_backend_state* state);
/* z = B r with B near the inverse of H, nodes x 4; returns r.z. z is 0 at fixed nodes, mapped points and nodes of the
 * Schur complement. */
double condense_precondition(const taut_backend_state* state, const float* r, float* z);
/* q = H p, nodes x 4; p gets its mapped points. Overwrites the unknowns' q. */
void condense_multiply(const taut_plan* plan, float* p, float* q);
/* out = H p in float64 without contacts, by the matrix of level 0 of a scene with them; n x 4, but for the last of
 * each. */
void condense_multiply_lasting(const taut_plan* plan, const float* p, double* out);

#endif
