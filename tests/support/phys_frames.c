#include "phys_frames.h"

#include <math.h>
#include <string.h>

/* ---- vectors and rotations --------------------------------------------------------------------------------------- */

double phys_dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

double phys_length(const double a[3]) {
    return sqrt(phys_dot(a, a));
}

double phys_apart(const double a[3], const double b[3]) {
    return phys_length((const double[]){a[0] - b[0], a[1] - b[1], a[2] - b[2]});
}

void phys_cross(const double a[3], const double b[3], double out[3]) {
    const double c[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    memcpy(out, c, sizeof c);
}

double phys_worse(double a, double b) {
    return a >= b || isnan(a) ? a : b;
}

double phys_farthest(const double* a, const double* b, size_t count) {
    double worst = 0;
    for (size_t i = 0; i < count; i++) {
        worst = phys_worse(worst, fabs(a[i] - b[i]));
    }
    return worst;
}

void phys_add(double s, const double a[3], double out[3]) {
    for (int i = 0; i < 3; i++) {
        out[i] += s * a[i];
    }
}

void phys_turn(const double axis[3], double angle, double q[4]) {
    const double scale = sin(angle / 2) / phys_length(axis);
    q[0] = cos(angle / 2);
    for (int i = 0; i < 3; i++) {
        q[1 + i] = scale * axis[i];
    }
}

void phys_multiply(const double a[4], const double b[4], double out[4]) {
    double product[4] = {a[0] * b[0] - phys_dot(a + 1, b + 1)};
    phys_cross(a + 1, b + 1, product + 1);
    phys_add(a[0], b + 1, product + 1);
    phys_add(b[0], a + 1, product + 1);
    memcpy(out, product, sizeof product);
}

/* r + 2 w (u x r) + 2 u x (u x r) with q = (w, u) */
void phys_rotate(const double q[4], const double r[3], double out[3]) {
    double once[3], twice[3], result[3] = {r[0], r[1], r[2]};
    phys_cross(q + 1, r, once);
    phys_cross(q + 1, once, twice);
    phys_add(2 * q[0], once, result);
    phys_add(2, twice, result);
    memcpy(out, result, sizeof result);
}

void phys_rotate_back(const double q[4], const double r[3], double out[3]) {
    phys_rotate((const double[]){q[0], -q[1], -q[2], -q[3]}, r, out);
}

double phys_angle_between(const double a[4], const double b[4]) {
    double between[4];
    phys_multiply((const double[]){a[0], -a[1], -a[2], -a[3]}, b, between);
    return 2 * atan2(phys_length(between + 1), fabs(between[0]));
}

double phys_angle_about_z(const double q[4]) {
    return phys_angle_difference(2 * atan2(q[3], q[0]), 0);
}

double phys_angle_difference(double a, double b) {
    const double d = remainder(a - b, 2 * PHYS_PI);
    return d <= -PHYS_PI ? d + 2 * PHYS_PI : d;
}

void phys_hinge_about_z(double q[4]) {
    phys_turn((const double[]){0, 1, 0}, -PHYS_PI / 2, q);
}

void phys_turned_inertia(const double principal[3], const double q[4], double inertia[6]) {
    memset(inertia, 0, 6 * sizeof *inertia);
    for (int k = 0; k < 3; k++) {
        double axis[3] = {0};
        axis[k] = 1;
        phys_rotate(q, axis, axis);
        for (int i = 0; i < 3; i++) {
            inertia[i] += principal[k] * axis[i] * axis[i];
            inertia[3 + i] += principal[k] * axis[(i + 1) % 3] * axis[(i + 2) % 3];
        }
    }
}

/* m (r.r I - r r^T) */
void phys_add_point_inertia(double mass, const double r[3], double inertia[6]) {
    for (int i = 0; i < 3; i++) {
        inertia[i] += mass * (phys_dot(r, r) - r[i] * r[i]);
        inertia[3 + i] -= mass * r[(i + 1) % 3] * r[(i + 2) % 3];
    }
}

/* ---- bodies ------------------------------------------------------------------------------------------------------ */

taut_scene* phys_empty_scene(void) {
    const taut_scene_def def = taut_default_scene();
    taut_scene* scene = NULL;
    CHECK_OK(taut_scene_create(&def, &scene));
    return scene;
}

taut_body phys_add_body(taut_scene* scene, const phys_body* body) {
    taut_body_ranges ranges = {{0, 0}, {0, 0}};
    taut_bodies_def def = taut_default_bodies();
    def.count = 1;
    def.positions = body->x;
    def.orientations = body->q;
    def.velocities = body->v;
    def.angular_velocities = body->w;
    def.mass = body->mass;
    def.inertias = body->inertia;
    def.fixed = &body->fixed;
    CHECK_OK(taut_scene_add_bodies(scene, &def, &ranges));
    return taut_body_of(ranges, 0);
}

phys_body phys_bar(const double from[3], const double to[3], double width, double mass) {
    phys_body bar = {.mass = mass, .q = {1, 0, 0, 0}};
    const double length = phys_apart(from, to);
    double along[3], axis[3];
    for (int i = 0; i < 3; i++) {
        bar.x[i] = (from[i] + to[i]) / 2;
        along[i] = (to[i] - from[i]) / length;
    }
    phys_cross((const double[]){1, 0, 0}, along, axis);
    if (phys_length(axis) > 0) {
        phys_turn(axis, atan2(phys_length(axis), along[0]), bar.q);
    } else if (along[0] < 0) {
        phys_turn((const double[]){0, 0, 1}, PHYS_PI, bar.q);
    }
    taut_inertia_of_box(mass, (const double[]){length, width, width}, bar.inertia);
    return bar;
}

phys_body phys_tumbling_body(void) {
    phys_body body = {.mass = 1.5, .q = {0.5, -0.5, 0.1, 0.7}};
    double axes[4];
    phys_turn((const double[]){1, 2, -1}, 0.8, axes);
    phys_turned_inertia((const double[]){0.02, 0.05, 0.06}, axes, body.inertia);
    phys_rotate(axes, (const double[]){0.3, 3, 0.4}, body.w);
    const double length = sqrt(body.q[0] * body.q[0] + phys_dot(body.q + 1, body.q + 1));
    for (int i = 0; i < 4; i++) {
        body.q[i] /= length;
    }
    phys_rotate(body.q, body.w, body.w);
    return body;
}

taut_joint_batches phys_add_joint(taut_scene* scene, taut_joint_type type, taut_body first, taut_body second,
                                  const double at[3], const double axes[4]) {
    taut_joint_batches batches = {{0}, {0}, {0}};
    taut_joints_def def = taut_default_joints();
    def.type = type;
    def.count = 1;
    def.bodies = (const taut_body[]){first, second};
    def.positions = at;
    def.orientations = axes;
    CHECK_OK(taut_scene_add_joints(scene, &def, &batches));
    return batches;
}

uint32_t phys_add_body_point(taut_scene* scene, taut_body body, const double at[3]) {
    taut_range range = {0, 0};
    taut_body_points_def def = taut_default_body_points();
    def.count = 1;
    def.body = body;
    def.positions = at;
    CHECK_OK(taut_scene_add_body_points(scene, &def, &range));
    return range.first;
}

void phys_read_body(taut_world* world, taut_body handle, phys_body* body) {
    CHECK_OK(taut_world_read(world, TAUT_FIELD_POSITIONS, handle.point, 1, body->x));
    CHECK_OK(taut_world_read(world, TAUT_FIELD_VELOCITIES, handle.point, 1, body->v));
    CHECK_OK(taut_world_read(world, TAUT_FIELD_ORIENTATIONS, handle.frame, 1, body->q));
    CHECK_OK(taut_world_read(world, TAUT_FIELD_ANGULAR_VELOCITIES, handle.frame, 1, body->w));
}

void phys_point_of(const phys_body* body, const double local[3], double out[3]) {
    phys_rotate(body->q, local, out);
    phys_add(1, body->x, out);
}

static void times_inertia(const double inertia[6], const double w[3], double out[3]) {
    const double* m = inertia;
    const double product[3] = {m[0] * w[0] + m[5] * w[1] + m[4] * w[2], m[5] * w[0] + m[1] * w[1] + m[3] * w[2],
                               m[4] * w[0] + m[3] * w[1] + m[2] * w[2]};
    memcpy(out, product, sizeof product);
}

void phys_spin(const phys_body* body, double out[3]) {
    phys_rotate_back(body->q, body->w, out);
    times_inertia(body->inertia, out, out);
    phys_rotate(body->q, out, out);
}

double phys_kinetic(const phys_body* body) {
    double spin[3];
    phys_spin(body, spin);
    return (body->mass * phys_dot(body->v, body->v) + phys_dot(body->w, spin)) / 2;
}

void phys_add_angular_momentum(const phys_body* body, double out[3]) {
    double part[3];
    phys_spin(body, part);
    phys_add(1, part, out);
    phys_cross(body->x, body->v, part);
    phys_add(body->mass, part, out);
}

static void read_rows(taut_world* world, taut_field field, taut_batch batch, size_t count, double* out) {
    taut_range rows = {0, 0};
    for (size_t i = 0; i < count; i++) {
        out[i] = NAN;
    }
    if (CHECK_OK(taut_world_batch_rows(world, batch, &rows)) && CHECK(count <= rows.count)) {
        CHECK_OK(taut_world_read(world, field, rows.first, count, out));
    }
}

void phys_multipliers(taut_world* world, taut_batch batch, size_t count, double* out) {
    read_rows(world, TAUT_FIELD_MULTIPLIERS, batch, count, out);
}

void phys_violations(taut_world* world, taut_batch batch, size_t count, double* out) {
    read_rows(world, TAUT_FIELD_VIOLATIONS, batch, count, out);
}

/* ---- reference motions ------------------------------------------------------------------------------------------- */

const phys_scheme phys_implicit_euler = {1, 1, 0, 1};
const phys_scheme phys_midpoint = {0.5, 0.5, 1, 2};

bool phys_check_order(double coarse, double fine, double order) {
    return CHECK(phys_order(coarse, fine) > order - 0.25);
}

taut_world* phys_scheme_world(taut_backend_kind backend, taut_scene* scene, const phys_scheme* scheme,
                              bool weightless) {
    taut_world_def def = phys_world_def(backend, scheme->alpha, scheme->beta);
    def.integrator.hard_row_damping = scheme->hard_row_damping;
    def.gravity[1] = weightless ? 0 : -PHYS_GRAVITY;
    return phys_world(scene, &def);
}

/* out = y + s k */
static void ahead(size_t n, const double* y, double s, const double* k, double* out) {
    for (size_t i = 0; i < n; i++) {
        out[i] = y[i] + s * k[i];
    }
}

void phys_rk4(phys_rate* rate, const void* system, size_t n, double* y, double duration, size_t steps) {
    const double h = duration / (double)steps;
    double k[4][16], trial[16];
    for (size_t step = 0; step < steps; step++) {
        rate(system, y, k[0]);
        ahead(n, y, h / 2, k[0], trial);
        rate(system, trial, k[1]);
        ahead(n, y, h / 2, k[1], trial);
        rate(system, trial, k[2]);
        ahead(n, y, h, k[2], trial);
        rate(system, trial, k[3]);
        for (size_t i = 0; i < n; i++) {
            y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
        }
    }
}

/* Brings the row with the largest entry of column c to row c. */
static void pivot(size_t n, double* a, double* b, size_t c) {
    size_t best = c;
    for (size_t r = c + 1; r < n; r++) {
        best = fabs(a[n * r + c]) > fabs(a[n * best + c]) ? r : best;
    }
    for (size_t i = 0; i < n; i++) {
        const double kept = a[n * c + i];
        a[n * c + i] = a[n * best + i];
        a[n * best + i] = kept;
    }
    const double kept = b[c];
    b[c] = b[best];
    b[best] = kept;
}

void phys_solve(size_t n, double* a, double* b) {
    for (size_t c = 0; c < n; c++) {
        pivot(n, a, b, c);
        for (size_t r = c + 1; r < n; r++) {
            const double factor = a[n * r + c] / a[n * c + c];
            for (size_t i = c; i < n; i++) {
                a[n * r + i] -= factor * a[n * c + i];
            }
            b[r] -= factor * b[c];
        }
    }
    for (size_t c = n; c-- > 0;) {
        for (size_t i = c + 1; i < n; i++) {
            b[c] -= a[n * c + i] * b[i];
        }
        b[c] /= a[n * c + c];
    }
}

/* Under a torque that is constant in the world. */
typedef struct driven_top {
    const phys_body* body;
    const double* torque;
} driven_top;

/* y = (q, w in the body's axes): q' = q (0, w)/2, I w' = I w x w + R^T torque. */
static void top_rate(const void* system, const double* y, double* rate) {
    const driven_top* top = system;
    const double *m = top->body->inertia, *w = y + 4, half[4] = {0, w[0] / 2, w[1] / 2, w[2] / 2};
    double matrix[9] = {m[0], m[5], m[4], m[5], m[1], m[3], m[4], m[3], m[2]}, torque[3];
    phys_multiply(y, half, rate);
    times_inertia(m, w, rate + 4);
    phys_cross(rate + 4, w, rate + 4);
    phys_rotate_back(y, top->torque, torque);
    phys_add(1, torque, rate + 4);
    phys_solve(3, matrix, rate + 4);
}

void phys_move_top(phys_body* body, const double torque[3], double duration, size_t steps) {
    const driven_top top = {body, torque};
    double y[7];
    memcpy(y, body->q, sizeof body->q);
    phys_rotate_back(body->q, body->w, y + 4);
    phys_rk4(top_rate, &top, 7, y, duration, steps);
    memcpy(body->q, y, sizeof body->q);
    phys_rotate(body->q, y + 4, body->w);
}

void phys_move_free_top(phys_body* body, double duration, size_t steps) {
    phys_move_top(body, (const double[]){0, 0, 0}, duration, steps);
}

/* K(k) = pi/(2 agm(1, k')) */
double phys_swing_period(double amplitude, double length) {
    double a = 1, b = cos(amplitude / 2);
    for (int i = 0; i < 10; i++) {
        const double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    return 2 * PHYS_PI / a * sqrt(length / PHYS_GRAVITY);
}

/* ---- a heavy load on something light ------------------------------------------------------------------------ */

/* m (g cos t + v^2/L) */
static double tension_error(taut_world* world, uint32_t load, double carried, const double x[3], double found) {
    double v[3];
    phys_velocity(world, load, v);
    const double expected = carried * (PHYS_GRAVITY * -x[1] / phys_length(x) + phys_dot(v, v));
    return fabs(found - expected) / (carried * PHYS_GRAVITY);
}

phys_swing phys_swing_load(taut_world* world, uint32_t load, double carried, phys_force* top, const void* system) {
    phys_swing result = {0};
    const double h = 1.0 / 60;
    double last = PHYS_SWING, first_crossing = 0, last_crossing = 0;
    int crossings = 0;
    for (int i = 1; i <= 8 * 60 && !result.lost; i++) {
        double x[3] = {0};
        result.lost = taut_world_step(world, h) != TAUT_OK;
        phys_position(world, load, x);
        const double angle = atan2(x[0], -x[1]);
        result.lost = result.lost || !(phys_length(x) < 2);
        if (last > 0 && angle <= 0) {
            last_crossing = (i - angle / (angle - last)) * h;
            first_crossing = crossings++ == 0 ? last_crossing : first_crossing;
        }
        if (i >= 30) {
            const double error = tension_error(world, load, carried, x, top(world, system));
            result.worst_tension = phys_worse(result.worst_tension, error);
        }
        last = angle;
    }
    result.period = crossings > 1 ? (last_crossing - first_crossing) / (crossings - 1) : 0;
    return result;
}

/* 2 pi sqrt(L/g) (1 + amplitude^2/16) = 2.0073 s; the swing shrinks, so its mean lies between that and 2.0061. */
bool phys_swings_right(const phys_swing* swing) {
    return !swing->lost && fabs(swing->period - 2.0073) < 0.005 * 2.0073 && swing->worst_tension < 0.01;
}
