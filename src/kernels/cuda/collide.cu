#define TAUT_REAL double
#include "kernels/stages/contact/collide.h"
#include "kernels/stages/contact/overlaps.h"
#include "kernels/stages/contact/query.h"
#include "kernels/stages/evaluate.h"

#include "kernels/cuda/build.cuh"
#include "kernels/cuda/crossings.cuh"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

/* ---- trees ------------------------------------------------------------------------------------------------------- */

typedef struct tree_task {
    tree_of what;
    uint32_t items, leaves;
    uint32_t* order;
    float* box;
} tree_task;

static tree_task task_of(const taut_view& view, tree_of what) {
    const taut_sizes& s = view.s;
    if (what == TREE_OF_LOOSE_NOW) {
        return tree_task{what, s.bare, s.loose_leaves, view.f.loose_order, view.f.loose_box};
    }
    return what == TREE_OF_EDGES
               ? tree_task{what, s.edges, s.edge_leaves, view.f.edge_order, view.f.edge_box}
               : tree_task{what, s.colliders + s.faces, s.face_leaves, view.f.face_order, view.f.face_box};
}

static __device__ void box_of_item(const taut_view& view, const tree_task& task, size_t item, float box[6]) {
    if (task.what == TREE_OF_EDGES) {
        box_of_edge(&view.f, &view.s, item, &view_factors(view), box);
    } else if (task.what == TREE_OF_FACES_NOW) {
        box_of_face_now(&view.f, &view.s, item, &view_factors(view), box);
    } else if (task.what == TREE_OF_SHAPES_NOW) {
        box_of_face_query(&view.f, &view.s, item, NULL, box);
    } else if (task.what == TREE_OF_LOOSE_NOW) {
        box_of_loose_query(&view.f, &view.s, item, NULL, box);
    } else {
        box_of_face_item(&view.f, &view.s, item, &view_factors(view), box);
    }
}

static __global__ void codes_kernel(const __grid_constant__ taut_view view, const __grid_constant__ tree_task task,
                                    uint32_t* codes, uint32_t* items) {
    const size_t i = thread_index();
    if (i < task.items) {
        float box[6];
        box_of_item(view, task, i, box);
        codes[i] = morton_code(box, view.s.cell);
        items[i] = (uint32_t)i;
    }
}

static __global__ void leaves_kernel(const __grid_constant__ taut_view view, const __grid_constant__ tree_task task,
                                     const uint32_t* items) {
    const size_t i = thread_index();
    if (i < task.leaves) {
        float box[6];
        box_clear(box);
        if (i < task.items) {
            task.order[i] = items[i];
            box_of_item(view, task, items[i], box);
        }
        for (size_t a = 0; a < 6; a++) {
            task.box[6 * (task.leaves + i) + a] = box[a];
        }
    }
}

/* Nodes [width, 2 width) from their children. */
static __global__ void join_kernel(const __grid_constant__ tree_task task, uint32_t width) {
    const size_t i = width + thread_index();
    if (i < 2 * (size_t)width) {
        box_join(task.box + 12 * i, task.box + 12 * i + 6, task.box + 6 * i);
    }
}

/* So many nodes of a level and fewer are left to one block of threads. */
#define TREE_TOP 512

static __global__ void join_top_kernel(const __grid_constant__ tree_task task, uint32_t widest) {
    for (uint32_t width = widest; width > 0; width /= 2) {
        for (size_t i = width + threadIdx.x; i < 2 * (size_t)width; i += blockDim.x) {
            box_join(task.box + 12 * i, task.box + 12 * i + 6, task.box + 6 * i);
        }
        __syncthreads();
    }
}

/* Enqueues the sorting, or with `temporary` NULL says what memory it needs. */
static cudaError_t sort(uint32_t items, int bits, const taut_collide_scratch& scratch, void* temporary, size_t* bytes,
                        cub::DoubleBuffer<uint32_t>* keys, cub::DoubleBuffer<uint32_t>* values, cudaStream_t stream) {
    *keys = cub::DoubleBuffer<uint32_t>(scratch.keys[0], scratch.keys[1]);
    *values = cub::DoubleBuffer<uint32_t>(scratch.values[0], scratch.values[1]);
    return cub::DeviceRadixSort::SortPairs(temporary, *bytes, *keys, *values, (int)items, 0, bits, stream);
}

