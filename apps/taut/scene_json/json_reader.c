#include "scene_json/json_reader.h"

#include "scene_json/key_homes.h"

#include "base/array.h"

#include <cJSON.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const json_range json_any = {-1e30, 1e30};
const json_range json_positive = {1e-30, 1e30};
const json_range json_not_negative = {0, 1e30};
const json_range json_not_positive = {-1e30, 0};

/* ---- document ------------------------------------------------------------------------------------------------- */

static size_t skip_space(const json_text* t, size_t i) {
    while (i < t->size && strchr(" \t\r\n", t->bytes[i])) {
        i++;
    }
    return i;
}

bool json_parse(const json_text* text, json_document* out, report* r) {
    if (!json_text_check(text, r)) {
        return false;
    }
    const char* end = text->bytes;
    cJSON* root = cJSON_ParseWithLengthOpts(text->bytes, text->size, &end, 0);
    if (!root) {
        const size_t at = end ? (size_t)(end - text->bytes) : 0;
        return json_text_fail_at(text, at, json_text_cause(text, at), r);
    }
    size_t rest = skip_space(text, (size_t)(end - text->bytes));
    if (rest < text->size) {
        cJSON_Delete(root);
        return json_text_fail_at(text, rest, "text after the end of the document", r);
    }
    *out = (json_document){.path = text->path, .root = root, .r = r};
    return true;
}

void json_free(json_document* d) {
    cJSON_Delete(d->root);
    *d = (json_document){0};
}

json_node json_root(const json_document* d) {
    return (json_node){.item = d->root, .document = d};
}

/* ---- failure -------------------------------------------------------------------------------------------------- */

typedef struct place_text {
    char text[256];
    size_t used;
} place_text;

static void place_append(place_text* p, const char* format, ...) __attribute__((format(printf, 2, 3)));

static void place_append(place_text* p, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int wanted = vsnprintf(p->text + p->used, sizeof p->text - p->used, format, arguments);
    va_end(arguments);
    p->used += wanted > 0 ? (size_t)wanted : 0;
    if (p->used > sizeof p->text - 1) {
        p->used = sizeof p->text - 1;
    }
}

static void place_append_key(place_text* p, const char* key) {
    place_append(p, "%s%.80s", p->used ? "." : "", key);
}

/* Recursion is as deep as the document, which json_text_check bounds. */
static void place_of(const json_node* n, place_text* p) {
    if (!n->parent) {
        return;
    }
    place_of(n->parent, p);
    if (cJSON_IsArray(n->parent->item)) {
        place_append(p, "[%zu]", n->index);
    } else {
        place_append_key(p, n->item->string);
    }
}

static bool fail_at(const json_document* d, const place_text* p, const char* format, va_list arguments) {
    char cause[512];
    vsnprintf(cause, sizeof cause, format, arguments);
    return report_fail(d->r, "%s: %s%s%s", d->path, p->text, p->used ? ": " : "", cause);
}

bool json_fail(const json_node* n, const char* format, ...) {
    place_text p = {0};
    place_of(n, &p);
    va_list arguments;
    va_start(arguments, format);
    bool failed = fail_at(n->document, &p, format, arguments);
    va_end(arguments);
    return failed;
}

bool json_fail_member(const json_node* object, const char* key, const char* format, ...) {
    place_text p = {0};
    place_of(object, &p);
    place_append_key(&p, key);
    va_list arguments;
    va_start(arguments, format);
    bool failed = fail_at(object->document, &p, format, arguments);
    va_end(arguments);
    return failed;
}

/* ---- objects -------------------------------------------------------------------------------------------------- */

static int key_place(const char* const* keys, const char* key) {
    for (int i = 0; keys[i]; i++) {
        if (strcmp(keys[i], key) == 0) {
            return i;
        }
    }
    return -1;
}

enum { LONGEST_KEY = 40 };

/* Levenshtein distance of two keys: letters to insert, remove or replace. */
static size_t key_distance(const char* a, const char* b) {
    const size_t m = strlen(a), n = strlen(b);
    size_t row[LONGEST_KEY + 1];
    if (m > LONGEST_KEY || n > LONGEST_KEY) {
        return SIZE_MAX;
    }
    for (size_t k = 0; k <= n; k++) {
        row[k] = k;
    }
    for (size_t i = 1; i <= m; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t k = 1; k <= n; k++) {
            const size_t above = row[k];
            const size_t replaced = diagonal + (a[i - 1] != b[k - 1]);
            const size_t shifted = 1 + (above < row[k - 1] ? above : row[k - 1]);
            row[k] = replaced < shifted ? replaced : shifted;
            diagonal = above;
        }
    }
    return row[n];
}

