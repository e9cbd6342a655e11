/* A world's matrices, assembled on the host in the user's numbers. */
#define TAUT_REAL double
#include "kernels/stages/contact/collide.h"
#include "kernels/stages/force_rows.h"
#include "kernels/stages/frames.h"

#include "taut/assembly.h"

#include "base/memory.h"
#include "base/status.h"
#include "host/world/assembly_entries.h"
#include "host/world/assembly_graph.h"
#include "host/world/assembly_rows.h"
#include "host/world/world_data.h"

#include <string.h>

struct taut_assembly {
    taut_allocator allocator;
    csr matrices[TAUT_MATRIX_COUNT];
    double* vectors[TAUT_VECTOR_COUNT];
    size_t lengths[TAUT_VECTOR_COUNT];
    taut_block* blocks;
    size_t block_count;
};

/* What the assembly is made from, beside the plan. */
typedef struct source {
    const taut_world* world;
    assembly_graph graph;
    uint32_t* where; /* constraint inside, of each block */
    double* forces;  /* of constraints on nodes inside, x 3: of mapped points with what their children hand on */
    size_t bytes[2];
    size_t rows;       /* with those of contacts */
    size_t contacts;   /* of the last step, or of the linearisation */
    taut_factors step; /* that the stabilising part of the stiffness was assembled for */
} source;

/* ---- memory ----------------------------------------------------------------------------------------------------- */

static void source_close(source* s) {
    if (s->world == NULL) {
        return;
    }
    taut_release(&s->world->allocator, s->where, s->bytes[0]);
    taut_release(&s->world->allocator, s->forces, s->bytes[1]);
    graph_close(&s->graph);
}

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

/* ---- source ----------------------------------------------------------------------------------------------------- */

/* Rest values that move do so on the device; loads, and velocities that they depend on, are made there. */
static taut_status read_targets(taut_world* world) {
    const taut_sizes* s = &world->plan.sizes;
    taut_status status = world_refresh(world);
    if (status == TAUT_OK && s->loads) {
        status = world_download(world, world->plan.fields.v, 3 * s->nodes * sizeof(double));
    }
    for (int k = 0; status == TAUT_OK && k < TAUT_KIND_COUNT; k++) {
        const size_t values = s->count[k] * taut_kind_shapes[k].load;
        status = world_download(world, world->plan.fields.kinds[k].load, values * sizeof(double));
    }
    for (int k = 0; status == TAUT_OK && k < TAUT_KIND_COUNT; k++) {
        const size_t values = taut_kind_shapes[k].moves > 0 ? world->plan.sizes.count[k] * taut_kind_shapes[k].rest : 0;
        status = world_download(world, world->plan.fields.kinds[k].rest, values * sizeof(double));
    }
    return status;
}

static taut_status count_live(taut_world* world, size_t* count) {
    const taut_fields* f = &world->plan.fields;
    *count = 0;
    if (!world->plan.sizes.touches) {
        return TAUT_OK;
    }
    const taut_status status = world_download(world, f->contact_count, TAUT_CONTACT_COUNTS * sizeof *f->contact_count);
    *count = status == TAUT_OK ? f->contact_count[TAUT_CONTACTS_LIVE] : 0;
    return status;
}

/* What is made where the backend works: contacts and their couples. */
static taut_status read_contacts(taut_world* world, size_t count) {
    const taut_fields* f = &world->plan.fields;
    const taut_sizes* s = &world->plan.sizes;
    const size_t first = taut_given_rows(s);
    taut_status status = TAUT_OK;
    for (int k = TAUT_CONTACT; count > 0 && k <= TAUT_ROLLING; k++) {
        const taut_kind_shape* shape = &taut_kind_shapes[k];
        const size_t present = k == TAUT_ROLLING && !s->rolls ? 0 : count;
        const taut_kind_fields* kind = &f->kinds[k];
        status = status == TAUT_OK ? world_download(world, kind->nodes, present * shape->nodes * sizeof *kind->nodes)
                                   : status;
        status =
            status == TAUT_OK ? world_download(world, kind->rest, present * shape->rest * sizeof *kind->rest) : status;
        status = status == TAUT_OK
                     ? world_download(world, kind->compliance, present * shape->packed * sizeof *kind->compliance)
                     : status;
    }
    status = status == TAUT_OK ? world_download(world, f->phi + first, (s->rows - first) * sizeof *f->phi) : status;
    return status == TAUT_OK ? world_download(world, f->lam + first, (s->rows - first) * sizeof *f->lam) : status;
}

