// Good scenes of every kind, the physics that shows through the tool, and the exit status of failed runs.
#include "folder.h"
#include "process.h"
#include "read_stats.h"
#include "runs.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace app;

namespace {

// ---- every kind -----------------------------------------------------------------------------------------------------

struct GoodScene {
    const char* name;
    std::string text;
};

void PrintTo(const GoodScene& good, std::ostream* stream) {
    *stream << good.name;
}

const std::string sheet_corner = R"({"type": "pin", "at": {"object": "sheet", "vertices": [0]}})";

const std::vector<GoodScene> good_scenes = {
    {"particles", scene(two_particles)},
    {"free_cloth", scene(small_sheet)},
    {"pinned_cloth", scene(small_sheet, sheet_corner)},
    {"membrane",
     scene(R"({"name": "sheet", "type": "cloth", "model": "membrane", "grid": {"size": [1, 1], "cells": [3, 3]},
               "density": 0.2, "young": 50, "poisson": 0.3, "damping": 0.01, "bend": {"compliance": 1e3}})",
           sheet_corner)},
    {"hard_cloth",
     scene(R"({"name": "sheet", "type": "cloth", "grid": {"size": [1, 1], "cells": [3, 3]}, "density": 0.2,
               "stretch": {}, "shear": {"compliance": 1e-4}})",
           sheet_corner)},
    {"rope", scene(short_rope, R"({"type": "pin", "at": {"object": "rope", "vertices": [0]}})")},
    {"attach", scene(std::string(small_sheet) + "," + short_rope,
                     sheet_corner + R"(, {"type": "attach", "a": ["sheet", 4], "b": ["rope", 0]})")},
    {"compliant_attach", scene(two_particles, R"({"type": "attach", "a": ["p", 0], "b": ["p", 1], "offset": [1, 0, 0],
                                                  "compliance": 1e-3, "damping": 0.1})")},
    {"distance", scene(two_particles, R"({"type": "distance", "a": ["p", 0], "b": ["p", 1]})")},
    {"distance_given", scene(two_particles, R"({"type": "distance", "a": ["p", 0], "b": ["p", 1], "length": 1.01,
                                                "compliance": 1e-4, "damping": 0.01})")},
    {"between_pinned", scene(two_particles, R"({"type": "distance", "a": ["p", 0], "b": ["p", 1]},
                                               {"type": "pin", "at": {"object": "p", "vertices": [0, 1]}})")},
    {"compliant_pin", scene(small_sheet, R"({"type": "pin", "at": {"object": "sheet", "vertices": [0, 1]},
                                             "compliance": 1e-4, "damping": 0.01})")},
    {"box_and_motion", scene(small_sheet, R"({"type": "pin", "at": {"object": "sheet", "box": [[-1,-1,-1],[0,1,1]]},
                                              "motion": [{"time": 0.05, "rotate_degrees": [0, 10, 0]}]})")},
    {"midpoint", scene(short_rope, "", R"("integrator": {"scheme": "midpoint"}, "substeps": 4, )")},
    {"theta", scene(short_rope, "", R"("integrator": {"scheme": "theta", "alpha": 0.7}, )")},
    {"forces", scene(std::string(small_sheet) + "," + short_rope,
                     sheet_corner + R"(, {"type": "attach", "a": ["sheet", 4], "b": ["rope", 0], "compliance": 1e-3,
                              "damping": 0.01, "force": true}, {"type": "pin", "at": {"object": "rope", "vertices": [0]},
                              "compliance": 1e-3, "force": true})")},
    {"two_stage", scene(short_rope, "", R"("integrator": {"scheme": "midpoint", "two_stage": true, "newton": 3}, )")},
    {"primal", scene(short_rope, "", R"("integrator": {"scheme": "primal"}, )")},
    {"accelerations", scene(two_particles, R"({"type": "distance", "a": ["p", 0], "b": ["p", 1],
                                                "compliance": 0.1})",
                            R"("integrator": {"scheme": "acceleration", "stepper": "rk4"}, )")},
    {"projections", scene(short_rope, "", R"("integrator": {"project_positions": 2, "project_velocities": true}, )")},
    {"no_stiffness", scene(short_rope, "", R"("integrator": {"geometric_stiffness": "none"}, )")},
    {"no_preconditioner", scene(short_rope, "", R"("solver": {"preconditioner": "none"}, )")},
    {"jacobi", scene(short_rope, "", R"("solver": {"preconditioner": "jacobi", "warm_start": false}, )")},
    {"block", scene(short_rope, "", R"("solver": {"preconditioner": "block", "block_size": 4}, )")},
    {"gauss_seidel", scene(short_rope, "", R"("solver": {"method": "gauss_seidel"}, )")},
#ifdef TAUT_WITH_DIRECT
    {"direct", scene(short_rope, "", R"("solver": {"method": "direct"}, )")},
