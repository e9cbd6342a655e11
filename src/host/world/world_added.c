/* Constraints that are added to a world and removed from it while it runs: host/compile/slots.h says where they are. */
#define TAUT_REAL double
#include "base/status.h"
#include "host/scene/defaults.h"
#include "host/world/world_places.h"
#include "kernels/formulas/kinds.h"
#include "taut/added.h"

#include <math.h>
#include <string.h>

/* ---- distances, attachments, targets ----------------------------------------------------------------------------- */

/* What the three definitions have in common. */
typedef struct point_input {
    taut_kind kind;
    size_t count;
    const uint32_t* particles;
    const double* rest; /* or NULL */
    const double* compliances;
    double compliance;
    const double* dampings;
    double damping;
    bool contact; /* of attachments */
} point_input;

static double compliance_of(const point_input* in, size_t i) {
    return in->compliances != NULL ? in->compliances[i] : in->compliance;
}

static double damping_of(const point_input* in, size_t i) {
    return in->dampings != NULL ? in->dampings[i] : in->damping;
}

static taut_status check_rest(const point_input* in, size_t i) {
    const size_t width = taut_kind_shapes[in->kind].rest;
    taut_status status = TAUT_OK;
    for (size_t a = 0; status == TAUT_OK && in->rest != NULL && a < width; a++) {
        status = scene_check_rest(in->kind, i, in->rest[width * i + a]);
    }
    return status;
}

static taut_status check_one(const taut_world* world, const point_input* in, size_t i) {
    const char* name = taut_kind_name(in->kind);
    const size_t nodes = taut_kind_shapes[in->kind].nodes;
    taut_status status = TAUT_OK;
    for (size_t a = 0; status == TAUT_OK && a < nodes; a++) {
        status = place_check_point(world, name, i, in->particles[nodes * i + a]);
    }
    if (status == TAUT_OK && nodes == 2 && in->particles[2 * i] == in->particles[2 * i + 1]) {
        status =
            taut_fail(TAUT_INVALID_ARGUMENT, "%s[%zu]: particle %u is named twice.", name, i, in->particles[2 * i]);
    }
    status = status == TAUT_OK ? place_check_system(world, name, i, in->particles + nodes * i, nodes) : status;
    status = status == TAUT_OK ? scene_check_compliance(name, i, compliance_of(in, i)) : status;
    status = status == TAUT_OK ? scene_check_damping(name, i, damping_of(in, i)) : status;
    return status == TAUT_OK ? check_rest(in, i) : status;
}

static taut_status check_points(taut_world* world, uint32_t cookie, const point_input* in) {
    const char* name = taut_kind_name(in->kind);
    if (world == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "%s: world must not be NULL.", name);
    }
    if (cookie != (uint32_t)TAUT_DEFINITION_DISTANCE + in->kind) {
        return taut_fail(TAUT_INVALID_DEFINITION, "%s definition was not made by taut_default_%s.", name, name);
    }
    if (in->count == 0 || in->particles == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "%s: count and particles must be given.", name);
    }
    taut_status status = world_ready(world);
    for (size_t i = 0; status == TAUT_OK && i < in->count; i++) {
        status = check_one(world, in, i);
    }
    return status == TAUT_OK ? place_check_room(world, name, in->kind, in->count) : status;
}

/* Rest values of constraint i: those given, or what is now. */
static taut_status make_rest(taut_world* world, const point_input* in, size_t i, double rest[3]) {
    const size_t width = taut_kind_shapes[in->kind].rest, nodes = taut_kind_shapes[in->kind].nodes;
    double x[2][3];
    taut_status status = TAUT_OK;
    memset(rest, 0, 3 * sizeof *rest);
    if (in->rest != NULL) {
        memcpy(rest, in->rest + width * i, width * sizeof *rest);
    } else if (in->kind != TAUT_ATTACHMENT) {
        for (size_t a = 0; status == TAUT_OK && a < nodes; a++) {
            status = place_read_point(world, in->particles[nodes * i + a], x[a]);
        }
        if (status == TAUT_OK && in->kind == TAUT_DISTANCE) {
            double d[3];
            vec3_sub(x[1], x[0], d);
            rest[0] = sqrt(vec3_dot(d, d));
        } else if (status == TAUT_OK) {
            memcpy(rest, x[0], sizeof x[0]);
        }
    }
    return status;
}

