#include "base/directory.h"

#include "base/array.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static bool make_one(const char* path, report* r) {
    struct stat info;
    if (mkdir(path, 0777) == 0) {
        return true;
    }
    const int cause = errno;
    if (stat(path, &info) == 0) {
        return S_ISDIR(info.st_mode) || report_fail(r, "%s: is not a directory", path);
    }
    return report_fail(r, "%s: cannot be created as a directory: %s", path, strerror(cause));
}

/* Cuts the text at each of its slashes in turn. */
bool directory_make(char* path, report* r) {
    if (path[0] == '\0') {
        return report_fail(r, "the directory for exported files has an empty name");
    }
    for (char* slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        const bool made = make_one(path, r);
        *slash = '/';
        if (!made) {
            return false;
        }
    }
    return make_one(path, r);
}

char* directory_entry(const char* directory, const char* name, report* r) {
    const size_t size = strlen(directory) + strlen(name) + 2;
    char* path = array_new(size, 1, r);
    if (path != NULL) {
        snprintf(path, size, "%s/%s", directory, name);
    }
    return path;
}
