#define TAUT_REAL double
#include "host/compile/eager.h"

#include "base/memory.h"
#include "kernels/stages/items.h"

/* One whose bounds are given may have what is asked for, however much. */
static bool is_eager(const scene_batch* batch) {
    return (batch->of_velocities || batch->drives) && !batch->bounded && !batch->as_force &&
           may_be_motor((int)batch->kind);
}

uint32_t eager_count(const taut_scene* scene) {
    uint32_t count = 0;
    for (size_t i = 0; i < scene->batches.count; i++) {
        const scene_batch* batch = (const scene_batch*)scene->batches.data + i;
        count += is_eager(batch) ? batch->count : 0;
    }
    return count;
}

/* The number of what constraint c moves. */
static uint32_t moved_by(const taut_plan* plan, taut_kind k, size_t c) {
    const size_t width = taut_kind_shapes[k].nodes;
    const uint32_t* nodes = plan->fields.kinds[k].nodes + width * c;
    uint32_t n = nodes[0];
    for (size_t i = 0; i < width; i++) {
        n = plan->fields.inverse_mass[n] > 0 ? n : nodes[i];
    }
    return plan->fields.hangs[n];
}

static void fill_motors(const topology* t, const ordering* order, const taut_plan* plan) {
    const taut_sizes* s = &plan->sizes;
    const taut_fields* f = &plan->fields;
    uint32_t* next = f->eager;
    for (size_t i = 0; i < t->scene->batches.count; i++) {
        const scene_batch* batch = (const scene_batch*)t->scene->batches.data + i;
        const taut_kind k = batch->kind;
        for (size_t c = 0; is_eager(batch) && c < taut_given_count(s, k); c++) {
            if (ordering_in_batch(batch, order->kind[k], c)) {
                const size_t row = s->first_row[k] + taut_unknown_place(s, s->count[k], 1, c, 0);
                f->bound[2 * row] = -TAUT_EAGER_FORCE;
                f->bound[2 * row + 1] = TAUT_EAGER_FORCE;
                *next++ = (uint32_t)row;
                *next++ = (uint32_t)k;
                *next++ = (uint32_t)c;
                *next++ = moved_by(plan, k, c);
            }
        }
    }
}

/* Masses of what hangs together, by number; then of each node that moves. */
static void fill_masses(const topology* t, double* sums, taut_plan* plan) {
    const taut_fields* f = &plan->fields;
    const double* masses = t->scene->masses.data;
    for (uint32_t n = 0; n < plan->sizes.points; n++) {
        sums[f->hangs[n]] += scene_node_free(t->scene, n) ? masses[n] : 0;
    }
    for (uint32_t n = 0; n < plan->sizes.nodes; n++) {
        const bool follows = n < plan->sizes.points && scene_mapped(t->scene, n) != UINT32_MAX;
        f->hangs_mass[n] = follows || scene_node_free(t->scene, n) ? sums[f->hangs[n]] : 0;
    }
}

taut_status eager_fill(const topology* t, const ordering* order, const taut_allocator* allocator, taut_plan* plan) {
    const size_t nodes = plan->sizes.nodes, bytes = nodes * sizeof(double) + t->member_count * sizeof(uint32_t);
    double* sums = taut_allocate(allocator, bytes);
    size_t count;
    if (sums == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    for (size_t n = 0; n < nodes; n++) {
        sums[n] = 0;
    }
    const taut_status status = topology_components(t, allocator, plan->fields.hangs, (uint32_t*)(sums + nodes), &count);
    if (status == TAUT_OK) {
        fill_masses(t, sums, plan);
        fill_motors(t, order, plan);
    }
    taut_release(allocator, sums, bytes);
    return status;
}