/* What the linearisation says of Gamma; one of any step where there is none, which leaves the state as it is. */
static taut_status read_stiffness(taut_world* world, source* s) {
    const taut_sizes* sizes = &world->plan.sizes;
    const taut_fields* f = &world->plan.fields;
    const double h = world->linear_h > 0 ? world->linear_h : 1;
    s->step = taut_step_factors(&world->plan.settings, h);
    if (world->linear_h == 0) {
        world->backend->assemble(world->state, h, TAUT_PHASE_STEP);
    }
    taut_status status = world_download(world, f->frame_block, 6 * sizes->frames * sizeof *f->frame_block);
    for (int k = 0; status == TAUT_OK && k < TAUT_KIND_COUNT; k++) {
        const size_t values = sizes->has_factor_rows[k] ? sizes->count[k] * taut_kind_shapes[k].stiffness : 0;
        status = world_download(world, f->kinds[k].stiffness, values * sizeof(float));
    }
    return status;
}

static taut_status source_open(taut_world* world, size_t blocks, size_t contacts, source* s) {
    const taut_sizes* sizes = &world->plan.sizes;
    *s = (source){.world = world,
                  .bytes = {(blocks + 1) * sizeof *s->where, 3 * sizes->nodes * sizeof *s->forces},
                  .contacts = contacts};
    s->rows = taut_given_rows(sizes) + contacts * (size_t)(taut_kind_shapes[TAUT_CONTACT].rows +
                                                           (sizes->rolls ? taut_kind_shapes[TAUT_ROLLING].rows : 0));
    s->where = taut_allocate(&world->allocator, s->bytes[0]);
    s->forces = taut_allocate(&world->allocator, s->bytes[1]);
    taut_status status = s->where != NULL && s->forces != NULL ? read_targets(world) : TAUT_OUT_OF_MEMORY;
    status = status == TAUT_OK ? read_contacts(world, contacts) : status;
    status = status == TAUT_OK ? read_stiffness(world, s) : status;
    if (status == TAUT_OK) {
        status = graph_open(world, &s->graph);
    }
    const size_t biases = sizes->simple < sizes->points ? 4 * sizes->nodes : 0;
    return status == TAUT_OK ? world_download(world, world->plan.fields.map_bias, biases * sizeof(double)) : status;
}

/* Whether constraint c of kind k acts at the node in `slot`: contacts have slots without use. */
static bool acts(const source* s, int k, size_t c, size_t slot) {
    return (k != TAUT_CONTACT && k != TAUT_ROLLING) || touching_acts(&s->world->plan.fields, (taut_kind)k, c, slot);
}

static void add_nodes(const source* s, taut_kind kind, size_t c, taut_block* block) {
    const taut_kind_shape* shape = &taut_kind_shapes[kind];
    const size_t points = s->world->plan.sizes.points;
    for (uint32_t slot = 0; slot < shape->nodes; slot++) {
        const uint32_t node = s->graph.given[s->world->plan.fields.kinds[kind].nodes[c * shape->nodes + slot]];
        if (!acts(s, kind, c, slot)) {
            continue;
        }
        if (shape->frames >> slot & 1) {
            block->frames[block->frame_count++] = node - (uint32_t)points;
        } else {
            block->particles[block->particle_count++] = node;
        }
    }
}

