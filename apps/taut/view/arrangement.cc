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
static float height_beneath(const std::vector<glm::vec3>& points, const glm::vec3& up) {
    Bounds bounds;
    float lowest = points.empty() ? 0 : glm::dot(points[0], up);
    for (const glm::vec3& p : points) {
        lowest = std::min(lowest, glm::dot(p, up));
        bounds.add(p);
    }
    return lowest - 0.5f * bounds.radius();
}

void arrange(const PictureOptions& options, const Simulation& s, const Display& display,
             const std::vector<glm::vec3>& seen, OrbitCamera* camera, Scenery* scenery) {
    *camera = options.camera;
    *scenery = options.scenery;
    camera->up = up_of(s);
    camera->fit(seen, aspect_of(options));
    if (options.target_given) {
        camera->target = options.camera.target;
    }
    if (options.distance_given) {
        camera->distance = options.camera.distance;
    }
    scenery->lamp_azimuth = camera->azimuth - 55;
    if (options.floor_given || (display.floors().empty() && !options.no_floor)) {
        const float height = options.floor_given ? options.floor : height_beneath(seen, camera->up);
        scenery->floors.push_back({height * camera->up, camera->up});
    }
}
