#include "host/compile/multigrid/levels.h"

#include <string.h>

taut_status draft_push(const hierarchy_draft* draft, taut_buffer* buffer, uint32_t value) {
    const taut_status status = taut_buffer_reserve(draft->allocator, buffer, sizeof(uint32_t), 1);
    if (status == TAUT_OK) {
        ((uint32_t*)buffer->data)[buffer->count++] = value;
    }
    return status;
}

taut_status draft_array(const hierarchy_draft* draft, taut_buffer* buffer, size_t element, size_t count) {
    const taut_status status = taut_buffer_reserve(draft->allocator, buffer, element, count + 1);
    if (status == TAUT_OK) {
        buffer->count = count;
    }
    return status;
}

taut_status hierarchy_draft_make(const topology* t, const method_map* methods, const taut_allocator* allocator,
                                 hierarchy_draft* out) {
    hierarchy_draft draft = {.allocator = allocator, .nodes = methods->node, .whole = true};
    taut_status status = supports_make(t, methods->member, allocator, &draft.supports);
    status = status == TAUT_OK ? draft_system(&draft) : status;
    status = status == TAUT_OK ? draft_aggregates(&draft) : status;
    status = status == TAUT_OK ? draft_patterns(&draft) : status;
    status = status == TAUT_OK ? draft_dense(&draft) : status;
    if (status != TAUT_OK) {
        hierarchy_draft_free(&draft);
        return status;
    }
    *out = draft;
    return TAUT_OK;
}

static void free_level(const taut_allocator* allocator, level_draft* level) {
    taut_buffer* const buffers[] = {
        &level->graph_begin,  &level->graph_column, &level->graph_weight, &level->component,
        &level->aggregate,    &level->a_begin,      &level->a_column,     &level->p_begin,
        &level->p_column,     &level->a_to_p,       &level->w_begin,      &level->w_column,
        &level->spread_begin, &level->spread_place, &level->child_begin,  &level->child,
        &level->t_begin,      &level->t_node,       &level->t_block,      &level->gather_begin,
        &level->gather_place, &level->dense_begin,  &level->dense_node,   &level->dense_value_begin,
        &level->in_dense};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) {
        taut_buffer_release(allocator, buffers[i]);
    }
}

void hierarchy_draft_free(hierarchy_draft* draft) {
    if (draft->allocator == NULL) {
        return;
    }
    supports_free(draft->allocator, &draft->supports);
    taut_buffer_release(draft->allocator, &draft->pair_begin);
    taut_buffer_release(draft->allocator, &draft->pair_block);
    for (uint32_t l = 0; l < TAUT_MAX_LEVELS; l++) {
        free_level(draft->allocator, &draft->level[l]);
    }
}

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

static size_t largest_dense(const level_draft* level) {
    const size_t* begin = level->dense_value_begin.data;
    size_t most = 0;
    for (size_t i = 0; i + 1 < level->dense_value_begin.count; i++) {
        most = begin[i + 1] - begin[i] > most ? begin[i + 1] - begin[i] : most;
    }
    return most;
}

static bool has_ends(const level_draft* level) {
    const uint8_t* in_dense = level->in_dense.data;
    for (uint32_t n = 0; n < level->nodes; n++) {
        if (in_dense[n] == 2) {
            return true;
        }
    }
    return false;
}

/* Of level l. It doubles from level 1 on, up to 4: a level has an eighth of the nodes of the one before, and what its
 * smoothing leaves is what cloth of more levels would pay in iterations. The additive cycle has no smoothing on level
 * 0, and on level 1, whose products are the largest part of its work, the least there is. */
static int smoothing_degree(uint32_t l, taut_cycle cycle) {
    const int first = cycle == TAUT_CYCLE_ADDITIVE ? 1 : 2;
    return l < 2 ? first : l == 2 ? 2 * first : 4;
}

/* Whether the matrix has all members whole, and none that leaves H within a solve. */
static bool is_whole(const hierarchy_draft* draft) {
    const taut_scene* scene = draft->supports.topology->scene;
    const scene_batch* batches = scene->batches.data;
    bool bounded = false;
    for (size_t i = 0; i < scene->batches.count; i++) {
        bounded = bounded || batches[i].bounded;
    }
    return draft->whole && !bounded;
}

