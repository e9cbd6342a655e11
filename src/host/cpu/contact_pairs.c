/* Contacts of loose bodies: gathered from the fields, and products with them. */
#define TAUT_REAL double
#include "kernels/stages/apply.h"
#include "kernels/stages/contact/collide.h"
#include "kernels/stages/contact/sliding.h"

#include "host/cpu/cpu_contact_pairs.h"

#include <string.h>

/* Blocks of factors, by the number of things and at most. */
#define BLOCKS_PER_VERTEX 24
#define MOST_BLOCKS       100000
/* Batches of sweeps that there is always room for. */
#define FEW_BATCHES 256

/* Nearly all batches are full, unless all contacts are of one body. */
static size_t most_batches(size_t contacts) {
    return contacts < FEW_BATCHES ? contacts : FEW_BATCHES + (contacts - FEW_BATCHES) / 4;
}

static size_t lay_out(contact_pairs* s, char* base, size_t nodes, size_t contacts) {
    const size_t batches = most_batches(contacts);
    size_t used = batches * sizeof *s->batch; /* what is aligned comes first */
    s->batch = (contact_batch*)base;
    s->most_batches = batches;
    s->moving = (swept_motion*)(base + used);
    used += (nodes + 1) * sizeof *s->moving;
    s->body = (swept_body*)(base + used);
    used += (nodes + 1) * sizeof *s->body;
    double** const vectors[] = {&s->w, &s->p, &s->r};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        *vectors[i] = (double*)(base + used);
        used += BLOCK_ROWS * nodes * sizeof(double);
    }
    s->heap = (contact_pairs*)(base + used);
    used += (contacts / CONTACT_HEAP_LEAST + 1) * sizeof *s->heap;
    s->contact = (contact_pair*)(base + used);
    used += contacts * sizeof *s->contact;
    s->tried_contact = (tried_contact*)(base + used);
    used += contacts * sizeof *s->tried_contact;
    s->mass = (float*)(base + used);
    s->rows = s->mass + BLOCK_VALUES * nodes;
    used += (BLOCK_VALUES * nodes + 2 * SIDE_VALUES * contacts) * sizeof(float);
    uint32_t** const indices[] = {&s->vertex_of, &s->centre, &s->frame};
    for (size_t i = 0; i < sizeof indices / sizeof indices[0]; i++) {
        *indices[i] = (uint32_t*)(base + used);
        used += nodes * sizeof(uint32_t);
    }
    s->side = (uint32_t*)(base + used);
    s->place = s->side + 2 * contacts;
    s->source = s->side + 3 * contacts;
    s->taken = s->side + 4 * contacts;
    s->busy_batch = s->side + 5 * contacts;
    s->all_batch = s->busy_batch + batches;
    s->met = s->all_batch + batches;
    return used + (5 * contacts + 2 * batches + nodes + 1) * sizeof(uint32_t);
}

