// Cloth that falls over a ball, by defaults, in one sheet and in layers: every frame converges, and nothing cuts.
#include "runs.h"

using namespace app;

namespace {

class Draping : public Runs {
  protected:
    // Sheets of 0.8 m, one above the other, of cells^2, that touch each other at this distance.
    void drape(int sheets, int cells, const std::string& thickness, int fps, int frames) {
        std::string objects =
            R"({"name": "ball", "type": "collider", "sphere": {"radius": 0.2}, "translate": [0, 0.2, 0]})";
        const std::string n = std::to_string(cells);
        for (int i = 0; i < sheets; i++) {
            objects += R"(, {"name": "sheet )" + std::to_string(i) +
                       R"(", "type": "cloth", "fabric": "cotton", "grid": {"size": [0.8, 0.8], "cells": [)" + n + ", " +
                       n + R"(]}, "contact": {"thickness": )" + thickness + R"(}, "translate": [0, )" +
                       std::to_string(0.42 + 0.02 * i) + ", 0]}";
        }
        run(scene(objects, "", R"("fps": )" + std::to_string(fps) + ", "), "sheet 0:0",
            {"--frames", std::to_string(frames), "--threads", "1"});
        for (int i = 1; i <= frames; i++) {
            const Record s = stats(static_cast<size_t>(i));
            EXPECT_EQ(s.strings.at("outcome"), "converged") << "frame " << i;
            EXPECT_EQ(s.at("cuts"), 0) << "frame " << i;
        }
    }
};

TEST_F(Draping, ConvergesInLongFrames) {
    drape(1, 12, "0.008", 24, 12);
}

TEST_F(Draping, ConvergesWhereItIsThin) {
    drape(1, 12, "0.002", 60, 25);
}

TEST_F(Draping, ConvergesInLayers) {
    drape(2, 12, "0.008", 60, 20);
}

} // namespace
