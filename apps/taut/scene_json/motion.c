#include "scene_json/motion.h"

#include "base/quaternion.h"
#include "scene_json/placement.h"

#include <math.h>

/* Degrees: what rounding of times makes of an angle that stays. */
#define STILL 1e-6

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

/* ---- turns ------------------------------------------------------------------------------------------------------- */

/* From none at time 0, where a first key may ask for another pose. */
static motion_key pose_before(const motion* m, double time) {
    return time > 0 ? motion_at(m, time) : (motion_key){0};
}

/* About a single one of the axes that poses are turned about (x, then y, then z), all the way. */
static void turn_about(int axis, const double degrees[3], double angle, double rotation[3]) {
    const double later[3] = {0, axis < 1 ? degrees[1] : 0, axis < 2 ? degrees[2] : 0};
    const double unit[3] = {axis == 0, axis == 1, axis == 2};
    double q[4];
    quaternion_of_degrees(later, q);
    quaternion_rotate(q, unit, rotation);
    for (int i = 0; i < 3; i++) {
        rotation[i] *= angle * acos(-1.0) / 180;
    }
}

static void shortest_turn(const double from[3], const double to[3], double rotation[3]) {
    double a[4], b[4], q[4];
    quaternion_of_degrees(from, a);
    quaternion_of_degrees(to, b);
    quaternion_conjugate(a, a);
    quaternion_multiply(b, a, q);
    const double sine = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]), side = q[0] < 0 ? -1 : 1;
    for (int i = 0; i < 3; i++) {
        rotation[i] = sine > 0 ? 2 * atan2(sine, side * q[0]) * side * q[1 + i] / sine : 0;
    }
}

void motion_turn(const motion* m, double from, double to, double rotation[3]) {
    const motion_key a = pose_before(m, from), b = motion_at(m, to);
    int changed = 0, axis = 0;
    for (int i = 0; i < 3; i++) {
        const bool changes = fabs(b.degrees[i] - a.degrees[i]) > STILL;
        changed += changes;
        axis = changes ? i : axis;
    }
    if (changed == 1) {
        turn_about(axis, a.degrees, b.degrees[axis] - a.degrees[axis], rotation);
    } else {
        shortest_turn(a.degrees, b.degrees, rotation);
    }
}

/* What a frame has turned. */
typedef struct frame_turn {
    bool angles[3]; /* that have changed */
    double degrees; /* at most */
} frame_turn;

/* Rates a, b and c of the angles about x, y and z turn at |omega|^2 = a^2 + b^2 + c^2 - 2 a c sin y. */
static void add_turn(frame_turn* t, const motion_key* from, const motion_key* to) {
    double way[3];
    for (int i = 0; i < 3; i++) {
        way[i] = fabs(to->degrees[i] - from->degrees[i]);
        t->angles[i] = t->angles[i] || way[i] > STILL;
    }
    t->degrees += hypot(way[0] + way[2], way[1]);
}

static bool is_too_far(const frame_turn* t) {
    return t->angles[0] + t->angles[1] + t->angles[2] > 1 && t->degrees >= 180;
}

/* Between two keys frames turn alike: one of them is enough. At times at which no frame is told from the next it ends.
 */
bool motion_turns_too_far(const motion* m, double fps, double* time, double* degrees) {
    motion_key now = {0};
    double frame = 0;
    for (size_t i = 0; i < m->count && (frame + 1) / fps > frame / fps;) {
        const size_t first = i;
        frame_turn t = {0};
        *time = (frame + 1) / fps;
        for (; i < m->count && m->keys[i].time <= *time; i++) {
            add_turn(&t, &now, &m->keys[i]);
            now = m->keys[i];
        }
        if (i < m->count) {
            const motion_key end = between(&now, &m->keys[i], *time);
            add_turn(&t, &now, &end);
            frame = i == first ? fmax(frame + 1, floor(m->keys[i].time * fps)) : frame + 1;
            now = between(&now, &m->keys[i], fmin(frame / fps, m->keys[i].time));
        }
        *degrees = t.degrees;
        if (is_too_far(&t)) {
            return true;
        }
    }
    return false;
}

/* ---- drives ------------------------------------------------------------------------------------------------------ */

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

/* ---- points ------------------------------------------------------------------------------------------------------ */

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
