/* Queries: rays, closest points, overlaps of shapes. */
#include "handles.h"
#include <tables.h>

#include <cmath>
#include <cstring>

static const uint32_t all_bits = UINT32_MAX;

static nb::object cast_rays(World& w, nb::handle origins, nb::handle directions, nb::handle lengths, uint32_t group,
                            uint32_t mask) {
    const Numbers from = doubles(origins, "origins", any_rows, 3);
    const Numbers along = doubles(directions, "directions", from.rows(), 3);
    const std::vector<double> far = rows_for({0, from.rows(), 1, 1, false}, Numbers(lengths, Type::f64, "lengths"));
    std::vector<taut_ray> rays(from.rows());
    for (size_t i = 0; i < rays.size(); i++) {
        std::memcpy(rays[i].origin, from.f64() + 3 * i, sizeof rays[i].origin);
        std::memcpy(rays[i].direction, along.f64() + 3 * i, sizeof rays[i].direction);
        rays[i].length = far[i];
    }
    std::vector<taut_hit> hits(rays.size());
    const taut_query_filter filter = {group, mask};
    with_world(w,
               [&](taut_world* o) { return taut_world_cast_rays(o, rays.size(), rays.data(), &filter, hits.data()); });
    return to_records(members_hit, hits.data(), hits.size());
}

static nb::object closest_points(World& w, nb::handle points, double reach, uint32_t group, uint32_t mask) {
    const Numbers at = doubles(points, "points", any_rows, 3);
    std::vector<taut_hit> hits(at.rows());
    const taut_query_filter filter = {group, mask};
    with_world(w, [&](taut_world* o) {
        return taut_world_closest_points(o, at.rows(), at.f64(), reach, &filter, hits.data());
    });
    return to_records(members_hit, hits.data(), hits.size());
}

static nb::object overlapping(World& w, const char* shape, nb::handle size, nb::handle position, nb::handle orientation,
                              uint32_t group, uint32_t mask) {
    taut_query_shape s = {};
    s.shape = static_cast<taut_shape>(value_of(names_shape, "shape", nb::str(shape)));
    const Numbers extent = doubles(size, "size", 1, 3), place = doubles(position, "position", 1, 3),
                  turn = doubles(orientation, "orientation", 1, 4);
    std::memcpy(s.size, extent.f64(), sizeof s.size);
    std::memcpy(s.position, place.f64(), sizeof s.position);
    std::memcpy(s.orientation, turn.f64(), sizeof s.orientation);
    const taut_query_filter filter = {group, mask};
    std::vector<taut_overlap> found(64);
    uint32_t count = 0;
    for (bool whole = false; !whole;) { /* again where there was too little room */
        with_world(w, [&](taut_world* o) {
            return taut_world_overlaps(o, 1, &s, &filter, (uint32_t)found.size(), found.data(), &count);
        });
        whole = count <= found.size();
        found.resize(count);
    }
    return to_records(members_overlap, found.data(), count);
}

void bind_queries(nb::class_<World>& c) {
    const double infinity = INFINITY;
    c.def("cast_rays", &cast_rays, nb::arg("origins"), nb::arg("directions"), nb::arg("lengths") = infinity,
          nb::arg("group") = all_bits, nb::arg("mask") = all_bits,
          nb::sig("def cast_rays(self, origins: taut.ArrayLike, directions: taut.ArrayLike, lengths: "
                  "taut.ArrayLike = math.inf, group: int = 0xFFFFFFFF, mask: int = 0xFFFFFFFF) -> "
                  "numpy.typing.NDArray[numpy.void]"),
          "What each ray meets first: a structured array with found (names: taut.NAMES['found']), collider, surface, "
          "face, "
          "corners, weights, position (m), normal and distance (m; inf where nothing was found). Origins and "
          "directions are "
          "count x 3; directions have any length > 0.");
    c.def("closest_points", &closest_points, nb::arg("points"), nb::arg("reach") = infinity,
          nb::arg("group") = all_bits, nb::arg("mask") = all_bits,
          nb::sig("def closest_points(self, points: taut.ArrayLike, reach: float = math.inf, group: int = "
                  "0xFFFFFFFF, "
                  "mask: int = 0xFFFFFFFF) -> numpy.typing.NDArray[numpy.void]"),
          "What is nearest to each point (count x 3, m) within reach: a structured array as that of cast_rays; "
          "distances are "
          "negative inside.");
    c.def("overlapping", &overlapping, nb::arg("shape"), nb::arg("size"), nb::arg("position"),
          nb::arg("orientation") = nb::make_tuple(1.0, 0.0, 0.0, 0.0), nb::arg("group") = all_bits,
          nb::arg("mask") = all_bits,
          nb::sig("def overlapping(self, shape: str, size: taut.ArrayLike, position: taut.ArrayLike, "
                  "orientation: taut.ArrayLike = (1, 0, 0, 0), group: int = 0xFFFFFFFF, mask: int = 0xFFFFFFFF) -> "
                  "numpy.typing.NDArray[numpy.void]"),
          "What overlaps a sphere, capsule, box, cylinder or cone (sizes as in add_colliders): a structured array with "
          "found, "
          "collider, surface, face and corners.");
}
