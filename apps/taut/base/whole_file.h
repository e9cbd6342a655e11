/* A text or binary file that appears whole or not at all: written as PATH.part, renamed on commit. What is there may be
 * an ordinary file that the process does not read; anything else stays (file_claims.h). */
#ifndef TAUT_APP_WHOLE_FILE_H
#define TAUT_APP_WHOLE_FILE_H

#include "base/file_claims.h"

#include <stdint.h>
#include <stdio.h>

typedef struct whole_file {
    FILE* stream; /* NULL when closed */
    char* path;
    char* part;
    file_claim* claims[2]; /* on path and part */
    int64_t marked;        /* bytes, by whole_file_mark */
} whole_file;

bool whole_file_open(whole_file* f, const char* path, report* r);
/* Flushes, checks for write errors, renames. On failure the part is removed. */
bool whole_file_commit(whole_file* f, report* r);
/* Removes the part; a closed file is allowed. */
void whole_file_abandon(whole_file* f);

/* For files that are written whole, again and again: claimed once, until whole_file_release. A replacement is on the
 * disk before it takes the name; where it fails, what was there stays. */
bool whole_file_claim(whole_file* f, const char* path, report* r);
bool whole_file_replace(whole_file* f, size_t count, const void* const* blocks, const size_t* bytes, report* r);
void whole_file_release(whole_file* f); /* a zeroed one is allowed */

/* For files that grow: what was written so far is whole. Fails at once where the disk did not take it. */
bool whole_file_mark(whole_file* f, report* r);
/* Cuts off what followed the last mark, which is good also after a failed write, and commits. */
bool whole_file_commit_marked(whole_file* f, report* r);

#endif
