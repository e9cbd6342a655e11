/* Adding batches of constraints: every number is checked before anything is stored. */
#define TAUT_REAL double
#include "base/status.h"
#include "host/scene/defaults.h"
#include "host/scene/scene_frames.h"
#include "kernels/formulas/kinds.h"

#include <string.h>

/* What the definition structs have in common, so that one path serves all kinds. */
typedef struct batch_input {
    taut_kind kind;
    size_t count;
    const uint32_t* particles;
    const double* rest; /* as given; NULL: from the current positions */
    const double* compliances;
    double compliance;
    const double* dampings;
    double damping;
    double poisson;
} batch_input;

const scene_batch* scene_find_batch(const scene_batch* batches, size_t count, taut_batch batch) {
    if (batch.id == 0 || batch.id > count) {
        taut_fail(TAUT_INVALID_ARGUMENT, "batch %u does not exist (%zu batches).", batch.id, count);
        return NULL;
    }
    return &batches[batch.id - 1];
}

taut_status scene_check_compliance(const char* kind, size_t index, double value) {
    if (!(value >= 0 && value <= TAUT_MAX_COMPLIANCE)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "%s[%zu]: compliance is %g; it must lie in [0, %g].", kind, index,
                         value, TAUT_MAX_COMPLIANCE);
    }
    return TAUT_OK;
}

taut_status scene_check_damping(const char* kind, size_t index, double value) {
    if (!(value >= 0 && value <= TAUT_MAX_LENGTH)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "%s[%zu]: damping is %g s; it must lie in [0, %g].", kind, index, value,
                         TAUT_MAX_LENGTH);
    }
    return TAUT_OK;
}

taut_status scene_check_rest(taut_kind kind, size_t index, double value) {
    const bool length = kind == TAUT_DISTANCE || kind == TAUT_TET_VOLUME;
    const double low = length ? 0 : -TAUT_MAX_LENGTH;
    if (!(value >= low && value <= TAUT_MAX_LENGTH * TAUT_MAX_LENGTH)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "%s[%zu]: rest value is %g; it must be finite and at least %g.",
                         taut_kind_name(kind), index, value, low);
    }
    return TAUT_OK;
}

void scene_compliance_block(taut_kind kind, double value, double poisson, double measure, double* packed) {
    const uint32_t rows = taut_kind_shapes[kind].rows;
    const bool elastic = kind == TAUT_MEMBRANE || kind == TAUT_TET_STRAIN;
    const uint32_t normal = kind == TAUT_MEMBRANE ? 2 : 3;
    const double scale = elastic ? value / measure : value;
    for (uint32_t r = 0, at = 0; r < rows; r++) {
        for (uint32_t c = 0; c <= r; c++, at++) {
            const bool shear = elastic && r >= normal;
            const double coupled = elastic && !shear && c < r ? -poisson : 0;
            packed[at] = scale * (c < r ? coupled : shear ? 2 * (1 + poisson) : 1);
        }
    }
}

void scene_diagonal_block(taut_kind kind, const double* values, double* packed) {
    const uint32_t rows = taut_kind_shapes[kind].rows;
    for (uint32_t r = 0, at = 0; r < rows; r++) {
        for (uint32_t c = 0; c <= r; c++, at++) {
            packed[at] = c == r ? values[r] : 0;
        }
    }
}

/* ---- rest shapes ---------------------------------------------------------------------------------------------- */

static void gather(const taut_scene* scene, const uint32_t* nodes, uint32_t count, double x[4][3]) {
    const double* positions = scene->positions.data;
    for (uint32_t i = 0; i < count; i++) {
        memcpy(x[i], positions + 3 * (size_t)nodes[i], 3 * sizeof(double));
    }
}

/* Rest area and shape-function gradients g_1, g_2 from 2-D corners. */
static bool triangle_rest(const double c[3][2], double* rest, double* area) {
    const double a0 = c[1][0] - c[0][0], a1 = c[1][1] - c[0][1];
    const double b0 = c[2][0] - c[0][0], b1 = c[2][1] - c[0][1];
    const double det = a0 * b1 - a1 * b0;
    const double size = a0 * a0 + a1 * a1 + b0 * b0 + b1 * b1;
    if (!(fabs(det) > 1e-12 * size)) {
        return false;
    }
    const double inverse[4] = {b1 / det, -b0 / det, -a1 / det, a0 / det};
    memcpy(rest, inverse, sizeof inverse);
    *area = fabs(det) / 2;
    return true;
}

