/* Minimum degree by lists of neighbours that are written anew as vertices go: contact graphs have few neighbours each,
 * and a pattern is needed for every substep. */
#include "host/cpu/cpu_block_order.h"

#include <string.h>

static void list_remove(block_order* o, uint32_t v) {
    const uint32_t next = o->next[v], last = o->last[v];
    if (last == BLOCK_NONE) {
        o->head[o->degree[v]] = next;
    } else {
        o->next[last] = next;
    }
    if (next != BLOCK_NONE) {
        o->last[next] = last;
    }
}

static void list_add(block_order* o, uint32_t v) {
    const uint32_t first = o->head[o->degree[v]];
    o->next[v] = first;
    o->last[v] = BLOCK_NONE;
    if (first != BLOCK_NONE) {
        o->last[first] = v;
    }
    o->head[o->degree[v]] = v;
}

/* Neighbours of every vertex, each once. */
static bool open_lists(block_order* o, const uint32_t* pair, size_t edges) {
    uint32_t *count = o->degree, used = 0;
    memset(count, 0, o->vertices * sizeof *count);
    for (size_t e = 0; e < edges; e++) {
        if (pair[2 * e] != BLOCK_NONE && pair[2 * e + 1] != BLOCK_NONE) {
            count[pair[2 * e]]++;
            count[pair[2 * e + 1]]++;
        }
    }
    for (size_t v = 0; v < o->vertices; v++) {
        o->at[v] = used;
        used += count[v];
        count[v] = 0;
    }
    if (used > o->pool_room) {
        return false;
    }
    uint32_t* list = o->pool[o->current = 0];
    for (size_t e = 0; e < edges; e++) {
        const uint32_t a = pair[2 * e], b = pair[2 * e + 1];
        if (a != BLOCK_NONE && b != BLOCK_NONE) {
            list[o->at[a] + count[a]++] = b;
            list[o->at[b] + count[b]++] = a;
        }
    }
    o->used = used;
    return true;
}

static void drop_repeated(block_order* o) {
    uint32_t* list = o->pool[o->current];
    for (uint32_t v = 0; v < o->vertices; v++) {
        uint32_t kept = 0;
        for (uint32_t i = 0; i < o->degree[v]; i++) {
            const uint32_t u = list[o->at[v] + i];
            if (o->mark[u] != v) {
                o->mark[u] = v;
                list[o->at[v] + kept++] = u;
            }
        }
        o->degree[v] = kept;
    }
}

/* Lists of what is left, without gaps, in the other pool. */
static void compact(block_order* o) {
    const uint32_t* from = o->pool[o->current];
    uint32_t* to = o->pool[o->current = !o->current];
    o->used = 0;
    for (size_t v = 0; v < o->vertices; v++) {
        if (o->rank[v] == BLOCK_NONE) {
            memcpy(to + o->used, from + o->at[v], o->degree[v] * sizeof *to);
            o->at[v] = (uint32_t)o->used;
            o->used += o->degree[v];
        }
    }
}

/* Gives u the neighbours of `gone`, `count` of them, in its place. */
static bool join(block_order* o, uint32_t u, uint32_t gone, const uint32_t* beside, uint32_t count, uint32_t stamp) {
    if (o->used + o->degree[u] + count > o->pool_room) {
        compact(o);
    }
    if (o->used + o->degree[u] + count > o->pool_room) {
        return false;
    }
    const uint32_t* old = o->pool[o->current] + o->at[u];
    uint32_t *list = o->pool[o->current] + o->used, length = 0;
    o->mark[u] = o->mark[gone] = stamp;
    for (uint32_t i = 0; i < o->degree[u] + count; i++) {
        const uint32_t w = i < o->degree[u] ? old[i] : beside[i - o->degree[u]];
        if (o->mark[w] != stamp) {
            o->mark[w] = stamp;
            list[length++] = w;
        }
    }
    list_remove(o, u);
    o->at[u] = (uint32_t)o->used;
    o->used += length;
    o->degree[u] = length;
    list_add(o, u);
    return true;
}

static uint32_t least_degree(const block_order* o, uint32_t from) {
    while (o->head[from] == BLOCK_NONE) {
        from++;
    }
    return from;
}

static bool eliminate(block_order* o, uint32_t v, size_t at, double most, uint32_t* stamp) {
    const uint32_t count = o->degree[v];
    uint32_t* column = o->row + o->begin[at];
    o->products += 0.5 * count * (count + 1);
    if (o->begin[at] + (size_t)count > o->room || o->products > most) {
        return false;
    }
    memcpy(column, o->pool[o->current] + o->at[v], count * sizeof *column);
    o->begin[at + 1] = o->begin[at] + count;
    o->order[at] = v;
    o->rank[v] = (uint32_t)at;
    list_remove(o, v);
    for (uint32_t i = 0; i < count; i++) {
        if (!join(o, column[i], v, column, count, (*stamp)++)) {
            return false;
        }
    }
    return true;
}