/* NULL: none is near. */
static const char* nearest_key(const char* const* keys, const char* key) {
    size_t least = strlen(key) / 2 + 1;
    const char* nearest = NULL;
    for (int i = 0; keys[i]; i++) {
        const size_t distance = key_distance(keys[i], key);
        if (distance < least) {
            least = distance;
            nearest = keys[i];
        }
    }
    return nearest;
}

/* Those that are no more than people read. */
static void list_keys(const char* const* keys, char* list, size_t size) {
    size_t length = 0;
    list[0] = '\0';
    for (int i = 0; keys[i] && length < size; i++) {
        length += (size_t)snprintf(list + length, size - length, "%s%s", i > 0 ? ", " : "", keys[i]);
    }
    if (length >= size) {
        (void)snprintf(list, size, "see docs/scene-format.md");
    }
}

static bool fail_key(const json_node* object, const char* const* keys, const char* key) {
    const char *home = key_home(key), *nearest = nearest_key(keys, key);
    char list[400];
    list_keys(keys, list, sizeof list);
    return home      ? json_fail_member(object, key, "unknown key here; it is a key of %s", home)
           : nearest ? json_fail_member(object, key, "unknown key; the nearest known one is '%s'", nearest)
                     : json_fail_member(object, key, "unknown key (known: %s)", list);
}

bool json_is_object(const json_node* n) {
    return cJSON_IsObject(n->item) || json_fail(n, "must be an object");
}

bool json_object(const json_node* n, const char* const* keys) {
    if (!json_is_object(n)) {
        return false;
    }
    uint64_t seen = 0;
    for (const cJSON* member = n->item->child; member; member = member->next) {
        int place = key_place(keys, member->string);
        if (place < 0) {
            return fail_key(n, keys, member->string);
        }
        if (seen & (uint64_t)1 << place) {
            return json_fail_member(n, member->string, "appears twice");
        }
        seen |= (uint64_t)1 << place;
    }
    return true;
}

bool json_find(const json_node* object, const char* key, json_node* out) {
    const cJSON* item = cJSON_GetObjectItemCaseSensitive(object->item, key);
    if (item) {
        *out = (json_node){.item = item, .parent = object, .document = object->document};
    }
    return item != NULL;
}

bool json_need(const json_node* object, const char* key, json_node* out) {
    return json_find(object, key, out) || json_fail_member(object, key, "is missing");
}

/* ---- values --------------------------------------------------------------------------------------------------- */

bool json_is_number(const json_node* n) {
    return cJSON_IsNumber(n->item);
}

bool json_is_string(const json_node* n) {
    return cJSON_IsString(n->item);
}

bool json_is_array(const json_node* n) {
    return cJSON_IsArray(n->item);
}

bool json_number(const json_node* n, json_range range, double* out) {
    if (!cJSON_IsNumber(n->item)) {
        return json_fail(n, "must be a number");
    }
    const double value = n->item->valuedouble;
    if (!isfinite(value)) {
        return json_fail(n, "must be a finite number");
    }
    if (range.least > 0 && value <= 0) {
        return json_fail(n, "is %g, must be > 0", value);
    }
    if (range.least == 0 && value < 0) {
        return json_fail(n, "is %g, must be >= 0", value);
    }
    if (value < range.least || value > range.most) {
        return json_fail(n, "is %g, must lie between %g and %g", value, range.least, range.most);
    }
    *out = value;
    return true;
}

bool json_integer(const json_node* n, uint64_t least, uint64_t most, uint64_t* out) {
    double value = 0;
    if (!json_number(n, (json_range){-1e300, 1e300}, &value)) {
        return false;
    }
    if (value != floor(value)) {
        return json_fail(n, "is %g, must be a whole number", value);
    }
    if (value < (double)least || value > (double)most) {
        return json_fail(n, "is %.16g, must lie between %llu and %llu", value, (unsigned long long)least,
                         (unsigned long long)most);
    }
    *out = (uint64_t)value;
    return true;
}

