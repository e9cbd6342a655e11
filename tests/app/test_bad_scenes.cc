// Scenes that must be refused: exit status 2, nothing on stdout, one line on stderr with file, place and cause.
#include "bad_scenes.h"
#include "folder.h"
#include "process.h"

using namespace app;

namespace app {
void PrintTo(const BadScene& bad, std::ostream* stream) {
    *stream << bad.name;
}
} // namespace app

namespace {

class BadScenes : public Folder {};

// ---- texts ----------------------------------------------------------------------------------------------------------

std::string with(const std::string& extra) {
    return scene(two_particles, "", extra);
}

std::string object(const std::string& members) {
    return scene("{\"name\": \"o\", " + members + "}");
}

std::string particles(const std::string& members) {
    return object("\"type\": \"particles\", " + members);
}

std::string cloth(const std::string& members) {
    return object("\"type\": \"cloth\", \"density\": 0.2, " + members);
}

std::string grid(const std::string& members) {
    return cloth("\"grid\": {\"size\": [1, 1], \"cells\": [2, 2]}, " + members);
}

std::string rope(const std::string& members) {
    return object("\"type\": \"rope\", " + members);
}

std::string soft(const std::string& members) {
    return object("\"type\": \"soft\", " + members);
}

std::string constraint(const std::string& members) {
    return scene(std::string(two_particles) + ", " + small_sheet, "{" + members + "}");
}

std::string pin(const std::string& members) {
    return constraint("\"type\": \"pin\", " + members);
}

std::string moved(const std::string& keys) {
    return pin(R"("at": {"object": "p", "vertices": [0]}, "motion": [)" + keys + "]");
}

std::string repeated(const std::string& text, int count) {
    std::string all;
    for (int i = 0; i < count; i++) {
        all += text;
    }
    return all;
}

// ---- the table ------------------------------------------------------------------------------------------------------

const std::vector<BadScene> syntax = {
    {"empty_file", "", ":1:1", "the file is empty"},
    {"not_json", "hello", ":1:1", "JSON"},
    {"single_quotes", "{'taut': 1}", ":1:", "between double quotes"},
    {"cut_short", "{\"taut\": 1,\n  \"objects\": [", ":2:", "before all of its brackets are closed"},
    {"missing_comma", "{\"taut\": 1\n \"frames\": 3}", ":2:2", "a comma or a colon is missing"},
    {"trailing_comma", "{\"taut\": 1,}", ":1:12", "leave out the comma"},
    {"trailing_text", scene(two_particles) + "\n x", ":2:2", "after the end"},
    {"two_documents", scene(two_particles) + scene(two_particles), ":1:", "after the end"},
    {"nul_byte", scene(two_particles) + std::string(1, '\0'), ":1:", "NUL"},
    {"nul_escape", scene(R"({"name": "a\u0000b", "type": "particles", "positions": [[0,0,0]]})"), ":1:", "NUL"},
    {"no_utf8", scene("{\"name\": \"a\xFF\", \"type\": \"particles\", \"positions\": [[0,0,0]]}"), ":1:", "not UTF-8"},
    {"long_utf8", scene("{\"name\": \"\xC0\x80\", \"type\": \"particles\", \"positions\": [[0,0,0]]}"),
     ":1:", "not UTF-8"},
    {"utf8_cut_short", scene("{\"name\": \"\xE2\x82\", \"type\": \"particles\", \"positions\": [[0,0,0]]}"),
     ":1:", "not UTF-8"},
    {"raw_control_character", "{\"ta\tut\": 1}", ":1:2", "control character"},
    {"deep_arrays", "{\"taut\": " + repeated("[", 5000) + repeated("]", 5000) + "}", ":1:", "nested too deeply"},
    {"deep_objects", repeated("{\"a\":", 5000), ":1:", "nested too deeply"},
    {"leading_zero", with("\"fps\": 060, "), ":1:", "not a number"},
    {"bare_point", with("\"fps\": 60., "), ":1:", "not a number"},
    {"bare_minus", with("\"fps\": -, "), ":1:", "not a number"},
    {"two_points", with("\"fps\": 1.2.3, "), ":1:", "not a number"},
    {"infinity_word", with("\"fps\": Infinity, "), ":1:", "JSON"},
    {"nan_word", with("\"fps\": NaN, "), ":1:", "JSON"},
    {"comment", "// scene\n" + scene(two_particles), ":1:1", "leave comments out"},
};

const std::vector<BadScene> settings = {
    {"array_document", "[1, 2]", ": ", "must be an object"},
    {"no_version", "{\"objects\": []}", ": taut: ", "is missing"},
    {"version_2", "{\"taut\": 2, \"objects\": []}", ": taut: ", "version 1"},
    {"version_text", "{\"taut\": \"1\"}", ": taut: ", "must be a number"},
    {"unknown_key", with("\"gravty\": [0, 0, 0], "), ": gravty: ", "unknown key"},
    {"key_case", with("\"Gravity\": [0, 0, 0], "), ": Gravity: ", "unknown key"},
    {"duplicate_key", with("\"fps\": 60, \"fps\": 30, "), ": fps: ", "appears twice"},
    {"gravity_short", with("\"gravity\": [0, 0], "), ": gravity: ", "must hold 3 numbers, holds 2"},
    {"gravity_text", with("\"gravity\": \"down\", "), ": gravity: ", "must be an array"},
    {"gravity_null", with("\"gravity\": [0, null, 0], "), ": gravity[1]: ", "must be a number"},
    {"gravity_overflow", with("\"gravity\": [0, -1e999, 0], "), ": gravity[1]: ", "finite"},
    {"frames_negative", "{\"taut\": 1, \"frames\": -1, \"objects\": []}", ": frames: ", "between 0 and"},
    {"frames_fraction", "{\"taut\": 1, \"frames\": 1.5, \"objects\": []}", ": frames: ", "whole number"},
    {"frames_huge", "{\"taut\": 1, \"frames\": 1e18, \"objects\": []}", ": frames: ", "between 0 and"},
    {"fps_zero", with("\"fps\": 0, "), ": fps: ", "must be > 0"},
    {"substeps_zero", with("\"substeps\": 0, "), ": substeps: ", "between 1 and"},
    {"speed_limit_negative", with("\"speed_limit\": -3, "), ": speed_limit: ", "must be > 0"},
    {"sleep_fast", with("\"sleep\": {\"speed\": 0}, "), ": sleep.speed: ", "must be > 0"},
    {"sleep_unknown", with("\"sleep\": {\"depth\": 1}, "), ": sleep", "depth"},
    {"scheme_unknown", with(R"("integrator": {"scheme": "rk4"}, )"), ": integrator.scheme: ", "known: implicit_euler"},
    {"scheme_number", with(R"("integrator": {"scheme": 1}, )"), ": integrator.scheme: ", "must be a string"},
    {"theta_without_alpha", with(R"("integrator": {"scheme": "theta"}, )"), ": integrator.alpha: ", "is missing"},
    {"alpha_zero", with(R"("integrator": {"scheme": "theta", "alpha": 0}, )"), ": integrator.alpha: ", "> 0"},
    {"alpha_above_one", with(R"("integrator": {"scheme": "theta", "alpha": 1.5}, )"), ": integrator.alpha: ", "1.5"},
    {"beta_negative", with(R"("integrator": {"scheme": "theta", "alpha": 1, "beta": -1}, )"),
     ": integrator.beta: ", ">= 0"},
    {"alpha_against_scheme", with(R"("integrator": {"scheme": "midpoint", "alpha": 1}, )"),
     ": integrator.alpha: ", "use 'theta'"},
    {"stiffness_unknown", with(R"("integrator": {"geometric_stiffness": "half"}, )"),
     ": integrator.geometric_stiffness: ", "known: none, full"},
    {"hard_force", scene(two_particles, R"({"type": "distance", "a": ["p", 0], "b": ["p", 1], "force": true})"),
     ": constraints[0].force: ", "needs a compliance"},
    {"newton_of_primal", with(R"("integrator": {"scheme": "primal", "newton": 2}, )"),
     ": integrator.newton: ", "one linearisation a step"},
    {"newton_of_split_forces", with(R"("integrator": {"scheme": "theta", "alpha": 1, "theta_q": 0, "newton": 2}, )"),
     ": integrator.newton: ", "two_stage"},
    {"two_stage_of_accelerations", with(R"("integrator": {"scheme": "acceleration", "two_stage": true}, )"),
     ": integrator.two_stage: ", "does not belong"},
    {"theta_of_midpoint", with(R"("integrator": {"scheme": "midpoint", "theta_q": 0}, )"),
     ": integrator.theta_q: ", "belongs to scheme 'theta'"},
    {"primal_of_euler", with(R"("integrator": {"primal": {"a": 1}}, )"),
     ": integrator.primal: ", "belongs to scheme 'primal'"},
    {"primal_without_mass", with(R"("integrator": {"scheme": "primal", "primal": {"a": 0}}, )"),
     ": integrator.primal.a: ", "must be"},
    {"stepper_unknown", with(R"("integrator": {"scheme": "acceleration", "stepper": "rk2"}, )"),
     ": integrator.stepper: ", "known: symplectic_euler, rk4"},
    {"baumgarte_twice", with(R"("integrator": {"scheme": "acceleration", "ka": 1, "time_constant": 0.1}, )"),
     ": integrator.ka: ", "given by time_constant"},
    {"ratio_alone", with(R"("integrator": {"scheme": "acceleration", "ratio": 1}, )"),
     ": integrator.ratio: ", "needs time_constant"},
    {"alpha_of_accelerations", with(R"("integrator": {"scheme": "acceleration", "alpha": 1}, )"),
     ": integrator.alpha: ", "does not belong"},
    {"projections_many", with(R"("integrator": {"project_positions": 101}, )"),
     ": integrator.project_positions: ", "between 0"},
    {"newton_zero", with(R"("integrator": {"newton": 0}, )"), ": integrator.newton: ", "between 1"},
    {"integrator_unknown_key", with(R"("integrator": {"theta": 1}, )"), ": integrator.theta: ", "unknown key"},
    {"method_unknown", with(R"("solver": {"method": "magic"}, )"), ": solver.method: ", "known: auto"},
    {"cycle_gone", with(R"("solver": {"cycle": "k"}, )"), ": solver.cycle: ", "known: auto, additive, v"},
    {"aggregates_gone", with(R"("solver": {"smoothed_aggregates": false}, )"),
     ": solver.smoothed_aggregates: ", "leave it out"},
    {"preconditioner_unknown", with(R"("solver": {"preconditioner": "ilu"}, )"),
     ": solver.preconditioner: ", "known: auto, none"},
    {"tolerance_zero", with(R"("solver": {"tolerance": 0}, )"), ": solver.tolerance: ", "> 0"},
    {"tolerance_one", with(R"("solver": {"tolerance": 1}, )"), ": solver.tolerance: ", "between"},
    {"max_iterations_zero", with(R"("solver": {"max_iterations": 0}, )"), ": solver.max_iterations: ", "between 1"},
    {"block_size_huge", with(R"("solver": {"block_size": 1000}, )"), ": solver.block_size: ", "256"},
    {"warm_start_number", with(R"("solver": {"warm_start": 1}, )"), ": solver.warm_start: ", "true or false"},
    {"solver_array", with(R"("solver": [], )"), ": solver: ", "must be an object"},
};

const std::vector<BadScene> objects = {
    {"no_objects", "{\"taut\": 1}", ": objects: ", "is missing"},
    {"empty_objects", "{\"taut\": 1, \"objects\": []}", ": objects: ", "at least 1 element"},
    {"objects_object", "{\"taut\": 1, \"objects\": {}}", ": objects: ", "must be an array"},
    {"object_number", "{\"taut\": 1, \"objects\": [7]}", ": objects[0]: ", "must be an object"},
    {"no_type", object("\"density\": 1"), ": objects[0].type: ", "is missing"},
    {"type_unknown", object("\"type\": \"fluid\""),
     ": objects[0].type: ", "known: particles, cloth, rope, soft, rigid, rod, collider"},
    {"no_name", scene(R"({"type": "particles", "positions": [[0, 0, 0]]})"), ": objects[0].name: ", "is missing"},
    {"empty_name", scene(R"({"name": "", "type": "particles", "positions": [[0, 0, 0]]})"),
     ": objects[0].name: ", "must not be empty"},
    {"long_name",
     scene("{\"name\": \"" + std::string(300, 'x') + "\", \"type\": \"particles\", \"positions\": [[0,0,0]]}"),
     ": objects[0].name: ", "longer than"},
    {"duplicate_name", scene(std::string(two_particles) + "," + two_particles),
     ": objects[1].name: ", "also the name of objects[0]"},
    {"scale_zero", particles(R"("positions": [[0, 0, 0]], "scale": [1, 0, 1])"), ": objects[0].scale: ", "zero"},
    {"scale_text", particles(R"("positions": [[0, 0, 0]], "scale": "2")"), ": objects[0].scale: ", "array"},
    {"rotate_two", particles(R"("positions": [[0, 0, 0]], "rotate_degrees": [0, 1])"),
     ": objects[0].rotate_degrees: ", "must hold 3"},
    {"translate_overflow", particles(R"("positions": [[0, 0, 0]], "translate": [0, 1e400, 0])"),
     ": objects[0].translate[1]: ", "finite"},
    {"no_positions", particles("\"masses\": 1"), ": objects[0].positions: ", "is missing"},
    {"positions_empty", particles("\"positions\": []"), ": objects[0].positions: ", "at least 1"},
    {"position_pair", particles("\"positions\": [[0, 0, 0], [1, 2]]"), ": objects[0].positions[1]: ", "must hold 3"},
    {"position_flat", particles("\"positions\": [0, 0, 0]"), ": objects[0].positions[0]: ", "must be an array"},
    {"masses_count", particles("\"positions\": [[0, 0, 0]], \"masses\": [1, 2]"),
     ": objects[0].masses: ", "must hold 1 numbers, holds 2"},
    {"mass_zero", particles("\"positions\": [[0, 0, 0]], \"masses\": 0"), ": objects[0].masses: ", "must be > 0"},
    {"mass_negative", particles("\"positions\": [[0, 0, 0]], \"masses\": [-1]"), ": objects[0].masses[0]: ", "> 0"},
    {"velocities_count", particles("\"positions\": [[0, 0, 0]], \"velocities\": []"),
     ": objects[0].velocities: ", "must hold 1 elements"},
    {"particles_density", particles("\"positions\": [[0, 0, 0]], \"density\": 1"),
     ": objects[0].density: ", "unknown key"},
    {"cloth_no_shape", cloth("\"stretch\": {}"), ": objects[0]: ", "either 'mesh' or 'grid'"},
    {"cloth_two_shapes", grid("\"mesh\": \"a.obj\""), ": objects[0]: ", "either 'mesh' or 'grid'"},
    {"cloth_no_density", object(R"("type": "cloth", "grid": {"size": [1, 1], "cells": [2, 2]})"),
     ": objects[0].density: ", "is missing"},
    {"grid_size_zero", cloth(R"("grid": {"size": [1, 0], "cells": [2, 2]})"), ": objects[0].grid.size[1]: ", "> 0"},
    {"grid_cells_zero", cloth(R"("grid": {"size": [1, 1], "cells": [0, 2]})"), ": objects[0].grid.cells[0]: ", "> 0"},
    {"grid_cells_fraction", cloth(R"("grid": {"size": [1, 1], "cells": [2.5, 2]})"),
     ": objects[0].grid.cells: ", "whole numbers"},
    {"grid_too_large", cloth(R"("grid": {"size": [1, 1], "cells": [100000, 100000]})"),
     ": objects[0].grid.cells: ", "more than"},
    {"grid_unknown_key", cloth(R"("grid": {"size": [1, 1], "cells": [2, 2], "gap": 1})"),
     ": objects[0].grid.gap: ", "unknown key"},
    {"model_unknown", grid("\"model\": \"shell\""), ": objects[0].model: ", "known: edges, membrane"},
    {"cloth_young_zero", grid("\"young\": 0"), ": objects[0].young: ", "> 0"},
    {"membrane_stretch", grid(R"("model": "membrane", "young": 1, "stretch": {})"),
     ": objects[0].stretch: ", "belongs to model 'edges', and 'model' chooses 'membrane'"},
    {"pin_second_of_one",
     scene(R"({"name": "one", "type": "particles", "positions": [[0, 0, 0]]})",
           R"({"type": "pin", "at": {"object": "one", "vertices": [1]}})"),
     ": constraints[0].at.vertices: ", "vertex 1 of 'one' does not exist: it has 1 vertex"},
    {"edges_young", grid(R"("stretch": {}, "young": 1)"),
     ": objects[0].young: ", "belongs to model 'membrane', and 'stretch' chooses 'edges'"},
    {"poisson_one", grid(R"("model": "membrane", "young": 1, "poisson": 1)"), ": objects[0].poisson: ", "between"},
    {"compliance_negative", grid(R"("stretch": {"compliance": -1})"), ": objects[0].stretch.compliance: ", ">= 0"},
    {"compliance_text", grid(R"("stretch": {"compliance": "soft"})"), ": objects[0].stretch.compliance: ", "number"},
    {"law_number", grid(R"("bend": 1)"), ": objects[0].bend: ", "must be an object"},
    {"law_unknown_key", grid(R"("shear": {"stiffness": 1})"), ": objects[0].shear.stiffness: ", "unknown key"},
    {"damping_negative", grid(R"("bend": {"damping": -0.1})"), ": objects[0].bend.damping: ", ">= 0"},
    {"bend_rest_unknown", grid(R"("bend": {"rest": "curved"})"), ": objects[0].bend.rest: ", "known: mesh, flat"},
    {"rope_one_point", rope("\"points\": [[0, 0, 0]], \"density\": 1"), ": objects[0].points: ", "at least 2"},
    {"rope_no_length", rope("\"points\": [[0, 0, 0], [0, 0, 0]], \"density\": 1"),
     ": objects[0].points: ", "segment 0 has no length"},
    {"rope_folded", rope("\"points\": [[0, 0, 0], [1, 0, 0], [0, 0, 0]], \"segments\": 1, \"density\": 1"),
     ": objects[0].points: ", "has no length"},
    {"rope_no_density", rope("\"points\": [[0, 0, 0], [1, 0, 0]]"), ": objects[0].density: ", "is missing"},
    {"rope_segments_zero", rope("\"points\": [[0, 0, 0], [1, 0, 0]], \"density\": 1, \"segments\": 0"),
     ": objects[0].segments: ", "between 1"},
    {"soft_no_shape", soft("\"density\": 1, \"young\": 1"), ": objects[0]: ", "either 'mesh' or 'grid'"},
    {"soft_grid_flat", soft("\"grid\": {\"size\": [1, 1], \"cells\": [1, 1]}, \"density\": 1, \"young\": 1"),
     ": objects[0].grid.size: ", "must hold 3 numbers, holds 2"},
    {"soft_no_young", soft("\"mesh\": \"x.msh\", \"density\": 1"), ": objects[0].young: ", "is missing"},
    {"soft_poisson", soft("\"mesh\": \"x.msh\", \"density\": 1, \"young\": 1, \"poisson\": 0.6"),
     ": objects[0].poisson: ", "between"},
    {"soft_model", soft("\"mesh\": \"x.msh\", \"density\": 1, \"young\": 1, \"model\": \"jelly\""),
     ": objects[0].model: ", "known: strain, corotational, neo_hookean, st_venant_kirchhoff"},
    {"soft_incompressible",
     soft("\"mesh\": \"x.msh\", \"density\": 1, \"young\": 1, \"model\": \"neo_hookean\", \"poisson\": 0.51"),
     ": objects[0].poisson: ", "between"},
    {"air_text", grid("\"air\": 1"), ": objects[0].air: ", "object"},
    {"air_unknown", grid("\"air\": {\"speed\": 1}"), ": objects[0].air", "speed"},
    {"air_drag", grid("\"air\": {\"drag\": -1}"), ": objects[0].air.drag: ", "must be >= 0"},
    {"air_wind", grid("\"air\": {\"wind\": [1, 2]}"), ": objects[0].air.wind: ", "must hold 3 numbers"},
    {"pressure_text", grid("\"pressure\": \"high\""), ": objects[0].pressure: ", "number"},
};

const std::vector<BadScene> constraints = {
    {"constraint_no_type", constraint("\"a\": 1"), ": constraints[0].type: ", "is missing"},
    {"constraint_unknown", constraint("\"type\": \"glue\""),
     ": constraints[0].type: ", "known: pin, distance, attach, linear, speed, ball, hinge, slider"},
    {"constraints_object", "{\"taut\": 1, \"objects\": [" + std::string(two_particles) + "], \"constraints\": {}}",
     ": constraints: ", "must be an array"},
    {"pin_no_place", pin("\"damping\": 0"), ": constraints[0].at: ", "is missing"},
    {"pin_no_object", pin("\"at\": {\"vertices\": [0]}"), ": constraints[0].at.object: ", "is missing"},
    {"pin_unknown_object", pin(R"("at": {"object": "q", "vertices": [0]})"),
     ": constraints[0].at.object: ", "there is no object 'q'"},
    {"pin_no_vertices", pin(R"("at": {"object": "p"})"), ": constraints[0].at: ", "either 'vertices' or 'box'"},
    {"pin_both", pin(R"("at": {"object": "p", "vertices": [0], "box": [[0,0,0],[1,1,1]]})"),
     ": constraints[0].at: ", "either 'vertices' or 'box'"},
    {"pin_empty", pin(R"("at": {"object": "p", "vertices": []})"), ": constraints[0].at.vertices: ", "at least 1"},
    {"pin_vertex_range", pin(R"("at": {"object": "p", "vertices": [0, 2]})"),
     ": constraints[0].at.vertices: ", "vertex 2 of 'p' does not exist"},
    {"pin_vertex_negative", pin(R"("at": {"object": "p", "vertices": [-1]})"),
     ": constraints[0].at.vertices[0]: ", "between 0"},
    {"pin_vertex_fraction", pin(R"("at": {"object": "p", "vertices": [0.5]})"),
     ": constraints[0].at.vertices[0]: ", "whole number"},
    {"pin_twice", pin(R"("at": {"object": "p", "vertices": [1, 1]})"),
     ": constraints[0].at.vertices: ", "lists vertex 1 twice"},
    {"box_empty", pin(R"("at": {"object": "p", "box": [[5, 5, 5], [6, 6, 6]]})"),
     ": constraints[0].at.box: ", "holds no vertex of 'p'"},
    {"box_reversed", pin(R"("at": {"object": "p", "box": [[1, 0, 0], [0, 1, 1]]})"),
     ": constraints[0].at.box: ", "along x"},
    {"box_one_corner", pin(R"("at": {"object": "p", "box": [[1, 0, 0]]})"), ": constraints[0].at.box: ", "at least 2"},
    {"box_three_corners", pin(R"("at": {"object": "p", "box": [[0,0,0],[1,1,1],[2,2,2]]})"),
     ": constraints[0].at.box: ", "two corners"},
    {"motion_empty", moved(""), ": constraints[0].motion: ", "at least 1"},
    {"motion_no_time", moved(R"({"translate": [0, 1, 0]})"), ": constraints[0].motion[0].time: ", "is missing"},
    {"motion_time_negative", moved(R"({"time": -1})"), ": constraints[0].motion[0].time: ", ">= 0"},
    {"motion_not_increasing", moved(R"({"time": 1}, {"time": 1})"),
     ": constraints[0].motion[1].time: ", "later than the keyframe before"},
    {"motion_unknown_key", moved(R"({"time": 0, "scale": 2})"), ": constraints[0].motion[0].scale: ", "unknown key"},
    {"motion_translate_pair", moved(R"({"time": 0, "translate": [1, 2]})"),
     ": constraints[0].motion[0].translate: ", "must hold 3"},
    {"motion_turns_too_far", moved(R"({"time": 1}, {"time": 1.01, "rotate_degrees": [100, 0, 100]})"),
     ": constraints[0].motion: ", "must be less than 180"},
    {"centre_without_motion", pin(R"("at": {"object": "p", "vertices": [0]}, "centre": [0, 0, 0])"),
     ": constraints[0].centre: ", "'motion' only"},
    {"pin_compliance_negative", pin(R"("at": {"object": "p", "vertices": [0]}, "compliance": -1)"),
     ": constraints[0].compliance: ", ">= 0"},
    {"two_motions",
     scene(two_particles, R"({"type": "pin", "at": {"object": "p", "vertices": [0]}, "motion": [{"time": 1}]},
                             {"type": "pin", "at": {"object": "p", "vertices": [1, 0]}, "motion": [{"time": 2}]})"),
     ": constraints[1]: ", "vertex 0 of 'p' is already held in another way by constraints[0]"},
    {"motion_against_rest", scene(two_particles, R"({"type": "pin", "at": {"object": "p", "vertices": [0]}},
                             {"type": "pin", "at": {"object": "p", "vertices": [0]}, "motion": [{"time": 2}]})"),
     ": constraints[1]: ", "already held"},
    {"fixed_and_compliant", scene(two_particles, R"({"type": "pin", "at": {"object": "p", "vertices": [0]}},
                             {"type": "pin", "at": {"object": "p", "vertices": [0]}, "compliance": 1})"),
     ": constraints[1]: ", "already held"},
    {"distance_no_b", constraint(R"("type": "distance", "a": ["p", 0])"), ": constraints[0].b: ", "is missing"},
    {"distance_same", constraint(R"("type": "distance", "a": ["p", 0], "b": ["p", 0])"),
     ": constraints[0].b: ", "same vertex"},
    {"distance_reference_short", constraint(R"("type": "distance", "a": ["p"], "b": ["p", 1])"),
     ": constraints[0].a: ", "at least 2"},
    {"distance_reference_long", constraint(R"("type": "distance", "a": ["p", 0, 1], "b": ["p", 1])"),
     ": constraints[0].a: ", "[object, vertex]"},
    {"distance_reference_swapped", constraint(R"("type": "distance", "a": [0, "p"], "b": ["p", 1])"),
     ": constraints[0].a[0]: ", "must be a string"},
    {"distance_unknown_object", constraint(R"("type": "distance", "a": ["p", 0], "b": ["x", 1])"),
     ": constraints[0].b[0]: ", "there is no object 'x'"},
    {"distance_vertex_range", constraint(R"("type": "distance", "a": ["p", 0], "b": ["sheet", 9])"),
     ": constraints[0].b: ", "vertex 9 of 'sheet' does not exist: it has 9 vertices"},
    {"distance_length_negative", constraint(R"("type": "distance", "a": ["p", 0], "b": ["p", 1], "length": -1)"),
     ": constraints[0].length: ", ">= 0"},
    {"distance_coincident", constraint(R"("type": "distance", "a": ["p", 0], "b": ["sheet", 4])"),
     ": constraints[0]: ", "same place"},
    {"attach_offset", constraint(R"("type": "attach", "a": ["p", 0], "b": ["p", 1], "offset": 1)"),
     ": constraints[0].offset: ", "must be an array"},
    {"attach_length", constraint(R"("type": "attach", "a": ["p", 0], "b": ["p", 1], "length": 1)"),
     ": constraints[0].length: ", "unknown key"},
};

std::vector<BadScene> all() {
    std::vector<BadScene> table;
    for (const auto* part :
         {&syntax, &settings, &objects, &constraints, &bad_bodies, &bad_contact, &bad_mappings, &bad_joints}) {
        table.insert(table.end(), part->begin(), part->end());
    }
    return table;
}

class BadSceneTable : public BadScenes, public testing::WithParamInterface<BadScene> {};

TEST_P(BadSceneTable, IsRefusedInOneLine) {
    const std::string file = write("scene.json", GetParam().text);
    for (const char* command : {"check", "run"}) {
        const Result result = taut({command, file});
        EXPECT_EQ(result.code, 2) << result.err;
        EXPECT_EQ(result.out, "");
        EXPECT_EQ(line_count(result.err), 1u) << result.err;
        EXPECT_EQ(result.err.rfind(file + GetParam().place, 0), 0u) << result.err;
        EXPECT_TRUE(contains(result.err, GetParam().cause)) << result.err;
    }
}

INSTANTIATE_TEST_SUITE_P(All, BadSceneTable, testing::ValuesIn(all()),
                         [](const auto& row) { return std::string(row.param.name); });

TEST_F(BadScenes, MissingFile) {
    const Result result = taut({"check", path("none.json")});
    EXPECT_EQ(result.code, 2);
    EXPECT_TRUE(contains(result.err, "none.json: cannot be opened: No such file")) << result.err;
}

TEST_F(BadScenes, FolderInsteadOfFile) {
    const Result result = taut({"check", path("")});
    EXPECT_EQ(result.code, 2);
    EXPECT_TRUE(contains(result.err, "Is a directory")) << result.err;
}

} // namespace
