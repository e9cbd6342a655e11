#define TAUT_REAL double
#include "host/cpu/cpu_condensed_residual.h"

#include "host/cpu/cpu_apply.h"
#include "host/cpu/cpu_condensed.h"
#include "host/cpu/cpu_condensed_factors.h"

#include <math.h>
#include <string.h>

#define SUMS_VALUES   (sizeof(condensed_sums) / sizeof(double))
#define MOTION_VALUES (sizeof(condensed_motion) / sizeof(double))

/* ---- vectors among node_scratch ---------------------------------------------------------------------------------- */

double* cpu_motion(const taut_plan* plan) {
    return plan->fields.node_scratch;
}

double* cpu_force(const taut_plan* plan) {
    return plan->fields.node_scratch + 4 * plan->sizes.nodes;
}

/* One of the two vectors of kept forces. */
static double* kept_force(const taut_plan* plan, int which) {
    return plan->fields.node_scratch + (size_t)(8 + 4 * which) * plan->sizes.nodes;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* What a residual of rows takes. */
typedef struct residual_loop {
    cpu_loop rows;
    taut_residual_mode how;
} residual_loop;

static void residual_chunks(const void* context, uint32_t part, size_t first, size_t last) {
    const residual_loop* l = context;
    const taut_fields* f = &l->rows.plan->fields;
    const taut_sizes* s = &l->rows.plan->sizes;
    const int k = l->rows.kind;
    (void)part;
    CPU_SUM_CHUNKS(condensed_sums, f, s->count[k],
                   condense_residual(f, s, k, l->rows.rows, i, l->how, l->rows.step, &own))
}

static void factor_range(const void* context, uint32_t part, size_t first, size_t last) {
    const taut_plan* plan = context;
    (void)part;
    for (size_t i = first; i < last; i++) {
        condense_factor(&plan->fields, &plan->sizes, plan->sizes.rows + i);
    }
}

static void contact_motions(const void* context, uint32_t part, size_t first, size_t last) {
    const taut_plan* plan = context;
    const taut_fields* f = &plan->fields;
    const size_t count = plan->sizes.count[TAUT_CONTACT], row = plan->sizes.first_row[TAUT_CONTACT];
    (void)part;
    for (size_t c = first; c < last; c++) {
        if (is_in_system(f, &plan->sizes, row_of_contact(&plan->sizes, c, 0))) {
            apply_jacobian_rows_contact(&f->kinds[TAUT_CONTACT], count, c, cpu_motion(plan), 4, f->gam + row, false,
                                        f->wide + row);
        }
    }
}

/* The largest of each chunk, in its place. */
static void closing_chunks(const void* context, uint32_t part, size_t first, size_t last) {
    const taut_plan* plan = context;
    (void)part;
    for (size_t chunk = first; chunk < last; chunk++) {
        double most = 0;
        for (size_t c = chunk * TAUT_CHUNK; c < cpu_chunk_end(chunk, plan->sizes.count[TAUT_CONTACT]); c++) {
            most = fmax(most, condense_closing(&plan->fields, &plan->sizes, c));
        }
        plan->fields.partial[TAUT_PARTIALS * chunk] = most;
    }
}

static double most_closing(const taut_plan* plan) {
    const size_t chunks = cpu_chunk_count(plan->sizes.count[TAUT_CONTACT]);
    double most = 0;
    cpu_for(plan, 0, chunks, CPU_PARALLEL_FROM / TAUT_CHUNK, closing_chunks, plan);
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        most = fmax(most, plan->fields.partial[TAUT_PARTIALS * chunk]);
    }
    return most;
}

/* Rows of kinds from `first` on, with K w + Wt gam in `wide`: wide = gam + Wh r_c; their sums. Those of contacts may be
 * looked at in another way than those that last. */
static void weigh_rows_apart(cpu_residual* r, int first, taut_residual_mode lasting, taut_residual_mode how) {
    const taut_plan* plan = r->state->plan;
    const taut_sizes* s = &plan->sizes;
    condensed_sums sums = {0};
    for (int k = first; k < TAUT_KIND_COUNT; k++) {
        const taut_residual_mode mode = k < (int)TAUT_CONTACT ? lasting : how;
        const residual_loop loop = {{plan, r->step, k, taut_kind_shapes[k].rows}, mode};
        cpu_sum(plan, loop.rows.rows > 0 ? s->count[k] : 0, residual_chunks, &loop, SUMS_VALUES, &sums);
    }
    r->rows2 = sums.rows;
    r->bounds = (taut_bound_sums){.complementarity = sums.complementarity, .changed = sums.changed};
    r->impulse_change =
        (taut_impulse_change){sums.length2, sums.turned, sums.impulse2, how.updates ? most_closing(plan) : 0};
}

