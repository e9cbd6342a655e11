/* How a mapped point depends on one parent: shared by scenes and stages. */
#ifndef TAUT_MODEL_MAPS_H
#define TAUT_MODEL_MAPS_H

/* Levels of mapped points: lengths of mapped points, single components of points on bodies, and what depends on either
 * go beyond 1. */
#define TAUT_MAX_LEVEL 12

/* The first byte of a code; of components a is in the second byte and b in the third. */
typedef enum taut_map {
    TAUT_MAP_SCALE,     /* x += w x_parent */
    TAUT_MAP_COMPONENT, /* x[a] += w x_parent[b] */
    TAUT_MAP_ARM,       /* x += R arm, of a frame */
    TAUT_MAP_NORM       /* x[0] += |x_parent| */
} taut_map;

#define TAUT_MAP_CODE(type, a, b) ((uint32_t)(type) | (uint32_t)(a) << 8 | (uint32_t)(b) << 16)
#define TAUT_MAP_TYPE(code)       ((taut_map)((code)&255u))
#define TAUT_MAP_TO(code)         ((code) >> 8 & 255u)
#define TAUT_MAP_FROM(code)       ((code) >> 16)

#endif
