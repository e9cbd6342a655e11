// Contact in scenes: what the builder makes of it, and what the tool simulates and writes.
#include "built.h"
#include "folder.h"
#include "process.h"
#include "read_stats.h"
#include "runs.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>

using namespace app;

namespace {

// ---- what is built --------------------------------------------------------------------------------------------------

const std::string plane = R"({"name": "floor", "type": "collider", "plane": {}})";

TEST(BuiltContact, CountsWhatTouches) {
    struct Case {
        const char* object;
        size_t points, colliders;
    };
    const Case cases[] = {
        {R"("type": "particles", "positions": [[0, 0, 0], [1, 0, 0]])", 2, 0},
        {R"("type": "cloth", "grid": {"size": [1, 1], "cells": [3, 2]}, "density": 1)", 12, 0},
        {R"("type": "rope", "points": [[0, 0, 0], [1, 0, 0]], "segments": 4, "density": 1)", 5, 0},
        {R"("type": "soft", "grid": {"size": [1, 1, 1], "cells": [2, 2, 2]}, "density": 1, "young": 1)", 26, 0},
        {R"("type": "rod", "points": [[0, 0, 0], [1, 0, 0]], "segments": 4, "density": 1, "radius": 1, "young": 1)", 5,
         0},
        {R"("type": "rigid", "sphere": {"radius": 1}, "mass": 1, "positions": [[0, 0, 0], [9, 0, 0]])", 0, 2},
        {R"("type": "rigid", "box": {"sides": [1, 1, 1]}, "mass": 1, "positions": [[0, 0, 0], [9, 0, 0]])", 0, 2},
        {R"("type": "rigid", "capsule": {"radius": 1, "length": 1}, "mass": 1)", 0, 1},
        {R"("type": "rigid", "cylinder": {"radius": 1, "height": 1}, "mass": 1)", 0, 1},
        {R"("type": "rigid", "cone": {"radius": 1, "height": 1}, "mass": 1)", 0, 1},
    };
    for (const Case& c : cases) {
        const Built touches(scene(std::string(R"({"name": "o", "contact": {}, )") + c.object + "}"));
        ASSERT_TRUE(touches.good) << touches.cause.text;
        EXPECT_EQ(touches.scene.touching_count, c.points) << c.object;
        EXPECT_EQ(touches.scene.collider_count, c.colliders) << c.object;
        const Built outer_iterations(scene(std::string(R"({"name": "o", )") + c.object + "}," + plane));
        ASSERT_TRUE(outer_iterations.good) << outer_iterations.cause.text;
        EXPECT_EQ(outer_iterations.scene.touching_count, 0u) << c.object;
        EXPECT_EQ(outer_iterations.scene.collider_count, 1u) << c.object;
        EXPECT_FALSE(outer_iterations.scene.kinds[TAUT_CONTACT]);
    }
}

TEST(BuiltContact, SettingsAndMaterialsAreRead) {
    const Built b(scene(R"({"name": "o", "type": "cloth", "grid": {"size": [1, 1], "cells": [1, 1]}, "density": 1,
                            "contact": {"thickness": 0.02, "material": "n", "group": ["b"],
                                        "mask": ["a", "default"]}})",
                        "", R"("contact": {"capacity": 77, "law": "exact", "friction": "convex", "margin": 0.01,
                                           "restitution_speed": 0.2, "slip_speed": 0.3, "groups": ["a", "b"]},
                   "materials": [{"name": "m"}, {"name": "n", "friction": 0.1, "static_friction": 0.15, "restitution": 0.2, "compliance": 0.3,
                                                 "damping": 0.4, "recovery": 0.6, "rolling": 0.7,
                                                 "spinning": 0.8}],
                   "material_pairs": [{"materials": ["n", "default"], "friction": 0.7}], )"));
    ASSERT_TRUE(b.good) << b.cause.text;
    const taut_contact_settings& settings = b.file.world.contact;
    EXPECT_EQ(settings.capacity, 77u);
    EXPECT_EQ(settings.law, TAUT_CONTACT_EXACT);
    EXPECT_EQ(settings.friction, TAUT_FRICTION_CONVEX);
    EXPECT_EQ(settings.margin, 0.01);
    EXPECT_EQ(settings.restitution_speed, 0.2);
    EXPECT_EQ(settings.slip_speed, 0.3);
    EXPECT_EQ(b.file.materials[0].law.friction, 0.5);
    const taut_material_def& law = b.file.materials[1].law;
    EXPECT_EQ(law.friction, 0.1);
    EXPECT_EQ(law.static_friction, 0.15);
    EXPECT_EQ(b.file.materials[0].law.static_friction, 0);
    EXPECT_EQ(law.restitution, 0.2);
    EXPECT_EQ(law.compliance, 0.3);
    EXPECT_EQ(law.damping, 0.4);
    EXPECT_EQ(law.recovery, 0.6);
    EXPECT_EQ(law.rolling, 0.7);
    EXPECT_EQ(law.spinning, 0.8);
    EXPECT_EQ(b.file.materials[0].law.rolling, 0);
    EXPECT_EQ(b.file.materials[0].law.spinning, 0);
    EXPECT_EQ(b.file.material_pairs[0].law.friction, 0.7);
    EXPECT_EQ(b.file.material_pairs[0].law.recovery, 1);
    const touching_spec& touching = b.file.objects[0].touching;
    EXPECT_EQ(touching.radius, 0.01);
    EXPECT_EQ(touching.how.material, 2u);
    EXPECT_EQ(touching.how.group, 4u);
    EXPECT_EQ(touching.how.mask, 3u);
}

