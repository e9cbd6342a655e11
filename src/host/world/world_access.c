/* Reading and writing the state of a world. */
#define TAUT_REAL double
#include "base/memory.h"
#include "base/status.h"
#include "host/scene/scene_frames.h"
#include "host/world/world_changes.h"
#include "kernels/formulas/angular.h"

#include <math.h>
#include <string.h>

taut_status world_download(taut_world* world, const void* field, size_t bytes) {
    if (world->backend->download == NULL || bytes == 0) {
        return TAUT_OK;
    }
    const taut_status status = world_ready(world);
    return status == TAUT_OK ? world->backend->download(world->state, (void*)field, bytes) : status;
}

taut_status world_upload(taut_world* world, const void* field, size_t bytes) {
    if (world->backend->upload == NULL || bytes == 0) {
        return TAUT_OK;
    }
    const taut_status status = world_ready(world);
    return status == TAUT_OK ? world->backend->upload(world->state, field, bytes) : status;
}

void world_span_add(world_span* span, size_t element) {
    span->low = element < span->low ? element : span->low;
    span->high = element >= span->high ? element + 1 : span->high;
}

taut_status world_upload_span(taut_world* world, const void* array, size_t element, world_span span) {
    return span.low < span.high
               ? world_upload(world, (const char*)array + span.low * element, (span.high - span.low) * element)
               : TAUT_OK;
}

size_t taut_world_particle_count(const taut_world* world) {
    return world != NULL ? world->plan.sizes.points : 0;
}

size_t taut_world_frame_count(const taut_world* world) {
    return world != NULL ? world->plan.sizes.frames : 0;
}

size_t taut_world_row_count(const taut_world* world) {
    return world != NULL ? taut_given_rows(&world->plan.sizes) : 0;
}

taut_status taut_world_choice_sized(const taut_world* world, taut_choice* choice, size_t size) {
    if (world == NULL || choice == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "world and choice must not be NULL.");
    }
    const taut_settings* settings = &world->plan.settings;
    const taut_sizes* s = &world->plan.sizes;
    taut_choice out = {.method = settings->method,
                       .schur = settings->preconditioner,
                       .condensed = settings->condensed_preconditioner,
                       .cycle = settings->cycle};
    const size_t rows = taut_given_rows(s);
    for (size_t i = 0; i < rows; i++) {
        out.contradicting_rows += taut_is_contradicting((taut_redundancy)world->plan.fields.redundant[i]);
    }
    for (size_t i = 0; i < rows && s->condensed; i++) {
        out.condensed_rows += world->plan.fields.condensed[i] != TAUT_NOT_CONDENSED;
    }
    size_t* others = settings->method == TAUT_METHOD_PROJECTED_GRADIENT ? &out.projected_rows
                     : settings->method == TAUT_METHOD_DIRECT           ? &out.direct_rows
                     : settings->method == TAUT_METHOD_GAUSS_SEIDEL     ? &out.gauss_seidel_rows
                                                                        : &out.schur_rows;
    *others = rows - out.condensed_rows;
    out.colours = s->colours;
    out.factor_values = world->backend->factor_values != NULL ? world->backend->factor_values(world->state) : 0;
    out.levels = world->plan.hierarchy.count;
    for (uint32_t l = 0; l < out.levels; l++) {
        out.level_nodes[l] = world->plan.hierarchy.level[l].s.nodes;
    }
    taut_copy_sized(choice, size, &out, sizeof out);
    return TAUT_OK;
}

const char* taut_world_backend(const taut_world* world) {
    return world != NULL ? world->backend->name : "";
}

taut_status taut_world_batch_rows(const taut_world* world, taut_batch batch, taut_range* rows) {
    if (world == NULL || rows == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "world and rows must not be NULL.");
    }
    const scene_batch* found = scene_find_batch(world->batches, world->batch_count, batch);
    if (found == NULL) {
        return TAUT_INVALID_ARGUMENT;
    }
    const uint32_t each = taut_kind_shapes[found->kind].rows;
    *rows = (taut_range){(uint32_t)world->plan.sizes.first_row[found->kind] + found->first * each, found->count * each};
    return TAUT_OK;
}

