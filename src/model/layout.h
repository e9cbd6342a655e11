/* THE data map: every array of a world, with shape, unit and producer, packed into one block of memory.
 *
 * The same structs describe a block in host memory and one in device memory; a backend that works elsewhere copies the
 * whole block. Counts: n nodes (points, then frames), m rows, u = m + factor rows (the unknowns of the solver), per
 * kind: c constraints.
 *
 * Factor rows. With full geometric stiffness A = M + alpha beta h^2 Gamma, Gamma = sum R^T R positive semidefinite, is
 * not block diagonal. Instead of an inner solve for every product with A^-1, the solver takes
 *     Lh = sqrt(alpha beta) h R   as further rows with unit compliance and unknowns s = -Lh (v / beta + dv):
 *     [ J  ]  P M^-1 P [ J^T  Lh^T ] + [ C/(h l)   ]
 *     [ Lh ]                           [         I ]
 * whose Schur complement in gam is J (P A P)^+ J^T + C/(h l): the same gam and dv, with a block-diagonal mass.
 *
 * Methods. Connected parts of a scene are solved by that Schur complement or by the condensed system
 *     H = M + [J; Lh]^T Wh [J; Lh],   Wh = (C/(h l) + E (+) I)^-1,   E a proximal shift of stiff rows.
 * Parts share no node, not even a fixed one, so each solver passes over what is the other's. */
#ifndef TAUT_MODEL_LAYOUT_H
#define TAUT_MODEL_LAYOUT_H

#include "base/small_math.h"
#include "model/account.h"
#include "model/collider_mesh.h"
#include "model/contact_record.h"
#include "model/depths.h"
#include "model/hull.h"
#include "model/kind_sizes.h"
#include "model/maps.h"
#include "model/query_batch.h"
#include "taut/state.h"
#include "taut/world.h"

#include <stddef.h>

/* Rows per chunk of every reduction: fixed, so that sums do not depend on the number of threads. */
#define TAUT_CHUNK 1024
/* Sums of a chunk, at most: those of energies with the worst violation; the guard has fewer. */
#define TAUT_PARTIALS 18
/* Segments are of a kind, of points or of frames. */
#define TAUT_SEGMENT_POINTS TAUT_KIND_COUNT
#define TAUT_SEGMENT_FRAMES (TAUT_KIND_COUNT + 1)
#define TAUT_SEGMENT_SETS   (TAUT_KIND_COUNT + 2)

/* Unknowns of a group of a line at most: eight distances with their factor rows side by side. Work grows with them. */
#define TAUT_LINE_GROUP  32
#define TAUT_LINE_LEVELS 32 /* of a line with as many groups as there are numbers */

/* Colours of Gauss-Seidel with more blocks than TAUT_TAIL_COLOUR are wide; a device takes up to TAUT_WIDE_COLOURS of
 * them with a kernel each, and leaves the others to one block of threads. */
#define TAUT_TAIL_COLOUR  512
#define TAUT_WIDE_COLOURS 32

/* Nodes: unknown points, then mapped points in levels, then frames. Mapped points that matter to the solver (active:
 * with constraints, masses or children that have them) come first, level by level, then the others, likewise. */
typedef struct taut_sizes {
    size_t nodes;
    size_t simple; /* unknown points: particles and centres of bodies */
    size_t points; /* and mapped ones */
    size_t frames;
    uint32_t levels; /* of active mapped points, then of the others */
    uint32_t active_levels;
    uint32_t level_begin[2 * TAUT_MAX_LEVEL + 1]; /* first node of each level */
    size_t map_entries;
    size_t rows;
    size_t factor_rows; /* factor rows: of full geometric stiffness, of masses on mapped points, of force elements */
    bool has_factor_rows[TAUT_KIND_COUNT];
    bool has_law[TAUT_KIND_COUNT];         /* its constraints have rows, hence laws */
    bool forces;                           /* some of any kind are force fields */
    bool bounded;                          /* multipliers of some rows have bounds, or constraints a strength */
    bool loads;                            /* there are force elements */
    bool touches;                          /* something may touch something else */
    bool shapes;                           /* something has a shape, which queries see */
    bool loose;                            /* nothing but contact without couples holds the scene together */
    uint32_t turning_parts, turning_nodes; /* kernels/stages/turning.h */
    bool switches;                         /* parts that touch nothing are solved as if nothing could */
    bool keeps_residuals;                  /* users may read what solves leave */
    bool sleeps;                           /* islands may sleep */
    bool watches;                          /* surfaces are kept from passing through what they touch */
    bool mapped_given;                     /* CPU, in this step: mapped points follow nothing that is solved for, */
    bool carries; /* or some do, and what comes and goes may act on them: products bring it to what they follow */
    bool rolls;   /* and bodies meet couples against rolling or spinning: a TAUT_ROLLING of each contact */
    uint32_t touching, colliders, materials;
    uint32_t excluded;         /* pairs of bodies that never touch */
    uint32_t excluded_points;  /* pairs of contact points with solids, likewise */
    uint32_t joined_pairs;     /* that constraints of the scene join, so that they do not touch */
    uint32_t joined;           /* room for pairs: these, and those that added constraints may join */
    uint32_t seams;            /* pairs of corners that attachments make neighbours; each twice */
    uint32_t attached_parties; /* pairs of surfaces or contact points of none; each twice */
    uint32_t surfaces;
    uint32_t faces, edges;             /* of contact surfaces */
    uint32_t skins;                    /* corners of colliders' skins */
    uint32_t wide;                     /* colliders without end */
    uint32_t solids;                   /* all colliders where some touch each other, else 0 */
    uint32_t face_leaves, edge_leaves; /* of the trees; 0: none */
    double surface_length;             /* m: the longest edge of surfaces as they start, */
    double surface_radius;             /* and their least radius */
    uint32_t bare, loose_leaves;       /* contact points of no surface and no skin, and of their tree */
    uint32_t query_items;              /* room for what overlaps shapes */
    double cell;                       /* m: side of the cells by which boxes are ordered */
    double heaviest, weighs;           /* kg: of what is free, and all of it together */
    uint32_t eager;                    /* motors without a largest force, where something may touch something */
    uint32_t meshes;                   /* of colliders; below: of all of them */
    size_t mesh_triangles, mesh_boxes, mesh_values;
    size_t mesh_vertices, deforming; /* of those that are points of the scene, and their triangles */
    size_t hulls, hull_corners, hull_begins, hull_links, hull_faces; /* of those that are convex */
    uint32_t events;           /* room for records of contacts in a step; 0: none are made */
    uint32_t contact_capacity; /* count[TAUT_CONTACT] at creation; on the host that is how many there are */
    size_t unknowns;
    size_t members;                             /* given constraints where parts switch, else 0 */
    size_t count[TAUT_KIND_COUNT];              /* constraints */
    uint32_t reserved[TAUT_KIND_COUNT];         /* of them, behind those of the scene: places for added ones */
    size_t reserved_unknowns;                   /* of all kinds */
    uint32_t entries[TAUT_KIND_COUNT];          /* incidences: count x nodes, or the entries of the linear rows */
    uint32_t first_row[TAUT_KIND_COUNT];        /* 32 bits: kernels get all of this by value */
    uint32_t first_factor_row[TAUT_KIND_COUNT]; /* index among the unknowns, so >= rows */
    size_t chunks;                              /* of the longest reduction */
    size_t components;                          /* of constraints and mappings, through free nodes; or 1 */
    size_t segments;      /* ranges of constraints and nodes of one component each, at most TAUT_CHUNK long */
    size_t most_segments; /* of a kind, of points or of frames */
    size_t blocks;        /* of the block preconditioner, groups of lines, or constraints of Gauss-Seidel */
    size_t block_unknowns;
    size_t block_values;
    size_t block_members;
    size_t block_entries;
    size_t largest_block; /* values of the largest block */
    size_t block_scratch; /* a largest block per thread on the CPU, all blocks on a device */
    size_t lines;         /* of the multilevel preconditioner; 0 without it */
    size_t longest_line;
    bool line_sweeps; /* lines are eliminated from end to end, as on the CPU; else level by level */
    size_t line_values;
    uint32_t line_levels;
    uint32_t* line_level_begin; /* line_levels + 1, into line_order; in host memory */
    uint32_t colours;           /* of Gauss-Seidel, whose blocks are single constraints; 0 without it */
    uint32_t wide_colours;      /* the first ones */
    uint32_t* wide_begin;       /* wide_colours + 1: their colour_begin; in host memory */
    size_t sweep_rows;          /* of K at the nodes that constraints act on */
    bool chebyshev;
    bool schur;      /* some unknowns are solved by their Schur complement; so it is where there are none */
    bool condensed;  /* some by the condensed system */
    bool nodes_move; /* points have other numbers here than they were given */
    bool rows_move;  /* so have rows */
    bool by_value;   /* first unknowns of all constraints of a kind, then second ones: on a device */
} taut_sizes;

