/* Grids of the signed distance to meshes. */
#define TAUT_REAL double
#include "base/status.h"
#include "host/scene/collider_meshes.h"
#include "kernels/stages/contact/mesh_distance.h"

/* Cells between what is asked of a grid and its sides: interpolant and gradient are good there, and positive where the
 * grid ends. */
#define MARGIN 2
/* Distances of one grid, at most. */
#define MOST_VALUES 1e9

taut_status mesh_grid_plan(const scene_meshes* meshes, double reach, taut_mesh* mesh) {
    const float* box = (const float*)meshes->boxes.data + 6 * (mesh->first_box + 1);
    const double spacing = mesh->spacing;
    double values = 1;
    for (int a = 0; a < 3; a++) {
        const double low = (double)box[a] - reach, high = (double)box[3 + a] + reach;
        const double cells = ceil((high - low) / spacing) + 2 * MARGIN;
        values *= cells + 1;
        mesh->points[a] = cells < MOST_VALUES ? (uint32_t)cells + 1 : 0;
        mesh->origin[a] = 0.5 * (low + high - cells * spacing);
    }
    return values <= MOST_VALUES
               ? TAUT_OK
               : taut_fail(
                     TAUT_INVALID_ARGUMENT,
                     "collider mesh: a grid of spacing %g m, as far as %g m about the mesh, has %g points; at most %g "
                     "are possible.",
                     spacing, reach + MARGIN * spacing, values, MOST_VALUES);
}

size_t mesh_grid_values(const taut_mesh* mesh) {
    return (size_t)mesh->points[0] * mesh->points[1] * mesh->points[2];
}

/* A row along x. A distance grows by no more than the way, so that of the point before bounds the search for the next.
 */
static void fill_row(const mesh_triangles* triangles, const taut_mesh* mesh, double p[3], double* values) {
    const double slack = 1 + 1e-6;
    double squared = INFINITY, normal[3];
    for (size_t x = 0; x < mesh->points[0]; x++) {
        mesh_place at = {squared, {0, 0, 0}, 0, 0};
        p[0] = mesh->origin[0] + (double)x * mesh->spacing;
        values[x] = mesh_nearest(triangles, p, &at) ? mesh_side(triangles, &at, normal) : 0;
        const double bound = slack * (fabs(values[x]) + mesh->spacing);
        squared = bound * bound;
    }
}

void mesh_grid_fill(const scene_meshes* meshes, const taut_mesh* mesh, double* values) {
    const mesh_triangles triangles =
        mesh_triangles_of(meshes->boxes.data, meshes->corners.data, meshes->normals.data, mesh);
    double p[3];
    for (size_t z = 0; z < mesh->points[2]; z++) {
        for (size_t y = 0; y < mesh->points[1]; y++) {
            p[1] = mesh->origin[1] + (double)y * mesh->spacing;
            p[2] = mesh->origin[2] + (double)z * mesh->spacing;
            fill_row(&triangles, mesh, p, values + (z * mesh->points[1] + y) * mesh->points[0]);
        }
    }
}
