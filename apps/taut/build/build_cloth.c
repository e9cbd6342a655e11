#include "base/array.h"
#include "base/vector.h"
#include "build/build_grid.h"
#include "build/cloth_bending.h"
#include "build/mesh_hinges.h"
#include "build/scene_builder.h"

#include <stdlib.h>

/* ---- shape and mass ------------------------------------------------------------------------------------------- */

static bool cloth_mesh(scene_builder* b, const cloth_spec* c, mesh* m) {
    report cause = {0};
    if (c->mesh) {
        return (mesh_read_surface(c->mesh, m, &cause) && mesh_build_edges(m, &cause)) ||
               build_fail(b, ".mesh", "%s", cause.text);
    }
    return grid_make(c->grid.size, c->grid.cells, m, &cause) || build_fail(b, ".grid", "%s", cause.text);
}

/* A third of every triangle to each of its corners. */
static void share_triangles(const mesh* m, double density, double* masses) {
    for (size_t i = 0; i < m->triangle_count; i++) {
        const double share = density * mesh_triangle_area(m, i) / 3;
        for (int k = 0; k < 3; k++) {
            masses[m->triangles[i][k]] += share;
        }
    }
}

static double cell_area(const mesh* m, size_t cell) {
    return mesh_triangle_area(m, 2 * cell) + mesh_triangle_area(m, 2 * cell + 1);
}

/* A quarter of every cell to each end of its diagonals: the load of a line of springs does not depend on how cells are
 * divided. */
static bool share_cells(scene_builder* b, const cloth_spec* c, const mesh* m, double* masses) {
    size_t count = 0;
    uint32_t(*diagonals)[2] = grid_diagonals(c->grid.cells, &count, b->r);
    for (size_t i = 0; diagonals && i < count; i++) {
        const double share = c->density * cell_area(m, i / 2) / 4;
        masses[diagonals[i][0]] += share;
        masses[diagonals[i][1]] += share;
    }
    free(diagonals);
    return diagonals != NULL;
}

static double* cloth_masses(scene_builder* b, const cloth_spec* c, const mesh* m) {
    double* masses = array_new(m->point_count, sizeof *masses, b->r);
    if (masses && c->mesh) {
        share_triangles(m, c->density, masses);
    } else if (masses && !share_cells(b, c, m, masses)) {
        free(masses);
        return NULL;
    }
    return masses;
}

static bool cloth_body(scene_builder* b, const cloth_spec* c, const mesh* m, built_object* out) {
    taut_particles_def def = taut_default_particles();
    double* masses = cloth_masses(b, c, m);
    def.count = m->point_count;
    def.positions = m->points[0];
    def.masses = masses;
    bool ok = masses && build_body(b, &def, out);
    free(masses);
    return ok;
}

/* ---- in the plane --------------------------------------------------------------------------------------------- */

static bool cloth_membrane(scene_builder* b, const cloth_spec* c, const mesh* m, uint32_t first) {
    taut_membrane_def def = taut_default_membrane();
    uint32_t* particles = build_indices(b, first, 3 * m->triangle_count, m->triangles[0]);
    def.count = m->triangle_count;
    def.particles = particles;
    def.softness = 1 / c->young;
    def.poisson = c->poisson;
    def.damping = c->damping;
    bool ok = particles && build_check(b, "", taut_scene_add_membranes(b->built->scene, &def, NULL));
    b->built->kinds[TAUT_MEMBRANE] = true;
    free(particles);
    return ok;
}

/* Of both triangles of each hinge. */
static double* hinge_areas(scene_builder* b, const mesh* m, const hinge_list* hinges) {
    double* areas = array_new(hinges->count, sizeof *areas, b->r);
    for (size_t i = 0; areas && i < hinges->count; i++) {
        areas[i] = mesh_triangle_area(m, hinges->triangles[i][0]) + mesh_triangle_area(m, hinges->triangles[i][1]);
    }
    return areas;
}

