/* Small scenes for the inside of the multilevel preconditioner: cloth, a membrane, a solid, what has fewer motions than
 * a body, and bodies with joints, rods and mapped points. */
#ifndef TAUT_TEST_LEVEL_SCENES_H
#define TAUT_TEST_LEVEL_SCENES_H

#include "oracle_scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct level_scene {
    const char* name;
    void (*build)(oracle_scene* scene); /* NULL: scene_graph.h */
} level_scene;

enum { LEVEL_CLOTH, LEVEL_MEMBRANE, LEVEL_SOLID, LEVEL_DEGENERATE, LEVEL_GRAPH, LEVEL_SCENES };

extern const level_scene level_scenes[LEVEL_SCENES];

/* Solved by the condensed system with multilevel preconditioning. */
taut_world_def level_world(taut_backend_kind backend, taut_cycle cycle);
/* NULL where the world could not be made (already reported). */
taut_world* level_scene_world(const level_scene* scene, const taut_world_def* def);

#ifdef __cplusplus
}
#endif

#endif
