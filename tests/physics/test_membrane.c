/* Sheets of triangles: Green strain in the plane, dihedral hinges out of it. */
#include "phys_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- a strip under tension ------------------------------------------------------------------------------------ */

#define STIFFNESS    500.0 /* N/m: Young's modulus times thickness */
#define AREA_DENSITY 0.2   /* kg/m^2 */
#define STRIP_LENGTH 0.8
#define STRIP_WIDTH  0.3

static taut_scene* sheet_scene(const phys_mesh* mesh, double poisson, taut_batch* strain) {
    double* masses = phys_lumped_masses(mesh, AREA_DENSITY);
    taut_scene* scene = phys_scene(mesh->point_count, mesh->points, masses);
    *strain = phys_add_strain(scene, mesh, 1 / STIFFNESS, poisson, 0);
    free(masses);
    return scene;
}

/* Coordinate a of the points with x_a = 0, a = 0, 1, stays. */
static void hold_axes(taut_scene* scene, const phys_mesh* mesh) {
    uint32_t* coordinates = phys_array(2 * mesh->point_count, sizeof *coordinates);
    size_t count = 0;
    for (uint32_t i = 0; i < 3 * mesh->point_count; i++) {
        if (i % 3 < 2 && mesh->points[i] == 0) {
            coordinates[count++] = i;
        }
    }
    phys_hold(scene, count, coordinates);
    free(coordinates);
}

/* The force spread evenly along the edge x = STRIP_LENGTH of a grid with `rows` rows. */
static void apply_jacobian_transpose_end(taut_world* world, const phys_mesh* mesh, size_t rows, double force) {
    for (size_t p = 0; p < mesh->point_count; p++) {
        const double* x = mesh->points + 3 * p;
        const double part = x[1] == 0 || x[1] > STRIP_WIDTH - 1e-9 ? 0.5 : 1;
        if (x[0] > STRIP_LENGTH - 1e-9) {
            CHECK_OK(taut_world_set_forces(world, p, 1, (const double[]){force * part / (double)rows, 0, 0}));
        }
    }
}

/* Root of l (l^2 - 1)/2 = s. */
static double uniaxial_stretch(double s) {
    double l = 1;
    for (int i = 0; i < 50; i++) {
        l -= (l * (l * l - 1) / 2 - s) / ((3 * l * l - 1) / 2);
    }
    return l;
}

/* Stretch l with l (l^2 - 1)/2 = F/(E t W), width sqrt(1 - nu (l^2 - 1)): exact for Green strain with S = D E. */
static void check_strip(taut_backend_kind backend, double poisson, double load, phys_diagonal diagonal) {
    phys_mesh mesh = phys_grid(8, 3, STRIP_LENGTH, STRIP_WIDTH, diagonal);
    taut_batch strain;
    taut_scene* scene = sheet_scene(&mesh, poisson, &strain);
    hold_axes(scene, &mesh);
    taut_world_def def = phys_world_def(backend, 1, 1);
    memset(def.gravity, 0, sizeof def.gravity);
    taut_world* world = phys_world(scene, &def);
    apply_jacobian_transpose_end(world, &mesh, 3, load * STIFFNESS * STRIP_WIDTH);
    test_note("Poisson %g, F/(E t W) = %g, diagonals %d", poisson, load, (int)diagonal);
    if (phys_settle(world, 0.01, 0.1, 1e-6, 300)) {
        const double l = uniaxial_stretch(load), side = sqrt(1 - poisson * (l * l - 1)), stretch[3] = {l, side, 1};
        double* x = phys_field(world, TAUT_FIELD_POSITIONS);
        double worst = 0;
        for (size_t i = 0; i < 3 * mesh.point_count; i++) {
            worst = fmax(worst, fabs(x[i] - stretch[i % 3] * mesh.points[i]));
        }
        CHECK_NEAR(worst, 0, 1e-6);
        double multipliers[3];
        CHECK_OK(taut_world_read(world, TAUT_FIELD_MULTIPLIERS, 0, 3, multipliers));
        const double stress = STIFFNESS * (l * l - 1) / 2 * phys_cell_size(&mesh, 0); /* rest axis u lies along x */
        CHECK_NEAR(multipliers[0], diagonal == PHYS_FORWARD ? -stress : multipliers[0], 1e-5 * stress);
        free(x);
    }
    taut_world_destroy(world);
    phys_mesh_free(&mesh);
}

