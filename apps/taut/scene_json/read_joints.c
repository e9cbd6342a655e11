/* Joints of a scene file. */
#include "base/array.h"
#include "base/quaternion.h"
#include "base/vector.h"
#include "scene_json/scene_parse.h"

#include <string.h>

static const double radians = 0.017453292519943295; /* of a degree */

/* ---- bodies --------------------------------------------------------------------------------------------------- */

/* "world", NAME or [NAME, body] */
static bool parse_side(const json_node* constraint, const char* key, const scene_file* s, bool* world,
                       point_reference* body) {
    json_node n;
    const char* name = NULL;
    if (!json_need(constraint, key, &n)) {
        return false;
    }
    *world = json_is_string(&n) && json_string(&n, &name) && strcmp(name, "world") == 0;
    return *world || parse_body(&n, s, body);
}

static bool parse_sides(const json_node* constraint, const scene_file* s, joint_spec* joint) {
    const point_reference* bodies = joint->bodies;
    if (!parse_side(constraint, "a", s, &joint->world[0], &joint->bodies[0]) ||
        !parse_side(constraint, "b", s, &joint->world[1], &joint->bodies[1])) {
        return false;
    }
    const bool same = joint->world[0] == joint->world[1] && bodies[0].object == bodies[1].object &&
                      bodies[0].vertex == bodies[1].vertex;
    return !same || json_fail_member(constraint, "b", "is the same body as 'a'");
}

/* ---- place ---------------------------------------------------------------------------------------------------- */

/* Of length 1; `axis` must not be zero. */
static bool parse_direction(const json_node* n, double axis[3]) {
    if (!json_numbers(n, 3, json_any, axis)) {
        return false;
    }
    const double length = sqrt(vector_dot(axis, axis));
    for (int a = 0; a < 3; a++) {
        axis[a] /= length;
    }
    return length > 1e-30 || json_fail(n, "must not be zero");
}

/* The world's axis that is most nearly square to x. */
static void default_second(const double x[3], double y[3]) {
    int least = 0;
    for (int a = 1; a < 3; a++) {
        least = fabs(x[a]) < fabs(x[least]) ? a : least;
    }
    for (int a = 0; a < 3; a++) {
        y[a] = a == least;
    }
}

/* Takes from y what lies along x; false where nothing is left. */
static bool make_square(const double x[3], double y[3]) {
    const double along = vector_dot(x, y);
    for (int a = 0; a < 3; a++) {
        y[a] -= along * x[a];
    }
    const double length = sqrt(vector_dot(y, y));
    for (int a = 0; a < 3; a++) {
        y[a] /= length;
    }
    return length > 1e-6;
}

static bool parse_axes(const json_node* constraint, joint_spec* joint) {
    json_node axis, second;
    double axes[3][3] = {{1, 0, 0}, {0, 1, 0}};
    const bool has_axis = json_find(constraint, "axis", &axis);
    const bool has_second = json_find(constraint, "second_axis", &second);
    if ((has_axis && !parse_direction(&axis, axes[0])) || (has_second && !parse_direction(&second, axes[1]))) {
        return false;
    }
    if (has_axis && !has_second) {
        default_second(axes[0], axes[1]);
    }
    if (!make_square(axes[0], axes[1])) {
        return json_fail(&second, "is parallel to the first axis");
    }
    vector_cross(axes[0], axes[1], axes[2]);
    quaternion_of_axes((const double(*)[3])axes, joint->orientation);
    return true;
}

static bool parse_orientation(const json_node* constraint, joint_spec* joint) {
    json_node n, other;
    double* q = joint->orientation;
    if (!json_find(constraint, "orientation", &n)) {
        return parse_axes(constraint, joint);
    }
    if (json_find(constraint, "axis", &other) || json_find(constraint, "second_axis", &other)) {
        return json_fail(&other, "says the same as 'orientation': give one of them");
    }
    if (!json_numbers(&n, 4, json_any, q)) {
        return false;
    }
    if (q[0] == 0 && q[1] == 0 && q[2] == 0 && q[3] == 0) {
        return json_fail(&n, "is zero: not a rotation");
    }
    quaternion_normalise(q);
    return true;
}

/* ---- held rows ------------------------------------------------------------------------------------------------ */

