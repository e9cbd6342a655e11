#include "base/input_file.h"

#include "base/file_claims.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

static bool examine(const char* path, FILE* stream, size_t most, size_t* size, report* r) {
    struct stat info;
    if (fstat(fileno(stream), &info) != 0) {
        return report_fail(r, "%s: cannot be read: %s", path, strerror(errno));
    }
    if (!S_ISREG(info.st_mode)) {
        return report_fail(r, "%s: is %s, not a file", path,
                           S_ISDIR(info.st_mode) ? "a directory" : "a device or pipe");
    }
    if ((unsigned long long)info.st_size > most) {
        return report_fail(r, "%s: is larger than 2 GiB, the most that is read", path);
    }
    if (info.st_size == 0) {
        return report_fail(r, "%s: is empty", path);
    }
    *size = (size_t)info.st_size;
    return true;
}

static bool open_up_to(const char* path, size_t most, FILE** stream, size_t* size, report* r) {
    /* Opening a pipe for reading would wait for a writer: look before opening. */
    struct stat info;
    if (stat(path, &info) == 0 && S_ISFIFO(info.st_mode)) {
        return report_fail(r, "%s: is a device or pipe, not a file", path);
    }
    FILE* opened = fopen(path, "rb");
    if (!opened) {
        return report_fail(r, "%s: cannot be read: %s", path, strerror(errno));
    }
    if (!examine(path, opened, most, size, r) || !file_claims_note_input(path, r)) {
        (void)fclose(opened);
        return false;
    }
    *stream = opened;
    return true;
}

bool input_file_open(const char* path, FILE** stream, size_t* size, report* r) {
    return open_up_to(path, INPUT_FILE_LIMIT, stream, size, r);
}

bool input_file_open_large(const char* path, FILE** stream, size_t* size, report* r) {
    return open_up_to(path, SIZE_MAX, stream, size, r);
}

const char* input_file_ending(const char* path) {
    const char* slash = strrchr(path, '/');
    const char* dot = strrchr(slash ? slash : path, '.');
    return dot ? dot + 1 : "";
}
