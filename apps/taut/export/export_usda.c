/* USD as text: one file with a prim per object and a time sample of its points per frame.
 *
 * USD wants all samples of a prim together while frames arrive one by one, so positions wait in a temporary file. It
 * has lost its name as soon as it is open: whatever ends the program, nothing of it stays. The text needs several times
 * as much room; it is reserved with each frame, so that a full disk ends the run while all frames before fit. */
#include "base/array.h"
#include "export/export_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef float usda_point[3];

typedef struct usda_state {
    FILE* waiting; /* frame by frame, every point in order */
    whole_file text;
    off_t reserved; /* bytes of the text */
} usda_state;

/* ---- frames as they come -------------------------------------------------------------------------------------- */

static bool open_waiting(const exporter* e, usda_state* state, report* r) {
    static const char pattern[] = "/.scene.usda.XXXXXX";
    const size_t length = strlen(e->directory);
    char* path = array_new(length + sizeof pattern, 1, r);
    if (!path) {
        return false;
    }
    memcpy(path, e->directory, length);
    memcpy(path + length, pattern, sizeof pattern);
    const int file = mkstemp(path);
    if (file >= 0) {
        (void)unlink(path);
        state->waiting = fdopen(file, "w+b");
    }
    const bool ok = state->waiting || report_fail(r, "%s: no temporary file there: %s", e->directory, strerror(errno));
    free(path);
    return ok;
}

static bool open_scene(const exporter* e, void** state, report* r) {
    usda_state* s = array_new(1, sizeof *s, r);
    *state = s;
    return s && open_waiting(e, s, r) && export_open_file(e, "scene", "usda", &s->text, r);
}

/* At most what put_scene writes: of the prims, and of a frame. A coordinate takes up to 15 characters and a blank. */
static off_t text_of_prims(const exporter* e) {
    size_t bytes = 1024;
    for (size_t i = 0; i < e->item_count; i++) {
        bytes += 1024 + strlen(e->items[i].prim_name) + e->items[i].object.triangle_count * (3 + 3 * 12);
    }
    return (off_t)bytes;
}

static off_t text_of_frame(const exporter* e) {
    enum { POINT = 56, SAMPLE = 64 };
    size_t bytes = 0;
    for (size_t i = 0; i < e->item_count; i++) {
        bytes += 2 * SAMPLE + (e->items[i].object.point_count + 2) * POINT;
    }
    return (off_t)bytes;
}

static bool reserve_text(const exporter* e, usda_state* state, size_t frame, report* r) {
    const off_t more = text_of_frame(e) + (state->reserved == 0 ? text_of_prims(e) : 0);
    const int cause = posix_fallocate(fileno(state->text.stream), state->reserved, more);
    if (cause != 0) {
        return report_fail(r, "%s: frame %zu cannot be stored: %s", state->text.path, frame, strerror(cause));
    }
    state->reserved += more;
    return true;
}

static bool write_frame(const exporter* e, void* state, size_t frame, const double (*positions)[3], report* r) {
    FILE* waiting = ((usda_state*)state)->waiting;
    if (!reserve_text(e, state, frame, r)) {
        return false;
    }
    export_put_points(waiting, positions, e->point_count);
    return (fflush(waiting) == 0 && !ferror(waiting)) ||
           report_fail(r, "%s/scene.usda: frame %zu cannot be stored: %s", e->directory, frame, strerror(errno));
}

/* ---- samples -------------------------------------------------------------------------------------------------- */

static bool load_points(const exporter* e, FILE* waiting, size_t frame, const export_object* o, usda_point* out) {
    const size_t first = frame * e->point_count + o->first_point;
    return fseeko(waiting, (off_t)(first * sizeof *out), SEEK_SET) == 0 &&
           fread(out, sizeof *out, o->point_count, waiting) == o->point_count;
}

static void put_point(FILE* stream, const float p[3]) {
    (void)fprintf(stream, "(%.9g, %.9g, %.9g)", (double)p[0], (double)p[1], (double)p[2]);
}

static void put_points(FILE* stream, usda_point* points, size_t count) {
    for (size_t i = 0; i < count; i++) {
        (void)fputs(i ? ", " : "", stream);
        put_point(stream, points[i]);
    }
}

/* The box of the points, as wide as they are drawn. */
static void put_extent(FILE* stream, usda_point* points, const export_object* o) {
    float low[3] = {0};
    float high[3] = {0};
    const float margin = o->shape == EXPORT_SURFACE ? 0 : (float)(0.5 * o->width);
    for (int k = 0; k < 3 && o->point_count; k++) {
        low[k] = high[k] = points[0][k];
        for (size_t i = 1; i < o->point_count; i++) {
            low[k] = points[i][k] < low[k] ? points[i][k] : low[k];
            high[k] = points[i][k] > high[k] ? points[i][k] : high[k];
        }
        low[k] -= margin;
        high[k] += margin;
    }
    put_point(stream, low);
    (void)fputs(", ", stream);
    put_point(stream, high);
}

typedef enum usda_sample { SAMPLE_POINTS, SAMPLE_EXTENT } usda_sample;