TEST(BuiltContact, PointsHaveRadii) {
    const auto radius = [](const std::string& object, const std::string& contact) {
        const Built b(scene(R"({"name": "o", "contact": {)" + contact + "}, " + object + "}"));
        EXPECT_TRUE(b.good) << b.cause.text;
        return b.file.objects[0].touching.radius;
    };
    const std::string rod =
        R"("type": "rod", "points": [[0, 0, 0], [1, 0, 0]], "density": 1, "radius": 0.3, "young": 1)";
    const std::string rope = R"("type": "rope", "points": [[0, 0, 0], [1, 0, 0]], "density": 1)";
    EXPECT_EQ(radius(rod, ""), 0.3);
    EXPECT_EQ(radius(rod, "\"radius\": 0"), 0);
    EXPECT_EQ(radius(rope, ""), 0);
    EXPECT_EQ(radius(rope, "\"radius\": 0.1"), 0.1);
}

// ---- particles on colliders -----------------------------------------------------------------------------------------

// Members of the scene that most of these share; g = 10 m/s^2.
const std::string precise = R"("fps": 100, "gravity": [0, -10, 0], "solver": {"tolerance": 1e-9}, )";
const std::string exact = precise + R"("contact": {"law": "exact"}, )";

std::string bead(const std::string& members) {
    return R"({"name": "p", "type": "particles", )" + members + "}";
}

class Contact : public Runs {
  protected:
    // A bead of radius 1 cm and 0.3 kg comes to rest on the collider 'under' of the objects, with its centre so high.
    void expect_rest(const std::string& objects, double height) {
        const Table t = run(
            scene(bead(R"("positions": [[0, 0.02, 0]], "masses": 0.3, "contact": {"radius": 0.01})") + ", " + objects,
                  "", exact),
            "p:0", {"--frames", "60", "--contact-forces"});
        EXPECT_NEAR(t.rows[60][1], 0, 1e-6) << objects;
        EXPECT_NEAR(t.rows[60][2], height, 1e-6) << objects;
        EXPECT_NEAR(t.rows[60][3], 0, 1e-6) << objects;
        EXPECT_NEAR(last_stats().at("contact_forces.under.1"), -3, 1e-5) << objects;
    }
};

// Every shape under a bead of radius 1 cm, and where its centre comes to rest.
TEST_F(Contact, BeadsRestOnEveryShape) {
    struct Case {
        const char* collider;
        double height;
    };
    const Case cases[] = {
        {R"("plane": {})", 0.01},
        {R"("plane": {"normal": [0, 3, 0]}, "translate": [5, -0.1, 7])", -0.09},
        {R"("plane": {"normal": [1, 0, 0]}, "rotate_degrees": [0, 0, 90])", 0.01},
        {R"("plane": {"normal": [0, -2, 0]}, "rotate_degrees": [180, 0, 0])", 0.01},
        {R"("sphere": {"radius": 0.1}, "translate": [0, -0.1, 0], "scale": 0.5)", -0.04},
        {R"("capsule": {"radius": 0.1, "length": 0.4}, "translate": [0, -0.1, 0.15])", 0.01},
        {R"("capsule": {"radius": 0.1, "length": 0.2}, "rotate_degrees": [90, 0, 0], "translate": [0, -0.2, 0])", 0.01},
        {R"("box": {"sides": [0.2, 0.4, 0.2]}, "translate": [0.05, -0.2, 0.05])", 0.01},
        {R"("box": {"sides": [0.4, 0.2, 0.2]}, "rotate_degrees": [0, 0, 90], "translate": [0.05, -0.2, 0.05])", 0.01},
        {R"("box": {"sides": [0.1, 0.1, 0.1]}, "scale": [1, 4, 1], "translate": [0, -0.2, 0])", 0.01},
    };
    for (const Case& c : cases) {
        expect_rest(R"({"name": "under", "type": "collider", )" + std::string(c.collider) + "}", c.height);
    }
}

