#include "bad_scenes.h"
#include "folder.h"

namespace app {
namespace {

std::string with(const std::string& extra) {
    return scene(two_particles, "", extra);
}

// A collider but for its members, beside what can touch it and bodies to be on.
std::string collider(const std::string& members, const std::string& extra = "") {
    return scene(std::string(two_particles) + R"(,
        {"name": "one", "type": "rigid", "sphere": {"radius": 0.1}, "mass": 1},
        {"name": "two", "type": "rigid", "sphere": {"radius": 0.1}, "mass": 1, "positions": [[0, 0, 0], [1, 0, 0]]},
        {"name": "o", "type": "collider", )" +
                     members + "}",
                 "", extra);
}

std::string floor(const std::string& members, const std::string& extra = "") {
    return collider("\"plane\": {}, " + members, extra);
}

// Particles with these members of "contact".
std::string touching(const std::string& members, const std::string& extra = "") {
    return scene(R"({"name": "o", "type": "particles", "positions": [[0, 0, 0]], "contact": {)" + members + "}}", "",
                 extra);
}

// A sheet with these.
std::string surface(const std::string& members) {
    return scene(R"({"name": "o", "type": "cloth", "grid": {"size": [1, 1], "cells": [1, 1]}, "density": 1,
                     "contact": {)" +
                 members + "}}");
}

// A mapping on a body but for its members.
std::string mapped(const std::string& members) {
    return R"({"taut": 1, "objects": [{"name": "b", "type": "rigid", "sphere": {"radius": 1}, "mass": 1}],
               "mappings": [{"name": "m", "type": "points", "body": "b", )" +
           members + "}]}";
}

std::string material(const std::string& members) {
    return with("\"materials\": [{\"name\": \"m\", " + members + "}], ");
}

std::string pair(const std::string& members) {
    return with(R"("materials": [{"name": "m"}, {"name": "n"}], "material_pairs": [{)" + members + "}], ");
}

} // namespace

const std::vector<BadScene> bad_contact = {
    {"contact_number", with("\"contact\": 1, "), ": contact: ", "must be an object"},
    {"contact_unknown_key", with(R"("contact": {"colour": 1}, )"), ": contact.colour: ", "unknown key"},
    {"capacity_zero", with(R"("contact": {"capacity": 0}, )"), ": contact.capacity: ", "between 1 and"},
    {"friction_law_unknown", with(R"("contact": {"friction": "viscous"}, )"),
     ": contact.friction: ", "known: coulomb, convex"},
    {"margin_negative", with(R"("contact": {"margin": -1}, )"), ": contact.margin: ", ">= 0"},
    {"slip_speed_negative", with(R"("contact": {"slip_speed": -1}, )"), ": contact.slip_speed: ", ">= 0"},
    {"restitution_speed_negative", with(R"("contact": {"restitution_speed": -1}, )"),
     ": contact.restitution_speed: ", ">= 0"},
    {"groups_text", with(R"("contact": {"groups": "a"}, )"), ": contact.groups: ", "must be an array"},
    {"groups_empty", with(R"("contact": {"groups": []}, )"), ": contact.groups: ", "at least 1"},
    {"groups_twice", with(R"("contact": {"groups": ["a", "a"]}, )"), ": contact.groups[1]: ", "is listed twice"},
    {"groups_default", with(R"("contact": {"groups": ["default"]}, )"),
     ": contact.groups[0]: ", "'default' is there from the start"},
    {"groups_many", with(R"("contact": {"groups": ["0","1","2","3","4","5","6","7","8","9","a","b","c","d","e","f","g",
         "h","i","j","k","l","m","n","o","p","q","r","s","t","u","v"]}, )"),
     ": contact.groups: ", "holds 32 groups, more than 31"},

