/* Joints: each is a few rows of the kinds prismatic and angular, so that every axis has its own compliance and damping.
 */
#define TAUT_REAL double
#include "base/status.h"
#include "host/scene/defaults.h"
#include "host/scene/scene_frames.h"
#include "kernels/formulas/kinds.h"

#include <string.h>

/* Axes that a type holds, as bits x = 1, y = 2, z = 4. */
static const struct {
    const char* name;
    uint32_t translations, rotations;
} types[TAUT_JOINT_TYPE_COUNT] = {
    [TAUT_JOINT_BALL] = {"ball joint", 7, 0},   [TAUT_JOINT_HINGE] = {"hinge", 7, 6},
    [TAUT_JOINT_SLIDER] = {"slider", 6, 7},     [TAUT_JOINT_UNIVERSAL] = {"universal joint", 7, 1},
    [TAUT_JOINT_FIXED] = {"fixed joint", 7, 7},
};

/* A joint in the axes of its two bodies. */
typedef struct joint {
    uint32_t frame[2];
    double anchor[2][3];
    double axes[2][4]; /* orientation of the joint's axes */
} joint;

static taut_status check_axes(const char* name, const double compliance[3], const double damping[3]) {
    taut_status status = TAUT_OK;
    for (size_t i = 0; status == TAUT_OK && i < 3; i++) {
        status = scene_check_compliance(name, i, compliance[i]);
        if (status == TAUT_OK) {
            status = scene_check_damping(name, i, damping[i]);
        }
    }
    return status;
}

static taut_status check_drive(const taut_joints_def* def) {
    if (!def->drive) {
        return TAUT_OK;
    }
    if (def->type != TAUT_JOINT_HINGE && def->type != TAUT_JOINT_SLIDER) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "joints: a %s has no drive.", types[def->type].name);
    }
    for (size_t i = 0; def->targets != NULL && i < def->count; i++) {
        if (!(fabs(def->targets[i]) <= TAUT_MAX_LENGTH)) {
            return taut_fail(TAUT_INVALID_ARGUMENT, "joints: target[%zu] is %g; it must be finite.", i,
                             def->targets[i]);
        }
    }
    taut_status status = scene_check_compliance("joints: drive", 0, def->drive_compliance);
    return status == TAUT_OK ? scene_check_damping("joints: drive", 0, def->drive_damping) : status;
}

static taut_status check_joints(const taut_scene* scene, const taut_joints_def* def) {
    taut_status status = scene_check_def(scene, def, def != NULL ? def->cookie : 0, TAUT_DEFINITION_JOINTS, "joints");
    if (status != TAUT_OK) {
        return status;
    }
    if ((unsigned)def->type >= TAUT_JOINT_TYPE_COUNT) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "joints: type %d does not exist.", (int)def->type);
    }
    if (def->count == 0 || def->count > TAUT_MAX_COUNT / 8 || def->bodies == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "joints: count must lie in 1 to %u, and bodies not be NULL.",
                         TAUT_MAX_COUNT / 8);
    }
    if ((def->positions == NULL) == (def->anchors == NULL)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "joints: either positions or anchors must be given.");
    }
    status = check_axes("joints: translation", def->translation_compliance, def->translation_damping);
    if (status == TAUT_OK) {
        status = check_axes("joints: rotation", def->rotation_compliance, def->rotation_damping);
    }
    if (status == TAUT_OK) {
        status = scene_check_vectors("joints: rest offset", def->rest_offset, 1);
    }
    if (status == TAUT_OK) {
        status = scene_check_vectors("joints: rest angle", def->rest_angle, 1);
    }
    if (status == TAUT_OK) {
        status = scene_check_vectors("joints: position", def->positions, def->count);
    }
    if (status == TAUT_OK) {
        status = scene_check_vectors("joints: anchor", def->anchors, 2 * def->count);
    }
    if (status == TAUT_OK) {
        status = scene_check_quaternions("joints: orientation", def->orientations, def->count);
    }
    return status == TAUT_OK ? check_drive(def) : status;
}

/* ---- one joint -------------------------------------------------------------------------------------------------- */

static taut_status find_bodies(taut_scene* scene, const taut_joints_def* def, size_t i, joint* j) {
    for (int side = 0; side < 2; side++) {
        const taut_body body = def->bodies[2 * i + side];
        j->frame[side] = body.frame;
        const taut_status status = taut_body_is_world(body) ? scene_ground(scene, &j->frame[side])
                                                            : scene_check_body(scene, "joints", i, body);
        if (status != TAUT_OK) {
            return status;
        }
    }
    return j->frame[0] != j->frame[1]
               ? TAUT_OK
               : taut_fail(TAUT_INVALID_ARGUMENT, "joints[%zu]: the two bodies are the same.", i);
}

