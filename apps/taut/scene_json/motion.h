/* Keyframed motion of pinned vertices, and of the targets of drives: piecewise linear in time. */
#ifndef TAUT_APP_MOTION_H
#define TAUT_APP_MOTION_H

#include <stdbool.h>
#include <stddef.h>

typedef struct motion_key {
    double time; /* s */
    double translate[3];
    double degrees[3]; /* interpolated as they are, so that 720 means two full turns */
} motion_key;

typedef struct motion {
    size_t count; /* 0: at rest */
    motion_key* keys;
    bool centred;     /* true: turns about `centre`; false: about the mean of the start positions */
    double centre[3]; /* m, world */
} motion;

/* Where a drive wants its joint, rad or m, or how fast a motor, rad/s or m/s. */
typedef struct drive_key {
    double time; /* s */
    double target;
} drive_key;

typedef struct drive_path {
    double start; /* at time 0 */
    size_t count; /* 0: stays there */
    drive_key* keys;
} drive_path;

/* Held after the last key. */
double drive_at(const drive_path* d, double time);

/* The pose at a time: from no motion at time 0 to the first key, held after the last. */
motion_key motion_at(const motion* m, double time);
/* The rotation vector, rad, by which the pose turns between two times: where one of the angles changes all of its way,
 * else the shortest one. */
void motion_turn(const motion* m, double from, double to, double rotation[3]);
/* Whether more than one angle changes within a frame that turns by 180 degrees or more, so that its way is not known:
 * the end of the first one, s, and how far it turns at most. */
bool motion_turns_too_far(const motion* m, double fps, double* time, double* degrees);
/* Where points that started at `start` are in that pose. */
void motion_move(const motion_key* pose, const double centre[3], size_t count, const double (*start)[3],
                 double (*out)[3]);

#endif
