#define TAUT_REAL double
#include "kernels/stages/contact/contact_colours.h"
#include "kernels/stages/contact/contact_sweep.h"

#include "host/cpu/cpu_apply.h"
#include "host/cpu/cpu_contact_sweeps.h"
#include "host/cpu/cpu_gauss_seidel.h"

#include <string.h>

/* Colours with fewer constraints or contacts stay on one thread. */
#define PARALLEL_FROM 1024

/* ---- colours -------------------------------------------------------------------------------------------------------
 */

/* Sweeps over constraints or contacts, or rounds of colours. */
typedef struct sweep_loop {
    const taut_plan* plan;
    const taut_factors* step;
    _Atomic size_t* waiting;
} sweep_loop;

static void colour_nodes(const void* context, uint32_t part, size_t first, size_t last) {
    const sweep_loop* l = context;
    (void)part;
    for (size_t n = first; n < last; n++) {
        colours_node(&l->plan->fields, &l->plan->sizes, n);
    }
}

static void colour_contacts(const void* context, uint32_t part, size_t first, size_t last) {
    const sweep_loop* l = context;
    size_t waiting = 0;
    (void)part;
    for (size_t c = first; c < last; c++) {
        waiting += !colours_contact(&l->plan->fields, &l->plan->sizes, c);
    }
    *l->waiting += waiting;
}

/* True while contacts are left without a colour. */
static bool round_of_colours(const taut_plan* plan, size_t live) {
    _Atomic size_t waiting = 0;
    const sweep_loop loop = {.plan = plan, .waiting = &waiting};
    cpu_for(plan, 0, plan->sizes.nodes, CPU_PARALLEL_FROM, colour_nodes, &loop);
    cpu_for(plan, 0, live, CPU_PARALLEL_FROM, colour_contacts, &loop);
    return waiting > 0;
}

/* Contacts by colour, in their order within each. */
static void order_by_colour(const taut_fields* f, size_t live) {
    uint32_t* begin = f->contact_colour_begin; /* shifted by one while filling */
    memset(begin, 0, (TAUT_CONTACT_COLOURS + 2) * sizeof *begin);
    for (size_t c = 0; c < live; c++) {
        begin[f->contact_colour[c] + 1]++;
    }
    for (size_t k = 0; k <= TAUT_CONTACT_COLOURS; k++) {
        begin[k + 1] += begin[k];
    }
    for (size_t c = 0; c < live; c++) {
        f->contact_order[begin[f->contact_colour[c]]++] = (uint32_t)c;
    }
    memmove(begin + 1, begin, (TAUT_CONTACT_COLOURS + 1) * sizeof *begin);
    begin[0] = 0;
}

static void find_colours(const taut_plan* plan) {
    const taut_fields* f = &plan->fields;
    const size_t live = plan->sizes.count[TAUT_CONTACT];
    memset(f->node_colours, 0, plan->sizes.nodes * sizeof *f->node_colours);
    for (size_t c = 0; c < live; c++) {
        f->contact_colour[c] = TAUT_NO_COLOUR;
    }
    while (round_of_colours(plan, live)) {
    }
    order_by_colour(f, live);
}

static void block_range(const void* context, uint32_t part, size_t first, size_t last) {
    const taut_plan* plan = context;
    (void)part;
    for (size_t c = first; c < last; c++) {
        contact_blocks(&plan->fields, &plan->sizes, c);
    }
}

void contact_sweeps_prepare(const taut_plan* plan) {
    const taut_fields* f = &plan->fields;
    const size_t live = plan->sizes.count[TAUT_CONTACT];
    find_colours(plan);
    cpu_for(plan, 0, live, PARALLEL_FROM, block_range, plan);
    if (plan->sizes.colours > 0) {
        memset(f->delta, 0, plan->sizes.unknowns * sizeof(float));
        gauss_seidel_refresh(plan);
    }
}

/* ---- sweeps --------------------------------------------------------------------------------------------------------
 */

void contact_sweeps_open(const taut_plan* plan) {
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    if (s->colours == 0) {
        return;
    }
    cpu_apply_jacobian_f64(plan, TAUT_ALL, f->g_f64, 4, f->gam, false, f->wide);
    for (size_t i = 0; i < s->unknowns || i < 4 * s->nodes; i++) {
        sweep_open(f, s, i);
    }
}

static void given_range(const void* context, uint32_t part, size_t first, size_t last) {
    const sweep_loop* l = context;
    (void)part;
    for (size_t b = first; b < last; b++) {
        sweep_given(&l->plan->fields, &l->plan->sizes, &l->plan->hierarchy.system, (uint32_t)b, l->step);
    }
}

static void contact_range(const void* context, uint32_t part, size_t first, size_t last) {
    const sweep_loop* l = context;
    const taut_fields* f = &l->plan->fields;
    (void)part;
    for (size_t i = first; i < last; i++) {
        sweep_contact(f, &l->plan->sizes, f->contact_order[i], l->step);
    }
}

void contact_sweeps_once(const taut_plan* plan, const taut_factors* step) {
    const uint32_t *given = plan->fields.colour_begin, *begin = plan->fields.contact_colour_begin;
    const sweep_loop loop = {.plan = plan, .step = step};
    for (uint32_t colour = 0; colour < plan->sizes.colours; colour++) {
        cpu_for(plan, given[colour], given[colour + 1], PARALLEL_FROM, given_range, &loop);
    }
    for (uint32_t colour = 0; colour <= TAUT_CONTACT_COLOURS; colour++) { /* the last one has what found no colour */
        const size_t alone = colour < TAUT_CONTACT_COLOURS ? PARALLEL_FROM : SIZE_MAX;
        cpu_for(plan, begin[colour], begin[colour + 1], alone, contact_range, &loop);
    }
}
