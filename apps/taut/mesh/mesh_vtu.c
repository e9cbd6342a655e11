/* VTK's XML files of unstructured grids (.vtu). expat reads the elements, zlib unpacks what is compressed.
 *
 * A body takes the linear tetrahedra, a surface the triangles, quadrilaterals, polygons and strips. Cells of lower
 * dimension are skipped, and for a surface solids too; other cells of the wanted dimension are refused, since they
 * would be missed. Of the arrays only the points and the cells are looked at. */
#include "base/array.h"
#include "base/input_file.h"
#include "mesh/mesh_readers.h"
#include "mesh/vtk_cells.h"
#include "mesh/vtu_data.h"

#include <expat.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum vtu_part { PART_OTHER, PART_POINTS, PART_CELLS } vtu_part;
enum { ARRAY_POINTS, ARRAY_CONNECTIVITY, ARRAY_OFFSETS, ARRAY_TYPES, ARRAY_COUNT };

typedef struct vtu_piece {
    uint64_t points, cells;
    vtu_array arrays[ARRAY_COUNT];
} vtu_piece;

typedef struct vtu_file {
    mesh_draft* draft;
    report* r;
    XML_Parser parser;
    vtu_encoding encoding;
    size_t size;
    char* bytes;
    bool failed, grid;
    vtu_part part;
    vtu_array* open; /* the text between its tags is kept; NULL: none is */
    size_t inner;    /* elements within these tags, whose text is not */
    size_t piece_count, piece_capacity;
    vtu_piece* pieces;
} vtu_file;

/* ---- elements ------------------------------------------------------------------------------------------------- */

static void fail_here(vtu_file* f, const char* cause, const char* what) {
    if (!f->failed) {
        (void)report_fail(f->r, "%s:%lu: %s%s", f->encoding.path, (unsigned long)XML_GetCurrentLineNumber(f->parser),
                          cause, what);
    }
    f->failed = true;
    (void)XML_StopParser(f->parser, XML_FALSE);
}

static const char* attribute(const char** attributes, const char* name, const char* otherwise) {
    for (; *attributes; attributes += 2) {
        if (strcmp(attributes[0], name) == 0) {
            return attributes[1];
        }
    }
    return otherwise;
}

static bool whole(const char* text, uint64_t* out) {
    char* end = NULL;
    *out = strtoull(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0';
}

static void begin_file(vtu_file* f, const char** attributes) {
    const char* type = attribute(attributes, "type", "");
    const char* header = attribute(attributes, "header_type", "UInt32");
    if (strcmp(type, "UnstructuredGrid") != 0) {
        fail_here(f, "only files of the type UnstructuredGrid are read, and this one has the type ", type);
    }
    if (strcmp(header, "UInt32") != 0 && strcmp(header, "UInt64") != 0) {
        fail_here(f, "header_type must be UInt32 or UInt64, and is ", header);
    }
    f->grid = true;
    f->encoding.header_bytes = strcmp(header, "UInt64") == 0 ? 8 : 4;
    f->encoding.big_endian = strcmp(attribute(attributes, "byte_order", ""), "BigEndian") == 0;
    (void)snprintf(f->encoding.compressor, sizeof f->encoding.compressor, "%s",
                   attribute(attributes, "compressor", ""));
}

static void begin_piece(vtu_file* f, const char** attributes) {
    if (f->piece_count == f->piece_capacity) {
        const size_t more = f->piece_capacity ? 2 * f->piece_capacity : 4;
        vtu_piece* larger = realloc(f->pieces, more * sizeof *larger);
        if (!larger) {
            fail_here(f, "out of memory", "");
            return;
        }
        f->pieces = larger;
        f->piece_capacity = more;
    }
    vtu_piece* piece = &f->pieces[f->piece_count++];
    *piece = (vtu_piece){0};
    if (!whole(attribute(attributes, "NumberOfPoints", ""), &piece->points) ||
        !whole(attribute(attributes, "NumberOfCells", ""), &piece->cells) || piece->points > UINT32_MAX ||
        piece->cells > UINT32_MAX) {
        fail_here(f, "a Piece needs NumberOfPoints and NumberOfCells, whole numbers below 2^32", "");
    }
}

/* The array of the piece at hand that this element is, or NULL. */
static vtu_array* array_of(vtu_file* f, const char* name) {
    static const char* const names[] = {"Points", "connectivity", "offsets", "types"};
    if (f->piece_count == 0 || f->part == PART_OTHER) {
        return NULL;
    }
    vtu_array* arrays = f->pieces[f->piece_count - 1].arrays;
    int found = f->part == PART_POINTS ? ARRAY_POINTS : ARRAY_COUNT;
    for (int i = ARRAY_CONNECTIVITY; f->part == PART_CELLS && i < ARRAY_COUNT; i++) {
        found = strcmp(name, names[i]) == 0 ? i : found;
    }
    if (found == ARRAY_COUNT) {
        return NULL;
    }
    arrays[found].name = names[found];
    return &arrays[found];
}

static bool read_format(const char* text, vtu_format* out) {
    static const char* const names[] = {"ascii", "binary", "appended"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(text, names[i]) == 0) {
            *out = (vtu_format)i;
            return true;
        }
    }
    return false;
}

