// The sliders of the panels: a scene whose slider is drawn to its end runs as the same scene does with that value in
// its file. What the panels show of the steps.
#include "folder.h"
#include "panels_seen.h"
#include "process.h"
#include "screen.h"

#include <regex>

using namespace app;
using namespace view;

namespace {

enum Heading { WORLD, STIFFNESS };
enum class End { least, most };

// A handle: in a row below a heading, and which of the row.
struct Handle {
    Heading heading;
    size_t row, which;
    End end;
};

const int steps = 24; // a step a picture

class Sliders : public Folder {
  protected:
    void SetUp() override {
        if (!screen_.there()) {
            GTEST_SKIP() << "Xvfb is not installed";
        }
    }

    // The picture that a script saves as seen.png.
    Picture run(const std::string& text, const std::string& script) {
        std::string placed = script;
        placed.replace(placed.find("seen.png"), 8, path("seen.png"));
        const Result result =
            taut({"view", write("scene.json", text), "--script", write("script", placed), "--size", "480x940",
                  "--camera", "0,0,6", "--target", "0,0,0", "--floor", "none", "--backend", "cpu"});
        EXPECT_EQ(result.code, 0) << result.err;
        EXPECT_EQ(result.err, "");
        return read_picture(path("seen.png"));
    }

    // The panels before the first step, with what is under "Stiffness".
    PanelsSeen panels(const std::string& text) {
        const PanelsSeen closed = find_panels(run(text, "0 key space\n4 picture seen.png\n5 quit\n"));
        EXPECT_EQ(closed.headings.size(), 5u);
        open_ = "1 move 60 " + std::to_string(closed.headings.at(STIFFNESS)) +
                "\n2 press left\n3 release left\n4 move 470 930\n";
        return find_panels(run(text, "0 key space\n" + open_ + "8 picture seen.png\n9 quit\n"));
    }

    // The scene after its steps; before the first one handles are drawn to their ends.
    Picture seen(const std::string& text, const std::vector<Handle>& moved = {}) {
        const PanelsSeen at = moved.empty() ? PanelsSeen() : panels(text);
        std::string script = "0 key space\n" + (moved.empty() ? "" : open_);
        int picture = moved.empty() ? 1 : 10;
        for (const Handle& h : moved) {
            const std::vector<SliderRow> rows = at.below(h.heading);
            if (h.row >= rows.size() || h.which >= rows[h.row].x.size()) {
                ADD_FAILURE() << "no slider " << h.row << ", " << h.which << " of " << rows.size();
                continue;
            }
            script += drawn(picture, rows[h.row].x[h.which], rows[h.row].y, h.end);
            picture += 6;
        }
        const std::string begin = std::to_string(picture + 1), end = std::to_string(picture + 1 + steps);
        return run(text, script + std::to_string(picture) + " key h\n" + begin + " key space\n" + end +
                             " picture seen.png\n" + end + " quit\n");
    }

    // A slider that does nothing shows `text`, one that works shows `expected`.
    void check(const std::string& text, const std::vector<Handle>& moved, const std::string& expected) {
        const Picture plain = seen(text), set = seen(text, moved), made = seen(expected);
        EXPECT_GT(differences(made, plain, 12), 200u);
        EXPECT_LE(differences(set, made, 12), 4u); // pixels at edges: settings are floats
    }

    // Of a handle drawn to an end, and the panels opened so far.
    static std::string drawn(int picture, int x, int y, End end) {
        const std::string there = " " + std::to_string(y) + "\n";
        const auto at = [&](int i) { return std::to_string(picture + i); };
        return at(0) + " move " + std::to_string(x) + there + at(1) + " press left\n" + at(2) + " move " +
               (end == End::most ? "470" : "2") + there + at(4) + " release left\n";
    }

    std::string open_; // opens "Stiffness"

