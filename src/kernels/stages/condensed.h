/* The condensed system: the step in velocities instead of impulses.
 *
 * With K = [J; Lh], Wt = C/(h l) (+) I and dv = u + w, u the free motion, the step is
 *     M w - K^T gam = 0
 *     K w + Wt gam  = b
 * Stiff rows get a proximal shift E, the others E = 0, and with Wh = (Wt + E)^-1, H = P(M + K^T Wh K)P an outer
 * iteration is r_c = b - K w - Wt gam r   = P( K^T (gam + Wh r_c) - M w ) H dw = r,   w += dw,   gam += Wh (b - K w -
 * Wt gam) Its fixed point solves the step whatever E and Wh are; after an outer iteration r_c = E (change of gam), so
 * rows without a shift have none. The shift follows from a triangular factor of W: a pivot w below a part s of d, the
 * diagonal of J M^-1 J^T, gets (1 - w / (s d)) t d, both parts as in model/factors.c.
 *
 * Text for a file that has defined TAUT_REAL as double; products with H are in condensed_product.h. */
#ifndef TAUT_STAGES_CONDENSED_H
#define TAUT_STAGES_CONDENSED_H

#include "kernels/stages/apply.h"
#include "kernels/stages/assemble.h"
#include "kernels/stages/contact/friction.h"
#include "kernels/stages/frames.h"
#include "kernels/stages/project.h"
#include "kernels/stages/solve.h"

/* A pivot below this part of its diagonal is rounding: the block is semidefinite, such as that of an incompressible
 * element. */
#define TAUT_SEMIDEFINITE 1e-5
/* Keeps Wh inside float32. */
#define TAUT_STIFFEST 1e30
/* D, the diagonal block of H at a node, gets this part of its trace, so that its inverse is positive definite in
 * float32 as well. */
#define TAUT_BLOCK_FLOOR 1e-6

/* ---- assemble: Wh -------------------------------------------------------------------------------------------------
 */

/* L P L^T = W + E with unit lower triangular L; returns whether E is not 0. `product`: the diagonal of J M^-1 J^T. A
 * hard row without free nodes keeps the pivot 0. */
TAUT_FN bool factor_shifted(size_t rows, const float* packed, const double* product, const taut_factors* step,
                            double l[TAUT_BLOCK_ROWS][TAUT_BLOCK_ROWS], double* pivot) {
    bool shifted = false;
    for (size_t r = 0; r < rows; r++) {
        const double diagonal = packed[packed_index(r, r)];
        double rest = diagonal;
        for (size_t c = 0; c < r; c++) {
            double value = packed[packed_index(r, c)];
            for (size_t k = 0; k < c; k++) {
                value -= l[r][k] * pivot[k] * l[c][k];
            }
            l[r][c] = pivot[c] > 0 ? value / pivot[c] : 0;
            rest -= l[r][c] * l[r][c] * pivot[c];
        }
        const double share = step->condensed_proximal * product[r], end = step->condensed_soft * product[r];
        const double rounding = TAUT_SEMIDEFINITE * diagonal;
        const double raised = rest > 0 && rest < end ? rest + share * (1 - rest / end) : rest < end ? share : rest;
        shifted = shifted || raised > rest || rest < rounding;
        pivot[r] = raised < rounding ? rounding : raised;
    }
    return shifted;
}

/* (L P L^T)^-1, packed */
TAUT_FN void invert_factor(size_t rows, double l[TAUT_BLOCK_ROWS][TAUT_BLOCK_ROWS], const double* pivot,
                           float* inverse) {
    double columns[TAUT_BLOCK_ROWS][TAUT_BLOCK_ROWS]; /* of L^-1: [column][row] */
    for (size_t c = 0; c < rows; c++) {
        for (size_t r = 0; r < rows; r++) {
            columns[c][r] = r == c;
            for (size_t k = c; k < r; k++) {
                columns[c][r] -= l[r][k] * columns[c][k];
            }
        }
    }
    for (size_t r = 0, at = 0; r < rows; r++) {
        for (size_t c = 0; c <= r; c++, at++) {
            double sum = 0;
            for (size_t k = r; k < rows; k++) {
                sum += pivot[k] > 0 ? columns[r][k] * columns[c][k] / pivot[k] : 0;
            }
            inverse[at] = (float)(sum > TAUT_STIFFEST ? TAUT_STIFFEST : sum < -TAUT_STIFFEST ? -TAUT_STIFFEST : sum);
        }
    }
}

/* Row r of constraint c, unknown i, is in H unless something holds it. Rows with bounds are not coupled by their
 * blocks. */
TAUT_FN void condense_hold(const taut_fields* f, int k, size_t rows, size_t c, size_t r, size_t i, taut_hold hold) {
    f->hold[i] = (uint8_t)hold;
    if (has_bounds(f, i)) {
        f->kinds[k].conductance[c * TAUT_PACKED(rows) + packed_index(r, r)] =
            hold == TAUT_HELD_NOT ? f->free_conductance[i] : 0;
    }
}

/* E of a row with bounds, relative to its part of J M^-1 J^T: where it is stiffer than that. Much less of it, and what
 * is to be solved would bend so sharply where a row comes to its bound that no step could go beyond. */
#define TAUT_BOUNDED_PROXIMAL 1e-3

/* Wh of constraint c with bounds, in the place of what the others have. */
TAUT_FN void condense_weigh_bounded(const taut_fields* f, const taut_sizes* s, int k, size_t rows, size_t c,
                                    const double* product) {
    for (size_t r = 0; r < rows; r++) {
        const size_t i = s->first_row[k] + place_of(s->count[k], rows, c, r);
        const double w = f->kinds[k].weight[c * TAUT_PACKED(rows) + packed_index(r, r)];
        const double least = TAUT_BOUNDED_PROXIMAL * product[r], whole = w < least ? least : w;
        f->condensed[i] = w < least ? TAUT_CONDENSED_SHIFTED : TAUT_CONDENSED;
        f->free_conductance[i] = whole > 0 ? (float)(1 / whole) : 0;
        condense_hold(f, k, rows, c, r, i, (taut_hold)f->hold[i]);
    }
}

/* Puts contact c into H as the projection of z has it; leaves u = P(z). */
TAUT_FN taut_contact_state condense_project(const taut_fields* f, const taut_sizes* s, size_t c,
                                            const taut_factors* step, const double z[3], double u[3]) {
    double wh[3];
    for (size_t r = 0; r < contact_ROWS; r++) {
        wh[r] = f->free_conductance[row_of_contact(s, c, r)];
    }
    return project_contact(f, c, step, f->contact_limit[c], wh, z, u,
                           f->kinds[TAUT_CONTACT].conductance + TAUT_PACKED(contact_ROWS) * c);
}

