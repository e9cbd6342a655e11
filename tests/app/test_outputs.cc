// Statistics, traces, exports and the summary of a run.
#include "folder.h"
#include "process.h"
#include "read_stats.h"

#include <cmath>
#include <cstdio>
#include <stdexcept>

using namespace app;

namespace {

class Outputs : public Folder {
  protected:
    Result run(const std::vector<std::string>& more, const std::string& text = scene(small_sheet)) {
        std::vector<std::string> arguments = {"run", write("scene.json", text), "--backend", "cpu"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Result result = taut(arguments);
        if (result.code != 0) {
            throw std::runtime_error("the run failed: " + result.err);
        }
        EXPECT_EQ(result.err, "");
        return result;
    }
};

TEST_F(Outputs, StatsHoldEveryKey) {
    run({"--stats", path("s.jsonl")}, scene(std::string(small_sheet) + "," + short_rope));
    const std::vector<Record> stats = read_stats(read("s.jsonl"));
    ASSERT_EQ(stats.size(), 3u);
    for (size_t i = 0; i < stats.size(); i++) {
        for (const char* key :
             {"frame", "time", "step_ms", "iterations", "residual", "max_violation", "kinetic", "potential", "elastic",
              "outer_iterations", "violations.distance", "violations.bend", "violations.linear"}) {
            ASSERT_TRUE(stats[i].has(key)) << key;
            EXPECT_TRUE(std::isfinite(stats[i].at(key))) << key;
        }
        EXPECT_FALSE(stats[i].has("violations.membrane"));
        EXPECT_EQ(stats[i].strings.at("backend"), "cpu");
        EXPECT_EQ(stats[i].strings.at("outcome"), "converged");
        EXPECT_EQ(stats[i].at("frame"), static_cast<double>(i + 1));
        EXPECT_NEAR(stats[i].at("time"), static_cast<double>(i + 1) / 60, 1e-9);
        EXPECT_GT(stats[i].at("step_ms"), 0);
        double worst = 0;
        for (const auto& [key, value] : stats[i].numbers) {
            worst = key.rfind("violations.", 0) == 0 ? std::max(worst, value) : worst;
        }
        EXPECT_EQ(stats[i].at("max_violation"), worst);
    }
}

TEST_F(Outputs, TracesOfSeveralVerticesAndFiles) {
    run({"--trace", "sheet:8,rope:0=" + path("a.csv"), "--trace", "rope:4=" + path("b.csv")},
        scene(std::string(small_sheet) + "," + short_rope));
    const Table a = read_table(read("a.csv"));
    const Table b = read_table(read("b.csv"));
    EXPECT_EQ(a.header, (std::vector<std::string>{"time", "sheet.8.x", "sheet.8.y", "sheet.8.z", "rope.0.x", "rope.0.y",
                                                  "rope.0.z"}));
    EXPECT_EQ(b.header.size(), 4u);
    ASSERT_EQ(a.rows.size(), 4u);
    ASSERT_EQ(b.rows.size(), 4u);
    EXPECT_EQ(a.rows[0], (std::vector<double>{0, 0.5, 0, 0.5, 0, 0, 0}));
    EXPECT_EQ(b.rows[0], (std::vector<double>{0, 0, -1, 0}));
    EXPECT_LT(a.rows[3][2], 0);
}

TEST_F(Outputs, TraceHeadersQuoteAwkwardNames) {
    run({"--trace", "a:b\"c:0=" + path("t.csv")},
        scene(R"({"name": "a:b\"c", "type": "particles", "positions": [[0, 0, 0]]})"));
    EXPECT_EQ(lines(read("t.csv")).at(0), R"(time,"a:b""c.0.x","a:b""c.0.y","a:b""c.0.z")");
}

// What divides a list may stand in names.
TEST_F(Outputs, TracesOfAwkwardNames) {
    std::string objects;
    for (const char* name : {"a", "a:1,b", "b", "c,d", "e=f:0"}) {
        objects += std::string(objects.empty() ? "" : ",") + R"({"name": ")" + name +
                   R"(", "type": "particles", "positions": [[0, 0, 0], [1, 0, 0]]})";
    }
    run({"--trace", "a:1,b:0,c,d:1,e=f:0:1,a:0,b:1=" + path("t=1.csv")}, scene(objects));
    EXPECT_TRUE(contains(read("t=1.csv"), R"("a:1,b.0.z","c,d.1.x")")) << read("t=1.csv");
    EXPECT_TRUE(contains(read("t=1.csv"), "e=f:0.1.z,a.0.x,a.0.y,a.0.z,b.1.x")) << read("t=1.csv");
}

TEST_F(Outputs, ExportsOfAllObjects) {
    run({"--export", "obj,ply,usda,pc2", "--out", path("o"), "--frames", "2"},
        scene(std::string(small_sheet) + "," + short_rope + "," + two_particles));
    const std::vector<std::string> names = list("o");
    for (const char* name :
         {"sheet.0000.obj", "sheet.0002.obj", "rope.0001.obj", "p.0002.ply", "scene.usda", "rope.pc2"}) {
        EXPECT_TRUE(exists(std::string("o/") + name)) << name;
    }
    EXPECT_FALSE(exists("o/sheet.0003.obj"));
    for (const std::string& name : names) {
        EXPECT_FALSE(contains(name, ".part")) << name;
    }
}

