// Walls of one animated mesh that close on a sheet, pass into each other and part again, as an arm does that bends: the
// sheet is held between them, and comes out whole.
#include "folder.h"
#include "process.h"
#include "read_stats.h"

#include <algorithm>
#include <cmath>
#include <sstream>

using namespace app;

namespace {

const int RINGS = 10, SECTORS = 20;
const double RADIUS = 0.1;

void add_ball(std::ostream& vertices, std::ostream& faces, int first, double x, double y, double z) {
    vertices << "v " << x << " " << y + RADIUS << " " << z << "\n";
    for (int i = 1; i < RINGS; i++) {
        for (int k = 0; k < SECTORS; k++) {
            const double up = M_PI * i / RINGS, about = 2 * M_PI * k / SECTORS;
            vertices << "v " << x + RADIUS * sin(up) * cos(about) << " " << y + RADIUS * cos(up) << " "
                     << z + RADIUS * sin(up) * sin(about) << "\n";
        }
    }
    vertices << "v " << x << " " << y - RADIUS << " " << z << "\n";
    const auto at = [first](int i, int k) {
        return i == 0       ? first
               : i == RINGS ? first + 1 + (RINGS - 1) * SECTORS
                            : first + 1 + (i - 1) * SECTORS + k % SECTORS;
    };
    for (int i = 0; i < RINGS; i++) {
        for (int k = 0; k < SECTORS; k++) {
            if (i > 0) {
                faces << "f " << at(i, k) << " " << at(i, k + 1) << " " << at(i + 1, k) << "\n";
            }
            if (i + 1 < RINGS) {
                faces << "f " << at(i, k + 1) << " " << at(i + 1, k + 1) << " " << at(i + 1, k) << "\n";
            }
        }
    }
}

// Two balls, above and below, whose centres are `apart` from the sheet.
std::string two_balls(double apart) {
    std::ostringstream vertices, faces;
    add_ball(vertices, faces, 1, 0.01, apart, 0);
    add_ball(vertices, faces, 1 + 2 + (RINGS - 1) * SECTORS, 0, -apart, 0.01);
    return vertices.str() + faces.str();
}

class Closing : public Folder {
  protected:
    // The balls go from 0.02 m beside the sheet to `depth` through its plane within 20 frames, wait, and go back. What
    // the tool tells of every frame.
    std::vector<Record> run(double depth) {
        write("balls.obj", two_balls(RADIUS + 0.02));
        for (int i = 0; i <= 60; i++) {
            const double part = i <= 20 ? i / 20.0 : i <= 40 ? 1 : (60 - i) / 20.0;
            write("balls_" + std::to_string(i) + ".obj", two_balls(RADIUS + 0.02 - (0.02 + depth) * part));
        }
        const std::string balls = R"({"name": "balls", "type": "collider", "mesh": ")" + path("balls.obj") +
                                  R"(", "animation": {"file": ")" + path("balls_%d.obj") + R"(", "first": 0}})";
        const std::string sheet = R"({"name": "sheet", "type": "cloth", "grid": {"size": [0.4, 0.4], "cells": [12, 12]},
            "density": 0.2, "model": "membrane", "young": 300, "bend": {"compliance": 1e4},
            "contact": {"thickness": 0.004}})";
        const std::string file =
            write("scene.json", R"({"taut": 1, "frames": 70, "objects": [)" + balls + ", " + sheet + "]}");
        const Result result = taut({"run", file, "--stats", path("stats.jsonl")});
        EXPECT_EQ(result.code, 0) << result.err;
        return read_stats(read("stats.jsonl"));
    }
};

TEST_F(Closing, SheetsComeOutOfWhatPinchesThem) {
    for (const double depth : {0.005, 0.02}) {
        int failed = 0;
        double stretch = 0;
        const std::vector<Record> frames = run(depth);
        ASSERT_EQ(frames.size(), 70u);
        for (const Record& frame : frames) {
            failed += frame.strings.at("outcome") != "converged";
            stretch = std::max(stretch, frame.at("overstretch"));
        }
        EXPECT_LE(failed, 6) << depth;
        EXPECT_LT(stretch, 0.5) << depth;
        EXPECT_EQ(frames.back().at("cuts"), 0) << depth;
        EXPECT_EQ(frames.back().at("points_inside"), 0) << depth;
    }
}

} // namespace
