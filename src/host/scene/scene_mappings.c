/* Mapped points. Chains of linear mappings are multiplied out here, entry by entry, so that what a world sees are
 * points that depend on unknowns directly, wherever the product of two entries is an entry (model/maps.h). */
#define TAUT_REAL double
#include "base/status.h"
#include "host/scene/defaults.h"
#include "host/scene/scene_frames.h"
#include "kernels/formulas/rotation_math.h"

#include "taut/mappings.h"

#include <string.h>

static taut_map type_of(const scene_entry* e) {
    return TAUT_MAP_TYPE(e->code);
}

/* ---- products of entries ------------------------------------------------------------------------------------------
 */

/* outer after inner, or false where the product is no entry. `*none`: the product is 0. */
static bool multiply(const scene_entry* outer, const scene_entry* inner, scene_entry* out, bool* none) {
    const taut_map f = type_of(outer), g = type_of(inner);
    const double w = outer->value[0];
    *out = *inner;
    *none = false;
    if (f == TAUT_MAP_SCALE && (g == TAUT_MAP_SCALE || g == TAUT_MAP_COMPONENT || g == TAUT_MAP_ARM)) {
        for (int i = 0; i < 3; i++) {
            out->value[i] = w * inner->value[i];
        }
        return true;
    }
    const uint32_t a = TAUT_MAP_TO(outer->code), b = TAUT_MAP_FROM(outer->code);
    if (f == TAUT_MAP_COMPONENT && g == TAUT_MAP_SCALE) {
        out->code = outer->code;
        out->value[0] = w * inner->value[0];
        return true;
    }
    if (f == TAUT_MAP_COMPONENT && g == TAUT_MAP_COMPONENT) {
        *none = TAUT_MAP_TO(inner->code) != b;
        out->code = TAUT_MAP_CODE(TAUT_MAP_COMPONENT, a, TAUT_MAP_FROM(inner->code));
        out->value[0] = w * inner->value[0];
        return true;
    }
    return false;
}

/* Adds an entry to those since `begin`, to one that it is alike, if there is any. */
static taut_status merge(taut_scene* scene, size_t begin, const scene_entry* entry) {
    taut_buffer* entries = &scene->mapping.entries;
    scene_entry* e = entries->data;
    for (size_t i = begin; i < entries->count; i++) {
        if (e[i].parent == entry->parent && e[i].code == entry->code) {
            for (int a = 0; a < 3; a++) {
                e[i].value[a] += entry->value[a];
            }
            return TAUT_OK;
        }
    }
    const taut_status status = taut_buffer_reserve(&scene->allocator, entries, sizeof(scene_entry), 1);
    if (status == TAUT_OK) {
        ((scene_entry*)entries->data)[entries->count++] = *entry;
    }
    return status;
}

/* Whether every product of `outer` with the entries of mapped point m is an entry. */
static bool multiplies_out(const taut_scene* scene, const scene_entry* outer, uint32_t m) {
    uint32_t count;
    const scene_entry* inner = scene_entries(scene, m, &count);
    scene_entry product;
    bool none, all = true;
    for (uint32_t i = 0; i < count; i++) {
        all = all && multiply(outer, &inner[i], &product, &none);
    }
    return all;
}

/* Puts an entry, as the user gave it, behind the entries of the point under way, which began at `begin`. */
static taut_status put(taut_scene* scene, size_t begin, const scene_entry* entry) {
    const uint32_t m = type_of(entry) != TAUT_MAP_ARM ? scene_mapped(scene, entry->parent) : UINT32_MAX;
    if (m == UINT32_MAX || !multiplies_out(scene, entry, m)) {
        return merge(scene, begin, entry);
    }
    uint32_t count;
    taut_status status = TAUT_OK;
    scene_entries(scene, m, &count);
    for (uint32_t i = 0; status == TAUT_OK && i < count; i++) {
        scene_entry product;
        bool none;
        multiply(entry, &scene_entries(scene, m, &count)[i], &product, &none); /* the array may have moved */
        status = none ? TAUT_OK : merge(scene, begin, &product);
    }
    return status;
}

/* ---- points -------------------------------------------------------------------------------------------------------
 */

static uint32_t level_of(const taut_scene* scene, const scene_entry* e) {
    const uint32_t m = type_of(e) != TAUT_MAP_ARM ? scene_mapped(scene, e->parent) : UINT32_MAX;
    return m != UINT32_MAX ? ((const uint32_t*)scene->mapping.levels.data)[m] + 1 : 1;
}

