/* Exact factors of the condensed matrix of mechanisms that touch something: chains, ropes, linkages, and what they
 * touch. With them hard rows need next to no shift, and contacts by the convex law none: outer iterations are Newton's
 * method, whatever the ratio of masses. */
#ifndef TAUT_CPU_CPU_CONDENSED_FACTORS_H
#define TAUT_CPU_CPU_CONDENSED_FACTORS_H

#include "host/cpu/cpu_node_cholesky.h"
#include "host/cpu/cpu_state.h"

typedef struct condensed_factors {
    taut_allocator allocator;
    const taut_plan* plan;
    bool active;     /* in this substep all of the condensed system has factors, */
    bool current;    /* which are those of H as it is */
    bool bends;      /* some rows have bounds */
    size_t vertices; /* nodes with factors */
    size_t edges, most_edges;
    uint32_t* vertex_of;  /* nodes; BLOCK_NONE where there is none */
    uint32_t* node_of;    /* vertices */
    uint32_t* pair;       /* edges */
    double *r, *z, *step; /* three values a vertex */
    node_cholesky matrix;
    void* memory;
    size_t bytes;
} condensed_factors;

/* NULL where there is nothing to factor. */
taut_status condensed_factors_make(const taut_plan* plan, const taut_allocator* allocator, condensed_factors** out);
void condensed_factors_free(condensed_factors* s);

/* Which nodes have factors in this substep, by its contacts and the systems that are chosen for parts; their order. */
void condensed_factors_order(taut_backend_state* state);
bool condensed_factors_active(const taut_backend_state* state);

/* After the weights of rows that last: those with bounds, nearly without their shift. */
void condensed_factors_weigh_bounded(condensed_factors* s);
/* J M^-1 J^T in the place of J D^-1 J^T for the weights of contacts: D^-1 becomes M^-1. */
void condensed_factors_weigh_nodes(const taut_plan* plan);
/* After the weights of contacts: without a shift. */
void condensed_factors_weigh_contacts(const taut_plan* plan);

/* z = H^-1 r, nodes x 4, by the factors that there are; returns r.z. */
double condensed_factors_precondition(condensed_factors* s, const float* r, float* z);
/* The step of Newton's method for r = P(force - M w): its promise r.step. */
double condensed_factors_step(condensed_factors* s, const double* force, const double* w, float* delta);
/* w += share step */
void condensed_factors_correct(const condensed_factors* s, double share, double* w);

#endif
