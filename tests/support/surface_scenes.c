#include "surface_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

taut_range surface_add(taut_scene* scene, size_t triangles, const uint32_t* corners, size_t segments,
                       const uint32_t* ends, double radius, uint32_t material) {
    taut_contact_surface_def def = taut_default_contact_surface();
    taut_range range = {0, 0};
    def.triangle_count = triangles;
    def.triangles = corners;
    def.segment_count = segments;
    def.segments = ends;
    def.radius = radius;
    def.material = material;
    CHECK_OK(taut_scene_add_contact_surface(scene, &def, &range));
    return range;
}

static uint32_t add_particles(taut_scene* scene, size_t count, const double* x, double mass, bool fixed) {
    taut_particles_def def = taut_default_particles();
    taut_range range = {0, 0};
    bool* all = phys_array(count, sizeof *all);
    memset(all, fixed, count);
    def.count = count;
    def.positions = x;
    def.mass = mass;
    def.fixed = all;
    CHECK_OK(taut_scene_add_particles(scene, &def, &range));
    free(all);
    return range.first;
}

size_t surface_sheet_points(const surface_sheet* sheet) {
    return (sheet->columns + 1) * (sheet->rows + 1);
}

uint32_t surface_add_sheet(taut_scene* scene, const surface_sheet* sheet) {
    phys_mesh mesh = phys_grid(sheet->columns, sheet->rows, sheet->width, sheet->height, sheet->diagonal);
    phys_tuples edges = phys_edges(&mesh);
    for (size_t i = 0; i < mesh.point_count; i++) {
        double* x = mesh.points + 3 * i;
        const double flat[3] = {x[0] - sheet->width / 2, 0, sheet->height / 2 - x[1]};
        memcpy(x, flat, sizeof flat);
        if (sheet->q != NULL) {
            phys_rotate(sheet->q, flat, x);
        }
        phys_add(1, sheet->at, x);
    }
    const double mass = sheet->fixed ? 1 : sheet->mass / (double)mesh.point_count;
    const uint32_t first = add_particles(scene, mesh.point_count, mesh.points, mass, sheet->fixed);
    for (size_t i = 0; i < 3 * mesh.cell_count; i++) {
        mesh.cells[i] += first;
    }
    for (size_t i = 0; i < 2 * edges.count; i++) {
        edges.items[i] += first;
    }
    if (!sheet->fixed && sheet->link >= 0) {
        phys_add_links(scene, &edges, sheet->link, 0.01);
    }
    surface_add(scene, mesh.cell_count, mesh.cells, 0, NULL, sheet->radius, sheet->material);
    free(edges.items);
    phys_mesh_free(&mesh);
    return first;
}

uint32_t surface_add_rope(taut_scene* scene, size_t links, const double from[3], const double to[3], double mass,
                          double compliance, double radius, uint32_t material) {
    double* x = phys_array(3 * (links + 1), sizeof *x);
    phys_tuples ends = {links, phys_array(2 * links, sizeof(uint32_t))};
    for (size_t i = 0; i < 3 * (links + 1); i++) {
        const double t = (double)(i / 3) / (double)links;
        x[i] = (1 - t) * from[i % 3] + t * to[i % 3];
    }
    const uint32_t first = add_particles(scene, links + 1, x, mass / (double)(links + 1), false);
    for (size_t i = 0; i < 2 * links; i++) {
        ends.items[i] = first + (uint32_t)((i + 1) / 2);
    }
    phys_add_links(scene, &ends, compliance, 0.01);
    surface_add(scene, 0, NULL, links, ends.items, radius, material);
    free(x), free(ends.items);
    return first;
}

uint32_t surface_add_ball(taut_scene* scene, const double at[3], double mass, double radius, uint32_t material) {
    const uint32_t particle = add_particles(scene, 1, at, mass, false);
    contact_touch(scene, 1, &particle, radius, material);
    return particle;
}

/* ---- distances -----------------------------------------------------------------------------------------------------
 */

static double to_segment(const double p[3], const double a[3], const double b[3]) {
    double ab[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, ap[3] = {p[0] - a[0], p[1] - a[1], p[2] - a[2]};
    phys_add(-fmin(fmax(phys_dot(ap, ab) / phys_dot(ab, ab), 0), 1), ab, ap);
    return phys_length(ap);
}

double surface_segment_distance(const double a[3], const double b[3], const double c[3], const double d[3]) {
    const double ab[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, cd[3] = {d[0] - c[0], d[1] - c[1], d[2] - c[2]};
    const double ac[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
    double n[3], across[3];
    phys_cross(ab, cd, n);
    phys_cross(ac, cd, across);
    const double size = phys_dot(n, n), s = phys_dot(across, n) / size;
    phys_cross(ac, ab, across);
    const double t = phys_dot(across, n) / size;
    if (size > 0 && s > 0 && s < 1 && t > 0 && t < 1) {
        return fabs(phys_dot(ac, n)) / sqrt(size);
    }
    return fmin(fmin(to_segment(a, c, d), to_segment(b, c, d)), fmin(to_segment(c, a, b), to_segment(d, a, b)));
}

taut_scene* surface_two_sheets(uint32_t cells) {
    taut_scene* scene = phys_empty_scene();
    const uint32_t material = contact_material(scene, 0.5, 0);
    contact_ground(scene, material);
    for (int i = 0; i < 2; i++) {
        const surface_sheet sheet = {.columns = cells,
                                     .rows = cells,
                                     .width = 0.5,
                                     .height = 0.5,
                                     .mass = 0.05,
                                     .radius = 0.005,
                                     .at = {0.02 * i, 0.0045 + 0.0095 * i, 0},
                                     .link = 1e-4,
                                     .material = material};
        surface_add_sheet(scene, &sheet);
    }
    return scene;
}
