/* Scenes of ropes, nets and rods for the tests of the multilevel preconditioner of the Schur complement. */
#ifndef TAUT_TEST_LINE_SCENES_H
#define TAUT_TEST_LINE_SCENES_H

#include "phys_rods.h"
#include "phys_scenes.h"

/* A chain of 1 m and 0.1 kg, 0.1 rad from the vertical, with `load` kg at its end. */
taut_scene* line_scene_chain(size_t links, double load, double compliance);
/* The same with a distance over every two links. */
taut_scene* line_scene_bending(size_t links, double bending);
/* Two such chains, one with 1000 kg, and a link between the middle of one and a third of the other. */
taut_scene* line_scene_branch(size_t links);
/* A hard net of 1 m and 0.2 kg with `n` points on a side, slightly wavy, hung from two corners. */
taut_scene* line_scene_net(size_t n);
/* That net with a hard rope from its lower edge to a point that is fixed. */
taut_scene* line_scene_tied(size_t n, size_t links);
/* A loop of hard links held at one point. */
taut_scene* line_scene_loop(size_t links);
/* A rod of 1 m, radius 1 cm and 1 GPa, held at one end. */
taut_scene* line_scene_rod(size_t pieces);
/* A straight hard chain with both ends fixed: one row depends on the others. */
taut_scene* line_scene_pinned(size_t links);

#endif
