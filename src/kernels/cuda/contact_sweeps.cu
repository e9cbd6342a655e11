/* Colours of contacts and sweeps over them on the device. How many contacts a colour has is known there alone: with
 * room for few contacts all is left to one block of threads, which goes through whole rounds of sweeps; with more, the
 * first colours get a kernel each that strides over what there is. */
#define TAUT_REAL double
#include "kernels/stages/apply.h"
#include "kernels/stages/contact/contact_colours.h"
#include "kernels/stages/contact/contact_sweep.h"

#include "kernels/cuda/contact_sweeps.cuh"
#include "kernels/cuda/gauss_seidel.cuh"
#include "kernels/cuda/solve.cuh"

/* Threads of the block that takes what is not wide. */
#define TAIL_THREADS 512
/* With room for so many contacts and more, this many colours get kernels of their own. */
#define WIDE_CAPACITY 8192
#define WIDE_COLOURS  12

/* ---- colours -------------------------------------------------------------------------------------------------------
 */

static __device__ uint32_t live_contacts(const taut_view& view) {
    return view.f.contact_count[TAUT_CONTACTS_LIVE];
}

static __global__ void clear_kernel(const __grid_constant__ taut_view view, loop_handle rounds) {
    const size_t i = thread_index();
    if (i < view.s.nodes) {
        view.f.node_colours[i] = 0;
    }
    if (i < view.s.contact_capacity) {
        view.f.contact_colour[i] = TAUT_NO_COLOUR;
    }
    if (i == 0) {
        go_on(rounds, true);
    }
}

static __global__ void node_kernel(const __grid_constant__ taut_view view) {
    const size_t n = thread_index();
    if (n < view.s.nodes) {
        colours_node(&view.f, &view.s, n);
    }
}

static __global__ void colour_kernel(const __grid_constant__ taut_view view, loop_handle rounds) {
    double waiting[1] = {0};
    for (size_t c = thread_index(); c < live_contacts(view); c += thread_count()) {
        waiting[0] += colours_contact(&view.f, &view.s, c) ? 0 : 1;
    }
    if (grid_sums(view, waiting, 1)) {
        go_on(rounds, waiting[0] > 0);
    }
}

/* Contacts by colour, by one block. Within a colour they may stand in any order; those of the last one are taken in
 * their own, by one thread. */
static __global__ void __launch_bounds__(TAIL_THREADS) order_kernel(const __grid_constant__ taut_view view) {
    __shared__ uint32_t next[TAUT_CONTACT_COLOURS + 2];
    const uint32_t live = live_contacts(view);
    for (uint32_t k = threadIdx.x; k < TAUT_CONTACT_COLOURS + 2; k += TAIL_THREADS) {
        next[k] = 0;
    }
    __syncthreads();
    for (uint32_t c = threadIdx.x; c < live; c += TAIL_THREADS) {
        atomicAdd(&next[view.f.contact_colour[c] + 1], 1u);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (uint32_t k = 0; k < TAUT_CONTACT_COLOURS + 1; k++) {
            next[k + 1] += next[k];
        }
        for (uint32_t k = 0; k < TAUT_CONTACT_COLOURS + 2; k++) {
            view.f.contact_colour_begin[k] = next[k];
        }
    }
    __syncthreads();
    for (uint32_t c = threadIdx.x; c < live; c += TAIL_THREADS) {
        if (view.f.contact_colour[c] < TAUT_CONTACT_COLOURS) {
            view.f.contact_order[atomicAdd(&next[view.f.contact_colour[c]], 1u)] = c;
        }
    }
    if (threadIdx.x == 0 && next[TAUT_CONTACT_COLOURS] < live) {
        uint32_t last = next[TAUT_CONTACT_COLOURS];
        for (uint32_t c = 0; c < live; c++) {
            if (view.f.contact_colour[c] == TAUT_CONTACT_COLOURS) {
                view.f.contact_order[last++] = c;
            }
        }
    }
}

static __global__ void blocks_kernel(const __grid_constant__ taut_view view) {
    const size_t i = thread_index();
    if (i < live_contacts(view)) {
        contact_blocks(&view.f, &view.s, i);
    }
    if (i < view.s.unknowns) {
        view.f.delta[i] = 0;
    }
}

void cuda_contact_sweeps_prepare(const taut_view& view, taut_launch* launch) {
    const size_t capacity = view.s.contact_capacity;
    taut_while rounds = {};
    while_handle(launch, &rounds);
    TAUT_LAUNCH(launch, clear_kernel, taut_grid(capacity > view.s.nodes ? capacity : view.s.nodes), view,
                rounds.handle);
    while_begin(launch, &rounds);
    TAUT_LAUNCH(launch, node_kernel, taut_grid(view.s.nodes), view);
    TAUT_LAUNCH(launch, colour_kernel, taut_sum_grid(capacity), view, rounds.handle);
    while_end(launch, &rounds);
    taut_launch_kernel(launch, order_kernel, 1, TAIL_THREADS, view);
    TAUT_LAUNCH(launch, blocks_kernel, taut_grid(capacity > view.s.unknowns ? capacity : view.s.unknowns), view);
    if (view.s.colours > 0) {
        cuda_gauss_seidel_refresh(view, launch);
    }
}

/* ---- sweeps --------------------------------------------------------------------------------------------------------
 */