static void begin_array(vtu_file* f, const char** attributes) {
    vtu_array* a = array_of(f, attribute(attributes, "Name", ""));
    uint64_t components = 1;
    if (!a) {
        return;
    }
    if (a->given) {
        fail_here(f, "a Piece has a second array ", a->name);
        return;
    }
    a->given = true;
    (void)snprintf(a->type, sizeof a->type, "%s", attribute(attributes, "type", ""));
    if (!read_format(attribute(attributes, "format", "ascii"), &a->format) ||
        !whole(attribute(attributes, "NumberOfComponents", "1"), &components) ||
        !whole(attribute(attributes, "offset", "0"), &a->offset)) {
        fail_here(f, "format, offset or NumberOfComponents is wrong of the array ", a->name);
        return;
    }
    a->components = (size_t)components;
    f->open = a;
}

/* Where the data begins: it need not be XML, and is the last of the file. */
static void begin_appended(vtu_file* f, const char** attributes) {
    const char* encoding = attribute(attributes, "encoding", "");
    const size_t tag = (size_t)XML_GetCurrentByteIndex(f->parser) + (size_t)XML_GetCurrentByteCount(f->parser);
    const char* at = f->bytes + (tag < f->size ? tag : f->size);
    at += strspn(at, " \t\r\n");
    f->encoding.raw = strcmp(encoding, "raw") == 0;
    if (!f->encoding.raw && strcmp(encoding, "base64") != 0) {
        fail_here(f, "the encoding of AppendedData must be raw or base64, and is ", encoding);
    } else if (*at != '_') {
        fail_here(f, "AppendedData must begin with '_'", "");
    } else {
        f->encoding.appended = at + 1;
        (void)XML_StopParser(f->parser, XML_FALSE);
    }
}

static void XMLCALL on_start(void* user, const XML_Char* name, const XML_Char** attributes) {
    vtu_file* f = user;
    f->inner += f->open != NULL;
    if (!f->grid && strcmp(name, "VTKFile") != 0) {
        fail_here(f, "is no VTK file: the first element must be VTKFile, and is ", name);
    } else if (strcmp(name, "VTKFile") == 0) {
        begin_file(f, attributes);
    } else if (strcmp(name, "Piece") == 0) {
        begin_piece(f, attributes);
    } else if (strcmp(name, "DataArray") == 0) {
        begin_array(f, attributes);
    } else if (strcmp(name, "AppendedData") == 0) {
        begin_appended(f, attributes);
    } else {
        f->part = strcmp(name, "Points") == 0 ? PART_POINTS : strcmp(name, "Cells") == 0 ? PART_CELLS : f->part;
    }
}

static void XMLCALL on_end(void* user, const XML_Char* name) {
    vtu_file* f = user;
    if (f->open && f->inner > 0) {
        f->inner--;
    } else if (strcmp(name, "DataArray") == 0) {
        f->open = NULL;
    } else if (strcmp(name, "Points") == 0 || strcmp(name, "Cells") == 0) {
        f->part = PART_OTHER;
    }
}

static void XMLCALL on_text(void* user, const XML_Char* text, int length) {
    vtu_file* f = user;
    vtu_array* a = f->open;
    if (!a || f->inner > 0 || a->format == VTU_APPENDED) {
        return;
    }
    if (a->text_capacity - a->text_size <= (size_t)length) {
        const size_t more = 2 * a->text_capacity + (size_t)length + 64;
        char* larger = realloc(a->text, more);
        if (!larger) {
            fail_here(f, "out of memory", "");
            return;
        }
        a->text = larger;
        a->text_capacity = more;
    }
    memcpy(a->text + a->text_size, text, (size_t)length);
    a->text_size += (size_t)length;
    a->text[a->text_size] = '\0';
}

/* Entities of a document type could make a small file large. */
static void XMLCALL on_doctype(void* user, const XML_Char* name, const XML_Char* system, const XML_Char* public_id,
                               int internal) {
    (void)system, (void)public_id, (void)internal;
    fail_here(user, "a document type stands where elements should: ", name);
}

