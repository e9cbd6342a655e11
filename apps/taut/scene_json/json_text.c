#include "scene_json/json_text.h"

#include "base/file_claims.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A scene of this size holds millions of vertices; larger ones belong into mesh files. */
static const size_t max_bytes = (size_t)256 << 20;
/* The format itself nests 6 deep. */
static const int max_depth = 64;

static bool append_stream(FILE* stream, json_text* t, report* r) {
    size_t capacity = 0;
    size_t got = 0;
    do {
        if (capacity - t->size < 2) {
            capacity = capacity ? 2 * capacity : 65536;
            char* larger = realloc(t->bytes, capacity);
            if (!larger) {
                return report_fail(r, "%s: out of memory", t->path);
            }
            t->bytes = larger;
        }
        got = fread(t->bytes + t->size, 1, capacity - 1 - t->size, stream);
        t->size += got;
        if (t->size > max_bytes) {
            return report_fail(r, "%s: is larger than %zu MiB", t->path, max_bytes >> 20);
        }
    } while (got > 0);
    t->bytes[t->size] = '\0';
    return !ferror(stream) || report_fail(r, "%s: cannot be read: %s", t->path, strerror(errno));
}

bool json_text_read(const char* path, json_text* out, report* r) {
    FILE* stream = fopen(path, "rb");
    if (!stream) {
        return report_fail(r, "%s: cannot be opened: %s", path, strerror(errno));
    }
    json_text t = {.path = path};
    bool ok = append_stream(stream, &t, r) && file_claims_note_input(path, r);
    fclose(stream);
    if (!ok) {
        json_text_free(&t);
        return false;
    }
    *out = t;
    return true;
}

void json_text_free(json_text* t) {
    free(t->bytes);
    *t = (json_text){0};
}

bool json_text_fail_at(const json_text* t, size_t offset, const char* cause, report* r) {
    size_t line = 1;
    size_t column = 1;
    for (size_t i = 0; i < offset && i < t->size; i++) {
        column++;
        if (t->bytes[i] == '\n') {
            line++;
            column = 1;
        }
    }
    return report_fail(r, "%s:%zu:%zu: %s", t->path, line, column, cause);
}

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* The last character before `end` that is no space; 0: there is none. */
static char last_before(const json_text* t, size_t end) {
    while (end > 0 && is_space(t->bytes[end - 1])) {
        end--;
    }
    return end > 0 ? t->bytes[end - 1] : '\0';
}

const char* json_text_cause(const json_text* t, size_t offset) {
    while (offset < t->size && is_space(t->bytes[offset])) {
        offset++;
    }
    size_t last = t->size; /* behind the last character */
    while (last > 0 && is_space(t->bytes[last - 1])) {
        last--;
    }
    const char here = offset < last ? t->bytes[offset] : '\0', before = last_before(t, offset);
    if (last == 0) {
        return "not valid JSON: the file is empty";
    }
    if (here == '\0' || (offset + 1 == last && strchr("[{,:", here))) {
        return "not valid JSON: the file ends before all of its brackets are closed";
    }
    if (here == '/' || here == '#') {
        return "not valid JSON: leave comments out";
    }
    if (here == '\'' || before == '\'') {
        return "not valid JSON: strings stand between double quotes, not single ones";
    }
    if ((here == ']' || here == '}' || here == ',') && before == ',') {
        return "not valid JSON: leave out the comma before this";
    }
    if ((here == '"' || here == '{' || here == '[') && before != ',' && before != ':' && before != '{' &&
        before != '[') {
        return "not valid JSON: a comma or a colon is missing before this";
    }
    return "not valid JSON: there may be a string in double quotes, a number, true, false, null, [ or { here";
}

static size_t skip_digits(const char* s, size_t i) {
    while (s[i] >= '0' && s[i] <= '9') {
        i++;
    }
    return i;
}

/* The end of the number that starts at i, or i itself where none does. The text ends with a NUL. */
static size_t number_end(const char* s, size_t i) {
    const size_t start = i;
    i += s[i] == '-';
    size_t end = s[i] == '0' ? i + 1 : skip_digits(s, i);
    if (end == i) {
        return start;
    }
    if (s[end] == '.') {
        i = end + 1;
        end = skip_digits(s, i);
        if (end == i) {
            return start;
        }
    }
    if (s[end] == 'e' || s[end] == 'E') {
        i = end + 1 + (s[end + 1] == '+' || s[end + 1] == '-');
        end = skip_digits(s, i);
        return end == i ? start : end;
    }
    return end;
}

/* Bytes of the character at s, of UTF-8 as RFC 3629 has it; 0: there is none. The text ends with a NUL. */
static size_t character_size(const unsigned char* s) {
    const size_t size = s[0] < 0x80 ? 1 : s[0] < 0xC2 ? 0 : s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : s[0] < 0xF5 ? 4 : 0;
    for (size_t i = 1; i < size; i++) {
        if ((s[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    const bool longer = (s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xF0 && s[1] < 0x90);
    const bool none = (s[0] == 0xED && s[1] > 0x9F) || (s[0] == 0xF4 && s[1] > 0x8F); /* surrogates; beyond 10FFFF */
    return longer || none ? 0 : size;
}

/* The end of the string that opens at i, or i where it holds what it must not. An unclosed string ends with the text:
 * the parser names that one. */
static size_t string_end(const json_text* t, size_t i, const char** cause) {
    const char* s = t->bytes;
    for (size_t k = i + 1, size; k < t->size; k += size) {
        size = character_size((const unsigned char*)s + k);
        if (s[k] == '"') {
            return k + 1;
        }
        if (size == 0) {
            *cause = "a string that is not UTF-8";
            return i;
        }
        if ((unsigned char)s[k] < 0x20) {
            *cause = "a control character within a string";
            return i;
        }
        if (s[k] == '\\') {
            if (strncmp(s + k, "\\u0000", 6) == 0) {
                *cause = "an escaped NUL within a string";
                return i;
            }
            k++;
        }
    }
    return t->size;
}

static size_t token_end(const json_text* t, size_t i, const char** cause) {
    const char* s = t->bytes;
    if (s[i] == '"') {
        return string_end(t, i, cause);
    }
    if ((s[i] < '0' || s[i] > '9') && s[i] != '-') {
        return i + 1;
    }
    size_t end = number_end(s, i);
    if (end == i || (s[end] >= '0' && s[end] <= '9') || s[end] == '.') {
        *cause = "not a number";
        return i;
    }
    return end;
}

bool json_text_check(const json_text* t, report* r) {
    int depth = 0;
    for (size_t i = 0; i < t->size;) {
        const char c = t->bytes[i];
        const char* cause = NULL;
        depth += (c == '{' || c == '[') - (c == '}' || c == ']');
        size_t next = token_end(t, i, &cause);
        if (c == '\0') {
            cause = "a NUL byte";
        } else if (depth > max_depth) {
            cause = "nested too deeply";
        }
        if (cause) {
            return json_text_fail_at(t, i, cause, r);
        }
        i = next;
    }
    return true;
}
