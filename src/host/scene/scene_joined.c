/* What joints and attachments of a scene join, which does not touch while they are there. */
#include "base/status.h"
#include "host/scene/scene_data.h"

taut_status scene_reserve_joined(taut_scene* scene, size_t count) {
    taut_buffer* joined = &scene->contact.joined;
    const size_t most = TAUT_MAX_COUNT / 2 - joined->count;
    if (count > most) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "%zu pairs are joined; there is place for %zu.", count, most);
    }
    return taut_buffer_reserve(&scene->allocator, joined, sizeof(scene_joined), count);
}

void scene_add_joined(taut_scene* scene, scene_joined joined) {
    taut_buffer* all = &scene->contact.joined;
    ((scene_joined*)all->data)[all->count++] = joined;
}
