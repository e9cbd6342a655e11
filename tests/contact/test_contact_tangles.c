/* What starts intersected comes apart: sheets that cut each other, looked at after every step by intersections.h. */
#include "dense_matrix.h"
#include "intersections.h"
#include "surface_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define H     (1.0 / 60)
#define CELLS 12
#define SIDE  0.4 /* m */
#define ROPE  7
#define MASS  0.03 /* kg, of a sheet */

typedef struct sheets {
    taut_scene* scene;
    size_t cells, count, edges, triangles;
    uint32_t *ends, *corners;
} sheets;

static void add_topology(sheets* c, uint32_t first) {
    phys_mesh mesh = phys_grid(c->cells, c->cells, 1, 1, PHYS_ALTERNATING);
    phys_tuples edges = phys_edges(&mesh);
    c->ends = realloc(c->ends, 2 * (c->edges + edges.count) * sizeof *c->ends);
    c->corners = realloc(c->corners, 3 * (c->triangles + mesh.cell_count) * sizeof *c->corners);
    for (size_t i = 0; i < 2 * edges.count; i++) {
        c->ends[2 * c->edges + i] = first + edges.items[i];
    }
    for (size_t i = 0; i < 3 * mesh.cell_count; i++) {
        c->corners[3 * c->triangles + i] = first + mesh.cells[i];
    }
    c->edges += edges.count;
    c->triangles += mesh.cell_count;
    free(edges.items);
    phys_mesh_free(&mesh);
}

/* A sheet about `at`, turned. */
static void add_sheet(sheets* c, const double at[3], const double axis[3], double angle) {
    double turn[4];
    phys_turn(axis, angle, turn);
    const surface_sheet sheet = {.columns = c->cells,
                                 .rows = c->cells,
                                 .width = SIDE,
                                 .height = SIDE,
                                 .mass = MASS,
                                 .radius = 0.002,
                                 .at = {at[0], at[1], at[2]},
                                 .q = turn,
                                 .diagonal = PHYS_ALTERNATING,
                                 .link = 1e-4};
    add_topology(c, surface_add_sheet(c->scene, &sheet));
    c->count++;
}

static size_t cuts_of(taut_world* world, const sheets* c) {
    double* x = phys_field(world, TAUT_FIELD_POSITIONS);
    const size_t cuts = intersections_of(x, c->edges, c->ends, c->triangles, c->corners);
    free(x);
    return cuts;
}

typedef struct parting {
    size_t start, most, end;
    double kinetic;   /* J, the most */
    uint32_t tangled; /* that the first step tells of, */
    size_t last;      /* and the last one */
} parting;

/* Without gravity all motion is that of coming apart. */
static parting part(taut_backend_kind backend, sheets* c, uint32_t limit, uint32_t substeps, size_t steps) {
    taut_world_def def = contact_world_def(backend);
    parting out = {0};
    def.solver.max_iterations = limit;
    def.solver.tolerance = 1e-4;
    def.integrator.substeps = substeps;
    def.contact.capacity = c->cells >= CELLS ? 40000 : 2000;
    taut_world* world = phys_world(c->scene, &def);
    CHECK_OK(taut_world_set_gravity(world, (const double[]){0, 0, 0}));
    out.start = cuts_of(world, c);
    for (size_t i = 0; i < steps; i++) {
        taut_step_info info;
        CHECK_OK(taut_world_step(world, H));
        CHECK_OK(taut_world_info(world, &info));
        out.end = cuts_of(world, c);
        out.most = out.end > out.most ? out.end : out.most;
        out.kinetic = fmax(out.kinetic, info.kinetic);
        out.tangled = i == 0 ? info.tangled : out.tangled;
        out.last = info.tangled;
    }
    taut_world_destroy(world);
    return out;
}

static const double x_axis[3] = {1, 0, 0}, z_axis[3] = {0, 0, 1};

/* One sheet stands in another one, deeper on one side. */
static void make_standing(sheets* c) {
    add_sheet(c, (const double[]){0, 0, 0}, x_axis, 0);
    add_sheet(c, (const double[]){0.013, 0.11, 0.017}, x_axis, 1.4);
}

/* Nearly flat on each other, with a line across the middle in which they change sides. */
static void make_tilted(sheets* c) {
    add_sheet(c, (const double[]){0, 0, 0}, x_axis, 0);
    add_sheet(c, (const double[]){0.05, 0.004, 0.02}, z_axis, 0.1);
}

