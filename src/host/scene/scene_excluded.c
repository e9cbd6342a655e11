/* Bodies that never touch each other. */
#include "base/status.h"
#include "host/scene/scene_frames.h"

#include <string.h>

static taut_status check_pairs(const taut_scene* scene, size_t count, const taut_body* bodies) {
    const size_t most = TAUT_MAX_COUNT / 2 - scene->contact.excluded.count;
    if ((bodies == NULL && count > 0) || count > most) {
        return taut_fail(TAUT_INVALID_ARGUMENT,
                         "%zu pairs of bodies; bodies must not be NULL, and there is place for %zu.", count, most);
    }
    taut_status status = TAUT_OK;
    for (size_t i = 0; status == TAUT_OK && i < 2 * count; i++) {
        status = scene_check_body(scene, "bodies", i, bodies[i]);
    }
    for (size_t i = 0; status == TAUT_OK && i < count; i++) {
        if (bodies[2 * i].frame == bodies[2 * i + 1].frame) {
            status = taut_fail(TAUT_INVALID_ARGUMENT,
                               "pair %zu names the body of frame %u twice; a body never touches itself.", i,
                               bodies[2 * i].frame);
        }
    }
    return status;
}

taut_status taut_scene_exclude_contacts(taut_scene* scene, size_t count, const taut_body* bodies) {
    if (scene == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "scene must not be NULL.");
    }
    taut_status status = check_pairs(scene, count, bodies);
    taut_buffer* excluded = &scene->contact.excluded;
    if (status != TAUT_OK || count == 0) {
        return status;
    }
    status = taut_buffer_reserve(&scene->allocator, excluded, 2 * sizeof(uint32_t), count);
    if (status != TAUT_OK) {
        return status;
    }
    uint32_t* frames = (uint32_t*)excluded->data + 2 * excluded->count;
    for (size_t i = 0; i < 2 * count; i++) {
        frames[i] = bodies[i].frame;
    }
    excluded->count += count;
    return TAUT_OK;
}

taut_status taut_scene_exclude_attached(taut_scene* scene, size_t count, const uint32_t* points) {
    if (scene == NULL || (points == NULL && count > 0)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "scene and points must not be NULL.");
    }
    if (count == 0) {
        return TAUT_OK;
    }
    taut_buffer* attached = &scene->contact.attached;
    const size_t most = TAUT_MAX_COUNT / 2 - attached->count;
    if (count > most) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "%zu pairs; there is place for %zu.", count, most);
    }
    for (size_t i = 0; i < 2 * count; i++) {
        if (points[i] >= scene->particle_count) {
            return taut_fail(TAUT_INVALID_ARGUMENT, "pair %zu has point %u; there are %u points.", i / 2, points[i],
                             scene->particle_count);
        }
    }
    const taut_status status = taut_buffer_reserve(&scene->allocator, attached, 2 * sizeof *points, count);
    if (status == TAUT_OK) {
        memcpy((uint32_t*)attached->data + 2 * attached->count, points, 2 * count * sizeof *points);
        attached->count += count;
    }
    return status;
}
