/* Contact: contact points, surfaces, colliders, materials, and the contacts of a world.
 *
 * A contact point is a point with a radius: a particle, a mapped point, a vertex of a surface, or a location on a body.
 * A collider is a solid shape that stands in the world or belongs to a body; the body may be free, fixed or moved by
 * the user. A contact point and a collider whose gap is small form a contact. It has one row along the normal n, whose
 * multiplier can only push,
 *     0 <= lam_n  _|_  phi + d phidot + C lam_n >= 0          phi: the gap, m
 * and two rows along the tangents. The tangential force opposes sliding up to the Coulomb limit |lam_t| <= mu lam_n.
 * Between two bodies, or a body and the world, a contact can also have a couple, which opposes rolling up to the torque
 * r lam_n and spinning about the normal up to the torque s lam_n.
 *
 * Each substep begins with a search for contacts, whose results have a fixed order. Contacts are warm-started: a
 * contact takes over the impulses of the contact that the same feature pair had in the last substep.
 *
 * Only some methods solve scenes in which contacts are possible: the condensed system and projected gradients
 * (taut_method). taut_world_create rejects other methods for such scenes, and preconditioners of the Schur complement.
 * The operators of operators.h and the matrices of assembly.h have rows for the contacts of the linearisation, or of
 * the last step. */
#ifndef TAUT_CONTACT_H
#define TAUT_CONTACT_H

#include "taut/bodies.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- materials ------------------------------------------------------------------------------------------------ */

/* A material of contact points, surfaces and colliders. The values of a contact follow from both of its materials:
 * friction and static friction are the square roots of the products; restitution, damping and recovery are the larger
 * values; compliance, rolling and spinning are the sums. taut_scene_set_material_pair replaces these rules for one
 * pair. */
typedef struct taut_material_def {
    uint32_t cookie;
    uint32_t bytes;
    double friction;        /* >= 0: mu of Coulomb's law; default 0.5 */
    double static_friction; /* >= friction: mu of contacts that do not slide at the start of a step (slip_speed of
                               taut_contact_settings). 0: equal to friction; default 0 */
    double restitution;     /* [0, 1]: ratio of separation speed to approach speed of hard contacts; default 0 */
    double compliance;      /* m/N, >= 0: compliance along the normal; default 0 (hard) */
    double damping;  /* s, >= 0: damping time of compliant contacts. Hard contacts remove a penetration within this time
                        plus the length of a substep; default 0 */
    double recovery; /* m/s, > 0: the largest speed at which a hard contact removes a penetration; default 1. By the
                        convex law no faster than gravity stops on the way out, in 0.1 s, or at a tenth of the relative
                        speed, whichever is the fastest */
    double rolling;  /* m, >= 0: rolling friction. The tangential part of the couple is at most this length times the
                        normal force; default 0 */
    double spinning; /* m, >= 0: spinning friction. The part of the couple along the normal is at most this length times
                        the normal force; default 0 */
} taut_material_def;

TAUT_DEFAULT(taut_material_def, taut_default_material, TAUT_DEFINITION_MATERIAL)
/* Adds a material; `material` receives its number. Every scene has material 0, with the defaults. At most 256
 * materials. */
TAUT_API taut_status taut_scene_add_material(taut_scene* scene, const taut_material_def* def, uint32_t* material);
/* Sets the values of contacts between materials a and b. */
TAUT_API taut_status taut_scene_set_material_pair(taut_scene* scene, uint32_t a, uint32_t b,
                                                  const taut_material_def* def);

/* ---- contact points, surfaces and colliders ------------------------------------------------------------------- */

/* Which pairs collide. `group` and `mask` are bit sets. Two objects collide if the mask of each has a bit of the group
 * of the other. Contact points and colliders of one body do not collide with each other, nor do two fixed objects, nor
 * the objects of two bodies that taut_scene_exclude_contacts lists as a pair, or that a joint, a weld or an attachment
 * joins. */

/* Contact points at particles (`particles`) or on bodies (`bodies` with `offsets`). A contact point at the centre of a
 * body, with a radius > 0, makes the body a ball for colliders and surfaces. */
