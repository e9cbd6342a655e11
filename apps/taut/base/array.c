#include "base/array.h"

#include <stdlib.h>
#include <string.h>

void* array_new(size_t count, size_t size, report* r) {
    void* memory = calloc(count ? count : 1, size);
    if (!memory) {
        report_fail(r, "out of memory (%zu elements of %zu bytes)", count, size);
    }
    return memory;
}

char* text_copy(const char* text, report* r) {
    size_t bytes = strlen(text) + 1;
    char* copy = array_new(bytes, 1, r);
    return copy ? memcpy(copy, text, bytes) : NULL;
}
