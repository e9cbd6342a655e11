/* Meshes that other people made: a T-shirt held at the shoulders and a teddy standing on its feet, for 240 frames of
 * 1/60 s. Skipped where shared/data is absent. */
#include "phys_tets.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES 240
#define FRAME  (1.0 / 60)

/* ---- reading -------------------------------------------------------------------------------------------------- */

/* Vertices and triangles of an OBJ file ("f a/b/c d/e/f g/h/i"). */
static phys_mesh read_obj(const char* path) {
    phys_mesh mesh = phys_mesh_make(1 << 14, 1 << 14, 3);
    mesh.point_count = mesh.cell_count = 0;
    FILE* file = fopen(path, "r");
    char line[256];
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        double* x = mesh.points + 3 * mesh.point_count;
        uint32_t* f = mesh.cells + 3 * mesh.cell_count;
        if (sscanf(line, "v %lf %lf %lf", &x[0], &x[1], &x[2]) == 3) {
            mesh.point_count++;
        } else if (sscanf(line, "f %u%*s %u%*s %u", &f[0], &f[1], &f[2]) == 3) {
            for (int k = 0; k < 3; k++) {
                f[k]--;
            }
            mesh.cell_count++;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return mesh;
}

/* ---- preparing ------------------------------------------------------------------------------------------------ */

/* Scales the mesh so that it is `height` metres tall along `axis`. */
static void make_tall(phys_mesh* mesh, size_t axis, double height) {
    double low, high;
    phys_range(mesh, axis, &low, &high);
    phys_scale(mesh, height / (high - low));
}

/* Fixes what lies within `depth` of the top (or bottom) along `axis`; returns how many that are. */
static size_t pin_end(taut_scene* scene, const phys_mesh* mesh, size_t axis, bool top, double depth) {
    double low, high;
    size_t pinned = 0;
    phys_range(mesh, axis, &low, &high);
    for (uint32_t p = 0; p < mesh->point_count; p++) {
        const double y = mesh->points[3 * p + axis];
        if (top ? y > high - depth : y < low + depth) {
            phys_fix(scene, 1, &p);
            pinned++;
        }
    }
    return pinned;
}

/* Hinges: c = sqrt(3)/(2 B) as for equal triangles, B = 1e-5 N m. */
static taut_scene* shirt_scene(const phys_mesh* mesh, size_t* pinned) {
    double* masses = phys_lumped_masses(mesh, 0.2);
    taut_scene* scene = phys_scene(mesh->point_count, mesh->points, masses);
    const phys_tuples edges = phys_edges(mesh), hinges = phys_hinges(mesh);
    double* compliances = phys_array(hinges.count, sizeof *compliances);
    for (size_t i = 0; i < hinges.count; i++) {
        compliances[i] = sqrt(3) / (2 * 1e-5);
    }
    phys_add_links(scene, &edges, 1e-3, 0);
    phys_add_hinges(scene, &hinges, compliances, 0);
    *pinned = pin_end(scene, mesh, 1, true, 0.01);
    free(compliances);
    free(edges.items);
    free(hinges.items);
    free(masses);
    return scene;
}

/* ---- running -------------------------------------------------------------------------------------------------- */

typedef struct run_result {
    int frames, unconverged; /* unconverged: frames that said so */
    int silent;              /* frames that claimed convergence with a residual above the tolerance */
    unsigned iterations, most_iterations;
    double worst_residual;
    bool finite;
} run_result;

static void record_frame(taut_world* world, double tolerance, run_result* r) {
    taut_step_info info = {0};
    CHECK_OK(taut_world_info(world, &info));
    const bool said = info.outcome != TAUT_SOLVE_CONVERGED;
    r->unconverged += said;
    r->silent += !said && !(info.residual <= tolerance);
    r->iterations += info.iterations;
    r->most_iterations = info.iterations > r->most_iterations ? info.iterations : r->most_iterations;
    r->worst_residual = fmax(r->worst_residual, info.residual);
    double* x = phys_field(world, TAUT_FIELD_POSITIONS);
    r->finite = r->finite && isfinite(phys_largest(x, 3 * taut_world_particle_count(world)));
    free(x);
}

static run_result run_frames(taut_world* world, double tolerance) {
    run_result r = {.finite = true};
    while (r.frames < FRAMES && phys_run(world, 1, FRAME)) {
        r.frames++;
        record_frame(world, tolerance, &r);
    }
    test_note("%d frames, %d not converged and said so, %.1f iterations a frame, at most %u, worst residual %.2g",
              r.frames, r.unconverged, r.iterations / fmax(r.frames, 1), r.most_iterations, r.worst_residual);
    CHECK_INT(r.frames, FRAMES);
    CHECK_INT(r.silent, 0);
    CHECK(r.finite);
    return r;
}

static double distance(const double* x, const uint32_t pair[2]) {
    const double *a = x + 3 * pair[0], *b = x + 3 * pair[1];
    return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

/* Largest relative change of the length of an edge. */
static double worst_stretch(const phys_mesh* mesh, const double* x) {
    const phys_tuples edges = phys_edges(mesh);
    double worst = 0;
    for (size_t e = 0; e < edges.count; e++) {
        const uint32_t* pair = edges.items + 2 * e;
        worst = fmax(worst, fabs(distance(x, pair) / distance(mesh->points, pair) - 1));
    }
    free(edges.items);
    return worst;
}

/* Fixed points have not moved, nothing has gone further than `reach`, no edge has changed by more than `stretch`. */
static void check_attached(taut_world* world, const phys_mesh* mesh, size_t pinned, double reach, double stretch) {
    double* x = phys_field(world, TAUT_FIELD_POSITIONS);
    double* v = phys_field(world, TAUT_FIELD_VELOCITIES);
    double farthest = 0;
    size_t still = 0;
    for (size_t p = 0; p < mesh->point_count; p++) {
        const double* rest = mesh->points + 3 * p;
        const double moved = hypot(hypot(x[3 * p] - rest[0], x[3 * p + 1] - rest[1]), x[3 * p + 2] - rest[2]);
        farthest = fmax(farthest, moved);
        still += moved == 0;
    }
    test_note("farthest from the start %.3g m, worst stretch %.3g, fastest %.3g m/s", farthest, worst_stretch(mesh, x),
              phys_largest(v, 3 * mesh->point_count));
    CHECK(still >= pinned);
    CHECK(farthest < reach);
    CHECK(worst_stretch(mesh, x) < stretch);
    CHECK(phys_largest(v, 3 * mesh->point_count) < 5);
    free(x);
    free(v);
}

/* About 950 iterations a frame would reach the tolerance; 120 keep this test short, and each frame has to say so. */
TAUT_TEST(real_data, shirt_on_its_shoulders) {
    const char* path = test_data("cloth/diffcloth__tshirt1900.obj");
    if (path == NULL) {
        test_skip("shared data absent");
        return;
    }
    phys_mesh mesh = read_obj(path);
    REQUIRE(CHECK_INT(mesh.point_count, 1921) && CHECK_INT(mesh.cell_count, 3726));
    make_tall(&mesh, 1, 0.7);
    size_t pinned;
    taut_scene* scene = shirt_scene(&mesh, &pinned);
    CHECK(pinned >= 2 && pinned < 60);
    taut_world_def def = taut_default_world();
    def.backend = backend;
    def.threads = 1;
    def.solver.max_iterations = 120;
    taut_world* world = phys_world(scene, &def);
    run_frames(world, def.solver.tolerance);
    check_attached(world, &mesh, pinned, 0.7, 0.1);
    taut_world_destroy(world);
    phys_mesh_free(&mesh);
}

TAUT_TEST(real_data, teddy_on_its_feet) {
    phys_mesh mesh;
    if (!phys_shared_tets("tets/drake__teddy.vtk", &mesh)) {
        return;
    }
    REQUIRE(CHECK_INT(mesh.point_count, 410) && CHECK_INT(mesh.cell_count, 1207));
    double* masses = phys_lumped_masses(&mesh, 500);
    taut_scene* scene = phys_scene(mesh.point_count, mesh.points, masses);
    phys_add_strain(scene, &mesh, 5e-6, 0.4, 0); /* E = 2e5 Pa: a few percent under its weight */
    const size_t pinned = pin_end(scene, &mesh, 1, false, 0.03);
    taut_world_def def = taut_default_world();
    def.backend = backend;
    def.threads = 1;
    taut_world* world = phys_world(scene, &def);
    run_frames(world, def.solver.tolerance);
    check_attached(world, &mesh, pinned, 0.5, 0.5);
    taut_world_destroy(world);
    free(masses);
    phys_mesh_free(&mesh);
}
