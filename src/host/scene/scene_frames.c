/* Bodies and frames of a scene. */
#define TAUT_REAL double
#include "host/scene/scene_frames.h"
#include "base/status.h"
#include "host/scene/defaults.h"
#include "host/scene/scene_data.h"
#include "kernels/formulas/rotation_math.h"

#include <string.h>

taut_status scene_check_def(const taut_scene* scene, const void* def, uint32_t cookie, uint32_t expected,
                            const char* name) {
    if (scene == NULL || def == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "%s: scene and definition must not be NULL.", name);
    }
    return cookie == expected ? TAUT_OK
                              : taut_fail(TAUT_INVALID_DEFINITION,
                                          "%s: the definition was not made by its taut_default function.", name);
}

taut_status scene_check_vectors(const char* what, const double* values, size_t count) {
    for (size_t i = 0; values != NULL && i < 3 * count; i++) {
        if (!(fabs(values[i]) <= TAUT_MAX_LENGTH)) {
            return taut_fail(TAUT_INVALID_ARGUMENT,
                             "%s[%zu] component %zu is %g; it must be finite and at most %g in size.", what, i / 3,
                             i % 3, values[i], TAUT_MAX_LENGTH);
        }
    }
    return TAUT_OK;
}

taut_status scene_check_quaternions(const char* what, const double* values, size_t count) {
    for (size_t i = 0; values != NULL && i < count; i++) {
        const double* q = values + 4 * i;
        const double norm2 = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
        if (!(norm2 > 1e-24 && norm2 < 1e24)) {
            return taut_fail(TAUT_INVALID_ARGUMENT, "%s[%zu] is (%g, %g, %g, %g), which is no rotation.", what, i, q[0],
                             q[1], q[2], q[3]);
        }
    }
    return TAUT_OK;
}

/* Positive definite, by its leading minors. */
static taut_status check_inertia(const char* what, size_t index, const double* m) {
    const double second = m[0] * m[1] - m[5] * m[5];
    const double third =
        m[0] * (m[1] * m[2] - m[3] * m[3]) - m[5] * (m[5] * m[2] - m[3] * m[4]) + m[4] * (m[5] * m[3] - m[1] * m[4]);
    const double trace = m[0] + m[1] + m[2];
    if (!(m[0] > 0 && second > 0 && third > 1e-15 * trace * trace * trace && trace <= TAUT_MAX_MASS &&
          trace >= TAUT_MIN_MASS * 1e-6)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "%s: inertia[%zu] is not positive definite, or out of range.", what,
                         index);
    }
    return TAUT_OK;
}

static taut_status reserve_frames(taut_scene* scene, size_t count) {
    const taut_allocator* a = &scene->allocator;
    scene_frames* f = &scene->frames;
    taut_status status = taut_buffer_reserve(a, &f->orientations, sizeof(double), 4 * count);
    if (status == TAUT_OK) {
        status = taut_buffer_reserve(a, &f->velocities, sizeof(double), 3 * count);
    }
    if (status == TAUT_OK) {
        status = taut_buffer_reserve(a, &f->inertias, sizeof(double), 6 * count);
    }
    if (status == TAUT_OK) {
        status = taut_buffer_reserve(a, &f->fixed, sizeof(uint8_t), count);
    }
    return status == TAUT_OK ? taut_buffer_reserve(a, &f->centres, sizeof(uint32_t), count) : status;
}

taut_status scene_add_frame(taut_scene* scene, const scene_frame* frame) {
    if (scene->frames.count >= TAUT_MAX_COUNT) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "frames: a scene holds at most %u.", TAUT_MAX_COUNT);
    }
    const taut_status status = reserve_frames(scene, 1);
    if (status != TAUT_OK) {
        return status;
    }
    scene_frames* f = &scene->frames;
    const size_t at = f->count;
    double* q = (double*)f->orientations.data + 4 * at;
    memcpy(q, frame->orientation, 4 * sizeof(double));
    quat_normalise(q, q);
    memcpy((double*)f->velocities.data + 3 * at, frame->velocity, 3 * sizeof(double));
    memcpy((double*)f->inertias.data + 6 * at, frame->inertia, 6 * sizeof(double));
    ((uint8_t*)f->fixed.data)[at] = frame->fixed;
    ((uint32_t*)f->centres.data)[at] = frame->centre;
    f->count++;
    f->orientations.count += 4;
    f->velocities.count += 3;
    f->inertias.count += 6;
    f->fixed.count = f->centres.count = f->count;
    return TAUT_OK;
}