static void weigh_rows(cpu_residual* r, int first, taut_residual_mode how) {
    weigh_rows_apart(r, first, how, how);
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

typedef struct node_loop {
    const taut_plan* plan;
    const double *u, *kept; /* kept NULL: K^T u is in force */
    double* to;
    bool energy;
} node_loop;

/* force += K^T u at node n of the kinds that concern more than points; but contacts. */
static void keep_others(const taut_fields* f, const taut_sizes* s, size_t n, int parts, const double* u,
                        double force[3]) {
#define PULL_KEPT(name, k)                                                                                             \
    if (k != (int)TAUT_CONTACT && k != (int)TAUT_ROLLING && s->count[k] > 0) {                                         \
        apply_jacobian_transpose_node_##name(&f->kinds[k], s->count[k], 0, n, parts, u + s->first_row[k],              \
                                             u + s->first_factor_row[k], force);                                       \
    }
    TAUT_GRAPH_KINDS(PULL_KEPT)
    TAUT_LOAD_KINDS(PULL_KEPT)
#undef PULL_KEPT
}

/* K^T u of all rows but contacts. */
static void kept_range(const void* context, uint32_t part, size_t first, size_t last) {
    const node_loop* l = context;
    const taut_fields* f = &l->plan->fields;
    const taut_sizes* s = &l->plan->sizes;
    const int parts = parts_present(s, TAUT_ALL);
    const bool others = s->simple < s->nodes || s->loads;
    (void)part;
    for (size_t n = first; n < last; n++) {
        double* to = l->to + 4 * n;
        apply_jacobian_transpose_plain_node(f, s, n, parts, l->u, to);
        if (others) {
            keep_others(f, s, n, parts, l->u, to);
        }
        if (s->carries) {
            collect_children(f, n, false, l->to, to);
        }
    }
}

/* forces (n x 4) at node n: `kept`, or nothing, and what contacts and its children pull. */
static void pull_contacts(const node_loop* l, size_t n, const double kept[3], double* forces) {
    static const double none[3] = {0, 0, 0};
    const taut_fields* f = &l->plan->fields;
    const taut_sizes* s = &l->plan->sizes;
    const double* u = l->u + s->first_row[TAUT_CONTACT];
    memcpy(forces + 4 * n, kept != NULL ? kept : none, sizeof none);
    apply_jacobian_transpose_node_contact(&f->kinds[TAUT_CONTACT], s->count[TAUT_CONTACT], 0, n, TAUT_ROWS, u, u,
                                          forces + 4 * n);
    if (s->carries) {
        collect_children(f, n, false, forces, forces + 4 * n);
    }
}

static void carry_range(const void* context, uint32_t part, size_t first, size_t last) {
    const node_loop* l = context;
    (void)part;
    for (size_t n = first; n < last; n++) {
        pull_contacts(l, n, NULL, cpu_force(l->plan));
    }
}

static void node_residual_chunks(const void* context, uint32_t part, size_t first, size_t last) {
    const node_loop* l = context;
    const taut_fields* f = &l->plan->fields;
    const taut_sizes* s = &l->plan->sizes;
    const double* w = cpu_motion(l->plan);
    double* pulled = cpu_force(l->plan);
    (void)part;
#define PULL_AT_NODE(i)                                                                                                \
    if (l->kept != NULL && is_condensed_unknown(f, i)) {                                                               \
        pull_contacts(l, i, l->kept + 4 * (i), pulled);                                                                \
    }
    CPU_SUM_CHUNKS(condensed_motion, f, s->nodes,
                   PULL_AT_NODE(i) condense_node_residual(f, s, i, w, pulled, l->energy, &own))
}

/* r = P(K^T u - M w) */
static condensed_motion pull_rows(const cpu_residual* r, const double* u) {
    const taut_plan* plan = r->state->plan;
    const node_loop loop = {.plan = plan,
                            .u = u,
                            .kept = r->splits ? kept_force(plan, r->kept) : NULL,
                            .energy = cpu_measures_energy(plan)};
    condensed_motion sums = {0};
    if (r->splits) {
        cpu_for_carried(plan, CPU_PARALLEL_FROM, carry_range, &loop);
    } else {
        cpu_apply_jacobian_transpose_f64(plan, TAUT_ALL, false, u, cpu_force(plan));
    }
    cpu_sum(plan, plan->sizes.nodes, node_residual_chunks, &loop, MOTION_VALUES, &sums);
    return sums;
}

