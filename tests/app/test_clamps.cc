// Clamps: rods, ropes and cloth under their weight against the beam, over three resolutions.
//
// A cantilever of length L and bending stiffness B sags by w L^4 / (8 B) under the weight w per length, a beam that is
// clamped at both ends by w L^4 / (384 B) in the middle. Cloth that cannot twist obeys the same law with B per width:
// the bending of its mesh knows no Poisson's ratio. Alternating diagonals keep a strip from twisting.
#include "folder.h"
#include "process.h"
#include "runs.h"

#include <cmath>
#include <sstream>

using namespace app;

namespace {

using Clamps = Runs;

const char* const settled = "\"fps\": 20, \"integrator\": {\"scheme\": \"implicit_euler\", \"mass_damping\": 1}, "
                            "\"solver\": {\"tolerance\": 1e-10, \"max_iterations\": 5000}, ";
const double length = 1, gravity = 9.81;

// w such that the beam sags so far.
double weight(double sag, double b, bool both) {
    return sag * (both ? 384 : 8) * b / std::pow(length, 4);
}

void check_order(double sag, const std::vector<double>& tips, const std::string& what) {
    double error[3];
    std::string all = what + ": over the beam's";
    for (size_t i = 0; i < 3; i++) {
        error[i] = std::fabs(tips[i] / -sag - 1);
        all += " " + std::to_string(tips[i] / -sag);
    }
    SCOPED_TRACE(all);
    EXPECT_GT(std::log2(error[0] / error[1]), 1.7);
    EXPECT_GT(std::log2(error[1] / error[2]), 1.8);
    EXPECT_LT(error[2], 0.01);
}

// ---- lines ----------------------------------------------------------------------------------------------------------

const double stiffness = 12, line_sag = 1e-4, radius = 0.01;

// Shear adds q L^2/(8 k G A) to the middle of an extensible rod, which is 48 E I/(k G A L^2) of the sag: G = E/2.6.
const double shear = 48 * (radius * radius / 4) * 2.6 / 0.9;

struct Held {
    const char* name;
    const char* member; // of the object
    const char* pin;    // of the constraint, or none; FIRST, LAST, ... stand for vertices and pieces
    bool start, both;
    int behind; // held pieces beyond the span
};

std::string with_numbers(std::string text, int pieces) {
    const std::pair<const char*, int> numbers[] = {
        {"LAST_PIECE", pieces - 1}, {"BEFORE_LAST", pieces - 1}, {"LAST", pieces}};
    for (const auto& [name, value] : numbers) {
        for (size_t at; (at = text.find(name)) != std::string::npos;) {
            text.replace(at, std::string(name).size(), std::to_string(value));
        }
    }
    return text;
}

std::string line_object(const std::string& type, const Held& held, int pieces, double span_piece) {
    const double w = weight(line_sag, stiffness, held.both), pi = std::acos(-1.0), density = w / gravity;
    std::ostringstream text;
    text.precision(17);
    text << R"({"name": "line", "type": ")" << type << R"(", "points": [[)" << -held.behind * span_piece << ", 0, 0], ["
         << length + (held.both ? held.behind : 0) * span_piece << R"(, 0, 0]], "segments": )" << pieces;
    if (type == "rope") {
        text << R"(, "stretch": {"compliance": 1e-5}, "bend": {"compliance": )" << 1 / stiffness
             << "}, \"density\": " << density;
    } else {
        text << R"(, "radius": 0.01, "young": )" << stiffness / (pi * 1e-8 / 4)
             << ", \"density\": " << density / (pi * 1e-4) << (held.both ? "" : ", \"inextensible\": true");
    }
    text << held.member << "}";
    return text.str();
}

class Lines : public Clamps {
  protected:
    // Lowest point of the line of n pieces in its span.
    double sink(const std::string& type, const Held& held, int n) {
        const int pieces = n + held.behind * (held.both ? 2 : 1);
        const int probe = held.both ? pieces / 2 : held.start ? pieces : 0;
        const std::string pin = *held.pin ? R"({"type": "pin", )" + with_numbers(held.pin, pieces) + "}" : "";
        const Table t = run(scene(line_object(type, held, pieces, length / n), pin, settled),
                            "line:" + std::to_string(probe), {"--frames", "120"});
        return t.rows.back()[2];
    }
    void check(const std::string& type, const Held& held, int coarsest) {
        check_order(line_sag * (type == "rod" && held.both ? 1 + shear : 1),
                    {sink(type, held, coarsest), sink(type, held, 2 * coarsest), sink(type, held, 4 * coarsest)},
                    type + " " + held.name);
    }
};

TEST_F(Lines, RodsAreClampedAtTheirEnds) {
    const Held ways[] = {
        {"start", R"(, "clamp": ["start"])", "", true, false, 0},
        {"end", R"(, "clamp": ["end"])", "", false, false, 0},
        {"both", R"(, "clamp": ["start", "end"])", "", true, true, 0},
        {"pin", "", R"("at": {"object": "line", "vertices": [0]}, "clamp": true)", true, false, 0},
        {"pin at the end", "", R"("at": {"object": "line", "vertices": [LAST]}, "clamp": true)", false, false, 0},
        {"pins", "", R"("at": {"object": "line", "vertices": [0, LAST]}, "clamp": true)", true, true, 0},
        {"pieces", "", R"("at": {"object": "line", "vertices": [0, LAST], "frames": [0, LAST_PIECE]})", true, true, 0},
        {"held pieces", "",
         R"("at": {"object": "line", "vertices": [0, 1, BEFORE_LAST, LAST], "frames": [0, LAST_PIECE]})", true, true,
         1},
    };
    for (const Held& held : ways) {
        check("rod", held, held.both ? 16 : 8);
    }
}

TEST_F(Lines, RopesThatBendAreClamped) {
    const Held ways[] = {
        {"pin", "", R"("at": {"object": "line", "vertices": [0]}, "clamp": true)", true, false, 0},
        {"pins", "", R"("at": {"object": "line", "vertices": [0, LAST]}, "clamp": true)", true, true, 0},
        {"held segments", "", R"("at": {"object": "line", "vertices": [0, 1, BEFORE_LAST, LAST]})", true, true, 1},
    };
    for (const Held& held : ways) {
        check("rope", held, held.both ? 16 : 8);
    }
}

// A clamp in the middle holds both halves, each a cantilever of half the length.
TEST_F(Lines, AClampInTheMiddle) {
    const Held middle = {"middle", "", R"("at": {"object": "line", "vertices": [16]}, "clamp": true)", true, false, 0};
    for (const char* type : {"rod", "rope"}) {
        const Table t =
            run(scene(line_object(type, middle, 32, length / 32),
                      R"({"type": "pin", "at": {"object": "line", "vertices": [16]}, "clamp": true})", settled),
                "line:0,line:32", {"--frames", "120"});
        EXPECT_NEAR(t.rows.back()[2], -line_sag / 16, 0.01 * line_sag / 16) << type;
        EXPECT_NEAR(t.rows.back()[5], -line_sag / 16, 0.01 * line_sag / 16) << type;
    }
}

// ---- cloth ----------------------------------------------------------------------------------------------------------

const double flexural = 5, sheet_sag = 1e-3; // N m, m

// A strip of two columns along z, cells of 1/n m; `behind`: held cells beyond the span at one end or both.
std::string strip_mesh(int n, int behind, int rows) {
    std::ostringstream text;
    text.precision(17);
    const double a = length / n;
    for (int j = 0; j <= rows; j++) {
        for (int i = 0; i < 3; i++) {
            text << "v " << (i - 1) * a << " 0 " << (j - behind) * a << "\n";
        }
    }
    for (int j = 0; j < rows; j++) {
        const int p = 3 * j + 1;
        text << "f " << p << " " << p + 3 << " " << p + 1 << "\nf " << p + 1 << " " << p + 3 << " " << p + 4 << "\nf "
             << p + 1 << " " << p + 4 << " " << p + 5 << "\nf " << p + 1 << " " << p + 5 << " " << p + 2 << "\n";
    }
    return text.str();
}

std::string vertices_of_rows(const std::vector<int>& rows) {
    std::string out;
    for (int row : rows) {
        for (int i = 0; i < 3; i++) {
            out += (out.empty() ? "" : ", ") + std::to_string(3 * row + i);
        }
    }
    return out;
}

class Sheets : public Clamps {
  protected:
    double sink(const std::string& material, bool clamp, int behind, bool both, int n) {
        const int rows = n + behind * (both ? 2 : 1);
        std::vector<int> held;
        for (int k = 0; k <= behind; k++) {
            held.push_back(k);
            if (both) {
                held.push_back(rows - k);
            }
        }
        std::ostringstream cloth;
        cloth.precision(17);
        write("strip.obj", strip_mesh(n, behind, rows));
        cloth << R"({"name": "strip", "type": "cloth", "mesh": "strip.obj", "density": )"
              << weight(sheet_sag, flexural, both) / gravity << R"(, "bend": {"compliance": )" << 1 / flexural << "}, "
              << material << "}";
        const std::string pin = R"({"type": "pin", "at": {"object": "strip", "vertices": [)" + vertices_of_rows(held) +
                                "]}" + (clamp ? R"(, "clamp": true})" : "}");
        const Table t = run(scene(cloth.str(), pin, settled),
                            "strip:" + std::to_string(3 * (both ? rows / 2 : rows) + 1), {"--frames", "120"});
        return t.rows.back()[2];
    }
    void check(const std::string& material, bool clamp, int behind, bool both) {
        const int n = both ? 16 : 8;
        check_order(sheet_sag,
                    {sink(material, clamp, behind, both, n), sink(material, clamp, behind, both, 2 * n),
                     sink(material, clamp, behind, both, 4 * n)},
                    material + (clamp ? " clamped" : " pinned by rows") + (both ? " at both ends" : ""));
    }
};

const char* const membrane = R"("young": 1e4, "poisson": 0.3)";
const char* const springs = R"("model": "edges", "stretch": {"compliance": 1e-4}, "shear": {"compliance": 1e-4})";

TEST_F(Sheets, OneRowOfACantilever) {
    check(membrane, true, 0, false);
    check(springs, true, 0, false);
}

TEST_F(Sheets, TwoRowsOfACantilever) {
    check(membrane, false, 1, false);
    check(springs, true, 1, false);
}

TEST_F(Sheets, BothEnds) {
    check(membrane, true, 0, true);
    check(springs, true, 0, true);
}

// A strip this light is far stiffer than a step resolves, yet bends: its bends are not taken for contradicting ones.
// The diagonals of a grid make it softer, by 0.8 where the sides are free.
TEST_F(Sheets, OfNextToNoWeight) {
    for (const char* material : {membrane, springs}) {
        const Table t =
            run(scene(std::string(R"({"name": "strip", "type": "cloth", "grid": {"size": [1, 0.125], "cells": [32, 4]},
                                  "density": 4e-6, "bend": {"compliance": 20}, )") +
                          material + "}",
                      R"({"type": "pin", "at": {"object": "strip", "vertices": [0, 33, 66, 99, 132]}, "clamp": true})",
                      "\"fps\": 20, "),
                "strip:98", {"--frames", "20"});
        const double exact = 4e-6 * gravity / (8 * 0.05);
        EXPECT_LT(t.rows.back()[2], -0.95 * exact) << material;
        EXPECT_GT(t.rows.back()[2], -1.3 * exact) << material;
    }
}

// The wall moves with the pin: the strip turns with it, without bending.
TEST_F(Sheets, TurnWithTheirClamp) {
    write("strip.obj", strip_mesh(8, 0, 8));
    const Table t =
        run(scene(std::string(R"({"name": "strip", "type": "cloth", "mesh": "strip.obj", "density": 0.1, )") +
                      membrane + R"(, "bend": {"compliance": 20, "damping": 0.1}})",
                  R"({"type": "pin", "at": {"object": "strip", "vertices": [0, 1, 2]}, "clamp": true,
                                  "motion": [{"time": 1, "rotate_degrees": [-90, 0, 0]}]})",
                  std::string("\"gravity\": [0, 0, 0], ") + settled),
            "strip:25", {"--frames", "300"});
    EXPECT_NEAR(t.rows.back()[2], 1, 1e-3);
    EXPECT_NEAR(t.rows.back()[3], 0, 1e-3);
}

} // namespace
