#include "orbit_camera.h"

#include <algorithm>
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>

// The axis from which azimuths count.
static glm::vec3 forwards(const glm::vec3& up) {
    return std::fabs(up.z) > 0.9f ? glm::vec3(0, -1, 0) : glm::vec3(0, 0, 1);
}

glm::vec3 OrbitCamera::towards() const {
    const float a = glm::radians(azimuth), e = glm::radians(elevation);
    const glm::vec3 front = forwards(up), right = glm::cross(up, front);
    return std::cos(e) * (std::cos(a) * front + std::sin(a) * right) + std::sin(e) * up;
}

static Bounds bounds_of(const std::vector<glm::vec3>& points) {
    Bounds bounds;
    for (const glm::vec3& p : points) {
        bounds.add(p);
    }
    return bounds;
}

// In the camera's axes, with z towards the eye, a point is in the picture where |x|, |y| <= (distance - z) tan.
float OrbitCamera::distance_to(const std::vector<glm::vec3>& points, float aspect) const {
    const float height = std::tan(glm::radians(field_of_view) / 2) / 1.12f, width = aspect * height;
    const glm::mat3 axes = glm::mat3(view());
    float least = bounds_of(points).radius();
    for (const glm::vec3& point : points) {
        const glm::vec3 p = axes * (point - target);
        least = std::max({least, p.z + std::fabs(p.x) / width, p.z + std::fabs(p.y) / height});
    }
    return least;
}

// The middle of the picture is then the middle of what is seen.
void OrbitCamera::fit(const std::vector<glm::vec3>& points, float aspect) {
    if (points.empty()) {
        return;
    }
    target = bounds_of(points).centre();
    for (int round = 0; round < 4; round++) {
        const glm::mat3 axes = glm::mat3(view());
        Bounds seen;
        distance = distance_to(points, aspect);
        for (const glm::vec3& point : points) {
            const glm::vec3 p = axes * (point - target);
            seen.add(glm::vec3(p.x, p.y, 0) * (distance / (distance - p.z)));
        }
        target += glm::transpose(axes) * seen.centre();
    }
}

glm::mat4 OrbitCamera::view() const {
    return glm::lookAt(eye(), target, up);
}

glm::mat4 OrbitCamera::projection(float aspect) const {
    return glm::perspective(glm::radians(field_of_view), aspect, 0.02f * distance, 40 * distance);
}

Ray OrbitCamera::ray(const glm::vec2& place, float aspect) const {
    const glm::mat4 back = glm::inverse(projection(aspect) * view());
    const glm::vec4 far = back * glm::vec4(place, 1, 1);
    return {eye(), glm::normalize(glm::vec3(far) / far.w - eye())};
}

glm::vec2 OrbitCamera::place_of(const glm::vec3& point, float aspect) const {
    const glm::vec4 p = projection(aspect) * view() * glm::vec4(point, 1);
    return glm::vec2(p) / p.w;
}

void OrbitCamera::orbit(float degrees_right, float degrees_up) {
    azimuth = std::fmod(azimuth + degrees_right, 360.0f);
    elevation = glm::clamp(elevation + degrees_up, -89.0f, 89.0f);
}

void OrbitCamera::pan(float right, float upwards) {
    const float height = 2 * distance * std::tan(glm::radians(field_of_view) / 2);
    const glm::vec3 side = glm::normalize(glm::cross(up, towards()));
    target -= height * (right * side + upwards * glm::cross(towards(), side));
}
