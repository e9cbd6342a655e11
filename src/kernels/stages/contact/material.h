/* Pairs of parts of one surface that bounds tetrahedra, with the material of these between them. Nothing is there for a
 * contact to keep apart: what squeezes the material has its elastic forces against it, and a contact through it would
 * push its own body apart. So such a surface has one side, its outside: it meets itself from there alone.
 *
 * From outside a pair starts at an end on each surface along a normal of that: the difference d of its closest points
 * has a positive component along the outward normal of either. Through the material both are negative. An element that
 * is inside out has its outsides within; so parts that were so near each other through the material, when the world was
 * created, that a single tetrahedron may be between them, never meet. Text for a file that has defined TAUT_REAL as
 * double. */
#ifndef TAUT_CONTACT_MATERIAL_H
#define TAUT_CONTACT_MATERIAL_H

#include "kernels/stages/contact/collide_pair.h"
#include "kernels/stages/contact/layers.h"

/* Cosine to the outward normal: what starts with less than the negative of that is through the material, else it may be
 * along the surface. */
#define TAUT_THROUGH_MATERIAL 0.2
#define TAUT_ALONG_MATERIAL   0.5

/* Outwards of a triangle, of length 1, or 0 where it has no area; times `sign`, added. */
TAUT_FN void add_outward(const double* a, const double* b, const double* c, double sign, double out[3]) {
    double ab[3], ac[3], area[3];
    vec3_sub(b, a, ab);
    vec3_sub(c, a, ac);
    vec3_cross(ab, ac, area);
    const double length = sqrt(vec3_dot(area, area));
    vec3_axpy(length > 0 ? sign / length : 0, area, out);
}

/* Of an edge with both of its triangles; the first one beside it goes along it (scene_touching_surface.c). */
TAUT_FN void outward_of_edge(const double* a, const double* b, const double* first, const double* second,
                             double out[3]) {
    out[0] = out[1] = out[2] = 0;
    add_outward(a, b, first, 1, out);
    add_outward(a, b, second, -1, out);
}

/* Cosine of two directions; 0 where one has none. */
TAUT_FN double cosine_of(const double a[3], const double b[3]) {
    const double lengths = sqrt(vec3_dot(a, a) * vec3_dot(b, b));
    return lengths > 0 ? vec3_dot(a, b) / lengths : 0;
}

TAUT_FN double longer_of(double length2, const double* a, const double* b) {
    double ab[3];
    vec3_sub(b, a, ab);
    return fmax(length2, vec3_dot(ab, ab));
}

/* ---- as the world was created ------------------------------------------------------------------------------------ */

/* Whether a pair at a distance, squared, never meets: through the material by no more than the longest side of its
 * parts, or along the surface by no more than the thickness. */
TAUT_FN bool starts_through(double distance2, double longest2, double thickness, double cosine) {
    return (distance2 <= longest2 && cosine < -TAUT_THROUGH_MATERIAL) ||
           (distance2 <= thickness * thickness && cosine < TAUT_ALONG_MATERIAL);
}

/* A corner and a face. */
TAUT_FN bool face_starts_through(const taut_fields* f, size_t point, const uint32_t* corner) {
    const double* x = f->corner_start;
    const double *a = x + 3 * (size_t)corner[0], *b = x + 3 * (size_t)corner[1], *c = x + 3 * (size_t)corner[2];
    const double longest2 = longer_of(longer_of(longer_of(0, a, b), b, c), c, a);
    const uint32_t own = (uint32_t)point;
    double d[3], out[3] = {0, 0, 0};
    if (!have_one_material(f, point, corner[0])) {
        return false;
    }
    (void)distance_at_start(f, &own, 1, corner, d);
    add_outward(a, b, c, 1, out);
    return starts_through(vec3_dot(d, d), longest2, thickness_of_pair(f, point, corner[0]), cosine_of(d, out));
}

/* Two edges. */
TAUT_FN bool edge_starts_through(const taut_fields* f, const uint32_t* own, const uint32_t* other) {
    const double* x = f->corner_start;
    const double *a = x + 3 * (size_t)own[0], *b = x + 3 * (size_t)own[1];
    const double *c = x + 3 * (size_t)other[0], *e = x + 3 * (size_t)other[1];
    double d[3], first[3], second[3];
    if (!have_one_material(f, own[0], other[0])) {
        return false;
    }
    (void)distance_at_start(f, own, 2, other, d);
    outward_of_edge(a, b, x + 3 * (size_t)own[2], x + 3 * (size_t)own[3], first);
    outward_of_edge(c, e, x + 3 * (size_t)other[2], x + 3 * (size_t)other[3], second);
    return starts_through(vec3_dot(d, d), longer_of(longer_of(0, a, b), c, e), thickness_of_pair(f, own[0], other[0]),
                          (cosine_of(d, second) - cosine_of(d, first)) / 2);
}

/* ---- as things are ----------------------------------------------------------------------------------------------- */

TAUT_FN const double* filled_x(const taut_fields* f, size_t corner) {
    return f->x + 3 * (size_t)f->touching_node[corner].centre;
}

/* A corner that is d from a face, or from one of its edges. At a corner of it the sides of its triangles may differ. */
TAUT_FN bool face_is_through(const taut_fields* f, size_t point, size_t face, int feature, const double d[3]) {
    const uint32_t* corner = f->face_corner + 4 * face;
    double out[3] = {0, 0, 0};
    if (feature >= TAUT_NEAR_CORNER || !have_one_material(f, point, corner[0])) {
        return false;
    }
    add_outward(filled_x(f, corner[0]), filled_x(f, corner[1]), filled_x(f, corner[2]), 1, out);
    if (feature >= TAUT_NEAR_EDGE) {
        const int i = feature - TAUT_NEAR_EDGE;
        const uint32_t across = f->face_across[3 * face + (size_t)i];
        add_outward(filled_x(f, corner[(i + 1) % 3]), filled_x(f, corner[i]), filled_x(f, across), 1, out);
    }
    return vec3_dot(out, d) < 0;
}

/* Two edges, d from the other one to this. */
TAUT_FN bool edge_is_through(const taut_fields* f, const uint32_t* own, const uint32_t* other, const double d[3]) {
    double first[3], second[3];
    if (!have_one_material(f, own[0], other[0])) {
        return false;
    }
    outward_of_edge(filled_x(f, own[0]), filled_x(f, own[1]), filled_x(f, own[2]), filled_x(f, own[3]), first);
    outward_of_edge(filled_x(f, other[0]), filled_x(f, other[1]), filled_x(f, other[2]), filled_x(f, other[3]), second);
    return vec3_dot(first, d) > 0 && vec3_dot(second, d) < 0;
}

#endif
