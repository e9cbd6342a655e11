// What `check` tells of a good scene: sizes, masses, stretches, warnings.
#include "folder.h"
#include "process.h"

#include <cJSON.h>
#include <cmath>
#include <cstdio>
#include <memory>

using namespace app;

namespace {

class Check : public Folder {
  protected:
    using Json = std::unique_ptr<cJSON, decltype(&cJSON_Delete)>;

    Result check(const std::string& text, const std::vector<std::string>& more = {}) {
        std::vector<std::string> arguments = {"check", write("scene.json", text)};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return taut(arguments);
    }
    // The only object's numbers.
    Json size_of(const std::string& object) {
        const Result result = check(scene(object), {"--json"});
        EXPECT_EQ(result.code, 0) << result.err;
        return Json(cJSON_Parse(result.out.c_str()), cJSON_Delete);
    }
    static double number(const Json& line, const char* key) {
        const cJSON* one = cJSON_GetArrayItem(cJSON_GetObjectItem(line.get(), "sizes"), 0);
        const cJSON* item = cJSON_GetObjectItem(one, key);
        return item ? item->valuedouble : std::nan("");
    }
    // Warns in one line with this part, and is content otherwise.
    void expect_warning(const std::string& text, const std::string& part) {
        const Result result = check(text);
        EXPECT_EQ(result.code, 0);
        EXPECT_EQ(line_count(result.err), 1u) << result.err;
        EXPECT_TRUE(contains(result.err, "scene.json: warning: ")) << result.err;
        EXPECT_TRUE(contains(result.err, part)) << result.err;
        const Result json = check(text, {"--json"});
        EXPECT_EQ(json.err, "");
        EXPECT_TRUE(contains(json.out, part)) << json.out;
    }
    void expect_content(const std::string& text) { EXPECT_EQ(check(text).err, ""); }
};

// Means of a hanging strip: density g L / 2 of tension, over the stiffness.
TEST_F(Check, ClothOfASheet) {
    const Json line = size_of(R"({"name": "c", "type": "cloth", "grid": {"size": [2, 3], "cells": [4, 6]},
                                  "density": 0.2, "young": 100})");
    EXPECT_NEAR(number(line, "mass"), 1.2, 1e-12);
    EXPECT_NEAR(number(line, "shortest_edge"), 0.5, 1e-12);
    EXPECT_NEAR(number(line, "longest_edge"), std::sqrt(0.5), 1e-12);
    EXPECT_NEAR(number(line, "stretch"), 0.2 * 9.81 * 3 / 2 / 100, 1e-12);
}

TEST_F(Check, RopeSoftRodAndBodies) {
    const Json rope = size_of(R"({"name": "r", "type": "rope", "points": [[0, 0, 0], [0, -2, 0]], "segments": 4,
                                  "density": 0.1, "stretch": {"compliance": 1e-3}})");
    EXPECT_NEAR(number(rope, "mass"), 0.2, 1e-12);
    EXPECT_NEAR(number(rope, "stretch"), 0.1 * 9.81 * 2 / 2 * 1e-3, 1e-12);
    const Json soft = size_of(R"({"name": "s", "type": "soft", "grid": {"size": [1, 2, 3], "cells": [2, 2, 2]},
                                  "density": 1000, "young": 1e5})");
    EXPECT_NEAR(number(soft, "mass"), 6000, 1e-6);
    EXPECT_NEAR(number(soft, "stretch"), 1000 * 9.81 * 3 / 2 / 1e5, 1e-12);
    const Json ball = size_of(R"({"name": "b", "type": "rigid", "sphere": {"radius": 0.5}, "scale": 2, "density": 3,
                                  "positions": [[0, 0, 0], [9, 0, 0]]})");
    EXPECT_NEAR(number(ball, "mass"), 2 * 3 * 4 / 3.0 * std::acos(-1), 1e-9);
    EXPECT_TRUE(std::isnan(number(ball, "stretch")));
}