#endif
    {"chebyshev", scene(short_rope, "", R"("solver": {"preconditioner": "chebyshev", "chebyshev_degree": 3}, )")},
    {"bodies", scene(R"({"name": "b", "type": "rigid", "sphere": {"radius": 0.1}, "density": 100,
                          "positions": [[0, 0, 0], [1, 0, 0]], "angular_velocity": [0, 1, 0]})",
                     R"({"type": "pin", "at": {"object": "b", "vertices": [1]}})")},
    {"body_on_cloth",
     scene(std::string(small_sheet) + R"(, {"name": "b", "type": "rigid", "mass": 0.1,
                              "cylinder": {"radius": 0.1, "height": 0.2}, "translate": [0, -0.1, 0]})",
           sheet_corner + R"(, {"type": "attach", "a": ["sheet", 4], "b": {"object": "b", "at": [0, 0, 0]}})")},
    {"joints", scene(R"({"name": "b", "type": "rigid", "box": {"sides": [0.2, 0.1, 0.1]}, "mass": 0.2,
                         "positions": [[0, 0, 0], [0.2, 0, 0], [0.4, 0, 0], [0.6, 0, 0]]})",
                     R"({"type": "fixed", "a": "world", "b": ["b", 0], "position": [0, 0, 0]},
                        {"type": "hinge", "a": ["b", 0], "b": ["b", 1], "position": [0.1, 0, 0], "axis": [0, 0, 1],
                         "drive": {"target": 10, "compliance": 0.1, "damping": 0.1}},
                        {"type": "universal", "a": ["b", 1], "b": ["b", 2], "position": [0.3, 0, 0]},
                        {"type": "slider", "a": ["b", 2], "b": ["b", 3], "position": [0.5, 0, 0],
                         "axis": [0, 1, 0]})")},
    {"rod", scene(R"({"name": "r", "type": "rod", "points": [[0, 0, 0], [0, 0, 1]], "segments": 6, "radius": 0.01,
                      "density": 1000, "young": 1e7, "shear": 4e6, "clamp": ["start", "end"]})")},
    {"mapped",
     scene(small_sheet, sheet_corner + R"(, {"type": "attach", "a": ["m", 0], "b": ["m", 1], "offset": [0.5, 0, 0]})",
           R"("mappings": [{"name": "m", "type": "barycentric", "object": "sheet", "masses": 0.01,
                                      "positions": [[-0.2, 0, 0.1], [0.3, 0, 0.1]]}], )")},
    {"weightless", scene(small_sheet, "", R"("gravity": [0, 0, 0], "solver": {"proximal": 0}, )")},
};

class GoodSceneTable : public Folder, public testing::WithParamInterface<GoodScene> {};

TEST_P(GoodSceneTable, RunsInSilence) {
    const std::string file = write("scene.json", GetParam().text);
    const Result result = taut({"run", file, "--backend", "cpu", "--stats", path("s.jsonl")});
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.err, "");
    EXPECT_EQ(result.out.rfind(file + ": done: 3 frames, 0.05 s simulated on cpu", 0), 0u) << result.out;
    EXPECT_EQ(line_count(result.out), 1u);
    const std::vector<Record> stats = read_stats(read("s.jsonl"));
    ASSERT_EQ(stats.size(), 3u);
    EXPECT_LT(stats.back().at("kinetic"), 1.0);
}

/* Its springs gain energy, and the last line says so. */
TEST_F(Runs, ExplicitEuler) {
    const std::string file =
        write("scene.json", scene(two_particles, R"({"type": "distance", "a": ["p", 0], "b": ["p", 1],
                                                "compliance": 0.1})",
                                  R"("integrator": {"scheme": "explicit_euler"}, )"));
    const Result result = taut({"run", file, "--backend", "cpu"});
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_NE(result.err.find("the motion gained"), std::string::npos) << result.err;
    const size_t percent = result.err.find(" % of the most");
    ASSERT_NE(percent, std::string::npos) << result.err;
    EXPECT_EQ(result.err.substr(0, percent).find("e+", percent - 6), std::string::npos) << result.err;
}

// What the scheme takes in a fall comes back in the rise after it, which is no gain of energy.
TEST_F(Runs, BouncesGainNothing) {
    const std::string file = write("scene.json", R"({"taut": 1, "frames": 48, "fps": 24, "substeps": 1,
        "materials": [{"name": "hard", "restitution": 1}],
        "objects": [{"name": "floor", "type": "collider", "plane": {}, "material": "hard"},
                    {"name": "ball", "type": "rigid", "sphere": {"radius": 0.1}, "mass": 1, "translate": [0, 0.6, 0],
                     "contact": {"material": "hard"}}]})");
    const Result result = taut({"run", file, "--backend", "cpu"});
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.err, "");
}

// What hangs still on a hard rope gains nothing but rounding, though a particle has no length of its own.
TEST_F(Runs, WeightsHangInSilence) {
    const std::string file = write("scene.json", R"({"taut": 1, "frames": 120,
        "objects": [{"name": "r", "type": "rope", "points": [[0, 0, 0], [0, -1, 0]], "segments": 50, "density": 0.02},
                    {"name": "w", "type": "particles", "positions": [[0, -1, 0]], "masses": 200}],
        "constraints": [{"type": "pin", "at": {"object": "r", "vertices": [0]}},
                        {"type": "attach", "a": ["r", 50], "b": ["w", 0]}]})");
    const Result result = taut({"run", file, "--backend", "cpu"});
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.err, "");
}

