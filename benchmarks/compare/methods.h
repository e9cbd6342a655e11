/* The solvers compared: each takes a step of the problem within a budget and says what it cost. */
#ifndef COMPARE_METHODS_H
#define COMPARE_METHODS_H

#include "problem.h"

/* What a step converges to as its budget grows. */
typedef enum step_limit {
    LIMIT_LINEAR,   /* the step linearised once, at its beginning, without geometric stiffness */
    LIMIT_NONLINEAR /* the minimum */
} step_limit;

typedef enum budget_kind {
    BUDGET_SWEEPS,     /* over all constraints or vertices */
    BUDGET_TOLERANCE,  /* of a linear solver: relative residual */
    BUDGET_ITERATIONS, /* of Newton's method */
    BUDGET_NONE        /* a direct solve */
} budget_kind;

typedef struct step_cost {
    double seconds;  /* of processor time */
    double assembly; /* s, of matrices, which `seconds` leaves out; NaN where there is none */
    double work;     /* in sweeps: projections of all constraints, products with the system; NaN of direct solvers */
    double iterations;
    bool failed;   /* at the limit of iterations */
    bool diverged; /* without a result */
} step_cost;

typedef struct compared_method compared_method;

struct compared_method {
    const char* name;
    step_limit limit;
    budget_kind budget;
    uint32_t substeps;                           /* of each step; `limit` holds for each of them */
    int variant;                                 /* the family's own */
    bool (*available)(const compared_method* m); /* NULL: always */
    void* (*make)(const compared_method* m, const step_problem* p);
    /* `cold`: without anything kept from the last step. */
    void (*step)(void* self, const motion* from, double budget, bool cold, motion* to, step_cost* cost);
    void (*destroy)(void* self);
};

/* xpbd.c, primal.c, linear.c (with Newton), taut_method.c */

extern const compared_method xpbd_methods[], primal_methods[], linear_methods[], taut_methods[];
extern const size_t xpbd_method_count, primal_method_count, linear_method_count, taut_method_count;

const char* budget_name(budget_kind kind);
/* The k-th budget, growing; 0 after the last. */
double budget_at(budget_kind kind, size_t k);

#endif
