/* Singular values between rotations against what they were made of, against a dense eigen decomposition, and where the
 * matrix has no directions of its own. Errors seen, in eps: orthogonality 7, reconstruction 5.6, values 5.4. */
#include "force_formulas.h"

#include "dense_matrix.h"
#include "harness.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct decomposition {
    double f[9], u[9], s[3], v[9];
} decomposition;

/* out = a diag(s) b^T */
static void compose(const double a[9], const double s[3], const double b[9], double out[9]) {
    for (int i = 0; i < 9; i++) {
        out[i] = 0;
        for (int k = 0; k < 3; k++) {
            out[i] += s[k] * a[3 * (i / 3) + k] * b[3 * (i % 3) + k];
        }
    }
}

static double determinant(const double m[9]) {
    return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) + m[2] * (m[3] * m[7] - m[4] * m[6]);
}

/* Everything that holds of any matrix, to 16 eps: 3.6e-15 in float64. */
static void check_decomposition(const force_table* table, decomposition* d) {
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const double ones[3] = {1, 1, 1};
    const bool single = table == &forces_f32;
    const double bound = 16 * (single ? FLT_EPSILON : DBL_EPSILON);
    double product[9];
    for (int i = 0; i < 9 && single; i++) {
        d->f[i] = (double)(float)d->f[i];
    }
    const double size = dense_norm(9, d->f);
    table->svd(d->f, d->u, d->s, d->v);
    compose(d->u, ones, d->u, product);
    CHECK_NEAR(dense_max_difference(9, product, identity), 0, bound);
    compose(d->v, ones, d->v, product);
    CHECK_NEAR(dense_max_difference(9, product, identity), 0, bound);
    CHECK_NEAR(determinant(d->u), 1, bound);
    CHECK_NEAR(determinant(d->v), 1, bound);
    compose(d->u, d->s, d->v, product);
    CHECK_NEAR(dense_max_difference(9, product, d->f), 0, bound * size);
    CHECK(d->s[0] >= d->s[1] - bound * size && d->s[1] >= fabs(d->s[2]) - bound * size);
}

/* Values of every sign: apart, equal, nearly equal, opposite, zero, graded. */
static void values(random_state* state, int how, double s[3]) {
    random_fill(state, -1, 1, 3, s);
    s[1] = how % 3 == 1 ? s[0] : how % 3 == 2 ? s[0] * (1 + 1e-9 * s[1]) : s[1];
    switch (how / 3 % 6) {
    case 1:
        s[2] = how % 2 == 0 ? -s[1] : s[1];
        break;
    case 2:
        s[2] = 0;
        break;
    case 3:
        s[1] = s[2] = 0;
        break;
    case 4:
        s[1] *= pow(10, random_in(state, -25, 0));
        s[2] *= pow(10, random_in(state, -25, 0));
        break;
    case 5:
        s[1] *= 1e-9;
        s[2] = -s[1] * (1 + 1e-7 * s[2]);
        break;
    default:
        break;
    }
}

static void sort_by_size(double s[3]) {
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < 2; k++) {
            if (fabs(s[k]) < fabs(s[k + 1])) {
                const double larger = s[k + 1];
                s[k + 1] = s[k];
                s[k] = larger;
            }
        }
    }
}

static void check_values(const force_table* table) {
    const double bound = 16 * (table == &forces_f32 ? FLT_EPSILON : DBL_EPSILON);
    random_state state = {51};
    for (int i = 0; i < 6000; i++) {
        decomposition d;
        double a[9], b[9], s[3];
        random_rotation(&state, a);
        random_rotation(&state, b);
        values(&state, i, s);
        compose(a, s, b, d.f);
        test_note("case %d", i);
        check_decomposition(table, &d);
        const double sign = s[0] * s[1] * s[2] < 0 ? -1 : 1, size = dense_norm(3, s);
        sort_by_size(s);
        CHECK_NEAR(d.s[0], fabs(s[0]), bound * size);
        CHECK_NEAR(d.s[1], fabs(s[1]), bound * size);
        CHECK_NEAR(d.s[2], sign * fabs(s[2]), bound * size);
    }
    test_note(NULL);
}

TAUT_PLAIN_TEST(svd3, recovers_its_values) {
    check_values(&forces_f64);
}

TAUT_PLAIN_TEST(svd3, recovers_its_values_in_float32) {
    check_values(&forces_f32);
}

/* Squares of the values are the eigenvalues of F^T F. */
TAUT_PLAIN_TEST(svd3, agrees_with_eigenvalues) {
    random_state state = {52};
    for (int i = 0; i < 2000; i++) {
        decomposition d;
        double square[9], v[9], eigen[3];
        random_fill(&state, -1, 1, 9, d.f);
        check_decomposition(&forces_f64, &d);
        for (int k = 0; k < 9; k++) {
            square[k] = 0;
            for (int j = 0; j < 3; j++) {
                square[k] += d.f[3 * j + k / 3] * d.f[3 * j + k % 3];
            }
        }
        dense_eigen(3, square, v);
        for (int k = 0; k < 3; k++) {
            eigen[k] = square[4 * k];
        }
        sort_by_size(eigen);
        for (int k = 0; k < 3; k++) {
            CHECK_NEAR(d.s[k] * d.s[k], eigen[k], 1e-14 * eigen[0]);
        }
        CHECK(d.s[2] * determinant(d.f) >= 0);
    }
}

