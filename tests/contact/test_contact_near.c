/* Nearest points of points, triangles and segments against what makes them nearest: q is the place of a convex set
 * that is nearest to p where (p - q).(v - q) <= 0 for all corners v of the set. */
#define TAUT_REAL double
#include "kernels/stages/contact/near.h"

#include "dense_matrix.h"
#include "harness.h"

#include <math.h>
#include <string.h>

enum { CASES = 4000 };

/* The largest (p - q).(v - q) over the square of the size of it all, q = sum w_i corner_i. */
static double excess(const double p[3], const double (*corner)[3], const double* weight, int corners) {
    double q[3] = {0, 0, 0}, d[3], to[3], size = 0, worst = -INFINITY;
    for (int i = 0; i < corners; i++) {
        vec3_axpy(weight[i], corner[i], q);
    }
    vec3_sub(p, q, d);
    for (int i = 0; i < corners; i++) {
        vec3_sub(corner[i], q, to);
        worst = fmax(worst, vec3_dot(d, to));
        size = fmax(size, fmax(vec3_dot(to, to), vec3_dot(d, d)));
    }
    return size > 0 ? worst / size : 0;
}

/* Weights that belong to the feature: those of a corner, of an edge, or all. */
static bool fits(int feature, const double* weight, int corners) {
    const int i = feature % TAUT_NEAR_CORNER - (feature < TAUT_NEAR_CORNER);
    double sum = 0;
    bool good = true;
    for (int k = 0; k < corners; k++) {
        const bool used =
            feature == TAUT_NEAR_FACE || (feature >= TAUT_NEAR_CORNER ? k == i : k == i || k == (i + 1) % corners);
        good = good && (used ? weight[k] >= 0 : weight[k] == 0);
        sum += weight[k];
    }
    return good && fabs(sum - 1) <= 1e-15 * 8;
}

static int check_triangle(const double p[3], const double (*corner)[3], double tolerance) {
    double weight[3];
    const int feature = near_on_triangle(p, corner[0], corner[1], corner[2], weight);
    test_note("p %.17g %.17g %.17g, feature %d, weights %g %g %g", p[0], p[1], p[2], feature, weight[0], weight[1],
              weight[2]);
    CHECK(fits(feature, weight, 3));
    CHECK(excess(p, corner, weight, 3) <= tolerance);
    return feature;
}

TAUT_PLAIN_TEST(contact_near, triangle_in_all_regions) {
    random_state state = {71};
    int seen[TAUT_NEAR_CORNER + 3] = {0};
    for (int i = 0; i < CASES; i++) {
        double corner[3][3], p[3];
        random_fill(&state, -1, 1, 9, corner[0]);
        random_fill(&state, -1.5, 1.5, 3, p);
        seen[check_triangle(p, (const double(*)[3])corner, 1e-12)]++;
    }
    for (int f = 0; f < TAUT_NEAR_CORNER + 3; f++) {
        test_note("region %d: %d times", f, seen[f]);
        CHECK(seen[f] > CASES / 100);
    }
    test_note(NULL);
}

/* The corner of a box of two coordinates that ever more of the third is taken from: needles and slivers. */
TAUT_PLAIN_TEST(contact_near, thin_triangles) {
    random_state state = {72};
    for (int thin = 1; thin <= 12; thin++) {
        for (int i = 0; i < CASES / 20; i++) {
            double corner[3][3], p[3], ab[3], part;
            random_fill(&state, -1, 1, 6, corner[0]);
            random_fill(&state, -1, 1, 3, p);
            random_fill(&state, -1.5, 2.5, 1, &part);
            random_fill(&state, -1, 1, 3, corner[2]);
            vec3_sub(corner[1], corner[0], ab);
            for (int a = 0; a < 3; a++) { /* on the line through both others, but for 10^-thin */
                corner[2][a] = corner[0][a] + part * ab[a] + pow(10, -thin) * corner[2][a];
            }
            check_triangle(p, (const double(*)[3])corner, 1e-5);
        }
    }
    test_note(NULL);
}

/* Corners on a line, in every order, and corners in one place. */
TAUT_PLAIN_TEST(contact_near, triangles_without_area) {
    random_state state = {73};
    for (int i = 0; i < CASES / 4; i++) {
        double corner[3][3], p[3], ab[3], part;
        random_fill(&state, -1, 1, 6, corner[0]);
        random_fill(&state, -1.5, 1.5, 3, p);
        random_fill(&state, -1.5, 2.5, 1, &part);
        vec3_sub(corner[1], corner[0], ab);
        for (int a = 0; a < 3; a++) {
            corner[2][a] = corner[0][a] + part * ab[a];
        }
        const int feature = check_triangle(p, (const double(*)[3])corner, 1e-12);
        CHECK(feature != TAUT_NEAR_FACE);
        for (int same = 0; same < 4; same++) { /* two of them, or all */
            double twice[3][3];
            memcpy(twice, corner, sizeof twice);
            memcpy(twice[(same + 1) % 3], corner[same % 3], sizeof twice[0]);
            memcpy(twice[(same + (same < 3 ? 1 : 2)) % 3], corner[same % 3], sizeof twice[0]);
            CHECK(check_triangle(p, (const double(*)[3])twice, 1e-12) != TAUT_NEAR_FACE);
        }
    }
    test_note(NULL);
}

