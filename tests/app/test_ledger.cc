// The energy ledger of a run over scenes of every kind, by default settings where there are any: it closes in every
// frame, and what the scheme takes is little in short steps, so that work and dissipation are all there is. Where the
// sum is known by hand it is compared.
#include "runs.h"

#include <algorithm>
#include <cmath>

using namespace app;

namespace {

struct Case {
    const char* name;
    const char* objects;
    const char* constraints = "";
    const char* extra = "";
    double numerical = 0.02; // what the scheme may take, of what is moved; without limit where it is infinite
    double dissipated = NAN; // J, by hand, with the little that the scheme takes; NAN: not known
    double driven = NAN;     // likewise: work of drives
    int frames = 40;
};

const char* const midpoint = "\"integrator\": {\"scheme\": \"midpoint\"}, ";
const char* const weightless = "\"gravity\": [0, 0, 0], ";
const char* const exact = "\"contact\": {\"law\": \"exact\"}, ";

#define FLOOR     R"({"name": "floor", "type": "collider", "plane": {"normal": [0, 1, 0]}}, )"
#define BOX       R"({"name": "a", "type": "rigid", "box": {"sides": [0.2, 0.2, 0.2]}, "mass": 1, )"
#define BALL      R"({"name": "a", "type": "rigid", "sphere": {"radius": 0.1}, "mass": 1, )"
#define BELT      R"({"name": "belt", "type": "collider", "box": {"sides": [2, 0.2, 2]}, "translate": [0, -0.1, 0], )"
#define ON_FLOOR  R"("positions": [[0, 0.1, 0]], "contact": {})"
#define MATERIAL  R"("materials": [{"name": "m", )"
#define OF_IT     R"("contact": {"material": "m"})"
#define PAIR      R"({"name": "p", "type": "particles", "positions": [[0, 0, 0], [0.5, 0, 0]]})"
#define PIN_OF_IT R"({"type": "pin", "at": {"object": "p", "vertices": [0]})"
#define SPRING    R"({"type": "distance", "a": ["p", 0], "b": ["p", 1], "compliance": 1e-3})"
#define LINKS                                                                                                          \
    R"({"name": "a", "type": "rigid", "box": {"sides": [0.6, 0.1, 0.1]}, "mass": 1, "positions": [[0.3, 0, 0]]}, )"    \
    R"({"name": "b", "type": "rigid", "box": {"sides": [0.6, 0.1, 0.1]}, "mass": 1, "positions": [[0.9, 0, 0]]})"
#define ELBOW    R"({"type": "hinge", "a": "a", "b": "b", "position": [0.6, 0, 0], "axis": [0, 0, 1]})"
#define SHOULDER R"({"type": "hinge", "a": "world", "b": "a", "position": [0, 0, 0], "axis": [0, 0, 1])"
#define TURNS    R"(, "drive": {"motion": [{"time": 1, "target": 90}])"
#define ALONG    R"({"type": "speed", "terms": [[["a", 0], "x", 1]], )"
#define BLOCK                                                                                                          \
    R"({"name": "s", "type": "soft", "grid": {"size": [0.4, 0.1, 0.1], "cells": [4, 1, 1]}, "density": 1000, )"        \
    R"("young": 1e5)"
#define HELD    R"({"type": "pin", "at": {"object": "s", "box": [[-0.21, -1, -1], [-0.19, 1, 1]]}})"
#define SHEET   R"({"name": "s", "type": "cloth", "grid": {"size": [0.5, 0.5], "cells": [5, 5]}, "density": 0.2)"
#define CORNERS R"({"type": "pin", "at": {"object": "s", "vertices": [0, 5]}})"

const double g = 9.81;

const Case elastic[] = {
    {"rod", R"({"name": "r", "type": "rod", "points": [[0, 0, 0], [1, 0, 0]], "segments": 10, "radius": 0.01,
      "density": 1000, "young": 1e8, "clamp": ["start"], "damping": 0.01})",
     "", midpoint},
    {"strain", BLOCK R"(, "model": "strain", "damping": 0.005})", HELD, midpoint},
    {"corotational", BLOCK R"(, "model": "corotational", "damping": 0.005})", HELD, midpoint},
    {"neo-Hooke", BLOCK R"(, "model": "neo_hookean", "damping": 0.005})", HELD, midpoint},
    {"Kirchhoff", BLOCK R"(, "model": "st_venant_kirchhoff", "damping": 0.005})", HELD, midpoint},
    {"volumes", BLOCK R"(, "volume": {"compliance": 1e-6}})", HELD, midpoint},
    {"hinges", LINKS, SHOULDER "}, " ELBOW, midpoint},
    {"mass damping", LINKS, SHOULDER "}, " ELBOW, R"("integrator": {"scheme": "midpoint", "mass_damping": 1}, )"},
    {"a rope that pulls only", PAIR,
     PIN_OF_IT R"(}, {"type": "distance", "a": ["p", 0], "b": ["p", 1], "length": 0.8, "upper": 0,
      "compliance": 1e-3})",
     midpoint},
    {"pressure", SHEET R"(, "pressure": 5})", CORNERS, midpoint},
    {"wind", SHEET R"(, "air": {"drag": 0.6, "friction": 0.01, "wind": [2, 1, 5]}})", CORNERS, midpoint, 0.1},
};

