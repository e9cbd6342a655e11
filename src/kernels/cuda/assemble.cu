/* Assemble: coefficients, right-hand side, diagonals; one thread per constraint, node or unknown. */
#define TAUT_REAL double
#include "kernels/stages/apply.h"
#include "kernels/stages/assemble.h"
#include "kernels/stages/bias.h"
#include "kernels/stages/contact/stalling.h"
#include "kernels/stages/frames.h"
#include "kernels/stages/solve.h"

#include "kernels/cuda/condensed.cuh"
#include "model/solvers.h"

static __device__ void invert_unknown(const taut_view& view, size_t i, const taut_factors& step) {
    invert_diagonal(&view.f, &view.s, i, &step);
    if (view.f.shift[i] > 0) {
        view.control->shifted = 1; /* every writer writes the same; kinematic_targets_kernel cleared it */
    }
}

#define TAUT_KIND_TEXT "kernels/cuda/assemble_kind.cuh"
#include "kernels/formulas/for_each_kind.h"

static __device__ void invert_linear(const taut_view& view, size_t c, const taut_factors& step) {
    invert_unknown(view, view.s.first_row[TAUT_LINEAR] + c, step);
}

static __device__ void side_linear(const taut_view& view, size_t c, const taut_factors& step) {
    const taut_fields& f = view.f;
    const size_t row0 = view.s.first_row[TAUT_LINEAR], count = view.s.count[TAUT_LINEAR];
    apply_jacobian_rows_linear(&f, count, c, taut_renews(step.phase) ? f.v0 : f.v, 3, NULL, false, f.b + row0);
    if (taut_renews(step.phase)) {
        apply_jacobian_rows_linear(&f, count, c, f.iterate, 3, NULL, false, f.wide + row0);
    }
    constraint_side(&f, &view.s, TAUT_LINEAR, 1, c, &step);
    apply_jacobian_rows_linear(&f, count, c, f.free_dv, 4, NULL, false, f.wide + row0);
    complete_side(&f, &view.s, row0 + c, &step);
}

/* One case per kind for member m, constraint c of its kind. */
#define MEMBER_SWITCH(item)                                                                                            \
    switch (kind_of_member(&view.s, m, &c)) {                                                                          \
        TAUT_FORMULA_KINDS(item)                                                                                       \
    default:                                                                                                           \
        item##_OF(linear);                                                                                             \
        break;                                                                                                         \
    }

enum { COEFFICIENTS = 1, DIAGONAL = 2 };

/* What concerns one constraint or one node alone. Coefficients: factor rows, u. Diagonal: C/(h l), that of S, its
 * inverse, and C/(h l) + shift. */
static __global__ void prepare_kernel(const __grid_constant__ taut_view view, int parts) {
    const size_t m = thread_index();
    const taut_factors step = view_factors(view);
    if (m < view.s.simple && (parts & COEFFICIENTS)) {
        if (step.phase == TAUT_PHASE_CONSTRAIN) {
            continue_node(&view.f, m);
        } else {
            free_motion(&view.f, &view.s, m, &step);
        }
        view.f.free_dv[4 * m + 3] = 0;
    }
    if (m >= member_total(view.s)) {
        return;
    }
    size_t c;
#define PREPARE_OF(name)                                                                                               \
    if (parts & COEFFICIENTS) {                                                                                        \
        coefficients_##name(&view.f, &view.s, c, &step);                                                               \
    }                                                                                                                  \
    if (parts & DIAGONAL) {                                                                                            \
        diagonal_##name(&view.f, &view.s, c, &step, view.f.wide);                                                      \
        invert_##name(view, c, step);                                                                                  \
        weigh_inner_##name(&view.f, &view.s, c, 1);                                                                    \
    }
#define PREPARE(name, k)                                                                                               \
    case k:                                                                                                            \
        PREPARE_OF(name)                                                                                               \
        break;
    MEMBER_SWITCH(PREPARE)
}

/* ---- chains of what overlaps: kernels/stages/contact/chains.h ---------------------------------------------------- */

static __global__ void clear_chains_kernel(const __grid_constant__ taut_view view) {
    const size_t n = thread_index();
    if (n < view.s.nodes) {
        view.f.chain_below[n] = view.f.chain_above[n] = 0;
        view.f.chain_held[n] = is_held_by_joints(&view.f, n);
    }
    if (n == 0) {
        *view.f.chain_contacts = 0;
    }
}

/* In any order: that of the list does not matter. */
static __global__ void link_kernel(const __grid_constant__ taut_view view) {
    const size_t c = thread_index();
    const taut_factors step = view_factors(view);
    if (c < view.s.count[TAUT_CONTACT] && find_link(&view.f, &view.s, c, &step)) {
        view.f.chain_contact[atomicAdd(view.f.chain_contacts, 1u)] = (uint32_t)c;
    }
}

