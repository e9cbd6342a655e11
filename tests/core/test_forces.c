/* Force elements in motion and at rest, against closed forms and against the same bodies made of constraints. */
#include "dense_solve.h"
#include "phys_frames.h"

#include "dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static taut_integrator preset(taut_preset which) {
    taut_integrator integrator = taut_default_world().integrator;
    CHECK_OK(taut_integrator_preset(which, &integrator));
    return integrator;
}

/* Steps that are solved exactly. */
static taut_integrator exact(taut_preset which) {
    taut_integrator integrator = preset(which);
    integrator.newton = 30;
    integrator.newton_tolerance = 1e-11;
    return integrator;
}

static taut_world* make_world(taut_backend_kind backend, taut_scene* scene, const taut_integrator* integrator,
                              double gravity) {
    taut_world_def def = phys_world_def(backend, 1, 1);
    def.integrator = *integrator;
    def.gravity[1] = -gravity;
    return phys_world(scene, &def);
}

static taut_batch add_solids(taut_scene* scene, size_t count, const uint32_t* particles, taut_material material,
                             double young, double poisson, double damping) {
    taut_batch batch = {0};
    taut_solid_def def = taut_default_solid();
    def.count = count;
    def.particles = particles;
    def.material = material;
    def.young = young;
    def.poisson = poisson;
    def.damping = damping;
    CHECK_OK(taut_scene_add_solids(scene, &def, &batch));
    return batch;
}

/* ---- the same body of constraints and of force elements ------------------------------------------------------------
 *
 * The energy of St. Venant-Kirchhoff's material is that of tetrahedron strain, so that the exact step is the same. What a
 * single linearisation makes of it is not: constraints take their geometric stiffness from the last step's multipliers. */
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
    const phys_body body = {.mass = 3, .inertia = {0.4, 0.5, 0.6, 0, 0, 0}, .x = {0.5, 0.5, -0.2}, .q = {1, 0, 0, 0},
                            .w = {1, 2, 3}};
    const phys_handle handle = phys_add_body(scene, &body);
    for (size_t i = 0; i < mesh->point_count; i++) {
        const double* x = mesh->points + 3 * i;
        taut_particles_def def = taut_default_particles();
        taut_range range = {0, 0};
        def.count = 1;
        def.positions = x;
        def.mass = masses[i];
        if (x[2] == 0) {
            points[i] = phys_add_body_point(scene, handle.frame, x);
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
        add_solids(scene, mesh.cell_count, mesh.cells, TAUT_MATERIAL_ST_VENANT_KIRCHHOFF, TWIN_YOUNG, TWIN_POISSON, 0);
    } else {
        phys_add_strain(scene, &mesh, 1 / TWIN_YOUNG, TWIN_POISSON, 0);
    }
    if (on == ON_PARTICLES) {
        phys_fix(scene, 3, (const uint32_t[]){0, 1, 3});
    }
    taut_world* world = make_world(backend, scene, integrator, PHYS_GRAVITY);
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
    const taut_integrator once = preset(TAUT_PRESET_IMPLICIT_EULER), solved = exact(TAUT_PRESET_IMPLICIT_EULER);
    const taut_integrator midpoint = exact(TAUT_PRESET_MIDPOINT);
    for (int on = ON_PARTICLES; on <= ON_BODY; on++) {
        check_twins(backend, (carrier)on, &once, 2e-3);
        check_twins(backend, (carrier)on, &solved, 1e-6);
        check_twins(backend, (carrier)on, &midpoint, 1e-6);
    }
}

/* ---- patch test ------------------------------------------------------------------------------------------------------ */

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
static void piola(taut_material material, const double r[9], const double s[9], double p[9]) {
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
        local[i] = material == TAUT_MATERIAL_COROTATIONAL ? 2 * mu * (s[i] - unit) + lambda * trace * unit
                                                          : mu * (squared[i] - unit) + lambda * green * unit;
        p[i] = mu * f[i] + ((lambda + mu) * (j - 1) - mu) * c[i];
    }
    if (material != TAUT_MATERIAL_NEO_HOOKEAN) {
        product(material == TAUT_MATERIAL_COROTATIONAL ? r : f, local, false, p);
    }
}

static bool is_inside(const double* x) {
    return x[0] > 0 && x[0] < 1 && x[1] > 0 && x[1] < 1 && x[2] > 0 && x[2] < 1;
}

