/* What a world shows of itself: views of its state, contacts, events, saved states. */
#include "handles.h"
#include <tables.h>

#include <nanobind/stl/optional.h>

#include <algorithm>

/* ---- views ---------------------------------------------------------------------------------------------------- */

/* Waits until what was asked of the world is done. It keeps the world, also one that is closed. */
static nb::object waiting_for(const std::shared_ptr<WorldState>& state) {
    return nb::cpp_function([state] { with_state(*state, taut_world_sync); });
}

/* An array of taut._views over memory of the world. */
static nb::object view_over(const taut_array& view, const std::shared_ptr<WorldState>& state) {
    const nb::module_ views = nb::module_::import_("taut._views");
    const bool f32 = view.type == TAUT_FLOAT32;
    const size_t size = f32 ? sizeof(float) : sizeof(double), dimensions = view.columns == 1 ? 1 : 2;
    const size_t shape[2] = {view.rows, view.columns};
    if (view.on_device) {
        const bool flat = dimensions == 1;
        return views.attr("DeviceView")(reinterpret_cast<uintptr_t>(view.data),
                                        flat ? nb::make_tuple(view.rows) : nb::make_tuple(view.rows, view.columns),
                                        flat ? nb::make_tuple(view.stride) : nb::make_tuple(view.stride, size),
                                        f32 ? "f4" : "f8", device_of(view.data), waiting_for(state));
    }
    const nb::capsule owner(new std::shared_ptr<WorldState>(state),
                            [](void* p) noexcept { delete static_cast<std::shared_ptr<WorldState>*>(p); });
    const int64_t strides[2] = {static_cast<int64_t>(view.stride / size), 1};
    const nb::dlpack::dtype dtype = f32 ? nb::dtype<float>() : nb::dtype<double>();
    const nb::ndarray<nb::numpy, nb::ro> array(view.data, dimensions, shape, owner, strides, dtype);
    return nb::cast(array).attr("view")(views.attr("View"));
}

static nb::object view_of(const World& w, taut_field field) {
    taut_array view;
    with_world(w, [&](taut_world* world) {
        const taut_status status = taut_world_view(world, field, &view);
        return status == TAUT_OK && view.on_device ? taut_world_sync(world) : status;
    });
    return view_over(view, w.state);
}

static size_t rows_of(const World& w, taut_field field, size_t* columns) {
    taut_array view;
    with_world(w, [&](taut_world* world) { return taut_world_view(world, field, &view); });
    *columns = view.columns;
    return view.rows;
}

static nb::object read_rows(World& w, const char* name, size_t first, std::optional<size_t> count) {
    const auto field = static_cast<taut_field>(value_of(names_field, "field", nb::str(name)));
    size_t columns = 0;
    const size_t rows = rows_of(w, field, &columns);
    const size_t some = count ? *count : rows - std::min(rows, first);
    if (first > rows || some > rows - first) {
        throw nb::index_error((std::string(name) + " has " + std::to_string(rows) + " rows").c_str());
    }
    std::vector<double> out = room_for(some * columns);
    with_world(w, [&](taut_world* world) { return taut_world_read(world, field, first, some, out.data()); });
    return columns == 1 ? to_array(std::move(out), {some}) : to_array(std::move(out), {some, columns});
}

static void write_rows(World& w, taut_field field, nb::handle values, std::optional<size_t> first) {
    size_t columns = 0;
    const size_t count = rows_of(w, field, &columns);
    const Numbers n(values, Type::f64, name_of(names_field, field));
    const Extent extent = extent_of(count, first, columns, 1, {&n});
    const std::vector<double> rows = rows_for(extent, n);
    with_world(
        w, [&](taut_world* world) { return taut_world_write(world, field, extent.first, extent.rows, rows.data()); });
}

