#include "scene_shapes.h"

/* `count` rows of `columns` values each. */
template <class Row>
static void append_rows(std::vector<Row>& out, const typename Row::value_type* from, size_t count) {
    for (size_t i = 0; i < count; i++) {
        Row row;
        for (size_t k = 0; k < row.size(); k++) {
            row[k] = from[i * row.size() + k];
        }
        out.push_back(row);
    }
}

void note(Shapes& s, const taut_particles_def&, const taut_range& out) {
    s.particles.push_back({out.first, 0, out.count});
}

void note(Shapes& s, const taut_distance_def& def, const taut_batch&) {
    append_rows(s.links, def.particles, def.count);
}

/* Both triangles of a hinge. */
void note(Shapes& s, const taut_bend_def& def, const taut_batch&) {
    for (size_t i = 0; i < def.count; i++) {
        const uint32_t* x = def.particles + 4 * i;
        s.triangles.push_back({x[0], x[1], x[2]});
        s.triangles.push_back({x[1], x[0], x[3]});
    }
}

void note(Shapes& s, const taut_membrane_def& def, const taut_batch&) {
    append_rows(s.triangles, def.particles, def.count);
}

void note(Shapes& s, const taut_surface_def& def, const taut_batch&) {
    append_rows(s.triangles, def.particles, def.count);
}

void note(Shapes& s, const taut_tet_volume_def& def, const taut_batch&) {
    append_rows(s.tets, def.particles, def.count);
}

void note(Shapes& s, const taut_tet_strain_def& def, const taut_batch&) {
    append_rows(s.tets, def.particles, def.count);
}

void note(Shapes& s, const taut_solid_def& def, const taut_batch&) {
    append_rows(s.tets, def.particles, def.count);
}

void note(Shapes& s, const taut_segment_def& def, const taut_batch&) {
    append_rows(s.lines, def.particles, def.count);
}

void note(Shapes& s, const taut_bodies_def&, const taut_body_ranges& out) {
    s.bodies.push_back({out.points.first, out.frames.first, out.points.count});
}

void note(Shapes& s, const taut_rods_def& def, const taut_rod_ranges& out) {
    for (size_t rod = 0; rod < def.count; rod++) {
        for (size_t i = def.offsets[rod] + 1; i < def.offsets[rod + 1]; i++) {
            const uint32_t point = out.points.first + (uint32_t)i;
            s.lines.push_back({point - 1, point});
        }
    }
    s.line_radius = def.radius;
}

void note(Shapes& s, const taut_contact_points_def& def, const taut_range&) {
    for (size_t i = 0; i < def.count; i++) {
        const double radius = def.radii ? def.radii[i] : def.radius;
        if (def.particles) {
            s.ball_radii.push_back({(double)def.particles[i], radius});
        } else if (def.bodies && radius > 0) {
            const double* at = def.offsets ? def.offsets + 3 * i : nullptr;
            const Shapes::Place offset = at ? Shapes::Place{at[0], at[1], at[2]} : Shapes::Place{};
            s.solids.push_back({TAUT_SHAPE_SPHERE, {radius, 0, 0}, 0, def.bodies[i], offset, {1, 0, 0, 0}});
        }
    }
}

void note(Shapes& s, const taut_contact_surface_def& def, const taut_range&) {
    append_rows(s.triangles, def.triangles, def.triangle_count);
    append_rows(s.lines, def.segments, def.segment_count);
    s.line_radius = def.segment_count ? def.radius : s.line_radius;
}

void note(Shapes& s, const taut_collider_mesh_def& def, const uint32_t&) {
    Shapes::Mesh mesh;
    append_rows(mesh.triangles, def.triangles, def.triangle_count);
    if (def.points) {
        mesh.points.assign(def.points, def.points + def.vertex_count);
    } else {
        append_rows(mesh.positions, def.positions, def.vertex_count);
    }
    s.meshes.push_back(std::move(mesh));
}

void note(Shapes& s, const taut_colliders_def& def, const taut_range&) {
    for (size_t i = 0; i < def.count; i++) {
        const double *size = def.sizes ? def.sizes + 3 * i : def.size,
                     *x = def.positions ? def.positions + 3 * i : nullptr;
        const double* q = def.orientations ? def.orientations + 4 * i : nullptr;
        s.solids.push_back({def.shape,
                            {size[0], size[1], size[2]},
                            def.mesh,
                            def.bodies ? def.bodies[i] : TAUT_WORLD,
                            x ? Shapes::Place{x[0], x[1], x[2]} : Shapes::Place{},
                            q ? Shapes::Quaternion{q[0], q[1], q[2], q[3]} : Shapes::Quaternion{1, 0, 0, 0}});
    }
}
