/* Changing parameters of a world between steps. */
#include "host/status.h"
#include "host/world.h"

#include <math.h>
#include <string.h>

static taut_status check_pointers(const taut_world* world, const void* values) {
    if (world == NULL || values == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "world and values must not be NULL.");
    }
    return TAUT_OK;
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
        world->linear_h = 0;
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
    world->linear_h = 0;
    return TAUT_OK;
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
    world->linear_h = 0;
    return TAUT_OK;
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
    if (status == TAUT_OK) {
        status = world_download(world);
    }
    if (status != TAUT_OK) {
        return status;
    }
    memcpy(world->plan.fields.force + 3 * first, forces, 3 * count * sizeof(double));
    world->linear_h = 0;
    return world_upload(world);
}

taut_status taut_world_set_fixed(taut_world* world, size_t count, const uint32_t* particles, bool fixed) {
    taut_status status = check_pointers(world, particles);
    if (status == TAUT_OK) {
        status = check_particles(world, count, particles);
    }
    if (status == TAUT_OK) {
        status = world_download(world);
    }
    if (status != TAUT_OK) {
        return status;
    }
    taut_fields* f = &world->plan.fields;
    for (size_t i = 0; i < count; i++) {
        f->inverse_mass[particles[i]] = fixed ? 0 : (float)(1 / f->mass[particles[i]]);
        f->node_moving[particles[i]] = TAUT_AT_REST;
        if (fixed) {
            memset(f->v + 3 * (size_t)particles[i], 0, 3 * sizeof(double));
        }
    }
    world->stale = true;
    world->linear_h = 0;
    return world_upload(world);
}

taut_status taut_world_move_fixed(taut_world* world, size_t count, const uint32_t* particles,
                                  const double* positions) {
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
    if (status == TAUT_OK) {
        status = world_download(world);
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
    for (size_t i = 0; i < count; i++) {
        memcpy(f->node_goal + 3 * (size_t)particles[i], positions + 3 * i, 3 * sizeof(double));
        f->node_moving[particles[i]] = TAUT_TO_GOAL;
    }
    world->linear_h = 0;
    return world_upload(world);
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
    return world_download(world);
}

static taut_status changed(taut_world* world) {
    world->stale = true;
    world->linear_h = 0;
    return world_upload(world);
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
    memset(f->moving + offset, TAUT_TO_GOAL, count);
    return changed(world);
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
    return changed(world);
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
    memcpy(world->plan.fields.kinds[b->kind].damping + offset, dampings, count * sizeof(double));
    return changed(world);
}

taut_status taut_world_set_rest_values(taut_world* world, taut_batch batch, size_t first, size_t count,
                                       const double* values) {
    const scene_batch* b = NULL;
    size_t offset = 0;
    taut_status status = find_constraints(world, batch, first, count, values, &b, &offset);
    if (status == TAUT_OK && taut_kind_shapes[b->kind].rest != 1) {
        status = taut_fail(TAUT_INVALID_ARGUMENT, "taut_world_set_rest_values: %s constraints have no single rest value.",
                           taut_kind_name(b->kind));
    }
    for (size_t i = 0; status == TAUT_OK && i < count; i++) {
        status = scene_check_rest(b->kind, first + i, values[i]);
    }
    if (status != TAUT_OK) {
        return status;
    }
    memcpy(world->plan.fields.kinds[b->kind].rest + offset, values, count * sizeof(double));
    return changed(world);
}
