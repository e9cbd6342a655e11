#include "table.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

typedef struct column {
    const char* name;
    const char* heading; /* of the table; NULL: only in the CSV */
    int width;
    const char* format; /* of the table's numbers; NULL: text */
    double scale;       /* from the row to the table */
    size_t offset;
} column;

#define TEXT(name, heading, width)                                                                                     \
    { #name, heading, width, NULL, 1, offsetof(bench_row, name) }
#define NUMBER(name, heading, width, format, scale)                                                                    \
    { #name, heading, width, format, scale, offsetof(bench_row, name) }
#define HIDDEN(name)                                                                                                   \
    { #name, NULL, 0, "", 1, offsetof(bench_row, name) }

static const column columns[] = {
    TEXT(scene, "scene", -6),
    NUMBER(constraints, "constr.", 8, "%*.0f", 1),
    HIDDEN(rows),
    NUMBER(unknowns, "unknowns", 9, "%*.0f", 1),
    HIDDEN(particles),
    TEXT(preconditioner, "precond.", -9),
    TEXT(geometric, "G", -4),
    HIDDEN(threads),
    NUMBER(create_s, "create s", 8, "%*.3f", 1),
    NUMBER(bytes, "MB", 7, "%*.1f", 1e-6),
    HIDDEN(peak_bytes),
    HIDDEN(steps),
    NUMBER(step_ms, "step ms", 9, "%*.2f", 1),
    NUMBER(step_ms_least, "least", 9, "%*.2f", 1),
    NUMBER(step_ms_most, "most", 9, "%*.2f", 1),
    NUMBER(evaluate_ms, "evaluate", 8, "%*.2f", 1),
    NUMBER(assemble_ms, "assemble", 8, "%*.2f", 1),
    NUMBER(solve_ms, "solve", 9, "%*.2f", 1),
    NUMBER(integrate_ms, "integr.", 7, "%*.2f", 1),
    NUMBER(iterations, "iter.", 6, "%*.0f", 1),
    NUMBER(passes, "passes", 6, "%*.1f", 1),
    HIDDEN(iteration_limit),
    NUMBER(residual, "residual", 8, "%*.1e", 1),
    TEXT(outcome, "outcome", -9),
    NUMBER(iteration_us, "us/iter.", 9, "%*.1f", 1),
    NUMBER(iteration_bytes, "MB/iter.", 8, "%*.2f", 1e-6),
    NUMBER(gb_s, "GB/s", 6, "%*.1f", 1),
    HIDDEN(stream_gb_s),
    NUMBER(stream_fraction, "of triad", 8, "%*.2f", 1),
    HIDDEN(against_jacobi),
};

#define COLUMNS (sizeof columns / sizeof columns[0])

static double number(const bench_row* row, const column* c) {
    return *(const double*)(const void*)((const char*)row + c->offset);
}

static const char* text(const bench_row* row, const column* c) {
    return *(const char* const*)(const void*)((const char*)row + c->offset);
}

/* ---- table ------------------------------------------------------------------------------------------------------ */

void table_heading(FILE* out) {
    for (size_t i = 0; i < COLUMNS; i++) {
        if (columns[i].heading != NULL) {
            fprintf(out, "%*s ", columns[i].width, columns[i].heading);
        }
    }
    fputc('\n', out);
}

static void table_cell(FILE* out, const bench_row* row, const column* c) {
    if (c->format == NULL) {
        fprintf(out, "%*s ", c->width, text(row, c));
    } else if (isnan(number(row, c))) {
        fprintf(out, "%*s ", c->width, "-");
    } else {
        fprintf(out, c->format, c->width, number(row, c) * c->scale);
        fputc(' ', out);
    }
}

void table_row(FILE* out, const bench_row* row) {
    for (size_t i = 0; i < COLUMNS; i++) {
        if (columns[i].heading != NULL) {
            table_cell(out, row, &columns[i]);
        }
    }
    fputc('\n', out);
    fflush(out);
}

/* ---- CSV -------------------------------------------------------------------------------------------------------- */

void csv_heading(FILE* out) {
    for (size_t i = 0; i < COLUMNS; i++) {
        fprintf(out, "%s,", columns[i].name);
    }
    fprintf(out, "cpu,cores,compiler,build,native,version,commit\n");
}

void csv_row(FILE* out, const bench_row* row, const bench_machine* machine) {
    for (size_t i = 0; i < COLUMNS; i++) {
        if (columns[i].format == NULL) {
            fprintf(out, "%s,", text(row, &columns[i]));
        } else if (isnan(number(row, &columns[i]))) {
            fputc(',', out);
        } else {
            fprintf(out, "%.8g,", number(row, &columns[i]));
        }
    }
    fprintf(out, "\"%s\",%ld,\"%s\",%s,%s,%s,%s\n", machine->cpu, machine->cores, machine->compiler, machine->build,
            machine->native, taut_version(), machine->commit);
}

/* ---- preconditioners -------------------------------------------------------------------------------------------- */

static bool same_system(const bench_row* a, const bench_row* b) {
    return a->scene == b->scene && a->constraints == b->constraints && a->geometric == b->geometric &&
           a->threads == b->threads;
}

static bool uses(const bench_row* row, taut_preconditioner preconditioner) {
    return strcmp(row->preconditioner, bench_preconditioner_name(preconditioner)) == 0;
}

static bool converged(const bench_row* row) {
    return strcmp(row->outcome, "converged") == 0;
}

static const bench_row* find(const bench_row* rows, size_t count, const bench_row* like, taut_preconditioner wanted) {
    for (size_t i = 0; i < count; i++) {
        if (same_system(&rows[i], like) && uses(&rows[i], wanted)) {
            return &rows[i];
        }
    }
    return NULL;
}

void table_compare(bench_row* rows, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const bench_row* jacobi = find(rows, count, &rows[i], TAUT_PRECONDITIONER_JACOBI);
        if (jacobi != NULL && converged(jacobi) && converged(&rows[i])) {
            rows[i].against_jacobi = rows[i].step_ms / jacobi->step_ms;
        }
    }
}

static void preconditioner_cell(FILE* out, const bench_row* row) {
    char cell[64] = "-";
    if (row != NULL && converged(row)) {
        snprintf(cell, sizeof cell, "%.0f it. %.1f ms", row->iterations, row->step_ms);
    } else if (row != NULL && row->steps == 0) {
        snprintf(cell, sizeof cell, "%s", row->outcome);
    } else if (row != NULL) {
        snprintf(cell, sizeof cell, "%s at %.0e", row->outcome, row->residual);
    }
    fprintf(out, " %21s", cell);
}

void table_preconditioners(FILE* out, const bench_row* rows, size_t count) {
    fprintf(out, "\npreconditioners at equal tolerance\n%-6s %8s %-4s %21s %21s %21s %21s\n", "scene", "constr.", "G",
            "none", "jacobi", "block", "chebyshev");
    for (size_t i = 0; i < count; i++) {
        const bool first = uses(&rows[i], TAUT_PRECONDITIONER_JACOBI);
        if (!first || find(rows, count, &rows[i], TAUT_PRECONDITIONER_NONE) == NULL) {
            continue;
        }
        fprintf(out, "%-6s %8.0f %-4s", rows[i].scene, rows[i].constraints, rows[i].geometric);
        for (int p = TAUT_PRECONDITIONER_NONE; p <= TAUT_PRECONDITIONER_CHEBYSHEV; p++) {
            preconditioner_cell(out, find(rows, count, &rows[i], (taut_preconditioner)p));
        }
        fputc('\n', out);
    }
}
