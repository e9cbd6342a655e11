/* Gmsh, versions 2.2 and 4.1, ASCII and binary: $Nodes and $Elements; other sections are skipped. Nodes bear any
 * numbers. A body takes the linear tetrahedra: points, lines and faces among the elements are skipped, other solids are
 * refused, since the body would miss them. A surface takes the linear triangles and quadrilaterals: other faces are
 * refused, all else is skipped. */
#include "base/array.h"
#include "mesh/mesh_gmsh_numbers.h"
#include "mesh/mesh_readers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct gmsh_node {
    uint64_t tag;
    uint32_t point;
} gmsh_node;

typedef struct gmsh_file {
    gmsh_numbers n;
    mesh_draft* draft;
    bool blocks; /* version 4.1 */
    size_t node_count;
    gmsh_node* nodes; /* sorted by tag once $Nodes is read; NULL before */
    bool has_elements;
} gmsh_file;

/* ---- nodes ---------------------------------------------------------------------------------------------------- */

static int by_tag(const void* left, const void* right) {
    const gmsh_node* a = left;
    const gmsh_node* b = right;
    return a->tag < b->tag ? -1 : a->tag > b->tag;
}

/* Of nodes and elements: an integer in version 2.2, a size in 4.1. */
static bool read_number(gmsh_file* f, const char* what, uint64_t* out) {
    return f->blocks ? gmsh_size(&f->n, what, out) : gmsh_int(&f->n, what, UINT64_MAX, out);
}

static bool sort_nodes(gmsh_file* f) {
    qsort(f->nodes, f->node_count, sizeof *f->nodes, by_tag);
    for (size_t i = 1; i < f->node_count; i++) {
        if (f->nodes[i].tag == f->nodes[i - 1].tag) {
            return text_fail(&f->n.s, "node %" PRIu64 " is given twice in the section that ends here", f->nodes[i].tag);
        }
    }
    return true;
}

static bool allocate_nodes(gmsh_file* f, size_t count) {
    if (f->nodes) {
        return text_fail(&f->n.s, "a second section $Nodes");
    }
    f->nodes = array_new(count, sizeof *f->nodes, f->n.s.r);
    f->node_count = count;
    return f->nodes != NULL;
}

static bool read_tag(gmsh_file* f, size_t node) {
    f->nodes[node].point = (uint32_t)node;
    return gmsh_need_line(&f->n, "a node") && read_number(f, "a node number", &f->nodes[node].tag);
}

static bool read_position(gmsh_file* f) {
    double point[3];
    return gmsh_double(&f->n, "a coordinate", &point[0]) && gmsh_double(&f->n, "a coordinate", &point[1]) &&
           gmsh_double(&f->n, "a coordinate", &point[2]) && mesh_draft_add_point(f->draft, point, f->n.s.r);
}

static bool read_nodes_2(gmsh_file* f) {
    size_t count = 0;
    if (!text_need_line(&f->n.s, "the number of nodes") || !text_count(&f->n.s, "nodes", 8, &count) ||
        !gmsh_begin_numbers(&f->n) || !allocate_nodes(f, count)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!read_tag(f, i) || !read_position(f) || !gmsh_end_line(&f->n)) {
            return false;
        }
    }
    return true;
}

/* Blocks: how many blocks, how many things in all of them, and the least and greatest number of a thing. */
static bool read_block_totals(gmsh_file* f, const char* what, size_t bytes_each, size_t* blocks, size_t* total) {
    uint64_t ignored = 0;
    gmsh_numbers* n = &f->n;
    return gmsh_need_line(n, "the number of blocks") && gmsh_count(n, "blocks", 8, blocks) &&
           gmsh_count(n, what, bytes_each, total) && gmsh_size(n, "a number", &ignored) &&
           gmsh_size(n, "a number", &ignored) && gmsh_end_line(n);
}

typedef struct gmsh_block {
    uint64_t dimension;
    uint64_t kind; /* of nodes: 1 where parametric coordinates follow the position; of elements: their type */
    uint64_t count;
} gmsh_block;