/* Contacts alone, with the forces of all other rows as they are kept. */
static void look_at_contacts(cpu_residual* r, taut_residual_mode how) {
    const taut_plan* plan = r->state->plan;
    const taut_sizes* s = &plan->sizes;
    cpu_spread_f64(plan, cpu_carried_levels(s), cpu_motion(plan), 4);
    cpu_for(plan, 0, s->count[TAUT_CONTACT], CPU_PARALLEL_FROM, contact_motions, plan);
    weigh_rows(r, TAUT_CONTACT, how);
    r->start = pull_rows(r, plan->fields.wide);
}

/* ---- residuals --------------------------------------------------------------------------------------------------- */

static void look_apart(cpu_residual* r, taut_residual_mode lasting, taut_residual_mode how) {
    const taut_plan* plan = r->state->plan;
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    cpu_spread_f64(plan, s->active_levels, cpu_motion(plan), 4);
    cpu_apply_jacobian_f64(plan, TAUT_ALL, cpu_motion(plan), 4, f->gam, false, f->wide);
    weigh_rows_apart(r, 0, lasting, how);
    cpu_for(plan, 0, s->factor_rows, CPU_PARALLEL_FROM, factor_range, plan);
    if (r->splits) {
        r->kept = 1 - r->kept;
        const node_loop loop = {.plan = plan, .u = f->wide, .to = kept_force(plan, r->kept)};
        cpu_for_carried(plan, CPU_PARALLEL_FROM, kept_range, &loop);
        cpu_for(plan, 0, s->simple, CPU_PARALLEL_FROM, kept_range, &loop);
        cpu_for(plan, s->points, s->nodes, CPU_PARALLEL_FROM, kept_range, &loop);
    }
    r->start = pull_rows(r, f->wide);
    r->whole = true;
}

void cpu_residual_look(cpu_residual* r, taut_residual_mode how) {
    look_apart(r, how, how);
}

void cpu_residual_follow_lasting(cpu_residual* r) {
    look_apart(r, cpu_updating, cpu_still);
}

typedef struct step_loop {
    const taut_plan* plan;
    const double *held, *before; /* H delta; kept forces */
    const float* delta;
    double length;
    double* now;
} step_loop;

static void step_range(const void* context, uint32_t part, size_t first, size_t last) {
    const step_loop* l = context;
    (void)part;
    for (size_t n = first; n < last; n++) {
        const float* moved = l->delta + 4 * n;
        const double delta[3] = {moved[0], moved[1], moved[2]};
        double mass[3];
        node_mass(&l->plan->fields, &l->plan->sizes, n, delta, mass);
        for (size_t i = 4 * n; i < 4 * n + 3; i++) {
            l->now[i] = l->before[i] - l->length * (l->held[i] - mass[i - 4 * n]);
        }
    }
}

/* Forces of rows that follow w linearly: K^T u changes by -(H - M) (change of w). */
void cpu_residual_step(cpu_residual* r, const float* delta, double length) {
    const taut_plan* plan = r->state->plan;
    if (!r->splits || !is_assembled(&plan->hierarchy, &plan->sizes) || plan->sizes.reserved_unknowns > 0) {
        cpu_residual_look(r, cpu_still);
        return;
    }
    condense_multiply_lasting(plan, delta, cpu_force(plan));
    r->kept = 1 - r->kept;
    const step_loop loop = {plan,  cpu_force(plan), kept_force(plan, 1 - r->kept),
                            delta, length,          kept_force(plan, r->kept)};
    cpu_for(plan, 0, plan->sizes.nodes, CPU_PARALLEL_FROM, step_range, &loop);
    r->whole = false;
    look_at_contacts(r, cpu_still);
}

void cpu_residual_cut(cpu_residual* r, double share) {
    const taut_plan* plan = r->state->plan;
    if (!r->splits) {
        cpu_residual_look(r, cpu_still);
        return;
    }
    const double* before = kept_force(plan, 1 - r->kept);
    double* now = kept_force(plan, r->kept);
    for (size_t i = 0; i < 4 * plan->sizes.nodes; i++) {
        now[i] = before[i] + share * (now[i] - before[i]);
    }
    r->whole = false;
    look_at_contacts(r, cpu_still);
}

