// Where the panels of a window have their headings and sliders, found on a picture by their colours: fonts differ.
#pragma once

#include "picture.h"

namespace view {

// A row of handles of sliders: one, or three of a vector.
struct SliderRow {
    int y = 0;            // middle
    std::vector<int> x{}; // of each handle
};

struct PanelsSeen {
    std::vector<int> headings; // y of "World", "Stiffness", "Show", "Plots", "Mouse and keys"
    std::vector<SliderRow> rows;
    // Those below a heading.
    std::vector<SliderRow> below(size_t heading) const;
};

PanelsSeen find_panels(const Picture& picture);

// Pixels of a part of the picture, [left, right) x [top, bottom), with a colour.
int count_colour(const Picture& picture, int left, int top, int right, int bottom, const uint8_t (&rgb)[3]);

} // namespace view
