/* What couples with what: incidence of nodes and constraints, connected components, blocks of strongly coupled
 * constraints. Pure functions of the scene, run once at world creation. */
#ifndef TAUT_HOST_TOPOLOGY_H
#define TAUT_HOST_TOPOLOGY_H

#include "host/backend.h"
#include "host/scene.h"

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

/* 1 for every member of a connected component (through free nodes) with more hard rows than `rows_per_point` per free
 * point and 6 per body: where they are taken for redundant. `flags`: member_count. */
taut_status topology_redundant(const topology* t, const taut_allocator* allocator, double rows_per_point,
                               uint8_t* flags);

/* Constraints per free point, each counted with its nodes minus one; elements (bending, membranes, tetrahedra) count
 * double, linear rows and those of bodies and rods not at all. Ropes have about 1, thread nets 2, triangulated cloth 3
 * and more. */
double topology_couplings_per_node(const topology* t);

/* Partition of the members into blocks of at most `limit` unknowns (a larger single member is a block of its own). */
typedef struct block_partition {
    uint32_t block_count;
    uint32_t* begin; /* block_count + 1 used; member_count + 1 allocated */
    uint32_t* member;
    size_t bytes;
    void* memory;
} block_partition;

/* Grows each block along the strongest couplings at the initial positions: from the oldest constraint that touches an
 * earlier block, always adding the neighbour with the largest sum of |J_i M^-1 J_j^T| / sqrt(S_ii S_jj). */
taut_status topology_blocks(const topology* t, const taut_allocator* allocator, uint32_t limit, const bool* has_roots,
                            block_partition* out);
void block_partition_free(const taut_allocator* allocator, block_partition* p);

#endif
