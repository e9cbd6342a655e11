// A run that is stopped and resumed gives what one without interruption gives, byte for byte.
#include "folder.h"
#include "process.h"
#include "read_stats.h"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

using namespace app;

namespace {

// A sheet on a pin that moves and turns, with balls and a fist that moves beneath it; a rope; a driven hinge; a body
// with a torque; more contacts than there is room for at the start.
const char* const objects = R"(
    {"name": "sheet", "type": "cloth", "grid": {"size": [1, 1], "cells": [10, 10]}, "translate": [0, 0.2, 0],
     "density": 0.2, "contact": {"thickness": 0.01}, "air": {"drag": 0.5, "wind": [1, 0, 0]}},
    {"name": "fist", "type": "collider", "sphere": {"radius": 0.2}, "translate": [0.1, -0.1, 0],
     "motion": [{"time": 0.1, "translate": [0, 0.05, 0]}, {"time": 0.6, "translate": [0.1, 0.15, 0.1]}]},
    {"name": "balls", "type": "rigid", "sphere": {"radius": 0.05}, "mass": 0.1, "contact": {},
     "positions": [[0.2, 0.3, 0.1], [-0.2, 0.35, -0.1]]},
    {"name": "rope", "type": "rope", "points": [[2, 0, 0], [3, 0, 0]], "segments": 8, "density": 0.1,
     "stretch": {"compliance": 1e-6}},
    {"name": "wheel", "type": "rigid", "box": {"sides": [0.2, 0.2, 0.2]}, "mass": 1, "translate": [5, 0, 0]})";
const char* const constraints = R"(
    {"type": "pin", "at": {"object": "sheet", "vertices": [0, 10]},
     "motion": [{"time": 0.2}, {"time": 0.5, "translate": [0.1, 0.1, 0], "rotate_degrees": [0, 30, 0]}]},
    {"type": "pin", "at": {"object": "rope", "vertices": [0]}},
    {"type": "hinge", "a": "world", "b": ["wheel", 0], "position": [5, 0, 0], "axis": [0, 0, 1],
     "drive": {"target": 0, "motion": [{"time": 1, "target": 90}], "compliance": 0.01, "damping": 0.01}})";

std::string moving_scene(const std::string& extra = "") {
    return scene(objects, constraints, R"("contact": {"capacity": 12}, )" + extra);
}

// Without the times, which no two runs share.
std::vector<std::string> without_times(const std::string& stats) {
    std::vector<std::string> all;
    for (const std::string& line : lines(stats)) {
        const size_t begin = line.find("\"step_ms\"");
        all.push_back(line.substr(0, begin) + line.substr(line.find(',', begin)));
    }
    return all;
}

class Checkpoint : public Folder {
  protected:
    std::string traced = "sheet:60,balls:0,rope:8,wheel:0";
    Result run(const std::string& folder, const std::vector<std::string>& more,
               const std::function<void(int)>& meanwhile = {}) {
        std::filesystem::create_directories(path(folder));
        std::vector<std::string> arguments = {"run",       path("scene.json"),
                                              "--backend", "cpu",
                                              "--out",     path(folder),
                                              "--stats",   path(folder + "/s.jsonl"),
                                              "--trace",   traced + "=" + path(folder + "/t.csv")};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return taut(arguments, meanwhile);
    }
    void run_well(const std::string& folder, const std::vector<std::string>& more) {
        const Result result = run(folder, more);
        ASSERT_EQ(result.code, 0) << result.err;
    }
    void expect_equal_outputs(const std::string& whole, const std::string& parts) {
        EXPECT_TRUE(read(whole + "/t.csv") == read(parts + "/t.csv"));
        EXPECT_EQ(without_times(read(whole + "/s.jsonl")), without_times(read(parts + "/s.jsonl")));
    }
    void wait_for(const std::string& name) {
        for (int tries = 0; tries < 6000 && !exists(name); tries++) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        EXPECT_TRUE(exists(name));
    }
    void expect_refused(const std::vector<std::string>& more, const std::string& part) {
        const Result result = run("refused", more);
        EXPECT_EQ(result.code, 2) << result.out;
        EXPECT_EQ(line_count(result.err), 1u) << result.err;
        EXPECT_TRUE(contains(result.err, part)) << result.err;
        EXPECT_FALSE(exists("refused/s.jsonl"));
    }
};

