#include "bad_scenes.h"
#include "folder.h"

namespace app {
namespace {

// 'p', 'sheet', 'block', a body 'one' and two bodies 'two'.
const std::string objects = std::string(two_particles) + ", " + small_sheet + R"(,
    {"name": "block", "type": "soft", "mesh": "none.msh", "density": 1, "young": 1},
    {"name": "one", "type": "rigid", "sphere": {"radius": 1}, "mass": 1},
    {"name": "two", "type": "rigid", "sphere": {"radius": 1}, "mass": 1, "positions": [[0, 0, 0], [3, 0, 0]]})";

// Good objects: what fails is found while building.
const std::string built = std::string(two_particles) + ", " + small_sheet + R"(,
    {"name": "block", "type": "soft", "grid": {"size": [1, 1, 1], "cells": [1, 1, 1]}, "density": 1, "young": 1},
    {"name": "one", "type": "rigid", "sphere": {"radius": 1}, "mass": 1})";

std::string list(const std::string& mappings, const std::string& constraints = "") {
    return "{\"taut\": 1, \"objects\": [" + objects + "], \"mappings\": [" + mappings + "], \"constraints\": [" +
           constraints + "]}";
}

std::string mapping(const std::string& members) {
    return list("{\"name\": \"m\", " + members + "}");
}

std::string build(const std::string& members, const std::string& constraints = "") {
    return "{\"taut\": 1, \"objects\": [" + built + "], \"mappings\": [{\"name\": \"m\", " + members +
           "}], \"constraints\": [" + constraints + "]}";
}

std::string points(const std::string& members) {
    return mapping("\"type\": \"points\", " + members);
}

std::string sum(const std::string& terms) {
    return mapping("\"type\": \"combination\", \"points\": " + terms);
}

std::string skin(const std::string& members) {
    return mapping("\"type\": \"skin\", " + members);
}

std::string linear(const std::string& members) {
    return mapping("\"type\": \"linear\", " + members);
}

const char* const distance = R"("type": "distance", "pairs": [[["p", 0], ["p", 1]]])";

} // namespace