static void check_patch(taut_backend_kind backend, taut_material material) {
    phys_mesh mesh = phys_block((const size_t[]){3, 3, 3}, (const double[]){1, 1, 1});
    const double s[9] = {1.2, 0.1, -0.05, 0.1, 0.9, 0.08, -0.05, 0.08, 1.1};
    double r[9], f[9], expected[9], stress[9] = {0}, worst = 0;
    random_state state = {4};
    random_rotation(&state, r);
    product(r, s, false, f);
    piola(material, r, s, expected);
    double* masses = phys_lumped_masses(&mesh, 10);
    taut_scene* scene = phys_scene(mesh.point_count, mesh.points, masses);
    add_solids(scene, mesh.cell_count, mesh.cells, material, PATCH_YOUNG, PATCH_POISSON, 0);
    const taut_integrator integrator = preset(TAUT_PRESET_IMPLICIT_EULER);
    taut_world* world = make_world(backend, scene, &integrator, 0);
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
    test_note("%s: affine to %.3g m, stress to %.3g of %.3g Pa", taut_material_name(material), worst,
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
    for (int material = 0; material < TAUT_MATERIAL_COUNT; material++) {
        check_patch(backend, (taut_material)material);
    }
}

/* ---- a bar under traction ------------------------------------------------------------------------------------------- */

#define BAR_YOUNG   1e5
#define BAR_POISSON 0.3
#define BAR_LENGTH  1.0
#define BAR_WIDTH   0.25

/* Triangles of the face at x = BAR_LENGTH of a grid of 2 x 2 cells. */
static void end_face(const phys_mesh* mesh, uint32_t* triangles) {
    uint32_t face[9], found = 0;
    for (uint32_t i = 0; i < mesh->point_count; i++) {
        if (mesh->points[3 * i] == BAR_LENGTH) {
            face[found++] = i;
        }
    }
    for (uint32_t cell = 0; cell < 4; cell++) {
        const uint32_t a = cell % 2 + 3 * (cell / 2);
        const uint32_t corners[6] = {face[a], face[a + 1], face[a + 4], face[a], face[a + 4], face[a + 3]};
        memcpy(triangles + 6 * cell, corners, sizeof corners);
    }
}

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
static double stretch_of(taut_material material, double traction) {
    double s = 1 + traction / BAR_YOUNG;
    for (int i = 0; material == TAUT_MATERIAL_ST_VENANT_KIRCHHOFF && i < 50; i++) {
        s -= (s * (s * s - 1) / 2 - traction / BAR_YOUNG) / ((3 * s * s - 1) / 2);
    }
    return s;
}

static void check_bar(taut_backend_kind backend, taut_material material, double traction, double accuracy) {
    phys_mesh mesh = phys_block((const size_t[]){4, 2, 2}, (const double[]){BAR_LENGTH, BAR_WIDTH, BAR_WIDTH});
    double* masses = phys_lumped_masses(&mesh, 100);
    taut_scene* scene = phys_scene(mesh.point_count, mesh.points, masses);
    uint32_t triangles[24];
    double x[3], side[3];
    add_solids(scene, mesh.cell_count, mesh.cells, material, BAR_YOUNG, BAR_POISSON, 0);
    end_face(&mesh, triangles);
    hold_bar(scene, &mesh);
    taut_surface_def def = taut_default_surface();
    def.count = 8;
    def.particles = triangles;
    def.traction[0] = traction;
    CHECK_OK(taut_scene_add_surfaces(scene, &def, NULL));
    const taut_integrator integrator = preset(TAUT_PRESET_IMPLICIT_EULER);
    taut_world* world = make_world(backend, scene, &integrator, 0);
    phys_settle(world, 0.01, 1, 1e-8, 400);
    phys_position(world, 4, x); /* the corner at (BAR_LENGTH, 0, 0) */
    phys_position(world, 5 * 2 + 4, side); /* at (BAR_LENGTH, BAR_WIDTH, 0) */
    const double s = stretch_of(material, traction);
    const double thin = material == TAUT_MATERIAL_ST_VENANT_KIRCHHOFF ? sqrt(1 - BAR_POISSON * (s * s - 1))
                                                                      : 1 - BAR_POISSON * (s - 1);
    test_note("%s at %g Pa: stretch %.9g (%.9g), across %.9g (%.9g)", taut_material_name(material), traction,
              x[0] / BAR_LENGTH, s, (side[1] - x[1]) / BAR_WIDTH, thin);
    CHECK_NEAR(x[0] / BAR_LENGTH, s, accuracy);
    CHECK_NEAR((side[1] - x[1]) / BAR_WIDTH, thin, accuracy);
    taut_world_destroy(world);
    phys_mesh_free(&mesh);
    free(masses);
}

TAUT_TEST(forces, bar_under_traction) {
    check_bar(backend, TAUT_MATERIAL_COROTATIONAL, 0.2 * BAR_YOUNG, 1e-6);
    check_bar(backend, TAUT_MATERIAL_ST_VENANT_KIRCHHOFF, 0.2 * BAR_YOUNG, 1e-6);
    check_bar(backend, TAUT_MATERIAL_NEO_HOOKEAN, 1e-3 * BAR_YOUNG, 3e-6); /* of second order in the strain */
}

/* ---- drag ------------------------------------------------------------------------------------------------------------ */

/* A flat triangle of 1/2 m^2 and 0.6 kg that falls with its face down: v = v_t tanh(g t / v_t), v_t^2 = m g / (a A). */
static double fall_error(taut_backend_kind backend, const taut_integrator* integrator, double h) {
    const double drag = 0.8, terminal = sqrt(0.6 * PHYS_GRAVITY / (drag * 0.5));
    taut_scene* scene = phys_scene(3, (const double[]){0, 0, 0, 0, 0, 1, 1, 0, 0}, (const double[]){0.2, 0.2, 0.2});
    taut_surface_def def = taut_default_surface();
    def.count = 1;
    def.particles = (const uint32_t[]){0, 1, 2};
    def.drag = drag;
    CHECK_OK(taut_scene_add_surfaces(scene, &def, NULL));
    taut_world* world = make_world(backend, scene, integrator, PHYS_GRAVITY);
    double v[3], worst = 0;
    for (int i = 1; i <= lround(0.5 / h) && phys_run(world, 1, h); i++) {
        phys_velocity(world, 1, v);
        worst = fmax(worst, fabs(v[1] + terminal * tanh(PHYS_GRAVITY * i * h / terminal)));
    }
    taut_world_destroy(world);
    return worst;
}

static void check_fall(taut_backend_kind backend, taut_preset which, double h, double order) {
    const taut_integrator integrator = preset(which);
    const double coarse = fall_error(backend, &integrator, h), fine = fall_error(backend, &integrator, h / 2);
    test_note("%s: errors %.3g and %.3g m/s", taut_preset_name(which), coarse, fine);
    CHECK_NEAR(phys_order(coarse, fine), order, 0.2);
    CHECK(fine < 0.1);
}

TAUT_TEST(forces, fall_in_air) {
    check_fall(backend, TAUT_PRESET_EXPLICIT_EULER, 0.01, 1);
    check_fall(backend, TAUT_PRESET_SYMPLECTIC_EULER, 0.01, 1);
    check_fall(backend, TAUT_PRESET_IMPLICIT_EULER, 0.01, 1);
    check_fall(backend, TAUT_PRESET_MIDPOINT, 0.02, 2);
    check_fall(backend, TAUT_PRESET_BAUMGARTE_RK4, 0.1, 4);
}

/* A sheet that starts at rest comes to the speed of the wind, and of a new wind. */
TAUT_TEST(forces, wind_carries_a_leaf) {
    taut_scene* scene = phys_scene(3, (const double[]){0, 0, 0, 0, 1, 0, 0, 0, 1}, (const double[]){0.01, 0.01, 0.01});
    taut_batch batch = {0};
    taut_surface_def def = taut_default_surface();
    def.count = 1;
    def.particles = (const uint32_t[]){0, 1, 2};
    def.drag = 1;
    def.friction = 0.1;
    def.wind[0] = 3;
    CHECK_OK(taut_scene_add_surfaces(scene, &def, &batch));
    const taut_integrator integrator = preset(TAUT_PRESET_IMPLICIT_EULER);
    taut_world* world = make_world(backend, scene, &integrator, 0);
    double v[3];
    phys_run(world, 400, 0.05);
    phys_velocity(world, 0, v);
    CHECK_NEAR(v[0], 3, 0.05);
    CHECK_OK(taut_world_set_wind(world, batch, (const double[]){0, 0, -2}));
    phys_run(world, 1000, 0.1);
    phys_velocity(world, 0, v);
    CHECK_NEAR(v[0], 0, 0.05);
    CHECK_NEAR(v[2], -2, 0.1);
    taut_world_destroy(world);
}

/* ---- pressure -------------------------------------------------------------------------------------------------------- */

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
    const taut_integrator integrator = preset(TAUT_PRESET_IMPLICIT_EULER);
    return make_world(backend, scene, &integrator, 0);
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

/* ---- attraction ------------------------------------------------------------------------------------------------------ */

/* A circular orbit of radius 1 m about a centre of 1 m^3/s^2 at (1, 2, 3): one turn in 2 pi s. Returns the error of the
 * position after a quarter, and the largest change of the energy, -1/2 J of 1 kg. */
static double orbit_error(taut_backend_kind backend, const taut_integrator* integrator, int steps, double* drift) {
    taut_scene* scene = phys_scene(1, (const double[]){2, 2, 3}, NULL);
    taut_attraction_def def = taut_default_attraction();
    const double h = PHYS_PI / 2 / steps;
    double x[3];
    def.count = 1;
    def.particles = (const uint32_t[]){0};
    memcpy(def.centre, (const double[]){1, 2, 3}, sizeof def.centre);
    def.strength = 1;
    CHECK_OK(taut_scene_add_attractions(scene, &def, NULL));
    taut_world* world = make_world(backend, scene, integrator, 0);
    CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, 0, 1, (const double[]){0, 1, 0}));
    *drift = 0;
    for (int i = 0; i < steps && phys_run(world, 1, h); i++) {
        taut_step_info info;
        CHECK_OK(taut_world_info(world, &info));
        *drift = fmax(*drift, fabs(info.kinetic + info.potential + 0.5));
    }
    phys_position(world, 0, x);
    taut_world_destroy(world);
    return phys_apart(x, (const double[]){1, 3, 3});
}

