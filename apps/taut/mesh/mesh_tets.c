#include "base/input_file.h"
#include "mesh/mesh_readers.h"

#include <strings.h>

static bool refuse_others(const char* path, mesh_draft* d, report* r) {
    (void)d;
    return report_fail(r, "%s: tetrahedra are read from files that end in .msh, .mesh, .vtk, .vtu, .node or .ele",
                       path);
}

static mesh_reader* reader_for(const char* path) {
    static const struct {
        const char* ending;
        mesh_reader* read;
    } readers[] = {{"msh", mesh_read_gmsh},    {"vtk", mesh_read_vtk},    {"vtu", mesh_read_vtu},
                   {"node", mesh_read_tetgen}, {"ele", mesh_read_tetgen}, {"mesh", mesh_read_medit}};
    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++) {
        if (strcasecmp(input_file_ending(path), readers[i].ending) == 0) {
            return readers[i].read;
        }
    }
    return refuse_others;
}

bool mesh_read_tets(const char* path, mesh* out, report* r) {
    mesh_draft d = {.corner_count = 4};
    const bool ok = reader_for(path)(path, &d, r) && mesh_draft_finish(&d, path, out, r);
    mesh_draft_free(&d);
    return ok;
}
