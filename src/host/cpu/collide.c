/* Collide on the CPU: kernels/stages/collide.h over touching points, and the incidence of what was found. */
#define TAUT_REAL double
#include "kernels/stages/collide.h"
#include "kernels/stages/evaluate.h"

#include "host/cpu/state.h"

#include <string.h>

/* Contacts of the last step, by which those of this one find their impulses. */
static void keep(const taut_plan* plan) {
    const taut_fields* f = &plan->fields;
    const size_t live = plan->sizes.count[TAUT_CONTACT];
    for (size_t c = 0; c < live; c++) {
        keep_contact(f, &plan->sizes, c);
    }
    memcpy(f->contact_begin_last, f->contact_begin, (plan->sizes.touching + (size_t)1) * sizeof(uint32_t));
}

/* Where each point's contacts begin; returns how many there are. */
static size_t count_all(const taut_plan* plan, const taut_factors* step) {
    const taut_fields* f = &plan->fields;
    const size_t points = plan->sizes.touching;
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (points > CPU_PARALLEL_FROM / 64)
    for (size_t i = 0; i < points; i++) {
        f->contact_begin[i + 1] = count_contacts(f, &plan->sizes, i, step);
    }
    size_t total = 0;
    f->contact_begin[0] = 0;
    for (size_t i = 0; i < points; i++) {
        total += f->contact_begin[i + 1];
        f->contact_begin[i + 1] = total <= UINT32_MAX ? (uint32_t)total : UINT32_MAX;
    }
    return total;
}

static void make_all(const taut_plan* plan, const taut_factors* step) {
    const size_t points = plan->sizes.touching;
#pragma omp parallel for num_threads(plan->settings.threads) schedule(static) if (points > CPU_PARALLEL_FROM / 64)
    for (size_t i = 0; i < points; i++) {
        make_contacts(&plan->fields, &plan->sizes, i, step);
    }
}

/* Counting sort of the entries by node; stable, so that a node sums its contacts in their order. */
static void build_incidence(const taut_plan* plan, size_t live) {
    const taut_fields* f = &plan->fields;
    const taut_kind_fields* kind = &f->kinds[TAUT_CONTACT];
    uint32_t* next = kind->offsets; /* shifted by one while filling */
    memset(next, 0, (plan->sizes.nodes + 1) * sizeof *next);
    for (size_t e = 0; e < contact_NODES * live; e++) {
        next[kind->nodes[e] + 1] += contact_acts(f, e / contact_NODES, e % contact_NODES);
    }
    for (size_t n = 0; n < plan->sizes.nodes; n++) {
        next[n + 1] += next[n];
    }
    for (size_t e = 0; e < contact_NODES * live; e++) {
        if (contact_acts(f, e / contact_NODES, e % contact_NODES)) {
            kind->incidence[next[kind->nodes[e]]++] = (uint32_t)e;
        }
    }
    memmove(kind->offsets + 1, kind->offsets, plan->sizes.nodes * sizeof(uint32_t));
    kind->offsets[0] = 0;
}

/* Loops over contacts end where there are no more. */
void cpu_collide(taut_backend_state* state, double h) {
    taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    const taut_factors step = taut_phase_factors(&plan->settings, TAUT_PHASE_STEP, h);
    const size_t before = plan->sizes.count[TAUT_CONTACT];
    keep(plan);
    const size_t total = count_all(plan, &step);
    state->report.contacts = total < UINT32_MAX ? (uint32_t)total : UINT32_MAX;
    f->contact_count[TAUT_CONTACTS_NEEDED] = state->report.contacts;
    if (total > plan->sizes.contact_capacity) {
        memcpy(f->contact_begin, f->contact_begin_last, (plan->sizes.touching + (size_t)1) * sizeof(uint32_t));
        state->report.diverged = true;
        state->impulse_step = 0;
        return;
    }
    f->contact_count[TAUT_CONTACTS_LIVE] = (uint32_t)total;
    plan->sizes.count[TAUT_CONTACT] = total;
    make_all(plan, &step);
    for (size_t c = total; c < before; c++) {
        clear_contact(f, &plan->sizes, c);
    }
    build_incidence(plan, total);
    taut_energies sums = {0};
    double violation = 0;
    for (size_t c = 0; c < total; c++) {
        evaluate_contact(f, &plan->sizes, c, &sums, &violation);
    }
}