/* Position and velocity of the point whose entries begin at `begin`. */
static void evaluate(const taut_scene* scene, size_t begin, double x[3], double v[3]) {
    const scene_entry* entries = scene->mapping.entries.data;
    memset(x, 0, 3 * sizeof(double));
    memset(v, 0, 3 * sizeof(double));
    for (size_t i = begin; i < scene->mapping.entries.count; i++) {
        const scene_entry* e = &entries[i];
        if (type_of(e) == TAUT_MAP_ARM) {
            double arm[3], turned[3];
            quat_rotate((const double*)scene->frames.orientations.data + 4 * (size_t)e->parent, e->value, arm);
            vec3_cross((const double*)scene->frames.velocities.data + 3 * (size_t)e->parent, arm, turned);
            vec3_axpy(1, arm, x);
            vec3_axpy(1, turned, v);
            continue;
        }
        const double* px = (const double*)scene->positions.data + 3 * (size_t)e->parent;
        const double* pv = (const double*)scene->velocities.data + 3 * (size_t)e->parent;
        if (type_of(e) == TAUT_MAP_SCALE) {
            vec3_axpy(e->value[0], px, x);
            vec3_axpy(e->value[0], pv, v);
        } else if (type_of(e) == TAUT_MAP_COMPONENT) {
            x[TAUT_MAP_TO(e->code)] += e->value[0] * px[TAUT_MAP_FROM(e->code)];
            v[TAUT_MAP_TO(e->code)] += e->value[0] * pv[TAUT_MAP_FROM(e->code)];
        } else {
            double n[3];
            x[0] += vec3_normalise(px, n);
            v[0] += vec3_dot(n, pv);
        }
    }
}

static taut_status reserve_point(taut_scene* scene) {
    const taut_allocator* a = &scene->allocator;
    scene_mapping* m = &scene->mapping;
    if (scene->particle_count >= TAUT_MAX_COUNT || m->entries.count >= TAUT_MAX_COUNT) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "mapped points: a scene holds at most %u points.", TAUT_MAX_COUNT);
    }
    taut_status status = taut_buffer_reserve(a, &m->points, sizeof(uint32_t), 1);
    if (status == TAUT_OK) {
        status = taut_buffer_reserve(a, &m->ends, sizeof(uint32_t), 1);
    }
    if (status == TAUT_OK) {
        status = taut_buffer_reserve(a, &m->levels, sizeof(uint32_t), 1);
    }
    return status == TAUT_OK ? scene_reserve_particles(scene, 1) : status;
}

static taut_status add_inertia(taut_scene* scene, uint32_t point, double mass) {
    static const double none[1] = {0};
    const scene_rows row = {TAUT_INERTIA, 1, &point, &mass, none, none};
    return mass > 0 ? scene_append(scene, &row) : TAUT_OK;
}

/* The point with the entries since `begin` becomes one of the scene's. */
static taut_status finish_point(taut_scene* scene, size_t begin, double mass) {
    scene_mapping* m = &scene->mapping;
    taut_status status = reserve_point(scene);
    if (status != TAUT_OK) {
        return status;
    }
    uint32_t level = 1;
    for (size_t i = begin; i < m->entries.count; i++) {
        const uint32_t other = level_of(scene, (const scene_entry*)m->entries.data + i);
        level = other > level ? other : level;
    }
    if (level > TAUT_MAX_LEVEL) {
        return taut_fail(TAUT_INVALID_ARGUMENT,
                         "mapped points: more than %d levels of lengths and of what depends on them.", TAUT_MAX_LEVEL);
    }
    const uint32_t point = scene->particle_count;
    double state[2][3];
    evaluate(scene, begin, state[0], state[1]);
    if (!scene_append_particle(scene, state[0], state[1], mass)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "mapped points: the position of point %u is not finite, or absurd.",
                         point);
    }
    ((uint32_t*)m->points.data)[m->count] = point;
    ((uint32_t*)m->ends.data)[m->count] = (uint32_t)m->entries.count;
    ((uint32_t*)m->levels.data)[m->count] = level;
    m->count++;
    m->points.count = m->ends.count = m->levels.count = m->count;
    return add_inertia(scene, point, mass);
}

/* ---- what the definitions share ------------------------------------------------------------------------------------
 */