static bool parse(vtu_file* f) {
    XML_SetUserData(f->parser, f);
    XML_SetElementHandler(f->parser, on_start, on_end);
    XML_SetCharacterDataHandler(f->parser, on_text);
    XML_SetStartDoctypeDeclHandler(f->parser, on_doctype);
    const size_t step = (size_t)1 << 24; /* expat counts in int */
    for (size_t at = 0; at < f->size && !f->failed && !f->encoding.appended; at += step) {
        const size_t bytes = f->size - at < step ? f->size - at : step;
        const enum XML_Status status = XML_Parse(f->parser, f->bytes + at, (int)bytes, at + bytes == f->size);
        if (status != XML_STATUS_OK && !f->failed && !f->encoding.appended) {
            fail_here(f, "is no valid XML: ", XML_ErrorString(XML_GetErrorCode(f->parser)));
        }
    }
    return !f->failed;
}

/* ---- cells ---------------------------------------------------------------------------------------------------- */

typedef struct vtu_cells {
    const vtu_piece* piece;
    size_t first_point; /* of the draft */
    size_t corner_count;
    uint64_t *corners, *ends, *types;
} vtu_cells;

static bool cell_fail(const vtu_file* f, size_t cell, const char* cause) {
    return report_fail(f->r, "%s: cell %zu %s", f->encoding.path, cell, cause);
}

static bool add_cell(vtu_file* f, const vtu_cells* c, const uint64_t* corners, const size_t* places) {
    uint32_t own[4] = {0};
    for (size_t k = 0; k < f->draft->corner_count; k++) {
        own[k] = (uint32_t)(c->first_point + corners[places[k]]);
    }
    return mesh_draft_add_element(f->draft, own, 0, f->r);
}

/* A fan of the corners 0 to count - 1; the two last of a pixel are exchanged. */
static bool add_polygon(vtu_file* f, const vtu_cells* c, const uint64_t* corners, size_t count, bool pixel) {
    const size_t begin = f->draft->element_count;
    bool ok = true;
    for (size_t k = 2; ok && k < count; k++) {
        size_t places[3] = {0, k - 1, k};
        for (int i = 1; pixel && i < 3; i++) {
            places[i] = places[i] >= 2 ? 5 - places[i] : places[i];
        }
        ok = add_cell(f, c, corners, places);
    }
    if (ok) {
        mesh_draft_end_polygon(f->draft, begin);
    }
    return ok;
}

/* Every other triangle of a strip turns the other way. */
static bool add_strip(vtu_file* f, const vtu_cells* c, const uint64_t* corners, size_t count) {
    bool ok = true;
    for (size_t k = 2; ok && k < count; k++) {
        const size_t places[3] = {k - 2, k % 2 ? k : k - 1, k % 2 ? k - 1 : k};
        ok = add_cell(f, c, corners, places);
    }
    return ok;
}

static bool take_face(vtu_file* f, const vtu_cells* c, size_t cell, const uint64_t* corners, size_t count) {
    const uint64_t type = c->types[cell];
    const size_t needed = type == VTK_TRIANGLE ? 3 : type == VTK_PIXEL || type == VTK_QUAD ? 4 : 0;
    if (needed ? count != needed : count < 3) {
        return cell_fail(f, cell, "has a wrong number of corners");
    }
    return type == VTK_STRIP ? add_strip(f, c, corners, count) : add_polygon(f, c, corners, count, type == VTK_PIXEL);
}

static bool take_cell(vtu_file* f, const vtu_cells* c, size_t cell) {
    static const size_t in_order[] = {0, 1, 2, 3};
    const uint64_t type = c->types[cell];
    const size_t begin = cell ? (size_t)c->ends[cell - 1] : 0;
    const uint64_t* corners = c->corners + begin;
    const size_t count = (size_t)c->ends[cell] - begin;
    const bool body = f->draft->corner_count == 4;
    char cause[96];
    if (!body && type >= VTK_TRIANGLE && type <= VTK_QUAD) {
        return take_face(f, c, cell, corners, count);
    }
    if (body && type == VTK_TETRA) {
        return count == 4 ? add_cell(f, c, corners, in_order) : cell_fail(f, cell, "has a wrong number of corners");
    }
    if (vtk_is_line(type) || vtk_is_face(type) == body) {
        return true;
    }
    (void)snprintf(cause, sizeof cause, "has the type %" PRIu64 " where only linear %s are read", type,
                   body ? "tetrahedra (type 10)" : "faces (types 5 to 9)");
    return cell_fail(f, cell, cause);
}

