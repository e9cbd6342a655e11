#define TAUT_REAL double
#include "kernels/stages/block.h"

#include "kernels/cuda/assembled.cuh"

extern "C" {
#include "base/status.h"
}

#include <limits.h>

/* Where the rows of one kind lie in B = [J; Lh], in the order of the unknowns. Each has 3 nonzeros per node; linear
 * rows have their entries. */
typedef struct kind_place {
    uint32_t nodes, rows, factor_rows;
    size_t row_begin, factor_begin; /* nonzeros before those of its first constraint */
} kind_place;

typedef struct row_places {
    kind_place kinds[TAUT_KIND_COUNT];
    size_t nonzeros;
} row_places;

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

/* Number of nodes of a constraint before the one in `slot`, in ascending order: columns of a row are sorted. */
static __device__ uint32_t rank_of(const uint32_t* nodes, uint32_t count, uint32_t slot) {
    uint32_t rank = 0;
    for (uint32_t other = 0; other < count; other++) {
        rank += nodes[other] < nodes[slot];
    }
    return rank;
}

/* Rows and factor rows of constraint c of kind k. */
static __device__ void write_rows(const taut_view& view, const kind_place& place, int k, size_t member, size_t c,
                                  const taut_csr& b) {
    const uint32_t* nodes = view.f.kinds[k].nodes + c * place.nodes;
    const size_t width = 3 * place.nodes;
    for (uint32_t slot = 0; slot < place.nodes; slot++) {
        real vectors[TAUT_MAX_ROWS][3];
        const uint32_t total = block_entry_rows(&view.f, &view.s, (uint32_t)member, slot, vectors);
        const uint32_t rank = rank_of(nodes, place.nodes, slot);
        for (uint32_t r = 0; r < total; r++) {
            const bool factor = r >= place.rows;
            const size_t local = factor ? place_of(view.s.count[k], place.factor_rows, c, r - place.rows)
                                        : place_of(view.s.count[k], place.rows, c, r);
            const size_t begin = (factor ? place.factor_begin : place.row_begin) + local * width;
            b.offsets[(factor ? view.s.first_factor_row[k] : view.s.first_row[k]) + local] = (int)begin;
            for (uint32_t a = 0; a < 3; a++) {
                b.indices[begin + 3 * rank + a] = (int)(3 * nodes[slot] + a);
                b.values[begin + 3 * rank + a] = (float)vectors[r][a];
            }
        }
    }
}

static __device__ void write_linear_row(const taut_view& view, const kind_place& place, size_t c, const taut_csr& b) {
    b.offsets[view.s.first_row[TAUT_LINEAR] + c] = (int)(place.row_begin + view.f.linear_begin[c]);
    for (uint32_t e = view.f.linear_begin[c]; e < view.f.linear_begin[c + 1]; e++) {
        b.indices[place.row_begin + e] = (int)view.f.linear_coordinate[e];
        b.values[place.row_begin + e] = (float)view.f.linear_weight[e];
    }
}

static __global__ void rows_kernel(const __grid_constant__ taut_view view, const __grid_constant__ row_places places,
                                   taut_csr b) {
    const size_t m = thread_index();
    if (m == 0) {
        b.offsets[b.rows] = b.nonzeros;
    }
    if (m < member_total(view.s)) {
        size_t c;
        const int k = kind_of_member(&view.s, m, &c);
        if (k == TAUT_LINEAR) {
            write_linear_row(view, places.kinds[k], c, b);
        } else {
            write_rows(view, places.kinds[k], k, m, c, b);
        }
    }
}

/* P M^-1 P B^T from B^T: a row of it is a coordinate of a node. */
static __global__ void scale_kernel(const __grid_constant__ taut_view view, taut_csr t) {
    const size_t row = thread_index();
    if (row < (size_t)t.rows) {
        for (int i = t.offsets[row]; i < t.offsets[row + 1]; i++) {
            t.values[i] *= view.f.inverse_mass[row / 3];
        }
    }
}

/* Adds to an entry of the matrix; a constraint's own rows share its columns, so B B^T has the entry. */
static __device__ void add_entry(const taut_csr& s, size_t row, size_t column, float value, int* missing) {
    for (int i = s.offsets[row]; i < s.offsets[row + 1]; i++) {
        if (s.indices[i] == (int)column) {
            s.values[i] += value;
            return;
        }
    }
    *missing = 1; /* every writer writes the same */
}

/* W + shift of every constraint, and 1 for its factor rows. */
static __global__ void compliance_kernel(const __grid_constant__ taut_view view,
                                         const __grid_constant__ row_places places, taut_csr s, int* missing) {
    const size_t m = thread_index();
    if (m >= member_total(view.s)) {
        return;
    }
    size_t c;
    const int k = kind_of_member(&view.s, m, &c);
    const size_t rows = places.kinds[k].rows, factor_rows = places.kinds[k].factor_rows;
    const size_t count = view.s.count[k], row0 = view.s.first_row[k], factor_row0 = view.s.first_factor_row[k];
    const float* weight = view.f.kinds[k].weight + c * TAUT_PACKED(rows);
    for (size_t i = 0; i < rows * rows; i++) {
        const size_t row = row0 + place_of(count, rows, c, i / rows);
        const float shift = i / rows == i % rows ? view.f.shift[row] : 0;
        const float value = weight[packed_index(i / rows, i % rows)] + shift;
        add_entry(s, row, row0 + place_of(count, rows, c, i % rows), value, missing);
    }
    for (size_t r = 0; r < factor_rows; r++) {
        const size_t factor = factor_row0 + place_of(count, factor_rows, c, r);
        add_entry(s, factor, factor, 1 + view.f.shift[factor], missing);
    }
}