/* ---- the tree of elimination -------------------------------------------------------------------------------------
 *
 * The parent of a rank is the least one in its column. Children right before their parent, the one with the longest
 * column last, is an order with the same fill, in which columns with the same rows stand together. */

static uint32_t column_length(const block_order* o, uint32_t rank) {
    return o->begin[rank + 1] - o->begin[rank];
}

/* The first to be eliminated of a column's rows; BLOCK_NONE: nothing follows. */
static uint32_t parent_of(const block_order* o, uint32_t at) {
    uint32_t parent = BLOCK_NONE;
    for (uint32_t i = o->begin[at]; i < o->begin[at + 1]; i++) {
        const uint32_t rank = o->rank[o->row[i]];
        parent = rank < parent ? rank : parent;
    }
    return parent;
}

/* parent[rank] */
static void find_parents(const block_order* o, uint32_t* parent) {
    for (uint32_t at = 0; at < o->vertices; at++) {
        parent[at] = parent_of(o, at);
    }
}

/* Lists of children: child[rank] the first one, beside[rank] the next one of the same parent. */
static void list_children(const block_order* o, const uint32_t* parent, uint32_t* child, uint32_t* beside,
                          uint32_t* longest) {
    memset(child, 0xff, o->vertices * sizeof *child);
    memset(beside, 0xff, o->vertices * sizeof *beside);
    memset(longest, 0xff, o->vertices * sizeof *longest);
    for (uint32_t at = 0; at < o->vertices; at++) {
        const uint32_t p = parent[at];
        if (p != BLOCK_NONE && (longest[p] == BLOCK_NONE || column_length(o, at) >= column_length(o, longest[p]))) {
            longest[p] = child[p] = at;
        }
    }
    for (uint32_t at = (uint32_t)o->vertices; at-- > 0;) {
        const uint32_t p = parent[at];
        if (p != BLOCK_NONE && longest[p] != at) {
            beside[at] = child[p];
            child[p] = at;
        }
    }
}

static uint32_t first_leaf(const uint32_t* child, uint32_t at) {
    while (child[at] != BLOCK_NONE) {
        at = child[at];
    }
    return at;
}

/* place[rank]: where it stands with its children before it. */
static void walk_tree(const block_order* o, const uint32_t* parent, const uint32_t* child, const uint32_t* beside,
                      uint32_t* place) {
    uint32_t count = 0;
    for (uint32_t root = 0; root < o->vertices; root++) {
        bool under = parent[root] == BLOCK_NONE;
        for (uint32_t at = first_leaf(child, root); under;) {
            place[at] = count++;
            under = at != root;
            at = !under ? at : beside[at] != BLOCK_NONE ? first_leaf(child, beside[at]) : parent[at];
        }
    }
}

/* Columns of ranks to their places, as ranks in the place of vertices, ascending: by a list of each row's columns. */
static void move_columns(block_order* o, const uint32_t* place, uint32_t* begin, uint32_t* row_begin) {
    uint32_t *column = o->pool[0], *old = o->mark;
    memset(begin, 0, (o->vertices + 1) * sizeof *begin);
    memset(row_begin, 0, (o->vertices + 1) * sizeof *row_begin);
    memcpy(old, o->order, o->vertices * sizeof *old);
    for (uint32_t at = 0; at < o->vertices; at++) {
        begin[place[at] + 1] = column_length(o, at);
        o->order[place[at]] = old[at];
        for (uint32_t i = o->begin[at]; i < o->begin[at + 1]; i++) {
            row_begin[place[o->rank[o->row[i]]] + 1]++;
        }
    }
    for (size_t r = 0; r < o->vertices; r++) {
        begin[r + 1] += begin[r];
        row_begin[r + 1] += row_begin[r];
    }
    for (uint32_t at = 0; at < o->vertices; at++) {
        for (uint32_t i = o->begin[at]; i < o->begin[at + 1]; i++) {
            column[row_begin[place[o->rank[o->row[i]]]]++] = place[at];
        }
    }
    memcpy(o->begin, begin, (o->vertices + 1) * sizeof *begin);
    for (uint32_t r = 0, i = 0; r < o->vertices; r++) {
        for (; i < row_begin[r]; i++) {
            o->row[begin[column[i]]++] = r;
        }
    }
    for (uint32_t r = 0; r < o->vertices; r++) {
        o->rank[o->order[r]] = r;
    }
}

