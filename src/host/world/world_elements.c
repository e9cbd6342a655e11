/* Changing force elements of a world between steps. */
#define TAUT_REAL double
#include "base/status.h"
#include "host/world/world_changes.h"
#include "kernels/formulas/kinds.h"
#include "taut/forces.h"

#include <string.h>

/* Rest values of elements `written` have changed. */
static taut_status send_elements(taut_world* world, taut_kind kind, world_span written) {
    world_wake_all(world);
    world->stale = true;
    world->linear_h = 0;
    return world_upload_span(world, world->plan.fields.kinds[kind].rest, taut_kind_shapes[kind].rest * sizeof(double),
                             written);
}

/* ---- solids ------------------------------------------------------------------------------------------------------ */

/* New values of solids; NULL: those that they have. */
typedef struct moduli {
    const double* youngs;
    const double* poissons;
} moduli;

static taut_status check_moduli(const moduli* to, size_t first, size_t count) {
    taut_status status = TAUT_OK;
    for (size_t i = 0; status == TAUT_OK && i < count; i++) {
        status = to->youngs != NULL ? scene_check_young(first + i, to->youngs[i]) : TAUT_OK;
        if (status == TAUT_OK && to->poissons != NULL) {
            status = scene_check_poisson(first + i, to->poissons[i]);
        }
    }
    return status;
}

static taut_status put_moduli(taut_world* world, size_t offset, size_t count, const moduli* to) {
    double* rest = world->plan.fields.kinds[TAUT_SOLID].rest;
    world_span written = WORLD_EMPTY_SPAN;
    for (size_t i = 0; i < count; i++) {
        const size_t c = world_constraint(world, TAUT_SOLID, offset + i);
        double* own = rest + solid_REST * c;
        const double young = to->youngs != NULL ? to->youngs[i] : solid_young(own);
        const double poisson = to->poissons != NULL ? scene_tet_poisson(to->poissons[i]) : solid_poisson(own);
        solid_set_moduli(young, poisson, own);
        world_span_add(&written, c);
    }
    return send_elements(world, TAUT_SOLID, written);
}

taut_status taut_world_set_moduli(taut_world* world, taut_batch batch, size_t first, size_t count, const double* youngs,
                                  const double* poissons) {
    const moduli to = {youngs, poissons};
    const double* any = youngs != NULL ? youngs : poissons;
    const scene_batch* b = NULL;
    size_t offset = 0;
    if (any == NULL && count > 0) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "youngs and poissons must not both be NULL.");
    }
    taut_status status = world_find_constraints(world, batch, first, count, any, &b, &offset);
    if (status == TAUT_OK && b->kind != TAUT_SOLID) {
        status = taut_fail(TAUT_INVALID_ARGUMENT, "%s: Young's modulus can be set of solids alone.",
                           taut_kind_name(b->kind));
    }
    status = status == TAUT_OK ? check_moduli(&to, first, count) : status;
    return status == TAUT_OK ? put_moduli(world, offset, count, &to) : status;
}

/* ---- surfaces ---------------------------------------------------------------------------------------------------- */

/* Places of pressure and wind among a surface's rest values. */
enum { SURFACE_PRESSURE = 0, SURFACE_WIND = 7 };

/* Rest values [at, at + width) of `count` surfaces; `values`: width for each, or the same for all. */
static taut_status put_surfaces(taut_world* world, size_t offset, size_t count, size_t at, size_t width, bool same,
                                const double* values) {
    double* rest = world->plan.fields.kinds[TAUT_SURFACE].rest;
    const size_t all = taut_kind_shapes[TAUT_SURFACE].rest;
    world_span written = WORLD_EMPTY_SPAN;
    for (size_t i = 0; i < count; i++) {
        const size_t c = world_constraint(world, TAUT_SURFACE, offset + i);
        memcpy(rest + all * c + at, values + (same ? 0 : width * i), width * sizeof(double));
        world_span_add(&written, c);
    }
    return send_elements(world, TAUT_SURFACE, written);
}

static taut_status find_surfaces(taut_world* world, taut_batch batch, size_t first, size_t count, const double* values,
                                 const scene_batch** b, size_t* offset) {
    const taut_status status = world_find_constraints(world, batch, first, count, values, b, offset);
    if (status == TAUT_OK && (*b)->kind != TAUT_SURFACE) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "%s elements have neither wind nor pressure.",
                         taut_kind_name((*b)->kind));
    }
    return status;
}

taut_status taut_world_set_wind(taut_world* world, taut_batch batch, const double wind[3]) {
    const scene_batch* b = NULL;
    size_t offset = 0;
    taut_status status = world_check_pointers(world, 3, wind);
    if (status == TAUT_OK) {
        status = find_surfaces(world, batch, 0, 0, wind, &b, &offset);
    }
    if (status == TAUT_OK) {
        status = world_check_vectors("wind", 1, wind);
    }
    return status == TAUT_OK ? put_surfaces(world, offset, b->count, SURFACE_WIND, 3, true, wind) : status;
}

taut_status taut_world_set_pressures(taut_world* world, taut_batch batch, size_t first, size_t count,
                                     const double* pressures) {
    const scene_batch* b = NULL;
    size_t offset = 0;
    taut_status status = find_surfaces(world, batch, first, count, pressures, &b, &offset);
    for (size_t i = 0; status == TAUT_OK && i < count; i++) {
        status = scene_check_pressure(first + i, pressures[i]);
    }
    return status == TAUT_OK ? put_surfaces(world, offset, count, SURFACE_PRESSURE, 1, false, pressures) : status;
}
