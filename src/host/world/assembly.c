/* A world's matrices, assembled on the host in the user's numbers. */
#define TAUT_REAL double
#include "kernels/stages/frames.h"

#include "base/memory.h"
#include "base/status.h"
#include "host/world/assembly_source.h"

#include <string.h>

/* ---- memory ----------------------------------------------------------------------------------------------------- */

void taut_assembly_destroy(taut_assembly* a) {
    if (a == NULL) {
        return;
    }
    const taut_allocator allocator = a->allocator;
    for (int i = 0; i < TAUT_MATRIX_COUNT; i++) {
        csr_close(&allocator, &a->matrices[i]);
    }
    for (int i = 0; i < TAUT_VECTOR_COUNT; i++) {
        taut_release(&allocator, a->vectors[i], (a->lengths[i] + 1) * sizeof(double));
    }
    taut_release(&allocator, a->blocks, (a->block_count + 1) * sizeof *a->blocks);
    taut_release(&allocator, a, sizeof *a);
}

/* ---- projection and vectors -------------------------------------------------------------------------------------- */

static taut_status fill_projection(const assembly_source* s, taut_assembly* a) {
    const size_t n = 3 * s->world->plan.sizes.nodes;
    csr* projection = &a->matrices[TAUT_MATRIX_P];
    const taut_status status = csr_open(&a->allocator, n, n, n, projection);
    for (size_t i = 0; status == TAUT_OK && i < n; i++) {
        projection->offsets[i + 1] = i + 1;
        projection->indices[i] = (uint32_t)i;
        projection->values[i] = s->world->plan.fields.inverse_mass[world_node(s->world, i / 3)] > 0 ? 1 : 0;
    }
    return status;
}

/* torque - omega x (I omega) */
static void add_frame_force(const assembly_source* s, size_t frame, const double torque[3], double out[3]) {
    const double* omega = s->graph.omega + 3 * frame;
    double inertia[6], momentum[3], gyroscopic[3];
    assembly_frame_inertia(s, frame, inertia);
    sym3_apply(inertia, omega, momentum);
    vec3_cross(omega, momentum, gyroscopic);
    vec3_axpy(1, torque, out);
    vec3_axpy(-1, gyroscopic, out);
}

/* What mapped points hand to the unknowns: the user's forces, gravity, and what their masses resist. */
static void add_mapped_forces(const assembly_source* s, double* out) {
    const taut_sizes* sizes = &s->world->plan.sizes;
    for (size_t n = sizes->simple; n < sizes->points; n++) {
        const graph_terms terms = graph_of(&s->graph, n);
        double force[3];
        outer_force(&s->world->plan.fields, n, s->world->plan.settings.gravity, force);
        vec3_axpy(1, s->forces + 3 * n, force);
        for (size_t t = 0; t < terms.count; t++) {
            for (int i = 0; i < 9; i++) {
                out[3 * (size_t)terms.terms[t].node + i % 3] += terms.terms[t].block[i / 3][i % 3] * force[i / 3];
            }
        }
    }
}

static void fill_forces(const assembly_source* s, double* out) {
    const taut_sizes* sizes = &s->world->plan.sizes;
    const taut_fields* f = &s->world->plan.fields;
    for (size_t n = 0; n < sizes->nodes; n++) {
        double* force = out + 3 * (size_t)s->graph.given[n];
        for (size_t a = 0; n < sizes->simple && a < 3; a++) {
            force[a] = f->mass[n] * s->world->plan.settings.gravity[a] + f->force[3 * n + a];
        }
        if (n < sizes->simple) {
            vec3_axpy(1, s->forces + 3 * n, force);
        }
        if (n >= sizes->points) {
            add_frame_force(s, n - sizes->points, f->force + 3 * n, force);
        }
    }
    add_mapped_forces(s, out);
}

static void fill_contact_rows(const assembly_source* s, taut_assembly* a) {
    const taut_sizes* sizes = &s->world->plan.sizes;
    for (size_t b = 0; b < a->block_count; b++) {
        const taut_block* block = &a->blocks[b];
        for (size_t r = 0; (block->kind == TAUT_CONTACT || block->kind == TAUT_ROLLING) && r < block->rows; r++) {
            const size_t row = sizes->first_row[block->kind] +
                               taut_unknown_place(sizes, sizes->contact_capacity, block->rows, s->where[b], r);
            a->vectors[TAUT_VECTOR_PHI][block->first_row + r] = s->world->plan.fields.phi[row];
            a->vectors[TAUT_VECTOR_LAM][block->first_row + r] = s->world->plan.fields.lam[row];
        }
    }
}

