#include "base/array.h"
#include "base/vector.h"
#include "build/clamps.h"
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

/* Bending at a point between two segments turns t = (x2 - x1)/l2 - (x1 - x0)/l1 = kappa lbar, where lbar is the length
 * of rope that stands for the point: (l1 + l2)/2, the halves of both segments. Energy 1/2 E I kappa^2 lbar = 1/2 t^2 /
 * c gives c = lbar/(E I), for each of three rows. The rest value 0, a straight rope, is the only one that does not
 * change when the rope turns.
 *
 * A segment between two held points does not bend: its half is left out. At a clamp each segment bends by its own half
 * against the wall, a fixed point at the distance l behind the point, in the direction of the segment at an end, and in
 * the mean direction of both elsewhere. */
typedef struct rope_bend_point {
    uint32_t points[3];
    double lengths[2]; /* l1, l2 */
    double bending;    /* lbar */
} rope_bend_point;

typedef struct bend_list {
    size_t count;
    rope_bend_point* bends;
    bool* held;    /* per point */
    bool* clamped; /* per point: a pin holds the slope */
} bend_list;

static bool bend_list_new(scene_builder* b, const polyline* shape, const built_object* o, bend_list* out) {
    *out = (bend_list){.bends = array_new(2 * shape->count, sizeof *out->bends, b->r),
                       .clamped = array_new(shape->count, sizeof *out->clamped, b->r),
                       .held = mark_held(b, o, (placed_points){shape->count, (const double(*)[3])shape->points})};
    return out->bends && out->clamped && out->held;
}

static void bend_list_free(bend_list* l) {
    free(l->bends);
    free(l->held);
    free(l->clamped);
}

static bool segment_held(const bend_list* l, size_t segment) {
    return l->held[segment] && l->held[segment + 1];
}

static void list_inner(const polyline* shape, uint32_t first, bend_list* l) {
    for (size_t p = 1; p + 1 < shape->count; p++) {
        const bool held[2] = {segment_held(l, p - 1), segment_held(l, p)};
        const double l1 = shape->lengths[p - 1], l2 = shape->lengths[p];
        const uint32_t here = first + (uint32_t)p;
        if (!l->clamped[p]) {
            const double part = (held[0] && !held[1] ? 0 : l1) + (held[1] && !held[0] ? 0 : l2);
            l->bends[l->count++] = (rope_bend_point){{here - 1, here, here + 1}, {l1, l2}, 0.5 * part};
        }
    }
}

/* The tangent at a point: that of its segment, or the mean of two; that behind the point where they oppose each other.
 */
static void tangent_at(const polyline* shape, size_t p, double out[3]) {
    double sum[3] = {0, 0, 0}, to[3] = {0, 0, 0};
    for (size_t i = p > 0 ? p - 1 : 0; i <= p && i + 1 < shape->count; i++) {
        vector_between(shape->points[i], shape->points[i + 1], to);
        for (int a = 0; a < 3; a++) {
            sum[a] += to[a] / shape->lengths[i];
        }
    }
    const double size = sqrt(vector_dot(sum, sum));
    for (int a = 0; a < 3; a++) {
        out[a] = size > 1e-6 ? sum[a] / size : to[a] / shape->lengths[p];
    }
}

/* The bends beside a clamped point, and their walls, which come into the scene behind all points so far. */
static void list_clamp(const polyline* shape, uint32_t first, uint32_t first_wall, size_t p, bend_list* l,
                       double (*wall)[3], size_t* wall_count) {
    const uint32_t here = first + (uint32_t)p;
    double tangent[3];
    tangent_at(shape, p, tangent);
    for (int side = 0; side < 2; side++) {
        const size_t segment = side == 0 ? p - 1 : p;
        if ((side == 0 ? p == 0 : p + 1 == shape->count) || segment_held(l, segment)) {
            continue;
        }
        const double length = shape->lengths[segment];
        const uint32_t behind = first_wall + (uint32_t)*wall_count;
        for (int a = 0; a < 3; a++) {
            wall[*wall_count][a] = shape->points[p][a] + (side == 0 ? length : -length) * tangent[a];
        }
        ++*wall_count;
        l->bends[l->count++] = (rope_bend_point){
            {side == 0 ? here - 1 : behind, here, side == 0 ? behind : here + 1}, {length, length}, 0.5 * length};
    }
}

