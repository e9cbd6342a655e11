/* Projected Gauss-Seidel on the Schur complement, with bounds and friction, in float64: impulses gam and the motion g
 * that they give stay together, g = P M^-1 P J^T gam, and each constraint in turn takes what is left of b at its rows,
 *
 *     r = b - J g - W gam.
 *
 * A contact goes by its own block B = J P M^-1 P J^T + W. By Coulomb's law first its normal, u_n = max(0, gam_n + r_n /
 * B_nn), then both tangents with what is left of r and the bound mu u_n, by one step of projected gradient with the
 * largest eigenvalue of their block; by the relaxed law all three, by one such step on the cone. Its couple follows
 * likewise. So what stands still under sweeps is what T of projected.h leaves as it is. Other constraints go as in
 * gauss_seidel.h.
 *
 * Costs: a sweep reads 28 values and 6 nodes of a contact, about as much as half a product with S; colours go one after
 * another. Text for a file that has defined TAUT_REAL as double. */
#ifndef TAUT_CONTACT_CONTACT_SWEEP_H
#define TAUT_CONTACT_CONTACT_SWEEP_H

#include "kernels/stages/contact/projected.h"
#include "kernels/stages/gauss_seidel.h"

/* ---- blocks of contacts and their couples --------------------------------------------------------------------------
 */

/* block = J P M^-1 P J^T, packed, from what column r moves at its nodes; nodes may stand in more slots than one. */
TAUT_FN void contact_block_column(const taut_fields* f, const taut_sizes* s, const contact_jacobian* jac,
                                  const uint32_t* nodes, int r, double* block) {
    const double unit[3] = {r == 0 ? 1.0 : 0.0, r == 1 ? 1.0 : 0.0, r == 2 ? 1.0 : 0.0};
    double moved[contact_NODES][3], out[3];
    for (int i = 0; i < contact_NODES; i++) {
        double force[3] = {0, 0, 0};
        for (int j = 0; j < contact_NODES; j++) {
            if (nodes[j] == nodes[i]) {
                apply_jacobian_transpose_at_contact(jac, unit, j, force);
            }
        }
        node_inverse(f, s, nodes[i], force, moved[i]);
    }
    contact_apply_jacobian(jac, moved, out);
    for (int i = r; i < 3; i++) {
        block[packed_index((size_t)i, (size_t)r)] = out[i];
    }
}

TAUT_FN void rolling_block_column(const taut_fields* f, const taut_sizes* s, const rolling_jacobian* jac,
                                  const uint32_t* nodes, int r, double* block) {
    const double unit[3] = {r == 0 ? 1.0 : 0.0, r == 1 ? 1.0 : 0.0, r == 2 ? 1.0 : 0.0};
    double moved[rolling_NODES][3], out[3];
    for (int i = 0; i < rolling_NODES; i++) {
        double force[3] = {0, 0, 0};
        for (int j = 0; j < rolling_NODES; j++) {
            if (nodes[j] == nodes[i]) {
                apply_jacobian_transpose_at_rolling(jac, unit, j, force);
            }
        }
        node_inverse(f, s, nodes[i], force, moved[i]);
    }
    rolling_apply_jacobian(jac, moved, out);
    for (int i = r; i < 3; i++) {
        block[packed_index((size_t)i, (size_t)r)] = out[i];
    }
}

/* Blocks of contact c and its couple, for the assembled system. */
TAUT_FN void contact_blocks(const taut_fields* f, const taut_sizes* s, size_t c) {
    const taut_kind_fields *of_contact = &f->kinds[TAUT_CONTACT], *of_couple = &f->kinds[TAUT_ROLLING];
    contact_jacobian contact;
    rolling_jacobian couple;
    load_product_contact(of_contact->record + c * (size_t)taut_record_contact, &contact);
    for (int r = 0; r < 3; r++) {
        contact_block_column(f, s, &contact, of_contact->nodes + contact_NODES * c, r, f->contact_block + 6 * c);
    }
    for (size_t i = 0; i < 6; i++) {
        f->contact_block[6 * c + i] += of_contact->weight[6 * c + i];
    }
    if (!s->rolls) {
        return;
    }
    load_product_rolling(of_couple->record + c * (size_t)taut_record_rolling, &couple);
    for (int r = 0; r < 3; r++) {
        rolling_block_column(f, s, &couple, of_couple->nodes + rolling_NODES * c, r, f->rolling_block + 6 * c);
    }
    for (size_t i = 0; i < 6; i++) {
        f->rolling_block[6 * c + i] += of_couple->weight[6 * c + i];
    }
}

