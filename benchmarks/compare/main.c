/* taut-compare: one implicit step of a cloth, and many, by taut and by other solvers; one thread each, in one run. A
 * BLAS that CHOLMOD uses must be told so: OPENBLAS_NUM_THREADS=1. */
#include "amg.h"
#include "bench_scenes.h"
#include "convergence/sheets.h"
#include "curves.h"
#include "direct.h"
#include "option_values.h"

#include <errno.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#define STEP    (1.0 / 60)
#define GRAVITY (-9.81)
#define LISTED  64 /* methods at most */
#define ROWS    4096

static const char help[] =
    "usage: taut-compare [options]        (lists are separated by commas)\n"
    "  --sizes LIST         vertices on a side of the cloth; default 16,32,64\n"
    "  --compliance C       m/N, above 0; default 1e-3\n"
    "  --modes LIST         step, frames; default step\n"
    "  --methods LIST       of those below, or first letters of several; default all\n"
    "  --prepare N          steps of a few of Newton's iterations before the measured ones; default 2\n"
    "  --frames N           of the mode frames; default 60\n"
    "  --seconds S          a curve ends with the step that took longer; default 2\n"
    "  --csv FILE           writes the rows with machine, compiler and commit\n"
    "  --smoke              a small cloth, in seconds; fails where a method misses what it should converge to\n"
    "  --help\n"
    "methods (and what they converge to):\n";

typedef struct compare_options {
    size_t sizes[OPTIONS_MOST], size_count;
    bool step, frames;
    const char* prefixes[OPTIONS_MOST];
    size_t prefix_count;
    double compliance;
    uint32_t prepare;
    curve_settings curve;
    const char* csv;
    bool smoke;
} compare_options;

/* ---- methods ------------------------------------------------------------------------------------------------------
 */

static size_t list_methods(const compared_method* out[LISTED]) {
    const compared_method* const families[] = {taut_methods, linear_methods, primal_methods, xpbd_methods};
    const size_t counts[] = {taut_method_count, linear_method_count, primal_method_count, xpbd_method_count};
    size_t count = 0;
    for (size_t f = 0; f < 4; f++) {
        for (size_t i = 0; i < counts[f]; i++) {
            out[count++] = &families[f][i];
        }
    }
    return count;
}

static bool is_available(const compared_method* m) {
    return m->available == NULL || m->available(m);
}

