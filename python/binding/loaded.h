/* A scene file, read and built. */
#ifndef TAUT_PYTHON_LOADED_H
#define TAUT_PYTHON_LOADED_H

extern "C" {
#include "build/scene_build.h"
}

struct Loaded {
    scene_file file = {};
    built_scene built = {};

    Loaded() = default;
    Loaded(const Loaded&) = delete;
    Loaded& operator=(const Loaded&) = delete;
    ~Loaded() {
        built_scene_free(&built);
        scene_file_free(&file);
    }
};

#endif
