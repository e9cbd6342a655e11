// Open meshes as colliders: two-sided surfaces with a thickness.
#include "built.h"
#include "runs.h"

#include <cmath>

using namespace app;

namespace {

const std::string box_without_lid = "v -1 0 -1\nv 1 0 -1\nv 1 0 1\nv -1 0 1\nv -1 1 -1\nv 1 1 -1\nv 1 1 1\nv -1 1 1\n"
                                    "f 1 2 3 4\nf 1 5 6 2\nf 2 6 7 3\nf 3 7 8 4\nf 4 8 5 1\n";

class OpenColliders : public Runs {
  protected:
    // "wall": the mesh of the file wall.obj.
    std::string wall(const std::string& members = "") {
        return R"({"name": "wall", "type": "collider", "mesh": ")" + path("wall.obj") + "\"" + members + "}";
    }
    void refused(const std::string& text, const std::string& why) {
        Built built(text);
        EXPECT_FALSE(built.good);
        EXPECT_NE(std::string(built.cause.text).find(why), std::string::npos) << built.cause.text;
    }
};

std::string bead(const std::string& place, const std::string& more = "") {
    return R"({"name": "o", "type": "particles", "positions": [)" + place + R"(], "contact": {"radius": 0.02})" + more +
           "}";
}

std::string gravity(double g) {
    return "\"gravity\": [0, " + std::to_string(g) + ", 0], ";
}

// A tenth of the mean edge, but not less than a thousandth and not more than a two-hundredth of the largest side.
TEST_F(OpenColliders, HoldBeadsOnBothSidesAtTheirThickness) {
    struct Case {
        int cells;
        const char* members;
        double thickness;
    };
    const double edge = (2 + std::sqrt(2.0)) / 3 * 2; // of 2 m, along two sides and a diagonal
    const Case cases[] = {{1, "", 0.01},
                          {30, "", 0.1 * edge / 30},
                          {120, "", 0.002},
                          {2, R"(, "thickness": 0.03)", 0.03},
                          {30, R"(, "scale": 0.5)", 0.05 * edge / 30}};
    for (const Case& c : cases) {
        write("wall.obj", square_obj(c.cells, 2));
        for (const double side : {1.0, -1.0}) {
            if (c.cells > 100 && side < 0) {
                continue; // the fine one takes long
            }
            const std::string place = "[0.11, " + std::to_string(side * 0.04) + ", 0.07]";
            const Table t =
                run(scene(bead(place) + ", " + wall(c.members), "", gravity(-9.81 * side)), "o:0", {"--frames", "20"});
            EXPECT_NEAR(t.rows[20][2], side * (0.02 + c.thickness / 2), 1e-4) << c.cells << c.members;
        }
    }
}

// Beads, balls, boxes and needles thrown at it from either side.
TEST_F(OpenColliders, NothingThrownPasses) {
    const char* const things[] = {
        R"("type": "rigid", "sphere": {"radius": 0.05}, "mass": 0.5)",
        R"("type": "rigid", "box": {"sides": [0.1, 0.05, 0.15]}, "mass": 0.5, "rotate_degrees": [25, 10, 30])",
        R"("type": "rigid", "capsule": {"radius": 0.004, "length": 0.2}, "mass": 0.1, "rotate_degrees": [80, 10, 0])"};
    for (const int cells : {1, 16}) {
        write("wall.obj", square_obj(cells, 2));
        for (const char* thing : things) {
            for (const double speed : {1.0, 5.0, 20.0, 50.0, -1.0, -50.0}) {
                const double side = speed > 0 ? 1 : -1;
                const std::string object = std::string(R"({"name": "o", "contact": {}, )") + thing +
                                           ", \"translate\": [0, " + std::to_string(side * 0.13) +
                                           ", 0], \"velocity\": [0.2, " + std::to_string(-speed) + ", 0.1]}";
                const Table t =
                    run(scene(object + ", " + wall(), "", gravity(-9.81 * side)), "o:0", {"--frames", "15"});
                for (size_t frame = 0; frame <= 15; frame++) {
                    const auto& row = t.rows[frame];
                    const bool beside = std::fabs(row[1]) > 0.95 || std::fabs(row[3]) > 0.95;
                    EXPECT_TRUE(beside || side * row[2] > 0) << thing << " at " << speed << " m/s, frame " << frame;
                }
            }
        }
    }
}

