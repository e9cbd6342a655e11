/* The scene: particles and constraints, described on the host by arrays.
 *
 * Other headers add further parts to a scene: bodies.h rigid bodies, rods and joints; mappings.h points that depend on
 * other points; forces.h force elements; contact.h contact points, surfaces and colliders.
 *
 * Law of a constraint. A constraint has the function phi, the compliance C >= 0 (0: a hard constraint) and the damping
 * time d >= 0. Its force is lam = -C^-1 (phi + d phidot). The library never divides by C, so that 0 is a valid value.
 *
 * Arrays are flat and stored row by row: "count x 3" is count * 3 numbers. Arrays with one value per constraint may be
 * NULL; then the scalar member of the same meaning applies to the whole batch. All numbers must be finite. Every
 * definition must be created by its taut_default_* function and then filled in; functions reject any other definition
 * with TAUT_INVALID_DEFINITION. */
#ifndef TAUT_SCENE_H
#define TAUT_SCENE_H

#include "taut/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A scene under construction. */
typedef struct taut_scene taut_scene;

/* A batch: the constraints or force elements of one kind that one call added. The handle is valid in the scene and in
 * every world created from that scene. */
typedef struct taut_batch {
    uint32_t id; /* number of the batch; 0: no batch */
} taut_batch;

/* Kinds of constraint and force element: number of nodes, number of rows, unit of phi, and phi. A node is a point, or a
 * frame where the comment says so. */
typedef enum taut_kind {
    TAUT_DISTANCE = 0,    /* 2 nodes, 1 row, m: |x1 - x0| - L */
    TAUT_ATTACHMENT = 1,  /* 2 nodes, 3 rows, m: x1 - x0 - offset */
    TAUT_TARGET = 2,      /* 1 node, 3 rows, m: x0 - target(t) */
    TAUT_BEND = 3,        /* 4 nodes, 1 row, rad: dihedral angle - rest angle */
    TAUT_MEMBRANE = 4,    /* 3 nodes, 3 rows, 1: Green strain (e_uu, e_vv, 2 e_uv) */
    TAUT_TET_VOLUME = 5,  /* 4 nodes, 1 row, m^3: V - V0 */
    TAUT_TET_STRAIN = 6,  /* 4 nodes, 6 rows, 1: Green strain (xx, yy, zz, 2 yz, 2 zx, 2 xy) */
    TAUT_PRISMATIC = 7,   /* 2 bodies, 1 row, m: offset of two attachment points along an axis of the first body */
    TAUT_ANGULAR = 8,     /* 2 frames, 1 row, rad: an angle between two frames, or the cosine of an angle */
    TAUT_ALIGNMENT = 9,   /* 2 frames, 3 rows, rad: rotation vector between two frames - rest rotation */
    TAUT_SEGMENT = 10,    /* 2 nodes and a frame, 3 rows, m: x1 - x0 in the axes of the frame - rest */
    TAUT_INERTIA = 11,    /* the mass of a mapped point: no rows */
    TAUT_NORM = 12,       /* a mapped point that is the length of another point: no rows */
    TAUT_SOLID = 13,      /* 4 nodes: elastic tetrahedron, a force element (forces.h), no rows */
    TAUT_SURFACE = 14,    /* 3 nodes: triangle in a fluid, a force element, no rows */
    TAUT_ATTRACTION = 15, /* 1 node: attraction by a centre, a force element, no rows */
    TAUT_LINEAR = 16,     /* any number of nodes, 1 row, unit of the user: sum_k w_k q_k - rest; phi = 0 for velocity
                             rows */
    TAUT_CONTACT = 17,    /* a contact, which the world finds (contact.h), 3 rows, m: gap along the normal, two
                             tangents */
    TAUT_ROLLING = 18,    /* the couple of a contact, 3 rows, rad/s: spin about the normal, roll about two tangents */
    TAUT_KIND_COUNT
} taut_kind;

/* Length of arrays with a value per kind. */
#define TAUT_KIND_ROOM 64

/* "distance", "attachment", ...; "unknown" outside the enumeration. */
TAUT_API const char* taut_kind_name(taut_kind kind);

/* Definition of a scene, see taut_scene_create. */
typedef struct taut_scene_def {
    uint32_t cookie;
    uint32_t bytes;
    taut_allocator allocator;
} taut_scene_def;

