#include "image.h"

#include <algorithm>
#include <epoxy/gl.h>
#include <png.h>

Image read_image(int width, int height) {
    Image image(width, height);
    const size_t row = (size_t)3 * width;
    std::vector<uint8_t> upwards(image.pixels.size());
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, width, height, GL_RGB, GL_UNSIGNED_BYTE, upwards.data());
    for (int y = 0; y < height; y++) {
        std::copy_n(&upwards[(size_t)(height - 1 - y) * row], row, &image.pixels[(size_t)y * row]);
    }
    return image;
}

Image beside(const Image& left, const Image& right) {
    constexpr int gap = 4;
    Image both(left.width + gap + right.width, left.height);
    std::fill(both.pixels.begin(), both.pixels.end(), (uint8_t)255);
    const size_t row = (size_t)3 * both.width;
    for (int y = 0; y < left.height; y++) {
        std::copy_n(&left.pixels[(size_t)3 * left.width * y], (size_t)3 * left.width, &both.pixels[y * row]);
        std::copy_n(&right.pixels[(size_t)3 * right.width * y], (size_t)3 * right.width,
                    &both.pixels[y * row + (size_t)3 * (left.width + gap)]);
    }
    return both;
}

bool write_png(const Image& image, const std::string& path, report* r) {
    whole_file file = {};
    if (!whole_file_open(&file, path.c_str(), r)) {
        return false;
    }
    png_image png = {};
    png.version = PNG_IMAGE_VERSION;
    png.width = (png_uint_32)image.width;
    png.height = (png_uint_32)image.height;
    png.format = PNG_FORMAT_RGB;
    if (!png_image_write_to_stdio(&png, file.stream, 0, image.pixels.data(), 0, nullptr)) {
        whole_file_abandon(&file);
        return report_fail(r, "%s: %s", path.c_str(), png.message);
    }
    return whole_file_commit(&file, r);
}
