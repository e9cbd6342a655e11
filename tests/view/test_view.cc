// taut view on a screen in memory, with events from a script: what mouse and keys do, seen on pictures.
#include "folder.h"
#include "picture.h"
#include "process.h"
#include "screen.h"

#include <cmath>
#include <cstdlib>

using namespace app;
using namespace view;

namespace {

class View : public Folder {
  protected:
    void SetUp() override {
        if (!screen_.there()) {
            GTEST_SKIP() << "Xvfb is not installed";
        }
    }

    // Runs a script in a window of 240 x 240, from 6 m along z, without panels. "FILE" of the script's pictures is
    // below the folder of the test.
    void show(const std::string& text, std::string script) {
        for (size_t at = 0; (at = script.find("picture ", at)) != std::string::npos; at += 8) {
            script.insert(at + 8, path(""));
        }
        const Result result =
            taut({"view", write("scene.json", text), "--script", write("script", "0 key h\n" + script), "--size",
                  "240x240", "--camera", "0,0,6", "--target", "0,0,0", "--floor", "none", "--backend", "cpu"});
        ASSERT_EQ(result.code, 0) << result.err;
        ASSERT_EQ(result.err, "");
    }
    Picture picture(const std::string& name) { return read_picture(path(name)); }

    Screen screen_;
};

std::string ball(double x) {
    return scene(R"({"name": "ball", "type": "rigid", "sphere": {"radius": 0.2}, "mass": 1, "fixed": true,
                     "translate": [)" +
                 std::to_string(x) + ", 0, 0]}");
}

// Across the window in height means half a turn.
TEST_F(View, DraggingTheBackdropTurnsTheView) {
    show(ball(0.8),
         "1 picture before.png\n2 move 20 20\n3 press left\n4 move 140 20\n5 release left\n"
         "6 picture quarter.png\n7 press left\n8 move 20 20\n9 release left\n10 picture back.png\n11 quit\n");
    const Silhouette before = silhouette(picture("before.png")), quarter = silhouette(picture("quarter.png")),
                     back = silhouette(picture("back.png"));
    EXPECT_NEAR(before.x, size / 2.0 * (1 + 0.8 / 6 / half_height), 1.5);
    EXPECT_NEAR(quarter.x, size / 2.0, 1.5);
    EXPECT_NEAR(back.x, before.x, 0.5);
    // After a quarter of a turn it is farther away by 0.8 m, or nearer.
    const double nearer = std::pow(6 / 5.2, 2), farther = std::pow(6 / 6.8, 2);
    EXPECT_TRUE(std::fabs(quarter.area / before.area / nearer - 1) < 0.05 ||
                std::fabs(quarter.area / before.area / farther - 1) < 0.05)
        << quarter.area / before.area;
}

// A turn of the wheel brings the eye nearer by a tenth; the middle button moves what is seen with the mouse.
TEST_F(View, WheelAndMiddleButton) {
    show(ball(0), "1 picture before.png\n2 scroll 1\n3 picture near.png\n4 scroll -1\n5 move 20 20\n6 press middle\n"
                  "7 move 60 50\n8 release middle\n9 picture moved.png\n10 quit\n");
    const Silhouette before = silhouette(picture("before.png")), near = silhouette(picture("near.png")),
                     moved = silhouette(picture("moved.png"));
    EXPECT_NEAR(near.area / before.area, 1 / 0.81, 0.05);
    EXPECT_NEAR(moved.x, before.x + 40, 1);
    EXPECT_NEAR(moved.y, before.y + 30, 1);
}

// A sheet that hangs, as wide as high, is pulled to the right at its lower half.
const std::string hanging =
    scene(R"({"name": "sheet", "type": "cloth", "grid": {"size": [1, 1], "cells": [8, 8]}, "rotate_degrees": [90, 0, 0],
              "density": 0.2, "stretch": {"compliance": 1e-4}, "shear": {"compliance": 1e-3}})",
          R"({"type": "pin", "at": {"object": "sheet", "box": [[-1, 0.49, -1], [1, 1, 1]]}})");

TEST_F(View, DragMovesARunningGarment) {
    show(hanging, "9 picture before.png\n10 move 120 140\n11 press left\n12 move 150 140\n13 move 180 140\n"
                  "40 picture pulled.png\n41 release left\n80 picture after.png\n81 quit\n");
    const Silhouette before = silhouette(picture("before.png")), pulled = silhouette(picture("pulled.png")),
                     after = silhouette(picture("after.png"));
    EXPECT_NEAR(before.x, size / 2.0, 1);
    EXPECT_GT(pulled.x, before.x + 6);
    EXPECT_LT(after.x, pulled.x - 3);
}

// The point that is held comes to the mouse: something is seen there that was not.
TEST_F(View, TheHeldPointIsUnderTheMouse) {
    show(hanging,
         "5 picture before.png\n6 move 120 157\n7 press left\n8 move 166 97\n60 picture pulled.png\n61 quit\n");
    EXPECT_FALSE(picture("before.png").shows(163, 99)); // the vertex is at (163, 100), where the sheet ends
    EXPECT_TRUE(picture("pulled.png").shows(163, 99));
}

