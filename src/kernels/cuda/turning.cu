/* What parts whose forces balance each other lost by turning: a thread per part (kernels/stages/turning.h). */
#define TAUT_REAL double
#include "kernels/stages/turning.h"

#include "kernels/cuda/device.cuh"

static __global__ void turning_kernel(const __grid_constant__ taut_view view, taut_move move) {
    const size_t i = thread_index();
    const taut_factors& step = view_factors(view);
    if (i < view.s.turning_parts && !view.control->unsound && gives_turns_back(&view.s, move, &step)) {
        give_turn_back(&view.f, &view.s, (uint32_t)i, &step);
    }
}

void cuda_give_turns_back(const taut_view& view, taut_move move, taut_launch* launch) {
    if (view.s.turning_parts > 0 && move == TAUT_MOVE_STEP) {
        TAUT_LAUNCH(launch, turning_kernel, taut_grid(view.s.turning_parts), view, move);
    }
}
