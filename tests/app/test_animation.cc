// Animated colliders from a scene file: what they do to what lies on them, and what is refused.
#include "built.h"
#include "folder.h"
#include "process.h"
#include "read_stats.h"

#include <cmath>
#include <cstring>

using namespace app;

namespace {

std::string box_obj(double x, double y) {
    std::string text;
    for (int i = 0; i < 8; i++) {
        text += "v " + std::to_string(x + ((i & 1) != 0 ? 0.5 : -0.5)) + " " +
                std::to_string(y + ((i & 2) != 0 ? 0 : -0.2)) + " " + ((i & 4) != 0 ? "0.5" : "-0.5") + "\n";
    }
    return text + "f 1 5 7 3\nf 2 4 8 6\nf 1 2 6 5\nf 3 7 8 4\nf 1 3 4 2\nf 5 6 8 7\n";
}

class Animation : public Folder {
  protected:
    // A box that goes along x at 0.3 m/s, and up at 0.6 m/s: 60 frames a second.
    void write_box() {
        write("box.obj", box_obj(0, 0));
        for (int i = 0; i <= 12; i++) {
            write("box_" + std::to_string(i) + ".obj", box_obj(0.005 * i, 0.01 * i));
        }
    }
    std::string collider(const std::string& members) {
        return R"({"name": "box", "type": "collider", "mesh": ")" + path("box.obj") + R"(", )" + members + "}";
    }
    std::string sequence(const std::string& members = "") {
        return R"("animation": {"file": ")" + path("box_%d.obj") + R"(", "first": 0)" + members + "}";
    }
    std::string on_it() {
        return R"(, {"name": "ball", "type": "particles", "positions": [[0.1, 0.0502, 0.2]], "contact": {"radius": 0.05}})";
    }
    void refused(const std::string& members, const std::string& why) {
        Built built(scene(collider(members) + on_it()));
        EXPECT_FALSE(built.good);
        EXPECT_NE(std::string(built.cause.text).find(why), std::string::npos) << built.cause.text;
    }
};

TEST_F(Animation, CarriesWhatLiesOnIt) {
    write_box();
    for (const char* kind : {"", R"(, "thickness": 0.02)"}) {
        const std::string file =
            write("scene.json", R"({"taut": 1, "frames": 10, "substeps": 2, "materials": [{"name": "m", "friction": 5}],
              "objects": [)" + collider(sequence() + R"(, "material": "m")" + kind) +
                                    R"(, {"name": "ball", "type": "particles", "positions": [[0.1, )" +
                                    (*kind ? "0.0602" : "0.0502") +
                                    R"(, 0.2]], "contact": {"radius": 0.05, "material": "m"}}]})");
        const Result run =
            taut({"run", file, "--out", path("out"), "--trace", "ball:0=" + path("ball.csv"), "--export", "obj"});
        ASSERT_EQ(run.code, 0) << run.err;
        const auto rows = lines(read("ball.csv"));
        double time, x, y, z;
        ASSERT_EQ(sscanf(rows.back().c_str(), "%lf,%lf,%lf,%lf", &time, &x, &y, &z), 4) << rows.back();
        EXPECT_NEAR(x, 0.15, 2e-4) << kind;
        EXPECT_NEAR(y, (*kind ? 0.06 : 0.05) + 0.1, 3e-4) << kind;
        EXPECT_NEAR(z, 0.2, 1e-6) << kind;
    }
}

// A sheet whose corners are attached to vertices of a walking box, where it lies on it: there nothing touches.
TEST_F(Animation, TakesAlongWhatIsAttachedToIt) {
    write_box();
    const auto outcome = [&](const std::string& sheet, const std::string& more) {
        std::string attachments;
        for (const char* pair : {"2, 0", "3, 4", "6, 20", "7, 24"}) {
            const std::string box(1, pair[0]), corner(pair + 3);
            attachments += std::string(attachments.empty() ? "" : ", ") + R"({"type": "attach", "a": ["box", )" + box +
                           R"(], "b": ["c", )" + corner + "]" + more + "}";
        }
        const Result run = taut(
            {"run",
             write("scene.json", R"({"taut": 1, "frames": 12, "objects": [)" + collider(sequence()) +
                                     R"(, {"name": "c", "type": "cloth", "fabric": "cotton", "grid": {"size": [1, 1],
                                     "cells": [4, 4]}, "density": 0.2, "contact": {"thickness": 0.01}, )" +
                                     sheet + "}], \"constraints\": [" + attachments + "]}"),
             "--stats", path("stats.jsonl"), "--trace", "c:0=" + path("c.csv"), "--contact-forces"});
        EXPECT_EQ(run.code, 0) << run.err;
        EXPECT_EQ(run.err.find("inside"), std::string::npos) << run.err;
        size_t converged = 0;
        for (const Record& frame : read_stats(read("stats.jsonl"))) {
            converged += frame.strings.at("outcome") == "converged" ? 1 : 0;
        }
        return converged;
    };
    EXPECT_EQ(outcome(R"("translate": [0, 0, 0])", ""), 12u);
    const Table t = read_table(read("c.csv"));
    EXPECT_NEAR(t.rows[12][1], -0.5 + 0.06, 1e-4); // where the vertex of the box is
    EXPECT_NEAR(t.rows[12][2], 0.12, 1e-4);
    EXPECT_LT(outcome(R"("translate": [0, 0, 0])", R"(, "contact": true)"), 12u); // they work against each other
}

