/* Polygons of surfaces. Readers add the fan from the first corner; it is right where all its triangles turn as the
 * polygon does. Otherwise the polygon is concave, or has a straight corner, and is cut by ears: a corner whose triangle
 * contains no other corner is cut off, until three are left. */
#include "base/array.h"
#include "base/vector.h"
#include "mesh/mesh_draft.h"

#include <stdlib.h>
#include <string.h>

static const double flatness = 1e-12; /* as of mesh_check.c */
enum { MOST_CORNERS = 4096 };         /* of a polygon that is cut by ears, which takes up to count^3 */

typedef struct polygon {
    size_t count;
    uint32_t* corners;
    double (*at)[2]; /* of each corner in the plane of the polygon, which turns counter-clockwise there */
    double least;    /* twice the area of a triangle that is not flat */
    size_t* left;    /* corners that are not cut off, `left_count` of them */
    size_t left_count;
} polygon;

static void free_polygon(polygon* p) {
    free(p->corners);
    free(p->at);
    free(p->left);
}

/* Corner k of the fan that begins with the element e. */
static uint32_t fan_corner(const mesh_element* e, size_t k) {
    return k == 0 ? e[0].corners[0] : k == 1 ? e[0].corners[1] : e[k - 2].corners[2];
}

/* Twice the area of the polygon times its unit normal: sum of x_k cross x_k+1 about the first corner. */
static void polygon_normal(const mesh_draft* d, const mesh_element* e, size_t count, double out[3]) {
    const double* origin = d->points[fan_corner(e, 0)];
    memset(out, 0, 3 * sizeof *out);
    for (size_t k = 1; k + 1 < count; k++) {
        double a[3], b[3], turn[3];
        vector_between(origin, d->points[fan_corner(e, k)], a);
        vector_between(origin, d->points[fan_corner(e, k + 1)], b);
        vector_cross(a, b, turn);
        for (int i = 0; i < 3; i++) {
            out[i] += turn[i];
        }
    }
}

static bool fan_is_right(const mesh_draft* d, const mesh_element* e, size_t count, const double normal[3]) {
    const double length = sqrt(vector_dot(normal, normal));
    for (size_t i = 0; i + 2 < count; i++) {
        double a[3], b[3], turn[3];
        vector_between(d->points[e[i].corners[0]], d->points[e[i].corners[1]], a);
        vector_between(d->points[e[i].corners[0]], d->points[e[i].corners[2]], b);
        vector_cross(a, b, turn);
        const double longest = fmax(vector_dot(a, a), vector_dot(b, b));
        if (!(vector_dot(turn, normal) > 2 * flatness * longest * length)) {
            return false;
        }
    }
    return true;
}

/* ---- in the plane --------------------------------------------------------------------------------------------- */

/* The axis of the normal's largest component is left out; the order of the two others keeps the sense of turning. */
static void flatten(const mesh_draft* d, polygon* p, const double normal[3]) {
    int drop = 0;
    for (int i = 1; i < 3; i++) {
        drop = fabs(normal[i]) > fabs(normal[drop]) ? i : drop;
    }
    const bool turned = normal[drop] < 0;
    const int first = (drop + (turned ? 2 : 1)) % 3, second = (drop + (turned ? 1 : 2)) % 3;
    double largest = 0;
    for (size_t k = 0; k < p->count; k++) {
        const double* x = d->points[p->corners[k]];
        const double* origin = d->points[p->corners[0]];
        p->at[k][0] = x[first] - origin[first];
        p->at[k][1] = x[second] - origin[second];
        largest = fmax(largest, fmax(fabs(p->at[k][0]), fabs(p->at[k][1])));
    }
    p->least = 2 * flatness * largest * largest;
}

static double turn_of(const polygon* p, size_t a, size_t b, size_t c) {
    return (p->at[b][0] - p->at[a][0]) * (p->at[c][1] - p->at[a][1]) -
           (p->at[b][1] - p->at[a][1]) * (p->at[c][0] - p->at[a][0]);
}

static bool same_place(const polygon* p, size_t a, size_t b) {
    return p->at[a][0] == p->at[b][0] && p->at[a][1] == p->at[b][1];
}