void cuda_sort_items(uint32_t count, int bits, const taut_collide_scratch& scratch, const uint32_t** keys,
                     const uint32_t** values, taut_launch* launch) {
    cub::DoubleBuffer<uint32_t> sorted_keys, sorted_values;
    size_t bytes = scratch.temporary_bytes;
    taut_launch outside = taut_outside(launch);
    if (outside.error == cudaSuccess) {
        outside.error =
            sort(count, bits, scratch, scratch.temporary, &bytes, &sorted_keys, &sorted_values, outside.stream);
    }
    taut_inside(launch, &outside);
    *keys = sorted_keys.Current();
    *values = sorted_values.Current();
}

void cuda_build_tree(const taut_view& view, tree_of what, const taut_collide_scratch& scratch, taut_launch* launch) {
    const tree_task task = task_of(view, what);
    const uint32_t *keys, *values;
    if (task.items == 0) {
        return;
    }
    TAUT_LAUNCH(launch, codes_kernel, taut_grid(task.items), view, task, scratch.keys[0], scratch.values[0]);
    cuda_sort_items(task.items, TAUT_MORTON_BITS, scratch, &keys, &values, launch);
    TAUT_LAUNCH(launch, leaves_kernel, taut_grid(task.leaves), view, task, values);
    cuda_join_tree(view, what, launch);
}

void cuda_join_tree(const taut_view& view, tree_of what, taut_launch* launch) {
    const tree_task task = task_of(view, what);
    uint32_t width = task.leaves / 2;
    for (; width > TREE_TOP; width /= 2) {
        TAUT_LAUNCH(launch, join_kernel, taut_grid(width), task, width);
    }
    if (width > 0) {
        TAUT_LAUNCH(launch, join_top_kernel, 1, task, width);
    }
}

static __global__ void deforming_kernel(const __grid_constant__ taut_view view) {
    const size_t i = thread_index();
    if (i < view.s.deforming) {
        place_deforming(&view.f, i);
    }
}

/* The tree of a mesh by one block of threads, level after level: it has few, and none is built anew. */
static __global__ void refit_kernel(const __grid_constant__ taut_view view) {
    const taut_mesh* mesh = &view.f.mesh[blockIdx.x];
    for (uint32_t width = mesh->vertices > 0 ? mesh->leaves / 2 : 0; width > 0; width /= 2) {
        for (size_t i = width + threadIdx.x; i < 2 * (size_t)width; i += blockDim.x) {
            join_deforming(&view.f, mesh, i);
        }
        __syncthreads();
    }
}

/* Meshes that deform, and the trees over them: their shape stays, and their boxes follow. */
void cuda_refit_deforming(const taut_view& view, taut_launch* launch) {
    if (view.s.deforming > 0) {
        TAUT_LAUNCH(launch, deforming_kernel, taut_grid(view.s.deforming), view);
        TAUT_LAUNCH(launch, refit_kernel, view.s.meshes, view);
    }
}

static __global__ void skins_kernel(const __grid_constant__ taut_view view) {
    const size_t i = thread_index();
    if (i < view.s.skins) {
        place_skin(&view.f, &view.s, i);
    }
}

static __global__ void turn_edges_kernel(const __grid_constant__ taut_view view) {
    const size_t i = thread_index();
    if (i < view.s.edges) {
        turn_edge(&view.f, &view.s, i);
    }
}

static __global__ void solids_kernel(const __grid_constant__ taut_view view) {
    const size_t i = thread_index();
    if (i < view.s.solids) {
        place_solid(&view.f, &view.s, i);
    }
}

static void place_solids(const taut_view& view, taut_launch* launch) {
    if (view.s.solids > 0) {
        TAUT_LAUNCH(launch, solids_kernel, taut_grid(view.s.solids), view);
    }
}

