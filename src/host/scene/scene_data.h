/* The inside of taut_scene: growable arrays, one set per constraint kind, and the list of batches over them. */
#ifndef TAUT_SCENE_SCENE_DATA_H
#define TAUT_SCENE_SCENE_DATA_H

#include "base/memory.h"
#include "host/scene/collider_meshes.h"
#include "model/kind_sizes.h"
#include "model/maps.h"
#include "taut/contact.h"
#include "taut/scene.h"

/* Largest magnitudes that are taken for meant: beyond, the input is refused as absurd. */
#define TAUT_MAX_LENGTH     1e9   /* m, m/s */
#define TAUT_MIN_MASS       1e-12 /* kg */
#define TAUT_MAX_MASS       1e15
#define TAUT_MAX_COMPLIANCE 1e30
#define TAUT_MAX_COUNT      (UINT32_MAX / 16) /* particles, constraints of a kind: keeps every row index in 32 bits */

typedef struct scene_kind {
    uint32_t count;
    taut_buffer nodes;      /* uint32, count x nodes */
    taut_buffer rest;       /* double, count x rest values */
    taut_buffer compliance; /* double, count x packed block */
    taut_buffer damping;    /* double, count */
    taut_buffer measure;    /* double, count: rest area or volume of elements, else 1 */
} scene_kind;

/* Entries of the linear rows, behind one another. Coordinates from TAUT_ROTATION_OF(0, 0) on are those of frames; it
 * divides by 3. */
typedef struct scene_linear {
    taut_buffer ends; /* uint32, one past the last entry of each row */
    taut_buffer coordinates;
    taut_buffer weights;
} scene_linear;

typedef struct scene_entry {
    uint32_t parent; /* point, or frame of an arm */
    uint32_t code;   /* model/maps.h */
    double value[3]; /* weight first, or arm in the frame's axes */
} scene_entry;

/* Mapped points in order of addition, which is that of their numbers. */
typedef struct scene_mapping {
    uint32_t count;
    taut_buffer points;  /* uint32, count */
    taut_buffer ends;    /* uint32, count: one past the last entry of each */
    taut_buffer levels;  /* uint32, count: 1 for children of unknowns, at most TAUT_MAX_LEVEL */
    taut_buffer entries; /* scene_entry */
} scene_mapping;

/* Frames: orientations of bodies and of pieces of rods. */
typedef struct scene_frames {
    uint32_t count;
    taut_buffer orientations; /* double, count x 4 */
    taut_buffer velocities;   /* double, count x 3 */
    taut_buffer inertias;     /* double, count x 6 */
    taut_buffer fixed;        /* uint8 */
    taut_buffer centres;      /* uint32: point of the body, or TAUT_NO_POINT */
} scene_frames;

#define TAUT_NO_POINT UINT32_MAX

typedef struct scene_touching {
    uint32_t point;   /* particle, or centre of the body; of skins in the world TAUT_NO_POINT */
    uint32_t frame;   /* of the body, or TAUT_NO_FRAME */
    double offset[3]; /* in the body's axes, or in the world */
    double radius;
    uint32_t material, group, mask;
    uint32_t surface;   /* that it is a corner of, or TAUT_NO_SURFACE */
    bool self;          /* whether that meets itself */
    bool sheet;         /* whether a collider mesh meets solids in its place */
    uint32_t skin_of;   /* the collider whose skin that is, or TAUT_NO_COLLIDER */
    double outwards[3]; /* of skins: unit normal, in the axes of the offset; 0 of round ones */
    uint32_t half;      /* of skins of meshes that deform: a half-edge that begins there; else TAUT_NO_POINT */
} scene_touching;

#define TAUT_NO_SURFACE UINT32_MAX

/* A triangle between contact points, or a segment, whose third corner is the second one again. */
typedef struct scene_face {
    uint32_t corner[3];
    uint32_t across[3]; /* corner beyond edge i (corners i and i + 1) of the neighbour, or TAUT_NO_POINT */
    uint32_t owns;      /* a taut_face_flags: features that no earlier face has */
} scene_face;