// A chain of ten springs hangs as the estimate says, to the half of a piece.
TEST_F(Check, StretchIsThatOfARun) {
    const std::string rope = R"({"name": "r", "type": "rope", "points": [[0, 0, 0], [0, -1, 0]], "segments": 100,
                                 "density": 0.1, "stretch": {"compliance": 0.02, "damping": 0.5}})";
    const Result run = taut({"run", write("scene.json", scene(rope, R"({"type": "pin", "at": {"object": "r",
                             "vertices": [0]}})")),
                             "--backend", "cpu", "--frames", "600", "--trace", "r:100=" + path("t.csv")});
    ASSERT_EQ(run.code, 0) << run.err;
    const std::vector<std::string> rows = lines(read("t.csv"));
    double time = 0, x = 0, y = 0, z = 0;
    ASSERT_EQ(std::sscanf(rows.back().c_str(), "%lf,%lf,%lf,%lf", &time, &x, &y, &z), 4) << rows.back();
    EXPECT_NEAR(-y - 1, number(size_of(rope), "stretch"), 1e-4);
}

TEST_F(Check, OtherUnits) {
    const auto flag = [](const char* size, const char* more = "") {
        return scene(std::string(R"({"name": "flag", "type": "cloth", "grid": {"size": )") + size +
                     R"(, "cells": [4, 4]}, "density": 1e-3)" + more + "}");
    };
    expect_warning(flag("[334, 200]"), "'flag' is 334 m long: where its numbers are in centimetres, give it");
    expect_warning(flag("[3340, 2000]"), "in millimetres, give it");
    expect_content(flag("[334, 200]", R"(, "scale": 0.01)"));
    expect_content(flag("[2, 2]"));
    expect_warning(scene(small_sheet, "", R"("gravity": [0, -981, 0], )"), "gravity is 981 m/s^2");
    const Result both = check(scene(R"({"name": "c", "type": "cloth", "grid": {"size": [500, 500], "cells": [4, 4]},
                                        "density": 3e-4, "young": 1.2e6})",
                                    "", R"("gravity": [0, -9810, 0], )"));
    EXPECT_TRUE(contains(both.err, "'c' is 500 m long: where its numbers are in millimetres, give it \"scale\": 0.001"))
        << both.err;
}

// One line, and none for a run that goes on.
TEST_F(Check, RunsTellOtherUnits) {
    const std::string text = scene(R"({"name": "c", "type": "cloth", "grid": {"size": [1000, 1000], "cells": [4, 4]},
                                       "density": 3e-4, "young": 1.2e6})",
                                   "", R"("gravity": [0, -9810, 0], )");
    const auto run = [&](const std::vector<std::string>& more) {
        std::vector<std::string> arguments = {
            "run",          write("run.json", text), "--backend", "cpu", "--checkpoint-file",
            path("c.taut"), "--checkpoint",          "1"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return taut(arguments);
    };
    const Result first = run({"--frames", "1"});
    EXPECT_EQ(first.code, 0) << first.err;
    EXPECT_EQ(line_count(first.err), 1u) << first.err;
    EXPECT_TRUE(contains(first.err, "run.json: warning: gravity is 9810 m/s^2: on earth it is 9.81")) << first.err;
    EXPECT_EQ(run({"--frames", "2", "--resume", path("c.taut")}).err, "");
    const Result flag = taut({"run", write("flag.json", scene(R"({"name": "f", "type": "cloth", "density": 0.2,
                                           "grid": {"size": [334, 200], "cells": [4, 4]}})")),
                              "--frames", "0", "--backend", "cpu"});
    EXPECT_EQ(line_count(flag.err), 1u) << flag.err;
    EXPECT_TRUE(contains(flag.err, "'f' is 334 m long: where its numbers are in centimetres")) << flag.err;
}

