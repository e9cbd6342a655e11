/* What couples with what: incidence of nodes and constraints, connected components, blocks of strongly coupled
 * constraints. Pure functions of the scene, run once at world creation. */
#ifndef TAUT_COMPILE_TOPOLOGY_H
#define TAUT_COMPILE_TOPOLOGY_H

#include "host/scene/scene_data.h"
#include "model/backend.h"

/* Constraints of all kinds, numbered in the order of the kinds ("members"), with their nodes; and the members at each
 * node. Linear rows have one entry per coordinate, so a node may come several times in a row of them. */
typedef struct topology {
    const taut_scene* scene;
    uint32_t member_count;
    uint32_t kind_first[TAUT_KIND_COUNT + 1]; /* first member of a kind */
    uint32_t* member_begin;                   /* member_count + 1, into member_node */
    uint32_t* member_node;
    uint32_t* node_begin; /* nodes + 1, into node_entry */
    uint32_t* node_entry; /* indices into member_node, ascending */
    uint32_t* entry_member;
    uint32_t entry_count;
    size_t bytes; /* of the one allocation behind the arrays */
    void* memory;
} topology;

taut_status topology_make(const taut_scene* scene, const taut_allocator* allocator, topology* out);
void topology_free(const taut_allocator* allocator, topology* t);

taut_kind topology_kind(const topology* t, uint32_t member);
static inline bool topology_is_joint(taut_kind k) {
    return k == TAUT_PRISMATIC || k == TAUT_ANGULAR;
}

/* J of a member at one of its entries (an index into member_node), at the initial positions, and of force elements the
 * root of the tangent; returns its rows. */
uint32_t topology_rows(const topology* t, uint32_t member, uint32_t entry, double rows[TAUT_MAX_ROWS][3]);

/* TAUT_REDUNDANT for every member of a connected component (through free nodes) with more hard rows than
 * `rows_per_point` per free point, 6 per body and per piece of a rod; TAUT_SHIFTED_LESS if there are joints alone, and
 * in other components where a hard link spans two others in a straight line; TAUT_CONTRADICTING for hard distances and
 * bends of the first, and hard links of two lengths between the same ends; else 0. In components that one line holds
 * (`line` of each member, as of lines_of_members; NULL: none) what has some compliance counts for cloth and links
 * alone. `flags`: member_count. */
taut_status topology_redundant(const topology* t, const taut_allocator* allocator, double rows_per_point,
                               const uint32_t* line, uint8_t* flags);
#define TOPOLOGY_NO_LINE UINT32_MAX

/* A distance that is hard; its length; the node at the other end of a link than `entry` (an index into member_node). */
bool topology_hard_link(const topology* t, uint32_t member);
double topology_rest_length(const topology* t, uint32_t member);
uint32_t topology_other_end(const topology* t, uint32_t entry);

/* Of hard links that are joined to chains of them between two fixed points: the tightest such chain at the start. Sets
 * TAUT_SPANNING where it reaches hardly further than these are apart, TAUT_PARTED where it does not reach, unless
 * TAUT_CONTRADICTING is set. `spans`: of distances, length 0 where there is none. */
taut_status topology_spanning(const topology* t, const taut_allocator* allocator, uint8_t* flags, taut_span* spans);

/* The largest mapped mass over the mass that its parents have by themselves. From TOPOLOGY_CARRIED on velocities are
 * the unknowns: impulses on such parents differ from those that move the mass in their last digits, in the fifth and
 * later ones, which the tolerance of a residual says little of. */
#define TOPOLOGY_CARRIED 1e4
double topology_carried(const topology* t);

/* Which parts of the scene are condensed. */
typedef struct method_map {
    uint8_t* member;       /* member_count: 1 where it is condensed */
    uint8_t* node;         /* nodes: likewise */
    bool condensed, schur; /* whether some members are; with neither, Schur */
    size_t bytes;
    void* memory;
} method_map;

/* By `method`, or where that is auto, part by part: condensed where the rows are about as many as the degrees of
 * freedom or more, but for mechanisms and rods. Parts hang together through fixed nodes, too: those may be freed. */
taut_status topology_methods(const topology* t, const taut_allocator* allocator, taut_method method, method_map* out);
/* Of parts that touch nothing where some may touch: Schur for mechanisms and chains alone. Empty where there are none.
 */
taut_status topology_methods_alone(const topology* t, const taut_allocator* allocator, method_map* out);
/* Of each node and member a node that stands for its part: UINT32_MAX for members without nodes. */
taut_status topology_parts(const topology* t, const taut_allocator* allocator, uint32_t* node_part,
                           uint32_t* member_part);
/* Components of constraints and mappings, through free nodes: numbers of nodes and members from 0. A fixed node is one
 * alone, but for mapped points that have it among others. */
taut_status topology_components(const topology* t, const taut_allocator* allocator, uint32_t* node, uint32_t* member,
                                size_t* count);
void method_map_free(const taut_allocator* allocator, method_map* map);

/* Constraints per free point, each counted with its nodes minus one; elements (bending, membranes, tetrahedra) count
 * double, linear rows and those of bodies and rods not at all. Ropes have about 1, thread nets 2, triangulated cloth 3
 * and more. What is condensed does not count. */
double topology_couplings_per_node(const topology* t, const method_map* methods);

/* A node that joins more constraints than this couples none of them strongly. */
#define TOPOLOGY_HUB 64

/* Adds to each member the sum of the diagonal of S over its rows at the initial positions, without compliance. */
void topology_diagonals(const topology* t, double* diagonal);
/* |J_a M^-1 J_b^T| at the node that entries a and b share, relative to the diagonals of their members. */
double topology_coupling(const topology* t, const double* diagonal, uint32_t a, uint32_t b);

/* Partition of the members that are not condensed into blocks of at most `limit` unknowns (a larger single member is a
 * block of its own). */
typedef struct block_partition {
    uint32_t block_count;
    uint32_t* begin; /* block_count + 1 used; member_count + 1 allocated */
    uint32_t* member;
    size_t bytes;
    void* memory;
} block_partition;

/* Grows each block along the strongest couplings at the initial positions: from the oldest constraint that touches an
 * earlier block, always adding the neighbour with the largest sum of |J_i M^-1 J_j^T| / sqrt(S_ii S_jj). */
taut_status topology_blocks(const topology* t, const taut_allocator* allocator, uint32_t limit,
                            const bool* has_factor_rows, const method_map* methods, block_partition* out);
void block_partition_free(const taut_allocator* allocator, block_partition* p);

#endif