static taut_status fill_vectors(taut_world* world, const assembly_source* s, taut_assembly* a) {
    const size_t rows = taut_given_rows(&world->plan.sizes), n = 3 * world->plan.sizes.nodes;
    const size_t lengths[TAUT_VECTOR_COUNT] = {n, s->rows, s->rows, n};
    for (int i = 0; i < TAUT_VECTOR_COUNT; i++) {
        a->lengths[i] = lengths[i];
        a->vectors[i] = taut_allocate(&a->allocator, (lengths[i] + 1) * sizeof(double));
        if (a->vectors[i] == NULL) {
            return TAUT_OUT_OF_MEMORY;
        }
    }
    assembly_add_force_all(s);
    fill_forces(s, a->vectors[TAUT_VECTOR_F]);
    memset(s->forces, 0, 3 * world->plan.sizes.nodes * sizeof *s->forces);
    fill_contact_rows(s, a);
    double *phi = a->vectors[TAUT_VECTOR_PHI], *lam = a->vectors[TAUT_VECTOR_LAM], *v = a->vectors[TAUT_VECTOR_V];
    taut_status status = taut_world_read(world, TAUT_FIELD_VIOLATIONS, 0, rows, phi);
    status = status == TAUT_OK ? taut_world_read(world, TAUT_FIELD_MULTIPLIERS, 0, rows, lam) : status;
    status = status == TAUT_OK ? taut_world_read(world, TAUT_FIELD_VELOCITIES, 0, world->plan.sizes.points, v) : status;
    memcpy(v + 3 * world->plan.sizes.points, s->graph.omega, 3 * world->plan.sizes.frames * sizeof *v);
    return status;
}

/* ---- masses and compliances -------------------------------------------------------------------------------------- */

static size_t count_masses(const assembly_source* s) {
    const taut_sizes* sizes = &s->world->plan.sizes;
    size_t count = 3 * sizes->simple + 9 * sizes->frames;
    for (size_t n = sizes->simple; n < sizes->points; n++) {
        const size_t terms = graph_of(&s->graph, n).count;
        count += s->world->plan.fields.mass[n] > 0 ? 9 * terms * terms : 0;
    }
    return count;
}

static void list_masses(const assembly_source* s, entry_list* list) {
    const taut_sizes* sizes = &s->world->plan.sizes;
    const double* mass = s->world->plan.fields.mass;
    for (size_t given = 0; given < sizes->nodes; given++) {
        const size_t n = world_node(s->world, given);
        for (size_t a = 0; n < sizes->simple && a < 3; a++) {
            entries_add(list, 3 * given + a, 3 * given + a, mass[n]);
        }
        if (n >= sizes->points) {
            double inertia[6], block[3][3];
            assembly_frame_inertia(s, n - sizes->points, inertia);
            sym3_expand(inertia, block);
            assembly_add_square(list, given, given, (const double(*)[3])block);
        }
    }
    for (size_t n = sizes->simple; n < sizes->points; n++) {
        const double block[3][3] = {{mass[n], 0, 0}, {0, mass[n], 0}, {0, 0, mass[n]}};
        const graph_terms terms = graph_of(&s->graph, n);
        if (mass[n] > 0) {
            assembly_add_expanded(list, terms, block, terms);
        }
    }
}

static taut_status fill_masses(const assembly_source* s, taut_assembly* a) {
    const size_t n = 3 * s->world->plan.sizes.nodes;
    entry_list list;
    taut_status status = entries_open(&a->allocator, "M", count_masses(s), &list);
    if (status == TAUT_OK) {
        list_masses(s, &list);
        status = entries_merge(&a->allocator, &list, n, n, &a->matrices[TAUT_MATRIX_M]);
    }
    entries_close(&a->allocator, &list);
    return status;
}

