/* How the levels of the multilevel preconditioner are built, at creation: matrix patterns, aggregates, prolongators,
 * dense blocks. */
#ifndef TAUT_MULTIGRID_LEVELS_H
#define TAUT_MULTIGRID_LEVELS_H

#include "host/compile/multigrid/aggregates.h"
#include "host/compile/supports.h"
#include "model/hierarchy.h"

/* Arrays of one level while it grows; names as in model/hierarchy.h. */
typedef struct level_draft {
    uint32_t nodes, coarse;
    weighted_graph graph; /* for aggregates alone: strengths at the initial positions */
    taut_buffer graph_begin, graph_column, graph_weight;
    taut_buffer component; /* uint32 per node: connected component, or TAUT_NO_PLACE without a row */
    taut_buffer aggregate; /* uint32 per node */
    taut_buffer a_begin, a_column, p_begin, p_column, a_to_p, w_begin, w_column, spread_begin, spread_place;
    taut_buffer child_begin, child, t_begin, t_node, t_block, gather_begin, gather_place;
    taut_buffer dense_begin, dense_node, dense_value_begin, in_dense;
} level_draft;

typedef struct hierarchy_draft {
    const taut_allocator* allocator;
    const uint8_t* nodes; /* 1 where a node is in the condensed system */
    uint32_t count;
    bool whole; /* the matrix has all pairs of every member */
    supports supports;
    taut_buffer pair_begin, pair_block;
    level_draft level[TAUT_MAX_LEVELS];
} hierarchy_draft;

/* Of the condensed members and nodes; `methods` must outlive this call alone. */
taut_status hierarchy_draft_make(const topology* t, const method_map* methods, const taut_allocator* allocator,
                                 hierarchy_draft* out);
void hierarchy_draft_free(hierarchy_draft* draft);

/* Sizes of the arrays ; `scratch_blocks`: largest blocks to invert at once, 0: all. */
void hierarchy_sizes(const hierarchy_draft* draft, taut_cycle cycle, uint32_t scratch_blocks, taut_hierarchy* out);
/* What is frozen, into arrays in place. */
void hierarchy_fill(const hierarchy_draft* draft, taut_hierarchy* out);

/* ---- parts of it ------------------------------------------------------------------------------------------------- */

/* Matrix and graph of level 0. */
taut_status draft_system(hierarchy_draft* draft);
/* Aggregates of all levels, numbered so that the children of each lie side by side above level 0. */
taut_status draft_aggregates(hierarchy_draft* draft);
/* Prolongators, products and coarse matrices. */
taut_status draft_patterns(hierarchy_draft* draft);
taut_status draft_dense(hierarchy_draft* draft);

/* Appends one value; `uint32s` reads them. */
taut_status draft_push(const hierarchy_draft* draft, taut_buffer* buffer, uint32_t value);
/* count zeroed elements. */
taut_status draft_array(const hierarchy_draft* draft, taut_buffer* buffer, size_t element, size_t count);

static inline uint32_t* uint32s(const taut_buffer* buffer) {
    return buffer->data;
}

#endif
