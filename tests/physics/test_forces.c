/* Force elements against the same bodies made of constraints, and at rest against closed forms. */
#include "force_scenes.h"
#include "phys_frames.h"

#include "dense_matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the same body of constraints and of force elements ------------------------------------------------------------
 *
 * The energy of St. Venant-Kirchhoff's material is that of tetrahedron strain, so that the exact step is the same. What
 * a single linearisation makes of it is not: constraints take their geometric stiffness from the last step's
 * multipliers. */
#define TWIN_YOUNG   2e4
#define TWIN_POISSON 0.3
#define TWIN_STEPS   20
#define TWIN_STEP    0.01

typedef enum carrier { ON_PARTICLES, ON_LATTICE, ON_BODY } carrier;

/* A point of [0, 1]^3 from its eight corners. */
static void trilinear(const double* x, double weights[8]) {
    for (int k = 0; k < 8; k++) {
        weights[k] = (k % 2 ? x[0] : 1 - x[0]) * (k / 2 % 2 ? x[1] : 1 - x[1]) * (k / 4 ? x[2] : 1 - x[2]);
    }
}

/* Eight particles, two of them fixed, and points of the mesh within. */
static taut_scene* lattice_scene(const phys_mesh* mesh, uint32_t* points) {
    double corners[24];
    double* weights = phys_array(8 * mesh->point_count, sizeof *weights);
    uint32_t* parents = phys_array(8 * mesh->point_count, sizeof *parents);
    taut_range range = {0, 0};
    for (int k = 0; k < 24; k++) {
        corners[k] = k / 3 >> k % 3 & 1;
    }
    for (uint32_t i = 0; i < 8 * mesh->point_count; i++) {
        parents[i] = i % 8;
        if (i % 8 == 0) {
            trilinear(mesh->points + 3 * (i / 8), weights + i);
        }
    }
    taut_scene* scene = phys_scene(8, corners, NULL);
    phys_fix(scene, 2, (const uint32_t[]){0, 1});
    taut_combinations_def def = taut_default_combinations();
    def.count = mesh->point_count;
    def.arity = 8;
    def.parents = parents;
    def.weights = weights;
    CHECK_OK(taut_scene_add_combinations(scene, &def, &range));
    for (uint32_t i = 0; i < mesh->point_count; i++) {
        points[i] = range.first + i;
    }
    free(weights);
    free(parents);
    return scene;
}

static taut_scene* particle_scene(const phys_mesh* mesh, uint32_t* points) {
    double* masses = phys_lumped_masses(mesh, 8);
    taut_scene* scene = phys_scene(mesh->point_count, mesh->points, masses);
    for (uint32_t i = 0; i < mesh->point_count; i++) {
        points[i] = i;
    }
    free(masses);
    return scene;
}

/* Points at z = 0 are of a body that turns; the others are particles. */
static taut_scene* body_scene(const phys_mesh* mesh, uint32_t* points) {
    taut_scene* scene = phys_empty_scene();
    double* masses = phys_lumped_masses(mesh, 8);
    const phys_body body = {
        .mass = 3, .inertia = {0.4, 0.5, 0.6, 0, 0, 0}, .x = {0.5, 0.5, -0.2}, .q = {1, 0, 0, 0}, .w = {1, 2, 3}};
    const taut_body handle = phys_add_body(scene, &body);
    for (size_t i = 0; i < mesh->point_count; i++) {
        const double* x = mesh->points + 3 * i;
        taut_particles_def def = taut_default_particles();
        taut_range range = {0, 0};
        def.count = 1;
        def.positions = x;
        def.mass = masses[i];
        if (x[2] == 0) {
            points[i] = phys_add_body_point(scene, handle, x);
        } else {
            CHECK_OK(taut_scene_add_particles(scene, &def, &range));
            points[i] = range.first;
        }
    }
    free(masses);
    return scene;
}

