// Contact surfaces in scenes: what the builder makes of them, and what a checker that knows nothing of taut finds in
// the meshes that the tool writes.
#include "built.h"
#include "folder.h"
#include "process.h"
#include "runs.h"

#include <cstdio>
#include <filesystem>

using namespace app;

namespace {

// ---- what is built --------------------------------------------------------------------------------------------------

struct Kind {
    const char* object;
    const char* size; // the key of its thickness
    size_t points, faces;
};

const Kind kinds[] = {
    {R"("type": "cloth", "grid": {"size": [1, 1], "cells": [3, 2]}, "density": 1)", "thickness", 12, 12},
    {R"("type": "rope", "points": [[0, 0, 0], [1, 0, 0]], "segments": 4, "density": 1)", "radius", 5, 4},
    {R"("type": "soft", "grid": {"size": [1, 1, 1], "cells": [2, 2, 2]}, "density": 1, "young": 1)", "radius", 26, 48},
    {R"("type": "rod", "points": [[0, 0, 0], [1, 0, 0]], "segments": 4, "density": 1, "radius": 1, "young": 1)",
     "radius", 5, 4},
};

std::string object(const Kind& kind, const std::string& contact) {
    return R"({"name": "o", "contact": {)" + contact + "}, " + kind.object + "}";
}

TEST(BuiltSurfaces, AreOfTrianglesOrSegments) {
    for (const Kind& kind : kinds) {
        const std::string size = std::string("\"") + kind.size + "\": 0.02";
        const Built surface(scene(object(kind, size)));
        ASSERT_TRUE(surface.good) << surface.cause.text;
        EXPECT_EQ(surface.scene.touching_count, kind.points) << kind.object;
        EXPECT_EQ(surface.scene.face_count, kind.faces) << kind.object;
        EXPECT_TRUE(surface.scene.kinds[TAUT_CONTACT]) << kind.object;
        EXPECT_TRUE(surface.file.objects[0].touching.self) << kind.object;
        const Built alone(scene(object(kind, size + ", \"self\": false")));
        ASSERT_TRUE(alone.good) << alone.cause.text;
        EXPECT_FALSE(alone.file.objects[0].touching.self) << kind.object;
        EXPECT_EQ(alone.scene.face_count, kind.faces) << kind.object;
    }
}

// Without a thickness, or where the file says so, only vertices touch.
TEST(BuiltSurfaces, MayBePointsAlone) {
    for (const Kind& kind : kinds) {
        const std::string size = std::string("\"") + kind.size + "\": ";
        for (const std::string& contact : {size + "0", size + "0.02, \"surface\": false"}) {
            const Built points(scene(object(kind, contact)));
            ASSERT_TRUE(points.good) << points.cause.text;
            EXPECT_EQ(points.scene.touching_count, kind.points) << kind.object << contact;
            EXPECT_EQ(points.scene.face_count, 0u) << kind.object << contact;
            EXPECT_FALSE(points.scene.kinds[TAUT_CONTACT]) << kind.object << contact;
        }
    }
}

const std::string corner = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 3 4\n";

class Surfaces : public Runs {
  protected:
    // The checker's answer to the last frame of some objects.
    Result check(const std::vector<std::string>& objects, size_t frame, const std::vector<std::string>& more = {}) {
        std::vector<std::string> arguments;
        for (const std::string& name : objects) {
            char number[8];
            std::snprintf(number, sizeof number, "%04zu", frame);
            arguments.push_back(path("out/" + name + "." + number + ".obj"));
        }
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run_program(TAUT_CHECK_SURFACE, arguments);
    }
    // Heights of the lowest and the highest vertex.
    std::pair<double, double> heights(const std::string& object, size_t frame) {
        char number[8];
        std::snprintf(number, sizeof number, "%04zu", frame);
        std::pair<double, double> ends(1e30, -1e30);
        double at[3];
        for (const std::string& line : lines(read("out/" + object + "." + number + ".obj"))) {
            if (std::sscanf(line.c_str(), "v %lf %lf %lf", &at[0], &at[1], &at[2]) == 3) {
                ends = {std::min(ends.first, at[1]), std::max(ends.second, at[1])};
            }
        }
        return ends;
    }
    double lowest(const std::string& object, size_t frame) { return heights(object, frame).first; }
    double highest(const std::string& object, size_t frame) { return heights(object, frame).second; }
    // Runs a scene of `frames` frames whose meshes are written.
    void simulate(const std::string& objects, const std::string& constraints, size_t frames,
                  const std::string& settings, const std::string& method = "auto") {
        std::filesystem::remove_all(path("out"));
        const std::string extra = R"("integrator": {"mass_damping": 1}, "solver": {"tolerance": 1e-3, "method": ")" +
                                  method + "\"}, " + settings;
        const Result result =
            taut({"run", write("scene.json", scene(objects, constraints, extra)), "--frames", std::to_string(frames),
                  "--backend", "cpu", "--threads", "1", "--export", "obj", "--out", path("out")});
        ASSERT_EQ(result.code, 0) << result.err;
    }
    // 'held' and 'falls', 2 cm thick, have come to lie on each other.
    void expect_lines_meet(size_t frame) {
        const Result seen = check({"held", "falls"}, frame, {"--thickness", "0.02"});
        EXPECT_TRUE(contains(seen.out, "nearest lines 0.0")) << seen.out;
        EXPECT_EQ(seen.code, 0) << seen.out;
    }
};

