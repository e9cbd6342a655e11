/* What the options of `view` and `render` ask for. */
#ifndef TAUT_VIEW_PICTURE_OPTIONS_H
#define TAUT_VIEW_PICTURE_OPTIONS_H

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

// Usage errors set 'taut COMMAND: --OPTION: cause'.
bool read_picture_options(const arguments& a, PictureOptions* out, report* r);

// Camera, lamp and floor for a scene, where the options leave them open.
void arrange(const PictureOptions& options, const Simulation& s, const Display& display, OrbitCamera* camera,
             Scenery* scenery);

#define PICTURE_HELP                                                                                                   \
    "  --size WxH                      of the picture in pixels; default 1280x720\n"                                   \
    "  --camera AZIMUTH,ELEVATION[,DISTANCE]  degrees and metres; default 30,16 and all of the scene\n"                \
    "  --target X,Y,Z                  what the camera looks at; default the middle of the scene\n"                    \
    "  --colour object|strain|speed|violation|multiplier  default object\n"                                            \
    "  --range V                       value of the last colour; default that of the frame\n"                          \
    "  --contacts                      shows contact points and forces\n"                                              \
    "  --floor HEIGHT|none             a floor to look at, which nothing touches; default one beneath, where the\n"    \
    "                                  scene has no plane\n"                                                           \
    "  --backdrop RRGGBB               default ecedef\n"                                                               \
    "  --backend auto|cpu|cuda         default auto\n"                                                                 \
    "  --threads N                     of the CPU backend; default all\n"

#endif
