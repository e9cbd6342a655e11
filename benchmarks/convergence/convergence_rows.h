/* The rows of taut-convergence as an aligned table and as CSV. */
#ifndef CONVERGENCE_ROWS_H
#define CONVERGENCE_ROWS_H

#include "convergence_run.h"
#include "machine.h"

#include <stdio.h>

void rows_heading(FILE* out);
void rows_row(FILE* out, const convergence_row* row);

void rows_csv_heading(FILE* out);
void rows_csv_row(FILE* out, const convergence_row* row, const bench_machine* machine);

#endif
