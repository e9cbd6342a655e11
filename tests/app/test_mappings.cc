// Mapped points: where they are, what they weigh, and constraints on them.
#include "folder.h"
#include "process.h"
#include "read_stats.h"
#include "runs.h"

#include <cmath>
#include <functional>

using namespace app;

namespace {

using Mappings = Runs;

std::string mapped(const std::string& objects, const std::string& mappings, const std::string& constraints = "",
                   const std::string& extra = "") {
    return scene(objects, constraints, extra + "\"mappings\": [" + mappings + "], ");
}

std::string mapping(const std::string& members) {
    return "{\"name\": \"m\", " + members + "}";
}

// Particles with different velocities, so that nothing agrees by chance.
const char* const loose =
    R"({"name": "p", "type": "particles", "positions": [[0, 0, 0], [1, 0, 0], [1, 2, 0], [0, 1, 3]],
    "velocities": [[0, 1, 0], [0, 0, 2], [1, 0, 0], [-1, 1, 1]]})";

const char* const bodies = R"({"name": "b", "type": "rigid", "box": {"sides": [0.2, 0.2, 0.2]}, "mass": 1,
    "positions": [[0, 0, 0], [1, 0, 0]], "velocity": [[0, 0, 0], [0, 1, 0]],
    "angular_velocity": [[0, 0, 2], [1, 0, 0]]})";

using Row = std::vector<double>;

// Columns 1 to 3 against an expression of the others, in every frame.
void expect_rows(const Table& t, const std::function<Row(const Row&)>& expected, double tolerance = 1e-9) {
    ASSERT_GT(t.rows.size(), 2u);
    for (size_t n = 0; n < t.rows.size(); n++) {
        const Row values = expected(t.rows[n]);
        for (size_t a = 0; a < 3; a++) {
            EXPECT_NEAR(t.rows[n][1 + a], values[a], tolerance) << "frame " << n << ", "
                                                                << "xyz"[a];
        }
    }
    EXPECT_NE(t.rows[0][1] + t.rows[0][2] + t.rows[0][3], t.rows[2][1] + t.rows[2][2] + t.rows[2][3]);
}

// x + R r, the first body of the trace at columns 4 to 10.
Row carried(const Row& row, size_t first, const Row& r) {
    const double* q = &row[first + 3];
    const double tx = 2 * (q[2] * r[2] - q[3] * r[1]), ty = 2 * (q[3] * r[0] - q[1] * r[2]),
                 tz = 2 * (q[1] * r[1] - q[2] * r[0]);
    return {row[first] + r[0] + q[0] * tx + q[2] * tz - q[3] * ty,
            row[first + 1] + r[1] + q[0] * ty + q[3] * tx - q[1] * tz,
            row[first + 2] + r[2] + q[0] * tz + q[1] * ty - q[2] * tx};
}

// ---- where they are -------------------------------------------------------------------------------------------------

TEST_F(Mappings, SubsetsFollowTheirVertices) {
    for (const char* place : {"\"vertices\": [2, 1]", "\"box\": [[1, 1, -1], [1, 3, 1]]"}) {
        const Table t =
            run(mapped(loose, mapping(std::string(R"("type": "subset", "object": "p", )") + place)), "m:0,p:2");
        expect_rows(t, [](const Row& r) { return Row{r[4], r[5], r[6]}; });
    }
}