TEST_F(Checkpoint, AResumedRunEqualsOneWithoutInterruption) {
    write("scene.json", moving_scene());
    run_well("whole", {"--frames", "40", "--export", "obj", "--threads", "2"});
    EXPECT_GT(read_stats(read("whole/s.jsonl"))[20].at("contacts"), 12) << "the room for contacts must grow";
    run_well("parts", {"--frames", "23", "--export", "obj", "--checkpoint", "10", "--threads", "1"});
    run_well("parts", {"--frames", "31", "--export", "obj", "--checkpoint", "100", "--resume",
                       path("parts/checkpoint.taut"), "--threads", "2"});
    run_well("parts", {"--frames", "40", "--export", "obj", "--resume", path("parts/checkpoint.taut")});
    expect_equal_outputs("whole", "parts");
    for (const std::string& name : list("whole")) {
        EXPECT_TRUE(!contains(name, ".obj") || read("whole/" + name) == read("parts/" + name)) << name;
    }
}

TEST_F(Checkpoint, ResumesInEveryFrame) {
    write("scene.json", moving_scene());
    run_well("whole", {"--frames", "12"});
    for (int frame = 1; frame <= 12; frame++) {
        const std::string file = path("parts/" + std::to_string(frame) + ".taut");
        run_well("parts", {"--frames", std::to_string(frame), "--checkpoint", "5", "--checkpoint-file", file});
        run_well("parts", {"--frames", "12", "--resume", file});
        expect_equal_outputs("whole", "parts");
    }
}

// Where parts of a step linearise less often than its scheme, what their residuals are relative to is their own, too.
TEST_F(Checkpoint, ResumesAmongShorterParts) {
    traced = "boxes:2,rope:8,sheet:24";
    write("scene.json", scene(R"(
        {"name": "boxes", "type": "rigid", "box": {"sides": [0.2, 0.1, 0.1]}, "mass": 1,
         "positions": [[0, 1, 0], [0.5, 1, 0], [1, 1, 0]]},
        {"name": "rope", "type": "rope", "points": [[1.6, 1, 0], [2.2, 1, 0]], "segments": 8, "density": 0.05, "stretch": {}},
        {"name": "sheet", "type": "cloth", "grid": {"size": [0.5, 0.5], "cells": [4, 4]}, "translate": [0, 2, 0],
         "density": 0.2, "fabric": "cotton"})",
                              R"(
        {"type": "pin", "at": {"object": "boxes", "vertices": [0]},
         "motion": [{"time": 0.6, "translate": [0.1, 0.1, 0], "rotate_degrees": [0, 40, 0]}]},
        {"type": "universal", "a": ["boxes", 0], "b": ["boxes", 1], "position": [0.25, 1, 0],
         "translation": {"compliance": 1e-4}},
        {"type": "slider", "a": ["boxes", 1], "b": ["boxes", 2], "position": [0.75, 1, 0],
         "translation": {"compliance": 1e-4}, "drive": {"motion": [{"time": 0.3, "target": 0.1}]}},
        {"type": "distance", "a": ["on-rope", 0], "b": ["on-last", 0], "compliance": 1e-3, "damping": 0.01},
        {"type": "attach", "a": ["rope", 0], "b": ["on-last", 1], "compliance": 1e-5})",
                              R"("substeps": 2, "mappings": [
        {"name": "on-first", "type": "points", "body": ["boxes", 0], "axes": "body", "positions": [[-0.25, 0, 0], [0.25, 0, 0]], "masses": 5},
        {"name": "on-last", "type": "points", "body": ["boxes", 2], "axes": "body",
         "positions": [[-0.25, 0, 0], [0.25, 0, 0]], "masses": 0.1},
        {"name": "on-rope", "type": "barycentric", "object": "rope", "positions": [[1.9, 1.02, 0.02]], "masses": 0.1}], )"));
    run_well("whole", {"--frames", "12"});
    run_well("parts", {"--frames", "11", "--checkpoint", "11"});
    run_well("parts", {"--frames", "12", "--resume", path("parts/checkpoint.taut")});
    expect_equal_outputs("whole", "parts");
}

