#define TAUT_REAL double
#include "kernels/stages/contact/event_records.h"

#include "kernels/cuda/collide.cuh"

#include <cub/device/device_scan.cuh>

/* Length of the part whose contacts are to be recorded; negative: it is not kept. `begins`: those before the step. */
static __device__ double recorded_length(const taut_view& view, bool begins) {
    const taut_control* control = view.control;
    const bool kept = !control->unsound && (!view.params->guards || control->guard.verdict == TAUT_VERDICT_KEPT);
    return begins ? 0 : kept ? view_factors(view).h : -1;
}

static __global__ void flags_kernel(const __grid_constant__ taut_view view, bool begins) {
    const size_t c = thread_index();
    const double h = recorded_length(view, begins);
    if (c == 0 && h >= 0) {
        begin_records(&view.f, h);
    }
    if (c <= view.s.contact_capacity) {
        const bool live = h >= 0 && c < view.f.contact_count[TAUT_CONTACTS_LIVE];
        view.f.event_place[c] = live && contact_counts(&view.f, &view.s, c);
    }
}

/* The place of the one after is larger where a contact counts. */
static __global__ void records_kernel(const __grid_constant__ taut_view view, bool begins) {
    const size_t c = thread_index();
    const double h = recorded_length(view, begins);
    if (c < view.s.contact_capacity && h >= 0 && view.f.event_place[c + 1] > view.f.event_place[c]) {
        const size_t at = (size_t)view.f.event_count[TAUT_EVENTS_KEPT] + view.f.event_place[c];
        if (at < view.s.events) {
            record_contact(&view.f, &view.s, c, h, &view.f.event[at]);
        }
    }
}

static __global__ void recorded_kernel(const __grid_constant__ taut_view view, bool begins) {
    uint32_t* count = view.f.event_count;
    const uint32_t more = view.f.event_place[view.s.contact_capacity];
    const uint32_t room = view.s.events - count[TAUT_EVENTS_KEPT], kept = more < room ? more : room;
    if (recorded_length(view, begins) >= 0) {
        count[TAUT_EVENTS_KEPT] += kept;
        count[TAUT_EVENTS_LOST] += more - kept;
        count[TAUT_EVENTS_PARTS]++;
    }
}

cudaError_t cuda_scan_events(const taut_view& view, void* temporary, size_t* bytes, cudaStream_t stream) {
    return cub::DeviceScan::ExclusiveSum(temporary, *bytes, view.f.event_place, (int)view.s.contact_capacity + 1,
                                         stream);
}

void cuda_record_events(const taut_view& view, bool begins, const taut_collide_scratch& scratch, taut_launch* launch) {
    const size_t items = view.s.contact_capacity + (size_t)1;
    size_t bytes = scratch.temporary_bytes;
    if (view.s.events == 0) {
        return;
    }
    TAUT_LAUNCH(launch, flags_kernel, taut_grid(items), view, begins);
    taut_launch outside = taut_outside(launch);
    if (outside.error == cudaSuccess) {
        outside.error = cuda_scan_events(view, scratch.temporary, &bytes, outside.stream);
    }
    taut_inside(launch, &outside);
    TAUT_LAUNCH(launch, records_kernel, taut_grid(items), view, begins);
    TAUT_LAUNCH_ONE(launch, recorded_kernel, view, begins);
}