TEST_F(Animation, StartsWhereTheFileIsAtTheStartOfTheScene) {
    write_box();
    Built built(scene(collider(sequence(R"(, "fps": 30, "start": -0.1)") + R"(, "translate": [0, 1, 0])") + on_it()));
    ASSERT_TRUE(built.good) << built.cause.text;
    EXPECT_NEAR(built.position(0)[0], -0.5 + 0.015, 1e-12); // three samples on
    EXPECT_NEAR(built.position(0)[1], 1 - 0.2 + 0.03, 1e-12);
    EXPECT_EQ(built.scene.fixed_count, 8u);
    EXPECT_EQ(built.scene.mesh_count, 1u);
}

TEST_F(Animation, Refused) {
    write_box();
    refused(R"("animation": 1)", "animation: must be an object");
    refused(R"("animation": {})", "file");
    refused(R"("animation": {"file": "none.pc2"})", ".animation.file: ");
    refused(R"("animation": {"file": "none.pc2", "first": 2})", "belongs to a sequence");
    refused(R"("animation": {"file": "a.xyz", "fps": 0})", "fps");
    refused(sequence() + R"(, "spacing": 0.1)", "spacing: does not go with 'animation'");
    refused(sequence() + R"(, "motion": [{"time": 1}])", "motion: does not go with 'animation'");
    write("box.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    refused(R"("animation": {"file": ")" + path("box.obj") + R"("})", "neither a point cache");
    write_box();
    Built pinned(scene(collider(sequence()) + on_it(),
                       R"({"type": "pin", "at": {"object": "box", "vertices": [0]}, "compliance": 0.1})"));
    EXPECT_FALSE(pinned.good);
    EXPECT_NE(strstr(pinned.cause.text, "already fixed by its object"), nullptr) << pinned.cause.text;
}

TEST_F(Animation, TurnedInsideOutEndsTheRunWithASentence) {
    write("box.obj", box_obj(0, 0));
    write("box_0.obj", box_obj(0, 0));
    std::string turned = box_obj(0, 0);
    for (size_t at = 0; (at = turned.find("v ", at)) != std::string::npos; at += 2) {
        const size_t sign = at + 2;
        turned[sign] == '-' ? turned.erase(sign, 1) : turned.insert(sign, "-");
    }
    write("box_1.obj", turned);
    const std::string file =
        write("scene.json", R"({"taut": 1, "frames": 3, "objects": [)" + collider(sequence()) + on_it() + "]}");
    const Result run = taut({"run", file});
    EXPECT_NE(run.code, 0);
    EXPECT_NE(run.err.find("inside out"), std::string::npos) << run.err;
}

} // namespace
