/* The formulas of frames and mapped points against central differences, against phi by rotation matrices, against
 * themselves, where they degenerate, and in float32. */
#define TAUT_REAL   double
#define FRAME_TABLE frames_f64
#include "frame_formulas.h"

#include "dense_matrix.h"
#include "harness.h"

#include <math.h>
#include <string.h>

enum { CASES = 300 };
static const double pi = 3.14159265358979323846;

/* What is tested: a formula, and of turn each of its modes. */
typedef enum subject {
    TRAVEL,
    COSINE,
    ANGLE,
    VECTOR,
    TWIST,
    ALIGNMENT,
    SEGMENT,
    INERTIA,
    NORM,
    CONTACT,
    ROLLING,
    SUBJECT_COUNT
} subject;

static const struct {
    const char* name;
    int formula;
} subjects[SUBJECT_COUNT] = {
    {"travel", FRAME_TRAVEL},     {"turn, cosine", FRAME_TURN}, {"turn, angle", FRAME_TURN},
    {"turn, vector", FRAME_TURN}, {"turn, twist", FRAME_TURN},  {"alignment", FRAME_ALIGNMENT},
    {"segment", FRAME_SEGMENT},   {"inertia", FRAME_INERTIA},   {"norm", FRAME_NORM},
    {"contact", FRAME_CONTACT},   {"rolling", FRAME_ROLLING},
};

typedef struct frame_case {
    subject what;
    const frame_formula* f;
    int dofs;
    double x[FRAME_X];
    double rest[FRAME_REST];
    double lam[FRAME_ROWS];
} frame_case;

/* ---- rotations, written without a look at rotation_math.h; matrices row by row ---------------------------------- */

static void matrix_of(const double q[4], double r[9]) {
    const double w = q[0], *v = q + 1;
    const double skew[9] = {0, -v[2], v[1], v[2], 0, -v[0], -v[1], v[0], 0};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            r[3 * i + j] = (i == j ? w * w - dense_dot(3, v, v) : 0) + 2 * v[i] * v[j] + 2 * w * skew[3 * i + j];
        }
    }
}

static void transpose(const double a[9], double out[9]) {
    for (int i = 0; i < 9; i++) {
        out[i] = a[3 * (i % 3) + i / 3];
    }
}

static void product(const double a[9], const double b[9], double out[9]) {
    for (int i = 0; i < 9; i++) {
        out[i] = a[3 * (i / 3)] * b[i % 3] + a[3 * (i / 3) + 1] * b[3 + i % 3] + a[3 * (i / 3) + 2] * b[6 + i % 3];
    }
}

static void apply_back(const double r[9], const double v[3], double out[3]) {
    double back[9];
    transpose(r, back);
    dense_apply(3, 3, back, v, out);
}

