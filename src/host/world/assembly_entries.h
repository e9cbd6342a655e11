/* Sparse matrices from entries as they come: sorted, and summed where they share a place. */
#ifndef TAUT_WORLD_ASSEMBLY_ENTRIES_H
#define TAUT_WORLD_ASSEMBLY_ENTRIES_H

#include "base/memory.h"

typedef struct csr {
    size_t rows, columns, nonzeros;
    size_t* offsets;
    uint32_t* indices;
    double* values;
} csr;

taut_status csr_open(const taut_allocator* allocator, size_t rows, size_t columns, size_t nonzeros, csr* out);
void csr_close(const taut_allocator* allocator, csr* matrix);
/* Offsets of rows without entries, which are 0. */
void csr_fill_offsets(const csr* matrix);

typedef struct entry_list {
    size_t count, capacity, bytes;
    uint64_t* keys; /* row, then column */
    double* values;
    uint32_t* order;
} entry_list;

/* Room for `room` entries of the matrix of that name. */
taut_status entries_open(const taut_allocator* allocator, const char* name, size_t capacity, entry_list* list);
void entries_close(const taut_allocator* allocator, entry_list* list);
void entries_add(entry_list* list, size_t row, size_t column, double value);
/* Entries of one place are summed in the order in which they were added. */
taut_status entries_merge(const taut_allocator* allocator, entry_list* list, size_t rows, size_t columns, csr* out);

#endif
