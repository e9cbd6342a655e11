/* Joints: each is a few rows of the kinds prismatic and angular, so that every axis has its own compliance and damping.
 */
#define TAUT_REAL double
#include "base/status.h"
#include "host/scene/defaults.h"
#include "host/scene/joint_rows.h"

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

static scene_joint_places places_of(const taut_joints_def* def) {
    return (scene_joint_places){"joints", def->count, def->bodies, def->positions, def->anchors, def->orientations};
}

static taut_status check_joints(const taut_scene* scene, const taut_joints_def* def) {
    taut_status status = scene_check_def(scene, def, def != NULL ? def->cookie : 0, TAUT_DEFINITION_JOINTS, "joints");
    if (status != TAUT_OK) {
        return status;
    }
    if ((unsigned)def->type >= TAUT_JOINT_TYPE_COUNT) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "joints: type %d does not exist.", (int)def->type);
    }
    if ((def->positions == NULL) == (def->anchors == NULL)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "joints: either positions or anchors must be given.");
    }
    const scene_joint_places places = places_of(def);
    status = scene_check_joint_places(&places);
    if (status == TAUT_OK) {
        status = check_axes("joints: translation", def->translation_compliance, def->translation_damping);
    }
    if (status == TAUT_OK) {
        status = check_axes("joints: rotation", def->rotation_compliance, def->rotation_damping);
    }
    if (status == TAUT_OK) {
        status = scene_check_vectors("joints: rest offset", def->rest_offset, 1);
    }
    if (status == TAUT_OK) {
        status = scene_check_vectors("joints: rest angle", def->rest_angle, 1);
    }
    return status == TAUT_OK ? check_drive(def) : status;
}

/* Row for a held rotation. A hinge holds its axes together by keeping x of the second body square to y and z of the
 * first, which has no trouble with any angle about x. */
static void held_rotation(const taut_joints_def* def, const scene_joint* j, int axis, double values[angular_REST]) {
    if (def->type == TAUT_JOINT_HINGE) {
        scene_cosine_row(j, axis, 0, 0, values);
    } else if (def->type == TAUT_JOINT_UNIVERSAL) {
        scene_cosine_row(j, 0, 1, 0, values);
    } else {
        scene_component_row(j, axis, def->rest_angle[axis], values);
    }
}

/* ---- passes over all joints: rows of a batch must lie side by side ------------------------------------------------
 */

static taut_status hold_translations(taut_scene* scene, const taut_joints_def* def, const scene_joint* j) {
    taut_status status = TAUT_OK;
    for (int axis = 0; status == TAUT_OK && axis < 3; axis++) {
        if (types[def->type].translations >> axis & 1) {
            status = scene_add_prismatic(scene, j, axis, def->rest_offset[axis], def->translation_compliance[axis],
                                         def->translation_damping[axis]);
        }
    }
    return status;
}

static taut_status hold_rotations(taut_scene* scene, const taut_joints_def* def, const scene_joint* j) {
    taut_status status = TAUT_OK;
    for (int axis = 0; status == TAUT_OK && axis < 3; axis++) {
        double values[angular_REST];
        if (types[def->type].rotations >> axis & 1) {
            held_rotation(def, j, axis, values);
            status = scene_add_turn(scene, j, values, def->rotation_compliance[axis], def->rotation_damping[axis]);
        }
    }
    return status;
}

/* What the drive measures now. */
static double current_drive(const taut_scene* scene, const taut_joints_def* def, const scene_joint* j) {
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
    scene_angle_row(j, 0, values);
    angular_evaluate((const double(*)[4])both, values, &phi, &jac);
    return phi;
}

static taut_status add_drive(taut_scene* scene, const taut_joints_def* def, const scene_joint* j, double target) {
    double values[angular_REST];
    if (def->type == TAUT_JOINT_SLIDER) {
        return scene_add_prismatic(scene, j, 0, target, def->drive_compliance, def->drive_damping);
    }
    scene_angle_row(j, target, values);
    return scene_add_turn(scene, j, values, def->drive_compliance, def->drive_damping);
}

typedef enum pass { PASS_TRANSLATIONS, PASS_ROTATIONS, PASS_DRIVES, PASS_COUNT } pass;

static taut_status run_pass(taut_scene* scene, const taut_joints_def* def, pass what, size_t i) {
    scene_joint j;
    const scene_joint_places places = places_of(def);
    const taut_status status = scene_place_joint(scene, &places, i, &j);
    if (status != TAUT_OK) {
        return status;
    }
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
        if (status == TAUT_OK && passes[p].present && p == PASS_DRIVES) {
            ((scene_batch*)scene->batches.data)[made->drive.id - 1].drives =
                def->drive_compliance == 0 && def->drive_damping == 0;
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
