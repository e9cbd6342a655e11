/* A mesh on its way in: readers add what the file says, mesh_draft_finish checks it and makes a mesh of it. */
#ifndef TAUT_APP_MESH_DRAFT_H
#define TAUT_APP_MESH_DRAFT_H

#include "mesh/mesh.h"

typedef struct mesh_element {
    uint32_t
        corners[4]; /* unchecked; of a triangle the first three, then the triangles of the polygon that it begins */
    size_t line;    /* of the file; 0 where the format has no lines */
} mesh_element;

typedef struct mesh_draft {
    size_t corner_count; /* of every element: 3 triangles, 4 tetrahedra */
    size_t point_count;
    size_t point_capacity;
    double (*points)[3];
    size_t element_count;
    size_t element_capacity;
    mesh_element* elements;
} mesh_draft;

void mesh_draft_free(mesh_draft* d);

bool mesh_draft_add_point(mesh_draft* d, const double point[3], report* r);
/* `corners` holds corner_count indices. */
bool mesh_draft_add_element(mesh_draft* d, const uint32_t* corners, size_t line, report* r);

/* An element, or of surfaces a quadrilateral as its fan: `count` indices. mesh_polygons.c */
bool mesh_draft_add_cell(mesh_draft* d, const uint32_t* corners, size_t count, size_t line, report* r);

/* The triangles added since then are the fan of a polygon about its first corner. */
void mesh_draft_end_polygon(mesh_draft* d, size_t first_element);

/* first[i]: the least index of a point that has the coordinates of point i. */
bool mesh_first_in_place(size_t count, const double (*points)[3], uint32_t* first, report* r);
/* Joins points with equal coordinates; those that stay keep their order. */
bool mesh_draft_join(mesh_draft* d, report* r);

/* Checks every promise of mesh.h, drops unused points and fills `out`; tetrahedra get their boundary. The draft
 * stays to be freed. */
bool mesh_draft_finish(mesh_draft* d, const char* path, mesh* out, report* r);

/* Triangles of concave polygons, in place of their fans. Corners must be points. mesh_polygons.c */
bool mesh_draft_cut_polygons(mesh_draft* d, report* r);

/* Drops triangles with a corner twice, with a warning, unless none is left. mesh_repeats.c */
void mesh_draft_drop_folded(mesh_draft* d, const char* path);

/* Drops triangles with the corners of an earlier one, in any order, with a warning. mesh_repeats.c */
bool mesh_draft_drop_repeats(mesh_draft* d, const char* path, report* r);

/* The checks of single points and elements alone, with polygons cut and folded triangles dropped between
 * them; there must be an element.
 * mesh_check.c */
bool mesh_draft_check(mesh_draft* d, const char* path, report* r);

/* 'PATH:LINE: tetrahedron 7 FAULT', as far as there is a line; returns false. mesh_check.c */
bool mesh_element_fail(const mesh_draft* d, size_t element, const char* path, const char* fault, report* r);

/* The faces of tetrahedra that no other one shares, corners in outward order, in the order of the elements. Refuses
 * two tetrahedra on the same side of a face: they overlap. mesh_boundary.c */
bool mesh_draft_boundary(const mesh_draft* d, const char* path, mesh* out, report* r);

#endif
