#include "device_row.h"

#include "columns.h"

#define TEXT(name, heading, width)                  COLUMN_TEXT(device_row, name, heading, width)
#define NUMBER(name, heading, width, format, scale) COLUMN_NUMBER(device_row, name, heading, width, format, scale)

#define HEAD                                                                                                           \
    TEXT(scene, "scene", -8), TEXT(geometric, "G", -4), TEXT(method, "method", -9),                                    \
        NUMBER(constraints, "constr.", 8, "%*.0f", 1), NUMBER(unknowns, "unknowns", 9, "%*.0f", 1)

static const bench_column iterations[] = {
    HEAD,
    TEXT(preconditioner, "precond.", -9),
    NUMBER(loop_us, "us/iter.", 9, "%*.2f", 1),
    NUMBER(loop_us_least, "least", 9, "%*.2f", 1),
    NUMBER(loop_us_most, "most", 9, "%*.2f", 1),
    NUMBER(straight_us, "straight", 9, "%*.2f", 1),
    NUMBER(plain_us, "launched", 9, "%*.2f", 1),
    NUMBER(loop_overhead, "loop %", 7, "%*.1f", 100),
    NUMBER(refresh_us, "refresh", 9, "%*.2f", 1),
    NUMBER(refresh_in_iterations, "/iter.", 7, "%*.1f", 1),
    NUMBER(iteration_bytes, "MB/iter.", 9, "%*.3f", 1e-6),
    NUMBER(gb_s, "GB/s", 8, "%*.1f", 1),
    NUMBER(copy_gb_s, "copy GB/s", 9, "%*.1f", 1),
    NUMBER(copy_fraction, "of copy", 7, "%*.2f", 1),
};

static const bench_column products[] = {
    HEAD,
    NUMBER(product_us, "us/product", 10, "%*.2f", 1),
    NUMBER(product_us_least, "least", 9, "%*.2f", 1),
    NUMBER(product_us_most, "most", 9, "%*.2f", 1),
    NUMBER(assembled_us, "assembled", 10, "%*.2f", 1),
    NUMBER(assembled_us_least, "least", 9, "%*.2f", 1),
    NUMBER(assembled_us_most, "most", 9, "%*.2f", 1),
    NUMBER(assembled_ratio, "ratio", 7, "%*.2f", 1),
    NUMBER(nonzeros, "nonzeros", 10, "%*.0f", 1),
    NUMBER(difference, "differ.", 8, "%*.1e", 1),
};

static const bench_column frames[] = {
    HEAD,
    TEXT(preconditioner, "precond.", -9),
    NUMBER(frame_ms, "frame ms", 9, "%*.3f", 1),
    NUMBER(frame_ms_least, "least", 9, "%*.3f", 1),
    NUMBER(frame_ms_most, "most", 9, "%*.3f", 1),
    NUMBER(iterations, "iter.", 6, "%*.0f", 1),
    NUMBER(outer_iterations, "passes", 6, "%*.1f", 1),
    NUMBER(residual, "residual", 8, "%*.1e", 1),
    TEXT(outcome, "outcome", -9),
    NUMBER(launches, "launches", 8, "%*.1f", 1),
    NUMBER(graph_launches, "graphs", 6, "%*.1f", 1),
    NUMBER(synchronisations, "syncs", 6, "%*.1f", 1),
    NUMBER(copies, "copies", 6, "%*.1f", 1),
    NUMBER(allocations, "alloc.", 6, "%*.1f", 1),
    NUMBER(waits, "waits", 6, "%*.1f", 1),
    NUMBER(step_nodes, "nodes", 6, "%*.0f", 1),
    NUMBER(outer_nodes, "/pass", 6, "%*.0f", 1),
    NUMBER(round_nodes, "/round", 6, "%*.0f", 1),
};

/* What is in no table. */
static const bench_column others[] = {
    COLUMN_HIDDEN(device_row, particles),        COLUMN_HIDDEN(device_row, straight_us_least),
    COLUMN_HIDDEN(device_row, straight_us_most), COLUMN_HIDDEN(device_row, plain_us_least),
    COLUMN_HIDDEN(device_row, plain_us_most),    COLUMN_HIDDEN(device_row, cache_gb_s),
    COLUMN_HIDDEN(device_row, memory_gb_s),      COLUMN_HIDDEN(device_row, refresh_us_least),
    COLUMN_HIDDEN(device_row, refresh_us_most),
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
/* Columns that name the row, at the head of each table. */
#define HEAD_COUNT 5

static const struct {
    const char* title;
    const bench_column* columns;
    size_t count;
} tables[DEVICE_TABLES] = {
    [DEVICE_ITERATIONS] = {"one iteration: in the WHILE node, in a straight graph, launched one by one", iterations,
                           COUNT(iterations)},
    [DEVICE_PRODUCTS] = {"one product with S: matrix-free, and assembled in cuSPARSE", products, COUNT(products)},
    [DEVICE_FRAMES] = {"one frame, and the calls of the runtime that it takes", frames, COUNT(frames)},
};

void device_table_print(FILE* out, device_table table, const device_row* rows, size_t count) {
    fprintf(out, "\n%s\n", tables[table].title);
    columns_heading(out, tables[table].columns, tables[table].count);
    for (size_t i = 0; i < count; i++) {
        columns_row(out, tables[table].columns, tables[table].count, &rows[i]);
    }
}

void device_csv_heading(FILE* out) {
    columns_csv_heading(out, iterations, COUNT(iterations));
    columns_csv_heading(out, products + HEAD_COUNT, COUNT(products) - HEAD_COUNT);
    columns_csv_heading(out, frames + HEAD_COUNT + 1, COUNT(frames) - HEAD_COUNT - 1);
    columns_csv_heading(out, others, COUNT(others));
    fprintf(out, "smoke,device,driver,runtime,compiler,build,version,commit\n");
}

void device_csv_row(FILE* out, const device_row* row, const bench_machine* machine, bool smoke) {
    columns_csv_row(out, iterations, COUNT(iterations), row);
    columns_csv_row(out, products + HEAD_COUNT, COUNT(products) - HEAD_COUNT, row);
    columns_csv_row(out, frames + HEAD_COUNT + 1, COUNT(frames) - HEAD_COUNT - 1, row);
    columns_csv_row(out, others, COUNT(others), row);
    fprintf(out, "%s,\"%s\",%s,%s,\"%s\",%s,%s,%s\n", smoke ? "yes" : "no", machine->device, machine->driver,
            machine->runtime, machine->compiler, machine->build, taut_version(), machine->commit);
}
