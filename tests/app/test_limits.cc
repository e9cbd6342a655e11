// Limits for scenes of strangers: memory, time, paths; and scenes that are small as files and large as simulations.
#include "folder.h"
#include "process.h"
#include "read_stats.h"

#include <chrono>
#include <filesystem>

using namespace app;

namespace {

const char* const square = "v 0 0 0\nv 1 0 0\nv 0 0 1\nv 1 0 1\nf 1 2 3\nf 2 4 3\n";

std::string cloth(const std::string& size, const std::string& cells, const std::string& more = "") {
    return R"({"name": "c", "type": "cloth", "grid": {"size": )" + size + R"(, "cells": )" + cells +
           R"(}, "density": 0.2)" + more + "}";
}

class Limits : public Folder {
  protected:
    // In one sentence with the given part, and soon.
    void expect_refused(const std::vector<std::string>& arguments, const std::string& part) {
        const auto start = std::chrono::steady_clock::now();
        const Result result = taut(arguments);
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        EXPECT_EQ(result.code, 2) << result.out;
        EXPECT_EQ(line_count(result.err), 1u) << result.err;
        EXPECT_TRUE(contains(result.err, part)) << result.err;
        EXPECT_LT(took.count(), 5);
    }
};

TEST_F(Limits, AHugeGridIsRefusedBeforeItIsBuilt) {
    const std::string file = write("scene.json", scene(cloth("[1, 1]", "[9990, 9990]")));
    for (const char* command : {"run", "check", "assemble"}) {
        expect_refused({command, file}, "GiB of memory, more than the ");
    }
}

TEST_F(Limits, MemoryThatIsAllowed) {
    const std::string file = write("scene.json", scene(cloth("[1, 1]", "[300, 300]")));
    expect_refused({"run", file, "--max-memory", "100"}, "GiB that --max-memory allows");
    EXPECT_EQ(taut({"check", file, "--max-memory", "2000"}).code, 0);
}

// Where the estimate is below the limit, and the world is not.
TEST_F(Limits, MemoryThatIsNotThereIsRefusedLikewise) {
#ifdef TAUT_SANITIZED
    GTEST_SKIP() << "the memory of sanitizers is beyond every limit";
#endif
    const std::string file = write("scene.json", scene(cloth("[1, 1]", "[60, 60]")));
    expect_refused({"run", file, "--max-memory", "20"}, "bytes were refused. --max-memory allows no more: raise it");
    expect_refused({"assemble", file, "--out", path("out"), "--max-memory", "20"},
                   "--max-memory allows no more: raise it");
}

// 20,000 boxes apart from each other take 420 MiB, boxes in stacks 620, and reserve 1.4 GiB.
TEST_F(Limits, BodiesThatMayTouchTakeMoreThanOthers) {
    std::string places;
    for (int i = 0; i < 20000; i++) {
        places +=
            (i ? ", [" : "[") + std::to_string(0.3 * (i % 150)) + ", 0.1, " + std::to_string(0.3 * (i / 150)) + "]";
    }
    const std::string boxes = R"({"name": "b", "type": "rigid", "box": {"sides": [0.2, 0.2, 0.2]}, "mass": 1,
                               "positions": [)" +
                              places + "]";
    const std::string touching = write("touching.json", scene(boxes + R"(, "contact": {}})"));
    expect_refused({"run", touching, "--max-memory", "600"},
                   "the scene would take about 0.494 GiB of memory and reserve 0.782 GiB for contacts, more than the "
                   "0.586 GiB that --max-memory allows: allow more, or make the scene smaller or coarser");
    EXPECT_EQ(taut({"check", touching, "--max-memory", "1500"}).code, 0);
    EXPECT_EQ(taut({"check", write("apart.json", scene(boxes + "}")), "--max-memory", "100"}).code, 0);
}

// 14,641 vertices nearer to 28,800 triangles than the thickness.
TEST_F(Limits, AClothMuchThickerThanLongIsRefused) {
    const std::string thick = cloth("[0.01, 0.01]", "[120, 120]", R"(, "contact": {"thickness": 0.05})");
    const std::string thin = cloth("[0.01, 0.01]", "[120, 120]", R"(, "contact": {"thickness": 0.0001})");
    expect_refused({"run", write("thick.json", scene(thick)), "--frames", "1"},
                   "about 421.9 million pairs of vertices and faces are nearer than the thickness");
    EXPECT_EQ(taut({"check", write("thin.json", scene(thin))}).code, 0);
}

// 40 sheets of 121 vertices in one place: each vertex is near most faces of 39 others, and thousands are contacts.
TEST_F(Limits, ManyThickSheetsInOnePlaceAreRefused) {
    const auto sheets = [](int count, const std::string& thickness) {
        std::string all;
        for (int i = 0; i < count; i++) {
            all += (i > 0 ? R"(, {"name": "c)" : R"({"name": "c)") + std::to_string(i) +
                   R"(", "type": "cloth", "grid": {"size": [1, 1], "cells": [10, 10]}, "density": 1, "contact": )" +
                   R"({"thickness": )" + thickness + "}}";
        }
        return all;
    };
    expect_refused({"run", write("thick.json", scene(sheets(40, "0.5"))), "--frames", "1"},
                   "the 5 million that can be searched in each step where vertices have over 1000");
    EXPECT_EQ(taut({"check", write("thin.json", scene(sheets(40, "0.01")))}).code, 0);
    EXPECT_EQ(taut({"check", write("few.json", scene(sheets(4, "0.5")))}).code, 0);
}

// Each of 2601 vertices touches each of 50 balls.
TEST_F(Limits, ContactsThatTakeTooMuchMemoryAreRefused) {
    std::string objects = cloth("[0.001, 0.001]", "[50, 50]", R"(, "contact": {"thickness": 0.0})");
    for (int i = 0; i < 50; i++) {
        objects += R"(, {"name": "s)" + std::to_string(i) + R"(", "type": "collider", "sphere": {"radius": 1}})";
    }
    expect_refused({"run", write("scene.json", scene(objects)), "--max-memory", "100", "--frames", "1"},
                   "the scene with ");
}

TEST_F(Limits, TimeEndsARunWithCompleteFiles) {
    const std::string file = write("scene.json", scene(small_sheet));
    const Result result = taut({"run", file, "--backend", "cpu", "--frames", "90000000", "--max-seconds", "1",
                                "--stats", path("s"), "--export", "pc2", "--out", path("out")});
    EXPECT_EQ(result.code, 1);
    EXPECT_TRUE(contains(result.err, "ended by --max-seconds after ")) << result.err;
    EXPECT_GE(read_stats(read("s")).size(), 1u);
    EXPECT_EQ(list("out"), std::vector<std::string>{"sheet.pc2"});
}

// A frame of more substeps than a minute has time for.
TEST_F(Limits, TimeEndsARunWithinAFrame) {
    const std::string file = write("scene.json", scene(cloth("[1, 1]", "[40, 40]"), "", R"("substeps": 10000, )"));
    const auto start = std::chrono::steady_clock::now();
    const Result result = taut({"run", file, "--backend", "cpu", "--frames", "3", "--max-seconds", "2", "--checkpoint",
                                "1", "--stats", path("s"), "--export", "pc2", "--out", path("out")});
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    EXPECT_EQ(result.code, 1);
    EXPECT_TRUE(contains(result.err, "ended by --max-seconds after 0 of 3 frames")) << result.err;
    EXPECT_TRUE(contains(result.out, "interrupted: 0 frames")) << result.out;
    EXPECT_LT(took.count(), 4);
    EXPECT_EQ(read("s"), "");
    EXPECT_EQ(list("out"), std::vector<std::string>{"c.pc2"});
}

// The checkpoint is that of the last whole frame.
TEST_F(Limits, ARunThatEndsWithinAFrameGoesOn) {
    const std::string file =
        write("scene.json", scene(cloth("[1, 1]", "[20, 20]"), "", R"("fps": 24, "substeps": 300, )"));
    std::vector<std::string> run = {"run",      file,       "--backend", "cpu",     "--threads",    "1",
                                    "--frames", "900000",   "--stats",   path("s"), "--checkpoint", "900000",
                                    "--out",    path("out")};
    std::vector<std::string> ends = run;
    ends.insert(ends.end(), {"--max-seconds", "3"});
    const Result result = taut(ends);
    EXPECT_EQ(result.code, 1);
    EXPECT_TRUE(contains(result.err, "ended by --max-seconds")) << result.err;
    const std::vector<Record> stats = read_stats(read("s"));
    if (stats.empty()) {
        GTEST_SKIP() << "no frame within the time";
    }
    run[7] = std::to_string(stats.size() + 1);
    run.insert(run.end(), {"--resume", path("out/checkpoint.taut")});
    const Result goes_on = taut(run);
    EXPECT_EQ(goes_on.code, 0) << goes_on.err;
    const std::vector<Record> all = read_stats(read("s"));
    ASSERT_EQ(all.size(), stats.size() + 1);
    EXPECT_DOUBLE_EQ(all.back().at("time"), static_cast<double>(all.size()) / 24);
}

TEST_F(Limits, MeshesAreConfinedWhereThatIsAsked) {
    std::filesystem::create_directories(path("in"));
    write("out.obj", square);
    write("in/own.obj", square);
    std::filesystem::create_symlink(path("out.obj"), path("in/link.obj"));
    const auto use = [&](const std::string& mesh) {
        return write("in/scene.json",
                     scene(R"({"name": "c", "type": "cloth", "density": 1, "mesh": ")" + mesh + "\"}"));
    };
    for (const std::string& mesh : {std::string("../out.obj"), path("out.obj"), std::string("link.obj")}) {
        const std::string file = use(mesh);
        EXPECT_EQ(taut({"check", file}).code, 0) << mesh;
        EXPECT_EQ(taut({"check", file, "--max-seconds", "60", "--allow-outside"}).code, 0) << mesh;
        for (const std::vector<std::string>& options :
             {std::vector<std::string>{"--confined"}, {"--max-seconds", "60"}, {"--max-memory", "1000"}}) {
            std::vector<std::string> arguments = {"run", file};
            arguments.insert(arguments.end(), options.begin(), options.end());
            expect_refused(arguments, "objects[0].mesh: there is no file");
        }
    }
    EXPECT_EQ(taut({"check", use("own.obj"), "--confined"}).code, 0);
    EXPECT_EQ(taut({"check", use("../in/own.obj"), "--confined"}).code, 0);
}

} // namespace
