/* Patterns of the prolongators and of the products P^T (A P), with the place of every product; dense blocks. */
#include "host/compile/multigrid/levels.h"

#include <string.h>

/* A row with more blocks than this (a body that many points are tied to) keeps its plain prolongator: a smoothed one
 * would reach all their aggregates. */
#define LARGE_ROW 64
/* Nodes with up to so many blocks of H are of a rope, a rod or a net; an aggregate with so many of them is a dense
 * block of level 0. Where a rope ends at a cloth, some of its nodes share an aggregate with the cloth's: left to blocks
 * of single nodes they cost a hundred iterations. */
#define ROPE_BLOCKS 5
#define ROPE_NODES  2

/* Columns of the row being built: which row met a column last, and where it stands. */
typedef struct columns {
    uint32_t* seen; /* row + 1 */
    uint32_t* place;
    taut_buffer memory;
} columns;

static taut_status make_columns(const hierarchy_draft* draft, size_t count, columns* c) {
    const taut_status status = draft_array(draft, &c->memory, sizeof(uint32_t), 2 * count);
    if (status == TAUT_OK) {
        c->seen = c->memory.data;
        c->place = c->seen + count;
    }
    return status;
}

/* Place of a column in the row, in `list`, which gets it if it is new. */
static taut_status find(const hierarchy_draft* draft, columns* c, uint32_t row, uint32_t column, taut_buffer* list,
                        uint32_t* place) {
    taut_status status = TAUT_OK;
    if (c->seen[column] != row + 1) {
        c->seen[column] = row + 1;
        c->place[column] = (uint32_t)list->count;
        status = draft_push(draft, list, column);
    }
    *place = c->place[column];
    return status;
}

/* ---- prolongator ------------------------------------------------------------------------------------------------- */

static taut_status prolongator_row(const hierarchy_draft* draft, level_draft* level, columns* c, uint32_t n) {
    const uint32_t *begin = uint32s(&level->a_begin), *aggregate = uint32s(&level->aggregate);
    const bool smoothed = begin[n + 1] - begin[n] <= LARGE_ROW;
    uint32_t place;
    taut_status status = TAUT_OK;
    if (aggregate[n] != TAUT_NO_AGGREGATE) {
        status = find(draft, c, n, aggregate[n], &level->p_column, &place);
    }
    for (uint32_t k = begin[n]; status == TAUT_OK && k < begin[n + 1]; k++) {
        const uint32_t other = aggregate[uint32s(&level->a_column)[k]];
        place = TAUT_NO_PLACE;
        if (smoothed && other != TAUT_NO_AGGREGATE) {
            status = find(draft, c, n, other, &level->p_column, &place);
        }
        status = status == TAUT_OK ? draft_push(draft, &level->a_to_p, place) : status;
    }
    return status == TAUT_OK ? draft_push(draft, &level->p_begin, (uint32_t)level->p_column.count) : status;
}

static taut_status make_prolongator(const hierarchy_draft* draft, level_draft* level) {
    columns c = {0};
    taut_status status = make_columns(draft, level->coarse, &c);
    status = status == TAUT_OK ? draft_push(draft, &level->p_begin, 0) : status;
    for (uint32_t n = 0; status == TAUT_OK && n < level->nodes; n++) {
        status = prolongator_row(draft, level, &c, n);
    }
    taut_buffer_release(draft->allocator, &c.memory);
    return status;
}

/* P^T: blocks by aggregate, ascending in nodes. */
static taut_status transpose(const hierarchy_draft* draft, level_draft* level) {
    const size_t blocks = level->p_column.count;
    taut_status status = draft_array(draft, &level->t_begin, sizeof(uint32_t), level->coarse + (size_t)1);
    status = status == TAUT_OK ? draft_array(draft, &level->t_node, sizeof(uint32_t), blocks) : status;
    status = status == TAUT_OK ? draft_array(draft, &level->t_block, sizeof(uint32_t), blocks) : status;
    if (status != TAUT_OK) {
        return status;
    }
    uint32_t* begin = uint32s(&level->t_begin);
    const uint32_t* column = uint32s(&level->p_column);
    for (size_t p = 0; p < blocks; p++) {
        begin[column[p] + 1]++;
    }
    for (uint32_t a = 0; a < level->coarse; a++) {
        begin[a + 1] += begin[a];
    }
    for (uint32_t n = 0; n < level->nodes; n++) {
        for (uint32_t p = uint32s(&level->p_begin)[n]; p < uint32s(&level->p_begin)[n + 1]; p++) {
            const uint32_t at = begin[column[p]]++;
            uint32s(&level->t_node)[at] = n;
            uint32s(&level->t_block)[at] = p;
        }
    }
    memmove(begin + 1, begin, level->coarse * sizeof *begin);
    begin[0] = 0;
    return TAUT_OK;
}

