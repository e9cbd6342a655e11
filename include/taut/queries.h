/* Queries: what a ray meets first, what is nearest to a point, and what overlaps a shape.
 *
 * A query sees everything of a world that has a shape, as it is now: colliders, those without `solid` included; the
 * triangles and segments of contact surfaces, thickened by their radius; and contact points that belong to no surface,
 * as balls (ropes, cloth and soft bodies are contact surfaces in scene files). It sees no contact point that a collider
 * of the same body stands for. Distances to a collider mesh are those to its triangles, also where contacts use a grid.
 *
 * Queries come in batches. Arrays are the caller's, in host memory. A call allocates nothing, changes no state that
 * steps read, and gives the same results for every number of threads. On CUDA a batch is computed on the device, and
 * every call waits for it. The first call after a step builds the trees anew. While the world's stream is being
 * captured, queries fail with TAUT_INVALID_ARGUMENT. */
#ifndef TAUT_QUERIES_H
#define TAUT_QUERIES_H

#include "taut/contact.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which objects a query sees: as contacts have it, those where the mask of each has a bit of the group of the other. */
typedef struct taut_query_filter {
    uint32_t group, mask; /* of the query */
} taut_query_filter;

/* What a query has found. */
typedef enum taut_found {
    TAUT_FOUND_NOTHING = 0,  /* nothing within reach */
    TAUT_FOUND_COLLIDER = 1, /* a collider */
    TAUT_FOUND_FACE = 2,     /* a triangle or a segment of a contact surface */
    TAUT_FOUND_POINT = 3     /* a contact point of no surface */
} taut_found;

/* A ray. */
typedef struct taut_ray {
    double origin[3];    /* m */
    double direction[3]; /* of any length > 0 */
    double length;       /* m, >= 0: how far it goes; INFINITY is allowed */
} taut_ray;

/* An answer about one place. Numbers that do not apply are UINT32_MAX. */
typedef struct taut_hit {
    taut_found found;    /* what it is */
    uint32_t collider;   /* number of the collider */
    uint32_t surface;    /* number of the contact surface, in the order of addition */
    uint32_t face;       /* number of the triangle or segment, counted through all surfaces in the order of addition: of
                            each surface the triangles as they were given, then its segments */
    uint32_t corners[3]; /* contact points of the triangle (the second one of a segment occurs twice), or the contact
                            point */
    double weights[3];   /* barycentric: which place of the triangle or segment is nearest to `position`; else 0 */
    double position[3];  /* m, on the surface of what was found */
    double normal[3];    /* unit vector, outwards there */
    double distance;     /* m: along the ray; of a point to `position`, negative inside. INFINITY where nothing was
                            found */
} taut_hit;

/* A convex shape for overlaps. */
typedef struct taut_query_shape {
    taut_shape shape;      /* sphere, capsule, box, cylinder or cone */
    double size[3];        /* m, as in taut_colliders_def */
    double position[3];    /* m */
    double orientation[4]; /* quaternion */
} taut_query_shape;

/* Something that overlaps a shape; as in taut_hit. */
typedef struct taut_overlap {
    taut_found found;    /* what it is */
    uint32_t collider;   /* number of the collider */
    uint32_t surface;    /* number of the contact surface */
    uint32_t face;       /* number of the triangle or segment */
    uint32_t corners[3]; /* contact points */
} taut_overlap;

/* taut_world_cast_rays, for structs of `size` bytes. */
TAUT_API taut_status taut_world_cast_rays_sized(taut_world* world, size_t count, const taut_ray* rays,
                                                const taut_query_filter* filter, taut_hit* hits, size_t size);
/* The first thing that each of `count` rays meets: `hits` receives count answers. A ray that starts inside of something
 * meets it at distance 0, where the normal is opposite to the ray. Of things at one distance the first one counts:
 * colliders, then faces, then points, by number. Points without a radius are met by no ray. `filter` NULL: everything.
 * TAUT_INVALID_ARGUMENT for a ray that is not finite or has no direction. Waits for the backend. */
static inline taut_status taut_world_cast_rays(taut_world* world, size_t count, const taut_ray* rays,
                                               const taut_query_filter* filter, taut_hit* hits) {
    return taut_world_cast_rays_sized(world, count, rays, filter, hits, sizeof *hits);
}

/* taut_world_closest_points, for structs of `size` bytes. */
TAUT_API taut_status taut_world_closest_points_sized(taut_world* world, size_t count, const double* points,
                                                     double reach, const taut_query_filter* filter, taut_hit* hits,
                                                     size_t size);
/* What is nearest to each of `count` points (count x 3, m), among what is no farther than `reach` (m, >= 0; INFINITY is
 * allowed): `hits` receives count answers. Inside of things the one counts in which the point lies deepest. Of things
 * at one distance the first one counts, as with rays. TAUT_INVALID_ARGUMENT for points that are not finite. Waits for
 * the backend. */
static inline taut_status taut_world_closest_points(taut_world* world, size_t count, const double* points, double reach,
                                                    const taut_query_filter* filter, taut_hit* hits) {
    return taut_world_closest_points_sized(world, count, points, reach, filter, hits, sizeof *hits);
}

/* taut_world_overlaps, for structs of `size` bytes. */
TAUT_API taut_status taut_world_overlaps_sized(taut_world* world, size_t count, const taut_query_shape* shapes,
                                               const taut_query_filter* filter, uint32_t capacity,
                                               taut_overlap* overlaps, uint32_t* counts, size_t size);
/* What overlaps each of `count` shapes, in any order that is the same in every run. `overlaps` has room for `capacity`
 * things of each shape: those of shape i begin at i * capacity. `counts` receives how many there are of each, which may
 * be more than there is room for; the others are then missing. Shapes that touch count as overlapping up to rounding.
 * TAUT_INVALID_ARGUMENT for planes and meshes, and for sizes that are not positive. Waits for the backend. */
static inline taut_status taut_world_overlaps(taut_world* world, size_t count, const taut_query_shape* shapes,
                                              const taut_query_filter* filter, uint32_t capacity,
                                              taut_overlap* overlaps, uint32_t* counts) {
    return taut_world_overlaps_sized(world, count, shapes, filter, capacity, overlaps, counts, sizeof *overlaps);
}

#ifdef __cplusplus
}
#endif

#endif
