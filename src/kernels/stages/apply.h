/* Products with J, its transpose, the factor rows Lh and the compliance term, per node and per constraint. */
#ifndef TAUT_STAGES_APPLY_H
#define TAUT_STAGES_APPLY_H

#include "kernels/stages/items.h"

/* Parts of the unknowns, as bits: rows, factor rows of the geometric stiffness, of masses on mapped points, and of the
 * tangents of force elements. */
enum { TAUT_ROWS = 1, TAUT_FACTOR_ROWS = 2, TAUT_MASSES = 4, TAUT_TANGENTS = 8, TAUT_ALL = 15 };
/* What stands in A. */
#define TAUT_ALL_FACTOR_ROWS (TAUT_FACTOR_ROWS | TAUT_MASSES | TAUT_TANGENTS)
#define TAUT_FACTOR_PART(k)                                                                                            \
    ((int)(k) == (int)TAUT_INERTIA ? TAUT_MASSES : is_load_kind(k) ? TAUT_TANGENTS : TAUT_FACTOR_ROWS)

/* out += W u with the packed symmetric block W. */
TAUT_FN void add_weighted(const float* packed, const real* u, size_t rows, real* out) {
    size_t at = 0;
    for (size_t r = 0; r < rows; r++) {
        for (size_t c = 0; c < r; c++, at++) {
            out[r] += packed[at] * u[c];
            out[c] += packed[at] * u[r];
        }
        out[r] += packed[at++] * u[r];
    }
}

/* Whether contact c pulls at nothing. Most are there only because they might close. */
TAUT_FN bool is_idle_contact(const real* u, size_t count, size_t c) {
    return u[place_of(count, contact_ROWS, c, 0)] == 0 && u[place_of(count, contact_ROWS, c, 1)] == 0 &&
           u[place_of(count, contact_ROWS, c, 2)] == 0;
}

#define TAUT_KIND_TEXT "kernels/stages/apply_kind.h"
#include "kernels/formulas/for_each_kind.h"

TAUT_FN void apply_jacobian_transpose_node_linear(const taut_fields* f, size_t n, const real* u, real sum[3]) {
    const taut_kind_fields* kind = &f->kinds[TAUT_LINEAR];
    for (uint32_t i = kind->offsets[n]; i < kind->offsets[n + 1]; i++) {
        const uint32_t e = kind->incidence[i];
        add_to_axis(f->linear_coordinate[e] % 3, (real)f->linear_weight[e] * u[f->linear_row[e]], sum);
    }
}

/* J g of linear row c, whose weights stay where it is absent */
TAUT_FN real linear_row(const taut_fields* f, size_t c, const real* g, size_t stride) {
    const uint32_t end = is_absent(&f->kinds[TAUT_LINEAR], c) ? f->linear_begin[c] : f->linear_begin[c + 1];
    real sum = 0;
    for (uint32_t e = f->linear_begin[c]; e < end; e++) {
        const uint32_t coordinate = f->linear_coordinate[e];
        sum += (real)f->linear_weight[e] * g[stride * (coordinate / 3) + coordinate % 3];
    }
    return sum;
}

TAUT_FN void apply_jacobian_rows_linear(const taut_fields* f, size_t count, size_t c, const real* g, size_t stride,
                                        const real* u, bool inner, real* out) {
    (void)count;
    out[c] = linear_row(f, c, g, stride);
    if (u != NULL) {
        const taut_kind_fields* kind = &f->kinds[TAUT_LINEAR];
        add_weighted((inner ? kind->record : kind->weight) + c, u + c, 1, out + c);
    }
}

/* Of the parts asked for, those that there are. */
TAUT_FN int parts_present(const taut_sizes* s, int parts) {
    return s->has_factor_rows[TAUT_DISTANCE] ? parts : parts & ~TAUT_FACTOR_ROWS;
}

#define TAUT_PULL(name, k)                                                                                             \
    if (s->count[k] > 0) {                                                                                             \
        apply_jacobian_transpose_node_##name(&f->kinds[k], s->count[k], 0, n, parts, u + s->first_row[k],              \
                                             u + s->first_factor_row[k], sum);                                         \
    }

/* sum = [J^T Lh^T] u at node n of parts that are present; of the kinds that concern particles alone. */
TAUT_FN_HOT void apply_jacobian_transpose_plain_node(const taut_fields* f, const taut_sizes* s, size_t n, int parts,
                                                     const real* u, real sum[3]) {
    sum[0] = sum[1] = sum[2] = 0;
    TAUT_PLAIN_KINDS(TAUT_PULL)
    if (s->count[TAUT_LINEAR] > 0 && (parts & TAUT_ROWS)) {
        apply_jacobian_transpose_node_linear(f, n, u + s->first_row[TAUT_LINEAR], sum);
    }
}

/* The same of all kinds, without what its children pull. Force elements are rare enough not to stand in the loop above,
 * which plain scenes go through for every node. */
TAUT_FN void apply_jacobian_transpose_node(const taut_fields* f, const taut_sizes* s, size_t n, int parts,
                                           const real* u, real sum[3]) {
    apply_jacobian_transpose_plain_node(f, s, n, parts, u, sum);
    TAUT_GRAPH_KINDS(TAUT_PULL)
    TAUT_LOAD_KINDS(TAUT_PULL)
}
#undef TAUT_PULL

/* The same with what its active children pull, whose own sums are in g (n x 4). */
TAUT_FN void apply_jacobian_transpose_with_children(const taut_fields* f, const taut_sizes* s, size_t n, int parts,
                                                    const real* u, const real* g, real sum[3]) {
    apply_jacobian_transpose_node(f, s, n, parts, u, sum);
    if (s->active_levels > 0) {
        collect_children(f, n, false, g, sum);
    }
}

#endif
