/* Rigid bodies and rods of a scene file. */
#include "base/array.h"
#include "scene_json/scene_parse.h"

#include <math.h>
#include <string.h>

/* ---- mass of rigid bodies ------------------------------------------------------------------------------------- */

static bool parse_mass(const json_node* object, rigid_spec* rigid) {
    json_node n;
    const bool has_mass = json_find(object, "mass", &n);
    const bool has_density = json_find(object, "density", &n);
    if (has_mass == has_density) {
        return json_fail(object, "needs either 'mass' or 'density'");
    }
    return json_number_member(object, "mass", json_positive, &rigid->mass) &&
           json_number_member(object, "density", json_positive, &rigid->density);
}

/* Eigenvalues of m (xx, yy, zz, yz, zx, xy), descending. With q = tr(m)/3, d = m - q and p^2 = tr(d^2)/6 they are
 * q + 2 p cos(f - 2 pi k/3), where cos(3 f) = det(d)/(2 p^3) (Smith 1961). */
static void principal_moments(const double m[6], double out[3]) {
    const double third = 2 * acos(-1.0) / 3, q = (m[0] + m[1] + m[2]) / 3;
    const double x = m[0] - q, y = m[1] - q, z = m[2] - q;
    const double p = sqrt((x * x + y * y + z * z + 2 * (m[3] * m[3] + m[4] * m[4] + m[5] * m[5])) / 6);
    const double det = x * (y * z - m[3] * m[3]) - m[5] * (m[5] * z - m[3] * m[4]) + m[4] * (m[5] * m[3] - y * m[4]);
    const double f = p > 0 ? acos(fmax(-1, fmin(1, det / (2 * p * p * p)))) / 3 : 0;
    out[0] = q + 2 * p * cos(f);
    out[1] = q + 2 * p * cos(f - third);
    out[2] = q + 2 * p * cos(f + third);
}

/* Of any distribution of mass: the largest moment, about the axis z, is the sum of m (x^2 + y^2), and the others
 * together are that of m (x^2 + y^2 + 2 z^2). A plate that was rounded to 0.33, 0.33 and 0.67 passes. */
static bool check_inertia(const json_node* n, const double inertia[6]) {
    static const double rounded = 0.02;
    double m[3];
    principal_moments(inertia, m);
    if (!(m[2] > 0)) {
        return json_fail(n, "has the principal moments %.3g, %.3g and %.3g: all of them must be > 0", m[0], m[1], m[2]);
    }
    return m[0] <= m[1] + m[2] + rounded * m[0] ||
           json_fail(n,
                     "has the principal moments %.3g, %.3g and %.3g: the largest is at most the sum of the other two "
                     "(of a flat plate, equal to it). Leave the key out for that of the shape",
                     m[0], m[1], m[2]);
}

static bool parse_inertia(const json_node* object, rigid_spec* rigid) {
    json_node n;
    size_t count = 0;
    rigid->inertia_given = json_find(object, "inertia", &n);
    if (!rigid->inertia_given) {
        return true;
    }
    return json_length(&n, 0, &count) &&
           (count == 3 || count == 6 || json_fail(&n, "must hold 3 or 6 numbers, holds %zu", count)) &&
           json_numbers(&n, count, json_any, rigid->inertia) && check_inertia(&n, rigid->inertia);
}

static bool parse_centre(const json_node* object, rigid_spec* rigid) {
    json_node n;
    rigid->centre_given = json_find(object, "centre_of_mass", &n);
    return !rigid->centre_given || ((rigid->solid.shape == SOLID_MESH || json_fail(&n, "belongs to shape 'mesh'")) &&
                                    (rigid->inertia_given || json_fail(&n, "needs 'inertia' about it")) &&
                                    json_numbers(&n, 3, json_any, rigid->centre));
}

/* ---- state of rigid bodies ------------------------------------------------------------------------------------ */

static bool parse_positions(const json_node* object, rigid_spec* rigid) {
    json_node n;
    if (json_find(object, "positions", &n)) {
        return json_points(&n, 1, &rigid->positions, &rigid->count);
    }
    rigid->count = 1;
    rigid->positions = array_new(1, sizeof *rigid->positions, object->document->r);
    return rigid->positions != NULL;
}

static bool parse_orientations(const json_node* object, rigid_spec* rigid) {
    if (!parse_each(object, "orientation", 4, rigid->count, &rigid->orientations)) {
        return false;
    }
    for (size_t i = 0; rigid->orientations && i < rigid->count; i++) {
        const double* q = rigid->orientations + 4 * i;
        if (q[0] == 0 && q[1] == 0 && q[2] == 0 && q[3] == 0) {
            return json_fail_member(object, "orientation", "is zero for body %zu: not a rotation", i);
        }
    }
    return true;
}

