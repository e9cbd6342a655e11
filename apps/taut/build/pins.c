#include "base/array.h"
#include "build/scene_builder.h"

#include <stdlib.h>
#include <string.h>

/* What a pin holds. */
typedef struct pinned {
    selection points;
    size_t frame_count;
    uint32_t* frames;
} pinned;

/* In scene_builder.holder: fixed by its own object. Otherwise 0, nothing, or 1 + the index of a pin. */
static const uint32_t own_object = UINT32_MAX;

/* ---- what is held --------------------------------------------------------------------------------------------- */

static bool pin_object(scene_builder* b, const pin_spec* pin) {
    const built_object* o = &b->built->objects[pin->at.object];
    if (o->lengths) {
        return build_fail(b, ".at", "'%s' is a length, not a place: use a linear constraint", o->name);
    }
    return pin->at.object < b->file->object_count || pin->law.given ||
           build_fail(b, ".at", "the points of '%s' follow others: they are held with a compliance only, 0 is hard",
                      o->name);
}

/* A hard pin on a body holds its orientation, too. */
static bool body_frames(scene_builder* b, const built_object* o, pinned* out) {
    out->frames = array_new(out->points.count, sizeof *out->frames, b->r);
    for (size_t i = 0; out->frames && i < out->points.count; i++) {
        out->frames[i] = (uint32_t)(o->first_frame + (out->points.particles[i] - o->first_point));
    }
    out->frame_count = out->frames ? out->points.count : 0;
    return out->frames != NULL;
}

/* The walls of the rod's clamps at the pin's vertices hold the pieces beside them. */
static void add_walls(const built_object* o, pinned* out) {
    for (size_t i = 0; o->walls && i < out->points.count; i++) {
        const uint32_t wall = o->walls[out->points.particles[i] - o->first_point];
        if (wall != NO_WALL) {
            out->frames[out->frame_count++] = wall;
        }
    }
}

static bool ends_at_clamp(const built_object* o, const pinned* held, uint32_t piece) {
    for (size_t i = 0; i < held->points.count; i++) {
        const size_t vertex = held->points.particles[i] - o->first_point;
        if (vertex == piece || vertex == (size_t)piece + 1) {
            return true;
        }
    }
    return false;
}

static bool rod_frames(scene_builder* b, const pin_spec* pin, const built_object* o, pinned* out) {
    out->frames = array_new(pin->frame_count + out->points.count, sizeof *out->frames, b->r);
    if (!out->frames) {
        return false;
    }
    add_walls(o, out);
    for (size_t i = 0; i < pin->frame_count; i++) {
        if (pin->frames[i] >= o->frame_count) {
            return build_fail(b, ".at.frames", "piece %u of '%s' does not exist: it has %zu", pin->frames[i], o->name,
                              o->frame_count);
        }
        if (!ends_at_clamp(o, out, pin->frames[i])) {
            out->frames[out->frame_count++] = (uint32_t)o->first_frame + pin->frames[i];
        }
    }
    return true;
}

static bool select_all(scene_builder* b, const pin_spec* pin, pinned* out) {
    const built_object* o = &b->built->objects[pin->at.object];
    return pin_object(b, pin) && build_selection(b, ".at", &pin->at, &out->points) &&
           (pin->law.given || (o->rigid ? body_frames(b, o, out) : rod_frames(b, pin, o, out)));
}

/* ---- by whom -------------------------------------------------------------------------------------------------- */

static bool held_otherwise(const scene_builder* b, const pin_spec* pin, uint32_t holder) {
    if (holder == own_object) {
        return pin->law.given;
    }
    const pin_spec* other = &b->file->constraints[holder - 1].as.pin;
    return pin->path.count || other->path.count || pin->law.given != other->law.given;
}

