#include "convergence_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: taut-convergence [options]        (lists are separated by commas)\n"
    "  --scene LIST             of those below; default: all that need no file\n"
    "  --sizes LIST             n of the scenes; default: their own\n"
    "  --compliances LIST       m/N; 0: hard; default: that of the scene\n"
    "  --methods LIST           auto, schur, condensed, gauss_seidel, direct; default schur,condensed\n"
    "  --preconditioners LIST   auto, none, jacobi, block, chebyshev, multilevel; default jacobi,block,chebyshev,\n"
    "                           multilevel; combinations without sense are left out\n"
    "  --cycles LIST            of multilevel: auto, additive, v; default additive,v\n"
    "  --tolerances LIST        relative residuals; default 1e-3,1e-6\n"
    "  --geometric LIST         full, none; default full\n"
    "  --max-iterations N       of the measured step; default 2000\n"
    "  --frames N               steps before the measured one; default 2\n"
    "  --prepare-iterations N   limit of those steps and of the one that errors are taken against; default 5000\n"
    "  --step S                 s; default 1/60\n"
    "  --backend NAME           cpu, cuda; default cpu\n"
    "  --threads N              default 1\n"
    "  --repeat-seconds S       steps are timed up to three times within this; default 1\n"
    "  --no-balance             leaves the column |r|/|b| empty: iterations of the condensed method to\n"
    "                           |b - H dv| <= tolerance |b| in float64, found by steps with more and less of them; "
    "there\n"
    "                           is no H of hard rows and of frames; nor is there with --smoke\n"
    "  --csv FILE               writes the rows with machine, compiler and commit\n"
    "  --smoke                  every scene at its smallest, in seconds; fails where a row is not sound\n"
    "  --help\n"
    "scenes:\n";

static void print_help(void) {
    fputs(help, stdout);
    for (size_t i = 0; i < convergence_case_count; i++) {
        printf("  %-13s %s\n", convergence_cases[i].name, convergence_cases[i].text);
    }
}

/* ---- elements of lists ------------------------------------------------------------------------------------------- */

static bool read_scene(const char* text, size_t index, void* scenes) {
    asked_case* out = (asked_case*)scenes + index;
    const char* equals = strchr(text, '=');
    const size_t length = equals != NULL ? (size_t)(equals - text) : strlen(text);
    for (size_t i = 0; i < convergence_case_count; i++) {
        const convergence_case* c = &convergence_cases[i];
        if (strlen(c->name) == length && strncmp(text, c->name, length) == 0 && c->from_file == (equals != NULL)) {
            *out = (asked_case){c, equals != NULL ? equals + 1 : NULL};
            return true;
        }
    }
    return option_bad("scene", text, "a scene");
}

static bool read_size(const char* text, size_t index, void* sizes) {
    uint32_t size = 0;
    const bool sound = option_count("sizes", text, 0, 1e6, &size);
    ((size_t*)sizes)[index] = size;
    return sound;
}

static bool read_compliance(const char* text, size_t index, void* compliances) {
    return option_number("compliances", text, 0, 1e6, (double*)compliances + index);
}

static bool read_tolerance(const char* text, size_t index, void* tolerances) {
    return option_number("tolerances", text, 1e-12, 0.999, (double*)tolerances + index);
}

static bool read_method(const char* text, size_t index, void* methods) {
    for (int i = TAUT_METHOD_AUTO; i <= TAUT_METHOD_DIRECT; i++) {
        if (strcmp(text, method_name((taut_method)i)) == 0) {
            ((taut_method*)methods)[index] = (taut_method)i;
            return true;
        }
    }
    return option_bad("methods", text, "a method");
}

static bool read_cycle(const char* text, size_t index, void* cycles) {
    for (int i = TAUT_CYCLE_AUTO; i <= TAUT_CYCLE_V; i++) {
        if (strcmp(text, cycle_name((taut_cycle)i)) == 0) {
            ((taut_cycle*)cycles)[index] = (taut_cycle)i;
            return true;
        }
    }
    return option_bad("cycles", text, "a cycle");
}

static bool read_backend(const char* text, taut_backend_kind* backend) {
    const bool cuda = strcmp(text, "cuda") == 0;
    *backend = cuda ? TAUT_BACKEND_CUDA : TAUT_BACKEND_CPU;
    return cuda || strcmp(text, "cpu") == 0 || option_bad("backend", text, "'cpu' or 'cuda'");
}

/* ---- the whole line ---------------------------------------------------------------------------------------------- */

