#include "mesh/vtu_data.h"

#include "base/array.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static bool fail(const vtu_encoding* e, const vtu_array* a, const char* cause, report* r) {
    return report_fail(r, "%s: array '%s': %s", e->path, a->name, cause);
}

/* ---- bytes of the file ---------------------------------------------------------------------------------------- */

/* Bytes one after the other, from base64 or as they are. */
typedef struct byte_source {
    const char* at;
    const char* end;
    bool base64;
    unsigned char ready[3]; /* decoded and not yet taken */
    int first, last;
} byte_source;

static int base64_value(char c) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char* found = c ? strchr(digits, c) : NULL;
    return found ? (int)(found - digits) : -1;
}

/* Four characters make up to three bytes. Padding may stand in the middle: the number of bytes in front of an array is
 * often encoded by itself. */
static bool refill(byte_source* s) {
    uint32_t bits = 0;
    int characters = 0, padding = 0;
    while (characters < 4 && s->at < s->end) {
        const char c = *s->at++;
        const int value = base64_value(c);
        if (isspace((unsigned char)c)) {
            continue;
        }
        if (c != '=' && (value < 0 || padding > 0)) {
            return false;
        }
        padding += c == '=';
        bits = bits << 6 | (uint32_t)(value < 0 ? 0 : value);
        characters++;
    }
    for (int i = 0; i < 3; i++) {
        s->ready[i] = (unsigned char)(bits >> (16 - 8 * i));
    }
    s->first = 0;
    s->last = 3 - padding;
    return characters == 4 && padding < 3;
}

static bool take(byte_source* s, void* out, size_t bytes) {
    unsigned char* to = out;
    if (!s->base64) {
        const bool there = (size_t)(s->end - s->at) >= bytes;
        if (there && bytes > 0) {
            memcpy(to, s->at, bytes);
            s->at += bytes;
        }
        return there;
    }
    for (size_t i = 0; i < bytes; i++) {
        if (s->first == s->last && !refill(s)) {
            return false;
        }
        to[i] = s->ready[s->first++];
    }
    return true;
}

/* At most so many bytes are still there. */
static size_t left_in(const byte_source* s) {
    return (size_t)(s->end - s->at) + 3;
}

static void order_bytes(const vtu_encoding* e, unsigned char* value, size_t bytes) {
    for (size_t i = 0; e->big_endian && i < bytes / 2; i++) {
        const unsigned char kept = value[i];
        value[i] = value[bytes - 1 - i];
        value[bytes - 1 - i] = kept;
    }
}

static bool take_size(const vtu_encoding* e, byte_source* s, uint64_t* out) {
    unsigned char bytes[8] = {0};
    uint32_t narrow = 0;
    if (!take(s, bytes, e->header_bytes)) {
        return false;
    }
    order_bytes(e, bytes, e->header_bytes);
    if (e->header_bytes == 4) {
        memcpy(&narrow, bytes, 4);
        *out = narrow;
    } else {
        memcpy(out, bytes, 8);
    }
    return true;
}

/* ---- one piece, or blocks ------------------------------------------------------------------------------------- */

typedef struct byte_block {
    size_t size;
    unsigned char* bytes;
} byte_block;

static bool read_plain(const vtu_encoding* e, const vtu_array* a, byte_source* s, byte_block* out, report* r) {
    uint64_t size = 0;
    if (!take_size(e, s, &size) || size > left_in(s)) {
        return fail(e, a, "its size is damaged", r);
    }
    out->size = (size_t)size;
    out->bytes = array_new(out->size, 1, r);
    return out->bytes && (take(s, out->bytes, out->size) || fail(e, a, "the file ends within its bytes", r));
}

/* Number of blocks, bytes of each before compression, bytes of the last one (0: as the others), and after it of each.
 */
typedef struct block_table {
    uint64_t count, size, last;
    uint64_t* packed;
} block_table;

/* zlib makes at most 1032 bytes of one: what is announced beyond that is damage. */
static bool read_table(const vtu_encoding* e, const vtu_array* a, byte_source* s, block_table* t, report* r) {
    const size_t left = left_in(s);
    if (!take_size(e, s, &t->count) || !take_size(e, s, &t->size) || !take_size(e, s, &t->last) ||
        t->count > left / e->header_bytes || t->last > t->size || t->size > 1032 * (uint64_t)left ||
        t->count * t->size > 1032 * (uint64_t)left) {
        return fail(e, a, "the sizes of its compressed blocks are damaged", r);
    }
    t->packed = array_new((size_t)t->count, sizeof *t->packed, r);
    for (uint64_t i = 0; t->packed && i < t->count; i++) {
        if (!take_size(e, s, &t->packed[i]) || t->packed[i] > left) {
            return fail(e, a, "the sizes of its compressed blocks are damaged", r);
        }
    }
    return t->packed != NULL;
}