/* The largest eigenvalue of the block across the normal. */
TAUT_FN double across_largest(const double block[6]) {
    const double middle = (block[2] + block[5]) / 2, apart = (block[2] - block[5]) / 2;
    return middle + sqrt(apart * apart + block[4] * block[4]);
}

TAUT_FN double inverse_or_0(double value) {
    return value > 0 ? 1 / value : 0;
}

/* Steps along the normal and across it of projected gradient on all three rows at once: with the block scaled to have
 * the largest eigenvalue 1 of either part, all of it has at most 1 + |what couples them|. */
TAUT_FN void joint_steps(const double block[6], double step[3]) {
    const double along = inverse_or_0(block[0]), across = inverse_or_0(across_largest(block));
    const double coupled = sqrt((block[1] * block[1] + block[3] * block[3]) * along * across);
    step[0] = along / (1 + coupled);
    step[1] = step[2] = across / (1 + coupled);
}

/* ---- contacts ------------------------------------------------------------------------------------------------------
 */

/* Three rows of a sweep: what their impulses are, what is left at them, and what they become. */
typedef struct sweep_three {
    double now[3], rest[3], next[3];
} sweep_three;

/* From J g in `rest`: b - J g - W gam. */
TAUT_FN void sweep_three_load(const taut_fields* f, const taut_sizes* s, taut_kind k, size_t c, sweep_three* t) {
    const float* weight = f->kinds[k].weight + 6 * c;
    double b[3];
    load_unknowns_f64(f->gam + s->first_row[k], s->count[k], 3, c, t->now);
    load_unknowns_f64(f->b + s->first_row[k], s->count[k], 3, c, b);
    for (size_t r = 0; r < 3; r++) {
        double weighted = 0;
        for (size_t j = 0; j < 3; j++) {
            weighted += weight[packed_index(r, j)] * t->now[j];
        }
        t->rest[r] = b[r] - t->rest[r] - weighted;
    }
}

TAUT_FN void sweep_contact_rows(const taut_fields* f, size_t c, const taut_factors* step, sweep_three* t) {
    const double* block = f->contact_block + 6 * c;
    double along[3], z[3];
    if (step->convex) {
        joint_steps(block, along);
        for (int r = 0; r < 3; r++) {
            z[r] = t->now[r] + along[r] * t->rest[r];
        }
        project_contact(f, c, step, 0, along, z, t->next, NULL);
        return;
    }
    along[0] = inverse_or_0(block[0]);
    along[1] = along[2] = inverse_or_0(across_largest(block));
    z[0] = t->now[0] + along[0] * t->rest[0];
    const double normal = z[0] > 0 ? z[0] : 0, change = normal - t->now[0];
    z[1] = t->now[1] + along[1] * (t->rest[1] - block[1] * change);
    z[2] = t->now[2] + along[2] * (t->rest[2] - block[3] * change);
    project_contact(f, c, step, friction_of(f, c) * normal, along, z, t->next, NULL);
}

/* g += P M^-1 P J^T change at one node. */
TAUT_FN void sweep_push(const taut_fields* f, const taut_sizes* s, uint32_t n, const double force[3]) {
    double moved[3];
    node_inverse(f, s, n, force, moved);
    for (size_t a = 0; a < 3; a++) {
        f->g_f64[4 * (size_t)n + a] += moved[a];
    }
}

/* Gives the three rows of constraint c of kind k their impulses; the change goes to `rest`. False where nothing
 * changes. */
