/* What the parts of pins share: pins.c, moving_pins.c. */
#ifndef TAUT_APP_PINS_H
#define TAUT_APP_PINS_H

#include "build/scene_builder.h"

/* What a pin holds. */
typedef struct pinned {
    selection points;
    size_t frame_count;
    uint32_t* frames;
    uint32_t* frame_points; /* the particle of each frame, or beside it */
} pinned;

void pinned_free(pinned* p);

/* Of a pin that moves: takes the particles and frames over. `batch`: of its targets, 0 if it fixes. */
bool build_moving_pin(scene_builder* b, const pin_spec* pin, pinned* p, taut_batch batch);

#endif
