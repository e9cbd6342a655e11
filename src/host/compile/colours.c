#include "host/compile/colours.h"

#include <string.h>

#define NO_COLOUR UINT32_MAX

static const uint32_t* values(const taut_buffer* buffer) {
    return buffer->data;
}

static uint32_t unknowns_of(const supports* of, const bool* has_factor_rows, uint32_t member) {
    return taut_kind_unknowns(topology_kind(of->topology, member), has_factor_rows);
}

typedef struct painter {
    const supports* of;
    uint32_t* colour; /* of each member */
    uint32_t* seen;   /* member that met a colour at one of its nodes last, plus 1 */
    uint32_t* next;   /* of each node that joins many constraints: the first colour that none of them has */
    uint32_t* size;   /* of each colour */
    uint32_t colours;
} painter;

static bool is_hub(const supports* of, uint32_t node) {
    return values(&of->at_begin)[node + 1] - values(&of->at_begin)[node] > TOPOLOGY_HUB;
}

/* Marks the colours at the nodes of a member; returns the first colour that its hubs allow. */
static uint32_t look_around(painter* p, uint32_t member) {
    const supports* of = p->of;
    uint32_t least = 0;
    for (uint32_t i = values(&of->support_begin)[member]; i < values(&of->support_begin)[member + 1]; i++) {
        const uint32_t node = values(&of->support_node)[i], begin = values(&of->at_begin)[node];
        if (is_hub(of, node)) {
            least = p->next[node] > least ? p->next[node] : least;
            continue;
        }
        for (uint32_t k = begin; k < values(&of->at_begin)[node + 1]; k++) {
            const uint32_t colour = p->colour[values(&of->support_member)[values(&of->at_support)[k]]];
            if (colour != NO_COLOUR) {
                p->seen[colour] = member + 1;
            }
        }
    }
    return least;
}

static void paint(painter* p, uint32_t member) {
    const supports* of = p->of;
    uint32_t colour = look_around(p, member);
    while (p->seen[colour] == member + 1) {
        colour++;
    }
    p->colour[member] = colour;
    p->size[colour]++;
    p->colours = colour >= p->colours ? colour + 1 : p->colours;
    for (uint32_t i = values(&of->support_begin)[member]; i < values(&of->support_begin)[member + 1]; i++) {
        const uint32_t node = values(&of->support_node)[i];
        p->next[node] = is_hub(of, node) ? colour + 1 : 0;
    }
}

/* Number of each colour when the largest comes first; stable. `order`: scratch. */
static void rank_colours(const painter* p, uint32_t* order, uint32_t* rank) {
    for (uint32_t i = 0; i < p->colours; i++) {
        uint32_t to = i;
        for (; to > 0 && p->size[order[to - 1]] < p->size[i]; to--) {
            order[to] = order[to - 1];
        }
        order[to] = i;
    }
    for (uint32_t i = 0; i < p->colours; i++) {
        rank[order[i]] = i;
    }
}

static void list_members(const painter* p, const uint32_t* rank, uint32_t members, colouring* c) {
    for (uint32_t i = 0; i < p->colours; i++) {
        c->begin[rank[i] + 1] = p->size[i];
    }
    for (uint32_t i = 0; i < p->colours; i++) {
        c->begin[i + 1] += c->begin[i];
    }
    for (uint32_t m = 0; m < members; m++) {
        if (p->colour[m] != NO_COLOUR) {
            c->member[c->begin[rank[p->colour[m]]]++] = m;
        }
    }
    memmove(c->begin + 1, c->begin, p->colours * sizeof(uint32_t));
    c->begin[0] = 0;
}

taut_status colours_make(const supports* of, const bool* has_factor_rows, const taut_allocator* allocator,
                         colouring* out) {
    const uint32_t members = of->topology->member_count;
    const size_t nodes = scene_node_count(of->topology->scene), most = members + (size_t)1; /* colours */
    const size_t bytes = (members + nodes + 4 * most) * sizeof(uint32_t);
    colouring c = {.bytes = (most + 1 + members) * sizeof(uint32_t)};
    c.memory = taut_allocate(allocator, c.bytes);
    uint32_t* scratch = c.memory != NULL ? taut_allocate(allocator, bytes) : NULL;
    if (scratch == NULL) {
        colours_free(allocator, &c);
        return TAUT_OUT_OF_MEMORY;
    }
    painter p = {of, scratch, scratch + members, scratch + members + most, scratch + members + most + nodes, 0};
    uint32_t* order = p.size + most;
    for (uint32_t m = 0; m < members; m++) {
        p.colour[m] = NO_COLOUR;
    }
    for (uint32_t m = 0; m < members; m++) {
        if (unknowns_of(of, has_factor_rows, m) > 0) {
            paint(&p, m);
            c.member_count++;
        }
    }
    c.count = p.colours;
    c.begin = c.memory;
    c.member = c.begin + most + 1;
    rank_colours(&p, order, order + most);
    list_members(&p, order + most, members, &c);
    taut_release(allocator, scratch, bytes);
    *out = c;
    return TAUT_OK;
}

void colours_free(const taut_allocator* allocator, colouring* c) {
    taut_release(allocator, c->memory, c->bytes);
    *c = (colouring){0};
}

/* ---- layout --------------------------------------------------------------------------------------------------- */

void colours_count(const supports* of, const colouring* c, taut_sizes* s) {
    s->colours = c->count;
    s->blocks = s->block_members = c->member_count;
    for (uint32_t i = 0; i < c->member_count; i++) {
        const uint32_t m = c->member[i];
        const size_t size = unknowns_of(of, s->has_factor_rows, m);
        s->block_unknowns += size;
        s->block_values += size * size;
        s->sweep_rows += size * (values(&of->support_begin)[m + 1] - values(&of->support_begin)[m]);
    }
    uint32_t wide = 0;
    while (wide < c->count && wide < TAUT_WIDE_COLOURS && c->begin[wide + 1] - c->begin[wide] > TAUT_TAIL_COLOUR) {
        s->wide_begin[wide + 1] = c->begin[wide + 1];
        wide++;
    }
    s->wide_colours = wide;
}

void colours_fill(const supports* of, const colouring* c, const taut_sizes* s, taut_fields* f) {
    memcpy(f->colour_begin, c->begin, (c->count + (size_t)1) * sizeof(uint32_t));
    for (uint32_t b = 0; b < c->member_count; b++) {
        const uint32_t m = c->member[b];
        const taut_kind k = topology_kind(of->topology, m);
        const size_t places = values(&of->support_begin)[m + 1] - values(&of->support_begin)[m];
        const uint32_t size =
            taut_list_unknowns(s, k, m - of->topology->kind_first[k], f->block_unknown + f->block_begin[b]);
        f->block_member[b] = m;
        f->block_member_begin[b + 1] = b + 1;
        f->block_begin[b + 1] = f->block_begin[b] + size;
        f->block_value_begin[b + 1] = f->block_value_begin[b] + (size_t)size * size;
        f->sweep_begin[b + 1] = f->sweep_begin[b] + size * places;
    }
}
