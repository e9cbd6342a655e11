/* A scene file as read: checked number by number, but not yet built. The format is described in docs/scene-format.md.
 * Strings and arrays belong to the scene_file. */
#ifndef TAUT_APP_SCENE_FILE_H
#define TAUT_APP_SCENE_FILE_H

#include "base/report.h"
#include "scene_json/json_text.h"
#include "scene_json/motion.h"
#include "scene_json/placement.h"

#include "taut/taut.h"

/* Vertices of a scene and of a rope or grid; far above what steps at a useful rate, far below what overflows. */
#define SCENE_MAX_PARTICLES 100000000u

typedef struct spring_law {
    bool given;
    double compliance;
    double damping; /* s */
    bool force;     /* a force field in place of constraints */
    bool bounded;
    double lower, upper, strength; /* N; where bounded */
} spring_law;

/* ---- references ----------------------------------------------------------------------------------------------- */

/* A vertex of an object or mapping, numbered on from the objects; or a point fixed on a body of a rigid object. */
typedef struct point_reference {
    size_t object;
    uint32_t vertex; /* with `at_given`: the body */
    bool at_given;
    double at[3]; /* m, world, at the start */
} point_reference;

/* Some vertices of one object. */
typedef struct selection_spec {
    size_t object;
    size_t count; /* 0: the box selects */
    uint32_t* vertices;
    double box[2][3]; /* m, world, after placement */
} selection_spec;

/* weight times a point, or times one of its coordinates. */
typedef struct weighted_term {
    point_reference point; /* or body, of a turn */
    unsigned axis;
    bool turn; /* of speeds: the angular velocity */
    double weight;
} weighted_term;

/* ---- contact -------------------------------------------------------------------------------------------------- */

/* How something meets what it touches. */
typedef struct contact_class {
    size_t material;      /* 0: the default one, else 1 + its place in the file */
    uint32_t group, mask; /* a bit for each group; bit 0 is "default" */
} contact_class;

/* What makes an object touch: its points alone, which meet colliders and surfaces, or its triangles or segments. */
typedef struct touching_spec {
    bool given;
    double radius; /* m, of every point; not of rigid objects */
    bool surface;
    bool self; /* of surfaces */
    contact_class how;
} touching_spec;

typedef struct material_spec {
    char* name;
    taut_material_def law;
} material_spec;

typedef struct material_pair_spec {
    size_t materials[2]; /* as in contact_class */
    taut_material_def law;
} material_pair_spec;

/* ---- objects -------------------------------------------------------------------------------------------------- */

typedef enum object_type {
    OBJECT_PARTICLES,
    OBJECT_CLOTH,
    OBJECT_ROPE,
    OBJECT_SOFT,
    OBJECT_RIGID,
    OBJECT_ROD,
    OBJECT_COLLIDER
} object_type;

typedef struct particles_spec {
    size_t count;
    double (*positions)[3];
    double (*velocities)[3]; /* NULL: at rest */
    double* masses;          /* NULL: `mass` */
    double mass;
} particles_spec;

/* A rectangular body divided evenly, of two dimensions (cloth) or three (soft). */
typedef struct grid_spec {
    double size[3]; /* m */
    uint32_t cells[3];
} grid_spec;

/* What air and pressure do to the triangles of an object. */
typedef struct surface_spec {
    bool given;
    double drag;     /* kg/m^3 */
    double friction; /* kg/m^3 */
    double wind[3];  /* m/s */
    double pressure; /* Pa */
} surface_spec;

typedef struct cloth_spec {
    char* mesh; /* NULL: the grid */
    grid_spec grid;
    double density; /* kg/m^2 */
    bool membrane;
    double young; /* N/m; membrane */
    double poisson;
    double damping;
    spring_law stretch; /* edges */
    spring_law shear;
    spring_law bend; /* compliance 1/B, 1/(N m) */
    bool bend_flat;  /* rest angles 0 instead of the mesh's own */
    surface_spec surface;
} cloth_spec;

typedef struct rope_spec {
    size_t count;
    double (*points)[3];
    uint32_t segments; /* 0: the points as they are */
    double density;    /* kg/m */
    spring_law stretch;
    spring_law bend; /* compliance 1/(E I), 1/(N m^2) */
} rope_spec;

typedef enum soft_model { SOFT_STRAIN, SOFT_COROTATIONAL, SOFT_NEO_HOOKEAN, SOFT_ST_VENANT_KIRCHHOFF } soft_model;

