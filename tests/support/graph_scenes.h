/* Random mechanisms: particles, bodies, a piece of rod, points mapped from them in several levels, and constraints on
 * any of these states. */
#ifndef TAUT_TEST_GRAPH_SCENES_H
#define TAUT_TEST_GRAPH_SCENES_H

#include <taut/taut.h>

#include "dense_matrix.h"

/* All constraints have this damping time; their compliances are random, and never 0. */
#define GRAPH_DAMPING 0.003

typedef struct graph_options {
    uint64_t seed;
    uint32_t depth; /* lengths of combinations of lengths, so often: 2 depth levels. 0: points on bodies and lengths of
                       differences of particles alone */
    bool plain;     /* no bends, no elements */
    bool massless;  /* no masses on mapped points; the same scene otherwise */
} graph_options;

/* x_point += R local */
typedef struct graph_arm {
    uint32_t point, frame;
    double local[3];
    double mass; /* of the point, with each of its arms */
} graph_arm;

typedef struct graph_joint {
    uint32_t frames[2], centres[2];
    double anchor[2][3], axes[2][4]; /* in the bodies' axes */
} graph_joint;

/* How the scene is made, for an account of its own. */
typedef struct graph_record {
    uint32_t arm_count;
    graph_arm arms[16];
    graph_joint joints[TAUT_JOINT_TYPE_COUNT]; /* one of each type, in order */
    double mass[256];                          /* of mapped points */
    taut_range lengths;                        /* of the last level */
    uint32_t length_parents[3];
    uint32_t linear_count; /* rows */
    size_t linear_offsets[8];
    uint32_t linear_coordinates[20];
    double linear_weights[20];
} graph_record;

/* A world some steps into its motion, with what its points and frames are at a moment. */
typedef struct graph_world {
    taut_world* world;
    taut_world_def def;
    size_t points, frames, n, m; /* n = 3 (points + frames) */
    uint32_t* mapped;            /* 1 of each mapped point */
    uint32_t* fixed;             /* of each point, then of each frame */
    double *x, *q, *v, *omega;   /* of points and frames, as last read */
    double* forces;              /* n: of the user on points and frames */
    random_state random;
    graph_record record;
} graph_world;

/* Adds everything to the scene. `mapped` and `fixed` as above, to be freed. */
bool graph_scene(const graph_options* options, taut_scene* scene, graph_record* record, uint32_t** mapped,
                 uint32_t** fixed);
/* A world of it after `steps` steps of h, whatever `def` says with a solver of high accuracy; false where something
 * failed, which is reported. */
bool graph_open_world(graph_world* g, const graph_options* options, const taut_world_def* def, int steps, double h);
void graph_close_world(graph_world* g);

/* Reads x, q, v, omega. */
void graph_read(graph_world* g);
/* The state as last read, moved by e d (n values, turns of frames in world axes), is written to the world. Points that
 * are mapped follow by themselves. */
void graph_write_moved(graph_world* g, double e, const double* d);

/* The state of one world in another of the same points and frames. */
void graph_copy_state(const graph_world* from, graph_world* to);

/* q' = exp(turn) q */
void graph_turn(const double q[4], const double turn[3], double out[4]);
void graph_rotate(const double q[4], const double v[3], double out[3]);

#endif
