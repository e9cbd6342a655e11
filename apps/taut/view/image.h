/* Pictures in memory, and as PNG files. */
#ifndef TAUT_VIEW_IMAGE_H
#define TAUT_VIEW_IMAGE_H

#include "tool_rooms.h"

#include <cstdint>
#include <string>
#include <vector>

// Rows from the top, three bytes a pixel.
struct Image {
    int width = 0, height = 0;
    std::vector<uint8_t> pixels;

    Image() = default;
    Image(int w, int h) : width(w), height(h), pixels((size_t)3 * w * h) {}
};

// Of the framebuffer that is bound for reading.
Image read_image(int width, int height);
// Both beside each other, with a line between them.
Image beside(const Image& left, const Image& right);
bool write_png(const Image& image, const std::string& path, report* r);

#endif
