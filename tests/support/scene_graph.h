/* One small fixed scene of bodies, joints, a rod and mapped points of every kind, with particles of the other kinds
 * beside them in an order without meaning, so that worlds renumber. */
#ifndef TAUT_TEST_SCENE_GRAPH_H
#define TAUT_TEST_SCENE_GRAPH_H

#include <taut/taut.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bodies by what is done with them; GRAPH_FIRST_BODY to GRAPH_TIP hang on one another. */
enum {
    GRAPH_FIRST_BODY, /* on the world by a ball joint */
    GRAPH_HINGED,     /* driven, to the one before */
    GRAPH_SLIDING,    /* driven, to the one before */
    GRAPH_UNIVERSAL,
    GRAPH_TIP,             /* by a fixed joint */
    GRAPH_HINGED_TO_WORLD, /* the next four on the world, by a joint each; the first and second are driven */
    GRAPH_SLIDING_ON_WORLD,
    GRAPH_UNIVERSAL_ON_WORLD,
    GRAPH_FIXED_TO_WORLD,
    GRAPH_SWINGING, /* on the hinged one, by a ball joint */
    GRAPH_HELD,     /* fixed: moved by the user */
    GRAPH_SPUN,     /* free, spinning */
    GRAPH_BODIES
};

enum { GRAPH_BATCHES = 32 };

typedef struct scene_graph {
    taut_body_ranges bodies;
    taut_joint_batches joints[TAUT_JOINT_TYPE_COUNT]; /* two of each: on the world, between bodies */
    taut_rod_ranges rod;                              /* first point and frame fixed; the last ones on GRAPH_SPUN */
    taut_range sheet;                                 /* its first particle fixed */
    taut_range rope, corners;
    taut_range body_points;         /* a mass on the second */
    taut_range skinned;             /* a mass on the first */
    taut_range combinations;        /* a mass on the first; the others are differences */
    taut_range linear_map;          /* with a mass; of level 2 */
    taut_range lengths;             /* of the differences */
    taut_range length_of_lengths;   /* of level 4 */
    taut_range passive;             /* a body point and a skinned one that nothing asks for */
    taut_range passive_on_passive;  /* of level 2, of the first of those */
    taut_range passive_on_a_length; /* of level 3 */
    taut_batch edges;               /* distances of the sheet */
    taut_batch target;              /* holds the centre of GRAPH_SPUN */
    taut_batch clamp;               /* alignment of the rod's end with GRAPH_SPUN */
    size_t batch_count;
    taut_batch batches[GRAPH_BATCHES]; /* all of them, but for those of `joints` and `rod` that are in them, too */
} scene_graph;

/* Adds everything behind what the scene has. */
taut_status scene_graph_add(taut_scene* scene, scene_graph* graph);
/* A world of this scene alone. */
taut_status scene_graph_world(const taut_world_def* def, scene_graph* graph, taut_world** world);

#ifdef __cplusplus
}
#endif

#endif
