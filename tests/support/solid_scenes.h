/* Bodies of elastic tetrahedra for the tests of solids: the ways to make an element, faces held and loaded, balance. */
#ifndef TAUT_TEST_SOLID_SCENES_H
#define TAUT_TEST_SOLID_SCENES_H

#include "phys_scenes.h"

/* The first ones have the numbers of taut_elasticity. */
typedef enum solid_element {
    SOLID_COROTATIONAL,
    SOLID_NEO_HOOKEAN,
    SOLID_ST_VENANT,
    SOLID_STRAIN,        /* constraints on the Green strain: the energy of St. Venant-Kirchhoff */
    SOLID_STRAIN_FORCES, /* the same rows used as forces */
    SOLID_ELEMENT_COUNT
} solid_element;

const char* solid_element_name(solid_element element);
void solid_add_elements(taut_scene* scene, const phys_mesh* mesh, solid_element element, double young, double poisson,
                        double damping);

/* A world for a handful of elements: Jacobi's preconditioner, whose refresh costs nothing. The scene is gone. */
taut_world* solid_small_world(taut_backend_kind backend, taut_scene* scene, const taut_integrator* integrator,
                              double gravity);

/* Fixes the points with coordinate `axis` within `depth` of `at`; returns how many that are. */
size_t solid_fix_side(taut_scene* scene, const phys_mesh* mesh, size_t axis, double at, double depth);
/* A dead load in Pa on the triangles of phys_side. */
void solid_apply_jacobian_transpose(taut_scene* scene, const phys_tuples* triangles, const double traction[3]);
/* Displacement of a face, mean over its area: what a uniform traction does work on. */
void solid_face_displacement(taut_world* world, const phys_mesh* mesh, const phys_tuples* triangles, double u[3]);

typedef struct solid_balance {
    double worst, sum; /* N: largest component of forces and J^T lam that is left over on a free point, and their sum */
    double reaction[3]; /* N: what the fixed points exert */
} solid_balance;

/* Of forces at the present state and of the multipliers of the last step. */
solid_balance solid_balance_of(taut_world* world);

#endif
