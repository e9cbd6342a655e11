/* Mapped points: points whose positions a kinematic mapping computes from other points and frames, the parents.
 *
 * A mapped point can have constraints, forces and a mass, can be the parent of further mapped points, and is read like
 * a particle. It is no unknown of the step. The Jacobian J of the mapping gives velocities of mapped points from those
 * of their parents. Its transpose applies forces on mapped points to the parents. A mass m on a mapped point adds m J^T
 * J to the matrix A of the step.
 *
 * Every function returns the range of the new points in the numbering of the particles. Parents must exist before the
 * call, so that the graph of mappings has no cycles. The library multiplies chains of linear mappings into one mapping
 * when it adds them, so that the length of a chain does not affect the time of a step. */
#ifndef TAUT_MAPPINGS_H
#define TAUT_MAPPINGS_H

#include "taut/bodies.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Points fixed on bodies: x = x_body + R r, with R the rotation of the body. */
typedef struct taut_body_points_def {
    uint32_t cookie;
    uint32_t bytes;
    size_t count;
    const taut_body* bodies; /* count: the bodies; NULL: `body` for all points */
    taut_body body;          /* default TAUT_WORLD, which has no points: it must be set where `bodies` is NULL */
    const double* positions; /* count x 3, m: current positions in world axes; NULL: from `local` */
    const double* local;     /* count x 3, m: r, in body axes from the centre of mass; NULL: from `positions` */
    const double* masses;    /* count, kg, >= 0; NULL: no masses */
} taut_body_points_def;

/* Weighted sums of points, x = sum_k w_k x_k: subsets, barycentric embeddings, differences. */
typedef struct taut_combinations_def {
    uint32_t cookie;
    uint32_t bytes;
    size_t count;
    const size_t* offsets;   /* count + 1, offsets[0] = 0, strictly increasing: point i has the parents [offsets[i],
                                offsets[i+1]); NULL: `arity` parents each */
    size_t arity;            /* parents per point without `offsets`; default 1 */
    const uint32_t* parents; /* offsets[count], or count x arity: points, each at most once per new point */
    const double* weights;   /* offsets[count], or count x arity; NULL: 1 each */
    const double* masses;    /* count, kg, >= 0; NULL: no masses */
} taut_combinations_def;

/* Any sparse linear map: coordinate c = 3 i + a of new point i is sum_e weights[e] q[coordinates[e]], over the entries
 * e in [offsets[c], offsets[c+1]), with q[3 n + b] coordinate b of point n. A coordinate without entries is 0. */
typedef struct taut_linear_map_def {
    uint32_t cookie;
    uint32_t bytes;
    size_t count;                /* points */
    const size_t* offsets;       /* 3 count + 1, offsets[0] = 0, not decreasing */
    const uint32_t* coordinates; /* offsets[3 count]; each coordinate at most once per row */
    const double* weights;       /* offsets[3 count] */
    const double* masses;        /* count, kg, >= 0; NULL: no masses */
} taut_linear_map_def;

/* Linear blend skinning: x = sum_k w_k (x_k + R_k r_k) over bodies k. r_k is the position of the point in the axes of
 * body k when the point is added, from the centre of mass of the body. */
typedef struct taut_skinned_def {
    uint32_t cookie;
    uint32_t bytes;
    size_t count;
    const double* positions; /* count x 3, m, world axes: the points, for the current poses of the bodies */
    const size_t* offsets;   /* count + 1, offsets[0] = 0, strictly increasing: point i has the bodies [offsets[i],
                                offsets[i+1]); NULL: `arity` bodies each */
    size_t arity;            /* bodies per point without `offsets`; default 1 */
    const taut_body* bodies; /* offsets[count], or count x arity: the bodies, each at most once per point */
    const double* weights;   /* offsets[count], or count x arity; the sum of each point is 1 to 1e-6 */
    const double* masses;    /* count, kg, >= 0; NULL: no masses */
} taut_skinned_def;

/* Lengths: the first coordinate of the new point is |x_parent|, the other two are 0. If the parent is the difference of
 * two points, the length is their distance, and a TAUT_LINEAR row on this coordinate is a distance constraint. */
typedef struct taut_norms_def {
    uint32_t cookie;
    uint32_t bytes;
    size_t count;
    const uint32_t* parents; /* count: points */
} taut_norms_def;

TAUT_DEFAULT(taut_body_points_def, taut_default_body_points, TAUT_DEFINITION_BODY_POINTS)
TAUT_DEFAULT(taut_combinations_def, taut_default_combinations, TAUT_DEFINITION_COMBINATIONS)
TAUT_DEFAULT(taut_linear_map_def, taut_default_linear_map, TAUT_DEFINITION_LINEAR_MAP)
TAUT_DEFAULT(taut_skinned_def, taut_default_skinned, TAUT_DEFINITION_SKINNED)
TAUT_DEFAULT(taut_norms_def, taut_default_norms, TAUT_DEFINITION_NORMS)

/* Adds points on bodies; `range` (may be NULL) receives their numbers. */
TAUT_API taut_status taut_scene_add_body_points(taut_scene* scene, const taut_body_points_def* def, taut_range* range);
/* Adds weighted sums; `range` (may be NULL) receives the numbers of the points. */
TAUT_API taut_status taut_scene_add_combinations(taut_scene* scene, const taut_combinations_def* def,
                                                 taut_range* range);
/* Adds a linear map; `range` (may be NULL) receives the numbers of the points. */
TAUT_API taut_status taut_scene_add_linear_map(taut_scene* scene, const taut_linear_map_def* def, taut_range* range);
/* Adds skinned points; `range` (may be NULL) receives their numbers. */
TAUT_API taut_status taut_scene_add_skinned(taut_scene* scene, const taut_skinned_def* def, taut_range* range);
/* Adds lengths; `range` (may be NULL) receives the numbers of the points. */
TAUT_API taut_status taut_scene_add_norms(taut_scene* scene, const taut_norms_def* def, taut_range* range);

/* Barycentric coordinates of a point with respect to an edge, triangle or tetrahedron with 2, 3 or 4 corners.
 * `positions`: corners x 3, m. The coordinates are those of the point nearest to `point` on the line, in the plane or
 * in the space of the corners. `weights` receives one number per corner; their sum is 1. TAUT_INVALID_ARGUMENT for
 * another number of corners, and for a degenerate cell. */
TAUT_API taut_status taut_barycentric(size_t corners, const double* positions, const double point[3], double* weights);

#ifdef __cplusplus
}
#endif

#endif
