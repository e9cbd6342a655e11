/* The walk over all of a world's state (TAUT_STATE_FIELDS), which counts, saves or loads it. */
#ifndef TAUT_WORLD_STATE_WALK_H
#define TAUT_WORLD_STATE_WALK_H

#include "host/world/world_data.h"

typedef enum state_direction { STATE_COUNT, STATE_SAVE, STATE_LOAD } state_direction;

typedef struct state_walk {
    taut_world* world;
    state_direction direction;
    char* at;            /* of the block; when loading it is only read */
    size_t used;         /* bytes of it */
    uint32_t live, last; /* contacts, and those of the step before */
    taut_status status;
} state_walk;

/* What the world and its backend know beside the fields. */
typedef struct state_numbers {
    taut_memory memory;
    double gravity[3];
    taut_integrator integrator;
    taut_solver solver;
    bool weighed, passive_forces;
    taut_pace pace;
} state_numbers;

/* Constraints are in the order in which they were given. Fields that a device has are brought here,
 * or sent there. */
void state_walk_fields(state_walk* walk);

/* Of what the scene and the definition decide: worlds with the same number may exchange their states. */
uint64_t state_fingerprint(const taut_world* world);

/* Mixes bytes into a hash; the start is any number. */
uint64_t state_hash(uint64_t hash, const void* data, size_t bytes);

#endif