typedef struct mapped_input {
    const char* name;
    size_t count;
    const double* masses;
    const void* def;
    /* Puts the entries of point i. */
    taut_status (*put_point)(taut_scene* scene, const struct mapped_input* in, size_t i, size_t begin);
} mapped_input;

/* The count before anything that long is read. */
static taut_status check_def(const taut_scene* scene, const void* def, uint32_t cookie, uint32_t kind, size_t count,
                             const char* name) {
    const taut_status status = scene_check_def(scene, def, cookie, TAUT_DEFINITION_BODY_POINTS + kind, name);
    if (status == TAUT_OK && (count == 0 || count > TAUT_MAX_COUNT - scene->particle_count)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "%s: count is %zu; a scene holds 1 to %u points.", name, count,
                         TAUT_MAX_COUNT);
    }
    return status;
}

static taut_status check_mass(const mapped_input* in, size_t i) {
    return in->masses == NULL || (in->masses[i] >= 0 && in->masses[i] <= TAUT_MAX_MASS)
               ? TAUT_OK
               : taut_fail(TAUT_INVALID_ARGUMENT, "%s: mass[%zu] is %g kg; it must lie in [0, %g].", in->name, i,
                           in->masses[i], TAUT_MAX_MASS);
}

static taut_status check_parent(const taut_scene* scene, const char* name, size_t i, uint32_t parent) {
    return parent < scene->particle_count
               ? TAUT_OK
               : taut_fail(TAUT_INVALID_ARGUMENT, "%s[%zu]: parent %u does not exist (%u particles).", name, i, parent,
                           scene->particle_count);
}

static taut_status check_weight(const char* name, size_t i, double weight) {
    return fabs(weight) <= TAUT_MAX_LENGTH
               ? TAUT_OK
               : taut_fail(TAUT_INVALID_ARGUMENT, "%s[%zu]: a weight is %g; it must be finite.", name, i, weight);
}

static taut_status add_points(taut_scene* scene, const mapped_input* in, taut_range* range) {
    const scene_mark mark = scene_take_mark(scene);
    taut_status status = TAUT_OK;
    for (size_t i = 0; status == TAUT_OK && i < in->count; i++) {
        const size_t begin = scene->mapping.entries.count;
        status = check_mass(in, i);
        if (status == TAUT_OK) {
            status = in->put_point(scene, in, i, begin);
        }
        if (status == TAUT_OK) {
            status = finish_point(scene, begin, in->masses != NULL ? in->masses[i] : 0);
        }
    }
    if (status != TAUT_OK) {
        scene_return_to(scene, &mark);
        return status;
    }
    if (range != NULL) {
        *range = (taut_range){mark.points, (uint32_t)in->count};
    }
    return TAUT_OK;
}

/* `offsets` may be NULL; checked before anything that they lead to is read. */
static taut_status check_offsets(const char* name, size_t count, const size_t* offsets, size_t arity, bool empty) {
    if (offsets == NULL) {
        return arity > 0 && arity <= 65536
                   ? TAUT_OK
                   : taut_fail(TAUT_INVALID_ARGUMENT, "%s: arity is %zu; it must lie in 1 to 65536.", name, arity);
    }
    if (offsets[0] != 0) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "%s: offsets[0] is %zu; it must be 0.", name, offsets[0]);
    }
    for (size_t i = 0; i < count; i++) {
        if (offsets[i + 1] < offsets[i] + !empty || offsets[i + 1] > TAUT_MAX_COUNT) {
            return taut_fail(TAUT_INVALID_ARGUMENT, "%s: offsets[%zu] is %zu after %zu; they must %s, to at most %u.",
                             name, i + 1, offsets[i + 1], offsets[i], empty ? "not fall" : "grow", TAUT_MAX_COUNT);
        }
    }
    return TAUT_OK;
}

typedef struct span {
    size_t begin, end;
} span;

static span entries_of(const size_t* offsets, size_t arity, size_t i) {
    return offsets != NULL ? (span){offsets[i], offsets[i + 1]} : (span){arity * i, arity * (i + 1)};
}

static taut_status check_once(const char* name, size_t i, const uint32_t* numbers, span s) {
    for (size_t e = s.begin; e < s.end; e++) {
        for (size_t other = s.begin; other < e; other++) {
            if (numbers[other] == numbers[e]) {
                return taut_fail(TAUT_INVALID_ARGUMENT, "%s[%zu]: %u is named twice.", name, i, numbers[e]);
            }
        }
    }
    return TAUT_OK;
}

