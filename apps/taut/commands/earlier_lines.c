#include "commands/earlier_lines.h"

#include "base/array.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* An ordinary file; no link is followed, and a pipe does not wait for its writer. */
static FILE* open_ordinary(const char* path) {
    struct stat info;
    const int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    FILE* stream = file >= 0 && fstat(file, &info) == 0 && S_ISREG(info.st_mode) ? fdopen(file, "rb") : NULL;
    if (file >= 0 && !stream) {
        (void)close(file);
    }
    return stream;
}

typedef struct earlier_lines {
    FILE* files[2]; /* PATH and PATH.part; NULL: not there */
} earlier_lines;

static earlier_lines open_earlier(const char* path) {
    earlier_lines e = {{open_ordinary(path), NULL}};
    report ignored;
    const size_t room = strlen(path) + sizeof ".part";
    char* part = array_new(room, 1, &ignored);
    if (part) {
        (void)snprintf(part, room, "%s.part", path);
        e.files[1] = open_ordinary(part);
    }
    free(part);
    return e;
}

static void close_earlier(earlier_lines* e) {
    for (int i = 0; i < 2; i++) {
        if (e->files[i]) {
            (void)fclose(e->files[i]);
        }
    }
}

/* A line that belongs to the file, up to the frame `last`; `next` is the frame that must come, 0 before the first. */
static bool belongs(const char* line, const lines_spec* spec, size_t* next) {
    size_t frame = 0;
    if (!line[0] || line[strlen(line) - 1] != '\n' || !spec->frame_of(line, spec->fps, &frame)) {
        return false;
    }
    const bool follows = (*next == 0 || frame == *next) && frame <= spec->last;
    *next = frame + 1;
    return follows;
}

/* Bytes up to the end of the line of the frame `last`; 0 where something is missing before. */
static size_t bytes_to_keep(FILE* file, const lines_spec* spec) {
    char* line = NULL;
    size_t room = 0, next = 0;
    size_t bytes = strlen(spec->header);
    bool ok = bytes == 0 || (getline(&line, &room, file) > 0 && strcmp(line, spec->header) == 0);
    while (ok && next != spec->last + 1) {
        ok = getline(&line, &room, file) > 0 && belongs(line, spec, &next);
        bytes += ok ? strlen(line) : 0;
    }
    free(line);
    return ok ? bytes : 0;
}

/* Failures of writing are found when the file is flushed. */
static bool copy(FILE* from, size_t bytes, whole_file* to, report* r) {
    char buffer[1 << 14];
    rewind(from);
    while (bytes > 0) {
        const size_t wanted = bytes < sizeof buffer ? bytes : sizeof buffer;
        const size_t got = fread(buffer, 1, wanted, from);
        if (got == 0) {
            return report_fail(r, "%s: the lines of earlier frames cannot be read: %s", to->path, strerror(errno));
        }
        (void)fwrite(buffer, 1, got, to->stream);
        bytes -= got;
    }
    return true;
}

static bool begin(whole_file* f, earlier_lines* earlier, const lines_spec* spec, report* r) {
    for (int i = 0; i < 2; i++) {
        const size_t bytes = earlier->files[i] ? bytes_to_keep(earlier->files[i], spec) : 0;
        if (bytes > 0) {
            return copy(earlier->files[i], bytes, f, r) && whole_file_mark(f, r);
        }
    }
    (void)fputs(spec->header, f->stream);
    return whole_file_mark(f, r);
}

/* What a killed run left is removed when the file is opened for writing: it is opened for reading before. */
bool earlier_lines_open(whole_file* f, const char* path, const lines_spec* spec, report* r) {
    earlier_lines earlier = {0};
    if (spec->last > 0) {
        earlier = open_earlier(path);
    }
    bool ok = whole_file_open(f, path, r);
    if (ok && !begin(f, &earlier, spec, r)) {
        whole_file_abandon(f);
        ok = false;
    }
    close_earlier(&earlier);
    return ok;
}
