/* Stiffness matrices of an assembly: exact ones of constraints, mappings and force elements, and the stabilising part
 * that a step has in A. */
#define TAUT_REAL double
#include "kernels/stages/force_rows.h"
#include "kernels/stages/frames.h"

#include "host/world/assembly_source.h"

#include <string.h>

/* ---- geometric stiffness ----------------------------------------------------------------------------------------- */
/* d(J^T lam)/dq = sum over constraints of Jm^T Gc Jm, and over entries of mapped points, for the force F that J^T lam
 * puts on the point, of Jp^T (dJe^T F / dp) Jp with p its parent. */

static size_t count_stiffness(const assembly_source* s, const taut_assembly* a) {
    const taut_fields* f = &s->world->plan.fields;
    size_t count = 0;
    for (size_t b = 0; b < a->block_count; b++) {
        size_t terms = 0;
        for (uint32_t slot = 0; slot < taut_kind_shapes[a->blocks[b].kind].nodes; slot++) {
            terms += assembly_terms_of(s, a, b, slot).count;
        }
        count += 9 * terms * terms;
    }
    for (size_t e = 0; e < s->world->plan.sizes.map_entries; e++) {
        const size_t terms = graph_of(&s->graph, f->map_parent[e]).count;
        count += 9 * terms * terms;
    }
    return count;
}

/* forces += J^T lam of one block, without mappings. */
static void add_block_forces(const assembly_source* s, const taut_assembly* a, size_t b,
                             const constraint_matrices* values) {
    const taut_block* block = &a->blocks[b];
    const double* lam = a->vectors[TAUT_VECTOR_LAM] + block->first_row;
    for (uint32_t slot = 0; slot < taut_kind_shapes[block->kind].nodes; slot++) {
        for (uint32_t i = 0; assembly_acts(s, block->kind, s->where[b], slot) && i < 3 * block->rows; i++) {
            s->forces[3 * (size_t)assembly_nodes_of(s, a, b)[slot] + i % 3] +=
                lam[i / 3] * values->jacobian[i / 3][3 * slot + i % 3];
        }
    }
}

static void add_linear_forces(const assembly_source* s, const taut_assembly* a, size_t b) {
    const taut_fields* f = &s->world->plan.fields;
    for (uint32_t e = assembly_linear_entries(s, b).begin; e < assembly_linear_entries(s, b).end; e++) {
        s->forces[f->linear_coordinate[e]] += f->linear_weight[e] * a->vectors[TAUT_VECTOR_LAM][a->blocks[b].first_row];
    }
}

static void list_block_stiffness(const assembly_source* s, const taut_assembly* a, size_t b, entry_list* list) {
    const uint32_t count = taut_kind_shapes[a->blocks[b].kind].nodes;
    constraint_matrices values;
    assembly_block_matrices(s, a, b, &values);
    add_block_forces(s, a, b, &values);
    for (uint32_t i = 0; i < count * count; i++) {
        const uint32_t row = i / count, column = i % count;
        double block[3][3];
        for (uint32_t k = 0; k < 9; k++) {
            block[k / 3][k % 3] = values.curvature[3 * row + k / 3][3 * column + k % 3];
        }
        assembly_add_expanded(list, assembly_terms_of(s, a, b, row), (const double(*)[3])block,
                              assembly_terms_of(s, a, b, column));
    }
}

static void list_mapping_stiffness(const assembly_source* s, entry_list* list) {
    const taut_fields* f = &s->world->plan.fields;
    for (size_t e = 0; e < s->world->plan.sizes.map_entries; e++) {
        const graph_terms parent = graph_of(&s->graph, f->map_parent[e]);
        double block[3][3];
        if (graph_curvature(&s->graph, e, s->forces + 3 * (size_t)f->map_child[e], block)) {
            assembly_add_expanded(list, parent, (const double(*)[3])block, parent);
        }
    }
}