bool json_bool(const json_node* n, bool* out) {
    if (!cJSON_IsBool(n->item)) {
        return json_fail(n, "must be true or false");
    }
    *out = cJSON_IsTrue(n->item);
    return true;
}

bool json_string(const json_node* n, const char** out) {
    if (!cJSON_IsString(n->item)) {
        return json_fail(n, "must be a string");
    }
    if (n->item->valuestring[0] == '\0') {
        return json_fail(n, "must not be empty");
    }
    *out = n->item->valuestring;
    return true;
}

bool json_choice(const json_node* n, const char* const* names, unsigned* out) {
    const char* text = NULL;
    if (!json_string(n, &text)) {
        return false;
    }
    int place = key_place(names, text);
    if (place >= 0) {
        *out = (unsigned)place;
        return true;
    }
    place_text known = {0};
    for (size_t i = 0; names[i]; i++) {
        place_append(&known, "%s%s", i ? ", " : "", names[i]);
    }
    const char* nearest = nearest_key(names, text);
    return nearest ? json_fail(n, "unknown value '%.80s' (known: %s); the nearest is '%s'", text, known.text, nearest)
                   : json_fail(n, "unknown value '%.80s' (known: %s)", text, known.text);
}

bool json_numbers(const json_node* n, size_t count, json_range range, double* out) {
    size_t length = 0;
    if (!json_length(n, 0, &length)) {
        return false;
    }
    if (length != count) {
        return json_fail(n, "must hold %zu numbers, holds %zu", count, length);
    }
    json_node element;
    for (bool more = json_first(n, &element); more; more = json_next(&element)) {
        if (!json_number(&element, range, &out[element.index])) {
            return false;
        }
    }
    return true;
}

/* ---- optional members ----------------------------------------------------------------------------------------- */

bool json_number_member(const json_node* object, const char* key, json_range range, double* out) {
    json_node n;
    return !json_find(object, key, &n) || json_number(&n, range, out);
}

bool json_integer_member(const json_node* object, const char* key, uint64_t least, uint64_t most, uint32_t* out) {
    json_node n;
    uint64_t value = 0;
    if (!json_find(object, key, &n)) {
        return true;
    }
    if (!json_integer(&n, least, most < UINT32_MAX ? most : UINT32_MAX, &value)) {
        return false;
    }
    *out = (uint32_t)value;
    return true;
}

bool json_bool_member(const json_node* object, const char* key, bool* out) {
    json_node n;
    return !json_find(object, key, &n) || json_bool(&n, out);
}

bool json_choice_member(const json_node* object, const char* key, const char* const* names, unsigned* out) {
    json_node n;
    return !json_find(object, key, &n) || json_choice(&n, names, out);
}

bool json_vector_member(const json_node* object, const char* key, double out[3]) {
    json_node n;
    return !json_find(object, key, &n) || json_numbers(&n, 3, json_any, out);
}

/* ---- arrays --------------------------------------------------------------------------------------------------- */

bool json_length(const json_node* n, size_t least, size_t* count) {
    if (!cJSON_IsArray(n->item)) {
        return json_fail(n, "must be an array");
    }
    size_t length = 0;
    for (const cJSON* element = n->item->child; element; element = element->next) {
        length++;
    }
    if (length < least) {
        return json_fail(n, "must hold at least %zu element%s, holds %zu", least, least == 1 ? "" : "s", length);
    }
    *count = length;
    return true;
}

bool json_first(const json_node* array, json_node* element) {
    *element = (json_node){.item = array->item->child, .parent = array, .document = array->document};
    return element->item != NULL;
}

bool json_next(json_node* element) {
    element->item = element->item->next;
    element->index++;
    return element->item != NULL;
}

bool json_rows(const json_node* n, size_t width, size_t least, double** out, size_t* count) {
    size_t length = 0;
    if (!json_length(n, least, &length)) {
        return false;
    }
    double* rows = array_new(length, width * sizeof *rows, n->document->r);
    json_node element;
    for (bool more = rows && json_first(n, &element); more; more = json_next(&element)) {
        if (!json_numbers(&element, width, json_any, rows + width * element.index)) {
            free(rows);
            return false;
        }
    }
    *out = rows;
    *count = length;
    return rows != NULL;
}

bool json_points(const json_node* n, size_t least, double (**out)[3], size_t* count) {
    double* rows = NULL;
    const bool ok = json_rows(n, 3, least, &rows, count);
    *out = (double(*)[3])rows;
    return ok;
}
