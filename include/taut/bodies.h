/* Rigid bodies, joints and elastic rods.
 *
 * A body consists of a point, its centre of mass, and a frame, its orientation. Points and frames have separate
 * numbers; the point of a body is valid wherever a function takes a particle. A piece of a rod is a frame between two
 * particles. A frame has a quaternion (w, x, y, z), which maps vectors from frame axes to world axes, and an angular
 * velocity in world axes.
 *
 * What is about bodies takes a taut_body, both numbers together, so that compilers reject a point in place of a frame
 * (C compilers that only warn of pointers to another type warn of it). What is about frames takes the number of a
 * frame, because pieces and walls of rods are frames without a point, and numbers of frames are rows of fields:
 * alignments, segments, torques, orientations, angular velocities and TAUT_ROTATION_OF. */
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
    uint32_t bytes;
    size_t count;
    const double* positions;          /* count x 3, m: centres of mass */
    const double* orientations;       /* count x 4: quaternions of any length but 0; NULL: identity */
    const double* velocities;         /* count x 3, m/s; NULL: at rest */
    const double* angular_velocities; /* count x 3, rad/s, world axes; NULL: at rest */
    const double* masses;             /* count, kg, > 0; NULL: `mass` */
    double mass;                      /* kg, > 0; default 1 */
    const double* inertias; /* count x 6, kg m^2: xx, yy, zz, yz, zx, xy about the centre of mass in the axes of the
                               body, positive definite; NULL: `inertia` */
    double inertia[6];      /* kg m^2, in the same order; default: 1 on the diagonal */
    const bool* fixed;      /* count; true: only the user moves the body, forces do not; NULL: all are free */
} taut_bodies_def;

/* The numbers of added bodies: body i has the point points.first + i and the frame frames.first + i. */
typedef struct taut_body_ranges {
    taut_range points; /* centres of mass */
    taut_range frames; /* orientations */
} taut_body_ranges;

/* One body. Functions refuse a point and a frame that are not of the same body. Arguments `particles` and `points` take
 * its point, arguments `frames` its frame. */
typedef struct taut_body {
    uint32_t point; /* centre of mass */
    uint32_t frame; /* orientation */
} taut_body;

/* The world, in place of a body: of joints and colliders. For joints with the world the library adds fixed bodies at
 * the origin to the scene; up to 64 attachments of joints share one such body. */
static const taut_body TAUT_WORLD = {UINT32_MAX, UINT32_MAX};

/* Whether `body` is TAUT_WORLD. */
static inline bool taut_body_is_world(taut_body body) {
    return body.point == TAUT_WORLD.point && body.frame == TAUT_WORLD.frame;
}

/* Body `i` of those that one call added, counted from 0. */
static inline taut_body taut_body_of(taut_body_ranges ranges, uint32_t i) {
    const taut_body body = {ranges.points.first + i, ranges.frames.first + i};
    return body;
}

TAUT_DEFAULT(taut_bodies_def, taut_default_bodies, TAUT_DEFINITION_BODIES)
/* Adds bodies; `ranges` (may be NULL) receives their numbers. */
TAUT_API taut_status taut_scene_add_bodies(taut_scene* scene, const taut_bodies_def* def, taut_body_ranges* ranges);
/* Number of frames added so far: those of bodies and of rod pieces. */
TAUT_API size_t taut_scene_frame_count(const taut_scene* scene);
/* Fixes bodies (true), or frees them (false): both their points and their frames. */
TAUT_API taut_status taut_scene_set_bodies_fixed(taut_scene* scene, size_t count, const taut_body* bodies, bool fixed);
/* Fixes frames (true), or frees them (false): those of rods, or of bodies whose points stay as they are. */
TAUT_API taut_status taut_scene_set_frames_fixed(taut_scene* scene, size_t count, const uint32_t* frames, bool fixed);

/* Inertia {xx, yy, zz, yz, zx, xy} of a homogeneous box about its centre, kg m^2. */
TAUT_API void taut_inertia_of_box(double mass, const double sides[3], double inertia[6]);
/* Inertia of a homogeneous ball about its centre, in the same order. */
TAUT_API void taut_inertia_of_sphere(double mass, double radius, double inertia[6]);
/* Inertia of a homogeneous cylinder about its centre, in the same order; the axis of the cylinder is z. */
TAUT_API void taut_inertia_of_cylinder(double mass, double radius, double height, double inertia[6]);
/* Inertia of a homogeneous cone about its centre of mass, which is a quarter of the height above the base, in the same
 * order; the axis of the cone is z. */
TAUT_API void taut_inertia_of_cone(double mass, double radius, double height, double inertia[6]);

/* ---- joints --------------------------------------------------------------------------------------------------- */