taut_status taut_world_contradicting_rows(const taut_world* world, taut_batch batch, size_t capacity, uint32_t* rows,
                                          size_t* count) {
    taut_range range;
    if (count == NULL || (rows == NULL && capacity > 0)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "rows and count must not be NULL.");
    }
    const taut_status status = taut_world_batch_rows(world, batch, &range);
    if (status != TAUT_OK) {
        return status;
    }
    const taut_fields* f = &world->plan.fields;
    *count = 0;
    for (uint32_t row = range.first; row < range.first + range.count; row++) {
        if (taut_is_contradicting((taut_redundancy)f->redundant[world->plan.sizes.rows_move ? f->row_at[row] : row])) {
            if (*count < capacity) {
                rows[*count] = row;
            }
            ++*count;
        }
    }
    return TAUT_OK;
}

static taut_status check_field(const taut_world* world, taut_field field, size_t count, const void* out) {
    if (world == NULL || (out == NULL && count > 0)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "fields: world and array must not be NULL.");
    }
    if ((unsigned)field >= TAUT_FIELD_COUNT) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "field %d does not exist.", (int)field);
    }
    return TAUT_OK;
}

taut_status taut_world_view(taut_world* world, taut_field field, taut_array* view) {
    taut_status status = check_field(world, field, 1, view);
    if (status == TAUT_OK) {
        status = world_refresh(world);
    }
    if (status == TAUT_OK) {
        world->backend->view(world->state, field, view);
    }
    return status;
}

taut_status world_check_range(const char* what, size_t first, size_t count, size_t total) {
    if (first <= total && count <= total - first) {
        return TAUT_OK;
    }
    return total == 0 ? taut_fail(TAUT_INVALID_ARGUMENT, "there are no %s.", what)
                      : taut_fail(TAUT_INVALID_ARGUMENT, "%zu %s from %zu on do not all exist: there are %zu.", count,
                                  what, first, total);
}

size_t world_node(const taut_world* world, size_t n) {
    return world->plan.sizes.nodes_move && n < world->plan.sizes.points ? world->plan.fields.node_at[n] : n;
}

taut_status taut_world_read_residuals(taut_world* world, size_t first, size_t count, double* out) {
    if (world == NULL || (out == NULL && count > 0) || !world->plan.sizes.keeps_residuals) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "world and array must not be NULL, and the "
                                                "world have been created with `residuals`.");
    }
    const taut_sizes* s = &world->plan.sizes;
    taut_status status = world_check_range("rows", first, count, s->nodes);
    if (status == TAUT_OK) {
        status = world_download(world, world->plan.fields.residual, 4 * s->nodes * sizeof(double));
    }
    for (size_t i = 0; status == TAUT_OK && i < count; i++) {
        memcpy(out + 3 * i, world->plan.fields.residual + 4 * world_node(world, first + i), 3 * sizeof *out);
    }
    return status;
}

size_t world_constraint(const taut_world* world, taut_kind kind, size_t c) {
    const uint32_t* at = world->plan.fields.kinds[kind].constraint_at;
    return at != NULL ? at[c] : c;
}

taut_status taut_world_read(taut_world* world, taut_field field, size_t first, size_t count, double* out) {
    taut_array view;
    taut_status status = check_field(world, field, count, out);
    if (status == TAUT_OK) {
        status = taut_world_view(world, field, &view);
    }
    if (status == TAUT_OK) {
        status = world_check_range("rows", first, count, view.rows);
    }
    if (status != TAUT_OK || count == 0) {
        return status;
    }
    const size_t begin = first * view.columns, values = count * view.columns;
    const size_t size = view.type == TAUT_FLOAT32 ? sizeof(float) : sizeof(double);
    const taut_array here = taut_view_of(&world->plan.fields, &world->plan.sizes, field, false);
    const char* data = (const char*)here.data + begin * size; /* which download makes current */
    status = world_download(world, data, values * size);
    for (size_t i = 0; status == TAUT_OK && i < values; i++) {
        out[i] = view.type == TAUT_FLOAT32 ? (double)((const float*)data)[i] : ((const double*)data)[i];
    }
    return status;
}

