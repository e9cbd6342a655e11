#include "bad_scenes.h"
#include "folder.h"

namespace app {
namespace {

// 'p', bodies 'u' and 'v', two bodies 'two', a rod 'rod'.
const std::string objects = std::string(two_particles) + R"(,
    {"name": "u", "type": "rigid", "sphere": {"radius": 0.1}, "mass": 1},
    {"name": "v", "type": "rigid", "sphere": {"radius": 0.1}, "mass": 1, "translate": [1, 0, 0], "fixed": true},
    {"name": "two", "type": "rigid", "sphere": {"radius": 1}, "mass": 1, "positions": [[0, 0, 0], [3, 0, 0]]},
    {"name": "rod", "type": "rod", "points": [[0, 0, 0], [1, 0, 0]], "segments": 4, "radius": 0.01, "density": 1000,
     "young": 1e7, "clamp": ["start"]})";

std::string constraints(const std::string& members) {
    return scene(objects, members);
}

std::string joint(const std::string& members) {
    return constraints("{" + members + "}");
}

// A good hinge but for the members.
std::string hinge(const std::string& members) {
    return joint(R"("type": "hinge", "a": "u", "b": "v", "position": [0.5, 0, 0], )" + members);
}

std::string ball(const std::string& members) {
    return joint(R"("type": "ball", "a": "u", "b": "v", "position": [0.5, 0, 0], )" + members);
}

std::string drive(const std::string& members) {
    return hinge("\"drive\": {" + members + "}");
}

std::string linear(const std::string& members) {
    return joint("\"type\": \"linear\", " + members);
}

std::string pin(const std::string& members) {
    return joint("\"type\": \"pin\", " + members);
}

} // namespace