/* E of a contact, relative to its part of J D^-1 J^T, D the diagonal blocks of H without contacts. */
#define TAUT_CONTACT_PROXIMAL 1

/* Whether the node in `slot` of a contact is the centre of a body, or its frame. */
TAUT_FN bool is_of_body(const taut_kind_fields* contacts, size_t c, int slot) {
    const double* arm =
        contacts->rest + contact_REST * c + contact_arm + (is_of_second(contacts, TAUT_CONTACT, c, slot) ? 3 : 0);
    return arm[0] != 0 || arm[1] != 0 || arm[2] != 0;
}

/* product += J D^-1 J^T at node n, where the three rows of a contact or its couple are these; where D does not tell
 * what gives way, J M^-1 J^T: at mapped points, which have none, and of bodies. Joints make D of these as stiff as the
 * solver's E has hard rows, though all that they hold together gives way. */
TAUT_FN void add_contact_products(const taut_fields* f, const taut_sizes* s, size_t n, bool of_body,
                                  double rows[TAUT_MAX_ROWS][3], double product[3]) {
    double inverse[6], moved[3];
    for (int i = 0; i < 6; i++) {
        inverse[i] = f->diagonal_block_inverse[6 * n + (size_t)i];
    }
    for (int r = 0; r < 3; r++) {
        sym3_apply(inverse, rows[r], moved);
        product[r] +=
            of_body || taut_is_mapped(s, n) ? node_product(f, s, n, rows[r], rows[r]) : vec3_dot(rows[r], moved);
    }
}

/* J D^-1 J^T of contact c, as above; the part of the second thing along the normal. */
TAUT_FN double contact_products(const taut_fields* f, const taut_sizes* s, size_t c, double product[3]) {
    const taut_kind_fields* kind = &f->kinds[TAUT_CONTACT];
    double rows[TAUT_MAX_ROWS][3], second = 0;
    product[0] = product[1] = product[2] = 0;
    for (int slot = 0; slot < contact_NODES; slot++) {
        const double before = product[0];
        explicit_rows_contact(kind->record + c * taut_record_contact, NULL, slot, rows);
        add_contact_products(f, s, kind->nodes[contact_NODES * c + (size_t)slot], is_of_body(kind, c, slot), rows,
                             product);
        second += is_of_second(kind, TAUT_CONTACT, c, slot) ? product[0] - before : 0;
    }
    return second;
}

/* The same of its couple. */
TAUT_FN void rolling_products(const taut_fields* f, const taut_sizes* s, size_t c, double product[3]) {
    double rows[TAUT_MAX_ROWS][3];
    product[0] = product[1] = product[2] = 0;
    for (int slot = 0; slot < rolling_NODES; slot++) {
        explicit_rows_rolling(f->kinds[TAUT_ROLLING].record + c * taut_record_rolling, NULL, slot, rows);
        add_contact_products(f, s, f->kinds[TAUT_ROLLING].nodes[rolling_NODES * c + (size_t)slot], true, rows, product);
    }
}

/* Wh of the couple of contact c, likewise. */
TAUT_FN void condense_weigh_rolling(const taut_fields* f, const taut_sizes* s, size_t c, const taut_factors* step) {
    float* weight = f->kinds[TAUT_ROLLING].weight + TAUT_PACKED(rolling_ROWS) * c;
    float* conductance = f->kinds[TAUT_ROLLING].conductance + TAUT_PACKED(rolling_ROWS) * c;
    const double* law = f->material_law + TAUT_CONTACT_LAW * (size_t)f->contact_law[c];
    double product[rolling_ROWS];
    rolling_products(f, s, c, product);
    if (step->regularised) {
        const contact_duty duty = duty_of_load(0, step);
        regularise(product[0] > product[1] ? product[0] : product[1], 0, 0, &duty, weight);
    }
    const double across = product[1] > product[2] ? product[1] : product[2];
    for (size_t r = 0; r < rolling_ROWS; r++) {
        const size_t i = s->first_row[TAUT_ROLLING] + place_of(s->count[TAUT_ROLLING], rolling_ROWS, c, r);
        const double w = weight[packed_index(r, r)], least = TAUT_CONTACT_PROXIMAL * (r == 0 ? product[0] : across);
        const double whole = w < least ? least : w;
        const bool resists = law[r == 0 ? TAUT_PAIR_SPINNING : TAUT_PAIR_ROLLING] > 0;
        f->condensed[i] = TAUT_CONDENSED_SHIFTED;
        f->hold[i] = 0;
        f->free_conductance[i] = whole > 0 ? (float)(1 / whole) : 0;
        conductance[packed_index(r, r)] = resists ? f->free_conductance[i] : 0;
    }
}

/* H has nothing of contact c. */
TAUT_FN void condense_leave_contact(const taut_fields* f, const taut_sizes* s, size_t c) {
    for (size_t r = 0; r < contact_ROWS; r++) {
        f->free_conductance[row_of_contact(s, c, r)] = 0;
        f->kinds[TAUT_CONTACT].conductance[TAUT_PACKED(contact_ROWS) * c + packed_index(r, r)] = 0;
    }
}

/* Wh of contact c, when H is whole but for contacts: both tangents have one value, so that discs and cones stay round.
 * Until the first look H has it as if it stuck. */
TAUT_FN void condense_weigh_contact(const taut_fields* f, const taut_sizes* s, size_t c, const taut_factors* step) {
    float* weight = f->kinds[TAUT_CONTACT].weight + TAUT_PACKED(contact_ROWS) * c;
    float* conductance = f->kinds[TAUT_CONTACT].conductance + TAUT_PACKED(contact_ROWS) * c;
    double product[contact_ROWS];
    if (!is_in_system(f, s, row_of_contact(s, c, 0))) {
        condense_leave_contact(f, s, c);
        return;
    }
    const double second = contact_products(f, s, c, product);
    const double across = product[1] > product[2] ? product[1] : product[2];
    if (step->regularised) {
        const contact_duty duty = duty_of_contact(f, s, c, step);
        regularise(product[0] - second, second, across, &duty, weight);
    }
    const double along = fmax(product[0], TAUT_CONTACT_HELD * across);
    const bool rough = friction_of(f, c) > 0;
    for (size_t r = 0; r < contact_ROWS; r++) {
        const size_t i = row_of_contact(s, c, r);
        const double w = weight[packed_index(r, r)], least = TAUT_CONTACT_PROXIMAL * (r == 0 ? along : across);
        const double whole = w < least ? least : w;
        f->condensed[i] = TAUT_CONDENSED_SHIFTED;
        f->hold[i] = TAUT_CONTACT_STICKS;
        f->free_conductance[i] = whole > 0 ? (float)(1 / whole) : 0;
        conductance[packed_index(r, r)] = r == 0 || rough ? f->free_conductance[i] : 0;
    }
    if (s->rolls) {
        condense_weigh_rolling(f, s, c, step);
    }
}

