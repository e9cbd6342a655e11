#include "base/array.h"
#include "build/polyline.h"

#include <stdlib.h>

/* Half of every segment to each of its ends. */
static bool rope_body(scene_builder* b, const rope_spec* rope, const polyline* shape, built_object* out) {
    taut_particles_def def = taut_default_particles();
    double* masses = array_new(shape->count, sizeof *masses, b->r);
    for (size_t i = 0; masses && i + 1 < shape->count; i++) {
        const double half = 0.5 * rope->density * shape->lengths[i];
        masses[i] += half;
        masses[i + 1] += half;
    }
    def.count = shape->count;
    def.positions = shape->points[0];
    def.masses = masses;
    bool ok = masses && build_body(b, &def, out);
    free(masses);
    return ok;
}

/* ---- constraints ---------------------------------------------------------------------------------------------- */

static bool rope_stretch(scene_builder* b, const rope_spec* rope, const polyline* shape, uint32_t first) {
    const size_t count = shape->count - 1;
    uint32_t(*pairs)[2] = array_new(count, sizeof *pairs, b->r);
    for (size_t i = 0; pairs && i < count; i++) {
        pairs[i][0] = (uint32_t)i;
        pairs[i][1] = (uint32_t)i + 1;
    }
    bool ok = pairs && build_springs(b, ".stretch", first, count, (const uint32_t(*)[2])pairs, NULL, &rope->stretch);
    free(pairs);
    return ok;
}

/* Three rows per inner point for the turn vector t = (x2 - x1)/l2 - (x1 - x0)/l1 = kappa lbar, lbar = (l1 + l2)/2.
 * Energy 1/2 E I kappa^2 lbar = 1/2 t^2 / c gives c = lbar/(E I). The rest value 0, a straight rope, is the only one
 * that does not change when the rope turns. */
typedef struct bend_rows {
    size_t count;
    size_t* offsets;
    uint32_t* coordinates;
    double* weights;
    double* rest;
    double* compliances;
} bend_rows;

static bool bend_rows_new(scene_builder* b, size_t rows, bend_rows* out) {
    out->count = rows;
    out->offsets = array_new(rows + 1, sizeof *out->offsets, b->r);
    out->coordinates = array_new(3 * rows, sizeof *out->coordinates, b->r);
    out->weights = array_new(3 * rows, sizeof *out->weights, b->r);
    out->rest = array_new(rows, sizeof *out->rest, b->r);
    out->compliances = array_new(rows, sizeof *out->compliances, b->r);
    return out->offsets && out->coordinates && out->weights && out->rest && out->compliances;
}

static void bend_rows_free(bend_rows* rows) {
    free(rows->offsets);
    free(rows->coordinates);
    free(rows->weights);
    free(rows->rest);
    free(rows->compliances);
}

static void fill_bend_rows(const polyline* shape, uint32_t first, double compliance, bend_rows* rows) {
    for (size_t row = 0; row < rows->count; row++) {
        const size_t point = row / 3; /* the first of three neighbours */
        const double l1 = shape->lengths[point], l2 = shape->lengths[point + 1];
        const double weights[3] = {1 / l1, -(1 / l1 + 1 / l2), 1 / l2};
        for (size_t k = 0; k < 3; k++) {
            rows->coordinates[3 * row + k] = (uint32_t)(3 * (first + point + k) + row % 3);
            rows->weights[3 * row + k] = weights[k];
        }
        rows->compliances[row] = 0.5 * (l1 + l2) * compliance;
        rows->offsets[row + 1] = 3 * (row + 1);
    }
}

static bool rope_bend(scene_builder* b, const rope_spec* rope, const polyline* shape, uint32_t first) {
    if (!rope->bend.given || shape->count < 3) {
        return true;
    }
    taut_linear_def def = taut_default_linear();
    bend_rows rows = {0};
    bool ok = bend_rows_new(b, 3 * (shape->count - 2), &rows);
    if (ok) {
        fill_bend_rows(shape, first, rope->bend.compliance, &rows);
        def.count = rows.count;
        def.offsets = rows.offsets;
        def.coordinates = rows.coordinates;
        def.weights = rows.weights;
        def.rest_values = rows.rest;
        def.compliances = rows.compliances;
        def.damping = rope->bend.damping;
        taut_batch batch;
        ok = build_check(b, ".bend", taut_scene_add_linear(b->built->scene, &def, &batch)) &&
             build_form(b, ".bend", &rope->bend, batch);
        b->built->kinds[TAUT_LINEAR] = true;
    }
    bend_rows_free(&rows);
    return ok;
}

bool build_rope(scene_builder* b, const scene_object* o, built_object* out) {
    const rope_spec* rope = &o->as.rope;
    polyline shape = {0};
    bool ok = polyline_make(b, &o->place, rope->count, (const double(*)[3])rope->points, rope->segments, &shape) &&
              rope_body(b, rope, &shape, out) && rope_stretch(b, rope, &shape, (uint32_t)out->first_point) &&
              rope_bend(b, rope, &shape, (uint32_t)out->first_point);
    out->shape = EXPORT_CURVE;
    out->width = ok ? 0.2 * shape.lengths[0] : 0;
    polyline_free(&shape);
    return ok;
}
