/* Creation and destruction of scenes, and their particles. */
#include "host/scene/scene_data.h"

#include "base/status.h"
#include "host/scene/defaults.h"
#include "host/scene/scene_frames.h"

#include <math.h>
#include <string.h>

taut_status taut_scene_create(const taut_scene_def* def, taut_scene** scene) {
    SCENE_WHOLE_DEFINITION(taut_scene_def, TAUT_DEFINITION_SCENE);
    if (def == NULL || scene == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "def and scene must not be NULL.");
    }
    if (def->cookie != TAUT_DEFINITION_SCENE) {
        return taut_fail(TAUT_INVALID_DEFINITION, "scene definition was not made by taut_default_scene.");
    }
    taut_allocator allocator;
    taut_status status = taut_allocator_resolve(&def->allocator, &allocator);
    if (status != TAUT_OK) {
        return status;
    }
    taut_scene* made = taut_allocate(&allocator, sizeof *made);
    if (made == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    made->allocator = allocator;
    *scene = made;
    return TAUT_OK;
}

void scene_release_arrays(const taut_allocator* allocator, taut_scene* scene) {
    taut_buffer* plain[] = {&scene->positions,
                            &scene->velocities,
                            &scene->masses,
                            &scene->fixed,
                            &scene->linear.ends,
                            &scene->linear.coordinates,
                            &scene->linear.weights,
                            &scene->batches,
                            &scene->mapping.points,
                            &scene->mapping.ends,
                            &scene->mapping.levels,
                            &scene->mapping.entries,
                            &scene->frames.orientations,
                            &scene->frames.velocities,
                            &scene->frames.inertias,
                            &scene->frames.fixed,
                            &scene->frames.centres,
                            &scene->contact.touching,
                            &scene->contact.colliders,
                            &scene->contact.materials,
                            &scene->contact.pairs,
                            &scene->contact.excluded,
                            &scene->contact.attached,
                            &scene->contact.joined,
                            &scene->contact.faces,
                            &scene->contact.edges};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        taut_buffer_release(allocator, plain[i]);
    }
    meshes_release(allocator, &scene->contact.meshes);
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        scene_kind* kind = &scene->kinds[k];
        taut_buffer_release(allocator, &kind->nodes);
        taut_buffer_release(allocator, &kind->rest);
        taut_buffer_release(allocator, &kind->compliance);
        taut_buffer_release(allocator, &kind->damping);
        taut_buffer_release(allocator, &kind->measure);
    }
}

void taut_scene_destroy(taut_scene* scene) {
    if (scene == NULL) {
        return;
    }
    const taut_allocator allocator = scene->allocator;
    scene_release_arrays(&allocator, scene);
    taut_release(&allocator, scene, sizeof *scene);
}

static taut_status check_mass(size_t index, double mass) {
    if (!(mass >= TAUT_MIN_MASS && mass <= TAUT_MAX_MASS)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "particles: mass[%zu] is %g kg; it must lie in [%g, %g].", index, mass,
                         TAUT_MIN_MASS, TAUT_MAX_MASS);
    }
    return TAUT_OK;
}

static taut_status check_particles(const taut_scene* scene, const taut_particles_def* def) {
    if (scene == NULL || def == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "scene and def must not be NULL.");
    }
    if (def->cookie != TAUT_DEFINITION_PARTICLES) {
        return taut_fail(TAUT_INVALID_DEFINITION, "particles definition was not made by taut_default_particles.");
    }
    if (def->count == 0 || def->count > TAUT_MAX_COUNT - scene->particle_count) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "particles: count is %zu; a scene holds 1 to %u particles.", def->count,
                         TAUT_MAX_COUNT);
    }
    if (def->positions == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "particles: positions must not be NULL.");
    }
    taut_status status = scene_check_vectors("particles: position", def->positions, def->count);
    if (status == TAUT_OK) {
        status = scene_check_vectors("particles: velocity", def->velocities, def->count);
    }
    for (size_t i = 0; status == TAUT_OK && i < (def->masses != NULL ? def->count : 1); i++) {
        status = check_mass(i, def->masses != NULL ? def->masses[i] : def->mass);
    }
    return status;
}

taut_status scene_reserve_particles(taut_scene* scene, size_t count) {
    const taut_allocator* a = &scene->allocator;
    taut_status status = taut_buffer_reserve(a, &scene->positions, sizeof(double), 3 * count);
    if (status == TAUT_OK) {
        status = taut_buffer_reserve(a, &scene->velocities, sizeof(double), 3 * count);
    }
    if (status == TAUT_OK) {
        status = taut_buffer_reserve(a, &scene->masses, sizeof(double), count);
    }
    if (status == TAUT_OK) {
        status = taut_buffer_reserve(a, &scene->fixed, sizeof(uint8_t), count);
    }
    return status;
}

