/* Numbered files, as "walk_%04d.obj" names them. */
#ifndef TAUT_APP_FILE_SEQUENCE_H
#define TAUT_APP_FILE_SEQUENCE_H

#include "base/report.h"

#include <stddef.h>

/* Whether a path has one place for numbers, "%d" or "%04d", and no other "%". */
bool is_file_sequence(const char* path);
/* The file with this number, to be freed; the path itself if it is no sequence. NULL after setting the report. */
char* file_of_sequence(const char* sequence, size_t number, report* r);

#endif
