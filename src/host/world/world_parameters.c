/* Changing parameters of a world between steps. */
#define TAUT_REAL double
#include "base/status.h"
#include "host/world/world_changes.h"
#include "kernels/formulas/kinds.h"

#include <math.h>
#include <string.h>

taut_status world_check_pointers(taut_world* world, size_t count, const void* values) {
    if (world == NULL || (values == NULL && count > 0)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "world and values must not be NULL.");
    }
    return world_ready(world);
}

taut_status world_check_vectors(const char* what, size_t count, const double* values) {
    for (size_t i = 0; i < 3 * count; i++) {
        if (!(fabs(values[i]) <= TAUT_MAX_LENGTH)) {
            return taut_fail(TAUT_INVALID_ARGUMENT, "%s %zu component %zu is %g; it must be finite and at most %g.",
                             what, i / 3, i % 3, values[i], TAUT_MAX_LENGTH);
        }
    }
    return TAUT_OK;
}

taut_status world_check_particles(const taut_world* world, size_t count, const uint32_t* particles) {
    for (size_t i = 0; i < count; i++) {
        if (particles[i] >= world->plan.sizes.points) {
            return taut_fail(TAUT_INVALID_ARGUMENT, "particle %u does not exist (%zu particles).", particles[i],
                             world->plan.sizes.points);
        }
        const size_t n = world_node(world, particles[i]);
        if (n >= world->plan.sizes.simple) {
            return taut_fail(TAUT_INVALID_ARGUMENT, "point %u is mapped; it follows its parents.", particles[i]);
        }
    }
    return TAUT_OK;
}

taut_status world_check_frames(const taut_world* world, size_t count, const uint32_t* frames) {
    for (size_t i = 0; i < count; i++) {
        if (frames[i] >= world->plan.sizes.frames) {
            return taut_fail(TAUT_INVALID_ARGUMENT, "frame %u does not exist (%zu frames).", frames[i],
                             world->plan.sizes.frames);
        }
    }
    return TAUT_OK;
}

taut_status world_check_body(const taut_world* world, const char* what, size_t index, taut_body body) {
    const taut_sizes* s = &world->plan.sizes;
    if (taut_body_is_world(body)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "%s[%zu]: takes a body, not the world.", what, index);
    }
    if (body.frame >= s->frames || body.point >= s->points) {
        return taut_fail(TAUT_INVALID_ARGUMENT,
                         "%s[%zu]: point %u or frame %u does not exist (%zu points, %zu frames).", what, index,
                         body.point, body.frame, s->points, s->frames);
    }
    const uint32_t centre = world->plan.fields.frame_centre[world_node(world, s->points + body.frame) - s->points];
    if (centre == TAUT_NO_NODE) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "%s[%zu]: frame %u is a piece of a rod, not a body.", what, index,
                         body.frame);
    }
    return centre == world_node(world, body.point)
               ? TAUT_OK
               : taut_fail(TAUT_INVALID_ARGUMENT, "%s[%zu]: point %u and frame %u are not of one body.", what, index,
                           body.point, body.frame);
}

taut_status world_check_bodies(taut_world* world, size_t count, const taut_body* bodies) {
    taut_status status = world_check_pointers(world, count, bodies);
    for (size_t i = 0; status == TAUT_OK && i < count; i++) {
        status = world_check_body(world, "bodies", i, bodies[i]);
    }
    return status;
}

uint32_t world_listed_number(const world_listed* list, size_t i) {
    if (list->numbers != NULL) {
        return list->numbers[i];
    }
    return list->frames ? list->bodies[i].frame : list->bodies[i].point;
}

size_t world_listed_node(const taut_world* world, const world_listed* list, size_t i) {
    return world_node(world, (list->frames ? world->plan.sizes.points : 0) + world_listed_number(list, i));
}

taut_status taut_world_set_gravity(taut_world* world, const double gravity[3]) {
    taut_status status = world_check_pointers(world, 1, gravity);
    if (status == TAUT_OK) {
        status = world_check_vectors("gravity", 1, gravity);
    }
    if (status == TAUT_OK) {
        if (world_differ(world->plan.settings.gravity, gravity, 3)) {
            world_wake_all(world);
        }
        memcpy(world->plan.settings.gravity, gravity, 3 * sizeof(double));
        status = world_retune(world);
    }
    return status;
}

/* Steps without rows that act with the force of the state do not write these, and count them as 0. */
static taut_status forget_explicit_impulses(taut_world* world) {
    const size_t bytes = world->plan.sizes.rows * sizeof(double);
    memset(world->plan.fields.explicit_gam, 0, bytes);
    return world_upload(world, world->plan.fields.explicit_gam, bytes);
}

