#include "export/export.h"

#include "base/array.h"
#include "base/directory.h"
#include "export/export_writer.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const export_writer* const writers[] = {&export_obj_writer, &export_ply_writer, &export_usda_writer,
                                               &export_pc2_writer};
enum { WRITER_COUNT = sizeof writers / sizeof writers[0] };

/* ---- the names of formats ------------------------------------------------------------------------------------- */

static unsigned format_named(const char* name, size_t length) {
    for (size_t i = 0; i < WRITER_COUNT; i++) {
        if (strlen(writers[i]->name) == length && strncmp(writers[i]->name, name, length) == 0) {
            return writers[i]->format;
        }
    }
    return 0;
}

bool export_parse_formats(const char* names, unsigned* formats, report* r) {
    unsigned set = 0;
    for (const char* name = names;; name++) {
        const size_t length = strcspn(name, ",");
        const unsigned format = format_named(name, length);
        if (format == 0) {
            return report_fail(r, "'%.*s' is not an export format; there are obj, ply, usda and pc2",
                               length < 40 ? (int)length : 40, name);
        }
        if (set & format) {
            return report_fail(r, "the export format '%.*s' is given twice", (int)length, name);
        }
        set |= format;
        name += length;
        if (*name == '\0') {
            break;
        }
    }
    *formats = set;
    return true;
}

/* ---- open and close ------------------------------------------------------------------------------------------- */

static bool take_objects(exporter* e, const export_object* objects, report* r) {
    for (size_t i = 0; i < e->item_count; i++) {
        e->items[i].object = objects[i];
        e->items[i].object.name = NULL;
        const size_t end = objects[i].first_point + objects[i].point_count;
        e->point_count = e->point_count < end ? end : e->point_count;
    }
    return export_make_names(objects, e->items, e->item_count, r);
}

static bool open_writers(exporter* e, report* r) {
    for (size_t i = 0; i < WRITER_COUNT; i++) {
        const bool wanted = (e->formats & writers[i]->format) && writers[i]->open;
        if (wanted && !writers[i]->open(e, &e->states[i], r)) {
            return false;
        }
    }
    return true;
}

#define LEAST_DIGITS 4

static int digits_of(size_t number) {
    int digits = 1;
    for (; number >= 10; number /= 10) {
        digits++;
    }
    return digits < LEAST_DIGITS ? LEAST_DIGITS : digits;
}

bool export_open(const char* directory, unsigned formats, const export_object* objects, size_t object_count, double fps,
                 size_t first_frame, size_t last_frame, exporter** out, report* r) {
    exporter* e = array_new(1, sizeof *e, r);
    if (!e) {
        return false;
    }
    e->formats = formats;
    e->fps = fps;
    e->first_frame = first_frame;
    e->digits = digits_of(last_frame);
    e->directory = text_copy(directory, r);
    e->items = e->directory ? array_new(object_count, sizeof *e->items, r) : NULL;
    e->item_count = e->items ? object_count : 0;
    if (!e->items || !take_objects(e, objects, r) || !directory_make(e->directory, r) || !open_writers(e, r)) {
        report ignored;
        (void)export_close(e, &ignored);
        return false;
    }
    *out = e;
    return true;
}

static void free_exporter(exporter* e) {
    for (size_t i = 0; i < e->item_count; i++) {
        free(e->items[i].file_name);
        free(e->items[i].prim_name);
    }
    free(e->items);
    free(e->directory);
    free(e);
}

bool export_close(exporter* e, report* r) {
    bool ok = true;
    for (size_t i = 0; e && i < WRITER_COUNT; i++) {
        report cause;
        if (e->states[i] && !writers[i]->close(e, e->states[i], &cause)) {
            ok = ok && report_fail(r, "%s", cause.text);
        }
    }
    if (e) {
        free_exporter(e);
    }
    return ok;
}

/* ---- frames --------------------------------------------------------------------------------------------------- */

static bool check_positions(const exporter* e, size_t frame, const double (*positions)[3], report* r) {
    for (size_t i = 0; i < e->point_count; i++) {
        for (int k = 0; k < 3; k++) {
            if (!(fabs(positions[i][k]) <= FLT_MAX)) {
                return report_fail(r, "%s: point %zu of frame %zu is at %g, which a float32 file cannot hold",
                                   e->directory, i, frame, positions[i][k]);
            }
        }
    }
    return true;
}

bool export_frame(exporter* e, size_t frame, const double (*positions)[3], report* r) {
    if (e->failed || frame != e->first_frame + e->frame_count) {
        return report_fail(r,
                           e->failed ? "%s: no frame %zu after one that could not be written"
                                     : "%s: frame %zu is not the next one to export",
                           e->directory, frame);
    }
    if (!check_positions(e, frame, positions, r)) {
        return false;
    }
    for (size_t i = 0; i < WRITER_COUNT; i++) {
        const bool wanted = e->formats & writers[i]->format;
        if (wanted && !writers[i]->frame(e, e->states[i], frame, positions, r)) {
            e->failed = true;
            return false;
        }
    }
    e->frame_count++;
    return true;
}

/* ---- for the writers ------------------------------------------------------------------------------------------ */

static bool open_in_directory(const exporter* e, const char* name, const char* middle, const char* ending,
                              whole_file* f, report* r) {
    const size_t room = strlen(e->directory) + strlen(name) + strlen(middle) + strlen(ending) + 3;
    char* path = array_new(room, 1, r);
    if (!path) {
        return false;
    }
    (void)snprintf(path, room, "%s/%s%s.%s", e->directory, name, middle, ending);
    const bool ok = whole_file_open(f, path, r);
    free(path);
    return ok;
}

bool export_open_file(const exporter* e, const char* name, const char* ending, whole_file* f, report* r) {
    return e->first_frame ? export_open_frame(e, name, e->first_frame, ending, f, r)
                          : open_in_directory(e, name, "", ending, f, r);
}

bool export_open_frame(const exporter* e, const char* name, size_t frame, const char* ending, whole_file* f,
                       report* r) {
    char number[32];
    (void)snprintf(number, sizeof number, ".%0*zu", e->digits, frame);
    return open_in_directory(e, name, number, ending, f, r);
}

bool export_each_object(const exporter* e, size_t frame, const char* ending, export_put* put,
                        const double (*positions)[3], report* r) {
    for (size_t i = 0; i < e->item_count; i++) {
        const export_item* item = &e->items[i];
        whole_file f;
        if (!export_open_frame(e, item->file_name, frame, ending, &f, r)) {
            return false;
        }
        put(f.stream, item, positions + item->object.first_point);
        if (!whole_file_commit(&f, r)) {
            return false;
        }
    }
    return true;
}

void export_put_points(FILE* stream, const double (*positions)[3], size_t count) {
    enum { CHUNK = 1024 };
    float packed[CHUNK][3];
    size_t filled = 0;
    for (size_t i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++) {
            packed[filled][k] = (float)positions[i][k];
        }
        filled++;
        if (filled == CHUNK || i + 1 == count) {
            (void)fwrite(packed, sizeof packed[0], filled, stream);
            filled = 0;
        }
    }
}
