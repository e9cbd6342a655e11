#include "build/pins.h"
#include "base/array.h"

#include <stdlib.h>
#include <string.h>

void pinned_free(pinned* p) {
    free(p->points.particles);
    free(p->frames);
    free(p->frame_points);
    *p = (pinned){0};
}

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

static bool frame_arrays(scene_builder* b, size_t most, pinned* out) {
    out->frames = array_new(most, sizeof *out->frames, b->r);
    out->frame_points = array_new(most, sizeof *out->frame_points, b->r);
    return out->frames && out->frame_points;
}

static void add_frame(uint32_t frame, uint32_t particle, pinned* out) {
    out->frames[out->frame_count] = frame;
    out->frame_points[out->frame_count++] = particle;
}

/* A hard pin on a body holds its orientation, too. */
static bool body_frames(scene_builder* b, const built_object* o, pinned* out) {
    if (!frame_arrays(b, out->points.count, out)) {
        return false;
    }
    for (size_t i = 0; i < out->points.count; i++) {
        const uint32_t particle = out->points.particles[i];
        add_frame((uint32_t)(o->first_frame + (particle - o->first_point)), particle, out);
    }
    return true;
}

/* The walls of the rod's clamps at the pin's vertices hold the pieces beside them. */
static void add_walls(const built_object* o, pinned* out) {
    for (size_t i = 0; o->walls && i < out->points.count; i++) {
        const uint32_t particle = out->points.particles[i], wall = o->walls[particle - o->first_point];
        if (wall != NO_WALL) {
            add_frame(wall, particle, out);
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
    if (!frame_arrays(b, pin->frame_count + out->points.count, out)) {
        return false;
    }
    add_walls(o, out);
    for (size_t i = 0; i < pin->frame_count; i++) {
        if (pin->frames[i] >= o->frame_count) {
            return build_fail(b, ".at.frames", "piece %u of '%s' does not exist: it has %zu", pin->frames[i], o->name,
                              o->frame_count);
        }
        if (!ends_at_clamp(o, out, pin->frames[i])) {
            add_frame((uint32_t)o->first_frame + pin->frames[i], (uint32_t)o->first_point + pin->frames[i], out);
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
        const scene_object* o = &b->file->objects[pin->at.object];
        return pin->law.given || pin_moves(pin) || o->type == OBJECT_COLLIDER;
    }
    const pin_spec* other = &b->file->constraints[holder - 1].as.pin;
    return pin_moves(pin) || pin_moves(other) || pin->law.given != other->law.given;
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

bool build_pin(scene_builder* b, const pin_spec* pin) {
    pinned p = {0};
    taut_batch batch = {0};
    bool ok = select_all(b, pin, &p) && claim_all(b, pin, &p) && hold(b, pin, &p, &batch);
    ok = ok && (!pin_moves(pin) || build_moving_pin(b, pin, &p, batch));
    pinned_free(&p);
    return ok;
}
