#include "base/input_file.h"
#include "mesh/mesh_readers.h"

#include <strings.h>

bool mesh_read_surface(const char* path, mesh* out, report* r) {
    const bool obj = strcasecmp(input_file_ending(path), "obj") == 0;
    mesh_draft d = {.corner_count = 3};
    const bool read = obj ? mesh_read_obj(path, &d, r) : mesh_read_isolated(mesh_read_assimp, path, &d, r);
    const bool ok = read && mesh_draft_finish(&d, path, out, r);
    mesh_draft_free(&d);
    return ok;
}
