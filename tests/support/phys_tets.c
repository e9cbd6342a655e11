#include "phys_tets.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_vtk_points(FILE* file, phys_mesh* mesh) {
    unsigned count;
    bool complete = fscanf(file, "%u %*s", &count) == 1;
    if (complete) {
        phys_mesh_free(mesh);
        *mesh = phys_mesh_make(count, 1 << 14, 4);
        mesh->cell_count = 0;
    }
    for (size_t i = 0; complete && i < 3 * mesh->point_count; i++) {
        complete = fscanf(file, "%lf", &mesh->points[i]) == 1;
    }
    return complete;
}

static bool read_vtk_cells(FILE* file, phys_mesh* mesh) {
    unsigned count;
    bool complete = fscanf(file, "%u %*u", &count) == 1 && count <= 1 << 14;
    while (complete && mesh->cell_count < count) {
        uint32_t* t = mesh->cells + 4 * mesh->cell_count++;
        complete = fscanf(file, " 4 %u %u %u %u", &t[0], &t[1], &t[2], &t[3]) == 4;
    }
    return complete;
}

static bool read_vtk(FILE* file, phys_mesh* mesh) {
    char word[64];
    bool complete = true;
    while (complete && fscanf(file, "%63s", word) == 1) {
        if (strcmp(word, "POINTS") == 0) {
            complete = read_vtk_points(file, mesh);
        } else if (strcmp(word, "CELLS") == 0) {
            complete = read_vtk_cells(file, mesh);
        }
    }
    return complete;
}

/* "$NOD", count, then number x y z; numbers have gaps, and places[number] is where a point lies. */
static bool read_gmsh_points(FILE* file, phys_mesh* mesh, uint32_t places[1 << 14]) {
    unsigned count, number;
    bool complete = fscanf(file, " $NOD %u", &count) == 1;
    if (complete) {
        *mesh = phys_mesh_make(count, 1 << 14, 4);
        mesh->cell_count = 0;
    }
    for (uint32_t i = 0; complete && i < mesh->point_count; i++) {
        double* x = mesh->points + (size_t)3 * i;
        complete = fscanf(file, "%u %lf %lf %lf", &number, &x[0], &x[1], &x[2]) == 4 && number < 1 << 14;
        if (complete) {
            places[number] = i;
        }
    }
    return complete;
}

/* "$ELM", count, then number, type, two regions, how many points, and these. Type 4 is a tetrahedron. */
static bool read_gmsh_cells(FILE* file, phys_mesh* mesh, const uint32_t places[1 << 14]) {
    unsigned count, type, corners, number;
    bool complete = fscanf(file, " $ENDNOD $ELM %u", &count) == 1 && count <= 1 << 14;
    for (unsigned e = 0; complete && e < count; e++) {
        complete = fscanf(file, "%*u %u %*u %*u %u", &type, &corners) == 2;
        for (unsigned k = 0; complete && k < corners; k++) {
            complete = fscanf(file, "%u", &number) == 1 && number < 1 << 14;
            if (complete && type == 4) {
                mesh->cells[4 * mesh->cell_count + k] = places[number];
            }
        }
        mesh->cell_count += type == 4;
    }
    return complete;
}

static bool read_gmsh(FILE* file, phys_mesh* mesh) {
    uint32_t* places = phys_array(1 << 14, sizeof *places);
    const bool complete = read_gmsh_points(file, mesh, places) && read_gmsh_cells(file, mesh, places);
    free(places);
    return complete;
}

bool phys_shared_tets(const char* name, phys_mesh* mesh) {
    const char* path = test_data(name);
    *mesh = (phys_mesh){.corners = 4};
    if (path == NULL) {
        test_skip("shared data absent");
        return false;
    }
    FILE* file = fopen(path, "r");
    const bool complete = file != NULL && (strstr(name, ".msh") != NULL ? read_gmsh : read_vtk)(file, mesh);
    if (file != NULL) {
        fclose(file);
    }
    return CHECK(complete);
}

void phys_range(const phys_mesh* mesh, size_t axis, double* low, double* high) {
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t p = 0; p < mesh->point_count; p++) {
        *low = fmin(*low, mesh->points[3 * p + axis]);
        *high = fmax(*high, mesh->points[3 * p + axis]);
    }
}

void phys_scale(phys_mesh* mesh, double factor) {
    for (size_t i = 0; i < 3 * mesh->point_count; i++) {
        mesh->points[i] *= factor;
    }
}
