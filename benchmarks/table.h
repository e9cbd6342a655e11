/* The rows as an aligned table and as CSV. */
#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H

#include "machine.h"
#include "measure.h"

#include <stdio.h>

void table_heading(FILE* out);
void table_row(FILE* out, const bench_row* row);

/* Every column, then those of the machine, in every row: a line stands for itself. */
void csv_heading(FILE* out);
void csv_row(FILE* out, const bench_row* row, const bench_machine* machine);

/* Fills `against_jacobi` of all rows that have a Jacobi row of the same scene, size, stiffness and threads. */
void table_compare(bench_row* rows, size_t count);

/* What block, Chebyshev and no preconditioner take against Jacobi: iterations and time, one line per scene and size. */
void table_preconditioners(FILE* out, const bench_row* rows, size_t count);

/* Fills the speed-ups of all rows whose case was also measured on the CPU, and prints the pairs. */
void table_compare_backends(bench_row* rows, size_t count);
void table_backends(FILE* out, const bench_row* rows, size_t count);

#endif