taut_status assembly_fill_stiffness(const assembly_source* s, taut_assembly* a) {
    const size_t n = 3 * s->world->plan.sizes.nodes;
    entry_list list;
    taut_status status = entries_open(&a->allocator, "G", count_stiffness(s, a), &list);
    for (size_t b = 0; status == TAUT_OK && b < a->block_count; b++) {
        if (a->blocks[b].kind == TAUT_LINEAR) {
            add_linear_forces(s, a, b);
        } else {
            list_block_stiffness(s, a, b, &list);
        }
    }
    if (status == TAUT_OK) {
        graph_apply_jacobian_transpose_mapped(&s->graph, s->forces);
        list_mapping_stiffness(s, &list);
        status = entries_merge(&a->allocator, &list, n, n, &a->matrices[TAUT_MATRIX_G]);
    }
    entries_close(&a->allocator, &list);
    return status;
}

/* ---- the stabilising part of the geometric stiffness ---------------------------------------------------------------
 */
/* Gamma = sum R^T R of the factors in A, which contain sqrt(factor_scale), and the blocks of frames. */

static bool has_gamma(const assembly_source* s, int k) {
    return s->world->plan.sizes.has_factor_rows[k] && k != TAUT_INERTIA && !is_load_kind(k);
}

/* Lh^T Lh over Gamma, of constraint c of kind k; 0 where A has none of it. */
static double gamma_scale(const assembly_source* s, int k, size_t c) {
    const bool force = is_used_as_force(&s->world->plan.fields.kinds[k], c);
    return s->step.explicit_factor_rows ? 0 : s->step.factor_scale[force ? TAUT_LAW_FORCE : TAUT_LAW_CONSTRAINT];
}

static size_t count_gamma(const assembly_source* s) {
    const taut_sizes* sizes = &s->world->plan.sizes;
    size_t count = 9 * sizes->frames;
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        const size_t nodes = taut_kind_shapes[k].nodes;
        for (size_t c = 0; has_gamma(s, k) && c < sizes->count[k]; c++) {
            size_t terms = 0;
            for (size_t slot = 0; slot < nodes; slot++) {
                terms += graph_of(&s->graph, s->world->plan.fields.kinds[k].nodes[nodes * c + slot]).count;
            }
            count += 9 * terms * terms;
        }
    }
    return count;
}

static void list_gamma(const assembly_source* s, int k, size_t c, entry_list* list) {
    const taut_kind_fields* f = &s->world->plan.fields.kinds[k];
    const taut_kind_shape* shape = &taut_kind_shapes[k];
    const double scale = gamma_scale(s, k, c);
    double x[4 * 6], gamma[18][18];
    graph_state(&s->graph, (taut_kind)k, c, x);
    constraint_gamma((taut_kind)k, x, f->rest + shape->rest * c, f->stiffness + (size_t)shape->stiffness * c, gamma);
    for (uint32_t i = 0; scale > 0 && i < shape->nodes * shape->nodes; i++) {
        const uint32_t row = i / shape->nodes, column = i % shape->nodes;
        double block[3][3];
        for (uint32_t e = 0; e < 9; e++) {
            block[e / 3][e % 3] = gamma[3 * row + e / 3][3 * column + e % 3] / scale;
        }
        assembly_add_expanded(list, graph_of(&s->graph, f->nodes[c * shape->nodes + row]), (const double(*)[3])block,
                              graph_of(&s->graph, f->nodes[c * shape->nodes + column]));
    }
}

static void list_gamma_of_frame(const assembly_source* s, size_t frame, entry_list* list) {
    const size_t node = s->graph.given[s->world->plan.sizes.points + frame];
    const double scale = s->step.explicit_factor_rows ? 0 : s->step.factor_scale[TAUT_LAW_CONSTRAINT];
    double gamma[6], block[3][3];
    assembly_frame_inertia(s, frame, gamma);
    for (int i = 0; i < 6; i++) {
        gamma[i] = (s->world->plan.fields.frame_block[6 * frame + i] - s->step.inertia * gamma[i]) / scale;
    }
    sym3_expand(gamma, block);
    if (scale > 0) {
        assembly_add_square(list, node, node, (const double(*)[3])block);
    }
}

