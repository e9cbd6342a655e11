/* Orders of convergence in time of every formulation on finite elements: a block thrown into the air that vibrates,
 * free, and held together by hard rows as well. Measured at all points against accelerations by RK4 with short steps.
 */
#include "force_scenes.h"
#include "phys_formulations.h"
#include "phys_frames.h"
#include "solid_scenes.h"

#include <math.h>
#include <stdlib.h>

#define SIDE     0.2   /* m */
#define YOUNG    1e4   /* Pa */
#define DENSITY  100.0 /* kg/m^3: sound takes a fiftieth of a second across the block */
#define DURATION 0.05  /* s */

typedef enum hold { HOLD_NOTHING, HOLD_LINKS, HOLD_VOLUMES, HOLD_COUNT } hold;

static const char* const hold_names[] = {"free", "hard links", "hard volumes"};

/* Drawn out, bent and twisted, and turning, by a speed that changes lengths by about a tenth. */
static void start_speed(const double x[3], double v[3]) {
    const double s = x[0] / SIDE - 0.5, t = x[1] / SIDE - 0.5, r = x[2] / SIDE - 0.5;
    v[0] = 2 * s + 0.6 * s * t - r;
    v[1] = -0.8 * t + 1.2 * s * s + s * r + 0.5;
    v[2] = 1.5 * r * t - 0.7 * s * t + s;
}

/* Strains of a twentieth. From rest symplectic Euler, which then is the leapfrog method, would be of second order. */
static void deform(phys_mesh* mesh) {
    for (size_t p = 0; p < mesh->point_count; p++) {
        double* x = mesh->points + 3 * p;
        const double s = x[0] / SIDE - 0.5, t = x[1] / SIDE - 0.5;
        x[0] += SIDE * 0.05 * s;
        x[1] -= SIDE * 0.05 * (t - s * s);
        x[2] += SIDE * 0.04 * s * t;
    }
}

/* The four long edges of a block of one cell. */
static const uint32_t long_edges[8] = {0, 1, 2, 3, 4, 5, 6, 7};

static taut_world* make_block(taut_backend_kind backend, solid_element element, hold what,
                              const taut_integrator* integrator) {
    phys_mesh mesh = phys_block((const size_t[]){1, 1, 1}, (const double[]){SIDE, SIDE, SIDE});
    double* masses = phys_lumped_masses(&mesh, DENSITY);
    double v[24];
    taut_scene* scene = phys_scene(mesh.point_count, mesh.points, masses);
    solid_add_elements(scene, &mesh, element, YOUNG, 0.3, 0);
    if (what == HOLD_LINKS) {
        const phys_tuples links = {4, (uint32_t*)long_edges};
        phys_add_links(scene, &links, 0, 0);
    } else if (what == HOLD_VOLUMES) {
        phys_add_volumes(scene, &mesh, 0);
    }
    taut_world* world = (what == HOLD_NOTHING ? solid_small_world : force_world)(backend, scene, integrator, 0);
    for (size_t p = 0; p < mesh.point_count; p++) {
        start_speed(mesh.points + 3 * p, v + 3 * p);
    }
    CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, 0, mesh.point_count, v));
    if (what == HOLD_NOTHING) {
        deform(&mesh);
        CHECK_OK(taut_world_write(world, TAUT_FIELD_POSITIONS, 0, mesh.point_count, mesh.points));
    }
    if (what != HOLD_NOTHING) {
        CHECK_OK(taut_world_project_velocities(world));
    }
    phys_mesh_free(&mesh);
    free(masses);
    return world;
}

/* Positions at the end, to be freed. */
static double* end_of(taut_backend_kind backend, solid_element element, hold what, const formulation* by,
                      size_t steps) {
    const taut_integrator integrator = phys_formulation_integrator(by);
    taut_world* world = make_block(backend, element, what, &integrator);
    phys_run(world, steps, DURATION / (double)steps);
    double* x = phys_field(world, TAUT_FIELD_POSITIONS);
    taut_world_destroy(world);
    return x;
}

static double error_of(taut_backend_kind backend, solid_element element, hold what, const formulation* by, size_t steps,
                       const double* truth) {
    double* x = end_of(backend, element, what, by, steps);
    const double error = phys_farthest(x, truth, 24);
    free(x);
    return error;
}

/* Steps of the coarser run: fewer where the order is higher, so that errors lie well above the rounding of Jacobians.
 */
static size_t steps_of(const formulation* by) {
    const size_t first = by->preset == TAUT_PRESET_EXPLICIT_EULER ? 200 : 80;
    return by->order == 4 ? 25 : by->order == 2 ? 40 : first;
}

/* One linearisation of the midpoint rule is between first and second order: its first-order part is that of the
 * stiffness that is cut, and small beside the other at these steps. */
static void check_order(const formulation* by, double coarse, double fine) {
    const bool between = by->preset == TAUT_PRESET_MIDPOINT && by->order == 1 && by->theta == 0;
    const double order = phys_order(coarse, fine);
    CHECK(order > by->order - 0.25);
    CHECK(order < (between ? 2 : by->order) + 0.25);
    CHECK(fine < 0.005 * SIDE);
}

static void check_orders(taut_backend_kind backend, solid_element element, hold what) {
    double* truth = end_of(backend, element, what, &formulations[ACCELERATIONS_RK4], 200);
    for (size_t i = 0; i < FORMULATION_COUNT; i++) {
        const formulation* by = &formulations[i];
        const size_t steps = steps_of(by);
        const double coarse = error_of(backend, element, what, by, steps, truth);
        const double fine = error_of(backend, element, what, by, 2 * steps, truth);
        test_note("%s, %s, %s: errors %.3g and %.3g m, order %.2f", solid_element_name(element), hold_names[what],
                  by->name, coarse, fine, phys_order(coarse, fine));
        check_order(by, coarse, fine);
    }
    free(truth);
}

TAUT_TEST(solids, orders_of_force_elements) {
    for (hold what = 0; what < HOLD_COUNT; what++) {
        check_orders(backend, SOLID_NEO_HOOKEAN, what);
    }
}

TAUT_TEST(solids, orders_of_strain_constraints) {
    check_orders(backend, SOLID_STRAIN, HOLD_NOTHING);
    check_orders(backend, SOLID_STRAIN, HOLD_VOLUMES);
}

TAUT_TEST(solids, orders_of_strain_forces) {
    check_orders(backend, SOLID_STRAIN_FORCES, HOLD_NOTHING);
}
