/* Constraints between single points. */
#include "base/array.h"
#include "base/vector.h"
#include "build/scene_builder.h"

#include <stdio.h>
#include <stdlib.h>

static bool pair_particles(scene_builder* b, const pair_spec* pair, uint32_t out[2]) {
    return build_point(b, ".a", &pair->ends[0], false, &out[0]) && build_point(b, ".b", &pair->ends[1], false, &out[1]);
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
    taut_batch batch;
    return build_check(b, "", taut_scene_add_distances(b->built->scene, &def, &batch)) &&
           build_form(b, "", &pair->law, batch);
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
    def.contact = pair->contact;
    b->built->kinds[TAUT_ATTACHMENT] = true;
    taut_batch batch;
    return build_check(b, "", taut_scene_add_attachments(b->built->scene, &def, &batch)) &&
           build_form(b, "", &pair->law, batch);
}

/* ---- linear rows ---------------------------------------------------------------------------------------------- */

static bool add_row(scene_builder* b, const linear_spec* linear, const uint32_t* coordinates, const double* weights) {
    const size_t offsets[2] = {0, linear->count};
    taut_linear_def def = taut_default_linear();
    def.count = 1;
    def.offsets = offsets;
    def.coordinates = coordinates;
    def.weights = weights;
    def.rest_values = linear->rest_given ? &linear->rest : NULL;
    def.of_velocities = linear->of_velocities;
    def.compliance = linear->law.compliance;
    def.damping = linear->law.damping;
    b->built->kinds[TAUT_LINEAR] = true;
    taut_batch batch;
    return build_check(b, ".terms", taut_scene_add_linear(b->built->scene, &def, &batch)) &&
           build_form(b, "", &linear->law, batch);
}

bool build_linear(scene_builder* b, const linear_spec* linear) {
    uint32_t* coordinates = array_new(linear->count, sizeof *coordinates, b->r);
    double* weights = array_new(linear->count, sizeof *weights, b->r);
    bool ok = coordinates && weights;
    for (size_t i = 0; ok && i < linear->count; i++) {
        const weighted_term* term = &linear->terms[i];
        char member[48];
        uint32_t particle = 0;
        (void)snprintf(member, sizeof member, ".terms[%zu]", i);
        ok = term->turn || build_point(b, member, &term->point, true, &particle);
        coordinates[i] =
            term->turn ? TAUT_ROTATION_OF(body_at(b, &term->point).frame, term->axis) : 3 * particle + term->axis;
        weights[i] = term->weight;
    }
    ok = ok && add_row(b, linear, coordinates, weights);
    free(coordinates);
    free(weights);
    return ok;
}
