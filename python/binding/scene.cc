/* taut.Scene, and the reports that are classes. */
#include "handles.h"
#include <tables.h>

#include <limits>

/* ---- what adding returns -------------------------------------------------------------------------------------- */

/* A report with batches, and Scene::number of their scene. */
template <class Report> struct OfScene : Report { uint64_t scene; };

static nb::object result_of(const taut_range& range, uint64_t) {
    return to_python(range);
}
static nb::object result_of(const taut_batch& batch, uint64_t scene) {
    return nb::cast(Batch{batch.id, scene});
}
static nb::object result_of(uint32_t number, uint64_t) {
    return nb::int_(number);
}
static nb::object result_of(const taut_body_ranges& report, uint64_t) {
    return nb::cast(report);
}
template <class Report> static nb::object result_of(const Report& report, uint64_t scene) {
    return nb::cast(OfScene<Report>{report, scene});
}

template <class Def> static Def filled(const Table& table, const nb::dict& given, std::unique_ptr<Filling>& kept) {
    Def def;
    taut_default_definition(static_cast<taut_definition>(table.definition), sizeof def, &def);
    kept = std::make_unique<Filling>(table, &def, given);
    return def;
}

template <class Def, class Out>
static nb::object add_to_scene(Scene& scene, const Table& table, const nb::dict& given,
                               taut_status (*add)(taut_scene*, const Def*, Out*)) {
    std::unique_ptr<Filling> kept;
    const Def def = filled<Def>(table, given, kept);
    Out out = {};
    Use use(*scene.busy);
    check(add(scene.get(), &def, &out));
    note(scene.own_shapes(), def, out);
    return result_of(out, scene.number);
}

template <class Def>
static nb::object add_to_world(World& world, const Table& table, const nb::dict& given,
                               taut_status (*add)(taut_world*, const Def*, taut_added*)) {
    std::unique_ptr<Filling> kept;
    const Def def = filled<Def>(table, given, kept);
    std::vector<taut_added> added(def.count);
    with_world(world, [&](taut_world* w) { return add(w, &def, added.data()); });
    std::vector<uint64_t> ids;
    for (const taut_added& one : added) {
        ids.push_back(one.id);
    }
    return to_array(std::move(ids), {added.size()});
}

/* ---- reports -------------------------------------------------------------------------------------------------- */

template <class Report> static uint64_t scene_of(const Report&) {
    return 0;
}
template <class Report> static uint64_t scene_of(const OfScene<Report>& report) {
    return report.scene;
}

struct Property {
    const char* signature;
    const char* doc;
};

/* What a report has beside its members. */
template <class Report> static void bind_more(nb::class_<Report>&) {}
template <> void bind_more(nb::class_<taut_body_ranges>& c) {
    c.def_prop_ro(
        "bodies", [](const taut_body_ranges& r) { return to_python(r); },
        nb::for_getter(nb::sig("def bodies(self) -> numpy.typing.NDArray[numpy.uint32]")),
        "The bodies, count x 2: point, frame. What takes bodies takes rows of it.");
}

template <class Report>
static void bind_report(nb::module_& m, const char* name, const char* doc, const Table& table,
                        std::vector<Property> properties) {
    nb::class_<Report> c(m, name, doc);
    for (size_t i = 0; i < properties.size(); i++) {
        const Member* member = &table.members[i];
        c.def_prop_ro(
            member->name, [member](const Report& r) { return value_at(*member, &r, scene_of(r)); },
            nb::for_getter(nb::sig(properties[i].signature)), properties[i].doc);
    }
    c.def(
        "as_dict", [&table](const Report& r) { return to_dict(table, &r, scene_of(r)); },
        nb::sig("def as_dict(self) -> dict[str, typing.Any]"), "All values by name.");
    c.def("__repr__", [&table, name](const Report& r) {
        return std::string(name) + "(" + nb::repr(to_dict(table, &r)).c_str() + ")";
    });
    bind_more(c);
    if (has_from_dict(table)) {
        c.def(
            "__getstate__", [&table](const Report& r) { return to_dict(table, &r); },
            nb::sig("def __getstate__(self) -> dict[str, typing.Any]"));
        c.def(
            "__setstate__",
            [&table](Report& r, const nb::dict& values) {
                Report made = {};
                from_dict(table, &made, values);
                new (&r) Report(made);
            },
            nb::sig("def __setstate__(self, values: dict[str, typing.Any], /) -> None"));
    }
}

#include <methods.h>

