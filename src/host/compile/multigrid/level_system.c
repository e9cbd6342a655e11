/* The matrix of level 0: its pattern, and how strongly it couples nodes at the initial positions. */
#include "host/compile/multigrid/levels.h"

#include "host/compile/explicit_rows.h"

#include <math.h>
#include <string.h>

/* A member on more nodes than this would fill the matrix: only its diagonal blocks are in it. */
#define LARGE_MEMBER 64
/* Strengths are those of this step, with the regularisation of hard rows that the solver's automatic choice has. */
#define NOMINAL_STEP  (1.0 / 60)
#define NOMINAL_FLOOR 1e-5

/* |J_e| of an entry of a mapped point. */
static double entry_norm(const scene_entry* entry) {
    const double* v = entry->value;
    switch (TAUT_MAP_TYPE(entry->code)) {
    case TAUT_MAP_ARM:
        return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    case TAUT_MAP_NORM:
        return 1;
    default:
        return fabs(v[0]);
    }
}

static double path_norm(const hierarchy_draft* draft, uint32_t path) {
    const scene_entry* entries = draft->supports.topology->scene->mapping.entries.data;
    double norm = 1;
    while (path != TAUT_NO_PATH) {
        norm *= entry_norm(entries + uint32s(&draft->supports.path_entry)[path]);
        path = uint32s(&draft->supports.path_next)[path];
    }
    return norm;
}

/* 1 / (W + E) of each row of a member; of the factor rows of force elements the square of what makes R a factor row. */
static void conductances(const topology* t, uint32_t member, double conductance[TAUT_MAX_ROWS]) {
    const taut_kind k = topology_kind(t, member);
    const taut_kind_shape* shape = &taut_kind_shapes[k];
    for (uint32_t r = 0; shape->load > 0 && r < shape->factor_rows; r++) {
        conductance[r] = k == TAUT_SURFACE ? NOMINAL_STEP : NOMINAL_STEP * NOMINAL_STEP;
    }
    if (shape->rows == 0) {
        return;
    }
    const double* compliance = t->scene->kinds[k].compliance.data;
    const size_t at = (size_t)shape->packed * (member - t->kind_first[k]);
    double mobility[TAUT_MAX_ROWS] = {0};
    for (uint32_t e = t->member_begin[member]; e < t->member_begin[member + 1]; e++) {
        double rows[TAUT_MAX_ROWS][3];
        const uint32_t count = topology_rows(t, member, e, rows);
        for (uint32_t i = 0; i < 3 * count; i++) {
            const double value = rows[i / 3][i % 3];
            mobility[i / 3] += scene_node_inverse_mass(t->scene, t->member_node[e]) * value * value;
        }
    }
    for (uint32_t r = 0; r < shape->rows; r++) {
        const double soft = compliance[at + r * (r + 3) / 2] / (NOMINAL_STEP * NOMINAL_STEP);
        const double total = fmax(soft, NOMINAL_FLOOR * mobility[r]);
        conductance[r] = total > 0 ? 1 / total : 0;
    }
}

/* sqrt of the sum over rows of |J at the support|^2 / (W + E). */
static double support_strength(const hierarchy_draft* draft, uint32_t support,
                               const double conductance[TAUT_MAX_ROWS]) {
    const supports* s = &draft->supports;
    const topology* t = s->topology;
    const uint32_t member = uint32s(&s->support_member)[support];
    const bool linear = topology_kind(t, member) == TAUT_LINEAR;
    const uint32_t first = t->member_begin[linear ? t->kind_first[TAUT_LINEAR] : member];
    double sum = 0;
    for (uint32_t i = uint32s(&s->term_begin)[support]; i < uint32s(&s->term_begin)[support + 1]; i++) {
        double rows[TAUT_MAX_ROWS][3];
        const uint32_t count = topology_rows(t, member, first + uint32s(&s->term_slot)[i], rows);
        const double norm = path_norm(draft, uint32s(&s->term_path)[i]);
        for (uint32_t v = 0; v < 3 * count; v++) {
            sum += conductance[v / 3] * norm * norm * rows[v / 3][v % 3] * rows[v / 3][v % 3];
        }
    }
    return sqrt(sum);
}

static void fill_strengths(const hierarchy_draft* draft, double* strength) {
    const supports* s = &draft->supports;
    for (uint32_t m = 0; m < s->topology->member_count; m++) {
        const uint32_t begin = uint32s(&s->support_begin)[m], end = uint32s(&s->support_begin)[m + 1];
        double conductance[TAUT_MAX_ROWS];
        if (begin < end) {
            conductances(s->topology, m, conductance);
        }
        for (uint32_t e = begin; e < end; e++) {
            strength[e] = support_strength(draft, e, conductance);
        }
    }
}

/* ---- pattern ----------------------------------------------------------------------------------------------------- */

typedef struct row_builder {
    hierarchy_draft* draft;
    level_draft* level;
    const double* strength;
    uint32_t* seen;  /* row that met this column last, plus 1 */
    uint32_t* block; /* and the block it has there */
} row_builder;

/* Block of the row for this column, which may be new. */
static taut_status find_block(row_builder* b, uint32_t row, uint32_t column, uint32_t* block) {
    taut_status status = TAUT_OK;
    if (b->seen[column] != row + 1) {
        b->seen[column] = row + 1;
        b->block[column] = (uint32_t)b->level->a_column.count;
        status = draft_push(b->draft, &b->level->a_column, column);
        status = status == TAUT_OK
                     ? taut_buffer_reserve(b->draft->allocator, &b->level->graph_weight, sizeof(double), 1)
                     : status;
        if (status == TAUT_OK) {
            ((double*)b->level->graph_weight.data)[b->level->graph_weight.count++] = 0;
        }
    }
    *block = b->block[column];
    return status;
}