/* Checked, and with room. */
static taut_status put_points(taut_world* world, const point_input* in, taut_added* added) {
    const size_t nodes = taut_kind_shapes[in->kind].nodes;
    taut_status status = TAUT_OK;
    for (size_t i = 0; status == TAUT_OK && i < in->count; i++) {
        const double compliance = compliance_of(in, i), per_row[3] = {compliance, compliance, compliance};
        double rest[3];
        uint32_t inside[2];
        size_t c;
        for (size_t a = 0; a < nodes; a++) {
            inside[a] = (uint32_t)world_node(world, in->particles[nodes * i + a]);
        }
        status = make_rest(world, in, i, rest);
        const new_constraint made = {inside, rest, per_row, damping_of(in, i), in->contact};
        status = status == TAUT_OK ? place_put(world, in->kind, &made, &c) : status;
        if (status == TAUT_OK && added != NULL) {
            added[i] = place_id(world, (added_place){in->kind, c});
        }
    }
    world_note_change(world);
    status = status == TAUT_OK ? world_send_incidence(world, in->kind) : status;
    return status == TAUT_OK && in->kind == TAUT_ATTACHMENT ? world_send_joined(world) : status;
}

static taut_status add_points(taut_world* world, uint32_t cookie, const point_input* in, taut_added* added) {
    const taut_status status = check_points(world, cookie, in);
    return status == TAUT_OK ? put_points(world, in, added) : status;
}

static taut_status no_definition(taut_kind k) {
    return taut_fail(TAUT_INVALID_ARGUMENT, "%s: the definition must not be NULL.", taut_kind_name(k));
}

#define POINT_INPUT(k, def, rest, contact)                                                                             \
    {                                                                                                                  \
        k, (def)->count, (def)->particles, rest, (def)->compliances, (def)->compliance, (def)->dampings,               \
            (def)->damping, contact                                                                                    \
    }

taut_status taut_world_add_distances(taut_world* world, const taut_distance_def* def, taut_added* added) {
    SCENE_WHOLE_DEFINITION(taut_distance_def, TAUT_DEFINITION_DISTANCE);
    if (def == NULL) {
        return no_definition(TAUT_DISTANCE);
    }
    const point_input in = POINT_INPUT(TAUT_DISTANCE, def, def->rest_lengths, false);
    return add_points(world, def->cookie, &in, added);
}

taut_status taut_world_add_attachments(taut_world* world, const taut_attachment_def* def, taut_added* added) {
    SCENE_WHOLE_DEFINITION(taut_attachment_def, TAUT_DEFINITION_ATTACHMENT);
    if (def == NULL) {
        return no_definition(TAUT_ATTACHMENT);
    }
    const point_input in = POINT_INPUT(TAUT_ATTACHMENT, def, def->offsets, def->contact);
    return add_points(world, def->cookie, &in, added);
}

taut_status taut_world_add_targets(taut_world* world, const taut_target_def* def, taut_added* added) {
    SCENE_WHOLE_DEFINITION(taut_target_def, TAUT_DEFINITION_TARGET);
    if (def == NULL) {
        return no_definition(TAUT_TARGET);
    }
    const point_input in = POINT_INPUT(TAUT_TARGET, def, def->targets, false);
    return add_points(world, def->cookie, &in, added);
}

/* ---- welds ------------------------------------------------------------------------------------------------------- */

