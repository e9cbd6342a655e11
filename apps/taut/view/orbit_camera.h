/* A camera that looks at a point from a direction. Angles in degrees, lengths in metres. */
#ifndef TAUT_VIEW_ORBIT_CAMERA_H
#define TAUT_VIEW_ORBIT_CAMERA_H

#include "display.h"

struct Ray {
    glm::vec3 origin, direction;
};

struct OrbitCamera {
    glm::vec3 target{0};
    glm::vec3 up{0, 1, 0}; // an axis
    float azimuth = 30;    // about `up`, 0: from +z, or from -y where up is z
    float elevation = 16;
    float distance = 3;
    float field_of_view = 28; // of the height

    // Puts all of these points into the picture.
    void fit(const std::vector<glm::vec3>& points, float aspect);
    // The distance from which they are, with the target as it is.
    float distance_to(const std::vector<glm::vec3>& points, float aspect) const;
    glm::vec3 towards() const; // unit vector from the target to the eye
    glm::vec3 eye() const { return target + distance * towards(); }
    glm::mat4 view() const;
    glm::mat4 projection(float aspect) const;
    // Through a place of the picture, from -1 to 1, y upwards.
    Ray ray(const glm::vec2& place, float aspect) const;
    // Where a point is in the picture, as above.
    glm::vec2 place_of(const glm::vec3& point, float aspect) const;

    void orbit(float degrees_right, float degrees_up);
    // By parts of the height of the picture, in the plane of the target.
    void pan(float right, float upwards);
    void zoom(float factor) { distance = glm::clamp(distance * factor, 1e-3f, 1e5f); }
};

#endif