/* The bound of friction in the first look at contact c, from the first guess of its impulse, or where that is 0 from
 * what drives it. */
TAUT_FN void condense_first_limit(const taut_fields* f, const taut_sizes* s, size_t c) {
    const size_t i = row_of_contact(s, c, 0);
    const double driven = f->free_conductance[i] * f->b[i], normal = f->gam[i] > 0 ? f->gam[i] : driven;
    f->contact_limit[c] = friction_of(f, c) * (normal > 0 ? normal : 0);
    if (s->rolls) {
        f->rolling_normal[c] = normal;
    }
}

/* Wh of condensed constraint c of a kind with `rows`, from the diagonal of S in `wide`; says of its rows whether they
 * have a shift. */
TAUT_FN void condense_weigh(const taut_fields* f, const taut_sizes* s, int k, size_t rows, size_t c,
                            const taut_factors* step) {
    const size_t first = s->first_row[k], count = s->count[k];
    if (!is_condensed(f, s, first + place_of(count, rows, c, 0))) {
        return;
    }
    const float* weight = f->kinds[k].weight + c * TAUT_PACKED(rows);
    double l[TAUT_BLOCK_ROWS][TAUT_BLOCK_ROWS], pivot[TAUT_BLOCK_ROWS], product[TAUT_BLOCK_ROWS];
    for (size_t r = 0; r < rows; r++) {
        product[r] = f->wide[first + place_of(count, rows, c, r)] - weight[packed_index(r, r)];
    }
    if (k >= (int)TAUT_CONTACT || is_absent(&f->kinds[k], c)) { /* contacts later; so their couples */
        for (size_t v = 0; v < TAUT_PACKED(rows); v++) {
            f->kinds[k].conductance[c * TAUT_PACKED(rows) + v] = 0;
        }
        for (size_t r = 0; k < (int)TAUT_CONTACT && r < rows; r++) {
            f->condensed[first + place_of(count, rows, c, r)] = TAUT_CONDENSED;
        }
        return;
    }
    const bool shifted = factor_shifted(rows, weight, product, step, l, pivot);
    invert_factor(rows, l, pivot, f->kinds[k].conductance + c * TAUT_PACKED(rows));
    for (size_t r = 0; r < rows; r++) {
        f->condensed[first + place_of(count, rows, c, r)] = shifted ? TAUT_CONDENSED_SHIFTED : TAUT_CONDENSED;
    }
    if (s->bounded && has_bounds(f, first + place_of(count, rows, c, 0))) {
        condense_weigh_bounded(f, s, k, rows, c, product);
    }
}

/* Whether the rows of constraint c have a shift. */
TAUT_FN bool condense_is_shifted(const taut_fields* f, const taut_sizes* s, int k, size_t rows, size_t c) {
    return f->condensed[s->first_row[k] + place_of(s->count[k], rows, c, 0)] == TAUT_CONDENSED_SHIFTED;
}

/* ---- refresh: the diagonal blocks of H ----------------------------------------------------------------------------
 */

/* block += sum of rows[r] wh[r, c] rows[c]^T; `wh` NULL: the identity. */
TAUT_FN void add_block(int count, const double (*rows)[3], const float* wh, double block[6]) {
    for (int r = 0; r < count; r++) {
        double sum[3] = {0, 0, 0};
        for (int c = 0; c < count; c++) {
            vec3_axpy(wh != NULL ? wh[packed_index((size_t)r, (size_t)c)] : r == c, rows[c], sum);
        }
        for (int i = 0; i < 3; i++) {
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            block[i] += rows[r][i] * sum[i];
            block[3 + i] += rows[r][j] * sum[k];
        }
    }
}

#define TAUT_KIND_TEXT "kernels/stages/condensed_kind.h"
#include "kernels/formulas/for_each_kind.h"

/* Entries of one row at one node follow each other, each with an axis of its own. */
TAUT_FN void add_blocks_linear(const taut_fields* f, size_t n, double block[6]) {
    const taut_kind_fields* kind = &f->kinds[TAUT_LINEAR];
    uint32_t i = kind->offsets[n];
    while (i < kind->offsets[n + 1]) {
        const uint32_t row = f->linear_row[kind->incidence[i]];
        double rows[1][3] = {{0, 0, 0}};
        for (; i < kind->offsets[n + 1] && f->linear_row[kind->incidence[i]] == row; i++) {
            const uint32_t e = kind->incidence[i];
            rows[0][f->linear_coordinate[e] % 3] += f->linear_weight[e];
        }
        add_block(1, (const double(*)[3])rows, kind->conductance + row, block);
    }
}

/* block += J_e^T child J_e */
TAUT_FN void add_child_block(const taut_fields* f, size_t e, const double child[6], double block[6]) {
    double pulled[3][3]; /* columns */
    for (int i = 0; i < 3; i++) {
        const double unit[3] = {i == 0 ? 1.0 : 0, i == 1 ? 1.0 : 0, i == 2 ? 1.0 : 0};
        double moved[3] = {0, 0, 0}, force[3];
        map_apply_jacobian(f, e, unit, moved);
        sym3_apply(child, moved, force);
        pulled[i][0] = pulled[i][1] = pulled[i][2] = 0;
        map_apply_jacobian_transpose(f, e, force, pulled[i]);
    }
    for (int i = 0; i < 3; i++) {
        block[i] += pulled[i][i];
        block[3 + i] += pulled[(i + 1) % 3][(i + 2) % 3];
    }
}

#define TAUT_ADD_BLOCKS(name, k)                                                                                       \
    if (s->count[k] > 0) {                                                                                             \
        add_blocks_##name(&f->kinds[k], 0, s->has_factor_rows[k], n, block);                                           \
    }

/* [J; Lh]^T Wh [J; Lh] at node n, its children's with it, into its place among the inverses: of mapped points until
 * their parents have it, deepest level first. What joins entries of one child is left out. */
