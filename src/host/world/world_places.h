/* Reserved places of a running world, and the ids of what stands in them. */
#ifndef TAUT_WORLD_WORLD_PLACES_H
#define TAUT_WORLD_WORLD_PLACES_H

#include "host/world/world_changes.h"
#include "taut/added.h"

typedef struct added_place {
    taut_kind kind;
    size_t c; /* constraint of the kind */
} added_place;

taut_added place_id(const taut_world* world, added_place at);
/* Where an added constraint is, or false where there is none with this id. */
bool place_find(const taut_world* world, taut_added added, added_place* out);
/* The world is there, and all of these are. */
taut_status place_check_ids(const taut_world* world, size_t count, const taut_added* added);

/* No two of those are the same. */
taut_status place_check_different(taut_world* world, size_t count, const taut_added* added);

size_t place_count_free(const taut_world* world, taut_kind k);
/* TAUT_OUT_OF_CAPACITY if fewer than `count` places of a kind are free. */
taut_status place_check_room(const taut_world* world, const char* what, taut_kind k, size_t count);

/* What is written of one place. */
typedef struct new_constraint {
    const uint32_t* nodes; /* numbers inside */
    const double* rest;
    const double* compliances; /* per row */
    double damping;
    bool contact; /* what it joins may touch */
} new_constraint;

/* Into the first free place of the kind, which is there; *c is its number. Incidence is not renewed. */
taut_status place_put(taut_world* world, taut_kind k, const new_constraint* in, size_t* c);
/* Frees a place, likewise. */
taut_status place_clear(taut_world* world, added_place at);
/* Sends the values of one place, `width` bytes each, of an array that may be absent. */
taut_status place_send(taut_world* world, const void* array, size_t c, size_t width);

/* Whether constraints may act on a point. */
taut_status place_check_point(const taut_world* world, const char* what, size_t index, uint32_t point);
/* Whether constraints may act on all of these points at once. */
taut_status place_check_system(const taut_world* world, const char* what, size_t index, const uint32_t* points,
                               size_t count);
/* `width` values of the state at `from`, as they are now; a point's position. */
taut_status place_read(taut_world* world, const double* from, size_t width, double* out);
taut_status place_read_point(taut_world* world, uint32_t point, double x[3]);

#endif