static void check_orbit(taut_backend_kind backend, const char* name, const taut_integrator* integrator, int steps,
                        double order, double most) {
    double coarse_drift, drift;
    const double coarse = orbit_error(backend, integrator, steps, &coarse_drift);
    const double fine = orbit_error(backend, integrator, 2 * steps, &drift);
    test_note("%s: errors %.3g and %.3g m, energy %.3g J", name, coarse, fine, drift);
    CHECK_NEAR(phys_order(coarse, fine), order, 0.25);
    CHECK(drift < most);
}

TAUT_TEST(forces, circular_orbit) {
    const taut_integrator explicit_euler = preset(TAUT_PRESET_EXPLICIT_EULER);
    const taut_integrator symplectic = preset(TAUT_PRESET_SYMPLECTIC_EULER);
    const taut_integrator implicit = exact(TAUT_PRESET_IMPLICIT_EULER), midpoint = exact(TAUT_PRESET_MIDPOINT);
    const taut_integrator runge_kutta = preset(TAUT_PRESET_BAUMGARTE_RK4);
    check_orbit(backend, "explicit Euler", &explicit_euler, 100, 1, 0.1);
    check_orbit(backend, "symplectic Euler", &symplectic, 100, 1, 0.01);
    check_orbit(backend, "implicit Euler", &implicit, 100, 1, 0.1);
    check_orbit(backend, "midpoint", &midpoint, 50, 2, 1e-8);
    check_orbit(backend, "RK4", &runge_kutta, 10, 4, 1e-5);
}

