/* Blocks of tetrahedra that hardly change their volume, up to Poisson's ratio 1/2: more volumes than free coordinates.
 */
#include "solid_scenes.h"

#include <math.h>
#include <stdlib.h>

#define SIDE    0.2    /* m */
#define YOUNG   5e4    /* Pa */
#define DENSITY 1000.0 /* kg/m^3 */

static taut_world* make_block(taut_backend_kind backend, phys_mesh* mesh, solid_element element, double poisson,
                              size_t cells, size_t sides, bool held) {
    *mesh =
        phys_block((const size_t[]){cells * sides, cells, cells}, (const double[]){(double)sides * SIDE, SIDE, SIDE});
    double* masses = phys_lumped_masses(mesh, DENSITY);
    taut_scene* scene = phys_scene(mesh->point_count, mesh->points, masses);
    taut_world_def def = taut_default_world();
    free(masses);
    solid_add_elements(scene, mesh, element, YOUNG, poisson, 0);
    if (held) {
        solid_fix_side(scene, mesh, 0, 0, 0);
    }
    def.backend = backend;
    return phys_world(scene, &def);
}

/* Nothing acts on shapes in free fall, whatever the law of volumes. */
TAUT_TEST(solids_volume, free_fall) {
    static const solid_element elements[] = {SOLID_NEO_HOOKEAN, SOLID_COROTATIONAL, SOLID_STRAIN};
    static const double poissons[] = {0.49, 0.49999, 0.5};
    for (int i = 0; i < 9; i++) {
        phys_mesh mesh;
        taut_world* world = make_block(backend, &mesh, elements[i / 3], poissons[i % 3], 3, 1, false);
        taut_step_info info = {0};
        for (int step = 0; step < 20; step++) {
            CHECK_OK(taut_world_step(world, 1.0 / 60));
            CHECK_OK(taut_world_info(world, &info));
            test_note("%s, Poisson %g, step %d", solid_element_name(elements[i / 3]), poissons[i % 3], step);
            CHECK_INT(info.outcome, TAUT_SOLVE_CONVERGED);
            CHECK(fabs(info.elastic) < 1e-9);
        }
        test_note(NULL);
        taut_world_destroy(world);
        phys_mesh_free(&mesh);
    }
}

/* Height of the end of a cantilever of three sides after a quarter of a second of falling. */
static double end_of_cantilever(taut_backend_kind backend, solid_element element, double poisson) {
    phys_mesh mesh;
    taut_world* world = make_block(backend, &mesh, element, poisson, 2, 3, true);
    taut_step_info info = {0};
    double x[3];
    for (int step = 0; step < 15; step++) {
        CHECK_OK(taut_world_step(world, 1.0 / 60));
        CHECK_OK(taut_world_info(world, &info));
        test_note("Poisson %.6g, step %d, numerical %g J, kinetic %g J", poisson, step, info.numerical, info.kinetic);
        CHECK_INT(info.outcome, TAUT_SOLVE_CONVERGED);
        CHECK_INT(info.inverted, 0);
        CHECK(info.numerical > -1e-2 * (info.kinetic + info.elastic));
    }
    test_note(NULL);
    phys_position(world, mesh.point_count - 1, x);
    taut_world_destroy(world);
    phys_mesh_free(&mesh);
    return x[1];
}

/* Poisson's ratio 1/2 is 0.4999, and what is near it is near that. */
TAUT_TEST(solids_volume, cantilever_is_continuous) {
    static const solid_element elements[] = {SOLID_NEO_HOOKEAN, SOLID_COROTATIONAL};
    for (int i = 0; i < 2; i++) {
        const double nearly = end_of_cantilever(backend, elements[i], 0.49988),
                     hardly = end_of_cantilever(backend, elements[i], 0.4999),
                     most = end_of_cantilever(backend, elements[i], 0.49995),
                     keeps = end_of_cantilever(backend, elements[i], 0.5);
        test_note("%s: %g, %g, %g, %g m", solid_element_name(elements[i]), nearly, hardly, most, keeps);
        CHECK(keeps == hardly && most == hardly);
        CHECK_NEAR(nearly, hardly, 0.05 * SIDE);
    }
    test_note(NULL);
}

/* A block of constraints that is pulled by a corner's speed: their energy is that of their strains. */
TAUT_TEST(solids_volume, strained_block_holds_no_more_than_it_got) {
    static const double poissons[] = {0.49999, 0.5};
    for (int i = 0; i < 2; i++) {
        phys_mesh mesh;
        taut_world* world = make_block(backend, &mesh, SOLID_STRAIN, poissons[i], 3, 1, true);
        taut_step_info info = {0};
        CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, mesh.point_count - 1, 1, (const double[]){1, 2, 0}));
        for (int step = 0; step < 20; step++) {
            CHECK_OK(taut_world_step(world, 1.0 / 24));
            CHECK_OK(taut_world_info(world, &info));
            test_note("Poisson %g, step %d: %g J, %g J", poissons[i], step, info.elastic, info.numerical);
            CHECK_INT(info.outcome, TAUT_SOLVE_CONVERGED);
            CHECK(info.elastic < 8 * PHYS_GRAVITY * SIDE); /* 8 kg */
            CHECK(info.numerical > -0.1);
        }
        test_note(NULL);
        taut_world_destroy(world);
        phys_mesh_free(&mesh);
    }
}
