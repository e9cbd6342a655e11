#define TAUT_REAL double
#include "host/world/assembly_graph.h"

#include "kernels/formulas/rotation_math.h"
#include "model/maps.h"

#include <string.h>

/* ---- memory ----------------------------------------------------------------------------------------------------- */

static taut_status allocate(taut_world* world, assembly_graph* g) {
    const taut_sizes* s = &world->plan.sizes;
    const size_t mapped = s->points - s->simple;
    const size_t bytes[6] = {s->nodes * sizeof *g->given,
                             3 * s->points * sizeof *g->x,
                             (4 * s->frames + 1) * sizeof *g->orientation,
                             (3 * s->frames + 1) * sizeof *g->omega,
                             s->nodes * sizeof *g->own,
                             (mapped + 1) * sizeof *g->begin};
    memcpy(g->bytes, bytes, sizeof bytes);
    g->given = taut_allocate(&world->allocator, bytes[0]);
    g->x = taut_allocate(&world->allocator, bytes[1]);
    g->orientation = taut_allocate(&world->allocator, bytes[2]);
    g->omega = taut_allocate(&world->allocator, bytes[3]);
    g->own = taut_allocate(&world->allocator, bytes[4]);
    g->begin = taut_allocate(&world->allocator, bytes[5]);
    return g->given != NULL && g->x != NULL && g->orientation != NULL && g->omega != NULL && g->own != NULL &&
                   g->begin != NULL
               ? TAUT_OK
               : TAUT_OUT_OF_MEMORY;
}

void graph_close(assembly_graph* g) {
    if (g->world == NULL) {
        return;
    }
    const taut_allocator* allocator = &g->world->allocator;
    taut_release(allocator, g->given, g->bytes[0]);
    taut_release(allocator, g->x, g->bytes[1]);
    taut_release(allocator, g->orientation, g->bytes[2]);
    taut_release(allocator, g->omega, g->bytes[3]);
    taut_release(allocator, g->own, g->bytes[4]);
    taut_release(allocator, g->begin, g->bytes[5]);
    taut_buffer_release(allocator, &g->terms);
    taut_buffer_release(allocator, &g->merged);
}

