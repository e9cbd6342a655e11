/* Medit text files (.mesh): 'MeshVersionFormatted N', 'Dimension 3', then sections of a keyword, a count, and as many
 * rows, which end with a reference number. Rows of Vertices and Tetrahedra are read, for surfaces those of Triangles
 * and Quadrilaterals; of the solids that linear tetrahedra cannot stand for, a section is refused, since the body would
 * miss them; other sections are skipped. */
#include "base/text_scanner.h"
#include "mesh/mesh_readers.h"

#include <ctype.h>
#include <inttypes.h>

typedef struct medit_file {
    text_scanner s;
    mesh_draft* draft;
    bool has_vertices;
    bool has_elements;
} medit_file;

/* What is read of a draft whose elements have `of` corners. */
typedef struct medit_elements {
    const char *keyword, *what;
    size_t of, corner_count;
} medit_elements;
static const medit_elements known[] = {
    {"Tetrahedra", "tetrahedra", 4, 4}, {"Triangles", "triangles", 3, 3}, {"Quadrilaterals", "quadrilaterals", 3, 4}};

/* Before anything else of the file. */
static bool read_header(medit_file* f) {
    uint64_t ignored = 0;
    uint64_t dimension = 0;
    return text_expect(&f->s, "MeshVersionFormatted") && text_unsigned(&f->s, "a version", 4, &ignored) &&
           text_expect(&f->s, "Dimension") && text_unsigned(&f->s, "the dimension", 3, &dimension) &&
           (dimension == 3 || text_fail(&f->s, "points in %" PRIu64 " dimensions; 3 are needed", dimension));
}

static bool read_reference(medit_file* f) {
    text_word ignored; /* may be negative */
    return text_need_word(&f->s, "a reference number", &ignored);
}

static bool read_vertices(medit_file* f) {
    size_t count = 0;
    if (f->has_vertices) {
        return text_fail(&f->s, "a second section Vertices");
    }
    f->has_vertices = true;
    bool ok = text_count(&f->s, "vertices", 7, &count);
    for (size_t i = 0; ok && i < count; i++) {
        double point[3];
        ok = text_point(&f->s, point) && read_reference(f) && mesh_draft_add_point(f->draft, point, f->s.r);
    }
    return ok;
}

/* Vertices number from 1. */
static bool read_corner(medit_file* f, uint32_t* out) {
    uint64_t number = 0;
    if (!text_unsigned(&f->s, "the number of a vertex", UINT32_MAX, &number)) {
        return false;
    }
    if (number < 1 || number > f->draft->point_count) {
        return text_fail(&f->s, "there is no vertex %" PRIu64, number);
    }
    *out = (uint32_t)(number - 1);
    return true;
}

/* A tetrahedron, a triangle or a quadrilateral. */
static bool read_element(medit_file* f, size_t corner_count) {
    uint32_t corners[4];
    for (size_t k = 0; k < corner_count; k++) {
        if (!read_corner(f, &corners[k])) {
            return false;
        }
    }
    return mesh_draft_add_cell(f->draft, corners, corner_count, f->s.line, f->s.r) && read_reference(f);
}

static bool read_elements(medit_file* f, const medit_elements* section) {
    size_t count = 0;
    if (!f->has_vertices) {
        return text_fail(&f->s, "%s without Vertices before them", section->keyword);
    }
    f->has_elements = true;
    bool ok = text_count(&f->s, section->what, 2 * section->corner_count + 1, &count);
    for (size_t i = 0; ok && i < count; i++) {
        ok = read_element(f, section->corner_count);
    }
    return ok;
}

/* Up to the next keyword: the numbers of the section at hand. */
static bool skip_section(medit_file* f, text_word keyword) {
    if (!isalpha((unsigned char)keyword.text[0])) {
        return text_refuse(&f->s, "a section of a Medit file", keyword);
    }
    text_word word;
    while (text_peek(&f->s, &word) && !isalpha((unsigned char)word.text[0])) {
        (void)text_next(&f->s, &word);
    }
    return true;
}

static bool read_section(medit_file* f, text_word keyword) {
    if (text_is(keyword, "Vertices")) {
        return read_vertices(f);
    }
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (known[i].of == f->draft->corner_count && text_is(keyword, known[i].keyword)) {
            return read_elements(f, &known[i]);
        }
    }
    const bool solid = f->draft->corner_count == 4;
    if (solid && (text_is(keyword, "Hexahedra") || text_is(keyword, "Prisms") || text_is(keyword, "Pyramids"))) {
        return text_fail(&f->s, "%.*s where only linear tetrahedra are read", (int)keyword.length, keyword.text);
    }
    return skip_section(f, keyword);
}

bool mesh_read_medit(const char* path, mesh_draft* d, report* r) {
    medit_file f = {.draft = d};
    if (!text_open(&f.s, path, r)) {
        return false;
    }
    f.s.comment = '#';
    bool ok = read_header(&f);
    text_word keyword;
    while (ok && text_next(&f.s, &keyword) && !text_is(keyword, "End")) {
        ok = read_section(&f, keyword);
    }
    ok = ok && (f.has_elements || text_fail(&f.s, "the file ends without Vertices and %s",
                                            d->corner_count == 4 ? "Tetrahedra" : "Triangles"));
    text_close(&f.s);
    return ok;
}