/* A number for all axes, or three. */
static bool parse_axis_values(const json_node* object, const char* key, double out[3]) {
    json_node n;
    if (!json_find(object, key, &n)) {
        return true;
    }
    if (!json_is_number(&n)) {
        return json_numbers(&n, 3, json_not_negative, out);
    }
    const bool ok = json_number(&n, json_not_negative, &out[0]);
    out[1] = out[2] = out[0];
    return ok;
}

static bool parse_translation(const json_node* constraint, joint_spec* joint) {
    static const char* const keys[] = {"compliance", "damping", "rest", NULL};
    json_node n;
    joint_law* law = &joint->translation;
    return !json_find(constraint, "translation", &n) ||
           (json_object(&n, keys) && parse_axis_values(&n, "compliance", law->compliance) &&
            parse_axis_values(&n, "damping", law->damping) && json_vector_member(&n, "rest", law->rest));
}

static bool parse_rotation(const json_node* constraint, joint_spec* joint) {
    static const char* const keys[] = {"compliance", "damping", "rest_degrees", NULL};
    json_node n, rest;
    joint_law* law = &joint->rotation;
    if (!json_find(constraint, "rotation", &n)) {
        return true;
    }
    if (joint->type == TAUT_JOINT_BALL) {
        return json_fail(&n, "a ball joint holds no rotation");
    }
    if (!json_object(&n, keys)) {
        return false;
    }
    if (json_find(&n, "rest_degrees", &rest) && joint->type != TAUT_JOINT_SLIDER && joint->type != TAUT_JOINT_FIXED) {
        return json_fail(&rest, "belongs to slider and fixed joints");
    }
    const bool ok = parse_axis_values(&n, "compliance", law->compliance) &&
                    parse_axis_values(&n, "damping", law->damping) && json_vector_member(&n, "rest_degrees", law->rest);
    for (int a = 0; a < 3; a++) {
        law->rest[a] *= radians;
    }
    return ok;
}

/* ---- drives and motors ---------------------------------------------------------------------------------------- */

/* What drives and motors have keyframes of: a place or a speed, by this key. */
static bool parse_drive_key(const json_node* n, const char* value, drive_path* path) {
    const char* const keys[] = {"time", value, NULL};
    drive_key* key = &path->keys[n->index];
    json_node time;
    if (!json_object(n, keys) || !json_need(n, "time", &time) || !json_number(&time, json_not_negative, &key->time)) {
        return false;
    }
    if (n->index > 0 && key->time <= key[-1].time) {
        return json_fail(&time, "is %g, must be later than the keyframe before (%g)", key->time, key[-1].time);
    }
    return parse_needed_number(n, value, json_any, &key->target);
}

static bool parse_drive_motion(const json_node* drive, const char* value, drive_path* path) {
    json_node list, key;
    if (!json_find(drive, "motion", &list)) {
        return true;
    }
    if (!json_length(&list, 1, &path->count)) {
        return false;
    }
    path->keys = array_new(path->count, sizeof *path->keys, drive->document->r);
    bool ok = path->keys != NULL;
    for (bool more = ok && json_first(&list, &key); ok && more; more = json_next(&key)) {
        ok = parse_drive_key(&key, value, path);
    }
    return ok;
}

/* The unit of the free coordinate in files, rad or m. */
static double unit_of(const joint_spec* joint) {
    return joint->type == TAUT_JOINT_SLIDER ? 1 : radians;
}

/* The value at time 0 and the keyframes. */
static bool parse_path(const json_node* drive, const char* value, const joint_spec* joint, drive_path* path) {
    const bool ok = json_number_member(drive, value, json_any, &path->start) && parse_drive_motion(drive, value, path);
    path->start *= unit_of(joint);
    for (size_t i = 0; ok && i < path->count; i++) {
        path->keys[i].target *= unit_of(joint);
    }
    return ok;
}

static bool has_free_coordinate(const joint_spec* joint) {
    return joint->type == TAUT_JOINT_HINGE || joint->type == TAUT_JOINT_SLIDER;
}

static bool parse_drive(const json_node* constraint, joint_spec* joint) {
    static const char* const keys[] = {"target", "motion", "compliance", "damping", "lower", "upper", "strength", NULL};
    json_node n;
    joint->driven = json_find(constraint, "drive", &n);
    if (!joint->driven) {
        return true;
    }
    if (!has_free_coordinate(joint)) {
        return json_fail(&n, "belongs to hinges and sliders");
    }
    return json_object(&n, keys) && parse_path(&n, "target", joint, &joint->drive) &&
           parse_law_keys(&n, &joint->drive_law);
}

