#include "dense_matrix.h"

#include <math.h>
#include <string.h>

/* splitmix64 */
static uint64_t random_bits(random_state* state) {
    uint64_t z = state->s += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double random_in(random_state* state, double low, double high) {
    return low + (high - low) * (double)(random_bits(state) >> 11) * 0x1p-53;
}

void random_fill(random_state* state, double low, double high, size_t count, double* out) {
    for (size_t i = 0; i < count; i++) {
        out[i] = random_in(state, low, high);
    }
}

void random_rotation(random_state* state, double out[9]) {
    double q[4], norm;
    do {
        random_fill(state, -1, 1, 4, q);
        norm = dense_norm(4, q);
    } while (norm < 0.1 || norm > 1);
    const double w = q[0] / norm, x = q[1] / norm, y = q[2] / norm, z = q[3] / norm;
    const double r[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                         2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(out, r, sizeof r);
}

double dense_dot(size_t n, const double* a, const double* b) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

double dense_norm(size_t n, const double* a) {
    return sqrt(dense_dot(n, a, a));
}

double dense_max(size_t n, const double* a) {
    double max = 0;
    for (size_t i = 0; i < n; i++) {
        max = fabs(a[i]) <= max ? max : fabs(a[i]); /* a NaN comes through */
    }
    return max;
}

bool dense_all_finite(int count, const double* values) {
    for (int i = 0; i < count; i++) {
        if (!isfinite(values[i])) {
            return false;
        }
    }
    return true;
}

double dense_max_difference(size_t n, const double* a, const double* b) {
    double max = 0;
    for (size_t i = 0; i < n; i++) {
        const double difference = fabs(a[i] - b[i]);
        if (!isfinite(difference)) {
            return INFINITY;
        }
        max = fmax(max, difference);
    }
    return max;
}

void dense_apply(size_t rows, size_t columns, const double* m, const double* a, double* out) {
    for (size_t i = 0; i < rows; i++) {
        out[i] = dense_dot(columns, m + i * columns, a);
    }
}

/* Rotation in the plane (p, q) that makes a[p][q] zero. */
static void jacobi_rotate(size_t n, double* a, double* v, size_t p, size_t q) {
    if (a[p * n + q] == 0) {
        return;
    }
    const double angle = 0.5 * atan2(2 * a[p * n + q], a[q * n + q] - a[p * n + p]);
    const double c = cos(angle), s = sin(angle);
    for (size_t k = 0; k < n; k++) {
        const double kp = a[k * n + p], kq = a[k * n + q], vp = v[k * n + p], vq = v[k * n + q];
        a[k * n + p] = c * kp - s * kq;
        a[k * n + q] = s * kp + c * kq;
        v[k * n + p] = c * vp - s * vq;
        v[k * n + q] = s * vp + c * vq;
    }
    for (size_t k = 0; k < n; k++) {
        const double pk = a[p * n + k], qk = a[q * n + k];
        a[p * n + k] = c * pk - s * qk;
        a[q * n + k] = s * pk + c * qk;
    }
}

void dense_eigen(size_t n, double* a, double* v) {
    memset(v, 0, n * n * sizeof *v);
    for (size_t i = 0; i < n; i++) {
        v[i * n + i] = 1;
    }
    for (int sweep = 0; sweep < 14; sweep++) {
        for (size_t p = 0; p < n; p++) {
            for (size_t q = p + 1; q < n; q++) {
                jacobi_rotate(n, a, v, p, q);
            }
        }
    }
}

void dense_positive_part(size_t n, const double* a, double* out) {
    double copy[16 * 16], v[16 * 16];
    memcpy(copy, a, n * n * sizeof *a);
    dense_eigen(n, copy, v);
    memset(out, 0, n * n * sizeof *out);
    for (size_t k = 0; k < n; k++) {
        const double value = fmax(copy[k * n + k], 0);
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < n; j++) {
                out[i * n + j] += value * v[i * n + k] * v[j * n + k];
            }
        }
    }
}

/* out = a - part b; whether that is positive semidefinite, to the rounding of `size`. */
static bool take_part(const double* a, const double* b, double part, double size, double* out) {
    double values[9], vectors[9];
    for (int i = 0; i < 9; i++) {
        values[i] = out[i] = a[i] - part * b[i];
    }
    dense_eigen(3, values, vectors);
    return fmin(values[0], fmin(values[4], values[8])) >= -1e-14 * size;
}

void dense_take_off(const double* a, const double* b, const double* most, double* out) {
    double left[9], beyond[9];
    for (int i = 0; i < 9; i++) {
        left[i] = a[i] - b[i];
    }
    if (take_part(most, left, 1, 0, beyond)) {
        memcpy(out, a, 9 * sizeof *out);
        return;
    }
    int parts = 2048;
    while (!take_part(a, b, parts / 2048.0, a[0] + a[4] + a[8], out) && parts > 0) {
        parts--;
    }
}