typedef struct taut_contact_points_def {
    uint32_t cookie;
    uint32_t bytes;
    size_t count;
    const uint32_t* particles; /* count: points of the scene; NULL: `bodies` gives the points */
    const taut_body* bodies;   /* count: the bodies; NULL: `particles` gives the points */
    const double* offsets;     /* count x 3, m: from the centre of mass, in the axes of the body; NULL: 0 */
    const double* radii;       /* count, m, >= 0; NULL: `radius` for all */
    double radius;             /* m, >= 0: for cloth, half of the thickness; default 0 */
    uint32_t material;         /* default 0 */
    uint32_t group, mask;      /* default 1, all bits */
} taut_contact_points_def;

TAUT_DEFAULT(taut_contact_points_def, taut_default_contact_points, TAUT_DEFINITION_CONTACT_POINTS)
/* Adds contact points; `range` (may be NULL) receives their numbers. */
TAUT_API taut_status taut_scene_add_contact_points(taut_scene* scene, const taut_contact_points_def* def,
                                                   taut_range* range);

/* A contact surface: triangles, segments (such as those of ropes), or both. A surface is two-sided, and its thickness
 * is twice its radius. Its vertices may be any points of the scene: points of cloth, ropes and soft bodies, fixed
 * points, and points mapped onto bodies.
 *
 * The vertices of a surface are contact points. They collide with the triangles and segments of all surfaces, and the
 * edges of a surface collide with the edges of all surfaces. Two parts of one surface do not collide if they share a
 * vertex, or if they lie beside each other, at a distance below the thickness, when the world is created. Layers, which
 * lie over each other so, keep the distance that they have then.
 *
 * The initial positions determine on which side of a surface each object is. Surfaces that intersect when the world is
 * created come apart. docs/mathematics.md states how ("What starts tangled"), and at which speeds surfaces cannot pass
 * through each other ("Surfaces"). */
typedef struct taut_contact_surface_def {
    uint32_t cookie;
    uint32_t bytes;
    size_t triangle_count;     /* number of triangles */
    const uint32_t* triangles; /* triangle_count x 3: points of the scene, three different points per triangle. Where
                                  all are faces of elastic tetrahedra, counterclockwise from outside, the surface has
                                  one side: it collides with itself from outside alone */
    size_t segment_count;      /* number of segments */
    const uint32_t* segments;  /* segment_count x 2: points of the scene. Edges of the triangles are part of the surface
                                  without a segment */
    double radius;             /* m, > 0: half of the thickness */
    bool self;                 /* true: parts of the surface collide with each other; default true */
    uint32_t material;         /* default 0 */
    uint32_t group, mask;      /* default 1, all bits */
    bool solids;               /* false: convex colliders of bodies do not collide with it, and queries do not see it: a
                                  collider mesh with a thickness stands in its place for these; default true */
} taut_contact_surface_def;

TAUT_DEFAULT(taut_contact_surface_def, taut_default_contact_surface, TAUT_DEFINITION_CONTACT_SURFACE)
/* Adds a contact surface, and a contact point for each of its vertices, in the order of the vertices' numbers. `range`
 * (may be NULL) receives the numbers of the contact points. */
TAUT_API taut_status taut_scene_add_contact_surface(taut_scene* scene, const taut_contact_surface_def* def,
                                                    taut_range* range);

/* A collider mesh: a closed surface of triangles with a solid inside. Vertices are counterclockwise seen from outside;
 * if the enclosed volume is negative, the library reverses all triangles. The library merges vertices at equal
 * positions, and then omits triangles with an edge of length 0. Every remaining edge must belong to two triangles,
 * which traverse the edge in opposite directions. A mesh may consist of several closed parts, and may have cavities,
 * which are parts with reversed triangles. Parts must not intersect each other or themselves; the library does not
 * check this.
 *
 * Distance grid. If `spacing` > 0, each world computes the distances at the points of a grid when it is created, and
 * interpolates them linearly. The normal is the direction of the interpolant's gradient. The grid takes 8 bytes per
 * point. The time of a distance query then does not depend on the number of triangles. Edges and vertices become
 * rounder, and parts thinner than the spacing may be lost. The grid extends beyond the mesh by two cells and the
 * largest radius of a contact point; outside the grid, distances are lower bounds, at least 0.7 of the true
 * distance.
 *
 * Deforming meshes. With `points` each vertex is a point of the scene, and the mesh follows them: fixed particles that
 * taut_world_move_collider moves, or points mapped onto bodies. A free point is moved by the contacts. The mesh is
 * closed at every time, because its triangles stay; inside and outside stay what they are. Each substep takes the
 * places and speeds that the points have then, so that friction acts by the speed of the surface where it is touched,
 * and refits the tree of boxes. Vertices that are merged follow the first one of them. A contact point that is a vertex
 * of the mesh does not collide with it. Such a mesh has no distance grid, and no solid collider: it collides with
 * contact points and, by its features, with surfaces. A mesh that is not closed is a contact surface on such points.
 *
 * Two sides. With a `thickness` the mesh is open, or closed and hollow, and rigid. It is for convex colliders of
 * bodies; a contact surface on the same triangles, without `solids`, is for everything else. */
