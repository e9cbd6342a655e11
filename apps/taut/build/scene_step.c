#include "build/scene_step.h"

#include <math.h>

/* Makes room for half as many contacts again as the step needed. What is left of the step is then some of its
 * substeps. */
static taut_status grow(taut_world* world, const scene_step_spec* s, taut_integrator* left, double* dt) {
    taut_step_info info;
    taut_status status = taut_world_info(world, &info);
    const double most = info.contacts + info.contacts / 2.0;
    if (status == TAUT_OK && s->may_grow && !s->may_grow(s->context, most)) {
        return TAUT_OUT_OF_MEMORY;
    }
    if (status == TAUT_OK) {
        status = taut_world_grow_contacts(world, most < UINT32_MAX ? (uint32_t)most : UINT32_MAX);
    }
    if (status == TAUT_OK) {
        const double substep = *dt / left->substeps;
        left->substeps = (uint32_t)fmax(1, round((s->time - info.time) / substep));
        *dt = s->budget > 0 ? s->time - info.time : left->substeps * substep;
        status = taut_world_set_integrator(world, left);
    }
    return status;
}

static taut_status step_in_time(taut_world* world, const scene_step_spec* s, double dt) {
    return s->budget > 0 ? taut_world_step_for(world, dt, s->budget) : taut_world_step(world, dt);
}

static taut_status step_whole(taut_world* world, const scene_step_spec* s) {
    taut_integrator left = *s->integrator;
    double dt = s->dt;
    taut_status status = step_in_time(world, s, dt);
    for (bool grown = false;; grown = true) {
        if (status == TAUT_OK) {
            status = taut_world_sync(world);
        }
        if (status != TAUT_OUT_OF_CAPACITY) {
            return status == TAUT_OK && grown ? taut_world_set_integrator(world, s->integrator) : status;
        }
        status = grow(world, s, &left, &dt);
        if (status == TAUT_OK) {
            status = step_in_time(world, s, dt);
        }
    }
}

taut_status scene_step(const built_scene* b, taut_world* world, const scene_step_spec* s) {
    const taut_status status = scene_move(b, world, s->time, s->dt);
    return status == TAUT_OK ? step_whole(world, s) : status;
}
