/* Scenes made of mesh files, refined `levels` times. They end the program with one sentence where a file is refused. */
#ifndef CONVERGENCE_MESHES_H
#define CONVERGENCE_MESHES_H

#include "springs.h"

/* A garment scaled to 1 m: springs along edges, and between the vertices opposite to each inner edge; held at its
 * highest points. */
springs make_garment(const char* path, size_t levels, double compliance);

/* Tetrahedra scaled to 1 m with 1/E = `softness`, held at their lowest points; `particles` receives their number. */
taut_scene* make_solid(const char* path, size_t levels, double softness, size_t* particles);

#endif