typedef struct soft_spec {
    char* mesh; /* NULL: the grid */
    soft_model model;
    grid_spec grid;
    double density; /* kg/m^3 */
    double young;   /* Pa */
    double poisson;
    double damping;
    spring_law volume; /* compliance 1/K, 1/Pa */
    surface_spec surface;
} soft_spec;

typedef enum solid_shape {
    SOLID_BOX,
    SOLID_SPHERE,
    SOLID_CYLINDER,
    SOLID_CAPSULE,
    SOLID_CONE,
    SOLID_MESH,
    SOLID_PLANE,
    SOLID_SHAPE_COUNT
} solid_shape;

/* The shape of a homogeneous body, or of a collider, in its own axes. */
typedef struct solid_spec {
    solid_shape shape;
    double sides[3];  /* m; box */
    double radius;    /* m; sphere, cylinder, capsule, cone */
    double height;    /* m, along z; cylinder, cone, and the straight part of a capsule */
    double normal[3]; /* plane: out of what is solid, of any length but 0 */
    char* mesh;
} solid_spec;

/* Bodies of one shape and mass. */
typedef struct rigid_spec {
    solid_spec solid;
    double density; /* kg/m^3; 0: `mass` */
    double mass;    /* kg, each */
    bool inertia_given;
    double inertia[6]; /* kg m^2: xx, yy, zz, yz, zx, xy about the centre of mass, own axes */
    bool centre_given;
    double centre[3]; /* m: centre of mass in the axes of the mesh */
    size_t count;
    double (*positions)[3];     /* of the origin of the shape */
    double* orientations;       /* count x 4; NULL: none of their own */
    double* velocities;         /* count x 3, m/s; NULL: at rest */
    double* angular_velocities; /* count x 3, rad/s; NULL: at rest */
    bool fixed;
} rigid_spec;

typedef enum rod_rest { ROD_DRAWN, ROD_STRAIGHT, ROD_CURVED } rod_rest;

typedef struct rod_spec {
    size_t count;
    double (*points)[3];
    uint32_t segments; /* 0: the points as they are */
    double radius;     /* m */
    double density;    /* kg/m^3 */
    double young;      /* Pa */
    double shear;      /* Pa */
    double damping;
    bool inextensible;
    rod_rest rest;
    double curvature[3];  /* 1/m, about the axes of the pieces; ROD_CURVED */
    bool clamp[2];        /* start, end */
    double torques[2][3]; /* N m, world axes, on the first and the last piece */
} rod_spec;

/* Samples of the vertices of a mesh. */
typedef struct animation_spec {
    char* file;     /* NULL: none */
    double fps;     /* 0: that of the scene, or the times of the file */
    double start;   /* s, of the scene, at the first sample */
    uint32_t first; /* number of the first file of a sequence */
} animation_spec;

/* A shape that others touch. */
typedef struct collider_spec {
    solid_spec solid;
    double spacing; /* m, of a mesh; 0: none */
    bool skin;      /* its corners and edges, or all around it, meet surfaces */
    contact_class how;
    bool on_body;         /* moves with `body` */
    point_reference body; /* of a rigid object before this one */
    bool local;           /* its place is in the body's axes, from its centre of mass */
    motion path;
    animation_spec animation;
    double thickness; /* m, of a mesh that is a two-sided surface; 0: of an open mesh as its edges say, of a closed one
                         none: it is solid inside */
} collider_spec;

typedef struct scene_object {
    char* name;
    object_type type;
    placement place;
    touching_spec touching; /* not of colliders */
    union {
        particles_spec particles;
        cloth_spec cloth;
        rope_spec rope;
        soft_spec soft;
        rigid_spec rigid;
        rod_spec rod;
        collider_spec collider;
    } as;
} scene_object;

/* ---- mappings ------------------------------------------------------------------------------------------------- */

typedef enum mapping_type {
    MAPPING_POINTS,
    MAPPING_COMBINATION,
    MAPPING_SUBSET,
    MAPPING_DIFFERENCE,
    MAPPING_DISTANCE,
    MAPPING_BARYCENTRIC,
    MAPPING_SKIN,
    MAPPING_LINEAR,
    MAPPING_TYPE_COUNT
} mapping_type;

/* Sums of terms. Combination: a group per point; difference and distance: two terms a group; linear: a group per
 * coordinate of a point. */
typedef struct sum_spec {
    size_t count;    /* groups */
    size_t* offsets; /* count + 1, into terms */
    weighted_term* terms;
} sum_spec;

