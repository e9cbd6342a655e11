/* Where the camera stands in pictures of a motion that is known beforehand. */
#ifndef TAUT_VIEW_CAMERA_PATH_H
#define TAUT_VIEW_CAMERA_PATH_H

#include "orbit_camera.h"

class CameraPath {
  public:
    // The next picture of a scene; `scene` counts those that are seen from one place.
    void add(size_t scene, const Shape& shape);
    // What all pictures show: its outermost points.
    const std::vector<glm::vec3>& places() const { return places_; }
    // Targets in the middle of what moves, smoothed over `smooth` pictures; with `fits` the one distance from which all
    // of it is in each picture.
    void follow(float smooth, bool fits, float aspect, OrbitCamera* camera);
    // Of a picture, after follow.
    glm::vec3 target(size_t picture) const { return targets_[picture]; }

  private:
    struct Scene {
        std::vector<glm::vec3> first; // the vertices in the first picture
        float still;                  // m: what is nearer than that to its place there has not moved
        size_t pictures = 0;
    };
    std::vector<Scene> scenes_;
    std::vector<glm::vec3> places_;
    std::vector<std::vector<glm::vec3>> moving_; // per picture: the outermost points of what has moved
    std::vector<glm::vec3> targets_;
};

#endif
