#define TAUT_REAL double
#include "kernels/stages/frames.h"
#include "kernels/stages/guarded.h"
#include "kernels/stages/integrate.h"
#include "kernels/stages/staged.h"

#include "kernels/cuda/guard.cuh"

static __global__ void begin_kernel(const __grid_constant__ taut_view view, loop_handle parts) {
    taut_control* control = view.control;
    taut_guard_begin(&control->guard);
    go_on(parts, !control->unsound);
}

void cuda_guard_begin(const taut_view& view, const taut_guard_loops& loops, taut_launch* launch) {
    TAUT_LAUNCH_ONE(launch, begin_kernel, view, loops.parts);
}

/* ---- the state before a part ------------------------------------------------------------------------------------- */

static __global__ void level_kernel(const __grid_constant__ taut_view view, const taut_device_params* base) {
    taut_control* control = view.control;
    const uint32_t* from = (const uint32_t*)(base + control->guard.level);
    taut_device_params* live = (taut_device_params*)view.params;
    uint32_t* to = (uint32_t*)live;
    for (size_t i = threadIdx.x; i < sizeof *base / sizeof *to; i += blockDim.x) {
        to[i] = from[i];
    }
    __syncthreads();
    for (int phase = (int)threadIdx.x; phase < TAUT_PHASE_COUNT; phase += (int)blockDim.x) {
        live->factors[phase].softened = control->guard.softened > 0;
    }
    if (threadIdx.x == 0) {
        control->kept_report = control->report;
        control->kept_impulse_step = control->impulse_step;
        control->kept_samples = control->samples;
        taut_report_part(&control->report);
    }
}

/* Where the last part was kept with less motion, condensed parts begin from nothing. */
static __global__ void forget_kernel(const __grid_constant__ taut_view view) {
    const size_t i = thread_index();
    if (i < view.s.nodes && view.control->guard.damped) {
        forget_motion(&view.f, &view.s, i);
    }
    if (i < view.s.unknowns && view.control->guard.damped) {
        forget_impulse(&view.f, &view.s, i);
    }
}

static __global__ void keep_kernel(const __grid_constant__ taut_view view) {
    const taut_fields* f = &view.f;
    const taut_sizes* s = &view.s;
#define KEEP(type, name, count, columns)                                                                               \
    for (size_t i = thread_index(); i < (size_t)(count) * (columns); i += thread_count()) {                            \
        f->kept_##name[i] = f->name[i];                                                                                \
    }
    TAUT_GUARDED_FIELDS(KEEP, )
#define KEEP_REST(name, k)                                                                                             \
    for (size_t i = thread_index(); name##_MOVES > 0 && i < (size_t)name##_REST * s->count[k]; i += thread_count()) {  \
        f->kinds[k].kept_rest[i] = f->kinds[k].rest[i];                                                                \
    }
    TAUT_FORMULA_KINDS(KEEP_REST)
}

/* Impulses may have been what broke an attempt whose state is not finite; not where contacts had no room. */
static __global__ void restore_kernel(const __grid_constant__ taut_view view) {
    const taut_fields* f = &view.f;
    const taut_sizes* s = &view.s;
    const bool forgets = view.control->broken && view.control->report.contacts <= s->contact_capacity;
#define RESTORE(type, name, count, columns)                                                                            \
    for (size_t i = thread_index(); i < (size_t)(count) * (columns); i += thread_count()) {                            \
        f->name[i] = f->kept_##name[i];                                                                                \
    }
    TAUT_GUARDED_FIELDS(RESTORE, )
#define RESTORE_REST(name, k)                                                                                          \
    for (size_t i = thread_index(); name##_MOVES > 0 && i < (size_t)name##_REST * s->count[k]; i += thread_count()) {  \
        f->kinds[k].rest[i] = f->kinds[k].kept_rest[i];                                                                \
    }
    TAUT_FORMULA_KINDS(RESTORE_REST)
    for (size_t i = thread_index(); i < 3 * s->nodes; i += thread_count()) {
        f->x_f32[i] = (float)f->kept_x[i];
    }
    for (size_t i = thread_index(); forgets && i < s->unknowns; i += thread_count()) {
        f->gam[i] = 0;
    }
}

static __global__ void restored_kernel(const __grid_constant__ taut_view view, loop_handle again) {
    taut_control* control = view.control;
    const bool failed = control->unsound, room = control->report.contacts <= view.s.contact_capacity;
    control->impulse_step = control->broken && room ? 0 : control->kept_impulse_step;
    control->samples = control->kept_samples;
    control->retries = 1;
    control->energies = control->before; /* with the contacts of that state */
    taut_report_again(&control->report, &control->kept_report, 1);
    if (failed) {
        control->rejected = 1;
        control->report.diverged = true;
        taut_guard_reset(&control->guard);
    }
    go_on(again, false);
}