// A tetrahedron with its tip downwards and a square corner: the sides x = 0, y = 0, z = 0 and one below.
const char* const corner = "v 0 0 0\nv 1 0 0\nv 0 -1 0\nv 0 0 1\nf 1 2 3\nf 1 3 4\nf 1 4 2\nf 2 4 3\n";

// The same under a mesh: as it is, scaled and mirrored, turned so that another side is up, in a grid, and on a body.
TEST_F(Contact, BeadsRestOnMeshes) {
    struct Case {
        const char* collider;
        double height;
    };
    const Case cases[] = {
        {R"("translate": [-0.2, -0.1, -0.2])", -0.09},
        {R"("translate": [0.2, -0.1, 0.2], "scale": [-2, 1, -3])", -0.09},
        {R"("translate": [-0.2, 0, 0.2], "rotate_degrees": [90, 0, 0])", 0.01},
        {R"("translate": [-0.3, -0.05, -0.3], "spacing": 0.03)", -0.04},
        {R"("translate": [-0.2, -0.1, -0.2], "body": "held")", -0.09},
    };
    write("corner.obj", corner);
    for (const Case& c : cases) {
        expect_rest(R"({"name": "held", "type": "rigid", "sphere": {"radius": 0.1}, "mass": 1, "fixed": true,
                        "positions": [[5, 3, 1]], "orientation": [0.6, 0, 0.8, 0]},
                       {"name": "under", "type": "collider", "mesh": "corner.obj", )" +
                        std::string(c.collider) + "}",
                    c.height);
    }
}

// The sentence names the scene, the place, the mesh and what is wrong with it.
TEST_F(Contact, MeshesOfTurnedTrianglesAreNoColliders) {
    write("turned.obj", "v 0 0 0\nv 1 0 0\nv 0 -1 0\nv 0 0 1\nf 1 2 3\nf 1 3 4\nf 1 4 2\nf 2 3 4\n");
    const std::string file =
        write("scene.json", scene(bead(R"("positions": [[0, 0.02, 0]], "contact": {})") +
                                  R"(, {"name": "under", "type": "collider", "mesh": "turned.obj"})"));
    const Result refused = taut({"check", file});
    EXPECT_NE(refused.code, 0);
    for (const char* part : {"scene.json: objects[1].mesh: ", "turned.obj: ", "are turned against each other."}) {
        EXPECT_NE(refused.err.find(part), std::string::npos) << refused.err;
    }
}

// Down a slope of 3:4 a bead slides with g (0.6 - 0.8 mu), and stays where mu is more than 3/4.
TEST_F(Contact, FrictionIsThatOfTheMaterials) {
    struct Case {
        const char* materials; // of slope "m" and bead "n"
        double mu;
    };
    const Case cases[] = {
        {R"("materials": [{"name": "m", "friction": 0.1}, {"name": "n", "friction": 0.4}], )", 0.2},
        {R"("materials": [{"name": "m", "friction": 0.1}, {"name": "n", "friction": 0.4}],
            "material_pairs": [{"materials": ["n", "m"], "friction": 0.5}], )",
         0.5},
        {R"("materials": [{"name": "m", "friction": 0.9}, {"name": "n", "friction": 0.9}], )", 0.75},
    };
    for (const Case& c : cases) {
        const Table t = run(scene(bead(R"("positions": [[0, 0, 0]], "contact": {"material": "n"})") +
                                      R"(, {"name": "slope", "type": "collider", "plane": {"normal": [3, 4, 0]},
                                            "material": "m"})",
                                  "", exact + c.materials),
                            "p:0", {"--frames", "20"});
        const double way = 10 * (0.6 - 0.8 * c.mu) * 1e-4 * 20 * 21 / 2;
        EXPECT_NEAR(t.rows[20][1], 0.8 * way, 1e-5) << c.materials;
        EXPECT_NEAR(t.rows[20][2], -0.6 * way, 1e-5) << c.materials;
    }
}

