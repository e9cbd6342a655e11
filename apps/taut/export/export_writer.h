/* What export.c asks of a format, and what it offers to all of them. */
#ifndef TAUT_APP_EXPORT_WRITER_H
#define TAUT_APP_EXPORT_WRITER_H

#include "base/whole_file.h"
#include "export/export.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "binary files are written in the byte order of the machine, which must be little endian"
#endif

/* An object of the caller, with names of its own. */
typedef struct export_item {
    export_object object; /* `name` is not kept */
    char* file_name;      /* letters and digits of UTF-8, _.-, no dot in front; unique, whatever the case */
    char* prim_name;      /* an identifier of USD; unique */
} export_item;

struct exporter {
    char* directory;
    unsigned formats;
    double fps;
    size_t first_frame;
    int digits; /* of numbers of frames in names */
    size_t item_count;
    export_item* items;
    size_t point_count; /* of a frame: the end of the last object */
    size_t frame_count; /* written completely, in all formats */
    bool failed;        /* a frame was written in part: no more come */
    void* states[4];    /* of the writers, by index */
};

typedef struct export_writer {
    export_format format;
    const char* name;
    /* Makes the state, which `close` frees. NULL, like `close`: the format needs none. */
    bool (*open)(const exporter* e, void** state, report* r);
    bool (*frame)(const exporter* e, void* state, size_t frame, const double (*positions)[3], report* r);
    /* Completes the files with the first e->frame_count frames, or removes them where that is 0. Frees the state,
     * whatever happens; also a state that `open` left when it failed. */
    bool (*close)(const exporter* e, void* state, report* r);
} export_writer;

extern const export_writer export_obj_writer;
extern const export_writer export_ply_writer;
extern const export_writer export_usda_writer;
extern const export_writer export_pc2_writer;

/* Gives every item its file and prim name. */
bool export_make_names(const export_object* objects, export_item* items, size_t count, report* r);

/* Opens DIR/NAME.FRAME.ENDING; a file of all frames is DIR/NAME.ENDING where they begin at 0.
 */
bool export_open_file(const exporter* e, const char* name, const char* ending, whole_file* f, report* r);
bool export_open_frame(const exporter* e, const char* name, size_t frame, const char* ending, whole_file* f, report* r);

/* Writes float32 x, y, z of every point. Errors are left to the stream. */
void export_put_points(FILE* stream, const double (*positions)[3], size_t count);

/* Writes one file per object and frame, whose content `put` writes; errors are left to the stream. */
typedef void export_put(FILE* stream, const export_item* item, const double (*positions)[3]);
bool export_each_object(const exporter* e, size_t frame, const char* ending, export_put* put,
                        const double (*positions)[3], report* r);

#endif