TAUT_FN void condense_block(const taut_fields* f, const taut_sizes* s, size_t n, double block[6]) {
    for (int i = 0; i < 6; i++) {
        block[i] = 0;
    }
    TAUT_FORMULA_KINDS(TAUT_ADD_BLOCKS)
    if (s->count[TAUT_LINEAR] > 0) {
        add_blocks_linear(f, n, block);
    }
    for (uint32_t i = s->active_levels > 0 ? f->child_begin[n] : 0; s->active_levels > 0 && i < f->child_split[n];
         i++) {
        const uint32_t e = f->child_entry[i];
        const float* stored = f->diagonal_block_inverse + 6 * (size_t)f->map_child[e];
        const double child[6] = {stored[0], stored[1], stored[2], stored[3], stored[4], stored[5]};
        add_child_block(f, e, child, block);
    }
}
#undef TAUT_ADD_BLOCKS

TAUT_FN bool is_condensed_unknown(const taut_fields* f, size_t n) {
    return f->condensed_node[n] && f->inverse_mass[n] > 0;
}

TAUT_FN void condense_mapped_block(const taut_fields* f, const taut_sizes* s, size_t n) {
    double block[6];
    condense_block(f, s, n, block);
    for (size_t i = 0; i < 6; i++) {
        f->diagonal_block_inverse[6 * n + i] = (float)block[i];
    }
}

/* The inverse of the block of H at node n, which is overwritten; 0 at nodes that are no unknowns. */
TAUT_FN void condense_invert_block(const taut_fields* f, size_t n, double block[6]) {
    double inverse[6] = {0, 0, 0, 0, 0, 0};
    if (is_condensed_unknown(f, n)) {
        const double least = TAUT_BLOCK_FLOOR * (block[0] + block[1] + block[2]);
        for (int i = 0; i < 3; i++) {
            block[i] += least;
        }
        sym3_invert(block, inverse);
    }
    for (size_t i = 0; i < 6; i++) {
        f->diagonal_block_inverse[6 * n + i] = (float)inverse[i];
    }
}

/* The inverse at an unknown node. */
TAUT_FN void condense_node_block(const taut_fields* f, const taut_sizes* s, size_t n) {
    double block[6] = {0, 0, 0, 0, 0, 0};
    if (is_condensed_unknown(f, n)) {
        condense_block(f, s, n, block);
        for (int i = 0; i < 6; i++) {
            const double point = i < 3 ? 1 / (double)f->inverse_mass[n] : 0;
            block[i] += n >= s->points ? f->frame_block[6 * (n - s->points) + (size_t)i] : point;
        }
    }
    condense_invert_block(f, n, block);
}

/* ---- solve, in float64 --------------------------------------------------------------------------------------------
 */

/* Sums over constraints. */
typedef struct condensed_sums {
    double rows;                      /* r_c^2, or b^2, in the norm of the inverse diagonal of S */
    double energy;                    /* b.Wh b */
    double complementarity;           /* r_c^2 likewise, of rows with bounds */
    double changed;                   /* rows that a bound holds or has let go since the last look */
    double length2, turned, impulse2; /* of the change of contacts' impulses: taut_impulse_change */
} condensed_sums;

/* The sums of b over the rows of constraint c. */
TAUT_FN void condense_side(const taut_fields* f, const taut_sizes* s, int k, size_t rows, size_t c,
                           const taut_factors* step, condensed_sums* sums) {
    const size_t first = s->first_row[k], count = s->count[k];
    double b[TAUT_BLOCK_ROWS], u[TAUT_BLOCK_ROWS] = {0};
    if (!is_in_system(f, s, first + place_of(count, rows, c, 0))) {
        return;
    }
    for (size_t r = 0; r < rows; r++) {
        b[r] = bounded_side(f, s, first + place_of(count, rows, c, r), step);
    }
    add_weighted(f->kinds[k].conductance + c * TAUT_PACKED(rows), b, rows, u);
    for (size_t r = 0; r < rows; r++) {
        sums->rows += b[r] * b[r] * f->condensed_norm[first + place_of(count, rows, c, r)];
        sums->energy += b[r] * u[r];
    }
}

/* The same of factor row i. */
TAUT_FN void condense_factor_side(const taut_fields* f, const taut_sizes* s, size_t i, condensed_sums* sums) {
    if (is_condensed(f, s, i)) {
        sums->rows += f->b[i] * f->b[i] * f->condensed_norm[i];
        sums->energy += f->b[i] * f->b[i];
    }
}

/* Wh Wt from which on a row has no shift: both are rounded to float32. */
#define TAUT_NO_SHIFT (1 - 1e-6)

/* Wh of row i with its shift times `shift`, where it has one. */
TAUT_FN double condense_closer(const taut_fields* f, size_t i, double weight, double shift) {
    const double wh = f->free_conductance[i];
    if (shift != 1 && wh > 0 && wh * weight < TAUT_NO_SHIFT) {
        const double whole = shift / wh;
        f->free_conductance[i] = (float)(1 / (whole > weight ? whole : weight));
    }
    return f->free_conductance[i];
}

/* Of constraint c with bounds, as condense_residual: its multipliers are those of the augmented Lagrangian within them,
 * gam = P( gam + Wh r_c ), and a row leaves H where that is at a bound. */
TAUT_FN void condense_residual_bounded(const taut_fields* f, const taut_sizes* s, int k, size_t rows, size_t c,
                                       taut_residual_mode mode, const taut_factors* step, condensed_sums* sums) {
    const taut_kind_fields* kind = &f->kinds[k];
    for (size_t r = 0; r < rows; r++) {
        const size_t i = s->first_row[k] + place_of(s->count[k], rows, c, r);
        const bool shifted = f->condensed[i] == TAUT_CONDENSED_SHIFTED;
        const taut_impulse_bounds bounds = impulse_bounds(f, i, step);
        const double w = kind->weight[c * TAUT_PACKED(rows) + packed_index(r, r)];
        double wh = f->free_conductance[i];
        double gam = f->gam[i], left = f->b[i] - f->wide[i];
        if (mode.updates || !shifted) {
            const double next = within_bounds(gam + wh * left, bounds);
            left -= w * (next - gam);
            gam = next;
        }
        wh = condense_closer(f, i, w, mode.shift);
        const double unbounded = gam + wh * left, u = within_bounds(unbounded, bounds);
        f->unbounded[2 * i + 1] = unbounded;
        const taut_hold hold = unbounded < u ? TAUT_HELD_LOWER : unbounded > u ? TAUT_HELD_UPPER : TAUT_HELD_NOT;
        const bool changed = hold != (taut_hold)f->hold[i];
        condense_hold(f, k, rows, c, r, i, hold);
        f->gam[i] = shifted ? gam : u;
        f->wide[i] = u;
        left = hold_of(gam, left, bounds) != TAUT_HELD_NOT ? 0 : left;
        sums->rows += shifted ? left * left * f->condensed_norm[i] : 0;
        sums->complementarity += shifted ? left * left * f->condensed_norm[i] : 0;
        sums->changed += changed;
    }
}

