#include "base/memory.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

/* From so many bytes on the C library gives fresh pages of the system, which are zero until they are written: whatever
 * a world never uses takes no memory, and no time. */
#define PAGES_FROM ((size_t)1 << 17)

static void* fresh_pages(size_t bytes, size_t alignment) {
    char* whole = bytes <= SIZE_MAX - 2 * alignment ? calloc(1, bytes + 2 * alignment) : NULL;
    if (whole == NULL) {
        return NULL;
    }
    char* memory = whole + sizeof whole;
    memory += alignment - (uintptr_t)memory % alignment;
    memcpy(memory - sizeof whole, &whole, sizeof whole);
    return memory;
}

/* Zeroed. */
static void* library_allocate(size_t bytes, size_t alignment, void* user) {
    (void)user;
    if (bytes >= PAGES_FROM) {
        return fresh_pages(bytes, alignment);
    }
    /* aligned_alloc wants a multiple of the alignment. */
    void* memory = aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    return memory != NULL ? memset(memory, 0, bytes) : NULL;
}

static void library_release(void* memory, size_t bytes, void* user) {
    (void)user;
    if (bytes >= PAGES_FROM) {
        void* whole;
        memcpy(&whole, (char*)memory - sizeof whole, sizeof whole);
        memory = whole;
    }
    free(memory);
}

taut_status taut_allocator_resolve(const taut_allocator* given, taut_allocator* out) {
    if ((given->allocate == NULL) != (given->release == NULL)) {
        return taut_fail(TAUT_INVALID_DEFINITION, "allocator: allocate and release must both be given, or neither.");
    }
    *out = *given;
    if (given->allocate == NULL) {
        *out = (taut_allocator){library_allocate, library_release, NULL};
    }
    return TAUT_OK;
}

void* taut_allocate(const taut_allocator* allocator, size_t bytes) {
    if (bytes == 0) {
        return NULL;
    }
    void* memory = bytes <= SIZE_MAX - TAUT_MEMORY_ALIGNMENT
                       ? allocator->allocate(bytes, TAUT_MEMORY_ALIGNMENT, allocator->user)
                       : NULL;
    if (memory == NULL) {
        taut_fail(TAUT_OUT_OF_MEMORY, "out of memory: %zu bytes were refused.", bytes);
        return NULL;
    }
    return allocator->allocate == library_allocate ? memory : memset(memory, 0, bytes);
}

void taut_release(const taut_allocator* allocator, void* memory, size_t bytes) {
    if (memory != NULL) {
        allocator->release(memory, bytes, allocator->user);
    }
}

taut_status taut_buffer_reserve(const taut_allocator* allocator, taut_buffer* buffer, size_t element, size_t extra) {
    buffer->element = element;
    if (extra <= buffer->capacity - buffer->count) {
        return TAUT_OK;
    }
    if (extra > SIZE_MAX / element / 4 || buffer->count > SIZE_MAX / element / 4) {
        return taut_fail(TAUT_OUT_OF_MEMORY, "out of memory: %zu more elements do not fit into memory.", extra);
    }
    const size_t grown = buffer->capacity + buffer->capacity / 2;
    const size_t wanted = buffer->count + extra;
    const size_t capacity = wanted > grown ? wanted : grown;
    void* data = taut_allocate(allocator, capacity * element);
    if (data == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    if (buffer->count > 0) {
        memcpy(data, buffer->data, buffer->count * element);
    }
    taut_release(allocator, buffer->data, buffer->capacity * element);
    buffer->data = data;
    buffer->capacity = capacity;
    return TAUT_OK;
}

void taut_buffer_copy(void* to, const taut_buffer* from) {
    if (from->count > 0) {
        memcpy(to, from->data, from->count * from->element);
    }
}

void taut_buffer_release(const taut_allocator* allocator, taut_buffer* buffer) {
    taut_release(allocator, buffer->data, buffer->capacity * buffer->element);
    *buffer = (taut_buffer){0};
}

void taut_copy_sized(void* to, size_t size, const void* from, size_t known) {
    const size_t both = size < known ? size : known;
    if (both > 0) {
        memcpy(to, from, both);
    }
    memset((char*)to + both, 0, size - both);
}
