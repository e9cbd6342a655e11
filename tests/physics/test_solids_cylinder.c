/* Cylinders that other people meshed, drawn out by tractions on both ends. With the stretches s along and t across, the
 * nominal stress P of the ends and none on the side, the state is uniform:
 *
 *   corotational           P = E (s - 1)                t = 1 - nu (s - 1)
 *   St. Venant-Kirchhoff   P = s E (s^2 - 1)/2          t^2 = 1 - nu (s^2 - 1)
 *   neo-Hookean            P = mu s + c t^2,  mu t + c s t = 0,  c = lambda (J - 1) - mu/J,  J = s t^2 > 1/5
 *                          whence c = -mu/s,  J^2 - (1 - m/s) J - m = 0 with m = mu/lambda,  P = mu (s - t^2/s)
 *
 * Tetrahedra have constant strains, so that it is exact on every mesh of a straight bar. These meshes are none: chords
 * of the side are inclined to the axis. Where they carry P n_y as a plane within the uniform bar does, it is exact
 * again; where they are free, as exact as the mesh is a cylinder. */
#include "force_scenes.h"
#include "phys_frames.h"
#include "phys_tets.h"
#include "solid_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define YOUNG   1e5 /* Pa */
#define POISSON 0.3
#define DENSITY 1000.0

/* ---- closed forms -------------------------------------------------------------------------------------------------
 */

typedef struct stretches {
    double along, across;
} stretches;

static double across_of(solid_element element, double s) {
    switch (element) {
    case SOLID_COROTATIONAL:
        return 1 - POISSON * (s - 1);
    case SOLID_NEO_HOOKEAN: {
        const double m = (1 - 2 * POISSON) / (2 * POISSON), half = (1 - m / s) / 2;
        return sqrt((half + sqrt(half * half + m)) / s);
    }
    default:
        return sqrt(1 - POISSON * (s * s - 1));
    }
}

static double stress_of(solid_element element, double s) {
    const double t = across_of(element, s);
    switch (element) {
    case SOLID_COROTATIONAL:
        return YOUNG * (s - 1);
    case SOLID_NEO_HOOKEAN:
        return YOUNG / (2 * (1 + POISSON)) * (s - t * t / s);
    default:
        return YOUNG * s * (s * s - 1) / 2;
    }
}

/* Stress grows with the stretch from 0.6 on in all of them. */
static stretches exact_stretches(solid_element element, double traction) {
    double low = 0.6, high = 2;
    for (int i = 0; i < 60; i++) {
        const double middle = (low + high) / 2;
        *(stress_of(element, middle) < traction ? &low : &high) = middle;
    }
    return (stretches){low, across_of(element, low)};
}

/* ---- the cylinder -------------------------------------------------------------------------------------------------
 */

/* Along y, its ends in planes. */
typedef struct cylinder {
    phys_mesh mesh;
    double low, high;
    phys_tuples ends[2];
    uint32_t held[3]; /* points of the lower end */
} cylinder;

static double plane_distance(const phys_mesh* mesh, uint32_t a, uint32_t b) {
    return hypot(mesh->points[3 * a] - mesh->points[3 * b], mesh->points[3 * a + 2] - mesh->points[3 * b + 2]);
}

/* A corner of the lower end, that farthest from it, and that farthest from both. */
static void choose_held(cylinder* c) {
    const phys_tuples* end = &c->ends[0];
    uint32_t* held = c->held;
    held[0] = held[1] = held[2] = end->items[0];
    for (size_t i = 0; i < 3 * end->count; i++) {
        const uint32_t p = end->items[i];
        held[1] = plane_distance(&c->mesh, p, held[0]) > plane_distance(&c->mesh, held[1], held[0]) ? p : held[1];
    }
    for (size_t i = 0; i < 3 * end->count; i++) {
        const uint32_t p = end->items[i];
        const double here = fmin(plane_distance(&c->mesh, p, held[0]), plane_distance(&c->mesh, p, held[1]));
        const double best =
            fmin(plane_distance(&c->mesh, held[2], held[0]), plane_distance(&c->mesh, held[2], held[1]));
        held[2] = here > best ? p : held[2];
    }
}