static taut_status check_welds(taut_world* world, const taut_weld_def* def) {
    if (world == NULL || def == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "weld: world and definition must not be NULL.");
    }
    if (def->cookie != TAUT_DEFINITION_WELD) {
        return taut_fail(TAUT_INVALID_DEFINITION, "weld definition was not made by taut_default_weld.");
    }
    if (def->count == 0 || def->bodies == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "weld: count and bodies must be given.");
    }
    taut_status status = world_ready(world);
    for (size_t i = 0; status == TAUT_OK && i < def->count; i++) {
        const taut_body a = def->bodies[2 * i], b = def->bodies[2 * i + 1];
        status = world_check_body(world, "weld", i, a);
        status = status == TAUT_OK ? world_check_body(world, "weld", i, b) : status;
        if (status == TAUT_OK && a.frame == b.frame) {
            status = taut_fail(TAUT_INVALID_ARGUMENT, "weld[%zu]: a body is named twice.", i);
        }
        const uint32_t points[2] = {a.point, b.point};
        status = status == TAUT_OK ? place_check_system(world, "weld", i, points, 2) : status;
    }
    status = status == TAUT_OK ? scene_check_compliance("weld", 0, def->translation_compliance) : status;
    status = status == TAUT_OK ? scene_check_compliance("weld", 0, def->rotation_compliance) : status;
    status = status == TAUT_OK ? scene_check_damping("weld", 0, def->damping) : status;
    return status == TAUT_OK ? place_check_room(world, "weld", TAUT_SEGMENT, def->count) : status;
}

/* How the second body now stands to the first: rest values of a segment and an alignment. */
static taut_status read_pose(taut_world* world, const taut_body pair[2], double offset[3], double turn[3]) {
    static const double zero[3] = {0, 0, 0};
    double x[3][4] = {{0}}, q[2][4];
    segment_jacobian segment;
    alignment_jacobian alignment;
    taut_status status = TAUT_OK;
    for (size_t i = 0; status == TAUT_OK && i < 2; i++) {
        status = place_read_point(world, pair[i].point, x[i]);
        status = status == TAUT_OK
                     ? place_read(world, world->plan.fields.orientation + 4 * (size_t)pair[i].frame, 4, q[i])
                     : status;
    }
    if (status == TAUT_OK) {
        memcpy(x[2], q[0], sizeof q[0]);
        segment_evaluate((const double(*)[4])x, zero, offset, &segment);
        alignment_evaluate((const double(*)[4])q, zero, turn, &alignment);
    }
    return status;
}

static taut_status put_weld(taut_world* world, const taut_weld_def* def, const taut_body pair[2], taut_added* added) {
    const uint32_t points = (uint32_t)world->plan.sizes.points;
    const uint32_t a = points + pair[0].frame, b = points + pair[1].frame;
    const uint32_t between[3] = {(uint32_t)world_node(world, pair[0].point), (uint32_t)world_node(world, pair[1].point),
                                 a};
    const uint32_t frames[2] = {a, b};
    const double t = def->translation_compliance, r = def->rotation_compliance;
    const double translation[3] = {t, t, t}, rotation[3] = {r, r, r};
    double offset[3], turn[3];
    size_t segment, alignment;
    taut_status status = read_pose(world, pair, offset, turn);
    const new_constraint of_segment = {between, offset, translation, def->damping, def->contact};
    const new_constraint of_alignment = {frames, turn, rotation, def->damping, def->contact};
    status = status == TAUT_OK ? place_put(world, TAUT_SEGMENT, &of_segment, &segment) : status;
    status = status == TAUT_OK ? place_put(world, TAUT_ALIGNMENT, &of_alignment, &alignment) : status;
    if (status == TAUT_OK && added != NULL) {
        *added = place_id(world, (added_place){TAUT_SEGMENT, segment});
    }
    return status;
}