typedef struct taut_collider_mesh_def {
    uint32_t cookie;
    uint32_t bytes;
    size_t vertex_count;       /* number of vertices */
    const double* positions;   /* vertex_count x 3, m: in the axes of the collider; NULL with `points` */
    size_t triangle_count;     /* number of triangles */
    const uint32_t* triangles; /* triangle_count x 3: vertices */
    double spacing;            /* m, >= 0: spacing of a distance grid; 0: distances to the triangles; default 0 */
    const uint32_t* points;    /* vertex_count: points of the scene at the vertices; NULL: the mesh is rigid; default
                                  NULL */
    double thickness;          /* m, >= 0. Above 0 the mesh has two sides and may be open; each edge has at most two
                                  triangles, which are turned alike. Convex colliders of bodies collide with it, at half
                                  of the thickness from the triangles and on the side on which their origin is; contact
                                  points and surfaces do not (taut_contact_surface_def has `solids` for these). Without
                                  spacing or points. Default 0: the mesh is closed, and solid inside */
} taut_collider_mesh_def;

TAUT_DEFAULT(taut_collider_mesh_def, taut_default_collider_mesh, TAUT_DEFINITION_COLLIDER_MESH)
/* Adds a collider mesh; `mesh` receives its number. Any number of colliders may use the mesh. Colliders of a deforming
 * mesh stand where its points are: they have neither bodies nor positions nor orientations. */
TAUT_API taut_status taut_scene_add_collider_mesh(taut_scene* scene, const taut_collider_mesh_def* def, uint32_t* mesh);

/* Excludes contacts between pairs of bodies (`count` x 2): their contact points, colliders and mapped surfaces
 * do not collide with each other. Each call adds pairs; a pair may occur more than once. Bodies that a joint or a weld
 * connects need no pair: they do not collide while it is there and whole (`contact` of taut_joints_def and
 * taut_weld_def). */
TAUT_API taut_status taut_scene_exclude_contacts(taut_scene* scene, size_t count, const taut_body* bodies);

/* Excludes contacts between what attached points belong to (`count` x 2 points of the scene), where it would work
 * against the attachment. Attachments of the scene do so without this call (`contact` of taut_attachment_def), for two
 * bodies as long as the attachment is there and has not broken; for what is joined in other ways there is this. Each
 * call adds pairs; a pair may occur more than once. Of points on two bodies these are the bodies, as
 * taut_scene_exclude_contacts has them. Otherwise what is joined collides, except for parts that overlap when the world
 * is created:
 * - with a point on a body, or a vertex of a collider mesh that deforms: vertices of the other point's contact
 *   surfaces, and contact points on the other point, that start within a collider of the body, or that mesh, or
 *   nearer to it than their radius, do not collide with it;
 * - with points of two contact surfaces: features of both that start nearer to each other than their thickness do not
 *   collide, as within one surface;
 * - with points that are vertices of contact surfaces, also of one: features do not collide if the way from a vertex of
 *   one to an attached point, and from the point attached to that to a vertex of the other, was no longer than the
 *   thickness when the world was created, however far apart the points are.
 * Points on bodies are centres of mass and points that are mapped from one body alone. */
TAUT_API taut_status taut_scene_exclude_attached(taut_scene* scene, size_t count, const uint32_t* points);

/* Shapes of colliders. */
typedef enum taut_shape {
    TAUT_SHAPE_PLANE = 0,    /* solid for z <= 0 in the axes of the collider */
    TAUT_SHAPE_SPHERE = 1,   /* size[0]: radius */
    TAUT_SHAPE_CAPSULE = 2,  /* size[0]: radius, size[1]: half of the length of the straight part, along z */
    TAUT_SHAPE_BOX = 3,      /* size: halves of the sides */
    TAUT_SHAPE_MESH = 4,     /* a collider mesh, whose number is `mesh` */
    TAUT_SHAPE_CYLINDER = 5, /* size[0]: radius, size[1]: half of the height, along z */
    TAUT_SHAPE_CONE = 6,     /* size[0]: radius of the base at z = -size[1]; the tip is at z = size[1] */
    TAUT_SHAPE_COUNT
} taut_shape;

