#include "commands/trace.h"

#include "base/array.h"
#include "commands/earlier_lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One OBJECT:VERTEX of the specification; the last colon divides, so that names may hold colons. */
typedef struct trace_item {
    const char* name;
    size_t name_length;
    uint32_t vertex;
} trace_item;

static bool parse_item(const char* text, size_t length, trace_item* out, report* r) {
    size_t colon = length;
    while (colon > 0 && text[colon - 1] != ':') {
        colon--;
    }
    const char* digits = text + colon;
    const size_t digit_count = length - colon;
    if (colon < 2 || digit_count < 1 || digit_count > 9 || strspn(digits, "0123456789") < digit_count) {
        return report_fail(r, "'%.*s' is not OBJECT:VERTEX", (int)length, text);
    }
    *out = (trace_item){text, colon - 1, (uint32_t)strtoul(digits, NULL, 10)};
    return true;
}

static bool find_node(const trace_item* item, const built_scene* built, trace_node* out, report* r) {
    for (size_t i = 0; i < built->object_count; i++) {
        const built_object* o = &built->objects[i];
        if (strlen(o->name) == item->name_length && strncmp(o->name, item->name, item->name_length) == 0) {
            *out = (trace_node){o->first_point + item->vertex, o->rigid, o->first_frame + item->vertex};
            return item->vertex < o->point_count ||
                   report_fail(r, "vertex %u of '%s' does not exist: it has %zu vert%s", item->vertex, o->name,
                               o->point_count, o->point_count == 1 ? "ex" : "ices");
        }
    }
    return report_fail(r, "there is no object '%.*s'", (int)item->name_length, item->name);
}

/* A field of a CSV header is quoted where it holds what would end it. */
static void write_label(FILE* stream, const trace_item* item, const char* part) {
    bool quoted = false;
    for (size_t i = 0; i < item->name_length; i++) {
        quoted |= strchr(",\"\n\r", item->name[i]) != NULL;
    }
    fputs(quoted ? ",\"" : ",", stream);
    for (size_t i = 0; i < item->name_length; i++) {
        if (item->name[i] == '"') {
            fputc('"', stream);
        }
        fputc(item->name[i], stream);
    }
    fprintf(stream, ".%u.%s%s", item->vertex, part, quoted ? "\"" : "");
}

static void write_labels(FILE* stream, const trace_item* item, const trace_node* node) {
    static const char* const parts[] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
    for (int i = 0; i < (node->turns ? 7 : 3); i++) {
        write_label(stream, item, parts[i]);
    }
}

static bool put_header(const char* list, size_t length, const built_scene* built, trace* t, FILE* stream, report* r) {
    fputs("time", stream);
    for (size_t start = 0; start <= length;) {
        size_t end = start;
        while (end < length && list[end] != ',') {
            end++;
        }
        trace_item item = {0};
        if (!parse_item(list + start, end - start, &item, r) || !find_node(&item, built, &t->nodes[t->count], r)) {
            return false;
        }
        write_labels(stream, &item, &t->nodes[t->count]);
        t->count++;
        start = end + 1;
    }
    fputc('\n', stream);
    return true;
}

/* The header line, to be freed. */
static char* make_header(const char* list, size_t length, const built_scene* built, trace* t, report* r) {
    char* text = NULL;
    size_t size = 0;
    FILE* stream = open_memstream(&text, &size);
    const bool ok = stream ? put_header(list, length, built, t, stream, r) : report_fail(r, "out of memory");
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

bool trace_open(const char* specification, const built_scene* built, double fps, size_t frame, trace* out, report* r) {
    trace t = {0};
    const char* equals = strchr(specification, '=');
    if (!equals || !equals[1]) {
        return report_fail(r, "'%s' is not OBJECT:VERTEX,...=FILE", specification);
    }
    const size_t length = (size_t)(equals - specification);
    t.nodes = array_new(length + 1, sizeof *t.nodes, r); /* an item takes at least one character */
    char* header = t.nodes ? make_header(specification, length, built, &t, r) : NULL;
    const lines_spec lines = {header, frame_of_row, fps, frame};
    const bool ok = header && earlier_lines_open(&t.file, equals + 1, &lines, r);
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