TAUT_TEST(membrane, strip_stretches_alike_in_every_triangulation) {
    for (int diagonal = PHYS_FORWARD; diagonal <= PHYS_ALTERNATING; diagonal++) {
        check_strip(backend, 0, 0.01, (phys_diagonal)diagonal);
        check_strip(backend, 0.3, 0.01, (phys_diagonal)diagonal);
        check_strip(backend, 0.3, 0.25, (phys_diagonal)diagonal);
    }
}

/* Boundary moved by an affine map of the plane into space (both directions stretched): the inside follows it. */
TAUT_TEST(membrane, affine_boundary_gives_affine_inside) {
    const double map[3][2] = {{1.02, -0.06}, {0.3, 0.95}, {0.1, 0.5}};
    phys_mesh mesh = phys_grid(5, 4, 0.5, 0.4, PHYS_ALTERNATING);
    taut_batch strain;
    taut_scene* scene = sheet_scene(&mesh, 0.3, &strain);
    double* mapped = phys_array(3 * mesh.point_count, sizeof *mapped);
    for (size_t i = 0; i < 3 * mesh.point_count; i++) {
        mapped[i] = map[i % 3][0] * mesh.points[i / 3 * 3] + map[i % 3][1] * mesh.points[i / 3 * 3 + 1];
    }
    taut_world_def def = phys_world_def(backend, 1, 1);
    memset(def.gravity, 0, sizeof def.gravity);
    taut_world* world = phys_world(scene, &def);
    for (uint32_t p = 0; p < mesh.point_count; p++) {
        const double* x = mesh.points + 3 * p;
        if (x[0] < 1e-9 || x[1] < 1e-9 || x[0] > 0.5 - 1e-9 || x[1] > 0.4 - 1e-9) {
            CHECK_OK(taut_world_set_fixed(world, 1, &p, true));
            CHECK_OK(taut_world_write(world, TAUT_FIELD_POSITIONS, p, 1, mapped + 3 * p));
        }
    }
    if (phys_settle(world, 0.01, 0.1, 1e-6, 300)) {
        double* x = phys_field(world, TAUT_FIELD_POSITIONS);
        for (size_t i = 0; i < 3 * mesh.point_count; i++) {
            CHECK_NEAR(x[i], mapped[i], 1e-6);
        }
        free(x);
    }
    taut_world_destroy(world);
    free(mapped);
    phys_mesh_free(&mesh);
}

/* ---- a cantilever of hinges ----------------------------------------------------------------------------------- */

#define PLATE_LENGTH   0.2
#define BENDING        1e-4   /* N m, B */
#define WEAK_GRAVITY   2.5e-3 /* m/s^2: the tip sinks by half a percent of the length */
#define PLATE_SOFTNESS 1.0    /* m/N, keeps the plane in shape; gravity hardly loads it */

/* Equilateral triangles in columns `a sqrt(3)/2` apart; odd columns are shifted by half an edge and one point longer,
 * so that both sides are zigzags about straight lines. Column 0 lies behind the clamp, column 1 on it. */
static phys_mesh plate_mesh(size_t columns, size_t points) {
    const double edge = PLATE_LENGTH / (double)(columns - 1) * 2 / sqrt(3);
    phys_mesh mesh = phys_mesh_make((columns + 1) * points + (columns + 1) / 2, columns * (2 * points - 1), 3);
    size_t p = 0, cell = 0;
    for (size_t i = 0; i <= columns; i++) {
        const size_t here = points + i % 2, first = p;
        for (size_t j = 0; j < here; j++, p++) {
            mesh.points[3 * p] = ((double)i - 1) * edge * sqrt(3) / 2;
            mesh.points[3 * p + 1] = edge * ((double)j - (double)(i % 2) / 2);
        }
        for (size_t j = 0; i < columns && j < 2 * points - 1; j++, cell += 3) {
            const uint32_t low = (uint32_t)(first + j / 2), next = (uint32_t)(first + here + j / 2);
            /* From the longer column (odd) or to it; both kinds of triangle in turn, all anticlockwise. */
            const uint32_t up[3] = {low, next, low + 1}, down[3] = {low + 1, next, next + 1};
            const uint32_t wide_up[3] = {low, next, next + 1}, wide_down[3] = {low, next + 1, low + 1};
            const uint32_t* chosen = i % 2 == 1 ? (j % 2 == 0 ? up : down) : (j % 2 == 0 ? wide_up : wide_down);
            memcpy(mesh.cells + cell, chosen, sizeof up);
        }
    }
    return mesh;
}