taut_status assembly_fill_gamma(const assembly_source* s, taut_assembly* a) {
    const taut_sizes* sizes = &s->world->plan.sizes;
    entry_list list;
    taut_status status = entries_open(&a->allocator, "Gamma", count_gamma(s), &list);
    for (int k = 0; status == TAUT_OK && k < TAUT_KIND_COUNT; k++) {
        for (size_t c = 0; has_gamma(s, k) && c < sizes->count[k]; c++) {
            if (!is_absent(&s->world->plan.fields.kinds[k], c)) {
                list_gamma(s, k, c, &list);
            }
        }
    }
    for (size_t i = 0; status == TAUT_OK && i < sizes->frames; i++) {
        list_gamma_of_frame(s, i, &list);
    }
    if (status == TAUT_OK) {
        status =
            entries_merge(&a->allocator, &list, 3 * sizes->nodes, 3 * sizes->nodes, &a->matrices[TAUT_MATRIX_GAMMA]);
    }
    entries_close(&a->allocator, &list);
    return status;
}

/* ---- stiffness of force elements --------------------------------------------------------------------------------- */

static size_t count_tangents(const assembly_source* s) {
    const taut_fields* f = &s->world->plan.fields;
    size_t count = 0;
    for (int k = TAUT_FIRST_LOAD_KIND; is_load_kind(k); k++) {
        const size_t nodes = taut_kind_shapes[k].nodes;
        for (size_t c = 0; c < s->world->plan.sizes.count[k]; c++) {
            size_t terms = 0;
            for (size_t slot = 0; slot < nodes; slot++) {
                terms += graph_of(&s->graph, f->kinds[k].nodes[nodes * c + slot]).count;
            }
            count += 9 * terms * terms;
        }
    }
    for (size_t e = 0; e < s->world->plan.sizes.map_entries; e++) {
        const size_t terms = graph_of(&s->graph, f->map_parent[e]).count;
        count += 9 * terms * terms;
    }
    return count;
}

static void list_tangent(const assembly_source* s, int k, size_t c, entry_list* list) {
    const taut_fields* f = &s->world->plan.fields;
    const taut_kind_shape* shape = &taut_kind_shapes[k];
    const uint32_t* nodes = f->kinds[k].nodes + shape->nodes * c;
    double x[12], v[12], tangent[12][12], block[3][3];
    graph_state(&s->graph, (taut_kind)k, c, x);
    for (size_t i = 0; i < 3 * (size_t)shape->nodes; i++) {
        v[i] = f->v[3 * (size_t)nodes[i / 3] + i % 3];
    }
    element_tangent((taut_kind)k, x, v, f->kinds[k].rest + shape->rest * c, tangent);
    for (uint32_t i = 0; i < shape->nodes * shape->nodes; i++) {
        const uint32_t row = i / shape->nodes, column = i % shape->nodes;
        for (uint32_t e = 0; e < 9; e++) {
            block[e / 3][e % 3] = tangent[3 * row + e / 3][3 * column + e % 3];
        }
        assembly_add_expanded(list, graph_of(&s->graph, nodes[row]), (const double(*)[3])block,
                              graph_of(&s->graph, nodes[column]));
    }
}

taut_status assembly_fill_tangents(const assembly_source* s, taut_assembly* a) {
    const taut_sizes* sizes = &s->world->plan.sizes;
    entry_list list;
    taut_status status = entries_open(&a->allocator, "K", sizes->loads ? count_tangents(s) : 0, &list);
    for (int k = TAUT_FIRST_LOAD_KIND; status == TAUT_OK && is_load_kind(k); k++) {
        for (size_t c = 0; c < sizes->count[k]; c++) {
            list_tangent(s, k, c, &list);
        }
    }
    if (status == TAUT_OK && sizes->loads) {
        assembly_add_force_all(s);
        graph_apply_jacobian_transpose_mapped(&s->graph, s->forces);
        list_mapping_stiffness(s, &list);
    }
    if (status == TAUT_OK) {
        status = entries_merge(&a->allocator, &list, 3 * sizes->nodes, 3 * sizes->nodes, &a->matrices[TAUT_MATRIX_K]);
    }
    entries_close(&a->allocator, &list);
    return status;
}
