/* Gmsh ASCII, versions 2.2 and 4.1: $Nodes and $Elements; other sections are skipped. Nodes bear any numbers. Points,
 * lines and faces among the elements are skipped; solids other than linear tetrahedra are refused, since the body
 * would miss them. */
#include "base/array.h"
#include "base/text_scanner.h"
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
    text_scanner s;
    mesh_draft* draft;
    bool blocks; /* version 4.1 */
    size_t node_count;
    gmsh_node* nodes; /* sorted by tag once $Nodes is read; NULL before */
    bool has_elements;
} gmsh_file;

enum { GMSH_TETRAHEDRON = 4 };

/* ---- nodes ---------------------------------------------------------------------------------------------------- */

static int by_tag(const void* left, const void* right) {
    const gmsh_node* a = left;
    const gmsh_node* b = right;
    return a->tag < b->tag ? -1 : a->tag > b->tag;
}

static bool sort_nodes(gmsh_file* f) {
    qsort(f->nodes, f->node_count, sizeof *f->nodes, by_tag);
    for (size_t i = 1; i < f->node_count; i++) {
        if (f->nodes[i].tag == f->nodes[i - 1].tag) {
            return text_fail(&f->s, "node %" PRIu64 " is given twice in the section that ends here", f->nodes[i].tag);
        }
    }
    return true;
}

static bool allocate_nodes(gmsh_file* f, size_t count) {
    if (f->nodes) {
        return text_fail(&f->s, "a second section $Nodes");
    }
    f->nodes = array_new(count, sizeof *f->nodes, f->s.r);
    f->node_count = count;
    return f->nodes != NULL;
}

static bool read_tag(gmsh_file* f, size_t node) {
    f->nodes[node].point = (uint32_t)node;
    return text_need_line(&f->s, "a node") && text_unsigned(&f->s, "a node number", UINT64_MAX, &f->nodes[node].tag);
}

static bool read_position(gmsh_file* f) {
    double point[3];
    return text_point(&f->s, point) && mesh_draft_add_point(f->draft, point, f->s.r);
}

static bool read_nodes_2(gmsh_file* f) {
    size_t count = 0;
    if (!text_need_line(&f->s, "the number of nodes") || !text_count(&f->s, "nodes", 8, &count) ||
        !text_end_line(&f->s) || !allocate_nodes(f, count)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!read_tag(f, i) || !read_position(f) || !text_end_line(&f->s)) {
            return false;
        }
    }
    return true;
}

/* Blocks: how many blocks, how many things in all of them, and the least and greatest number of a thing. */
static bool read_block_totals(gmsh_file* f, const char* what, size_t bytes_each, size_t* blocks, size_t* total) {
    uint64_t ignored = 0;
    return text_need_line(&f->s, "the number of blocks") && text_count(&f->s, "blocks", 8, blocks) &&
           text_count(&f->s, what, bytes_each, total) && text_unsigned(&f->s, "a number", UINT64_MAX, &ignored) &&
           text_unsigned(&f->s, "a number", UINT64_MAX, &ignored) && text_end_line(&f->s);
}

typedef struct gmsh_block {
    uint64_t dimension;
    uint64_t kind; /* of nodes: 1 where parametric coordinates follow the position; of elements: their type */
    uint64_t count;
} gmsh_block;

/* `left` things may still come. */
static bool read_block(gmsh_file* f, const char* what, size_t left, gmsh_block* block) {
    text_scanner* s = &f->s;
    text_word entity; /* may be negative */
    if (!text_need_line(s, "a block") || !text_unsigned(s, "a dimension", 3, &block->dimension) ||
        !text_need_word(s, "the number of an entity", &entity) ||
        !text_unsigned(s, "the kind of the block", UINT32_MAX, &block->kind) ||
        !text_unsigned(s, "the size of the block", UINT64_MAX, &block->count) || !text_end_line(s)) {
        return false;
    }
    return block->count <= left ||
           text_fail(s, "the block has %" PRIu64 " %s, but only %zu of those announced are left", block->count, what,
                     left);
}

static bool read_block_positions(gmsh_file* f, const gmsh_block* block) {
    for (uint64_t i = 0; i < block->count; i++) {
        if (!text_need_line(&f->s, "the position of a node") || !read_position(f)) {
            return false;
        }
        double parameter = 0;
        for (uint64_t k = 0; block->kind && k < block->dimension; k++) {
            if (!text_double(&f->s, "a parametric coordinate", &parameter)) {
                return false;
            }
        }
        if (!text_end_line(&f->s)) {
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
            if (!read_tag(f, done++) || !text_end_line(&f->s)) {
                return false;
            }
        }
        if (!read_block_positions(f, &block)) {
            return false;
        }
    }
    return done == total || text_fail(&f->s, "%zu nodes are announced, but the blocks hold %zu", total, done);
}

/* ---- elements ------------------------------------------------------------------------------------------------- */

static bool read_corner(gmsh_file* f, uint32_t* corner) {
    gmsh_node wanted = {0};
    if (!text_unsigned(&f->s, "a node number", UINT64_MAX, &wanted.tag)) {
        return false;
    }
    const gmsh_node* node = bsearch(&wanted, f->nodes, f->node_count, sizeof *f->nodes, by_tag);
    if (!node) {
        return text_fail(&f->s, "there is no node %" PRIu64, wanted.tag);
    }
    *corner = node->point;
    return true;
}

static bool read_tet(gmsh_file* f) {
    uint32_t corners[4];
    for (int k = 0; k < 4; k++) {
        if (!read_corner(f, &corners[k])) {
            return false;
        }
    }
    return text_end_line(&f->s) && mesh_draft_add_element(f->draft, corners, f->s.line, f->s.r);
}