/* "plane", ...; "unknown" outside the enumeration. */
TAUT_API const char* taut_shape_name(taut_shape shape);

/* Colliders of one shape. */
typedef struct taut_colliders_def {
    uint32_t cookie;
    uint32_t bytes;
    size_t count;
    taut_shape shape;           /* default plane */
    const double* sizes;        /* count x 3, m: the sizes that the shape uses are > 0; NULL: `size` for all */
    double size[3];             /* m; default 1 */
    uint32_t mesh;              /* TAUT_SHAPE_MESH: number of the collider mesh, for all colliders; default 0 */
    const taut_body* bodies;    /* count: bodies, or TAUT_WORLD; NULL: TAUT_WORLD for all */
    const double* positions;    /* count x 3, m: in the world, or in body axes from the centre of mass; NULL: 0 */
    const double* orientations; /* count x 4: quaternions in the axes of the body, or of the world; NULL: identity */
    uint32_t material;          /* default 0 */
    uint32_t group, mask;       /* default 1, all bits */
    bool solid;                 /* true: collides with other solid colliders; false: only with contact points and
                                   surfaces; default true */
} taut_colliders_def;

TAUT_DEFAULT(taut_colliders_def, taut_default_colliders, TAUT_DEFINITION_COLLIDERS)
/* Adds colliders; `range` (may be NULL) receives their numbers.
 *
 * Two solid colliders of different bodies, or of a body and the world, collide with each other over their faces, edges
 * and vertices, with up to 12 contacts per pair. A contact point on a body does not collide with solid colliders if the
 * body has a solid collider with the same material, group and mask that has a vertex, or for spheres and capsules an
 * end, with the radius of the contact point at its location: that collider already collides with them. */
TAUT_API taut_status taut_scene_add_colliders(taut_scene* scene, const taut_colliders_def* def, taut_range* range);

/* No collider, in place of the number of a collider. */
#define TAUT_NO_COLLIDER UINT32_MAX

/* Adds the features of a collider: its vertices and edges, which collide with the faces and edges of contact surfaces.
 * Without features only contact points collide with the collider, and the collider can pass through a surface between
 * the contact points of the surface. Planes have no features. A collider can have its features added once.
 *
 * - Features of a box or a mesh are its vertices and edges, with radius 0. Those of a cylinder or a cone are those of a
 * prism or a pyramid with 32 sides whose vertices are on its rims. The feature of a sphere is its centre, with the
 * radius of the sphere. Features of a capsule are both ends of its straight part and the edge between them, with the
 * radius of the capsule.
 * - Features move with the collider, and have its material, group and mask. They collide with surfaces only. Faces of a
 *   collider are no features, because contact points collide with the collider there.
 * - A contact point on the body of the collider may be at the location of a vertex feature and have the same radius,
 *   material, group and mask. The feature then collides with surfaces, and that contact point does not.
 * - Features that cannot protrude through any surface of the scene in its initial state, or of a deforming mesh now,
 * are inactive (docs/mathematics.md, "Surfaces").
 * - Zero-radius features that initially protrude through a surface by less than half an edge length are resolved as
 *   penetrations.
 *
 * `range` (may be NULL) receives the numbers of the features' contact points. */
TAUT_API taut_status taut_scene_add_collider_features(taut_scene* scene, uint32_t collider, taut_range* range);

/* ---- contacts of a world -------------------------------------------------------------------------------------- */

/* Friction laws. */
typedef enum taut_friction {
    TAUT_FRICTION_COULOMB = 0, /* Coulomb's law: the friction cone, with sliding orthogonal to the normal */
    TAUT_FRICTION_CONVEX = 1   /* a relaxed law, which makes the problem convex: sliding contacts separate at mu
                                  times the sliding speed, which is a gap of mu h |v_t| at the constant sliding
                                  velocity v_t. Sticking contacts are unchanged. No fixed-point iteration of the
                                  friction bound is needed */
} taut_friction;

/* Laws of contact. */
typedef enum taut_contact_law {
    TAUT_CONTACT_CONVEX = 0, /* contacts have the least compliance that a substep can resolve, so that a step is the
                                minimum of a convex function, friction included. What rests alone overlaps by
                                0.0073 g h^2; docs/mathematics.md, "The convex law", states the errors. The default */
    TAUT_CONTACT_EXACT = 1   /* hard contacts, with the friction law of `friction` */
} taut_contact_law;

