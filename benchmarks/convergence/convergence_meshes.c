#include "convergence_meshes.h"

#include "bench_scenes.h"
#include "hinges.h"
#include "mesh/mesh.h" /* of the tool: readers */
#include "refine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHEET_DENSITY 0.2  /* kg/m^2 */
#define SOLID_DENSITY 1000 /* kg/m^3 */
#define POISSON       0.3
#define HELD          0.02 /* of the height of a garment */
#define STANDING      0.05 /* of that of a solid */

static cells read_cells(const char* path, size_t corners, size_t levels) {
    mesh m = {0};
    report r = {""};
    if (!(corners == 3 ? mesh_read_surface : mesh_read_tets)(path, &m, &r)) {
        fprintf(stderr, "taut-convergence: %s\n", r.text);
        exit(2);
    }
    cells c = {.points = m.point_count, .count = corners == 3 ? m.triangle_count : m.tet_count, .corners = corners};
    c.positions = bench_allocate(3 * c.points, sizeof *c.positions);
    c.at = bench_allocate(corners * c.count, sizeof *c.at);
    memcpy(c.positions, m.points, 3 * c.points * sizeof *c.positions);
    memcpy(c.at, corners == 3 ? (void*)m.triangles : (void*)m.tets, corners * c.count * sizeof *c.at);
    mesh_free(&m);
    for (size_t i = 0; i < levels; i++) {
        cells_refine(&c);
    }
    return c;
}

static void find_extent(const cells* c, double low[3], double high[3]) {
    for (size_t i = 0; i < 3 * c->points; i++) {
        low[i % 3] = i < 3 ? c->positions[i] : fmin(low[i % 3], c->positions[i]);
        high[i % 3] = i < 3 ? c->positions[i] : fmax(high[i % 3], c->positions[i]);
    }
}

static void scale_to_metre(cells* c) {
    double low[3], high[3];
    find_extent(c, low, high);
    const double largest = fmax(fmax(high[0] - low[0], high[1] - low[1]), high[2] - low[2]);
    for (size_t i = 0; i < 3 * c->points; i++) {
        c->positions[i] /= largest;
    }
}

static void subtract(const cells* c, uint32_t a, uint32_t b, double out[3]) {
    for (size_t k = 0; k < 3; k++) {
        out[k] = c->positions[3 * (size_t)a + k] - c->positions[3 * (size_t)b + k];
    }
}

static double distance(const cells* c, uint32_t a, uint32_t b) {
    double d[3];
    subtract(c, a, b, d);
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

/* Six times the volume of a tetrahedron, twice the area of a triangle. */
static double measure(const cells* c, const uint32_t* at) {
    double a[3], b[3], e[3];
    subtract(c, at[1], at[0], a);
    subtract(c, at[2], at[0], b);
    const double n[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    if (c->corners == 3) {
        return sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    }
    subtract(c, at[3], at[0], e);
    return n[0] * e[0] + n[1] * e[1] + n[2] * e[2];
}

/* Equal parts of each cell's mass for its corners. */
static void spread_mass(const cells* c, double density, double* masses) {
    const double part = density / (c->corners == 3 ? 2 * 3 : 6 * 4);
    for (size_t i = 0; i < c->count * c->corners; i++) {
        masses[c->at[i]] += part * measure(c, c->at + i / c->corners * c->corners);
    }
}

/* Points in the lowest or highest `part` of the height. */
static void hold(const cells* c, bool highest, double part, bool* fixed) {
    double low[3], high[3];
    find_extent(c, low, high);
    for (size_t i = 0; i < c->points; i++) {
        const double rise = (c->positions[3 * i + 1] - low[1]) / (high[1] - low[1]);
        fixed[i] = highest ? rise >= 1 - part : rise <= part;
    }
}

static void add_edges(springs* s, const cells* c, double compliance) {
    mesh_edges e = edges_find(c->count, c->at);
    for (size_t i = 0; i < e.count; i++) {
        springs_add(s, e.ends[i][0], e.ends[i][1], distance(c, e.ends[i][0], e.ends[i][1]), compliance);
    }
    for (size_t i = 0; i < e.hinge_count; i++) {
        const uint32_t a = e.hinges[i][2], b = e.hinges[i][3];
        springs_add(s, a, b, distance(c, a, b), compliance);
    }
    edges_free(&e);
}

springs make_garment(const char* path, size_t levels, double compliance) {
    cells c = read_cells(path, 3, levels);
    scale_to_metre(&c);
    springs s = springs_make(c.points);
    memcpy(s.positions, c.positions, 3 * c.points * sizeof *s.positions);
    spread_mass(&c, SHEET_DENSITY, s.masses);
    hold(&c, true, HELD, s.fixed);
    add_edges(&s, &c, compliance);
    cells_free(&c);
    return s;
}

static void add_tetrahedra(taut_scene* scene, const cells* c, double softness) {
    taut_tet_strain_def def = taut_default_tet_strain();
    def.count = c->count;
    def.particles = c->at;
    def.softness = softness;
    def.poisson = POISSON;
    bench_must(taut_scene_add_tet_strains(scene, &def, NULL));
}

taut_scene* make_solid(const char* path, size_t levels, double softness, size_t* particles) {
    cells c = read_cells(path, 4, levels);
    scale_to_metre(&c);
    springs s = springs_make(c.points); /* without springs */
    memcpy(s.positions, c.positions, 3 * c.points * sizeof *s.positions);
    spread_mass(&c, SOLID_DENSITY, s.masses);
    hold(&c, false, STANDING, s.fixed);
    taut_scene* scene = springs_scene(&s);
    add_tetrahedra(scene, &c, softness);
    *particles = c.points;
    springs_free(&s);
    cells_free(&c);
    return scene;
}