// 2 m/s down, 1 m/s up.
TEST_F(Contact, ImpactsBounce) {
    const Table t = run(scene(bead(R"("positions": [[0, 0.1, 0]], "velocities": [[0, -2, 0]], "contact": {})") + "," +
                                  R"({"name": "floor", "type": "collider", "plane": {}, "material": "rubber"})",
                              "",
                              R"("fps": 1000, "gravity": [0, 0, 0], "materials": [{"name": "rubber",
                                 "restitution": 0.5}], )"),
                        "p:0", {"--frames", "100"});
    EXPECT_NEAR((t.rows[100][2] - t.rows[90][2]) / 0.01, 1, 1e-3);
}

// 0.3 kg on 1 mm/N at g = 10: 3 mm.
TEST_F(Contact, CompliantContactsGiveWay) {
    const Table t =
        run(scene(bead(R"("positions": [[0, 0, 0]], "masses": 0.3, "contact": {"material": "foam"})") + "," + plane, "",
                  exact + R"("materials": [{"name": "foam", "compliance": 1e-3, "damping": 0.05}], )"),
            "p:0", {"--frames", "100"});
    EXPECT_NEAR(t.rows[100][2], -0.003, 1e-6);
    EXPECT_LT(last_stats().at("penetration"), 1e-6); // beyond what the force explains
}

TEST_F(Contact, GroupsPassThroughWhatTheyDoNotMeet) {
    const Table t =
        run(scene(bead(R"("positions": [[0, 0, 0]], "contact": {"group": "a"})") + "," +
                      R"({"name": "q", "type": "particles", "positions": [[1, 0, 0]], "contact": {"group": "b"}},
                         {"name": "r", "type": "particles", "positions": [[2, 0, 0]],
                          "contact": {"group": "b", "mask": "default"}},
                         {"name": "s", "type": "particles", "positions": [[3, 0, 0]], "contact": {"mask": "b"}},
                         {"name": "floor", "type": "collider", "plane": {}, "mask": ["b", "default"]})",
                  "", precise + R"("contact": {"law": "exact", "groups": ["a", "b"]}, )"),
            "p:0,q:0,r:0,s:0", {"--frames", "20"});
    EXPECT_LT(t.rows[20][2], -0.1); // the floor does not meet a
    EXPECT_NEAR(t.rows[20][5], 0, 1e-6);
    EXPECT_NEAR(t.rows[20][8], 0, 1e-6);
    EXPECT_LT(t.rows[20][11], -0.1); // s does not meet the floor's group
}

// ---- colliders that move --------------------------------------------------------------------------------------------

// A tray that rises, waits and turns: what stands on it goes with it.
TEST_F(Contact, CollidersMoveByThemselves) {
    const Table t = run(scene(bead(R"("positions": [[0.1, 0.05, 0]], "contact": {})") +
                                  R"(, {"name": "tray", "type": "collider", "box": {"sides": [0.4, 0.1, 0.4]},
                           "motion": [{"time": 0.5, "translate": [0, 0.05, 0]},
                                      {"time": 0.6, "translate": [0, 0.05, 0]},
                                      {"time": 1.6, "translate": [0, 0.05, 0], "rotate_degrees": [0, 90, 0]}]})",
                              "", exact),
                        "p:0,tray:0", {"--frames", "170"});
    EXPECT_NEAR(t.rows[25][2], 0.075, 1e-5);
    EXPECT_NEAR(t.rows[170][5], 0.05, 1e-9);
    EXPECT_NEAR(t.rows[170][7], std::sqrt(0.5), 1e-6); // the tray's quaternion
    EXPECT_NEAR(t.rows[170][2], 0.1, 1e-5);
    EXPECT_NEAR(t.rows[170][1], 0, 2e-3); // it slides a little at the start and at the end
    EXPECT_NEAR(t.rows[170][3], -0.1, 2e-3);
}

// A ball that is driven through a sheet carries it along, however few iterations there are: what the guard has slowed
// down is not overtaken.
TEST_F(Contact, WhatIsSlowedDownIsNotOvertaken) {
    for (const char* limit : {"1", "5", "20"}) {
        run(scene(R"({"name": "sheet", "type": "cloth", "grid": {"size": [1, 1], "cells": [12, 12]}, "fabric": "cotton",
                      "contact": {"thickness": 0.01}},
                     {"name": "fist", "type": "collider", "sphere": {"radius": 0.1}, "translate": [0, -0.2, 0],
                      "motion": [{"time": 0.2, "translate": [0, 0.6, 0]}]})",
                  "", std::string(R"("solver": {"max_iterations": )") + limit + "}, "),
            "sheet:0", {"--frames", "12"});
        for (size_t frame = 1; frame <= 12; frame++) {
            EXPECT_EQ(stats(frame).at("points_inside"), 0) << limit << " iterations, frame " << frame;
        }
    }
}

