// Hinges of triangle meshes, against lists written by hand.
extern "C" {
#include "build/mesh_hinges.h"
}

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace {

using Triangles = std::vector<std::array<uint32_t, 3>>;

struct Hinges : hinge_list {
    report cause{};
    bool good;
    explicit Hinges(const Triangles& t) : hinge_list{} {
        good = hinges_find(t.size(), reinterpret_cast<const uint32_t(*)[3]>(t.data()), this, &cause);
    }
    ~Hinges() { hinges_free(this); }
    Hinges(const Hinges&) = delete;
    Hinges& operator=(const Hinges&) = delete;
    std::array<uint32_t, 4> at(size_t i) const {
        return {vertices[i][0], vertices[i][1], vertices[i][2], vertices[i][3]};
    }
};

TEST(Topology, OneTriangleHasNone) {
    const Hinges hinges({{0, 1, 2}});
    EXPECT_TRUE(hinges.good);
    EXPECT_EQ(hinges.count, 0u);
}

TEST(Topology, TwoTriangles) {
    const Hinges hinges({{0, 1, 2}, {2, 1, 3}});
    ASSERT_EQ(hinges.count, 1u);
    EXPECT_EQ(hinges.at(0), (std::array<uint32_t, 4>{1, 2, 0, 3}));
    EXPECT_EQ(hinges.triangles[0][0], 0u);
    EXPECT_EQ(hinges.triangles[0][1], 1u);
}

TEST(Topology, WindingDoesNotMatter) {
    const Hinges hinges({{0, 1, 2}, {1, 2, 3}});
    ASSERT_EQ(hinges.count, 1u);
    EXPECT_EQ(hinges.at(0), (std::array<uint32_t, 4>{1, 2, 0, 3}));
}

TEST(Topology, TetrahedronSurface) {
    const Hinges hinges({{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}});
    EXPECT_TRUE(hinges.good);
    EXPECT_EQ(hinges.count, 6u);
}

TEST(Topology, ThreeAtAnEdge) {
    const Hinges hinges({{0, 1, 2}, {0, 1, 3}, {4, 1, 0}});
    EXPECT_FALSE(hinges.good);
    EXPECT_STREQ(hinges.cause.text, "the edge between vertices 0 and 1 lies in 3 triangles, at most 2 can bend");
}

TEST(Topology, SameCorners) {
    const Hinges hinges({{0, 1, 2}, {1, 0, 2}});
    EXPECT_FALSE(hinges.good);
    EXPECT_STREQ(hinges.cause.text, "triangles 0 and 1 have the same corners");
}

} // namespace
