#include "array.h"
#include "scene_builder.h"

#include <stdlib.h>
#include <string.h>

typedef struct selection {
    size_t count;
    uint32_t* particles;
} selection;

/* ---- which particles ------------------------------------------------------------------------------------------ */

static bool inside(const double x[3], const double box[2][3]) {
    return x[0] >= box[0][0] && x[0] <= box[1][0] && x[1] >= box[0][1] && x[1] <= box[1][1] && x[2] >= box[0][2] &&
           x[2] <= box[1][2];
}

static bool select_box(scene_builder* b, const pin_spec* pin, selection* out) {
    const export_object* o = &b->built->objects[pin->object];
    const double* points = taut_scene_positions(b->built->scene);
    out->particles = array_new(o->point_count, sizeof *out->particles, b->r);
    for (size_t i = o->first_point; out->particles && i < o->first_point + o->point_count; i++) {
        if (inside(points + 3 * i, pin->box)) {
            out->particles[out->count++] = (uint32_t)i;
        }
    }
    return out->particles && (out->count || build_fail(b, ".at.box", "holds no vertex of '%s'", o->name));
}

static bool select_vertices(scene_builder* b, const pin_spec* pin, selection* out) {
    out->count = pin->count;
    out->particles = array_new(pin->count, sizeof *out->particles, b->r);
    bool ok = out->particles != NULL;
    for (size_t i = 0; ok && i < pin->count; i++) {
        ok = build_vertex(b, ".at.vertices", pin->object, pin->vertices[i], &out->particles[i]);
    }
    return ok;
}

/* A vertex can follow one motion, and be held in one way, only. */
static bool claim(scene_builder* b, const pin_spec* pin, const selection* s) {
    for (size_t i = 0; i < s->count; i++) {
        uint32_t* holder = &b->holder[s->particles[i]];
        const export_object* o = &b->built->objects[pin->object];
        const size_t vertex = s->particles[i] - o->first_point;
        if (*holder == b->index + 1) {
            return build_fail(b, ".at.vertices", "lists vertex %zu twice", vertex);
        }
        if (*holder) {
            const pin_spec* other = &b->file->constraints[*holder - 1].as.pin;
            if (pin->path.count || other->path.count || pin->law.given != other->law.given) {
                return build_fail(b, "", "vertex %zu of '%s' is already held in another way by constraints[%u]", vertex,
                                  o->name, *holder - 1);
            }
        }
        b->built->fixed_count += !*holder && !pin->law.given;
        *holder = (uint32_t)b->index + 1;
    }
    return true;
}

/* ---- how they are held ---------------------------------------------------------------------------------------- */

static bool hold(scene_builder* b, const pin_spec* pin, const selection* s, taut_batch* batch) {
    if (!pin->law.given) {
        return build_check(b, "", taut_scene_set_fixed(b->built->scene, s->count, s->particles, true));
    }
    taut_target_def def = taut_default_target();
    def.count = s->count;
    def.particles = s->particles;
    def.compliance = pin->law.compliance;
    def.damping = pin->law.damping;
    b->built->kinds[TAUT_TARGET] = true;
    return build_check(b, "", taut_scene_add_targets(b->built->scene, &def, batch));
}

static void set_centre(const motion* path, size_t count, const double (*start)[3], double out[3]) {
    for (int a = 0; a < 3; a++) {
        out[a] = path->centred ? path->centre[a] : 0;
        for (size_t i = 0; !path->centred && i < count; i++) {
            out[a] += start[i][a] / (double)count;
        }
    }
}

/* Takes the particles over. */
static bool add_moving(scene_builder* b, const pin_spec* pin, selection* s, taut_batch batch) {
    moving_pin* m = &b->built->pins[b->built->pin_count++];
    const double* points = taut_scene_positions(b->built->scene);
    *m = (moving_pin){.path = &pin->path, .count = s->count, .particles = s->particles, .batch = batch};
    s->particles = NULL;
    m->start = array_new(m->count, sizeof *m->start, b->r);
    m->now = array_new(m->count, sizeof *m->now, b->r);
    if (!m->start || !m->now) {
        return false;
    }
    for (size_t i = 0; i < m->count; i++) {
        memcpy(m->start[i], points + 3 * (size_t)m->particles[i], sizeof m->start[i]);
    }
    set_centre(m->path, m->count, (const double(*)[3])m->start, m->centre);
    return true;
}

bool build_pin(scene_builder* b, const pin_spec* pin) {
    selection s = {0};
    taut_batch batch = {0};
    bool ok = (pin->count ? select_vertices(b, pin, &s) : select_box(b, pin, &s)) && claim(b, pin, &s) &&
              hold(b, pin, &s, &batch) && (!pin->path.count || add_moving(b, pin, &s, batch));
    free(s.particles);
    return ok;
}

taut_status moving_pins_step(const built_scene* built, taut_world* world, double time) {
    taut_status status = TAUT_OK;
    for (size_t i = 0; status == TAUT_OK && i < built->pin_count; i++) {
        const moving_pin* m = &built->pins[i];
        const motion_key pose = motion_at(m->path, time);
        motion_move(&pose, m->centre, m->count, (const double(*)[3])m->start, m->now);
        status = m->batch.id ? taut_world_move_targets(world, m->batch, 0, m->count, m->now[0])
                             : taut_world_move_fixed(world, m->count, m->particles, m->now[0]);
    }
    return status;
}
