#include "options.h"

#include "measure.h"

#include <errno.h>
#include <getopt.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: taut-bench [options]        (lists are separated by commas)\n"
    "  --sizes LIST            constraints of a scene, 100 to 10000000; default 1000,10000,100000\n"
    "  --full                  sizes 1000 to 1000000 and 60 s a row where nothing else is asked for\n"
    "  --scenes LIST           default all of those below\n"
    "  --preconditioner LIST   auto, none, jacobi, block, chebyshev; default: what auto comes to,\n"
    "                          and a comparison of all at up to 10000 constraints\n"
    "  --geometric LIST        full, none; default full, and none too at up to 10000 constraints\n"
    "  --threads N             default: as many as OpenMP offers\n"
    "  --repeats N             measured steps of a row after two others; default 5\n"
    "  --max-seconds S         for the steps of a row; iterations are limited to fit; default 1\n"
    "  --csv FILE              writes the rows with machine, compiler and commit\n"
    "  --help\n"
    "scenes:\n";

static bool bad(const char* option, const char* value, const char* wanted) {
    fprintf(stderr, "taut-bench: --%s: '%s' is not %s; see --help\n", option, value, wanted);
    return false;
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

static bool read_number(const char* option, const char* text, double least, double most, double* out) {
    char* end = NULL;
    errno = 0;
    const double value = strtod(text, &end);
    if (end == text || *end != '\0' || errno != 0 || !(value >= least && value <= most)) {
        char wanted[64];
        snprintf(wanted, sizeof wanted, "a number from %g to %g", least, most);
        return bad(option, text, wanted);
    }
    *out = value;
    return true;
}

static bool read_count(const char* option, const char* text, double least, double most, uint32_t* out) {
    double value = 0;
    if (!read_number(option, text, least, most, &value)) {
        return false;
    }
    *out = (uint32_t)value;
    return *out == value || bad(option, text, "a whole number");
}

/* One element of a list, put at `index`. */
typedef bool element_fn(const char* text, size_t index, bench_options* out);

static bool read_size(const char* text, size_t index, bench_options* out) {
    uint32_t size = 0;
    const bool sound = read_count("sizes", text, 100, 1e7, &size);
    out->sizes[index] = size;
    return sound;
}

static bool read_scene(const char* text, size_t index, bench_options* out) {
    for (size_t i = 0; i < bench_scene_count; i++) {
        if (strcmp(text, bench_scenes[i].name) == 0) {
            out->scenes[index] = i;
            return true;
        }
    }
    return bad("scenes", text, "a scene");
}

static bool read_preconditioner(const char* text, size_t index, bench_options* out) {
    for (int i = TAUT_PRECONDITIONER_AUTO; i <= TAUT_PRECONDITIONER_CHEBYSHEV; i++) {
        if (strcmp(text, bench_preconditioner_name((taut_preconditioner)i)) == 0) {
            out->preconditioners[index] = (taut_preconditioner)i;
            return true;
        }
    }
    return bad("preconditioner", text, "a preconditioner");
}

static bool read_geometric(const char* text, size_t index, bench_options* out) {
    const bool full = strcmp(text, "full") == 0;
    out->geometrics[index] = full ? TAUT_GEOMETRIC_FULL : TAUT_GEOMETRIC_NONE;
    return full || strcmp(text, "none") == 0 || bad("geometric", text, "'full' or 'none'");
}

/* Elements between commas, each handed to `element`; cuts `text` up. */
static bool read_list(const char* option, char* text, element_fn* element, size_t* count, bench_options* out) {
    *count = 0;
    for (char* next = text; next != NULL; (*count)++) {
        char* begin = next;
        next = strchr(begin, ',');
        if (next != NULL) {
            *next++ = '\0';
        }
        if (*count == OPTIONS_MOST) {
            return bad(option, begin, "among the first 16 values");
        }
        if (!element(begin, *count, out)) {
            return false;
        }
    }
    return true;
}

/* ---- the whole line --------------------------------------------------------------------------------------------- */

static void print_help(void) {
    fputs(help, stdout);
    for (size_t i = 0; i < bench_scene_count; i++) {
        printf("  %-6s %s\n", bench_scenes[i].name, bench_scenes[i].text);
    }
}

static const struct option names[] = {
    {"sizes", required_argument, NULL, 's'},
    {"full", no_argument, NULL, 'f'},
    {"scenes", required_argument, NULL, 'S'},
    {"preconditioner", required_argument, NULL, 'p'},
    {"geometric", required_argument, NULL, 'g'},
    {"threads", required_argument, NULL, 't'},
    {"repeats", required_argument, NULL, 'r'},
    {"max-seconds", required_argument, NULL, 'm'},
    {"csv", required_argument, NULL, 'c'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static bool read_option(int letter, bench_options* out) {
    switch (letter) {
    case 's':
        return read_list("sizes", optarg, read_size, &out->size_count, out);
    case 'S':
        return read_list("scenes", optarg, read_scene, &out->scene_count, out);
    case 'p':
        return read_list("preconditioner", optarg, read_preconditioner, &out->preconditioner_count, out);
    case 'g':
        return read_list("geometric", optarg, read_geometric, &out->geometric_count, out);
    case 't':
        return read_count("threads", optarg, 1, 4096, &out->threads);
    case 'r':
        return read_count("repeats", optarg, 1, 10000, &out->repeats);
    case 'm':
        return read_number("max-seconds", optarg, 1e-3, 1e6, &out->max_seconds);
    case 'c':
        out->csv = optarg;
        return true;
    default:
        return false;
    }
}

static void fill_defaults(bool full, bench_options* out) {
    static const size_t sizes[] = {1000, 10000, 100000, 1000000};
    if (out->size_count == 0) {
        out->size_count = full ? 4 : 3;
        memcpy(out->sizes, sizes, out->size_count * sizeof sizes[0]);
    }
    if (out->scene_count == 0) {
        for (; out->scene_count < bench_scene_count; out->scene_count++) {
            out->scenes[out->scene_count] = out->scene_count;
        }
    }
    out->max_seconds = out->max_seconds > 0 ? out->max_seconds : full ? 60 : 1;
}

options_verdict options_read(int argc, char** argv, bench_options* options) {
    bool full = false;
    bench_options read = {.threads = (uint32_t)omp_get_max_threads(), .repeats = 5};
    opterr = 0; /* one line of our own instead */
    for (int letter; (letter = getopt_long(argc, argv, ":", names, NULL)) != -1;) {
        if (letter == 'h') {
            print_help();
            return OPTIONS_HELP;
        }
        if (letter == '?' || letter == ':') {
            fprintf(stderr, "taut-bench: '%s' %s; see --help\n", argv[optind - 1],
                    letter == '?' ? "is not an option" : "needs a value");
            return OPTIONS_BAD;
        }
        full = full || letter == 'f';
        if (letter != 'f' && !read_option(letter, &read)) {
            return OPTIONS_BAD;
        }
    }
    if (optind < argc) {
        fprintf(stderr, "taut-bench: '%s' is not an option; see --help\n", argv[optind]);
        return OPTIONS_BAD;
    }
    fill_defaults(full, &read);
    *options = read;
    return OPTIONS_RUN;
}