// A rope that is laid into a box leaves it at the top, and not with what pressed its ends against the sides.
TEST_F(Contact, RopesInsideABoxLeaveItGently) {
    for (const char* depth : {"0.184", "0.174"}) {
        for (const char* substeps : {"1", "4"}) {
            const std::string y = depth;
            const Table t = run(
                scene(
                    R"({"name": "box", "type": "collider", "box": {"sides": [0.2, 0.2, 0.2]}, "translate": [0, 0.1, 0],
                          "material": "m"},
                         {"name": "rope", "type": "rope", "points": [[-0.09, )" +
                        y + ", 0], [0.09, " + y +
                        R"(, 0]], "segments": 18, "density": 0.05, "contact": {"radius": 0.004, "material": "m"}})",
                    "",
                    std::string(R"("materials": [{"name": "m", "friction": 0.4}], "substeps": )") + substeps + ", "),
                "rope:0,rope:9", {"--frames", "60"});
            for (const auto& row : t.rows) {
                EXPECT_LT(std::fmax(row[2], row[5]), 0.23) << depth << " " << substeps;
            }
        }
    }
}

// Turns about a post whose vertices begin inside it, by up to 0.35 mm: the loads stay about where they are.
TEST_F(Contact, RopesAboutAPostHoldWhatHangsOnThem) {
    const double turns = 3.5, pi = 3.14159265358979323846, radius = 0.1059;
    std::ostringstream points;
    points << "[" << -radius << ", 0.8, 0]";
    const int pieces = 160;
    for (int i = 0; i <= pieces; i++) {
        const double angle = pi - 2 * pi * turns * i / pieces;
        points << ", [" << radius * std::cos(angle) << ", " << 1 + radius * std::sin(angle) << ", "
               << 0.056 * i / pieces << "]";
    }
    points << ", [" << radius << ", 0.8, 0.056]";
    const Table t =
        run(scene(R"({"name": "post", "type": "collider", "capsule": {"radius": 0.1, "length": 0.6},
                                  "translate": [0, 1, 0], "material": "m"},
                                 {"name": "rope", "type": "rope", "points": [)" +
                      points.str() +
                      R"(], "segments": 200, "density": 0.05, "stretch": {"compliance": 1e-5},
                                  "contact": {"radius": 0.006, "material": "m"}},
                                 {"name": "w", "type": "particles", "masses": [0.1, 1],
                                  "positions": [[)" +
                      std::to_string(-radius) + ", 0.75, 0], [" + std::to_string(radius) + ", 0.75, 0.056]]}",
                  R"({"type": "distance", "a": ["rope", 0], "b": ["w", 0]},
                                 {"type": "distance", "a": ["rope", 200], "b": ["w", 1]})",
                  R"("materials": [{"name": "m", "friction": 0.2}], "substeps": 4, )"),
            "w:0,w:1", {"--frames", "40"});
    for (const auto& row : t.rows) {
        EXPECT_LT(row[2], 0.75 + 0.02); // the way about the post grows by 22 overlaps
        EXPECT_GT(row[5], 0.75 - 0.01);
    }
}

// A shelf on a post that is turned: the same place, told in either axes.
TEST_F(Contact, CollidersBelongToBodies) {
    const char* const places[] = {R"("translate": [1, 0.5, 0])",
                                  R"("axes": "body", "translate": [0.5, 0, 0], "rotate_degrees": [0, 0, -90])"};
    for (const char* place : places) {
        const Table t =
            run(scene(R"({"name": "post", "type": "rigid", "box": {"sides": [1, 1, 1]}, "mass": 1, "fixed": true,
                          "rotate_degrees": [0, 0, 90], "translate": [1, 0, 0]},
                         {"name": "shelf", "type": "collider", "box": {"sides": [2, 0.1, 0.2]}, "body": "post", )" +
                          std::string(place) + "}, " + bead(R"("positions": [[1.8, 0.6, 0]], "contact": {})"),
                      "", exact),
                "p:0", {"--frames", "60"});
        EXPECT_NEAR(t.rows[60][2], 0.55, 1e-6) << place;
    }
}

// ---- rigid bodies ---------------------------------------------------------------------------------------------------

