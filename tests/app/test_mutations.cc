// Thousands of damaged scenes through the reader and the builder, in this process: whatever comes back, it must be a
// scene or a sentence, never a crash. Run it under sanitizers.
extern "C" {
#include "build/scene_build.h"
}

#include "folder.h"

#include <random>

using namespace app;

namespace {

const std::string everything = R"({
  "taut": 1, "gravity": [0, -9.81, 0], "frames": 4, "fps": 60, "substeps": 2, "speed_limit": 100, "sleep": {"speed": 0.1, "time": 1},
  "integrator": {"scheme": "theta", "alpha": 0.6, "beta": 0.7, "geometric_stiffness": "full", "newton": 1},
  "solver": {"method": "schur_pcg", "preconditioner": "block", "tolerance": 1e-5, "max_iterations": 50},
  "contact": {"capacity": 500, "friction": "convex", "margin": 1e-3, "restitution_speed": 0.1, "groups": ["a", "b"]},
  "materials": [{"name": "w", "friction": 0.3, "restitution": 0.2, "compliance": 1e-5, "damping": 0.1, "recovery": 2},
                {"name": "x"}],
  "material_pairs": [{"materials": ["w", "x"], "friction": 0.1}, {"materials": ["x", "default"]}],
  "objects": [
    {"name": "p", "type": "particles", "positions": [[0, 0, 0], [1, 0, 0], [2, 1, 0]], "masses": [1, 2, 3],
     "velocities": [[0, 0, 0], [0, 1, 0], [0, 0, 1]], "scale": 2, "rotate_degrees": [1, 2, 3]},
    {"name": "sheet", "type": "cloth", "grid": {"size": [1, 2], "cells": [3, 2]}, "density": 0.2,
     "contact": {"thickness": 0.01, "material": "x", "group": "a", "mask": ["b", "default"]},
     "stretch": {"compliance": 1e-6, "damping": 0.1}, "shear": {"compliance": 1e-5}, "bend": {"rest": "flat"}},
    {"name": "skin", "type": "cloth", "model": "membrane", "grid": {"size": [1, 1], "cells": [2, 2]}, "density": 0.1,
     "young": 100, "poisson": 0.2, "damping": 0.01, "translate": [5, 0, 0], "scale": [1, -1, 1],
     "air": {"drag": 0.5, "friction": 0.02, "wind": [1, 0, 2]}, "pressure": 3},
    {"name": "block", "type": "soft", "grid": {"size": [1, 1, 2], "cells": [2, 1, 3]}, "density": 1000, "young": 1e5,
     "poisson": 0.45, "damping": 0.01, "volume": {"compliance": 1e-6}, "scale": [-1, 1, 1], "model": "neo_hookean",
     "pressure": -1, "contact": {"radius": 0.01}},
    {"name": "rope", "type": "rope", "points": [[0, 0, 0], [0, 1, 0], [1, 1, 0]], "segments": 5, "density": 0.1,
     "stretch": {"compliance": 0}, "bend": {"compliance": 10}},
    {"name": "links", "type": "rigid", "box": {"sides": [1, 2, 3]}, "density": 10, "inertia": [1, 2, 2, 0, 0, 0.1],
     "positions": [[0, 0, 0], [3, 0, 0]], "orientation": [[1, 0, 0, 0], [0, 1, 0, 0]], "velocity": [0, 1, 0],
     "angular_velocity": [[1, 0, 0], [0, 2, 0]], "scale": [1, 2, 1]},
    {"name": "ball", "type": "rigid", "sphere": {"radius": 0.5}, "mass": 2, "translate": [9, 0, 0], "fixed": true,
     "contact": {"group": ["a", "b"]}},
    {"name": "floor", "type": "collider", "plane": {"normal": [0, 1, 1]}, "material": "w", "group": "b"},
    {"name": "hat", "type": "collider", "box": {"sides": [1, 2, 3]}, "body": ["links", 1], "axes": "body"},
    {"name": "wand", "type": "collider", "capsule": {"radius": 1, "length": 2}, "scale": 2, "centre": [0, 0, 1],
     "motion": [{"time": 1, "rotate_degrees": [0, 90, 0]}]},
    {"name": "pill", "type": "rigid", "capsule": {"radius": 0.1, "length": 1}, "mass": 2, "contact": {}},
    {"name": "drum", "type": "rigid", "cylinder": {"radius": 0.5, "height": 2}, "mass": 2, "translate": [9, 3, 0]},
    {"name": "rod", "type": "rod", "points": [[0, 0, 5], [0, 1, 5]], "segments": 3, "radius": 0.01, "density": 1000,
     "young": 1e7, "poisson": 0.4, "rest": [0, 1, 0], "damping": 0.01, "clamp": ["start"],
     "contact": {}, "torques": {"end": [0, 0, 1]}}],
  "mappings": [
    {"name": "m0", "type": "points", "body": ["links", 1], "axes": "body", "positions": [[1, 2, 3]], "masses": 0.1},
    {"name": "m1", "type": "subset", "object": "p", "vertices": [0, 2]},
    {"name": "m2", "type": "combination", "points": [[[["m1", 0], 0.5], [["m0", 0], 0.5]], [[["rod", 1], 1]]]},
    {"name": "m3", "type": "difference", "pairs": [[["p", 0], {"object": "links", "body": 1, "at": [3, 1, 0]}]]},
    {"name": "m4", "type": "distance", "pairs": [[["p", 1], ["p", 2]]]},
    {"name": "m5", "type": "barycentric", "object": "block", "interpolation": "trilinear", "positions": [[0, 0, 0]]},
    {"name": "m6", "type": "barycentric", "object": "skin", "positions": [[5, 0, 0], [5, 1, 0]], "masses": [1, 2]},
    {"name": "m7", "type": "skin", "bodies": ["links", "ball"], "positions": [[1, 0, 0]], "weights": [[0.5, 0.3, 0.2]]},
    {"name": "m8", "type": "linear", "count": 2,
     "entries": [[0, "x", ["p", 1], "y", 2], [1, "z", ["m1", 1], "z", -1]]}],
  "constraints": [
    {"type": "pin", "at": {"object": "sheet", "vertices": [0, 3]}},
    {"type": "pin", "at": {"object": "skin", "box": [[4, -1, -1], [6, 1, 0]]}, "compliance": 1e-3,
     "motion": [{"time": 0}, {"time": 1, "translate": [0, 1, 0], "rotate_degrees": [0, 90, 0]}], "centre": [5, 0, 0]},
    {"type": "distance", "a": ["p", 0], "b": ["p", 1], "length": 1, "compliance": 0, "damping": 0},
    {"type": "attach", "a": ["rope", 0], "b": ["sheet", 1], "offset": [0, 0, 0], "compliance": 1e-4},
    {"type": "attach", "a": ["rope", 4], "b": {"object": "ball", "at": [9, 0.5, 0]}},
    {"type": "pin", "at": {"object": "rod", "vertices": [3], "frames": [2]}, "motion": [{"time": 1}]},
    {"type": "linear", "terms": [[["m4", 0], "x", 1], [["p", 0], "y", 2]], "rest": 1, "compliance": 1e-3},
    {"type": "hinge", "a": "world", "b": ["links", 0], "position": [0, 1, 0], "axis": [0, 0, 1],
     "second_axis": [1, 0, 0], "translation": {"compliance": [0, 1, 0]},
     "drive": {"target": 5, "motion": [{"time": 1, "target": 90}]}},
    {"type": "ball", "a": ["links", 0], "b": ["links", 1], "position": [1, 1, 0]},
    {"type": "slider", "a": ["links", 1], "b": "drum", "position": [1, 1, 0], "orientation": [1, 0, 0, 1],
     "rotation": {"rest_degrees": [0, 0, 10]}, "drive": {"compliance": 1, "damping": 0.1}},
    {"type": "universal", "a": "drum", "b": "ball", "position": [9, 2, 0], "rotation": {"damping": 0.1}},
    {"type": "fixed", "a": "drum", "b": "world", "position": [9, 2, 0]}]
})";

