#include "phys_formulations.h"

taut_integrator phys_formulation_integrator(const formulation* by) {
    taut_integrator integrator = formulation_integrator((formulation_id)(by - formulations));
    integrator.newton_tolerance = 1e-10;
    integrator.guard = false; /* orders are those of whole steps */
    return integrator;
}

taut_world* phys_formulation_world(taut_backend_kind backend, taut_scene* scene, formulation_id id, bool weightless) {
    taut_world_def def = phys_world_def(backend, 1, 1);
    def.integrator = formulation_integrator(id);
    def.integrator.guard = false;
    def.solver.tolerance = 1e-11;
    if (weightless) {
        def.gravity[1] = 0;
    }
    return phys_world(scene, &def);
}
