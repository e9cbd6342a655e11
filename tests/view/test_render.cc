// taut render: places, colours and movements on pictures against formulas; files; refusals in one line.
#include "folder.h"
#include "picture.h"
#include "process.h"

#include <cmath>
#include <cstdlib>

using namespace app;
using namespace view;

namespace {

std::string ball(const std::string& more) {
    return scene(R"({"name": "ball", "type": "rigid", "sphere": {"radius": 0.5}, "mass": 1)" + more + "}");
}

// The scene with so many frames.
std::string lasting(std::string text, int frames) {
    const std::string as_it_is = "\"frames\": 3";
    return text.replace(text.find(as_it_is), as_it_is.size(), "\"frames\": " + std::to_string(frames));
}

class Render : public Folder {
  protected:
    // A picture of 240 x 240 pixels from 4 m along z, without soft shadows.
    Picture render(const std::string& text, const std::vector<std::string>& more = {}) {
        std::vector<std::string> arguments = {"render",    write("scene.json", text),
                                              "--out",     path("picture.png"),
                                              "--size",    "240x240",
                                              "--camera",  "0,0,4",
                                              "--target",  "0,0,0",
                                              "--samples", "1",
                                              "--backend", "cpu",
                                              "--floor",   "none"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Result result = taut(arguments);
        EXPECT_EQ(result.code, 0) << result.err;
        EXPECT_EQ(result.err, "");
        return read_picture(path("picture.png"));
    }

    void refuse(const std::vector<std::string>& more, const std::string& cause) {
        std::vector<std::string> arguments = {"render", write("scene.json", ball("")), "--backend", "cpu"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Result result = taut(arguments);
        EXPECT_EQ(result.code, 2) << cause;
        EXPECT_EQ(line_count(result.err), 1u) << result.err;
        EXPECT_TRUE(contains(result.err, cause)) << result.err;
    }
};

// A ball of radius r at the distance d is seen within the angle asin(r/d). Drawn as a polyhedron it is a bit smaller.
TEST_F(Render, SilhouetteOfABall) {
    const Picture picture = render(ball(R"(, "fixed": true)"));
    const Silhouette seen = silhouette(picture);
    const double radius = std::tan(std::asin(0.5 / 4)) / half_height * size / 2;
    EXPECT_NEAR(seen.area / (pi * radius * radius), 1, 0.03);
    EXPECT_NEAR(seen.x, size / 2.0, 0.5);
    EXPECT_NEAR(seen.y, size / 2.0, 0.5);
}

// Implicit Euler falls by g h^2 n (n + 1) / 2 in n frames.
TEST_F(Render, AFallingBallIsWhereItFell) {
    const Silhouette seen = silhouette(render(lasting(ball(""), 10), {"--frames", "10"}));
    const double fall = 9.81 / 3600 * 10 * 11 / 2;
    EXPECT_NEAR(seen.x, size / 2.0, 0.5);
    EXPECT_NEAR(seen.y, size / 2.0 * (1 + fall / 4 / half_height), 1.0);
}

// The last colour of the scale (253, 231, 37) is that of the range's end.
TEST_F(Render, ColoursShowValues) {
    const std::string moving = ball(R"(, "velocity": [0, 0, 2])");
    const Picture slow = render(moving, {"--frames", "0", "--colour", "speed", "--range", "200"});
    const Picture fast = render(moving, {"--frames", "0", "--colour", "speed", "--range", "2"});
    const uint8_t* dark = slow.at(size / 2, size / 2);
    const uint8_t* bright = fast.at(size / 2, size / 2);
    EXPECT_GT(dark[2], dark[1] + 30);
    EXPECT_GT(bright[0], bright[2] + 80);
    EXPECT_GT(bright[1], bright[2] + 80);
}

// Forces of contacts point into what they push, and are seen in front of it: a box rests on its lower corners.
TEST_F(Render, ForcesOfContactsAreInFront) {
    const std::string rests =
        lasting(scene(R"({"name": "floor", "type": "collider", "plane": {}, "translate": [0, -0.3, 0]},
                 {"name": "box", "type": "rigid", "box": {"sides": [0.6, 0.6, 0.6]}, "mass": 1, "contact": {}})"),
                10);
    const Picture without = render(rests, {"--frames", "10"}), with = render(rests, {"--frames", "10", "--contacts"});
    int yellow[2] = {0, 0}; // pixels of the left and of the right half of the box
    for (int y = size / 4; y < size; y++) {
        for (int x = 0; x < size; x++) {
            const uint8_t *a = without.at(x, y), *b = with.at(x, y);
            yellow[x > size / 2] += b[0] > 150 && b[1] > 100 && b[2] < 100 && std::abs(b[1] - a[1]) > 40;
        }
    }
    EXPECT_GT(yellow[0], 10);
    EXPECT_GT(yellow[1], 10);
}

// What is solved has the first colour; three sweeps leave the ends of a cord, from which its tension must spread.
TEST_F(Render, ResidualsOfTooFewIterations) {
    const auto settings = [](int iterations) {
        return "\"gravity\": [0, -9.81, 0], \"solver\": {\"method\": \"condensed_pcg\", \"preconditioner\": "
               "\"jacobi\", \"max_iterations\": " +
               std::to_string(iterations) + "}, ";
    };
    const std::string cord =
        R"({"name": "cord", "type": "rope", "points": [[-0.4, 0, 0], [0.4, 0, 0]], "segments": 80, "density": 0.1,
            "stretch": {"compliance": 1e-5}, "contact": {"radius": 0.05}})";
    const std::string pins = R"({"type": "pin", "at": {"object": "cord", "vertices": [0, 80]}})";
    const std::vector<std::string> colours = {"--frames", "3", "--colour", "residual", "--range", "0.001"};
    const Picture solved = render(scene(cord, pins, settings(2000)), colours);
    const Picture not_solved = render(scene(cord, pins, settings(1)), colours);
    const int end = size / 2 + 43;
    const uint8_t* dark = solved.at(end, size / 2);
    const uint8_t* bright = not_solved.at(end, size / 2);
    EXPECT_GT(dark[2], dark[1] + 30);
    EXPECT_GT(bright[0], bright[2] + 60);
}

// The last colour of the scale is that of 10 N, the weight of a cord, which its first link carries.
TEST_F(Render, MultipliersOfAHangingCord) {
    const std::string cord = scene(
        R"({"name": "cord", "type": "rope", "points": [[0, 0.8, 0], [0, -0.8, 0]], "segments": 16, "density": 0.637,
            "contact": {"radius": 0.05}})",
        R"({"type": "pin", "at": {"object": "cord", "vertices": [0]}})");
    const Picture tight = render(cord, {"--frames", "3", "--colour", "multiplier", "--range", "10"});
    const Picture loose = render(cord, {"--frames", "3", "--colour", "multiplier", "--range", "1000"});
    const uint8_t *top = tight.at(size / 2, 28), *bottom = tight.at(size / 2, 210);
    EXPECT_GT(top[0], top[2] + 80);
    EXPECT_GT(top[1], top[2] + 80);
    EXPECT_GT(bottom[2], bottom[1] + 20);
    EXPECT_GT(loose.at(size / 2, 28)[2], loose.at(size / 2, 28)[1] + 20);
}

