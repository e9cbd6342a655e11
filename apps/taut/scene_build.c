#include "scene_build.h"

#include "array.h"
#include "scene_builder.h"

#include <stdlib.h>

static bool build_objects(scene_builder* b) {
    typedef bool builder(scene_builder * b, const scene_object* o, export_object* out);
    static builder* const builders[] = {build_particles, build_cloth, build_rope, build_soft};
    built_scene* built = b->built;
    built->objects = array_new(b->file->object_count, sizeof *built->objects, b->r);
    built->object_count = built->objects ? b->file->object_count : 0;
    b->list = "objects";
    bool ok = built->objects != NULL;
    for (b->index = 0; ok && b->index < built->object_count; b->index++) {
        const scene_object* o = &b->file->objects[b->index];
        ok = builders[o->type](b, o, &built->objects[b->index]);
    }
    return ok;
}

static bool build_constraint(scene_builder* b, const scene_constraint* c) {
    switch (c->type) {
    case CONSTRAINT_PIN:
        return build_pin(b, &c->as.pin);
    case CONSTRAINT_DISTANCE:
        return build_distance(b, &c->as.pair);
    case CONSTRAINT_ATTACH:
        return build_attach(b, &c->as.pair);
    }
    return false;
}

static bool build_constraints(scene_builder* b) {
    b->holder = array_new(taut_scene_particle_count(b->built->scene), sizeof *b->holder, b->r);
    b->built->pins = array_new(b->file->constraint_count, sizeof *b->built->pins, b->r);
    b->list = "constraints";
    bool ok = b->holder && b->built->pins;
    for (b->index = 0; ok && b->index < b->file->constraint_count; b->index++) {
        ok = build_constraint(b, &b->file->constraints[b->index]);
    }
    free(b->holder);
    return ok;
}

bool scene_build(const scene_file* file, built_scene* out, report* r) {
    const taut_scene_def def = taut_default_scene();
    built_scene built = {0};
    scene_builder b = {.file = file, .built = &built, .r = r};
    if (taut_scene_create(&def, &built.scene) != TAUT_OK) {
        return report_fail(r, "%s: %s", file->path, taut_last_error());
    }
    if (!build_objects(&b) || !build_constraints(&b)) {
        built_scene_free(&built);
        return false;
    }
    *out = built;
    return true;
}

void built_scene_free(built_scene* b) {
    for (size_t i = 0; i < b->object_count; i++) {
        free((void*)b->objects[i].triangles);
    }
    for (size_t i = 0; i < b->pin_count; i++) {
        free(b->pins[i].particles);
        free(b->pins[i].start);
        free(b->pins[i].now);
    }
    free(b->objects);
    free(b->pins);
    taut_scene_destroy(b->scene);
    *b = (built_scene){0};
}
