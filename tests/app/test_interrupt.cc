// Ctrl-C: the run stops after a frame and completes its files.
#include "folder.h"
#include "process.h"
#include "read_stats.h"

#include <chrono>
#include <csignal>
#include <thread>

using namespace app;

namespace {

class Signals : public Folder {
  protected:
    // The run is under way once its second exported frame is there.
    void wait_for(const std::string& name) {
        for (int tries = 0; tries < 3000 && !exists(name); tries++) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        EXPECT_TRUE(exists(name));
    }
};

class Interrupt : public Signals, public testing::WithParamInterface<int> {};

TEST_P(Interrupt, LeavesCompleteFiles) {
    const int signal = GetParam();
    const Result result =
        taut({"run", write("scene.json", scene(small_sheet)), "--backend", "cpu", "--frames", "9000000", "--stats",
              path("s.jsonl"), "--trace", "sheet:0=" + path("t.csv"), "--export", "obj,usda,pc2", "--out", path("out")},
             [&](int child) {
                 wait_for("out/sheet.0000001.obj");
                 kill(child, signal);
             });
    EXPECT_EQ(result.code, 128 + signal) << result.err;
    EXPECT_EQ(result.err, "");
    EXPECT_TRUE(contains(result.out, "interrupted: ")) << result.out;
    const std::vector<Record> stats = read_stats(read("s.jsonl"));
    ASSERT_GE(stats.size(), 1u);
    EXPECT_EQ(stats.back().at("frame"), static_cast<double>(stats.size()));
    EXPECT_EQ(read_table(read("t.csv")).rows.size(), stats.size() + 1);
    EXPECT_TRUE(exists("out/scene.usda"));
    EXPECT_TRUE(exists("out/sheet.pc2"));
    for (const char* folder : {"", "out"}) {
        for (const std::string& name : list(folder)) {
            EXPECT_FALSE(contains(name, ".part")) << name;
        }
    }
}

// As a shell ignores SIGINT for its background jobs, and nohup SIGHUP.
TEST_P(Interrupt, StaysIgnored) {
    const std::string ignoring = "trap '' " + std::to_string(GetParam()) + R"(; exec "$0" "$@")";
    const Result result =
        run_program("/bin/sh",
                    {"-c", ignoring, TAUT_PROGRAM, "run", write("scene.json", scene(small_sheet)), "--backend", "cpu",
                     "--frames", "9000000", "--max-seconds", "1", "--export", "obj", "--out", path("out")},
                    [&](int child) {
                        wait_for("out/sheet.0000001.obj");
                        kill(child, GetParam());
                    });
    EXPECT_EQ(result.code, 1) << result.err;
    EXPECT_TRUE(contains(result.err, "ended by --max-seconds")) << result.err;
}

INSTANTIATE_TEST_SUITE_P(Signals, Interrupt, testing::Values(SIGINT, SIGTERM, SIGHUP));

// A second SIGTERM, while files are completed or before, changes nothing.
TEST_F(Signals, SecondTermLosesNothing) {
    const Result result = taut({"run", write("scene.json", scene(small_sheet)), "--backend", "cpu", "--frames",
                                "9000000", "--stats", path("s.jsonl"), "--export", "obj,usda", "--out", path("out")},
                               [&](int child) {
                                   wait_for("out/sheet.0000001.obj");
                                   for (int i = 0; i < 20; i++) {
                                       kill(child, SIGTERM);
                                       std::this_thread::sleep_for(std::chrono::microseconds(200));
                                   }
                               });
    EXPECT_EQ(result.code, 128 + SIGTERM) << result.err;
    EXPECT_TRUE(contains(result.out, "interrupted: ")) << result.out;
    EXPECT_TRUE(exists("out/scene.usda"));
    EXPECT_GE(read_stats(read("s.jsonl")).size(), 1u);
}

} // namespace
