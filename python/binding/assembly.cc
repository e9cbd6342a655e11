/* Operators and assembled matrices; python/taut/operators.py makes linear operators of them. */
#include "handles.h"
#include <tables.h>

/* ---- operators ------------------------------------------------------------------------------------------------ */

static size_t unknowns(taut_world* world) {
    return 3 * (taut_world_particle_count(world) + taut_world_frame_count(world));
}

static size_t rows_of(World& w) {
    size_t rows = 0;
    with_world(w, [&](taut_world* o) { return taut_world_linearised_rows(o, &rows); });
    return rows;
}

static size_t linearise(World& w, double h) {
    WorldState& s = w.get();
    with_world(w, [&](taut_world* o) {
        s.linearisations++; /* one that fails ends the one before, too */
        return taut_world_linearise(o, h);
    });
    return rows_of(w);
}

static nb::object apply(World& w, const char* name, nb::handle vector) {
    const auto op = static_cast<taut_operator>(value_of(names_operator, "operator", nb::str(name)));
    const size_t m = rows_of(w), n = unknowns(w.get().world);
    const bool from_rows = op == TAUT_OPERATOR_JT || op == TAUT_OPERATOR_S || op == TAUT_OPERATOR_W;
    const bool to_rows = op == TAUT_OPERATOR_J || op == TAUT_OPERATOR_S || op == TAUT_OPERATOR_W;
    const Numbers in = doubles(vector, "vector", from_rows ? m : n, 1);
    std::vector<double> out(to_rows ? m : n);
    with_world(w, [&](taut_world* o) { return taut_world_apply(o, op, in.f64(), out.data()); });
    const size_t size = out.size();
    return to_array(std::move(out), {size});
}

static nb::object right_hand_side(World& w, const char* of) {
    const bool impulses = value_of({{"s", 1}, {"a", 0}}, "of", nb::str(of)) == 1;
    std::vector<double> out(impulses ? rows_of(w) : unknowns(w.get().world));
    with_world(w, [&](taut_world* o) {
        return impulses ? taut_world_right_hand_side(o, out.data())
                        : taut_world_velocity_right_hand_side(o, out.data());
    });
    const size_t size = out.size();
    return to_array(std::move(out), {size});
}

static nb::object split(World& w, nb::handle motion, bool hard_only) {
    const size_t n = unknowns(w.get().world);
    const Numbers in = doubles(motion, "motion", n, 1);
    std::vector<double> admissible(n), reaction(n);
    with_world(
        w, [&](taut_world* o) { return taut_world_split(o, hard_only, in.f64(), admissible.data(), reaction.data()); });
    return nb::make_tuple(to_array(std::move(admissible), {n}), to_array(std::move(reaction), {n}));
}

static double project_positions(World& w, uint32_t most, double tolerance) {
    double worst = 0;
    with_world(w, [&](taut_world* o) { return taut_world_project_positions(o, most, tolerance, &worst); });
    return worst;
}

static void bind_operators(nb::class_<World>& c) {
    c.def("linearise", &linearise, nb::arg("h"),
          "Linearises the constraints at the current state for a step of h seconds, without a step, and returns the "
          "number of "
          "rows, contacts included. Needed before apply, and again after every step and write.");
    c.def_prop_ro(
        "linearisations", [](const World& w) { return w.get().linearisations; },
        "How often linearise was called. A world has the last one alone.");
    c.def("apply", &apply, nb::arg("operator"), nb::arg("vector"),
          nb::sig("def apply(self, operator: str, vector: taut.ArrayLike) -> numpy.typing.NDArray[numpy.float64]"),
          "Applies 'j', 'jt', 'a', 'a_inverse', 's', 'w' or 'g' to a vector: n = 3 (points + frames) velocities, or m "
          "impulses.");
    c.def("right_hand_side", &right_hand_side, nb::arg("of") = "s",
          nb::sig("def right_hand_side(self, of: str = 's') -> numpy.typing.NDArray[numpy.float64]"),
          "The right-hand side b of S gam = b (of='s', m values), or r of A dv = r + J^T gam (of='a', n values).");
    c.def("split", &split, nb::arg("motion"), nb::arg("hard_only") = false,
          nb::sig("def split(self, motion: taut.ArrayLike, hard_only: bool = False) -> "
                  "tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]"),
          "Splits a motion (n values) into an admissible part and a reaction.");
    c.def(
        "project_velocities", [](World& w) { with_world(w, taut_world_project_velocities); },
        "Projects the velocities onto J v = 0 of the hard rows.");
    c.def("project_positions", &project_positions, nb::arg("most") = 20, nb::arg("tolerance") = 1e-12,
          "Projects the positions onto phi = 0 of the hard rows, in at most so many iterations. Returns the largest "
          "|phi|.");
}

