/* What the options of `view` and `render` ask for. */
#ifndef TAUT_VIEW_PICTURE_OPTIONS_H
#define TAUT_VIEW_PICTURE_OPTIONS_H

#include "arrangement.h"

// Usage errors set 'taut COMMAND: --OPTION: cause'.
bool read_picture_options(const arguments& a, PictureOptions* out, report* r);

#define PICTURE_HELP                                                                                                   \
    "  --size WxH                      of the picture in pixels; default 1280x720\n"                                   \
    "  --camera AZIMUTH,ELEVATION[,DISTANCE]  degrees and metres; default 30,16 and all of the scene\n"                \
    "  --target X,Y,Z                  what the camera looks at; default the middle of the scene\n"                    \
    "  --colour object|strain|speed|violation|multiplier|residual  default object\n"                                   \
    "  --range V                       value of the last colour; default that of the frame\n"                          \
    "  --contacts                      shows contact points and forces\n"                                              \
    "  --floor HEIGHT|none             a floor to look at, which nothing touches; default one beneath, where the\n"    \
    "                                  scene has no plane\n"                                                           \
    "  --backdrop RRGGBB               default ecedef\n"                                                               \
    "  --backend auto|cpu|cuda         default auto\n"                                                                 \
    "  --threads N                     of the CPU backend; default all\n"

#endif
