/* TetGen: NAME.node (points) and NAME.ele (tetrahedra). Both number from 0 or both from 1, in order. */
#include "base/array.h"
#include "base/input_file.h"
#include "base/text_scanner.h"
#include "mesh/mesh_readers.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The path with the ending 'node' or 'ele', in capitals where the given one is. */
static char* partner_path(const char* path, const char* ending, report* r) {
    const char* given = input_file_ending(path);
    const size_t stem = (size_t)(given - path);
    char* partner = array_new(stem + strlen(ending) + 1, 1, r);
    if (!partner) {
        return NULL;
    }
    memcpy(partner, path, stem);
    memcpy(partner + stem, ending, strlen(ending) + 1);
    for (char* c = partner + stem; *c && isupper((unsigned char)*given); c++) {
        *c = (char)toupper((unsigned char)*c);
    }
    return partner;
}

static bool skip_numbers(text_scanner* s, uint64_t count) {
    double ignored = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (!text_double(s, "an attribute", &ignored)) {
            return false;
        }
    }
    return text_end_line(s);
}

/* Item i has the number i or i + 1: `base` is set by the first of the points. */
static bool read_number(text_scanner* s, const char* what, size_t i, uint64_t base) {
    uint64_t number = 0;
    return text_need_line(s, what) && text_unsigned(s, "a number", UINT64_MAX, &number) &&
           (number == i + base || text_fail(s, "number %" PRIu64 " stands where %" PRIu64 " should", number, i + base));
}

static bool peek_base(text_scanner* s, uint64_t* base) {
    text_word word;
    if (!text_need_line(s, "a point") || !text_peek(s, &word)) {
        return false;
    }
    *base = text_is(word, "1") ? 1 : 0;
    return true;
}

static bool read_nodes(text_scanner* s, mesh_draft* d, uint64_t* base) {
    size_t count = 0;
    uint64_t dimension = 0;
    uint64_t attributes = 0;
    uint64_t markers = 0;
    if (!text_need_line(s, "the number of points") || !text_count(s, "points", 8, &count) ||
        !text_unsigned(s, "the dimension", 3, &dimension) ||
        !text_unsigned(s, "the number of attributes", 1024, &attributes) ||
        !text_unsigned(s, "the number of boundary markers", 1, &markers) || !text_end_line(s)) {
        return false;
    }
    if (dimension != 3) {
        return text_fail(s, "points in %" PRIu64 " dimensions; 3 are needed", dimension);
    }
    if (!peek_base(s, base)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        double point[3];
        if (!read_number(s, "a point", i, *base) || !text_point(s, point) || !skip_numbers(s, attributes + markers) ||
            !mesh_draft_add_point(d, point, s->r)) {
            return false;
        }
    }
    return true;
}

static bool read_tet(text_scanner* s, mesh_draft* d, uint64_t base) {
    uint32_t corners[4];
    for (int k = 0; k < 4; k++) {
        uint64_t number = 0;
        if (!text_unsigned(s, "the number of a point", UINT32_MAX, &number)) {
            return false;
        }
        if (number < base || number - base >= d->point_count) {
            return text_fail(s, "there is no point %" PRIu64, number);
        }
        corners[k] = (uint32_t)(number - base);
    }
    return mesh_draft_add_element(d, corners, s->line, s->r);
}

static bool read_tets(text_scanner* s, mesh_draft* d, uint64_t base) {
    size_t count = 0;
    uint64_t corners = 0;
    uint64_t attributes = 0;
    if (!text_need_line(s, "the number of tetrahedra") || !text_count(s, "tetrahedra", 10, &count) ||
        !text_unsigned(s, "the number of corners", UINT32_MAX, &corners) ||
        !text_unsigned(s, "the number of attributes", 1024, &attributes) || !text_end_line(s)) {
        return false;
    }
    if (corners != 4) {
        return text_fail(s, "tetrahedra with %" PRIu64 " corners; only linear ones, with 4, are read", corners);
    }
    for (size_t i = 0; i < count; i++) {
        if (!read_number(s, "a tetrahedron", i, base) || !read_tet(s, d, base) || !skip_numbers(s, attributes)) {
            return false;
        }
    }
    return true;
}

static bool open_table(text_scanner* s, const char* path, report* r) {
    const bool ok = text_open(s, path, r);
    s->by_line = true;
    s->comment = '#';
    return ok;
}

static bool nothing_left(text_scanner* s) {
    return !text_next_line(s) || text_end_line(s);
}

static bool read_pair(const char* node_path, const char* ele_path, mesh_draft* d, report* r) {
    text_scanner s;
    uint64_t base = 0;
    bool ok = open_table(&s, node_path, r) && read_nodes(&s, d, &base) && nothing_left(&s);
    text_close(&s);
    if (!ok) {
        return false;
    }
    ok = open_table(&s, ele_path, r) && read_tets(&s, d, base) && nothing_left(&s);
    text_close(&s);
    return ok;
}

bool mesh_read_tetgen(const char* path, mesh_draft* d, report* r) {
    char* node_path = partner_path(path, "node", r);
    char* ele_path = node_path ? partner_path(path, "ele", r) : NULL;
    const bool ok = ele_path && read_pair(node_path, ele_path, d, r);
    free(node_path);
    free(ele_path);
    return ok;
}
