#include "host/scene/defaults.h"

#include "base/memory.h"
#include "taut/taut.h"

#include <math.h>
#include <string.h>

/* What every definition begins with. */
typedef struct definition_head {
    uint32_t cookie, bytes;
} definition_head;

typedef struct default_value {
    const void* value;
    size_t size;
} default_value;

static default_value default_of(taut_definition definition) {
    switch (definition) {
    case TAUT_DEFINITION_SCENE: {
        static const taut_scene_def value = {.cookie = TAUT_DEFINITION_SCENE};
        return (default_value){&value, sizeof value};
    }
    case TAUT_DEFINITION_PARTICLES: {
        static const taut_particles_def value = {.cookie = TAUT_DEFINITION_PARTICLES, .mass = 1};
        return (default_value){&value, sizeof value};
    }
    case TAUT_DEFINITION_DISTANCE: {
        static const taut_distance_def value = {.cookie = TAUT_DEFINITION_DISTANCE};
        return (default_value){&value, sizeof value};
    }
    case TAUT_DEFINITION_ATTACHMENT: {
        static const taut_attachment_def value = {.cookie = TAUT_DEFINITION_ATTACHMENT};
        return (default_value){&value, sizeof value};
    }
    case TAUT_DEFINITION_TARGET: {
        static const taut_target_def value = {.cookie = TAUT_DEFINITION_TARGET};
        return (default_value){&value, sizeof value};
    }
    case TAUT_DEFINITION_BEND: {
        static const taut_bend_def value = {.cookie = TAUT_DEFINITION_BEND};
        return (default_value){&value, sizeof value};
    }
    case TAUT_DEFINITION_MEMBRANE: {
        static const taut_membrane_def value = {.cookie = TAUT_DEFINITION_MEMBRANE, .poisson = 0.3};
        return (default_value){&value, sizeof value};
    }
    case TAUT_DEFINITION_TET_VOLUME: {
        static const taut_tet_volume_def value = {.cookie = TAUT_DEFINITION_TET_VOLUME};
        return (default_value){&value, sizeof value};
    }
    case TAUT_DEFINITION_TET_STRAIN: {
        static const taut_tet_strain_def value = {.cookie = TAUT_DEFINITION_TET_STRAIN, .poisson = 0.3};
        return (default_value){&value, sizeof value};
    }
    case TAUT_DEFINITION_LINEAR: {
        static const taut_linear_def value = {.cookie = TAUT_DEFINITION_LINEAR};
        return (default_value){&value, sizeof value};
    }
    case TAUT_DEFINITION_SOLID: {
        static const taut_solid_def value = {.cookie = TAUT_DEFINITION_SOLID, .young = 1e5, .poisson = 0.3};
        return (default_value){&value, sizeof value};
    }
    case TAUT_DEFINITION_SURFACE: {
        static const taut_surface_def value = {.cookie = TAUT_DEFINITION_SURFACE};
        return (default_value){&value, sizeof value};
    }
    case TAUT_DEFINITION_ATTRACTION: {
        static const taut_attraction_def value = {.cookie = TAUT_DEFINITION_ATTRACTION};
        return (default_value){&value, sizeof value};
    }
    case TAUT_DEFINITION_BODIES: {
        static const taut_bodies_def value = {.cookie = TAUT_DEFINITION_BODIES, .mass = 1, .inertia = {1, 1, 1}};
        return (default_value){&value, sizeof value};
    }
    case TAUT_DEFINITION_MATERIAL: {
        static const taut_material_def value = {.cookie = TAUT_DEFINITION_MATERIAL, .friction = 0.5, .recovery = 1};
        return (default_value){&value, sizeof value};
    }
    case TAUT_DEFINITION_CONTACT_POINTS: {
        static const taut_contact_points_def value = {
            .cookie = TAUT_DEFINITION_CONTACT_POINTS, .group = 1, .mask = UINT32_MAX};
        return (default_value){&value, sizeof value};
    }
    case TAUT_DEFINITION_CONTACT_SURFACE: {
        static const taut_contact_surface_def value = {
            .cookie = TAUT_DEFINITION_CONTACT_SURFACE, .self = true, .group = 1, .mask = UINT32_MAX, .solids = true};
        return (default_value){&value, sizeof value};
    }
    case TAUT_DEFINITION_COLLIDERS: {
        static const taut_colliders_def value = {
            .cookie = TAUT_DEFINITION_COLLIDERS, .size = {1, 1, 1}, .group = 1, .mask = UINT32_MAX, .solid = true};
        return (default_value){&value, sizeof value};
    }
    case TAUT_DEFINITION_COLLIDER_MESH: {
        static const taut_collider_mesh_def value = {.cookie = TAUT_DEFINITION_COLLIDER_MESH};
        return (default_value){&value, sizeof value};
    }
    case TAUT_DEFINITION_JOINTS: {
        static const taut_joints_def value = {.cookie = TAUT_DEFINITION_JOINTS};
        return (default_value){&value, sizeof value};
    }
    case TAUT_DEFINITION_LIMITS: {
        static const taut_limits_def value = {.cookie = TAUT_DEFINITION_LIMITS};
        return (default_value){&value, sizeof value};
    }
    case TAUT_DEFINITION_MOTORS: {
        static const taut_motors_def value = {.cookie = TAUT_DEFINITION_MOTORS, .max_force = INFINITY};
        return (default_value){&value, sizeof value};
    }
    case TAUT_DEFINITION_ALIGNMENT: {
        static const taut_alignment_def value = {.cookie = TAUT_DEFINITION_ALIGNMENT};
        return (default_value){&value, sizeof value};
    }
    case TAUT_DEFINITION_SEGMENT: {
        static const taut_segment_def value = {.cookie = TAUT_DEFINITION_SEGMENT};
        return (default_value){&value, sizeof value};
    }
    case TAUT_DEFINITION_RODS: {
        static const taut_rods_def value = {
            .cookie = TAUT_DEFINITION_RODS, .radius = 0.01, .young = 1e9, .shear = 4e8, .density = 1000};
        return (default_value){&value, sizeof value};
    }
    case TAUT_DEFINITION_BODY_POINTS: {
        static const taut_body_points_def value = {.cookie = TAUT_DEFINITION_BODY_POINTS,
                                                   .body = {UINT32_MAX, UINT32_MAX}};
        return (default_value){&value, sizeof value};
    }
    case TAUT_DEFINITION_COMBINATIONS: {
        static const taut_combinations_def value = {.cookie = TAUT_DEFINITION_COMBINATIONS, .arity = 1};
        return (default_value){&value, sizeof value};
    }
    case TAUT_DEFINITION_LINEAR_MAP: {
        static const taut_linear_map_def value = {.cookie = TAUT_DEFINITION_LINEAR_MAP};
        return (default_value){&value, sizeof value};
    }
    case TAUT_DEFINITION_SKINNED: {
        static const taut_skinned_def value = {.cookie = TAUT_DEFINITION_SKINNED, .arity = 1};
        return (default_value){&value, sizeof value};
    }
    case TAUT_DEFINITION_NORMS: {
        static const taut_norms_def value = {.cookie = TAUT_DEFINITION_NORMS};
        return (default_value){&value, sizeof value};
    }
    case TAUT_DEFINITION_WELD: {
        static const taut_weld_def value = {.cookie = TAUT_DEFINITION_WELD};
        return (default_value){&value, sizeof value};
    }
    case TAUT_DEFINITION_WORLD: {
        static const taut_world_def value = {
            .cookie = TAUT_DEFINITION_WORLD,
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
                           .newton_tolerance = 1e-6,
                           .further = 3,
                           .closing_time = 0.3},
            .solver = {.method = TAUT_METHOD_AUTO,
                       .preconditioner = TAUT_PRECONDITIONER_AUTO,
                       .cycle = TAUT_CYCLE_AUTO,
                       .tolerance = 1e-4,
                       .max_iterations = 1000,
                       .warm_start = true,
                       .proximal = -1,
                       .block_size = 64,
                       .chebyshev_degree = 8},
            .speed_limit = 1e6,
            .reorder = true,
            .cuda_device = -1,
            .sleep = {.time = 0.5},
        };
        return (default_value){&value, sizeof value};
    }
    }
    return (default_value){NULL, 0};
}

void taut_default_definition(taut_definition definition, size_t size, void* out) {
    const default_value known = default_of(definition);
    if (out == NULL || size < sizeof(definition_head)) {
        return;
    }
    taut_copy_sized(out, size, known.value, known.size);
    ((definition_head*)out)->bytes = known.value != NULL ? (uint32_t)size : 0;
}

static bool is_zero(const char* bytes, size_t count) {
    size_t i = 0;
    while (i < count && bytes[i] == 0) {
        i++;
    }
    return i == count;
}

const void* scene_whole_definition(const void* def, taut_definition definition, size_t size, void* whole) {
    if (def == NULL) {
        return NULL;
    }
    definition_head head;
    memcpy(&head, def, sizeof head);
    taut_default_definition(definition, size, whole);
    const bool made = head.cookie == (uint32_t)definition && head.bytes >= sizeof head;
    const bool known = made && (head.bytes <= size || is_zero((const char*)def + size, head.bytes - size));
    if (known) {
        memcpy(whole, def, head.bytes < size ? head.bytes : size);
    } else {
        memset(whole, 0, sizeof head);
    }
    return whole;
}
