/* Numbers of Gmsh files, ASCII or binary. Both forms hold the same numbers in the same order: in ASCII they end with
 * lines; in binary those of a section are packed, with 4 bytes an integer, 8 a coordinate, and 8 what the format calls
 * a size. */
#ifndef TAUT_APP_MESH_GMSH_NUMBERS_H
#define TAUT_APP_MESH_GMSH_NUMBERS_H

#include "base/text_scanner.h"

typedef struct gmsh_numbers {
    text_scanner s; /* s.binary: the form */
    bool swapped;   /* binary, of a machine with the other order of bytes */
} gmsh_numbers;

/* Opens either form; a file that is not binary is text without zero bytes. */
bool gmsh_open(gmsh_numbers* n, const char* path, report* r);
/* The integer 1 that tells the order of bytes; nothing in ASCII. */
bool gmsh_read_order(gmsh_numbers* n);

/* Lines of ASCII; true in binary. */
bool gmsh_need_line(gmsh_numbers* n, const char* what);
bool gmsh_end_line(gmsh_numbers* n);
/* The end of a line of text, with the line break where packed numbers follow. */
bool gmsh_begin_numbers(gmsh_numbers* n);

/* `what` names the number in the sentence. */
bool gmsh_int(gmsh_numbers* n, const char* what, uint64_t limit, uint64_t* out);
bool gmsh_skip_int(gmsh_numbers* n, const char* what); /* may be negative */
bool gmsh_size(gmsh_numbers* n, const char* what, uint64_t* out);
bool gmsh_double(gmsh_numbers* n, const char* what, double* out); /* finite */
/* A size, of things that take so many bytes of the rest of the file at least. */
bool gmsh_count(gmsh_numbers* n, const char* what, size_t bytes_each, size_t* out);

/* Goes behind the line `end`, a word that begins with '$'. */
bool gmsh_skip_past(gmsh_numbers* n, const char* end);

#endif
