#include "scene_json/motion.h"

#include "scene_json/placement.h"

static motion_key between(const motion_key* a, const motion_key* b, double time) {
    const double s = (time - a->time) / (b->time - a->time);
    motion_key pose = {.time = time};
    for (int i = 0; i < 3; i++) {
        pose.translate[i] = a->translate[i] + s * (b->translate[i] - a->translate[i]);
        pose.degrees[i] = a->degrees[i] + s * (b->degrees[i] - a->degrees[i]);
    }
    return pose;
}

motion_key motion_at(const motion* m, double time) {
    motion_key before = {0};
    for (size_t i = 0; i < m->count; i++) {
        const motion_key* key = &m->keys[i];
        if (time < key->time) {
            return between(&before, key, time);
        }
        before = *key;
    }
    return before;
}

double drive_at(const drive_path* d, double time) {
    drive_key before = {.target = d->start};
    for (size_t i = 0; i < d->count; i++) {
        const drive_key key = d->keys[i];
        if (time < key.time) {
            return before.target + (time - before.time) / (key.time - before.time) * (key.target - before.target);
        }
        before = key;
    }
    return before.target;
}

void motion_move(const motion_key* pose, const double centre[3], size_t count, const double (*start)[3],
                 double (*out)[3]) {
    double m[3][3];
    rotation_matrix(pose->degrees, m);
    for (size_t i = 0; i < count; i++) {
        double arm[3], turned[3];
        for (int a = 0; a < 3; a++) {
            arm[a] = start[i][a] - centre[a];
        }
        rotate((const double(*)[3])m, arm, turned);
        for (int a = 0; a < 3; a++) {
            out[i][a] = centre[a] + turned[a] + pose->translate[a];
        }
    }
}