    {"materials_object", with("\"materials\": {}, "), ": materials: ", "must be an array"},
    {"material_no_name", with("\"materials\": [{}], "), ": materials[0].name: ", "is missing"},
    {"material_default", with(R"("materials": [{"name": "default"}], )"),
     ": materials[0].name: ", "'default' is there from the start"},
    {"material_twice", with(R"("materials": [{"name": "m"}, {"name": "m"}], )"),
     ": materials[1].name: ", "'m' is also the name of materials[0]"},
    {"material_unknown_key", material("\"colour\": 1"), ": materials[0].colour: ", "unknown key"},
    {"material_friction", material("\"friction\": -1"), ": materials[0].friction: ", ">= 0"},
    {"material_static_friction", material("\"static_friction\": -1"), ": materials[0].static_friction: ", ">= 0"},
    {"material_static_friction_small", material("\"static_friction\": 0.4"),
     ": materials[0]: ", "it must lie in [0.5, 1e6]"},
    {"material_friction_huge", material("\"friction\": 1e7"), ": materials[0]: ", "friction is 1e+07"},
    {"material_restitution", material("\"restitution\": 1.1"), ": materials[0].restitution: ", "between 0 and 1"},
    {"material_compliance", material("\"compliance\": -1"), ": materials[0].compliance: ", ">= 0"},
    {"material_damping", material("\"damping\": -1"), ": materials[0].damping: ", ">= 0"},
    {"material_recovery", material("\"recovery\": 0"), ": materials[0].recovery: ", "> 0"},
    {"material_rolling", material("\"rolling\": -1"), ": materials[0].rolling: ", ">= 0"},
    {"material_spinning", material("\"spinning\": -1"), ": materials[0].spinning: ", ">= 0"},
    {"pair_no_materials", pair("\"friction\": 1"), ": material_pairs[0].materials: ", "is missing"},
    {"pair_of_one", pair("\"materials\": [\"m\"]"), ": material_pairs[0].materials: ", "must hold 2 names, holds 1"},
    {"pair_unknown", pair(R"("materials": ["m", "x"])"), ": material_pairs[0].materials[1]: ", "no material 'x'"},
    {"pair_unknown_key", pair(R"("materials": ["m", "n"], "mu": 1)"), ": material_pairs[0].mu: ", "unknown key"},
    {"pair_friction", pair(R"("materials": ["m", "n"], "friction": -1)"), ": material_pairs[0].friction: ", ">= 0"},
    {"pair_twice", pair(R"("materials": ["m", "n"]}, {"materials": ["n", "m"])"),
     ": material_pairs[1].materials: ", "are also those of material_pairs[0]"},

    {"collider_no_shape", collider("\"material\": \"default\""),
     ": objects[3]: ", "needs one of 'plane', 'sphere', 'capsule', 'box', 'cylinder', 'cone' and 'mesh'"},
    {"collider_two_shapes", floor(R"("box": {"sides": [1, 1, 1]})"), ": objects[3]: ", "needs one of"},
    {"collider_mesh_missing", collider("\"mesh\": \"none.obj\""), ": objects[3].mesh: ", "No such file"},
    {"collider_mesh_number", collider("\"mesh\": 1"), ": objects[3].mesh: ", "must be a string"},
    {"collider_spacing_alone", floor("\"spacing\": 0.1"), ": objects[3].spacing: ", "belongs to shape 'mesh'"},
    {"collider_spacing_zero", collider(R"("mesh": "none.obj", "spacing": 0)"), ": objects[3].spacing: ", "> 0"},
    {"collider_skin_of_a_plane", floor("\"skin\": false"), ": objects[3].skin: ", "a 'plane' has none"},
    {"collider_skin_number", collider(R"("box": {"sides": [1, 1, 1]}, "skin": 1)"),
     ": objects[3].skin: ", "true or false"},
    {"collider_touching", floor("\"contact\": {}"), ": objects[3].contact: ", "unknown key"},
    {"plane_zero", collider(R"("plane": {"normal": [0, 0, 0]})"), ": objects[3].plane.normal: ", "is zero"},
    {"plane_scaled", floor("\"scale\": 2"), ": objects[3].scale: ", "not to planes"},
    {"collider_box_flat", collider(R"("box": {"sides": [1, 0, 1]})"), ": objects[3].box.sides[1]: ", "> 0"},
    {"collider_sphere_scaled", collider(R"("sphere": {"radius": 1}, "scale": [1, 2, 1])"),
     ": objects[3].scale: ", "one factor along x, y and z"},
    {"collider_huge", collider(R"("sphere": {"radius": 1e20})"), ": objects[3]: ", "must lie in"},
    {"collider_material", floor("\"material\": \"x\""), ": objects[3].material: ", "there is no material 'x'"},
    {"collider_group", floor("\"group\": \"x\""), ": objects[3].group: ", "there is no group 'x': contact.groups"},
    {"collider_masks", floor("\"mask\": [\"default\", \"x\"]"), ": objects[3].mask[1]: ", "there is no group 'x'"},
    {"collider_mask_empty", floor("\"mask\": []"), ": objects[3].mask: ", "at least 1"},
    {"collider_on_particles", floor("\"body\": \"p\""), ": objects[3].body: ", "'p' is no rigid object"},
    {"collider_on_two", floor("\"body\": \"two\""), ": objects[3].body: ", "has 2 bodies: write [object, body]"},
    {"collider_on_none", floor("\"body\": \"x\""), ": objects[3].body: ", "there is no object 'x'"},
    {"collider_axes_alone", floor("\"axes\": \"body\""), ": objects[3].axes: ", "is of use with 'body' only"},
    {"collider_axes_unknown", floor(R"("body": "one", "axes": "local")"), ": objects[3].axes: ", "known: world, body"},
    {"collider_moved_twice", floor(R"("body": "one", "motion": [{"time": 1}])"),
     ": objects[3].motion: ", "belongs to colliders without 'body'"},
    {"collider_motion_empty", floor("\"motion\": []"), ": objects[3].motion: ", "at least 1"},
    {"collider_turns_too_far", floor(R"("motion": [{"time": 0, "rotate_degrees": [100, 150, 0]}])"),
     ": objects[3].motion: ", "must be less than 180"},
    {"collider_centre_alone", floor("\"centre\": [0, 0, 0]"), ": objects[3].centre: ", "with 'motion' only"},
    {"colliders_only", scene(R"({"name": "o", "type": "collider", "plane": {}})"),
     ": objects: ", "hold colliders only, so that nothing can move: add an object of another type"},
    {"collider_vertex",
     scene(std::string(two_particles) + R"(, {"name": "o", "type": "collider", "plane": {}})",
           R"({"type": "attach", "a": ["p", 0], "b": ["o", 0]})"),
     ": constraints[0].b: ", "vertex 0 of 'o' does not exist: it has 0 vertices"},