static bool read_cylinder(const char* name, double scale, cylinder* c) {
    if (!phys_shared_tets(name, &c->mesh)) {
        return false;
    }
    phys_scale(&c->mesh, scale);
    phys_range(&c->mesh, 1, &c->low, &c->high);
    const double near = 1e-6 * (c->high - c->low);
    c->ends[0] = phys_side(&c->mesh, 1, c->low, near);
    c->ends[1] = phys_side(&c->mesh, 1, c->high, near);
    choose_held(c);
    return true;
}

static void free_cylinder(cylinder* c) {
    phys_mesh_free(&c->mesh);
    free(c->ends[0].items);
    free(c->ends[1].items);
}

/* Six hard rows against rigid motions and nothing else: the place of the first held point, the heights of the other
 * two, and (d x u)_y = 0 of the second seen from the first, which a stretch alike in x and z leaves alone. */
static taut_batch hold_in_place(taut_scene* scene, const cylinder* c) {
    const uint32_t a = 3 * c->held[0], b = 3 * c->held[1], third = 3 * c->held[2];
    const double *from = c->mesh.points + a, *to = c->mesh.points + b;
    const size_t offsets[7] = {0, 1, 2, 3, 4, 5, 7};
    const uint32_t coordinates[7] = {a, a + 1, a + 2, b + 1, third + 1, b, b + 2};
    const double weights[7] = {1, 1, 1, 1, 1, to[2] - from[2], from[0] - to[0]};
    taut_batch batch = {0};
    taut_linear_def def = taut_default_linear();
    def.count = 6;
    def.offsets = offsets;
    def.coordinates = coordinates;
    def.weights = weights;
    CHECK_OK(taut_scene_add_linear(scene, &def, &batch));
    return batch;
}

/* What the rest of a uniform bar exerts on the inclined faces of the side: P n_y along the axis. Inner faces cancel. */
static void apply_jacobian_transpose_side(taut_world* world, const cylinder* c, double traction) {
    const double near = 1e-6 * (c->high - c->low);
    const phys_tuples faces = phys_faces(&c->mesh);
    double* forces = phys_array(3 * c->mesh.point_count, sizeof *forces);
    for (size_t i = 0; i < 3 * faces.count; i++) {
        const uint32_t* face = faces.items + i / 3 * 3;
        if (!phys_on_side(&c->mesh, face, 1, c->low, near) && !phys_on_side(&c->mesh, face, 1, c->high, near)) {
            double n[3];
            phys_area_vector(&c->mesh, face, n);
            forces[3 * faces.items[i] + 1] += traction * n[1] / 3;
        }
    }
    CHECK_OK(taut_world_set_forces(world, 0, c->mesh.point_count, forces));
    free(faces.items);
    free(forces);
}

static taut_world* pulled_cylinder(taut_backend_kind backend, const cylinder* c, solid_element element, double traction,
                                   taut_batch* rows) {
    double* masses = phys_lumped_masses(&c->mesh, DENSITY);
    taut_scene* scene = phys_scene(c->mesh.point_count, c->mesh.points, masses);
    const taut_integrator integrator = phys_preset(TAUT_PRESET_IMPLICIT_EULER);
    solid_add_elements(scene, &c->mesh, element, YOUNG, POISSON, 0);
    solid_apply_jacobian_transpose(scene, &c->ends[0], (const double[]){0, -traction, 0});
    solid_apply_jacobian_transpose(scene, &c->ends[1], (const double[]){0, traction, 0});
    *rows = hold_in_place(scene, c);
    free(masses);
    return force_world(backend, scene, &integrator, 0);
}

/* Largest distance of a point from the uniform state about the first held point, over the length. */
static double distance_from(taut_world* world, const cylinder* c, stretches exact) {
    const double stretch[3] = {exact.across, exact.along, exact.across}, *fixed = c->mesh.points + 3 * c->held[0];
    double* x = phys_field(world, TAUT_FIELD_POSITIONS);
    double worst = 0;
    for (size_t i = 0; i < 3 * c->mesh.point_count; i++) {
        const double expected = fixed[i % 3] + stretch[i % 3] * (c->mesh.points[i] - fixed[i % 3]);
        worst = phys_worse(worst, fabs(x[i] - expected));
    }
    free(x);
    return worst / (c->high - c->low);
}

static double end_area(const cylinder* c) {
    double area = 0;
    for (size_t f = 0; f < c->ends[1].count; f++) {
        double n[3];
        phys_area_vector(&c->mesh, c->ends[1].items + 3 * f, n);
        area += n[1];
    }
    return area;
}

