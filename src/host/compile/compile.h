/* From scene to plan: counts, one block of memory, topology and initial values. */
#ifndef TAUT_COMPILE_COMPILE_H
#define TAUT_COMPILE_COMPILE_H

#include "host/scene/scene_data.h"
#include "model/backend.h"

/* `plan->settings` must be filled in; preconditioner auto is resolved here. `backend` sorts. */
taut_status taut_compile(const taut_scene* scene, const taut_backend* backend, const taut_allocator* allocator,
                         taut_plan* plan);
/* Places of rows and factor rows, of sizes with counts of constraints. */
void taut_number_rows(taut_sizes* sizes);
/* The law of the constraints of a batch (model/factors.h). */
uint8_t taut_batch_law(const scene_batch* batch);
void taut_plan_free(const taut_allocator* allocator, taut_plan* plan);

#endif