/* ---- assembled matrices --------------------------------------------------------------------------------------- */

struct Assembly {
    std::shared_ptr<WorldState> world; /* outlives it */
    std::shared_ptr<taut_assembly> assembly;
};

static Assembly assemble(World& w) {
    taut_assembly* made = nullptr;
    with_world(w, [&](taut_world* o) { return taut_assembly_create(o, &made); });
    return {w.state, std::shared_ptr<taut_assembly>(made, taut_assembly_destroy)};
}

template <class T> static nb::object kept_array(const Assembly& a, const T* data, size_t count) {
    nb::capsule owner(new Assembly(a), [](void* p) noexcept { delete static_cast<Assembly*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, const T>(data, 1, &count, owner));
}

static nb::object csr(const Assembly& a, const char* name) {
    taut_csr_view v;
    const auto which = static_cast<taut_matrix>(value_of(names_matrix, "matrix", nb::str(name)));
    check(taut_assembly_matrix(a.assembly.get(), which, &v));
    return nb::make_tuple(kept_array(a, v.values, v.nonzeros), kept_array(a, v.indices, v.nonzeros),
                          kept_array(a, v.offsets, v.rows + 1), nb::make_tuple(v.rows, v.columns));
}

static nb::object vector_of(const Assembly& a, const char* name) {
    taut_array v;
    const auto which = static_cast<taut_vector>(value_of(names_vector, "vector", nb::str(name)));
    check(taut_assembly_vector(a.assembly.get(), which, &v));
    return kept_array(a, static_cast<const double*>(v.data), v.rows);
}

static nb::object blocks(const Assembly& a) {
    std::vector<taut_block> all(taut_assembly_block_count(a.assembly.get()));
    for (size_t i = 0; i < all.size(); i++) {
        check(taut_assembly_block(a.assembly.get(), i, &all[i]));
    }
    return to_records(members_block, all.data(), all.size());
}

void bind_assembly(nb::module_& m, nb::class_<World>& c) {
    bind_operators(c);
    nb::class_<Assembly>(m, "Assembly",
                         "The matrices and vectors of a world at one time; taut.operators has them for SciPy.")
        .def("csr", &csr, nb::arg("matrix"),
             nb::sig("def csr(self, matrix: str) -> tuple[numpy.typing.NDArray[numpy.float64], "
                     "numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.uint64], tuple[int, int]]"),
             "Values, columns, offsets of rows, and shape of matrix 'm', 'j', 'c', 'p', 'g', 'k' or 'gamma': views.")
        .def("vector", &vector_of, nb::arg("vector"),
             nb::sig("def vector(self, vector: str) -> numpy.typing.NDArray[numpy.float64]"),
             "Vector 'f' (N), 'phi', 'lam' (N) or 'v' (m/s): a view.")
        .def("blocks", &blocks, nb::sig("def blocks(self) -> numpy.typing.NDArray[numpy.void]"),
             "One record for each constraint or contact: kind (names: taut.NAMES['kind']), batch, constraint, "
             "first_row, rows, "
             "particle_count, particles, frame_count, frames, force.");
    c.def("assemble", &assemble, "All matrices and vectors at the current state: a copy. Waits for the backend.");
}
