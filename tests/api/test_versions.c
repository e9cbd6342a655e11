/* Programs that were built with the headers of another version (base.h): values of enumerations and places of members
 * stay, and definitions and reports are as long as the program's headers say. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "refused.h"

/* What a program of version 0.2 has compiled in. A line that fails breaks that program: change the line only in a
 * version that may. */
#define PIN(value, number) CHECK_INT(value, number);

TAUT_PLAIN_TEST(versions, enumerators) {
    PIN(TAUT_MATRIX_M, 0)
    PIN(TAUT_MATRIX_J, 1)
    PIN(TAUT_MATRIX_C, 2)
    PIN(TAUT_MATRIX_P, 3)
    PIN(TAUT_MATRIX_G, 4)
    PIN(TAUT_MATRIX_K, 5)
    PIN(TAUT_VECTOR_F, 0)
    PIN(TAUT_VECTOR_PHI, 1)
    PIN(TAUT_VECTOR_LAM, 2)
    PIN(TAUT_OK, 0)
    PIN(TAUT_INVALID_ARGUMENT, 1)
    PIN(TAUT_INVALID_DEFINITION, 2)
    PIN(TAUT_OUT_OF_MEMORY, 3)
    PIN(TAUT_BACKEND_UNAVAILABLE, 4)
    PIN(TAUT_DIVERGED, 5)
    PIN(TAUT_OUT_OF_CAPACITY, 6)
    PIN(TAUT_DEVICE_FAULT, 7)
    PIN(TAUT_STOPPED, 8)
    PIN(TAUT_LOG_INFO, 0)
    PIN(TAUT_LOG_WARNING, 1)
    PIN(TAUT_JOINT_BALL, 0)
    PIN(TAUT_JOINT_HINGE, 1)
    PIN(TAUT_JOINT_SLIDER, 2)
    PIN(TAUT_JOINT_UNIVERSAL, 3)
    PIN(TAUT_JOINT_FIXED, 4)
    PIN(TAUT_SHAPE_PLANE, 0)
    PIN(TAUT_SHAPE_SPHERE, 1)
    PIN(TAUT_SHAPE_CAPSULE, 2)
    PIN(TAUT_SHAPE_BOX, 3)
    PIN(TAUT_SHAPE_MESH, 4)
    PIN(TAUT_SHAPE_CYLINDER, 5)
    PIN(TAUT_SHAPE_CONE, 6)
    PIN(TAUT_FRICTION_COULOMB, 0)
    PIN(TAUT_FRICTION_CONVEX, 1)
    PIN(TAUT_TOUCH_COLLIDER, 0)
    PIN(TAUT_TOUCH_FACE, 1)
    PIN(TAUT_TOUCH_EDGES, 2)
    PIN(TAUT_TOUCH_SOLIDS, 3)
    PIN(TAUT_ELASTICITY_COROTATIONAL, 0)
    PIN(TAUT_ELASTICITY_NEO_HOOKEAN, 1)
    PIN(TAUT_ELASTICITY_ST_VENANT_KIRCHHOFF, 2)
    PIN(TAUT_GEOMETRIC_NONE, 0)
    PIN(TAUT_GEOMETRIC_FULL, 1)
    PIN(TAUT_FORMULATION_THETA, 0)
    PIN(TAUT_FORMULATION_PRIMAL, 1)
    PIN(TAUT_FORMULATION_ACCELERATION, 2)
    PIN(TAUT_STEPPER_SYMPLECTIC_EULER, 0)
    PIN(TAUT_STEPPER_RK4, 1)
    PIN(TAUT_PRESET_EXPLICIT_EULER, 0)
    PIN(TAUT_PRESET_SYMPLECTIC_EULER, 1)
    PIN(TAUT_PRESET_IMPLICIT_EULER, 2)
    PIN(TAUT_PRESET_MIDPOINT, 3)
    PIN(TAUT_PRESET_MOMENTUM, 4)
    PIN(TAUT_PRESET_BAUMGARTE, 5)
    PIN(TAUT_PRESET_BAUMGARTE_RK4, 6)
    PIN(TAUT_PRESET_SDIRK2, 7)
    PIN(TAUT_OPERATOR_J, 0)
    PIN(TAUT_OPERATOR_JT, 1)
    PIN(TAUT_OPERATOR_A, 2)
    PIN(TAUT_OPERATOR_A_INVERSE, 3)
    PIN(TAUT_OPERATOR_S, 4)
    PIN(TAUT_OPERATOR_W, 5)
    PIN(TAUT_OPERATOR_G, 6)
    PIN(TAUT_OPERATOR_H, 7)
    PIN(TAUT_OPERATOR_PRECONDITIONER, 8)
    PIN(TAUT_DISTANCE, 0)
    PIN(TAUT_ATTACHMENT, 1)
    PIN(TAUT_TARGET, 2)
    PIN(TAUT_BEND, 3)
    PIN(TAUT_MEMBRANE, 4)
    PIN(TAUT_TET_VOLUME, 5)
    PIN(TAUT_TET_STRAIN, 6)
    PIN(TAUT_PRISMATIC, 7)
    PIN(TAUT_ANGULAR, 8)
    PIN(TAUT_ALIGNMENT, 9)
    PIN(TAUT_SEGMENT, 10)
    PIN(TAUT_INERTIA, 11)
    PIN(TAUT_NORM, 12)
    PIN(TAUT_SOLID, 13)
    PIN(TAUT_SURFACE, 14)
    PIN(TAUT_ATTRACTION, 15)
    PIN(TAUT_LINEAR, 16)
    PIN(TAUT_CONTACT, 17)
    PIN(TAUT_ROLLING, 18)
    PIN(TAUT_METHOD_AUTO, 0)
    PIN(TAUT_METHOD_SCHUR, 1)
    PIN(TAUT_METHOD_CONDENSED, 2)
    PIN(TAUT_METHOD_GAUSS_SEIDEL, 3)
    PIN(TAUT_METHOD_DIRECT, 4)
    PIN(TAUT_METHOD_PROJECTED_GRADIENT, 5)
    PIN(TAUT_PRECONDITIONER_AUTO, 0)
    PIN(TAUT_PRECONDITIONER_NONE, 1)
    PIN(TAUT_PRECONDITIONER_JACOBI, 2)
    PIN(TAUT_PRECONDITIONER_BLOCK, 3)
    PIN(TAUT_PRECONDITIONER_CHEBYSHEV, 4)
    PIN(TAUT_PRECONDITIONER_MULTILEVEL, 5)
    PIN(TAUT_CYCLE_AUTO, 0)
    PIN(TAUT_CYCLE_ADDITIVE, 1)
    PIN(TAUT_CYCLE_V, 2)
    PIN(TAUT_SOLVE_CONVERGED, 0)
    PIN(TAUT_SOLVE_ITERATION_LIMIT, 1)
    PIN(TAUT_SOLVE_STAGNATED, 2)
    PIN(TAUT_SOLVE_DAMPED, 3)
    PIN(TAUT_SOLVE_OVERSTRETCHED, 4)
    PIN(TAUT_STAGE_EVALUATE, 0)
    PIN(TAUT_STAGE_ASSEMBLE, 1)
    PIN(TAUT_STAGE_SOLVE, 2)
    PIN(TAUT_STAGE_INTEGRATE, 3)
    PIN(TAUT_STAGE_COLLIDE, 4)
    PIN(TAUT_FLOAT32, 0)
    PIN(TAUT_FLOAT64, 1)
    PIN(TAUT_FIELD_POSITIONS, 0)
    PIN(TAUT_FIELD_POSITIONS_F32, 1)
    PIN(TAUT_FIELD_VELOCITIES, 2)
    PIN(TAUT_FIELD_VIOLATIONS, 3)
    PIN(TAUT_FIELD_MULTIPLIERS, 4)
    PIN(TAUT_FIELD_ORIENTATIONS, 5)
    PIN(TAUT_FIELD_ANGULAR_VELOCITIES, 6)
    PIN(TAUT_BACKEND_AUTO, 0)
    PIN(TAUT_BACKEND_CPU, 1)
    PIN(TAUT_BACKEND_CUDA, 2)
    PIN(TAUT_DEFINITION_SCENE, 0x7a070001)
    PIN(TAUT_DEFINITION_PARTICLES, 0x7a070002)
    PIN(TAUT_DEFINITION_WORLD, 0x7a070003)
    PIN(TAUT_DEFINITION_BODIES, 0x7a070004)
    PIN(TAUT_DEFINITION_JOINTS, 0x7a070005)
    PIN(TAUT_DEFINITION_RODS, 0x7a070006)
    PIN(TAUT_DEFINITION_MATERIAL, 0x7a070007)
    PIN(TAUT_DEFINITION_CONTACT_POINTS, 0x7a070008)
    PIN(TAUT_DEFINITION_COLLIDERS, 0x7a070009)
    PIN(TAUT_DEFINITION_COLLIDER_MESH, 0x7a07000a)
    PIN(TAUT_DEFINITION_CONTACT_SURFACE, 0x7a07000b)
    PIN(TAUT_DEFINITION_BODY_POINTS, 0x7a070010)
    PIN(TAUT_DEFINITION_COMBINATIONS, 0x7a070011)
    PIN(TAUT_DEFINITION_LINEAR_MAP, 0x7a070012)
    PIN(TAUT_DEFINITION_SKINNED, 0x7a070013)
    PIN(TAUT_DEFINITION_NORMS, 0x7a070014)
    PIN(TAUT_DEFINITION_DISTANCE, 0x7a070100)
    PIN(TAUT_DEFINITION_ATTACHMENT, 0x7a070101)
    PIN(TAUT_DEFINITION_TARGET, 0x7a070102)
    PIN(TAUT_DEFINITION_BEND, 0x7a070103)
    PIN(TAUT_DEFINITION_MEMBRANE, 0x7a070104)
    PIN(TAUT_DEFINITION_TET_VOLUME, 0x7a070105)
    PIN(TAUT_DEFINITION_TET_STRAIN, 0x7a070106)
    PIN(TAUT_DEFINITION_ALIGNMENT, 0x7a070109)
    PIN(TAUT_DEFINITION_SEGMENT, 0x7a07010a)
    PIN(TAUT_DEFINITION_SOLID, 0x7a07010d)
    PIN(TAUT_DEFINITION_SURFACE, 0x7a07010e)
    PIN(TAUT_DEFINITION_ATTRACTION, 0x7a07010f)
    PIN(TAUT_DEFINITION_LINEAR, 0x7a070110)
    CHECK(TAUT_KIND_COUNT <= TAUT_KIND_ROOM && TAUT_STAGE_COUNT <= TAUT_STAGE_ROOM);
}

