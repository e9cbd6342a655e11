/* Force elements: elastic solids, surfaces in the air and under loads, attraction. No constraints: they have no rows
 * and no multipliers. Their forces act on points, mapped ones included, and their tangents, cut to the positive
 * semidefinite part, stand in the matrix A of implicit steps, by the thetas of forces (taut_integrator.force_theta_*).
 * In the primal family they are external forces, with its factor e. Where a formulation is explicit so are they.
 *
 * Formulas: src/kernels/formulas/solid.h, surface.h, attraction.h. All numbers must be finite; per-element arrays may
 * be NULL: the scalar beside them then holds for the whole batch. `batch` may be NULL. A batch of force elements has no
 * rows (taut_world_batch_rows) and takes no compliances. */
#ifndef TAUT_FORCES_H
#define TAUT_FORCES_H

#include "taut/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Hyperelastic materials of Young's modulus and Poisson's ratio, which agree at small strain. */
typedef enum taut_material {
    TAUT_MATERIAL_COROTATIONAL, /* linear in the stretches; withstands any compression, comes back from inversion */
    TAUT_MATERIAL_NEO_HOOKEAN,  /* rubber, in the form that comes back from inversion (Smith, de Goes and Kim, "Stable
                                   neo-Hookean flesh simulation", 2018) */
    TAUT_MATERIAL_ST_VENANT_KIRCHHOFF, /* linear in the Green strain, as TAUT_TET_STRAIN; softens under compression, and
                                        is unstable below 1/sqrt(3) of its length */
    TAUT_MATERIAL_COUNT
} taut_material;

/* "corotational", "neo_hookean", "st_venant_kirchhoff"; "unknown" outside the enumeration. */
TAUT_API const char* taut_material_name(taut_material material);

/* Elastic tetrahedra. A Rayleigh damping force -d K v goes with each, K the tangent at the current state: a mode of
 * angular frequency w has the damping ratio d w / 2. */
typedef struct taut_solid_def {
    uint32_t cookie;
    size_t count;
    const uint32_t* particles; /* count x 4, of either orientation */
    const double* rest;        /* count x 4 x 3, m: rest shapes; NULL: the current shape. Not flat */
    const double* youngs;      /* count, Pa */
    double young;              /* Pa, > 0 and at most 1e30; default 1e5 */
    const double* poissons;    /* count */
    double poisson;            /* (-1, 0.5), both excluded; default 0.3 */
    taut_material material;    /* default corotational */
    const double* dampings;    /* count: d, s */
    double damping;            /* s, >= 0; default 0 */
} taut_solid_def;

/* Triangles in a fluid, their normals n along (x1 - x0) x (x2 - x0). With u the wind minus the triangle's mean
 * velocity, un and ut its parts along and across n, A the area, A0 that of the rest shape: f = pressure A n + A (drag
 * |un| un + friction |u| ut) + traction A0,   a third of it on each corner. Drag and friction are half the density of
 * the fluid times the coefficients of drag across and along the stream: about 0.6 and 0.01 kg/m^3 for cloth in air. */
typedef struct taut_surface_def {
    uint32_t cookie;
    size_t count;
    const uint32_t* particles; /* count x 3 */
    const double* areas;       /* count: rest areas, m^2, >= 0; NULL: the current ones */
    const double* pressures;   /* count, Pa */
    double pressure;           /* Pa, towards the normal; default 0 */
    double traction[3];        /* Pa, in a fixed direction, per rest area; default 0 */
    double drag;               /* kg/m^3, >= 0; default 0 */
    double friction;           /* kg/m^3, >= 0; default 0 */
    double wind[3];            /* m/s; default 0 */
} taut_surface_def;

/* Gravity of a fixed centre: f = -m strength (x - centre) / r^3, r^2 = |x - centre|^2 + softening^2. Potential energy
 * -m strength / r. */
typedef struct taut_attraction_def {
    uint32_t cookie;
    size_t count;
    const uint32_t* particles; /* count */
    const double* masses;      /* count, kg, >= 0; NULL: those of the particles */
    double centre[3];          /* m; default 0 */
    double strength;           /* m^3/s^2: gravitational constant times mass; < 0 repels; default 0 */
    double softening;          /* m, >= 0; default 0 */
} taut_attraction_def;

TAUT_API taut_solid_def taut_default_solid(void);
TAUT_API taut_surface_def taut_default_surface(void);
TAUT_API taut_attraction_def taut_default_attraction(void);

/* TAUT_INVALID_ARGUMENT for indices that do not exist or come twice in an element, flat rest shapes, and numbers
 * outside their range; then nothing is added. */
TAUT_API taut_status taut_scene_add_solids(taut_scene* scene, const taut_solid_def* def, taut_batch* batch);
/* Adds triangles in a fluid; fails as taut_scene_add_solids does. */
TAUT_API taut_status taut_scene_add_surfaces(taut_scene* scene, const taut_surface_def* def, taut_batch* batch);
/* Adds attraction by a centre; fails as taut_scene_add_solids does. */
TAUT_API taut_status taut_scene_add_attractions(taut_scene* scene, const taut_attraction_def* def, taut_batch* batch);

/* ---- changing them; effective with the next step ---------------------------------------------------------------- */
/* taut_world_set_dampings re-tunes the damping times of solids. */

/* The wind of a batch of surfaces, m/s. */
TAUT_API taut_status taut_world_set_wind(taut_world* world, taut_batch batch, const double wind[3]);
/* The pressures of surfaces [first, first + count) of a batch, Pa. */
TAUT_API taut_status taut_world_set_pressures(taut_world* world, taut_batch batch, size_t first, size_t count,
                                              const double* pressures);

#ifdef __cplusplus
}
#endif

#endif
