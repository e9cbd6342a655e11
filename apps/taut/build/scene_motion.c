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

/* Along the path, or with the vertices of the leader, which are there already. */
static void place_points(const moving_pin* m, const motion_key* pose) {
    if (m->path) {
        motion_move(pose, m->centre, m->count, (const double(*)[3])m->start, m->now);
    }
    for (size_t i = 0; m->leader && i < m->count; i++) {
        follower_point(&m->bound[i], (const double(*)[3])m->leader->now, m->now[i]);
    }
}

static void turn_frames(const moving_pin* m, const motion_key* pose) {
    double turn[4];
    if (m->path) {
        quaternion_of_degrees(pose->degrees, turn);
    }
    for (size_t i = 0; i < m->frame_count; i++) {
        if (m->leader) {
            follower_turn(&m->bound_frames[i], (const double(*)[3])m->leader->now, turn);
        }
        quaternion_multiply(turn, m->frame_start[i], m->frame_now[i]);
    }
}

/* What follows a mesh goes straight, as its vertices do. */
static taut_status send_pin(const moving_pin* m, taut_world* world, const double rotation[3], const double centre[3]) {
    taut_status status = m->batch.id
                             ? taut_world_turn_targets(world, m->batch, 0, m->count, m->now[0], rotation, centre)
                             : taut_world_turn_fixed(world, m->count, m->particles, m->now[0], rotation, centre);
    if (status == TAUT_OK && m->frame_count > 0) {
        status = taut_world_turn_fixed_frames(world, m->frame_count, m->frames, m->frame_now[0], rotation);
    }
    return status;
}

static taut_status move_pin(const moving_pin* m, taut_world* world, double time, double dt) {
    const motion_key pose = m->path ? motion_at(m->path, time) : (motion_key){0};
    double rotation[3] = {0}, centre[3];
    place_points(m, &pose);
    turn_frames(m, &pose);
    if (m->path) {
        motion_turn(m->path, time - dt, time, rotation);
    }
    for (int i = 0; i < 3; i++) {
        centre[i] = m->centre[i] + pose.translate[i];
    }
    return send_pin(m, world, rotation, centre);
}

static taut_status move_mesh(const moving_mesh* m, taut_world* world, double time) {
    point_cache_at(&m->samples, time - m->start, m->now);
    return m->solid ? taut_world_move_collider(world, m->collider, m->samples.point_count, m->now[0])
                    : taut_world_move_fixed(world, m->samples.point_count, m->points, m->now[0]);
}

taut_status scene_move(const built_scene* b, taut_world* world, double time, double dt) {
    taut_status status = TAUT_OK;
    for (size_t i = 0; status == TAUT_OK && i < b->mesh_count; i++) {
        status = move_mesh(&b->meshes[i], world, time);
    }
    for (size_t i = 0; status == TAUT_OK && i < b->pin_count; i++) { /* some follow the meshes */
        status = move_pin(&b->pins[i], world, time, dt);
    }
    for (size_t i = 0; status == TAUT_OK && i < b->drive_count; i++) {
        const moving_drive* drive = &b->drives[i];
        const double value = drive_at(drive->path, time);
        status = drive->speed ? taut_world_set_rest_values(world, drive->batch, 0, 1, &value)
                              : taut_world_move_targets(world, drive->batch, 0, 1, &value);
    }
    return status;
}