static taut_status fill_compliance(const assembly_source* s, taut_assembly* a) {
    csr* matrix = &a->matrices[TAUT_MATRIX_C];
    size_t nonzeros = 0;
    for (size_t b = 0; b < a->block_count; b++) {
        nonzeros += (size_t)a->blocks[b].rows * a->blocks[b].rows;
    }
    const size_t m = s->rows;
    const taut_status status = csr_open(&a->allocator, m, m, nonzeros, matrix);
    size_t next = 0;
    for (size_t b = 0; status == TAUT_OK && b < a->block_count; b++) {
        const taut_block* block = &a->blocks[b];
        const double* packed = s->world->plan.fields.kinds[block->kind].compliance +
                               (size_t)taut_kind_shapes[block->kind].packed * s->where[b];
        for (uint32_t i = 0; i < block->rows * block->rows; i++, next++) {
            matrix->indices[next] = (uint32_t)(block->first_row + i % block->rows);
            matrix->values[next] = packed[packed_index(i / block->rows, i % block->rows)];
            matrix->offsets[block->first_row + i / block->rows + 1] = next + 1;
        }
    }
    if (status == TAUT_OK) {
        csr_fill_offsets(matrix);
    }
    return status;
}

/* ---- Jacobian ---------------------------------------------------------------------------------------------------- */

static size_t count_jacobian(const assembly_source* s, const taut_assembly* a) {
    const uint32_t* coordinates = s->world->plan.fields.linear_coordinate;
    size_t count = 0;
    for (size_t b = 0; b < a->block_count; b++) {
        for (uint32_t slot = 0; slot < taut_kind_shapes[a->blocks[b].kind].nodes; slot++) {
            count += 3 * a->blocks[b].rows * assembly_terms_of(s, a, b, slot).count;
        }
        if (a->blocks[b].kind == TAUT_LINEAR) {
            for (uint32_t e = assembly_linear_entries(s, b).begin; e < assembly_linear_entries(s, b).end; e++) {
                count += 3 * graph_of(&s->graph, coordinates[e] / 3).count;
            }
        }
    }
    return count;
}

/* Slots by ascending number of the user, so that rows of unknowns need no sorting. */
static void sort_slots(const assembly_source* s, const uint32_t* nodes, uint32_t count, uint32_t slots[6]) {
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = i;
        while (at > 0 && s->graph.given[nodes[slots[at - 1]]] > s->graph.given[nodes[i]]) {
            slots[at] = slots[at - 1];
            at--;
        }
        slots[at] = i;
    }
}

/* The part of one row at a node, through the mappings. */
static void add_row(size_t row, graph_terms terms, const double part[3], entry_list* list) {
    for (size_t t = 0; t < terms.count; t++) {
        double values[3];
        graph_row(part, &terms.terms[t], values);
        for (size_t a = 0; a < 3; a++) {
            entries_add(list, row, 3 * (size_t)terms.terms[t].node + a, values[a]);
        }
    }
}

static void list_block_rows(const assembly_source* s, const taut_assembly* a, size_t b, entry_list* list) {
    const taut_block* block = &a->blocks[b];
    const uint32_t *nodes = assembly_nodes_of(s, a, b), count = taut_kind_shapes[block->kind].nodes;
    constraint_matrices values;
    uint32_t slots[6] = {0};
    assembly_block_matrices(s, a, b, &values);
    sort_slots(s, nodes, count, slots);
    for (uint32_t r = 0; r < block->rows; r++) {
        for (uint32_t i = 0; i < count; i++) {
            add_row(block->first_row + r, assembly_terms_of(s, a, b, slots[i]), values.jacobian[r] + 3 * slots[i],
                    list);
        }
    }
}

/* A coordinate of an unknown has one entry, not those of its whole node. */
static void list_linear_row(const assembly_source* s, const taut_assembly* a, size_t b, entry_list* list) {
    const taut_fields* f = &s->world->plan.fields;
    if (is_absent(&f->kinds[TAUT_LINEAR], s->where[b])) {
        return;
    }
    for (uint32_t e = assembly_linear_entries(s, b).begin; e < assembly_linear_entries(s, b).end; e++) {
        const uint32_t node = f->linear_coordinate[e] / 3, axis = f->linear_coordinate[e] % 3;
        const graph_terms terms = graph_of(&s->graph, node);
        if (terms.count == 1 && terms.terms->unit) {
            entries_add(list, a->blocks[b].first_row, 3 * (size_t)terms.terms->node + axis, f->linear_weight[e]);
        } else {
            double part[3] = {0, 0, 0};
            part[axis] = f->linear_weight[e];
            add_row(a->blocks[b].first_row, terms, part, list);
        }
    }
}

