#include "base/input_file.h"
#include "mesh/mesh_readers.h"

#include <strings.h>

/* NULL: assimp reads it. */
static mesh_reader* own_reader(const char* path) {
    static const struct {
        const char* ending;
        mesh_reader* read;
    } readers[] = {{"obj", mesh_read_obj}, {"msh", mesh_read_gmsh}, {"vtu", mesh_read_vtu}, {"mesh", mesh_read_medit}};
    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++) {
        if (strcasecmp(input_file_ending(path), readers[i].ending) == 0) {
            return readers[i].read;
        }
    }
    return NULL;
}

bool mesh_read_surface(const char* path, mesh* out, report* r) {
    mesh_draft d = {.corner_count = 3};
    mesh_reader* reader = own_reader(path);
    const bool read = reader ? reader(path, &d, r) : mesh_read_isolated(mesh_read_assimp, path, &d, r);
    const bool ok = read && mesh_draft_finish(&d, path, out, r);
    mesh_draft_free(&d);
    return ok;
}
