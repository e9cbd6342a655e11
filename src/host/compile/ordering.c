#include "host/compile/ordering.h"

#include "host/compile/mapped.h"
#include "host/compile/slots.h"

#include <math.h>
#include <string.h>

/* Particles move only for this much less distance, in numbers, between the particles of a constraint. */
#define WORTHWHILE 0.5

/* Constraints on the host move if the next one is further away than this, in particles, on average: what lies closer
 * is in the cache anyway. */
#define LONG_JUMP 8

#define AXIS_BITS 21

static void identity(uint32_t* numbers, size_t count) {
    for (size_t i = 0; i < count; i++) {
        numbers[i] = (uint32_t)i;
    }
}

/* ---- particles ------------------------------------------------------------------------------------------------- */

/* The bits of a 21-bit number, two zeros after each. */
static uint64_t spread(uint64_t x) {
    x = (x | x << 32) & 0x001F00000000FFFFU;
    x = (x | x << 16) & 0x001F0000FF0000FFU;
    x = (x | x << 8) & 0x100F00F00F00F00FU;
    x = (x | x << 4) & 0x10C30C30C30C30C3U;
    return (x | x << 2) & 0x1249249249249249U;
}

static void morton_keys(const taut_scene* scene, uint64_t* keys) {
    const double* x = scene->positions.data;
    double low[3] = {INFINITY, INFINITY, INFINITY}, size = 0;
    for (size_t i = 0; i < 3 * (size_t)scene->particle_count; i++) {
        low[i % 3] = fmin(low[i % 3], x[i]);
    }
    for (size_t i = 0; i < 3 * (size_t)scene->particle_count; i++) {
        size = fmax(size, x[i] - low[i % 3]);
    }
    const double scale = size > 0 ? ((1 << AXIS_BITS) - 1) / size : 0;
    for (size_t n = 0; n < scene->particle_count; n++) {
        keys[n] = 0;
        for (size_t a = 0; a < 3; a++) {
            keys[n] |= spread((uint64_t)((x[3 * n + a] - low[a]) * scale)) << a;
        }
    }
}

/* Sum over all constraints of the distance in numbers from the first particle to the others; `at` NULL: as given. */
static double reach(const taut_scene* scene, const uint32_t* at) {
    double sum = 0;
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        const uint32_t arity = taut_kind_shapes[k].nodes;
        const uint32_t* nodes = scene->kinds[k].nodes.data;
        for (size_t c = 0; c < scene->kinds[k].count; c++) {
            for (size_t i = 1; i < arity && taut_kind_shapes[k].frames == 0; i++) {
                const uint32_t a = nodes[arity * c], b = nodes[arity * c + i];
                sum += at == NULL ? fabs((double)a - (double)b) : fabs((double)at[a] - (double)at[b]);
            }
        }
    }
    return sum;
}

static void invert(const uint32_t* numbers, size_t count, uint32_t* out) {
    for (size_t i = 0; i < count; i++) {
        out[numbers[i]] = (uint32_t)i;
    }
}

static taut_status order_by_place(const taut_scene* scene, const taut_backend* backend, int device,
                                  const taut_allocator* allocator, uint64_t* keys, ordering* o) {
    const size_t count = scene->particle_count;
    morton_keys(scene, keys);
    const taut_status status = backend->sort(device, keys, o->node, count, allocator);
    if (status != TAUT_OK) {
        return status;
    }
    invert(o->node, count, o->node_at);
    o->nodes_move = reach(scene, o->node_at) < WORTHWHILE * reach(scene, NULL);
    if (!o->nodes_move) {
        identity(o->node, count);
        identity(o->node_at, count);
    }
    return TAUT_OK;
}