static bool on_clamp(const phys_mesh* mesh, uint32_t p) {
    return fabs(mesh->points[3 * p]) < 1e-9;
}

/* c = (A1 + A2)/(e^2 B) = sqrt(3)/(2 B); half of it on the clamp, where only one half of the hinge's strip bends. */
static void add_plate_hinges(taut_scene* scene, const phys_mesh* mesh) {
    const phys_tuples hinges = phys_hinges(mesh);
    double* compliances = phys_array(hinges.count, sizeof *compliances);
    for (size_t i = 0; i < hinges.count; i++) {
        const bool clamped = on_clamp(mesh, hinges.items[4 * i]) && on_clamp(mesh, hinges.items[4 * i + 1]);
        compliances[i] = sqrt(3) / (2 * BENDING) * (clamped ? 0.5 : 1);
    }
    phys_add_hinges(scene, &hinges, compliances, 0);
    free(compliances);
    free(hinges.items);
}

/* Hard rows z_p = z_(p+1) for neighbours p, p + 1 in a column: the plate can bend to a cylinder only. */
static void keep_columns_level(taut_scene* scene, const phys_mesh* mesh) {
    const size_t points = mesh->point_count;
    size_t* offsets = phys_array(points + 1, sizeof *offsets);
    uint32_t* coordinates = phys_array(2 * points, sizeof *coordinates);
    double* weights = phys_array(2 * points, sizeof *weights);
    taut_linear_def def = taut_default_linear();
    for (uint32_t p = 0; p + 1 < points; p++) {
        if (mesh->points[3 * p] > 1e-9 && fabs(mesh->points[3 * p] - mesh->points[3 * p + 3]) < 1e-9) {
            for (uint32_t side = 0; side < 2; side++) {
                coordinates[2 * def.count + side] = 3 * (p + side) + 2;
                weights[2 * def.count + side] = side == 0 ? 1 : -1;
            }
            def.count++;
            offsets[def.count] = 2 * def.count;
        }
    }
    def.offsets = offsets;
    def.coordinates = coordinates;
    def.weights = weights;
    CHECK_OK(taut_scene_add_linear(scene, &def, NULL));
    free(offsets);
    free(coordinates);
    free(weights);
}

/* Tip deflection, in units of w L^4/(8 B) with w the weight per area. */
static double plate_deflection(taut_backend_kind backend, size_t columns, size_t points, bool cylindrical) {
    phys_mesh mesh = plate_mesh(columns, points);
    double* masses = phys_lumped_masses(&mesh, AREA_DENSITY);
    taut_scene* scene = phys_scene(mesh.point_count, mesh.points, masses);
    phys_add_strain(scene, &mesh, PLATE_SOFTNESS, 0.3, 0);
    add_plate_hinges(scene, &mesh);
    if (cylindrical) {
        keep_columns_level(scene, &mesh);
    }
    for (uint32_t p = 0; p < mesh.point_count; p++) {
        if (mesh.points[3 * p] < 1e-9) {
            phys_fix(scene, 1, &p);
        }
    }
    taut_world_def def = phys_world_def(backend, 1, 1);
    memcpy(def.gravity, (const double[]){0, 0, -WEAK_GRAVITY}, sizeof def.gravity);
    def.solver.tolerance = 1e-7;
    taut_world* world = phys_world(scene, &def);
    double tip = 0;
    const size_t last = points + columns % 2;
    if (phys_settle(world, 0.1, 0.4, 1e-7, 150)) {
        for (size_t p = mesh.point_count - last; p < mesh.point_count; p++) {
            double x[3];
            phys_position(world, p, x);
            tip -= x[2] / (double)last;
        }
    }
    taut_world_destroy(world);
    free(masses);
    phys_mesh_free(&mesh);
    return tip / (AREA_DENSITY * WEAK_GRAVITY * pow(PLATE_LENGTH, 4) / (8 * BENDING));
}

