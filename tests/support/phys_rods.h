/* Rods for the physics tests. */
#ifndef TAUT_TEST_PHYS_RODS_H
#define TAUT_TEST_PHYS_RODS_H

#include "phys_frames.h"

/* Orientation of a piece along the world's x, and the same turned afterwards. */
void phys_along_x(double q[4]);
void phys_turned_piece(const double axis[3], double angle, double q[4]);
/* E I of the whole section. */
double phys_bending_stiffness(const taut_rods_def* def);
/* A straight rod of E I = 1 N m^2 and 0.1 kg/m. */
taut_rods_def phys_unit_rod(void);

/* Where the pieces begin and end, and how they are turned; for a rod that is not straight along x, change it. */
typedef struct phys_rod_shape {
    size_t pieces;
    double* positions;    /* (pieces + 1) x 3 */
    double* orientations; /* pieces x 4 */
} phys_rod_shape;

phys_rod_shape phys_rod_along_x(size_t pieces, double length);
/* Takes the shape. */
taut_rod_ranges phys_add_rod(taut_scene* scene, const taut_rods_def* like, phys_rod_shape shape);
/* Holds the beginning of a rod, at the origin along x: its first point, and its first piece by half a piece's bending
 * to a frame that does not move. */
void phys_clamp(taut_scene* scene, const taut_rods_def* rod, const taut_rod_ranges* ranges, double piece);
/* Every point but the first keeps its z. */
void phys_hold_in_plane(taut_scene* scene, const taut_rod_ranges* ranges);
/* A weightless world. Blocks are as large as they can be: bending makes a condition number of the order of the fourth
 * power of the pieces, and these tests are about rods, not about the solver. */
taut_world* phys_rod_world(taut_backend_kind backend, taut_scene* scene, const phys_scheme* scheme);
/* Such a world with a clamped rod along x. */
taut_world* phys_clamped_rod(taut_backend_kind backend, const taut_rods_def* def, phys_rod_shape shape,
                             const phys_scheme* scheme, taut_rod_ranges* ranges);
uint32_t phys_last_of(taut_range range);
void phys_read_frame(taut_world* world, size_t frame, double q[4]);

#endif