static __device__ bool raise_to(uint32_t* value, uint32_t node, uint32_t to) {
    return node != TAUT_NO_NODE && atomicMax(value + node, to) < to;
}

static __device__ bool follow_links(const taut_fields& f) {
    bool any = false;
    for (uint32_t i = threadIdx.x; i < *f.chain_contacts; i += blockDim.x) {
        const uint32_t* link = f.contact_link + 2 * (size_t)f.chain_contact[i];
        any = raise_to(f.chain_below, link[1], one_further(f.chain_below, link[0])) || any;
        any = raise_to(f.chain_above, link[0], one_further(f.chain_above, link[1])) || any;
    }
    return any;
}

static __device__ bool spread_held(const taut_view& view) {
    bool any = false;
    for (size_t c = threadIdx.x; c < view.s.count[TAUT_CONTACT]; c += blockDim.x) {
        uint32_t node[2];
        if (find_held(&view.f, &view.s, c, node)) {
            any = raise_to(view.f.chain_held, node[0], 1) || any;
            any = raise_to(view.f.chain_held, node[1], 1) || any;
        }
    }
    return any;
}

/* One block. */
static __global__ void chain_kernel(const __grid_constant__ taut_view view) {
    if (*view.f.chain_contacts == 0) {
        return;
    }
    while (__syncthreads_or(follow_links(view.f)) != 0) {
    }
    while (__syncthreads_or(spread_held(view)) != 0) {
    }
}

static void find_chains(const taut_view& view, taut_launch* launch) {
    TAUT_LAUNCH(launch, clear_chains_kernel, taut_grid(view.s.nodes), view);
    TAUT_LAUNCH(launch, link_kernel, taut_grid(view.s.count[TAUT_CONTACT]), view);
    TAUT_LAUNCH(launch, chain_kernel, 1, view);
}

/* Largest forces of motors that stalled in the last substep (stages/contact/stalling.h). */
static __global__ void recall_kernel(const __grid_constant__ taut_view view) {
    const size_t c = thread_index();
    const taut_factors step = view_factors(view);
    if (c < view.s.count[TAUT_CONTACT]) {
        const pressed_contact at = recall_contact(&view.f, &view.s, c, &step);
        note_contact(&view.f, &view.s, &at, true, &step);
    }
}

static __global__ void ease_kernel(const __grid_constant__ taut_view view) {
    const size_t e = thread_index();
    const taut_factors step = view_factors(view);
    if (e < view.s.eager) {
        ease_motor(&view.f, e, &step);
    }
}

static void ease_motors(const taut_view& view, taut_launch* launch) {
    TAUT_LAUNCH(launch, recall_kernel, taut_grid(view.s.count[TAUT_CONTACT]), view);
    TAUT_LAUNCH(launch, ease_kernel, taut_grid(view.s.eager), view);
}

/* Right-hand side. */
static __global__ void side_kernel(const __grid_constant__ taut_view view) {
    const size_t m = thread_index();
    if (m >= member_total(view.s)) {
        return;
    }
    const taut_factors step = view_factors(view);
    size_t c;
#define SIDE_OF(name) side_##name(view, c, step)
#define SIDE(name, k)                                                                                                  \
    case k:                                                                                                            \
        SIDE_OF(name);                                                                                                 \
        break;
    MEMBER_SWITCH(SIDE)
}

/* Before an outer iteration that lowers the shift. */
static __global__ void lower_shift_kernel(const __grid_constant__ taut_view view) {
    const size_t m = thread_index();
    if (m >= member_total(view.s) || !view.control->lower) {
        return;
    }
    size_t c;
#define LOWER_OF(name) weigh_inner_##name(&view.f, &view.s, c, TAUT_SHIFT_LOWERING)
#define LOWER(name, k)                                                                                                 \
    case k:                                                                                                            \
        LOWER_OF(name);                                                                                                \
        break;
    MEMBER_SWITCH(LOWER)
}

void cuda_lower_shift(const taut_view& view, taut_launch* launch) {
    TAUT_LAUNCH(launch, lower_shift_kernel, taut_grid(member_total(view.s)), view);
}

/* u += sign g_f64 */
static __global__ void add_motion_kernel(const __grid_constant__ taut_view view, double sign) {
    const size_t i = thread_index();
    if (i < 4 * view.s.nodes) {
        view.f.free_dv[i] += sign * view.f.g_f64[i];
    }
}

