/* What may touch what: materials, contact points, colliders. */
#define TAUT_REAL double
#include "base/status.h"
#include "host/scene/defaults.h"
#include "host/scene/scene_frames.h"
#include "kernels/formulas/rotation_math.h"

#include <math.h>
#include <string.h>

/* ---- materials -------------------------------------------------------------------------------------------------- */

static taut_status check_material(const taut_scene* scene, const taut_material_def* def) {
    taut_status status =
        scene_check_def(scene, def, def != NULL ? def->cookie : 0, TAUT_DEFINITION_MATERIAL, "material");
    if (status != TAUT_OK) {
        return status;
    }
    if (!(def->friction >= 0 && def->friction <= 1e6)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "material: friction is %g; it must lie in [0, 1e6].", def->friction);
    }
    if (def->static_friction != 0 && !(def->static_friction >= def->friction && def->static_friction <= 1e6)) {
        return taut_fail(TAUT_INVALID_ARGUMENT,
                         "material: static_friction is %g; it must lie in [%g, 1e6], or be 0 for that of friction.",
                         def->static_friction, def->friction);
    }
    if (!(def->restitution >= 0 && def->restitution <= 1)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "material: restitution is %g; it must lie in [0, 1].",
                         def->restitution);
    }
    if (!(def->recovery > 0)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "material: recovery is %g m/s; it must be > 0.", def->recovery);
    }
    if (!(def->rolling >= 0 && def->rolling <= TAUT_MAX_LENGTH)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "material: rolling is %g m; it must lie in [0, %g].", def->rolling,
                         TAUT_MAX_LENGTH);
    }
    if (!(def->spinning >= 0 && def->spinning <= TAUT_MAX_LENGTH)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "material: spinning is %g m; it must lie in [0, %g].", def->spinning,
                         TAUT_MAX_LENGTH);
    }
    status = scene_check_compliance("material", 0, def->compliance);
    return status == TAUT_OK ? scene_check_damping("material", 0, def->damping) : status;
}

taut_status taut_scene_add_material(taut_scene* scene, const taut_material_def* def, uint32_t* material) {
    SCENE_WHOLE_DEFINITION(taut_material_def, TAUT_DEFINITION_MATERIAL);
    taut_status status = check_material(scene, def);
    if (status == TAUT_OK && material == NULL) {
        status = taut_fail(TAUT_INVALID_ARGUMENT, "material must not be NULL.");
    }
    if (status == TAUT_OK && scene->contact.materials.count + 1 >= TAUT_MAX_MATERIALS) {
        status = taut_fail(TAUT_INVALID_ARGUMENT, "materials: a scene holds at most %d.", TAUT_MAX_MATERIALS);
    }
    if (status == TAUT_OK) {
        status = taut_buffer_reserve(&scene->allocator, &scene->contact.materials, sizeof *def, 1);
    }
    if (status == TAUT_OK) {
        ((taut_material_def*)scene->contact.materials.data)[scene->contact.materials.count++] = *def;
        *material = (uint32_t)scene->contact.materials.count;
    }
    return status;
}

taut_status scene_check_material(const taut_scene* scene, const char* what, uint32_t material) {
    return material <= scene->contact.materials.count
               ? TAUT_OK
               : taut_fail(TAUT_INVALID_ARGUMENT, "%s: material %u does not exist (%zu materials).", what, material,
                           scene->contact.materials.count + 1);
}

taut_status taut_scene_set_material_pair(taut_scene* scene, uint32_t a, uint32_t b, const taut_material_def* def) {
    SCENE_WHOLE_DEFINITION(taut_material_def, TAUT_DEFINITION_MATERIAL);
    const scene_pair pair = {.a = a < b ? a : b, .b = a < b ? b : a};
    taut_status status = check_material(scene, def);
    if (status == TAUT_OK) {
        status = scene_check_material(scene, "pair", pair.b);
    }
    if (status == TAUT_OK) {
        status = taut_buffer_reserve(&scene->allocator, &scene->contact.pairs, sizeof pair, 1);
    }
    if (status != TAUT_OK) {
        return status;
    }
    scene_pair* pairs = scene->contact.pairs.data;
    size_t i = 0;
    while (i < scene->contact.pairs.count && (pairs[i].a != pair.a || pairs[i].b != pair.b)) {
        i++;
    }
    pairs[i] = pair;
    pairs[i].law = *def;
    scene->contact.pairs.count = i < scene->contact.pairs.count ? scene->contact.pairs.count : i + 1;
    return TAUT_OK;
}

double scene_static_friction(const taut_material_def* def) {
    return def->static_friction > 0 ? def->static_friction : def->friction;
}

