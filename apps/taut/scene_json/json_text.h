/* The bytes of a JSON file, checked for what the JSON parser would let pass. */
#ifndef TAUT_APP_JSON_TEXT_H
#define TAUT_APP_JSON_TEXT_H

#include "base/report.h"

#include <stddef.h>

typedef struct json_text {
    const char* path; /* for messages; the caller keeps it alive */
    char* bytes;
    size_t size;
} json_text;

bool json_text_read(const char* path, json_text* out, report* r);
void json_text_free(json_text* t); /* a zeroed text is allowed */

/* Refuses NUL bytes, deep nesting, bare control characters and escaped NULs in strings, and numbers outside JSON's
 * grammar (01, 1., +1), each with its line and column. */
bool json_text_check(const json_text* t, report* r);

/* What a reader may do about a text that is no JSON from `offset` on. */
const char* json_text_cause(const json_text* t, size_t offset);

/* FILE:LINE:COLUMN: cause; column in bytes, from 1. */
bool json_text_fail_at(const json_text* t, size_t offset, const char* cause, report* r);

#endif