/* Whether a node is a mapped point, which follows its parents. */
TAUT_FN bool taut_is_mapped(const taut_sizes* s, size_t n) {
    return n >= s->simple && n < s->points;
}

/* Items of the largest tree. */
static inline uint32_t taut_tree_items(const taut_sizes* s) {
    const uint32_t faces = s->colliders + s->faces, most = faces > s->edges ? faces : s->edges;
    return most > s->bare ? most : s->bare;
}

/* What `condensed` says of an unknown. */
enum {
    TAUT_NOT_CONDENSED,
    TAUT_CONDENSED,         /* gam follows from dv */
    TAUT_CONDENSED_SHIFTED, /* its constraint is too stiff for that: it has a proximal shift. Set by assemble */
    TAUT_APART /* of a contact in a heap, which is solved beside this system in a substep: it is not in H */
};
/* What `part_system` says of a part, as bits. */
enum {
    TAUT_PART_CONDENSED = 1, /* in this substep */
    TAUT_PART_ALWAYS = 2,    /* whatever it touches */
    TAUT_PART_TOUCHES = 4,   /* while systems are chosen, */
    TAUT_PART_CHANGES = 8    /* likewise */
};
/* Of a motor without a largest force: its row, kind, constraint, and what it moves (`hangs`). */
#define TAUT_EAGER_VALUES 4
/* N, N m: what such a motor does at most, unless it stalls (kernels/stages/contact/stalling.h). */
#define TAUT_EAGER_FORCE 1e30
/* Nodes of a part that may turn as one: no more, since one item walks them all. */
#define TAUT_TURNING_MOST 4096
/* Substeps for which a part that has touched something stays condensed. */
#define TAUT_PART_WAIT 60
/* Hard rows that depend on each other, by component: more than its nodes carry, or links that span others in a straight
 * line. Such links, and joints where there is nothing else, need hardly any shift. Distances, bends and elements, if
 * more than nodes carry, contradict each other as soon as they are not all met. Links that span fixed points do so
 * where they do not reach: they are softer, too, but solved as independent ones; those that do not even reach at the
 * start are parted. */
typedef enum taut_redundancy {
    TAUT_INDEPENDENT,
    TAUT_REDUNDANT,
    TAUT_SHIFTED_LESS,
    TAUT_CONTRADICTING,
    TAUT_SPANNING,
    TAUT_PARTED
} taut_redundancy;

TAUT_FN bool taut_is_spanning(taut_redundancy r) {
    return r == TAUT_SPANNING || r == TAUT_PARTED;
}

TAUT_FN bool taut_is_contradicting(taut_redundancy r) {
    return r == TAUT_CONTRADICTING || r == TAUT_PARTED;
}

#define TAUT_NO_NODE UINT32_MAX

/* Of a hard link: the tightest chain of them between fixed points that it is joined to. Length 0: none. */
typedef struct taut_span {
    uint32_t end[2]; /* the fixed points */
    double length;   /* m */
} taut_span;

/* The law of a pair of materials, as in taut_material_def. */
enum {
    TAUT_PAIR_FRICTION,
    TAUT_PAIR_STATIC,
    TAUT_PAIR_RESTITUTION,
    TAUT_PAIR_COMPLIANCE,
    TAUT_PAIR_DAMPING,
    TAUT_PAIR_RECOVERY,
    TAUT_PAIR_ROLLING,
    TAUT_PAIR_SPINNING,
    TAUT_CONTACT_LAW
};

/* Of contact points and colliders: a ball that is either, and meets others of its kind once. Of contact points: in
 * the place of a corner of its body's skin, which meets surfaces for it. Of colliders: they touch each other, and of
 * contact points: such a collider of its body has a corner, or is round, in its place, and meets those for it. */
/* Nodes of a point or a body; TAUT_NO_NODE where there is none. */
typedef struct taut_body_nodes {
    uint32_t centre, frame;
} taut_body_nodes;

/* Of a contact point, m. */
typedef struct taut_contact_place {
    double offset[3], radius;
} taut_contact_place;

/* What decides which pairs meet, and by which law. */
typedef struct taut_contact_class {
    uint32_t material, group, mask, flags;
} taut_contact_class;

/* Of a collider that touches others, in the world. */
typedef struct taut_solid {
    double x[3], axis[3][3]; /* its origin, m, and axes */
    double v[3], spin;       /* m/s, of the origin, and of what is farthest from that about it */
    double reach;            /* m: how far it is from its origin */
} taut_solid;

/* A contact of a collider with another one. */
typedef struct taut_solid_contact {
    double gap, normal[3], x[3]; /* m, in the world; the normal from the other one */
    double curve;                /* m/s: contact_curve of its rest values */
    uint32_t other, feature;
} taut_solid_contact;

/* A ball that a collider stays in. */
typedef struct taut_solid_span {
    double centre[3], radius; /* m */
} taut_solid_span;

/* A pair that is near, as kernels/formulas/contact_rows.h has it. */
typedef struct contact_found {
    double gap;
    double normal[3];         /* towards the finder */
    uint32_t node[6];         /* or TAUT_NO_NODE */
    double weight[4], arm[6]; /* of points; from the centres of bodies */
    uint32_t law;             /* of the materials */
    uint32_t feature;         /* which one of a pair that has several */
} contact_found;

/* A pair that would have passed through each other (kernels/stages/contact/crossing.h). */
typedef struct taut_crossing {
    uint32_t finder, other;
    contact_found found;
} taut_crossing;

/* What `feature` says of a contact of such a pair, plus the round. */
#define TAUT_CROSSING_FEATURE 0x80000000u
/* That of the second wall of a mesh between whose walls a point is (contact/opposite.h). */
#define TAUT_OPPOSITE_FEATURE 1u
/* Rounds of a substep whose crossings become contacts; of those the most that one round makes. */
#define TAUT_CROSSING_ROUNDS  2
#define TAUT_CROSSING_ROOM(s) ((s)->watches ? (s)->contact_capacity / 8 + 64 : 0)
/* Their lists; behind those of the rounds, what is drawn back out of a tangle. */
#define TAUT_DRAWN_LIST     TAUT_CROSSING_ROUNDS
#define TAUT_CROSSING_LISTS (TAUT_CROSSING_ROUNDS + 1)
/* What `feature` says of a contact that draws. */
#define TAUT_DRAWN_FEATURE (TAUT_CROSSING_FEATURE + TAUT_DRAWN_LIST)
/* And of one that draws off an edge of a collider (contact/pierced.h). */
#define TAUT_PIERCED_FEATURE (TAUT_DRAWN_FEATURE + 1)

/* An edge of a surface that goes through a face, and its contour (host/cpu/tangles.c). */
typedef struct taut_cut {
    uint32_t edge, face;
    uint32_t joined; /* an earlier cut of the contour, or itself */
    bool turned;     /* the edge is of the other side of the contour than that of the cut it is joined to */
    bool left;       /* of a contour: it stays as it is */
} taut_cut;

/* A triangle and a face that meet in a part of a contour, which ends at this cut. */
typedef struct taut_cut_end {
    uint64_t pair;
    uint32_t cut;
    bool turned;
} taut_cut_end;

/* Cuts that are looked at in a substep, at most. */
#define TAUT_CUT_ROOM(s) ((s)->watches ? (s)->edges / 4 + 256 : 0)

/* Whether anything touches that turns, and may stand on other such things. */
#define TAUT_HAS_CHAINS(s) ((s)->touches && (s)->frames > 0)

/* What a corner has to do with a tangle: it is near one; it has to go back through what it is near; or it stays where
 * it is, and the others come. */
enum taut_tangle { TAUT_TANGLE_NEAR = 1, TAUT_TANGLE_BACK = 2, TAUT_TANGLE_STAYS = 4 };

