/* A state that several worlds of one scene start from, with the multipliers that geometric stiffness is made of, and
 * what a world solves. The library lets nobody write multipliers: this reaches into it. */
#ifndef CONVERGENCE_STATE_H
#define CONVERGENCE_STATE_H

#include <taut/taut.h>

typedef struct saved_state {
    size_t particles, rows;
    double* positions;
    double* velocities;
    double* multipliers;
} saved_state;

saved_state state_save(taut_world* world);
void state_restore(taut_world* world, const saved_state* s);
void state_free(saved_state* s);

/* Unknowns of the solver's system. */
size_t state_unknowns(const taut_world* world);

/* taut_world_choice; false where the library can not tell. */
bool state_choice(const taut_world* world, taut_choice* choice);

#endif
