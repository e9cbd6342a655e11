#include "base/vector.h"
#include "mesh/mesh_draft.h"

/* Volumes of larger meshes would overflow on the way, and their coordinates the float32 of exported files. */
static const double coordinate_limit = 1e30;

/* An area or volume below this part of the longest edge's square or cube is rounding and has no side. */
static const double flatness = 1e-12;

static double longest_edge(const mesh_draft* d, const mesh_element* e) {
    double longest = 0;
    for (size_t i = 0; i < d->corner_count; i++) {
        for (size_t j = 0; j < i; j++) {
            longest = fmax(longest, vector_distance(d->points[e->corners[i]], d->points[e->corners[j]]));
        }
    }
    return longest;
}

/* What is wrong with the element's shape, or NULL. */
static const char* shape_fault(const mesh_draft* d, const mesh_element* e) {
    const double length = longest_edge(d, e);
    const double* a = d->points[e->corners[0]];
    const double* b = d->points[e->corners[1]];
    const double* c = d->points[e->corners[2]];
    if (d->corner_count == 3) {
        return triangle_area(a, b, c) > flatness * length * length ? NULL : "has zero area";
    }
    const double volume = tet_volume(a, b, c, d->points[e->corners[3]]);
    const double least = flatness * length * length * length;
    if (volume > least) {
        return NULL;
    }
    return volume < -least ? "is inverted" : "is flat";
}

static const char* range_fault(const mesh_draft* d, const mesh_element* e) {
    for (size_t i = 0; i < d->corner_count; i++) {
        if (e->corners[i] >= d->point_count) {
            return "has a corner that is none of the points";
        }
    }
    return NULL;
}

/* Of fans of polygons this can be: their cut is looked at. */
static const char* repeat_fault(const mesh_draft* d, const mesh_element* e) {
    for (size_t i = 0; i < d->corner_count; i++) {
        for (size_t j = 0; j < i; j++) {
            if (e->corners[i] == e->corners[j]) {
                return "has the same corner twice";
            }
        }
    }
    return NULL;
}

static const char* element_name(const mesh_draft* d) {
    return d->corner_count == 3 ? "triangle" : "tetrahedron";
}

bool mesh_element_fail(const mesh_draft* d, size_t element, const char* path, const char* fault, report* r) {
    const size_t line = d->elements[element].line;
    return line ? report_fail(r, "%s:%zu: %s %zu %s", path, line, element_name(d), element + 1, fault)
                : report_fail(r, "%s: %s %zu %s", path, element_name(d), element + 1, fault);
}

static bool check_points(const mesh_draft* d, const char* path, report* r) {
    for (size_t i = 0; i < d->point_count; i++) {
        for (int k = 0; k < 3; k++) {
            if (!(fabs(d->points[i][k]) <= coordinate_limit)) {
                return report_fail(r, "%s: point %zu has the coordinate %g, which is not within %g m", path, i + 1,
                                   d->points[i][k], coordinate_limit);
            }
        }
    }
    return true;
}

typedef const char* element_fault(const mesh_draft* d, const mesh_element* e);

static bool check_elements(const mesh_draft* d, element_fault* fault_of, const char* path, report* r) {
    for (size_t i = 0; i < d->element_count; i++) {
        const char* fault = fault_of(d, &d->elements[i]);
        if (fault) {
            return mesh_element_fail(d, i, path, fault, r);
        }
    }
    return true;
}

static bool mend_surface(mesh_draft* d, const char* path, report* r) {
    const bool cut = mesh_draft_cut_polygons(d, r);
    if (cut) {
        mesh_draft_drop_folded(d, path);
    }
    return cut;
}

bool mesh_draft_check(mesh_draft* d, const char* path, report* r) {
    if (d->element_count == 0) {
        return report_fail(r, "%s: holds no %s", path, element_name(d));
    }
    return check_points(d, path, r) && check_elements(d, range_fault, path, r) &&
           (d->corner_count > 3 || mend_surface(d, path, r)) && check_elements(d, repeat_fault, path, r) &&
           check_elements(d, shape_fault, path, r);
}