TAUT_FN bool sweep_three_store(const taut_fields* f, const taut_sizes* s, taut_kind k, size_t c, sweep_three* t) {
    bool changes = false;
    for (int r = 0; r < 3; r++) {
        t->rest[r] = t->next[r] - t->now[r];
        changes = changes || t->rest[r] != 0;
    }
    store_unknowns_f64(t->next, s->count[k], 3, c, f->gam + s->first_row[k]);
    return changes;
}

TAUT_FN void sweep_couple(const taut_fields* f, const taut_sizes* s, size_t c, double normal) {
    const taut_kind_fields* kind = &f->kinds[TAUT_ROLLING];
    const uint32_t* nodes = kind->nodes + rolling_NODES * c;
    double motion[rolling_NODES][3], along[3], z[3];
    rolling_jacobian jac;
    sweep_three t;
    load_product_rolling(kind->record + c * (size_t)taut_record_rolling, &jac);
    if (jac.weight[0] == 0 && jac.weight[1] == 0) {
        return;
    }
    gather(f->g_f64, 4, nodes, rolling_NODES, motion);
    rolling_apply_jacobian(&jac, motion, t.rest);
    sweep_three_load(f, s, TAUT_ROLLING, c, &t);
    joint_steps(f->rolling_block + 6 * c, along);
    for (int r = 0; r < 3; r++) {
        z[r] = t.now[r] + along[r] * t.rest[r];
    }
    project_rolling(f, c, normal, along, z, t.next, NULL);
    if (!sweep_three_store(f, s, TAUT_ROLLING, c, &t)) {
        return;
    }
    for (int i = 0; i < rolling_NODES; i++) {
        double force[3] = {0, 0, 0};
        apply_jacobian_transpose_at_rolling(&jac, t.rest, i, force);
        if (jac.weight[i] != 0 && f->inverse_mass[nodes[i]] > 0) {
            sweep_push(f, s, nodes[i], force);
        }
    }
}

/* Whether a contact acts at the node in `slot`. */
TAUT_FN bool sweep_acts(const contact_jacobian* jac, int slot) {
    const double* arm = jac->arm[slot > 4 ? 1 : 0];
    return slot < 4 ? jac->weight[slot] != 0 : arm[0] != 0 || arm[1] != 0 || arm[2] != 0;
}

/* Contact c and its couple. Nodes that cannot move are read alone: contacts of a colour may share them. */
TAUT_FN void sweep_contact(const taut_fields* f, const taut_sizes* s, size_t c, const taut_factors* step) {
    const taut_kind_fields* kind = &f->kinds[TAUT_CONTACT];
    const uint32_t* nodes = kind->nodes + contact_NODES * c;
    double motion[contact_NODES][3];
    contact_jacobian jac;
    sweep_three t;
    load_product_contact(kind->record + c * (size_t)taut_record_contact, &jac);
    gather(f->g_f64, 4, nodes, contact_NODES, motion);
    contact_apply_jacobian(&jac, motion, t.rest);
    sweep_three_load(f, s, TAUT_CONTACT, c, &t);
    sweep_contact_rows(f, c, step, &t);
    const bool changes = sweep_three_store(f, s, TAUT_CONTACT, c, &t);
    for (int i = 0; changes && i < contact_NODES; i++) {
        double force[3] = {0, 0, 0};
        apply_jacobian_transpose_at_contact(&jac, t.rest, i, force);
        if (sweep_acts(&jac, i) && f->inverse_mass[nodes[i]] > 0) {
            sweep_push(f, s, nodes[i], force);
        }
    }
    if (s->rolls) {
        sweep_couple(f, s, c, t.next[0]);
    }
}

/* ---- other constraints
 *
 * Their K is rounded to float32 and may be a product of rounded numbers, so that b - K g would end where that is 0, not
 * b - S gam. What an outer iteration changes is little: with r, gam and g as they were when it began,
 *     rest = r - K (g - g0) - W (gam - gam0). */

/* Value i of r and gam, and of g, where S gam stands in `wide`. */
TAUT_FN void sweep_open(const taut_fields* f, const taut_sizes* s, size_t i) {
    if (i < s->unknowns) {
        f->r[i] = (float)(f->b[i] - f->wide[i]);
        f->gam_before[i] = f->gam[i];
    }
    if (i < 4 * s->nodes) {
        f->node_scratch[i] = f->g_f64[i];
    }
}

