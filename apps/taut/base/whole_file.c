#include "base/whole_file.h"

#include "base/array.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void forget(whole_file* f) {
    file_claim_release(f->claims[0]);
    file_claim_release(f->claims[1]);
    free(f->path);
    free(f->part);
    *f = (whole_file){0};
}

/* What an ended process left under this name is removed. The new file is created: no link is followed. */
static FILE* create_part(const char* part) {
    const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    int file = open(part, flags, 0666);
    if (file < 0 && errno == EEXIST && unlink(part) == 0) {
        file = open(part, flags, 0666);
    }
    FILE* stream = file >= 0 ? fdopen(file, "w+b") : NULL;
    if (file >= 0 && !stream) {
        (void)close(file);
        (void)unlink(part);
    }
    return stream;
}

static bool claim_paths(whole_file* f, report* r) {
    report cause = {0};
    f->claims[0] = file_claim_output(f->path, r);
    if (!f->claims[0]) {
        return false;
    }
    f->claims[1] = file_claim_output(f->part, &cause);
    return f->claims[1] || report_fail(r, "%s: cannot be written: %s", f->path, cause.text);
}

static bool open_part(whole_file* f, report* r) {
    f->stream = create_part(f->part);
    return f->stream || report_fail(r, "%s: cannot be written: %s", f->path, strerror(errno));
}

bool whole_file_claim(whole_file* f, const char* path, report* r) {
    const size_t room = strlen(path) + sizeof ".part";
    *f = (whole_file){.path = text_copy(path, r), .part = array_new(room, 1, r)};
    if (!f->path || !f->part) {
        forget(f);
        return false;
    }
    (void)snprintf(f->part, room, "%s.part", path);
    if (!claim_paths(f, r)) {
        forget(f);
        return false;
    }
    return true;
}

bool whole_file_open(whole_file* f, const char* path, report* r) {
    if (!whole_file_claim(f, path, r)) {
        return false;
    }
    if (!open_part(f, r)) {
        forget(f);
        return false;
    }
    return true;
}

void whole_file_release(whole_file* f) {
    forget(f);
}

/* A write that failed earlier may have left errno to others since; then the cause is not named. */
static bool flush(FILE* stream, int* cause) {
    errno = 0;
    const bool clean = !ferror(stream);
    const bool flushed = fflush(stream) == 0;
    *cause = errno;
    return clean && flushed;
}

static bool fail_write(const whole_file* f, int cause, report* r) {
    return report_fail(r, "%s: cannot be written: %s", f->path, cause ? strerror(cause) : "a write failed");
}

/* The file stays claimed. */
static bool complete(whole_file* f, bool on_disk, report* r) {
    int cause = 0;
    bool ok = flush(f->stream, &cause);
    if (ok && on_disk && fsync(fileno(f->stream)) != 0) {
        ok = false;
        cause = errno;
    }
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
        (void)fail_write(f, cause, r);
        (void)remove(f->part);
    }
    return ok;
}

bool whole_file_commit(whole_file* f, report* r) {
    const bool ok = complete(f, false, r);
    forget(f);
    return ok;
}

bool whole_file_replace(whole_file* f, size_t count, const void* const* blocks, const size_t* bytes, report* r) {
    if (!open_part(f, r)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        (void)fwrite(blocks[i], 1, bytes[i], f->stream);
    }
    const bool ok = complete(f, true, r);
    file_claim_renew(f->claims[0]);
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

bool whole_file_mark(whole_file* f, report* r) {
    int cause = 0;
    if (!flush(f->stream, &cause)) {
        return fail_write(f, cause, r);
    }
    f->marked = ftello(f->stream);
    return true;
}

/* The stream of a failed write is not trusted any more; what was marked had been flushed. */
bool whole_file_commit_marked(whole_file* f, report* r) {
    f->stream = freopen(f->part, "r+b", f->stream);
    if (f->stream && ftruncate(fileno(f->stream), (off_t)f->marked) == 0) {
        return whole_file_commit(f, r);
    }
    (void)fail_write(f, errno, r);
    whole_file_abandon(f);
    return false;
}