/* ---- scenes --------------------------------------------------------------------------------------------------- */

static Scene new_scene() {
    const taut_scene_def def = taut_default_scene();
    taut_scene* scene = nullptr;
    check(taut_scene_create(&def, &scene));
    return {std::shared_ptr<taut_scene>(scene, taut_scene_destroy)};
}

static nb::object positions(const Scene& s) {
    const size_t points = taut_scene_particle_count(s.get());
    const double* from = taut_scene_positions(s.get());
    return to_array(std::vector<double>(from, from + 3 * points), {points, 3});
}

static void set_fixed(Scene& s, nb::handle numbers, bool fixed, const char* what,
                      taut_status (*set)(taut_scene*, size_t, const uint32_t*, bool)) {
    const Numbers n = indices(numbers, what, any_rows, 1);
    Use use(*s.busy);
    check(set(s.get(), n.rows(), n.u32(), fixed));
}

static void set_bodies_fixed(Scene& s, nb::handle bodies, bool fixed) {
    const BodyNumbers n(bodies);
    Use use(*s.busy);
    check(taut_scene_set_bodies_fixed(s.get(), n.rows(), n.bodies(), fixed));
}

static void exclude_contacts(Scene& s, nb::handle bodies) {
    const BodyNumbers n(bodies, 2);
    Use use(*s.busy);
    check(taut_scene_exclude_contacts(s.get(), n.rows(), n.bodies()));
}

static void exclude_attached(Scene& s, nb::handle points) {
    const Numbers n = indices(points, "points", any_rows, 2);
    Use use(*s.busy);
    check(taut_scene_exclude_attached(s.get(), n.rows(), n.u32()));
}

static nb::object describe(const Scene& s, const Batch& batch) {
    taut_kind kind;
    size_t count = 0;
    check(taut_scene_describe_batch(s.get(), batch_in(s.number, batch), &kind, &count));
    return nb::make_tuple(taut_kind_name(kind), count);
}

static void bind_batch(nb::module_& m) {
    nb::class_<Batch>(m, "Batch",
                      "The constraints or force elements of one kind that one call added to a scene. Other scenes and "
                      "worlds of other scenes refuse it; scene.batch(id) gives theirs.")
        .def_ro("id", &Batch::id, "number of the batch; 0: no batch")
        .def("__bool__", [](const Batch& b) { return b.id != 0; })
        .def("__repr__", [](const Batch& b) { return "Batch(" + std::to_string(b.id) + ")"; })
        .def(
            "__eq__",
            [](const Batch& b, nb::handle other) {
                Batch o{};
                return nb::try_cast(other, o) && o.id == b.id && o.scene == b.scene;
            },
            nb::sig("def __eq__(self, other: object, /) -> bool"))
        .def("__hash__", [](const Batch& b) { return b.id; });
}