void cpu_residual_follow(cpu_residual* r, taut_residual_mode how) {
    if (r->splits) {
        look_at_contacts(r, how);
    } else {
        cpu_residual_look(r, how);
    }
}

/* ---- norms ------------------------------------------------------------------------------------------------------- */

bool cpu_measures_energy(const taut_plan* plan) {
    return plan->settings.condensed_preconditioner == TAUT_PRECONDITIONER_MULTILEVEL;
}

/* |r|^2 in the norm that residuals have; leaves z. */
static condensed_motion measured(const cpu_residual* r, condensed_motion sums) {
    const taut_fields* f = &r->state->plan->fields;
    const double rz = condense_precondition(r->state, f->node_r, f->node_z);
    if (cpu_measures_energy(r->state->plan)) {
        sums.residual = rz;
    }
    return sums;
}

double cpu_residual_enough(const cpu_residual* r) {
    return r->state->plan->settings.solver.tolerance * (r->scale.rows > 0 ? r->scale.rows : 1);
}

void cpu_residual_measure(cpu_residual* r, bool balance) {
    const taut_fields* f = &r->state->plan->fields;
    const bool solved = sqrt(r->rows2) <= cpu_residual_enough(r);
    condensed_motion with_gam = {INFINITY, r->start.momentum};
    if (r->shifted && (balance || solved)) {
        with_gam = measured(r, pull_rows(r, f->gam));
        pull_rows(r, f->wide);
    }
    const condensed_motion start = measured(r, r->start);
    r->balanced = !r->shifted || balance || solved;
    r->now = condensed_residual_of(r->scale, r->shifted ? with_gam : start, start, r->rows2);
}

void cpu_residual_measure_rows(cpu_residual* r) {
    if (sqrt(r->rows2) <= cpu_residual_enough(r)) {
        cpu_residual_measure(r, true);
        return;
    }
    const condensed_motion unknown = {INFINITY, r->start.momentum};
    r->balanced = false;
    r->now = condensed_residual_of(r->scale, unknown, r->start, r->rows2);
}

void cpu_residual_pull(cpu_residual* r) {
    const taut_fields* f = &r->state->plan->fields;
    const taut_sizes* s = &r->state->plan->sizes;
    const size_t row = s->first_row[TAUT_CONTACT];
    memcpy(f->wide + row, f->gam + row, contact_ROWS * s->count[TAUT_CONTACT] * sizeof *f->wide);
    r->start = pull_rows(r, f->wide);
}

void cpu_residual_renorm(cpu_residual* r) {
    r->now.length = sqrt(measured(r, r->start).residual);
}

/* ---- begin ------------------------------------------------------------------------------------------------------- */

/* Rows with bounds bend. */
static bool bends(const taut_plan* plan, size_t rows) {
    bool bounded = false;
    for (size_t i = 0; plan->sizes.bounded && i < rows; i++) {
        bounded = bounded || has_bounds(&plan->fields, i);
    }
    return bounded;
}

void cpu_contact_states(const taut_backend_state* state, const taut_factors* step) {
    const taut_plan* plan = state->plan;
    cpu_residual r = {.state = state, .step = step};
    cpu_spread_f64(plan, plan->sizes.active_levels, cpu_motion(plan), 4);
    cpu_apply_jacobian_f64(plan, TAUT_ALL, cpu_motion(plan), 4, plan->fields.gam, false, plan->fields.wide);
    weigh_rows(&r, TAUT_CONTACT, cpu_still);
}

cpu_residual cpu_residual_begin(const taut_backend_state* state, const taut_factors* step, condensed_scale scale) {
    const taut_sizes* s = &state->plan->sizes;
    const size_t others = s->first_row[TAUT_CONTACT];
    cpu_residual r = {.state = state, .step = step, .scale = scale};
    const bool mechanisms = condensed_factors_of_mechanisms(state), duals = condensed_factors_have_duals(state);
    const bool follows = condensed_factors_active(state) && !mechanisms && !s->rolls && !duals;
    const bool shifted = condense_has_shift(state->plan);
    r.shifted = shifted || (s->touches && !follows);
    r.linear = s->touches && !s->rolls && !mechanisms && !bends(state->plan, others);
    r.exact = !shifted;
    r.splits = r.linear && r.exact;
    cpu_residual_look(&r, cpu_still);
    if (duals) {
        cpu_residual_measure_rows(&r);
    } else {
        cpu_residual_measure(&r, false);
    }
    return r;
}
