#include "base/whole_file.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void forget(whole_file* f) {
    free(f->path);
    free(f->part);
    *f = (whole_file){0};
}

bool whole_file_open(whole_file* f, const char* path, report* r) {
    const size_t room = strlen(path) + sizeof ".part";
    *f = (whole_file){.path = text_copy(path, r), .part = array_new(room, 1, r)};
    if (!f->path || !f->part) {
        forget(f);
        return false;
    }
    (void)snprintf(f->part, room, "%s.part", path);
    f->stream = fopen(f->part, "w+b");
    if (!f->stream) {
        const int cause = errno;
        forget(f);
        return report_fail(r, "%s: cannot be written: %s", path, strerror(cause));
    }
    return true;
}

/* A write that failed earlier may have left errno to others since; then the cause is not named. */
static bool flush(FILE* stream, int* cause) {
    errno = 0;
    const bool clean = !ferror(stream);
    const bool flushed = fflush(stream) == 0;
    *cause = errno;
    return clean && flushed;
}

bool whole_file_commit(whole_file* f, report* r) {
    int cause = 0;
    bool ok = flush(f->stream, &cause);
    if (fclose(f->stream) != 0 && ok) {
        ok = false;
        cause = errno;
    }
    f->stream = NULL;
    if (ok && rename(f->part, f->path) != 0) {
        ok = false;
        cause = errno;
    }
    if (!ok) {
        (void)report_fail(r, "%s: cannot be written: %s", f->path, cause ? strerror(cause) : "a write failed");
        (void)remove(f->part);
    }
    forget(f);
    return ok;
}

void whole_file_abandon(whole_file* f) {
    if (f->stream) {
        (void)fclose(f->stream);
    }
    if (f->part) {
        (void)remove(f->part);
    }
    forget(f);
}
