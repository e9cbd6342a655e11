/* What a scene file asks of a world from step to step: moving pins, drives, and torques that stay. */
#include "base/quaternion.h"
#include "build/scene_build.h"

/* ---- once ----------------------------------------------------------------------------------------------------- */

static taut_status read_frames(const moving_pin* m, taut_world* world) {
    taut_status status = TAUT_OK;
    for (size_t i = 0; status == TAUT_OK && i < m->frame_count; i++) {
        status = taut_world_read(world, TAUT_FIELD_ORIENTATIONS, m->frames[i], 1, m->frame_start[i]);
    }
    return status;
}

taut_status scene_begin(const built_scene* b, taut_world* world) {
    taut_status status = TAUT_OK;
    for (size_t i = 0; status == TAUT_OK && i < b->pin_count; i++) {
        status = read_frames(&b->pins[i], world);
    }
    for (size_t i = 0; status == TAUT_OK && i < b->torque_count; i++) {
        status = taut_world_set_torques(world, b->torques[i].frame, 1, b->torques[i].torque);
    }
    return status;
}

/* ---- every step ----------------------------------------------------------------------------------------------- */

static taut_status move_points(const moving_pin* m, const motion_key* pose, taut_world* world) {
    motion_move(pose, m->centre, m->count, (const double(*)[3])m->start, m->now);
    return m->batch.id ? taut_world_move_targets(world, m->batch, 0, m->count, m->now[0])
                       : taut_world_move_fixed(world, m->count, m->particles, m->now[0]);
}

static taut_status move_frames(const moving_pin* m, const motion_key* pose, taut_world* world) {
    double turn[4];
    if (m->frame_count == 0) {
        return TAUT_OK;
    }
    quaternion_of_degrees(pose->degrees, turn);
    for (size_t i = 0; i < m->frame_count; i++) {
        quaternion_multiply(turn, m->frame_start[i], m->frame_now[i]);
    }
    return taut_world_move_fixed_frames(world, m->frame_count, m->frames, m->frame_now[0]);
}

static taut_status move_mesh(const moving_mesh* m, taut_world* world, double time) {
    point_cache_at(&m->samples, time - m->start, m->now);
    return m->solid ? taut_world_move_collider(world, m->collider, m->samples.point_count, m->now[0])
                    : taut_world_move_fixed(world, m->samples.point_count, m->points, m->now[0]);
}

taut_status scene_move(const built_scene* b, taut_world* world, double time) {
    taut_status status = TAUT_OK;
    for (size_t i = 0; status == TAUT_OK && i < b->pin_count; i++) {
        const motion_key pose = motion_at(b->pins[i].path, time);
        status = move_points(&b->pins[i], &pose, world);
        status = status == TAUT_OK ? move_frames(&b->pins[i], &pose, world) : status;
    }
    for (size_t i = 0; status == TAUT_OK && i < b->mesh_count; i++) {
        status = move_mesh(&b->meshes[i], world, time);
    }
    for (size_t i = 0; status == TAUT_OK && i < b->drive_count; i++) {
        const double target = drive_at(b->drives[i].path, time);
        status = taut_world_move_targets(world, b->drives[i].batch, 0, 1, &target);
    }
    return status;
}
