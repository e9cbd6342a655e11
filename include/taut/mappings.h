/* Mapped points: points that depend on other points and frames. They may be parents of further ones, carry
 * constraints, forces and masses, and are read like particles, but they are no unknowns: velocities go forward through
 * the mapping, forces go back, and a mass m on a point with Jacobian J adds m J^T J to A.
 *
 * Every call returns the range of the new points in the numbering of the particles. Parents must exist already, so the
 * graph has no cycles. Chains of linear mappings are multiplied out when they are added: their depth costs nothing. */
#ifndef TAUT_MAPPINGS_H
#define TAUT_MAPPINGS_H

#include "taut/bodies.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Points fixed on bodies: x = x_body + R r. */
typedef struct taut_body_points_def {
    uint32_t cookie;
    size_t count;
    const uint32_t* bodies;  /* count: frames of bodies; NULL: `body` for all */
    uint32_t body;           /* default 0 */
    const double* positions; /* count x 3, m, world: where they are now; NULL: `local` */
    const double* local;     /* count x 3, m: in the body's axes from its centre of mass; NULL: from `positions` */
    const double* masses;    /* count, kg, >= 0; NULL: no masses */
} taut_body_points_def;

/* Weighted sums of points: x = sum_k w_k x_k. Subsets, barycentric embeddings, differences. */
typedef struct taut_combinations_def {
    uint32_t cookie;
    size_t count;
    const size_t* offsets;   /* count + 1, offsets[0] = 0, increasing; NULL: `arity` parents each */
    size_t arity;            /* default 1 */
    const uint32_t* parents; /* offsets[count], or count x arity; a parent once per point */
    const double* weights;   /* likewise; NULL: 1 each */
    const double* masses;    /* count, kg, >= 0; NULL: no masses */
} taut_combinations_def;

/* Any sparse linear map: coordinate c = 3 i + a of new point i is sum_e weights[e] q[coordinates[e]] over the entries
 * [offsets[c], offsets[c+1]), which may be none, with q[3 n + b] coordinate b of point n. */
typedef struct taut_linear_map_def {
    uint32_t cookie;
    size_t count;                /* points */
    const size_t* offsets;       /* 3 count + 1, offsets[0] = 0, not decreasing */
    const uint32_t* coordinates; /* no coordinate twice in a row */
    const double* weights;       /* one per coordinate */
    const double* masses;        /* count, kg, >= 0; NULL: no masses */
} taut_linear_map_def;

/* Linear blend skinning: x = sum_k w_k (x_k + R_k r_k) over bodies k, with r_k such that every body alone would put the
 * point where it is bound. */
typedef struct taut_skinned_def {
    uint32_t cookie;
    size_t count;
    const double* positions; /* count x 3, m, world: where the points are bound, at the bodies' current poses */
    const size_t* offsets;   /* count + 1, offsets[0] = 0, increasing; NULL: `arity` bodies each */
    size_t arity;            /* default 1 */
    const uint32_t* bodies;  /* offsets[count], or count x arity: frames of bodies; a body once per point */
    const double* weights;   /* likewise; their sum is 1 to 1e-6 */
    const double* masses;    /* count, kg, >= 0; NULL: no masses */
} taut_skinned_def;

/* Lengths: the first coordinate of the new point is |x_parent|, the others are 0. Of a difference of two points it is
 * their distance; a TAUT_LINEAR row on it carries a compliance, and is then a distance constraint. */
typedef struct taut_norms_def {
    uint32_t cookie;
    size_t count;
    const uint32_t* parents; /* count: points */
} taut_norms_def;

TAUT_API taut_body_points_def taut_default_body_points(void);
TAUT_API taut_combinations_def taut_default_combinations(void);
TAUT_API taut_linear_map_def taut_default_linear_map(void);
TAUT_API taut_skinned_def taut_default_skinned(void);
TAUT_API taut_norms_def taut_default_norms(void);

/* `range` may be NULL. */
TAUT_API taut_status taut_scene_add_body_points(taut_scene* scene, const taut_body_points_def* def, taut_range* range);
/* Adds weighted sums; `range` may be NULL. */
TAUT_API taut_status taut_scene_add_combinations(taut_scene* scene, const taut_combinations_def* def,
                                                 taut_range* range);
/* Adds a linear map; `range` may be NULL. */
TAUT_API taut_status taut_scene_add_linear_map(taut_scene* scene, const taut_linear_map_def* def, taut_range* range);
/* Adds skinned points; `range` may be NULL. */
TAUT_API taut_status taut_scene_add_skinned(taut_scene* scene, const taut_skinned_def* def, taut_range* range);
/* Adds lengths; `range` may be NULL. */
TAUT_API taut_status taut_scene_add_norms(taut_scene* scene, const taut_norms_def* def, taut_range* range);

/* Weights of the 2, 3 or 4 corners (count x 3) of an edge, triangle or tetrahedron at the point of its line, plane or
 * space nearest to `point`; their sum is 1. TAUT_INVALID_ARGUMENT for another number or a degenerate cell. */
TAUT_API taut_status taut_barycentric(size_t corners, const double* positions, const double point[3], double* weights);

#ifdef __cplusplus
}
#endif

#endif
