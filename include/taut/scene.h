/* The scene: particles and constraints, described on the host in bulk arrays. Bodies, rods and joints are added by
 * bodies.h, points that depend on others by mappings.h.
 *
 * Every constraint obeys lam = -C^-1 (phi + d phidot): compliance C from 0 (hard) upwards, damping time d. Nothing
 * divides by C, so 0 is an ordinary value. Per-constraint arrays may be NULL: the scalar beside them then holds for
 * the whole batch. All given numbers must be finite.
 *
 * Arrays are flat and row by row: "count x 3" is count * 3 numbers. Every definition is made by its taut_default_* and
 * then filled in; a struct that was not is refused. */
#ifndef TAUT_SCENE_H
#define TAUT_SCENE_H

#include "taut/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A scene under construction. */
typedef struct taut_scene taut_scene;

/* A batch of constraints of one kind, as added by one call. Id 0 is no batch. Handles of a scene are valid in every
 * world made from it. */
typedef struct taut_batch {
    uint32_t id; /* 0: no batch */
} taut_batch;

/* Kinds of constraint: nodes, rows, unit of phi. */
typedef enum taut_kind {
    TAUT_DISTANCE,   /* 2 nodes, 1 row, m:      |x1 - x0| - L */
    TAUT_ATTACHMENT, /* 2 nodes, 3 rows, m:     x1 - x0 - offset */
    TAUT_TARGET,     /* 1 node,  3 rows, m:     x0 - target(t) */
    TAUT_BEND,       /* 4 nodes, 1 row, rad:    dihedral angle - rest angle */
    TAUT_MEMBRANE,   /* 3 nodes, 3 rows, 1:     Green strain (e_uu, e_vv, 2 e_uv) */
    TAUT_TET_VOLUME, /* 4 nodes, 1 row, m^3:    V - V0 */
    TAUT_TET_STRAIN, /* 4 nodes, 6 rows, 1:     Green strain (xx, yy, zz, 2 yz, 2 zx, 2 xy) */
    TAUT_PRISMATIC,  /* 2 bodies, 1 row, m:     offset of two attachment points along an axis of the first body */
    TAUT_ANGULAR,    /* 2 frames, 1 row, rad:   an angle between two frames, or the cosine of one */
    TAUT_ALIGNMENT,  /* 2 frames, 3 rows, rad:  rotation vector between two frames - rest */
    TAUT_SEGMENT,    /* 2 nodes and a frame, 3 rows, m: x1 - x0 in the frame's axes - rest */
    TAUT_INERTIA,    /* mass of a mapped point: no rows */
    TAUT_NORM,       /* length of a mapped point: no rows */
    TAUT_SOLID,      /* 4 nodes: a force element (forces.h), no rows */
    TAUT_SURFACE,    /* 3 nodes: likewise */
    TAUT_ATTRACTION, /* 1 node: likewise */
    TAUT_LINEAR,     /* any nodes, 1 row, user: sum_k w_k q_k - rest; or a row of velocities alone, phi = 0 */
    TAUT_CONTACT,    /* found by the world (contact.h), 3 rows, m: the gap along the normal, two ways across it */
    TAUT_ROLLING,    /* of contacts, 3 rows, rad/s: spinning about the normal, rolling two ways across it */
    TAUT_KIND_COUNT
} taut_kind;

/* "distance", "attachment", ...; "unknown" outside the enumeration. */
TAUT_API const char* taut_kind_name(taut_kind kind);

/* What taut_scene_create takes. */
typedef struct taut_scene_def {
    uint32_t cookie;
    taut_allocator allocator;
} taut_scene_def;

TAUT_API taut_scene_def taut_default_scene(void);
/* Makes an empty scene. */
TAUT_API taut_status taut_scene_create(const taut_scene_def* def, taut_scene** scene);
TAUT_API void taut_scene_destroy(taut_scene* scene); /* NULL is allowed */

/* ---- particles ------------------------------------------------------------------------------------------------ */

/* Particles: points with a mass. */
typedef struct taut_particles_def {
    uint32_t cookie;
    size_t count;
    const double* positions;  /* count x 3, m */
    const double* velocities; /* count x 3, m/s; NULL: at rest */
    const double* masses;     /* count, kg, > 0; NULL: `mass` */
    double mass;              /* kg, > 0; default 1 */
    const bool* fixed;        /* count; true: held or moved by the user, never by forces; NULL: all free */
} taut_particles_def;

TAUT_API taut_particles_def taut_default_particles(void);
/* `range` (may be NULL) receives the indices of the new particles. */
TAUT_API taut_status taut_scene_add_particles(taut_scene* scene, const taut_particles_def* def, taut_range* range);