TEST_F(Contact, BodiesRestOnTheFloor) {
    struct Case {
        const char* shape;
        double height;
    };
    const Case cases[] = {
        {R"("sphere": {"radius": 0.1})", 0.1},
        {R"("sphere": {"radius": 0.1}, "scale": 2)", 0.2},
        {R"("box": {"sides": [0.2, 0.4, 0.6]})", 0.2},
        {R"("capsule": {"radius": 0.1, "length": 0.4})", 0.1},
        {R"("cylinder": {"radius": 0.2, "height": 0.3}, "rotate_degrees": [90, 0, 0])", 0.15},
    };
    for (const Case& c : cases) {
        const Table t = run(scene(std::string(R"({"name": "b", "type": "rigid", "density": 100, "contact": {},
                                                  "positions": [[0, 0.4, 0]], )") +
                                      c.shape + "}," + plane,
                                  "", R"("fps": 100, "solver": {"tolerance": 1e-6}, )"),
                            "b:0", {"--frames", "80"});
        EXPECT_NEAR(t.rows[80][2], c.height, 1e-4) << c.shape;
    }
}

// Bodies are colliders, too: a ball rests on a ball, and a sheet's corner on a crate.
TEST_F(Contact, BodiesMeetBodies) {
    const Table t =
        run(scene(R"({"name": "b", "type": "rigid", "sphere": {"radius": 0.1}, "mass": 1, "contact": {},
                                  "positions": [[0, 0.1, 0], [0, 0.31, 0]]},
                                 {"name": "crate", "type": "rigid", "box": {"sides": [0.2, 0.2, 0.2]}, "mass": 1,
                                  "translate": [1, 0.1, 0], "contact": {}}, )" +
                      bead(R"("positions": [[1, 0.25, 0]], "masses": 0.1, "contact": {"radius": 0.01})") + "," + plane,
                  "", exact),
            "b:1,p:0", {"--frames", "80", "--contact-forces"});
    EXPECT_NEAR(t.rows[80][2], 0.3, 1e-4);
    EXPECT_NEAR(t.rows[80][9], 0.21, 1e-4);
    EXPECT_NEAR(last_stats().at("contact_forces.floor.1"), -31, 0.01);
}

// ---- the example ----------------------------------------------------------------------------------------------------

// No vertex is deeper than 0.1 mm in the floor or the ball, at any time, and both carry the sheet in the end.
TEST_F(Contact, TheClothOnTheBall) {
    const size_t vertices = 15 * 15;
    std::string list = "sheet:0";
    for (size_t i = 1; i < vertices; i++) {
        list += ",sheet:" + std::to_string(i);
    }
    const Result result =
        taut({"run", TAUT_EXAMPLE_SCENES "/cloth-on-ball.json", "--backend", "cpu", "--threads", "1", "--trace",
              list + "=" + path("trace.csv"), "--stats", path("stats.jsonl"), "--contact-forces"});
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_TRUE(contains(result.out, " 0 frames did not converge")) << result.out;
    const double radius = 0.002, deepest = 1e-4;
    double above_floor = 1, above_ball = 1;
    for (const std::vector<double>& row : read_table(read("trace.csv")).rows) {
        for (size_t i = 0; i < vertices; i++) {
            const double *x = &row[1 + 3 * i], centre = x[1] - 0.2;
            above_floor = std::min(above_floor, x[1]);
            above_ball = std::min(above_ball, std::sqrt(x[0] * x[0] + centre * centre + x[2] * x[2]) - 0.2);
        }
    }
    EXPECT_GT(above_floor, radius - deepest);
    EXPECT_GT(above_ball, radius - deepest);
    const Record end = last_stats();
    EXPECT_LT(end.at("kinetic"), 1e-5);
    const double floor = -end.at("contact_forces.floor.1"), ball = -end.at("contact_forces.ball.1");
    EXPECT_GT(floor, 0.05);
    EXPECT_GT(ball, 1);
    EXPECT_NEAR(floor + ball, 0.2 * 9.81, 0.01 * 0.2 * 9.81);
}

// ---- what is written ------------------------------------------------------------------------------------------------

TEST_F(Contact, StatisticsAndSummary) {
    const std::string text =
        scene(bead(R"("positions": [[0, 0, 0], [1, 5, 0]], "contact": {})") + "," + plane, "", exact);
    run(text, "p:0");
    EXPECT_EQ(stats(3).at("contacts"), 1);
    EXPECT_GE(stats(3).at("penetration"), 0);
    EXPECT_LT(stats(3).at("penetration"), 1e-6);
    EXPECT_EQ(stats(3).at("cuts"), 0);
    EXPECT_TRUE(stats(3).has("complementarity"));
    EXPECT_TRUE(stats(3).has("violations.contact"));
    EXPECT_FALSE(stats(3).has("contact_forces.floor.0"));
    const std::string file = path("scene.json");
    const Result line = taut({"run", file, "--backend", "cpu"});
    EXPECT_TRUE(contains(line.out, "0 frames did not converge, at most 1 contact, deepest overlap ")) << line.out;
    const Record summary = read_record(taut({"run", file, "--backend", "cpu", "--json"}).out);
    EXPECT_EQ(summary.at("most_contacts"), 1);
    EXPECT_LT(summary.at("penetration"), 1e-6);
    EXPECT_EQ(summary.at("most_cuts"), 0);
}

