#include "base/array.h"
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

static bool add_rod(scene_builder* b, const rod_spec* rod, const polyline* line, const double* rotations,
                    taut_rod_ranges* ranges) {
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
    return build_room(b, line->count) && build_check(b, "", taut_scene_add_rods(b->built->scene, &def, ranges));
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

static bool rod_make(scene_builder* b, const rod_spec* rod, const polyline* line, built_object* out) {
    taut_rod_ranges ranges;
    const bool curved = rod->rest == ROD_CURVED && line->count > 2;
    double* rotations = curved ? rest_rotations(b, rod, line) : NULL;
    const bool ok = (rotations || !curved) && add_rod(b, rod, line, rotations, &ranges);
    free(rotations);
    if (!ok) {
        return false;
    }
    out->first_point = ranges.points.first;
    out->point_count = ranges.points.count;
    out->first_frame = ranges.frames.first;
    out->frame_count = ranges.frames.count;
    b->built->kinds[TAUT_SEGMENT] = true;
    b->built->kinds[TAUT_ALIGNMENT] |= line->count > 2;
    note_torques(b, rod, ranges.frames);
    return true;
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