/* ---- assembly ---------------------------------------------------------------------------------------------------- */

/* Nonzeros in the order of the unknowns: rows of all kinds, then their factor rows. */
static row_places place_rows(const taut_sizes& s) {
    row_places places = {};
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        const taut_kind_shape* shape = &taut_kind_shapes[k];
        places.kinds[k] = {shape->nodes, shape->rows, s.has_factor_rows[k] ? shape->factor_rows : 0, places.nonzeros,
                           0};
        places.nonzeros += k == TAUT_LINEAR ? s.entries[k] : s.count[k] * shape->rows * 3 * shape->nodes;
    }
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        places.kinds[k].factor_begin = places.nonzeros;
        places.nonzeros += s.count[k] * places.kinds[k].factor_rows * 3 * places.kinds[k].nodes;
    }
    return places;
}

static taut_status explicit_matrix(const taut_view& view, const row_places& places, cudaStream_t stream, taut_csr* b) {
    if (places.nonzeros > INT_MAX || view.s.unknowns > INT_MAX || 3 * view.s.nodes > INT_MAX) {
        return taut_fail(TAUT_OUT_OF_MEMORY, "assembled: %zu nonzeros of the rows need larger indices.",
                         places.nonzeros);
    }
    taut_launch launch = {stream, cudaSuccess};
    taut_status status = csr_allocate((int)view.s.unknowns, (int)(3 * view.s.nodes), (int)places.nonzeros, b);
    if (status == TAUT_OK) {
        TAUT_LAUNCH(&launch, rows_kernel, taut_grid(member_total(view.s)), view, places, *b);
        status = taut_cuda_check(launch.error, "writing the rows");
    }
    return status;
}

static taut_status add_compliance(const taut_view& view, const row_places& places, cudaStream_t stream, taut_csr* s) {
    int *missing = NULL, found = 0;
    taut_launch launch = {stream, cudaSuccess};
    taut_status status = taut_cuda_check(cudaMalloc((void**)&missing, sizeof *missing), "allocating a flag");
    if (status != TAUT_OK) {
        return status;
    }
    cudaMemsetAsync(missing, 0, sizeof *missing, stream);
    TAUT_LAUNCH(&launch, compliance_kernel, taut_grid(member_total(view.s)), view, places, *s, missing);
    cudaMemcpyAsync(&found, missing, sizeof found, cudaMemcpyDeviceToHost, stream);
    const cudaError_t ended = cudaStreamSynchronize(stream);
    cudaFree(missing);
    status = taut_cuda_check(launch.error != cudaSuccess ? launch.error : ended, "adding the compliance");
    if (status == TAUT_OK && found) {
        status = taut_fail(TAUT_DEVICE_FAULT, "assembled: the product lacks an entry within a constraint.");
    }
    return status;
}

static taut_status assemble_matrix(const taut_view& view, taut_assembled* a, taut_csr* b, taut_csr* t) {
    const row_places places = place_rows(view.s);
    taut_launch launch = {a->sparse.stream, cudaSuccess};
    taut_status status = explicit_matrix(view, places, a->sparse.stream, b);
    if (status == TAUT_OK) {
        status = sparse_transpose(&a->sparse, b, t);
    }
    if (status == TAUT_OK) {
        TAUT_LAUNCH(&launch, scale_kernel, taut_grid((size_t)t->rows), view, *t);
        status = taut_cuda_check(launch.error, "scaling the rows");
    }
    if (status == TAUT_OK) {
        status = sparse_product(&a->sparse, b, t, &a->matrix);
    }
    return status == TAUT_OK ? add_compliance(view, places, a->sparse.stream, &a->matrix) : status;
}

taut_status assembled_open(const taut_view& view, cudaStream_t stream, taut_assembled* out) {
    if (view.s.simple < view.s.nodes) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "assembled: the world has frames or mapped points, whose masses are no "
                                                "numbers on a diagonal.");
    }
    taut_assembled made = {};
    taut_csr b = {}, t = {};
    taut_status status = sparse_open(&made.sparse, stream);
    if (status == TAUT_OK) {
        status = assemble_matrix(view, &made, &b, &t);
    }
    csr_free(&b);
    csr_free(&t);
    if (status == TAUT_OK) {
        status = spmv_open(&made.sparse, &made.matrix, &made.plan);
    }
    if (status != TAUT_OK) {
        assembled_close(&made);
        return status;
    }
    *out = made;
    return TAUT_OK;
}

void assembled_close(taut_assembled* assembled) {
    spmv_close(&assembled->plan);
    csr_free(&assembled->matrix);
    sparse_close(&assembled->sparse);
}

taut_status assembled_multiply(taut_assembled* assembled, const float* p, float* q) {
    return spmv_multiply(&assembled->sparse, &assembled->plan, p, q);
}