  private:
    Screen screen_;
};

/* ---- settings of the world ------------------------------------------------------------------------------------ */

// A cord of conjugate gradients: few iterations leave it longer than it should be.
std::string cord(const std::string& settings, const std::string& solver = "", const std::string& gravity = "0, -8, 0") {
    return scene(
        R"({"name": "cord", "type": "rope", "points": [[-0.8, 0.5, 0], [0.8, 0.5, 0]], "segments": 40, "density": 0.5,
            "stretch": {"compliance": 1e-4}, "contact": {"radius": 0.03}})",
        R"({"type": "pin", "at": {"object": "cord", "vertices": [0]}})",
        "\"gravity\": [" + gravity + "], " + settings +
            "\"solver\": {\"method\": \"condensed_pcg\", \"preconditioner\": \"jacobi\"" + solver + "}, ");
}

TEST_F(Sliders, Gravity) {
    check(cord(""), {{WORLD, 0, 0, End::most}}, cord("", "", "20, -8, 0"));
}

TEST_F(Sliders, Wind) {
    const auto sheet = [](const std::string& wind) {
        return scene(R"({"name": "sheet", "type": "cloth", "grid": {"size": [1, 1], "cells": [6, 6]},
                         "rotate_degrees": [90, 0, 0], "density": 0.2, "stretch": {"compliance": 1e-4},
                         "shear": {"compliance": 1e-3}, "air": {"drag": 0.6, "friction": 0.1, "wind": [)" +
                         wind + "]}}",
                     R"({"type": "pin", "at": {"object": "sheet", "box": [[-1, 0.49, -1], [1, 1, 1]]}})",
                     "\"gravity\": [0, -8, 0], ");
    };
    check(sheet("0, 3, 0"), {{WORLD, 1, 0, End::most}, {WORLD, 1, 2, End::least}}, sheet("20, 3, -20"));
}

TEST_F(Sliders, Damping) {
    check(cord(""), {{WORLD, 1, 0, End::most}}, cord("\"integrator\": {\"mass_damping\": 20}, "));
}

TEST_F(Sliders, Substeps) {
    check(cord(""), {{WORLD, 2, 0, End::most}}, cord("\"substeps\": 16, "));
}

TEST_F(Sliders, Iterations) {
    check(cord(""), {{WORLD, 3, 0, End::least}}, cord("", ", \"max_iterations\": 1"));
}

TEST_F(Sliders, Tolerance) {
    check(cord(""), {{WORLD, 4, 0, End::most}}, cord("", ", \"tolerance\": 0.1"));
}

/* ---- what things are made of ---------------------------------------------------------------------------------- */

std::string rope(const std::string& stretch) {
    return scene(
        R"({"name": "rope", "type": "rope", "points": [[-0.8, 0.5, 0], [0.8, 0.5, 0]], "segments": 16, "density": 0.5,
            "contact": {"radius": 0.03}, "stretch": {)" +
            stretch + "}}",
        R"({"type": "pin", "at": {"object": "rope", "vertices": [0, 16]}})", "\"gravity\": [0, -8, 0], ");
}

TEST_F(Sliders, ComplianceOfARope) {
    check(rope("\"compliance\": 1e-4"), {{STIFFNESS, 0, 0, End::most}}, rope("\"compliance\": 1"));
}

// 1 m/N for each segment of 0.1 m.
TEST_F(Sliders, ComplianceOfAHardRope) {
    check(rope(""), {{STIFFNESS, 0, 0, End::most}}, rope("\"compliance\": 10"));
}

TEST_F(Sliders, DampingOfARope) {
    check(rope("\"compliance\": 0.05"), {{STIFFNESS, 1, 0, End::most}}, rope("\"compliance\": 0.05, \"damping\": 1"));
}

// Stretch and shear, then bend and twist.
TEST_F(Sliders, StiffnessOfARod) {
    const auto rod = [](const std::string& young) {
        return scene(R"({"name": "rod", "type": "rod", "points": [[-0.8, 0, 0], [0.8, 0, 0]], "segments": 8,
                         "radius": 0.03, "density": 1000, "clamp": ["start"], "young": )" +
                         young + "}",
                     "", "\"gravity\": [0, -8, 0], ");
    };
    check(rod("1e9"), {{STIFFNESS, 0, 0, End::most}, {STIFFNESS, 2, 0, End::most}}, rod("1e5"));
}

