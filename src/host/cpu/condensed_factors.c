#define TAUT_REAL double
#include "host/cpu/cpu_condensed_factors.h"

#include "kernels/stages/condensed.h"
#include "kernels/stages/contact/collide.h"
#include "kernels/stages/system.h"

#include "host/cpu/cpu_condensed.h"
#include "host/cpu/cpu_condensed_pattern.h"
#include "host/cpu/cpu_condensed_terms.h"
#include "host/cpu/cpu_multilevel.h"

#include <math.h>
#include <string.h>

/* Blocks of factors, by the number of nodes, of which so many count twice, and of mechanisms at most; and contacts that
 * there is room for. */
#define BLOCKS_PER_NODE 64
#define MOST_SPARE      4096
#define MOST_BLOCKS     200000
#define MOST_CONTACTS   20000
/* Pairs of nodes of a contact: of any, of two edges or of a vertex and a triangle, and of a vertex in a tetrahedron and
 * a triangle; where both are in tetrahedra there are more, of which most are the same. */
#define PAIRS_PER_CONTACT         (contact_NODES * (contact_NODES - 1) / 2)
#define PAIRS_PER_SURFACE_CONTACT 6
#define PAIRS_PER_MAPPED_CONTACT  21
/* Nodes at most of what factors take over from conjugate gradients: beyond, they would have no room. */
#define MOST_NODES 65536
/* Products of blocks in a factorisation at most: of mechanisms from the start; and of what factors take over from
 * iterations, before they take too long. */
#define MOST_PRODUCTS      1e6
#define MOST_LATE_PRODUCTS 4e8

/* A step of Newton's method takes the time of so many iterations of conjugate gradients, and of one more for so many
 * products for each block of H; an order takes about that of so many steps. */
#define NEWTON_ITERATIONS 3
#define NEWTON_PRODUCTS   5
#define ORDER_STEPS       1
#define NEWTON_STEPS      8
#define DUALS_STEPS       3
/* The part of its time that counts as iterations: factors end what iterations would not. */
#define NEWTON_SHARE 0.25

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static size_t lay_out(condensed_factors* s, double* base, size_t nodes) {
    s->r = base;
    s->z = s->r + 3 * nodes;
    s->step = s->z + 3 * nodes;
    s->vertex_of = (uint32_t*)(s->step + 3 * nodes);
    s->node_of = s->vertex_of + nodes;
    s->pair = s->node_of + nodes;
    return 9 * nodes * sizeof(double) + (2 * nodes + 2 * s->most_edges) * sizeof(uint32_t);
}

static bool is_always_condensed(const taut_fields* f, size_t n) {
    return (f->part_system[f->node_part[n]] & TAUT_PART_ALWAYS) != 0;
}

/* Whether level 0 has all pairs of nodes that constraints join. */
static bool has_all_pairs(const taut_plan* plan) {
    const taut_system* h = &plan->hierarchy.system;
    bool all = plan->hierarchy.count > 0;
    for (size_t i = 0; i < h->s.supports && all; i++) {
        const uint32_t member = h->support_member[h->at_support[i]];
        all = h->pair_begin[i + 1] - h->pair_begin[i] == h->support_begin[member + 1] - h->support_begin[member];
    }
    return all;
}

/* Whether there is a matrix to factor, with contacts that need no shift. */
static bool has_factors(const taut_plan* plan) {
    const taut_sizes* s = &plan->sizes;
    return s->touches && has_all_pairs(plan) &&
           plan->settings.condensed_preconditioner == TAUT_PRECONDITIONER_MULTILEVEL &&
           plan->settings.contact.law == TAUT_CONTACT_CONVEX;
}

/* Whether all parts are condensed only while they touch something. */
static bool has_mechanisms(const taut_plan* plan) {
    const taut_sizes* s = &plan->sizes;
    bool all = s->switches;
    for (size_t n = 0; n < s->nodes && all; n++) {
        all = !is_always_condensed(&plan->fields, n);
    }
    return all;
}

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