// The points of a cylinder that meets something are no solids.
TEST_F(Runs, CylinderFallsBesideCloth) {
    const std::string file = write("scene.json", R"({"taut": 1, "frames": 48, "fps": 60,
        "objects": [{"name": "floor", "type": "collider", "plane": {}},
                    {"name": "sheet", "type": "cloth", "grid": {"size": [1, 1], "cells": [4, 4]}, "density": 0.2,
                     "translate": [5, 0.1, 0], "contact": {"thickness": 0.01}},
                    {"name": "can", "type": "rigid", "cylinder": {"radius": 0.1, "height": 0.2}, "mass": 1,
                     "translate": [0, 1.6, 0], "contact": {}}]})");
    const Result result = taut({"run", file, "--backend", "cpu"});
    EXPECT_EQ(result.code, 0) << result.err;
}

// Cloth and soft bodies at rest stay so without gravity, whatever a body does that they do not touch: tumble freely,
// or between walls.
TEST_F(Runs, RestsBesideWhatTumbles) {
    const char* rests[] = {
        R"({"name": "s", "type": "cloth", "fabric": "cotton", "grid": {"size": [0.5, 0.5], "cells": [4, 4]},
            "translate": [0, 0.1, 0], "contact": {"thickness": 0.01}})",
        R"({"name": "s", "type": "soft", "grid": {"size": [0.2, 0.2, 0.2], "cells": [2, 2, 2]}, "density": 300,
            "young": 2e5, "translate": [0, 0.6, 0], "contact": {"radius": 0.004}})"};
    const char* walls[] = {"", R"(, {"name": "left", "type": "collider", "box": {"sides": [0.2, 4, 4]},
                                     "translate": [2.5, 1, 0]},
                                    {"name": "right", "type": "collider", "box": {"sides": [0.2, 4, 4]},
                                     "translate": [3.5, 1, 0]})"};
    for (const char* rest : rests) {
        for (const char* wall : walls) {
            const std::string scene = std::string(R"({"taut": 1, "frames": 24, "fps": 24, "substeps": 4,
                "gravity": [0, 0, 0], "objects": [)") +
                                      rest + R"(, {"name": "b", "type": "rigid", "mass": 10, "translate": [3, 1, 0],
                "velocity": [0.3, 0, 0], "angular_velocity": [-0.65, 0.16, -2.2],
                "capsule": {"radius": 0.05, "length": 0.05}, "contact": {}})" +
                                      wall + "]}";
            SCOPED_TRACE(scene);
            const Table table = run(scene, "s:0", {"--strict"});
            for (size_t column = 0; column < 3; column++) {
                EXPECT_NEAR(table.rows.back().at(1 + column), table.rows.front().at(1 + column), 1e-9);
            }
        }
    }
}

// What falls freely pulls at nothing but rounding, with ever less of it: that is solved, too.
TEST_F(Runs, LinksThatFallFreely) {
    const char* ground[] = {"", R"(, "contact": {})", R"(}, {"name": "ground", "type": "collider", "plane": {})"};
    for (int touches = 0; touches < 2; touches++) {
        const std::string contact = touches ? ground[1] : "";
        const std::string text = std::string(R"({"taut": 1, "frames": 120, "substeps": 4, "objects": [
            {"name": "a", "type": "rigid", "sphere": {"radius": 0.1}, "mass": 1, "translate": [0, 30, 0])") +
                                 contact + R"(}, {"name": "b", "type": "rigid", "sphere": {"radius": 0.1}, "mass": 1,
             "translate": [0.91, 29.83, 0.38])" +
                                 contact + (touches ? ground[2] : "") + R"(}], "constraints": [
            {"type": "distance", "a": ["a", 0], "b": ["b", 0]}]})";
        SCOPED_TRACE(text);
        const Table table = run(text, "a:0", {"--strict"});
        EXPECT_NEAR(table.rows.back().at(2), 30 - 9.81 * 2 * 2 / 2, 0.1);
    }
}

// The file's quality changes what the file says; the option takes its place.
TEST_F(Runs, Quality) {
    const char* rope = R"("quality": "final", "substeps": 3, "solver": {"tolerance": 1e-3}, )";
    const std::string text = scene(short_rope, R"({"type": "pin", "at": {"object": "rope", "vertices": [0]}})", rope);
    run(text, "rope:1");
    EXPECT_EQ(last_stats().at("substeps"), 6);
    EXPECT_LE(last_stats().at("residual"), 1e-5);
    run(text, "rope:1", {"--quality", "preview"});
    EXPECT_EQ(last_stats().at("substeps"), 2);
}

// A budget that is never used up changes nothing, and one that is says what is left.
TEST_F(Runs, Budget) {
    const std::string sheet =
        R"({"name": "sheet", "type": "cloth", "grid": {"size": [1, 1], "cells": [9, 9]}, "density": 0.2,
            "stretch": {"compliance": 1e-5}, "bend": {"compliance": 1e3}})";
    const char* extra = R"("substeps": 4, "solver": {"method": "condensed_pcg", "tolerance": 1e-6}, )";
    const std::string budget = std::string(extra) + R"("budget_ms": 1e6, )";
    const Table plain = run(scene(sheet, sheet_corner, extra), "sheet:99");
    EXPECT_EQ(run(scene(sheet, sheet_corner, budget), "sheet:99").rows, plain.rows);
    EXPECT_EQ(last_stats().at("hurried"), 0);
    const std::string none = std::string(extra) + R"("budget_ms": 1e-6, )";
    run(scene(sheet, sheet_corner, none), "sheet:99");
    EXPECT_EQ(last_stats().at("substeps"), 1);
    EXPECT_GT(last_stats().at("hurried"), 0);
    EXPECT_EQ(last_stats().strings.at("outcome"), "iteration_limit");
}

