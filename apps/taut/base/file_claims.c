#include "base/file_claims.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct file_identity {
    dev_t device;
    ino_t node;
} file_identity;

struct file_claim {
    file_claim* next;
    char* path;
    bool exists;
    file_identity file;   /* where it exists */
    file_identity folder; /* of outputs */
};

static file_claim* inputs;
static file_claim* outputs;

static bool same(file_identity a, file_identity b) {
    return a.device == b.device && a.node == b.node;
}

static file_identity identity_of(const struct stat* info) {
    return (file_identity){info->st_dev, info->st_ino};
}

static const char* last_component(const char* path) {
    const char* slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void free_claim(file_claim* claim) {
    if (claim) {
        free(claim->path);
        free(claim);
    }
}

static file_claim* new_claim(const char* path, report* r) {
    file_claim* claim = array_new(1, sizeof *claim, r);
    if (claim && !(claim->path = text_copy(path, r))) {
        free_claim(claim);
        return NULL;
    }
    return claim;
}

/* ---- inputs --------------------------------------------------------------------------------------------------- */

bool file_claims_note_input(const char* path, report* r) {
    struct stat info;
    if (stat(path, &info) != 0) {
        return report_fail(r, "%s: cannot be read: %s", path, strerror(errno));
    }
    for (const file_claim* c = inputs; c; c = c->next) {
        if (same(c->file, identity_of(&info)) && strcmp(c->path, path) == 0) {
            return true;
        }
    }
    file_claim* claim = new_claim(path, r);
    if (claim) {
        claim->file = identity_of(&info);
        claim->next = inputs;
        inputs = claim;
    }
    return claim != NULL;
}

/* A removed file's inode is used again: an equal identity counts while the input is still where it was read. */
static bool is_input(file_identity file) {
    struct stat now;
    for (const file_claim* c = inputs; c; c = c->next) {
        if (same(c->file, file) && stat(c->path, &now) == 0 && same(identity_of(&now), file)) {
            return true;
        }
    }
    return false;
}

/* ---- outputs -------------------------------------------------------------------------------------------------- */

static const char* kind_of(mode_t mode) {
    return S_ISDIR(mode) ? "a directory" : S_ISLNK(mode) ? "a symbolic link" : "a device, pipe or socket";
}

static bool examine_file(file_claim* claim, report* r) {
    struct stat info;
    if (lstat(claim->path, &info) != 0) {
        return true;
    }
    claim->exists = true;
    claim->file = identity_of(&info);
    if (!S_ISREG(info.st_mode)) {
        return report_fail(r, "%s: cannot be written: is %s, and only an ordinary file is replaced", claim->path,
                           kind_of(info.st_mode));
    }
    return !is_input(claim->file) || report_fail(r, "%s: cannot be written: this run reads it", claim->path);
}

static bool examine_folder(file_claim* claim, report* r) {
    char* folder = text_copy(claim->path, r);
    if (!folder) {
        return false;
    }
    struct stat info;
    char* name = folder + (last_component(claim->path) - claim->path);
    *name = '\0';
    const bool ok = stat(folder[0] ? folder : ".", &info) == 0 ||
                    report_fail(r, "%s: cannot be written: %s", claim->path, strerror(errno));
    free(folder);
    claim->folder = ok ? identity_of(&info) : (file_identity){0};
    return ok;
}

static bool is_written(const file_claim* claim) {
    for (const file_claim* c = outputs; c; c = c->next) {
        const bool one_file = claim->exists && c->exists && same(claim->file, c->file);
        const bool one_place =
            same(claim->folder, c->folder) && strcmp(last_component(claim->path), last_component(c->path)) == 0;
        if (one_file || one_place) {
            return true;
        }
    }
    return false;
}

file_claim* file_claim_output(const char* path, report* r) {
    file_claim* claim = new_claim(path, r);
    if (!claim || !examine_file(claim, r) || !examine_folder(claim, r) ||
        (is_written(claim) && !report_fail(r, "%s: is written twice", path))) {
        free_claim(claim);
        return NULL;
    }
    claim->next = outputs;
    outputs = claim;
    return claim;
}

void file_claim_renew(file_claim* claim) {
    struct stat info;
    claim->exists = lstat(claim->path, &info) == 0;
    claim->file = claim->exists ? identity_of(&info) : (file_identity){0};
}

void file_claim_release(file_claim* claim) {
    for (file_claim** c = &outputs; claim && *c; c = &(*c)->next) {
        if (*c == claim) {
            *c = claim->next;
            break;
        }
    }
    free_claim(claim);
}
