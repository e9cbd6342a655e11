/* Blocks of tetrahedra with Green strain S = D E (St. Venant-Kirchhoff) and volume rows. Uniform states of that
 * material are exact on any mesh:
 *
 *   bar, stretch l under the force F on the area A:      l (l^2 - 1)/2 = F/(E A),   sides sqrt(1 - nu (l^2 - 1))
 *   cube, stretch l under the nominal traction T:        l (l^2 - 1)/2 E/(1 - 2 nu) = T
 *   the same with volume rows of compliance c per V0:    + l^2 (l^3 - 1) V0/c on the left */
#include "phys_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define YOUNG   1e5 /* Pa */
#define DENSITY 1000.0

static taut_scene* block_scene(const phys_mesh* mesh, double poisson, taut_batch* strain) {
    double* masses = phys_lumped_masses(mesh, DENSITY);
    taut_scene* scene = phys_scene(mesh->point_count, mesh->points, masses);
    *strain = phys_add_strain(scene, mesh, 1 / YOUNG, poisson, 0);
    free(masses);
    return scene;
}

static taut_world* weightless_world(taut_backend_kind backend, taut_scene* scene, double alpha) {
    taut_world_def def = phys_world_def(backend, alpha, alpha);
    def.integrator.guard = false; /* orders are those of whole steps */
    memset(def.gravity, 0, sizeof def.gravity);
    return phys_world(scene, &def);
}

/* Symmetry planes: coordinate a of the points with x_a = 0 stays. Those of axis 0 come first. */
static taut_batch hold_symmetry_planes(taut_scene* scene, const phys_mesh* mesh, size_t* first_axis_count) {
    uint32_t* coordinates = phys_array(3 * mesh->point_count, sizeof *coordinates);
    size_t count = 0;
    for (uint32_t axis = 0; axis < 3; axis++) {
        for (uint32_t p = 0; p < mesh->point_count; p++) {
            if (mesh->points[3 * p + axis] == 0) {
                coordinates[count++] = 3 * p + axis;
            }
        }
        *first_axis_count = axis == 0 ? count : *first_axis_count;
    }
    const taut_batch batch = phys_hold(scene, count, coordinates);
    free(coordinates);
    return batch;
}

/* Nodal forces of the traction traction[a] along axis a on the far side x_a = size[a] of the block. */
static double* traction_forces(const phys_mesh* mesh, const double size[3], const double traction[3]) {
    double* forces = phys_array(3 * mesh->point_count, sizeof *forces);
    for (size_t a = 0; a < 3; a++) {
        const phys_tuples side = phys_side(mesh, a, size[a], 1e-9);
        for (size_t i = 0; i < 3 * side.count; i++) {
            double n[3];
            phys_area_vector(mesh, side.items + i / 3 * 3, n);
            forces[3 * side.items[i] + a] += traction[a] * n[a] / 3;
        }
        free(side.items);
    }
    return forces;
}

/* Every point at stretch[a] times its rest coordinate. */
static void check_uniform(taut_world* world, const phys_mesh* mesh, const double stretch[3], double tolerance) {
    double* x = phys_field(world, TAUT_FIELD_POSITIONS);
    double worst = 0;
    for (size_t i = 0; i < 3 * mesh->point_count; i++) {
        worst = fmax(worst, fabs(x[i] - stretch[i % 3] * mesh->points[i]));
    }
    CHECK_NEAR(worst, 0, tolerance);
    free(x);
}

/* Root of l (l^2 - 1)/2 = s. */
static double uniaxial_stretch(double s) {
    double l = 1;
    for (int i = 0; i < 50; i++) {
        l -= (l * (l * l - 1) / 2 - s) / ((3 * l * l - 1) / 2);
    }
    return l;
}

static double sum_of_rows(taut_world* world, taut_batch batch, size_t count) {
    double sum = 0;
    for (size_t r = 0; r < count; r++) {
        sum += phys_multiplier(world, batch, r);
    }
    return sum;
}

