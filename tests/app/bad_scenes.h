// Scenes that must be refused, a table for each part of the format. test_bad_scenes.cc tries them all.
#pragma once

#include <string>
#include <vector>

namespace app {

struct BadScene {
    const char* name;
    std::string text;
    const char* place; // what follows the file's name
    const char* cause; // part of the sentence
};

extern const std::vector<BadScene> bad_bodies;   // rigid objects and rods
extern const std::vector<BadScene> bad_contact;  // materials, colliders and what touches them
extern const std::vector<BadScene> bad_mappings; // and points of objects
extern const std::vector<BadScene> bad_joints;   // and linear rows, pins on bodies

} // namespace app