/* Points in the triangle, on its edges and at its corners: at no distance, whatever feature it is. */
TAUT_PLAIN_TEST(contact_near, points_of_the_triangle) {
    random_state state = {74};
    for (int i = 0; i < CASES / 4; i++) {
        double corner[3][3], part[2], weight[3], d[3] = {0, 0, 0};
        random_fill(&state, -1, 1, 9, corner[0]);
        random_fill(&state, 0, 1, 2, part);
        const double first = i % 4 > 1 ? 1 : part[0], second = i % 4 > 0 ? 0 : (1 - first) * part[1];
        const double in[3] = {first, second, 1 - first - second};
        double p[3] = {0, 0, 0};
        for (int k = 0; k < 3; k++) {
            vec3_axpy(in[k], corner[(k + i) % 3], p);
        }
        near_on_triangle(p, corner[0], corner[1], corner[2], weight);
        vec3_axpy(-1, p, d);
        for (int k = 0; k < 3; k++) {
            vec3_axpy(weight[k], corner[k], d);
        }
        CHECK_NEAR(dense_norm(3, d), 0, 1e-12);
    }
}

TAUT_PLAIN_TEST(contact_near, segment) {
    random_state state = {75};
    int seen[TAUT_NEAR_CORNER + 2] = {0};
    for (int i = 0; i < CASES / 4; i++) {
        double end[2][3], p[3], weight[3];
        random_fill(&state, -1, 1, 6, end[0]);
        random_fill(&state, -1.5, 1.5, 3, p);
        if (i % 8 == 0) {
            memcpy(end[1], end[0], sizeof end[0]); /* of no length */
        }
        const int feature = near_on_segment(p, end[0], end[1], weight);
        CHECK(fits(feature, weight, 2) && weight[2] == 0);
        CHECK(excess(p, (const double(*)[3])end, weight, 2) <= 1e-14);
        seen[feature]++;
    }
    CHECK(seen[TAUT_NEAR_EDGE] > 50 && seen[TAUT_NEAR_CORNER] > 50 && seen[TAUT_NEAR_CORNER + 1] > 50);
}

/* ---- two segments --------------------------------------------------------------------------------------------------
 */

static double clamp(double x) {
    return fmin(fmax(x, 0), 1);
}

/* The distance by turns: the place on one segment that is nearest to that on the other, which no order of turns can end
 * above the least. From both ends, for parallel ones. */
static double by_turns(const double (*s)[3]) {
    double ab[3], cd[3], best = INFINITY;
    vec3_sub(s[1], s[0], ab);
    vec3_sub(s[3], s[2], cd);
    for (int start = 0; start < 2; start++) {
        double u = start, w = 0, d[3] = {0, 0, 0};
        for (int i = 0; i < 20000; i++) {
            double to[3];
            vec3_sub(s[0], s[2], to);
            vec3_axpy(u, ab, to);
            w = clamp(vec3_dot(to, cd) / vec3_dot(cd, cd));
            vec3_sub(s[2], s[0], to);
            vec3_axpy(w, cd, to);
            const double last = u;
            u = clamp(vec3_dot(to, ab) / vec3_dot(ab, ab));
            if (fabs(u - last) < 1e-16) {
                break;
            }
        }
        for (int a = 0; a < 3; a++) {
            d[a] = s[0][a] + u * ab[a] - s[2][a] - w * cd[a];
        }
        best = fmin(best, dense_norm(3, d));
    }
    return best;
}

/* Of ends from the other segment. */
static double of_ends(const double (*s)[3]) {
    double best = INFINITY;
    for (int i = 0; i < 4; i++) {
        double weight[3], d[3];
        const int other = i < 2 ? 2 : 0;
        near_on_segment(s[i], s[other], s[other + 1], weight);
        memcpy(d, s[i], sizeof d);
        vec3_axpy(-weight[0], s[other], d);
        vec3_axpy(-weight[1], s[other + 1], d);
        best = fmin(best, dense_norm(3, d));
    }
    return best;
}

/* Where they are nearest within both, the way from one to the other is square to both: `tilt` is the cosine left. */
static bool check_segments(const double (*s)[3], double tilt) {
    double part[2], d[3], ab[3], cd[3];
    if (!near_segments(s[0], s[1], s[2], s[3], part)) {
        return false;
    }
    vec3_sub(s[1], s[0], ab);
    vec3_sub(s[3], s[2], cd);
    vec3_sub(s[0], s[2], d);
    vec3_axpy(part[0], ab, d);
    vec3_axpy(-part[1], cd, d);
    CHECK(part[0] > 0 && part[0] < 1 && part[1] > 0 && part[1] < 1);
    CHECK_NEAR(vec3_dot(d, ab) / (dense_norm(3, ab) * dense_norm(3, d)), 0, tilt);
    CHECK_NEAR(vec3_dot(d, cd) / (dense_norm(3, cd) * dense_norm(3, d)), 0, tilt);
    return true;
}