/* The rest of a line that describes an element of `type`. */
static bool read_element(gmsh_file* f, uint64_t type) {
    /* Points, lines, triangles and quadrilaterals of first to fifth order. */
    static const unsigned char flat[] = {1, 2, 3, 8, 9, 10, 15, 16, 20, 21, 22, 23, 24, 25, 26, 27, 28};
    if (type == GMSH_TETRAHEDRON) {
        return read_tet(f);
    }
    if (type > UINT8_MAX || !memchr(flat, (int)type, sizeof flat)) {
        return text_fail(&f->s, "an element of type %" PRIu64 " where only linear tetrahedra (type 4) are read", type);
    }
    (void)text_rest_of_line(&f->s);
    return true;
}

static bool read_elements_2(gmsh_file* f) {
    text_scanner* s = &f->s;
    size_t count = 0;
    if (!text_need_line(s, "the number of elements") || !text_count(s, "elements", 8, &count) || !text_end_line(s)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t number = 0;
        uint64_t type = 0;
        uint64_t tags = 0;
        if (!text_need_line(s, "an element") || !text_unsigned(s, "an element number", UINT64_MAX, &number) ||
            !text_unsigned(s, "an element type", UINT32_MAX, &type) ||
            !text_unsigned(s, "the number of tags", 1024, &tags)) {
            return false;
        }
        text_word tag; /* may be negative */
        for (uint64_t t = 0; t < tags; t++) {
            if (!text_need_word(s, "a tag", &tag)) {
                return false;
            }
        }
        if (!read_element(f, type)) {
            return false;
        }
    }
    return true;
}

static bool read_elements_4(gmsh_file* f) {
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
            if (!text_need_line(&f->s, "an element") ||
                !text_unsigned(&f->s, "an element number", UINT64_MAX, &number) || !read_element(f, block.kind)) {
                return false;
            }
        }
    }
    return done == total || text_fail(&f->s, "%zu elements are announced, but the blocks hold %zu", total, done);
}

/* ---- sections ------------------------------------------------------------------------------------------------- */

static bool read_format(gmsh_file* f) {
    text_scanner* s = &f->s;
    double version = 0;
    uint64_t binary = 0;
    uint64_t size = 0;
    if (!text_need_line(s, "a version") || !text_double(s, "a version", &version) ||
        !text_unsigned(s, "0 for ASCII or 1 for binary", 1, &binary) ||
        !text_unsigned(s, "the size of numbers", 64, &size) || !text_end_line(s)) {
        return false;
    }
    f->blocks = version == 4.1;
    if (version != 2.2 && version != 4.1) {
        return text_fail(s, "Gmsh version %g is not read; save it as version 2.2 or 4.1 ASCII", version);
    }
    return !binary || text_fail(s, "binary Gmsh files are not read; save it as version 2.2 or 4.1 ASCII");
}

static bool read_nodes(gmsh_file* f) {
    return (f->blocks ? read_nodes_4(f) : read_nodes_2(f)) && text_need_line(&f->s, "$EndNodes") &&
           text_expect(&f->s, "$EndNodes") && sort_nodes(f);
}

static bool read_elements(gmsh_file* f) {
    if (!f->nodes) {
        return text_fail(&f->s, "$Elements without $Nodes before it");
    }
    if (f->has_elements) {
        return text_fail(&f->s, "a second section $Elements");
    }
    f->has_elements = true;
    return (f->blocks ? read_elements_4(f) : read_elements_2(f)) && text_need_line(&f->s, "$EndElements") &&
           text_expect(&f->s, "$EndElements");
}

static bool skip_section(gmsh_file* f, text_word name) {
    if (name.length < 2 || name.text[0] != '$') {
        return text_refuse(&f->s, "a section of a Gmsh file", name);
    }
    char end[128];
    (void)snprintf(end, sizeof end, "$End%.*s", name.length < 100 ? (int)name.length - 1 : 99, name.text + 1);
    text_word word = {"", 0};
    while (!text_is(word, end)) {
        (void)text_rest_of_line(&f->s);
        if (!text_need_line(&f->s, end)) {
            return false;
        }
        (void)text_next(&f->s, &word);
    }
    return true;
}

static bool read_section(gmsh_file* f) {
    text_word name;
    (void)text_next(&f->s, &name);
    if (text_is(name, "$Nodes")) {
        return text_end_line(&f->s) && read_nodes(f);
    }
    if (text_is(name, "$Elements")) {
        return text_end_line(&f->s) && read_elements(f);
    }
    return skip_section(f, name);
}

static bool read_header(gmsh_file* f) {
    text_word name;
    if (!text_need_line(&f->s, "$MeshFormat") || !text_next(&f->s, &name)) {
        return false;
    }
    if (text_is(name, "$NOD")) {
        return text_fail(&f->s, "Gmsh version 1 is not read; save it as version 2.2 or 4.1 ASCII");
    }
    return (text_is(name, "$MeshFormat") || text_refuse(&f->s, "$MeshFormat", name)) && read_format(f) &&
           text_need_line(&f->s, "$EndMeshFormat") && text_expect(&f->s, "$EndMeshFormat");
}

static bool read_file(gmsh_file* f) {
    bool ok = read_header(f);
    while (ok && text_next_line(&f->s)) {
        ok = read_section(f);
    }
    return ok && ((f->nodes && f->has_elements) || text_fail(&f->s, "the file ends without $Nodes and $Elements"));
}

bool mesh_read_gmsh(const char* path, mesh_draft* d, report* r) {
    gmsh_file f = {.draft = d};
    if (!text_open(&f.s, path, r)) {
        return false;
    }
    f.s.by_line = true;
    const bool ok = read_file(&f);
    free(f.nodes);
    text_close(&f.s);
    return ok;
}