/* Corners of a triangle in its own plane, u along x1 - x0. */
static void triangle_flatten(const double x[3][3], double corners[3][2]) {
    double a[3], b[3], u[3], across[3];
    vec3_sub(x[1], x[0], a);
    vec3_sub(x[2], x[0], b);
    const double length = vec3_normalise(a, u);
    vec3_cross(u, b, across);
    memset(corners, 0, 6 * sizeof(double));
    corners[1][0] = length;
    corners[2][0] = vec3_dot(u, b);
    corners[2][1] = sqrt(vec3_dot(across, across));
}

/* Rest volume and shape-function gradients g_1, g_2, g_3: rows of the inverse of the edge matrix, b_k / V. */
static bool tet_rest(const double x[4][3], double* rest, double* volume) {
    tet_volume_jacobian jac;
    const double zero[1] = {0};
    double phi[1], size = 0;
    tet_volume_evaluate(x, zero, phi, &jac);
    for (int k = 0; k < 3; k++) {
        size += vec3_dot(jac.b[k], jac.b[k]);
    }
    if (!(jac.volume > 0 && jac.volume * jac.volume > 1e-18 * size * sqrt(size))) {
        return false;
    }
    for (int i = 0; i < 9; i++) {
        rest[i] = jac.b[i / 3][i % 3] / jac.volume;
    }
    *volume = jac.volume;
    return true;
}

static bool all_finite(const double* values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (!(fabs(values[i]) <= TAUT_MAX_LENGTH)) {
            return false;
        }
    }
    return true;
}

static taut_status element_rest(const batch_input* in, size_t index, const double x[4][3], double* rest,
                                double* measure) {
    const bool triangle = in->kind == TAUT_MEMBRANE;
    const size_t given = triangle ? 6 : 12;
    const double* shape = in->rest != NULL ? in->rest + given * index : NULL;
    if (shape != NULL && !all_finite(shape, given)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "%s[%zu]: the rest shape is not finite.", taut_kind_name(in->kind),
                         index);
    }
    double corners[4][3] = {{0}};
    bool good;
    if (triangle) {
        double flat[3][2];
        if (shape != NULL) {
            memcpy(flat, shape, sizeof flat);
        } else {
            triangle_flatten(x, flat);
        }
        good = triangle_rest(flat, rest, measure);
    } else {
        memcpy(corners, shape != NULL ? shape : &x[0][0], sizeof corners);
        good = tet_rest(corners, rest, measure);
    }
    if (!good) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "%s[%zu]: the rest shape is %s.", taut_kind_name(in->kind), index,
                         triangle ? "a triangle without area" : "an inverted or flat tetrahedron");
    }
    return TAUT_OK;
}

/* Rest values of the kinds whose phi is a function of the positions minus the rest value. */
static taut_status plain_rest(const batch_input* in, size_t index, const double x[4][3], double* rest) {
    static const double zero[3] = {0};
    union {
        distance_jacobian distance;
        bend_jacobian bend;
        tet_volume_jacobian tet_volume;
    } ignored;
    switch (in->kind) {
    case TAUT_DISTANCE:
        distance_evaluate(x, zero, rest, &ignored.distance);
        break;
    case TAUT_BEND:
        bend_evaluate(x, zero, rest, &ignored.bend);
        break;
    case TAUT_TET_VOLUME:
        tet_volume_evaluate(x, zero, rest, &ignored.tet_volume);
        break;
    case TAUT_TARGET:
        memcpy(rest, x[0], 3 * sizeof(double));
        break;
    default: /* attachments rest at offset zero */
        memset(rest, 0, 3 * sizeof(double));
        break;
    }
    if (in->rest == NULL && (in->kind == TAUT_DISTANCE || in->kind == TAUT_TET_VOLUME) && !(rest[0] > 1e-30)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "%s[%zu]: the current %s is %g; give a rest value or move the points.",
                         taut_kind_name(in->kind), index, in->kind == TAUT_DISTANCE ? "length" : "volume", rest[0]);
    }
    return TAUT_OK;
}

