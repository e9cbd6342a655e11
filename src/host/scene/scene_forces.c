/* Batches of constraints that act as force fields. */
#define TAUT_REAL double
#include "base/status.h"
#include "host/scene/scene_data.h"
#include "kernels/stages/packed.h"
#include "model/kind_sizes.h"

/* A pivot below this part of its diagonal is rounding. */
#define SINGULAR 1e-9

taut_status taut_scene_use_as_forces(taut_scene* scene, taut_batch batch) {
    if (scene == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "scene must not be NULL.");
    }
    const scene_batch* found = scene_find_batch(scene->batches.data, scene->batches.count, batch);
    if (found == NULL) {
        return TAUT_INVALID_ARGUMENT;
    }
    const taut_kind_shape* shape = &taut_kind_shapes[found->kind];
    if (shape->load > 0) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "%s elements are forces as they are.", taut_kind_name(found->kind));
    }
    if (found->of_velocities) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "rows of velocities are constraints.");
    }
    if (found->bounded) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "the batch has bounds, which only constraints can keep.");
    }
    const double* compliance = scene->kinds[found->kind].compliance.data;
    double factor[TAUT_BLOCK_ROWS][TAUT_BLOCK_ROWS];
    for (uint32_t c = found->first; c < found->first + found->count; c++) {
        if (!(packed_factor(compliance + (size_t)shape->packed * c, shape->rows, factor) > SINGULAR)) {
            return taut_fail(TAUT_INVALID_ARGUMENT,
                             "%s[%u]: a hard or incompressible row has no force law; forces need compliance.",
                             taut_kind_name(found->kind), c - found->first);
        }
    }
    ((scene_batch*)scene->batches.data)[batch.id - 1].as_force = true;
    return TAUT_OK;
}