static bool list_clamps_of(scene_builder* b, size_t pin, const polyline* shape, uint32_t first, bend_list* l) {
    const uint32_t first_wall = (uint32_t)taut_scene_particle_count(b->built->scene);
    bool* marks = array_new(shape->count, sizeof *marks, b->r);
    double(*wall)[3] = array_new(2 * shape->count, sizeof *wall, b->r);
    size_t wall_count = 0;
    if (marks && wall) {
        mark_pinned(&b->file->constraints[pin].as.pin, (placed_points){shape->count, (const double(*)[3])shape->points},
                    marks);
    }
    for (size_t p = 0; marks && wall && p < shape->count; p++) {
        if (marks[p] && !l->clamped[p]) {
            list_clamp(shape, first, first_wall, p, l, wall, &wall_count);
            l->clamped[p] = true;
        }
    }
    const bool ok = marks && wall && (wall_count == 0 || build_wall(b, pin, wall_count, (const double(*)[3])wall));
    free(marks);
    free(wall);
    return ok;
}

static bool list_clamps(scene_builder* b, const polyline* shape, const built_object* o, bend_list* l) {
    bool ok = true;
    for (size_t i = 0; ok && i < b->file->constraint_count; i++) {
        const pin_spec* pin = hard_pin(b, i, o);
        ok = !pin || !pin->clamp || list_clamps_of(b, i, shape, (uint32_t)o->first_point, l);
    }
    return ok;
}

/* ---- their rows ----------------------------------------------------------------------------------------------- */

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

static void fill_bend_rows(const bend_list* l, double compliance, bend_rows* rows) {
    for (size_t row = 0; row < rows->count; row++) {
        const rope_bend_point* bend = &l->bends[row / 3];
        const double l1 = bend->lengths[0], l2 = bend->lengths[1];
        const double weights[3] = {1 / l1, -(1 / l1 + 1 / l2), 1 / l2};
        for (size_t k = 0; k < 3; k++) {
            rows->coordinates[3 * row + k] = (uint32_t)(3 * bend->points[k] + row % 3);
            rows->weights[3 * row + k] = weights[k];
        }
        rows->compliances[row] = bend->bending * compliance;
        rows->offsets[row + 1] = 3 * (row + 1);
    }
}

static bool add_bend_rows(scene_builder* b, const rope_spec* rope, const bend_list* l) {
    taut_linear_def def = taut_default_linear();
    bend_rows rows = {0};
    bool ok = bend_rows_new(b, 3 * l->count, &rows);
    if (ok) {
        fill_bend_rows(l, rope->bend.compliance, &rows);
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

static bool rope_bend(scene_builder* b, const rope_spec* rope, const polyline* shape, const built_object* o) {
    bend_list l;
    if (!rope->bend.given) {
        return true;
    }
    bool ok = bend_list_new(b, shape, o, &l) && list_clamps(b, shape, o, &l);
    if (ok) {
        list_inner(shape, (uint32_t)o->first_point, &l);
        ok = l.count == 0 || add_bend_rows(b, rope, &l);
    }
    bend_list_free(&l);
    return ok;
}

bool build_rope(scene_builder* b, const scene_object* o, built_object* out) {
    const rope_spec* rope = &o->as.rope;
    polyline shape = {0};
    bool ok = polyline_make(b, &o->place, rope->count, (const double(*)[3])rope->points, rope->segments, &shape) &&
              rope_body(b, rope, &shape, out) && rope_stretch(b, rope, &shape, (uint32_t)out->first_point) &&
              rope_bend(b, rope, &shape, out);
    out->shape = EXPORT_CURVE;
    out->width = ok ? 0.2 * shape.lengths[0] : 0;
    polyline_free(&shape);
    return ok;
}
