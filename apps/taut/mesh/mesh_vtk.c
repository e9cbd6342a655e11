/* Legacy ASCII VTK, unstructured grids: POINTS, CELLS (with counts as before version 5, or with OFFSETS and
 * CONNECTIVITY as since), CELL_TYPES; what follows as CELL_DATA or POINT_DATA is not looked at. Cells without volume
 * are skipped; solids other than linear tetrahedra are refused, since the body would miss them. */
#include "base/array.h"
#include "base/input_file.h"
#include "base/text_scanner.h"
#include "mesh/mesh_readers.h"
#include "mesh/vtk_cells.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct vtk_file {
    text_scanner s;
    mesh_draft* draft;
    bool has_points;
    size_t cell_count;
    size_t* starts;    /* cell_count + 1: of each cell in corners; NULL before CELLS */
    size_t* lines;     /* cell_count */
    uint32_t* corners; /* starts[cell_count], below the number of points */
    bool has_types;
} vtk_file;

/* ---- points and cells ----------------------------------------------------------------------------------------- */

static bool read_points(vtk_file* f) {
    text_scanner* s = &f->s;
    size_t count = 0;
    text_word type;
    if (f->has_points) {
        return text_fail(s, "a second section POINTS");
    }
    f->has_points = true;
    if (!text_count(s, "points", 6, &count) || !text_need_word(s, "the type of the coordinates", &type)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        double point[3];
        if (!text_point(s, point) || !mesh_draft_add_point(f->draft, point, s->r)) {
            return false;
        }
    }
    return true;
}

static bool allocate_cells(vtk_file* f, size_t cells, size_t corners) {
    f->cell_count = cells;
    f->starts = array_new(cells + 1, sizeof *f->starts, f->s.r);
    f->lines = f->starts ? array_new(cells, sizeof *f->lines, f->s.r) : NULL;
    f->corners = f->lines ? array_new(corners, sizeof *f->corners, f->s.r) : NULL;
    return f->corners != NULL;
}

static bool read_corner(vtk_file* f, size_t place) {
    uint64_t corner = 0;
    if (!text_unsigned(&f->s, "the number of a point", UINT32_MAX, &corner)) {
        return false;
    }
    f->corners[place] = (uint32_t)corner;
    return corner < f->draft->point_count || text_fail(&f->s, "there is no point %" PRIu64 ", counted from 0", corner);
}

/* CELLS n size: for each cell the number of its corners and these. */
static bool read_cell_list(vtk_file* f, size_t cells, size_t size) {
    if (size < cells) {
        return text_fail(&f->s, "%zu cells do not fit into a list of %zu numbers", cells, size);
    }
    const size_t total = size - cells;
    if (!allocate_cells(f, cells, total)) {
        return false;
    }
    for (size_t i = 0; i < cells; i++) {
        uint64_t corners = 0;
        if (!text_unsigned(&f->s, "the number of corners of a cell", total - f->starts[i], &corners)) {
            return false;
        }
        f->lines[i] = f->s.line;
        f->starts[i + 1] = f->starts[i] + (size_t)corners;
        for (size_t k = f->starts[i]; k < f->starts[i + 1]; k++) {
            if (!read_corner(f, k)) {
                return false;
            }
        }
    }
    return f->starts[cells] == total ||
           text_fail(&f->s, "CELLS announces %zu numbers, but the cells hold %zu", size, f->starts[cells] + cells);
}

static bool expect_array(text_scanner* s, const char* name) {
    text_word type;
    return text_expect(s, name) && text_need_word(s, "the type of the numbers", &type);
}

/* CELLS offsets size: n + 1 offsets that begin with 0 and end with the number of corners, then all corners. */
static bool read_offset_list(vtk_file* f, size_t offsets, size_t total) {
    if (offsets < 1) {
        return text_fail(&f->s, "CELLS without offsets");
    }
    if (!expect_array(&f->s, "OFFSETS") || !allocate_cells(f, offsets - 1, total)) {
        return false;
    }
    for (size_t i = 0; i < offsets; i++) {
        uint64_t offset = 0;
        if (!text_unsigned(&f->s, "an offset", total, &offset)) {
            return false;
        }
        if (i == 0 ? offset != 0 : offset < f->starts[i - 1]) {
            return text_fail(&f->s, "offset %" PRIu64 " is out of order", offset);
        }
        f->starts[i] = (size_t)offset;
    }
    if (f->starts[f->cell_count] != total) {
        return text_fail(&f->s, "CELLS announces %zu corners, but the offsets end with %zu", total,
                         f->starts[f->cell_count]);
    }
    if (!expect_array(&f->s, "CONNECTIVITY")) {
        return false;
    }
    size_t cell = 0;
    for (size_t k = 0; k < total; k++) {
        if (!read_corner(f, k)) {
            return false;
        }
        for (; cell < f->cell_count && f->starts[cell] <= k; cell++) {
            f->lines[cell] = f->s.line;
        }
    }
    return true;
}

static bool read_cells(vtk_file* f) {
    text_scanner* s = &f->s;
    size_t first = 0;
    size_t second = 0;
    if (f->starts || !f->has_points) {
        return text_fail(s, f->starts ? "a second section CELLS" : "CELLS without POINTS before it");
    }
    if (!text_count(s, "cells", 2, &first) || !text_count(s, "numbers", 2, &second)) {
        return false;
    }
    text_word next;
    const bool offsets = text_peek(s, &next) && text_is(next, "OFFSETS");
    return offsets ? read_offset_list(f, first, second) : read_cell_list(f, first, second);
}