// A mesh on a body or in its cells touches as a surface, points as points.
TEST_F(Surfaces, MappedMeshesTouch) {
    const std::string mesh = write("corner.obj", corner);
    const std::string body = R"({"name": "b", "type": "rigid", "sphere": {"radius": 1}, "mass": 1})";
    const auto mapped = [&](const std::string& members) {
        return R"({"taut": 1, "objects": [)" + body +
               R"(], "mappings": [{"name": "m", "type": "points", "body": "b", )" + members + "}]}";
    };
    const Built surface(mapped("\"mesh\": \"" + mesh + R"(", "contact": {"radius": 0.01})"));
    ASSERT_TRUE(surface.good) << surface.cause.text;
    EXPECT_EQ(surface.scene.touching_count, 4u);
    EXPECT_EQ(surface.scene.face_count, 2u);
    EXPECT_FALSE(surface.file.mappings[0].touching.self);
    const Built points(mapped(R"("positions": [[0, 0, 0], [1, 0, 0]], "contact": {"radius": 0.01})"));
    ASSERT_TRUE(points.good) << points.cause.text;
    EXPECT_EQ(points.scene.touching_count, 2u);
    EXPECT_EQ(points.scene.face_count, 0u);
    const Built bare(mapped("\"mesh\": \"" + mesh + R"(", "contact": {})"));
    ASSERT_TRUE(bare.good) << bare.cause.text;
    EXPECT_EQ(bare.scene.touching_count, 4u);
    EXPECT_EQ(bare.scene.face_count, 0u);
}

TEST_F(Surfaces, CheckCountsFaces) {
    const std::string file = write("scene.json", scene(object(kinds[0], "\"thickness\": 0.01")));
    const Result text = taut({"check", file});
    EXPECT_TRUE(contains(text.out, ", 12 contact points, 12 touching faces, ")) << text.out;
    const Result json = taut({"check", "--json", file});
    EXPECT_TRUE(contains(json.out, "\"touching_points\":12,\"touching_faces\":12,\"colliders\":0")) << json.out;
}

// ---- the checker ----------------------------------------------------------------------------------------------------

TEST_F(Surfaces, TheCheckerSeesCuts) {
    const std::string face = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    const std::string needle = "v 0.2 0.2 -1\nv 0.2 0.2 1\nv 3 3 0\n";
    const std::string mesh = write("face.obj", face);
    EXPECT_EQ(run_program(TAUT_CHECK_SURFACE, {mesh}).out, "cuts 0\n");
    const Result crossed = run_program(TAUT_CHECK_SURFACE, {mesh, write("needle.obj", needle + "l 1 2\n")});
    EXPECT_EQ(crossed.out, "cuts 1\n");
    EXPECT_EQ(crossed.code, 1);
    EXPECT_EQ(run_program(TAUT_CHECK_SURFACE, {mesh, write("beside.obj", needle + "l 2 3\n")}).code, 0);
    EXPECT_EQ(run_program(TAUT_CHECK_SURFACE, {mesh, write("through.obj", needle + "f 1 2 3\n")}).out, "cuts 2\n");
}

TEST_F(Surfaces, TheCheckerSeesWhatIsInside) {
    // A tetrahedron with three sides of length 3 along the axes, and a point 0.5 from three of its faces.
    const std::string closed =
        write("closed.obj", "v 0 0 0\nv 3 0 0\nv 0 3 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    const std::string points = write("points.obj", "v 2 2 2\nv 0.5 0.5 0.5\nv -1 0 0\n");
    const Result inside = run_program(TAUT_CHECK_SURFACE, {points, "--inside", closed});
    EXPECT_EQ(inside.out, "cuts 0, inside 1, deepest 0.5 m at vertex 1\n");
    EXPECT_EQ(inside.code, 1);
    EXPECT_EQ(run_program(TAUT_CHECK_SURFACE, {points, "--inside", closed, "--depth", "0.6"}).code, 0);
    EXPECT_EQ(run_program(TAUT_CHECK_SURFACE, {points, "--inside", closed, "--move", "-9", "0", "0"}).code, 0);
}

TEST_F(Surfaces, TheCheckerSeesRopesThatAreTooNear) {
    const std::string lines = write("lines.obj", "v 0 0 0\nv 1 0 0\nv 0.5 0.03 1\nv 0.5 0.03 -1\nl 1 2\nl 3 4\n");
    const Result apart = run_program(TAUT_CHECK_SURFACE, {lines, "--thickness", "0.02"});
    EXPECT_EQ(apart.out, "cuts 0, nearest lines 0.03 m\n");
    EXPECT_EQ(apart.code, 0);
    EXPECT_EQ(run_program(TAUT_CHECK_SURFACE, {lines, "--thickness", "0.04"}).code, 1);
}

// ---- what is simulated ----------------------------------------------------------------------------------------------

const std::string plane = R"({"name": "floor", "type": "collider", "plane": {}})";

std::string sheet(const std::string& name, int cells, const std::string& place, const std::string& contact) {
    const std::string n = std::to_string(cells), stretch = std::to_string(1e-3 / cells),
                      shear = std::to_string(7e-3 / cells);
    return R"({"name": ")" + name + R"(", "type": "cloth", "density": 0.2, "grid": {"size": [1, 1], "cells": [)" + n +
           ", " + n + "]}, " + place + R"(, "stretch": {"damping": 0.01, "compliance": )" + stretch +
           R"(}, "shear": {"damping": 0.01, "compliance": )" + shear + R"(},
               "bend": {"compliance": 1e4, "damping": 0.02}, "contact": {)" +
           contact + "}}";
}

std::string rope(const std::string& name, const std::string& points, int segments) {
    return R"({"name": ")" + name + R"(", "type": "rope", "density": 0.1, "points": )" + points + R"(, "segments": )" +
           std::to_string(segments) +
           R"(, "stretch": {"compliance": 1e-4}, "bend": {"compliance": 1e4, "damping": 0.01},
               "contact": {"radius": 0.01}})";
}

TEST_F(Surfaces, ASheetThatLandsOnAnEdgeDoesNotCutItself) {
    const std::string place = R"("rotate_degrees": [80, 0, 3], "translate": [0, 0.55, 0])";
    simulate(plane + ", " + sheet("sheet", 16, place, "\"thickness\": 0.01"), "", 48, "\"substeps\": 2, ");
    const Result good = check({"sheet"}, 48);
    EXPECT_EQ(good.code, 0) << good.out;
}

// Both halves swing down from a bar and meet. The second run shows that there is something to see.
TEST_F(Surfaces, HalvesOfASheetMeet) {
    const std::string bar = R"({"name": "bar", "type": "collider", "capsule": {"radius": 0.04, "length": 2}})";
    const std::string place = R"("rotate_degrees": [0, 5, 0], "translate": [0.02, 0.06, 0])";
    for (const bool self : {true, false}) {
        const std::string contact = std::string(R"("thickness": 0.01, "self": )") + (self ? "true" : "false");
        simulate(bar + ", " + sheet("sheet", 12, place, contact), "", 36, "\"substeps\": 2, ");
        const Result seen = check({"sheet"}, 36, {"--list"});
        EXPECT_EQ(seen.code, self ? 0 : 1) << seen.out;
        EXPECT_EQ(line_count(seen.out) > 20, !self) << seen.out;
    }
}

TEST_F(Surfaces, ASheetDrapesOverABall) {
    const std::string ball =
        R"({"name": "ball", "type": "collider", "sphere": {"radius": 0.2}, "translate": [0, 0.5, 0]})";
    simulate(plane + ", " + ball + ", " +
                 sheet("sheet", 20, R"("translate": [0.03, 0.72, 0.02])", "\"thickness\": 0.01"),
             "", 48, "\"substeps\": 2, ");
    // What is exported of a ball has flat sides, a little inside.
    const Result good = check({"sheet"}, 48, {"--inside", path("out/ball.0048.obj")});
    EXPECT_EQ(good.code, 0) << good.out;
}

TEST_F(Surfaces, ASheetLiesOnASheet) {
    const std::string box =
        R"({"name": "box", "type": "collider", "box": {"sides": [0.3, 0.3, 0.3]}, "translate": [0, 0.15, 0]})";
    const std::string low = R"("translate": [0, 0.32, 0], "rotate_degrees": [0, 10, 0])";
    const std::string high = R"("translate": [0.03, 0.36, 0.05])";
    const auto both = [&](const std::string& contact) {
        return plane + ", " + box + ", " + sheet("low", 10, low, contact) + ", " + sheet("high", 10, high, contact);
    };
    simulate(both("\"thickness\": 0.01"), "", 40, "\"substeps\": 2, ");
    const Result good = check({"low", "high"}, 40);
    EXPECT_EQ(good.code, 0) << good.out;
    simulate(both(R"("thickness": 0.01, "surface": false)"), "", 40, "\"substeps\": 2, ");
    EXPECT_EQ(check({"low", "high"}, 40).code, 1);
}

TEST_F(Surfaces, ARopePilesUp) {
    // Segments longer than the rope is thick: shorter ones start too near to those after the next ever to meet them.
    simulate(plane + ", " + rope("rope", "[[0, 0.05, 0], [0.004, 1.2, 0.003]]", 50), "", 60, "\"substeps\": 4, ");
    const Result good = check({"rope"}, 60, {"--thickness", "0.02"});
    EXPECT_EQ(good.code, 0) << good.out;
}

// One is held at both ends, and the other falls across it.
TEST_F(Surfaces, ARopeHangsOnARope) {
    simulate(rope("held", "[[-0.5, 0, 0], [0.5, 0, 0]]", 20) + ", " +
                 rope("falls", "[[0.01, 0.05, -0.4], [0.01, 0.05, 0.4]]", 16),
             R"({"type": "pin", "at": {"object": "held", "vertices": [0, 20]}})", 90, "\"substeps\": 2, ");
    expect_lines_meet(90);
}

// The same with rods, which meet as surfaces without being told how thick they are.
TEST_F(Surfaces, ARodLiesOnARod) {
    const auto rod = [](const std::string& name, const std::string& points) {
        return R"({"name": ")" + name +
               R"(", "type": "rod", "segments": 12, "radius": 0.01, "density": 1000, "young": 1e6,
                   "contact": {}, "points": )" +
               points + "}";
    };
    simulate(rod("held", "[[-0.3, 0, 0], [0.3, 0, 0]]") + ", " +
                 rod("falls", "[[0.01, 0.04, -0.3], [0.01, 0.04, 0.3]]"),
             R"({"type": "pin", "at": {"object": "held", "vertices": [0, 12]}})", 40, "\"substeps\": 2, ");
    expect_lines_meet(40);
}