/* C/(h l) of a member's rows, packed. */
TAUT_FN const float* member_weight(const taut_fields* f, const taut_sizes* s, uint32_t member, int* rows) {
    size_t c;
    switch (kind_of_given(s, member, &c)) {
#define TAUT_MEMBER_WEIGHT(name, k)                                                                                    \
    case k:                                                                                                            \
        *rows = name##_ROWS;                                                                                           \
        return f->kinds[k].weight + c * (size_t)TAUT_PACKED(name##_ROWS);
        TAUT_FORMULA_KINDS(TAUT_MEMBER_WEIGHT)
#undef TAUT_MEMBER_WEIGHT
    default:
        *rows = 1;
        return f->kinds[TAUT_LINEAR].weight + c;
    }
}

TAUT_FN void sweep_given_rest(const taut_fields* f, const taut_sizes* s, const taut_system* h, size_t block, int size,
                              double* rest) {
    const uint32_t *unknown = f->block_unknown + f->block_begin[block], member = f->block_member[block];
    const float* k = f->sweep_row + 3 * f->sweep_begin[block];
    int rows;
    const float* weight = member_weight(f, s, member, &rows);
    for (int i = 0; i < size; i++) {
        double weighted = i < rows ? 0 : f->gam[unknown[i]] - f->gam_before[unknown[i]];
        for (int j = 0; i < rows && j < rows; j++) {
            weighted += weight[packed_index((size_t)i, (size_t)j)] * (f->gam[unknown[j]] - f->gam_before[unknown[j]]);
        }
        rest[i] = f->r[unknown[i]] - weighted;
    }
    for (uint32_t i = h->support_begin[member]; i < h->support_begin[member + 1]; i++, k += 3 * size) {
        const size_t at = 4 * (size_t)h->support_node[i];
        for (size_t a = 0; a < 3; a++) {
            const double moved = f->g_f64[at + a] - f->node_scratch[at + a];
            for (int r = 0; r < size; r++) {
                rest[r] -= k[3 * (size_t)r + a] * moved;
            }
        }
    }
}

/* The constraint of a block, as contacts go; `delta` is not used, so that it is 0 for sweep_bound. */
TAUT_FN void sweep_given(const taut_fields* f, const taut_sizes* s, const taut_system* h, size_t block,
                         const taut_factors* step) {
    const int size = (int)(f->block_begin[block + 1] - f->block_begin[block]);
    const uint32_t *unknown = f->block_unknown + f->block_begin[block], member = f->block_member[block];
    const float *k = f->sweep_row + 3 * f->sweep_begin[block],
                *inverse = f->block_inverse + f->block_value_begin[block];
    double rest[TAUT_MAX_ROWS];
    float change[TAUT_MAX_ROWS];
    sweep_given_rest(f, s, h, block, size, rest);
    for (int i = 0; i < size; i++) {
        double sum = 0;
        for (int j = 0; j < size; j++) {
            sum += inverse[i * size + j] * rest[j];
        }
        change[i] = (float)sum;
    }
    sweep_bound(f, s, unknown, size, inverse, step, change);
    for (int i = 0; i < size; i++) {
        double next = f->gam[unknown[i]] + change[i];
        if (unknown[i] < s->rows && has_bounds(f, unknown[i])) {
            next = within_bounds(next, impulse_bounds(f, unknown[i], step));
        }
        rest[i] = next - f->gam[unknown[i]];
        f->gam[unknown[i]] = next;
    }
    for (uint32_t i = h->support_begin[member]; i < h->support_begin[member + 1]; i++, k += 3 * size) {
        double force[3] = {0, 0, 0};
        for (int r = 0; r < size; r++) {
            for (int a = 0; a < 3; a++) {
                force[a] += k[3 * r + a] * rest[r];
            }
        }
        if (f->inverse_mass[h->support_node[i]] > 0) {
            sweep_push(f, s, h->support_node[i], force);
        }
    }
}

#endif
