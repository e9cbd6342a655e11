/* taut-bench: the benchmark table. */
#include "options.h"
#include "stream.h"
#include "table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Up to this size all preconditioners and both stiffnesses are measured where none was asked for. */
#define COMPARED_SIZE 10000
/* Rows of one scene and size. */
#define MOST_VARIANTS (OPTIONS_MOST * OPTIONS_MOST)

typedef struct variant {
    taut_preconditioner preconditioner;
    taut_geometric_stiffness geometric;
} variant;

static size_t list_asked(const bench_options* o, const bench_scene* scene, variant out[MOST_VARIANTS]) {
    const size_t methods = o->preconditioner_count > 0 ? o->preconditioner_count : 1;
    const size_t stiffnesses = o->geometric_count > 0 ? o->geometric_count : 1;
    for (size_t i = 0; i < methods * stiffnesses; i++) {
        out[i].preconditioner = o->preconditioner_count > 0 ? o->preconditioners[i % methods] : scene->preconditioner;
        out[i].geometric = o->geometric_count > 0 ? o->geometrics[i / methods] : TAUT_GEOMETRIC_FULL;
    }
    return methods * stiffnesses;
}

static size_t list_default(const bench_scene* scene, size_t size, variant out[MOST_VARIANTS]) {
    size_t count = 0;
    out[count++] = (variant){scene->preconditioner, TAUT_GEOMETRIC_FULL};
    for (int p = TAUT_PRECONDITIONER_NONE; size <= COMPARED_SIZE && p <= TAUT_PRECONDITIONER_CHEBYSHEV; p++) {
        if ((taut_preconditioner)p != scene->preconditioner) {
            out[count++] = (variant){(taut_preconditioner)p, TAUT_GEOMETRIC_FULL};
        }
    }
    if (size <= COMPARED_SIZE) {
        out[count++] = (variant){scene->preconditioner, TAUT_GEOMETRIC_NONE};
    }
    return count;
}

/* On every backend in turn, so that nothing but the backend lies between their rows. */
static void measure_variant(const bench_options* o, const bench_scene* scene, size_t size, variant v, double stream,
                            bench_row* rows, size_t* count) {
    for (size_t b = 0; b < o->backend_count; b++) {
        const bench_case c = {.scene = scene,
                              .size = size,
                              .preconditioner = v.preconditioner,
                              .geometric = v.geometric,
                              .backend = o->backends[b],
                              .threads = o->threads,
                              .repeats = o->repeats,
                              .max_seconds = o->max_seconds,
                              .stream_gb_s = stream};
        rows[*count] = bench_measure(&c);
        table_row(stdout, &rows[(*count)++]);
    }
}

static void measure_all(const bench_options* o, double stream, bench_row* rows, size_t* count) {
    variant variants[MOST_VARIANTS];
    for (size_t i = 0; i < o->scene_count * o->size_count; i++) {
        const bench_scene* scene = &bench_scenes[o->scenes[i / o->size_count]];
        const size_t size = o->sizes[i % o->size_count];
        const bool asked = o->preconditioner_count > 0 || o->geometric_count > 0;
        const size_t variant_count = asked ? list_asked(o, scene, variants) : list_default(scene, size, variants);
        for (size_t k = 0; k < variant_count; k++) {
            measure_variant(o, scene, size, variants[k], stream, rows, count);
        }
    }
}

static void print_machine(const bench_machine* m, const bench_options* o, double stream) {
    printf("taut %s (%s), %s, %ld cores, %u threads, triad %.1f GB/s\n", taut_version(), m->commit, m->cpu, m->cores,
           o->threads, stream);
    printf("CUDA device: %s, driver %s, runtime %s\n", m->device, m->driver, m->runtime);
    printf("%s, %s, native instructions: %s; step 1/60 s, tolerance %g\n\n", m->compiler, m->build, m->native,
           taut_default_world().solver.tolerance);
}

static void write_csv(FILE* file, const bench_row* rows, size_t count, const bench_machine* machine) {
    csv_heading(file);
    for (size_t i = 0; i < count; i++) {
        csv_row(file, &rows[i], machine);
    }
}

/* Opened before the measurements: a name that can not be written should not cost a run. */
static FILE* open_csv(const char* name) {
    FILE* file = fopen(name, "w");
    if (file == NULL) {
        fprintf(stderr, "taut-bench: %s: %s\n", name, strerror(errno));
    }
    return file;
}

int main(int argc, char** argv) {
    bench_options o;
    const options_verdict verdict = options_read(argc, argv, &o);
    if (verdict != OPTIONS_RUN) {
        return verdict == OPTIONS_HELP ? 0 : 2;
    }
    FILE* csv = o.csv != NULL ? open_csv(o.csv) : NULL;
    if (o.csv != NULL && csv == NULL) {
        return 2;
    }
    for (size_t b = 0; b < o.backend_count; b++) {
        bench_must(taut_backend_available(o.backends[b]));
    }
    const bench_machine machine = machine_describe();
    const double stream = stream_triad((int)o.threads, stream_bytes());
    size_t count = 0;
    bench_row* rows = bench_allocate(o.scene_count * o.size_count * o.backend_count * MOST_VARIANTS, sizeof *rows);
    print_machine(&machine, &o, stream);
    table_heading(stdout);
    measure_all(&o, stream, rows, &count);
    table_compare(rows, count);
    table_preconditioners(stdout, rows, count);
    table_compare_backends(rows, count);
    if (o.backend_count > 1) {
        table_backends(stdout, rows, count);
    }
    int status = 0;
    if (csv != NULL) {
        write_csv(csv, rows, count, &machine);
        status = ferror(csv) != 0;
        status = fclose(csv) != 0 || status;
    }
    free(rows);
    return status;
}
