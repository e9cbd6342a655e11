/* Which points and frames each constraint acts on, itself or through mapped points: for the condensed system,
 * Gauss-Seidel and the direct method. */
#ifndef TAUT_COMPILE_SUPPORTS_H
#define TAUT_COMPILE_SUPPORTS_H

#include "host/compile/topology.h"
#include "model/hierarchy.h"
#include "model/layout.h"

#define TAUT_NO_PATH UINT32_MAX

/* A path leads from a mapped point by one of its entries to a parent, and on by a path of the parent's where that is
 * mapped itself, to an unknown node. A support is a node on which a member (a constraint, counted through all kinds)
 * acts; its terms say with which slots, or entries of a linear row, and along which paths. */
typedef struct supports {
    const topology* topology;
    taut_buffer path_begin;     /* uint32, mapped points + 1 */
    taut_buffer path_entry;     /* uint32 */
    taut_buffer path_next;      /* uint32; TAUT_NO_PATH: the parent is the node */
    taut_buffer path_root;      /* uint32 */
    taut_buffer support_begin;  /* uint32, members + 1 */
    taut_buffer support_node;   /* uint32 */
    taut_buffer support_member; /* uint32 */
    taut_buffer term_begin;     /* uint32, supports + 1 */
    taut_buffer term_slot;      /* uint32 */
    taut_buffer term_path;      /* uint32; TAUT_NO_PATH: the slot is at the node */
    taut_buffer at_begin;       /* uint32, nodes + 1 */
    taut_buffer at_support;     /* uint32, supports by node, ascending */
} supports;

/* Fixed nodes are among them: they may be freed. Of the members with take[member] != 0; others have none. The scene is
 * in the order of the world. */
taut_status supports_make(const topology* t, const uint8_t* take, const taut_allocator* allocator, supports* out);
/* Of the system without pairs; what is frozen of it, into arrays in place. */
taut_system_sizes supports_sizes(const supports* s);
void supports_fill(const supports* s, taut_system* out);
void supports_free(const taut_allocator* allocator, supports* s);

#endif