/* A unit cube of two cells a side, turning or falling; the final positions of its points. */
static double* twin(taut_backend_kind backend, carrier on, bool solid, const taut_integrator* integrator,
                    size_t* count) {
    phys_mesh mesh = phys_block((const size_t[]){2, 2, 2}, (const double[]){1, 1, 1});
    uint32_t* points = phys_array(mesh.point_count, sizeof *points);
    taut_scene* scene = (on == ON_LATTICE ? lattice_scene : on == ON_BODY ? body_scene : particle_scene)(&mesh, points);
    for (size_t i = 0; i < 4 * mesh.cell_count; i++) {
        mesh.cells[i] = points[mesh.cells[i]];
    }
    if (solid) {
        force_solids(scene, mesh.cell_count, mesh.cells, TAUT_ELASTICITY_ST_VENANT_KIRCHHOFF, TWIN_YOUNG, TWIN_POISSON,
                     0);
    } else {
        phys_add_strain(scene, &mesh, 1 / TWIN_YOUNG, TWIN_POISSON, 0);
    }
    if (on == ON_PARTICLES) {
        phys_fix(scene, 3, (const uint32_t[]){0, 1, 3});
    }
    taut_world* world = force_world(backend, scene, integrator, PHYS_GRAVITY);
    phys_run(world, TWIN_STEPS, TWIN_STEP);
    double* x = phys_field(world, TAUT_FIELD_POSITIONS);
    *count = 3 * taut_world_particle_count(world);
    taut_world_destroy(world);
    phys_mesh_free(&mesh);
    free(points);
    return x;
}

static void check_twins(taut_backend_kind backend, carrier on, const taut_integrator* integrator, double most) {
    size_t count = 0;
    double* a = twin(backend, on, true, integrator, &count);
    double* b = twin(backend, on, false, integrator, &count);
    const double apart = phys_farthest(a, b, count);
    test_note("carrier %d: %.3g m apart", (int)on, apart);
    CHECK(apart < most);
    CHECK(phys_largest(a, count) > 0.1);
    free(a);
    free(b);
}

TAUT_TEST(forces, st_venant_kirchhoff_is_tetrahedron_strain) {
    const taut_integrator once = phys_preset(TAUT_PRESET_IMPLICIT_EULER),
                          solved = force_exact(TAUT_PRESET_IMPLICIT_EULER);
    taut_integrator midpoint = force_exact(TAUT_PRESET_MIDPOINT);
    midpoint.hard_row_damping = 0; /* of stiff rows; solids have none */
    for (int on = ON_PARTICLES; on <= ON_BODY; on++) {
        check_twins(backend, (carrier)on, &once, 2e-3);
        check_twins(backend, (carrier)on, &solved, 1e-6);
        check_twins(backend, (carrier)on, &midpoint, 1e-6);
    }
}

/* ---- patch test -------------------------------------------------------------------------------------------------- */

/* Row by row: out = a b, or a b^T. */
static void product(const double a[9], const double b[9], bool transposed, double out[9]) {
    for (int i = 0; i < 9; i++) {
        out[i] = 0;
        for (int k = 0; k < 3; k++) {
            out[i] += a[3 * (i / 3) + k] * (transposed ? b[3 * (i % 3) + k] : b[3 * k + i % 3]);
        }
    }
}

/* det(F) F^-T */
static void cofactors(const double f[9], double out[9]) {
    for (int i = 0; i < 9; i++) {
        const int r = i / 3, c = i % 3, p = (r + 1) % 3, q = (r + 2) % 3, s = (c + 1) % 3, t = (c + 2) % 3;
        out[i] = f[3 * p + s] * f[3 * q + t] - f[3 * p + t] * f[3 * q + s];
    }
}

#define PATCH_YOUNG   1e4
#define PATCH_POISSON 0.35

