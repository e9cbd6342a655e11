#include "build/scene_builder.h"

#include <stdlib.h>

/* Edge length of the marker that viewers draw for a free particle; it has no size of its own. */
static const double marker_width = 0.02;

bool build_particles(scene_builder* b, const scene_object* o, built_object* out) {
    const particles_spec* p = &o->as.particles;
    taut_particles_def def = taut_default_particles();
    double(*positions)[3] = build_placed(b, &o->place, p->count, (const double(*)[3])p->positions);
    def.count = p->count;
    def.positions = positions ? positions[0] : NULL;
    def.velocities = p->velocities ? p->velocities[0] : NULL;
    def.masses = p->masses;
    def.mass = p->mass;
    out->shape = EXPORT_POINTS;
    out->width = marker_width;
    bool ok = positions && build_body(b, &def, out);
    free(positions);
    return ok;
}
