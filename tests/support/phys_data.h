/* The reference numbers of shared/data: a little JSON. */
#ifndef TAUT_TEST_PHYS_DATA_H
#define TAUT_TEST_PHYS_DATA_H

#include "harness.h"

/* Whole text of a shared file, to be freed; NULL (and the test skipped) where it is absent. */
char* phys_shared_text(const char* name);
/* The next number after "key", from *text on; false at the end. */
bool phys_next_number(const char** text, const char* key, double* value);

#endif
