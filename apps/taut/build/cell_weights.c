/* Where points lie in the cells of an object at the start. */
#include "base/array.h"
#include "base/vector.h"
#include "build/build_mappings.h"
#include "build/cells.h"

#include <stdlib.h>
#include <string.h>

typedef struct cell_list {
    size_t corner_count;
    size_t count;
    const uint32_t* corners; /* vertices of the object */
    uint32_t (*edges)[2];    /* owned; of curves */
} cell_list;

/* ---- cells of an object --------------------------------------------------------------------------------------- */

static bool list_edges(scene_builder* b, const built_object* o, cell_list* out) {
    out->count = o->point_count - 1;
    out->corner_count = 2;
    out->edges = array_new(out->count, sizeof *out->edges, b->r);
    for (size_t i = 0; out->edges && i < out->count; i++) {
        out->edges[i][0] = (uint32_t)i;
        out->edges[i][1] = (uint32_t)i + 1;
    }
    out->corners = out->edges ? out->edges[0] : NULL;
    return out->edges != NULL;
}

/* Tetrahedra where there are any, else triangles, else the pieces of a curve. */
static bool list_cells(scene_builder* b, const built_object* o, cell_list* out) {
    if (o->rigid) {
        return build_fail(b, ".object", "'%s' is rigid: mapping 'points' fixes points on bodies", o->name);
    }
    if (o->tet_count) {
        *out = (cell_list){.corner_count = 4, .count = o->tet_count, .corners = o->tets[0]};
        return true;
    }
    if (o->triangle_count) {
        *out = (cell_list){.corner_count = 3, .count = o->triangle_count, .corners = o->triangles[0]};
        return true;
    }
    if (o->exported && o->shape == EXPORT_CURVE) {
        return list_edges(b, o, out);
    }
    return build_fail(b, ".object", "'%s' has no edges, triangles or tetrahedra", o->name);
}

/* ---- barycentric ---------------------------------------------------------------------------------------------- */

static bool set_linear(scene_builder* b, const cell_list* cells, size_t cell, const double* vertices, uint32_t first,
                       const double point[3], uint32_t* parents, double* weights) {
    double corners[4][3];
    for (size_t k = 0; k < cells->corner_count; k++) {
        const uint32_t vertex = cells->corners[cell * cells->corner_count + k];
        memcpy(corners[k], vertices + 3 * (size_t)vertex, sizeof corners[k]);
        parents[k] = first + vertex;
    }
    return build_check(b, "", taut_barycentric(cells->corner_count, corners[0], point, weights));
}

/* ---- trilinear ------------------------------------------------------------------------------------------------ */

/* The vertex of a block's cell at its far corner along the axes whose bits are set; see block.h. */
static uint32_t lattice_vertex(const uint32_t cells[3], size_t cell, unsigned corner) {
    const size_t row = cell / cells[0];
    const size_t i = cell % cells[0] + (corner & 1), j = row % cells[1] + (corner >> 1 & 1),
                 k = row / cells[1] + (corner >> 2 & 1);
    return (uint32_t)((k * (cells[1] + (size_t)1) + j) * (cells[0] + (size_t)1) + i);
}

/* Cells are parallelepipeds at the start, so that s = M^-1 (point - corner) is exact; M has the edges as columns. */
static void lattice_place(const double origin[3], const double* const ends[3], const double point[3], double s[3]) {
    double edges[3][3], arm[3], normal[3];
    for (int a = 0; a < 3; a++) {
        vector_between(origin, ends[a], edges[a]);
    }
    vector_between(origin, point, arm);
    for (int a = 0; a < 3; a++) {
        vector_cross(edges[(a + 1) % 3], edges[(a + 2) % 3], normal);
        s[a] = vector_dot(normal, arm) / vector_dot(normal, edges[a]);
    }
}

static void set_trilinear(const uint32_t cells[3], size_t cell, const double* vertices, uint32_t first,
                          const double point[3], uint32_t* parents, double* weights) {
    const double* ends[3];
    double s[3];
    const double* origin = vertices + 3 * (size_t)lattice_vertex(cells, cell, 0);
    for (unsigned a = 0; a < 3; a++) {
        ends[a] = vertices + 3 * (size_t)lattice_vertex(cells, cell, 1u << a);
    }
    lattice_place(origin, ends, point, s);
    for (unsigned corner = 0; corner < 8; corner++) {
        parents[corner] = first + lattice_vertex(cells, cell, corner);
        weights[corner] = 1;
        for (unsigned a = 0; a < 3; a++) {
            weights[corner] *= corner >> a & 1 ? s[a] : 1 - s[a];
        }
    }
}

/* ---- all points ----------------------------------------------------------------------------------------------- */

/* NULL where the object is no block of cells. */
static const uint32_t* lattice_of(const scene_builder* b, size_t object) {
    const scene_object* o = object < b->file->object_count ? &b->file->objects[object] : NULL;
    return o && o->type == OBJECT_SOFT && !o->as.soft.mesh ? o->as.soft.grid.cells : NULL;
}

static bool fill(scene_builder* b, const embedding_spec* e, const cell_list* cells, size_t count,
                 const double (*points)[3], cell_weights* out) {
    const uint32_t first = (uint32_t)b->built->objects[e->object].first_point;
    const uint32_t* lattice = e->trilinear ? lattice_of(b, e->object) : NULL;
    const double* vertices = taut_scene_positions(b->built->scene) + 3 * (size_t)first;
    cell_tree tree;
    if (!cell_tree_make(cells->corner_count, cells->count, cells->corners, vertices, &tree, b->r)) {
        return false;
    }
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        const size_t cell = cell_tree_nearest(&tree, points[i]);
        uint32_t* parents = out->parents + i * out->arity;
        double* weights = out->weights + i * out->arity;
        if (lattice) { /* six tetrahedra a cell */
            set_trilinear(lattice, cell / 6, vertices, first, points[i], parents, weights);
        } else {
            ok = set_linear(b, cells, cell, vertices, first, points[i], parents, weights);
        }
    }
    cell_tree_free(&tree);
    return ok;
}

bool cell_weights_find(scene_builder* b, const embedding_spec* e, size_t count, const double (*points)[3],
                       cell_weights* out) {
    const built_object* o = &b->built->objects[e->object];
    cell_list cells = {0};
    if (e->trilinear && !lattice_of(b, e->object)) {
        return build_fail(b, ".interpolation", "'trilinear' needs a soft object with a grid, '%s' is none", o->name);
    }
    if (!list_cells(b, o, &cells)) {
        return false;
    }
    out->arity = e->trilinear ? 8 : cells.corner_count;
    out->parents = array_new(count, out->arity * sizeof *out->parents, b->r);
    out->weights = array_new(count, out->arity * sizeof *out->weights, b->r);
    const bool ok = out->parents && out->weights && fill(b, e, &cells, count, points, out);
    free(cells.edges);
    return ok;
}

void cell_weights_free(cell_weights* w) {
    free(w->parents);
    free(w->weights);
    *w = (cell_weights){0};
}
