#define TAUT_REAL double
#include "kernels/stages/contact/query.h"

#include "kernels/cuda/collide.cuh"

static __global__ void query_kernel(const __grid_constant__ taut_view view,
                                    const __grid_constant__ taut_query_batch batch) {
    const size_t i = thread_index();
    if (i < batch.count) {
        query_answer(&view.f, &view.s, &batch, i);
    }
}

void cuda_query(const taut_view& view, const taut_query_batch& batch, const taut_collide_scratch& scratch,
                taut_launch* launch) {
    if (!batch.fresh) {
        cuda_refit_deforming(view, launch);
        cuda_build_tree(view, TREE_OF_SHAPES_NOW, scratch, launch);
        cuda_build_tree(view, TREE_OF_LOOSE_NOW, scratch, launch);
    }
    TAUT_LAUNCH(launch, query_kernel, taut_grid(batch.count), view, batch);
}
