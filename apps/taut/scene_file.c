#include "scene_file.h"

#include "array.h"
#include "scene_parse.h"

#include <stdlib.h>

static const char* const scene_keys[] = {"taut",   "gravity",     "frames",  "fps",         "substeps", "integrator",
                                         "solver", "speed_limit", "objects", "constraints", NULL};

bool parse_law_keys(const json_node* n, spring_law* law) {
    json_node member;
    law->given = json_find(n, "compliance", &member) || json_find(n, "damping", &member);
    return json_number_member(n, "compliance", json_not_negative, &law->compliance) &&
           json_number_member(n, "damping", json_not_negative, &law->damping);
}

static bool parse_version(const json_node* root) {
    json_node n;
    uint64_t version = 0;
    return json_need(root, "taut", &n) && json_integer(&n, 0, UINT32_MAX, &version) &&
           (version == 1 || json_fail(&n, "is %llu, this program reads version 1", (unsigned long long)version));
}

static bool parse_scene(const json_node* root, scene_file* s) {
    return json_object(root, scene_keys) && parse_version(root) && parse_settings(root, s) && parse_objects(root, s) &&
           parse_constraints(root, s);
}

bool scene_file_parse(const json_text* text, scene_file* out, report* r) {
    json_document document;
    if (!json_parse(text, &document, r)) {
        return false;
    }
    scene_file s = {.frames = 240, .fps = 60, .world = taut_default_world()};
    s.path = text_copy(text->path, r);
    json_node root = json_root(&document);
    bool ok = s.path && parse_scene(&root, &s);
    json_free(&document);
    if (!ok) {
        scene_file_free(&s);
        return false;
    }
    *out = s;
    return true;
}

bool scene_file_read(const char* path, scene_file* out, report* r) {
    json_text text;
    if (!json_text_read(path, &text, r)) {
        return false;
    }
    bool ok = scene_file_parse(&text, out, r);
    json_text_free(&text);
    return ok;
}

static void free_object(scene_object* o) {
    free(o->name);
    switch (o->type) {
    case OBJECT_PARTICLES:
        free(o->as.particles.positions);
        free(o->as.particles.velocities);
        free(o->as.particles.masses);
        break;
    case OBJECT_CLOTH:
        free(o->as.cloth.mesh);
        break;
    case OBJECT_ROPE:
        free(o->as.rope.points);
        break;
    case OBJECT_SOFT:
        free(o->as.soft.mesh);
        break;
    }
}

void scene_file_free(scene_file* s) {
    for (size_t i = 0; i < s->object_count; i++) {
        free_object(&s->objects[i]);
    }
    for (size_t i = 0; i < s->constraint_count; i++) {
        if (s->constraints[i].type == CONSTRAINT_PIN) {
            free(s->constraints[i].as.pin.vertices);
            free(s->constraints[i].as.pin.path.keys);
        }
    }
    free(s->objects);
    free(s->constraints);
    free(s->path);
    *s = (scene_file){0};
}