/* A vertex or a piece of a rod can follow one motion, and be held in one way, only. */
static bool claim(scene_builder* b, const pin_spec* pin, uint32_t* holder, const char* what, size_t number) {
    const char* name = b->built->objects[pin->at.object].name;
    if (*holder == b->index + 1) {
        return build_fail(b, what[0] == 'v' ? ".at.vertices" : ".at.frames", "lists %s %zu twice", what, number);
    }
    if (*holder && held_otherwise(b, pin, *holder)) {
        return *holder == own_object
                   ? build_fail(b, "", "%s %zu of '%s' is already fixed by its object", what, number, name)
                   : build_fail(b, "", "%s %zu of '%s' is already held in another way by constraints[%u]", what, number,
                                name, *holder - 1);
    }
    *holder = (uint32_t)b->index + 1;
    return true;
}

static bool claim_all(scene_builder* b, const pin_spec* pin, const pinned* p) {
    const built_object* o = &b->built->objects[pin->at.object];
    bool ok = true;
    for (size_t i = 0; ok && i < p->points.count; i++) {
        uint32_t* holder = &b->holder[p->points.particles[i]];
        b->built->fixed_count += !*holder && !pin->law.given;
        ok = claim(b, pin, holder, "vertex", p->points.particles[i] - o->first_point);
    }
    for (size_t i = 0; ok && !pin->law.given && i < pin->frame_count; i++) {
        ok = claim(b, pin, &b->frame_holder[o->first_frame + pin->frames[i]], "piece", pin->frames[i]);
    }
    return ok;
}

/* ---- how it is held ------------------------------------------------------------------------------------------- */

static bool fix(scene_builder* b, size_t count, const uint32_t* particles, size_t frame_count, const uint32_t* frames) {
    taut_scene* scene = b->built->scene;
    for (size_t i = 0; i < count; i++) {
        b->built->fixed[particles[i]] = true;
    }
    return build_check(b, "", taut_scene_set_fixed(scene, count, particles, true)) &&
           (frame_count == 0 || build_check(b, "", taut_scene_set_frames_fixed(scene, frame_count, frames, true)));
}

static bool hold(scene_builder* b, const pin_spec* pin, const pinned* p, taut_batch* batch) {
    if (!pin->law.given) {
        return fix(b, p->points.count, p->points.particles, p->frame_count, p->frames);
    }
    taut_target_def def = taut_default_target();
    def.count = p->points.count;
    def.particles = p->points.particles;
    def.compliance = pin->law.compliance;
    def.damping = pin->law.damping;
    b->built->kinds[TAUT_TARGET] = true;
    return build_check(b, "", taut_scene_add_targets(b->built->scene, &def, batch)) &&
           build_form(b, "", &pin->law, *batch);
}

static bool hold_node(scene_builder* b, size_t point, size_t frame) {
    const uint32_t particle = (uint32_t)point, piece = (uint32_t)frame;
    b->built->fixed_count += !b->holder[point];
    b->holder[point] = own_object;
    b->frame_holder[frame] = own_object;
    return fix(b, 1, &particle, 1, &piece);
}

/* Vertices of an animated mesh. */
static void hold_vertices(scene_builder* b, const built_object* o) {
    for (size_t i = 0; i < o->point_count; i++) {
        b->holder[o->first_point + i] = own_object;
    }
    b->built->fixed_count += o->point_count;
}

static bool hold_bodies(scene_builder* b, const built_object* o) {
    bool ok = true;
    for (size_t i = 0; ok && i < o->point_count; i++) {
        ok = hold_node(b, o->first_point + i, o->first_frame + i);
    }
    return ok;
}

static bool hold_end(scene_builder* b, const built_object* o, size_t vertex, size_t piece) {
    b->frame_holder[o->first_frame + piece] = own_object;
    return hold_node(b, o->first_point + vertex, o->walls[vertex]);
}

static bool hold_ends(scene_builder* b, const rod_spec* rod, const built_object* o) {
    return (!rod->clamp[0] || hold_end(b, o, 0, 0)) &&
           (!rod->clamp[1] || hold_end(b, o, o->point_count - 1, o->frame_count - 1));
}