static size_t pairs_per_contact(const taut_plan* plan, bool mechanisms) {
    const bool mapped = plan->sizes.simple < plan->sizes.points;
    return mapped ? PAIRS_PER_MAPPED_CONTACT : mechanisms ? PAIRS_PER_CONTACT : PAIRS_PER_SURFACE_CONTACT;
}

void condensed_factors_free(condensed_factors* s) {
    if (s != NULL) {
        const taut_allocator allocator = s->allocator;
        node_cholesky_free(&allocator, &s->matrix);
        if (s->memory != NULL) {
            taut_release(&allocator, s->memory, s->bytes);
        }
        taut_release(&allocator, s, sizeof *s);
    }
}

/* ---- costs ------------------------------------------------------------------------------------------------------- */

static double level_blocks(const taut_plan* plan) {
    return (double)plan->hierarchy.level[0].s.blocks;
}

/* That of the products of the order found last, or of those after which it had no room. */
static double newton_cost(const condensed_factors* s) {
    return NEWTON_ITERATIONS + s->matrix.order.products / (NEWTON_PRODUCTS * level_blocks(s->plan));
}

/* Whether there is room with the contacts of the substep, and what a step of Newton's method costs then. */
static bool find_room(condensed_factors* s, condensed_contacts contacts, double most) {
    s->fits = condensed_pattern_find(s, contacts, most);
    s->cost = newton_cost(s);
    return s->fits;
}

static bool has_room(condensed_factors* s) {
    const bool fits = s->ordered ? s->fits : find_room(s, CONDENSED_CONDUCTING, MOST_LATE_PRODUCTS);
    s->ordered = true;
    return fits;
}

/* Contacts make factors cost more. To find an order costs as much as dozens of iterations, so that it is not looked for
 * in every solve that takes a few. */
static double cost_without_contacts(condensed_factors* s) {
    condensed_pattern_find(s, CONDENSED_WITHOUT, MOST_LATE_PRODUCTS);
    return newton_cost(s);
}

/* Whether mechanisms are solved with factors from the start. Where not, it is not known yet whether these have room. */
static bool is_early(condensed_factors* s) {
    s->ordered = find_room(s, CONDENSED_ALL, MOST_PRODUCTS);
    return s->ordered;
}

