/* Batches of constraints that act as force fields. */
#include "host/kinds.h"
#include "host/scene.h"
#include "host/status.h"

#include <math.h>

/* A pivot below this part of its diagonal is rounding. */
#define SINGULAR 1e-9
#define BLOCK    6 /* rows of one constraint, at most */

static size_t packed_at(size_t r, size_t c) {
    return r * (r + 1) / 2 + c;
}

/* Whether Cholesky's method finds all pivots of a packed block. */
static bool is_definite(const double* packed, size_t rows) {
    double l[BLOCK][BLOCK];
    for (size_t r = 0; r < rows; r++) {
        for (size_t c = 0; c <= r; c++) {
            double sum = packed[packed_at(r, c)];
            for (size_t k = 0; k < c; k++) {
                sum -= l[r][k] * l[c][k];
            }
            if (c == r && !(sum > SINGULAR * packed[packed_at(r, r)])) {
                return false;
            }
            l[r][c] = c < r ? sum / l[c][c] : sqrt(sum);
        }
    }
    return true;
}

taut_status taut_scene_use_as_forces(taut_scene* scene, taut_batch batch) {
    if (scene == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "taut_scene_use_as_forces: scene must not be NULL.");
    }
    const scene_batch* found = scene_find_batch(scene->batches.data, scene->batches.count, batch);
    if (found == NULL) {
        return TAUT_INVALID_ARGUMENT;
    }
    const taut_kind_shape* shape = &taut_kind_shapes[found->kind];
    if (shape->load > 0) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "taut_scene_use_as_forces: %s elements are forces as they are.",
                         taut_kind_name(found->kind));
    }
    const double* compliance = scene->kinds[found->kind].compliance.data;
    for (uint32_t c = found->first; c < found->first + found->count; c++) {
        if (!is_definite(compliance + (size_t)shape->packed * c, shape->rows)) {
            return taut_fail(TAUT_INVALID_ARGUMENT,
                             "%s[%u]: a hard or incompressible row has no force law; forces need compliance.",
                             taut_kind_name(found->kind), c - found->first);
        }
    }
    ((scene_batch*)scene->batches.data)[batch.id - 1].as_force = true;
    return TAUT_OK;
}
