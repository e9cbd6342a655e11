/* Scene files, by the reader, the builder and the writers of the command-line tool. */
#include "handles.h"
#include "loaded.h"
#include <tables.h>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <cstdlib>
#include <cstring>

extern "C" {
#include "base/warning.h"
#include "build/frame_points.h"
#include "build/scene_step.h"
}

/* ---- reading -------------------------------------------------------------------------------------------------- */

struct SceneFile {
    std::shared_ptr<Loaded> loaded;
    Scene scene;
};

/* Warnings of this thread, which `tell` is called with at the end. */
class Warnings {
  public:
    Warnings() {
        warning_send([](const char* sentence, void* all) { static_cast<Warnings*>(all)->told_.push_back(sentence); },
                     this);
    }
    Warnings(const Warnings&) = delete;
    Warnings& operator=(const Warnings&) = delete;
    ~Warnings() { warning_send(nullptr, nullptr); }
    void pass_on(const nb::object& tell) const {
        for (const std::string& sentence : told_) {
            tell(sentence);
        }
    }

  private:
    std::vector<std::string> told_;
};

[[noreturn]] static void raise_report(const report& r) {
    raise_error(TAUT_INVALID_DEFINITION, r.text);
}

static SceneFile build(std::shared_ptr<Loaded> loaded, bool ok, const Warnings& warnings, const nb::object& tell,
                       report& r) {
    ok = ok && scene_build(&loaded->file, &loaded->built, &r);
    warnings.pass_on(tell);
    if (!ok) {
        raise_report(r);
    }
    return {loaded, Scene{std::shared_ptr<taut_scene>(loaded, loaded->built.scene)}};
}

static SceneFile read_scene(const std::string& path, const nb::object& tell) {
    auto loaded = std::make_shared<Loaded>();
    report r = {};
    const Warnings warnings;
    const bool ok = scene_file_read(path.c_str(), &loaded->file, &r);
    return build(loaded, ok, warnings, tell, r);
}

/* `path` stands in messages, and its folder is where meshes are looked for. */
static SceneFile parse_scene(const std::string& text, const std::string& path, const nb::object& tell) {
    auto loaded = std::make_shared<Loaded>();
    report r = {};
    const Warnings warnings;
    std::string copy = text;
    const json_text json = {path.c_str(), copy.data(), copy.size()};
    const bool ok = scene_file_parse(&json, &loaded->file, &r);
    return build(loaded, ok, warnings, tell, r);
}

/* ---- objects -------------------------------------------------------------------------------------------------- */

struct SceneObject {
    std::shared_ptr<Loaded> loaded;
    size_t index;

    const built_object& get() const { return loaded->built.objects[index]; }
};

static const char* type_of(const SceneObject& o) {
    static const char* const names[] = {"particles", "cloth", "rope", "soft", "rigid", "rod", "collider"};
    return o.index < o.loaded->file.object_count ? names[o.loaded->file.objects[o.index].type] : "mapping";
}

static nb::object bodies(const SceneObject& o) {
    const built_object& b = o.get();
    const uint32_t count = b.rigid ? (uint32_t)b.frame_count : 0;
    return to_python(taut_body_ranges{{(uint32_t)b.first_point, count}, {(uint32_t)b.first_frame, count}});
}

