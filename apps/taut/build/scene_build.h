/* From a scene file to a taut_scene, and what the tool must remember beside it to move things and to write frames. */
#ifndef TAUT_APP_SCENE_BUILD_H
#define TAUT_APP_SCENE_BUILD_H

#include "build/followers.h"
#include "export/export.h"
#include "mesh/point_cache.h"
#include "scene_json/scene_file.h"

/* An object of the file, or a mapping. */
typedef struct built_object {
    const char* name;   /* belongs to the scene_file */
    size_t first_point; /* its vertices: particles, centres of mass or mapped points */
    size_t point_count;
    size_t first_frame; /* bodies, one per vertex; pieces of a rod, one between two vertices */
    size_t frame_count;
    bool rigid;   /* vertices are bodies */
    bool lengths; /* mapped: only x means something */
    bool exported;
    export_shape shape;
    double width;                   /* m; curves and points */
    const uint32_t (*triangles)[3]; /* owned */
    size_t triangle_count;
    double (*skin)[3]; /* a shape's points in the axes of the body that carries it, from its centre of mass; owned */
    size_t skin_count;
    size_t skin_copies; /* as many as bodies that carry one, counted from these two on; 0: it stands in the world */
    size_t skin_point;
    size_t skin_frame;
    bool collides; /* a collider of the file */
    uint32_t collider;
    uint32_t (*tets)[4]; /* soft, until the mappings are built; owned */
    size_t tet_count;
    uint32_t* walls; /* of a clamped rod: per vertex the frame that holds its tangent, or NO_WALL; owned */
} built_object;

#define NO_WALL UINT32_MAX

/* Points and frames that are in no object: ends of constraints on bodies, parts of mappings, bodies for the world. */
typedef struct unnamed_nodes {
    char place[64]; /* in the file, or "world" */
    size_t number;  /* of the first: of the world's bodies, which come one by one; else 0 */
    size_t first_point;
    size_t point_count;
    size_t first_frame;
    size_t frame_count;
} unnamed_nodes;

/* A pin, or a collider that moves by itself. */
typedef struct moving_pin {
    const motion* path; /* belongs to the scene_file; NULL: it follows `leader` */
    size_t count;
    uint32_t* particles;
    double (*start)[3];
    double (*now)[3]; /* scratch of scene_move */
    size_t frame_count;
    uint32_t* frames;
    double (*frame_start)[4]; /* read by scene_begin */
    double (*frame_now)[4];   /* scratch of scene_move */
    double centre[3];
    const struct moving_mesh* leader; /* in place of the path, with these: NULL or one for each point and frame */
    follower* bound;
    follower* bound_frames;
    taut_batch batch; /* of targets; 0: the particles are fixed */
} moving_pin;

/* An animated mesh. */
typedef struct moving_mesh {
    size_t object;
    point_cache samples;
    double start; /* s */
    bool solid;   /* a collider, otherwise the surface of `points` */
    uint32_t collider;
    uint32_t* points;
    double (*now)[3]; /* scratch of scene_move */
} moving_mesh;

/* Points behind the clamps of cloth and ropes, fixed, which move with the pin. */
typedef struct wall_points {
    size_t constraint; /* the pin */
    uint32_t first, count;
} wall_points;

typedef struct moving_drive {
    const drive_path* path; /* belongs to the scene_file */
    bool speed;             /* of a motor, not a place */
    taut_batch batch;
} moving_drive;

typedef struct frame_torque {
    uint32_t frame;
    double torque[3]; /* N m, world axes */
} frame_torque;

/* Where in the file a batch comes from, such as "objects[0].stretch". */
typedef struct batch_source {
    char place[64];
} batch_source;

typedef struct built_scene {
    taut_scene* scene;
    size_t object_count;   /* with the mappings behind the objects */
    built_object* objects; /* in the order of the file */
    size_t unnamed_count;
    unnamed_nodes* unnamed;
    size_t wall_count;
    wall_points* walls; /* at most one run per pin */
    size_t pin_count;
    moving_pin* pins;
    size_t mesh_count;
    moving_mesh* meshes;
    size_t drive_count;
    moving_drive* drives;
    size_t torque_count;
    frame_torque* torques;
    size_t fixed_count; /* vertices */
    bool* fixed;        /* per particle: a pin or its object fixes it */
    size_t mapped_count;
    size_t touching_count; /* points that touch */
    size_t face_count;     /* triangles and segments that touch */
    size_t collider_count; /* with those of rigid objects */
    size_t source_count;
    batch_source* sources;       /* of every batch */
    bool kinds[TAUT_KIND_COUNT]; /* present in the scene; contact where something can touch something */
} built_scene;

/* The file must outlive the built scene. */
bool scene_build(const scene_file* file, built_scene* out, report* r);
void built_scene_free(built_scene* b); /* a zeroed one is allowed */

/* Once, before the first step: what the scene file asks of a world and the library has no definition for. */
taut_status scene_begin(const built_scene* b, taut_world* world);
/* Tells the world where pins, colliders, animated meshes and drives are at the end of the step of dt that ends at
 * `time`, and how they turn in it. */
taut_status scene_move(const built_scene* b, taut_world* world, double time, double dt);

#endif
