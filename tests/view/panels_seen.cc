#include "panels_seen.h"

#include <cstdlib>

namespace view {

// The panels are at the left, 12 to 322.
static const int left = 13, right = 321;
static const uint8_t handle[3] = {26, 140, 133}, heading[3] = {235, 237, 244};

static bool has_colour(const uint8_t* p, const uint8_t (&rgb)[3]) {
    return std::abs(p[0] - rgb[0]) <= 1 && std::abs(p[1] - rgb[1]) <= 1 && std::abs(p[2] - rgb[2]) <= 1;
}

int count_colour(const Picture& picture, int from, int top, int to, int bottom, const uint8_t (&rgb)[3]) {
    int count = 0;
    for (int y = top; y < bottom; y++) {
        for (int x = from; x < to; x++) {
            count += has_colour(picture.at(x, y), rgb);
        }
    }
    return count;
}

// Middles of what has the colour of handles in a row of pixels.
static std::vector<int> handles_at(const Picture& picture, int y) {
    std::vector<int> out;
    int length = 0;
    for (int x = left; x <= right; x++) {
        const bool on = x < right && has_colour(picture.at(x, y), handle);
        if (!on && length >= 6) {
            out.push_back(x - 1 - length / 2);
        }
        length = on ? length + 1 : 0;
    }
    return out;
}

// Values stand before handles, but not before their upper ends.
static std::vector<SliderRow> find_rows(const Picture& picture) {
    std::vector<SliderRow> rows;
    int last = -100, first = 0;
    for (int y = 0; y < picture.height; y++) {
        const std::vector<int> x = handles_at(picture, y);
        if (x.empty()) {
            continue;
        }
        if (y > last + 8) {
            rows.push_back({y, x});
            first = y;
        } else if (x.size() > rows.back().x.size()) {
            rows.back().x = x;
        }
        rows.back().y = (first + y) / 2;
        last = y;
    }
    return rows;
}

static std::vector<int> find_headings(const Picture& picture) {
    std::vector<int> out;
    int height = 0;
    for (int y = 0; y < picture.height; y++) {
        const bool on = has_colour(picture.at(right - 40, y), heading);
        if (!on && height >= 12) {
            out.push_back(y - 1 - height / 2);
        }
        height = on ? height + 1 : 0;
    }
    return out;
}

PanelsSeen find_panels(const Picture& picture) {
    return {find_headings(picture), find_rows(picture)};
}

std::vector<SliderRow> PanelsSeen::below(size_t i) const {
    std::vector<SliderRow> out;
    for (const SliderRow& row : rows) {
        if (i < headings.size() && row.y > headings[i] && (i + 1 >= headings.size() || row.y < headings[i + 1])) {
            out.push_back(row);
        }
    }
    return out;
}

} // namespace view
