/* All memory of scenes and worlds passes through here. */
#ifndef TAUT_BASE_MEMORY_H
#define TAUT_BASE_MEMORY_H

#include "taut/base.h"

#define TAUT_MEMORY_ALIGNMENT 64

/* Fills in the C library's functions where both are NULL; refuses half an allocator. */
taut_status taut_allocator_resolve(const taut_allocator* given, taut_allocator* out);

/* Zeroed memory, or NULL with taut_last_error set. `bytes` may be 0 (then NULL without an error). */
void* taut_allocate(const taut_allocator* allocator, size_t bytes);
void taut_release(const taut_allocator* allocator, void* memory, size_t bytes);

/* Copies a struct of `known` bytes to one of `size` bytes, which a program of another version may have: what is not
 * known becomes 0. */
void taut_copy_sized(void* to, size_t size, const void* from, size_t known);

/* An array that grows; zero-initialised is empty. */
typedef struct taut_buffer {
    void* data;
    size_t count; /* elements */
    size_t capacity;
    size_t element; /* bytes; set by the first reserve */
} taut_buffer;

/* Makes room for `extra` more elements behind count, without changing count. Nothing changes on failure. */
taut_status taut_buffer_reserve(const taut_allocator* allocator, taut_buffer* buffer, size_t element, size_t extra);
/* All elements, to an array that has room for them. */
void taut_buffer_copy(void* to, const taut_buffer* from);
void taut_buffer_release(const taut_allocator* allocator, taut_buffer* buffer);

#endif