static void append_vectors(taut_buffer* buffer, const double* values, size_t count) {
    double* end = (double*)buffer->data + buffer->count;
    if (values != NULL) {
        memcpy(end, values, 3 * count * sizeof(double));
    } else {
        memset(end, 0, 3 * count * sizeof(double));
    }
    buffer->count += 3 * count;
}

bool scene_append_particle(taut_scene* scene, const double position[3], const double velocity[3], double mass) {
    for (int i = 0; i < 3; i++) {
        if (!(fabs(position[i]) <= TAUT_MAX_LENGTH && fabs(velocity[i]) <= TAUT_MAX_LENGTH)) {
            return false;
        }
    }
    const uint32_t at = scene->particle_count++;
    append_vectors(&scene->positions, position, 1);
    append_vectors(&scene->velocities, velocity, 1);
    ((double*)scene->masses.data)[at] = mass;
    ((uint8_t*)scene->fixed.data)[at] = 0;
    scene->masses.count = scene->fixed.count = scene->particle_count;
    return true;
}

taut_status taut_scene_add_particles(taut_scene* scene, const taut_particles_def* def, taut_range* range) {
    SCENE_WHOLE_DEFINITION(taut_particles_def, TAUT_DEFINITION_PARTICLES);
    taut_status status = check_particles(scene, def);
    if (status == TAUT_OK) {
        status = scene_reserve_particles(scene, def->count);
    }
    if (status != TAUT_OK) {
        return status;
    }
    const uint32_t first = scene->particle_count;
    append_vectors(&scene->positions, def->positions, def->count);
    append_vectors(&scene->velocities, def->velocities, def->count);
    double* masses = scene->masses.data;
    uint8_t* fixed = scene->fixed.data;
    for (size_t i = 0; i < def->count; i++) {
        masses[first + i] = def->masses != NULL ? def->masses[i] : def->mass;
        fixed[first + i] = def->fixed != NULL && def->fixed[i];
    }
    scene->masses.count = scene->fixed.count = scene->particle_count = first + (uint32_t)def->count;
    if (range != NULL) {
        *range = (taut_range){first, (uint32_t)def->count};
    }
    return TAUT_OK;
}

taut_status taut_scene_set_fixed(taut_scene* scene, size_t count, const uint32_t* particles, bool fixed) {
    if (scene == NULL || (particles == NULL && count > 0)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "scene and particles must not be NULL.");
    }
    for (size_t i = 0; i < count; i++) {
        if (particles[i] >= scene->particle_count) {
            return taut_fail(TAUT_INVALID_ARGUMENT, "particle %u does not exist (%u particles).", particles[i],
                             scene->particle_count);
        }
        if (scene_mapped(scene, particles[i]) != UINT32_MAX) {
            return taut_fail(TAUT_INVALID_ARGUMENT,
                             "point %u is mapped; it moves with its "
                             "parents.",
                             particles[i]);
        }
    }
    for (size_t i = 0; i < count; i++) {
        ((uint8_t*)scene->fixed.data)[particles[i]] = fixed;
    }
    return TAUT_OK;
}

size_t taut_scene_particle_count(const taut_scene* scene) {
    return scene != NULL ? scene->particle_count : 0;
}

size_t taut_scene_row_count(const taut_scene* scene) {
    size_t rows = 0;
    for (int k = 0; scene != NULL && k < TAUT_KIND_COUNT; k++) {
        rows += (size_t)scene->kinds[k].count * taut_kind_shapes[k].rows;
    }
    return rows;
}

size_t taut_scene_batch_count(const taut_scene* scene) {
    return scene != NULL ? scene->batches.count : 0;
}

taut_status taut_scene_describe_batch(const taut_scene* scene, taut_batch batch, taut_kind* kind, size_t* count) {
    if (scene == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "scene must not be NULL.");
    }
    const scene_batch* found = scene_find_batch(scene->batches.data, scene->batches.count, batch);
    if (found == NULL) {
        return TAUT_INVALID_ARGUMENT;
    }
    if (kind != NULL) {
        *kind = found->kind;
    }
    if (count != NULL) {
        *count = found->count;
    }
    return TAUT_OK;
}

const double* taut_scene_positions(const taut_scene* scene) {
    return scene != NULL ? scene->positions.data : NULL;
}

uint32_t scene_entry_count(const taut_scene* scene, taut_kind kind) {
    return kind == TAUT_LINEAR ? (uint32_t)scene->linear.coordinates.count
                               : scene->kinds[kind].count * taut_kind_shapes[kind].nodes;
}
