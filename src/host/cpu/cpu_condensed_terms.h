/* Constraints that come and go, in the factors of the condensed matrix: their rows at what is solved for. Level 0 has
 * only the diagonal of these. */
#ifndef TAUT_CPU_CPU_CONDENSED_TERMS_H
#define TAUT_CPU_CPU_CONDENSED_TERMS_H

#include "host/cpu/cpu_condensed_factors.h"

/* Of one constraint at most, where it acts on mapped points: an edge of one grid of trilinear cells on one of another.
 */
#define CONDENSED_MOST_TERMS 32

/* Rows and factor rows of a constraint at a node that is mapped from nothing. */
typedef struct condensed_term {
    uint32_t vertex;
    double rows[TAUT_MAX_ROWS][3];
} condensed_term;

typedef struct condensed_terms {
    const condensed_factors* s;
    int rows; /* of each term; 0: only vertices are asked for */
    size_t count;
    bool fits; /* all of them are listed */
    condensed_term term[CONDENSED_MOST_TERMS];
} condensed_terms;

/* Vertices on which constraint c of kind k acts, without rows: of contacts, of rolling resistance, and of kinds with
 * reserved places. */
void condensed_vertices_of(const condensed_factors* s, taut_kind k, size_t c, condensed_terms* out);
/* Its part rows^T Wh rows in the matrix, in which there is a place for each pair of its vertices. */
void condensed_terms_add(condensed_factors* s, taut_kind k, size_t c);

#endif
