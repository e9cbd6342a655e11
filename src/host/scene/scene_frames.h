/* What bodies, joints, rods and mapped points share. */
#ifndef TAUT_SCENE_SCENE_FRAMES_H
#define TAUT_SCENE_SCENE_FRAMES_H

#include "host/scene/scene_data.h"

#include "taut/bodies.h"

typedef struct scene_frame {
    const double* orientation; /* 4, of any length but 0 */
    const double* velocity;    /* 3, rad/s */
    const double* inertia;     /* 6 */
    bool fixed;
    uint32_t centre; /* or TAUT_NO_POINT */
} scene_frame;

taut_status scene_add_frame(taut_scene* scene, const scene_frame* frame);

/* A body that stands for the world; a new one now and then, so that none has too many joints. */
taut_status scene_ground(taut_scene* scene, uint32_t* frame);

/* `cookie` is that of the definition, if there is one. */
taut_status scene_check_def(const taut_scene* scene, const void* def, uint32_t cookie, uint32_t expected,
                            const char* name);
/* `values` may be NULL. */
taut_status scene_check_vectors(const char* what, const double* values, size_t count);
taut_status scene_check_quaternions(const char* what, const double* values, size_t count);
/* A body of the scene, not the world, with the point and the frame of one body. */
taut_status scene_check_body(const taut_scene* scene, const char* what, size_t index, taut_body body);

void scene_body_pose(const taut_scene* scene, uint32_t frame, const double** x, const double** q);
/* A point of the world in the axes of a body, from its centre. */
void scene_to_body(const taut_scene* scene, uint32_t frame, const double world[3], double local[3]);

#endif
