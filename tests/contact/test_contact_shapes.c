/* Signed distances to shapes against a search over their surfaces, against themselves, and where they degenerate. */
#define TAUT_REAL double
#include "kernels/stages/contact/shapes.h"

#include "dense_matrix.h"
#include "harness.h"

#include <math.h>
#include <string.h>

enum { CASES = 200 };

static const double sizes[TAUT_SHAPE_COUNT][3] = {{1, 1, 1}, {0.7, 1, 1},   {0.3, 0.8, 1}, {0.5, 0.9, 0.2},
                                                  {1, 1, 1}, {0.6, 0.5, 1}, {0.6, 0.5, 1}};

/* Whether p is in the solid, by its definition: of a capsule, nearer than its radius to some place of its axis. */
static bool is_inside(taut_shape shape, const double size[3], const double p[3]) {
    const double on_axis = fmin(fmax(p[2], -size[1]), size[1]);
    const double off[3] = {p[0], p[1], p[2] - on_axis};
    switch (shape) {
    case TAUT_SHAPE_SPHERE:
        return dense_norm(3, p) < size[0];
    case TAUT_SHAPE_CAPSULE:
        return dense_norm(3, off) < size[0];
    case TAUT_SHAPE_BOX:
        return fabs(p[0]) < size[0] && fabs(p[1]) < size[1] && fabs(p[2]) < size[2];
    case TAUT_SHAPE_CYLINDER:
        return hypot(p[0], p[1]) < size[0] && fabs(p[2]) < size[1];
    case TAUT_SHAPE_CONE:
        return p[2] > -size[1] && hypot(p[0], p[1]) < size[0] * (size[1] - p[2]) / (2 * size[1]);
    default:
        return p[2] < 0;
    }
}

/* How far the surface is along a ray, by marching and halving; infinity where the ray does not meet it within 6 m. */
static double along_ray(taut_shape shape, const double size[3], const double p[3], const double ray[3]) {
    const bool start = is_inside(shape, size, p);
    const double stride = shape == TAUT_SHAPE_CONE ? 0.002 : 0.02; /* a sharp tip is short along most rays */
    double low = 0, high = 0;
    bool crossed = false;
    while (!crossed && high < 6) {
        low = high;
        high += stride;
        const double at[3] = {p[0] + high * ray[0], p[1] + high * ray[1], p[2] + high * ray[2]};
        crossed = is_inside(shape, size, at) != start;
    }
    for (int i = 0; crossed && i < 40; i++) {
        const double middle = (low + high) / 2;
        const double at[3] = {p[0] + middle * ray[0], p[1] + middle * ray[1], p[2] + middle * ray[2]};
        const bool beyond = is_inside(shape, size, at) != start;
        low = beyond ? low : middle;
        high = beyond ? middle : high;
    }
    return crossed ? high : INFINITY;
}

static void unit_from(const double towards[3], double spread, random_state* state, double ray[3]) {
    random_fill(state, -spread, spread, 3, ray);
    for (int a = 0; a < 3; a++) {
        ray[a] += towards[a];
    }
    const double length = dense_norm(3, ray);
    for (int a = 0; a < 3; a++) {
        ray[a] /= length;
    }
}

/* The nearest place of the surface by a search over rays, first over all, then ever closer about the best one. */
static double searched_distance(taut_shape shape, const double size[3], const double p[3], random_state* state) {
    double best = INFINITY, towards[3] = {0, 0, 0};
    double spread = 1;
    for (int i = 0; i < 4000; i++) {
        double ray[3];
        const double none[3] = {0, 0, 0};
        unit_from(i < 300 ? none : towards, i < 300 ? 1 : spread, state, ray);
        const double distance = along_ray(shape, size, p, ray);
        if (distance < best) {
            best = distance;
            memcpy(towards, ray, sizeof towards);
        }
        spread = i < 300 ? 1 : spread * 0.997;
    }
    return best;
}

/* The search ends within 1e-4 of the right direction, and the way along it is longer by that squared, times curvature;
 * a coarse bound that no wrong formula meets. */
TAUT_PLAIN_TEST(contact_shapes, distance_is_that_of_the_nearest_place) {
    random_state state = {51};
    for (int shape = 0; shape < TAUT_SHAPE_COUNT; shape += shape == TAUT_SHAPE_BOX ? 2 : 1) { /* not of meshes */
        for (int i = 0; i < 12; i++) {
            double p[3], normal[3];
            random_fill(&state, -1.2, 1.2, 3, p);
            const double distance = shape_distance((uint32_t)shape, sizes[shape], p, normal);
            test_note("%s at %g %g %g", taut_shape_name((taut_shape)shape), p[0], p[1], p[2]);
            CHECK((distance < 0) == is_inside((taut_shape)shape, sizes[shape], p));
            CHECK_NEAR(fabs(distance), searched_distance((taut_shape)shape, sizes[shape], p, &state), 1e-4);
        }
    }
    test_note(NULL);
}