TAUT_DEFAULT(taut_scene_def, taut_default_scene, TAUT_DEFINITION_SCENE)
/* Creates an empty scene. */
TAUT_API taut_status taut_scene_create(const taut_scene_def* def, taut_scene** scene);
/* Destroys a scene. NULL is allowed. */
TAUT_API void taut_scene_destroy(taut_scene* scene);

/* ---- particles ------------------------------------------------------------------------------------------------ */

/* Particles: points with a mass. */
typedef struct taut_particles_def {
    uint32_t cookie;
    uint32_t bytes;
    size_t count;
    const double* positions;  /* count x 3, m */
    const double* velocities; /* count x 3, m/s; NULL: at rest */
    const double* masses;     /* count, kg, > 0; NULL: `mass` */
    double mass;              /* kg, > 0; default 1 */
    const bool* fixed;        /* count; true: only the user moves the particle, forces do not; NULL: all are free */
} taut_particles_def;

TAUT_DEFAULT(taut_particles_def, taut_default_particles, TAUT_DEFINITION_PARTICLES)
/* Adds particles; `range` (may be NULL) receives their indices. */
TAUT_API taut_status taut_scene_add_particles(taut_scene* scene, const taut_particles_def* def, taut_range* range);

/* Fixes particles of the scene (true), or frees them (false). A fixed particle moves at its velocity, or towards its
 * kinematic target (taut_world_move_fixed). */
TAUT_API taut_status taut_scene_set_fixed(taut_scene* scene, size_t count, const uint32_t* particles, bool fixed);
/* Number of points: particles, centres of bodies and mapped points, numbered in the order of addition. Each of them is
 * valid as a particle index, and can have constraints and forces. Only free particles and bodies are unknowns. */
TAUT_API size_t taut_scene_particle_count(const taut_scene* scene);
/* Number of rows of all constraints added so far. */
TAUT_API size_t taut_scene_row_count(const taut_scene* scene);
/* Number of batches added so far; they have the ids from 1 to this number. */
TAUT_API size_t taut_scene_batch_count(const taut_scene* scene);
/* Tells the kind of a batch, and how many constraints or force elements it has. Either may be NULL. */
TAUT_API taut_status taut_scene_describe_batch(const taut_scene* scene, taut_batch batch, taut_kind* kind,
                                               size_t* count);

/* Positions of all points, count x 3, m, in the order of their numbers. The scene owns the array, which is valid until
 * the scene changes. */
TAUT_API const double* taut_scene_positions(const taut_scene* scene);

/* ---- constraints ---------------------------------------------------------------------------------------------- */
/* Rules for every batch: a compliance is >= 0, in (unit of phi)/N or, for angles, rad/(N m). A damping time is >= 0, in
 * s. Node indices are below taut_scene_particle_count and differ within one constraint. `batch` may be NULL. */

/* Distance constraints between pairs of particles. */
typedef struct taut_distance_def {
    uint32_t cookie;
    uint32_t bytes;
    size_t count;
    const uint32_t* particles;  /* count x 2 */
    const double* rest_lengths; /* count, m, >= 0; NULL: the current distances, which must then be > 0 */
    const double* compliances;  /* count, m/N */
    double compliance;          /* m/N; default 0 */
    const double* dampings;     /* count, s */
    double damping;             /* s; default 0 */
} taut_distance_def;

/* Attachments: each constraint holds the second particle of a pair at an offset from the first. */
typedef struct taut_attachment_def {
    uint32_t cookie;
    uint32_t bytes;
    size_t count;
    const uint32_t* particles; /* count x 2 */
    const double* offsets;     /* count x 3, m: rest value of x1 - x0 in world axes; NULL: 0 */
    const double* compliances;
    double compliance; /* m/N, the same for the three axes */
    const double* dampings;
    double damping;
    bool contact; /* true: what is attached collides with what it is attached to; default false
                     (taut_scene_exclude_attached; added to a world: taut_world_add_attachments) */
} taut_attachment_def;

/* Targets: each constraint holds a particle at a position that the user can move (taut_world_move_targets). */
typedef struct taut_target_def {
    uint32_t cookie;
    uint32_t bytes;
    size_t count;
    const uint32_t* particles; /* count */
    const double* targets;     /* count x 3, m: the positions; NULL: the current positions of the particles */
    const double* compliances;
    double compliance; /* m/N, the same for the three axes */
    const double* dampings;
    double damping;
} taut_target_def;

