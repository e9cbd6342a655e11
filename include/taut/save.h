/* Saving and restoring the whole state of a world: a step after taut_world_load gives the same bits as it would have
 * given after taut_world_save.
 *
 * The state is everything that a step depends on and that changes after creation: positions and velocities, multipliers
 * and impulses, what contacts and friction remember, running averages, bounds and broken constraints, constraints that
 * were added or taken away with their ids, moving targets, time and counters, what the guard of the step knows, and all
 * parameters that calls have set (forces, masses that are fixed, compliances, moduli, rest values, goals, gravity,
 * integrator, solver). It does not contain the scene.
 *
 * A block belongs to worlds of the same scene with the same reserve, by any number of threads. Bits are equal on the
 * backend that saved it and with the same room for contacts. A block of the other backend is taken if both number
 * particles alike, and refused otherwise. `reorder` and what a solver fixes at creation must agree. Blocks are for this
 * version of the library and this kind of machine. The checksum finds damage, not malice: load only what a trusted
 * program has saved.
 */
#ifndef TAUT_SAVE_H
#define TAUT_SAVE_H

#include "taut/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of blocks that this library writes, and the only one that it reads. */
#define TAUT_SAVED_VERSION 17

/* What a block says of itself. */
typedef struct taut_saved {
    uint32_t version;          /* of the block: TAUT_SAVED_VERSION of the library that saved it */
    size_t bytes;              /* of the whole block */
    uint64_t steps;            /* completed when it was saved */
    double time;               /* s, simulated by then */
    uint32_t contact_capacity; /* room for contacts of the world that was saved; 0 where nothing can touch */
    uint32_t contacts;         /* the least room that a world needs for it */
} taut_saved;

/* The bytes that taut_world_save needs at most, until a call to taut_world_grow_*. */
TAUT_API taut_status taut_world_state_size(const taut_world* world, size_t* bytes);

/* Saves the state to `block`, which has room for `capacity` bytes, and tells how many it took (`bytes` may be NULL).
 * Waits for the backend. TAUT_OUT_OF_CAPACITY if the block is too small; it is then not written. */
TAUT_API taut_status taut_world_save(taut_world* world, size_t capacity, void* block, size_t* bytes);

/* taut_saved_describe, for structs of `size` bytes. */
TAUT_API taut_status taut_saved_describe_sized(const void* block, size_t bytes, taut_saved* saved, size_t size);
/* Checks a block of `bytes` bytes and tells what it is. TAUT_INVALID_ARGUMENT, with what is wrong, if it is no block,
 * truncated, damaged or of another version. */
static inline taut_status taut_saved_describe(const void* block, size_t bytes, taut_saved* saved) {
    return taut_saved_describe_sized(block, bytes, saved, sizeof *saved);
}

/* Restores a state. Failures leave the world as it is: TAUT_INVALID_ARGUMENT as above, and if the block is of another
 * scene; TAUT_OUT_OF_CAPACITY if the world has room for fewer contacts than `taut_saved.contacts`. A fault that the
 * world has not told of yet is forgotten. */
TAUT_API taut_status taut_world_load(taut_world* world, const void* block, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
