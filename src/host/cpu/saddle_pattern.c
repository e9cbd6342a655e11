/* Order, pattern and symbolic factors of the direct method. */
#include "host/cpu/cpu_neighbours.h"
#include "host/cpu/cpu_supernodes.h"

#include "base/status.h"

void* saddle_take(saddle_pool* pool, size_t count, size_t element) {
    if (count >= SIZE_MAX / element) {
        taut_fail(TAUT_OUT_OF_MEMORY, "direct method: %zu values are more than there can be.", count);
        return NULL;
    }
    const size_t bytes = (count + 1) * element;
    void* memory = pool->count < SADDLE_ARRAYS ? taut_allocate(pool->allocator, bytes) : NULL;
    if (memory != NULL) {
        pool->memory[pool->count] = memory;
        pool->bytes[pool->count++] = bytes;
    }
    return memory;
}

void saddle_release(saddle_pool* pool) {
    for (size_t i = 0; i < pool->count; i++) {
        taut_release(pool->allocator, pool->memory[i], pool->bytes[i]);
    }
    pool->count = 0;
}

/* ---- the graph of nodes and constraints -------------------------------------------------------------------------- */

/* Vertices: nodes that constraints act on, then constraints whose rows are kept. These are next to their nodes; the
 * nodes of others are next to each other. */
typedef struct graph {
    const taut_plan* plan;
    saddle_pool pool;
    size_t nodes, members, vertices;
    saddle_index *node_vertex, *member_vertex; /* SADDLE_NONE: none */
    saddle_index* rows;                        /* of a member */
    saddle_index* width;                       /* unknowns of a vertex */
    saddle_index* order;                       /* vertices as they are eliminated */
    saddle_index* first;                       /* number of the first unknown of a vertex */
    neighbours near;
} graph;

static const taut_system* system_of(const taut_plan* plan) {
    return &plan->hierarchy.system;
}

static taut_kind kind_of(const taut_sizes* s, uint32_t* member) {
    int k = 0;
    while (*member >= taut_given_count(s, k)) {
        *member -= (uint32_t)taut_given_count(s, k++);
    }
    return (taut_kind)k;
}

static uint32_t member_unknowns(const taut_plan* plan, uint32_t member, uint32_t unknown[TAUT_MAX_ROWS]) {
    const taut_kind k = kind_of(&plan->sizes, &member);
    return taut_list_unknowns(&plan->sizes, k, member, unknown);
}

/* Supports of a member that has rows. */
static uint32_t supports_of(const graph* g, size_t member) {
    const taut_system* h = system_of(g->plan);
    return g->rows[member] > 0 ? h->support_begin[member + 1] - h->support_begin[member] : 0;
}

/* Eliminated first are constraints on few nodes that others have many of, as approximate minimum degree would: it costs
 * no fill. Links of a chain keep their rows, whose factors are more accurate. */
static bool is_kept(const graph* g, size_t member) {
    const taut_system* h = system_of(g->plan);
    const uint32_t supports = supports_of(g, member);
    bool kept = supports > 0;
    for (uint32_t i = 0; i < supports && supports <= SADDLE_MOST_NODES; i++) {
        const uint32_t node = h->support_node[h->support_begin[member] + i];
        kept = kept && h->at_begin[node + 1] - h->at_begin[node] <= supports;
    }
    return kept;
}

static taut_status graph_open(graph* g) {
    const size_t most = g->nodes + g->members;
    saddle_index** const arrays[] = {&g->node_vertex, &g->member_vertex, &g->rows, &g->width, &g->order, &g->first};
    const size_t counts[] = {g->nodes, g->members, g->members, most, most, most};
    for (int i = 0; i < 6; i++) {
        *arrays[i] = saddle_take(&g->pool, counts[i], sizeof(saddle_index));
        if (*arrays[i] == NULL) {
            return TAUT_OUT_OF_MEMORY;
        }
    }
    return TAUT_OK;
}