typedef struct scene_edge {
    uint32_t corner[2];
    uint32_t across[2]; /* third corners of the triangles at it, or TAUT_NO_POINT */
} scene_edge;

typedef struct scene_collider {
    taut_shape shape;
    uint32_t mesh;
    double size[3];
    uint32_t point, frame; /* of its body, or TAUT_NO_POINT and TAUT_NO_FRAME */
    double position[3];
    double orientation[4];
    uint32_t material, group, mask;
    bool solid; /* it touches others */
    bool skin;  /* it has one */
} scene_collider;

typedef struct scene_pair {
    uint32_t a, b; /* materials, a <= b */
    taut_material_def law;
} scene_pair;

#define TAUT_NO_FRAME      UINT32_MAX
#define TAUT_MAX_MATERIALS 256

/* What a constraint joins: of an attachment points, else frames of bodies. These do not touch while it is there. */
typedef struct scene_joined {
    uint32_t kind, constraint; /* the first row of a joint, as given */
    uint32_t ends[2];
    uint32_t rigid;       /* 1: hard, and nothing moves */
    uint32_t rows, turns; /* constraints of the kind; of a rigid joint the first of three TAUT_ANGULAR */
} scene_joined;

typedef struct scene_contact {
    taut_buffer touching;  /* scene_touching */
    taut_buffer colliders; /* scene_collider */
    taut_buffer faces;     /* scene_face */
    taut_buffer edges;     /* scene_edge */
    uint32_t surfaces;
    taut_buffer materials; /* taut_material_def: those after number 0 */
    taut_buffer pairs;     /* scene_pair */
    taut_buffer excluded;  /* uint32 x 2: bodies that never touch */
    taut_buffer attached;  /* uint32 x 2: points whose owners do not touch where they overlap at the start */
    taut_buffer joined;    /* scene_joined; attached points are also as those above */
    scene_meshes meshes;
} scene_contact;

typedef struct scene_batch {
    taut_kind kind;
    uint32_t first; /* among the constraints of its kind */
    uint32_t count;
    double poisson;
    bool as_force;
    bool of_velocities;
    bool drives; /* of joints, hard: a drive, which goes to a place */
    bool limits; /* of a joint: their forces keep their sign */
    bool bounded;
    double lower, upper, strength; /* N, where bounded */
} scene_batch;

struct taut_scene {
    taut_allocator allocator;
    uint32_t particle_count;
    taut_buffer positions;  /* double, count x 3 */
    taut_buffer velocities; /* double, count x 3 */
    taut_buffer masses;     /* double */
    taut_buffer fixed;      /* uint8 */
    scene_kind kinds[TAUT_KIND_COUNT];
    scene_linear linear;
    scene_mapping mapping;
    scene_frames frames;
    scene_contact contact;
    uint32_t ground;       /* frame of the body that stands for the world, plus 1; 0: none yet */
    uint32_t ground_users; /* passes over a joint that have got this one */
    taut_buffer batches;   /* scene_batch; id = index + 1 */
};

/* What holds between two materials. */
taut_status scene_check_material(const taut_scene* scene, const char* what, uint32_t material);
/* What a material says of it, or else of friction. */
double scene_static_friction(const taut_material_def* def);
taut_material_def scene_material_between(const taut_scene* scene, uint32_t a, uint32_t b);

taut_status scene_reserve_particles(taut_scene* scene, size_t count);
/* Into reserved room; false, and nothing, for numbers that are absurd. */
bool scene_append_particle(taut_scene* scene, const double position[3], const double velocity[3], double mass);

/* Nodes: points, then frames. Node of entry `e` of a kind: constraint * nodes + slot, or an entry of a linear row. */
uint32_t scene_node(const taut_scene* scene, taut_kind kind, size_t e);
size_t scene_node_count(const taut_scene* scene);
/* Whether a node is an unknown that moves. Mapped points are none. */
bool scene_node_free(const taut_scene* scene, size_t node);
/* 1/mass of a free node, or the mean of the inverse principal inertias; of a mapped point the sum of its parents'
 * with squared weights; 0 of a fixed one. */
