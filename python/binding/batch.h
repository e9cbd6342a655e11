/* A batch as Python holds it. */
#ifndef TAUT_PYTHON_BATCH_H
#define TAUT_PYTHON_BATCH_H

#include "taut/scene.h"

#include <nanobind/nanobind.h>

#include <cstdint>

struct Batch {
    uint32_t id;    /* 0: none */
    uint64_t scene; /* Scene::number of the scene that it is in */
};

/* The batch, in a scene or a world of that scene. */
inline taut_batch batch_in(uint64_t scene, const Batch& batch) {
    if (batch.id && batch.scene != scene) {
        throw nanobind::value_error("batch: belongs to another scene");
    }
    return taut_batch{batch.id};
}

#endif
