/* The condensed system on the device: its weights Wh, blocks and preconditioner. kernels/stages/condensed.h has the
 * formulas. */
#define TAUT_REAL double
#include "kernels/stages/condensed.h"
#include "kernels/stages/precondition.h"

#include "kernels/cuda/condensed_decide.cuh"

/* ---- assemble ---------------------------------------------------------------------------------------------------- */

static __global__ void weigh_kernel(const __grid_constant__ taut_view view) {
    const size_t m = thread_index();
    if (m >= member_total(view.s)) {
        return;
    }
    const taut_factors step = view_factors(view);
    size_t c;
#define WEIGH_OF(k, rows)                                                                                              \
    condense_weigh(&view.f, &view.s, k, rows, c, &step);                                                               \
    if (condense_is_shifted(&view.f, &view.s, k, rows, c)) {                                                           \
        view.control->condensed.shifted = 1; /* every writer writes the same; kinematic_targets_kernel cleared it */   \
    }
#define WEIGH(name, k)                                                                                                 \
    case k:                                                                                                            \
        if (name##_ROWS > 0) {                                                                                         \
            WEIGH_OF(k, name##_ROWS)                                                                                   \
        }                                                                                                              \
        break;
    CONDENSED_ROWS_SWITCH(WEIGH)
}

static __global__ void mapped_block_kernel(const __grid_constant__ taut_view view, node_range range) {
    const size_t i = thread_index();
    if (i < range.count) {
        condense_mapped_block(&view.f, &view.s, range.first + i);
    }
}

static __global__ void node_block_kernel(const __grid_constant__ taut_view view, node_range range) {
    const size_t i = thread_index();
    if (i < range.count) {
        condense_node_block(&view.f, &view.s, node_of(view, range, i));
    }
}

static void refresh_blocks(const taut_view& view, taut_launch* launch) {
    const size_t mapped = view.s.points - view.s.simple;
    const node_range unknown = unknown_range(view.s);
    for (uint32_t level = view.s.active_levels; level-- > 0;) {
        const node_range range = level_range(view.s, level);
        TAUT_LAUNCH(launch, mapped_block_kernel, taut_grid(range.count), view, range);
    }
    TAUT_LAUNCH(launch, node_block_kernel, taut_grid(unknown.count), view, unknown);
    if (mapped > 0) {
        taut_clear(launch, view.f.diagonal_block_inverse + 6 * view.s.simple, 6 * mapped * sizeof(float));
    }
}

static __global__ void weigh_contacts_kernel(const __grid_constant__ taut_view view) {
    const size_t c = thread_index();
    if (c < view.s.contact_capacity) {
        const taut_factors step = view_factors(view);
        condense_weigh_contact(&view.f, &view.s, c, &step);
        view.control->condensed.shifted = 1; /* as above */
    }
}

/* Contacts have a shift that follows from all others. */
void cuda_condense_weigh(const taut_view& view, taut_launch* launch) {
    TAUT_LAUNCH(launch, weigh_kernel, taut_grid(member_total(view.s)), view);
    if (view.s.touches) {
        refresh_blocks(view, launch);
        TAUT_LAUNCH(launch, weigh_contacts_kernel, taut_grid(view.s.contact_capacity), view);
    }
}

void cuda_condense_refresh(const taut_view& view, const taut_settings& settings, taut_launch* launch) {
    refresh_blocks(view, launch);
    if (settings.condensed_preconditioner == TAUT_PRECONDITIONER_MULTILEVEL) {
        cuda_multilevel_refresh(view, launch);
    }
}

/* ---- Jacobi, or none --------------------------------------------------------------------------------------------- */

static __global__ void divide_kernel(const __grid_constant__ taut_view view, bool none, condense_role role,
                                     loop_handle loop) {
    double sums[1] = {0};
    for (size_t n = thread_index(); n < view.s.nodes; n += thread_count()) {
        const float4 in = ((const float4*)view.f.node_r)[n];
        const float r[3] = {in.x, in.y, in.z};
        float z[3];
        const double divided = block_divide(view.f.diagonal_block_inverse + 6 * n, r, z);
        ((float4*)view.f.node_z)[n] = none ? in : make_float4(z[0], z[1], z[2], 0);
        sums[0] += none ? (double)r[0] * r[0] + (double)r[1] * r[1] + (double)r[2] * r[2] : divided;
    }
    if (grid_sums(view, sums, 1)) {
        condense_use(view.control, view.params, false, role, sums[0], loop);
    }
}

void cuda_condense_precondition(const taut_view& view, const taut_settings& settings, condense_role role,
                                loop_handle loop, taut_launch* launch) {
    if (settings.condensed_preconditioner == TAUT_PRECONDITIONER_MULTILEVEL) {
        cuda_multilevel_apply(view, settings, role, loop, launch);
    } else {
        const bool none = settings.condensed_preconditioner == TAUT_PRECONDITIONER_NONE;
        TAUT_LAUNCH(launch, divide_kernel, taut_sum_grid(view.s.nodes), view, none, role, loop);
    }
}
