/* Alignments, segments, and the rods made of them. */
#define TAUT_REAL double
#include "base/status.h"
#include "host/scene/defaults.h"
#include "host/scene/scene_frames.h"
#include "kernels/formulas/kinds.h"

#include <string.h>

/* Of a circular cross section under shear. */
#define SHEAR_CORRECTION 0.9
#define PI               3.14159265358979323846

/* ---- single batches --------------------------------------------------------------------------------------------- */

typedef struct frame_rows {
    taut_kind kind;
    size_t count;
    const uint32_t* particles; /* of segments: count x 2 */
    const uint32_t* frames;
    const double* rest; /* count x 3 or NULL */
    const double* compliances;
    const double* compliance;
    const double* dampings;
    double damping;
} frame_rows;

static taut_status check_nodes(const taut_scene* scene, const frame_rows* in, size_t i, uint32_t nodes[3]) {
    const char* name = taut_kind_name(in->kind);
    const uint32_t points = in->kind == TAUT_SEGMENT ? 2 : 0, frames = in->kind == TAUT_SEGMENT ? 1 : 2;
    for (uint32_t slot = 0; slot < points; slot++) {
        nodes[slot] = in->particles[2 * i + slot];
        if (nodes[slot] >= scene->particle_count) {
            return taut_fail(TAUT_INVALID_ARGUMENT, "%s[%zu]: particle %u does not exist (%u particles).", name, i,
                             nodes[slot], scene->particle_count);
        }
    }
    for (uint32_t slot = 0; slot < frames; slot++) {
        nodes[points + slot] = in->frames[frames * i + slot];
        if (nodes[points + slot] >= scene->frames.count) {
            return taut_fail(TAUT_INVALID_ARGUMENT, "%s[%zu]: frame %u does not exist (%u frames).", name, i,
                             nodes[points + slot], scene->frames.count);
        }
    }
    return nodes[0] != nodes[1] ? TAUT_OK
                                : taut_fail(TAUT_INVALID_ARGUMENT, "%s[%zu]: %s %u is named twice.", name, i,
                                            points > 0 ? "particle" : "frame", nodes[0]);
}

/* The value of the constraint function without a rest value. */
static void current_rest(const taut_scene* scene, taut_kind kind, const uint32_t nodes[3], double rest[3]) {
    static const double zero[3] = {0};
    const double *positions = scene->positions.data, *orientations = scene->frames.orientations.data;
    double x[3][4] = {{0}};
    for (uint32_t slot = 0; slot < taut_kind_shapes[kind].nodes; slot++) {
        if (taut_kind_shapes[kind].frames >> slot & 1) {
            memcpy(x[slot], orientations + 4 * (size_t)nodes[slot], 4 * sizeof(double));
        } else {
            memcpy(x[slot], positions + 3 * (size_t)nodes[slot], 3 * sizeof(double));
        }
    }
    if (kind == TAUT_SEGMENT) {
        segment_jacobian jac;
        segment_evaluate((const double(*)[4])x, zero, rest, &jac);
    } else {
        alignment_jacobian jac;
        alignment_evaluate((const double(*)[4])x, zero, rest, &jac);
    }
}

static taut_status add_row(taut_scene* scene, const frame_rows* in, size_t i) {
    uint32_t nodes[3];
    double rest[3];
    taut_status status = check_nodes(scene, in, i, nodes);
    if (status == TAUT_OK && in->rest != NULL) {
        memcpy(rest, in->rest + 3 * i, sizeof rest);
        status = scene_check_vectors(taut_kind_name(in->kind), rest, 1);
    } else if (status == TAUT_OK) {
        current_rest(scene, in->kind, nodes, rest);
    }
    const double damping = in->dampings != NULL ? in->dampings[i] : in->damping;
    const scene_rows row = {.kind = in->kind,
                            .count = 1,
                            .nodes = nodes,
                            .rest = rest,
                            .compliances = in->compliances != NULL ? in->compliances + 3 * i : in->compliance,
                            .dampings = &damping};
    return status == TAUT_OK ? scene_append(scene, &row) : status;
}