static void bind_field(nb::class_<World>& c, taut_field field, const char* signature, const char* doc) {
    const char* name = name_of(names_field, field);
    const auto show = [field](const World& w) { return view_of(w, field); };
    const bool written = field == TAUT_FIELD_POSITIONS || field == TAUT_FIELD_VELOCITIES ||
                         field == TAUT_FIELD_ORIENTATIONS || field == TAUT_FIELD_ANGULAR_VELOCITIES;
    if (written) {
        const std::string set = std::string("def ") + name + "(self, values: taut.ArrayLike, /) -> None";
        static std::vector<std::unique_ptr<std::string>> kept;
        kept.push_back(std::make_unique<std::string>(set));
        c.def_prop_rw(
            name, show, [field](World& w, nb::handle values) { write_rows(w, field, values, std::nullopt); },
            nb::for_getter(nb::sig(signature)), nb::for_setter(nb::sig(kept.back()->c_str())), doc);
    } else {
        c.def_prop_ro(name, show, nb::for_getter(nb::sig(signature)), doc);
    }
}

#define FIELD(name, type) "def " name "(self) -> numpy.typing.NDArray[numpy." type "] | taut.DeviceView"

static void bind_fields(nb::class_<World>& c) {
    bind_field(
        c, TAUT_FIELD_POSITIONS, FIELD("positions", "float64"),
        "Positions of points, count x 3, m: a view without a copy, which steps change and which keeps the memory of "
        "the world alive; on CUDA a taut.DeviceView. Assigning writes all of them; world.write writes some.");
    bind_field(c, TAUT_FIELD_POSITIONS_F32, FIELD("positions_f32", "float32"),
               "Positions of points in float32, count x 3, m: a view, for renderers.");
    bind_field(c, TAUT_FIELD_VELOCITIES, FIELD("velocities", "float64"),
               "Velocities of points, count x 3, m/s: a view. Assigning writes all of them.");
    bind_field(c, TAUT_FIELD_VIOLATIONS, FIELD("violations", "float64"),
               "The constraint functions phi, a value per row: a view.");
    bind_field(c, TAUT_FIELD_MULTIPLIERS, FIELD("multipliers", "float64"),
               "The constraint forces lam of the last step, a value per row: a view.");
    bind_field(c, TAUT_FIELD_ORIENTATIONS, FIELD("orientations", "float64"),
               "Quaternions (w, x, y, z) of frames, count x 4: a view. Assigning writes all of them.");
    bind_field(c, TAUT_FIELD_ANGULAR_VELOCITIES, FIELD("angular_velocities", "float64"),
               "Angular velocities of frames in world axes, count x 3, rad/s: a view. Assigning writes all of them.");
    c.def("read", &read_rows, nb::arg("field"), nb::arg("first") = 0, nb::arg("count").none() = nb::none(),
          nb::sig("def read(self, field: str, first: int = 0, count: int | None = None) -> "
                  "numpy.typing.NDArray[numpy.float64]"),
          "A copy of rows of a field in host memory, as float64. Waits for the backend.");
    c.def(
        "write",
        [](World& w, const char* name, nb::handle values, std::optional<size_t> first) {
            write_rows(w, static_cast<taut_field>(value_of(names_field, "field", nb::str(name))), values, first);
        },
        nb::arg("field"), nb::arg("values"), nb::arg("first").none() = nb::none(),
        nb::sig("def write(self, field: str, values: taut.ArrayLike, first: int | None = None) -> None"),
        "Overwrites positions, velocities, orientations (normalised) or angular_velocities: all rows, by one row for "
        "all or one each; with `first`, as many rows from there on.");
}

/* ---- residuals ------------------------------------------------------------------------------------------------ */

static nb::object read_residuals(World& w) {
    const size_t count = taut_world_particle_count(w.get().world) + taut_world_frame_count(w.get().world);
    std::vector<double> out = room_for(3 * count);
    with_world(w, [&](taut_world* o) { return taut_world_read_residuals(o, 0, count, out.data()); });
    return to_array(std::move(out), {count, 3});
}

/* ---- rows of batches ------------------------------------------------------------------------------------------ */

static nb::object contradicting_rows(World& w, const Batch& b) {
    size_t count = 0;
    const taut_batch batch = batch_in(w.get().scene, b);
    with_world(w, [&](taut_world* o) { return taut_world_contradicting_rows(o, batch, 0, nullptr, &count); });
    std::vector<uint32_t> rows(count);
    with_world(w, [&](taut_world* o) { return taut_world_contradicting_rows(o, batch, count, rows.data(), &count); });
    return to_array(std::move(rows), {count});
}

