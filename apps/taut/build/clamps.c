#include "build/clamps.h"

#include "base/array.h"

#include <stdlib.h>

const pin_spec* hard_pin(const scene_builder* b, size_t index, const built_object* o) {
    const scene_constraint* c = &b->file->constraints[index];
    const bool here = c->type == CONSTRAINT_PIN && c->as.pin.at.object == (size_t)(o - b->built->objects);
    return here && !c->as.pin.law.given ? &c->as.pin : NULL;
}

/* ---- marks ---------------------------------------------------------------------------------------------------- */

void mark_pinned(const pin_spec* pin, placed_points at, bool* marks) {
    for (size_t i = 0; i < pin->at.count; i++) {
        if (pin->at.vertices[i] < at.count) {
            marks[pin->at.vertices[i]] = true;
        }
    }
    for (size_t i = 0; pin->at.count == 0 && i < at.count; i++) {
        marks[i] |= build_inside(at.points[i], pin->at.box);
    }
}

bool* mark_held(scene_builder* b, const built_object* o, placed_points at) {
    bool* marks = array_new(at.count, sizeof *marks, b->r);
    for (size_t i = 0; marks && i < b->file->constraint_count; i++) {
        const pin_spec* pin = hard_pin(b, i, o);
        if (pin) {
            mark_pinned(pin, at, marks);
        }
    }
    return marks;
}

/* ---- walls ---------------------------------------------------------------------------------------------------- */

/* What is built while a constraint is looked at. */
typedef struct place {
    const char* list;
    size_t index;
} place;

static place go_to(scene_builder* b, place to) {
    const place before = {b->list, b->index};
    b->list = to.list;
    b->index = to.index;
    return before;
}

bool clamp_fail(scene_builder* b, size_t constraint, const char* format, const char* name) {
    const place before = go_to(b, (place){"constraints", constraint});
    const bool failed = build_fail(b, ".clamp", format, name);
    go_to(b, before);
    return failed;
}

/* One flag for each of `count` points. */
static bool add_fixed(scene_builder* b, size_t count, const double (*points)[3], taut_range* range) {
    bool* fixed = array_new(count, sizeof *fixed, b->r);
    taut_particles_def def = taut_default_particles();
    for (size_t i = 0; fixed && i < count; i++) {
        fixed[i] = true;
    }
    def.count = count;
    def.positions = points[0];
    def.fixed = fixed;
    const bool ok =
        fixed && build_room(b, count) && build_check(b, "", taut_scene_add_particles(b->built->scene, &def, range));
    free(fixed);
    return ok;
}

bool build_wall(scene_builder* b, size_t constraint, size_t count, const double (*points)[3]) {
    taut_range range;
    const place before = go_to(b, (place){"constraints", constraint});
    const bool ok = add_fixed(b, count, points, &range) &&
                    build_unnamed(b, ".clamp", (unnamed_nodes){.first_point = range.first, .point_count = range.count});
    go_to(b, before);
    if (ok) {
        b->built->walls[b->built->wall_count++] = (wall_points){constraint, range.first, range.count};
    }
    return ok;
}
