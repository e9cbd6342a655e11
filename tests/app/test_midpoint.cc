// The midpoint rule by the settings that a scene gets which names nothing but the scheme.
#include "built.h"
#include "runs.h"

#include <algorithm>
#include <cmath>

using namespace app;

namespace {

const char* const midpoint = R"("integrator": {"scheme": "midpoint"}, )";

#define LINK(a, b) R"({"type": "distance", "a": ["p", )" #a R"(], "b": ["p", )" #b "]}"
#define PIN        R"({"type": "pin", "at": {"object": "p", "vertices": [0]}}, )"
#define HINGE      R"({"type": "hinge", "a": "world", "b": "b", "position": [0, 0, 0], "axis": [0, 0, 1]})"
#define BAR        R"({"name": "b", "type": "rigid", "box": {"sides": [1, 0.05, 0.05]}, "mass": 1, "positions": [[0.5, 0, 0]])"
#define FLOOR      R"({"name": "floor", "type": "collider", "plane": {"normal": [0, 1, 0]}, "translate": [0, -3, 0]})"

const char* const pendulum = R"({"name": "p", "type": "particles", "positions": [[0, 0, 0], [1, 0, 0]]})";
const char* const elbow =
    R"({"name": "p", "type": "particles", "positions": [[0, 0, 0], [0.7, -0.7, 0], [1.4, -1.4, 0]]})";

// 20 by 20 particles on hard links of 10 cm.
std::string net_constraints() {
    std::string all = R"({"type": "pin", "at": {"object": "p", "vertices": [380, 399]}})";
    const auto link_of = [&all](int a, int b) {
        all += R"(, {"type": "distance", "a": ["p", )" + std::to_string(a) + R"(], "b": ["p", )" + std::to_string(b) +
               "]}";
    };
    for (int i = 0; i < 400; i++) {
        if (i % 20 < 19) {
            link_of(i, i + 1);
        }
        if (i < 380) {
            link_of(i, i + 20);
        }
    }
    return all;
}

std::string net_points() {
    std::string all;
    for (int i = 0; i < 400; i++) {
        all += (i ? ", [" : "[") + std::to_string(0.1 * (i % 20)) + ", " + std::to_string(0.1 * (i / 20)) + ", 0]";
    }
    return R"({"name": "p", "type": "particles", "positions": [)" + all + "]}";
}

double held(const Record& r) {
    return r.at("kinetic") + r.at("potential") + r.at("elastic");
}

} // namespace

class Midpoint : public Runs {
  protected:
    std::vector<Record> frames_of(const std::string& text, int frames) {
        const Result result = taut({"run", write("scene.json", text), "--backend", "cpu", "--frames",
                                    std::to_string(frames), "--stats", path("stats.jsonl")});
        EXPECT_EQ(result.code, 0) << result.err;
        EXPECT_EQ(result.err, "");
        return read_stats(read("stats.jsonl"));
    }
    // `swing`: J, which the scene holds at its start above its lowest point.
    void check_kept(const std::string& objects, const std::string& constraints, double swing) {
        const std::vector<Record> frames = frames_of(scene(objects, constraints, midpoint), 1200);
        const double start = held(frames.at(0));
        for (const Record& r : frames) {
            ASSERT_NEAR(held(r), start, 0.01 * swing) << "frame " << r.at("frame");
        }
    }
    std::string warnings_of(const std::string& text) { return taut({"check", write("scene.json", text)}).err; }
};

const double g = 9.81;

TEST_F(Midpoint, KeepsTheEnergyOfASwing) {
    check_kept(pendulum, PIN LINK(0, 1), g);
}

TEST_F(Midpoint, KeepsTheEnergyOfADoublePendulum) {
    const double length = std::hypot(0.7, 0.7);
    check_kept(elbow, PIN LINK(0, 1) ", " LINK(1, 2), 3 * g * (length - 0.7));
}

TEST_F(Midpoint, KeepsTheEnergyOfAHingedBar) {
    check_kept(BAR "}", HINGE, g / 2);
}

TEST_F(Midpoint, HoldsANetOfHardLinks) {
    for (const Record& r : frames_of(scene(net_points(), net_constraints(), midpoint), 120)) {
        ASSERT_EQ(r.strings.at("outcome"), "converged") << "frame " << r.at("frame");
        ASSERT_EQ(r.at("subdivided"), 0) << "frame " << r.at("frame");
    }
}

