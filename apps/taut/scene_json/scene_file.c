#include "scene_json/scene_file.h"

#include "base/array.h"
#include "scene_json/scene_identity.h"
#include "scene_json/scene_parse.h"

#include <stdlib.h>

static const char* const scene_keys[] = {
    "taut",        "gravity",        "frames",  "fps",       "substeps", "integrator",
    "solver",      "speed_limit",    "contact", "materials", "objects",  "mappings",
    "constraints", "material_pairs", "quality", "budget_ms", "sleep",    NULL};

static bool parse_version(const json_node* root) {
    json_node n;
    uint64_t version = 0;
    return json_need(root, "taut", &n) && json_integer(&n, 0, UINT32_MAX, &version) &&
           (version == 1 || json_fail(&n, "is %llu, this program reads version 1", (unsigned long long)version));
}

static bool parse_scene(const json_node* root, scene_file* s) {
    const bool ok = json_object(root, scene_keys) && parse_version(root) && parse_settings(root, s) &&
                    parse_contact(root, s) && parse_objects(root, s) && parse_mappings(root, s) &&
                    parse_constraints(root, s);
    if (ok) {
        default_linearisations(root, s);
        default_substeps(root, s);
        s->own_substeps = s->world.integrator.substeps;
        s->own_tolerance = s->world.solver.tolerance;
    }
    return ok && parse_quality(root, s);
}

void scene_file_set_quality(scene_file* s, taut_quality quality) {
    s->world.integrator.substeps = s->own_substeps;
    s->world.solver.tolerance = s->own_tolerance;
    taut_quality_preset(quality, &s->world.integrator, &s->world.solver);
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
    s.identity = ok ? scene_identity(text) : 0;
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

static void free_rigid(rigid_spec* rigid) {
    free(rigid->solid.mesh);
    free(rigid->positions);
    free(rigid->orientations);
    free(rigid->velocities);
    free(rigid->angular_velocities);
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
    case OBJECT_RIGID:
        free_rigid(&o->as.rigid);
        break;
    case OBJECT_ROD:
        free(o->as.rod.points);
        break;
    case OBJECT_COLLIDER:
        free(o->as.collider.solid.mesh);
        free(o->as.collider.path.keys);
        free(o->as.collider.animation.file);
        break;
    }
}

static void free_mapping(scene_mapping* m) {
    free(m->name);
    free(m->masses);
    free(m->subset.vertices);
    free(m->sum.offsets);
    free(m->sum.terms);
    free(m->embedding.mesh);
    free(m->embedding.positions);
    free(m->embedding.bodies);
    free(m->embedding.weights);
}

static void free_constraint(scene_constraint* c) {
    switch (c->type) {
    case CONSTRAINT_PIN:
        free(c->as.pin.at.vertices);
        free(c->as.pin.frames);
        free(c->as.pin.path.keys);
        break;
    case CONSTRAINT_LINEAR:
    case CONSTRAINT_SPEED:
        free(c->as.linear.terms);
        break;
    case CONSTRAINT_JOINT:
        free(c->as.joint.drive.keys);
        free(c->as.joint.speed.keys);
        break;
    case CONSTRAINT_DISTANCE:
    case CONSTRAINT_ATTACH:
        break;
    }
}

static void free_contact(scene_file* s) {
    for (size_t i = 0; i < s->group_count; i++) {
        free(s->groups[i]);
    }
    for (size_t i = 0; i < s->material_count; i++) {
        free(s->materials[i].name);
    }
    free((void*)s->groups);
    free(s->materials);
    free(s->material_pairs);
}

void scene_file_free(scene_file* s) {
    for (size_t i = 0; i < s->object_count; i++) {
        free_object(&s->objects[i]);
    }
    for (size_t i = 0; i < s->mapping_count; i++) {
        free_mapping(&s->mappings[i]);
    }
    for (size_t i = 0; i < s->constraint_count; i++) {
        free_constraint(&s->constraints[i]);
    }
    free_contact(s);
    free(s->objects);
    free(s->mappings);
    free(s->constraints);
    free(s->path);
    *s = (scene_file){0};
}
