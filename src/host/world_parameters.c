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
    double* stored = world->plan.fields.force;
    world_span written = WORLD_EMPTY_SPAN;
    for (size_t i = 0; i < count; i++) {
        const size_t n = world_node(world, first + i);
        memcpy(stored + 3 * n, forces + 3 * i, 3 * sizeof(double));
        world_span_add(&written, n);
    }
    world->linear_h = 0;
    return world_upload_span(world, stored, 3 * sizeof(double), written);
}

/* A velocity is written by the device too: what lies between the particles must not travel along. */
static taut_status stop(taut_world* world, size_t node) {
    double* v = world->plan.fields.v + 3 * node;
    memset(v, 0, 3 * sizeof(double));
    return world_upload(world, v, 3 * sizeof(double));
}

taut_status taut_world_set_fixed(taut_world* world, size_t count, const uint32_t* particles, bool fixed) {
    taut_status status = check_pointers(world, particles);
    if (status == TAUT_OK) {
        status = check_particles(world, count, particles);
    }
    if (status != TAUT_OK) {
        return status;
    }
    const taut_fields* f = &world->plan.fields;
    world_span written = WORLD_EMPTY_SPAN;
    for (size_t i = 0; status == TAUT_OK && i < count; i++) {
        const size_t n = world_node(world, particles[i]);
        f->inverse_mass[n] = fixed ? 0 : (float)(1 / f->mass[n]);
        f->node_goal_tick[n] = 0;
        world_span_add(&written, n);
        status = fixed ? stop(world, n) : TAUT_OK;
    }
    world->stale = true;
    world->linear_h = 0;
    if (status == TAUT_OK) {
        status = world_upload_span(world, f->inverse_mass, sizeof(float), written);
    }
    return status == TAUT_OK ? world_upload_span(world, f->node_goal_tick, sizeof(uint32_t), written) : status;
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
        if (f->inverse_mass[world_node(world, particles[i])] > 0) {
            status = taut_fail(TAUT_INVALID_ARGUMENT, "taut_world_move_fixed: particle %u is free.", particles[i]);
        }
    }
    if (status != TAUT_OK) {
        return status;
    }
    world_span written = WORLD_EMPTY_SPAN;
    for (size_t i = 0; i < count; i++) {
        const size_t n = world_node(world, particles[i]);
        memcpy(f->node_goal + 3 * n, positions + 3 * i, 3 * sizeof(double));
        f->node_goal_tick[n] = next_tick(world);
        world_span_add(&written, n);
    }
    world->linear_h = 0;
    status = world_upload_span(world, f->node_goal, 3 * sizeof(double), written);
    return status == TAUT_OK ? world_upload_span(world, f->node_goal_tick, sizeof(uint32_t), written) : status;
}

/* ---- constraints ------------------------------------------------------------------------------------------------ */

/* Constraints [first, first + count) of a batch are `offset` and following of its kind, as the user counts. */
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

/* Copies an element per constraint from `values` to its place. */
static taut_status put(taut_world* world, taut_kind kind, size_t offset, size_t count, const void* values, void* array,
                       size_t element) {
    world_span written = WORLD_EMPTY_SPAN;
    for (size_t i = 0; i < count; i++) {
        const size_t c = world_constraint(world, kind, offset + i);
        memcpy((char*)array + c * element, (const char*)values + i * element, element);
        world_span_add(&written, c);
    }
    world->linear_h = 0;
    return world_upload_span(world, array, element, written);
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
    world_span ticks = WORLD_EMPTY_SPAN;
    for (size_t i = 0; i < count; i++) {
        const size_t c = world_constraint(world, TAUT_TARGET, offset + i);
        f->goal_tick[c] = next_tick(world);
        world_span_add(&ticks, c);
    }
    status = put(world, TAUT_TARGET, offset, count, targets, f->goal, 3 * sizeof(double));
    return status == TAUT_OK ? world_upload_span(world, f->goal_tick, sizeof(uint32_t), ticks) : status;
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
    world_span written = WORLD_EMPTY_SPAN;
    for (size_t i = 0; i < count; i++) {
        const size_t c = world_constraint(world, b->kind, offset + i);
        scene_compliance_block(b->kind, compliances[i], b->poisson, f->measure[c], f->compliance + packed * c);
        world_span_add(&written, c);
    }
    world->stale = true;
    world->linear_h = 0;
    return world_upload_span(world, f->compliance, packed * sizeof(double), written);
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
    world->stale = true;
    return put(world, b->kind, offset, count, dampings, world->plan.fields.kinds[b->kind].damping, sizeof(double));
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
    world->stale = true;
    return put(world, b->kind, offset, count, values, world->plan.fields.kinds[b->kind].rest, sizeof(double));
}