/* Matrices of few different numbers, some of them very small or very large: exact zeros, ties and no directions. */
static void check_simple(const force_table* table, int scales, const double* scale) {
    static const double digits[3] = {0, 1, -1};
    for (int code = 0; code < 19683; code++) {
        decomposition d;
        for (int i = 0, rest = code; i < 9; i++, rest /= 3) {
            d.f[i] = digits[rest % 3] * scale[code % scales];
            if (code % 7 == 3) {
                d.f[i] *= scale[(code + i) % scales];
            }
        }
        test_note("code %d", code);
        check_decomposition(table, &d);
    }
    test_note(NULL);
}

TAUT_PLAIN_TEST(svd3, simple_matrices) {
    static const double wide[5] = {1, 1e-140, 1e140, 1e-8, 1e-17};
    static const double narrow[5] = {1, 1e-17, 1e17, 1e-4, 1e-8};
    check_simple(&forces_f64, 5, wide);
    check_simple(&forces_f32, 5, narrow);
}

/* One direction, next to an axis by so little that its square vanishes in float32 and its fourth power in float64. */
TAUT_PLAIN_TEST(svd3, columns_along_one_line) {
    for (int single = 0; single < 2; single++) {
        for (int i = 0; i < 18; i++) {
            decomposition d;
            const double off = i % 2 == 0 ? 1e-21 : 1e-11;
            for (int k = 0; k < 9; k++) {
                const int row = k / 3;
                d.f[k] = row == i / 2 % 3 ? 1 : row == (i / 2 + 1 + i / 6 % 2) % 3 ? off : 0;
            }
            test_note("case %d", i);
            check_decomposition(single ? &forces_f32 : &forces_f64, &d);
            CHECK_NEAR(d.s[0], sqrt(3), 1e-6);
        }
    }
    test_note(NULL);
}

/* A matrix of zeros has the identity for both rotations; the smallest and largest numbers have no special place. */
TAUT_PLAIN_TEST(svd3, extremes) {
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    decomposition d = {{0}, {0}, {0}, {0}};
    check_decomposition(&forces_f64, &d);
    CHECK(memcmp(d.u, identity, sizeof identity) == 0 && memcmp(d.v, identity, sizeof identity) == 0);
    static const double sizes[4] = {5e-324, 1e-310, 1e-300, 1e307};
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 9; k++) {
            d.f[k] = sizes[i] * (k == i ? 1 : k % 4 == 0);
        }
        forces_f64.svd(d.f, d.u, d.s, d.v);
        test_note("size %g", sizes[i]);
        for (int k = 0; k < 9; k++) {
            CHECK(isfinite(d.u[k]) && isfinite(d.v[k]) && isfinite(d.s[k % 3]));
        }
        CHECK(d.s[0] >= sizes[i] && d.s[0] <= 3 * sizes[i]);
    }
    test_note(NULL);
}

/* Quaternions of rotations, half turns among them, where three of the four rows are small. */
TAUT_PLAIN_TEST(svd3, quaternion_of_a_rotation) {
    random_state state = {53};
    for (int i = 0; i < 3000; i++) {
        double r[9], q[4], back[9];
        if (i % 2 == 0) {
            random_rotation(&state, r);
        } else { /* about a coordinate axis, by a half turn or next to it */
            const double off = i % 8 < 4 ? 0 : random_in(&state, -1e-7, 1e-7);
            const double angle = (i % 4 == 1 ? 0 : 3.14159265358979323846) + off;
            const int axis = i % 3, p = (axis + 1) % 3, o = (axis + 2) % 3;
            memset(r, 0, sizeof r);
            r[4 * axis] = 1;
            r[4 * p] = r[4 * o] = cos(angle);
            r[3 * o + p] = sin(angle);
            r[3 * p + o] = -sin(angle);
        }
        forces_f64.quaternion(r, q);
        const double w = q[0], x = q[1], y = q[2], z = q[3];
        const double of_q[9] = {
            w * w + x * x - y * y - z * z, 2 * (x * y - w * z),           2 * (x * z + w * y),
            2 * (x * y + w * z),           w * w - x * x + y * y - z * z, 2 * (y * z - w * x),
            2 * (x * z - w * y),           2 * (y * z + w * x),           w * w - x * x - y * y + z * z};
        memcpy(back, of_q, sizeof back);
        test_note("case %d", i);
        CHECK_NEAR(dense_norm(4, q), 1, 4 * DBL_EPSILON);
        CHECK_NEAR(dense_max_difference(9, back, r), 0, 8 * DBL_EPSILON);
    }
    test_note(NULL);
}
