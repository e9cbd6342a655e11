/* Memory as the library takes it: zeroed, aligned, and given back, whatever its size. */
#include "phys_scenes.h"

#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static bool is_zeroed(const unsigned char* memory, size_t bytes) {
    return memory[0] == 0 && memcmp(memory, memory + 1, bytes - 1) == 0;
}

/* Each size twice, so that what was written before would show. */
static void check_sizes(const taut_allocator* allocator) {
    const size_t sizes[] = {1, 63, 4096, ((size_t)1 << 17) - 1, (size_t)1 << 17, ((size_t)1 << 17) + 1, 5000000};
    for (size_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
        const size_t bytes = sizes[i / 2];
        unsigned char* memory = taut_allocate(allocator, bytes);
        CHECK(memory != NULL && (uintptr_t)memory % TAUT_MEMORY_ALIGNMENT == 0);
        CHECK(memory != NULL && is_zeroed(memory, bytes));
        if (memory != NULL) {
            memset(memory, 0xa5, bytes);
        }
        taut_release(allocator, memory, bytes);
    }
}

TAUT_PLAIN_TEST(memory, of_the_library) {
    taut_allocator allocator;
    CHECK_OK(taut_allocator_resolve(&(taut_allocator){0}, &allocator));
    check_sizes(&allocator);
    CHECK(taut_allocate(&allocator, SIZE_MAX) == NULL);
    CHECK(taut_allocate(&allocator, SIZE_MAX - TAUT_MEMORY_ALIGNMENT) == NULL);
    CHECK(taut_allocate(&allocator, 0) == NULL);
}

static void* dirty_allocate(size_t bytes, size_t alignment, void* user) {
    (void)user;
    void* memory = aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    return memory != NULL ? memset(memory, 0x5a, bytes) : NULL;
}

static void dirty_release(void* memory, size_t bytes, void* user) {
    (void)bytes, (void)user;
    free(memory);
}

TAUT_PLAIN_TEST(memory, of_a_program_that_does_not_clear_it) {
    taut_allocator allocator;
    CHECK_OK(taut_allocator_resolve(&(taut_allocator){dirty_allocate, dirty_release, NULL}, &allocator));
    check_sizes(&allocator);
}