static void place(const taut_scene* scene, const taut_joints_def* def, size_t i, joint* j) {
    static const double identity[4] = {1, 0, 0, 0};
    double world[4];
    memcpy(world, def->orientations != NULL ? def->orientations + 4 * i : identity, sizeof world);
    quat_normalise(world, world);
    for (int side = 0; side < 2; side++) {
        const double *x, *q;
        scene_body_pose(scene, j->frame[side], &x, &q);
        quat_between(q, world, j->axes[side]);
        if (def->anchors != NULL) {
            memcpy(j->anchor[side], def->anchors + 6 * i + 3 * side, 3 * sizeof(double));
        } else {
            scene_to_body(scene, j->frame[side], def->positions + 3 * i, j->anchor[side]);
        }
    }
}

static uint32_t centre(const taut_scene* scene, uint32_t frame) {
    return ((const uint32_t*)scene->frames.centres.data)[frame];
}

static taut_status add_prismatic(taut_scene* scene, const joint* j, int axis, double rest, double compliance,
                                 double damping) {
    const uint32_t nodes[4] = {centre(scene, j->frame[0]), j->frame[0], centre(scene, j->frame[1]), j->frame[1]};
    double axes[3][3], values[prismatic_REST] = {rest};
    quat_axes(j->axes[0], axes);
    memcpy(values + 1, axes[axis], 3 * sizeof(double));
    memcpy(values + 4, j->anchor, 6 * sizeof(double));
    const scene_rows row = {TAUT_PRISMATIC, 1, nodes, values, &compliance, &damping};
    return scene_append(scene, &row);
}

static taut_status add_turn(taut_scene* scene, const joint* j, const double values[angular_REST], double compliance,
                            double damping) {
    const scene_rows row = {TAUT_ANGULAR, 1, j->frame, values, &compliance, &damping};
    return scene_append(scene, &row);
}

/* The cosine between an axis of the first body and one of the second. */
static void cosine_row(const joint* j, int first, int second, double values[angular_REST]) {
    double axes[2][3][3];
    quat_axes(j->axes[0], axes[0]);
    quat_axes(j->axes[1], axes[1]);
    memset(values, 0, angular_REST * sizeof(double));
    values[1] = TURN_COSINE;
    memcpy(values + 2, axes[0][first], 3 * sizeof(double));
    memcpy(values + 5, axes[1][second], 3 * sizeof(double));
}

static void component_row(const joint* j, int axis, double rest, double values[angular_REST]) {
    memset(values, 0, angular_REST * sizeof(double));
    values[0] = rest;
    values[1] = TURN_COMPONENT;
    memcpy(values + 2, j->axes, 8 * sizeof(double));
    values[10] = axis;
}

/* The angle of y of the second body about x of the first, from y of the first. */
static void angle_row(const joint* j, double rest, double values[angular_REST]) {
    double axes[2][3][3];
    quat_axes(j->axes[0], axes[0]);
    quat_axes(j->axes[1], axes[1]);
    memset(values, 0, angular_REST * sizeof(double));
    values[0] = rest;
    values[1] = TURN_ANGLE;
    memcpy(values + 2, axes[0][1], 3 * sizeof(double));
    memcpy(values + 5, axes[1][1], 3 * sizeof(double));
    memcpy(values + 8, axes[0][0], 3 * sizeof(double));
}

/* Row for a held rotation. A hinge holds its axes together by keeping x of the second body square to y and z of the
 * first, which has no trouble with any angle about x. */
static void held_rotation(const taut_joints_def* def, const joint* j, int axis, double values[angular_REST]) {
    if (def->type == TAUT_JOINT_HINGE) {
        cosine_row(j, axis, 0, values);
    } else if (def->type == TAUT_JOINT_UNIVERSAL) {
        cosine_row(j, 0, 1, values);
    } else {
        component_row(j, axis, def->rest_angle[axis], values);
    }
}

/* ---- passes over all joints: rows of a batch must lie side by side ------------------------------------------------
 */

static taut_status hold_translations(taut_scene* scene, const taut_joints_def* def, const joint* j) {
    taut_status status = TAUT_OK;
    for (int axis = 0; status == TAUT_OK && axis < 3; axis++) {
        if (types[def->type].translations >> axis & 1) {
            status = add_prismatic(scene, j, axis, def->rest_offset[axis], def->translation_compliance[axis],
                                   def->translation_damping[axis]);
        }
    }
    return status;
}

static taut_status hold_rotations(taut_scene* scene, const taut_joints_def* def, const joint* j) {
    taut_status status = TAUT_OK;
    for (int axis = 0; status == TAUT_OK && axis < 3; axis++) {
        double values[angular_REST];
        if (types[def->type].rotations >> axis & 1) {
            held_rotation(def, j, axis, values);
            status = add_turn(scene, j, values, def->rotation_compliance[axis], def->rotation_damping[axis]);
        }
    }
    return status;
}