double scene_node_inverse_mass(const taut_scene* scene, size_t node);
/* Number of a mapped point among them, or UINT32_MAX. */
uint32_t scene_mapped(const taut_scene* scene, uint32_t point);
/* Entries of mapped point m. */
const scene_entry* scene_entries(const taut_scene* scene, uint32_t m, uint32_t* count);
/* What the formula of constraint c reads of its nodes: positions or quaternions, `state` values each. */
void scene_gather(const taut_scene* scene, taut_kind kind, size_t c, double* x);

void scene_release_arrays(const taut_allocator* allocator, taut_scene* scene);

/* Incidences of a kind: constraints times nodes, or the entries of the linear rows. */
uint32_t scene_entry_count(const taut_scene* scene, taut_kind kind);

/* The batch of a handle, or NULL with taut_last_error set. */
const scene_batch* scene_find_batch(const scene_batch* batches, size_t count, taut_batch batch);
/* Whether the rows of a batch may have these bounds. */
taut_status scene_check_bounds(const scene_batch* batch, double lower, double upper);

/* Poisson's ratio as tetrahedra have it: at most this, a bulk modulus of 5,000 shear moduli. From there on a stress
 * changes a volume by a five-thousandth of the strain that it would make as shear, while meshes have more tetrahedra
 * than free coordinates: hard volumes would contradict each other, and their pressures have no bounds. */
#define SCENE_MOST_POISSON 0.4999

static inline double scene_tet_poisson(double poisson) {
    return poisson < SCENE_MOST_POISSON ? poisson : SCENE_MOST_POISSON;
}

/* Compliance block of one constraint, packed: `value` on the diagonal, or value / measure * (E D^-1) for the strain
 * kinds, where value is 1/E (src/kernels/formulas/membrane.h, tet_strain.h). */
void scene_compliance_block(taut_kind kind, double value, double poisson, double measure, double* packed);

/* The same with a value per row on the diagonal. */
void scene_diagonal_block(taut_kind kind, const double* values, double* packed);

/* Constraints as they are stored, numbers checked by the caller but for compliances and dampings. */
typedef struct scene_rows {
    taut_kind kind;
    size_t count;
    const uint32_t* nodes;     /* count x nodes: points, or frames in the kind's slots of frames */
    const double* rest;        /* count x rest */
    const double* compliances; /* count x rows, on the diagonal */
    const double* dampings;    /* count */
} scene_rows;

/* Room for what constraints join that do without contact: before they are added, so that nothing fails afterwards. */
taut_status scene_reserve_joined(taut_scene* scene, size_t count);
void scene_add_joined(taut_scene* scene, scene_joined joined);

/* Appends them, without a batch. */
taut_status scene_append(taut_scene* scene, const scene_rows* rows);

/* What a scene held at some moment. */
typedef struct scene_mark {
    uint32_t points, frames, mapped, ground, ground_users;
    uint32_t kinds[TAUT_KIND_COUNT];
    size_t batches;
} scene_mark;

/* A batch of the constraints of a kind that were appended since. `batch` may be NULL. */
taut_status scene_batch_since(taut_scene* scene, taut_kind kind, const scene_mark* mark, taut_batch* batch);

scene_mark scene_take_mark(const taut_scene* scene);
/* Removes what was added since: a call that fails in its middle leaves the scene as it was. */
void scene_return_to(taut_scene* scene, const scene_mark* mark);

/* Point indices of constraint `index` of a call: they exist, and differ. */
taut_status scene_check_nodes(const taut_scene* scene, taut_kind kind, size_t index, const uint32_t* nodes);
taut_status scene_check_pressure(size_t index, double pressure);
/* Of solid `index` of a call. */
taut_status scene_check_young(size_t index, double young);
taut_status scene_check_poisson(size_t index, double poisson);
/* Shared checks of numbers; `what` names the array for the sentence. */
taut_status scene_check_compliance(const char* kind, size_t index, double value);
taut_status scene_check_damping(const char* kind, size_t index, double value);
/* Rest length, angle, volume or value. */
taut_status scene_check_rest(taut_kind kind, size_t index, double value);

#endif
