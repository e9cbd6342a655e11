/* Kinematic targets: where fixed particles and frames, and the rest values of constraints, go in the next step. */
#define TAUT_REAL double
#include "base/status.h"
#include "host/scene/scene_frames.h"
#include "host/world/world_changes.h"
#include "kernels/formulas/rotation_math.h"

#include <math.h>
#include <string.h>

static const double straight[TAUT_TURN_VALUES];

static taut_status check_turn(const double rotation[3], const double* centre, double turn[TAUT_TURN_VALUES]) {
    if (rotation == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "rotation must not be NULL.");
    }
    const taut_status status = world_check_vectors("rotation", 1, rotation);
    memset(turn, 0, TAUT_TURN_VALUES * sizeof *turn);
    memcpy(turn + TAUT_TURN_ROTATION, rotation, 3 * sizeof *turn);
    if (status == TAUT_OK && centre != NULL) {
        memcpy(turn + TAUT_TURN_CENTRE, centre, 3 * sizeof *turn);
        return world_check_vectors("centre", 1, centre);
    }
    return status;
}

/* The same about an axis, which must be given. */
static taut_status check_arc(const double rotation[3], const double* centre, double turn[TAUT_TURN_VALUES]) {
    return centre != NULL ? check_turn(rotation, centre, turn)
                          : taut_fail(TAUT_INVALID_ARGUMENT, "centre must not be NULL.");
}

/* Writes how element `at` turns on its way, where that is another turn than before. */
static void put_turn(double* turns, size_t at, const double turn[TAUT_TURN_VALUES], world_span* written) {
    double* own = turns + TAUT_TURN_VALUES * at;
    if (world_differ(own, turn, TAUT_TURN_VALUES)) {
        memcpy(own, turn, TAUT_TURN_VALUES * sizeof *turn);
        world_span_add(written, at);
    }
}

/* ---- particles and frames --------------------------------------------------------------------------------------- */

/* How nodes turn on their way. */
static taut_status send_turns(taut_world* world, const world_listed* list, const double turn[TAUT_TURN_VALUES]) {
    double* turns = world->plan.fields.node_turn;
    world_span written = WORLD_EMPTY_SPAN;
    for (size_t i = 0; i < list->count; i++) {
        put_turn(turns, world_listed_node(world, list, i), turn, &written);
    }
    return world_upload_span(world, turns, TAUT_TURN_VALUES * sizeof *turn, written);
}

/* Sends goals (`width` values each, the first of `goals` for node `first_goal`) that are in place, with their ticks. */
static taut_status send_goals(taut_world* world, const world_listed* list, const double* goals, size_t width,
                              size_t first_goal) {
    const taut_fields* f = &world->plan.fields;
    world_span written = WORLD_EMPTY_SPAN;
    for (size_t i = 0; i < list->count; i++) {
        const size_t n = world_listed_node(world, list, i);
        f->node_goal_tick[n] = world_next_tick(world);
        world_span_add(&written, n);
    }
    const world_span moved = {written.low - first_goal, written.high - first_goal};
    world->linear_h = 0;
    if (list->count == 0) {
        return TAUT_OK;
    }
    const taut_status status = world_upload_span(world, goals, width * sizeof(double), moved);
    return status == TAUT_OK ? world_upload_span(world, f->node_goal_tick, sizeof(uint32_t), written) : status;
}

static taut_status check_held(const taut_world* world, const world_listed* list) {
    for (size_t i = 0; i < list->count; i++) {
        if (world->plan.fields.inverse_mass[world_listed_node(world, list, i)] > 0) {
            return taut_fail(TAUT_INVALID_ARGUMENT, "%s %u is free.", list->frames ? "frame" : "particle",
                             world_listed_number(list, i));
        }
    }
    return TAUT_OK;
}

/* Of points that exist. */
static taut_status check_positions(taut_world* world, const world_listed* points, const double* positions) {
    taut_status status = world_check_pointers(world, points->count, positions);
    if (status == TAUT_OK) {
        status = world_check_vectors("position", points->count, positions);
    }
    return status == TAUT_OK ? check_held(world, points) : status;
}

