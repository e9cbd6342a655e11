/* A text or binary file that appears whole or not at all: written as PATH.part, renamed on commit. */
#ifndef TAUT_APP_WHOLE_FILE_H
#define TAUT_APP_WHOLE_FILE_H

#include "base/report.h"

#include <stdio.h>

typedef struct whole_file {
    FILE* stream; /* NULL when closed */
    char* path;
    char* part;
} whole_file;

bool whole_file_open(whole_file* f, const char* path, report* r);
/* Flushes, checks for write errors, renames. On failure the part is removed. */
bool whole_file_commit(whole_file* f, report* r);
/* Removes the part; a closed file is allowed. */
void whole_file_abandon(whole_file* f);

#endif