/* Dihedral bending: constraints on the angle between two triangles that share an edge. The particles of a constraint
 * are the ends x0 and x1 of the edge, and the opposite vertices x2 and x3 of the two triangles. The angle is in (-pi,
 * pi]. It is 0 if the triangles are flat, and positive if x2 and x3 rise towards the normal (x1 - x0) x (x2 - x0). */
typedef struct taut_bend_def {
    uint32_t cookie;
    uint32_t bytes;
    size_t count;
    const uint32_t* particles; /* count x 4: x0, x1, x2, x3 */
    const double* rest_angles; /* count, rad; NULL: the current angles */
    const double* compliances;
    double compliance; /* rad/(N m) */
    const double* dampings;
    double damping;
} taut_bend_def;

/* Membranes: elastic triangles, as constraints on their Green strain. The compliance is C = (area * D)^-1, with D the
 * isotropic elasticity matrix. The input is the inverse of Young's modulus; 0 means inextensible. */
typedef struct taut_membrane_def {
    uint32_t cookie;
    uint32_t bytes;
    size_t count;
    const uint32_t* particles; /* count x 3 */
    const double* rest;        /* count x 3 x 2, m: rest shape in material axes; NULL: the current shape,
                                          u along x1 - x0 */
    const double* softnesses;  /* count: 1/E, m/N, with E Young's modulus times thickness */
    double softness;           /* m/N, >= 0; default 0 */
    double poisson;            /* (-1, 1); default 0.3 */
    const double* dampings;
    double damping;
} taut_membrane_def;

/* Constraints on the volumes of tetrahedra. */
typedef struct taut_tet_volume_def {
    uint32_t cookie;
    uint32_t bytes;
    size_t count;
    const uint32_t* particles;  /* count x 4, (x1 - x0) x (x2 - x0) . (x3 - x0) > 0 */
    const double* rest_volumes; /* count, m^3; NULL: the current volumes, which must then be > 0 */
    const double* compliances;
    double compliance; /* m^3/Pa: volume change per pressure; lam is minus the pressure */
    const double* dampings;
    double damping;
} taut_tet_volume_def;

/* Elastic tetrahedra, as constraints on their Green strain. The compliance is C = (volume * D)^-1, with D the isotropic
 * elasticity matrix. The input is the inverse of Young's modulus; 0 means inextensible. */
typedef struct taut_tet_strain_def {
    uint32_t cookie;
    uint32_t bytes;
    size_t count;
    const uint32_t* particles; /* count x 4, (x1 - x0) x (x2 - x0) . (x3 - x0) > 0 */
    const double* rest;        /* count x 4 x 3, m: rest shapes; NULL: the current shapes. All volumes > 0 */
    const double* softnesses;  /* count: 1/E, m^2/N */
    double softness;           /* m^2/N, >= 0; default 0 */
    double poisson;            /* (-1, 0.5]; above 0.4999 as 0.4999; default 0.3 */
    const double* dampings;
    double damping;
} taut_tet_strain_def;

/* A coordinate for velocity rows: the angular velocity of frame `frame` about world axis `axis` (0, 1 or 2), rad/s. */
#define TAUT_ROTATION_OF(frame, axis) (UINT32_C(0xC0000000) + 3 * (uint32_t)(frame) + (uint32_t)(axis))

/* Linear rows: row r has phi_r = sum_e weights[e] * q[coordinates[e]] - rest_values[r], over the entries e in
 * [offsets[r], offsets[r+1]), with q[3 i + a] coordinate a of particle i.
 *
 * Velocity rows. If `of_velocities` is true, row r keeps the sum sum_e weights[e] * v[coordinates[e]] at the speed
 * rest_values[r]: rolling, gears, conveyors, motors. Velocity rows may use the coordinates TAUT_ROTATION_OF. Velocity
 * rows have no phi: reports contain 0, and a later step does not correct a deviation of an earlier step. A velocity row
 * with compliance is a dashpot, lam = -C^-1 d (sum - rest). On points of rotating bodies the midpoint rule is of second
 * order only with Newton's method, because a single linearisation uses J of the start of the step. */
typedef struct taut_linear_def {
    uint32_t cookie;
    uint32_t bytes;
    size_t count;                /* rows */
    const size_t* offsets;       /* count + 1, offsets[0] = 0, strictly increasing: every row has entries */
    const uint32_t* coordinates; /* offsets[count]; each coordinate at most once per row */
    const double* weights;       /* offsets[count] */
    const double* rest_values;   /* count; NULL: the current values, for velocity rows 0 */
    bool of_velocities;          /* true: velocity rows; default false */
    const double* compliances;
    double compliance;
    const double* dampings;
    double damping;
} taut_linear_def;

