#include "mesh/mesh_gmsh_numbers.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the file ------------------------------------------------------------------------------------------------- */

/* '$MeshFormat', then a line of the version, 1 and the bytes of a size. */
static bool looks_binary(const text_scanner* s) {
    static const char magic[] = "$MeshFormat";
    char head[64] = "";
    int form = 0;
    memcpy(head, s->text, s->size < sizeof head ? s->size : sizeof head - 1);
    return strncmp(head, magic, sizeof magic - 1) == 0 && sscanf(head + sizeof magic - 1, "%*f %d", &form) == 1 &&
           form == 1;
}

bool gmsh_open(gmsh_numbers* n, const char* path, report* r) {
    *n = (gmsh_numbers){0};
    if (!text_open_bytes(&n->s, path, r)) {
        return false;
    }
    n->s.by_line = true;
    n->s.binary = looks_binary(&n->s);
    if (!n->s.binary && !text_check_zeros(&n->s)) {
        text_close(&n->s);
        return false;
    }
    return true;
}

bool gmsh_begin_numbers(gmsh_numbers* n) {
    return text_end_line(&n->s) && (!n->s.binary || text_next_char(&n->s, '\n'));
}

/* ---- numbers -------------------------------------------------------------------------------------------------- */

static bool packed(gmsh_numbers* n, const char* what, size_t bytes, void* out) {
    unsigned char* to = out;
    const char* from = n->s.text + n->s.at;
    if (n->s.size - n->s.at < bytes) {
        return text_fail(&n->s, "the file ends where %s should stand", what);
    }
    for (size_t i = 0; i < bytes; i++) {
        to[i] = (unsigned char)from[n->swapped ? bytes - 1 - i : i];
    }
    n->s.at += bytes;
    return true;
}

bool gmsh_read_order(gmsh_numbers* n) {
    uint32_t one = 0;
    if (!n->s.binary) {
        return true;
    }
    if (!packed(n, "the order of bytes", sizeof one, &one)) {
        return false;
    }
    n->swapped = one == UINT32_C(1) << 24;
    return one == 1 || n->swapped ||
           text_fail(&n->s, "%" PRIu32 " stands where a 1, for the order of bytes, should", one);
}

bool gmsh_need_line(gmsh_numbers* n, const char* what) {
    return n->s.binary || text_need_line(&n->s, what);
}

bool gmsh_end_line(gmsh_numbers* n) {
    return n->s.binary || text_end_line(&n->s);
}

bool gmsh_int(gmsh_numbers* n, const char* what, uint64_t limit, uint64_t* out) {
    int32_t value = 0;
    if (!n->s.binary) {
        return text_unsigned(&n->s, what, limit, out);
    }
    if (!packed(n, what, sizeof value, &value)) {
        return false;
    }
    *out = (uint64_t)value;
    return (value >= 0 && *out <= limit) || text_fail(&n->s, "%" PRId32 " stands where %s should", value, what);
}

bool gmsh_skip_int(gmsh_numbers* n, const char* what) {
    text_word word;
    int32_t value;
    return n->s.binary ? packed(n, what, sizeof value, &value) : text_need_word(&n->s, what, &word);
}

bool gmsh_size(gmsh_numbers* n, const char* what, uint64_t* out) {
    return n->s.binary ? packed(n, what, sizeof *out, out) : text_unsigned(&n->s, what, UINT64_MAX, out);
}

bool gmsh_double(gmsh_numbers* n, const char* what, double* out) {
    if (!n->s.binary) {
        return text_double(&n->s, what, out);
    }
    return packed(n, what, sizeof *out, out) && (isfinite(*out) || text_fail(&n->s, "%s is %g", what, *out));
}

bool gmsh_count(gmsh_numbers* n, const char* what, size_t bytes_each, size_t* out) {
    uint64_t count = 0;
    if (!n->s.binary) {
        return text_count(&n->s, what, bytes_each, out);
    }
    if (!gmsh_size(n, what, &count) || !text_can_hold(&n->s, what, count, bytes_each)) {
        return false;
    }
    *out = (size_t)count;
    return true;
}

/* ---- what is skipped ------------------------------------------------------------------------------------------ */

static bool skip_packed(gmsh_numbers* n, const char* end) {
    text_scanner* s = &n->s;
    const size_t length = strlen(end);
    for (; s->at < s->size; s->at++) {
        const char* next = memchr(s->text + s->at, '$', s->size - s->at);
        s->at = next ? (size_t)(next - s->text) : s->size;
        if (s->size - s->at >= length && memcmp(s->text + s->at, end, length) == 0 && s->text[s->at - 1] == '\n') {
            return text_expect(s, end);
        }
    }
    return text_fail(s, "the file ends where %s should stand", end);
}

bool gmsh_skip_past(gmsh_numbers* n, const char* end) {
    text_scanner* s = &n->s;
    text_word word = {"", 0};
    if (s->binary) {
        return skip_packed(n, end);
    }
    while (!text_is(word, end)) {
        (void)text_rest_of_line(s);
        if (!text_need_line(s, end)) {
            return false;
        }
        (void)text_next(s, &word);
    }
    return true;
}