// What is smaller than a hole falls through, and what is larger lies on its border.
TEST_F(OpenColliders, HolesAreOpen) {
    write("wall.obj", square_obj(10, 1, 0.2));
    const auto ball = [&](const char* radius) {
        return run(scene(std::string(R"({"name": "o", "type": "rigid", "sphere": {"radius": )") + radius +
                             R"(}, "mass": 1, "translate": [0.01, 0.4, 0.02], "contact": {}}, )" + wall(),
                         "", "\"substeps\": 4, "),
                   "o:0", {"--frames", "60"});
    };
    EXPECT_LT(ball("0.15").rows[60][2], -1);
    EXPECT_GT(ball("0.35").rows[60][2], 0.2);
}

// A sheet that is larger than a tray folds over its borders and into it.
TEST_F(OpenColliders, ClothDoesNotCutThem) {
    write("wall.obj", box_without_lid);
    const std::string cloth = R"({"name": "o", "type": "cloth", "grid": {"size": [0.6, 0.6], "cells": [14, 14]},
        "density": 0.2, "translate": [0.03, 0.22, 0.02], "rotate_degrees": [0, 20, 0], "bend": {"compliance": 1e4},
        "shear": {"compliance": 1e-2}, "stretch": {"compliance": 1e-3, "damping": 0.01}, "contact": {"thickness": 0.004}})";
    const Table t = run(scene(cloth + ", " + wall(R"(, "scale": 0.2)")), "o:112",
                        {"--frames", "40", "--export", "obj", "--out", path("out")});
    EXPECT_LT(t.rows[40][2], 0.19); // in the tray, whose border is at 0.2 m
    EXPECT_GT(t.rows[40][2], 0);
    for (const char* frame : {"0005", "0010", "0015", "0020", "0030", "0040"}) {
        const Result seen =
            run_program(TAUT_CHECK_SURFACE, {path("out/o.") + frame + ".obj", path("out/wall.") + frame + ".obj"});
        EXPECT_EQ(seen.out, "cuts 0\n") << frame;
    }
}

// A tray that moves by itself, or is on a body, takes what lies in it along.
TEST_F(OpenColliders, CarryWhatLiesInThem) {
    write("wall.obj", box_without_lid);
    const std::string rubber = R"("materials": [{"name": "rubber", "friction": 5}], )";
    const auto lying = [&](const std::string& objects) {
        return run(scene(objects, "", rubber), "o:0", {"--frames", "60"}).rows[60];
    };
    const std::string grip = R"(, "thickness": 0.02, "material": "rubber")";
    const std::string resting = R"({"name": "o", "type": "particles", "positions": [[0.3, 0.0302, 0.2]],
                                    "contact": {"radius": 0.02, "material": "rubber"}})";
    const auto moved =
        lying(resting + ", " + wall(grip + R"(, "motion": [{"time": 0}, {"time": 1, "translate": [0.4, 0.5, 0]}])"));
    EXPECT_NEAR(moved[1], 0.7, 2e-3);
    EXPECT_NEAR(moved[2], 0.53, 1e-3);
    const auto carried = lying(resting + R"(, {"name": "post", "type": "rigid", "sphere": {"radius": 0.1},
                                               "mass": 1, "fixed": true, "translate": [0, -1, 0]}, )" +
                               wall(grip + R"(, "body": "post")"));
    EXPECT_NEAR(carried[1], 0.3, 1e-3);
    EXPECT_NEAR(carried[2], 0.03, 1e-4);
}

// Also beside cloth, for which the mesh is a surface, too, and over triangles that no mesh with two sides may have:
// there its rim meets the surface.
TEST_F(OpenColliders, WheelsRollOverThemAsOnAPlane) {
    const std::string wheel = R"({"name": "o", "type": "rigid", "cylinder": {"radius": 0.1, "height": 0.1}, "mass": 1,
                                  "translate": [-0.6, 0.105, 0.03], "velocity": [1, 0, 0],
                                  "angular_velocity": [0, 0, -10], "contact": {}}, )";
    const std::string cloth = R"({"name": "rag", "type": "cloth", "grid": {"size": [0.2, 0.2], "cells": [2, 2]},
                                  "density": 0.2, "translate": [0, 0.02, -0.7], "contact": {"thickness": 0.004}}, )";
    const auto speed = [&](const std::string& things) {
        const Table t = run(scene(things + wheel + wall(R"(, "thickness": 0.01)")), "o:0", {"--frames", "60"});
        EXPECT_NEAR(t.rows[60][2], 0.105, 1e-3);
        return (t.rows[60][1] - t.rows[50][1]) * 6;
    };
    const std::string flat = square_obj(20, 2);
    write("wall.obj", flat);
    EXPECT_NEAR(speed(""), 1, 1e-3);
    EXPECT_NEAR(speed(cloth), 1, 1e-3);
    write("wall.obj", flat + "v 0 1 0\nf 221 222 442\n"); // a fin: an edge with three triangles
    EXPECT_LT(speed(""), 0.9);
}

