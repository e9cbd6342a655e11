/* Wavefront OBJ: 'v x y z' and 'f a b c ...', a corner being POINT, POINT/UV, POINT//NORMAL or POINT/UV/NORMAL.
 *
 * Read here and not through assimp, which makes a point of every face corner in the order of the faces and rounds to
 * float32: a scene's vertex numbers are the file's. Programs leave stray lines in these files; they are skipped, with a
 * warning. */
#include "base/text_scanner.h"
#include "base/warning.h"
#include "mesh/mesh_readers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool is_skipped(text_word keyword) {
    static const char* const skipped[] = {"vt",    "vn",       "vp",       "p",          "l",        "o",      "g",
                                          "s",     "mg",       "usemtl",   "mtllib",     "lod",      "maplib", "usemap",
                                          "bevel", "c_interp", "d_interp", "shadow_obj", "trace_obj"};
    for (size_t i = 0; i < sizeof skipped / sizeof skipped[0]; i++) {
        if (text_is(keyword, skipped[i])) {
            return true;
        }
    }
    return false;
}

static bool only_slashes_and_numbers(text_word word) {
    for (size_t i = 0; i < word.length; i++) {
        const char c = word.text[i];
        if (c != '/' && c != '-' && (c < '0' || c > '9')) {
            return false;
        }
    }
    return true;
}

/* Numbers count from 1; negative ones from the last point before this line backwards. */
static bool parse_corner(const mesh_draft* d, text_word word, uint32_t* out) {
    const char* slash = memchr(word.text, '/', word.length);
    const bool backwards = word.text[0] == '-';
    text_word digits = {word.text + backwards, (slash ? (size_t)(slash - word.text) : word.length) - backwards};
    uint64_t number = 0;
    if (!only_slashes_and_numbers(word) || !text_parse_unsigned(digits, UINT32_MAX, &number) || number == 0 ||
        (backwards && number > d->point_count)) {
        return false;
    }
    *out = (uint32_t)(backwards ? d->point_count - number : number - 1);
    return true;
}

static bool read_corner(text_scanner* s, const mesh_draft* d, uint32_t* out) {
    text_word word;
    return text_need_word(s, "a corner of the face", &word) &&
           (parse_corner(d, word, out) || text_fail(s, "'%.*s' is no corner of a face after %zu points",
                                                    text_quoted(word), word.text, d->point_count));
}

/* A face of two corners, which some programs leave of an edge, is a triangle folded onto it. */
static bool read_face(text_scanner* s, mesh_draft* d) {
    const size_t begin = d->element_count;
    uint32_t fan[3];
    if (!read_corner(s, d, &fan[0]) || !read_corner(s, d, &fan[1])) {
        return false;
    }
    text_word more;
    fan[2] = fan[1];
    bool ok = text_peek(s, &more) || mesh_draft_add_element(d, fan, s->line, s->r);
    while (ok && text_peek(s, &more)) {
        ok = read_corner(s, d, &fan[2]) && mesh_draft_add_element(d, fan, s->line, s->r);
        fan[1] = fan[2];
    }
    mesh_draft_end_polygon(d, begin);
    return ok;
}

typedef struct stray_lines {
    size_t count;
    size_t first;    /* line */
    char quoted[48]; /* its first word */
} stray_lines;

static bool skip_stray(const text_scanner* s, text_word keyword, stray_lines* stray) {
    if (stray->count++ == 0) {
        stray->first = s->line;
        (void)snprintf(stray->quoted, sizeof stray->quoted, "%.*s", text_quoted(keyword), keyword.text);
    }
    return true;
}

static bool read_line(text_scanner* s, mesh_draft* d, stray_lines* stray) {
    text_word keyword;
    (void)text_next(s, &keyword);
    if (text_is(keyword, "v")) {
        double point[3];
        return text_point(s, point) && mesh_draft_add_point(d, point, s->r);
    }
    if (text_is(keyword, "f")) {
        return read_face(s, d);
    }
    return is_skipped(keyword) || skip_stray(s, keyword, stray);
}

bool mesh_read_obj(const char* path, mesh_draft* d, report* r) {
    text_scanner s;
    if (!text_open(&s, path, r)) {
        return false;
    }
    s.by_line = true;
    s.comment = '#';
    s.continued = true;
    bool ok = true;
    stray_lines stray = {0};
    while (ok && text_next_line(&s)) {
        ok = read_line(&s, d, &stray);
        /* Weights and colours may follow a point. */
        (void)text_rest_of_line(&s);
    }
    text_close(&s);
    if (ok && stray.count > 0) {
        warning_print("%s:%zu: '%s' is not known in OBJ files of polygons; %zu such line%s skipped", path, stray.first,
                      stray.quoted, stray.count, stray.count == 1 ? " is" : "s are");
    }
    return ok;
}