static nb::object triangles(const SceneObject& o) {
    const built_object& b = o.get();
    const size_t shape[2] = {b.triangles ? b.triangle_count : 0, 3};
    nb::capsule owner(new std::shared_ptr<Loaded>(o.loaded),
                      [](void* p) noexcept { delete static_cast<std::shared_ptr<Loaded>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, const uint32_t>((const uint32_t*)b.triangles, 2, shape, owner));
}

static void bind_objects(nb::module_& m) {
    nb::class_<SceneObject>(m, "SceneObject", "An object or a mapping of a scene file.")
        .def_prop_ro(
            "name", [](const SceneObject& o) { return o.get().name; }, "Its name in the file.")
        .def_prop_ro("type", &type_of, "particles, cloth, rope, soft, rigid, rod, collider or mapping.")
        .def_prop_ro(
            "points",
            [](const SceneObject& o) {
                return to_python(taut_range{(uint32_t)o.get().first_point, (uint32_t)o.get().point_count});
            },
            nb::for_getter(nb::sig("def points(self) -> range")),
            "Its vertices among the points; of bodies, their centres.")
        .def_prop_ro(
            "frames",
            [](const SceneObject& o) {
                return to_python(taut_range{(uint32_t)o.get().first_frame, (uint32_t)o.get().frame_count});
            },
            nb::for_getter(nb::sig("def frames(self) -> range")),
            "Its frames: of bodies one each, of rods one per piece.")
        .def_prop_ro("bodies", &bodies,
                     nb::for_getter(nb::sig("def bodies(self) -> numpy.typing.NDArray[numpy.uint32]")),
                     "Its rigid bodies, count x 2: point, frame. Empty where it has none.")
        .def_prop_ro(
            "triangles", &triangles,
            nb::for_getter(nb::sig("def triangles(self) -> numpy.typing.NDArray[numpy.uint32]")),
            "Its triangles, count x 3, counted from its first vertex; of bodies and colliders, of their surface. "
            "Empty where it has none.")
        .def("__repr__", [](const SceneObject& o) { return std::string("SceneObject('") + o.get().name + "')"; });
}

static std::vector<SceneObject> objects(const SceneFile& f) {
    std::vector<SceneObject> all;
    for (size_t i = 0; i < f.loaded->built.object_count; i++) {
        all.push_back({f.loaded, i});
    }
    return all;
}

static nb::object batches(const SceneFile& f) {
    nb::dict by_place;
    for (size_t i = 0; i < f.loaded->built.source_count; i++) {
        const char* place = f.loaded->built.sources[i].place;
        if (!by_place.contains(place)) {
            by_place[place] = nb::list();
        }
        nb::cast<nb::list>(by_place[place]).append(nb::cast(Batch{(uint32_t)i + 1, f.scene.number}));
    }
    return by_place;
}

/* ---- worlds of a file ----------------------------------------------------------------------------------------- */

/* s: `budget_ms` among the members of a world, which it takes out, or that of the file. */
static double take_budget(const SceneFile& f, nb::kwargs& members) {
    if (!members.contains("budget_ms")) {
        return f.loaded->file.budget;
    }
    double ms = 0;
    if (!nb::try_cast(members["budget_ms"], ms) || !(ms > 0) || !std::isfinite(ms)) {
        throw nb::value_error("budget_ms: must be a number above 0, ms");
    }
    nb::del(members["budget_ms"]);
    return ms / 1000;
}

static World world_of(const SceneFile& f, const nb::kwargs& given) {
    nb::kwargs members = nb::borrow<nb::kwargs>(given.attr("copy")());
    const double budget = take_budget(f, members);
    taut_world_def def = f.loaded->file.world;
    if (members.contains("quality")) { /* in place of the file's */
        def.integrator.substeps = f.loaded->file.own_substeps;
        def.solver.tolerance = f.loaded->file.own_tolerance;
    }
    World w = make_world(f.scene, def, members);
    w.state->budget = budget;
    w.file = f.loaded;
    const built_scene* built = &f.loaded->built;
    with_world(w, [&](taut_world* o) { return scene_begin(built, o); });
    return w;
}

/* Not without the interpreter's lock: worlds of one file share what moves its pins. */
static void move_for(const SceneFile& f, World& w, double time, double dt) {
    WorldState& s = w.get();
    Use use(s.busy);
    check(scene_move(&f.loaded->built, s.world, time, dt));
}

static void move(const SceneFile& f, World& w, double time) {
    move_for(f, w, time, 1 / f.loaded->file.fps);
}

static void step(const SceneFile& f, World& w, double time, double dt) {
    move_for(f, w, time, dt);
    WorldState& s = w.get();
    static const built_scene still = {}; /* all is moved */
    const taut_integrator integrator = s.integrator;
    const scene_step_spec spec = {&integrator, time, dt, s.budget, nullptr, nullptr};
    with_world(w, [&](taut_world* o) {
        s.keep = true; /* room for contacts may grow */
        const taut_status status = scene_step(&still, o, &spec);
        s.keep = false;
        return status;
    });
}

/* ---- writing frames ------------------------------------------------------------------------------------------- */

struct Exporter {
    std::shared_ptr<Loaded> loaded;
    frame_points points = {};
    exporter* writer = nullptr;

    explicit Exporter(std::shared_ptr<Loaded> from) : loaded(std::move(from)) {}
    Exporter(const Exporter&) = delete;
    Exporter& operator=(const Exporter&) = delete;
    void close() {
        report r = {};
        exporter* ended = writer;
        writer = nullptr;
        if (ended && !export_close(ended, &r)) {
            raise_report(r);
        }
    }
    ~Exporter() {
        report r = {};
        export_close(writer, &r);
        frame_points_free(&points);
    }
};

static void open_exporter(Exporter* at, const SceneFile& f, const std::string& folder, const std::string& formats) {
    unsigned chosen = 0;
    report r = {};
    if (!export_parse_formats(formats.c_str(), &chosen, &r)) {
        throw nb::value_error(r.text);
    }
    Exporter* e = new (at) Exporter(f.loaded);
    if (!frame_points_make(&f.loaded->built, &e->points, &r) ||
        !export_open(folder.c_str(), chosen, e->points.exports, e->points.export_count, f.loaded->file.fps, 0,
                     f.loaded->file.frames, &e->writer, &r)) {
        e->~Exporter();
        raise_report(r);
    }
}

static void write_frame(Exporter& e, World& w, size_t frame) {
    report r = {};
    if (!e.writer) {
        throw nb::value_error("the exporter is closed");
    }
    WorldState& s = w.get();
    Use use(s.busy);
    if (!frame_points_read(&e.points, s.world, frame, &r) ||
        !export_frame(e.writer, frame, (const double(*)[3])e.points.positions, &r)) {
        raise_report(r);
    }
}

static void bind_exporter(nb::module_& m) {
    nb::class_<Exporter>(
        m, "Exporter",
        "Writes frames by the tool's writers: OBJ, PLY, PC2, USD. Files appear whole, with close(), also at the "
        "end of `with`.")
        .def("__init__", &open_exporter, nb::arg("scene"), nb::arg("folder"), nb::arg("formats") = "usda",
             "Opens files in a folder. formats: names with commas between: obj, ply, usda, pc2.")
        .def("write", &write_frame, nb::arg("world"), nb::arg("frame"),
             "Writes the state of a world of the scene as a frame: 0 at the start, then 1, 2, ... without gaps.")
        .def("close", &Exporter::close, "Completes all files.")
        .def(
            "__enter__", [](nb::object self) { return self; }, nb::sig("def __enter__(self) -> Exporter"))
        .def(
            "__exit__", [](Exporter& e, nb::args) { e.close(); },
            nb::sig("def __exit__(self, *exception: object) -> None"));
}

void bind_files(nb::module_& m) {
    bind_objects(m);
    bind_exporter(m);
    static const std::string signature =
        std::string("def world(self, *, ") + signature_world_def +
        ", preset: str = ..., budget_ms: float = ..., log: collections.abc.Callable[[str, str], object] | None "
        "= ...) -> World";
    nb::class_<SceneFile>(m, "SceneFile",
                          "A scene of the command-line tool's format, read and built; made by taut.load.")
        .def_ro("scene", &SceneFile::scene, "The scene, to which arrays can add more before a world is made of it.")
        .def_prop_ro(
            "path", [](const SceneFile& f) { return f.loaded->file.path; }, "Where it was read.")
        .def_prop_ro(
            "frames", [](const SceneFile& f) { return f.loaded->file.frames; }, "Number of frames.")
        .def_prop_ro(
            "fps", [](const SceneFile& f) { return f.loaded->file.fps; }, "Frames per second.")
        .def_prop_ro(
            "require_convergence", [](const SceneFile& f) { return f.loaded->file.require_convergence; },
            "Whether a frame that does not converge ends a run.")
        .def_prop_ro("object_list", &objects, "All objects and mappings, in the order of the file.")
        .def_prop_ro("batches", &batches, nb::for_getter(nb::sig("def batches(self) -> dict[str, list[Batch]]")),
                     "The batches by the places in the file that they come from, such as 'objects[0].stretch'.")
        .def("world", &world_of, nb::arg("members"), nb::sig(signature.c_str()),
             "A world of the scene with the settings of the file, but for the members that are given (see World), and "
             "budget_ms, in place of the file's.")
        .def(
            "move", &move, nb::arg("world"), nb::arg("time"),
            "Tells a world where pins, colliders and drives of the file are at the end of a step of 1/fps seconds that "
            "ends at this time, s.")
        .def("step", &step, nb::arg("world"), nb::arg("time"), nb::arg("dt"),
             "Moves what moves by itself, and makes the step of dt seconds that ends at this time; makes more room for "
             "contacts "
             "where the step needs it.");
    m.def("read_scene", &read_scene, nb::arg("path"), nb::arg("tell"),
          nb::sig("def read_scene(path: str, tell: collections.abc.Callable[[str], object]) -> SceneFile"),
          "Reads and builds a scene file. tell: called with each warning.");
    m.def(
        "parse_scene", &parse_scene, nb::arg("text"), nb::arg("path"), nb::arg("tell"),
        nb::sig("def parse_scene(text: str, path: str, tell: collections.abc.Callable[[str], object]) -> SceneFile"),
        "Builds a scene of JSON text; messages begin with the path, and meshes are looked for beside it. tell: called "
        "with each warning.");
}
