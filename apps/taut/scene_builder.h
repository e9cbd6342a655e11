/* What the parts of scene_build share: the scene under construction and failure at a place of the file. */
#ifndef TAUT_APP_SCENE_BUILDER_H
#define TAUT_APP_SCENE_BUILDER_H

#include "scene_build.h"

typedef struct scene_builder {
    const scene_file* file;
    built_scene* built;
    const char* list; /* "objects" or "constraints" */
    size_t index;     /* in that list, of what is being built */
    uint32_t* holder; /* per particle: 1 + index of the pin that holds it, 0 none; see pins.c */
    report* r;
} scene_builder;

/* 'FILE: objects[INDEX]MEMBER: cause'; member is "" or starts with a dot. Returns false. */
bool build_fail(scene_builder* b, const char* member, const char* format, ...) __attribute__((format(printf, 3, 4)));
/* True for TAUT_OK; otherwise fails with the library's own sentence. */
bool build_check(scene_builder* b, const char* member, taut_status status);

/* Objects: each adds its particles and constraints and describes itself to the exporters. */
bool build_particles(scene_builder* b, const scene_object* o, export_object* out);
bool build_cloth(scene_builder* b, const scene_object* o, export_object* out);
bool build_rope(scene_builder* b, const scene_object* o, export_object* out);
bool build_soft(scene_builder* b, const scene_object* o, export_object* out);

/* A copy of an object's own points where its placement puts them. NULL after setting the report. */
double (*build_placed(scene_builder* b, const scene_object* o, size_t count, const double (*points)[3]))[3];

/* Adds particles and fills in name, first_point and point_count of `out`. A vertex without mass is refused: it would
 * fly off at the first force. */
bool build_body(scene_builder* b, const scene_object* o, const taut_particles_def* def, export_object* out);

/* Distance constraints between `pairs` of vertices counted from `first`, rest at the current distance L, each with
 * compliance law.compliance * L. */
bool build_springs(scene_builder* b, const char* member, uint32_t first, size_t count, const uint32_t (*pairs)[2],
                   const spring_law* law);

/* Copies vertex indices, counted from `first` instead of 0. NULL after setting the report. */
uint32_t* build_indices(scene_builder* b, uint32_t first, size_t count, const uint32_t* vertices);

/* Constraints between objects. */
bool build_pin(scene_builder* b, const pin_spec* pin);
bool build_distance(scene_builder* b, const pair_spec* pair);
bool build_attach(scene_builder* b, const pair_spec* pair);

/* The particle of a vertex of an object, checked against the object's size. */
bool build_vertex(scene_builder* b, const char* member, size_t object, uint32_t vertex, uint32_t* out);

#endif