taut_status condensed_factors_make(const taut_plan* plan, const taut_allocator* allocator, condensed_factors** out) {
    const size_t nodes = plan->sizes.nodes, contacts = least(plan->sizes.contact_capacity, MOST_CONTACTS);
    const bool mechanisms = has_mechanisms(plan);
    condensed_factors measured = {0};
    *out = NULL;
    if (!has_factors(plan) || (!mechanisms && nodes > MOST_NODES)) {
        return TAUT_OK;
    }
    condensed_factors* s = taut_allocate(allocator, sizeof *s);
    if (s == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    s->allocator = *allocator;
    s->plan = plan;
    s->mechanisms = mechanisms;
    s->late = nodes <= MOST_NODES;
    s->most_edges = measured.most_edges = plan->hierarchy.level[0].s.blocks + condensed_pattern_reserved(&plan->sizes) +
                                          pairs_per_contact(plan, mechanisms) * contacts;
    s->bytes = lay_out(&measured, (double*)&measured, nodes);
    s->memory = taut_allocate(allocator, s->bytes);
    const size_t blocks = s->late ? BLOCKS_PER_NODE * (nodes + least(nodes, MOST_SPARE)) : MOST_BLOCKS;
    if (s->memory == NULL || node_cholesky_make(plan, allocator, nodes, s->most_edges, blocks, &s->matrix) != TAUT_OK) {
        condensed_factors_free(s);
        return TAUT_OUT_OF_MEMORY;
    }
    lay_out(s, s->memory, nodes);
    s->least_cost = s->late ? cost_without_contacts(s) : 0;
    if (!s->found && !mechanisms) { /* too many products, even without contacts */
        condensed_factors_free(s);
        return TAUT_OK;
    }
    *out = s;
    return TAUT_OK;
}

void condensed_factors_renew(taut_backend_state* state) {
    condensed_factors* s = state->factors;
    if (s == NULL) {
        return;
    }
    s->current = s->bends = s->ordered = s->eager = s->served = s->lost = false;
    condensed_pattern_renew(s);
    for (size_t i = 0; i < s->plan->sizes.first_row[TAUT_CONTACT] && !s->bends; i++) {
        s->bends = has_bounds(&s->plan->fields, i);
    }
    s->active = s->early = s->mechanisms && state->solves_condensed && is_early(s);
}

bool condensed_factors_active(const taut_backend_state* state) {
    return state->factors != NULL && state->factors->active;
}

bool condensed_factors_of_mechanisms(const taut_backend_state* state) {
    return condensed_factors_active(state) && state->factors->early;
}

/* Whether factors may take over yet. */
static bool waits(const condensed_factors* s) {
    return s != NULL && s->late && !s->active && !(s->ordered && !s->fits);
}

/* Iterations of conjugate gradients in so many outer ones after which they do: those of a step of Newton's method for
 * each, and of an order where contacts ask for one. */
static double patience(const condensed_factors* s, uint32_t outer, bool duals) {
    const double orders = s->plan->sizes.count[TAUT_CONTACT] > 0 ? ORDER_STEPS : 0;
    return fmin(fmax(outer, 1) + orders, duals ? DUALS_STEPS : NEWTON_STEPS) * (s->ordered ? s->cost : s->least_cost);
}

static bool is_due(const condensed_factors* s, uint32_t outer, uint32_t iterations, bool duals) {
    return s->eager || iterations >= patience(s, outer, duals);
}

uint32_t condensed_factors_patience(const taut_backend_state* state, uint32_t outer, uint32_t iterations, bool duals) {
    const double left = waits(state->factors) ? patience(state->factors, outer + 1, duals) - iterations : UINT32_MAX;
    return left < 1 ? 1 : left < UINT32_MAX ? (uint32_t)ceil(left) : UINT32_MAX;
}

bool condensed_factors_take_over(taut_backend_state* state, uint32_t outer, uint32_t iterations, bool duals) {
    condensed_factors* s = state->factors;
    if (!waits(s) || !is_due(s, outer, iterations, duals) || !has_room(s)) {
        return false;
    }
    if (!is_due(s, outer, iterations, duals)) { /* the order of contacts is known now, and costs more */
        return false;
    }
    s->active = s->eager = true;
    s->current = false;
    s->duals = s->served = duals;
    condense_weigh_again(state, true);
    if (!duals) {
        condensed_factors_weigh_contacts(s);
    }
    return true;
}

void condensed_factors_begin(taut_backend_state* state) {
    condensed_factors_take_over(state, 0, 0, state->factors != NULL && state->factors->served);
}

bool condensed_factors_have_duals(const taut_backend_state* state) {
    return condensed_factors_active(state) && state->factors->duals;
}

void condensed_factors_leave_duals(condensed_factors* s) {
    s->duals = s->current = false;
    condensed_factors_weigh_contacts(s);
}

uint32_t condensed_factors_iterations(const condensed_factors* s) {
    const double counted = NEWTON_SHARE * s->cost;
    return s->early || counted < 1 ? 1 : (uint32_t)(counted + 0.5);
}

bool condensed_factors_lost(taut_backend_state* state) {
    condensed_factors* s = state->factors;
    const bool lost = condensed_factors_active(state) && s->lost;
    if (lost) {
        s->active = s->duals = s->lost = s->fits = false;
        condense_weigh_again(state, false);
    }
    return lost;
}

void condensed_factors_rest(taut_backend_state* state) {
    if (state->factors != NULL && !state->factors->early) {
        state->factors->active = state->factors->duals = false;
    }
}

/* ---- weights of rows with bounds --------------------------------------------------------------------------------- */

/* The part of their shift that is left. */
#define BOUNDED_SHIFT 1e-4

static void weigh_bounded(const taut_plan* plan, int k, size_t c) {
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    const size_t rows = taut_kind_shapes[k].rows;
    for (size_t r = 0; r < rows; r++) {
        const size_t i = s->first_row[k] + place_of(s->count[k], rows, c, r);
        if (is_condensed(f, s, i) && has_bounds(f, i)) {
            condense_closer(f, i, f->kinds[k].weight[c * TAUT_PACKED(rows) + packed_index(r, r)], BOUNDED_SHIFT);
            condense_hold(f, k, rows, c, r, i, (taut_hold)f->hold[i]);
        }
    }
}

void condensed_factors_weigh_bounded(condensed_factors* s) {
    for (int k = 0; k < (int)TAUT_CONTACT && s->bends; k++) {
        for (size_t c = 0; c < s->plan->sizes.count[k]; c++) {
            weigh_bounded(s->plan, k, c);
        }
    }
}

/* ---- weights of contacts ----------------------------------------------------------------------------------------- */

void condensed_factors_weigh_nodes(const taut_plan* plan) {
    const taut_fields* f = &plan->fields;
    for (size_t n = 0; n < plan->sizes.nodes; n++) {
        float* inverse = f->diagonal_block_inverse + 6 * n;
        double column[3][3] = {{0}};
        for (int c = 0; c < 3 && is_condensed_unknown(f, n); c++) {
            const double unit[3] = {c == 0, c == 1, c == 2};
            node_inverse(f, &plan->sizes, n, unit, column[c]);
        }
        for (int i = 0; i < 3; i++) {
            inverse[i] = (float)column[i][i];
            inverse[3 + i] = (float)column[(i + 1) % 3][(i + 2) % 3];
        }
    }
}

static void weigh_without_shift(const condensed_factors* factors, taut_kind k, size_t c) {
    const taut_plan* plan = factors->plan;
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    const float* weight = f->kinds[k].weight + TAUT_PACKED(3) * c;
    float* conductance = f->kinds[k].conductance + TAUT_PACKED(3) * c;
    for (size_t r = 0; r < 3; r++) {
        const size_t i = s->first_row[k] + place_of(s->count[k], 3, c, r), at = packed_index(r, r);
        f->condensed[i] = factors->early ? TAUT_CONDENSED_SHIFTED : TAUT_CONDENSED;
        f->free_conductance[i] = weight[at] > 0 ? 1 / weight[at] : 0;
        conductance[at] = conductance[at] > 0 ? f->free_conductance[i] : 0;
    }
}

void condensed_factors_weigh_contacts(const condensed_factors* s) {
    const taut_sizes* sizes = &s->plan->sizes;
    for (size_t c = 0; c < sizes->count[TAUT_CONTACT]; c++) {
        if (is_in_system(&s->plan->fields, sizes, row_of_contact(sizes, c, 0))) {
            weigh_without_shift(s, TAUT_CONTACT, c);
        }
        if (sizes->rolls) {
            weigh_without_shift(s, TAUT_ROLLING, c);
        }
    }
}

/* ---- the matrix -------------------------------------------------------------------------------------------------- */

/* Rows of H of constraints that last, of vertices [first, last); contacts, of which level 0 has the diagonal, are taken
 * off again. */
static void lasting_range(const void* context, uint32_t part, size_t first, size_t last) {
    const condensed_factors* s = context;
    const taut_level* level = s->plan->hierarchy.level;
    (void)part;
    for (size_t v = first; v < last; v++) {
        const uint32_t n = s->node_of[v], begin = level->a_begin[n];
        double full[3][3], block[9];
        sym3_expand(s->plan->fields.changing_block + 6 * (size_t)n, full);
        for (uint32_t k = begin; k < level->a_begin[n + 1]; k++) {
            const uint32_t m = level->a_column[k];
            const double* a = level->a_value + 9 * (size_t)k;
            if (m > n || s->vertex_of[m] == BLOCK_NONE) {
                continue;
            }
            for (int i = 0; i < 9; i++) {
                block[i] = a[i] - (k == begin ? full[i / 3][i % 3] : 0);
            }
            node_cholesky_add(&s->matrix, (uint32_t)v, s->vertex_of[m], block);
        }
    }
}

static void add_contacts(condensed_factors* s, taut_kind k) {
    for (size_t c = 0; c < s->plan->sizes.count[k]; c++) {
        if (condense_conducts(&s->plan->fields.kinds[k], c) && !(s->lost && condensed_pattern_lacks(s, k, c))) {
            condensed_terms_add(s, k, c);
        }
    }
}

static void add_reserved(condensed_factors* s) {
    const taut_sizes* sizes = &s->plan->sizes;
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        for (size_t c = taut_given_count(sizes, k); c < sizes->count[k]; c++) {
            if (!is_absent(&s->plan->fields.kinds[k], c)) {
                condensed_terms_add(s, (taut_kind)k, c);
            }
        }
    }
}