/* ---- types ---------------------------------------------------------------------------------------------------- */

static bool add_tet(vtk_file* f, size_t cell) {
    const size_t corners = f->starts[cell + 1] - f->starts[cell];
    if (corners != 4) {
        return text_fail(&f->s, "the tetrahedron at line %zu has %zu corners", f->lines[cell], corners);
    }
    return mesh_draft_add_element(f->draft, f->corners + f->starts[cell], f->lines[cell], f->s.r);
}

static bool take_cell(vtk_file* f, size_t cell, uint64_t type) {
    if (type == VTK_TETRA) {
        return add_tet(f, cell);
    }
    return vtk_is_line(type) || vtk_is_face(type) ||
           text_fail(&f->s, "a cell of type %" PRIu64 " where only linear tetrahedra (type 10) are read", type);
}

static bool read_types(vtk_file* f) {
    text_scanner* s = &f->s;
    size_t count = 0;
    if (!f->starts || f->has_types) {
        return text_fail(s, f->has_types ? "a second section CELL_TYPES" : "CELL_TYPES without CELLS before it");
    }
    f->has_types = true;
    if (!text_count(s, "cell types", 2, &count)) {
        return false;
    }
    if (count != f->cell_count) {
        return text_fail(s, "%zu cell types for %zu cells", count, f->cell_count);
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t type = 0;
        if (!text_unsigned(s, "a cell type", 255, &type) || !take_cell(f, i, type)) {
            return false;
        }
    }
    return true;
}

/* ---- what is skipped ------------------------------------------------------------------------------------------ */

/* METADATA ends with an empty line. */
static void skip_metadata(text_scanner* s) {
    text_word line = text_take_line(s); /* what is left of the line of METADATA itself */
    do {
        line = text_take_line(s);
    } while (line.length > 0);
}

/* NAME components tuples type, then the values. */
static bool skip_array(text_scanner* s) {
    text_word word;
    uint64_t components = 0;
    uint64_t tuples = 0;
    if (!text_need_word(s, "the name of an array", &word) ||
        !text_unsigned(s, "the number of components", 1 << 20, &components) ||
        !text_unsigned(s, "the number of tuples", INPUT_FILE_LIMIT, &tuples) ||
        !text_need_word(s, "the type of an array", &word) || !text_can_hold(s, "values", components * tuples, 2)) {
        return false;
    }
    for (uint64_t i = 0; i < components * tuples; i++) {
        if (!text_need_word(s, "a value", &word)) {
            return false;
        }
    }
    if (text_peek(s, &word) && text_is(word, "METADATA")) {
        skip_metadata(s);
    }
    return true;
}

static bool skip_field(text_scanner* s) {
    text_word name;
    size_t arrays = 0;
    if (!text_need_word(s, "the name of a field", &name) || !text_count(s, "arrays", 8, &arrays)) {
        return false;
    }
    for (size_t i = 0; i < arrays; i++) {
        if (!skip_array(s)) {
            return false;
        }
    }
    return true;
}

/* ---- the file ------------------------------------------------------------------------------------------------- */

static bool read_header(text_scanner* s) {
    static const char magic[] = "# vtk DataFile Version ";
    const text_word first = text_take_line(s);
    if (first.length < sizeof magic - 1 || strncmp(first.text, magic, sizeof magic - 1) != 0) {
        return report_fail(s->r, "%s:1: is no legacy VTK file: the first line must begin with '%s'", s->path, magic);
    }
    (void)text_take_line(s); /* the title */
    text_word format;
    if (!text_need_word(s, "ASCII", &format)) {
        return false;
    }
    if (text_is(format, "BINARY")) {
        return text_fail(s, "binary VTK files are not read; save it as ASCII");
    }
    return (text_is(format, "ASCII") || text_refuse(s, "ASCII", format)) && text_expect(s, "DATASET") &&
           text_expect(s, "UNSTRUCTURED_GRID");
}

static bool read_section(vtk_file* f, text_word name) {
    if (text_is(name, "POINTS")) {
        return read_points(f);
    }
    if (text_is(name, "CELLS")) {
        return read_cells(f);
    }
    if (text_is(name, "CELL_TYPES")) {
        return read_types(f);
    }
    if (text_is(name, "FIELD")) {
        return skip_field(&f->s);
    }
    if (text_is(name, "METADATA")) {
        skip_metadata(&f->s);
        return true;
    }
    return text_refuse(&f->s, "a section of an unstructured grid", name);
}

static bool read_file(vtk_file* f) {
    text_word name;
    bool ok = read_header(&f->s);
    while (ok && text_next(&f->s, &name) && !text_is(name, "CELL_DATA") && !text_is(name, "POINT_DATA")) {
        ok = read_section(f, name);
    }
    return ok && (f->has_types || text_fail(&f->s, "the file ends without POINTS, CELLS and CELL_TYPES"));
}

bool mesh_read_vtk(const char* path, mesh_draft* d, report* r) {
    vtk_file f = {.draft = d};
    if (!text_open(&f.s, path, r)) {
        return false;
    }
    const bool ok = read_file(&f);
    free(f.starts);
    free(f.lines);
    free(f.corners);
    text_close(&f.s);
    return ok;
}