/* Types of joint. The axes x, y, z of a joint are fixed in the first body. A constrained translation is the offset of
 * the second body's attachment point from the first body's attachment point, along one of these axes. */
typedef enum taut_joint_type {
    TAUT_JOINT_BALL = 0,      /* constrains 3 translations */
    TAUT_JOINT_HINGE = 1,     /* constrains 3 translations, and keeps their axes x parallel; free: the angle about x */
    TAUT_JOINT_SLIDER = 2,    /* constrains translations y and z and 3 rotations; free: the translation along x */
    TAUT_JOINT_UNIVERSAL = 3, /* constrains 3 translations, and keeps x of the first body orthogonal to y of the
                                 second */
    TAUT_JOINT_FIXED = 4,     /* constrains 3 translations and 3 rotations */
    TAUT_JOINT_TYPE_COUNT
} taut_joint_type;

/* Joints of one type. Each joint has its constrained rows in this order: translations x, y, z, then rotations x, y, z.
 * A hinge has the rotations y and z, a universal joint one rotation. A row has the compliance and the damping time of
 * its axis; the rotation of a universal joint has those of x. All joints of the definition share these values. */
typedef struct taut_joints_def {
    uint32_t cookie;
    uint32_t bytes;
    taut_joint_type type; /* default ball */
    size_t count;
    const taut_body* bodies; /* count x 2: bodies, or TAUT_WORLD */
    const double* positions; /* count x 3, m, world axes: current positions of the joints; NULL: from `anchors` */
    const double* anchors;   /* count x 2 x 3, m: attachment points on both bodies, from the centre of mass, in the axes
                                of the body; NULL: from `positions` */
    const double* orientations; /* count x 4: current axes of the joint in world axes, the same for both bodies; NULL:
                                   world axes */
    double translation_compliance[3]; /* m/N, along axes x, y, z; default 0 */
    double rotation_compliance[3];    /* rad/(N m), about axes x, y, z; default 0 */
    double translation_damping[3];    /* s, along axes x, y, z; default 0 */
    double rotation_damping[3];       /* s, about axes x, y, z; default 0 */
    double rest_offset[3];            /* m: rest values of the constrained translations; default 0 */
    double rest_angle[3];             /* rad: rest rotation vector of sliders and fixed joints; default 0 */
    bool drive; /* true: hinges have a further row for the angle about x, sliders for the translation along x. Default
                   false. A hard one stalls at contacts that cannot give way, as motors do, unless it has bounds */
    const double* targets;   /* count, rad or m: rest values of the drives, which taut_world_move_targets changes; NULL:
                                the current values. Angles of drives count whole turns, on from (-pi, pi] at the
                                start and where an orientation is written: a target of 20 pi is ten turns away */
    double drive_compliance; /* rad/(N m) or m/N; default 0 */
    double drive_damping;    /* s; default 0 */
    bool contact;            /* true: the two bodies may collide; default false: they do not while the joint is there,
                                unless one of its translations has broken */
} taut_joints_def;

/* The batches of added joints; a batch without rows has id 0. The rows of one joint are contiguous in `prismatic` and
 * in `angular`. */
typedef struct taut_joint_batches {
    taut_batch prismatic; /* constrained translations, kind TAUT_PRISMATIC: 3 per joint, 2 per slider */
    taut_batch angular;   /* constrained rotations, kind TAUT_ANGULAR: per joint 0 (ball), 2 (hinge), 3 (slider), 1
                             (universal) or 3 (fixed) */
    taut_batch drive;     /* drives, kind TAUT_ANGULAR or TAUT_PRISMATIC: 1 per joint */
} taut_joint_batches;

TAUT_DEFAULT(taut_joints_def, taut_default_joints, TAUT_DEFINITION_JOINTS)
/* Adds joints; `batches` (may be NULL) receives their batches. */
TAUT_API taut_status taut_scene_add_joints(taut_scene* scene, const taut_joints_def* def, taut_joint_batches* batches);

/* ---- limits and motors of joints ------------------------------------------------------------------------------- */

/* How the second of two bodies has moved against the first: by axes x, y, z that are fixed in each of them, and are the
 * same for both where the motion is 0. */
typedef enum taut_joint_motion {
    TAUT_MOTION_TURN = 0,  /* rad: the angle of y about x of the first body, with whole turns counted. Of hinges */
    TAUT_MOTION_SLIDE = 1, /* m: the offset of the attachment points along x of the first body. Of sliders */
    TAUT_MOTION_SWING = 2, /* rad: the angle between both axes x, from 0 to pi. Of ball and universal joints */
    TAUT_MOTION_TWIST = 3, /* rad: the angle about x that is left once the swing is undone by the shortest turn, from
                              -pi to pi. Of ball and universal joints */
    TAUT_MOTION_COUNT
} taut_joint_motion;

