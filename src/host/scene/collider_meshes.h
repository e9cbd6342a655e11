/* All meshes of a scene, and how they are made. */
#ifndef TAUT_SCENE_COLLIDER_MESHES_H
#define TAUT_SCENE_COLLIDER_MESHES_H

#include "base/memory.h"
#include "model/collider_mesh.h"
#include "model/hull.h"

/* The arrays of all, as in model/layout.h. */
typedef struct scene_meshes {
    taut_buffer list;                    /* taut_mesh */
    taut_buffer corners;                 /* double, 9 per triangle */
    taut_buffer normals;                 /* double, 3 per part of a triangle */
    taut_buffer salient;                 /* uint32, per triangle */
    taut_buffer boxes;                   /* float, 6 each */
    taut_buffer vertices;                /* uint32: points of the scene, of those that deform */
    taut_buffer deforming;               /* taut_deforming */
    taut_buffer hulls;                   /* taut_hull, and in it: */
    taut_buffer hull_corners;            /* double, 3 each */
    taut_buffer hull_begins, hull_links; /* uint32 */
    taut_buffer hull_faces;              /* taut_hull_face */
} scene_meshes;

void meshes_release(const taut_allocator* allocator, scene_meshes* meshes);
/* Into empty ones; on failure what is there is the caller's to release. */
taut_status meshes_copy(const taut_allocator* allocator, const scene_meshes* from, scene_meshes* to);

/* Triangles of a mesh that deforms; NULL: it is rigid. */
const taut_deforming* meshes_deforming(const scene_meshes* meshes, uint32_t mesh);

/* The grid of a mesh, which reaches this far beyond it, and two cells more; refused where it is too large. */
taut_status mesh_grid_plan(const scene_meshes* meshes, double reach, taut_mesh* mesh);
size_t mesh_grid_values(const taut_mesh* mesh);
/* Signed distances at its points. */
void mesh_grid_fill(const scene_meshes* meshes, const taut_mesh* mesh, double* values);

/* What is across an edge of an open surface at its border. */
#define MESH_BORDER UINT32_MAX

/* Surfaces of merged vertices: what host/scene/collider_mesh_topology.c finds. */
typedef struct mesh_topology {
    size_t count;      /* triangles */
    uint32_t* corners; /* 3 each: of vertices in one place the first one */
    uint32_t*
        across; /* 3 each: half-edge on the other side; half-edge 3 t + i goes from corner i of t to the next one */
} mesh_topology;

/* Merges vertices in one place, drops triangles that become a line or a point by that, and refuses what is turned
 * against its neighbours, without an area, or not closed unless `open`. Turns all triangles of what is closed where
 * they enclose a negative volume. */
taut_status mesh_topology_make(const taut_allocator* allocator, bool open, size_t vertices, const double* positions,
                               size_t count, const uint32_t* triangles, mesh_topology* out);
void mesh_topology_release(const taut_allocator* allocator, size_t given, mesh_topology* t);

/* Nine coordinates of each triangle, and unit normals of its parts: of its plane, the sum of those of both sides of an
 * edge, and the sum around a corner of those of the planes, weighted by their angles there. */
taut_status mesh_normals(const taut_allocator* allocator, const mesh_topology* t, const double* positions,
                         double* corners, double* normals);

/* Which edges and corners stick out, of either side: TAUT_MESH_BIT of each, in one of the triangles that have it. An
 * edge does where it is convex, a corner where no edge leaves it along its normal, and what is at a border. Flat parts
 * do not. All triangles that have a part at a border tell so. */
void mesh_salient(const mesh_topology* t, const double* corners, double* normals, uint32_t* salient);

/* Adds the hull of a closed surface if it is convex, and one piece; its number, or TAUT_NO_HULL, goes to `hull`. */
taut_status mesh_hull_add(const taut_allocator* allocator, scene_meshes* meshes, const mesh_topology* t,
                          size_t vertices, const double* positions, uint32_t* hull);

#endif
