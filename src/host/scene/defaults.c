#include "host/scene/defaults.h"

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

taut_solid_def taut_default_solid(void) {
    return (taut_solid_def){.cookie = TAUT_COOKIE_KIND + TAUT_SOLID, .young = 1e5, .poisson = 0.3};
}

taut_surface_def taut_default_surface(void) {
    return (taut_surface_def){.cookie = TAUT_COOKIE_KIND + TAUT_SURFACE};
}

taut_attraction_def taut_default_attraction(void) {
    return (taut_attraction_def){.cookie = TAUT_COOKIE_KIND + TAUT_ATTRACTION};
}

taut_bodies_def taut_default_bodies(void) {
    return (taut_bodies_def){.cookie = TAUT_COOKIE_BODIES, .mass = 1, .inertia = {1, 1, 1}};
}

taut_material_def taut_default_material(void) {
    return (taut_material_def){.cookie = TAUT_COOKIE_MATERIAL, .friction = 0.5, .recovery = 1};
}

taut_contact_points_def taut_default_contact_points(void) {
    return (taut_contact_points_def){.cookie = TAUT_COOKIE_CONTACT_POINTS, .group = 1, .mask = UINT32_MAX};
}

taut_contact_surface_def taut_default_contact_surface(void) {
    return (taut_contact_surface_def){
        .cookie = TAUT_COOKIE_CONTACT_SURFACE, .self = true, .group = 1, .mask = UINT32_MAX};
}

taut_colliders_def taut_default_colliders(void) {
    return (taut_colliders_def){.cookie = TAUT_COOKIE_COLLIDERS, .size = {1, 1, 1}, .group = 1, .mask = UINT32_MAX};
}

taut_collider_mesh_def taut_default_collider_mesh(void) {
    return (taut_collider_mesh_def){.cookie = TAUT_COOKIE_COLLIDER_MESH};
}

taut_joints_def taut_default_joints(void) {
    return (taut_joints_def){.cookie = TAUT_COOKIE_JOINTS};
}

taut_alignment_def taut_default_alignment(void) {
    return (taut_alignment_def){.cookie = TAUT_COOKIE_KIND + TAUT_ALIGNMENT};
}

taut_segment_def taut_default_segment(void) {
    return (taut_segment_def){.cookie = TAUT_COOKIE_KIND + TAUT_SEGMENT};
}

taut_rods_def taut_default_rods(void) {
    return (taut_rods_def){.cookie = TAUT_COOKIE_RODS, .radius = 0.01, .young = 1e9, .shear = 4e8, .density = 1000};
}

taut_body_points_def taut_default_body_points(void) {
    return (taut_body_points_def){.cookie = TAUT_COOKIE_MAPPING};
}

taut_combinations_def taut_default_combinations(void) {
    return (taut_combinations_def){.cookie = TAUT_COOKIE_MAPPING + 1, .arity = 1};
}

taut_linear_map_def taut_default_linear_map(void) {
    return (taut_linear_map_def){.cookie = TAUT_COOKIE_MAPPING + 2};
}

taut_skinned_def taut_default_skinned(void) {
    return (taut_skinned_def){.cookie = TAUT_COOKIE_MAPPING + 3, .arity = 1};
}

taut_norms_def taut_default_norms(void) {
    return (taut_norms_def){.cookie = TAUT_COOKIE_MAPPING + 4};
}

taut_world_def taut_default_world(void) {
    return (taut_world_def){
        .cookie = TAUT_COOKIE_WORLD,
        .backend = TAUT_BACKEND_AUTO,
        .gravity = {0, -9.81, 0},
        .contact = {.margin = 1e-4, .restitution_speed = 0.05, .slip_speed = 1e-3},
        .integrator = {.alpha = 1,
                       .beta = 1,
                       .geometric_stiffness = TAUT_GEOMETRIC_FULL,
                       .guard = true,
                       .substeps = 1,
                       .primal = {1, 1, 1, 1, 1},
                       .newton = 1,
                       .newton_tolerance = 1e-6},
        .solver = {.method = TAUT_METHOD_AUTO,
                   .preconditioner = TAUT_PRECONDITIONER_AUTO,
                   .cycle = TAUT_CYCLE_AUTO,
                   .smoothed_aggregates = true,
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
