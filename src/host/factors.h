/* The numbers of one step that the formulas of every constraint and node share. */
#ifndef TAUT_HOST_FACTORS_H
#define TAUT_HOST_FACTORS_H

#include <stdbool.h>

/* Rows and root rows of one constraint, at most. */
#define TAUT_MAX_ROWS 16

typedef struct taut_factors {
    double h;
    double alpha;
    double beta;
    double hard_row_damping; /* in steps */
    double root_scale;       /* Lh^T Lh = root_scale * R^T R; 0 without geometric stiffness */
    double proximal;         /* of the solver, < 0: automatic */
    double condensed_proximal; /* of the condensed system: E of a hard row relative to J M^-1 J^T */
    double condensed_soft;     /* W from which on a row has no E, likewise */
    double gravity[3];
    bool passive_forces;     /* the user has put forces on passive mapped points */
} taut_factors;

#endif
