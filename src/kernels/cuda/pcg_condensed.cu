/* Solve the condensed system on the device: the outer loop of host/cpu/pcg_condensed.c as nested
 * WHILE nodes. kernels/stages/condensed.h has the formulas. */
#define TAUT_REAL double
#include "kernels/stages/condensed.h"
#include "kernels/stages/integrate.h"
#include "kernels/stages/precondition.h"

#include "kernels/cuda/condensed_decide.cuh"
#include "model/solvers.h"

/* float64 node vectors (n x 4) among node_scratch */
static __host__ __device__ double* motion(const taut_view& view) {
    return view.f.node_scratch;
}
static __host__ __device__ double* force(const taut_view& view) {
    return view.f.node_scratch + 4 * view.s.nodes;
}

/* ---- what residuals are relative to ------------------------------------------------------------------------------ */

/* Of rows and factor rows; item m of members, then of factor rows. */
static __device__ void add_side(const taut_view& view, size_t m, condensed_sums* sums) {
    size_t c;
#define SIDE_OF(k, rows) condense_side(&view.f, &view.s, k, rows, c, &view_factors(view), sums)
#define SIDE(name, k)                                                                                                  \
    case k:                                                                                                            \
        if (name##_ROWS > 0) {                                                                                         \
            SIDE_OF(k, name##_ROWS);                                                                                   \
        }                                                                                                              \
        break;
    CONDENSED_ROWS_SWITCH(SIDE)
}

static __global__ void measure_kernel(const __grid_constant__ taut_view view) {
    const size_t members = member_total(view.s);
    condensed_sums own = {};
    double kinetic = 0;
    for (size_t m = thread_index(); m < members; m += thread_count()) {
        add_side(view, m, &own);
    }
    for (size_t i = thread_index(); i < view.s.factor_rows; i += thread_count()) {
        condense_factor_side(&view.f, &view.s, view.s.rows + i, &own);
    }
    for (size_t n = thread_index(); n < view.s.nodes; n += thread_count()) {
        kinetic += condense_node_drive(&view.f, &view.s, n);
    }
    double sums[3] = {own.rows, own.energy, kinetic};
    if (grid_sums(view, sums, 3)) {
        taut_control* control = view.control;
        const condensed_sums b = {sums[0], sums[1], 0, 0, 0, 0, 0};
        const condensed_scale scale = condensed_scale_of(&b, sums[2], 0);
        control->condensed.rows_scale = scale.rows;
        control->condensed.nodes_scale = scale.nodes;
        control->condensed.response = 0;
        control->condensed.extra_stalls = view.s.bounded ? TAUT_BOUNDED_PATIENCE : 0;
        control->active_set_changed = 0;
        outer_begin(control);
    }
}

/* The least scale of a projection. */
static __global__ void projected_scale_kernel(const __grid_constant__ taut_view view) {
    double sums[1] = {0};
    for (size_t n = thread_index(); n < view.s.nodes; n += thread_count()) {
        sums[0] += projected_length2(&view.f, &view.s, n, view.phase);
    }
    if (grid_sums(view, sums, 1)) {
        taut_condensed_control* control = &view.control->condensed;
        condensed_scale scale = {control->rows_scale, control->nodes_scale, 0};
        condensed_scale_least(&scale, projected_scale(sums[0], view.params->tolerance));
        control->rows_scale = scale.rows;
        control->nodes_scale = scale.nodes;
    }
}

/* w and gam from the last step, or zero: also where nothing drives the step. */
static __global__ void guess_kernel(const __grid_constant__ taut_view view) {
    const taut_control* control = view.control;
    const bool warm = view.params->warm_start && control->impulse_step > 0 && control->condensed.nodes_scale > 0 &&
                      !taut_projects(view.phase);
    const double carry = warm ? view_factors(view).h / control->impulse_step : 0;
    const size_t i = thread_index();
    if (taut_renews(view.phase)) {
        if (i < view.s.nodes) {
            condense_guess_iterate(&view.f, i, motion(view));
        }
        if (i >= view.s.rows && i < view.s.unknowns && view.phase == TAUT_PHASE_CONSTRAIN &&
            is_condensed(&view.f, &view.s, i)) {
            view.f.gam[i] = 0;
        }
        return;
    }
    if (i < view.s.nodes) {
        condense_first_guess(&view.f, &view.s, i, carry, motion(view));
    }
    if (i < view.s.unknowns && is_condensed(&view.f, &view.s, i)) {
        carry_over(&view.f, &view.s, i, carry, true);
    }
}

static __global__ void first_limit_kernel(const __grid_constant__ taut_view view) {
    const size_t c = thread_index();
    if (c < view.s.contact_capacity) {
        condense_first_limit(&view.f, &view.s, c);
    }
}

/* ---- residuals --------------------------------------------------------------------------------------------------- */

static __device__ void residual_of(const taut_view& view, int k, size_t rows, size_t c, taut_residual_mode how,
                                   condensed_sums* own) {
    condense_residual(&view.f, &view.s, k, rows, c, how, &view_factors(view), own);
    if (k == (int)TAUT_CONTACT && how.updates) {
        keep_largest(&view.control->closing_bits, condense_closing(&view.f, &view.s, c));
    }
}

/* After K w + Wt gam; `moves`: multipliers follow first, or as the control says. `shifted`: the loop around what rows
 * with a shift need. */
static __global__ void rows_kernel(const __grid_constant__ taut_view view, bool moves, loop_handle shifted) {
    const size_t members = member_total(view.s);
    const taut_residual_mode plain = {moves, 1, 1, 0},
                             how = moves && view.s.bounded ? view.control->residual_mode : plain;
    condensed_sums own = {};
    for (size_t m = thread_index(); m < members; m += thread_count()) {
        size_t c;
#define RESIDUAL_OF(k, rows) residual_of(view, k, rows, c, how, &own)
#define RESIDUAL(name, k)                                                                                              \
    case k:                                                                                                            \
        if (name##_ROWS > 0) {                                                                                         \
            RESIDUAL_OF(k, name##_ROWS);                                                                               \
        }                                                                                                              \
        break;
        CONDENSED_ROWS_SWITCH(RESIDUAL)
    }
    for (size_t i = thread_index(); i < view.s.factor_rows; i += thread_count()) {
        condense_factor(&view.f, &view.s, view.s.rows + i);
    }
    double sums[6] = {own.rows, own.complementarity, own.changed, own.length2, own.turned, own.impulse2};
    if (grid_sums(view, sums, 6)) {
        const taut_bound_sums bounds = {0, sums[1], sums[2]};
        const taut_impulse_change impulse_change = {sums[3], sums[4], sums[5],
                                                    take_largest(&view.control->closing_bits)};
        view.control->condensed.rows2 = sums[0];
        view.control->bound_sums = bounds;
        view.control->impulse_change = impulse_change;
        go_on(shifted, view.control->condensed.shifted != 0);
    }
}

/* Which contacts the first guess has open, sticking and sliding: H is that of these. */
static __global__ void contact_states_kernel(const __grid_constant__ taut_view view) {
    const size_t c = thread_index();
    const taut_residual_mode still = {false, 1, 1, 0};
    condensed_sums unused = {};
    if (c < view.s.contact_capacity) {
        condense_residual_contact(&view.f, &view.s, c, still, &view_factors(view), &unused);
    }
}

/* The preconditioner, where it has waited for that. */
static void refresh_waiting(const taut_view& view, const taut_settings& settings, taut_launch* launch) {
    cuda_spread_f64(view, view.s.active_levels, motion(view), 4, launch);
    cuda_apply_jacobian_f64(view, TAUT_ALL, motion(view), 4, view.f.gam, false, view.f.wide, launch);
    TAUT_LAUNCH(launch, contact_states_kernel, taut_grid(view.s.contact_capacity), view);
    cuda_condense_refresh(view, settings, launch);
}

/* r from K^T u in `force`, and its sums, for the balance of forces or for the next outer iteration. */
static __global__ void residual_kernel(const __grid_constant__ taut_view view, bool energy, condense_role role) {
    condensed_motion own = {0, 0};
    for (size_t n = thread_index(); n < view.s.nodes; n += thread_count()) {
        condense_node_residual(&view.f, &view.s, n, motion(view), force(view), energy, &own);
    }
    double sums[2] = {own.residual, own.momentum};
    if (grid_sums(view, sums, 2)) {
        taut_condensed_control* condensed = &view.control->condensed;
        double* to = role == FOR_BALANCE ? condensed->balance : condensed->start;
        to[0] = sums[0];
        to[1] = sums[1];
    }
}

static void measured(const taut_view& view, const taut_settings& settings, const double* u, condense_role role,
                     loop_handle loop, taut_launch* launch) {
    const bool energy = settings.condensed_preconditioner == TAUT_PRECONDITIONER_MULTILEVEL;
    cuda_apply_jacobian_transpose_f64(view, TAUT_ALL, false, u, force(view), launch);
    TAUT_LAUNCH(launch, residual_kernel, taut_sum_grid(view.s.nodes), view, energy, role);
    cuda_condense_precondition(view, settings, role, loop, launch);
}

/* The residuals, and in the role FOR_START what the outer loop does next. Rows with a shift have a balance of their
 * own, in a loop of one round. */
static void true_residual(const taut_view& view, const taut_settings& settings, bool moves, condense_role role,
                          loop_handle outer, taut_launch* launch) {
    const size_t items = member_total(view.s) > view.s.factor_rows ? member_total(view.s) : view.s.factor_rows;
    taut_while shifted = {};
    while_handle(launch, &shifted);
    cuda_spread_f64(view, view.s.active_levels, motion(view), 4, launch);
    cuda_apply_jacobian_f64(view, TAUT_ALL, motion(view), 4, view.f.gam, false, view.f.wide, launch);
    TAUT_LAUNCH(launch, rows_kernel, taut_sum_grid(items), view, moves, shifted.handle);
    while_begin(launch, &shifted);
    measured(view, settings, view.f.gam, FOR_BALANCE, shifted.handle, launch);
    while_end(launch, &shifted);
    measured(view, settings, view.f.wide, role, outer, launch);
}

/* ---- an outer iteration ------------------------------------------------------------------------------------------ */

/* Opens an outer iteration, which solves for r in parts of its length: what is left to correct may be so small that
 * float32 has hardly a number for it. */
static __global__ void begin_outer_kernel(const __grid_constant__ taut_view view, loop_handle inner) {
    const double length = view.control->condensed.length;
    for (size_t i = thread_index(); view.s.bounded && i < view.s.rows; i += thread_count()) {
        condense_line_begin(&view.f, i);
    }
    const float unit = (float)(length > 0 ? 1 / length : 0);
    double sums[1] = {0};
    for (size_t i = thread_index(); i < 4 * view.s.nodes; i += thread_count()) {
        const float r = unit * view.f.node_r[i], z = unit * view.f.node_z[i];
        view.f.node_r[i] = r;
        view.f.node_z[i] = z;
        view.f.node_delta[i] = 0;
        sums[0] += (double)r * z;
    }
    if (grid_sums(view, sums, 1)) {
        const double goal = condensed_outer_goal(condense_residual_now(view.control), view.params->tolerance,
                                                 view.control->active_set_changed != 0);
        open_outer_iteration(view.control, goal, sums[0], inner);
        view.control->promise = 0;
        view.control->outer_length = length;
        view.control->increment = 1;
    }
}

static __global__ void correct_kernel(const __grid_constant__ taut_view view) {
    const size_t i = thread_index();
    if (i < 4 * view.s.nodes) {
        motion(view)[i] += view.control->increment * view.control->outer_length * view.f.node_delta[i];
    }
}

static __global__ void store_kernel(const __grid_constant__ taut_view view) {
    const size_t i = thread_index();
    if (i < 4 * view.s.nodes && view.f.condensed_node[i / 4]) {
        view.f.g_f64[i] = motion(view)[i];
    }
}

static void enqueue_outer_iteration(const taut_view& view, const taut_settings& settings, taut_launch* launch) {
    taut_while inner = {};
    while_handle(launch, &inner);
    TAUT_LAUNCH(launch, begin_outer_kernel, taut_sum_grid(4 * view.s.nodes), view, inner.handle);
    while_begin(launch, &inner);
    for (int i = 0; i < TAUT_ROUND; i++) {
        cuda_condense_iterate(view, settings, inner.handle, launch);
    }
    while_end(launch, &inner);
    TAUT_LAUNCH(launch, correct_kernel, taut_grid(4 * view.s.nodes), view);
}

/* After a step of a system with bounds: whether less of it is to follow, in the loop of one round that `cut` opens. */
static __global__ void slope_kernel(const __grid_constant__ taut_view view, loop_handle cut) {
    double sums[1] = {0};
    for (size_t i = thread_index(); i < 4 * view.s.nodes; i += thread_count()) {
        sums[0] += (double)view.f.node_r[i] * view.f.node_delta[i];
    }
    if (grid_sums(view, sums, 1)) {
        taut_control* control = view.control;
        const double slope = sums[0] / control->outer_length;
        control->line = taut_line_begin(control->promise, slope);
        control->line_changed = control->bound_sums.changed;
        go_on(cut, !taut_condensed_keeps(control->promise, slope));
    }
}

/* A round of the search for where r.delta vanishes; `further` opens for another one. */
static __global__ void line_kernel(const __grid_constant__ taut_view view, loop_handle further) {
    taut_control* control = view.control;
    const taut_line_search search = control->line;
    taut_line_sums sums = {{0}, {0}};
    for (size_t m = thread_index(); m < member_total(view.s); m += thread_count()) {
        size_t c;
#define LINE_OF(k, rows) condense_line_sums(&view.f, &view.s, k, rows, c, &view_factors(view), &search, &sums)
#define LINE(name, k)                                                                                                  \
    case k:                                                                                                            \
        if (name##_ROWS > 0) {                                                                                         \
            LINE_OF(k, name##_ROWS);                                                                                   \
        }                                                                                                              \
        break;
        CONDENSED_ROWS_SWITCH(LINE)
    }
    if (grid_sums(view, reinterpret_cast<double*>(&sums), sizeof sums / sizeof(double))) {
        taut_line_narrow(&control->line, &sums, 1 / (control->outer_length * control->outer_length));
        control->increment = taut_line_end(&control->line) - 1;
        go_on(further, taut_line_goes_on(&control->line, control->promise));
    }
}

/* Multipliers of rows with a shift follow where the function is near its minimum, in the loop that `follow` opens. */
static __global__ void update_multipliers_kernel(const __grid_constant__ taut_view view, loop_handle residual_mode) {
    taut_control* control = view.control;
    const condensed_residual now = condense_note(control);
    const double changed = control->line_changed + (control->line.rounds > 0 ? control->bound_sums.changed : 0);
    const taut_step_end end = {changed,
                               control->line.rounds > 0 ? 1 + control->increment : 1,
                               now.rows,
                               control->begun_rows,
                               now.nodes,
                               now.length,
                               control->begun,
                               condensed_enough(now, view.params->tolerance),
                               control->iterations - control->outer_start};
    const bool updates = control->condensed.shifted && taut_updates_multipliers(&end, &control->closeness);
    if (updates) {
        control->residual_mode = taut_update_multipliers(&end, view.params->tolerance, &control->closeness);
        control->stalled = control->residual_mode.shift < 1 ? 0 : control->stalled;
    }
    control->active_set_changed = changed > 0;
    control->inner = updates; /* until it is concluded */
    go_on(residual_mode, updates);
}

/* They have followed: whether they are extrapolated in a second round of that loop, which ends it. */
static __global__ void extrapolate_kernel(const __grid_constant__ taut_view view, loop_handle residual_mode) {
    taut_control* control = view.control;
    if (control->residual_mode.extrapolation > 0) {
        go_on(residual_mode, false);
        return;
    }
    const double tolerance = view.params->tolerance;
    const bool solved = condensed_worst(condense_note(control)) <= tolerance;
    control->residual_mode = taut_extrapolate(&control->impulse_change, solved, tolerance, &control->closeness);
    control->active_set_changed = control->active_set_changed || control->bound_sums.changed > 0;
    go_on(residual_mode, control->residual_mode.extrapolation > 0);
}

static __global__ void conclude_kernel(const __grid_constant__ taut_view view, bool first, loop_handle outer) {
    taut_control* control = view.control;
    if (first || control->inner) {
        const condensed_residual now = condense_note(control);
        control->begun = now.length;
        control->begun_rows = now.rows;
        control->active_set_changed = control->active_set_changed || (!first && control->bound_sums.changed > 0);
    }
    control->inner = 0;
    condense_decide(control, view.params, outer);
}

static __global__ void close_kernel(const __grid_constant__ taut_view view, loop_handle loop) {
    go_on(loop, false);
}

/* Less of the last step, and how things are then. */
static void cut_step(const taut_view& view, const taut_settings& settings, taut_launch* launch) {
    taut_while further = {};
    while_handle(launch, &further);
    for (int i = 0; i < TAUT_LINE_ROUNDS; i++) {
        TAUT_LAUNCH(launch, line_kernel, taut_sum_grid(member_total(view.s)), view, further.handle);
    }
    while_begin(launch, &further);
    TAUT_LAUNCH(launch, line_kernel, taut_sum_grid(member_total(view.s)), view, further.handle);
    while_end(launch, &further);
    TAUT_LAUNCH(launch, correct_kernel, taut_grid(4 * view.s.nodes), view);
    true_residual(view, settings, false, FOR_LOOK, no_loop, launch);
}

static void residual_bounded(const taut_view& view, const taut_settings& settings, loop_handle outer,
                             taut_launch* launch) {
    taut_while cut = {}, residual_mode = {};
    while_handle(launch, &cut);
    while_handle(launch, &residual_mode);
    true_residual(view, settings, false, FOR_LOOK, no_loop, launch);
    TAUT_LAUNCH(launch, slope_kernel, taut_sum_grid(4 * view.s.nodes), view, cut.handle);
    while_begin(launch, &cut);
    cut_step(view, settings, launch);
    TAUT_LAUNCH_ONE(launch, close_kernel, view, cut.handle);
    while_end(launch, &cut);
    TAUT_LAUNCH_ONE(launch, update_multipliers_kernel, view, residual_mode.handle);
    while_begin(launch, &residual_mode);
    true_residual(view, settings, true, FOR_LOOK, no_loop, launch);
    TAUT_LAUNCH_ONE(launch, extrapolate_kernel, view, residual_mode.handle);
    while_end(launch, &residual_mode);
    TAUT_LAUNCH_ONE(launch, conclude_kernel, view, false, outer);
}

/* Whether the preconditioner is of age, and is made anew in the loop of one round that `aged` opens. */
static __global__ void age_kernel(const __grid_constant__ taut_view view, loop_handle aged) {
    taut_control* control = view.control;
    const bool old = control->iterations - control->made >= TAUT_PRECONDITIONER_AGE;
    control->made = old ? control->iterations : control->made;
    go_on(aged, old && view.f.contact_count[TAUT_CONTACTS_LIVE] > 0);
}

/* |r| is in the norm of the new one. */
static __global__ void renorm_kernel(const __grid_constant__ taut_view view, loop_handle aged) {
    taut_condensed_control* condensed = &view.control->condensed;
    const double before = condensed->length;
    condensed->length = sqrt(condensed->start[0]);
    view.control->begun *= before > 0 ? condensed->length / before : 1;
    go_on(aged, false);
}

/* The preconditioner anew, of the contacts that there are now. */
static void renew_preconditioner(const taut_view& view, const taut_settings& settings, taut_launch* launch) {
    taut_while aged = {};
    while_handle(launch, &aged);
    TAUT_LAUNCH_ONE(launch, age_kernel, view, aged.handle);
    while_begin(launch, &aged);
    cuda_condense_refresh(view, settings, launch);
    cuda_condense_precondition(view, settings, FOR_LOOK, no_loop, launch);
    TAUT_LAUNCH_ONE(launch, renorm_kernel, view, aged.handle);
    while_end(launch, &aged);
}

static void outer_iterations(const taut_view& view, const taut_settings& settings, loop_handle outer,
                             taut_launch* launch) {
    if (taut_refresh_waits(&settings, &view.s)) {
        renew_preconditioner(view, settings, launch);
    }
    enqueue_outer_iteration(view, settings, launch);
    if (view.s.bounded) {
        residual_bounded(view, settings, outer, launch);
    } else {
        true_residual(view, settings, true, FOR_START, outer, launch);
    }
}

/* Of all constraints to the momentum M u. */
static void respond(const taut_view& view, const taut_settings& settings, taut_launch* launch) {
    if (taut_refresh_waits(&settings, &view.s)) {
        refresh_waiting(view, settings, launch);
    }
    if (settings.condensed_preconditioner == TAUT_PRECONDITIONER_MULTILEVEL) {
        cuda_multilevel_apply(view, settings, FOR_RESPONSE, no_loop, launch);
    }
}

void cuda_condensed_solve(const taut_view& view, const taut_settings& settings, taut_launch* launch) {
    const size_t members = member_total(view.s) > view.s.nodes ? member_total(view.s) : view.s.nodes;
    const size_t unknowns = view.s.unknowns > view.s.nodes ? view.s.unknowns : view.s.nodes;
    taut_while outer = {};
    while_handle(launch, &outer);
    TAUT_LAUNCH(launch, measure_kernel, taut_sum_grid(members), view);
    if (taut_projects(view.phase)) {
        TAUT_LAUNCH(launch, projected_scale_kernel, taut_sum_grid(view.s.nodes), view);
    }
    TAUT_LAUNCH(launch, guess_kernel, taut_grid(unknowns), view);
    if (view.s.bounded) {
        cuda_clamp(view, true, launch);
        if (view.s.touches) {
            TAUT_LAUNCH(launch, first_limit_kernel, taut_grid(view.s.contact_capacity), view);
        }
        respond(view, settings, launch);
        true_residual(view, settings, false, FOR_LOOK, no_loop, launch);
        TAUT_LAUNCH_ONE(launch, conclude_kernel, view, true, outer.handle);
    } else {
        respond(view, settings, launch);
        true_residual(view, settings, false, FOR_START, outer.handle, launch);
    }
    while_begin(launch, &outer);
    outer_iterations(view, settings, outer.handle, launch);
    while_end(launch, &outer);
    TAUT_LAUNCH(launch, store_kernel, taut_grid(4 * view.s.nodes), view);
}