static void check_bar(taut_backend_kind backend, double poisson, double load) {
    const double size[3] = {0.4, 0.2, 0.2}, area = 0.04;
    phys_mesh mesh = phys_block((const size_t[]){4, 2, 2}, size);
    taut_batch strain;
    size_t held;
    taut_scene* scene = block_scene(&mesh, poisson, &strain);
    const taut_batch planes = hold_symmetry_planes(scene, &mesh, &held);
    taut_world* world = weightless_world(backend, scene, 1);
    double* forces = traction_forces(&mesh, size, (const double[]){load * YOUNG, 0, 0});
    CHECK_OK(taut_world_set_forces(world, 0, mesh.point_count, forces));
    test_note("Poisson %g, F/(E A) = %g", poisson, load);
    if (phys_settle(world, 0.01, 0.1, 1e-6, 300)) {
        const double l = uniaxial_stretch(load), side = sqrt(1 - poisson * (l * l - 1));
        check_uniform(world, &mesh, (const double[]){l, side, side}, 1e-6);
        CHECK_NEAR(sum_of_rows(world, planes, held), -load * YOUNG * area, 1e-5 * fabs(load) * YOUNG * area);
        CHECK_NEAR(phys_multiplier(world, strain, 0), -YOUNG * (l * l - 1) / 2 * phys_cell_size(&mesh, 0),
                   1e-5 * fabs(load) * YOUNG * phys_cell_size(&mesh, 0));
        double end[3];
        phys_position(world, mesh.point_count - 1, end);
        if (fabs(load) < 0.002) { /* Hooke: elongation F L/(E A) up to the second order of the strain */
            CHECK_NEAR(end[0] - size[0], load * size[0], 2 * load * load * size[0]);
        }
    }
    taut_world_destroy(world);
    free(forces);
    phys_mesh_free(&mesh);
}

TAUT_TEST(soft, bar_stretches_by_hooke) {
    check_bar(backend, 0, 1e-3);
    check_bar(backend, 0.3, 1e-3);
}

TAUT_TEST(soft, bar_stretches_far) {
    check_bar(backend, 0, 0.3);
    check_bar(backend, 0.3, 0.3);
    check_bar(backend, 0.3, -0.05);
}

static void check_squeeze(taut_backend_kind backend, double poisson, double stretch, double volume_compliance) {
    const double size[3] = {0.2, 0.2, 0.2};
    phys_mesh mesh = phys_block((const size_t[]){2, 2, 2}, size);
    taut_batch strain;
    size_t held;
    taut_scene* scene = block_scene(&mesh, poisson, &strain);
    double traction = stretch * (stretch * stretch - 1) / 2 * YOUNG / (1 - 2 * poisson);
    if (volume_compliance > 0) {
        phys_add_volumes(scene, &mesh, volume_compliance);
        traction += stretch * stretch * (pow(stretch, 3) - 1) * phys_cell_size(&mesh, 0) / volume_compliance;
    }
    hold_symmetry_planes(scene, &mesh, &held);
    taut_world* world = weightless_world(backend, scene, 1);
    double* forces = traction_forces(&mesh, size, (const double[]){traction, traction, traction});
    CHECK_OK(taut_world_set_forces(world, 0, mesh.point_count, forces));
    test_note("Poisson %g, stretch %g, volume compliance %g", poisson, stretch, volume_compliance);
    if (phys_settle(world, 0.01, 0.1, 1e-6, 300)) {
        check_uniform(world, &mesh, (const double[]){stretch, stretch, stretch}, 1e-6);
    }
    taut_world_destroy(world);
    free(forces);
    phys_mesh_free(&mesh);
}

TAUT_TEST(soft, cube_under_pressure) {
    check_squeeze(backend, 0, 0.95, 0);
    check_squeeze(backend, 0.3, 0.95, 0);
    check_squeeze(backend, 0.45, 1.02, 0);
}