/* ---- products ---------------------------------------------------------------------------------------------------- */

/* Row n of A P: its columns, and the place of each product. */
static taut_status wide_row(const hierarchy_draft* draft, level_draft* level, columns* c, uint32_t n) {
    const uint32_t* begin = uint32s(&level->a_begin);
    taut_status status = TAUT_OK;
    for (uint32_t k = begin[n]; status == TAUT_OK && k < begin[n + 1]; k++) {
        const uint32_t other = uint32s(&level->a_column)[k];
        for (uint32_t p = uint32s(&level->p_begin)[other]; status == TAUT_OK && p < uint32s(&level->p_begin)[other + 1];
             p++) {
            uint32_t place;
            status = find(draft, c, n, uint32s(&level->p_column)[p], &level->w_column, &place);
            status = status == TAUT_OK ? draft_push(draft, &level->spread_place, place) : status;
        }
        status =
            status == TAUT_OK ? draft_push(draft, &level->spread_begin, (uint32_t)level->spread_place.count) : status;
    }
    return status == TAUT_OK ? draft_push(draft, &level->w_begin, (uint32_t)level->w_column.count) : status;
}

/* Row a of P^T (A P), the matrix of the next level. */
static taut_status coarse_row(const hierarchy_draft* draft, level_draft* level, level_draft* above, columns* c,
                              uint32_t a) {
    uint32_t place;
    taut_status status = find(draft, c, a, a, &above->a_column, &place);
    for (uint32_t t = uint32s(&level->t_begin)[a]; status == TAUT_OK && t < uint32s(&level->t_begin)[a + 1]; t++) {
        const uint32_t n = uint32s(&level->t_node)[t];
        for (uint32_t w = uint32s(&level->w_begin)[n]; status == TAUT_OK && w < uint32s(&level->w_begin)[n + 1]; w++) {
            status = find(draft, c, a, uint32s(&level->w_column)[w], &above->a_column, &place);
            status = status == TAUT_OK ? draft_push(draft, &level->gather_place, place) : status;
        }
        status =
            status == TAUT_OK ? draft_push(draft, &level->gather_begin, (uint32_t)level->gather_place.count) : status;
    }
    return status == TAUT_OK ? draft_push(draft, &above->a_begin, (uint32_t)above->a_column.count) : status;
}

static taut_status make_products(const hierarchy_draft* draft, level_draft* level, level_draft* above) {
    columns c = {0};
    taut_status status = make_columns(draft, level->coarse, &c);
    status = status == TAUT_OK ? draft_push(draft, &level->w_begin, 0) : status;
    status = status == TAUT_OK ? draft_push(draft, &level->spread_begin, 0) : status;
    for (uint32_t n = 0; status == TAUT_OK && n < level->nodes; n++) {
        status = wide_row(draft, level, &c, n);
    }
    if (status == TAUT_OK) {
        memset(c.memory.data, 0, 2 * (size_t)level->coarse * sizeof(uint32_t));
        status = draft_push(draft, &level->gather_begin, 0);
        status = status == TAUT_OK ? draft_push(draft, &above->a_begin, 0) : status;
    }
    for (uint32_t a = 0; status == TAUT_OK && a < level->coarse; a++) {
        status = coarse_row(draft, level, above, &c, a);
    }
    taut_buffer_release(draft->allocator, &c.memory);
    return status;
}

taut_status draft_patterns(hierarchy_draft* draft) {
    taut_status status = TAUT_OK;
    for (uint32_t l = 0; status == TAUT_OK && l + 1 < draft->count; l++) {
        level_draft* level = &draft->level[l];
        status = make_prolongator(draft, level);
        status = status == TAUT_OK ? transpose(draft, level) : status;
        status = status == TAUT_OK ? make_products(draft, level, &draft->level[l + 1]) : status;
    }
    return status;
}

/* ---- dense blocks ------------------------------------------------------------------------------------------------ */