/* What the drive measures now. */
static double current_drive(const taut_scene* scene, const taut_joints_def* def, const joint* j) {
    double x[2][3], axis[3][3], world[4], d[3], values[angular_REST], phi;
    const double* q[2];
    for (int side = 0; side < 2; side++) {
        const double* centre_position;
        scene_body_pose(scene, j->frame[side], &centre_position, &q[side]);
        quat_rotate(q[side], j->anchor[side], x[side]);
        vec3_axpy(1, centre_position, x[side]);
    }
    if (def->type == TAUT_JOINT_SLIDER) {
        quat_multiply(q[0], j->axes[0], world);
        quat_axes(world, axis);
        vec3_sub(x[1], x[0], d);
        return vec3_dot(axis[0], d);
    }
    double both[2][4];
    angular_jacobian jac;
    memcpy(both[0], q[0], sizeof both[0]);
    memcpy(both[1], q[1], sizeof both[1]);
    angle_row(j, 0, values);
    angular_evaluate((const double(*)[4])both, values, &phi, &jac);
    return phi;
}

static taut_status add_drive(taut_scene* scene, const taut_joints_def* def, const joint* j, double target) {
    double values[angular_REST];
    if (def->type == TAUT_JOINT_SLIDER) {
        return add_prismatic(scene, j, 0, target, def->drive_compliance, def->drive_damping);
    }
    angle_row(j, target, values);
    return add_turn(scene, j, values, def->drive_compliance, def->drive_damping);
}

typedef enum pass { PASS_TRANSLATIONS, PASS_ROTATIONS, PASS_DRIVES, PASS_COUNT } pass;

static taut_status run_pass(taut_scene* scene, const taut_joints_def* def, pass what, size_t i) {
    joint j;
    taut_status status = find_bodies(scene, def, i, &j);
    if (status != TAUT_OK) {
        return status;
    }
    place(scene, def, i, &j);
    switch (what) {
    case PASS_TRANSLATIONS:
        return hold_translations(scene, def, &j);
    case PASS_ROTATIONS:
        return hold_rotations(scene, def, &j);
    default:
        return add_drive(scene, def, &j, def->targets != NULL ? def->targets[i] : current_drive(scene, def, &j));
    }
}

static taut_status add_all(taut_scene* scene, const taut_joints_def* def, taut_joint_batches* made) {
    const taut_kind drive = def->type == TAUT_JOINT_SLIDER ? TAUT_PRISMATIC : TAUT_ANGULAR;
    const struct {
        bool present;
        taut_kind kind;
        taut_batch* batch;
    } passes[PASS_COUNT] = {{true, TAUT_PRISMATIC, &made->prismatic},
                            {types[def->type].rotations != 0, TAUT_ANGULAR, &made->angular},
                            {def->drive, drive, &made->drive}};
    taut_status status = TAUT_OK;
    for (int p = 0; status == TAUT_OK && p < PASS_COUNT; p++) {
        const scene_mark before = scene_take_mark(scene);
        for (size_t i = 0; status == TAUT_OK && passes[p].present && i < def->count; i++) {
            status = run_pass(scene, def, (pass)p, i);
        }
        if (status == TAUT_OK && passes[p].present) {
            status = scene_batch_since(scene, passes[p].kind, &before, passes[p].batch);
        }
    }
    return status;
}

/* ---- what does not touch ----------------------------------------------------------------------------------------- */

static bool are_zero(const double values[3]) {
    return values[0] == 0 && values[1] == 0 && values[2] == 0;
}

/* Pairs of bodies. What stands for the world has nothing that touches. */
static void join_bodies(taut_scene* scene, const taut_joints_def* def, const taut_joint_batches* made) {
    const scene_batch* batches = scene->batches.data;
    const scene_batch* translations = &batches[made->prismatic.id - 1];
    const uint32_t rows = translations->count / (uint32_t)def->count;
    const uint32_t turns = made->angular.id != 0 ? batches[made->angular.id - 1].first : 0;
    const bool rigid =
        def->type == TAUT_JOINT_FIXED && are_zero(def->translation_compliance) && are_zero(def->rotation_compliance);
    for (uint32_t i = 0; !def->contact && i < def->count; i++) {
        const taut_body *a = def->bodies + 2 * (size_t)i, *b = a + 1;
        if (!taut_body_is_world(*a) && !taut_body_is_world(*b)) {
            const uint32_t first = translations->first + rows * i;
            scene_add_joined(scene,
                             (scene_joined){TAUT_PRISMATIC, first, {a->frame, b->frame}, rigid, rows, turns + 3 * i});
        }
    }
}

taut_status taut_scene_add_joints(taut_scene* scene, const taut_joints_def* def, taut_joint_batches* batches) {
    SCENE_WHOLE_DEFINITION(taut_joints_def, TAUT_DEFINITION_JOINTS);
    taut_status status = check_joints(scene, def);
    if (status != TAUT_OK) {
        return status;
    }
    const scene_mark mark = scene_take_mark(scene);
    taut_joint_batches made = {{0}, {0}, {0}};
    status = scene_reserve_joined(scene, def->contact ? 0 : def->count);
    status = status == TAUT_OK ? add_all(scene, def, &made) : status;
    if (status != TAUT_OK) {
        scene_return_to(scene, &mark);
        return status;
    }
    join_bodies(scene, def, &made);
    if (batches != NULL) {
        *batches = made;
    }
    return TAUT_OK;
}
