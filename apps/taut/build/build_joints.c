#include "build/scene_builder.h"

#include <string.h>

/* Joints with the world add bodies for it now and then. */
static bool note_world(scene_builder* b, size_t points, size_t frames) {
    const taut_scene* scene = b->built->scene;
    const unnamed_nodes world = {.first_point = points,
                                 .point_count = taut_scene_particle_count(scene) - points,
                                 .first_frame = frames,
                                 .frame_count = taut_scene_frame_count(scene) - frames};
    return world.frame_count == 0 || build_unnamed(b, NULL, world);
}

static taut_joints_def joint_def(const joint_spec* joint) {
    taut_joints_def def = taut_default_joints();
    def.type = joint->type;
    def.count = 1;
    def.positions = joint->position;
    def.orientations = joint->orientation;
    memcpy(def.translation_compliance, joint->translation.compliance, sizeof def.translation_compliance);
    memcpy(def.translation_damping, joint->translation.damping, sizeof def.translation_damping);
    memcpy(def.rest_offset, joint->translation.rest, sizeof def.rest_offset);
    memcpy(def.rotation_compliance, joint->rotation.compliance, sizeof def.rotation_compliance);
    memcpy(def.rotation_damping, joint->rotation.damping, sizeof def.rotation_damping);
    memcpy(def.rest_angle, joint->rotation.rest, sizeof def.rest_angle);
    def.drive = joint->driven;
    def.targets = joint->driven ? &joint->drive.start : NULL;
    def.drive_compliance = joint->drive_law.compliance;
    def.drive_damping = joint->drive_law.damping;
    def.contact = joint->contact;
    return def;
}

/* Of the free coordinate. */
static taut_joint_motion free_motion(const joint_spec* joint) {
    return joint->type == TAUT_JOINT_SLIDER ? TAUT_MOTION_SLIDE : TAUT_MOTION_TURN;
}

static void note_motion(scene_builder* b, taut_joint_motion which) {
    b->built->kinds[which == TAUT_MOTION_SLIDE ? TAUT_PRISMATIC : TAUT_ANGULAR] = true;
}

static void note_kinds(scene_builder* b, const joint_spec* joint, const taut_joint_batches* batches) {
    bool* kinds = b->built->kinds;
    kinds[TAUT_PRISMATIC] |= batches->prismatic.id != 0;
    kinds[TAUT_ANGULAR] |= batches->angular.id != 0;
    if (joint->driven) {
        note_motion(b, free_motion(joint));
    }
}

static bool build_drive(scene_builder* b, const joint_spec* joint, taut_batch batch) {
    if (joint->driven && !build_form(b, ".drive", &joint->drive_law, batch)) {
        return false;
    }
    if (joint->drive.count) {
        b->built->drives[b->built->drive_count++] = (moving_drive){.path = &joint->drive, .batch = batch};
    }
    return true;
}

/* ---- limits and motors, where the joint is ---------------------------------------------------------------------- */

static bool build_limit(scene_builder* b, const joint_spec* joint, const taut_body bodies[2], taut_joint_motion which,
                        const double* lower, const double* upper) {
    taut_limits_def def = taut_default_limits();
    if (!lower && !upper) {
        return true;
    }
    note_motion(b, which);
    def.motion = which;
    def.count = 1;
    def.bodies = bodies;
    def.positions = joint->position;
    def.orientations = joint->orientation;
    def.lower = lower;
    def.upper = upper;
    def.compliance = joint->limits.compliance;
    def.damping = joint->limits.damping;
    return build_check(b, ".limits", taut_scene_add_limits(b->built->scene, &def, NULL));
}

static bool build_limits(scene_builder* b, const joint_spec* joint, const taut_body bodies[2]) {
    const joint_limits* l = &joint->limits;
    return build_limit(b, joint, bodies, free_motion(joint), l->lower_given ? &l->lower : NULL,
                       l->upper_given ? &l->upper : NULL) &&
           build_limit(b, joint, bodies, TAUT_MOTION_SWING, NULL, l->swing_given ? &l->swing : NULL) &&
           build_limit(b, joint, bodies, TAUT_MOTION_TWIST, l->twist_given ? &l->twist[0] : NULL,
                       l->twist_given ? &l->twist[1] : NULL);
}

static bool build_motor(scene_builder* b, const joint_spec* joint, const taut_body bodies[2]) {
    taut_motors_def def = taut_default_motors();
    taut_batch batch;
    if (!joint->motor) {
        return true;
    }
    note_motion(b, free_motion(joint));
    def.motion = free_motion(joint);
    def.count = 1;
    def.bodies = bodies;
    def.positions = joint->position;
    def.orientations = joint->orientation;
    def.speeds = &joint->speed.start;
    def.max_force = joint->max_force;
    def.slip = joint->slip;
    if (!build_check(b, ".motor", taut_scene_add_motors(b->built->scene, &def, &batch))) {
        return false;
    }
    if (joint->speed.count) {
        b->built->drives[b->built->drive_count++] =
            (moving_drive){.path = &joint->speed, .speed = true, .batch = batch};
    }
    return true;
}

bool build_joint(scene_builder* b, const joint_spec* joint) {
    taut_scene* scene = b->built->scene;
    taut_joints_def def = joint_def(joint);
    taut_joint_batches batches;
    taut_body bodies[2];
    const size_t points = taut_scene_particle_count(scene), frames = taut_scene_frame_count(scene);
    for (int i = 0; i < 2; i++) {
        bodies[i] = joint->world[i] ? TAUT_WORLD : body_at(b, &joint->bodies[i]);
    }
    def.bodies = bodies;
    if (!build_check(b, "", taut_scene_add_joints(scene, &def, &batches)) || !build_drive(b, joint, batches.drive) ||
        !build_limits(b, joint, bodies) || !build_motor(b, joint, bodies) || !note_world(b, points, frames)) {
        return false;
    }
    note_kinds(b, joint, &batches);
    return true;
}
