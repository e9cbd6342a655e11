/* The panels of the viewer: play, settings, what is shown, and plots. */
#ifndef TAUT_VIEW_PANELS_H
#define TAUT_VIEW_PANELS_H

#include "player.h"
#include "renderer.h"

const float panel_width = 310, panel_margin = 12; // pixels, at the left

struct Shown {
    DisplayOptions display;
    Scenery scenery;
    bool panels = true;
    bool changed = true; // the display must be made anew
    std::string message; // the last failure
};

void draw_panels(const Simulation& s, Player& player, Tuning& tuning, const Display& display, Shown& shown);

#endif
