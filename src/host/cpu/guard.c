/* The guard of a substep on the CPU: the state before a part is kept, what the part did is measured, and undone or
 * calmed where model/guard.h says so. */
#define TAUT_REAL double
#include "kernels/stages/contact/crossing.h"
#include "kernels/stages/frames.h"
#include "kernels/stages/guarded.h"
#include "kernels/stages/integrate.h"
#include "kernels/stages/staged.h"

#include "host/cpu/cpu_apply.h"
#include "host/cpu/cpu_contact_pairs.h"
#include "host/cpu/cpu_islands.h"
#include "host/cpu/cpu_segments.h"
#include "host/cpu/cpu_state.h"

#include <string.h>

static void report_part(taut_backend_state* state) {
    taut_report_part(&state->report);
    for (int system = 0; system < (int)CPU_SYSTEMS; system++) {
        state->solved[system] = (cpu_solved){TAUT_SOLVE_CONVERGED, 0};
    }
}

/* Without places for contacts at the end that none takes. */
static taut_sizes used_sizes(const taut_sizes* s, size_t used) {
    taut_sizes out = *s;
    out.rows = s->unknowns > s->rows ? s->rows : used;
    out.unknowns = used;
    return out;
}

void cpu_keep(taut_backend_state* state) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    state->kept_unknowns = cpu_used_unknowns(&plan->sizes);
    const taut_sizes used = used_sizes(&plan->sizes, state->kept_unknowns), *s = &used;
#define KEEP(type, name, count, columns) memcpy(f->kept_##name, f->name, (size_t)(count) * (columns) * sizeof(type));
    TAUT_GUARDED_FIELDS(KEEP, )
    CPU_OVER_MOVING(memcpy(f->kinds[k].kept_rest + width * c, f->kinds[k].rest + width * c, width * sizeof(double)))
    state->kept_report = state->report;
    state->kept_impulse_step = state->impulse_step;
    state->kept_samples = state->samples;
    if (state->pairs != NULL) {
        state->pairs->tried = 0;
    }
    report_part(state);
    cpu_spare_components(plan);
}

void cpu_note(taut_backend_state* state) {
    const taut_plan* plan = state->plan;
    const size_t used = cpu_used_unknowns(&plan->sizes), rows = plan->sizes.rows;
    memcpy(plan->fields.phi_before, plan->fields.phi, (used < rows ? used : rows) * sizeof(double));
}

static void restore_state(taut_backend_state* state) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    const taut_sizes used = used_sizes(&plan->sizes, state->kept_unknowns), *s = &used;
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
    for (size_t i = 0; i < s->components; i++) {
        f->account[i].now = f->account[i].before;
    }
}

void cpu_restore(taut_backend_state* state) {
    restore_state(state);
    taut_report_again(&state->report, &state->kept_report, 1);
}

void cpu_rewind(taut_backend_state* state) {
    restore_state(state);
    taut_report_again(&state->report, &state->kept_report, 0);
    report_part(state);
}

void cpu_forget_impulses(taut_backend_state* state) {
    memset(state->plan->fields.gam, 0, state->plan->sizes.unknowns * sizeof(double));
    state->impulse_step = 0;
}

/* ---- what is measured of an attempt, by components --------------------------------------------------------------- */

typedef struct guard_loop {
    const taut_plan* plan;
    int set;           /* of segments */
    size_t rows, base; /* of the kind; the node of item 0 */
    const taut_guard_scale* scale;
    double stage; /* the share of a stage in the part; 1: it has none */
} guard_loop;

/* The safe scheme replaces two stages by halves. */
static double stage_of(const taut_settings* own) {
    return !own->staged ? 1 : own->integrator.sdirk ? TAUT_SDIRK_STAGE : 0.5;
}

static void add_node_powers(const guard_loop* l, size_t n, taut_powers* sums) {
    const taut_fields* f = &l->plan->fields;
    add_powers(f, &l->plan->sizes, n, f->g_f64, sums);
    if (l->stage < 1) {
        add_staged_force(f, &l->plan->sizes, n, l->scale->h, sums);
    }
}

static void power_segments(const void* context, uint32_t part, size_t first, size_t last) {
    const guard_loop* l = context;
    (void)part;
    CPU_SUM_SEGMENTS(taut_powers, l->plan, l->set, add_node_powers(l, l->base + i, &own))
}

static void surface_segments(const void* context, uint32_t part, size_t first, size_t last) {
    const guard_loop* l = context;
    const taut_fields* f = &l->plan->fields;
    (void)part;
    CPU_SUM_SEGMENTS(taut_powers, l->plan, l->set,
                     add_staged_surface(f, &l->plan->sizes, i, l->scale->h, l->stage, &own))
}

