/* Order, pattern and symbolic factors of the direct method. */
#include "host/cpu/cpu_supernodes.h"

#include "base/status.h"

#include <amd.h>

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

/* Vertices: nodes that constraints act on, then constraints. An edge is a support. */
typedef struct graph {
    const taut_plan* plan;
    saddle_pool pool;
    size_t nodes, members, vertices;
    saddle_index *node_vertex, *member_vertex; /* SADDLE_NONE: none */
    saddle_index* width;                       /* unknowns of a vertex */
    saddle_index* order;                       /* vertices as they are eliminated */
    saddle_index* first;                       /* number of the first unknown of a vertex */
    saddle_index* before;                      /* unknowns next to a vertex that are eliminated before it */
} graph;

static const taut_system* system_of(const taut_plan* plan) {
    return &plan->hierarchy.system;
}

static uint32_t member_unknowns(const taut_plan* plan, uint32_t member, uint32_t unknown[TAUT_MAX_ROWS]) {
    const taut_sizes* s = &plan->sizes;
    uint32_t c = member;
    int k = 0;
    while (c >= taut_given_count(s, k)) {
        c -= (uint32_t)taut_given_count(s, k++);
    }
    return taut_list_unknowns(s, (taut_kind)k, c, unknown);
}

static taut_status graph_open(graph* g) {
    const size_t most = g->nodes + g->members;
    saddle_index** const arrays[] = {&g->node_vertex, &g->member_vertex, &g->width, &g->order, &g->first, &g->before};
    const size_t counts[] = {g->nodes, g->members, most, most, most, most};
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
        const uint32_t count = member_unknowns(g->plan, m, unknown);
        g->member_vertex[m] = count > 0 ? (saddle_index)g->vertices : SADDLE_NONE;
        g->width[g->vertices] = count;
        g->vertices += count > 0;
    }
}

/* Vertices of a support; false where its constraint has no unknowns. */
static bool edge_of(const graph* g, size_t support, saddle_index* node, saddle_index* member) {
    const taut_system* h = system_of(g->plan);
    *node = g->node_vertex[h->support_node[support]];
    *member = g->member_vertex[h->support_member[support]];
    return *member != SADDLE_NONE;
}

/* What amd_l2 works on: neighbours of each vertex in `list`, which has room behind them, and its scratch. */
typedef struct amd_input {
    saddle_index *begin, *length, *list;
    saddle_index* scratch[6];
    size_t used, room;
} amd_input;

