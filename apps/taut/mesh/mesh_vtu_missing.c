/* A tool that was built without expat and zlib. */
#include "mesh/mesh_readers.h"

bool mesh_read_vtu(const char* path, mesh_draft* d, report* r) {
    (void)d;
    return report_fail(r,
                       "%s: this taut was built without expat and zlib, which reading .vtu files needs: save it as "
                       "Gmsh (.msh) or legacy VTK (.vtk)",
                       path);
}