// A block on a block that is turned by 45 degrees: corners are beside faces.
TEST_F(Surfaces, SoftBodiesStack) {
    const auto block = [](const std::string& name, const std::string& place) {
        return R"({"name": ")" + name + R"(", "type": "soft", "model": "corotational", "density": 500, "young": 2e4,
                   "grid": {"size": [0.2, 0.2, 0.2], "cells": [2, 2, 2]}, "contact": {"radius": 0.005}, )" +
               place + "}";
    };
    simulate(plane + ", " + block("low", R"("translate": [0, 0.12, 0])") + ", " +
                 block("high", R"("translate": [0, 0.35, 0], "rotate_degrees": [0, 45, 0])"),
             "", 40, "\"substeps\": 2, ");
    const Result good = check({"low", "high"}, 40);
    EXPECT_EQ(good.code, 0) << good.out;
    EXPECT_GT(lowest("high", 40), 0.15);
}

// Cloth whose squares are larger than a box falls on it: its corners and edges are not to be seen through the cloth,
// wherever the box stands or goes. Without a skin they are.
class Skins : public Surfaces {
  protected:
    const char* const moves_ =
        R"("motion": [{"time": 0, "translate": [0, 0, 0]}, {"time": 1, "translate": [0, 0.05, 0]}],
                                  "translate": [0.02, 0.1, 0.01], "rotate_degrees": [20, 0, 30])";
    std::string before_;
    void drop_on_box(const std::string& box, const std::string& method) {
        simulate(before_ + R"({"name": "box", "type": "collider", "box": {"sides": [0.1, 0.1, 0.1]}, )" + box + "}, " +
                     sheet("sheet", 4, R"("translate": [0, 0.2, 0])", "\"thickness\": 0.01"),
                 "", 20, "\"substeps\": 2, ", method);
    }
    void holds(const std::string& box, const std::string& method) {
        drop_on_box(box, method);
        const Result good = check({"sheet", "box"}, 20);
        EXPECT_EQ(good.code, 0) << good.out;
        EXPECT_GT(highest("sheet", 20), 0.14);
        drop_on_box(box + ", \"skin\": false", method);
        EXPECT_EQ(check({"sheet", "box"}, 20).code, 1);
    }
};