/* Rows first, one by one, then the batch over them. */
static taut_status add_rows(taut_scene* scene, const frame_rows* in, taut_batch* batch) {
    const char* name = taut_kind_name(in->kind);
    if (in->count == 0 || in->count > TAUT_MAX_COUNT) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "%s: count is %zu; it must lie in 1 to %u.", name, in->count,
                         TAUT_MAX_COUNT);
    }
    if (in->frames == NULL || (in->kind == TAUT_SEGMENT && in->particles == NULL)) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "%s: particles and frames must not be NULL.", name);
    }
    const scene_mark mark = scene_take_mark(scene);
    taut_status status = TAUT_OK;
    for (size_t i = 0; status == TAUT_OK && i < in->count; i++) {
        status = add_row(scene, in, i);
    }
    if (status == TAUT_OK) {
        status = scene_batch_since(scene, in->kind, &mark, batch);
    }
    if (status != TAUT_OK) {
        scene_return_to(scene, &mark);
    }
    return status;
}

taut_status taut_scene_add_alignments(taut_scene* scene, const taut_alignment_def* def, taut_batch* batch) {
    SCENE_WHOLE_DEFINITION(taut_alignment_def, TAUT_DEFINITION_ALIGNMENT);
    const taut_status status =
        scene_check_def(scene, def, def != NULL ? def->cookie : 0, TAUT_DEFINITION_ALIGNMENT, "alignment");
    if (status != TAUT_OK) {
        return status;
    }
    const frame_rows in = {TAUT_ALIGNMENT,   def->count,      NULL,          def->frames, def->rest_rotations,
                           def->compliances, def->compliance, def->dampings, def->damping};
    return add_rows(scene, &in, batch);
}

taut_status taut_scene_add_segments(taut_scene* scene, const taut_segment_def* def, taut_batch* batch) {
    SCENE_WHOLE_DEFINITION(taut_segment_def, TAUT_DEFINITION_SEGMENT);
    const taut_status status =
        scene_check_def(scene, def, def != NULL ? def->cookie : 0, TAUT_DEFINITION_SEGMENT, "segment");
    if (status != TAUT_OK) {
        return status;
    }
    const frame_rows in = {TAUT_SEGMENT,     def->count,      def->particles, def->frames, def->rest,
                           def->compliances, def->compliance, def->dampings,  def->damping};
    return add_rows(scene, &in, batch);
}

/* ---- rods ------------------------------------------------------------------------------------------------------- */

typedef struct rod_section {
    double area, inertia; /* m^2, m^4; the polar moment is twice the other */
} rod_section;

static rod_section section_of(const taut_rods_def* def) {
    const double r2 = def->radius * def->radius;
    return (rod_section){PI * r2, PI * r2 * r2 / 4};
}

static taut_status check_material(const taut_rods_def* def) {
    const struct {
        const char* name;
        double value;
    } numbers[] = {{"radius", def->radius}, {"young", def->young}, {"shear", def->shear}, {"density", def->density}};
    for (int i = 0; i < 4; i++) {
        if (!(numbers[i].value > 0 && numbers[i].value <= TAUT_MAX_MASS)) {
            return taut_fail(TAUT_INVALID_ARGUMENT, "rods: %s is %g; it must be positive and at most %g.",
                             numbers[i].name, numbers[i].value, TAUT_MAX_MASS);
        }
    }
    return scene_check_damping("rods", 0, def->damping);
}

static taut_status check_rods(const taut_scene* scene, const taut_rods_def* def) {
    taut_status status = scene_check_def(scene, def, def != NULL ? def->cookie : 0, TAUT_DEFINITION_RODS, "rods");
    if (status != TAUT_OK) {
        return status;
    }
    if (def->count == 0 || def->offsets == NULL || def->positions == NULL || def->offsets[0] != 0) {
        return taut_fail(TAUT_INVALID_ARGUMENT,
                         "rods: count must be at least 1, offsets begin with 0, and positions not be NULL.");
    }
    for (size_t r = 0; r < def->count; r++) {
        if (def->offsets[r + 1] < def->offsets[r] + 2 || def->offsets[r + 1] > TAUT_MAX_COUNT) {
            return taut_fail(TAUT_INVALID_ARGUMENT, "rods[%zu]: a rod has at least 2 points, a scene at most %u.", r,
                             TAUT_MAX_COUNT);
        }
    }
    const size_t points = def->offsets[def->count], pieces = points - def->count;
    status = check_material(def);
    if (status == TAUT_OK) {
        status = scene_check_vectors("rods: position", def->positions, points);
    }
    if (status == TAUT_OK) {
        status = scene_check_quaternions("rods: orientation", def->orientations, pieces);
    }
    return status == TAUT_OK ? scene_check_vectors("rods: rest rotation", def->rest_rotations, pieces - def->count)
                             : status;
}

