#define TAUT_REAL double
#include "base/groups.h"
#include "kernels/stages/contact/collide.h"
#include "model/guard.h"

#include "host/cpu/cpu_condensed_factors.h"
#include "host/cpu/cpu_heaps.h"
#include "host/cpu/cpu_islands.h"
#include "host/cpu/cpu_segments.h"

#include <string.h>

/* ---- what touches ------------------------------------------------------------------------------------------------ */

/* Joins the component of node n to `first` (TAUT_NO_NODE: none yet), unless n is fixed and rests. */
static uint32_t join_node(const taut_plan* plan, size_t n, uint32_t first) {
    const taut_fields* f = &plan->fields;
    if (!taut_is_mapped(&plan->sizes, n) && f->inverse_mass[n] == 0 && vec3_dot(f->v + 3 * n, f->v + 3 * n) == 0) {
        return first;
    }
    const uint32_t own = group_root(f->island_of, f->node_component[n]);
    const uint32_t least = own < first ? own : first, other = own < first ? first : own;
    if (other != TAUT_NO_NODE) {
        f->island_of[other] = least;
    }
    return least;
}

static void join_constraint(const taut_plan* plan, int k, size_t c) {
    const taut_fields* f = &plan->fields;
    const size_t nodes = taut_kind_shapes[k].nodes;
    uint32_t first = TAUT_NO_NODE;
    if (k == (int)TAUT_LINEAR) {
        for (uint32_t e = f->linear_begin[c]; e < f->linear_begin[c + 1]; e++) {
            first = join_node(plan, f->linear_coordinate[e] / 3, first);
        }
        return;
    }
    for (size_t slot = 0; slot < nodes; slot++) {
        if (k != (int)TAUT_CONTACT || contact_acts(f, c, slot)) {
            first = join_node(plan, f->kinds[k].nodes[nodes * c + slot], first);
        }
    }
}

/* Supports that move give energy to all that they hold, and nodes that were fixed and are free join what they hold. */
static bool supports_join(const taut_plan* plan) {
    const taut_fields* f = &plan->fields;
    const taut_sizes* s = &plan->sizes;
    bool any = false;
    for (size_t n = 0; n < s->nodes && !any; n++) {
        const bool fixed = f->inverse_mass[n] == 0 && (n < s->simple || n >= s->points);
        any = fixed ? vec3_dot(f->v + 3 * n, f->v + 3 * n) > 0 : f->node_given_fixed[n];
    }
    return any;
}

static void join_components(const taut_plan* plan) {
    const taut_sizes* s = &plan->sizes;
    const bool all = supports_join(plan);
    for (int k = 0; k < (int)TAUT_KIND_COUNT; k++) {
        const bool contacts = k == (int)TAUT_CONTACT;
        for (size_t c = all || contacts ? 0 : taut_given_count(s, k); k != (int)TAUT_ROLLING && c < s->count[k]; c++) {
            if (!is_absent(&plan->fields.kinds[k], c)) {
                join_constraint(plan, k, c);
            }
        }
    }
}

/* ---- islands ----------------------------------------------------------------------------------------------------- */

static bool is_island(const taut_plan* plan, size_t component) {
    return plan->fields.island_of[component] == component;
}

/* Which systems solve for which islands. */
static void note_systems(const taut_backend_state* state) {
    const taut_plan* plan = state->plan;
    const bool several = state->solves_condensed && (state->solves_schur || heaps_apart(state));
    for (size_t i = 0; i < plan->sizes.components; i++) {
        plan->fields.island[i].in_schur = !several && state->solves_schur;
        plan->fields.island[i].in_condensed = !several && state->solves_condensed;
        plan->fields.island[i].in_heap = false;
    }
    for (size_t n = 0; several && n < plan->sizes.nodes; n++) {
        taut_island* island = cpu_island_of(plan, plan->fields.node_component[n]);
        const bool moves = plan->fields.inverse_mass[n] > 0, condensed = plan->fields.condensed_node[n];
        const bool apart = !condensed && heaps_have(state, n);
        island->in_condensed = island->in_condensed || (moves && condensed);
        island->in_heap = island->in_heap || (moves && apart);
        island->in_schur = island->in_schur || (moves && !condensed && !apart);
    }
}

/* How all systems of an island were solved. */
static cpu_solved solved_of(const taut_backend_state* state, const taut_island* island) {
    cpu_solved worst = {TAUT_SOLVE_CONVERGED, 0};
    const bool in[CPU_SYSTEMS] = {[TAUT_FORM_SCHUR] = island->in_schur,
                                  [TAUT_FORM_CONDENSED] = island->in_condensed,
                                  [CPU_HEAPS] = island->in_heap};
    for (int system = 0; system < (int)CPU_SYSTEMS; system++) {
        const cpu_solved* own = &state->solved[system];
        if (in[system]) {
            worst.outcome = own->outcome > worst.outcome ? own->outcome : worst.outcome;
            worst.residual = taut_larger(own->residual, worst.residual);
        }
    }
    return worst;
}