TEST_F(Skins, InTheWorld) {
    holds(R"("translate": [0.02, 0.1, 0.01])", "auto");
}

TEST_F(Skins, ThatMove) {
    holds(moves_, "auto");
}

TEST_F(Skins, OfABody) {
    before_ =
        R"({"name": "post", "type": "rigid", "sphere": {"radius": 0.01}, "mass": 1, "fixed": true, "translate": [5, 0, 0]}, )";
    holds(R"("body": "post", "translate": [0.02, 0.1, 0.01])", "auto");
}

// A rigid box that touches is a collider with a skin without being asked: cloth lies on its upper edge.
TEST_F(Skins, OfARigidBox) {
    simulate(
        R"({"name": "box", "type": "rigid", "box": {"sides": [0.6, 0.1, 0.1]}, "mass": 1, "fixed": true, "contact": {},
                 "translate": [0.02, 0.1, 0.12], "rotate_degrees": [45, 0, 0]}, )" +
            sheet("sheet", 4, R"("translate": [0, 0.2, 0])", "\"thickness\": 0.01"),
        "", 20, "\"substeps\": 2, ");
    const Result good = check({"sheet", "box"}, 20);
    EXPECT_EQ(good.code, 0) << good.out;
}

// ---- what meets a surface -------------------------------------------------------------------------------------------

