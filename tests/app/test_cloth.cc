// Cloth of springs: what it does depends on its width and length, not on its mesh.
#include "runs.h"

#include <cmath>

using namespace app;

namespace {

// m, of 1 m of cloth of 1 kg/m^2 that hangs under its own weight, with Young's modulus times thickness 1 / compliance.
double own_weight_stretch(double compliance) {
    return compliance * 9.81 / 2;
}

const std::string settling =
    R"("fps": 20, "integrator": {"mass_damping": 2}, "solver": {"tolerance": 1e-8, "max_iterations": 5000}, )";

const std::string soft = R"("density": 1, "stretch": {"compliance": 0.01})";
const std::string sheared = soft + R"(, "shear": {"compliance": 0.1})";
const std::string stiff = R"("density": 1, "stretch": {"compliance": 1e-4})";

class HangingCloth : public Runs {
  protected:
    // By how much the traced vertices sink until the cloth rests, on average.
    double sinks(const std::string& object, const std::string& vertices) {
        const std::string top = R"({"type": "pin", "at": {"object": "c", "box": [[-9, 0.4999, -9], [9, 0.5001, 9]]}})";
        const Table t = run(scene(object, top, settling), vertices, {"--frames", "200"});
        double sum = 0;
        for (size_t column = 2; column < t.header.size(); column += 3) {
            sum += t.rows.front()[column] - t.rows.back()[column];
        }
        return 3 * sum / static_cast<double>(t.header.size() - 1);
    }
    // A square metre of `across` x `down` cells, held along its upper edge: how far its lower edge sinks.
    double grid(int across, int down, const std::string& springs) {
        std::string vertices;
        for (const int i : {0, 1, across / 2, across}) {
            vertices += (i ? ",c:" : "c:") + std::to_string(down * (across + 1) + i);
        }
        return sinks(
            R"({"name": "c", "type": "cloth", "rotate_degrees": [90, 0, 0], "grid": {"size": [1, 1], "cells": [)" +
                std::to_string(across) + ", " + std::to_string(down) + "]}, " + springs + "}",
            vertices);
    }
    // A strip of rows of equilateral triangles with sides 1 / (rows sin 60).
    double triangles(int rows, int across);
};

double HangingCloth::triangles(int rows, int across) {
    const double side = 1 / (rows * std::sqrt(0.75));
    std::string mesh;
    for (int j = 0; j <= rows; j++) {
        for (int i = 0; i <= across; i++) {
            mesh +=
                "v " + std::to_string(side * (i + 0.5 * (j % 2))) + " " + std::to_string(0.5 - 1.0 * j / rows) + " 0\n";
        }
    }
    const auto face = [&](int a, int b, int c) {
        mesh += "f " + std::to_string(a + 1) + " " + std::to_string(b + 1) + " " + std::to_string(c + 1) + "\n";
    };
    for (int j = 0; j < rows; j++) {
        for (int i = 0; i < across; i++) {
            const int a = j * (across + 1) + i, c = a + across + 1, odd = j % 2;
            face(a, c + odd, a + 1);
            face(odd ? a : a + 1, c, c + 1);
        }
    }
    const int middle = rows * (across + 1) + across / 2;
    return sinks(R"({"name": "c", "type": "cloth", "mesh": ")" + write("mesh.obj", mesh) + "\", " + stiff + "}",
                 "c:" + std::to_string(middle));
}

// A line of springs of a width of cloth carries the weight of that width: the closed form holds for every division.
TEST_F(HangingCloth, StretchesByTheClosedForm) {
    for (const int cells : {4, 8, 16, 32}) {
        EXPECT_NEAR(grid(cells, cells, soft), own_weight_stretch(0.01), 1e-4 * own_weight_stretch(0.01)) << cells;
    }
    EXPECT_NEAR(grid(5, 12, soft), own_weight_stretch(0.01), 1e-4 * own_weight_stretch(0.01));
}

TEST_F(HangingCloth, ShearConvergesWithTheCells) {
    double coarser = grid(4, 4, sheared);
    for (const int cells : {8, 16, 32}) {
        const double finer = grid(cells, cells, sheared);
        EXPECT_NEAR(finer, coarser, 1e-3 * finer) << cells;
        coarser = finer;
    }
}

// Three directions of springs of equal weight have the modulus 1 / compliance. Their Poisson's ratio of 1/3 stiffens
// the strip next to the edge that is held, within about its width.
TEST_F(HangingCloth, EquilateralTrianglesHaveTheModulusOfAGrid) {
    for (const int rows : {12, 24}) {
        EXPECT_NEAR(triangles(rows, 4), own_weight_stretch(1e-4), 0.02 * own_weight_stretch(1e-4)) << rows;
    }
}

} // namespace
