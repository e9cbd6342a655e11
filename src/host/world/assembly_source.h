/* What an assembly is made from, and what its matrices share. */
#ifndef TAUT_WORLD_ASSEMBLY_SOURCE_H
#define TAUT_WORLD_ASSEMBLY_SOURCE_H

#include "taut/assembly.h"

#include "host/world/assembly_entries.h"
#include "host/world/assembly_graph.h"
#include "host/world/world_data.h"
#include "model/constraint_matrices.h"

struct taut_assembly {
    taut_allocator allocator;
    csr matrices[TAUT_MATRIX_COUNT];
    double* vectors[TAUT_VECTOR_COUNT];
    size_t lengths[TAUT_VECTOR_COUNT];
    taut_block* blocks;
    size_t block_count;
};

/* What the assembly is made from, beside the plan. */
typedef struct assembly_source {
    const taut_world* world;
    assembly_graph graph;
    uint32_t* where; /* constraint inside, of each block */
    double* forces;  /* of constraints on nodes inside, x 3: of mapped points with what their children hand on */
    size_t bytes[2];
    size_t rows;       /* with those of contacts */
    size_t contacts;   /* of the last step, or of the linearisation */
    taut_factors step; /* that the stabilising part of the stiffness was assembled for */
} assembly_source;

/* ---- source ----------------------------------------------------------------------------------------------------- */

/* How many contacts the world has. */
taut_status assembly_count_contacts(taut_world* world, size_t* count);
/* For an assembly with that many blocks; closed also on failure. */
taut_status assembly_source_open(taut_world* world, size_t blocks, size_t contacts, assembly_source* s);
void assembly_source_close(assembly_source* s);
/* Of constraints of the scene, also absent ones, of those that were added, and of contacts. */
size_t assembly_count_blocks(const taut_world* world, size_t contacts);
/* Blocks in the order of the rows: kinds, of these batches in order of addition and what was added; then contacts. */
void assembly_list_blocks(const taut_world* world, const assembly_source* s, taut_assembly* a);

/* ---- one constraint --------------------------------------------------------------------------------------------- */

const uint32_t* assembly_nodes_of(const assembly_source* s, const taut_assembly* a, size_t b);
/* Whether constraint c of kind k acts at the node in `slot`: absent ones do not, and contacts have slots without use.
 */
bool assembly_acts(const assembly_source* s, int k, size_t c, size_t slot);
/* What the node in a slot of block b is made of; nothing where the slot is without use. */
graph_terms assembly_terms_of(const assembly_source* s, const taut_assembly* a, size_t b, size_t slot);
void assembly_block_matrices(const assembly_source* s, const taut_assembly* a, size_t b, constraint_matrices* out);

/* Entries of a linear row. */
typedef struct linear_span {
    uint32_t begin, end;
} linear_span;

linear_span assembly_linear_entries(const assembly_source* s, size_t b);

/* ---- nodes ------------------------------------------------------------------------------------------------------ */

/* In world axes. */
void assembly_frame_inertia(const assembly_source* s, size_t frame, double out[6]);
/* forces = those of force elements on each node. */
void assembly_add_force_all(const assembly_source* s);
void assembly_add_square(entry_list* list, size_t row_node, size_t column_node, const double m[3][3]);
/* All pairs of terms of two nodes: left^T m right. */
void assembly_add_expanded(entry_list* list, graph_terms left, const double m[3][3], graph_terms right);

/* ---- matrices: assembly_stiffness.c ----------------------------------------------------------------------------- */

taut_status assembly_fill_stiffness(const assembly_source* s, taut_assembly* a); /* G */
taut_status assembly_fill_gamma(const assembly_source* s, taut_assembly* a);     /* Gamma */
taut_status assembly_fill_tangents(const assembly_source* s, taut_assembly* a);  /* K */

#endif
