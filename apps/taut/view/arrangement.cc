#include "arrangement.h"

#include <algorithm>
#include <cmath>

// The vertical of a scene is z where its gravity acts mostly along z, otherwise y.
static glm::vec3 up_of(const Simulation& s) {
    const double* g = s.file().world.gravity;
    const bool along_z = std::fabs(g[2]) > std::fabs(g[0]) && std::fabs(g[2]) > std::fabs(g[1]);
    return along_z ? glm::vec3(0, 0, 1) : glm::vec3(0, 1, 0);
}

// Half of the size of all things beneath them.
static float height_beneath(const Shape& shape, const glm::vec3& up) {
    Bounds bounds;
    float lowest = 0;
    for (size_t i = 0; i < shape.vertices.size(); i++) {
        const float height = glm::dot(shape.vertices[i].position, up);
        lowest = i == 0 ? height : std::min(lowest, height);
        bounds.add(shape.vertices[i].position);
    }
    return lowest - 0.5f * bounds.radius();
}

void arrange(const PictureOptions& options, const Simulation& s, const Display& display, OrbitCamera* camera,
             Scenery* scenery) {
    *camera = options.camera;
    *scenery = options.scenery;
    camera->up = up_of(s);
    camera->fit(display.shape(), (float)options.width / (float)options.height);
    if (options.target_given) {
        camera->target = options.camera.target;
    }
    if (options.distance_given) {
        camera->distance = options.camera.distance;
    }
    scenery->lamp_azimuth = camera->azimuth - 55;
    if (options.floor_given || (display.floors().empty() && !options.no_floor)) {
        const float height = options.floor_given ? options.floor : height_beneath(display.shape(), camera->up);
        scenery->floors.push_back({height * camera->up, camera->up});
    }
}
