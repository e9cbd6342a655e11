/* From level to level: connected components, aggregates, the graph of the aggregates, and their numbers. */
#include "host/compile/multigrid/levels.h"

#include <string.h>

/* Nodes of an aggregate on level 0 and above. */
#define FIRST_SIZE 12
#define SIZE       8
/* A component with so many nodes or fewer is inverted whole. */
#define LAST_SIZE 8

/* ---- components -------------------------------------------------------------------------------------------------- */

/* Marks what is connected to `start` with its component. */
static void flood(const level_draft* level, uint32_t start, uint32_t number, uint32_t* component, uint32_t* stack) {
    const uint32_t *begin = uint32s(&level->a_begin), *column = uint32s(&level->a_column);
    uint32_t count = 0;
    component[start] = number;
    stack[count++] = start;
    while (count > 0) {
        const uint32_t node = stack[--count];
        for (uint32_t k = begin[node]; k < begin[node + 1]; k++) {
            if (component[column[k]] == TAUT_NO_PLACE) {
                component[column[k]] = number;
                stack[count++] = column[k];
            }
        }
    }
}

static taut_status find_components(hierarchy_draft* draft, uint32_t* count) {
    level_draft* level = &draft->level[0];
    taut_buffer stack = {0};
    taut_status status = draft_array(draft, &level->component, sizeof(uint32_t), level->nodes);
    status = status == TAUT_OK ? draft_array(draft, &stack, sizeof(uint32_t), level->nodes) : status;
    *count = 0;
    if (status == TAUT_OK) {
        const uint32_t* begin = uint32s(&level->a_begin);
        uint32_t* component = uint32s(&level->component);
        memset(component, 0xFF, level->nodes * sizeof *component);
        for (uint32_t n = 0; n < level->nodes; n++) {
            if (begin[n] < begin[n + 1] && component[n] == TAUT_NO_PLACE) {
                flood(level, n, (*count)++, component, uint32s(&stack));
            }
        }
    }
    taut_buffer_release(draft->allocator, &stack);
    return status;
}

/* take[n] = 1 for nodes of components that go on to the next level; returns whether there are any. `sizes`: room for
 * one value per component. */
static bool choose(const level_draft* level, uint32_t components, uint32_t* sizes, uint8_t* take) {
    const uint32_t* component = uint32s(&level->component);
    bool any = false;
    memset(sizes, 0, components * sizeof *sizes);
    for (uint32_t n = 0; n < level->nodes; n++) {
        if (component[n] != TAUT_NO_PLACE) {
            sizes[component[n]]++;
        }
    }
    for (uint32_t n = 0; n < level->nodes; n++) {
        take[n] = component[n] != TAUT_NO_PLACE && sizes[component[n]] > LAST_SIZE;
        any = any || take[n];
    }
    return any;
}

/* ---- the next graph ---------------------------------------------------------------------------------------------- */

/* Nodes by aggregate: list[begin[a] .. begin[a + 1]). */
static taut_status list_children(hierarchy_draft* draft, level_draft* level) {
    taut_status status = draft_array(draft, &level->child_begin, sizeof(uint32_t), level->coarse + (size_t)1);
    status = status == TAUT_OK ? draft_array(draft, &level->child, sizeof(uint32_t), level->nodes) : status;
    if (status != TAUT_OK) {
        return status;
    }
    uint32_t *begin = uint32s(&level->child_begin), *child = uint32s(&level->child);
    const uint32_t* aggregate = uint32s(&level->aggregate);
    for (uint32_t n = 0; n < level->nodes; n++) {
        if (aggregate[n] != TAUT_NO_AGGREGATE) {
            begin[aggregate[n] + 1]++;
        }
    }
    for (uint32_t a = 0; a < level->coarse; a++) {
        begin[a + 1] += begin[a];
    }
    for (uint32_t n = 0; n < level->nodes; n++) {
        if (aggregate[n] != TAUT_NO_AGGREGATE) {
            child[begin[aggregate[n]]++] = n;
        }
    }
    memmove(begin + 1, begin, level->coarse * sizeof *begin);
    begin[0] = 0;
    return TAUT_OK;
}

static taut_status push_weight(const hierarchy_draft* draft, taut_buffer* buffer, double value) {
    const taut_status status = taut_buffer_reserve(draft->allocator, buffer, sizeof(double), 1);
    if (status == TAUT_OK) {
        ((double*)buffer->data)[buffer->count++] = value;
    }
    return status;
}

/* Edges of aggregate a: sums of those of its children. */
static taut_status add_edges(hierarchy_draft* draft, const level_draft* fine, uint32_t a, uint32_t* seen,
                             uint32_t* edge, level_draft* coarse) {
    const weighted_graph* graph = &fine->graph;
    const uint32_t *aggregate = uint32s(&fine->aggregate), *child = uint32s(&fine->child);
    taut_status status = TAUT_OK;
    for (uint32_t i = uint32s(&fine->child_begin)[a]; i < uint32s(&fine->child_begin)[a + 1]; i++) {
        for (uint32_t e = graph->begin[child[i]]; status == TAUT_OK && e < graph->begin[child[i] + 1]; e++) {
            const uint32_t other = aggregate[graph->column[e]];
            if (other == a || other == TAUT_NO_AGGREGATE) {
                continue;
            }
            if (seen[other] != a + 1) {
                seen[other] = a + 1;
                edge[other] = (uint32_t)coarse->graph_column.count;
                status = draft_push(draft, &coarse->graph_column, other);
                status = status == TAUT_OK ? push_weight(draft, &coarse->graph_weight, 0) : status;
            }
            if (status == TAUT_OK) {
                ((double*)coarse->graph_weight.data)[edge[other]] += graph->weight[e];
            }
        }
    }
    return status == TAUT_OK ? draft_push(draft, &coarse->graph_begin, (uint32_t)coarse->graph_column.count) : status;
}