/* Settings of contacts, a member of taut_world_def.
 *
 * Capacity. The capacity 0 stands for four contacts per contact point, one per edge of surfaces, one per eight
 * points of collider features, and 24 per solid collider on a body. A step that needs more contacts than the capacity
 * fails with TAUT_OUT_OF_CAPACITY, and the world keeps the last valid state; taut_world_grow_contacts increases the
 * capacity. */
typedef struct taut_contact_settings {
    uint32_t capacity;      /* the largest number of contacts; default 0: see above */
    taut_friction friction; /* friction law of TAUT_CONTACT_EXACT; default Coulomb */
    double margin; /* m, >= 0: pairs with at most this gap are contacts, as are pairs whose velocities can close the gap
                      within two substeps; default 1e-4 */
    double restitution_speed; /* m/s, >= 0: impacts below this approach speed have no restitution; default 0.05 */
    double slip_speed; /* m/s, >= 0: contacts that slide at most this fast at the start of a step have static friction,
                          and by the convex law those that a sudden load moves by their compliance; default 1e-3 */
    taut_contact_law law; /* default TAUT_CONTACT_CONVEX */
    uint32_t events; /* how many contacts a step may record for events.h, over all of its substeps; default 0: none */
    bool no_crossing_check; /* true: what would pass through something within a substep is not looked for; nor is it on
                               CUDA without the guard of the integrator; default false */
    uint8_t unused[7];      /* 0 */
    uint64_t reserved[6];   /* 0 */
} taut_contact_settings;

/* The types of feature pairs. */
typedef enum taut_touch {
    TAUT_TOUCH_COLLIDER = 0, /* a contact point and a collider */
    TAUT_TOUCH_FACE = 1,     /* a contact point and a triangle or segment of a surface */
    TAUT_TOUCH_EDGES = 2,    /* two edges of surfaces, or an edge of a surface and an edge feature of a collider */
    TAUT_TOUCH_SOLIDS = 3    /* two solid colliders */
} taut_touch;

/* A contact of the last substep. `corners` are the contact point and the vertices of the triangle (the second vertex of
 * a segment occurs twice), or the ends of both edges; of two solid colliders there are none. The weights of the first
 * feature add up to 1, those of the second feature to -1. */
typedef struct taut_contact {
    taut_touch touch;    /* type of the feature pair */
    uint32_t point;      /* the contact point; UINT32_MAX for edges and solids */
    uint32_t collider;   /* the collider, or the collider that has the feature; of two solid colliders the second one;
                            TAUT_NO_COLLIDER for surfaces only */
    uint32_t corners[4]; /* contact points of both features; UINT32_MAX for unused entries */
    double weights[4];   /* the force on corners[i] is weights[i] times `force` */
    double position[3];  /* m, on the second feature; of solids half way between both */
    double normal[3];    /* unit vector, from the second feature to the first */
    double gap;          /* m, at the end of the step; negative: penetration */
    double force[3];     /* N, on the first feature, during the last substep */
    double torque[3]; /* N m, on the first feature: the couple of rolling and spinning friction, without the torque of
                         `force` */
    uint32_t first_collider; /* of two solid colliders the first one; else TAUT_NO_COLLIDER */
    uint32_t feature; /* which of the contacts of two solid colliders: a number that it keeps while the same features of
                         both touch; else 0 */
} taut_contact;

/* taut_world_read_contacts, for structs of `size` bytes. */
TAUT_API taut_status taut_world_read_contacts_sized(taut_world* world, size_t capacity, taut_contact* contacts,
                                                    size_t* count, size_t size);
/* Reads the contacts of the last substep: first those of contact points, in the order of the points, then those of
 * edges, then those of solid colliders. `contacts` receives at most `capacity` contacts, and `count` their total
 * number. After a step that failed, the pairs are those of the failed step, with their forces before that step. Waits
 * for the backend. */
static inline taut_status taut_world_read_contacts(taut_world* world, size_t capacity, taut_contact* contacts,
                                                   size_t* count) {
    return taut_world_read_contacts_sized(world, capacity, contacts, count, sizeof *contacts);
}