const std::vector<BadScene> bad_mappings = {
    {"mappings_object", "{\"taut\": 1, \"objects\": [" + objects + "], \"mappings\": {}}",
     ": mappings: ", "must be an array"},
    {"mapping_number", list("7"), ": mappings[0]: ", "must be an object"},
    {"mapping_no_type", mapping("\"masses\": 1"), ": mappings[0].type: ", "is missing"},
    {"mapping_unknown", mapping("\"type\": \"glue\""), ": mappings[0].type: ", "known: points, combination, subset"},
    {"mapping_no_name", list(R"({"type": "subset", "object": "p", "vertices": [0]})"),
     ": mappings[0].name: ", "is missing"},
    {"mapping_named_as_object", list(R"({"name": "p", "type": "subset", "object": "p", "vertices": [0]})"),
     ": mappings[0].name: ", "'p' is also the name of objects[0]"},
    {"mapping_named_twice", list(R"({"name": "m", "type": "subset", "object": "p", "vertices": [0]},
             {"name": "m", "type": "subset", "object": "p", "vertices": [0]})"),
     ": mappings[1].name: ", "'m' is also the name of mappings[0]"},
    {"mapping_of_itself", mapping(R"("type": "subset", "object": "m", "vertices": [0])"),
     ": mappings[0].object: ", "there is no object 'm'"},
    {"mapping_of_later", list(R"({"name": "m", "type": "subset", "object": "n", "vertices": [0]},
             {"name": "n", "type": "subset", "object": "p", "vertices": [0]})"),
     ": mappings[0].object: ", "there is no object 'n'"},
    {"mapping_masses_negative", mapping(R"("type": "subset", "object": "p", "vertices": [0], "masses": -1)"),
     ": mappings[0].masses: ", ">= 0"},
    {"mapping_masses_text", mapping(R"("type": "subset", "object": "p", "vertices": [0], "masses": [1, "a"])"),
     ": mappings[0].masses[1]: ", "number"},
    {"mapping_masses_count", build(R"("type": "subset", "object": "p", "vertices": [0], "masses": [1, 2])"),
     ": mappings[0].masses: ", "holds 2 numbers for 1 points"},
    {"subset_nothing", mapping(R"("type": "subset", "object": "p")"), ": mappings[0]: ", "either 'vertices' or 'box'"},
    {"subset_place", mapping(R"("type": "subset", "object": "p", "vertices": [0], "translate": [0, 0, 0])"),
     ": mappings[0].translate: ", "unknown key"},
    {"subset_range", build(R"("type": "subset", "object": "p", "vertices": [2])"),
     ": mappings[0].vertices: ", "vertex 2 of 'p' does not exist"},
    {"subset_box_empty", build(R"("type": "subset", "object": "p", "box": [[5, 5, 5], [6, 6, 6]])"),
     ": mappings[0].box: ", "holds no vertex of 'p'"},
    {"combination_no_points", mapping("\"type\": \"combination\""), ": mappings[0].points: ", "is missing"},
    {"combination_empty", sum("[]"), ": mappings[0].points: ", "at least 1"},
    {"combination_empty_sum", sum("[[]]"), ": mappings[0].points[0]: ", "at least 1"},
    {"combination_number", sum("[1]"), ": mappings[0].points[0]: ", "must be an array"},
    {"combination_no_weight", sum(R"([[[["p", 0]]]])"), ": mappings[0].points[0][0]: ", "at least 2"},
    {"combination_three", sum(R"([[[["p", 0], 1, 2]]])"), ": mappings[0].points[0][0]: ", "must be [point, weight]"},
    {"combination_weight_text", sum(R"([[[["p", 0], "a"]]])"), ": mappings[0].points[0][0][1]: ", "number"},
    {"combination_range", build(R"("type": "combination", "points": [[[["p", 0], 1], [["p", 9], 1]]])"),
     ": mappings[0].points[0][1]: ", "vertex 9 of 'p' does not exist"},
    {"combination_twice", build(R"("type": "combination", "points": [[[["p", 0], 1], [["p", 0], 1]]])"),
     ": mappings[0]: ", "combinations"},
    {"pairs_missing", mapping("\"type\": \"difference\""), ": mappings[0].pairs: ", "is missing"},
    {"pairs_single", mapping(R"("type": "difference", "pairs": [[["p", 0]]])"),
     ": mappings[0].pairs[0]: ", "at least 2"},
    {"pairs_triple", mapping(R"("type": "difference", "pairs": [[["p", 0], ["p", 1], ["p", 0]]])"),
     ": mappings[0].pairs[0]: ", "[point, point]"},
    {"pairs_unknown", mapping(R"("type": "distance", "pairs": [[["p", 0], ["q", 0]]])"),
     ": mappings[0].pairs[0][1][0]: ", "there is no object 'q'"},
    {"distance_masses", mapping(distance + std::string(", \"masses\": 1")), ": mappings[0].masses: ", "unknown key"},
    {"points_no_body", points("\"positions\": [[0, 0, 0]]"), ": mappings[0].body: ", "is missing"},
    {"points_on_cloth", points("\"body\": \"sheet\", \"positions\": [[0, 0, 0]]"),
     ": mappings[0].body: ", "'sheet' is no rigid object"},
    {"points_on_two", points("\"body\": \"two\", \"positions\": [[0, 0, 0]]"), ": mappings[0].body: ", "has 2 bodies"},
    {"points_body_range", points(R"("body": ["two", 2], "positions": [[0, 0, 0]])"),
     ": mappings[0].body[1]: ", "body 2 of 'two' does not exist: it has 2 bodies"},
    {"points_body_number", points(R"("body": 3, "positions": [[0, 0, 0]])"),
     ": mappings[0].body: ", "must be an array"},
    {"points_nothing", points("\"body\": \"one\""), ": mappings[0]: ", "either 'mesh' or 'positions'"},
    {"points_both", points(R"("body": "one", "mesh": "a.obj", "positions": [[0, 0, 0]])"),
     ": mappings[0]: ", "either 'mesh' or 'positions'"},
    {"points_empty", points("\"body\": \"one\", \"positions\": []"), ": mappings[0].positions: ", "at least 1"},
    {"points_axes", points(R"("body": "one", "positions": [[0, 0, 0]], "axes": "own")"),
     ": mappings[0].axes: ", "known: world, body"},
    {"points_mesh", build(R"("type": "points", "body": "one", "mesh": "none.obj")"),
     ": mappings[0].mesh: ", "No such file"},
    {"points_scale", points(R"("body": "one", "positions": [[0, 0, 0]], "scale": 0)"), ": mappings[0].scale: ", "zero"},
    {"barycentric_no_object", mapping(R"("type": "barycentric", "positions": [[0, 0, 0]])"),
     ": mappings[0].object: ", "is missing"},
    {"barycentric_particles", build(R"("type": "barycentric", "object": "p", "positions": [[0, 0, 0]])"),
     ": mappings[0].object: ", "'p' has no edges, triangles or tetrahedra"},
    {"barycentric_rigid", build(R"("type": "barycentric", "object": "one", "positions": [[0, 0, 0]])"),
     ": mappings[0].object: ", "'one' is rigid"},
    {"barycentric_interpolation",
     mapping(R"("type": "barycentric", "object": "sheet", "positions": [[0, 0, 0]], "interpolation": "cubic")"),
     ": mappings[0].interpolation: ", "known: linear, trilinear"},
    {"barycentric_trilinear",
     build(R"("type": "barycentric", "object": "sheet", "positions": [[0, 0, 0]], "interpolation": "trilinear")"),
     ": mappings[0].interpolation: ", "needs a soft object with a grid"},
    {"skin_no_bodies", skin("\"positions\": [[0, 0, 0]]"), ": mappings[0].bodies: ", "is missing"},
    {"skin_empty", skin("\"positions\": [[0, 0, 0]], \"bodies\": []"), ": mappings[0].bodies: ", "at least 1"},
    {"skin_cloth", skin("\"positions\": [[0, 0, 0]], \"bodies\": [\"sheet\"]"),
     ": mappings[0].bodies[0]: ", "'sheet' is no rigid object"},
    {"skin_twice", skin(R"("positions": [[0, 0, 0]], "bodies": ["two", ["two", 1]])"),
     ": mappings[0].bodies: ", "list body 1 of 'two' twice"},
    {"skin_weights_width", skin(R"("positions": [[0, 0, 0]], "bodies": ["two"], "weights": [[1]])"),
     ": mappings[0].weights[0]: ", "must hold 2"},
    {"skin_weights_sum", skin(R"("positions": [[0, 0, 0]], "bodies": ["two"], "weights": [[0.5, 0.4]])"),
     ": mappings[0].weights: ", "row 0 sums to 0.9, must sum to 1"},
    {"skin_weights_count", skin(R"("positions": [[0, 0, 0]], "bodies": ["one"], "weights": [[1], [1]])"),
     ": mappings[0].weights: ", "must hold 1 rows"},
    {"linear_no_count", linear("\"entries\": []"), ": mappings[0].count: ", "is missing"},
    {"linear_count_zero", linear("\"count\": 0, \"entries\": []"), ": mappings[0].count: ", "between 1"},
    {"linear_no_entries", linear("\"count\": 1"), ": mappings[0].entries: ", "is missing"},
    {"linear_empty", linear("\"count\": 1, \"entries\": []"), ": mappings[0].entries: ", "at least 1"},
    {"linear_short", linear(R"("count": 1, "entries": [[0, "x", ["p", 0], "x"]])"),
     ": mappings[0].entries[0]: ", "at least 5"},
    {"linear_long", linear(R"("count": 1, "entries": [[0, "x", ["p", 0], "x", 1, 1]])"),
     ": mappings[0].entries[0]: ", "must be [point, axis, [object, vertex], axis, weight]"},
    {"linear_point", linear(R"("count": 2, "entries": [[2, "x", ["p", 0], "x", 1]])"),
     ": mappings[0].entries[0][0]: ", "between 0 and 1"},
    {"linear_axis", linear(R"("count": 1, "entries": [[0, "w", ["p", 0], "x", 1]])"),
     ": mappings[0].entries[0][1]: ", "known: x, y, z"},
    {"linear_range", build(R"("type": "linear", "count": 1, "entries": [[0, "x", ["p", 2], "x", 1]])"),
     ": mappings[0].entries: ", "vertex 2 of 'p' does not exist"},
    {"linear_twice", build(R"("type": "linear", "count": 1,
                              "entries": [[0, "x", ["p", 0], "x", 1], [0, "x", ["p", 0], "x", 2]])"),
     ": mappings[0].entries: ", "linear map"},

    {"point_no_at", mapping(R"("type": "difference", "pairs": [[["p", 0], {"object": "one"}]])"),
     ": mappings[0].pairs[0][1].at: ", "is missing"},
    {"point_no_object", mapping(R"("type": "difference", "pairs": [[["p", 0], {"at": [0, 0, 0]}]])"),
     ": mappings[0].pairs[0][1].object: ", "is missing"},
    {"point_on_cloth", mapping(R"("type": "difference", "pairs": [[["p", 0], {"object": "sheet", "at": [0, 0, 0]}]])"),
     ": mappings[0].pairs[0][1].object: ", "'sheet' is no rigid object"},
    {"point_which_body", mapping(R"("type": "difference", "pairs": [[["p", 0], {"object": "two", "at": [0, 0, 0]}]])"),
     ": mappings[0].pairs[0][1].body: ", "is missing: 'two' has 2 bodies"},
    {"point_body_range",
     mapping(R"("type": "difference", "pairs": [[["p", 0], {"object": "two", "at": [0, 0, 0], "body": 2}]])"),
     ": mappings[0].pairs[0][1].body: ", "body 2 of 'two' does not exist"},
    {"point_at_pair", mapping(R"("type": "difference", "pairs": [[["p", 0], {"object": "one", "at": [0, 0]}]])"),
     ": mappings[0].pairs[0][1].at: ", "must hold 3"},
    {"point_unknown_key",
     mapping(R"("type": "difference", "pairs": [[["p", 0], {"object": "one", "at": [0, 0, 0], "vertex": 1}]])"),
     ": mappings[0].pairs[0][1].vertex: ", "unknown key"},
    {"point_text", mapping(R"("type": "difference", "pairs": [[["p", 0], "one"]])"),
     ": mappings[0].pairs[0][1]: ", "must be an object"},

    {"attach_to_length", build(distance, R"({"type": "attach", "a": ["p", 0], "b": ["m", 0]})"),
     ": constraints[0].b: ", "'m' is a length, not a place"},
    {"attach_to_length_subset",
     "{\"taut\": 1, \"objects\": [" + built + "], \"mappings\": [{\"name\": \"m\", " + distance +
         R"(}, {"name": "n", "type": "subset", "object": "m", "vertices": [0]}],
         "constraints": [{"type": "distance", "a": ["p", 0], "b": ["n", 0]}]})",
     ": constraints[0].b: ", "'n' is a length"},
    {"pin_length", build(distance, R"({"type": "pin", "at": {"object": "m", "vertices": [0]}, "compliance": 1})"),
     ": constraints[0].at: ", "'m' is a length"},
    {"pin_mapped_hard",
     build(R"("type": "subset", "object": "p", "vertices": [0])",
           R"({"type": "pin", "at": {"object": "m", "vertices": [0]}})"),
     ": constraints[0].at: ", "the points of 'm' follow others"},
};

} // namespace app
