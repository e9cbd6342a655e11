/* Queries of a world: checks, and batches of what there is room for. */
#define TAUT_REAL double
#include "base/memory.h"
#include "base/status.h"
#include "host/world/world_data.h"
#include "kernels/stages/contact/query.h"

#include <string.h>

/* ---- checks ------------------------------------------------------------------------------------------------------ */

static taut_status check_arrays(const taut_world* world, size_t count, const void* in, const void* out) {
    if (world == NULL || (count > 0 && (in == NULL || out == NULL))) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "world and arrays must not be NULL.");
    }
    return TAUT_OK;
}

static bool is_place(const double x[3]) {
    return fabs(x[0]) <= TAUT_MAX_LENGTH && fabs(x[1]) <= TAUT_MAX_LENGTH && fabs(x[2]) <= TAUT_MAX_LENGTH;
}

/* unit = v/|v|, which is none where this is false. Squares of v itself may be too small or too large for
 * numbers. */
static bool take_direction(const double v[3], double unit[3]) {
    int exponent;
    (void)frexp(fmax(fmax(fabs(v[0]), fabs(v[1])), fabs(v[2])), &exponent);
    for (int a = 0; a < 3; a++) {
        unit[a] = ldexp(v[a], -exponent);
    }
    const double length = sqrt(vec3_dot(unit, unit));
    for (int a = 0; a < 3; a++) {
        unit[a] /= length;
    }
    return length > 0 && isfinite(length);
}

static taut_status check_rays(size_t count, const taut_ray* rays) {
    for (size_t i = 0; i < count; i++) {
        double unit[3];
        if (!is_place(rays[i].origin) || !take_direction(rays[i].direction, unit) || !(rays[i].length >= 0)) {
            return taut_fail(TAUT_INVALID_ARGUMENT, "ray %zu must have a finite origin, a direction and a length >= 0.",
                             i);
        }
    }
    return TAUT_OK;
}

static taut_status check_points(size_t count, const double* points, double reach) {
    if (!(reach >= 0)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "reach is %g m; it must be >= 0.", reach);
    }
    for (size_t i = 0; i < count; i++) {
        if (!is_place(points + 3 * i)) {
            return taut_fail(TAUT_INVALID_ARGUMENT, "point %zu must be finite.", i);
        }
    }
    return TAUT_OK;
}

/* Sizes that a shape uses; 0: no shape of queries. */
static int sizes_used(taut_shape shape) {
    switch (shape) {
    case TAUT_SHAPE_SPHERE:
        return 1;
    case TAUT_SHAPE_CAPSULE:
    case TAUT_SHAPE_CYLINDER:
    case TAUT_SHAPE_CONE:
        return 2;
    case TAUT_SHAPE_BOX:
        return 3;
    default:
        return 0;
    }
}

static bool is_shape(const taut_query_shape* shape) {
    const int used = sizes_used(shape->shape);
    const double* q = shape->orientation;
    const double squared = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    bool good = used > 0 && is_place(shape->position) && squared > 0.25 && squared < 4;
    for (int i = 0; i < used; i++) {
        good = good && shape->size[i] > 0 && shape->size[i] <= TAUT_MAX_LENGTH;
    }
    return good;
}

static taut_status check_shapes(size_t count, const taut_query_shape* shapes) {
    for (size_t i = 0; i < count; i++) {
        if (!is_shape(&shapes[i])) {
            return taut_fail(TAUT_INVALID_ARGUMENT,
                             "shape %zu must be a sphere, capsule, box, cylinder or cone with "
                             "sizes > 0, a finite position and an orientation of length 1.",
                             i);
        }
    }
    return TAUT_OK;
}

/* ---- batches ----------------------------------------------------------------------------------------------------- */

/* The state as it is now; whether the trees belong to it. */
static taut_status begin(taut_world* world, const taut_query_filter* filter, taut_query_batch* batch) {
    const taut_query_filter all = {UINT32_MAX, UINT32_MAX};
    const taut_status status = world_refresh(world);
    batch->filter = filter != NULL ? *filter : all;
    return status;
}

/* Answers `count` queries, whose operands are in the block. */
static taut_status answer(taut_world* world, taut_query_batch* batch, size_t count, const void* operands,
                          size_t bytes) {
    batch->count = (uint32_t)count;
    batch->fresh = world->query_trees;
    taut_status status = world_upload(world, operands, count * bytes);
    status = status == TAUT_OK ? world->backend->query(world->state, batch) : status;
    world->query_trees = status == TAUT_OK && !world->captured;
    return status;
}

static size_t next_count(size_t first, size_t count, size_t most) {
    return count - first < most ? count - first : most;
}

/* What a world without shapes answers, or what is in the block. */
static taut_status take_hits(taut_world* world, size_t count, char* hits, size_t size) {
    const taut_hit nothing = query_nothing(INFINITY);
    const taut_hit* from = world->plan.fields.query_hit;
    const bool shapes = world->plan.sizes.shapes;
    const taut_status status = shapes ? world_download(world, from, count * sizeof *from) : TAUT_OK;
    for (size_t i = 0; status == TAUT_OK && i < count; i++) {
        taut_copy_sized(hits + i * size, size, shapes ? &from[i] : &nothing, sizeof nothing);
    }
    return status;
}

