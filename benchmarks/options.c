#include "options.h"

#include "measure.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: taut-bench [options]        (lists are separated by commas)\n"
    "  --sizes LIST            constraints of a scene, 100 to 10000000; default 1000,10000,100000\n"
    "  --full                  sizes 1000 to 1000000 and 60 s a row where nothing else is asked for\n"
    "  --scenes LIST           default all of those below\n"
    "  --backend LIST          cpu, cuda; default cpu. Both: the same cases side by side\n"
    "  --preconditioner LIST   auto, none, jacobi, block, chebyshev, multilevel; default: what auto comes to,\n"
    "                          and a comparison of all at up to 10000 constraints\n"
    "  --geometric LIST        full, none; default full, and none too at up to 10000 constraints\n"
    "  --threads N             default: as many as OpenMP offers\n"
    "  --repeats N             measured steps of a row after two others; default 5\n"
    "  --max-seconds S         for the steps of a row; iterations are limited to fit; default 1\n"
    "  --csv FILE              writes the rows with machine, compiler and commit\n"
    "  --help\n"
    "scenes:\n";

/* ---- the whole line --------------------------------------------------------------------------------------------- */

static void print_help(void) {
    fputs(help, stdout);
    for (size_t i = 0; i < bench_scene_count; i++) {
        printf("  %-8s %s\n", bench_scenes[i].name, bench_scenes[i].text);
    }
}

static const struct option names[] = {
    {"sizes", required_argument, NULL, 's'},
    {"full", no_argument, NULL, 'f'},
    {"scenes", required_argument, NULL, 'S'},
    {"backend", required_argument, NULL, 'b'},
    {"preconditioner", required_argument, NULL, 'p'},
    {"geometric", required_argument, NULL, 'g'},
    {"threads", required_argument, NULL, 't'},
    {"repeats", required_argument, NULL, 'r'},
    {"max-seconds", required_argument, NULL, 'm'},
    {"csv", required_argument, NULL, 'c'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static bool read_backend(const char* text, size_t index, void* backends) {
    const bool cuda = strcmp(text, "cuda") == 0;
    ((taut_backend_kind*)backends)[index] = cuda ? TAUT_BACKEND_CUDA : TAUT_BACKEND_CPU;
    return cuda || strcmp(text, "cpu") == 0 || option_bad("backend", text, "'cpu' or 'cuda'");
}

static bool read_option(int letter, void* options) {
    bench_options* out = options;
    switch (letter) {
    case 's':
        return option_list("sizes", optarg, option_size, &out->size_count, out->sizes);
    case 'S':
        return option_list("scenes", optarg, option_scene, &out->scene_count, out->scenes);
    case 'b':
        return option_list("backend", optarg, read_backend, &out->backend_count, out->backends);
    case 'p':
        return option_list("preconditioner", optarg, option_preconditioner, &out->preconditioner_count,
                           out->preconditioners);
    case 'g':
        return option_list("geometric", optarg, option_geometric, &out->geometric_count, out->geometrics);
    case 't':
        return option_count("threads", optarg, 1, 4096, &out->threads);
    case 'r':
        return option_count("repeats", optarg, 1, 10000, &out->repeats);
    case 'm':
        return option_number("max-seconds", optarg, 1e-3, 1e6, &out->max_seconds);
    case 'c':
        out->csv = optarg;
        return true;
    default:
        return out->full = true;
    }
}

static void fill_defaults(bench_options* out) {
    static const size_t sizes[] = {1000, 10000, 100000, 1000000};
    if (out->size_count == 0) {
        out->size_count = out->full ? 4 : 3;
        memcpy(out->sizes, sizes, out->size_count * sizeof sizes[0]);
    }
    if (out->scene_count == 0) {
        for (; out->scene_count < bench_scene_count; out->scene_count++) {
            out->scenes[out->scene_count] = out->scene_count;
        }
    }
    out->backend_count = out->backend_count > 0 ? out->backend_count : 1; /* the first is the CPU */
    out->max_seconds = out->max_seconds > 0 ? out->max_seconds : out->full ? 60 : 1;
}

options_verdict options_read(int argc, char** argv, bench_options* options) {
    bench_options read = {.backends = {TAUT_BACKEND_CPU}, .threads = (uint32_t)omp_get_max_threads(), .repeats = 5};
    const options_verdict verdict = options_parse(argc, argv, names, read_option, &read, print_help);
    if (verdict == OPTIONS_RUN) {
        fill_defaults(&read);
        *options = read;
    }
    return verdict;
}