static bool unpack_block(const vtu_encoding* e, const vtu_array* a, byte_source* s, size_t packed, unsigned char* to,
                         size_t size, report* r) {
    unsigned char* bytes = array_new(packed, 1, r);
    uLongf made = (uLongf)size;
    bool ok = bytes && (take(s, bytes, packed) || fail(e, a, "the file ends within its bytes", r));
    if (ok) {
        ok = (uncompress(to, &made, bytes, (uLong)packed) == Z_OK && made == size) ||
             fail(e, a, "a compressed block is damaged", r);
    }
    free(bytes);
    return ok;
}

static bool unpack(const vtu_encoding* e, const vtu_array* a, byte_source* s, const block_table* t, byte_block* out,
                   report* r) {
    const uint64_t last = t->last ? t->last : t->size;
    out->size = t->count ? (size_t)((t->count - 1) * t->size + last) : 0;
    out->bytes = array_new(out->size, 1, r);
    bool ok = out->bytes != NULL;
    for (uint64_t i = 0; ok && i < t->count; i++) {
        ok = unpack_block(e, a, s, (size_t)t->packed[i], out->bytes + i * t->size,
                          (size_t)(i + 1 < t->count ? t->size : last), r);
    }
    return ok;
}

static bool read_compressed(const vtu_encoding* e, const vtu_array* a, byte_source* s, byte_block* out, report* r) {
    block_table t = {0};
    if (strcmp(e->compressor, "vtkZLibDataCompressor") != 0) {
        return report_fail(r, "%s: is compressed by '%s', which is not read: save it with ZLib, or without compression",
                           e->path, e->compressor);
    }
    const bool ok = read_table(e, a, s, &t, r) && unpack(e, a, s, &t, out, r);
    free(t.packed);
    return ok;
}

static bool read_bytes(const vtu_encoding* e, const vtu_array* a, byte_block* out, report* r) {
    byte_source s = {.at = a->text, .end = a->text != NULL ? a->text + a->text_size : NULL, .base64 = true};
    if (a->format == VTU_APPENDED) {
        if (!e->appended || a->offset > (uint64_t)(e->end - e->appended)) {
            return fail(e, a, e->appended ? "its offset is beyond the appended data" : "there is no appended data", r);
        }
        s = (byte_source){.at = e->appended + a->offset, .end = e->end, .base64 = !e->raw};
    }
    return e->compressor[0] ? read_compressed(e, a, &s, out, r) : read_plain(e, a, &s, out, r);
}

/* ---- numbers -------------------------------------------------------------------------------------------------- */

typedef struct number_type {
    bool real, negative;
    size_t bytes;
} number_type;

static bool find_type(const vtu_encoding* e, const vtu_array* a, number_type* out, report* r) {
    static const struct {
        const char* name;
        number_type type;
    } types[] = {{"Float32", {true, true, 4}}, {"Float64", {true, true, 8}},  {"Int8", {false, true, 1}},
                 {"UInt8", {false, false, 1}}, {"Int16", {false, true, 2}},   {"UInt16", {false, false, 2}},
                 {"Int32", {false, true, 4}},  {"UInt32", {false, false, 4}}, {"Int64", {false, true, 8}},
                 {"UInt64", {false, false, 8}}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (strcmp(a->type, types[i].name) == 0) {
            *out = types[i].type;
            return true;
        }
    }
    return report_fail(r, "%s: array '%s': '%s' is no type of numbers", e->path, a->name, a->type);
}

static double real_of(const unsigned char* bytes, size_t size) {
    float narrow = 0;
    double wide = 0;
    if (size == sizeof narrow) {
        memcpy(&narrow, bytes, sizeof narrow);
        return narrow;
    }
    memcpy(&wide, bytes, sizeof wide);
    return wide;
}

/* False below 0. Bytes are little endian, as export_writer.h asks of the machine. */
static bool whole_of(const unsigned char* bytes, number_type t, uint64_t* out) {
    *out = 0;
    memcpy(out, bytes, t.bytes);
    return !t.negative || bytes[t.bytes - 1] < 0x80;
}

static bool check_count(const vtu_encoding* e, const vtu_array* a, size_t got, size_t* count, report* r) {
    if (*count != SIZE_MAX && got != *count) {
        return report_fail(r, "%s: array '%s': has %zu numbers, and should have %zu", e->path, a->name, got, *count);
    }
    *count = got;
    return true;
}

