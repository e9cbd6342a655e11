/* Options and their values: read, and refused in one line on stderr. */
#ifndef BENCH_OPTION_VALUES_H
#define BENCH_OPTION_VALUES_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OPTIONS_MOST 16 /* values of one list */

typedef enum options_verdict { OPTIONS_RUN, OPTIONS_HELP, OPTIONS_BAD } options_verdict;

/* Takes the option of a letter, whose value is in optarg, into what `options` points to. */
typedef bool option_reader(int letter, void* options);

/* Reads a whole command line without arguments of its own; 'h' stands for the help, which `help` prints. Says what is
 * wrong in one line on stderr. */
options_verdict options_parse(int argc, char** argv, const struct option* names, option_reader* read, void* options,
                              void (*help)(void));

/* Says "PROGRAM: --OPTION: 'VALUE' is not WANTED; see --help" and returns false. */
bool option_bad(const char* option, const char* value, const char* wanted);
/* The name that option_bad says; "taut-bench" until set. */
extern const char* option_program;

bool option_number(const char* option, const char* text, double least, double most, double* out);
bool option_count(const char* option, const char* text, double least, double most, uint32_t* out);

/* One element of a list, put at `index` of what `out` points to. */
typedef bool option_element(const char* text, size_t index, void* out);

/* Elements between commas, each handed to `element`; cuts `text` up. */
bool option_list(const char* option, char* text, option_element* element, size_t* count, void* out);

/* Elements of lists of size_t: constraints of a scene, and an index into bench_scenes. */
bool option_size(const char* text, size_t index, void* sizes);
bool option_scene(const char* text, size_t index, void* scenes);
/* Elements of lists of the library's enumerations. */
bool option_preconditioner(const char* text, size_t index, void* preconditioners);
bool option_geometric(const char* text, size_t index, void* geometrics);
bool option_method(const char* text, size_t index, void* methods); /* schur, condensed */

#endif