// What has come to rest sleeps, and the statistics say how much.
TEST_F(Runs, Sleep) {
    const std::string objects =
        R"({"name": "box", "type": "rigid", "box": {"sides": [0.1, 0.1, 0.1]}, "density": 500, "translate": [0, 0.05, 0],
            "contact": {}}, {"name": "floor", "type": "collider", "plane": {"normal": [0, 1, 0]}})";
    run(scene(objects), "box:0", {"--frames", "40"});
    EXPECT_EQ(last_stats().at("asleep"), 0);
    run(scene(objects, "", R"("sleep": {"speed": 0.05, "time": 0.2}, )"), "box:0", {"--frames", "40"});
    EXPECT_EQ(last_stats().at("asleep"), 1);
    EXPECT_EQ(last_stats().at("iterations"), 0);
}

INSTANTIATE_TEST_SUITE_P(All, GoodSceneTable, testing::ValuesIn(good_scenes),
                         [](const auto& row) { return std::string(row.param.name); });

TEST_F(Runs, SoftBlock) {
    write("tet.vtk", "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n"
                     "0 0 0 1 0 0 0 1 0 0 0 1 1 1 1\nCELLS 2 10\n4 0 1 2 3\n4 1 2 3 4\nCELL_TYPES 2\n10\n10\n");
    const std::string block =
        R"({"name": "block", "type": "soft", "mesh": "tet.vtk", "density": 1000, "young": 1e5, "model": "strain",
                                  "poisson": 0.45, "damping": 0.01, "volume": {"compliance": 1e-6})";
    for (const char* scale : {"1", "[-1, 1, 1]"}) {
        run(scene(block + ", \"scale\": " + scale + "}",
                  R"({"type": "pin", "at": {"object": "block", "vertices": [0]}})"),
            "block:4");
        EXPECT_TRUE(last_stats().has("violations.tet_strain") || last_stats().has("violations.tetrahedron strain"));
    }
}

/* A block of each material sags, and a sheet goes with the wind. */
TEST_F(Runs, ForceElements) {
    for (const char* model : {"corotational", "neo_hookean", "st_venant_kirchhoff"}) {
        const std::string block = R"({"name": "block", "type": "soft", "density": 1000, "young": 1e5, "damping": 0.01,
            "grid": {"size": [0.4, 0.2, 0.2], "cells": [2, 1, 1]}, "model": ")" +
                                  std::string(model) + "\"}";
        run(scene(block, R"({"type": "pin", "at": {"object": "block", "vertices": [0, 3, 6, 9]}})"), "block:2");
        EXPECT_GT(last_stats().at("elastic"), 0) << model;
        EXPECT_FALSE(last_stats().has("violations.solid")) << model;
    }
    const std::string sheet =
        R"({"name": "block", "type": "cloth", "density": 0.1, "grid": {"size": [1, 1], "cells": [2, 2]},
        "rotate_degrees": [90, 0, 0], "air": {"drag": 1, "wind": [0, 0, 5]}})";
    const Table trace = run(scene(sheet, ""), "block:4");
    EXPECT_GT(trace.rows.back().at(3), trace.rows.front().at(3) + 1e-3);
}

// A soft cube on a side that is held: constraints on its strain turn inside out, which is told of; the default does
// not.
TEST_F(Runs, TetrahedraInsideOutAreToldOf) {
    const std::string cube = R"({"name": "cube", "type": "soft", "grid": {"size": [1, 1, 1], "cells": [3, 3, 3]},
                                 "density": 1000, "young": 1e4)";
    const std::string held = R"({"type": "pin", "at": {"object": "cube", "box": [[-1, -0.51, -1], [1, -0.49, 1]]}})";
    run(scene(cube + "}", held), "cube:0", {"--frames", "30"});
    EXPECT_EQ(last_stats().at("inverted"), 0);
    EXPECT_EQ(taut({"run", path("scene.json"), "--backend", "cpu", "--frames", "30"}).err, "");
    run(scene(cube + R"(, "model": "strain"})", held), "cube:0", {"--frames", "30"});
    EXPECT_GT(last_stats().at("inverted"), 0);
    const Result told = taut({"run", path("scene.json"), "--backend", "cpu", "--frames", "30"});
    EXPECT_TRUE(contains(told.err, "tetrahedra were inside out, at most, from frame ")) << told.err;
}

