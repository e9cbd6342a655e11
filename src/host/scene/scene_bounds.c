/* Bounds of multipliers. */
#include "base/status.h"
#include "host/scene/scene_data.h"
#include "model/kind_sizes.h"

#include <math.h>

taut_status scene_check_bounds(const scene_batch* batch, double lower, double upper) {
    const char* name = taut_kind_name(batch->kind);
    if (batch->kind == TAUT_MEMBRANE || batch->kind == TAUT_TET_STRAIN) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "%s: rows that are coupled by their compliance cannot have bounds.",
                         name);
    }
    if (taut_kind_shapes[batch->kind].rows == 0) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "%s elements have no multipliers to bound.", name);
    }
    if (batch->as_force) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "%s: a batch used as forces cannot have bounds.", name);
    }
    if (batch->limits && ((batch->lower == 0 && lower != 0) || (batch->upper == 0 && upper != 0))) {
        return taut_fail(TAUT_INVALID_ARGUMENT,
                         "%s: the %s bound of a limit must stay 0: it pushes back, and does not pull.", name,
                         batch->lower == 0 ? "lower" : "upper");
    }
    if (!(lower <= 0 && upper >= 0)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "%s: the bounds are %g and %g; they must be at most 0 and at least 0.",
                         name, lower, upper);
    }
    return TAUT_OK;
}

taut_status taut_scene_set_bounds(taut_scene* scene, taut_batch batch, double lower, double upper, double strength) {
    if (scene == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "scene must not be NULL.");
    }
    const scene_batch* found = scene_find_batch(scene->batches.data, scene->batches.count, batch);
    if (found == NULL) {
        return TAUT_INVALID_ARGUMENT;
    }
    if (!(strength > 0)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "the strength is %g N; it must be > 0.", strength);
    }
    const taut_status status = scene_check_bounds(found, lower, upper);
    if (status == TAUT_OK) {
        scene_batch* own = (scene_batch*)scene->batches.data + (batch.id - 1);
        own->bounded = true;
        own->lower = lower;
        own->upper = upper;
        own->strength = strength;
    }
    return status;
}