/* Fixes (true) or frees (false) particles of the scene. A fixed particle moves with its velocity or its target. */
TAUT_API taut_status taut_scene_set_fixed(taut_scene* scene, size_t count, const uint32_t* particles, bool fixed);
/* Points: particles, centres of bodies, mapped points, in order of addition. All of them count as particles where an
 * index is asked for, and may carry constraints and forces; only free particles and bodies are unknowns. */
TAUT_API size_t taut_scene_particle_count(const taut_scene* scene);
/* Rows of all constraints so far. */
TAUT_API size_t taut_scene_row_count(const taut_scene* scene);

/* Positions of all particles, count x 3, in scene order; valid until the scene is changed. */
TAUT_API const double* taut_scene_positions(const taut_scene* scene);

/* ---- constraints ---------------------------------------------------------------------------------------------- */
/* In every batch: compliance >= 0 in (unit of phi)/N or, for angles, rad/(N m), damping time >= 0 in s, node indices
 * below the particle count and different within one constraint. `batch` may be NULL. */

/* Distances between pairs of particles. */
typedef struct taut_distance_def {
    uint32_t cookie;
    size_t count;
    const uint32_t* particles;  /* count x 2 */
    const double* rest_lengths; /* count, m, >= 0; NULL: the current distances, which must then be > 0 */
    const double* compliances;  /* count, m/N */
    double compliance;          /* m/N; default 0 */
    const double* dampings;     /* count, s */
    double damping;             /* s; default 0 */
} taut_distance_def;

/* Attachments: the second particle of each pair is held at an offset from the first. */
typedef struct taut_attachment_def {
    uint32_t cookie;
    size_t count;
    const uint32_t* particles; /* count x 2 */
    const double* offsets;     /* count x 3, m: rest value of x1 - x0 in world axes; NULL: zero */
    const double* compliances;
    double compliance; /* m/N, the same for the three axes */
    const double* dampings;
    double damping;
} taut_attachment_def;

/* Targets: a particle is held at a place that the user may move. */
typedef struct taut_target_def {
    uint32_t cookie;
    size_t count;
    const uint32_t* particles; /* count */
    const double* targets;     /* count x 3, m; NULL: the current positions. Moved by taut_world_move_targets */
    const double* compliances;
    double compliance; /* m/N, the same for the three axes */
    const double* dampings;
    double damping;
} taut_target_def;

/* Dihedral bending: the angle between two triangles that share an edge. */
typedef struct taut_bend_def {
    uint32_t cookie;
    size_t count;
    const uint32_t*
        particles; /* count x 4: edge x0, x1; x2 and x3 are opposite vertices of the triangles on either side.
                           The angle is 0 when flat and positive when x2 and x3 rise towards the normal
                           (x1 - x0) x (x2 - x0); it lies in (-pi, pi] */
    const double* rest_angles; /* count, rad; NULL: the current angles */
    const double* compliances;
    double compliance; /* rad/(N m) */
    const double* dampings;
    double damping;
} taut_bend_def;

/* The material of a triangle or tetrahedron: C = (area or volume * D)^-1 with D the isotropic elasticity matrix,
 * written without dividing by zero: 1/Young's modulus is the input, 0 means inextensible. */
typedef struct taut_membrane_def {
    uint32_t cookie;
    size_t count;
    const uint32_t* particles; /* count x 3 */
    const double* rest;        /* count x 3 x 2, m: rest shape in material axes; NULL: the current shape,
                                          u along x1 - x0 */
    const double* softnesses;  /* count: 1/E, m/N; E Young's modulus times thickness */
    double softness;           /* m/N, >= 0; default 0 */
    double poisson;            /* (-1, 1); default 0.3 */
    const double* dampings;
    double damping;
} taut_membrane_def;

/* Volumes of tetrahedra. */
typedef struct taut_tet_volume_def {
    uint32_t cookie;
    size_t count;
    const uint32_t* particles;  /* count x 4, (x1 - x0) x (x2 - x0) . (x3 - x0) > 0 */
    const double* rest_volumes; /* count, m^3; NULL: the current volumes, which must then be > 0 */
    const double* compliances;
    double compliance; /* m^3/Pa: volume change per pressure (lam is minus the pressure) */
    const double* dampings;
    double damping;
} taut_tet_volume_def;

/* Elastic tetrahedra, by constraints on their Green strain. */
typedef struct taut_tet_strain_def {
    uint32_t cookie;
    size_t count;
    const uint32_t* particles; /* count x 4, orientation as for tetrahedron volume */
    const double* rest;        /* count x 4 x 3, m; NULL: the current shape; volume > 0 either way */
    const double* softnesses;  /* count: 1/E, m^2/N */
    double softness;           /* m^2/N, >= 0; default 0 */
    double poisson;            /* (-1, 0.5]; default 0.3 */
    const double* dampings;
    double damping;
} taut_tet_strain_def;

