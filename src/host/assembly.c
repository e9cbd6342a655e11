/* A world's matrices, assembled on the host in the user's numbers. */
#define TAUT_REAL double
#include "kernels/stages/items.h"

#include "taut/assembly.h"

#include "host/assembly_rows.h"
#include "host/status.h"
#include "host/world.h"

#include <string.h>

typedef struct csr {
    size_t rows, columns, nonzeros;
    size_t* offsets;
    uint32_t* indices;
    double* values;
} csr;

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
    double* x;       /* positions of the user's particles */
    uint32_t* given; /* the user's number of each particle */
    uint32_t* where; /* constraint inside, of each block */
    size_t bytes[3];
} source;

/* ---- memory ----------------------------------------------------------------------------------------------------- */

static taut_status csr_open(const taut_allocator* allocator, size_t rows, size_t columns, size_t nonzeros, csr* out) {
    *out = (csr){.rows = rows, .columns = columns, .nonzeros = nonzeros};
    out->offsets = taut_allocate(allocator, (rows + 1) * sizeof *out->offsets);
    out->indices = taut_allocate(allocator, (nonzeros + 1) * sizeof *out->indices);
    out->values = taut_allocate(allocator, (nonzeros + 1) * sizeof *out->values);
    return out->offsets != NULL && out->indices != NULL && out->values != NULL ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

static void csr_close(const taut_allocator* allocator, csr* matrix) {
    taut_release(allocator, matrix->offsets, (matrix->rows + 1) * sizeof *matrix->offsets);
    taut_release(allocator, matrix->indices, (matrix->nonzeros + 1) * sizeof *matrix->indices);
    taut_release(allocator, matrix->values, (matrix->nonzeros + 1) * sizeof *matrix->values);
}

static void source_close(const taut_allocator* allocator, source* s) {
    taut_release(allocator, s->x, s->bytes[0]);
    taut_release(allocator, s->given, s->bytes[1]);
    taut_release(allocator, s->where, s->bytes[2]);
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

static taut_status source_open(taut_world* world, size_t blocks, source* s) {
    const size_t nodes = world->plan.sizes.nodes;
    *s = (source){.world = world,
                  .bytes = {3 * nodes * sizeof(double), nodes * sizeof(uint32_t), (blocks + 1) * sizeof(uint32_t)}};
    s->x = taut_allocate(&world->allocator, s->bytes[0]);
    s->given = taut_allocate(&world->allocator, s->bytes[1]);
    s->where = taut_allocate(&world->allocator, s->bytes[2]);
    if (s->x == NULL || s->given == NULL || s->where == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    for (size_t n = 0; n < nodes; n++) {
        s->given[world_node(world, n)] = (uint32_t)n;
    }
    const taut_kind_fields* targets = &world->plan.fields.kinds[TAUT_TARGET]; /* which move on the device */
    const taut_status status =
        world_download(world, targets->rest, 3 * world->plan.sizes.count[TAUT_TARGET] * sizeof(double));
    return status == TAUT_OK ? taut_world_read(world, TAUT_FIELD_POSITIONS, 0, nodes, s->x) : status;
}

/* Blocks in the order of the rows: kinds, then batches in order of addition. */
static void list_blocks(const taut_world* world, const source* s, taut_assembly* a) {
    const taut_sizes* sizes = &world->plan.sizes;
    size_t next = 0;
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        const taut_kind_shape* shape = &taut_kind_shapes[k];
        for (size_t b = 0; b < world->batch_count; b++) {
            const scene_batch* batch = &world->batches[b];
            for (uint32_t i = 0; (int)batch->kind == k && i < batch->count; i++, next++) {
                taut_block* block = &a->blocks[next];
                const size_t c = world_constraint(world, (taut_kind)k, batch->first + i);
                *block = (taut_block){.kind = (taut_kind)k,
                                      .batch = {(uint32_t)b + 1},
                                      .constraint = i,
                                      .first_row = sizes->first_row[k] + (batch->first + i) * (size_t)shape->rows,
                                      .rows = shape->rows,
                                      .particle_count = shape->nodes};
                for (uint32_t slot = 0; slot < shape->nodes; slot++) {
                    block->particles[slot] = s->given[world->plan.fields.kinds[k].nodes[c * shape->nodes + slot]];
                }
                s->where[next] = (uint32_t)c;
            }
        }
    }
}

/* ---- diagonal matrices and vectors --------------------------------------------------------------------------------
 */

static taut_status fill_diagonals(const source* s, taut_assembly* a) {
    const taut_fields* f = &s->world->plan.fields;
    const size_t n = 3 * s->world->plan.sizes.nodes;
    csr *mass = &a->matrices[TAUT_MATRIX_M], *projection = &a->matrices[TAUT_MATRIX_P];
    taut_status status = csr_open(&a->allocator, n, n, n, mass);
    if (status == TAUT_OK) {
        status = csr_open(&a->allocator, n, n, n, projection);
    }
    for (size_t i = 0; status == TAUT_OK && i < n; i++) {
        const size_t node = world_node(s->world, i / 3);
        mass->offsets[i + 1] = projection->offsets[i + 1] = i + 1;
        mass->indices[i] = projection->indices[i] = (uint32_t)i;
        mass->values[i] = f->mass[node];
        projection->values[i] = f->inverse_mass[node] > 0 ? 1 : 0;
    }
    return status;
}

static taut_status fill_vectors(taut_world* world, taut_assembly* a) {
    const taut_fields* f = &world->plan.fields;
    const size_t lengths[TAUT_VECTOR_COUNT] = {3 * world->plan.sizes.nodes, world->plan.sizes.rows,
                                               world->plan.sizes.rows};
    for (int i = 0; i < TAUT_VECTOR_COUNT; i++) {
        a->lengths[i] = lengths[i];
        a->vectors[i] = taut_allocate(&a->allocator, (lengths[i] + 1) * sizeof(double));
        if (a->vectors[i] == NULL) {
            return TAUT_OUT_OF_MEMORY;
        }
    }
    for (size_t i = 0; i < lengths[TAUT_VECTOR_F]; i++) {
        const size_t node = world_node(world, i / 3);
        a->vectors[TAUT_VECTOR_F][i] = f->mass[node] * world->plan.settings.gravity[i % 3] + f->force[3 * node + i % 3];
    }
    const size_t rows = world->plan.sizes.rows;
    const taut_status status = taut_world_read(world, TAUT_FIELD_VIOLATIONS, 0, rows, a->vectors[TAUT_VECTOR_PHI]);
    return status == TAUT_OK ? taut_world_read(world, TAUT_FIELD_MULTIPLIERS, 0, rows, a->vectors[TAUT_VECTOR_LAM])
                             : status;
}

static taut_status fill_compliance(const source* s, taut_assembly* a) {
    csr* matrix = &a->matrices[TAUT_MATRIX_C];
    size_t nonzeros = 0;
    for (size_t b = 0; b < a->block_count; b++) {
        nonzeros += (size_t)a->blocks[b].rows * a->blocks[b].rows;
    }
    const size_t m = s->world->plan.sizes.rows;
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

/* ---- Jacobian and geometric stiffness -----------------------------------------------------------------------------
 */

static void block_matrices(const source* s, const taut_assembly* a, size_t b, constraint_matrices* out) {
    const taut_block* block = &a->blocks[b];
    const taut_kind_shape* shape = &taut_kind_shapes[block->kind];
    double x[4][3] = {{0}};
    for (uint32_t i = 0; i < 12 && i < 3 * block->particle_count; i++) {
        x[i / 3][i % 3] = s->x[3 * (size_t)block->particles[i / 3] + i % 3];
    }
    const double* rest = s->world->plan.fields.kinds[block->kind].rest + (size_t)shape->rest * s->where[b];
    assembly_rows(block->kind, x[0], rest, a->vectors[TAUT_VECTOR_LAM] + block->first_row, out);
}

/* Slots of a block by ascending particle. */
static void sort_slots(const taut_block* block, uint32_t slots[4]) {
    for (uint32_t i = 0; i < block->particle_count; i++) {
        uint32_t at = i;
        while (at > 0 && block->particles[slots[at - 1]] > block->particles[i]) {
            slots[at] = slots[at - 1];
            at--;
        }
        slots[at] = i;
    }
}

static void block_rows(const source* s, const taut_assembly* a, size_t b, csr* matrix, size_t* next) {
    const taut_block* block = &a->blocks[b];
    constraint_matrices values;
    uint32_t slots[4] = {0};
    block_matrices(s, a, b, &values);
    sort_slots(block, slots);
    for (uint32_t r = 0; r < block->rows; r++) {
        for (uint32_t i = 0; i < 3 * block->particle_count; i++, (*next)++) {
            matrix->indices[*next] = 3 * block->particles[slots[i / 3]] + i % 3;
            matrix->values[*next] = values.jacobian[r][3 * slots[i / 3] + i % 3];
        }
        matrix->offsets[block->first_row + r + 1] = *next;
    }
}

/* The entries of a linear row, by insertion: rows are short. */
static void linear_row(const source* s, const taut_assembly* a, size_t b, csr* matrix, size_t* next) {
    const taut_fields* f = &s->world->plan.fields;
    const size_t begin = *next;
    for (uint32_t e = f->linear_begin[s->where[b]]; e < f->linear_begin[s->where[b] + 1]; e++) {
        const uint32_t column = 3 * s->given[f->linear_coordinate[e] / 3] + f->linear_coordinate[e] % 3;
        size_t at = (*next)++;
        for (; at > begin && matrix->indices[at - 1] > column; at--) {
            matrix->indices[at] = matrix->indices[at - 1];
            matrix->values[at] = matrix->values[at - 1];
        }
        matrix->indices[at] = column;
        matrix->values[at] = f->linear_weight[e];
    }
    matrix->offsets[a->blocks[b].first_row + 1] = *next;
}

static taut_status fill_jacobian(const source* s, taut_assembly* a) {
    const taut_sizes* sizes = &s->world->plan.sizes;
    csr* matrix = &a->matrices[TAUT_MATRIX_J];
    size_t nonzeros = sizes->entries[TAUT_LINEAR], next = 0;
    for (size_t b = 0; b < a->block_count; b++) {
        nonzeros += (size_t)a->blocks[b].rows * 3 * a->blocks[b].particle_count;
    }
    const taut_status status = csr_open(&a->allocator, sizes->rows, 3 * sizes->nodes, nonzeros, matrix);
    for (size_t b = 0; status == TAUT_OK && b < a->block_count; b++) {
        (a->blocks[b].kind == TAUT_LINEAR ? linear_row : block_rows)(s, a, b, matrix, &next);
    }
    return status;
}

/* Entries of G as they come: row and column in a key, to be sorted and merged. */
typedef struct entries {
    size_t count, bytes;
    uint64_t* keys;
    double* values;
    uint32_t* order;
} entries;

static taut_status entries_open(const taut_allocator* allocator, size_t count, entries* e) {
    *e = (entries){.count = count, .bytes = (count + 1) * (sizeof *e->keys + sizeof *e->values + sizeof *e->order)};
    if (count > UINT32_MAX) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "assembly: G has %zu entries, more than %u.", count, UINT32_MAX);
    }
    e->keys = taut_allocate(allocator, e->bytes);
    if (e->keys == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    e->values = (double*)(e->keys + count);
    e->order = (uint32_t*)(e->values + count);
    return TAUT_OK;
}

static void list_entries(const source* s, const taut_assembly* a, entries* e) {
    size_t next = 0;
    for (size_t b = 0; b < a->block_count; b++) {
        const taut_block* block = &a->blocks[b];
        const uint32_t width = 3 * block->particle_count;
        constraint_matrices values;
        if (width > 0) {
            block_matrices(s, a, b, &values);
        }
        for (uint32_t i = 0; i < width * width; i++, next++) {
            const uint32_t row = i / width, column = i % width;
            e->keys[next] = (uint64_t)(3 * block->particles[row / 3] + row % 3) << 32 |
                            (3 * block->particles[column / 3] + column % 3);
            e->values[next] = values.curvature[row][column];
            e->order[next] = (uint32_t)next;
        }
    }
}

/* Sums entries of the same place, in the order of the constraints. */
static taut_status merge_entries(const entries* e, size_t n, taut_assembly* a) {
    csr* matrix = &a->matrices[TAUT_MATRIX_G];
    size_t nonzeros = 0, at = 0;
    for (size_t i = 0; i < e->count; i++) {
        nonzeros += i == 0 || e->keys[i] != e->keys[i - 1];
    }
    const taut_status status = csr_open(&a->allocator, n, n, nonzeros, matrix);
    for (size_t i = 0; status == TAUT_OK && i < e->count; i++) {
        at += i > 0 && e->keys[i] != e->keys[i - 1];
        matrix->indices[at] = (uint32_t)e->keys[i];
        matrix->values[at] += e->values[e->order[i]];
        matrix->offsets[(e->keys[i] >> 32) + 1] = at + 1;
    }
    for (size_t row = 0; status == TAUT_OK && row < n; row++) { /* rows without entries */
        const size_t before = matrix->offsets[row];
        matrix->offsets[row + 1] = matrix->offsets[row + 1] > before ? matrix->offsets[row + 1] : before;
    }
    return status;
}

static taut_status fill_stiffness(const source* s, taut_assembly* a) {
    entries e;
    size_t count = 0;
    for (size_t b = 0; b < a->block_count; b++) {
        count += 9 * (size_t)a->blocks[b].particle_count * a->blocks[b].particle_count;
    }
    taut_status status = entries_open(&a->allocator, count, &e);
    if (status == TAUT_OK) {
        list_entries(s, a, &e);
        status = taut_cpu_backend.sort(-1, e.keys, e.order, count, &a->allocator);
    }
    if (status == TAUT_OK) {
        status = merge_entries(&e, 3 * s->world->plan.sizes.nodes, a);
    }
    taut_release(&a->allocator, e.keys, e.bytes);
    return status;
}

/* ---- the assembly ---------------------------------------------------------------------------------------------------
 */

static taut_status assemble(taut_world* world, source* s, taut_assembly* a) {
    a->blocks = taut_allocate(&a->allocator, (a->block_count + 1) * sizeof *a->blocks);
    taut_status status = a->blocks != NULL ? source_open(world, a->block_count, s) : TAUT_OUT_OF_MEMORY;
    if (status == TAUT_OK) {
        list_blocks(world, s, a);
        status = fill_vectors(world, a);
    }
    if (status == TAUT_OK) {
        status = fill_diagonals(s, a);
    }
    if (status == TAUT_OK) {
        status = fill_compliance(s, a);
    }
    if (status == TAUT_OK) {
        status = fill_jacobian(s, a);
    }
    return status == TAUT_OK ? fill_stiffness(s, a) : status;
}

taut_status taut_assembly_create(taut_world* world, taut_assembly** assembly) {
    if (world == NULL || assembly == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "taut_assembly_create: world and assembly must not be NULL.");
    }
    taut_assembly* made = taut_allocate(&world->allocator, sizeof *made);
    if (made == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    source s = {0};
    made->allocator = world->allocator;
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        made->block_count += world->plan.sizes.count[k];
    }
    const taut_status status = assemble(world, &s, made);
    source_close(&world->allocator, &s);
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

taut_status taut_assembly_block(const taut_assembly* assembly, size_t index, taut_block* block) {
    if (assembly == NULL || block == NULL || index >= assembly->block_count) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "assembly: block %zu does not exist, or a pointer is NULL.", index);
    }
    *block = assembly->blocks[index];
    return TAUT_OK;
}

const char* taut_matrix_name(taut_matrix matrix) {
    static const char* const names[TAUT_MATRIX_COUNT] = {"M", "J", "C", "P", "G"};
    return (unsigned)matrix < TAUT_MATRIX_COUNT ? names[matrix] : "unknown";
}

const char* taut_vector_name(taut_vector vector) {
    static const char* const names[TAUT_VECTOR_COUNT] = {"f", "phi", "lam"};
    return (unsigned)vector < TAUT_VECTOR_COUNT ? names[vector] : "unknown";
}