static taut_status make_rest(const batch_input* in, size_t index, const double x[4][3], double* rest, double* measure) {
    *measure = 1;
    if (in->kind == TAUT_MEMBRANE || in->kind == TAUT_TET_STRAIN) {
        return element_rest(in, index, x, rest, measure);
    }
    if (in->rest == NULL) {
        return plain_rest(in, index, x, rest);
    }
    const uint32_t values = taut_kind_shapes[in->kind].rest;
    memcpy(rest, in->rest + values * index, values * sizeof(double));
    if (values == 1) {
        return scene_check_rest(in->kind, index, rest[0]);
    }
    return all_finite(rest, values) ? TAUT_OK
                                    : taut_fail(TAUT_INVALID_ARGUMENT, "%s[%zu]: offset or target is not finite.",
                                                taut_kind_name(in->kind), index);
}

/* ---- batches -------------------------------------------------------------------------------------------------- */

taut_status scene_check_nodes(const taut_scene* scene, taut_kind kind, size_t index, const uint32_t* nodes) {
    const uint32_t count = taut_kind_shapes[kind].nodes;
    for (uint32_t i = 0; i < count; i++) {
        if (nodes[i] >= scene->particle_count) {
            return taut_fail(TAUT_INVALID_ARGUMENT, "%s[%zu]: particle %u does not exist (%u particles).",
                             taut_kind_name(kind), index, nodes[i], scene->particle_count);
        }
        for (uint32_t j = 0; j < i; j++) {
            if (nodes[i] == nodes[j]) {
                return taut_fail(TAUT_INVALID_ARGUMENT, "%s[%zu]: particle %u is named twice.", taut_kind_name(kind),
                                 index, nodes[i]);
            }
        }
    }
    return TAUT_OK;
}

static taut_status reserve_kind(taut_scene* scene, taut_kind k, size_t count) {
    scene_kind* kind = &scene->kinds[k];
    const taut_kind_shape* shape = &taut_kind_shapes[k];
    const taut_allocator* a = &scene->allocator;
    taut_status status = taut_buffer_reserve(a, &kind->nodes, sizeof(uint32_t), count * shape->nodes);
    if (status == TAUT_OK) {
        status = taut_buffer_reserve(a, &kind->rest, sizeof(double), count * shape->rest);
    }
    if (status == TAUT_OK) {
        status = taut_buffer_reserve(a, &kind->compliance, sizeof(double), count * shape->packed);
    }
    if (status == TAUT_OK) {
        status = taut_buffer_reserve(a, &kind->damping, sizeof(double), count);
    }
    if (status == TAUT_OK) {
        status = taut_buffer_reserve(a, &kind->measure, sizeof(double), count);
    }
    if (status == TAUT_OK) {
        status = taut_buffer_reserve(a, &scene->batches, sizeof(scene_batch), 1);
    }
    return status;
}

/* Material of constraint `index`, stored behind the committed ones. */
static taut_status store_material(scene_kind* kind, const batch_input* in, size_t index, double measure) {
    const char* name = taut_kind_name(in->kind);
    const double compliance = in->compliances != NULL ? in->compliances[index] : in->compliance;
    const double damping = in->dampings != NULL ? in->dampings[index] : in->damping;
    taut_status status = scene_check_compliance(name, index, compliance);
    if (status == TAUT_OK) {
        status = scene_check_damping(name, index, damping);
    }
    if (status == TAUT_OK) {
        const uint32_t packed = taut_kind_shapes[in->kind].packed;
        const size_t at = kind->count + index;
        scene_compliance_block(in->kind, compliance, in->poisson, measure,
                               (double*)kind->compliance.data + packed * at);
        ((double*)kind->damping.data)[at] = damping;
        ((double*)kind->measure.data)[at] = measure;
    }
    return status;
}