taut_status taut_world_set_integrator(taut_world* world, const taut_integrator* integrator) {
    taut_status status = world_check_pointers(world, 1, integrator);
    if (status == TAUT_OK) {
        status = world_check_integrator(integrator);
    }
    if (status != TAUT_OK) {
        return status;
    }
    if (integrator->sdirk && world->plan.sizes.touches) {
        return world_refuse_sdirk();
    }
    if (integrator->geometric_stiffness == TAUT_GEOMETRIC_FULL && !world->plan.with_factor_rows) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "integrator: the world was created without geometric stiffness.");
    }
    const bool explicit_before = taut_step_factors(&world->plan.settings, 1).explicit_rows;
    world_wake_all(world);
    world->plan.settings.integrator = *integrator;
    world->plan.settings.weighed = world->plan.settings.weighed || world_weighs(integrator);
    if (explicit_before && !taut_step_factors(&world->plan.settings, 1).explicit_rows) {
        status = forget_explicit_impulses(world);
    }
    return status == TAUT_OK ? world_retune(world) : status;
}

taut_status taut_world_set_solver(taut_world* world, const taut_solver* solver) {
    taut_status status = world_check_pointers(world, 1, solver);
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
    if (solver->method != now->method || solver->cycle != now->cycle) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "solver: method and cycle are fixed at creation.");
    }
    world->plan.settings.solver = *solver;
    return world_retune(world);
}

uint32_t world_next_tick(const taut_world* world) {
    return (uint32_t)(TAUT_FIRST_TICK + world->steps);
}

/* ---- particles -------------------------------------------------------------------------------------------------- */

/* Forces on nodes [first, first + count), as the user counts points and, behind them, frames. */
static taut_status store_forces(taut_world* world, const char* what, size_t first, size_t count, const double* forces) {
    for (size_t i = 0; i < 3 * count; i++) {
        if (!isfinite(forces[i])) {
            return taut_fail(TAUT_INVALID_ARGUMENT, "%s %zu component %zu is not finite.", what, i / 3, i % 3);
        }
    }
    const taut_sizes* s = &world->plan.sizes;
    double* stored = world->plan.fields.force;
    world_span written = WORLD_EMPTY_SPAN;
    bool passive = false;
    for (size_t i = 0; i < count; i++) {
        const size_t n = world_node(world, first + i);
        if (world_differ(stored + 3 * n, forces + 3 * i, 3)) {
            world_wake_node(world, n);
        }
        memcpy(stored + 3 * n, forces + 3 * i, 3 * sizeof(double));
        world_span_add(&written, n);
        passive = passive || (n >= s->level_begin[s->active_levels] && n < s->points);
    }
    world->linear_h = 0;
    const taut_status status = world_upload_span(world, stored, 3 * sizeof(double), written);
    if (status == TAUT_OK && passive && !world->plan.settings.passive_forces) {
        world->plan.settings.passive_forces = true;
        return world_retune(world);
    }
    return status;
}

taut_status taut_world_set_forces(taut_world* world, size_t first, size_t count, const double* forces) {
    taut_status status = world_check_pointers(world, count, forces);
    if (status == TAUT_OK) {
        status = world_check_range("particles", first, count, world->plan.sizes.points);
    }
    return status == TAUT_OK ? store_forces(world, "force", first, count, forces) : status;
}

taut_status taut_world_set_torques(taut_world* world, size_t first, size_t count, const double* torques) {
    taut_status status = world_check_pointers(world, count, torques);
    if (status == TAUT_OK) {
        status = world_check_range("frames", first, count, world->plan.sizes.frames);
    }
    return status == TAUT_OK ? store_forces(world, "torque", world->plan.sizes.points + first, count, torques) : status;
}

/* A velocity is written by the device too: what lies between the nodes must not travel along. */
static taut_status stop(taut_world* world, size_t node) {
    double* v = world->plan.fields.v + 3 * node;
    memset(v, 0, 3 * sizeof(double));
    return world_upload(world, v, 3 * sizeof(double));
}

static taut_status fix_nodes(taut_world* world, const world_listed* list, bool fixed) {
    const taut_fields* f = &world->plan.fields;
    world_span written = WORLD_EMPTY_SPAN;
    taut_status status = TAUT_OK;
    for (size_t i = 0; status == TAUT_OK && i < list->count; i++) {
        const size_t n = world_listed_node(world, list, i);
        const float free = list->frames ? 1 : (float)(1 / f->mass[n]);
        f->inverse_mass[n] = fixed ? 0 : free;
        f->node_goal_tick[n] = 0;
        world_span_add(&written, n);
        status = fixed ? stop(world, n) : TAUT_OK;
    }
    world_wake_all(world);
    world->stale = true;
    world->linear_h = 0;
    if (status == TAUT_OK) {
        status = world_upload_span(world, f->inverse_mass, sizeof(float), written);
    }
    return status == TAUT_OK ? world_upload_span(world, f->node_goal_tick, sizeof(uint32_t), written) : status;
}

