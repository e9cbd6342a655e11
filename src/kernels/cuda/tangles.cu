/* Tangles on the device (kernels/stages/contact/tangles.h). Cuts are counted by all threads; contours are found by one,
 * since there are few. */
#define TAUT_REAL double
#include "kernels/stages/contact/tangles.h"

#include "kernels/cuda/build.cuh"
#include "kernels/cuda/crossings.cuh"

/* Another attempt does not begin with other tangles; the first one after a search outside a step looks again. */
static __device__ bool looks(const taut_view& view) {
    return !view.control->retries || view.control->report.tangled == 0;
}

/* Whether anything cuts anything; crossings that are listed later have this place. */
static __device__ uint32_t* any_cut(const taut_view& view) {
    return view.f.crossing_place;
}

static __global__ void begin_kernel(const __grid_constant__ taut_view view) {
    *any_cut(view) = 0;
}

/* All writers of any_cut write the same. */
static __global__ void count_kernel(const __grid_constant__ taut_view view) {
    const size_t i = thread_index();
    if (!looks(view)) {
        return;
    }
    if (i < view.s.edges) {
        view.f.crossing_other[i] = tangled_cuts(&view.f, &view.s, i);
        if (view.f.crossing_other[i] > 0) {
            *any_cut(view) = 1;
        }
    }
    if (i < view.s.touching) {
        view.f.tangle[i] = 0;
        view.f.flooded[i] = 0;
    }
    if (i < view.s.touching + (size_t)view.s.edges) {
        view.f.drawn_by[i] = TAUT_NO_NODE;
    }
}

static __global__ void find_kernel(const __grid_constant__ taut_view view) {
    if (looks(view)) {
        view.f.crossing_count[TAUT_DRAWN_LIST] = 0;
        view.control->report.tangled =
            *any_cut(view) != 0 ? find_tangles(&view.f, &view.s, list_cuts(&view.f, &view.s)) : 0;
    }
}

void cuda_find_tangles(const taut_view& view, taut_launch* launch) {
    const size_t all = view.s.touching + (size_t)view.s.edges;
    TAUT_LAUNCH_ONE(launch, begin_kernel, view);
    TAUT_LAUNCH(launch, count_kernel, taut_grid(all), view);
    TAUT_LAUNCH_ONE(launch, find_kernel, view);
}

/* ---- what is to be left ------------------------------------------------------------------------------------------ */

static __global__ void leave_kernel(const __grid_constant__ taut_view view) {
    const size_t i = thread_index();
    uint32_t* other = view.f.crossing_other;
    if (i < view.s.touching + (size_t)view.s.edges && other[i] != TAUT_NO_NODE && leaves_tangles(&view.f, &view.s, i)) {
        other[i] = TAUT_NO_NODE;
    }
}

static __global__ void left_kernel(const __grid_constant__ taut_view view) {
    const size_t i = thread_index();
    if (i < view.s.touching) {
        leave_tangle_of(&view.f, i);
    }
}

static __global__ void keep_kernel(const __grid_constant__ taut_view view) {
    keep_drawn(&view.f, &view.s);
}

void cuda_leave_tangles(const taut_view& view, taut_launch* launch) {
    TAUT_LAUNCH(launch, leave_kernel, taut_grid(view.s.touching + (size_t)view.s.edges), view);
    TAUT_LAUNCH(launch, left_kernel, taut_grid(view.s.touching), view);
    TAUT_LAUNCH_ONE(launch, keep_kernel, view);
}
