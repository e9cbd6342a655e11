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

// A square metre of some thousand vertices that swings from two corners onto a ball.
TEST_F(Draping, ConvergesWhereItIsFine) {
    const std::string scene = R"({"taut": 1, "fps": 60, "frames": 8, "objects": [
        {"name": "c", "type": "cloth", "grid": {"size": [1, 1], "cells": [64, 64]}, "translate": [0, 2, 0],
         "density": 0.2, "contact": {"thickness": 0.004}},
        {"name": "ball", "type": "collider", "sphere": {"radius": 0.2}, "translate": [0, 1.75, 0]}],
        "constraints": [{"type": "pin", "at": {"object": "c", "vertices": [0, 64]}}]})";
    run(scene, "c:0");
    for (size_t frame = 1; frame <= 8; frame++) {
        EXPECT_EQ(stats(frame).strings.at("outcome"), "converged") << frame;
    }
}

// Could touch itself and does not: factors solve it as soon as conjugate gradients take longer.
TEST_F(Draping, HangsInFewIterationsWhereNothingTouches) {
    const std::string scene = R"({"taut": 1, "fps": 60, "frames": 3, "objects": [
        {"name": "c", "type": "cloth", "grid": {"size": [1, 1], "cells": [44, 44]}, "density": 0.2,
         "stretch": {"compliance": 1e-4}, "shear": {"compliance": 1e-2}, "contact": {"thickness": 0.004}}],
        "constraints": [{"type": "pin", "at": {"object": "c", "vertices": [0, 44]}}]})";
    run(scene, "c:0");
    EXPECT_EQ(stats(3).strings.at("outcome"), "converged");
    EXPECT_LT(stats(3).at("iterations"), 100);
}

// Beyond the size up to which conjugate gradients converged in the first frame.
TEST_F(Draping, HangsFromTwoPointsWhateverItsSize) {
    const std::string scene = R"({"taut": 1, "fps": 60, "frames": 2, "objects": [
        {"name": "c", "type": "cloth", "grid": {"size": [1, 1], "cells": [223, 223]}, "density": 0.2}],
        "constraints": [{"type": "pin", "at": {"object": "c", "vertices": [0, 223]}}]})";
    run(scene, "c:0");
    for (size_t frame = 1; frame <= 2; frame++) {
        EXPECT_EQ(stats(frame).strings.at("outcome"), "converged") << frame;
    }
}

} // namespace
