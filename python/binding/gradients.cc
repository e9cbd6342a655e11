/* taut.Gradients: recorded steps and their adjoints. */
#include "handles.h"
#include <tables.h>

struct Gradients {
    World world; /* outlives the records */
    std::shared_ptr<taut_gradients> records;
};

static Gradients make(World& w, uint32_t steps) {
    taut_gradients* made = nullptr;
    with_world(w, [&](taut_world* o) { return taut_gradients_create(o, steps, &made); });
    return {w, std::shared_ptr<taut_gradients>(made, taut_gradients_destroy)};
}

static nb::object back(Gradients& g, nb::handle positions, nb::handle velocities) {
    const taut_world* world = g.world.get().world;
    const size_t nodes = taut_world_particle_count(world) + taut_world_frame_count(world);
    const Numbers x = doubles(positions, "positions", nodes, 3), v = doubles(velocities, "velocities", nodes, 3);
    std::vector<double> dx(x.f64(), x.f64() + 3 * nodes), dv(v.f64(), v.f64() + 3 * nodes);
    with_world(g.world, [&](taut_world*) { return taut_gradients_back(g.records.get(), dx.data(), dv.data()); });
    return nb::make_tuple(to_array(std::move(dx), {nodes, 3}), to_array(std::move(dv), {nodes, 3}));
}

static taut_gradient gradient_of(const char* by) {
    return static_cast<taut_gradient>(value_of(names_gradient, "by", nb::str(by)));
}

static nb::object of_world(Gradients& g, taut_gradient by) {
    const bool of_pairs = by == TAUT_GRADIENT_FRICTIONS || by == TAUT_GRADIENT_RESTITUTIONS;
    const size_t rows = taut_gradients_rows(g.records.get(), by);
    const size_t columns = by == TAUT_GRADIENT_MASSES ? 1 : by == TAUT_GRADIENT_INERTIAS ? 6 : of_pairs ? rows : 3;
    std::vector<double> out = room_for(rows * columns);
    with_world(g.world, [&](taut_world*) { return taut_gradients_read(g.records.get(), by, 0, rows, out.data()); });
    if (by == TAUT_GRADIENT_GRAVITY) {
        return to_array(std::move(out), {columns});
    }
    return by == TAUT_GRADIENT_MASSES ? to_array(std::move(out), {rows}) : to_array(std::move(out), {rows, columns});
}

static nb::object of_batch(Gradients& g, taut_gradient by, const Batch& batch) {
    const WorldState& s = g.world.get();
    const taut_batch of = batch_in(s.scene, batch);
    const bool known = batch.id > 0 && batch.id <= s.kinds.size();
    const size_t count = known ? s.counts[batch.id - 1] : 0;
    const taut_kind kind = known ? s.kinds[batch.id - 1] : TAUT_DISTANCE;
    const bool places = by == TAUT_GRADIENT_TARGETS || by == TAUT_GRADIENT_REST_VALUES;
    const bool three = places ? kind == TAUT_TARGET || kind == TAUT_ALIGNMENT
                              : by == TAUT_GRADIENT_COMPLIANCES && (kind == TAUT_SEGMENT || kind == TAUT_ALIGNMENT);
    const size_t columns = three ? 3 : 1;
    std::vector<double> out = room_for(count * columns);
    with_world(g.world,
               [&](taut_world*) { return taut_gradients_read_batch(g.records.get(), of, by, 0, count, out.data()); });
    return columns == 1 ? to_array(std::move(out), {count}) : to_array(std::move(out), {count, columns});
}

static nb::object read_sums(Gradients& g, const char* by, const Batch* batch) {
    const taut_gradient which = gradient_of(by);
    const bool of_batches = which == TAUT_GRADIENT_COMPLIANCES || which == TAUT_GRADIENT_DAMPINGS ||
                            which == TAUT_GRADIENT_REST_VALUES || which == TAUT_GRADIENT_TARGETS;
    if (of_batches != (batch != nullptr)) {
        const char* why = of_batches ? "' are of a batch: read(by, batch)" : "' are of the world, and of no batch";
        throw nb::value_error((std::string("by: '") + by + why).c_str());
    }
    return batch != nullptr ? of_batch(g, which, *batch) : of_world(g, which);
}

void bind_gradients(nb::module_& m) {
    nb::class_<Gradients>(
        m, "Gradients", nb::type_slots(log_slots<Gradients>),
        "Derivatives of a function of the state after some steps, by the state before and by parameters: "
        "records of the steps of a world, and sums. See taut/gradients.h for what has them: particles, bodies with "
        "joints, rods, mapped points, and contacts of particles, bodies and surfaces; integrator newton > 1, on the "
        "CPU.\n\nForces, torques, gravity, rest values, targets and goals may change from step to step. Other "
        "parameters "
        "must be at back() what they were in the step; set them back before, or it raises taut.Error. Writing or "
        "loading a state between recorded steps is no part of a record: what back() returns is by the state that the "
        "step began with, and how that follows from the one before is for the caller to derive.")
        .def(
            "__init__",
            [](Gradients* g, World& w, nb::handle steps) {
                new (g) Gradients(make(w, whole_number(steps, "steps", 1)));
            },
            nb::arg("world"), nb::arg("steps"), nb::sig("def __init__(self, world: World, steps: int) -> None"),
            "Room for the records of so many steps.")
        .def(
            "step",
            [](Gradients& g, double dt) {
                with_world(g.world, [&](taut_world*) { return taut_gradients_step(g.records.get(), dt); });
            },
            nb::arg("dt"),
            "A step of the world of dt seconds, recorded. taut.Error with the reason if it has no gradient; the world "
            "then has the state before it. All steps from the first recorded one on must be recorded.")
        .def("back", &back, nb::arg("positions"), nb::arg("velocities"),
             nb::sig("def back(self, positions: taut.ArrayLike, velocities: taut.ArrayLike) -> "
                     "tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]"),
             "From the derivatives by positions and velocities after the last recorded step to those before it, "
             "(points + "
             "frames) x 3 each: of frames by small turns about world axes and by angular velocities. Adds those by "
             "parameters to the sums, and drops the record.")
        .def("read", &read_sums, nb::arg("by"), nb::arg("batch").none() = nb::none(),
             nb::sig("def read(self, by: str, batch: Batch | None = None) -> numpy.typing.NDArray[numpy.float64]"),
             "Sums of derivatives by 'forces' (points x 3), 'masses' (points), 'gravity' (3), 'fixed_goals' (points x "
             "3), "
             "'torques' (frames x 3), 'inertias' (frames x 6), 'frictions' and 'restitutions' (materials x materials, "
             "of "
             "a pair in both places); of a batch by 'compliances', 'dampings', 'rest_values' "
             "and "
             "'targets' (one each; three of targets and alignments, and of compliances of segments and alignments).")
        .def(
            "clear",
            [](Gradients& g) {
                with_world(g.world, [&](taut_world*) { return taut_gradients_clear(g.records.get()); });
            },
            "Drops all records, and sets the sums to 0.")
        .def(
            "clear_sums",
            [](Gradients& g) {
                with_world(g.world, [&](taut_world*) { return taut_gradients_clear_sums(g.records.get()); });
            },
            "Sets the sums to 0.")
        .def(
            "__len__",
            [](const Gradients& g) {
                g.world.get();
                return taut_gradients_count(g.records.get());
            },
            "Recorded steps.");
}