bool build_holds(scene_builder* b) {
    b->holder = array_new(taut_scene_particle_count(b->built->scene), sizeof *b->holder, b->r);
    b->frame_holder = array_new(taut_scene_frame_count(b->built->scene), sizeof *b->frame_holder, b->r);
    b->built->fixed = array_new(taut_scene_particle_count(b->built->scene), sizeof *b->built->fixed, b->r);
    bool ok = b->holder && b->frame_holder && b->built->fixed;
    b->list = "objects";
    for (b->index = 0; ok && b->index < b->file->object_count; b->index++) {
        const scene_object* o = &b->file->objects[b->index];
        const built_object* built = &b->built->objects[b->index];
        if (o->type == OBJECT_COLLIDER && o->as.collider.animation.file) {
            hold_vertices(b, built);
        } else if ((o->type == OBJECT_RIGID && o->as.rigid.fixed) || o->type == OBJECT_COLLIDER) {
            ok = hold_bodies(b, built);
        } else if (o->type == OBJECT_ROD) {
            ok = hold_ends(b, &o->as.rod, built);
        }
    }
    return ok;
}

/* ---- moving pins ---------------------------------------------------------------------------------------------- */

static void set_centre(const motion* path, size_t count, const double (*start)[3], double out[3]) {
    for (int a = 0; a < 3; a++) {
        out[a] = path->centred ? path->centre[a] : 0;
        for (size_t i = 0; !path->centred && i < count; i++) {
            out[a] += start[i][a] / (double)count;
        }
    }
}

static bool pin_arrays(scene_builder* b, moving_pin* m) {
    m->start = array_new(m->count, sizeof *m->start, b->r);
    m->now = array_new(m->count, sizeof *m->now, b->r);
    m->frame_start = array_new(m->frame_count, sizeof *m->frame_start, b->r);
    m->frame_now = array_new(m->frame_count, sizeof *m->frame_now, b->r);
    return m->start && m->now && m->frame_start && m->frame_now;
}

/* Takes the particles and frames over. `count`: of the particles whose mean is the centre. */
static bool add_moving(scene_builder* b, const motion* path, pinned* p, size_t count, taut_batch batch) {
    moving_pin* m = &b->built->pins[b->built->pin_count++];
    const double* points = taut_scene_positions(b->built->scene);
    *m = (moving_pin){.path = path,
                      .count = p->points.count,
                      .particles = p->points.particles,
                      .frame_count = p->frame_count,
                      .frames = p->frames,
                      .batch = batch};
    *p = (pinned){0};
    if (!pin_arrays(b, m)) {
        return false;
    }
    for (size_t i = 0; i < m->count; i++) {
        memcpy(m->start[i], points + 3 * (size_t)m->particles[i], sizeof m->start[i]);
    }
    set_centre(m->path, count, (const double(*)[3])m->start, m->centre);
    return true;
}

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

bool build_pin(scene_builder* b, const pin_spec* pin) {
    pinned p = {0};
    taut_batch batch = {0};
    bool ok = select_all(b, pin, &p) && claim_all(b, pin, &p) && hold(b, pin, &p, &batch);
    const size_t vertices = p.points.count;
    ok = ok && (!pin->path.count || (add_wall_points(b, &p) && add_moving(b, &pin->path, &p, vertices, batch)));
    free(p.points.particles);
    free(p.frames);
    return ok;
}

bool build_moving_body(scene_builder* b, const motion* path, uint32_t point, uint32_t frame) {
    pinned p = {.points.count = 1, .frame_count = 1};
    p.points.particles = build_indices(b, point, 1, &(uint32_t){0});
    p.frames = build_indices(b, frame, 1, &(uint32_t){0});
    const bool ok = p.points.particles && p.frames && add_moving(b, path, &p, 1, (taut_batch){0});
    free(p.points.particles);
    free(p.frames);
    return ok;
}
