/* taut-convergence: iterations of one step, for every way of solving it. Counts do not depend on the machine. */
#include "bench_scenes.h"
#include "convergence_options.h"
#include "convergence_rows.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct output {
    FILE* csv; /* NULL: none */
    bench_machine machine;
    bool unsound;
} output;

/* A row that says that it converged has a residual to show, and the others did not fail altogether. */
static bool sound(const convergence_row* row) {
    const bool converged = strcmp(row->outcome, "converged") == 0;
    const bool failed = strcmp(row->outcome, "diverged") == 0 || strcmp(row->outcome, "refused") == 0;
    return !failed && (!converged || row->residual <= 1.001 * row->tolerance);
}

static void receive(void* user, const convergence_row* row) {
    output* out = user;
    rows_row(stdout, row);
    if (out->csv != NULL) {
        rows_csv_row(out->csv, row, &out->machine);
    }
    out->unsound = out->unsound || !sound(row);
}

/* Calls case_run with every way that is asked for. */
static void run_ways(const convergence_options* o, prepared_case* c, const convergence_row* row, output* out) {
    for (size_t i = 0; i < o->method_count * o->preconditioner_count; i++) {
        solver_way way = {.method = o->methods[i / o->preconditioner_count],
                          .preconditioner = o->preconditioners[i % o->preconditioner_count]};
        if (!takes_preconditioner(way.method)) {
            way.preconditioner = TAUT_PRECONDITIONER_NONE;
            if (i % o->preconditioner_count > 0) {
                continue;
            }
        }
        const bool multilevel = way.preconditioner == TAUT_PRECONDITIONER_MULTILEVEL;
        const bool levels = multilevel && way.method != TAUT_METHOD_SCHUR; /* whose lines have no cycles */
        const size_t variants = levels ? o->cycle_count : 1;
        for (size_t k = 0; k < variants && solver_makes_sense(way.method, way.preconditioner); k++) {
            if (levels) {
                way.cycle = o->cycles[k];
            }
            case_run(c, &way, o->tolerances, o->tolerance_count, row, receive, out);
        }
    }
}

/* "mesh:tshirt" of mesh=/path/tshirt.obj, or of source__tshirt.obj. */
static void name_case(const asked_case* asked, char* out, size_t size) {
    snprintf(out, size, "%s", asked->scene->name);
    if (asked->file != NULL) {
        const char *slash = strrchr(asked->file, '/'), *base = slash != NULL ? slash + 1 : asked->file;
        const char* source = strstr(base, "__");
        base = source != NULL ? source + 2 : base;
        snprintf(out, size, "%s:%.*s", asked->scene->name, (int)strcspn(base, "."), base);
    }
}

static void run_case(const convergence_options* o, const asked_case* asked, size_t size, double compliance,
                     output* out) {
    char name[256];
    size_t vertices = 0;
    taut_scene* scene = asked->scene->make(size, compliance, asked->file, &vertices);
    name_case(asked, name, sizeof name);
    for (size_t g = 0; g < o->geometric_count; g++) {
        const convergence_row row = {
            .scene = name, .size = (double)size, .vertices = (double)vertices, .compliance = compliance};
        prepared_case c = case_prepare(&o->settings, scene, o->geometrics[g]);
        if (c.prepared_residual > 1e-4) {
            printf("# %s %zu: the %u frames before ended with a residual of %.1e\n", name, size, o->settings.frames,
                   c.prepared_residual);
        }
        run_ways(o, &c, &row, out);
        case_free(&c);
    }
    taut_scene_destroy(scene);
}

static size_t count_sizes(const convergence_case* c) {
    size_t count = 1;
    while (count < CASES_SIZES && c->sizes[count] > 0) {
        count++;
    }
    return count;
}

static void run_sizes(const convergence_options* o, const asked_case* asked, output* out) {
    const convergence_case* scene = asked->scene;
    const bool own = o->size_count == 0;
    const size_t sizes = o->smoke ? 1 : own ? count_sizes(scene) : o->size_count;
    const size_t compliances = o->compliance_count > 0 ? o->compliance_count : 1;
    for (size_t i = 0; i < sizes * compliances; i++) {
        const size_t given = own ? scene->sizes[i / compliances] : o->sizes[i / compliances];
        const size_t size = o->smoke ? scene->smoke : given < scene->least ? scene->least : given;
        const double compliance = o->compliance_count > 0 ? o->compliances[i % compliances] : scene->compliance;
        run_case(o, asked, size, compliance, out);
    }
}

int main(int argc, char** argv) {
    convergence_options o;
    option_program = "taut-convergence";
    const options_verdict verdict = convergence_options_read(argc, argv, &o);
    if (verdict != OPTIONS_RUN) {
        return verdict == OPTIONS_HELP ? 0 : 2;
    }
    output out = {.csv = o.csv != NULL ? fopen(o.csv, "w") : NULL, .machine = machine_describe()};
    if (o.csv != NULL && out.csv == NULL) {
        fprintf(stderr, "taut-convergence: %s: %s\n", o.csv, strerror(errno));
        return 2;
    }
    bench_must(taut_backend_available(o.settings.backend));
    rows_heading(stdout);
    if (out.csv != NULL) {
        rows_csv_heading(out.csv);
    }
    for (size_t i = 0; i < o.scene_count; i++) {
        run_sizes(&o, &o.scenes[i], &out);
    }
    const bool lost = out.csv != NULL && (ferror(out.csv) != 0) | (fclose(out.csv) != 0);
    return lost || (o.smoke && out.unsound);
}