// Some need meshes of other projects, which may be absent.
bool can_run(const std::filesystem::path& scene) {
    std::ifstream stream(scene);
    const std::string text((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
    return scene.extension() == ".json" &&
           (!contains(text, "../shared/data") || std::filesystem::exists(TAUT_TEST_DATA));
}

TEST_F(Runs, Examples) {
    for (const auto& entry : std::filesystem::directory_iterator(TAUT_EXAMPLE_SCENES)) {
        if (can_run(entry.path())) {
            const Result result = taut({"run", entry.path(), "--frames", "1", "--backend", "cpu", "--threads", "1"});
            EXPECT_EQ(result.code, 0) << entry.path() << ": " << result.err;
        }
    }
}

TEST_F(Runs, TheExampleOfTheFormatPage) {
    std::ifstream stream(TAUT_FORMAT_PAGE);
    const std::string page((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
    const size_t start = page.find("```json\n");
    ASSERT_NE(start, std::string::npos);
    const std::string text = page.substr(start + 8, page.find("```", start + 8) - start - 8);
    const Result result =
        taut({"run", write("page.json", text), "--frames", "1", "--backend", "cpu", "--threads", "1"});
    EXPECT_EQ(result.code, 0) << result.err;
}

// ---- physics --------------------------------------------------------------------------------------------------------

// No substep is longer than 1/60 s, but for a hundredth, unless the scene says how many there are.
TEST_F(Runs, SubstepsAreShortByDefault) {
    const std::string ball = R"({"name": "ball", "type": "particles", "positions": [[0, 0, 0]]})";
    const std::pair<const char*, double> cases[] = {{"1", 60},    {"10", 6},    {"23.976", 3}, {"24", 3},
                                                    {"25", 3},    {"29.97", 2}, {"30", 2},     {"50", 2},
                                                    {"59.94", 1}, {"60", 1},    {"240", 1}};
    for (const auto& c : cases) {
        const std::string fps = std::string(R"("fps": )") + c.first + ", ";
        run(scene(ball, "", fps), "ball:0", {"--frames", "1"});
        EXPECT_EQ(stats(1).at("substeps"), c.second) << c.first;
        run(scene(ball, "", fps + R"("substeps": 1, )"), "ball:0", {"--frames", "1"});
        EXPECT_EQ(stats(1).at("substeps"), 1) << c.first;
    }
}

TEST_F(Runs, FreeFallIsThatOfTheScheme) {
    // Implicit Euler: v_n = v_0 - g h n, x_n = x_0 + v_0 h n - g h^2 n (n + 1)/2.
    const std::string ball = R"({"name": "ball", "type": "particles", "positions": [[1, 2, 3]], "masses": 2,
                                 "velocities": [[3, 0, 0]]})";
    const Table t =
        run(scene(ball, "", "\"fps\": 50, \"substeps\": 1, \"gravity\": [0, -10, 0], "), "ball:0", {"--frames", "10"});
    EXPECT_EQ(t.header, (std::vector<std::string>{"time", "ball.0.x", "ball.0.y", "ball.0.z"}));
    ASSERT_EQ(t.rows.size(), 11u);
    const double h = 0.02;
    for (size_t n = 0; n <= 10; n++) {
        const double k = static_cast<double>(n);
        EXPECT_NEAR(t.rows[n][0], k * h, 1e-12);
        EXPECT_NEAR(t.rows[n][1], 1 + 3 * k * h, 1e-5);
        EXPECT_NEAR(t.rows[n][2], 2 - 10 * h * h * k * (k + 1) / 2, 1e-5);
        EXPECT_NEAR(t.rows[n][3], 3, 1e-6);
    }
    const double v = 10 * h * 10;
    EXPECT_NEAR(last_stats().at("kinetic"), 0.5 * 2 * (9 + v * v), 1e-3);
    EXPECT_NEAR(last_stats().at("potential"), 2 * 10 * t.rows[10][2], 1e-3);
}

TEST_F(Runs, SubstepsDivideTheStep) {
    const std::string ball = R"({"name": "ball", "type": "particles", "positions": [[0, 0, 0]]})";
    const Table t = run(scene(ball, "", "\"fps\": 10, \"substeps\": 4, \"gravity\": [0, -10, 0], "), "ball:0");
    const double h = 0.025;
    EXPECT_NEAR(t.rows[1][2], -10 * h * h * 4 * 5 / 2, 1e-6);
    EXPECT_NEAR(t.rows[3][2], -10 * h * h * 12 * 13 / 2, 1e-5);
}

// The potential energy of an object 2 m up, after a step too short to matter, gives its mass.
TEST_F(Runs, MassesFollowFromDensities) {
    const std::string extra = R"("fps": 1e6, "gravity": [0, -10, 0], )";
    const std::string up = R"(, "translate": [0, 2, 0]})";
    run(scene(R"({"name": "a", "type": "cloth", "density": 0.3, "grid": {"size": [2, 3], "cells": [5, 4]})" + up, "",
              extra),
        "a:0");
    EXPECT_NEAR(stats(1).at("potential"), 0.3 * 6 * 10 * 2, 1e-3);
    run(scene(R"({"name": "a", "type": "rope", "density": 0.3, "points": [[0, 0, 0], [4, 0, 0]], "segments": 7)" + up,
              "", extra),
        "a:0");
    EXPECT_NEAR(stats(1).at("potential"), 0.3 * 4 * 10 * 2, 1e-3);
    write("tet.vtk", "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n"
                     "0 0 0 1 0 0 0 0 1 0 -1 0\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n");
    run(scene(R"({"name": "a", "type": "soft", "density": 600, "mesh": "tet.vtk", "young": 1e4)" + up, "", extra),
        "a:0");
    EXPECT_NEAR(stats(1).at("potential"), 100 * 10 * 1.75, 1e-2);
}

TEST_F(Runs, AHangingSpringStretchesByItsLoad) {
    // 0.1 kg on 1e-2 m/N at g = 10: 10 mm.
    const Table t =
        run(scene(R"({"name": "p", "type": "particles", "positions": [[0, 0, 0], [0, -1, 0]], "masses": 0.1})",
                  R"({"type": "pin", "at": {"object": "p", "vertices": [0]}},
                                 {"type": "distance", "a": ["p", 0], "b": ["p", 1], "compliance": 0.01, "damping": 0.05})",
                  "\"gravity\": [0, -10, 0], "),
            "p:0,p:1", {"--frames", "200"});
    EXPECT_EQ(t.header.size(), 7u);
    EXPECT_EQ(t.rows.back()[2], 0);
    EXPECT_NEAR(t.rows.back()[5], -1.01, 1e-5);
    EXPECT_NEAR(last_stats().at("elastic"), 0.5 * 1 * 0.01, 1e-4);
}

// A ball on a thread that only pulls, above its end: it falls freely until that is taut, and then hangs.
TEST_F(Runs, AThreadOnlyPulls) {
    const std::string objects =
        R"({"name": "p", "type": "particles", "positions": [[0, 0, 0], [0, -0.2, 0]], "masses": 1})";
    const Table t = run(scene(objects,
                              R"({"type": "pin", "at": {"object": "p", "vertices": [0]}},
                                 {"type": "distance", "a": ["p", 0], "b": ["p", 1], "length": 1, "upper": 0})",
                              "\"fps\": 100, \"gravity\": [0, -10, 0], \"solver\": {\"tolerance\": 1e-8}, "),
                        "p:1", {"--frames", "60"});
    const double h = 0.01;
    for (size_t n = 0; n <= 39; n++) {
        EXPECT_NEAR(t.rows[n][2], -0.2 - 10 * h * h * static_cast<double>(n * (n + 1)) / 2, 1e-5);
    }
    EXPECT_NEAR(t.rows[60][2], -1, 1e-5);
    EXPECT_EQ(last_stats().at("broken"), 0);
}