// What bends stores the energy of a swing in rows that are stiff one by one, and gets it back.
TEST_F(Midpoint, RodsAndStiffRopesSwing) {
    const std::string length = R"("points": [[0, 0, 0], [0.5, 0, 0]], "segments": 30, )";
    const std::string rod = R"({"name": "r", "type": "rod", "radius": 0.003, "density": 1000, "young": 1e9, )" +
                            length + R"("clamp": ["start"]})";
    const std::string rope = R"({"name": "r", "type": "rope", "density": 0.03, "stretch": {"compliance": 1e-5}, )" +
                             length + R"("bend": {"compliance": 16}})";
    const std::string clamp = R"({"type": "pin", "at": {"object": "r", "vertices": [0]}, "clamp": true})";
    const std::string fast = std::string(midpoint) + R"("fps": 240, )";
    for (const std::string& text : {scene(rod, "", fast), scene(rope, clamp, fast)}) {
        for (const Record& r : frames_of(text, 240)) {
            ASSERT_EQ(r.strings.at("outcome"), "converged") << "frame " << r.at("frame");
            ASSERT_LT(held(r), 1e-6) << "frame " << r.at("frame");
        }
    }
}

TEST(MidpointDefaults, LinksThatTouchNothingAreLinearisedThreeTimes) {
    const auto linearisations = [](const char* objects, const char* constraints, const char* integrator) {
        const Built b(scene(objects, constraints, "\"integrator\": {" + std::string(integrator) + "}, "));
        EXPECT_TRUE(b.good) << b.cause.text;
        return b.file.world.integrator.newton;
    };
    const char* const swing = PIN LINK(0, 1);
    EXPECT_EQ(linearisations(pendulum, swing, R"("scheme": "midpoint")"), 3u);
    EXPECT_EQ(linearisations(pendulum, swing, R"("scheme": "theta", "alpha": 0.55)"), 3u);
    EXPECT_EQ(linearisations(pendulum, swing, R"("scheme": "midpoint", "newton": 1)"), 1u);
    EXPECT_EQ(linearisations(pendulum, swing, R"("scheme": "midpoint", "newton": 9)"), 9u);
    EXPECT_EQ(linearisations(pendulum, swing, R"("scheme": "midpoint", "two_stage": true)"), 1u);
    EXPECT_EQ(linearisations(pendulum, swing, R"("scheme": "theta", "alpha": 0.7)"), 1u) << "it damps more than that";
    EXPECT_EQ(linearisations(pendulum, swing, R"("scheme": "theta", "alpha": 0.5, "theta_q": 0)"), 1u) << "refused";
    EXPECT_EQ(linearisations(pendulum, swing, R"("scheme": "implicit_euler")"), 1u);
    EXPECT_EQ(linearisations(pendulum, "", R"("scheme": "midpoint")"), 1u) << "nothing turns";
    EXPECT_EQ(linearisations(BAR R"(, "contact": {}}, )" FLOOR, HINGE, R"("scheme": "midpoint")"), 1u);
}

// What was said of nothing: the scheme, a body on a hinge that may touch the floor.
TEST_F(Midpoint, SaysWhereItLosesEnergy) {
    const std::string bar = scene(BAR R"(, "contact": {}}, )" FLOOR, HINGE, midpoint);
    const std::string sentence =
        "does not last: give \"newton\": 3, which is not the default where something can touch";
    EXPECT_TRUE(contains(warnings_of(bar), sentence)) << warnings_of(bar);
    const Result run = taut({"run", write("scene.json", bar), "--frames", "1"});
    EXPECT_EQ(run.code, 0);
    EXPECT_TRUE(contains(run.err, sentence)) << run.err;
    const char* const split = R"("integrator": {"scheme": "theta", "alpha": 0.5, "theta_q": 0.2}, )";
    EXPECT_TRUE(
        contains(warnings_of(scene(pendulum, PIN LINK(0, 1), split)), "with \"two_stage\": true or without theta_q"));
    EXPECT_EQ(warnings_of(scene(BAR R"(, "contact": {}}, )" FLOOR, "", midpoint)), "") << "nothing is linked";
    EXPECT_EQ(warnings_of(scene(BAR R"(, "contact": {}}, )" FLOOR, HINGE,
                                R"("integrator": {"scheme": "midpoint", "newton": 1}, )")),
              "")
        << "that is chosen";
}

// Cloth on a ball takes one linearisation, as ever.
TEST_F(Midpoint, RunsClothThatTouches) {
    const std::string text =
        scene(R"({"name": "s", "type": "cloth", "grid": {"size": [1, 1], "cells": [8, 8]}, "density": 0.2,
                  "translate": [0, 0.3, 0], "contact": {}}, {"name": "ball", "type": "collider", "sphere": {"radius": 0.2}})",
              "", midpoint);
    EXPECT_EQ(Built(text).file.world.integrator.newton, 1u);
    const Result result = taut({"run", write("scene.json", text), "--backend", "cpu", "--frames", "40"});
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_FALSE(contains(result.err, "linearisation")) << result.err;
}