TAUT_DEFAULT(taut_distance_def, taut_default_distance, TAUT_DEFINITION_DISTANCE)
TAUT_DEFAULT(taut_attachment_def, taut_default_attachment, TAUT_DEFINITION_ATTACHMENT)
TAUT_DEFAULT(taut_target_def, taut_default_target, TAUT_DEFINITION_TARGET)
TAUT_DEFAULT(taut_bend_def, taut_default_bend, TAUT_DEFINITION_BEND)
TAUT_DEFAULT(taut_membrane_def, taut_default_membrane, TAUT_DEFINITION_MEMBRANE)
TAUT_DEFAULT(taut_tet_volume_def, taut_default_tet_volume, TAUT_DEFINITION_TET_VOLUME)
TAUT_DEFAULT(taut_tet_strain_def, taut_default_tet_strain, TAUT_DEFINITION_TET_STRAIN)
TAUT_DEFAULT(taut_linear_def, taut_default_linear, TAUT_DEFINITION_LINEAR)

/* Adds distance constraints. */
TAUT_API taut_status taut_scene_add_distances(taut_scene* scene, const taut_distance_def* def, taut_batch* batch);
/* Adds attachments. */
TAUT_API taut_status taut_scene_add_attachments(taut_scene* scene, const taut_attachment_def* def, taut_batch* batch);
/* Adds targets. */
TAUT_API taut_status taut_scene_add_targets(taut_scene* scene, const taut_target_def* def, taut_batch* batch);
/* Adds dihedral bending constraints. */
TAUT_API taut_status taut_scene_add_bends(taut_scene* scene, const taut_bend_def* def, taut_batch* batch);
/* Adds membranes. */
TAUT_API taut_status taut_scene_add_membranes(taut_scene* scene, const taut_membrane_def* def, taut_batch* batch);
/* Adds volume constraints of tetrahedra. */
TAUT_API taut_status taut_scene_add_tet_volumes(taut_scene* scene, const taut_tet_volume_def* def, taut_batch* batch);
/* Adds elastic tetrahedra. */
TAUT_API taut_status taut_scene_add_tet_strains(taut_scene* scene, const taut_tet_strain_def* def, taut_batch* batch);
/* Adds linear rows. */
TAUT_API taut_status taut_scene_add_linear(taut_scene* scene, const taut_linear_def* def, taut_batch* batch);

/* Treats a batch as forces: springs, dampers or elastic elements with the forces -J^T C^-1 (phi + d phidot). A step
 * with split_forces evaluates these forces at force_theta_q and force_theta_v instead of alpha. Their geometric
 * stiffness is computed from the force of the current state. They belong to the matrix A of the velocities, as force
 * elements do (operators.h), and are stable at any step; with force_theta_q = 0, beta = 0 or RK4 they act explicitly.
 * In the theta method and the primal family a step has the same result as with the batch as constraints, except for the
 * geometric stiffness. TAUT_INVALID_ARGUMENT
 * if a compliance is 0 or singular, and for velocity rows, which have no such force law. */
TAUT_API taut_status taut_scene_use_as_forces(taut_scene* scene, taut_batch batch);

/* Sets bounds of the multipliers of a batch, N (for angles N m): lower <= lam <= upper for every row, with
 * lower <= 0 <= upper. Both may be infinite. A row whose multiplier is at a bound does not keep its phi at 0.
 *
 * Uses: a stretched distance has lam < 0, so that upper = 0 makes a rope, which only pulls, and lower = 0 makes a
 * strut, which only pushes. Two rows with one bound each limit a measure on both sides. Finite bounds limit the force
 * of a motor or a brake.
 *
 * A constraint breaks if its force at the end of a step (the root of the sum of squares of its rows) exceeds `strength`
 * > 0, N. From the next step on its bounds are 0, until taut_world_set_bounds sets other bounds. A constraint with the
 * strength INFINITY never breaks.
 *
 * TAUT_INVALID_ARGUMENT for membranes and tetrahedron strain, because compliance couples their rows, for force elements
 * and for batches used as forces. */
TAUT_API taut_status taut_scene_set_bounds(taut_scene* scene, taut_batch batch, double lower, double upper,
                                           double strength);

#ifdef __cplusplus
}
#endif

#endif
