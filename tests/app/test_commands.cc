// check, info, bench and the help texts.
#include "folder.h"
#include "process.h"

#include <filesystem>
#include <sched.h>
#include <sys/stat.h>

using namespace app;

namespace {

class Commands : public Folder {};

TEST_F(Commands, CheckCounts) {
    // 9 vertices: 12 edges, 8 diagonals, 8 hinges; rope: 4 segments, 3 x 3 bending rows.
    const std::string file =
        write("scene.json", scene(std::string(small_sheet) + ", " + short_rope,
                                  R"({"type": "pin", "at": {"object": "sheet", "vertices": [0, 2]}},
                                                          {"type": "attach", "a": ["sheet", 4], "b": ["rope", 0]})"));
    const Result result = taut({"check", file});
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.err, "");
    EXPECT_EQ(lines(result.out).at(0),
              file + ": good: 2 objects, 14 particles (2 fixed), 44 constraint rows, 3 frames at 60 a second");
}

TEST_F(Commands, CheckAsJson) {
    const Result result = taut({"check", "--json", write("scene.json", scene(two_particles))});
    EXPECT_EQ(result.code, 0);
    EXPECT_TRUE(contains(result.out, "\"particles\":2")) << result.out;
    EXPECT_EQ(line_count(result.out), 1u);
}

// Bodies and mapped points are no particles; the body of the world is counted nowhere.
TEST_F(Commands, CheckCountsBodiesAndMappedPoints) {
    const std::string file = write(
        "scene.json", scene(std::string(two_particles) +
                                R"(, {"name": "b", "type": "rigid", "sphere": {"radius": 1}, "mass": 1,
                      "positions": [[0, 0, 0], [3, 0, 0]]},
                     {"name": "post", "type": "rigid", "sphere": {"radius": 1}, "mass": 1, "fixed": true},
                     {"name": "rod", "type": "rod", "points": [[0, 0, 0], [1, 0, 0]], "segments": 4, "radius": 0.1,
                      "density": 1, "young": 1, "clamp": ["start"]})",
                            R"({"type": "ball", "a": "world", "b": ["b", 0], "position": [0, 1, 0]},
                 {"type": "pin", "at": {"object": "rod", "vertices": [0]}},
                 {"type": "attach", "a": ["p", 0], "b": {"object": "b", "body": 1, "at": [0, 0, 0]}})",
                            R"("mappings": [{"name": "d", "type": "distance", "pairs": [[["p", 0], ["p", 1]]]}], )"));
    const Result text = taut({"check", file});
    EXPECT_EQ(lines(text.out).at(0),
              file + ": good: 4 objects, 7 particles (2 fixed), 3 bodies, 4 pieces of rods, 3 mapped points, "
                     "30 constraint rows, 3 frames at 60 a second")
        << text.err;
    const Result json = taut({"check", "--json", file});
    for (const char* part :
         {"\"particles\":7", "\"fixed\":2", "\"bodies\":3", "\"rod_pieces\":4", "\"mapped_points\":3", "\"rows\":30"}) {
        EXPECT_TRUE(contains(json.out, part)) << json.out;
    }
}

TEST_F(Commands, MeshPathsAreRelativeToTheScene) {
    std::filesystem::create_directory(path("meshes"));
    std::filesystem::create_directory(path("scenes"));
    write("meshes/quad.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n");
    const std::string mesh_scene = scene(R"({"name": "c", "type": "cloth", "mesh": "../meshes/quad.obj", "density": 1,
                                            "shear": {}, "bend": {"rest": "flat"}})");
    const Result result = taut({"check", write("scenes/scene.json", mesh_scene)});
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_TRUE(contains(result.out, "4 particles (0 fixed), 7 constraint rows")) << result.out;
}

TEST_F(Commands, CheckReadsAPipe) {
    const std::string file = write("scene.json", scene(two_particles));
    const Result result = run_program("/bin/sh", {"-c", "cat " + file + " | " TAUT_PROGRAM " check /dev/stdin"});
    EXPECT_EQ(result.code, 0) << result.err;
}

TEST_F(Commands, Info) {
    const Result result = taut({"info"});
    EXPECT_EQ(result.code, 0);
    EXPECT_EQ(result.err, "");
    for (const char* part :
         {"taut     0.", "backend  cpu    available", "backend  cuda", "devices", "threads", "limits"}) {
        EXPECT_TRUE(contains(result.out, part)) << part << " in " << result.out;
    }
    EXPECT_TRUE(contains(taut({"info", "--json"}).out, "\"cpu\":true"));
}

// As many as worlds take, where the process may not use all processors.
TEST_F(Commands, InfoCountsProcessorsThatMayBeUsed) {
    cpu_set_t all, one;
    ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    const Result result = taut({"info"}), json = taut({"info", "--json"});
    sched_setaffinity(0, sizeof all, &all);
    EXPECT_TRUE(contains(result.out, "threads  1\n")) << result.out;
    EXPECT_TRUE(contains(json.out, "\"threads\":1,")) << json.out;
}

TEST_F(Commands, HelpAndVersion) {
    for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--help"},
                                                      {"help"},
                                                      {"-h"},
                                                      {"run", "--help"},
                                                      {"check", "-h"},
                                                      {"info", "--help"}}) {
        const Result result = taut(arguments);
        EXPECT_EQ(result.code, 0);
        EXPECT_EQ(result.err, "");
        EXPECT_TRUE(contains(result.out, "taut ")) << result.out;
    }
    EXPECT_TRUE(contains(taut({"--version"}).out, "taut 0."));
}

// A copy of the tool without, then with, a benchmark program beside it. The tool finds its library in ../lib.
TEST_F(Commands, BenchRunsTheProgramBeside) {
    const std::string copy = path("bin/taut");
    std::filesystem::create_directory(path("bin"));
    std::filesystem::copy_file(TAUT_PROGRAM, copy);
    const std::filesystem::path build = std::filesystem::path(TAUT_PROGRAM).parent_path().parent_path();
    std::filesystem::create_directory_symlink(build / "lib", path("lib"));
    const Result missing = run_program(copy, {"bench"});
    EXPECT_EQ(missing.code, 2);
    EXPECT_TRUE(contains(missing.err, "taut-bench: was not built or installed")) << missing.err;
    EXPECT_EQ(line_count(missing.err), 1u);
    chmod(write("bin/taut-bench", "#!/bin/sh\necho bench \"$@\"\nexit 7\n").c_str(), 0755);
    const Result present = run_program(copy, {"bench", "--quick", "a b"});
    EXPECT_EQ(present.code, 7) << present.err;
    EXPECT_EQ(present.out, "bench --quick a b\n");
}

} // namespace