/* Volume rows: lam is minus the pressure. 1e-9 m^3/Pa on 1.7e-4 m^3 is a bulk modulus of 1.7e5 Pa, above E. */
TAUT_TEST(soft, volume_rows_under_pressure) {
    check_squeeze(backend, 0, 0.97, 1e-9);
    check_squeeze(backend, 0.2, 1.03, 1e-8);
}

/* Every inner point off its grid place, so that no symmetry helps. */
static bool jitter_inside(phys_mesh* mesh, const double size[3], bool* inside) {
    size_t moved = 0;
    for (size_t p = 0; p < mesh->point_count; p++) {
        double* x = mesh->points + 3 * p;
        inside[p] = true;
        for (int a = 0; a < 3; a++) {
            inside[p] = inside[p] && x[a] > 1e-9 && x[a] < size[a] - 1e-9;
        }
        for (size_t a = 0; inside[p] && a < 3; a++) {
            x[a] += 0.012 * sin((double)(7 * p + 3 * a));
        }
        moved += inside[p];
    }
    return moved > 0;
}

/* Multipliers of a tetrahedron under the affine map: minus the volume times S = E/(1 + nu) (e + nu/(1 - 2 nu) tr(e) I),
 * with e = (F^T F - I)/2. */
static void check_stress(taut_world* world, taut_batch strain, const double map[3][3], double poisson, double volume) {
    double e[3][3], trace = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            e[i][j] = (map[0][i] * map[0][j] + map[1][i] * map[1][j] + map[2][i] * map[2][j] - (i == j)) / 2;
        }
        trace += e[i][i];
    }
    for (size_t r = 0; r < 6; r++) {
        const size_t i = r < 3 ? r : (r + 1) % 3, j = r < 3 ? r : (r + 2) % 3;
        const double stress = YOUNG / (1 + poisson) * (e[i][j] + (r < 3 ? poisson / (1 - 2 * poisson) * trace : 0));
        CHECK_NEAR(phys_multiplier(world, strain, r), -volume * stress, 1e-5 * volume * YOUNG);
    }
}

/* Patch test: the boundary moved by an affine map drags the inside along by the same map. */
TAUT_TEST(soft, affine_boundary_gives_affine_inside) {
    const double map[3][3] = {{1.08, 0.05, -0.02}, {-0.03, 0.95, 0.04}, {0.06, 0.01, 1.03}}, size[3] = {0.3, 0.3, 0.3};
    phys_mesh mesh = phys_block((const size_t[]){3, 3, 3}, size);
    bool* inside = phys_array(mesh.point_count, sizeof *inside);
    REQUIRE(jitter_inside(&mesh, size, inside));
    taut_batch strain;
    taut_scene* scene = block_scene(&mesh, 0.3, &strain);
    double* mapped = phys_array(3 * mesh.point_count, sizeof *mapped);
    for (size_t i = 0; i < 3 * mesh.point_count; i++) {
        const double* x = mesh.points + i / 3 * 3;
        mapped[i] = map[i % 3][0] * x[0] + map[i % 3][1] * x[1] + map[i % 3][2] * x[2];
    }
    for (uint32_t p = 0; p < mesh.point_count; p++) {
        if (!inside[p]) {
            phys_fix(scene, 1, &p);
        }
    }
    taut_world* world = weightless_world(backend, scene, 1);
    for (size_t p = 0; p < mesh.point_count; p++) {
        if (!inside[p]) {
            CHECK_OK(taut_world_write(world, TAUT_FIELD_POSITIONS, p, 1, mapped + 3 * p));
        }
    }
    if (phys_settle(world, 0.01, 0.1, 1e-7, 300)) {
        double* x = phys_field(world, TAUT_FIELD_POSITIONS);
        for (size_t i = 0; i < 3 * mesh.point_count; i++) {
            CHECK_NEAR(x[i], mapped[i], 1e-6);
        }
        check_stress(world, strain, map, 0.3, phys_cell_size(&mesh, 0));
        free(x);
    }
    taut_world_destroy(world);
    free(mapped);
    free(inside);
    phys_mesh_free(&mesh);
}

