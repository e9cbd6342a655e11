// Surfaces that a world on CUDA shares with OpenGL: the same pictures as by the host. What stands for the calls of CUDA
// about graphics is preloaded (graphics_on_cpu.cc), so that this runs with OpenGL in software, too.
#include "folder.h"
#include "picture.h"
#include "process.h"
#include "screen.h"

#include <cstdlib>
#include <taut/taut.h>

using namespace app;
using namespace view;

namespace {

// A curved sheet that swings from two corners, a soft block with edges, a rope, and a box that turns: what is shared
// beside what is not.
std::string mixed(const std::string& sheet) {
    return scene(R"({"name": "sheet", "type": "cloth", "mesh": ")" + sheet + R"(", "density": 0.2,
                     "rotate_degrees": [30, 0, 0], "stretch": {"compliance": 1e-4}, "shear": {"compliance": 1e-3}},
                    {"name": "block", "type": "soft", "grid": {"size": [0.3, 0.3, 0.3], "cells": [1, 1, 1]},
                     "density": 100, "young": 1e4, "translate": [-0.5, 0.6, 0]},
                    {"name": "rope", "type": "rope", "points": [[-0.4, -0.1, 0.3], [-0.6, -0.4, 0.3]], "segments": 4,
                     "density": 0.1, "stretch": {"compliance": 1e-6}},
                    {"name": "box", "type": "rigid", "box": {"sides": [0.2, 0.2, 0.2]}, "mass": 1,
                     "translate": [0.6, 0.4, 0], "angular_velocity": [0, 6, 2]})",
                 R"({"type": "pin", "at": {"object": "sheet", "vertices": [0, 4]}},
                    {"type": "pin", "at": {"object": "rope", "vertices": [0]}})",
                 R"("solver": {"tolerance": 1e-6}, "substeps": 1, )");
}

class SharedSurfaces : public Folder {
  protected:
    void SetUp() override {
        if (taut_backend_available(TAUT_BACKEND_CUDA) != TAUT_OK) {
            GTEST_SKIP() << taut_last_error();
        }
        preload(TAUT_GRAPHICS_ON_CPU);
        setenv("TAUT_TEST_GRAPHICS_COUNT", path("count").c_str(), 1);
    }
    void TearDown() override {
        preload("");
        unsetenv("TAUT_TEST_GRAPHICS_COUNT");
        unsetenv("TAUT_TEST_GRAPHICS");
    }

    void preload(const std::string& library) const {
        const std::string both = library + (library.empty() || preloaded_.empty() ? "" : ":") + preloaded_;
        setenv("LD_PRELOAD", both.c_str(), 1);
    }
    Picture render(const std::string& backend, const std::string& mode = "",
                   const std::vector<std::string>& more = {}) {
        std::vector<std::string> arguments = {"render",   write_mixed(), "--out",     path("picture.png"),
                                              "--size",   "240x240",     "--camera",  "20,10,4",
                                              "--target", "0,0,0",       "--samples", "1",
                                              "--floor",  "none",        "--backend", backend};
        arguments.insert(arguments.end(), more.begin(), more.end());
        setenv("TAUT_TEST_GRAPHICS", mode.c_str(), 1);
        const Result result = taut(arguments);
        EXPECT_EQ(result.code, 0) << result.err;
        EXPECT_EQ(result.err, "");
        return read_picture(path("picture.png"));
    }
    std::string write_mixed() const { return write("scene.json", mixed(write("sheet.obj", square_obj(4, 0.8, 0, 1)))); }
    // How often buffers have gone to OpenGL since the last call.
    int unmapped() {
        const int count = exists("count") ? std::stoi(read("count")) : 0;
        remove(path("count").c_str());
        return count;
    }

  private:
    const std::string preloaded_ = getenv("LD_PRELOAD") ? getenv("LD_PRELOAD") : ""; // by others
};