taut_status taut_world_add_welds(taut_world* world, const taut_weld_def* def, taut_added* added) {
    SCENE_WHOLE_DEFINITION(taut_weld_def, TAUT_DEFINITION_WELD);
    taut_status status = check_welds(world, def);
    if (status != TAUT_OK) {
        return status;
    }
    for (size_t i = 0; status == TAUT_OK && i < def->count; i++) {
        status = put_weld(world, def, def->bodies + 2 * i, added != NULL ? added + i : NULL);
    }
    world_note_change(world);
    status = status == TAUT_OK ? world_send_incidence(world, TAUT_SEGMENT) : status;
    status = status == TAUT_OK ? world_send_incidence(world, TAUT_ALIGNMENT) : status;
    return status == TAUT_OK ? world_send_joined(world) : status;
}

/* ---- removing ---------------------------------------------------------------------------------------------------- */

/* The alignment of a weld. */
static added_place other_half(const taut_world* world, added_place at) {
    const taut_sizes* s = &world->plan.sizes;
    return (added_place){TAUT_ALIGNMENT,
                         at.c - taut_given_count(s, TAUT_SEGMENT) + taut_given_count(s, TAUT_ALIGNMENT)};
}

static taut_status remove_one(taut_world* world, taut_added added, bool touched[TAUT_KIND_COUNT]) {
    added_place at;
    if (!place_find(world, added, &at)) {
        return TAUT_OK;
    }
    taut_status status = place_clear(world, at);
    touched[at.kind] = true;
    if (status == TAUT_OK && at.kind == TAUT_SEGMENT) {
        touched[TAUT_ALIGNMENT] = true;
        status = place_clear(world, other_half(world, at));
    }
    return status;
}

taut_status taut_world_remove(taut_world* world, size_t count, const taut_added* added) {
    bool touched[TAUT_KIND_COUNT] = {false};
    taut_status status = place_check_ids(world, count, added);
    status = status == TAUT_OK ? place_check_different(world, count, added) : status;
    status = status == TAUT_OK ? world_ready(world) : status;
    if (status != TAUT_OK) {
        return status;
    }
    for (size_t i = 0; status == TAUT_OK && i < count; i++) {
        status = remove_one(world, added[i], touched);
    }
    for (int k = 0; status == TAUT_OK && k < TAUT_KIND_COUNT; k++) {
        status = touched[k] ? world_send_incidence(world, (taut_kind)k) : TAUT_OK;
    }
    status = status == TAUT_OK ? world_send_joined(world) : status;
    world_note_change(world);
    return status;
}

bool taut_world_has_added(const taut_world* world, taut_added added) {
    added_place at;
    return world != NULL && place_find(world, added, &at);
}

taut_status taut_world_added_rows(const taut_world* world, taut_added added, taut_range* rows, taut_range* rotations) {
    added_place at;
    const taut_status status = place_check_ids(world, 1, &added);
    if (status != TAUT_OK) {
        return status;
    }
    if (rows == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "rows must not be NULL.");
    }
    place_find(world, added, &at);
    const uint32_t each = taut_kind_shapes[at.kind].rows;
    *rows = (taut_range){world->plan.sizes.first_row[at.kind] + (uint32_t)at.c * each, each};
    if (rotations != NULL) {
        const uint32_t c = (uint32_t)other_half(world, at).c, turns = taut_kind_shapes[TAUT_ALIGNMENT].rows;
        *rotations = at.kind == TAUT_SEGMENT
                         ? (taut_range){world->plan.sizes.first_row[TAUT_ALIGNMENT] + c * turns, turns}
                         : (taut_range){0, 0};
    }
    return TAUT_OK;
}

/* ---- moving ------------------------------------------------------------------------------------------------------ */

static taut_status check_goals(const taut_world* world, size_t count, const taut_added* targets,
                               const double* positions) {
    taut_status status = place_check_ids(world, count, targets);
    if (status == TAUT_OK && positions == NULL && count > 0) {
        status = taut_fail(TAUT_INVALID_ARGUMENT, "positions must not be NULL.");
    }
    for (size_t i = 0; status == TAUT_OK && i < count; i++) {
        added_place at;
        place_find(world, targets[i], &at);
        if (at.kind != TAUT_TARGET) {
            status = taut_fail(TAUT_INVALID_ARGUMENT, "id %zu is that of a %s.", i, taut_kind_name(at.kind));
        }
        for (size_t a = 0; status == TAUT_OK && a < 3; a++) {
            status = scene_check_rest(TAUT_TARGET, i, positions[3 * i + a]);
        }
    }
    return status;
}

