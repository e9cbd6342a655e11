/* What scenes of arrays look like: surfaces, lines and solids, kept as they are added, for a viewer. The library tells
 * nothing of them. */
#ifndef TAUT_PYTHON_SCENE_SHAPES_H
#define TAUT_PYTHON_SCENE_SHAPES_H

#include "taut/taut.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

struct Shapes {
    using Edge = std::array<uint32_t, 2>;
    using Triangle = std::array<uint32_t, 3>;
    using Tet = std::array<uint32_t, 4>;
    using Place = std::array<double, 3>;
    using Quaternion = std::array<double, 4>;

    /* A collider, or a ball of a contact point on a body. */
    struct Solid {
        taut_shape shape;
        Place size;
        uint32_t mesh;
        taut_body body; /* or TAUT_WORLD */
        Place position;
        Quaternion orientation;
    };
    /* Of points of the scene where `points` is not empty, else of positions, m. */
    struct Mesh {
        std::vector<Place> positions;
        std::vector<Triangle> triangles;
        std::vector<uint32_t> points;
    };
    /* Points first.points + i are the centres of the bodies with the frames first.frames + i. */
    struct Bodies {
        uint32_t point, frame, count;
    };

    std::vector<Triangle> triangles; /* of points of the scene */
    std::vector<Tet> tets;
    std::vector<Edge> links; /* distances, which may be threads of a surface */
    std::vector<Edge> lines; /* segments of surfaces, rods */
    double line_radius = 0;  /* m, of the last of them */
    std::vector<Solid> solids;
    std::vector<Mesh> meshes;
    std::vector<Bodies> bodies;
    std::vector<Bodies> particles;                 /* without frames */
    std::vector<std::array<double, 2>> ball_radii; /* point and radius, m, of contact points */
};

/* What a definition adds; `out` is what the library has returned. Other definitions have no shape. */
template <class Def, class Out> void note(Shapes&, const Def&, const Out&) {}
void note(Shapes& s, const taut_particles_def& def, const taut_range& out);
void note(Shapes& s, const taut_distance_def& def, const taut_batch& out);
void note(Shapes& s, const taut_bend_def& def, const taut_batch& out);
void note(Shapes& s, const taut_membrane_def& def, const taut_batch& out);
void note(Shapes& s, const taut_surface_def& def, const taut_batch& out);
void note(Shapes& s, const taut_tet_volume_def& def, const taut_batch& out);
void note(Shapes& s, const taut_tet_strain_def& def, const taut_batch& out);
void note(Shapes& s, const taut_solid_def& def, const taut_batch& out);
void note(Shapes& s, const taut_segment_def& def, const taut_batch& out);
void note(Shapes& s, const taut_bodies_def& def, const taut_body_ranges& out);
void note(Shapes& s, const taut_rods_def& def, const taut_rod_ranges& out);
void note(Shapes& s, const taut_contact_points_def& def, const taut_range& out);
void note(Shapes& s, const taut_contact_surface_def& def, const taut_range& out);
void note(Shapes& s, const taut_collider_mesh_def& def, const uint32_t& out);
void note(Shapes& s, const taut_colliders_def& def, const taut_range& out);

#endif
