/* Rigid bodies, elastic rods and joints.
 *
 * A body is a point, its centre of mass, and a frame, its orientation; both have numbers of their own. The point is a
 * particle like any other. A segment of a rod is a frame between two particles. Frames have a quaternion (w, x, y, z)
 * that takes vectors from their own axes to the world's, and an angular velocity in world axes. */
#ifndef TAUT_BODIES_H
#define TAUT_BODIES_H

#include "taut/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- bodies --------------------------------------------------------------------------------------------------- */

/* Rigid bodies. */
typedef struct taut_bodies_def {
    uint32_t cookie;
    size_t count;
    const double* positions;          /* count x 3, m: centres of mass */
    const double* orientations;       /* count x 4; of any length but 0; NULL: identity */
    const double* velocities;         /* count x 3, m/s; NULL: at rest */
    const double* angular_velocities; /* count x 3, rad/s, world axes; NULL: at rest */
    const double* masses;             /* count, kg, > 0; NULL: `mass` */
    double mass;                      /* default 1 */
    const double* inertias; /* count x 6, kg m^2: xx, yy, zz, yz, zx, xy about the centre of mass in the body's axes,
                               positive definite; NULL: `inertia` */
    double inertia[6];      /* default: 1 on the diagonal */
    const bool* fixed;      /* count; true: held or moved by the user; NULL: all free */
} taut_bodies_def;

/* Body i of a batch has point points.first + i and frame frames.first + i. */
typedef struct taut_body_ranges {
    taut_range points; /* centres of mass */
    taut_range frames; /* orientations */
} taut_body_ranges;

TAUT_API taut_bodies_def taut_default_bodies(void);
/* Adds bodies; `ranges` (may be NULL) receives their numbers. */
TAUT_API taut_status taut_scene_add_bodies(taut_scene* scene, const taut_bodies_def* def, taut_body_ranges* ranges);
/* Frames of the scene so far: those of bodies and of pieces of rods. */
TAUT_API size_t taut_scene_frame_count(const taut_scene* scene);
/* Fixes (true) or frees (false) frames; the points of bodies are fixed by taut_scene_set_fixed. */
TAUT_API taut_status taut_scene_set_frames_fixed(taut_scene* scene, size_t count, const uint32_t* frames, bool fixed);

/* Inertia {xx, yy, zz, yz, zx, xy} of homogeneous solids about their centre, kg m^2. */
TAUT_API void taut_inertia_of_box(double mass, const double sides[3], double inertia[6]);
/* Inertia of a homogeneous ball. */
TAUT_API void taut_inertia_of_sphere(double mass, double radius, double inertia[6]);
TAUT_API void taut_inertia_of_cylinder(double mass, double radius, double height, double inertia[6]); /* along z */

/* ---- joints --------------------------------------------------------------------------------------------------- */

/* In place of a body: the world. Joints with it add fixed bodies at the origin to the scene: one now and then. */
#define TAUT_WORLD UINT32_MAX

/* Axes x, y, z of the joint are fixed in the first body. Held translations are offsets of the second body's
 * attachment point from the first's, along these axes. */
typedef enum taut_joint_type {
    TAUT_JOINT_BALL,      /* holds 3 translations */
    TAUT_JOINT_HINGE,     /* and the axis x of both bodies together; free: the angle about x */
    TAUT_JOINT_SLIDER,    /* holds translations y, z and 3 rotations; free: the length along x */
    TAUT_JOINT_UNIVERSAL, /* holds 3 translations, and x of the first body square to y of the second */
    TAUT_JOINT_FIXED,     /* holds 3 translations and 3 rotations */
    TAUT_JOINT_TYPE_COUNT
} taut_joint_type;

/* Held rows, in this order per joint: translations x, y, z, then rotations x, y, z, without the free ones; of a hinge
 * the rotations y and z, of a universal joint one rotation. The compliance and damping of a row are those of its axis;
 * a universal joint's rotation takes those of x. For all joints of the batch. */
typedef struct taut_joints_def {
    uint32_t cookie;
    taut_joint_type type; /* default ball */
    size_t count;
    const uint32_t* bodies;     /* count x 2: frames of bodies, or TAUT_WORLD */
    const double* positions;    /* count x 3, m, world: where the joints are now; NULL: `anchors` */
    const double* anchors;      /* count x 2 x 3, m: attachment point in the axes of either body, from its centre of
                                   mass; NULL: from `positions` */
    const double* orientations; /* count x 4: the joint's axes in the world now, the same for both bodies; NULL:
                                   the world's axes */
    double translation_compliance[3]; /* m/N, of axes x, y, z; default 0 */
    double rotation_compliance[3];    /* rad/(N m); default 0 */
    double translation_damping[3];    /* s; default 0 */
    double rotation_damping[3];       /* s; default 0 */
    double rest_offset[3];            /* m: of held translations; default 0 */
    double rest_angle[3];    /* rad: of held rotations of sliders and fixed joints (rotation vector); default 0 */
    bool drive;              /* hinges: a row for the angle about x; sliders: for the length along x. Default false */
    const double* targets;   /* count, rad or m, of the drives; NULL: as they are now. Moved by
                                taut_world_move_targets. An angle of a drive is meant modulo 2 pi */
    double drive_compliance; /* rad/(N m) or m/N; default 0 */
    double drive_damping;    /* s; default 0 */
} taut_joints_def;