const Case driven[] = {
    {"a hard drive", LINKS, SHOULDER TURNS "}}, " ELBOW, midpoint},
    {"a soft drive", LINKS, SHOULDER TURNS R"(, "compliance": 0.01, "damping": 0.02}}, )" ELBOW, midpoint},
    {"a drive at its limit", LINKS, SHOULDER TURNS R"(, "lower": -3, "upper": 3}}, )" ELBOW, midpoint},
    {"a moving target", PAIR,
     PIN_OF_IT
     R"(, "compliance": 1e-3, "damping": 0.01, "motion": [{"time": 0.5, "translate": [0, 0.5, 0]}]}, )" SPRING,
     midpoint},
    {"a moving pin", PAIR, PIN_OF_IT R"(, "motion": [{"time": 0.5, "translate": [0, 0.5, 0]}]}, )" SPRING, midpoint},
    {"a dragged sheet", SHEET "}",
     R"({"type": "pin", "at": {"object": "s", "vertices": [0]}, "motion": [{"time": 0.5, "translate": [0, 0.5, 0]}]})",
     midpoint},
    // 1 kg at 1 m/s, against 3 N
    {"a brake", BOX R"("positions": [[0, 0, 0]], "velocity": [1, 0, 0]})", ALONG R"("lower": -3, "upper": 3})",
     weightless, 0.02, 0.5},
    // 6 N to 2 m/s: 4 J, of which half are motion
    {"a motor", BOX R"("positions": [[0, 0, 0]]})", ALONG R"("speed": 2, "lower": -6, "upper": 6})", weightless, 0.02,
     2, 4},
    {"a speed at once", BOX R"("positions": [[0, 0, 0]]})", ALONG R"("speed": 2})", weightless, 0.02, 2, 4},
    {"a damper", BOX R"("positions": [[0, 0, 0]], "velocity": [1, 0, 0]})", ALONG R"("compliance": 1, "damping": 2})",
     weightless, 0.02, 0.5 * (1 - std::exp(-8.0 / 3))},
};

