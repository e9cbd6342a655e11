// What the end of a run says, and when: what did not converge, overlaps, inversion, energy from nothing.
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

std::string told(const summary& s) {
    testing::internal::CaptureStderr();
    summary_warn(&s, "scene.json");
    return testing::internal::GetCapturedStderr();
}

// Frames of these outcomes, with a limit of 100 iterations.
std::string to_change(const std::vector<taut_step_info>& frames) {
    outcomes o{};
    report r{};
    o.max_iterations = 100;
    for (size_t i = 0; i < frames.size(); i++) {
        outcomes_add(&o, i + 1, &frames[i]);
    }
    outcomes_tell(&o, "scene.json", &r);
    return r.text;
}

taut_step_info frame_of(taut_outcome outcome, uint32_t iterations = 0) {
    taut_step_info info{};
    info.outcome = outcome;
    info.iterations = iterations;
    info.damped = outcome == TAUT_SOLVE_DAMPED;
    return info;
}

TEST(Summary, WhatToChangeIsToldOnce) {
    const taut_step_info limit = frame_of(TAUT_SOLVE_ITERATION_LIMIT, 100), spent = frame_of(TAUT_SOLVE_DAMPED, 100),
                         damped = frame_of(TAUT_SOLVE_DAMPED, 99), stuck = frame_of(TAUT_SOLVE_STAGNATED);
    const std::string more = "). To change: raise \"max_iterations\" in \"solver\", or \"substeps\"";
    const std::string softer = ", or give stiff constraints a larger \"compliance\" (hard ones, with 0, may contradict "
                               "each other)";
    const auto ends = [](const std::string& text, const std::string& end) {
        return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
    };
    EXPECT_TRUE(ends(to_change({limit, spent}), more)) << to_change({limit, spent});
    EXPECT_TRUE(ends(to_change({damped, limit}), more + softer)) << to_change({damped, limit});
    EXPECT_TRUE(ends(to_change({damped}), "). To change: raise \"substeps\"" + softer)) << to_change({damped});
    EXPECT_TRUE(ends(to_change({stuck, limit}), more + softer + ", or raise \"tolerance\" in \"solver\""))
        << to_change({stuck, limit});
    taut_step_info late = limit;
    late.hurried = 1;
    EXPECT_TRUE(ends(to_change({late}), "). To change: raise \"budget_ms\"")) << to_change({late});
}

// Impact zones alone take velocity from what would pass through something: no solve ended badly.
TEST(Summary, WhatMovesTogetherIsNotSlowedDown) {
    taut_step_info zone = frame_of(TAUT_SOLVE_DAMPED, 300);
    zone.zones = 1;
    EXPECT_EQ(to_change({zone}),
              "scene.json: the motion is inexact: 1 of 1 frames did not converge (1 moved together what would have "
              "passed through each other; first frame 1, worst residual 0 in frame 1). To change: raise \"substeps\"");
    zone.damped = 2;
    EXPECT_NE(to_change({zone}).find("1 slowed down so as to gain no energy;"), std::string::npos) << to_change({zone});
}

TEST(Summary, AnotherModelIsToldWhereThereIsOne) {
    summary s{};
    s.inverted = s.most_inverted = s.turned = 3;
    const std::string turned =
        "taut: warning: scene.json: 3 tetrahedra were inside out, at most, from frame 3 on, and 3 "
        "at the end. A higher \"young\"";
    EXPECT_EQ(told(s), turned + " or more \"substeps\" hold them\n");
    s.inverts = true;
    EXPECT_EQ(told(s), turned + ", the \"model\" \"neo_hookean\" or more \"substeps\" hold them\n");
}

TEST(Summary, SoftModelsAreThoseOfTheFile) {
    const auto cube = [](const std::string& model) {
        return scene(R"({"name": "cube", "type": "soft", "grid": {"size": [1, 1, 1], "cells": [1, 1, 1]},
                         "density": 1000, "young": 1e4)" +
                     model + "}");
    };
    const Built by_default(cube("")), strain(cube(R"(, "model": "strain")"));
    ASSERT_TRUE(by_default.good && strain.good) << by_default.cause.text << strain.cause.text;
    EXPECT_FALSE(scene_inverts(&by_default.file));
    EXPECT_TRUE(scene_inverts(&strain.file));
}

// A thing 3 mm thick with 0.36 mm of overlap, and what rests on others.
TEST(Summary, OverlapsOfThinThingsAreToldByTheirThickness) {
    summary s{};
    s.most.bodies = 0.00036;
    s.most.bodies_relative = 0.12;
    EXPECT_EQ(told(s), "taut: warning: scene.json: bodies overlapped by up to 0.00036 m, and by up to 12 % of the "
                       "thickness of the thinner one. More \"substeps\" or a slower motion keep them apart\n");
    s.most.bodies_relative = 0.02;
    EXPECT_EQ(told(s), "");
}

// Stiff cords that are attached do not contradict each other.
TEST(Summary, SofterHardConstraintsAreToldWithoutAGuess) {
    summary s{};
    s.frames = 120;
    s.softened = 70;
    s.first_softened = 10;
    EXPECT_EQ(told(s),
              "taut: warning: scene.json: in 70 of 120 frames, first in frame 10, steps were not solved with hard "
              "constraints, and gave these a small compliance for a while, so that they held a little less: take more "
              "\"substeps\", or give some of them (such as \"attach\") a \"compliance\", or leave out those that "
              "contradict others\n");
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