taut_material_def scene_material_between(const taut_scene* scene, uint32_t a, uint32_t b) {
    const taut_material_def standard = taut_default_material();
    const taut_material_def* own = scene->contact.materials.data;
    const scene_pair* pairs = scene->contact.pairs.data;
    for (size_t i = 0; i < scene->contact.pairs.count; i++) {
        if (pairs[i].a == (a < b ? a : b) && pairs[i].b == (a < b ? b : a)) {
            return pairs[i].law;
        }
    }
    const taut_material_def* x = a > 0 ? own + a - 1 : &standard;
    const taut_material_def* y = b > 0 ? own + b - 1 : &standard;
    return (taut_material_def){.friction = sqrt(x->friction * y->friction),
                               .static_friction = sqrt(scene_static_friction(x) * scene_static_friction(y)),
                               .restitution = fmax(x->restitution, y->restitution),
                               .compliance = x->compliance + y->compliance,
                               .damping = fmax(x->damping, y->damping),
                               .recovery = fmax(x->recovery, y->recovery),
                               .rolling = x->rolling + y->rolling,
                               .spinning = x->spinning + y->spinning};
}

/* ---- contact points -------------------------------------------------------------------------------------------- */

static taut_status check_radius(size_t i, double radius) {
    return radius >= 0 && radius <= TAUT_MAX_LENGTH
               ? TAUT_OK
               : taut_fail(TAUT_INVALID_ARGUMENT, "touching: radius[%zu] is %g m; it must lie in [0, %g].", i, radius,
                           TAUT_MAX_LENGTH);
}

static taut_status check_touching(const taut_scene* scene, const taut_contact_points_def* def) {
    taut_status status =
        scene_check_def(scene, def, def != NULL ? def->cookie : 0, TAUT_DEFINITION_CONTACT_POINTS, "touching");
    if (status != TAUT_OK) {
        return status;
    }
    if (def->count == 0 || def->count > TAUT_MAX_COUNT - scene->contact.touching.count) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "touching: count is %zu; a scene holds 1 to %u contact points.",
                         def->count, TAUT_MAX_COUNT);
    }
    if ((def->particles == NULL) == (def->bodies == NULL)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "touching: either particles or bodies must be given.");
    }
    if (def->particles != NULL && def->offsets != NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "touching: offsets belong to bodies.");
    }
    status = scene_check_material(scene, "touching", def->material);
    if (status == TAUT_OK) {
        status = scene_check_vectors("touching: offset", def->offsets, def->count);
    }
    for (size_t i = 0; status == TAUT_OK && i < def->count; i++) {
        status = check_radius(i, def->radii != NULL ? def->radii[i] : def->radius);
        if (status == TAUT_OK && def->bodies != NULL) {
            status = scene_check_body(scene, "touching", i, def->bodies[i]);
        } else if (status == TAUT_OK && def->particles[i] >= scene->particle_count) {
            status = taut_fail(TAUT_INVALID_ARGUMENT, "touching[%zu]: particle %u does not exist (%u particles).", i,
                               def->particles[i], scene->particle_count);
        }
    }
    return status;
}

taut_status taut_scene_add_contact_points(taut_scene* scene, const taut_contact_points_def* def, taut_range* range) {
    SCENE_WHOLE_DEFINITION(taut_contact_points_def, TAUT_DEFINITION_CONTACT_POINTS);
    taut_status status = check_touching(scene, def);
    if (status == TAUT_OK) {
        status = taut_buffer_reserve(&scene->allocator, &scene->contact.touching, sizeof(scene_touching), def->count);
    }
    if (status != TAUT_OK) {
        return status;
    }
    const taut_range made = {(uint32_t)scene->contact.touching.count, (uint32_t)def->count};
    scene_touching* points = (scene_touching*)scene->contact.touching.data + made.first;
    for (size_t i = 0; i < def->count; i++) {
        points[i] = (scene_touching){.point = def->bodies != NULL ? def->bodies[i].point : def->particles[i],
                                     .frame = def->bodies != NULL ? def->bodies[i].frame : TAUT_NO_FRAME,
                                     .radius = def->radii != NULL ? def->radii[i] : def->radius,
                                     .material = def->material,
                                     .group = def->group,
                                     .mask = def->mask,
                                     .surface = TAUT_NO_SURFACE,
                                     .skin_of = TAUT_NO_COLLIDER,
                                     .half = TAUT_NO_POINT};
        if (def->offsets != NULL) {
            memcpy(points[i].offset, def->offsets + 3 * i, sizeof points[i].offset);
        }
    }
    scene->contact.touching.count += def->count;
    if (range != NULL) {
        *range = made;
    }
    return TAUT_OK;
}

/* ---- colliders -------------------------------------------------------------------------------------------------- */

static const struct {
    const char* name;
    int sizes;
} shapes[TAUT_SHAPE_COUNT] = {
    [TAUT_SHAPE_PLANE] = {"plane", 0}, [TAUT_SHAPE_SPHERE] = {"sphere", 1}, [TAUT_SHAPE_CAPSULE] = {"capsule", 2},
    [TAUT_SHAPE_BOX] = {"box", 3},     [TAUT_SHAPE_MESH] = {"mesh", 0},     [TAUT_SHAPE_CYLINDER] = {"cylinder", 2},
    [TAUT_SHAPE_CONE] = {"cone", 2},
};