static void put_rays(const taut_ray* rays, size_t count, taut_ray* to) {
    for (size_t i = 0; i < count; i++) {
        to[i] = rays[i];
        take_direction(rays[i].direction, to[i].direction);
    }
}

taut_status taut_world_cast_rays_sized(taut_world* world, size_t count, const taut_ray* rays,
                                       const taut_query_filter* filter, taut_hit* hits, size_t size) {
    taut_query_batch batch = {.kind = TAUT_QUERY_RAYS};
    taut_status status = check_arrays(world, count, rays, hits);
    status = status == TAUT_OK ? check_rays(count, rays) : status;
    status = status == TAUT_OK ? begin(world, filter, &batch) : status;
    for (size_t i = 0; status == TAUT_OK && i < count; i += TAUT_QUERY_MOST) {
        const size_t some = next_count(i, count, TAUT_QUERY_MOST);
        if (world->plan.sizes.shapes) {
            put_rays(rays + i, some, world->plan.fields.query_ray);
            status = answer(world, &batch, some, world->plan.fields.query_ray, sizeof(taut_ray));
        }
        status = status == TAUT_OK ? take_hits(world, some, (char*)hits + i * size, size) : status;
    }
    return status;
}

taut_status taut_world_closest_points_sized(taut_world* world, size_t count, const double* points, double reach,
                                            const taut_query_filter* filter, taut_hit* hits, size_t size) {
    taut_query_batch batch = {.kind = TAUT_QUERY_POINTS, .reach = reach};
    taut_status status = check_arrays(world, count, points, hits);
    status = status == TAUT_OK ? check_points(count, points, reach) : status;
    status = status == TAUT_OK ? begin(world, filter, &batch) : status;
    for (size_t i = 0; status == TAUT_OK && i < count; i += TAUT_QUERY_MOST) {
        const size_t some = next_count(i, count, TAUT_QUERY_MOST);
        if (world->plan.sizes.shapes) {
            memcpy(world->plan.fields.query_point, points + 3 * i, 3 * some * sizeof *points);
            status = answer(world, &batch, some, world->plan.fields.query_point, 3 * sizeof *points);
        }
        status = status == TAUT_OK ? take_hits(world, some, (char*)hits + i * size, size) : status;
    }
    return status;
}

static void put_shapes(const taut_query_shape* shapes, size_t count, taut_query_shape* to) {
    for (size_t i = 0; i < count; i++) {
        to[i] = shapes[i];
        quat_normalise(shapes[i].orientation, to[i].orientation);
    }
}

static taut_status take_overlaps(taut_world* world, size_t count, uint32_t kept, uint32_t capacity, char* overlaps,
                                 uint32_t* counts, size_t size) {
    const taut_fields* f = &world->plan.fields;
    taut_status status = world_download(world, f->query_count, count * sizeof *f->query_count);
    status = status == TAUT_OK && kept > 0 ? world_download(world, f->query_item, count * kept * sizeof *f->query_item)
                                           : status;
    for (size_t i = 0; status == TAUT_OK && i < count; i++) {
        counts[i] = f->query_count[i];
        for (size_t k = 0; k < counts[i] && k < kept; k++) {
            const taut_overlap name = query_name(f, &world->plan.sizes, f->query_item[i * kept + k]);
            taut_copy_sized(overlaps + (i * capacity + k) * size, size, &name, sizeof name);
        }
    }
    return status;
}

taut_status taut_world_overlaps_sized(taut_world* world, size_t count, const taut_query_shape* shapes,
                                      const taut_query_filter* filter, uint32_t capacity, taut_overlap* overlaps,
                                      uint32_t* counts, size_t size) {
    taut_query_batch batch = {.kind = TAUT_QUERY_SHAPES};
    taut_status status = check_arrays(world, count, shapes, counts);
    status = status == TAUT_OK && capacity > 0 ? check_arrays(world, count, shapes, overlaps) : status;
    status = status == TAUT_OK ? check_shapes(count, shapes) : status;
    status = status == TAUT_OK ? begin(world, filter, &batch) : status;
    if (status != TAUT_OK || !world->plan.sizes.shapes) {
        memset(counts, 0, (status == TAUT_OK ? count : 0) * sizeof *counts);
        return status;
    }
    const uint32_t items = world->plan.sizes.query_items;
    batch.capacity = capacity < items ? capacity : items; /* there are no more things */
    const size_t room = batch.capacity > 0 ? items / batch.capacity : TAUT_QUERY_MOST;
    const size_t most = room < TAUT_QUERY_MOST ? room : TAUT_QUERY_MOST;
    for (size_t i = 0; status == TAUT_OK && i < count; i += most) {
        const size_t some = next_count(i, count, most);
        put_shapes(shapes + i, some, world->plan.fields.query_shape);
        status = answer(world, &batch, some, world->plan.fields.query_shape, sizeof(taut_query_shape));
        char* const out = capacity > 0 ? (char*)overlaps + i * capacity * size : NULL;
        status =
            status == TAUT_OK ? take_overlaps(world, some, batch.capacity, capacity, out, counts + i, size) : status;
    }
    return status;
}
