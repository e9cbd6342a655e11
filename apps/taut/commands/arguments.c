#include "commands/arguments.h"

#include "base/array.h"
#include "export/export.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

typedef enum option_id {
    OPTION_FRAMES = 256,
    OPTION_QUALITY,
    OPTION_BUDGET,
    OPTION_BACKEND,
    OPTION_THREADS,
    OPTION_OUT,
    OPTION_EXPORT,
    OPTION_STATS,
    OPTION_CONTACT_FORCES,
    OPTION_TRACE,
    OPTION_CHECKPOINT,
    OPTION_CHECKPOINT_FILE,
    OPTION_RESUME,
    OPTION_STRICT,
    OPTION_MAX_MEMORY,
    OPTION_MAX_SECONDS,
    OPTION_CONFINED,
    OPTION_ALLOW_OUTSIDE,
    OPTION_JSON,
    OPTION_PICTURE /* and those of picture_option behind it */
} option_id;

static const uint32_t max_frames = 100000000;
static const uint32_t max_budget_ms = 100000000;
static const uint32_t max_threads = 4096;
static const uint32_t max_seconds = 100000000;

#define LIMIT_OPTIONS                                                                                                  \
    {"max-memory", required_argument, NULL, OPTION_MAX_MEMORY},                                                        \
        {"max-seconds", required_argument, NULL, OPTION_MAX_SECONDS},                                                  \
        {"confined", no_argument, NULL, OPTION_CONFINED}, {                                                            \
        "allow-outside", no_argument, NULL, OPTION_ALLOW_OUTSIDE                                                       \
    }

static const struct option run_options[] = {{"frames", required_argument, NULL, OPTION_FRAMES},
                                            {"quality", required_argument, NULL, OPTION_QUALITY},
                                            {"budget-ms", required_argument, NULL, OPTION_BUDGET},
                                            {"backend", required_argument, NULL, OPTION_BACKEND},
                                            {"threads", required_argument, NULL, OPTION_THREADS},
                                            {"out", required_argument, NULL, OPTION_OUT},
                                            {"export", required_argument, NULL, OPTION_EXPORT},
                                            {"stats", required_argument, NULL, OPTION_STATS},
                                            {"contact-forces", no_argument, NULL, OPTION_CONTACT_FORCES},
                                            {"trace", required_argument, NULL, OPTION_TRACE},
                                            {"checkpoint", required_argument, NULL, OPTION_CHECKPOINT},
                                            {"checkpoint-file", required_argument, NULL, OPTION_CHECKPOINT_FILE},
                                            {"resume", required_argument, NULL, OPTION_RESUME},
                                            {"strict", no_argument, NULL, OPTION_STRICT},
                                            LIMIT_OPTIONS,
                                            {"json", no_argument, NULL, OPTION_JSON},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};

static const struct option assemble_options[] = {{"frames", required_argument, NULL, OPTION_FRAMES},
                                                 {"backend", required_argument, NULL, OPTION_BACKEND},
                                                 {"threads", required_argument, NULL, OPTION_THREADS},
                                                 {"out", required_argument, NULL, OPTION_OUT},
                                                 LIMIT_OPTIONS,
                                                 {"help", no_argument, NULL, 'h'},
                                                 {NULL, 0, NULL, 0}};

static const struct option check_options[] = {
    {"json", no_argument, NULL, OPTION_JSON}, LIMIT_OPTIONS, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};

#define PICTURE_OPTIONS                                                                                                \
    {"size", required_argument, NULL, OPTION_PICTURE + PICTURE_SIZE},                                                  \
        {"camera", required_argument, NULL, OPTION_PICTURE + PICTURE_CAMERA},                                          \
        {"target", required_argument, NULL, OPTION_PICTURE + PICTURE_TARGET},                                          \
        {"colour", required_argument, NULL, OPTION_PICTURE + PICTURE_COLOUR},                                          \
        {"range", required_argument, NULL, OPTION_PICTURE + PICTURE_RANGE},                                            \
        {"contacts", no_argument, NULL, OPTION_PICTURE + PICTURE_CONTACTS},                                            \
        {"floor", required_argument, NULL, OPTION_PICTURE + PICTURE_FLOOR},                                            \
        {"backdrop", required_argument, NULL, OPTION_PICTURE + PICTURE_BACKDROP},                                      \
        {"backend", required_argument, NULL, OPTION_BACKEND}, {                                                        \
        "threads", required_argument, NULL, OPTION_THREADS                                                             \
    }