/* Impulses, what is left of b, Wh and wishes of the rows of contact c or its couple. */
TAUT_FN void condense_load_three(const taut_fields* f, const taut_sizes* s, taut_kind k, size_t c, double gam[3],
                                 double left[3], double wh[3], double z[3]) {
    const size_t first = s->first_row[k], count = s->count[k];
    double motion[3];
    load_unknowns_f64(f->gam + first, count, 3, c, gam);
    load_unknowns_f64(f->b + first, count, 3, c, left);
    load_unknowns_f64(f->wide + first, count, 3, c, motion);
    for (size_t r = 0; r < 3; r++) {
        wh[r] = f->free_conductance[first + place_of(count, 3, c, r)];
        left[r] -= motion[r];
        z[r] = gam[r] + wh[r] * left[r];
    }
}

/* Where their impulses go when they change: to their wishes, or so many times further as they last changed. */
TAUT_FN void condense_aim_three(const taut_fields* f, const taut_sizes* s, taut_kind k, size_t c,
                                taut_residual_mode mode, const double gam[3], double z[3]) {
    for (size_t r = 0; r < 3 && mode.extrapolation > 0; r++) {
        const size_t i = s->first_row[k] + place_of(s->count[k], 3, c, r);
        z[r] = gam[r] + mode.extrapolation * f->followed[i];
    }
}

/* They change from gam to u: what is left of b with the weights of the kind, their shift, and the way that they have
 * gone. */
TAUT_FN void condense_change_three(const taut_fields* f, const taut_sizes* s, taut_kind k, size_t c,
                                   taut_residual_mode mode, const double u[3], double gam[3], double left[3],
                                   double wh[3], double z[3], condensed_sums* sums) {
    const float* weight = f->kinds[k].weight + TAUT_PACKED(3) * c;
    for (size_t r = 0; r < 3; r++) {
        const size_t i = s->first_row[k] + place_of(s->count[k], 3, c, r);
        const double w = weight[packed_index(r, r)], change = u[r] - gam[r], norm = f->condensed_norm[i];
        sums->length2 += norm > 0 ? change * change / norm : 0;
        sums->turned += norm > 0 ? change * f->followed[i] / norm : 0;
        sums->impulse2 += norm > 0 ? u[r] * u[r] / norm : 0;
        f->followed[i] = (float)change;
        left[r] -= w * change;
        gam[r] = u[r];
        wh[r] = condense_closer(f, i, w, mode.shift);
        z[r] = gam[r] + wh[r] * left[r];
    }
}

/* -d / gam of contact c, whose impulse has just changed by d; 0 where it grows. */
TAUT_FN double condense_closing(const taut_fields* f, const taut_sizes* s, size_t c) {
    const size_t i = row_of_contact(s, c, 0);
    return is_in_system(f, s, i) && f->gam[i] > 0 && f->followed[i] < 0 ? -f->followed[i] / f->gam[i] : 0;
}

/* Of what drives a contact of a body: the law is missed by no less where its friction might act in any other direction.
 */
#define TAUT_CONTACT_MISSES 1e-2

/* Whether something turns in contact c. */
TAUT_FN bool has_arms(const taut_fields* f, size_t c) {
    const double* arm = f->kinds[TAUT_CONTACT].rest + contact_REST * c + contact_arm;
    bool any = false;
    for (int i = 0; i < 6; i++) {
        any = any || arm[i] != 0;
    }
    return any;
}

/* How far the impulses of a contact or couple are from the law. */
typedef struct condense_miss {
    double by[3], z[3], u[3]; /* weights, wishes by these, and what the law makes of them */
    double least;             /* of a row that counts by these weights */
} condense_miss;

/* Weights that undo what is left with all that bears it. By Wh, which is closer to the law, friction of a ball that
 * rolls on a heavy plate could be at its bound, in any direction, and miss nothing. */
TAUT_FN condense_miss condense_miss_of(const taut_fields* f, const taut_sizes* s, taut_kind k, size_t c,
                                       const double gam[3], const double left[3], const double wh[3]) {
    const size_t first = s->first_row[k], count = s->count[k];
    const double one = f->condensed_norm[first + place_of(count, 3, c, 1)];
    const double other = f->condensed_norm[first + place_of(count, 3, c, 2)];
    const double norm[3] = {f->condensed_norm[first + place_of(count, 3, c, 0)], fmax(one, other), fmax(one, other)};
    condense_miss miss;
    miss.least = 0;
    for (size_t r = 0; r < 3; r++) {
        miss.by[r] = norm[r] > 0 ? fmin(wh[r], norm[r]) : wh[r];
        miss.z[r] = gam[r] + miss.by[r] * left[r];
    }
    return miss;
}

/* Keeps their wishes z for a search along the step; adds what they miss of the law, by which they were u. `miss`: NULL:
 * by no other weights. */
TAUT_FN void condense_note_three(const taut_fields* f, const taut_sizes* s, taut_kind k, size_t c, const double gam[3],
                                 const double wh[3], const double z[3], const double u[3], const condense_miss* miss,
                                 condensed_sums* sums) {
    for (size_t r = 0; r < 3; r++) {
        const size_t i = s->first_row[k] + place_of(s->count[k], 3, c, r);
        const double closer = wh[r] > 0 ? (u[r] - gam[r]) / wh[r] : 0;
        const double nearer = miss != NULL && miss->by[r] > 0 ? (miss->u[r] - gam[r]) / miss->by[r] : 0;
        const double missing = miss != NULL && fabs(nearer) > miss->least ? nearer : closer;
        const double square = missing * missing * f->condensed_norm[i];
        f->unbounded[2 * i + 1] = z[r];
        sums->rows += square;
        sums->complementarity += square;
    }
}

/* Of the couple of contact c, likewise, when that has been done: its bounds are those of the contact's impulse,
 * `normal` as it is now. */
