/* The options of `run`, `assemble`, `check` and `info`. */
#ifndef TAUT_APP_ARGUMENTS_H
#define TAUT_APP_ARGUMENTS_H

#include "commands/program.h"

#include <stddef.h>

typedef struct arguments {
    const char* command;
    const char* scene; /* NULL for `info` */
    bool help;
    bool json;
    bool strict;
    uint32_t max_memory;  /* MiB; 0: no limit */
    uint32_t max_seconds; /* 0: no limit */
    bool confined;        /* meshes lie in the scene's folder */
    bool allow_outside;   /* they need not, although a limit is given */
    bool frames_given;
    uint32_t frames;
    uint32_t threads; /* 0: all */
    taut_backend_kind backend;
    unsigned formats; /* of export.h; 0: none */
    const char* directory;
    const char* stats;           /* NULL: none */
    bool contact_forces;         /* in the statistics */
    uint32_t checkpoint;         /* frames between two; 0: none */
    const char* checkpoint_file; /* NULL: in `directory` */
    const char* resume;          /* NULL: from the start */
    const char** traces;         /* OBJECT:VERTEX,...=FILE as given */
    size_t trace_count;
} arguments;

/* Strings point into argv. Usage errors set 'taut COMMAND: cause'. */
bool arguments_parse(int argc, char** argv, arguments* out, report* r);
void arguments_free(arguments* a);

#endif
