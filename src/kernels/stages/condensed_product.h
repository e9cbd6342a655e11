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

/* q = P(M p + force) at node n, 0 at mapped points and where nothing is condensed; all n x 4. */
TAUT_FN void condense_close(const taut_fields* f, const taut_sizes* s, size_t n, const real* p, const real* force,
                            real* q) {
    const bool unknown = f->condensed_node[n] && f->inverse_mass[n] > 0;
    real own[3];
    node_mass(f, s, n, p + 4 * n, own);
    for (size_t a = 0; a < 3; a++) {
        q[4 * n + a] = unknown ? own[a] + force[4 * n + a] : 0;
    }
    q[4 * n + 3] = 0;
}

/* The first constraint of kind k that comes and goes: contacts, their couples, and what is added to a running world. */
TAUT_FN size_t first_changing(const taut_sizes* s, int k) {
    return k == (int)TAUT_CONTACT || k == (int)TAUT_ROLLING ? 0 : s->count[k] - s->reserved[k];
}

/* force = K^T y of these at node n. */
TAUT_FN void apply_changing_transpose(const taut_fields* f, const taut_sizes* s, size_t n, const real* y,
                                      real force[3]) {
    const int parts = parts_present(s, TAUT_ALL);
    force[0] = force[1] = force[2] = 0;
#define TAUT_PULL_CHANGING(name, k)                                                                                    \
    if (first_changing(s, k) < s->count[k]) {                                                                          \
        apply_jacobian_transpose_node_##name(&f->kinds[k], s->count[k], first_changing(s, k), n, parts,                \
                                             y + s->first_row[k], y + s->first_factor_row[k], force);                  \
    }
    TAUT_CHANGING_KINDS(TAUT_PULL_CHANGING)
#undef TAUT_PULL_CHANGING
}

/* The same with what its active children pull, whose own forces are in g (n x 4). */
TAUT_FN void carry_changing_transpose(const taut_fields* f, const taut_sizes* s, size_t n, const real* y, const real* g,
                                      real force[3]) {
    apply_changing_transpose(f, s, n, y, force);
    if (s->carries) {
        collect_children(f, n, false, g, force);
    }
}

/* sum = H p at node n (n x 4) by the blocks of its row, in float64, as terms cancel where H is stiff. */
TAUT_FN_HOT void condense_product_row(const taut_level* level, size_t n, const real* p, double sum[3]) {
    sum[0] = sum[1] = sum[2] = 0;
    for (uint32_t k = level->a_begin[n]; k < level->a_begin[n + 1]; k++) {
        const double* a = level->a_value + 9 * (size_t)k;
        const real* from = p + 4 * (size_t)level->a_column[k];
        for (int r = 0; r < 3; r++) {
            sum[r] += a[3 * r] * from[0] + a[3 * r + 1] * from[1] + a[3 * r + 2] * from[2];
        }
    }
}

/* Completes q = H p at node n from the sums of its row. y = Wh K p of constraints that come and go; NULL: there are
 * none. Where they are carried, q has their forces at mapped points. */
TAUT_FN_HOT void condense_product_close(const taut_fields* f, const taut_sizes* s, const taut_level* level, size_t n,
                                        const real* p, const real* y, double sum[3], real* q) {
    if (y != NULL && f->condensed_node[n] && f->inverse_mass[n] > 0 && level->a_begin[n] < level->a_begin[n + 1]) {
        const double* own = f->changing_block + 6 * n; /* xx, yy, zz, yz, zx, xy */
        const real* x = p + 4 * n;
        real force[3];
        carry_changing_transpose(f, s, n, y, q, force);
        for (int r = 0; r < 3; r++) {
            const int a = (r + 1) % 3, b = (r + 2) % 3;
            sum[r] += force[r] - (own[r] * x[r] + own[3 + b] * x[a] + own[3 + a] * x[b]);
        }
    }
    for (int r = 0; r < 3; r++) {
        q[4 * n + (size_t)r] = (real)sum[r];
    }
    q[4 * n + 3] = 0;
}

/* q = H p at node n (n x 4). */
TAUT_FN_HOT void condense_product(const taut_fields* f, const taut_sizes* s, const taut_level* level, size_t n,
                                  const real* p, const real* y, real* q) {
    double sum[3];
    condense_product_row(level, n, p, sum);
    condense_product_close(f, s, level, n, p, y, sum, q);
}

#endif
