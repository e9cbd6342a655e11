/* Strict typed access to a JSON document: every failure reads 'FILE: path.to.key: cause'. */
#ifndef TAUT_APP_JSON_READER_H
#define TAUT_APP_JSON_READER_H

#include "base/report.h"
#include "scene_json/json_text.h"

#include <stddef.h>
#include <stdint.h>

struct cJSON;

typedef struct json_document {
    const char* path;
    struct cJSON* root;
    report* r;
} json_document;

/* A value and the way to it. Nodes live on the stack of the function that reads them; the parent must outlive them. */
typedef struct json_node {
    const struct cJSON* item;
    const struct json_node* parent; /* NULL: the whole document */
    size_t index;                   /* in an array */
    const json_document* document;
} json_node;

/* The text and the report must outlive the document. */
bool json_parse(const json_text* text, json_document* out, report* r);
void json_free(json_document* d);
json_node json_root(const json_document* d);

/* Sets the report to 'FILE: path: cause' and returns false. */
bool json_fail(const json_node* n, const char* format, ...) __attribute__((format(printf, 2, 3)));
/* The same for a member of an object that may not be there. */
bool json_fail_member(const json_node* object, const char* key, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

/* Refuses anything but an object whose keys are all among `keys` (NULL-terminated, at most 64) and come once. */
bool json_object(const json_node* n, const char* const* keys);
/* Refuses anything but an object, whatever its keys. */
bool json_is_object(const json_node* n);
/* Looks a key up; absence is no error for `json_find` and one for `json_need`. */
bool json_find(const json_node* object, const char* key, json_node* out);
bool json_need(const json_node* object, const char* key, json_node* out);

/* Inclusive bounds; a number outside, or not finite, is refused. */
typedef struct json_range {
    double least;
    double most;
} json_range;

extern const json_range json_any;          /* |x| <= 1e30 */
extern const json_range json_positive;     /* 1e-30 to 1e30 */
extern const json_range json_not_negative; /* 0 to 1e30 */
extern const json_range json_not_positive; /* -1e30 to 0 */

bool json_is_number(const json_node* n);
bool json_is_string(const json_node* n);
bool json_is_array(const json_node* n);
bool json_number(const json_node* n, json_range range, double* out);
bool json_integer(const json_node* n, uint64_t least, uint64_t most, uint64_t* out);
bool json_bool(const json_node* n, bool* out);
bool json_string(const json_node* n, const char** out); /* not empty; belongs to the document */
/* One of `names` (NULL-terminated); `out` receives its place among them. */
bool json_choice(const json_node* n, const char* const* names, unsigned* out);
/* An array of exactly `count` numbers. */
bool json_numbers(const json_node* n, size_t count, json_range range, double* out);

/* Optional members: an absent key leaves *out as it is. */
bool json_number_member(const json_node* object, const char* key, json_range range, double* out);
bool json_integer_member(const json_node* object, const char* key, uint64_t least, uint64_t most, uint32_t* out);
bool json_bool_member(const json_node* object, const char* key, bool* out);
bool json_choice_member(const json_node* object, const char* key, const char* const* names, unsigned* out);
bool json_vector_member(const json_node* object, const char* key, double out[3]);

/* Arrays. json_length refuses other types and fewer than `least` elements. Iteration:
 *     json_node e; for (bool more = json_first(&array, &e); more; more = json_next(&e)) ... */
bool json_length(const json_node* n, size_t least, size_t* count);
bool json_first(const json_node* array, json_node* element);
bool json_next(json_node* element);

/* An array of at least `least` arrays of `width` numbers each, behind one another; *out is freed by the caller. */
bool json_rows(const json_node* n, size_t width, size_t least, double** out, size_t* count);
/* The same of triples. */
bool json_points(const json_node* n, size_t least, double (**out)[3], size_t* count);

#endif