/* Of frames that exist. */
static taut_status check_orientations(taut_world* world, const world_listed* frames, const double* orientations) {
    taut_status status = world_check_pointers(world, frames->count, orientations);
    if (status == TAUT_OK) {
        status = scene_check_quaternions("orientation", orientations, frames->count);
    }
    return status == TAUT_OK ? check_held(world, frames) : status;
}

/* After all checks; `turn`: of all of them. */
static taut_status send_positions(taut_world* world, const world_listed* points, const double* positions,
                                  const double turn[TAUT_TURN_VALUES]) {
    double* goals = world->plan.fields.node_goal;
    for (size_t i = 0; i < points->count; i++) {
        memcpy(goals + 3 * world_listed_node(world, points, i), positions + 3 * i, 3 * sizeof(double));
    }
    const taut_status status = send_turns(world, points, turn);
    return status == TAUT_OK ? send_goals(world, points, goals, 3, 0) : status;
}

static taut_status send_orientations(taut_world* world, const world_listed* frames, const double* orientations,
                                     const double turn[TAUT_TURN_VALUES]) {
    double* goals = world->plan.fields.frame_goal;
    for (size_t i = 0; i < frames->count; i++) {
        quat_normalise(orientations + 4 * i, goals + 4 * (size_t)world_listed_number(frames, i));
    }
    const taut_status status = send_turns(world, frames, turn);
    return status == TAUT_OK ? send_goals(world, frames, goals, 4, world->plan.sizes.points) : status;
}

static taut_status move_particles(taut_world* world, size_t count, const uint32_t* particles, const double* positions,
                                  const double turn[TAUT_TURN_VALUES]) {
    const world_listed points = {.count = count, .numbers = particles};
    taut_status status = world_check_pointers(world, count, particles);
    if (status == TAUT_OK) {
        status = world_check_particles(world, count, particles);
    }
    if (status == TAUT_OK) {
        status = check_positions(world, &points, positions);
    }
    return status == TAUT_OK ? send_positions(world, &points, positions, turn) : status;
}

taut_status taut_world_move_fixed(taut_world* world, size_t count, const uint32_t* particles, const double* positions) {
    return move_particles(world, count, particles, positions, straight);
}

taut_status taut_world_turn_fixed(taut_world* world, size_t count, const uint32_t* particles, const double* positions,
                                  const double rotation[3], const double centre[3]) {
    double turn[TAUT_TURN_VALUES];
    const taut_status status = check_arc(rotation, centre, turn);
    return status == TAUT_OK ? move_particles(world, count, particles, positions, turn) : status;
}

static taut_status move_frames(taut_world* world, size_t count, const uint32_t* numbers, const double* orientations,
                               const double turn[TAUT_TURN_VALUES]) {
    const world_listed frames = {.count = count, .numbers = numbers, .frames = true};
    taut_status status = world_check_pointers(world, count, numbers);
    if (status == TAUT_OK) {
        status = world_check_frames(world, count, numbers);
    }
    if (status == TAUT_OK) {
        status = check_orientations(world, &frames, orientations);
    }
    return status == TAUT_OK ? send_orientations(world, &frames, orientations, turn) : status;
}

taut_status taut_world_move_fixed_frames(taut_world* world, size_t count, const uint32_t* frames,
                                         const double* orientations) {
    return move_frames(world, count, frames, orientations, straight);
}

taut_status taut_world_turn_fixed_frames(taut_world* world, size_t count, const uint32_t* frames,
                                         const double* orientations, const double rotation[3]) {
    double turn[TAUT_TURN_VALUES];
    const taut_status status = check_turn(rotation, NULL, turn);
    return status == TAUT_OK ? move_frames(world, count, frames, orientations, turn) : status;
}

/* Frames have no centre about which they turn: `frame_turn` is their own. */
static taut_status move_bodies(taut_world* world, size_t count, const taut_body* bodies, const double* positions,
                               const double* orientations, const double turn[TAUT_TURN_VALUES],
                               const double frame_turn[TAUT_TURN_VALUES]) {
    const world_listed points = {.count = count, .bodies = bodies};
    const world_listed frames = {.count = count, .bodies = bodies, .frames = true};
    taut_status status = world_check_bodies(world, count, bodies);
    if (status == TAUT_OK) {
        status = check_positions(world, &points, positions);
    }
    if (status == TAUT_OK) {
        status = check_orientations(world, &frames, orientations);
    }
    if (status == TAUT_OK) {
        status = send_positions(world, &points, positions, turn);
    }
    return status == TAUT_OK ? send_orientations(world, &frames, orientations, frame_turn) : status;
}