/* Moves mapped points behind the others, in the order of their levels. */
static taut_status order_mapped(const taut_scene* scene, bool all_active, const taut_allocator* allocator,
                                ordering* o) {
    const uint32_t count = scene->particle_count, mapped = scene->mapping.count;
    const uint32_t* points = scene->mapping.points.data;
    taut_sizes sizes = {.simple = count - mapped};
    const size_t bytes = mapped * sizeof(uint32_t);
    uint32_t *list = taut_allocate(allocator, bytes), next = 0;
    if (list == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    const taut_status status = mapped_order(scene, all_active, allocator, list, &sizes);
    for (uint32_t i = 0; i < count; i++) { /* in place: `next` does not overtake i */
        if (scene_mapped(scene, o->node[i]) == UINT32_MAX) {
            o->node[next++] = o->node[i];
        }
    }
    for (uint32_t i = 0; i < mapped; i++) {
        o->node[next++] = points[list[i]];
        o->mapped[i] = list[i];
    }
    invert(o->node, count, o->node_at);
    for (uint32_t i = 0; i < count; i++) {
        o->nodes_move = o->nodes_move || o->node[i] != i;
    }
    taut_release(allocator, list, bytes);
    return status;
}

static taut_status order_nodes(const taut_scene* scene, const taut_backend* backend, const taut_plan* plan,
                               const taut_allocator* allocator, uint64_t* keys, ordering* o) {
    identity(o->node, scene->particle_count);
    identity(o->node_at, scene->particle_count);
    taut_status status = TAUT_OK;
    if (plan->reorder) {
        status = order_by_place(scene, backend, plan->cuda_device, allocator, keys, o);
    }
    return status == TAUT_OK && scene->mapping.count > 0
               ? order_mapped(scene, slots_wanted(&plan->settings), allocator, o)
               : status;
}

/* ---- constraints ----------------------------------------------------------------------------------------------- */

static uint32_t owner(const taut_scene* scene, int k, size_t c, const ordering* o) {
    const uint32_t arity = taut_kind_shapes[k].nodes;
    const uint32_t* nodes = (const uint32_t*)scene->kinds[k].nodes.data + arity * c;
    uint32_t first = UINT32_MAX;
    for (uint32_t i = 0; i < arity; i++) {
        const bool frame = taut_kind_shapes[k].frames >> i & 1;
        first = !frame && o->node_at[nodes[i]] < first ? o->node_at[nodes[i]] : first;
    }
    return first;
}

/* Keys: on a device layer, then owner, the particle of the constraint that comes first; on the host the owner. `taken`
 * counts per particle. Returns whether moving by them is worth while. */
static bool kind_keys(const taut_scene* scene, int k, bool layers, uint64_t* keys, uint32_t* taken, const ordering* o) {
    const size_t count = scene->kinds[k].count;
    bool sorted = true;
    double jumps = 0; /* of the owner, from one constraint to the next */
    memset(taken, 0, scene->particle_count * sizeof *taken);
    for (size_t c = 0; c < count; c++) {
        const uint32_t n = owner(scene, k, c, o);
        const uint32_t before = c > 0 ? (uint32_t)keys[c - 1] : n;
        keys[c] = (layers ? (uint64_t)taken[n]++ << 32 : 0) | n;
        sorted = sorted && (c == 0 || keys[c - 1] <= keys[c]);
        jumps += fabs((double)n - (double)before);
    }
    return !sorted && (layers || jumps > LONG_JUMP * (double)count);
}

static taut_status order_kind(const taut_scene* scene, int k, const taut_backend* backend, int device, bool layers,
                              bool free, const taut_allocator* allocator, uint64_t* keys, uint32_t* taken,
                              ordering* o) {
    const size_t count = scene->kinds[k].count;
    identity(o->kind[k], count);
    const uint32_t every_slot = (1U << taut_kind_shapes[k].nodes) - 1;
    if (!free || k == TAUT_LINEAR || count == 0 || taut_kind_shapes[k].frames == every_slot) {
        return TAUT_OK;
    }
    o->kind_moves[k] = kind_keys(scene, k, layers, keys, taken, o);
    return o->kind_moves[k] ? backend->sort(device, keys, o->kind[k], count, allocator) : TAUT_OK;
}

/* ---- the order ------------------------------------------------------------------------------------------------- */

static taut_status allocate_order(const taut_scene* scene, const taut_allocator* allocator, ordering* o) {
    size_t count = 2 * (size_t)scene->particle_count + scene->mapping.count;
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        count += scene->kinds[k].count;
    }
    o->bytes = (count + 1) * sizeof(uint32_t);
    o->memory = taut_allocate(allocator, o->bytes);
    if (o->memory == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    o->node = o->memory;
    o->node_at = o->node + scene->particle_count;
    o->mapped = o->node_at + scene->particle_count;
    uint32_t* next = o->mapped + scene->mapping.count;
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        o->kind[k] = next;
        next += scene->kinds[k].count;
    }
    return TAUT_OK;
}

