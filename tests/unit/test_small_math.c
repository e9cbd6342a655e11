/* The roots of small symmetric matrices against a dense eigen decomposition, in both precisions' range. */
#define TAUT_REAL double
#include "base/small_math.h"

#include "dense_matrix.h"
#include "harness.h"

/* Matrices of every sign pattern, scale and degree of degeneracy. */
static void symmetric(random_state* state, int n, int how, double* m) {
    double v[9], d[3];
    random_rotation(state, v);
    if (n == 2) {
        const double turn = random_in(state, 0, 6.3);
        v[0] = v[3] = cos(turn);
        v[1] = -(v[2] = sin(turn));
    }
    random_fill(state, -1, 1, 3, d);
    d[1] = how % 4 == 1 ? d[0] : how % 4 == 2 ? d[0] + 1e-9 * d[1] : d[1];
    d[n - 1] = how % 5 == 1 ? d[0] : how % 5 == 2 ? 0 : d[n - 1];
    const double scale = how % 3 == 0 ? pow(10, random_in(state, -12, 12)) : 1;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            m[n * i + j] = 0;
            for (int k = 0; k < n; k++) {
                m[n * i + j] += scale * d[k] * v[n * i + k] * v[n * j + k];
            }
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            m[n * i + j] = m[n * j + i];
        }
    }
}

/* root * root = positive part of m, to rounding. The error of the root is amplified where eigenvalues are small, so
 * the squares are compared; the root itself must be positive semi-definite. */
static void check_factor(int n, const double* m, const double* root) {
    double square[9], expected[9], copy[9], v[9];
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            square[n * i + j] = 0;
            for (int k = 0; k < n; k++) {
                square[n * i + j] += root[n * i + k] * root[n * k + j];
            }
        }
    }
    const size_t count = (size_t)(n * n);
    const double scale = dense_max(count, m) + 1e-300;
    dense_positive_part((size_t)n, m, expected);
    CHECK_NEAR(dense_max_difference(count, square, expected) / scale, 0, 1e-14);
    for (size_t i = 0; i < count; i++) {
        copy[i] = root[i];
    }
    dense_eigen((size_t)n, copy, v);
    for (int k = 0; k < n; k++) {
        CHECK(copy[n * k + k] >= -1e-14 * sqrt(scale));
    }
}

TAUT_PLAIN_TEST(small_math, root_of_2x2) {
    random_state state = {1};
    for (int i = 0; i < 2000; i++) {
        double m[4], r[3];
        symmetric(&state, 2, i, m);
        const double packed[3] = {m[0], m[3], m[1]};
        sym2_sqrt_positive(packed, r);
        const double root[4] = {r[0], r[2], r[2], r[1]};
        test_note("case %d", i);
        check_factor(2, m, root);
    }
    test_note(NULL);
}

TAUT_PLAIN_TEST(small_math, root_of_3x3) {
    random_state state = {2};
    for (int i = 0; i < 2000; i++) {
        double m[9], r[6], root[3][3];
        symmetric(&state, 3, i, m);
        const double packed[6] = {m[0], m[4], m[8], m[5], m[2], m[1]};
        sym3_sqrt_positive(packed, r);
        sym3_expand(r, root);
        test_note("case %d", i);
        check_factor(3, m, &root[0][0]);
    }
    test_note(NULL);
}

TAUT_PLAIN_TEST(small_math, root_of_extremes) {
    static const double scales[5] = {0, 1e-300, 1e-160, 1, 1e150};
    for (int i = 0; i < 5; i++) {
        const double s = scales[i];
        const double m2[3] = {s, -s, s}, m3[6] = {s, -s, s, s, 0, s};
        double r2[3], r3[6];
        sym2_sqrt_positive(m2, r2);
        sym3_sqrt_positive(m3, r3);
        test_note("scale %g", s);
        for (int k = 0; k < 6; k++) {
            CHECK(isfinite(r3[k]));
            CHECK(k >= 3 || isfinite(r2[k]));
        }
    }
    test_note(NULL);
}

TAUT_PLAIN_TEST(small_math, normalise) {
    static const double lengths[6] = {0, 1e-200, 1e-40, 1e-20, 1, 1e100};
    for (int i = 0; i < 6; i++) {
        const double a[3] = {0.6 * lengths[i], 0, 0.8 * lengths[i]};
        double n[3];
        const double length = vec3_normalise(a, n);
        CHECK_NEAR(length, lengths[i] < 1e-150 ? 0 : lengths[i], 1e-15 * lengths[i]);
        CHECK_NEAR(vec3_dot(n, n), 1, 1e-14);
    }
}