bool parse_rigid(const json_node* object, scene_object* o) {
    static const char* const keys[] = {COMMON_KEYS,      "box",       "sphere",      "cylinder", "capsule",
                                       "cone",           "mesh",      "density",     "mass",     "inertia",
                                       "centre_of_mass", "positions", "orientation", "velocity", "angular_velocity",
                                       "fixed",          NULL};
    static const char* const shapes = "'box', 'sphere', 'cylinder', 'capsule', 'cone' and 'mesh'";
    rigid_spec* rigid = &o->as.rigid;
    return json_object(object, keys) && parse_solid(object, shapes, &rigid->solid) && parse_mass(object, rigid) &&
           parse_inertia(object, rigid) && parse_centre(object, rigid) && parse_positions(object, rigid) &&
           parse_orientations(object, rigid) && parse_each(object, "velocity", 3, rigid->count, &rigid->velocities) &&
           parse_each(object, "angular_velocity", 3, rigid->count, &rigid->angular_velocities) &&
           json_bool_member(object, "fixed", &rigid->fixed);
}

/* ---- rods ----------------------------------------------------------------------------------------------------- */

static bool parse_stiffness(const json_node* object, rod_spec* rod) {
    json_node n, poisson_node;
    double poisson = 0.3;
    if (!parse_needed_number(object, "young", json_positive, &rod->young)) {
        return false;
    }
    if (json_find(object, "shear", &n)) {
        return (!json_find(object, "poisson", &poisson_node) ||
                json_fail(&poisson_node, "says the same as 'shear': give one of them")) &&
               json_number(&n, json_positive, &rod->shear);
    }
    const bool ok = json_number_member(object, "poisson", (json_range){-0.999, 0.5}, &poisson);
    rod->shear = 0.5 * rod->young / (1 + poisson);
    return ok;
}

/* "drawn", "straight" or a curvature. */
static bool parse_rest(const json_node* object, rod_spec* rod) {
    static const char* const names[] = {"drawn", "straight", NULL};
    json_node n;
    unsigned chosen = ROD_DRAWN;
    if (!json_find(object, "rest", &n)) {
        return true;
    }
    if (json_is_array(&n)) {
        rod->rest = ROD_CURVED;
        return json_numbers(&n, 3, json_any, rod->curvature);
    }
    const bool ok = json_choice(&n, names, &chosen);
    rod->rest = (rod_rest)chosen;
    return ok;
}

/* A list of "start" and "end". */
static bool parse_clamp(const json_node* object, rod_spec* rod) {
    static const char* const ends[] = {"start", "end", NULL};
    json_node list, n;
    size_t count = 0;
    if (!json_find(object, "clamp", &list)) {
        return true;
    }
    bool ok = json_length(&list, 1, &count);
    for (bool more = ok && json_first(&list, &n); ok && more; more = json_next(&n)) {
        unsigned end = 0;
        ok = json_choice(&n, ends, &end) && (!rod->clamp[end] || json_fail(&n, "is listed twice"));
        rod->clamp[end] = true;
    }
    return ok;
}

static bool parse_torques(const json_node* object, rod_spec* rod) {
    static const char* const keys[] = {"start", "end", NULL};
    json_node n;
    return !json_find(object, "torques", &n) ||
           (json_object(&n, keys) && json_vector_member(&n, "start", rod->torques[0]) &&
            json_vector_member(&n, "end", rod->torques[1]));
}

bool parse_rod(const json_node* object, scene_object* o) {
    static const char* const keys[] = {COMMON_KEYS, "points", "segments", "radius", "density",      "young",   "shear",
                                       "poisson",   "rest",   "damping",  "clamp",  "inextensible", "torques", NULL};
    rod_spec* rod = &o->as.rod;
    json_node points;
    return json_object(object, keys) && json_need(object, "points", &points) &&
           json_points(&points, 2, &rod->points, &rod->count) &&
           json_integer_member(object, "segments", 1, SCENE_MAX_PARTICLES - 1, &rod->segments) &&
           parse_needed_number(object, "radius", json_positive, &rod->radius) &&
           parse_needed_number(object, "density", json_positive, &rod->density) && parse_stiffness(object, rod) &&
           parse_rest(object, rod) && parse_clamp(object, rod) && parse_torques(object, rod) &&
           json_number_member(object, "damping", json_not_negative, &rod->damping) &&
           json_bool_member(object, "inextensible", &rod->inextensible);
}