static taut_status read_state(taut_world* world, assembly_graph* g) {
    const taut_sizes* s = &world->plan.sizes;
    for (size_t n = 0; n < s->nodes; n++) {
        const size_t here = world_node(world, n);
        g->given[here] = (uint32_t)n;
        g->own[here] = (graph_term){.node = (uint32_t)n, .unit = true, .block = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    }
    taut_status status = taut_world_read(world, TAUT_FIELD_POSITIONS, 0, s->points, g->x);
    if (status == TAUT_OK) {
        status = taut_world_read(world, TAUT_FIELD_ORIENTATIONS, 0, s->frames, g->orientation);
    }
    return status == TAUT_OK ? taut_world_read(world, TAUT_FIELD_ANGULAR_VELOCITIES, 0, s->frames, g->omega) : status;
}

/* ---- one entry of a mapped point --------------------------------------------------------------------------------- */

static const double* position(const assembly_graph* g, size_t node) {
    return g->x + 3 * (size_t)g->given[node];
}

static void arm_of(const assembly_graph* g, size_t e, double arm[3]) {
    const taut_fields* f = &g->world->plan.fields;
    quat_rotate(g->orientation + 4 * (f->map_parent[e] - g->world->plan.sizes.points), f->map_local + 3 * e, arm);
}

/* m with dy = m dp: the columns are images of the axes. */
static void entry_matrix(const assembly_graph* g, size_t e, double m[3][3]) {
    const taut_fields* f = &g->world->plan.fields;
    const uint32_t code = f->map_code[e];
    const double w = f->map_local[3 * e];
    memset(m, 0, 9 * sizeof(double));
    if (TAUT_MAP_TYPE(code) == TAUT_MAP_SCALE) {
        m[0][0] = m[1][1] = m[2][2] = w;
    } else if (TAUT_MAP_TYPE(code) == TAUT_MAP_COMPONENT) {
        m[TAUT_MAP_TO(code)][TAUT_MAP_FROM(code)] = w;
    } else if (TAUT_MAP_TYPE(code) == TAUT_MAP_NORM) {
        vec3_normalise(position(g, f->map_parent[e]), m[0]);
    } else { /* theta x arm */
        double arm[3];
        arm_of(g, e, arm);
        for (int i = 0; i < 3; i++) {
            m[(i + 1) % 3][(i + 2) % 3] = arm[i];
            m[(i + 2) % 3][(i + 1) % 3] = -arm[i];
        }
    }
}

bool graph_curvature(const assembly_graph* g, size_t e, const double force[3], double out[3][3]) {
    const taut_fields* f = &g->world->plan.fields;
    const taut_map type = TAUT_MAP_TYPE(f->map_code[e]);
    double v[3];
    if (type == TAUT_MAP_ARM) { /* (theta x a) x F = a (F.theta) - (a.F) theta */
        arm_of(g, e, v);
        for (int i = 0; i < 9; i++) {
            out[i / 3][i % 3] = v[i / 3] * force[i % 3] - (i % 4 == 0 ? vec3_dot(v, force) : 0);
        }
        return true;
    }
    if (type != TAUT_MAP_NORM) {
        return false;
    }
    const double length = vec3_normalise(position(g, f->map_parent[e]), v);
    const double factor = length > 1e-9 ? force[0] / length : 0;
    for (int i = 0; i < 9; i++) {
        out[i / 3][i % 3] = factor * ((i % 4 == 0) - v[i / 3] * v[i % 3]);
    }
    return true;
}

/* ---- expansion --------------------------------------------------------------------------------------------------- */

graph_terms graph_of(const assembly_graph* g, size_t node) {
    const taut_sizes* s = &g->world->plan.sizes;
    if (node < s->simple || node >= s->points) {
        return (graph_terms){g->own + node, 1};
    }
    const size_t m = node - s->simple;
    return (graph_terms){(const graph_term*)g->terms.data + g->begin[m], g->begin[m + 1] - g->begin[m]};
}

/* block += m term.block */
static void add_product(const double m[3][3], const graph_term* term, double block[3][3]) {
    for (int i = 0; i < 9; i++) {
        for (int k = 0; k < 3; k++) {
            block[i / 3][i % 3] += m[i / 3][k] * term->block[k][i % 3];
        }
    }
}

/* Merges m times `terms` into those of the point under way; both are sorted. */
static taut_status merge_terms(assembly_graph* g, const double m[3][3], graph_terms terms) {
    taut_buffer* merged = &g->merged;
    const taut_status status = taut_buffer_reserve(&g->world->allocator, merged, sizeof(graph_term), terms.count);
    if (status != TAUT_OK) {
        return status;
    }
    graph_term* all = merged->data;
    for (size_t i = 0; i < terms.count; i++) { /* new nodes go behind, and then to their place */
        size_t at = 0, end = merged->count;
        while (at < end) {
            const size_t middle = (at + end) / 2;
            if (all[middle].node < terms.terms[i].node) {
                at = middle + 1;
            } else {
                end = middle;
            }
        }
        if (at == merged->count || all[at].node != terms.terms[i].node) {
            memmove(all + at + 1, all + at, (merged->count - at) * sizeof *all);
            all[at] = (graph_term){.node = terms.terms[i].node};
            merged->count++;
        }
        add_product(m, &terms.terms[i], all[at].block);
    }
    return TAUT_OK;
}

static taut_status expand_point(assembly_graph* g, size_t m) {
    const taut_fields* f = &g->world->plan.fields;
    taut_status status = TAUT_OK;
    g->merged.count = 0;
    for (uint32_t e = f->map_begin[m]; status == TAUT_OK && e < f->map_begin[m + 1]; e++) {
        double matrix[3][3];
        entry_matrix(g, e, matrix);
        status = merge_terms(g, (const double(*)[3])matrix, graph_of(g, f->map_parent[e]));
    }
    if (status == TAUT_OK) {
        status = taut_buffer_reserve(&g->world->allocator, &g->terms, sizeof(graph_term), g->merged.count);
    }
    if (status == TAUT_OK && g->merged.count > 0) {
        memcpy((graph_term*)g->terms.data + g->terms.count, g->merged.data, g->merged.count * sizeof(graph_term));
        g->terms.count += g->merged.count;
    }
    g->begin[m + 1] = g->terms.count;
    return status;
}

/* Numbers of mapped points inside ascend from parents to children. */
taut_status graph_open(taut_world* world, assembly_graph* g) {
    *g = (assembly_graph){.world = world};
    const size_t mapped = world->plan.sizes.points - world->plan.sizes.simple;
    taut_status status = allocate(world, g);
    if (status == TAUT_OK) {
        status = read_state(world, g);
    }
    for (size_t m = 0; status == TAUT_OK && m < mapped; m++) {
        status = expand_point(g, m);
    }
    return status;
}

/* ---- use --------------------------------------------------------------------------------------------------------- */

void graph_state(const assembly_graph* g, taut_kind kind, size_t c, double* x) {
    const taut_kind_shape* shape = &taut_kind_shapes[kind];
    const uint32_t* nodes = g->world->plan.fields.kinds[kind].nodes + c * shape->nodes;
    for (uint32_t slot = 0; slot < shape->nodes; slot++) {
        const bool frame = shape->frames >> slot & 1;
        const size_t points = g->world->plan.sizes.points;
        const bool unused = frame && nodes[slot] < points; /* such a slot has any node */
        const double* from = frame && !unused ? g->orientation + 4 * (nodes[slot] - points) : position(g, nodes[slot]);
        for (uint32_t a = 0; a < shape->state; a++) {
            x[shape->state * slot + a] = !unused && (frame || a < 3) ? from[a] : 0;
        }
    }
}

void graph_row(const double row[3], const graph_term* term, double out[3]) {
    for (int a = 0; a < 3; a++) {
        out[a] =
            term->unit ? row[a] : row[0] * term->block[0][a] + row[1] * term->block[1][a] + row[2] * term->block[2][a];
    }
}

void graph_sandwich(const graph_term* left, const double m[3][3], const graph_term* right, double out[3][3]) {
    double half[3][3];
    for (int i = 0; i < 3; i++) {
        graph_row(m[i], right, half[i]);
    }
    for (int j = 0; j < 3; j++) {
        const double column[3] = {half[0][j], half[1][j], half[2][j]};
        double moved[3];
        graph_row(column, left, moved);
        for (int i = 0; i < 3; i++) {
            out[i][j] = moved[i];
        }
    }
}

void graph_apply_jacobian_transpose_mapped(const assembly_graph* g, double* forces) {
    const taut_sizes* s = &g->world->plan.sizes;
    const taut_fields* f = &g->world->plan.fields;
    for (size_t n = s->points; n-- > s->simple;) {
        const size_t m = n - s->simple;
        for (uint32_t e = f->map_begin[m]; e < f->map_begin[m + 1]; e++) {
            const size_t parent = f->map_parent[e];
            double matrix[3][3];
            if (parent < s->simple || parent >= s->points) {
                continue;
            }
            entry_matrix(g, e, matrix);
            for (int i = 0; i < 9; i++) {
                forces[3 * parent + i % 3] += matrix[i / 3][i % 3] * forces[3 * n + i / 3];
            }
        }
    }
}
