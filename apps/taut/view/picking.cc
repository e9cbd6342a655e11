#include "picking.h"

#include <cmath>

// Moeller and Trumbore's test; the distance along the ray, or infinity.
static float meets(const Ray& ray, const glm::vec3& a, const glm::vec3& b, const glm::vec3& c) {
    const glm::vec3 u = b - a, v = c - a, p = glm::cross(ray.direction, v);
    const float determinant = glm::dot(u, p);
    if (std::fabs(determinant) < 1e-20f) {
        return INFINITY;
    }
    const glm::vec3 from = ray.origin - a, q = glm::cross(from, u);
    const float s = glm::dot(from, p) / determinant, t = glm::dot(ray.direction, q) / determinant;
    const float distance = glm::dot(v, q) / determinant;
    return s >= 0 && t >= 0 && s + t <= 1 && distance > 0 ? distance : INFINITY;
}

Pick pick(Display& display, const Ray& ray) {
    const Shape& shape = display.whole();
    Pick found;
    float nearest = INFINITY;
    size_t triangle = 0;
    for (size_t i = 0; i < shape.triangles.size(); i += 3) {
        const float distance =
            meets(ray, shape.vertices[shape.triangles[i]].position, shape.vertices[shape.triangles[i + 1]].position,
                  shape.vertices[shape.triangles[i + 2]].position);
        if (distance < nearest) {
            nearest = distance;
            triangle = i;
        }
    }
    if (!std::isfinite(nearest)) {
        return found;
    }
    found.hit = true;
    found.position = ray.origin + nearest * ray.direction;
    float closest = INFINITY;
    for (size_t k = triangle; k < triangle + 3; k++) {
        const float distance = glm::distance(shape.vertices[shape.triangles[k]].position, found.position);
        if (distance < closest) {
            closest = distance;
            found.point = display.point_of(shape.triangles[k]);
        }
    }
    return found;
}

glm::vec3 on_facing_plane(const Ray& ray, const glm::vec3& point, const OrbitCamera& camera) {
    const glm::vec3 normal = camera.towards();
    const float along = glm::dot(ray.direction, normal);
    return std::fabs(along) < 1e-6f ? point
                                    : ray.origin + ray.direction * (glm::dot(point - ray.origin, normal) / along);
}
