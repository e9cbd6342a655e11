#include "base/text_scanner.h"

#include "base/input_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the file ------------------------------------------------------------------------------------------------- */

static bool load(text_scanner* s, FILE* stream) {
    s->text = malloc(s->size + 1);
    if (!s->text) {
        return report_fail(s->r, "%s: out of memory", s->path);
    }
    if (fread(s->text, 1, s->size, stream) != s->size) {
        return report_fail(s->r, "%s: cannot be read to its end", s->path);
    }
    s->text[s->size] = '\0';
    return true;
}

bool text_check_zeros(text_scanner* s) {
    return !memchr(s->text, '\0', s->size) ||
           report_fail(s->r, "%s: holds zero bytes: a binary file where text is needed", s->path);
}

bool text_open_bytes(text_scanner* s, const char* path, report* r) {
    *s = (text_scanner){.path = path, .r = r, .line = 1};
    FILE* stream = NULL;
    if (!input_file_open(path, &stream, &s->size, r)) {
        return false;
    }
    const bool ok = load(s, stream);
    (void)fclose(stream);
    if (ok && strncmp(s->text, "\xef\xbb\xbf", 3) == 0) {
        s->at = 3; /* a byte order mark */
    }
    if (!ok) {
        text_close(s);
    }
    return ok;
}

bool text_open(text_scanner* s, const char* path, report* r) {
    if (!text_open_bytes(s, path, r)) {
        return false;
    }
    if (!text_check_zeros(s)) {
        text_close(s);
        return false;
    }
    return true;
}

void text_close(text_scanner* s) {
    free(s->text);
    *s = (text_scanner){0};
}

bool text_fail(text_scanner* s, const char* format, ...) {
    char cause[512];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(cause, sizeof cause, format, arguments);
    va_end(arguments);
    return s->binary ? report_fail(s->r, "%s: byte %zu: %s", s->path, s->at + 1, cause)
                     : report_fail(s->r, "%s:%zu: %s", s->path, s->line, cause);
}

bool text_next_char(text_scanner* s, char c) {
    const bool found = s->at < s->size && s->text[s->at] == c;
    s->line += found && c == '\n';
    s->at += found;
    return found || text_fail(s, "there is no line break where numbers should follow");
}

/* ---- lines ---------------------------------------------------------------------------------------------------- */

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static bool is_space(char c) {
    return c == '\n' || is_blank(c);
}

/* Bytes of a backslash and the line break behind it; 0 where the line ends. */
static size_t joint_at(const text_scanner* s, size_t at) {
    if (!s->continued || s->text[at] != '\\') {
        return 0;
    }
    const size_t end = at + 1 + (s->text[at + 1] == '\r');
    return s->text[end] == '\n' ? end + 1 - at : 0;
}

static void skip_to_line_end(text_scanner* s) {
    const char* end = memchr(s->text + s->at, '\n', s->size - s->at);
    s->at = end ? (size_t)(end - s->text) : s->size;
}

static void skip_blanks(text_scanner* s) {
    for (size_t joint = 0; is_blank(s->text[s->at]) || (joint = joint_at(s, s->at)) > 0; joint = 0) {
        s->at += joint ? joint : 1;
        s->line += joint > 0;
    }
    if (s->comment && s->text[s->at] == s->comment) {
        skip_to_line_end(s);
    }
}

bool text_next_line(text_scanner* s) {
    skip_blanks(s);
    while (s->text[s->at] == '\n') {
        s->at++;
        s->line++;
        skip_blanks(s);
    }
    return s->at < s->size;
}

bool text_need_line(text_scanner* s, const char* what) {
    return text_next_line(s) || text_fail(s, "the file ends where %s should stand", what);
}

/* The line break at s->at follows a backslash that is not before `begin`. */
static bool ends_joined(const text_scanner* s, size_t begin) {
    const size_t back = s->at > begin && s->text[s->at - 1] == '\r' ? 2 : 1;
    return s->at >= begin + back && joint_at(s, s->at - back) > 0;
}

text_word text_rest_of_line(text_scanner* s) {
    skip_blanks(s);
    const size_t begin = s->at;
    skip_to_line_end(s);
    while (s->continued && s->at < s->size && ends_joined(s, begin)) {
        s->at++;
        s->line++;
        skip_to_line_end(s);
    }
    size_t end = s->at;
    while (end > begin && is_blank(s->text[end - 1])) {
        end--;
    }
    return (text_word){s->text + begin, end - begin};
}

