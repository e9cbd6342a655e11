#include "base/array.h"
#include "build/clamps.h"
#include "build/polyline.h"

#include <stdlib.h>

/* Curvature times length, for every pair of neighbouring pieces. NULL after setting the report. */
static double* rest_rotations(scene_builder* b, const rod_spec* rod, const polyline* line) {
    const size_t pairs = line->count - 2;
    double* rotations = array_new(3 * pairs, sizeof *rotations, b->r);
    for (size_t i = 0; rotations && i < 3 * pairs; i++) {
        rotations[i] = rod->curvature[i % 3] * 0.5 * (line->lengths[i / 3] + line->lengths[i / 3 + 1]);
    }
    return rotations;
}

/* ---- clamps --------------------------------------------------------------------------------------------------- */

/* A pin of pieces clamps the rod at those of its vertices that are ends of the pieces. */
static void mark_ends(const pin_spec* pin, size_t count, const bool* pinned, bool* clamped) {
    for (size_t i = 0; i < pin->frame_count; i++) {
        const size_t piece = pin->frames[i];
        for (size_t p = piece; p < count && p <= piece + 1; p++) {
            clamped[p] |= pinned[p];
        }
    }
}

static bool mark_clamps_of(scene_builder* b, const pin_spec* pin, placed_points at, bool* clamped) {
    bool* pinned = array_new(at.count, sizeof *pinned, b->r);
    if (!pinned) {
        return false;
    }
    mark_pinned(pin, at, pinned);
    for (size_t i = 0; pin->clamp && i < at.count; i++) {
        clamped[i] |= pinned[i];
    }
    mark_ends(pin, at.count, pinned, clamped);
    free(pinned);
    return true;
}

/* Per vertex: whether the rod is clamped there, by its own keys or by pins. NULL after setting the report. */
static bool* clamped_vertices(scene_builder* b, const rod_spec* rod, const polyline* line, const built_object* o) {
    const placed_points at = {line->count, (const double(*)[3])line->points};
    bool* clamped = array_new(line->count, sizeof *clamped, b->r);
    bool ok = clamped != NULL;
    for (size_t i = 0; ok && i < b->file->constraint_count; i++) {
        const pin_spec* pin = hard_pin(b, i, o);
        ok = !pin || (!pin->clamp && !pin->frames) || mark_clamps_of(b, pin, at, clamped);
    }
    if (!ok) {
        free(clamped);
        return NULL;
    }
    clamped[0] |= rod->clamp[0];
    clamped[line->count - 1] |= rod->clamp[1];
    return clamped;
}

/* Walls follow the pieces, in the order of the vertices. */
static bool note_walls(scene_builder* b, const bool* clamped, const taut_rod_ranges* ranges, built_object* out) {
    unnamed_nodes walls = {.first_frame = ranges->frames.first + ranges->frames.count};
    out->walls = array_new(out->point_count, sizeof *out->walls, b->r);
    for (size_t i = 0; out->walls && i < out->point_count; i++) {
        out->walls[i] = clamped[i] ? (uint32_t)(walls.first_frame + walls.frame_count) : NO_WALL;
        walls.frame_count += clamped[i];
    }
    b->built->kinds[TAUT_ALIGNMENT] |= walls.frame_count > 0;
    return out->walls && (walls.frame_count == 0 || build_unnamed(b, ".clamp", walls));
}

/* ---- the rod -------------------------------------------------------------------------------------------------- */

static bool add_rod(scene_builder* b, const rod_spec* rod, const polyline* line, const double* rotations,
                    const bool* clamped, taut_rod_ranges* ranges) {
    const size_t offsets[2] = {0, line->count};
    taut_rods_def def = taut_default_rods();
    def.count = 1;
    def.offsets = offsets;
    def.positions = line->points[0];
    def.rest_rotations = rotations;
    def.straight = rod->rest == ROD_STRAIGHT;
    def.radius = rod->radius;
    def.young = rod->young;
    def.shear = rod->shear;
    def.density = rod->density;
    def.inextensible = rod->inextensible;
    def.damping = rod->damping;
    def.clamped = clamped;
    return build_check(b, "", taut_scene_add_rods(b->built->scene, &def, ranges));
}

static bool is_zero(const double v[3]) {
    return v[0] == 0 && v[1] == 0 && v[2] == 0;
}

/* A world keeps one torque a frame: those on the two ends of a rod of one piece add up. */
static void note_torque(built_scene* built, uint32_t frame, const double torque[3]) {
    const size_t count = built->torque_count;
    if (count == 0 || built->torques[count - 1].frame != frame) {
        built->torques[built->torque_count++] = (frame_torque){.frame = frame};
    }
    frame_torque* last = &built->torques[built->torque_count - 1];
    for (int a = 0; a < 3; a++) {
        last->torque[a] += torque[a];
    }
}

static void note_torques(scene_builder* b, const rod_spec* rod, taut_range frames) {
    for (int end = 0; end < 2; end++) {
        if (!is_zero(rod->torques[end])) {
            note_torque(b->built, frames.first + (end ? frames.count - 1 : 0), rod->torques[end]);
        }
    }
}

static bool rod_parts(scene_builder* b, const rod_spec* rod, const polyline* line, const bool* clamped,
                      built_object* out) {
    taut_rod_ranges ranges;
    const bool curved = rod->rest == ROD_CURVED && line->count > 2;
    double* rotations = curved ? rest_rotations(b, rod, line) : NULL;
    const bool ok = (rotations || !curved) && add_rod(b, rod, line, rotations, clamped, &ranges);
    free(rotations);
    if (!ok) {
        return false;
    }
    out->first_frame = ranges.frames.first;
    out->frame_count = ranges.frames.count;
    b->built->kinds[TAUT_SEGMENT] = true;
    b->built->kinds[TAUT_ALIGNMENT] |= line->count > 2;
    note_torques(b, rod, ranges.frames);
    return note_walls(b, clamped, &ranges, out);
}

static bool rod_make(scene_builder* b, const rod_spec* rod, const polyline* line, built_object* out) {
    out->first_point = taut_scene_particle_count(b->built->scene);
    out->point_count = line->count;
    bool* clamped = build_room(b, line->count) ? clamped_vertices(b, rod, line, out) : NULL;
    const bool ok = clamped && rod_parts(b, rod, line, clamped, out);
    free(clamped);
    return ok;
}

bool build_rod(scene_builder* b, const scene_object* o, built_object* out) {
    const rod_spec* rod = &o->as.rod;
    polyline line = {0};
    out->shape = EXPORT_CURVE;
    out->width = 2 * rod->radius;
    const bool ok = polyline_make(b, &o->place, rod->count, (const double(*)[3])rod->points, rod->segments, &line) &&
                    rod_make(b, rod, &line, out);
    polyline_free(&line);
    return ok;
}