taut_status contact_pairs_make(const taut_plan* plan, const taut_allocator* allocator, contact_pairs** out) {
    const size_t nodes = plan->sizes.nodes, contacts = plan->sizes.contact_capacity;
    const size_t wanted = BLOCKS_PER_VERTEX * nodes, blocks = wanted < MOST_BLOCKS ? wanted : MOST_BLOCKS;
    contact_pairs measured = {0};
    contact_pairs* s = taut_allocate(allocator, sizeof *s);
    if (s == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    s->allocator = *allocator;
    s->plan = plan;
    s->bytes = lay_out(&measured, (char*)s, nodes, contacts) + sizeof(double);
    s->memory = taut_allocate(allocator, s->bytes);
    if (s->memory == NULL || block_cholesky_make(plan, allocator, nodes, contacts, blocks, &s->factors) != TAUT_OK) {
        contact_pairs_free(s);
        return TAUT_OUT_OF_MEMORY;
    }
    lay_out(s, s->memory, nodes, contacts);
    s->newton_sweeps = -1;
    s->all = s;
    s->heaps = 1;
    *out = s;
    return TAUT_OK;
}

void contact_pairs_free(contact_pairs* s) {
    if (s != NULL) {
        const taut_allocator allocator = s->allocator;
        block_cholesky_free(s->factors);
        if (s->memory != NULL) {
            taut_release(&allocator, s->memory, s->bytes);
        }
        taut_release(&allocator, s, sizeof *s);
    }
}

/* ---- products ---------------------------------------------------------------------------------------------------- */

void contact_pairs_motion(const contact_pairs* s, size_t c, const double* x, double out[3]) {
    const contact_pair* pair = &s->contact[c];
    double u[3] = {0, 0, 0};
    out[0] = out[1] = out[2] = 0;
    for (int side = 0; side < 2; side++) {
        const uint32_t v = s->side[2 * c + (size_t)side];
        if (v != PAIR_NONE) {
            const double* of = x + BLOCK_ROWS * (size_t)v;
            vec3_axpy(pair->weight[side], of, u);
            for (int r = 0; r < 3; r++) {
                out[r] += vec3_dot(pair->turned[side][r], of + 3);
            }
        }
    }
    for (int r = 0; r < 3; r++) {
        out[r] += vec3_dot(pair->axis[r], u);
    }
}

void contact_pairs_add(const contact_pairs* s, size_t c, const double u[3], double* x) {
    const contact_pair* pair = &s->contact[c];
    double force[3] = {0, 0, 0}, moment[3];
    for (int r = 0; r < 3; r++) {
        vec3_axpy(u[r], pair->axis[r], force);
    }
    for (int side = 0; side < 2; side++) {
        const uint32_t v = s->side[2 * c + (size_t)side];
        if (v != PAIR_NONE) {
            double* of = x + BLOCK_ROWS * (size_t)v;
            vec3_cross(pair->arm[side], force, moment);
            vec3_axpy(pair->weight[side], force, of);
            vec3_axpy(1, moment, of + 3);
        }
    }
}

void contact_pairs_mass(const contact_pairs* s, size_t v, bool inverse, const double* x, double* out) {
    const uint32_t node[2] = {s->centre[v], s->frame[v]};
    for (int part = 0; part < 2; part++) {
        out[3 * part] = out[3 * part + 1] = out[3 * part + 2] = 0;
        if (node[part] != PAIR_NONE) {
            (inverse ? node_inverse : node_mass)(&s->plan->fields, &s->plan->sizes, node[part], x + 3 * part,
                                                 out + 3 * part);
        }
    }
}

void contact_pairs_diagonal(const contact_pairs* s, size_t c, double diagonal[3]) {
    const contact_pair* pair = &s->contact[c];
    diagonal[0] = diagonal[1] = diagonal[2] = 0;
    for (int side = 0; side < 2; side++) {
        const uint32_t v = s->side[2 * c + (size_t)side];
        for (int r = 0; r < 3 && v != PAIR_NONE; r++) {
            double row[BLOCK_ROWS] = {0}, moved[BLOCK_ROWS];
            vec3_axpy(pair->weight[side], pair->axis[r], row);
            memcpy(row + 3, pair->turned[side][r], 3 * sizeof *row);
            contact_pairs_mass(s, v, true, row, moved);
            diagonal[r] += vec3_dot(row, moved) + vec3_dot(row + 3, moved + 3);
        }
    }
}

void contact_pairs_move(contact_pairs* s) {
    memset(s->w, 0, BLOCK_ROWS * s->vertices * sizeof *s->w);
    for (size_t c = 0; c < s->contacts; c++) {
        contact_pairs_add(s, c, s->contact[c].impulse, s->w);
    }
    for (size_t v = 0; v < s->vertices; v++) {
        double moved[BLOCK_ROWS];
        contact_pairs_mass(s, v, true, s->w + BLOCK_ROWS * v, moved);
        memcpy(s->w + BLOCK_ROWS * v, moved, sizeof moved);
    }
}

/* ---- the system -------------------------------------------------------------------------------------------------- */

static bool moves(const contact_pairs* s, uint32_t node) {
    return s->plan->fields.inverse_mass[node] > 0;
}

/* Nodes that move on a side of contact c; false where there are two points. */
static bool side_nodes(const contact_pairs* s, size_t c, const contact_jacobian* jac, int side, uint32_t* centre,
                       uint32_t* frame) {
    const uint32_t* nodes = s->plan->fields.kinds[TAUT_CONTACT].nodes + contact_NODES * (size_t)s->source[c];
    const double* arm = jac->arm[side];
    *centre = *frame = PAIR_NONE;
    for (int slot = 0; slot < 4; slot++) {
        const bool of_side = side == 0 ? jac->weight[slot] > 0 : jac->weight[slot] < 0;
        if (of_side && moves(s, nodes[slot])) {
            if (*centre != PAIR_NONE) {
                return false;
            }
            *centre = nodes[slot];
            s->contact[c].weight[side] = jac->weight[slot];
        }
    }
    if ((arm[0] != 0 || arm[1] != 0 || arm[2] != 0) && moves(s, nodes[4 + side])) {
        *frame = nodes[4 + side];
        memcpy(s->contact[c].arm[side], arm, 3 * sizeof *arm);
    }
    return true;
}

/* The vertex of the thing with these nodes, which gets one if it is new. */
static uint32_t vertex_at(contact_pairs* s, uint32_t centre, uint32_t frame) {
    const uint32_t by_centre = centre != PAIR_NONE ? s->vertex_of[centre] : PAIR_NONE;
    const uint32_t by_frame = frame != PAIR_NONE ? s->vertex_of[frame] : PAIR_NONE;
    uint32_t v = by_centre != PAIR_NONE ? by_centre : by_frame;
    if (centre == PAIR_NONE && frame == PAIR_NONE) {
        return PAIR_NONE;
    }
    if (v == PAIR_NONE) {
        v = (uint32_t)s->vertices++;
        s->centre[v] = s->frame[v] = PAIR_NONE;
    }
    if (centre != PAIR_NONE) {
        s->vertex_of[centre] = v;
        s->centre[v] = centre;
    }
    if (frame != PAIR_NONE) {
        s->vertex_of[frame] = v;
        s->frame[v] = frame;
    }
    return v;
}

static void gather_law(const contact_pairs* s, size_t c, const contact_jacobian* jac) {
    const taut_fields* f = &s->plan->fields;
    const taut_sizes* sizes = &s->plan->sizes;
    const size_t first = sizes->first_row[TAUT_CONTACT], count = sizes->count[TAUT_CONTACT];
    const size_t source = s->source[c];
    const float* weight = f->kinds[TAUT_CONTACT].weight + TAUT_PACKED(contact_ROWS) * source;
    contact_pair* pair = &s->contact[c];
    memset(pair, 0, sizeof *pair);
    memcpy(pair->axis[0], jac->normal, sizeof jac->normal);
    memcpy(pair->axis[1], jac->tangent, sizeof jac->tangent);
    vec3_cross(jac->normal, jac->tangent, pair->axis[2]);
    pair->softness[0] = weight[packed_index(0, 0)];
    pair->softness[1] = weight[packed_index(1, 1)];
    for (int r = 0; r < 2; r++) {
        pair->stiffness[r] = pair->softness[r] > 0 ? 1 / pair->softness[r] : 0;
    }
    pair->mu = friction_of(f, source);
    pair->bound = parting_of(f, source)[TAUT_PARTING_GIVEN] > 0 ? parting_of(f, source)[TAUT_PARTING_BOUND] : -1;
    load_unknowns_f64(f->b + first, count, contact_ROWS, source, pair->b);
    load_unknowns_f64(f->gam + first, count, contact_ROWS, source, pair->impulse);
}

/* The order of the factors stands as long as the same vertices touch in the same contacts. */
static void set_side(contact_pairs* s, size_t c, int side, uint32_t vertex) {
    uint32_t* own = &s->side[2 * c + (size_t)side];
    s->newton_sweeps = *own == vertex ? s->newton_sweeps : -1;
    *own = vertex;
}

/* Vertices of its heap count from `first` on. */
static bool gather_contact(contact_pairs* s, size_t c, size_t first) {
    contact_pair* pair = &s->contact[c];
    contact_jacobian jac;
    load_product_contact(s->plan->fields.kinds[TAUT_CONTACT].record + s->source[c] * (size_t)taut_record_contact, &jac);
    gather_law(s, c, &jac);
    for (int side = 0; side < 2; side++) {
        uint32_t centre, frame;
        if (!side_nodes(s, c, &jac, side, &centre, &frame)) {
            return false;
        }
        const uint32_t v = vertex_at(s, centre, frame);
        set_side(s, c, side, v != PAIR_NONE ? v - (uint32_t)first : v);
        for (int r = 0; r < 3; r++) {
            vec3_cross(pair->arm[side], pair->axis[r], pair->turned[side][r]);
        }
    }
    return pair->softness[0] > 0 && pair->softness[1] > 0;
}

bool contact_is_loose(const taut_plan* plan, size_t c) {
    const uint32_t* nodes = plan->fields.kinds[TAUT_CONTACT].nodes + contact_NODES * c;
    bool mapped = false;
    for (size_t slot = 0; slot < 4; slot++) {
        mapped = mapped || (contact_acts(&plan->fields, c, slot) && taut_is_mapped(&plan->sizes, nodes[slot]));
    }
    return !mapped && is_of_loose(&plan->fields, c);
}

static bool is_taken(const taut_plan* plan, size_t c, pairs_taken which) {
    const bool apart = which != PAIRS_ALL && is_apart(&plan->fields, &plan->sizes, row_of_contact(&plan->sizes, c, 0));
    return which == PAIRS_ALL || (which == PAIRS_APART ? apart : !apart && contact_is_loose(plan, c));
}

static size_t take_contacts(contact_pairs* s, pairs_taken which) {
    size_t taken = 0;
    for (size_t c = 0; c < s->plan->sizes.count[TAUT_CONTACT]; c++) {
        if (is_taken(s->plan, c, which)) {
            s->taken[taken++] = (uint32_t)c;
        }
    }
    return taken;
}

/* Contacts up to `end`, which are of one heap. */
static bool gather_heap(contact_pairs* s, size_t end) {
    const size_t first = s->vertices;
    bool gathered = true;
    while (gathered && s->contacts < end) {
        gathered = gather_contact(s, s->contacts++, first);
    }
    return gathered;
}

static bool gather_heaps(contact_pairs* s) {
    bool gathered = true;
    for (size_t i = 0; gathered && i < s->heaps; i++) {
        const size_t contact = s->contacts, vertex = s->vertices;
        s->newton_sweeps = 0;
        gathered = gather_heap(s, s->met[i]);
        contact_heaps_place(s, i, contact, vertex, s->newton_sweeps == 0);
    }
    s->newton_sweeps = -1;
    return gathered;
}

bool contact_pairs_gather(contact_pairs* s, pairs_taken which) {
    const size_t before = s->heaps == 1 ? s->contacts : SIZE_MAX, taken = take_contacts(s, which);
    contact_heaps_sort(s, taken, which != PAIRS_HELD);
    memset(s->vertex_of, 0xff, s->plan->sizes.nodes * sizeof *s->vertex_of);
    s->vertices = s->contacts = 0;
    if (s->heaps > 1) {
        return gather_heaps(s);
    }
    const bool gathered = gather_heap(s, taken);
    s->newton_sweeps = s->contacts == before ? s->newton_sweeps : -1;
    return gathered;
}

void contact_pairs_store(const contact_pairs* s) {
    const taut_sizes* sizes = &s->plan->sizes;
    for (size_t c = 0; c < s->contacts; c++) {
        store_unknowns_f64(s->contact[c].impulse, sizes->count[TAUT_CONTACT], contact_ROWS, s->source[c],
                           s->plan->fields.gam + sizes->first_row[TAUT_CONTACT]);
    }
}

/* ---- attempts ---------------------------------------------------------------------------------------------------- */

/* Contacts that may stand between two that follow each other in an attempt and the next one. */
#define TRIED_WINDOW 64

/* Whether contact c is of something that crosses something: what slides there will be another thing. */
static bool is_of_crossing(const taut_plan* plan, size_t c, const taut_crossing* crossing, size_t count) {
    const uint32_t* pair = plan->fields.contact_pair + 2 * c;
    const size_t solid = first_solid(&plan->sizes);
    bool of = false;
    for (size_t i = 0; i < count && !of; i++) {
        const size_t finder = crossing[i].finder, other = crossing[i].other;
        of = pair[0] == finder || pair[0] == solid + other || pair[1] == other || solid + pair[1] == finder;
    }
    return of;
}

void contact_pairs_keep(contact_pairs* s, const taut_crossing* crossing, size_t count) {
    const taut_fields* f = &s->plan->fields;
    const taut_sizes* sizes = &s->plan->sizes;
    s->tried = sizes->count[TAUT_CONTACT];
    for (size_t c = 0; c < s->tried; c++) {
        const contact_jacobian axes = contact_axes(f, c);
        tried_contact* to = &s->tried_contact[c];
        double rows[contact_ROWS];
        load_unknowns_f64(f->gam + sizes->first_row[TAUT_CONTACT], s->tried, contact_ROWS, c, rows);
        memset(to, 0, sizeof *to);
        contact_join(&axes, rows, to->impulse);
        memcpy(to->pair, f->contact_pair + 2 * c, sizeof to->pair);
        to->feature = f->contact_feature[c];
        to->parting = is_of_crossing(s->plan, c, crossing, count) ? 0 : parting_of(f, c)[TAUT_PARTING_FOLLOWED];
    }
}

/* The place of contact c among those from `from` on; `tried` where it is not there. */
static size_t find_tried(const contact_pairs* s, size_t c, size_t from) {
    const taut_fields* f = &s->plan->fields;
    for (size_t i = from; i < s->tried && i < from + TRIED_WINDOW; i++) {
        const tried_contact* t = &s->tried_contact[i];
        if (memcmp(t->pair, f->contact_pair + 2 * c, sizeof t->pair) == 0 && t->feature == f->contact_feature[c]) {
            return i;
        }
    }
    return s->tried;
}

void contact_pairs_recall(contact_pairs* s) {
    const taut_fields* f = &s->plan->fields;
    const taut_sizes* sizes = &s->plan->sizes;
    size_t next = 0;
    for (size_t c = 0; s->tried > 0 && c < sizes->count[TAUT_CONTACT]; c++) {
        const size_t at = find_tried(s, c, next);
        if (at < s->tried) {
            put_contact(f, sizes, TAUT_CONTACT, c, s->tried_contact[at].impulse, f->gam);
            take_parting(f, sizes, c, s->tried_contact[at].parting);
            next = at + 1;
        }
    }
    s->tried = 0;
}
