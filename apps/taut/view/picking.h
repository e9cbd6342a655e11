/* What is under the mouse. */
#ifndef TAUT_VIEW_PICKING_H
#define TAUT_VIEW_PICKING_H

#include "orbit_camera.h"

struct Pick {
    bool hit = false;
    uint32_t point = no_point; // of the world; none on what stands still
    glm::vec3 position{0};
};

// The first triangle that the ray meets, and the nearest of the points of its corners.
Pick pick(Display& display, const Ray& ray);
// Where the ray meets the plane through a point that faces the camera.
glm::vec3 on_facing_plane(const Ray& ray, const glm::vec3& point, const OrbitCamera& camera);

#endif