/* First Piola-Kirchhoff stress of F = R S in matrix form. */
static void piola(taut_elasticity material, const double r[9], const double s[9], double p[9]) {
    const double mu = PATCH_YOUNG / (2 * (1 + PATCH_POISSON));
    const double lambda = PATCH_YOUNG * PATCH_POISSON / ((1 + PATCH_POISSON) * (1 - 2 * PATCH_POISSON));
    double f[9], c[9], local[9], squared[9];
    product(r, s, false, f);
    product(s, s, false, squared);
    cofactors(f, c);
    const double j = (f[0] * c[0] + f[1] * c[1] + f[2] * c[2]), trace = s[0] + s[4] + s[8] - 3;
    const double green = (squared[0] + squared[4] + squared[8] - 3) / 2;
    for (int i = 0; i < 9; i++) {
        const double unit = i % 4 == 0;
        local[i] = material == TAUT_ELASTICITY_COROTATIONAL ? 2 * mu * (s[i] - unit) + lambda * trace * unit
                                                            : mu * (squared[i] - unit) + lambda * green * unit;
        p[i] = mu * f[i] + (lambda * (j - 1) - mu / j) * c[i];
    }
    if (material != TAUT_ELASTICITY_NEO_HOOKEAN) {
        product(material == TAUT_ELASTICITY_COROTATIONAL ? r : f, local, false, p);
    }
}

static bool is_inside(const double* x) {
    return x[0] > 0 && x[0] < 1 && x[1] > 0 && x[1] < 1 && x[2] > 0 && x[2] < 1;
}

static void check_patch(taut_backend_kind backend, taut_elasticity material) {
    phys_mesh mesh = phys_block((const size_t[]){3, 3, 3}, (const double[]){1, 1, 1});
    const double s[9] = {1.2, 0.1, -0.05, 0.1, 0.9, 0.08, -0.05, 0.08, 1.1};
    double r[9], f[9], expected[9], stress[9] = {0}, worst = 0;
    random_state state = {4};
    random_rotation(&state, r);
    product(r, s, false, f);
    piola(material, r, s, expected);
    double* masses = phys_lumped_masses(&mesh, 10);
    taut_scene* scene = phys_scene(mesh.point_count, mesh.points, masses);
    force_solids(scene, mesh.cell_count, mesh.cells, material, PATCH_YOUNG, PATCH_POISSON, 0);
    const taut_integrator integrator = phys_preset(TAUT_PRESET_IMPLICIT_EULER);
    taut_world* world = force_world(backend, scene, &integrator, 0);
    double* x = phys_array(3 * mesh.point_count, sizeof *x);
    for (size_t i = 0; i < mesh.point_count; i++) {
        dense_apply(3, 3, f, mesh.points + 3 * i, x + 3 * i);
        const uint32_t n = (uint32_t)i;
        if (is_inside(mesh.points + 3 * i)) {
            x[3 * i] += 0.05; /* to find its way back */
        } else {
            CHECK_OK(taut_world_set_fixed(world, 1, &n, true));
        }
    }
    CHECK_OK(taut_world_write(world, TAUT_FIELD_POSITIONS, 0, mesh.point_count, x));
    phys_settle(world, 0.01, 1, 1e-9, 400);
    CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, 0, mesh.point_count, x));
    taut_assembly* assembly = NULL;
    taut_array forces;
    CHECK_OK(taut_assembly_create(world, &assembly));
    CHECK_OK(taut_assembly_vector(assembly, TAUT_VECTOR_F, &forces));
    for (size_t i = 0; i < mesh.point_count; i++) {
        double affine[3];
        dense_apply(3, 3, f, mesh.points + 3 * i, affine);
        worst = fmax(worst, dense_max_difference(3, affine, x + 3 * i));
        for (size_t k = 0; k < 9; k++) { /* sum of f X^T = -P, of a unit volume */
            stress[k] -= ((const double*)forces.data)[3 * i + k / 3] * mesh.points[3 * i + k % 3];
        }
    }
    test_note("%s: affine to %.3g m, stress to %.3g of %.3g Pa", taut_elasticity_name(material), worst,
              dense_max_difference(9, stress, expected), dense_max(9, expected));
    CHECK(worst < 1e-7);
    CHECK(dense_max_difference(9, stress, expected) < 1e-6 * dense_max(9, expected));
    taut_assembly_destroy(assembly);
    taut_world_destroy(world);
    phys_mesh_free(&mesh);
    free(masses);
    free(x);
}

TAUT_TEST(forces, patch_test) {
    for (int material = 0; material < TAUT_ELASTICITY_COUNT; material++) {
        check_patch(backend, (taut_elasticity)material);
    }
}

/* ---- a bar under traction -------------------------------------------------------------------------------------------
 */