static void list_vertices(graph* g) {
    const taut_system* h = system_of(g->plan);
    for (size_t n = 0; n < g->nodes; n++) {
        const bool used = h->at_begin[n] < h->at_begin[n + 1];
        g->node_vertex[n] = used ? (saddle_index)g->vertices : SADDLE_NONE;
        g->width[g->vertices] = 3;
        g->vertices += used;
    }
    for (uint32_t m = 0; m < g->members; m++) {
        uint32_t unknown[TAUT_MAX_ROWS];
        g->rows[m] = member_unknowns(g->plan, m, unknown);
        const bool kept = is_kept(g, m);
        g->member_vertex[m] = kept ? (saddle_index)g->vertices : SADDLE_NONE;
        g->width[g->vertices] = g->rows[m];
        g->vertices += kept;
    }
}

static void note_edges(const void* context, neighbours* n) {
    const graph* g = context;
    const taut_system* h = system_of(g->plan);
    for (size_t m = 0; m < g->members; m++) {
        saddle_index vertex[SADDLE_MOST_NODES];
        size_t count = 0;
        for (uint32_t i = h->support_begin[m]; i < h->support_begin[m] + supports_of(g, m); i++) {
            const saddle_index node = g->node_vertex[h->support_node[i]];
            if (g->member_vertex[m] != SADDLE_NONE) {
                neighbours_note(n, node, g->member_vertex[m]);
                neighbours_note(n, g->member_vertex[m], node);
            } else {
                vertex[count++] = node;
            }
        }
        neighbours_note_clique(n, vertex, count);
    }
}

static size_t number_unknowns(graph* g) {
    saddle_index next = 0;
    for (size_t i = 0; i < g->vertices; i++) {
        g->first[g->order[i]] = next;
        next += g->width[g->order[i]];
    }
    return (size_t)next;
}

/* ---- pattern ----------------------------------------------------------------------------------------------------- */

#define TAKE(pool, to, count) ((to) = saddle_take((pool), (count), sizeof *(to)), (to) != NULL)

/* Values of the columns of a vertex on and above the diagonal; with `rows`, what rows they are in. */
static saddle_index list_column(const graph* g, saddle_index v, saddle_index a, saddle_index* rows) {
    saddle_index used = 0;
    for (saddle_index i = g->near.begin[v]; i < g->near.begin[v + 1]; i++) {
        const saddle_index u = g->near.list[i];
        for (saddle_index b = 0; g->first[u] < g->first[v] && b < g->width[u]; b++, used++) {
            if (rows != NULL) {
                rows[used] = g->first[u] + b;
            }
        }
    }
    for (saddle_index b = 0; b <= a; b++, used++) {
        if (rows != NULL) {
            rows[used] = g->first[v] + b;
        }
    }
    return used;
}