/* The last member of 0.2 of structs that grow. */
TAUT_PLAIN_TEST(versions, members) {
    if (sizeof(void*) != 8) {
        test_skip("numbers are those of 64 bits");
        return;
    }
    PIN(offsetof(taut_bodies_def, fixed), 120)
    PIN(offsetof(taut_joints_def, drive_damping), 224)
    PIN(offsetof(taut_alignment_def, damping), 72)
    PIN(offsetof(taut_segment_def, damping), 80)
    PIN(offsetof(taut_rods_def, clamped), 104)
    PIN(offsetof(taut_material_def, spinning), 64)
    PIN(offsetof(taut_contact_points_def, mask), 64)
    PIN(offsetof(taut_contact_surface_def, mask), 60)
    PIN(offsetof(taut_collider_mesh_def, spacing), 40)
    PIN(offsetof(taut_colliders_def, mask), 96)
    PIN(offsetof(taut_solid_def, damping), 80)
    PIN(offsetof(taut_surface_def, wind), 88)
    PIN(offsetof(taut_attraction_def, softening), 64)
    PIN(offsetof(taut_body_points_def, masses), 48)
    PIN(offsetof(taut_combinations_def, masses), 48)
    PIN(offsetof(taut_linear_map_def, masses), 40)
    PIN(offsetof(taut_skinned_def, masses), 56)
    PIN(offsetof(taut_norms_def, parents), 16)
    PIN(offsetof(taut_scene_def, allocator), 8)
    PIN(offsetof(taut_particles_def, fixed), 48)
    PIN(offsetof(taut_distance_def, damping), 56)
    PIN(offsetof(taut_attachment_def, damping), 56)
    PIN(offsetof(taut_target_def, damping), 56)
    PIN(offsetof(taut_bend_def, damping), 56)
    PIN(offsetof(taut_membrane_def, damping), 64)
    PIN(offsetof(taut_tet_volume_def, damping), 56)
    PIN(offsetof(taut_tet_strain_def, damping), 64)
    PIN(offsetof(taut_linear_def, damping), 80)
    PIN(offsetof(taut_world_def, log_user), 536)
    PIN(offsetof(taut_step_info, stage_seconds), 656)
    PIN(offsetof(taut_choice, contradicting_rows), 176)
    PIN(offsetof(taut_device_info, multiprocessors), 272)
    PIN(offsetof(taut_block, frames), 52)
    PIN(offsetof(taut_contact, torque), 144)
}