/* Inside or on the border; not where it is one of the corners, as a corner of a slit can be. */
static bool contains(const polygon* p, const size_t ear[3], size_t k) {
    for (int i = 0; i < 3; i++) {
        if (same_place(p, ear[i], k)) {
            return false;
        }
    }
    return turn_of(p, ear[0], ear[1], k) >= 0 && turn_of(p, ear[1], ear[2], k) >= 0 &&
           turn_of(p, ear[2], ear[0], k) >= 0;
}

/* The ear at place i of what is left. */
static bool is_ear(const polygon* p, size_t i, size_t ear[3]) {
    const size_t n = p->left_count;
    ear[0] = p->left[(i + n - 1) % n];
    ear[1] = p->left[i];
    ear[2] = p->left[(i + 1) % n];
    bool empty = turn_of(p, ear[0], ear[1], ear[2]) > p->least;
    for (size_t k = 2; empty && k + 1 < n; k++) {
        empty = !contains(p, ear, p->left[(i + k) % n]);
    }
    return empty;
}

/* Fills the triangles, or leaves them where the polygon crosses itself: then the fan stays. */
static bool cut_ears(polygon* p, mesh_element* out) {
    size_t done = 0;
    for (size_t i = 0, missed = 0; p->left_count > 2;) {
        size_t ear[3];
        if (!is_ear(p, i, ear)) {
            i = (i + 1) % p->left_count;
            if (missed++ == p->left_count) {
                return false;
            }
            continue;
        }
        missed = 0;
        for (int k = 0; k < 3; k++) {
            out[done].corners[k] = p->corners[ear[k]];
        }
        out[done++].corners[3] = 0;
        p->left_count--;
        memmove(p->left + i, p->left + i + 1, (p->left_count - i) * sizeof *p->left);
        i = i < p->left_count ? i : 0;
    }
    return true;
}

/* ---- all of them ---------------------------------------------------------------------------------------------- */

static bool cut_polygon(mesh_draft* d, mesh_element* e, size_t count, const double normal[3], report* r) {
    polygon p = {.count = count, .left_count = count};
    p.corners = array_new(count, sizeof *p.corners, r);
    p.at = p.corners ? array_new(count, sizeof *p.at, r) : NULL;
    p.left = p.at ? array_new(count, sizeof *p.left, r) : NULL;
    mesh_element* triangles = p.left ? array_new(count - 2, sizeof *triangles, r) : NULL;
    if (triangles) {
        for (size_t k = 0; k < count; k++) {
            p.corners[k] = fan_corner(e, k);
            p.left[k] = k;
        }
        flatten(d, &p, normal);
        for (size_t k = 0; k < count - 2; k++) {
            triangles[k].line = e[k].line;
        }
        if (cut_ears(&p, triangles)) {
            memcpy(e, triangles, (count - 2) * sizeof *e);
        }
    }
    free_polygon(&p);
    free(triangles);
    return triangles != NULL;
}

void mesh_draft_end_polygon(mesh_draft* d, size_t first_element) {
    const size_t fan = d->element_count - first_element;
    if (fan > 1) {
        d->elements[first_element].corners[3] = (uint32_t)fan;
    }
}

bool mesh_draft_add_cell(mesh_draft* d, const uint32_t* corners, size_t count, size_t line, report* r) {
    const size_t begin = d->element_count;
    bool ok = mesh_draft_add_element(d, corners, line, r);
    if (ok && count > d->corner_count) {
        ok = mesh_draft_add_element(d, (uint32_t[]){corners[0], corners[2], corners[3]}, line, r);
        mesh_draft_end_polygon(d, begin);
    }
    return ok;
}

bool mesh_draft_cut_polygons(mesh_draft* d, report* r) {
    bool ok = true;
    for (size_t i = 0; ok && i < d->element_count; i++) {
        mesh_element* e = &d->elements[i];
        const size_t count = (size_t)e->corners[3] + 2;
        double normal[3];
        if (count < 4) {
            continue;
        }
        e->corners[3] = 0;
        polygon_normal(d, e, count, normal);
        ok = fan_is_right(d, e, count, normal) || count > MOST_CORNERS || cut_polygon(d, e, count, normal, r);
    }
    return ok;
}
