/* Contact events: which pairs of objects began to touch in a step, touch on, or parted, and the forces between them.
 *
 * `events` of taut_contact_settings turns them on: it is how many contacts a step may record over all of its substeps.
 * At 0, the default, they cost nothing. Every substep that is kept records its contacts that push or overlap; a contact
 * of two objects that lie within the margin of each other without force is none. Room is reserved when the world is
 * created. What a step cannot record for want of room is counted, and told when the events are read. */
#ifndef TAUT_EVENTS_H
#define TAUT_EVENTS_H

#include "taut/contact.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of objects. */
typedef enum taut_object {
    TAUT_OBJECT_BODY = 0,     /* a body, by `frame` of its taut_body: all of its colliders and contact points */
    TAUT_OBJECT_COLLIDER = 1, /* a collider that stands in the world, by its number */
    TAUT_OBJECT_SURFACE = 2,  /* a contact surface, by its number in the order of addition */
    TAUT_OBJECT_POINT = 3     /* a contact point that is a particle, by its number */
} taut_object;

/* A pair of objects that touched in the last step, or before it. Kinds and numbers of the first object come before
 * those of the second one; a surface that touches itself is both. */
typedef struct taut_contact_pair {
    taut_object first, second; /* kinds */
    uint32_t first_number;     /* number of the first object */
    uint32_t second_number;    /* number of the second object */
    bool began;                /* it touches in a substep, and did not in the one before */
    bool ended;                /* it touched in the substep before one in which it does not */
    bool touching;             /* it touches at the end of the step: without `began`, it touches on */
    uint32_t contacts;         /* at the end of the step */
    double impulse[3];         /* N s, of the whole step, on the first object; friction included */
    double force[3];           /* N: the impulse by the length of the step */
    double largest;            /* N s: the largest normal impulse of a contact of the pair in a substep */
    double position[3];        /* m: of that contact, at the end of its substep */
    double normal[3];          /* of that contact, unit vector, towards the first object */
} taut_contact_pair;

/* taut_world_read_pairs, for structs of `size` bytes. */
TAUT_API taut_status taut_world_read_pairs_sized(taut_world* world, size_t capacity, taut_contact_pair* pairs,
                                                 size_t* count, size_t* lost, size_t size);
/* Reads the pairs of the last step in ascending order of their objects. `pairs` receives at most `capacity` of them,
 * `count` their total number, and `lost` (may be NULL) how many contacts of substeps there was no room for: then events
 * may be missing and sums too small. TAUT_INVALID_ARGUMENT if the world records no events. Waits for the backend. */
static inline taut_status taut_world_read_pairs(taut_world* world, size_t capacity, taut_contact_pair* pairs,
                                                size_t* count, size_t* lost) {
    return taut_world_read_pairs_sized(world, capacity, pairs, count, lost, sizeof *pairs);
}

#ifdef __cplusplus
}
#endif

#endif