// The same membrane in metres and kilograms, millimetres and grams, millimetres and tonnes: soft in all of them.
TEST_F(Check, SoftClothIsSoftInAnyUnit) {
    const auto sheet = [](const char* side, const char* density, const char* young, const char* gravity) {
        return scene(std::string(R"({"name": "c", "type": "cloth", "grid": {"size": [)") + side + ", " + side +
                         R"(], "cells": [16, 16]}, "density": )" + density + R"(, "young": )" + young +
                         R"(, "poisson": 0.02})",
                     R"({"type": "pin", "at": {"object": "c", "vertices": [0, 16]}})",
                     std::string(R"("gravity": [0, )") + gravity + ", 0], ");
    };
    for (const std::string& text : {sheet("1", "0.3", "1200", "-9.81"), sheet("1000", "3e-4", "1.2e6", "-9810"),
                                    sheet("1000", "3e-10", "1.2", "-9810")}) {
        const Result result = check(text);
        EXPECT_EQ(result.code, 0) << result.err;
        EXPECT_FALSE(contains(result.err, "contradict")) << result.err;
    }
    EXPECT_TRUE(contains(check(sheet("1000", "3e-10", "1e9", "-9810")).err, "contradict"));
}

TEST_F(Check, ClothThatItsWeightStretchesFar) {
    expect_warning(scene(R"({"name": "c", "type": "cloth", "grid": {"size": [2, 3], "cells": [4, 6]},
                             "density": 0.2, "young": 5})"),
                   "'c' stretches by 58.9 % where it hangs by its own weight");
}

TEST_F(Check, SoftBodiesThatLock) {
    const auto block = [](const char* poisson) {
        return scene(std::string(R"({"name": "b", "type": "soft", "grid": {"size": [1, 1, 1], "cells": [2, 2, 2]},
                                     "density": 1000, "young": 1e6, "poisson": )") +
                     poisson + "}");
    };
    expect_warning(block("0.5"), "of 0.5: above 0.49 tetrahedra lock");
    expect_content(block("0.49"));
}

TEST_F(Check, ASphereInsideACloth) {
    const auto at = [](const char* place, const char* shape) {
        return scene(std::string(R"({"name": "c", "type": "cloth", "grid": {"size": [1, 1], "cells": [10, 10]},
                                     "density": 0.2, "contact": {}}, {"name": "ball", "type": "collider", )") +
                     shape + R"(, "translate": )" + place + "}");
    };
    const char* const sphere = R"("sphere": {"radius": 0.25})";
    expect_warning(at("[0, 0.05, 0]", sphere), "21 of 121 vertices of objects[0] 'c' are inside 'ball' at the start");
    expect_content(at("[0, 0.26, 0]", sphere));
    expect_content(at("[3, 0, 0]", sphere));
    expect_warning(at("[0, 0, 0]", R"("box": {"sides": [0.5, 0.1, 0.5]})"), "25 of 121 vertices");
    expect_content(at("[0, -0.05, 0]", R"("box": {"sides": [0.5, 0.1, 0.5]})")); // it lies on the box
}

TEST_F(Check, PinsNearerThanTheThickness) {
    const auto layers = [](const char* apart, const char* more = "", const char* constraint = "") {
        const std::string cloth = R"("type": "cloth", "grid": {"size": [1, 1], "cells": [4, 4]}, "density": 0.2,
                                     "contact": {"thickness": 0.01)";
        return scene(R"({"name": "a", )" + cloth + R"(}}, {"name": "b", )" + cloth + more + R"(}, "translate": [0, )" +
                         apart + R"(, 0]})",
                     std::string(R"({"type": "pin", "at": {"object": "a", "vertices": [0, 1, 2]}},
                                    {"type": "pin", "at": {"object": "b", "vertices": [1, 2, 3]}})") +
                         constraint);
    };
    expect_warning(layers("0.004"), "2 pinned vertices are nearer to one of another object at the start than the "
                                    "thickness of both, those of 'a' and 'b' 0.004 of 0.01 m");
    expect_content(layers("0.0101"));
    expect_warning(layers("0.004", R"(, "surface": false)"), "2 pinned vertices are nearer");
    expect_content(layers("0.004", "", R"(, {"type": "attach", "a": ["a", 4], "b": ["b", 4], "compliance": 1e-3})"));
}

