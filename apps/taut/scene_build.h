/* From a scene file to a taut_scene, and what the tool must remember beside it to move pins and to write frames. */
#ifndef TAUT_APP_SCENE_BUILD_H
#define TAUT_APP_SCENE_BUILD_H

#include "export.h"
#include "scene_file.h"

typedef struct moving_pin {
    const motion* path; /* belongs to the scene_file */
    size_t count;
    uint32_t* particles;
    double (*start)[3];
    double (*now)[3]; /* scratch of `moving_pins_step` */
    double centre[3];
    taut_batch batch; /* of targets; 0: the particles are fixed */
} moving_pin;

typedef struct built_scene {
    taut_scene* scene;
    size_t object_count;
    export_object* objects; /* in the order of the file; names belong to the scene_file, triangles to this */
    size_t pin_count;
    moving_pin* pins;
    size_t fixed_count;
    bool kinds[TAUT_KIND_COUNT]; /* present in the scene */
} built_scene;

/* The file must outlive the built scene. */
bool scene_build(const scene_file* file, built_scene* out, report* r);
void built_scene_free(built_scene* b); /* a zeroed one is allowed */

/* Tells the world where the pins are at the end of the step that ends at `time`. */
taut_status moving_pins_step(const built_scene* b, taut_world* world, double time);

#endif
