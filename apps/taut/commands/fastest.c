#include "commands/fastest.h"

#include "base/array.h"
#include "base/vector.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static size_t point_count(const built_scene* built) {
    size_t count = 0;
    for (size_t i = 0; i < built->object_count; i++) {
        const size_t end = built->objects[i].first_point + built->objects[i].point_count;
        count = built->objects[i].point_count > 0 && end > count ? end : count;
    }
    return count;
}

static void tell_fastest(const built_scene* built, const double (*v)[3], char* part, size_t size) {
    double fastest = 0;
    for (size_t i = 0; i < built->object_count; i++) {
        const built_object* o = &built->objects[i];
        for (size_t k = 0; k < o->point_count; k++) {
            const double speed = sqrt(vector_dot(v[o->first_point + k], v[o->first_point + k]));
            if (speed > fastest) {
                fastest = speed;
                (void)snprintf(part, size, " The fastest in it was %s %zu of '%.80s', at %.3g m/s.",
                               o->rigid ? "body" : "vertex", k, o->name, speed);
            }
        }
    }
}

void fastest_tell(taut_world* world, const built_scene* built, char* part, size_t size) {
    report ignored;
    const size_t count = point_count(built);
    double(*v)[3] = count > 0 ? array_new(count, sizeof *v, &ignored) : NULL;
    part[0] = '\0';
    if (v && taut_world_read(world, TAUT_FIELD_VELOCITIES, 0, count, v[0]) == TAUT_OK) {
        tell_fastest(built, (const double(*)[3])v, part, size);
    }
    free(v);
}
