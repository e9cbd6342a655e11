/* A plain description of a scene from which both a taut_scene and the float64 reference are made, so that a test
 * writes its scene once. Constraints are kept sorted by kind, in order of addition: the order of the world's rows. */
#ifndef TAUT_TEST_ORACLE_SCENE_H
#define TAUT_TEST_ORACLE_SCENE_H

#include <taut/taut.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ORACLE_ENTRIES = 16 };

typedef struct oracle_particle {
    double x[3];
    double v[3];
    double force[3]; /* N, beside gravity */
    double mass;
    bool fixed;
} oracle_particle;

typedef struct oracle_constraint {
    taut_kind kind;
    uint32_t particles[4];
    /* length | offset (3) | target (3) | angle | rest shape (3 x 2) | volume | rest shape (4 x 3) | rest value */
    double rest[12];
    double rate[3];    /* velocity of a target */
    double compliance; /* 1/E for membranes and tetrahedron strain */
    double poisson;
    double damping;
    uint32_t entries; /* of a linear row */
    uint32_t coordinates[ORACLE_ENTRIES];
    double weights[ORACLE_ENTRIES];
    taut_batch batch; /* set by oracle_scene_build ... */
    uint32_t member;  /* ... with the index within it */
} oracle_constraint;

typedef struct oracle_scene {
    size_t particle_count;
    oracle_particle* particles;
    size_t constraint_count;
    oracle_constraint* constraints;
} oracle_scene;

uint32_t oracle_scene_particle(oracle_scene* scene, double x, double y, double z, double mass, bool fixed);
/* Pointers to constraints are good until the next is added. */
oracle_constraint* oracle_scene_constraint(oracle_scene* scene, const oracle_constraint* constraint);
void oracle_scene_free(oracle_scene* scene);

/* Nodes of a constraint (0 for linear rows) and rows. */
int oracle_nodes(taut_kind kind);
int oracle_rows(taut_kind kind);
size_t oracle_row_count(const oracle_scene* scene);

/* Adds everything to a new scene: one batch for every run of constraints of one kind and Poisson ratio. */
taut_status oracle_scene_build(oracle_scene* scene, taut_scene** out);
/* A world of the description; the intermediate scene is gone. */
taut_status oracle_scene_world(oracle_scene* scene, const taut_world_def* def, taut_world** world);
/* Makes the world's next step of dt seconds move targets and fixed particles as the description says. */
taut_status oracle_scene_drive(const oracle_scene* scene, taut_world* world, double dt);
/* Copies positions and velocities of the world into the description, and targets to where they are after dt. */
taut_status oracle_scene_follow(oracle_scene* scene, taut_world* world, double dt);

#ifdef __cplusplus
}
#endif

#endif
