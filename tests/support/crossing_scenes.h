/* Sheets, ropes and meshes that meet at any speed, and how often they go through each other, told by intersections.h.
 */
#ifndef TAUT_TEST_CROSSING_SCENES_H
#define TAUT_TEST_CROSSING_SCENES_H

#include "dense_matrix.h"
#include "surface_scenes.h"

#define CROSSING_H         (1.0 / 60)
#define CROSSING_TOLERANCE 1e-4
#define CROSSING_SHEETS    3

/* A scene, with the numbers of the points of all its edges and triangles. */
typedef struct crossing_cloud {
    taut_scene* scene;
    uint32_t material, cells, first[CROSSING_SHEETS];
    size_t sheets, edges, triangles;
    uint32_t *ends, *corners;
} crossing_cloud;

/* An empty one, of sheets of cells^2. */
crossing_cloud crossing_begin(uint32_t cells);
void crossing_end(crossing_cloud* c);
/* Points of a sheet. */
size_t crossing_points(const crossing_cloud* c);
/* Edges and triangles of points from `first` on. */
void crossing_add_mesh(crossing_cloud* c, uint32_t first, const phys_mesh* mesh);
/* A sheet of 0.4 m about `at`, turned at random by up to `tilt`. */
void crossing_add_sheet(crossing_cloud* c, random_state* r, double tilt, const double at[3]);
/* A rope of 0.6 m along x below the first sheet. */
void crossing_add_rope(crossing_cloud* c, uint32_t links);
/* Implicit Euler with so many iterations. */
taut_world* crossing_world(crossing_cloud* c, taut_backend_kind backend, uint32_t limit, bool unchecked);
void crossing_set_velocity(taut_world* world, uint32_t first, size_t count, const double v[3]);
/* How often edges go through triangles now. */
size_t crossing_cuts(taut_world* world, const crossing_cloud* c);
/* Of a place from all triangles. */
double crossing_distance(taut_world* world, const crossing_cloud* c, const double p[3]);

#endif
