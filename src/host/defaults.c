#include "host/defaults.h"

#include "taut/taut.h"

taut_scene_def taut_default_scene(void) {
    return (taut_scene_def){.cookie = TAUT_COOKIE_SCENE};
}

taut_particles_def taut_default_particles(void) {
    return (taut_particles_def){.cookie = TAUT_COOKIE_PARTICLES, .mass = 1};
}

taut_distance_def taut_default_distance(void) {
    return (taut_distance_def){.cookie = TAUT_COOKIE_KIND + TAUT_DISTANCE};
}

taut_attachment_def taut_default_attachment(void) {
    return (taut_attachment_def){.cookie = TAUT_COOKIE_KIND + TAUT_ATTACHMENT};
}

taut_target_def taut_default_target(void) {
    return (taut_target_def){.cookie = TAUT_COOKIE_KIND + TAUT_TARGET};
}

taut_bend_def taut_default_bend(void) {
    return (taut_bend_def){.cookie = TAUT_COOKIE_KIND + TAUT_BEND};
}

taut_membrane_def taut_default_membrane(void) {
    return (taut_membrane_def){.cookie = TAUT_COOKIE_KIND + TAUT_MEMBRANE, .poisson = 0.3};
}

taut_tet_volume_def taut_default_tet_volume(void) {
    return (taut_tet_volume_def){.cookie = TAUT_COOKIE_KIND + TAUT_TET_VOLUME};
}

taut_tet_strain_def taut_default_tet_strain(void) {
    return (taut_tet_strain_def){.cookie = TAUT_COOKIE_KIND + TAUT_TET_STRAIN, .poisson = 0.3};
}

taut_linear_def taut_default_linear(void) {
    return (taut_linear_def){.cookie = TAUT_COOKIE_KIND + TAUT_LINEAR};
}

taut_world_def taut_default_world(void) {
    return (taut_world_def){
        .cookie = TAUT_COOKIE_WORLD,
        .backend = TAUT_BACKEND_AUTO,
        .gravity = {0, -9.81, 0},
        .integrator = {.alpha = 1, .beta = 1, .geometric_stiffness = TAUT_GEOMETRIC_FULL, .substeps = 1},
        .solver = {.preconditioner = TAUT_PRECONDITIONER_AUTO,
                   .tolerance = 1e-4,
                   .max_iterations = 1000,
                   .warm_start = true,
                   .proximal = -1,
                   .block_size = 64,
                   .chebyshev_degree = 8},
        .speed_limit = 1e6,
        .reorder = true,
        .cuda_device = -1,
    };
}
