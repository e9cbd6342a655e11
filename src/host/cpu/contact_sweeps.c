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

/* True while contacts are left without a colour. */
static bool round_of_colours(const taut_plan* plan, size_t live) {
    const taut_fields* f = &plan->fields;
    const size_t nodes = plan->sizes.nodes;
    size_t waiting = 0;
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (nodes > CPU_PARALLEL_FROM)
    for (size_t n = 0; n < nodes; n++) {
        colours_node(f, &plan->sizes, n);
    }
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) reduction(+ : waiting) if (live > CPU_PARALLEL_FROM)
    for (size_t c = 0; c < live; c++) {
        waiting += !colours_contact(f, &plan->sizes, c);
    }
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

void contact_sweeps_prepare(const taut_plan* plan) {
    const taut_fields* f = &plan->fields;
    const size_t live = plan->sizes.count[TAUT_CONTACT];
    find_colours(plan);
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (live > PARALLEL_FROM)
    for (size_t c = 0; c < live; c++) {
        contact_blocks(f, &plan->sizes, c);
    }
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

static void sweep_all_given(const taut_plan* plan, const taut_factors* step) {
    const uint32_t* begin = plan->fields.colour_begin;
    for (uint32_t colour = 0; colour < plan->sizes.colours; colour++) {
        const uint32_t first = begin[colour], end = begin[colour + 1];
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (end - first > PARALLEL_FROM)
        for (uint32_t b = first; b < end; b++) {
            sweep_given(&plan->fields, &plan->sizes, &plan->hierarchy.system, b, step);
        }
    }
}

void contact_sweeps_once(const taut_plan* plan, const taut_factors* step) {
    const taut_fields* f = &plan->fields;
    const uint32_t* begin = f->contact_colour_begin;
    sweep_all_given(plan, step);
    for (uint32_t colour = 0; colour <= TAUT_CONTACT_COLOURS; colour++) {
        const uint32_t first = begin[colour], end = begin[colour + 1];
#pragma omp parallel for num_threads(plan->settings.threads)                                                           \
    schedule(static) if (end - first > PARALLEL_FROM && colour < TAUT_CONTACT_COLOURS)
        for (uint32_t i = first; i < end; i++) {
            sweep_contact(f, &plan->sizes, f->contact_order[i], step);
        }
    }
}
