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
        run(scene(objects, "", R"("fps": )" + std::to_string(fps) + R"(, "substeps": 1, )"), "sheet 0:0",
            {"--frames", std::to_string(frames), "--threads", "1"});
        all_converged(frames);
        for (int i = 1; i <= frames; i++) {
            EXPECT_EQ(stats(static_cast<size_t>(i)).at("cuts"), 0) << "frame " << i;
        }
    }
    // Cotton on nine boxes on the ground, free or in a chain of ball joints that goes to and fro: its iterations.
    double drape_boxes(bool chain, int frames) {
        std::string places, joints;
        double last[2] = {0, 0};
        for (int i = 0; i < 9; i++) {
            const int row = i / 3, column = row % 2 == 0 ? i % 3 : 2 - i % 3;
            const double at[2] = {0.18 * (column - 1), 0.18 * (row - 1)};
            places += (i > 0 ? ", " : "") + place(at[0], at[1]);
            if (chain && i > 0) {
                joints += (i > 1 ? ", " : "") + std::string(R"({"type": "ball", "a": ["boxes", )") +
                          std::to_string(i - 1) + R"(], "b": ["boxes", )" + std::to_string(i) + R"(], "position": )" +
                          place((at[0] + last[0]) / 2, (at[1] + last[1]) / 2) + "}";
            }
            last[0] = at[0], last[1] = at[1];
        }
        run(scene(R"({"name": "floor", "type": "collider", "plane": {}}, {"name": "boxes", "type": "rigid",
                      "box": {"sides": [0.16, 0.1, 0.16]}, "density": 300, "contact": {}, "positions": [)" +
                      places + R"(]}, {"name": "sheet", "type": "cloth", "fabric": "cotton", "translate": [0, 0.3, 0],
                      "grid": {"size": [0.8, 1], "cells": [16, 20]}, "contact": {"thickness": 0.004}})",
                  joints, R"("fps": 60, )"),
            "sheet:0", {"--frames", std::to_string(frames), "--threads", "1"});
        all_converged(frames);
        return iterations(frames);
    }
    static std::string place(double x, double z) {
        return "[" + std::to_string(x) + ", 0.07, " + std::to_string(z) + "]";
    }
    double iterations(int frames) {
        double sum = 0;
        for (int i = 1; i <= frames; i++) {
            sum += stats(static_cast<size_t>(i)).at("iterations");
        }
        return sum;
    }
    // A square metre of cells^2 that hangs from two corners, 0.2 kg, with other objects.
    void hang(int cells, const std::string& cloth, const std::string& others, int frames) {
        const std::string n = std::to_string(cells);
        run(scene(R"({"name": "c", "type": "cloth", "grid": {"size": [1, 1], "cells": [)" + n + ", " + n +
                      R"(]}, "density": 0.2, )" + cloth + "}" + others,
                  R"({"type": "pin", "at": {"object": "c", "vertices": [0, )" + n + "]}}", R"("fps": 60, )"),
            "c:0", {"--frames", std::to_string(frames)});
        all_converged(frames);
    }
    void all_converged(int frames) {
        for (int i = 1; i <= frames; i++) {
            EXPECT_EQ(stats(static_cast<size_t>(i)).strings.at("outcome"), "converged") << "frame " << i;
        }
    }
};

TEST_F(Draping, ConvergesInLongFrames) {
    drape(1, 12, "0.008", 24, 12);
}

TEST_F(Draping, ConvergesWhereItIsThin) {
    drape(1, 12, "0.002", 60, 25);
}

// Were only the motion unknown, not the impulses of contacts, it would take 5,400 iterations.
TEST_F(Draping, ConvergesInLayers) {
    drape(2, 12, "0.008", 60, 20);
    EXPECT_LT(iterations(20), 4000);
}

// Factors would have no room for all of its contacts: most are there only because they might close.
TEST_F(Draping, ConvergesInManyLayers) {
    drape(4, 12, "0.003", 30, 12);
}

// A square metre of some thousand vertices that swings from two corners onto a ball.
TEST_F(Draping, ConvergesWhereItIsFine) {
    hang(64, R"("translate": [0, 2, 0], "contact": {"thickness": 0.004})",
         R"(, {"name": "ball", "type": "collider", "sphere": {"radius": 0.2}, "translate": [0, 1.75, 0]})", 8);
}

// Were contacts of boxes as stiff as the solver's shift makes their joints, it would take six times the iterations on a
// chain; were impulses of contacts no unknowns beside joints, 1.8 times.
TEST_F(Draping, TakesAChainOfBoxesLikeFreeOnes) {
    const double free = drape_boxes(false, 40);
    EXPECT_LT(drape_boxes(true, 40), 1.6 * free);
}

// Could touch itself and does not: factors solve it as soon as conjugate gradients take longer.
TEST_F(Draping, HangsInFewIterationsWhereNothingTouches) {
    hang(44, R"("stretch": {"compliance": 1e-4}, "shear": {"compliance": 1e-2}, "contact": {"thickness": 0.004})", "",
         3);
    EXPECT_LT(stats(3).at("iterations"), 100);
}

// Beyond the size up to which conjugate gradients converged in the first frame.
TEST_F(Draping, HangsFromTwoPointsWhateverItsSize) {
    hang(223, R"("model": "membrane")", "", 2);
}

// A square metre of 10 x 10 squares, of which one column is as narrow as 0.1 mm.
std::string narrow_squares() {
    std::string mesh;
    for (int i = 0; i < 121; i++) {
        const double x = i % 11 == 5 ? 0.5999 : 0.1 * (i % 11);
        mesh += "v " + std::to_string(x) + " 0 " + std::to_string(0.1 * (i / 11)) + "\n";
    }
    for (int i = 0; i < 110; i++) {
        if (i % 11 < 10) {
            const int a = i + 1;
            mesh += "f " + std::to_string(a) + " " + std::to_string(a + 11) + " " + std::to_string(a + 12) + " " +
                    std::to_string(a + 1) + "\n";
        }
    }
    return mesh;
}

// What lies side by side in a surface, nearer than its thickness, may not pass through itself, but is not held apart by
// that either: the narrow triangles were stretched to several times their width, by 900 J.
TEST_F(Draping, NarrowTrianglesStayNarrow) {
    write("narrow.obj", narrow_squares());
    run(scene(R"({"name": "ball", "type": "collider", "sphere": {"radius": 0.2}, "translate": [0.5, 0.3, 0.5]},
                 {"name": "c", "type": "cloth", "mesh": "narrow.obj", "fabric": "cotton", "translate": [0, 0.6, 0],
                  "contact": {"thickness": 0.005}})",
              "", R"("fps": 60, )"),
        "c:0", {"--frames", "30", "--threads", "1"});
    for (size_t i = 1; i <= 30; i++) {
        EXPECT_LT(stats(i).at("elastic"), 0.1) << "frame " << i;
    }
}

} // namespace