TAUT_PLAIN_TEST(versions, structs_that_never_change) {
    if (sizeof(void*) != 8) {
        test_skip("numbers are those of 64 bits");
        return;
    }
    PIN(sizeof(taut_csr_view), 48)
    PIN(sizeof(taut_allocator), 24)
    PIN(sizeof(taut_range), 8)
    PIN(sizeof(taut_body_ranges), 16)
    PIN(sizeof(taut_body), 8)
    PIN(sizeof(taut_joint_batches), 12)
    PIN(sizeof(taut_rod_ranges), 24)
    PIN(sizeof(taut_contact_settings), 96)
    PIN(sizeof(taut_primal), 40)
    PIN(sizeof(taut_integrator), 232)
    PIN(sizeof(taut_batch), 4)
    PIN(sizeof(taut_solver), 112)
    PIN(sizeof(taut_array), 48)
    PIN(sizeof(taut_saved), 40)
}

static const double points[6] = {0, 0, 0, 1, 0, 0};

/* A definition as a program of `bytes` has it, and behind it memory of something else. */
static void* other_version(const void* def, size_t known, size_t bytes, int behind) {
    char* out = malloc(bytes + 64);
    const uint32_t said = (uint32_t)bytes;
    memset(out, behind, bytes + 64);
    memcpy(out, def, known < bytes ? known : bytes);
    memcpy(out + sizeof(uint32_t), &said, sizeof said);
    return out;
}