/* Closed forms where every shape is a plane, a ball, an edge or a corner. */
TAUT_PLAIN_TEST(contact_shapes, places_that_are_known) {
    static const struct {
        taut_shape shape;
        double p[3], distance, normal[3];
    } known[] = {
        {TAUT_SHAPE_PLANE, {3, -2, -0.25}, -0.25, {0, 0, 1}},
        {TAUT_SHAPE_SPHERE, {0, 1.7, 0}, 1, {0, 1, 0}},
        {TAUT_SHAPE_CAPSULE, {0.5, 0, 0.3}, 0.2, {1, 0, 0}},
        {TAUT_SHAPE_CAPSULE, {0, 0, -1.5}, 0.4, {0, 0, -1}},
        {TAUT_SHAPE_CAPSULE, {0.3, 0.4, 0.8}, 0.2, {0.6, 0.8, 0}},
        {TAUT_SHAPE_BOX, {0.1, -1, 0.1}, 0.1, {0, -1, 0}},
        {TAUT_SHAPE_BOX, {0.8, 0, -0.6}, 0.5, {0.6, 0, -0.8}},
        {TAUT_SHAPE_BOX, {0.7, 1.1, 0.3}, 0.3, {2. / 3, 2. / 3, 1. / 3}},
        {TAUT_SHAPE_BOX, {0.1, 0.1, 0.15}, -0.05, {0, 0, 1}},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        double normal[3];
        test_note("%s, place %zu", taut_shape_name(known[i].shape), i);
        CHECK_NEAR(shape_distance(known[i].shape, sizes[known[i].shape], known[i].p, normal), known[i].distance, 1e-15);
        CHECK_NEAR(dense_max_difference(3, normal, known[i].normal), 0, 1e-15);
    }
    test_note(NULL);
}

/* Centred differences of step 1e-5 are off by 1e-10 times the third derivative, which is 1/distance^2 of what the
 * surface is round about; places nearer than 0.05 to where the nearest place changes are left out: there the normal
 * jumps, which shows as a normal that differs on either side. */
TAUT_PLAIN_TEST(contact_shapes, normal_is_the_gradient) {
    random_state state = {52};
    const double step = 1e-5;
    for (int shape = 0; shape < TAUT_SHAPE_COUNT; shape += shape == TAUT_SHAPE_BOX ? 2 : 1) { /* not of meshes */
        int checked = 0;
        for (int i = 0; i < CASES; i++) {
            double p[3], normal[3], gradient[3], side[3], jump = 0;
            random_fill(&state, -1.2, 1.2, 3, p);
            shape_distance((uint32_t)shape, sizes[shape], p, normal);
            CHECK_NEAR(dense_norm(3, normal), 1, 1e-15 * 4);
            for (int a = 0; a < 3; a++) {
                double on[3] = {p[0], p[1], p[2]}, back[3] = {p[0], p[1], p[2]};
                on[a] += step;
                back[a] -= step;
                gradient[a] = shape_distance((uint32_t)shape, sizes[shape], on, side);
                jump = fmax(jump, dense_max_difference(3, side, normal));
                gradient[a] -= shape_distance((uint32_t)shape, sizes[shape], back, side);
                jump = fmax(jump, dense_max_difference(3, side, normal));
                gradient[a] /= 2 * step;
            }
            if (jump < step / 0.05) {
                CHECK_NEAR(dense_max_difference(3, gradient, normal), 0, 1e-7);
                checked++;
            }
        }
        CHECK(checked > CASES / 2);
    }
}

/* Centre of a ball, axis of a capsule, centre and corners of a box, and hardly beside them: a unit vector there, too,
 * but for where squares are below the least of float64. */
TAUT_PLAIN_TEST(contact_shapes, degenerate_places) {
    static const double tiny[] = {0, 1e-310, 1e-160, 1e-30, 1e-17, 1e-9};
    for (int shape = 0; shape < TAUT_SHAPE_COUNT; shape += shape == TAUT_SHAPE_BOX ? 2 : 1) { /* not of meshes */
        for (size_t t = 0; t < sizeof tiny / sizeof *tiny; t++) {
            for (int i = 0; i < 27; i++) {
                double p[3], normal[3];
                for (int a = 0; a < 3; a++) {
                    const int where = (a == 0 ? i : a == 1 ? i / 3 : i / 9) % 3 - 1;
                    p[a] = where * sizes[shape][a] * (shape == TAUT_SHAPE_BOX) + (where != 0 ? where : 1) * tiny[t];
                }
                test_note("%s, %g, place %d", taut_shape_name((taut_shape)shape), tiny[t], i);
                CHECK(isfinite(shape_distance((uint32_t)shape, sizes[shape], p, normal)));
                CHECK(dense_all_finite(3, normal));
                if (tiny[t] == 0 || tiny[t] > 1e-150) {
                    CHECK_NEAR(dense_norm(3, normal), 1, 1e-15 * 4);
                }
            }
        }
    }
    test_note(NULL);
}