/* Contacts of a collider that are kept while they are counted; those of one with more are found again. */
#define TAUT_SOLID_CONTACTS 16

/* What a constraint of the scene joins (kernels/stages/contact/collide_pair.h). */
typedef struct taut_joined {
    uint32_t kind, constraint; /* as given: the pair is joined while it is there */
    uint32_t node[2];          /* frames of bodies, or points of none */
    uint32_t rigid;            /* 1: and hold still to each other */
} taut_joined;

/* Of such a pair the constraints that hold it: three against translations, and of a rigid one three against turns. */
#define TAUT_JOINED_PLACES 3
#define TAUT_JOINED_ALL    6
/* In place of the first row of a pair: one of its constraints is not there. */
#define TAUT_JOINED_AWAY (TAUT_NO_NODE - 1)

/* A bit of `uses` of a reserved place: what the constraint joins may touch. */
#define TAUT_USES_CONTACT 0x40000000u

typedef struct taut_collider_pose {
    double position[3], orientation[4]; /* m; quaternion */
} taut_collider_pose;

enum taut_touching_flags {
    TAUT_TOUCHING_BALL = 1,
    TAUT_TOUCHING_COVERED = 2,
    TAUT_COLLIDER_SOLID = 4,   /* it is convex; of points: what such a collider of their body stands for */
    TAUT_COLLIDER_FACETS = 8,  /* a rigid mesh that is not convex, which those meet part by part */
    TAUT_COLLIDER_SHEET = 16,  /* a mesh that has two sides, which points do not meet */
    TAUT_TOUCHING_SHEET = 32,  /* a corner of a surface that convex colliders do not meet: they meet such a mesh */
    TAUT_TOUCHING_WITHIN = 64, /* a ball within a collider of its body, which queries see in its place */
    TAUT_TOUCHING_FILLED = 128 /* a corner of a surface that bounds elastic tetrahedra, which has one side */
};

/* Places in contact_count; of depths taut_depth_bits. */
enum {
    TAUT_CONTACTS_LIVE,
    TAUT_CONTACTS_NEEDED,
    TAUT_CONTACTS_CUTS,
    TAUT_CONTACTS_INSIDE,
    TAUT_CONTACTS_DEPTH,
    TAUT_CONTACT_COUNTS = TAUT_CONTACTS_DEPTH + TAUT_DEPTH_COUNT
};

/* Of contact_parting (kernels/stages/contact/sliding.h, wedged.h, bouncing.h, unloading.h, pushing.h). */
enum {
    TAUT_PARTING,          /* m/s: mu |v_t'| that b of a contact is less by, */
    TAUT_PARTING_CHANGE,   /* how that was changed last, */
    TAUT_PARTING_LEFT,     /* what was left before, */
    TAUT_PARTING_FOLLOWED, /* and all changes of it in the step */
    TAUT_PARTING_RESTS,    /* whether nothing meets in it */
    TAUT_PARTING_GIVEN,    /* whether its friction has this bound, N s, in the place of mu gam_n of the system */
    TAUT_PARTING_BOUND,
    TAUT_PARTING_LOW,      /* N s: the largest bound that was found too small, or -1, */
    TAUT_PARTING_LOW_LEFT, /* by so much, less where it stayed while the other one moved; */
    TAUT_PARTING_HIGH,     /* likewise the least one that was too large */
    TAUT_PARTING_HIGH_LEFT,
    TAUT_PARTING_BOUNCES, /* m/s: what b of a contact that bounces is more by, since R gam of it parts nothing; or 0, */
    TAUT_PARTING_BOUNCED, /* how that was changed in the step, */
    TAUT_PARTING_FASTER,  /* and is to be changed next; */
    TAUT_PARTING_TAKEN,   /* m/s: what b is less by since friction would give energy, */
    TAUT_PARTING_TAKES,   /* and is to be next, */
    TAUT_PARTING_KEPT,    /* so that this part of what it bounces with is left to it, */
    TAUT_PARTING_KEEPS,   /* and is to be next; */
    TAUT_PARTING_BORNE,   /* m/s: R gam of the last step in b, at which the contact would part if nothing bore on it, */
    TAUT_PARTING_EASED,   /* and what that was taken less by in the step; */
    TAUT_PARTING_PUSH,    /* m/s: at which an overlap is to be undone, beyond what its load keeps up, */
    TAUT_PARTING_SPARED,  /* and what that was taken less by in the step; */
    TAUT_PARTING_GENTLY,  /* m/s: both, where that is slower than the law of the contact says; else 0 */
    TAUT_PARTING_LANDS,   /* m/s: with which an impact lays something on something: landing_speed */
    TAUT_PARTING_VALUES
};

/* What is remembered of a contact: on the finder, in the world, impulse, N s, and force, N; the normal if that says on
 * which side it was; contact_load. */
enum { TAUT_CONTACT_LAST = 10 };

/* How a node or the target of a point turns on its way to a goal (kernels/stages/goals.h). */
enum {
    TAUT_TURN_ROTATION,   /* rotation vector, rad; 0: the way is straight */
    TAUT_TURN_CENTRE = 3, /* a point of the axis at the end of the step, m; of frames nothing */
    TAUT_TURN_VALUES = 6
};

/* X(type, name, count, columns): meaning, unit. Producer in the heading. */

/* `closes` of a constraint without a misfit. */
#define TAUT_FITS (-1.0)
/* Whether constraints of kind k may have misfits: contacts undo what overlaps by their own law. */
#define TAUT_MAY_MISFIT(k) (taut_kind_shapes[k].rows > 0 && (k) != (int)TAUT_CONTACT && (k) != (int)TAUT_ROLLING)

/* Of a kind, what users set and what moves by itself. */
#define TAUT_KIND_STATE(X)                                                                                             \
    X(uint8_t, law, s->has_law[k] ? s->count[k] : 0, 1)    /* TAUT_LAW_CONSTRAINT and so on */                         \
    X(double, rest, s->count[k], shape->rest)              /* rest values of the formula */                            \
    X(double, compliance, s->count[k], shape->packed)      /* C, packed lower triangle, (unit of phi)/N */             \
    X(double, damping, s->count[k], 1)                     /* d, s */                                                  \
    X(double, measure, s->count[k], 1)                     /* rest area or volume of elements, else 1 */               \
    X(double, stiff, shape->rows > 0 ? s->count[k] : 0, 1) /* by how much the last step did not resolve it, 0 to 1 */  \
    X(double, misfit, TAUT_MAY_MISFIT(k) ? s->count[k] : 0,                                                            \
      shape->rows + 1) /* kernels/stages/misfit.h: unit of phi; s */                                                   \
    X(double, closes, TAUT_MAY_MISFIT(k) ? s->count[k] : 0,                                                            \
      1) /* and when it is closed, by the clock, s; 0: it has just come */                                             \
    X(double, rate, shape->moves > 0 ? s->count[k] : 0, shape->moves) /* of the rest values that move, per s */        \
    X(double, goal, shape->moves > 0 ? s->count[k] : 0, shape->moves) /* those at the end of the step */               \
    X(uint32_t, goal_tick, shape->moves > 0 ? s->count[k] : 0, 1)     /* tick of the step that reaches the goal */     \
    X(double, goal_turn, k == TAUT_TARGET ? s->count[k] : 0, TAUT_TURN_VALUES) /* of a point on its way: node_turn */
/* Of contacts the search makes these, too. */
#define TAUT_KIND_TOPOLOGY(X)                                                                                          \
    X(uint32_t, nodes, s->count[k], shape->nodes) /* node indices */                                                   \
    X(uint32_t, offsets, s->nodes + 1, 1)         /* of each node into incidence */                                    \
    X(uint32_t, incidence, s->entries[k], 1)      /* constraint * nodes + slot; linear: entry */

