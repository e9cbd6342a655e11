/* The options of `run`, `assemble`, `check` and `info`, and of the viewer's `view` and `render`. */
#ifndef TAUT_APP_ARGUMENTS_H
#define TAUT_APP_ARGUMENTS_H

#include "commands/program.h"

#include <stddef.h>

/* Options of pictures, as given; apps/taut/view reads them. */
typedef enum picture_option {
    PICTURE_FRAMES,
    PICTURE_EVERY,
    PICTURE_OUT,
    PICTURE_SIZE,
    PICTURE_CAMERA,
    PICTURE_TARGET,
    PICTURE_COLOUR,
    PICTURE_RANGE,
    PICTURE_CONTACTS,
    PICTURE_FLOOR,
    PICTURE_BACKDROP,
    PICTURE_SAMPLES,
    PICTURE_COMPARE,
    PICTURE_SCRIPT,
    PICTURE_FRAMING,
    PICTURE_OPTION_COUNT
} picture_option;

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
    taut_quality quality; /* TAUT_QUALITY_COUNT: that of the scene */
    uint32_t budget_ms;   /* 0: that of the scene */
    uint32_t threads;     /* 0: all */
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
    const char* picture[PICTURE_OPTION_COUNT]; /* NULL: not given; "" for one without a value */
} arguments;

/* Strings point into argv. Usage errors set 'taut COMMAND: cause'. */
bool arguments_parse(int argc, char** argv, arguments* out, report* r);
void arguments_free(arguments* a);

#endif