static bool is_name(const char* text) {
    const compared_method* methods[LISTED];
    const size_t count = list_methods(methods);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(methods[i]->name, text) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_asked(const compare_options* o, const compared_method* m) {
    for (size_t i = 0; i < o->prefix_count; i++) {
        const char* prefix = o->prefixes[i];
        if (is_name(prefix) ? strcmp(m->name, prefix) == 0 : strncmp(m->name, prefix, strlen(prefix)) == 0) {
            return true;
        }
    }
    return o->prefix_count == 0;
}

static void print_help(void) {
    const compared_method* methods[LISTED];
    const size_t count = list_methods(methods);
    fputs(help, stdout);
    for (size_t i = 0; i < count; i++) {
        printf("  %-22s %-9s by %s%s\n", methods[i]->name, methods[i]->limit == LIMIT_LINEAR ? "linear" : "nonlinear",
               budget_name(methods[i]->budget), is_available(methods[i]) ? "" : "; not available in this build");
    }
}

/* ---- options ------------------------------------------------------------------------------------------------------
 */

static bool read_size(const char* text, size_t index, void* sizes) {
    uint32_t size = 0;
    const bool sound = option_count("sizes", text, 4, 4096, &size);
    ((size_t*)sizes)[index] = size;
    return sound;
}

static bool read_mode(const char* text, size_t index, void* options) {
    (void)index;
    compare_options* o = options;
    o->step = o->step || strcmp(text, "step") == 0;
    o->frames = o->frames || strcmp(text, "frames") == 0;
    return strcmp(text, "step") == 0 || strcmp(text, "frames") == 0 || option_bad("modes", text, "'step' or 'frames'");
}

static bool read_prefix(const char* text, size_t index, void* prefixes) {
    ((const char**)prefixes)[index] = text;
    return true;
}

static bool read_option(int letter, void* options) {
    compare_options* o = options;
    uint32_t frames = 0;
    size_t modes = 0;
    switch (letter) {
    case 's':
        return option_list("sizes", optarg, read_size, &o->size_count, o->sizes);
    case 'c':
        return option_number("compliance", optarg, 1e-12, 1e6, &o->compliance);
    case 'm':
        return option_list("modes", optarg, read_mode, &modes, o);
    case 'M':
        return option_list("methods", optarg, read_prefix, &o->prefix_count, o->prefixes);
    case 'p':
        return option_count("prepare", optarg, 0, 1e4, &o->prepare);
    case 'f':
        if (!option_count("frames", optarg, 1, 1e5, &frames)) {
            return false;
        }
        o->curve.frames = frames;
        return true;
    case 't':
        return option_number("seconds", optarg, 1e-3, 1e6, &o->curve.seconds);
    case 'o':
        o->csv = optarg;
        return true;
    default:
        o->smoke = true;
        return true;
    }
}

static void fill_defaults(compare_options* o) {
    static const size_t sizes[] = {16, 32, 64};
    if (o->smoke) {
        o->sizes[0] = 8;
        o->size_count = 1;
        o->step = o->frames = true;
        o->curve = (curve_settings){.seconds = 60, .least_error = 5e-4, .repeats = 1, .frames = 2};
    } else if (o->size_count == 0) {
        o->size_count = 3;
        memcpy(o->sizes, sizes, sizeof sizes);
    }
    o->step = o->step || !o->frames;
}

static const struct option names[] = {
    {"sizes", required_argument, NULL, 's'},
    {"compliance", required_argument, NULL, 'c'},
    {"modes", required_argument, NULL, 'm'},
    {"methods", required_argument, NULL, 'M'},
    {"prepare", required_argument, NULL, 'p'},
    {"frames", required_argument, NULL, 'f'},
    {"seconds", required_argument, NULL, 't'},
    {"csv", required_argument, NULL, 'o'},
    {"smoke", no_argument, NULL, 'k'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* ---- runs ---------------------------------------------------------------------------------------------------------
 */

typedef struct output {
    FILE* csv; /* NULL: none */
    bench_machine machine;
    compare_row* steps; /* of this size */
    size_t count;
} output;

static void receive(void* user, const compare_row* row) {
    output* out = user;
    compare_print(stdout, row);
    if (out->csv != NULL) {
        compare_csv_row(out->csv, row, &out->machine);
    }
    if (strcmp(row->mode, "step") == 0 && out->count < ROWS) {
        out->steps[out->count++] = *row;
    }
}

static void run_size(const compare_options* o, size_t size, output* out) {
    springs model = make_regular_sheet(size, o->compliance);
    const step_problem problem = {&model, STEP, GRAVITY};
    const compared_method* methods[LISTED];
    const size_t count = list_methods(methods);
    bool nonlinear = o->frames;
    for (size_t i = 0; i < count; i++) {
        nonlinear = nonlinear || (is_asked(o, methods[i]) && methods[i]->limit == LIMIT_NONLINEAR);
    }
    curve_case* c = curve_case_make(&problem, o->prepare, nonlinear);
    out->count = 0;
    for (size_t i = 0; i < 2 * count; i++) {
        const compared_method* m = methods[i % count];
        const bool step = i < count;
        if ((step ? o->step : o->frames) && is_asked(o, m) && is_available(m)) {
            (step ? curve_step : curve_frames)(c, &o->curve, m, receive, out);
        }
    }
    compare_summary(stdout, out->steps, out->count);
    curve_case_free(c);
    springs_free(&model);
}

/* What a method must come to on the small cloth. XPBD's own limit is not quite the minimum: multipliers act along the
 * directions of the sweeps in which they changed. Shorter steps turn less and come nearer. */
static double smoke_error(const compared_method* m) {
    if (strncmp(m->name, "xpbd", 4) != 0 || m->limit == LIMIT_LINEAR) {
        return 1e-3;
    }
    return m->substeps > 1 ? 0.02 : 0.1;
}

static bool smoke_sound(const output* out) {
    const compared_method* methods[LISTED];
    const size_t count = list_methods(methods);
    bool sound = true;
    for (size_t i = 0; i < count; i++) {
        const double wanted = smoke_error(methods[i]);
        double least = INFINITY;
        for (size_t k = 0; k < out->count; k++) {
            least = fmin(least, strcmp(out->steps[k].method, methods[i]->name) == 0 ? out->steps[k].error : INFINITY);
        }
        if (is_available(methods[i]) && !(least <= wanted)) {
            fprintf(stderr, "taut-compare: %s came to an error of %.1e, not %.0e\n", methods[i]->name, least, wanted);
            sound = false;
        }
    }
    return sound;
}

int main(int argc, char** argv) {
    compare_options o = {
        .compliance = 1e-3, .prepare = 2, .curve = {.seconds = 2, .least_error = 1e-6, .repeats = 3, .frames = 60}};
    option_program = "taut-compare";
    const options_verdict verdict = options_parse(argc, argv, names, read_option, &o, print_help);
    if (verdict != OPTIONS_RUN) {
        return verdict == OPTIONS_HELP ? 0 : 2;
    }
    fill_defaults(&o);
    output out = {.csv = o.csv != NULL ? fopen(o.csv, "w") : NULL, .machine = machine_describe()};
    if (o.csv != NULL && out.csv == NULL) {
        fprintf(stderr, "taut-compare: %s: %s\n", o.csv, strerror(errno));
        return 2;
    }
    omp_set_num_threads(1);
    out.steps = bench_allocate(ROWS, sizeof *out.steps);
    printf("CHOLMOD: %s; AMGCL: %s; step 1/60 s, one thread, processor time\n",
           direct_available(DIRECT_CHOLMOD) ? "yes" : "not available", amg_available() ? "yes" : "not available");
    compare_heading(stdout);
    if (out.csv != NULL) {
        compare_csv_heading(out.csv);
    }
    for (size_t i = 0; i < o.size_count; i++) {
        run_size(&o, o.sizes[i], &out);
    }
    const bool lost = out.csv != NULL && (ferror(out.csv) != 0) | (fclose(out.csv) != 0);
    const bool sound = !o.smoke || smoke_sound(&out);
    free(out.steps);
    return lost || !sound;
}
