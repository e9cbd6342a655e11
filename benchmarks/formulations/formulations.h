/* The formulations of a step that are compared with each other and tested. */
#ifndef TAUT_FORMULATIONS_FORMULATIONS_H
#define TAUT_FORMULATIONS_FORMULATIONS_H

#include <taut/taut.h>

typedef enum formulation_id {
    EXPLICIT_EULER,
    SYMPLECTIC_EULER,
    IMPLICIT_EULER,
    IMPLICIT_EULER_NEWTON,
    IMPLICIT_EULER_PROJECTED,
    MOMENTUM,
    THETA,
    MIDPOINT,
    MIDPOINT_NEWTON,
    MIDPOINT_TWO_STAGE,
    ACCELERATIONS,
    ACCELERATIONS_BAUMGARTE,
    ACCELERATIONS_RK4,
    ACCELERATIONS_RK4_BAUMGARTE,
    ACCELERATIONS_RK4_PROJECTED,
    FORMULATION_COUNT
} formulation_id;

typedef struct formulation {
    const char* name;
    taut_preset preset;
    double theta;    /* > 0: alpha = beta = theta */
    uint32_t newton; /* linearisations at most */
    bool two_stage;
    bool stabilised; /* Baumgarte's terms as in the preset; else none */
    uint32_t projections;
    int order; /* of convergence, in general: the midpoint rule by one linearisation has 2 where nothing is compressed
                */
} formulation;

extern const formulation formulations[FORMULATION_COUNT];

taut_integrator formulation_integrator(formulation_id id);

#endif