typedef struct volumes {
    double total; /* over the rest volume */
    double worst; /* relative change of a cell */
} volumes;

static volumes measure_volumes(taut_world* world, phys_mesh* mesh, double rest) {
    volumes result = {0, 0};
    CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, 0, mesh->point_count, mesh->points));
    for (size_t c = 0; c < mesh->cell_count; c++) {
        const double volume = phys_cell_size(mesh, c) * (double)mesh->cell_count / rest;
        result.total += volume / (double)mesh->cell_count;
        result.worst = fmax(result.worst, fabs(volume - 1));
    }
    return result;
}

/* A column on its fixed foot, one second after gravity was switched on. */
static volumes standing_column(taut_backend_kind backend, bool hard_volume) {
    const double size[3] = {0.1, 0.3, 0.1};
    phys_mesh mesh = phys_block((const size_t[]){2, 4, 2}, size);
    taut_batch strain;
    taut_scene* scene = block_scene(&mesh, 0, &strain);
    if (hard_volume) {
        phys_add_volumes(scene, &mesh, 0);
    }
    for (uint32_t p = 0; p < mesh.point_count; p++) {
        if (mesh.points[3 * p + 1] == 0) {
            phys_fix(scene, 1, &p);
        }
    }
    taut_world_def def = phys_world_def(backend, 1, 1);
    def.solver.tolerance = 1e-5;
    taut_world* world = phys_world(scene, &def);
    taut_step_info info = {0};
    phys_run(world, 60, 1.0 / 60);
    CHECK_OK(taut_world_info(world, &info));
    CHECK_INT(info.outcome, TAUT_SOLVE_CONVERGED);
    const volumes result = measure_volumes(world, &mesh, size[0] * size[1] * size[2]);
    test_note("hard volumes %d: total %.8f, worst cell %.3g, residual %.3g", hard_volume, result.total, result.worst,
              info.residual);
    taut_world_destroy(world);
    phys_mesh_free(&mesh);
    return result;
}

TAUT_TEST(soft, hard_volumes_stay_under_gravity) {
    const volumes kept = standing_column(backend, true);
    CHECK_NEAR(kept.total, 1, 1e-5);
    CHECK(kept.worst < 1e-4);
    const volumes lost = standing_column(backend, false);
    CHECK(lost.total < 1 - 1e-3);
}

/* A block turned by 1 rad about (1, 2, 3) and put 10 m away. */
static void place_far_and_turned(phys_mesh* mesh) {
    const double s = sqrt(14), k[3] = {1 / s, 2 / s, 3 / s};
    for (size_t p = 0; p < mesh->point_count; p++) {
        double* x = mesh->points + 3 * p;
        const double along = k[0] * x[0] + k[1] * x[1] + k[2] * x[2], y[3] = {x[0], x[1], x[2]};
        for (int a = 0; a < 3; a++) {
            const int b = (a + 1) % 3, c = (a + 2) % 3;
            x[a] = y[a] * cos(1) + (k[b] * y[c] - k[c] * y[b]) * sin(1) + k[a] * along * (1 - cos(1)) + 10;
        }
    }
}

/* 60 steps after release: no strain, and every point has fallen as the scheme says: g h^2 n (n + 1)/2 for (1, 1),
 * g (h n)^2/2 for the midpoint scheme. */