/* ---- one mode -------------------------------------------------------------------------------------------------------- */

/* The apex of a regular pyramid, H above a base that is fixed, moving along its axis: F = 1 + u/H e e^T, so that the
 * corotational energy is exactly k u^2 / 2, k = (2 mu + lambda) V / H^2, and m u'' + d k u' + k u = 0. */
#define MODE_HEIGHT 0.8
#define MODE_YOUNG  1000.0
#define MODE_START  0.1

static double mode_error(taut_backend_kind backend, const taut_integrator* integrator, double damping, double h) {
    const double side = sqrt(3) / 2, volume = 3 * sqrt(3) / 4 * MODE_HEIGHT / 3;
    const double points[12] = {1, 0, 0, -0.5, 0, -side, -0.5, 0, side, 0, MODE_HEIGHT, 0};
    const double mu = MODE_YOUNG / 2.6, lambda = MODE_YOUNG * 0.3 / (1.3 * 0.4);
    const double w = sqrt((2 * mu + lambda) * volume) / MODE_HEIGHT / sqrt(10), zeta = damping * w / 2;
    const double masses[4] = {1, 1, 1, 10}, start[3] = {0, MODE_HEIGHT + MODE_START, 0};
    taut_scene* scene = phys_scene(4, points, masses);
    phys_fix(scene, 3, (const uint32_t[]){0, 1, 2});
    add_solids(scene, 1, (const uint32_t[]){0, 1, 2, 3}, TAUT_MATERIAL_COROTATIONAL, MODE_YOUNG, 0.3, damping);
    taut_world* world = make_world(backend, scene, integrator, 0);
    CHECK_OK(taut_world_write(world, TAUT_FIELD_POSITIONS, 3, 1, start));
    double x[3], worst = 0;
    const double s = w * sqrt(1 - zeta * zeta);
    for (int i = 1; i <= lround(1 / h) && phys_run(world, 1, h); i++) {
        const double t = i * h, u = MODE_START * exp(-zeta * w * t) * (cos(s * t) + zeta * w / s * sin(s * t));
        phys_position(world, 3, x);
        worst = fmax(worst, fabs(x[1] - MODE_HEIGHT - u));
    }
    taut_world_destroy(world);
    return worst;
}