/* Length and direction of the piece behind a point. */
static taut_status piece_of(const taut_rods_def* def, size_t rod, size_t point, double direction[3], double* length) {
    double d[3];
    vec3_sub(def->positions + 3 * (point + 1), def->positions + 3 * point, d);
    *length = vec3_normalise(d, direction);
    return *length > 1e-9 ? TAUT_OK
                          : taut_fail(TAUT_INVALID_ARGUMENT, "rods[%zu]: points %zu and %zu coincide.", rod,
                                      point - def->offsets[rod], point - def->offsets[rod] + 1);
}

/* The orientation turned by the smallest rotation that takes its z axis to `direction`; a half turn where they oppose,
 * about x. */
static void carry(const double q[4], const double direction[3], double out[4]) {
    double axes[3][3], turn[4];
    quat_axes(q, axes);
    vec3_cross(axes[2], direction, turn + 1);
    turn[0] = 1 + vec3_dot(axes[2], direction);
    if (turn[0] < 1e-12) {
        turn[0] = 0;
        memcpy(turn + 1, axes[0], 3 * sizeof(double));
    }
    quat_normalise(turn, turn);
    quat_multiply(turn, q, out);
    quat_normalise(out, out);
}

static taut_status piece_orientation(const taut_rods_def* def, size_t rod, size_t piece, const double direction[3],
                                     double q[4]) {
    if (def->orientations == NULL) {
        const double before[4] = {q[0], q[1], q[2], q[3]};
        carry(before, direction, q);
        return TAUT_OK;
    }
    double axes[3][3];
    memcpy(q, def->orientations + 4 * piece, 4 * sizeof(double));
    quat_normalise(q, q);
    quat_axes(q, axes);
    return vec3_dot(axes[2], direction) > 1 - 1e-6
               ? TAUT_OK
               : taut_fail(TAUT_INVALID_ARGUMENT, "rods[%zu]: z of orientation %zu does not point along its piece.",
                           rod, piece);
}

/* Masses of points: half of each piece beside them. */
static taut_status add_points(taut_scene* scene, const taut_rods_def* def, double* masses, taut_range* range) {
    const double line = section_of(def).area * def->density;
    for (size_t r = 0; r < def->count; r++) {
        for (size_t p = def->offsets[r]; p + 1 < def->offsets[r + 1]; p++) {
            double direction[3], length;
            const taut_status status = piece_of(def, r, p, direction, &length);
            if (status != TAUT_OK) {
                return status;
            }
            masses[p] += line * length / 2;
            masses[p + 1] += line * length / 2;
        }
    }
    taut_particles_def points = taut_default_particles();
    points.count = def->offsets[def->count];
    points.positions = def->positions;
    points.masses = masses;
    return taut_scene_add_particles(scene, &points, range);
}

static taut_status add_piece(taut_scene* scene, const taut_rods_def* def, uint32_t point, double length,
                             const double q[4]) {
    static const double still[3] = {0, 0, 0};
    const rod_section s = section_of(def);
    const double section = def->density * s.inertia * length;
    const double across = section + def->density * s.area * length * length * length / 12;
    const double inertia[6] = {across, across, 2 * section, 0, 0, 0};
    const scene_frame frame = {.orientation = q, .velocity = still, .inertia = inertia, .centre = TAUT_NO_POINT};
    const uint32_t nodes[3] = {point, point + 1, scene->frames.count};
    const double rest[3] = {0, 0, length}, soft = def->inextensible ? 0 : length;
    const double shear = soft / (SHEAR_CORRECTION * def->shear * s.area), stretch = soft / (def->young * s.area);
    const double compliances[3] = {shear, shear, stretch};
    const scene_rows row = {TAUT_SEGMENT, 1, nodes, rest, compliances, &def->damping};
    const taut_status status = scene_add_frame(scene, &frame);
    return status == TAUT_OK ? scene_append(scene, &row) : status;
}

static taut_status add_pieces(taut_scene* scene, const taut_rods_def* def, size_t rod, uint32_t first_point) {
    double q[4] = {1, 0, 0, 0};
    taut_status status = TAUT_OK;
    for (size_t p = def->offsets[rod]; status == TAUT_OK && p + 1 < def->offsets[rod + 1]; p++) {
        double direction[3], length;
        status = piece_of(def, rod, p, direction, &length);
        if (status == TAUT_OK) {
            status = piece_orientation(def, rod, p - rod, direction, q);
        }
        if (status == TAUT_OK) {
            status = add_piece(scene, def, first_point + (uint32_t)p, length, q);
        }
    }
    return status;
}

/* ---- bending ---------------------------------------------------------------------------------------------------- */