const std::vector<BadScene> bad_joints = {
    {"joint_no_a", joint(R"("type": "ball", "b": "v", "position": [0, 0, 0])"), ": constraints[0].a: ", "is missing"},
    {"joint_no_b", joint(R"("type": "ball", "a": "v", "position": [0, 0, 0])"), ": constraints[0].b: ", "is missing"},
    {"joint_particle", joint(R"("type": "ball", "a": "p", "b": "v", "position": [0, 0, 0])"),
     ": constraints[0].a: ", "'p' is no rigid object"},
    {"joint_unknown_body", joint(R"("type": "ball", "a": "q", "b": "v", "position": [0, 0, 0])"),
     ": constraints[0].a: ", "there is no object 'q'"},
    {"joint_which_body", joint(R"("type": "ball", "a": "two", "b": "v", "position": [0, 0, 0])"),
     ": constraints[0].a: ", "has 2 bodies"},
    {"joint_body_range", joint(R"("type": "ball", "a": ["two", 7], "b": "v", "position": [0, 0, 0])"),
     ": constraints[0].a[1]: ", "body 7 of 'two' does not exist"},
    {"joint_same", joint(R"("type": "ball", "a": "v", "b": "v", "position": [0, 0, 0])"),
     ": constraints[0].b: ", "the same body as 'a'"},
    {"joint_worlds", joint(R"("type": "ball", "a": "world", "b": "world", "position": [0, 0, 0])"),
     ": constraints[0].b: ", "the same body as 'a'"},
    {"joint_no_position", joint(R"("type": "ball", "a": "u", "b": "v")"), ": constraints[0].position: ", "is missing"},
    {"joint_position_pair", joint(R"("type": "ball", "a": "u", "b": "v", "position": [0, 0])"),
     ": constraints[0].position: ", "must hold 3"},
    {"joint_unknown_key", hinge("\"angle\": 0"), ": constraints[0].angle: ", "unknown key"},
    {"joint_contact_number", hinge("\"contact\": 1"), ": constraints[0].contact: ", "must be"},
    {"axis_zero", hinge("\"axis\": [0, 0, 0]"), ": constraints[0].axis: ", "must not be zero"},
    {"axis_number", hinge("\"axis\": 1"), ": constraints[0].axis: ", "must be an array"},
    {"axes_parallel", hinge("\"axis\": [0, 0, 2], \"second_axis\": [0, 0, -1]"),
     ": constraints[0].second_axis: ", "is parallel"},
    {"axis_and_orientation", hinge("\"axis\": [0, 0, 1], \"orientation\": [1, 0, 0, 0]"),
     ": constraints[0].axis: ", "same as 'orientation'"},
    {"joint_orientation_zero", hinge("\"orientation\": [0, 0, 0, 0]"), ": constraints[0].orientation: ", "is zero"},
    {"joint_orientation_three", hinge("\"orientation\": [1, 0, 0]"), ": constraints[0].orientation: ", "must hold 4"},
    {"translation_number", hinge("\"translation\": 0"), ": constraints[0].translation: ", "must be an object"},
    {"translation_unknown", hinge("\"translation\": {\"stiffness\": 1}"),
     ": constraints[0].translation.stiffness: ", "unknown key"},
    {"translation_negative", hinge("\"translation\": {\"compliance\": -1}"),
     ": constraints[0].translation.compliance: ", ">= 0"},
    {"translation_pair", hinge("\"translation\": {\"damping\": [0, 1]}"),
     ": constraints[0].translation.damping: ", "must hold 3"},
    {"translation_axis_negative", hinge("\"translation\": {\"compliance\": [0, 0, -1]}"),
     ": constraints[0].translation.compliance[2]: ", ">= 0"},
    {"rotation_of_ball", ball("\"rotation\": {}"), ": constraints[0].rotation: ", "a ball joint holds no rotation"},
    {"rotation_rest", hinge("\"rotation\": {\"rest_degrees\": [0, 0, 0]}"),
     ": constraints[0].rotation.rest_degrees: ", "belongs to slider and fixed joints"},
    {"drive_of_ball", ball("\"drive\": {}"), ": constraints[0].drive: ", "belongs to hinges and sliders"},
    {"drive_number", hinge("\"drive\": 1"), ": constraints[0].drive: ", "must be an object"},
    {"drive_unknown", drive("\"speed\": 1"), ": constraints[0].drive.speed: ", "unknown key"},
    {"drive_target_text", drive("\"target\": \"a\""), ": constraints[0].drive.target: ", "number"},
    {"drive_compliance", drive("\"compliance\": -1"), ": constraints[0].drive.compliance: ", ">= 0"},
    {"drive_motion_empty", drive("\"motion\": []"), ": constraints[0].drive.motion: ", "at least 1"},
    {"drive_no_time", drive(R"("motion": [{"target": 1}])"), ": constraints[0].drive.motion[0].time: ", "is missing"},
    {"drive_no_target", drive(R"("motion": [{"time": 1}])"), ": constraints[0].drive.motion[0].target: ", "is missing"},
    {"drive_not_increasing", drive(R"("motion": [{"time": 1, "target": 0}, {"time": 1, "target": 1}])"),
     ": constraints[0].drive.motion[1].time: ", "later than the keyframe before"},
    {"drive_key_unknown", drive(R"("motion": [{"time": 1, "target": 0, "translate": [0, 0, 0]}])"),
     ": constraints[0].drive.motion[0].translate: ", "unknown key"},

    {"motor_of_ball", ball("\"motor\": {}"), ": constraints[0].motor: ", "belongs to hinges and sliders"},
    {"motor_target", hinge("\"motor\": {\"target\": 1}"), ": constraints[0].motor.target: ", "unknown key"},
    {"motor_force", hinge("\"motor\": {\"max_force\": 0}"), ": constraints[0].motor.max_force: ", "> 0"},
    {"motor_slip", hinge("\"motor\": {\"slip\": -1}"), ": constraints[0].motor.slip: ", ">= 0"},
    {"motor_key", hinge(R"("motor": {"motion": [{"time": 1, "target": 0}]})"),
     ": constraints[0].motor.motion[0].target: ", "unknown key"},
    {"limits_empty", hinge("\"limits\": {}"), ": constraints[0].limits: ", "needs 'lower', 'upper' or both"},
    {"limits_crossed", hinge("\"limits\": {\"lower\": 1, \"upper\": 0}"),
     ": constraints[0].limits.upper: ", "is below 'lower'"},
    {"limits_of_hinge", hinge("\"limits\": {\"swing\": 10}"), ": constraints[0].limits.swing: ", "unknown key"},
    {"limits_of_ball", ball("\"limits\": {\"lower\": 10}"), ": constraints[0].limits.lower: ", "unknown key"},
    {"limits_of_fixed", joint(R"("type": "fixed", "a": "u", "b": "v", "position": [0, 0, 0], "limits": {"lower": 0})"),
     ": constraints[0].limits: ", "has nothing to limit"},
    {"limits_none_of_ball", ball("\"limits\": {\"damping\": 1}"),
     ": constraints[0].limits: ", "needs 'swing', 'twist'"},
    {"limits_swing", ball("\"limits\": {\"swing\": 0}"),
     ": constraints[0].limits.swing: ", "above 0 and be at most 179.9"},
    {"limits_twist", ball("\"limits\": {\"twist\": [1, 0]}"), ": constraints[0].limits.twist: ", "-180 to 180"},
    {"limits_twist_number", ball("\"limits\": {\"twist\": 1}"), ": constraints[0].limits.twist: ", "must be an array"},
    {"limits_compliance", hinge("\"limits\": {\"lower\": 0, \"compliance\": -1}"),
     ": constraints[0].limits.compliance: ", ">= 0"},

    {"linear_no_terms", linear("\"rest\": 0"), ": constraints[0].terms: ", "is missing"},
    {"linear_no_term", linear("\"terms\": []"), ": constraints[0].terms: ", "at least 1"},
    {"linear_term_short", linear(R"("terms": [[["p", 0], "x"]])"), ": constraints[0].terms[0]: ", "at least 3"},
    {"linear_term_long", linear(R"("terms": [[["p", 0], "x", 1, 1]])"),
     ": constraints[0].terms[0]: ", "must be [[object, vertex], axis, weight]"},
    {"linear_term_axis", linear(R"("terms": [[["p", 0], 0, 1]])"),
     ": constraints[0].terms[0][1]: ", "must be a string"},
    {"linear_term_weight", linear(R"("terms": [[["p", 0], "x", "a"]])"), ": constraints[0].terms[0][2]: ", "number"},
    {"linear_term_range", linear(R"("terms": [[["p", 0], "x", 1], [["p", 5], "x", 1]])"),
     ": constraints[0].terms[1]: ", "vertex 5 of 'p' does not exist"},
    {"linear_term_twice", linear(R"("terms": [[["p", 0], "x", 1], [["p", 0], "x", 1]])"),
     ": constraints[0].terms: ", "linear"},

    {"speed_no_terms", joint(R"("type": "speed", "speed": 0)"), ": constraints[0].terms: ", "is missing"},
    {"speed_rest", joint(R"("type": "speed", "terms": [["u", "turn_x", 1]], "rest": 0)"),
     ": constraints[0].rest: ", "unknown key"},
    {"speed_turn_of_a_point", joint(R"("type": "speed", "terms": [[["p", 0], "turn_x", 1]])"),
     ": constraints[0].terms[0][0]", "'p' is no rigid object"},
    {"speed_turn_unknown", joint(R"("type": "speed", "terms": [["u", "turn_w", 1]])"),
     ": constraints[0].terms[0][1]: ", "turn_x"},
    {"speed_term_long", joint(R"("type": "speed", "terms": [["u", "turn_x", 1, 1]])"),
     ": constraints[0].terms[0]: ", "must be [[object, vertex], axis, weight]"},
    {"bound_sign", joint(R"("type": "distance", "a": ["p", 0], "b": ["p", 1], "upper": -1)"),
     ": constraints[0].upper: ", "must be >= 0"},
    {"bound_lower_sign", joint(R"("type": "distance", "a": ["p", 0], "b": ["p", 1], "lower": 1)"),
     ": constraints[0].lower: ", "must lie between -1e+30 and 0"},
    {"attach_of_one_body",
     joint(R"("type": "attach", "a": {"object": "u", "at": [0, 0, 0]}, "b": {"object": "u", "at": [0, 0, 1]})"),
     ": constraints[0].b: ", "is on the same body as 'a'"},
    {"distance_of_one_body",
     joint(R"("type": "distance", "a": ["u", 0], "b": {"object": "u", "at": [0, 0, 1]}, "length": 2)"),
     ": constraints[0].b: ", "is on the same body as 'a'"},
    {"strength_zero", joint(R"("type": "attach", "a": ["p", 0], "b": ["p", 1], "strength": 0)"),
     ": constraints[0].strength: ", "must be > 0"},
    {"bound_of_force",
     joint(R"("type": "distance", "a": ["p", 0], "b": ["p", 1], "compliance": 1, "force": true, "upper": 0)"),
     ": constraints[0].force: ", "without bounds"},
    {"linear_of_a_turn", linear(R"("terms": [["u", "turn_x", 1]])"), ": constraints[0].terms[0]", ""},

    {"pin_frames_of_body", pin(R"("at": {"object": "u", "vertices": [0], "frames": [0]})"),
     ": constraints[0].at.frames: ", "belongs to rods"},
    {"pin_frames_compliant", pin(R"("at": {"object": "rod", "vertices": [4], "frames": [3]}, "compliance": 1)"),
     ": constraints[0]: ", "'frames' are held hard"},
    {"pin_frames_range", pin(R"("at": {"object": "rod", "vertices": [4], "frames": [4]})"),
     ": constraints[0].at.frames: ", "piece 4 of 'rod' does not exist: it has 4"},
    {"pin_frames_twice", pin(R"("at": {"object": "rod", "vertices": [4], "frames": [3, 3]})"),
     ": constraints[0].at.frames: ", "lists piece 3 twice"},
    {"pin_fixed_body", pin(R"("at": {"object": "v", "vertices": [0]}, "compliance": 1)"),
     ": constraints[0]: ", "vertex 0 of 'v' is already fixed by its object"},
    {"pin_clamped_rod", pin(R"("at": {"object": "rod", "vertices": [0]}, "compliance": 1)"),
     ": constraints[0]: ", "vertex 0 of 'rod' is already fixed by its object"},
    {"pin_frame_two_motions",
     constraints(R"({"type": "pin", "at": {"object": "rod", "vertices": [4], "frames": [3]}, "motion": [{"time": 1}]},
                    {"type": "pin", "at": {"object": "rod", "vertices": [3], "frames": [3]},
                     "motion": [{"time": 1}]})"),
     ": constraints[1]: ", "piece 3 of 'rod' is already held in another way by constraints[0]"},
    {"clamp_of_particles", pin(R"("at": {"object": "p", "vertices": [0]}, "clamp": true)"),
     ": constraints[0].clamp: ", "needs a rod, or cloth or a rope with 'bend'"},
    {"clamp_compliant", pin(R"("at": {"object": "rod", "vertices": [4]}, "clamp": true, "compliance": 1)"),
     ": constraints[0].clamp: ", "holds hard"},
    {"pin_clamp_text", pin(R"("at": {"object": "rod", "vertices": [4]}, "clamp": "end")"),
     ": constraints[0].clamp: ", "must be true or false"},
    {"clamp_unbending_cloth",
     scene(R"({"name": "sheet", "type": "cloth", "grid": {"size": [1, 1], "cells": [2, 2]}, "density": 1})",
           R"({"type": "pin", "at": {"object": "sheet", "vertices": [0, 1]}, "clamp": true})"),
     ": constraints[0].clamp: ", "needs a rod, or cloth or a rope with 'bend'"},
    {"clamp_no_edge",
     scene(R"({"name": "sheet", "type": "cloth", "grid": {"size": [1, 1], "cells": [2, 2]}, "density": 1, "bend": {}})",
           R"({"type": "pin", "at": {"object": "sheet", "vertices": [0, 2]}, "clamp": true})"),
     ": constraints[0].clamp: ", "holds no edge of 'sheet'"},
};

} // namespace app