/* What rows do by their law alone; b holds J v. */
static __global__ void constitute_kernel(const __grid_constant__ taut_view view) {
    const size_t m = thread_index();
    if (m >= member_total(view.s)) {
        return;
    }
    const taut_factors step = view_factors(view);
    size_t c;
#define CONSTITUTE_OF(name)                                                                                            \
    if (name##_ROWS > 0) {                                                                                             \
        constitute(&view.f, &view.s, (taut_kind)kind_##name, name##_ROWS, c, &step);                                   \
    }
#define CONSTITUTE(name, k)                                                                                            \
    case k:                                                                                                            \
        CONSTITUTE_OF(name)                                                                                            \
        break;
    MEMBER_SWITCH(CONSTITUTE)
}

static void constitute_all(const taut_view& view, taut_launch* launch) {
    cuda_apply_jacobian_f64(view, TAUT_ROWS, view.f.v, 3, NULL, false, view.f.b, launch);
    TAUT_LAUNCH(launch, constitute_kernel, taut_grid(member_total(view.s)), view);
}

/* u += P A^-1 P J^T of what rows do with the force of the state */
static void explicit_rows(const taut_view& view, taut_launch* launch) {
    cuda_apply_jacobian_transpose_f64(view, TAUT_ROWS, true, view.f.explicit_gam, view.f.g_f64, launch);
    TAUT_LAUNCH(launch, add_motion_kernel, taut_grid(4 * view.s.nodes), view, 1);
}

/* Jdot v, where the law has it. */
static __global__ void bias_kernel(const __grid_constant__ taut_view view) {
    const size_t m = thread_index();
    if (m >= member_total(view.s)) {
        return;
    }
    const taut_factors step = view_factors(view);
    double bias[TAUT_BLOCK_ROWS] = {0};
    size_t c;
#define BIAS_OF(name)                                                                                                  \
    if (name##_ROWS > 0) {                                                                                             \
        bias_##name(&view.f, &view.s, c, bias);                                                                        \
        add_bias(&view.f, &view.s, (taut_kind)kind_##name, name##_ROWS, c, &step, bias);                               \
    }
#define BIAS(name, k)                                                                                                  \
    case k:                                                                                                            \
        BIAS_OF(name)                                                                                                  \
        break;
    MEMBER_SWITCH(BIAS)
}

/* Of constraints about the motion by forces alone. */
static __global__ void constrain_kernel(const __grid_constant__ taut_view view) {
    const size_t m = thread_index();
    if (m >= member_total(view.s)) {
        return;
    }
    size_t c;
#define CONSTRAIN_OF(name)                                                                                             \
    if (name##_ROWS > 0) {                                                                                             \
        constrain_rows(&view.f, &view.s, (taut_kind)kind_##name, name##_ROWS, c, view_factors(view).h);                \
    }
#define CONSTRAIN(name, k)                                                                                             \
    case k:                                                                                                            \
        CONSTRAIN_OF(name)                                                                                             \
        break;
    MEMBER_SWITCH(CONSTRAIN)
}

/* Masses as they stand in A. */
static __global__ void weigh_kernel(const __grid_constant__ taut_view view) {
    const size_t n = thread_index();
    const taut_factors step = view_factors(view);
    if (n < view.s.simple) {
        weigh_node(&view.f, n, &step);
    }
}

/* beta = 0: u -= P A^-1 P Lh^T Lh v */
static void explicit_factor_rows(const taut_view& view, taut_launch* launch) {
    if (!taut_renews(view.phase)) { /* else the state is that at which forces are taken */
        cuda_apply_jacobian_f64(view, TAUT_FACTOR_ROWS, view.f.v, 3, NULL, false, view.f.wide, launch);
        cuda_apply_jacobian_transpose_f64(view, TAUT_FACTOR_ROWS, true, view.f.wide, view.f.g_f64, launch);
        TAUT_LAUNCH(launch, add_motion_kernel, taut_grid(4 * view.s.nodes), view, -1);
    }
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        const size_t values = view.s.count[k] * taut_kind_shapes[k].stiffness;
        if (values > 0 && view.s.has_factor_rows[k] && TAUT_FACTOR_PART(k) == TAUT_FACTOR_ROWS) {
            taut_clear(launch, view.f.kinds[k].stiffness, values * sizeof(float));
        }
    }
}

/* ---- frames and mapped points ---------------------------------------------------------------------------------------
 */

/* Forces on the mapped points of one level; `loads`: those of the constraints, too. */
static __global__ void hold_kernel(const __grid_constant__ taut_view view, node_range range, bool loads) {
    const size_t i = thread_index();
    const taut_factors step = view_factors(view);
    if (i >= range.count || !is_held(&view.s, range.first + i, &step)) {
        return;
    }
    if (loads) {
        load_node(&view.f, &view.s, range.first + i, &step);
    } else {
        hold_node(&view.f, &view.s, range.first + i, &step);
    }
}

static __global__ void frame_kernel(const __grid_constant__ taut_view view) {
    const size_t i = thread_index();
    const taut_factors step = view_factors(view);
    if (i < view.s.frames) {
        prepare_frame(&view.f, &view.s, i, &step);
    }
}

static __global__ void mapped_block_kernel(const __grid_constant__ taut_view view, node_range range) {
    const size_t i = thread_index();
    if (i < range.count) {
        prepare_mapped(&view.f, &view.s, range.first + i);
    }
}

static void hold_all(const taut_view& view, bool loads, taut_launch* launch) {
    for (uint32_t i = 0; i < view.s.levels; i++) {
        const node_range range = level_range(view.s, hold_order(&view.s, i));
        TAUT_LAUNCH(launch, hold_kernel, taut_grid(range.count), view, range, loads);
    }
}

static void prepare_graph(const taut_view& view, const taut_scheme& scheme, taut_launch* launch) {
    hold_all(view, false, launch);
    if (scheme.factor_rows) {
        hold_all(view, true, launch);
    }
    if (view.s.frames > 0) {
        TAUT_LAUNCH(launch, frame_kernel, taut_grid(view.s.frames), view);
    }
    for (uint32_t level = 0; level < view.s.active_levels; level++) {
        const node_range range = level_range(view.s, level);
        TAUT_LAUNCH(launch, mapped_block_kernel, taut_grid(range.count), view, range);
    }
}

void cuda_assemble(const taut_view& view, const taut_settings& settings, taut_launch* launch) {
    const size_t members = member_total(view.s);
    const unsigned items = taut_grid(members > view.s.nodes ? members : view.s.nodes);
    const taut_scheme scheme = scheme_of(settings);
    const bool renewed = taut_renews(view.phase);
    const bool forces = scheme.explicit_rows || view.s.forces,
               factor_rows = view.s.factor_rows > 0 && scheme.explicit_factor_rows;
    cuda_evaluate_mapped(view, launch); /* fixed parents may have begun to move */
    if (scheme.weighed) {
        TAUT_LAUNCH(launch, weigh_kernel, taut_grid(view.s.simple), view);
    }
    if (forces) {
        constitute_all(view, launch);
    }
    if (renewed) {
        cuda_spread_f64(view, view.s.active_levels, view.f.v0, 3, launch);
        cuda_renew_jacobian_transpose(view, launch);
    }
    if (view.phase == TAUT_PHASE_CONSTRAIN) {
        TAUT_LAUNCH(launch, constrain_kernel, taut_grid(members), view);
    }
    prepare_graph(view, scheme, launch);
    if (factor_rows || forces) {
        TAUT_LAUNCH(launch, prepare_kernel, items, view, COEFFICIENTS);
        if (factor_rows) {
            explicit_factor_rows(view, launch);
        }
        if (forces && view.phase != TAUT_PHASE_CONSTRAIN) {
            explicit_rows(view, launch);
        }
        TAUT_LAUNCH(launch, prepare_kernel, items, view, DIAGONAL);
    } else {
        TAUT_LAUNCH(launch, prepare_kernel, items, view, COEFFICIENTS | DIAGONAL);
    }
    if (view.s.condensed) {
        cuda_condense_weigh(view, launch);
    }
    cuda_spread_f64(view, view.s.active_levels, view.f.free_dv, 4, launch);
    if (renewed) {
        cuda_spread_f64(view, view.s.active_levels, view.f.iterate, 3, launch);
    }
    if (TAUT_HAS_CHAINS(&view.s) && settings.contact.law == TAUT_CONTACT_CONVEX && taut_begins(view.phase)) {
        find_chains(view, launch);
    }
    if (eases_motors(&view.s, settings.derived, view.phase)) {
        ease_motors(view, launch);
    }
    TAUT_LAUNCH(launch, side_kernel, taut_grid(members), view);
    if (scheme.formulation == TAUT_FORMULATION_ACCELERATION && !taut_projects(view.phase)) {
        TAUT_LAUNCH(launch, bias_kernel, taut_grid(members), view);
    }
    if (taut_begins(view.phase)) {
        if (scheme.newton) {
            cuda_newton_scale(view, launch);
        }
        cuda_refresh(view, settings, launch);
    } else if (is_assembled(&view.levels->host, &view.s)) {
        cuda_multilevel_refresh_matrix(view, launch); /* products need that of this iterate, the levels above do not */
    }
}

void cuda_refresh(const taut_view& view, const taut_settings& settings, taut_launch* launch) {
    if (view.s.schur) {
        cuda_precondition_refresh(view, settings, launch);
    }
    if (view.s.condensed && !taut_refresh_waits(&settings, &view.s)) {
        cuda_condense_refresh(view, settings, launch);
    }
}
