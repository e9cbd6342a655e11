#include "base/file_sequence.h"

#include "base/array.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Where the number goes, "%d" or "%04d", and how wide it is; NULL: nowhere, or in more than one place. */
static const char* number_place(const char* path, size_t* length, int* width) {
    const char* at = strchr(path, '%');
    if (!at || strchr(at + 1, '%')) {
        return NULL;
    }
    const char* end = at + 1;
    *width = 0;
    while (isdigit((unsigned char)*end) && end - at < 4) {
        *width = 10 * *width + (*end++ - '0');
    }
    *length = (size_t)(end + 1 - at);
    return *end == 'd' && (at[1] == '0' || at[1] == 'd') ? at : NULL;
}

bool is_file_sequence(const char* path) {
    size_t length;
    int width;
    return number_place(path, &length, &width) != NULL;
}

char* file_of_sequence(const char* sequence, size_t number, report* r) {
    size_t length;
    int width;
    const char* at = number_place(sequence, &length, &width);
    const size_t bytes = strlen(sequence) + 1024;
    char* path = array_new(bytes, 1, r);
    if (path && at) {
        (void)snprintf(path, bytes, "%.*s%0*zu%s", (int)(at - sequence), sequence, width, number, at + length);
    } else if (path) {
        (void)snprintf(path, bytes, "%s", sequence);
    }
    return path;
}
