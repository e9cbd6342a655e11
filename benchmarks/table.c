#include "table.h"

#include "columns.h"

#include <math.h>
#include <string.h>

#define TEXT(name, heading, width)                  COLUMN_TEXT(bench_row, name, heading, width)
#define NUMBER(name, heading, width, format, scale) COLUMN_NUMBER(bench_row, name, heading, width, format, scale)
#define HIDDEN(name)                                COLUMN_HIDDEN(bench_row, name)

static const bench_column columns[] = {
    TEXT(scene, "scene", -8),
    TEXT(backend, "on", -4),
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
    HIDDEN(collide_ms),
    NUMBER(iterations, "iter.", 6, "%*.0f", 1),
    NUMBER(outer_iterations, "passes", 6, "%*.1f", 1),
    HIDDEN(iteration_limit),
    NUMBER(residual, "residual", 8, "%*.1e", 1),
    TEXT(outcome, "outcome", -9),
    NUMBER(iteration_us, "us/iter.", 9, "%*.1f", 1),
    NUMBER(iteration_bytes, "MB/iter.", 8, "%*.2f", 1e-6),
    NUMBER(gb_s, "GB/s", 6, "%*.1f", 1),
    HIDDEN(stream_gb_s),
    NUMBER(stream_fraction, "of triad", 8, "%*.2f", 1),
    HIDDEN(against_jacobi),
    HIDDEN(step_speed_up),
    HIDDEN(iteration_speed_up),
};

#define COLUMNS (sizeof columns / sizeof columns[0])

void table_heading(FILE* out) {
    columns_heading(out, columns, COLUMNS);
}

void table_row(FILE* out, const bench_row* row) {
    columns_row(out, columns, COLUMNS, row);
}

void csv_heading(FILE* out) {
    columns_csv_heading(out, columns, COLUMNS);
    fprintf(out, "cpu,cores,device,driver,runtime,compiler,build,native,version,commit\n");
}

void csv_row(FILE* out, const bench_row* row, const bench_machine* machine) {
    columns_csv_row(out, columns, COLUMNS, row);
    fprintf(out, "\"%s\",%ld,\"%s\",%s,%s,\"%s\",%s,%s,%s,%s\n", machine->cpu, machine->cores, machine->device,
            machine->driver, machine->runtime, machine->compiler, machine->build, machine->native, taut_version(),
            machine->commit);
}

/* ---- preconditioners -------------------------------------------------------------------------------------------- */

static bool same_system(const bench_row* a, const bench_row* b) {
    return a->scene == b->scene && a->backend == b->backend && a->constraints == b->constraints &&
           a->geometric == b->geometric && a->threads == b->threads;
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
    fprintf(out, "\npreconditioners at equal tolerance\n%-8s %-4s %8s %-4s %21s %21s %21s %21s\n", "scene", "on",
            "constr.", "G", "none", "jacobi", "block", "chebyshev");
    for (size_t i = 0; i < count; i++) {
        const bool first = uses(&rows[i], TAUT_PRECONDITIONER_JACOBI);
        if (!first || find(rows, count, &rows[i], TAUT_PRECONDITIONER_NONE) == NULL) {
            continue;
        }
        fprintf(out, "%-8s %-4s %8.0f %-4s", rows[i].scene, rows[i].backend, rows[i].constraints, rows[i].geometric);
        for (int p = TAUT_PRECONDITIONER_NONE; p <= TAUT_PRECONDITIONER_CHEBYSHEV; p++) {
            preconditioner_cell(out, find(rows, count, &rows[i], (taut_preconditioner)p));
        }
        fputc('\n', out);
    }
}

/* ---- backends --------------------------------------------------------------------------------------------------- */

/* The row of the CPU that a row of another backend stands beside; NULL for one of the CPU. */
static const bench_row* cpu_row(const bench_row* rows, size_t count, const bench_row* other) {
    for (size_t i = 0; i < count && strcmp(other->backend, "cpu") != 0; i++) {
        bench_row like = *other;
        like.backend = rows[i].backend;
        if (strcmp(rows[i].backend, "cpu") == 0 && same_system(&rows[i], &like) &&
            rows[i].preconditioner == other->preconditioner) {
            return &rows[i];
        }
    }
    return NULL;
}

void table_compare_backends(bench_row* rows, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const bench_row* cpu = cpu_row(rows, count, &rows[i]);
        if (cpu != NULL) {
            rows[i].iteration_speed_up = cpu->step_us / rows[i].step_us;
            rows[i].step_speed_up = converged(cpu) && converged(&rows[i]) ? cpu->step_ms / rows[i].step_ms : NAN;
        }
    }
}

void table_backends(FILE* out, const bench_row* rows, size_t count) {
    static const bench_column pair[] = {
        TEXT(scene, "scene", -8),
        TEXT(backend, "on", -4),
        NUMBER(constraints, "constr.", 8, "%*.0f", 1),
        TEXT(preconditioner, "precond.", -9),
        TEXT(geometric, "G", -4),
        NUMBER(step_ms, "step ms", 10, "%*.3f", 1),
        NUMBER(iterations, "iter.", 6, "%*.0f", 1),
        NUMBER(residual, "residual", 8, "%*.1e", 1),
        TEXT(outcome, "outcome", -9),
        NUMBER(step_us, "us/iter.", 9, "%*.1f", 1),
        NUMBER(step_speed_up, "cpu/this step", 13, "%*.2f", 1),
        NUMBER(iteration_speed_up, "iteration", 9, "%*.2f", 1),
    };
    const size_t columns_of_pair = sizeof pair / sizeof pair[0];
    fprintf(out, "\nbackends side by side: time on the CPU over time here; steps where both met the tolerance\n");
    columns_heading(out, pair, columns_of_pair);
    for (size_t i = 0; i < count; i++) {
        const bench_row* cpu = cpu_row(rows, count, &rows[i]);
        if (cpu != NULL) {
            columns_row(out, pair, columns_of_pair, cpu);
            columns_row(out, pair, columns_of_pair, &rows[i]);
        }
    }
}