static bool grid_shear(scene_builder* b, const cloth_spec* c, const mesh* m, uint32_t first) {
    size_t count = 0;
    uint32_t(*pairs)[2] = grid_diagonals(c->grid.cells, &count, b->r);
    double* areas = pairs ? array_new(count, sizeof *areas, b->r) : NULL;
    for (size_t i = 0; areas && i < count; i++) {
        areas[i] = cell_area(m, i / 2);
    }
    const bool ok = areas && build_springs(b, ".shear", first, count, (const uint32_t(*)[2])pairs, areas, &c->shear);
    free(pairs);
    free(areas);
    return ok;
}

/* Between the vertices opposite to an interior edge: the other diagonal of the two triangles' quadrilateral. */
static bool mesh_shear(scene_builder* b, const cloth_spec* c, const mesh* m, const hinge_list* hinges, uint32_t first) {
    uint32_t(*pairs)[2] = array_new(hinges->count, sizeof *pairs, b->r);
    for (size_t i = 0; pairs && i < hinges->count; i++) {
        pairs[i][0] = hinges->vertices[i][2];
        pairs[i][1] = hinges->vertices[i][3];
    }
    double* areas = pairs ? hinge_areas(b, m, hinges) : NULL;
    const bool ok =
        areas && build_springs(b, ".shear", first, hinges->count, (const uint32_t(*)[2])pairs, areas, &c->shear);
    free(pairs);
    free(areas);
    return ok;
}

static bool cloth_shear(scene_builder* b, const cloth_spec* c, const mesh* m, const hinge_list* hinges,
                        uint32_t first) {
    return c->mesh ? mesh_shear(b, c, m, hinges, first) : grid_shear(b, c, m, first);
}

static bool cloth_edges(scene_builder* b, const cloth_spec* c, const mesh* m, const hinge_list* hinges,
                        uint32_t first) {
    double* areas = mesh_edge_areas(m, b->r);
    const bool ok =
        areas &&
        build_springs(b, ".stretch", first, m->edge_count, (const uint32_t(*)[2])m->edges, areas, &c->stretch) &&
        (!c->shear.given || cloth_shear(b, c, m, hinges, first));
    free(areas);
    return ok;
}

/* ---- all together --------------------------------------------------------------------------------------------- */

static bool cloth_constraints(scene_builder* b, const cloth_spec* c, const mesh* m, const built_object* o) {
    const uint32_t first = (uint32_t)o->first_point;
    hinge_list hinges = {0};
    report cause = {0};
    const bool crossed = c->shear.given && c->mesh;
    if ((crossed || c->bend.given) &&
        !hinges_find(m->triangle_count, (const uint32_t(*)[3])m->triangles, &hinges, &cause)) {
        return build_fail(b, c->bend.given ? ".bend" : ".shear", "%s", cause.text);
    }
    bool ok = (c->membrane ? cloth_membrane(b, c, m, first) : cloth_edges(b, c, m, &hinges, first)) &&
              (!c->bend.given || build_cloth_bending(b, c, m, &hinges, o));
    hinges_free(&hinges);
    return ok;
}

bool build_cloth(scene_builder* b, const scene_object* o, built_object* out) {
    mesh m = {0};
    bool ok = cloth_mesh(b, &o->as.cloth, &m);
    if (ok) {
        build_place_mesh(&o->place, &m);
        ok = cloth_body(b, &o->as.cloth, &m, out) && cloth_constraints(b, &o->as.cloth, &m, out) &&
             build_surface(b, &o->as.cloth.surface, (uint32_t)out->first_point, &m);
    }
    out->shape = EXPORT_SURFACE;
    out->triangles = (const uint32_t(*)[3])m.triangles;
    out->triangle_count = m.triangle_count;
    m.triangles = NULL; /* the built object's from here on */
    mesh_free(&m);
    return ok;
}
