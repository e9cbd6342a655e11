/* taut.World: creation, steps, parameters. */
#include "handles.h"
#include <tables.h>

#include <nanobind/stl/optional.h>

#include <algorithm>
#include <cstdlib>

/* ---- memory and messages -------------------------------------------------------------------------------------- */

static void* allocate(size_t bytes, size_t alignment, void*) {
    const size_t at_least = alignment < sizeof(void*) ? sizeof(void*) : alignment;
    void* memory = nullptr;
    return posix_memalign(&memory, at_least, bytes ? bytes : 1) == 0 ? memory : nullptr;
}

/* A world that grows moves its memory: what views of it may see stays until the world ends. */
static void release(void* memory, size_t, void* user) {
    WorldState* s = static_cast<WorldState*>(user);
    if (s->keep && memory) {
        s->kept.push_back(memory);
    } else {
        std::free(memory);
    }
}

static void tell(taut_log_level level, const char* message, void* user) {
    nb::gil_scoped_acquire acquired;
    WorldState* s = static_cast<WorldState*>(user);
    if (!s->log) {
        return;
    }
    try {
        nb::borrow(s->log)(name_of(names_log_level, level), message);
    } catch (nb::python_error& error) {
        error.discard_as_unraisable("a log function of taut");
    }
}

WorldState::~WorldState() {
    keep = false;
    log = nullptr;
    if (world) {
        nb::gil_scoped_release released;
        taut_world_destroy(world);
    }
    for (void* memory : kept) {
        std::free(memory);
    }
}

/* ---- creation ------------------------------------------------------------------------------------------------- */

static void remember_batches(const taut_scene* scene, WorldState& s) {
    s.kinds.resize(taut_scene_batch_count(scene));
    s.counts.resize(s.kinds.size());
    for (size_t i = 0; i < s.kinds.size(); i++) {
        check(taut_scene_describe_batch(scene, taut_batch{(uint32_t)i + 1}, &s.kinds[i], &s.counts[i]));
    }
}

static nb::object logger() {
    return nb::module_::import_("taut._log").attr("tell");
}

World make_world(const Scene& scene, taut_world_def def, const nb::dict& given) {
    nb::dict members;
    for (auto [key, value] : given) {
        members[key] = value;
    }
    World w{std::make_shared<WorldState>(), nullptr, scene.shapes, scene.owned, nb::object()};
    w.log = members.contains("log") ? nb::object(members["log"]) : logger();
    if (members.contains("log")) {
        nb::del(members["log"]);
    }
    if (members.contains("preset")) {
        const int preset = value_of(names_preset, "preset", members["preset"]);
        check(taut_integrator_preset(static_cast<taut_preset>(preset), &def.integrator));
        nb::del(members["preset"]);
    }
    const nb::object quality = members.contains("quality") ? nb::object(members["quality"]) : nb::none();
    if (!quality.is_none()) {
        nb::del(members["quality"]);
    }
    const Filling kept(members_world_def, &def, members);
    if (!quality.is_none()) {
        const int number = value_of(names_quality, "quality", quality);
        check(taut_quality_preset(static_cast<taut_quality>(number), &def.integrator, &def.solver));
    }
    def.allocator = {allocate, release, w.state.get()};
    w.state->log = w.log.ptr();
    def.log = w.log.is_none() ? nullptr : tell;
    def.log_user = w.state.get();
    w.state->integrator = def.integrator;
    w.state->solver = def.solver;
    std::copy(def.gravity, def.gravity + 3, w.state->gravity.begin());
    const taut_scene* from = scene.get();
    Use use(*scene.busy);
    w.state->scene = scene.number;
    remember_batches(from, *w.state);
    with_world(w, [&](taut_world*) { return taut_world_create(from, &def, &w.state->world); });
    return w;
}

static std::string presets() {
    std::string all;
    for (const Name& n : names_preset) {
        all += (all.empty() ? "" : " | ") + std::string(n.name);
    }
    return all;
}

static void bind_creation(nb::class_<World>& c) {
    static const std::string signature =
        std::string("def __init__(self, scene: Scene, *, ") + signature_world_def +
        ", preset: str = ..., quality: str = ..., log: collections.abc.Callable[[str, str], object] | None "
        "= ...) -> None";
    static const std::string doc =
        std::string(
            "Creates a world from a scene. Members that are not given have the library's defaults; integrator, "
            "solver, contact, reserve and sleep are dicts of their members (see set_integrator and set_solver).\n\n") +
        about_world_def + "\npreset: a named integrator, whose members `integrator` can change: " + presets() + "\n" +
        "quality: 'preview' | 'final': changes the tolerance and the substeps that all else has set (taut_quality)\n"
        "log: called with a level ('info', 'warning') and a sentence; default: the logger 'taut' of logging; None: "
        "nothing";
    c.def(
        "__init__",
        [](World* w, const Scene& scene, const nb::kwargs& given) {
            new (w) World(make_world(scene, taut_default_world(), given));
        },
        nb::arg("scene"), nb::arg("members"), nb::sig(signature.c_str()), doc.c_str());
    c.def("close", &World::close,
          "Ends the world, also for its hands and Gradients. Its memory stays as long as these or views of it do.");
    c.def_prop_ro(
        "closed", [](const World& w) { return w.closed(); }, "Whether the world has ended.");
    c.def(
        "__enter__", [](nb::object self) { return self; }, nb::sig("def __enter__(self) -> World"));
    c.def(
        "__exit__", [](World& w, nb::args) { w.close(); }, nb::sig("def __exit__(self, *exception: object) -> None"));
    c.def_prop_ro(
        "backend", [](const World& w) { return taut_world_backend(w.get().world); }, "'cpu' or 'cuda'.");
    c.def_prop_ro(
        "particle_count", [](const World& w) { return taut_world_particle_count(w.get().world); }, "Number of points.");
    c.def_prop_ro(
        "frame_count", [](const World& w) { return taut_world_frame_count(w.get().world); }, "Number of frames.");
    c.def_prop_ro(
        "row_count", [](const World& w) { return taut_world_row_count(w.get().world); },
        "Number of rows of all constraints, without contacts.");
}