static size_t words_in(const vtu_array* a) {
    size_t count = 0;
    for (const char* at = a->text; *at;) {
        at += strspn(at, " \t\r\n");
        count += *at != '\0';
        at += strcspn(at, " \t\r\n");
    }
    return count;
}

static bool next_word(const char** at, char word[64]) {
    *at += strspn(*at, " \t\r\n");
    const size_t length = strcspn(*at, " \t\r\n");
    const size_t kept = length < 63 ? length : 63;
    memcpy(word, *at, kept);
    word[kept] = '\0';
    *at += length;
    return length < 64;
}

static bool text_real(const char* word, double* out) {
    char* end = NULL;
    *out = strtod(word, &end);
    return strspn(word, "+-.0123456789eE") == strlen(word) && end != word && *end == '\0';
}

static bool text_whole(const char* word, uint64_t* out) {
    char* end = NULL;
    errno = 0;
    *out = strtoull(word, &end, 10);
    return isdigit((unsigned char)word[0]) && *end == '\0' && errno == 0;
}

/* Calls one of the two for every number of a text. */
static bool read_words(const vtu_encoding* e, const vtu_array* a, size_t count, double* reals, uint64_t* wholes,
                       report* r) {
    const char* at = a->text;
    for (size_t i = 0; i < count; i++) {
        char word[64];
        const bool fits = next_word(&at, word);
        if (!fits || !(reals ? text_real(word, &reals[i]) : text_whole(word, &wholes[i]))) {
            return report_fail(r, "%s: array '%s': '%.40s' stands where a %s number should", e->path, a->name, word,
                               reals ? "finite" : "whole");
        }
    }
    return true;
}

static bool read_values(const vtu_encoding* e, const vtu_array* a, number_type t, byte_block* block, double* reals,
                        uint64_t* wholes, report* r) {
    for (size_t i = 0; i * t.bytes < block->size; i++) {
        unsigned char* value = block->bytes + i * t.bytes;
        order_bytes(e, value, t.bytes);
        if (reals) {
            reals[i] = real_of(value, t.bytes);
        } else if (!whole_of(value, t, &wholes[i])) {
            return fail(e, a, "a number in it is below 0", r);
        }
    }
    return true;
}

/* ---- arrays --------------------------------------------------------------------------------------------------- */

static bool read_text(const vtu_encoding* e, const vtu_array* a, size_t* count, double** reals, uint64_t** wholes,
                      report* r) {
    if (!check_count(e, a, words_in(a), count, r)) {
        return false;
    }
    void* values = array_new(*count, 8, r);
    *(reals ? (void**)reals : (void**)wholes) = values;
    return values && read_words(e, a, *count, reals ? *reals : NULL, wholes ? *wholes : NULL, r);
}

static bool read_binary(const vtu_encoding* e, const vtu_array* a, number_type t, size_t* count, double** reals,
                        uint64_t** wholes, report* r) {
    byte_block block = {0};
    bool ok = read_bytes(e, a, &block, r);
    if (ok && block.size % t.bytes != 0) {
        ok = fail(e, a, "its bytes are no whole number of its type", r);
    }
    ok = ok && check_count(e, a, block.size / t.bytes, count, r);
    void* values = ok ? array_new(*count, 8, r) : NULL;
    *(reals ? (void**)reals : (void**)wholes) = values;
    ok = values && read_values(e, a, t, &block, reals ? *reals : NULL, wholes ? *wholes : NULL, r);
    free(block.bytes);
    return ok;
}

static bool read_array(const vtu_encoding* e, const vtu_array* a, size_t* count, double** reals, uint64_t** wholes,
                       report* r) {
    number_type t = {0};
    if (!find_type(e, a, &t, r)) {
        return false;
    }
    if (t.real != (reals != NULL)) {
        return report_fail(r, "%s: array '%s': has numbers of type %s where %s are needed", e->path, a->name, a->type,
                           reals ? "Float32 or Float64" : "whole numbers");
    }
    return a->format == VTU_ASCII ? read_text(e, a, count, reals, wholes, r)
                                  : read_binary(e, a, t, count, reals, wholes, r);
}

bool vtu_doubles(const vtu_encoding* e, const vtu_array* a, size_t* count, double** out, report* r) {
    *out = NULL;
    const bool ok = read_array(e, a, count, out, NULL, r);
    if (!ok) {
        free(*out);
        *out = NULL;
    }
    return ok;
}

bool vtu_integers(const vtu_encoding* e, const vtu_array* a, size_t* count, uint64_t** out, report* r) {
    *out = NULL;
    const bool ok = read_array(e, a, count, NULL, out, r);
    if (!ok) {
        free(*out);
        *out = NULL;
    }
    return ok;
}