#define BAR_YOUNG   1e5
#define BAR_POISSON 0.3
#define BAR_LENGTH  1.0
#define BAR_WIDTH   0.25

/* Hard rows that leave the bar free to contract: x of the face at 0, y and z of its first point, z of another. */
static void hold_bar(taut_scene* scene, const phys_mesh* mesh) {
    uint32_t coordinates[32], count = 0;
    for (uint32_t i = 0; i < mesh->point_count; i++) {
        if (mesh->points[3 * i] == 0) {
            coordinates[count++] = 3 * i;
        }
    }
    const uint32_t along_y = 1 * 5 * 2; /* the point at (0, BAR_WIDTH, 0) of five points a row and three rows */
    coordinates[count++] = 1;
    coordinates[count++] = 2;
    coordinates[count++] = 3 * along_y + 2;
    phys_hold(scene, count, coordinates);
}

/* Stretch s along the bar with the traction P(s) = E (s - 1), or s E (s^2 - 1)/2 of St. Venant-Kirchhoff. */
static double stretch_of(taut_elasticity material, double traction) {
    double s = 1 + traction / BAR_YOUNG;
    for (int i = 0; material == TAUT_ELASTICITY_ST_VENANT_KIRCHHOFF && i < 50; i++) {
        s -= (s * (s * s - 1) / 2 - traction / BAR_YOUNG) / ((3 * s * s - 1) / 2);
    }
    return s;
}

static void check_bar(taut_backend_kind backend, taut_elasticity material, double traction, double accuracy) {
    phys_mesh mesh = phys_block((const size_t[]){4, 2, 2}, (const double[]){BAR_LENGTH, BAR_WIDTH, BAR_WIDTH});
    double* masses = phys_lumped_masses(&mesh, 100);
    taut_scene* scene = phys_scene(mesh.point_count, mesh.points, masses);
    const phys_tuples end = phys_side(&mesh, 0, BAR_LENGTH, 1e-9);
    double x[3], side[3];
    force_solids(scene, mesh.cell_count, mesh.cells, material, BAR_YOUNG, BAR_POISSON, 0);
    hold_bar(scene, &mesh);
    taut_surface_def def = taut_default_surface();
    def.count = end.count;
    def.particles = end.items;
    def.traction[0] = traction;
    CHECK_OK(taut_scene_add_surfaces(scene, &def, NULL));
    const taut_integrator integrator = phys_preset(TAUT_PRESET_IMPLICIT_EULER);
    taut_world* world = force_world(backend, scene, &integrator, 0);
    phys_settle(world, 0.01, 1, 1e-8, 400);
    phys_position(world, 4, x);            /* the corner at (BAR_LENGTH, 0, 0) */
    phys_position(world, 5 * 2 + 4, side); /* at (BAR_LENGTH, BAR_WIDTH, 0) */
    const double s = stretch_of(material, traction);
    const double thin = material == TAUT_ELASTICITY_ST_VENANT_KIRCHHOFF ? sqrt(1 - BAR_POISSON * (s * s - 1))
                                                                        : 1 - BAR_POISSON * (s - 1);
    test_note("%s at %g Pa: stretch %.9g (%.9g), across %.9g (%.9g)", taut_elasticity_name(material), traction,
              x[0] / BAR_LENGTH, s, (side[1] - x[1]) / BAR_WIDTH, thin);
    CHECK_NEAR(x[0] / BAR_LENGTH, s, accuracy);
    CHECK_NEAR((side[1] - x[1]) / BAR_WIDTH, thin, accuracy);
    taut_world_destroy(world);
    phys_mesh_free(&mesh);
    free(end.items);
    free(masses);
}

TAUT_TEST(forces, bar_under_traction) {
    check_bar(backend, TAUT_ELASTICITY_COROTATIONAL, 0.2 * BAR_YOUNG, 1e-6);
    check_bar(backend, TAUT_ELASTICITY_ST_VENANT_KIRCHHOFF, 0.2 * BAR_YOUNG, 1e-6);
    check_bar(backend, TAUT_ELASTICITY_NEO_HOOKEAN, 1e-3 * BAR_YOUNG, 3e-6); /* of second order in the strain */
}