/* ---- steps and reports ---------------------------------------------------------------------------------------- */

static taut_step_info info(World& w) {
    taut_step_info out;
    with_world(w, [&](taut_world* world) { return taut_world_info(world, &out); });
    return out;
}

static taut_step_info poll(World& w) {
    taut_step_info out;
    with_world(w, [&](taut_world* world) { return taut_world_poll(world, &out); });
    return out;
}

static taut_choice choice(World& w) {
    taut_choice out;
    with_world(w, [&](taut_world* world) { return taut_world_choice(world, &out); });
    return out;
}

static void bind_steps(nb::class_<World>& c) {
    c.def(
        "step",
        [](World& w, double dt) { with_world(w, [&](taut_world* world) { return taut_world_step(world, dt); }); },
        nb::arg("dt"),
        "Advances the world by dt > 0 seconds, without the interpreter's lock. Where it fails with TAUT_DIVERGED the "
        "world "
        "keeps the state before the failed substep. On CUDA the call enqueues the work and does not wait.");
    c.def(
        "step_for",
        [](World& w, double dt, double seconds) {
            with_world(w, [&](taut_world* world) { return taut_world_step_for(world, dt, seconds); });
        },
        nb::arg("dt"), nb::arg("seconds"),
        "Advances the world by dt > 0 seconds, and aims at taking at most `seconds` of the clock, by a looser "
        "tolerance "
        "and then by fewer substeps; info() tells which. Results depend on the clock. CPU backend.");
    c.def(
        "stop", [](World& w) { taut_world_stop(w.get().world); },
        "Ends the step under way in another thread, or the next one, which raises an Error with the status "
        "TAUT_STOPPED: the world has made a part of it. CPU backend.");
    c.def(
        "sync", [](World& w) { with_world(w, taut_world_sync); },
        "Waits for the backend, and raises the error of an earlier step, if one has failed since the last call.");
    c.def(
        "note_steps",
        [](World& w, uint64_t n) { with_world(w, [&](taut_world* x) { return taut_world_note_steps(x, n); }); },
        nb::arg("steps"), "Tells that a captured CUDA graph has made so many steps.");
    c.def("info", &info, "The report on the last step. Waits for the backend.");
    c.def("poll", &poll, "The report on the newest finished step, without waiting.");
    c.def("choice", &choice, "Which methods and preconditioners the world uses.");
}

/* ---- settings of the world ------------------------------------------------------------------------------------ */

static void set_gravity(World& w, nb::handle g) {
    const Numbers n = doubles(g, "gravity", 1, 3);
    with_world(w, [&](taut_world* world) { return taut_world_set_gravity(world, n.f64()); });
    std::copy(n.f64(), n.f64() + 3, w.get().gravity.begin());
}

static void set_integrator(World& w, const nb::kwargs& given) {
    taut_integrator next = w.get().integrator;
    nb::dict members;
    for (auto [key, value] : given) {
        members[key] = value;
    }
    if (members.contains("preset")) {
        check(taut_integrator_preset(static_cast<taut_preset>(value_of(names_preset, "preset", members["preset"])),
                                     &next));
        nb::del(members["preset"]);
    }
    const Filling kept(members_integrator, &next, members);
    with_world(w, [&](taut_world* world) { return taut_world_set_integrator(world, &next); });
    w.get().integrator = next;
}

static void set_solver(World& w, const nb::kwargs& given) {
    taut_solver next = w.get().solver;
    const Filling kept(members_solver, &next, given);
    with_world(w, [&](taut_world* world) { return taut_world_set_solver(world, &next); });
    w.get().solver = next;
}