static const struct option render_options[] = {{"frames", required_argument, NULL, OPTION_PICTURE + PICTURE_FRAMES},
                                               {"every", required_argument, NULL, OPTION_PICTURE + PICTURE_EVERY},
                                               {"out", required_argument, NULL, OPTION_PICTURE + PICTURE_OUT},
                                               {"framing", required_argument, NULL, OPTION_PICTURE + PICTURE_FRAMING},
                                               {"samples", required_argument, NULL, OPTION_PICTURE + PICTURE_SAMPLES},
                                               {"compare", required_argument, NULL, OPTION_PICTURE + PICTURE_COMPARE},
                                               PICTURE_OPTIONS,
                                               LIMIT_OPTIONS,
                                               {"help", no_argument, NULL, 'h'},
                                               {NULL, 0, NULL, 0}};

static const struct option view_options[] = {{"script", required_argument, NULL, OPTION_PICTURE + PICTURE_SCRIPT},
                                             PICTURE_OPTIONS,
                                             LIMIT_OPTIONS,
                                             {"help", no_argument, NULL, 'h'},
                                             {NULL, 0, NULL, 0}};

static const struct option plain_options[] = {
    {"json", no_argument, NULL, OPTION_JSON}, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};

static bool parse_whole(const arguments* a, const char* option, const char* text, uint32_t least, uint32_t most,
                        uint32_t* out, report* r) {
    char* end = NULL;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end || errno || value < least || value > most) {
        return report_fail(r, "taut %s: %s: '%s' is not a whole number between %u and %u", a->command, option, text,
                           least, most);
    }
    *out = (uint32_t)value;
    return true;
}

static bool parse_backend(arguments* a, const char* text, report* r) {
    static const struct {
        const char* name;
        taut_backend_kind kind;
    } backends[] = {{"auto", TAUT_BACKEND_AUTO}, {"cpu", TAUT_BACKEND_CPU}, {"cuda", TAUT_BACKEND_CUDA}};
    for (size_t i = 0; i < sizeof backends / sizeof *backends; i++) {
        if (strcmp(text, backends[i].name) == 0) {
            a->backend = backends[i].kind;
            return true;
        }
    }
    return report_fail(r, "taut %s: --backend: unknown backend '%s' (known: auto, cpu, cuda)", a->command, text);
}

static bool parse_quality(arguments* a, const char* text, report* r) {
    for (unsigned i = 0; i < TAUT_QUALITY_COUNT; i++) {
        if (strcmp(text, taut_quality_name((taut_quality)i)) == 0) {
            a->quality = (taut_quality)i;
            return true;
        }
    }
    return report_fail(r, "taut %s: --quality: unknown quality '%s' (known: preview, final)", a->command, text);
}

static bool parse_formats(arguments* a, const char* text, report* r) {
    report cause = {0};
    return export_parse_formats(text, &a->formats, &cause) ||
           report_fail(r, "taut %s: --export: %s", a->command, cause.text);
}

static bool parse_path(const arguments* a, const char* option, const char* text, const char** out, report* r) {
    *out = text;
    return text[0] || report_fail(r, "taut %s: %s: needs a name", a->command, option);
}

