/* A scene file as read: checked number by number, but not yet built. The format is described in docs/scene-format.md.
 * Strings and arrays belong to the scene_file. */
#ifndef TAUT_APP_SCENE_FILE_H
#define TAUT_APP_SCENE_FILE_H

#include "json_text.h"
#include "motion.h"
#include "placement.h"
#include "report.h"

#include "taut/taut.h"

/* Vertices of a scene and of a rope or grid; far above what steps at a useful rate, far below what overflows. */
#define SCENE_MAX_PARTICLES 100000000u

typedef struct spring_law {
    bool given;
    double compliance;
    double damping; /* s */
} spring_law;

typedef enum object_type { OBJECT_PARTICLES, OBJECT_CLOTH, OBJECT_ROPE, OBJECT_SOFT } object_type;

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
} cloth_spec;

typedef struct rope_spec {
    size_t count;
    double (*points)[3];
    uint32_t segments; /* 0: the points as they are */
    double density;    /* kg/m */
    spring_law stretch;
    spring_law bend; /* compliance 1/(E I), 1/(N m^2) */
} rope_spec;

typedef struct soft_spec {
    char* mesh; /* NULL: the grid */
    grid_spec grid;
    double density; /* kg/m^3 */
    double young;   /* Pa */
    double poisson;
    double damping;
    spring_law volume; /* compliance 1/K, 1/Pa */
} soft_spec;

typedef struct scene_object {
    char* name;
    object_type type;
    placement place;
    union {
        particles_spec particles;
        cloth_spec cloth;
        rope_spec rope;
        soft_spec soft;
    } as;
} scene_object;

typedef enum constraint_type { CONSTRAINT_PIN, CONSTRAINT_DISTANCE, CONSTRAINT_ATTACH } constraint_type;

typedef struct pin_spec {
    size_t object;
    size_t count; /* 0: the box selects */
    uint32_t* vertices;
    double box[2][3]; /* m, world, after placement */
    motion path;
    spring_law law; /* given: a compliant target instead of a fixed vertex */
} pin_spec;

typedef struct vertex_reference {
    size_t object;
    uint32_t vertex;
} vertex_reference;

typedef struct pair_spec {
    vertex_reference ends[2];
    bool length_given; /* distance */
    double length;
    double offset[3]; /* attach: rest value of b - a */
    spring_law law;
} pair_spec;

typedef struct scene_constraint {
    constraint_type type;
    union {
        pin_spec pin;
        pair_spec pair;
    } as;
} scene_constraint;

typedef struct scene_file {
    char* path;
    uint32_t frames;
    double fps;
    bool require_convergence;
    taut_world_def world; /* gravity, integrator, solver, speed limit */
    size_t object_count;
    scene_object* objects;
    size_t constraint_count;
    scene_constraint* constraints;
} scene_file;

bool scene_file_read(const char* path, scene_file* out, report* r);
bool scene_file_parse(const json_text* text, scene_file* out, report* r);
void scene_file_free(scene_file* s); /* a zeroed scene_file is allowed */

#endif