static void bind_settings(nb::class_<World>& c) {
    static const std::string integrator =
        std::string("def set_integrator(self, *, ") + signature_integrator + ", preset: str = ...) -> None";
    static const std::string about_integrator_too =
        std::string("Changes the members of the integrator that are given, from the next step on. Others stay as this "
                    "object was last told; a state that load() has restored can have other ones.\n\n") +
        about_integrator + "\npreset: a named integrator, whose members the others change";
    static const std::string solver = std::string("def set_solver(self, *, ") + signature_solver + ") -> None";
    static const std::string about_solver_too =
        std::string("Changes the members of the solver that are given, as set_integrator does.\n\n") + about_solver;
    c.def("set_gravity", &set_gravity, nb::arg("gravity"),
          nb::sig("def set_gravity(self, gravity: taut.ArrayLike) -> None"),
          "Sets the acceleration of gravity, 3 values, m/s^2.");
    c.def("set_integrator", &set_integrator, nb::arg("members"), nb::sig(integrator.c_str()),
          about_integrator_too.c_str());
    c.def("set_solver", &set_solver, nb::arg("members"), nb::sig(solver.c_str()), about_solver_too.c_str());
    c.def_prop_ro(
        "integrator", [](const World& w) { return to_dict(members_integrator, &w.get().integrator); },
        nb::for_getter(nb::sig("def integrator(self) -> dict[str, typing.Any]")),
        "The integrator as it was last set here.");
    c.def_prop_ro(
        "solver", [](const World& w) { return to_dict(members_solver, &w.get().solver); },
        nb::for_getter(nb::sig("def solver(self) -> dict[str, typing.Any]")), "The solver as it was last set here.");
}

/* ---- forces and places ---------------------------------------------------------------------------------------- */

using SetRows = taut_status (*)(taut_world*, size_t, size_t, const double*);
using SetFixed = taut_status (*)(taut_world*, size_t, const uint32_t*, bool);
using Move = taut_status (*)(taut_world*, size_t, const uint32_t*, const double*);

using Count = size_t (*)(const taut_world*);

/* Three values for each of `count` things. */
static void set_rows(World& w, SetRows set, Count count, const char* what, nb::handle values,
                     std::optional<size_t> first) {
    const Numbers n(values, Type::f64, what);
    const Extent extent = extent_of(count(w.get().world), first, 3, 1, {&n});
    const std::vector<double> rows = rows_for(extent, n);
    with_world(w, [&](taut_world* world) { return set(world, extent.first, extent.rows, rows.data()); });
}

template <SetFixed set> static void set_fixed(World& w, nb::handle numbers, bool fixed) {
    const Numbers n = indices(numbers, "numbers", any_rows, 1);
    with_world(w, [&](taut_world* world) { return set(world, n.rows(), n.u32(), fixed); });
}

template <Move set_goals, size_t columns> static void move_to(World& w, nb::handle numbers, nb::handle goals) {
    const Numbers n = indices(numbers, "numbers", any_rows, 1);
    const Numbers x = doubles(goals, "goals", n.rows(), columns);
    with_world(w, [&](taut_world* world) { return set_goals(world, n.rows(), n.u32(), x.f64()); });
}

static void turn_fixed(World& w, nb::handle particles, nb::handle positions, nb::handle rotation, nb::handle centre) {
    const Numbers n = indices(particles, "particles", any_rows, 1), x = doubles(positions, "positions", n.rows(), 3);
    const Numbers turn = doubles(rotation, "rotation", 1, 3), at = doubles(centre, "centre", 1, 3);
    with_world(w, [&](taut_world* world) {
        return taut_world_turn_fixed(world, n.rows(), n.u32(), x.f64(), turn.f64(), at.f64());
    });
}

static void turn_fixed_frames(World& w, nb::handle frames, nb::handle orientations, nb::handle rotation) {
    const Numbers n = indices(frames, "frames", any_rows, 1), q = doubles(orientations, "orientations", n.rows(), 4);
    const Numbers turn = doubles(rotation, "rotation", 1, 3);
    with_world(w, [&](taut_world* world) {
        return taut_world_turn_fixed_frames(world, n.rows(), n.u32(), q.f64(), turn.f64());
    });
}

static void set_bodies_fixed(World& w, nb::handle bodies, bool fixed) {
    const BodyNumbers n(bodies);
    with_world(w, [&](taut_world* world) { return taut_world_set_bodies_fixed(world, n.rows(), n.bodies(), fixed); });
}

static void move_fixed_bodies(World& w, nb::handle bodies, nb::handle positions, nb::handle orientations) {
    const BodyNumbers n(bodies);
    const Numbers x = doubles(positions, "positions", n.rows(), 3);
    const Numbers q = doubles(orientations, "orientations", n.rows(), 4);
    with_world(w, [&](taut_world* world) {
        return taut_world_move_fixed_bodies(world, n.rows(), n.bodies(), x.f64(), q.f64());
    });
}

static void turn_fixed_bodies(World& w, nb::handle bodies, nb::handle positions, nb::handle orientations,
                              nb::handle rotation, nb::handle centre) {
    const BodyNumbers n(bodies);
    const Numbers x = doubles(positions, "positions", n.rows(), 3);
    const Numbers q = doubles(orientations, "orientations", n.rows(), 4);
    const Numbers turn = doubles(rotation, "rotation", 1, 3), at = doubles(centre, "centre", 1, 3);
    with_world(w, [&](taut_world* world) {
        return taut_world_turn_fixed_bodies(world, n.rows(), n.bodies(), x.f64(), q.f64(), turn.f64(), at.f64());
    });
}