/* Limits of a motion, for pairs of bodies that a joint holds together, or nothing. A limit is a row of its own, whose
 * force pushes back what has come to the limit; on the way there it does nothing. */
typedef struct taut_limits_def {
    uint32_t cookie;
    uint32_t bytes;
    taut_joint_motion motion; /* default turn */
    size_t count;
    const taut_body* bodies; /* count x 2: bodies, or TAUT_WORLD */
    const double* positions; /* count x 3, m, world axes: where a slide has both attachment points now. NULL: from
                                `anchors`, or at the centres of mass; others need neither */
    const double* anchors;   /* count x 2 x 3, m: attachment points on both bodies, from the centre of mass, in the axes
                                of the body; NULL: from `positions` */
    const double* orientations; /* count x 4: current axes for both bodies, in world axes: the motion is 0 now. NULL:
                                   world axes */
    const double* lower;        /* count, rad or m: least values; NULL: there is no such limit. Not of swings */
    const double* upper; /* count, rad or m: greatest values, not below the least; NULL: there is no such limit. Of
                            swings above 0 and below pi, of twists both from -pi to pi */
    double compliance;   /* rad/(N m) or m/N; default 0: hard. Of swings at the limit */
    double damping;      /* s; default 0 */
} taut_limits_def;

/* The batches of limits, a row per pair; a limit that is not given has id 0. Kind TAUT_PRISMATIC of slides, else
 * TAUT_ANGULAR. taut_world_set_rest_values moves limits; for those of swings its values are cosines. */
typedef struct taut_limit_batches {
    taut_batch lower; /* whose forces are 0 or more */
    taut_batch upper; /* whose forces are 0 or less, of swings 0 or more */
} taut_limit_batches;

TAUT_DEFAULT(taut_limits_def, taut_default_limits, TAUT_DEFINITION_LIMITS)
/* Adds limits; `batches` (may be NULL) receives their batches. TAUT_INVALID_ARGUMENT if a value is outside of its
 * range, or no limit is given. */
TAUT_API taut_status taut_scene_add_limits(taut_scene* scene, const taut_limits_def* def, taut_limit_batches* batches);

/* Motors: each keeps up the speed of a turn or a slide, with a force of at most `max_force`. It has no memory of the
 * way: what it has fallen behind by is not made up for. (A drive goes to a place: taut_joints_def.) */
typedef struct taut_motors_def {
    uint32_t cookie;
    uint32_t bytes;
    taut_joint_motion motion; /* turn or slide; default turn */
    size_t count;
    const taut_body* bodies;    /* count x 2: bodies, or TAUT_WORLD */
    const double* positions;    /* count x 3, as of limits */
    const double* anchors;      /* count x 2 x 3, as of limits */
    const double* orientations; /* count x 4, as of limits */
    const double* speeds;       /* count, rad/s or m/s, of the second body against the first; NULL: 0, which is a brake.
                                   taut_world_set_rest_values changes them */
    double max_force; /* N m of turns, N of slides, > 0; default INFINITY: what the speed needs, but a motor that
                         presses at contacts which cannot give way stalls (docs/mathematics.md, by the convex law).
                         taut_world_set_bounds changes it where it is finite */
    double slip;      /* rad/(s N m) or m/(s N), >= 0: speed lost by force. 0: the force is what the speed needs. The
                         compliance of the batch, whose damping time is 1 s; default 0 */
} taut_motors_def;

TAUT_DEFAULT(taut_motors_def, taut_default_motors, TAUT_DEFINITION_MOTORS)
/* Adds motors; `batch` (may be NULL) receives their batch, a row per motor, of kind TAUT_PRISMATIC of slides, else
 * TAUT_ANGULAR. Reports have 0 for its phi. */
TAUT_API taut_status taut_scene_add_motors(taut_scene* scene, const taut_motors_def* def, taut_batch* batch);

/* ---- rods ----------------------------------------------------------------------------------------------------- */

/* Alignments: constraints on the rotation from the first frame to the second, as a rotation vector in the axes of the
 * first frame, minus a rest value. They model bending and twisting of rods, and clamps. The length of the rotation
 * vector must stay below pi. */
typedef struct taut_alignment_def {
    uint32_t cookie;
    uint32_t bytes;
    size_t count;
    const uint32_t* frames;       /* count x 2: of bodies, or of rods */
    const double* rest_rotations; /* count x 3, rad; NULL: the current rotations */
    const double* compliances;    /* count x 3, rad/(N m), about the axes x, y, z */
    double compliance[3];         /* default 0 */
    const double* dampings;       /* count, s */
    double damping;
} taut_alignment_def;

