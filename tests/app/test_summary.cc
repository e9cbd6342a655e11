// When the end of a run warns of energy from nothing, and in which words.
#include "built.h"
#include "folder.h"

extern "C" {
#include "build/scene_survey.h"
#include "commands/summary.h"
}

using namespace app;

namespace {

std::string warning(double gained, double held, double lift) {
    summary s{};
    s.gained = gained;
    s.held = held;
    s.lift = lift;
    testing::internal::CaptureStderr();
    summary_warn(&s, "scene.json");
    return testing::internal::GetCapturedStderr();
}

TEST(Summary, WhatRestsGainsNothingThatCounts) {
    EXPECT_EQ(warning(3e-7, 1e-10, 0.04), "");
    EXPECT_EQ(warning(0.009, 1, 0.04), "");
    EXPECT_NE(warning(5e-6, 1e-10, 0.04), "");
}

TEST(Summary, ShareOfAGainIsReadable) {
    const std::string gain = "taut: warning: scene.json: the motion gained 0.5 J that no force or drive gave it";
    EXPECT_EQ(warning(0.5, 10, 0.04), gain + ", 5.0 % of the most that it held\n");
    EXPECT_EQ(warning(0.5, 0.1, 0.04), gain + ", 500 % of the most that it held\n");
    EXPECT_EQ(warning(0.5, 0.001, 0.04), gain + ", 500 times the most that it held\n");
    EXPECT_EQ(warning(0.5, 0, 0.04), gain + "\n");
}

// 2 kg of 3 m, in the air as on the floor, and a particle of 2 kg that is 0.2 m thick; what is fixed gains nothing.
TEST(Summary, LiftIsThatOfWhatMoves) {
    const Built built(scene(R"({"name": "box", "type": "rigid", "box": {"sides": [1, 3, 1]}, "mass": 2,
                                "translate": [0, 50, 0]},
                               {"name": "ball", "type": "particles", "positions": [[0, 0, 0]], "masses": 2,
                                "contact": {"radius": 0.1}},
                               {"name": "floor", "type": "rigid", "box": {"sides": [9, 9, 9]}, "mass": 1e6,
                                "fixed": true})",
                            "", R"("gravity": [0, -10, 0], )"));
    ASSERT_TRUE(built.good) << built.cause.text;
    EXPECT_NEAR(scene_lift(&built.file, &built.scene), 10 * (2 * 3 + 2 * 0.2), 1e-9);
}

TEST(Summary, WithoutGravityRoundingGainsNothing) {
    const Built built(scene(R"({"name": "box", "type": "rigid", "box": {"sides": [1, 3, 1]}, "mass": 2})", "",
                            R"("gravity": [0, 0, 0], )"));
    ASSERT_TRUE(built.good) << built.cause.text;
    const double lift = scene_lift(&built.file, &built.scene);
    EXPECT_NEAR(lift, 6e-6, 1e-12);
    EXPECT_EQ(warning(1e-12, 1e-12, lift), "");
}

} // namespace