static bool put_samples(FILE* stream, const exporter* e, FILE* waiting, const export_object* o, usda_point* points,
                        usda_sample what) {
    (void)fprintf(stream, "        %s.timeSamples = {\n",
                  what == SAMPLE_POINTS ? "point3f[] points" : "float3[] extent");
    for (size_t frame = 0; frame < e->frame_count; frame++) {
        if (!load_points(e, waiting, frame, o, points)) {
            return false;
        }
        (void)fprintf(stream, "            %zu: [", e->first_frame + frame);
        if (what == SAMPLE_POINTS) {
            put_points(stream, points, o->point_count);
        } else {
            put_extent(stream, points, o);
        }
        (void)fputs("],\n", stream);
    }
    (void)fputs("        }\n", stream);
    return true;
}

/* ---- prims ---------------------------------------------------------------------------------------------------- */

static void put_surface(FILE* stream, const export_object* o) {
    (void)fputs("        int[] faceVertexCounts = [", stream);
    for (size_t i = 0; i < o->triangle_count; i++) {
        (void)fputs(i ? ", 3" : "3", stream);
    }
    (void)fputs("]\n        int[] faceVertexIndices = [", stream);
    for (size_t i = 0; i < o->triangle_count; i++) {
        const uint32_t* t = o->triangles[i];
        (void)fprintf(stream, "%s%" PRIu32 ", %" PRIu32 ", %" PRIu32, i ? ", " : "", t[0], t[1], t[2]);
    }
    (void)fputs("]\n"
                "        uniform token subdivisionScheme = \"none\"\n"
                "        uniform bool doubleSided = 1\n",
                stream);
}

static void put_curve(FILE* stream, const export_object* o) {
    (void)fprintf(stream,
                  "        uniform token type = \"linear\"\n"
                  "        int[] curveVertexCounts = [%zu]\n",
                  o->point_count);
}

static void put_width(FILE* stream, const export_object* o) {
    (void)fprintf(stream, "        float[] widths = [%.9g] (\n            interpolation = \"constant\"\n        )\n",
                  o->width);
}

static bool put_prim(FILE* stream, const exporter* e, FILE* waiting, const export_item* item, usda_point* points) {
    static const char* const types[] = {
        [EXPORT_POINTS] = "Points", [EXPORT_SURFACE] = "Mesh", [EXPORT_CURVE] = "BasisCurves"};
    const export_object* o = &item->object;
    (void)fprintf(stream, "\n    def %s \"%s\"\n    {\n", types[o->shape], item->prim_name);
    if (o->shape == EXPORT_SURFACE) {
        put_surface(stream, o);
    } else {
        put_width(stream, o);
    }
    if (o->shape == EXPORT_CURVE) {
        put_curve(stream, o);
    }
    const bool ok = put_samples(stream, e, waiting, o, points, SAMPLE_EXTENT) &&
                    put_samples(stream, e, waiting, o, points, SAMPLE_POINTS);
    (void)fputs("    }\n", stream);
    return ok;
}

static void put_header(FILE* stream, const exporter* e) {
    (void)fprintf(stream,
                  "#usda 1.0\n(\n"
                  "    defaultPrim = \"scene\"\n"
                  "    endTimeCode = %zu\n"
                  "    framesPerSecond = %.17g\n"
                  "    metersPerUnit = 1\n"
                  "    startTimeCode = %zu\n"
                  "    timeCodesPerSecond = %.17g\n"
                  "    upAxis = \"Y\"\n"
                  ")\n\ndef Xform \"scene\"\n{",
                  e->first_frame + e->frame_count - 1, e->fps, e->first_frame, e->fps);
}

static size_t most_points(const exporter* e) {
    size_t most = 0;
    for (size_t i = 0; i < e->item_count; i++) {
        const size_t count = e->items[i].object.point_count;
        most = count > most ? count : most;
    }
    return most;
}

static bool put_scene(FILE* stream, const exporter* e, FILE* waiting, report* r) {
    usda_point* points = array_new(most_points(e), sizeof *points, r);
    if (!points) {
        return false;
    }
    put_header(stream, e);
    bool ok = true;
    for (size_t i = 0; ok && i < e->item_count; i++) {
        ok = put_prim(stream, e, waiting, &e->items[i], points) ||
             report_fail(r, "%s/scene.usda: the stored frames cannot be read back", e->directory);
    }
    (void)fputs("}\n", stream);
    free(points);
    return ok;
}

static bool write_scene(const exporter* e, usda_state* state, report* r) {
    whole_file* f = &state->text;
    if (!put_scene(f->stream, e, state->waiting, r) || !whole_file_mark(f, r)) {
        whole_file_abandon(f);
        return false;
    }
    return whole_file_commit_marked(f, r); /* without what was reserved too much */
}

static bool close_scene(const exporter* e, void* state, report* r) {
    usda_state* s = state;
    bool ok = true;
    if (e->frame_count == 0 || !s->text.stream) {
        whole_file_abandon(&s->text);
    } else {
        ok = write_scene(e, s, r);
    }
    if (s->waiting) {
        (void)fclose(s->waiting);
    }
    free(s);
    return ok;
}

const export_writer export_usda_writer = {
    .format = EXPORT_USDA, .name = "usda", .open = open_scene, .frame = write_frame, .close = close_scene};
