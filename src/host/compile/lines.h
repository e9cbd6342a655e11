/* Lines of constraints for the multilevel preconditioner of the Schur complement: chains of groups, each coupled with
 * the one before and the one after alone. Pure functions of the scene, run once at world creation. */
#ifndef TAUT_COMPILE_LINES_H
#define TAUT_COMPILE_LINES_H

#include "host/compile/topology.h"

/* Members in groups, groups in lines, in their order along the line. */
typedef struct line_partition {
    uint32_t line_count;
    uint32_t* line_begin;   /* line_count + 1, into the groups */
    block_partition groups; /* its memory holds line_begin, too */
} line_partition;

/* Partition of the members that have unknowns, without those with left_out[member] != 0 (NULL: none).
 *
 * A line is a band where it can be: its first group is one member, each next one all that share a free node with the
 * last, as long as they have at most `limit` unknowns. Ropes with bending, rods, chains of bodies, branches and loops
 * become such lines, which leave nothing out. Where a band widens at once, as on a net, the line is a thread: each next
 * group the one member that the last is coupled with most. Lines begin where members have the fewest neighbours.
 *
 * In both cases a node that was free meets groups k and k + 1 of a line at most, so that the block tridiagonal part of
 * S that a line stands for is positive semidefinite. */
taut_status lines_make(const topology* t, const taut_allocator* allocator, uint32_t limit, const bool* has_factor_rows,
                       const uint8_t* left_out, line_partition* out);
void line_partition_free(const taut_allocator* allocator, line_partition* p);

/* The line of each member, TOPOLOGY_NO_LINE where it is in none. A component that is in one line as a whole is
 * eliminated exactly. `line`: member_count. */
void lines_of_members(const topology* t, const line_partition* p, uint32_t* line);

/* Fills the line_* sizes for lines whose groups are the blocks of `s`. */
void lines_count(const topology* t, const line_partition* p, taut_sizes* s);
/* Fills the line_* fields that compile produces. */
void lines_fill(const topology* t, const line_partition* p, const taut_sizes* s, taut_fields* f);

#endif