TEST_F(Mappings, CombinationsAreWeightedSums) {
    const Table t = run(mapped(loose, mapping(R"("type": "combination",
                                                 "points": [[[["p", 0], 1]], [[["p", 0], 0.5], [["p", 3], -2]]])")),
                        "m:1,p:0,p:3");
    expect_rows(t, [](const Row& r) {
        return Row{0.5 * r[4] - 2 * r[7], 0.5 * r[5] - 2 * r[8], 0.5 * r[6] - 2 * r[9]};
    });
}

TEST_F(Mappings, DifferencesAndDistances) {
    const std::string pairs = R"("pairs": [[["p", 0], ["p", 1]], [["p", 1], ["p", 3]]])";
    expect_rows(run(mapped(loose, mapping("\"type\": \"difference\", " + pairs)), "m:1,p:1,p:3"), [](const Row& r) {
        return Row{r[7] - r[4], r[8] - r[5], r[9] - r[6]};
    });
    expect_rows(run(mapped(loose, mapping("\"type\": \"distance\", " + pairs)), "m:1,p:1,p:3"), [](const Row& r) {
        return Row{std::hypot(r[7] - r[4], r[8] - r[5], r[9] - r[6]), 0, 0};
    });
}

TEST_F(Mappings, LinearMapsMixCoordinates) {
    const Table t = run(mapped(loose, mapping(R"("type": "linear", "count": 2, "entries": [[1, "z", ["p", 0], "y", 3],
                                                 [1, "x", ["p", 2], "x", 1], [1, "z", ["p", 3], "z", -1]])")),
                        "m:1,p:0,p:2,p:3");
    expect_rows(t, [](const Row& r) { return Row{r[7], 0, 3 * r[5] - r[12]}; });
}

TEST_F(Mappings, PointsAreFixedOnBodies) {
    expect_rows(run(mapped(bodies, mapping(R"("type": "points", "body": ["b", 0], "positions": [[0.5, 0, 0]],
                                              "translate": [0, 0.1, 0.3])")),
                    "m:0,b:0"),
                [](const Row& r) {
                    return carried(r, 4, {0.5, 0.1, 0.3});
                });
    expect_rows(run(mapped(bodies, mapping(R"("type": "points", "body": ["b", 1], "axes": "body",
                                              "positions": [[0.5, 0, 0], [0.2, 0.1, 0]])")),
                    "m:1,b:1"),
                [](const Row& r) {
                    return carried(r, 4, {0.2, 0.1, 0});
                });
}

TEST_F(Mappings, SkinsBlendBodies) {
    const Table weighted =
        run(mapped(bodies, mapping(R"("type": "skin", "bodies": ["b"], "positions": [[0, 0, 1], [0.6, 0, 0.1]],
                                                         "weights": [[1, 0], [0.25, 0.75]])")),
            "m:1,b:0,b:1");
    expect_rows(weighted, [](const Row& r) {
        const Row a = carried(r, 4, {0.6, 0, 0.1}), b = carried(r, 11, {-0.4, 0, 0.1});
        return Row{0.25 * a[0] + 0.75 * b[0], 0.25 * a[1] + 0.75 * b[1], 0.25 * a[2] + 0.75 * b[2]};
    });
    const Table nearest =
        run(mapped(bodies, mapping(R"("type": "skin", "bodies": [["b", 1], ["b", 0]], "positions": [[0.6, 0, 0.1]])")),
            "m:0,b:1");
    expect_rows(nearest, [](const Row& r) { return carried(r, 4, {-0.4, 0, 0.1}); });
}

// Vertices 0, 1, 3, 4 of the sheet are the corners of its first cell; the diagonal goes from 1 to 3.
TEST_F(Mappings, PointsInCloth) {
    const char* const spinning = R"({"type": "pin", "at": {"object": "sheet", "vertices": [8]}})";
    const Table t = run(mapped(small_sheet, mapping(R"("type": "barycentric", "object": "sheet",
                                                       "positions": [[0, 0, 0], [-0.3, 5, -0.4]])"),
                               spinning),
                        "m:1,sheet:0,sheet:1,sheet:3");
    // (-0.3, -0.4) = corner (-0.5, -0.5) + 0.4 (0.5, 0) + 0.2 (0, 0.5); the height is lost.
    expect_rows(t, [](const Row& r) {
        return Row{0.4 * r[4] + 0.4 * r[7] + 0.2 * r[10], 0.4 * r[5] + 0.4 * r[8] + 0.2 * r[11],
                   0.4 * r[6] + 0.4 * r[9] + 0.2 * r[12]};
    });
}

TEST_F(Mappings, PointsInRopes) {
    const Table t =
        run(mapped(short_rope, mapping(R"("type": "barycentric", "object": "rope", "positions": [[1, -0.3, 0]])")),
            "m:0,rope:1,rope:2");
    expect_rows(t, [](const Row& r) {
        return Row{0.8 * r[4] + 0.2 * r[7], 0.8 * r[5] + 0.2 * r[8], 0.8 * r[6] + 0.2 * r[9]};
    });
}

const char* const block = R"({"name": "block", "type": "soft", "grid": {"size": [2, 1, 1], "cells": [2, 1, 1]},
    "density": 100, "young": 1e4, "translate": [0, 3, 0], "rotate_degrees": [10, 20, 30]})";

TEST_F(Mappings, PointsInBlocksKeepTheirPlaces) {
    for (const char* interpolation : {"linear", "trilinear"}) {
        for (const char* position : {"[0.3, 3.1, 0.2]", "[0, 3, 0]", "[5, 2, 0]"}) {
            const Table t =
                run(mapped(block,
                           mapping(std::string(R"("type": "barycentric", "object": "block", "interpolation": ")") +
                                   interpolation + R"(", "positions": [)" + position + "]"),
                           R"({"type": "pin", "at": {"object": "block", "vertices": [0]}})"),
                    "m:0", {"--frames", "1"});
            double x = 0, y = 0, z = 0;
            ASSERT_EQ(std::sscanf(position, "[%lf, %lf, %lf]", &x, &y, &z), 3);
            EXPECT_NEAR(t.rows[0][1], x, 1e-9) << interpolation << position;
            EXPECT_NEAR(t.rows[0][2], y, 1e-9) << interpolation << position;
            EXPECT_NEAR(t.rows[0][3], z, 1e-9) << interpolation << position;
        }
    }
}

// The middle of the second cell: a trilinear point is the mean of its eight corners, whatever the diagonals.
TEST_F(Mappings, TrilinearPointsFollowAllCorners) {
    const std::string flat = R"({"name": "block", "type": "soft", "grid": {"size": [2, 1, 1], "cells": [2, 1, 1]},
                                 "density": 100, "young": 1e3})";
    const Table t = run(mapped(flat, mapping(R"("type": "barycentric", "object": "block", "interpolation": "trilinear",
                                                "positions": [[0.5, 0, 0]])"),
                               R"({"type": "pin", "at": {"object": "block", "vertices": [1]}})"),
                        "m:0,block:1,block:2,block:4,block:5,block:7,block:8,block:10,block:11");
    expect_rows(t, [](const Row& r) {
        Row mean(3, 0.0);
        for (size_t k = 0; k < 8; k++) {
            for (size_t a = 0; a < 3; a++) {
                mean[a] += r[4 + 3 * k + a] / 8;
            }
        }
        return mean;
    });
}