static void bind_bodies(nb::class_<World>& c) {
    c.def("set_bodies_fixed", &set_bodies_fixed, nb::arg("bodies"), nb::arg("fixed") = true,
          nb::sig("def set_bodies_fixed(self, bodies: taut.ArrayLike, fixed: bool = True) -> None"),
          "Fixes bodies at rest as they are, or frees them. count x 2: point, frame.");
    c.def("move_fixed_bodies", &move_fixed_bodies, nb::arg("bodies"), nb::arg("positions"), nb::arg("orientations"),
          nb::sig("def move_fixed_bodies(self, bodies: taut.ArrayLike, positions: taut.ArrayLike, "
                  "orientations: taut.ArrayLike) -> None"),
          "Sets where fixed bodies (count x 2: point, frame) are at the end of the next step: positions, count x 3, m, "
          "and orientations (w, x, y, z), count x 4.");
    c.def("turn_fixed_bodies", &turn_fixed_bodies, nb::arg("bodies"), nb::arg("positions"), nb::arg("orientations"),
          nb::arg("rotation"), nb::arg("centre"),
          nb::sig("def turn_fixed_bodies(self, bodies: taut.ArrayLike, positions: taut.ArrayLike, "
                  "orientations: taut.ArrayLike, rotation: taut.ArrayLike, centre: "
                  "taut.ArrayLike) -> None"),
          "As move_fixed_bodies, of bodies that turn in the step: by `rotation` about an axis through `centre`, as of "
          "turn_fixed.");
}

static void bind_turns(nb::class_<World>& c) {
    c.def("turn_fixed", &turn_fixed, nb::arg("particles"), nb::arg("positions"), nb::arg("rotation"), nb::arg("centre"),
          nb::sig("def turn_fixed(self, particles: taut.ArrayLike, positions: taut.ArrayLike, "
                  "rotation: taut.ArrayLike, centre: taut.ArrayLike) -> None"),
          "Sets where fixed particles are at the end of the next step, count x 3, m, and that they turn in it: by "
          "`rotation`, a rotation vector, rad, of any number of turns, about an axis through `centre`, where it is at "
          "the end of the step, m. At the ends of substeps they are on arcs.");
    c.def("turn_fixed_frames", &turn_fixed_frames, nb::arg("frames"), nb::arg("orientations"), nb::arg("rotation"),
          nb::sig("def turn_fixed_frames(self, frames: taut.ArrayLike, orientations: taut.ArrayLike, "
                  "rotation: taut.ArrayLike) -> None"),
          "Sets the orientations (w, x, y, z) of fixed frames at the end of the next step, count x 4, to which they "
          "turn by `rotation`, a rotation vector, rad, of any number of turns.");
}

static void bind_sleep(nb::class_<World>& c) {
    c.def(
        "wake",
        [](World& w, nb::handle particles) {
            if (particles.is_none()) {
                with_world(w, taut_world_wake);
                return;
            }
            const Numbers n = indices(particles, "particles", any_rows, 1);
            with_world(w, [&](taut_world* world) { return taut_world_wake_particles(world, n.rows(), n.u32()); });
        },
        nb::arg("particles").none() = nb::none(),
        nb::sig("def wake(self, particles: taut.ArrayLike | None = None) -> None"),
        "Wakes the islands of these particles, or all that sleeps (sleep={'speed': ...}).");
    c.def(
        "read_asleep",
        [](World& w) {
            size_t count = taut_world_particle_count(w.get().world);
            std::unique_ptr<bool[]> out(new bool[count + 1]());
            with_world(w, [&](taut_world* world) { return taut_world_read_asleep(world, 0, count, out.get()); });
            bool* data = out.release();
            nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<bool*>(p); });
            return nb::cast(nb::ndarray<nb::numpy, bool>(data, 1, &count, owner));
        },
        nb::sig("def read_asleep(self) -> numpy.typing.NDArray[numpy.bool_]"), "Which particles sleep.");
}

