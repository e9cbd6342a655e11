#include "base/array.h"
#include "mesh/mesh_draft.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The face opposite to each corner, seen from outside. */
static const int outward[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

typedef struct face {
    uint32_t corners[3]; /* ascending */
    bool odd;            /* the outward order is an odd permutation of the ascending one */
    uint64_t place;      /* 4 tet + opposite corner */
} face;

static void swap_down(face* f, int i) {
    if (f->corners[i] < f->corners[i - 1]) {
        const uint32_t smaller = f->corners[i];
        f->corners[i] = f->corners[i - 1];
        f->corners[i - 1] = smaller;
        f->odd = !f->odd;
    }
}

static void tet_face(const uint32_t* tet, int opposite, uint32_t out[3]) {
    for (int k = 0; k < 3; k++) {
        out[k] = tet[outward[opposite][k]];
    }
}

static face make_face(const mesh_draft* d, size_t tet, int opposite) {
    face f = {.place = 4 * (uint64_t)tet + (uint64_t)opposite};
    tet_face(d->elements[tet].corners, opposite, f.corners);
    swap_down(&f, 1);
    swap_down(&f, 2);
    swap_down(&f, 1);
    return f;
}

static int by_corners(const void* left, const void* right) {
    const face* a = left;
    const face* b = right;
    for (int k = 0; k < 3; k++) {
        if (a->corners[k] != b->corners[k]) {
            return a->corners[k] < b->corners[k] ? -1 : 1;
        }
    }
    if (a->odd != b->odd) {
        return a->odd ? 1 : -1;
    }
    return a->place < b->place ? -1 : 1;
}

static int by_place(const void* left, const void* right) {
    const face* a = left;
    const face* b = right;
    return a->place < b->place ? -1 : a->place > b->place;
}

static bool same_corners(const face* a, const face* b) {
    return a->corners[0] == b->corners[0] && a->corners[1] == b->corners[1] && a->corners[2] == b->corners[2];
}

static bool overlap_fail(const mesh_draft* d, const face* a, const face* b, const char* path, report* r) {
    char fault[96];
    (void)snprintf(fault, sizeof fault, "lies on the same side of a face as tetrahedron %" PRIu64, a->place / 4 + 1);
    return mesh_element_fail(d, (size_t)(b->place / 4), path, fault, r);
}

/* Keeps the faces that stand alone; the others must come in pairs of opposite sides. */
static bool keep_single(const mesh_draft* d, face* faces, size_t* count, const char* path, report* r) {
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++) {
        if (i + 1 == *count || !same_corners(&faces[i], &faces[i + 1])) {
            faces[kept++] = faces[i];
        } else if (faces[i].odd == faces[i + 1].odd) {
            return overlap_fail(d, &faces[i], &faces[i + 1], path, r);
        } else if (i + 2 < *count && same_corners(&faces[i], &faces[i + 2])) {
            return overlap_fail(d, &faces[i + 1], &faces[i + 2], path, r);
        } else {
            i++;
        }
    }
    *count = kept;
    return true;
}

static bool boundary_of(const mesh_draft* d, face* faces, const char* path, mesh* out, report* r) {
    size_t count = 4 * d->element_count;
    for (size_t i = 0; i < count; i++) {
        faces[i] = make_face(d, i / 4, (int)(i % 4));
    }
    qsort(faces, count, sizeof *faces, by_corners);
    if (!keep_single(d, faces, &count, path, r)) {
        return false;
    }
    qsort(faces, count, sizeof *faces, by_place);
    out->triangles = array_new(count, sizeof *out->triangles, r);
    for (size_t i = 0; out->triangles && i < count; i++) {
        tet_face(d->elements[faces[i].place / 4].corners, (int)(faces[i].place % 4), out->triangles[i]);
    }
    out->triangle_count = out->triangles ? count : 0;
    return out->triangles != NULL;
}

bool mesh_draft_boundary(const mesh_draft* d, const char* path, mesh* out, report* r) {
    face* faces = array_new(d->element_count, 4 * sizeof *faces, r);
    const bool ok = faces && boundary_of(d, faces, path, out, r);
    free(faces);
    return ok;
}
