/* Closed triangle meshes for the tests of colliders, and what is known about them without a tree or normals: distances
 * by a search over all triangles, the side by the solid angle that all of them fill. */
#ifndef TAUT_TEST_CLOSED_MESHES_H
#define TAUT_TEST_CLOSED_MESHES_H

#include "phys_scenes.h"

/* Corners at +-half, two triangles a side. */
phys_mesh closed_box(const double half[3]);
/* An icosahedron whose triangles are cut in four so many times, corners at `radius`. */
phys_mesh closed_ball(int cuts, double radius);
/* Rings of radius `thin` about a circle of radius `wide` about z. */
phys_mesh closed_torus(double wide, double thin, size_t around, size_t across);
/* A right angle of two arms, 1 m long and 0.4 m thick, in the x-y plane, `height` high: its inner edge is concave. */
phys_mesh closed_angle(double height);
/* A pyramid with a base of 1 m x 0.1 m whose tip hangs over by 2 m: edges and corners are far from square. */
phys_mesh closed_thorn(void);
/* An icosahedron with a long spike on every side. */
phys_mesh closed_star(void);
/* Both, side by side. */
phys_mesh closed_both(const phys_mesh* a, const phys_mesh* b);

void closed_move(phys_mesh* mesh, double factor, const double by[3]);
/* Every triangle the other way round. */
void closed_turn(phys_mesh* mesh);
/* Every triangle with vertices of its own. */
phys_mesh closed_apart(const phys_mesh* mesh);

/* Polygons are fanned. Without triangles where the file is absent. */
phys_mesh closed_read_obj(const char* path);

/* How often the triangles go round p: 1 inside, 0 outside. */
double closed_winding(const phys_mesh* mesh, const double p[3]);
/* Distance with the sign of the side. */
double closed_distance(const phys_mesh* mesh, const double p[3]);

taut_collider_mesh_def closed_def(const phys_mesh* mesh, double spacing);
/* Number of the mesh in the scene; its memory remains the caller's. */
uint32_t closed_add(taut_scene* scene, const phys_mesh* mesh, double spacing);
/* Fixed particles at its vertices, and a collider that follows them; its number. */
uint32_t closed_add_deforming(taut_scene* scene, const phys_mesh* mesh, uint32_t material);

#endif
