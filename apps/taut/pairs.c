#include "scene_builder.h"
#include "vector.h"

static bool pair_particles(scene_builder* b, const pair_spec* pair, uint32_t out[2]) {
    return build_vertex(b, ".a", pair->ends[0].object, pair->ends[0].vertex, &out[0]) &&
           build_vertex(b, ".b", pair->ends[1].object, pair->ends[1].vertex, &out[1]);
}

bool build_distance(scene_builder* b, const pair_spec* pair) {
    uint32_t particles[2];
    taut_distance_def def = taut_default_distance();
    if (!pair_particles(b, pair, particles)) {
        return false;
    }
    const double* points = taut_scene_positions(b->built->scene);
    if (!(vector_distance(points + 3 * (size_t)particles[0], points + 3 * (size_t)particles[1]) > 0)) {
        return build_fail(b, "", "'a' and 'b' are at the same place: the direction of the distance is not defined");
    }
    def.count = 1;
    def.particles = particles;
    def.rest_lengths = pair->length_given ? &pair->length : NULL;
    def.compliance = pair->law.compliance;
    def.damping = pair->law.damping;
    b->built->kinds[TAUT_DISTANCE] = true;
    return build_check(b, "", taut_scene_add_distances(b->built->scene, &def, NULL));
}

bool build_attach(scene_builder* b, const pair_spec* pair) {
    uint32_t particles[2];
    taut_attachment_def def = taut_default_attachment();
    if (!pair_particles(b, pair, particles)) {
        return false;
    }
    def.count = 1;
    def.particles = particles;
    def.offsets = pair->offset;
    def.compliance = pair->law.compliance;
    def.damping = pair->law.damping;
    b->built->kinds[TAUT_ATTACHMENT] = true;
    return build_check(b, "", taut_scene_add_attachments(b->built->scene, &def, NULL));
}