// Hard links that are solved have the first colour; one iteration leaves them longer than they are.
TEST_F(Render, ViolationsOfTooFewIterations) {
    const auto bright = [&](int iterations) {
        const std::string solver =
            R"("solver": {"method": "condensed_pcg", "preconditioner": "jacobi", "max_iterations": )";
        const Picture picture =
            render(scene(R"({"name": "cord", "type": "rope", "points": [[-0.6, 0.4, 0], [0.6, 0.4, 0]], "segments": 24,
                      "density": 1, "contact": {"radius": 0.05}})",
                         R"({"type": "pin", "at": {"object": "cord", "vertices": [0]}})",
                         solver + std::to_string(iterations) + "}, "),
                   {"--frames", "3", "--colour", "violation", "--range", "1e-4"});
        int count = 0;
        for (int i = 0; i < size * size; i++) {
            const uint8_t* p = picture.at(i % size, i / size);
            count += p[0] > p[2] + 60 && p[1] > p[2] + 60;
        }
        return count;
    };
    EXPECT_EQ(bright(2000), 0);
    EXPECT_GT(bright(1), 50);
}

// A cord between two fixed ends, stretched by a half in frame 1: red where the strain is that of the range.
TEST_F(Render, StrainOfAStretchedCord) {
    const std::string cord = scene(
        R"({"name": "cord", "type": "rope", "points": [[-0.4, 0, 0], [0.4, 0, 0]], "segments": 8, "density": 0.1,
            "stretch": {"compliance": 0.01}, "contact": {"radius": 0.05}})",
        R"({"type": "pin", "at": {"object": "cord", "vertices": [0]}},
           {"type": "pin", "at": {"object": "cord", "vertices": [8]},
            "motion": [{"time": 0, "translate": [0, 0, 0]}, {"time": 0.5, "translate": [0.4, 0, 0]}]})",
        R"("gravity": [0, 0, 0], )");
    const Picture picture = render(lasting(cord, 30), {"--frames", "30", "--colour", "strain", "--range", "0.5"});
    const uint8_t* middle = picture.at(size / 2 + 14, size / 2);
    EXPECT_GT(middle[0], middle[1] + 60);
    EXPECT_GT(middle[0], middle[2] + 60);
}