class Mutations : public Folder {
  protected:
    std::mt19937 random{20240607};

    size_t below(size_t n) { return random() % n; }

    // Most of these stay JSON, and get through to the builder.
    void change_digit(std::string& text, size_t from) {
        const size_t at = text.find_first_of("0123456789", from);
        if (at != std::string::npos) {
            text[at] = static_cast<char>('0' + below(10));
        }
    }

    void damage(std::string& text) {
        if (text.empty()) {
            return;
        }
        static const std::string bytes = "{}[]\",:0123456789eE.+-truefalsn\\ \n\t\x01\x7f\xff";
        const size_t at = below(text.size());
        switch (below(9)) {
        case 0:
            text[at] = static_cast<char>(random());
            break;
        case 1:
            text[at] = bytes[below(bytes.size())];
            break;
        case 2:
            text.erase(at, 1 + below(8));
            break;
        case 3:
            text.insert(at, 1, bytes[below(bytes.size())]);
            break;
        case 4:
            text.insert(at, text.substr(below(text.size()), 1 + below(40)));
            break;
        case 5:
            text.resize(at + 1);
            break;
        default:
            change_digit(text, at);
            break;
        }
    }

    // A digit more can ask for a hundred million vertices, rightly: that is no matter for a test of robustness.
    static bool small(const scene_file& file) {
        for (size_t i = 0; i < file.object_count; i++) {
            const scene_object& o = file.objects[i];
            const uint32_t* sheet = o.as.cloth.grid.cells;
            const uint32_t* block = o.as.soft.grid.cells;
            if ((o.type == OBJECT_ROPE && o.as.rope.segments > 1000) ||
                (o.type == OBJECT_ROD && o.as.rod.segments > 1000) ||
                (o.type == OBJECT_CLOTH && 1.0 * sheet[0] * sheet[1] > 1000) ||
                (o.type == OBJECT_SOFT && 1.0 * block[0] * block[1] * block[2] > 1000)) {
                return false;
            }
        }
        for (size_t i = 0; i < file.mapping_count; i++) {
            if (file.mappings[i].sum.count > 1000) {
                return false;
            }
        }
        return true;
    }