TEST_F(Mappings, MappingsOfMappings) {
    const Table t = run(mapped(loose, R"({"name": "s", "type": "subset", "object": "p", "vertices": [1, 3]},
                                         {"name": "d", "type": "difference", "pairs": [[["s", 0], ["s", 1]]]},
                                         {"name": "m", "type": "combination",
                                          "points": [[[["d", 0], 2], [["p", 0], 1]]]})"),
                        "m:0,p:1,p:3,p:0");
    expect_rows(t, [](const Row& r) {
        return Row{2 * (r[7] - r[4]) + r[10], 2 * (r[8] - r[5]) + r[11], 2 * (r[9] - r[6]) + r[12]};
    });
}

// ---- what they do ---------------------------------------------------------------------------------------------------

TEST_F(Mappings, MassesWeighWhereTheyAre) {
    const std::string up = R"({"name": "p", "type": "particles", "positions": [[0, 1, 0], [1, 3, 0]], "masses": 0.1})";
    const auto potential = [&](const std::string& masses) {
        run(mapped(up,
                   mapping(R"("type": "combination", "points": [[[["p", 0], 0.5], [["p", 1], 0.5]], [[["p", 1], 1]]])" +
                           masses),
                   "", R"("fps": 1e6, "gravity": [0, -10, 0], )"),
            "m:0");
        return stats(1).at("potential");
    };
    EXPECT_NEAR(potential(""), 0.1 * 10 * 4, 1e-5);
    EXPECT_NEAR(potential(", \"masses\": 0.5"), 4 + 0.5 * 10 * (2 + 3), 1e-4);
    EXPECT_NEAR(potential(", \"masses\": [0, 2]"), 4 + 2 * 10 * 3, 1e-4);
}

