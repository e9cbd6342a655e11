// Placement of objects and keyframed motion.
extern "C" {
#include "scene_json/motion.h"
#include "scene_json/placement.h"
}

#include <gtest/gtest.h>

#include <array>

namespace {

using Point = std::array<double, 3>;

void expect_point(const double actual[3], const Point& expected) {
    for (int a = 0; a < 3; a++) {
        EXPECT_NEAR(actual[a], expected[a], 1e-14) << "xyz"[a];
    }
}

Point placed(const placement& p, Point x) {
    placement_apply(&p, 1, reinterpret_cast<double(*)[3]>(x.data()));
    return x;
}

TEST(Placement, ScalesThenTurnsThenMoves) {
    placement p = placement_identity();
    p.scale[0] = 2;
    p.degrees[2] = 90;
    p.translate[1] = 10;
    expect_point(placed(p, {1, 0, 0}).data(), {0, 12, 0});
    expect_point(placed(p, {0, 1, 0}).data(), {-1, 10, 0});
}

TEST(Placement, TurnsAboutXThenYThenZ) {
    placement p = placement_identity();
    p.degrees[0] = 90;
    p.degrees[1] = 90;
    p.degrees[2] = 90;
    // y -> z (about x) -> x (about y) -> y (about z)
    expect_point(placed(p, {0, 1, 0}).data(), {0, 1, 0});
    // x stays, -> -z, stays
    expect_point(placed(p, {1, 0, 0}).data(), {0, 0, -1});
}

TEST(Placement, MirrorsWithAnOddNumberOfNegativeScales) {
    placement p = placement_identity();
    EXPECT_FALSE(placement_mirrors(&p));
    p.scale[1] = -1;
    EXPECT_TRUE(placement_mirrors(&p));
    p.scale[2] = -3;
    EXPECT_FALSE(placement_mirrors(&p));
    p.scale[0] = -0.5;
    EXPECT_TRUE(placement_mirrors(&p));
}

TEST(Motion, IsLinearBetweenKeysAndHeldAfterTheLast) {
    motion_key keys[2] = {{1, {2, 0, 0}, {0, 0, 0}}, {3, {2, 4, 0}, {0, 720, 0}}};
    const motion m = {2, keys, false, {0, 0, 0}};
    expect_point(motion_at(&m, 0).translate, {0, 0, 0});
    expect_point(motion_at(&m, 0.5).translate, {1, 0, 0});
    expect_point(motion_at(&m, 1).translate, {2, 0, 0});
    expect_point(motion_at(&m, 1.5).translate, {2, 1, 0});
    expect_point(motion_at(&m, 1.5).degrees, {0, 180, 0});
    expect_point(motion_at(&m, 3).translate, {2, 4, 0});
    expect_point(motion_at(&m, 100).degrees, {0, 720, 0});
}

TEST(Motion, AKeyAtTimeZeroHoldsFromTheStart) {
    motion_key key = {0, {1, 0, 0}, {0, 0, 0}};
    const motion m = {1, &key, false, {0, 0, 0}};
    expect_point(motion_at(&m, 0).translate, {1, 0, 0});
    expect_point(motion_at(&m, 5).translate, {1, 0, 0});
}

TEST(Motion, TurnsAboutTheCentre) {
    const motion_key pose = {0, {0, 0, 1}, {0, 0, 180}};
    const double centre[3] = {1, 0, 0};
    const double start[2][3] = {{0, 0, 0}, {1, 1, 0}};
    double now[2][3];
    motion_move(&pose, centre, 2, start, now);
    expect_point(now[0], {2, 0, 1});
    expect_point(now[1], {1, -1, 1});
}

TEST(Motion, DrivesGoFromTheirStartToTheirKeys) {
    drive_key keys[2] = {{1, 3}, {3, -1}};
    const drive_path path = {1, 2, keys};
    for (const auto& [time, target] :
         {std::pair{0.0, 1.0}, {0.5, 2.0}, {1.0, 3.0}, {2.0, 1.0}, {3.0, -1.0}, {9.0, -1.0}}) {
        EXPECT_NEAR(drive_at(&path, time), target, 1e-14) << time;
    }
    drive_key first = {0, 2};
    const drive_path jump = {1, 1, &first};
    EXPECT_EQ(drive_at(&jump, 0), 2);
    const drive_path rest = {5, 0, nullptr};
    EXPECT_EQ(drive_at(&rest, 7), 5);
}

} // namespace