// A sheet in the world, 1 cm thick and 0.4 m large, as an obstacle; "table".
std::string table_at(const std::string& height) {
    return R"({"name": "table", "type": "cloth", "grid": {"size": [0.4, 0.4], "cells": [2, 2]}, "density": 1,
               "translate": [0, )" +
           height + R"(, 0], "contact": {"thickness": 0.01}})";
}
const std::string held = R"({"type": "pin", "at": {"object": "table", "box": [[-9, -9, -9], [9, 9, 9]]}})";

// Points of particles and of bodies, from either side of what they meet.
TEST_F(Surfaces, PointsRestOnThem) {
    const char* const things[] = {
        R"({"name": "o", "type": "particles", "positions": [[0.05, 0.03, 0.03]], "contact": {"radius": 0.01}})",
        R"({"name": "o", "type": "rigid", "sphere": {"radius": 0.01}, "mass": 1, "translate": [0.05, 0.03, 0.03],
            "contact": {}})",
        R"({"name": "o", "type": "rigid", "box": {"sides": [0.05, 0.02, 0.05]}, "mass": 1,
            "translate": [0.05, 0.03, 0.03], "contact": {}})",
    };
    for (const char* thing : things) {
        const Table down =
            run(scene(std::string(thing) + ", " + table_at("0"), held, "\"fps\": 100, "), "o:0", {"--frames", "40"});
        EXPECT_NEAR(down.rows[40][2], 0.015, 1e-4) << thing;
        const Table up =
            run(scene(std::string(thing) + ", " + table_at("0.06"), held, R"("fps": 100, "gravity": [0, 9.81, 0], )"),
                "o:0", {"--frames", "40"});
        EXPECT_NEAR(up.rows[40][2], 0.045, 1e-4) << thing;
    }
}