static void check_mode(taut_backend_kind backend, taut_preset which, double h, double order, double most) {
    const taut_integrator integrator = preset(which);
    for (int i = 0; i < 2; i++) {
        const double damping = 0.03 * i;
        const double coarse = mode_error(backend, &integrator, damping, h);
        const double fine = mode_error(backend, &integrator, damping, h / 2);
        test_note("%s, d = %g s: errors %.3g and %.3g m", taut_preset_name(which), damping, coarse, fine);
        CHECK_NEAR(phys_order(coarse, fine), order, 0.25);
        CHECK(fine < most);
    }
}

TAUT_TEST(forces, damped_mode) {
    check_mode(backend, TAUT_PRESET_EXPLICIT_EULER, 0.0005, 1, 0.01);
    check_mode(backend, TAUT_PRESET_SYMPLECTIC_EULER, 0.004, 1, 0.01);
    check_mode(backend, TAUT_PRESET_IMPLICIT_EULER, 0.002, 1, 0.02);
    check_mode(backend, TAUT_PRESET_MIDPOINT, 0.01, 2, 1e-3);
    check_mode(backend, TAUT_PRESET_BAUMGARTE, 0.004, 1, 0.02);
    check_mode(backend, TAUT_PRESET_BAUMGARTE_RK4, 0.02, 4, 1e-5);
    check_mode(backend, TAUT_PRESET_MOMENTUM, 0.002, 1, 0.02);
}

/* ---- a soft block ---------------------------------------------------------------------------------------------------- */

/* Half a second of a clamped beam of rubber in its weight; positions, to be freed. */
static double* beam(taut_backend_kind backend, const taut_integrator* integrator, double h, size_t* count) {
    phys_mesh mesh = phys_block((const size_t[]){3, 1, 1}, (const double[]){0.9, 0.3, 0.3});
    double* masses = phys_lumped_masses(&mesh, 1000);
    taut_scene* scene = phys_scene(mesh.point_count, mesh.points, masses);
    add_solids(scene, mesh.cell_count, mesh.cells, TAUT_MATERIAL_NEO_HOOKEAN, 2e5, 0.3, 0.002);
    phys_fix(scene, 4, (const uint32_t[]){0, 4, 8, 12});
    taut_world* world = make_world(backend, scene, integrator, PHYS_GRAVITY);
    phys_run(world, (size_t)lround(0.25 / h), h);
    double* x = phys_field(world, TAUT_FIELD_POSITIONS);
    *count = 3 * mesh.point_count;
    taut_world_destroy(world);
    phys_mesh_free(&mesh);
    free(masses);
    return x;
}