static bool apply_option(arguments* a, int option, const char* value, report* r) {
    if (option >= OPTION_PICTURE) {
        a->picture[option - OPTION_PICTURE] = value ? value : "";
        return true;
    }
    switch (option) {
    case OPTION_FRAMES:
        a->frames_given = true;
        return parse_whole(a, "--frames", value, 0, max_frames, &a->frames, r);
    case OPTION_QUALITY:
        return parse_quality(a, value, r);
    case OPTION_BUDGET:
        return parse_whole(a, "--budget-ms", value, 1, max_budget_ms, &a->budget_ms, r);
    case OPTION_BACKEND:
        return parse_backend(a, value, r);
    case OPTION_THREADS:
        return parse_whole(a, "--threads", value, 1, max_threads, &a->threads, r);
    case OPTION_OUT:
        return parse_path(a, "--out", value, &a->directory, r);
    case OPTION_EXPORT:
        return parse_formats(a, value, r);
    case OPTION_STATS:
        return parse_path(a, "--stats", value, &a->stats, r);
    case OPTION_CONTACT_FORCES:
        a->contact_forces = true;
        return true;
    case OPTION_TRACE:
        a->traces[a->trace_count++] = value;
        return true;
    case OPTION_CHECKPOINT:
        return parse_whole(a, "--checkpoint", value, 1, max_frames, &a->checkpoint, r);
    case OPTION_CHECKPOINT_FILE:
        return parse_path(a, "--checkpoint-file", value, &a->checkpoint_file, r);
    case OPTION_RESUME:
        return parse_path(a, "--resume", value, &a->resume, r);
    case OPTION_MAX_MEMORY:
        return parse_whole(a, "--max-memory", value, 1, UINT32_MAX, &a->max_memory, r);
    case OPTION_MAX_SECONDS:
        return parse_whole(a, "--max-seconds", value, 1, max_seconds, &a->max_seconds, r);
    case OPTION_CONFINED:
        a->confined = true;
        return true;
    case OPTION_ALLOW_OUTSIDE:
        a->allow_outside = true;
        return true;
    case OPTION_STRICT:
        a->strict = true;
        return true;
    case OPTION_JSON:
        a->json = true;
        return true;
    default:
        a->help = true;
        return true;
    }
}

/* getopt_long takes the beginning of a name for the name. The option that it took last, with `value` or NULL: */
static bool check_whole(const arguments* a, const struct option* option, const char* value, char** end, report* r) {
    const char* given = option->has_arg == required_argument && value == end[-1] ? end[-2] : end[-1];
    const size_t length = strcspn(given + 2, "=");
    return (length == strlen(option->name) && strncmp(given + 2, option->name, length) == 0) ||
           report_fail(r, "taut %s: %s: unknown option; write --%s in full", a->command, given, option->name);
}

static bool refuse_option(const arguments* a, int found, const char* text, report* r) {
    return found == ':' ? report_fail(r, "taut %s: %s: needs a value", a->command, text)
                        : report_fail(r, "taut %s: %s: unknown, ambiguous or malformed option", a->command, text);
}

static bool check_together(const arguments* a, report* r) {
    if (a->checkpoint_file && !a->checkpoint) {
        return report_fail(r, "taut %s: --checkpoint-file: goes with --checkpoint", a->command);
    }
    return true;
}

static bool take_scene(arguments* a, int argc, char** argv, report* r) {
    const int wanted = strcmp(a->command, "info") == 0 ? 0 : 1;
    const int given = argc - optind;
    if (a->help || given == wanted) {
        a->scene = given ? argv[optind] : NULL;
        return true;
    }
    return given < wanted ? report_fail(r, "taut %s: needs a scene file", a->command)
                          : report_fail(r, "taut %s: '%s': unexpected argument", a->command, argv[optind + wanted]);
}

static const struct option* options_of(const char* command) {
    return strcmp(command, "run") == 0        ? run_options
           : strcmp(command, "assemble") == 0 ? assemble_options
           : strcmp(command, "check") == 0    ? check_options
           : strcmp(command, "render") == 0   ? render_options
           : strcmp(command, "view") == 0     ? view_options
                                              : plain_options;
}

bool arguments_parse(int argc, char** argv, arguments* out, report* r) {
    arguments a = {.command = argv[0], .directory = "out", .quality = TAUT_QUALITY_COUNT};
    const struct option* options = options_of(a.command);
    a.traces = array_new((size_t)argc, sizeof *a.traces, r);
    bool ok = a.traces != NULL;
    opterr = 0;
    optind = 1;
    while (ok) {
        int index = -1;
        const int found = getopt_long(argc, argv, ":h", options, &index);
        if (found == -1) {
            break;
        }
        ok = found == '?' || found == ':' ? refuse_option(&a, found, argv[optind - 1], r)
                                          : (index < 0 || check_whole(&a, &options[index], optarg, argv + optind, r)) &&
                                                apply_option(&a, found, optarg, r);
    }
    if (!ok || !check_together(&a, r) || !take_scene(&a, argc, argv, r)) {
        arguments_free(&a);
        return false;
    }
    *out = a;
    return true;
}

void arguments_free(arguments* a) {
    free((void*)a->traces);
    *a = (arguments){0};
}