/* What the header of an earlier version lacks has its default, whatever stands behind the definition. */
TAUT_PLAIN_TEST(versions, earlier_definitions) {
    taut_scene* scene = refused_scene(2, points);
    const size_t bytes = offsetof(taut_distance_def, compliances);
    taut_distance_def links = taut_default_distance();
    links.count = 1;
    links.particles = (const uint32_t[]){0, 1};
    links.rest_lengths = (const double[]){0.5};
    CHECK_INT(links.bytes, sizeof links);
    taut_distance_def* earlier = other_version(&links, sizeof links, bytes, 0xff);
    CHECK_OK(taut_scene_add_distances(scene, earlier, NULL));
    taut_world_def def = taut_default_world();
    def.backend = TAUT_BACKEND_CPU;
    def.gravity[1] = 0;
    def.integrator.closing_time = 0;
    taut_world_def* before = other_version(&def, sizeof def, offsetof(taut_world_def, speed_limit), 0xff);
    taut_world* world = NULL;
    double x[6];
    REQUIRE_OK(taut_world_create(scene, before, &world));
    CHECK_OK(taut_world_step(world, 0.01));
    CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, 0, 2, x));
    CHECK_NEAR(x[3] - x[0], 0.5, 1e-6); /* hard, with the length of the definition */
    taut_world_destroy(world);
    taut_scene_destroy(scene);
    free(earlier), free(before);
}