static void work_segments(const void* context, uint32_t part, size_t first, size_t last) {
    const guard_loop* l = context;
    const taut_fields* f = &l->plan->fields;
    (void)part;
    CPU_SUM_SEGMENTS(taut_guard_sums, l->plan, l->set,
                     add_work(f, &l->plan->sizes, l->base + i, l->plan->settings.gravity, l->scale->h, &own))
}

/* By what rows of a component are measured. */
static taut_guard_scale scale_of(const guard_loop* l, uint32_t component) {
    return taut_guard_scale_of(l->scale, component == TAUT_NO_NODE || cpu_island_of(l->plan, component)->solved);
}

static void stored_segments(const void* context, uint32_t part, size_t first, size_t last) {
    const guard_loop* l = context;
    const taut_fields* f = &l->plan->fields;
    (void)part;
    CPU_SUM_SEGMENTS(taut_guard_sums, l->plan, l->set, const taut_guard_scale scale = scale_of(l, segment.component);
                     add_stored(f, &l->plan->sizes, l->set, l->rows, i, &scale, &own))
}

static void add_contact(const taut_plan* plan, size_t c, const taut_guard_scale* scale, taut_guard_sums* sums) {
    const taut_fields* f = &plan->fields;
    add_stored(f, &plan->sizes, TAUT_CONTACT, contact_ROWS, c, scale, sums);
    add_bounce(f, &plan->sizes, c, plan->settings.gravity, scale->h, sums);
    add_curve(f, &plan->sizes, c, plan->settings.gravity, scale->h, plan->settings.integrator.beta, sums);
}

static void contact_segments(const void* context, uint32_t part, size_t first, size_t last) {
    const guard_loop* l = context;
    (void)part;
    const taut_guard_scale scale = scale_of(l, 0); /* of all there is */
    CPU_SUM_SEGMENTS(taut_guard_sums, l->plan, l->set, add_contact(l->plan, i, &scale, &own))
}

static void measure_nodes(const taut_plan* plan, const taut_guard_scale* scale, taut_powers* powers) {
    const taut_fields* f = &plan->fields;
    const size_t of_powers = offsetof(taut_account, powers), of_sums = offsetof(taut_account, sums);
    const double stage = scale != NULL ? stage_of(&plan->settings) : 1;
    taut_guard_sums unused;
    if (plan->sizes.levels > 0) {
        cpu_apply_jacobian_transpose_f64(plan, TAUT_ROWS, false, f->lam, f->g_f64);
    }
    for (int set = TAUT_SEGMENT_POINTS; set <= TAUT_SEGMENT_FRAMES; set++) {
        const guard_loop loop = {plan, set, 0, set == TAUT_SEGMENT_FRAMES ? plan->sizes.points : 0, scale, stage};
        cpu_sum_segments(plan, set, 1, power_segments, &loop, sizeof *powers / sizeof(double), powers, of_powers);
        if (scale != NULL) {
            cpu_sum_segments(plan, set, 1, work_segments, &loop, sizeof unused / sizeof(double), &unused, of_sums);
        }
    }
    if (stage < 1) {
        const guard_loop loop = {plan, TAUT_SURFACE, 0, 0, scale, stage};
        cpu_sum_segments(plan, TAUT_SURFACE, 1, surface_segments, &loop, sizeof *powers / sizeof(double), powers,
                         of_powers);
    }
}

/* Contacts of several components one by one: they are few beside the rows of the scene. */
static void measure_contacts(const taut_plan* plan, const taut_guard_scale* scale) {
    taut_account* account = plan->fields.account;
    const guard_loop loop = {plan, TAUT_CONTACT, contact_ROWS, 0, scale, 1};
    if (plan->sizes.components == 1) {
        cpu_sum_segments(plan, TAUT_CONTACT, 1, contact_segments, &loop, sizeof account->sums / sizeof(double),
                         &account->sums, 0);
        return;
    }
    for (size_t c = 0; c < plan->sizes.count[TAUT_CONTACT]; c++) {
        const uint32_t component = cpu_component_of(plan, TAUT_CONTACT, c);
        if (component != TAUT_NO_NODE) {
            const taut_guard_scale own = scale_of(&loop, component);
            add_contact(plan, c, &own, &account[component].sums);
        }
    }
}

