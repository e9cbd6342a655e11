/* Unit quaternions (w, x, y, z): rotations from own axes to the world's. */
#ifndef TAUT_APP_QUATERNION_H
#define TAUT_APP_QUATERNION_H

#include <math.h>

/* First b, then a. */
static inline void quaternion_multiply(const double a[4], const double b[4], double out[4]) {
    const double w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    const double x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    const double y = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    const double z = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
    out[0] = w;
    out[1] = x;
    out[2] = y;
    out[3] = z;
}

/* The rotation back. */
static inline void quaternion_conjugate(const double q[4], double out[4]) {
    out[0] = q[0];
    for (int i = 1; i < 4; i++) {
        out[i] = -q[i];
    }
}

/* Of any length but 0. */
static inline void quaternion_normalise(double q[4]) {
    double largest = 0;
    for (int i = 0; i < 4; i++) {
        largest = fmax(largest, fabs(q[i]));
    }
    double square = 0;
    for (int i = 0; i < 4; i++) {
        q[i] /= largest; /* squares of what is left neither overflow nor vanish */
        square += q[i] * q[i];
    }
    for (int i = 0; i < 4; i++) {
        q[i] /= sqrt(square);
    }
}

/* v + 2 w (u x v) + 2 u x (u x v), u the vector part. */
static inline void quaternion_rotate(const double q[4], const double v[3], double out[3]) {
    const double tx = 2 * (q[2] * v[2] - q[3] * v[1]);
    const double ty = 2 * (q[3] * v[0] - q[1] * v[2]);
    const double tz = 2 * (q[1] * v[1] - q[2] * v[0]);
    const double x = v[0] + q[0] * tx + q[2] * tz - q[3] * ty;
    const double y = v[1] + q[0] * ty + q[3] * tx - q[1] * tz;
    const double z = v[2] + q[0] * tz + q[1] * ty - q[2] * tx;
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

/* About x, then y, then z, as rotation_matrix of placement.h. */
static inline void quaternion_of_degrees(const double degrees[3], double out[4]) {
    const double half = acos(-1.0) / 360;
    const double x[4] = {cos(degrees[0] * half), sin(degrees[0] * half), 0, 0};
    const double y[4] = {cos(degrees[1] * half), 0, sin(degrees[1] * half), 0};
    const double z[4] = {cos(degrees[2] * half), 0, 0, sin(degrees[2] * half)};
    double yx[4];
    quaternion_multiply(y, x, yx);
    quaternion_multiply(z, yx, out);
}

/* A rotation that takes z to a direction of any length but 0: the shortest one from the nearer of z and -z, behind half
 * a turn about x where that is -z. */
static inline void quaternion_of_normal(const double normal[3], double out[4]) {
    const double flip[4] = {0, 1, 0, 0}, none[4] = {1, 0, 0, 0};
    double n[4] = {0, normal[0], normal[1], normal[2]};
    quaternion_normalise(n);
    const double side = n[3] < 0 ? -1 : 1;
    double arc[4] = {1 + side * n[3], -side * n[2], side * n[1], 0};
    quaternion_normalise(arc);
    quaternion_multiply(arc, side < 0 ? flip : none, out);
}

/* The rotation that takes the world's axes to three given ones: orthonormal and right-handed, a row each. The largest
 * of 1 + trace and its three like numbers keeps the root away from 0. */
static inline void quaternion_of_axes(const double axes[3][3], double out[4]) {
    const double xx = axes[0][0], yy = axes[1][1], zz = axes[2][2];
    const double squares[4] = {1 + xx + yy + zz, 1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz};
    int k = 0;
    for (int i = 1; i < 4; i++) {
        k = squares[i] > squares[k] ? i : k;
    }
    /* 4 q_i q_j of the quaternion, symmetric. Element (row, column) of the matrix is axes[column][row]. */
    const double wx = axes[1][2] - axes[2][1], wy = axes[2][0] - axes[0][2], wz = axes[0][1] - axes[1][0];
    const double xy = axes[1][0] + axes[0][1], yz = axes[2][1] + axes[1][2], zx = axes[0][2] + axes[2][0];
    const double products[4][4] = {
        {squares[0], wx, wy, wz}, {wx, squares[1], xy, zx}, {wy, xy, squares[2], yz}, {wz, zx, yz, squares[3]}};
    for (int i = 0; i < 4; i++) {
        out[i] = products[k][i];
    }
    quaternion_normalise(out);
}

#endif
