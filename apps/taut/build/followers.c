#include "build/followers.h"

#include "base/quaternion.h"
#include "base/vector.h"
#include "build/cells.h"

#include "taut/taut.h"

#include <string.h>

/* ---- axes of a triangle --------------------------------------------------------------------------------------- */

static bool normalise(double v[3]) {
    const double length = sqrt(vector_dot(v, v));
    for (int a = 0; a < 3; a++) {
        v[a] /= length;
    }
    return length > 0;
}

/* Along the first side, beside it in the plane, and along the normal, a row each; not finite without an area. `sides`:
 * both sides from the first corner along the axes in the plane. */
static bool side_axes(const uint32_t corners[3], const double (*vertices)[3], double axes[3][3], double sides[2][2]) {
    double edges[2][3];
    vector_between(vertices[corners[0]], vertices[corners[1]], edges[0]);
    vector_between(vertices[corners[0]], vertices[corners[2]], edges[1]);
    memcpy(axes[0], edges[0], sizeof edges[0]);
    vector_cross(edges[0], edges[1], axes[2]);
    const bool along = normalise(axes[0]), across = normalise(axes[2]);
    vector_cross(axes[2], axes[0], axes[1]);
    for (int k = 0; k < 2; k++) {
        sides[k][0] = vector_dot(edges[k], axes[0]);
        sides[k][1] = vector_dot(edges[k], axes[1]);
    }
    return along && across;
}

/* With F = now start^-1, both with the sides as columns, the rotation nearest to F is by the angle of
 * (F_xx + F_yy, F_yx - F_xy); the area of the start, which is positive, does not change that. */
static void turn_in_plane(const double start[2][2], const double now[2][2], double axes[3][3]) {
    const double inverse[2][2] = {{start[1][1], -start[1][0]}, {-start[0][1], start[0][0]}};
    double f[2][2], x[3], y[3];
    for (int r = 0; r < 2; r++) {
        for (int c = 0; c < 2; c++) {
            f[r][c] = now[0][r] * inverse[0][c] + now[1][r] * inverse[1][c];
        }
    }
    const double c = f[0][0] + f[1][1], s = f[1][0] - f[0][1], length = hypot(c, s);
    for (int a = 0; length > 0 && a < 3; a++) {
        x[a] = (c * axes[0][a] + s * axes[1][a]) / length;
        y[a] = (c * axes[1][a] - s * axes[0][a]) / length;
    }
    if (length > 0) {
        memcpy(axes[0], x, sizeof x);
        memcpy(axes[1], y, sizeof y);
    }
}

/* Not finite without an area. */
static bool triangle_axes(const follower* f, const double (*vertices)[3], double axes[3][3]) {
    double sides[2][2];
    const bool finite = side_axes(f->corners, vertices, axes, sides);
    turn_in_plane(f->start, (const double(*)[2])sides, axes);
    return finite;
}

static void weighted_place(const follower* f, const double (*vertices)[3], double out[3]) {
    for (int a = 0; a < 3; a++) {
        out[a] = 0;
        for (int k = 0; k < 3; k++) {
            out[a] += f->weights[k] * vertices[f->corners[k]][a];
        }
    }
}

/* ---- at the start --------------------------------------------------------------------------------------------- */

/* The nearest place of the triangle: below the point, or on a side where that is outside. */
static void set_weights(follower* f, const double (*vertices)[3], const double point[3]) {
    double corners[3][3], square, least = INFINITY;
    for (int k = 0; k < 3; k++) {
        memcpy(corners[k], vertices[f->corners[k]], sizeof corners[k]);
    }
    const double* w = f->weights;
    const bool over =
        taut_barycentric(3, corners[0], point, f->weights) == TAUT_OK && fmin(w[0], fmin(w[1], w[2])) >= 0;
    for (int k = 0; !over && k < 3; k++) {
        const double along = segment_nearest(corners[k], corners[(k + 1) % 3], point, &square);
        if (square < least) {
            least = square;
            f->weights[k] = 1 - along;
            f->weights[(k + 1) % 3] = along;
            f->weights[(k + 2) % 3] = 0;
        }
    }
}

static void bind_to(follower* f, const double (*vertices)[3], const double point[3]) {
    double axes[3][3], place[3], beside[3], turn[4];
    set_weights(f, vertices, point);
    if (!side_axes(f->corners, vertices, axes, f->start)) {
        return;
    }
    weighted_place(f, vertices, place);
    vector_between(place, point, beside);
    for (int k = 0; k < 3; k++) {
        f->offset[k] = vector_dot(axes[k], beside);
    }
    quaternion_of_axes((const double(*)[3])axes, turn);
    quaternion_conjugate(turn, f->back);
}

bool followers_bind(size_t triangle_count, const uint32_t (*triangles)[3], const double* vertices, size_t count,
                    const double (*points)[3], follower* out, report* r) {
    cell_tree tree;
    if (!cell_tree_make(3, triangle_count, triangles[0], vertices, &tree, r)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        memcpy(out[i].corners, triangles[cell_tree_nearest(&tree, points[i])], sizeof out[i].corners);
        bind_to(&out[i], (const double(*)[3])vertices, points[i]);
    }
    cell_tree_free(&tree);
    return true;
}

/* ---- later ---------------------------------------------------------------------------------------------------- */

bool follower_has_area(const follower* f, const double (*vertices)[3]) {
    double axes[3][3];
    return triangle_axes(f, vertices, axes);
}

void follower_point(const follower* f, const double (*vertices)[3], double out[3]) {
    double axes[3][3];
    weighted_place(f, vertices, out);
    if (triangle_axes(f, vertices, axes)) {
        for (int a = 0; a < 3; a++) {
            out[a] += axes[0][a] * f->offset[0] + axes[1][a] * f->offset[1] + axes[2][a] * f->offset[2];
        }
    }
}

void follower_turn(const follower* f, const double (*vertices)[3], double out[4]) {
    static const double none[4] = {1, 0, 0, 0};
    double axes[3][3], turn[4];
    memcpy(out, none, sizeof none);
    if (triangle_axes(f, vertices, axes)) {
        quaternion_of_axes((const double(*)[3])axes, turn);
        quaternion_multiply(turn, f->back, out);
    }
}