taut_status taut_world_set_fixed(taut_world* world, size_t count, const uint32_t* particles, bool fixed) {
    taut_status status = world_check_pointers(world, count, particles);
    if (status == TAUT_OK) {
        status = world_check_particles(world, count, particles);
    }
    const world_listed list = {.count = count, .numbers = particles};
    return status == TAUT_OK ? fix_nodes(world, &list, fixed) : status;
}

taut_status taut_world_set_frames_fixed(taut_world* world, size_t count, const uint32_t* frames, bool fixed) {
    taut_status status = world_check_pointers(world, count, frames);
    if (status == TAUT_OK) {
        status = world_check_frames(world, count, frames);
    }
    const world_listed list = {.count = count, .numbers = frames, .frames = true};
    return status == TAUT_OK ? fix_nodes(world, &list, fixed) : status;
}

taut_status taut_world_set_bodies_fixed(taut_world* world, size_t count, const taut_body* bodies, bool fixed) {
    const world_listed points = {.count = count, .bodies = bodies};
    const world_listed frames = {.count = count, .bodies = bodies, .frames = true};
    taut_status status = world_check_bodies(world, count, bodies);
    status = status == TAUT_OK ? fix_nodes(world, &points, fixed) : status;
    return status == TAUT_OK ? fix_nodes(world, &frames, fixed) : status;
}

/* ---- constraints ------------------------------------------------------------------------------------------------ */

/* Constraints [first, first + count) of a batch are `offset` and following of its kind, as the user counts. */
taut_status world_find_constraints(taut_world* world, taut_batch batch, size_t first, size_t count, const void* values,
                                   const scene_batch** found, size_t* offset) {
    taut_status status = world_check_pointers(world, count, values);
    if (status != TAUT_OK) {
        return status;
    }
    const scene_batch* b = scene_find_batch(world->batches, world->batch_count, batch);
    if (b == NULL) {
        return TAUT_INVALID_ARGUMENT;
    }
    if (first > b->count || count > b->count - first) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "%zu %s constraints from %zu on do not all exist: the batch has %u.",
                         count, taut_kind_name(b->kind), first, b->count);
    }
    *found = b;
    *offset = b->first + first;
    return TAUT_OK;
}

/* Copies an element per constraint from `values` to its place. */
taut_status world_put(taut_world* world, taut_kind kind, size_t offset, size_t count, const void* values, void* array,
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

taut_status taut_world_set_compliances(taut_world* world, taut_batch batch, size_t first, size_t count,
                                       const double* compliances) {
    const scene_batch* b = NULL;
    size_t offset = 0;
    taut_status status = world_find_constraints(world, batch, first, count, compliances, &b, &offset);
    const size_t axes = status == TAUT_OK ? taut_kind_shapes[b->kind].axes : 1;
    if (status == TAUT_OK && taut_kind_shapes[b->kind].load > 0) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "%s elements have no compliance.", taut_kind_name(b->kind));
    }
    for (size_t i = 0; status == TAUT_OK && i < axes * count; i++) {
        status = scene_check_compliance(taut_kind_name(b->kind), first + i / axes, compliances[i]);
        if (status == TAUT_OK && b->as_force && compliances[i] == 0) {
            status = taut_fail(TAUT_INVALID_ARGUMENT, "%s[%zu]: the batch is used as forces, which need compliance.",
                               taut_kind_name(b->kind), first + i / axes);
        }
    }
    if (status != TAUT_OK) {
        return status;
    }
    taut_kind_fields* f = &world->plan.fields.kinds[b->kind];
    const size_t packed = taut_kind_shapes[b->kind].packed;
    world_span written = WORLD_EMPTY_SPAN;
    for (size_t i = 0; i < count; i++) {
        const size_t c = world_constraint(world, b->kind, offset + i);
        if (axes > 1) {
            scene_diagonal_block(b->kind, compliances + axes * i, f->compliance + packed * c);
        } else {
            scene_compliance_block(b->kind, compliances[i], b->poisson, f->measure[c], f->compliance + packed * c);
        }
        world_span_add(&written, c);
    }
    world_wake_all(world);
    world->stale = true;
    world->linear_h = 0;
    return world_upload_span(world, f->compliance, packed * sizeof(double), written);
}

