/* Scenes with force elements for the physics tests. */
#ifndef TAUT_TEST_FORCE_SCENES_H
#define TAUT_TEST_FORCE_SCENES_H

#include "phys_scenes.h"

/* A preset whose steps are solved exactly. */
taut_integrator force_exact(taut_preset which);
/* A world with this integrator and gravity downwards; the scene is gone. */
taut_world* force_world(taut_backend_kind backend, taut_scene* scene, const taut_integrator* integrator,
                        double gravity);
taut_batch force_solids(taut_scene* scene, size_t count, const uint32_t* particles, taut_elasticity material,
                        double young, double poisson, double damping);

#endif
