#include "phys_data.h"

#include "phys_scenes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char* phys_shared_text(const char* name) {
    const char* path = test_data(name);
    FILE* file = path == NULL ? NULL : fopen(path, "rb");
    if (file == NULL) {
        test_skip("shared data absent");
        return NULL;
    }
    char* text = phys_array(1 << 16, 1);
    const size_t length = fread(text, 1, (1 << 16) - 1, file);
    text[length] = '\0';
    fclose(file);
    return text;
}

bool phys_next_number(const char** text, const char* key, double* value) {
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char* found = strstr(*text, quoted);
    if (found == NULL) {
        return false;
    }
    char* end;
    *value = strtod(found + strlen(quoted) + strspn(found + strlen(quoted), " [\n"), &end);
    *text = end;
    return true;
}