static taut_status store_constraint(taut_scene* scene, const batch_input* in, size_t index) {
    scene_kind* kind = &scene->kinds[in->kind];
    const taut_kind_shape* shape = &taut_kind_shapes[in->kind];
    const size_t at = kind->count + index;
    double x[4][3], measure;
    const uint32_t* nodes = in->particles + shape->nodes * index;
    taut_status status = scene_check_nodes(scene, in->kind, index, nodes);
    if (status != TAUT_OK) {
        return status;
    }
    memcpy((uint32_t*)kind->nodes.data + shape->nodes * at, nodes, shape->nodes * sizeof(uint32_t));
    gather(scene, nodes, shape->nodes, x);
    status = make_rest(in, index, x, (double*)kind->rest.data + shape->rest * at, &measure);
    return status == TAUT_OK ? store_material(kind, in, index, measure) : status;
}

static void commit_rows(taut_scene* scene, taut_kind k, size_t count) {
    scene_kind* kind = &scene->kinds[k];
    const taut_kind_shape* shape = &taut_kind_shapes[k];
    kind->count += (uint32_t)count;
    kind->nodes.count = (size_t)kind->count * shape->nodes;
    kind->rest.count = (size_t)kind->count * shape->rest;
    kind->compliance.count = (size_t)kind->count * shape->packed;
    kind->damping.count = kind->measure.count = kind->count;
}

static void commit_batch(taut_scene* scene, taut_kind kind, size_t count, double poisson, taut_batch* batch) {
    scene_batch* batches = scene->batches.data;
    batches[scene->batches.count++] =
        (scene_batch){.kind = kind, .first = scene->kinds[kind].count, .count = (uint32_t)count, .poisson = poisson};
    commit_rows(scene, kind, count);
    if (batch != NULL) {
        *batch = (taut_batch){(uint32_t)scene->batches.count};
    }
}

static taut_status check_batch(const taut_scene* scene, const void* def, uint32_t cookie, taut_kind kind,
                               size_t count) {
    const taut_status status =
        scene_check_def(scene, def, cookie, TAUT_DEFINITION_DISTANCE + kind, taut_kind_name(kind));
    if (status == TAUT_OK && (count == 0 || count > TAUT_MAX_COUNT - scene->kinds[kind].count)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "%s: count is %zu; a scene holds 1 to %u of a kind.",
                         taut_kind_name(kind), count, TAUT_MAX_COUNT);
    }
    return status;
}

static taut_status add_batch(taut_scene* scene, const batch_input* in, taut_batch* batch) {
    if (in->particles == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "%s: particles must not be NULL.", taut_kind_name(in->kind));
    }
    taut_status status = reserve_kind(scene, in->kind, in->count);
    for (size_t i = 0; status == TAUT_OK && i < in->count; i++) {
        status = store_constraint(scene, in, i);
    }
    if (status == TAUT_OK) {
        commit_batch(scene, in->kind, in->count, in->poisson, batch);
    }
    return status;
}

/* ---- rows as they are stored ------------------------------------------------------------------------------------ */

static taut_status store_row(scene_kind* kind, const scene_rows* in, size_t i) {
    const taut_kind_shape* shape = &taut_kind_shapes[in->kind];
    const char* name = taut_kind_name(in->kind);
    const size_t at = kind->count + i;
    taut_status status = TAUT_OK;
    for (uint32_t r = 0; status == TAUT_OK && r < shape->rows; r++) {
        status = scene_check_compliance(name, i, in->compliances[shape->rows * i + r]);
    }
    if (status == TAUT_OK) {
        status = scene_check_damping(name, i, in->dampings[i]);
    }
    if (status != TAUT_OK) {
        return status;
    }
    memcpy((uint32_t*)kind->nodes.data + shape->nodes * at, in->nodes + shape->nodes * i,
           shape->nodes * sizeof(uint32_t));
    memcpy((double*)kind->rest.data + shape->rest * at, in->rest + shape->rest * i, shape->rest * sizeof(double));
    if (shape->rows > 0) {
        scene_diagonal_block(in->kind, in->compliances + shape->rows * i,
                             (double*)kind->compliance.data + shape->packed * at);
    }
    ((double*)kind->damping.data)[at] = in->dampings[i];
    ((double*)kind->measure.data)[at] = 1;
    return TAUT_OK;
}

taut_status scene_append(taut_scene* scene, const scene_rows* in) {
    if (in->count > TAUT_MAX_COUNT - scene->kinds[in->kind].count) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "%s: a scene holds at most %u of a kind.", taut_kind_name(in->kind),
                         TAUT_MAX_COUNT);
    }
    taut_status status = reserve_kind(scene, in->kind, in->count);
    for (size_t i = 0; status == TAUT_OK && i < in->count; i++) {
        status = store_row(&scene->kinds[in->kind], in, i);
    }
    if (status == TAUT_OK) {
        commit_rows(scene, in->kind, in->count);
    }
    return status;
}

