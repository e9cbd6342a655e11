/* A step of a built scene, with more room for contacts where it needs that. */
#ifndef TAUT_APP_SCENE_STEP_H
#define TAUT_APP_SCENE_STEP_H

#include "build/scene_build.h"

typedef struct scene_step_spec {
    const taut_integrator* integrator;                /* of the world */
    double time;                                      /* s, at the end of the step */
    double dt;                                        /* s */
    double budget;                                    /* s of the clock; 0: none */
    bool (*may_grow)(void* context, double contacts); /* whether so much room may be made; NULL: always */
    void* context;
} scene_step_spec;

/* Moves what moves by itself, and makes the step. TAUT_OUT_OF_MEMORY where `may_grow` has refused. */
taut_status scene_step(const built_scene* b, taut_world* world, const scene_step_spec* s);

#endif