static void bind_places(nb::class_<World>& c) {
    c.def(
        "set_forces",
        [](World& w, nb::handle forces, std::optional<size_t> first) {
            set_rows(w, taut_world_set_forces, taut_world_particle_count, "forces", forces, first);
        },
        nb::arg("forces"), nb::arg("first").none() = nb::none(),
        nb::sig("def set_forces(self, forces: taut.ArrayLike, first: int | None = None) -> None"),
        "Sets the external forces on particles, N: 3 values for all, or count x 3, one row each. With `first`, those "
        "of as many particles from there on. They act until they are changed.");
    c.def(
        "set_torques",
        [](World& w, nb::handle torques, std::optional<size_t> first) {
            set_rows(w, taut_world_set_torques, taut_world_frame_count, "torques", torques, first);
        },
        nb::arg("torques"), nb::arg("first").none() = nb::none(),
        nb::sig("def set_torques(self, torques: taut.ArrayLike, first: int | None = None) -> None"),
        "Sets the external torques on frames, N m, world axes: 3 values for all, or count x 3, one row each. With "
        "`first`, those of as many frames from there on.");
    c.def("set_fixed", &set_fixed<taut_world_set_fixed>, nb::arg("particles"), nb::arg("fixed") = true,
          nb::sig("def set_fixed(self, particles: taut.ArrayLike, fixed: bool = True) -> None"),
          "Fixes particles at rest where they are, or frees them.");
    c.def("set_frames_fixed", &set_fixed<taut_world_set_frames_fixed>, nb::arg("frames"), nb::arg("fixed") = true,
          nb::sig("def set_frames_fixed(self, frames: taut.ArrayLike, fixed: bool = True) -> None"),
          "Fixes frames at rest as they are, or frees them: those of rods, or of bodies whose points stay as they "
          "are.");
    c.def("move_fixed", &move_to<taut_world_move_fixed, 3>, nb::arg("particles"), nb::arg("positions"),
          nb::sig("def move_fixed(self, particles: taut.ArrayLike, positions: taut.ArrayLike) -> None"),
          "Sets where fixed particles are at the end of the next step, count x 3, m.");
    c.def("move_fixed_frames", &move_to<taut_world_move_fixed_frames, 4>, nb::arg("frames"), nb::arg("orientations"),
          nb::sig("def move_fixed_frames(self, frames: taut.ArrayLike, orientations: taut.ArrayLike) -> "
                  "None"),
          "Sets the orientations (w, x, y, z) of fixed frames at the end of the next step, count x 4.");
    c.def(
        "move_collider",
        [](World& w, uint32_t collider, nb::handle positions) {
            const Numbers x = doubles(positions, "positions", any_rows, 3);
            with_world(w,
                       [&](taut_world* world) { return taut_world_move_collider(world, collider, x.rows(), x.f64()); });
        },
        nb::arg("collider"), nb::arg("positions"),
        nb::sig("def move_collider(self, collider: int, positions: taut.ArrayLike) -> None"),
        "Sets where the vertices of a deforming collider are at the end of the next step, vertices x 3, m.");
}

/* ---- batches -------------------------------------------------------------------------------------------------- */

enum class Quantity { compliances, rest_values, targets, dampings };

/* Values per constraint: three where a kind has them by axes. */
static size_t columns_of(const WorldState& s, const Batch& batch, Quantity what) {
    if (batch_in(s.scene, batch).id == 0 || batch.id > s.kinds.size()) {
        throw nb::value_error("the world has no such batch");
    }
    const taut_kind kind = s.kinds[batch.id - 1];
    switch (what) {
    case Quantity::compliances:
        return kind == TAUT_ALIGNMENT || kind == TAUT_SEGMENT ? 3 : 1;
    case Quantity::rest_values:
        return kind == TAUT_ALIGNMENT ? 3 : 1;
    case Quantity::targets:
        return kind == TAUT_ALIGNMENT || kind == TAUT_TARGET ? 3 : 1;
    case Quantity::dampings:
        break;
    }
    return 1;
}

using SetBatch = taut_status (*)(taut_world*, taut_batch, size_t, size_t, const double*);

template <typename Set>
static void set_rows_of(World& w, const Batch& batch, Quantity what, nb::handle values, std::optional<size_t> first,
                        const Set& set) {
    const size_t columns = columns_of(w.get(), batch, what), count = w.get().counts[batch.id - 1];
    const Numbers n(values, Type::f64, "values");
    const Extent extent = extent_of(count, first, columns, columns == 1 ? 1 : 2, {&n});
    /* A compliance is the same along all axes; places and turns are not. */
    const Alone alone = what == Quantity::compliances ? Alone::whole_row : Alone::refused;
    const std::vector<double> rows = rows_for(extent, n, alone);
    with_world(
        w, [&](taut_world* world) { return set(world, taut_batch{batch.id}, extent.first, extent.rows, rows.data()); });
}

template <SetBatch set, Quantity what>
static void set_batch(World& w, const Batch& batch, nb::handle values, std::optional<size_t> first) {
    set_rows_of(w, batch, what, values, first, set);
}

static void turn_targets(World& w, const Batch& batch, nb::handle values, nb::handle rotation, nb::handle centre,
                         std::optional<size_t> first) {
    const Numbers turn = doubles(rotation, "rotation", 1, 3), at = doubles(centre, "centre", 1, 3);
    set_rows_of(w, batch, Quantity::targets, values, first,
                [&](taut_world* world, taut_batch of, size_t begin, size_t count, const double* targets) {
                    return taut_world_turn_targets(world, of, begin, count, targets, turn.f64(), at.f64());
                });
}

static void set_bounds(World& w, const Batch& batch, nb::handle lower, nb::handle upper, nb::handle strengths,
                       std::optional<size_t> first) {
    columns_of(w.get(), batch, Quantity::dampings); /* it is one of the world's */
    const Numbers low(lower, Type::f64, "lower"), high(upper, Type::f64, "upper");
    const bool breaks = !strengths.is_none();
    const Numbers strong = breaks ? Numbers(strengths, Type::f64, "strengths") : low;
    const Extent extent = extent_of(w.get().counts[batch.id - 1], first, 1, 1, {&low, &high, &strong});
    const std::vector<double> lows = rows_for(extent, low), highs = rows_for(extent, high),
                              most = rows_for(extent, strong);
    with_world(w, [&](taut_world* world) {
        return taut_world_set_bounds(world, taut_batch{batch.id}, extent.first, extent.rows, lows.data(), highs.data(),
                                     breaks ? most.data() : nullptr);
    });
}