taut_status scene_batch_since(taut_scene* scene, taut_kind kind, const scene_mark* mark, taut_batch* batch) {
    const taut_status status = taut_buffer_reserve(&scene->allocator, &scene->batches, sizeof(scene_batch), 1);
    if (status == TAUT_OK) {
        const uint32_t first = mark->kinds[kind];
        scene_batch* batches = scene->batches.data;
        batches[scene->batches.count++] =
            (scene_batch){.kind = kind, .first = first, .count = scene->kinds[kind].count - first};
    }
    if (status == TAUT_OK && batch != NULL) {
        *batch = (taut_batch){(uint32_t)scene->batches.count};
    }
    return status;
}

/* The definitions share these member names, but C has no common base for them. */
#define COMMON(enumerator, rest_member, ...)                                                                           \
    const taut_status checked =                                                                                        \
        check_batch(scene, def, def != NULL ? def->cookie : 0, enumerator, def != NULL ? def->count : 0);              \
    if (checked != TAUT_OK) {                                                                                          \
        return checked;                                                                                                \
    }                                                                                                                  \
    const batch_input in = {.kind = enumerator,                                                                        \
                            .count = def->count,                                                                       \
                            .particles = def->particles,                                                               \
                            .rest = def->rest_member,                                                                  \
                            .dampings = def->dampings,                                                                 \
                            .damping = def->damping,                                                                   \
                            __VA_ARGS__}

taut_status taut_scene_add_distances(taut_scene* scene, const taut_distance_def* def, taut_batch* batch) {
    SCENE_WHOLE_DEFINITION(taut_distance_def, TAUT_DEFINITION_DISTANCE);
    COMMON(TAUT_DISTANCE, rest_lengths, .compliances = def->compliances, .compliance = def->compliance);
    return add_batch(scene, &in, batch);
}

taut_status taut_scene_add_attachments(taut_scene* scene, const taut_attachment_def* def, taut_batch* batch) {
    SCENE_WHOLE_DEFINITION(taut_attachment_def, TAUT_DEFINITION_ATTACHMENT);
    COMMON(TAUT_ATTACHMENT, offsets, .compliances = def->compliances, .compliance = def->compliance);
    const uint32_t first = scene->kinds[TAUT_ATTACHMENT].count;
    const size_t joined = def->contact ? 0 : def->count;
    taut_status status = scene_reserve_joined(scene, joined);
    status = status == TAUT_OK ? add_batch(scene, &in, batch) : status;
    for (uint32_t i = 0; status == TAUT_OK && i < joined; i++) {
        const uint32_t* ends = def->particles + 2 * (size_t)i;
        scene_add_joined(scene, (scene_joined){TAUT_ATTACHMENT, first + i, {ends[0], ends[1]}, 0, 1, 0});
    }
    return status;
}

taut_status taut_scene_add_targets(taut_scene* scene, const taut_target_def* def, taut_batch* batch) {
    SCENE_WHOLE_DEFINITION(taut_target_def, TAUT_DEFINITION_TARGET);
    COMMON(TAUT_TARGET, targets, .compliances = def->compliances, .compliance = def->compliance);
    return add_batch(scene, &in, batch);
}

taut_status taut_scene_add_bends(taut_scene* scene, const taut_bend_def* def, taut_batch* batch) {
    SCENE_WHOLE_DEFINITION(taut_bend_def, TAUT_DEFINITION_BEND);
    COMMON(TAUT_BEND, rest_angles, .compliances = def->compliances, .compliance = def->compliance);
    return add_batch(scene, &in, batch);
}

taut_status taut_scene_add_tet_volumes(taut_scene* scene, const taut_tet_volume_def* def, taut_batch* batch) {
    SCENE_WHOLE_DEFINITION(taut_tet_volume_def, TAUT_DEFINITION_TET_VOLUME);
    COMMON(TAUT_TET_VOLUME, rest_volumes, .compliances = def->compliances, .compliance = def->compliance);
    return add_batch(scene, &in, batch);
}