/* Products in a factorisation that threads are worth. */
#define PRODUCTS_TOGETHER 1e4

/* Ranks ascend in each column: the first one is the parent. */
static void cut_tree(block_order* o) {
    float* cost = (float*)o->at;
    for (uint32_t j = 0; j < o->vertices; j++) {
        const float length = (float)column_length(o, j);
        o->head[j] = length > 0 ? o->row[o->begin[j]] : TREE_ROOT;
        cost[j] = 1 + length * length;
    }
    tree_parts_cut(o->vertices, o->head, 2 * PRODUCTS_TOGETHER, cost, o->next, &o->parts);
}

static void finish(block_order* o) {
    uint32_t *parent = o->last, *child = o->head, *beside = o->next, *place = o->degree;
    find_parents(o, parent);
    list_children(o, parent, child, beside, o->at);
    walk_tree(o, parent, child, beside, place);
    move_columns(o, place, child, beside);
    cut_tree(o);
}

bool block_order_find(block_order* o, size_t vertices, const uint32_t* pair, size_t edges, double most) {
    uint32_t least = 0, stamp = (uint32_t)vertices;
    o->vertices = vertices;
    o->products = 0;
    memset(o->mark, 0xff, vertices * sizeof *o->mark);
    memset(o->rank, 0xff, vertices * sizeof *o->rank);
    memset(o->head, 0xff, (vertices + 1) * sizeof *o->head);
    if (!open_lists(o, pair, edges)) {
        return false;
    }
    drop_repeated(o);
    for (size_t v = vertices; v-- > 0;) {
        list_add(o, (uint32_t)v);
    }
    o->begin[0] = 0;
    for (size_t at = 0; at < vertices; at++) {
        least = least_degree(o, least > 0 ? least - 1 : 0);
        if (!eliminate(o, o->head[least], at, most, &stamp)) {
            return false;
        }
    }
    finish(o);
    return true;
}

/* ---- other edges in the same order ------------------------------------------------------------------------------- */

/* Vertices that are left next to that of rank `at`, once each: of its edges, and of columns of which it is the parent.
 * Returns their number, or more than there is room for. */
static size_t fill_column(block_order* o, uint32_t at) {
    const uint32_t v = o->order[at], *list = o->pool[o->current] + o->at[v];
    uint32_t* column = o->row + o->begin[at];
    const size_t room = o->room - o->begin[at];
    size_t count = 0;
    for (uint32_t child = at; child != BLOCK_NONE; child = child == at ? o->head[at] : o->next[child]) {
        const uint32_t* from = child == at ? list : o->row + o->begin[child];
        const uint32_t length = child == at ? o->degree[v] : column_length(o, child);
        for (uint32_t i = 0; i < length; i++) {
            const uint32_t u = from[i];
            if (o->rank[u] > at && o->mark[u] != at) {
                if (count == room) {
                    return room + 1;
                }
                o->mark[u] = at;
                column[count++] = u;
            }
        }
    }
    return count;
}

static void link_parent(block_order* o, uint32_t at) {
    const uint32_t parent = parent_of(o, at);
    if (parent != BLOCK_NONE) {
        o->next[at] = o->head[parent];
        o->head[parent] = at;
    }
}

bool block_order_fill(block_order* o, const uint32_t* pair, size_t edges, double most) {
    o->products = 0;
    memset(o->mark, 0xff, o->vertices * sizeof *o->mark);
    memset(o->head, 0xff, o->vertices * sizeof *o->head);
    if (!open_lists(o, pair, edges)) {
        return false;
    }
    for (uint32_t at = 0; at < o->vertices; at++) {
        const size_t count = fill_column(o, at);
        o->products += 0.5 * (double)count * (double)(count + 1);
        if (o->begin[at] + count > o->room || o->products > most) {
            return false;
        }
        o->begin[at + 1] = o->begin[at] + (uint32_t)count;
        link_parent(o, at);
    }
    finish(o);
    return true;
}

uint32_t block_order_row(const block_order* o, uint32_t j, uint32_t i) {
    uint32_t low = o->begin[j], high = o->begin[j + 1];
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (o->row[middle] < i) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

void block_order_place(block_order* o, size_t most, uint32_t* memory) {
    uint32_t** const arrays[BLOCK_ORDER_ARRAYS] = {&o->order, &o->rank, &o->begin, &o->head,  &o->next,
                                                   &o->last,  &o->at,   &o->mark,  &o->degree};
    for (size_t i = 0; i < BLOCK_ORDER_ARRAYS; i++) {
        *arrays[i] = memory + i * (most + 2);
    }
}
