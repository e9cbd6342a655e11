/* Contact surfaces of the tests: sheets of triangles, ropes, and what stands on them. */
#ifndef TAUT_TEST_SURFACE_SCENES_H
#define TAUT_TEST_SURFACE_SCENES_H

#include "contact_scenes.h"

/* Triangles or segments (NULL: none) of points of the scene; its contact points. */
taut_range surface_add(taut_scene* scene, size_t triangles, const uint32_t* corners, size_t segments,
                       const uint32_t* ends, double radius, uint32_t material);

/* A flat rectangle of squares, two triangles each, its middle at `at`; x goes along the first of the axes q (NULL: the
 * world's), its other side along their -z, so that its normal is their y. */
typedef struct surface_sheet {
    size_t columns, rows;
    double width, height, mass, radius; /* of all of it; half of its thickness */
    double at[3];
    const double* q;
    phys_diagonal diagonal;
    bool fixed;
    double link; /* m/N of its edges, < 0: no links */
    uint32_t material;
} surface_sheet;

/* Adds it; the first of its (columns + 1) (rows + 1) points, in the order of phys_grid. */
uint32_t surface_add_sheet(taut_scene* scene, const surface_sheet* sheet);
size_t surface_sheet_points(const surface_sheet* sheet);

/* A rope of equal links; the first of its links + 1 points. */
uint32_t surface_add_rope(taut_scene* scene, size_t links, const double from[3], const double to[3], double mass,
                          double compliance, double radius, uint32_t material);
/* A particle that touches; its number. */
uint32_t surface_add_ball(taut_scene* scene, const double at[3], double mass, double radius, uint32_t material);

/* The least distance of two segments, by their ends and by the lines they are on. */
double surface_segment_distance(const double a[3], const double b[3], const double c[3], const double d[3]);

/* A sheet of springs on the ground, and one above it, of so many cells a side. */
taut_scene* surface_two_sheets(uint32_t cells);

#endif