static taut_status end_block(const hierarchy_draft* draft, level_draft* level, size_t width) {
    const uint32_t first = uint32s(&level->dense_begin)[level->dense_begin.count - 1];
    const size_t unknowns = width * (level->dense_node.count - first);
    taut_status status = draft_push(draft, &level->dense_begin, (uint32_t)level->dense_node.count);
    status = status == TAUT_OK ? taut_buffer_reserve(draft->allocator, &level->dense_value_begin, sizeof(size_t), 1)
                               : status;
    if (status == TAUT_OK) {
        size_t* begin = level->dense_value_begin.data;
        begin[level->dense_value_begin.count] = begin[level->dense_value_begin.count - 1] + unknowns * unknowns;
        level->dense_value_begin.count++;
    }
    return status;
}

/* Above level 0 the children of an aggregate are a block; on level 0 those of a rope. */
static taut_status add_siblings(const hierarchy_draft* draft, uint32_t l, uint32_t a) {
    level_draft* level = &((hierarchy_draft*)draft)->level[l];
    const uint32_t begin = uint32s(&level->child_begin)[a], end = uint32s(&level->child_begin)[a + 1];
    uint32_t slender = 0;
    for (uint32_t i = begin; i < end; i++) {
        const uint32_t n = uint32s(&level->child)[i];
        slender += uint32s(&level->a_begin)[n + 1] - uint32s(&level->a_begin)[n] <= ROPE_BLOCKS;
    }
    if (l == 0 && slender < ROPE_NODES) {
        return TAUT_OK;
    }
    taut_status status = TAUT_OK;
    for (uint32_t i = begin; status == TAUT_OK && i < end; i++) {
        ((uint8_t*)level->in_dense.data)[uint32s(&level->child)[i]] = 1;
        status = draft_push(draft, &level->dense_node, uint32s(&level->child)[i]);
    }
    return status == TAUT_OK ? end_block(draft, level, l == 0 ? 3 : TAUT_RIGID) : status;
}

/* Nodes without an aggregate, by component. Beyond the last level that there may be, more than a component's share of
 * nodes is left: blocks are cut. */
static taut_status add_last(const hierarchy_draft* draft, uint32_t l) {
    enum { MOST = 12 };
    level_draft* level = &((hierarchy_draft*)draft)->level[l];
    const uint32_t *component = uint32s(&level->component), *aggregate = uint32s(&level->aggregate);
    taut_buffer order = {0};
    uint32_t components = 0;
    for (uint32_t n = 0; n < level->nodes; n++) {
        components = component[n] != TAUT_NO_PLACE && component[n] >= components ? component[n] + 1 : components;
    }
    taut_status status = draft_array(draft, &order, sizeof(uint32_t), components + (size_t)level->nodes + 1);
    uint32_t *next = uint32s(&order), *list = next != NULL ? next + components + 1 : NULL;
    uint32_t count = 0;
    for (int pass = 0; status == TAUT_OK && pass < 2; pass++) {
        for (uint32_t n = 0; n < level->nodes; n++) {
            if (component[n] == TAUT_NO_PLACE || aggregate[n] != TAUT_NO_AGGREGATE) {
                continue;
            }
            if (pass == 0) {
                next[component[n] + 1]++;
                count++;
            } else {
                list[next[component[n]]++] = n;
            }
        }
        for (uint32_t i = 0; pass == 0 && i < components; i++) {
            next[i + 1] += next[i];
        }
    }
    for (uint32_t i = 0, first = 0; status == TAUT_OK && i < count; i++) {
        const bool cut = i + 1 - first >= MOST, last = i + 1 == count || component[list[i + 1]] != component[list[i]];
        ((uint8_t*)level->in_dense.data)[list[i]] = 2;
        status = draft_push(draft, &level->dense_node, list[i]);
        if (status == TAUT_OK && (cut || last)) {
            first = i + 1;
            status = end_block(draft, level, l == 0 ? 3 : TAUT_RIGID);
        }
    }
    taut_buffer_release(draft->allocator, &order);
    return status;
}

taut_status draft_dense(hierarchy_draft* draft) {
    taut_status status = TAUT_OK;
    for (uint32_t l = 0; status == TAUT_OK && l < draft->count; l++) {
        level_draft* level = &draft->level[l];
        status = draft_array(draft, &level->in_dense, 1, level->nodes);
        status = status == TAUT_OK ? draft_push(draft, &level->dense_begin, 0) : status;
        status = status == TAUT_OK ? draft_array(draft, &level->dense_value_begin, sizeof(size_t), 1) : status;
        for (uint32_t a = 0; status == TAUT_OK && a < level->coarse; a++) {
            status = add_siblings(draft, l, a);
        }
        status = status == TAUT_OK ? add_last(draft, l) : status;
    }
    return status;
}