static size_t widest(const taut_view& view) {
    const size_t nodes = 4 * view.s.nodes;
    return nodes > view.s.unknowns ? nodes : view.s.unknowns;
}

void cuda_guard_keep(const taut_view& view, const taut_device_params* base, taut_launch* launch) {
    TAUT_LAUNCH(launch, level_kernel, 1, view, base);
    cuda_turn_targets(view, launch);
    if (view.s.condensed) {
        TAUT_LAUNCH(launch, forget_kernel, taut_grid(widest(view)), view);
    }
    TAUT_LAUNCH(launch, keep_kernel, taut_grid(widest(view)), view);
}

void cuda_guard_note(const taut_view& view, taut_launch* launch) {
    if (view.s.rows > 0) {
        taut_copy(launch, view.f.phi_before, view.f.phi, view.s.rows * sizeof(double));
    }
}

static __global__ void rewound_kernel(const __grid_constant__ taut_view view) {
    taut_control* control = view.control;
    control->impulse_step = control->kept_impulse_step;
    control->samples = control->kept_samples;
    control->retries = 1;
    control->energies = control->before;
    taut_report_again(&control->report, &control->kept_report, 0);
    taut_report_part(&control->report);
}

void cuda_guard_rewind(const taut_view& view, taut_launch* launch) {
    TAUT_LAUNCH(launch, restore_kernel, taut_grid(widest(view)), view);
    cuda_evaluate(view, launch);
    TAUT_LAUNCH_ONE(launch, rewound_kernel, view);
}

void cuda_guard_restore(const taut_view& view, const taut_guard_loops& loops, taut_launch* launch) {
    TAUT_LAUNCH(launch, restore_kernel, taut_grid(widest(view)), view);
    cuda_evaluate(view, launch);
    TAUT_LAUNCH_ONE(launch, restored_kernel, view, loops.again);
}

/* ---- what it did ------------------------------------------------------------------------------------------------- */