const std::string tent_text =
    "v -0.2 0 0.1\nv 0.2 0 0.1\nv 0.2 0 -0.1\nv -0.2 0 -0.1\nv -0.2 0.1 0.01\nv 0.2 0.1 0.01\n"
    "f 1 2 6\nf 1 6 5\nf 3 4 5\nf 3 5 6\n";

// A tent whose ridge lies between the sheet's vertices: on a body by a mapping, and as a pinned cloth.
TEST_F(Surfaces, ObstaclesMayBeOpenMeshes) {
    const std::string tent = write("tent.obj", tent_text);
    const std::string above = sheet("sheet", 5, R"("scale": 0.4, "translate": [0, 0.12, 0])", "\"thickness\": 0.01");
    const std::string post =
        R"({"name": "post", "type": "rigid", "sphere": {"radius": 0.01}, "mass": 1, "fixed": true})";
    simulate(above + ", " + post,
             R"(], "mappings": [{"name": "tent", "type": "points", "body": "post", "mesh": ")" + tent +
                 R"(", "contact": {"radius": 0.005}})",
             30, "\"substeps\": 4, ");
    const Result mapped = check({"sheet", "tent"}, 30);
    EXPECT_EQ(mapped.out, "cuts 0\n");
    EXPECT_GT(lowest("sheet", 30), -0.2); // it hangs there
    simulate(above + R"(, {"name": "tent", "type": "cloth", "density": 1, "contact": {"thickness": 0.01}, "mesh": ")" +
                 tent + "\"}",
             R"({"type": "pin", "at": {"object": "tent", "box": [[-9, -9, -9], [9, 9, 9]]}})", 30, "\"substeps\": 4, ");
    const Result pinned = check({"sheet", "tent"}, 30);
    EXPECT_EQ(pinned.out, "cuts 0\n");
    EXPECT_GT(lowest("sheet", 30), -0.2);
}

// A sheet that is flat but for 1e-6 m is nearest to the ridge at an end of that. If its other edges over the ridge did
// not count, it would bend there within a step and pass.
TEST_F(Surfaces, AFlatSheetFallsOnARidge) {
    const std::string tent =
        R"({"name": "tent", "type": "cloth", "density": 1, "contact": {"thickness": 0.01}, "mesh": ")" +
        write("tent.obj", tent_text) + "\"}";
    for (const char* width : {"0.3", "0.4", "0.6"}) {
        const std::string place = R"("scale": [)" + std::string(width) + R"(, 1, 0.4], "translate": [0, 0.12, 0])";
        simulate(sheet("sheet", 5, place, "\"thickness\": 0.01") + ", " + tent,
                 R"({"type": "pin", "at": {"object": "tent", "box": [[-9, -9, -9], [9, 9, 9]]}})", 30, "");
        for (size_t frame = 0; frame <= 30; frame++) {
            EXPECT_EQ(check({"sheet", "tent"}, frame).out, "cuts 0\n") << width << " m, frame " << frame;
        }
    }
}

} // namespace