TEST_F(Check, VerticesInOnePlace) {
    const std::string two = "v 0 0 0\nv 1 0 0\nv 0 0 1\nv 1 0 0\nv 1 0 1\nv 0 0 1\nf 1 2 3\n";
    const auto cloth = [&](const std::string& faces, const std::string& constraint = "") {
        write("m.obj", two + faces);
        return scene(R"({"name": "c", "type": "cloth", "mesh": "m.obj", "density": 1})", constraint);
    };
    expect_warning(cloth("f 4 5 6\n"),
                   "4 vertices of 'c' are in 2 places, and separate: the mesh is split there, or has layers. "
                   "Merge vertices in one place in the file");
    expect_content(cloth("f 4 5 6\n", R"({"type": "attach", "a": ["c", 1], "b": ["c", 3]})"));
    write("m.obj", "v 0 0 0\nv 1 0 0\nv 0 0 1\nv 1 0 1\nf 1 2 3\nf 2 4 3\n");
    expect_content(scene(R"({"name": "c", "type": "cloth", "mesh": "m.obj", "density": 1})"));
}

TEST_F(Check, NarrowTriangles) {
    const auto cloth = [&](const std::string& width) {
        write("m.obj", "v 0 0 0\nv 0.5 0 0\nv 0 0 0.5\nv 0.5 0 0.5\nv -" + width + " 0 0\nv -" + width +
                           " 0 0.5\nf 1 2 3\nf 2 4 3\nf 5 1 3\nf 5 3 6\n");
        return scene(R"({"name": "c", "type": "cloth", "mesh": "m.obj", "density": 1})");
    };
    expect_warning(cloth("0.0005"), "objects[0] 'c' has edges of 0.0005 to 0.707 m: triangles as narrow as that");
    expect_content(cloth("0.005"));
}

TEST_F(Check, ClothThatIntersectsItself) {
    write("m.obj", "v 0 0 0\nv 1 0 0\nv 0 0 1\nv 0.2 -0.5 0.2\nv 0.2 0.5 0.2\nv 0.3 0.5 0.9\nf 1 2 3\nf 4 5 6\n");
    expect_warning(scene(R"({"name": "c", "type": "cloth", "mesh": "m.obj", "density": 1,
                             "contact": {"thickness": 0.001}})"),
                   "surfaces intersect themselves or each other in ");
}

// All intersections of these two grids are at vertices of both, on a line that they share: no edge is within a face.
TEST_F(Check, ClothThatCrossesAlongItsVertices) {
    const std::string sheet =
        R"({"name": "c", "type": "cloth", "grid": {"size": [1, 1], "cells": [10, 10]}, "density": 0.2,
                                  "contact": {"thickness": 0.01}})";
    const auto with = [&](const std::string& place) {
        return scene(sheet +
                     R"(, {"name": "d", "type": "cloth", "grid": {"size": [1, 1], "cells": [10, 10]}, "density": 0.2,
                                   "contact": {"thickness": 0.01}, )" +
                     place + "}");
    };
    expect_warning(with(R"("rotate_degrees": [80, 0, 0], "translate": [0.013, 0, 0])"), "surfaces intersect");
    expect_warning(with(R"("rotate_degrees": [90, 0, 0])"), "surfaces intersect");
    expect_content(with(R"("rotate_degrees": [90, 0, 0], "translate": [0, 0.5, 0])")); // stands on the other
    expect_content(with(R"("rotate_degrees": [90, 0, 0], "translate": [0, -0.5, 0])"));
    expect_content(with(R"("translate": [1, 0, 0])")); // beside it
}

