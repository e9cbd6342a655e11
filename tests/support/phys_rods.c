#include "phys_rods.h"

#include <math.h>
#include <stdlib.h>

void phys_along_x(double q[4]) {
    phys_turn((const double[]){0, 1, 0}, PHYS_PI / 2, q);
}

double phys_bending_stiffness(const taut_rods_def* def) {
    return def->young * PHYS_PI * pow(def->radius, 4) / 4;
}

taut_rods_def phys_unit_rod(void) {
    taut_rods_def def = taut_default_rods();
    def.radius = 0.01;
    def.young = 4 / (PHYS_PI * 1e-8);
    def.shear = 0.4 * def.young;
    def.density = 0.1 / (PHYS_PI * 1e-4);
    def.straight = true;
    return def;
}

phys_rod_shape phys_rod_along_x(size_t pieces, double length) {
    phys_rod_shape shape = {pieces, phys_array(3 * (pieces + 1), sizeof(double)),
                            phys_array(4 * pieces, sizeof(double))};
    for (size_t i = 0; i <= pieces; i++) {
        shape.positions[3 * i] = length * (double)i / (double)pieces;
    }
    for (size_t i = 0; i < pieces; i++) {
        phys_along_x(shape.orientations + 4 * i);
    }
    return shape;
}

taut_rod_ranges phys_add_rod(taut_scene* scene, const taut_rods_def* like, phys_rod_shape shape) {
    taut_rod_ranges ranges = {{0, 0}, {0, 0}, {0}, {0}};
    taut_rods_def def = *like;
    def.count = 1;
    def.offsets = (const size_t[]){0, shape.pieces + 1};
    def.positions = shape.positions;
    def.orientations = shape.orientations;
    CHECK_OK(taut_scene_add_rods(scene, &def, &ranges));
    free(shape.positions);
    free(shape.orientations);
    return ranges;
}

void phys_clamp(taut_scene* scene, const taut_rods_def* rod, const taut_rod_ranges* ranges, double piece) {
    phys_body wall = {.mass = 1, .inertia = {1, 1, 1}, .fixed = true};
    phys_along_x(wall.q);
    const taut_body handle = phys_add_body(scene, &wall);
    const double ei = phys_bending_stiffness(rod), gj = 2 * ei * rod->shear / rod->young;
    taut_alignment_def def = taut_default_alignment();
    def.count = 1;
    def.frames = (const uint32_t[]){handle.frame, ranges->frames.first};
    def.rest_rotations = (const double[]){0, 0, 0};
    def.compliances = (const double[]){piece / 2 / ei, piece / 2 / ei, piece / 2 / gj};
    CHECK_OK(taut_scene_add_alignments(scene, &def, NULL));
    phys_fix(scene, 1, (const uint32_t[]){ranges->points.first});
}

void phys_hold_in_plane(taut_scene* scene, const taut_rod_ranges* ranges) {
    uint32_t* coordinates = phys_array(ranges->points.count, sizeof *coordinates);
    for (uint32_t i = 1; i < ranges->points.count; i++) {
        coordinates[i - 1] = 3 * (ranges->points.first + i) + 2;
    }
    phys_hold(scene, ranges->points.count - 1, coordinates);
    free(coordinates);
}

taut_world* phys_rod_world(taut_backend_kind backend, taut_scene* scene, const phys_scheme* scheme) {
    taut_world_def def = phys_world_def(backend, scheme->alpha, scheme->beta);
    def.integrator.hard_row_damping = scheme->hard_row_damping;
    def.solver.block_size = 256;
    def.gravity[1] = 0;
    return phys_world(scene, &def);
}

taut_world* phys_clamped_rod(taut_backend_kind backend, const taut_rods_def* def, phys_rod_shape shape,
                             const phys_scheme* scheme, taut_rod_ranges* ranges) {
    const double piece = shape.positions[3 * shape.pieces] / (double)shape.pieces;
    taut_scene* scene = phys_empty_scene();
    *ranges = phys_add_rod(scene, def, shape);
    phys_clamp(scene, def, ranges, piece);
    return phys_rod_world(backend, scene, scheme);
}

uint32_t phys_last_of(taut_range range) {
    return range.first + range.count - 1;
}

void phys_read_frame(taut_world* world, size_t frame, double q[4]) {
    CHECK_OK(taut_world_read(world, TAUT_FIELD_ORIENTATIONS, frame, 1, q));
}

void phys_turned_piece(const double axis[3], double angle, double q[4]) {
    double straight[4];
    phys_along_x(straight);
    phys_turn(axis, angle, q);
    phys_multiply(q, straight, q);
}
