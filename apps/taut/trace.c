#include "trace.h"

#include "array.h"

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

static bool find_particle(const trace_item* item, const built_scene* built, size_t* out, report* r) {
    for (size_t i = 0; i < built->object_count; i++) {
        const export_object* o = &built->objects[i];
        if (strlen(o->name) == item->name_length && strncmp(o->name, item->name, item->name_length) == 0) {
            *out = o->first_point + item->vertex;
            return item->vertex < o->point_count ||
                   report_fail(r, "vertex %u of '%s' does not exist: it has %zu vertices", item->vertex, o->name,
                               o->point_count);
        }
    }
    return report_fail(r, "there is no object '%.*s'", (int)item->name_length, item->name);
}

/* A field of a CSV header is quoted where it holds what would end it. */
static void write_label(FILE* stream, const trace_item* item, char axis) {
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
    fprintf(stream, ".%u.%c%s", item->vertex, axis, quoted ? "\"" : "");
}

static bool add_columns(const char* list, size_t length, const built_scene* built, trace* t, report* r) {
    fputs("time", t->file.stream);
    for (size_t start = 0; start <= length;) {
        size_t end = start;
        while (end < length && list[end] != ',') {
            end++;
        }
        trace_item item = {0};
        if (!parse_item(list + start, end - start, &item, r) ||
            !find_particle(&item, built, &t->particles[t->count], r)) {
            return false;
        }
        t->count++;
        for (const char* axis = "xyz"; *axis; axis++) {
            write_label(t->file.stream, &item, *axis);
        }
        start = end + 1;
    }
    fputc('\n', t->file.stream);
    return true;
}

bool trace_open(const char* specification, const built_scene* built, trace* out, report* r) {
    trace t = {0};
    const char* equals = strchr(specification, '=');
    if (!equals || !equals[1]) {
        return report_fail(r, "'%s' is not OBJECT:VERTEX,...=FILE", specification);
    }
    const size_t length = (size_t)(equals - specification);
    t.particles = array_new(length + 1, sizeof *t.particles, r); /* an item takes at least one character */
    if (!t.particles || !whole_file_open(&t.file, equals + 1, r)) {
        free(t.particles);
        return false;
    }
    if (!add_columns(specification, length, built, &t, r)) {
        whole_file_abandon(&t.file);
        free(t.particles);
        return false;
    }
    *out = t;
    return true;
}

void trace_frame(trace* t, double time, const double (*positions)[3]) {
    fprintf(t->file.stream, "%.12g", time);
    for (size_t i = 0; i < t->count; i++) {
        const double* x = positions[t->particles[i]];
        fprintf(t->file.stream, ",%.12g,%.12g,%.12g", x[0], x[1], x[2]);
    }
    fputc('\n', t->file.stream);
}

bool trace_close(trace* t, report* r) {
    free(t->particles);
    t->particles = NULL;
    return whole_file_commit(&t->file, r);
}
