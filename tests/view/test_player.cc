// What the viewer keeps of a scene that runs, without a window: records for the plots, sliders and their names, values
// for the colours.
#include "folder.h"

#include "file_simulation.h"
#include "player.h"
#include "vertex_values.h"

#include <cmath>
#include <numeric>

using namespace app;

namespace {

class Running : public Folder {
  protected:
    void TearDown() override { arguments_free(&arguments_); }

    void open(FileSimulation& s, const std::string& text) {
        const std::string file = write("scene.json", text);
        const char* words[] = {"view", file.c_str(), "--backend", "cpu"};
        ASSERT_TRUE(arguments_parse(4, const_cast<char**>(words), &arguments_, &report_)) << report_.text;
        ASSERT_EQ(s.open(arguments_, file, 2, &report_), EXIT_DONE) << report_.text;
    }
    // As the window does for so many pictures: a step each.
    void play(Player& player, int steps) {
        for (int i = 0; i < steps; i++) {
            player.begin(&report_);
            EXPECT_TRUE(player.finish(&report_)) << report_.text;
        }
    }

    arguments arguments_ = {};
    report report_ = {};
};

const std::string falling = scene(R"({"name": "ball", "type": "rigid", "sphere": {"radius": 0.2}, "mass": 2})", "",
                                  R"("gravity": [0, -8, 0], "fps": 50, "substeps": 1, )");

const std::string weight =
    scene(R"({"name": "cord", "type": "rope", "points": [[0, 0, 0], [0, -1, 0]], "segments": 2, "density": 2,
              "stretch": {"compliance": 1e-2, "damping": 0.1}})",
          R"({"type": "pin", "at": {"object": "cord", "vertices": [0]}})", R"("gravity": [0, -8, 0], )");

// Implicit Euler has the speed g h n, and has fallen by g h^2 n (n + 1)/2.
TEST_F(Running, PlotsHaveTheEnergiesAndTimesOfEachStep) {
    FileSimulation s;
    open(s, falling);
    Tuning tuning(s);
    Player player(s, tuning, true);
    play(player, 10);
    ASSERT_EQ(player.history().size(), 10u);
    for (int n = 1; n <= 10; n++) {
        const StepRecord& step = player.history()[n - 1];
        const double v = 8 * 0.02 * n, fall = 8 * 0.02 * 0.02 * n * (n + 1) / 2;
        EXPECT_NEAR(step.kinetic, 2 * v * v / 2, 1e-5);
        EXPECT_NEAR(step.potential, -2 * 8 * fall, 1e-5);
        EXPECT_GT(step.milliseconds, 0);
        const float stages = std::accumulate(step.stages.begin(), step.stages.end(), 0.0f);
        EXPECT_GT(stages, 0);
        EXPECT_LE(stages, step.milliseconds);
    }
    EXPECT_EQ(player.state().frame, 10u);
    EXPECT_NEAR(player.state().time, 0.2, 1e-12);
}

TEST_F(Running, PlotsHaveWhatTheWorldReports) {
    FileSimulation s;
    open(s, weight);
    Tuning tuning(s);
    Player player(s, tuning, true);
    for (int i = 0; i < 5; i++) {
        play(player, 1);
        const StepRecord& step = player.history().back();
        EXPECT_EQ(step.iterations, (float)s.info().iterations);
        EXPECT_GT(step.iterations, 0);
        EXPECT_NEAR(step.residual, std::log10(std::max(s.info().residual, 1e-12)), 1e-5);
        EXPECT_EQ(step.elastic, (float)s.info().elastic);
        EXPECT_GT(step.elastic, 0);
    }
}

TEST_F(Running, PlotsKeepTheLastStepsAndARestartForgetsThem) {
    FileSimulation s;
    open(s, falling);
    Tuning tuning(s);
    Player player(s, tuning, true);
    play(player, 250);
    ASSERT_EQ(player.history().size(), 240u);
    const double v = 8 * 0.02 * 250;
    EXPECT_NEAR(player.history().back().kinetic, v * v, 1e-3);
    player.restart();
    EXPECT_TRUE(player.finish(&report_));
    EXPECT_TRUE(player.history().empty());
    EXPECT_EQ(s.frame(), 0u);
}

