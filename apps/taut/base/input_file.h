/* Opening what the user named as input. */
#ifndef TAUT_APP_INPUT_FILE_H
#define TAUT_APP_INPUT_FILE_H

#include "base/report.h"

#include <stddef.h>
#include <stdio.h>

#define INPUT_FILE_LIMIT ((size_t)2 << 30) /* bytes: more than any mesh that fits a simulation */

/* Opens a regular file of at most INPUT_FILE_LIMIT bytes for binary reading; directories, devices and pipes are
 * refused, because their size says nothing about what they hold. No output of this process replaces the file. */
bool input_file_open(const char* path, FILE** stream, size_t* size, report* r);
/* A file of any size. */
bool input_file_open_large(const char* path, FILE** stream, size_t* size, report* r);

/* What follows the last dot of the last component, or "". */
const char* input_file_ending(const char* path);

#endif