void bind_scene(nb::module_& m) {
    bind_batch(m);
    bind_reports(m);
    nb::class_<Scene> c(
        m, "Scene",
        "Particles and constraints, described by arrays; a World simulates them.\n\nPoints (particles, "
        "centres of bodies, mapped points) share one numbering from 0, frames (orientations of bodies and "
        "rod pieces) have another. Arrays may be anything that NumPy or DLPack takes; they are copied. "
        "Members that are not given have the library's defaults.");
    c.def("__init__", [](Scene* s) { new (s) Scene(new_scene()); });
    bind_scene_adders(c);
    c.def("positions", &positions, nb::sig("def positions(self) -> numpy.typing.NDArray[numpy.float64]"),
          "A copy of the positions of all points, count x 3, m.");
    c.def_prop_ro(
        "particle_count", [](const Scene& s) { return taut_scene_particle_count(s.get()); },
        "Number of points: particles, centres of bodies and mapped points.");
    c.def_prop_ro(
        "frame_count", [](const Scene& s) { return taut_scene_frame_count(s.get()); }, "Number of frames.");
    c.def_prop_ro(
        "row_count", [](const Scene& s) { return taut_scene_row_count(s.get()); },
        "Number of rows of all constraints.");
    c.def_prop_ro(
        "batch_count", [](const Scene& s) { return taut_scene_batch_count(s.get()); },
        "Number of batches; they have the ids from 1 to this number.");
    c.def("describe", &describe, nb::arg("batch"), nb::sig("def describe(self, batch: Batch) -> tuple[str, int]"),
          "The kind of a batch, and how many constraints or force elements it has.");
    c.def(
        "batch",
        [](const Scene& s, uint32_t id) {
            const Batch batch{id, s.number};
            describe(s, batch);
            return batch;
        },
        nb::arg("id"), "The batch with a number.");
    c.def(
        "set_fixed",
        [](Scene& s, nb::handle n, bool fixed) { set_fixed(s, n, fixed, "particles", taut_scene_set_fixed); },
        nb::arg("particles"), nb::arg("fixed") = true,
        nb::sig("def set_fixed(self, particles: taut.ArrayLike, fixed: bool = True) -> None"),
        "Fixes points, or frees them.");
    c.def(
        "set_frames_fixed",
        [](Scene& s, nb::handle n, bool fixed) { set_fixed(s, n, fixed, "frames", taut_scene_set_frames_fixed); },
        nb::arg("frames"), nb::arg("fixed") = true,
        nb::sig("def set_frames_fixed(self, frames: taut.ArrayLike, fixed: bool = True) -> None"),
        "Fixes frames, or frees them: those of rods, or of bodies whose points stay as they are.");
    c.def("set_bodies_fixed", &set_bodies_fixed, nb::arg("bodies"), nb::arg("fixed") = true,
          nb::sig("def set_bodies_fixed(self, bodies: taut.ArrayLike, fixed: bool = True) -> None"),
          "Fixes bodies, or frees them: both their points and their frames. count x 2: point, frame.");
    c.def(
        "set_material_pair",
        [](Scene& s, uint32_t a, uint32_t b, const nb::kwargs& given) {
            std::unique_ptr<Filling> kept;
            const auto def = filled<taut_material_def>(members_material_def, given, kept);
            Use use(*s.busy);
            check(taut_scene_set_material_pair(s.get(), a, b, &def));
        },
        nb::arg("a"), nb::arg("b"), nb::arg("values"),
        "Sets the values of contacts between materials a and b, by the names that add_material has.");
    c.def(
        "add_collider_features",
        [](Scene& s, uint32_t collider) {
            taut_range range;
            Use use(*s.busy);
            check(taut_scene_add_collider_features(s.get(), collider, &range));
            return to_python(range);
        },
        nb::arg("collider"), nb::sig("def add_collider_features(self, collider: int) -> range"),
        "Lets the corners and edges of a collider touch contact surfaces. Returns their contact points.");
    c.def("exclude_contacts", &exclude_contacts, nb::arg("bodies"),
          nb::sig("def exclude_contacts(self, bodies: taut.ArrayLike) -> None"),
          "Excludes contacts between pairs of bodies, count x 4: point, frame, point, frame.");
    c.def("exclude_attached", &exclude_attached, nb::arg("points"),
          nb::sig("def exclude_attached(self, points: taut.ArrayLike) -> None"),
          "Excludes contacts of what attached points belong to, where it overlaps at the start: count x 2 points.");
    c.def(
        "use_as_forces",
        [](Scene& s, const Batch& batch) {
            Use use(*s.busy);
            check(taut_scene_use_as_forces(s.get(), batch_in(s.number, batch)));
        },
        nb::arg("batch"), "Uses a batch with compliance as a force field in place of constraints.");
    c.def(
        "set_bounds",
        [](Scene& s, const Batch& batch, double lower, double upper, double strength) {
            Use use(*s.busy);
            check(taut_scene_set_bounds(s.get(), batch_in(s.number, batch), lower, upper, strength));
        },
        nb::arg("batch"), nb::arg("lower") = -std::numeric_limits<double>::infinity(),
        nb::arg("upper") = std::numeric_limits<double>::infinity(),
        nb::arg("strength") = std::numeric_limits<double>::infinity(),
        nb::sig(
            "def set_bounds(self, batch: Batch, lower: float = -math.inf, upper: float = math.inf, strength: float = "
            "math.inf) -> None"),
        "Sets bounds of the multipliers of a batch, N (angles: N m), lower <= 0 <= upper, and the force at which its "
        "constraints break. upper = 0 makes ropes of distances, lower = 0 struts.");
    c.def("close", &Scene::close, "Destroys the scene. Worlds that were made of it stay.");
    c.def(
        "__enter__", [](nb::object self) { return self; }, nb::sig("def __enter__(self) -> Scene"));
    c.def(
        "__exit__", [](Scene& s, nb::args) { s.close(); }, nb::sig("def __exit__(self, *exception: object) -> None"));
}

void bind_adders(nb::class_<World>& c) {
    bind_world_adders(c);
}