static taut_status amd_take(saddle_pool* pool, size_t vertices, size_t supports, amd_input* in) {
    in->used = 2 * supports;
    in->room = in->used + in->used / 5 + vertices + 1;
    in->begin = saddle_take(pool, vertices, sizeof(saddle_index));
    in->length = saddle_take(pool, vertices, sizeof(saddle_index));
    in->list = saddle_take(pool, in->room, sizeof(saddle_index));
    bool taken = in->begin != NULL && in->length != NULL && in->list != NULL;
    for (int i = 0; taken && i < 6; i++) {
        in->scratch[i] = saddle_take(pool, vertices, sizeof(saddle_index));
        taken = in->scratch[i] != NULL;
    }
    return taken ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

static void amd_fill(const graph* g, size_t supports, amd_input* in) {
    saddle_index node, member, used = 0;
    for (size_t i = 0; i < supports; i++) {
        if (edge_of(g, i, &node, &member)) {
            in->length[node]++;
            in->length[member]++;
        }
    }
    for (size_t v = 0; v < g->vertices; v++) {
        in->begin[v] = used;
        used += in->length[v];
        in->length[v] = 0;
    }
    in->used = (size_t)used;
    for (size_t i = 0; i < supports; i++) {
        if (edge_of(g, i, &node, &member)) {
            in->list[in->begin[node] + in->length[node]++] = member;
            in->list[in->begin[member] + in->length[member]++] = node;
        }
    }
}

/* By the routine of AMD that takes its memory from the caller. */
static taut_status choose_order(graph* g) {
    const size_t supports = system_of(g->plan)->s.supports;
    saddle_pool pool = {.allocator = g->pool.allocator};
    amd_input in = {0};
    double control[AMD_CONTROL], info[AMD_INFO];
    taut_status status = amd_take(&pool, g->vertices, supports, &in);
    if (status == TAUT_OK && g->vertices > 0) {
        amd_fill(g, supports, &in);
        amd_l_defaults(control);
        amd_l2((saddle_index)g->vertices, in.begin, in.list, in.length, (saddle_index)in.room, (saddle_index)in.used,
               in.scratch[0], in.scratch[1], g->order, in.scratch[2], in.scratch[3], in.scratch[4], in.scratch[5],
               control, info);
    }
    saddle_release(&pool);
    return status;
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

/* Where the columns of later vertices have the values of each support. */
static void place_supports(const graph* g, saddle_solver* d) {
    saddle_index node, member;
    for (size_t i = 0; i < system_of(g->plan)->s.supports; i++) {
        if (edge_of(g, i, &node, &member)) {
            const bool node_first = g->first[node] < g->first[member];
            const saddle_index later = node_first ? member : node;
            d->support_place[i] = g->before[later];
            g->before[later] += g->width[node_first ? node : member];
        }
    }
}

/* Column a of a vertex: what is before, then its own rows to the diagonal. Returns the values of the matrix. */
static size_t place_columns(const graph* g, saddle_solver* d) {
    size_t used = 0;
    for (size_t i = 0; i < g->vertices; i++) {
        const saddle_index v = g->order[i];
        for (saddle_index a = 0; a < g->width[v]; a++) {
            used += (size_t)(g->before[v] + a + 1);
            d->begin[g->first[v] + a + 1] = (saddle_index)used;
        }
    }
    return used;
}

static void fill_rows(const graph* g, saddle_solver* d) {
    saddle_index node, member;
    for (size_t i = 0; i < system_of(g->plan)->s.supports; i++) {
        if (!edge_of(g, i, &node, &member)) {
            continue;
        }
        const bool node_first = g->first[node] < g->first[member];
        const saddle_index early = node_first ? node : member, later = node_first ? member : node;
        for (saddle_index a = 0; a < g->width[later]; a++) {
            saddle_index* rows = d->row + d->begin[g->first[later] + a] + d->support_place[i];
            for (saddle_index b = 0; b < g->width[early]; b++) {
                rows[b] = g->first[early] + b;
            }
        }
    }
    for (size_t v = 0; v < g->vertices; v++) {
        for (saddle_index a = 0; a < g->width[v]; a++) {
            for (saddle_index b = 0; b <= a; b++) {
                d->row[d->begin[g->first[v] + a] + g->before[v] + b] = g->first[v] + b;
            }
        }
    }
}

/* Numbers of nodes, constraints and the world's unknowns. */
static void fill_numbers(const graph* g, saddle_solver* d) {
    for (size_t n = 0; n < g->nodes; n++) {
        const saddle_index v = g->node_vertex[n];
        d->node_first[n] = v != SADDLE_NONE ? g->first[v] : SADDLE_NONE;
        for (int a = 0; v != SADDLE_NONE && a < 3; a++) {
            d->unknown[g->first[v] + a] = SADDLE_NONE;
        }
    }
    for (uint32_t m = 0; m < g->members; m++) {
        uint32_t unknown[TAUT_MAX_ROWS];
        const saddle_index v = g->member_vertex[m];
        const uint32_t count = member_unknowns(g->plan, m, unknown);
        d->member_first[m] = v != SADDLE_NONE ? g->first[v] : SADDLE_NONE;
        for (uint32_t r = 0; r < count; r++) {
            d->unknown[g->first[v] + (saddle_index)r] = unknown[r];
        }
    }
}

static bool take_index(saddle_pool* pool, saddle_index** out, size_t count) {
    *out = saddle_take(pool, count, sizeof(saddle_index));
    return *out != NULL;
}

static bool take_values(saddle_pool* pool, double** out, size_t count) {
    *out = saddle_take(pool, count, sizeof(double));
    return *out != NULL;
}

static taut_status make_pattern(const graph* g, saddle_solver* d) {
    saddle_pool* pool = &d->pool;
    const size_t n = d->unknowns;
    if (!take_index(pool, &d->node_first, g->nodes) || !take_index(pool, &d->member_first, g->members) ||
        !take_index(pool, &d->unknown, n) || !take_index(pool, &d->support_place, system_of(g->plan)->s.supports) ||
        !take_index(pool, &d->begin, n)) {
        return TAUT_OUT_OF_MEMORY;
    }
    place_supports(g, d);
    const size_t values = place_columns(g, d);
    if (!take_index(pool, &d->row, values) || !take_values(pool, &d->value, values)) {
        return TAUT_OUT_OF_MEMORY;
    }
    fill_rows(g, d);
    fill_numbers(g, d);
    return TAUT_OK;
}

/* ---- factors ----------------------------------------------------------------------------------------------------- */

/* Of a factorisation: each value of a column of L meets all of the column. */
static double products(size_t unknowns, const saddle_index* below) {
    double sum = 0;
    for (size_t i = 0; i < unknowns; i++) {
        sum += (double)below[i] * (double)below[i];
    }
    return sum;
}

static taut_status take_factors(saddle_solver* d, double most) {
    const size_t n = d->unknowns;
    saddle_pool scratch = {.allocator = &d->allocator};
    saddle_index *begin, *parent, *below, *flag;
    taut_status status = TAUT_OUT_OF_MEMORY;
    d->factors = saddle_take(&d->pool, 1, sizeof *d->factors);
    if (d->factors != NULL && take_index(&scratch, &begin, n) && take_index(&scratch, &parent, n) &&
        take_index(&scratch, &below, n) && take_index(&scratch, &flag, n) && take_values(&d->pool, &d->delta, n)) {
        ldl_l_symbolic((saddle_index)n, d->begin, d->row, begin, parent, below, flag, NULL, NULL);
        d->factor_values = (size_t)begin[n];
        status = products(n, below) > most ? TAUT_OUT_OF_CAPACITY
                                           : supernodes_make(&d->pool, n, d->begin, d->row, parent, below, d->factors);
    }
    saddle_release(&scratch);
    return status;
}

taut_status saddle_layout(saddle_solver* d, double most) {
    const taut_plan* plan = d->plan;
    const size_t members = system_of(plan)->s.members;
    graph g = {.plan = plan,
               .pool = {.allocator = &d->allocator},
               .nodes = plan->sizes.nodes,
               .members = members > 0 ? members - 1 : 0};
    taut_status status = graph_open(&g);
    if (status == TAUT_OK) {
        list_vertices(&g);
        status = choose_order(&g);
    }
    if (status == TAUT_OK) {
        d->unknowns = number_unknowns(&g);
        /* So that no sum of counts of LDL can overflow: it has at most half the square of them. */
        status = d->unknowns < (size_t)INT32_MAX
                     ? make_pattern(&g, d)
                     : taut_fail(TAUT_OUT_OF_MEMORY, "direct method: %zu unknowns are too many.", d->unknowns);
    }
    saddle_release(&g.pool);
    return status == TAUT_OK ? take_factors(d, most) : status;
}