/* Per kind of constraint; the sizes are those of kind k. */
#define TAUT_KIND_FIELDS(X)                                                                                            \
    /* compile: topology */                                                                                            \
    TAUT_KIND_TOPOLOGY(X)                                                                                              \
    X(uint32_t, constraint_at, s->rows_move ? s->count[k] : 0, 1) /* number here of each given one */                  \
    X(uint32_t, uses, s->reserved[k], 1) /* how often each reserved place has been taken; for the host alone */        \
    /* compile, then the user's re-tuning */                                                                           \
    TAUT_KIND_STATE(X)                                                                                                 \
    X(double, kept_rest, shape->moves > 0 ? s->count[k] : 0, shape->rest) /* rest at the start of a part */            \
    /* evaluate */                                                                                                     \
    X(float, record, s->count[k], shape->record) /* Jacobian; then, by assemble, C/(h l) + shift */                    \
    X(float, aux, s->count[k], shape->aux)       /* rest of the Jacobian's struct */                                   \
    X(double, load, s->count[k], shape->load)    /* of force elements: forces, N, as the formula has them */           \
    /* assemble */                                                                                                     \
    X(float, stiffness, s->has_factor_rows[k] ? s->count[k] : 0, shape->stiffness) /* sqrt(alpha beta) h R, struct */  \
    X(double, unresolved, shape->rows > 0 ? s->count[k] : 0, 1) /* part of the least damping that rows get, 0 to 1 */  \
    X(float, weight, s->count[k], shape->packed)                /* C/(h l), packed, without the shift */               \
    X(float, conductance, s->condensed ? s->count[k] : 0, shape->packed) /* Wh of condensed rows, packed; else 0 */