// A bowl that moves catches a sheet as one that does not: its vertices follow a body, but nothing is solved for there.
TEST_F(OpenColliders, CatchClothWhileTheyMove) {
    write("wall.obj", square_obj(10, 0.8, 0, 2));
    for (const char* height : {"0", "1"}) { // m after a second
        const std::string goal = R"({"time": 1, "translate": [0, )" + std::string(height) + ", 0]}";
        const std::string motion = R"(, "motion": [{"time": 0}, )" + goal + "]";
        run(R"({"taut": 1, "frames": 16, "fps": 24, "substeps": 1, "objects": [)" + wall(motion) +
                R"(, {"name": "s", "type": "cloth", "grid": {"size": [0.7, 0.7], "cells": [14, 14]}, "fabric": "cotton",
                "rotate_degrees": [0, 17, 0], "translate": [0.02, 0.55, 0.01], "contact": {"thickness": 0.006}}]})",
            "s:0");
        for (const Record& frame : read_stats(read("stats.jsonl"))) {
            EXPECT_EQ(frame.strings.at("outcome"), "converged") << height;
        }
    }
}

TEST_F(OpenColliders, AreNoSurfaceWhereNothingMeetsThem) {
    write("wall.obj", square_obj(2, 1));
    const Built alone(scene(std::string(small_sheet) + ", " + wall()));
    ASSERT_TRUE(alone.good) << alone.cause.text;
    EXPECT_EQ(alone.scene.face_count, 0u);
    EXPECT_FALSE(alone.scene.kinds[TAUT_CONTACT]);
    const Built met(scene(bead("[0, 1, 0]") + ", " + wall()));
    ASSERT_TRUE(met.good) << met.cause.text;
    EXPECT_EQ(met.scene.face_count, 8u);
    EXPECT_EQ(met.scene.touching_count, 10u);
}

// A closed mesh with a thickness is hollow.
TEST_F(OpenColliders, ThicknessMakesClosedMeshesHollow) {
    write("wall.obj", box_without_lid + "f 5 8 7 6\n");
    EXPECT_EQ(Built(scene(bead("[0, 0.5, 0]") + ", " + wall())).scene.collider_count, 1u);
    const Table t = run(scene(bead("[0, 0.5, 0]") + ", " + wall(R"(, "thickness": 0.02)")), "o:0", {"--frames", "60"});
    EXPECT_NEAR(t.rows[60][2], 0.03, 1e-4);
}

TEST_F(OpenColliders, HaveNoInside) {
    write("wall.obj", box_without_lid);
    const Result seen = taut({"check", write("scene.json", scene(bead("[0, 0.1, 0]") + ", " + wall()))});
    EXPECT_EQ(seen.code, 0) << seen.err;
    EXPECT_EQ((seen.out + seen.err).find("inside"), std::string::npos) << seen.out << seen.err;
}

TEST_F(OpenColliders, Refused) {
    write("wall.obj", box_without_lid);
    refused(scene(bead("[0, 3, 0]") + ", " + wall(R"(, "spacing": 0.1)")), "spacing: belongs to closed meshes");
    refused(scene(bead("[0, 3, 0]") + ", " + wall(R"(, "spacing": 0.1, "thickness": 0.1)")),
            "spacing: belongs to solid meshes");
    refused(scene(bead("[0, 3, 0]") + ", " + wall(R"(, "thickness": 0)")), "thickness: ");
    refused(
        scene(bead("[0, 3, 0]") + R"(, {"name": "s", "type": "collider", "sphere": {"radius": 1}, "thickness": 0.1})"),
        "thickness: belongs to shape 'mesh'");
}

} // namespace
