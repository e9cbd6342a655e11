#include "base/array.h"
#include "export/export_writer.h"

#include <string.h>

static bool is_letter_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static char file_character(char c, size_t place) {
    const bool allowed = is_letter_or_digit(c) || c == '_' || c == '-' || (c == '.' && place > 0);
    return allowed ? c : '_';
}

static char prim_character(char c, size_t place) {
    const bool digit = c >= '0' && c <= '9';
    return is_letter_or_digit(c) && !(digit && place == 0) ? c : '_';
}

/* The name in the allowed characters, with room for a number behind it. File systems take 255 bytes, from which frame
 * number and endings go. */
static char* safe_name(const char* name, char (*allowed)(char, size_t), size_t* length, size_t room, report* r) {
    const size_t most = 200;
    *length = strlen(name) < most ? strlen(name) : most;
    char* safe = array_new((*length ? *length : 1) + room, 1, r);
    for (size_t i = 0; safe && i < *length; i++) {
        safe[i] = allowed(name[i], i);
    }
    if (safe && *length == 0) {
        safe[0] = '_';
        *length = 1;
    }
    return safe;
}

typedef char** name_of(export_item* item);

static char** file_name_of(export_item* item) {
    return &item->file_name;
}
static char** prim_name_of(export_item* item) {
    return &item->prim_name;
}

static bool is_taken(export_item* items, size_t count, name_of* get, const char* name) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(*get(&items[i]), name) == 0) {
            return true;
        }
    }
    return false;
}

/* Names that fall together get _2, _3, ... in the order of the objects. */
static bool make_name(const char* name, export_item* items, size_t i, name_of* get, char (*allowed)(char, size_t),
                      report* r) {
    const size_t room = 24;
    size_t length = 0;
    char* safe = safe_name(name, allowed, &length, room, r);
    if (!safe) {
        return false;
    }
    for (size_t number = 2; is_taken(items, i, get, safe); number++) {
        (void)snprintf(safe + length, room, "_%zu", number);
    }
    *get(&items[i]) = safe;
    return true;
}

bool export_make_names(const export_object* objects, export_item* items, size_t count, report* r) {
    for (size_t i = 0; i < count; i++) {
        if (!make_name(objects[i].name, items, i, file_name_of, file_character, r) ||
            !make_name(objects[i].name, items, i, prim_name_of, prim_character, r)) {
            return false;
        }
    }
    return true;
}