// Two boxes on their way, one of them turning: their surfaces are one mesh, which moves with them.
TEST_F(Outputs, ExportsShowBodies) {
    const std::string text =
        scene(std::string(two_particles) + R"(, {"name": "b", "type": "rigid", "box": {"sides": [2, 2, 2]}, "mass": 1,
            "positions": [[0, 0, 0], [10, 0, 0]], "velocity": [[0, 0, 6], [0, 0, 0]]},
            {"name": "rod", "type": "rod", "points": [[0, 5, 0], [1, 5, 0]], "segments": 2, "radius": 0.25,
             "density": 1, "young": 1e6})",
              R"({"type": "pin", "at": {"object": "b", "vertices": [1]},
            "motion": [{"time": 0.016666667, "rotate_degrees": [0, 0, 90]}]})",
              "\"gravity\": [0, 0, 0], ");
    run({"--export", "obj,ply,usda,pc2", "--out", path("o"), "--frames", "1"}, text);
    const std::vector<std::string> start = lines(read("o/b.0000.obj")), end = lines(read("o/b.0001.obj"));
    ASSERT_EQ(start.size(), 1u + 16 + 24);
    EXPECT_EQ(start[1], "v -1 -1 -1");
    EXPECT_EQ(start[9], "v 9 -1 -1");
    EXPECT_EQ(start[17], "f 1 5 7");
    EXPECT_EQ(start[29], "f 9 13 15");
    double x = 0, y = 0, z = 0;
    ASSERT_EQ(std::sscanf(end[1].c_str(), "v %lf %lf %lf", &x, &y, &z), 3);
    EXPECT_NEAR(z, -0.9, 1e-5);
    ASSERT_EQ(std::sscanf(end[9].c_str(), "v %lf %lf %lf", &x, &y, &z), 3);
    EXPECT_NEAR(x, 11, 1e-5); // (-1, -1) has turned to (1, -1)
    EXPECT_NEAR(y, -1, 1e-5);
    const std::string usda = read("o/scene.usda");
    EXPECT_TRUE(contains(usda, "def Mesh \"b\"")) << usda;
    EXPECT_TRUE(contains(usda, "def BasisCurves \"rod\"")) << usda;
    EXPECT_TRUE(contains(usda, "widths = [0.5]")) << usda;
    EXPECT_EQ(read("o/b.pc2").size(), 32u + 2 * 16 * 12);
    EXPECT_TRUE(exists("o/b.0001.ply"));
}

TEST_F(Outputs, TracesOfBodiesHoldTheirOrientation) {
    run({"--trace", "b:1,p:0=" + path("t.csv")},
        scene(std::string(two_particles) + R"(, {"name": "b", "type": "rigid", "sphere": {"radius": 1}, "mass": 1,
            "positions": [[0, 0, 0], [10, 0, 0]], "orientation": [0, 0, 3, 4]})"));
    EXPECT_EQ(lines(read("t.csv")).at(0), "time,b.1.x,b.1.y,b.1.z,b.1.qw,b.1.qx,b.1.qy,b.1.qz,p.0.x,p.0.y,p.0.z");
    const Table t = read_table(read("t.csv"));
    const std::vector<double> start = {0, 10, 0, 0, 0, 0, 0.6, 0.8, 0, 0, 0};
    for (size_t i = 0; i < start.size(); i++) {
        EXPECT_NEAR(t.rows[0][i], start[i], 1e-12) << i;
    }
    EXPECT_EQ(t.rows[3].size(), 11u);
}

TEST_F(Outputs, FramesFromTheCommandLine) {
    const Result none = run({"--frames", "0", "--trace", "sheet:0=" + path("t.csv"), "--stats", path("s.jsonl")});
    EXPECT_TRUE(contains(none.out, "done: 0 frames")) << none.out;
    EXPECT_EQ(read_table(read("t.csv")).rows.size(), 1u);
    EXPECT_EQ(read("s.jsonl"), "");
    EXPECT_TRUE(contains(run({"--frames", "5"}).out, "done: 5 frames"));
}

TEST_F(Outputs, SummaryAsJson) {
    const Result result = run({"--json"});
    EXPECT_EQ(line_count(result.out), 1u);
    const Record summary = read_record(result.out);
    EXPECT_EQ(summary.strings.at("end"), "done");
    EXPECT_EQ(summary.strings.at("backend"), "cpu");
    EXPECT_EQ(summary.at("frames"), 3);
    EXPECT_NEAR(summary.at("time"), 0.05, 1e-12);
    EXPECT_EQ(summary.at("not_converged"), 0);
    EXPECT_GT(summary.at("median_step_ms"), 0);
    EXPECT_LT(summary.at("worst_residual"), 1e-3);
}

TEST_F(Outputs, NothingIsWrittenUnasked) {
    run({});
    EXPECT_EQ(list(), std::vector<std::string>{"scene.json"});
}

} // namespace