// A rope goes through a sheet from the start, where nobody knows which side is which.
TEST_F(Contact, CutsAreCounted) {
    const std::string sheet =
        R"({"name": "sheet", "type": "cloth", "grid": {"size": [1, 1], "cells": [3, 3]}, "density": 0.2,
        "contact": {"thickness": 0.01}})";
    const std::string rope =
        R"({"name": "rope", "type": "rope", "points": [[0.1, -0.17, 0.07], [0.12, 0.33, 0.05]], "segments": 5,
        "density": 0.1, "contact": {"radius": 0.005}})";
    run(scene(sheet + "," + rope), "sheet:0");
    EXPECT_EQ(stats(1).at("cuts"), 1);
    EXPECT_EQ(stats(1).at("tangled"), 1);
    const Result line = taut({"run", path("scene.json"), "--backend", "cpu", "--frames", "1"});
    EXPECT_TRUE(contains(line.err, "surfaces cut each other in 1 place at the end (first in frame 1")) << line.err;
    EXPECT_TRUE(contains(line.err, "They did so at the start")) << line.err;
    EXPECT_TRUE(contains(line.out, ", surfaces cut each other in up to 1 place\n")) << line.out;
}

// Boxes that start within each other are driven apart, and what starts inside a solid is told of; good scenes are
// quiet.
TEST_F(Contact, OverlapsAreToldOf) {
    const auto box = [](const char* name, double y) {
        return std::string(R"({"name": ")") + name + R"(", "type": "rigid", "box": {"sides": [1, 1, 1]}, "mass": 1,
            "contact": {}, "translate": [0, )" +
               std::to_string(y) + ", 0]}";
    };
    run(scene(box("a", 0.5) + "," + box("b", 1.3) + "," + plane), "a:0");
    EXPECT_NEAR(stats(1).at("body_overlap"), 0.2, 0.02);
    EXPECT_NEAR(stats(1).at("body_overlap_relative"), stats(1).at("body_overlap"), 1e-6);
    EXPECT_EQ(stats(1).at("points_inside"), 0);
    EXPECT_GT(stats(3).at("body_overlap"), 0);
    EXPECT_TRUE(stats(1).has("numerical"));
    Result told = taut({"run", path("scene.json"), "--backend", "cpu"});
    EXPECT_TRUE(contains(told.err, "bodies overlapped by up to 0.18 m, and by up to 18 % of the thickness"))
        << told.err;
    EXPECT_TRUE(contains(told.err, "that no force or drive gave it")) << told.err;
    run(scene(bead(R"("positions": [[0, -0.1, 0]], "contact": {})") + "," + plane), "p:0");
    EXPECT_EQ(stats(1).at("points_inside"), 1);
    EXPECT_GT(stats(1).at("point_overlap"), 0.05);
    told = taut({"run", path("scene.json"), "--backend", "cpu", "--frames", "1"});
    EXPECT_TRUE(contains(told.err, "1 vertex is inside a solid at the end")) << told.err;
    EXPECT_TRUE(contains(told.err, "1 vertex is inside a solid at the start, by up to 0.1 m")) << told.err;
    run(scene(bead(R"("positions": [[0, 0.002, 0]], "contact": {"radius": 0.01})") + "," + plane), "p:0");
    told = taut({"run", path("scene.json"), "--backend", "cpu", "--frames", "1"});
    EXPECT_TRUE(contains(told.err, "starts pressed in by up to 0.008 m, 40 % of that")) << told.err;
    run(scene(bead(R"("positions": [[0, 0.01, 0]], "contact": {})") + "," + plane, "", R"("fps": 24, "substeps": 1, )"),
        "p:0");
    EXPECT_EQ(taut({"run", path("scene.json"), "--backend", "cpu", "--frames", "48"}).err, "");
    run(scene(box("a", 0.5) + "," + box("b", 1.5) + "," + plane), "a:0");
    told = taut({"run", path("scene.json"), "--backend", "cpu"});
    EXPECT_EQ(told.err, "");
}

// Solids alone, fast enough to be looked at on their way: the ball stays before the row.
TEST_F(Contact, AFastBallMeetsARowOfBalls) {
    const Table t = run(scene(R"({"name": "b", "type": "rigid", "sphere": {"radius": 0.1}, "mass": 1, "contact": {},
                                  "positions": [[-1, 0, 0]], "velocity": [50, 0, 0]},
                                 {"name": "row", "type": "rigid", "sphere": {"radius": 0.1}, "mass": 1, "contact": {},
                                  "positions": [[0, 0, 0], [0.25, 0, 0], [0.5, 0, 0], [0.75, 0, 0]]})"),
                        "b:0,row:0");
    EXPECT_LT(t.rows[3][1], t.rows[3][8]);
}

