#include "columns.h"

#include <math.h>

static double number(const void* row, const bench_column* c) {
    return *(const double*)(const void*)((const char*)row + c->offset);
}

static const char* text(const void* row, const bench_column* c) {
    return *(const char* const*)(const void*)((const char*)row + c->offset);
}

void columns_heading(FILE* out, const bench_column* columns, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (columns[i].heading != NULL) {
            fprintf(out, "%*s ", columns[i].width, columns[i].heading);
        }
    }
    fputc('\n', out);
}

static void cell(FILE* out, const void* row, const bench_column* c) {
    if (c->format == NULL) {
        fprintf(out, "%*s ", c->width, text(row, c));
    } else if (isnan(number(row, c))) {
        fprintf(out, "%*s ", c->width, "-");
    } else {
        fprintf(out, c->format, c->width, number(row, c) * c->scale);
        fputc(' ', out);
    }
}

void columns_row(FILE* out, const bench_column* columns, size_t count, const void* row) {
    for (size_t i = 0; i < count; i++) {
        if (columns[i].heading != NULL) {
            cell(out, row, &columns[i]);
        }
    }
    fputc('\n', out);
    fflush(out);
}

void columns_csv_heading(FILE* out, const bench_column* columns, size_t count) {
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s,", columns[i].name);
    }
}

void columns_csv_row(FILE* out, const bench_column* columns, size_t count, const void* row) {
    for (size_t i = 0; i < count; i++) {
        if (columns[i].format == NULL) {
            fprintf(out, "%s,", text(row, &columns[i]));
        } else if (isnan(number(row, &columns[i]))) {
            fputc(',', out);
        } else {
            fprintf(out, "%.8g,", number(row, &columns[i]));
        }
    }
}
