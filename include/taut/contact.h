/* Contact: what may touch what, and how.
 *
 * Contact points (particles, points of cloth, ropes and soft bodies, mapped points, points of bodies), each with a
 * radius, meet colliders: shapes that stand in the world, or belong to a body and so may be free, fixed or moved by the
 * user. A pair that is near is a contact: one row along the normal, whose multiplier only pushes,
 *     0 <= lam_n  _|_  phi + d phidot + C lam_n >= 0          phi the gap, m
 * and two across it, which resist sliding up to the Coulomb cone |lam_t| <= mu lam_n, in the direction opposite to it.
 * Between bodies, or a body and the world, there may be a couple besides, which resists rolling up to r lam_n and
 * spinning about the normal up to s lam_n.
 *
 * Contacts are found anew at the start of each substep, in a fixed order; their impulses are carried over by who they
 * join. Scenes in which something can touch are solved by the condensed system, by projected methods or by Gauss-Seidel
 * (taut_method): other methods are refused there, and preconditioners of the Schur complement, and so are
 * linearisations, what needs them (operators, taut_world_project_*, taut_world_split) and assembly. */
#ifndef TAUT_CONTACT_H
#define TAUT_CONTACT_H

#include "taut/bodies.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- materials ------------------------------------------------------------------------------------------------ */

/* What holds between two materials follows from both: friction and static friction are roots of products, restitution
 * the larger one, compliances, rolling and spinning add up, of damping and recovery the larger one; unless
 * taut_scene_set_material_pair says otherwise. */
typedef struct taut_material_def {
    uint32_t cookie;
    double friction;        /* mu of Coulomb's law, >= 0; default 0.5 */
    double static_friction; /* >= friction: mu of contacts that do not slide when a step begins (slip_speed); 0, the
                               default: as friction */
    double restitution;     /* [0, 1]: part of the approaching speed with which hard contacts part; default 0 */
    double compliance;      /* m/N of a contact along its normal, >= 0; default 0 */
    double damping;  /* s, >= 0: of compliant contacts; of hard ones the time in which an overlap is undone, beside the
                        step; default 0 */
    double recovery; /* m/s, > 0: hard contacts undo overlaps no faster; default 1 */
    double rolling;  /* m, >= 0: bodies that roll on each other meet a couple of this times the force along the normal,
                        across it; default 0 */
    double spinning; /* m, >= 0: likewise about the normal, against spinning; default 0 */
} taut_material_def;

TAUT_API taut_material_def taut_default_material(void);
/* `material` receives its number. Number 0 is there from the start: the default. At most 256. */
TAUT_API taut_status taut_scene_add_material(taut_scene* scene, const taut_material_def* def, uint32_t* material);
/* For the pair alone. */
TAUT_API taut_status taut_scene_set_material_pair(taut_scene* scene, uint32_t a, uint32_t b,
                                                  const taut_material_def* def);

/* ---- what touches --------------------------------------------------------------------------------------------- */

/* Two things meet if each one's `mask` has a bit of the other's `group`. Points and shapes of one body never do,
 * nor do things that are both fixed, nor those of two bodies between which taut_scene_exclude_contacts excludes it. */

/* Points of particles (`particles`), or of bodies (`bodies`, with `offsets`). A body whose point is its centre with a
 * radius is a ball for what it meets. */
typedef struct taut_contact_points_def {
    uint32_t cookie;
    size_t count;
    const uint32_t* particles; /* count: points of the scene; NULL: bodies */
    const uint32_t* bodies;    /* count: frames of bodies; NULL: particles */
    const double* offsets;     /* count x 3, m: from the centre of mass, in the body's axes; NULL: 0 */
    const double* radii;       /* count, m, >= 0; NULL: `radius` */
    double radius;             /* m; default 0. Of cloth half its thickness */
    uint32_t material;         /* default 0 */
    uint32_t group, mask;      /* default 1, all bits */
} taut_contact_points_def;

TAUT_API taut_contact_points_def taut_default_contact_points(void);
/* `range` (may be NULL) receives the numbers of the contact points. */
TAUT_API taut_status taut_scene_add_contact_points(taut_scene* scene, const taut_contact_points_def* def,
                                                   taut_range* range);

/* A surface of triangles, ropes of segments, or both: two-sided, as thick as twice its radius. Its points are touching
 * points. They meet the triangles and segments of surfaces, and edges meet edges, of other surfaces and of their own.
 * Not so parts of one surface that share a point or are nearer than their thickness when the world is created. A
 * surface may stand on any points: of cloth, ropes and soft bodies, fixed ones, and points mapped onto bodies. Surfaces
 * must not cut each other at the start: which side is which is said by where things are. How fast they may meet without
 * passing through each other: docs/mathematics.md, Surfaces. */