TAUT_PLAIN_TEST(contact_near, segments) {
    random_state state = {76};
    int crossed = 0;
    for (int i = 0; i < CASES / 4; i++) {
        double s[4][3], part[2], d[3];
        random_fill(&state, -1, 1, 12, s[0]);
        const bool inside = check_segments((const double(*)[3])s, 1e-9);
        double least = of_ends((const double(*)[3])s);
        if (near_segments(s[0], s[1], s[2], s[3], part)) {
            for (int a = 0; a < 3; a++) {
                d[a] = (1 - part[0]) * s[0][a] + part[0] * s[1][a] - (1 - part[1]) * s[2][a] - part[1] * s[3][a];
            }
            CHECK(dense_norm(3, d) <= least);
            least = dense_norm(3, d);
        }
        CHECK_NEAR(least, by_turns((const double(*)[3])s), 1e-9);
        crossed += inside;
    }
    CHECK(crossed > CASES / 40 && crossed < CASES / 5);
}

/* Two that cross somewhere, 0.01 apart, at ever smaller angles: still square to each other as far as the search needs
 * it, which takes a cosine of 1e-6 for none. */
TAUT_PLAIN_TEST(contact_near, nearly_parallel_segments) {
    random_state state = {77};
    for (int fine = 2; fine <= 16; fine++) {
        const double angle = pow(10, -0.5 * fine);
        int found = 0;
        for (int i = 0; i < 50; i++) {
            double along[3], beside[3], up[3], at[3], part[2], s[4][3];
            random_fill(&state, -1, 1, 3, along);
            random_fill(&state, -1, 1, 3, beside);
            random_fill(&state, -1, 1, 3, at);
            random_fill(&state, 0.1, 0.9, 2, part);
            vec3_normalise(along, along);
            vec3_cross(along, beside, up);
            vec3_normalise(up, up);
            vec3_cross(up, along, beside);
            for (int k = 0; k < 4; k++) {
                const double way = k % 2 - part[k / 2];
                memcpy(s[k], at, sizeof at);
                vec3_axpy(way, along, s[k]);
                vec3_axpy(k < 2 ? 0 : angle * way, beside, s[k]);
                vec3_axpy(k < 2 ? 0 : 0.01, up, s[k]);
            }
            test_note("angle %g", angle);
            found += check_segments((const double(*)[3])s, 1e-6);
        }
        if (fine != 12) { /* where the least angle is, rounding decides */
            CHECK_INT(found, fine < 12 ? 50 : 0);
        }
    }
    test_note(NULL);
}

/* Parallel, in one line, of no length, in one place. */
TAUT_PLAIN_TEST(contact_near, segments_without_crossing) {
    static const double known[][4][3] = {
        {{0, 0, 0}, {1, 0, 0}, {0.2, 1, 0}, {0.8, 1, 0}}, {{0, 0, 0}, {1, 0, 0}, {0.8, 1, 0}, {0.2, 1, 0}},
        {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}},     {{0, 0, 0}, {1, 0, 0}, {0.5, 0, 0}, {3, 0, 0}},
        {{0, 0, 0}, {0, 0, 0}, {0, 1, 0}, {1, 1, 0}},     {{0, 0, 0}, {1, 0, 0}, {0.5, 1, 0}, {0.5, 1, 0}},
        {{0, 0, 0}, {1, 0, 0}, {0, 0, 0}, {1, 0, 0}},     {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}},
        {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {1, 0, 0}},     {{0, 0, 0}, {1, 0, 0}, {0.5, 1, 0}, {0.5, 2, 0}},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        double part[2];
        test_note("case %zu", i);
        CHECK(!near_segments(known[i][0], known[i][1], known[i][2], known[i][3], part));
    }
    test_note(NULL);
}

/* Nothing of what is not finite is a crossing, and places on it are places of it. */
TAUT_PLAIN_TEST(contact_near, what_is_not_finite) {
    const double wrong[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 36; i++) {
        double s[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0.1}, {0.6, -1, 0.1}}, part[2], weight[3];
        s[i / 3 % 4][i % 3] = wrong[i / 12];
        test_note("%g at %d", wrong[i / 12], i % 12);
        CHECK(!near_segments(s[0], s[1], s[2], s[3], part));
        const int feature = near_on_triangle(s[0], s[1], s[2], s[3], weight);
        CHECK(feature >= 0 && feature < TAUT_NEAR_CORNER + 3);
    }
    test_note(NULL);
}
