/* The inside of taut_world. */
#ifndef TAUT_HOST_WORLD_H
#define TAUT_HOST_WORLD_H

#include "host/backend.h"
#include "host/memory.h"
#include "host/scene.h"

struct taut_world {
    taut_allocator allocator;
    taut_plan plan;
    const taut_backend* backend;
    taut_backend_state* state;
    scene_batch* batches;
    size_t batch_count;
    bool stale;     /* the state or a rest value was written: evaluate before the next use */
    double linear_h; /* s: the step that the world is linearised for; 0: it is not */
    uint64_t steps;    /* completed, as far as is known without waiting */
    taut_status fault; /* latched until sync */
    double stage_seconds[TAUT_STAGE_COUNT];
    taut_report report;
};

/* Checks shared by creation and taut_world_set_*. */
taut_status world_check_integrator(const taut_integrator* integrator);
taut_status world_check_solver(const taut_solver* solver);

/* TAUT_OK unless a capture of the user's is under way. */
taut_status world_ready(taut_world* world);
/* Evaluates where something was written since: violations and energies follow the positions. */
taut_status world_refresh(taut_world* world);
/* The plan's settings have changed. */
taut_status world_retune(taut_world* world);

/* Makes `bytes` at `field` of the plan's block current on the host, or on the device after the host wrote them. */
taut_status world_download(taut_world* world, const void* field, size_t bytes);
taut_status world_upload(taut_world* world, const void* field, size_t bytes);

#endif