/* Segments: constraints on the vector between two particles in the axes of a frame, minus a rest value. They model
 * stretch (along z) and shear of rods. */
typedef struct taut_segment_def {
    uint32_t cookie;
    uint32_t bytes;
    size_t count;
    const uint32_t* particles; /* count x 2 */
    const uint32_t* frames;    /* count: of bodies, or of rods */
    const double* rest;        /* count x 3, m; NULL: the current vectors */
    const double* compliances; /* count x 3, m/N, along the axes x, y, z */
    double compliance[3];      /* default 0 */
    const double* dampings;    /* count, s */
    double damping;
} taut_segment_def;

TAUT_DEFAULT(taut_alignment_def, taut_default_alignment, TAUT_DEFINITION_ALIGNMENT)
TAUT_DEFAULT(taut_segment_def, taut_default_segment, TAUT_DEFINITION_SEGMENT)
/* Adds alignments; `batch` may be NULL. */
TAUT_API taut_status taut_scene_add_alignments(taut_scene* scene, const taut_alignment_def* def, taut_batch* batch);
/* Adds segments; `batch` may be NULL. */
TAUT_API taut_status taut_scene_add_segments(taut_scene* scene, const taut_segment_def* def, taut_batch* batch);

/* Elastic rods with a circular cross section (Cosserat model). A rod with n particles has n - 1 pieces. Each piece has
 * a frame, whose z axis points along the rod. Each piece of length L has a TAUT_SEGMENT, and each pair of neighbouring
 * pieces a TAUT_ALIGNMENT. Their compliances are
 *     C = L diag(1/(k G A), 1/(k G A), 1/(E A))    and    C = L diag(1/(E I), 1/(E I), 1/(G J))
 * with A = pi r^2, I = pi r^4 / 4, J = 2 I and k = 0.9; L of an alignment is the mean length of both pieces. Each end
 * point of a piece has half of the mass of the piece. The frame has the inertia of a cylinder,
 * density * (I L + A L^3 / 12) about the transverse axes and density * J L about z.
 *
 * A rod can be clamped at its points. A clamp fixes the point, and holds the tangent there by a fixed frame (wall) with
 * the orientation of the piece at an end of the rod, and half-way between both pieces at other points. Each piece
 * beside the point has a TAUT_ALIGNMENT with the wall, in which L is half of its length; the two pieces have none with
 * each other. The wall of the k-th clamped point, counted from 0 through all rods, is the frame frames.first +
 * frames.count + k; write its orientation and the position of the point to move a clamp. */
typedef struct taut_rods_def {
    uint32_t cookie;
    uint32_t bytes;
    size_t count;               /* rods */
    const size_t* offsets;      /* count + 1, offsets[0] = 0: rod r has points [offsets[r], offsets[r+1]), at least 2 */
    const double* positions;    /* offsets[count] x 3, m */
    const double* orientations; /* (offsets[count] - count) x 4: a quaternion per piece, rod after rod, with z along the
                                   piece to 1e-3; NULL: frames without twist along the rod */
    const double* rest_rotations; /* x 3 per pair of neighbouring pieces, rad: curvature times length; NULL: the current
                                     rotations */
    bool straight;                /* true: all rest rotations are 0; default false */
    double radius;                /* m, > 0; default 0.01 */
    double young;                 /* Pa, > 0: Young's modulus E; default 1e9 */
    double shear;                 /* Pa, > 0: shear modulus G; default 4e8 */
    double density;               /* kg/m^3, > 0; default 1000 */
    bool inextensible;            /* true: stretch and shear have compliance 0; default false */
    double damping;               /* s, >= 0: damping time of all rows; default 0 */
    const bool* clamped;          /* offsets[count]; true: the rod is clamped at this point; NULL: nowhere */
} taut_rods_def;

/* The numbers and batches of added rods. */
typedef struct taut_rod_ranges {
    taut_range points;   /* points of the rods */
    taut_range frames;   /* frames of the pieces; the walls of clamped points follow them */
    taut_batch segments; /* kind TAUT_SEGMENT, one per piece */
    taut_batch bends;    /* kind TAUT_ALIGNMENT, in the order of the points: one at every point between two pieces; at
                            a clamped point one per piece beside it. id 0 if there is none */
} taut_rod_ranges;

TAUT_DEFAULT(taut_rods_def, taut_default_rods, TAUT_DEFINITION_RODS)
/* Adds rods; `ranges` (may be NULL) receives the numbers and batches of their parts. */
TAUT_API taut_status taut_scene_add_rods(taut_scene* scene, const taut_rods_def* def, taut_rod_ranges* ranges);

#ifdef __cplusplus
}
#endif

#endif
