/* Limits and motors: rows with bounds, and rows of velocities, between two bodies that joints may hold together. */
#define TAUT_REAL double
#include "base/status.h"
#include "host/scene/defaults.h"
#include "host/scene/joint_rows.h"

static const struct {
    const char* name;
    const char* unit;
    double most; /* of values */
} motions[TAUT_MOTION_COUNT] = {
    [TAUT_MOTION_TURN] = {"turn", "rad", TAUT_MAX_LENGTH},
    [TAUT_MOTION_SLIDE] = {"slide", "m", TAUT_MAX_LENGTH},
    [TAUT_MOTION_SWING] = {"swing", "rad", 3.14159265358979323846},
    [TAUT_MOTION_TWIST] = {"twist", "rad", 3.14159265358979323846},
};

static taut_kind kind_of(taut_joint_motion motion) {
    return motion == TAUT_MOTION_SLIDE ? TAUT_PRISMATIC : TAUT_ANGULAR;
}

/* ---- limits ---------------------------------------------------------------------------------------------------- */

static scene_joint_places places_of_limits(const taut_limits_def* def) {
    return (scene_joint_places){"limits", def->count, def->bodies, def->positions, def->anchors, def->orientations};
}

static taut_status check_values(const taut_limits_def* def, const char* which, const double* values) {
    for (size_t i = 0; values != NULL && i < def->count; i++) {
        if (!(fabs(values[i]) <= motions[def->motion].most)) {
            return taut_fail(TAUT_INVALID_ARGUMENT, "limits: %s[%zu] is %g %s; a %s is at most %g.", which, i,
                             values[i], motions[def->motion].unit, motions[def->motion].name,
                             motions[def->motion].most);
        }
        if (def->motion == TAUT_MOTION_SWING && !(values[i] > 0 && sin(values[i]) > 1e-9)) {
            return taut_fail(TAUT_INVALID_ARGUMENT,
                             "limits: %s[%zu] is %g rad; that of a swing must lie above 0 and below pi.", which, i,
                             values[i]);
        }
    }
    return TAUT_OK;
}

static taut_status check_ranges(const taut_limits_def* def) {
    if ((unsigned)def->motion >= TAUT_MOTION_COUNT) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "limits: motion %d does not exist.", (int)def->motion);
    }
    if (def->lower == NULL && def->upper == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "limits: lower and upper are NULL; give one of them or both.");
    }
    if (def->lower != NULL && def->motion == TAUT_MOTION_SWING) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "limits: a swing has an upper limit alone; lower must be NULL.");
    }
    taut_status status = check_values(def, "lower", def->lower);
    status = status == TAUT_OK ? check_values(def, "upper", def->upper) : status;
    for (size_t i = 0; status == TAUT_OK && def->lower != NULL && def->upper != NULL && i < def->count; i++) {
        if (def->lower[i] > def->upper[i]) {
            status = taut_fail(TAUT_INVALID_ARGUMENT, "limits: lower[%zu] is %g, above upper[%zu], which is %g.", i,
                               def->lower[i], i, def->upper[i]);
        }
    }
    return status;
}

static taut_status check_limits(const taut_scene* scene, const taut_limits_def* def) {
    taut_status status = scene_check_def(scene, def, def != NULL ? def->cookie : 0, TAUT_DEFINITION_LIMITS, "limits");
    if (status != TAUT_OK) {
        return status;
    }
    const scene_joint_places places = places_of_limits(def);
    status = check_ranges(def);
    if (status == TAUT_OK) {
        status = scene_check_joint_places(&places);
    }
    if (status == TAUT_OK) {
        status = scene_check_compliance("limits", 0, def->compliance);
    }
    return status == TAUT_OK ? scene_check_damping("limits", 0, def->damping) : status;
}

/* The row of a limit at `value`. That of a swing is one of its cosine: what is C for angles is C sin^2 for that. */
static taut_status add_limit(taut_scene* scene, const taut_limits_def* def, const scene_joint* j, double value) {
    double values[angular_REST], compliance = def->compliance;
    switch (def->motion) {
    case TAUT_MOTION_SLIDE:
        return scene_add_prismatic(scene, j, 0, value, compliance, def->damping);
    case TAUT_MOTION_SWING:
        scene_cosine_row(j, 0, 0, cos(value), values);
        compliance *= sin(value) * sin(value);
        break;
    case TAUT_MOTION_TWIST:
        scene_twist_row(j, value, values);
        break;
    default:
        scene_angle_row(j, value, values);
        break;
    }
    return scene_add_turn(scene, j, values, compliance, def->damping);
}

