/* One mesh that colliders have: a closed surface of triangles, with a grid of its signed distance if that is asked for,
 * or with points of the scene at its vertices; or a two-sided surface, which may be open. */
#ifndef TAUT_MODEL_COLLIDER_MESH_H
#define TAUT_MODEL_COLLIDER_MESH_H

#include <stddef.h>
#include <stdint.h>

/* Parts of a triangle, each with the normal that tells the side of a place nearest to it: edge i goes from corner i to
 * the next one. */
enum { TAUT_MESH_FACE, TAUT_MESH_EDGE, TAUT_MESH_CORNER = TAUT_MESH_EDGE + 3, TAUT_MESH_PARTS = TAUT_MESH_CORNER + 3 };

/* The bit of a part among those that stick out: seen from outside, from inside, and whether it is at the border of an
 * open mesh. */
enum { TAUT_MESH_INSIDE = 8, TAUT_MESH_BORDER = 16 };
#define TAUT_MESH_BIT(part) (UINT32_C(1) << (part))

/* Where one mesh is in the arrays of all. Its triangles stand in the order of the leaves of their tree of boxes. */
typedef struct taut_mesh {
    size_t first_triangle;
    size_t first_box; /* of node 0 of the tree, which is none */
    uint32_t triangles, leaves;
    uint32_t points[3]; /* of the grid, in a world */
    size_t first_value; /* x runs fastest */
    double origin[3];   /* m, of the first point */
    double spacing;     /* m; 0: no grid */
    double half;        /* m, of its thickness where it has two sides; 0: it is closed */
    uint32_t hull;      /* number of its hull where it is convex, else TAUT_NO_HULL */
    uint32_t vertices;  /* that are points of the scene; 0: it is rigid */
    size_t first_vertex, first_deforming;
} taut_mesh;

#define TAUT_NO_HULL UINT32_MAX

/* A triangle whose corners are points of the scene. Half-edge 3 t + i of a mesh goes from corner i of its triangle t to
 * the next one. */
typedef struct taut_deforming {
    size_t triangle, box; /* that it is, and the leaf of the tree that it has, among those of all meshes */
    uint32_t vertex[3];   /* among those of all meshes */
    uint32_t across[3];   /* half-edges on the other side of its own */
} taut_deforming;

#endif