static void check_free_fall(taut_backend_kind backend, double alpha, double gravity) {
    phys_mesh mesh = phys_block((const size_t[]){2, 2, 2}, (const double[]){0.2, 0.3, 0.2});
    taut_batch strain;
    taut_scene* scene = block_scene(&mesh, 0.3, &strain);
    phys_add_volumes(scene, &mesh, 1e-9);
    place_far_and_turned(&mesh);
    taut_world_def def = phys_world_def(backend, alpha, alpha);
    def.gravity[1] = -gravity;
    taut_world* world = phys_world(scene, &def);
    CHECK_OK(taut_world_write(world, TAUT_FIELD_POSITIONS, 0, mesh.point_count, mesh.points));
    test_note("alpha %g, gravity %g", alpha, gravity);
    const double h = 1.0 / 60, steps = 60;
    phys_run(world, 60, h);
    double* x = phys_field(world, TAUT_FIELD_POSITIONS);
    double* phi = phys_field(world, TAUT_FIELD_VIOLATIONS);
    double worst = 0;
    for (size_t i = 0; i < 3 * mesh.point_count; i++) {
        const double fall = i % 3 == 1 ? gravity * h * h * steps * (steps + 2 * alpha - 1) / 2 : 0;
        worst = fmax(worst, fabs(x[i] - mesh.points[i] + fall));
    }
    CHECK_NEAR(worst, 0, 1e-6);
    CHECK_NEAR(phys_largest(phi, taut_world_row_count(world)), 0, 1e-6);
    free(x);
    free(phi);
    taut_world_destroy(world);
    phys_mesh_free(&mesh);
}

/* What rests has rounding for its motion, which is no gain of energy. */
TAUT_TEST(soft, what_rests_without_gravity_has_converged) {
    for (int far = 0; far < 2; far++) {
        phys_mesh mesh = phys_block((const size_t[]){6, 2, 2}, (const double[]){0.6, 0.2, 0.2});
        taut_batch strain;
        if (far) {
            place_far_and_turned(&mesh);
        }
        taut_scene* scene = block_scene(&mesh, 0.45, &strain);
        taut_world_def def = phys_world_def(backend, 0.65, 0.65);
        memset(def.gravity, 0, sizeof def.gravity);
        taut_world* world = phys_world(scene, &def);
        taut_step_info info = {0};
        for (int i = 0; i < 10; i++) {
            CHECK_OK(taut_world_step(world, 1.0 / 60));
            CHECK_OK(taut_world_info(world, &info));
            test_note("far %d, step %d: residual %.3g, damped %u", far, i, info.residual, info.damped);
            CHECK_INT(info.outcome, TAUT_SOLVE_CONVERGED);
        }
        test_note(NULL);
        taut_world_destroy(world);
        phys_mesh_free(&mesh);
    }
}

TAUT_TEST(soft, turned_body_has_no_strain) {
    check_free_fall(backend, 1, 0);
    check_free_fall(backend, 1, PHYS_GRAVITY);
    check_free_fall(backend, 0.5, PHYS_GRAVITY);
}

/* Largest strain of a stiff block that spins freely at 2 rad/s for half a second. */
static double spinning_strain(taut_backend_kind backend, double h) {
    phys_mesh mesh = phys_block((const size_t[]){2, 2, 2}, (const double[]){0.2, 0.2, 0.2});
    double* masses = phys_lumped_masses(&mesh, DENSITY);
    taut_scene* scene = phys_scene(mesh.point_count, mesh.points, masses);
    phys_add_strain(scene, &mesh, 1e-8, 0.3, 0);
    taut_world* world = weightless_world(backend, scene, 1);
    for (size_t p = 0; p < mesh.point_count; p++) {
        const double* x = mesh.points + 3 * p;
        CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, p, 1, (const double[]){-2 * x[1], 2 * x[0], 0}));
    }
    double worst = 0;
    for (int i = 0; i < lround(0.5 / h) && phys_run(world, 1, h); i++) {
        worst = fmax(worst, phys_worst_violation(world));
    }
    taut_world_destroy(world);
    free(masses);
    phys_mesh_free(&mesh);
    return worst;
}

/* Turning is no strain: what a step leaves is (w h)^2/2, the second order of its straight path, and the centrifugal
 * strain of about density w^2 r^2/E = 1e-6. */
TAUT_TEST(soft, spinning_body_has_no_strain) {
    const double coarse = spinning_strain(backend, 1.0 / 60), fine = spinning_strain(backend, 1.0 / 120);
    test_note("strains %.4g and %.4g", coarse, fine);
    CHECK(coarse < 4.0 / 3600);
    CHECK_NEAR(phys_order(coarse, fine), 2, 0.2);
}
