/* Arrays of VTK's XML files: numbers as text, or bytes inside the array (base64) or behind the last element (base64 or
 * raw), in blocks that zlib has compressed or in one piece. */
#ifndef TAUT_APP_VTU_DATA_H
#define TAUT_APP_VTU_DATA_H

#include "base/report.h"

#include <stddef.h>
#include <stdint.h>

typedef enum vtu_format { VTU_ASCII, VTU_BINARY, VTU_APPENDED } vtu_format;

/* What the file says of all arrays. */
typedef struct vtu_encoding {
    const char* path;
    bool big_endian;
    size_t header_bytes;  /* of a number in front of bytes: 4 or 8 */
    char compressor[48];  /* "": none */
    bool raw;             /* what is appended is not in base64 */
    const char* appended; /* behind the '_'; NULL: nothing is */
    const char* end;      /* of the file */
} vtu_encoding;

typedef struct vtu_array {
    bool given;
    const char* name; /* for sentences */
    char type[16];    /* "Float32", "Int64", ... */
    size_t components;
    vtu_format format;
    uint64_t offset; /* where appended */
    size_t text_size;
    size_t text_capacity;
    char* text; /* between the tags, where not appended; ends with a zero byte; owned */
} vtu_array;

/* Decodes an array of `count` numbers; any count where that is SIZE_MAX, which is then told. Freed by the caller. */
bool vtu_doubles(const vtu_encoding* e, const vtu_array* a, size_t* count, double** out, report* r);
/* Of whole numbers not below 0. */
bool vtu_integers(const vtu_encoding* e, const vtu_array* a, size_t* count, uint64_t** out, report* r);

#endif