static void place_skins(const taut_view& view, taut_launch* launch) {
    if (view.s.skins > 0) {
        TAUT_LAUNCH(launch, skins_kernel, taut_grid(view.s.skins), view);
    }
    if (view.s.skins > 0 && view.s.deforming > 0) {
        TAUT_LAUNCH(launch, turn_edges_kernel, taut_grid(view.s.edges), view);
    }
}

/* ---- contacts ---------------------------------------------------------------------------------------------------- */

/* What the contacts of the last step did, by which those of this one find their impulses. */
static __global__ void keep_kernel(const __grid_constant__ taut_view view) {
    const size_t i = thread_index();
    if (view.control->retries) { /* they have been kept before the attempt that was taken back */
        return;
    }
    if (i < view.f.contact_count[TAUT_CONTACTS_LIVE]) {
        keep_contact(&view.f, &view.s, i, i);
    }
    if (i <= finder_count(&view.s)) {
        view.f.contact_begin_last[i] = view.f.contact_begin[i];
    }
    if (view.s.watches && i < view.s.touching) {
        view.f.tangle_last[i] = view.f.tangle[i];
    }
}

/* How many contacts each finder has; the scan makes of it where they begin. */
static __global__ void count_kernel(const __grid_constant__ taut_view view) {
    const size_t i = thread_index();
    const size_t finders = finder_count(&view.s);
    if (i <= finders) {
        view.f.contact_begin[i] = i < finders ? count_contacts(&view.f, &view.s, i, &view_factors(view)) : 0;
    }
}

/* More than there is room for: the substep does not go on, and there is nothing to be undone. */
static __global__ void total_kernel(const __grid_constant__ taut_view view) {
    const uint32_t total = view.f.contact_begin[finder_count(&view.s)];
    view.f.contact_count[TAUT_CONTACTS_NEEDED] = total;
    view.control->report.contacts = total;
    if (total > view.s.contact_capacity) {
        view.control->unsound = view.control->rejected = 1;
        view.control->report.diverged = true;
    }
}

static __device__ bool overflows(const taut_view& view) {
    return view.f.contact_count[TAUT_CONTACTS_NEEDED] > view.s.contact_capacity;
}

/* How many there are from now on. */
static __device__ uint32_t live_now(const taut_view& view) {
    return view.f.contact_count[overflows(view) ? TAUT_CONTACTS_LIVE : TAUT_CONTACTS_NEEDED];
}

static __global__ void make_kernel(const __grid_constant__ taut_view view) {
    const size_t i = thread_index();
    if (overflows(view)) {
        if (i <= finder_count(&view.s)) {
            view.f.contact_begin[i] = view.f.contact_begin_last[i];
        }
        return;
    }
    if (i < finder_count(&view.s)) {
        make_contacts(&view.f, &view.s, i, &view_factors(view));
    }
    if (i >= live_now(view) && i < view.s.contact_capacity) {
        clear_contact(&view.f, &view.s, i);
    }
}

/* ---- incidence --------------------------------------------------------------------------------------------------- */

/* Every entry with its node; those that do not act come last. */
static __global__ void entries_kernel(const __grid_constant__ taut_view view, taut_kind k, uint32_t* nodes,
                                      uint32_t* entries) {
    const size_t e = thread_index(), slots = k == TAUT_ROLLING ? rolling_NODES : contact_NODES, c = e / slots;
    if (e < view.s.entries[k]) {
        const bool acts = c < live_now(view) && touching_acts(&view.f, k, c, e % slots);
        nodes[e] = acts ? view.f.kinds[k].nodes[e] : (uint32_t)view.s.nodes;
        entries[e] = (uint32_t)e;
    }
}

static __global__ void incidence_kernel(const __grid_constant__ taut_view view, taut_kind k, const uint32_t* entries) {
    const size_t i = thread_index();
    if (i < view.s.entries[k]) {
        view.f.kinds[k].incidence[i] = entries[i];
    }
}

