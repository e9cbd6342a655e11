/* Exact factors of the condensed matrix with its contacts. By the convex law contacts need no shift then, and outer
 * iterations are Newton's method.
 *
 * Mechanisms that touch something (chains, ropes, linkages, and what they touch) are solved with them from the start:
 * hard rows need next to no shift, whatever the ratio of masses. What has cloth and soft bodies, and large nets, begin
 * with conjugate gradients, and factors take over where these have cost as much as Newton's method would. */
#ifndef TAUT_CPU_CPU_CONDENSED_FACTORS_H
#define TAUT_CPU_CPU_CONDENSED_FACTORS_H

#include "host/cpu/cpu_node_cholesky.h"
#include "host/cpu/cpu_state.h"

typedef struct condensed_factors {
    taut_allocator allocator;
    const taut_plan* plan;
    bool mechanisms;   /* there is nothing else, */
    bool early;        /* and factors solve them from the start of this substep */
    bool late;         /* they may take over from conjugate gradients */
    bool active;       /* the condensed system is solved with factors, */
    bool current;      /* which are those of H as it is */
    bool ordered;      /* it is known whether they have room in this substep, */
    bool fits;         /* which they have */
    bool found;        /* there is an order for the vertices and edges listed last, */
    bool partly;       /* of contacts those that conduct alone, */
    bool alike;        /* from which those listed now do not differ so far */
    bool lost;         /* there was no room for what has come to conduct */
    bool eager;        /* they have taken over in this substep before */
    bool duals;        /* impulses of contacts are unknowns beside the motion: cpu_contact_duals.h */
    bool served;       /* they were then */
    double response;   /* to the momentum that drives a solve, as measured last */
    double cost;       /* of a step of Newton's method, in iterations of conjugate gradients; */
    double least_cost; /* without contacts */
    double products;   /* of the order that was found anew last */
    bool bends;        /* some rows have bounds */
    size_t vertices;   /* nodes with factors */
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

/* The contacts of a substep are there, and systems are chosen for parts. */
void condensed_factors_renew(taut_backend_state* state);
bool condensed_factors_active(const taut_backend_state* state);
/* Whether a condensed system is that of mechanisms alone. */
bool condensed_factors_of_mechanisms(const taut_backend_state* state);
/* Whether factors take over after so many outer iterations of a solve with so many of conjugate gradients. They are
 * active then, and contacts keep their shift while impulses are unknowns beside the motion, where `duals` serve. */
bool condensed_factors_take_over(taut_backend_state* state, uint32_t outer, uint32_t iterations, bool duals);
/* Before a solve: they do at once where they did earlier in this substep. */
void condensed_factors_begin(taut_backend_state* state);
/* Whether impulses of contacts are unknowns now. */
bool condensed_factors_have_duals(const taut_backend_state* state);
/* Motion is all that is unknown from here on, and contacts have the weights for that. */
void condensed_factors_leave_duals(condensed_factors* s);
/* Iterations that the next outer one takes at most before that is asked again. */
uint32_t condensed_factors_patience(const taut_backend_state* state, uint32_t outer, uint32_t iterations, bool duals);
/* As how many iterations a step of Newton's method counts: 1 of mechanisms, else a part of its cost, so that a limit of
 * iterations stays one of time. */
uint32_t condensed_factors_iterations(const condensed_factors* s);
/* Whether contacts have come to conduct for which factors have no room: conjugate gradients go on then. */
bool condensed_factors_lost(taut_backend_state* state);
/* A solve has ended. */
void condensed_factors_rest(taut_backend_state* state);

/* After the weights of rows that last: those with bounds, nearly without their shift. */
void condensed_factors_weigh_bounded(condensed_factors* s);
/* J M^-1 J^T in the place of J D^-1 J^T for the weights of contacts: D^-1 becomes M^-1. */
void condensed_factors_weigh_nodes(const taut_plan* plan);
/* After the weights of contacts: without a shift. Impulses follow the motion at once, but those of mechanisms, whose
 * hard rows do not: cut short, they are in balance with these. */
void condensed_factors_weigh_contacts(const condensed_factors* s);

/* z = H^-1 r, nodes x 4, by the factors that there are; returns r.z. */
double condensed_factors_precondition(condensed_factors* s, const float* r, float* z);
/* The step of Newton's method for r = P(force - M w): its promise r.step. */
double condensed_factors_step(condensed_factors* s, const double* force, const double* w, float* delta);
/* r.step of that one now, in float64: hard rows pull with up to 10^9 times what is left of r, and float32 leaves no
 * sign of that. */
double condensed_factors_slope(const condensed_factors* s, const double* force, const double* w);
/* w += share step */
void condensed_factors_correct(const condensed_factors* s, double share, double* w);

#endif
