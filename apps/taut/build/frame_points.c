#include "build/frame_points.h"

#include "base/array.h"
#include "base/quaternion.h"

#include <stdlib.h>
#include <string.h>

/* ---- what is exported ----------------------------------------------------------------------------------------- */

/* `end` moves on behind the points of the surfaces of bodies and colliders. */
static export_object describe(const built_object* o, size_t* end) {
    export_object e = {.name = o->name,
                       .shape = o->shape,
                       .first_point = o->first_point,
                       .point_count = o->point_count,
                       .triangles = o->triangles,
                       .triangle_count = o->triangle_count,
                       .width = o->width};
    if (o->skin) {
        e.first_point = *end;
        e.point_count = (o->skin_copies ? o->skin_copies : 1) * o->skin_count;
        *end += e.point_count;
    }
    return e;
}

/* Returns how many points a frame holds. */
static size_t list_exports(frame_points* p) {
    size_t end = p->point_count;
    for (size_t i = 0; i < p->built->object_count; i++) {
        if (p->built->objects[i].exported) {
            p->exports[p->export_count++] = describe(&p->built->objects[i], &end);
        }
    }
    return end;
}

bool frame_points_make_for(const built_scene* built, size_t points, size_t frames, frame_points* out, report* r) {
    frame_points p = {.built = built, .point_count = points, .frame_count = frames};
    p.exports = array_new(built->object_count, sizeof *p.exports, r);
    const size_t count = p.exports ? list_exports(&p) : 0;
    p.positions = p.exports ? array_new(count, sizeof *p.positions, r) : NULL;
    p.orientations = p.positions ? array_new(p.frame_count, sizeof *p.orientations, r) : NULL;
    if (!p.orientations) {
        frame_points_free(&p);
        return false;
    }
    *out = p;
    return true;
}

bool frame_points_make(const built_scene* built, frame_points* out, report* r) {
    return frame_points_make_for(built, taut_scene_particle_count(built->scene), taut_scene_frame_count(built->scene),
                                 out, r);
}

void frame_points_free(frame_points* p) {
    free(p->exports);
    free(p->positions);
    free(p->orientations);
    *p = (frame_points){0};
}

/* ---- every frame ---------------------------------------------------------------------------------------------- */

static void place_skin(const built_object* o, const double centre[3], const double turn[4], double (*out)[3]) {
    for (size_t i = 0; i < o->skin_count; i++) {
        quaternion_rotate(turn, o->skin[i], out[i]);
        for (int a = 0; a < 3; a++) {
            out[i][a] += centre[a];
        }
    }
}

static void place_skins(frame_points* p) {
    double(*out)[3] = p->positions + p->point_count;
    for (size_t i = 0; i < p->built->object_count; i++) {
        const built_object* o = &p->built->objects[i];
        for (size_t body = 0; body < o->skin_copies; body++) {
            place_skin(o, p->positions[o->skin_point + body], p->orientations[o->skin_frame + body], out);
            out += o->skin_count;
        }
        if (o->skin && o->skin_copies == 0) {
            memcpy(out, o->skin, o->skin_count * sizeof *out);
            out += o->skin_count;
        }
    }
}

static bool read_rest(frame_points* p, taut_world* world, taut_status status, size_t frame, report* r) {
    if (status == TAUT_OK && p->frame_count > 0) {
        status = taut_world_read(world, TAUT_FIELD_ORIENTATIONS, 0, p->frame_count, p->orientations[0]);
    }
    if (status != TAUT_OK) {
        return report_fail(r, "frame %zu: %s", frame, taut_last_error());
    }
    place_skins(p);
    return true;
}

bool frame_points_read(frame_points* p, taut_world* world, size_t frame, report* r) {
    return read_rest(p, world, taut_world_read(world, TAUT_FIELD_POSITIONS, 0, p->point_count, p->positions[0]), frame,
                     r);
}

bool frame_points_read_some(frame_points* p, taut_world* world, size_t count, const taut_range* ranges, size_t frame,
                            report* r) {
    taut_status status = TAUT_OK;
    for (size_t i = 0; status == TAUT_OK && i < count; i++) {
        const size_t first = ranges[i].first;
        status = taut_world_read(world, TAUT_FIELD_POSITIONS, first, ranges[i].count, p->positions[first]);
    }
    return read_rest(p, world, status, frame, r);
}