// An arm on a bracket: hard translations get 1 m/N, and rotations that are soft get 10,000 times as much.
TEST_F(Sliders, StiffnessOfAJoint) {
    const auto arm = [](const std::string& law) {
        return scene(
            R"({"name": "bracket", "type": "rigid", "box": {"sides": [0.2, 0.2, 0.2]}, "mass": 1, "fixed": true},
                        {"name": "arm", "type": "rigid", "box": {"sides": [0.8, 0.1, 0.1]}, "mass": 0.2,
                         "translate": [0.5, 0, 0]})",
            R"({"type": "fixed", "a": ["bracket", 0], "b": ["arm", 0], "position": [0.1, 0, 0], )" + law + "}",
            "\"gravity\": [0, -8, 0], ");
    };
    check(arm(R"("rotation": {"compliance": 1e-3})"), {{STIFFNESS, 0, 0, End::most}, {STIFFNESS, 2, 0, End::most}},
          arm(R"("rotation": {"compliance": 10}, "translation": {"compliance": 1})"));
}

TEST_F(Sliders, StiffnessOfASolid) {
    const auto beam = [](const std::string& young, const std::string& damping) {
        return scene(R"({"name": "beam", "type": "soft", "grid": {"size": [1.2, 0.3, 0.3], "cells": [6, 2, 2]},
                         "density": 200, "damping": )" +
                         damping + ", \"young\": " + young + "}",
                     R"({"type": "pin", "at": {"object": "beam", "box": [[-1, -1, -1], [-0.59, 1, 1]]}})",
                     "\"gravity\": [0, -8, 0], ");
    };
    check(beam("1e8", "0"), {{STIFFNESS, 0, 0, End::least}}, beam("1e4", "0"));
    check(beam("1e4", "0"), {{STIFFNESS, 1, 0, End::most}}, beam("1e4", "1"));
}

/* ---- the hand ------------------------------------------------------------------------------------------------- */

// A ball that the mouse holds sags by m g times the compliance of the hand: 8 mm, and by 1 m/N it falls.
TEST_F(Sliders, ComplianceOfTheHand) {
    const std::string ball = scene(R"({"name": "ball", "type": "rigid", "sphere": {"radius": 0.2}, "mass": 1})", "",
                                   "\"gravity\": [0, -8, 0], ");
    const std::vector<SliderRow> rows = panels(ball).below(STIFFNESS);
    ASSERT_EQ(rows.size(), 1u);
    const auto held = [&](const std::string& slider) {
        return silhouette(run(ball, "0 key space\n" + open_ + slider +
                                        "16 key h\n18 move 240 470\n19 press left\n20 key space\n"
                                        "50 picture seen.png\n51 quit\n"));
    };
    const double scale = 940 / 2.0 / 6 / half_height; // pixels a metre
    EXPECT_NEAR(held("").y, 470 + 0.008 * scale, 1);
    // A sixth of the way is a decade: it swings about 8 cm.
    const std::string begun = drawn(10, rows[0].x[0], rows[0].y, End::most);
    const std::string near =
        std::regex_replace(begun, std::regex("move 470"), "move " + std::to_string(rows[0].x[0] + 25));
    EXPECT_NEAR(held(near).y, 470 + 0.09 * scale, 0.07 * scale);
    EXPECT_GT(held(drawn(10, rows[0].x[0], rows[0].y, End::most)).y, 470 + 0.5 * scale);
}

/* ---- what panels show ----------------------------------------------------------------------------------------- */

class Panels : public Sliders {
  protected:
    // Before the first step, and after so many.
    Picture before(const std::string& text) { return run(text, "0 key space\n4 picture seen.png\n5 quit\n"); }
    Picture after(const std::string& text) { return run(text, "20 picture seen.png\n20 quit\n"); }
};

