/* A mapped point y = sum w x + sum R a of its parents: dy = w dx, dy = theta x a, and ydot = w v + omega x a, whose
 * part omega x (theta x a) turns with the frame. */
#define TAUT_REAL double
#include "kernels/stages/frames.h"

#include "host/cpu/cpu_adjoint_chains.h"

#include <string.h>

static void map_arm(const adjoint_maps* m, size_t e, const double* omega, double x[3], double v[3]) {
    const size_t frame = m->plan->fields.map_parent[e] - m->plan->sizes.points;
    double* arm = m->arms + 3 * e;
    double turned[3];
    quat_rotate(m->turns[frame].orientation, m->plan->fields.map_local + 3 * e, arm);
    vec3_cross(omega, arm, turned);
    vec3_axpy(1, arm, x);
    vec3_axpy(1, turned, v);
}

static void map_point(const adjoint_maps* m, size_t n, double* x, double* v) {
    const taut_fields* f = &m->plan->fields;
    const size_t i = n - m->plan->sizes.simple;
    double place[3] = {0, 0, 0}, speed[3] = {0, 0, 0};
    for (uint32_t e = f->map_begin[i]; e < f->map_begin[i + 1]; e++) {
        const uint32_t code = f->map_code[e];
        const size_t parent = f->map_parent[e];
        const double w = f->map_local[3 * (size_t)e];
        if (TAUT_MAP_TYPE(code) == TAUT_MAP_ARM) {
            map_arm(m, e, v + 3 * parent, place, speed);
        } else if (TAUT_MAP_TYPE(code) == TAUT_MAP_SCALE) {
            vec3_axpy(w, x + 3 * parent, place);
            vec3_axpy(w, v + 3 * parent, speed);
        } else {
            place[TAUT_MAP_TO(code)] += w * x[3 * parent + TAUT_MAP_FROM(code)];
            speed[TAUT_MAP_TO(code)] += w * v[3 * parent + TAUT_MAP_FROM(code)];
        }
    }
    memcpy(x + 3 * n, place, sizeof place);
    memcpy(v + 3 * n, speed, sizeof speed);
}

void adjoint_map_points(const adjoint_maps* m, double* x, double* v) {
    for (size_t n = m->plan->sizes.simple; n < m->plan->sizes.points; n++) {
        map_point(m, n, x, v);
    }
}

/* Of a coordinate that a turn of a frame moves by `row`. */
static size_t link_frame(const adjoint_maps* m, size_t node, const double row[3], adjoint_link* out) {
    const double(*rate)[3] = (const double(*)[3])m->turns[node - m->plan->sizes.points].at_rate;
    for (size_t c = 0; c < 3; c++) {
        out[c] = (adjoint_link){3 * node + c, row[c], row[0] * rate[0][c] + row[1] * rate[1][c] + row[2] * rate[2][c]};
    }
    return 3;
}

static size_t link_entry(const adjoint_maps* m, size_t e, size_t axis, adjoint_link* out) {
    const taut_fields* f = &m->plan->fields;
    const uint32_t code = f->map_code[e];
    const size_t parent = f->map_parent[e];
    const double w = f->map_local[3 * e];
    double unit[3] = {0, 0, 0}, row[3];
    unit[axis] = 1;
    if (TAUT_MAP_TYPE(code) == TAUT_MAP_ARM) { /* e.(theta x a) = theta.(a x e) */
        vec3_cross(m->arms + 3 * e, unit, row);
        return link_frame(m, parent, row, out);
    }
    const bool all = TAUT_MAP_TYPE(code) == TAUT_MAP_SCALE;
    if (!all && TAUT_MAP_TO(code) != axis) {
        return 0;
    }
    out[0] = (adjoint_link){3 * parent + (all ? axis : TAUT_MAP_FROM(code)), w, w};
    return 1;
}

