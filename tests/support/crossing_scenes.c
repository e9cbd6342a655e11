#include "crossing_scenes.h"

#include <stdlib.h>
#include <string.h>

#include "intersections.h"

crossing_cloud crossing_begin(uint32_t cells) {
    crossing_cloud c = {.scene = phys_empty_scene(), .cells = cells};
    c.material = contact_material(c.scene, 0.4, 0);
    return c;
}

void crossing_end(crossing_cloud* c) {
    free(c->ends);
    free(c->corners);
    *c = (crossing_cloud){0};
}

size_t crossing_points(const crossing_cloud* c) {
    return ((size_t)c->cells + 1) * (c->cells + 1);
}

static uint32_t* append(uint32_t* to, size_t before, const uint32_t* from, size_t count, uint32_t first) {
    uint32_t* out = phys_array(before + count, sizeof *out);
    for (size_t i = 0; i < before + count; i++) {
        out[i] = i < before ? to[i] : first + from[i - before];
    }
    free(to);
    return out;
}

void crossing_add_mesh(crossing_cloud* c, uint32_t first, const phys_mesh* mesh) {
    phys_tuples edges = phys_edges(mesh);
    c->ends = append(c->ends, 2 * c->edges, edges.items, 2 * edges.count, first);
    c->corners = append(c->corners, 3 * c->triangles, mesh->cells, 3 * mesh->cell_count, first);
    c->edges += edges.count;
    c->triangles += mesh->cell_count;
    free(edges.items);
}

void crossing_add_sheet(crossing_cloud* c, random_state* r, double tilt, const double at[3]) {
    double axis[3], turn[4];
    random_fill(r, -1, 1, 3, axis);
    phys_turn(axis, random_in(r, 0, tilt), turn);
    const surface_sheet sheet = {.columns = c->cells,
                                 .rows = c->cells,
                                 .width = 0.4,
                                 .height = 0.4,
                                 .mass = 0.03,
                                 .radius = 0.002,
                                 .at = {at[0], at[1], at[2]},
                                 .q = turn,
                                 .diagonal = PHYS_ALTERNATING,
                                 .link = random_in(r, 0, 1) < 0.5 ? 1e-3 : 1e-5,
                                 .material = c->material};
    phys_mesh mesh = phys_grid(c->cells, c->cells, 1, 1, PHYS_ALTERNATING);
    c->first[c->sheets] = surface_add_sheet(c->scene, &sheet);
    crossing_add_mesh(c, c->first[c->sheets++], &mesh);
    phys_mesh_free(&mesh);
}

void crossing_add_rope(crossing_cloud* c, uint32_t links) {
    const uint32_t rope = surface_add_rope(c->scene, links, (const double[]){-0.3, -0.28, 0.01},
                                           (const double[]){0.3, -0.27, 0.02}, 0.02, 1e-4, 0.004, c->material);
    for (uint32_t i = 0; i < links; i++) {
        const uint32_t ends[2] = {i, i + 1};
        c->ends = append(c->ends, 2 * c->edges++, ends, 2, rope);
    }
}

taut_world* crossing_world(crossing_cloud* c, taut_backend_kind backend, uint32_t limit, bool unchecked) {
    taut_world_def def = contact_world_def(backend);
    def.solver.max_iterations = limit;
    def.solver.tolerance = CROSSING_TOLERANCE;
    def.contact.no_crossing_check = unchecked;
    def.integrator.further = unchecked ? 0 : def.integrator.further; /* or shorter parts would see to it */
    def.contact.capacity = c->cells < 4 ? 1500 : 40000;
    return phys_world(c->scene, &def);
}

void crossing_set_velocity(taut_world* world, uint32_t first, size_t count, const double v[3]) {
    for (size_t i = 0; i < count; i++) {
        CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, first + i, 1, v));
    }
}

size_t crossing_cuts(taut_world* world, const crossing_cloud* c) {
    double* x = phys_field(world, TAUT_FIELD_POSITIONS);
    const size_t cuts = intersections_of(x, c->edges, c->ends, c->triangles, c->corners);
    free(x);
    return cuts;
}

double crossing_distance(taut_world* world, const crossing_cloud* c, const double p[3]) {
    double* x = phys_field(world, TAUT_FIELD_POSITIONS);
    const double distance = distance_to_triangles(p, x, c->triangles, c->corners);
    free(x);
    return distance;
}
