#include "option_values.h"

#include "measure.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char* option_program = "taut-bench";

options_verdict options_parse(int argc, char** argv, const struct option* names, option_reader* read, void* options,
                              void (*help)(void)) {
    opterr = 0; /* one line of our own instead */
    for (int letter; (letter = getopt_long(argc, argv, ":", names, NULL)) != -1;) {
        if (letter == 'h') {
            help();
            return OPTIONS_HELP;
        }
        if (letter == '?' || letter == ':') {
            fprintf(stderr, "%s: '%s' %s; see --help\n", option_program, argv[optind - 1],
                    letter == '?' ? "is not an option" : "needs a value");
            return OPTIONS_BAD;
        }
        if (!read(letter, options)) {
            return OPTIONS_BAD;
        }
    }
    if (optind < argc) {
        fprintf(stderr, "%s: '%s' is not an option; see --help\n", option_program, argv[optind]);
        return OPTIONS_BAD;
    }
    return OPTIONS_RUN;
}

bool option_bad(const char* option, const char* value, const char* wanted) {
    fprintf(stderr, "%s: --%s: '%s' is not %s; see --help\n", option_program, option, value, wanted);
    return false;
}

bool option_number(const char* option, const char* text, double least, double most, double* out) {
    char* end = NULL;
    errno = 0;
    const double value = strtod(text, &end);
    if (end == text || *end != '\0' || errno != 0 || !(value >= least && value <= most)) {
        char wanted[64];
        snprintf(wanted, sizeof wanted, "a number from %g to %g", least, most);
        return option_bad(option, text, wanted);
    }
    *out = value;
    return true;
}

bool option_count(const char* option, const char* text, double least, double most, uint32_t* out) {
    double value = 0;
    if (!option_number(option, text, least, most, &value)) {
        return false;
    }
    *out = (uint32_t)value;
    return *out == value || option_bad(option, text, "a whole number");
}

bool option_list(const char* option, char* text, option_element* element, size_t* count, void* out) {
    *count = 0;
    for (char* next = text; next != NULL; (*count)++) {
        char* begin = next;
        next = strchr(begin, ',');
        if (next != NULL) {
            *next++ = '\0';
        }
        if (*count == OPTIONS_MOST) {
            return option_bad(option, begin, "among the first 16 values");
        }
        if (!element(begin, *count, out)) {
            return false;
        }
    }
    return true;
}

bool option_size(const char* text, size_t index, void* sizes) {
    uint32_t size = 0;
    const bool sound = option_count("sizes", text, 100, 1e7, &size);
    ((size_t*)sizes)[index] = size;
    return sound;
}

bool option_scene(const char* text, size_t index, void* scenes) {
    for (size_t i = 0; i < bench_scene_count; i++) {
        if (strcmp(text, bench_scenes[i].name) == 0) {
            ((size_t*)scenes)[index] = i;
            return true;
        }
    }
    return option_bad("scenes", text, "a scene");
}

bool option_preconditioner(const char* text, size_t index, void* preconditioners) {
    for (int i = TAUT_PRECONDITIONER_AUTO; i <= TAUT_PRECONDITIONER_MULTILEVEL; i++) {
        if (strcmp(text, bench_preconditioner_name((taut_preconditioner)i)) == 0) {
            ((taut_preconditioner*)preconditioners)[index] = (taut_preconditioner)i;
            return true;
        }
    }
    return option_bad("preconditioner", text, "a preconditioner");
}

bool option_geometric(const char* text, size_t index, void* geometrics) {
    const bool full = strcmp(text, "full") == 0;
    ((taut_geometric_stiffness*)geometrics)[index] = full ? TAUT_GEOMETRIC_FULL : TAUT_GEOMETRIC_NONE;
    return full || strcmp(text, "none") == 0 || option_bad("geometric", text, "'full' or 'none'");
}

bool option_method(const char* text, size_t index, void* methods) {
    const bool schur = strcmp(text, "schur") == 0;
    ((taut_method*)methods)[index] = schur ? TAUT_METHOD_SCHUR : TAUT_METHOD_CONDENSED;
    return schur || strcmp(text, "condensed") == 0 || option_bad("methods", text, "'schur' or 'condensed'");
}