static void point_graph(level_draft* level) {
    level->graph =
        (weighted_graph){level->nodes, level->graph_begin.data, level->graph_column.data, level->graph_weight.data};
}

static taut_status coarsen(hierarchy_draft* draft, uint32_t l) {
    level_draft *fine = &draft->level[l], *coarse = &draft->level[l + 1];
    taut_buffer scratch = {0};
    coarse->nodes = fine->coarse;
    taut_status status = draft_array(draft, &coarse->component, sizeof(uint32_t), coarse->nodes);
    status = status == TAUT_OK ? draft_array(draft, &scratch, sizeof(uint32_t), 2 * (size_t)coarse->nodes) : status;
    status = status == TAUT_OK ? list_children(draft, fine) : status;
    status = status == TAUT_OK ? draft_push(draft, &coarse->graph_begin, 0) : status;
    for (uint32_t a = 0; status == TAUT_OK && a < coarse->nodes; a++) {
        const uint32_t first = uint32s(&fine->child)[uint32s(&fine->child_begin)[a]];
        uint32s(&coarse->component)[a] = uint32s(&fine->component)[first];
        status = add_edges(draft, fine, a, uint32s(&scratch), uint32s(&scratch) + coarse->nodes, coarse);
    }
    point_graph(coarse);
    taut_buffer_release(draft->allocator, &scratch);
    return status;
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

static taut_status move_values(const hierarchy_draft* draft, const uint32_t* number, taut_buffer* values) {
    taut_buffer moved = {0};
    const taut_status status = draft_array(draft, &moved, sizeof(uint32_t), values->count);
    for (size_t i = 0; status == TAUT_OK && i < values->count; i++) {
        uint32s(&moved)[number[i]] = uint32s(values)[i];
    }
    if (status == TAUT_OK) {
        taut_buffer_release(draft->allocator, values);
        *values = moved;
    }
    return status;
}

/* Numbers the nodes of level l > 0 by their aggregates, then those of components that end here by component. */
static taut_status number_level(hierarchy_draft* draft, uint32_t l, uint32_t components) {
    level_draft *level = &draft->level[l], *below = &draft->level[l - 1];
    const size_t keys = level->coarse + (size_t)components;
    taut_buffer scratch = {0};
    taut_status status = draft_array(draft, &scratch, sizeof(uint32_t), keys + 1 + level->nodes);
    if (status != TAUT_OK) {
        return status;
    }
    uint32_t *next = uint32s(&scratch), *number = next + keys + 1;
    const uint32_t *aggregate = uint32s(&level->aggregate), *component = uint32s(&level->component);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t n = 0; n < level->nodes; n++) {
            const size_t key = aggregate[n] != TAUT_NO_AGGREGATE ? aggregate[n] : level->coarse + (size_t)component[n];
            if (pass == 0) {
                next[key + 1]++;
            } else {
                number[n] = next[key]++;
            }
        }
        for (size_t i = 0; pass == 0 && i < keys; i++) {
            next[i + 1] += next[i];
        }
    }
    for (uint32_t n = 0; n < below->nodes; n++) {
        uint32_t* above = &uint32s(&below->aggregate)[n];
        *above = *above != TAUT_NO_AGGREGATE ? number[*above] : TAUT_NO_AGGREGATE;
    }
    status = move_values(draft, number, &level->aggregate);
    status = status == TAUT_OK ? move_values(draft, number, &level->component) : status;
    taut_buffer_release(draft->allocator, &scratch);
    return status;
}

/* ---- all levels -------------------------------------------------------------------------------------------------- */

static taut_status grow_level(hierarchy_draft* draft, uint32_t l, uint32_t components, bool* more) {
    level_draft* level = &draft->level[l];
    taut_buffer take = {0}, sizes = {0};
    taut_status status = draft_array(draft, &take, 1, level->nodes);
    status = status == TAUT_OK ? draft_array(draft, &sizes, sizeof(uint32_t), components) : status;
    status = status == TAUT_OK ? draft_array(draft, &level->aggregate, sizeof(uint32_t), level->nodes) : status;
    *more = false;
    if (status == TAUT_OK) {
        memset(level->aggregate.data, 0xFF, level->nodes * sizeof(uint32_t));
        *more = choose(level, components, uint32s(&sizes), take.data) && l + 1 < TAUT_MAX_LEVELS;
    }
    if (*more) {
        status = aggregates_grow(&level->graph, take.data, l == 0 ? FIRST_SIZE : SIZE, draft->allocator,
                                 uint32s(&level->aggregate), &level->coarse);
    }
    taut_buffer_release(draft->allocator, &take);
    taut_buffer_release(draft->allocator, &sizes);
    return status;
}

/* Children again, by the last numbers. */
static taut_status list_again(hierarchy_draft* draft, uint32_t l) {
    taut_buffer_release(draft->allocator, &draft->level[l].child_begin);
    taut_buffer_release(draft->allocator, &draft->level[l].child);
    return list_children(draft, &draft->level[l]);
}

taut_status draft_aggregates(hierarchy_draft* draft) {
    uint32_t components, l = 0;
    bool more = true;
    taut_status status = find_components(draft, &components);
    point_graph(&draft->level[0]);
    while (status == TAUT_OK && more) {
        draft->count = l + 1;
        status = grow_level(draft, l, components, &more);
        if (status == TAUT_OK && more) {
            status = coarsen(draft, l++);
        }
    }
    for (l = draft->count; status == TAUT_OK && l-- > 1;) {
        status = number_level(draft, l, components);
    }
    for (l = 0; status == TAUT_OK && l < draft->count; l++) {
        status = list_again(draft, l);
    }
    return status;
}