/* 3 n strips wide, 8 n columns long. Bent to a cylinder, the hinges are the beam w L^4/(8 B). */
TAUT_TEST(membrane, cylindrical_cantilever_is_a_beam) {
    const double coarse = plate_deflection(backend, 9, 4, true), fine = plate_deflection(backend, 17, 7, true);
    test_note("deflections %.5f and %.5f w L^4/(8 B)", coarse, fine);
    CHECK_NEAR(coarse, 1, 0.035);
    CHECK_NEAR(fine, 1, 0.011);
    CHECK_NEAR(phys_order(coarse - 1, fine - 1), 1.8, 0.2);
}

/* Free to curl, the same hinges are softer: on equilateral triangles they have |nu| = 1/3 (the Gaussian curvature
 * enters with weight 4/3 B), so a narrow strip tends to 1/(1 - nu^2) = 1.125 and a wide one to 1. */
TAUT_TEST(membrane, free_cantilever_is_softer) {
    const double coarse = plate_deflection(backend, 9, 4, false), fine = plate_deflection(backend, 17, 7, false);
    test_note("deflections %.5f and %.5f w L^4/(8 B)", coarse, fine);
    CHECK_NEAR(coarse, 1.1003, 2e-3);
    CHECK_NEAR(fine, 1.0797, 2e-3);
}

/* ---- light strips ------------------------------------------------------------------------------------------------ */

#define LIGHT_CELLS 150
#define LIGHT_WIDTH 0.05

/* How deep the end of a strip of 1 m is below its other one, which is held by two rows of points, after half a second.
 */
static double strip_deflection(taut_backend_kind backend, double density) {
    phys_mesh mesh = phys_grid(1, LIGHT_CELLS, LIGHT_WIDTH, 1, PHYS_FORWARD);
    phys_tuples hinges = phys_hinges(&mesh);
    double *masses = phys_lumped_masses(&mesh, density), x[3];
    double* compliances = phys_array(hinges.count, sizeof *compliances);
    for (size_t i = 0; i < hinges.count; i++) {
        const double* a = mesh.points + 3 * hinges.items[4 * i];
        const double* b = mesh.points + 3 * hinges.items[4 * i + 1];
        const double edge2 = (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]);
        compliances[i] = LIGHT_WIDTH / LIGHT_CELLS / (edge2 * 0.05);
    }
    taut_scene* scene = phys_scene(mesh.point_count, mesh.points, masses);
    phys_add_strain(scene, &mesh, 1e-4, 0.24, 0);
    phys_add_hinges(scene, &hinges, compliances, 0);
    phys_fix(scene, 4, (const uint32_t[]){0, 1, 2, 3});
    taut_world_def def = phys_world_def(backend, 1, 1);
    memcpy(def.gravity, (const double[]){0, 0, -PHYS_GRAVITY}, sizeof def.gravity);
    def.solver.tolerance = 1e-4;
    taut_world* world = phys_world(scene, &def);
    CHECK(phys_run(world, 30, 1.0 / 60));
    phys_position(world, mesh.point_count - 1, x);
    taut_world_destroy(world);
    free(masses);
    free(compliances);
    free(hinges.items);
    phys_mesh_free(&mesh);
    return -x[2];
}

/* Small deflections are in proportion to the weight, however little that is. */
TAUT_TEST(membrane, light_strips_bend_in_proportion) {
    const double heavy = strip_deflection(backend, 1e-4), light = strip_deflection(backend, 4e-6);
    test_note("1e-4 kg/m^2: %g m, 4e-6 kg/m^2: %g m", heavy, light);
    CHECK_NEAR(light, heavy * 4e-6 / 1e-4, 0.1 * light);
    test_note(NULL);
}