/* ---- bodies ----------------------------------------------------------------------------------------------------- */

static taut_status check_bodies(const taut_scene* scene, const taut_bodies_def* def) {
    taut_status status = scene_check_def(scene, def, def != NULL ? def->cookie : 0, TAUT_DEFINITION_BODIES, "bodies");
    if (status == TAUT_OK && (def->count == 0 || def->count > TAUT_MAX_COUNT)) { /* before that much is read */
        status = taut_fail(TAUT_INVALID_ARGUMENT, "bodies: count is %zu; it must lie in 1 to %u.", def->count,
                           TAUT_MAX_COUNT);
    }
    if (status == TAUT_OK) {
        status = scene_check_quaternions("bodies: orientation", def->orientations, def->count);
    }
    if (status == TAUT_OK) {
        status = scene_check_vectors("bodies: angular velocity", def->angular_velocities, def->count);
    }
    for (size_t i = 0; status == TAUT_OK && i < (def->inertias != NULL ? def->count : 1); i++) {
        status = check_inertia("bodies", i, def->inertias != NULL ? def->inertias + 6 * i : def->inertia);
    }
    return status;
}

static taut_status add_body_frame(taut_scene* scene, const taut_bodies_def* def, size_t i, uint32_t centre) {
    static const double identity[4] = {1, 0, 0, 0}, still[3] = {0, 0, 0};
    const scene_frame frame = {
        .orientation = def->orientations != NULL ? def->orientations + 4 * i : identity,
        .velocity = def->angular_velocities != NULL ? def->angular_velocities + 3 * i : still,
        .inertia = def->inertias != NULL ? def->inertias + 6 * i : def->inertia,
        .fixed = def->fixed != NULL && def->fixed[i],
        .centre = centre,
    };
    return scene_add_frame(scene, &frame);
}

taut_status taut_scene_add_bodies(taut_scene* scene, const taut_bodies_def* def, taut_body_ranges* ranges) {
    SCENE_WHOLE_DEFINITION(taut_bodies_def, TAUT_DEFINITION_BODIES);
    taut_status status = check_bodies(scene, def);
    if (status != TAUT_OK) {
        return status;
    }
    taut_particles_def centres = taut_default_particles();
    centres.count = def->count;
    centres.positions = def->positions;
    centres.velocities = def->velocities;
    centres.masses = def->masses;
    centres.mass = def->mass;
    centres.fixed = def->fixed;
    const scene_mark mark = scene_take_mark(scene);
    taut_body_ranges made = {.frames = {scene->frames.count, (uint32_t)def->count}};
    status = taut_scene_add_particles(scene, &centres, &made.points);
    for (size_t i = 0; status == TAUT_OK && i < def->count; i++) {
        status = add_body_frame(scene, def, i, made.points.first + (uint32_t)i);
    }
    if (status != TAUT_OK) {
        scene_return_to(scene, &mark);
        return status;
    }
    if (ranges != NULL) {
        *ranges = made;
    }
    return TAUT_OK;
}

/* A device sums what constraints pull at a node with one thread: a body that all joints shared would be slow. */
#define MOST_USERS 64

taut_status scene_ground(taut_scene* scene, uint32_t* frame) {
    if (scene->ground == 0 || scene->ground_users >= MOST_USERS) {
        static const double origin[3] = {0, 0, 0};
        static const bool fixed = true;
        taut_bodies_def def = taut_default_bodies();
        taut_body_ranges made;
        def.count = 1;
        def.positions = origin;
        def.fixed = &fixed;
        const taut_status status = taut_scene_add_bodies(scene, &def, &made);
        if (status != TAUT_OK) {
            return status;
        }
        scene->ground = made.frames.first + 1;
        scene->ground_users = 0;
    }
    scene->ground_users++;
    *frame = scene->ground - 1;
    return TAUT_OK;
}

