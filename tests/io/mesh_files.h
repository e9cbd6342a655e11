// Small mesh files of every format that is read, and what every mesh must satisfy.
#pragma once

extern "C" {
#include "mesh/mesh.h"
}

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <unistd.h>

namespace io {

// A mesh read from a file, with the sentence where it was refused. Endings of tetrahedra go to mesh_read_tets.
struct Read {
    explicit Read(const std::string& path);
    Read(const std::string& path, bool tets);
    ~Read() { mesh_free(&m); }
    Read(const Read&) = delete;
    Read& operator=(const Read&) = delete;

    mesh m{};
    report r{};
    bool ok = false;
};

// Files on a disk would take most of the time.
struct InMemory {
    InMemory() {
        if (access("/dev/shm", W_OK) == 0) {
            setenv("TEST_TMPDIR", "/dev/shm", 0);
        }
    }
};

// All promises of mesh.h, checked by other means than the reader's.
testing::AssertionResult keeps_promises(const mesh& m);
// One sentence in one line that begins with the file's path, and no mesh.
testing::AssertionResult is_refusal(const Read& read, const std::string& path);

// Two triangles over the points (0 0 0), (1 0 0), (1 1 0), (0 1 0): 0 1 2 and 0 2 3.
extern const char* const obj_text; // with normals and texture coordinates
extern const char* const ply_text;
extern const char* const off_text;
extern const char* const stl_text;

// Two tetrahedra over (0 0 0), (1 0 0), (0 1 0), (0 0 1), (1 1 1): 0 1 2 3 and 1 2 3 4; other elements beside them.
extern const char* const gmsh_2_text; // nodes numbered out of order, an unused one among them
extern const char* const gmsh_4_text; // the same
extern const char* const vtk_2_text;
extern const char* const vtk_5_text;
extern const char* const node_text; // numbered from 1
extern const char* const ele_text;

// The text with the first `old` replaced; it must be there.
std::string with(const std::string& text, const std::string& old, const std::string& replacement);

} // namespace io