static __device__ void add_stored_of_member(const taut_view& view, size_t m, const taut_guard_scale* scale,
                                            taut_guard_sums* sums) {
    size_t c;
    const int kind = kind_of_member(&view.s, m, &c);
    const bool contact = kind == (int)TAUT_CONTACT;
    if (contact && c >= view.f.contact_count[TAUT_CONTACTS_LIVE]) {
        return;
    }
    switch (kind) {
#define ADD_STORED(name, k)                                                                                            \
    case k:                                                                                                            \
        if (name##_ROWS > 0) {                                                                                         \
            add_stored(&view.f, &view.s, k, name##_ROWS, c, scale, sums);                                              \
        }                                                                                                              \
        break;
        TAUT_FORMULA_KINDS(ADD_STORED)
    default:
        add_stored(&view.f, &view.s, TAUT_LINEAR, 1, c, scale, sums);
        break;
    }
    if (contact) {
        add_bounce(&view.f, &view.s, c, view_factors(view).gravity, scale->h, sums);
        add_curve(&view.f, &view.s, c, view_factors(view).gravity, scale->h, view_factors(view).beta, sums);
    }
}

/* A part that is kept is over. */
static __device__ void end_part(const taut_view& view, const taut_powers* powers) {
    taut_control* control = view.control;
    taut_report* report = &control->report;
    const taut_factors& step = view_factors(view);
    const taut_ledger part = taut_ledger_of(&control->before, &control->energies, powers, step.gravity,
                                            view.params->mass_damping, view.params->part);
    taut_ledger_add(&report->ledger, &part, control->contradicts ? taut_unseen_drives(&part) : 0);
    control->before = control->energies;
    report->time += view.params->part;
    control->done += control->rate * view.params->part;
    control->retries = 0;
    taut_report_join(report, &control->kept_report, true, control->guard.damped || control->zones.held, step.softened);
}

/* A part in which something has passed through something, or zones held solids, is tried again, shorter. */
static __device__ void finish(const taut_view& view, const taut_guard_loops& loops) {
    taut_control* control = view.control;
    const bool decided = !control->unsound, kept = decided && control->guard.verdict == TAUT_VERDICT_KEPT;
    const bool solids = control->zones.apart && control->report.outcome == TAUT_SOLVE_CONVERGED;
    const bool through = view.s.watches && (control->zones.rounds.through || solids);
    if (kept && !(through && taut_guard_shorten(&control->guard, &control->zones.before))) {
        end_part(view, &control->part_powers);
    }
    go_on(loops.again, !decided || control->guard.verdict == TAUT_VERDICT_AGAIN);
    go_on(loops.parts, decided && !taut_guard_over(&control->guard));
}

static __device__ void judge(const taut_view& view, const taut_powers* powers, const taut_guard_sums* sums,
                             const taut_guard_loops& loops) {
    taut_control* control = view.control;
    const taut_factors& step = view_factors(view);
    taut_attempt attempt = {};
    attempt.h = view.params->part;
    attempt.hard = TAUT_GUARD_ENOUGH;
    if (!control->unsound) {
        attempt = taut_attempt_of(&control->before, &control->energies, powers, sums, step.gravity, &control->report,
                                  view.params->part, step.softened);
        attempt.mends = view.params->mends && taut_guard_stretches(control->kept_report.stretch,
                                                                   control->report.stretch, control->report.steps == 0);
        attempt.began = control->kept_report.stretch;
        attempt.lively = taut_guard_is_lively(view.params->undamped);
    }
    const bool room = control->report.contacts <= view.s.contact_capacity;
    const bool decided =
        room && taut_guard_judge(&control->guard, &attempt, true, view.params->watches, view.params->max_iterations);
    const taut_verdict verdict = control->guard.verdict;
    control->part_powers = *powers;
    control->contradicts = attempt.contradicts;
    control->unsound = !decided;
    control->broken = !attempt.finite;
    control->rejected = 0;
    go_on(loops.calmer, decided && verdict == TAUT_VERDICT_CALMER);
    if (!view.s.watches) {
        finish(view, loops);
        return;
    }
    go_on(loops.overtaken, decided && verdict == TAUT_VERDICT_KEPT && control->guard.damped);
    go_on(loops.zones, false);
}

static __global__ void finish_kernel(const __grid_constant__ taut_view view, const taut_guard_loops loops) {
    for (int round = 0; round < TAUT_CROSSING_ROUNDS; round++) { /* they were of this attempt */
        view.f.crossing_count[round] = 0;
    }
    finish(view, loops);
}

void cuda_guard_finish(const taut_view& view, const taut_guard_loops& loops, taut_launch* launch) {
    TAUT_LAUNCH_ONE(launch, finish_kernel, view, loops);
}

/* What the ends of a part of two stages do not tell. */
static __device__ void add_staged(const taut_view& view, taut_powers* powers) {
    const double h = view.params->part, stage = view_factors(view).h / h;
    for (size_t n = thread_index(); stage < 1 && n < view.s.nodes; n += thread_count()) {
        add_staged_force(&view.f, &view.s, n, h, powers);
    }
    for (size_t c = thread_index(); stage < 1 && c < view.s.count[TAUT_SURFACE]; c += thread_count()) {
        add_staged_surface(&view.f, &view.s, c, h, stage, powers);
    }
}

static __global__ void judge_kernel(const __grid_constant__ taut_view view, const taut_guard_loops loops) {
    const taut_control* control = view.control;
    const taut_factors& step = view_factors(view);
    const taut_guard_scale scale =
        taut_guard_scale_with(view.params->undamped, &control->report, view.params->part, view.params->whole);
    taut_powers powers = {};
    taut_guard_sums own = {};
    for (size_t m = thread_index(); m < member_total(view.s) && !control->unsound; m += thread_count()) {
        add_stored_of_member(view, m, &scale, &own);
    }
    for (size_t n = thread_index(); n < view.s.nodes && !control->unsound; n += thread_count()) {
        add_powers(&view.f, &view.s, n, view.f.g_f64, &powers);
        add_work(&view.f, &view.s, n, step.gravity, view.params->part, &own);
    }
    if (!control->unsound) {
        add_staged(view, &powers);
    }
    double sums[TAUT_MAX_SUMS], *of_guard = sums + sizeof powers / sizeof *sums;
    memcpy(sums, &powers, sizeof powers);
    memcpy(of_guard, &own, sizeof own);
    if (grid_sums(view, sums, TAUT_MAX_SUMS)) {
        taut_powers all_powers;
        taut_guard_sums all;
        memcpy(&all_powers, sums, sizeof all_powers);
        memcpy(&all, of_guard, sizeof all);
        judge(view, &all_powers, &all, loops);
    }
}

void cuda_guard_judge(const taut_view& view, const taut_guard_loops& loops, taut_launch* launch) {
    const size_t members = member_total(view.s);
    if (view.s.levels > 0) {
        cuda_apply_jacobian_transpose_f64(view, TAUT_ROWS, false, view.f.lam, view.f.g_f64, launch);
    }
    TAUT_LAUNCH(launch, judge_kernel, taut_sum_grid(members > view.s.nodes ? members : view.s.nodes), view, loops);
}

static __global__ void calm_kernel(const __grid_constant__ taut_view view) {
    const size_t n = thread_index();
    if (n < view.s.simple || (n >= view.s.points && n < view.s.nodes)) {
        calm_node(&view.f, &view.s, n, view.control->guard.share);
    }
    if (n < view.s.count[TAUT_ANGULAR]) {
        calm_angle(&view.f, n);
    }
}

void cuda_guard_calm(const taut_view& view, taut_launch* launch) {
    const size_t nodes = view.s.nodes, angles = view.s.count[TAUT_ANGULAR];
    TAUT_LAUNCH(launch, calm_kernel, taut_grid(nodes > angles ? nodes : angles), view);
    cuda_evaluate(view, launch);
}