/* Each with what its components held and gained, and with the schedule of the world. */
static void begin_islands(const taut_plan* plan, const taut_guard* guard) {
    const taut_fields* f = &plan->fields;
    for (size_t i = 0; i < plan->sizes.components; i++) {
        f->island[i].guard = *guard;
        f->island[i].guard.held = f->island[i].guard.gained = f->island[i].guard.asked = 0;
        f->island[i].guard.lost = 0;
        f->island[i].guard.softened = f->island[i].guard.calmed = 0;
    }
    for (uint32_t i = 0; i < plan->sizes.components; i++) {
        taut_guard* own = &cpu_island_of(plan, i)->guard;
        f->component_softened[i] = guard->softened > 0 ? f->component_softened[i] : 0;
        own->held += f->component_held[i];
        own->gained += f->component_gained[i];
        own->lost += f->component_lost[i];
        own->asked += f->component_asked[i];
        own->softened = own->softened > f->component_softened[i] ? own->softened : f->component_softened[i];
    }
}

void cpu_join_touching(const taut_plan* plan) {
    for (size_t i = 0; i < plan->sizes.components; i++) {
        plan->fields.island_of[i] = (uint32_t)i;
    }
    if (plan->sizes.components > 1) {
        join_components(plan);
    }
}

void cpu_join_two(const taut_plan* plan, uint32_t a, uint32_t b) {
    group_join(plan->fields.island_of, a, b);
}

void cpu_name_islands(const taut_plan* plan) {
    for (uint32_t i = 0; i < plan->sizes.components; i++) {
        plan->fields.island_of[i] = group_root(plan->fields.island_of, i);
    }
}

static void find_islands(const taut_backend_state* state, const taut_guard_terms* terms, const taut_guard* guard) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    const size_t count = plan->sizes.components;
    if (terms->together) {
        memset(f->island_of, 0, count * sizeof *f->island_of);
    } else {
        cpu_join_touching(plan);
        cpu_name_islands(plan);
    }
    note_systems(state);
    for (size_t i = 0; i < count; i++) {
        f->island[i].solved = solved_of(state, f->island + i).outcome == TAUT_SOLVE_CONVERGED;
    }
    begin_islands(plan, guard);
}

/* ---- judgement --------------------------------------------------------------------------------------------------- */

static void add_accounts(const taut_plan* plan) {
    const taut_fields* f = &plan->fields;
    for (size_t i = 0; i < plan->sizes.components; i++) {
        f->island[i].account = (taut_account){.stretch = 0};
    }
    for (uint32_t i = 0; i < plan->sizes.components; i++) {
        taut_account* sum = &cpu_island_of(plan, i)->account;
        const double stretch = f->account[i].stretch > sum->stretch ? f->account[i].stretch : sum->stretch;
        cpu_add_doubles((const double*)(f->account + i), sizeof *sum / sizeof(double), sum);
        sum->stretch = stretch;
        sum->held = sum->gained = sum->lost = sum->asked = 0;
    }
}

/* Of an island or of one of its components. */
static taut_attempt attempt_of(const taut_backend_state* state, const taut_island* island, const taut_account* account,
                               const taut_guard_terms* terms) {
    taut_report report = state->report;
    const cpu_solved solved = solved_of(state, island);
    report.outcome = solved.outcome;
    report.residual = solved.residual;
    report.stretch = account->stretch;
    taut_attempt attempt =
        taut_attempt_of(&account->before, &account->now, &account->powers, &account->sums,
                        state->plan->settings.gravity, &report, terms->scale.h, island->guard.softened > 0);
    attempt.spent = attempt.spent || terms->late;
    attempt.mends = terms->mends;
    attempt.lively = taut_guard_is_lively(terms->scale.kept);
    attempt.began = terms->began;
    attempt.levers = !state->plan->settings.derived;
    attempt.slows = attempt.levers &&
                    condensed_factors_active(state); /* where nothing touches, rows close as fast as they are told to */
    return attempt;
}

/* The worst verdict of all islands. False: nothing helps one of them. */
static bool judge_islands(taut_backend_state* state, const taut_guard_terms* terms, taut_verdict* verdict) {
    const taut_plan* plan = state->plan;
    *verdict = TAUT_VERDICT_KEPT;
    for (size_t i = 0; i < plan->sizes.components; i++) {
        taut_island* island = plan->fields.island + i;
        if (!is_island(plan, i)) {
            continue;
        }
        const taut_attempt attempt = attempt_of(state, island, &island->account, terms);
        island->after = island->guard;
        island->contradicts = attempt.contradicts;
        if (!taut_guard_judge(&island->after, &attempt, terms->guards, terms->watches, terms->iterations)) {
            return false;
        }
        const taut_verdict own = island->after.verdict;
        *verdict =
            own == TAUT_VERDICT_AGAIN || (own == TAUT_VERDICT_CALMER && *verdict == TAUT_VERDICT_KEPT) ? own : *verdict;
    }
    return true;
}

