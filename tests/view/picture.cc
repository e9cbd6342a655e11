#include "picture.h"

#include <cstdlib>
#include <png.h>
#include <stdexcept>

namespace view {

static bool differ(const uint8_t* a, const uint8_t* b, int most) {
    return std::abs(a[0] - b[0]) > most || std::abs(a[1] - b[1]) > most || std::abs(a[2] - b[2]) > most;
}

bool Picture::shows(int x, int y) const {
    return differ(at(x, y), at(0, y), 12);
}

Picture read_picture(const std::string& path) {
    png_image png = {};
    png.version = PNG_IMAGE_VERSION;
    if (!png_image_begin_read_from_file(&png, path.c_str())) {
        throw std::runtime_error(path + ": " + png.message);
    }
    png.format = PNG_FORMAT_RGB;
    Picture picture;
    picture.width = (int)png.width;
    picture.height = (int)png.height;
    picture.pixels.resize(PNG_IMAGE_SIZE(png));
    if (!png_image_finish_read(&png, nullptr, picture.pixels.data(), 0, nullptr)) {
        throw std::runtime_error(path + ": " + png.message);
    }
    return picture;
}

Silhouette silhouette(const Picture& picture) {
    Silhouette s;
    for (int y = 0; y < picture.height; y++) {
        for (int x = 0; x < picture.width; x++) {
            if (picture.shows(x, y)) {
                s.area += 1;
                s.x += x + 0.5;
                s.y += y + 0.5;
            }
        }
    }
    s.x /= s.area;
    s.y /= s.area;
    return s;
}

size_t differences(const Picture& a, const Picture& b, int most) {
    size_t count = a.width != b.width || a.height != b.height ? a.pixels.size() : 0;
    if (count > 0) {
        return count;
    }
    for (size_t i = 0; i < a.pixels.size(); i += 3) {
        count += differ(&a.pixels[i], &b.pixels[i], most);
    }
    return count;
}

} // namespace view
