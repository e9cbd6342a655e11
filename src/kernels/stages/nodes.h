/* Nodes in a stage: their masses, and how mapped points follow their parents.
 *
 * A mapped point y depends on parents p by entries e: dy = sum_e J_e dp_e. Velocities go forward, level by level
 * (spread_node); forces come back, the deepest level first, from a child to its parents (collect_children). */
#ifndef TAUT_STAGES_NODES_H
#define TAUT_STAGES_NODES_H

#include "kernels/formulas/rotation_math.h"
#include "kernels/stages/vectors.h"
#include "model/layout.h"

/* ---- symmetric 3 x 3 blocks {xx, yy, zz, yz, zx, xy} ------------------------------------------------------------- */

TAUT_FN void sym3_apply(const double m[6], const real v[3], real out[3]) {
    const real x = (real)m[0] * v[0] + (real)m[5] * v[1] + (real)m[4] * v[2];
    const real y = (real)m[5] * v[0] + (real)m[1] * v[1] + (real)m[3] * v[2];
    const real z = (real)m[4] * v[0] + (real)m[3] * v[1] + (real)m[2] * v[2];
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

/* ---- masses ------------------------------------------------------------------------------------------------------ */

/* out = P A^-1 P in at node n, A without its factor rows; 0 at mapped points. */
TAUT_FN void node_inverse(const taut_fields* f, const taut_sizes* s, size_t n, const real in[3], real out[3]) {
    if (n >= s->points) {
        sym3_apply(f->frame_inverse + 6 * (n - s->points), in, out);
        return;
    }
    const real w = (real)f->inverse_mass[n];
    for (int a = 0; a < 3; a++) {
        out[a] = w * in[a];
    }
}

/* out = P A P in, likewise. */
TAUT_FN void node_mass(const taut_fields* f, const taut_sizes* s, size_t n, const real in[3], real out[3]) {
    const real w = (real)f->inverse_mass[n];
    if (w > 0 && n >= s->points) {
        sym3_apply(f->frame_block + 6 * (n - s->points), in, out);
        return;
    }
    for (int a = 0; a < 3; a++) {
        out[a] = w > 0 ? in[a] / w : 0;
    }
}

/* a.W b with W = P A^-1 P at node n; of a mapped point the part of S that concerns it alone: for preconditioners. */
TAUT_FN double node_product(const taut_fields* f, const taut_sizes* s, size_t n, const double a[3], const double b[3]) {
    if (n < s->simple) {
        return (double)f->inverse_mass[n] * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
    }
    const float* w = f->node_block + 8 * (n - s->simple);
    const double x = w[0] * b[0] + w[5] * b[1] + w[4] * b[2];
    const double y = w[5] * b[0] + w[1] * b[1] + w[3] * b[2];
    const double z = w[4] * b[0] + w[3] * b[1] + w[2] * b[2];
    return a[0] * x + a[1] * y + a[2] * z;
}

/* Whether no force moves node n, a frame or an active mapped point: it is fixed or moved, or follows such nodes alone.
 */
TAUT_FN bool node_is_given(const taut_fields* f, const taut_sizes* s, size_t n) {
    const float* w = f->node_block + 8 * (n - s->simple);
    return w[0] == 0 && w[1] == 0 && w[2] == 0;
}

/* ---- mapped points ----------------------------------------------------------------------------------------------- */

/* out += J_e in */
TAUT_FN void map_apply_jacobian(const taut_fields* f, size_t e, const real in[3], real out[3]) {
    const uint32_t code = f->map_code[e];
    const float* stored = f->map_vector + 4 * e;
    const real vector[3] = {(real)stored[0], (real)stored[1], (real)stored[2]};
    real turned[3];
    switch (TAUT_MAP_TYPE(code)) {
    case TAUT_MAP_SCALE:
        vec3_axpy(vector[0], in, out);
        break;
    case TAUT_MAP_COMPONENT:
        add_to_axis(TAUT_MAP_TO(code), vector[0] * axis_of(TAUT_MAP_FROM(code), in), out);
        break;
    case TAUT_MAP_ARM:
        vec3_cross(in, vector, turned);
        vec3_axpy(1, turned, out);
        break;
    default:
        out[0] += vec3_dot(vector, in);
        break;
    }
}

/* out += J_e^T force */
TAUT_FN void map_apply_jacobian_transpose(const taut_fields* f, size_t e, const real force[3], real out[3]) {
    const uint32_t code = f->map_code[e];
    const float* stored = f->map_vector + 4 * e;
    const real vector[3] = {(real)stored[0], (real)stored[1], (real)stored[2]};
    real torque[3];
    switch (TAUT_MAP_TYPE(code)) {
    case TAUT_MAP_SCALE:
        vec3_axpy(vector[0], force, out);
        break;
    case TAUT_MAP_COMPONENT:
        add_to_axis(TAUT_MAP_FROM(code), vector[0] * axis_of(TAUT_MAP_TO(code), force), out);
        break;
    case TAUT_MAP_ARM:
        vec3_cross(vector, force, torque);
        vec3_axpy(1, torque, out);
        break;
    default:
        vec3_axpy(force[0], vector, out);
        break;
    }
}

/* Vectors of a mapped point from those of its parents. */
TAUT_FN void spread_node(const taut_fields* f, const taut_sizes* s, size_t n, real* vectors, size_t stride) {
    const size_t m = n - s->simple;
    real sum[3] = {0, 0, 0}, parent[3];
    for (uint32_t e = f->map_begin[m]; e < f->map_begin[m + 1]; e++) {
        load_vector(vectors, stride, f->map_parent[e], parent);
        map_apply_jacobian(f, e, parent, sum);
    }
    for (size_t a = 0; a < 3; a++) {
        vectors[stride * n + a] = sum[a];
    }
}

/* sum += what the children of node n pull at it with their `forces` (n x 4). `all`: not active ones alone. */
TAUT_FN void collect_children(const taut_fields* f, size_t n, bool all, const real* forces, real sum[3]) {
    const uint32_t end = all ? f->child_begin[n + 1] : f->child_split[n];
    for (uint32_t i = f->child_begin[n]; i < end; i++) {
        const uint32_t e = f->child_entry[i];
        real force[3];
        load_vector(forces, 4, f->map_child[e], force);
        map_apply_jacobian_transpose(f, e, force, sum);
    }
}

#endif