/* Of a later version: with members that the library does not know, unless they are 0. */
TAUT_PLAIN_TEST(versions, later_definitions) {
    taut_scene* scene = refused_scene(2, points);
    taut_particles_def particles = taut_default_particles();
    particles.count = 2;
    particles.positions = points;
    taut_particles_def* unset = other_version(&particles, sizeof particles, sizeof particles + 16, 0);
    taut_particles_def* set = other_version(&particles, sizeof particles, sizeof particles + 16, 1);
    CHECK_OK(taut_scene_add_particles(scene, unset, NULL));
    UNMADE(taut_scene_add_particles(scene, set, NULL));
    particles.bytes = 4;
    UNMADE(taut_scene_add_particles(scene, &particles, NULL));
    taut_scene_destroy(scene);
    free(unset), free(set);
}

TAUT_PLAIN_TEST(versions, defaults_of_any_length) {
    _Alignas(max_align_t) unsigned char memory[sizeof(taut_material_def) + 32];
    memset(memory, 0xff, sizeof memory);
    taut_default_definition(TAUT_DEFINITION_MATERIAL, offsetof(taut_material_def, restitution), memory);
    const taut_material_def whole = taut_default_material();
    const size_t part = offsetof(taut_material_def, restitution);
    CHECK(memcmp(memory + 8, (const char*)&whole + 8, part - 8) == 0);
    CHECK(memory[part] == 0xff && memory[sizeof whole] == 0xff);
    taut_default_definition(TAUT_DEFINITION_MATERIAL, sizeof memory, memory);
    CHECK(memcmp(memory + 8, (const char*)&whole + 8, sizeof whole - 8) == 0);
    CHECK(memory[sizeof whole] == 0 && memory[sizeof memory - 1] == 0);
    taut_default_definition((taut_definition)1, sizeof memory, memory);
    CHECK(memory[0] == 0 && memory[4] == 0);
}

TAUT_TEST(versions, reports_of_any_length) {
    taut_scene* scene = refused_scene(2, points);
    taut_world_def def = taut_default_world();
    taut_world* world = NULL;
    taut_step_info info;
    _Alignas(max_align_t) unsigned char memory[sizeof info + 16];
    const size_t part = offsetof(taut_step_info, residual);
    def.backend = backend;
    REQUIRE_OK(taut_world_create(scene, &def, &world));
    CHECK_OK(taut_world_step(world, 0.01));
    CHECK_OK(taut_world_info(world, &info));
    memset(memory, 0xff, sizeof memory);
    CHECK_OK(taut_world_info_sized(world, (taut_step_info*)(void*)memory, part));
    CHECK(memcmp(memory, &info, offsetof(taut_step_info, outcome)) == 0);
    CHECK(memory[part] == 0xff && memory[sizeof memory - 1] == 0xff);
    CHECK_OK(taut_world_info_sized(world, (taut_step_info*)(void*)memory, sizeof memory));
    CHECK(memory[sizeof info] == 0 && memory[sizeof memory - 1] == 0);
    CHECK_NEAR(((taut_step_info*)(void*)memory)->kinetic, info.kinetic, 0);
    taut_choice choice;
    CHECK_OK(taut_world_choice_sized(world, (taut_choice*)(void*)memory, sizeof choice.schur_rows));
    taut_world_destroy(world);
    taut_scene_destroy(scene);
}

TAUT_PLAIN_TEST(versions, settings_of_a_later_version) {
    taut_scene* scene = refused_scene(2, points);
    taut_world* world = NULL;
    for (int i = 0; i < 3; i++) {
        taut_world_def def = taut_default_world();
        def.backend = TAUT_BACKEND_CPU;
        uint64_t* reserved = i == 0 ? def.integrator.reserved : i == 1 ? def.solver.reserved : def.contact.reserved;
        reserved[5] = 1;
        UNMADE(taut_world_create(scene, &def, &world));
    }
    taut_scene_destroy(scene);
}

TAUT_PLAIN_TEST(versions, numbers_of_a_body) {
    const taut_body_ranges ranges = {{7, 3}, {2, 3}};
    const taut_body body = taut_body_of(ranges, 1);
    CHECK_INT(body.point, 8);
    CHECK_INT(body.frame, 3);
    CHECK(!taut_body_is_world(body));
    CHECK(!taut_body_is_world((taut_body){UINT32_MAX, 3}));
    CHECK(!taut_body_is_world((taut_body){8, UINT32_MAX}));
    CHECK(taut_body_is_world(TAUT_WORLD));
}
