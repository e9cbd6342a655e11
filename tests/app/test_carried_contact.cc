// Contacts of mapped points whose parents move freely.
#include "runs.h"

#include <cmath>

using namespace app;

namespace {

using CarriedContact = Runs;

const std::string ground = R"({"name": "floor", "type": "collider", "plane": {}})";

// A closed prism of radius 1 with eight sides, along x from -1 to 1, in `pieces`.
std::string prism_obj(int pieces) {
    const int around = 8;
    std::string text;
    for (int i = 0; i < around * (pieces + 1); i++) {
        const double angle = 2 * std::acos(-1.0) * (i % around) / around;
        text += "v " + std::to_string(2.0 * (i / around) / pieces - 1) + " " + std::to_string(std::cos(angle)) + " " +
                std::to_string(std::sin(angle)) + "\n";
    }
    for (int i = 0; i < around * pieces; i++) {
        const int a = i + 1, b = i / around * around + (i + 1) % around + 1;
        text += "f " + std::to_string(a) + " " + std::to_string(b) + " " + std::to_string(b + around) + " " +
                std::to_string(a + around) + "\n";
    }
    for (const int end : {0, pieces}) {
        text += "f";
        for (int i = 0; i < around; i++) {
            text += " " + std::to_string(around * end + (end == 0 ? around - i : i + 1));
        }
        text += "\n";
    }
    return text;
}

std::string cloth(const std::string& members) {
    return R"({"name": "c", "type": "cloth", "fabric": "cotton", )" + members + "}";
}

void expect_converged(const std::string& stats, const char* what) {
    for (const Record& frame : read_stats(stats)) {
        EXPECT_EQ(frame.strings.at("outcome"), "converged") << what << ", frame " << frame.at("frame");
    }
}

// A sheet falls on the skin of two bodies with a joint that lie on the floor.
TEST_F(CarriedContact, ClothOnASkin) {
    const std::string skin =
        R"({"name": "skin", "type": "skin", "bodies": ["u", "l"], "mesh": ")" + write("skin.obj", prism_obj(10)) +
        R"(", "scale": [0.25, 0.05, 0.05], "translate": [0, 0.2, 0], "contact": {"radius": 0.002}})";
    const auto bone = [](const std::string& name, const std::string& x) {
        return R"({"name": ")" + name + R"(", "type": "rigid", "box": {"sides": [0.2, 0.04, 0.04]}, "mass": 1,
                "positions": [[)" +
               x + ", 0.2, 0]]}";
    };
    const std::string sheet = cloth(R"("grid": {"size": [0.6, 0.6], "cells": [20, 20]}, "translate": [0, 0.28, 0],
                                       "rotate_degrees": [0, 17, 0], "contact": {"thickness": 0.006}, "density": 0.2)");
    const Table t =
        run(scene(ground + ", " + bone("u", "-0.11") + ", " + bone("l", "0.11") + ", " + sheet,
                  R"({"type": "ball", "a": "u", "b": "l", "position": [0, 0.2, 0]})", "\"mappings\": [" + skin + "], "),
            "c:220", {"--frames", "45"});
    expect_converged(read("stats.jsonl"), "cloth on a skin");
    EXPECT_GT(t.rows[45][2], 0.1 - 0.005); // on the arm, which lies on the floor
    EXPECT_LT(t.rows[45][2], 0.13);
}

// The fine mesh of a coarse sheet, on a ball.
TEST_F(CarriedContact, FineMeshOfACoarseSheet) {
    const std::string mesh = R"({"name": "f", "type": "barycentric", "object": "c", "mesh": ")" +
                             write("fine.obj", square_obj(18, 0.98)) +
                             R"(", "translate": [0, 0.25, 0], "contact": {"radius": 0.005}})";
    run(scene(R"({"name": "b", "type": "collider", "sphere": {"radius": 0.2}}, )" +
                  cloth(R"("grid": {"size": [1, 1], "cells": [9, 9]}, "translate": [0, 0.25, 0], "density": 0.2)"),
              "", "\"mappings\": [" + mesh + "], "),
        "f:180", {"--frames", "45"});
    expect_converged(read("stats.jsonl"), "a fine mesh");
}

// Contacts of points that are mapped from one vertex each are those of the vertices.
TEST_F(CarriedContact, AsOnTheVerticesThemselves) {
    const auto fall = [&](const std::string& own, const std::string& mappings) {
        const std::string block =
            R"({"name": "s", "type": "soft", "grid": {"size": [0.4, 0.12, 0.4], "cells": [3, 1, 3]},
            "density": 300, "model": "neo_hookean", "young": 2e4, "poisson": 0.4, "translate": [0, 0.065, 0])" +
            own + "}";
        const std::string sheet = cloth(R"("grid": {"size": [0.5, 0.5], "cells": [8, 8]}, "translate": [0.01, 0.15, 0],
                                           "rotate_degrees": [0, 17, 3], "contact": {"thickness": 0.006}, "density": 0.2)");
        return run(scene(ground + ", " + block + ", " + sheet, "", "\"solver\": {\"tolerance\": 1e-6}, " + mappings),
                   "c:40,c:8,s:0", {"--frames", "6", "--export", "obj", "--out", path("out")});
    };
    const Table own = fall(R"(, "contact": {"radius": 0.002})", "");
    write("block.obj", read("out/s.0000.obj"));
    const Table carried = fall("", R"("mappings": [{"name": "m", "type": "barycentric", "object": "s", "mesh": ")" +
                                       path("block.obj") + R"(", "contact": {"radius": 0.002}}], )");
    ASSERT_EQ(own.rows.size(), carried.rows.size());
    for (size_t column = 1; column < own.header.size(); column++) {
        EXPECT_NEAR(carried.rows[6][column], own.rows[6][column], 1e-4) << own.header[column];
    }
    EXPECT_GT(last_stats().at("contacts"), 100);
}

} // namespace