static const struct option names[] = {
    {"scene", required_argument, NULL, 'S'},
    {"sizes", required_argument, NULL, 's'},
    {"compliances", required_argument, NULL, 'c'},
    {"methods", required_argument, NULL, 'm'},
    {"preconditioners", required_argument, NULL, 'p'},
    {"cycles", required_argument, NULL, 'y'},
    {"tolerances", required_argument, NULL, 't'},
    {"geometric", required_argument, NULL, 'g'},
    {"max-iterations", required_argument, NULL, 'i'},
    {"frames", required_argument, NULL, 'f'},
    {"prepare-iterations", required_argument, NULL, 'I'},
    {"step", required_argument, NULL, 'd'},
    {"backend", required_argument, NULL, 'b'},
    {"threads", required_argument, NULL, 'T'},
    {"repeat-seconds", required_argument, NULL, 'r'},
    {"csv", required_argument, NULL, 'o'},
    {"no-balance", no_argument, NULL, 'n'},
    {"smoke", no_argument, NULL, 'k'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static bool read_list(int letter, convergence_options* o) {
    switch (letter) {
    case 'S':
        return option_list("scene", optarg, read_scene, &o->scene_count, o->scenes);
    case 's':
        return option_list("sizes", optarg, read_size, &o->size_count, o->sizes);
    case 'c':
        return option_list("compliances", optarg, read_compliance, &o->compliance_count, o->compliances);
    case 'm':
        return option_list("methods", optarg, read_method, &o->method_count, o->methods);
    case 'p':
        return option_list("preconditioners", optarg, option_preconditioner, &o->preconditioner_count,
                           o->preconditioners);
    case 'y':
        return option_list("cycles", optarg, read_cycle, &o->cycle_count, o->cycles);
    case 't':
        return option_list("tolerances", optarg, read_tolerance, &o->tolerance_count, o->tolerances);
    default:
        return option_list("geometric", optarg, option_geometric, &o->geometric_count, o->geometrics);
    }
}

static bool read_option(int letter, void* options) {
    convergence_options* o = options;
    run_settings* s = &o->settings;
    switch (letter) {
    case 'i':
        return option_count("max-iterations", optarg, 1, 1e8, &s->max_iterations);
    case 'f':
        return option_count("frames", optarg, 0, 1e6, &s->frames);
    case 'I':
        return option_count("prepare-iterations", optarg, 1, 1e8, &s->prepare_iterations);
    case 'd':
        return option_number("step", optarg, 1e-6, 1, &s->step);
    case 'b':
        return read_backend(optarg, &s->backend);
    case 'T':
        return option_count("threads", optarg, 1, 4096, &s->threads);
    case 'r':
        return option_number("repeat-seconds", optarg, 0, 1e6, &s->repeat_seconds);
    case 'o':
        o->csv = optarg;
        return true;
    case 'n':
        s->balance = false;
        return true;
    case 'k':
        o->smoke = true;
        s->balance = false;
        return true;
    default:
        return read_list(letter, o);
    }
}

static int descending(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x < y) - (x > y);
}

static void fill_lists(convergence_options* o) {
    static const taut_preconditioner preconditioners[] = {TAUT_PRECONDITIONER_JACOBI, TAUT_PRECONDITIONER_BLOCK,
                                                          TAUT_PRECONDITIONER_CHEBYSHEV,
                                                          TAUT_PRECONDITIONER_MULTILEVEL};
    if (o->method_count == 0) {
        o->methods[o->method_count++] = TAUT_METHOD_SCHUR;
        o->methods[o->method_count++] = TAUT_METHOD_CONDENSED;
    }
    if (o->preconditioner_count == 0) {
        o->preconditioner_count = 4;
        memcpy(o->preconditioners, preconditioners, sizeof preconditioners);
    }
    if (o->cycle_count == 0) {
        for (int i = TAUT_CYCLE_ADDITIVE; i <= TAUT_CYCLE_V; i++) {
            o->cycles[o->cycle_count++] = (taut_cycle)i;
        }
    }
    if (o->tolerance_count == 0) {
        o->tolerances[o->tolerance_count++] = 1e-3;
        o->tolerances[o->tolerance_count++] = 1e-6;
    }
    if (o->geometric_count == 0) {
        o->geometrics[o->geometric_count++] = TAUT_GEOMETRIC_FULL;
    }
    qsort(o->tolerances, o->tolerance_count, sizeof o->tolerances[0], descending);
}

static void fill_scenes(convergence_options* o) {
    const bool asked = o->scene_count > 0;
    for (size_t i = 0; !asked && i < convergence_case_count; i++) {
        if (!convergence_cases[i].from_file) {
            o->scenes[o->scene_count].scene = &convergence_cases[i];
            o->scene_count++;
        }
    }
}

options_verdict convergence_options_read(int argc, char** argv, convergence_options* options) {
    convergence_options read = {.settings = {.backend = TAUT_BACKEND_CPU,
                                             .threads = 1,
                                             .step = 1.0 / 60,
                                             .frames = 2,
                                             .prepare_iterations = 5000,
                                             .max_iterations = 2000,
                                             .repeat_seconds = 1,
                                             .balance = true}};
    const options_verdict verdict = options_parse(argc, argv, names, read_option, &read, print_help);
    if (verdict == OPTIONS_RUN) {
        fill_lists(&read);
        fill_scenes(&read);
        *options = read;
    }
    return verdict;
}