static taut_status check_poisson(taut_kind kind, double poisson) {
    const double high = kind == TAUT_MEMBRANE ? 1 : 0.5;
    const bool good = poisson > -1 && (kind == TAUT_MEMBRANE ? poisson < high : poisson <= high);
    return good ? TAUT_OK
                : taut_fail(TAUT_INVALID_ARGUMENT, "%s: the Poisson ratio is %g; it must lie in (-1, %g%s.",
                            taut_kind_name(kind), poisson, high, kind == TAUT_MEMBRANE ? ")" : "]");
}

taut_status taut_scene_add_membranes(taut_scene* scene, const taut_membrane_def* def, taut_batch* batch) {
    SCENE_WHOLE_DEFINITION(taut_membrane_def, TAUT_DEFINITION_MEMBRANE);
    COMMON(TAUT_MEMBRANE, rest, .compliances = def->softnesses, .compliance = def->softness, .poisson = def->poisson);
    const taut_status status = check_poisson(TAUT_MEMBRANE, def->poisson);
    return status == TAUT_OK ? add_batch(scene, &in, batch) : status;
}

taut_status taut_scene_add_tet_strains(taut_scene* scene, const taut_tet_strain_def* def, taut_batch* batch) {
    SCENE_WHOLE_DEFINITION(taut_tet_strain_def, TAUT_DEFINITION_TET_STRAIN);
    COMMON(TAUT_TET_STRAIN, rest, .compliances = def->softnesses, .compliance = def->softness,
           .poisson = scene_tet_poisson(def->poisson));
    const taut_status status = check_poisson(TAUT_TET_STRAIN, def->poisson);
    return status == TAUT_OK ? add_batch(scene, &in, batch) : status;
}

/* ---- linear rows ---------------------------------------------------------------------------------------------- */

static taut_status check_coordinate(const taut_scene* scene, const taut_linear_def* def, size_t row,
                                    uint32_t coordinate) {
    if (coordinate < TAUT_ROTATION_OF(0, 0)) {
        return coordinate / 3 < scene->particle_count
                   ? TAUT_OK
                   : taut_fail(TAUT_INVALID_ARGUMENT, "linear[%zu]: coordinate %u does not exist (%u particles).", row,
                               coordinate, scene->particle_count);
    }
    const uint32_t frame = (coordinate - TAUT_ROTATION_OF(0, 0)) / 3;
    if (!def->of_velocities) {
        return taut_fail(TAUT_INVALID_ARGUMENT,
                         "linear[%zu]: the turn of frame %u has no coordinate; only rows of velocities may name it.",
                         row, frame);
    }
    return frame < scene->frames.count
               ? TAUT_OK
               : taut_fail(TAUT_INVALID_ARGUMENT, "linear[%zu]: frame %u does not exist (%u frames).", row, frame,
                           scene->frames.count);
}

static taut_status check_linear_row(const taut_scene* scene, const taut_linear_def* def, size_t row) {
    const size_t begin = def->offsets[row], end = def->offsets[row + 1];
    for (size_t e = begin; e < end; e++) {
        const taut_status status = check_coordinate(scene, def, row, def->coordinates[e]);
        if (status != TAUT_OK) {
            return status;
        }
        if (!(fabs(def->weights[e]) <= TAUT_MAX_LENGTH)) {
            return taut_fail(TAUT_INVALID_ARGUMENT, "linear[%zu]: weight %zu is %g; it must be finite.", row, e - begin,
                             def->weights[e]);
        }
        for (size_t other = begin; other < e; other++) {
            if (def->coordinates[other] == def->coordinates[e]) {
                return taut_fail(TAUT_INVALID_ARGUMENT, "linear[%zu]: coordinate %u is named twice.", row,
                                 def->coordinates[e]);
            }
        }
    }
    return TAUT_OK;
}