// A body comes along, too, and so does the end of a rope.
TEST_F(View, DragMovesABody) {
    show(scene(R"({"name": "ball", "type": "rigid", "sphere": {"radius": 0.2}, "mass": 1})", "",
               R"("gravity": [0, 0, 0], )"),
         "5 picture before.png\n6 move 120 120\n7 press left\n8 move 180 90\n50 picture pulled.png\n51 quit\n");
    const Silhouette before = silhouette(picture("before.png")), pulled = silhouette(picture("pulled.png"));
    EXPECT_NEAR(before.x, 120, 1);
    EXPECT_NEAR(pulled.x, 180, 2);
    EXPECT_NEAR(pulled.y, 90, 2);
}

TEST_F(View, DragMovesARope) {
    show(scene(R"({"name": "rope", "type": "rope", "points": [[0, 0.8, 0], [0, -0.4, 0]], "segments": 12,
                   "density": 0.2, "contact": {"radius": 0.05}})",
               R"({"type": "pin", "at": {"object": "rope", "vertices": [0]}})"),
         "5 picture before.png\n6 move 120 150\n7 press left\n8 move 175 120\n50 picture pulled.png\n51 release left\n"
         "54 picture free.png\n55 quit\n");
    EXPECT_FALSE(picture("before.png").shows(173, 121));
    EXPECT_TRUE(picture("pulled.png").shows(173, 121));
    EXPECT_FALSE(picture("free.png").shows(175, 118));
}

const std::string falling = scene(R"({"name": "ball", "type": "rigid", "sphere": {"radius": 0.2}, "mass": 1})");

TEST_F(View, SpaceStopsAndNStepsAndRBeginsAgain) {
    show(falling, "0 picture start.png\n4 key space\n6 picture stopped.png\n10 picture still.png\n11 key n\n"
                  "14 picture stepped.png\n15 key r\n17 picture again.png\n18 quit\n");
    const Picture start = picture("start.png"), stopped = picture("stopped.png");
    EXPECT_EQ(stopped.pixels, picture("still.png").pixels);
    EXPECT_GT(silhouette(stopped).y, silhouette(start).y);
    EXPECT_GT(silhouette(picture("stepped.png")).y, silhouette(stopped).y);
    EXPECT_EQ(start.pixels, picture("again.png").pixels);
}

// Colours by speed: at rest all has the first colour, dark violet.
TEST_F(View, KeysChooseColours) {
    show(ball(0), "1 key 3\n3 picture speed.png\n4 key 1\n6 picture object.png\n7 quit\n");
    const Picture speed = picture("speed.png"), object = picture("object.png");
    EXPECT_GT(speed.at(size / 2, size / 2)[2], speed.at(size / 2, size / 2)[1] + 20);
    EXPECT_GT(object.at(size / 2, size / 2)[0], object.at(size / 2, size / 2)[2] + 40);
}

// What hangs below a link is its multiplier: most at the top. Hard links are not violated.
TEST_F(View, KeysChooseColoursOfRows) {
    show(scene(R"({"name": "rope", "type": "rope", "points": [[0, 0.8, 0], [0, -0.8, 0]], "segments": 12,
                   "density": 1, "contact": {"radius": 0.08}})",
               R"({"type": "pin", "at": {"object": "rope", "vertices": [0]}})"),
         "4 key 5\n8 picture multiplier.png\n9 key 1\n11 picture object.png\n12 quit\n");
    const Picture multiplier = picture("multiplier.png"), object = picture("object.png");
    const uint8_t *top = multiplier.at(120, 62), *bottom = multiplier.at(120, 176);
    EXPECT_GT(top[1], top[2] + 60); // yellow
    EXPECT_GT(bottom[2], bottom[1] + 20);
    EXPECT_LT(std::abs(object.at(120, 62)[1] - object.at(120, 176)[1]), 20);
}

// The first button of the panels stops the play.
TEST_F(View, PanelsAreDrawnAndTakeTheMouse) {
    const Result result = taut(
        {"view", write("scene.json", falling), "--size", "640x480", "--floor", "none", "--backend", "cpu", "--script",
         write("script", "2 picture " + path("panels.png") + "\n3 move 60 78\n5 press left\n7 release left\n" +
                             "9 picture " + path("a.png") + "\n14 picture " + path("b.png") + "\n15 quit\n")});
    ASSERT_EQ(result.code, 0) << result.err;
    const Picture panels = picture("panels.png"), a = picture("a.png"), b = picture("b.png");
    EXPECT_GT(panels.at(200, 24)[0], 220);
    EXPECT_GT(differences(panels, a, 8), 0u);
    EXPECT_EQ(differences(a, b, 8), 0u);
}

TEST_F(View, RefusesInOneLine) {
    const std::string good = write("scene.json", falling);
    const auto refuse = [](const std::vector<std::string>& arguments, const std::string& cause) {
        const Result result = taut(arguments);
        EXPECT_EQ(result.code, 2) << cause;
        EXPECT_EQ(line_count(result.err), 1u) << result.err;
        EXPECT_TRUE(contains(result.err, cause)) << result.err;
    };
    refuse({"view", path("nowhere.json")}, "nowhere.json");
    refuse({"view", good, "--script", path("nowhere")}, "nowhere");
    refuse({"view", good, "--script", write("script", "0 move 1 1\n1 jump\n")}, "script:2");
    refuse({"view", good, "--script", write("script", "5 key n\n1 key n\n")}, "script:2");
    refuse({"view", good, "--size", "big"}, "--size");
    unsetenv("DISPLAY");
    refuse({"view", good}, "there is no screen");
}

} // namespace