void cpu_measure(taut_backend_state* state, const taut_guard_scale* scale) {
    const taut_plan* plan = state->plan;
    taut_guard_sums unused;
    for (size_t i = 0; i < plan->sizes.components; i++) {
        plan->fields.account[i].powers = (taut_powers){0};
        plan->fields.account[i].sums = (taut_guard_sums){0};
    }
    state->powers = (taut_powers){0};
    measure_nodes(plan, scale, &state->powers);
    for (int k = 0; scale != NULL && k < TAUT_KIND_COUNT; k++) {
        const guard_loop loop = {plan, k, taut_kind_shapes[k].rows, 0, scale, 1};
        if (loop.rows > 0 && k != (int)TAUT_CONTACT && k != (int)TAUT_ROLLING) {
            cpu_sum_segments(plan, k, 1, stored_segments, &loop, sizeof unused / sizeof(double), &unused,
                             offsetof(taut_account, sums));
        }
    }
    if (scale != NULL) {
        measure_contacts(plan, scale);
    }
}

/* ---- less motion, and the end of a part ------------------------------------------------------------------------- */

/* Part of its motion that node n keeps. */
static double kept_share(const taut_plan* plan, size_t n) {
    return cpu_island_of(plan, plan->fields.node_component[n])->guard.share;
}

static bool is_calmed(const taut_plan* plan, size_t n) {
    return plan->fields.inverse_mass[n] > 0 && kept_share(plan, n) < 1;
}

/* Mapped points follow the others. */
void cpu_calm(taut_backend_state* state) {
    const taut_plan* plan = state->plan;
    for (size_t n = 0; n < plan->sizes.nodes; n++) {
        const double share = kept_share(plan, n);
        if ((n < plan->sizes.simple || n >= plan->sizes.points) && share < 1) {
            calm_node(&plan->fields, &plan->sizes, n, share);
        }
    }
    for (size_t c = 0; c < plan->sizes.count[TAUT_ANGULAR]; c++) {
        const uint32_t* nodes = plan->fields.kinds[TAUT_ANGULAR].nodes + angular_NODES * c;
        if (is_calmed(plan, nodes[0]) || is_calmed(plan, nodes[1])) {
            calm_angle(&plan->fields, c);
        }
    }
    cpu_evaluate(state);
}

/* Of islands that were slowed down, or of all. */
static void forget_condensed(const taut_plan* plan, bool all) {
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    uint32_t unknown[TAUT_MAX_ROWS];
    for (size_t n = 0; n < s->nodes; n++) {
        if (all || cpu_island_of(plan, f->node_component[n])->after.damped) {
            forget_motion(f, s, n);
        }
    }
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        for (uint32_t c = 0; c < s->count[k]; c++) {
            const uint32_t component = all ? 0 : cpu_component_of(plan, k, c);
            const bool damped = component != TAUT_NO_NODE && cpu_island_of(plan, component)->after.damped;
            const uint32_t count = all || damped ? taut_list_unknowns(s, (taut_kind)k, c, unknown) : 0;
            for (uint32_t i = 0; i < count; i++) {
                forget_impulse(f, s, unknown[i]);
            }
        }
    }
}

static void add_to_ledger(taut_backend_state* state, double h) {
    const taut_settings* own = &state->plan->settings;
    const double damping = own->integrator.mass_damping;
    const taut_ledger part = taut_ledger_of(&state->before, &state->energies, &state->powers, own->gravity, damping, h);
    double unseen = 0;
    for (size_t i = 0; i < state->plan->sizes.components; i++) {
        const taut_island* island = state->plan->fields.island + i;
        const taut_account* a = &island->account;
        if (state->plan->fields.island_of[i] == i && island->contradicts) {
            const taut_ledger its = taut_ledger_of(&a->before, &a->now, &a->powers, own->gravity, damping, h);
            unseen += taut_unseen_drives(&its);
        }
    }
    taut_ledger_add(&state->report.ledger, &part, unseen);
}

void cpu_end_part(taut_backend_state* state, double h, bool slowed, bool held, bool through) {
    const bool damped = slowed || held;
    taut_report* report = &state->report;
    const taut_sizes* s = &state->plan->sizes;
    if (damped) {
        forget_condensed(state->plan, held);
    }
    cpu_keep_islands(state->plan);
    for (size_t c = 0; s->watches && c < s->count[TAUT_CONTACT]; c++) {
        turn_contact(&state->plan->fields, s, c, through);
    }
    add_to_ledger(state, h);
    cpu_begin_energies(state);
    report->time += h;
    state->done += state->rate * h;
    cpu_record_events(state, h);
    state->retries = false;
    taut_report_join(report, &state->kept_report, state->plan->settings.integrator.guard, damped,
                     state->plan->settings.softened);
}
