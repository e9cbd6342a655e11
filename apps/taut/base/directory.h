/* Directories for what the tool writes. */
#ifndef TAUT_APP_DIRECTORY_H
#define TAUT_APP_DIRECTORY_H

#include "base/report.h"

/* Creates the directory where it is missing, with its parents. `path` is the same again on return. */
bool directory_make(char* path, report* r);

/* DIR/NAME, to be freed; NULL after setting the report. */
char* directory_entry(const char* directory, const char* name, report* r);

#endif