// Lamp and sky leave less light beneath a sheet than beside it.
TEST_F(Render, ShadowsFallOnTheFloor) {
    const std::string text = scene(R"({"name": "floor", "type": "collider", "plane": {}},
                 {"name": "roof", "type": "rigid", "box": {"sides": [1, 0.02, 1]}, "mass": 1, "fixed": true,
                  "translate": [0, 0.4, 0]})");
    const Picture picture =
        render(text, {"--frames", "0", "--samples", "16", "--camera", "0,25,6", "--target", "0,0.2,0"});
    int darkest = 255;
    for (int y = size / 2; y < size; y++) {
        darkest = std::min(darkest, (int)picture.at(size / 2, y)[1]);
    }
    EXPECT_LT(darkest, picture.at(2, size * 3 / 4)[1] - 40);
}

TEST_F(Render, OneMachineDrawsOnePicture) {
    const std::string text = scene(small_sheet);
    const Picture first = render(text, {"--samples", "4"}), second = render(text, {"--samples", "4"});
    EXPECT_EQ(first.pixels, second.pixels);
}

TEST_F(Render, TwoScenesBesideEachOther) {
    const std::string other = write("other.json", ball(R"(, "fixed": true)"));
    const Picture both = render(ball(R"(, "fixed": true)"), {"--compare", other});
    ASSERT_EQ(both.width, 2 * size + 4);
    // The names at the top are not the same; the backdrop has nothing dark.
    size_t unequal[2] = {0, 0}, dark[2] = {0, 0};
    for (int y = 0; y < size; y++) {
        unequal[y > 30] += !std::equal(both.at(0, y), both.at(0, y) + 3 * size, both.at(size + 4, y));
        for (int x = 0; y <= 30 && x < size; x++) {
            dark[0] += both.at(x, y)[0] < 100;
            dark[1] += both.at(size + 4 + x, y)[0] < 100;
        }
    }
    EXPECT_EQ(unequal[1], 0u);
    EXPECT_GT(unequal[0], 5u);
    EXPECT_GT(dark[0], 30u);
    EXPECT_GT(dark[1], 30u);
}

// A ball that flies 20 of its radii away leaves the picture that fits the first frame; the others have it at both ends.
TEST_F(Render, WhatSeveralPicturesHaveInThem) {
    const std::string text = lasting(ball(R"(, "velocity": [20, 0, 0])"), 30);
    const auto ends = [&](const std::string& framing) {
        std::vector<std::string> arguments = {"render",    write("scene.json", text),
                                              "--out",     path(framing + "-%02d.png"),
                                              "--size",    "240x240",
                                              "--frames",  "0:30",
                                              "--every",   "10",
                                              "--camera",  "0,0",
                                              "--samples", "1",
                                              "--floor",   "none"};
        if (framing != "default") {
            arguments.insert(arguments.end(), {"--framing", framing});
        }
        EXPECT_EQ(taut(arguments).code, 0);
        return std::pair(silhouette(read_picture(path(framing + "-00.png"))),
                         silhouette(read_picture(path(framing + "-30.png"))));
    };
    const auto [start, away] = ends("first");
    EXPECT_NEAR(start.x, size / 2.0, 1);
    EXPECT_EQ(away.area, 0);
    const auto [left, right] = ends("default");
    EXPECT_GT(left.area, 20);
    EXPECT_NEAR(left.area, right.area, 0.1 * left.area);
    EXPECT_GT(right.x - left.x, 0.75 * size);
    EXPECT_NEAR((left.x + right.x) / 2, size / 2.0, 3);
    const auto [near, far] = ends("follow");
    EXPECT_GT(near.area, 20 * left.area);
    EXPECT_NEAR(near.area, far.area, 0.05 * far.area);
}

