// taut view as a person has it: xdotool moves the pointer and presses keys of a screen in memory, and key P saves what
// is seen.
#include "folder.h"
#include "panels_seen.h"
#include "process.h"
#include "screen.h"

#include <cstdlib>
#include <functional>
#include <unistd.h>

using namespace app;
using namespace view;

namespace {

const int patience = 80; // times that something is looked for, each after a tenth of a second

void wait_a_little() {
    usleep(100000);
}

class Pointer : public Folder {
  protected:
    void SetUp() override {
        if (!screen_.there() || std::system("command -v xdotool >/dev/null") != 0) {
            GTEST_SKIP() << "Xvfb or xdotool is not installed";
        }
    }

    // Opens a window from 6 m along z, without panels, where the screen has its upper left corner, and ends it by Esc.
    void show(const std::string& text, const std::function<void()>& act, const std::string& window = "240x240") {
        const Result result = run_program(
            "/bin/sh",
            {"-c", "cd \"$1\" && shift && exec \"$@\"", "sh", path(""), TAUT_PROGRAM, "view", write("scene.json", text),
             "--size", window, "--camera", "0,0,6", "--target", "0,0,0", "--floor", "none", "--backend", "cpu"},
            [&](int) {
                x("search --sync --onlyvisible --name '^taut: ' mousemove --window %1 20 20 key h");
                act();
                x("key Escape");
            });
        EXPECT_EQ(result.code, 0) << result.err;
        EXPECT_EQ(result.err, "");
    }
    void x(const std::string& what) {
        const std::string command = "timeout 60 xdotool " + what + " >/dev/null";
        EXPECT_EQ(std::system(command.c_str()), 0) << command;
    }
    // What is seen now, without panels. Panels have the keys until the picture after a button was let go: then once
    // more.
    Picture seen() {
        char name[32];
        (void)snprintf(name, sizeof name, "taut-%04zu.png", saved_++);
        for (int i = 0; i < patience && !exists(name); i++) {
            if (i % 30 == 0) {
                x("key p");
            }
            wait_a_little();
        }
        return read_picture(path(name));
    }
    // Whether it comes to be seen in time.
    bool comes(const std::function<bool(const Picture&)>& it) {
        for (int i = 0; i < patience; i++) {
            if (it(seen())) {
                return true;
            }
            wait_a_little();
        }
        return false;
    }

    Screen screen_;
    size_t saved_ = 0;
};

// A sheet that hangs, as wide as high, is pulled to the right at its lower half, and let go.
TEST_F(Pointer, DragMovesARunningGarment) {
    const std::string hanging = scene(
        R"({"name": "sheet", "type": "cloth", "grid": {"size": [1, 1], "cells": [8, 8]}, "rotate_degrees": [90, 0, 0],
                  "density": 0.2, "stretch": {"compliance": 1e-4}, "shear": {"compliance": 1e-3}})",
        R"({"type": "pin", "at": {"object": "sheet", "box": [[-1, 0.49, -1], [1, 1, 1]]}})");
    show(hanging, [&] {
        const double before = silhouette(seen()).x;
        EXPECT_NEAR(before, size / 2.0, 2);
        x("mousemove 120 140 mousedown 1 mousemove 150 140 mousemove 180 140");
        EXPECT_TRUE(comes([&](const Picture& p) { return silhouette(p).x > before + 6; }));
        x("mouseup 1");
        EXPECT_TRUE(comes([&](const Picture& p) { return silhouette(p).x < before + 3; }));
    });
}

