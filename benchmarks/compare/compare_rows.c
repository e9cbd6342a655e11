#include "compare_rows.h"

#include "columns.h"

#include <taut/taut.h>

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define TEXT(name, heading, width)                  COLUMN_TEXT(compare_row, name, heading, width)
#define NUMBER(name, heading, width, format, scale) COLUMN_NUMBER(compare_row, name, heading, width, format, scale)
#define HIDDEN(name)                                COLUMN_HIDDEN(compare_row, name)

static const bench_column columns[] = {
    TEXT(mode, "mode", -6),
    NUMBER(vertices, "vertices", 8, "%*.0f", 1),
    HIDDEN(springs),
    HIDDEN(compliance),
    TEXT(method, "method", -22),
    TEXT(limit, "limit", -9),
    HIDDEN(substeps),
    HIDDEN(frames),
    TEXT(budget_kind, "budget", -9),
    NUMBER(budget, "", 7, "%*.3g", 1),
    NUMBER(iterations, "iter.", 7, "%*.0f", 1),
    NUMBER(work, "work", 9, "%*.1f", 1),
    NUMBER(ms, "ms", 10, "%*.3f", 1),
    NUMBER(assembly_ms, "assembly", 9, "%*.3f", 1),
    NUMBER(error, "error", 8, "%*.1e", 1),
    NUMBER(error_max, "largest", 8, "%*.1e", 1),
    NUMBER(error_nonlinear, "nonlin.", 8, "%*.1e", 1),
    NUMBER(strain, "strain", 8, "%*.1e", 1),
    NUMBER(strain_reference, "ref.", 8, "%*.1e", 1),
    TEXT(outcome, "outcome", -7),
};

#define COLUMNS (sizeof columns / sizeof columns[0])

void compare_heading(FILE* out) {
    columns_heading(out, columns, COLUMNS);
}

void compare_print(FILE* out, const compare_row* row) {
    columns_row(out, columns, COLUMNS, row);
}

void compare_csv_heading(FILE* out) {
    columns_csv_heading(out, columns, COLUMNS);
    fprintf(out, "cpu,cores,compiler,build,native,version,commit\n");
}

void compare_csv_row(FILE* out, const compare_row* row, const bench_machine* machine) {
    columns_csv_row(out, columns, COLUMNS, row);
    fprintf(out, "\"%s\",%ld,\"%s\",%s,%s,%s,%s\n", machine->cpu, machine->cores, machine->compiler, machine->build,
            machine->native, taut_version(), machine->commit);
    fflush(out);
}

/* ---- equal errors -------------------------------------------------------------------------------------------------
 */

typedef struct price {
    double ms, work;
    bool bound; /* it came nowhere near within this */
} price;

/* The least of a method, or of all that begin with its name where `family`. */
static price find_price(const compare_row* rows, size_t count, const char* limit, const char* name, bool family,
                        double error) {
    price least = {NAN, NAN, false}, most = {NAN, NAN, true};
    const size_t length = family ? strlen(name) : strlen(name) + 1;
    for (size_t i = 0; i < count; i++) {
        const compare_row* r = &rows[i];
        if (strncmp(r->method, name, length) != 0 || strcmp(r->limit, limit) != 0) {
            continue;
        }
        most.ms = fmax(most.ms, r->ms);
        most.work = fmax(most.work, r->work);
        if (r->error <= error) {
            least.ms = fmin(least.ms, r->ms);
            least.work = fmin(least.work, r->work);
        }
    }
    return isnan(least.ms) ? most : least;
}

static void print_ratio(FILE* out, double value, double base, bool bound) {
    if (isnan(value)) {
        fprintf(out, " %11s %7s", "-", "");
    } else {
        fprintf(out, " %1s%10.2f %7.2f", bound ? ">" : "", value, value / base);
    }
}

static bool seen_before(const compare_row* rows, size_t i) {
    for (size_t k = 0; k < i; k++) {
        if (strcmp(rows[k].method, rows[i].method) == 0) {
            return true;
        }
    }
    return false;
}

static void print_limit(FILE* out, const compare_row* rows, size_t count, const char* limit) {
    static const double errors[] = {1e-2, 1e-3, 1e-6};
    fprintf(out, "\nto the %s step of %.0f vertices, ms and work, each with its ratio to the best of taut\n%-22s",
            limit, rows[0].vertices, "");
    for (size_t e = 0; e < 3; e++) {
        fprintf(out, " | %11s %7s %11s %7.0e", "ms", "", "work", errors[e]);
    }
    for (size_t i = 0; i < count; i++) {
        if (strcmp(rows[i].limit, limit) != 0 || seen_before(rows, i)) {
            continue;
        }
        fprintf(out, "\n%-22s", rows[i].method);
        for (size_t e = 0; e < 3; e++) {
            const price own = find_price(rows, count, limit, rows[i].method, false, errors[e]);
            const price best = find_price(rows, count, limit, "taut", true, errors[e]);
            fprintf(out, " |");
            print_ratio(out, own.ms, best.ms, own.bound);
            print_ratio(out, own.work, best.work, own.bound);
        }
    }
    fputc('\n', out);
}

void compare_summary(FILE* out, const compare_row* rows, size_t count) {
    static const char* const limits[] = {"linear", "nonlinear"};
    for (size_t l = 0; l < 2; l++) {
        size_t of_limit = 0;
        for (size_t i = 0; i < count; i++) {
            of_limit += strcmp(rows[i].limit, limits[l]) == 0;
        }
        if (of_limit > 0) {
            print_limit(out, rows, count, limits[l]);
        }
    }
}