static taut_status check_bodies_once(const char* name, size_t i, const taut_body* bodies, span s) {
    for (size_t e = s.begin; e < s.end; e++) {
        for (size_t other = s.begin; other < e; other++) {
            if (bodies[other].frame == bodies[e].frame) {
                return taut_fail(TAUT_INVALID_ARGUMENT, "%s[%zu]: the body of frame %u is named twice.", name, i,
                                 bodies[e].frame);
            }
        }
    }
    return TAUT_OK;
}

/* Centre and arm of a body's point, both times `weight`. */
static taut_status put_body(taut_scene* scene, size_t begin, taut_body body, double weight, const double local[3]) {
    const scene_entry at_centre = {body.point, TAUT_MAP_SCALE, {weight}};
    const scene_entry arm = {body.frame, TAUT_MAP_ARM, {weight * local[0], weight * local[1], weight * local[2]}};
    const taut_status status = put(scene, begin, &at_centre);
    return status == TAUT_OK ? put(scene, begin, &arm) : status;
}

/* ---- points on bodies -----------------------------------------------------------------------------------------------
 */

static taut_status put_body_point(taut_scene* scene, const mapped_input* in, size_t i, size_t begin) {
    const taut_body_points_def* def = in->def;
    const taut_body body = def->bodies != NULL ? def->bodies[i] : def->body;
    const taut_status status = scene_check_body(scene, in->name, i, body);
    if (status != TAUT_OK) {
        return status;
    }
    double local[3];
    if (def->local != NULL) {
        memcpy(local, def->local + 3 * i, sizeof local);
    } else {
        scene_to_body(scene, body.frame, def->positions + 3 * i, local);
    }
    return put_body(scene, begin, body, 1, local);
}

taut_status taut_scene_add_body_points(taut_scene* scene, const taut_body_points_def* def, taut_range* range) {
    SCENE_WHOLE_DEFINITION(taut_body_points_def, TAUT_DEFINITION_BODY_POINTS);
    const char* name = "body points";
    taut_status status = check_def(scene, def, def != NULL ? def->cookie : 0, 0, def != NULL ? def->count : 0, name);
    if (status == TAUT_OK && (def->positions == NULL) == (def->local == NULL)) {
        status = taut_fail(TAUT_INVALID_ARGUMENT, "%s: either positions or local must be given.", name);
    }
    if (status == TAUT_OK) {
        status = scene_check_vectors("body points: position", def->positions, def->count);
    }
    if (status == TAUT_OK) {
        status = scene_check_vectors("body points: local", def->local, def->count);
    }
    if (status != TAUT_OK) {
        return status;
    }
    const mapped_input in = {name, def->count, def->masses, def, put_body_point};
    return add_points(scene, &in, range);
}

/* ---- weighted sums --------------------------------------------------------------------------------------------------
 */

static taut_status put_combination(taut_scene* scene, const mapped_input* in, size_t i, size_t begin) {
    const taut_combinations_def* def = in->def;
    const span s = entries_of(def->offsets, def->arity, i);
    taut_status status = check_once(in->name, i, def->parents, s);
    for (size_t e = s.begin; status == TAUT_OK && e < s.end; e++) {
        const scene_entry entry = {def->parents[e], TAUT_MAP_SCALE, {def->weights != NULL ? def->weights[e] : 1}};
        status = check_parent(scene, in->name, i, entry.parent);
        if (status == TAUT_OK) {
            status = check_weight(in->name, i, entry.value[0]);
        }
        if (status == TAUT_OK) {
            status = put(scene, begin, &entry);
        }
    }
    return status;
}

taut_status taut_scene_add_combinations(taut_scene* scene, const taut_combinations_def* def, taut_range* range) {
    SCENE_WHOLE_DEFINITION(taut_combinations_def, TAUT_DEFINITION_COMBINATIONS);
    const char* name = "combinations";
    taut_status status = check_def(scene, def, def != NULL ? def->cookie : 0, 1, def != NULL ? def->count : 0, name);
    if (status == TAUT_OK && def->parents == NULL) {
        status = taut_fail(TAUT_INVALID_ARGUMENT, "%s: parents must not be NULL.", name);
    }
    if (status == TAUT_OK) {
        status = check_offsets(name, def->count, def->offsets, def->arity, false);
    }
    if (status != TAUT_OK) {
        return status;
    }
    const mapped_input in = {name, def->count, def->masses, def, put_combination};
    return add_points(scene, &in, range);
}