TEST_F(Checkpoint, AKilledRunLosesWhatFollowsItsLastCheckpointOnly) {
    write("scene.json", moving_scene());
    run_well("whole", {"--frames", "30"});
    const Result killed = run("parts", {"--frames", "90000", "--checkpoint", "4"}, [&](int child) {
        wait_for("parts/checkpoint.taut");
        kill(child, SIGKILL);
    });
    EXPECT_EQ(killed.code, 128 + SIGKILL);
    EXPECT_FALSE(exists("parts/s.jsonl"));
    run_well("parts", {"--frames", "30", "--resume", path("parts/checkpoint.taut")});
    expect_equal_outputs("whole", "parts");
    EXPECT_FALSE(exists("parts/s.jsonl.part"));
}

class CheckpointSignals : public Checkpoint, public testing::WithParamInterface<int> {};

TEST_P(CheckpointSignals, AnEndedRunLosesNothing) {
    write("scene.json", moving_scene());
    run_well("whole", {"--frames", "60"});
    const Result ended = run("parts", {"--frames", "9999", "--checkpoint", "9000", "--export", "obj"}, [&](int child) {
        wait_for("parts/sheet.0003.obj");
        kill(child, GetParam());
    });
    EXPECT_EQ(ended.code, 128 + GetParam()) << ended.err;
    const size_t done = read_stats(read("parts/s.jsonl")).size();
    const Result result = run("parts", {"--frames", "60", "--json", "--resume", path("parts/checkpoint.taut")});
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(read_record(result.out).at("resumed_after"), static_cast<double>(done));
    EXPECT_EQ(read_record(result.out).at("frames"), static_cast<double>(60 - done));
    expect_equal_outputs("whole", "parts");
}

INSTANTIATE_TEST_SUITE_P(Signals, CheckpointSignals, testing::Values(SIGINT, SIGTERM));

// Where nothing of before is there, files begin with the frame after the checkpoint, whose number they keep.
TEST_F(Checkpoint, OutputsElsewhereBeginWhereTheRunDoes) {
    write("scene.json", moving_scene());
    run_well("whole", {"--frames", "8", "--export", "usda,pc2"});
    run_well("a", {"--frames", "5", "--checkpoint", "5", "--export", "usda,pc2"});
    run_well("b", {"--frames", "8", "--resume", path("a/checkpoint.taut"), "--export", "usda,pc2"});
    EXPECT_EQ(read_stats(read("b/s.jsonl")).front().at("frame"), 6);
    const std::vector<std::string> whole = lines(read("whole/t.csv")), rest = lines(read("b/t.csv"));
    ASSERT_EQ(rest.size(), 4u);
    EXPECT_EQ(rest[0], whole[0]);
    EXPECT_EQ(rest[1], whole[7]);
    const std::string usda = read("b/scene.0006.usda");
    EXPECT_TRUE(contains(usda, "startTimeCode = 6")) << usda.substr(0, 300);
    EXPECT_TRUE(contains(usda, "endTimeCode = 8"));
    const std::string cache = read("whole/sheet.pc2"), first = read("a/sheet.pc2"), second = read("b/sheet.0006.pc2");
    EXPECT_EQ(cache.substr(32), first.substr(32) + second.substr(32));
}

