/* Force elements: elastic solids, surfaces under aerodynamic and other loads, and attraction by a centre.
 *
 * A force element is no constraint: it has no rows and no multipliers. Its forces act on points, including mapped
 * points. In implicit steps the matrix A contains the positive semidefinite part of the element's tangent matrix,
 * weighted by the theta values of forces (taut_integrator.force_theta_*). The primal family treats forces of elements
 * as external forces, with its factor e. In explicit formulations the elements act explicitly. The formulas are in
 * src/kernels/formulas/solid.h, surface.h and attraction.h.
 *
 * All numbers must be finite. Arrays with one value per element may be NULL; then the scalar member of the same meaning
 * applies to the whole batch. `batch` may be NULL. A batch of force elements has no rows (taut_world_batch_rows) and no
 * compliances. */
#ifndef TAUT_FORCES_H
#define TAUT_FORCES_H

#include "taut/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Hyperelastic materials with Young's modulus and Poisson's ratio as parameters. At small strain all of them agree. */
typedef enum taut_elasticity {
    TAUT_ELASTICITY_COROTATIONAL = 0,        /* linear in the stretches; resists any compression, recovers from
                                                inversion */
    TAUT_ELASTICITY_NEO_HOOKEAN = 1,         /* rubber, which resists any loss of volume; a parabola in the place of its
                                                logarithm below a fifth of the volume recovers from inversion */
    TAUT_ELASTICITY_ST_VENANT_KIRCHHOFF = 2, /* linear in the Green strain, as TAUT_TET_STRAIN; softens under
                                                compression, and is unstable below 1/sqrt(3) of the rest length */
    TAUT_ELASTICITY_COUNT
} taut_elasticity;

/* "corotational", "neo_hookean", "st_venant_kirchhoff"; "unknown" outside the enumeration. */
TAUT_API const char* taut_elasticity_name(taut_elasticity elasticity);

/* Elastic tetrahedra. Each element also has the Rayleigh damping force -d K v, with d the damping time and K the
 * tangent matrix at the current state. A mode of angular frequency w then has the damping ratio d w / 2. */
typedef struct taut_solid_def {
    uint32_t cookie;
    uint32_t bytes;
    size_t count;
    const uint32_t* particles; /* count x 4; either orientation is valid */
    const double* rest;        /* count x 4 x 3, m: rest shapes, with a volume other than 0; NULL: the current shapes */
    const double* youngs;      /* count, Pa; NULL: `young` for all */
    double young;              /* Young's modulus, Pa, > 0 and at most 1e30; default 1e5 */
    const double* poissons;    /* count; NULL: `poisson` for all */
    double poisson;            /* Poisson's ratio, (-1, 0.5]; above 0.4999 as 0.4999; default 0.3 */
    taut_elasticity elasticity; /* default corotational */
    const double* dampings;     /* count, s: d; NULL: `damping` for all */
    double damping;             /* d, s, >= 0; default 0 */
} taut_solid_def;

/* Triangles in a fluid. The normal n of a triangle has the direction of (x1 - x0) x (x2 - x0). Let u be the wind minus
 * the mean velocity of the triangle, un and ut the parts of u along n and in the plane, A the area, and A0 the rest
 * area. The force
 *     f = pressure A n + A (drag |un| un + friction |u| ut) + traction A0
 * acts on the three corners in equal parts. `drag` and `friction` are half of the density of the fluid times the drag
 * coefficients of a plate across the stream and along the stream, about 0.6 and 0.01 kg/m^3 for cloth in air. */
typedef struct taut_surface_def {
    uint32_t cookie;
    uint32_t bytes;
    size_t count;
    const uint32_t* particles; /* count x 3 */
    const double* areas;       /* count, m^2, >= 0: rest areas; NULL: the current areas */
    const double* pressures;   /* count, Pa; NULL: `pressure` for all */
    double pressure;           /* Pa: positive values act along the normal; default 0 */
    double traction[3];        /* Pa: force per rest area, in a fixed direction; default 0 */
    double drag;               /* kg/m^3, >= 0; default 0 */
    double friction;           /* kg/m^3, >= 0; default 0 */
    double wind[3];            /* m/s; default 0 */
} taut_surface_def;

/* Attraction of particles by a fixed centre: f = -m strength (x - centre) / r^3 with
 * r^2 = |x - centre|^2 + softening^2. The potential energy is -m strength / r. */
typedef struct taut_attraction_def {
    uint32_t cookie;
    uint32_t bytes;
    size_t count;
    const uint32_t* particles; /* count */
    const double* masses;      /* count, kg, >= 0; NULL: the masses of the particles */
    double centre[3];          /* m; default 0 */
    double strength;           /* m^3/s^2: gravitational constant times mass of the centre; < 0 repels; default 0 */
    double softening;          /* m, >= 0; default 0 */
} taut_attraction_def;

TAUT_DEFAULT(taut_solid_def, taut_default_solid, TAUT_DEFINITION_SOLID)
TAUT_DEFAULT(taut_surface_def, taut_default_surface, TAUT_DEFINITION_SURFACE)
TAUT_DEFAULT(taut_attraction_def, taut_default_attraction, TAUT_DEFINITION_ATTRACTION)

/* Adds elastic tetrahedra. TAUT_INVALID_ARGUMENT for an index that does not exist or occurs twice in one element, for a
 * flat rest shape, and for a number outside its range. A call that fails adds nothing. */
TAUT_API taut_status taut_scene_add_solids(taut_scene* scene, const taut_solid_def* def, taut_batch* batch);
/* Adds triangles in a fluid. Errors as for taut_scene_add_solids. */
TAUT_API taut_status taut_scene_add_surfaces(taut_scene* scene, const taut_surface_def* def, taut_batch* batch);
/* Adds attraction by a centre. Errors as for taut_scene_add_solids. */
TAUT_API taut_status taut_scene_add_attractions(taut_scene* scene, const taut_attraction_def* def, taut_batch* batch);

/* ---- changing force elements; all take effect with the next step ---------------------------------------------- */
/* taut_world_set_dampings sets the damping times of solids. */

/* Sets the moduli of solids [first, first + count) of a batch: Young's moduli `youngs`, Pa, and Poisson's ratios
 * `poissons`, one per solid, in the ranges of taut_solid_def. NULL for one of them: it remains as it is, but for
 * rounding; with both a world has the bits of one that was created with them. Rest shapes and damping times remain.
 * TAUT_INVALID_ARGUMENT, with the world unchanged, for batches of other kinds (of membranes and tetrahedron strain
 * taut_world_set_compliances sets 1/E), for values outside of their range, and if both are NULL. */
TAUT_API taut_status taut_world_set_moduli(taut_world* world, taut_batch batch, size_t first, size_t count,
                                           const double* youngs, const double* poissons);
/* Sets the wind of a batch of surfaces, m/s. */
TAUT_API taut_status taut_world_set_wind(taut_world* world, taut_batch batch, const double wind[3]);
/* Sets the pressures of surfaces [first, first + count) of a batch, Pa. */
TAUT_API taut_status taut_world_set_pressures(taut_world* world, taut_batch batch, size_t first, size_t count,
                                              const double* pressures);

#ifdef __cplusplus
}
#endif

#endif
