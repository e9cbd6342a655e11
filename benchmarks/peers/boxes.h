// A scene of boxes as table.py writes it, and the poses that a peer writes back.
#pragma once

#include <cstdio>
#include <ctime>
#include <vector>

namespace boxes {

struct Box {
    double sides[3], mass, at[3], orientation[4]; // orientation: w, x, y, z
};

struct Plane {
    double normal[3], point[3];
};

struct Scene {
    double friction = 0, frame = 0, gravity = 0;
    int frames = 0, substeps = 0, iterations = 0;
    std::vector<Box> boxes;
    std::vector<Plane> planes;
};

inline bool read(double* to, int count) {
    for (int i = 0; i < count; ++i) {
        if (std::scanf("%lf", to + i) != 1) {
            return false;
        }
    }
    return true;
}

/* From standard input: friction, frame time, gravity, frames, substeps, iterations, number of boxes and of planes; a
 * line each box (sides, mass, centre, orientation) and plane (normal, point). */
inline bool read(Scene* scene) {
    double head[8];
    if (!read(head, 8)) {
        return false;
    }
    scene->friction = head[0], scene->frame = head[1], scene->gravity = head[2];
    scene->frames = (int)head[3], scene->substeps = (int)head[4], scene->iterations = (int)head[5];
    scene->boxes.resize((size_t)head[6]);
    scene->planes.resize((size_t)head[7]);
    for (Box& b : scene->boxes) {
        if (!read(b.sides, 3) || !read(&b.mass, 1) || !read(b.at, 3) || !read(b.orientation, 4)) {
            return false;
        }
    }
    for (Plane& p : scene->planes) {
        if (!read(p.normal, 3) || !read(p.point, 3)) {
            return false;
        }
    }
    return true;
}

inline double processor_seconds() {
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

} // namespace boxes