static taut_block make_block(const source* s, taut_kind kind, size_t batch, uint32_t constraint, size_t c) {
    const taut_kind_shape* shape = &taut_kind_shapes[kind];
    const size_t number = s->world->batches[batch].first + (size_t)constraint;
    taut_block block = {.kind = kind,
                        .batch = {(uint32_t)batch + 1},
                        .constraint = constraint,
                        .first_row = s->world->plan.sizes.first_row[kind] + number * shape->rows,
                        .rows = shape->rows,
                        .force = is_used_as_force(&s->world->plan.fields.kinds[kind], c)};
    add_nodes(s, kind, c, &block);
    return block;
}

/* They are in no batch, and follow all other rows. */
static taut_block contact_block(const source* s, taut_kind kind, size_t c) {
    const size_t given = taut_given_rows(&s->world->plan.sizes), rows = taut_kind_shapes[kind].rows;
    const size_t before = kind == TAUT_ROLLING ? s->contacts * taut_kind_shapes[TAUT_CONTACT].rows : 0;
    taut_block block = {
        .kind = kind, .constraint = (uint32_t)c, .first_row = given + before + rows * c, .rows = (uint32_t)rows};
    add_nodes(s, kind, c, &block);
    return block;
}

/* Blocks in the order of the rows: kinds, then batches in order of addition. */
static void list_blocks(const taut_world* world, const source* s, taut_assembly* a) {
    size_t next = 0;
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        for (size_t b = 0; taut_kind_shapes[k].rows > 0 && b < world->batch_count; b++) {
            const scene_batch* batch = &world->batches[b];
            for (uint32_t i = 0; (int)batch->kind == k && i < batch->count; i++, next++) {
                const size_t c = world_constraint(world, (taut_kind)k, batch->first + (size_t)i);
                a->blocks[next] = make_block(s, (taut_kind)k, b, i, c);
                s->where[next] = (uint32_t)c;
            }
        }
    }
    for (int k = TAUT_CONTACT; k <= (world->plan.sizes.rolls ? TAUT_ROLLING : TAUT_CONTACT); k++) {
        for (size_t c = 0; c < s->contacts; c++, next++) {
            a->blocks[next] = contact_block(s, (taut_kind)k, c);
            s->where[next] = (uint32_t)c;
        }
    }
}

/* ---- one constraint ---------------------------------------------------------------------------------------------- */

static const uint32_t* nodes_of(const source* s, const taut_assembly* a, size_t b) {
    const taut_kind kind = a->blocks[b].kind;
    return s->world->plan.fields.kinds[kind].nodes + (size_t)s->where[b] * taut_kind_shapes[kind].nodes;
}

/* What the node in a slot of block b is made of; nothing where the slot is without use. */
static graph_terms terms_of(const source* s, const taut_assembly* a, size_t b, size_t slot) {
    const bool used = acts(s, a->blocks[b].kind, s->where[b], slot);
    return used ? graph_of(&s->graph, nodes_of(s, a, b)[slot]) : (graph_terms){NULL, 0};
}

static void block_matrices(const source* s, const taut_assembly* a, size_t b, constraint_matrices* out) {
    const taut_block* block = &a->blocks[b];
    const taut_kind_shape* shape = &taut_kind_shapes[block->kind];
    double x[4 * 6];
    graph_state(&s->graph, block->kind, s->where[b], x);
    const double* rest = s->world->plan.fields.kinds[block->kind].rest + (size_t)shape->rest * s->where[b];
    assembly_rows(block->kind, x, rest, a->vectors[TAUT_VECTOR_LAM] + block->first_row, out);
}

/* Entries of a linear row. */
typedef struct linear_span {
    uint32_t begin, end;
} linear_span;

static linear_span linear_entries(const source* s, size_t b) {
    const uint32_t* begin = s->world->plan.fields.linear_begin + s->where[b];
    return (linear_span){begin[0], begin[1]};
}

/* ---- projection and vectors -------------------------------------------------------------------------------------- */

