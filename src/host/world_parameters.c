/* Changing parameters of a world between steps. */
#include "host/status.h"
#include "host/world.h"

#include <math.h>
#include <string.h>

static taut_status check_pointers(taut_world* world, const void* values) {
    if (world == NULL || values == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "world and values must not be NULL.");
    }
    return world_ready(world);
}

static taut_status check_vectors(const char* what, size_t count, const double* values) {
    for (size_t i = 0; i < 3 * count; i++) {
        if (!(fabs(values[i]) <= TAUT_MAX_LENGTH)) {
            return taut_fail(TAUT_INVALID_ARGUMENT, "%s %zu component %zu is %g; it must be finite and at most %g.",
                             what, i / 3, i % 3, values[i], TAUT_MAX_LENGTH);
        }
    }
    return TAUT_OK;
}

static taut_status check_particles(const taut_world* world, size_t count, const uint32_t* particles) {
    for (size_t i = 0; i < count; i++) {
        if (particles[i] >= world->plan.sizes.nodes) {
            return taut_fail(TAUT_INVALID_ARGUMENT, "particle %u does not exist (%zu particles).", particles[i],
                             world->plan.sizes.nodes);
        }
    }
    return TAUT_OK;
}

taut_status taut_world_set_gravity(taut_world* world, const double gravity[3]) {
    taut_status status = check_pointers(world, gravity);
    if (status == TAUT_OK) {
        status = check_vectors("gravity", 1, gravity);
    }
    if (status == TAUT_OK) {
        memcpy(world->plan.settings.gravity, gravity, 3 * sizeof(double));
        status = world_retune(world);
    }
    return status;
}

taut_status taut_world_set_integrator(taut_world* world, const taut_integrator* integrator) {
    taut_status status = check_pointers(world, integrator);
    if (status == TAUT_OK) {
        status = world_check_integrator(integrator);
    }
    if (status != TAUT_OK) {
        return status;
    }
    if (integrator->geometric_stiffness == TAUT_GEOMETRIC_FULL && !world->plan.with_roots) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "integrator: the world was created without geometric stiffness.");
    }
    world->plan.settings.integrator = *integrator;
    return world_retune(world);
}

taut_status taut_world_set_solver(taut_world* world, const taut_solver* solver) {
    taut_status status = check_pointers(world, solver);
    if (status == TAUT_OK) {
        status = world_check_solver(solver);
    }
    if (status != TAUT_OK) {
        return status;
    }
    const taut_solver* now = &world->plan.settings.solver;
    if (solver->preconditioner != now->preconditioner || solver->block_size != now->block_size) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "solver: preconditioner and block_size are fixed at creation.");
    }
    world->plan.settings.solver = *solver;
    return world_retune(world);
}

/* The tick of the step that comes next. */
static uint32_t next_tick(const taut_world* world) {
    return (uint32_t)(TAUT_FIRST_TICK + world->steps);
}

/* ---- particles -------------------------------------------------------------------------------------------------- */

taut_status taut_world_set_forces(taut_world* world, size_t first, size_t count, const double* forces) {
    taut_status status = check_pointers(world, forces);
    if (status == TAUT_OK && (first > world->plan.sizes.nodes || count > world->plan.sizes.nodes - first)) {
        status = taut_fail(TAUT_INVALID_ARGUMENT, "particles %zu to %zu do not exist (%zu particles).", first,
                           first + count, world->plan.sizes.nodes);
    }
    for (size_t i = 0; status == TAUT_OK && i < 3 * count; i++) {
        if (!isfinite(forces[i])) {
            status = taut_fail(TAUT_INVALID_ARGUMENT, "force %zu component %zu is not finite.", i / 3, i % 3);
        }
    }
    if (status != TAUT_OK) {
        return status;
    }
    double* stored = world->plan.fields.force + 3 * first;
    memcpy(stored, forces, 3 * count * sizeof(double));
    world->linear_h = 0;
    return world_upload(world, stored, 3 * count * sizeof(double));
}