/* Rows with bounds leave H and come back within a solve. */
static void factor(condensed_factors* s) {
    if (!s->early) {
        s->lost = !condensed_pattern_cover(s, MOST_LATE_PRODUCTS);
        s->cost = newton_cost(s);
    }
    if (s->bends) {
        system_make_again(s->plan);
    }
    node_cholesky_clear(&s->matrix);
    cpu_for(s->plan, 0, s->vertices, CPU_PARALLEL_FROM / 4, lasting_range, s);
    add_reserved(s);
    add_contacts(s, TAUT_CONTACT);
    add_contacts(s, TAUT_ROLLING);
    node_cholesky_factor(&s->matrix);
    s->current = true;
}

/* ---- solutions --------------------------------------------------------------------------------------------------- */

/* out: `solution` at its nodes, 0 elsewhere. Returns r.solution. */
static double spread(const condensed_factors* s, const double* solution, float* out) {
    double sum = 0;
    memset(out, 0, 4 * s->plan->sizes.nodes * sizeof *out);
    for (size_t v = 0; v < s->vertices; v++) {
        for (size_t a = 0; a < 3; a++) {
            out[4 * (size_t)s->node_of[v] + a] = (float)solution[3 * v + a];
            sum += s->r[3 * v + a] * solution[3 * v + a];
        }
    }
    return sum;
}