static double beam_error(taut_backend_kind backend, const taut_integrator* integrator, double h, const double* truth) {
    size_t count;
    double* x = beam(backend, integrator, h, &count);
    const double error = phys_farthest(x, truth, count);
    free(x);
    return error;
}

/* One linearisation of the midpoint rule is of first order here: damping has the tangent of the start, and what is cut of
 * a compressed element's is missing. */
TAUT_TEST(forces, soft_beam) {
    static const struct {
        taut_preset which;
        bool exact;
        double h, order;
    } schemes[] = {{TAUT_PRESET_EXPLICIT_EULER, false, 0.00025, 1},
                   {TAUT_PRESET_SYMPLECTIC_EULER, false, 0.001, 1},
                   {TAUT_PRESET_IMPLICIT_EULER, false, 0.002, 1},
                   {TAUT_PRESET_MIDPOINT, false, 0.005, 1},
                   {TAUT_PRESET_MIDPOINT, true, 0.005, 2},
                   {TAUT_PRESET_BAUMGARTE_RK4, false, 0.0025, 4}};
    const taut_integrator reference = preset(TAUT_PRESET_BAUMGARTE_RK4);
    size_t count;
    double* truth = beam(backend, &reference, 0.0003125, &count);
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        const taut_integrator integrator = (schemes[i].exact ? exact : preset)(schemes[i].which);
        const double coarse = beam_error(backend, &integrator, schemes[i].h, truth);
        const double fine = beam_error(backend, &integrator, schemes[i].h / 2, truth);
        test_note("%s: errors %.3g and %.3g m", taut_preset_name(schemes[i].which), coarse, fine);
        CHECK(phys_order(coarse, fine) > schemes[i].order - 0.3);
        CHECK(phys_order(coarse, fine) < schemes[i].order + 0.5);
        CHECK(fine < 0.01);
    }
    free(truth);
}

/* Momentum and angular momentum of a free block that spins and vibrates. */
static void momenta(taut_world* world, const double* masses, double linear[3], double angular[3]) {
    double* x = phys_field(world, TAUT_FIELD_POSITIONS);
    double* v = phys_field(world, TAUT_FIELD_VELOCITIES);
    memset(linear, 0, 3 * sizeof(double));
    memset(angular, 0, 3 * sizeof(double));
    for (size_t i = 0; i < taut_world_particle_count(world); i++) {
        double moment[3];
        phys_cross(x + 3 * i, v + 3 * i, moment);
        phys_add(masses[i], v + 3 * i, linear);
        phys_add(masses[i], moment, angular);
    }
    free(x);
    free(v);
}

TAUT_TEST(forces, free_block_keeps_its_momenta) {
    phys_mesh mesh = phys_block((const size_t[]){2, 2, 1}, (const double[]){1, 1, 0.5});
    double* masses = phys_lumped_masses(&mesh, 100);
    taut_scene* scene = phys_scene(mesh.point_count, mesh.points, masses);
    add_solids(scene, mesh.cell_count, mesh.cells, TAUT_MATERIAL_NEO_HOOKEAN, 1e4, 0.4, 0);
    const taut_integrator integrator = exact(TAUT_PRESET_MIDPOINT);
    taut_world* world = make_world(backend, scene, &integrator, 0);
    double* v = phys_array(3 * mesh.point_count, sizeof *v);
    double before[2][3], after[2][3];
    random_state state = {8};
    random_fill(&state, -1, 1, 3 * mesh.point_count, v);
    for (size_t i = 0; i < mesh.point_count; i++) {
        double turning[3];
        phys_cross((const double[]){1, 2, 3}, mesh.points + 3 * i, turning);
        phys_add(1, turning, v + 3 * i);
    }
    CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, 0, mesh.point_count, v));
    momenta(world, masses, before[0], before[1]);
    phys_run(world, 100, 0.01);
    momenta(world, masses, after[0], after[1]);
    test_note("momentum off by %.3g of %.3g, angular by %.3g of %.3g", phys_apart(before[0], after[0]),
              phys_length(before[0]), phys_apart(before[1], after[1]), phys_length(before[1]));
    CHECK(phys_apart(before[0], after[0]) < 1e-7 * phys_length(before[0]));
    CHECK(phys_apart(before[1], after[1]) < 1e-6 * phys_length(before[1]));
    taut_world_destroy(world);
    phys_mesh_free(&mesh);
    free(masses);
    free(v);
}