static taut_status check_linear(const taut_scene* scene, const taut_linear_def* def) {
    if (def->offsets == NULL || def->coordinates == NULL || def->weights == NULL) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "linear: offsets, coordinates and weights must not be NULL.");
    }
    if (def->offsets[0] != 0) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "linear: offsets[0] is %zu; it must be 0.", def->offsets[0]);
    }
    /* All offsets before any entry: they say how far the other arrays may be read. */
    for (size_t row = 0; row < def->count; row++) {
        if (def->offsets[row + 1] <= def->offsets[row] || def->offsets[row + 1] > TAUT_MAX_COUNT) {
            return taut_fail(TAUT_INVALID_ARGUMENT, "linear[%zu]: offsets must grow, to at most %u.", row,
                             TAUT_MAX_COUNT);
        }
    }
    taut_status status = TAUT_OK;
    for (size_t row = 0; status == TAUT_OK && row < def->count; row++) {
        status = check_linear_row(scene, def, row);
    }
    return status;
}

static taut_status reserve_linear(taut_scene* scene, size_t rows, size_t entries) {
    const taut_allocator* a = &scene->allocator;
    if (entries > TAUT_MAX_COUNT - scene->linear.coordinates.count) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "linear: a scene holds at most %u entries.", TAUT_MAX_COUNT);
    }
    taut_status status = reserve_kind(scene, TAUT_LINEAR, rows);
    if (status == TAUT_OK) {
        status = taut_buffer_reserve(a, &scene->linear.ends, sizeof(uint32_t), rows);
    }
    if (status == TAUT_OK) {
        status = taut_buffer_reserve(a, &scene->linear.coordinates, sizeof(uint32_t), entries);
    }
    if (status == TAUT_OK) {
        status = taut_buffer_reserve(a, &scene->linear.weights, sizeof(double), entries);
    }
    return status;
}

static taut_status store_linear_row(taut_scene* scene, const taut_linear_def* def, const batch_input* in, size_t row) {
    scene_kind* kind = &scene->kinds[TAUT_LINEAR];
    const double* q = scene->positions.data;
    double rest = def->rest_values != NULL ? def->rest_values[row] : 0;
    const bool measured = def->rest_values == NULL && !def->of_velocities;
    for (size_t e = def->offsets[row]; measured && e < def->offsets[row + 1]; e++) {
        rest += def->weights[e] * q[def->coordinates[e]];
    }
    ((double*)kind->rest.data)[kind->count + row] = rest;
    const taut_status status = scene_check_rest(TAUT_LINEAR, row, rest);
    return status == TAUT_OK ? store_material(kind, in, row, 1) : status;
}

static void commit_linear(taut_scene* scene, const taut_linear_def* def) {
    scene_linear* linear = &scene->linear;
    const size_t entries = def->offsets[def->count], base = linear->coordinates.count;
    memcpy((uint32_t*)linear->coordinates.data + base, def->coordinates, entries * sizeof(uint32_t));
    memcpy((double*)linear->weights.data + base, def->weights, entries * sizeof(double));
    linear->coordinates.count = linear->weights.count = base + entries;
    for (size_t row = 0; row < def->count; row++) {
        ((uint32_t*)linear->ends.data)[linear->ends.count++] = (uint32_t)(base + def->offsets[row + 1]);
    }
}

taut_status taut_scene_add_linear(taut_scene* scene, const taut_linear_def* def, taut_batch* batch) {
    SCENE_WHOLE_DEFINITION(taut_linear_def, TAUT_DEFINITION_LINEAR);
    taut_status status =
        check_batch(scene, def, def != NULL ? def->cookie : 0, TAUT_LINEAR, def != NULL ? def->count : 0);
    if (status == TAUT_OK) {
        status = check_linear(scene, def);
    }
    if (status == TAUT_OK) {
        status = reserve_linear(scene, def->count, def->offsets[def->count]);
    }
    if (status != TAUT_OK) {
        return status;
    }
    const batch_input in = {.kind = TAUT_LINEAR,
                            .count = def->count,
                            .compliances = def->compliances,
                            .compliance = def->compliance,
                            .dampings = def->dampings,
                            .damping = def->damping};
    for (size_t row = 0; status == TAUT_OK && row < def->count; row++) {
        status = store_linear_row(scene, def, &in, row);
    }
    if (status == TAUT_OK) {
        commit_linear(scene, def);
        commit_batch(scene, in.kind, in.count, in.poisson, batch);
        ((scene_batch*)scene->batches.data)[scene->batches.count - 1].of_velocities = def->of_velocities;
    }
    return status;
}