double condensed_factors_precondition(condensed_factors* s, const float* r, float* z) {
    if (!s->current) {
        factor(s);
    }
    for (size_t v = 0; v < s->vertices; v++) {
        for (size_t a = 0; a < 3; a++) {
            s->r[3 * v + a] = r[4 * (size_t)s->node_of[v] + a];
        }
    }
    node_cholesky_solve(&s->matrix, s->r, s->z);
    return spread(s, s->z, z);
}

/* r = force - M w at vertex v. */
static void residual_at(const condensed_factors* s, size_t v, const double* force, const double* w, double r[3]) {
    const size_t n = s->node_of[v];
    double held[3];
    node_mass(&s->plan->fields, &s->plan->sizes, n, w + 4 * n, held);
    vec3_sub(force + 4 * n, held, r);
}

double condensed_factors_step(condensed_factors* s, const double* force, const double* w, float* delta) {
    factor(s);
    for (size_t v = 0; v < s->vertices; v++) {
        residual_at(s, v, force, w, s->r + 3 * v);
    }
    node_cholesky_solve(&s->matrix, s->r, s->step);
    return spread(s, s->step, delta);
}

double condensed_factors_slope(const condensed_factors* s, const double* force, const double* w) {
    double sum = 0;
    for (size_t v = 0; v < s->vertices; v++) {
        double r[3];
        residual_at(s, v, force, w, r);
        sum += vec3_dot(r, s->step + 3 * v);
    }
    return sum;
}

void condensed_factors_correct(const condensed_factors* s, double share, double* w) {
    for (size_t v = 0; v < s->vertices; v++) {
        vec3_axpy(share, s->step + 3 * v, w + 4 * (size_t)s->node_of[v]);
    }
}
