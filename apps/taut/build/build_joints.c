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

static void note_kinds(scene_builder* b, const joint_spec* joint, const taut_joint_batches* batches) {
    bool* kinds = b->built->kinds;
    const bool slides = joint->type == TAUT_JOINT_SLIDER;
    kinds[TAUT_PRISMATIC] |= batches->prismatic.id || (joint->driven && slides);
    kinds[TAUT_ANGULAR] |= batches->angular.id || (joint->driven && !slides);
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
    if (!build_check(b, "", taut_scene_add_joints(scene, &def, &batches)) || !note_world(b, points, frames)) {
        return false;
    }
    note_kinds(b, joint, &batches);
    if (joint->driven && !build_form(b, ".drive", &joint->drive_law, batches.drive)) {
        return false;
    }
    if (joint->drive.count) {
        b->built->drives[b->built->drive_count++] = (moving_drive){.path = &joint->drive, .batch = batches.drive};
    }
    return true;
}