/* Factors of the matrix of the graph. */
static taut_status take_factors(graph* g, saddle_solver* d, double most) {
    saddle_index *begin, *row;
    d->factors = saddle_take(&d->pool, 1, sizeof *d->factors);
    if (d->factors == NULL || !TAKE(&g->pool, begin, d->unknowns)) {
        return TAUT_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < g->vertices; i++) {
        const saddle_index v = g->order[i];
        for (saddle_index a = 0; a < g->width[v]; a++) {
            begin[g->first[v] + a + 1] = begin[g->first[v] + a] + list_column(g, v, a, NULL);
        }
    }
    if (!TAKE(&g->pool, row, (size_t)begin[d->unknowns])) {
        return TAUT_OUT_OF_MEMORY;
    }
    for (size_t v = 0; v < g->vertices; v++) {
        for (saddle_index a = 0; a < g->width[v]; a++) {
            list_column(g, (saddle_index)v, a, row + begin[g->first[v] + a]);
        }
    }
    return supernodes_make(d->plan, &d->pool, d->unknowns, begin, row, most, d->factors);
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

static saddle_block block_of(const saddle_solver* d, saddle_index one, saddle_index other) {
    const bool swapped = one < other;
    const supernode_place place =
        supernodes_place(d->factors, (size_t)(swapped ? other : one), (size_t)(swapped ? one : other));
    return (saddle_block){place.first, place.stride, swapped};
}

static void number_vertices(const graph* g, saddle_solver* d) {
    for (size_t n = 0; n < g->nodes; n++) {
        const saddle_index v = g->node_vertex[n];
        d->node_first[n] = v != SADDLE_NONE ? g->first[v] : SADDLE_NONE;
        if (v != SADDLE_NONE) {
            d->node_block[n] = block_of(d, g->first[v], g->first[v]);
        }
    }
    for (size_t m = 0; m < g->members; m++) {
        const saddle_index v = g->member_vertex[m];
        d->kept_first[m] = v != SADDLE_NONE ? g->first[v] : SADDLE_NONE;
    }
}

static void place_kept(const graph* g, saddle_solver* d, uint32_t m) {
    const taut_system* h = system_of(g->plan);
    d->kept_block[m] = block_of(d, d->kept_first[m], d->kept_first[m]);
    for (uint32_t i = h->support_begin[m]; i < h->support_begin[m + 1]; i++) {
        d->support_block[i] = block_of(d, d->kept_first[m], d->node_first[h->support_node[i]]);
    }
}

static saddle_member make_member(const graph* g, const saddle_solver* d, uint32_t m) {
    const taut_system* h = system_of(g->plan);
    uint32_t c = m;
    saddle_member out = {.member = m, .rows = (uint32_t)g->rows[m]};
    out.coupled = taut_kind_shapes[kind_of(&g->plan->sizes, &c)].rows;
    out.slots = g->member_vertex[m] == SADDLE_NONE ? supports_of(g, m) : 0;
    for (uint32_t i = 0; i < out.slots; i++) {
        const uint32_t support = h->support_begin[m] + i;
        const uint32_t first = (uint32_t)d->node_first[h->support_node[support]];
        uint32_t at = i;
        for (; at > 0 && out.first[at - 1] > first; at--) {
            out.first[at] = out.first[at - 1];
            out.support[at] = out.support[at - 1];
        }
        out.first[at] = first;
        out.support[at] = support;
    }
    return out;
}

/* Which of the lists of members of the eliminated (cpu_saddle_pattern.h) has m; the last one of those that are kept. */
static uint32_t list_of(const saddle_solver* d, const saddle_member* m) {
    const supernodes* s = d->factors;
    const uint32_t last = m->slots > 0 ? m->first[m->slots - 1] : 0;
    uint32_t part = m->slots > 0 ? tree_parts_find(&s->parts, s->of[m->first[0]]) : TREE_ROOT;
    part = part == TREE_ROOT ? s->parts.count : part;
    return 2 * part + (part < s->parts.count && last >= s->first[s->parts.end[part]]);
}

/* Members that are eliminated by parts of the tree, then the others. */
static bool list_members(graph* g, saddle_solver* d) {
    const uint32_t kept = 2 * d->factors->parts.count + 1;
    saddle_member* all;
    uint32_t* list;
    if (!TAKE(&g->pool, all, g->members) || !TAKE(&g->pool, list, g->members)) {
        return false;
    }
    for (uint32_t m = 0; m < g->members; m++) {
        all[m] = make_member(g, d, m);
        list[m] = g->member_vertex[m] == SADDLE_NONE ? list_of(d, all + m) : kept;
        d->list_begin[list[m] + 1]++;
    }
    for (uint32_t i = 0; i <= kept; i++) {
        d->list_begin[i + 1] += d->list_begin[i];
    }
    d->member_count = g->members;
    d->eliminated = d->list_begin[kept];
    size_t at[SADDLE_LISTS];
    memcpy(at, d->list_begin, sizeof at);
    for (uint32_t m = 0; m < g->members; m++) {
        d->members[at[list[m]]++] = all[m];
    }
    return true;
}

/* Where members have their values, and memory for these. */
static taut_status take_values(const graph* g, saddle_solver* d) {
    size_t pairs = 0, rows = 0, weights = 0, unknowns = 0;
    for (size_t i = 0; i < d->member_count; i++) {
        saddle_member* m = d->members + i;
        m->unknown = unknowns;
        m->pair = pairs;
        m->row = rows;
        m->weight = weights;
        unknowns += m->rows;
        pairs += (size_t)m->slots * (m->slots + 1) / 2;
        rows += 4 * (size_t)m->slots * m->rows;
        weights += i < d->eliminated ? (size_t)m->coupled * (m->coupled + 1) / 2 : 0;
    }
    saddle_pool* pool = &d->pool;
    if (!TAKE(pool, d->unknown, unknowns) || !TAKE(pool, d->part, unknowns) || !TAKE(pool, d->side, unknowns) ||
        !TAKE(pool, d->pair_block, pairs) || !TAKE(pool, d->row_value, rows) || !TAKE(pool, d->weight_value, weights)) {
        return TAUT_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < d->member_count; i++) {
        const saddle_member* m = d->members + i;
        saddle_block* pair = d->pair_block + m->pair;
        member_unknowns(g->plan, m->member, d->unknown + m->unknown);
        for (uint32_t late = 0; late < m->slots; late++) {
            for (uint32_t early = 0; early <= late; early++) {
                *pair++ = block_of(d, m->first[late], m->first[early]);
            }
        }
    }
    return TAUT_OK;
}

static taut_status place_all(graph* g, saddle_solver* d) {
    saddle_pool* pool = &d->pool;
    const size_t nodes = g->nodes, supports = system_of(g->plan)->s.supports;
    if (!TAKE(pool, d->node_first, nodes) || !TAKE(pool, d->kept_first, g->members) ||
        !TAKE(pool, d->node_block, nodes) || !TAKE(pool, d->kept_block, g->members) ||
        !TAKE(pool, d->support_block, supports) || !TAKE(pool, d->members, g->members) ||
        !TAKE(pool, d->motion, d->unknowns + 4) || !TAKE(pool, d->delta, g->plan->sizes.unknowns)) {
        return TAUT_OUT_OF_MEMORY;
    }
    number_vertices(g, d);
    for (uint32_t m = 0; m < g->members; m++) {
        if (g->member_vertex[m] != SADDLE_NONE) {
            place_kept(g, d, m);
        }
    }
    return list_members(g, d) ? take_values(g, d) : TAUT_OUT_OF_MEMORY;
}

static taut_status lay_out(graph* g, saddle_solver* d, double most) {
    taut_status status = graph_open(g);
    if (status != TAUT_OK) {
        return status;
    }
    list_vertices(g);
    status = neighbours_find(&g->pool, g->vertices, note_edges, g, &g->near);
    if (status == TAUT_OK) {
        status = neighbours_order(&g->near, &d->allocator, g->order);
    }
    if (status != TAUT_OK) {
        return status;
    }
    d->unknowns = number_unknowns(g);
    /* So that no sum of counts of LDL can overflow: it has at most half the square of them. */
    if (d->unknowns >= (size_t)INT32_MAX) {
        return taut_fail(TAUT_OUT_OF_MEMORY, "direct method: %zu unknowns are too many.", d->unknowns);
    }
    status = take_factors(g, d, most);
    return status == TAUT_OK ? place_all(g, d) : status;
}

taut_status saddle_layout(saddle_solver* d, double most) {
    const size_t members = system_of(d->plan)->s.members;
    graph g = {.plan = d->plan,
               .pool = {.allocator = &d->allocator},
               .nodes = d->plan->sizes.nodes,
               .members = members > 0 ? members - 1 : 0};
    const taut_status status = lay_out(&g, d, most);
    saddle_release(&g.pool);
    return status;
}
