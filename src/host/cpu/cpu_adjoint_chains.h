/* How coordinates of a constraint's nodes follow the unknowns: those of mapped points by their parents, those of frames
 * by their velocities as adjoint_turns.c has it. */
#ifndef TAUT_CPU_CPU_ADJOINT_CHAINS_H
#define TAUT_CPU_CPU_ADJOINT_CHAINS_H

#include "host/cpu/cpu_adjoint_system.h"
#include "host/cpu/cpu_adjoint_turns.h"

/* Unknowns of one coordinate at most. */
#define ADJOINT_LINKS (3 * TAUT_ADJOINT_PARENTS)

/* The derivative of a coordinate by an unknown: by the place of that, and by its velocity over alpha beta h. */
typedef struct adjoint_link {
    size_t unknown;
    double place, rate;
} adjoint_link;

/* At the state at which constraints are taken. */
typedef struct adjoint_maps {
    const taut_plan* plan;
    const adjoint_turn* turns;
    double* arms; /* entries of mapped points x 3: arms in the world, m */
} adjoint_maps;

/* Arms, and x and v of mapped points from those of their parents. */
void adjoint_map_points(const adjoint_maps* m, double* x, double* v);
/* The links of coordinate 3 node + axis of a node; their number. */
size_t adjoint_links(const adjoint_maps* m, size_t coordinate, adjoint_link out[ADJOINT_LINKS]);

/* An arm of a mapped point turns with its frame: what that adds to d(force)/d(turn) and to d(J v)/d(turn). */
void adjoint_turn_of_force(const double arm[3], const double force[3], double out[3][3]);
void adjoint_turn_of_speed(const double arm[3], const double omega[3], const double row[3], double out[3]);

/* dL/dx', dL/dv' of mapped points to those of their parents. */
void adjoint_pull_maps(const adjoint_maps* m, const taut_step_record* record, taut_adjoint_sums* sums);

#endif
