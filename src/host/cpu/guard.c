/* The guard of a substep on the CPU: the state before a part is kept, what the part did is measured, and undone or
 * calmed where model/guard.h says so. */
#define TAUT_REAL double
#include "kernels/stages/contact/crossing.h"
#include "kernels/stages/frames.h"
#include "kernels/stages/guarded.h"
#include "kernels/stages/integrate.h"

#include "host/cpu/cpu_apply.h"
#include "host/cpu/cpu_condensed_factors.h"
#include "host/cpu/cpu_state.h"

#include <string.h>

void cpu_keep(taut_backend_state* state) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
#define KEEP(type, name, count, columns) memcpy(f->kept_##name, f->name, (size_t)(count) * (columns) * sizeof(type));
    TAUT_GUARDED_FIELDS(KEEP, )
    CPU_OVER_MOVING(memcpy(f->kinds[k].kept_rest + width * c, f->kinds[k].rest + width * c, width * sizeof(double)))
    state->kept_report = state->report;
    state->kept_impulse_step = state->impulse_step;
    state->kept_samples = state->samples;
    taut_report_part(&state->report);
}

void cpu_note(taut_backend_state* state) {
    const taut_plan* plan = state->plan;
    memcpy(plan->fields.phi_before, plan->fields.phi, plan->sizes.rows * sizeof(double));
}

static void restore_state(taut_backend_state* state) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
#define RESTORE(type, name, count, columns) memcpy(f->name, f->kept_##name, (size_t)(count) * (columns) * sizeof(type));
    TAUT_GUARDED_FIELDS(RESTORE, )
    CPU_OVER_MOVING(memcpy(f->kinds[k].rest + width * c, f->kinds[k].kept_rest + width * c, width * sizeof(double)))
    for (size_t i = 0; i < 3 * s->nodes; i++) {
        f->x_f32[i] = (float)f->x[i];
    }
    state->impulse_step = state->kept_impulse_step;
    state->samples = state->kept_samples;
    state->retries = true;
    cpu_evaluate(state);
    state->energies = state->before; /* with the contacts of that state */
}

void cpu_restore(taut_backend_state* state) {
    restore_state(state);
    taut_report_again(&state->report, &state->kept_report, 1);
}

void cpu_rewind(taut_backend_state* state) {
    restore_state(state);
    taut_report_again(&state->report, &state->kept_report, 0);
    taut_report_part(&state->report);
}

void cpu_forget_impulses(taut_backend_state* state) {
    memset(state->plan->fields.gam, 0, state->plan->sizes.unknowns * sizeof(double));
    state->impulse_step = 0;
}

static void power_chunks(const void* context, uint32_t part, size_t first, size_t last) {
    const taut_plan* plan = context;
    const taut_fields* f = &plan->fields;
    (void)part;
    CPU_SUM_CHUNKS(taut_powers, f, plan->sizes.nodes, add_powers(f, &plan->sizes, i, f->g_f64, &own))
}

static taut_powers sum_powers(const taut_plan* plan) {
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    taut_powers sums = {0, 0};
    if (s->levels > 0) {
        cpu_apply_jacobian_transpose_f64(plan, TAUT_ROWS, false, f->lam, f->g_f64);
    }
    cpu_sum(plan, s->nodes, power_chunks, plan, sizeof sums / sizeof(double), &sums);
    return sums;
}

/* What is measured of a part. */
typedef struct stored_loop {
    const taut_plan* plan;
    int kind;
    size_t rows;
    const taut_guard_scale* scale;
    double h;
} stored_loop;

static void stored_chunks(const void* context, uint32_t part, size_t first, size_t last) {
    const stored_loop* l = context;
    const taut_fields* f = &l->plan->fields;
    const taut_sizes* s = &l->plan->sizes;
    (void)part;
    CPU_SUM_CHUNKS(taut_guard_sums, f, s->count[l->kind], add_stored(f, s, l->kind, l->rows, i, l->scale, &own))
}

static void bounce_chunks(const void* context, uint32_t part, size_t first, size_t last) {
    const stored_loop* l = context;
    const taut_fields* f = &l->plan->fields;
    const taut_sizes* s = &l->plan->sizes;
    (void)part;
    CPU_SUM_CHUNKS(taut_guard_sums, f, s->count[TAUT_CONTACT],
                   add_bounce(f, s, i, l->plan->settings.gravity, l->h, &own))
}

static void work_chunks(const void* context, uint32_t part, size_t first, size_t last) {
    const stored_loop* l = context;
    const taut_fields* f = &l->plan->fields;
    const taut_sizes* s = &l->plan->sizes;
    (void)part;
    CPU_SUM_CHUNKS(taut_guard_sums, f, s->nodes, add_work(f, s, i, l->plan->settings.gravity, l->h, &own))
}

static taut_guard_sums sum_stored(const taut_plan* plan, double h, const taut_guard_scale* scale) {
    const taut_sizes* s = &plan->sizes;
    taut_guard_sums sums = {0};
    const size_t values = sizeof sums / sizeof(double);
    const stored_loop all = {.plan = plan, .h = h};
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        const stored_loop loop = {plan, k, taut_kind_shapes[k].rows, scale, h};
        cpu_sum(plan, loop.rows > 0 ? s->count[k] : 0, stored_chunks, &loop, values, &sums);
    }
    cpu_sum(plan, s->count[TAUT_CONTACT], bounce_chunks, &all, values, &sums);
    cpu_sum(plan, s->nodes, work_chunks, &all, values, &sums);
    return sums;
}

void cpu_measure(taut_backend_state* state, double h, const taut_guard_scale* scale, taut_attempt* attempt) {
    const taut_plan* plan = state->plan;
    state->powers = sum_powers(plan);
    const taut_guard_sums sums = scale != NULL ? sum_stored(plan, h, scale) : (taut_guard_sums){0};
    *attempt = taut_attempt_of(&state->before, &state->energies, &state->powers, &sums, plan->settings.gravity,
                               &state->report, h);
    if (!condensed_factors_active(state)) { /* where nothing touches, rows may close as fast as they are told to */
        attempt->returned = 0;
    }
}

/* Mapped points follow the others. */
void cpu_calm(taut_backend_state* state, double share) {
    const taut_plan* plan = state->plan;
    for (size_t n = 0; n < plan->sizes.nodes; n++) {
        if (n < plan->sizes.simple || n >= plan->sizes.points) {
            calm_node(&plan->fields, &plan->sizes, n, share);
        }
    }
    cpu_evaluate(state);
}

static void forget_condensed(const taut_plan* plan) {
    for (size_t n = 0; n < plan->sizes.nodes; n++) {
        forget_motion(&plan->fields, &plan->sizes, n);
    }
    for (size_t i = 0; i < plan->sizes.unknowns; i++) {
        forget_impulse(&plan->fields, &plan->sizes, i);
    }
}

void cpu_end_part(taut_backend_state* state, double h, bool damped, bool through) {
    taut_report* report = &state->report;
    const taut_sizes* s = &state->plan->sizes;
    if (damped) {
        forget_condensed(state->plan);
    }
    for (size_t c = 0; s->watches && c < s->count[TAUT_CONTACT]; c++) {
        turn_contact(&state->plan->fields, s, c, through);
    }
    taut_ledger_add(&report->ledger, &state->before, &state->energies, &state->powers, state->plan->settings.gravity,
                    state->plan->settings.integrator.mass_damping, h);
    state->before = state->energies;
    report->time += h;
    cpu_record_events(state->plan, h);
    state->retries = false;
    taut_report_join(report, &state->kept_report, state->plan->settings.integrator.guard, damped,
                     state->plan->settings.softened);
}
