#include "mesh/mesh_draft.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

void mesh_draft_free(mesh_draft* d) {
    free(d->points);
    free(d->elements);
    *d = (mesh_draft){0};
}

/* ---- adding --------------------------------------------------------------------------------------------------- */

/* The array with room for one more, or NULL with the old one untouched. */
static void* with_room(void* array, size_t count, size_t* capacity, size_t element, report* r) {
    if (count < *capacity) {
        return array;
    }
    const size_t more = *capacity < 16 ? 16 : 2 * *capacity;
    void* larger = more > SIZE_MAX / element ? NULL : realloc(array, more * element);
    if (!larger) {
        (void)report_fail(r, "out of memory (%zu elements of %zu bytes)", more, element);
        return NULL;
    }
    *capacity = more;
    return larger;
}

bool mesh_draft_add_point(mesh_draft* d, const double point[3], report* r) {
    if (d->point_count == UINT32_MAX) {
        return report_fail(r, "more than %zu points in one mesh", d->point_count);
    }
    void* points = with_room(d->points, d->point_count, &d->point_capacity, sizeof *d->points, r);
    if (!points) {
        return false;
    }
    d->points = points;
    memcpy(d->points[d->point_count++], point, sizeof *d->points);
    return true;
}

bool mesh_draft_add_element(mesh_draft* d, const uint32_t* corners, size_t line, report* r) {
    void* elements = with_room(d->elements, d->element_count, &d->element_capacity, sizeof *d->elements, r);
    if (!elements) {
        return false;
    }
    d->elements = elements;
    mesh_element* e = &d->elements[d->element_count++];
    *e = (mesh_element){.line = line};
    memcpy(e->corners, corners, d->corner_count * sizeof *corners);
    return true;
}

/* ---- fewer points --------------------------------------------------------------------------------------------- */

static const uint32_t dropped = UINT32_MAX;

/* Moves every point i that stays to target[i] <= i. */
static void renumber(mesh_draft* d, const uint32_t* target, size_t point_count) {
    for (size_t i = 0; i < d->point_count; i++) {
        if (target[i] != dropped) {
            memmove(d->points[target[i]], d->points[i], sizeof *d->points);
        }
    }
    for (size_t i = 0; i < d->element_count; i++) {
        for (size_t k = 0; k < d->corner_count; k++) {
            d->elements[i].corners[k] = target[d->elements[i].corners[k]];
        }
    }
    d->point_count = point_count;
}

static bool drop_unused_points(mesh_draft* d, report* r) {
    uint32_t* target = array_new(d->point_count, sizeof *target, r);
    if (!target) {
        return false;
    }
    for (size_t i = 0; i < d->element_count; i++) {
        for (size_t k = 0; k < d->corner_count; k++) {
            target[d->elements[i].corners[k]] = 1;
        }
    }
    uint32_t used = 0;
    for (size_t i = 0; i < d->point_count; i++) {
        target[i] = target[i] ? used++ : dropped;
    }
    renumber(d, target, used);
    free(target);
    return true;
}

typedef struct sorted_point {
    double at[3];
    uint32_t index;
} sorted_point;

static int by_position(const void* left, const void* right) {
    const sorted_point* a = left;
    const sorted_point* b = right;
    for (int k = 0; k < 3; k++) {
        if (a->at[k] != b->at[k]) {
            return a->at[k] < b->at[k] ? -1 : 1;
        }
    }
    return a->index < b->index ? -1 : 1;
}

static bool same_position(const sorted_point* a, const sorted_point* b) {
    return a->at[0] == b->at[0] && a->at[1] == b->at[1] && a->at[2] == b->at[2];
}

static void find_first(sorted_point* points, size_t count, uint32_t* first) {
    qsort(points, count, sizeof *points, by_position);
    for (size_t i = 0; i < count; i++) {
        const bool repeats = i > 0 && same_position(&points[i], &points[i - 1]);
        first[points[i].index] = repeats ? first[points[i - 1].index] : points[i].index;
    }
}

bool mesh_first_in_place(size_t count, const double (*points)[3], uint32_t* first, report* r) {
    sorted_point* sorted = array_new(count, sizeof *sorted, r);
    for (size_t i = 0; sorted && i < count; i++) {
        memcpy(sorted[i].at, points[i], sizeof sorted[i].at);
        sorted[i].index = (uint32_t)i;
    }
    const bool ok = sorted != NULL;
    if (ok) {
        find_first(sorted, count, first);
    }
    free(sorted);
    return ok;
}

bool mesh_draft_join(mesh_draft* d, report* r) {
    uint32_t* target = array_new(d->point_count, sizeof *target, r);
    if (!target || !mesh_first_in_place(d->point_count, (const double(*)[3])d->points, target, r)) {
        free(target);
        return false;
    }
    uint32_t kept = 0;
    for (size_t i = 0; i < d->point_count; i++) {
        target[i] = target[i] == i ? kept++ : target[target[i]];
    }
    renumber(d, target, kept);
    free(target);
    return true;
}

/* ---- finishing ------------------------------------------------------------------------------------------------ */

static bool copy_elements(const mesh_draft* d, mesh* out, report* r) {
    uint32_t* corners = array_new(d->element_count, d->corner_count * sizeof *corners, r);
    for (size_t i = 0; corners && i < d->element_count; i++) {
        memcpy(corners + i * d->corner_count, d->elements[i].corners, d->corner_count * sizeof *corners);
    }
    if (d->corner_count == 3) {
        out->triangles = (void*)corners;
        out->triangle_count = d->element_count;
    } else {
        out->tets = (void*)corners;
        out->tet_count = d->element_count;
    }
    return corners != NULL;
}

bool mesh_draft_finish(mesh_draft* d, const char* path, mesh* out, report* r) {
    if (!mesh_draft_check(d, path, r) || (d->corner_count == 3 && !mesh_draft_drop_repeats(d, path, r)) ||
        !drop_unused_points(d, r)) {
        return false;
    }
    mesh m = {.point_count = d->point_count, .points = d->points};
    d->points = NULL;
    d->point_count = d->point_capacity = 0;
    if (!copy_elements(d, &m, r) || (d->corner_count == 4 && !mesh_draft_boundary(d, path, &m, r))) {
        mesh_free(&m);
        return false;
    }
    *out = m;
    return true;
}