/* Counts the intersections of triangles of contact surfaces with edges of such, and with spheres and capsules that have
 * features. 0 unless something has passed through, or intersected something when the world was created. The
 * function uses positions only, not the history of contacts. An edge that passes through the common edge of two
 * triangles intersects both. Not counted are pairs that share a vertex, pairs that may not collide (groups, masks,
 * excluded bodies, a surface without self-collision) and pairs without a side that can move. Waits for the backend. */
TAUT_API taut_status taut_world_count_intersections(taut_world* world, size_t* count);

/* Sets where the vertices of a collider with a deforming mesh are at the end of the next step: vertex_count x 3, m, in
 * the order of taut_collider_mesh_def. They move along straight lines during that step, at a constant speed through its
 * substeps, and then rest. The points must be fixed particles. The state of a world and its saved states have these
 * goals as those of taut_world_move_fixed, which the call equals otherwise; it allocates nothing, and on CUDA it copies
 * the goals to the device before the step.
 *
 * TAUT_INVALID_ARGUMENT, with the world unchanged: for another number of vertices, a position that is not finite, a
 * vertex that is free, and positions that turn the mesh inside out, so that it encloses no volume. */
TAUT_API taut_status taut_world_move_collider(taut_world* world, uint32_t collider, size_t vertex_count,
                                              const double* positions);
/* Reads the vertices of a collider with a deforming mesh: vertex_count x 3, m. Waits for the backend. */
TAUT_API taut_status taut_world_read_collider_vertices(taut_world* world, uint32_t collider, size_t vertex_count,
                                                       double* positions);

/* How far things reach into each other in a state. Pairs that may not collide do not count. */
typedef struct taut_overlaps {
    size_t intersections;   /* those of taut_world_count_intersections, with the edges of boxes and meshes that have
                               collider features among the edges, and faces in spheres and capsules that have them */
    size_t points_inside;   /* contact points but those of collider features, with centres deeper in one than margin */
    double bodies;          /* m: the deepest overlap of two solid colliders, along the normal of their manifold */
    double bodies_relative; /* the largest overlap over the least extent of the thinner collider: the shortest side of a
                               box, a diameter, the height of a flat cylinder or cone, the width of a convex mesh
                               across its faces, the shortest side of the box of another mesh in its axes */
    double points;          /* m: the deepest overlap of a contact point, with its radius, and a collider or surface */
    double points_relative; /* the largest one over the thickness: of a contact point and a collider twice the radius
                               of the point, of a contact point and a surface twice the smaller radius of both that
                               is not 0 */
} taut_overlaps;

/* taut_world_read_overlaps, for structs of `size` bytes. */
TAUT_API taut_status taut_world_read_overlaps_sized(taut_world* world, taut_overlaps* overlaps, size_t size);
/* Searches the current state for overlaps. Unlike `penetration` of taut_world_info, which is that of the contacts of
 * the last substep along their normals, this finds pairs and normals anew. All are 0 where nothing can touch. Waits for
 * the backend. */
static inline taut_status taut_world_read_overlaps(taut_world* world, taut_overlaps* overlaps) {
    return taut_world_read_overlaps_sized(world, overlaps, sizeof *overlaps);
}

/* Increases the capacity to `capacity` contacts, which must not be less than before, or to all that there can be where
 * those are fewer. The state of the world does not change.
 *
 * After a step has failed with TAUT_OUT_OF_CAPACITY, taut_world_info returns in `contacts` the number of contacts that
 * the step needed. With a sufficient capacity the caller can repeat the step, or, if some of its substeps succeeded,
 * make the rest of the step; `time` of taut_world_info is the time that the world has reached. A later taut_world_sync
 * does not report that failure again.
 *
 * The call allocates memory and moves the data of the world. Afterwards the caller must request new views and capture
 * new CUDA graphs. If the call fails, the world is unchanged. Waits for the backend. */
TAUT_API taut_status taut_world_grow_contacts(taut_world* world, uint32_t capacity);

/* Reads the contact forces of the last substep on colliders [first, first + count), including forces on their features:
 * 6 numbers per collider, the force in N and the torque in N m. The torque is about the centre of mass of the body, or
 * about the origin for a collider that stands in the world. Two balls that are both contact points and colliders, with
 * the same material, group and mask, form one contact only; its force counts for the collider of either ball. Waits for
 * the backend. */
TAUT_API taut_status taut_world_read_collider_forces(taut_world* world, size_t first, size_t count, double* forces);

#ifdef __cplusplus
}
#endif

#endif