TEST_F(Render, FramesBeyondTheSceneAreTold) {
    const std::string scene = write("scene.json", ball(""));
    for (const char* frames : {"0:3", "2:5"}) {
        const Result result = taut(
            {"render", scene, "--frames", frames, "--out", path("ball-%d.png"), "--size", "32x32", "--samples", "1"});
        EXPECT_EQ(result.code, 0);
        EXPECT_EQ(contains(result.err, "frame 5 of a scene of 3"), frames[0] == '2') << result.err;
        EXPECT_EQ(line_count(result.err), frames[0] == '2' ? 1u : 0u);
    }
}

TEST_F(Render, NumberedPictures) {
    const Result result = taut({"render", write("scene.json", ball("")), "--frames", "2:9", "--every", "3", "--out",
                                path("film/ball-%03d.png"), "--size", "32x32", "--samples", "1"});
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(list("film"), (std::vector<std::string>{"ball-002.png", "ball-005.png", "ball-008.png"}));
}

TEST_F(Render, VideoWhereFfmpegIs) {
    const std::string out = path("ball.mp4");
    const Result result =
        taut({"render", write("scene.json", ball("")), "--out", out, "--size", "63x31", "--samples", "1"});
    if (result.code != 0) {
        EXPECT_EQ(result.code, 2);
        EXPECT_TRUE(contains(result.err, "videos need ffmpeg")) << result.err;
    } else {
        EXPECT_EQ(read("ball.mp4").substr(4, 4), "ftyp");
        const Result told = run_program("/usr/bin/env", {"ffprobe", "-v", "error", "-count_frames", "-show_entries",
                                                         "stream=width,height,nb_read_frames", "-of", "csv=p=0", out});
        EXPECT_EQ(told.out, "64,32,4\n") << told.err; // sizes are even; frames 0 to 3
    }
    EXPECT_FALSE(exists("ball.mp4.part.mp4"));
}

TEST_F(Render, VideosWithoutFfmpeg) {
    const std::string before = getenv("PATH");
    setenv("PATH", "/nowhere", 1);
    refuse({"--out", path("ball.mp4")}, "videos need ffmpeg");
    setenv("PATH", before.c_str(), 1);
}

TEST_F(Render, RefusesInOneLine) {
    refuse({"--size", "10"}, "--size: '10' is not WxH");
    refuse({"--size", "100000x100"}, "--size");
    refuse({"--camera", "1"}, "--camera");
    refuse({"--camera", "0,90"}, "--camera");
    refuse({"--camera", "0,0,-1"}, "--camera");
    refuse({"--target", "1,2"}, "--target");
    refuse({"--colour", "mood"}, "--colour: 'mood' is not object, strain");
    refuse({"--framing", "wide"}, "--framing: 'wide' is not motion, first or follow");
    refuse({"--framing", "follow", "--target", "0,0,0"}, "leave one of them out");
    refuse({"--range", "0"}, "--range");
    refuse({"--floor", "low"}, "--floor");
    refuse({"--backdrop", "white"}, "--backdrop");
    refuse({"--samples", "0"}, "--samples");
    refuse({"--frames", "5:2"}, "--frames");
    refuse({"--every", "0"}, "--every");
    refuse({"--out", path("ball.gif")}, "--out");
    refuse({"--out", path("ball.png"), "--frames", "0:2"}, "is one picture");
    refuse({"--out", write("file", "") + "/ball.png"}, "file");
    refuse({"--compare", path("nowhere.json")}, "nowhere.json");
    refuse({"--walk"}, "--walk");
}

TEST_F(Render, RefusesAMissingScene) {
    const Result result = taut({"render", path("nowhere.json")});
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(line_count(result.err), 1u) << result.err;
    EXPECT_EQ(taut({"render"}).code, 2);
}

TEST_F(Render, UnwritableOutputLeavesNothing) {
    const Result result = taut({"render", write("scene.json", ball("")), "--out", "/proc/ball.png", "--size", "32x32",
                                "--samples", "1", "--frames", "0"});
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(line_count(result.err), 1u) << result.err;
}

TEST_F(Render, Help) {
    const Result result = taut({"render", "--help"});
    EXPECT_EQ(result.code, 0);
    EXPECT_TRUE(contains(result.out, "--compare"));
}

} // namespace
