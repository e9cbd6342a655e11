/* Words and numbers of a text file, read strictly: a number is what the C language writes in base ten, finite and in
 * range. Failures are reported as 'FILE:LINE: cause'. The whole file is in memory, so a count that the file
 * announces can be checked against what follows before anything is allocated for it. */
#ifndef TAUT_APP_TEXT_SCANNER_H
#define TAUT_APP_TEXT_SCANNER_H

#include "base/report.h"

#include <stddef.h>
#include <stdint.h>

typedef struct text_scanner {
    const char* path;
    report* r;
    char* text; /* size bytes and a zero behind them; none before */
    size_t size;
    size_t at;
    size_t line;    /* of `at`, from 1 */
    bool by_line;   /* words end with the line: text_next_line goes on */
    char comment;   /* starts a comment that ends with the line; 0: no comments */
    bool binary;    /* lines mean nothing: places are bytes */
    bool continued; /* a backslash at the end of a line joins it with the next one */
} text_scanner;

/* A word of the file: no blank inside, not terminated by zero. */
typedef struct text_word {
    const char* text;
    size_t length;
} text_word;

/* Reads the whole file; zero bytes are refused. `path` and `r` must outlive the scanner. */
bool text_open(text_scanner* s, const char* path, report* r);
/* The same for files that may be binary: zero bytes are no fault, unless text_check_zeros finds them. */
bool text_open_bytes(text_scanner* s, const char* path, report* r);
bool text_check_zeros(text_scanner* s);
void text_close(text_scanner* s); /* a zeroed scanner is allowed */

/* Takes this character, which must be the next one. */
bool text_next_char(text_scanner* s, char c);

/* Reports 'FILE:LINE: ' and the cause, of binary files 'FILE: byte N: '; returns false. */
bool text_fail(text_scanner* s, const char* format, ...) __attribute__((format(printf, 2, 3)));

/* Moves to the next line that holds a word, or stays where the line has not begun; false at the end of the file. */
bool text_next_line(text_scanner* s);
/* Like text_next_line, but the end of the file is a failure: `what` should stand there. */
bool text_need_line(text_scanner* s, const char* what);
/* Takes what is left of the line, without the line break and blanks around it. */
text_word text_rest_of_line(text_scanner* s);
/* The same, and goes behind the line break; empty at the end of the file. */
text_word text_take_line(text_scanner* s);
/* Fails unless the line has ended. */
bool text_end_line(text_scanner* s);

/* The next word; false where there is none (at the end of the line with by_line, else of the file). */
bool text_next(text_scanner* s, text_word* word);
/* The same without taking it. */
bool text_peek(text_scanner* s, text_word* word);
bool text_is(text_word word, const char* text);
/* How much of a word a sentence quotes, for "%.*s". */
int text_quoted(text_word word);
/* Reports that the word stands where `what` should; returns false. */
bool text_refuse(text_scanner* s, const char* what, text_word word);

/* All of these fail where the next word is not what they need; `what` names it in the sentence. */
bool text_need_word(text_scanner* s, const char* what, text_word* word);
bool text_expect(text_scanner* s, const char* text);
bool text_double(text_scanner* s, const char* what, double* out);
bool text_point(text_scanner* s, double out[3]);
bool text_unsigned(text_scanner* s, const char* what, uint64_t limit, uint64_t* out);
/* A count of things of which each takes at least `bytes_each` bytes of the rest of the file. */
bool text_count(text_scanner* s, const char* what, size_t bytes_each, size_t* out);
/* Fails unless so many things can still follow. */
bool text_can_hold(text_scanner* s, const char* what, uint64_t count, size_t bytes_each);

/* Digits only, at most `limit`. */
bool text_parse_unsigned(text_word word, uint64_t limit, uint64_t* out);

#endif
