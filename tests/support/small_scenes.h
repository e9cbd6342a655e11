/* Builders of small scenes, each on top of what is already there. Rest values are those of the current shape. */
#ifndef TAUT_TEST_SMALL_SCENES_H
#define TAUT_TEST_SMALL_SCENES_H

#include "oracle_scene.h"

typedef struct scene_material {
    double compliance; /* 1/E for strain */
    double damping;
} scene_material;

typedef struct scene_grid {
    uint32_t first; /* particle (i, j) is first + j columns + i; row 0 is at the top */
    uint32_t columns, rows;
} scene_grid;

/* A vertical sheet of columns x rows particles hanging down from y = 0, slightly wavy in z. */
scene_grid scene_sheet(oracle_scene* scene, uint32_t columns, uint32_t rows, double spacing, double mass);
void scene_sheet_edges(oracle_scene* scene, scene_grid grid, scene_material material);
void scene_sheet_diagonals(oracle_scene* scene, scene_grid grid, scene_material material);
void scene_sheet_bends(oracle_scene* scene, scene_grid grid, scene_material material);
void scene_sheet_membranes(oracle_scene* scene, scene_grid grid, scene_material material);
void scene_sheet_pin_corners(oracle_scene* scene, scene_grid grid);
/* Edges, diagonals and bends of one sheet, pinned at two corners: the cloth of most tests. */
scene_grid scene_cloth(oracle_scene* scene, uint32_t columns, uint32_t rows, scene_material edges,
                       scene_material bends);

/* links + 1 particles along the direction; the first one fixed. Returns the first particle. */
uint32_t scene_rope(oracle_scene* scene, uint32_t links, const double direction[3], double mass,
                    scene_material material);
/* Rows x_(i-1) - 2 x_i + x_(i+1) = 0 for every inner particle and axis. */
void scene_rope_bending(oracle_scene* scene, uint32_t first, uint32_t links, scene_material material);

/* cells^3 cubes of six tetrahedra; returns the first of its (cells + 1)^3 particles. */
uint32_t scene_block(oracle_scene* scene, uint32_t cells, double spacing, double mass);
void scene_block_strains(oracle_scene* scene, uint32_t first, uint32_t cells, scene_material material);
void scene_block_volumes(oracle_scene* scene, uint32_t first, uint32_t cells, scene_material material);

void scene_distance(oracle_scene* scene, uint32_t a, uint32_t b, scene_material material);
void scene_attach(oracle_scene* scene, uint32_t a, uint32_t b, scene_material material);
/* Holds a particle at a target that moves with `rate`. */
void scene_target(oracle_scene* scene, uint32_t particle, const double rate[3], scene_material material);

/* Moves free particles and their velocities at random by up to dx and dv. */
void scene_shake(oracle_scene* scene, uint64_t seed, double dx, double dv);
/* Numbers particles, and constraints within their kind, in an order without meaning. */
void scene_shuffle(oracle_scene* scene, uint64_t seed);
/* Adds to every position, target included. */
void scene_shift(oracle_scene* scene, const double by[3]);

/* Some of everything, in one connected body with a few loose ends; `compliance` for all kinds. */
void scene_mixed(oracle_scene* scene, double compliance, double damping);

#endif