TAUT_FN void condense_residual_rolling(const taut_fields* f, const taut_sizes* s, size_t c, taut_residual_mode mode,
                                       double normal, condensed_sums* sums) {
    const size_t first = s->first_row[TAUT_ROLLING], count = s->count[TAUT_ROLLING];
    double gam[3], left[3], wh[3], z[3], u[3];
    condense_load_three(f, s, TAUT_ROLLING, c, gam, left, wh, z);
    if (mode.updates || mode.extrapolation > 0) {
        condense_aim_three(f, s, TAUT_ROLLING, c, mode, gam, z);
        project_rolling(f, c, f->rolling_normal[c], wh, z, u, NULL);
        condense_change_three(f, s, TAUT_ROLLING, c, mode, u, gam, left, wh, z, sums);
    }
    const uint8_t state = (uint8_t)project_rolling(f, c, f->rolling_normal[c], wh, z, u,
                                                   f->kinds[TAUT_ROLLING].conductance + TAUT_PACKED(rolling_ROWS) * c);
    const size_t at = first + place_of(count, rolling_ROWS, c, 0);
    sums->changed += state != f->hold[at];
    f->hold[at] = state;
    store_unknowns_f64(gam, count, rolling_ROWS, c, f->gam + first);
    store_unknowns_f64(u, count, rolling_ROWS, c, f->wide + first);
    condense_miss miss = condense_miss_of(f, s, TAUT_ROLLING, c, gam, left, wh);
    project_rolling(f, c, normal, wh, z, u, NULL);
    project_rolling(f, c, normal, miss.by, miss.z, miss.u, NULL);
    condense_note_three(f, s, TAUT_ROLLING, c, gam, wh, z, u, &miss, sums);
}

/* Of contact c, likewise, with the law of friction in the place of bounds. Its bound is that of the last time that the
 * multipliers followed; what is reported takes it as it is now. Without a shift impulses always follow. */
TAUT_FN void condense_residual_contact(const taut_fields* f, const taut_sizes* s, size_t c, taut_residual_mode mode,
                                       const taut_factors* step, condensed_sums* sums) {
    const size_t first = s->first_row[TAUT_CONTACT], count = s->count[TAUT_CONTACT];
    double gam[3], left[3], wh[3], z[3], u[3];
    condense_load_three(f, s, TAUT_CONTACT, c, gam, left, wh, z);
    if (mode.updates || mode.extrapolation > 0) {
        condense_aim_three(f, s, TAUT_CONTACT, c, mode, gam, z);
        project_contact(f, c, step, friction_of(f, c) * (z[0] > 0 ? z[0] : 0), wh, z, u, NULL);
        condense_change_three(f, s, TAUT_CONTACT, c, mode, u, gam, left, wh, z, sums);
        f->contact_limit[c] += mode.bound * (friction_of(f, c) * gam[0] - f->contact_limit[c]);
        if (s->rolls) {
            f->rolling_normal[c] += mode.bound * (gam[0] - f->rolling_normal[c]);
        }
    }
    const uint8_t state = (uint8_t)condense_project(f, s, c, step, z, u);
    const size_t at = first + place_of(count, contact_ROWS, c, 0);
    sums->changed += state != f->hold[at];
    f->hold[at] = state;
    for (int r = 0; r < contact_ROWS && f->condensed[at] == TAUT_CONDENSED; r++) {
        gam[r] = u[r];
    }
    store_unknowns_f64(gam, count, contact_ROWS, c, f->gam + first);
    store_unknowns_f64(u, count, contact_ROWS, c, f->wide + first);
    if (s->rolls) {
        condense_residual_rolling(f, s, c, mode, u[0], sums);
    }
    project_contact(f, c, step, friction_of(f, c) * u[0], wh, z, u, NULL);
    if (!has_arms(f, c)) {
        condense_note_three(f, s, TAUT_CONTACT, c, gam, wh, z, u, NULL, sums);
        return;
    }
    condense_miss miss = condense_miss_of(f, s, TAUT_CONTACT, c, gam, left, wh);
    miss.least = TAUT_CONTACT_MISSES * (gravity_of(step) * step->h + fabs(f->b[at]));
    project_contact(f, c, step, friction_of(f, c) * fmax(miss.z[0], 0.0), miss.by, miss.z, miss.u, NULL);
    condense_note_three(f, s, TAUT_CONTACT, c, gam, wh, z, u, &miss, sums);
}

/* ---- along a step: rows with bounds -------------------------------------------------------------------------------
 */

TAUT_FN void condense_line_begin(const taut_fields* f, size_t i) {
    f->unbounded[2 * i] = f->unbounded[2 * i + 1];
}

/* Subtracts (K dw).u of constraint c, whose rows have bounds, at a share of the step, row by row; K dw follows from how
 * its unbounded multiplier changes. Returns whether u is not 0. */
TAUT_FN bool condense_line_sum(const taut_fields* f, const taut_sizes* s, int k, size_t rows, size_t c,
                               const taut_factors* step, double share, double* sum) {
    const bool contact = k == (int)TAUT_CONTACT, couple = k == (int)TAUT_ROLLING;
    double z[TAUT_BLOCK_ROWS], u[TAUT_BLOCK_ROWS], wh[TAUT_BLOCK_ROWS], change[TAUT_BLOCK_ROWS];
    bool acts = false;
    for (size_t r = 0; r < rows; r++) {
        const size_t i = s->first_row[k] + place_of(s->count[k], rows, c, r);
        change[r] = f->unbounded[2 * i + 1] - f->unbounded[2 * i];
        z[r] = f->unbounded[2 * i] + share * change[r];
        wh[r] = f->free_conductance[i];
        u[r] = contact || couple ? 0 : within_bounds(z[r], impulse_bounds(f, i, step));
    }
    if (contact) {
        project_contact(f, c, step, f->contact_limit[c], wh, z, u, NULL);
    } else if (couple) {
        project_rolling(f, c, f->rolling_normal[c], wh, z, u, NULL);
    }
    for (size_t r = 0; r < rows; r++) {
        *sum -= wh[r] > 0 ? change[r] / wh[r] * u[r] : 0;
        acts = acts || u[r] != 0;
    }
    return acts;
}

/* The same at the ends of the parts of a search. What is 0 at both ends is 0 in between: projections that are 0 are
 * those of a convex set. */