/* A rope that hangs through a sheet, with less of it below. */
static void make_threaded(sheets* c) {
    add_sheet(c, (const double[]){0, 0, 0}, x_axis, 0);
    const uint32_t rope = surface_add_rope(c->scene, ROPE, (const double[]){0.013, -0.11, 0.017},
                                           (const double[]){0.021, 0.27, 0.011}, MASS, 1e-4, 0.002, 0);
    c->ends = realloc(c->ends, 2 * (c->edges + ROPE) * sizeof *c->ends);
    for (uint32_t i = 0; i < ROPE; i++, c->edges++) {
        c->ends[2 * c->edges] = rope + i;
        c->ends[2 * c->edges + 1] = rope + i + 1;
    }
    c->count++;
}

static void check_parts(void (*make)(sheets*), uint32_t limit, uint32_t substeps, size_t steps) {
    sheets c = {.scene = phys_empty_scene(), .cells = CELLS};
    make(&c);
    const parting p = part(TAUT_BACKEND_CPU, &c, limit, substeps, steps);
    test_note("limit %u, %u substeps: %zu cuts, at most %zu, %zu at the end, kinetic %g J", limit, substeps, p.start,
              p.most, p.end, p.kinetic);
    CHECK(p.start > 0);
    CHECK(p.tangled > 0);
    CHECK_INT(p.end, 0);
    CHECK_INT(p.last, 0);
    CHECK((double)p.most <= 1.5 * (double)p.start);   /* rings of edges differ */
    CHECK(p.kinetic <= 0.5 * MASS * (double)c.count); /* all of it at the recovery speed of 1 m/s */
    test_note(NULL);
    free(c.ends);
    free(c.corners);
}

TAUT_PLAIN_TEST(contact_tangles, standing_sheet) {
    check_parts(make_standing, 1000, 1, 60);
    check_parts(make_standing, 1000, 4, 60);
    check_parts(make_standing, 20, 1, 60);
    check_parts(make_standing, 5, 4, 60);
}

TAUT_PLAIN_TEST(contact_tangles, tilted_sheet) {
    check_parts(make_tilted, 1000, 1, 60);
    check_parts(make_tilted, 1000, 4, 60);
    check_parts(make_tilted, 20, 1, 60);
    check_parts(make_tilted, 5, 4, 60);
}

TAUT_PLAIN_TEST(contact_tangles, rope_through_a_sheet) {
    check_parts(make_threaded, 1000, 1, 60);
    check_parts(make_threaded, 1000, 4, 60);
    check_parts(make_threaded, 5, 1, 60);
}

/* The device finds what the CPU finds, and parts it so. */
static void check_device(void (*make)(sheets*), size_t cells, uint32_t substeps, size_t steps) {
    sheets c[2] = {{.scene = phys_empty_scene(), .cells = cells}, {.scene = phys_empty_scene(), .cells = cells}};
    make(&c[0]);
    make(&c[1]);
    const parting own = part(TAUT_BACKEND_CUDA, &c[0], 1000, substeps, steps);
    const parting cpu = part(TAUT_BACKEND_CPU, &c[1], 1000, substeps, steps);
    test_note("%u substeps: %zu cuts, at most %zu, %zu at the end, on the CPU %zu; kinetic %g J and %g J", substeps,
              own.start, own.most, own.end, cpu.end, own.kinetic, cpu.kinetic);
    CHECK(own.start > 0);
    CHECK_INT(own.tangled, cpu.tangled);
    CHECK_INT(own.last, 0);
    CHECK_INT(own.end, 0);
    CHECK_INT(cpu.end, 0);
    CHECK_NEAR(own.kinetic, cpu.kinetic, 0.05 * cpu.kinetic);
    test_note(NULL);
    for (int i = 0; i < 2; i++) {
        free(c[i].ends);
        free(c[i].corners);
    }
}

TAUT_CUDA_TEST(contact_tangles, rope_on_the_device) {
    check_device(make_threaded, 5, 1, 10);
}

TAUT_CUDA_TEST(contact_tangles, tilted_on_the_device) {
    check_device(make_tilted, 5, 1, 12);
}

TAUT_CUDA_TEST(contact_tangles, standing_on_the_device) {
    check_device(make_standing, 8, 1, 12);
}