/* ---- any linear map -------------------------------------------------------------------------------------------------
 */

static taut_status put_linear_point(taut_scene* scene, const mapped_input* in, size_t i, size_t begin) {
    const taut_linear_map_def* def = in->def;
    taut_status status = TAUT_OK;
    for (size_t a = 0; status == TAUT_OK && a < 3; a++) {
        const span s = {def->offsets[3 * i + a], def->offsets[3 * i + a + 1]};
        status = check_once(in->name, i, def->coordinates, s);
        for (size_t e = s.begin; status == TAUT_OK && e < s.end; e++) {
            const uint32_t q = def->coordinates[e];
            const scene_entry entry = {q / 3, TAUT_MAP_CODE(TAUT_MAP_COMPONENT, a, q % 3), {def->weights[e]}};
            status = check_parent(scene, in->name, i, entry.parent);
            if (status == TAUT_OK) {
                status = check_weight(in->name, i, entry.value[0]);
            }
            if (status == TAUT_OK) {
                status = put(scene, begin, &entry);
            }
        }
    }
    return status;
}

taut_status taut_scene_add_linear_map(taut_scene* scene, const taut_linear_map_def* def, taut_range* range) {
    SCENE_WHOLE_DEFINITION(taut_linear_map_def, TAUT_DEFINITION_LINEAR_MAP);
    const char* name = "linear map";
    taut_status status = check_def(scene, def, def != NULL ? def->cookie : 0, 2, def != NULL ? def->count : 0, name);
    if (status == TAUT_OK && (def->offsets == NULL || def->coordinates == NULL || def->weights == NULL)) {
        status = taut_fail(TAUT_INVALID_ARGUMENT, "%s: offsets, coordinates and weights must not be NULL.", name);
    }
    if (status == TAUT_OK && def->count > TAUT_MAX_COUNT / 3) {
        status =
            taut_fail(TAUT_INVALID_ARGUMENT, "%s: count is %zu; at most %u.", name, def->count, TAUT_MAX_COUNT / 3);
    }
    if (status == TAUT_OK) {
        status = check_offsets(name, 3 * def->count, def->offsets, 1, true);
    }
    if (status != TAUT_OK) {
        return status;
    }
    const mapped_input in = {name, def->count, def->masses, def, put_linear_point};
    return add_points(scene, &in, range);
}

/* ---- skinning -------------------------------------------------------------------------------------------------------
 */

static taut_status put_skinned(taut_scene* scene, const mapped_input* in, size_t i, size_t begin) {
    const taut_skinned_def* def = in->def;
    const span s = entries_of(def->offsets, def->arity, i);
    taut_status status = check_bodies_once(in->name, i, def->bodies, s);
    double sum = 0;
    for (size_t e = s.begin; status == TAUT_OK && e < s.end; e++) {
        const double weight = def->weights != NULL ? def->weights[e] : 1;
        double local[3];
        sum += weight;
        status = scene_check_body(scene, in->name, i, def->bodies[e]);
        if (status == TAUT_OK) {
            scene_to_body(scene, def->bodies[e].frame, def->positions + 3 * i, local);
            status = put_body(scene, begin, def->bodies[e], weight, local);
        }
    }
    if (status == TAUT_OK && !(fabs(sum - 1) <= 1e-6)) {
        status = taut_fail(TAUT_INVALID_ARGUMENT, "%s[%zu]: the weights sum to %g, not to 1.", in->name, i, sum);
    }
    return status;
}

taut_status taut_scene_add_skinned(taut_scene* scene, const taut_skinned_def* def, taut_range* range) {
    SCENE_WHOLE_DEFINITION(taut_skinned_def, TAUT_DEFINITION_SKINNED);
    const char* name = "skinned points";
    taut_status status = check_def(scene, def, def != NULL ? def->cookie : 0, 3, def != NULL ? def->count : 0, name);
    if (status == TAUT_OK && (def->positions == NULL || def->bodies == NULL)) {
        status = taut_fail(TAUT_INVALID_ARGUMENT, "%s: positions and bodies must not be NULL.", name);
    }
    if (status == TAUT_OK) {
        status = check_offsets(name, def->count, def->offsets, def->arity, false);
    }
    if (status == TAUT_OK) {
        status = scene_check_vectors("skinned points: position", def->positions, def->count);
    }
    if (status != TAUT_OK) {
        return status;
    }
    const mapped_input in = {name, def->count, def->masses, def, put_skinned};
    return add_points(scene, &in, range);
}