void world_note_write(taut_world* world, size_t n, uint8_t what) {
    world->written[n] |= what;
    world->writes = true;
}

taut_status world_take_as_fitting(taut_world* world) {
    taut_status status = TAUT_OK;
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        const size_t count = TAUT_MAY_MISFIT(k) ? world->plan.sizes.count[k] : 0;
        double* closes = world->plan.fields.kinds[k].closes;
        for (size_t c = 0; c < count; c++) {
            closes[c] = TAUT_FITS;
        }
        status = status == TAUT_OK && count > 0 ? world_upload(world, closes, count * sizeof *closes) : status;
    }
    return status;
}

taut_status world_forget(taut_world* world) {
    const taut_sizes* s = &world->plan.sizes;
    const float* inverse_mass = world->plan.fields.inverse_mass;
    bool all = world->writes;
    if (!all) {
        return TAUT_OK;
    }
    for (size_t n = 0; n < s->nodes; n++) {
        const bool mapped = taut_is_mapped(s, n);
        all = all && (world->written[n] == (WORLD_PLACE | WORLD_SPEED) || mapped || !(inverse_mass[n] > 0));
    }
    memset(world->written, 0, s->nodes);
    world->writes = false;
    world->guard = all ? (taut_guard){.level = 0} : world->guard;
    const taut_status status = all ? world_take_as_fitting(world) : TAUT_OK;
    return all && status == TAUT_OK ? world->backend->forget(world->state) : status;
}

/* Nodes that lie between those written travel both ways. */
static taut_status write_vectors(taut_world* world, taut_field field, size_t first, size_t count,
                                 const double* values) {
    const taut_fields* f = &world->plan.fields;
    double* written = field == TAUT_FIELD_POSITIONS ? f->x : f->v;
    world_span span = WORLD_EMPTY_SPAN;
    for (size_t i = 0; i < count; i++) {
        const size_t n = world_node(world, first + i);
        if (taut_is_mapped(&world->plan.sizes, n)) {
            return taut_fail(TAUT_INVALID_ARGUMENT, "point %zu is mapped; it follows its parents.", first + i);
        }
        world_span_add(&span, n);
    }
    taut_status status = TAUT_OK;
    if (span.high - span.low > count) {
        status = world_download(world, written + 3 * span.low, 3 * (span.high - span.low) * sizeof(double));
    }
    for (size_t i = 0; status == TAUT_OK && i < count; i++) {
        const size_t n = world_node(world, first + i);
        if (world_differ(written + 3 * n, values + 3 * i, 3)) {
            world_wake_node(world, n);
        }
        memcpy(written + 3 * n, values + 3 * i, 3 * sizeof(double));
        f->node_goal_tick[n] = 0; /* what was on its way to a goal is where and as fast as the user says */
        world_note_write(world, n, field == TAUT_FIELD_POSITIONS ? WORLD_PLACE : WORLD_SPEED);
    }
    if (status == TAUT_OK) {
        status = world_upload_span(world, written, 3 * sizeof(double), span);
    }
    if (status == TAUT_OK && field == TAUT_FIELD_POSITIONS) {
        for (size_t i = 3 * span.low; i < 3 * span.high; i++) {
            f->x_f32[i] = (float)f->x[i];
        }
        status = world_upload_span(world, f->x_f32, 3 * sizeof(float), span);
    }
    return status == TAUT_OK ? world_upload_span(world, f->node_goal_tick, sizeof(uint32_t), span) : status;
}

/* Angles of drives between frames that are written are within (-pi, pi] again. The device may turn them meanwhile:
 * each travels by itself. */
