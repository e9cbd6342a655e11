/* What starts intersected comes apart: sheets that cut each other, looked at after every step by intersections.h. */
#include "dense_matrix.h"
#include "intersections.h"
#include "surface_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define H      (1.0 / 60)
#define SIDE   0.4 /* m */
#define ROPE   7
#define MASS   0.03 /* kg, of a sheet */
#define SOLVED 1000 /* iterations: a limit that is not reached */
/* Steps in which all comes apart: nothing goes back farther than the side of a sheet, at the recovery speed of 1 m/s,
 * and five times as long lets contours wander. Solves that are cut short move it less. */
#define STEPS     120
#define CUT_SHORT 300

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
    size_t start, end, steps; /* cuts before the first step and after the last, and how many steps were made */
    size_t again;             /* steps that cut what had come apart */
    double kinetic;           /* J, the most */
    uint32_t tangled, last;   /* that the first step tells of, and the last one */
} parting;

/* Until `calm` steps in a row have had no cut. Without gravity all motion is that of coming apart. */
static parting part(taut_backend_kind backend, const sheets* c, uint32_t limit, uint32_t substeps, size_t calm) {
    taut_world_def def = contact_world_def(backend);
    parting out = {0};
    def.solver.max_iterations = limit;
    def.solver.tolerance = 1e-4;
    def.integrator.substeps = substeps;
    def.contact.capacity = 2000 * (uint32_t)c->cells;
    taut_world* world = phys_world(c->scene, &def);
    CHECK_OK(taut_world_set_gravity(world, (const double[]){0, 0, 0}));
    out.start = out.end = cuts_of(world, c);
    for (size_t without = 0; without < calm && out.steps < (limit < SOLVED ? CUT_SHORT : STEPS); out.steps++) {
        taut_step_info info;
        CHECK_OK(taut_world_step(world, H));
        CHECK_OK(taut_world_info(world, &info));
        const size_t cuts = cuts_of(world, c);
        out.again += out.end == 0 && cuts > 0;
        out.end = cuts;
        out.kinetic = fmax(out.kinetic, info.kinetic);
        out.tangled = out.steps == 0 ? info.tangled : out.tangled;
        out.last = info.tangled;
        without = cuts == 0 && info.tangled == 0 ? without + 1 : 0;
    }
    taut_world_destroy(world);
    return out;
}

static const double x_axis[3] = {1, 0, 0}, z_axis[3] = {0, 0, 1};

/* One sheet stands in another one, deeper on one side; each place is another one. */
static void make_standing(sheets* c, int place) {
    const double at[3] = {0.013 + 0.007 * place, 0.11 - 0.011 * place, 0.017 + 0.005 * place};
    add_sheet(c, (const double[]){0, 0, 0}, x_axis, 0);
    add_sheet(c, at, x_axis, 1.4 - 0.09 * place);
}

/* Nearly flat on each other, with a line across the middle in which they change sides. */
static void make_tilted(sheets* c, int place) {
    add_sheet(c, (const double[]){0, 0, 0}, x_axis, 0);
    add_sheet(c, (const double[]){0.05 + 0.009 * place, 0.004, 0.02 - 0.007 * place}, z_axis, 0.1 + 0.013 * place);
}

/* A rope that hangs through a sheet, with less of it below. */
static void make_threaded(sheets* c, int place) {
    const double x = 0.013 + 0.011 * place, z = 0.017 - 0.009 * place;
    add_sheet(c, (const double[]){0, 0, 0}, x_axis, 0);
    const uint32_t rope = surface_add_rope(c->scene, ROPE, (const double[]){x, -0.11, z},
                                           (const double[]){x + 0.008, 0.27, z - 0.006}, MASS, 1e-4, 0.002, 0);
    c->ends = realloc(c->ends, 2 * (c->edges + ROPE) * sizeof *c->ends);
    for (uint32_t i = 0; i < ROPE; i++, c->edges++) {
        c->ends[2 * c->edges] = rope + i;
        c->ends[2 * c->edges + 1] = rope + i + 1;
    }
    c->count++;
}

static sheets made(void (*make)(sheets*, int), size_t cells, int place) {
    sheets c = {.scene = phys_empty_scene(), .cells = cells};
    make(&c, place);
    return c;
}

static void release(sheets* c) {
    free(c->ends);
    free(c->corners);
}

static void check_parts(void (*make)(sheets*, int), size_t cells, int place, uint32_t limit, uint32_t substeps) {
    sheets c = made(make, cells, place);
    const parting p = part(TAUT_BACKEND_CPU, &c, limit, substeps, 10);
    test_note("%zu cells, place %d, limit %u, %u substeps: %zu cuts, %zu after %zu steps, kinetic %g J", cells, place,
              limit, substeps, p.start, p.end, p.steps, p.kinetic);
    CHECK(p.start > 0);
    CHECK(p.tangled > 0);
    CHECK_INT(p.end, 0);
    CHECK_INT(p.last, 0);
    CHECK_INT(p.again, 0);
    CHECK(p.kinetic <= 4 * (0.5 * MASS * (double)c.count));
    test_note(NULL);
    release(&c);
}

/* Contours wander as they shrink, each on a way of its own: several places, of which each must come apart and stay so.
 * Kinetic energy is compared with that of all mass at the recovery speed. What recovery stretches gives it back: twice
 * that much has been seen, four times is a sheet that flies off. */
static void check_places(void (*make)(sheets*, int)) {
    for (int place = 0; place < 4; place++) {
        check_parts(make, 6, place, SOLVED, 1);
        check_parts(make, 6, place, SOLVED, 4);
        check_parts(make, 6, place, 20, 1);
        check_parts(make, 6, place, 5, 4);
    }
    check_parts(make, 12, 0, SOLVED, 1);
}

TAUT_PLAIN_TEST(contact_tangles, standing_sheet) {
    check_places(make_standing);
}

TAUT_PLAIN_TEST(contact_tangles, tilted_sheet) {
    check_places(make_tilted);
}

TAUT_PLAIN_TEST(contact_tangles, rope_through_a_sheet) {
    check_places(make_threaded);
}

/* The device finds what the CPU finds, and parts it so. */
static void check_device(void (*make)(sheets*, int), size_t cells) {
    sheets c[2] = {made(make, cells, 0), made(make, cells, 0)};
    const parting own = part(TAUT_BACKEND_CUDA, &c[0], SOLVED, 1, 3);
    const parting cpu = part(TAUT_BACKEND_CPU, &c[1], SOLVED, 1, 3);
    test_note("%zu cuts, %zu after %zu steps, on the CPU %zu after %zu; kinetic %g J and %g J", own.start, own.end,
              own.steps, cpu.end, cpu.steps, own.kinetic, cpu.kinetic);
    CHECK(own.start > 0);
    CHECK_INT(own.tangled, cpu.tangled);
    CHECK_INT(own.last, 0);
    CHECK_INT(own.end, 0);
    CHECK_INT(cpu.end, 0);
    CHECK_NEAR(own.kinetic, cpu.kinetic, 0.05 * cpu.kinetic);
    test_note(NULL);
    release(&c[0]);
    release(&c[1]);
}

TAUT_CUDA_TEST(contact_tangles, rope_on_the_device) {
    check_device(make_threaded, 5);
}

TAUT_CUDA_TEST(contact_tangles, tilted_on_the_device) {
    check_device(make_tilted, 5);
}

TAUT_CUDA_TEST(contact_tangles, standing_on_the_device) {
    check_device(make_standing, 8);
}
