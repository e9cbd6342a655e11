/* Small systems on which the formulations of a step are compared. */
#ifndef TAUT_FORMULATIONS_SYSTEMS_H
#define TAUT_FORMULATIONS_SYSTEMS_H

#include <taut/taut.h>

typedef enum system_kind { SYSTEM_PENDULUM, SYSTEM_CHAIN, SYSTEM_BEAM, SYSTEM_COUNT } system_kind;

typedef struct system_shape {
    const char* name;
    const char* description;
    double duration; /* s */
    double step;     /* s: the coarser one of two that the order is measured with */
    bool hard;       /* it has hard rows, which may drift */
} system_shape;

extern const system_shape system_shapes[SYSTEM_COUNT];

/* A world of it and the particle to watch; NULL where the library refuses. */
taut_world* system_world(system_kind kind, taut_backend_kind backend, const taut_integrator* integrator,
                         uint32_t* watched);

#endif