/* ---- lengths --------------------------------------------------------------------------------------------------------
 */

static taut_status put_norm(taut_scene* scene, const mapped_input* in, size_t i, size_t begin) {
    const taut_norms_def* def = in->def;
    const scene_entry entry = {def->parents[i], TAUT_MAP_NORM, {1}};
    const taut_status status = check_parent(scene, in->name, i, entry.parent);
    return status == TAUT_OK ? put(scene, begin, &entry) : status;
}

/* The factor rows of a length act on its parent, for the force on the length. */
static taut_status add_curvatures(taut_scene* scene, const taut_norms_def* def, taut_range lengths) {
    static const double none[1] = {0};
    taut_status status = TAUT_OK;
    for (uint32_t i = 0; status == TAUT_OK && i < lengths.count; i++) {
        const uint32_t nodes[2] = {def->parents[i], lengths.first + i};
        const scene_rows row = {TAUT_NORM, 1, nodes, none, none, none};
        status = scene_append(scene, &row);
    }
    return status;
}

taut_status taut_scene_add_norms(taut_scene* scene, const taut_norms_def* def, taut_range* range) {
    SCENE_WHOLE_DEFINITION(taut_norms_def, TAUT_DEFINITION_NORMS);
    const char* name = "norms";
    taut_range made;
    taut_status status = check_def(scene, def, def != NULL ? def->cookie : 0, 4, def != NULL ? def->count : 0, name);
    if (status == TAUT_OK && def->parents == NULL) {
        status = taut_fail(TAUT_INVALID_ARGUMENT, "%s: parents must not be NULL.", name);
    }
    if (status != TAUT_OK) {
        return status;
    }
    const scene_mark mark = scene_take_mark(scene);
    const mapped_input in = {name, def->count, NULL, def, put_norm};
    status = add_points(scene, &in, &made);
    if (status == TAUT_OK) {
        status = add_curvatures(scene, def, made);
    }
    if (status != TAUT_OK) {
        scene_return_to(scene, &mark);
    } else if (range != NULL) {
        *range = made;
    }
    return status;
}

/* ---- barycentric weights --------------------------------------------------------------------------------------------
 */

/* Weights w_1.. of the edges d_k = x_k - x_0 with sum w_k d_k nearest to p: the normal equations by elimination. */
static bool nearest(size_t edges, const double d[3][3], const double p[3], double w[3]) {
    double a[3][4];
    for (size_t i = 0; i < edges; i++) {
        for (size_t j = 0; j < edges; j++) {
            a[i][j] = vec3_dot(d[i], d[j]);
        }
        a[i][edges] = vec3_dot(d[i], p);
    }
    for (size_t i = 0; i < edges; i++) {
        if (!(a[i][i] > 1e-14 * vec3_dot(d[i], d[i]))) {
            return false;
        }
        for (size_t r = i + 1; r < edges; r++) {
            const double factor = a[r][i] / a[i][i];
            for (size_t c = i; c <= edges; c++) {
                a[r][c] -= factor * a[i][c];
            }
        }
    }
    for (size_t i = edges; i-- > 0;) {
        w[i] = a[i][edges];
        for (size_t c = i + 1; c < edges; c++) {
            w[i] -= a[i][c] * w[c];
        }
        w[i] /= a[i][i];
    }
    return true;
}

taut_status taut_barycentric(size_t corners, const double* positions, const double point[3], double* weights) {
    if (positions == NULL || point == NULL || weights == NULL || corners < 2 || corners > 4) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "%zu corners; there must be 2 to 4, and no NULL.", corners);
    }
    double d[3][3] = {{0}}, p[3], w[3] = {0};
    vec3_sub(point, positions, p);
    for (size_t i = 1; i < corners; i++) {
        vec3_sub(positions + 3 * i, positions, d[i - 1]);
    }
    if (!nearest(corners - 1, (const double(*)[3])d, p, w)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "the corners lie in fewer dimensions.");
    }
    weights[0] = 1;
    for (size_t i = 1; i < corners; i++) {
        weights[i] = w[i - 1];
        weights[0] -= w[i - 1];
    }
    return TAUT_OK;
}