    // Returns whether the text is a good scene.
    static bool survive(std::string text) {
        report r{};
        scene_file file{};
        built_scene built{};
        const json_text bytes = {"scene.json", text.data(), text.size()};
        const bool read = scene_file_parse(&bytes, &file, &r);
        const bool good = read && small(file) && scene_build(&file, &built, &r);
        EXPECT_TRUE(read || r.text[0]) << text;
        EXPECT_EQ(std::string(r.text).find('\n'), std::string::npos) << text;
        built_scene_free(&built);
        scene_file_free(&file);
        return good;
    }
};

TEST_F(Mutations, TheWholeSceneIsGood) {
    EXPECT_TRUE(survive(everything));
}

TEST_F(Mutations, NeverCrash) {
    size_t good = 0;
    for (int round = 0; round < 20000; round++) {
        std::string text = everything;
        for (size_t count = 1 + below(3); count > 0; count--) {
            damage(text);
        }
        good += survive(text);
    }
    EXPECT_GT(good, 1000u) << "the damage should leave some scenes whole";
    EXPECT_LT(good, 19000u);
}

TEST_F(Mutations, EveryBeginningIsRefused) {
    for (size_t length = 0; length < everything.size() - 1; length++) {
        EXPECT_FALSE(survive(everything.substr(0, length))) << length;
    }
}

} // namespace
