/* What users say of islands that sleep, and what wakes them between steps. */
#include "base/status.h"
#include "host/world/world_changes.h"

#include <math.h>
#include <string.h>

taut_status world_check_sleep(const taut_sleep* sleep) {
    if (!(sleep->speed >= 0 && isfinite(sleep->speed))) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "sleep: speed is %g m/s; it must be finite and >= 0.", sleep->speed);
    }
    if (!(sleep->time > 0 && isfinite(sleep->time))) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "sleep: time is %g s; it must be positive and finite.", sleep->time);
    }
    return world_check_reserved("sleep", sleep->reserved, 2);
}

bool world_differ(const double* a, const double* b, size_t count) {
    bool differ = false;
    for (size_t i = 0; i < count && !differ; i++) {
        differ = a[i] != b[i];
    }
    return differ;
}

void world_wake_node(taut_world* world, size_t n) {
    const taut_fields* f = &world->plan.fields;
    if (!world->plan.sizes.sleeps) {
        return;
    }
    if (!taut_is_mapped(&world->plan.sizes, n) && !(f->inverse_mass[n] > 0)) { /* what stands on it is not known */
        world_wake_all(world);
        return;
    }
    f->component_quiet[f->node_component[n]] = 0;
    f->component_asleep[f->node_component[n]] = 0;
}

void world_wake_all(taut_world* world) {
    const taut_sizes* s = &world->plan.sizes;
    const taut_fields* f = &world->plan.fields;
    if (s->sleeps) {
        memset(f->component_quiet, 0, s->components * sizeof *f->component_quiet);
        memset(f->component_asleep, 0, s->components * sizeof *f->component_asleep);
    }
}

taut_status taut_world_wake(taut_world* world) {
    if (world == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "world must not be NULL.");
    }
    world_wake_all(world);
    return TAUT_OK;
}

taut_status taut_world_wake_particles(taut_world* world, size_t count, const uint32_t* particles) {
    if (world == NULL || (particles == NULL && count > 0)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "world and particles must not be NULL.");
    }
    for (size_t i = 0; i < count; i++) {
        if (particles[i] >= world->plan.sizes.points) {
            return taut_fail(TAUT_INVALID_ARGUMENT, "particle %u does not exist.", particles[i]);
        }
    }
    for (size_t i = 0; i < count; i++) {
        world_wake_node(world, world_node(world, particles[i]));
    }
    return TAUT_OK;
}

taut_status taut_world_read_asleep(taut_world* world, size_t first, size_t count, bool* asleep) {
    if (world == NULL || (asleep == NULL && count > 0)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "world and array must not be NULL.");
    }
    const taut_sizes* s = &world->plan.sizes;
    const taut_fields* f = &world->plan.fields;
    const taut_status status = world_check_range("particles", first, count, s->points);
    for (size_t i = 0; status == TAUT_OK && i < count; i++) {
        asleep[i] = s->sleeps && f->component_asleep[f->node_component[world_node(world, first + i)]] != 0;
    }
    return status;
}