/* The reactions are none: the tractions balance each other. */
static double worst_reaction(taut_world* world, taut_batch rows) {
    double worst = 0;
    for (size_t r = 0; r < 5; r++) {
        worst = phys_worse(worst, fabs(phys_multiplier(world, rows, r)));
    }
    return worst;
}

/* Forces of elements are of float64; those of rows go through Jacobians of float32, which unbalance them by 2^-24 each.
 */
static double accuracy_of(solid_element element) {
    return element < SOLID_STRAIN ? 1e-9 : ldexp(64, -24);
}

static void check_uniform_pull(taut_backend_kind backend, const cylinder* c, solid_element element, double traction) {
    const stretches exact = exact_stretches(element, traction);
    const double force = traction * end_area(c), length = c->high - c->low;
    taut_batch rows;
    taut_world* world = pulled_cylinder(backend, c, element, traction, &rows);
    taut_step_info info;
    apply_jacobian_transpose_side(world, c, traction);
    phys_settle(world, 0.2, 4, 1e-8 * length, 100);
    CHECK_OK(taut_world_info(world, &info));
    const double off = distance_from(world, c, exact), reaction = worst_reaction(world, rows);
    test_note("%s, %g E: stretches %.6f and %.6f, off by %.3g, reactions %.3g, %d steps", solid_element_name(element),
              traction / YOUNG, exact.along, exact.across, off, reaction / force, (int)info.step);
    CHECK(off < accuracy_of(element));
    CHECK(reaction < accuracy_of(element) * force);
    taut_world_destroy(world);
}

/* Hooke's F L/(E A) and -nu F/(E A): the closed forms to the second order of the strain. */
static void check_hooke(solid_element element, double strain) {
    const stretches exact = exact_stretches(element, strain * YOUNG);
    CHECK_NEAR(exact.along - 1, strain, 2 * strain * strain);
    CHECK_NEAR(exact.across - 1, -POISSON * strain, 2 * strain * strain);
}

TAUT_TEST(solids, cylinder_under_traction) {
    cylinder c;
    if (!read_cylinder("tets/sofa__truthcylinder1.msh", 0.01, &c)) {
        return;
    }
    CHECK_INT(c.mesh.point_count, 642);
    CHECK_INT(c.mesh.cell_count, 2524);
    check_uniform_pull(backend, &c, SOLID_COROTATIONAL, 1e-3 * YOUNG);
    check_uniform_pull(backend, &c, SOLID_STRAIN, 1e-3 * YOUNG);
    for (solid_element element = 0; element <= SOLID_STRAIN; element++) {
        check_hooke(element, 1e-3);
        check_uniform_pull(backend, &c, element, 0.4 * YOUNG);
    }
    free_cylinder(&c);
}

/* Pulled at its ends alone: F L/(E A) with A = V/L. Reactions are what balances F on ends that have moved sideways. */
static void check_free_side(taut_backend_kind backend, const char* name, double scale, double bound) {
    cylinder c;
    taut_batch rows;
    double low[3], high[3], volume = 0;
    if (!read_cylinder(name, scale, &c)) {
        return;
    }
    for (size_t cell = 0; cell < c.mesh.cell_count; cell++) {
        volume += phys_cell_size(&c.mesh, cell);
    }
    const double strain = 1e-3, force = strain * YOUNG * end_area(&c), length = c.high - c.low;
    taut_world* world = pulled_cylinder(backend, &c, SOLID_COROTATIONAL, strain * YOUNG, &rows);
    phys_settle(world, 10, 10, 1e-7 * length, 100);
    solid_face_displacement(world, &c.mesh, &c.ends[0], low);
    solid_face_displacement(world, &c.mesh, &c.ends[1], high);
    const double hooke = force * length / (YOUNG * volume / length);
    test_note("%s: drawn out by %.5f F L/(E A), reactions %.3g F", name, (high[1] - low[1]) / hooke,
              worst_reaction(world, rows) / force);
    CHECK_NEAR((high[1] - low[1]) / hooke, 1, bound);
    CHECK(worst_reaction(world, rows) < 0.1 * strain * force);
    taut_world_destroy(world);
    free_cylinder(&c);
}

TAUT_TEST(solids, cylinders_with_a_free_side) {
    check_free_side(backend, "tets/sofa__truthcylinder1.msh", 0.01, 0.001);
    check_free_side(backend, "tets/codim-ipc__cylinder4K.vtk", 1, 0.001);
}