TEST_F(Contact, ScenesWithoutItSayNothingOfIt) {
    run(scene(bead(R"("positions": [[0, 0, 0]])") + "," + plane), "p:0", {"--contact-forces"});
    EXPECT_FALSE(stats(3).has("contacts"));
    EXPECT_FALSE(stats(3).has("penetration"));
    EXPECT_FALSE(stats(3).has("violations.contact"));
    EXPECT_EQ(stats(3).at("contact_forces.floor.1"), 0);
}

TEST_F(Contact, CheckCounts) {
    const std::string file =
        write("scene.json", scene(bead(R"("positions": [[0, 0, 0], [1, 5, 0]], "contact": {})") + "," + plane));
    EXPECT_EQ(lines(taut({"check", file}).out).at(0), file +
                                                          ": good: 2 objects, 2 particles (0 fixed), 2 contact points, "
                                                          "1 collider, 0 constraint rows, 3 frames at 60 a second");
    const Result json = taut({"check", "--json", file});
    EXPECT_TRUE(contains(json.out, "\"touching_points\":2,\"touching_faces\":0,\"colliders\":1")) << json.out;
}

// Beads that come down one after another, within frames of five substeps; one is carried along.
TEST_F(Contact, RoomForContactsGrows) {
    const std::string beads =
        bead(R"("positions": [[0, 0, 0.01], [1, 0, 0.02], [2, 0, 0.04], [3, 0, 0.08]], "contact": {})") + "," + plane;
    std::string paths[2];
    for (int i = 0; i < 2; i++) {
        const std::string room = i == 0 ? R"("contact": {"capacity": 1}, )" : "";
        const std::string file = write("scene.json", scene(beads, "", room + R"("substeps": 5, )"));
        const Result result =
            taut({"run", file, "--backend", "cpu", "--frames", "12", "--trace", "p:0,p:1,p:2,p:3=" + path("path.csv")});
        EXPECT_EQ(result.code, 0) << result.err;
        paths[i] = read("path.csv");
    }
    EXPECT_FALSE(paths[0].empty());
    EXPECT_EQ(paths[0], paths[1]);
}

// Colliders are shown where they stand, or where they are carried; planes have no end to show.
TEST_F(Contact, ExportsShowColliders) {
    const std::string box = R"("type": "collider", "box": {"sides": [2, 2, 2]})";
    const std::string file =
        write("scene.json",
              scene(R"({"name": "b", "type": "rigid", "sphere": {"radius": 1}, "mass": 1, "velocity": [0, 0, 6]},)" +
                        plane + R"(, {"name": "still", "translate": [10, 0, 0], )" + box + R"(},
                     {"name": "carried", "body": "b", "translate": [0, 5, 0], )" +
                        box + R"(},
                     {"name": "moved", "translate": [20, 0, 0], "motion": [{"time": 1, "translate": [60, 0, 0]}], )" +
                        box + "}",
                    "", "\"gravity\": [0, 0, 0], "));
    ASSERT_EQ(taut({"run", file, "--backend", "cpu", "--export", "obj", "--out", path("o"), "--frames", "1"}).code, 0);
    EXPECT_FALSE(exists("o/floor.0000.obj"));
    const auto expect_corner = [&](const char* name, double x, double y, double z) {
        double at[3] = {0, 0, 0};
        EXPECT_EQ(std::sscanf(lines(read(name)).at(1).c_str(), "v %lf %lf %lf", &at[0], &at[1], &at[2]), 3) << name;
        EXPECT_NEAR(at[0], x, 1e-5) << name;
        EXPECT_NEAR(at[1], y, 1e-5) << name;
        EXPECT_NEAR(at[2], z, 1e-5) << name;
    };
    expect_corner("o/still.0001.obj", 9, -1, -1);
    expect_corner("o/carried.0000.obj", -1, 4, -1);
    expect_corner("o/carried.0001.obj", -1, 4, -0.9);
    expect_corner("o/moved.0000.obj", 19, -1, -1);
    expect_corner("o/moved.0001.obj", 20, -1, -1);
}

} // namespace