// Rows of pixels that have a colour at x = 40: top and bottom of each band of at least 20.
std::vector<std::pair<int, int>> bands(const Picture& picture, const uint8_t (&rgb)[3], int from) {
    std::vector<std::pair<int, int>> out;
    int height = 0;
    for (int y = from; y < picture.height; y++) {
        const bool on = count_colour(picture, 40, y, 41, y + 1, rgb) > 0;
        if (!on && height >= 20) {
            out.push_back({y - height, y});
        }
        height = on ? height + 1 : 0;
    }
    return out;
}

// Pixels of a line in the colour of plots, which is smoothed.
int line_pixels(const Picture& picture, std::pair<int, int> band) {
    int count = 0;
    for (int y = band.first; y < band.second; y++) {
        for (int x = 26; x < 294; x++) {
            const uint8_t* p = picture.at(x, y);
            count += p[1] > p[0] + 50 && p[2] > p[0] + 40;
        }
    }
    return count;
}

// Iterations, residual and three energies.
TEST_F(Panels, PlotsHaveData) {
    const Picture empty = before(cord("")), full = after(cord(""));
    const PanelsSeen seen = find_panels(empty);
    ASSERT_EQ(seen.headings.size(), 5u);
    const uint8_t frame[3] = {230, 232, 239};
    const auto plots = bands(empty, frame, seen.headings[3]);
    ASSERT_EQ(plots.size(), 5u);
    const int lower = find_panels(full).headings.at(3) - seen.headings[3]; // by the bar of the frame's time
    for (const auto& band : plots) {
        EXPECT_EQ(line_pixels(empty, band), 0);
        EXPECT_GT(line_pixels(full, {band.first + lower, band.second + lower}), 15);
    }
}

// The times of stages, of which most is for the solution. The plot is as high as the longest step: here one takes some
// ten milliseconds, beside which what else the machine does is little.
TEST_F(Panels, TimesOfStagesAreDrawn) {
    const std::string sheet = scene(
        R"({"name": "sheet", "type": "cloth", "grid": {"size": [1, 1], "cells": [40, 40]}, "density": 0.2,
            "stretch": {"compliance": 1e-5}})",
        R"({"type": "pin", "at": {"object": "sheet", "vertices": [0]}})",
        R"("solver": {"method": "condensed_pcg", "preconditioner": "jacobi"}, )");
    const Picture empty = before(sheet), full = after(sheet);
    const PanelsSeen seen = find_panels(empty);
    ASSERT_EQ(seen.headings.size(), 5u);
    const uint8_t stages[3] = {228, 230, 234}, solve[3] = {203, 74, 52};
    const auto times = bands(empty, stages, seen.headings[3]);
    ASSERT_EQ(times.size(), 1u);
    const int lower = find_panels(full).headings.at(3) - seen.headings[3];
    EXPECT_EQ(count_colour(empty, 26, times[0].first, 294, times[0].second, solve), 0);
    EXPECT_GT(count_colour(full, 26, times[0].first + lower, 294, times[0].second + lower, solve), 30);
}

// A frame of a second has time for its step, one of a hundredth of a millisecond has not.
TEST_F(Panels, ABarShowsHowMuchOfAFrameItsStepTook) {
    const uint8_t good[3] = {26, 140, 107}, late[3] = {204, 74, 51};
    const auto bar = [&](const char* fps, const uint8_t(&colour)[3]) {
        const Picture picture = after(cord(std::string("\"fps\": ") + fps + ", "));
        return count_colour(picture, 26, 0, 294, find_panels(picture).headings.at(WORLD), colour);
    };
    EXPECT_EQ(bar("1", late), 0);
    EXPECT_LT(bar("1", good), 1500);
    EXPECT_GT(bar("100000", late), 3000); // all of it
    EXPECT_EQ(bar("100000", good), 0);
}

} // namespace
