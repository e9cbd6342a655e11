/* What calls share that change which constraints a world has. */
#ifndef TAUT_WORLD_WORLD_CHANGES_H
#define TAUT_WORLD_WORLD_CHANGES_H

#include "host/world/world_data.h"

/* Of what the caller hands over: neither is NULL, and the world is not busy; finite vectors, 3 values each; and numbers
 * of points that are not mapped, and of frames. */
taut_status world_check_pointers(taut_world* world, size_t count, const void* values);
taut_status world_check_vectors(const char* what, size_t count, const double* values);
taut_status world_check_particles(const taut_world* world, size_t count, const uint32_t* particles);
taut_status world_check_frames(const taut_world* world, size_t count, const uint32_t* frames);
/* A body of the world, not TAUT_WORLD, with the point and the frame of one body. */
taut_status world_check_body(const taut_world* world, const char* what, size_t index, taut_body body);
taut_status world_check_bodies(taut_world* world, size_t count, const taut_body* bodies);
/* Nodes as the user counts: numbers of points or of frames, or the points or the frames of bodies. */
typedef struct world_listed {
    size_t count;
    const uint32_t* numbers; /* NULL: those of `bodies` */
    const taut_body* bodies;
    bool frames;
} world_listed;
uint32_t world_listed_number(const world_listed* list, size_t i);
size_t world_listed_node(const taut_world* world, const world_listed* list, size_t i);
/* Copies an element per constraint from `values` to its place in `array`, of constraints [offset, offset + count) of
 * their kind, as the user counts. */
taut_status world_put(taut_world* world, taut_kind kind, size_t offset, size_t count, const void* values, void* array,
                      size_t element);

/* Forces and impulses of the rows of constraint c (a number inside) become 0: what is absent must not act, and what
 * comes back begins anew. */
taut_status world_clear_rows(taut_world* world, taut_kind k, size_t c);
/* Constraints have come or gone: the next use evaluates. */
void world_note_change(taut_world* world);
/* Whether what is written is not what is there. */
bool world_differ(const double* a, const double* b, size_t count);
/* Incidence of a kind with reserved places, from the nodes of its constraints. */
taut_status world_send_incidence(taut_world* world, taut_kind k);
/* What constraints join, from those that are there. */
taut_status world_send_joined(taut_world* world);
/* Both, of all kinds. */
taut_status world_send_places(taut_world* world);

#endif