/* All parts are as long as the shortest one has to be; rows soften where they may have to. */
static void try_again(const taut_backend_state* state, taut_guard* guard) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    if (state->report.stretch > TAUT_LONG) {
        taut_guard_note_stretch(guard, state->report.stretch);
    }
    for (uint32_t i = 0; i < plan->sizes.components; i++) {
        const taut_island* island = cpu_island_of(plan, i);
        if (island->after.verdict != TAUT_VERDICT_AGAIN) {
            continue;
        }
        if (island->after.softened > island->guard.softened) {
            f->component_softened[i] = island->after.softened;
        }
        guard->softened = guard->softened > f->component_softened[i] ? guard->softened : f->component_softened[i];
        if (island->after.level > guard->level) {
            guard->level = island->after.level;
            guard->longer = island->after.longer;
        }
        guard->slower = guard->slower > island->after.slower ? guard->slower : island->after.slower;
    }
}

static void calm_islands(taut_backend_state* state) {
    const taut_plan* plan = state->plan;
    for (size_t i = 0; i < plan->sizes.components; i++) {
        taut_island* island = plan->fields.island + i;
        const bool calmer = is_island(plan, i) && island->after.verdict == TAUT_VERDICT_CALMER;
        island->guard.calmed = calmer ? island->after.calmed : island->guard.calmed;
        island->guard.share = calmer ? island->after.share : 1;
    }
    cpu_calm(state);
}

/* The schedule is that of any island: they all have the same. What is stretched is that of the world. */
static void end_schedule(const taut_backend_state* state, taut_guard* guard) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    const taut_attempt whole = {.stretch = state->report.stretch};
    taut_guard was = *guard;
    bool damped = false;
    taut_guard_resign(&was, &whole);
    for (size_t i = 0; i < plan->sizes.components; i++) {
        damped = damped || (is_island(plan, i) && f->island[i].after.damped);
    }
    *guard = f->island[0].after;
    guard->held = was.held;
    guard->gained = was.gained;
    guard->lost = was.lost;
    guard->asked = was.asked;
    guard->resigned = was.resigned;
    guard->longest = was.longest;
    guard->damped = damped;
    guard->softened = was.softened - (was.softened > 0);
    guard->guess = was.guess;
    taut_guess_fade(&guard->guess);
}

/* Each component what it held itself; of what its island gained, as much as that is of all that is held. */
static void note_energies(const taut_backend_state* state, const taut_guard_terms* terms) {
    const taut_plan* plan = state->plan;
    const taut_fields* f = &plan->fields;
    for (uint32_t i = 0; i < plan->sizes.components; i++) {
        taut_island* island = cpu_island_of(plan, i);
        const taut_guard own = {.held = f->component_held[i]};
        const taut_attempt attempt = attempt_of(state, island, &f->account[i], terms);
        f->account[i].held = taut_guard_limit_of(&own, &attempt).held;
        island->account.held += f->account[i].held;
    }
    for (uint32_t i = 0; i < plan->sizes.components; i++) {
        const taut_island* island = cpu_island_of(plan, i);
        const double all = island->account.held;
        const double share = all > 0 ? f->account[i].held / all : is_island(plan, i);
        f->account[i].gained = share * island->after.gained;
        f->account[i].lost = share * island->after.lost;
        f->account[i].asked = share * island->after.asked;
    }
}

bool cpu_judge(taut_backend_state* state, const taut_guard_terms* terms, taut_guard* guard) {
    taut_verdict verdict = TAUT_VERDICT_KEPT;
    bool decided = true;
    find_islands(state, terms, guard);
    do {
        cpu_measure(state, terms->guards ? &terms->scale : NULL);
        add_accounts(state->plan);
        decided = judge_islands(state, terms, &verdict);
        if (decided && verdict == TAUT_VERDICT_CALMER) {
            calm_islands(state);
        }
    } while (decided && verdict == TAUT_VERDICT_CALMER);
    if (decided && verdict == TAUT_VERDICT_AGAIN) {
        try_again(state, guard);
    } else if (decided) {
        note_energies(state, terms);
        end_schedule(state, guard);
    }
    guard->verdict = verdict;
    return decided;
}

/* ---- what is remembered ------------------------------------------------------------------------------------------ */

void cpu_spare_components(const taut_plan* plan) {
    for (size_t i = 0; i < plan->sizes.components; i++) {
        plan->fields.component_spared[i] = plan->fields.component_softened[i] == 0;
    }
}

void cpu_keep_islands(const taut_plan* plan) {
    const taut_fields* f = &plan->fields;
    for (size_t i = 0; i < plan->sizes.components; i++) {
        f->component_held[i] = f->account[i].held;
        f->component_gained[i] = f->account[i].gained;
        f->component_lost[i] = f->account[i].lost;
        f->component_asked[i] = f->account[i].asked;
        f->component_softened[i] -= f->component_softened[i] > 0;
    }
}