size_t adjoint_links(const adjoint_maps* m, size_t coordinate, adjoint_link out[ADJOINT_LINKS]) {
    const taut_fields* f = &m->plan->fields;
    const size_t node = coordinate / 3, axis = coordinate % 3;
    double unit[3] = {0, 0, 0};
    unit[axis] = 1;
    if (node >= m->plan->sizes.points) {
        return link_frame(m, node, unit, out);
    }
    if (!taut_is_mapped(&m->plan->sizes, node)) {
        out[0] = (adjoint_link){coordinate, 1, 1};
        return 1;
    }
    const size_t i = node - m->plan->sizes.simple;
    size_t count = 0;
    for (uint32_t e = f->map_begin[i]; e < f->map_begin[i + 1]; e++) {
        count += link_entry(m, e, axis, out + count);
    }
    return count;
}

void adjoint_turn_of_force(const double arm[3], const double force[3], double out[3][3]) {
    for (size_t c = 0; c < 3; c++) {
        double unit[3] = {0, 0, 0}, moved[3], torque[3];
        unit[c] = 1;
        vec3_cross(unit, arm, moved);
        vec3_cross(moved, force, torque);
        for (size_t a = 0; a < 3; a++) {
            out[a][c] = torque[a];
        }
    }
}

/* row.(omega x (theta x a)) = theta.(a x (row x omega)) */
void adjoint_turn_of_speed(const double arm[3], const double omega[3], const double row[3], double out[3]) {
    double across[3];
    vec3_cross(row, omega, across);
    vec3_cross(arm, across, out);
}

static void pull_arm(const adjoint_maps* m, const taut_step_record* record, size_t e, const double by_x[3],
                     const double by_v[3], taut_adjoint_sums* sums) {
    const size_t parent = m->plan->fields.map_parent[e];
    double arm[3], omega[3], torque[3];
    quat_rotate(m->turns[parent - m->plan->sizes.points].end, m->plan->fields.map_local + 3 * e, arm);
    memcpy(omega, record->v + 3 * parent, sizeof omega);
    vec3_axpy(1, record->dv + 3 * parent, omega);
    vec3_cross(arm, by_x, torque);
    vec3_axpy(1, torque, sums->x + 3 * parent);
    adjoint_turn_of_speed(arm, omega, by_v, torque);
    vec3_axpy(1, torque, sums->x + 3 * parent);
    vec3_cross(arm, by_v, torque);
    vec3_axpy(1, torque, sums->v + 3 * parent);
}

static void pull_point(const adjoint_maps* m, const taut_step_record* record, size_t n, taut_adjoint_sums* sums) {
    const taut_fields* f = &m->plan->fields;
    const size_t i = n - m->plan->sizes.simple;
    double *by_x = sums->x + 3 * n, *by_v = sums->v + 3 * n;
    for (uint32_t e = f->map_begin[i]; e < f->map_begin[i + 1]; e++) {
        const uint32_t code = f->map_code[e];
        const size_t parent = 3 * (size_t)f->map_parent[e];
        const double w = f->map_local[3 * (size_t)e];
        if (TAUT_MAP_TYPE(code) == TAUT_MAP_ARM) {
            pull_arm(m, record, e, by_x, by_v, sums);
        } else if (TAUT_MAP_TYPE(code) == TAUT_MAP_SCALE) {
            vec3_axpy(w, by_x, sums->x + parent);
            vec3_axpy(w, by_v, sums->v + parent);
        } else {
            sums->x[parent + TAUT_MAP_FROM(code)] += w * by_x[TAUT_MAP_TO(code)];
            sums->v[parent + TAUT_MAP_FROM(code)] += w * by_v[TAUT_MAP_TO(code)];
        }
    }
    memset(by_x, 0, 3 * sizeof *by_x);
    memset(by_v, 0, 3 * sizeof *by_v);
}

void adjoint_pull_maps(const adjoint_maps* m, const taut_step_record* record, taut_adjoint_sums* sums) {
    for (size_t n = m->plan->sizes.simple; n < m->plan->sizes.points; n++) {
        pull_point(m, record, n, sums);
    }
}
