#include "force_scenes.h"

taut_integrator force_exact(taut_preset which) {
    taut_integrator integrator = phys_preset(which);
    integrator.newton = 30;
    integrator.newton_tolerance = 1e-11;
    return integrator;
}

taut_world* force_world(taut_backend_kind backend, taut_scene* scene, const taut_integrator* integrator,
                        double gravity) {
    taut_world_def def = phys_world_def(backend, 1, 1);
    def.integrator = *integrator;
    def.gravity[1] = -gravity;
    return phys_world(scene, &def);
}

taut_batch force_solids(taut_scene* scene, size_t count, const uint32_t* particles, taut_elasticity material,
                        double young, double poisson, double damping) {
    taut_batch batch = {0};
    taut_solid_def def = taut_default_solid();
    def.count = count;
    def.particles = particles;
    def.elasticity = material;
    def.young = young;
    def.poisson = poisson;
    def.damping = damping;
    CHECK_OK(taut_scene_add_solids(scene, &def, &batch));
    return batch;
}
