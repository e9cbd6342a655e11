/* The rows of taut-compare: table, CSV, and what equal errors cost. */
#ifndef COMPARE_ROWS_H
#define COMPARE_ROWS_H

#include "machine.h"

#include <stdio.h>

/* Values that do not exist are NaN. Errors are distances from the limit of the method, relative to what the reference
 * moves in the step, or over all frames. */
typedef struct compare_row {
    const char *mode, *method, *limit, *budget_kind, *outcome;
    double vertices, springs, compliance, substeps, frames;
    double budget;
    double iterations, work, ms, assembly_ms; /* of a step; the mean of frames */
    double error;                             /* rms over particles */
    double error_max;                         /* of the particle that is furthest off, to the one that moves most */
    double error_nonlinear;                   /* rms, from the nonlinear step, whatever the method's limit is */
    double strain, strain_reference;          /* rms over springs; the mean of frames */
} compare_row;

void compare_heading(FILE* out);
void compare_print(FILE* out, const compare_row* row);
void compare_csv_heading(FILE* out);
void compare_csv_row(FILE* out, const compare_row* row, const bench_machine* machine);

/* Least time and work of each method of the step mode to errors of 1e-2, 1e-3 and 1e-6, and both over those of the best
 * of taut to the same limit; "> the most" of a method that did not come so near. Only rows of one size. */
void compare_summary(FILE* out, const compare_row* rows, size_t count);

#endif