text_word text_take_line(text_scanner* s) {
    const text_word line = text_rest_of_line(s);
    if (s->at < s->size) {
        s->at++;
        s->line++;
    }
    return line;
}

int text_quoted(text_word word) {
    return word.length < 40 ? (int)word.length : 40;
}

bool text_end_line(text_scanner* s) {
    const text_word rest = text_rest_of_line(s);
    return rest.length == 0 || text_fail(s, "'%.*s' is left over at the end of the line", text_quoted(rest), rest.text);
}

/* ---- words ---------------------------------------------------------------------------------------------------- */

bool text_peek(text_scanner* s, text_word* word) {
    if (s->by_line) {
        skip_blanks(s);
    } else {
        (void)text_next_line(s);
    }
    size_t end = s->at;
    while (end < s->size && !is_space(s->text[end]) && !(s->comment && s->text[end] == s->comment) &&
           joint_at(s, end) == 0) {
        end++;
    }
    *word = (text_word){s->text + s->at, end - s->at};
    return word->length > 0;
}

bool text_next(text_scanner* s, text_word* word) {
    const bool found = text_peek(s, word);
    s->at += word->length;
    return found;
}

bool text_is(text_word word, const char* text) {
    return strlen(text) == word.length && memcmp(word.text, text, word.length) == 0;
}

bool text_need_word(text_scanner* s, const char* what, text_word* word) {
    if (text_next(s, word)) {
        return true;
    }
    const char* missing = s->at < s->size ? "line" : "file";
    return text_fail(s, "the %s ends where %s should stand", missing, what);
}

bool text_refuse(text_scanner* s, const char* what, text_word word) {
    return text_fail(s, "'%.*s' stands where %s should", text_quoted(word), word.text, what);
}

bool text_expect(text_scanner* s, const char* text) {
    text_word word;
    return text_need_word(s, text, &word) && (text_is(word, text) || text_refuse(s, text, word));
}

/* ---- numbers -------------------------------------------------------------------------------------------------- */

bool text_double(text_scanner* s, const char* what, double* out) {
    text_word word;
    if (!text_need_word(s, what, &word)) {
        return false;
    }
    /* strtod alone would also take "nan", "inf" and hexadecimal. */
    const size_t length = strspn(word.text, "+-.0123456789eE");
    char* end = NULL;
    const double value = strtod(word.text, &end);
    if (length < word.length || end != word.text + word.length) {
        return text_refuse(s, what, word);
    }
    if (!isfinite(value)) {
        return text_fail(s, "'%.*s' is beyond the range of numbers", text_quoted(word), word.text);
    }
    *out = value;
    return true;
}

bool text_point(text_scanner* s, double out[3]) {
    return text_double(s, "a coordinate", &out[0]) && text_double(s, "a coordinate", &out[1]) &&
           text_double(s, "a coordinate", &out[2]);
}

bool text_parse_unsigned(text_word word, uint64_t limit, uint64_t* out) {
    uint64_t value = 0;
    for (size_t i = 0; i < word.length; i++) {
        const uint64_t digit = (uint64_t)(unsigned char)word.text[i] - '0';
        if (digit > 9 || digit > limit || value > (limit - digit) / 10) {
            return false;
        }
        value = 10 * value + digit;
    }
    *out = value;
    return word.length > 0;
}

bool text_unsigned(text_scanner* s, const char* what, uint64_t limit, uint64_t* out) {
    text_word word;
    if (!text_need_word(s, what, &word)) {
        return false;
    }
    return text_parse_unsigned(word, limit, out) ||
           text_fail(s, "'%.*s' stands where %s, a whole number from 0 to %" PRIu64 ", should", text_quoted(word),
                     word.text, what, limit);
}

bool text_can_hold(text_scanner* s, const char* what, uint64_t count, size_t bytes_each) {
    const size_t left = s->size - s->at;
    return count <= left / bytes_each ||
           text_fail(s, "%" PRIu64 " %s are announced, more than the %zu bytes that follow can hold", count, what,
                     left);
}

bool text_count(text_scanner* s, const char* what, size_t bytes_each, size_t* out) {
    uint64_t count = 0;
    char name[80];
    (void)snprintf(name, sizeof name, "the number of %s", what);
    if (!text_unsigned(s, name, UINT64_MAX, &count) || !text_can_hold(s, what, count, bytes_each)) {
        return false;
    }
    *out = (size_t)count;
    return true;
}
