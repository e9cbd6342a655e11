/* A small system of every force element, on particles and mapped points, and its dense matrices from the formulas. */
#ifndef TAUT_TEST_FORCE_SYSTEM_H
#define TAUT_TEST_FORCE_SYSTEM_H

#include "force_cases.h"
#include "phys_scenes.h"

enum {
    SYSTEM_PARTICLES = 6,
    SYSTEM_POINTS = 8, /* the last two are mapped */
    SYSTEM_FIXED = 3,  /* this particle */
    SYSTEM_DOFS = 3 * SYSTEM_PARTICLES,
    SYSTEM_ELEMENTS = 6
};

typedef struct system_element {
    force_case c; /* its formula and rest values */
    uint32_t nodes[4];
    double damping; /* s */
    taut_batch batch;
} system_element;

typedef struct force_system {
    double x[SYSTEM_DOFS], v[SYSTEM_DOFS], mass[SYSTEM_PARTICLES];
    double weights[2][3]; /* of the mapped points' parents: exact in float32, as worlds keep them */
    system_element elements[SYSTEM_ELEMENTS];
    bool strained; /* also inverted and flattened */
} force_system;

/* What an element's tangent is multiplied by, as a linear function of its damping time. */
typedef struct system_factor {
    double plain, damped;
} system_factor;

/* `strained`: one solid is inverted, one nearly flat; else all are stretched. `damped`: solids have damping times. */
force_system force_system_random(uint64_t seed, bool strained, bool damped);
/* To be destroyed by taut_scene_destroy. */
taut_scene* force_system_scene(force_system* s);

/* out = forces on the particles at x and v, SYSTEM_DOFS; without gravity. Returns the energy. */
double force_system_forces(const force_system* s, const double* x, const double* v, double* out);
/* out += sum over elements of factor * K, K the positive semidefinite part of the tangent at x, v; SYSTEM_DOFS squared.
 * `viscous` is the factor of damping elements. */
void force_system_tangents(const force_system* s, const double* x, const double* v, system_factor factor,
                           double viscous, double* out);
/* out = -df/dx, exact. */
void force_system_stiffness(const force_system* s, const double* x, const double* v, double* out);

#endif