static bool parse_motor(const json_node* constraint, joint_spec* joint) {
    static const char* const keys[] = {"speed", "motion", "max_force", "slip", NULL};
    json_node n;
    joint->motor = json_find(constraint, "motor", &n);
    joint->max_force = INFINITY;
    if (!joint->motor) {
        return true;
    }
    if (!has_free_coordinate(joint)) {
        return json_fail(&n, "belongs to hinges and sliders");
    }
    return json_object(&n, keys) && parse_path(&n, "speed", joint, &joint->speed) &&
           json_number_member(&n, "max_force", json_positive, &joint->max_force) &&
           json_number_member(&n, "slip", json_not_negative, &joint->slip);
}

/* ---- limits --------------------------------------------------------------------------------------------------- */

static bool parse_limit(const json_node* limits, const char* key, double unit, bool* given, double* value) {
    json_node n;
    *given = json_find(limits, key, &n);
    const bool ok = !*given || json_number(&n, json_any, value);
    *value *= unit;
    return ok;
}

static bool parse_range(const json_node* n, joint_spec* joint) {
    joint_limits* l = &joint->limits;
    const double unit = unit_of(joint);
    if (!parse_limit(n, "lower", unit, &l->lower_given, &l->lower) ||
        !parse_limit(n, "upper", unit, &l->upper_given, &l->upper)) {
        return false;
    }
    if (!l->lower_given && !l->upper_given) {
        return json_fail(n, "needs 'lower', 'upper' or both");
    }
    return !l->lower_given || !l->upper_given || l->lower <= l->upper ||
           json_fail_member(n, "upper", "is below 'lower'");
}

static bool parse_cone(const json_node* n, joint_spec* joint) {
    joint_limits* l = &joint->limits;
    json_node twist;
    if (!parse_limit(n, "swing", radians, &l->swing_given, &l->swing)) {
        return false;
    }
    if (l->swing_given && !(l->swing > 0 && l->swing <= 179.9 * radians)) {
        return json_fail_member(n, "swing", "must lie above 0 and be at most 179.9 degrees");
    }
    l->twist_given = json_find(n, "twist", &twist);
    if (l->twist_given && !json_numbers(&twist, 2, json_any, l->twist)) {
        return false;
    }
    if (l->twist_given && !(l->twist[0] >= -180 && l->twist[0] <= l->twist[1] && l->twist[1] <= 180)) {
        return json_fail(&twist, "must be two angles from -180 to 180 degrees, the lower one first");
    }
    l->twist[0] *= radians;
    l->twist[1] *= radians;
    return l->swing_given || l->twist_given || json_fail(n, "needs 'swing', 'twist' or both");
}

static bool parse_limits(const json_node* constraint, joint_spec* joint) {
    static const char* const range[] = {"lower", "upper", "compliance", "damping", NULL};
    static const char* const cone[] = {"swing", "twist", "compliance", "damping", NULL};
    json_node n;
    if (!json_find(constraint, "limits", &n)) {
        return true;
    }
    if (joint->type == TAUT_JOINT_FIXED) {
        return json_fail(&n, "a fixed joint has nothing to limit");
    }
    const bool free = has_free_coordinate(joint);
    return json_object(&n, free ? range : cone) && (free ? parse_range : parse_cone)(&n, joint) &&
           json_number_member(&n, "compliance", json_not_negative, &joint->limits.compliance) &&
           json_number_member(&n, "damping", json_not_negative, &joint->limits.damping);
}

bool parse_joint(const json_node* constraint, taut_joint_type type, const scene_file* s, joint_spec* joint) {
    static const char* const keys[] = {"type",        "a",           "b",           "position", "axis",
                                       "second_axis", "orientation", "translation", "rotation", "drive",
                                       "motor",       "limits",      "contact",     NULL};
    json_node position;
    joint->type = type;
    return json_object(constraint, keys) && parse_sides(constraint, s, joint) &&
           json_need(constraint, "position", &position) && json_numbers(&position, 3, json_any, joint->position) &&
           parse_orientation(constraint, joint) && parse_translation(constraint, joint) &&
           parse_rotation(constraint, joint) && parse_drive(constraint, joint) && parse_motor(constraint, joint) &&
           parse_limits(constraint, joint) && json_bool_member(constraint, "contact", &joint->contact);
}
