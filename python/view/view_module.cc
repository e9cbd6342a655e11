/* The module taut._view: the window of `taut view` on a world of Python's. It is apart from taut._taut, so that a
 * machine without a window system can import that. */
#include "world_simulation.h"

#include "view/viewer.h"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>

/* What World.view takes; taut/_window.py has the defaults. */
struct Wanted {
    size_t frame;
    double fps;
    std::string title;
    std::array<int, 2> size;
    std::vector<double> camera; /* none, or azimuth and elevation, perhaps distance */
    std::optional<std::array<double, 3>> target;
    std::string colour;
    bool contacts, playing;
    std::optional<double> floor;
    std::string script;
    std::vector<std::array<uint32_t, 3>> triangles;
};

static void require(bool good, const std::string& sentence) {
    if (!good) {
        throw nb::value_error(sentence.c_str());
    }
}

static Quantity quantity_of(const std::string& name) {
    std::string all;
    for (size_t i = 0; i < quantity_count; i++) {
        if (name == quantity_names[i].name) {
            return quantity_names[i].quantity;
        }
        all += std::string(i ? ", " : "") + quantity_names[i].name;
    }
    throw nb::value_error(("colour: is '" + name + "'; it takes " + all).c_str());
}

static PictureOptions options_of(const Wanted& w) {
    PictureOptions o;
    require(std::min(w.size[0], w.size[1]) >= 16 && std::max(w.size[0], w.size[1]) <= 8192,
            "size: takes a width and a height between 16 and 8192 pixels");
    const std::vector<double>& c = w.camera;
    require(c.empty() || c.size() == 2 || c.size() == 3,
            "camera: takes an azimuth and an elevation, degrees, and perhaps a distance, m");
    require(c.empty() || (std::isfinite(c[0]) && std::fabs(c[1]) <= 89 && (c.size() < 3 || c[2] > 0)),
            "camera: the elevation is between -89 and 89 degrees, and the distance above 0");
    require(std::isnan(w.fps) || w.fps >= 0, "fps: is above 0");
    o.width = w.size[0];
    o.height = w.size[1];
    o.camera_given = !c.empty();
    o.distance_given = c.size() == 3;
    o.camera.azimuth = c.empty() ? o.camera.azimuth : (float)c[0];
    o.camera.elevation = c.empty() ? o.camera.elevation : (float)c[1];
    o.camera.distance = o.distance_given ? (float)c[2] : o.camera.distance;
    o.target_given = w.target.has_value();
    if (w.target) {
        o.camera.target = glm::vec3((*w.target)[0], (*w.target)[1], (*w.target)[2]);
    }
    o.display.quantity = quantity_of(w.colour);
    o.display.contacts = w.contacts;
    o.scenery.samples = 24; /* of saved pictures */
    o.floor_given = w.floor.has_value() && std::isfinite(*w.floor);
    o.no_floor = w.floor.has_value() && !o.floor_given;
    o.floor = o.floor_given ? (float)*w.floor : 0;
    return o;
}

/* In the interpreter's words. */
[[noreturn]] static void raise(const char* sentence) {
    const nb::object type = nb::module_::import_("taut._taut").attr("Error");
    PyErr_SetString(type.ptr(), sentence);
    throw nb::python_error();
}

/* Without the interpreter's lock; what fails is in the report. */
static void run(WorldSimulation& s, const Wanted& w, const PictureOptions& options, report* r) {
    const nb::gil_scoped_release released;
    Showing showing;
    showing.title = w.title;
    showing.playing = w.playing;
    showing.scripted = !w.script.empty();
    if ((showing.scripted && !read_input_script(w.script, &showing.script, r)) ||
        s.open(w.frame, w.fps, w.triangles, r) != EXIT_DONE) {
        return;
    }
    try {
        show_in_window(options, s, showing, r);
    } catch (const std::runtime_error& error) {
        report_fail(r, "%s", error.what());
    }
}

static void show(World& world, const nb::object& before, const nb::object& after, const Wanted& w) {
    world.get();
    const std::shared_ptr<WorldState> state = world.state;
    const PictureOptions options = options_of(w);
    for (const auto& t : w.triangles) {
        require(std::max({t[0], t[1], t[2]}) < taut_world_particle_count(world.get().world),
                "triangles: a corner is no point of the world");
    }
    report r = {};
    WorldSimulation s(world, before);
    {
        const Use use(state->busy);
        run(s, w, options, &r);
    }
    after(s.frame());
    s.rethrow();
    if (r.text[0]) {
        raise(r.text);
    }
}

NB_MODULE(_view, m) {
    m.doc() = "A window on a world; World.view calls it.";
    nb::module_::import_("taut._taut"); /* has the type of worlds */
    m.def(
        "show",
        [](World& world, const nb::object& before, const nb::object& after, size_t frame, double fps,
           const std::string& title, std::array<int, 2> size, const std::vector<double>& camera,
           std::optional<std::array<double, 3>> target, const std::string& colour, bool contacts, bool playing,
           std::optional<double> floor, const std::string& script,
           const std::vector<std::array<uint32_t, 3>>& triangles) {
            show(world, before, after,
                 {frame, fps, title, size, camera, target, colour, contacts, playing, floor, script, triangles});
        },
        nb::arg("world"), nb::arg("before").none(), nb::arg("after"), nb::arg("frame"), nb::arg("fps"),
        nb::arg("title"), nb::arg("size"), nb::arg("camera"), nb::arg("target").none(), nb::arg("colour"),
        nb::arg("contacts"), nb::arg("playing"), nb::arg("floor").none(), nb::arg("script"), nb::arg("triangles"));
}