/* The last one to read how many there were. */
static __global__ void evaluate_kernel(const __grid_constant__ taut_view view) {
    const size_t i = thread_index();
    taut_energies sums = {};
    taut_violation violation = {0, 0};
    if (i < view.s.contact_capacity) {
        evaluate_contact(&view.f, &view.s, i, &sums, &violation);
        if (view.s.rolls) {
            evaluate_rolling(&view.f, &view.s, i, &sums, &violation);
        }
    }
    if (i == 0 && !overflows(view)) {
        view.f.contact_count[TAUT_CONTACTS_LIVE] = view.f.contact_count[TAUT_CONTACTS_NEEDED];
    }
}

/* Enqueues it, or with `temporary` NULL says what memory it needs. */
static cudaError_t scan(uint32_t* numbers, size_t count, void* temporary, size_t* bytes, cudaStream_t stream) {
    return cub::DeviceScan::ExclusiveSum(temporary, *bytes, numbers, (int)count, stream);
}

void cuda_scan(uint32_t* numbers, size_t count, const taut_collide_scratch& scratch, taut_launch* launch) {
    size_t bytes = scratch.temporary_bytes;
    taut_launch outside = taut_outside(launch);
    if (outside.error == cudaSuccess) {
        outside.error = scan(numbers, count, scratch.temporary, &bytes, outside.stream);
    }
    taut_inside(launch, &outside);
}

static void build_incidence(const taut_view& view, taut_kind k, const taut_collide_scratch& scratch,
                            taut_launch* launch) {
    const size_t entries = view.s.entries[k];
    const uint32_t *keys, *values;
    TAUT_LAUNCH(launch, entries_kernel, taut_grid(entries), view, k, scratch.keys[0], scratch.values[0]);
    cuda_sort_items((uint32_t)entries, cuda_key_bits(view.s.nodes), scratch, &keys, &values, launch);
    cuda_offsets(view, k, keys, launch);
    TAUT_LAUNCH(launch, incidence_kernel, taut_grid(entries), view, k, values);
}

void cuda_collide(const taut_view& view, const taut_collide_scratch& scratch, taut_launch* launch) {
    const size_t finders = finder_count(&view.s) + 1, capacity = view.s.contact_capacity;
    const size_t either = finders > capacity ? finders : capacity;
    TAUT_LAUNCH(launch, keep_kernel, taut_grid(either), view);
    cuda_refit_deforming(view, launch);
    place_skins(view, launch);
    place_solids(view, launch);
    cuda_build_tree(view, TREE_OF_FACES, scratch, launch);
    cuda_build_tree(view, TREE_OF_EDGES, scratch, launch);
    if (view.s.watches && view.s.edges > 0) {
        cuda_find_tangles(view, launch);
    }
    TAUT_LAUNCH(launch, count_kernel, taut_grid(finders), view);
    cuda_scan(view.f.contact_begin, finders, scratch, launch);
    TAUT_LAUNCH_ONE(launch, total_kernel, view);
    TAUT_LAUNCH(launch, make_kernel, taut_grid(either), view);
    build_incidence(view, TAUT_CONTACT, scratch, launch);
    if (view.s.rolls) {
        build_incidence(view, TAUT_ROLLING, scratch, launch);
    }
    TAUT_LAUNCH(launch, evaluate_kernel, taut_grid(capacity), view);
}

static __global__ void forget_kernel(const __grid_constant__ taut_view view, uint32_t contacts, uint32_t tangled,
                                     bool diverged) {
    view.control->retries = 1;
    view.control->report.tangled = tangled;
    view.control->unsound = view.control->rejected = 0;
    view.control->report.diverged = diverged;
    view.control->report.contacts = contacts;
}

void cuda_forget_search(const taut_view& view, uint32_t contacts, uint32_t tangled, bool diverged,
                        taut_launch* launch) {
    TAUT_LAUNCH_ONE(launch, forget_kernel, view, contacts, tangled, diverged);
}

/* ---- overlaps ---------------------------------------------------------------------------------------------------- */

