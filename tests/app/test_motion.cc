// Placement of objects and keyframed motion.
extern "C" {
#include "scene_json/motion.h"
#include "scene_json/placement.h"
}

#include <gtest/gtest.h>

#include <array>
#include <cmath>

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

constexpr double radian = 3.14159265358979323846 / 180;

// One angle alone by all of its way, about its axis behind the later ones; several by the shortest one.
TEST(Motion, TurnsAsFarAsItsKeysSay) {
    motion_key keys[4] = {{1, {0, 0, 0}, {0, 0, 90}},
                          {2, {0, 0, 0}, {0, 720, 90}},
                          {3, {0, 0, 0}, {-270, 720, 90}},
                          {4, {0, 0, 0}, {-270, 630, 0}}};
    const motion m = {4, keys, false, {0, 0, 0}};
    double w[3];
    motion_turn(&m, 0, 0.5, w);
    expect_point(w, {0, 0, 45 * radian});
    motion_turn(&m, 1, 2, w);
    expect_point(w, {-720 * radian, 0, 0});
    motion_turn(&m, 2, 3, w);
    expect_point(w, {0, -270 * radian, 0});
    motion_turn(&m, 3, 4, w); // both quarters back: a third about a diagonal
    EXPECT_NEAR(std::hypot(w[0], w[1], w[2]), 120 * radian, 1e-12);
    motion_turn(&m, 4, 9, w);
    expect_point(w, {0, 0, 0});
    motion_key first = {0, {0, 0, 0}, {10, 0, 0}};
    const motion jump = {1, &first, false, {0, 0, 0}};
    motion_turn(&jump, 0, 1, w);
    expect_point(w, {10 * radian, 0, 0});
}

TEST(Motion, RefusesTurnsWhoseWayIsNotKnown) {
    motion_key keys[3] = {
        {1, {0, 0, 0}, {0, 0, 7200}}, {2, {0, 0, 0}, {80, 60, 7200}}, {2.5, {0, 0, 0}, {580, 360, 7200}}};
    const motion m = {3, keys, false, {0, 0, 0}};
    double time, degrees;
    EXPECT_FALSE(motion_turns_too_far(&m, 10, &time, &degrees));
    EXPECT_TRUE(motion_turns_too_far(&m, 1, &time, &degrees)); // 583 degrees in half a second
    EXPECT_EQ(time, 3);
    EXPECT_NEAR(degrees, std::hypot(500, 300), 1e-9);
    EXPECT_TRUE(motion_turns_too_far(&m, 3, &time, &degrees));
    EXPECT_NEAR(time, 7.0 / 3, 1e-12);
    EXPECT_NEAR(degrees, std::hypot(500, 300) * 2 / 3, 1e-9);
    const motion spin = {1, keys, false, {0, 0, 0}};
    EXPECT_FALSE(motion_turns_too_far(&spin, 1, &time, &degrees));
    motion_key first = {0, {0, 0, 0}, {100, 100, 100}};
    const motion jump = {1, &first, false, {0, 0, 0}};
    EXPECT_TRUE(motion_turns_too_far(&jump, 1000, &time, &degrees));
    first.time = 1571428571428571.5; // no frame is told from the next there
    EXPECT_FALSE(motion_turns_too_far(&jump, 24, &time, &degrees));
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
