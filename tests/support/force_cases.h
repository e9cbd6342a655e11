/* Random single force elements for the formula tests. */
#ifndef TAUT_TEST_FORCE_CASES_H
#define TAUT_TEST_FORCE_CASES_H

#include "dense_matrix.h"
#include "force_formulas.h"

/* What is tested: a formula, and of solid each of its materials, in their order. */
typedef enum force_subject {
    COROTATIONAL,
    NEO_HOOKEAN,
    ST_VENANT_KIRCHHOFF,
    SURFACE,
    ATTRACTION,
    FORCE_SUBJECT_COUNT
} force_subject;
extern const char* const force_subject_names[FORCE_SUBJECT_COUNT];

typedef struct force_case {
    force_subject what;
    const force_formula* f; /* float64 */
    int dofs;
    double x[FORCE_DOFS], v[FORCE_DOFS], rest[FORCE_REST];
    double shape[FORCE_DOFS]; /* solid: the rest shape, its Young's modulus and Poisson's ratio */
    double young, poisson;
} force_case;

/* Shapes of size 1 that are smooth where they are differentiated, in turn: solids sheared, inverted, with equal
 * stretches, flat, nearly at rest and stretched; surfaces in any wind; attraction, softened or not, and repulsion. */
force_case force_case_random(force_subject what, int turn, random_state* state);

/* x = F X + shift for the rest shape X of a solid, F row by row. */
void force_case_deform(force_case* c, const double* deformation, const double* shift);

/* out = u diag(s) v^T, row by row */
void force_compose(const double* u, const double* s, const double* v, double* out);

/* Dense matrices at the case, dofs x dofs, row by row: R^T R, and the exact -df/dx (order 2: -df/dv). */
void force_gamma(const force_case* c, double s, double* gamma);
void force_tangent(const force_case* c, double* tangent);

/* The largest that a force or an entry of the matrices is, to make tolerances relative; not 0. */
double force_scale(const force_case* c);

#endif
