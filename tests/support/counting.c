#include "counting.h"

#include <stdint.h>
#include <stdlib.h>

/* In front of every block, at the largest alignment that the interface allows. */
enum { HEADER = 256 };

static void* count_allocate(size_t bytes, size_t alignment, void* user) {
    counting* state = user;
    state->requests++;
    if (alignment == 0 || alignment > HEADER || (alignment & (alignment - 1)) != 0) {
        state->misuse = true;
    }
    if (state->refuse_from != 0 && state->requests >= state->refuse_from) {
        return NULL;
    }
    const size_t rounded = (bytes + 2 * HEADER - 1) / HEADER * HEADER;
    char* block = aligned_alloc(HEADER, rounded);
    if (block == NULL) {
        return NULL;
    }
    *(size_t*)(void*)block = bytes;
    state->live++;
    state->live_bytes += bytes;
    return block + HEADER;
}

static void count_release(void* memory, size_t bytes, void* user) {
    counting* state = user;
    char* block = (char*)memory - HEADER;
    if (*(size_t*)(void*)block != bytes || state->live == 0) {
        state->misuse = true;
    }
    state->live--;
    state->live_bytes -= bytes;
    free(block);
}

taut_allocator counting_allocator(counting* state) {
    return (taut_allocator){count_allocate, count_release, state};
}