static taut_status fill_projection(const source* s, taut_assembly* a) {
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

static void frame_inertia(const source* s, size_t frame, double out[6]) {
    world_inertia(s->graph.orientation + 4 * frame, s->world->plan.fields.inertia + 6 * frame, out);
}

/* torque - omega x (I omega) */
static void add_frame_force(const source* s, size_t frame, const double torque[3], double out[3]) {
    const double* omega = s->graph.omega + 3 * frame;
    double inertia[6], momentum[3], gyroscopic[3];
    frame_inertia(s, frame, inertia);
    sym3_apply(inertia, omega, momentum);
    vec3_cross(omega, momentum, gyroscopic);
    vec3_axpy(1, torque, out);
    vec3_axpy(-1, gyroscopic, out);
}

/* forces = those of force elements on each node. */
static void add_force_all(const source* s) {
    const taut_sizes* sizes = &s->world->plan.sizes;
    memset(s->forces, 0, 3 * sizes->nodes * sizeof *s->forces);
    for (int k = TAUT_FIRST_LOAD_KIND; is_load_kind(k); k++) {
        const taut_kind_fields* f = &s->world->plan.fields.kinds[k];
        const size_t nodes = taut_kind_shapes[k].nodes, values = taut_kind_shapes[k].load;
        for (size_t i = 0; i < nodes * sizes->count[k]; i++) {
            assembly_add_force((taut_kind)k, f->load + values * (i / nodes), (int)(i % nodes),
                               s->forces + 3 * (size_t)f->nodes[i]);
        }
    }
}

/* What mapped points hand to the unknowns: the user's forces, gravity, and what their masses resist. */
static void add_mapped_forces(const source* s, double* out) {
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

static void fill_forces(const source* s, double* out) {
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

static void fill_contact_rows(const source* s, taut_assembly* a) {
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

static taut_status fill_vectors(taut_world* world, const source* s, taut_assembly* a) {
    const size_t rows = taut_given_rows(&world->plan.sizes), n = 3 * world->plan.sizes.nodes;
    const size_t lengths[TAUT_VECTOR_COUNT] = {n, s->rows, s->rows, n};
    for (int i = 0; i < TAUT_VECTOR_COUNT; i++) {
        a->lengths[i] = lengths[i];
        a->vectors[i] = taut_allocate(&a->allocator, (lengths[i] + 1) * sizeof(double));
        if (a->vectors[i] == NULL) {
            return TAUT_OUT_OF_MEMORY;
        }
    }
    add_force_all(s);
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

static void add_square(entry_list* list, size_t row_node, size_t column_node, const double m[3][3]) {
    for (size_t i = 0; i < 9; i++) {
        entries_add(list, 3 * row_node + i / 3, 3 * column_node + i % 3, m[i / 3][i % 3]);
    }
}

/* All pairs of terms of two nodes: left^T m right. */
static void add_expanded(entry_list* list, graph_terms left, const double m[3][3], graph_terms right) {
    for (size_t i = 0; i < left.count; i++) {
        for (size_t j = 0; j < right.count; j++) {
            double block[3][3];
            graph_sandwich(&left.terms[i], m, &right.terms[j], block);
            add_square(list, left.terms[i].node, right.terms[j].node, (const double(*)[3])block);
        }
    }
}

static size_t count_masses(const source* s) {
    const taut_sizes* sizes = &s->world->plan.sizes;
    size_t count = 3 * sizes->simple + 9 * sizes->frames;
    for (size_t n = sizes->simple; n < sizes->points; n++) {
        const size_t terms = graph_of(&s->graph, n).count;
        count += s->world->plan.fields.mass[n] > 0 ? 9 * terms * terms : 0;
    }
    return count;
}

static void list_masses(const source* s, entry_list* list) {
    const taut_sizes* sizes = &s->world->plan.sizes;
    const double* mass = s->world->plan.fields.mass;
    for (size_t given = 0; given < sizes->nodes; given++) {
        const size_t n = world_node(s->world, given);
        for (size_t a = 0; n < sizes->simple && a < 3; a++) {
            entries_add(list, 3 * given + a, 3 * given + a, mass[n]);
        }
        if (n >= sizes->points) {
            double inertia[6], block[3][3];
            frame_inertia(s, n - sizes->points, inertia);
            sym3_expand(inertia, block);
            add_square(list, given, given, (const double(*)[3])block);
        }
    }
    for (size_t n = sizes->simple; n < sizes->points; n++) {
        const double block[3][3] = {{mass[n], 0, 0}, {0, mass[n], 0}, {0, 0, mass[n]}};
        const graph_terms terms = graph_of(&s->graph, n);
        if (mass[n] > 0) {
            add_expanded(list, terms, block, terms);
        }
    }
}

static taut_status fill_masses(const source* s, taut_assembly* a) {
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

static taut_status fill_compliance(const source* s, taut_assembly* a) {
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
    return status;
}

/* ---- Jacobian ---------------------------------------------------------------------------------------------------- */

static size_t count_jacobian(const source* s, const taut_assembly* a) {
    const uint32_t* coordinates = s->world->plan.fields.linear_coordinate;
    size_t count = 0;
    for (size_t b = 0; b < a->block_count; b++) {
        for (uint32_t slot = 0; slot < taut_kind_shapes[a->blocks[b].kind].nodes; slot++) {
            count += 3 * a->blocks[b].rows * terms_of(s, a, b, slot).count;
        }
        if (a->blocks[b].kind == TAUT_LINEAR) {
            for (uint32_t e = linear_entries(s, b).begin; e < linear_entries(s, b).end; e++) {
                count += 3 * graph_of(&s->graph, coordinates[e] / 3).count;
            }
        }
    }
    return count;
}

/* Slots by ascending number of the user, so that rows of unknowns need no sorting. */
static void sort_slots(const source* s, const uint32_t* nodes, uint32_t count, uint32_t slots[6]) {
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

static void list_block_rows(const source* s, const taut_assembly* a, size_t b, entry_list* list) {
    const taut_block* block = &a->blocks[b];
    const uint32_t *nodes = nodes_of(s, a, b), count = taut_kind_shapes[block->kind].nodes;
    constraint_matrices values;
    uint32_t slots[6] = {0};
    block_matrices(s, a, b, &values);
    sort_slots(s, nodes, count, slots);
    for (uint32_t r = 0; r < block->rows; r++) {
        for (uint32_t i = 0; i < count; i++) {
            add_row(block->first_row + r, terms_of(s, a, b, slots[i]), values.jacobian[r] + 3 * slots[i], list);
        }
    }
}

/* A coordinate of an unknown has one entry, not those of its whole node. */
static void list_linear_row(const source* s, const taut_assembly* a, size_t b, entry_list* list) {
    const taut_fields* f = &s->world->plan.fields;
    for (uint32_t e = linear_entries(s, b).begin; e < linear_entries(s, b).end; e++) {
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

static taut_status fill_jacobian(const source* s, taut_assembly* a) {
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

/* ---- geometric stiffness ----------------------------------------------------------------------------------------- */
/* d(J^T lam)/dq = sum over constraints of Jm^T Gc Jm, and over entries of mapped points, for the force F that J^T lam
 * puts on the point, of Jp^T (dJe^T F / dp) Jp with p its parent. */

static size_t count_stiffness(const source* s, const taut_assembly* a) {
    const taut_fields* f = &s->world->plan.fields;
    size_t count = 0;
    for (size_t b = 0; b < a->block_count; b++) {
        size_t terms = 0;
        for (uint32_t slot = 0; slot < taut_kind_shapes[a->blocks[b].kind].nodes; slot++) {
            terms += terms_of(s, a, b, slot).count;
        }
        count += 9 * terms * terms;
    }
    for (size_t e = 0; e < s->world->plan.sizes.map_entries; e++) {
        const size_t terms = graph_of(&s->graph, f->map_parent[e]).count;
        count += 9 * terms * terms;
    }
    return count;
}

/* forces += J^T lam of one block, without mappings. */
static void add_block_forces(const source* s, const taut_assembly* a, size_t b, const constraint_matrices* values) {
    const taut_block* block = &a->blocks[b];
    const double* lam = a->vectors[TAUT_VECTOR_LAM] + block->first_row;
    for (uint32_t slot = 0; slot < taut_kind_shapes[block->kind].nodes; slot++) {
        for (uint32_t i = 0; acts(s, block->kind, s->where[b], slot) && i < 3 * block->rows; i++) {
            s->forces[3 * (size_t)nodes_of(s, a, b)[slot] + i % 3] +=
                lam[i / 3] * values->jacobian[i / 3][3 * slot + i % 3];
        }
    }
}

static void add_linear_forces(const source* s, const taut_assembly* a, size_t b) {
    const taut_fields* f = &s->world->plan.fields;
    for (uint32_t e = linear_entries(s, b).begin; e < linear_entries(s, b).end; e++) {
        s->forces[f->linear_coordinate[e]] += f->linear_weight[e] * a->vectors[TAUT_VECTOR_LAM][a->blocks[b].first_row];
    }
}

static void list_block_stiffness(const source* s, const taut_assembly* a, size_t b, entry_list* list) {
    const uint32_t count = taut_kind_shapes[a->blocks[b].kind].nodes;
    constraint_matrices values;
    block_matrices(s, a, b, &values);
    add_block_forces(s, a, b, &values);
    for (uint32_t i = 0; i < count * count; i++) {
        const uint32_t row = i / count, column = i % count;
        double block[3][3];
        for (uint32_t k = 0; k < 9; k++) {
            block[k / 3][k % 3] = values.curvature[3 * row + k / 3][3 * column + k % 3];
        }
        add_expanded(list, terms_of(s, a, b, row), (const double(*)[3])block, terms_of(s, a, b, column));
    }
}

static void list_mapping_stiffness(const source* s, entry_list* list) {
    const taut_fields* f = &s->world->plan.fields;
    for (size_t e = 0; e < s->world->plan.sizes.map_entries; e++) {
        const graph_terms parent = graph_of(&s->graph, f->map_parent[e]);
        double block[3][3];
        if (graph_curvature(&s->graph, e, s->forces + 3 * (size_t)f->map_child[e], block)) {
            add_expanded(list, parent, (const double(*)[3])block, parent);
        }
    }
}

static taut_status fill_stiffness(const source* s, taut_assembly* a) {
    const size_t n = 3 * s->world->plan.sizes.nodes;
    entry_list list;
    taut_status status = entries_open(&a->allocator, "G", count_stiffness(s, a), &list);
    for (size_t b = 0; status == TAUT_OK && b < a->block_count; b++) {
        if (a->blocks[b].kind == TAUT_LINEAR) {
            add_linear_forces(s, a, b);
        } else {
            list_block_stiffness(s, a, b, &list);
        }
    }
    if (status == TAUT_OK) {
        graph_apply_jacobian_transpose_mapped(&s->graph, s->forces);
        list_mapping_stiffness(s, &list);
        status = entries_merge(&a->allocator, &list, n, n, &a->matrices[TAUT_MATRIX_G]);
    }
    entries_close(&a->allocator, &list);
    return status;
}

/* ---- the stabilising part of the geometric stiffness ---------------------------------------------------------------
 */
/* Gamma = sum R^T R of the factors in A, which contain sqrt(factor_scale), and the blocks of frames. */

static bool has_gamma(const source* s, int k) {
    return s->world->plan.sizes.has_factor_rows[k] && k != TAUT_INERTIA && !is_load_kind(k);
}

/* Lh^T Lh over Gamma, of constraint c of kind k; 0 where A has none of it. */
static double gamma_scale(const source* s, int k, size_t c) {
    const bool force = is_used_as_force(&s->world->plan.fields.kinds[k], c);
    return s->step.explicit_factor_rows ? 0 : s->step.factor_scale[force ? TAUT_LAW_FORCE : TAUT_LAW_CONSTRAINT];
}

static size_t count_gamma(const source* s) {
    const taut_sizes* sizes = &s->world->plan.sizes;
    size_t count = 9 * sizes->frames;
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        const size_t nodes = taut_kind_shapes[k].nodes;
        for (size_t c = 0; has_gamma(s, k) && c < sizes->count[k]; c++) {
            size_t terms = 0;
            for (size_t slot = 0; slot < nodes; slot++) {
                terms += graph_of(&s->graph, s->world->plan.fields.kinds[k].nodes[nodes * c + slot]).count;
            }
            count += 9 * terms * terms;
        }
    }
    return count;
}

static void list_gamma(const source* s, int k, size_t c, entry_list* list) {
    const taut_kind_fields* f = &s->world->plan.fields.kinds[k];
    const taut_kind_shape* shape = &taut_kind_shapes[k];
    const double scale = gamma_scale(s, k, c);
    double x[4 * 6], gamma[18][18];
    graph_state(&s->graph, (taut_kind)k, c, x);
    assembly_gamma((taut_kind)k, x, f->rest + shape->rest * c, f->stiffness + (size_t)shape->stiffness * c, gamma);
    for (uint32_t i = 0; scale > 0 && i < shape->nodes * shape->nodes; i++) {
        const uint32_t row = i / shape->nodes, column = i % shape->nodes;
        double block[3][3];
        for (uint32_t e = 0; e < 9; e++) {
            block[e / 3][e % 3] = gamma[3 * row + e / 3][3 * column + e % 3] / scale;
        }
        add_expanded(list, graph_of(&s->graph, f->nodes[c * shape->nodes + row]), (const double(*)[3])block,
                     graph_of(&s->graph, f->nodes[c * shape->nodes + column]));
    }
}

static void list_gamma_of_frame(const source* s, size_t frame, entry_list* list) {
    const size_t node = s->graph.given[s->world->plan.sizes.points + frame];
    const double scale = s->step.explicit_factor_rows ? 0 : s->step.factor_scale[TAUT_LAW_CONSTRAINT];
    double gamma[6], block[3][3];
    frame_inertia(s, frame, gamma);
    for (int i = 0; i < 6; i++) {
        gamma[i] = (s->world->plan.fields.frame_block[6 * frame + i] - s->step.inertia * gamma[i]) / scale;
    }
    sym3_expand(gamma, block);
    if (scale > 0) {
        add_square(list, node, node, (const double(*)[3])block);
    }
}

static taut_status fill_gamma(const source* s, taut_assembly* a) {
    const taut_sizes* sizes = &s->world->plan.sizes;
    entry_list list;
    taut_status status = entries_open(&a->allocator, "Gamma", count_gamma(s), &list);
    for (int k = 0; status == TAUT_OK && k < TAUT_KIND_COUNT; k++) {
        for (size_t c = 0; has_gamma(s, k) && c < sizes->count[k]; c++) {
            list_gamma(s, k, c, &list);
        }
    }
    for (size_t i = 0; status == TAUT_OK && i < sizes->frames; i++) {
        list_gamma_of_frame(s, i, &list);
    }
    if (status == TAUT_OK) {
        status =
            entries_merge(&a->allocator, &list, 3 * sizes->nodes, 3 * sizes->nodes, &a->matrices[TAUT_MATRIX_GAMMA]);
    }
    entries_close(&a->allocator, &list);
    return status;
}

/* ---- stiffness of force elements --------------------------------------------------------------------------------- */

static size_t count_tangents(const source* s) {
    const taut_fields* f = &s->world->plan.fields;
    size_t count = 0;
    for (int k = TAUT_FIRST_LOAD_KIND; is_load_kind(k); k++) {
        const size_t nodes = taut_kind_shapes[k].nodes;
        for (size_t c = 0; c < s->world->plan.sizes.count[k]; c++) {
            size_t terms = 0;
            for (size_t slot = 0; slot < nodes; slot++) {
                terms += graph_of(&s->graph, f->kinds[k].nodes[nodes * c + slot]).count;
            }
            count += 9 * terms * terms;
        }
    }
    for (size_t e = 0; e < s->world->plan.sizes.map_entries; e++) {
        const size_t terms = graph_of(&s->graph, f->map_parent[e]).count;
        count += 9 * terms * terms;
    }
    return count;
}

static void list_tangent(const source* s, int k, size_t c, entry_list* list) {
    const taut_fields* f = &s->world->plan.fields;
    const taut_kind_shape* shape = &taut_kind_shapes[k];
    const uint32_t* nodes = f->kinds[k].nodes + shape->nodes * c;
    double x[12], v[12], tangent[12][12], block[3][3];
    graph_state(&s->graph, (taut_kind)k, c, x);
    for (size_t i = 0; i < 3 * (size_t)shape->nodes; i++) {
        v[i] = f->v[3 * (size_t)nodes[i / 3] + i % 3];
    }
    assembly_tangent((taut_kind)k, x, v, f->kinds[k].rest + shape->rest * c, tangent);
    for (uint32_t i = 0; i < shape->nodes * shape->nodes; i++) {
        const uint32_t row = i / shape->nodes, column = i % shape->nodes;
        for (uint32_t e = 0; e < 9; e++) {
            block[e / 3][e % 3] = tangent[3 * row + e / 3][3 * column + e % 3];
        }
        add_expanded(list, graph_of(&s->graph, nodes[row]), (const double(*)[3])block,
                     graph_of(&s->graph, nodes[column]));
    }
}

static taut_status fill_tangents(const source* s, taut_assembly* a) {
    const taut_sizes* sizes = &s->world->plan.sizes;
    entry_list list;
    taut_status status = entries_open(&a->allocator, "K", sizes->loads ? count_tangents(s) : 0, &list);
    for (int k = TAUT_FIRST_LOAD_KIND; status == TAUT_OK && is_load_kind(k); k++) {
        for (size_t c = 0; c < sizes->count[k]; c++) {
            list_tangent(s, k, c, &list);
        }
    }
    if (status == TAUT_OK && sizes->loads) {
        add_force_all(s);
        graph_apply_jacobian_transpose_mapped(&s->graph, s->forces);
        list_mapping_stiffness(s, &list);
    }
    if (status == TAUT_OK) {
        status = entries_merge(&a->allocator, &list, 3 * sizes->nodes, 3 * sizes->nodes, &a->matrices[TAUT_MATRIX_K]);
    }
    entries_close(&a->allocator, &list);
    return status;
}

/* ---- the assembly ---------------------------------------------------------------------------------------------------
 */

static taut_status assemble(taut_world* world, size_t contacts, source* s, taut_assembly* a) {
    a->blocks = taut_allocate(&a->allocator, (a->block_count + 1) * sizeof *a->blocks);
    taut_status status = a->blocks != NULL ? source_open(world, a->block_count, contacts, s) : TAUT_OUT_OF_MEMORY;
    if (status == TAUT_OK) {
        list_blocks(world, s, a);
        status = fill_vectors(world, s, a);
    }
    taut_status (*const fills[])(const source*, taut_assembly*) = {
        fill_masses, fill_projection, fill_compliance, fill_jacobian, fill_stiffness, fill_tangents, fill_gamma};
    for (size_t i = 0; status == TAUT_OK && i < sizeof fills / sizeof *fills; i++) {
        status = fills[i](s, a);
    }
    return status;
}

taut_status taut_assembly_create(taut_world* world, taut_assembly** assembly) {
    if (world == NULL || assembly == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "taut_assembly_create: world and assembly must not be NULL.");
    }
    size_t contacts = 0;
    const taut_status ready = world_ready(world), counted = ready == TAUT_OK ? count_live(world, &contacts) : ready;
    if (counted != TAUT_OK) {
        return counted;
    }
    taut_assembly* made = taut_allocate(&world->allocator, sizeof *made);
    if (made == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    source s = {0};
    made->allocator = world->allocator;
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        const bool contact = k == TAUT_CONTACT || k == TAUT_ROLLING;
        made->block_count += taut_kind_shapes[k].rows > 0 && !contact ? world->plan.sizes.count[k] : 0;
    }
    made->block_count += contacts * (world->plan.sizes.rolls ? 2 : 1);
    const taut_status status = assemble(world, contacts, &s, made);
    source_close(&s);
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
