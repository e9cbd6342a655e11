/* PC2 point caches: a header of 32 bytes, then x, y, z of every point of every frame. */
#include "base/array.h"
#include "export/export_writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct pc2_header {
    char signature[12];
    int32_t version;
    int32_t point_count;
    float first_frame;
    float frames_per_sample;
    int32_t sample_count;
} pc2_header;

_Static_assert(sizeof(pc2_header) == 32, "the header has no gaps");

/* A state is an array of files, one per item; closed where opening failed. */

static void put_header(FILE* stream, const exporter* e, const export_item* item, size_t sample_count) {
    const pc2_header header = {.signature = "POINTCACHE2",
                               .version = 1,
                               .point_count = (int32_t)item->object.point_count,
                               .first_frame = (float)e->first_frame,
                               .frames_per_sample = 1,
                               .sample_count = (int32_t)sample_count};
    (void)fwrite(&header, sizeof header, 1, stream);
}

static bool open_files(const exporter* e, void** state, report* r) {
    whole_file* files = array_new(e->item_count, sizeof *files, r);
    *state = files;
    for (size_t i = 0; files && i < e->item_count; i++) {
        const export_item* item = &e->items[i];
        if (item->object.point_count > INT32_MAX) {
            return report_fail(r, "%s/%s.pc2: cannot hold %zu points", e->directory, item->file_name,
                               item->object.point_count);
        }
        if (!export_open_file(e, item->file_name, "pc2", &files[i], r)) {
            return false;
        }
        put_header(files[i].stream, e, item, 0);
    }
    return files != NULL;
}

static bool write_frame(const exporter* e, void* state, size_t frame, const double (*positions)[3], report* r) {
    whole_file* files = state;
    for (size_t i = 0; i < e->item_count; i++) {
        const export_object* o = &e->items[i].object;
        export_put_points(files[i].stream, positions + o->first_point, o->point_count);
        if (fflush(files[i].stream) != 0 || ferror(files[i].stream) || frame >= INT32_MAX) {
            return report_fail(r, "%s: frame %zu cannot be written", files[i].path, frame);
        }
    }
    return true;
}

/* A frame that other formats did not get, or that the disk did not hold, is cut off: its stream is not trusted any
 * more, while all frames before were flushed. */
static bool complete(const exporter* e, size_t i, whole_file* f, report* r) {
    const size_t frame_bytes = e->items[i].object.point_count * 3 * sizeof(float);
    const off_t length = (off_t)(sizeof(pc2_header) + e->frame_count * frame_bytes);
    f->stream = freopen(f->part, "r+b", f->stream);
    if (f->stream && ftruncate(fileno(f->stream), length) == 0) {
        put_header(f->stream, e, &e->items[i], e->frame_count);
        return whole_file_commit(f, r);
    }
    (void)report_fail(r, "%s: cannot be completed: %s", f->path, strerror(errno));
    whole_file_abandon(f);
    return false;
}

static bool close_files(const exporter* e, void* state, report* r) {
    whole_file* files = state;
    bool ok = true;
    for (size_t i = 0; i < e->item_count; i++) {
        if (e->frame_count == 0 || !files[i].stream) {
            whole_file_abandon(&files[i]);
        } else {
            ok = complete(e, i, &files[i], r) && ok;
        }
    }
    free(files);
    return ok;
}

const export_writer export_pc2_writer = {
    .format = EXPORT_PC2, .name = "pc2", .open = open_files, .frame = write_frame, .close = close_files};