    {"touching_number", scene(R"({"name": "o", "type": "particles", "positions": [[0, 0, 0]], "contact": true})"),
     ": objects[0].contact: ", "must be an object"},
    {"touching_radius", touching("\"radius\": -1"), ": objects[0].contact.radius: ", ">= 0"},
    {"touching_thickness", touching("\"thickness\": 1"), ": objects[0].contact.thickness: ", "unknown key"},
    {"touching_radius_huge", touching("\"radius\": 1e20"), ": objects[0].contact: ", "radius[0] is 1e+20"},
    {"touching_material", touching("\"material\": \"x\""), ": objects[0].contact.material: ", "no material 'x'"},
    {"touching_friction", touching("\"friction\": 0.3"),
     ": objects[0].contact.friction: ", "unknown key here; it is a key of \"materials\""},
    {"touching_far", touching("\"zzzzzzz\": 1"),
     ": objects[0].contact.zzzzzzz: ", "unknown key (known: material, group, "},
    {"touching_group", touching("\"group\": [\"x\"]"), ": objects[0].contact.group[0]: ", "there is no group 'x'"},
    {"touching_mask_number", touching("\"mask\": 1"),
     ": objects[0].contact.mask: ", "must be the name of a group, or an array of such names"},
    {"cloth_radius", scene(R"({"name": "o", "type": "cloth", "grid": {"size": [1, 1], "cells": [1, 1]}, "density": 1,
                               "contact": {"radius": 0.1}})"),
     ": objects[0].contact.radius: ", "unknown key"},
    {"surface_thin", surface("\"surface\": true"), ": objects[0].contact.surface: ", "needs a 'thickness' above 0"},
    {"surface_no_thickness", surface(R"("thickness": 0, "surface": true)"),
     ": objects[0].contact.surface: ", "needs a 'thickness' above 0"},
    {"surface_number", surface("\"surface\": 1"), ": objects[0].contact.surface: ", "must be true or false"},
    {"surface_negative", surface("\"thickness\": -0.1"), ": objects[0].contact.thickness: ", ">= 0"},
    {"surface_huge", surface("\"thickness\": 1e20"), ": objects[0].contact: ", "contact surface: radius is 5e+19 m"},
    {"self_thin", surface("\"self\": true"), ": objects[0].contact.self: ", "is of use with a surface only"},
    {"self_of_points", surface(R"("thickness": 0.1, "surface": false, "self": false)"),
     ": objects[0].contact.self: ", "is of use with a surface only, and that needs a 'thickness' above 0"},
    {"self_number", surface(R"("thickness": 0.1, "self": 1)"), ": objects[0].contact.self: ", "must be true or false"},
    {"surface_of_particles", touching(R"("radius": 0.1, "surface": true)"),
     ": objects[0].contact.surface: ", "unknown key"},
    {"self_of_body", scene(R"({"name": "o", "type": "rigid", "sphere": {"radius": 1}, "mass": 1,
                               "contact": {"self": true}})"),
     ": objects[0].contact.self: ", "unknown key"},
    {"mapped_surface_of_points", mapped(R"("positions": [[0, 0, 0]], "contact": {"radius": 0.1, "surface": true})"),
     ": mappings[0].contact.surface: ", "unknown key"},
    {"mapped_thickness", mapped(R"("positions": [[0, 0, 0]], "contact": {"thickness": 0.1})"),
     ": mappings[0].contact.thickness: ", "unknown key"},
    {"mapped_radius", mapped(R"("positions": [[0, 0, 0]], "contact": {"radius": -1})"),
     ": mappings[0].contact.radius: ", ">= 0"},
    {"combination_contact",
     R"({"taut": 1, "objects": [{"name": "p", "type": "particles", "positions": [[0, 0, 0]]}],
         "mappings": [{"name": "m", "type": "subset", "object": "p", "vertices": [0], "contact": {}}]})",
     ": mappings[0].contact: ", "unknown key"},
    {"rigid_radius", scene(R"({"name": "o", "type": "rigid", "sphere": {"radius": 1}, "mass": 1,
                               "contact": {"radius": 0.1}})"),
     ": objects[0].contact.radius: ", "unknown key"},
};

} // namespace app
