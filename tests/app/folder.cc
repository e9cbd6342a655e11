#include "folder.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace app {

Folder::Folder() {
    std::string pattern = testing::TempDir() + "taut-app-XXXXXX";
    if (!mkdtemp(pattern.data())) {
        throw std::runtime_error("mkdtemp");
    }
    factor_ = pattern;
}

Folder::~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(factor_, ignored);
}

std::string Folder::write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
}

std::string Folder::read(const std::string& name) const {
    std::ifstream stream(path(name), std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

bool Folder::exists(const std::string& name) const {
    return std::filesystem::exists(path(name));
}

std::vector<std::string> Folder::list(const std::string& name) const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path(name))) {
        names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::string scene(const std::string& objects, const std::string& constraints, const std::string& extra) {
    return "{\"taut\": 1, \"frames\": 3, " + extra + "\"objects\": [" + objects + "], \"constraints\": [" +
           constraints + "]}";
}

const char* const two_particles =
    R"({"name": "p", "type": "particles", "positions": [[0, 0, 0], [1, 0, 0]], "masses": 0.1})";
const char* const small_sheet =
    R"({"name": "sheet", "type": "cloth", "grid": {"size": [1, 1], "cells": [2, 2]}, "density": 0.2,
        "stretch": {"compliance": 1e-5}, "shear": {"compliance": 1e-4}, "bend": {"compliance": 1e4}})";
const char* const short_rope =
    R"({"name": "rope", "type": "rope", "points": [[0, 0, 0], [0, -1, 0]], "segments": 4, "density": 0.1,
        "stretch": {"compliance": 1e-6}, "bend": {"compliance": 100, "damping": 0.01}})";

std::string square_obj(int cells, double size, double hole, double curve) {
    std::string text;
    const auto at = [&](double i) { return size * (i / cells - 0.5); };
    for (int j = 0; j <= cells; j++) {
        for (int i = 0; i <= cells; i++) {
            const double height = curve * (at(i) * at(i) + at(j) * at(j));
            text += "v " + std::to_string(at(i)) + " " + std::to_string(height) + " " + std::to_string(at(j)) + "\n";
        }
    }
    for (int j = 0; j < cells; j++) {
        for (int i = 0; i < cells; i++) {
            const int a = j * (cells + 1) + i + 1, b = a + cells + 1;
            if (std::fabs(at(i + 0.5)) > hole || std::fabs(at(j + 0.5)) > hole || hole == 0) {
                text += "f " + std::to_string(a) + " " + std::to_string(b) + " " + std::to_string(a + 1) + "\n";
                text += "f " + std::to_string(a + 1) + " " + std::to_string(b) + " " + std::to_string(b + 1) + "\n";
            }
        }
    }
    return text;
}

std::vector<std::string> lines(const std::string& text) {
    std::vector<std::string> all;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        all.push_back(line);
    }
    return all;
}

} // namespace app