using ReadFlags = taut_status (*)(taut_world*, taut_batch, size_t, size_t, bool*);

template <ReadFlags flags> static nb::object read_flags(World& w, const Batch& b, size_t first, size_t count) {
    const taut_batch batch = batch_in(w.get().scene, b);
    const size_t most = batch.id && batch.id <= w.get().counts.size() ? w.get().counts[batch.id - 1] : 0;
    std::unique_ptr<bool[]> out(new bool[std::min(count, most) + 1]()); /* it has no more */
    with_world(w, [&](taut_world* o) { return flags(o, batch, first, count, out.get()); });
    bool* data = out.release();
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<bool*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, bool>(data, 1, &count, owner));
}

static void bind_rows(nb::class_<World>& c) {
    c.def(
        "batch_rows",
        [](World& w, const Batch& b) {
            const taut_batch batch = batch_in(w.get().scene, b);
            taut_range rows;
            with_world(w, [&](taut_world* o) { return taut_world_batch_rows(o, batch, &rows); });
            return to_python(rows);
        },
        nb::arg("batch"), nb::sig("def batch_rows(self, batch: Batch) -> range"),
        "The rows of a batch in violations, multipliers and operators.");
    c.def(
        "read_residuals", &read_residuals, nb::sig("def read_residuals(self) -> numpy.typing.NDArray[numpy.float64]"),
        "Where the last linear system of the last step is not solved: the motion that one sweep over its residuals "
        "would "
        "add to each point, m/s, and then to each frame, rad/s; (points + frames) x 3. Of worlds with residuals=True.");
    c.def("contradicting_rows", &contradicting_rows, nb::arg("batch"),
          nb::sig("def contradicting_rows(self, batch: Batch) -> numpy.typing.NDArray[numpy.uint32]"),
          "The rows of a batch that may contradict each other.");
    c.def("read_broken", &read_flags<taut_world_read_broken>, nb::arg("batch"), nb::arg("first"), nb::arg("count"),
          nb::sig("def read_broken(self, batch: Batch, first: int, count: int) -> numpy.typing.NDArray[numpy.bool_]"),
          "Which of constraints [first, first + count) have broken.");
    c.def("read_present", &read_flags<taut_world_read_present>, nb::arg("batch"), nb::arg("first"), nb::arg("count"),
          nb::sig("def read_present(self, batch: Batch, first: int, count: int) -> numpy.typing.NDArray[numpy.bool_]"),
          "Which of constraints [first, first + count) are there.");
}

/* ---- contacts ------------------------------------------------------------------------------------------------- */

static nb::object contacts(World& w) {
    size_t count = 0;
    with_world(w, [&](taut_world* o) { return taut_world_read_contacts(o, 0, nullptr, &count); });
    std::vector<taut_contact> all(count);
    with_world(w, [&](taut_world* o) { return taut_world_read_contacts(o, count, all.data(), &count); });
    return to_records(members_contact, all.data(), all.size());
}

static nb::object pairs(World& w) {
    size_t count = 0, lost = 0;
    with_world(w, [&](taut_world* o) { return taut_world_read_pairs(o, 0, nullptr, &count, &lost); });
    std::vector<taut_contact_pair> all(count);
    with_world(w, [&](taut_world* o) { return taut_world_read_pairs(o, count, all.data(), &count, &lost); });
    return nb::make_tuple(to_records(members_contact_pair, all.data(), all.size()), lost);
}

static taut_overlaps overlaps(World& w) {
    taut_overlaps out;
    with_world(w, [&](taut_world* o) { return taut_world_read_overlaps(o, &out); });
    return out;
}

