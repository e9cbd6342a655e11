#include "camera_path.h"

#include <algorithm>
#include <cmath>

namespace {

// Directions in which outermost points are looked for, evenly over the sphere.
constexpr int direction_count = 96;

glm::vec3 direction(int i) {
    const float height = 1 - (2 * (float)i + 1) / direction_count, across = std::sqrt(1 - height * height);
    const float angle = 2.3999632f * (float)i; // the golden angle
    return {across * std::cos(angle), height, across * std::sin(angle)};
}

void append_outermost(const std::vector<glm::vec3>& points, std::vector<glm::vec3>& out) {
    for (int i = 0; i < direction_count && !points.empty(); i++) {
        const glm::vec3 along = direction(i);
        out.push_back(*std::max_element(points.begin(), points.end(), [&](const glm::vec3& a, const glm::vec3& b) {
            return glm::dot(a, along) < glm::dot(b, along);
        }));
    }
}

Bounds bounds_of(const std::vector<glm::vec3>& points) {
    Bounds bounds;
    for (const glm::vec3& p : points) {
        bounds.add(p);
    }
    return bounds;
}

// Beyond its ends a path goes on as it came, turned about the end: what moves evenly stays as it is.
glm::vec3 at(const std::vector<glm::vec3>& values, long i) {
    const long last = (long)values.size() - 1, end = std::clamp(i, 0L, last);
    const glm::vec3 mirrored = values[(size_t)std::clamp(2 * end - i, 0L, last)];
    return i == end ? values[(size_t)i] : 2.0f * values[(size_t)end] - mirrored;
}

// Means weighted by a bell of this width.
std::vector<glm::vec3> smoothed(const std::vector<glm::vec3>& values, float width) {
    const long count = (long)values.size(), reach = (long)std::ceil(3 * width);
    std::vector<glm::vec3> out;
    for (long i = 0; i < count; i++) {
        glm::vec3 sum(0);
        float weights = 0;
        for (long k = -reach; k <= reach; k++) {
            const float weight = width > 0 ? std::exp(-0.5f * (float)(k * k) / (width * width)) : 1;
            sum += weight * at(values, i + k);
            weights += weight;
        }
        out.push_back(sum / weights);
    }
    return out;
}

} // namespace

void CameraPath::add(size_t scene, const Shape& shape) {
    const std::vector<glm::vec3> points = places_of(shape);
    if (scene == scenes_.size()) {
        scenes_.push_back({points, 1e-3f * bounds_of(points).radius()});
    }
    Scene& known = scenes_[scene];
    std::vector<glm::vec3> moved;
    for (size_t i = 0; i < std::min(points.size(), known.first.size()); i++) {
        if (glm::distance(points[i], known.first[i]) > known.still) {
            moved.push_back(points[i]);
        }
    }
    if (known.pictures == moving_.size()) {
        moving_.emplace_back();
    }
    append_outermost(moved, moving_[known.pictures++]);
    append_outermost(points, places_);
}

void CameraPath::follow(float smooth, bool fits, float aspect, OrbitCamera* camera) {
    std::vector<glm::vec3> centres;
    for (auto& points : moving_) { // until something moves, all that is there
        points = points.empty() ? (scenes_.empty() ? points : scenes_[0].first) : points;
    }
    for (const auto& points : moving_) {
        centres.push_back(bounds_of(points).centre());
    }
    targets_ = smoothed(centres, smooth);
    float distance = 0;
    for (size_t i = 0; i < moving_.size(); i++) {
        camera->target = targets_[i];
        distance = std::max(distance, camera->distance_to(moving_[i], aspect));
    }
    camera->distance = fits && distance > 0 ? distance : camera->distance;
}