static bool check_cells(const vtu_file* f, const vtu_cells* c) {
    for (size_t i = 0; i < c->piece->cells; i++) {
        if (c->ends[i] > c->corner_count || (i > 0 && c->ends[i] < c->ends[i - 1])) {
            return cell_fail(f, i, "has an offset that is out of order");
        }
    }
    for (size_t k = 0; k < c->corner_count; k++) {
        if (c->corners[k] >= c->piece->points) {
            return report_fail(f->r, "%s: there is no point %" PRIu64 ", counted from 0", f->encoding.path,
                               c->corners[k]);
        }
    }
    return true;
}

static bool add_cells(vtu_file* f, vtu_cells* c) {
    const vtu_array* arrays = c->piece->arrays;
    size_t cells = (size_t)c->piece->cells;
    c->corner_count = SIZE_MAX;
    bool ok = vtu_integers(&f->encoding, &arrays[ARRAY_CONNECTIVITY], &c->corner_count, &c->corners, f->r) &&
              vtu_integers(&f->encoding, &arrays[ARRAY_OFFSETS], &cells, &c->ends, f->r) &&
              vtu_integers(&f->encoding, &arrays[ARRAY_TYPES], &cells, &c->types, f->r) && check_cells(f, c);
    for (size_t i = 0; ok && i < cells; i++) {
        ok = take_cell(f, c, i);
    }
    free(c->corners);
    free(c->ends);
    free(c->types);
    return ok;
}

static bool add_points(vtu_file* f, const vtu_piece* piece) {
    const vtu_array* a = &piece->arrays[ARRAY_POINTS];
    size_t count = 3 * (size_t)piece->points;
    double* values = NULL;
    if (a->components != 3) {
        return report_fail(f->r, "%s: points need 3 components, and have %zu", f->encoding.path, a->components);
    }
    bool ok = vtu_doubles(&f->encoding, a, &count, &values, f->r);
    for (size_t i = 0; ok && i < count; i += 3) {
        ok = mesh_draft_add_point(f->draft, values + i, f->r);
    }
    free(values);
    return ok;
}

static bool check_piece(const vtu_file* f, const vtu_piece* piece) {
    static const char* const names[] = {"Points", "connectivity", "offsets", "types"};
    for (int i = 0; i < ARRAY_COUNT; i++) {
        const vtu_array* a = &piece->arrays[i];
        if (!a->given || (a->format != VTU_APPENDED && !a->text && (piece->points || piece->cells))) {
            return report_fail(f->r, "%s: a Piece has no array '%s'", f->encoding.path, names[i]);
        }
    }
    return true;
}

static bool add_pieces(vtu_file* f) {
    bool ok = f->piece_count > 0 || report_fail(f->r, "%s: has no Piece of a grid", f->encoding.path);
    for (size_t i = 0; ok && i < f->piece_count; i++) {
        const vtu_piece* piece = &f->pieces[i];
        vtu_cells cells = {.piece = piece, .first_point = f->draft->point_count};
        if (piece->points > 0) { /* an empty piece need not have arrays */
            ok = check_piece(f, piece) && add_points(f, piece) && add_cells(f, &cells);
        }
    }
    return ok;
}

/* ---- the file ------------------------------------------------------------------------------------------------- */

static bool load(vtu_file* f, const char* path) {
    FILE* stream = NULL;
    if (!input_file_open(path, &stream, &f->size, f->r)) {
        return false;
    }
    f->bytes = array_new(f->size + 1, 1, f->r);
    const bool ok = f->bytes && (fread(f->bytes, 1, f->size, stream) == f->size ||
                                 report_fail(f->r, "%s: cannot be read to its end", path));
    (void)fclose(stream);
    f->encoding.path = path;
    f->encoding.end = f->bytes ? f->bytes + f->size : NULL;
    return ok;
}

static void free_file(vtu_file* f) {
    for (size_t i = 0; i < f->piece_count; i++) {
        for (int k = 0; k < ARRAY_COUNT; k++) {
            free(f->pieces[i].arrays[k].text);
        }
    }
    free(f->pieces);
    free(f->bytes);
    XML_ParserFree(f->parser);
}

bool mesh_read_vtu(const char* path, mesh_draft* d, report* r) {
    vtu_file f = {.draft = d, .r = r, .parser = XML_ParserCreate(NULL)};
    const bool ok =
        (f.parser || report_fail(r, "%s: out of memory", path)) && load(&f, path) && parse(&f) && add_pieces(&f);
    free_file(&f);
    return ok;
}