static void set_moduli(World& w, const Batch& batch, nb::handle youngs, nb::handle poissons,
                       std::optional<size_t> first) {
    columns_of(w.get(), batch, Quantity::dampings); /* it is one of the world's */
    const bool young = !youngs.is_none(), poisson = !poissons.is_none();
    if (!young && !poisson) {
        throw nb::value_error("set_moduli: takes youngs, poissons or both");
    }
    const Numbers e(young ? youngs : poissons, Type::f64, young ? "youngs" : "poissons");
    const Numbers nu = poisson ? Numbers(poissons, Type::f64, "poissons") : e;
    const Extent extent = extent_of(w.get().counts[batch.id - 1], first, 1, 1, {&e, &nu});
    const std::vector<double> stiff = rows_for(extent, e), ratios = rows_for(extent, nu);
    with_world(w, [&](taut_world* world) {
        return taut_world_set_moduli(world, taut_batch{batch.id}, extent.first, extent.rows,
                                     young ? stiff.data() : nullptr, poisson ? ratios.data() : nullptr);
    });
}

#define BATCH_SETTER(name) "def " name "(self, batch: Batch, values: taut.ArrayLike, first: int | None = None) -> None"
#define BY_FIRST           " With `first`, those of as many constraints from there on."

static void bind_batch_setters(nb::class_<World>& c) {
    c.def("set_compliances", &set_batch<taut_world_set_compliances, Quantity::compliances>, nb::arg("batch"),
          nb::arg("values"), nb::arg("first").none() = nb::none(), nb::sig(BATCH_SETTER("set_compliances")),
          "Sets the compliances of constraints of a batch, in the unit of the kind: one value each, three for "
          "alignments and segments; or three for all, or one value for all and all axes. For membranes and tetrahedron "
          "strain the value is "
          "1/E." BY_FIRST);
    c.def("set_dampings", &set_batch<taut_world_set_dampings, Quantity::dampings>, nb::arg("batch"), nb::arg("values"),
          nb::arg("first").none() = nb::none(), nb::sig(BATCH_SETTER("set_dampings")),
          "Sets damping times, s: one each, or one for all." BY_FIRST);
    c.def("set_rest_values", &set_batch<taut_world_set_rest_values, Quantity::rest_values>, nb::arg("batch"),
          nb::arg("values"), nb::arg("first").none() = nb::none(), nb::sig(BATCH_SETTER("set_rest_values")),
          "Sets rest lengths, angles, volumes or values: one each, three for alignments; or one, three for "
          "alignments, for all." BY_FIRST);
    c.def(
        "move_targets", &set_batch<taut_world_move_targets, Quantity::targets>, nb::arg("batch"), nb::arg("values"),
        nb::arg("first").none() = nb::none(), nb::sig(BATCH_SETTER("move_targets")),
        "Sets the values that targets and drives have at the end of the next step: positions of targets, count x 3, m; "
        "rest values of drives, count, or count x 3 of alignments; or one for all: a value, or a row of "
        "three." BY_FIRST);
    c.def("turn_targets", &turn_targets, nb::arg("batch"), nb::arg("values"), nb::arg("rotation"), nb::arg("centre"),
          nb::arg("first").none() = nb::none(),
          nb::sig("def turn_targets(self, batch: Batch, values: taut.ArrayLike, rotation: "
                  "taut.ArrayLike, centre: taut.ArrayLike, first: int | None = None) -> None"),
          "Sets where targets are at the end of the next step, as move_targets does, and that they turn in it, as "
          "turn_fixed does." BY_FIRST);
    c.def(
        "set_moduli", &set_moduli, nb::arg("batch"), nb::arg("youngs").none() = nb::none(),
        nb::arg("poissons").none() = nb::none(), nb::arg("first").none() = nb::none(),
        nb::sig("def set_moduli(self, batch: Batch, youngs: taut.ArrayLike | None = None, poissons: taut.ArrayLike | "
                "None = None, first: int | None = None) -> None"),
        "Sets Young's moduli, Pa, and Poisson's ratios of solids: one each, or one for all. None: they remain as they "
        "are." BY_FIRST);
    c.def("set_pressures", &set_batch<taut_world_set_pressures, Quantity::dampings>, nb::arg("batch"),
          nb::arg("values"), nb::arg("first").none() = nb::none(), nb::sig(BATCH_SETTER("set_pressures")),
          "Sets the pressures of surfaces, Pa: one each, or one for all." BY_FIRST);
    c.def(
        "set_wind",
        [](World& w, const Batch& batch, nb::handle wind) {
            const taut_batch of = batch_in(w.get().scene, batch);
            const Numbers n = doubles(wind, "wind", 1, 3);
            with_world(w, [&](taut_world* world) { return taut_world_set_wind(world, of, n.f64()); });
        },
        nb::arg("batch"), nb::arg("wind"), nb::sig("def set_wind(self, batch: Batch, wind: taut.ArrayLike) -> None"),
        "Sets the wind of a batch of surfaces, 3 values, m/s.");
    c.def("set_bounds", &set_bounds, nb::arg("batch"), nb::arg("lower"), nb::arg("upper"),
          nb::arg("strengths").none() = nb::none(), nb::arg("first").none() = nb::none(),
          nb::sig("def set_bounds(self, batch: Batch, lower: taut.ArrayLike, upper: taut.ArrayLike, "
                  "strengths: taut.ArrayLike | None = None, first: int | None = None) -> None"),
          "Sets bounds of constraints, N: one value each, or one for all; broken ones among them act again." BY_FIRST);
}

