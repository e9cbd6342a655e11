#include "host/world/assembly_entries.h"

#include "base/status.h"
#include "model/backend.h"

taut_status csr_open(const taut_allocator* allocator, size_t rows, size_t columns, size_t nonzeros, csr* out) {
    *out = (csr){.rows = rows, .columns = columns, .nonzeros = nonzeros};
    out->offsets = taut_allocate(allocator, (rows + 1) * sizeof *out->offsets);
    out->indices = taut_allocate(allocator, (nonzeros + 1) * sizeof *out->indices);
    out->values = taut_allocate(allocator, (nonzeros + 1) * sizeof *out->values);
    return out->offsets != NULL && out->indices != NULL && out->values != NULL ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

void csr_fill_offsets(const csr* matrix) {
    for (size_t row = 0; row < matrix->rows; row++) {
        const size_t before = matrix->offsets[row];
        matrix->offsets[row + 1] = matrix->offsets[row + 1] > before ? matrix->offsets[row + 1] : before;
    }
}

void csr_close(const taut_allocator* allocator, csr* matrix) {
    taut_release(allocator, matrix->offsets, (matrix->rows + 1) * sizeof *matrix->offsets);
    taut_release(allocator, matrix->indices, (matrix->nonzeros + 1) * sizeof *matrix->indices);
    taut_release(allocator, matrix->values, (matrix->nonzeros + 1) * sizeof *matrix->values);
}

taut_status entries_open(const taut_allocator* allocator, const char* name, size_t capacity, entry_list* list) {
    *list = (entry_list){.capacity = capacity};
    if (capacity > UINT32_MAX) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "assembly: %s has %zu entries, more than %u.", name, capacity,
                         UINT32_MAX);
    }
    list->bytes = (capacity + 1) * (sizeof *list->keys + sizeof *list->values + sizeof *list->order);
    list->keys = taut_allocate(allocator, list->bytes);
    if (list->keys == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    list->values = (double*)(list->keys + capacity);
    list->order = (uint32_t*)(list->values + capacity);
    return TAUT_OK;
}

void entries_close(const taut_allocator* allocator, entry_list* list) {
    taut_release(allocator, list->keys, list->bytes);
}

void entries_add(entry_list* list, size_t row, size_t column, double value) {
    list->keys[list->count] = (uint64_t)row << 32 | column;
    list->values[list->count] = value;
    list->order[list->count] = (uint32_t)list->count;
    list->count++;
}

/* Matrices whose entries come in their order are spared the sorting: J of particles, and masses. */
static taut_status sort_entries(const taut_allocator* allocator, entry_list* list) {
    bool ascending = true;
    for (size_t i = 1; ascending && i < list->count; i++) {
        ascending = list->keys[i - 1] <= list->keys[i];
    }
    return ascending ? TAUT_OK : taut_cpu_backend.sort(-1, list->keys, list->order, list->count, allocator);
}

taut_status entries_merge(const taut_allocator* allocator, entry_list* list, size_t rows, size_t columns, csr* out) {
    taut_status status = sort_entries(allocator, list);
    size_t nonzeros = 0, at = 0;
    for (size_t i = 0; i < list->count; i++) {
        nonzeros += i == 0 || list->keys[i] != list->keys[i - 1];
    }
    if (status == TAUT_OK) {
        status = csr_open(allocator, rows, columns, nonzeros, out);
    }
    for (size_t i = 0; status == TAUT_OK && i < list->count; i++) {
        at += i > 0 && list->keys[i] != list->keys[i - 1];
        out->indices[at] = (uint32_t)list->keys[i];
        out->values[at] += list->values[list->order[i]];
        out->offsets[(list->keys[i] >> 32) + 1] = at + 1;
    }
    if (status == TAUT_OK) {
        csr_fill_offsets(out);
    }
    return status;
}
