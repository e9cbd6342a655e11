/* What outer iterations find at rows with bounds, and what follows from it. */
#ifndef TAUT_STAGES_BOUND_SUMS_H
#define TAUT_STAGES_BOUND_SUMS_H

#include <stdbool.h>
#include <stdint.h>

/* Sums over rows: the function that outer iterations of the Schur complement lower,
 * 1/2 gam.S gam - b.gam; the squared projected residual of rows with bounds; rows whose hold has changed. */
typedef struct taut_bound_sums {
    double objective, complementarity, changed;
} taut_bound_sums;

typedef enum taut_outer_kind {
    TAUT_OUTER_SOLVE,
    TAUT_OUTER_AGAIN,   /* the last one again, by less of its way */
    TAUT_OUTER_CAUTIOUS /* along the scaled residual */
} taut_outer_kind;

/* Of a system with bounds, between outer iterations. */
typedef struct taut_bounded_state {
    taut_outer_kind kind; /* of the next outer iteration */
    uint32_t halvings;    /* of the last one */
    uint32_t cautious;    /* outer iterations in a row */
    double share;         /* of delta that the next outer iteration goes */
    double before;        /* objective before it */
} taut_bounded_state;

/* What becomes of multipliers of rows with a shift when the condensed system looks at its residuals: whether they
 * follow the motion, by what the shift is multiplied then where bounds may hold rows, and what part of their way the
 * bounds of friction go; or how many times impulses of contacts change again as they last did. */
typedef struct taut_residual_mode {
    bool updates;
    double shift;
    double bound;
    double extrapolation;
} taut_residual_mode;

/* How multipliers of contacts have changed when they followed, in the norm of the diagonal of S. */
typedef struct taut_impulse_change {
    double length2;  /* of the change d */
    double turned;   /* d.(the change before) */
    double impulse2; /* gam.gam */
    double closing;  /* the largest -d / gam of a contact's normal impulse, which 1 / closing more of d would end */
} taut_impulse_change;

/* A step of the condensed system as it has ended, and how things were when multipliers followed last. */
typedef struct taut_step_end {
    double changed; /* rows that bounds hold or have let go */
    double share;   /* of the step that was taken */
    double rows, rows_before, nodes, length, length_before;
    double enough; /* the length at which nodes are solved, where rows are; else any is enough */
    uint32_t iterations;
} taut_step_end;

/* What has become of the shift since the solve began: its part, and how often it was lowered but not raised again. And
 * of the impulses of contacts, where they followed last: |d|^2 of the change, 0 where none can be repeated, what the
 * shift was then, and the part of their way that the bounds of friction go next. */
typedef struct taut_closeness {
    double shift;
    uint32_t lowerings;
    double travelled2, travelled_with;
    double followed_with; /* the part of the shift that there was when multipliers followed last */
    double bound;
} taut_closeness;

/* Along a step of the condensed system only rows with bounds bend: r.delta is a linear function and their part, which
 * costs no product with H. It falls, and each round of a search takes the one of TAUT_LINE_PARTS parts of the way in
 * which it changes its sign. */
#define TAUT_LINE_PARTS       8
#define TAUT_LINE_ROUNDS      4
#define TAUT_LINE_MOST_ROUNDS 16
#define TAUT_LINE_FALLS       0.01

typedef struct taut_line_search {
    double ends[2];   /* parts of the step, r.delta > 0 at the first */
    double slopes[2]; /* r.delta there, */
    double linear[2]; /* and what is linear of it at 0 and 1 */
    double falls;     /* from there to there, by rows with bounds */
    uint32_t rounds;
} taut_line_search;

/* What does not change in proportion, at the ends of the parts. */
typedef struct taut_line_sums {
    double bent[TAUT_LINE_PARTS + 1];
    double bounded[TAUT_LINE_PARTS + 1]; /* of it, of rows with bounds, and of friction with a given one */
} taut_line_sums;

/* ---- projected gradients: kernels/stages/contact/projected.h ----------------------------------------------------- */

typedef struct taut_projected_sums {
    double length2; /* |T(y) - y|^2 */
    double turn;    /* (y - T(y)).D (T(y) - gam) */
    double bounded; /* length2 of rows with bounds alone */
} taut_projected_sums;

/* What iterations of an outer iteration go on from. */
typedef struct taut_projected_state {
    double step;     /* t */
    double momentum; /* Nesterov's sequence, 1 at first */
    double length2;  /* of the iteration before, 0 at first */
    double k;
} taut_projected_state;

#endif