/* `left` things may still come. */
static bool read_block(gmsh_file* f, const char* what, size_t left, gmsh_block* block) {
    gmsh_numbers* n = &f->n;
    if (!gmsh_need_line(n, "a block") || !gmsh_int(n, "a dimension", 3, &block->dimension) ||
        !gmsh_skip_int(n, "the number of an entity") ||
        !gmsh_int(n, "the kind of the block", INT32_MAX, &block->kind) ||
        !gmsh_size(n, "the size of the block", &block->count) || !gmsh_end_line(n)) {
        return false;
    }
    return block->count <= left ||
           text_fail(&n->s, "the block has %" PRIu64 " %s, but only %zu of those announced are left", block->count,
                     what, left);
}

static bool read_block_positions(gmsh_file* f, const gmsh_block* block) {
    for (uint64_t i = 0; i < block->count; i++) {
        if (!gmsh_need_line(&f->n, "the position of a node") || !read_position(f)) {
            return false;
        }
        double parameter = 0;
        for (uint64_t k = 0; block->kind && k < block->dimension; k++) {
            if (!gmsh_double(&f->n, "a parametric coordinate", &parameter)) {
                return false;
            }
        }
        if (!gmsh_end_line(&f->n)) {
            return false;
        }
    }
    return true;
}

static bool read_nodes_4(gmsh_file* f) {
    size_t blocks = 0;
    size_t total = 0;
    if (!read_block_totals(f, "nodes", 8, &blocks, &total) || !allocate_nodes(f, total)) {
        return false;
    }
    size_t done = 0;
    for (size_t b = 0; b < blocks; b++) {
        gmsh_block block;
        if (!read_block(f, "nodes", total - done, &block)) {
            return false;
        }
        for (uint64_t i = 0; i < block.count; i++) {
            if (!read_tag(f, done++) || !gmsh_end_line(&f->n)) {
                return false;
            }
        }
        if (!read_block_positions(f, &block)) {
            return false;
        }
    }
    return done == total || text_fail(&f->n.s, "%zu nodes are announced, but the blocks hold %zu", total, done);
}

/* ---- elements ------------------------------------------------------------------------------------------------- */

/* By type, from 1: dimension and nodes of points, lines, faces and solids of first to fifth order. */
typedef struct gmsh_type {
    unsigned char dimension, nodes;
} gmsh_type;

enum { GMSH_TRIANGLE = 2, GMSH_QUADRILATERAL = 3, GMSH_TETRAHEDRON = 4 };

static const gmsh_type known_types[] = {{0, 0},  {1, 2},  {2, 3},  {2, 4},  {3, 4},  {3, 8},  {3, 6},  {3, 5},
                                        {1, 3},  {2, 6},  {2, 9},  {3, 10}, {3, 27}, {3, 18}, {3, 14}, {0, 1},
                                        {2, 8},  {3, 20}, {3, 15}, {3, 13}, {2, 9},  {2, 10}, {2, 12}, {2, 15},
                                        {2, 15}, {2, 21}, {1, 4},  {1, 5},  {1, 6},  {3, 20}, {3, 35}, {3, 56}};
enum { TYPE_COUNT = sizeof known_types / sizeof known_types[0] };

static bool read_corner(gmsh_file* f, uint32_t* corner) {
    gmsh_node wanted = {0};
    if (!read_number(f, "a node number", &wanted.tag)) {
        return false;
    }
    const gmsh_node* node = bsearch(&wanted, f->nodes, f->node_count, sizeof *f->nodes, by_tag);
    if (!node) {
        return text_fail(&f->n.s, "there is no node %" PRIu64, wanted.tag);
    }
    *corner = node->point;
    return true;
}

/* A tetrahedron, a triangle or a quadrilateral. */
static bool take_element(gmsh_file* f, size_t corner_count) {
    uint32_t corners[4];
    for (size_t k = 0; k < corner_count; k++) {
        if (!read_corner(f, &corners[k])) {
            return false;
        }
    }
    const size_t line = f->n.s.binary ? 0 : f->n.s.line;
    return gmsh_end_line(&f->n) && mesh_draft_add_cell(f->draft, corners, corner_count, line, f->n.s.r);
}