typedef struct taut_contact_surface_def {
    uint32_t cookie;
    size_t triangle_count;     /* triangles */
    const uint32_t* triangles; /* triangle_count x 3: points of the scene, three different ones each */
    size_t segment_count;      /* segments */
    const uint32_t* segments;  /* segment_count x 2: points of the scene; edges of the triangles need not be named */
    double radius;             /* m, > 0: half of the thickness */
    bool self;                 /* whether its parts meet each other; default true */
    uint32_t material;         /* default 0 */
    uint32_t group, mask;      /* default 1, all bits */
} taut_contact_surface_def;

TAUT_API taut_contact_surface_def taut_default_contact_surface(void);
/* Adds its points as contact points, in the order of their numbers, and `range` (may be NULL) receives the numbers of
 * those. */
TAUT_API taut_status taut_scene_add_contact_surface(taut_scene* scene, const taut_contact_surface_def* def,
                                                    taut_range* range);

/* A closed surface of triangles, solid inside. Vertices in exactly one place count as one, and triangles that have one
 * side of no length then are left out; of what remains every edge must have two triangles that go along it in opposite
 * directions. Counterclockwise from outside; where the volume comes out negative all triangles are turned over. Several
 * closed parts may stand side by side, and be hollow by parts that are turned inwards; parts must not cut each other or
 * themselves, which is not checked. */
typedef struct taut_collider_mesh_def {
    uint32_t cookie;
    size_t vertex_count;       /* vertices */
    const double* positions;   /* vertex_count x 3, m: in the collider's axes */
    size_t triangle_count;     /* triangles */
    const uint32_t* triangles; /* triangle_count x 3: vertices */
    double spacing; /* m. 0, the default: distances are those to the triangles. More: they are interpolated linearly
                       between the points of a grid, which takes 8 bytes per point and time to make with each world, but
                       the same time for every question, however many triangles there are. Edges and corners come out
                       rounder, and what is thinner than the spacing may be lost; the normal is the direction of the
                       interpolant's gradient. The grid ends two cells beyond the mesh and the largest radius of a
                       contact point; outside, distances are lower bounds, at least 0.7 of what they stand for */
} taut_collider_mesh_def;

TAUT_API taut_collider_mesh_def taut_default_collider_mesh(void);
/* `mesh` receives its number, for any number of colliders. */
TAUT_API taut_status taut_scene_add_collider_mesh(taut_scene* scene, const taut_collider_mesh_def* def, uint32_t* mesh);

/* Pairs of bodies, `count` x 2 frames, whose points, shapes and mapped surfaces never touch each other: those that
 * overlap where a joint holds them together, for example. Pairs add up, and may be named more than once. */
TAUT_API taut_status taut_scene_exclude_contacts(taut_scene* scene, size_t count, const uint32_t* bodies);

/* Shapes of colliders. */
typedef enum taut_shape {
    TAUT_SHAPE_PLANE,   /* solid where z <= 0 in its axes */
    TAUT_SHAPE_SPHERE,  /* size[0]: radius */
    TAUT_SHAPE_CAPSULE, /* size[0]: radius, size[1]: half of the length of its straight part, along z */
    TAUT_SHAPE_BOX,     /* size: halves of its sides */
    TAUT_SHAPE_MESH,    /* `mesh` */
    TAUT_SHAPE_COUNT
} taut_shape;

/* "plane", ...; "unknown" outside the enumeration. */
TAUT_API const char* taut_shape_name(taut_shape shape);

/* Colliders of one shape. */
typedef struct taut_colliders_def {
    uint32_t cookie;
    size_t count;
    taut_shape shape;           /* default plane */
    const double* sizes;        /* count x 3, m, > 0 as far as the shape has them; NULL: `size` */
    double size[3];             /* default 1 */
    uint32_t mesh;              /* of that shape alone: number of the mesh of all of them; default 0 */
    const uint32_t* bodies;     /* count: frames of bodies, or TAUT_WORLD; NULL: all stand in the world */
    const double* positions;    /* count x 3, m: in the body's axes from its centre of mass, or in the world; NULL: 0 */
    const double* orientations; /* count x 4: likewise; NULL: identity */
    uint32_t material;          /* default 0 */
    uint32_t group, mask;       /* default 1, all bits */
} taut_colliders_def;

TAUT_API taut_colliders_def taut_default_colliders(void);
/* `range` (may be NULL) receives the numbers of the colliders. */
TAUT_API taut_status taut_scene_add_colliders(taut_scene* scene, const taut_colliders_def* def, taut_range* range);

/* In place of the number of a collider: none. */
#define TAUT_NO_COLLIDER UINT32_MAX

/* Gives a collider that is no plane a skin. Contact points alone meet a collider, and between them it would come
 * through a surface: corners and edges of a skin are contact points and edges of its own, which meet the faces and
 * edges of surfaces, and move with the collider. They meet nothing else, and nothing meets the faces between them,
 * which the collider stands for. Boxes and meshes have theirs, without a radius; a sphere its centre, with its own, and
 * a capsule both ends of its straight part, and that. Material, group and mask are the collider's; where a touching
 * point of its body with the same ones and the same radius is in the place of a corner, that meets surfaces for it.
 * Parts that cannot come through any surface of the scene as it starts meet nothing (docs/mathematics.md, Surfaces).
 * What corners and edges without a radius look through at the start by less than half of their edges goes back above
 * them. `range` (may be NULL) receives the numbers of the skin's contact points. A collider has one skin at most. */
