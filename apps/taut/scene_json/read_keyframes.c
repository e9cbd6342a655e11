/* Keyframed motion in a scene file: of pins and of colliders. */
#include "base/array.h"
#include "scene_json/scene_parse.h"

static bool parse_key(const json_node* n, motion* m) {
    static const char* const keys[] = {"time", "translate", "rotate_degrees", NULL};
    motion_key* key = &m->keys[n->index];
    json_node time;
    if (!json_object(n, keys) || !json_need(n, "time", &time) || !json_number(&time, json_not_negative, &key->time)) {
        return false;
    }
    if (n->index > 0 && key->time <= key[-1].time) {
        return json_fail(&time, "is %g, must be later than the keyframe before (%g)", key->time, key[-1].time);
    }
    return json_vector_member(n, "translate", key->translate) && json_vector_member(n, "rotate_degrees", key->degrees);
}

static bool check_turns(const json_node* list, const motion* m, double fps) {
    double time, degrees;
    return !motion_turns_too_far(m, fps, &time, &degrees) ||
           json_fail(list,
                     "changes several of the angles of 'rotate_degrees' in the frame that ends at %g s, and turns by "
                     "%.4g degrees there; that must be less than 180: raise 'fps', or turn about one axis at a time",
                     time, degrees);
}

bool parse_motion(const json_node* object, double fps, motion* m) {
    json_node list, key, centre;
    m->centred = json_find(object, "centre", &centre);
    if (!json_find(object, "motion", &list)) {
        return !m->centred || json_fail(&centre, "is of use with 'motion' only");
    }
    if (!json_length(&list, 1, &m->count)) {
        return false;
    }
    m->keys = array_new(m->count, sizeof *m->keys, object->document->r);
    bool ok = m->keys && json_vector_member(object, "centre", m->centre);
    for (bool more = json_first(&list, &key); ok && more; more = json_next(&key)) {
        ok = parse_key(&key, m);
    }
    return ok && check_turns(&list, m, fps);
}