static taut_status set_fixed(taut_world* world, uint32_t particle, bool fixed) {
    taut_fields* f = &world->plan.fields;
    f->inverse_mass[particle] = fixed ? 0 : (float)(1 / f->mass[particle]);
    f->node_goal_tick[particle] = 0;
    taut_status status = world_upload(world, &f->inverse_mass[particle], sizeof(float));
    if (status == TAUT_OK) {
        status = world_upload(world, &f->node_goal_tick[particle], sizeof(uint32_t));
    }
    if (status == TAUT_OK && fixed) {
        memset(f->v + 3 * (size_t)particle, 0, 3 * sizeof(double));
        status = world_upload(world, f->v + 3 * (size_t)particle, 3 * sizeof(double));
    }
    return status;
}

taut_status taut_world_set_fixed(taut_world* world, size_t count, const uint32_t* particles, bool fixed) {
    taut_status status = check_pointers(world, particles);
    if (status == TAUT_OK) {
        status = check_particles(world, count, particles);
    }
    if (status != TAUT_OK) {
        return status;
    }
    for (size_t i = 0; status == TAUT_OK && i < count; i++) {
        status = set_fixed(world, particles[i], fixed);
    }
    world->stale = true;
    world->linear_h = 0;
    return status;
}

taut_status taut_world_move_fixed(taut_world* world, size_t count, const uint32_t* particles, const double* positions) {
    taut_status status = check_pointers(world, particles);
    if (status == TAUT_OK) {
        status = check_pointers(world, positions);
    }
    if (status == TAUT_OK) {
        status = check_particles(world, count, particles);
    }
    if (status == TAUT_OK) {
        status = check_vectors("position", count, positions);
    }
    taut_fields* f = world != NULL ? &world->plan.fields : NULL;
    for (size_t i = 0; status == TAUT_OK && i < count; i++) {
        if (f->inverse_mass[particles[i]] > 0) {
            status = taut_fail(TAUT_INVALID_ARGUMENT, "taut_world_move_fixed: particle %u is free.", particles[i]);
        }
    }
    if (status != TAUT_OK) {
        return status;
    }
    uint32_t low = UINT32_MAX, high = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t n = particles[i];
        memcpy(f->node_goal + 3 * (size_t)n, positions + 3 * i, 3 * sizeof(double));
        f->node_goal_tick[n] = next_tick(world);
        low = n < low ? n : low;
        high = n > high ? n : high;
    }
    world->linear_h = 0;
    if (count == 0) {
        return TAUT_OK;
    }
    /* Goals are written by the host alone, so what lies between the particles may travel along. */
    const size_t span = high - (size_t)low + 1;
    status = world_upload(world, f->node_goal + 3 * (size_t)low, 3 * span * sizeof(double));
    return status == TAUT_OK ? world_upload(world, f->node_goal_tick + low, span * sizeof(uint32_t)) : status;
}

/* ---- constraints ------------------------------------------------------------------------------------------------ */

/* The fields of constraints [first, first + count) of a batch: `offset` is added to constraint numbers of the kind. */
static taut_status find_constraints(taut_world* world, taut_batch batch, size_t first, size_t count,
                                    const double* values, const scene_batch** found, size_t* offset) {
    taut_status status = check_pointers(world, values);
    if (status != TAUT_OK) {
        return status;
    }
    const scene_batch* b = scene_find_batch(world->batches, world->batch_count, batch);
    if (b == NULL) {
        return TAUT_INVALID_ARGUMENT;
    }
    if (first > b->count || count > b->count - first) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "%s constraints %zu to %zu do not exist: the batch has %u.",
                         taut_kind_name(b->kind), first, first + count, b->count);
    }
    *found = b;
    *offset = b->first + first;
    return TAUT_OK;
}

