/* The operators of a world's linearisation, in the user's numbers. */
#include "base/status.h"
#include "host/world/world_data.h"

#include <string.h>

/* More contacts than there is room for are none of the linearisation. */
static taut_status find_contacts(taut_world* world, double h) {
    uint32_t needed = 0;
    world->query_trees = false;
    const taut_status status = world->backend->find_contacts(world->state, h, &needed);
    if (status == TAUT_OK && needed > world->plan.sizes.contact_capacity) {
        return taut_fail(TAUT_OUT_OF_CAPACITY, "%u contacts are more than the capacity of %u.", needed,
                         world->plan.sizes.contact_capacity);
    }
    world->linear_contacts = needed;
    return status;
}

taut_status world_linearise(taut_world* world, double h, bool with_contacts) {
    taut_status status = world_check_step(world, h, 1);
    if (status == TAUT_OK) {
        status = world_refresh(world);
    }
    if (status != TAUT_OK) {
        return status;
    }
    world->linear_h = 0;
    world->linear_contacts = 0;
    world->backend->kinematic_targets(world->state, h);
    if (with_contacts && world->plan.sizes.touches) {
        status = find_contacts(world, h);
    }
    if (status == TAUT_OK) {
        world->backend->assemble(world->state, h, TAUT_PHASE_STEP);
        world->linear_h = h;
    }
    return status;
}

taut_status taut_world_linearise(taut_world* world, double h) {
    return world_linearise(world, h, true);
}

/* Rows of the user's: those of constraints, of the contacts of the linearisation, and of their couples. */
static size_t given_rows(const taut_world* world) {
    const taut_sizes* s = &world->plan.sizes;
    return taut_given_rows(s) + world->linear_contacts * (size_t)(taut_kind_shapes[TAUT_CONTACT].rows +
                                                                  (s->rolls ? taut_kind_shapes[TAUT_ROLLING].rows : 0));
}

taut_status taut_world_linearised_rows(const taut_world* world, size_t* rows) {
    const taut_status status = world_check_linearised(world, rows, rows);
    if (status == TAUT_OK) {
        *rows = given_rows(world);
    }
    return status;
}

taut_status world_check_linearised(const taut_world* world, const void* in, const void* out) {
    if (world == NULL || in == NULL || out == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "operators: world and arrays must not be NULL.");
    }
    if (world->linear_h == 0) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "operators: the world is not linearised since its last change.");
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
    const taut_sizes* s = &world->plan.sizes;
    const size_t given = taut_given_rows(s), each = taut_kind_shapes[TAUT_CONTACT].rows;
    if (row < given) {
        return s->rows_move ? world->plan.fields.row_at[row] : row;
    }
    const bool couple = row - given >= each * world->linear_contacts;
    const size_t behind = row - given - (couple ? each * world->linear_contacts : 0);
    return s->first_row[couple ? TAUT_ROLLING : TAUT_CONTACT] +
           taut_unknown_place(s, s->contact_capacity, each, behind / each, behind % each);
}

static void rows_to_inside(const taut_world* world, const double* from, double* to) {
    memset(to, 0, world->plan.sizes.rows * sizeof *to); /* of contacts that there are none of */
    for (size_t i = 0; i < given_rows(world); i++) {
        to[row_inside(world, i)] = from[i];
    }
}

static void rows_from_inside(const taut_world* world, const double* from, double* to) {
    for (size_t i = 0; i < given_rows(world); i++) {
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

/* Operators that are the solver's. */
static taut_status check_condensed(const taut_world* world) {
    if (world->plan.on_device) {
        return taut_fail(TAUT_BACKEND_UNAVAILABLE, "operators: H and the preconditioner are there on the CPU only.");
    }
    return world->plan.sizes.condensed
               ? TAUT_OK
               : taut_fail(TAUT_INVALID_ARGUMENT, "operators: nothing in the world is solved by the condensed system "
                                                  "(solver.method condensed).");
}

/* Rows of constraints that are absent become 0, in the user's numbers; whether there are any. */
static bool clear_absent(const taut_world* world, double* rows) {
    const taut_sizes* s = &world->plan.sizes;
    bool any = false;
    for (int k = 0; k < (int)TAUT_CONTACT; k++) {
        const size_t each = taut_kind_shapes[k].rows;
        for (size_t i = 0; each > 0 && i < s->count[k]; i++) {
            const size_t c = i < taut_given_count(s, k) ? world_constraint(world, (taut_kind)k, i) : i;
            const bool absent = world->plan.fields.kinds[k].law[c] == TAUT_LAW_ABSENT;
            any = any || absent;
            for (size_t r = 0; absent && rows != NULL && r < each; r++) {
                rows[s->first_row[k] + each * i + r] = 0;
            }
        }
    }
    return any;
}

/* Targets and attachments have no Jacobian that would be 0. */
static taut_status apply_without_absent(taut_world* world, taut_operator op, const double* in, double* out) {
    const bool from_rows = op == TAUT_OPERATOR_JT || op == TAUT_OPERATOR_S || op == TAUT_OPERATOR_W;
    const size_t bytes = given_rows(world) * sizeof *in;
    double* copy = from_rows ? taut_allocate(&world->allocator, bytes) : NULL;
    if (from_rows && copy == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    if (from_rows) {
        memcpy(copy, in, bytes);
        clear_absent(world, copy);
    }
    const taut_status status = world_apply(world, op, from_rows ? copy : in, out);
    if (status == TAUT_OK && (op == TAUT_OPERATOR_J || op == TAUT_OPERATOR_S || op == TAUT_OPERATOR_W)) {
        clear_absent(world, out);
    }
    taut_release(&world->allocator, copy, bytes);
    return status;
}

taut_status taut_world_apply(taut_world* world, taut_operator op, const double* in, double* out) {
    taut_status status = world_check_linearised(world, in, out);
    if (status == TAUT_OK && (unsigned)op > TAUT_OPERATOR_PRECONDITIONER) {
        status = taut_fail(TAUT_INVALID_ARGUMENT, "operator %d does not exist.", (int)op);
    }
    if (status == TAUT_OK && op > TAUT_OPERATOR_G) {
        status = check_condensed(world);
    }
    if (status == TAUT_OK) {
        status = world_ready(world);
    }
    if (status != TAUT_OK) {
        return status;
    }
    return (clear_absent(world, NULL) ? apply_without_absent : world_apply)(world, op, in, out);
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

taut_status taut_world_velocity_right_hand_side(taut_world* world, double* out) {
    taut_status status = world_check_linearised(world, out, out);
    if (status == TAUT_OK) {
        status = world_ready(world);
    }
    if (status != TAUT_OK || world->staged == NULL) {
        return status == TAUT_OK ? world->backend->velocity_side(world->state, out) : status;
    }
    status = world->backend->velocity_side(world->state, world->staged);
    if (status == TAUT_OK) {
        nodes_from_inside(world, world->staged, out);
    }
    return status;
}
