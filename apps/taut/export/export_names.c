#include "base/array.h"
#include "export/export_writer.h"

#include <string.h>

static bool is_letter_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Bytes of characters beyond ASCII are kept: names are UTF-8, as the reader of scenes has checked. */
static char file_character(char c, size_t place) {
    const bool beyond = (unsigned char)c >= 0x80;
    const bool allowed = beyond || is_letter_or_digit(c) || c == '_' || c == '-' || (c == '.' && place > 0);
    return allowed ? c : '_';
}

static char prim_character(char c, size_t place) {
    const bool digit = c >= '0' && c <= '9';
    return is_letter_or_digit(c) && !(digit && place == 0) ? c : '_';
}

static bool continues(char c) {
    return ((unsigned char)c & 0xC0) == 0x80;
}

/* The length of a name without what is beyond `most` bytes, in whole characters. */
static size_t cut_length(const char* name, size_t most) {
    size_t length = strlen(name);
    if (length > most) {
        length = most;
        while (length > 0 && continues(name[length])) {
            length--;
        }
    }
    return length;
}

/* U+0080 to U+009F are controls. */
static bool is_control(const char* s) {
    return (unsigned char)s[0] == 0xC2 && (unsigned char)s[1] < 0xA0;
}

/* The name in the allowed characters, with room for a number behind it. File systems take 255 bytes, from which frame
 * number and endings go. */
static char* safe_name(const char* name, char (*allowed)(char, size_t), size_t* length, size_t room, report* r) {
    *length = cut_length(name, 200);
    char* safe = array_new((*length ? *length : 1) + room, 1, r);
    for (size_t i = 0; safe && i < *length; i++) {
        const bool control = is_control(name + i) || (i > 0 && is_control(name + i - 1));
        safe[i] = control ? '_' : allowed(name[i], i);
    }
    if (safe && *length == 0) {
        safe[0] = '_';
        *length = 1;
    }
    return safe;
}

/* ---- names that differ only in case, which file systems of macOS and Windows take for one ------------------------ */

/* The code point at s, and where the next one is. */
static unsigned next_code_point(const char** s) {
    const unsigned char first = (unsigned char)*(*s)++;
    unsigned code = first < 0x80 ? first : first < 0xE0 ? first & 0x1Fu : first < 0xF0 ? first & 0x0Fu : first & 0x07u;
    while (continues(**s)) {
        code = code << 6 | ((unsigned char)*(*s)++ & 0x3Fu);
    }
    return code;
}

static bool lies_in(unsigned code, unsigned first, unsigned last) {
    return first <= code && code <= last;
}

/* The small letter of a Latin, Greek or Cyrillic one. Where capitals and small letters take turns, each pair is one. */
static unsigned small_letter(unsigned c) {
    const bool odd_capitals = lies_in(c, 0x139, 0x148) || lies_in(c, 0x179, 0x17E);
    if (lies_in(c, 'A', 'Z') || (lies_in(c, 0xC0, 0xDE) && c != 0xD7) || lies_in(c, 0x391, 0x3A9) ||
        lies_in(c, 0x410, 0x42F)) {
        return c + 32;
    }
    if (lies_in(c, 0x400, 0x40F)) {
        return c + 80;
    }
    if (odd_capitals) {
        return (c + 1) & ~1u;
    }
    const bool in_turns = lies_in(c, 0x100, 0x177) || lies_in(c, 0x460, 0x52F) || lies_in(c, 0x1E00, 0x1EFF);
    return in_turns ? c | 1 : c;
}

static bool is_same_file(const char* a, const char* b) {
    while (*a && *b) {
        if (small_letter(next_code_point(&a)) != small_letter(next_code_point(&b))) {
            return false;
        }
    }
    return *a == *b;
}

static bool is_same_prim(const char* a, const char* b) {
    return strcmp(a, b) == 0;
}

/* ---- unique names ----------------------------------------------------------------------------------------------- */

/* A kind of names: where an item has it, of which characters it is, and which ones fall together. */
typedef struct naming {
    char** (*of)(export_item* item);
    char (*character)(char, size_t);
    bool (*same)(const char*, const char*);
} naming;

static char** file_name_of(export_item* item) {
    return &item->file_name;
}
static char** prim_name_of(export_item* item) {
    return &item->prim_name;
}

static const naming of_files = {file_name_of, file_character, is_same_file};
static const naming of_prims = {prim_name_of, prim_character, is_same_prim};

static bool is_taken(export_item* items, size_t count, const naming* kind, const char* name) {
    for (size_t i = 0; i < count; i++) {
        if (kind->same(*kind->of(&items[i]), name)) {
            return true;
        }
    }
    return false;
}

/* Names that fall together get _2, _3, ... in the order of the objects. */
static bool make_name(const char* name, export_item* items, size_t i, const naming* kind, report* r) {
    const size_t room = 24;
    size_t length = 0;
    char* safe = safe_name(name, kind->character, &length, room, r);
    if (!safe) {
        return false;
    }
    for (size_t number = 2; is_taken(items, i, kind, safe); number++) {
        (void)snprintf(safe + length, room, "_%zu", number);
    }
    *kind->of(&items[i]) = safe;
    return true;
}

bool export_make_names(const export_object* objects, export_item* items, size_t count, report* r) {
    for (size_t i = 0; i < count; i++) {
        if (!make_name(objects[i].name, items, i, &of_files, r) ||
            !make_name(objects[i].name, items, i, &of_prims, r)) {
            return false;
        }
    }
    return true;
}