// A mass on a particle that has next to none itself swings as a particle of that mass does, on a hard rod or a soft
// one.
TEST_F(Mappings, MassesSwingOnParentsOfNextToNone) {
    const std::string follower = R"("mappings": [{"name": "m", "type": "combination", "points": [[[["p", 1], 1]]],
                                                  "masses": 1}], )";
    const auto end = [&](const std::string& mass, const std::string& compliance, const std::string& mappings) {
        const Table t = run(scene(R"({"name": "p", "type": "particles", "positions": [[-0.5, 1, 0], [-0.1, 0.6, 0.1]],
                                      "masses": [1, )" +
                                      mass + "]}",
                                  R"({"type": "pin", "at": {"object": "p", "vertices": [0]}},
                                     {"type": "distance", "a": ["p", 0], "b": ["p", 1], "compliance": )" +
                                      compliance + "}",
                                  mappings),
                            "p:1", {"--frames", "30"});
        EXPECT_LE(last_stats().at("residual"), 1e-4) << mass;
        return t.rows.back();
    };
    for (const char* compliance : {"0", "1e-4"}) {
        const Row alone = end("1", compliance, "");
        for (const char* mass : {"1e-5", "1e-7", "1e-9", "1e-12"}) {
            const Row follows = end(mass, compliance, follower);
            for (size_t a = 1; a < 4; a++) {
                EXPECT_NEAR(follows[a], alone[a], 2e-4) << compliance << " " << mass;
            }
        }
    }
}

// A distance that is mapped and held by a linear row is a distance constraint.
TEST_F(Mappings, LinearRowsHoldMappedDistances) {
    const std::string pin = R"({"type": "pin", "at": {"object": "p", "vertices": [0]}}, )";
    const std::string extra = "\"substeps\": 4, \"solver\": {\"tolerance\": 1e-8}, ";
    const Table direct = run(
        scene(two_particles, pin + R"({"type": "distance", "a": ["p", 0], "b": ["p", 1], "compliance": 0.001})", extra),
        "p:1", {"--frames", "20"});
    const Table by_mapping =
        run(mapped(two_particles, mapping(R"("type": "distance", "pairs": [[["p", 0], ["p", 1]]])"),
                   pin + R"({"type": "linear", "terms": [[["m", 0], "x", 1]], "compliance": 0.001})", extra),
            "p:1,m:0", {"--frames", "20"});
    for (size_t n = 0; n < direct.rows.size(); n++) {
        for (size_t a = 1; a < 4; a++) {
            EXPECT_NEAR(direct.rows[n][a], by_mapping.rows[n][a], 1e-5) << n;
        }
    }
    EXPECT_LT(direct.rows[20][2], -0.2);
}

TEST_F(Mappings, LinearRowsHoldSums) {
    const Table t =
        run(scene(loose, R"({"type": "linear", "terms": [[["p", 0], "y", 1], [["p", 1], "y", -2], [["p", 2], "z", 1]]},
                                        {"type": "linear", "terms": [[["p", 0], "x", 1]], "rest": 0.5})",
                  "\"solver\": {\"tolerance\": 1e-8}, \"integrator\": {\"closing_time\": 0}, "),
            "p:0,p:1,p:2");
    for (const Row& row : t.rows) {
        EXPECT_NEAR(row[2] - 2 * row[5] + row[9], 0, 1e-5);
    }
    EXPECT_NEAR(t.rows.back()[1], 0.5, 1e-5);
}

