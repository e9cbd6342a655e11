#include "bad_scenes.h"
#include "folder.h"

namespace app {
namespace {

std::string rigid(const std::string& members) {
    return scene("{\"name\": \"o\", \"type\": \"rigid\", " + members + "}");
}

// A good ball but for the members.
std::string ball(const std::string& members) {
    return rigid(R"("sphere": {"radius": 0.1}, "mass": 1, )" + members);
}

std::string rod(const std::string& members) {
    return scene(R"({"name": "o", "type": "rod", "points": [[0, 0, 0], [0, 1, 0]], )" + members + "}");
}

// A good rod but for the members.
std::string stick(const std::string& members) {
    return rod(R"("segments": 4, "radius": 0.01, "density": 1000, "young": 1e7, )" + members);
}

} // namespace

const std::vector<BadScene> bad_bodies = {
    {"rigid_no_shape", rigid("\"mass\": 1"),
     ": objects[0]: ", "needs one of 'box', 'sphere', 'cylinder', 'capsule', 'cone' and 'mesh'"},
    {"rigid_two_shapes", ball(R"("box": {"sides": [1, 1, 1]})"), ": objects[0]: ", "needs one of"},
    {"rigid_unknown_key", ball("\"colour\": 1"), ": objects[0].colour: ", "unknown key"},
    {"box_number", rigid("\"mass\": 1, \"box\": 1"), ": objects[0].box: ", "must be an object"},
    {"box_no_sides", rigid("\"mass\": 1, \"box\": {}"), ": objects[0].box.sides: ", "is missing"},
    {"box_two_sides", rigid(R"("mass": 1, "box": {"sides": [1, 1]})"), ": objects[0].box.sides: ", "must hold 3"},
    {"box_flat", rigid(R"("mass": 1, "box": {"sides": [1, 0, 1]})"), ": objects[0].box.sides[1]: ", "> 0"},
    {"box_unknown_key", rigid(R"("mass": 1, "box": {"sides": [1, 1, 1], "r": 1})"), ": objects[0].box.r: ", "unknown"},
    {"sphere_no_radius", rigid(R"("mass": 1, "sphere": {})"), ": objects[0].sphere.radius: ", "is missing"},
    {"sphere_negative", rigid(R"("mass": 1, "sphere": {"radius": -1})"), ": objects[0].sphere.radius: ", "> 0"},
    {"sphere_scaled", ball("\"scale\": [1, 2, 1]"),
     ": objects[0].scale: ", "a sphere takes one factor along x, y and z"},
    {"cylinder_no_height", rigid(R"("mass": 1, "cylinder": {"radius": 1})"),
     ": objects[0].cylinder.height: ", "is missing"},
    {"cylinder_scaled", rigid(R"("mass": 1, "cylinder": {"radius": 1, "height": 2}, "scale": [1, 2, 1])"),
     ": objects[0].scale: ", "a cylinder takes one factor along x and y"},
    {"capsule_no_length", rigid(R"("mass": 1, "capsule": {"radius": 1})"),
     ": objects[0].capsule.length: ", "is missing"},
    {"capsule_height", rigid(R"("mass": 1, "capsule": {"radius": 1, "height": 2})"),
     ": objects[0].capsule.height: ", "unknown key"},
    {"capsule_scaled", rigid(R"("mass": 1, "capsule": {"radius": 1, "length": 2}, "scale": [1, 1, 2])"),
     ": objects[0].scale: ", "a capsule takes one factor along x, y and z"},
    {"rigid_plane", ball("\"plane\": {}"), ": objects[0].plane: ", "unknown key"},
    {"rigid_mesh_number", rigid("\"mass\": 1, \"mesh\": 1"), ": objects[0].mesh: ", "must be a string"},
    {"rigid_mesh_missing", rigid("\"mass\": 1, \"mesh\": \"none.obj\""), ": objects[0].mesh: ", "No such file"},
    {"rigid_no_mass", rigid(R"("sphere": {"radius": 1})"), ": objects[0]: ", "either 'mass' or 'density'"},
    {"rigid_two_masses", ball("\"density\": 1"), ": objects[0]: ", "either 'mass' or 'density'"},
    {"rigid_mass_zero", rigid(R"("sphere": {"radius": 1}, "mass": 0)"), ": objects[0].mass: ", "> 0"},
    {"rigid_density_text", rigid(R"("sphere": {"radius": 1}, "density": "a")"), ": objects[0].density: ", "number"},
    {"inertia_four", ball("\"inertia\": [1, 1, 1, 0]"), ": objects[0].inertia: ", "must hold 3 or 6 numbers, holds 4"},
    {"inertia_number", ball("\"inertia\": 1"), ": objects[0].inertia: ", "must be an array"},
    {"inertia_negative", ball("\"inertia\": [1, -1, 1]"), ": objects[0].inertia: ", "moments 1, 1 and -1: all"},
    {"inertia_indefinite", ball("\"inertia\": [1, 1, 1, 0, 0, 2]"), ": objects[0].inertia: ", "3, 1 and -1: all"},
    {"inertia_of_no_body", ball("\"inertia\": [1, 1, 5]"), ": objects[0].inertia: ", "5, 1 and 1: the largest"},
    {"inertia_of_no_body_turned", ball("\"inertia\": [3, 3, 1, 0, 0, 2]"), ": objects[0].inertia: ", "5, 1 and 1: the"},
    {"centre_of_sphere", ball("\"centre_of_mass\": [0, 0, 0]"),
     ": objects[0].centre_of_mass: ", "belongs to shape 'mesh'"},
    {"centre_without_inertia", rigid(R"("mesh": "a.obj", "mass": 1, "centre_of_mass": [0, 0, 0])"),
     ": objects[0].centre_of_mass: ", "needs 'inertia'"},
    {"centre_pair", rigid(R"("mesh": "a.obj", "mass": 1, "inertia": [1, 1, 1], "centre_of_mass": [0, 0])"),
     ": objects[0].centre_of_mass: ", "must hold 3"},
    {"rigid_no_positions", ball("\"positions\": []"), ": objects[0].positions: ", "at least 1"},
    {"rigid_position_pair", ball("\"positions\": [[0, 0, 0], [1, 2]]"), ": objects[0].positions[1]: ", "must hold 3"},
    {"orientation_three", ball("\"orientation\": [1, 0, 0]"), ": objects[0].orientation: ", "must hold 4"},
    {"orientation_zero", ball("\"orientation\": [0, 0, 0, 0]"), ": objects[0].orientation: ", "is zero for body 0"},
    {"orientation_empty", ball("\"orientation\": []"), ": objects[0].orientation: ", "at least 1"},
    {"orientation_count", ball("\"orientation\": [[1, 0, 0, 0], [1, 0, 0, 0]]"),
     ": objects[0].orientation: ", "one for all or 1 elements, holds 2"},
    {"orientation_zero_second",
     ball(R"("positions": [[0, 0, 0], [1, 0, 0]], "orientation": [[1, 0, 0, 0], [0, 0, 0, 0]])"),
     ": objects[0].orientation: ", "is zero for body 1"},
    {"velocity_pair", ball("\"velocity\": [1, 0]"), ": objects[0].velocity: ", "must hold 3"},
    {"velocity_count", ball("\"velocity\": [[1, 0, 0], [1, 0, 0]]"), ": objects[0].velocity: ", "1 elements, holds 2"},
    {"velocity_ragged", ball("\"velocity\": [[1, 0]]"), ": objects[0].velocity[0]: ", "must hold 3"},
    {"spin_text", ball("\"angular_velocity\": [0, \"a\", 0]"), ": objects[0].angular_velocity[1]: ", "number"},
    {"fixed_number", ball("\"fixed\": 1"), ": objects[0].fixed: ", "true or false"},

    {"rod_one_point", scene(R"({"name": "o", "type": "rod", "points": [[0, 0, 0]]})"),
     ": objects[0].points: ", "at least 2"},
    {"rod_no_radius", rod("\"density\": 1, \"young\": 1"), ": objects[0].radius: ", "is missing"},
    {"rod_no_density", rod("\"radius\": 1, \"young\": 1"), ": objects[0].density: ", "is missing"},
    {"rod_no_young", rod("\"radius\": 1, \"density\": 1"), ": objects[0].young: ", "is missing"},
    {"rod_radius_zero", rod("\"radius\": 0, \"density\": 1, \"young\": 1"), ": objects[0].radius: ", "> 0"},
    {"rod_segments_zero", rod("\"radius\": 1, \"density\": 1, \"young\": 1, \"segments\": 0"),
     ": objects[0].segments: ", "between 1"},
    {"rod_no_length",
     scene(R"({"name": "o", "type": "rod", "points": [[0, 0, 0], [0, 0, 0]], "radius": 1, "density": 1, "young": 1})"),
     ": objects[0].points: ", "segment 0 has no length"},
    {"rod_shear_twice", stick("\"shear\": 1e6, \"poisson\": 0.3"), ": objects[0].poisson: ", "same as 'shear'"},
    {"rod_shear_zero", stick("\"shear\": 0"), ": objects[0].shear: ", "> 0"},
    {"rod_poisson", stick("\"poisson\": 0.6"), ": objects[0].poisson: ", "between"},
    {"rod_rest_unknown", stick("\"rest\": \"round\""), ": objects[0].rest: ", "known: drawn, straight"},
    {"rod_rest_pair", stick("\"rest\": [0, 1]"), ": objects[0].rest: ", "must hold 3"},
    {"rod_damping", stick("\"damping\": -1"), ": objects[0].damping: ", ">= 0"},
    {"rod_inextensible", stick("\"inextensible\": 1"), ": objects[0].inextensible: ", "true or false"},
    {"clamp_text", stick("\"clamp\": \"start\""), ": objects[0].clamp: ", "must be an array"},
    {"clamp_unknown", stick("\"clamp\": [\"middle\"]"), ": objects[0].clamp[0]: ", "known: start, end"},
    {"clamp_twice", stick("\"clamp\": [\"end\", \"end\"]"), ": objects[0].clamp[1]: ", "listed twice"},
    {"clamp_empty", stick("\"clamp\": []"), ": objects[0].clamp: ", "at least 1"},
    {"torques_unknown", stick("\"torques\": {\"middle\": [0, 0, 1]}"), ": objects[0].torques.middle: ", "unknown key"},
    {"torques_pair", stick("\"torques\": {\"end\": [0, 0]}"), ": objects[0].torques.end: ", "must hold 3"},
};

} // namespace app
