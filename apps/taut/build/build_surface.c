#include "build/scene_builder.h"

#include <stdlib.h>
#include <string.h>

bool build_surface(scene_builder* b, const surface_spec* s, uint32_t first, const mesh* m) {
    taut_surface_def def = taut_default_surface();
    if (!s->given) {
        return true;
    }
    uint32_t* particles = build_indices(b, first, 3 * m->triangle_count, m->triangles[0]);
    def.count = m->triangle_count;
    def.particles = particles;
    def.drag = s->drag;
    def.friction = s->friction;
    def.pressure = s->pressure;
    memcpy(def.wind, s->wind, sizeof def.wind);
    bool ok = particles && build_check(b, "", taut_scene_add_surfaces(b->built->scene, &def, NULL));
    free(particles);
    return ok;
}