TEST_F(Runs, AThreadBreaks) {
    const std::string objects =
        R"({"name": "p", "type": "particles", "positions": [[0, 0, 0], [0, -1, 0]], "masses": 1})";
    const Table t = run(scene(objects,
                              R"({"type": "pin", "at": {"object": "p", "vertices": [0]}},
                                 {"type": "distance", "a": ["p", 0], "b": ["p", 1], "strength": 9})",
                              "\"fps\": 100, \"gravity\": [0, -10, 0], "),
                        "p:1", {"--frames", "20"});
    EXPECT_NEAR(t.rows[1][2], -1, 1e-5);
    EXPECT_NEAR(t.rows[20][2], -1 - 10 * 1e-4 * 19 * 20 / 2, 1e-5);
    EXPECT_EQ(last_stats().at("broken"), 1);
}

// Its ends come nearer to each other than it was long, which nothing holds them from.
TEST_F(Runs, ABrokenThreadIsNotViolated) {
    run(scene(R"({"name": "p", "type": "particles", "positions": [[0, 0, 0], [0, -1, 0]], "masses": 1})",
              R"({"type": "pin", "at": {"object": "p", "vertices": [0]},
                  "motion": [{"time": 0.1}, {"time": 0.2, "translate": [0, -1, 0]}]},
                 {"type": "distance", "a": ["p", 0], "b": ["p", 1], "strength": 9})",
              "\"fps\": 100, \"gravity\": [0, -10, 0], "),
        "p:1", {"--frames", "20", "--strict"});
    EXPECT_EQ(last_stats().at("broken"), 1);
    EXPECT_EQ(last_stats().at("max_violation"), 0);
    EXPECT_EQ(last_stats().at("overstretch"), 0);
}

// Wind on what is pinned is borne by what moves the pins, and gives the flag nothing.
TEST_F(Runs, FlagsFollowMovingPoles) {
    run(scene(R"({"name": "flag", "type": "cloth", "fabric": "silk", "grid": {"size": [1.8, 1.2], "cells": [12, 8]},
                  "rotate_degrees": [90, 0, 0], "air": {"wind": [7, 0, 1]}})",
              R"({"type": "pin", "at": {"object": "flag", "vertices": [0, 13, 26, 39, 52, 65, 78, 91, 104]},
                  "motion": [{"time": 1, "translate": [0, 0, 1.2]}]})",
              "\"fps\": 24, "),
        "flag:12", {"--frames", "24", "--strict"});
}

