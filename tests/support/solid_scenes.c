#include "solid_scenes.h"

#include "force_scenes.h"
#include "phys_frames.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char* solid_element_name(solid_element element) {
    static const char* const rows[] = {"strain constraints", "strain rows as forces"};
    return element < SOLID_STRAIN ? taut_elasticity_name((taut_elasticity)element) : rows[element - SOLID_STRAIN];
}

void solid_add_elements(taut_scene* scene, const phys_mesh* mesh, solid_element element, double young, double poisson,
                        double damping) {
    if (element < SOLID_STRAIN) {
        force_solids(scene, mesh->cell_count, mesh->cells, (taut_elasticity)element, young, poisson, damping);
        return;
    }
    const taut_batch batch = phys_add_strain(scene, mesh, 1 / young, poisson, damping);
    if (element == SOLID_STRAIN_FORCES) {
        CHECK_OK(taut_scene_use_as_forces(scene, batch));
    }
}

taut_world* solid_small_world(taut_backend_kind backend, taut_scene* scene, const taut_integrator* integrator,
                              double gravity) {
    taut_world_def def = phys_world_def(backend, 1, 1);
    def.integrator = *integrator;
    def.gravity[1] = -gravity;
    def.solver.preconditioner = TAUT_PRECONDITIONER_JACOBI;
    return phys_world(scene, &def);
}

size_t solid_fix_side(taut_scene* scene, const phys_mesh* mesh, size_t axis, double at, double depth) {
    size_t count = 0;
    for (uint32_t p = 0; p < mesh->point_count; p++) {
        if (fabs(mesh->points[3 * p + axis] - at) <= depth) {
            phys_fix(scene, 1, &p);
            count++;
        }
    }
    return count;
}

void solid_apply_jacobian_transpose(taut_scene* scene, const phys_tuples* triangles, const double traction[3]) {
    taut_surface_def def = taut_default_surface();
    def.count = triangles->count;
    def.particles = triangles->items;
    memcpy(def.traction, traction, sizeof def.traction);
    CHECK_OK(taut_scene_add_surfaces(scene, &def, NULL));
}

void solid_face_displacement(taut_world* world, const phys_mesh* mesh, const phys_tuples* triangles, double u[3]) {
    double* x = phys_field(world, TAUT_FIELD_POSITIONS);
    const phys_mesh face = {mesh->point_count, mesh->points, triangles->count, 3, triangles->items};
    double area = 0;
    u[0] = u[1] = u[2] = 0;
    for (size_t c = 0; c < face.cell_count; c++) {
        const double size = phys_cell_size(&face, c);
        area += size;
        for (size_t k = 0; k < 3; k++) {
            const uint32_t p = face.cells[3 * c + k];
            phys_add(size / 3, x + 3 * p, u);
            phys_add(-size / 3, mesh->points + 3 * p, u);
        }
    }
    for (size_t a = 0; a < 3; a++) {
        u[a] /= area;
    }
    free(x);
}

/* forces += J^T lam */
static void add_constraint_forces(const taut_assembly* assembly, double* forces) {
    taut_csr_view j;
    taut_array lam;
    CHECK_OK(taut_assembly_matrix(assembly, TAUT_MATRIX_J, &j));
    CHECK_OK(taut_assembly_vector(assembly, TAUT_VECTOR_LAM, &lam));
    for (size_t row = 0; row < j.rows; row++) {
        for (size_t e = j.offsets[row]; e < j.offsets[row + 1]; e++) {
            forces[j.indices[e]] += j.values[e] * ((const double*)lam.data)[row];
        }
    }
}

solid_balance solid_balance_of(taut_world* world) {
    solid_balance balance = {0, 0, {0, 0, 0}};
    taut_assembly* assembly = NULL;
    taut_array f;
    taut_csr_view free_ones;
    CHECK_OK(taut_assembly_create(world, &assembly));
    CHECK_OK(taut_assembly_vector(assembly, TAUT_VECTOR_F, &f));
    CHECK_OK(taut_assembly_matrix(assembly, TAUT_MATRIX_P, &free_ones));
    double* forces = phys_array(f.rows, sizeof *forces);
    memcpy(forces, f.data, f.rows * sizeof *forces);
    add_constraint_forces(assembly, forces);
    for (size_t i = 0; i < f.rows; i++) {
        const bool is_free =
            free_ones.offsets[i + 1] > free_ones.offsets[i] && free_ones.values[free_ones.offsets[i]] > 0;
        if (is_free) {
            balance.worst = phys_worse(balance.worst, fabs(forces[i]));
            balance.sum += fabs(forces[i]);
        } else {
            balance.reaction[i % 3] -= forces[i];
        }
    }
    free(forces);
    taut_assembly_destroy(assembly);
    return balance;
}