static bool skip_element(gmsh_file* f, uint64_t type) {
    text_scanner* s = &f->n.s;
    const size_t bytes = type < TYPE_COUNT ? (f->blocks ? 8u : 4u) * known_types[type].nodes : 0;
    if (!s->binary) {
        (void)text_rest_of_line(s);
        return true;
    }
    if (s->size - s->at < bytes) {
        return text_fail(s, "the file ends within an element");
    }
    s->at += bytes;
    return true;
}

/* What would be missed may not be skipped: solids of a body, faces of a surface; nor what has an unknown length. */
static bool may_skip(const gmsh_file* f, uint64_t type) {
    const bool known = type > 0 && type < TYPE_COUNT;
    const int dimension = known ? known_types[type].dimension : 3;
    return f->draft->corner_count == 4 ? dimension < 3 : dimension != 2 && (known || !f->n.s.binary);
}

/* What follows the description of an element of `type`. */
static bool read_element(gmsh_file* f, uint64_t type) {
    const bool body = f->draft->corner_count == 4;
    if (body ? type == GMSH_TETRAHEDRON : type == GMSH_TRIANGLE || type == GMSH_QUADRILATERAL) {
        return take_element(f, known_types[type].nodes);
    }
    if (may_skip(f, type)) {
        return skip_element(f, type);
    }
    return text_fail(&f->n.s,
                     body ? "an element of type %" PRIu64 " where only linear tetrahedra (type 4) are read"
                          : "an element of type %" PRIu64
                            " where only linear triangles and quadrilaterals (types 2 and 3) are read",
                     type);
}

static bool skip_tags(gmsh_file* f, uint64_t tags) {
    for (uint64_t t = 0; t < tags; t++) {
        if (!gmsh_skip_int(&f->n, "a tag")) {
            return false;
        }
    }
    return true;
}

/* An element a line. */
static bool read_elements_2(gmsh_file* f, size_t count) {
    gmsh_numbers* n = &f->n;
    for (size_t i = 0; i < count; i++) {
        uint64_t number = 0;
        uint64_t type = 0;
        uint64_t tags = 0;
        if (!gmsh_need_line(n, "an element") || !gmsh_int(n, "an element number", UINT64_MAX, &number) ||
            !gmsh_int(n, "an element type", UINT32_MAX, &type) || !gmsh_int(n, "the number of tags", 1024, &tags) ||
            !skip_tags(f, tags) || !read_element(f, type)) {
            return false;
        }
    }
    return true;
}

/* Blocks of elements of one type. */
static bool read_elements_2_packed(gmsh_file* f, size_t count) {
    gmsh_numbers* n = &f->n;
    for (size_t left = count; left > 0;) {
        uint64_t type = 0, more = 0, tags = 0, number = 0;
        if (!gmsh_int(n, "an element type", INT32_MAX, &type) ||
            !gmsh_int(n, "the size of a block, within what is announced,", left, &more) ||
            !gmsh_int(n, "the number of tags", 1024, &tags)) {
            return false;
        }
        for (uint64_t i = 0; i < more; i++) {
            if (!gmsh_int(n, "an element number", INT32_MAX, &number) || !skip_tags(f, tags) ||
                !read_element(f, type)) {
                return false;
            }
        }
        left -= (size_t)more;
    }
    return true;
}

static bool read_elements_of_2(gmsh_file* f) {
    text_scanner* s = &f->n.s;
    size_t count = 0;
    return text_need_line(s, "the number of elements") && text_count(s, "elements", 8, &count) &&
           gmsh_begin_numbers(&f->n) && (s->binary ? read_elements_2_packed(f, count) : read_elements_2(f, count));
}

static bool read_elements_of_4(gmsh_file* f) {
    size_t blocks = 0;
    size_t total = 0;
    if (!read_block_totals(f, "elements", 4, &blocks, &total)) {
        return false;
    }
    size_t done = 0;
    for (size_t b = 0; b < blocks; b++) {
        gmsh_block block;
        if (!read_block(f, "elements", total - done, &block)) {
            return false;
        }
        for (uint64_t i = 0; i < block.count; i++, done++) {
            uint64_t number = 0;
            if (!gmsh_need_line(&f->n, "an element") || !gmsh_size(&f->n, "an element number", &number) ||
                !read_element(f, block.kind)) {
                return false;
            }
        }
    }
    return done == total || text_fail(&f->n.s, "%zu elements are announced, but the blocks hold %zu", total, done);
}

