#include "convergence_rows.h"

#include "columns.h"

#define TEXT(name, heading, width)                  COLUMN_TEXT(convergence_row, name, heading, width)
#define NUMBER(name, heading, width, format, scale) COLUMN_NUMBER(convergence_row, name, heading, width, format, scale)
#define HIDDEN(name)                                COLUMN_HIDDEN(convergence_row, name)

static const bench_column columns[] = {
    TEXT(scene, "scene", -14),
    HIDDEN(size),
    NUMBER(vertices, "vertices", 8, "%*.0f", 1),
    NUMBER(rows, "rows", 8, "%*.0f", 1),
    NUMBER(unknowns, "unknowns", 8, "%*.0f", 1),
    NUMBER(compliance, "compl.", 6, "%*.0e", 1),
    TEXT(geometric, "G", -4),
    TEXT(method, "method", -9),
    TEXT(preconditioner, "precond.", -10),
    TEXT(cycle, "cycle", -8),
    HIDDEN(threads),
    NUMBER(tolerance, "toler.", 6, "%*.0e", 1),
    NUMBER(iterations, "iter.", 6, "%*.0f", 1),
    NUMBER(balance_iterations, "|r|/|b|", 7, "%*.0f", 1),
    NUMBER(outer_iterations, "passes", 6, "%*.0f", 1),
    TEXT(outcome, "outcome", -9),
    NUMBER(residual, "residual", 8, "%*.1e", 1),
    NUMBER(error, "error", 8, "%*.1e", 1),
    NUMBER(solve_ms, "solve ms", 9, "%*.2f", 1),
    NUMBER(iteration_ms, "ms/iter.", 8, "%*.4f", 1),
    HIDDEN(assemble_ms),
    NUMBER(refresh_ms, "refresh", 8, "%*.2f", 1),
    NUMBER(work_per_iteration, "work/it.", 8, "%*.2f", 1),
    NUMBER(reads, "reads/it.", 9, "%*.2f", 1),
    NUMBER(refresh_in_iterations, "ref./it.", 8, "%*.1f", 1),
    NUMBER(work, "work", 7, "%*.0f", 1),
    TEXT(levels, "levels", -1),
};

#define COLUMNS (sizeof columns / sizeof columns[0])

void rows_heading(FILE* out) {
    columns_heading(out, columns, COLUMNS);
}

void rows_row(FILE* out, const convergence_row* row) {
    columns_row(out, columns, COLUMNS, row);
}

void rows_csv_heading(FILE* out) {
    columns_csv_heading(out, columns, COLUMNS);
    fprintf(out, "cpu,cores,device,compiler,build,native,version,commit\n");
}

void rows_csv_row(FILE* out, const convergence_row* row, const bench_machine* machine) {
    columns_csv_row(out, columns, COLUMNS, row);
    fprintf(out, "\"%s\",%ld,\"%s\",\"%s\",%s,%s,%s,%s\n", machine->cpu, machine->cores, machine->device,
            machine->compiler, machine->build, machine->native, taut_version(), machine->commit);
    fflush(out);
}
