/* Rows of a struct as an aligned table and as CSV: one description of the columns for both. */
#ifndef BENCH_COLUMNS_H
#define BENCH_COLUMNS_H

#include <stddef.h>
#include <stdio.h>

/* A member of a row: `double`, where NaN means that there is no value, or `const char*` where `format` is NULL. */
typedef struct bench_column {
    const char* name;
    const char* heading; /* of the table; NULL: only in the CSV */
    int width;
    const char* format; /* of the table's numbers */
    double scale;       /* from the row to the table */
    size_t offset;
} bench_column;

#define COLUMN_TEXT(row, name, heading, width)                                                                         \
    { #name, heading, width, NULL, 1, offsetof(row, name) }
#define COLUMN_NUMBER(row, name, heading, width, format, scale)                                                        \
    { #name, heading, width, format, scale, offsetof(row, name) }
#define COLUMN_HIDDEN(row, name)                                                                                       \
    { #name, NULL, 0, "", 1, offsetof(row, name) }

void columns_heading(FILE* out, const bench_column* columns, size_t count);
void columns_row(FILE* out, const bench_column* columns, size_t count, const void* row);

/* With a comma after every value: more columns follow. */
void columns_csv_heading(FILE* out, const bench_column* columns, size_t count);
void columns_csv_row(FILE* out, const bench_column* columns, size_t count, const void* row);

#endif
