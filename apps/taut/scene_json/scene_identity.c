#include "scene_json/scene_identity.h"

#include "base/hash.h"

#include <stdbool.h>
#include <string.h>

/* Behind the string that opens at i. */
static size_t string_end(const json_text* t, size_t i) {
    for (i++; i < t->size && t->bytes[i] != '"'; i++) {
        i += t->bytes[i] == '\\';
    }
    return i < t->size ? i + 1 : t->size;
}

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Behind the value, a number, of the member whose name ends at i. */
static size_t number_end(const json_text* t, size_t i) {
    while (i < t->size && t->bytes[i] != ',' && t->bytes[i] != '}') {
        i++;
    }
    return i;
}

/* Commas between the members of the scene are left out: one of them goes with "frames". */
uint64_t scene_identity(const json_text* text) {
    static const char left_out[] = "\"frames\"";
    uint64_t hash = HASH_START;
    int depth = 0;
    for (size_t i = 0; i < text->size;) {
        const char c = text->bytes[i];
        const size_t end = c == '"' ? string_end(text, i) : i + 1;
        depth += (c == '{' || c == '[') - (c == '}' || c == ']');
        if (depth == 1 && end - i == sizeof left_out - 1 && memcmp(text->bytes + i, left_out, end - i) == 0) {
            i = number_end(text, end);
            continue;
        }
        if (!is_space(c) && !(c == ',' && depth == 1)) {
            hash = hash_bytes(hash, text->bytes + i, end - i);
        }
        i = end;
    }
    return hash;
}
