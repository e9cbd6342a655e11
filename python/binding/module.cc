/* The module taut._taut: the C interface for Python. The package taut/ has what is Python itself. */
#include "handles.h"
#include <tables.h>

#include <cstring>

static nb::dict defaults(const char* name) {
    for (const Table* t : all_tables) {
        if (t->definition && std::string("taut_") + name + "_def" == t->name) {
            std::vector<char> def(t->bytes);
            taut_default_definition(static_cast<taut_definition>(t->definition), t->bytes, def.data());
            return to_dict(*t, def.data());
        }
    }
    throw nb::value_error((std::string("there is no definition '") + name + "'").c_str());
}

static nb::dict names() {
    nb::dict all;
    for (const auto& [enumeration, entries] : all_names) {
        nb::dict by_number;
        for (const Name& n : *entries) {
            by_number[nb::int_(n.value)] = n.name;
        }
        all[enumeration] = by_number;
    }
    return all;
}

/* ---- small functions ------------------------------------------------------------------------------------------ */

static nb::object inertia_of(const double (&inertia)[6]) {
    return to_array(std::vector<double>(inertia, inertia + 6), {6});
}

#define ARRAY "numpy.typing.NDArray[numpy.float64]"

static void bind_inertias(nb::module_& m) {
    m.def(
        "inertia_of_box",
        [](double mass, nb::handle sides) {
            double out[6];
            taut_inertia_of_box(mass, doubles(sides, "sides", 1, 3).f64(), out);
            return inertia_of(out);
        },
        nb::arg("mass"), nb::arg("sides"), nb::sig("def inertia_of_box(mass: float, sides: taut.ArrayLike) -> " ARRAY),
        "Inertia xx, yy, zz, yz, zx, xy of a homogeneous box about its centre, kg m^2. sides: 3 values, m.");
    m.def(
        "inertia_of_sphere",
        [](double mass, double radius) {
            double out[6];
            taut_inertia_of_sphere(mass, radius, out);
            return inertia_of(out);
        },
        nb::arg("mass"), nb::arg("radius"), nb::sig("def inertia_of_sphere(mass: float, radius: float) -> " ARRAY),
        "Inertia of a homogeneous ball about its centre, kg m^2.");
    m.def(
        "inertia_of_cylinder",
        [](double mass, double radius, double height) {
            double out[6];
            taut_inertia_of_cylinder(mass, radius, height, out);
            return inertia_of(out);
        },
        nb::arg("mass"), nb::arg("radius"), nb::arg("height"),
        nb::sig("def inertia_of_cylinder(mass: float, radius: float, height: float) -> " ARRAY),
        "Inertia of a homogeneous cylinder about its centre, kg m^2; its axis is z.");
    m.def(
        "inertia_of_cone",
        [](double mass, double radius, double height) {
            double out[6];
            taut_inertia_of_cone(mass, radius, height, out);
            return inertia_of(out);
        },
        nb::arg("mass"), nb::arg("radius"), nb::arg("height"),
        nb::sig("def inertia_of_cone(mass: float, radius: float, height: float) -> " ARRAY),
        "Inertia of a homogeneous cone about its centre of mass, kg m^2; its axis is z.");
    m.def(
        "barycentric",
        [](nb::handle positions, nb::handle point) {
            const Numbers corners = doubles(positions, "positions", any_rows, 3), at = doubles(point, "point", 1, 3);
            std::vector<double> weights(corners.rows());
            check(taut_barycentric(corners.rows(), corners.f64(), at.f64(), weights.data()));
            return to_array(std::move(weights), {corners.rows()});
        },
        nb::arg("positions"), nb::arg("point"),
        nb::sig("def barycentric(positions: taut.ArrayLike, point: taut.ArrayLike) -> " ARRAY),
        "Barycentric coordinates of a point with respect to an edge, triangle or tetrahedron: corners x 3, m.");
}

static nb::dict fabrics() {
    nb::dict all;
    for (uint32_t i = 0; i < taut_fabric_count(); i++) {
        all[taut_fabric_at(i)->name] = nb::cast(*taut_fabric_at(i));
    }
    return all;
}

static nb::dict ropes() {
    nb::dict all;
    for (uint32_t i = 0; i < taut_rope_kind_count(); i++) {
        all[taut_rope_kind_at(i)->name] = nb::cast(*taut_rope_kind_at(i));
    }
    return all;
}

/* What two numbers say of the integrator's members. */
static nb::dict baumgarte(double time_constant, double ratio) {
    taut_integrator integrator = taut_default_world().integrator;
    check(taut_integrator_baumgarte(time_constant, ratio, &integrator));
    nb::dict members;
    members["baumgarte_velocity"] = integrator.baumgarte_velocity;
    members["baumgarte_position"] = integrator.baumgarte_position;
    return members;
}

static void bind_devices(nb::module_& m) {
    m.def(
        "backend_available",
        [](const char* backend) {
            const int kind = value_of(names_backend_kind, "backend", nb::str(backend));
            return taut_backend_available(static_cast<taut_backend_kind>(kind)) == TAUT_OK;
        },
        nb::arg("backend"), "Whether worlds can be created on 'cpu' or 'cuda', in this build and on this machine.");
    m.def(
        "cuda_devices",
        [] {
            std::vector<taut_device_info> all(static_cast<size_t>(taut_cuda_device_count()));
            for (size_t i = 0; i < all.size(); i++) {
                check(taut_cuda_device_describe(static_cast<int>(i), &all[i]));
            }
            nb::list out;
            for (const taut_device_info& one : all) {
                out.append(nb::cast(one));
            }
            return out;
        },
        nb::sig("def cuda_devices() -> list[DeviceInfo]"), "The CUDA devices.");
}

NB_MODULE(_taut, m) {
    nb::set_leak_warnings(false); /* a script may end while it holds a view */
    m.doc() = "The C interface of taut for Python.";
    nb::exception<LibraryError> error(m, "Error");
    error.attr("__doc__") =
        "A failure of the library, in its own sentence. `status` is its name, such as 'TAUT_DIVERGED'.";
    error.attr("status") = "TAUT_OK";
    set_error_type(error);
    m.attr("__version__") = taut_version();
    m.attr("WORLD") = nb::make_tuple(TAUT_WORLD.point, TAUT_WORLD.frame);
    m.attr("NO_COLLIDER") = TAUT_NO_COLLIDER;
    m.attr("NAMES") = names();
    m.def("defaults", &defaults, nb::arg("definition"),
          nb::sig("def defaults(definition: str) -> dict[str, typing.Any]"),
          "The library's defaults of a definition, such as 'distance', 'bodies' or 'world'.");
    bind_inertias(m);
    m.def(
        "baumgarte", &baumgarte, nb::arg("time_constant"), nb::arg("ratio") = 1.0,
        nb::sig("def baumgarte(time_constant: float, ratio: float = 1.0) -> dict[str, float]"),
        "Members of an integrator: the stabilisation of accelerations with a time constant, s, and a damping ratio (1: "
        "critical).");
    m.def("fabrics", &fabrics, nb::sig("def fabrics() -> dict[str, Fabric]"), "Named fabrics, by measured values.");
    m.def("ropes", &ropes, nb::sig("def ropes() -> dict[str, RopeKind]"), "Named kinds of rope, by measured values.");
    bind_scene(m);
    bind_devices(m);
    bind_world(m);
    bind_files(m);
    bind_gradients(m);
    bind_device_arrays(m);
}