/* What changes with the next step. */
static taut_status changed(taut_world* world, const void* field, size_t bytes) {
    world->stale = true;
    world->linear_h = 0;
    return world_upload(world, field, bytes);
}

taut_status taut_world_move_targets(taut_world* world, taut_batch batch, size_t first, size_t count,
                                    const double* targets) {
    const scene_batch* b = NULL;
    size_t offset = 0;
    taut_status status = find_constraints(world, batch, first, count, targets, &b, &offset);
    if (status == TAUT_OK && b->kind != TAUT_TARGET) {
        status = taut_fail(TAUT_INVALID_ARGUMENT, "taut_world_move_targets: the batch holds %s constraints.",
                           taut_kind_name(b->kind));
    }
    if (status == TAUT_OK) {
        status = check_vectors("target", count, targets);
    }
    if (status != TAUT_OK) {
        return status;
    }
    taut_kind_fields* f = &world->plan.fields.kinds[TAUT_TARGET];
    memcpy(f->goal + 3 * offset, targets, 3 * count * sizeof(double));
    for (size_t i = 0; i < count; i++) {
        f->goal_tick[offset + i] = next_tick(world);
    }
    status = changed(world, f->goal + 3 * offset, 3 * count * sizeof(double));
    return status == TAUT_OK ? changed(world, f->goal_tick + offset, count * sizeof(uint32_t)) : status;
}

taut_status taut_world_set_compliances(taut_world* world, taut_batch batch, size_t first, size_t count,
                                       const double* compliances) {
    const scene_batch* b = NULL;
    size_t offset = 0;
    taut_status status = find_constraints(world, batch, first, count, compliances, &b, &offset);
    for (size_t i = 0; status == TAUT_OK && i < count; i++) {
        status = scene_check_compliance(taut_kind_name(b->kind), first + i, compliances[i]);
    }
    if (status != TAUT_OK) {
        return status;
    }
    taut_kind_fields* f = &world->plan.fields.kinds[b->kind];
    const size_t packed = taut_kind_shapes[b->kind].packed;
    for (size_t i = 0; i < count; i++) {
        scene_compliance_block(b->kind, compliances[i], b->poisson, f->measure[offset + i],
                               f->compliance + packed * (offset + i));
    }
    return changed(world, f->compliance + packed * offset, packed * count * sizeof(double));
}

taut_status taut_world_set_dampings(taut_world* world, taut_batch batch, size_t first, size_t count,
                                    const double* dampings) {
    const scene_batch* b = NULL;
    size_t offset = 0;
    taut_status status = find_constraints(world, batch, first, count, dampings, &b, &offset);
    for (size_t i = 0; status == TAUT_OK && i < count; i++) {
        status = scene_check_damping(taut_kind_name(b->kind), first + i, dampings[i]);
    }
    if (status != TAUT_OK) {
        return status;
    }
    double* stored = world->plan.fields.kinds[b->kind].damping + offset;
    memcpy(stored, dampings, count * sizeof(double));
    return changed(world, stored, count * sizeof(double));
}

taut_status taut_world_set_rest_values(taut_world* world, taut_batch batch, size_t first, size_t count,
                                       const double* values) {
    const scene_batch* b = NULL;
    size_t offset = 0;
    taut_status status = find_constraints(world, batch, first, count, values, &b, &offset);
    if (status == TAUT_OK && taut_kind_shapes[b->kind].rest != 1) {
        status =
            taut_fail(TAUT_INVALID_ARGUMENT, "taut_world_set_rest_values: %s constraints have no single rest value.",
                      taut_kind_name(b->kind));
    }
    for (size_t i = 0; status == TAUT_OK && i < count; i++) {
        status = scene_check_rest(b->kind, first + i, values[i]);
    }
    if (status != TAUT_OK) {
        return status;
    }
    double* stored = world->plan.fields.kinds[b->kind].rest + offset;
    memcpy(stored, values, count * sizeof(double));
    return changed(world, stored, count * sizeof(double));
}