static void cross(const double a[3], const double b[3], double out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* Rodrigues: I + sin(a) K + (1 - cos(a)) K^2. */
static void matrix_of_vector(const double v[3], double r[9]) {
    const double a = dense_norm(3, v), n = a > 0 ? a : 1;
    const double k[9] = {0, -v[2] / n, v[1] / n, v[2] / n, 0, -v[0] / n, -v[1] / n, v[0] / n, 0};
    product(k, k, r);
    for (int i = 0; i < 9; i++) {
        r[i] = (i % 4 == 0) + sin(a) * k[i] + 2 * sin(a / 2) * sin(a / 2) * r[i];
    }
}

/* Rotation vector of a matrix that is neither close to the identity nor to a half turn. */
static void vector_of_matrix(const double r[9], double v[3]) {
    const double twice[3] = {r[7] - r[5], r[2] - r[6], r[3] - r[1]};
    const double sine = dense_norm(3, twice) / 2, cosine = (r[0] + r[4] + r[8] - 1) / 2;
    for (int i = 0; i < 3; i++) {
        v[i] = twice[i] / 2 / sine * atan2(sine, cosine);
    }
}

static void quaternion_of_vector(const double v[3], double q[4]) {
    const double a = dense_norm(3, v);
    q[0] = cos(a / 2);
    for (int i = 0; i < 3; i++) {
        q[1 + i] = a > 0 ? sin(a / 2) / a * v[i] : 0;
    }
}

static void quaternion_product(const double a[4], const double b[4], double out[4]) {
    double vector[3];
    cross(a + 1, b + 1, vector);
    const double scalar = a[0] * b[0] - dense_dot(3, a + 1, b + 1);
    for (int i = 0; i < 3; i++) {
        vector[i] += a[0] * b[1 + i] + b[0] * a[1 + i];
    }
    out[0] = scalar;
    memcpy(out + 1, vector, sizeof vector);
}

/* Rotation vector from one orientation to another one, of less than half a turn. */
static void turn_since(const double from[4], const double to[4], double v[3]) {
    const double inverse[4] = {from[0], -from[1], -from[2], -from[3]};
    double turn[4];
    quaternion_product(to, inverse, turn);
    const double sine = dense_norm(3, turn + 1), angle = 2 * atan2(sine, fabs(turn[0]));
    for (int i = 0; i < 3; i++) {
        v[i] = sine > 0 ? (turn[0] < 0 ? -1 : 1) * angle / sine * turn[1 + i] : 0;
    }
}

static void random_unit(random_state* state, int n, double* out) {
    double norm;
    do {
        random_fill(state, -1, 1, (size_t)n, out);
        norm = dense_norm((size_t)n, out);
    } while (norm < 0.1 || norm > 1);
    for (int i = 0; i < n; i++) {
        out[i] /= norm;
    }
}

/* ---- cases ------------------------------------------------------------------------------------------------------ */

static double* node(frame_case* c, int slot) {
    return c->x + c->f->state * slot;
}

/* Joint frames of a rotation vector: those of the formula, in the world. */
static void joint_frames(const frame_case* c, double q0[4], double q1[4]) {
    memcpy(q0, c->x, 4 * sizeof *q0);
    memcpy(q1, c->x + 4, 4 * sizeof *q1);
    if (c->what == VECTOR || c->what == TWIST) {
        quaternion_product(c->x, c->rest + 2, q0);
        quaternion_product(c->x + 4, c->rest + 6, q1);
    }
}

/* The twist about x of a rotation of axes: what is left of it once the shortest turn from x to where x goes is undone.
 */
static double twist_of(const double r[9]) {
    const double first[3] = {1, 0, 0}, onto[3] = {r[0], r[3], r[6]};
    double axis[3], swing[9], back[9], left[9];
    cross(first, onto, axis);
    const double sine = dense_norm(3, axis);
    for (int i = 0; i < 3; i++) {
        axis[i] *= atan2(sine, onto[0]) / sine;
    }
    matrix_of_vector(axis, swing);
    transpose(swing, back);
    product(back, r, left);
    return atan2(left[7], left[4]);
}

/* phi by rotation matrices. */
static void reference_phi(const frame_case* c, double phi[3]) {
    const double* rest = c->rest;
    double r0[9], r1[9], a[3], b[3], d[3], q0[4], q1[4], turn[9], psi[3];
    switch (c->what) {
    case TRAVEL: /* offset of the attachment points in the axes of body 0 */
        matrix_of(c->x + 4, r0);
        matrix_of(c->x + 12, r1);
        dense_apply(3, 3, r0, rest + 4, a);
        dense_apply(3, 3, r1, rest + 7, b);
        for (int i = 0; i < 3; i++) {
            d[i] = c->x[8 + i] + b[i] - c->x[i] - a[i];
        }
        apply_back(r0, d, a);
        phi[0] = dense_dot(3, a, rest + 1) - rest[0];
        break;
    case COSINE:
    case ANGLE: /* v in the axes of frame 0 */
        matrix_of(c->x, r0);
        matrix_of(c->x + 4, r1);
        dense_apply(3, 3, r1, rest + 5, b);
        apply_back(r0, b, a);
        if (c->what == COSINE) {
            phi[0] = dense_dot(3, a, rest + 2) - rest[0];
        } else {
            cross(rest + 8, rest + 2, d);
            const double angle = atan2(dense_dot(3, a, d), dense_dot(3, a, rest + 2));
            phi[0] = rest[11] + remainder(angle - rest[11], 2 * pi) - rest[0];
        }
        break;
    case VECTOR:
    case TWIST:
    case ALIGNMENT:
        joint_frames(c, q0, q1);
        matrix_of(q0, r0);
        matrix_of(q1, r1);
        transpose(r0, turn);
        product(turn, r1, r0);
        if (c->what == TWIST) {
            phi[0] = twist_of(r0) - rest[0];
            break;
        }
        vector_of_matrix(r0, psi);
        for (int i = 0; i < 3; i++) {
            phi[i] = psi[i] - rest[i];
        }
        if (c->what == VECTOR) {
            phi[0] = psi[(int)rest[10]] - rest[0];
        }
        break;
    case SEGMENT:
        matrix_of(c->x + 8, r0);
        for (int i = 0; i < 3; i++) {
            d[i] = c->x[4 + i] - c->x[i];
        }
        apply_back(r0, d, phi);
        for (int i = 0; i < 3; i++) {
            phi[i] -= rest[i];
        }
        break;
    case CONTACT: /* the way of the first thing less that of the second, along fixed directions */
        memset(d, 0, sizeof d);
        for (int slot = 0; slot < 6; slot++) {
            if (slot >= 4) {
                turn_since(rest + 19 + 4 * (slot - 4), c->x + 4 * slot, b);
                cross(b, rest + 13 + 3 * (slot - 4), a);
            }
            for (int i = 0; i < 3; i++) {
                d[i] += slot < 4 ? rest[9 + slot] * c->x[4 * slot + i] : slot == 4 ? a[i] : -a[i];
            }
        }
        cross(rest, rest + 3, b);
        phi[0] = dense_dot(3, rest, d) - rest[6];
        phi[1] = dense_dot(3, rest + 3, d) - rest[7];
        phi[2] = dense_dot(3, b, d) - rest[8];
        break;
    default:
        break;
    }
}

/* |psi|, or -1 for kinds without. */
static double relative_angle(const frame_case* c) {
    double q0[4], q1[4], between[4];
    if (c->what != VECTOR && c->what != ALIGNMENT) {
        return -1;
    }
    joint_frames(c, q0, q1);
    const double inverse[4] = {q0[0], -q0[1], -q0[2], -q0[3]};
    quaternion_product(inverse, q1, between);
    return 2 * atan2(dense_norm(3, between + 1), fabs(between[0]));
}

/* X^2 + Y^2 of the angle about an axis. */
static double across_axis(const frame_case* c) {
    double r0[9], r1[9], a[3], b[3];
    matrix_of(c->x, r0);
    matrix_of(c->x + 4, r1);
    dense_apply(3, 3, r0, c->rest + 8, a);
    dense_apply(3, 3, r1, c->rest + 5, b);
    return 1 - pow(dense_dot(3, a, b), 2);
}

/* w^2 + x^2 of the rotation between joint axes: cos^2 of half of the swing. */
static double twisting_part(const frame_case* c) {
    double q0[4], q1[4], between[4];
    joint_frames(c, q0, q1);
    const double inverse[4] = {q0[0], -q0[1], -q0[2], -q0[3]};
    quaternion_product(inverse, q1, between);
    return between[0] * between[0] + between[1] * between[1];
}

/* Whether the value has jumps by whole turns. */
static bool turns_round(const frame_case* c) {
    return c->what == ANGLE || c->what == TWIST;
}

static bool well_posed(const frame_case* c) {
    const double angle = relative_angle(c);
    if (c->what == TWIST) {
        return twisting_part(c) > 0.05;
    }
    if (c->what == NORM) {
        return dense_norm(3, c->x) > 0.3;
    }
    return c->what == ANGLE ? across_axis(c) > 0.2 : angle < 0 || (angle > 0.01 && angle < 3.1);
}

static void square_axis(random_state* state, frame_case* c) {
    double other[3], norm;
    do {
        random_unit(state, 3, other);
        cross(c->rest + 2, other, c->rest + 8);
        norm = dense_norm(3, c->rest + 8);
    } while (norm < 0.3);
    for (int i = 8; i < 11; i++) {
        c->rest[i] /= norm;
    }
}

/* A normal with a tangent; now and then a side without a frame, or a point without a weight. */
static void contact_case(random_state* state, frame_case* c) {
    random_unit(state, 3, c->rest + 2);
    square_axis(state, c);
    double normal[3], tangent[3];
    memcpy(normal, c->rest + 2, sizeof normal);
    memcpy(tangent, c->rest + 8, sizeof tangent);
    random_fill(state, -1, 1, FRAME_REST, c->rest);
    memcpy(c->rest, normal, sizeof normal);
    memcpy(c->rest + 3, tangent, sizeof tangent);
    const int without = (int)floor(random_in(state, 0, 4));
    if (without < 2) {
        memset(c->rest + 13 + 3 * without, 0, 3 * sizeof *c->rest);
    } else {
        c->rest[9 + without] = 0;
    }
}

/* The same of its couple; now and then a side without a frame. */
static void rolling_case(random_state* state, frame_case* c) {
    contact_case(state, c);
    const int without = (int)floor(random_in(state, 0, 4));
    c->rest[6] = without == 0 ? 0 : 1;
    c->rest[7] = without == 1 ? 0 : -1;
}

static frame_case random_case(subject what, random_state* state) {
    frame_case c = {.what = what, .f = &frames_f64.formulas[subjects[what].formula]};
    c.dofs = 3 * c.f->nodes;
    do {
        random_fill(state, -1, 1, FRAME_X, c.x);
        random_fill(state, -1, 1, FRAME_REST, c.rest);
        random_fill(state, -2, 2, FRAME_ROWS, c.lam);
        for (int slot = 0; slot < c.f->nodes; slot++) {
            if (c.f->frames >> slot & 1) {
                random_unit(state, 4, node(&c, slot));
            }
        }
        if (what == TRAVEL) {
            random_unit(state, 3, c.rest + 1);
        } else if (what == COSINE || what == ANGLE) {
            random_unit(state, 3, c.rest + 2);
            random_unit(state, 3, c.rest + 5);
            square_axis(state, &c);
            c.rest[11] = random_in(state, -9, 9);
        } else if (what == VECTOR || what == TWIST) {
            random_unit(state, 4, c.rest + 2);
            random_unit(state, 4, c.rest + 6);
            c.rest[10] = floor(random_in(state, 0, 3));
        } else if (what == INERTIA) {
            c.rest[0] = fabs(c.rest[0]);
        } else if (what == CONTACT) {
            contact_case(state, &c);
            memcpy(c.rest + 19, node(&c, 4), 8 * sizeof *c.rest);
        } else if (what == ROLLING) {
            rolling_case(state, &c);
        }
        if (c.f == &frames_f64.formulas[FRAME_TURN]) {
            c.rest[1] = (double)(what - COSINE);
        }
    } while (!well_posed(&c));
    return c;
}

/* Runs `check` on random cases of every subject. */
static void for_each_case(void (*check)(frame_case* c, random_state* state)) {
    for (int what = 0; what < SUBJECT_COUNT; what++) {
        random_state state = {23};
        for (int i = 0; i < CASES; i++) {
            frame_case c = random_case((subject)what, &state);
            test_note("%s, case %d", subjects[what].name, i);
            check(&c, &state);
        }
    }
    test_note(NULL);
}

/* x moved by s dx: points by s dx, frames by exp(s dx) in world axes. */
static void move(const frame_case* c, const double* x, double s, const double* dx, double* out) {
    const int state = c->f->state;
    for (int slot = 0; slot < c->f->nodes; slot++) {
        const double step[3] = {s * dx[3 * slot], s * dx[3 * slot + 1], s * dx[3 * slot + 2]};
        if (c->f->frames >> slot & 1) {
            double turn[4];
            quaternion_of_vector(step, turn);
            quaternion_product(turn, x + state * slot, out + state * slot);
        } else {
            out[state * slot + state - 1] = 0;
            for (int i = 0; i < 3; i++) {
                out[state * slot + i] = x[state * slot + i] + step[i];
            }
        }
    }
}

typedef void field_fn(const frame_case* c, const double* x, double* out);

static void field_phi(const frame_case* c, const double* x, double* out) {
    c->f->phi(x, c->rest, out);
}
static void field_force(const frame_case* c, const double* x, double* out) {
    c->f->pull(x, c->rest, c->lam, out);
}
/* The force of the norm, which is no constraint: g n on d. */
static void field_norm_force(const frame_case* c, const double* x, double* out) {
    memset(out, 0, 6 * sizeof *out);
    for (int i = 0; i < 3; i++) {
        out[i] = c->lam[0] * x[i] / dense_norm(3, x);
    }
}

/* First (order 1) or second derivative along dx by five points. */
static void difference(const frame_case* c, field_fn* field, int count, int order, const double* dx, double* out) {
    static const double weights[2][5] = {{1. / 12, -8. / 12, 0, 8. / 12, -1. / 12},
                                         {-1. / 12, 16. / 12, -30. / 12, 16. / 12, -1. / 12}};
    const double s = order == 1 ? 2e-4 : 2e-3;
    double at[FRAME_DOFS];
    field(c, c->x, at);
    memset(out, 0, (size_t)count * sizeof *out);
    for (int k = 0; k < 5; k++) {
        double x[FRAME_X], value[FRAME_DOFS];
        move(c, c->x, s * (k - 2), dx, x);
        field(c, x, value);
        for (int i = 0; i < count; i++) {
            const double change = value[i] - at[i];
            out[i] += weights[order - 1][k] / pow(s, order) * (turns_round(c) ? remainder(change, 2 * pi) : change);
        }
    }
}

/* Sizes of what is nearly nothing, and nothing. */
static const double tiny[] = {1e-2,  1e-4,  1e-6,  1e-7,  1e-8,   1e-12,  1e-15,
                              1e-16, 1e-20, 1e-30, 1e-40, 1e-160, 1e-310, 0};
enum { TINY_COUNT = sizeof tiny / sizeof *tiny };

/* ---- rotation_math.h -------------------------------------------------------------------------------------------- */

TAUT_PLAIN_TEST(frame_formulas, quaternions_are_rotations) {
    random_state state = {3};
    for (int i = 0; i < CASES; i++) {
        double a[4], b[4], ab[4], v[3], ra[9], rb[9], rab[9], r[9], e[9], expected[9], w[3];
        random_unit(&state, 4, a);
        random_unit(&state, 4, b);
        random_fill(&state, -1, 1, 3, v);
        matrix_of(a, ra);
        matrix_of(b, rb);
        frames_f64.multiply(a, b, ab);
        product(ra, rb, rab);
        matrix_of(ab, r);
        CHECK_NEAR(dense_max_difference(9, r, rab), 0, 1e-14);
        dense_apply(3, 3, ra, v, expected);
        frames_f64.rotate(a, v, w);
        CHECK_NEAR(dense_max_difference(3, w, expected), 0, 1e-14);
        frames_f64.axes(a, e);
        transpose(ra, expected);
        CHECK_NEAR(dense_max_difference(9, e, expected), 0, 1e-14);
        /* exp is the matrix exponential, and turns in world axes when it stands on the left */
        frames_f64.exp(v, ab);
        matrix_of(ab, r);
        matrix_of_vector(v, expected);
        CHECK_NEAR(dense_max_difference(9, r, expected), 0, 1e-14);
        /* log is the shorter way back, and the same for q and -q */
        for (double length = 1e-18; length < 2 * pi; length *= 1.9) {
            const double angle = length <= pi ? length : length - 2 * pi, norm = dense_norm(3, v);
            for (int k = 0; k < 3; k++) {
                w[k] = length * v[k] / norm;
            }
            frames_f64.exp(w, ab);
            for (int sign = 0; sign < 2; sign++) {
                frames_f64.log(ab, e);
                for (int k = 0; k < 3; k++) {
                    CHECK_NEAR(e[k], angle * v[k] / norm, 4e-15 * (length > pi ? 1 : length));
                }
                for (int k = 0; k < 4; k++) {
                    ab[k] = -ab[k];
                }
            }
        }
    }
}

TAUT_PLAIN_TEST(frame_formulas, small_rotation_vectors) {
    for (int i = 0; i < TINY_COUNT; i++) {
        const double v[3] = {0, tiny[i], 0};
        double q[4], back[3];
        for (int single = 0; single < 2; single++) {
            const frame_table* table = single ? &frames_f32 : &frames_f64;
            table->exp(v, q);
            CHECK_NEAR(q[0], cos(tiny[i] / 2), 1e-7);
            CHECK(q[1] == 0 && q[3] == 0);
            CHECK_NEAR(q[2], sin(tiny[i] / 2), 1e-6 * tiny[i] + 1e-45);
            table->log(q, back);
            CHECK_NEAR(back[1], tiny[i], 1e-6 * tiny[i] + 2e-45);
        }
    }
}

TAUT_PLAIN_TEST(frame_formulas, quaternions_of_any_length_are_normalised) {
    random_state state = {4};
    for (int exponent = -307; exponent <= 307; exponent++) {
        double unit[4], q[4], out[4];
        random_unit(&state, 4, unit);
        for (int k = 0; k < 4; k++) {
            q[k] = pow(10, exponent) * unit[k];
        }
        CHECK_NEAR(frames_f64.normalise(q, out) / pow(10, exponent), 1, 1e-15 * 4);
        CHECK_NEAR(dense_max_difference(4, out, unit), 0, 1e-15);
    }
    const double zero[4] = {0}, identity[4] = {1, 0, 0, 0};
    double out[4];
    CHECK(frames_f64.normalise(zero, out) == 0);
    CHECK(dense_max_difference(4, out, identity) == 0);
}

/* c and c' / |psi| against long double, and across the switch from the series to the closed form. */
TAUT_PLAIN_TEST(frame_formulas, coefficients_are_continuous) {
    double c, slope, c_f32, slope_f32, before, slope_before;
    for (double squared = 0.01; squared < pi * pi; squared *= 1.01) {
        const long double half = sqrtl((long double)squared) / 2, by_sine = half / sinl(half);
        const long double cotangent = by_sine * cosl(half);
        const double expected = (double)((1 - cotangent) / squared);
        const double expected_slope = (double)((by_sine * by_sine + cotangent - 2) / squared / squared);
        frames_f64.coefficients(squared, &c, &slope);
        frames_f32.coefficients(squared, &c_f32, &slope_f32);
        CHECK_NEAR(c, expected, 3e-15);
        CHECK_NEAR(slope, expected_slope, 1e-13);
        CHECK_NEAR(c_f32, expected, 5e-7);
        CHECK_NEAR(slope_f32, expected_slope, 5e-6);
    }
    frames_f64.coefficients(0, &c, &slope);
    CHECK_NEAR(c, 1. / 12, 1e-17);
    CHECK_NEAR(slope, 1. / 360, 1e-17);
    frames_f64.coefficients(pi * pi, &c, &slope);
    CHECK_NEAR(c, 1 / (pi * pi), 1e-15);
    frames_f64.coefficients(0.4 * (1 - 1e-15), &before, &slope_before);
    frames_f64.coefficients(0.4 * (1 + 1e-15), &c, &slope);
    CHECK_NEAR(c, before, 3e-15);
    CHECK_NEAR(slope, slope_before, 5e-14);
}

/* ---- formulas --------------------------------------------------------------------------------------------------- */

static void check_phi(frame_case* c, random_state* state) {
    (void)state;
    double phi[3] = {0}, expected[3] = {0};
    c->f->phi(c->x, c->rest, phi);
    reference_phi(c, expected);
    for (int r = 0; r < c->f->rows; r++) {
        const double change = phi[r] - expected[r];
        CHECK_NEAR(turns_round(c) ? remainder(change, 2 * pi) : change, 0, 2e-13);
    }
}

TAUT_PLAIN_TEST(frame_formulas, phi_is_that_of_rotation_matrices) {
    for_each_case(check_phi);
}

static void check_jacobian(frame_case* c, random_state* state) {
    double dx[FRAME_DOFS], expected[3], actual[3];
    random_fill(state, -1, 1, FRAME_DOFS, dx);
    c->f->forward(c->x, c->rest, dx, actual);
    if (c->what == ROLLING) { /* of velocities, without phi: how much faster the first one turns, along the axes */
        double turn[3], second[3];
        for (int i = 0; i < 3; i++) {
            turn[i] = c->rest[6] * dx[i] + c->rest[7] * dx[3 + i];
        }
        cross(c->rest, c->rest + 3, second);
        expected[0] = dense_dot(3, c->rest, turn);
        expected[1] = dense_dot(3, c->rest + 3, turn);
        expected[2] = dense_dot(3, second, turn);
    } else {
        difference(c, field_phi, c->f->rows, 1, dx, expected);
    }
    for (int r = 0; r < c->f->rows; r++) {
        CHECK_NEAR(actual[r], expected[r], 1e-9 * (1 + fabs(expected[r])));
    }
}

TAUT_PLAIN_TEST(frame_formulas, jacobian_is_the_derivative) {
    for_each_case(check_jacobian);
}

static void check_adjoint(frame_case* c, random_state* state) {
    double dx[FRAME_DOFS], dphi[3], f[FRAME_DOFS];
    random_fill(state, -1, 1, FRAME_DOFS, dx);
    c->f->forward(c->x, c->rest, dx, dphi);
    c->f->pull(c->x, c->rest, c->lam, f);
    const double expected = dense_dot((size_t)c->f->rows, dphi, c->lam);
    CHECK_NEAR(dense_dot((size_t)c->dofs, f, dx), expected, 1e-14 * (1 + dense_max((size_t)c->dofs, f)) * 12);
}

TAUT_PLAIN_TEST(frame_formulas, pull_is_the_adjoint_of_forward) {
    for_each_case(check_adjoint);
}

static void check_curvature(frame_case* c, random_state* state) {
    double dx[FRAME_DOFS], expected[FRAME_DOFS], actual[FRAME_DOFS];
    random_fill(state, -1, 1, FRAME_DOFS, dx);
    c->f->curvature(c->x, c->rest, c->lam, dx, actual);
    difference(c, c->what == NORM ? field_norm_force : field_force, c->dofs, 1, dx, expected);
    CHECK_NEAR(dense_max_difference((size_t)c->dofs, actual, expected), 0,
               1e-9 * (1 + dense_max((size_t)c->dofs, expected)));
}

TAUT_PLAIN_TEST(frame_formulas, curvature_is_the_derivative_of_the_force) {
    for_each_case(check_curvature);
}

/* Jacobian and curvature where random cases seldom are: small angles, the end of the series, close to a half turn. */
TAUT_PLAIN_TEST(frame_formulas, rotation_vectors_from_nothing_to_half_a_turn) {
    static const double angles[] = {0, 1e-9, 1e-5, 1e-3, 0.03, 0.3, 0.6324, 0.63245553, 0.6325, 1, 2, 3, 3.13};
    random_state state = {29};
    for (int what = VECTOR; what <= ALIGNMENT; what += ALIGNMENT - VECTOR) {
        for (size_t k = 0; k < sizeof angles / sizeof *angles; k++) {
            for (int i = 0; i < 20; i++) {
                frame_case c = random_case((subject)what, &state);
                double psi[3], turn[4], q0[4], q1[4], inverse[4] = {1, 0, 0, 0};
                test_note("%s, angle %g, case %d", subjects[what].name, angles[k], i);
                random_unit(&state, 3, psi);
                for (int a = 0; a < 3; a++) {
                    psi[a] *= angles[k];
                }
                quaternion_of_vector(psi, turn);
                joint_frames(&c, q0, q1);
                quaternion_product(q0, turn, q1);
                if (what == VECTOR) {
                    for (int a = 0; a < 4; a++) {
                        inverse[a] = (a == 0 ? 1 : -1) * c.rest[6 + a];
                    }
                }
                quaternion_product(q1, inverse, node(&c, 1));
                check_jacobian(&c, &state);
                check_curvature(&c, &state);
                double phi[3];
                c.f->phi(c.x, c.rest, phi);
                for (int r = 0; r < c.f->rows; r++) {
                    CHECK_NEAR(phi[r] + c.rest[r], psi[what == VECTOR ? (int)c.rest[10] : r], 1e-14);
                }
            }
        }
    }
    test_note(NULL);
}

/* The same motion of all nodes changes nothing: on a rotation of the world, points turn about the origin. */
static void check_invariance(frame_case* c, random_state* state) {
    if (c->what == CONTACT || c->what == ROLLING) { /* their directions are the world's */
        return;
    }
    double turn[4], r[9], shift[3], moved[FRAME_X] = {0}, before[3] = {0}, after[3] = {0};
    random_unit(state, 4, turn);
    random_fill(state, -2, 2, 3, shift);
    matrix_of(turn, r);
    for (int slot = 0; slot < c->f->nodes; slot++) {
        const double* from = node(c, slot);
        double* to = moved + c->f->state * slot;
        if (c->f->frames >> slot & 1) {
            quaternion_product(turn, from, to);
            continue;
        }
        dense_apply(3, 3, r, from, to);
        for (int i = 0; i < 3; i++) {
            to[i] += shift[i];
        }
    }
    c->f->phi(c->x, c->rest, before);
    c->f->phi(moved, c->rest, after);
    for (int i = 0; i < c->f->rows; i++) {
        const double change = after[i] - before[i];
        CHECK_NEAR(turns_round(c) ? remainder(change, 2 * pi) : change, 0, 2e-14 * 10);
    }
}

TAUT_PLAIN_TEST(frame_formulas, joints_do_not_see_rigid_motion) {
    for_each_case(check_invariance);
}

/* A contact knows the turns of frames since it was found to first order, however far they are. */
TAUT_PLAIN_TEST(frame_formulas, contact_is_linear_in_turns) {
    random_state state = {41};
    for (int i = 0; i < CASES; i++) {
        const frame_case c = random_case(CONTACT, &state);
        frame_case moved = c;
        double dx[FRAME_DOFS], expected[3], row[3], phi[3], before[3];
        random_fill(&state, -1, 1, FRAME_DOFS, dx);
        move(&c, c.x, 1, dx, moved.x);
        reference_phi(&moved, expected);
        c.f->phi(c.x, c.rest, before);
        c.f->phi(moved.x, c.rest, phi);
        c.f->forward(c.x, c.rest, dx, row);
        CHECK_NEAR(dense_max_difference(3, phi, expected), 0, 1e-14 * 4);
        for (int r = 0; r < 3; r++) {
            CHECK_NEAR(phi[r], before[r] + row[r], 1e-14 * 4);
        }
    }
}

/* Angles of a hinge: positive turns about the axis are positive, and counted from the angle that the state has had. */
TAUT_PLAIN_TEST(frame_formulas, angle_of_a_hinge) {
    random_state state = {31};
    for (int i = 0; i < CASES; i++) {
        frame_case c = random_case(ANGLE, &state);
        const double angle = random_in(&state, -pi, pi), off = random_in(&state, -3.1, 3.1);
        double step[3], turn[4], phi;
        for (int k = 0; k < 3; k++) {
            step[k] = angle * c.rest[8 + k];
            c.rest[5 + k] = c.rest[2 + k];
        }
        quaternion_of_vector(step, turn);
        quaternion_product(c.x, turn, c.x + 4); /* the axis is one of frame 0 */
        c.rest[11] = angle + 2 * pi * (i - CASES / 2) + random_in(&state, -3.1, 3.1);
        c.rest[0] = angle - off + 2 * pi * (i - CASES / 2);
        c.f->phi(c.x, c.rest, &phi);
        CHECK_NEAR(phi, off, 1e-13 * CASES);
    }
}

/* ---- roots and stiffness of frames ------------------------------------------------------------------------------ */

static void check_factor_adjoint(frame_case* c, random_state* state) {
    double dx[FRAME_DOFS], z[3], rows[3] = {0}, f[FRAME_DOFS];
    random_fill(state, -1, 1, FRAME_DOFS, dx);
    random_fill(state, -1, 1, 3, z);
    c->f->apply_factor(c->x, c->rest, c->lam, dx, rows);
    c->f->apply_factor_transpose(c->x, c->rest, c->lam, z, f);
    const double expected = dense_dot((size_t)c->f->factor_rows, rows, z);
    CHECK_NEAR(dense_dot((size_t)c->dofs, f, dx), expected, 1e-13 * (1 + dense_max((size_t)c->dofs, f)));
}

TAUT_PLAIN_TEST(frame_formulas, root_pull_is_the_adjoint_of_root_forward) {
    for_each_case(check_factor_adjoint);
}

static void check_factor_scale(frame_case* c, random_state* state) {
    double dx[FRAME_DOFS], rows[3] = {0}, scaled[3] = {0}, lam[3];
    random_fill(state, -1, 1, FRAME_DOFS, dx);
    for (int r = 0; r < 3; r++) {
        lam[r] = 9 * c->lam[r];
    }
    c->f->apply_factor(c->x, c->rest, c->lam, dx, rows);
    c->f->apply_factor(c->x, c->rest, lam, dx, scaled);
    for (int r = 0; r < c->f->factor_rows; r++) {
        CHECK_NEAR(scaled[r], 3 * rows[r], 1e-12);
    }
}

TAUT_PLAIN_TEST(frame_formulas, root_is_linear_in_the_root_of_lambda) {
    for_each_case(check_factor_scale);
}

/* Matrix of R^T R, or of the curvature, column by column. */
static void gamma_of(const frame_case* c, double* out) {
    for (int j = 0; j < c->dofs; j++) {
        double unit[FRAME_DOFS] = {0}, rows[3] = {0}, column[FRAME_DOFS];
        unit[j] = 1;
        c->f->apply_factor(c->x, c->rest, c->lam, unit, rows);
        c->f->apply_factor_transpose(c->x, c->rest, c->lam, rows, column);
        for (int i = 0; i < c->dofs; i++) {
            out[c->dofs * i + j] = column[i];
        }
    }
}

/* R^T R = map^T positive_part(-form) map with map = [first second] on the nodes' vectors, first and second numbers. */
static void check_gamma(const frame_case* c, const double form[9], double first, double second) {
    double negative[9], positive[9], gamma[FRAME_DOFS * FRAME_DOFS], expected[FRAME_DOFS * FRAME_DOFS];
    const double map[2] = {first, second};
    for (int i = 0; i < 9; i++) {
        negative[i] = -form[i];
    }
    dense_positive_part(3, negative, positive);
    for (int i = 0; i < c->dofs; i++) {
        for (int j = 0; j < c->dofs; j++) {
            expected[c->dofs * i + j] = map[i / 3] * map[j / 3] * positive[3 * (i % 3) + j % 3];
        }
    }
    gamma_of(c, gamma);
    CHECK_NEAR(dense_max_difference((size_t)(c->dofs * c->dofs), gamma, expected), 0, 1e-13);
}

/* The form of the cosine is its second derivative in a relative rotation, and R its root. */
TAUT_PLAIN_TEST(frame_formulas, root_of_the_cosine) {
    random_state state = {7};
    for (int i = 0; i < CASES; i++) {
        frame_case c = random_case(COSINE, &state);
        double r0[9], r1[9], u[3], v[3], form[9], dx[6] = {0}, second, image[3];
        matrix_of(c.x, r0);
        matrix_of(c.x + 4, r1);
        dense_apply(3, 3, r0, c.rest + 2, u);
        dense_apply(3, 3, r1, c.rest + 5, v);
        for (int k = 0; k < 9; k++) {
            const int a = k / 3, b = k % 3;
            form[k] = c.lam[0] * ((u[a] * v[b] + v[a] * u[b]) / 2 - (a == b) * dense_dot(3, u, v));
        }
        random_fill(&state, -1, 1, 3, dx + 3);
        difference(&c, field_phi, 1, 2, dx, &second);
        dense_apply(3, 3, form, dx + 3, image);
        CHECK_NEAR(dense_dot(3, dx + 3, image), c.lam[0] * second, 2e-9);
        check_gamma(&c, form, -1, 1);
    }
}

TAUT_PLAIN_TEST(frame_formulas, factor_rows_of_mapped_points) {
    random_state state = {8};
    for (int i = 0; i < CASES; i++) {
        frame_case c = random_case(NORM, &state);
        const double length = dense_norm(3, c.x);
        double form[9];
        for (int k = 0; k < 9; k++) {
            form[k] = c.lam[0] / length * ((k % 4 == 0) - c.x[k / 3] * c.x[k % 3] / (length * length));
        }
        check_gamma(&c, form, 1, 0);
        c = random_case(INERTIA, &state);
        for (int k = 0; k < 9; k++) {
            form[k] = k % 4 == 0 ? -c.rest[0] * fmax(c.lam[0], 0) : 0;
        }
        check_gamma(&c, form, 1, 0);
    }
}

static double quadratic(const double g[6], const double t[3]) {
    return g[0] * t[0] * t[0] + g[1] * t[1] * t[1] + g[2] * t[2] * t[2] +
           2 * (g[3] * t[1] * t[2] + g[4] * t[2] * t[0] + g[5] * t[0] * t[1]);
}

/* Where the held points stay together, blocks of the frames are lam phi'', and the symmetric part of the curvature. */
static void check_turn(frame_case* c, random_state* state) {
    if (!c->f->turn) {
        return;
    }
    double dx[FRAME_DOFS], a[3], b[3] = {0}, part[3], second[3], df[FRAME_DOFS], sum = 0;
    random_fill(state, -1, 1, FRAME_DOFS, dx);
    if (c->what == TRAVEL) { /* dx1 = dx0 + theta0 x (x1 + r1 - x0) - theta1 x r1 */
        double r1[9];
        matrix_of(c->x + 12, r1);
        dense_apply(3, 3, r1, c->rest + 7, b);
        for (int i = 0; i < 3; i++) {
            a[i] = c->x[8 + i] + b[i] - c->x[i];
        }
        cross(dx + 3, a, part);
        cross(dx + 9, b, a);
        for (int i = 0; i < 3; i++) {
            dx[6 + i] = dx[i] + part[i] - a[i];
        }
    } else { /* dx1 = dx0 + theta x d */
        for (int i = 0; i < 3; i++) {
            a[i] = c->x[4 + i] - c->x[i];
        }
        cross(dx + 6, a, part);
        for (int i = 0; i < 3; i++) {
            dx[3 + i] = dx[i] + part[i];
        }
    }
    for (int slot = 0; slot < c->f->nodes; slot++) {
        double g[6];
        c->f->turn(c->x, c->rest, c->lam, slot, g);
        CHECK((c->f->frames >> slot & 1) || dense_max(6, g) == 0);
        sum += quadratic(g, dx + 3 * slot);
    }
    difference(c, field_phi, c->f->rows, 2, dx, second);
    c->f->curvature(c->x, c->rest, c->lam, dx, df);
    CHECK_NEAR(sum, dense_dot((size_t)c->f->rows, c->lam, second), 5e-9);
    CHECK_NEAR(sum, dense_dot((size_t)c->dofs, dx, df), 1e-13 * 4);
}

TAUT_PLAIN_TEST(frame_formulas, stiffness_of_frames_on_the_tangent_space) {
    for_each_case(check_turn);
}

/* Why angles and rotation vectors have no root: their second derivative vanishes for turns about the axis, and, of
 * rotation vectors, is -omega x (psi x omega) / 6 up to |psi|^2. */
TAUT_PLAIN_TEST(frame_formulas, second_derivatives_that_are_left_out) {
    random_state state = {37};
    for (int i = 0; i < CASES; i++) {
        frame_case c = random_case(ANGLE, &state);
        double r[9], dx[6] = {0}, df[6], psi[3], turn[4], inner[3], outer[3], local[3];
        matrix_of(c.x, r);
        dense_apply(3, 3, r, c.rest + 8, dx + 3);
        c.f->curvature(c.x, c.rest, c.lam, dx, df);
        CHECK_NEAR(dense_dot(6, dx, df), 0, 1e-13);

        c = random_case(ALIGNMENT, &state);
        random_unit(&state, 3, psi);
        random_unit(&state, 3, dx + 3);
        for (int size = 0; size < 3; size++) {
            for (int k = 0; k < 3; k++) {
                psi[k] *= size == 0 ? 1e-2 : size == 1 ? 1e-2 : 0;
            }
            quaternion_of_vector(psi, turn);
            quaternion_product(c.x, turn, c.x + 4);
            matrix_of(c.x + 4, r);
            apply_back(r, dx + 3, local);
            cross(psi, local, inner);
            cross(local, inner, outer);
            c.f->curvature(c.x, c.rest, c.lam, dx, df);
            const double psi_squared = dense_dot(3, psi, psi);
            CHECK_NEAR(dense_dot(6, dx, df), -dense_dot(3, c.lam, outer) / 6, 1e-14 + psi_squared);
        }
    }
}

/* ---- float32 and degenerate shapes ------------------------------------------------------------------------------ */

static void round_all(int count, double* values) {
    for (int i = 0; i < count; i++) {
        values[i] = (double)(float)values[i];
    }
}

static void check_close(size_t count, const double* single, const double* wide) {
    if (count > 0) {
        CHECK_NEAR(dense_max_difference(count, single, wide), 0, 1e-5 * (1 + dense_max(count, wide)));
    }
}

static void check_single(frame_case* c, random_state* state) {
    const frame_formula* single = &frames_f32.formulas[subjects[c->what].formula];
    const size_t rows = (size_t)c->f->rows, dofs = (size_t)c->dofs;
    double dx[FRAME_DOFS], a[FRAME_DOFS], b[FRAME_DOFS], factor[3];
    random_fill(state, -1, 1, FRAME_DOFS, dx);
    round_all(FRAME_X, c->x);
    round_all(FRAME_REST, c->rest);
    round_all(FRAME_ROWS, c->lam);
    round_all(FRAME_DOFS, dx);
    single->phi(c->x, c->rest, a);
    c->f->phi(c->x, c->rest, b);
    if (turns_round(c)) {
        a[0] = b[0] + remainder(a[0] - b[0], 2 * pi);
    }
    check_close(rows, a, b);
    single->forward(c->x, c->rest, dx, a);
    c->f->forward(c->x, c->rest, dx, b);
    check_close(rows, a, b);
    single->pull(c->x, c->rest, c->lam, a);
    c->f->pull(c->x, c->rest, c->lam, b);
    check_close(dofs, a, b);
    single->curvature(c->x, c->rest, c->lam, dx, a);
    c->f->curvature(c->x, c->rest, c->lam, dx, b);
    check_close(dofs, a, b);
    /* R^T R: rounding moves R itself by its square root where an eigenvalue is zero */
    single->apply_factor(c->x, c->rest, c->lam, dx, factor);
    single->apply_factor_transpose(c->x, c->rest, c->lam, factor, a);
    c->f->apply_factor(c->x, c->rest, c->lam, dx, factor);
    c->f->apply_factor_transpose(c->x, c->rest, c->lam, factor, b);
    check_close(dofs, a, b);
    for (int slot = 0; c->f->turn && slot < c->f->nodes; slot++) {
        single->turn(c->x, c->rest, c->lam, slot, a);
        c->f->turn(c->x, c->rest, c->lam, slot, b);
        check_close(6, a, b);
    }
}

TAUT_PLAIN_TEST(frame_formulas, float32_agrees) {
    for_each_case(check_single);
}

/* Everything that a formula computes. */
static void check_finite(const frame_case* c, random_state* state) {
    double dx[FRAME_DOFS];
    random_fill(state, -1, 1, FRAME_DOFS, dx);
    for (int single = 0; single < 2; single++) {
        const frame_formula* f = &(single ? &frames_f32 : &frames_f64)->formulas[subjects[c->what].formula];
        double out[FRAME_DOFS] = {0}, rows[3] = {0};
        f->phi(c->x, c->rest, out);
        CHECK(dense_all_finite(f->rows, out));
        f->forward(c->x, c->rest, dx, out);
        CHECK(dense_all_finite(f->rows, out));
        f->pull(c->x, c->rest, c->lam, out);
        CHECK(dense_all_finite(c->dofs, out));
        f->apply_factor(c->x, c->rest, c->lam, dx, rows);
        CHECK(dense_all_finite(f->factor_rows, rows));
        f->apply_factor_transpose(c->x, c->rest, c->lam, rows, out);
        CHECK(dense_all_finite(c->dofs, out));
        f->curvature(c->x, c->rest, c->lam, dx, out);
        CHECK(dense_all_finite(c->dofs, out));
        for (int slot = 0; f->turn && slot < f->nodes; slot++) {
            f->turn(c->x, c->rest, c->lam, slot, out);
            CHECK(dense_all_finite(6, out));
        }
    }
}

static void copy3(const double* from, double scale, double* to) {
    for (int i = 0; i < 3; i++) {
        to[i] = scale * from[i];
    }
}

/* Points together or all but, no arms, no multipliers, equal and opposite frames, frames that are no rotations. */
static void check_degenerate(frame_case* c, random_state* state) {
    frame_case all = *c;
    for (int k = 0; k < TINY_COUNT; k++) {
        frame_case close = *c;
        for (int slot = 0; slot < c->f->nodes; slot++) {
            if (!(c->f->frames >> slot & 1)) {
                double* point = node(&close, slot);
                copy3(point, tiny[k], point);
                copy3(point, tiny[k], node(&all, slot));
            }
        }
        check_finite(&close, state);
        frame_case slack = *c;
        copy3(slack.lam, k % 2 == 0 ? tiny[k] : -tiny[k], slack.lam);
        check_finite(&slack, state);
        frame_case small = *c; /* arms, axes, joint frames: anything but the mode and the component */
        for (int i = 0; i < FRAME_REST; i++) {
            small.rest[i] = i == 1 || (i == 10 && c->what == VECTOR) ? c->rest[i] : tiny[k] * c->rest[i];
        }
        check_finite(&small, state);
    }
    const int other = c->what == TRAVEL ? 3 : 1, first = c->what == TRAVEL ? 1 : 0;
    if (c->f->frames >> other & 1) {
        for (int sign = -1; sign <= 1; sign++) { /* opposite, no rotation, the same */
            for (int i = 0; i < 4; i++) {
                node(&all, other)[i] = sign * node(&all, first)[i];
            }
            check_finite(&all, state);
        }
    }
    check_finite(&all, state);
}

TAUT_PLAIN_TEST(frame_formulas, degenerate_shapes_are_finite) {
    for_each_case(check_degenerate);
}

/* Half turns, and everything close to them and to no turn at all, about coordinate axes and others. */
TAUT_PLAIN_TEST(frame_formulas, half_turns_are_finite) {
    random_state state = {41};
    for (int what = COSINE; what <= ALIGNMENT; what++) {
        for (int i = 0; i < 8 * TINY_COUNT; i++) {
            frame_case c = random_case((subject)what, &state);
            double axis[3] = {i % 4 == 0, i % 4 == 1, i % 4 == 2}, turn[4];
            test_note("%s, case %d", subjects[what].name, i);
            if (i % 4 == 3) {
                random_unit(&state, 3, axis);
            }
            const double away = tiny[i / 8];
            turn[0] = i % 8 < 4 ? away : 1;
            copy3(axis, i % 8 < 4 ? 1 : away, turn + 1);
            if (what == VECTOR || what == TWIST) {
                memcpy(c.rest + 2, (const double[8]){1, 0, 0, 0, 1, 0, 0, 0}, 8 * sizeof *c.rest);
            }
            quaternion_product(c.x, turn, c.x + 4);
            check_finite(&c, &state);
            memcpy(c.x, (const double[4]){1, 0, 0, 0}, 4 * sizeof *c.x); /* so that w vanishes exactly */
            memcpy(c.x + 4, turn, sizeof turn);
            check_finite(&c, &state);
        }
    }
    test_note(NULL);
}

/* Directions that are the same, opposite, or along the axis of their angle, where that turns about the axis. */
TAUT_PLAIN_TEST(frame_formulas, directions_along_one_another_are_finite) {
    random_state state = {43};
    for (int what = COSINE; what <= ANGLE; what++) {
        for (int i = 0; i < 6 * TINY_COUNT; i++) {
            frame_case c = random_case((subject)what, &state);
            const double sign = i % 2 == 0 ? 1 : -1;
            test_note("%s, case %d", subjects[what].name, i);
            memcpy(c.x + 4, c.x, 4 * sizeof *c.x);
            copy3(c.rest + (i % 3 == 0 ? 2 : 8), sign, c.rest + 5);
            if (i % 3 == 2) {
                for (int k = 0; k < 3; k++) {
                    c.rest[5 + k] += tiny[i / 6] * c.rest[2 + k];
                }
            }
            check_finite(&c, &state);
            if (what == ANGLE && i % 3 == 1) {
                double r[9], axis[3], dx[6] = {0}, dphi;
                matrix_of(c.x, r);
                dense_apply(3, 3, r, c.rest + 8, axis);
                memcpy(dx + 3, axis, sizeof axis);
                c.f->forward(c.x, c.rest, dx, &dphi);
                CHECK_NEAR(dphi, 1, 1e-14);
            }
        }
    }
    test_note(NULL);
}