/* ---- grabs, and what is added ---------------------------------------------------------------------------------- */

struct Grab {
    World world;
    uint32_t point;
    double compliance;
    taut_added held;
};

/* A call by which the world may grow. Views that exist go on to show what was there before. */
template <class Call> static void grow(const World& w, Call&& call) {
    WorldState& s = w.get();
    with_world(w, [&](taut_world* o) {
        s.keep = true; /* only now: nobody else uses the world */
        const taut_status status = call(o);
        s.keep = false;
        return status;
    });
}

static void pull(Grab& g, nb::handle position) {
    const Numbers x = doubles(position, "position", 1, 3);
    grow(g.world, [&](taut_world* w) { return taut_world_grab(w, g.point, x.f64(), g.compliance, &g.held); });
}

static void move_hand(Grab& g, nb::handle position) {
    g.world.get();
    if (!g.held.id) {
        throw nb::value_error("the hand has let go of its point; World.grab takes hold of it again");
    }
    pull(g, position);
}

static void let_go(Grab& g) {
    g.world.get();
    if (g.held.id) {
        with_world(g.world, [&](taut_world* w) { return taut_world_release(w, &g.held); });
    }
}

static std::vector<taut_added> ids_of(nb::handle added) {
    const Numbers n(added, Type::u64, "added");
    std::vector<taut_added> ids(n.size());
    for (size_t i = 0; i < ids.size(); i++) {
        ids[i].id = static_cast<const uint64_t*>(n.data())[i];
    }
    return ids;
}

static void bind_grab(nb::module_& m, nb::class_<World>& c) {
    nb::class_<Grab>(m, "Grab", nb::type_slots(log_slots<Grab>), "A point that a hand drags; made by World.grab.")
        .def("move", &move_hand, nb::arg("position"), nb::sig("def move(self, position: taut.ArrayLike) -> None"),
             "Sets where the hand is at the end of the next step, m. ValueError when it has let go.")
        .def("release", &let_go, "Lets go.")
        .def_prop_ro(
            "held", [](const Grab& g) { return g.held.id != 0 && !g.world.closed(); }, "Whether the hand still holds.")
        .def(
            "__enter__", [](nb::object self) { return self; }, nb::sig("def __enter__(self) -> Grab"))
        .def(
            "__exit__",
            [](Grab& g, nb::args) {
                if (!g.world.closed()) {
                    let_go(g);
                }
            },
            nb::sig("def __exit__(self, *exception: object) -> None"));
    c.def(
        "grab",
        [](const World& w, uint32_t point, nb::handle position, double compliance) {
            Grab g{w, point, compliance, {0}};
            pull(g, position);
            return g;
        },
        nb::arg("point"), nb::arg("position"), nb::arg("compliance") = 0.0,
        nb::sig("def grab(self, point: int, position: taut.ArrayLike, compliance: float = 0.0) -> Grab"),
        "Drags a point towards a position, m, by a target of this compliance, m/N (0: hard). A world without room for "
        "a "
        "target (reserve={'targets': 1}) makes it: views from before then go on to show the state from before.");
    c.def(
        "remove",
        [](World& w, nb::handle added) {
            const std::vector<taut_added> ids = ids_of(added);
            with_world(w, [&](taut_world* world) { return taut_world_remove(world, ids.size(), ids.data()); });
        },
        nb::arg("added"), nb::sig("def remove(self, added: taut.ArrayLike) -> None"),
        "Removes constraints that were added, by the ids that adding has returned.");
    c.def(
        "has_added", [](const World& w, uint64_t id) { return taut_world_has_added(w.get().world, taut_added{id}); },
        nb::arg("id"), "Whether a constraint that was added is still there.");
    c.def(
        "added_rows",
        [](World& w, uint64_t id) {
            taut_range rows, rotations;
            with_world(w, [&](taut_world* x) { return taut_world_added_rows(x, taut_added{id}, &rows, &rotations); });
            return nb::make_tuple(to_python(rows), to_python(rotations));
        },
        nb::arg("id"), nb::sig("def added_rows(self, id: int) -> tuple[range, range]"),
        "The rows of an added constraint in violations and multipliers; the second range is that of a weld's "
        "rotations.");
    c.def(
        "move_added",
        [](World& w, nb::handle added, nb::handle positions) {
            const std::vector<taut_added> ids = ids_of(added);
            const Numbers x = doubles(positions, "positions", ids.size(), 3);
            with_world(w, [&](taut_world* o) { return taut_world_move_added(o, ids.size(), ids.data(), x.f64()); });
        },
        nb::arg("added"), nb::arg("positions"),
        nb::sig("def move_added(self, added: taut.ArrayLike, positions: taut.ArrayLike) -> None"),
        "Sets where added targets are at the end of the next step, count x 3, m.");
    c.def(
        "set_present",
        [](World& w, const Batch& b, bool present, size_t first, size_t count) {
            const taut_batch batch = batch_in(w.get().scene, b);
            with_world(w, [&](taut_world* o) { return taut_world_set_present(o, batch, first, count, present); });
        },
        nb::arg("batch"), nb::arg("present"), nb::arg("first"), nb::arg("count") = 1,
        "Takes constraints of a batch of the scene away (False), or puts them back (True).");
    c.def(
        "room",
        [](World& w) {
            taut_reserve room, left;
            with_world(w, [&](taut_world* o) { return taut_world_room(o, &room, &left); });
            return nb::make_tuple(to_dict(members_reserve, &room), to_dict(members_reserve, &left));
        },
        nb::sig("def room(self) -> tuple[dict[str, int], dict[str, int]]"),
        "The room for constraints that are added, and what is left of it, by kind.");
}