TEST_F(SharedSurfaces, LookAsOnTheCpu) {
    const Picture cpu = render("cpu");
    EXPECT_EQ(unmapped(), 0);
    EXPECT_GT(silhouette(cpu).area, 4000);
    EXPECT_EQ(differences(cpu, render("cuda"), 2), 0u);
    EXPECT_EQ(unmapped(), 1);
    // Nothing else draws them.
    EXPECT_GT(differences(cpu, render("cuda", "forget"), 2), 3000u);
}

TEST_F(SharedSurfaces, GoByTheHostWhereBuffersAreRefused) {
    const Picture cpu = render("cpu");
    EXPECT_EQ(differences(cpu, render("cuda", "refuse"), 2), 0u);
    EXPECT_EQ(unmapped(), 0);
}

// What CUDA itself says where OpenGL draws in software; or an emulator, which has no such calls.
TEST_F(SharedSurfaces, GoByTheHostWithoutWhatIsPreloaded) {
    const Picture cpu = render("cpu");
    preload("");
    EXPECT_EQ(differences(cpu, render("cuda"), 2), 0u);
}

TEST_F(SharedSurfaces, GoByTheHostWhereColoursShowValues) {
    const std::vector<std::string> colours = {"--colour", "speed", "--range", "1"};
    EXPECT_EQ(differences(render("cpu", "", colours), render("cuda", "", colours), 2), 0u);
    EXPECT_EQ(unmapped(), 0);
}

// The camera is placed by all of the motion, of which the host has nothing but what it asks for. The second time the
// second picture fails to come by the device.
TEST_F(SharedSurfaces, AreInSightOfTheCamera) {
    const auto film = [&](const std::string& backend, const std::string& mode) {
        setenv("TAUT_TEST_GRAPHICS", mode.c_str(), 1);
        const Result result = taut({"render", write_mixed(), "--out", path(backend + "-%d.png"), "--size", "120x120",
                                    "--frames", "1:2", "--samples", "1", "--backend", backend});
        EXPECT_EQ(result.code, 0) << result.err;
        return std::pair(read_picture(path(backend + "-1.png")), read_picture(path(backend + "-2.png")));
    };
    const auto cpu = film("cpu", "");
    for (const std::string mode : {"", "once"}) {
        const auto cuda = film("cuda", mode);
        EXPECT_EQ(differences(cpu.first, cuda.first, 2), 0u);
        EXPECT_EQ(differences(cpu.second, cuda.second, 2), 0u);
        EXPECT_EQ(unmapped(), mode.empty() ? 2 : 1);
    }
}

// The point under the mouse is found, and comes with it while the world steps on its thread; colours in between.
TEST_F(SharedSurfaces, AreDragged) {
    const Screen screen;
    if (!screen.there()) {
        GTEST_SKIP() << "Xvfb is not installed";
    }
    const std::string hanging = scene(
        R"({"name": "sheet", "type": "cloth", "grid": {"size": [1, 1], "cells": [4, 4]},
                  "rotate_degrees": [90, 0, 0], "density": 0.2, "stretch": {"compliance": 1e-4},
                  "shear": {"compliance": 1e-3}})",
        R"({"type": "pin", "at": {"object": "sheet", "box": [[-1, 0.49, -1], [1, 1, 1]]}})", R"("substeps": 1, )");
    const std::string script = "0 key h\n2 picture " + path("before.png") +
                               "\n3 move 120 140\n4 press left\n5 move 166 120\n6 key 3\n8 key 1\n14 picture " +
                               path("pulled.png") + "\n15 quit\n";
    const Result result =
        taut({"view", write("scene.json", hanging), "--script", write("script", script), "--size", "240x240",
              "--camera", "0,0,6", "--target", "0,0,0", "--floor", "none", "--backend", "cuda"});
    ASSERT_EQ(result.code, 0) << result.err;
    const Silhouette before = silhouette(read_picture(path("before.png"))),
                     pulled = silhouette(read_picture(path("pulled.png")));
    EXPECT_NEAR(before.x, size / 2.0, 1);
    EXPECT_GT(pulled.x, before.x + 4);
    EXPECT_GE(unmapped(), 12);
}

} // namespace
