/* Worlds by the formulations of the benchmark of that name. */
#ifndef TAUT_TEST_PHYS_FORMULATIONS_H
#define TAUT_TEST_PHYS_FORMULATIONS_H

#include "formulations/formulations.h"
#include "phys_scenes.h"

/* Newton's method goes on to 1e-10. */
taut_integrator phys_formulation_integrator(const formulation* by);

/* Takes the scene over. Solved to 1e-11, so that what remains of errors is the method's. */
taut_world* phys_formulation_world(taut_backend_kind backend, taut_scene* scene, formulation_id id, bool weightless);

#endif