TEST_F(Check, BodiesThatStartInEachOther) {
    const auto boxes = [](const std::string& more, const std::string& place) {
        return R"({"taut": 1, "objects": [
            {"name": "a", "type": "rigid", "box": {"sides": [1, 1, 1]}, "density": 100)" +
               more + R"(, "translate": [0, 1, 0]},
            {"name": "b", "type": "rigid", "box": {"sides": [1, 1, 1]}, "density": 100)" +
               more + R"(, "translate": [)" + place + R"(]},
            {"name": "ground", "type": "collider", "plane": {"normal": [0, 1, 0]}, "translate": [0, 0, 0]}]})";
    };
    const std::string touching = R"(, "contact": {})";
    expect_warning(boxes(touching, "0.05, 1, 0"), "bodies overlap each other or colliders at the start");
    expect_warning(boxes(touching, "3, 0.3, 0"), "by up to 0.2 m, and by up to 20 %");
    expect_content(boxes(touching, "3, 0.5, 0"));
    expect_content(boxes(touching, "1, 0.5, 0"));
    expect_warning(boxes("", "0.05, 1, 0"), "2 objects of bodies touch nothing, as objects[0] 'a'");
}

TEST_F(Check, CollidersFarFromTheirBodies) {
    const auto with = [](const std::string& place) {
        return scene(R"({"name": "cart", "type": "rigid", "box": {"sides": [1, 1, 1]}, "density": 100, "contact": {},
                         "translate": [10, 0, 0]},
                        {"name": "roof", "type": "collider", "sphere": {"radius": 0.3}, "body": "cart", )" +
                     place + "}");
    };
    expect_warning(with(R"("translate": [0, 1, 0])"), "objects[1] 'roof' is carried by 'cart', 9.2");
    expect_warning(with(R"("translate": [10, 0, 0], "axes": "body")"), "relative to the centre of mass");
    expect_content(with(R"("translate": [10, 1, 0])"));
    expect_content(with(R"("translate": [0, 1, 0], "axes": "body")"));
}

TEST_F(Check, UnknownKeysGetTheNearestKnownOne) {
    const auto key = [&](const char* given) {
        const Result result = check(scene(std::string(R"({"name": "c", "type": "cloth", "density": 1, )") + given +
                                          R"(: 1, "grid": {"size": [1, 1], "cells": [1, 1]}})"));
        EXPECT_EQ(result.code, 2);
        return result.err;
    };
    EXPECT_TRUE(contains(key("\"yuong\""), "objects[0].yuong: unknown key; the nearest known one is 'young'"));
    EXPECT_TRUE(contains(key("\"streching\""), "the nearest known one is 'stretch'"));
    EXPECT_TRUE(contains(key("\"Poisson\""), "the nearest known one is 'poisson'"));
    EXPECT_FALSE(contains(key("\"xyzzy\""), "nearest"));
}

// A straight rope between two pins reaches just as far as these are apart: nothing contradicts.
TEST_F(Check, ChainsThatReachDoNotContradict) {
    const std::string ends = R"({"type": "pin", "at": {"object": "r", "vertices": [0, 2]}})";
    const std::string rope =
        R"({"name": "r", "type": "rope", "points": [[0, 0, 0], [1, 0, 0]], "segments": 2, "density": 0.1})";
    EXPECT_FALSE(contains(check(scene(rope, ends)).err, "contradict")) << check(scene(rope, ends)).err;
    const std::string points =
        R"({"name": "r", "type": "particles", "positions": [[0, 0, 0], [0.5, 0, 0], [1, 0, 0]], "masses": [1, 1, 1]})";
    const auto links = [](const std::string& length) {
        return R"(, {"type": "distance", "a": ["r", 0], "b": ["r", 1], "length": )" + length +
               R"(}, {"type": "distance", "a": ["r", 1], "b": ["r", 2], "length": )" + length + "}";
    };
    EXPECT_FALSE(contains(check(scene(points, ends + links("0.5"))).err, "contradict"));
    const std::string parted = check(scene(points, ends + links("0.49"))).err;
    EXPECT_TRUE(contains(parted, "2 rows that are hard, or as good as hard, may contradict each other")) << parted;
}