TAUT_API taut_status taut_scene_add_collider_features(taut_scene* scene, uint32_t collider, taut_range* range);

/* ---- of a world ----------------------------------------------------------------------------------------------- */

/* The law of friction. */
typedef enum taut_friction {
    TAUT_FRICTION_COULOMB, /* the cone, with sliding square to the normal */
    TAUT_FRICTION_CONVEX   /* the relaxed law of a convex problem: contacts part with mu times the speed at which they
                              slide, a gap of mu h |v_t| at rest speed v_t. Sticking is the same; one solve finds it */
} taut_friction;

/* In taut_world_def. */
typedef struct taut_contact_settings {
    uint32_t capacity;        /* contacts at most; 0: four per contact point and one per edge of surfaces, of skins one
                                 per eight points in all. A step that would need more fails with TAUT_OUT_OF_CAPACITY, and
                                 the last state is kept: taut_world_grow_contacts */
    taut_friction friction;   /* default Coulomb */
    double margin;            /* m, >= 0: pairs so near are contacts, beside those that their speed brings together
                                 within two steps; default 1e-4 */
    double restitution_speed; /* m/s, >= 0: slower impacts do not bounce; default 0.05 */
    double slip_speed; /* m/s, >= 0: what slides no faster when a step begins has static friction; default 1e-3 */
} taut_contact_settings;

/* What the two sides of a contact are. */
typedef enum taut_touch {
    TAUT_TOUCH_COLLIDER, /* a contact point and a collider */
    TAUT_TOUCH_FACE,     /* a contact point and a triangle or segment of a surface */
    TAUT_TOUCH_EDGES     /* two edges of surfaces */
} taut_touch;

/* A contact of the last substep. */
typedef struct taut_contact {
    taut_touch touch;    /* what meets what */
    uint32_t point;      /* the contact point; of edges UINT32_MAX */
    uint32_t collider;   /* or the one whose skin is there; else TAUT_NO_COLLIDER */
    uint32_t corners[4]; /* contact points: the point and the triangle's (a segment's second one twice), or both
                            edges'; UINT32_MAX where there is none */
    double
        weights[4]; /* corner i bears weights[i] times the force: a point 1, what it meets -1 in all; edges likewise */
    double position[3]; /* m, on the second of both */
    double normal[3];   /* unit, from the second to the first */
    double gap;         /* m, at the end of the step; negative: overlap */
    double force[3];    /* N, on the first, during the last substep */
    double torque[3];   /* N m, likewise, beside that of the force: the couple against rolling and spinning */
} taut_contact;

/* The contacts of the last substep, those of points in their order and then those of edges: at most `capacity` of them
 * into `contacts`, and into `count` how many there are. After a step that failed the pairs are those that it found,
 * with the forces that they had before. Waits. */
TAUT_API taut_status taut_world_read_contacts(taut_world* world, size_t capacity, taut_contact* contacts,
                                              size_t* count);

/* How many edges of contact surfaces go through triangles of contact surfaces where things are now: 0 unless
 * something was passed through, or cut already when the world was created. Looks at places alone, not at what has been
 * a contact. What shares a point, may not meet (groups, masks, excluded bodies, one surface that does not meet itself)
 * or cannot move on either side does not count; what goes through the edge between two triangles goes through both.
 * Waits. */
TAUT_API taut_status taut_world_count_intersections(taut_world* world, size_t* count);

/* Makes room for `capacity` contacts, no fewer than before, and leaves everything else as it is: after a step has
 * failed with TAUT_OUT_OF_CAPACITY - taut_world_info then says in `contacts` how many it needed - the step can be made
 * again, or what is left of it where some of its substeps were good (`time`); taut_world_sync does not tell of it
 * again. `scene`: the one that the world was created from. This is the one call after creation that allocates memory:
 * views and pointers of the world are to be asked for anew, and graphs of the user's to be captured anew. The world
 * stays as it was where that fails. Waits. */
TAUT_API taut_status taut_world_grow_contacts(taut_world* world, const taut_scene* scene, uint32_t capacity);

/* Forces of the last substep on colliders [first, first + count), of what touches them: 6 numbers each, force in N and
 * torque in N m about the centre of its body, or about the origin where it stands in the world; what its skins meet
 * counts. Two balls that are points and colliders alike, of one material, group and mask, meet once; the force is at
 * either's collider. Waits. */
TAUT_API taut_status taut_world_read_collider_forces(taut_world* world, size_t first, size_t count, double* forces);

#ifdef __cplusplus
}
#endif

#endif