/* A rod bends and twists at its points, where the halves of the two pieces beside a point stand for the rod between the
 * middles of both: a length of (l0 + l1)/2. A clamp is at a point. It holds the tangent there, so that each piece
 * beside it bends against the wall over its own half:
 *
 *     C = (l/2) diag(1/(E I), 1/(E I), 1/(G J))        wall to piece
 *
 * The curvature M/(E I) is thus integrated by the trapezoidal rule from the clamp on, with errors of order l^2. A piece
 * that was fixed itself would be half a piece of rod that cannot bend: an error of order l. */
typedef struct rod_joint {
    size_t rod, point; /* the point is numbered through all rods */
    bool before, behind;
    uint32_t frames[2]; /* of the pieces before and behind the point, where there are any */
    double halves[2];   /* m: half of their lengths */
} rod_joint;

static rod_joint joint_at(const taut_rods_def* def, size_t rod, size_t point, uint32_t first_frame) {
    rod_joint j = {.rod = rod, .point = point};
    double direction[3], length;
    j.before = point > def->offsets[rod];
    j.behind = point + 1 < def->offsets[rod + 1];
    j.frames[1] = first_frame + (uint32_t)(point - rod);
    j.frames[0] = j.frames[1] - 1;
    if (j.before && piece_of(def, rod, point - 1, direction, &length) == TAUT_OK) {
        j.halves[0] = length / 2;
    }
    if (j.behind && piece_of(def, rod, point, direction, &length) == TAUT_OK) {
        j.halves[1] = length / 2;
    }
    return j;
}

/* Rotation from the piece before the point to that behind: as drawn, or at rest. */
static void joint_rotation(const taut_scene* scene, const taut_rods_def* def, const rod_joint* j, bool at_rest,
                           double rotation[3]) {
    memset(rotation, 0, 3 * sizeof *rotation);
    if (at_rest && def->rest_rotations != NULL) { /* rods before this one have one pair less than pieces */
        memcpy(rotation, def->rest_rotations + 3 * (j->point - 2 * j->rod - 1), 3 * sizeof *rotation);
    } else if (!at_rest || !def->straight) {
        const uint32_t nodes[3] = {j->frames[0], j->frames[1]};
        current_rest(scene, TAUT_ALIGNMENT, nodes, rotation);
    }
}

static taut_status add_alignment(taut_scene* scene, const taut_rods_def* def, uint32_t from, uint32_t to, double length,
                                 const double rest[3]) {
    const rod_section s = section_of(def);
    const double across = length / (def->young * s.inertia), along = length / (def->shear * 2 * s.inertia);
    const uint32_t nodes[3] = {from, to};
    const scene_rows row = {TAUT_ALIGNMENT, 1, nodes, rest, (const double[]){across, across, along}, &def->damping};
    return scene_append(scene, &row);
}

static void vector_times(const double v[3], double factor, double out[3]) {
    for (int a = 0; a < 3; a++) {
        out[a] = factor * v[a];
    }
}

/* The wall of a clamp: a fixed frame with the tangent as drawn. Between two pieces the drawn rotation is shared by the
 * lengths of their halves; at an end the tangent is that of the piece. The frame has the inertia of the piece. */
static taut_status add_wall(taut_scene* scene, const taut_rods_def* def, const rod_joint* j) {
    static const double still[3] = {0, 0, 0};
    const uint32_t beside = j->frames[j->before ? 0 : 1];
    double q[4], inertia[6];
    memcpy(q, (const double*)scene->frames.orientations.data + 4 * (size_t)beside, sizeof q);
    memcpy(inertia, (const double*)scene->frames.inertias.data + 6 * (size_t)beside, sizeof inertia);
    if (j->before && j->behind) {
        double rotation[3], turn[4], piece[4];
        joint_rotation(scene, def, j, false, rotation);
        vector_times(rotation, j->halves[0] / (j->halves[0] + j->halves[1]), rotation);
        quat_exp(rotation, turn);
        memcpy(piece, q, sizeof piece);
        quat_multiply(piece, turn, q);
    }
    const scene_frame frame = {
        .orientation = q, .velocity = still, .inertia = inertia, .fixed = true, .centre = TAUT_NO_POINT};
    return scene_add_frame(scene, &frame);
}

/* Rotation at rest of half `side` of the joint. At an end it is that of the other half of the piece, if there is one.
 */
