/* What the preconditioner takes from aggregates of nodes: their radius is the unit of their turns. */
#define TAUT_REAL double
#include "kernels/stages/multilevel.h"

#include "harness.h"

/* Centre and radius of one aggregate of `count` points. */
static void find_centre(uint32_t count, double* x, double* mass, double centre[4], double* radius) {
    static uint32_t begin[2], child[] = {0, 1};
    float inverse_mass[2] = {(float)(1 / mass[0]), (float)(1 / mass[1])};
    begin[1] = count;
    const taut_fields f = {.x = x, .mass = mass, .inverse_mass = inverse_mass};
    const taut_sizes s = {.simple = 2, .points = 2, .nodes = 2};
    const taut_level fine = {.child_begin = begin, .child = child}, coarse = {.centre = centre, .radius = radius};
    level_centre(&f, &s, &fine, true, 0, &coarse);
}

/* The mean of one point misses it by rounding, which must not become a radius: motion is divided by that. */
TAUT_PLAIN_TEST(aggregates, single_points_have_no_radius) {
    double centre[4], radius;
    for (int i = 1; i < 200; i++) {
        double x[6] = {0.985 * i / 7, 0.0791661 * i / 3, -0.60667 * i / 11}, mass[2] = {0.0453902 * i, 1};
        find_centre(1, x, mass, centre, &radius);
        CHECK_NEAR(radius, 0, 0);
        CHECK_NEAR(centre[0], x[0], 1e-12);
    }
}

/* Two equal masses have half of their distance. */
TAUT_PLAIN_TEST(aggregates, radius_of_inertia) {
    double x[6] = {2, 3, 4, 2, 3, 4.001}, mass[2] = {0.3, 0.3}, centre[4], radius;
    find_centre(2, x, mass, centre, &radius);
    CHECK_NEAR(radius, 0.0005, 1e-12);
    CHECK_NEAR(centre[3], 0.6, 1e-15);
}