/* Whole numbers, whose sum and largest one do not depend on their order. */
static __global__ void cuts_kernel(const __grid_constant__ taut_view view) {
    const size_t i = thread_index();
    const uint32_t cuts = i < view.s.edges ? cuts_of_edge(&view.f, &view.s, i) : 0;
    if (cuts > 0) {
        atomicAdd(&view.f.contact_count[TAUT_CONTACTS_CUTS], cuts);
    }
}

static __global__ void overlaps_kernel(const __grid_constant__ taut_view view, double margin) {
    const size_t i = thread_index();
    if (i >= finder_count(&view.s)) {
        return;
    }
    const finder_overlap own = overlap_of(&view.f, &view.s, i, margin);
    if (own.inside) {
        atomicAdd(&view.f.contact_count[TAUT_CONTACTS_INSIDE], 1u);
    }
    if (own.cuts > 0) {
        atomicAdd(&view.f.contact_count[TAUT_CONTACTS_CUTS], own.cuts);
    }
    for (int k = 0; k < TAUT_DEPTH_COUNT; k++) {
        if (own.depth[k] > 0) {
            atomicMax(&view.f.contact_count[TAUT_CONTACTS_DEPTH + k], taut_depth_bits(own.depth[k]));
        }
    }
}

void cuda_find_overlaps(const taut_view& view, double margin, const taut_collide_scratch& scratch,
                        taut_launch* launch) {
    taut_clear(launch, view.f.contact_count + TAUT_CONTACTS_CUTS,
               (TAUT_CONTACT_COUNTS - TAUT_CONTACTS_CUTS) * sizeof(uint32_t));
    cuda_refit_deforming(view, launch);
    place_skins(view, launch);
    place_solids(view, launch);
    cuda_build_tree(view, TREE_OF_FACES_NOW, scratch, launch);
    if (view.s.edges > 0) {
        TAUT_LAUNCH(launch, cuts_kernel, taut_grid(view.s.edges), view);
    }
    TAUT_LAUNCH(launch, overlaps_kernel, taut_grid(finder_count(&view.s)), view, margin);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

taut_status collide_open(const taut_view& view, taut_collide_scratch* scratch) {
    const uint32_t items = taut_tree_items(&view.s), entries = view.s.entries[TAUT_CONTACT];
    const size_t either = entries > items ? entries : items, nodes = view.s.watches ? view.s.nodes : 0;
    const size_t most = either > nodes ? either : nodes; /* the nodes of impact zones are sorted, too */
    const size_t array = (most * sizeof(uint32_t) + 255) / 256 * 256;
    size_t scan_bytes = 0, sort_bytes = 0;
    cub::DoubleBuffer<uint32_t> keys, values;
    if (!view.s.shapes) {
        return TAUT_OK;
    }
    cudaGetLastError(); /* CUB takes an error of the program's for its own */
    cudaError_t error =
        view.s.touches ? scan(view.f.contact_begin, finder_count(&view.s) + 1, NULL, &scan_bytes, 0) : cudaSuccess;
    if (error == cudaSuccess) {
        error = sort((uint32_t)most, 32, *scratch, NULL, &sort_bytes, &keys, &values, 0);
    }
    size_t event_bytes = 0;
    if (error == cudaSuccess && view.s.events > 0) {
        error = cuda_scan_events(view, NULL, &event_bytes, 0);
    }
    scratch->temporary_bytes = scan_bytes > sort_bytes ? scan_bytes : sort_bytes;
    scratch->temporary_bytes = event_bytes > scratch->temporary_bytes ? event_bytes : scratch->temporary_bytes;
    if (error == cudaSuccess) {
        error = cudaMalloc(&scratch->memory, 4 * array + scratch->temporary_bytes);
    }
    for (int i = 0; error == cudaSuccess && i < 2; i++) {
        scratch->keys[i] = (uint32_t*)((char*)scratch->memory + 2 * i * array);
        scratch->values[i] = (uint32_t*)((char*)scratch->memory + (2 * i + 1) * array);
    }
    scratch->temporary = (char*)scratch->memory + 4 * array;
    return taut_cuda_check(error, "allocating memory for contacts");
}

void collide_close(taut_collide_scratch* scratch) {
    cudaFree(scratch->memory);
}
