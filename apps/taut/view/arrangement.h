/* What is to be seen of a scene, and from where. */
#ifndef TAUT_VIEW_ARRANGEMENT_H
#define TAUT_VIEW_ARRANGEMENT_H

#include "renderer.h"

#include <string>

// What several pictures have in them: the whole motion, the scene as it is in the first of them, or, with a camera that
// goes along, what moves.
enum class Framing { whole, first, follow };

struct PictureOptions {
    int width = 1280, height = 720;
    bool frames_given = false;
    size_t first = 0, last = 0, every = 1; // of render
    std::string out = "taut.png";
    bool camera_given = false, target_given = false, distance_given = false;
    OrbitCamera camera;
    bool floor_given = false, no_floor = false;
    float floor = 0; // m, along the vertical
    Framing framing = Framing::whole;
    DisplayOptions display;
    Scenery scenery;
};

inline float aspect_of(const PictureOptions& o) {
    return (float)o.width / (float)o.height;
}

// Camera, lamp and floor for a scene, where the options leave them open; `seen`: what is to be in the picture.
void arrange(const PictureOptions& options, const Simulation& s, const Display& display,
             const std::vector<glm::vec3>& seen, OrbitCamera* camera, Scenery* scenery);

#endif