const Case touching[] = {
    {"slides until it rests", FLOOR BOX ON_FLOOR R"(, "velocity": [1, 0, 0]})", "", exact, 0.02, 0.5},
    {"falls and lies", FLOOR BOX R"("positions": [[0, 0.3, 0]], "contact": {}})", "", "", 0.02, g * 0.2},
    {"bounces", FLOOR BALL R"("positions": [[0, 0.4, 0]], )" OF_IT "}", "", MATERIAL R"("restitution": 0.8}], )", 0.02,
     g * 0.3 * (1 - 0.8 * 0.8), NAN, 30},
    {"slides until it rolls", FLOOR BALL ON_FLOOR R"(, "velocity": [1, 0, 0]})", "", exact, 0.02, 0.5 * 2 / 7},
    {"rolls until it rests", FLOOR BALL R"("positions": [[0, 0.1, 0]], "velocity": [1, 0, 0],
      "angular_velocity": [0, 0, -10], )" OF_IT "}",
     "", MATERIAL R"("rolling": 0.01}], )", 0.02, 0.7, NAN, 100},
    {"lands on a damped spring", FLOOR BALL R"("positions": [[0, 0.2, 0]], )" OF_IT "}", "",
     MATERIAL R"("compliance": 1e-4, "damping": 0.005}], )", 0.05},
    // 0.6 m/s from rest: the belt works m v^2, half of it lost
    {"a belt", BELT R"("motion": [{"time": 1, "translate": [0.6, 0, 0]}]}, )" BOX ON_FLOOR "}", "", exact, 0.02, 0.18,
     0.36},
    // a jerk to 0.5 m/s, then 1/3 m up
    {"a lift", BELT R"("motion": [{"time": 1, "translate": [0, 0.5, 0]}]}, )" BOX ON_FLOOR "}", "", "", 0.02, 0.125,
     0.25 + g / 3},
    {"a turntable",
     BELT R"("motion": [{"time": 1, "rotate_degrees": [0, 60, 0]}]}, )" BOX
          R"("positions": [[0.4, 0.1, 0]], "contact": {}})",
     "", exact},
};

// Schemes, over a driven pendulum of springs: what they take differs, and the sum closes.
const char* const schemes[] = {R"({"scheme": "implicit_euler"})",
                               R"({"scheme": "theta", "alpha": 0.6})",
                               R"({"scheme": "midpoint", "newton": 4})",
                               R"({"scheme": "midpoint", "two_stage": true})",
                               R"({"scheme": "symplectic_euler"})",
                               R"({"scheme": "primal"})",
                               R"({"scheme": "acceleration", "time_constant": 0.1})",
                               R"({"scheme": "acceleration", "stepper": "rk4", "time_constant": 0.1})",
                               R"({"scheme": "midpoint", "project_positions": 1, "project_velocities": true})"};

struct Sums {
    double moved = 0, forces = 0, drives = 0, dissipated = 0, numerical = 0;
};

double held(const Record& r) {
    return r.at("kinetic") + r.at("potential") + r.at("elastic");
}

// Sums over a run; closes in every frame to rounding of the energies that it moves.
Sums check_closed(const std::vector<Record>& frames, double start) {
    Sums sums;
    double before = start, low = start, high = start;
    for (const Record& r : frames) {
        const double change = r.at("work_forces") + r.at("work_drives") - r.at("dissipated") - r.at("numerical");
        sums.forces += r.at("work_forces");
        sums.drives += r.at("work_drives");
        sums.dissipated += r.at("dissipated");
        sums.numerical += r.at("numerical");
        sums.moved += std::fabs(r.at("work_forces")) + std::fabs(r.at("work_drives")) + std::fabs(r.at("dissipated"));
        low = std::min(low, held(r));
        high = std::max(high, held(r));
        EXPECT_NEAR(held(r), before + change, 1e-6 * (sums.moved + r.at("kinetic") + high - low) + 1e-12);
        before = held(r);
    }
    double kinetic = 0, stored = 0;
    for (const Record& r : frames) {
        kinetic = std::max(kinetic, r.at("kinetic"));
        stored = std::max(stored, r.at("elastic"));
    }
    sums.moved += high - low + kinetic + stored;
    return sums;
}