/* The rows of all pairs at one end of their ranges, which push back with forces of one sign. */
static taut_status add_side(taut_scene* scene, const taut_limits_def* def, const double* values, bool pushes_up,
                            taut_batch* batch) {
    const scene_joint_places places = places_of_limits(def);
    const scene_mark before = scene_take_mark(scene);
    taut_status status = TAUT_OK;
    if (values == NULL) {
        return TAUT_OK;
    }
    for (size_t i = 0; status == TAUT_OK && i < def->count; i++) {
        scene_joint j;
        status = scene_place_joint(scene, &places, i, &j);
        status = status == TAUT_OK ? add_limit(scene, def, &j, values[i]) : status;
    }
    if (status == TAUT_OK) {
        status = scene_batch_since(scene, kind_of(def->motion), &before, batch);
    }
    if (status == TAUT_OK) {
        status = taut_scene_set_bounds(scene, *batch, pushes_up ? 0 : -INFINITY, pushes_up ? INFINITY : 0, INFINITY);
        ((scene_batch*)scene->batches.data)[batch->id - 1].limits = true;
    }
    return status;
}

taut_status taut_scene_add_limits(taut_scene* scene, const taut_limits_def* def, taut_limit_batches* batches) {
    SCENE_WHOLE_DEFINITION(taut_limits_def, TAUT_DEFINITION_LIMITS);
    taut_status status = check_limits(scene, def);
    if (status != TAUT_OK) {
        return status;
    }
    const scene_mark mark = scene_take_mark(scene);
    taut_limit_batches made = {{0}, {0}};
    status = add_side(scene, def, def->lower, true, &made.lower);
    if (status == TAUT_OK) { /* the cosine falls as the swing grows */
        status = add_side(scene, def, def->upper, def->motion == TAUT_MOTION_SWING, &made.upper);
    }
    if (status != TAUT_OK) {
        scene_return_to(scene, &mark);
    } else if (batches != NULL) {
        *batches = made;
    }
    return status;
}

/* ---- motors ---------------------------------------------------------------------------------------------------- */

static scene_joint_places places_of_motors(const taut_motors_def* def) {
    return (scene_joint_places){"motors", def->count, def->bodies, def->positions, def->anchors, def->orientations};
}

static taut_status check_motors(const taut_scene* scene, const taut_motors_def* def) {
    taut_status status = scene_check_def(scene, def, def != NULL ? def->cookie : 0, TAUT_DEFINITION_MOTORS, "motors");
    if (status != TAUT_OK) {
        return status;
    }
    if (def->motion != TAUT_MOTION_TURN && def->motion != TAUT_MOTION_SLIDE) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "motors: the motion must be a turn or a slide.");
    }
    const scene_joint_places places = places_of_motors(def);
    status = scene_check_joint_places(&places);
    for (size_t i = 0; status == TAUT_OK && def->speeds != NULL && i < def->count; i++) {
        if (!(fabs(def->speeds[i]) <= TAUT_MAX_LENGTH)) {
            status = taut_fail(TAUT_INVALID_ARGUMENT, "motors: speed[%zu] is %g; at most %g is allowed.", i,
                               def->speeds[i], TAUT_MAX_LENGTH);
        }
    }
    if (status == TAUT_OK && !(def->max_force > 0)) {
        status = taut_fail(TAUT_INVALID_ARGUMENT, "motors: max_force is %g; it must be > 0.", def->max_force);
    }
    return status == TAUT_OK ? scene_check_compliance("motors: slip", 0, def->slip) : status;
}

static taut_status add_motor(taut_scene* scene, const taut_motors_def* def, size_t i) {
    const scene_joint_places places = places_of_motors(def);
    const double speed = def->speeds != NULL ? def->speeds[i] : 0;
    double values[angular_REST];
    scene_joint j;
    const taut_status status = scene_place_joint(scene, &places, i, &j);
    if (status != TAUT_OK) {
        return status;
    }
    if (def->motion == TAUT_MOTION_SLIDE) {
        return scene_add_prismatic(scene, &j, 0, speed, def->slip, 1);
    }
    scene_angle_row(&j, speed, values);
    return scene_add_turn(scene, &j, values, def->slip, 1);
}

taut_status taut_scene_add_motors(taut_scene* scene, const taut_motors_def* def, taut_batch* batch) {
    SCENE_WHOLE_DEFINITION(taut_motors_def, TAUT_DEFINITION_MOTORS);
    taut_status status = check_motors(scene, def);
    if (status != TAUT_OK) {
        return status;
    }
    const scene_mark mark = scene_take_mark(scene);
    taut_batch made = {0};
    for (size_t i = 0; status == TAUT_OK && i < def->count; i++) {
        status = add_motor(scene, def, i);
    }
    if (status == TAUT_OK) {
        status = scene_batch_since(scene, kind_of(def->motion), &mark, &made);
    }
    if (status == TAUT_OK) {
        ((scene_batch*)scene->batches.data)[made.id - 1].of_velocities = true;
        status = def->max_force < INFINITY
                     ? taut_scene_set_bounds(scene, made, -def->max_force, def->max_force, INFINITY)
                     : TAUT_OK;
    }
    if (status != TAUT_OK) {
        scene_return_to(scene, &mark);
    } else if (batch != NULL) {
        *batch = made;
    }
    return status;
}