/* Id 0 where there are none. Rows of a joint lie side by side in `prismatic` and in `angular`. */
typedef struct taut_joint_batches {
    taut_batch prismatic; /* held translations, of kind TAUT_PRISMATIC: 3 per joint, 2 of a slider */
    taut_batch angular; /* held rotations, of kind TAUT_ANGULAR: 0, 2, 3, 1 or 3 per joint in the order of the types */
    taut_batch drive;   /* TAUT_ANGULAR or TAUT_PRISMATIC, 1 per joint */
} taut_joint_batches;

TAUT_API taut_joints_def taut_default_joints(void);
/* Adds joints; `batches` (may be NULL) receives their batches. */
TAUT_API taut_status taut_scene_add_joints(taut_scene* scene, const taut_joints_def* def, taut_joint_batches* batches);

/* ---- rods ----------------------------------------------------------------------------------------------------- */

/* The rotation of the second frame from the first, as a rotation vector in the axes of the first, minus its rest
 * value: bending and twisting of rods, and clamps. |rotation vector| must stay below pi. */
typedef struct taut_alignment_def {
    uint32_t cookie;
    size_t count;
    const uint32_t* frames;       /* count x 2 */
    const double* rest_rotations; /* count x 3, rad; NULL: the current ones */
    const double* compliances;    /* count x 3, rad/(N m), about the axes x, y, z */
    double compliance[3];         /* default 0 */
    const double* dampings;       /* count, s */
    double damping;
} taut_alignment_def;

/* The vector between two particles in the axes of a frame, minus its rest value: stretch (along z) and shear. */
typedef struct taut_segment_def {
    uint32_t cookie;
    size_t count;
    const uint32_t* particles; /* count x 2 */
    const uint32_t* frames;    /* count */
    const double* rest;        /* count x 3, m; NULL: the current ones */
    const double* compliances; /* count x 3, m/N, along the axes x, y, z */
    double compliance[3];      /* default 0 */
    const double* dampings;    /* count, s */
    double damping;
} taut_segment_def;

TAUT_API taut_alignment_def taut_default_alignment(void);
TAUT_API taut_segment_def taut_default_segment(void);
/* Adds alignments; `batch` may be NULL. */
TAUT_API taut_status taut_scene_add_alignments(taut_scene* scene, const taut_alignment_def* def, taut_batch* batch);
/* Adds segments; `batch` may be NULL. */
TAUT_API taut_status taut_scene_add_segments(taut_scene* scene, const taut_segment_def* def, taut_batch* batch);

/* Elastic rods of circular cross section after Cosserat: n particles and n - 1 frames, z along the rod, per rod, a
 * TAUT_SEGMENT per piece of length L and a TAUT_ALIGNMENT between neighbouring pieces:
 *     C = L diag(1/(k G A), 1/(k G A), 1/(E A))    and    C = L diag(1/(E I), 1/(E I), 1/(G J))
 * with A = pi r^2, I = pi r^4 / 4, J = 2 I, k = 0.9, and L the mean of the neighbours for bending. A piece's mass lies
 * half on each of its points; its frame has the inertia of a cylinder,
 * density * (I L + A L^3 / 12) across and density * J L along. */
typedef struct taut_rods_def {
    uint32_t cookie;
    size_t count;                 /* rods */
    const size_t* offsets;        /* count + 1, offsets[0] = 0: rod r has points [offsets[r], offsets[r+1]), >= 2 */
    const double* positions;      /* offsets[count] x 3, m */
    const double* orientations;   /* a quaternion per piece, all rods behind one another, z along the piece to 1e-3;
                                     NULL: carried along without twist */
    const double* rest_rotations; /* x 3 per pair of neighbouring pieces, rad: curvature times length; NULL: as now */
    bool straight;                /* rest_rotations are 0; default false */
    double radius;                /* m, > 0; default 0.01 */
    double young;                 /* Pa, > 0; default 1e9 */
    double shear;                 /* Pa, > 0; default 4e8 */
    double density;               /* kg/m^3, > 0; default 1000 */
    bool inextensible;            /* stretch and shear have compliance 0; default false */
    double damping;               /* s, of all rows; default 0 */
} taut_rods_def;

/* What taut_scene_add_rods has added. */
typedef struct taut_rod_ranges {
    taut_range points;   /* vertices */
    taut_range frames;   /* of pieces */
    taut_batch segments; /* of kind TAUT_SEGMENT */
    taut_batch bends;    /* id 0 if no rod has more than one piece */
} taut_rod_ranges;

TAUT_API taut_rods_def taut_default_rods(void);
/* Adds rods; `ranges` (may be NULL) receives the numbers of their parts. */
TAUT_API taut_status taut_scene_add_rods(taut_scene* scene, const taut_rods_def* def, taut_rod_ranges* ranges);

#ifdef __cplusplus
}
#endif

#endif