// Lines that do not lead up to the checkpoint are of another run.
TEST_F(Checkpoint, LinesOfOtherRunsAreNotKept) {
    write("scene.json", moving_scene());
    run_well("parts", {"--frames", "5", "--checkpoint", "5"});
    for (const char* other :
         {"", "{\"frame\":1,\n{\"frame\":2,\n", "{\"frame\":3,\n{\"frame\":5,\n", "text\n", "{\"frame\":5,"}) {
        write("parts/s.jsonl", other);
        write("parts/t.csv", "time,other\n0.0833333333333,1\n");
        run_well("parts", {"--frames", "6", "--resume", path("parts/checkpoint.taut")});
        EXPECT_EQ(read_stats(read("parts/s.jsonl")).size(), 1u) << other;
        EXPECT_EQ(lines(read("parts/t.csv")).size(), 2u);
    }
}

TEST_F(Checkpoint, OtherScenesAreRefused) {
    write("m.obj", "v 0 0 0\nv 1 0 0\nv 0 0 1\nv 1 0 1\nf 1 2 3\nf 2 4 3\n");
    const std::string cloth = R"({"name": "sheet", "type": "cloth", "mesh": "m.obj", "density": 1},)";
    const std::string rest =
        R"({"name": "balls", "type": "rigid", "sphere": {"radius": 1}, "mass": 1, "translate": [9, 0, 0]})";
    write("scene.json", scene(cloth + rest));
    const std::string trace = "sheet:0,balls:0=" + path("t.csv");
    const auto go = [&](const std::vector<std::string>& more) {
        std::vector<std::string> arguments = {"run", path("scene.json"), "--backend", "cpu", "--out", path("o")};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return taut(arguments);
    };
    EXPECT_EQ(go({"--checkpoint", "3"}).code, 0);
    const std::vector<std::string> resume = {"--resume", path("o/checkpoint.taut"), "--frames", "5"};
    EXPECT_EQ(go(resume).code, 0);
    write("scene.json", "{ \"frames\" : 77,\n" + scene(cloth + rest)
                                                     .substr(1 + std::string("\"taut\": 1, \"frames\": 3,").size())
                                                     .insert(0, "\"taut\": 1,"));
    EXPECT_EQ(go({"--resume", path("o/checkpoint.taut"), "--frames", "5"}).code, 0) << "frames and spaces may differ";
    const auto refused = [&](const std::string& why) {
        const Result result = go(resume);
        EXPECT_EQ(result.code, 2) << why;
        EXPECT_TRUE(contains(result.err, "is a checkpoint of another scene than")) << why << result.err;
        EXPECT_EQ(line_count(result.err), 1u);
    };
    write("scene.json", scene(cloth + rest, "", "\"fps\": 50, "));
    refused("rate");
    write("scene.json", scene(cloth + rest, R"({"type": "pin", "at": {"object": "sheet", "vertices": [0]}})"));
    refused("a pin");
    write("scene.json", scene(cloth + rest));
    write("m.obj", "v 0 0 0\nv 1 0 0\nv 0 0 1\nv 1 0 1.25\nf 1 2 3\nf 2 4 3\n");
    refused("a mesh with other vertices");
    write("m.obj", "v 0 0 0\nv 1 0 0\nv 0 0 1\nv 1 0 1\nf 1 2 3\nf 4 3 2\n");
    refused("a mesh with other faces");
}

