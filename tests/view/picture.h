// A picture that was written, and what is to be seen on it.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace view {

const double pi = 3.14159265358979;
const int size = 240;                               // of the pictures of the tests, pixels each way
const double half_height = std::tan(14 * pi / 180); // of them at 1 m

struct Picture {
    int width = 0, height = 0;
    std::vector<uint8_t> pixels; // rows from the top, RGB

    const uint8_t* at(int x, int y) const { return &pixels[3 * ((size_t)y * width + x)]; }
    // Whether a pixel differs from the backdrop, which the left border has.
    bool shows(int x, int y) const;
};

Picture read_picture(const std::string& path); // throws

// Pixels that show something.
struct Silhouette {
    double area = 0, x = 0, y = 0; // pixels; mean place of their centres
};
Silhouette silhouette(const Picture& picture);

// The number of pixels at which two pictures of one size differ by more than `most` in a channel.
size_t differences(const Picture& a, const Picture& b, int most);

} // namespace view