taut_status taut_world_move_fixed_bodies(taut_world* world, size_t count, const taut_body* bodies,
                                         const double* positions, const double* orientations) {
    return move_bodies(world, count, bodies, positions, orientations, straight, straight);
}

taut_status taut_world_turn_fixed_bodies(taut_world* world, size_t count, const taut_body* bodies,
                                         const double* positions, const double* orientations, const double rotation[3],
                                         const double centre[3]) {
    double turn[TAUT_TURN_VALUES], frame_turn[TAUT_TURN_VALUES];
    taut_status status = check_arc(rotation, centre, turn);
    status = status == TAUT_OK ? check_turn(rotation, NULL, frame_turn) : status;
    return status == TAUT_OK ? move_bodies(world, count, bodies, positions, orientations, turn, frame_turn) : status;
}

/* ---- rest values ------------------------------------------------------------------------------------------------- */

static taut_status send_target_turns(taut_world* world, size_t offset, size_t count,
                                     const double turn[TAUT_TURN_VALUES]) {
    double* turns = world->plan.fields.kinds[TAUT_TARGET].goal_turn;
    world_span written = WORLD_EMPTY_SPAN;
    for (size_t i = 0; i < count; i++) {
        put_turn(turns, world_constraint(world, TAUT_TARGET, offset + i), turn, &written);
    }
    return world_upload_span(world, turns, TAUT_TURN_VALUES * sizeof *turn, written);
}

/* `turn`: of all of them; they are straight where these are not positions. */
static taut_status move_targets(taut_world* world, taut_batch batch, size_t first, size_t count, const double* targets,
                                const double turn[TAUT_TURN_VALUES]) {
    const scene_batch* b = NULL;
    size_t offset = 0;
    taut_status status = world_find_constraints(world, batch, first, count, targets, &b, &offset);
    const size_t moves = status == TAUT_OK ? taut_kind_shapes[b->kind].moves : 0;
    if (status == TAUT_OK && moves == 0) {
        status = taut_fail(TAUT_INVALID_ARGUMENT, "%s constraints have no targets.", taut_kind_name(b->kind));
    }
    if (status == TAUT_OK && turn != straight && b->kind != TAUT_TARGET) {
        status = taut_fail(TAUT_INVALID_ARGUMENT, "targets of %s constraints are not positions; they do not turn.",
                           taut_kind_name(b->kind));
    }
    for (size_t i = 0; status == TAUT_OK && i < moves * count; i++) {
        if (!(fabs(targets[i]) <= TAUT_MAX_LENGTH)) {
            status = taut_fail(TAUT_INVALID_ARGUMENT,
                               "target %zu component %zu is %g; it must be finite and at most "
                               "%g.",
                               i / moves, i % moves, targets[i], TAUT_MAX_LENGTH);
        }
    }
    if (status != TAUT_OK) {
        return status;
    }
    taut_kind_fields* f = &world->plan.fields.kinds[b->kind];
    world_span ticks = WORLD_EMPTY_SPAN;
    for (size_t i = 0; i < count; i++) {
        const size_t c = world_constraint(world, b->kind, offset + i);
        f->goal_tick[c] = world_next_tick(world);
        world_span_add(&ticks, c);
    }
    status = b->kind == TAUT_TARGET ? send_target_turns(world, offset, count, turn) : TAUT_OK;
    if (status == TAUT_OK) {
        status = world_put(world, b->kind, offset, count, targets, f->goal, moves * sizeof(double));
    }
    return status == TAUT_OK ? world_upload_span(world, f->goal_tick, sizeof(uint32_t), ticks) : status;
}

taut_status taut_world_move_targets(taut_world* world, taut_batch batch, size_t first, size_t count,
                                    const double* targets) {
    return move_targets(world, batch, first, count, targets, straight);
}

taut_status taut_world_turn_targets(taut_world* world, taut_batch batch, size_t first, size_t count,
                                    const double* targets, const double rotation[3], const double centre[3]) {
    double turn[TAUT_TURN_VALUES];
    const taut_status status = check_arc(rotation, centre, turn);
    return status == TAUT_OK ? move_targets(world, batch, first, count, targets, turn) : status;
}