taut_status taut_world_move_added(taut_world* world, size_t count, const taut_added* targets, const double* positions) {
    taut_status status = check_goals(world, count, targets, positions);
    status = status == TAUT_OK ? world_ready(world) : status;
    if (status != TAUT_OK) {
        return status;
    }
    taut_kind_fields* f = &world->plan.fields.kinds[TAUT_TARGET];
    world->linear_h = 0;
    for (size_t i = 0; status == TAUT_OK && i < count; i++) {
        added_place at;
        place_find(world, targets[i], &at);
        memcpy(f->goal + 3 * at.c, positions + 3 * i, 3 * sizeof *f->goal);
        f->goal_tick[at.c] = world_next_tick(world);
        memset(f->goal_turn + TAUT_TURN_VALUES * at.c, 0, TAUT_TURN_VALUES * sizeof *f->goal_turn);
        status = place_send(world, f->goal, at.c, 3 * sizeof *f->goal);
        status =
            status == TAUT_OK ? place_send(world, f->goal_turn, at.c, TAUT_TURN_VALUES * sizeof *f->goal_turn) : status;
        status = status == TAUT_OK ? place_send(world, f->goal_tick, at.c, sizeof *f->goal_tick) : status;
    }
    return status;
}

/* ---- a grab ------------------------------------------------------------------------------------------------------ */

/* Places that a world without a free one gets for grabs: hands, or fingers. */
#define GRABS 4

/* Room for one more target. */
static taut_status grow_for_grab(taut_world* world) {
    taut_reserve room = world->plan.settings.reserve;
    if (place_count_free(world, TAUT_TARGET) > 0) {
        return TAUT_OK;
    }
    room.targets += GRABS;
    return taut_world_grow_reserve(world, &room);
}

taut_status taut_world_grab(taut_world* world, uint32_t point, const double position[3], double compliance,
                            taut_added* grab) {
    if (world == NULL || position == NULL || grab == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "world, position and grab must not be NULL.");
    }
    taut_status status = TAUT_OK;
    for (size_t a = 0; status == TAUT_OK && a < 3; a++) {
        status = scene_check_rest(TAUT_TARGET, 0, position[a]);
    }
    if (status == TAUT_OK && grab->id == 0) {
        const point_input in = {.kind = TAUT_TARGET, .count = 1, .particles = &point, .compliance = compliance};
        status = place_check_point(world, "grab", 0, point);
        status = status == TAUT_OK ? scene_check_compliance("grab", 0, compliance) : status;
        status = status == TAUT_OK ? grow_for_grab(world) : status;
        status = status == TAUT_OK ? add_points(world, TAUT_DEFINITION_TARGET, &in, grab) : status;
    }
    return status == TAUT_OK ? taut_world_move_added(world, 1, grab, position) : status;
}

taut_status taut_world_release(taut_world* world, taut_added* grab) {
    const taut_status status = taut_world_remove(world, 1, grab);
    if (status == TAUT_OK) {
        grab->id = 0;
    }
    return status;
}

/* ---- room -------------------------------------------------------------------------------------------------------- */

taut_status taut_world_room(const taut_world* world, taut_reserve* room, taut_reserve* left) {
    if (world == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "world must not be NULL.");
    }
    if (room != NULL) {
        *room = world->plan.settings.reserve;
    }
    if (left != NULL) {
        *left = (taut_reserve){.distances = (uint32_t)place_count_free(world, TAUT_DISTANCE),
                               .attachments = (uint32_t)place_count_free(world, TAUT_ATTACHMENT),
                               .targets = (uint32_t)place_count_free(world, TAUT_TARGET),
                               .welds = (uint32_t)place_count_free(world, TAUT_SEGMENT)};
    }
    return TAUT_OK;
}