TEST_F(Mappings, TheyAreAttachedAndPinnedLikeVertices) {
    // The middle of two particles hangs from a particle that is fixed; another middle is drawn along by a moving
    // target.
    const std::string four =
        R"({"name": "p", "type": "particles", "positions": [[-1, 0, 0], [1, 0, 0], [0, 0, 0], [0, 5, 0], [0, 7, 0]]})";
    const std::string middle = mapping(
        R"("type": "combination", "points": [[[["p", 0], 0.5], [["p", 1], 0.5]], [[["p", 3], 0.5], [["p", 4], 0.5]]])");
    const Table t = run(mapped(four, middle,
                               R"({"type": "pin", "at": {"object": "p", "vertices": [2]}},
                                  {"type": "attach", "a": ["p", 2], "b": ["m", 0]},
                                  {"type": "pin", "at": {"object": "m", "vertices": [1]}, "compliance": 0,
                                   "motion": [{"time": 0.1, "translate": [0, 0, 1]}]})",
                               "\"solver\": {\"tolerance\": 1e-8}, "),
                        "m:0,m:1,p:0", {"--frames", "12"});
    for (const Row& row : t.rows) {
        EXPECT_NEAR(row[2], 0, 1e-6);
    }
    EXPECT_NEAR(t.rows[12][5], 6, 1e-5);
    EXPECT_NEAR(t.rows[12][6], 1, 1e-5);
}

// ---- what is written ------------------------------------------------------------------------------------------------

TEST_F(Mappings, MeshesAreExportedAndOtherMappingsAreNot) {
    write("tri.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    const std::string text =
        mapped(std::string(bodies) + "," + small_sheet,
               R"({"name": "skin", "type": "skin", "bodies": ["b"], "mesh": "tri.obj", "scale": 0.5},
                  {"name": "rigid", "type": "points", "body": ["b", 0], "mesh": "tri.obj"},
                  {"name": "on", "type": "barycentric", "object": "sheet", "mesh": "tri.obj",
                   "rotate_degrees": [90, 0, 0]},
                  {"name": "onon", "type": "barycentric", "object": "on", "positions": [[0, 0, 0]]},
                  {"name": "some", "type": "subset", "object": "skin", "vertices": [1]})");
    run(text, "some:0,rigid:2", {"--export", "obj,usda", "--out", path("o"), "--frames", "1"});
    for (const char* name : {"skin", "rigid", "on"}) {
        EXPECT_TRUE(contains(read(std::string("o/") + name + ".0001.obj"), "f 1 2 3")) << name;
        EXPECT_TRUE(contains(read("o/scene.usda"), std::string("def Mesh \"") + name + "\"")) << name;
    }
    EXPECT_FALSE(exists("o/some.0000.obj"));
    EXPECT_FALSE(exists("o/onon.0000.obj"));
    EXPECT_TRUE(contains(read("o/skin.0000.obj"), "v 0.5 0 0")) << read("o/skin.0000.obj");
    EXPECT_EQ(read_table(read("trace.csv")).rows.at(0).at(1), 0.5);
}

TEST_F(Mappings, WeightsOfAMeshNeedARowEach) {
    write("tri.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    const Result result = taut({"check", write("scene.json", mapped(bodies, mapping(R"("type": "skin", "bodies": ["b"],
        "mesh": "tri.obj", "weights": [[1, 0]])")))});
    EXPECT_EQ(result.code, 2);
    EXPECT_TRUE(contains(result.err, ": mappings[0].weights: holds 1 rows for 3 points")) << result.err;
}

} // namespace