/* Points with places of their own at the start. */
typedef struct embedding_spec {
    char* mesh;   /* NULL: positions */
    size_t count; /* positions */
    double (*positions)[3];
    size_t object;  /* that carries them; not of skins */
    uint32_t body;  /* points: of the object */
    bool local;     /* points: in the body's axes, from its centre of mass */
    bool trilinear; /* barycentric in the cells of a grid */
    size_t body_count;
    point_reference* bodies; /* skin: centres of mass */
    double* weights;         /* skin: positions x bodies; NULL: the nearest body alone */
} embedding_spec;

typedef struct scene_mapping {
    char* name;
    mapping_type type;
    placement place; /* of embeddings */
    double mass;     /* kg, each; 0: none */
    size_t mass_count;
    double* masses; /* NULL: `mass` */
    selection_spec subset;
    sum_spec sum;
    embedding_spec embedding;
    touching_spec touching; /* of embeddings */
} scene_mapping;

/* ---- constraints ---------------------------------------------------------------------------------------------- */

typedef enum constraint_type {
    CONSTRAINT_PIN,
    CONSTRAINT_DISTANCE,
    CONSTRAINT_ATTACH,
    CONSTRAINT_LINEAR,
    CONSTRAINT_SPEED,
    CONSTRAINT_JOINT
} constraint_type;

typedef struct pin_spec {
    selection_spec at;
    size_t frame_count;
    uint32_t* frames; /* pieces of a rod */
    bool clamp;       /* holds the slope, too */
    motion path;
    bool follows; /* in place of the path: a collider that moves */
    size_t leader;
    spring_law law; /* given: a compliant target instead of a fixed vertex */
} pin_spec;

static inline bool pin_moves(const pin_spec* pin) {
    return pin->path.count > 0 || pin->follows;
}

typedef struct pair_spec {
    point_reference ends[2];
    bool length_given; /* distance */
    double length;
    double offset[3]; /* attach: rest value of b - a */
    bool contact;     /* attach: what it joins touches where it overlaps at the start, too */
    spring_law law;
} pair_spec;

/* sum of weight times coordinate, or velocity, = rest */
typedef struct linear_spec {
    size_t count;
    weighted_term* terms;
    bool rest_given; /* false: as it starts, or a speed of 0 */
    double rest;
    bool of_velocities;
    spring_law law;
} linear_spec;

/* The held translations or rotations of a joint, by its axes x, y, z. */
typedef struct joint_law {
    double compliance[3];
    double damping[3];
    double rest[3]; /* m or rad */
} joint_law;

/* Limits of a joint: of the free coordinate of hinges and sliders, of the swing and the twist of others. */
typedef struct joint_limits {
    bool lower_given, upper_given, swing_given, twist_given;
    double lower, upper, swing, twist[2]; /* rad or m */
    double compliance, damping;
} joint_limits;

typedef struct joint_spec {
    taut_joint_type type;
    bool world[2]; /* in place of the body */
    point_reference bodies[2];
    double position[3];    /* m, world */
    double orientation[4]; /* of the joint's axes */
    joint_law translation;
    joint_law rotation;
    bool driven;
    drive_path drive;
    spring_law drive_law;
    joint_limits limits;
    bool motor;
    drive_path speed; /* of the motor */
    double max_force, slip;
    bool contact; /* between the two bodies */
} joint_spec;

typedef struct scene_constraint {
    constraint_type type;
    union {
        pin_spec pin;
        pair_spec pair;
        linear_spec linear;
        joint_spec joint;
    } as;
} scene_constraint;

typedef struct scene_file {
    char* path;
    uint64_t identity; /* scene_identity.h */
    uint32_t frames;
    double fps;
    bool require_convergence;
    taut_world_def world;  /* gravity, integrator, solver, contact, speed limit; of the quality, */
    uint32_t own_substeps; /* and without one */
    double own_tolerance;
    bool loses_energy;  /* links turn by one linearisation a step of a scheme that damps little */
    double budget;      /* s a frame; 0: none */
    size_t group_count; /* of contact, without "default" */
    char** groups;
    size_t material_count;
    material_spec* materials;
    size_t material_pair_count;
    material_pair_spec* material_pairs;
    size_t object_count;
    scene_object* objects;
    size_t mapping_count;
    scene_mapping* mappings;
    size_t constraint_count;
    scene_constraint* constraints;
} scene_file;

bool scene_file_read(const char* path, scene_file* out, report* r);
bool scene_file_parse(const json_text* text, scene_file* out, report* r);
/* Changes what the file says by a quality, in place of the file's own. */
void scene_file_set_quality(scene_file* s, taut_quality quality);
void scene_file_free(scene_file* s); /* a zeroed scene_file is allowed */

#endif