/* ---- sections ------------------------------------------------------------------------------------------------- */

static bool read_format(gmsh_file* f) {
    text_scanner* s = &f->n.s;
    double version = 0;
    uint64_t binary = 0;
    uint64_t size = 0;
    if (!text_need_line(s, "a version") || !text_double(s, "a version", &version) ||
        !text_unsigned(s, "0 for ASCII or 1 for binary", 1, &binary) ||
        !text_unsigned(s, "the size of numbers", 64, &size)) {
        return false;
    }
    f->blocks = version == 4.1;
    if (version != 2.2 && version != 4.1) {
        return text_fail(s, "Gmsh version %g is not read; save it as version 2.2 or 4.1", version);
    }
    if (binary && size != 8) {
        return text_fail(s, "sizes of %" PRIu64 " bytes are not read; save it on a machine of 64 bits", size);
    }
    return gmsh_begin_numbers(&f->n) && gmsh_read_order(&f->n);
}

static bool read_nodes(gmsh_file* f) {
    return (f->blocks ? gmsh_begin_numbers(&f->n) && read_nodes_4(f) : text_end_line(&f->n.s) && read_nodes_2(f)) &&
           text_need_line(&f->n.s, "$EndNodes") && text_expect(&f->n.s, "$EndNodes") && sort_nodes(f);
}

static bool read_elements(gmsh_file* f) {
    if (!f->nodes) {
        return text_fail(&f->n.s, "$Elements without $Nodes before it");
    }
    if (f->has_elements) {
        return text_fail(&f->n.s, "a second section $Elements");
    }
    f->has_elements = true;
    return (f->blocks ? gmsh_begin_numbers(&f->n) && read_elements_of_4(f)
                      : text_end_line(&f->n.s) && read_elements_of_2(f)) &&
           text_need_line(&f->n.s, "$EndElements") && text_expect(&f->n.s, "$EndElements");
}

static bool skip_section(gmsh_file* f, text_word name) {
    if (name.length < 2 || name.text[0] != '$') {
        return text_refuse(&f->n.s, "a section of a Gmsh file", name);
    }
    if (text_is(name, "$ParametricNodes")) {
        return text_fail(&f->n.s, "nodes with parameters are read in version 4.1 alone; save it without them");
    }
    char end[128];
    (void)snprintf(end, sizeof end, "$End%.*s", name.length < 100 ? (int)name.length - 1 : 99, name.text + 1);
    return gmsh_skip_past(&f->n, end);
}

static bool read_section(gmsh_file* f) {
    text_word name;
    (void)text_next(&f->n.s, &name);
    if (text_is(name, "$Nodes")) {
        return read_nodes(f);
    }
    if (text_is(name, "$Elements")) {
        return read_elements(f);
    }
    return skip_section(f, name);
}

static bool read_header(gmsh_file* f) {
    text_scanner* s = &f->n.s;
    text_word name;
    if (!text_need_line(s, "$MeshFormat") || !text_next(s, &name)) {
        return false;
    }
    if (text_is(name, "$NOD")) {
        return text_fail(s, "Gmsh version 1 is not read; save it as version 2.2 or 4.1");
    }
    return (text_is(name, "$MeshFormat") || text_refuse(s, "$MeshFormat", name)) && read_format(f) &&
           text_need_line(s, "$EndMeshFormat") && text_expect(s, "$EndMeshFormat");
}

static bool read_file(gmsh_file* f) {
    bool ok = read_header(f);
    while (ok && text_next_line(&f->n.s)) {
        ok = read_section(f);
    }
    return ok && ((f->nodes && f->has_elements) || text_fail(&f->n.s, "the file ends without $Nodes and $Elements"));
}

bool mesh_read_gmsh(const char* path, mesh_draft* d, report* r) {
    gmsh_file f = {.draft = d};
    if (!gmsh_open(&f.n, path, r)) {
        return false;
    }
    const bool ok = read_file(&f);
    free(f.nodes);
    text_close(&f.n.s);
    return ok;
}