// An octahedron of cloth with corners at r has the volume 4 r^3/3. By default its steps have two stages.
TEST_F(Runs, PressureDoesTheWorkOfTheVolume) {
    write("octahedron.obj", "v .15 0 0\nv -.15 0 0\nv 0 .15 0\nv 0 -.15 0\nv 0 0 .15\nv 0 0 -.15\n"
                            "f 1 3 5\nf 3 2 5\nf 2 4 5\nf 4 1 5\nf 3 1 6\nf 2 3 6\nf 4 2 6\nf 1 4 6\n");
    for (const char* const fps : {"24", "60"}) {
        SCOPED_TRACE(fps);
        const Table corner = run(std::string(R"({"taut": 1, "frames": 20, "gravity": [0, 0, 0], "fps": )") + fps +
                                     R"(, "objects": [{"name": "b", "type": "cloth", "mesh": "octahedron.obj",
                                         "fabric": "rubber", "pressure": 3000}]})",
                                 "b:0");
        double work = 0;
        for (const Record& frame : read_stats(read("stats.jsonl"))) {
            work += frame.at("work_forces");
        }
        const double r = corner.rows.back().at(1), grown = 4.0 / 3 * (r * r * r - 0.15 * 0.15 * 0.15);
        EXPECT_GT(grown, 5e-4);
        EXPECT_NEAR(work, 3000 * grown, 0.01 * 3000 * grown);
    }
}

TEST_F(Runs, WindGivesNoMoreThanItsWork) {
    const std::string file = write("scene.json", R"({"taut": 1, "frames": 60, "gravity": [0, 0, 0], "objects": [
        {"name": "b", "type": "cloth", "grid": {"size": [1, 1], "cells": [6, 6]}, "rotate_degrees": [90, 0, 0],
         "fabric": "jersey", "air": {"drag": 0.6, "friction": 0.01, "wind": [0, 0, 5]}}],
        "constraints": [{"type": "pin", "at": {"object": "b", "box": [[-1, 0.49, -1], [1, 0.51, 1]]}}]})");
    const Result result = taut({"run", file, "--backend", "cpu"});
    EXPECT_EQ(result.code, 0);
    EXPECT_EQ(result.err, "");
}

// Two pinned corners that a hard constraint would have in one place.
TEST_F(Runs, WhatIsFixedApartIsToldOf) {
    const auto told = [&](const std::string& vertices, const std::string& law) {
        const std::string text =
            scene(small_sheet, R"({"type": "pin", "at": {"object": "sheet", "vertices": )" + vertices +
                                   R"(}}, {"a": ["sheet", 0], "b": ["sheet", 1], )" + law + "}");
        return taut({"run", write("scene.json", text), "--backend", "cpu", "--strict"}).err;
    };
    const std::string part = "1 hard constraint between two fixed points does not hold at the end, most of all "
                             "constraints[1], by ";
    EXPECT_NE(told("[0, 1]", R"("type": "attach")").find(part), std::string::npos);
    EXPECT_NE(told("[0, 1]", R"("type": "distance", "length": 3)").find(part), std::string::npos);
    EXPECT_EQ(told("[0, 1]", R"("type": "distance")"), "");
    EXPECT_EQ(told("[0, 1]", R"("type": "distance", "length": 3, "upper": 0)").find(part), std::string::npos);
    EXPECT_EQ(told("[0, 1]", R"("type": "attach", "compliance": 1e-3)").find(part), std::string::npos);
    EXPECT_EQ(told("[0, 2]", R"("type": "attach")").find(part), std::string::npos);
}

TEST_F(Runs, ARopeSpringScalesWithLength) {
    // Two segments of 0.5 m, 1 kg hanging from a nearly massless rope: 2 * (c * 0.5) * m g = 0.1 m.
    const Table t = run(scene(R"({"name": "r", "type": "rope", "points": [[0, 0, 0], [0, -1, 0]], "segments": 2,
                                  "density": 1e-3, "stretch": {"compliance": 0.01, "damping": 0.05}},
                                 {"name": "w", "type": "particles", "positions": [[0, -1, 0]], "masses": 1})",
                              R"({"type": "pin", "at": {"object": "r", "vertices": [0]}},
                                 {"type": "attach", "a": ["r", 2], "b": ["w", 0]})",
                              "\"gravity\": [0, -10, 0], "),
                        "w:0", {"--frames", "200"});
    EXPECT_NEAR(t.rows.back()[2], -1.1, 2e-4);
}

TEST_F(Runs, MovedPinsFollowTheirKeys) {
    const std::string motion = R"("motion": [{"time": 0.1, "translate": [0, 0.2, 0]},
                                             {"time": 0.2, "translate": [0, 0.2, 0], "rotate_degrees": [0, 90, 0]}])";
    for (const char* law : {"", ", \"compliance\": 0"}) {
        const Table t = run(scene(two_particles,
                                  R"({"type": "pin", "at": {"object": "p", "vertices": [0, 1]}, )" + motion + law + "}",
                                  "\"fps\": 20, "),
                            "p:0,p:1", {"--frames", "6"});
        ASSERT_EQ(t.rows.size(), 7u);
        const std::vector<double> heights = {0, 0.1, 0.2, 0.2, 0.2, 0.2, 0.2};
        for (size_t n = 0; n < heights.size(); n++) {
            EXPECT_NEAR(t.rows[n][2], heights[n], 1e-5) << law << " frame " << n;
        }
        // A quarter turn about y through the middle (0.5, 0, 0).
        EXPECT_NEAR(t.rows[6][1], 0.5, 1e-5) << law;
        EXPECT_NEAR(t.rows[6][3], 0.5, 1e-5) << law;
        EXPECT_NEAR(t.rows[6][6], -0.5, 1e-5) << law;
    }
}

