/* The operators of a world's linearisation, in the user's numbers. */
#include "base/status.h"
#include "host/world/world_data.h"

#include <string.h>

taut_status taut_world_linearise(taut_world* world, double h) {
    taut_status status = world_check_step(world, h, 1);
    if (status == TAUT_OK && world->plan.sizes.touches) {
        status = taut_fail(TAUT_INVALID_ARGUMENT, "taut_world_linearise: not for worlds in which something can touch.");
    }
    if (status == TAUT_OK) {
        status = world_refresh(world);
    }
    if (status != TAUT_OK) {
        return status;
    }
    world->backend->kinematic_targets(world->state, h);
    world->backend->assemble(world->state, h, TAUT_PHASE_STEP);
    world->linear_h = h;
    return TAUT_OK;
}

taut_status world_check_linearised(const taut_world* world, const void* in, const void* out) {
    if (world == NULL || in == NULL || out == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "operators: world and arrays must not be NULL.");
    }
    if (world->linear_h == 0) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "operators: call taut_world_linearise first.");
    }
    return TAUT_OK;
}

/* Vectors over the nodes or the rows between the user's numbers and ours. */
static void nodes_to_inside(const taut_world* world, const double* from, double* to) {
    for (size_t n = 0; n < world->plan.sizes.nodes; n++) {
        memcpy(to + 3 * world_node(world, n), from + 3 * n, 3 * sizeof(double));
    }
}

static void nodes_from_inside(const taut_world* world, const double* from, double* to) {
    for (size_t n = 0; n < world->plan.sizes.nodes; n++) {
        memcpy(to + 3 * n, from + 3 * world_node(world, n), 3 * sizeof(double));
    }
}

static size_t row_inside(const taut_world* world, size_t row) {
    return world->plan.sizes.rows_move ? world->plan.fields.row_at[row] : row;
}

static void rows_to_inside(const taut_world* world, const double* from, double* to) {
    for (size_t i = 0; i < world->plan.sizes.rows; i++) {
        to[row_inside(world, i)] = from[i];
    }
}

static void rows_from_inside(const taut_world* world, const double* from, double* to) {
    for (size_t i = 0; i < world->plan.sizes.rows; i++) {
        to[i] = from[row_inside(world, i)];
    }
}

taut_status world_apply(taut_world* world, taut_operator op, const double* in, double* out) {
    if (world->staged == NULL) {
        return world->backend->apply(world->state, op, in, out);
    }
    const bool from_rows = op == TAUT_OPERATOR_JT || op == TAUT_OPERATOR_S || op == TAUT_OPERATOR_W;
    const bool to_rows = op == TAUT_OPERATOR_J || op == TAUT_OPERATOR_S || op == TAUT_OPERATOR_W;
    double *before = world->staged, *after = world->staged + world->staged_values;
    (from_rows ? rows_to_inside : nodes_to_inside)(world, in, before);
    const taut_status status = world->backend->apply(world->state, op, before, after);
    if (status == TAUT_OK) {
        (to_rows ? rows_from_inside : nodes_from_inside)(world, after, out);
    }
    return status;
}

taut_status taut_world_apply(taut_world* world, taut_operator op, const double* in, double* out) {
    taut_status status = world_check_linearised(world, in, out);
    if (status == TAUT_OK && (unsigned)op > TAUT_OPERATOR_G) {
        status = taut_fail(TAUT_INVALID_ARGUMENT, "operator %d does not exist.", (int)op);
    }
    if (status == TAUT_OK) {
        status = world_ready(world);
    }
    return status == TAUT_OK ? world_apply(world, op, in, out) : status;
}

taut_status taut_world_right_hand_side(taut_world* world, double* out) {
    taut_status status = world_check_linearised(world, out, out);
    if (status == TAUT_OK) {
        status = world_ready(world);
    }
    if (status != TAUT_OK || world->staged == NULL) {
        return status == TAUT_OK ? world->backend->right_hand_side(world->state, out) : status;
    }
    status = world->backend->right_hand_side(world->state, world->staged);
    if (status == TAUT_OK) {
        rows_from_inside(world, world->staged, out);
    }
    return status;
}