/* ---- pressure ---------------------------------------------------------------------------------------------------- */

#define OCTAHEDRON_LINK 0.01 /* m/N */

static const double octahedron[18] = {1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1};
static const uint32_t octahedron_faces[24] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
static const uint32_t octahedron_edges[24] = {0, 2, 2, 1, 1, 3, 3, 0, 0, 4, 2, 4, 1, 4, 3, 4, 0, 5, 2, 5, 1, 5, 3, 5};

static taut_world* make_octahedron(taut_backend_kind backend, double pressure, taut_batch* faces) {
    taut_scene* scene = phys_scene(6, octahedron, NULL);
    const phys_tuples edges = {12, (uint32_t*)octahedron_edges};
    phys_add_links(scene, &edges, OCTAHEDRON_LINK, 0);
    phys_hold(scene, 12, (const uint32_t[]){1, 2, 4, 5, 6, 8, 9, 11, 12, 13, 15, 16}); /* it may grow, not turn */
    taut_surface_def def = taut_default_surface();
    def.count = 8;
    def.particles = octahedron_faces;
    def.pressure = pressure;
    CHECK_OK(taut_scene_add_surfaces(scene, &def, faces));
    const taut_integrator integrator = phys_preset(TAUT_PRESET_IMPLICIT_EULER);
    return force_world(backend, scene, &integrator, 0);
}

/* Of a closed surface, forces sum to 0, and sum f.x = 3 p V. */
TAUT_TEST(forces, pressure_on_a_closed_surface) {
    taut_batch faces = {0};
    taut_world* world = make_octahedron(backend, 7, &faces);
    taut_assembly* assembly = NULL;
    taut_array forces;
    double total[3] = {0, 0, 0}, work = 0, x[18];
    random_state state = {9};
    random_fill(&state, -0.2, 0.2, 18, x);
    for (int i = 0; i < 18; i++) {
        x[i] += octahedron[i];
    }
    CHECK_OK(taut_world_write(world, TAUT_FIELD_POSITIONS, 0, 6, x));
    CHECK_OK(taut_assembly_create(world, &assembly));
    CHECK_OK(taut_assembly_vector(assembly, TAUT_VECTOR_F, &forces));
    double volume = 0;
    for (int i = 0; i < 18; i++) {
        total[i % 3] += ((const double*)forces.data)[i];
        work += ((const double*)forces.data)[i] * x[i];
    }
    for (int t = 0; t < 8; t++) {
        double normal[3];
        phys_cross(x + 3 * octahedron_faces[3 * t], x + 3 * octahedron_faces[3 * t + 1], normal);
        volume += phys_dot(normal, x + 3 * octahedron_faces[3 * t + 2]) / 6;
    }
    CHECK_NEAR(phys_length(total), 0, 1e-12);
    CHECK_NEAR(work, 3 * 7 * volume, 1e-11);
    CHECK(volume > 0.5);
    taut_assembly_destroy(assembly);
    taut_world_destroy(world);
}

/* Radius R of a vertex: 2/3 p R^2 = 2 sqrt(2) (sqrt(2) R - L) / C with links of L = sqrt(2). */
static double inflated(double pressure) {
    const double a = 2 * pressure / 3, b = 4 / OCTAHEDRON_LINK;
    return (b - sqrt(b * b - 4 * a * b)) / (2 * a);
}

TAUT_TEST(forces, inflated_octahedron) {
    const double pressures[2] = {30, 60};
    taut_batch faces = {0};
    taut_world* world = make_octahedron(backend, pressures[0], &faces);
    for (int i = 0; i < 2; i++) {
        double values[8], x[3];
        for (int t = 0; t < 8; t++) {
            values[t] = pressures[i];
        }
        CHECK_OK(taut_world_set_pressures(world, faces, 0, 8, values));
        phys_settle(world, 0.01, 0.2, 1e-8, 3000);
        phys_position(world, 2, x);
        test_note("%g Pa: radius %.9g", pressures[i], x[1]);
        CHECK_NEAR(x[1], inflated(pressures[i]), 1e-6);
    }
    taut_world_destroy(world);
}