static nb::object collider_forces(World& w, size_t first, size_t count) {
    if (count > 65536) { /* room for what is not there may be more than there is */
        const size_t end = count > SIZE_MAX - first ? SIZE_MAX : first + count;
        double none;
        with_world(w, [&](taut_world* o) { return taut_world_read_collider_forces(o, end, 0, &none); });
    }
    std::vector<double> forces = room_for(6 * count);
    with_world(w, [&](taut_world* o) { return taut_world_read_collider_forces(o, first, count, forces.data()); });
    return to_array(std::move(forces), {count, 6});
}

static nb::object collider_vertices(World& w, uint32_t collider, size_t vertices) {
    const size_t most = taut_world_particle_count(w.get().world); /* with more it has none */
    std::vector<double> x = room_for(3 * std::min(vertices, most));
    with_world(w, [&](taut_world* o) { return taut_world_read_collider_vertices(o, collider, vertices, x.data()); });
    return to_array(std::move(x), {vertices, 3});
}

static void bind_contacts(nb::class_<World>& c) {
    c.def("contacts", &contacts, nb::sig("def contacts(self) -> numpy.typing.NDArray[numpy.void]"),
          "The contacts of the last substep: a structured array with touch (its name: taut.NAMES['touch']), point, "
          "collider, "
          "corners, weights, position (m), normal, gap (m), force (N), torque (N m), first_collider, feature. "
          "0xFFFFFFFF: "
          "does not apply.");
    c.def("pairs", &pairs, nb::sig("def pairs(self) -> tuple[numpy.typing.NDArray[numpy.void], int]"),
          "Which pairs of objects began to touch in the last step, touch on, or parted: a structured array with first, "
          "second "
          "(names: taut.NAMES['object']), first_number, second_number, began, ended, touching, contacts, impulse (N "
          "s), force "
          "(N), largest (N s), position, normal; and how many contacts there was no room for. The world needs "
          "contact={'events': N}.");
    c.def("overlaps", &overlaps, "Searches the current state for overlaps of what may collide.");
    c.def(
        "count_intersections",
        [](World& w) {
            size_t count = 0;
            with_world(w, [&](taut_world* o) { return taut_world_count_intersections(o, &count); });
            return count;
        },
        "Counts intersections of edges and triangles of contact surfaces. 0 unless something has passed through.");
    c.def("collider_forces", &collider_forces, nb::arg("first") = 0, nb::arg("count") = 1,
          nb::sig("def collider_forces(self, first: int = 0, count: int = 1) -> numpy.typing.NDArray[numpy.float64]"),
          "The contact forces of the last substep on colliders: count x 6, force in N and torque in N m.");
    c.def("collider_vertices", &collider_vertices, nb::arg("collider"), nb::arg("vertices"),
          nb::sig("def collider_vertices(self, collider: int, vertices: int) -> numpy.typing.NDArray[numpy.float64]"),
          "The vertices of a deforming collider, vertices x 3, m.");
}

/* ---- saved states --------------------------------------------------------------------------------------------- */

static nb::bytes save(World& w) {
    size_t bytes = 0;
    with_world(w, [&](taut_world* o) { return taut_world_state_size(o, &bytes); });
    std::vector<char> block(bytes);
    with_world(w, [&](taut_world* o) { return taut_world_save(o, block.size(), block.data(), &bytes); });
    return nb::bytes(block.data(), bytes);
}

static void load(World& w, const nb::bytes& block) {
    with_world(w, [&](taut_world* o) { return taut_world_load(o, block.data(), block.size()); });
}

static taut_saved describe_saved(const nb::bytes& block) {
    taut_saved out;
    check(taut_saved_describe(block.data(), block.size(), &out));
    return out;
}

void bind_state(nb::class_<World>& c) {
    bind_fields(c);
    bind_rows(c);
    bind_contacts(c);
    c.def(
        "save", &save,
        "The whole state as a block: a step after load gives the same bits as it would have given here. Waits for the "
        "backend.");
    c.def("load", &load, nb::arg("block"),
          "Restores a state of a world of the same scene. Parameters that calls have set, integrator and solver are "
          "part of "
          "it. Load only what a trusted program has saved.");
    c.def_static("describe_saved", &describe_saved, nb::arg("block"), "Checks a block and tells what it is.");
}