void check_sums(const Case& c, const Sums& sums) {
    SCOPED_TRACE("moved " + std::to_string(sums.moved) + ", forces " + std::to_string(sums.forces) + ", drives " +
                 std::to_string(sums.drives) + ", dissipated " + std::to_string(sums.dissipated) + ", numerical " +
                 std::to_string(sums.numerical));
    EXPECT_LE(std::fabs(sums.numerical), c.numerical * sums.moved);
    if (!std::isnan(c.dissipated)) {
        EXPECT_NEAR(sums.dissipated + sums.numerical, c.dissipated, 0.02 * c.dissipated);
    }
    if (!std::isnan(c.driven)) {
        EXPECT_NEAR(sums.drives, c.driven, 0.02 * c.driven);
    }
}

// What a scene holds at its start, by the ledger of its first frame.
double energy_at_start(const std::vector<Record>& frames) {
    const Record& r = frames.at(0);
    return held(r) - (r.at("work_forces") + r.at("work_drives") - r.at("dissipated") - r.at("numerical"));
}

} // namespace

class LedgerOfARun : public Runs {
  protected:
    std::vector<Record> frames_of(const Case& c, int substeps) {
        const std::string text =
            scene(c.objects, c.constraints, std::string(c.extra) + "\"substeps\": " + std::to_string(substeps) + ", ");
        const Result result = taut({"run", write("scene.json", text), "--backend", "cpu", "--frames",
                                    std::to_string(c.frames), "--out", path("out"), "--stats", path("stats.jsonl")});
        EXPECT_EQ(result.code, 0) << result.err;
        return read_stats(read("stats.jsonl"));
    }
    void check(const Case& c) {
        SCOPED_TRACE(c.name);
        const std::vector<Record> coarse = frames_of(c, 1);
        check_closed(coarse, energy_at_start(coarse));
        const std::vector<Record> fine = frames_of(c, 16);
        EXPECT_NEAR(energy_at_start(fine), energy_at_start(coarse), 1e-9); // the scene's, whatever the steps
        check_sums(c, check_closed(fine, energy_at_start(fine)));
    }
};

TEST_F(LedgerOfARun, ClosesWhereThingsBend) {
    for (const Case& c : elastic) {
        check(c);
    }
}

TEST_F(LedgerOfARun, ClosesWhereThingsAreDriven) {
    for (const Case& c : driven) {
        check(c);
    }
}

TEST_F(LedgerOfARun, ClosesWhereThingsTouch) {
    for (const Case& c : touching) {
        check(c);
    }
}

TEST_F(LedgerOfARun, ClosesForEveryScheme) {
    for (const char* scheme : schemes) {
        const std::string extra = std::string("\"integrator\": ") + scheme + ", ";
        const Case c = {scheme, PAIR, PIN_OF_IT R"(, "motion": [{"time": 0.5, "translate": [0, 0.5, 0]}]}, )" SPRING,
                        extra.c_str(), 0.1};
        check(c);
    }
}

// A corner of a sheet as soft as 20.8 N/m passes over its pin, and turns a triangle over: its folds pass half a turn.
TEST_F(LedgerOfARun, ATriangleThatTurnsOverTakesNothing) {
    run(scene(R"({"name": "s", "type": "cloth", "grid": {"size": [0.40241794248917445, 0.6349924617857816],
                  "cells": [10, 10]}, "rotate_degrees": [81.85567864069509, 0, 33.67178473371227],
                  "density": 0.18600852644267207, "young": 20.79566231427413,
                  "bend": {"compliance": 372.27463689658765}})",
              R"({"type": "pin", "at": {"object": "s", "vertices": [0, 120, 110]}})", R"("fps": 120, )"),
        "s:100", {"--frames", "30"});
    for (size_t frame = 1; frame <= 30; frame++) {
        const Record f = stats(frame);
        EXPECT_LT(f.at("violations.bend"), 1) << frame;
        EXPECT_LT(std::fabs(f.at("numerical")), 1e-3) << frame;
    }
}