TEST_F(Runs, ThreadsDoNotChangeTheResult) {
    const std::string text = scene(std::string(small_sheet) + "," + short_rope, sheet_corner);
    run(text, "sheet:8,rope:4", {"--threads", "1"});
    const std::string one = read("trace.csv");
    run(text, "sheet:8,rope:4", {"--threads", "2"});
    EXPECT_EQ(one, read("trace.csv"));
}

// ---- failed runs ----------------------------------------------------------------------------------------------------

const char* const too_fast =
    R"({"name": "p", "type": "particles", "positions": [[0, 0, 0]], "velocities": [[0, -9.7, 0]]})";

TEST_F(Runs, DivergenceLeavesTheGoodFrames) {
    // 9.7 m/s grows by 9.81/60 = 0.1635 a frame: over 10 in the second.
    const std::string file = write("scene.json", scene(too_fast, "", "\"speed_limit\": 10, "));
    const Result result = taut({"run", file, "--backend", "cpu", "--stats", path("s.jsonl"), "--trace",
                                "p:0=" + path("t.csv"), "--export", "obj,pc2", "--out", path("out")});
    EXPECT_EQ(result.code, 1) << result.err;
    EXPECT_EQ(line_count(result.err), 1u) << result.err;
    EXPECT_EQ(result.err.rfind(file + ": frame 2: ", 0), 0u) << result.err;
    EXPECT_TRUE(contains(result.err, "state is kept. The fastest in it was vertex 0 of 'p', at 10 m/s.")) << result.err;
    EXPECT_TRUE(contains(result.out, "diverged: 1 frame,")) << result.out;
    EXPECT_EQ(read_stats(read("s.jsonl")).size(), 1u);
    EXPECT_EQ(read_table(read("t.csv")).rows.size(), 2u);
    for (const std::string& name : list("out")) {
        EXPECT_FALSE(contains(name, ".part")) << name;
    }
}

TEST_F(Runs, AnUnconvergedStepFailsOnlyWhereTheSceneDemandsConvergence) {
    // A pendulum chain let go: the second frame has something to solve.
    const std::string rope = R"({"name": "r", "type": "rope", "points": [[0, 0, 0], [10, 0, 0]], "segments": 200,
                                 "density": 1})";
    const std::string ends = R"({"type": "pin", "at": {"object": "r", "vertices": [0]}})";
    const auto text = [&](const char* demand) {
        return scene(rope, ends,
                     std::string(R"("solver": {"preconditioner": "none", "max_iterations": 1,
                                                           "require_convergence": )") +
                         demand + "}, ");
    };
    const Result strict = taut({"run", write("strict.json", text("true")), "--backend", "cpu"});
    EXPECT_EQ(strict.code, 1);
    EXPECT_TRUE(contains(strict.err, "strict.json: frame 2: the solver did not converge")) << strict.err;
    EXPECT_EQ(line_count(strict.err), 1u);
    const Result lenient = taut({"run", write("lenient.json", text("false")), "--backend", "cpu"});
    EXPECT_EQ(lenient.code, 0) << lenient.err;
    EXPECT_TRUE(contains(lenient.out, "2 frames did not converge")) << lenient.out;
    EXPECT_EQ(line_count(lenient.err), 1u) << lenient.err;
    EXPECT_TRUE(contains(
        lenient.err, "lenient.json: the motion is inexact: 2 of 3 frames did not converge (1 stopped at "
                     "the limit of iterations, 1 slowed down so as to gain no energy; first frame 2, worst residual "))
        << lenient.err;
    EXPECT_TRUE(contains(lenient.err, "To change: raise \"max_iterations\"")) << lenient.err;
    const Result counted = taut({"run", path("lenient.json"), "--backend", "cpu", "--strict", "--json"});
    EXPECT_EQ(counted.code, 1);
    EXPECT_EQ(line_count(counted.err), 1u) << counted.err;
    const Record summary = read_record(counted.out);
    EXPECT_EQ(summary.strings.at("end"), "not converged");
    EXPECT_EQ(summary.at("outcomes.converged"), 1);
    EXPECT_EQ(summary.at("outcomes.iteration_limit"), 1);
    EXPECT_EQ(summary.at("outcomes.damped"), 1);
    EXPECT_EQ(summary.at("outcomes.stagnated"), 0);
    EXPECT_EQ(taut({"run", write("good.json", scene(small_sheet)), "--backend", "cpu", "--strict"}).code, 0);
}

TEST_F(Runs, MissingBackend) {
    if (contains(taut({"info"}).out, "cuda   available")) {
        GTEST_SKIP() << "this machine has CUDA";
    }
    const Result result = taut({"run", write("scene.json", scene(two_particles)), "--backend", "cuda"});
    EXPECT_EQ(result.code, 3);
    EXPECT_EQ(line_count(result.err), 1u) << result.err;
    EXPECT_EQ(result.out, "");
}

} // namespace