// Along hard threads and across hard diagonals there are more rows than the points can meet. A run tells it where it is
// inexact.
TEST_F(Check, HardRowsThatContradictEachOther) {
    const auto cloth = [](const std::string& compliance, const std::string& settings) {
        const std::string law = "{\"compliance\": " + compliance + "}";
        return scene(R"({"name": "c", "type": "cloth", "model": "edges", "grid": {"size": [1, 1], "cells": [6, 6]},
                         "density": 0.2, "stretch": )" +
                         law + R"(, "shear": )" + law + "}",
                     R"({"type": "pin", "at": {"object": "c", "vertices": [0, 6]}})", settings);
    };
    const std::string told = "156 rows that are hard, or as good as hard, may contradict each other, in "
                             "objects[0].stretch (84), objects[0].shear "
                             "(72)";
    expect_warning(cloth("0", ""), told);
    EXPECT_FALSE(contains(check(cloth("1e-4", "")).err, "contradict"));
    const auto run = [&](const std::string& text) {
        return taut({"run", write("run.json", text), "--frames", "3"}).err;
    };
    const std::string cut = R"("solver": {"method": "schur_pcg", "max_iterations": 1}, )";
    EXPECT_TRUE(contains(run(cloth("0", cut)), told)) << run(cloth("0", cut));
    EXPECT_FALSE(contains(run(cloth("0", "")), "contradict"));
    EXPECT_FALSE(contains(run(cloth("1e-4", cut)), "contradict"));
}

// Methods are refused by the world, which knows whether anything can touch.
TEST_F(Check, WhatRunWouldRefuse) {
    const std::string text = scene(R"({"name": "c", "type": "cloth", "grid": {"size": [1, 1], "cells": [4, 4]},
                                       "density": 0.2, "contact": {}},
                                      {"name": "floor", "type": "collider", "plane": {"normal": [0, 1, 0]}})",
                                   "", R"("solver": {"method": "gauss_seidel"}, )");
    const Result refused = check(text);
    EXPECT_EQ(refused.code, 2);
    EXPECT_EQ(refused.out, ""); // not "good"
    EXPECT_TRUE(contains(refused.err, "method must be")) << refused.err;
    EXPECT_EQ(taut({"run", write("scene.json", text), "--frames", "0"}).err, refused.err);
}

// Two ropes of 1 m: their ends are 0.05 m apart, and 0.005 m. What has a compliance, or a length to hold, may start
// apart.
TEST_F(Check, HardConstraintsThatDoNotHoldAtTheStart) {
    const auto ropes = [](const std::string& gap, const std::string& law) {
        const auto rope = [](const std::string& name, const std::string& from, const std::string& to) {
            return R"({"name": ")" + name + R"(", "type": "rope", "segments": 4, "density": 0.1, "points": [[)" + from +
                   ", 0, 0], [" + to + R"(, 0, 0]], "stretch": {"compliance": 1e-4}})";
        };
        return scene(rope("a", "-1", "0") + ", " + rope("b", gap, "1"),
                     R"({"type": "pin", "at": {"object": "a", "vertices": [0]}},
                        {"a": ["a", 4], "b": ["b", 0], )" +
                         law + "}");
    };
    const std::string part =
        "1 hard constraint between points does not hold at the start, most of all constraints[1], by ";
    expect_warning(ropes("0.05", R"("type": "attach")"), part + "0.05 m");
    expect_warning(ropes("0.05", R"("type": "distance", "length": 0.2)"), part + "0.15 m");
    expect_warning(ropes("0.05", R"("type": "distance", "length": 0.01, "upper": 0)"), part + "0.04 m");
    expect_warning(ropes("0.05", R"("type": "distance", "length": 0.2, "lower": 0)"), part + "0.15 m");
    expect_content(ropes("0.05", R"("type": "distance", "length": 0.2, "upper": 0)"));
    expect_content(ropes("0.05", R"("type": "distance", "length": 0.01, "lower": 0)"));
    expect_content(ropes("0.05", R"("type": "distance", "length": 0.01, "lower": -10, "upper": 0)"));
    expect_content(ropes("0.005", R"("type": "attach")"));
    expect_content(ropes("0.05", R"("type": "attach", "offset": [0.05, 0, 0])"));
    expect_content(ropes("0.05", R"("type": "attach", "compliance": 1e-6)"));
    expect_content(ropes("0.05", R"("type": "distance")"));
}

} // namespace