static taut_level_sizes level_sizes(const level_draft* level, uint32_t l, taut_cycle cycle, uint32_t scratch_blocks) {
    const bool first = l == 0;
    taut_level_sizes s = {.nodes = level->nodes,
                          .coarse = level->coarse,
                          .width = first ? 3 : TAUT_RIGID,
                          .stride = first ? 4 : TAUT_RIGID,
                          .degree = smoothing_degree(l, cycle),
                          .blocks = level->a_column.count,
                          .cycle_blocks = first ? 0 : level->a_column.count,
                          .prolong = level->p_column.count,
                          .wide = level->w_column.count,
                          .spread = level->spread_place.count,
                          .gather = level->gather_place.count,
                          .dense = level->dense_begin.count - 1,
                          .dense_nodes = level->dense_node.count,
                          .largest_dense = largest_dense(level),
                          .ends = has_ends(level)};
    const size_t values = (size_t)s.nodes * s.stride;
    s.dense_values = ((const size_t*)level->dense_value_begin.data)[s.dense];
    s.dense_scratch = scratch_blocks > 0 ? scratch_blocks * s.largest_dense : s.dense_values;
    s.vectors = first ? 0 : values;
    s.smoothing = cycle != TAUT_CYCLE_ADDITIVE || !first ? values : 0;
    return s;
}

void hierarchy_sizes(const hierarchy_draft* draft, taut_cycle cycle, uint32_t scratch_blocks, taut_hierarchy* out) {
    out->count = draft->count;
    out->whole = is_whole(draft);
    out->system.s = supports_sizes(&draft->supports);
    out->system.s.pairs = draft->pair_block.count;
    out->tail = draft->count > 0;
    while (out->tail < out->count && draft->level[out->tail].nodes > TAUT_SHORT_LEVEL) {
        out->tail++;
    }
    for (uint32_t l = 0; l < draft->count; l++) {
        out->level[l].s = level_sizes(&draft->level[l], l, cycle, scratch_blocks);
    }
}

/* ---- filling ----------------------------------------------------------------------------------------------------- */

static void fill_system(const hierarchy_draft* draft, taut_system* out) {
    supports_fill(&draft->supports, out);
    for (uint32_t i = 0; i < out->s.supports && out->s.pairs > 0; i++) {
        out->support_place[out->at_support[i]] = i;
    }
    taut_buffer_copy(out->pair_begin, &draft->pair_begin);
    taut_buffer_copy(out->pair_block, &draft->pair_block);
}

static void fill_level(const level_draft* level, taut_level* out) {
    taut_buffer_copy(out->a_begin, &level->a_begin);
    taut_buffer_copy(out->a_column, &level->a_column);
    taut_buffer_copy(out->aggregate, &level->aggregate);
    taut_buffer_copy(out->child_begin, &level->child_begin);
    taut_buffer_copy(out->child, &level->child);
    taut_buffer_copy(out->p_begin, &level->p_begin);
    taut_buffer_copy(out->p_column, &level->p_column);
    taut_buffer_copy(out->a_to_p, &level->a_to_p);
    taut_buffer_copy(out->w_begin, &level->w_begin);
    taut_buffer_copy(out->spread_begin, &level->spread_begin);
    taut_buffer_copy(out->spread_place, &level->spread_place);
    taut_buffer_copy(out->t_begin, &level->t_begin);
    taut_buffer_copy(out->t_node, &level->t_node);
    taut_buffer_copy(out->t_block, &level->t_block);
    taut_buffer_copy(out->gather_begin, &level->gather_begin);
    taut_buffer_copy(out->gather_place, &level->gather_place);
    taut_buffer_copy(out->dense_begin, &level->dense_begin);
    taut_buffer_copy(out->dense_node, &level->dense_node);
    taut_buffer_copy(out->dense_value_begin, &level->dense_value_begin);
    taut_buffer_copy(out->in_dense, &level->in_dense);
}

void hierarchy_fill(const hierarchy_draft* draft, taut_hierarchy* out) {
    fill_system(draft, &out->system);
    for (uint32_t l = 0; l < draft->count; l++) {
        fill_level(&draft->level[l], &out->level[l]);
    }
}
