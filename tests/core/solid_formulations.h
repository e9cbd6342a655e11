/* Every formulation of a step, as in benchmarks/formulations. */
#ifndef TAUT_TESTS_SOLID_FORMULATIONS_H
#define TAUT_TESTS_SOLID_FORMULATIONS_H

#include "../harness.h"

typedef struct solid_formulation {
    const char* name;
    taut_preset preset;
    double theta;    /* > 0: alpha = beta = theta */
    uint32_t newton; /* linearisations at most */
    bool two_stage;
    bool stabilised; /* Baumgarte's terms as in the preset; else none */
    uint32_t projections;
    int order; /* of convergence in time */
} solid_formulation;

#define SOLID_FORMULATIONS 15

extern const solid_formulation solid_formulations[SOLID_FORMULATIONS];

taut_integrator solid_integrator(const solid_formulation* formulation);

#endif