static void half_rest(const taut_scene* scene, const taut_rods_def* def, const rod_joint* j, int side, uint32_t wall,
                      double rest[3]) {
    const bool end = !j->before || !j->behind;
    const size_t other = side == 0 ? j->point - 1 : j->point + 1; /* the other point of the piece */
    const bool alone = def->offsets[j->rod + 1] == def->offsets[j->rod] + 2;
    if (def->rest_rotations == NULL && !def->straight) {
        const uint32_t nodes[3] = {side == 0 ? j->frames[0] : wall, side == 0 ? wall : j->frames[1]};
        current_rest(scene, TAUT_ALIGNMENT, nodes, rest);
    } else if (end && alone) {
        memset(rest, 0, 3 * sizeof *rest);
    } else {
        const uint32_t first_frame = j->frames[1] - (uint32_t)(j->point - j->rod);
        const rod_joint inner = end ? joint_at(def, j->rod, other, first_frame) : *j;
        joint_rotation(scene, def, &inner, true, rest);
        vector_times(rest, j->halves[side] / (inner.halves[0] + inner.halves[1]), rest);
    }
}

static taut_status add_clamp(taut_scene* scene, const taut_rods_def* def, const rod_joint* j) {
    const uint32_t wall = scene->frames.count;
    double rest[3];
    taut_status status = add_wall(scene, def, j);
    if (status == TAUT_OK && j->before) {
        half_rest(scene, def, j, 0, wall, rest);
        status = add_alignment(scene, def, j->frames[0], wall, j->halves[0], rest);
    }
    if (status == TAUT_OK && j->behind) {
        half_rest(scene, def, j, 1, wall, rest);
        status = add_alignment(scene, def, wall, j->frames[1], j->halves[1], rest);
    }
    return status;
}

static taut_status add_bends(taut_scene* scene, const taut_rods_def* def, size_t rod, const taut_rod_ranges* made) {
    taut_status status = TAUT_OK;
    for (size_t p = def->offsets[rod]; status == TAUT_OK && p < def->offsets[rod + 1]; p++) {
        const rod_joint j = joint_at(def, rod, p, made->frames.first);
        const uint32_t point = made->points.first + (uint32_t)p;
        if (def->clamped != NULL && def->clamped[p]) {
            status = add_clamp(scene, def, &j);
            status = status == TAUT_OK ? taut_scene_set_fixed(scene, 1, &point, true) : status;
        } else if (j.before && j.behind) {
            double rest[3];
            joint_rotation(scene, def, &j, true, rest);
            status = add_alignment(scene, def, j.frames[0], j.frames[1], j.halves[0] + j.halves[1], rest);
        }
    }
    return status;
}

/* ---- all rods ---------------------------------------------------------------------------------------------------- */

static bool rods_bend(const taut_rods_def* def) {
    bool bend = def->offsets[def->count] > 2 * def->count;
    for (size_t p = 0; def->clamped != NULL && p < def->offsets[def->count]; p++) {
        bend |= def->clamped[p];
    }
    return bend;
}

static taut_status add_all(taut_scene* scene, const taut_rods_def* def, double* masses, taut_rod_ranges* made) {
    const scene_mark mark = scene_take_mark(scene);
    const size_t pieces = def->offsets[def->count] - def->count;
    made->frames = (taut_range){scene->frames.count, (uint32_t)pieces};
    taut_status status = add_points(scene, def, masses, &made->points);
    for (size_t r = 0; status == TAUT_OK && r < def->count; r++) {
        status = add_pieces(scene, def, r, made->points.first);
    }
    for (size_t r = 0; status == TAUT_OK && r < def->count; r++) {
        status = add_bends(scene, def, r, made);
    }
    if (status == TAUT_OK) {
        status = scene_batch_since(scene, TAUT_SEGMENT, &mark, &made->segments);
    }
    if (status == TAUT_OK && rods_bend(def)) {
        status = scene_batch_since(scene, TAUT_ALIGNMENT, &mark, &made->bends);
    }
    if (status != TAUT_OK) {
        scene_return_to(scene, &mark);
    }
    return status;
}

taut_status taut_scene_add_rods(taut_scene* scene, const taut_rods_def* def, taut_rod_ranges* ranges) {
    SCENE_WHOLE_DEFINITION(taut_rods_def, TAUT_DEFINITION_RODS);
    taut_status status = check_rods(scene, def);
    if (status != TAUT_OK) {
        return status;
    }
    taut_rod_ranges made = {0};
    const size_t bytes = def->offsets[def->count] * sizeof(double);
    double* masses = taut_allocate(&scene->allocator, bytes);
    if (masses == NULL) {
        return TAUT_OUT_OF_MEMORY;
    }
    status = add_all(scene, def, masses, &made);
    taut_release(&scene->allocator, masses, bytes);
    if (status == TAUT_OK && ranges != NULL) {
        *ranges = made;
    }
    return status;
}
