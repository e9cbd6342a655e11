#define TAUT_REAL double
#include "host/scene/joint_rows.h"

#include "base/status.h"

#include <stdio.h>
#include <string.h>

taut_status scene_check_joint_places(const scene_joint_places* places) {
    const char* name = places->name;
    char what[64];
    if (places->count == 0 || places->count > TAUT_MAX_COUNT / 8 || places->bodies == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "%s: count must lie in 1 to %u, and bodies not be NULL.", name,
                         TAUT_MAX_COUNT / 8);
    }
    if (places->positions != NULL && places->anchors != NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "%s: either positions or anchors must be given, not both.", name);
    }
    (void)snprintf(what, sizeof what, "%s: position", name);
    taut_status status = scene_check_vectors(what, places->positions, places->count);
    if (status == TAUT_OK) {
        (void)snprintf(what, sizeof what, "%s: anchor", name);
        status = scene_check_vectors(what, places->anchors, 2 * places->count);
    }
    if (status == TAUT_OK) {
        (void)snprintf(what, sizeof what, "%s: orientation", name);
        status = scene_check_quaternions(what, places->orientations, places->count);
    }
    return status;
}

static taut_status find_bodies(taut_scene* scene, const scene_joint_places* places, size_t i, scene_joint* j) {
    for (int side = 0; side < 2; side++) {
        const taut_body body = places->bodies[2 * i + side];
        j->frame[side] = body.frame;
        const taut_status status = taut_body_is_world(body) ? scene_ground(scene, &j->frame[side])
                                                            : scene_check_body(scene, places->name, i, body);
        if (status != TAUT_OK) {
            return status;
        }
    }
    return j->frame[0] != j->frame[1]
               ? TAUT_OK
               : taut_fail(TAUT_INVALID_ARGUMENT, "%s[%zu]: the two bodies are the same.", places->name, i);
}

static void place_anchors(const taut_scene* scene, const scene_joint_places* places, size_t i, scene_joint* j) {
    memset(j->anchor, 0, sizeof j->anchor);
    for (int side = 0; side < 2; side++) {
        if (places->anchors != NULL) {
            memcpy(j->anchor[side], places->anchors + 6 * i + 3 * side, sizeof j->anchor[side]);
        } else if (places->positions != NULL) {
            scene_to_body(scene, j->frame[side], places->positions + 3 * i, j->anchor[side]);
        }
    }
}

taut_status scene_place_joint(taut_scene* scene, const scene_joint_places* places, size_t i, scene_joint* j) {
    static const double identity[4] = {1, 0, 0, 0};
    double world[4];
    const taut_status status = find_bodies(scene, places, i, j);
    if (status != TAUT_OK) {
        return status;
    }
    memcpy(world, places->orientations != NULL ? places->orientations + 4 * i : identity, sizeof world);
    quat_normalise(world, world);
    for (int side = 0; side < 2; side++) {
        const double *x, *q;
        scene_body_pose(scene, j->frame[side], &x, &q);
        quat_between(q, world, j->axes[side]);
    }
    place_anchors(scene, places, i, j);
    return TAUT_OK;
}

static uint32_t centre(const taut_scene* scene, uint32_t frame) {
    return ((const uint32_t*)scene->frames.centres.data)[frame];
}

taut_status scene_add_prismatic(taut_scene* scene, const scene_joint* j, int axis, double rest, double compliance,
                                double damping) {
    const uint32_t nodes[4] = {centre(scene, j->frame[0]), j->frame[0], centre(scene, j->frame[1]), j->frame[1]};
    double axes[3][3], values[prismatic_REST] = {rest};
    quat_axes(j->axes[0], axes);
    memcpy(values + 1, axes[axis], 3 * sizeof(double));
    memcpy(values + 4, j->anchor, 6 * sizeof(double));
    const scene_rows row = {TAUT_PRISMATIC, 1, nodes, values, &compliance, &damping};
    return scene_append(scene, &row);
}

taut_status scene_add_turn(taut_scene* scene, const scene_joint* j, const double values[angular_REST],
                           double compliance, double damping) {
    const scene_rows row = {TAUT_ANGULAR, 1, j->frame, values, &compliance, &damping};
    return scene_append(scene, &row);
}

/* ---- what rows of rotations measure (formulas/angular.h) ------------------------------------------------------- */

static void begin_row(double rest, int mode, double values[angular_REST]) {
    memset(values, 0, angular_REST * sizeof(double));
    values[0] = rest;
    values[1] = mode;
}

void scene_cosine_row(const scene_joint* j, int first, int second, double rest, double values[angular_REST]) {
    double axes[2][3][3];
    quat_axes(j->axes[0], axes[0]);
    quat_axes(j->axes[1], axes[1]);
    begin_row(rest, TURN_COSINE, values);
    memcpy(values + 2, axes[0][first], 3 * sizeof(double));
    memcpy(values + 5, axes[1][second], 3 * sizeof(double));
}

void scene_component_row(const scene_joint* j, int axis, double rest, double values[angular_REST]) {
    begin_row(rest, TURN_COMPONENT, values);
    memcpy(values + 2, j->axes, 8 * sizeof(double));
    values[10] = axis;
}

void scene_angle_row(const scene_joint* j, double rest, double values[angular_REST]) {
    double axes[2][3][3];
    quat_axes(j->axes[0], axes[0]);
    quat_axes(j->axes[1], axes[1]);
    begin_row(rest, TURN_ANGLE, values);
    memcpy(values + 2, axes[0][1], 3 * sizeof(double));
    memcpy(values + 5, axes[1][1], 3 * sizeof(double));
    memcpy(values + 8, axes[0][0], 3 * sizeof(double));
}

void scene_twist_row(const scene_joint* j, double rest, double values[angular_REST]) {
    begin_row(rest, TURN_TWIST, values);
    memcpy(values + 2, j->axes, 8 * sizeof(double));
}