static size_t longest(const taut_scene* scene) {
    size_t most = scene->particle_count;
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        most = scene->kinds[k].count > most ? scene->kinds[k].count : most;
    }
    return most;
}

taut_status ordering_make(const taut_scene* scene, const taut_backend* backend, const taut_plan* plan,
                          const taut_allocator* allocator, ordering* out) {
    ordering o = {0};
    const size_t most = longest(scene),
                 scratch_bytes = most * sizeof(uint64_t) + scene->particle_count * sizeof(uint32_t);
    taut_status status = allocate_order(scene, allocator, &o);
    uint64_t* keys = status == TAUT_OK ? taut_allocate(allocator, scratch_bytes) : NULL;
    if (keys == NULL) {
        ordering_free(allocator, &o);
        return TAUT_OUT_OF_MEMORY;
    }
    uint32_t* taken = (uint32_t*)(keys + most);
    status = order_nodes(scene, backend, plan, allocator, keys, &o);
    for (int k = 0; status == TAUT_OK && k < TAUT_KIND_COUNT; k++) {
        status = order_kind(scene, k, backend, plan->cuda_device, plan->on_device, plan->reorder, allocator, keys,
                            taken, &o);
    }
    taut_release(allocator, keys, scratch_bytes);
    if (status != TAUT_OK) {
        ordering_free(allocator, &o);
        return status;
    }
    *out = o;
    return TAUT_OK;
}

void ordering_free(const taut_allocator* allocator, ordering* order) {
    taut_release(allocator, order->memory, order->bytes);
    *order = (ordering){0};
}

bool ordering_moves(const ordering* order) {
    bool moves = order->nodes_move;
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        moves = moves || order->kind_moves[k];
    }
    return moves;
}

/* ---- the renumbered scene -------------------------------------------------------------------------------------- */

/* out[i] = from[numbers[i]], elements of `width` times the buffer's; `numbers` NULL: a copy. */
static taut_status permute(const taut_allocator* allocator, const taut_buffer* from, size_t width,
                           const uint32_t* numbers, taut_buffer* out) {
    if (from->count == 0) {
        return TAUT_OK;
    }
    const taut_status status = taut_buffer_reserve(allocator, out, from->element, from->count);
    if (status != TAUT_OK) {
        return status;
    }
    const size_t bytes = width * from->element;
    for (size_t i = 0; i < from->count / width; i++) {
        const size_t given = numbers != NULL ? numbers[i] : i;
        memcpy((char*)out->data + i * bytes, (const char*)from->data + given * bytes, bytes);
    }
    out->count = from->count;
    return TAUT_OK;
}

static taut_status apply_to_particles(const ordering* o, const taut_scene* scene, const taut_allocator* allocator,
                                      taut_scene* out) {
    const struct {
        const taut_buffer* from;
        taut_buffer* to;
        size_t width;
    } moves[] = {{&scene->positions, &out->positions, 3},
                 {&scene->velocities, &out->velocities, 3},
                 {&scene->masses, &out->masses, 1},
                 {&scene->fixed, &out->fixed, 1}};
    taut_status status = TAUT_OK;
    for (size_t i = 0; status == TAUT_OK && i < 4; i++) {
        status = permute(allocator, moves[i].from, moves[i].width, o->node, moves[i].to);
    }
    return status;
}

static taut_status apply_to_kind(const ordering* o, int k, const taut_scene* scene, const taut_allocator* allocator,
                                 taut_scene* out) {
    const taut_kind_shape* shape = &taut_kind_shapes[k];
    const scene_kind* from = &scene->kinds[k];
    scene_kind* to = &out->kinds[k];
    const struct {
        const taut_buffer* from;
        taut_buffer* to;
        size_t width;
    } moves[] = {{&from->nodes, &to->nodes, shape->nodes},
                 {&from->rest, &to->rest, shape->rest},
                 {&from->compliance, &to->compliance, shape->packed},
                 {&from->damping, &to->damping, 1},
                 {&from->measure, &to->measure, 1}};
    taut_status status = TAUT_OK;
    for (size_t i = 0; status == TAUT_OK && i < 5; i++) {
        status = permute(allocator, moves[i].from, moves[i].width, o->kind[k], moves[i].to);
    }
    uint32_t* nodes = to->nodes.data;
    for (size_t i = 0; status == TAUT_OK && i < to->nodes.count; i++) {
        const bool frame = shape->frames >> i % shape->nodes & 1;
        nodes[i] = frame ? nodes[i] : o->node_at[nodes[i]];
    }
    to->count = from->count;
    return status;
}