// Space stops and plays, N makes steps, R begins again.
TEST_F(Pointer, KeysStopStepAndBeginAgain) {
    show(scene(R"({"name": "ball", "type": "rigid", "sphere": {"radius": 0.2}, "mass": 1})"), [&] {
        x("key space key r");
        EXPECT_TRUE(comes([&](const Picture& p) { return std::fabs(silhouette(p).y - size / 2.0) < 0.5; }));
        const Picture start = seen();
        wait_a_little();
        EXPECT_EQ(start.pixels, seen().pixels);
        EXPECT_TRUE(comes([&](const Picture& p) {
            x("key n");
            return silhouette(p).y > size / 2.0 + 5;
        }));
        const Picture stepped = seen();
        EXPECT_LT(silhouette(stepped).y, size / 2.0 + 20);
        x("key r");
        EXPECT_TRUE(comes([&](const Picture& p) { return p.pixels == start.pixels; }));
        x("key space");
        EXPECT_TRUE(
            comes([&](const Picture& p) { return differences(p, start, 12) > 0 && !p.shows(size / 2, size / 2); }));
    });
}

// The wheel brings the eye nearer, the middle button moves what is seen, and the backdrop turns it.
TEST_F(Pointer, WheelAndButtonsMoveTheEye) {
    show(scene(R"({"name": "ball", "type": "rigid", "sphere": {"radius": 0.2}, "mass": 1, "fixed": true,
                   "translate": [0.8, 0, 0]})"),
         [&] {
             const Silhouette before = silhouette(seen());
             EXPECT_NEAR(before.x, size / 2.0 * (1 + 0.8 / 6 / half_height), 1.5);
             x("mousemove 20 20 mousedown 1 mousemove 140 20 mouseup 1");
             EXPECT_NEAR(silhouette(seen()).x, size / 2.0, 1.5); // across the window in height means half a turn
             x("mousedown 1 mousemove 20 20 mouseup 1");
             EXPECT_NEAR(silhouette(seen()).x, before.x, 1);
             x("mousedown 2 mousemove 0 30 mouseup 2");
             const Silhouette moved = silhouette(seen());
             EXPECT_NEAR(moved.x, before.x - 20, 1);
             EXPECT_NEAR(moved.y, before.y + 10, 1);
             x("click 4");
             EXPECT_NEAR(silhouette(seen()).area / moved.area, 1 / 0.81, 0.06);
         });
}

// A button of the panels: a ball that stands still falls.
TEST_F(Pointer, AButtonOfThePanelsPlays) {
    const auto act = [&] {
        x("key space key r key h");
        EXPECT_TRUE(comes([&](const Picture& p) { return std::fabs(silhouette(p).y - p.height / 2.0) < 0.5; }));
        x("mousemove 60 78 sleep 0.5 mousedown 1 sleep 0.5 mouseup 1");
        EXPECT_TRUE(comes([&](const Picture& p) { return !p.shows(p.width / 2, p.height / 2); }));
    };
    show(scene(R"({"name": "ball", "type": "rigid", "sphere": {"radius": 0.2}, "mass": 1})"), act, "640x480");
}

// A slider of the panels, drawn by its handle to the right: the ball falls sideways.
TEST_F(Pointer, ASliderOfThePanelsChangesGravity) {
    const std::string ball = scene(R"({"name": "ball", "type": "rigid", "sphere": {"radius": 0.2}, "mass": 1})");
    const Result told =
        taut({"view", write("ball.json", ball), "--size", "640x480", "--floor", "none", "--backend", "cpu", "--script",
              write("script", "0 key space\n4 picture " + path("panels.png") + "\n5 quit\n")});
    ASSERT_EQ(told.code, 0) << told.err;
    const std::vector<SliderRow> rows = find_panels(read_picture(path("panels.png"))).below(0);
    ASSERT_FALSE(rows.empty());
    const std::string y = " " + std::to_string(rows[0].y) + " ";
    const auto act = [&] { // a picture that was saved would move the sliders: it is told of above them
        x("key space key r key h sleep 1 mousemove " + std::to_string(rows[0].x[0]) + y +
          "sleep 0.5 mousedown 1 sleep 0.5 mousemove 300" + y + "sleep 0.5 mouseup 1");
        EXPECT_TRUE(comes([&](const Picture& p) {
            x("key n");
            const Silhouette s = silhouette(p);
            return s.area > 0 && s.x > p.width / 2.0 + 20;
        }));
    };
    show(ball, act, "640x480");
}

} // namespace
