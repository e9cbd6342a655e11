#include "counter.h"

#include <stdlib.h>

static void* allocate(size_t bytes, size_t alignment, void* user) {
    bench_counter* counter = user;
    void* memory = aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (memory != NULL) {
        counter->bytes += bytes;
        counter->peak = counter->bytes > counter->peak ? counter->bytes : counter->peak;
    }
    return memory;
}

static void release(void* memory, size_t bytes, void* user) {
    bench_counter* counter = user;
    counter->bytes -= bytes;
    free(memory);
}

taut_allocator counting_allocator(bench_counter* counter) {
    return (taut_allocator){allocate, release, counter};
}
