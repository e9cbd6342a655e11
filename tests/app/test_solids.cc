// Shapes of rigid bodies and their mass, turns, and the search for the nearest cell.
extern "C" {
#include "base/quaternion.h"
#include "build/build_solid.h"
#include "build/cells.h"
#include "scene_json/placement.h"
}

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

namespace {

struct Surface {
    mesh m{};
    report cause{};
    ~Surface() { mesh_free(&m); }
};

void expect_mass(const mass_properties& actual, const mass_properties& expected, double tolerance) {
    EXPECT_NEAR(actual.volume, expected.volume, tolerance * expected.volume);
    const double scale = expected.inertia[0] + expected.inertia[1] + expected.inertia[2];
    for (int i = 0; i < 6; i++) {
        EXPECT_NEAR(actual.inertia[i], expected.inertia[i], tolerance * scale) << i;
    }
    for (int a = 0; a < 3; a++) {
        EXPECT_NEAR(actual.centre[a], expected.centre[a], tolerance) << "xyz"[a];
    }
}

// ---- mass -----------------------------------------------------------------------------------------------------------

TEST(Solids, ABoxOfTrianglesHasTheMassOfABox) {
    const double sides[3] = {0.2, 0.5, 1.5};
    Surface s;
    mass_properties p{};
    ASSERT_TRUE(solid_box(sides, &s.m, &s.cause)) << s.cause.text;
    ASSERT_TRUE(mass_properties_find(&s.m, &p, &s.cause)) << s.cause.text;
    expect_mass(p, solid_box_mass(sides), 1e-13);
    EXPECT_NEAR(p.inertia[0], 0.2 * 0.5 * 1.5 * (0.5 * 0.5 + 1.5 * 1.5) / 12, 1e-14);
}

// A ball where it has no straight part; and as its triangles, which lie a little within it.
TEST(Solids, ACapsuleIsACylinderBetweenTwoHalfBalls) {
    mass_properties p{};
    expect_mass(solid_capsule_mass(0.3, 1e-9), solid_sphere_mass(0.3), 1e-8);
    Surface s;
    ASSERT_TRUE(solid_capsule(0.3, 0.8, &s.m, &s.cause)) << s.cause.text;
    ASSERT_TRUE(mass_properties_find(&s.m, &p, &s.cause)) << s.cause.text;
    expect_mass(p, solid_capsule_mass(0.3, 0.8), 0.05);
    for (size_t i = 0; i < s.m.point_count; i++) {
        const double* x = s.m.points[i];
        const double beyond = std::max(std::fabs(x[2]) - 0.4, 0.0);
        EXPECT_NEAR(std::sqrt(x[0] * x[0] + x[1] * x[1] + beyond * beyond), 0.3, 1e-12);
    }
}

// Far away, turned inside out, and at an angle: I' = R I R^T.
TEST(Solids, MassFollowsTheMesh) {
    const double sides[3] = {0.2, 0.5, 1.5};
    Surface s;
    mass_properties p{};
    ASSERT_TRUE(solid_box(sides, &s.m, &s.cause));
    placement place = placement_identity();
    place.degrees[2] = 90;
    place.translate[0] = 1000;
    place.translate[1] = -20;
    placement_apply(&place, s.m.point_count, s.m.points);
    for (size_t i = 0; i < s.m.triangle_count; i++) {
        std::swap(s.m.triangles[i][0], s.m.triangles[i][1]);
    }
    ASSERT_TRUE(mass_properties_find(&s.m, &p, &s.cause)) << s.cause.text;
    const double turned[3] = {0.5, 0.2, 1.5};
    mass_properties expected = solid_box_mass(turned);
    expected.centre[0] = 1000;
    expected.centre[1] = -20;
    expect_mass(p, expected, 1e-10);
}

// A right-angled tetrahedron has products of inertia: with unit legs xx = 3/80 and xy = +1/480 of minus the integral.
TEST(Solids, ATetrahedronHasProductsOfInertia) {
    double points[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    uint32_t triangles[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
    mesh m{};
    m.point_count = 4;
    m.points = points;
    m.triangle_count = 4;
    m.triangles = triangles;
    mass_properties p{};
    report cause{};
    ASSERT_TRUE(mass_properties_find(&m, &p, &cause)) << cause.text;
    // Second moments about the origin are 1/60 and 1/120; about the centre 1/60 - 1/96 and 1/120 - 1/96.
    const double square = 1.0 / 60 - 1.0 / 96, product = 1.0 / 120 - 1.0 / 96;
    EXPECT_NEAR(p.volume, 1.0 / 6, 1e-15);
    for (int i = 0; i < 3; i++) {
        EXPECT_NEAR(p.centre[i], 0.25, 1e-15);
        EXPECT_NEAR(p.inertia[i], 2 * square, 1e-15);
        EXPECT_NEAR(p.inertia[3 + i], -product, 1e-15);
    }
}

TEST(Solids, RoundShapesAreNearlyTheirSurfaces) {
    Surface ball, drum;
    mass_properties p{};
    ASSERT_TRUE(solid_sphere(0.3, &ball.m, &ball.cause));
    ASSERT_TRUE(mass_properties_find(&ball.m, &p, &ball.cause)) << ball.cause.text;
    expect_mass(p, solid_sphere_mass(0.3), 0.06);
    ASSERT_TRUE(solid_cylinder(0.3, 2, &drum.m, &drum.cause));
    ASSERT_TRUE(mass_properties_find(&drum.m, &p, &drum.cause)) << drum.cause.text;
    expect_mass(p, solid_cylinder_mass(0.3, 2), 0.02);
}

// The divergence theorem with outward normals gives a positive volume.
// What lies on a large ball is seen to lie on it; what is small has no more triangles than it needs.
TEST(Solids, LargeRoundShapesAreRoundToMillimetres) {
    Surface ball, capsule, small;
    ASSERT_TRUE(solid_sphere(50, &ball.m, &ball.cause)) << ball.cause.text;
    ASSERT_TRUE(solid_capsule(50, 1, &capsule.m, &capsule.cause)) << capsule.cause.text;
    ASSERT_TRUE(solid_sphere(0.1, &small.m, &small.cause)) << small.cause.text;
    for (const mesh* m : {&ball.m, &capsule.m}) {
        for (size_t i = 0; i < m->triangle_count; i++) {
            double middle[3] = {0, 0, 0};
            for (uint32_t corner : m->triangles[i]) {
                for (int a = 0; a < 3; a++) {
                    middle[a] += m->points[corner][a] / 3;
                }
            }
            EXPECT_GT(std::hypot(middle[0], middle[1], middle[2]), 50 - 0.012);
        }
    }
    EXPECT_EQ(small.m.point_count, 2u + 11 * 24);
}

TEST(Solids, TrianglesFaceOut) {
    const double sides[3] = {1, 1, 1};
    Surface box, ball, drum;
    ASSERT_TRUE(solid_box(sides, &box.m, &box.cause));
    ASSERT_TRUE(solid_sphere(1, &ball.m, &ball.cause));
    ASSERT_TRUE(solid_cylinder(1, 1, &drum.m, &drum.cause));
    for (const Surface* s : {&box, &ball, &drum}) {
        for (size_t i = 0; i < s->m.triangle_count; i++) {
            const double *a = s->m.points[s->m.triangles[i][0]], *b = s->m.points[s->m.triangles[i][1]],
                         *c = s->m.points[s->m.triangles[i][2]];
            const double volume = a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                                  a[2] * (b[0] * c[1] - b[1] * c[0]);
            EXPECT_GT(volume, 0) << i;
        }
    }
}

TEST(Solids, OpenAndEmptySurfacesAreRefused) {
    const double sides[3] = {1, 1, 1};
    Surface s;
    mass_properties p{};
    ASSERT_TRUE(solid_box(sides, &s.m, &s.cause));
    s.m.triangle_count--;
    EXPECT_FALSE(mass_properties_find(&s.m, &p, &s.cause));
    EXPECT_NE(std::string(s.cause.text).find("not closed"), std::string::npos) << s.cause.text;
    s.m.triangle_count++;
    std::swap(s.m.triangles[3][0], s.m.triangles[3][1]);
    EXPECT_FALSE(mass_properties_find(&s.m, &p, &s.cause));
    std::swap(s.m.triangles[3][0], s.m.triangles[3][1]);
    for (size_t i = 0; i < s.m.point_count; i++) {
        s.m.points[i][2] = 0;
    }
    EXPECT_FALSE(mass_properties_find(&s.m, &p, &s.cause));
    EXPECT_NE(std::string(s.cause.text).find("no volume"), std::string::npos) << s.cause.text;
}

// ---- turns ----------------------------------------------------------------------------------------------------------

TEST(Quaternions, OfDegreesIsTheRotationOfPlacements) {
    const double degrees[3] = {20, -75, 130}, v[3] = {1, 2, 3};
    double m[3][3], q[4], by_matrix[3], by_quaternion[3];
    rotation_matrix(degrees, m);
    rotate(m, v, by_matrix);
    quaternion_of_degrees(degrees, q);
    quaternion_rotate(q, v, by_quaternion);
    for (int a = 0; a < 3; a++) {
        EXPECT_NEAR(by_matrix[a], by_quaternion[a], 1e-14);
    }
}

TEST(Quaternions, OfAxesTakesTheWorldToThem) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform(-180, 180);
    for (int round = 0; round < 100; round++) {
        // Half turns have w = 0, the hardest case.
        const double degrees[3] = {round % 4 == 0 ? 180 : uniform(random), round % 4 == 1 ? 180.0 : 0.0,
                                   uniform(random)};
        double q[4], back[4], axes[3][3];
        quaternion_of_degrees(degrees, q);
        for (int k = 0; k < 3; k++) {
            const double unit[3] = {k == 0 ? 1. : 0., k == 1 ? 1. : 0., k == 2 ? 1. : 0.};
            quaternion_rotate(q, unit, axes[k]);
        }
        quaternion_of_axes(axes, back);
        double cosine = 0;
        for (int i = 0; i < 4; i++) {
            cosine += q[i] * back[i];
        }
        EXPECT_NEAR(std::fabs(cosine), 1, 1e-12) << round;
    }
}

TEST(Quaternions, NormalsAreWhereZGoes) {
    const double normals[][3] = {{0, 0, 1}, {0, 0, -2}, {0, 3, 0}, {-1, 0, 0}, {1e-9, 0, -1}, {1, -2, -3}};
    for (const auto& normal : normals) {
        const double z[3] = {0, 0, 1};
        const double length = std::sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
        double q[4], turned[3];
        quaternion_of_normal(normal, q);
        quaternion_rotate(q, z, turned);
        for (int a = 0; a < 3; a++) {
            EXPECT_NEAR(turned[a], normal[a] / length, 1e-15) << normal[0];
        }
    }
}

TEST(Quaternions, AnyLengthIsNormalised) {
    for (const double scale : {1e-300, 1.0, 1e30}) {
        double q[4] = {0, 3 * scale, 0, 4 * scale};
        quaternion_normalise(q);
        EXPECT_NEAR(q[1], 0.6, 1e-14);
        EXPECT_NEAR(q[3], 0.8, 1e-14);
    }
}

// ---- cells ----------------------------------------------------------------------------------------------------------

// One tree for all cells against one for each alone: the distances agree if the same cell comes out.
void expect_nearest(size_t corners) {
    std::mt19937 random(20240607);
    std::uniform_real_distribution<double> uniform(0, 1);
    enum { CELLS = 300 };
    std::vector<double> points;
    std::vector<uint32_t> indices;
    for (size_t cell = 0; cell < CELLS; cell++) {
        const double at[3] = {4 * uniform(random), 4 * uniform(random), 4 * uniform(random)};
        // Unit legs along the axes: right-angled, and positive as tetrahedra.
        for (size_t k = 0; k < corners; k++) {
            for (size_t a = 0; a < 3; a++) {
                points.push_back(at[a] + (k == a + 1 ? 0.2 + 0.2 * uniform(random) : 0));
            }
            indices.push_back(static_cast<uint32_t>(cell * corners + k));
        }
    }
    cell_tree tree{};
    report cause{};
    ASSERT_TRUE(cell_tree_make(corners, CELLS, indices.data(), points.data(), &tree, &cause));
    for (int round = 0; round < 200; round++) {
        const double p[3] = {5 * uniform(random) - 0.5, 5 * uniform(random) - 0.5, 5 * uniform(random) - 0.5};
        // Samples of every cell: none may be clearly nearer than the nearest sample of the cell that was found.
        double least = 1e300, chosen = 1e300;
        const size_t found = cell_tree_nearest(&tree, p);
        for (size_t cell = 0; cell < CELLS; cell++) {
            for (int sample = 0; sample < 216; sample++) {
                const double weights[4] = {0, sample % 6 / 5.0, sample / 6 % 6 / 5.0, sample / 36 / 5.0};
                double sum = 0, x[3] = {0, 0, 0}, square = 0;
                for (size_t k = 1; k < corners; k++) {
                    sum += weights[k];
                }
                if (sum > 1 + 1e-12) {
                    continue;
                }
                for (size_t k = 0; k < corners; k++) {
                    for (size_t a = 0; a < 3; a++) {
                        x[a] += (k ? weights[k] : 1 - sum) * points[3 * (cell * corners + k) + a];
                    }
                }
                for (size_t a = 0; a < 3; a++) {
                    square += (x[a] - p[a]) * (x[a] - p[a]);
                }
                least = std::min(least, square);
                chosen = cell == found ? std::min(chosen, square) : chosen;
            }
        }
        EXPECT_LE(std::sqrt(chosen), std::sqrt(least) + 0.06) << round; // half a step of the samples
    }
    cell_tree_free(&tree);
}

TEST(Cells, NearestSegment) {
    expect_nearest(2);
}
TEST(Cells, NearestTriangle) {
    expect_nearest(3);
}
TEST(Cells, NearestTetrahedron) {
    expect_nearest(4);
}

TEST(Cells, OfEquallyNearOnesTheFirst) {
    const double points[9] = {0, 0, 0, 1, 0, 0, 2, 0, 0};
    const uint32_t edges[4] = {1, 2, 0, 1};
    const double corner[3] = {1, 1, 0};
    cell_tree tree{};
    report cause{};
    ASSERT_TRUE(cell_tree_make(2, 2, edges, points, &tree, &cause));
    EXPECT_EQ(cell_tree_nearest(&tree, corner), 0u);
    cell_tree_free(&tree);
}

} // namespace
