/* What the CPU backend remembers from step to step: saved, restored, forgotten. */
#define TAUT_REAL double
#include "kernels/stages/contact/collide.h"

#include "host/cpu/cpu_state.h"

#include <string.h>

/* Energies by component, as last evaluated: those of contacts and drives belong to the step that made them. */
static void keep_energies(const taut_plan* plan) {
    for (size_t i = 0; i < plan->sizes.components; i++) {
        memcpy(plan->fields.component_energies + TAUT_ENERGIES * i, &plan->fields.account[i].now,
               sizeof(taut_energies));
    }
}

static void recall_energies(const taut_plan* plan) {
    for (size_t i = 0; i < plan->sizes.components; i++) {
        memcpy(&plan->fields.account[i].now, plan->fields.component_energies + TAUT_ENERGIES * i,
               sizeof(taut_energies));
    }
}

taut_status cpu_remember(taut_backend_state* state, taut_memory* memory) {
    memory->report = state->report;
    memory->impulse_step = state->impulse_step;
    memory->largest = state->largest;
    memory->samples = state->samples;
    memory->retries = state->retries;
    memory->done = state->done;
    memory->energies = state->energies;
    keep_energies(state->plan);
    return TAUT_OK;
}

taut_status cpu_recall(taut_backend_state* state, const taut_memory* memory) {
    state->report = memory->report;
    state->impulse_step = memory->impulse_step;
    state->largest = memory->largest;
    state->samples = memory->samples;
    state->retries = memory->retries;
    state->done = memory->done;
    state->energies = memory->energies;
    recall_energies(state->plan);
    cpu_publish(state);
    return TAUT_OK;
}

#define FORGET(type, name, count, columns) memset(f->name, 0, (size_t)(count) * (columns) * sizeof(type));

taut_status cpu_forget(taut_backend_state* state) {
    taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    const size_t live = s->count[TAUT_CONTACT];
    TAUT_FORGOTTEN_FIELDS(FORGET)
    for (size_t c = 0; c < live; c++) {
        clear_contact(f, s, c);
    }
    plan->sizes.count[TAUT_CONTACT] = plan->sizes.count[TAUT_ROLLING] = 0;
    state->impulse_step = state->largest = 0;
    state->samples = 0;
    state->retries = false;
    return TAUT_OK;
}