const char* taut_shape_name(taut_shape shape) {
    return (unsigned)shape < TAUT_SHAPE_COUNT ? shapes[shape].name : "unknown";
}

static taut_status check_size(const taut_colliders_def* def, size_t i) {
    const double* size = def->sizes != NULL ? def->sizes + 3 * i : def->size;
    for (int a = 0; a < shapes[def->shape].sizes; a++) {
        if (!(size[a] > 0 && size[a] <= TAUT_MAX_LENGTH)) {
            return taut_fail(TAUT_INVALID_ARGUMENT, "colliders: size[%zu] of a %s has %g m; it must lie in (0, %g].", i,
                             shapes[def->shape].name, size[a], TAUT_MAX_LENGTH);
        }
    }
    return TAUT_OK;
}

static taut_status check_colliders(const taut_scene* scene, const taut_colliders_def* def) {
    taut_status status =
        scene_check_def(scene, def, def != NULL ? def->cookie : 0, TAUT_DEFINITION_COLLIDERS, "colliders");
    if (status != TAUT_OK) {
        return status;
    }
    if ((unsigned)def->shape >= TAUT_SHAPE_COUNT) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "colliders: shape %d does not exist.", (int)def->shape);
    }
    if (def->count == 0 || def->count > TAUT_MAX_COUNT - scene->contact.colliders.count) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "colliders: count is %zu; a scene holds 1 to %u colliders.", def->count,
                         TAUT_MAX_COUNT);
    }
    if (def->shape == TAUT_SHAPE_MESH && def->mesh >= scene->contact.meshes.list.count) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "colliders: mesh %u does not exist (%zu meshes).", def->mesh,
                         scene->contact.meshes.list.count);
    }
    if (def->shape == TAUT_SHAPE_MESH && meshes_deforming(&scene->contact.meshes, def->mesh) != NULL &&
        (def->bodies != NULL || def->positions != NULL || def->orientations != NULL)) {
        return taut_fail(TAUT_INVALID_ARGUMENT,
                         "colliders: mesh %u deforms and stands where its points are; bodies, positions and "
                         "orientations must be NULL.",
                         def->mesh);
    }
    status = scene_check_material(scene, "colliders", def->material);
    if (status == TAUT_OK) {
        status = scene_check_vectors("colliders: position", def->positions, def->count);
    }
    if (status == TAUT_OK) {
        status = scene_check_quaternions("colliders: orientation", def->orientations, def->count);
    }
    for (size_t i = 0; status == TAUT_OK && i < def->count; i++) {
        status = check_size(def, i);
        if (status == TAUT_OK && def->bodies != NULL && !taut_body_is_world(def->bodies[i])) {
            status = scene_check_body(scene, "colliders", i, def->bodies[i]);
        }
    }
    return status;
}

taut_status taut_scene_add_colliders(taut_scene* scene, const taut_colliders_def* def, taut_range* range) {
    SCENE_WHOLE_DEFINITION(taut_colliders_def, TAUT_DEFINITION_COLLIDERS);
    taut_status status = check_colliders(scene, def);
    if (status == TAUT_OK) {
        status = taut_buffer_reserve(&scene->allocator, &scene->contact.colliders, sizeof(scene_collider), def->count);
    }
    if (status != TAUT_OK) {
        return status;
    }
    const taut_range made = {(uint32_t)scene->contact.colliders.count, (uint32_t)def->count};
    scene_collider* colliders = (scene_collider*)scene->contact.colliders.data + made.first;
    for (size_t i = 0; i < def->count; i++) {
        const bool of_body = def->bodies != NULL && !taut_body_is_world(def->bodies[i]);
        colliders[i] = (scene_collider){.shape = def->shape,
                                        .mesh = def->shape == TAUT_SHAPE_MESH ? def->mesh : 0,
                                        .point = of_body ? def->bodies[i].point : TAUT_NO_POINT,
                                        .frame = of_body ? def->bodies[i].frame : TAUT_NO_FRAME,
                                        .orientation = {1, 0, 0, 0},
                                        .material = def->material,
                                        .group = def->group,
                                        .mask = def->mask,
                                        .solid = def->solid};
        memcpy(colliders[i].size, def->sizes != NULL ? def->sizes + 3 * i : def->size, sizeof colliders[i].size);
        if (def->positions != NULL) {
            memcpy(colliders[i].position, def->positions + 3 * i, sizeof colliders[i].position);
        }
        if (def->orientations != NULL) {
            memcpy(colliders[i].orientation, def->orientations + 4 * i, sizeof colliders[i].orientation);
        }
        quat_normalise(colliders[i].orientation, colliders[i].orientation);
    }
    scene->contact.colliders.count += def->count;
    if (range != NULL) {
        *range = made;
    }
    return TAUT_OK;
}
