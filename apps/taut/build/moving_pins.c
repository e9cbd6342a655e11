/* Pins that move: along keyframes, or with a collider. */
#include "base/array.h"
#include "build/pins.h"

#include <stdlib.h>
#include <string.h>

/* ---- what moves ----------------------------------------------------------------------------------------------- */

/* A wall moves with the pin whose clamps it stands behind. */
static bool add_wall_points(scene_builder* b, pinned* p) {
    const built_scene* built = b->built;
    for (size_t w = 0; w < built->wall_count; w++) {
        const wall_points* wall = &built->walls[w];
        uint32_t* all =
            wall->constraint == b->index ? array_new(p->points.count + wall->count, sizeof *all, b->r) : NULL;
        if (wall->constraint == b->index && !all) {
            return false;
        }
        if (all) {
            memcpy(all, p->points.particles, p->points.count * sizeof *all);
            for (uint32_t i = 0; i < wall->count; i++) {
                all[p->points.count++] = wall->first + i;
            }
            free(p->points.particles);
            p->points.particles = all;
        }
    }
    return true;
}

static bool pin_arrays(scene_builder* b, moving_pin* m) {
    m->start = array_new(m->count, sizeof *m->start, b->r);
    m->now = array_new(m->count, sizeof *m->now, b->r);
    m->frame_start = array_new(m->frame_count, sizeof *m->frame_start, b->r);
    m->frame_now = array_new(m->frame_count, sizeof *m->frame_now, b->r);
    return m->start && m->now && m->frame_start && m->frame_now;
}

static const double* place_of(const scene_builder* b, size_t point) {
    return taut_scene_positions(b->built->scene) + 3 * point;
}

static void copy_points(const scene_builder* b, size_t count, const uint32_t* particles, double (*out)[3]) {
    for (size_t i = 0; i < count; i++) {
        memcpy(out[i], place_of(b, particles[i]), sizeof out[i]);
    }
}

/* Takes the particles and frames over. NULL after setting the report. */
static moving_pin* add_moving(scene_builder* b, pinned* p, taut_batch batch) {
    moving_pin* m = &b->built->pins[b->built->pin_count++];
    *m = (moving_pin){.count = p->points.count,
                      .particles = p->points.particles,
                      .frame_count = p->frame_count,
                      .frames = p->frames,
                      .batch = batch};
    p->points.particles = p->frames = NULL;
    if (!pin_arrays(b, m)) {
        return NULL;
    }
    copy_points(b, m->count, m->particles, m->start);
    return m;
}

/* ---- along keyframes ------------------------------------------------------------------------------------------ */

/* `centre`: of the turns, where the path names none. */
static bool add_path(scene_builder* b, const motion* path, const double centre[3], pinned* p, taut_batch batch) {
    moving_pin* m = add_moving(b, p, batch);
    if (m) {
        m->path = path;
        memcpy(m->centre, path->centred ? path->centre : centre, sizeof m->centre);
    }
    return m != NULL;
}

static void mean_place(const scene_builder* b, const selection* points, double out[3]) {
    for (int a = 0; a < 3; a++) {
        out[a] = 0;
        for (size_t i = 0; i < points->count; i++) {
            out[a] += place_of(b, points->particles[i])[a] / (double)points->count;
        }
    }
}

bool build_moving_body(scene_builder* b, const motion* path, uint32_t point, uint32_t frame) {
    pinned p = {.points.count = 1, .frame_count = 1};
    p.points.particles = build_indices(b, point, 1, &(uint32_t){0});
    p.frames = build_indices(b, frame, 1, &(uint32_t){0});
    const bool ok = p.points.particles && p.frames && add_path(b, path, place_of(b, point), &p, (taut_batch){0});
    pinned_free(&p);
    return ok;
}

/* ---- with a collider ------------------------------------------------------------------------------------------ */

static const moving_mesh* mesh_of(const scene_builder* b, size_t object) {
    const moving_mesh* found = b->built->meshes;
    while (found->object != object) {
        found++;
    }
    return found;
}

/* A side of its triangle would have no direction. */
static bool keep_areas(scene_builder* b, const moving_mesh* leader, size_t count, const follower* bound) {
    const point_cache* samples = &leader->samples;
    for (size_t s = 0; s < samples->sample_count; s++) {
        const double(*vertices)[3] = (const double(*)[3])(samples->points + s * samples->point_count);
        for (size_t i = 0; i < count; i++) {
            if (!follower_has_area(&bound[i], vertices)) {
                return build_fail(b, ".follow",
                                  "the triangle of vertices %u, %u and %u of '%s', which is nearest to a vertex of the "
                                  "pin, has no area in sample %zu of the animation",
                                  bound[i].corners[0], bound[i].corners[1], bound[i].corners[2],
                                  b->built->objects[leader->object].name, s);
            }
        }
    }
    return true;
}

/* NULL after setting the report. */
static follower* bind_all(scene_builder* b, const moving_mesh* leader, size_t count, const double (*points)[3]) {
    const built_object* o = &b->built->objects[leader->object];
    const double* vertices = place_of(b, o->first_point);
    follower* bound = array_new(count, sizeof *bound, b->r);
    if (bound && followers_bind(o->triangle_count, o->triangles, vertices, count, points, bound, b->r) &&
        keep_areas(b, leader, count, bound)) {
        return bound;
    }
    free(bound);
    return NULL;
}

static bool bind_frames(scene_builder* b, const uint32_t* frame_points, moving_pin* m) {
    double(*points)[3] = array_new(m->frame_count, sizeof *points, b->r);
    if (points) {
        copy_points(b, m->frame_count, frame_points, points);
        m->bound_frames = bind_all(b, m->leader, m->frame_count, (const double(*)[3])points);
    }
    free(points);
    return m->bound_frames != NULL;
}

static bool follow_mesh(scene_builder* b, const moving_mesh* leader, pinned* p, taut_batch batch) {
    moving_pin* m = add_moving(b, p, batch);
    if (!m) {
        return false;
    }
    m->leader = leader;
    m->bound = bind_all(b, leader, m->count, (const double(*)[3])m->start);
    return m->bound && (m->frame_count == 0 || bind_frames(b, p->frame_points, m));
}

/* As the collider itself, which turns about its own place. */
static bool follow(scene_builder* b, size_t leader, pinned* p, taut_batch batch) {
    const collider_spec* c = &b->file->objects[leader].as.collider;
    return c->animation.file ? follow_mesh(b, mesh_of(b, leader), p, batch)
                             : add_path(b, &c->path, place_of(b, b->built->objects[leader].first_point), p, batch);
}

bool build_moving_pin(scene_builder* b, const pin_spec* pin, pinned* p, taut_batch batch) {
    double centre[3];
    mean_place(b, &p->points, centre); /* without the walls */
    return add_wall_points(b, p) &&
           (pin->follows ? follow(b, pin->leader, p, batch) : add_path(b, &pin->path, centre, p, batch));
}