TAUT_FN void condense_line_sums(const taut_fields* f, const taut_sizes* s, int k, size_t rows, size_t c,
                                const taut_factors* step, const taut_line_search* search, taut_line_sums* sums) {
    const size_t first = s->first_row[k] + place_of(s->count[k], rows, c, 0);
    const bool contact = k == (int)TAUT_CONTACT, couple = k == (int)TAUT_ROLLING;
    if (!is_in_system(f, s, first) || !(contact || couple || has_bounds(f, first))) {
        return;
    }
    const taut_line_sums before = *sums;
    const double begin = taut_line_share(search, 0), end = taut_line_share(search, TAUT_LINE_PARTS);
    const bool acts_first = condense_line_sum(f, s, k, rows, c, step, begin, &sums->bent[0]);
    const bool acts_last = condense_line_sum(f, s, k, rows, c, step, end, &sums->bent[TAUT_LINE_PARTS]);
    for (int part = 1; part < TAUT_LINE_PARTS && (acts_first || acts_last); part++) {
        condense_line_sum(f, s, k, rows, c, step, taut_line_share(search, part), &sums->bent[part]);
    }
    const bool bounded = !couple && (!contact || has_given_bound(f, c, step));
    for (int part = 0; part <= TAUT_LINE_PARTS && bounded; part++) {
        sums->bounded[part] += sums->bent[part] - before.bent[part];
    }
}

/* Of constraint c, with K w + Wt gam in `wide`: where multipliers follow gam += Wh r_c for w as it is now, and r_c
 * changes by -Wt Wh r_c. Rows without a shift always do so, and twice, since Wh is rounded: nothing is left of their
 * r_c. wide = gam + Wh r_c; the sum of r_c of rows with a shift. */
TAUT_FN void condense_residual(const taut_fields* f, const taut_sizes* s, int k, size_t rows, size_t c,
                               taut_residual_mode mode, const taut_factors* step, condensed_sums* sums) {
    const size_t first = s->first_row[k], count = s->count[k];
    const float* wh = f->kinds[k].conductance + c * TAUT_PACKED(rows);
    const size_t row = first + place_of(count, rows, c, 0);
    double left[TAUT_BLOCK_ROWS], gam[TAUT_BLOCK_ROWS], u[TAUT_BLOCK_ROWS];
    if (!is_in_system(f, s, row)) {
        return;
    }
    if (k == (int)TAUT_CONTACT) {
        condense_residual_contact(f, s, c, mode, step, sums);
        return;
    }
    if (k == (int)TAUT_ROLLING) { /* done with its contact, whose impulse it needs */
        return;
    }
    if (s->bounded && has_bounds(f, row)) {
        condense_residual_bounded(f, s, k, rows, c, mode, step, sums);
        return;
    }
    const bool shifted = f->condensed[row] == TAUT_CONDENSED_SHIFTED;
    load_unknowns_f64(f->gam + first, count, rows, c, gam);
    load_unknowns_f64(f->b + first, count, rows, c, left);
    for (size_t r = 0; r < rows; r++) {
        left[r] -= f->wide[first + place_of(count, rows, c, r)];
    }
    if (mode.updates || !shifted) {
        double change[TAUT_BLOCK_ROWS] = {0}, undone[TAUT_BLOCK_ROWS] = {0};
        add_weighted(wh, left, rows, change);
        add_weighted(f->kinds[k].weight + c * TAUT_PACKED(rows), change, rows, undone);
        for (size_t r = 0; r < rows; r++) {
            gam[r] += change[r];
            left[r] -= undone[r];
        }
    }
    for (size_t r = 0; r < rows; r++) {
        u[r] = gam[r];
        sums->rows += shifted ? left[r] * left[r] * f->condensed_norm[first + place_of(count, rows, c, r)] : 0;
    }
    add_weighted(wh, left, rows, u);
    store_unknowns_f64(shifted ? gam : u, count, rows, c, f->gam + first);
    store_unknowns_f64(u, count, rows, c, f->wide + first);
}

/* The same of factor row i, whose Wt and Wh are 1. */
TAUT_FN void condense_factor(const taut_fields* f, const taut_sizes* s, size_t i) {
    if (is_condensed(f, s, i)) {
        f->gam[i] += f->b[i] - f->wide[i];
        f->wide[i] = f->gam[i];
    }
}

/* Residuals of nodes are measured in the norm of the preconditioner, which the multilevel one makes the energy of the
 * error, near r.H^-1 r; of Jacobi and without one that is D^-1. They are relative to what forces do in the step:
 *     multilevel   |M u|^2 in that norm, what external forces would do against all constraints, + M dv.dv
 *     else         |M u|^2 + |M w|^2 in the norm of D^-1
 * and at least to this part of the root of b.Wh b + v.M v: below lies what rounding leaves of forces that cancel, as in
 * a body under stress at rest, or of a motion that nothing disturbs. */
#define TAUT_BALANCED 1e-6

/* What residuals are relative to: of rows |b| in the norm of the inverse diagonal of S, of nodes as above, `response`
 * the first term of the multilevel one. rows and nodes are 0 where nothing drives the step. */
typedef struct condensed_scale {
    double rows, nodes, response;
} condensed_scale;

TAUT_FN condensed_scale condensed_scale_of(const condensed_sums* b, double kinetic, double response) {
    const condensed_scale scale = {sqrt(b->rows), TAUT_BALANCED * sqrt(b->energy + kinetic), response};
    return scale;
}

TAUT_FN void condensed_scale_least(condensed_scale* scale, double least) {
    scale->rows = scale->rows > least ? scale->rows : least;
    scale->nodes = scale->nodes > least ? scale->nodes : least;
}

/* Whether anything acts at node n but forces: constraints, children, and contacts; of these, where `first`, only those
 * that had an impulse in the first guess. */
TAUT_FN bool is_acted_on(const taut_fields* f, const taut_sizes* s, size_t n, bool first) {
    const taut_kind_fields* contacts = &f->kinds[TAUT_CONTACT];
    const bool seeks = first && s->count[TAUT_CONTACT] > 0;
    bool acts = s->active_levels > 0 && f->child_split[n] > f->child_begin[n];
    for (int k = 0; k < TAUT_KIND_COUNT && !acts; k++) {
        const bool looks = s->count[k] > 0 && !(first && k >= (int)TAUT_CONTACT && k <= (int)TAUT_ROLLING);
        acts = looks && f->kinds[k].offsets[n + 1] > f->kinds[k].offsets[n];
    }
    for (uint32_t i = seeks ? contacts->offsets[n] : 0; seeks && !acts && i < contacts->offsets[n + 1]; i++) {
        const size_t c = contacts->incidence[i] / contact_NODES;
        const size_t row = row_of_contact(s, c, 0);
        acts = f->gam[row] != 0 && !is_void(f, s, row);
    }
    return acts;
}

