/* Elastic tetrahedra under loads of the size of their Young's modulus, the count of those that are inside out, and what
 * moves their pins. */
#include "force_scenes.h"
#include "phys_frames.h"
#include "solid_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DENSITY 1000.0

static size_t inverted_cells(taut_world* world, const phys_mesh* mesh) {
    double* x = phys_field(world, TAUT_FIELD_POSITIONS);
    size_t count = 0;
    for (size_t c = 0; c < mesh->cell_count; c++) {
        double edge[3][3], normal[3];
        for (int k = 0; k < 3; k++) {
            memcpy(edge[k], x + 3 * mesh->cells[4 * c + (size_t)k + 1], sizeof edge[k]);
            phys_add(-1, x + 3 * mesh->cells[4 * c], edge[k]);
        }
        phys_cross(edge[0], edge[1], normal);
        count += phys_dot(normal, edge[2]) * phys_cell_size(mesh, c) < 0;
    }
    free(x);
    return count;
}

static uint32_t step(taut_world* world, double h) {
    taut_step_info info;
    CHECK_OK(taut_world_step(world, h));
    CHECK_OK(taut_world_info(world, &info));
    return info.inverted;
}

static taut_scene* block(solid_element element, double young, phys_mesh* mesh) {
    *mesh = phys_block((const size_t[]){4, 4, 4}, (const double[]){1, 1, 1});
    double* masses = phys_lumped_masses(mesh, DENSITY);
    taut_scene* scene = phys_scene(mesh->point_count, mesh->points, masses);
    solid_add_elements(scene, mesh, element, young, 0.3, 0);
    free(masses);
    return scene;
}

/* A cube of 1 m and 10 kPa that stands on a side which is held: its weight by its area is as much as its modulus. */
TAUT_TEST(solids, a_soft_cube_bears_its_weight) {
    for (int fps = 24; fps <= 60; fps += 36) {
        phys_mesh mesh;
        taut_scene* scene = block(SOLID_NEO_HOOKEAN, 1e4, &mesh);
        taut_world_def def = phys_world_def(backend, 0.65, 0.65);
        CHECK_INT(solid_fix_side(scene, &mesh, 1, 0, 1e-9), 25);
        taut_world* world = phys_world(scene, &def);
        for (int n = 0; n < 2 * fps; n++) {
            test_note("%d frames a second, frame %d", fps, n + 1);
            CHECK_INT(step(world, 1.0 / fps), 0);
            CHECK_INT(inverted_cells(world, &mesh), 0);
        }
        double x[3];
        phys_position(world, mesh.point_count - 1, x);
        test_note("%d frames a second: its top is at %g m", fps, x[1]);
        CHECK(x[1] > 0.5 && x[1] < 0.9);
        taut_world_destroy(world);
        phys_mesh_free(&mesh);
    }
    test_note(NULL);
}

/* All of a block that is its own mirror image, whose Green strain is none; of one that is not, nothing. */
TAUT_TEST(solids, inverted_ones_are_counted) {
    for (int element = 0; element < SOLID_STRAIN_FORCES; element++) {
        phys_mesh mesh;
        taut_scene* scene = block((solid_element)element, 1e5, &mesh);
        taut_world_def def = phys_world_def(backend, 1, 1);
        taut_world* world = phys_world(scene, &def);
        test_note("%s", solid_element_name((solid_element)element));
        CHECK_INT(step(world, 1e-4), 0);
        double* x = phys_field(world, TAUT_FIELD_POSITIONS);
        for (size_t i = 0; i < mesh.point_count; i++) {
            x[3 * i] = -x[3 * i];
        }
        CHECK_OK(taut_world_write(world, TAUT_FIELD_POSITIONS, 0, mesh.point_count, x));
        CHECK_INT(step(world, 1e-6), inverted_cells(world, &mesh));
        CHECK_INT(inverted_cells(world, &mesh), mesh.cell_count);
        free(x);
        taut_world_destroy(world);
        phys_mesh_free(&mesh);
    }
    test_note(NULL);
}

/* Pins that move do work on what they hold: the guard takes none of the motion away, and the ledger has it. */
TAUT_TEST(solids, pins_that_move_carry_them) {
    phys_mesh mesh;
    taut_scene* scene = block(SOLID_NEO_HOOKEAN, 1e5, &mesh);
    taut_world_def def = phys_world_def(backend, 0.5, 0.5);
    CHECK_INT(solid_fix_side(scene, &mesh, 1, 1, 1e-9), 25);
    taut_world* world = phys_world(scene, &def);
    const double v[3] = {0.5, 0, 0};
    double work = 0, numerical = 0, x[3];
    for (size_t i = 0; i < mesh.point_count; i++) {
        if (mesh.points[3 * i + 1] > 1 - 1e-9) {
            CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, i, 1, v));
        }
    }
    for (int n = 0; n < 60; n++) {
        taut_step_info info;
        CHECK_OK(taut_world_step(world, 1.0 / 60));
        CHECK_OK(taut_world_info(world, &info));
        CHECK_INT(info.outcome, TAUT_SOLVE_CONVERGED);
        CHECK_INT(info.damped, 0);
        work += info.work_drives;
        numerical += info.numerical;
    }
    phys_position(world, 0, x);
    test_note("work %g J, numerical %g J, the bottom at %g m", work, numerical, x[0] - mesh.points[0]);
    CHECK(work > 50);                     /* 1,000 kg at 0.5 m/s have 125 J */
    CHECK(fabs(numerical) < 0.02 * work); /* the midpoint rule takes nothing of what is linear */
    CHECK_NEAR(x[0] - mesh.points[0], 0.5, 0.25);
    test_note(NULL);
    taut_world_destroy(world);
    phys_mesh_free(&mesh);
}
