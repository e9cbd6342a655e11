/* Newton's method on the exact step is quadratic: e_(k+1) = C e_k^2 of the velocities, and of its own residual, where
 * the stabilising part of the geometric stiffness is all of it and tangents are positive definite. The operators are
 * rounded to float32, so that the rate ends in a linear one, e_(k+1) = 1e-7 e_k, and that in rounding. */
#include "force_scenes.h"
#include "phys_frames.h"

#include <math.h>
#include <stdlib.h>

typedef taut_scene* make_scene(void);

/* A mass of 1 kg that turns about the origin on a link of 1 m that is `length` long. */
static taut_scene* make_swing(double length, double compliance) {
    taut_scene* scene = phys_empty_scene();
    taut_particles_def particles = taut_default_particles();
    particles.count = 2;
    particles.positions = (const double[]){0, 0, 0, length, 0, 0};
    particles.velocities = (const double[]){0, 0, 0, 0.5, 2, 0.4};
    particles.fixed = (const bool[]){true, false};
    CHECK_OK(taut_scene_add_particles(scene, &particles, NULL));
    taut_distance_def def = taut_default_distance();
    def.count = 1;
    def.particles = (const uint32_t[]){0, 1};
    def.rest_lengths = (const double[]){1};
    def.compliance = compliance;
    CHECK_OK(taut_scene_add_distances(scene, &def, NULL));
    return scene;
}

static taut_scene* make_spring(void) {
    return make_swing(1.3, 0.01);
}

static taut_scene* make_hard_link(void) {
    return make_swing(1, 0);
}

/* A block of 2 x 1 x 1 cells, stretched by half along x and a fifth across, and held at one end. */
static taut_scene* make_block(taut_elasticity material) {
    const double stretch[3] = {1.5, 1.2, 1.2};
    phys_mesh mesh = phys_block((const size_t[]){2, 1, 1}, (const double[]){0.4, 0.2, 0.2});
    double* masses = phys_lumped_masses(&mesh, 1000);
    double* rest = phys_array(12 * mesh.cell_count, sizeof *rest);
    for (size_t i = 0; i < 12 * mesh.cell_count; i++) {
        rest[i] = mesh.points[3 * mesh.cells[i / 3] + i % 3];
    }
    for (size_t i = 0; i < 3 * mesh.point_count; i++) {
        mesh.points[i] *= stretch[i % 3];
    }
    taut_scene* scene = phys_scene(mesh.point_count, mesh.points, masses);
    phys_fix(scene, 4, (const uint32_t[]){0, 3, 6, 9});
    taut_solid_def def = taut_default_solid();
    def.count = mesh.cell_count;
    def.particles = mesh.cells;
    def.rest = rest;
    def.elasticity = material;
    CHECK_OK(taut_scene_add_solids(scene, &def, NULL));
    free(rest);
    free(masses);
    phys_mesh_free(&mesh);
    return scene;
}

static taut_scene* make_st_venant(void) {
    return make_block(TAUT_ELASTICITY_ST_VENANT_KIRCHHOFF);
}

static taut_scene* make_neo_hookean(void) {
    return make_block(TAUT_ELASTICITY_NEO_HOOKEAN);
}

#define VALUES   64
#define ITERATES 8
#define FLOOR    1e-12 /* m/s */

/* Velocities after one step of `h` with at most so many linearisations. */
static void step_once(taut_backend_kind backend, make_scene* make, double alpha, double h, uint32_t newton, double* v) {
    taut_world_def def = phys_world_def(backend, alpha, alpha);
    def.integrator.guard = false;
    /* Stiff springs are damped like hard rows; the change of J in d J v is not in the matrix. */
    def.integrator.hard_row_damping = alpha < 1 && make != make_spring;
    def.integrator.newton = newton;
    def.integrator.newton_tolerance = 0;
    def.solver.tolerance = 1e-13;
    taut_world* world = phys_world(make(), &def);
    phys_run(world, 1, h);
    CHECK_OK(taut_world_read(world, TAUT_FIELD_VELOCITIES, 0, taut_world_particle_count(world), v));
    taut_world_destroy(world);
}

/* Largest errors of the velocities of the iterates, m/s, as long as they are above the floor; returns how many. */
static int iterate_errors(taut_backend_kind backend, make_scene* make, double alpha, double h, double e[ITERATES]) {
    double exact[VALUES] = {0}, v[VALUES] = {0};
    step_once(backend, make, alpha, h, 40, exact);
    for (int k = 0; k < ITERATES; k++) {
        step_once(backend, make, alpha, h, (uint32_t)k + 1, v);
        e[k] = phys_farthest(v, exact, VALUES);
        if (e[k] < FLOOR) {
            return k;
        }
    }
    return ITERATES;
}

/* log(e_(k+1)/e_k) / log(e_k/e_(k-1)) of the last two iterates above the floor. */
static void check_quadratic(taut_backend_kind backend, const char* name, make_scene* make, double alpha, double h) {
    double e[ITERATES];
    const int count = iterate_errors(backend, make, alpha, h, e);
    test_note("%s, alpha %g: %d iterates above the floor", name, alpha, count);
    REQUIRE(count >= 4 && count < ITERATES);
    const double* last = e + count - 4;
    const double first = log(last[2] / last[1]) / log(last[1] / last[0]),
                 second = log(last[3] / last[2]) / log(last[2] / last[1]);
    test_note("%s, alpha %g: errors %.3g, %.3g, %.3g, %.3g m/s, exponents %.2f and %.2f", name, alpha, last[0], last[1],
              last[2], last[3], first, second);
    CHECK(first > 1.8);
    CHECK(second > 1.8);
}

TAUT_TEST(mechanisms, newton_is_quadratic_on_springs) {
    check_quadratic(backend, "spring", make_spring, 1, 0.32);
    check_quadratic(backend, "spring", make_spring, 0.5, 0.64);
}

TAUT_TEST(mechanisms, newton_is_quadratic_on_hard_links) {
    check_quadratic(backend, "hard link", make_hard_link, 1, 0.32);
}

TAUT_TEST(mechanisms, newton_is_quadratic_on_solids) {
    check_quadratic(backend, "St. Venant-Kirchhoff", make_st_venant, 1, 0.04);
    check_quadratic(backend, "St. Venant-Kirchhoff", make_st_venant, 0.5, 0.08);
    check_quadratic(backend, "neo-Hookean", make_neo_hookean, 1, 0.02);
    check_quadratic(backend, "neo-Hookean", make_neo_hookean, 0.5, 0.04);
}