/* The pairs of one support of the row's node: with itself alone, or with each support of its member. */
static taut_status add_pairs(row_builder* b, uint32_t row, uint32_t support) {
    const supports* s = &b->draft->supports;
    const uint32_t member = uint32s(&s->support_member)[support];
    uint32_t begin = uint32s(&s->support_begin)[member], end = uint32s(&s->support_begin)[member + 1];
    if (end - begin > LARGE_MEMBER) {
        begin = support;
        end = support + 1;
        b->draft->whole = false;
    }
    taut_status status = TAUT_OK;
    for (uint32_t other = begin; status == TAUT_OK && other < end; other++) {
        uint32_t block;
        status = find_block(b, row, uint32s(&s->support_node)[other], &block);
        status = status == TAUT_OK ? draft_push(b->draft, &b->draft->pair_block, block) : status;
        if (status == TAUT_OK) {
            ((double*)b->level->graph_weight.data)[block] += b->strength[support] * b->strength[other];
        }
    }
    return status == TAUT_OK ? draft_push(b->draft, &b->draft->pair_begin, (uint32_t)b->draft->pair_block.count)
                             : status;
}

/* Nodes of the condensed system without constraints have rows, too. */
static bool has_row(const hierarchy_draft* draft, uint32_t node) {
    const taut_scene* scene = draft->supports.topology->scene;
    return draft->nodes[node] && (node >= scene->particle_count || scene_mapped(scene, node) == UINT32_MAX);
}

static taut_status add_row(row_builder* b, uint32_t node) {
    const supports* s = &b->draft->supports;
    const uint32_t begin = uint32s(&s->at_begin)[node], end = uint32s(&s->at_begin)[node + 1];
    uint32_t diagonal;
    taut_status status = begin < end || has_row(b->draft, node) ? find_block(b, node, node, &diagonal) : TAUT_OK;
    for (uint32_t i = begin; status == TAUT_OK && i < end; i++) {
        status = add_pairs(b, node, uint32s(&s->at_support)[i]);
    }
    return status == TAUT_OK ? draft_push(b->draft, &b->level->a_begin, (uint32_t)b->level->a_column.count) : status;
}

static taut_status make_pattern(hierarchy_draft* draft, const double* strength) {
    level_draft* level = &draft->level[0];
    const size_t bytes = 2 * (size_t)level->nodes * sizeof(uint32_t) + 1;
    uint32_t* seen = taut_allocate(draft->allocator, bytes);
    if (seen == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    row_builder b = {draft, level, strength, seen, seen + level->nodes};
    taut_status status = draft_push(draft, &level->a_begin, 0);
    status = status == TAUT_OK ? draft_push(draft, &draft->pair_begin, 0) : status;
    for (uint32_t n = 0; status == TAUT_OK && n < level->nodes; n++) {
        status = add_row(&b, n);
    }
    taut_release(draft->allocator, seen, bytes);
    return status;
}

/* ---- graph ------------------------------------------------------------------------------------------------------- */

/* Weights |H_ij| / sqrt(|H_ii| |H_jj|), without the diagonal: points and frames have no unit in common. Fixed nodes
 * hardly couple: aggregates do not grow through them. */
static taut_status make_graph(hierarchy_draft* draft) {
    level_draft* level = &draft->level[0];
    const taut_scene* scene = draft->supports.topology->scene;
    double* weight = level->graph_weight.data;
    const uint32_t *begin = uint32s(&level->a_begin), *column = uint32s(&level->a_column);
    for (uint32_t n = 0; n < level->nodes; n++) {
        if (begin[n] < begin[n + 1]) {
            weight[begin[n]] += 1 / scene_node_inverse_mass(scene, n);
        }
    }
    taut_status status = draft_push(draft, &level->graph_begin, 0);
    for (uint32_t n = 0; status == TAUT_OK && n < level->nodes; n++) {
        for (uint32_t k = begin[n]; status == TAUT_OK && k < begin[n + 1]; k++) {
            if (column[k] != n) {
                status = draft_push(draft, &level->graph_column, column[k]);
            }
        }
        status =
            status == TAUT_OK ? draft_push(draft, &level->graph_begin, (uint32_t)level->graph_column.count) : status;
    }
    taut_buffer scaled = {0};
    status = status == TAUT_OK ? draft_array(draft, &scaled, sizeof(double), level->graph_column.count) : status;
    for (uint32_t n = 0, edge = 0; status == TAUT_OK && n < level->nodes; n++) {
        for (uint32_t k = begin[n]; k < begin[n + 1]; k++) {
            if (column[k] != n) {
                const double value = weight[k] / sqrt(weight[begin[n]] * weight[begin[column[k]]]);
                ((double*)scaled.data)[edge++] = value > 1e-30 ? value : 1e-30;
            }
        }
    }
    taut_buffer_release(draft->allocator, &level->graph_weight);
    level->graph_weight = scaled;
    return status;
}

taut_status draft_system(hierarchy_draft* draft) {
    taut_buffer strength = {0};
    draft->level[0].nodes = (uint32_t)scene_node_count(draft->supports.topology->scene);
    taut_status status = draft_array(draft, &strength, sizeof(double), draft->supports.support_node.count);
    if (status == TAUT_OK) {
        fill_strengths(draft, strength.data);
        status = make_pattern(draft, strength.data);
    }
    status = status == TAUT_OK ? make_graph(draft) : status;
    taut_buffer_release(draft->allocator, &strength);
    return status;
}
