#define TAUT_REAL double
#include "kernels/stages/contact/collide.h"
#include "kernels/stages/force_rows.h"
#include "kernels/stages/frames.h"

#include "host/world/assembly_source.h"

#include <string.h>

/* ---- what the backend knows ------------------------------------------------------------------------------------- */

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

taut_status assembly_count_contacts(taut_world* world, size_t* count) {
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
static taut_status read_stiffness(taut_world* world, assembly_source* s) {
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

void assembly_source_close(assembly_source* s) {
    if (s->world == NULL) {
        return;
    }
    taut_release(&s->world->allocator, s->where, s->bytes[0]);
    taut_release(&s->world->allocator, s->forces, s->bytes[1]);
    graph_close(&s->graph);
}

taut_status assembly_source_open(taut_world* world, size_t blocks, size_t contacts, assembly_source* s) {
    const taut_sizes* sizes = &world->plan.sizes;
    *s = (assembly_source){.world = world,
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

static bool is_touching(int k) {
    return k == TAUT_CONTACT || k == TAUT_ROLLING;
}

bool assembly_acts(const assembly_source* s, int k, size_t c, size_t slot) {
    const taut_fields* f = &s->world->plan.fields;
    return is_touching(k) ? touching_acts(f, (taut_kind)k, c, slot) : !is_absent(&f->kinds[k], c);
}

static void add_nodes(const assembly_source* s, taut_kind kind, size_t c, taut_block* block) {
    const taut_kind_shape* shape = &taut_kind_shapes[kind];
    const size_t points = s->world->plan.sizes.points;
    for (uint32_t slot = 0; slot < shape->nodes; slot++) {
        const uint32_t node = s->graph.given[s->world->plan.fields.kinds[kind].nodes[c * shape->nodes + slot]];
        if (is_touching(kind) && !assembly_acts(s, kind, c, slot)) {
            continue;
        }
        if (shape->frames >> slot & 1) {
            block->frames[block->frame_count++] = node - (uint32_t)points;
        } else {
            block->particles[block->particle_count++] = node;
        }
    }
}

static taut_block make_block(const assembly_source* s, taut_kind kind, size_t batch, uint32_t constraint, size_t c) {
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

/* In a reserved place, and in no batch. */
static taut_block added_block(const assembly_source* s, taut_kind kind, size_t c) {
    const taut_sizes* sizes = &s->world->plan.sizes;
    const taut_kind_shape* shape = &taut_kind_shapes[kind];
    taut_block block = {.kind = kind,
                        .constraint = (uint32_t)(c - taut_given_count(sizes, kind)),
                        .first_row = sizes->first_row[kind] + c * shape->rows,
                        .rows = shape->rows};
    add_nodes(s, kind, c, &block);
    return block;
}

/* They are in no batch, and follow all other rows. */
static taut_block contact_block(const assembly_source* s, taut_kind kind, size_t c) {
    const size_t given = taut_given_rows(&s->world->plan.sizes), rows = taut_kind_shapes[kind].rows;
    const size_t before = kind == TAUT_ROLLING ? s->contacts * taut_kind_shapes[TAUT_CONTACT].rows : 0;
    taut_block block = {
        .kind = kind, .constraint = (uint32_t)c, .first_row = given + before + rows * c, .rows = (uint32_t)rows};
    add_nodes(s, kind, c, &block);
    return block;
}

size_t assembly_count_blocks(const taut_world* world, size_t contacts) {
    const taut_sizes* sizes = &world->plan.sizes;
    size_t count = contacts * (sizes->rolls ? 2 : 1);
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        const size_t given = taut_kind_shapes[k].rows > 0 && !is_touching(k) ? taut_given_count(sizes, k) : 0;
        count += given;
        for (size_t c = given; sizes->reserved[k] > 0 && c < sizes->count[k]; c++) {
            count += !is_absent(&world->plan.fields.kinds[k], c);
        }
    }
    return count;
}

void assembly_list_blocks(const taut_world* world, const assembly_source* s, taut_assembly* a) {
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
        const taut_sizes* sizes = &world->plan.sizes;
        for (size_t c = taut_given_count(sizes, k); sizes->reserved[k] > 0 && c < sizes->count[k]; c++) {
            if (!is_absent(&world->plan.fields.kinds[k], c)) {
                a->blocks[next] = added_block(s, (taut_kind)k, c);
                s->where[next++] = (uint32_t)c;
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

const uint32_t* assembly_nodes_of(const assembly_source* s, const taut_assembly* a, size_t b) {
    const taut_kind kind = a->blocks[b].kind;
    return s->world->plan.fields.kinds[kind].nodes + (size_t)s->where[b] * taut_kind_shapes[kind].nodes;
}

/* What the node in a slot of block b is made of; nothing where the slot is without use. */
graph_terms assembly_terms_of(const assembly_source* s, const taut_assembly* a, size_t b, size_t slot) {
    const bool used = assembly_acts(s, a->blocks[b].kind, s->where[b], slot);
    return used ? graph_of(&s->graph, assembly_nodes_of(s, a, b)[slot]) : (graph_terms){NULL, 0};
}

void assembly_block_matrices(const assembly_source* s, const taut_assembly* a, size_t b, constraint_matrices* out) {
    const taut_block* block = &a->blocks[b];
    const taut_kind_shape* shape = &taut_kind_shapes[block->kind];
    double x[4 * 6];
    graph_state(&s->graph, block->kind, s->where[b], x);
    const double* rest = s->world->plan.fields.kinds[block->kind].rest + (size_t)shape->rest * s->where[b];
    constraint_rows(block->kind, x, rest, a->vectors[TAUT_VECTOR_LAM] + block->first_row, out);
}

linear_span assembly_linear_entries(const assembly_source* s, size_t b) {
    const uint32_t* begin = s->world->plan.fields.linear_begin + s->where[b];
    return (linear_span){begin[0], begin[1]};
}

/* ---- nodes ------------------------------------------------------------------------------------------------------ */

void assembly_frame_inertia(const assembly_source* s, size_t frame, double out[6]) {
    world_inertia(s->graph.orientation + 4 * frame, s->world->plan.fields.inertia + 6 * frame, out);
}

/* forces = those of force elements on each node. */
void assembly_add_force_all(const assembly_source* s) {
    const taut_sizes* sizes = &s->world->plan.sizes;
    memset(s->forces, 0, 3 * sizes->nodes * sizeof *s->forces);
    for (int k = TAUT_FIRST_LOAD_KIND; is_load_kind(k); k++) {
        const taut_kind_fields* f = &s->world->plan.fields.kinds[k];
        const size_t nodes = taut_kind_shapes[k].nodes, values = taut_kind_shapes[k].load;
        for (size_t i = 0; i < nodes * sizes->count[k]; i++) {
            element_add_force((taut_kind)k, f->load + values * (i / nodes), (int)(i % nodes),
                              s->forces + 3 * (size_t)f->nodes[i]);
        }
    }
}

void assembly_add_square(entry_list* list, size_t row_node, size_t column_node, const double m[3][3]) {
    for (size_t i = 0; i < 9; i++) {
        entries_add(list, 3 * row_node + i / 3, 3 * column_node + i % 3, m[i / 3][i % 3]);
    }
}

/* All pairs of terms of two nodes: left^T m right. */
void assembly_add_expanded(entry_list* list, graph_terms left, const double m[3][3], graph_terms right) {
    for (size_t i = 0; i < left.count; i++) {
        for (size_t j = 0; j < right.count; j++) {
            double block[3][3];
            graph_sandwich(&left.terms[i], m, &right.terms[j], block);
            assembly_add_square(list, left.terms[i].node, right.terms[j].node, (const double(*)[3])block);
        }
    }
}