static __global__ void open_kernel(const __grid_constant__ taut_view view) {
    sweep_open(&view.f, &view.s, thread_index());
}

void cuda_contact_sweeps_open(const taut_view& view, taut_launch* launch) {
    if (view.s.colours > 0) {
        const size_t items = view.s.unknowns > 4 * view.s.nodes ? view.s.unknowns : 4 * view.s.nodes;
        cuda_apply_jacobian_f64(view, TAUT_ALL, view.f.g_f64, 4, view.f.gam, false, view.f.wide, launch);
        TAUT_LAUNCH(launch, open_kernel, taut_grid(items), view);
    }
}

/* As in gauss_seidel.cu. */
static __device__ bool is_spent(const taut_view& view, uint32_t sweep) {
    return !view.control->inner || view.control->iterations + sweep >= view.params->max_iterations;
}

static __global__ void given_kernel(const __grid_constant__ taut_view view, const taut_hierarchy* levels,
                                    uint32_t first, uint32_t end, uint32_t sweep) {
    const size_t block = first + thread_index();
    if (block < end && !is_spent(view, sweep)) {
        sweep_given(&view.f, &view.s, &levels->system, block, &view_factors(view));
    }
}

static __global__ void contacts_kernel(const __grid_constant__ taut_view view, uint32_t colour, uint32_t sweep) {
    const uint32_t* begin = view.f.contact_colour_begin + colour;
    for (size_t i = begin[0] + thread_index(); i < begin[1] && !is_spent(view, sweep); i += thread_count()) {
        sweep_contact(&view.f, &view.s, view.f.contact_order[i], &view_factors(view));
    }
}

/* Colours of given constraints from one on, and of contacts from another; the last of those by one thread. */
typedef struct tail_task {
    uint32_t given, contacts, sweep, sweeps;
} tail_task;

static __device__ void tail_given(const taut_view& view, const taut_hierarchy* levels, uint32_t from) {
    const uint32_t* begin = view.f.colour_begin;
    for (uint32_t colour = from; colour < view.s.colours; colour++) {
        for (uint32_t block = begin[colour] + threadIdx.x; block < begin[colour + 1]; block += TAIL_THREADS) {
            sweep_given(&view.f, &view.s, &levels->system, block, &view_factors(view));
        }
        __syncthreads();
    }
}

static __device__ void tail_contacts(const taut_view& view, uint32_t from) {
    const uint32_t* begin = view.f.contact_colour_begin;
    for (uint32_t colour = from; colour <= TAUT_CONTACT_COLOURS && begin[colour] < begin[TAUT_CONTACT_COLOURS + 1];
         colour++) {
        const bool last = colour == TAUT_CONTACT_COLOURS;
        const uint32_t first = begin[colour] + threadIdx.x, end = last && threadIdx.x > 0 ? 0 : begin[colour + 1];
        for (uint32_t i = first; i < end; i += last ? 1 : TAIL_THREADS) {
            sweep_contact(&view.f, &view.s, view.f.contact_order[i], &view_factors(view));
        }
        __syncthreads();
    }
}

static __global__ void __launch_bounds__(TAIL_THREADS)
    tail_kernel(const __grid_constant__ taut_view view, const taut_hierarchy* levels,
                const __grid_constant__ tail_task task) {
    for (uint32_t sweep = task.sweep; sweep < task.sweep + task.sweeps && !is_spent(view, sweep); sweep++) {
        tail_given(view, levels, task.given);
        tail_contacts(view, task.contacts);
    }
}

static void tail(const taut_view& view, const tail_task& task, taut_launch* launch) {
    taut_launch_kernel(launch, tail_kernel, 1, TAIL_THREADS, view, view.levels->device, task);
}

static void wide_sweep(const taut_view& view, uint32_t sweep, bool wide_contacts, taut_launch* launch) {
    const uint32_t given = view.s.wide_colours;
    for (uint32_t i = 0; i < given; i++) {
        const uint32_t first = view.s.wide_begin[i], end = view.s.wide_begin[i + 1];
        TAUT_LAUNCH(launch, given_kernel, taut_grid(end - first), view, view.levels->device, first, end, sweep);
    }
    if (!wide_contacts) {
        tail(view, {given, 0, sweep, 1}, launch);
        return;
    }
    if (given < view.s.colours) {
        tail(view, {given, TAUT_CONTACT_COLOURS + 1, sweep, 1}, launch);
    }
    for (uint32_t colour = 0; colour < WIDE_COLOURS; colour++) {
        TAUT_LAUNCH(launch, contacts_kernel, taut_sum_grid(view.s.contact_capacity / WIDE_COLOURS), view, colour,
                    sweep);
    }
    tail(view, {view.s.colours, WIDE_COLOURS, sweep, 1}, launch);
}

void cuda_contact_sweeps(const taut_view& view, taut_launch* launch) {
    const bool wide_contacts = view.s.contact_capacity >= WIDE_CAPACITY;
    if (!wide_contacts && view.s.wide_colours == 0) {
        tail(view, {0, 0, 0, TAUT_SWEEPS}, launch);
        return;
    }
    for (uint32_t i = 0; i < TAUT_SWEEPS; i++) {
        wide_sweep(view, i, wide_contacts, launch);
    }
}
