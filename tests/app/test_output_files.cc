// What outputs may replace, full disks, and standard output that does not take what is printed.
#include "folder.h"
#include "process.h"
#include "read_stats.h"

#include <csignal>
#include <filesystem>
#include <sys/resource.h>
#include <unistd.h>

using namespace app;

namespace {

namespace fs = std::filesystem;

const char* const sheet_of_file = R"({"name": "m", "type": "cloth", "mesh": "m.0000.obj", "density": 1})";
const char* const square = "v 0 0 0\nv 1 0 0\nv 0 0 1\nv 1 0 1\nf 1 2 3\nf 2 4 3\n";

class OutputFiles : public Folder {
  protected:
    Result run(const std::vector<std::string>& more, const std::string& text = scene(two_particles)) {
        std::vector<std::string> arguments = {"run", write("scene.json", text), "--backend", "cpu"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return taut(arguments);
    }
    void expect_refused(const Result& result, const std::string& part) {
        EXPECT_EQ(result.code, 2) << result.out;
        EXPECT_EQ(line_count(result.err), 1u) << result.err;
        EXPECT_TRUE(contains(result.err, part)) << result.err;
    }
};

TEST_F(OutputFiles, ReplaceOrdinaryFilesOnly) {
    write("target", "kept");
    fs::create_symlink(path("target"), path("link"));
    expect_refused(run({"--stats", path("link")}), "is a symbolic link, and only an ordinary file is replaced");
    EXPECT_TRUE(fs::is_symlink(path("link")));
    fs::create_symlink(path("target"), path("s.part"));
    expect_refused(run({"--stats", path("s")}), "s.part: cannot be written: is a symbolic link");
    EXPECT_EQ(read("target"), "kept");
    ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
    expect_refused(run({"--trace", "p:0=" + path("pipe")}), "is a device, pipe or socket");
    EXPECT_TRUE(fs::is_fifo(path("pipe")));
    EXPECT_EQ(run({"--stats", path("target")}).code, 0);
    EXPECT_EQ(read_stats(read("target")).size(), 3u);
}

TEST_F(OutputFiles, LeftoversOfAnEndedRunGo) {
    write("s.part", "old");
    EXPECT_EQ(run({"--stats", path("s")}).code, 0);
    EXPECT_FALSE(exists("s.part"));
    EXPECT_EQ(read_stats(read("s")).size(), 3u);
}

TEST_F(OutputFiles, NeverReplaceInputs) {
    const std::string text = scene(two_particles);
    fs::create_directories(path("d"));
    for (const char* same : {"scene.json", "d/../scene.json", "./scene.json"}) {
        expect_refused(run({"--stats", path(same)}), "this run reads it");
    }
    fs::create_hard_link(path("scene.json"), path("twin"));
    expect_refused(run({"--trace", "p:0=" + path("twin")}), "this run reads it");
    EXPECT_EQ(read("scene.json"), text);
    write("m.0000.obj", square);
    expect_refused(run({"--export", "obj", "--out", path("d/..")}, scene(sheet_of_file)), "this run reads it");
    EXPECT_EQ(read("m.0000.obj"), square);
    fs::create_hard_link(path("m.0000.obj"), path("M.mtx"));
    expect_refused(taut({"assemble", write("scene.json", scene(sheet_of_file)), "--out", path("")}),
                   "this run reads it");
    EXPECT_EQ(read("M.mtx"), square);
}

TEST_F(OutputFiles, NeverReplaceEachOther) {
    fs::create_directories(path("d"));
    expect_refused(run({"--stats", path("a"), "--trace", "p:0=" + path("d/../a")}), "is written twice");
    expect_refused(run({"--stats", path("a.part"), "--trace", "p:0=" + path("a")}), "is written twice");
    fs::create_directory_symlink(path("d"), path("e"));
    expect_refused(run({"--trace", "p:0=" + path("d/t"), "--trace", "p:1=" + path("e/t")}), "is written twice");
    expect_refused(run({"--stats", path("e/scene.usda"), "--export", "usda", "--out", path("d")}), "is written twice");
    EXPECT_TRUE(list("d").empty());
    write("one", "");
    fs::create_hard_link(path("one"), path("two"));
    expect_refused(run({"--stats", path("one"), "--trace", "p:0=" + path("two")}), "is written twice");
}

// Through a shell that limits the size of files, 512 or 1024 bytes a block: a full disk for everybody, root too. A run
// of all its frames would take days.
TEST_F(OutputFiles, AFullDiskEndsTheRunAndKeepsWholeFrames) {
    const std::string file = write("scene.json", scene(two_particles));
    const Result result =
        run_program("/bin/sh", {"-c", "ulimit -f 8; exec \"$0\" \"$@\"", TAUT_PROGRAM, "run", file, "--backend", "cpu",
                                "--frames", "90000000", "--stats", path("s"), "--trace", "p:0=" + path("t")});
    EXPECT_EQ(result.code, 2) << result.err;
    EXPECT_TRUE(contains(result.err, "cannot be written: File too large")) << result.err;
    EXPECT_TRUE(contains(result.out, "failed: ")) << result.out;
    const std::vector<Record> stats = read_stats(read("s"));
    ASSERT_GE(stats.size(), 3u);
    EXPECT_EQ(stats.back().at("frame"), static_cast<double>(stats.size()));
    EXPECT_EQ(read("s").back(), '\n');
    EXPECT_GE(read_table(read("t")).rows.size(), stats.size());
}

TEST_F(OutputFiles, ErrorsOfStandardOutputGiveStatusOne) {
    const std::string file = write("scene.json", scene(two_particles));
    for (const char* command : {"run", "check"}) {
        const Result result =
            run_program("/bin/sh", {"-c", "exec \"$0\" \"$@\" > /dev/full", TAUT_PROGRAM, command, file});
        EXPECT_EQ(result.code, 1) << command;
        EXPECT_TRUE(contains(result.err, "taut: standard output cannot be written: No space left")) << result.err;
    }
    const Result closed = run_program("/bin/sh", {"-c", "exec \"$0\" info >&-", TAUT_PROGRAM});
    EXPECT_EQ(closed.code, 1) << closed.err;
}

} // namespace