static taut_status apply_to_linear(const ordering* o, const taut_scene* scene, const taut_allocator* allocator,
                                   taut_scene* out) {
    taut_status status = permute(allocator, &scene->linear.ends, 1, NULL, &out->linear.ends);
    if (status == TAUT_OK) {
        status = permute(allocator, &scene->linear.coordinates, 1, NULL, &out->linear.coordinates);
    }
    if (status == TAUT_OK) {
        status = permute(allocator, &scene->linear.weights, 1, NULL, &out->linear.weights);
    }
    uint32_t* coordinates = out->linear.coordinates.data;
    for (size_t e = 0; status == TAUT_OK && e < out->linear.coordinates.count; e++) {
        const bool turn = coordinates[e] >= TAUT_ROTATION_OF(0, 0);
        coordinates[e] = turn ? coordinates[e] : 3 * o->node_at[coordinates[e] / 3] + coordinates[e] % 3;
    }
    return status;
}

/* Entries of the mapped points in their new order, with new numbers of points. */
static taut_status apply_to_entries(const ordering* o, const taut_scene* scene, const taut_allocator* allocator,
                                    scene_mapping* to) {
    taut_status status =
        taut_buffer_reserve(allocator, &to->entries, sizeof(scene_entry), scene->mapping.entries.count);
    for (uint32_t i = 0; status == TAUT_OK && i < scene->mapping.count; i++) {
        uint32_t count;
        const scene_entry* entries = scene_entries(scene, o->mapped[i], &count);
        for (uint32_t e = 0; e < count; e++) {
            scene_entry* entry = (scene_entry*)to->entries.data + to->entries.count++;
            *entry = entries[e];
            if (TAUT_MAP_TYPE(entry->code) != TAUT_MAP_ARM) {
                entry->parent = o->node_at[entry->parent];
            }
        }
        ((uint32_t*)to->points.data)[i] = o->node_at[((const uint32_t*)to->points.data)[i]];
        ((uint32_t*)to->ends.data)[i] = (uint32_t)to->entries.count;
    }
    return status;
}

static taut_status apply_to_mapping(const ordering* o, const taut_scene* scene, const taut_allocator* allocator,
                                    taut_scene* out) {
    const scene_mapping* from = &scene->mapping;
    scene_mapping* to = &out->mapping;
    if (from->count == 0) {
        return TAUT_OK;
    }
    to->count = from->count;
    taut_status status = permute(allocator, &from->points, 1, o->mapped, &to->points);
    if (status == TAUT_OK) {
        status = permute(allocator, &from->levels, 1, o->mapped, &to->levels);
    }
    if (status == TAUT_OK) {
        status = permute(allocator, &from->ends, 1, NULL, &to->ends);
    }
    return status == TAUT_OK ? apply_to_entries(o, scene, allocator, to) : status;
}