taut_status scene_check_body(const taut_scene* scene, const char* what, size_t index, taut_body body) {
    if (taut_body_is_world(body)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "%s[%zu]: takes a body, not the world.", what, index);
    }
    if (body.frame >= scene->frames.count) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "%s[%zu]: frame %u does not exist (%u frames).", what, index,
                         body.frame, scene->frames.count);
    }
    const uint32_t centre = ((const uint32_t*)scene->frames.centres.data)[body.frame];
    if (centre == TAUT_NO_POINT) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "%s[%zu]: frame %u is a piece of a rod, not a body.", what, index,
                         body.frame);
    }
    if (centre != body.point) {
        return taut_fail(TAUT_INVALID_ARGUMENT,
                         "%s[%zu]: point %u and frame %u are not of one body; frame %u has point %u.", what, index,
                         body.point, body.frame, body.frame, centre);
    }
    return TAUT_OK;
}

void scene_body_pose(const taut_scene* scene, uint32_t frame, const double** x, const double** q) {
    const uint32_t centre = ((const uint32_t*)scene->frames.centres.data)[frame];
    *x = (const double*)scene->positions.data + 3 * (size_t)centre;
    *q = (const double*)scene->frames.orientations.data + 4 * (size_t)frame;
}

void scene_to_body(const taut_scene* scene, uint32_t frame, const double world[3], double local[3]) {
    const double *x, *q;
    double inverse[4], d[3];
    scene_body_pose(scene, frame, &x, &q);
    vec3_sub(world, x, d);
    quat_conjugate(q, inverse);
    quat_rotate(inverse, d, local);
}

size_t taut_scene_frame_count(const taut_scene* scene) {
    return scene != NULL ? scene->frames.count : 0;
}

taut_status taut_scene_set_frames_fixed(taut_scene* scene, size_t count, const uint32_t* frames, bool fixed) {
    if (scene == NULL || (frames == NULL && count > 0)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "scene and frames must not be NULL.");
    }
    for (size_t i = 0; i < count; i++) {
        if (frames[i] >= scene->frames.count) {
            return taut_fail(TAUT_INVALID_ARGUMENT, "frame %u does not exist (%u frames).", frames[i],
                             scene->frames.count);
        }
    }
    for (size_t i = 0; i < count; i++) {
        ((uint8_t*)scene->frames.fixed.data)[frames[i]] = fixed;
    }
    return TAUT_OK;
}

taut_status taut_scene_set_bodies_fixed(taut_scene* scene, size_t count, const taut_body* bodies, bool fixed) {
    if (scene == NULL || (bodies == NULL && count > 0)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "scene and bodies must not be NULL.");
    }
    for (size_t i = 0; i < count; i++) {
        const taut_status status = scene_check_body(scene, "bodies", i, bodies[i]);
        if (status != TAUT_OK) {
            return status;
        }
    }
    for (size_t i = 0; i < count; i++) {
        taut_scene_set_fixed(scene, 1, &bodies[i].point, fixed);
        taut_scene_set_frames_fixed(scene, 1, &bodies[i].frame, fixed);
    }
    return TAUT_OK;
}

/* ---- solids ----------------------------------------------------------------------------------------------------- */

static void diagonal(double xx, double yy, double zz, double inertia[6]) {
    const double values[6] = {xx, yy, zz, 0, 0, 0};
    memcpy(inertia, values, sizeof values);
}

void taut_inertia_of_box(double mass, const double a[3], double inertia[6]) {
    diagonal(mass / 12 * (a[1] * a[1] + a[2] * a[2]), mass / 12 * (a[2] * a[2] + a[0] * a[0]),
             mass / 12 * (a[0] * a[0] + a[1] * a[1]), inertia);
}

void taut_inertia_of_sphere(double mass, double radius, double inertia[6]) {
    const double value = 0.4 * mass * radius * radius;
    diagonal(value, value, value, inertia);
}

void taut_inertia_of_cylinder(double mass, double radius, double height, double inertia[6]) {
    const double across = mass / 12 * (3 * radius * radius + height * height);
    diagonal(across, across, mass / 2 * radius * radius, inertia);
}

void taut_inertia_of_cone(double mass, double radius, double height, double inertia[6]) {
    const double across = 3 * mass / 80 * (4 * radius * radius + height * height);
    diagonal(across, across, 0.3 * mass * radius * radius, inertia);
}
