// A scene of a text, read and built in this process.
#pragma once

extern "C" {
#include "build/scene_build.h"
}

#include <string>

namespace app {

class Built {
  public:
    explicit Built(std::string text) {
        const json_text bytes = {"scene.json", text.data(), text.size()};
        good = scene_file_parse(&bytes, &file, &cause) && scene_build(&file, &scene, &cause);
    }
    ~Built() {
        built_scene_free(&scene);
        scene_file_free(&file);
    }
    Built(const Built&) = delete;
    Built& operator=(const Built&) = delete;
    const double* position(size_t i) const { return taut_scene_positions(scene.scene) + 3 * i; }
    size_t particles() const { return taut_scene_particle_count(scene.scene); }
    size_t rows() const { return taut_scene_row_count(scene.scene); }

    bool good;
    report cause{};
    scene_file file{};
    built_scene scene{};
};

} // namespace app