TEST_F(Checkpoint, DamagedFilesAreRefused) {
    write("scene.json", moving_scene());
    run_well("parts", {"--frames", "5", "--checkpoint", "5"});
    const std::string good = read("parts/checkpoint.taut");
    const std::vector<std::string> resume = {"--frames", "9", "--resume", path("bad.taut")};
    for (size_t at : {size_t(0), size_t(9), size_t(20), size_t(30), size_t(40), size_t(47), size_t(60), size_t(100),
                      good.size() / 2, good.size() - 1}) {
        std::string bad = good;
        bad[at] = static_cast<char>(bad[at] ^ 4);
        write("bad.taut", bad);
        expect_refused(resume, "bad.taut: ");
    }
    for (size_t size : {size_t(1), size_t(7), size_t(8), size_t(47), size_t(48), size_t(200), good.size() - 1}) {
        write("bad.taut", good.substr(0, size));
        expect_refused(resume, "bad.taut: ");
    }
    write("bad.taut", good + "x");
    expect_refused(resume, "is damaged");
    write("bad.taut", "");
    expect_refused(resume, "is empty");
    write("bad.taut", read("scene.json"));
    expect_refused(resume, "is no checkpoint of taut");
    expect_refused({"--resume", path("missing")}, "cannot be read: No such file");
    expect_refused({"--resume", path("parts")}, "is a directory");
    expect_refused({"--frames", "4", "--resume", path("parts/checkpoint.taut")},
                   "frame 5 is past the end of the run, which has 4 frames");
    const Result ended = run("parts", {"--frames", "5", "--resume", path("parts/checkpoint.taut")});
    EXPECT_EQ(ended.code, 0) << ended.err;
}

TEST_F(Checkpoint, IsClaimedAsOtherOutputsAre) {
    write("scene.json", moving_scene());
    const std::string text = read("scene.json");
    expect_refused({"--checkpoint-file", path("x")}, "--checkpoint-file: goes with --checkpoint");
    expect_refused({"--checkpoint", "0"}, "--checkpoint: '0' is not a whole number");
    expect_refused({"--checkpoint", "1", "--checkpoint-file", path("scene.json")}, "this run reads it");
    expect_refused({"--checkpoint", "1", "--checkpoint-file", path("refused/s.jsonl")}, "is written twice");
    expect_refused({"--checkpoint", "1", "--checkpoint-file", path("")}, "is a directory");
    expect_refused({"--checkpoint", "1", "--checkpoint-file", "/dev/null"}, "only an ordinary file is replaced");
    EXPECT_EQ(read("scene.json"), text);
    const Result late =
        run("late", {"--checkpoint", "1", "--checkpoint-file", path("late/sheet.0002.obj"), "--export", "obj"});
    EXPECT_EQ(late.code, 2);
    EXPECT_TRUE(contains(late.err, "sheet.0002.obj: is written twice")) << late.err;
    run_well("parts", {"--frames", "3", "--checkpoint", "2"});
    expect_refused({"--frames", "5", "--resume", path("parts/checkpoint.taut"), "--trace",
                    "rope:0=" + path("parts/checkpoint.taut")},
                   "this run reads it");
    run_well("parts", {"--frames", "5", "--checkpoint", "1", "--resume", path("parts/checkpoint.taut")});
    EXPECT_FALSE(exists("parts/checkpoint.taut.part"));
}

// A checkpoint that the disk does not take leaves the one before.
TEST_F(Checkpoint, AFullDiskKeepsTheLastOne) {
    write("scene.json", scene(two_particles));
    const auto go = [&](const std::string& limit, const std::string& frames) {
        return run_program("/bin/sh",
                           {"-c", limit + "; exec \"$0\" \"$@\"", TAUT_PROGRAM, "run", path("scene.json"), "--backend",
                            "cpu", "--frames", frames, "--checkpoint", "3", "--out", path("o")});
    };
    EXPECT_EQ(go("true", "3").code, 0);
    const std::string before = read("o/checkpoint.taut");
    const Result full = go("ulimit -f 1", "30");
    EXPECT_EQ(full.code, 2);
    EXPECT_TRUE(contains(full.err, "checkpoint.taut: cannot be written: File too large")) << full.err;
    EXPECT_EQ(read("o/checkpoint.taut"), before);
    EXPECT_FALSE(exists("o/checkpoint.taut.part"));
}

} // namespace