/* Momentum M u of node n as a residual; returns v.M v. Neither of what nothing acts on, for which nothing is solved. */
TAUT_FN double condense_node_drive(const taut_fields* f, const taut_sizes* s, size_t n) {
    double momentum[3] = {0, 0, 0}, moving[3] = {0, 0, 0};
    const bool unknown = is_condensed_unknown(f, n) && is_acted_on(f, s, n, false);
    if (unknown) {
        node_mass(f, s, n, f->free_dv + 4 * n, momentum);
        node_mass(f, s, n, f->v + 3 * n, moving);
    }
    for (size_t a = 0; a < 4; a++) {
        f->node_r[4 * n + a] = a < 3 ? (float)momentum[a] : 0;
    }
    return unknown ? vec3_dot(moving, f->v + 3 * n) : 0;
}

/* Sums over nodes. */
typedef struct condensed_motion {
    double residual; /* r.D^-1 r */
    double momentum; /* M dv.dv where `energy`, else |M u|^2 + |M w|^2 in the norm of D^-1 */
} condensed_motion;

/* r = P(force - M w) of node n from K^T gam or K^T (gam + Wh r_c) in `force` and w (n x 4), 0 where w is no unknown of
 * the condensed system; adds to the sums. */
TAUT_FN void condense_node_residual(const taut_fields* f, const taut_sizes* s, size_t n, const double* w,
                                    const double* force, bool energy, condensed_motion* sums) {
    double r[3] = {0, 0, 0};
    if (is_condensed_unknown(f, n)) {
        const double* u = f->free_dv + 4 * n;
        double held[3], driven[3], inverse[6], divided[3];
        for (size_t i = 0; i < 6; i++) {
            inverse[i] = f->diagonal_block_inverse[6 * n + i];
        }
        node_mass(f, s, n, w + 4 * n, held);
        node_mass(f, s, n, u, driven);
        vec3_sub(force + 4 * n, held, r);
        sym3_apply(inverse, r, divided);
        sums->residual += vec3_dot(r, divided);
        if (!is_acted_on(f, s, n, false)) {
            held[0] = held[1] = held[2] = driven[0] = driven[1] = driven[2] = 0;
        }
        if (energy) {
            const double dv[3] = {u[0] + w[4 * n], u[1] + w[4 * n + 1], u[2] + w[4 * n + 2]};
            sums->momentum += vec3_dot(held, dv) + vec3_dot(driven, dv);
        } else {
            sym3_apply(inverse, held, divided);
            sums->momentum += vec3_dot(held, divided);
            sym3_apply(inverse, driven, divided);
            sums->momentum += vec3_dot(driven, divided);
        }
    }
    for (size_t a = 0; a < 4; a++) {
        f->node_r[4 * n + a] = a < 3 ? (float)r[a] : 0;
    }
}

/* Where a solve stands. */
typedef struct condensed_residual {
    double rows;  /* |r_c|, relative */
    double nodes; /* |P(K^T gam - M w)|, relative to what all forces do in the step. Relative to |P K^T Wh b| stiff rows
                     would be all that counts: soft motions might be wrong by as much as they are softer */
    double length; /* |r|, absolute */
    double scale;  /* of nodes */
} condensed_residual;

/* `balance` with gam, `start` with gam + Wh r_c. */
TAUT_FN condensed_residual condensed_residual_of(condensed_scale scale, condensed_motion balance,
                                                 condensed_motion start, double rows2) {
    const double momentum = sqrt(balance.momentum + scale.response);
    const double nodes = momentum < scale.nodes ? scale.nodes : momentum;
    const condensed_residual r = {sqrt(rows2) / (scale.rows > 0 ? scale.rows : 1),
                                  sqrt(balance.residual) / (nodes > 0 ? nodes : 1), sqrt(start.residual), nodes};
    return r;
}

/* What is reported: the larger one, or what is not a number. */
TAUT_FN double condensed_worst(condensed_residual r) {
    return r.rows > r.nodes || r.rows != r.rows ? r.rows : r.nodes;
}

/* taut_step_end.enough */
TAUT_FN double condensed_enough(condensed_residual r, double tolerance) {
    return r.rows <= tolerance ? tolerance * r.scale : (double)INFINITY;
}

/* What the outer loop looks at: rows until they are solved, since they take the more outer iterations, and where they
 * contradict each other none helps. A length that is not a number, as of a smoothing that is not positive, leaves no
 * next outer iteration. */
TAUT_FN double condensed_guide(condensed_residual r, double tolerance) {
    if (r.length != r.length) {
        return r.length;
    }
    return r.rows <= tolerance ? r.nodes : r.rows;
}

/* The same measure of how things were before the last outer iteration, by which that is judged. One that has solved
 * rows did not stall, whatever it made of nodes. */
TAUT_FN double condensed_guide_before(condensed_residual before, condensed_residual now, double tolerance) {
    return now.rows > tolerance ? before.rows : before.rows <= tolerance ? before.nodes : INFINITY;
}

/* |r| at which the next outer iteration ends, in parts of what it starts from. What is left of it then are the nodes'
 * residuals; while rows are left, outer iterations follow that undo more accuracy. */
TAUT_FN double condensed_outer_goal(condensed_residual r, double tolerance, bool active_set_changed) {
    const double enough = tolerance * r.scale / 2;
    const double part = active_set_changed    ? TAUT_ACTIVE_SET_REDUCTION
                        : r.rows <= tolerance ? TAUT_OUTER_REDUCTION
                                              : TAUT_PROXIMAL_REDUCTION;
    const double least = part * r.length;
    const double goal = least > enough || r.rows > tolerance ? least : enough;
    return r.length > 0 ? goal / r.length : 0;
}

/* w = dv - u of an iterate of Newton's method. */
TAUT_FN void condense_guess_iterate(const taut_fields* f, size_t n, double* w) {
    for (size_t a = 0; a < 4; a++) {
        w[4 * n + a] = a < 3 && is_condensed_unknown(f, n) ? f->iterate[3 * n + a] - f->free_dv[4 * n + a] : 0;
    }
}

/* w = dv - u of the last step, as a first guess; `carry` = h / (that step), or 0 for a cold start. Where nothing pulls
 * w is 0: what a body that tumbles changes its velocity by is u, another one in each step. Conjugate gradients that
 * solved for the difference would take everything else with them, and what is at rest would shake. */
TAUT_FN void condense_first_guess(const taut_fields* f, const taut_sizes* s, size_t n, double carry, double* w) {
    const bool pulled = carry > 0 && is_condensed_unknown(f, n) && is_acted_on(f, s, n, true);
    for (size_t a = 0; a < 4; a++) {
        const bool moves = a < 3 && pulled;
        w[4 * n + a] = moves ? carry * f->dv[3 * n + a] - f->free_dv[4 * n + a] : 0;
    }
}

#endif
