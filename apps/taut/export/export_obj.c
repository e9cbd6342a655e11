/* Wavefront OBJ: a surface as faces, a curve as line elements, points as point elements. */
#include "export/export_writer.h"

#include <inttypes.h>

/* Numbers count from 1. */
static void put_elements(FILE* stream, const export_object* o) {
    for (size_t i = 0; o->shape == EXPORT_SURFACE && i < o->triangle_count; i++) {
        const uint32_t* t = o->triangles[i];
        (void)fprintf(stream, "f %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", t[0] + UINT64_C(1), t[1] + UINT64_C(1),
                      t[2] + UINT64_C(1));
    }
    for (size_t i = 1; o->shape == EXPORT_CURVE && i < o->point_count; i++) {
        (void)fprintf(stream, "l %zu %zu\n", i, i + 1);
    }
    for (size_t i = 1; o->shape == EXPORT_POINTS && i <= o->point_count; i++) {
        (void)fprintf(stream, "p %zu\n", i);
    }
}

static void put_object(FILE* stream, const export_item* item, const double (*positions)[3]) {
    (void)fprintf(stream, "o %s\n", item->file_name);
    for (size_t i = 0; i < item->object.point_count; i++) {
        (void)fprintf(stream, "v %.9g %.9g %.9g\n", (double)(float)positions[i][0], (double)(float)positions[i][1],
                      (double)(float)positions[i][2]);
    }
    put_elements(stream, &item->object);
}

static bool write_frame(const exporter* e, void* state, size_t frame, const double (*positions)[3], report* r) {
    (void)state;
    return export_each_object(e, frame, "obj", put_object, positions, r);
}

const export_writer export_obj_writer = {.format = EXPORT_OBJ, .name = "obj", .frame = write_frame};