/* State that a substep changes and the guard may restore (model/guard.h): the motion, */
#define TAUT_MOTION_STATE(X, prefix)                                                                                   \
    X(double, prefix##x, s->nodes, 3)            /* positions, m; of frames 0 */                                       \
    X(double, prefix##v, s->nodes, 3)            /* velocities, m/s; of frames rad/s, world axes */                    \
    X(double, prefix##orientation, s->frames, 4) /* quaternions w, x, y, z */                                          \
    X(double, prefix##clock, 1, 2)               /* of misfits: now, and before the last move, s */
/* what the last step did at nodes, */
#define TAUT_NODE_STATE(X, prefix)                                                                                     \
    X(double, prefix##dv, s->nodes, 3) /* velocity change, m/s */                                                      \
    X(uint8_t, prefix##part_wait, s->touches ? s->nodes : 0,                                                           \
      1) /* substeps before a part that has touched something changes its system */
/* at unknowns, */
#define TAUT_UNKNOWN_STATE(X, prefix)                                                                                  \
    X(double, prefix##gam, s->unknowns, 1)                    /* impulses and factor unknowns, N s */                  \
    X(uint8_t, prefix##hold, s->bounded ? s->unknowns : 0, 1) /* a taut_hold: what kept a row from being solved        \
                                                                 last */
/* and at rows; */
#define TAUT_ROW_STATE(X, prefix)                                                                                      \
    X(double, prefix##lam, s->rows, 1)        /* constraint forces, N */                                               \
    X(double, prefix##lam_smooth, s->rows, 1) /* the multipliers that G uses, N */
/* and bounds of rows. */
#define TAUT_BOUND_STATE(X, prefix)                                                                                    \
    X(double, prefix##bound, s->bounded ? s->rows : 0, 2)    /* lower and upper bound of lam, N; broken: 0 */          \
    X(double, prefix##strength, s->bounded ? s->rows : 0, 1) /* N, at a constraint's first row; negative: broken */
#define TAUT_GUARDED_FIELDS(X, prefix)                                                                                 \
    TAUT_MOTION_STATE(X, prefix)                                                                                       \
    TAUT_NODE_STATE(X, prefix) TAUT_UNKNOWN_STATE(X, prefix) TAUT_ROW_STATE(X, prefix) TAUT_BOUND_STATE(X, prefix)

/* What a world remembers beside its state for the next step: of unknowns, */
#define TAUT_REMEMBERED_UNKNOWNS(X) X(float, eigenvector, s->chebyshev ? s->unknowns : 0, 1) /* largest of D^-1 S */
/* rows, */
#define TAUT_REMEMBERED_ROWS(X)                                                                                        \
    X(double, explicit_gam, s->rows, 1) /* impulses of rows that act with the force of the state, N s; else 0 */
/* finders of contacts, */
#define TAUT_REMEMBERED_FINDERS(X)                                                                                     \
    X(uint32_t, contact_count, TAUT_CONTACT_COUNTS,                                                                    \
      1) /* how many there are, and how many there should be; overlaps */                                              \
    X(uint32_t, contact_begin, s->touches ? s->touching + s->edges + s->solids + 1 : 0, 1) /* of each finder */        \
    X(uint32_t, contact_begin_last, s->touches ? s->touching + s->edges + s->solids + 1 : 0, 1)                        \
    X(uint8_t, tangle, s->watches || s->edges > 0 ? s->touching : 0, 1)      /* of a corner: bits of taut_tangle, */   \
    X(uint8_t, tangle_last, s->watches || s->edges > 0 ? s->touching : 0, 1) /* and those of the part before */
/* components, for the guard (on a device: nothing), */
#define TAUT_REMEMBERED_COMPONENTS(X)                                                                                  \
    X(double, component_quiet, s->sleeps ? s->components : 0, 1)   /* s for which it has hardly moved, */              \
    X(uint8_t, component_asleep, s->sleeps ? s->components : 0, 1) /* 1: it sleeps */                                  \
    X(double, mean_v, s->sleeps ? s->nodes : 0, 3)  /* of its nodes, over the last part of that, m/s; rad/s, */        \
    X(double, quiet_v, s->sleeps ? s->nodes : 0, 3) /* and when that time began */                                     \
    X(double, component_held, s->components, 1)     /* taut_guard.held, */                                             \
    X(double, component_gained, s->components, 1)   /* gained, */                                                      \
    X(double, component_lost, s->components, 1)     /* lost, */                                                        \
    X(double, component_asked, s->components, 1)    /* asked, */                                                       \
    X(double, component_energies, s->components, TAUT_ENERGIES) /* taut_account.now, where the state is saved */       \
    X(uint32_t, component_softened, s->components, 1)           /* and softened */
/* contacts, by finder; unused ones have no weight; */
#define TAUT_REMEMBERED_CONTACTS(X)                                                                                    \
    X(uint32_t, contact_pair, s->contact_capacity, 2)    /* finder and found: kernels/stages/contact/collide.h */      \
    X(uint32_t, contact_feature, s->contact_capacity, 1) /* of pairs that have several */                              \
    X(uint32_t, contact_law, s->contact_capacity, 1)     /* which of material_law */                                   \
    X(uint32_t, contact_turned, s->watches ? s->contact_capacity : 0, 1) /* 1: it says no more on which side things    \
                                                are */                                                                 \
    X(double, contact_friction, s->contact_capacity, 1)                  /* mu, static or not */                       \
    X(double, contact_limit, s->contact_capacity, 1) /* of friction, mu gam_n when multipliers followed last, N s */   \
    X(double, contact_load, s->contact_capacity, 1)  /* part of the impulse along the normal: contact/kept_load.h */   \
    X(double, rolling_normal, s->rolls ? s->contact_capacity : 0,                                                      \
      1) /* gam_n of a contact when multipliers followed last, N s */
/* and those of the step before. */
#define TAUT_REMEMBERED_LAST(X)                                                                                        \
    X(uint32_t, contact_pair_last, s->contact_capacity, 2)                                                             \
    X(uint32_t, contact_feature_last, s->contact_capacity, 1)                                                          \
    X(double, contact_last, s->contact_capacity, TAUT_CONTACT_LAST)                                                    \
    X(double, rolling_last, s->rolls ? s->contact_capacity : 0, 6) /* likewise: impulse, N m s, and couple, N m */
#define TAUT_REMEMBERED_FIELDS(X)                                                                                      \
    TAUT_REMEMBERED_UNKNOWNS(X)                                                                                        \
    TAUT_REMEMBERED_ROWS(X)                                                                                            \
    TAUT_REMEMBERED_FINDERS(X) TAUT_REMEMBERED_COMPONENTS(X) TAUT_REMEMBERED_CONTACTS(X) TAUT_REMEMBERED_LAST(X)

/* What users see of a state where it was evaluated last. */
#define TAUT_EVALUATED_ROWS(X) X(double, phi, s->rows, 1) /* constraint functions, unit of the kind */

/* What users set. */
#define TAUT_SET_FIELDS(X)                                                                                             \
    X(double, mass, s->nodes, 1)             /* kg; of frames 0 */                                                     \
    X(float, inverse_mass, s->nodes, 1)      /* 1/kg; 0 where fixed: P A^-1 P of points without factor rows, set by    \
                                                assemble where A is not M; of mapped points 0, of free frames 1 */     \
    X(double, force, s->nodes, 3)            /* external force without gravity, N; torque, N m */                      \
    X(double, inertia, s->frames, 6)         /* xx, yy, zz, yz, zx, xy in the body's axes, kg m^2 */                   \
    X(double, frame_goal, s->frames, 4)      /* of moved fixed frames at the end of the step */                        \
    X(double, node_goal, s->nodes, 3)        /* of moved fixed nodes at the end of the step, m */                      \
    X(uint32_t, node_goal_tick, s->nodes, 1) /* tick of the step that reaches the goal */                              \
    X(double, node_turn, s->nodes, TAUT_TURN_VALUES) /* on the way of moved fixed nodes: stages/goals.h */

/* Everything that a step depends on and that is not compiled from the scene, with what users set: what is saved and
 * restored (host/world/state_walk.h). By what it has values for: U unknowns, R rows, C contacts, L those of the step
 * before, X anything else. A field that a step reads before it writes it belongs here or in TAUT_KIND_STATE. */
#define TAUT_STATE_FIELDS(X, U, R, C, L)                                                                               \
    TAUT_MOTION_STATE(X, )                                                                                             \
    TAUT_NODE_STATE(X, )                                                                                               \
    TAUT_SET_FIELDS(X)                                                                                                 \
    TAUT_REMEMBERED_FINDERS(X)                                                                                         \
    TAUT_REMEMBERED_COMPONENTS(X)                                                                                      \
    TAUT_UNKNOWN_STATE(U, )                                                                                            \
    TAUT_REMEMBERED_UNKNOWNS(U)                                                                                        \
    TAUT_ROW_STATE(R, )                                                                                                \
    TAUT_BOUND_STATE(R, )                                                                                              \
    TAUT_EVALUATED_ROWS(R) TAUT_REMEMBERED_ROWS(R) TAUT_REMEMBERED_CONTACTS(C) TAUT_REMEMBERED_LAST(L)

/* What says nothing of a motion that users write. */
#define TAUT_FORGOTTEN_FIELDS(X)                                                                                       \
    TAUT_NODE_STATE(X, ) TAUT_UNKNOWN_STATE(X, ) TAUT_ROW_STATE(X, ) TAUT_REMEMBERED_FIELDS(X)

#define TAUT_WORLD_FIELDS(X)                                                                                           \
    TAUT_GUARDED_FIELDS(X, ) TAUT_REMEMBERED_FIELDS(X) TAUT_SET_FIELDS(X)                                              \
    X(float, x_f32, s->nodes, 3)          /* positions rounded, m */                                                   \
    X(double, x0, s->nodes, 3)            /* start of a step with several systems: as x, */                            \
    X(double, v0, s->nodes, 3)            /* v */                                                                      \
    X(double, orientation0, s->frames, 4) /* and orientation */                                                        \
    X(double, iterate, s->nodes, 3)       /* dv of Newton's method, m/s; of RK4 the sum of rates of x */               \
    X(double, iterate_last, s->nodes, 3)  /* the one before; of RK4 the sum of dv */                                   \
    X(double, gam_last, s->rows, 1)       /* the impulses that belong to it, or those that a projection spares */      \
    TAUT_GUARDED_FIELDS(X, kept_)                                                                                      \
    X(double, swept, s->keeps_residuals ? s->unknowns : 0, 1) /* kernels/stages/residuals.h */                         \
    X(double, residual, s->keeps_residuals ? s->nodes : 0, 4) /* m/s, rad/s */                                         \
    X(double, deferred, s->rows, 1)                        /* kernels/stages/deferred.h: to be added to b */           \
    X(double, phi_before, s->rows, 1)                      /* phi at the start of a part, unit of the kind */          \
    X(double, gam_before, s->bounded ? s->unknowns : 0, 1) /* gam before an outer iteration */                         \
    /* compile */                                                                                                      \
    X(taut_body_nodes, touching_node, s->touching, 1)     /* of a contact point */                                     \
    X(taut_body_nodes, touching_body, s->touching, 1)     /* likewise, of the body that it is fixed to, if it is */    \
    X(taut_contact_place, touching_place, s->touching, 1) /* in the frame's axes, of skins also in the world */        \
    X(taut_contact_class, touching_class, s->touching, 1) /* flags: a taut_touching_flags */                           \
    X(uint32_t, collider_shape, s->colliders, 1)          /* a taut_shape */                                           \
    X(double, collider_size, s->colliders, 3) /* as that has it, m; of a mesh its reach and least extent */            \
    X(taut_body_nodes, collider_body, s->colliders, 1)                  /* that it belongs to */                       \
    X(taut_collider_pose, collider_pose, s->colliders, 1)               /* in the body or the world */                 \
    X(taut_contact_class, collider_class, s->colliders, 1)              /* likewise */                                 \
    X(uint32_t, wide_collider, s->wide, 1)                              /* those without end */                        \
    X(uint32_t, excluded_begin, s->excluded > 0 ? s->frames + 1 : 0, 1) /* of each frame into */                       \
    X(uint32_t, excluded_frame, s->excluded, 2)   /* frames of bodies that it never touches, counted from 0 */         \
    X(uint32_t, excluded_point_begin, s->excluded_points > 0 ? s->touching + 1 : 0, 1) /* of each into */              \
    X(uint32_t, excluded_point_solid, s->excluded_points, 1) /* what it never touches: contact/collide_pair.h */       \
    X(taut_joined, joined_pair, s->joined_pairs, 1)           /* for the host alone */                                 \
    X(uint32_t, point_owner, s->touches ? s->points : 0, 1)   /* likewise: the frame of its body, or the point itself */ \
    X(uint32_t, joined_begin, s->joined > 0 ? s->nodes + 1 : 0, 1) /* of frames of bodies, and other points, into */   \
    X(uint32_t, joined_node, s->joined, 2)                    /* what constraints that are there join it to */         \
    X(uint32_t, joined_by, s->joined, 2) /* likewise: 2 pair + may_part of the scene, or TAUT_NO_NODE */               \
    X(uint32_t, joined_part, s->joined_pairs, TAUT_JOINED_ALL) /* for the host alone: constraints as given, or none */ \
    X(uint32_t, joined_row, s->joined_pairs, TAUT_JOINED_ALL)  /* where their strengths stand, or TAUT_NO_NODE */      \
    X(uint32_t, joined_parting, s->joined > 0 ? 1 : 0, 1)      /* pairs that are rigid until they break */             \
    X(uint32_t, joined_group, s->joined > 0 ? s->nodes : 0, 1) /* one that hard constraints hold with it, or itself */ \
    X(uint32_t, eager, s->eager, TAUT_EAGER_VALUES)           /* motors and drives without one */                       \
    X(uint32_t, hangs, s->eager > 0 ? s->nodes : 0, 1)        /* what hangs together through free nodes has one number */ \
    X(double, hangs_mass, s->eager > 0 ? s->nodes : 0, 1)     /* kg: of all that hangs together with a node */         \
    X(uint32_t, eager_pressed, s->eager, 1)                   /* taut_depth_bits: contact/stalling.h */                \
    X(uint8_t, hung, s->touches ? s->nodes : 0, 1) /* 1: of a body that a joint holds to something fixed */            \
    X(uint32_t, attached_begin, s->attached_parties > 0 ? s->surfaces + s->touching + 1 : 0,                           \
      1)                                                /* of surfaces, and contact points of none, into */            \
    X(uint32_t, attached_party, s->attached_parties, 1) /* those that it does not touch where they overlap first */    \
    X(uint32_t, seam_begin, s->seams > 0 ? s->touching + 1 : 0, 1) /* of each contact point into */                    \
    X(uint32_t, seam_corner, s->seams, 1)         /* corners that one near it is attached to */                        \
    X(double, seam_way, s->seams, 1)              /* m: and how far it is from that one as it starts */                \
    X(uint32_t, touching_surface, s->touching, 1) /* 2 surface + self of corners; TAUT_NO_NODE: of none */             \
    X(uint32_t, touching_skin, s->touching, 1)    /* corners of skins are numbered; TAUT_NO_NODE: of none */           \
    X(uint32_t, skin_collider, s->skins, 1)       /* whose it is */                                                    \
    X(uint32_t, skin_corner, s->skins, 1)         /* its number among contact points */                                \
    X(double, skin_normal, s->skins, 3)           /* outwards, in the axes of the collider's frame or the world;       \
                                                0 of spheres and capsules */                                           \
    X(uint32_t, skin_half, s->deforming > 0 ? s->skins : 0,                                                            \
      1) /* of meshes that deform: a half-edge that begins there; else TAUT_NO_NODE */                                 \
    X(uint32_t, skin_inactive, s->skins, 1)       /* 1: it cannot come through a surface */                            \
    X(uint32_t, edge_inactive, s->skins > 0 ? s->edges : 0, 1)     /* likewise */                                      \
    X(uint32_t, face_corner, s->faces, 4)                          /* contact points; taut_face_flags */               \
    X(uint32_t, face_across, s->faces, 3)                          /* corner beyond each edge, or TAUT_NO_NODE */      \
    X(uint32_t, edge_corner, s->edges, 4)                          /* both ends; corners beside it, or TAUT_NO_NODE */ \
    X(uint32_t, ring_begin, s->edges > 0 ? s->touching + 1 : 0, 1) /* of each contact point into */                    \
    X(uint32_t, ring, s->edges, 2)                                 /* corners that edges join it to */                 \
    X(double, corner_start, s->edges > 0 ? s->touching : 0,                                                            \
      3)                                         /* where corners were at creation, m; of skins their offsets */       \
    X(double, corner_out, s->edges > 0 ? s->touching : 0,                                                              \
      3) /* there, the sum of the normals of its triangles times twice their areas, m^2; of skins 0 */                   \
    X(uint32_t, corner_part, s->edges > 0 ? s->touching : 0, 1) /* the first corner that edges join one to */          \
    X(uint32_t, collider_mesh, s->colliders, 1)  /* of TAUT_SHAPE_MESH */                                              \
    X(taut_mesh, mesh, s->meshes, 1)             /* where it is in these: */                                           \
    X(double, mesh_corner, s->mesh_triangles, 9) /* of triangles, m */                                                 \
    X(double, mesh_normal, s->mesh_triangles, 3 * TAUT_MESH_PARTS) /* of their parts, outwards */                      \
    X(uint32_t, mesh_salient, s->mesh_triangles, 1) /* TAUT_MESH_BIT of edges and corners that stick out */             \
    X(float, mesh_box, s->mesh_boxes, 6)     /* of trees over them: lower and upper corners, m */                      \
    X(double, mesh_value, s->mesh_values, 1) /* signed distances on grids, m */                                        \
    X(uint32_t, mesh_vertex, s->mesh_vertices, 1)   /* nodes of points */                                              \
    X(taut_deforming, deforming, s->deforming, 1)   /* triangles between them, */                                      \
    X(float, mesh_speed, s->deforming > 0 ? s->mesh_boxes : 0, 1) /* and the greatest speed in their boxes, m/s */     \
    X(float, mesh_swept, s->watches && s->deforming > 0 ? s->mesh_boxes : 0, 6) /* boxes of what moves in a part */    \
    X(taut_hull, hull, s->hulls, 1)              /* where one is in these: */                                          \
    X(double, hull_corner, s->hull_corners, 3)   /* m */                                                               \
    X(uint32_t, hull_begin, s->hull_begins, 1)   /* of each corner into */                                             \
    X(uint32_t, hull_link, s->hull_links, 1)     /* corners that edges join to it */                                   \
    X(taut_hull_face, hull_face, s->hull_faces, 1)                                                                     \
    X(double, material_law, s->touches ? s->materials * s->materials : 0, TAUT_CONTACT_LAW) /* of pairs */             \
    X(uint32_t, map_begin, s->simple < s->points ? s->points - s->simple + 1 : 0, 1) /* entries of a mapped point */   \
    X(uint32_t, map_parent, s->map_entries, 1)                                       /* node */                        \
    X(uint32_t, map_child, s->map_entries, 1)                                        /* node */                        \
    X(uint32_t, map_code, s->map_entries, 1)                           /* as in host/scene/scene_data.h */             \
    X(double, map_local, s->map_entries, 3)                            /* weight, or arm in the frame's axes */        \
    X(uint32_t, child_begin, s->map_entries > 0 ? s->nodes + 1 : 0, 1) /* of each node into child_entry */             \
    X(uint32_t, child_split, s->map_entries > 0 ? s->nodes : 0, 1)     /* where its children are active no more */     \
    X(uint32_t, child_entry, s->map_entries, 1)                        /* entries by parent */                         \
    X(uint32_t, linear_begin, s->count[TAUT_LINEAR] > 0 ? s->count[TAUT_LINEAR] + 1 : 0, 1) /* entries of a row */     \
    X(uint32_t, linear_coordinate, s->entries[TAUT_LINEAR], 1)                                                         \
    X(uint32_t, linear_row, s->entries[TAUT_LINEAR], 1)                                                                \
    X(double, linear_weight, s->entries[TAUT_LINEAR], 1)                                                               \
    X(uint32_t, reserved_unknown, s->reserved_unknowns, 1)   /* numbers of the unknowns of reserved places */          \
    X(uint8_t, redundant, s->unknowns, 1)                    /* a taut_redundancy */                                   \
    X(taut_span, span, s->count[TAUT_DISTANCE], 1)           /* of distances */                                        \
    X(uint8_t, condensed, s->condensed ? s->unknowns : 0, 1) /* taut_condensed_state; 0: solved by Schur complement */ \
    X(uint8_t, condensed_node, s->condensed ? s->nodes : 0, 1) /* 1: of the condensed system */                        \
    X(uint32_t, node_part, s->switches ? s->nodes : 0, 1)    /* a node that stands for what hangs together */             \
    X(uint32_t, turning_part, s->turning_parts > 0 ? s->nodes : 0, 1) /* of those that may turn as one; TAUT_NO_NODE: none */ \
    X(uint32_t, turning_begin, s->turning_parts > 0 ? s->turning_parts + 1 : 0, 1) /* of each part into its nodes */    \
    X(uint32_t, turning_node, s->turning_nodes, 1)           /* nodes by part */                                       \
    X(uint32_t, member_part, s->members, 1)                  /* likewise of given constraints of all kinds; UINT32_MAX: \
                                                                none */                                                \
    X(uint8_t, part_system, s->switches ? s->nodes : 0, 1)   /* TAUT_PART_..., of the node that stands for it */       \
    /* collide */                                                                                                      \
    X(uint32_t, contact_link, TAUT_HAS_CHAINS(s) ? s->contact_capacity : 0, 2) /* kernels/stages/contact/chains.h */    \
    X(uint32_t, chain_contact, TAUT_HAS_CHAINS(s) ? s->contact_capacity : 0, 1) /* those that have a link; */          \
    X(uint32_t, chain_contacts, TAUT_HAS_CHAINS(s) ? 1 : 0, 1)                  /* how many */                         \
    X(uint32_t, chain_below, TAUT_HAS_CHAINS(s) ? s->nodes : 0, 1) /* contacts of the longest chain down from a node, */ \
    X(uint32_t, chain_above, TAUT_HAS_CHAINS(s) ? s->nodes : 0, 1) /* and up */                                        \
    X(uint32_t, chain_held, TAUT_HAS_CHAINS(s) ? s->nodes : 0, 1)  /* 1: more than contact reaches a node */           \
    X(uint32_t, event_count, s->events > 0 ? TAUT_EVENT_COUNTS : 0, 1)    /* model/contact_record.h */                 \
    X(double, event_time, s->events > 0 ? 1 : 0, 1)                       /* s, of the parts of the step so far */     \
    X(uint32_t, event_place, s->events > 0 ? s->contact_capacity + 1 : 0, 1) /* of each contact among those of a part */ \
    X(taut_contact_record, event, s->events, 1)                                                                        \
    X(uint32_t, event_order, s->events, 1) /* of records by their parties; for the host alone */                       \
    X(taut_solid, solid, s->solids, 1)                                                                                 \
    X(taut_solid_contact, solid_contact, s->solids, TAUT_SOLID_CONTACTS)                                               \
    X(double, drift, s->touches ? 3 : 0, 1) /* a common velocity, m/s: kernels/stages/contact/collide.h */              \
    X(uint32_t, known_mesh, s->meshes > 0 ? s->touching : 0,                                                           \
      1) /* 1 + the collider whose exact distance of a contact point was found last; 0: none */                        \
    X(double, known_distance, s->meshes > 0 ? s->touching : 0, 4) /* where, in its axes, and that distance, m */       \
    X(double, skin_x, s->skins, 3) /* m, when things were last looked for */                                           \
    X(double, skin_v, s->skins, 3) /* m/s */                                                                           \
    X(double, skin_start, s->watches ? s->skins : 0, 3) /* m, at the start of a part of a substep */                   \
    X(uint32_t, crossing_other, s->watches ? s->touching + s->edges + s->solids : 0, 1) /* what each finder would pass through */  \
    X(taut_crossing, crossing, TAUT_CROSSING_LISTS * (size_t)TAUT_CROSSING_ROOM(s), 1) /* by list, then finder */      \
    X(uint32_t, crossing_count, s->watches ? TAUT_CROSSING_LISTS : 0, 1)               /* of each list */              \
    X(uint32_t, crossing_place, s->watches ? (size_t)s->touching + s->edges + s->solids + 1 : 0, 1) /* of each among all that would */ \
    X(uint32_t, crossing_list, s->watches ? s->touching + s->edges + s->solids : 0, 1)              /* and which those are */      \
    X(taut_cut, cut, TAUT_CUT_ROOM(s), 1)                                                                              \
    X(taut_cut_end, cut_end, 2 * (size_t)TAUT_CUT_ROOM(s), 1)                                                          \
    X(uint64_t, cut_edge, TAUT_CUT_ROOM(s), 1)               /* edges of a contour, by their corners, in order */      \
    X(uint32_t, drawn_by, s->watches ? s->touching + s->edges : 0, 1) /* the cut by which a corner, or an edge, goes back */ \
    X(uint32_t, contour, s->watches ? s->touching : 0, 1)    /* of a corner with a tangle: its contour's first cut */  \
    X(uint32_t, flooded, s->watches ? s->touching : 0, 1)    /* the flood that has reached it last */                  \
    X(uint32_t, flood_queue, s->watches ? s->touching : 0, 2) /* of both floods */                                     \
    X(uint32_t, zone, s->watches ? s->nodes + 1 : 0, 1) /* kernels/stages/contact/zones.h */                           \
    X(uint32_t, zone_led, s->watches ? s->nodes + 1 : 0, 1) /* 1: by a mesh that deforms */                            \
    X(double, zone_carried, s->watches ? s->nodes : 0, 3)   /* m: the way that such meshes carry it */                 \
    X(uint64_t, tree_key, taut_tree_items(s), 2)                         /* to sort */                                 \
    X(uint32_t, face_order, s->colliders + s->faces, 1)                  /* trees: colliders, then faces; */           \
    X(float, face_box, 2 * (size_t)s->face_leaves, 6)                    /* 0 where nothing touches */                 \
    X(uint32_t, edge_order, s->edges, 1)                                 /* edges */                                   \
    X(float, edge_box, 2 * (size_t)s->edge_leaves, 6)                                                                  \
    /* queries */                                                                                                      \
    X(uint32_t, loose_point, s->bare, 1) /* compile: contact points of no surface and no skin */                      \
    X(uint32_t, loose_order, s->bare, 1) /* and their tree */                                                         \
    X(float, loose_box, 2 * (size_t)s->loose_leaves, 6)                                                                \
    X(taut_ray, query_ray, s->shapes ? TAUT_QUERY_MOST : 0, 1)           /* their directions have length 1 */          \
    X(double, query_point, s->shapes ? TAUT_QUERY_MOST : 0, 3)           /* m */                                       \
    X(taut_query_shape, query_shape, s->shapes ? TAUT_QUERY_MOST : 0, 1) /* whose quaternions have length 1 */         \
    X(taut_hit, query_hit, s->shapes ? TAUT_QUERY_MOST : 0, 1)                                                         \
    X(uint32_t, query_count, s->shapes ? TAUT_QUERY_MOST : 0, 1) /* things that overlap */                             \
    X(uint32_t, query_item, s->query_items, 1)                   /* and which: kernels/stages/contact/query.h */       \
    /* evaluate */                                                                                                     \
    X(float, map_vector, s->map_entries, 4)                      /* weight, or arm or direction in the world */        \
    X(double, map_bias, s->simple < s->points ? s->nodes : 0, 4) /* acceleration of mapped points at constant v */     \
    TAUT_EVALUATED_ROWS(X)                                                                                             \
    /* assemble */                                                                                                     \
    X(double, held, s->simple < s->nodes ? s->nodes : 0, 4) /* forces on mapped points and what they pull, N, N m */   \
    X(double, frame_block, s->frames, 6)   /* A of a frame: inertia in the world + alpha beta h^2 Gamma, kg m^2 */     \
    X(double, frame_inverse, s->frames, 6) /* its inverse; 0 where fixed */                                            \
    X(float, node_block, s->nodes - s->simple, 8) /* 6: P A^-1 P of mapped points and frames, for diagonals */         \
    X(double, free_dv, s->nodes, 4)               /* P M^-1 P h f, m/s */                                              \
    X(double, b, s->unknowns, 1)                  /* right-hand side, m/s or the kind's unit per s */                  \
    X(double, contact_parting, s->contact_capacity, TAUT_PARTING_VALUES) /* b of contacts and what slides */ \
    X(float, inverse_diagonal, s->unknowns, 1)    /* of S; 0 where S has none, and at condensed unknowns */            \
    X(double, response, s->count[TAUT_INERTIA] > 0 ? s->rows : 0, 1) /* diagonal of J A^-1 J^T, mapped masses lumped on parents */ \
    X(float, shift, s->unknowns, 1)               /* proximal regularisation, added to S in the inner solve */         \
    X(float, inverse_shifted, s->unknowns, 1)     /* 1/(diagonal + shift) */                                           \
    X(float, free_conductance, s->bounded && s->condensed ? s->rows : 0, 1) /* Wh of rows with bounds where nothing    \
                                                   holds them */                                                       \
    X(double, unbounded, s->bounded && s->condensed ? s->rows : 0,                                                     \
      2) /* of rows with bounds: the impulse that they would                                                           \
have without, where the outer iteration began and as it is now, N s */                                                 \
    X(float, followed, s->touches && s->condensed ? s->rows : 0, 1) /* how multipliers of contacts last changed where  \
                                                   they followed the motion, N s */                                    \
    X(float, condensed_norm, s->condensed ? s->unknowns : 0, 1) /* 1/diagonal of S of condensed unknowns, else 0 */    \
    X(double, changing_block, s->touches || s->reserved_unknowns > 0 ? s->nodes : 0, 6) /* of H, by what comes and goes */ \
    X(float, diagonal_block_inverse, s->condensed ? s->nodes : 0, 6) /* of H, {xx, yy, zz, yz, zx, xy}; 0 at fixed and \
                                                   mapped nodes and those of the Schur complement */                   \
    /* solve */                                                                                                        \
    X(float, r, s->unknowns, 1)                                                                                        \
    X(float, z, s->unknowns, 1)                                                                                        \
    X(float, p, s->unknowns, 1)                                                                                        \
    X(float, q, s->unknowns, 1)                                                                                        \
    X(float, delta, s->unknowns, 1)                      /* correction of gam in one outer iteration */                \
    X(float, g, s->nodes, 4)                             /* P M^-1 P J^T p */                                          \
    X(double, g_f64, s->nodes, 4)                        /* the same for gam */                                        \
    X(float, node_r, s->condensed ? s->nodes : 0, 4)     /* condensed: residual, N s */                                \
    X(float, node_z, s->condensed ? s->nodes : 0, 4)     /* preconditioned */                                          \
    X(float, node_p, s->condensed ? s->nodes : 0, 4)     /* direction, m/s */                                          \
    X(float, node_q, s->condensed ? s->nodes : 0, 4)     /* H p */                                                     \
    X(float, node_delta, s->condensed ? s->nodes : 0, 4) /* correction of dv in one outer iteration */                 \
    X(double, wide, s->unknowns, 1)                      /* float64 scratch over rows */                               \
    X(double, row_scratch, s->rows, 3)                   /* more of it: operators, projections */                      \
    X(double, node_scratch, s->nodes, 16)                /* four float64 node vectors: operators and the new state */  \
    X(uint32_t, node_component, s->nodes, 1)             /* of a fixed one: its own */                                 \
    X(uint8_t, node_given_fixed, s->nodes, 1) /* 1: it was fixed in the scene */ \
    X(uint8_t, flight, s->solids > 0 || s->frames > 0 ? s->nodes : 0, 1) /* of bodies: taut_flight (model/impacts.h) */ \
    X(uint8_t, solid_fast, s->solids, 1)                 /* of a collider: 1: it is one that flies */                  \
    X(taut_solid_span, solid_span, s->solids, 1)         /* host/cpu/impacts.c: where it may be until the substep ends, */ \
    X(uint32_t, solid_order, s->solids, 1)               /* and colliders along an axis */                             \
    X(double, collider_way, s->watches ? s->colliders : 0, 1) /* m: how far any place of it goes in this part, at most */ \
    X(uint32_t, segment_first, s->segments, 1)           /* its first item; taut_plan has the first of each kind */    \
    X(uint32_t, segment_component, s->segments, 1)                                                                     \
    X(taut_account, account, s->components, 1)                                                                         \
    X(uint32_t, island_of, s->components, 1)             /* the first component that it touches, or itself */          \
    X(taut_island, island, s->components, 1)             /* of those that are first */                                 \
    X(uint8_t, component_spared, s->components, 1)       /* 1: its hard rows stay hard where those of others soften */ \
    X(uint32_t, frame_centre, s->frames, 1)              /* compile: of its body, or TAUT_NO_NODE */                   \
    /* sleep: host/cpu/sleep.c */                                                                                      \
    X(double, frame_reach, s->sleeps ? s->frames : 0, 1)    /* compile: m at which its mass turns, in the mean */      \
    X(uint32_t, sleep_island, s->sleeps ? s->components : 0, 1) /* as island_of, where the step begins */              \
    X(uint8_t, component_state, s->sleeps ? s->components : 0, 1)                                                      \
    X(uint8_t, node_rests, s->sleeps ? s->nodes : 0, 1)         /* 1: a step is under way, and it sleeps */            \
    X(float, rest_inverse_mass, s->sleeps ? s->nodes : 0, 1)    /* inverse_mass of nodes that rest, */                 \
    X(double, rest_gam, s->sleeps ? s->unknowns : 0, 1)         /* and gam, */                                         \
    X(double, rest_lam, s->sleeps ? s->rows : 0, 1)             /* lam, */                                             \
    X(double, rest_lam_smooth, s->sleeps ? s->rows : 0, 1)      /* and lam_smooth before the step */                   \
    X(double, partial, s->chunks, TAUT_PARTIALS)         /* sums of each chunk or segment */                                      \
    /* compile, where numbers differ from those given: host/compile/ordering.h */                                      \
    X(uint32_t, node_at, s->nodes_move ? s->points : 0, 1) /* number here of each given point */                       \
    X(uint32_t, row_at, s->rows_move ? s->rows : 0, 1)     /* number here of each given row */                         \
    /* publish: what users see, in the order given */                                                                  \
    X(double, given_x, s->nodes_move ? s->points : 0, 3)                                                               \
    X(float, given_x_f32, s->nodes_move ? s->points : 0, 3)                                                            \
    X(double, given_v, s->nodes_move ? s->points : 0, 3)                                                               \
    X(double, given_phi, s->rows_move ? s->rows : 0, 1)                                                                \
    X(double, given_lam, s->rows_move ? s->rows : 0, 1)                                                                \
    /* preconditioners */                                                                                              \
    X(float, chebyshev_direction, s->chebyshev ? s->unknowns : 0, 1)                                                   \
    X(float, chebyshev_residual, s->chebyshev ? s->unknowns : 0, 1)                                                    \
    X(uint32_t, block_begin, s->blocks > 0 ? s->blocks + 1 : 0, 1) /* into block_unknown */                            \
    X(uint32_t, block_unknown, s->block_unknowns, 1)                                                                   \
    X(size_t, block_value_begin, s->blocks > 0 ? s->blocks + 1 : 0, 1)    /* into block_inverse */                     \
    X(float, block_inverse, s->block_values, 1)                           /* dense, row by row */                      \
    X(double, block_scratch, s->block_scratch, 1)                         /* float64 blocks being inverted */          \
    X(uint32_t, block_member_begin, s->blocks > 0 ? s->blocks + 1 : 0, 1) /* into block_member */                      \
    X(uint32_t, block_member, s->block_members, 1) /* constraint number, counted through all kinds in order */         \
    X(uint32_t, block_entry_begin, s->blocks > 0 ? s->blocks + 1 : 0, 1) /* into block_entry_* */                      \
    X(uint32_t, block_entry_node, s->block_entries, 1)                   /* ascending within a block */                \
    X(uint32_t, block_entry_member, s->block_entries, 1)                 /* which member of the block */               \
    X(uint32_t, block_entry_slot, s->block_entries, 1)                   /* its slot, or its linear entry */           \
    X(uint32_t, block_entry_local, s->block_entries, 1)               /* its first row among the block's unknowns */   \
    X(uint32_t, colour_begin, s->colours > 0 ? s->colours + 1 : 0, 1) /* first block of each colour */                 \
    X(size_t, sweep_begin, s->colours > 0 ? s->blocks + 1 : 0, 1)     /* of each block into sweep_row */               \
    X(float, sweep_row, s->sweep_rows, 3)                             /* K of a block: of each support all rows */     \
    X(float, sweep_weight, s->colours > 0 ? s->block_values : 0, 1)   /* (C/(h l) + shift) (+) I of a block, dense */  \
    X(uint32_t, line_begin, s->lines > 0 ? s->lines + 1 : 0, 1)       /* first group (a block) of each line */         \
    X(uint32_t, line_of, s->lines > 0 ? s->blocks : 0, 1)             /* line of each group */                         \
    X(uint32_t, line_order, s->lines > 0 ? s->blocks : 0, 1)          /* groups as they are eliminated */              \
    X(uint8_t, line_node, s->lines > 0 ? s->nodes : 0, 1)             /* 1: groups may be coupled at this node */      \
    X(size_t, line_value_begin, s->lines > 0 ? s->blocks + 1 : 0, 1)  /* into line_value */                            \
    X(double, line_value, s->line_values, 1)                          /* kernels/stages/line_elimination.h */          \
    X(double, line_rest, s->lines > 0 ? s->block_unknowns : 0, 1)     /* right-hand side, reduced */                   \
    X(double, line_solution, s->lines > 0 ? s->block_unknowns : 0, 1)

#define TAUT_DECLARE_FIELD(type, name, count, columns) type* name;

typedef struct taut_kind_fields {
    TAUT_KIND_FIELDS(TAUT_DECLARE_FIELD)
} taut_kind_fields;

typedef struct taut_fields {
    TAUT_WORLD_FIELDS(TAUT_DECLARE_FIELD)
    taut_kind_fields kinds[TAUT_KIND_COUNT];
} taut_fields;

/* Ticks number the steps: a step that completes is followed by the next tick, one that diverges is tried again under
 * its own. Goals belong to a tick, so that only the host writes them. 0 is no tick. */
#define TAUT_FIRST_TICK 2

#ifdef __cplusplus
extern "C" {
#endif

/* Place of value r of constraint c among the unknowns of `count` constraints with `values` each. */
size_t taut_unknown_place(const taut_sizes* sizes, size_t count, size_t values, size_t c, size_t r);

/* Numbers of all unknowns of constraint c of kind k: its rows, then its factor rows. Returns how many. */
uint32_t taut_list_unknowns(const taut_sizes* sizes, taut_kind k, uint32_t c, uint32_t* out);

/* Rows of constraints that users gave or may add; those of contacts follow them. */
size_t taut_given_rows(const taut_sizes* sizes);

/* Constraints of kind k that the scene has. */
static inline size_t taut_given_count(const taut_sizes* sizes, int k) {
    return sizes->count[k] - sizes->reserved[k];
}

/* What users see of a field: in the order in which they gave particles and constraints. */
taut_array taut_view_of(const taut_fields* fields, const taut_sizes* sizes, taut_field field, bool on_device);

/* Points the fields into `block` and returns the bytes it must have; with NULL only counts. */
size_t taut_layout_pack(const taut_sizes* sizes, void* block, taut_fields* fields);

#ifdef __cplusplus
}
#endif

#endif
