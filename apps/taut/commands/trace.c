#include "commands/trace.h"

#include "base/array.h"
#include "commands/earlier_lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char digits[] = "0123456789";

/* One OBJECT:VERTEX of the specification. */
typedef struct trace_item {
    const built_object* object; /* NULL: no object fits */
    uint32_t vertex;
    size_t length;
} trace_item;

/* The object with the longest name that fits: names may hold what divides items. */
static trace_item match_item(const char* text, const built_scene* built) {
    trace_item best = {0};
    for (size_t i = 0; i < built->object_count; i++) {
        const char* name = built->objects[i].name;
        const size_t vertex = strlen(name) + 1;
        if (strncmp(text, name, vertex - 1) != 0 || text[vertex - 1] != ':') {
            continue;
        }
        const size_t count = strspn(text + vertex, digits), end = vertex + count;
        if (count >= 1 && count <= 9 && (text[end] == ',' || text[end] == '=') && end > best.length) {
            best = (trace_item){&built->objects[i], (uint32_t)strtoul(text + vertex, NULL, 10), end};
        }
    }
    return best;
}

static bool fail_item(const char* text, report* r) {
    const size_t length = strcspn(text, ",=");
    size_t colon = length;
    while (colon > 0 && text[colon - 1] != ':') {
        colon--;
    }
    const size_t count = length - colon;
    if (colon < 2 || count < 1 || count > 9 || strspn(text + colon, digits) < count) {
        return report_fail(r, "'%.*s' is not OBJECT:VERTEX", (int)length, text);
    }
    return report_fail(r, "there is no object '%.*s'", (int)(colon - 1), text);
}

static bool parse_item(const char* text, const built_scene* built, trace_item* item, trace_node* out, report* r) {
    *item = match_item(text, built);
    const built_object* o = item->object;
    if (!o) {
        return fail_item(text, r);
    }
    *out = (trace_node){o->first_point + item->vertex, o->rigid, o->first_frame + item->vertex};
    return item->vertex < o->point_count ||
           report_fail(r, "vertex %u of '%s' does not exist: it has %zu vert%s", item->vertex, o->name, o->point_count,
                       o->point_count == 1 ? "ex" : "ices");
}

/* A field of a CSV header is quoted where it holds what would end it. */
static void write_label(FILE* stream, const trace_item* item, const char* part) {
    const char* name = item->object->name;
    const bool quoted = strpbrk(name, ",\"\n\r") != NULL;
    fputs(quoted ? ",\"" : ",", stream);
    for (; *name; name++) {
        if (*name == '"') {
            fputc('"', stream);
        }
        fputc(*name, stream);
    }
    fprintf(stream, ".%u.%s%s", item->vertex, part, quoted ? "\"" : "");
}

static void write_labels(FILE* stream, const trace_item* item, const trace_node* node) {
    static const char* const parts[] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
    for (int i = 0; i < (node->turns ? 7 : 3); i++) {
        write_label(stream, item, parts[i]);
    }
}

/* `list` moves on to the sign '=' behind it. */
static bool put_header(const char** list, const built_scene* built, trace* t, FILE* stream, report* r) {
    fputs("time", stream);
    for (const char* text = *list;; text++) {
        trace_item item;
        if (!parse_item(text, built, &item, &t->nodes[t->count], r)) {
            return false;
        }
        write_labels(stream, &item, &t->nodes[t->count]);
        t->count++;
        text += item.length;
        if (*text == '=') {
            *list = text;
            break;
        }
    }
    fputc('\n', stream);
    return true;
}

/* The header line, to be freed. */
static char* make_header(const char** list, const built_scene* built, trace* t, report* r) {
    char* text = NULL;
    size_t size = 0;
    FILE* stream = open_memstream(&text, &size);
    const bool ok = stream ? put_header(list, built, t, stream, r) : report_fail(r, "out of memory");
    if (stream && fclose(stream) != 0) {
        free(text);
        return NULL;
    }
    if (!ok) {
        free(text);
        return NULL;
    }
    return text;
}

static bool frame_of_row(const char* line, double fps, size_t* frame) {
    char* end = NULL;
    const double time = strtod(line, &end);
    const double nearest = floor(time * fps + 0.5);
    *frame = nearest >= 0 && nearest < 1e15 ? (size_t)nearest : 0;
    return end != line && *end == ',' && fabs(nearest / fps - time) <= 1e-9 * (1 + fabs(time));
}

static bool fail_specification(const char* specification, report* r) {
    return report_fail(r, "'%s' is not OBJECT:VERTEX,...=FILE", specification);
}

bool trace_open(const char* specification, const built_scene* built, double fps, size_t frame, trace* out, report* r) {
    trace t = {0};
    const char* equals = specification;
    if (!strchr(specification, '=')) {
        return fail_specification(specification, r);
    }
    t.nodes = array_new(strlen(specification), sizeof *t.nodes, r); /* an item takes at least one character */
    char* header = t.nodes ? make_header(&equals, built, &t, r) : NULL;
    const lines_spec lines = {header, frame_of_row, fps, frame};
    const bool ok = header && (equals[1] || fail_specification(specification, r)) &&
                    earlier_lines_open(&t.file, equals + 1, &lines, r);
    free(header);
    if (!ok) {
        free(t.nodes);
        return false;
    }
    *out = t;
    return true;
}

bool trace_frame(trace* t, double time, const frame_points* points, report* r) {
    FILE* stream = t->file.stream;
    fprintf(stream, "%.12g", time);
    for (size_t i = 0; i < t->count; i++) {
        const double* x = points->positions[t->nodes[i].particle];
        fprintf(stream, ",%.12g,%.12g,%.12g", x[0], x[1], x[2]);
        if (t->nodes[i].turns) {
            const double* q = points->orientations[t->nodes[i].frame];
            fprintf(stream, ",%.12g,%.12g,%.12g,%.12g", q[0], q[1], q[2], q[3]);
        }
    }
    fputc('\n', stream);
    return whole_file_mark(&t->file, r);
}

bool trace_close(trace* t, report* r) {
    free(t->nodes);
    t->nodes = NULL;
    return whole_file_commit_marked(&t->file, r);
}