/* ---- growing -------------------------------------------------------------------------------------------------- */

static void bind_growth(nb::class_<World>& c) {
    c.def(
        "grow_contacts",
        [](World& w, uint32_t n) { grow(w, [&](taut_world* o) { return taut_world_grow_contacts(o, n); }); },
        nb::arg("capacity"),
        "Increases the capacity of contacts. Views from before go on to show the state from before.");
    c.def(
        "grow_reserve",
        [](World& w, const nb::kwargs& given) {
            taut_reserve room;
            with_world(w, [&](taut_world* o) { return taut_world_room(o, &room, nullptr); });
            const Filling kept(members_reserve, &room, given);
            grow(w, [&](taut_world* o) { return taut_world_grow_reserve(o, &room); });
        },
        nb::arg("room"),
        nb::sig(
            "def grow_reserve(self, *, distances: int = ..., attachments: int = ..., targets: int = ..., welds: int = "
            "...) -> None"),
        "Increases the room for constraints that are added. Views from before go on to show the state from before.");
}

/* ---- a window ------------------------------------------------------------------------------------------------- */

static void bind_view(nb::class_<World>& c) {
    c.def(
        "view",
        [](const nb::object& self, const nb::kwargs& options) {
            nb::module_::import_("taut._window").attr("view")(self, **options);
        },
        nb::arg("options"),
        nb::sig(
            "def view(self, *, on_frame: collections.abc.Callable[[World], object] | None = None, fps: float | None "
            "= None, title: str | None = None, size: tuple[int, int] = (1280, 720), camera: "
            "collections.abc.Sequence[float] = (), target: collections.abc.Sequence[float] | None = None, colour: "
            "str = 'object', contacts: bool = False, playing: bool = True, floor: float | bool | None = None, "
            "triangles: taut.ArrayLike | None = None, script: str | os.PathLike | None = None) -> None"),
        "Shows the world in a window while it runs, and returns when the window is closed. The mouse drags things, "
        "where "
        "the world has room for a target: reserve={'targets': 1}. Keys and panels are those of `taut view`; what they "
        "set "
        "stays set. Call it on the main thread. taut.Error where there is no screen, or the package has no viewer.\n\n"
        "on_frame: called with the world before each step; it may move and set things, and closes the window by "
        "returning "
        "False\n"
        "fps: steps per second of simulated time; default 60, or that of the world's scene file\n"
        "size: of the window, pixels\n"
        "camera: azimuth and elevation, degrees, and perhaps the distance, m; target: what it looks at, m\n"
        "colour: 'object', 'strain', 'speed', 'violation', 'multiplier', or, of worlds with residuals=True, "
        "'residual'; "
        "contacts: shows contact points and forces\n"
        "playing: False: waits for the space key\n"
        "floor: height of a floor to look at, m; False: none; default: one beneath, where the scene has no plane\n"
        "triangles: count x 3 points, drawn besides the surfaces that the scene has\n"
        "script: a file with events in place of mouse and keys, for tests (apps/taut/view/input_script.h)");
}

void bind_world(nb::module_& m) {
    nb::class_<World> c(
        m, "World", nb::type_slots(log_slots<World>),
        "A compiled scene, which one backend steps. A world can be used in `with`. Two threads must not use "
        "one world at the same time: the second one gets a RuntimeError.");
    bind_creation(c);
    bind_steps(c);
    bind_settings(c);
    bind_sleep(c);
    bind_places(c);
    bind_turns(c);
    bind_bodies(c);
    bind_batch_setters(c);
    bind_grab(m, c);
    bind_adders(c);
    bind_growth(c);
    bind_state(c);
    bind_queries(c);
    bind_assembly(m, c);
    bind_view(c);
}