static taut_status restart_angles(taut_world* world, size_t first, size_t count) {
    const taut_sizes* s = &world->plan.sizes;
    const taut_kind_fields* f = &world->plan.fields.kinds[TAUT_ANGULAR];
    const size_t low = s->points + first, high = low + count;
    taut_status status = TAUT_OK;
    for (size_t c = 0; status == TAUT_OK && c < s->count[TAUT_ANGULAR]; c++) {
        const uint32_t* nodes = f->nodes + angular_NODES * c;
        double* rest = f->rest + angular_REST * c;
        const bool written = (nodes[0] >= low && nodes[0] < high) || (nodes[1] >= low && nodes[1] < high);
        if (written && counts_turns(rest)) {
            rest[ANGLE_NOW] = 0;
            status = world_upload(world, rest + ANGLE_NOW, sizeof *rest);
        }
    }
    return status;
}

static taut_status write_orientations(taut_world* world, size_t first, size_t count, const double* values) {
    const taut_fields* f = &world->plan.fields;
    for (size_t i = 0; i < count; i++) {
        double* q = f->orientation + 4 * (first + i);
        const double before[4] = {q[0], q[1], q[2], q[3]};
        quat_normalise(values + 4 * i, q);
        if (world_differ(q, before, 4)) {
            world_wake_node(world, world->plan.sizes.points + first + i);
        }
        f->node_goal_tick[world->plan.sizes.points + first + i] = 0;
        world_note_write(world, world->plan.sizes.points + first + i, WORLD_PLACE);
    }
    const world_span span = {first, first + count};
    taut_status status = world_upload_span(world, f->orientation, 4 * sizeof(double), span);
    status = status == TAUT_OK ? restart_angles(world, first, count) : status;
    const size_t node = world->plan.sizes.points + first;
    return status == TAUT_OK ? world_upload(world, f->node_goal_tick + node, count * sizeof(uint32_t)) : status;
}

static taut_status write_field(taut_world* world, taut_field field, size_t first, size_t count, const double* values) {
    switch (field) {
    case TAUT_FIELD_ORIENTATIONS:
        return write_orientations(world, first, count, values);
    case TAUT_FIELD_ANGULAR_VELOCITIES:
        return write_vectors(world, TAUT_FIELD_VELOCITIES, world->plan.sizes.points + first, count, values);
    default:
        return write_vectors(world, field, first, count, values);
    }
}

taut_status taut_world_write(taut_world* world, taut_field field, size_t first, size_t count, const double* values) {
    taut_status status = check_field(world, field, count, values);
    const bool of_frames = field == TAUT_FIELD_ORIENTATIONS || field == TAUT_FIELD_ANGULAR_VELOCITIES;
    if (status == TAUT_OK && field != TAUT_FIELD_POSITIONS && field != TAUT_FIELD_VELOCITIES && !of_frames) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "only positions, orientations, velocities and angular "
                                                "velocities can be written.");
    }
    if (status == TAUT_OK) {
        status =
            world_check_range("rows", first, count, of_frames ? world->plan.sizes.frames : world->plan.sizes.points);
    }
    if (status == TAUT_OK && field == TAUT_FIELD_ORIENTATIONS) {
        status = scene_check_quaternions("orientation", values, count);
    }
    if (status == TAUT_OK) {
        status = world_ready(world);
    }
    for (size_t i = 0; status == TAUT_OK && field != TAUT_FIELD_ORIENTATIONS && i < 3 * count; i++) {
        if (!(fabs(values[i]) <= TAUT_MAX_LENGTH)) {
            status = taut_fail(TAUT_INVALID_ARGUMENT,
                               "value %zu is %g; it must be finite and at most "
                               "%g in size.",
                               i, values[i], TAUT_MAX_LENGTH);
        }
    }
    if (status != TAUT_OK) {
        return status;
    }
    if (count == 0) {
        return TAUT_OK;
    }
    status = write_field(world, field, first, count, values);
    world->stale = true;
    world->linear_h = 0;
    return status;
}
