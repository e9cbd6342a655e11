#include "scene_json/scene_paths.h"

#include "base/array.h"
#include "base/file_sequence.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* NULL: none. */
static const char* mesh_of(const scene_object* o) {
    switch (o->type) {
    case OBJECT_CLOTH:
        return o->as.cloth.mesh;
    case OBJECT_SOFT:
        return o->as.soft.mesh;
    case OBJECT_RIGID:
        return o->as.rigid.solid.mesh;
    case OBJECT_COLLIDER:
        return o->as.collider.solid.mesh;
    case OBJECT_PARTICLES:
    case OBJECT_ROPE:
    case OBJECT_ROD:
        return NULL;
    }
    return NULL;
}

/* The folder of the scene without links, to be freed; NULL after setting the report. */
static char* folder_of(const scene_file* file, report* r) {
    char* path = text_copy(file->path, r);
    if (!path) {
        return NULL;
    }
    char* slash = strrchr(path, '/');
    if (slash) {
        slash[slash == path ? 1 : 0] = '\0';
    }
    char* folder = realpath(slash ? path : ".", NULL);
    if (!folder) {
        report_fail(r, "%s: its folder cannot be found: %s", file->path, strerror(errno));
    }
    free(path);
    return folder;
}

static bool is_inside(const char* folder, const char* mesh) {
    const size_t length = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
    char* path = realpath(mesh, NULL);
    const bool inside = path && strncmp(path, folder, length) == 0 && path[length] == '/';
    free(path);
    return inside;
}

/* All files of a sequence, or the one that it is. */
static bool animation_is_inside(const char* folder, const animation_spec* a, report* r) {
    const bool sequence = is_file_sequence(a->file);
    bool inside = true;
    for (size_t i = a->first, more = 1; inside && more; i++) {
        char* path = file_of_sequence(a->file, i, r);
        more = sequence && path && access(path, F_OK) == 0;
        inside = path && (is_inside(folder, path) || (sequence && !more && i > a->first));
        free(path);
    }
    return inside;
}

static bool animations_confined(const scene_file* file, const char* folder, report* r) {
    bool ok = true;
    for (size_t i = 0; ok && i < file->object_count; i++) {
        const scene_object* o = &file->objects[i];
        const animation_spec* a = o->type == OBJECT_COLLIDER ? &o->as.collider.animation : NULL;
        ok = !a || !a->file || animation_is_inside(folder, a, r) ||
             report_fail(r,
                         "%s: objects[%zu].animation.file: there is no file '%s' inside the scene's folder, to which "
                         "meshes are confined",
                         file->path, i, a->file);
    }
    return ok;
}

bool scene_paths_confined(const scene_file* file, report* r) {
    char* folder = folder_of(file, r);
    bool ok = folder != NULL;
    for (size_t i = 0; ok && i < file->object_count + file->mapping_count; i++) {
        const bool object = i < file->object_count;
        const size_t index = object ? i : i - file->object_count;
        const char* mesh = object ? mesh_of(&file->objects[index]) : file->mappings[index].embedding.mesh;
        ok = !mesh || is_inside(folder, mesh) ||
             report_fail(
                 r, "%s: %s[%zu].mesh: there is no file '%s' inside the scene's folder, to which meshes are confined",
                 file->path, object ? "objects" : "mappings", index, mesh);
    }
    ok = ok && animations_confined(file, folder, r);
    free(folder);
    return ok;
}