// A budget that no solve keeps: all end at once, and a step has fewer substeps.
TEST_F(Running, StepsHaveTheBudgetOfTheFile) {
    const auto run = [&](const std::string& budget) {
        FileSimulation s;
        open(s,
             scene(
                 R"({"name": "cord", "type": "rope", "points": [[0, 0, 0], [1, 0, 0]], "segments": 400, "density": 2})",
                 R"({"type": "pin", "at": {"object": "cord", "vertices": [0]}})",
                 budget + R"("substeps": 8, "solver": {"method": "schur_pcg", "preconditioner": "jacobi"}, )"));
        for (int i = 0; i < 5; i++) {
            EXPECT_EQ(s.step(&report_), EXIT_DONE) << report_.text;
        }
        return s.info();
    };
    const taut_step_info free = run(""), hurried = run("\"budget_ms\": 0.001, ");
    EXPECT_EQ(free.hurried, 0u);
    EXPECT_EQ(free.substeps, 8u);
    EXPECT_GT(hurried.hurried, 0u);
    EXPECT_LT(hurried.substeps, 8u);
}

/* ---- sliders -------------------------------------------------------------------------------------------------- */

std::vector<std::string> labels_of(const Tuning& tuning) {
    std::vector<std::string> labels;
    for (const TunedBatch& b : tuning.batches) {
        labels.push_back(b.label);
    }
    return labels;
}

const std::string of_everything =
    scene(std::string(short_rope) + ", " + small_sheet +
              R"(, {"name": "cane", "type": "rod", "points": [[0, 2, 0], [1, 2, 0]], "segments": 3, "radius": 0.01,
                    "density": 1000, "young": 1e8},
                   {"name": "jelly", "type": "soft", "grid": {"size": [1, 1, 1], "cells": [1, 1, 1]}, "density": 100,
                    "young": 1e5, "volume": {"compliance": 1e-4}, "translate": [3, 0, 0]},
                   {"name": "strip", "type": "cloth", "model": "membrane", "grid": {"size": [1, 1], "cells": [1, 1]},
                    "young": 50, "density": 0.2, "translate": [5, 0, 0]},
                   {"name": "box", "type": "rigid", "box": {"sides": [0.1, 0.1, 0.1]}, "mass": 1,
                    "positions": [[7, 0, 0], [8, 0, 0]]})",
          R"({"type": "hinge", "a": ["box", 0], "b": ["box", 1],
              "position": [7.5, 0, 0], "drive": {"compliance": 0.5}})");

TEST_F(Running, SlidersAreNamedAfterObjectsAndJoints) {
    FileSimulation s;
    open(s, of_everything);
    const std::vector<std::string> expected = {"rope.stretch",
                                               "rope.bend",
                                               "sheet.stretch",
                                               "sheet.shear",
                                               "sheet.bend",
                                               "cane stretch and shear",
                                               "cane bend and twist",
                                               "jelly",
                                               "jelly.volume",
                                               "strip",
                                               "constraints[0] translations",
                                               "constraints[0] rotations",
                                               "constraints[0] drive"};
    EXPECT_EQ(labels_of(Tuning(s)), expected);
}

// A rod's bend and twist: n/(E I) and n/(G I_p) times the length of a piece; 1/E of membranes; E of solids.
TEST_F(Running, SlidersBeginAtWhatTheFileHas) {
    FileSimulation s;
    open(s, of_everything);
    Tuning tuning(s);
    tuning.wants_compliances = true;
    ASSERT_TRUE(tuning.look(s, &report_)) << report_.text;
    const auto values = [&](const std::string& label) {
        for (const TunedBatch& b : tuning.batches) {
            if (b.label == label) {
                return b;
            }
        }
        return TunedBatch();
    };
    const double inertia = M_PI * std::pow(0.01, 4) / 4, young = 1e8, shear = young / 2.6;
    const TunedBatch bends = values("cane bend and twist");
    ASSERT_EQ(bends.values.size(), 6u);
    EXPECT_EQ(bends.count(), 2u);
    EXPECT_NEAR(bends.values[3] * young * inertia, 1.0 / 3, 1e-9);
    EXPECT_NEAR(bends.values[5] * shear * 2 * inertia, 1.0 / 3, 1e-9);
    EXPECT_EQ(values("jelly").values, std::vector<double>(6, 1e5));
    EXPECT_EQ(values("strip").values, std::vector<double>(2, 0.02));
    EXPECT_EQ(values("constraints[0] drive").values, std::vector<double>(1, 0.5));
    EXPECT_FALSE(values("constraints[0] translations").soft);
    EXPECT_TRUE(values("cane bend and twist").soft);
    EXPECT_TRUE(values("jelly").soft);
}

