/* The numbering that a world works in, chosen for locality of memory; the user never sees it.
 *
 * Points that are unknowns come before those that are mapped. Particles go along a space-filling curve (Morton's)
 * through their initial positions where that brings the particles of a constraint at least twice as close together as
 * they were given. Constraints of a kind follow their particles where they do not yet; on a device in layers: first one
 * constraint of each particle that comes first in some, then a second one, and so on. On a grid a layer holds all links
 * of one direction, so that neighbouring threads read neighbouring memory. */
#ifndef TAUT_COMPILE_ORDERING_H
#define TAUT_COMPILE_ORDERING_H

#include "host/scene/scene_data.h"
#include "model/backend.h"

typedef struct ordering {
    bool nodes_move;
    bool kind_moves[TAUT_KIND_COUNT];
    uint32_t* node;                  /* given number of each particle */
    uint32_t* node_at;               /* the other way round */
    uint32_t* mapped;                /* given number, among the mapped, of each mapped point */
    uint32_t* kind[TAUT_KIND_COUNT]; /* given number of each constraint of a kind */
    size_t bytes;                    /* of the one allocation behind the arrays */
    void* memory;
} ordering;

/* `backend` sorts. Where the plan does not reorder, only mapped points move, behind the unknowns and level by level,
 * which they must. */
taut_status ordering_make(const taut_scene* scene, const taut_backend* backend, const taut_plan* plan,
                          const taut_allocator* allocator, ordering* out);
void ordering_free(const taut_allocator* allocator, ordering* order);
bool ordering_moves(const ordering* order);

/* Whether constraint c of a kind, whose given numbers are those, is one of the batch. */
static inline bool ordering_in_batch(const scene_batch* batch, const uint32_t* given, size_t c) {
    const size_t number = given != NULL ? given[c] : c;
    return number >= batch->first && number - batch->first < batch->count;
}

/* A copy of what a world is compiled from, renumbered; to be released by scene_release_arrays. */
taut_status ordering_apply(const ordering* order, const taut_scene* scene, const taut_allocator* allocator,
                           taut_scene* out);

#endif