static taut_status fill_jacobian(const assembly_source* s, taut_assembly* a) {
    const taut_sizes* sizes = &s->world->plan.sizes;
    entry_list list;
    taut_status status = entries_open(&a->allocator, "J", count_jacobian(s, a), &list);
    for (size_t b = 0; status == TAUT_OK && b < a->block_count; b++) {
        (a->blocks[b].kind == TAUT_LINEAR ? list_linear_row : list_block_rows)(s, a, b, &list);
    }
    if (status == TAUT_OK) {
        status = entries_merge(&a->allocator, &list, s->rows, 3 * sizes->nodes, &a->matrices[TAUT_MATRIX_J]);
    }
    entries_close(&a->allocator, &list);
    return status;
}

/* ---- the assembly ---------------------------------------------------------------------------------------------------
 */

static taut_status assemble(taut_world* world, size_t contacts, assembly_source* s, taut_assembly* a) {
    a->blocks = taut_allocate(&a->allocator, (a->block_count + 1) * sizeof *a->blocks);
    taut_status status =
        a->blocks != NULL ? assembly_source_open(world, a->block_count, contacts, s) : TAUT_OUT_OF_MEMORY;
    if (status == TAUT_OK) {
        assembly_list_blocks(world, s, a);
        status = fill_vectors(world, s, a);
    }
    taut_status (*const fills[])(const assembly_source*,
                                 taut_assembly*) = {fill_masses,        fill_projection,         fill_compliance,
                                                    fill_jacobian,      assembly_fill_stiffness, assembly_fill_tangents,
                                                    assembly_fill_gamma};
    for (size_t i = 0; status == TAUT_OK && i < sizeof fills / sizeof *fills; i++) {
        status = fills[i](s, a);
    }
    return status;
}

taut_status taut_assembly_create(taut_world* world, taut_assembly** assembly) {
    if (world == NULL || assembly == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "world and assembly must not be NULL.");
    }
    size_t contacts = 0;
    const taut_status ready = world_ready(world),
                      counted = ready == TAUT_OK ? assembly_count_contacts(world, &contacts) : ready;
    if (counted != TAUT_OK) {
        return counted;
    }
    taut_assembly* made = taut_allocate(&world->allocator, sizeof *made);
    if (made == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    assembly_source s = {0};
    made->allocator = world->allocator;
    made->block_count = assembly_count_blocks(world, contacts);
    const taut_status status = assemble(world, contacts, &s, made);
    assembly_source_close(&s);
    if (status != TAUT_OK) {
        taut_assembly_destroy(made);
        return status;
    }
    *assembly = made;
    return TAUT_OK;
}

/* ---- views ----------------------------------------------------------------------------------------------------------
 */

taut_status taut_assembly_matrix(const taut_assembly* assembly, taut_matrix matrix, taut_csr_view* view) {
    if (assembly == NULL || view == NULL || (unsigned)matrix >= TAUT_MATRIX_COUNT) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "assembly: matrix %d does not exist, or a pointer is NULL.",
                         (int)matrix);
    }
    const csr* m = &assembly->matrices[matrix];
    *view = (taut_csr_view){m->rows, m->columns, m->nonzeros, m->offsets, m->indices, m->values};
    return TAUT_OK;
}

taut_status taut_assembly_vector(const taut_assembly* assembly, taut_vector vector, taut_array* view) {
    if (assembly == NULL || view == NULL || (unsigned)vector >= TAUT_VECTOR_COUNT) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "assembly: vector %d does not exist, or a pointer is NULL.",
                         (int)vector);
    }
    *view = (taut_array){assembly->vectors[vector], TAUT_FLOAT64, assembly->lengths[vector], 1, sizeof(double), false};
    return TAUT_OK;
}

size_t taut_assembly_block_count(const taut_assembly* assembly) {
    return assembly != NULL ? assembly->block_count : 0;
}

taut_status taut_assembly_block_sized(const taut_assembly* assembly, size_t index, taut_block* block, size_t size) {
    if (assembly == NULL || block == NULL || index >= assembly->block_count) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "assembly: block %zu does not exist, or a pointer is NULL.", index);
    }
    taut_copy_sized(block, size, &assembly->blocks[index], sizeof *assembly->blocks);
    return TAUT_OK;
}

const char* taut_matrix_name(taut_matrix matrix) {
    static const char* const names[TAUT_MATRIX_COUNT] = {"M", "J", "C", "P", "G", "K", "Gamma"};
    return (unsigned)matrix < TAUT_MATRIX_COUNT ? names[matrix] : "unknown";
}

const char* taut_vector_name(taut_vector vector) {
    static const char* const names[TAUT_VECTOR_COUNT] = {"f", "phi", "lam", "v"};
    return (unsigned)vector < TAUT_VECTOR_COUNT ? names[vector] : "unknown";
}