/* ---- colours -------------------------------------------------------------------------------------------------- */

// At rest the links carry what hangs below them: 3/4 and 1/4 of 2 kg.
TEST_F(Running, MultipliersAreTheForcesOfLinks) {
    FileSimulation s;
    open(s, weight);
    for (int i = 0; i < 300; i++) {
        ASSERT_EQ(s.step(&report_), EXIT_DONE) << report_.text;
    }
    VertexValues values(s);
    std::vector<float> forces, violations;
    ASSERT_TRUE(values.compute(s, Quantity::multiplier, forces, &report_)) << report_.text;
    ASSERT_TRUE(values.compute(s, Quantity::violation, violations, &report_)) << report_.text;
    ASSERT_EQ(forces.size(), 3u);
    EXPECT_NEAR(forces[0], 12, 0.01);
    EXPECT_NEAR(forces[1], 12, 0.01); // the larger one
    EXPECT_NEAR(forces[2], 4, 0.01);
    EXPECT_LT(*std::max_element(violations.begin(), violations.end()), 1e-5);
}

// C is that of the sliders: where all is at rest phi = -C lam.
TEST_F(Running, ViolationsFollowTheSliders) {
    for (const bool soft : {true, false}) {
        const std::string as_it_is = R"("compliance": 1e-2, )";
        std::string text = weight;
        text.erase(text.find(as_it_is), soft ? 0 : as_it_is.size());
        FileSimulation s;
        open(s, text);
        Tuning tuning(s);
        tuning.wants_compliances = true;
        ASSERT_TRUE(tuning.look(s, &report_)) << report_.text;
        ASSERT_EQ(tuning.batches.size(), 1u);
        ASSERT_EQ(tuning.batches[0].soft, soft);
        tuning.batches[0].decades = 1;
        tuning.batches[0].added = -1;
        tuning.batches[0].changed = true;
        ASSERT_TRUE(tuning.apply(s, &report_)) << report_.text;
        for (int i = 0; i < 3000; i++) {
            ASSERT_EQ(s.step(&report_), EXIT_DONE) << report_.text;
        }
        VertexValues values(s);
        std::vector<float> violations;
        ASSERT_TRUE(values.compute(s, Quantity::violation, violations, &report_)) << report_.text;
        EXPECT_LT(*std::max_element(violations.begin(), violations.end()), 1e-3); // the first link is 60 cm longer
        EXPECT_LT(s.points().positions[2][1], -1.5);
    }
}

// Of hard links phi is the violation, which the step reports; one iteration leaves some.
TEST_F(Running, ViolationsAreThoseOfTheReport) {
    FileSimulation s;
    open(s, scene(R"({"name": "cord", "type": "rope", "points": [[0, 0, 0], [1, 0, 0]], "segments": 8, "density": 2})",
                  R"({"type": "pin", "at": {"object": "cord", "vertices": [0]}})",
                  R"("solver": {"method": "schur_pcg", "preconditioner": "jacobi", "max_iterations": 1}, )"));
    for (int i = 0; i < 5; i++) {
        ASSERT_EQ(s.step(&report_), EXIT_DONE) << report_.text;
    }
    VertexValues values(s);
    std::vector<float> violations;
    ASSERT_TRUE(values.compute(s, Quantity::violation, violations, &report_)) << report_.text;
    const double reported = s.info().max_violation[TAUT_DISTANCE];
    EXPECT_GT(reported, 1e-6);
    EXPECT_NEAR(*std::max_element(violations.begin(), violations.end()), reported, 1e-3 * reported);
}

} // namespace
