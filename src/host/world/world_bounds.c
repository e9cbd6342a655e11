/* Bounds of multipliers while a world runs, and what has broken. */
#include "base/status.h"
#include "host/world/world_changes.h"
#include "model/kind_sizes.h"

#include <math.h>

/* Rows of constraints of a batch, and what of the arrays on the device has to be here. */
typedef struct bound_span {
    const scene_batch* batch;
    size_t offset, count;
    world_span rows;
} bound_span;

static size_t bound_row(const taut_world* world, const bound_span* b, size_t i, uint32_t r) {
    const taut_sizes* s = &world->plan.sizes;
    const taut_kind k = b->batch->kind;
    const size_t c = world_constraint(world, k, b->offset + i);
    return s->first_row[k] + taut_unknown_place(s, s->count[k], taut_kind_shapes[k].rows, c, r);
}

static taut_status find_bounds(taut_world* world, taut_batch batch, size_t first, size_t count, const void* values,
                               bound_span* out) {
    *out = (bound_span){.count = count, .rows = WORLD_EMPTY_SPAN};
    const taut_status status = world_find_constraints(world, batch, first, count, values, &out->batch, &out->offset);
    if (status != TAUT_OK) {
        return status;
    }
    if (!out->batch->bounded) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "%s: the batch was given no bounds in the scene.",
                         taut_kind_name(out->batch->kind));
    }
    for (size_t i = 0; i < count; i++) {
        for (uint32_t r = 0; r < taut_kind_shapes[out->batch->kind].rows; r++) {
            world_span_add(&out->rows, bound_row(world, out, i, r));
        }
    }
    return TAUT_OK;
}

/* What steps have broken is on the device. */
static taut_status download_bounds(taut_world* world, const bound_span* b) {
    const taut_fields* f = &world->plan.fields;
    const size_t rows = b->count > 0 ? b->rows.high - b->rows.low : 0, low = b->count > 0 ? b->rows.low : 0;
    const taut_status status = world_download(world, f->bound + 2 * low, 2 * rows * sizeof(double));
    return status == TAUT_OK ? world_download(world, f->strength + low, rows * sizeof(double)) : status;
}

static void put_bounds(const taut_world* world, const bound_span* b, size_t i, double lower, double upper,
                       const double* strength) {
    const taut_fields* f = &world->plan.fields;
    const size_t first = bound_row(world, b, i, 0);
    for (uint32_t r = 0; r < taut_kind_shapes[b->batch->kind].rows; r++) {
        const size_t row = bound_row(world, b, i, r);
        f->bound[2 * row] = lower;
        f->bound[2 * row + 1] = upper;
    }
    f->strength[first] = strength != NULL ? *strength : fabs(f->strength[first]);
}

static taut_status check_new_bounds(const bound_span* b, const double* lower, const double* upper,
                                    const double* strengths) {
    for (size_t i = 0; i < b->count; i++) {
        const taut_status status = scene_check_bounds(b->batch, lower[i], upper[i]);
        if (status != TAUT_OK) {
            return status;
        }
        if (strengths != NULL && !(strengths[i] > 0)) {
            return taut_fail(TAUT_INVALID_ARGUMENT, "strength %zu is %g N; it must be > 0.", i, strengths[i]);
        }
    }
    return TAUT_OK;
}

/* Whether bounds of a kind tell what holds bodies together for ever, and what until it breaks. */
static bool joins_bodies(taut_kind k) {
    return k == TAUT_PRISMATIC || k == TAUT_ANGULAR || k == TAUT_ATTACHMENT;
}

taut_status taut_world_set_bounds(taut_world* world, taut_batch batch, size_t first, size_t count, const double* lower,
                                  const double* upper, const double* strengths) {
    bound_span b;
    taut_status status = find_bounds(world, batch, first, count, lower, &b);
    if (status == TAUT_OK && upper == NULL && count > 0) {
        status = taut_fail(TAUT_INVALID_ARGUMENT, "upper must not be NULL.");
    }
    if (status == TAUT_OK) {
        status = check_new_bounds(&b, lower, upper, strengths);
    }
    if (status == TAUT_OK) {
        status = download_bounds(world, &b);
    }
    if (status != TAUT_OK) {
        return status;
    }
    for (size_t i = 0; i < count; i++) {
        put_bounds(world, &b, i, lower[i], upper[i], strengths != NULL ? &strengths[i] : NULL);
    }
    world_wake_all(world);
    world->linear_h = 0;
    world->stale = true;
    const taut_fields* f = &world->plan.fields;
    status = world_upload_span(world, f->bound, 2 * sizeof(double), b.rows);
    status = status == TAUT_OK ? world_upload_span(world, f->strength, sizeof(double), b.rows) : status;
    return status == TAUT_OK && joins_bodies(b.batch->kind) ? world_send_joined(world) : status;
}

taut_status taut_world_read_broken(taut_world* world, taut_batch batch, size_t first, size_t count, bool* broken) {
    bound_span b;
    taut_status status = find_bounds(world, batch, first, count, broken, &b);
    if (status == TAUT_OK) {
        status = download_bounds(world, &b);
    }
    for (size_t i = 0; status == TAUT_OK && i < count; i++) {
        broken[i] = world->plan.fields.strength[bound_row(world, &b, i, 0)] < 0;
    }
    return status;
}
