/* Zeroed arrays whose failure is a sentence. */
#ifndef TAUT_APP_ARRAY_H
#define TAUT_APP_ARRAY_H

#include "base/report.h"

#include <stddef.h>

/* count elements of `size` bytes, all zero; never NULL for count 0. NULL after setting the report. Freed by free(). */
void* array_new(size_t count, size_t size, report* r);

/* A copy of `text`, or NULL after setting the report. */
char* text_copy(const char* text, report* r);

#endif
