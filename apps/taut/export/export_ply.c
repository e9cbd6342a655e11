/* Stanford PLY, binary little endian: vertices, and faces or edges. */
#include "export/export_writer.h"

#include <string.h>

static void put_header(FILE* stream, const export_object* o) {
    (void)fprintf(stream,
                  "ply\nformat binary_little_endian 1.0\nelement vertex %zu\n"
                  "property float x\nproperty float y\nproperty float z\n",
                  o->point_count);
    if (o->shape == EXPORT_SURFACE) {
        (void)fprintf(stream, "element face %zu\nproperty list uchar int vertex_indices\n", o->triangle_count);
    }
    if (o->shape == EXPORT_CURVE) {
        (void)fprintf(stream, "element edge %zu\nproperty int vertex1\nproperty int vertex2\n",
                      o->point_count ? o->point_count - 1 : 0);
    }
    (void)fputs("end_header\n", stream);
}

static void put_faces(FILE* stream, const export_object* o) {
    for (size_t i = 0; i < o->triangle_count; i++) {
        unsigned char face[1 + 3 * sizeof(uint32_t)] = {3};
        memcpy(face + 1, o->triangles[i], 3 * sizeof(uint32_t));
        (void)fwrite(face, sizeof face, 1, stream);
    }
}

static void put_edges(FILE* stream, size_t point_count) {
    for (size_t i = 1; i < point_count; i++) {
        const uint32_t edge[2] = {(uint32_t)(i - 1), (uint32_t)i};
        (void)fwrite(edge, sizeof edge, 1, stream);
    }
}

static void put_object(FILE* stream, const export_item* item, const double (*positions)[3]) {
    const export_object* o = &item->object;
    put_header(stream, o);
    export_put_points(stream, positions, o->point_count);
    if (o->shape == EXPORT_SURFACE) {
        put_faces(stream, o);
    }
    if (o->shape == EXPORT_CURVE) {
        put_edges(stream, o->point_count);
    }
}

static bool write_frame(const exporter* e, void* state, size_t frame, const double (*positions)[3], report* r) {
    (void)state;
    return export_each_object(e, frame, "ply", put_object, positions, r);
}

const export_writer export_ply_writer = {.format = EXPORT_PLY, .name = "ply", .frame = write_frame};
