#include "build/scene_build.h"

#include "base/array.h"
#include "build/scene_builder.h"

#include <stdlib.h>

static bool build_objects(scene_builder* b) {
    typedef bool builder(scene_builder * b, const scene_object* o, built_object* out);
    static builder* const builders[] = {build_particles, build_cloth, build_rope,    build_soft,
                                        build_rigid,     build_rod,   build_collider};
    built_scene* built = b->built;
    b->list = "objects";
    bool ok = true;
    for (b->index = 0; ok && b->index < b->file->object_count; b->index++) {
        const scene_object* o = &b->file->objects[b->index];
        built_object* out = &built->objects[built->object_count++];
        out->name = o->name;
        out->exported = true;
        ok = builders[o->type](b, o, out) && build_contact(b, o, out);
    }
    return ok;
}

static bool build_mappings(scene_builder* b) {
    built_scene* built = b->built;
    b->list = "mappings";
    bool ok = true;
    for (b->index = 0; ok && b->index < b->file->mapping_count; b->index++) {
        const scene_mapping* m = &b->file->mappings[b->index];
        built_object* out = &built->objects[built->object_count++];
        out->name = m->name;
        ok = build_mapping(b, m, out) && build_mapped_contact(b, m, out);
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
    case CONSTRAINT_LINEAR:
    case CONSTRAINT_SPEED:
        return build_linear(b, &c->as.linear);
    case CONSTRAINT_JOINT:
        return build_joint(b, &c->as.joint);
    }
    return false;
}

static bool build_constraints(scene_builder* b) {
    b->list = "constraints";
    bool ok = true;
    for (b->index = 0; ok && b->index < b->file->constraint_count; b->index++) {
        ok = build_constraint(b, &b->file->constraints[b->index]);
    }
    return ok;
}

static bool allocate(scene_builder* b) {
    const scene_file* file = b->file;
    built_scene* built = b->built;
    built->objects = array_new(file->object_count + file->mapping_count, sizeof *built->objects, b->r);
    built->pins = array_new(file->object_count + file->constraint_count, sizeof *built->pins, b->r);
    built->meshes = array_new(file->object_count, sizeof *built->meshes, b->r);
    built->drives = array_new(2 * file->constraint_count, sizeof *built->drives, b->r);
    built->torques = array_new(2 * file->object_count, sizeof *built->torques, b->r);
    built->walls = array_new(file->constraint_count, sizeof *built->walls, b->r);
    return built->objects && built->pins && built->meshes && built->drives && built->torques && built->walls;
}

/* Cells are of use to mappings only, and larger than all else that is kept. */
static void forget_cells(built_scene* built) {
    for (size_t i = 0; i < built->object_count; i++) {
        free(built->objects[i].tets);
        built->objects[i].tets = NULL;
    }
}

bool scene_build(const scene_file* file, built_scene* out, report* r) {
    const taut_scene_def def = taut_default_scene();
    built_scene built = {0};
    scene_builder b = {.file = file, .built = &built, .r = r};
    if (taut_scene_create(&def, &built.scene) != TAUT_OK) {
        return report_fail(r, "%s: %s", file->path, taut_last_error());
    }
    bool ok =
        allocate(&b) && build_materials(&b) && build_read_colliders(&b) && build_objects(&b) && build_mappings(&b);
    forget_cells(&built);
    ok = ok && build_holds(&b) && build_constraints(&b);
    free(b.holder);
    free(b.frame_holder);
    free(b.materials);
    build_free_meshes(&b);
    if (!ok) {
        built_scene_free(&built);
        return false;
    }
    built.kinds[TAUT_CONTACT] = (built.touching_count > 0 && built.collider_count + built.face_count > 0) ||
                                (built.collider_count > 1 && taut_scene_frame_count(built.scene) > 0);
    *out = built;
    return true;
}

static void free_pin(moving_pin* m) {
    free(m->particles);
    free(m->start);
    free(m->now);
    free(m->frames);
    free(m->frame_start);
    free(m->frame_now);
    free(m->bound);
    free(m->bound_frames);
}

static void free_mesh(moving_mesh* m) {
    point_cache_free(&m->samples);
    free(m->points);
    free(m->now);
}

void built_scene_free(built_scene* b) {
    for (size_t i = 0; i < b->object_count; i++) {
        free((void*)b->objects[i].triangles);
        free(b->objects[i].skin);
        free(b->objects[i].tets);
        free(b->objects[i].walls);
    }
    for (size_t i = 0; i < b->pin_count; i++) {
        free_pin(&b->pins[i]);
    }
    for (size_t i = 0; i < b->mesh_count; i++) {
        free_mesh(&b->meshes[i]);
    }
    free(b->meshes);
    free(b->objects);
    free(b->unnamed);
    free(b->pins);
    free(b->drives);
    free(b->torques);
    free(b->walls);
    free(b->sources);
    free(b->fixed);
    taut_scene_destroy(b->scene);
    *b = (built_scene){0};
}
