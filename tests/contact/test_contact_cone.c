/* The projection onto the cone of friction: the conditions of a nearest point, and its derivative. */
#define TAUT_REAL double
#include "kernels/stages/contact/cone.h"

#include "dense_matrix.h"
#include "harness.h"

#include <math.h>

enum { CASES = 2000 };

/* A random z in the metric of 1/w; the coefficient is 0, usual or large. */
typedef struct cone_case {
    double mu, wn, wt, z[3];
} cone_case;

static cone_case random_case(int i, random_state* state) {
    static const double coefficients[] = {0, 0.05, 0.5, 1, 30};
    cone_case c = {.mu = coefficients[i % 5]};
    c.wn = exp(random_in(state, -6, 6));
    c.wt = exp(random_in(state, -6, 6));
    random_fill(state, -2, 2, 3, c.z);
    c.z[0] *= i % 3 == 0 ? 0.1 : 1;
    return c;
}

/* <a, b> = a.W^-1 b */
static double metric(const cone_case* c, const double a[3], const double b[3]) {
    return a[0] * b[0] / c->wn + (a[1] * b[1] + a[2] * b[2]) / c->wt;
}

/* u is nearest to z in a convex cone K where u is in K, u - z is square to u, and <u - z, k> >= 0 for all k in K:
 * enough for the rays of its surface, of which the worst lies opposite to the tangential part, and for its axis. */
TAUT_PLAIN_TEST(contact_cone, projection_is_the_nearest_point) {
    random_state state = {61};
    int seen[3] = {0, 0, 0};
    for (int i = 0; i < CASES; i++) {
        const cone_case c = random_case(i, &state);
        double u[3], off[3];
        seen[project_on_cone(c.mu, c.wn, c.wt, c.z, u, NULL)]++;
        const double size = sqrt(metric(&c, c.z, c.z)), across = hypot(u[1], u[2]);
        test_note("case %d: mu %g, metric %g %g", i, c.mu, c.wn, c.wt);
        CHECK(u[0] >= 0 && across <= c.mu * u[0] * (1 + 1e-14));
        for (int a = 0; a < 3; a++) {
            off[a] = u[a] - c.z[a];
        }
        CHECK_NEAR(metric(&c, off, u), 0, 1e-14 * size * size);
        for (int k = 0; k <= 24; k++) {
            const double angle = k * 3.14159265358979323846 / 12;
            const double ray[3] = {1, k < 24 ? c.mu * cos(angle) : 0, k < 24 ? c.mu * sin(angle) : 0};
            CHECK(metric(&c, off, ray) >= -1e-14 * size * sqrt(metric(&c, ray, ray)));
        }
    }
    test_note(NULL);
    CHECK(seen[TAUT_CONTACT_OPEN] > CASES / 20 && seen[TAUT_CONTACT_STICKS] > CASES / 20 &&
          seen[TAUT_CONTACT_SLIDES] > CASES / 20);
}

/* du/dz by centred differences; false where z is near a kink: there one of the places around it is in another state. */
static bool difference(const cone_case* c, taut_contact_state state, double out[9]) {
    const double step = 1e-6;
    bool smooth = true;
    for (int b = 0; b < 3; b++) {
        double z[3] = {c->z[0], c->z[1], c->z[2]}, on[3], back[3];
        z[b] += step;
        const taut_contact_state ahead = project_on_cone(c->mu, c->wn, c->wt, z, on, NULL);
        z[b] -= 2 * step;
        const taut_contact_state behind = project_on_cone(c->mu, c->wn, c->wt, z, back, NULL);
        smooth = smooth && ahead == state && behind == state;
        for (int a = 0; a < 3; a++) {
            out[3 * a + b] = (on[a] - back[a]) / (2 * step);
        }
    }
    return smooth;
}

/* With z = W^(1/2) y the scaled projection has P' = W^(-1/2) du/dz W^(1/2), and W^(1/2) P' W^(1/2) = du/dz W is what
 * takes the place of Wh = W. It is stored in float32, 6e-8 of its size; differences are off by their step times the
 * curvature of the cone, one over the distance from its axis, near which nothing is checked. */
TAUT_PLAIN_TEST(contact_cone, derivative_is_that_of_the_projection) {
    static const int packed[3][3] = {{0, 1, 3}, {1, 2, 4}, {3, 4, 5}};
    random_state state = {62};
    int checked[3] = {0, 0, 0};
    for (int i = 0; i < CASES; i++) {
        const cone_case c = random_case(i, &state);
        const double w[3] = {c.wn, c.wt, c.wt};
        double u[3], slope[9];
        float derivative[6];
        const taut_contact_state where = project_on_cone(c.mu, c.wn, c.wt, c.z, u, derivative);
        const bool smooth = difference(&c, where, slope) && hypot(c.z[1], c.z[2]) > 0.1;
        test_note("case %d: mu %g, metric %g %g", i, c.mu, c.wn, c.wt);
        for (int k = 0; smooth && k < 9; k++) {
            const double scale = sqrt(w[k / 3] * w[k % 3]);
            CHECK_NEAR(derivative[packed[k / 3][k % 3]] / scale, slope[k] * w[k % 3] / scale, 1e-6);
        }
        checked[where] += smooth;
    }
    test_note(NULL);
    CHECK(checked[0] > CASES / 20 && checked[1] > CASES / 20 && checked[2] > CASES / 20);
}

/* Nothing drives it, nothing moves (a contact of two things that are held has no Wh), and z on the axis. */
TAUT_PLAIN_TEST(contact_cone, degenerate_cases_are_finite) {
    static const double values[] = {0, 1, -1, 1e-300, -1e-300, 1e30};
    for (int i = 0; i < 6 * 6 * 4; i++) {
        const double z[3] = {values[i % 6], values[i / 6 % 6], 0};
        const double wn = i / 36 % 2 == 0 ? 0 : 2, wt = i / 72 == 0 ? 0 : 3;
        for (int m = 0; m < 3; m++) {
            double u[3];
            float derivative[6];
            project_on_cone(m == 0 ? 0 : m == 1 ? 0.5 : 1e6, wn, wt, z, u, derivative);
            for (int k = 0; k < 6; k++) {
                CHECK(isfinite(u[k % 3]) && isfinite(derivative[k]));
            }
        }
    }
}