/* Coordinate of frame `frame`, for rows of velocities: its angular velocity about the world's axis 0, 1 or 2, rad/s. */
#define TAUT_ROTATION_OF(frame, axis) (UINT32_C(0xC0000000) + 3 * (uint32_t)(frame) + (uint32_t)(axis))

/* phi_r = sum over entries e in [offsets[r], offsets[r+1]) of weights[e] * q[coordinates[e]] - rest_values[r],
 * with q[3 i + a] coordinate a of particle i.
 *
 * Rows of velocities, `of_velocities`, hold sum_e weights[e] * v[coordinates[e]] at rest_values[r], a speed: rolling,
 * gears, conveyors, motors. They have no phi (0 is reported) and so no memory: a speed that was missed once is not made
 * up for. Where they have compliance they are dashpots, lam = -C^-1 d (sum - rest). Coordinates may be
 * TAUT_ROTATION_OF. On points of turning bodies the midpoint rule needs Newton's method to be of second order: one
 * linearisation has J of the start. */
typedef struct taut_linear_def {
    uint32_t cookie;
    size_t count;                /* rows */
    const size_t* offsets;       /* count + 1, offsets[0] = 0, increasing: every row has entries */
    const uint32_t* coordinates; /* offsets[count]; no coordinate twice in a row */
    const double* weights;       /* offsets[count] */
    const double* rest_values;   /* count; NULL: the current values; of velocities 0 */
    bool of_velocities;          /* default false */
    const double* compliances;
    double compliance;
    const double* dampings;
    double damping;
} taut_linear_def;

TAUT_API taut_distance_def taut_default_distance(void);
TAUT_API taut_attachment_def taut_default_attachment(void);
TAUT_API taut_target_def taut_default_target(void);
TAUT_API taut_bend_def taut_default_bend(void);
TAUT_API taut_membrane_def taut_default_membrane(void);
TAUT_API taut_tet_volume_def taut_default_tet_volume(void);
TAUT_API taut_tet_strain_def taut_default_tet_strain(void);
TAUT_API taut_linear_def taut_default_linear(void);

/* Adds distances. */
TAUT_API taut_status taut_scene_add_distances(taut_scene* scene, const taut_distance_def* def, taut_batch* batch);
/* Adds attachments. */
TAUT_API taut_status taut_scene_add_attachments(taut_scene* scene, const taut_attachment_def* def, taut_batch* batch);
/* Adds targets. */
TAUT_API taut_status taut_scene_add_targets(taut_scene* scene, const taut_target_def* def, taut_batch* batch);
/* Adds dihedral bending. */
TAUT_API taut_status taut_scene_add_bends(taut_scene* scene, const taut_bend_def* def, taut_batch* batch);
/* Adds elastic triangles. */
TAUT_API taut_status taut_scene_add_membranes(taut_scene* scene, const taut_membrane_def* def, taut_batch* batch);
/* Adds volumes of tetrahedra. */
TAUT_API taut_status taut_scene_add_tet_volumes(taut_scene* scene, const taut_tet_volume_def* def, taut_batch* batch);
/* Adds elastic tetrahedra. */
TAUT_API taut_status taut_scene_add_tet_strains(taut_scene* scene, const taut_tet_strain_def* def, taut_batch* batch);
/* Adds linear rows. */
TAUT_API taut_status taut_scene_add_linear(taut_scene* scene, const taut_linear_def* def, taut_batch* batch);

/* Makes a batch a force field: springs, dampers, elastic elements whose forces -J^T C^-1 (phi + d phidot) follow the
 * force_theta_* of the step in place of alpha and beta, whose geometric stiffness comes from the force of the current
 * state, and which act explicitly where the formulation is explicit. An implicit step is the same as with the batch as
 * constraints, up to the geometric stiffness. TAUT_INVALID_ARGUMENT where a compliance is 0 or singular, and for rows
 * of velocities: they have no law of a force field. */
TAUT_API taut_status taut_scene_use_as_forces(taut_scene* scene, taut_batch batch);

/* Bounds of the multipliers of a batch, N (of angles N m): lower <= lam <= upper of every row, lower <= 0 <= upper,
 * either may be infinite. A stretched distance has lam < 0: upper = 0 makes a rope that only pulls, lower = 0 a strut
 * that only pushes; a pair of rows with one each is a limit on either side; finite bounds are the most that a motor or
 * a brake can do. A row at a bound does not hold its phi. With `strength` > 0, N, a constraint breaks when a step ends
 * with more force than that in it (the root of the sum of squares of its rows): from the next step on its bounds are 0,
 * until taut_world_set_bounds gives others; INFINITY: never.
 *
 * TAUT_INVALID_ARGUMENT for membranes and tetrahedron strain, whose rows are coupled by their compliance, and for force
 * elements and batches used as forces. */
TAUT_API taut_status taut_scene_set_bounds(taut_scene* scene, taut_batch batch, double lower, double upper,
                                           double strength);

#ifdef __cplusplus
}
#endif

#endif
