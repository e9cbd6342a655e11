/* The mapping graph of a world at its current state, in float64: what each node is in the unknowns. */
#ifndef TAUT_WORLD_ASSEMBLY_GRAPH_H
#define TAUT_WORLD_ASSEMBLY_GRAPH_H

#include "host/world/world_data.h"

/* dy += block dq of one unknown node. */
typedef struct graph_term {
    uint32_t node; /* in the user's numbers: points, then frames */
    bool unit;     /* the block is 1 */
    double block[3][3];
} graph_term;

typedef struct graph_terms {
    const graph_term* terms; /* by ascending node */
    size_t count;
} graph_terms;

typedef struct assembly_graph {
    const taut_world* world;
    uint32_t* given;     /* the user's number of each node */
    double* x;           /* positions of the user's points */
    double* orientation; /* of frames */
    double* omega;
    graph_term* own;    /* of each node inside: itself */
    size_t* begin;      /* of each mapped point into `terms` */
    taut_buffer terms;  /* graph_term: of mapped points */
    taut_buffer merged; /* graph_term: of the one under way */
    size_t bytes[6];
} assembly_graph;

/* Waits for the state, and expands all mapped points. To be closed also after a failure. */
taut_status graph_open(taut_world* world, assembly_graph* graph);
void graph_close(assembly_graph* graph);

/* Of a node of the world's own number; one term for unknowns. */
graph_terms graph_of(const assembly_graph* graph, size_t node);
/* What the formula of a constraint reads of its nodes: positions or quaternions. */
void graph_state(const assembly_graph* graph, taut_kind kind, size_t c, double* x);

/* out = row block, 3 values */
void graph_row(const double row[3], const graph_term* term, double out[3]);
/* out = left.block^T m right.block */
void graph_sandwich(const graph_term* left, const double m[3][3], const graph_term* right, double out[3][3]);

/* forces (per node inside, x 3) of mapped points come to their parents among those, level by level. */
void graph_apply_jacobian_transpose_mapped(const assembly_graph* graph, double* forces);
/* Derivative of J^T force of entry e, for that force on its point, as its parent moves; false where it is 0. */
bool graph_curvature(const assembly_graph* graph, size_t e, const double force[3], double out[3][3]);

#endif