taut_status taut_world_set_dampings(taut_world* world, taut_batch batch, size_t first, size_t count,
                                    const double* dampings) {
    const scene_batch* b = NULL;
    size_t offset = 0;
    taut_status status = world_find_constraints(world, batch, first, count, dampings, &b, &offset);
    if (status == TAUT_OK && taut_kind_shapes[b->kind].load > 0 && b->kind != TAUT_SOLID) {
        status = taut_fail(TAUT_INVALID_ARGUMENT, "%s elements have no damping time.", taut_kind_name(b->kind));
    }
    for (size_t i = 0; status == TAUT_OK && i < count; i++) {
        status = scene_check_damping(taut_kind_name(b->kind), first + i, dampings[i]);
    }
    if (status != TAUT_OK) {
        return status;
    }
    world_wake_all(world);
    world->stale = true;
    return world_put(world, b->kind, offset, count, dampings, world->plan.fields.kinds[b->kind].damping,
                     sizeof(double));
}

/* Leading rest values that the user may set: single ones, and those of drives. */
static size_t settable_rest(taut_kind kind) {
    const taut_kind_shape* shape = &taut_kind_shapes[kind];
    return shape->rest == 1 ? 1 : kind != TAUT_TARGET ? shape->moves : 0;
}

/* Whether these are the rest values that a batch has: of what drives move only the device knows. */
static bool has_rest(const taut_world* world, const scene_batch* b, size_t offset, size_t count, size_t settable,
                     const double* values) {
    const taut_kind_fields* f = &world->plan.fields.kinds[b->kind];
    const size_t width = taut_kind_shapes[b->kind].rest;
    bool same = taut_kind_shapes[b->kind].moves == 0 || b->of_velocities;
    for (size_t i = 0; same && i < count; i++) {
        const double* rest = f->rest + width * world_constraint(world, b->kind, offset + i);
        same = !world_differ(rest, values + settable * i, settable);
    }
    return same;
}

/* The first `settable` of each constraint's rest values. They move on the device where drives do: what lies between
 * them travels both ways. */
static taut_status put_rest(taut_world* world, taut_kind kind, size_t offset, size_t count, size_t settable,
                            const double* values) {
    taut_kind_fields* f = &world->plan.fields.kinds[kind];
    const size_t width = taut_kind_shapes[kind].rest;
    world_wake_all(world);
    world->stale = true;
    if (width == settable && taut_kind_shapes[kind].moves == 0) {
        return world_put(world, kind, offset, count, values, f->rest, width * sizeof(double));
    }
    world_span written = WORLD_EMPTY_SPAN;
    for (size_t i = 0; i < count; i++) {
        world_span_add(&written, world_constraint(world, kind, offset + i));
    }
    world->linear_h = 0;
    if (count == 0) {
        return TAUT_OK;
    }
    taut_status status =
        world_download(world, f->rest + width * written.low, width * (written.high - written.low) * sizeof(double));
    for (size_t i = 0; status == TAUT_OK && i < count; i++) {
        const size_t c = world_constraint(world, kind, offset + i);
        memcpy(f->rest + width * c, values + settable * i, settable * sizeof(double));
        f->goal_tick[c] = 0;
    }
    if (status == TAUT_OK) {
        status = world_upload_span(world, f->rest, width * sizeof(double), written);
    }
    return status == TAUT_OK ? world_upload_span(world, f->goal_tick, sizeof(uint32_t), written) : status;
}

/* Limits of swings, and what hinges hold, are cosines. */
static taut_status check_cosine(const taut_world* world, const scene_batch* b, size_t offset, size_t i, double value) {
    const double* rest =
        world->plan.fields.kinds[b->kind].rest + angular_REST * world_constraint(world, b->kind, offset + i);
    return angular_mode(rest) != TURN_COSINE || fabs(value) <= 1
               ? TAUT_OK
               : taut_fail(TAUT_INVALID_ARGUMENT, "angular[%zu]: rest value is %g; a cosine must lie in -1 to 1.", i,
                           value);
}

taut_status taut_world_set_rest_values(taut_world* world, taut_batch batch, size_t first, size_t count,
                                       const double* values) {
    const scene_batch* b = NULL;
    size_t offset = 0;
    taut_status status = world_find_constraints(world, batch, first, count, values, &b, &offset);
    const size_t settable = status == TAUT_OK ? settable_rest(b->kind) : 0;
    if (status == TAUT_OK && settable == 0) {
        status = taut_fail(TAUT_INVALID_ARGUMENT, "%s constraints have no single rest value.", taut_kind_name(b->kind));
    }
    for (size_t i = 0; status == TAUT_OK && i < settable * count; i++) {
        status = scene_check_rest(b->kind, first + i / settable, values[i]);
    }
    for (size_t i = 0; status == TAUT_OK && b->kind == TAUT_ANGULAR && i < count; i++) {
        status = check_cosine(world, b, offset, i, values[i]);
    }
    const bool changes = status == TAUT_OK && !has_rest(world, b, offset, count, settable, values);
    return changes ? put_rest(world, b->kind, offset, count, settable, values) : status;
}
