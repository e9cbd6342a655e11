/* What is to be seen of a scene, and from where. */
#ifndef TAUT_VIEW_ARRANGEMENT_H
#define TAUT_VIEW_ARRANGEMENT_H

#include "renderer.h"

#include <string>

struct PictureOptions {
    int width = 1280, height = 720;
    bool frames_given = false;
    size_t first = 0, last = 0, every = 1; // of render
    std::string out = "taut.png";
    bool camera_given = false, target_given = false, distance_given = false;
    OrbitCamera camera;
    bool floor_given = false, no_floor = false;
    float floor = 0; // m, along the vertical
    DisplayOptions display;
    Scenery scenery;
};

// Camera, lamp and floor for a scene, where the options leave them open.
void arrange(const PictureOptions& options, const Simulation& s, const Display& display, OrbitCamera* camera,
             Scenery* scenery);

#endif