/* Frames, materials and the numbers of contact points, colliders, faces and edges stay as they are. */
static taut_status apply_to_contact(const ordering* o, const taut_scene* scene, const taut_allocator* allocator,
                                    taut_scene* out) {
    const scene_contact* from = &scene->contact;
    scene_contact* to = &out->contact;
    taut_status status = permute(allocator, &from->touching, 1, NULL, &to->touching);
    status = status == TAUT_OK ? permute(allocator, &from->colliders, 1, NULL, &to->colliders) : status;
    status = status == TAUT_OK ? permute(allocator, &from->materials, 1, NULL, &to->materials) : status;
    status = status == TAUT_OK ? permute(allocator, &from->pairs, 1, NULL, &to->pairs) : status;
    status = status == TAUT_OK ? permute(allocator, &from->excluded, 1, NULL, &to->excluded) : status;
    status = status == TAUT_OK ? permute(allocator, &from->attached, 1, NULL, &to->attached) : status;
    status = status == TAUT_OK ? permute(allocator, &from->joined, 1, NULL, &to->joined) : status;
    status = status == TAUT_OK ? permute(allocator, &from->faces, 1, NULL, &to->faces) : status;
    status = status == TAUT_OK ? permute(allocator, &from->edges, 1, NULL, &to->edges) : status;
    to->surfaces = from->surfaces;
    status = status == TAUT_OK ? meshes_copy(allocator, &from->meshes, &to->meshes) : status;
    for (size_t i = 0; status == TAUT_OK && i < to->touching.count; i++) {
        scene_touching* touching = (scene_touching*)to->touching.data + i;
        touching->point = touching->point != TAUT_NO_POINT ? o->node_at[touching->point] : TAUT_NO_POINT;
    }
    for (size_t i = 0; status == TAUT_OK && i < to->colliders.count; i++) {
        scene_collider* collider = (scene_collider*)to->colliders.data + i;
        collider->point = collider->point != TAUT_NO_POINT ? o->node_at[collider->point] : TAUT_NO_POINT;
    }
    for (size_t i = 0; status == TAUT_OK && i < to->meshes.vertices.count; i++) {
        uint32_t* point = (uint32_t*)to->meshes.vertices.data + i;
        *point = o->node_at[*point];
    }
    for (size_t i = 0; status == TAUT_OK && i < 2 * to->attached.count; i++) {
        uint32_t* point = (uint32_t*)to->attached.data + i;
        *point = o->node_at[*point];
    }
    for (size_t i = 0; status == TAUT_OK && i < 2 * to->joined.count; i++) {
        scene_joined* joined = (scene_joined*)to->joined.data + i / 2;
        uint32_t* end = joined->ends + i % 2;
        *end = joined->kind == TAUT_ATTACHMENT ? o->node_at[*end] : *end;
    }
    return status;
}

/* Frames stay as they are, but for the numbers of their points. */
static taut_status apply_to_frames(const ordering* o, const taut_scene* scene, const taut_allocator* allocator,
                                   taut_scene* out) {
    const scene_frames* from = &scene->frames;
    scene_frames* to = &out->frames;
    const struct {
        const taut_buffer* from;
        taut_buffer* to;
    } copies[] = {{&from->orientations, &to->orientations},
                  {&from->velocities, &to->velocities},
                  {&from->inertias, &to->inertias},
                  {&from->fixed, &to->fixed},
                  {&from->centres, &to->centres}};
    taut_status status = TAUT_OK;
    for (size_t i = 0; status == TAUT_OK && i < sizeof copies / sizeof copies[0]; i++) {
        status = permute(allocator, copies[i].from, 1, NULL, copies[i].to);
    }
    for (size_t i = 0; status == TAUT_OK && i < to->centres.count; i++) {
        uint32_t* centre = (uint32_t*)to->centres.data + i;
        *centre = *centre != TAUT_NO_POINT ? o->node_at[*centre] : TAUT_NO_POINT;
    }
    to->count = from->count;
    return status;
}

taut_status ordering_apply(const ordering* order, const taut_scene* scene, const taut_allocator* allocator,
                           taut_scene* out) {
    taut_scene made = {.particle_count = scene->particle_count};
    taut_status status = apply_to_particles(order, scene, allocator, &made);
    for (int k = 0; status == TAUT_OK && k < TAUT_KIND_COUNT; k++) {
        status = apply_to_kind(order, k, scene, allocator, &made);
    }
    if (status == TAUT_OK) {
        status = apply_to_linear(order, scene, allocator, &made);
    }
    if (status == TAUT_OK) {
        status = apply_to_mapping(order, scene, allocator, &made);
    }
    if (status == TAUT_OK) {
        status = apply_to_frames(order, scene, allocator, &made);
    }
    if (status == TAUT_OK) {
        status = apply_to_contact(order, scene, allocator, &made);
    }
    if (status == TAUT_OK) { /* they have the user's numbers, in either scene */
        status = permute(allocator, &scene->batches, 1, NULL, &made.batches);
    }
    if (status != TAUT_OK) {
        scene_release_arrays(allocator, &made);
        return status;
    }
    *out = made;
    return TAUT_OK;
}
